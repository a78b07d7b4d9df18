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
///
/// Examples:
///   cardroom train cfr --menu fcpa --buckets mine.buckets --out mine.blueprint
///   cardroom train dataset --from mine.blueprint --out dataset
///   cardroom train student oct dataset --out oct
///   cardroom train rules --game holdem.nolimit.2p.reverse_blinds --out mine.fft
///   cardroom train linear --stack 5..20 --out learned.toml
///   cardroom train situations --count 20k --out turns
///   cardroom train values turns --out turns.safetensors
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    #[command(subcommand)]
    command: TrainCommand,
}

#[derive(Subcommand)]
enum TrainCommand {
    Cfr(Box<cfr::Args>),
    Dataset(dataset::Args),
    Student(StudentArgs),
    Rules(Box<heuristic::Args>),
    Linear(linear::Args),
    Situations(values::SituationsArgs),
    LabelNoise(values::LabelNoiseArgs),
    Curve(values::CurveArgs),
    Values(values::Args),
    Compare(student::CompareArgs),
    Pack(cfr::PackArgs),
}

/// Train a student of a dataset's teacher: a model for each street that plays like the teacher.
///
/// Example: `cardroom train student oct DATASET --out oct`.
#[derive(clap::Args)]
struct StudentArgs {
    #[command(flatten)]
    shared: student::Shared,
    #[command(subcommand)]
    kind: StudentCommand,
}

/// The kinds of students.
#[derive(Subcommand)]
enum StudentCommand {
    Cart(student::Cart),
    Oct(student::Oct),
    Xgboost(student::Xgboost),
    Mlp(student::Mlp),
}

/// Runs the subcommand.
pub fn run(args: Args) -> Result<Output, Failure> {
    match args.command {
        TrainCommand::Cfr(args) => cfr::run(&args),
        TrainCommand::Dataset(args) => dataset::run(&args),
        TrainCommand::Student(args) => train_student(&args.kind),
        TrainCommand::Rules(args) => heuristic::run(&args),
        TrainCommand::Linear(args) => linear::run(&args),
        TrainCommand::Situations(args) => values::make_situations(&args),
        TrainCommand::LabelNoise(args) => values::label_noise(&args),
        TrainCommand::Curve(args) => values::curve(&args),
        TrainCommand::Values(args) => values::run(&args),
        TrainCommand::Compare(args) => student::compare(&args),
        TrainCommand::Pack(args) => cfr::pack_blueprint(&args),
    }
}

fn train_student(kind: &StudentCommand) -> Result<Output, Failure> {
    match kind {
        StudentCommand::Cart(args) => student::run(&args.common, &args.lesson(), Device::Cpu),
        StudentCommand::Oct(args) => student::run(&args.common, &args.lesson(), Device::Cpu),
        StudentCommand::Xgboost(args) => student::run(&args.common, &args.lesson(), Device::Cpu),
        StudentCommand::Mlp(args) => student::run(&args.common, &args.lesson(), args.device),
    }
}
