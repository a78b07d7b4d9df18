//! `cardroom buckets`: makes card buckets from a recipe, reports on them and saves them.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use abstraction::buckets::{BucketRecipe, Buckets, Example, Progress as Made, StreetReport};
use game::Street;
use learners::situations::Database;
use learners::values::{Errors, encoding_error};
use models::values::Encoding;
use serde_json::{Value, json};
use show::Table;
use show::number::whole;

use crate::exit::Failure;
use crate::output::{self, Output, Shown};
use crate::progress::Progress;

/// Make card buckets and show how much the hands in a bucket differ, with examples.
///
/// Buckets are computed exactly and are the same on every machine. A recipe has a kind for each
/// street, as in `preflop=169 flop=ehs2:200 turn=ehs2:200 river=ehs2:200`. Kinds: 169 (the starting
/// hands); category (the category of the best five cards); ehs2:N (N equally likely groups by the
/// mean square of the win-rate); ehs2-width:N (N groups of equal width in that mean); nested:C:N (C
/// classes of boards by draws and high cards, N equally likely groups in each); features:S:Q (the
/// win-rate and Q quantiles of the next street's win-rate, in steps of 1/S); emd:N (N clusters by
/// the earth mover's distance between histograms of the next street's win-rates; flop and turn).
#[derive(clap::Args)]
pub struct Args {
    /// A recipe, or a file of buckets
    #[arg(value_name = "RECIPE|FILE")]
    buckets: String,
    /// Write the buckets to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also report the error when all hands of a bucket share their mean value, for the situations
    /// in this file of `cardroom train situations`
    #[arg(long, value_name = "FILE")]
    situations: Option<PathBuf>,
    /// Seed for the hands that the report samples
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.out.as_deref())?;
    let situations = args.situations.as_deref().map(Database::open).transpose();
    let situations = situations.map_err(Failure::input)?;
    let mut progress = Progress::parts(1000, false);
    let show = |made: Made| {
        progress.show((1000.0 * made.done) as u64, &format!("{}: {}", made.street, made.stage));
    };
    let buckets = buckets(&args.buckets, show)?;
    progress.finish();
    if let Some(path) = &args.out {
        let written = logs::folder::write_whole(path, |out| buckets.write(out));
        written.map_err(|error| failure(path, &error))?;
    }
    let reports = Street::ALL.map(|street| buckets.report(street, args.seed));
    let reports: Vec<StreetReport> =
        reports.into_iter().collect::<Result<_, _>>().map_err(Failure::input)?;
    let buckets = Arc::new(buckets);
    let loss = situations.map(|situations| {
        let street =
            if situations.situation(0).board.len() == 5 { Street::River } else { Street::Turn };
        let encoding = Encoding::Buckets(Arc::clone(&buckets), street);
        (encoding_error(&encoding, &situations), situations)
    });
    Output::of(&Described { buckets: &buckets, reports, loss }, args.json)
}

/// Buckets with a report on each street.
struct Described<'a> {
    buckets: &'a Buckets,
    reports: Vec<StreetReport>,
    /// The encoding error on these situations, if given.
    loss: Option<(Errors, Database)>,
}

impl Shown for Described<'_> {
    fn text(&self) -> String {
        let mut text = format!("{}\nsha256 {}\n", self.buckets.recipe(), self.buckets.hash());
        self.reports.iter().for_each(|report| text.push_str(&format!("\n{report}")));
        if let Some((error, situations)) = &self.loss {
            text.push_str(&error_text(error, situations));
        }
        text
    }

    fn document(&self) -> impl serde::Serialize {
        json!({
            "schema": "cardroom-buckets/1",
            "recipe": self.buckets.recipe().to_string(),
            "sha256": self.buckets.hash(),
            "streets": self.reports.iter().map(street_json).collect::<Vec<_>>(),
            "encoding_error": self.loss.as_ref().map(|(error, _)| error_json(error)),
        })
    }
}

fn error_text(error: &Errors, situations: &Database) -> String {
    let mut table =
        Table::new(["values of hands in buckets", "Huber loss", "mean square"]).right(1..3);
    for (name, huber, squares) in [
        ("over all hands", error.huber, error.squares),
        ("by the range's probabilities", error.weighted_huber, error.weighted_squares),
    ] {
        table.row([name.to_owned(), format!("{huber:.5}"), format!("{squares:.5}")]);
    }
    let (games, street) = (whole(situations.card().games), &situations.card().content.street);
    format!("\n{games} situations of the {street}, in shares of the pot\n{table}\n")
}

fn error_json(error: &Errors) -> Value {
    json!({
        "huber": error.huber,
        "mean_square": error.squares,
        "weighted_huber": error.weighted_huber,
        "weighted_mean_square": error.weighted_squares,
    })
}

/// Buckets made from a recipe or read from a file.
fn buckets(text: &str, show: impl FnMut(Made)) -> Result<Buckets, Failure> {
    let path = Path::new(text);
    if !text.contains('=') && path.exists() {
        let file = File::open(path).map_err(|error| failure(path, &error))?;
        return Buckets::read(BufReader::new(file)).map_err(|error| failure(path, &error));
    }
    let recipe: BucketRecipe = text
        .parse()
        .map_err(|error| Failure::usage(format!("{error} (and there is no file of that name)")))?;
    Buckets::make(&recipe, show).map_err(Failure::input)
}

fn failure(path: &Path, error: &dyn std::error::Error) -> Failure {
    Failure::input(anyhow::anyhow!("{}: {error}", path.display()))
}

fn street_json(report: &StreetReport) -> Value {
    json!({
        "street": report.street.name(),
        "buckets": report.buckets,
        "hands_drawn": report.hands,
        "unseen": report.unseen,
        "fullest": report.fullest,
        "variance": report.variance,
        "variance_within": report.within,
        "examples": report.examples.iter().map(example_json).collect::<Vec<_>>(),
    })
}

fn example_json(example: &Example) -> Value {
    let [mean, least, most] = example.win_rate;
    let made = example.made.iter().map(|(name, share)| json!({ "made": name, "share": share }));
    let hands = example
        .hands
        .iter()
        .map(|(hole, board)| json!({ "hole": hole.to_string(), "board": board.to_string() }));
    json!({
        "bucket": example.bucket,
        "share": example.share,
        "win_rate": { "mean": mean, "least": least, "most": most },
        "made": made.collect::<Vec<_>>(),
        "hands": hands.collect::<Vec<_>>(),
    })
}
