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
    command: TrainCommand,
}

#[derive(Subcommand)]
enum TrainCommand {
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
    match args.command {
        TrainCommand::Cfr(args) => cfr::run(&args),
        TrainCommand::Dataset(args) => dataset::run(&args),
        TrainCommand::Cart(args) => student::run(&args.common, &args.lesson(), Device::Cpu),
        TrainCommand::Oct(args) => student::run(&args.common, &args.lesson(), Device::Cpu),
        TrainCommand::Xgboost(args) => student::run(&args.common, &args.lesson(), Device::Cpu),
        TrainCommand::Mlp(args) => student::run(&args.common, &args.lesson(), args.device),
        TrainCommand::Heuristic(args) => heuristic::run(&args),
        TrainCommand::Linear(args) => linear::run(&args),
        TrainCommand::Situations(args) => situations::run(&args),
        TrainCommand::LabelNoise(args) => label_noise::run(&args),
        TrainCommand::Values(args) => values::run(&args),
        TrainCommand::Compare(args) => compare::run(&args),
        TrainCommand::Pack(args) => pack::run(&args),
    }
}
