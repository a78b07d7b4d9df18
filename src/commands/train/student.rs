//! `cardroom train cart`, `oct`, `xgboost` and `mlp`: trains a student of a dataset's teacher.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use game::Street;
use learners::dataset::{Dataset, Labels, Split};
use learners::measure::ClassifierScores;
use learners::student::{LearningOptions, StudentMetadata, TrainedStreet, losses, write};
use matches::stop::Stop;
use models::student::TrainedModel;
use serde_json::{Value, json};
use show::Table;
use show::number::percent;

use super::checkpoints::{Checkpoints, RunName};
use super::device::{Device, Trainer};
use crate::config::units::{Size, Time};
use crate::exit::Failure;
use crate::given::Given;
use crate::interrupt;
use crate::output::{Output, Shown};
use crate::threads::Threads;

/// What every student is told.
#[derive(clap::Args)]
pub struct Common {
    #[command(flatten)]
    given: Given,
    /// The folder of a dataset, made by `cardroom train dataset`
    #[arg(long, value_name = "FOLDER")]
    data: PathBuf,
    /// The folder for the student
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Import models of another program instead of training: STREET.ubj or STREET.json of XGBoost,
    /// STREET.safetensors, or a tree's STREET.tree, for each street
    #[arg(long, value_name = "FOLDER")]
    import: Option<PathBuf>,
    /// Learn the teacher's probabilities, or only its likeliest move; trees are then pruned by
    /// wrong validation rows, not by log-loss
    #[arg(long, value_enum, default_value = "soft")]
    labels: Kind,
    #[command(flatten)]
    threads: Threads,
    /// Memory limit for the rows of a street; larger data is refused before it is read
    #[arg(long, value_name = "SIZE", default_value = "8GiB")]
    memory: Size,
    /// Time between checkpoints
    #[arg(long, value_name = "TIME", default_value = "1min")]
    checkpoint: Time,
    /// Round stored numbers: a network's weights to 16 bits, the leaf values of boosted trees to
    /// 65,536 steps
    #[arg(long)]
    small: bool,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// No progress display
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// The teacher's probabilities
    Soft,
    /// The likeliest move
    Hard,
}

impl From<Kind> for Labels {
    fn from(kind: Kind) -> Labels {
        match kind {
            Kind::Soft => Labels::Soft,
            Kind::Hard => Labels::Hard,
        }
    }
}

/// Trains a student, or resumes its training.
pub fn run(common: &Common, lesson: &LearningOptions, device: Device) -> Result<Output, Failure> {
    let Common { data, out, .. } = common;
    if common.import.is_some() {
        let fields =
            ["data", "out", "import", "labels", "threads", "memory", "small", "json", "quiet"];
        common.given.allow_only(&fields, "--import trains nothing")?;
    }
    let device = if common.import.is_some() { Device::Cpu } else { device };
    let trainer = Trainer::open(device, common.quiet)?;
    if out.exists() {
        return Err(Failure::input(anyhow::anyhow!(
            "{} already exists: give --out another name, or remove it",
            out.display()
        )));
    }
    let stop = interrupt::listen("saving the training; press Ctrl-C again to abort")?;
    let dataset = Dataset::open(data).map_err(Failure::input)?;
    let pool = common.threads.pool()?;
    if let Some(folder) = &common.import {
        let streets =
            Street::ALL.map(|street| pool.run(|| import(common, lesson, &dataset, folder, street)));
        let taught = streets.into_iter().collect::<Result<Vec<_>, _>>()?;
        let taught = taught.try_into().map_err(|_| Failure::claim("a street is missing"))?;
        return finish(common, lesson, &dataset, &taught, "trained by another program");
    }
    let training = format!(
        "kind = {}\noptions = {}\nlabels = {:?}\ndata = {}\n",
        lesson.kind(),
        trainer.options(lesson.options()),
        common.labels,
        dataset.hash()
    );
    let checkpoints = Checkpoints::open(out, training, common.checkpoint.0, common.quiet)?;
    let mut taught = Vec::new();
    for street in Street::ALL {
        let parts = (&trainer, &checkpoints);
        match pool.run(|| teach(common, lesson, parts, (&dataset, street), &stop))? {
            Some(one) => taught.push(one),
            None => {
                return Err(Failure::interrupted(format!(
                    "stopped on the {street}; resume with: {}",
                    interrupt::command_line()
                )));
            }
        }
    }
    let taught: [TrainedStreet; 4] =
        taught.try_into().map_err(|_| Failure::claim("a street is missing"))?;
    let output = finish(common, lesson, &dataset, &taught, &trainer.options(lesson.options()))?;
    for street in Street::ALL {
        let csv = out.join(format!("{street}.csv"));
        checkpoints.copy_losses(named(street.name(), lesson), &csv, ["log-loss", " nats"])?;
    }
    Ok(output.then(checkpoints.end()))
}

/// Writes the student's folder and returns its measurements.
fn finish(
    common: &Common,
    lesson: &LearningOptions,
    dataset: &Dataset,
    taught: &[TrainedStreet; 4],
    options: &str,
) -> Result<Output, Failure> {
    let Common { out, small, json, .. } = common;
    let made_by = concat!("cardroom ", env!("CARGO_PKG_VERSION"));
    let making = StudentMetadata { kind: lesson.kind(), options, small: *small, made_by };
    write(out, dataset, making, taught).map_err(Failure::input)?;
    Output::of(&Student { lesson, taught, out, options }, *json)
}

/// A trained student.
struct Student<'a> {
    lesson: &'a LearningOptions,
    taught: &'a [TrainedStreet; 4],
    out: &'a Path,
    options: &'a str,
}

