//! Statistics against known results, slow computations and simulated matches.

use std::sync::Arc;
use std::time::Duration;

use cards::Card;
use game::{Action, BySeat, GameDef, GameSpec, Payoff, PublicState, Turn, games};
use logs::stats::{
    AllIn, Batches, Bootstrap, CrossTable, Expected, Latencies, NoRate, Rate, Report, StopRule,
    Sums, Tally, is_run_out, t_quantile, winnings_curve,
};
use logs::{DecisionTally, HandRecord};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::hands;

fn tally_of(def: &Arc<GameDef>, group: usize, records: &[HandRecord]) -> Tally {
    let mut tally = Tally::of_game(def, group);
    records.iter().for_each(|record| tally.add(record));
    tally
}

#[test]
fn always_fold_loses_750_to_always_raise() {
    let def = Arc::new(games::nolimit_holdem());
    let records: Vec<HandRecord> = (0..1000)
        .map(|hand| {
            hands::play(&def, hand, hand / 2, 1, |seat, legal, _| {
                let folder = (hand as usize + seat.index()).is_multiple_of(2);
                match legal.raise {
                    _ if folder && legal.fold => Action::Fold,
                    Some(raise) if !folder => Action::RaiseTo(raise.max),
                    _ => Action::Call,
                }
            })
        })
        .collect();
    let info = hands::info(&def, 1000, true);
    let tally = tally_of(&def, 2, &records);
    let report = Report::new(&info, &tally, None, None);
    let exactly = |value: f64| (Some(value), Some((value, value)));
    let found =
        |rate: &logs::stats::report::Estimate| (rate.mbb, rate.interval.map(|i| (i.low, i.high)));
    assert_eq!(found(&report.entrants[0].rate), exactly(-750.0));
    assert_eq!(found(&report.entrants[1].rate), exactly(750.0));
    assert_eq!(report.entrants[0].rate.bb_per_100, Some(-75.0));
    let splits = &report.entrants[0].seats;
    assert_eq!((&*splits[0].hands, found(&splits[0].rate)), ("big blind", exactly(-1000.0)));
    assert_eq!((&*splits[1].hands, found(&splits[1].rate)), ("button", exactly(-500.0)));
    assert_eq!(report.warnings, Vec::<String>::new());
    assert_eq!(report.findings.len(), 1, "{:?}", report.findings);
    assert!(report.findings[0].evidence.contains("at -750.0 mbb/hand: without any spread"));
}

#[test]
fn quantiles_of_students_t_are_those_of_the_tables() {
    let check = |p: f64, degrees: u64, expected: f64| {
        let found = t_quantile(p, degrees);
        assert!((found - expected).abs() < 5e-6, "{p} {degrees}: {found}");
    };
    check(0.975, 1, 12.706_205);
    check(0.975, 2, 4.302_653);
    check(0.975, 4, 2.776_445);
    check(0.975, 9, 2.262_157);
    check(0.975, 30, 2.042_272);
    check(0.975, 120, 1.979_930);
    check(0.95, 5, 2.015_048);
    check(0.975, u64::MAX, 1.959_964);
}

/// Coverage of both intervals in percent over 2,000 simulated matches of `groups` groups.
fn coverage(groups: usize, mean: f64, mut draw: impl FnMut(&mut Pcg64Mcg) -> f64) -> [f64; 2] {
    const MATCHES: usize = 2000;
    let mut rng = Pcg64Mcg::seed_from_u64(2026);
    let mut covered = [0; 2];
    for seed in 0..MATCHES as u64 {
        let (mut sums, mut batches) = (Sums::default(), Batches::default());
        for _ in 0..groups {
            // A group of two hands and a big blind of one chip.
            let won = Payoff::from_parts((2.0 * draw(&mut rng) * 2520.0).round() as i64);
            sums.add(won, 2);
            batches.add(won, 2);
        }
        let normal = Rate::from_sums(&sums, 1).unwrap().interval;
        let bootstrap = batches.bootstrap(1, Bootstrap { resamples: 600, seed }).unwrap();
        for (count, interval) in covered.iter_mut().zip([normal, bootstrap]) {
            *count += usize::from(interval.low <= 1000.0 * mean && 1000.0 * mean <= interval.high);
        }
    }
    covered.map(|count| 100.0 * count as f64 / MATCHES as f64)
}

