//! The best response to an agent inside a betting tree, on a sample of flops or on all, recorded in
//! a folder.
//!
//! The values on a flop depend on its kind alone, and are written to the folder as soon as they are
//! known: a run that was killed loses the flops in progress, and one with more flops continues from
//! what is there. In a [`folder`], `flops.csv` has a line for each finished kind of
//! flop: its number, its cards, how many flops it stands for, and the responder's values with each
//! starting hand, in seat 0 and then in seat 1 ([`FlopValues`]), separated by blanks. Nothing
//! depends on which flops are asked for: a folder serves any number of flops, and any seed.
//!
//! Rates ([`figures`]) have confidence intervals. The flops are a simple random sample without
//! replacement of all 22,100. For a responder who plays before the flop as the agent does, the
//! estimate is the plain mean. The half-width is Student's t times the standard error, with the
//! correction for a finite population `1 − n / 22100`.
//!
//! A strategy before the flop that was learned on some flops must not be measured on the same ones.
//! So the flops, in the order in which they were drawn, are dealt into two halves. What was learned
//! on a half `A` is measured on the other one, `B`, a sample of all flops but those of `A`; its
//! value on those of `A` is known. So `|A| / 22100` times its mean on `A` and the rest times its
//! mean on `B` is an unbiased estimate of its value over all flops. The figure is the mean of both
//! directions. They share the flops, so their errors are taken as the same error: the half-width is
//! the mean of both, which is too wide rather than too narrow.
//!
//! With all flops everything is exact.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use agents::AgentChoice;
use cards::StartingHand;
use game::{GameDef, Seat};
use logs::Provenance;
use logs::stats::{Interval, t_quantile};
use matches::runner::Stop;
use runs::{RunError, Shard};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use show::Table;
use show::number::{hexadecimal, whole};
use solvers::Player;
use solvers::holdem::best_response::{
    Choices, FLOPS, FlopValues, KINDS, Preflop, PreflopPlay, Responder, flop_kinds, shuffled_flops,
};
use solvers::strategy::TreeStrategy;

use crate::error::{Error, Kind};
use crate::folder::{self, Manifest, folder_name, has, measure_each, shard_suffix};

/// The settings of a measurement.
#[derive(Clone)]
pub struct BestResponseSettings {
    /// The game: heads-up hold'em.
    pub def: Arc<GameDef>,
    /// The game's name: a built-in one, or the path of its file.
    pub game_name: String,
    /// The agent to respond to.
    pub agent: AgentChoice,
    /// SHA-256 of its files, see [`model_sha256`](crate::folder::model_sha256).
    pub model_sha256: Option<String>,
    /// The agent's strategy inside the betting tree.
    pub strategy: Arc<dyn TreeStrategy>,
    /// The number of flops to draw, of [`FLOPS`]; with all of them the response is exact.
    pub flops: usize,
    /// The seed that determines which flops are drawn.
    pub seed: u64,
    /// The part to measure, of the kinds of flops; `None` for the whole.
    pub shard: Option<Shard>,
}

/// The progress of a run.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Kinds of flops that are done.
    pub known: usize,
    /// Kinds of flops that are needed.
    pub needed: usize,
    /// The estimates from the flops drawn first of which all are done.
    pub figures: Option<Figures>,
}

/// The result of a run.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// The win rates of the response; `None` with too few flops.
    pub figures: Option<Figures>,
    /// The number of flops used: those drawn first of which all are done.
    pub flops: usize,
    /// The number of different kinds among them.
    pub kinds: usize,
    /// Whether all requested flops are done; otherwise the run was stopped.
    pub complete: bool,
    /// Kinds of flops known from earlier runs.
    pub earlier: usize,
}

impl BestResponseSettings {
    /// A name for the measurement, without flops and seed: more flops continue it.
    pub fn name(&self) -> String {
        let (model, tree) = (self.model_sha256.as_deref(), self.strategy.tree().hash());
        let rest = tree[..8].to_owned() + &shard_suffix(self.shard);
        folder_name("best-response", &self.agent, model, &self.game_name, &rest)
    }

