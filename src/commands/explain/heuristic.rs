//! `cardroom explain heuristic`: lists of if, then and else in plain words, how often each
//! statement decides and what it earns, and a card to play them by.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::named_heuristics;
use clap::value_parser;
use evaluation::Settings;
use evaluation::statements::{Measured, measure};
use game::{Betting, GameDef, Street};
use logs::Rate;
use logs::stats::Sums;
use matches::games::load_game;
use protocol::acpc::gamedef::Reading;
use readable::heuristic::{Heuristic, Rulebook, Term};
use serde::Serialize;
use show::Table;
use show::number::{percent, signed, signed_minus, whole};
use show::svg::{Colour, escaped};

use super::{capital, html_page, on_street};
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
    /// A file of lists (docs/heuristics.md), or a built-in one: paper, limit, no-limit, no-limit-3,
    /// no-limit-5, no-limit-8, no-limit-12; `shipped` for the default of the game
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
    let book = match own {
        Some(book) => book,
        None => agents::shipped_heuristics(def.betting).clone(),
    };
    book.check(def.betting).map_err(|error| Failure::at(&args.file, error))?;
    if let Some(street) = args.street {
        book.require(&[street.street()]).map_err(|error| Failure::at(&args.file, error))?;
    }
    let measured = match args.hands {
        0 => None,
        _ => Some(play(args, &def, &book)?),
    };
    let measured = measured.as_ref();
    let report = HeuristicReport::new(args, &game, &def, &book, measured);
    if let Some(path) = &args.out {
        report::write(path, &report.card())?;
    }
    let output = Output::report(&report, args.json)?;
    let end = match measured.map(|measured| 2 * measured.deals) {
        Some(hands) if hands < args.hands => Err(Failure::interrupted(format!(
            "stopped after {hands} of {} hands; the figures cover those, and none are kept",
            args.hands
        ))),
        _ => Ok(()),
    };
    Ok(output.then(end))
}

fn load(path: &Path) -> Result<Rulebook, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::at(path, error))?;
    Rulebook::parse(&text).map_err(|error| Failure::at(path, error))
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
        let note = Rate::of(&sofar.won, def.big_blind()).map_or_else(
            |_| String::new(),
            |rate| format!("wins {:.0} ± {:.0} mbb/hand", rate.mbb, rate.half_width()),
        );
        progress.show(2 * sofar.deals, &note);
    };
    let street = args.street.map(super::Street::street);
    let measured = measure(def, book, &*opponent, street, settings, &stop, &mut show);
    progress.finish();
    measured.map_err(|error| {
        let usage = error.is_usage();
        if usage { Failure::usage(format!("--hands: {error}")) } else { Failure::input(error) }
    })
}

/// The lists in words with their measurements.
#[derive(Serialize)]
struct HeuristicReport<'a> {
    file: String,
    game: &'a str,
    /// What a dry board is.
    dry: String,
    against: Option<&'a str>,
    seed: Option<u64>,
    hands: u64,
    streets: Vec<StreetList>,
    /// The statements that can never decide.
    warnings: Vec<String>,
    /// The winnings of the lists over all hands.
    won: Option<Rate>,
    /// The definitions of the terms that the lists use, dry boards among them.
    #[serde(skip)]
    terms: Vec<String>,
    #[serde(skip)]
    betting: Betting,
}

/// The list of a street.
#[derive(Serialize)]
struct StreetList {
    street: &'static str,
    complexity: usize,
    statements: Vec<StatementReport>,
    /// The street in words.
    #[serde(skip)]
    head: String,
}

/// A statement with its measurement.
#[derive(Serialize)]
struct StatementReport {
    line: Option<usize>,
    text: String,
    says: String,
    decisions: Option<u64>,
    hands: Option<u64>,
    /// What the hands win in which it decides.
    wins: Option<Rate>,
    /// What all hands win more than without it.
    worth: Option<Rate>,
    /// Its condition and its action, for the card.
    #[serde(skip)]
    when_and_what: [String; 2],
}

impl Report for HeuristicReport<'_> {
    const SCHEMA: &'static str = "cardroom-explain-heuristic/1";
}

