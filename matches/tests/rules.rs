//! Rules to end a match by: where a match ends, and how often its test decides wrongly.
//!
//! The table of `docs/benchmarks.md` is printed by
//! `cargo test --release -p matches --test matches decides -- --nocapture`.

use std::sync::Arc;

use game::games;
use logs::stats::{Interval, Rate, Sprt, StopRule, Tally};
use logs::{LedgerReader, Provenance};
use matches::external::registry;
use matches::plan::{BLOCK_DEALS, MatchPlan, next_check};
use matches::play::{Played, Settings, play};
use matches::runner::Level;
use matches::runner::Stop;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

fn plan(agents: [&str; 2], hands: u64, rule: Option<StopRule>) -> MatchPlan {
    let registry = registry();
    MatchPlan {
        def: Arc::new(games::leduc()),
        game_name: "test".into(),
        entrants: agents.iter().map(|name| registry.resolve(name).expect("an agent")).collect(),
        given_names: Vec::new(),
        hands,
        seed: 7,
        duplicate: true,
        shard: None,
        deadline: None,
        rule,
    }
}

fn played(plan: &MatchPlan, folder: &std::path::Path, jobs: usize) -> Played {
    let provenance = Provenance::default();
    let settings = Settings { level: Level::Hands, folder: folder.to_owned(), jobs, provenance };
    play(plan, &settings, &Stop::new(), &mut |_| {}).expect("a match")
}

