//! All-in or fold before the flop: whole charts against an independent solution.

use cards::{PreflopTable, StartingHand, WinRate};
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

fn all_in() -> Vec<WinRate> {
    let matrix = PreflopTable::embedded().matrix();
    let kinds = StartingHand::all;
    kinds()
        .flat_map(|small| kinds().map(move |big| (small, big)))
        .map(|(a, b)| matrix.get(a, b))
        .collect()
}

/// The charts as a profile of the game: the second action of each information set is all-in, or the call.
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
    // Each takes seconds where code is not optimised.
    let step = if cfg!(debug_assertions) { 8 } else { 1 };
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
