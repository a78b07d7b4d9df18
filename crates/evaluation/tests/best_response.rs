//! Best responses on drawn flops: the same figures however the work is spread or cut short, and
//! estimates that are right on average.

use std::fs;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use abstraction::betting::BettingTree;
use cards::StartingHand;
use evaluation::best_response::{BestResponseSettings, Outcome, figures, run};
use evaluation::folder;
use game::games;
use logs::Provenance;
use matches::external::registry;
use matches::runner::Stop;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use solvers::holdem::best_response::{FLOPS, FlopValues, Responder, flop_kinds, shuffled_flops};
use solvers::strategy::PolicyInTree;

/// An agent in a tree without bets after the flop.
fn plan(agent: &str, menu: &str, flops: usize) -> BestResponseSettings {
    let def = Arc::new(games::nolimit_holdem());
    let agent = registry().resolve(agent).expect("an agent");
    let policy = agent.policy(&def).expect("it plays this").expect("it has a policy");
    let tree = BettingTree::new(&def, &menu.parse().expect(menu), 1000).expect("a small tree");
    let strategy = Arc::new(PolicyInTree::new(policy, tree));
    let game_name = "test".into();
    BestResponseSettings {
        def,
        game_name,
        agent,
        model_sha256: None,
        strategy,
        flops,
        seed: 7,
        shard: None,
    }
}

const MENU: &str = "preflop 1: pot";

fn measure(
    plan: &BestResponseSettings,
    folder: &Path,
    threads: usize,
) -> Result<Outcome, evaluation::Error> {
    run(plan, folder, Provenance::default(), threads, &Stop::new(), &mut |_| ())
}

#[test]
fn a_run_cut_short_goes_on_to_the_same_end_with_any_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let first = measure(&plan("fold", MENU, 4), folder.path(), 1).expect("a measurement");
    assert!(first.complete);
    assert_eq!((first.flops, first.earlier), (4, 0));
    let found = first.figures.expect("enough flops").from_start;
    // Whatever the flops: the blinds, and their mean.
    for (estimate, mbb) in
        [found.both, found.seats[0], found.seats[1]].iter().zip([750.0, 500.0, 1000.0])
    {
        assert!((estimate.mbb - mbb).abs() < 1e-6 && estimate.half_width < 1e-6, "{estimate:?}");
    }
    // The process ends while a line is written: the flop is looked at again.
    let path = folder.path().join(folder::FLOPS.lines);
    let whole = fs::read_to_string(&path).expect("results");
    fs::write(&path, &whole[..whole.len() - 3]).expect("a file");
    let again = measure(&plan("fold", MENU, 4), folder.path(), 2).expect("a measurement");
    assert_eq!((again.earlier, again.figures), (3, first.figures));
    assert_eq!(fs::read_to_string(&path).expect("results"), whole);
    // Of a larger sample the first flops are the same.
    let more = measure(&plan("fold", MENU, 5), folder.path(), 1).expect("a measurement");
    assert_eq!((more.flops, more.earlier), (5, 4));

    // Nothing else goes to this folder, nor to one that was tampered with.
    for (other, differs) in
        [(plan("call", MENU, 4), "agent"), (plan("fold", "preflop 1: allin", 4), "bet menu")]
    {
        let error = measure(&other, folder.path(), 1).expect_err(differs).to_string();
        assert!(error.contains(&format!("another measurement: the {differs} ")), "{error}");
    }
    let line = whole.lines().nth(1).expect("a flop");
    for (bad, place) in [
        (whole.replacen(line, &line[..line.len() / 2], 1), "line 2"),
        (whole.replacen(line, &line.replace(",4,", ",24,").replace(",12,", ",4,"), 1), "line 2"),
        (format!("{whole}{line}\n"), "line 6"),
        (whole.replacen("number", "flop", 1), "line 1"),
    ] {
        fs::write(&path, &bad).expect("a file");
        match measure(&plan("fold", MENU, 4), folder.path(), 1) {
            Err(error) => assert!(error.to_string().contains(place), "{error}"),
            Ok(_) => assert_eq!(bad, whole, "{place}"),
        }
    }
}

#[test]
fn too_few_flops_and_too_many_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for flops in [0, 3, FLOPS + 1] {
        let refused = measure(&plan("fold", MENU, flops), folder.path(), 1).expect_err("refused");
        assert!(refused.is_usage() && refused.to_string().ends_with(&format!("not {flops}")));
    }
}

/// Values for every kind of flop that are not those of any agent, but vary from flop to flop.
fn made_up(leaves: usize) -> &'static [FlopValues] {
    static ALL: OnceLock<Vec<FlopValues>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let mut of_flop = |_| {
            let level: f32 = rng.random_range(-1.0..1.0);
            let mut of_seat = |seat: f32| {
                let count = leaves * StartingHand::COUNT;
                (0..count).map(|_| seat + level + rng.random_range(-0.5f32..0.5)).collect()
            };
            FlopValues([of_seat(0.1), of_seat(-0.1)])
        };
        flop_kinds().iter().map(&mut of_flop).collect()
    })
}

#[test]
fn estimates_are_right_on_average_and_intervals_as_often_as_they_say() {
    let plan = plan("call", "preflop 1: min", 4);
    let responder = Responder::new(&*plan.strategy).expect("hold'em");
    let preflop = responder.preflop();
    let values = made_up(preflop.leaves().len());
    let on = |seed: u64, count: usize| {
        let drawn = shuffled_flops(seed).into_iter().take(count);
        let drawn: Vec<&FlopValues> = drawn.map(|kind| &values[usize::from(kind)]).collect();
        figures(preflop, &drawn, 1.0)
    };
    let exact = on(0, FLOPS);
    assert_eq!(exact.from_flop.both.half_width, 0.0);
    assert!(exact.from_start.both.mbb >= exact.from_flop.both.mbb);

    let (mut sums, mut covered, runs) = ([0.0; 2], [0; 2], 300);
    for seed in 0..runs {
        let found = on(seed, 24);
        let (flop, start) = (found.from_flop.both, found.from_start.both);
        sums[0] += flop.mbb - exact.from_flop.both.mbb;
        sums[1] += start.mbb - exact.from_start.both.mbb;
        covered[0] += u64::from((flop.mbb - exact.from_flop.both.mbb).abs() <= flop.half_width);
        covered[1] += u64::from(start.mbb - start.half_width <= exact.from_start.both.mbb);
    }
    let width = on(1, 24).from_flop.both.half_width;
    let [flop, start] = sums.map(|sum| sum / runs as f64);
    // The mean of 300 is some 17 times more precise than one.
    assert!(flop.abs() < 0.15 * width, "{flop} ± {width}");
    assert!(
        start < 0.15 * width,
        "a response that was learned wins at most what the best does: {start}"
    );
    assert!((0.91..=0.99).contains(&(covered[0] as f64 / runs as f64)), "{covered:?}");
    assert!(covered[1] as f64 >= 0.95 * runs as f64, "{covered:?}");
}
