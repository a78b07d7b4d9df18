//! The common parts of `match` and `tournament`: their options, and a run with progress display.

use std::path::Path;

use agents::{AgentChoice, Cost};
use clap::{ValueEnum, value_parser};
use logs::Provenance;
use logs::stats::{DecisionCounts, FIRST_CHECK, Sprt, StopRule, checks};
use matches::plan::{MatchPlan, check_names};
use matches::play::{Played, Settings, play};
use matches::runner::Stop;
use matches::runner::{Level, Progress as Position};
use runs::Shard;

use crate::arguments::threads;
use crate::config::units::Time;
use crate::exit::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::resolve_names::{Game, Named};
use crate::shell::without_accounts;

/// The default game.
pub(crate) const DEFAULT_GAME: &str = "holdem.nolimit.2p.reverse_blinds";

/// Options of everything that plays matches.
#[derive(clap::Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    pub(crate) game: Game,
    #[command(flatten)]
    pub(crate) named: Named,
    /// Hands per match; a maximum if the match may end earlier [default: 10000; with --until or
    /// --sprt 1000000]
    #[arg(long, value_name = "N")]
    pub(crate) hands: Option<u64>,
    /// Seed for cards and decisions, at most 2^63 − 1
    #[arg(long, value_name = "SEED", default_value_t = 0,
        value_parser = value_parser!(u64).range(..1 << 63))]
    pub(crate) seed: u64,
    /// A player's name in reports, logs and folders; once per agent, in their order [default: the
    /// agents' own]
    #[arg(long = "name", value_name = "NAME")]
    pub(crate) player_names: Vec<String>,
    /// Threads, at most 1024; the result does not depend on their number. More threads than
    /// processors help only agents that wait, such as external programs [default: one per
    /// processor]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
    /// Deal new cards for each hand, instead of playing each deal once with every rotation of the
    /// seats
    #[arg(long)]
    pub(crate) no_duplicate: bool,
    /// What to record of each hand [default: decisions up to 20,000 hands, hands beyond]
    #[arg(long, value_name = "LEVEL", value_enum)]
    pub(crate) record: Option<Record>,
    /// Time limit per decision, as in 500ms or 2s, for agents that decide in their own thread, such
    /// as programs; slower ones are checked or folded
    #[arg(long, value_name = "TIME")]
    pub(crate) deadline: Option<Time>,
    /// Play only part i of N of each match; join the parts with `cardroom merge`
    #[arg(long, value_name = "i/N")]
    shard: Option<Shard>,
    /// Exit with 5 if a decision was made for an agent that gave no answer, or its action was not
    /// legal
    #[arg(long)]
    pub(crate) strict: bool,
    #[arg(from_global)]
    pub(crate) json: bool,
    #[arg(from_global)]
    pub(crate) quiet: bool,
}

/// The level of detail of a record.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Record {
    /// Nothing: results only, at full speed
    Nothing,
    /// The ledger and the ACPC log
    Hands,
    /// Also each decision, with its time
    Decisions,
}

/// The default level of records: decisions take about a kilobyte a hand, too much for very many
/// hands.
pub(crate) fn usual_level(hands: u64) -> Level {
    const MAX_RECORDED: u64 = 20_000;
    if hands <= MAX_RECORDED { Level::Decisions } else { Level::Hands }
}

impl From<Record> for Level {
    fn from(record: Record) -> Level {
        match record {
            Record::Nothing => Level::Nothing,
            Record::Hands => Level::Hands,
            Record::Decisions => Level::Decisions,
        }
    }
}

impl PlayArgs {
    /// The agents with these names.
    pub(crate) fn agents(&self, names: &[String]) -> Result<Vec<AgentChoice>, Failure> {
        if !self.player_names.is_empty() {
            check_names(&self.player_names, names.len()).map_err(Failure::usage)?;
        }
        let registry = self.named.registry()?;
        names.iter().map(|name| registry.resolve(name).map_err(Failure::input)).collect()
    }

    /// The files that these agents need, and the configuration file, if there is one.
    pub(crate) fn files(&self, names: &[String]) -> Result<Vec<std::path::PathBuf>, Failure> {
        self.agents(names)?;
        self.named.files(names)
    }

    /// The plan of a match between these agents.
    pub(crate) fn plan(&self, entrants: Vec<AgentChoice>) -> Result<MatchPlan, Failure> {
        Ok(MatchPlan {
            def: self.game.load_any()?,
            game_name: self.game.name().to_owned(),
            entrants,
            given_names: self.player_names.clone(),
            hands: self.hands(),
            seed: self.seed,
            duplicate: !self.no_duplicate,
            shard: self.shard,
            deadline: self.deadline.map(|time| time.0),
            rule: None,
        })
    }

    /// The number of hands in each match.
    fn hands(&self) -> u64 {
        const USUAL: u64 = 10_000;
        self.hands.unwrap_or(USUAL)
    }

