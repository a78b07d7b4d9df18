//! Hands of more than two players in which two are left: from the beginning of a street on such a
//! hand is one of two players with the chips of the others in its pot, and is solved as one.
//!
//! Both ranges are by the blueprint's play in the whole hand. Hands that the others have folded
//! make some cards less likely for both; this is left out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use cards::{Board, HoleCards};
use game::{Action, Chips, InfoSet, Played, Policy, PublicState, Seat, Strategy, Street, Turn};
use solvers::subgame::start;

use crate::random_hands::combo;
use crate::reach::{self, ActionMatching};
use crate::resolve::solve::{MIN_PROBABILITY, Resolver, beginning};

/// The number of hands whose solutions are kept.
const KEPT: usize = 8;

/// A hand from the beginning of a street on, where two players are left, as a hand of two.
pub(super) struct TwoLeft {
    /// The hand at the beginning of the street.
    root: PublicState,
    /// Those who are left, the first to act first: seats 0 and 1 of the hand of two.
    seats: [Seat; 2],
    /// The hand of two there.
    start: PublicState,
    /// The chips there for each of the hand.
    units: Chips,
}

impl TwoLeft {
    /// The hand from the first street on, `first` or a later one, at whose beginning two are left
    /// who can still bet; `None` where there is none yet.
    pub(super) fn new(public: &PublicState, first: Street) -> Option<TwoLeft> {
        let streets = Street::ALL.get(first.index()..=public.street().index())?;
        streets.iter().find_map(|&street| TwoLeft::at(beginning(public, street)?))
    }

    fn at(root: PublicState) -> Option<TwoLeft> {
        // Others who are all-in are still in the hand.
        (root.remaining().len() == 2 && root.able().len() == 2).then_some(())?;
        let Turn::Act(first) = root.turn() else { return None };
        let other = root.remaining().iter().find(|&seat| seat != first)?;
        let seats = [first, other];
        // Both have paid half of the pot there, so it must be even.
        let units = if root.pot().is_multiple_of(2) { 1 } else { 2 };
        let pot = Chips::try_from(root.pot()).ok()?.checked_mul(units)?;
        let big_blind = root.def().big_blind().checked_mul(units)?;
        let [one, two] = seats.map(|seat| root.stack(seat).checked_mul(units));
        let smallest = if pot == 2 * big_blind { big_blind } else { big_blind.min(pot / 4) };
        let start = start(&root.board(), pot, [one?, two?], smallest).ok()?;
        Some(TwoLeft { root, seats, start, units })
    }

    /// The seat in the hand of two.
    pub(super) fn seat(&self, seat: Seat) -> Option<Seat> {
        Seat::new(self.seats.iter().position(|&left| left == seat)?)
    }

    /// The hand of two after the actions of a later state of the hand.
    pub(super) fn of_two(&self, public: &PublicState) -> Option<PublicState> {
        let later = &public.history()[self.root.history().len()..];
        let (mut hand, mut two) = (self.root.clone(), self.start.clone());
        for &Played { action, .. } in later {
            deal(&mut hand, &mut two, public.board())?;
            two.apply(self.action_of_two(&hand, &two, action)).ok()?;
            hand.apply(action).ok()?;
        }
        deal(&mut hand, &mut two, public.board())?;
        Some(two)
    }

    /// The hand after the actions of a state of the hand of two; `None` before its start, and where
    /// its actions are not legal.
    fn of_all(&self, two: &PublicState) -> Option<PublicState> {
        let later = two.history().get(self.start.history().len()..)?;
        let (mut hand, mut before) = (self.root.clone(), self.start.clone());
        for &Played { action, .. } in later {
            deal(&mut hand, &mut before, two.board())?;
            hand.apply(self.action_of_all(&hand, &before, action)).ok()?;
            before.apply(action).ok()?;
        }
        deal(&mut hand, &mut before, two.board())?;
        Some(hand)
    }

    /// An action at a state of the hand, in the hand of two.
    fn action_of_two(&self, hand: &PublicState, two: &PublicState, action: Action) -> Action {
        match action {
            Action::RaiseTo(total) => {
                let chips = total.saturating_sub(hand.before_street());
                Action::RaiseTo(two.before_street() + self.units * chips)
            }
            other => other,
        }
    }

