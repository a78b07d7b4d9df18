//! Local best response against agents: the same figures however the work is spread or cut short.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use evaluation::Sampled;
use evaluation::folder::DEALS;
use evaluation::lbr::{Figures, LbrSettings, Outcome, run};
use game::{Street, games};
use logs::{Provenance, Rate};
use matches::external::registry;
use matches::runner::Stop;
use solvers::lbr::Moves;

fn plan(agent: &str, hands: u64) -> LbrSettings {
    LbrSettings {
        def: Arc::new(games::nolimit_holdem()),
        game_name: "test".into(),
        agent: registry().resolve(agent).expect("an agent"),
        model_sha256: None,
        moves: Moves::FoldCallPotAllIn,
        from: Street::Turn,
        all_hands: None,
        hands,
        seed: 42,
        shard: None,
    }
}

/// Measures into a folder, asking to stop once `stop_after` hands are there.
fn measure(
    plan: &LbrSettings,
    folder: &Path,
    threads: usize,
    stop_after: u64,
) -> Result<Outcome, evaluation::Error> {
    let stop = Stop::new();
    if stop_after == 0 {
        stop.ask();
    }
    run(plan, folder, Provenance::default(), threads, &stop, &mut |progress| {
        if progress.hands >= stop_after {
            stop.ask();
        }
    })
}

fn whole(plan: &LbrSettings, threads: usize) -> Figures {
    let folder = tempfile::tempdir().expect("a folder");
    let outcome = measure(plan, folder.path(), threads, u64::MAX).expect("a measurement");
    assert!(outcome.complete);
    assert_eq!((outcome.hands, outcome.earlier), (plan.hands, 0));
    outcome.figures
}

/// The lines of the results in order.
fn lines(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join(DEALS.lines)).expect("results");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn threads_change_nothing() {
    let plan = plan("equity", 60);
    assert_eq!(whole(&plan, 1), whole(&plan, 3));
}

#[test]
fn all_hands_valued_win_what_dealt_hands_win_with_less_spread() {
    for (from, cards, below) in
        [(Street::River, 1, 0.0), (Street::Turn, 2, 0.0), (Street::Turn, 1, 0.05)]
    {
        let dealt = LbrSettings { from, ..plan("equity", 1200) };
        let valued =
            LbrSettings { all_hands: Some(Sampled { cards, below }), hands: 120, ..dealt.clone() };
        let [dealt, valued] = [dealt, valued].map(|plan| {
            let figures = whole(&plan, 2);
            assert_eq!(figures.dealt.hands, if plan.all_hands.is_some() { 0 } else { plan.hands });
            Rate::from_sums(&figures.expected, plan.def.big_blind()).expect("enough hands")
        });
        let apart = dealt.half_width().hypot(valued.half_width());
        assert!((dealt.mbb - valued.mbb).abs() < apart, "{from}: {dealt:?} {valued:?}");
        // As many hands would have half the width.
        assert!(valued.expected_half_width(1200) < 0.5 * dealt.half_width(), "{from}: {valued:?}");
    }
}

#[test]
fn all_hands_are_not_valued_before_the_flop() {
    let all_hands = Some(Sampled { cards: 1, below: 0.0 });
    let plan = LbrSettings { from: Street::Preflop, all_hands, ..plan("call", 4) };
    let folder = tempfile::tempdir().expect("a folder");
    let refused = measure(&plan, folder.path(), 1, u64::MAX).expect_err("refused");
    assert!(refused.is_usage() && refused.to_string().contains("before the flop"), "{refused}");
}

#[test]
fn a_run_cut_short_goes_on_to_the_same_end() {
    let plan = plan("equity", 60);
    let unbroken = tempfile::tempdir().expect("a folder");
    let figures = measure(&plan, unbroken.path(), 2, u64::MAX).expect("a measurement").figures;

    let folder = tempfile::tempdir().expect("a folder");
    let stopped = measure(&plan, folder.path(), 1, 0).expect("a measurement");
    assert!(!stopped.complete);
    let fewer = LbrSettings { hands: 20, ..plan.clone() };
    assert!(measure(&fewer, folder.path(), 2, u64::MAX).expect("a measurement").complete);
    // The process ends while a line is written: the deal is played again.
    let path = folder.path().join(DEALS.lines);
    let text = fs::read_to_string(&path).expect("results");
    fs::write(&path, &text[..text.len() - 3]).expect("a file");
    let outcome = measure(&plan, folder.path(), 2, u64::MAX).expect("a measurement");
    assert_eq!((outcome.earlier, outcome.hands, outcome.complete), (18, 60, true));
    assert_eq!(outcome.figures, figures);
    assert_eq!(lines(folder.path()), lines(unbroken.path()));
    // Nothing is left to play.
    let again = measure(&plan, folder.path(), 1, u64::MAX).expect("a measurement");
    assert_eq!((again.earlier, again.figures), (60, figures));
}

