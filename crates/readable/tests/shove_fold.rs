//! All-in or fold before the flop: whole charts against an independent solution.

use cards::{Equity, PreflopTable, StartingHand};
use readable::shove_fold::report::Rule;
use readable::shove_fold::{
    Payoffs, Range, Ranges, best_sage, equilibrium, power_index, sage, sage_ranges, share,
};
use solvers::games::ShoveFold;
use solvers::{Player, Profile, Sequences, Tree, linear};

/// Stacks, values and charts; the file says how they are written.
const CHARTS: &str = include_str!("data/shove_fold.txt");

struct Chart {
    stack: f64,
    value: f64,
    /// The share of all-ins and of calls with each hand.
    shares: [Vec<f64>; 2],
}

fn charts() -> Vec<Chart> {
    let lines = CHARTS.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| chart(line).expect("a line of the file")).collect()
}

fn chart(line: &str) -> Option<Chart> {
    let words: Vec<&str> = line.split(' ').collect();
    let [stack, value, jam, call, mixed @ ..] = words.as_slice() else { return None };
    let mut mixed = mixed.iter();
    let mut shares = |text: &str| {
        let share = |digit: char| match digit {
            'x' => mixed.next()?.parse().ok(),
            digit => digit.to_digit(2).map(f64::from),
        };
        text.chars().map(share).collect::<Option<Vec<f64>>>()
    };
    let shares = [shares(jam)?, shares(call)?];
    Some(Chart { stack: stack.parse().ok()?, value: value.parse().ok()?, shares })
}

fn all_in() -> Vec<Equity> {
    let matrix = PreflopTable::embedded().matrix();
    let kinds = StartingHand::all;
    kinds()
        .flat_map(|small| kinds().map(move |big| (small, big)))
        .map(|(a, b)| matrix.get(a, b))
        .collect()
}

/// The charts as a profile of the game: the second action of each information set is all-in, or the
/// call.
fn profile(tree: &Tree, game: &Sequences, chart: &Chart) -> Profile {
    let mut profile = Profile::uniform(game);
    for player in Player::BOTH {
        let infosets = tree.infosets(player).iter().zip(game.choices(player));
        for (infoset, choice) in infosets {
            let hand: StartingHand = infoset.name.parse().expect("a hand");
            let share = chart.shares[player.index()][hand.index()];
            let [fold, play] = [choice.first as usize, choice.first as usize + 1];
            profile.0[player.index()][fold] = 1.0 - share;
            profile.0[player.index()][play] = share;
        }
    }
    profile
}

#[test]
fn charts_are_those_of_an_independent_solution() {
    let all_in = all_in();
    let known = charts();
    assert_eq!(
        known.iter().map(|chart| chart.stack as u32).collect::<Vec<_>>(),
        Vec::from_iter(2..=20)
    );
    let step = testing::size(8, 1);
    for chart in known.iter().step_by(step) {
        let stack = chart.stack;
        let tree =
            Tree::new(&ShoveFold::new(stack, &all_in).expect("a stack"), 200_000).expect("small");
        let game = Sequences::new(&tree);
        let ours = linear::solve(&game).expect("solvable");
        assert!((ours.value - chart.value).abs() < 1e-6, "{stack}: {} {}", ours.value, chart.value);
        let known = profile(&tree, &game, chart);
        assert!(ours.profile.exploitability(&game) < 1e-7, "{stack}");
        assert!(known.exploitability(&game) < 1e-6, "{stack}");
        for player in Player::BOTH {
            let pairs = ours.profile.0[player.index()].iter().zip(&known.0[player.index()]);
            for (sequence, (ours, known)) in pairs.enumerate() {
                assert!(
                    (ours - known).abs() < 1e-3,
                    "{stack} {player:?} {sequence}: {ours} {known}"
                );
            }
        }
    }
}

fn range(shares: &[f64]) -> Range {
    shares.try_into().expect("169 hands")
}

#[test]
fn every_chart_of_the_dense_solver_is_the_independent_one() {
    for chart in charts() {
        let payoffs = Payoffs::new(chart.stack, 0.0).expect("a stack");
        let found = equilibrium(&payoffs);
        let stack = chart.stack;
        assert!(found.exploitability < 1e-6, "{stack}: {}", found.exploitability);
        assert!((found.value - chart.value).abs() < 1e-6, "{stack}: {}", found.value);
        let ours = [&found.ranges.jam, &found.ranges.call];
        for (seat, (ours, known)) in ours.into_iter().zip(&chart.shares).enumerate() {
            for (hand, (ours, known)) in StartingHand::all().zip(ours.iter().zip(known)) {
                assert!((ours - known).abs() < 1e-3, "{stack} {seat} {hand}: {ours} {known}");
            }
        }
    }
}

#[test]
fn ranges_lose_what_the_tree_of_the_game_says() {
    let chart = charts().into_iter().find(|chart| chart.stack == 10.0).expect("ten");
    for stack in [1.0, 6.5, 14.0] {
        let payoffs = Payoffs::new(stack, 0.0).expect("a stack");
        let [jam, call] = &chart.shares;
        let ranges = Ranges { jam: range(jam), call: range(call) };
        let game = ShoveFold::new(stack, &all_in()).expect("a stack");
        let tree = Tree::new(&game, 200_000).expect("small");
        let game = Sequences::new(&tree);
        let profile = profile(&tree, &game, &chart);
        assert!((profile.value(&game) - payoffs.value(&ranges)).abs() < 1e-12);
        let [first, second] = Player::BOTH.map(|player| profile.best_response_value(&game, player));
        assert!((first - payoffs.at_most(&ranges.call)).abs() < 1e-12, "{stack}");
        assert!((second + payoffs.at_least(&ranges.jam)).abs() < 1e-12, "{stack}");
    }
}