impl<'a> HeuristicReport<'a> {
    fn new(
        args: &'a Args,
        game: &'a str,
        def: &GameDef,
        book: &Rulebook,
        measured: Option<&Measured>,
    ) -> HeuristicReport<'a> {
        let only = args.street.map(super::Street::street);
        let rate = |sums: &Sums| Rate::of(sums, def.big_blind()).ok();
        let lists = || book.streets().filter(|(street, _)| only.is_none_or(|only| only == *street));
        let street = |(street, list): (Street, &Heuristic)| {
            let statement = |at: usize| {
                let measured = measured.and_then(|all| all.streets[street.index()].get(at));
                StatementReport {
                    line: book.line(street, at),
                    text: list.item_text(at),
                    says: list.sentence(at, street),
                    decisions: measured.map(|statement| statement.decisions),
                    hands: measured.map(|statement| statement.there.hands),
                    wins: measured.and_then(|statement| rate(&statement.there)),
                    worth: measured.and_then(|statement| rate(&statement.value)),
                    when_and_what: list.when_and_what(at, street).map(|text| capital(&text)),
                }
            };
            StreetList {
                street: street.name(),
                complexity: list.complexity(),
                statements: (0..=list.statements().len()).map(statement).collect(),
                head: capital(&on_street(street)),
            }
        };
        let mut terms: Vec<Term> = lists().flat_map(|(_, list)| list.terms()).collect();
        terms.sort();
        terms.dedup();
        let meaning = |term: Term| match term {
            Term::Dry => book.dry().sentence(),
            other => other.meaning().to_owned(),
        };
        let chips: u64 = def.stacks.iter().map(|&stack| u64::from(stack)).sum();
        let chips = chips.div_ceil(u64::from(def.big_blind().max(1)));
        let warnings = book.warnings(def.betting, u16::try_from(chips).ok()).into_iter();
        let warnings = warnings.filter(|warning| only.is_none_or(|only| only == warning.street));
        HeuristicReport {
            file: args.file.display().to_string(),
            game,
            dry: book.dry().to_string(),
            against: measured.map(|_| args.against.as_str()),
            seed: measured.map(|_| args.seed),
            hands: measured.map_or(0, |measured| 2 * measured.deals),
            streets: lists().map(street).collect(),
            warnings: warnings.map(|warning| warning.to_string()).collect(),
            won: measured.and_then(|measured| rate(&measured.won)),
            terms: terms.into_iter().map(meaning).collect(),
            betting: def.betting,
        }
    }

    fn table(&self, list: &StreetList) -> Table {
        let mut head = vec![""];
        if self.against.is_some() {
            head.extend(["decides", "of hands", "wins, mbb", "is worth, mbb"]);
        }
        let mut table = Table::new(head).right(1..).at_the_margin();
        let all = list.statements.iter().filter_map(|statement| statement.decisions).sum();
        for statement in &list.statements {
            let mut row = vec![statement.says.clone()];
            if let (Some(decisions), Some(hands)) = (statement.decisions, statement.hands) {
                let shares = [share(decisions, all), share(hands, self.hands)];
                row.extend(shares);
                row.extend([rate_cell(statement.wins), rate_cell(statement.worth)]);
            }
            table.row(row);
        }
        table
    }
}

fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => percent(part as f64 / whole as f64, 1),
    }
}

fn rate_cell(rate: Option<Rate>) -> String {
    match rate {
        Some(rate) => format!("{} ± {:.0}", signed(rate.mbb, 0), rate.half_width()),
        None => "-".to_owned(),
    }
}

impl fmt::Display for HeuristicReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeuristicReport { file, game, .. } = self;
        match (self.against, self.seed) {
            (Some(against), Some(seed)) => {
                let hands = whole(self.hands);
                writeln!(f, "{file}, against {against} in {game}: {hands} hands, seed {seed}")?;
            }
            _ => writeln!(f, "{file}, for {game}")?,
        }
        for list in &self.streets {
            write!(f, "\n{}: complexity {}\n\n", list.head, list.complexity)?;
            writeln!(f, "{}", self.table(list))?;
        }
        if !self.terms.is_empty() {
            writeln!(f)?;
            self.terms.iter().try_for_each(|term| writeln!(f, "{term}"))?;
        }
        let mut warnings = self.warnings.iter();
        warnings.try_for_each(|warning| write!(f, "\nWarning: {warning}\n"))?;
        if let Some(rate) = self.won {
            write!(
                f,
                "\nAll together: {} mbb/hand with a 95 % interval of {} to {}\n",
                signed(rate.mbb, 1),
                signed(rate.interval.low, 1),
                signed(rate.interval.high, 1)
            )?;
        }
        Ok(())
    }
}

