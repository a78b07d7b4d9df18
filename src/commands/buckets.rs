//! `cardroom show buckets`: makes card buckets from a recipe, reports on them and saves them.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use abstraction::buckets::{BucketRecipe, Buckets, Progress as Made, StreetReport};
use game::Street;
use learners::situations::Database;
use learners::values::{Errors, encoding_error};
use models::values::Encoding;
use serde::Serialize;
use show::Table;
use show::number::whole;

use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::progress::Progress;

/// Make card buckets and show how much the hands in a bucket differ, with examples.
///
/// Buckets are computed exactly and are the same on every machine. A recipe has a kind for each
/// street, as in `preflop=169 flop=ehs2:200 turn=ehs2:200 river=ehs2:200`. Kinds: 169 (the starting
/// hands); category (the category of the best five cards); ehs2:N (N equally likely groups by the
/// mean square of the equity); ehs2-width:N (N groups of equal width in that mean); nested:C:N (C
/// classes of boards by draws and high cards, N equally likely groups in each); features:S:Q (the
/// equity and Q quantiles of the next street's equity, in steps of 1/S); emd:N (N clusters by
/// the earth mover's distance between histograms of the next street's equities; flop and turn).
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
    #[arg(from_global)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.out.as_deref())?;
    let situations = args.situations.as_deref().map(Database::open).transpose()?;
    let buckets = load(&args.buckets, false)?;
    if let Some(path) = &args.out {
        let written = runs::write_whole(path, |out| buckets.write(out));
        written.map_err(|error| Failure::file(path, error))?;
    }
    let reports = Street::ALL.map(|street| buckets.report(street, args.seed));
    let buckets = Arc::new(buckets);
    let encoding_error = situations.map(|situations| {
        let street = if situations.game(0).board.len() == 5 { Street::River } else { Street::Turn };
        let encoding = Encoding::Buckets(Arc::clone(&buckets), street);
        EncodingError::new(encoding_error(&encoding, &situations), &situations)
    });
    let report = BucketsReport {
        recipe: buckets.recipe().to_string(),
        sha256: buckets.hash().to_string(),
        streets: reports.into_iter().collect::<Result<_, _>>()?,
        encoding_error,
    };
    Output::report(&report, args.json)
}

/// Buckets with a report on each street.
#[derive(Serialize)]
struct BucketsReport {
    recipe: String,
    sha256: String,
    streets: Vec<StreetReport>,
    /// The encoding error on the situations, if given.
    encoding_error: Option<EncodingError>,
}

impl Report for BucketsReport {
    const SCHEMA: &'static str = "cardroom-buckets/2";
}

impl fmt::Display for BucketsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\nsha256 {}\n", self.recipe, self.sha256)?;
        self.streets.iter().try_for_each(|street| write!(f, "\n{street}"))?;
        self.encoding_error.iter().try_for_each(|error| error.fmt(f))
    }
}

/// The error when all hands of a bucket share their mean value.
#[derive(Serialize)]
struct EncodingError {
    huber: f64,
    mean_square: f64,
    weighted_huber: f64,
    weighted_mean_square: f64,
    /// The situations in words.
    #[serde(skip)]
    situations: String,
}

impl EncodingError {
    fn new(errors: Errors, situations: &Database) -> EncodingError {
        let (games, street) = (whole(situations.card().games), &situations.card().content.street);
        EncodingError {
            huber: errors.huber,
            mean_square: errors.squares,
            weighted_huber: errors.weighted_huber,
            weighted_mean_square: errors.weighted_squares,
            situations: format!("{games} situations of the {street}"),
        }
    }
}

impl fmt::Display for EncodingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table =
            Table::new(["values of hands in buckets", "Huber loss", "mean square"]).right(1..3);
        for (name, huber, squares) in [
            ("over all hands", self.huber, self.mean_square),
            ("by the range's probabilities", self.weighted_huber, self.weighted_mean_square),
        ] {
            table.row([name.to_owned(), format!("{huber:.5}"), format!("{squares:.5}")]);
        }
        write!(f, "\n{}, in shares of the pot\n{table}\n", self.situations)
    }
}

/// Buckets made from a recipe or read from a file, with a progress display.
pub(crate) fn load(text: &str, quiet: bool) -> Result<Buckets, Failure> {
    let path = Path::new(text);
    if !text.contains('=') && path.exists() {
        let file = File::open(path).map_err(|error| Failure::file(path, error))?;
        return Buckets::read(BufReader::new(file)).map_err(|error| Failure::file(path, error));
    }
    let recipe: BucketRecipe = text.parse().map_err(|error| {
        let no_file = if text.contains('=') { "" } else { " (and there is no file of that name)" };
        Failure::usage(format!("{error}{no_file}"))
    })?;
    Ok(Buckets::make(&recipe, making(quiet))?)
}

/// A display of the progress of making buckets.
pub(crate) fn making(quiet: bool) -> impl FnMut(Made) {
    let mut progress = Progress::parts(1000, quiet);
    move |made| {
        progress.show((1000.0 * made.done) as u64, &format!("{}: {}", made.street, made.stage));
    }
}
