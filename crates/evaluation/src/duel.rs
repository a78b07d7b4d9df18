//! The difference in value between two strategies at sampled spots, over all hands.
//!
//! An agent plays hands against itself up to a street. From there both strategies are valued, each
//! in both seats, over all pairs of hands (`spot_value.rs`), weighted with that agent's reach
//! probabilities. The difference is what one strategy would win from the other in matches in which
//! both play the earlier streets as that agent does, with a fraction of the variance.
//!
//! Or both are valued against a third player ([`Opponent`]), at the spots that it and the second
//! strategy reach in matches against each other: what the first wins from it beyond what the second
//! wins. Both must play the streets before alike.
//!
//! A strategy valued against itself, or compared with itself, wins exactly nothing.
//!
//! The result of a hand depends on its number and the seed only. In a [`folder`](crate::folder),
//! `hands.csv` has a line for each: its number, and what was won at its spot, in big blinds;
//! nothing for a hand without a spot.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use agents::AgentChoice;
use agents::reach::{self, ActionMatching};
use game::{Action, GameDef, InfoSet, Policy, PublicState, Seat, Street, Turn, notation};
use logs::{Provenance, Rate};
use matches::runner::Stop;
use matches::table::{Deal, Dealer};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use runs::{RunError, Shard};
use serde::{Deserialize, Serialize};
use show::number::{signed, whole};
use solvers::lbr::{LocalBestResponse, Moves};

use crate::Error;
use crate::error::Kind;
use crate::folder::{HANDS, Manifest, folder_name, has, measure_each, model_sha256, shard_suffix};
use crate::spot_value::{self, Player, Sampled};

/// Hands that a thread takes at a time.
const BLOCK: usize = 8;

/// The settings of a duel.
pub struct Duel {
    /// The game: heads-up hold'em.
    pub def: Arc<GameDef>,
    /// The two strategies: the first one's value against the second is computed, or what it wins
    /// beyond the second from the opponent.
    pub policies: [Arc<dyn Policy>; 2],
    /// The strategy that plays up to `street`, in the seats that have no `opponent`.
    pub before: Arc<dyn Policy>,
    /// Whom both play; `None` if they play each other.
    pub opponent: Option<Opponent>,
    /// The street from which on the two are valued.
    pub street: Street,
    /// The sampling below a spot.
    pub sampled: Sampled,
    /// Hands to play; not all reach the street.
    pub hands: u64,
    /// The seed of the cards and all samples.
    pub seed: u64,
}

/// A third player.
#[derive(Clone)]
pub enum Opponent {
    /// A strategy.
    Strategy(Arc<dyn Policy>),
    /// Local best response to each of the two, with these moves; before the duel's street it plays
    /// the strategy, which is to be that of checking and calling.
    Response(Moves, Arc<dyn Policy>),
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
///
/// # Errors
/// When the two strategies differ before the street, and there is an opponent.
pub fn duel(
    duel: &Duel,
    threads: usize,
    stop: &Stop,
    mut visit: impl FnMut(u64),
) -> Result<Valued, Error> {
    let mut results = Results::new();
    let hands: Vec<u64> = (0..duel.hands).collect();
    duel.value_each(&hands, threads, stop, |found| {
        results.extend(found);
        visit(results.len() as u64);
        Ok(())
    })?;
    Ok(valued(&results))
}

/// A duel recorded in a folder.
pub struct DuelSettings {
    /// The settings of the duel.
    pub duel: Duel,
    /// The agent of the first strategy.
    pub agent: AgentChoice,
    /// SHA-256 of its files, see [`model_sha256`].
    pub model_sha256: Option<String>,
    /// Whom it plays.
    pub against: Other,
    /// The agent of the second strategy, if the two do not play each other.
    pub compared_with: Option<Other>,
    /// The game's name: a built-in one, or the path of its file.
    pub game_name: String,
    /// The part to measure; `None` for the whole.
    pub shard: Option<Shard>,
}

/// Another player of a duel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Other {
    /// Its name.
    pub name: String,
    /// SHA-256 of its files, see [`model_sha256`].
    pub model_sha256: Option<String>,
}

impl Other {
    /// This agent.
    ///
    /// # Errors
    /// When one of its files cannot be read.
    pub fn new(agent: &AgentChoice) -> Result<Other, Error> {
        Ok(Other { name: agent.name().to_owned(), model_sha256: model_sha256(agent)? })
    }
}