pub(crate) fn gaussian(rng: &mut Pcg64Mcg) -> f64 {
    let (u, v): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - u).ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
}

/// Results as of no-limit pairs: mostly small pots, now and then a stack of 200 big blinds.
pub(crate) fn heavy_tailed(rng: &mut Pcg64Mcg) -> f64 {
    let size = match rng.random_range(0..1000) {
        0..800 => 1.0,
        800..970 => 8.0,
        970..995 => 40.0,
        _ => 200.0,
    };
    size * gaussian(rng)
}

#[test]
fn intervals_cover_the_true_rate_95_times_in_100() {
    let check = |[normal, bootstrap]: [f64; 2], allowed: f64, what: &str| {
        println!("{what}: normal theory {normal} %, bootstrap {bootstrap} %");
        assert!((normal - 95.0).abs() <= allowed, "{what}: normal theory {normal} %");
        assert!((bootstrap - 95.0).abs() <= allowed, "{what}: bootstrap {bootstrap} %");
    };
    check(coverage(200, 0.5, |rng| 0.5 + 3.0 * gaussian(rng)), 1.0, "normal, 200 pairs");
    check(coverage(300, 1.0, |rng| 6.0 * rng.random::<f64>() - 2.0), 1.0, "uniform, 300 pairs");
    // Stacks of 200 big blinds in one pair of 200: 400 pairs hold about two of them.
    check(coverage(400, 0.1, |rng| 0.1 + heavy_tailed(rng)), 5.0, "heavy tails, 400 pairs");
}

#[test]
fn few_groups_are_covered_by_students_t() {
    let [normal, _] = coverage(5, 0.0, gaussian);
    assert!((normal - 95.0).abs() <= 1.0, "{normal} %");
}

#[test]
fn long_matches_keep_few_batches_and_the_same_interval() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let (mut sums, mut batches) = (Sums::default(), Batches::default());
    for _ in 0..100_000 {
        let won = Payoff::from_parts((heavy_tailed(&mut rng) * 2520.0) as i64);
        sums.add(won, 2);
        batches.add(won, 2);
    }
    assert!((1000..=2048).contains(&batches.len()), "{}", batches.len());
    assert_eq!(
        batches.running_totals().last().map(|(hands, groups, _)| (hands, groups)),
        Some((200_000, 100_000))
    );
    let normal = Rate::from_sums(&sums, 1).unwrap().interval;
    let bootstrap = batches.bootstrap(1, Bootstrap::default()).unwrap();
    let apart = (normal.low - bootstrap.low).abs().max((normal.high - bootstrap.high).abs());
    assert!(apart < 0.08 * normal.half_width(), "{normal:?} {bootstrap:?}");
}

#[test]
fn tallies_of_stretches_merge_to_the_tally_of_the_whole() {
    for def in hands::games() {
        let group = def.players;
        let records = hands::random_hands(&def, 600 * group as u64, group as u64, 3);
        let whole = tally_of(&def, group, &records);
        let mut merged = Tally::of_game(&def, group);
        for stretch in records.chunks(50 * group) {
            merged.merge(&tally_of(&def, group, stretch)).unwrap();
        }
        assert_eq!(merged, whole);
        let other = Tally::of_game(&def, group + 1);
        assert!(merged.merge(&other).is_err());
    }
}

#[test]
fn hands_without_their_whole_group_are_left_out() {
    let def = Arc::new(games::kuhn());
    let mut records = hands::random_hands(&def, 10, 2, 3);
    records.remove(4);
    let mut tally = tally_of(&def, 2, &records);
    assert_eq!((tally.groups(), tally.hands(), tally.left_out()), (4, 8, 1));
    tally.add(&hands::play(&def, 10, 5, 3, hands::random_action));
    assert_eq!((tally.hands(), tally.left_out()), (8, 2));
    tally.add(&hands::play(&def, 11, 5, 3, hands::random_action));
    assert_eq!((tally.hands(), tally.left_out()), (10, 1));
}

