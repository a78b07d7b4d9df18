//! `cardroom train`: making the models that agents play from.

use clap::Subcommand;

use crate::exit::Failure;

mod cfr;
mod course;
mod dataset;

/// Train a model that an agent plays from.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Cfr(Box<cfr::Args>),
    Dataset(dataset::Args),
}

/// Trains.
pub fn run(args: Args) -> Result<(), Failure> {
    match args.what {
        What::Cfr(args) => cfr::run(&args),
        What::Dataset(args) => dataset::run(&args),
    }
}
