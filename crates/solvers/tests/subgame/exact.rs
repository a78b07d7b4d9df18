//! Tests of facts known without solving: equities, and that nobody wins what nobody loses.

use cards::{CardSet, Combo, Range, all_in};
use game::{Action, PublicState};
use solvers::Player;
use solvers::subgame::Evaluation;

use super::{FIRST, Menu, SECOND, hand, range, short_hand, small_menu, solver, uneven};
use crate::{board, combo, near};

/// Each hand's winnings against the other range, by the count of all boards for each pair of hands.
fn equities(ranges: [&Range; 2], board: CardSet, chips: f64) -> [Vec<(Combo, f64)>; 2] {
    [0, 1].map(|player| {
        let free = |range: &Range| -> Vec<(Combo, f64)> {
            range.combos().filter(|(combo, _)| !combo.set().intersects(board)).collect()
        };
        let (own, others) = (free(ranges[player]), free(ranges[1 - player]));
        let of = |hero: Combo| {
            let (mut won, mut all) = (0.0, 0.0);
            for &(villain, weight) in &others {
                if let Ok(rate) = all_in(hero, villain, board) {
                    let losses = (rate.total - rate.wins - rate.ties) as f64;
                    won += weight * (rate.wins as f64 - losses) / rate.total as f64;
                    all += weight;
                }
            }
            if all > 0.0 { chips * won / all } else { 0.0 }
        };
        own.into_iter().map(|(hero, _)| (hero, of(hero))).collect()
    })
}

fn check(state: &PublicState, menu: Menu<'_>, chips: f64) {
    let ranges = [uneven(&range(FIRST)), uneven(&range(SECOND))];
    let mut solver = solver(state, ranges.each_ref(), menu);
    solver.run(2);
    let found = solver.evaluate();
    let expected = equities(ranges.each_ref(), state.board().set(), chips);
    for (found, expected) in found.hands.iter().zip(expected) {
        assert_eq!(found.len(), expected.len());
        for (combo, chips) in expected {
            let value = found.iter().find(|value| value.combo == combo).expect("in the range");
            near(value.value, chips, 1e-9 * 2000.0, &format!("{combo} on {}", state.board()));
            near(value.best, chips, 1e-9 * 2000.0, &format!("{combo} on {}", state.board()));
        }
    }
    near(found.exploitability(), 0.0, 1e-9 * 200.0, "nobody has a choice");
}

const BOARDS: [&str; 5] = ["Td9d6hQc2s", "AsKsQs2s7s", "Td9d6hQc", "7s7h2s3s", "8c8d3h"];

#[test]
fn hands_that_are_checked_down_win_their_equity() {
    for board in BOARDS {
        check(&hand(board), &|_| vec![Action::Call], 100.0);
    }
}

#[test]
fn hands_that_go_all_in_win_their_equity_of_all_chips() {
    // The first player moves in and the second calls.
    let menu = |state: &PublicState| match state.legal().raise {
        Some(raise) if state.raises() == 0 => vec![Action::RaiseTo(raise.max)],
        _ => vec![Action::Call],
    };
    for board in BOARDS {
        check(&hand(board), &menu, 1000.0);
    }
}

fn zero_sum(evaluation: &Evaluation, what: &str) {
    let [first, second] = evaluation.values;
    near(first + second, 0.0, 1e-6 * evaluation.pot(), what);
    for player in Player::BOTH.map(Player::index) {
        let (best, value) = (evaluation.best[player], evaluation.values[player]);
        assert!(best >= value - 1e-9 * evaluation.pot(), "{what}: best {best}, own {value}");
    }
}

#[test]
fn what_one_player_wins_the_other_loses() {
    let menu = &small_menu();
    let (all, some) = (range("random"), uneven(&range("random")));
    for (state, ranges) in [
        (hand("Td9d6hQc2s"), [&all, &some]),
        (hand("AsAh5s5hKs"), [&some, &all]),
        (short_hand("TsJsQh", 100, 300), [&all, &all]),
        (short_hand("TsJsQhAc", 100, 300), [&some, &some]),
    ] {
        let mut solver = solver(&state, ranges, menu);
        for iterations in [0, 1, 7] {
            solver.run(iterations);
            zero_sum(&solver.evaluate(), &format!("{} {iterations}", state.board()));
        }
    }
}

#[test]
fn the_nuts_bet_and_bluffs_follow_at_the_odds() {
    // The first player has the nuts or nothing, half each, and bets the pot or checks; the second
    // can only call or fold with a hand between. Known: one bluff for two value bets, called half
    // the time; the first player wins three quarters of the pot.
    let state = super::start(&board("2c7dJhQsKs"), 200, [200; 2], 10).expect("a hand");
    let menu = |state: &PublicState| {
        let legal = state.legal();
        match (legal.raise, state.raises(), state.street_history().is_empty()) {
            (Some(raise), 0, true) => vec![Action::Call, Action::RaiseTo(raise.max)],
            _ if legal.fold => vec![Action::Fold, Action::Call],
            _ => vec![Action::Call],
        }
    };
    let (first, second) = (range("AhTd,4h3d"), range("AcKh"));
    let mut solver = solver(&state, [&first, &second], &menu);
    let evaluation = solver.run_until(1e-4, 5000);
    assert!(evaluation.share_of_pot() <= 1e-4, "{}", evaluation.share_of_pot());
    near(evaluation.values[0] + 100.0, 150.0, 0.05, "share of the pot");
    let spot = solver.spot();
    near(spot.strategy(combo("AhTd")).expect("held")[1], 1.0, 1e-2, "value bet");
    near(spot.strategy(combo("4h3d")).expect("held")[1], 0.5, 1e-2, "bluff");
    let bet = spot.act(Action::RaiseTo(300)).expect("offered");
    near(bet.strategy(combo("AcKh")).expect("held")[1], 0.5, 1e-2, "call");
}