fn log(folder: &std::path::Path) -> Vec<String> {
    let log = std::fs::read_to_string(folder.join("acpc.log")).expect("a log");
    log.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

#[test]
fn a_match_ends_at_the_same_look_on_any_number_of_threads() {
    let rule = StopRule::until(60.0).expect("a rule");
    let plan = plan(["random", "call"], 400_000, Some(rule));
    let folders = [1, 2, 5].map(|jobs| {
        let folder = tempfile::tempdir().expect("a folder");
        let played = played(&plan, folder.path(), jobs);
        assert!(played.outcome.complete && played.outcome.hands < 400_000);
        assert!(rule.is_satisfied(&played.outcome.tally));
        // At a check, and with no hand beyond.
        let blocks = played.outcome.hands / (2 * BLOCK_DEALS);
        let checks = std::iter::successors(Some(next_check(0)), |&blocks| Some(next_check(blocks)));
        assert!(checks.take_while(|&check| check <= blocks).any(|check| check == blocks));
        let reader = LedgerReader::open(folder.path()).expect("a ledger");
        assert_eq!(reader.count().expect("a count"), played.outcome.hands);
        folder
    });
    let logs = folders.each_ref().map(|folder| log(folder.path()));
    assert_eq!(logs[0], logs[1]);
    assert_eq!(logs[0], logs[2]);
    let rate = |tally: &Tally| tally.rate(0).expect("a rate").any_time().expect("an interval");
    // Again it is the same; a narrower one goes on; a wider one plays nothing and loses nothing.
    let again = played(&plan, folders[0].path(), 2);
    assert_eq!(again.earlier, again.outcome.hands);
    assert_eq!(log(folders[0].path()), logs[0]);
    let until = |half_width| MatchPlan { rule: StopRule::until(half_width).ok(), ..plan.clone() };
    let wider = played(&until(200.0), folders[0].path(), 2);
    assert_eq!((wider.outcome.complete, log(folders[0].path())), (true, logs[0].clone()));
    let narrower = played(&until(40.0), folders[0].path(), 2);
    assert!(rate(&narrower.outcome.tally).half_width() <= 40.0);
    assert!(narrower.outcome.hands > again.outcome.hands);
    assert_eq!(log(folders[0].path())[..1000], logs[0][..1000]);
}

#[test]
fn a_finished_match_goes_on_as_the_longer_one_that_it_would_have_been() {
    let folder = || tempfile::tempdir().expect("a folder");
    let (whole, extended) = (folder(), folder());
    played(&plan(["random", "call"], 3000, None), whole.path(), 2);
    for hands in [2, 700, 1024, 3000] {
        let grown = played(&plan(["random", "call"], hands, None), extended.path(), 2);
        assert!(grown.outcome.complete);
        let reader = LedgerReader::open(extended.path()).expect("a ledger");
        assert_eq!((reader.info().hands, reader.count().expect("a count")), (hands, hands));
        assert_eq!(reader.info().name, grown.info.name);
    }
    assert_eq!(log(extended.path()), log(whole.path()));
    // A shorter one is another match.
    let provenance = Provenance::default();
    let at = extended.path().to_owned();
    let settings = Settings { level: Level::Hands, folder: at, jobs: 1, provenance };
    let shorter = plan(["random", "call"], 2000, None);
    let error = play(&shorter, &settings, &Stop::new(), &mut |_| {}).expect_err("another match");
    let words = "the number of hands is 2000 in one and 3000 in the other";
    assert!(error.to_string().contains(words), "{error}");
}

#[test]
fn a_rule_needs_a_whole_match_of_some_length_and_a_test_its_rates_in_order() {
    let rule = StopRule::until(5.0).ok();
    assert!(plan(["call", "call"], 100, rule).check().is_ok());
    let short = plan(["call", "call"], 98, rule).check().expect_err("too short").to_string();
    assert!(short.contains("before 100 hands, and the match has 98"), "{short}");
    let part = MatchPlan { shard: "1/2".parse().ok(), ..plan(["call", "call"], 10_000, rule) };
    assert!(part.check().expect_err("a part").to_string().contains("for whole matches"));
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-9] {
        assert!(StopRule::until(bad).is_err(), "{bad}");
    }
    for (text, words) in [
        ("50,0", "the lower one first: 0,50"),
        ("5,5", "the lower one first"),
        ("0", "write LOW,HIGH as in 0,50"),
        ("0,NaN", "write LOW,HIGH"),
        ("0,inf", "write LOW,HIGH"),
        ("0,1e9", "up to 1000000"),
        ("", "write LOW,HIGH"),
    ] {
        let error = text.parse::<Sprt>().expect_err(text).to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
    for rule in [StopRule::until(20.0).expect("one"), StopRule::Sprt("0,50".parse().expect("one"))]
    {
        assert_eq!(StopRule::from_note(&rule.to_note()), Some(rule));
    }
    assert_eq!(StopRule::from_note("something else"), None);
}

/// Results of pairs of hands in big blinds per hand, less their mean, and for each the category it
/// counts in, as fastchess counts pairs of games: whole big blinds, each worth their mean.
struct Results {
    won: Vec<f64>,
    category: Vec<usize>,
    worth: Vec<f64>,
}

impl Results {
    fn read(text: &str) -> Results {
        let numbers = text.lines().filter(|line| !line.starts_with('#'));
        let won: Vec<f64> =
            numbers.map(|line| 0.5 * line.parse::<f64>().expect("a number")).collect();
        let mean = won.iter().sum::<f64>() / won.len() as f64;
        let won: Vec<f64> = won.into_iter().map(|won| won - mean).collect();
        let mut found: Vec<i64> = won.iter().map(|won| won.round() as i64).collect();
        let all = found.clone();
        found.sort_unstable();
        found.dedup();
        let place = |of: &i64| found.binary_search(of).expect("one of them");
        let category: Vec<usize> = all.iter().map(place).collect();
        let mut sums = vec![(0.0, 0.0); found.len()];
        for (&category, won) in category.iter().zip(&won) {
            sums[category].0 += won;
            sums[category].1 += 1.0;
        }
        Results { won, category, worth: sums.iter().map(|(sum, count)| sum / count).collect() }
    }
}

/// The logarithm of the likelihood, less that of the frequencies themselves, of the most likely
/// probabilities of categories whose mean is `mean`: what fastchess computes of a pentanomial.
fn likelihood(counts: &[f64], worth: &[f64], mean: f64) -> f64 {
    let seen = || counts.iter().zip(worth).filter(|(count, _)| **count > 0.0);
    let from = |worth: &f64| worth - mean;
    let (least, most) =
        seen().fold((0.0, 0.0), |(a, b): (f64, f64), (_, w)| (a.min(from(w)), b.max(from(w))));
    if least >= 0.0 || most <= 0.0 {
        return f64::NEG_INFINITY;
    }
    // Probabilities are frequency / (1 + θ·(worth − mean)); their mean falls as θ grows. At the
    // right θ the likelihood is stationary, so it need not be known to the last digit.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..24 {
        let theta = 0.5 * (low + high);
        let above: f64 = seen().map(|(n, w)| n * from(w) / (1.0 + theta * from(w))).sum();
        if above > 0.0 { low = theta } else { high = theta }
    }
    -seen().map(|(n, w)| n * (1.0 + low * from(w)).ln()).sum::<f64>()
}

