//! `cardroom train compare`: compares students with each other and with simple baselines.

use std::path::PathBuf;

use game::Street;
use learners::Table;
use learners::baseline::{Constant, Nearest, least_log_loss};
use learners::dataset::{Dataset, Labels, Split};
use learners::measure::{ClassifierScores, log_losses, mean_difference, measure};
use models::student::columns;
use serde_json::json;
use show::number::percent;

use crate::config::units::Size;
use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::resolve_names::Named;

/// Compare students on test rows: log-losses in nats, by street.
///
/// Baselines are equal probabilities for all moves, the mean of all labels, the ten nearest rows
/// (of 50,000, on 2,000 rows), and the lowest possible loss, the entropy of the labels. Then follow
/// the differences of every two students, row by row, with 95 % intervals.
#[derive(clap::Args)]
pub struct Args {
    /// The students: agents such as `oct` or `mlp:model=FOLDER`
    #[arg(value_name = "AGENT", default_values_t = ["mlp", "xgboost", "oct",
        "cart"].map(str::to_owned))]
    agents: Vec<String>,
    /// The folder of a dataset, made by `cardroom train dataset`
    #[arg(long, value_name = "FOLDER")]
    data: PathBuf,
    #[command(flatten)]
    named: Named,
    /// Memory limit for the rows of a street; larger data is refused before it is read
    #[arg(long, value_name = "SIZE", default_value = "8GiB")]
    memory: Size,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// Rows that the nearest neighbours are searched among, and rows that they are searched for.
const AMONG: usize = 50_000;
const ASKED: usize = 2_000;

/// A name with its measurements on each street.
type Line = (String, Vec<ClassifierScores>);

/// The log-loss of the second of two students minus that of the first: mean and
/// standard error, by street.
struct Difference {
    students: [usize; 2],
    streets: Vec<(f64, f64)>,
}

/// The half-width of a 95 % interval in standard errors.
const NORMAL: f64 = 1.96;

/// Runs the command: measures the students and returns the table.
pub fn run(args: &Args) -> Result<Output, Failure> {
    let dataset = Dataset::open(&args.data).map_err(Failure::input)?;
    let registry = args.named.registry()?;
    let mut students = Vec::new();
    for name in &args.agents {
        let agent = registry.resolve(name).map_err(Failure::input)?;
        let student = agent.student().ok_or_else(|| {
            Failure::input(anyhow::anyhow!(
                "`{name}` is not a student: name cart, oct, xgboost or mlp"
            ))
        })?;
        for street in Street::ALL {
            let card = &dataset.card().streets[street.index()];
            if (columns(street), student.moves(street).names())
                != (card.columns.clone(), card.classes.clone())
            {
                return Err(Failure::input(anyhow::anyhow!(
                    "`{name}` has other features or moves on the {street} than the dataset {}: \
                     compare it on its own",
                    args.data.display()
                )));
            }
        }
        students.push(student);
    }
    let mut lines: Vec<Line> = args.agents.iter().map(|name| (name.clone(), Vec::new())).collect();
    let baselines = ["ten nearest rows", "mean of all labels", "all moves alike"];
    lines.extend(baselines.map(|name| (name.to_owned(), Vec::new())));
    let mut least = Vec::new();
    let all = 0..students.len();
    let pairs = all.clone().flat_map(|one| (one + 1..all.end).map(move |other| [one, other]));
    let mut differences: Vec<Difference> =
        pairs.map(|students| Difference { students, streets: Vec::new() }).collect();
    for street in Street::ALL {
        let table = |split| {
            dataset.table(street, split, Labels::Soft, args.memory.0).map_err(Failure::input)
        };
        let (train, test) = (table(Split::Train)?, table(Split::Test)?);
        let mut of_street: Vec<ClassifierScores> = students
            .iter()
            .map(|student| measure(student.street(street).classifier(), &test))
            .collect();
        let by_row: Vec<Vec<f64>> = students
            .iter()
            .map(|student| log_losses(student.street(street).classifier(), &test))
            .collect();
        for difference in &mut differences {
            let [first, second] = difference.students.map(|student| by_row[student].as_slice());
            difference.streets.push(mean_difference(first, second, test.weights()));
        }
        of_street.push(measure(&Nearest::new(&some(&train, AMONG), 10), &some(&test, ASKED)));
        of_street.push(measure(&Constant::mean(&train), &test));
        of_street.push(measure(&Constant::uniform(&train), &test));
        lines.iter_mut().zip(of_street).for_each(|((_, line), measured)| line.push(measured));
        least.push(least_log_loss(&test));
    }
    let parameters = students
        .iter()
        .map(|student| Street::ALL.map(|street| student.street(street).parameters()).to_vec())
        .collect();
    Output::of(&Compared { lines, least, differences, parameters }, args.json)
}

