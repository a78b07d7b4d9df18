//! Fits a tree to raw numbers, for checks and measurements by other programs.
//!
//! `fit cart|oct DIR columns=N classes=N [depth=N] [loss=errors|gini|entropy] [bins=N] [min-rows=N]
//! [min-weight=X] [alpha=X] [starts=N] [survivors=N] [rounds=N] [regrows=N] [stage-rows=N]
//! [planes=N] [seed=N] [threads=N] [steps]`
//!
//! DIR holds `train.x` (rows of f32), `train.y` (a byte a row) or `train.p` (rows of f32 shares),
//! and `train.w` (f32) where rows have weights; the same for `held`, where those rows choose alpha,
//! and `test.x`. Written are `train.out` and `test.out`, rows of f32 shares, and `tree`; printed is
//! one JSON object. All numbers are little-endian.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for the terminal")]

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Instant;

use learners::cart;
use learners::oct::{self, Oct, StartTrees};
use learners::{Bins, Loss, Table, Training};
use models::Classifier;
use models::tree::Tree;

type Failed = Box<dyn Error + Send + Sync>;

struct Args {
    learner: String,
    dir: String,
    options: HashMap<String, String>,
}

impl Args {
    fn new() -> Result<Args, Failed> {
        let mut args = std::env::args().skip(1);
        let (Some(learner), Some(dir)) = (args.next(), args.next()) else {
            return Err("usage: fit cart|oct DIR columns=N classes=N [NAME=VALUE ...]".into());
        };
        let pair = |arg: String| match arg.split_once('=') {
            Some((name, value)) => (name.to_string(), value.to_string()),
            None => (arg, String::new()),
        };
        Ok(Args { learner, dir, options: args.map(pair).collect() })
    }

    fn get<T: std::str::FromStr>(&self, name: &str, default: T) -> Result<T, Failed> {
        match self.options.get(name) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| format!("{name}={text}").into()),
        }
    }

    fn loss(&self) -> Result<Loss, Failed> {
        match self.options.get("loss").map(String::as_str) {
            Some("errors") => Ok(Loss::Misclassification),
            None | Some("gini") => Ok(Loss::Gini),
            Some("entropy") => Ok(Loss::Entropy),
            Some(other) => Err(format!("loss={other}").into()),
        }
    }
}

fn floats(path: &Path) -> Result<Vec<f32>, Failed> {
    let bytes = fs::read(path)?;
    let chunks = bytes.as_chunks::<4>().0;
    Ok(chunks.iter().map(|&chunk| f32::from_le_bytes(chunk)).collect())
}

fn table(args: &Args, name: &str) -> Result<Option<Table>, Failed> {
    let (columns, classes) = (args.get("columns", 0)?, args.get("classes", 0)?);
    let file = |kind: &str| Path::new(&args.dir).join(format!("{name}.{kind}"));
    if columns == 0 || !file("x").exists() {
        return Ok(None);
    }
    let by_row = floats(&file("x"))?;
    let rows = by_row.len() / columns;
    let values = (0..columns)
        .flat_map(|column| (0..rows).map(move |row| row * columns + column))
        .map(|at| by_row[at])
        .collect();
    let names = |letter: char, count: usize| (0..count).map(|at| format!("{letter}{at}")).collect();
    let (columns, class_names) = (names('x', columns), names('c', classes));
    if file("p").exists() {
        let shares = floats(&file("p"))?;
        let weights = if file("w").exists() { floats(&file("w"))? } else { vec![1.0; rows] };
        return Ok(Some(Table::new(columns, class_names, values, shares, weights)?));
    }
    // Rows to ask about have no labels.
    let labels = fs::read(file("y")).unwrap_or_else(|_| vec![0; rows]);
    let labels: Vec<usize> = labels.into_iter().map(usize::from).collect();
    Ok(Some(Table::hard(columns, class_names, values, &labels)?))
}

fn fit(args: &Args, train: &Table, held_out: Option<&Table>) -> Result<Tree, Failed> {
    let bins = Bins::new(train, args.get("bins", 256)?);
    let defaults = oct::Options::default();
    let options = oct::Options {
        depth: args.get("depth", defaults.depth)?,
        loss: args.loss()?,
        min_rows: args.get("min-rows", defaults.min_rows)?,
        min_weight: args.get("min-weight", defaults.min_weight)?,
        alpha: args.get("alpha", defaults.alpha)?,
        starts: match args.options.get("starts") {
            Some(_) => StartTrees::Exactly(args.get("starts", 0)?),
            None => defaults.starts,
        },
        survivors: args.get("survivors", defaults.survivors)?,
        rounds: args.get("rounds", defaults.rounds)?,
        regrows: args.get("regrows", defaults.regrows)?,
        stage_rows: args.get("stage-rows", defaults.stage_rows)?,
        planes: args.get("planes", defaults.planes)?,
        seed: args.get("seed", defaults.seed)?,
    };
    if args.learner == "oct" {
        let start = Instant::now();
        let mut run = Oct::new(train, &bins, held_out, options)?;
        while let Some(progress) = run.step() {
            if args.options.contains_key("steps") {
                eprintln!("{:6.1} s {progress:?}", start.elapsed().as_secs_f64());
            }
        }
        return Ok(run.model());
    }
    let oct::Options { depth, loss, min_rows, min_weight, alpha, .. } = options;
    let criterion = cart::Criterion::Means(loss);
    let options = cart::Options { depth, criterion, min_rows, min_weight, alpha };
    Ok(match held_out {
        Some(held_out) => cart::fit_pruned(train, &bins, held_out, &options)?.0,
        None => cart::fit(train, &bins, &options)?,
    })
}

fn predict(tree: &Tree, table: &Table, path: &Path) -> Result<(), Failed> {
    let mut values = vec![0.0; tree.columns()];
    let mut shares = vec![0.0; tree.classes()];
    let mut out = Vec::new();
    for row in 0..table.rows() {
        table.row(row, &mut values);
        tree.predict(&values, &mut shares);
        shares.iter().for_each(|share| out.extend(share.to_le_bytes()));
    }
    Ok(fs::write(path, out)?)
}

fn main() -> Result<(), Failed> {
    let args = Args::new()?;
    let threads = args.get("threads", 1)?;
    let pool = parallel::Pool::new(threads)?;
    let train = table(&args, "train")?.ok_or("there is no train.x, or columns= is missing")?;
    let held_out = table(&args, "held")?;
    let start = Instant::now();
    let tree = pool.run(|| fit(&args, &train, held_out.as_ref()))?;
    let seconds = start.elapsed().as_secs_f64();
    let dir = Path::new(&args.dir);
    predict(&tree, &train, &dir.join("train.out"))?;
    if let Some(test) = table(&args, "test")? {
        predict(&tree, &test, &dir.join("test.out"))?;
    }
    fs::write(dir.join("tree"), tree.to_bytes())?;
    let [errors, gini, entropy] = [Loss::Misclassification, Loss::Gini, Loss::Entropy]
        .map(|loss| oct::objective(&tree, &train, loss));
    println!(
        "{{\"seconds\": {seconds:.3}, \"leaves\": {}, \"depth\": {}, \"errors\": {errors}, \
         \"gini\": {gini}, \"entropy\": {entropy}}}",
        tree.leaves(),
        tree.depth()
    );
    Ok(())
}
