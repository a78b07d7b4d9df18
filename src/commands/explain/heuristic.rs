//! `cardroom explain heuristic`: lists of if, then and else in plain words, how often each
//! statement decides and what it earns, and a card to play them by.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::named_heuristics;
use clap::value_parser;
use evaluation::Settings;
use evaluation::statements::{HeuristicReport, Measured, measure};
use game::{Betting, GameDef};
use logs::Rate;
use matches::games::{load_game, without_discards};
use protocol::acpc::gamedef::Reading;
use readable::heuristic::Rulebook;

use super::{end_after, settings_failure};
use crate::arguments::Threads;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::report;
use crate::resolve_names::Named;

/// Explain fast-and-frugal trees in words, with what each statement earns; or print them as a card.
///
/// The lists play duplicate matches against an agent. On streets without a list they play like that
/// agent. For each statement:
///   decides   its share of the decisions on the street
///   of hands  how many hands it decides in
///   wins      what those hands win, in mbb per such hand, including their other decisions
///   is worth  what all hands win more than without the statement, in mbb/hand; both runs use the
///             same cards and random numbers, which reduces the variance
/// Statements that can never decide are listed with their line.
///
/// Examples:
///   cardroom explain heuristic shipped --hands 100000
///   cardroom explain heuristic mine.fft --street flop --against equity
///   cardroom explain heuristic mine.fft --hands 0 --out mine.html
///
/// Ctrl-C shows the results so far. Exit codes: 2 when --hands is odd, 3 when the file cannot be
/// played in the game or the agent cannot be asked, 130 when interrupted.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// A file of lists (docs/heuristics.md), or a built-in one: paper, novice, limit, no-limit,
    /// no-limit-3, no-limit-5, no-limit-8, no-limit-12; `shipped` for the default of the game
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only this street
    #[arg(long, value_enum)]
    street: Option<super::Street>,
    /// The opponent of the lists
    #[arg(long, value_name = "AGENT", default_value = "cfr")]
    against: String,
    /// Hands to play, two per deal; 0 for the words only
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    hands: u64,
    /// Seed for cards and decisions, at most 2^63 − 1
    #[arg(long, value_name = "SEED", default_value_t = 0,
        value_parser = value_parser!(u64).range(..1 << 63))]
    seed: u64,
    #[command(flatten)]
    threads: Threads,
    /// The game: a built-in name, or the path of an ACPC game definition [default:
    /// holdem.nolimit.2p.reverse_blinds for lists that bet a size, else
    /// holdem.limit.2p.reverse_blinds]
    #[arg(long, value_name = "FILE")]
    game: Option<String>,
    /// Write a one-page card for printing to this file, .html
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    named: Named,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

const LIMIT: &str = "holdem.limit.2p.reverse_blinds";
const NO_LIMIT: &str = "holdem.nolimit.2p.reverse_blinds";

/// Runs the command.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.out.as_deref())?;
    if let Some(card) = &args.out {
        super::check_html("--out", "card", card)?;
    }
    let own = match args.file.as_path() {
        file if file == Path::new("shipped") => None,
        file => {
            let inside = named_heuristics().find(|(name, _)| file == Path::new(name));
            Some(inside.map_or_else(|| load(file), |(_, book)| Ok(book.clone()))?)
        }
    };
    let betting = own.as_ref().and_then(Rulebook::betting).unwrap_or(Betting::Limit);
    let usual = if betting == Betting::Limit { LIMIT } else { NO_LIMIT };
    let game = args.game.clone().unwrap_or_else(|| usual.to_owned());
    let def = load_game(&game, Reading::Strict)?;
    without_discards(&game, &def)?;
    let book = match own {
        Some(book) => book,
        None => agents::shipped_heuristics(def.betting).clone(),
    };
    book.check(def.betting).map_err(|error| Failure::file(&args.file, error))?;
    if let Some(street) = args.street {
        book.require(&[street.street()]).map_err(|error| Failure::file(&args.file, error))?;
    }
    let measured = match args.hands {
        0 => None,
        _ => Some(play(args, &def, &book)?),
    };
    let measured = measured.as_ref();
    let file = args.file.display().to_string();
    let only = args.street.map(super::Street::street);
    let played = measured.map(|measured| (args.against.as_str(), args.seed, measured));
    let report = HeuristicReport::new(file, (&game, &def), &book, only, played);
    if let Some(path) = &args.out {
        report::write(path, &report.card().html())?;
    }
    let output = Output::report(&report, args.json)?;
    let played = measured.map_or(args.hands, |measured| 2 * measured.deals);
    Ok(output.then(end_after(played, args.hands)))
}

fn load(path: &Path) -> Result<Rulebook, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, error))?;
    Rulebook::parse(&text).map_err(|error| Failure::file(path, error))
}

/// Plays the hands that the statements are measured on.
fn play(args: &Args, def: &Arc<GameDef>, book: &Rulebook) -> Result<Measured, Failure> {
    let opponent = args.named.resolve_with_policy(&args.against)?;
    opponent.prepare(def, args.hands);
    let opponent = opponent.policy(def)?;
    let opponent = opponent.expect("only agents with a policy are let through");
    let settings = Settings { hands: args.hands, seed: args.seed, jobs: args.threads.count() };
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let mut progress = Progress::new(args.hands, "hands", args.quiet);
    let mut show = |sofar: &Measured| {
        let note = Rate::from_sums(&sofar.won, def.big_blind()).map_or_else(
            |_| String::new(),
            |rate| format!("wins {:.0} ± {:.0} mbb/hand", rate.mbb, rate.half_width()),
        );
        progress.show(2 * sofar.deals, &note);
    };
    let street = args.street.map(super::Street::street);
    let measured = measure(def, book, &*opponent, street, settings, &stop, &mut show);
    progress.finish();
    measured.map_err(settings_failure)
}

impl Report for HeuristicReport<'_> {
    const SCHEMA: &'static str = "cardroom-explain-heuristic/1";
}
