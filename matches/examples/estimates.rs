//! How narrow each estimate of a win rate is, measured on matches between agents.
//!
//! `cargo run --release -p matches --example estimates -- [OPTION N]… [A/B…]` plays each pair of
//! agents in this process and prints, for every estimate of A's rate, its deviation per hand and
//! that as a share of the plain one's; then what each kind of luck, taken out after those before
//! it, leaves. Without pairs it makes the table of docs/statistics.md. `A/B` has fresh cards for
//! each hand, `A//B` plays each deal twice (shares are then of the duplicate deviation).
//!
//! Options: `--hands`, `--seed`, `--imagine` (hole cards imagined for each hand), `--equity 1` (no
//! values of the blueprint), `--agents 1` (values by what the agents themselves would do),
//! `--matches N` (plays N matches with seeds that follow each other, and says how far the mean of
//! each estimate is from that of plain results, in standard errors, and how many intervals hold the
//! mean of the best one), `--fit 1` to print the coefficients that the value function of equity
//! should have had.

#![allow(clippy::print_stdout, reason = "printing is its purpose")]

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use game::{GameDef, games};
use logs::DecisionRecord;
use logs::estimate::{Estimates, Observed, RowKind, Rows};
use matches::bot::Bot;
use matches::registry::registry;
use matches::table::{Observer, Table};

/// The pairs of the table in docs/statistics.md.
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
    imagine: usize,
    matches: u64,
    equity: bool,
    agents: bool,
    fit: bool,
    pairs: Vec<String>,
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
        imagine: 0,
        matches: 1,
        equity: false,
        agents: false,
        fit: false,
        pairs: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || {
            let value = arguments.next().and_then(|text| text.parse::<u64>().ok());
            value.ok_or_else(|| format!("{argument} takes a number"))
        };
        match argument.as_str() {
            "--hands" => options.hands = number()?,
            "--seed" => options.seed = number()?,
            "--imagine" => options.imagine = number()? as usize,
            "--matches" => options.matches = number()?,
            "--equity" => options.equity = number()? > 0,
            "--agents" => options.agents = number()? > 0,
            "--fit" => options.fit = number()? > 0,
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
    let def = Arc::new(games::nolimit_holdem());
    for pair in &options.pairs {
        if options.matches > 1 {
            repeat(&def, pair, &options)?;
        } else {
            measure(&def, pair, &options)?;
        }
    }
    Ok(())
}

/// The estimates of one match.
fn played(
    def: &Arc<GameDef>,
    pair: &str,
    seed: u64,
    options: &Options,
) -> Result<Estimates, Failure> {
    let (one, other) = pair.split_once('/').ok_or("name two agents as A/B or A//B")?;
    let duplicate = other.starts_with('/');
    let other = other.trim_start_matches('/');
    let choices = [registry().resolve(one)?, registry().resolve(other)?];
    let agents = choices.iter().map(|choice| Bot::new(choice, def)).collect::<Result<_, _>>()?;
    let mut table = Table::new(def, agents, seed, duplicate, None);
    let group = if duplicate { 2 } else { 1 };
    let mut estimates = Estimates::of_game(def, group, 0).ok_or("not heads-up hold'em")?;
    if let Some(policy) = choices[0].policy(def)?
        && options.imagine > 1
    {
        estimates = estimates.imagining(policy, options.imagine);
    }
    let values = match (options.equity, options.agents) {
        (true, _) => None,
        (false, false) => agents::shipped_values(def),
        (false, true) => {
            let policies = [choices[0].policy(def)?, choices[1].policy(def)?];
            agents::values_between(def, policies, [one, other])
        }
    };
    if let Some(values) = values {
        estimates = estimates.valued_by(values);
    }
    let hands = (0..options.hands).map(|hand| {
        let mut decisions = Decisions::default();
        let record = table.play(hand, &mut decisions);
        Ok::<_, Infallible>(Observed::Hand { record, decisions: decisions.0, baseline: None })
    });
    let Ok(_) = estimates.add_all(hands, &mut |_| ControlFlow::Continue(()));
    Ok(estimates)
}

fn measure(def: &Arc<GameDef>, pair: &str, options: &Options) -> Result<(), Failure> {
    let start = Instant::now();
    let estimates = played(def, pair, options.seed, options)?;
    let seconds = start.elapsed().as_secs_f64();
    let rows = estimates.rows()?;
    println!(
        "{pair}: {} hands, seed {}, values {}, {:.0} hands/s with playing them",
        options.hands,
        options.seed,
        rows.value_function,
        options.hands as f64 / seconds
    );
    show(&rows);
    let left = estimates.narrowing().into_iter().map(|(what, left)| format!("{what} {left:.3}"));
    println!("  left after {}", left.collect::<Vec<_>>().join(", "));
    if options.fit {
        for street in estimates.fitted() {
            println!("  {street:7.2?}");
        }
    }
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
fn repeat(def: &Arc<GameDef>, pair: &str, options: &Options) -> Result<(), Failure> {
    let mut all: BTreeMap<RowKind, Vec<(f64, f64)>> = BTreeMap::new();
    let mut intervals: BTreeMap<RowKind, Vec<(f64, f64)>> = BTreeMap::new();
    for number in 0..options.matches {
        let rows = played(def, pair, options.seed + number, options)?.rows()?.rows;
        let raw = rows[0].rate.mbb;
        for row in rows {
            all.entry(row.kind).or_default().push((row.rate.mbb, raw));
            let interval = row.rate.interval;
            intervals.entry(row.kind).or_default().push((interval.low, interval.high));
        }
    }
    let count = options.matches as f64;
    let best = all.get(&RowKind::Combined).ok_or("no estimate")?;
    let truth = best.iter().map(|&(rate, _)| rate).sum::<f64>() / count;
    println!(
        "{pair}: {} matches of {} hands, {truth:+.1} mbb/hand",
        options.matches, options.hands
    );
    for (kind, rates) in &all {
        let apart: Vec<f64> = rates.iter().map(|&(rate, raw)| rate - raw).collect();
        let mean = apart.iter().sum::<f64>() / count;
        let variance = apart.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let error = (variance / count).sqrt();
        let held = intervals[kind].iter().filter(|(low, high)| (*low..=*high).contains(&truth));
        println!(
            "  {:14} {:+.1} from raw, {:+.1} standard errors; {:.1} % of intervals hold the rate",
            format!("{kind:?}"),
            mean,
            if error > 0.0 { mean / error } else { 0.0 },
            100.0 * held.count() as f64 / count
        );
    }
    Ok(())
}
