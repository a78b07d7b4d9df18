//! `cardroom match` and `cardroom tournament`: matches between agents in this process, and the
//! rules by which a match ends early.

use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;

use agents::AgentChoice;
use clap::ValueEnum;
use logs::stats::{CrossTable, Report, Sprt, Standing, StopRule};
use matches::bot::Bot;
use matches::plan::{self, MatchPlan, Pairing};
use matches::play::default_folder;
use matches::runner::Level;
use matches::tournament::Schedule;
use serde::Serialize;
use show::number::counted;

use super::Planned;
use crate::exit::Failure;
use crate::match_options::{PlayArgs, play_shown, stopped, strict_match};
use crate::output::{self, Output};
use crate::{interrupt, report, shell};

/// Play a match between agents and report win rates with intervals.
///
/// Duplicate by default: each deal is played once with every rotation of the seats. The match is
/// kept in a folder (data/matches/… unless --out is given). The same command resumes an interrupted
/// match and shows a finished one again; with the same --out and more --hands it extends a finished
/// match to the longer one. Ctrl-C finishes the hands in play; a second Ctrl-C aborts. Exit codes:
/// 0 when all hands were played or --until, --sprt or --preset ended the match, 3 on bad input, 5
/// as --strict says, 130 when interrupted.
#[derive(clap::Args)]
pub struct MatchArgs {
    /// The agents, one for each player of the game: kinds, `KIND:ARGUMENT` or names from the
    /// configuration
    #[arg(value_name = "AGENT", required = true, num_args = 1..)]
    pub(super) agents: Vec<String>,
    #[command(flatten)]
    pub(super) play: PlayArgs,
    /// The folder for this match
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    rules: RuleArgs,
}

impl MatchArgs {
    /// The match, and the folder that it is kept in.
    fn plan(&mut self) -> Result<(MatchPlan, PathBuf), Failure> {
        let rule = self.rules.rule(&mut self.play)?;
        let loaded = self.play.named.load()?;
        let plan = MatchPlan { rule, ..self.play.plan(self.play.agents(&self.agents)?)? };
        let usual = || default_folder(&loaded.config.server.data, &plan);
        let folder = self.out.clone().unwrap_or_else(usual);
        Ok((plan, folder))
    }

    /// What will be played.
    pub(super) fn planned(&mut self) -> Result<Planned, Failure> {
        let (plan, folder) = self.plan()?;
        plan.check().map_err(Failure::usage)?;
        can_play(&plan, &plan.entrants)?;
        let kept = (self.play.level() > Level::Nothing).then_some(folder);
        Ok(Planned { kept, hands: plan.hands, threads: true })
    }
}

/// Checks that agents can play a match, without starting programs.
pub(super) fn can_play(plan: &MatchPlan, agents: &[AgentChoice]) -> Result<(), Failure> {
    for agent in agents.iter().filter(|agent| !agent.runs_program()) {
        drop(Bot::new(agent, &plan.def).map_err(Failure::input)?);
    }
    Ok(())
}

/// Runs the command: plays the match and prints its report.
pub fn play_match(mut args: MatchArgs) -> Result<Output, Failure> {
    let (plan, folder) = args.plan()?;
    let play = args.play;
    let settings = play.settings(&folder, &plan.entrants);
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let played = play_shown(&plan, &settings, "", play.quiet, &stop)?;
    let kept_in = (settings.level > Level::Nothing).then_some(folder.as_path());
    let end = match played.outcome.complete {
        true if play.strict => strict_match(&played),
        true => Ok(()),
        false => {
            let range = plan.shard_hands();
            Err(stopped(played.outcome.hands, range.end - range.start, settings.level))
        }
    };
    Ok(report::show(&played, kept_in, play.json)?.then(end))
}

/// Play every agent against every other and show a table with intervals.
///
/// In a two-player game every pair plays a match of --hands hands; in a game for n players every
/// set of n agents, and the table shows differences of rates. Each match has its own cards, derived
/// from --seed, so the rows of the table are independent. --until, --sprt and --preset apply to
/// each match. The same command resumes an interrupted tournament, which shows the table of the
/// matches that are finished. Exit codes: 3 on bad input, 5 as --strict says, 130 when interrupted.
#[derive(clap::Args)]
pub struct TournamentArgs {
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

/// A tournament to play.
struct Plan {
    agents: Vec<AgentChoice>,
    names: Vec<String>,
    /// What all matches have in common.
    pattern: MatchPlan,
    matches: Vec<(Vec<usize>, MatchPlan)>,
    /// The folder that it is kept in.
    home: PathBuf,
}

impl TournamentArgs {
    fn plan(&mut self) -> Result<Plan, Failure> {
        let rule = self.rules.rule(&mut self.play)?;
        let loaded = self.play.named.load()?;
        let agents = self.play.agents(&self.agents)?;
        let pattern = MatchPlan { rule, ..self.play.plan(Vec::new())? };
        let players = pattern.def.players;
        let pairing = if self.gauntlet { Pairing::Gauntlet } else { Pairing::All };
        let matches = plan::matches(&pattern, &agents, pairing);
        if matches.is_empty() {
            return Err(Failure::usage(format!(
                "a game for {players} players needs at least as many agents, not {}",
                agents.len()
            )));
        }
        let names = plan::names(&pattern, &agents);
        let data = &loaded.config.server.data;
        let usual = || data.join("tournaments").join(plan::name(&pattern, &names));
        let home = self.out.clone().unwrap_or_else(usual);
        Ok(Plan { agents, names, pattern, matches, home })
    }