const STYLE: &str = "\
*{box-sizing:border-box}
body{margin:0 auto;padding:6mm;max-width:210mm;background:var(--ground);color:var(--ink);\
font-size:var(--size);line-height:1.3}
h1{font-size:1.7em;line-height:1.15;margin:0 0 2mm}
h2{font-size:1.15em;line-height:1.2;margin:.9em 0 .2em;padding-top:.4em;\
border-top:.5mm solid var(--ink)}
p{margin:0 0 1.5mm}
ol{margin:0;padding:0;list-style:none;counter-reset:rule}
li{display:grid;grid-template-columns:8mm minmax(0,1fr) minmax(0,max-content);column-gap:2mm;\
align-items:baseline;padding:.22em 0;border-bottom:.2mm solid \
var(--line);counter-increment:rule;break-inside:avoid}
li::before{content:counter(rule);color:var(--soft)}
b{text-align:right}
section{break-inside:avoid}
.terms,.foot{font-size:.8em;color:var(--soft)}
.terms{margin-top:1.2em}
@media screen and (max-width:34em){body{padding:4mm;font-size:13pt}h1{font-size:1.45em}\
li{grid-template-columns:6mm minmax(0,1fr)}b{grid-column:2;text-align:left}\
b::before{content:\"→ \"}}
@page{size:A4;margin:12mm}
@media print{body{padding:0;max-width:none}}
";

/// A rule with more characters than this takes two lines.
const LONG: usize = 75;
/// The number of lines of 1 point that a page holds.
const LINES: f64 = 520.0;

impl HeuristicReport<'_> {
    /// The card: the rules of all streets as an HTML file, one page of A4 on paper, one column on a
    /// phone.
    fn card(&self) -> String {
        let mut reading =
            "For two players. In each round go down the list: the first line that is \
                           true says what you do. Where there is nothing to pay, do not fold but \
                           check; where you may no longer raise, call."
                .to_owned();
        let game = match self.betting {
            Betting::Limit => "limit",
            Betting::NoLimit => {
                reading += " Against a bet, to bet the pot means to raise by what is in the \
                            middle after your call.";
                "no-limit"
            }
        };
        let mut foot = Vec::new();
        if let (Some(rate), Some(against)) = (self.won, self.against) {
            foot.push(format!(
                "Against {against} it wins {} ± {:.0} thousandths of a big blind a hand ({} \
                 hands).",
                signed_minus(rate.mbb, 0),
                rate.half_width(),
                whole(self.hands)
            ));
        }
        let file = Path::new(&self.file).file_name().map(|name| name.to_string_lossy());
        let file = file.unwrap_or_default();
        foot.push(format!("Rules: {file}. Made by cardroom {}.", env!("CARGO_PKG_VERSION")));
        let head = format!("How to play {game} hold’em");
        let mut html = format!("<h1>{}</h1>\n<p>{}</p>\n", escaped(&head), escaped(&reading));
        for list in &self.streets {
            html += &format!("<section>\n<h2>{}</h2>\n<ol>\n", escaped(&list.head));
            for statement in &list.statements {
                let [when, what] = statement.when_and_what.each_ref().map(|text| escaped(text));
                html += &format!("<li><span>{when}</span><b>{what}</b></li>\n");
            }
            html += "</ol>\n</section>\n";
        }
        for (class, lines) in [("terms", &self.terms), ("foot", &foot)] {
            html += &format!("<div class=\"{class}\">\n");
            for line in lines {
                html += &format!("<p>{}</p>\n", escaped(line));
            }
            html += "</div>\n";
        }
        let style = format!(":root{{--size:{:.1}pt}}\n{STYLE}", self.letters(foot.len()));
        html_page(&head, Colour::Line, &style, &html)
    }

    /// The font size in points at which the card fits on one page.
    fn letters(&self, foot: usize) -> f64 {
        let rules = || self.streets.iter().flat_map(|list| &list.statements);
        let long = |statement: &&StatementReport| {
            statement.when_and_what.iter().map(String::len).sum::<usize>() > LONG
        };
        let longer = rules().filter(long).count();
        let lines = 7 + 2 * self.streets.len() + rules().count() + longer + self.terms.len() + foot;
        (LINES / lines as f64).clamp(7.0, 13.0)
    }
}
