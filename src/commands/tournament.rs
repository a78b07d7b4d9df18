//! `cardroom tournament`: a round-robin tournament of agents.

use std::collections::BTreeSet;
use std::path::PathBuf;

use logs::stats::{CrossTable, Report};
use matches::plan::MatchPlan;
use matches::runner::Level;
use matches::tournament::{self, Pairing};
use serde_json::json;
use show::number::counted;

use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::{PlayArgs, play_shown, stopped, strict_match};
use crate::output::{self, Output, Shown};
use crate::report;
use crate::shell;
use crate::stop_rules::RuleArgs;

/// Play every agent against every other and show a table with intervals.
///
/// In a two-player game every pair plays a match of --hands hands; in a game for n players every
/// set of n agents, and the table shows differences of rates. Each match has its own cards, derived
/// from --seed, so the rows of the table are independent. --until, --sprt and --preset apply to
/// each match. The same command resumes an interrupted tournament, which shows the table of the
/// matches that are finished. Exit codes: 3 on bad input, 5 as --strict says, 130 when interrupted.
#[derive(clap::Args)]
pub struct Args {
    /// The agents: kinds, `KIND:ARGUMENT` or names from the configuration
    #[arg(value_name = "AGENT", required = true, num_args = 2..)]
    pub(super) agents: Vec<String>,
    #[command(flatten)]
    pub(super) play: PlayArgs,
    /// Only matches of the first agent against all others; they are the same as without this option
    #[arg(long)]
    gauntlet: bool,
    /// Also write the table into this CSV file: means, pairs, intervals, groups
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also draw the table into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    rules: RuleArgs,
    /// The folder for this tournament
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs the command: plays the matches and prints the table.
pub fn run(args: Args) -> Result<Output, Failure> {
    let Args { agents, mut play, gauntlet, csv, svg, rules, out } = args;
    [&csv, &svg].into_iter().try_for_each(|file| output::check(file.as_deref()))?;
    let rule = rules.of(&mut play)?;
    let loaded = play.named.load()?;
    let agents = play.agents(&agents)?;
    let pattern = MatchPlan { rule, ..play.plan(Vec::new())? };
    let players = pattern.def.players;
    let pairing = if gauntlet { Pairing::Gauntlet } else { Pairing::All };
    let matches = tournament::matches(&pattern, &agents, pairing);
    if matches.is_empty() {
        return Err(Failure::usage(format!(
            "a game for {players} players needs at least as many agents, not {}",
            agents.len()
        )));
    }
    let names = tournament::names(&pattern, &agents);
    let data = &loaded.config.server.data;
    let home =
        out.unwrap_or_else(|| data.join("tournaments").join(tournament::name(&pattern, &names)));
    let stop = interrupt::listen(interrupt::FINISHING)?;

    let mut results = tournament::Results::new(names);
    let mut reports = Vec::new();
    let range = pattern.shard_hands();
    let total = (range.end - range.start) * matches.len() as u64;
    let mut done = 0;
    // Matches that are finished are shown even when a later one is stopped or fails.
    let mut end = Ok(());
    for (number, (line_up, plan)) in matches.iter().enumerate() {
        let settings = play.settings(
            &home.join(MatchPlan { shard: None, ..plan.clone() }.match_name()),
            &plan.entrants,
        );
        let label = format!("match {} of {}: ", number + 1, matches.len());
        let played = match play_shown(plan, &settings, &label, play.quiet, &stop) {
            Ok(played) => played,
            Err(failure) => {
                end = Err(failure);
                break;
            }
        };
        done += played.outcome.hands;
        if !played.outcome.complete {
            end = Err(stopped(done, total, settings.level));
            break;
        }
        results.add(line_up, &played.outcome.tally);
        if play.strict && end.is_ok() {
            end = strict_match(&played);
        }
        let outcome = &played.outcome;
        let report = Report::new(&played.info, &outcome.tally, Some(&outcome.decisions), None)
            .with_stop_rule(played.rule.as_ref(), &outcome.tally);
        if settings.level > Level::Nothing {
            report::keep(&report, &settings.folder)?;
        }
        reports.push(report);
    }
    if reports.is_empty() {
        return end.map(Output::printed);
    }
    let table = results.table();
    if let Some(file) = csv {
        report::write(&file, &table.to_csv())?;
    }
    if let Some(file) = svg {
        let title =
            format!("{} in {}", counted(table.names.len() as u64, "agent"), pattern.game_name);
        report::write(&file, &table.to_svg(&title))?;
    }
    let folder = (play.level() > Level::Nothing).then_some(home);
    let (game, planned) = (pattern.game_name, matches.len());
    Ok(Output::of(&Played { game, table, reports, planned, folder }, play.json)?.then(end))
}

/// The finished matches of a tournament, at least one.
struct Played {
    game: String,
    table: CrossTable,
    reports: Vec<Report>,
    /// The number of matches that it has in all.
    planned: usize,
    folder: Option<PathBuf>,
}

impl Shown for Played {
    fn text(&self) -> String {
        let silent: BTreeSet<&str> = self.reports.iter().flat_map(Report::never_answered).collect();
        let mut text: String = silent.into_iter().map(|fault| format!("{fault}\n\n")).collect();
        text += &match self.reports.len() {
            finished if finished < self.planned => {
                format!("{}: {finished} of {} matches are finished\n", self.game, self.planned)
            }
            _ => format!("{}\n", self.game),
        };
        text.push_str(&self.table.to_string());
        if let Some(home) = &self.folder {
            text.push_str(&format!("\nkept in {}\n", shell::path(home)));
        }
        text
    }

    fn document(&self) -> impl serde::Serialize {
        json!({
            "schema": "cardroom-tournament/1",
            "game": self.game,
            "planned_matches": self.planned,
            "crosstable": self.table,
            "standings": self.table.standings(),
            "matches": self.reports,
        })
    }
}