    /// An action at a state of the hand of two, in the hand: a bet is made legal there, where the
    /// smallest may be larger and chips may be coarser.
    pub(super) fn action_of_all(
        &self,
        hand: &PublicState,
        two: &PublicState,
        action: Action,
    ) -> Action {
        match (action, hand.legal().raise) {
            (Action::RaiseTo(total), Some(raise)) => {
                let chips = total.saturating_sub(two.before_street()).div_ceil(self.units);
                Action::RaiseTo((hand.before_street() + chips).clamp(raise.min, raise.max))
            }
            (Action::RaiseTo(_), None) => Action::Call,
            (other, _) => other,
        }
    }

    /// A strategy at a state of the hand of two, in the hand; bets that are the same there are one.
    pub(super) fn strategy_of_all(
        &self,
        hand: &PublicState,
        two: &PublicState,
        strategy: &Strategy,
    ) -> Strategy {
        let mut actions: Vec<(Action, f64)> = Vec::with_capacity(strategy.actions.len());
        for &(action, share) in &strategy.actions {
            let action = self.action_of_all(hand, two, action);
            match actions.iter_mut().find(|(known, _)| *known == action) {
                Some((_, sum)) => *sum += share,
                None => actions.push((action, share)),
            }
        }
        Strategy { actions }
    }

    /// What a seat of the hand of two wins there over the whole hand, in chips of the hand over all
    /// of it.
    pub(super) fn value(&self, seat: Seat, value: f64) -> f64 {
        let paid = |state: &PublicState, seat: Seat| f64::from(state.committed()[seat]);
        let gets = (value + paid(&self.start, seat)) / f64::from(self.units);
        gets - paid(&self.root, self.seats[seat.index()])
    }
}

/// Deals the cards of a board in both.
fn deal(hand: &mut PublicState, two: &mut PublicState, board: Board) -> Option<()> {
    hand.deal_from(&board).ok()?;
    two.deal_from(&board).ok()
}

/// The blueprint in the hand of two: from its start on as in the hand, and before it so that both
/// come there with their ranges in the hand.
struct Seen {
    hand: Arc<TwoLeft>,
    blueprint: Arc<dyn Policy>,
    /// For each seat, of the hand of two, how often each hand is played on at each of its actions
    /// before the start.
    shares: [Vec<f64>; 2],
}

impl Seen {
    fn new(hand: Arc<TwoLeft>, blueprint: Arc<dyn Policy>) -> Seen {
        let shares = [0, 1].map(|seat: usize| {
            let (root, own) = (&hand.root, hand.seats[seat]);
            let how = (ActionMatching::Sizes, MIN_PROBABILITY);
            let range = reach::at_street(root.street(), &*blueprint, root, own, how);
            let most = range.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            let acts = hand.start.history().iter().filter(|played| played.seat.index() == seat);
            // All of them together are the weight.
            let power = 1.0 / acts.count().max(1) as f64;
            range.into_iter().map(|weight| (weight / most).powf(power)).collect()
        });
        Seen { hand, blueprint, shares }
    }
}

impl Policy for Seen {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let mut found = None;
        let InfoSet { public, seat, hole } = infoset;
        self.strategies(public, *seat, &[*hole], &mut |_, strategy| {
            found = Some(strategy.clone());
        });
        found.unwrap_or_else(|| Strategy::pure(Action::Call))
    }

    fn strategies(
        &self,
        two: &PublicState,
        seat: Seat,
        hands: &[HoleCards],
        visit: &mut dyn FnMut(usize, &Strategy),
    ) {
        if let Some(played) = self.hand.start.history().get(two.history().len()) {
            for (number, &hole) in hands.iter().enumerate() {
                let share = combo(hole).map_or(0.0, |hand| self.shares[seat.index()][hand.index()]);
                let weights = [(played.action, share), (Action::Fold, 1.0 - share)];
                let strategy = Strategy::from_weights(weights);
                visit(number, &strategy.unwrap_or_else(|| Strategy::pure(Action::Fold)));
            }
            return;
        }
        let Some(hand) = self.hand.of_all(two) else {
            let call = Strategy::pure(Action::Call);
            (0..hands.len()).for_each(|number| visit(number, &call));
            return;
        };
        let own = self.hand.seats[seat.index()];
        self.blueprint.strategies(&hand, own, hands, &mut |number, strategy| {
            let actions = strategy.actions.iter();
            let mapped = actions
                .map(|&(action, share)| (self.hand.action_of_two(&hand, two, action), share));
            let strategy = Strategy { actions: mapped.collect() };
            visit(number, &strategy);
        });
    }
}