    fn manifest(&self, preflop: &Preflop, provenance: Provenance) -> Manifest<Identity> {
        let tree = self.strategy.tree();
        let identity = Identity {
            preflop_sha256: fingerprint(preflop),
            tree_sha256: tree.hash(),
            menu: tree.menu().to_string(),
        };
        let agent = (&self.agent, self.model_sha256.as_deref());
        Manifest::new(agent, (&self.game_name, &self.def), identity, provenance)
    }
}

/// The settings that identify a measurement.
#[derive(Serialize, Deserialize)]
struct Identity {
    /// SHA-256 of its strategy before the flop: built-in models have no file.
    preflop_sha256: String,
    tree_sha256: String,
    menu: String,
}

fn fingerprint(preflop: &Preflop) -> String {
    let mut hash = Sha256::new();
    for leaf in 0..preflop.leaves().len() {
        for player in Player::BOTH {
            preflop.reach(leaf, player).iter().for_each(|share| hash.update(share.to_le_bytes()));
        }
    }
    hexadecimal(&hash.finalize())
}

/// Measures, continuing from what the folder holds. `report` is called about ten times a second.
/// Each thread takes some 100 MB.
///
/// # Errors
/// When the strategy or the folder cannot be used; flops that were finished before an error are
/// kept.
pub fn run(
    plan: &BestResponseSettings,
    path: &Path,
    provenance: Provenance,
    threads: usize,
    stop: &Stop,
    report: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Error> {
    if !(MIN_FLOPS..=FLOPS).contains(&plan.flops) {
        let text = format!("give {MIN_FLOPS} to {FLOPS} flops, or `all`, not {}", plan.flops);
        return Err(Error::with_kind(Kind::Usage, text));
    }
    let responder = Responder::new(&*plan.strategy)?;
    let preflop = responder.preflop();
    let values = preflop.leaves().len() * StartingHand::COUNT;
    let manifest = plan.manifest(preflop, provenance);
    let read = |line: &str| read_line(line, values);
    let (journal, known) = manifest.open(path, &folder::FLOPS, plan.shard, &plan.agent, read)?;
    let mut measurement = Measurement::new(plan, preflop, known);
    if measurement.needed.is_empty() {
        return Err(RunError::EmptyPart(measurement.drawn.len() as u64).into());
    }
    report(&measurement.progress());
    let respond = |&kind: &usize| flop(&responder, kind).map(|values| (kind, values));
    measure_each(&measurement.missing(), threads, stop, respond, |answered| {
        if let Some((kind, values)) = answered {
            journal.add(&line(kind, &values))?;
            measurement.known.insert(kind, values);
            report(&measurement.progress());
        }
        Ok(())
    })?;
    Ok(measurement.outcome())
}

/// The responder's values on a kind of flop.
fn flop(responder: &Responder<'_>, kind: usize) -> Result<FlopValues, Error> {
    let cards = flop_kinds()[kind].cards;
    let answered = AssertUnwindSafe(|| responder.flop(cards));
    let answered = catch_unwind(answered).map_err(|_| {
        let name: String = cards.iter().map(|card| card.to_string()).collect();
        Error::new(format!("the agent panicked on the flop {name}"))
    });
    Ok(answered??)
}

/// The state of a run.
struct Measurement<'a> {
    preflop: &'a Preflop,
    /// Thousandths of a big blind per chip.
    unit: f64,
    /// The kinds of the flops in the order drawn.
    drawn: Vec<usize>,
    known: BTreeMap<usize, FlopValues>,
    needed: BTreeSet<usize>,
    earlier: usize,
}

