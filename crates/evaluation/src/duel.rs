//! The difference in value between two strategies at sampled spots, over all hands.
//!
//! An agent plays hands against itself up to a street. From there both strategies are valued, each
//! in both seats, over all pairs of hands (`spot_value.rs`), weighted with that agent's reach
//! probabilities. The difference is what one strategy would win from the other in matches in which
//! both play the earlier streets as that agent does, with a fraction of the variance.
//!
//! A strategy valued against itself wins exactly nothing.
//!
//! The result of a hand depends on its number and the seed only. In a [`folder`](crate::folder),
//! `hands.csv` has a line for each: its number, and what was won at its spot, in big blinds;
//! nothing for a hand without a spot.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use agents::AgentChoice;
use agents::reach::{self, ActionMatching};
use game::{GameDef, InfoSet, Policy, PublicState, Seat, Street, Turn};
use logs::{Provenance, Rate};
use matches::runner::Stop;
use matches::table::{Deal, Dealer};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use runs::{RunError, Shard};
use serde::{Deserialize, Serialize};
use show::number::{signed, whole};

use crate::Error;
use crate::folder::{HANDS, Manifest, folder_name, has, measure_each, shard_suffix};
use crate::spot_value::{self, Player, Sampled};

/// Hands that a thread takes at a time.
const BLOCK: usize = 8;

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
    /// The sampling below a spot.
    pub sampled: Sampled,
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
    let Ok(()) = duel.value_each(&hands, threads, stop, |found| {
        results.extend(found);
        visit(results.len() as u64);
        Ok::<_, Infallible>(())
    });
    valued(&results)
}

/// A duel recorded in a folder.
pub struct DuelSettings {
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

/// The settings that identify a measurement.
#[derive(Serialize, Deserialize)]
struct Identity {
    against: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    against_sha256: Option<String>,
    from: String,
    sample_below: f64,
    #[serde(default = "one", skip_serializing_if = "is_one")]
    cards: u32,
    seed: u64,
}

fn one() -> u32 {
    1
}

fn is_one(cards: &u32) -> bool {
    *cards == 1
}

impl DuelSettings {
    /// A name for the measurement, without the number of hands: more of them continue it.
    pub fn name(&self) -> String {
        let [agent, against] = &self.agents;
        let Duel { street, sampled: Sampled { cards, below }, seed, .. } = &self.duel;
        let sampled = if *below > 0.0 { format!("-b{below}") } else { String::new() };
        let cards = if *cards > 1 { format!("-c{cards}") } else { String::new() };
        let rest = format!("vs-{}-from-{street}{sampled}{cards}-s{seed}", against.name());
        let model = self.model_sha256[0].as_deref();
        folder_name("duel", agent, model, &self.game_name, &(rest + &shard_suffix(self.shard)))
    }

