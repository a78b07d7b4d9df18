//! Local best response: against agents whose results are known, and by trying everything.

use std::sync::Arc;

use cards::{Board, Card, CardSet, Combo, HoleCards, evaluate};
use game::{Action, BySeat, GameDef, InfoSet, Policy, PublicState, Seat, Strategy, Street, games};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use solvers::lbr::{Deal, LocalBestResponse, Moves, Posterior, Won};

use crate::{By, board, calls, combo, folds, mean_and_error};

/// Mixes fold, call and the smallest raise by the cards it holds and what was played.
fn mixes(infoset: &InfoSet) -> Strategy {
    let legal = infoset.legal();
    let mut seed = infoset.public.history().len() as u64;
    for card in infoset.hole.iter().chain(infoset.public.board().iter()) {
        seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(card.index()) + 1);
    }
    let weight = |part: u32| ((seed.rotate_left(part) % 16) as f64).max(1.0);
    let fold = legal.fold.then(|| (Action::Fold, weight(11)));
    let raise = legal.raise.map(|raise| (Action::RaiseTo(raise.min), weight(37)));
    let actions = fold.into_iter().chain([(Action::Call, weight(23))]).chain(raise);
    Strategy::from_weights(actions).expect("weights above 0")
}

pub(crate) fn deal(rng: &mut Pcg64Mcg) -> Deal {
    let mut deck: Vec<Card> = Card::all().collect();
    let mut draw = |count: usize| -> Vec<Card> {
        (0..count).map(|_| deck.swap_remove(rng.random_range(0..deck.len()))).collect()
    };
    let hole = BySeat::from_fn(2, |_| HoleCards::new(&draw(2)).expect("two"));
    Deal { hole, board: Board::new(&draw(5)).expect("five") }
}

fn nolimit() -> Arc<GameDef> {
    Arc::new(games::nolimit_holdem())
}

/// Both hands of some deals: what the response won in seat 0 and in seat 1.
fn play(
    def: &Arc<GameDef>,
    agent: &dyn Policy,
    moves: Moves,
    from: Street,
    deals: u64,
) -> Vec<[Won; 2]> {
    let response = LocalBestResponse::new(def, agent, moves, from).expect("hold'em");
    let both = |number| {
        let mut rng = Pcg64Mcg::seed_from_u64(number);
        let deal = deal(&mut rng);
        [0, 1].map(|seat| {
            let seat = Seat::new(seat).expect("two seats");
            response.play(&deal, seat, &mut rng).expect("a distribution")
        })
    };
    (0..deals).map(both).collect()
}

/// Mean over hands in big blinds and the half-width of its 95 % interval.
fn rate(won: &[[Won; 2]], of: impl Fn(&Won) -> game::Payoff) -> (f64, f64) {
    let deals: Vec<f64> =
        won.iter().map(|both| both.iter().map(&of).sum::<game::Payoff>().chips() / 200.0).collect();
    let (mean, error) = mean_and_error(&deals);
    (mean, 1.96 * error)
}

/// Deals to play.
fn some() -> u64 {
    testing::size(100, 1000)
}

