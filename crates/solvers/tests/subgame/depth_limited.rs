//! Depth-limited games against exact ones in which nobody bets after their end.

use cards::{CardSet, Combo, Range, all_in};
use game::{Action, PublicState, Street};
use solvers::Player;
use solvers::subgame::{DepthLimited, Leaf, LeafValues};

use super::{bets, hand, range, small_menu, solver, uneven};
use crate::near;

/// The values of hands at leaves if both players check down.
struct CheckDown {
    hands: Vec<Combo>,
    /// For each hand the margin against each other; 0 where they share a card.
    margins: Vec<Vec<f32>>,
}

impl CheckDown {
    fn new(ranges: &[Range; 2], board: CardSet) -> CheckDown {
        let held = |hand: &Combo| ranges.iter().any(|range| range.weight(*hand) > 0.0);
        let free = |hand: &Combo| !hand.set().intersects(board);
        let hands: Vec<Combo> = Combo::all().filter(|hand| held(hand) && free(hand)).collect();
        let margin = |&hero: &Combo, &villain: &Combo| match all_in(hero, villain, board) {
            Ok(rate) => {
                let losses = (rate.total - rate.wins - rate.ties) as f32;
                (rate.wins as f32 - losses) / rate.total as f32
            }
            Err(_) => 0.0,
        };
        let row = |hero| hands.iter().map(|villain| margin(hero, villain)).collect();
        let margins = hands.iter().map(row).collect();
        CheckDown { hands, margins }
    }
}

impl LeafValues for CheckDown {
    fn hands(&self) -> &[Combo] {
        &self.hands
    }

    fn checked_down(&self, reach: &[f32]) -> Vec<f32> {
        let won = |others: &[f32]| -> Vec<f32> {
            let sum = |row: &Vec<f32>| row.iter().zip(others).map(|(a, b)| a * b).sum::<f32>();
            self.margins.iter().map(|row| 0.5 * sum(row)).collect()
        };
        reach.chunks_exact(self.hands.len()).flat_map(won).collect()
    }

    fn beyond(&self, leaves: &[Leaf], ranges: [&[f32]; 2]) -> [Vec<f32>; 2] {
        let count = self.hands.len();
        for range in ranges {
            assert_eq!(range.len(), leaves.len() * count, "a number for each leaf and hand");
            for range in range.chunks_exact(count) {
                let total: f32 = range.iter().sum();
                assert!((total - 1.0).abs() < 1e-4, "a range sums to 1, not {total}");
            }
        }
        assert!(leaves.iter().all(|leaf| leaf.behind > 0.0 && leaf.behind <= 900.0));
        ranges.map(|range| vec![0.0; range.len()])
    }
}

fn limited(state: &PublicState, ranges: &[Range; 2]) -> DepthLimited<CheckDown> {
    let check_down = CheckDown::new(ranges, state.board().set());
    DepthLimited::new(state, ranges.each_ref(), &small_menu(), check_down).expect("a game")
}

#[test]
fn a_street_is_worth_what_it_is_worth_exactly_if_nobody_bets_later() {
    for board in ["8c8d3h", "Td9d6hQc", "Td9d6hQc2s"] {
        let (state, menu) = (hand(board), small_menu());
        let ranges = [uneven(&range(super::FIRST)), uneven(&range(super::SECOND))];
        let mut exact = solver(&state, ranges.each_ref(), &|now: &PublicState| {
            if now.street() == state.street() { menu(now) } else { vec![Action::Call] }
        });
        let mut limited = limited(&state, &ranges);
        exact.run(300);
        (0..300).for_each(|_| limited.step());
        assert_eq!(limited.iterations(), 300);
        let evaluation = exact.evaluate();
        let [own, best] = limited.evaluate();
        near(own[0] + own[1], 0.0, 1e-3, "nobody wins what nobody loses");
        for player in 0..2 {
            near(own[player], evaluation.values[player], 0.1, board);
            near(best[player], evaluation.best[player], 0.1, board);
        }
        assert!(limited.exploitability() < 0.002 * 200.0, "{}", limited.exploitability());
        // The values of actions at a later decision, for the hands that reach it in both.
        let mut after = state.clone();
        after.apply(Action::Call).expect("a check");
        let found = limited.action_values(&after).expect("a decision");
        let expected = exact.action_values(&after).expect("a decision");
        assert_eq!(found.len(), expected.len());
        for (combo, found) in &found {
            let (_, expected) = expected.iter().find(|(other, _)| other == combo).expect("a hand");
            near(found[0], expected[0], 8.0, &format!("checking {combo} on {board}"));
        }
    }
}