#[test]
fn splits_add_up_to_the_whole() {
    let def = Arc::new(games::nolimit_holdem_with(vec![2000; 3]));
    let records = hands::random_hands(&def, 3000, 3, 3);
    let tally = tally_of(&def, 3, &records);
    for (number, entrant) in tally.entrants().iter().enumerate() {
        let mut chips = Payoff::ZERO;
        for record in &records {
            let seat = record.entrants.iter().find(|&(_, &e)| usize::from(e) == number).unwrap().0;
            chips += record.payoffs[seat];
        }
        assert!((entrant.all.chips() - chips.chips()).abs() < 1e-6);
        for parts in [&entrant.seats[..], &entrant.streets, &entrant.showdown] {
            let sum: f64 = parts.iter().map(Sums::chips).sum();
            assert!((sum - chips.chips()).abs() < 1e-6);
            assert_eq!(parts.iter().map(|sums| sums.hands).sum::<u64>(), 3000);
        }
        assert!(entrant.seats.iter().all(|sums| sums.hands == 1000));
    }
    let rate = |k| tally.rate(k).unwrap().mbb;
    let difference = tally.difference(0, 2).unwrap();
    assert!((difference.mbb - (rate(0) - rate(2))).abs() < 1e-9);
    assert!((tally.difference(2, 0).unwrap().mbb + difference.mbb).abs() < 1e-9);
    assert!(tally.difference(1, 1).is_err());
}

#[test]
fn unequal_groups_have_the_error_of_the_ratio_estimator() {
    // Groups (won, hands): rate 9/6; residuals won - 1.5 hands: 0.5, -1, 0.5.
    let mut sums = Sums::default();
    for (chips, hands) in [(2, 1), (2, 2), (5, 3)] {
        sums.add(Payoff::from_chips(chips), hands);
    }
    sums.add(Payoff::from_chips(99), 0);
    assert_eq!(sums.mean(), Some(1.5));
    // Squares 1.5 over 2 degrees, times 3 groups, over 6 hands.
    let expected = (1.5_f64 / 2.0 * 3.0).sqrt() / 6.0;
    assert!((sums.standard_error().unwrap() - expected).abs() < 1e-12);
}

