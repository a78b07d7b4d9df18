//! Two strategies valued against each other at spots of play, over all hands and cards.
//!
//! An agent plays hands against itself up to a street. From there on both strategies are valued,
//! each in both seats, with all hands that come there as often as that agent comes there with them:
//! every action of either is followed, and every pair of hands is counted. Only cards that are
//! still to come are drawn, and, if wanted, which of the rare lines are followed; what is drawn
//! counts only for what it brings beyond hands that are checked down, which are followed over all
//! cards. What one wins more than the other is what it would win from it in matches in which both
//! play earlier streets as that agent does, with a fraction of the spread.
//!
//! A strategy that is valued against itself wins nothing, exactly.

use std::sync::Arc;

use agents::reach::{self, Alike};
use cards::{Card, CardSet, Combo, HoleCards, Showdown};
use game::{Action, GameDef, InfoSet, Policy, PublicState, Seat, Strategy, Street, Turn};
use logs::Rate;
use matches::deals::{Deal, Dealer};
use matches::stop::Stop;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::pool;

/// Weights of all combos.
type Weights = Vec<f64>;

/// Hands that a thread takes at a time.
const BLOCK: u64 = 8;
/// Lines with less weight than this share of a spot's are not followed.
const LEAST: f64 = 1e-9;

/// What is to be valued.
pub struct Duel {
    /// Heads-up hold'em.
    pub def: Arc<GameDef>,
    /// Whose play is valued, and against whose.
    pub policies: [Arc<dyn Policy>; 2],
    /// Who plays until then.
    pub before: Arc<dyn Policy>,
    /// From where on.
    pub street: Street,
    /// Lines of play with less than this share of a spot's weight are drawn: followed as often as
    /// their weight is a part of it, and then counted for so much. 0 follows all of them.
    pub sample_below: f64,
    /// Hands that are begun; not all come to the street.
    pub hands: u64,
    /// Determines the cards and all draws.
    pub seed: u64,
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Valued {
    /// Hands that were begun.
    pub hands: u64,
    /// Those that came to the street with something left to decide.
    pub spots: u64,
    /// What the first wins from the second, over all hands; those that do not come to the street
    /// count for nothing. `None` below two hands.
    pub rate: Option<Rate>,
    /// The same at spots alone, in big blinds a spot.
    pub at_spots: f64,
}

/// Values, on so many threads; the result does not depend on their number. `visit` is told how many
/// hands are done.
pub fn duel(duel: &Duel, threads: usize, stop: &Stop, mut visit: impl FnMut(u64)) -> Valued {
    let blocks: Vec<u64> = (0..duel.hands.div_ceil(BLOCK)).collect();
    let mut sums: Vec<Option<Sums>> = vec![None; blocks.len()];
    let mut done = 0;
    let work = |&block: &u64| Ok::<_, std::convert::Infallible>((block, duel.block(block)));
    let collected = pool::each(&blocks, threads, stop, work, |result| {
        if let Some((block, found)) = result {
            done += found.hands;
            sums[block as usize] = Some(found);
        }
        visit(done);
        Ok(())
    });
    let Ok(()) = collected;
    let all = sums.into_iter().flatten().fold(Sums::default(), Sums::and);
    all.valued()
}

#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    hands: u64,
    spots: u64,
    /// In big blinds.
    won: f64,
    squares: f64,
}

impl Sums {
    fn and(self, other: Sums) -> Sums {
        Sums {
            hands: self.hands + other.hands,
            spots: self.spots + other.spots,
            won: self.won + other.won,
            squares: self.squares + other.squares,
        }
    }

    fn valued(self) -> Valued {
        let n = self.hands as f64;
        let mean = self.won / n;
        let rate = (self.hands > 1).then(|| {
            let variance = (self.squares - n * mean * mean).max(0.0) / (n - 1.0);
            Rate::from_error(1000.0 * mean, 1000.0 * (variance / n).sqrt(), self.hands, self.hands)
        });
        let at_spots = if self.spots > 0 { self.won / self.spots as f64 } else { 0.0 };
        Valued { hands: self.hands, spots: self.spots, rate, at_spots }
    }
}