impl<'a> Measurement<'a> {
    fn new(
        plan: &BestResponseSettings,
        preflop: &'a Preflop,
        known: BTreeMap<usize, FlopValues>,
    ) -> Measurement<'a> {
        let flops = shuffled_flops(plan.seed).into_iter().take(plan.flops);
        let drawn: Vec<usize> = flops.map(usize::from).collect();
        let needed = drawn.iter().copied().filter(|&kind| has(plan.shard, kind as u64));
        let needed: BTreeSet<usize> = needed.collect();
        let earlier = needed.iter().filter(|&kind| known.contains_key(kind)).count();
        let unit = 1000.0 / f64::from(plan.def.big_blind());
        Measurement { preflop, unit, drawn, known, needed, earlier }
    }

    /// The kinds not yet known, in the order drawn.
    fn missing(&self) -> Vec<usize> {
        let mut met = BTreeSet::new();
        let new = |kind: &&usize| {
            let missing = self.needed.contains(kind) && !self.known.contains_key(kind);
            missing && met.insert(**kind)
        };
        self.drawn.iter().filter(new).copied().collect()
    }

    /// The values on the flops drawn first of which all are known.
    fn first(&self) -> Vec<&FlopValues> {
        self.drawn.iter().map_while(|kind| self.known.get(kind)).collect()
    }

    fn figures(&self) -> Option<Figures> {
        let first = self.first();
        (first.len() >= MIN_FLOPS).then(|| figures(self.preflop, &first, self.unit))
    }

    /// The number of kinds that are needed and known.
    fn there(&self) -> usize {
        self.needed.iter().filter(|&kind| self.known.contains_key(kind)).count()
    }

    fn progress(&self) -> Progress {
        Progress { known: self.there(), needed: self.needed.len(), figures: self.figures() }
    }

    fn outcome(&self) -> Outcome {
        let flops = self.first().len();
        Outcome {
            figures: self.figures(),
            flops,
            kinds: self.drawn[..flops].iter().collect::<BTreeSet<_>>().len(),
            complete: self.there() == self.needed.len(),
            earlier: self.earlier,
        }
    }
}

/// The line of a kind of flop.
fn line(kind: usize, values: &FlopValues) -> String {
    let mut line = prefix(kind);
    for (at, value) in values.0.iter().flatten().enumerate() {
        let blank = if at > 0 { " " } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(line, "{blank}{value}");
    }
    line.push('\n');
    line
}

/// The beginning of the line of a kind of flop.
fn prefix(kind: usize) -> String {
    let flop = flop_kinds()[kind];
    let cards: String = flop.cards.iter().map(|card| card.to_string()).collect();
    format!("{kind},{cards},{},", flop.flops)
}

fn read_line(line: &str, values: usize) -> Option<(usize, FlopValues)> {
    let kind: usize = line.split(',').next()?.parse().ok()?;
    flop_kinds().get(kind)?;
    let numbers = line.strip_prefix(&prefix(kind))?.split(' ').map(|number| number.parse().ok());
    let numbers: Vec<f32> = numbers.collect::<Option<_>>()?;
    if numbers.len() != 2 * values || !numbers.iter().all(|number| number.is_finite()) {
        return None;
    }
    let (first, second) = numbers.split_at(values);
    Some((kind, FlopValues([first.to_vec(), second.to_vec()])))
}

/// The least number of flops for an estimate: two in each half.
pub const MIN_FLOPS: usize = 4;

/// A rate in thousandths of a big blind per hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The rate.
    pub mbb: f64,
    /// Half the width of its 95 % confidence interval; 0 if it is exact.
    pub half_width: f64,
}

/// A responder's win rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The mean of both seats.
    pub both: Estimate,
    /// The rates in seat 0 and in seat 1.
    pub seats: [Estimate; 2],
}

/// The win rates of two responders, each a lower bound for a best response.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The responder that plays as the agent before the flop, and its best response from there on.
    pub from_flop: Figure,
    /// The responder that also plays its best before the flop, as far as the flops show.
    pub from_start: Figure,
}

/// The responders' win rates, in units of which a chip has `unit`. `drawn` has the values on the
/// flops in the order in which they were drawn: at least [`MIN_FLOPS`]; if there are [`FLOPS`],
/// all.
pub fn figures(preflop: &Preflop, drawn: &[&FlopValues], unit: f64) -> Figures {
    let as_agent = Sample::new(preflop, drawn, [PreflopPlay::AsAgent; 2], unit);
    let from_flop = as_agent.figure(0, &Sample::default());
    if drawn.len() == FLOPS {
        let best = learn(preflop, drawn);
        let sample = Sample::new(preflop, drawn, best.each_ref().map(PreflopPlay::Chosen), unit);
        return Figures { from_flop, from_start: sample.figure(0, &Sample::default()) };
    }
    let half = |first: usize| drawn.iter().skip(first).step_by(2).copied().collect::<Vec<_>>();
    let halves = [half(0), half(1)];
    let measured = [(0, 1), (1, 0)].map(|(learned, other)| {
        let best = learn(preflop, &halves[learned]);
        let before = best.each_ref().map(PreflopPlay::Chosen);
        let [known, new] =
            [learned, other].map(|half| Sample::new(preflop, &halves[half], before, unit));
        new.figure(halves[learned].len(), &known)
    });
    Figures { from_flop, from_start: mean(measured) }
}