#[test]
fn no_rate_is_given_without_an_interval() {
    let mut sums = Sums::default();
    assert_eq!(Rate::from_sums(&sums, 100), Err(NoRate::NoHands));
    sums.add(Payoff::from_chips(5), 2);
    assert_eq!(Rate::from_sums(&sums, 100), Err(NoRate::OneGroup));
    let def = Arc::new(games::nolimit_holdem());
    for hands in 0..6 {
        let records = hands::random_hands(&def, hands, 2, 3);
        let info = hands::info(&def, 10, true);
        let tally = tally_of(&def, 2, &records);
        let report = Report::new(&info, &tally, Some(&DecisionTally::new(2)), Some(5.0));
        let rendered = report.to_string();
        let curve = winnings_curve(&info, &tally, 0).file();
        for text in [&rendered, &curve, &report.to_json()] {
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
        let rate = &report.entrants[0].rate;
        assert_eq!(rate.mbb.is_some(), hands >= 4);
        assert_eq!(rate.mbb.is_some(), rate.interval.is_some());
        assert_eq!(rate.mbb.is_none(), rate.reason.is_some());
        assert!(
            hands >= 4 || rendered.contains(if hands < 2 { "no hands" } else { "one deal only" })
        );
    }
}

#[test]
fn the_report_has_the_documented_keys() {
    let def = Arc::new(games::nolimit_holdem_with(vec![2000; 3]));
    let records = hands::random_hands(&def, 30, 3, 3);
    let info = hands::info(&def, 30, true);
    let mut decisions = DecisionTally::new(3);
    decisions.entrants[1].latencies.add(Duration::from_micros(3));
    decisions.entrants[1].corrected = 2;
    let report = Report::new(&info, &tally_of(&def, 3, &records), Some(&decisions), Some(5.0));
    // With a plan, a rule and a finding, too.
    let one = records[0].clone();
    let same: Vec<HandRecord> =
        (0..300).map(|hand| HandRecord { hand, deal: hand / 3, ..one.clone() }).collect();
    let many = tally_of(&def, 3, &hands::random_hands(&def, 300, 3, 3));
    let rule = StopRule::Sprt("0,50".parse().unwrap());
    let planned = Report::new(&info, &many, None, None).with_plan(None);
    let findings = Report::new(&info, &tally_of(&def, 3, &same), None, None).findings;
    assert!(!planned.plan.is_empty() && !findings.is_empty());
    let report = logs::stats::Report { plan: planned.plan, findings, ..report }
        .with_stop_rule(Some(&rule), &many);
    let json: serde_json::Value = serde_json::from_str(&report.to_json()).unwrap();
    assert_eq!(json["schema"], "cardroom-report/1");
    let documentation = include_str!("../../docs/report.md");
    fn keys(value: &serde_json::Value, found: &mut std::collections::BTreeSet<String>) {
        match value {
            serde_json::Value::Object(map) => map.iter().for_each(|(key, value)| {
                found.insert(key.clone());
                keys(value, found);
            }),
            serde_json::Value::Array(list) => list.iter().for_each(|value| keys(value, found)),
            _ => {}
        }
    }
    let mut found = std::collections::BTreeSet::new();
    keys(&json, &mut found);
    assert!(found.len() > 40, "{found:?}");
    for key in found {
        assert!(documentation.contains(&format!("`{key}`")), "{key} is not documented");
    }
    assert!(report.warnings.iter().any(|text| text.contains("p1") && text.contains("2 corrected")));
    assert_eq!(report.differences.len(), 3);
    assert_eq!(report.hands_needed[4].half_width, 5.0);
}

#[test]
fn needed_hands_give_the_wanted_interval() {
    let rate = Rate::from_error(10.0, 20.0, 2000, 1000);
    let needed = rate.hands_needed(rate.half_width()).unwrap();
    assert!((1980..=2000).contains(&needed), "{needed}");
    let half = rate.hands_needed(0.5 * rate.half_width()).unwrap();
    assert!((7940..=8000).contains(&half), "{half}");
    assert!((rate.expected_half_width(8000) / rate.half_width() - 0.5).abs() < 1e-12);
    assert_eq!(rate.hands_needed(0.0), None);
}

#[test]
fn a_plan_leads_where_it_says() {
    let def = Arc::new(games::kuhn());
    let info = hands::info(&def, 2000, true);
    let tally = tally_of(&def, 2, &hands::random_hands(&def, 2000, 2, 3));
    let report = Report::new(&info, &tally, None, None).with_plan(Some(30.0));
    let [part] = &report.plan[..] else { panic!("one estimate: {:?}", report.plan) };
    let wanted: Vec<f64> = part.rows.iter().map(|row| row.wanted).collect();
    assert_eq!(wanted, [200.0, 100.0, 50.0, 30.0, 20.0, 10.0]);
    let rate = tally.rate(0).unwrap();
    for row in &part.rows {
        // The interval of a match of so many hands, with the spread of this one.
        let after = |hands: u64| {
            let groups = hands / 2;
            let error = rate.standard_error * (rate.groups as f64 / groups as f64).sqrt();
            Rate::from_error(0.0, error, hands, groups)
        };
        if row.once > 1000 {
            assert!((after(row.once).half_width() / row.wanted - 1.0).abs() < 0.01, "{row:?}");
        }
        let reach = |hands| after(hands).any_time().unwrap().half_width();
        assert!(reach(row.any_time) <= row.wanted, "{row:?}");
        assert!(row.any_time == 100 || reach(row.any_time - 2) > row.wanted, "{row:?}");
        assert!(row.once <= row.found && row.sprt <= row.sprt_halfway, "{row:?}");
    }
    // Wald: 2·0.9·2.944 = 5.30 times the variance, by (1.96 + 0.84)² = 7.85 for a fixed number.
    let row = part.rows.last().unwrap();
    assert!((row.found as f64 / row.sprt as f64 - 7.85 / 5.30).abs() < 0.01, "{row:?}");
    let few = tally_of(&def, 2, &hands::random_hands(&def, 98, 2, 3));
    assert_eq!(Report::new(&info, &few, None, None).with_plan(None).plan, []);
}

#[test]
fn latencies_are_right_to_a_sixteenth() {
    let mut latencies = Latencies::default();
    assert_eq!((latencies.quantile(0.5), latencies.max(), latencies.mean()), (None, None, None));
    for exponent in 0..10 {
        for k in 1..=100_u64 {
            latencies.add(Duration::from_nanos(k * 10_u64.pow(exponent)));
        }
    }
    assert_eq!(latencies.count(), 1000);
    assert_eq!(latencies.max(), Some(Duration::from_secs(100)));
    assert_eq!(latencies.quantile(1.0), Some(Duration::from_secs(100)));
    let mut sorted: Vec<u64> =
        (0..10).flat_map(|e| (1..=100).map(move |k| k * 10_u64.pow(e))).collect();
    sorted.sort_unstable();
    for rank in [1_usize, 10, 100, 500, 900, 990] {
        let exact = sorted[rank - 1] as f64;
        let found = latencies.quantile(rank as f64 / 1000.0).unwrap().as_nanos() as f64;
        assert!(found >= exact && found <= exact * (1.0 + 1.0 / 16.0), "{rank}: {found} {exact}");
    }
    let mut doubled = latencies.clone();
    doubled.merge(&latencies);
    assert_eq!((doubled.count(), doubled.quantile(0.5)), (2000, latencies.quantile(0.5)));
    let huge = Duration::from_secs(u64::MAX);
    doubled.add(huge);
    assert_eq!(doubled.max(), Some(Duration::from_nanos(u64::MAX)));
}

#[test]
fn a_crosstable_marks_what_is_not_separated() {
    let names = ["a", "b", "c"].map(str::to_owned).to_vec();
    let mut table = CrossTable::new(names);
    table.set(0, 1, Rate::from_error(100.0, 10.0, 2000, 1000));
    assert_eq!(table.standings(), [], "means over different opponents do not compare");
    table.set(0, 2, Rate::from_error(80.0, 10.0, 2000, 1000));
    table.set(2, 1, Rate::from_error(5.0, 10.0, 2000, 1000));
    table.set(1, 1, Rate::from_error(5.0, 10.0, 2000, 1000));
    let standings = table.standings();
    let order: Vec<usize> = standings.iter().map(|standing| standing.entrant).collect();
    assert_eq!(order, [0, 2, 1]);
    assert_eq!(standings[0].rate.mbb, 90.0);
    assert_eq!(standings[1].rate.mbb, -37.5);
    let separated: Vec<_> = standings.iter().map(|standing| standing.separated_from_next).collect();
    // Place 2 is ahead of 3 by (2·5 + 20) / 2 = 15 with an error of √(4·100 + 200) / 2 = 12.2.
    assert_eq!(separated, [Some(true), Some(false), None]);
    assert_eq!((table.separated(0, 1), table.separated(1, 2)), (Some(true), Some(false)));
    let rendered = table.to_string();
    assert!(rendered.contains("-37.5 ~"), "{rendered}");
    // The first is 127.5 ahead with an error of 12.2; the others are not told apart.
    let letters: Vec<&str> = standings.iter().map(|standing| standing.letters.as_str()).collect();
    assert_eq!(letters, ["a", "b", "b"]);
    let csv = table.to_csv();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 1 + 3 + 6, "{csv}");
    assert!(lines[1].starts_with("a,,90.000,") && lines[1].ends_with(",4000,a"), "{csv}");
    assert!(lines[4].starts_with("a,b,100.000,80.") && lines[4].ends_with(",2000,"), "{csv}");
}