impl Duel {
    fn block(&self, block: u64) -> Sums {
        let mut sums = Sums::default();
        let mut dealer = Dealer::new(&self.def, self.seed);
        for hand in (block * BLOCK..(block + 1) * BLOCK).take_while(|&hand| hand < self.hands) {
            let mut rng =
                Pcg64Mcg::seed_from_u64(self.seed ^ hand.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            sums.hands += 1;
            let Some(spot) = self.reached(&dealer.deal(hand), &mut rng) else { continue };
            let won = self.value(&spot, &mut rng) / f64::from(self.def.big_blind());
            sums.spots += 1;
            sums.won += won;
            sums.squares += won * won;
        }
        sums
    }

    /// The spot that a hand of self-play comes to; `None` where it ends before, or nobody is left
    /// to act.
    fn reached(&self, deal: &Deal, rng: &mut Pcg64Mcg) -> Option<PublicState> {
        let mut public = PublicState::new(&self.def);
        loop {
            match public.turn() {
                Turn::Over => return None,
                Turn::Deal(_) => public.deal_from(&deal.board).ok()?,
                Turn::Act(_) if public.street() >= self.street => return Some(public),
                Turn::Act(seat) => {
                    let hole = deal.hole[seat];
                    let infoset = InfoSet { public: public.clone(), seat, hole };
                    let strategy = self.before.strategy(&infoset);
                    public.apply_unchecked(strategy.sample(rng.random()));
                }
            }
        }
    }

    /// What the first policy wins from the second at a spot, in chips: the mean of both seats.
    fn value(&self, spot: &PublicState, rng: &mut Pcg64Mcg) -> f64 {
        let seats = [0, 1].map(|seat| Seat::new(seat).expect("two seats"));
        let came = seats.map(|seat| {
            let how = (Alike::Sizes, 0.0);
            reach::on(self.street, &*self.before, spot, seat, how)
        });
        let pairs = pairs(&came[0], &came[1]);
        if pairs <= 0.0 {
            return 0.0;
        }
        // The same cards for both ways to sit, on all lines.
        let mut cards = self.def.deck();
        cards.shuffle(rng);
        let draws: u64 = rng.random();
        let [one, other] = [[0, 1], [1, 0]].map(|order| {
            let mut walk = Walk {
                policies: order.map(|policy: usize| &*self.policies[policy]),
                least: LEAST * pairs,
                drawn: self.sample_below * pairs,
                cards: &cards,
                rng: Pcg64Mcg::seed_from_u64(draws),
            };
            walk.value(spot, &came) / pairs
        });
        0.5 * (one - other)
    }
}

/// One way to sit: what seat 0 wins.
struct Walk<'a> {
    policies: [&'a dyn Policy; 2],
    /// Lines of less weight are left out.
    least: f64,
    /// Those of less weight than this are drawn.
    drawn: f64,
    /// The deck, in the order in which it is dealt.
    cards: &'a [Card],
    rng: Pcg64Mcg,
}

impl Walk<'_> {
    /// The sum over all pairs of hands of their weights and what seat 0 wins, in chips.
    fn value(&mut self, public: &PublicState, reach: &[Weights; 2]) -> f64 {
        match public.turn() {
            Turn::Over => ended(public, reach),
            Turn::Deal(_) => self.deal(public, reach),
            Turn::Act(seat) => self.decide(public, reach, seat),
        }
    }

    fn decide(&mut self, public: &PublicState, reach: &[Weights; 2], seat: Seat) -> f64 {
        let own = &reach[seat.index()];
        let held = Combo::all().filter(|combo| own[combo.index()] > 0.0);
        let combos: Vec<Combo> = held.collect();
        let hole = |combo: &Combo| HoleCards::new(&combo.cards()).expect("room for two cards");
        let holes: Vec<HoleCards> = combos.iter().map(hole).collect();
        let mut after: Vec<(Action, Weights)> = Vec::new();
        let mut visit = |number: usize, strategy: &Strategy| {
            let combo = combos[number].index();
            for &(action, chance) in strategy.actions.iter().filter(|(_, chance)| *chance > 0.0) {
                let at = after.iter().position(|(known, _)| *known == action);
                let at = at.unwrap_or_else(|| {
                    after.push((action, vec![0.0; Combo::COUNT]));
                    after.len() - 1
                });
                after[at].1[combo] += own[combo] * chance;
            }
        };
        self.policies[seat.index()].strategies(public, seat, &holes, &mut visit);
        let mut sum = 0.0;
        for (action, weights) in after {
            let mut next = reach.clone();
            next[seat.index()] = weights;
            let weight = pairs(&next[0], &next[1]);
            if weight <= self.least {
                continue;
            }
            let mut state = public.clone();
            state.apply_unchecked(action);
            if weight < self.drawn && !matches!(state.turn(), Turn::Over) {
                // What is not followed counts as if it was checked down, and what is for as much
                // more or less as it is worth than that.
                let followed = weight / self.drawn;
                let checked = checked_down(&state, &next);
                sum += checked;
                if self.rng.random::<f64>() >= followed {
                    continue;
                }
                sum -= checked / followed;
                next.iter_mut().for_each(|weights| scale(weights, followed.sqrt().recip()));
            }
            sum += self.value(&state, &next);
        }
        sum
    }