/// The best strategy before the flop in each seat, for the mean of these values.
fn learn(preflop: &Preflop, values: &[&FlopValues]) -> [Choices; 2] {
    Player::BOTH.map(|player| {
        let mut mean = vec![0.0; preflop.leaves().len() * cards::StartingHand::COUNT];
        for values in values {
            let sums = mean.iter_mut().zip(&values.0[player.index()]);
            sums.for_each(|(sum, &value)| *sum += f64::from(value));
        }
        mean.iter_mut().for_each(|sum| *sum /= values.len().max(1) as f64);
        preflop.best(player, &mean).0
    })
}

/// Winnings on each of some flops: in seat 0, in seat 1, and the mean of both.
#[derive(Debug, Default)]
struct Sample([Vec<f64>; 3]);

impl Sample {
    fn new(
        preflop: &Preflop,
        values: &[&FlopValues],
        before: [PreflopPlay<'_>; 2],
        unit: f64,
    ) -> Sample {
        let mut sample = Sample::default();
        for values in values {
            let won = Player::BOTH.map(|player| {
                let p = player.index();
                let after: Vec<f64> = values.0[p].iter().map(|&value| value.into()).collect();
                unit * preflop.winnings(player, before[p], &after)
            });
            let [first, second] = won;
            for (list, won) in sample.0.iter_mut().zip([first, second, (first + second) / 2.0]) {
                list.push(won);
            }
        }
        sample
    }

    /// The estimates, with the winnings known on `others` further flops.
    fn figure(&self, others: usize, known: &Sample) -> Figure {
        let [first, second, both] =
            [0, 1, 2].map(|which| estimate(&self.0[which], others, &known.0[which]));
        Figure { both, seats: [first, second] }
    }
}

fn estimate(won: &[f64], others: usize, known: &[f64]) -> Estimate {
    let count = won.len() as f64;
    let mean = won.iter().sum::<f64>() / count;
    let squares: f64 = won.iter().map(|won| (won - mean).powi(2)).sum();
    let left = (FLOPS - others) as f64;
    let error = (squares / (count - 1.0) / count * (1.0 - count / left)).max(0.0).sqrt();
    let share = others as f64 / FLOPS as f64;
    let of_known = known.iter().sum::<f64>() / known.len().max(1) as f64;
    Estimate {
        mbb: share * of_known + (1.0 - share) * mean,
        half_width: (1.0 - share) * error * t_quantile(0.975, won.len().saturating_sub(1) as u64),
    }
}

/// The mean of two figures with the same errors.
fn mean([one, two]: [Figure; 2]) -> Figure {
    let of = |a: Estimate, b: Estimate| Estimate {
        mbb: (a.mbb + b.mbb) / 2.0,
        half_width: (a.half_width + b.half_width) / 2.0,
    };
    Figure {
        both: of(one.both, two.both),
        seats: [0, 1].map(|seat| of(one.seats[seat], two.seats[seat])),
    }
}

/// The best response within a betting tree of hold'em.
#[derive(Serialize)]
pub struct InTreeReport<'a> {
    agent: &'a str,
    game: &'a str,
    menu: String,
    tree_sha256: String,
    decisions: u64,
    flops: usize,
    kinds: usize,
    exact: bool,
    seed: u64,
    complete: bool,
    seconds: f64,
    #[serde(flatten)]
    figures: Option<InTreeFigures>,
    #[serde(skip)]
    plan: &'a BestResponseSettings,
    #[serde(skip)]
    outcome: &'a Outcome,
    /// Where the results are kept, for the text.
    #[serde(skip)]
    kept: String,
}

#[derive(Serialize)]
struct InTreeFigures {
    from_flop: FigureReport<EstimateReport>,
    from_start: FigureReport<EstimateReport>,
}