#[test]
fn choosing_for_all_hands_at_once_is_choosing_for_each() {
    let (def, agent) = (nolimit(), By(mixes));
    let seats = [0, 1].map(|seat| Seat::new(seat).expect("two seats"));
    for (number, moves) in (0..).zip([Moves::FoldCall, Moves::FoldCallPotAllIn, Moves::Bets56]) {
        for from in [Street::Turn, Street::River] {
            let response = LocalBestResponse::new(&def, &agent, moves, from).expect("hold'em");
            let deal = deal(&mut Pcg64Mcg::seed_from_u64(number));
            let mut public = PublicState::new(&def);
            while public.street() < from {
                public.apply(Action::Call).expect("a call or a check");
                public.deal_from(&deal.board).expect("cards");
            }
            // The agent's first action tells something about its hand.
            let first = public.clone();
            public.apply(Action::RaiseTo(first.legal().raise.expect("chips").min)).expect("a bet");
            let held = Combo::new(deal.hole[seats[0]][0], deal.hole[seats[0]][1]).expect("two");
            let posterior = |seen: CardSet| {
                let mut posterior = Posterior::new(seen);
                let raise = public.history().last().expect("it has bet").action;
                posterior.observe(&agent, &first, seats[0], held, |_| raise);
                posterior
            };
            let board = public.board().set();
            let hands: Vec<Combo> =
                Combo::all().filter(|hand| !hand.set().intersects(board)).step_by(7).collect();
            let all = posterior(board);
            let chosen = response.choose_each(&public, seats[1], &hands, all.weights());
            let mut kinds = [0; 3];
            for (&hand, chosen) in hands.iter().zip(chosen) {
                let one = posterior(hand.cards().into_iter().fold(board, CardSet::with));
                let (action, _) = response.choose(&public, seats[1], hand, &one);
                assert_eq!(action, chosen, "{moves} on the {from} with {hand}");
                kinds[match action {
                    Action::Fold => 0,
                    Action::Call => 1,
                    Action::RaiseTo(_) => 2,
                }] += 1;
            }
            assert!(kinds[0] > 0 && kinds[1] + kinds[2] > 0, "{moves}: {kinds:?}");
        }
    }
}

#[test]
fn always_folding_loses_exactly_the_blinds() {
    for from in [Street::Preflop, Street::Turn] {
        for moves in [Moves::FoldCallPotAllIn, Moves::Bets56] {
            // In seat 0, the big blind, it wins the small blind of 50; in seat 1 the big one of
            // 100.
            for both in play(&nolimit(), &By(folds), moves, from, 40) {
                assert_eq!(both.map(|won| won.dealt.chips()), [50.0, 100.0], "{moves} {from}");
                assert_eq!(both.map(|won| won.expected.chips()), [50.0, 100.0], "{moves} {from}");
            }
        }
    }
}

#[test]
fn always_calling_loses_what_is_published() {
    for (from, published) in [(Street::Preflop, 33.0), (Street::Turn, 50.0)] {
        for moves in [Moves::FoldCallPotAllIn, Moves::Bets56] {
            let won = play(&nolimit(), &By(calls), moves, from, some());
            let (dealt, dealt_half) = rate(&won, |won| won.dealt);
            let (expected, half) = rate(&won, |won| won.expected);
            assert!((dealt - published).abs() < dealt_half + 1.0, "{dealt} ± {dealt_half}");
            assert!((expected - published).abs() < half + 1.0, "{expected} ± {half}");
            assert!(half < dealt_half);
        }
    }
}

#[test]
fn the_two_ways_of_counting_agree() {
    // What the agent held and what might have come is averaged out of `expected`, nothing else.
    for (from, moves) in
        [(Street::Preflop, Moves::FoldCallPotAllIn), (Street::Turn, Moves::FoldCall)]
    {
        let won = play(&nolimit(), &By(mixes), moves, from, some());
        let difference: Vec<f64> = won
            .iter()
            .map(|both| both.iter().map(|w| w.dealt.chips() - w.expected.chips()).sum())
            .collect();
        let (mean, error) = mean_and_error(&difference);
        assert!(mean.abs() < 3.5 * error, "{from} {moves}: {mean} ± {error}");
    }
}

#[test]
fn random_play_loses_in_both_games() {
    let (won, half) = rate(
        &play(&nolimit(), &By(mixes), Moves::FoldCallPotAllIn, Street::Preflop, some()),
        |won| won.expected,
    );
    assert!(won - half > 0.0 && won < 200.0, "{won} ± {half}");
    let limit = Arc::new(games::limit_holdem());
    for moves in [Moves::FoldCall, Moves::FoldCallRaise] {
        let won = play(&limit, &By(mixes), moves, Street::Preflop, some());
        // The big blind is 10, and rates are in blinds of 100.
        let (won, half) = rate(&won, |won| won.expected);
        assert!(10.0 * (won - half) > 0.0, "{moves}: {won} ± {half}");
    }
}

