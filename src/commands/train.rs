//! `cardroom train`: making the models that agents play from.

use clap::Subcommand;

use crate::exit::Failure;

mod cfr;
mod compare;
mod course;
mod curve;
mod dataset;
mod lessons;
mod student;

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
    Cart(lessons::Cart),
    Oct(lessons::Oct),
    Xgboost(lessons::Xgboost),
    Mlp(lessons::Mlp),
    Compare(compare::Args),
}

/// Trains.
pub fn run(args: Args) -> Result<(), Failure> {
    match args.what {
        What::Cfr(args) => cfr::run(&args),
        What::Dataset(args) => dataset::run(&args),
        What::Cart(args) => student::run(&args.common, &args.lesson()),
        What::Oct(args) => student::run(&args.common, &args.lesson()),
        What::Xgboost(args) => student::run(&args.common, &args.lesson()),
        What::Mlp(args) => student::run(&args.common, &args.lesson()),
        What::Compare(args) => compare::run(&args),
    }
}
