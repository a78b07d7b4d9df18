//! `cardroom train`: trains the models that agents play from.

use clap::Subcommand;

use crate::exit::Failure;
use crate::output::Output;
pub use training::Device;

mod cfr;
mod dataset;
mod heuristic;
mod linear;
mod student;
mod training;
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
    Cart(student::Cart),
    Oct(student::Oct),
    Xgboost(student::Xgboost),
    Mlp(student::Mlp),
    Heuristic(Box<heuristic::Args>),
    Linear(linear::Args),
    Situations(values::SituationsArgs),
    LabelNoise(values::LabelNoiseArgs),
    Values(values::Args),
    Compare(student::CompareArgs),
    Pack(cfr::PackArgs),
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
        TrainCommand::Situations(args) => values::make_situations(&args),
        TrainCommand::LabelNoise(args) => values::label_noise(&args),
        TrainCommand::Values(args) => values::run(&args),
        TrainCommand::Compare(args) => student::compare(&args),
        TrainCommand::Pack(args) => cfr::pack_blueprint(&args),
    }
}
