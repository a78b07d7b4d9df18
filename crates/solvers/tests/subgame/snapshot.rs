//! Solvers written down and gone on with: as if nothing had happened, or refused.

use game::PublicState;
use solvers::subgame::{Evaluation, Options, Precision, Solver, Subgame};
use solvers::{Error, Variant};

use super::{bets, hand, range, short_hand};
use crate::check_damaged;

const WORDS: [(&str, &str); 1] = [("menu", "a few bets")];

fn words(texts: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    texts.iter().map(|&(what, text)| (what, text.to_owned())).collect()
}

/// Ranges, a menu and options on a board.
#[derive(Clone)]
struct Case {
    state: PublicState,
    ranges: [&'static str; 2],
    menu: &'static str,
    options: Options,
}

impl Case {
    fn solver(&self) -> Solver {
        let ranges = self.ranges.map(range);
        let subgame = Subgame::new(&self.state, ranges.each_ref(), &bets(self.menu));
        Solver::new(subgame.expect("a subgame"), self.options).expect("small")
    }

    fn resumed(&self, bytes: &[u8]) -> Result<(Solver, f64), Error> {
        self.solver().resume(&words(&WORDS), bytes)
    }
}

fn turn() -> Case {
    let (ranges, menu) = (["QQ,AdKd,76s:0.5", "AQs,TT"], "every 1-2: 50% allin");
    Case { state: hand("Td9d6hQc"), ranges, menu, options: Options::default() }
}

fn written(solver: &Solver) -> Vec<u8> {
    let mut bytes = Vec::new();
    solver.write(&words(&WORDS), 1.5, &mut bytes).expect("memory does not fail");
    bytes
}

#[test]
fn a_solver_goes_on_from_its_snapshot_as_if_nothing_had_happened() {
    let half = Options { precision: Precision::Half, ..Options::default() };
    let predictive = Options { variant: Variant::PDCFR_PLUS, ..Options::default() };
    let variant = "hs-dcfr(30)".parse().expect("an algorithm");
    let planned = Options { variant, horizon: 20, ..Options::default() };
    let river = Case { state: hand("Td9d6hQc2s"), ..turn() };
    let flop = Case { state: short_hand("TsJsQh", 100, 150), ranges: ["random"; 2], ..turn() };
    for case in [river, turn(), flop] {
        for options in [Options::default(), half, predictive, planned] {
            let case = Case { options, ..case.clone() };
            let mut whole = case.solver();
            whole.run(13);
            let mut first = case.solver();
            first.run(4);
            let kept = written(&first);
            assert_ne!(kept, written(&whole));
            let (mut second, seconds) = case.resumed(&kept).expect("a snapshot");
            assert_eq!((second.iterations(), seconds), (4, 1.5));
            assert!(written(&second) == kept, "a snapshot does not hold what it was made of");
            second.run(9);
            assert!(written(&second) == written(&whole), "{options:?} goes on in another way");
            let ends: [Evaluation; 2] = [second.evaluate(), whole.evaluate()];
            assert!(ends[0] == ends[1], "{options:?}");
        }
    }
}

#[test]
fn snapshots_of_other_subgames_and_damaged_ones_are_refused() {
    let mut solver = turn().solver();
    solver.run(2);
    let bytes = written(&solver);
    let message = |result: Result<(Solver, f64), Error>| match result {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    };
    let refused = |bytes: &[u8]| message(turn().resumed(bytes));
    check_damaged(&bytes, "subgame", 17, 3, refused);
    let text = refused(&bytes[..bytes.len() / 2]);
    assert!(text.contains(&format!("of {}: ", bytes.len())), "{text}");

    let check = |case: &Case, expected: &[&str]| {
        let text = message(case.resumed(&bytes));
        assert!(expected.iter().all(|expected| text.contains(expected)), "{text}");
    };
    check(&Case { state: hand("Td9d6hQs"), ..turn() }, &["`Td9d6hQc`", "`Td9d6hQs`"]);
    let predictive = Options { variant: Variant::PDCFR_PLUS, ..Options::default() };
    check(
        &Case { options: predictive, ..turn() },
        &["`dcfr(1.5,0.4,3),second-first in 32", "`pdcfr+ in 32"],
    );
    check(
        &Case { ranges: ["QQ,AdKd,76s:0.5", "AQs,99"], ..turn() },
        &["second range is `", "`99,AQs`"],
    );
    // The same in words, but for what they leave open.
    check(&Case { menu: "every 1-2: 51% allin", ..turn() }, &["fingerprint"]);
    let other = solver_of_words(&[("menu", "other bets")], &bytes);
    let text = message(other);
    assert!(text.contains("its menu is `a few bets`, here it is `other bets`"), "{text}");
    // More memory may be allowed than before.
    let roomy = Options { memory: 64 << 30, ..Options::default() };
    assert!(Case { options: roomy, ..turn() }.resumed(&bytes).is_ok());
    // Long texts are quoted where they differ.
    let long = |end: &str| "AsKs:0.25,".repeat(100) + end;
    let mut bytes = Vec::new();
    let [first, second] = ["QQ", "JJ"].map(long);
    solver.write(&words(&[("menu", &first)]), 0.0, &mut bytes).expect("memory does not fail");
    let text = message(solver_of_words(&[("menu", &second)], &bytes));
    assert!(text.contains("QQ`") && text.contains("JJ`") && text.len() < 400, "{text}");
}

fn solver_of_words(texts: &[(&'static str, &str)], bytes: &[u8]) -> Result<(Solver, f64), Error> {
    turn().solver().resume(&words(texts), bytes)
}

#[test]
fn fingerprints_tell_apart_what_does_not_go_on_from_one_snapshot() {
    let of = |case: Case, texts: &[(&'static str, &str)]| case.solver().fingerprint(&words(texts));
    let half = Options { precision: Precision::Half, ..Options::default() };
    let roomy = Options { memory: 64 << 30, horizon: 7, ..Options::default() };
    let usual = of(turn(), &WORDS);
    assert_eq!(of(turn(), &WORDS), usual);
    assert_eq!(of(Case { options: roomy, ..turn() }, &WORDS), usual);
    let mut all = vec![
        usual,
        of(turn(), &[("menu", "others")]),
        of(Case { options: half, ..turn() }, &WORDS),
        of(Case { menu: "every 1-2: 51% allin", ..turn() }, &WORDS),
        of(Case { ranges: ["QQ,AdKd,76s:0.25", "AQs,TT"], ..turn() }, &WORDS),
        of(Case { state: hand("Td9d6hQs"), ..turn() }, &WORDS),
    ];
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 6);
}

/// Snapshots that are kept must go on being known by it: it may never change.
#[test]
fn the_fingerprint_of_a_turn_is_the_one_in_kept_snapshots() {
    let first = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s";
    let second = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+";
    let menu = "turn 1: 60% 108.1% allin\nriver 1: 60% allin\nturn river 2+: 2.5x\nallin-from: 77%";
    let case = Case { ranges: [first, second], menu, ..turn() };
    assert_eq!(
        case.solver().fingerprint(&[]),
        "40903445859e8f9febec57315e1d759805696beacd4849e818e868fd3bfa9127"
    );
}