#[test]
fn intervals_for_all_are_all_right_in_95_of_100_tournaments() {
    // Five equal agents: ten cells of independent results.
    let mut rng = Pcg64Mcg::seed_from_u64(8);
    let (mut cells, mut means, mut one_group, mut alone) = (0, 0, 0, 0);
    const TOURNAMENTS: u32 = 500;
    for _ in 0..TOURNAMENTS {
        let mut table = CrossTable::new(["a", "b", "c", "d", "e"].map(str::to_owned).to_vec());
        for one in 0..5 {
            for other in one + 1..5 {
                let mbb = 10.0 * gaussian(&mut rng);
                table.set(one, other, Rate::from_error(mbb, 10.0, 2_000_000, 1_000_000));
            }
        }
        let pairs = || (0..5).flat_map(|one| (one + 1..5).map(move |other| (one, other)));
        let right = |(one, other)| table.for_all(one, other).unwrap().holds_zero();
        cells += u32::from(pairs().all(right));
        alone += u32::from(pairs().all(|(one, other)| table.separated(one, other) == Some(false)));
        let standings = table.standings();
        means += u32::from(standings.iter().all(|standing| standing.for_all.holds_zero()));
        one_group += u32::from(standings.iter().all(|standing| standing.letters.contains('a')));
    }
    let share = |count: u32| 100.0 * f64::from(count) / f64::from(TOURNAMENTS);
    println!(
        "all right: cells {} %, means {} %, groups {} %; cells one by one {} %",
        share(cells),
        share(means),
        share(one_group),
        share(alone)
    );
    assert!((share(cells) - 95.0).abs() < 3.0 && share(alone) < 70.0);
    // Means and their differences depend on each other: on the safe side.
    assert!((92.0..=99.5).contains(&share(means)) && (92.0..=99.5).contains(&share(one_group)));
}

