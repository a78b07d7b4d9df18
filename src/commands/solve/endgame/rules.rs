//! `cardroom solve endgame rules`: finds the cheapest short lists of rules.

use std::fmt;
use std::path::{Path, PathBuf};

use readable::endgame::database::{self, Database};
use readable::endgame::rules::{Games, Mean, find_betting, find_calling};
use readable::rules::{Bet, Betting, Calling, RuleList, Size};
use serde::Serialize;
use show::Table;

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
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// Names: the published rule for the best hands, and the suffix for rules completed by the
/// equilibrium.
const ALL_IN: &str = "published all-in rule";
const REST: &str = ", all else the equilibrium";

/// Rules with their prices.
#[derive(Serialize)]
struct RulesReport<'a> {
    file: &'a Path,
    found_on: usize,
    priced_on: usize,
    rules: Vec<PricedRule>,
}

/// A rule with its price.
#[derive(Serialize)]
struct PricedRule {
    name: String,
    #[serde(rename = "rules")]
    text: String,
    words: usize,
    bets: bool,
    /// The mean loss in games that the rule was not found on.
    #[serde(rename = "exploitability")]
    price: f64,
    half_width: f64,
}

impl PricedRule {
    fn new(name: String, text: String, bets: bool, price: Mean) -> PricedRule {
        let words = lines(&text).map(|line| line.split_whitespace().count()).sum();
        let Mean { mean, half_width } = price;
        PricedRule { name, text, words, bets, price: mean, half_width }
    }
}

/// The lines of a rule without `else check`.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| *line != "else check")
}

impl Report for RulesReport<'_> {
    const SCHEMA: &'static str = "cardroom-endgame-rules/1";
}

impl fmt::Display for RulesReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["rule", "words", "price, of the pot", "in words"]).right(1..3);
        for rule in &self.rules {
            let said = match lines(&rule.text).collect::<Vec<_>>().join("\n") {
                said if said.is_empty() => "check".to_owned(),
                said => said,
            };
            let price = format!("{:.4} ± {:.4}", rule.price, rule.half_width);
            table.row([rule.name.clone(), rule.words.to_string(), price, said]);
        }
        let RulesReport { found_on, priced_on, .. } = self;
        writeln!(
            f,
            "Found on {found_on} games, priced on {priced_on} others: what a best response wins \
             beyond the\n\
             game's value, on average, with 95 % intervals over games.\n\n{table}"
        )
    }
}

/// Runs the command: finds rules, prices them and returns the table.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.out.as_deref())?;
    let database = Database::open(&args.data)?;
    if args.games == 0 || args.games >= database.games() {
        return Err(Failure::input(anyhow::anyhow!(
            "--games {}: the database has {}; name fewer, so that some are left to price rules on",
            args.games,
            database.games()
        )));
    }
    let own = args.price.iter().map(|path| {
        let text = std::fs::read_to_string(path).map_err(|error| Failure::at(path, error))?;
        let list = RuleList::parse(&text).map_err(|error| Failure::at(path, error))?;
        Ok((path.display().to_string(), list))
    });
    let own = own.collect::<Result<Vec<_>, Failure>>()?;
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let learn = Games::new(&database, 0..args.games)?;
    let rest = Games::new(&database, args.games..database.games())?;
    // An estimate of the number of lists that a search with so many lines prices.
    let sizes = database.card().content.sizes.len() as u64 - 1;
    let lines = u64::from(args.lines);
    let mut progress = Progress::patient(60 * sizes * lines * (lines + 2), "lists", args.quiet);
    let found = find_betting(&learn, args.lines.into(), |priced| {
        progress.show(priced, "");
        !stop.asked()
    });
    progress.finish();
    let Some(found) = found else {
        return Err(Failure::interrupted("stopped; start again with the same command".to_owned()));
    };
    let bets = |bets: &[(f64, Size)], bluffs: Option<f64>| {
        let bets = bets.iter().map(|&(percent, size)| Bet { size, percent });
        let betting = Betting::new(bets.collect(), bluffs).expect("written here");
        RuleList::new(Some(betting), None).expect("it has a part")
    };
    let calls = |calling| RuleList::new(None, Some(calling)).expect("it has a part");
    let mut lists = vec![("always check".to_owned(), bets(&[], None))];
    for (number, (betting, _)) in (1..).zip(&found) {
        let list = RuleList::new(Some(betting.clone()), None).expect("it has a part");
        lists.push((format!("found: {}", show::number::counted(number, "size")), list));
    }
    let all_in = [(95.0, Size::AllIn)];
    lists.push((ALL_IN.to_owned(), bets(&all_in, None)));
    lists.push(("the same with bluffs".to_owned(), bets(&all_in, Some(1.0))));
    lists.push(("always call".to_owned(), calls(Calling::Beating(0.0))));
    lists.push(("call as often as the pot pays".to_owned(), calls(Calling::Best(1.0))));
    let (calling, _) = find_calling(&learn);
    lists.push(("found: calls".to_owned(), calls(calling)));
    for (name, list) in own {
        // Each part is priced as a rule of its own.
        if let Some(betting) = list.betting() {
            let part = RuleList::new(Some(betting.clone()), None).expect("it has a part");
            lists.push((format!("{name}: bets"), part));
        }
        if let Some(calling) = list.calling() {
            lists.push((format!("{name}: calls"), calls(calling)));
        }
    }
    let mut priced: Vec<PricedRule> = lists
        .into_iter()
        .map(|(what, list)| {
            let price = match (list.betting(), list.calling()) {
                (Some(betting), _) => rest.price_betting(betting),
                (None, Some(calling)) => rest.price_calling(calling),
                (None, None) => unreachable!("a list has a part"),
            };
            PricedRule::new(what, list.to_string(), list.betting().is_some(), price)
        })
        .collect();
    // The price of each published rule when everything else is played perfectly.
    let most = database::bets(&database).sizes().last().copied().unwrap_or_default();
    let middle = rest.price_in_equilibrium(|beats| (0.2..=0.8).contains(&beats).then_some(0.0));
    let best = rest.price_in_equilibrium(|beats| (beats >= 0.95).then_some(most));
    let after = priced.iter().position(|rule| rule.name == ALL_IN).unwrap_or(priced.len());
    for (name, line, price) in [
        (ALL_IN, "bet all-in when beating at least 95 %", best),
        ("published 80-20 rule", "check when beating 20 to 80 %", middle),
    ] {
        let rule = PricedRule::new(format!("{name}{REST}"), line.to_owned(), true, price);
        priced.insert(after, rule);
    }
    if let Some(path) = &args.out {
        let betting = found.last().map(|(betting, _)| betting.clone());
        let list = RuleList::new(betting, Some(calling)).expect("it has a part");
        report::write(path, &list.to_string())?;
    }
    let report = RulesReport {
        file: &args.data,
        found_on: args.games,
        priced_on: rest.len(),
        rules: priced,
    };
    Output::report(&report, args.json)
}