/// The settings that identify a measurement.
#[derive(Serialize, Deserialize)]
struct Identity {
    against: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    against_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    compared_with: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    compared_with_sha256: Option<String>,
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
        let Duel { street, sampled: Sampled { cards, below }, seed, .. } = &self.duel;
        let sampled = if *below > 0.0 { format!("-b{below}") } else { String::new() };
        let cards = if *cards > 1 { format!("-c{cards}") } else { String::new() };
        let compared = self.compared_with.as_ref();
        let compared = compared.map_or_else(String::new, |other| format!("-than-{}", other.name));
        let against = &self.against.name;
        let rest = format!("vs-{against}{compared}-from-{street}{sampled}{cards}-s{seed}");
        let rest = rest + &shard_suffix(self.shard);
        folder_name("duel", &self.agent, self.model_sha256.as_deref(), &self.game_name, &rest)
    }

    fn manifest(&self, provenance: Provenance) -> Manifest<Identity> {
        let Other { name, model_sha256 } = self.against.clone();
        let compared = self.compared_with.clone();
        let identity = Identity {
            against: name,
            against_sha256: model_sha256,
            compared_with: compared.as_ref().map(|other| other.name.clone()),
            compared_with_sha256: compared.and_then(|other| other.model_sha256),
            from: self.duel.street.to_string(),
            sample_below: self.duel.sampled.below,
            cards: self.duel.sampled.cards,
            seed: self.duel.seed,
        };
        let game = (self.game_name.as_str(), &*self.duel.def);
        Manifest::new((&self.agent, self.model_sha256.as_deref()), game, identity, provenance)
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
    let (journal, known) = manifest.open(folder, &HANDS, plan.shard, &plan.agent, read_line)?;
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
    fn value_each(
        &self,
        hands: &[u64],
        threads: usize,
        stop: &Stop,
        mut done: impl FnMut(Vec<(u64, Option<f64>)>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let blocks: Vec<&[u64]> = hands.chunks(BLOCK).collect();
        let work = |block: &&[u64]| self.block(block);
        measure_each(&blocks, threads, stop, work, |found| done(found.unwrap_or_default()))
    }

    /// The results of these hands, in big blinds.
    fn block(&self, hands: &[u64]) -> Result<Vec<(u64, Option<f64>)>, Error> {
        let mut dealer = Dealer::new(&self.def, self.seed);
        let won = |&hand: &u64| {
            let rng = Pcg64Mcg::seed_from_u64(self.seed ^ hand.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let won = self.hand(&dealer.deal(hand), rng)?;
            Ok((hand, won.map(|won| won / f64::from(self.def.big_blind()))))
        };
        hands.iter().map(won).collect()
    }

    /// What the first strategy wins in a hand, in chips: the mean over both seats.
    fn hand(&self, deal: &Deal, mut rng: Pcg64Mcg) -> Result<Option<f64>, Error> {
        let Some(opponent) = &self.opponent else {
            // One spot of the same strategy in both seats serves for either seating.
            let Some(spot) = self.reached(deal, [&self.before; 2], None, &mut rng)? else {
                return Ok(None);
            };
            let ranges = self.ranges(&spot, [&self.before; 2]);
            let value = self.at_spot(&spot, &ranges, rng);
            let [one, other] = [[0, 1], [1, 0]].map(|order| {
                value(order.map(|policy: usize| Player::Policy(&*self.policies[policy])))
            });
            return Ok(Some(0.5 * (one - other)));
        };
        let other = match opponent {
            Opponent::Strategy(policy) | Opponent::Response(_, policy) => policy,
        };
        let mut won = None;
        for seat in [0, 1] {
            let mut before = [&self.before, other];
            before.swap(0, seat);
            // The hand is the same in both seats, up to the first different decision.
            let mut rng = rng.clone();
            let Some(spot) = self.reached(deal, before, Some(seat), &mut rng)? else { continue };
            let ranges = self.ranges(&spot, before);
            let value = self.at_spot(&spot, &ranges, rng);
            let from_first = if seat == 0 { 1.0 } else { -1.0 };
            let from_seat = |policy: &Arc<dyn Policy>| -> Result<f64, Error> {
                let response;
                let against = match opponent {
                    Opponent::Strategy(policy) => Player::Policy(&**policy),
                    Opponent::Response(moves, _) => {
                        response =
                            LocalBestResponse::new(&self.def, &**policy, *moves, self.street)?;
                        Player::Response(&response)
                    }
                };
                let mut players = [Player::Policy(&**policy), against];
                players.swap(0, seat);
                Ok(from_first * value(players))
            };
            let [first, second] = &self.policies;
            *won.get_or_insert(0.0) += 0.5 * (from_seat(first)? - from_seat(second)?);
        }
        Ok(won)
    }

    /// The spot that a hand between these two reaches; `None` if it ends before, or nobody can act
    /// any more. Checks that in the seat `compared` both strategies play alike.
    fn reached(
        &self,
        deal: &Deal,
        before: [&Arc<dyn Policy>; 2],
        compared: Option<usize>,
        rng: &mut Pcg64Mcg,
    ) -> Result<Option<PublicState>, Error> {
        let mut public = PublicState::new(&self.def);
        loop {
            match public.turn() {
                Turn::Over => return Ok(None),
                Turn::Deal(_) if public.deal_from(&deal.board).is_err() => return Ok(None),
                Turn::Deal(_) => {}
                Turn::Act(_) if public.street() >= self.street => return Ok(Some(public)),
                Turn::Act(seat) => {
                    let hole = deal.hole[seat];
                    let infoset = InfoSet { public: public.clone(), seat, hole };
                    let strategy = before[seat.index()].strategy(&infoset);
                    if compared == Some(seat.index()) {
                        self.check_alike(&infoset)?;
                    }
                    public.apply_unchecked(strategy.sample(rng.random()));
                }
            }
        }
    }

    /// Checks that both strategies are the same at a decision before the street.
    fn check_alike(&self, infoset: &InfoSet) -> Result<(), Error> {
        let [one, other] = self.policies.each_ref().map(|policy| policy.strategy(infoset));
        let all = one.actions.iter().chain(&other.actions);
        let differ = |&&(action, _): &&(Action, f64)| {
            (one.probability(action) - other.probability(action)).abs() > 1e-6
        };
        match all.clone().find(differ) {
            None => Ok(()),
            Some((action, _)) => Err(Error::with_kind(
                Kind::Usage,
                format!(
                    "the two play differently before the {}, where only what comes later is \
                     compared: {} with {} {}, {:.0} % and {:.0} %; compare them with --from {}",
                    self.street,
                    infoset.public.action_word(*action),
                    infoset.hole,
                    match notation::betting(&infoset.public) {
                        betting if betting.is_empty() => "at the start".to_owned(),
                        betting => format!("after {betting}"),
                    },
                    100.0 * one.probability(*action),
                    100.0 * other.probability(*action),
                    infoset.public.street(),
                ),
            )),
        }
    }

    /// The ranges of both seats at a spot.
    fn ranges(&self, spot: &PublicState, before: [&Arc<dyn Policy>; 2]) -> [Vec<f64>; 2] {
        [0, 1].map(|seat| {
            let how = (ActionMatching::Sizes, 0.0);
            let policy = &**before[seat];
            let seat = Seat::new(seat).expect("two seats");
            reach::at_street(self.street, policy, spot, seat, how)
        })
    }

    /// The winnings of seat 0 at a spot by the players, in chips, with the same cards and samples
    /// for all players and on all lines.
    fn at_spot<'a>(
        &self,
        spot: &'a PublicState,
        ranges: &'a [Vec<f64>; 2],
        mut rng: Pcg64Mcg,
    ) -> impl Fn([Player<'_>; 2]) -> f64 + 'a {
        let mut deck = self.def.deck();
        deck.shuffle(&mut rng);
        let draws: u64 = rng.random();
        let sampled = self.sampled;
        move |players| {
            spot_value::value(spot, ranges, players, sampled, &deck, Pcg64Mcg::seed_from_u64(draws))
        }
    }
}

/// The result of a duel.
#[derive(Serialize)]
pub struct DuelReport<'a> {
    agent: &'a str,
    against: &'a str,
    /// The agent beyond whose winnings those are, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared_with: Option<&'a str>,
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
            agent: plan.agent.name(),
            against: &plan.against.name,
            compared_with: plan.compared_with.as_ref().map(|other| other.name.as_str()),
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
        let DuelReport { agent, against, compared_with, from, .. } = self;
        let rate = match self.rate {
            Some(rate) => format!(
                "{} mbb/hand, 95 % interval {} to {}",
                signed(rate.mbb, 1),
                signed(rate.interval.low, 1),
                signed(rate.interval.high, 1)
            ),
            None => "nothing: an interval needs two hands".to_owned(),
        };
        let (what, player, whom) = match compared_with {
            None => (format!("wins from {against}"), against, "itself"),
            Some(other) => {
                (format!("wins from {against} beyond what {other} wins"), other, *against)
            }
        };
        write!(
            f,
            "{agent} {what} on the {from} and later: {rate}\n{} hands of {player} against \
             {whom}, {} of them valued over all hands there ({} big blinds each)\n{}",
            whole(self.hands),
            whole(self.spots),
            signed(self.big_blinds_a_spot, 4),
            self.kept,
        )
    }
}