#[test]
fn the_posterior_is_that_of_bayes_and_choices_are_those_of_all_boards() {
    let def = nolimit();
    // Both call before the flop, then check; on the turn the agent (seat 0) acts first.
    let board = board("Ks9d4h7c");
    let hole = combo("Kd8s");
    let [agent, seat] = [0, 1].map(|seat| Seat::new(seat).expect("two seats"));
    let policy = By(mixes);
    let mut public = PublicState::new(&def);
    let mut posterior = Posterior::new(hole.set());
    // The product of the probabilities of everything the agent did, for each hand.
    let mut likelihood = [1.0; Combo::COUNT];
    let held = combo("QhJh");
    for (action, of) in [
        (Action::Call, seat),
        (Action::Call, agent),
        (Action::Call, agent),
        (Action::Call, seat),
        (Action::RaiseTo(200), agent),
    ] {
        if let game::Turn::Deal(street) = public.turn() {
            let from = public.board().len();
            public.deal(&board[from..def.board_len(street)]).expect("due");
            posterior.remove(public.board().set());
        }
        if of == agent {
            for combo in Combo::all() {
                let hole = HoleCards::new(&combo.cards()).expect("two");
                let infoset = InfoSet { public: public.clone(), seat: agent, hole };
                likelihood[combo.index()] *= mixes(&infoset).probability(action);
            }
            posterior.observe(&policy, &public, agent, held, |_| action);
        }
        public.apply(action).expect("legal");
    }
    let seen: CardSet = hole.set() | board.set();
    for combo in Combo::all() {
        let free = !combo.set().intersects(seen);
        let expected = if free { likelihood[combo.index()] } else { 0.0 };
        let found = posterior.weights()[combo.index()];
        assert!((found - expected).abs() < 1e-15, "{combo}: {found}, not {expected}");
    }

    // The response faces a bet of a pot of 100 each: all its choices by trying every hand and
    // river.
    let worth = |weights: &dyn Fn(Combo) -> f64| {
        let (mut won, mut all) = (0.0, 0.0);
        for other in Combo::all().filter(|other| !other.set().intersects(seen)) {
            let rivers = (CardSet::FULL - seen - other.set()).iter();
            for river in rivers {
                let full = board.set().with(river);
                let order = evaluate(hole.set() | full).cmp(&evaluate(other.set() | full));
                won += weights(other) * (1.0 + f64::from(order as i8)) / 2.0;
                all += weights(other);
            }
        }
        (won / all, all)
    };
    let weight = |combo: Combo| likelihood[combo.index()];
    let (equity, all) = worth(&weight);
    let mut best = (Action::Call, equity * 300.0 - (1.0 - equity) * 100.0);
    if best.1 <= 0.0 {
        best = (Action::Fold, 0.0);
    }
    for total in [200 + 400, 20_000] {
        let mut after = public.clone();
        after.apply(Action::RaiseTo(total)).expect("legal");
        let folds = |combo: Combo| {
            let hole = HoleCards::new(&combo.cards()).expect("two");
            let infoset = InfoSet { public: after.clone(), seat: agent, hole };
            mixes(&infoset).probability(Action::Fold)
        };
        let (equity, left) = worth(&|combo| weight(combo) * (1.0 - folds(combo)));
        let folded = 1.0 - left / all;
        let called = equity * f64::from(100 + total) - (1.0 - equity) * f64::from(total - 100);
        let value = folded * 300.0 + (1.0 - folded) * called;
        if value > best.1 {
            best = (Action::RaiseTo(total), value);
        }
    }
    let response = LocalBestResponse::new(&def, &policy, Moves::FoldCallPotAllIn, Street::Preflop)
        .expect("hold'em");
    let (action, value) = response.choose(&public, seat, hole, &posterior);
    assert_eq!(action, best.0);
    assert!((value - best.1).abs() < 1e-9 * best.1.abs().max(1.0), "{value}, not {}", best.1);
}

