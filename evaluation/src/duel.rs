//! The difference in value between two strategies at sampled spots, over all hands.
//!
//! An agent plays hands against itself up to a street. From there both strategies are valued, each
//! in both seats, over all pairs of hands, weighted with that agent's reach probabilities: every
//! action of either is followed. Only the cards still to come are sampled and, if wanted, which of
//! the unlikely lines are followed. Both samples are used with checking down as a control variate,
//! which is computed over all cards. The difference is what one strategy would win from the other
//! in matches in which both play the earlier streets as that agent does, with a fraction of the
//! variance.
//!
//! A strategy valued against itself wins exactly nothing.
//!
//! The result of a hand depends on its number and the seed only. In a [`folder`](crate::folder),
//! `hands.csv` has a line for each: its number, and what was won at its spot, in big blinds;
//! nothing for a hand without a spot.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use agents::AgentChoice;
use agents::reach::{self, Alike};
use cards::{Card, CardSet, Combo, HoleCards, Showdown};
use game::{Action, GameDef, InfoSet, Policy, PublicState, Seat, Strategy, Street, Turn};
use logs::{Provenance, Rate, Shard};
use matches::deals::{Deal, Dealer};
use matches::stop::Stop;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

use crate::folder::{ResultsFolder, StoreError, first_difference, folder_name, has, part};
use crate::pool;

/// The file of results.
pub const HANDS: &str = "hands.csv";

const HEADER: &str = "hand,won\n";

/// Reach probabilities of all combos.
type Weights = Vec<f64>;

/// Hands that a thread takes at a time.
const BLOCK: usize = 8;
/// Lines whose weight is below this share of the spot's are not followed.
const LEAST: f64 = 1e-9;

/// The settings of a duel.
pub struct Duel {
    /// The game: heads-up hold'em.
    pub def: Arc<GameDef>,
    /// The two strategies: the first one's value against the second is computed.
    pub policies: [Arc<dyn Policy>; 2],
    /// The strategy that plays both seats up to `street`.
    pub before: Arc<dyn Policy>,
    /// The street from which on the two are valued.
    pub street: Street,
    /// Lines whose weight is below this share of the spot's are sampled: followed with a
    /// probability proportional to their weight, and scaled up accordingly. 0 follows all of them.
    pub sample_below: f64,
    /// Cards that are followed wherever one is dealt: their mean counts. All of them from 48 on.
    pub cards: u32,
    /// Hands to play; not all reach the street.
    pub hands: u64,
    /// The seed of the cards and all samples.
    pub seed: u64,
}

/// The result of a duel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Valued {
    /// Hands played.
    pub hands: u64,
    /// Hands that reached the street with a decision left.
    pub spots: u64,
    /// The first strategy's win rate over all hands, of which those that do not reach the street
    /// count as zero. `None` with fewer than two hands.
    pub rate: Option<Rate>,
    /// The same over spots alone, in big blinds per spot.
    pub at_spots: f64,
}

/// Results by hand, in big blinds: `None` for a hand without a spot.
type Results = BTreeMap<u64, Option<f64>>;

/// Runs the duel on `threads` threads; the result does not depend on their number. `visit` is
/// called with the number of hands done.
pub fn duel(duel: &Duel, threads: usize, stop: &Stop, mut visit: impl FnMut(u64)) -> Valued {
    let mut results = Results::new();
    let hands: Vec<u64> = (0..duel.hands).collect();
    let Ok(()) = duel.each(&hands, threads, stop, |found| {
        results.extend(found);
        visit(results.len() as u64);
        Ok::<_, Infallible>(())
    });
    valued(&results)
}

/// A duel recorded in a folder.
pub struct Plan {
    /// The settings of the duel.
    pub duel: Duel,
    /// The agents of the two strategies; the second also plays the streets before.
    pub agents: [AgentChoice; 2],
    /// SHA-256 of their files, see [`model_sha256`](crate::folder::model_sha256).
    pub model_sha256: [Option<String>; 2],
    /// The game's name: a built-in one, or the path of its file.
    pub game_name: String,
    /// The part to measure; `None` for the whole.
    pub shard: Option<Shard>,
}

/// The manifest of the measurement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model_sha256: Option<String>,
    against: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    against_sha256: Option<String>,
    from: String,
    sample_below: f64,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    cards: u32,
    seed: u64,
    game_name: String,
    provenance: Provenance,
    game: GameDef,
}

fn one() -> u32 {
    1
}

fn is_one(cards: &u32) -> bool {
    *cards == 1
}

