//! Locked strategies: against games in which the lock is a rule, against values by hand, and with
//! suits merged and not.

use cards::Combo;
use game::{Action, PublicState};
use solvers::Player;
use solvers::subgame::{Options, Precision, Solver, Spot, Subgame, start};

use super::{FIRST, SECOND, bets, range, small_menu, solver, uneven};
use crate::{combo, near};

/// The nuts or nothing against a hand between; the bet is the pot of 200.
fn polarised() -> Solver {
    let root = start(&"2c7dJhQsKs".parse().expect("a board"), 200, [200; 2], 1).expect("a state");
    let ranges = [range("AhTd,4h3d"), range("AcKh")];
    solver(&root, ranges.each_ref(), &bets("river 1: pot"))
}

/// The chips of the pot of 200 that each player gets.
fn gets(solver: &mut Solver) -> [f64; 2] {
    solver.evaluate().values.map(|value| value + 100.0)
}

#[test]
fn who_always_bets_is_called_and_pays_for_its_bluffs() {
    let mut solver = polarised();
    let root = solver.subgame().root().clone();
    solver.set_strategy(&root, &|_| vec![0.0, 1.0]).expect("a strategy");
    solver.lock(&root, &|_| true).expect("a lock");
    let evaluation = solver.run_until(1e-6, 2000);
    // The caller wins the pot and the bet half of the time, and loses the bet the other half.
    near(gets(&mut solver)[1], 0.5 * 400.0 - 0.5 * 200.0, 1e-3, "value");
    // The bettor has no other strategy left: that is its best response.
    near(evaluation.best[0], evaluation.values[0], 1e-9, "value");
    assert!(evaluation.exploitability() < 1e-3, "{evaluation:?}");
    let spot = solver.spot();
    for hand in ["AhTd", "4h3d"] {
        assert_eq!(spot.strategy(combo(hand)), Some(vec![0.0, 1.0]), "{hand}");
    }
}

#[test]
fn a_best_response_gains_from_a_lock_before_it_is_learnt() {
    let mut solver = polarised();
    solver.run(2000);
    let honest = solver.evaluate();
    let root = solver.subgame().root().clone();
    solver.set_strategy(&root, &|_| vec![0.0, 1.0]).expect("a strategy");
    solver.lock(&root, &|_| true).expect("a lock");
    let locked = solver.evaluate();
    near(honest.best[1] + 100.0, 50.0, 1.0, "value");
    near(locked.best[1] + 100.0, 100.0, 1e-6, "value");
}

#[test]
fn one_hand_locked_leaves_the_others_free() {
    let mut solver = polarised();
    let (root, bluff) = (solver.subgame().root().clone(), combo("4h3d"));
    solver.set_strategy(&root, &|_| vec![1.0, 0.0]).expect("a strategy");
    solver.lock(&root, &|combo| combo == bluff).expect("a lock");
    solver.run_until(1e-5, 3000);
    assert_eq!(solver.spot().strategy(bluff), Some(vec![1.0, 0.0]));
    // Without bluffs nobody pays the nuts: each gets the pot with the better hand.
    near(gets(&mut solver)[0], 100.0, 0.05, "value");
    solver.unlock(&root).expect("a lock");
    solver.run_until(1e-5, 5000);
    near(gets(&mut solver)[0], 150.0, 0.05, "value");
    let share = solver.spot().strategy(bluff).expect("in the range")[1];
    near(share, 0.5, 0.01, "value");
}

/// A lock of one action for all hands is a game without the other actions.
#[test]
fn a_locked_action_is_a_game_without_the_others() {
    let root = super::hand("Td9d6hQc");
    let ranges = [range(FIRST), range(SECOND)];
    let menu = small_menu();
    let first = root.clone();
    let only_check = move |state: &PublicState| {
        let at_root = state.history().len() == first.history().len();
        if at_root { vec![Action::Call] } else { menu(state) }
    };
    let mut ruled = solver(&root, ranges.each_ref(), &only_check);
    let mut locked = solver(&root, ranges.each_ref(), &small_menu());
    let count = locked.spot().actions().len();
    let check = |_| {
        let mut shares = vec![0.0; count];
        shares[0] = 1.0;
        shares
    };
    locked.set_strategy(&root, &check).expect("a strategy");
    locked.lock(&root, &|_| true).expect("a lock");
    // The other actions take part in solving, but nobody is paid for them.
    let [ruled, locked] = [&mut ruled, &mut locked].map(|solver| solver.run_until(2e-4, 3000));
    for player in 0..2 {
        near(locked.values[player], ruled.values[player], 0.1, "value");
        near(locked.best[player], ruled.best[player], 0.1, "value");
    }
}

/// A strategy of the first player that depends on the ranks only.
fn by_rank(count: usize) -> impl Fn(Combo) -> Vec<f64> {
    move |combo| {
        let [high, low] = combo.cards();
        let bet = f64::from(high.rank().index() + low.rank().index()) / 30.0;
        let mut shares = vec![bet / (count - 1) as f64; count];
        shares[0] = 1.0 - bet;
        shares
    }
}