#[test]
fn moves_are_those_of_the_paper() {
    let def = nolimit();
    let raises = |moves: Moves, betting: &str, board: &str| {
        moves.raises(&game::notation::replay(&def, betting, &self::board(board)).expect("a hand"))
    };
    assert!(raises(Moves::FoldCall, "", "").is_empty());
    assert_eq!(raises(Moves::FoldCallPotAllIn, "", ""), [300, 20_000]);
    assert_eq!(raises(Moves::FoldCallPotAllIn, "r300", ""), [900, 20_000]);
    assert!(raises(Moves::FoldCallPotAllIn, "r20000", "").is_empty());
    assert_eq!(raises(Moves::FoldCallPotAllIn, "r8000c/", "2c3c4c"), [20_000]);
    // In a pot of 2,000, 0.05 of it is the smallest bet, and 0.05 · 1.15^36 = 7.66 the largest
    // below all-in: 38 with that.
    let bets = raises(Moves::Bets56, "r1000c/", "2c3c4c");
    assert_eq!((bets[0], bets[1], bets[bets.len() - 1]), (1100, 1115, 20_000));
    assert_eq!(bets.len(), 39);
    let limit = games::limit_holdem();
    let state = PublicState::new(&Arc::new(limit));
    assert_eq!(Moves::FoldCallRaise.raises(&state), [20]);
    for moves in Moves::ALL {
        assert_eq!(moves.to_string().parse(), Ok(moves));
    }
    assert!("fcp".parse::<Moves>().is_err());
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let refuse = |def: GameDef, moves| {
        let agent = By(calls);
        LocalBestResponse::new(&Arc::new(def), &agent, moves, Street::Preflop)
            .err()
            .map_or_else(String::new, |error| error.to_string())
    };
    for def in [games::kuhn(), games::leduc(), games::nolimit_holdem_with(vec![1_000; 3])] {
        assert!(refuse(def, Moves::FoldCall).contains("for hold'em of two players"));
    }
    let wrong = |def, moves| refuse(def, moves).contains("not for this game");
    assert!(wrong(games::limit_holdem(), Moves::Bets56));
    assert!(wrong(games::limit_holdem(), Moves::FoldCallPotAllIn));
    assert!(wrong(games::nolimit_holdem(), Moves::FoldCallRaise));
    // A strategy that sums to one half, and one that raises beyond its stack.
    for strategy in [vec![(Action::Call, 0.5)], vec![(Action::RaiseTo(30_000), 1.0)]] {
        let agent = By(move |_: &InfoSet| Strategy { actions: strategy.clone() });
        let def = nolimit();
        let response = LocalBestResponse::new(&def, &agent, Moves::FoldCall, Street::Preflop)
            .expect("hold'em");
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let deal = deal(&mut rng);
        let played = response.play(&deal, Seat::new(0).expect("a seat"), &mut rng);
        let error = played.expect_err("not a strategy").to_string();
        assert!(error.contains("is not a distribution"), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn nobody_wins_more_than_a_stack(seed in any::<u64>(), stacks in [200u32..3000, 200u32..3000]) {
        let def = Arc::new(games::nolimit_holdem_with(stacks.to_vec()));
        let most = f64::from(stacks[0].min(stacks[1]));
        let agent = By(mixes);
        let response =
            LocalBestResponse::new(&def, &agent, Moves::FoldCallPotAllIn,
                Street::Preflop).expect("hold'em");
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let deal = deal(&mut rng);
        for seat in Seat::all(2) {
            let won = response.play(&deal, seat, &mut rng).expect("a distribution");
            for won in [won.dealt, won.expected] {
                prop_assert!(won.chips().abs() <= most, "{won} of {most}");
            }
        }
    }
}