#[test]
fn the_best_that_was_checked_comes_back_as_it_was() {
    let (state, ranges) = (hand("8c8d3h"), [range(super::FIRST), range(super::SECOND)]);
    let mut game = limited(&state, &ranges);
    assert_eq!(game.return_to_best(), None, "nothing was checked");
    let mut found = Vec::new();
    for _ in 0..8 {
        (0..5).for_each(|_| game.step());
        found.push((game.check(), game.strategies_at(&state).expect("the root")));
    }
    let least = found.iter().enumerate().min_by(|(_, a), (_, b)| a.0.total_cmp(&b.0));
    let (number, (least, strategies)) = least.expect("eight");
    assert_eq!(game.return_to_best(), Some(*least));
    assert_eq!(game.iterations() as usize, 5 * (number + 1));
    assert_eq!(game.exploitability(), *least);
    assert_eq!(&game.strategies_at(&state).expect("the root"), strategies);
    // What follows is what followed before.
    let mut other = limited(&state, &ranges);
    (0..game.iterations() + 3).for_each(|_| other.step());
    (0..3).for_each(|_| game.step());
    assert_eq!(game.exploitability(), other.exploitability());
}

#[test]
fn only_the_street_of_the_root_is_in_the_tree() {
    let state = hand("8c8d3h");
    let ranges = [range(super::FIRST), range(super::SECOND)];
    let mut limited = limited(&state, &ranges);
    limited.step();
    let (player, actions) = limited.actions(&state).expect("a decision");
    assert_eq!(player, Player::First);
    assert!(actions.contains(&Action::Call) && actions.contains(&Action::RaiseTo(1000)));
    let held = Combo::all().filter(|combo| !combo.set().intersects(state.board().set()));
    let held = held.filter(|&combo| ranges[0].weight(combo) > 0.0).count();
    let strategies = limited.strategies_at(&state).expect("a decision");
    assert_eq!(strategies.len(), held);
    for (combo, shares) in strategies {
        assert_eq!(shares.len(), actions.len());
        near(shares.iter().sum(), 1.0, 1e-5, &combo.to_string());
    }
    let mut turn = state.clone();
    turn.apply(Action::Call).expect("a check");
    turn.apply(Action::Call).expect("a check");
    turn.deal(&["2c".parse().expect("a card")]).expect("a turn card");
    assert_eq!(turn.street(), Street::Turn);
    assert!(limited.strategies_at(&turn).is_none() && limited.action_values(&turn).is_none());
    let mut off = state.clone();
    off.apply(Action::RaiseTo(333)).expect("a bet");
    assert!(limited.actions(&off).is_none(), "no menu has this bet");
    assert!(limited.actions(&hand("8c8d4h")).is_none(), "another flop");
}

#[test]
fn the_same_strategies_come_from_any_number_of_threads() {
    let state = hand("8c8d3h");
    let ranges = [uneven(&range(super::FIRST)), uneven(&range(super::SECOND))];
    let strategies = |threads| {
        let pool = parallel::Pool::new(threads).expect("a pool");
        pool.run(|| {
            let mut limited = limited(&state, &ranges);
            (0..20).for_each(|_| limited.step());
            limited.strategies_at(&state)
        })
    };
    assert_eq!(strategies(1), strategies(3));
}

#[test]
fn a_game_without_hands_or_bets_is_refused() {
    let state = hand("8c8d3h");
    let ranges = [range(super::FIRST), range("88")];
    let menu = bets("every 1: allin");
    let game = |ranges: [&Range; 2], menu: super::Menu<'_>| {
        let check_down = CheckDown::new(&[range(super::FIRST), range("88")], state.board().set());
        DepthLimited::new(&state, ranges, menu, check_down).err().map(|error| error.to_string())
    };
    let refused = |ranges, menu| game(ranges, menu).expect("refused");
    let [first, second] = ranges.each_ref();
    assert_eq!(game([first, second], &menu), None);
    let none = range("8c8d");
    assert!(refused([first, &none], &menu).contains("the second player has no hand left"));
    assert!(refused([first, second], &|_| Vec::new()).contains("offers no action"));
    let pair = range("8h8s");
    assert!(refused([&pair, &pair], &menu).contains("no two can be dealt together"));
}