impl crate::folder::Manifest for Manifest {
    fn difference(&self, other: &Manifest) -> Option<&'static str> {
        first_difference([
            ("agent", self.agent == other.agent),
            ("model", self.model_sha256 == other.model_sha256),
            ("opponent", self.against == other.against),
            ("opponent's model", self.against_sha256 == other.against_sha256),
            ("first street", self.from == other.from),
            ("--sample-below", self.sample_below == other.sample_below),
            ("--cards", self.cards == other.cards),
            ("seed", self.seed == other.seed),
            ("game", self.game == other.game),
        ])
    }
}

impl Plan {
    /// A name for the measurement, without the number of hands: more of them continue it.
    pub fn name(&self) -> String {
        let [agent, against] = &self.agents;
        let Duel { street, sample_below, cards, seed, .. } = &self.duel;
        let sampled = if *sample_below > 0.0 { format!("-b{sample_below}") } else { String::new() };
        let cards = if *cards > 1 { format!("-c{cards}") } else { String::new() };
        let rest = format!("vs-{}-from-{street}{sampled}{cards}-s{seed}", against.name());
        let model = self.model_sha256[0].as_deref();
        folder_name("duel", agent, model, &self.game_name, &(rest + &part(self.shard)))
    }

    fn manifest(&self, provenance: Provenance) -> Manifest {
        let [agent, against] = self.agents.each_ref().map(|agent| agent.name().to_owned());
        let [model_sha256, against_sha256] = self.model_sha256.clone();
        Manifest {
            agent,
            model_sha256,
            against,
            against_sha256,
            from: self.duel.street.to_string(),
            sample_below: self.duel.sample_below,
            cards: self.duel.cards,
            seed: self.duel.seed,
            game_name: self.game_name.clone(),
            provenance,
            game: GameDef::clone(&self.duel.def),
        }
    }

    /// The number of hands to measure.
    pub fn hands(&self) -> u64 {
        self.numbers().count() as u64
    }

    fn numbers(&self) -> impl Iterator<Item = u64> {
        (0..self.duel.hands).filter(|&hand| has(self.shard, hand))
    }
}

/// [`duel`], continuing from what the folder holds.
///
/// # Errors
/// [`StoreError`]; hands that were valued before an error are kept.
pub fn run(
    plan: &Plan,
    folder: &Path,
    provenance: Provenance,
    threads: usize,
    stop: &Stop,
    mut visit: impl FnMut(u64),
) -> Result<Valued, StoreError> {
    let mut known = Results::new();
    let (manifest, shard) = (plan.manifest(provenance), plan.shard);
    if plan.hands() == 0 {
        return Err(StoreError::TooManyParts(plan.duel.hands));
    }
    let mut kept = ResultsFolder::open(folder, &manifest, shard, HANDS, HEADER, |number, line| {
        let (hand, won) =
            read_line(line).ok_or_else(|| format!("line {number} is not a hand: '{line}'"))?;
        match known.insert(hand, won) {
            None => Ok(()),
            Some(_) => Err(format!("line {number}: hand {hand} appears twice")),
        }
    })?;
    let mut results = Results::new();
    let mut missing = Vec::new();
    for hand in plan.numbers() {
        match known.get(&hand) {
            Some(&won) => drop(results.insert(hand, won)),
            None => missing.push(hand),
        }
    }
    plan.duel.each(&missing, threads, stop, |found| {
        let won = |won: Option<f64>| won.map_or_else(String::new, |won| format!("{won:?}"));
        for (hand, found) in found {
            kept.add(&format!("{hand},{}\n", won(found)))?;
            results.insert(hand, found);
        }
        visit(results.len() as u64);
        Ok(())
    })?;
    Ok(valued(&results))
}

fn read_line(line: &str) -> Option<(u64, Option<f64>)> {
    let (hand, won) = line.split_once(',')?;
    let won = if won.is_empty() { None } else { Some(won.parse().ok()?) };
    (won.is_none_or(f64::is_finite)).then_some((hand.parse().ok()?, won))
}

/// The summary of these results.
fn valued(results: &Results) -> Valued {
    let hands = results.len() as u64;
    let n = hands as f64;
    let (mut spots, mut sum, mut squares) = (0, 0.0, 0.0);
    for won in results.values().flatten() {
        spots += 1;
        sum += won;
        squares += won * won;
    }
    let mean = sum / n;
    let rate = (hands > 1).then(|| {
        let variance = (squares - n * mean * mean).max(0.0) / (n - 1.0);
        Rate::from_error(1000.0 * mean, 1000.0 * (variance / n).sqrt(), hands, hands)
    });
    let at_spots = if spots > 0 { sum / spots as f64 } else { 0.0 };
    Valued { hands, spots, rate, at_spots }
}