    fn manifest(&self, provenance: Provenance) -> Manifest<Identity> {
        let ([agent, against], [model, other]) = (&self.agents, &self.model_sha256);
        let identity = Identity {
            against: against.name().to_owned(),
            against_sha256: other.clone(),
            from: self.duel.street.to_string(),
            sample_below: self.duel.sampled.below,
            cards: self.duel.sampled.cards,
            seed: self.duel.seed,
        };
        let game = (self.game_name.as_str(), &*self.duel.def);
        Manifest::new((agent, model.as_deref()), game, identity, provenance)
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
/// When the folder cannot be used; hands that were valued before an error are kept.
pub fn run(
    plan: &DuelSettings,
    folder: &Path,
    provenance: Provenance,
    threads: usize,
    stop: &Stop,
    mut visit: impl FnMut(u64),
) -> Result<Valued, Error> {
    let manifest = plan.manifest(provenance);
    if plan.hands() == 0 {
        return Err(RunError::EmptyPart(plan.duel.hands).into());
    }
    let (journal, known) = manifest.open(folder, &HANDS, plan.shard, &plan.agents[0], read_line)?;
    let mut results = Results::new();
    let mut missing = Vec::new();
    for hand in plan.numbers() {
        match known.get(&hand) {
            Some(&won) => drop(results.insert(hand, won)),
            None => missing.push(hand),
        }
    }
    plan.duel.value_each(&missing, threads, stop, |found| {
        let won = |won: Option<f64>| won.map_or_else(String::new, |won| format!("{won:?}"));
        for (hand, found) in found {
            journal.add(&format!("{hand},{}\n", won(found)))?;
            results.insert(hand, found);
        }
        visit(results.len() as u64);
        Ok::<(), Error>(())
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
    fn value_each<E: Send>(
        &self,
        hands: &[u64],
        threads: usize,
        stop: &Stop,
        mut done: impl FnMut(Vec<(u64, Option<f64>)>) -> Result<(), E>,
    ) -> Result<(), E> {
        let blocks: Vec<&[u64]> = hands.chunks(BLOCK).collect();
        let work = |block: &&[u64]| Ok(self.block(block));
        measure_each(&blocks, threads, stop, work, |found| done(found.unwrap_or_default()))
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

    /// The winnings of the first policy from the second at a spot, in chips: the mean over both
    /// seats.
    fn value(&self, spot: &PublicState, rng: &mut Pcg64Mcg) -> f64 {
        let seats = [0, 1].map(|seat| Seat::new(seat).expect("two seats"));
        let ranges = seats.map(|seat| {
            let how = (ActionMatching::Sizes, 0.0);
            reach::at_street(self.street, &*self.before, spot, seat, how)
        });
        // The same cards and samples for both seatings, on all lines.
        let mut deck = self.def.deck();
        deck.shuffle(rng);
        let draws: u64 = rng.random();
        let [one, other] = [[0, 1], [1, 0]].map(|order| {
            let players = order.map(|policy: usize| Player::Policy(&*self.policies[policy]));
            spot_value::value(
                spot,
                &ranges,
                players,
                self.sampled,
                &deck,
                Pcg64Mcg::seed_from_u64(draws),
            )
        });
        0.5 * (one - other)
    }
}

/// The result of a duel.
#[derive(Serialize)]
pub struct DuelReport<'a> {
    agent: &'a str,
    against: &'a str,
    game: &'a str,
    from: String,
    sample_below: f64,
    cards: u32,
    seed: u64,
    hands: u64,
    /// The number of hands that were valued.
    spots: u64,
    rate: Option<Rate>,
    big_blinds_a_spot: f64,
    /// Where the results are kept, for the text.
    #[serde(skip)]
    kept: String,
}

impl<'a> DuelReport<'a> {
    /// The report of a duel; `kept` says where the results are kept.
    pub fn new(plan: &'a DuelSettings, valued: &Valued, kept: String) -> DuelReport<'a> {
        let Duel { street, sampled, seed, .. } = &plan.duel;
        DuelReport {
            agent: plan.agents[0].name(),
            against: plan.agents[1].name(),
            game: &plan.game_name,
            from: street.to_string(),
            sample_below: sampled.below,
            cards: sampled.cards,
            seed: *seed,
            hands: valued.hands,
            spots: valued.spots,
            rate: valued.rate,
            big_blinds_a_spot: valued.at_spots,
            kept,
        }
    }
}

impl fmt::Display for DuelReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DuelReport { agent, against, from, .. } = self;
        let rate = match self.rate {
            Some(rate) => format!(
                "{} mbb/hand, 95 % interval {} to {}",
                signed(rate.mbb, 1),
                signed(rate.interval.low, 1),
                signed(rate.interval.high, 1)
            ),
            None => "nothing: an interval needs two hands".to_owned(),
        };
        write!(
            f,
            "{agent} wins from {against} on the {from} and later: {rate}\n{} hands of {against} \
             against itself, {} of them valued over all hands there ({} big blinds each)\n{}",
            whole(self.hands),
            whole(self.spots),
            signed(self.big_blinds_a_spot, 4),
            self.kept,
        )
    }
}