impl Shown for Student<'_> {
    fn text(&self) -> String {
        text(self.lesson, self.taught, self.out)
    }

    fn document(&self) -> impl serde::Serialize {
        document(self.lesson, self.taught, self.out, self.options)
    }
}

/// The model of a street, read from the folder of another program.
fn import(
    common: &Common,
    lesson: &LearningOptions,
    dataset: &Dataset,
    folder: &Path,
    street: Street,
) -> Result<TrainedStreet, Failure> {
    let endings: &[&str] = match lesson {
        LearningOptions::Cart(_) | LearningOptions::Oct(_) => &["tree"],
        LearningOptions::Xgboost(_) => &["ubj", "json"],
        LearningOptions::Mlp(_) => &["safetensors"],
    };
    let names: Vec<String> = endings.iter().map(|ending| format!("{street}.{ending}")).collect();
    let path =
        names.iter().map(|name| folder.join(name)).find(|path| path.exists()).ok_or_else(|| {
            Failure::input(anyhow::anyhow!(
                "{} has no {}",
                folder.display(),
                names.join(" and no ")
            ))
        })?;
    let bytes = fs::read(&path).map_err(|error| at(&path, &error))?;
    let card = &dataset.card().streets[street.index()];
    let learned = TrainedModel::read(lesson.kind(), &bytes, &card.columns, &card.classes)
        .map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", path.display())))?;
    if let TrainedModel::Forest(forest) = &learned
        && let Ok(Some(best)) = forest.best_rounds()
        && best < forest.rounds()
        && !common.quiet
    {
        // Nothing can be done when stderr is closed.
        let _ = writeln!(
            std::io::stderr(),
            "{}: all {} rounds are kept, and the first {best} are its best (best_iteration); to \
             play those alone: xgboost:model={},rounds=best",
            path.display(),
            forest.rounds(),
            common.out.display()
        );
    }
    let table = |split| {
        let labels = Labels::from(common.labels);
        dataset.table(street, split, labels, common.memory.0).map_err(Failure::input)
    };
    let (train, valid, test) = (table(Split::Train)?, table(Split::Valid)?, table(Split::Test)?);
    let measured = losses(&learned, [&train, &valid, &test]);
    Ok(TrainedStreet { learned, rows: train.rows() as u64, measured })
}

/// The names of a street's run in the training folder.
fn named<'a>(street: &'a str, lesson: &LearningOptions) -> RunName<'a> {
    RunName { file: street, title: street, steps: lesson.steps() }
}

/// Trains the model of a street; `None` if it was stopped.
fn teach(
    common: &Common,
    lesson: &LearningOptions,
    (trainer, checkpoints): (&Trainer, &Checkpoints),
    (dataset, street): (&Dataset, Street),
    stop: &Stop,
) -> Result<Option<TrainedStreet>, Failure> {
    let table = |split| {
        let labels = Labels::from(common.labels);
        dataset.table(street, split, labels, common.memory.0).map_err(Failure::input)
    };
    let (train, valid) = (table(Split::Train)?, table(Split::Valid)?);
    let bins = lesson.bins(&train);
    let run = checkpoints.train(named(street.name(), lesson), stop, |saved| {
        trainer.begin(lesson, &train, bins.as_ref(), &valid, saved)
    })?;
    let Some(run) = run else { return Ok(None) };
    let learned = run.learned();
    let test = table(Split::Test)?;
    let measured = losses(&learned, [&train, &valid, &test]);
    Ok(Some(TrainedStreet { learned, rows: train.rows() as u64, measured }))
}

fn at(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::input(anyhow::anyhow!("{}: {error}", path.display()))
}

/// The measurements of a street, as cells of the table.
fn figures(taught: &TrainedStreet) -> [String; 5] {
    let [train, valid, test] = taught.measured.map(|measured: ClassifierScores| measured);
    [
        format!("{:.4}", train.log_loss),
        format!("{:.4}", valid.log_loss),
        format!("{:.4}", test.log_loss),
        format!("{:.4}", test.brier),
        percent(test.accuracy, 1),
    ]
}

fn text(lesson: &LearningOptions, taught: &[TrainedStreet; 4], out: &Path) -> String {
    let header = ["", "rows", "train", "validation", "test", "Brier", "right", "size"];
    let mut table = Table::new(header).right(1..7);
    for (street, taught) in Street::ALL.into_iter().zip(taught) {
        let [train, valid, test, brier, right] = figures(taught);
        let (rows, size) = (taught.rows.to_string(), taught.learned.size());
        table.row([street.to_string(), rows, train, valid, test, brier, right, size]);
    }
    format!(
        "{}: log-losses in nats, by street\n{table}\nPlay it: {}:model={}\n",
        out.display(),
        lesson.kind(),
        out.display()
    )
}

fn document(
    lesson: &LearningOptions,
    taught: &[TrainedStreet; 4],
    out: &Path,
    options: &str,
) -> Value {
    let measured = |one: ClassifierScores| {
        json!({
            "log_loss": one.log_loss,
            "brier": one.brier,
            "distance": one.distance,
            "accuracy": one.accuracy,
        })
    };
    let street = |(street, taught): (Street, &TrainedStreet)| {
        let [train, valid, test] = taught.measured.map(measured);
        json!({
            "street": street.name(),
            "rows": taught.rows,
            "size": TrainedModel::size(&taught.learned),
            "train": train,
            "valid": valid,
            "test": test,
        })
    };
    json!({
        "schema": "cardroom-student/1",
        "folder": out,
        "kind": lesson.kind(),
        "options": options,
        "streets": Street::ALL.into_iter().zip(taught).map(street).collect::<Vec<_>>(),
    })
}
