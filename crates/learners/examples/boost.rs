//! Trains boosted trees on raw numbers and asks forests about them: what the comparison with
//! XGBoost drives.
//!
//! ```text
//! boost train columns=35 classes=4 x=X labels=P model=OUT [weights=W] [held_x=X held_labels=P]
//!     [rounds= max_depth= eta= lambda= gamma= min_child_weight= subsample=
//!     colsample= patience= seed= bins=]
//! boost predict model=FILE x=X out=P
//! boost convert model=FILE out=FILE
//! ```
//!
//! Numbers are 32-bit floats, little-endian, row by row; `labels` has a share for each class. A
//! model is written as XGBoost's JSON or UBJ or in the compact form, as its name ends: `.json`,
//! `.ubj`, `.forest`. `train` and `predict` print a JSON object with seconds and losses.

#![allow(clippy::print_stdout, reason = "what it finds is its output")]

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::str::FromStr;
use std::time::Instant;

use learners::boost::{Boost, Options};
use learners::{Bins, Table, Training};
use models::Classifier;
use models::forest::Forest;

type Outcome<T> = Result<T, Box<dyn Error>>;

struct Arguments(HashMap<String, String>);

impl Arguments {
    fn text(&self, key: &str) -> Outcome<&str> {
        Ok(self.0.get(key).ok_or_else(|| format!("{key}= is missing"))?)
    }

    fn or<T: FromStr>(&self, key: &str, default: T) -> Outcome<T> {
        match self.0.get(key) {
            Some(text) => text.parse().map_err(|_| format!("{key}={text} is not a number").into()),
            None => Ok(default),
        }
    }

    fn floats(&self, key: &str) -> Outcome<Vec<f32>> {
        let bytes = fs::read(self.text(key)?)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect())
    }
}

fn main() -> Outcome<()> {
    let mut words = std::env::args().skip(1);
    let command = words.next().ok_or("usage: boost train|predict|convert KEY=VALUE…")?;
    let pair = |word: String| word.split_once('=').map(|(key, value)| (key.into(), value.into()));
    let arguments = Arguments(words.map(pair).collect::<Option<_>>().ok_or("KEY=VALUE is wanted")?);
    match command.as_str() {
        "train" => train(&arguments),
        "predict" => predict(&arguments),
        "convert" => {
            write(&Forest::open(arguments.text("model")?.as_ref())?, arguments.text("out")?)
        }
        _ => Err(format!("{command} is none of train, predict and convert").into()),
    }
}

fn table(arguments: &Arguments, prefix: &str) -> Outcome<Table> {
    let columns: usize = arguments.text("columns")?.parse()?;
    let classes: usize = arguments.text("classes")?.parse()?;
    let by_row = arguments.floats(&format!("{prefix}x"))?;
    let labels = arguments.floats(&format!("{prefix}labels"))?;
    let rows = by_row.len() / columns;
    let weights = match prefix {
        "" if arguments.0.contains_key("weights") => arguments.floats("weights")?,
        _ => vec![1.0; rows],
    };
    let mut values = vec![0.0; by_row.len()];
    for (column, values) in values.chunks_exact_mut(rows).enumerate() {
        values
            .iter_mut()
            .zip(by_row[column..].iter().step_by(columns))
            .for_each(|(to, from)| *to = *from);
    }
    let names =
        |letter: char, count| (0..count).map(|number| format!("{letter}{number}")).collect();
    Ok(Table::new(names('f', columns), names('c', classes), values, labels, weights)?)
}

fn options(arguments: &Arguments) -> Outcome<Options> {
    let default = Options::default();
    let patience = arguments.or("patience", 0)?;
    Ok(Options {
        rounds: arguments.or("rounds", default.rounds)?,
        max_depth: arguments.or("max_depth", default.max_depth)?,
        eta: arguments.or("eta", default.eta)?,
        lambda: arguments.or("lambda", default.lambda)?,
        gamma: arguments.or("gamma", default.gamma)?,
        min_child_weight: arguments.or("min_child_weight", default.min_child_weight)?,
        subsample: arguments.or("subsample", default.subsample)?,
        colsample: arguments.or("colsample", default.colsample)?,
        patience: (patience > 0).then_some(patience),
        seed: arguments.or("seed", default.seed)?,
    })
}

fn train(arguments: &Arguments) -> Outcome<()> {
    let learnt = table(arguments, "")?;
    let held_out = arguments.0.contains_key("held_x").then(|| table(arguments, "held_"));
    let held_out = held_out.transpose()?;
    let begun = Instant::now();
    let bins = Bins::new(&learnt, arguments.or("bins", 256)?);
    let binned = begun.elapsed().as_secs_f64();
    let mut run = Boost::new(options(arguments)?, &learnt, &bins, held_out.as_ref())?;
    let mut last = None;
    while let Some(progress) = run.step() {
        last = Some(progress);
    }
    let seconds = begun.elapsed().as_secs_f64();
    let (model, last) = (run.model(), last.ok_or("no round was done")?);
    write(&model, arguments.text("model")?)?;
    println!(
        "{{\"seconds\": {seconds:.3}, \"binning\": {binned:.3}, \"rounds\": {}, \"best\": {}, \
         \"trees\": {}, \"nodes\": {}, \"loss\": {}, \"held_out\": {}}}",
        last.done,
        run.best_rounds(),
        model.trees(),
        model.node_count(),
        last.loss,
        last.held_out.map_or("null".to_string(), |loss| loss.to_string()),
    );
    Ok(())
}

fn predict(arguments: &Arguments) -> Outcome<()> {
    let model = Forest::open(arguments.text("model")?.as_ref())?;
    let rows = arguments.floats("x")?;
    let mut shares = vec![0.0; rows.len() / model.columns() * model.classes()];
    let begun = Instant::now();
    for (row, shares) in
        rows.chunks_exact(model.columns()).zip(shares.chunks_exact_mut(model.classes()))
    {
        model.predict(row, shares);
    }
    let each = begun.elapsed().as_secs_f64() * 1e6 / (rows.len() / model.columns()) as f64;
    let bytes: Vec<u8> = shares.iter().flat_map(|share| share.to_le_bytes()).collect();
    fs::write(arguments.text("out")?, bytes)?;
    println!(
        "{{\"microseconds\": {each:.3}, \"trees\": {}, \"nodes\": {}}}",
        model.trees(),
        model.node_count()
    );
    Ok(())
}

fn write(model: &Forest, path: &str) -> Outcome<()> {
    let bytes = match path.rsplit_once('.') {
        Some((_, "json")) => model.to_json(),
        Some((_, "ubj")) => model.to_ubj(),
        Some((_, "forest")) => model.to_compact(),
        _ => return Err(format!("{path} ends neither in .json nor in .ubj nor in .forest").into()),
    };
    Ok(fs::write(path, bytes)?)
}