/// Solves hands in which two are left.
pub(super) struct Many {
    /// The options of each hand's solver; its blueprint is that of the whole hand.
    plan: Resolver,
    hands: Mutex<VecDeque<(Key, Arc<Left>)>>,
}

/// What a hand of two depends on.
type Key = (Vec<Played>, Board);

/// A hand of two with its solver.
pub(super) struct Left {
    pub(super) hand: Arc<TwoLeft>,
    pub(super) solver: Resolver,
}

impl Many {
    pub(super) fn new(plan: Resolver) -> Many {
        Many { plan, hands: Mutex::default() }
    }

    /// The hand of two that a state leads to, if two are left.
    pub(super) fn left_at(&self, public: &PublicState) -> Option<Arc<Left>> {
        // Flops are solved with values for two players' blueprints.
        let hand = TwoLeft::new(public, self.plan.first.max(Street::Turn))?;
        let key = (hand.root.history().to_vec(), hand.root.board());
        let hands = || parallel::lock(&self.hands);
        if let Some((_, known)) = hands().iter().find(|(known, _)| *known == key) {
            return Some(Arc::clone(known));
        }
        let (hand, street) = (Arc::new(hand), key.1.len());
        let first = if street == 5 { Street::River } else { Street::Turn };
        let blueprint = Seen::new(Arc::clone(&hand), Arc::clone(&self.plan.blueprint));
        let solver = self.plan.for_hand(Arc::new(blueprint), first);
        let left = Arc::new(Left { hand, solver });
        let mut hands = hands();
        hands.truncate(KEPT - 1);
        hands.push_front((key, Arc::clone(&left)));
        Some(left)
    }
}

#[cfg(test)]
mod tests {
    use cards::{Card, CardSet};
    use game::{BySeat, GameDef, GameSpec, games};
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64Mcg;

    use super::*;

    /// No-limit hold'em for some players with these stacks and blinds.
    fn holdem(stacks: Vec<Chips>, blinds: [Chips; 2]) -> Arc<GameDef> {
        let players = stacks.len();
        let mut all = vec![0; players];
        all[..2].copy_from_slice(&blinds);
        let two = games::nolimit_holdem();
        let spec = GameSpec {
            players,
            stacks,
            blinds: all,
            first_to_act: vec![2 % players, 0, 0, 0],
            ..two.spec().clone()
        };
        Arc::new(GameDef::new(spec).expect("a game"))
    }

    /// A random hand, with everybody's cards, and its states after each action.
    fn random_hand(
        def: &Arc<GameDef>,
        random: &mut Pcg64Mcg,
    ) -> (Vec<PublicState>, BySeat<HoleCards>) {
        let mut deck: Vec<Card> = CardSet::FULL.iter().collect();
        deck.shuffle(random);
        let hole = BySeat::from_fn(def.players, |seat| {
            HoleCards::new(&deck[2 * seat.index()..][..2]).expect("two cards")
        });
        let board = Board::new(&deck[40..45]).expect("five cards");
        let mut state = PublicState::new(def);
        let mut states = Vec::new();
        loop {
            state.deal_from(&board).expect("cards");
            states.push(state.clone());
            if state.turn() == Turn::Over {
                return (states, hole);
            }
            let legal = state.legal();
            let action = match (random.random_range(0..10), legal.raise) {
                (0..3, _) if legal.fold => Action::Fold,
                (8.., Some(raise)) => {
                    Action::RaiseTo(random.random_range(raise.min..=raise.max.min(3 * raise.min)))
                }
                _ => Action::Call,
            };
            state.apply(action).expect("a legal action");
        }
    }