/// The mean of a run-out's payoffs over all boards, by the rules engine.
fn slow_expectation(record: &HandRecord) -> Vec<f64> {
    let def = record.public.def();
    let ended =
        record.public.history().last().map_or(game::Street::Preflop, |played| played.street);
    let start = def.board_len(ended);
    let held = |card: &Card| record.hole.as_slice().iter().any(|hole| hole.contains(card));
    let seen = &record.public.board()[..start];
    let rest: Vec<Card> =
        def.deck().into_iter().filter(|card| !held(card) && !seen.contains(card)).collect();
    let mut boards: Vec<Vec<Card>> = vec![seen.to_vec()];
    for _ in start..def.full_board_len() {
        let longer = |board: &Vec<Card>| {
            let from = match board.len() - start {
                0 => 0,
                _ => 1 + rest.iter().position(|card| Some(card) == board.last()).unwrap(),
            };
            let board = board.clone();
            rest[from..].iter().map(move |&card| [&board[..], &[card]].concat()).collect::<Vec<_>>()
        };
        boards = boards.iter().flat_map(longer).collect();
    }
    let mut sums = vec![0.0; def.players];
    for board in &boards {
        let mut public = PublicState::new(def);
        let mut history = record.public.history().iter();
        loop {
            public.deal_from(board).unwrap();
            if public.turn() == Turn::Over {
                break;
            }
            public.apply(history.next().unwrap().action).unwrap();
        }
        for (sum, payoff) in sums.iter_mut().zip(public.payoffs(&record.hole).as_slice()) {
            *sum += payoff.chips() / boards.len() as f64;
        }
    }
    sums
}

