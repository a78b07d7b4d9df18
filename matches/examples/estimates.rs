//! The width of each estimate of a win rate, measured on matches between agents.
//!
//! `cargo run --release -p matches --example estimates -- [OPTION N]… [A/B…]` plays each pair of
//! agents in this process and prints, for every estimate of A's rate, its deviation per hand and
//! that as a share of the plain one's; then what each kind of luck, taken out after those before
//! it, leaves. Without pairs it makes the table of docs/benchmarks.md. `A/B` has fresh cards for
//! each hand, `A//B` plays each deal twice (shares are then of the duplicate deviation).
//!
//! Options: `--hands`, `--seed`, `--game NAME`, and `--values blueprint|agents|cards|equity` (whose
//! values: `cards` asks the agents for the very cards).
//!
//! `--matches N` plays N matches with seeds that follow each other, and says how far the mean of
//! each estimate is from that of plain results, in standard errors, and how many intervals hold
//! the true rate. That is the combined estimate of one more match, of other hands: as many as in
//! all of the N, or `--truth HANDS`; the mean's distance from it is in standard errors too.

#![allow(clippy::print_stdout, reason = "printing is its purpose")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use agents::{AgentChoice, StrategyQuery};
use game::{GameDef, ValueFunction};
use logs::DecisionRecord;
use logs::estimate::{Estimates, Observed, RowKind, Rows};
use logs::stats::Rate;
use matches::bot::Bot;
use matches::external::registry;
use matches::games::load_game;
use matches::table::{Observer, Table};
use protocol::acpc::gamedef::Reading;

/// The pairs of the table in docs/benchmarks.md.
const PAIRS: [&str; 7] = [
    "cfr/equity",
    "equity/call",
    "xgboost//oct",
    "mlp//cart",
    "oct/cfr",
    "equity:mix=0.5,spread=0.5,raise=6/equity:raise=4",
    "equity:mix=1,bluff=0.3/random",
];

type Failure = Box<dyn std::error::Error>;

struct Options {
    hands: u64,
    seed: u64,
    matches: u64,
    truth: u64,
    game: String,
    values: Values,
    pairs: Vec<String>,
}

/// The source of the values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Values {
    Blueprint,
    Agents(StrategyQuery),
    Equity,
}

#[derive(Default)]
struct Decisions(Vec<DecisionRecord>);

impl Observer for Decisions {
    fn decision(&mut self, record: DecisionRecord) {
        self.0.push(record);
    }
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        hands: 20_000,
        seed: 11,
        matches: 1,
        truth: 0,
        game: "holdem.nolimit.2p.reverse_blinds".to_owned(),
        values: Values::Blueprint,
        pairs: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut word = || arguments.next().ok_or_else(|| format!("{argument} takes a value"));
        let mut number = || {
            let value = word()?.parse::<u64>();
            value.map_err(|_| format!("{argument} takes a number"))
        };
        match argument.as_str() {
            "--hands" => options.hands = number()?,
            "--seed" => options.seed = number()?,
            "--matches" => options.matches = number()?,
            "--truth" => options.truth = number()?,
            "--game" => options.game = word()?,
            "--values" => {
                options.values = match word()?.as_str() {
                    "blueprint" => Values::Blueprint,
                    "agents" => Values::Agents(StrategyQuery::Buckets),
                    "cards" => Values::Agents(StrategyQuery::Cards),
                    "equity" => Values::Equity,
                    _ => return Err("--values takes blueprint, agents, cards or equity".into()),
                }
            }
            _ => options.pairs.push(argument),
        }
    }
    if options.pairs.is_empty() {
        options.pairs = PAIRS.map(str::to_owned).to_vec();
    }
    Ok(options)
}

fn main() -> Result<(), Failure> {
    let options = options()?;
    let def = load_game(&options.game, Reading::Strict)?;
    for pair in &options.pairs {
        let pair = Pair::new(&def, pair, options.values)?;
        if options.matches > 1 {
            repeat(&pair, &options)?;
        } else {
            measure(&pair, &options)?;
        }
    }
    Ok(())
}

/// Two agents, and the values of their hands.
struct Pair {
    def: Arc<GameDef>,
    name: String,
    choices: [AgentChoice; 2],
    duplicate: bool,
    values: Option<Arc<dyn ValueFunction>>,
}