    /// The level of records.
    pub(crate) fn level(&self) -> Level {
        self.record.map_or_else(|| usual_level(self.hands()), Level::from)
    }

    /// The settings of a match between these agents, recorded in this folder.
    pub(crate) fn settings(&self, folder: &Path, entrants: &[AgentChoice]) -> Settings {
        // A thread whose agent waits leaves its processor to others.
        let waits = entrants.iter().any(|choice| choice.cost() == Cost::Worker);
        Settings {
            level: self.level(),
            folder: folder.to_path_buf(),
            jobs: match self.threads {
                Some(jobs) if waits => jobs.into(),
                jobs => threads(jobs),
            },
            provenance: provenance(),
        }
    }
}

/// The provenance of a run: the program, its command line, and the time.
pub(crate) fn provenance() -> Provenance {
    Provenance {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("CARDROOM_COMMIT").map(str::to_owned),
        created: jiff::Timestamp::now()
            .round(jiff::Unit::Second)
            .map_or_else(|_| String::new(), |now| now.to_string()),
        arguments: std::env::args().map(|word| without_accounts(&word)).collect(),
    }
}

/// Plays a match with progress display; `label` precedes the numbers when there are several
/// matches.
pub(crate) fn play_shown(
    plan: &MatchPlan,
    settings: &Settings,
    label: &str,
    quiet: bool,
    stop: &Stop,
) -> Result<Played, Failure> {
    plan.check().map_err(Failure::usage)?;
    let range = plan.shard_hands();
    let total = range.end - range.start;
    if quiet {
        matches::waiting::only_failures();
    }
    let mut progress = Progress::new(total, "hands", quiet);
    interrupt::set_waiting(true);
    // The checks are repeated whenever the number of deals has doubled.
    let mut next_check = FIRST_CHECK;
    let mut warned = Vec::new();
    let result = play(plan, settings, stop, &mut |position| {
        if position.hands > 0 {
            interrupt::set_waiting(false);
        }
        if position.tally.groups() >= next_check {
            next_check = 2 * position.tally.groups();
            for finding in checks::of_tally(&plan.names(), position.tally) {
                if !warned.contains(&finding.kind) {
                    progress.say(&format!("{label}warning: {}", finding.evidence));
                    warned.push(finding.kind);
                }
            }
        }
        if let Some(rule) = &plan.rule {
            let hands = rule.expected_hands(position.tally);
            hands.into_iter().for_each(|hands| progress.expect(hands.clamp(position.hands, total)));
        }
        progress.show(position.hands, &format!("{label}{}", position_note(position, plan)));
    });
    interrupt::set_waiting(false);
    progress.finish();
    result.map_err(
        |error| {
            if error.is_usage() { Failure::usage(error) } else { Failure::input(error) }
        },
    )
}

/// The first entrant's rate so far with its any-time interval, and the state of the match's
/// stopping rule or the half-width expected at the end.
fn position_note(position: &Position<'_>, plan: &MatchPlan) -> String {
    let Ok(rate) = position.tally.rate(0) else { return String::new() };
    let Some(interval) = rate.any_time() else { return String::new() };
    let now = format!("{:+.0} ± {:.0} mbb/hand", rate.mbb, interval.half_width());
    match plan.rule {
        Some(StopRule::Sprt(sprt)) => {
            let llr = sprt.llr(&rate).unwrap_or_default();
            format!("{now}, LLR {llr:+.2} of ±{:.2}", Sprt::bound())
        }
        Some(StopRule::Until(wanted)) => format!("{now}, until ± {wanted}"),
        None => {
            format!("{now}, ± {:.0} expected at the end", rate.expected_half_width(plan.hands))
        }
    }
}

/// Fails as `--strict` says, with the first of the faults in these counts of decisions.
pub(crate) fn strict<'a>(
    counts: impl IntoIterator<Item = (String, &'a DecisionCounts)>,
) -> Result<(), Failure> {
    let mut faults = counts.into_iter().filter_map(|(name, counts)| counts.fault(&name));
    let Some(fault) = faults.next() else { return Ok(()) };
    Err(Failure::claim(format!("--strict: {}", fault.lines().next().unwrap_or_default())))
}

/// [`strict`] for a match.
pub(crate) fn strict_match(played: &Played) -> Result<(), Failure> {
    strict(played.info.names().into_iter().zip(&played.outcome.decisions.entrants))
}

/// The failure of a stopped run, which says how to resume it.
pub(crate) fn stopped(done: u64, of: u64, level: Level) -> Failure {
    if level == Level::Nothing {
        return Failure::interrupted(format!(
            "stopped after {done} of {of} hands; nothing was recorded"
        ));
    }
    interrupt::stopped(&format!("stopped after {done} of {of} hands"))
}