/// Hold'em with twenty cards, tens and better: small enough to go through all boards slowly.
fn short_deck(stacks: Vec<u32>) -> Arc<GameDef> {
    let spec = games::nolimit_holdem_with(stacks).spec().clone();
    Arc::new(GameDef::new(GameSpec { ranks: 5, ..spec }).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn expected_results_are_the_mean_over_all_boards(
        stacks in proptest::collection::vec(150_u32..1000, 2..5),
        seed in 0_u64..1_000_000,
    ) {
        let def = short_deck(stacks);
        let mut all_in = AllIn::new(u64::MAX);
        let records = hands::random_hands(&def, 12, 1, seed);
        for record in records.iter().filter(|record| is_run_out(record)).take(3) {
            let Expected::Known(payoffs) = all_in.expected(record) else {
                panic!("an exact result was possible");
            };
            prop_assert_eq!(payoffs.as_slice().iter().copied().sum::<Payoff>(), Payoff::ZERO);
            for (found, exact) in payoffs.as_slice().iter().zip(slow_expectation(record)) {
                prop_assert!((found.chips() - exact).abs() < 0.01, "{:?} {}", found, exact);
            }
            // From memory, and with other suits, the same.
            prop_assert_eq!(all_in.expected(record), Expected::Known(payoffs));
            prop_assert_eq!(all_in.expected(&with_suits_turned(record)), Expected::Known(payoffs));
        }
    }
}

#[test]
fn two_hands_of_a_full_deck_get_their_exact_share_without_a_budget() {
    let def = Arc::new(games::nolimit_holdem());
    let records = hands::random_hands(&def, 400, 1, 5);
    let late = |record: &&HandRecord| {
        is_run_out(record)
            && record.public.history().last().is_some_and(|p| p.street >= game::Street::Flop)
    };
    let mut all_in = AllIn::new(0);
    let mut checked = 0;
    for record in records.iter().filter(late).take(8) {
        let Expected::Known(payoffs) = all_in.expected(record) else {
            panic!("two hands need no budget");
        };
        assert_eq!(payoffs.as_slice().iter().copied().sum::<Payoff>(), Payoff::ZERO);
        for (found, exact) in payoffs.as_slice().iter().zip(slow_expectation(record)) {
            assert!((found.chips() - exact).abs() < 0.01, "{found:?} {exact}");
        }
        checked += 1;
    }
    assert!(checked >= 4, "{checked} run-outs after the flop");
}

/// The same hand with every suit replaced by the next.
fn with_suits_turned(record: &HandRecord) -> HandRecord {
    let turn = |text: String| -> String {
        text.chars()
            .map(|c| match c {
                'c' => 'd',
                'd' => 'h',
                'h' => 's',
                's' => 'c',
                c => c,
            })
            .collect()
    };
    let def = record.public.def();
    let cards = turn(game::notation::cards(&record.public, &record.hole));
    let cards = game::notation::parse_cards(def, &cards).unwrap();
    let betting = game::notation::betting(&record.public);
    let public = game::notation::replay(def, &betting, &cards.board).unwrap();
    HandRecord { public, hole: cards.hole, ..record.clone() }
}

#[test]
fn what_is_not_computed_is_counted_and_said() {
    let def = short_deck(vec![1000; 2]);
    let records = hands::random_hands(&def, 200, 2, 9);
    let mut all_in = AllIn::new(0);
    let mut tally = Tally::of_game(&def, 2);
    for record in &records {
        let expected = all_in.expected(record);
        assert_eq!(expected == Expected::NotComputed, is_run_out(record));
        tally.add_adjusted(record, expected.payoffs());
    }
    let run_outs = tally.run_outs();
    assert!(run_outs.hands > 10 && run_outs.adjusted == 0);
    let report = Report::new(&hands::info(&def, 200, true), &tally, None, None);
    assert!(report.warnings[0].contains("was not computed"), "{:?}", report.warnings);
    let adjusted = &report.entrants[0].all_in_adjusted;
    assert_eq!((adjusted.mbb, adjusted.reason.as_deref()), (None, Some("not computed")));
    let mut hidden = records.into_iter().find(is_run_out).unwrap();
    hidden.hole = BySeat::new(2);
    assert_eq!(AllIn::new(u64::MAX).expected(&hidden), Expected::NotComputed);
}

#[test]
fn adjusting_keeps_the_mean_and_lowers_the_spread() {
    let def = short_deck(vec![1000; 2]);
    let records = hands::random_hands(&def, 4000, 1, 9);
    let mut all_in = AllIn::new(u64::MAX);
    let mut tally = Tally::of_game(&def, 1);
    records.iter().for_each(|record| tally.add_adjusted(record, all_in.expected(record).payoffs()));
    let sums = &tally.entrants()[0];
    let (plain, adjusted) =
        (Rate::from_sums(&sums.all, 100).unwrap(), Rate::from_sums(&sums.adjusted, 100).unwrap());
    assert!(adjusted.standard_error < 0.9 * plain.standard_error, "{plain:?} {adjusted:?}");
    assert!((plain.mbb - adjusted.mbb).abs() < 3.0 * plain.standard_error);
}

#[test]
fn the_curve_says_its_result_in_words() {
    let def = Arc::new(games::nolimit_holdem());
    let mut info = hands::info(&def, 2000, true);
    info.entrants[1].name = "a<b&c".to_owned();
    let tally = tally_of(&def, 2, &hands::random_hands(&def, 2000, 2, 3));
    let svg = winnings_curve(&info, &tally, 1).element();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(
        svg.contains("<title id=\"curve-title\">Winnings of a&lt;b&amp;c in big blinds</title>")
    );
    assert!(svg.contains("After 2000 hands") && svg.contains("95 % interval"));
    assert!(!svg.contains("a<b") && svg.len() < 40_000, "{}", svg.len());
    // Colours are the page's, and a strict content policy forbids styles in elements.
    assert!(!svg.contains('#') && !svg.contains("style"), "{svg}");
    for class in ["text", "grid", "zero", "band won", "won"] {
        assert!(svg.contains(&format!("class=\"{class}\" ")), "no {class}");
    }
}

#[test]
fn a_wanted_half_width_is_listed_once_and_in_order() {
    let def = Arc::new(games::kuhn());
    let info = hands::info(&def, 100, false);
    let mut tally = Tally::new(&info);
    hands::random_hands(&def, 100, 1, 7).iter().for_each(|record| tally.add(record));
    for (wanted, expected) in [
        (None, &[100.0, 50.0, 20.0, 10.0][..]),
        (Some(20.0), &[100.0, 50.0, 20.0, 10.0]),
        (Some(30.0), &[100.0, 50.0, 30.0, 20.0, 10.0]),
    ] {
        let report = Report::new(&info, &tally, None, wanted);
        let listed: Vec<f64> = report.hands_needed.iter().map(|part| part.half_width).collect();
        assert_eq!(listed, expected);
    }
}

/// The rate of these groups of two hands, and of each part of them.
fn rates(groups: &[i64], parts: usize) -> (Rate, Vec<Rate>) {
    let rate = |groups: &[i64]| {
        let mut sums = Sums::default();
        groups.iter().for_each(|&won| sums.add(Payoff::from_parts(won * Payoff::PER_CHIP), 2));
        Rate::from_sums(&sums, 100).expect("two groups at least")
    };
    let parts = groups.chunks(groups.len().div_ceil(parts)).filter(|part| part.len() > 1);
    (rate(groups), parts.map(rate).collect())
}

proptest! {
    #[test]
    fn rates_of_parts_pool_to_that_of_the_whole(
        groups in prop::collection::vec(-20_000i64..20_000, 8..60),
        parts in 1usize..4,
    ) {
        let groups = &groups[..groups.len() - groups.len() % parts];
        let (whole, parts) = rates(groups, parts);
        let pooled = Rate::pooled(&parts).expect("parts");
        prop_assert_eq!((pooled.groups, pooled.hands), (whole.groups, whole.hands));
        prop_assert!((pooled.mbb - whole.mbb).abs() < 1e-6, "{:?} {:?}", pooled, whole);
        let apart = pooled.standard_error - whole.standard_error;
        prop_assert!(apart.abs() < 1e-6, "{:?} {:?}", pooled, whole);
    }
}

#[test]
fn tables_of_parts_pool_only_where_they_are_of_the_same_entrants() {
    let rate = |mbb| Rate::from_error(mbb, 10.0, 200, 100);
    let table = |names: &[&str], mbb| {
        let mut table = CrossTable::new(names.iter().map(|&name| name.to_owned()).collect());
        table.set(0, 1, rate(mbb));
        table
    };
    let [one, two] = [40.0, 20.0].map(|mbb| table(&["a", "b", "c"], mbb));
    let pooled = CrossTable::pooled(&[one.clone(), two]).expect("the same entrants");
    let [met, back] = [pooled.results[0][1], pooled.results[1][0]].map(|rate| rate.expect("met"));
    assert!((met.mbb - 30.0).abs() < 1e-9 && (back.mbb + 30.0).abs() < 1e-9, "{pooled:?}");
    assert_eq!((met.hands, pooled.results[0][2]), (400, None));
    assert_eq!(CrossTable::pooled(&[one, table(&["a", "b", "d"], 0.0)]), None);
    assert_eq!(CrossTable::pooled(&[]), None);
}