/// The comparison of all students.
struct Compared {
    lines: Vec<Line>,
    /// The least possible log-loss, by street.
    least: Vec<f64>,
    differences: Vec<Difference>,
    /// Number of parameters of each student, by street.
    parameters: Vec<Vec<usize>>,
}

/// At most `most` rows at even distances.
fn some(table: &Table, most: usize) -> Table {
    let every = table.rows().div_ceil(most).max(1);
    let rows: Vec<u32> = (0..table.rows() as u32).step_by(every).collect();
    table.pick(&rows)
}

impl Shown for Compared {
    fn text(&self) -> String {
        let Compared { lines, least, differences, .. } = self;
        let mut table = headed("test rows");
        for (name, measured) in lines {
            let cells = measured.iter().map(|measured| {
                format!("{:.4} ({})", measured.log_loss, percent(measured.accuracy, 1))
            });
            table.row([name.clone()].into_iter().chain(cells));
        }
        let cells = least.iter().map(|least| format!("{least:.4} (100.0 %)"));
        table.row(["least possible".to_owned()].into_iter().chain(cells));
        let mut text = format!(
            "{table}\nlog-loss in nats; in brackets, rows whose likeliest move is the teacher's\n"
        );
        if differences.is_empty() {
            return text;
        }
        let mut table = headed("difference, nats");
        for Difference { students: [first, second], streets } in differences {
            let [first, second] = [first, second].map(|&student| &lines[student].0);
            let cells =
                streets.iter().map(|(mean, error)| format!("{mean:+.4} ± {:.4}", NORMAL * error));
            table.row([format!("{second} above {first}")].into_iter().chain(cells));
        }
        text += &format!("\n{table}\n");
        text
    }

    fn document(&self) -> impl serde::Serialize {
        let Compared { lines, least, differences, parameters } = self;
        let street = |(street, measured): (Street, &ClassifierScores)| {
            json!({
                "street": street.name(),
                "log_loss": measured.log_loss,
                "brier": measured.brier,
                "distance": measured.distance,
                "accuracy": measured.accuracy,
            })
        };
        let line = |(at, (name, measured)): (usize, &Line)| {
            json!({
                "name": name,
                "parameters": parameters.get(at),
                "streets": Street::ALL.into_iter().zip(measured).map(street).collect::<Vec<_>>(),
            })
        };
        let difference = |difference: &Difference| {
            let [first, second] = difference.students.map(|student| &lines[student].0);
            let street = |&(mean, error): &(f64, f64)| {
                json!({
                    "mean": mean, "low": mean - NORMAL * error, "high": mean + NORMAL * error
                })
            };
            json!({
                "first": first,
                "second": second,
                "streets": difference.streets.iter().map(street).collect::<Vec<_>>(),
            })
        };
        json!({
            "schema": "cardroom-comparison/1",
            "lines": lines.iter().enumerate().map(line).collect::<Vec<_>>(),
            "least_log_loss": least,
            "differences": differences.iter().map(difference).collect::<Vec<_>>(),
        })
    }
}

fn headed(what: &str) -> show::Table {
    let streets = Street::ALL.map(|street| street.to_string());
    show::Table::new([&[what.to_owned()], &streets[..]].concat()).right(1..)
}
