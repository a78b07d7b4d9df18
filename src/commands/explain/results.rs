//! `cardroom explain results`: where an entrant of a recorded match loses most, compared with the
//! others in the same place.

use std::path::PathBuf;

use logs::stats::PlaceSums;
use matches::runner::Stop;
use matches::source::Source;

use super::player;
use crate::analysis::{self, Asked, ResultsReport};
use crate::exit::Failure;
use crate::output::{Output, warn};
use crate::progress::Progress;
use crate::report;
use crate::resolve_names::Named;

/// Rank the places of a match where an entrant loses most, compared with the others there.
///
/// Each hand counts at the entrant's last decision: by street, position, what it faced and what it
/// did. The winnings of all places add up to the win rate, in mbb per hand of the match. They are
/// compared with the others' winnings in the same place, for the same number of hands from each
/// seat. The difference has a 95 % interval, and the largest loss comes first. Significance is
/// corrected for the number of places (Holm, 5 %). All-ins count with their expected value.
///
/// With --by, this agent prices every decision of the entrant, and the result is taken apart: what
/// the cards gave on each street, what drawing from mixed strategies gave, and what the decisions
/// on each street did (docs/analyse.md).
///
/// MATCH is a match folder, a ledger, or the log of any ACPC dealer.
///
/// Examples:
///   cardroom explain results data/matches/oct-vs-cfr
///   cardroom explain results data/matches/oct-vs-cfr --by cfr
///   cardroom explain results data/matches/oct-vs-cfr --who cfr --most 30
///
/// Exit codes: 2 when no entrant has the name --who, 3 when the match cannot be read or, without
/// --by, has fewer than two deals.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The match's folder, its ledger, or an ACPC log
    #[arg(value_name = "MATCH")]
    path: PathBuf,
    /// The entrant [default: the first]
    #[arg(long, value_name = "ENTRANT")]
    who: Option<String>,
    /// The agent that prices decisions, one that can be asked about any cards, such as cfr
    #[arg(long, value_name = "AGENT")]
    by: Option<String>,
    #[command(flatten)]
    named: Named,
    /// Places shown where the entrant is behind, and where it is ahead
    #[arg(long, value_name = "N", default_value_t = 8)]
    most: usize,
    /// The game of an ACPC log, if its first line does not identify it
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// Runs the command: adds the hands up and returns the table.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let source = Source::open(&args.path, args.game.as_deref(), warn)?;
    report::warn_of_faults(&source, args.quiet)?;
    let info = source.info();
    let names: Vec<&str> = info.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let who = match &args.who {
        None => 0,
        Some(name) => names.iter().position(|known| known == name).ok_or_else(|| {
            Failure::usage(format!("--who {name}: the entrants are {}", names.join(", ")))
        })?,
    };
    if let Some(by) = &args.by {
        return analysed(args, &source, who, by);
    }
    let mut count = PlaceSums::new(info, who);
    let mut progress = Progress::patient(source.count()?, "hands", args.quiet);
    for (done, hand) in (1..).zip(source.hands()?) {
        count.add(&hand?);
        if done % 256 == 0 {
            progress.show(done, "");
        }
    }
    progress.finish();
    let few = "fewer than two whole deals, too few for an interval";
    let results = count.results(args.most).ok_or_else(|| Failure::file(&args.path, few))?;
    let report = ResultsReport { results: Some(results), analysis: None };
    Output::report(&report, args.json)
}

/// The results with what this agent says of the entrant's decisions.
fn analysed(args: &Args, source: &Source, who: usize, by: &str) -> Result<Output, Failure> {
    let asked = Asked::new(source.info(), &player(&args.named, by)?, by, who, args.most)?;
    let mut progress = Progress::patient(source.count()?, "hands", args.quiet);
    let mut seen = |done| progress.show(done, "");
    let found = analysis::analyse(source, &asked, &mut seen, &Stop::new());
    progress.finish();
    Output::report(&found?, args.json)
}