/// A figure over both seats of the response, and for each.
#[derive(Serialize)]
pub(crate) struct FigureReport<T> {
    pub(crate) both: T,
    pub(crate) seats: [T; 2],
}

#[derive(Serialize)]
struct EstimateReport {
    mbb: f64,
    /// What an exact value does not have.
    #[serde(flatten)]
    error: Option<ErrorReport>,
}

#[derive(Serialize)]
struct ErrorReport {
    half_width: f64,
    interval: Interval,
}

impl EstimateReport {
    fn new(estimate: Estimate, exact: bool) -> EstimateReport {
        let Estimate { mbb, half_width } = estimate;
        let interval = Interval { low: mbb - half_width, high: mbb + half_width };
        let error = (!exact).then_some(ErrorReport { half_width, interval });
        EstimateReport { mbb, error }
    }
}

impl<'a> InTreeReport<'a> {
    /// The report of a measurement that took this long; `kept` says where the results are kept.
    pub fn new(
        plan: &'a BestResponseSettings,
        outcome: &'a Outcome,
        seconds: f64,
        kept: String,
    ) -> InTreeReport<'a> {
        let exact = outcome.flops == FLOPS;
        let tree = plan.strategy.tree();
        let figure = |figure: Figure| FigureReport {
            both: EstimateReport::new(figure.both, exact),
            seats: figure.seats.map(|seat| EstimateReport::new(seat, exact)),
        };
        let figures = outcome.figures.as_ref().map(|found| InTreeFigures {
            from_flop: figure(found.from_flop),
            from_start: figure(found.from_start),
        });
        InTreeReport {
            agent: plan.agent.name(),
            game: &plan.game_name,
            menu: tree.menu().to_string(),
            tree_sha256: tree.hash(),
            decisions: tree.size().decisions.iter().sum(),
            flops: outcome.flops,
            kinds: outcome.kinds,
            exact,
            seed: plan.seed,
            complete: outcome.complete,
            seconds,
            figures,
            plan,
            outcome,
            kept,
        }
    }
}

impl fmt::Display for InTreeReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InTreeReport { plan, outcome, exact, decisions, seconds, .. } = *self;
        let flops = match outcome.flops {
            FLOPS => format!("all {FLOPS} flops ({KINDS} up to suits), exact"),
            flops => {
                format!(
                    "{flops} of {FLOPS} flops ({} up to suits), seed {}",
                    outcome.kinds, plan.seed
                )
            }
        };
        write!(
            f,
            "{}, best response inside its betting tree of {} decisions, {}\n{flops}; {} of them \
         computed before, {seconds:.0} s\n\n",
            plan.agent.name(),
            whole(decisions),
            plan.game_name,
            outcome.earlier,
        )?;
        let Some(found) = &outcome.figures else {
            return write!(f, "too few flops for an estimate\n{}", self.kept);
        };
        let mut rows = Vec::new();
        for (name, figure) in [
            ("best from the flop on, like the agent preflop", found.from_flop),
            ("best before the flop, too", found.from_start),
        ] {
            rows.push((format!("{name}, both seats"), figure.both));
            for (at, estimate) in figure.seats.into_iter().enumerate() {
                let seat = Seat::new(at).expect("a seat of two players");
                let position = plan.def.position(seat);
                rows.push((format!("  response in seat {at}, {position}"), estimate));
            }
        }
        let shown = if exact { 2 } else { 4 };
        let header = ["what it wins", "mbb/hand", "±", "95 % interval"];
        let mut table = Table::new(header.into_iter().take(shown)).right(1..3).at_the_margin();
        for (name, Estimate { mbb, half_width }) in rows {
            let interval = format!("{:+.1} to {:+.1}", mbb - half_width, mbb + half_width);
            let row = [name, format!("{mbb:+.1}"), format!("{half_width:.1}"), interval];
            table.row(row.into_iter().take(shown));
        }
        let rest = if exact {
            ", and no more."
        } else {
            "; a best\nresponse on all flops wins at least as much."
        };
        write!(
            f,
            "{table}\n\nAn opponent who knows the strategy can win this much with the bets of this \
         tree{rest}\n{}",
            self.kept
        )
    }
}