    #[test]
    fn the_hand_of_two_is_won_and_lost_as_the_hand_is_whatever_its_chips() {
        let mut random = Pcg64Mcg::seed_from_u64(5);
        let mut compared = [0; 2];
        for number in 0..4_000 {
            let players = 3 + number % 4;
            let stacks = (0..players).map(|_| random.random_range(300..20_000)).collect();
            // Odd blinds make odd pots.
            let def = holdem(stacks, [[50, 100], [33, 67]][number / 4 % 2]);
            let (states, hole) = random_hand(&def, &mut random);
            let Some(over) = states.last().cloned() else { continue };
            let Some(left) = TwoLeft::new(&over, Street::Turn) else { continue };
            let begun = left.root.history().len();
            for state in states.iter().filter(|state| state.history().len() >= begun) {
                let two = left.of_two(state).expect("its actions are legal there");
                assert_eq!(two.turn() == Turn::Over, state.turn() == Turn::Over);
                assert_eq!(two.pot(), u64::from(left.units) * state.pot());
                assert_eq!(two.board(), state.board());
                for (number, &seat) in left.seats.iter().enumerate() {
                    let own = Seat::new(number).expect("two seats");
                    assert_eq!(two.stack(own), left.units * state.stack(seat));
                    if let Turn::Act(acts) = state.turn() {
                        assert_eq!(two.turn() == Turn::Act(own), acts == seat);
                    }
                }
                let back = left.of_all(&two).expect("its actions are legal here");
                assert_eq!((back.history(), back.pot()), (state.history(), state.pot()));
            }
            let two = left.of_two(&over).expect("the end");
            let cards = BySeat::from_fn(2, |seat| hole[left.seats[seat.index()]]);
            let [won, lost] = [over.payoffs(&hole), two.payoffs(&cards)];
            for (number, &seat) in left.seats.iter().enumerate() {
                let own = Seat::new(number).expect("two seats");
                let value = left.value(own, lost[own].chips());
                assert!((value - won[seat].chips()).abs() < 1e-9, "{value} {:?}", won[seat]);
            }
            compared[usize::from(left.units > 1)] += 1;
        }
        assert!(compared.iter().all(|&some| some > 50), "{compared:?}");
    }

    #[test]
    fn where_others_are_all_in_or_nobody_has_folded_nothing_is_solved() {
        let def = holdem(vec![10_000, 10_000, 500], [50, 100]);
        let board: Board = "Ks8h3d7c2s".parse().expect("a board");
        let reached = |actions: &[Action]| {
            let mut state = PublicState::new(&def);
            for &action in actions {
                state.deal_from(&board).expect("cards");
                state.apply(action).expect("legal");
            }
            state.deal_from(&board).expect("cards");
            state
        };
        let call = Action::Call;
        // The button is all-in: two can bet, but three are left.
        let all_in = reached(&[Action::RaiseTo(500), call, call, call, call, call, call]);
        assert!(TwoLeft::new(&all_in, Street::Turn).is_none());
        let three = reached(&[call; 9]);
        assert!(TwoLeft::new(&three, Street::Turn).is_none());
        let mut folded = vec![call; 6];
        folded.extend([Action::RaiseTo(300), Action::Fold, call]);
        let folded = reached(&folded);
        let left = TwoLeft::new(&folded, Street::Turn).expect("two on the river");
        assert_eq!((left.root.street(), left.root.pot()), (Street::River, 700));
    }

    #[test]
    fn both_come_to_the_hand_of_two_with_their_ranges_in_the_hand() {
        let def = holdem(vec![20_000; 3], [50, 100]);
        let cfr = crate::Registry::standard().resolve("cfr").expect("an agent");
        let blueprint = cfr.policy(&def).expect("its game").expect("a policy");
        let board: Board = "Ks8h3d7c2s".parse().expect("a board");
        let mut state = PublicState::new(&def);
        let (call, fold) = (Action::Call, Action::Fold);
        for action in [Action::RaiseTo(250), fold, call, call, Action::RaiseTo(650), call] {
            state.deal_from(&board).expect("cards");
            state.apply(action).expect("legal");
        }
        state.deal_from(&board).expect("cards");
        let left = Arc::new(TwoLeft::new(&state, Street::Turn).expect("two are left"));
        let seen = Seen::new(Arc::clone(&left), Arc::clone(&blueprint));
        for number in 0..2 {
            let (own, seat) = (Seat::new(number).expect("two seats"), left.seats[number]);
            let how = (ActionMatching::Sizes, MIN_PROBABILITY);
            let [two, hand] = [
                reach::at_street(Street::Turn, &seen, &left.start, own, how),
                reach::at_street(Street::Turn, &*blueprint, &left.root, seat, how),
            ];
            let most = hand.iter().copied().fold(0.0, f64::max);
            for (two, hand) in two.iter().zip(&hand) {
                let expected = hand / most;
                // Two decisions, none of which is below the smallest probability.
                let least = MIN_PROBABILITY.powi(2);
                assert!((two - expected).abs() < 1e-9 + least, "{two} {expected}");
            }
            assert!(two.iter().filter(|&&weight| weight > 0.5).count() > 5);
        }
    }
}