impl Pair {
    fn new(def: &Arc<GameDef>, name: &str, values: Values) -> Result<Pair, Failure> {
        let (one, other) = name.split_once('/').ok_or("name two agents as A/B or A//B")?;
        let duplicate = other.starts_with('/');
        let other = other.trim_start_matches('/');
        let choices = [registry().resolve(one)?, registry().resolve(other)?];
        let values = match values {
            Values::Equity => None,
            Values::Blueprint => agents::shipped_values(def),
            Values::Agents(asked_for) => {
                let policies = [choices[0].policy(def)?, choices[1].policy(def)?];
                agents::values_between(def, policies, [one, other], asked_for)
            }
        };
        Ok(Pair { def: Arc::clone(def), name: name.to_owned(), choices, duplicate, values })
    }

    /// The estimates of one match.
    fn played(&self, hands: u64, seed: u64) -> Result<Estimates, Failure> {
        let bots = self.choices.iter().map(|choice| Bot::new(choice, &self.def));
        let bots = bots.collect::<Result<_, _>>()?;
        let mut table = Table::new(&self.def, bots, seed, self.duplicate, None);
        let group = if self.duplicate { 2 } else { 1 };
        let estimates = Estimates::of_game(&self.def, group, 0);
        let mut estimates = estimates.ok_or("not heads-up hold'em")?;
        if let Some(values) = &self.values {
            values.prepare(hands);
            estimates = estimates.valued_by(Arc::clone(values));
        }
        let hands = (0..hands).map(|hand| {
            let mut decisions = Decisions::default();
            let record = table.play(hand, &mut decisions);
            Ok::<_, Infallible>(Observed::Hand { record, decisions: decisions.0, baseline: None })
        });
        let Ok(_) = estimates.add_all(hands, &mut |_| ControlFlow::Continue(()));
        Ok(estimates)
    }
}

fn measure(pair: &Pair, options: &Options) -> Result<(), Failure> {
    let start = Instant::now();
    let estimates = pair.played(options.hands, options.seed)?;
    let seconds = start.elapsed().as_secs_f64();
    let rows = estimates.rows()?;
    println!(
        "{}: {} hands, seed {}, values {}, {:.1} ms a hand with playing it",
        pair.name,
        options.hands,
        options.seed,
        rows.value_function,
        1e3 * seconds / options.hands as f64
    );
    show(&rows);
    let left = estimates.narrowing().into_iter().map(|(what, left)| format!("{what} {left:.3}"));
    println!("  left after {}", left.collect::<Vec<_>>().join(", "));
    Ok(())
}

fn show(rows: &Rows) {
    for row in &rows.rows {
        println!(
            "  {:14} {:+9.1} ± {:6.1} mbb/hand, deviation {:6.0}, {:.3} of raw",
            format!("{:?}", row.kind),
            row.rate.mbb,
            row.rate.half_width(),
            row.deviation,
            row.of_raw.unwrap_or_default()
        );
    }
    rows.notes.iter().for_each(|note| println!("  {note}"));
}

/// Many matches: whether estimates are unbiased, and their intervals right.
fn repeat(pair: &Pair, options: &Options) -> Result<(), Failure> {
    let hands = if options.truth > 0 { options.truth } else { options.hands * options.matches };
    let rows = pair.played(hands, options.seed + options.matches)?.rows()?.rows;
    let truth = rows.last().ok_or("no estimate")?.rate;
    println!(
        "{}: the true rate by {hands} hands is {:+.1} ± {:.1} mbb/hand; {} matches of {} hands",
        pair.name,
        truth.mbb,
        truth.half_width(),
        options.matches,
        options.hands
    );
    let mut all: BTreeMap<RowKind, Vec<(Rate, f64)>> = BTreeMap::new();
    for number in 0..options.matches {
        let seed = options.seed + number;
        let rows = pair.played(options.hands, seed)?.rows()?.rows;
        let raw = rows[0].rate.mbb;
        rows.iter().for_each(|row| all.entry(row.kind).or_default().push((row.rate, raw)));
    }
    for (kind, rates) in &all {
        let (from_raw, raw_error) = mean(rates.iter().map(|(rate, raw)| rate.mbb - raw));
        let (from_truth, error) = mean(rates.iter().map(|(rate, _)| rate.mbb - truth.mbb));
        let off = |from: f64, error: f64| if error > 0.0 { from / error } else { 0.0 };
        let held = rates
            .iter()
            .filter(|(rate, _)| (rate.interval.low..=rate.interval.high).contains(&truth.mbb));
        println!(
            "  {:14} {:+.1} standard errors from raw, {:+.1} from the true rate ({:+.1} mbb/hand); \
             {:.1} % of intervals hold it",
            format!("{kind:?}"),
            off(from_raw, raw_error),
            off(from_truth, error.hypot(truth.standard_error)),
            from_truth,
            100.0 * held.count() as f64 / rates.len() as f64
        );
    }
    Ok(())
}

/// The mean of these, and its standard error.
fn mean(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, (variance / count).sqrt())
}