#[test]
fn locks_are_the_same_with_suits_merged_and_not() {
    // Clubs and spades are equivalent.
    let root = super::hand("Td9d6h");
    let ranges = [range("AA,KQs,76s"), range("QQ-JJ:0.75,98s")];
    let [merged, each] = [true, false].map(|symmetric| {
        let subgame =
            Subgame::with_symmetries(&root, ranges.each_ref(), &bets("flop 1: 50%"), symmetric);
        let mut solver =
            Solver::new(subgame.expect("a subgame"), Options::default()).expect("small");
        let count = solver.spot().actions().len();
        solver.set_strategy(&root, &by_rank(count)).expect("a strategy");
        solver.lock(&root, &|_| true).expect("a lock");
        // A later node, on a card that is not the first of its class.
        let after = |word: &str| {
            solvers::subgame::read_spot(&solver, word).map(|asked| asked.state).expect("a spot")
        };
        let turn = after("x x 2s");
        solver.set_strategy(&turn, &|_| vec![1.0]).expect("a strategy");
        solver.run(60);
        for (combo, strategy) in solver.spot().strategies() {
            assert_eq!(strategy, by_rank(count)(combo), "{combo}");
        }
        solver.evaluate()
    });
    for player in 0..2 {
        near(merged.values[player], each.values[player], 1e-2, "value");
        near(merged.best[player], each.best[player], 1e-2, "value");
    }
}

#[test]
fn a_lock_that_tells_equivalent_suits_apart_is_refused() {
    let root = super::hand("Td9d6h");
    let ranges = [range("AA,KQs"), range("QQ-JJ:0.75,98s")];
    let clubs_of_both = combo("KcQc");
    let clubs = |combo: Combo| {
        let bets = combo == clubs_of_both;
        if bets { vec![0.0, 1.0] } else { vec![1.0, 0.0] }
    };
    let mut made = [true, false].map(|symmetric| {
        let subgame =
            Subgame::with_symmetries(&root, ranges.each_ref(), &bets("flop 1: 50%"), symmetric);
        Solver::new(subgame.expect("a subgame"), Options::default()).expect("small")
    });
    let error = made[0].set_strategy(&root, &clubs).expect_err("not the same for spades");
    assert!(error.to_string().contains("equivalent"), "{error}");
    let error = made[0].lock(&root, &|combo| combo == clubs_of_both).expect_err("one of two");
    assert!(error.to_string().contains("KcQc"), "{error}");
    made[1].set_strategy(&root, &clubs).expect("nothing is merged");
}

#[test]
fn a_lock_survives_a_snapshot_and_a_return_to_the_best() {
    let root = super::hand("Td9d6hQc2s");
    let ranges = [uneven(&range(FIRST)), uneven(&range(SECOND))];
    let make = || {
        let mut solver = solver(&root, ranges.each_ref(), &small_menu());
        let count = solver.spot().actions().len();
        solver.set_strategy(&root, &by_rank(count)).expect("a strategy");
        solver.lock(&root, &|_| true).expect("a lock");
        solver
    };
    let mut whole = make();
    whole.run(40);
    let mut begun = make();
    begun.run(15);
    let mut bytes = Vec::new();
    begun.write(&[], 0.0, &mut bytes).expect("memory");
    let (mut resumed, _) = make().resume(&[], bytes.as_slice()).expect("a snapshot");
    resumed.run(25);
    assert_eq!(whole.evaluate(), resumed.evaluate());
    // The same iterations again from the start.
    whole.check(1e9);
    let before = whole.evaluate();
    whole.step();
    whole.return_to_best();
    assert_eq!(whole.evaluate(), before);
}

#[test]
fn hands_keep_to_the_lock_where_the_other_player_acts_next() {
    let mut solver = polarised();
    let root = solver.subgame().root().clone();
    let bet = solvers::subgame::read_spot(&solver, "b200").expect("a spot").state;
    solver.set_strategy(&bet, &|_| vec![0.25, 0.75]).expect("a strategy");
    solver.lock(&bet, &|_| true).expect("a lock");
    solver.run_until(1e-5, 3000);
    // Called three times out of four, a bluff of the pot loses money: only the nuts bet.
    near(gets(&mut solver)[0], 0.5 * (0.25 * 200.0 + 0.75 * 400.0), 0.05, "value");
    let spot = Spot::at_state(&solver, &bet).expect("a spot");
    assert_eq!(spot.strategy(combo("AcKh")), Some(vec![0.25, 0.75]));
    let values = solver.hand_values(Player::Second, &root).expect("a spot");
    assert_eq!(values.len(), 1);
}

#[test]
fn strategies_that_are_none_are_refused() {
    let mut solver = polarised();
    let root = solver.subgame().root().clone();
    for (shares, why) in [
        (vec![1.0], "2 probabilities"),
        (vec![0.5, 0.4], "add up"),
        (vec![1.5, -0.5], "add up"),
        (vec![f64::NAN, 1.0], "add up"),
    ] {
        let error = solver.set_strategy(&root, &|_| shares.clone()).expect_err(why);
        assert!(error.to_string().contains(why), "{error}");
    }
    let subgame = Subgame::new(&root, [&range("AhTd"), &range("AcKh")], &bets("river 1: pot"));
    let options = Options { precision: Precision::Half, ..Options::default() };
    let mut half = Solver::new(subgame.expect("a subgame"), options).expect("small");
    let error = half.set_strategy(&root, &|_| vec![1.0, 0.0]).expect_err("16 bits");
    assert!(error.to_string().contains("32 bits"), "{error}");
}
