//! `cardroom train`: trains the models that agents play from.

use clap::Subcommand;

use crate::exit::Failure;
use crate::output::Output;
pub use device::Device;

mod cfr;
mod checkpoints;
mod compare;
mod curve;
mod dataset;
mod device;
mod heuristic;
mod history;
mod label_noise;
mod lessons;
mod linear;
mod pack;
mod situations;
mod student;
mod values;

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
    Heuristic(Box<heuristic::Args>),
    Linear(linear::Args),
    Situations(situations::Args),
    LabelNoise(label_noise::Args),
    Values(values::Args),
    Compare(compare::Args),
    Pack(pack::Args),
}

/// Runs the subcommand.
pub fn run(args: Args) -> Result<Output, Failure> {
    match args.what {
        What::Cfr(args) => cfr::run(&args),
        What::Dataset(args) => dataset::run(&args),
        What::Cart(args) => student::run(&args.common, &args.lesson(), Device::Cpu),
        What::Oct(args) => student::run(&args.common, &args.lesson(), Device::Cpu),
        What::Xgboost(args) => student::run(&args.common, &args.lesson(), Device::Cpu),
        What::Mlp(args) => student::run(&args.common, &args.lesson(), args.device),
        What::Heuristic(args) => heuristic::run(&args),
        What::Linear(args) => linear::run(&args),
        What::Situations(args) => situations::run(&args),
        What::LabelNoise(args) => label_noise::run(&args),
        What::Values(args) => values::run(&args),
        What::Compare(args) => compare::run(&args),
        What::Pack(args) => pack::run(&args),
    }
}
