//! `cardroom train dataset`: makes a dataset of a teacher's decisions.

use std::path::{Path, PathBuf};

use abstraction::features::{Schema, Stamp};
use learners::Teacher;
use learners::dataset::{CARD, DatasetReport, MakeOptions, MakeOutcome, make};
use models::blueprint::Blueprint;
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use crate::arguments::Threads;
use crate::config::units::Count;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{Output, Report};
use crate::progress::Progress;
use crate::resolve_names::Game;

/// Make a dataset of a blueprint's decisions in self-play, as rows of features that a player
/// understands.
///
/// Each row is a situation as 35, 25, 15 or 5 numbers, by street (`cardroom show features
/// --schema`), with the blueprint's probabilities of the menu's moves. Rows are as frequent as in
/// self-play, except that a share of the actions is uniformly random (--explore). Equal rows are
/// merged and counted. Eight deals in ten are for training, one for validation, one for testing.
///
/// The same command makes the same files on every machine, with the same memory for any number of
/// rows. An interrupted run starts again from the beginning.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    game: Game,
    /// The teacher: a blueprint of `cardroom train cfr`, or `shipped`, the built-in one for the
    /// game
    #[arg(long, value_name = "FILE", default_value = "shipped")]
    from: String,
    /// Rows over all streets, as in 500k or 2M
    #[arg(long, value_name = "N", default_value = "2M")]
    rows: Count,
    /// The folder to make
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// The share of uniformly random actions, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    explore: f64,
    /// The identifier of a feature schema
    #[arg(long, value_name = "ID", default_value_t = Schema::default().stamp().id)]
    features: String,
    /// Seed for the rows
    #[arg(long, value_name = "SEED", default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(..1 << 63))]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// Runs the command: makes the dataset and returns its description.
pub fn run(args: &Args) -> Result<Output, Failure> {
    if args.rows.0 == 0 || !(0.0..=1.0).contains(&args.explore) {
        return Err(Failure::usage("--rows must be at least 1, and --explore from 0 to 1"));
    }
    if args.out.exists() {
        let what =
            if args.out.join(CARD).exists() { "already holds a dataset" } else { "already exists" };
        return Err(Failure::input(anyhow::anyhow!(
            "{} {what}: give --out another name, or remove it",
            args.out.display()
        )));
    }
    let schema = Schema::ALL.into_iter().find(|schema| schema.stamp().id == args.features);
    let schema = schema.map_or_else(
        || Schema::with_stamp(&Stamp { id: args.features.clone(), sha256: String::new() }),
        Ok,
    );
    let schema = schema.map_err(|error| Failure::usage(error.to_string()))?;
    let stop = interrupt::listen("stopping; the unfinished dataset is removed")?;
    let (teacher, teacher_sha256) = teacher(&args.game, &args.from)?;
    let options = MakeOptions {
        rows: args.rows.0,
        explore: args.explore,
        seed: args.seed,
        schema,
        teacher_sha256,
        made_by: concat!("cardroom ", env!("CARGO_PKG_VERSION")).to_owned(),
    };
    let pool = args.threads.pool()?;
    let mut progress = Progress::new(args.rows.0, "rows", args.quiet);
    let made = pool.run(|| {
        make(&teacher, &options, &args.out, |rows| {
            progress.show(rows, "");
            !stop.asked()
        })
    });
    progress.finish();
    match made? {
        MakeOutcome::Whole(card) => {
            Output::report(&DatasetReport::new(&args.out, *card), args.json)
        }
        MakeOutcome::Stopped => Err(interrupt::repeatable("stopped")),
    }
}

/// The teacher of this name, and the SHA-256 of its unpacked file.
fn teacher(game: &Game, from: &str) -> Result<(Teacher, String), Failure> {
    let def = game.load()?;
    let blueprint = if from == "shipped" {
        let bytes = agents::shipped_blueprint(&def).ok_or_else(|| {
            Failure::input(anyhow::anyhow!(
                "no blueprint ships for this game: train one with `cardroom train cfr`, and name \
                 it with --from"
            ))
        })?;
        Blueprint::from_static(bytes)
    } else {
        Blueprint::open(Path::new(from))
    };
    let blueprint = blueprint?;
    blueprint.check_game(&def)?;
    let sha256 = hexadecimal(&Sha256::digest(blueprint.plain()));
    let teacher = Teacher::new(blueprint)?;
    Ok((teacher, sha256))
}

impl Report for DatasetReport<'_> {
    const SCHEMA: &'static str = "cardroom-dataset/1";
}