#[test]
fn prefixes_of_an_order_are_worth_what_their_ranges_are() {
    let payoffs = Payoffs::new(8.0, 0.1).expect("a stack");
    let order: Vec<usize> = (0..169).map(|at| at * 62 % 169).collect();
    let mut played = [0.0; 169];
    let mut known = Vec::new();
    for &hand in &order {
        played[hand] = 1.0;
        known.push([payoffs.at_least(&played), payoffs.at_most(&played)]);
    }
    let mut seen = 0;
    payoffs.at_least_by_prefix(&order, |hands, value| {
        seen += 1;
        assert!((value - known[hands - 1][0]).abs() < 1e-12, "{hands}");
    });
    payoffs.at_most_by_prefix(&order, |hands, value| {
        seen += 1;
        assert!((value - known[hands - 1][1]).abs() < 1e-12, "{hands}");
    });
    assert_eq!(seen, 2 * 169);
}

#[test]
fn whoever_always_or_never_plays_loses_known_amounts_at_ten_big_blinds() {
    let payoffs = Payoffs::new(10.0, 0.0).expect("a stack");
    let found = equilibrium(&payoffs);
    let lost = |range: &Range| {
        [found.value - payoffs.at_least(range), payoffs.at_most(range) - found.value]
            .map(|lost| (1000.0 * lost).round())
    };
    assert_eq!(lost(&[1.0; 169]), [332.0, 614.0]);
    assert_eq!(lost(&[0.0; 169]), [455.0, 1045.0]);
    assert!((100.0 * share(&found.ranges.jam) - 58.2838).abs() < 1e-3);
    assert!((100.0 * share(&found.ranges.call) - 37.3764).abs() < 1e-3);
}

#[test]
fn antes_make_both_players_play_more_and_fractions_are_solved() {
    let solve = |stack, ante| equilibrium(&Payoffs::new(stack, ante).expect("rules"));
    let [plain, ante] = [solve(9.3, 0.0), solve(9.3, 0.125)];
    assert!(plain.exploitability < 1e-6 && ante.exploitability < 1e-6);
    assert!(share(&ante.ranges.jam) > share(&plain.ranges.jam));
    assert!(share(&ante.ranges.call) > share(&plain.ranges.call));
    // With one big blind the big blind has nothing left to lose by a call.
    assert_eq!(share(&solve(1.0, 0.0).ranges.call), 1.0);
}

#[test]
fn rules_without_a_game_are_refused() {
    let refused = |stack, ante| Payoffs::new(stack, ante).expect_err("no game").to_string();
    for stack in [0.5, 0.0, -3.0, f64::NAN, f64::INFINITY] {
        assert!(refused(stack, 0.0).starts_with("a stack of"), "{stack}");
    }
    for ante in [-0.1, f64::NAN, f64::INFINITY] {
        assert!(refused(10.0, ante).starts_with("an ante of"), "{ante}");
    }
    assert!(refused(1.1, 0.2).ends_with("an ante of 0.2: give at least 1.2"));
}

#[test]
fn an_unknown_rule_is_refused_by_its_name() {
    let refused = Rule::load("sagee").expect_err("no rule").to_string();
    for part in ["sagee: ", "did you mean `sage`?", "published, sage, sage-best, always, never"] {
        assert!(refused.contains(part), "{refused}");
    }
}

#[test]
fn sage_decides_its_published_examples_as_published() {
    let index = |hand: &str| power_index(hand.parse().expect("a hand"));
    assert_eq!([index("AA"), index("32o"), index("33"), index("J4s")], [67, 8, 31, 28]);
    // 2,865 chips behind the big blind of 1,000, then of 400: 33 is all-in in both; J4s calls in
    // the first alone.
    for (big_blind, calls) in [(1000.0, true), (400.0, false)] {
        let [jam, call] = sage(1.0 + 2865.0 / big_blind).expect("in the table");
        assert!(index("33") >= jam && (index("J4s") >= call) == calls, "{big_blind}");
    }
}

#[test]
fn sage_loses_what_an_independent_program_says() {
    let lost = |stack: f64, thresholds| {
        let payoffs = Payoffs::new(stack, 0.0).expect("a stack");
        let lost = equilibrium(&payoffs).losses(&payoffs, &sage_ranges(thresholds));
        lost.map(|lost| (1e4 * lost).round() / 10.0)
    };
    assert_eq!(lost(5.0, sage(5.0).expect("in the table")), [8.2, 2.2]);
    assert_eq!(lost(8.0, sage(8.0).expect("in the table")), [13.8, 5.2]);
    assert_eq!(sage(9.0), None);
    for (stack, thresholds, mean) in [
        (10.0, [28, 32], 10.8),
        (12.0, [28, 33], 12.2),
        (15.0, [30, 34], 12.6),
        (20.0, [31, 36], 12.4),
    ] {
        assert_eq!(best_sage(&Payoffs::new(stack, 0.0).expect("a stack")), thresholds, "{stack}");
        let [small, big] = lost(stack, thresholds);
        assert!((0.5 * (small + big) - mean).abs() < 0.11, "{stack}: {small} {big}");
    }
}