/// The result of 2,000 simulated matches at one true rate.
#[derive(Default, Clone, Copy)]
struct Ends {
    high: f64,
    low: f64,
    hands: f64,
}

const MATCHES: u64 = 2000;

/// Simulated matches with this true rate: decided by the program's test and by the pentanomials'.
fn simulate(results: &Results, sprt: Sprt, rate: f64) -> [Ends; 2] {
    const MAX_GROUPS: u64 = 4000 * BLOCK_DEALS;
    let [low, high] = sprt.rates();
    let mut ends = [Ends::default(); 2];
    for number in 0..MATCHES {
        let mut rng = ChaCha8Rng::seed_from_u64(number);
        let mut next = || (rng.next_u32() as usize * results.won.len()) >> 32;
        let mut open = [true; 2];
        let mut counts = vec![0.0; results.worth.len()];
        let (mut groups, mut sum, mut squares, mut check) = (0_u64, 0.0, 0.0, next_check(0));
        while open != [false; 2] && groups < MAX_GROUPS {
            while groups < check * BLOCK_DEALS {
                let drawn = next();
                let won = 1000.0 * results.won[drawn] + rate;
                counts[results.category[drawn]] += 1.0;
                groups += 1;
                sum += won;
                squares += won * won;
            }
            check = next_check(check);
            let n = groups as f64;
            let error = ((squares / n - (sum / n).powi(2)) / (n - 1.0)).sqrt();
            let interval = Interval { low: 0.0, high: 0.0 };
            let (mbb, standard_error, hands) = (sum / n, error, 2 * groups);
            // Its interval, which takes long to compute, is not asked for.
            let ours = sprt.llr(&Rate { mbb, interval, standard_error, hands, groups });
            let of = |mean: f64| likelihood(&counts, &results.worth, (mean - rate) / 1000.0);
            let theirs = open[1].then(|| of(high) - of(low));
            for (which, llr) in [ours, theirs].into_iter().enumerate() {
                let Some(llr) = llr.filter(|llr| open[which] && llr.abs() >= Sprt::bound()) else {
                    continue;
                };
                open[which] = false;
                ends[which].hands += 2.0 * n / MATCHES as f64;
                let side = if llr > 0.0 { &mut ends[which].high } else { &mut ends[which].low };
                *side += 100.0 / MATCHES as f64;
            }
        }
    }
    ends
}

#[test]
fn a_test_decides_wrongly_in_5_of_100_matches() {
    let data = [
        ("`cfr` and `oct`", "0,100", include_str!("../../logs/tests/data/cfr-oct.txt")),
        ("`cfr` and `equity`", "0,250", include_str!("../../logs/tests/data/cfr-equity.txt")),
        (
            "`equity` and `random`",
            "0,1000",
            include_str!("../../logs/tests/data/equity-random.txt"),
        ),
    ];
    println!(
        "| results of pairs, test | true rate | LOW / HIGH said | hands | as fastchess | hands |"
    );
    println!("|---|---|---|---|---|---|");
    for (name, test, text) in data {
        let (results, sprt) = (Results::read(text), test.parse::<Sprt>().expect("a test"));
        let [low, high] = sprt.rates();
        let rates = [low, 0.5 * (low + high), high];
        let found = std::thread::scope(|scope| {
            let results = &results;
            let of = |rate| scope.spawn(move || simulate(results, sprt, rate));
            rates.map(of).map(|thread| thread.join().expect("a simulation"))
        });
        for (rate, found) in rates.into_iter().zip(found) {
            let cells = found.map(|Ends { low, high, hands }| {
                format!("{low:.1} % / {high:.1} % | {:.0},000", hands / 1000.0)
            });
            println!("| {name}, {test} | {rate} | {} |", cells.join(" | "));
            for ends in found {
                assert!((ends.low + ends.high - 100.0).abs() < 0.1, "not decided");
                let wrong = if rate == low { ends.high } else { ends.low };
                assert!(wrong <= 6.0 || (rate > low && rate < high), "{name} at {rate}: {wrong} %");
            }
        }
    }
}