#[test]
fn seats_and_both_ways_of_counting_add_up() {
    let figures = whole(&plan("fold", 40), 2);
    assert_eq!(figures.dealt.chips(), 20.0 * 150.0);
    assert_eq!(figures.expected, figures.dealt);
    assert_eq!(figures.dealt_seats.map(|sums| sums.chips()), [20.0 * 50.0, 20.0 * 100.0]);
    let figures = whole(&plan("call", 40), 2);
    for (all, seats) in
        [(figures.dealt, figures.dealt_seats), (figures.expected, figures.expected_seats)]
    {
        assert_eq!(all.won(), seats[0].won() + seats[1].won());
        assert_eq!((all.groups, all.hands, seats[0].hands, seats[1].hands), (20, 40, 20, 20));
    }
    assert_ne!(figures.dealt, figures.expected);
}

#[test]
fn another_measurement_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let known = plan("call", 8);
    measure(&known, folder.path(), 1, u64::MAX).expect("a measurement");
    let limit = Arc::new(games::limit_holdem());
    for (plan, differs) in [
        (plan("fold", 8), "agent"),
        (LbrSettings { moves: Moves::Bets56, ..known.clone() }, "moves"),
        (LbrSettings { from: Street::Preflop, ..known.clone() }, "first street"),
        (LbrSettings { seed: 7, ..known.clone() }, "seed"),
        (LbrSettings { def: limit, moves: Moves::FoldCall, ..known.clone() }, "moves"),
    ] {
        let error = measure(&plan, folder.path(), 1, u64::MAX).expect_err(differs).to_string();
        assert!(error.contains(&format!("another measurement: the {differs} ")), "{error}");
    }
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused =
        |plan: &LbrSettings| measure(plan, folder.path(), 1, u64::MAX).expect_err("refused");
    for hands in [2, 7] {
        let error = refused(&plan("call", hands));
        assert!(error.is_usage() && error.to_string().ends_with(&format!("not {hands}")));
    }
    let foreign = plan("external:true", 8);
    assert!(refused(&foreign).to_string().contains("`external:true` cannot be asked"));
    let three = Arc::new(games::nolimit_holdem_with(vec![1_000; 3]));
    let three = LbrSettings { def: three, ..plan("call", 8) };
    assert!(refused(&three).to_string().contains("for hold'em of two players"));
}

#[test]
fn lines_that_are_not_deals_are_refused_by_number() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = plan("call", 8);
    measure(&plan, folder.path(), 1, u64::MAX).expect("a measurement");
    let path = folder.path().join(DEALS.lines);
    let text = fs::read_to_string(&path).expect("results");
    let first = text.lines().nth(1).expect("a deal").to_owned();
    for (bad, line) in [
        (text.replacen(&first, "one,2,3,4,5", 1), "line 2"),
        (text.replacen(&first, "0,1,2,3", 1), "line 2"),
        (text.replacen(&first, "0,1,2,3,4,5", 1), "line 2"),
        (format!("{text}{first}\n"), "line 6"),
        (text.replacen("deal", "hand", 1), "line 1"),
    ] {
        fs::write(&path, bad).expect("a file");
        let error = measure(&plan, folder.path(), 1, u64::MAX).expect_err("refused").to_string();
        assert!(error.contains(line) && error.contains(DEALS.lines), "{error}");
    }
}

#[test]
fn agents_of_one_name_with_other_models_have_folders_of_their_own() {
    let name = |model: Option<&str>| {
        let plan = LbrSettings { model_sha256: model.map(str::to_owned), ..plan("call", 8) };
        plan.name()
    };
    let [one, other] = ["0123456789abcdef", "fedcba9876543210"];
    assert_eq!(name(None), "lbr-call-test-fcpa-from-turn-s42");
    assert_eq!(name(Some(one)), "lbr-call-01234567-test-fcpa-from-turn-s42");
    assert_ne!(name(Some(one)), name(Some(other)));
}