    /// What will be played.
    pub(super) fn planned(&mut self) -> Result<Planned, Failure> {
        let Plan { agents, pattern, matches, home, .. } = self.plan()?;
        matches.iter().try_for_each(|(_, plan)| plan.check()).map_err(Failure::usage)?;
        can_play(&pattern, &agents)?;
        let kept = (self.play.level() > Level::Nothing).then_some(home);
        let hands = pattern.hands.saturating_mul(matches.len() as u64);
        Ok(Planned { kept, hands, threads: true })
    }
}

/// Runs the command: plays the matches and prints the table.
pub fn play_tournament(mut args: TournamentArgs) -> Result<Output, Failure> {
    [&args.csv, &args.svg].into_iter().try_for_each(|file| output::check(file.as_deref()))?;
    let Plan { names, pattern, matches, home, .. } = args.plan()?;
    let TournamentArgs { play, csv, svg, .. } = args;
    let stop = interrupt::listen(interrupt::FINISHING)?;
    if play.level() > Level::Nothing && pattern.shard.is_none() {
        let schedule = Schedule::new(&pattern, &names, &matches);
        schedule.write(&home).map_err(|error| Failure::file(&home, error))?;
    }

    let mut results = plan::Results::new(names);
    let mut reports = Vec::new();
    let range = pattern.shard_hands();
    let total = (range.end - range.start) * matches.len() as u64;
    let mut done = 0;
    // Matches that are finished are shown even when a later one is stopped or fails.
    let mut end = Ok(());
    for (number, (line_up, plan)) in matches.iter().enumerate() {
        let settings = play.settings(&home.join(plan.name_of_whole()), &plan.entrants);
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
    let tournament = TournamentReport {
        game: pattern.game_name,
        planned_matches: matches.len(),
        standings: table.standings(),
        crosstable: table,
        matches: reports,
        folder,
    };
    Ok(Output::report(&tournament, play.json)?.then(end))
}

/// The finished matches of a tournament, at least one.
#[derive(Serialize)]
struct TournamentReport {
    game: String,
    /// The number of matches that it has in all.
    planned_matches: usize,
    crosstable: CrossTable,
    standings: Vec<Standing>,
    matches: Vec<Report>,
    #[serde(skip)]
    folder: Option<PathBuf>,
}

impl output::Report for TournamentReport {
    const SCHEMA: &'static str = "cardroom-tournament/1";
}

impl fmt::Display for TournamentReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let silent: BTreeSet<&str> = self.matches.iter().flat_map(Report::never_answered).collect();
        silent.into_iter().try_for_each(|fault| write!(f, "{fault}\n\n"))?;
        let (finished, planned) = (self.matches.len(), self.planned_matches);
        if finished < planned {
            writeln!(f, "{}: {finished} of {planned} matches are finished", self.game)?;
        } else {
            writeln!(f, "{}", self.game)?;
        }
        write!(f, "{}", self.crosstable)?;
        self.folder.as_ref().map_or(Ok(()), |home| writeln!(f, "\nkept in {}", shell::path(home)))
    }
}

/// Options that name a rule.
#[derive(Debug, clap::Args)]
pub(crate) struct RuleArgs {
    /// Stop when every rate is known to ±X mbb/hand, by the 95 % interval that is valid at any time
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["sprt", "preset"])]
    until: Option<f64>,
    /// Stop when the first agent's rate is found to be at least HIGH mbb/hand rather than at most
    /// LOW, or the reverse; each is wrong in at most 5 of 100 matches
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, conflicts_with = "preset")]
    sprt: Option<String>,
    /// A preset stopping rule with its maximum number of hands
    #[arg(long, value_enum)]
    preset: Option<Preset>,
}

/// Usual rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// A first look: --until 500 --hands 20000
    Quick,
    /// Whether to keep a change: --sprt 0,50 --hands 1000000
    Ship,
    /// A figure to publish: --until 20 --hands 10000000
    Publish,
}

impl Preset {
    fn rule(self) -> Result<StopRule, Failure> {
        match self {
            Preset::Quick => StopRule::until(500.0),
            Preset::Ship => Sprt::new(0.0, 50.0).map(StopRule::Sprt),
            Preset::Publish => StopRule::until(20.0),
        }
        .map_err(Failure::usage)
    }

    fn hands(self) -> u64 {
        match self {
            Preset::Quick => 20_000,
            Preset::Ship => MAX_HANDS,
            Preset::Publish => 10_000_000,
        }
    }
}

/// The most hands of a match with a stopping rule, unless --hands says otherwise.
const MAX_HANDS: u64 = 1_000_000;

impl RuleArgs {
    /// The rule given by the options; also sets the number of hands that belongs to it, if none is
    /// given.
    pub(crate) fn rule(&self, play: &mut PlayArgs) -> Result<Option<StopRule>, Failure> {
        let until = self.until.map(StopRule::until);
        let sprt = self.sprt.as_deref().map(|text| text.parse().map(StopRule::Sprt));
        let rule = match self.preset {
            Some(preset) => Some(preset.rule()?),
            None => until.or(sprt).transpose().map_err(Failure::usage)?,
        };
        if rule.is_some() && play.hands.is_none() {
            let hands = self.preset.map_or(MAX_HANDS, Preset::hands);
            // A whole number of groups in games for any number of players.
            let group = if play.no_duplicate { 1 } else { play.game.load_any()?.players as u64 };
            play.hands = Some(hands - hands % group);
        }
        Ok(rule)
    }
}
