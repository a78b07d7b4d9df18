//! How narrow each estimate of a win rate is, measured on matches between agents.
//!
//! `cargo run --release -p matches --example estimates -- [OPTION N]… A/B…` plays each pair of
//! agents in this process, fresh cards for each hand, and prints the estimates of A's rate: once
//! with the strategies of both known, once with A's alone, as when the opponent is somebody else's
//! program. Options: `--hands`, `--seed`, `--imagine` (hole cards imagined for each hand), and
//! `--fit` to print the coefficients that the value function should have had.

#![allow(clippy::print_stdout, reason = "printing is its purpose")]

use std::sync::Arc;

use game::{GameDef, games};
use logs::DecisionRecord;
use logs::estimate::{Estimates, RowKind, Rows};
use matches::bot::Bot;
use matches::registry::registry;
use matches::table::{Observer, Table};

struct Options {
    hands: u64,
    seed: u64,
    imagine: usize,
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
    let mut options =
        Options { hands: 100_000, seed: 1, imagine: 0, fit: false, pairs: Vec::new() };
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
            "--fit" => options.fit = true,
            _ => options.pairs.push(argument),
        }
    }
    Ok(options)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = options()?;
    let def = Arc::new(games::nolimit_holdem());
    for pair in &options.pairs {
        measure(&def, pair, &options)?;
    }
    Ok(())
}

fn measure(
    def: &Arc<GameDef>,
    pair: &str,
    options: &Options,
) -> Result<(), Box<dyn std::error::Error>> {
    let (one, other) = pair.split_once('/').ok_or("name two agents as A/B")?;
    let choices = [registry().resolve(one)?, registry().resolve(other)?];
    let agents = choices.iter().map(|choice| Bot::new(choice, def)).collect::<Result<_, _>>()?;
    let mut table = Table::new(def, agents, options.seed, false, None);
    let new = || -> Result<Estimates, Box<dyn std::error::Error>> {
        let estimates = Estimates::of_game(def, 1, 0).ok_or("not heads-up hold'em")?;
        Ok(match choices[0].policy(def)? {
            Some(policy) if options.imagine > 1 => estimates.imagining(policy, options.imagine),
            _ => estimates,
        })
    };
    let (mut both, mut one_sided) = (new()?, new()?.one_sided());
    for hand in 0..options.hands {
        let mut decisions = Decisions::default();
        let record = table.play(hand, &mut decisions);
        both.add(&record, &decisions.0, None);
        one_sided.add(&record, &decisions.0, None);
    }
    println!("{one} against {other}: {} hands, seed {}", options.hands, options.seed);
    show(&both.rows()?, "", |_| true);
    // Without the other's strategies only what rests on choices differs.
    show(&one_sided.rows()?, ", one side known", |kind| {
        matches!(kind, RowKind::Imagined | RowKind::Combined)
    });
    if options.fit {
        for street in both.fitted() {
            println!("  {street:7.2?}");
        }
    }
    Ok(())
}

fn show(rows: &Rows, known: &str, wanted: impl Fn(RowKind) -> bool) {
    for row in rows.rows.iter().filter(|row| wanted(row.kind)) {
        println!(
            "  {:34} {:+9.1} ± {:6.1} mbb/hand, deviation {:6.0}, {:.3} of raw",
            format!("{:?}{known}", row.kind),
            row.rate.mbb,
            row.rate.half_width(),
            row.deviation,
            row.of_raw.unwrap_or_default()
        );
    }
    rows.notes.iter().for_each(|note| println!("  {note}"));
}
