//! Intervals that are looked at while a match is played: how often they are wrong at some look.
//!
//! The table of `docs/benchmarks.md` is printed by
//! `cargo test --release -p logs --test logs false_alarms -- --nocapture`.

use logs::stats::{FIRST_CHECK, Interval, Rate, any_time_reach, t_probability, t_quantile};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::stats::{gaussian, heavy_tailed};

/// Simulated matches.
const MATCHES: u64 = 2000;
/// Deals between two looks: 100 duplicate hands.
const EVERY: u64 = 50;
/// Hands after which false alarms are counted.
const HANDS: [u64; 3] = [2000, 10_000, 100_000];

/// The winnings of pairs of hands in duplicate matches between agents, in big blinds, two hands
/// together. Each file says by which command it was made.
const RESULTS: [(&str, &str); 3] = [
    ("`cfr` and `equity`", include_str!("data/cfr-equity.txt")),
    ("`cfr` and `oct`", include_str!("data/cfr-oct.txt")),
    ("`equity` and `random`", include_str!("data/equity-random.txt")),
];

/// Recorded results less their mean: drawn from with replacement, their true rate is zero.
fn centred(text: &str) -> Vec<f64> {
    let numbers = text.lines().filter(|line| !line.starts_with('#'));
    let results: Vec<f64> = numbers.map(|line| line.parse().unwrap()).collect();
    let mean = results.iter().sum::<f64>() / results.len() as f64;
    results.into_iter().map(|result| result - mean).collect()
}

/// Half the widths of both intervals in standard errors, at each look.
fn reaches() -> Vec<[f64; 2]> {
    let looks = (1..=HANDS[HANDS.len() - 1] / (2 * EVERY)).map(|look| look * EVERY);
    let reach = |groups: u64| {
        let rate = Rate::from_error(0.0, 1.0, 2 * groups, groups);
        [rate.half_width(), rate.any_time().map_or(f64::INFINITY, Interval::half_width)]
    };
    looks.map(reach).collect()
}

/// The percentage of matches in which the interval for one look and the one for any time have left
/// the true rate, zero, out at a look so far; after each of [`HANDS`].
fn false_alarms(draw: impl Fn(&mut Pcg64Mcg) -> f64 + Sync) -> [[f64; 2]; 3] {
    let reaches = reaches();
    let play = |seed| {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (mut groups, mut sum, mut squares) = (0.0, 0.0, 0.0);
        let mut left_at = [u64::MAX; 2];
        for (look, reach) in (1..).zip(&reaches) {
            for _ in 0..EVERY {
                let won = draw(&mut rng);
                groups += 1.0;
                sum += won;
                squares += won * won;
            }
            let mean = sum / groups;
            let error = ((squares / groups - mean * mean) / (groups - 1.0)).sqrt();
            for (at, reach) in left_at.iter_mut().zip(reach) {
                if mean.abs() > reach * error {
                    *at = (*at).min(look * 2 * EVERY);
                }
            }
        }
        left_at
    };
    let left_at: Vec<[u64; 2]> = parallel::map(0..MATCHES, play);
    let wrong = |kind: usize, hands| left_at.iter().filter(|at| at[kind] <= hands).count();
    let percent = |count: usize| 100.0 * count as f64 / MATCHES as f64;
    HANDS.map(|hands| [0, 1].map(|kind| percent(wrong(kind, hands))))
}

#[test]
fn false_alarms_stay_below_5_percent_at_any_number_of_looks() {
    println!(
        "| results of pairs | 2,000 hands | 10,000 hands | 100,000 hands |\n|---|---|---|---|"
    );
    let check = |name: &str, found: [[f64; 2]; 3]| {
        let cells = found.map(|[once, any]| format!("{once:.1} % / {any:.1} %"));
        println!("| {name} | {} |", cells.join(" | "));
        let [_, _, [once, any]] = found;
        assert!(any <= 5.0, "{name}: {any} % at any time");
        assert!((40.0..70.0).contains(&once), "{name}: {once} % of those for one look");
    };
    check("normal", false_alarms(gaussian));
    check("heavy tails", false_alarms(heavy_tailed));
    for (name, text) in RESULTS {
        let results = centred(text);
        let draw = |rng: &mut Pcg64Mcg| results[rng.random_range(0..results.len())];
        check(name, false_alarms(draw));
    }
}

#[test]
fn the_any_time_interval_has_the_published_width() {
    // The formula of the paper, written out, with ρ for 5,000 groups.
    let rho = (8.211_97_f64 / 5000.0).sqrt();
    for groups in [50_u64, 500, 5000, 50_000, 5_000_000] {
        let t = groups as f64;
        let radius = (2.0 * (t * rho * rho + 1.0) / (t * t * rho * rho)
            * ((t * rho * rho + 1.0).sqrt() / 0.05).ln())
        .sqrt();
        let found = any_time_reach(groups).unwrap() / t.sqrt();
        assert!((found / radius - 1.0).abs() < 1e-5, "{groups}: {found} {radius}");
    }
    // No other ρ gives less at 5,000 groups.
    let at = |x: f64| ((1.0 + 1.0 / x) * ((1.0 + x).ln() - 2.0 * 0.05_f64.ln())).sqrt();
    let least = any_time_reach(5000).unwrap();
    assert!(at(8.0) > least && at(8.4) > least, "{least}");
    assert_eq!(any_time_reach(FIRST_CHECK - 1), None);
    // Where there is no spread nothing is known.
    assert_eq!(Rate::from_error(5.0, 0.0, 1000, 500).any_time(), None);
    assert_eq!(Rate::from_error(5.0, 0.0, 1000, 500).superiority(), None);
}

#[test]
fn superiority_is_the_distribution_function_of_students_t() {
    for (p, degrees) in [(0.975, 4), (0.95, 5), (0.6, 100), (0.999, u64::MAX)] {
        let t = t_quantile(p, degrees);
        assert!((t_probability(t, degrees) - p).abs() < 1e-9);
        assert!((t_probability(-t, degrees) - (1.0 - p)).abs() < 1e-9);
    }
    let rate = Rate::from_error(0.0, 3.0, 2000, 1000);
    assert_eq!(rate.superiority(), Some(0.5));
}