    /// The next card: the first of the deck that is not on the board. What it brings hands that are
    /// checked down is set right by what all cards do.
    fn deal(&mut self, public: &PublicState, reach: &[Weights; 2]) -> f64 {
        let board = public.board();
        let mut free = self.cards.iter().copied().filter(|&card| !board.set().contains(card));
        let Some(card) = free.next() else { return 0.0 };
        let left = 1 + free.count();
        let Some((state, next)) = dealt(public, reach, card) else { return 0.0 };
        let checked = checked_down(public, reach);
        if public.able().len() < 2 {
            return checked;
        }
        // A pair of hands leaves four cards fewer to come.
        let times = left as f64 / (left - 4) as f64;
        checked + times * (self.value(&state, &next) - checked_down(&state, &next))
    }
}

fn scale(weights: &mut Weights, by: f64) {
    weights.iter_mut().for_each(|weight| *weight *= by);
}

/// The state and the hands after a card.
fn dealt(
    public: &PublicState,
    reach: &[Weights; 2],
    card: Card,
) -> Option<(PublicState, [Weights; 2])> {
    let mut state = public.clone();
    state.deal(&[card]).ok()?;
    let mut next = reach.clone();
    for combo in Combo::all().filter(|combo| combo.set().contains(card)) {
        next.iter_mut().for_each(|weights| weights[combo.index()] = 0.0);
    }
    Some((state, next))
}

/// What seat 0 wins, summed over all pairs of hands, if nobody puts in more: over all cards that
/// may come.
fn checked_down(public: &PublicState, reach: &[Weights; 2]) -> f64 {
    let board = public.board();
    if board.len() == public.def().full_board_len() || !public.folded().is_empty() {
        return ended(public, reach);
    }
    let stakes = f64::from(public.committed().as_slice().iter().copied().min().unwrap_or(0));
    stakes * margins(public.def(), board.set(), reach)
}

/// What seat 0 wins at showdowns for one chip, over all cards that may come.
fn margins(def: &GameDef, board: CardSet, reach: &[Weights; 2]) -> f64 {
    if board.len() as usize == def.full_board_len() {
        return show(board, reach);
    }
    let free: Vec<Card> = def.deck().into_iter().filter(|&card| !board.contains(card)).collect();
    let of_card = |&card: &Card| {
        let without = reach.each_ref().map(|weights| {
            let mut weights = weights.clone();
            let gone = Combo::all().filter(|combo| combo.set().contains(card));
            gone.for_each(|combo| weights[combo.index()] = 0.0);
            weights
        });
        margins(def, board.with(card), &without)
    };
    free.iter().map(of_card).sum::<f64>() / (free.len() - 4) as f64
}

/// What seat 0 wins at a showdown for one chip, summed over all pairs.
fn show(board: CardSet, reach: &[Weights; 2]) -> f64 {
    let (Ok(showdown), Some(against)) = (Showdown::new(board), reach[1].first_chunk()) else {
        return 0.0;
    };
    let mut margins = [0.0; Combo::COUNT];
    showdown.margins::<f64>(against, &mut margins);
    reach[0].iter().zip(margins).map(|(own, margin)| own * margin).sum()
}

/// What seat 0 wins where a hand is over, summed over all pairs.
fn ended(public: &PublicState, reach: &[Weights; 2]) -> f64 {
    let paid = public.committed();
    let folded =
        (0..2).find(|&seat| Seat::new(seat).is_some_and(|seat| public.folded().contains(seat)));
    let [first, second] = [0, 1].map(|at: usize| f64::from(paid.as_slice()[at]));
    match folded {
        Some(0) => -first * pairs(&reach[0], &reach[1]),
        Some(_) => second * pairs(&reach[0], &reach[1]),
        None => first.min(second) * show(public.board().set(), reach),
    }
}

/// The weight of all pairs of hands that share no card.
fn pairs(one: &[f64], other: &[f64]) -> f64 {
    let mut all = 0.0;
    let mut with = [0.0; 52];
    for combo in Combo::all() {
        let weight = other[combo.index()];
        all += weight;
        combo.cards().iter().for_each(|card| with[usize::from(card.index())] += weight);
    }
    Combo::all()
        .filter(|combo| one[combo.index()] > 0.0)
        .map(|combo| {
            let blocked: f64 =
                combo.cards().iter().map(|card| with[usize::from(card.index())]).sum();
            one[combo.index()] * (all - blocked + other[combo.index()])
        })
        .sum()
}