impl Duel {
    /// Values these hands. `done` is called with results as they come in, and with none now and
    /// then.
    fn each<E: Send>(
        &self,
        hands: &[u64],
        threads: usize,
        stop: &Stop,
        mut done: impl FnMut(Vec<(u64, Option<f64>)>) -> Result<(), E>,
    ) -> Result<(), E> {
        let blocks: Vec<&[u64]> = hands.chunks(BLOCK).collect();
        let work = |block: &&[u64]| Ok(self.block(block));
        pool::each(&blocks, threads, stop, work, |found| done(found.unwrap_or_default()))
    }

    /// The results of these hands, in big blinds.
    fn block(&self, hands: &[u64]) -> Vec<(u64, Option<f64>)> {
        let mut dealer = Dealer::new(&self.def, self.seed);
        let won = |&hand: &u64| {
            let mut rng =
                Pcg64Mcg::seed_from_u64(self.seed ^ hand.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let spot = self.reached(&dealer.deal(hand), &mut rng);
            let big_blind = f64::from(self.def.big_blind());
            (hand, spot.map(|spot| self.value(&spot, &mut rng) / big_blind))
        };
        hands.iter().map(won).collect()
    }

    /// The spot that a hand of self-play reaches; `None` if it ends before, or nobody can act any
    /// more.
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

    /// What the first policy wins from the second at a spot, in chips: the mean over both seats.
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
        // The same cards and samples for both seatings, on all lines.
        let mut cards = self.def.deck();
        cards.shuffle(rng);
        let draws: u64 = rng.random();
        let [one, other] = [[0, 1], [1, 0]].map(|order| {
            let mut walk = Walk {
                policies: order.map(|policy: usize| &*self.policies[policy]),
                least: LEAST * pairs,
                drawn: self.sample_below * pairs,
                cards: &cards,
                followed: self.cards as usize,
                rng: Pcg64Mcg::seed_from_u64(draws),
            };
            walk.value(spot, &came) / pairs
        });
        0.5 * (one - other)
    }
}

/// The evaluation of one seating, from the view of seat 0.
struct Walk<'a> {
    policies: [&'a dyn Policy; 2],
    /// Lines with less weight are left out.
    least: f64,
    /// Lines with less weight are sampled.
    drawn: f64,
    /// The deck in the order in which it is dealt.
    cards: &'a [Card],
    /// Cards of these that are followed wherever one is dealt.
    followed: usize,
    rng: Pcg64Mcg,
}

impl Walk<'_> {
    /// The sum over all pairs of hands of their weight times what seat 0 wins, in chips.
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
                // A line that is not followed counts as checked down. One that is adds its
                // difference to that, scaled up.
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

    /// Deals the first cards of the deck that are not on the board, each by itself. The value of
    /// checking down over all cards corrects for the choice of cards.
    fn deal(&mut self, public: &PublicState, reach: &[Weights; 2]) -> f64 {
        let board = public.board();
        let free = self.cards.iter().copied().filter(|&card| !board.set().contains(card));
        let free: Vec<Card> = free.collect();
        let checked = checked_down(public, reach);
        if public.able().len() < 2 {
            return checked;
        }
        let cards = &free[..self.followed.min(free.len())];
        let mut beyond = 0.0;
        for &card in cards {
            let Some((state, next)) = dealt(public, reach, card) else { continue };
            beyond += self.value(&state, &next) - checked_down(&state, &next);
        }
        // Each pair of hands leaves four cards fewer.
        let times = free.len() as f64 / (free.len() - 4) as f64;
        checked + times * beyond / cards.len() as f64
    }
}

fn scale(weights: &mut Weights, by: f64) {
    weights.iter_mut().for_each(|weight| *weight *= by);
}

/// The state and the reach probabilities after a card.
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

/// What seat 0 wins if nobody bets any more, summed over all pairs of hands and averaged over the
/// cards to come.
fn checked_down(public: &PublicState, reach: &[Weights; 2]) -> f64 {
    let board = public.board();
    if board.len() == public.def().full_board_len() || !public.folded().is_empty() {
        return ended(public, reach);
    }
    let stakes = f64::from(public.committed().as_slice().iter().copied().min().unwrap_or(0));
    stakes * margins(public.def(), board.set(), reach)
}

/// What seat 0 wins at showdowns for one chip, summed over all pairs and averaged over the cards to
/// come.
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

/// What seat 0 wins at a showdown for one chip, summed over all pairs of hands.
fn show(board: CardSet, reach: &[Weights; 2]) -> f64 {
    let (Ok(showdown), Some(against)) = (Showdown::new(board), reach[1].first_chunk()) else {
        return 0.0;
    };
    let mut margins = [0.0; Combo::COUNT];
    showdown.margins::<f64>(against, &mut margins);
    reach[0].iter().zip(margins).map(|(own, margin)| own * margin).sum()
}

/// What seat 0 wins in a finished hand, summed over all pairs of hands.
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

/// The weight of all pairs of hands without a common card.
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
