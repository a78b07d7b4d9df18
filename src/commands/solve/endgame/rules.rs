//! `cardroom solve endgame rules`: finds the cheapest short lists of rules.

use std::path::PathBuf;

use readable::endgame::database::Database;
use readable::endgame::rules::RulesReport;
use readable::rules::RuleList;

use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::{interrupt, report};

/// Find short rules for endgames and compute the exact cost of each.
///
/// A rule's price is what a best response wins from it beyond the game's value, as a share of the
/// pot, averaged over games that were not used to find it. The list also has rules that need no
/// search and the published ones. docs/rules.md explains how rules are written and played at a
/// table.
///
/// Examples:
///   cardroom solve endgame rules endgames --lines 3
///   cardroom solve endgame rules endgames --lines 3 --card rules.html
///   cardroom solve endgame rules endgames --lines 0 --price mine.rules
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// A database made by `cardroom solve endgame database`
    #[arg(value_name = "DATABASE")]
    data: PathBuf,
    /// Maximum number of bets in a list, 0 to 9
    #[arg(long, value_name = "N", default_value_t = 3,
        value_parser = clap::value_parser!(u8).range(0..=9))]
    lines: u8,
    /// Games for finding rules; the rest of the database prices them
    #[arg(long, value_name = "N", default_value_t = 1000)]
    games: usize,
    /// Also price the rules of this file; may be given several times
    #[arg(long, value_name = "FILE")]
    price: Vec<PathBuf>,
    /// Write the longest list found, with the rule for calls, to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write the best lists of one to three bets to this file, .html, as a one-page card for
    /// printing
    #[arg(long, value_name = "FILE")]
    card: Option<PathBuf>,
    /// Draw that card into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

impl Report for RulesReport<'_> {
    const SCHEMA: &'static str = "cardroom-endgame-rules/1";
}

/// Runs the command: finds rules, prices them and returns the table.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.out.as_deref())?;
    output::check_card(args.card.as_deref())?;
    output::check(args.svg.as_deref())?;
    let database = Database::open(&args.data)?;
    if args.games == 0 || args.games >= database.games() {
        return Err(Failure::input(anyhow::anyhow!(
            "--games {}: the database has {}; name fewer, so that some are left to price rules on",
            args.games,
            database.games()
        )));
    }
    let own = args.price.iter().map(|path| {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, error))?;
        let list = RuleList::parse(&text).map_err(|error| Failure::file(path, error))?;
        Ok((path.display().to_string(), list))
    });
    let own = own.collect::<Result<Vec<_>, Failure>>()?;
    let stop = interrupt::listen(interrupt::FINISHING)?;
    // An estimate of the number of lists that a search with so many lines prices.
    let sizes = database.card().content.sizes.len() as u64 - 1;
    let lines = u64::from(args.lines);
    let mut progress = Progress::patient(60 * sizes * lines * (lines + 2), "lists", args.quiet);
    let found =
        RulesReport::find(&args.data, &database, args.games, args.lines.into(), &own, |priced| {
            progress.show(priced, "");
            !stop.asked()
        })?;
    progress.finish();
    let Some((report, longest)) = found else {
        return Err(Failure::interrupted("stopped; start again with the same command"));
    };
    if let Some(path) = &args.out {
        report::write(path, &longest.to_string())?;
    }
    if let Some(path) = &args.card {
        report::write(path, &report.card().html())?;
    }
    if let Some(path) = &args.svg {
        report::write(path, &report.card().svg())?;
    }
    Output::report(&report, args.json)
}
