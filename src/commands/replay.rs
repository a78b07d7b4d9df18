//! `cardroom replay`: plays a recorded match again and compares it with the record.

use std::fmt;
use std::ops::Range;
use std::path::PathBuf;
use std::str::FromStr;

use agents::{AgentChoice, Registry};
use clap::value_parser;
use logs::ledger::{IMPORTED, Integrity};
use logs::{Entrant, LedgerReader, MatchInfo, Provenance};
use matches::guest;
use matches::plan::files_sha256;
use matches::replay::{Compared, Difference, Settings, replay};
use matches::source::Source;
use serde::Serialize;
use show::Table;
use show::number::{counted, whole};

use crate::config::units::Time;
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::{Output, Report, warn};
use crate::progress::Progress;
use crate::report;
use crate::resolve_names::Named;

/// Replay a recorded match decision by decision and report differences from its record.
///
/// Every repeatable agent decides again in each of its situations; the actions of others come from
/// the record. Cards, line-ups, actions, recorded strategies, and the hashes of models and ledger
/// rows are compared. Exit codes: 0; with --verify 5 when anything differs; 3 when the record
/// cannot be read or an agent is unknown; 130 when interrupted.
#[derive(clap::Args)]
pub struct Args {
    /// A match folder or a ledger
    #[arg(value_name = "MATCH")]
    source: PathBuf,
    /// Exit with 5 when anything differs from the record
    #[arg(long)]
    verify: bool,
    /// Only hands A to B, both included [default: all]
    #[arg(long, value_name = "A..B")]
    hands: Option<HandRange>,
    /// Time limit per decision, as in the match: it is not in the record
    #[arg(long, value_name = "TIME")]
    deadline: Option<Time>,
    #[command(flatten)]
    named: Named,
    /// Threads, at most 1024 [default: one per processor]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// A range of hand numbers, parsed from `A..B` with `B` included, or from a single number.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HandRange(Range<u64>);

impl FromStr for HandRange {
    type Err = String;

    fn from_str(text: &str) -> Result<HandRange, String> {
        let (first, last) = text.split_once("..").unwrap_or((text, text));
        let range = (|| {
            let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (first <= last).then(|| first..last.saturating_add(1))
        })();
        range
            .map(HandRange)
            .ok_or_else(|| format!("`{text}` is not a range of hands: write A..B as in 0..999"))
    }
}

/// An entrant of the replay.
struct Player {
    choice: Option<AgentChoice>,
    /// The reason why it is not asked again; `None` if it is.
    reason: Option<&'static str>,
    /// The hash of its model on this machine.
    model: Option<String>,
}

/// Runs the command: plays the match again and prints how it compares.
pub fn run(args: &Args) -> Result<Output, Failure> {
    let ledger = open(args)?;
    let info = ledger.info().clone();
    let registry = args.named.registry()?;
    let players = info
        .entrants
        .iter()
        .map(|entrant| player(entrant, &registry))
        .collect::<Result<Vec<_>, Failure>>()?;
    let record = report::integrity(&ledger, args.quiet)?;
    let hands = args.hands.as_ref().map_or(0..u64::MAX, |range| range.0.clone());
    let present = ledger.present()?;
    let within = present.iter().map(|range| {
        (range.end() + 1).min(hands.end).saturating_sub((*range.start()).max(hands.start))
    });
    let total: u64 = within.sum();
    if total == 0 {
        return Err(Failure::input(anyhow::anyhow!(
            "{} has none of these hands",
            args.source.display()
        )));
    }
    let processors = parallel::processors();
    let settings = Settings {
        agents: players.iter().map(|player| player.choice.clone()).collect(),
        hands,
        deadline: args.deadline.map(|time| time.0),
        jobs: args.threads.map_or(processors, usize::from),
    };
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let mut progress = Progress::patient(total, "hands", args.quiet);
    let compared = replay(ledger, &settings, &stop, &mut |done| progress.show(done, ""));
    progress.finish();
    let compared = compared?;
    let outcome = Outcome { info: &info, players: &players, record: &record, compared: &compared };
    let end = match outcome.differences() {
        _ if !compared.complete => Err(Failure::interrupted(format!(
            "stopped after {} of {} hands",
            whole(compared.hands),
            whole(total)
        ))),
        differences if differences.is_empty() || !args.verify => Ok(()),
        differences => Err(Failure::claim(format!(
            "{} differs from what is played now: {}",
            info.name,
            differences.join("; ")
        ))),
    };
    Ok(Output::report(&outcome.report(), args.json)?.then(end))
}

/// Opens the record; an error unless this program dealt the match from its seed.
fn open(args: &Args) -> Result<LedgerReader, Failure> {
    let refuse = |reason: &str| {
        let path = args.source.display();
        Err(Failure::input(anyhow::anyhow!("{path} cannot be played again: {reason}")))
    };
    let Source::Ledger(ledger) = Source::open(&args.source, None, warn)? else {
        return refuse("an ACPC log does not say which agents played");
    };
    let folder = ledger.path().parent().map(std::path::Path::to_path_buf).unwrap_or_default();
    if ledger.is_web_run()? || ledger.info().hands == 0 {
        return refuse("its cards came over the Slumbot API, from no seed");
    }
    if folder.join(wire::host::HOSTED_FILE).exists() {
        return refuse("its cards were dealt by the ACPC dealer, at a hosted table");
    }
    if ledger.note(guest::NOTE)?.is_some() {
        return refuse("its cards came from a secret, at the table of a guest");
    }
    if ledger.note(IMPORTED)?.is_some() {
        return refuse("its hands were played elsewhere and imported");
    }
    Ok(*ledger)
}

fn player(entrant: &Entrant, registry: &Registry) -> Result<Player, Failure> {
    if entrant.agent.is_empty() {
        let reason = Some("the record does not say which agent it is");
        return Ok(Player { choice: None, reason, model: None });
    }
    let choice = registry.resolve(&entrant.agent).map_err(|error| {
        Failure::input(anyhow::anyhow!(
            "the entrant {}: {error} (--config FILE names the file that the match was played with)",
            entrant.name
        ))
    })?;
    let model = files_sha256(choice.files()).map_err(|error| {
        Failure::input(anyhow::anyhow!("the entrant {}, its model: {error}", entrant.name))
    })?;
    Ok(match (choice.runs_program(), choice.repeatable()) {
        (true, _) => Player { choice: None, reason: Some("it is an external program"), model },
        (_, false) => Player { choice: None, reason: Some("it is not repeatable"), model },
        _ => Player { choice: Some(choice), reason: None, model },
    })
}

/// All results of the replay.
struct Outcome<'a> {
    info: &'a MatchInfo,
    players: &'a [Player],
    record: &'a Integrity,
    compared: &'a Compared,
}

/// An entrant in the JSON document.
#[derive(Serialize)]
struct EntrantPart<'a> {
    name: &'a str,
    agent: &'a str,
    /// Whether its agent was asked again.
    asked: bool,
    reason: Option<&'a str>,
    model_recorded: Option<&'a str>,
    model_now: Option<&'a str>,
    compared: u64,
    differ: u64,
    taken_over: u64,
}

impl Outcome<'_> {
    fn entrants(&self) -> impl Iterator<Item = EntrantPart<'_>> {
        let players = self.info.entrants.iter().zip(self.players);
        players.zip(&self.compared.entrants).map(|((entrant, player), counts)| EntrantPart {
            name: &entrant.name,
            agent: &entrant.agent,
            asked: player.choice.is_some(),
            reason: player.reason,
            model_recorded: entrant.model_sha256.as_deref(),
            model_now: player.model.as_deref(),
            compared: counts.compared,
            differ: counts.differ,
            taken_over: counts.taken_over,
        })
    }

    /// All differences from the record, in words; empty if everything agrees.
    fn differences(&self) -> Vec<String> {
        let mut found = Vec::new();
        found.extend(self.record.faults.iter().cloned());
        let models = self.entrants().filter(|entrant| entrant.model_recorded != entrant.model_now);
        found.extend(
            models.map(|entrant| format!("the model of {} is a different one", entrant.name)),
        );
        found.extend(self.compared.first.as_ref().map(|first| self.difference(first)));
        found
    }

    /// The first difference as a sentence.
    fn difference(&self, first: &Difference) -> String {
        let Difference { hand, decision, betting, recorded, now, what, .. } = first;
        let who = first.entrant.and_then(|entrant| self.info.entrants.get(usize::from(entrant)));
        let place = match (decision, who, first.seat) {
            (Some(decision), Some(who), Some(seat)) => {
                let seat = seat + 1;
                format!(
                    "hand {hand}, decision {decision}, {} in seat {seat} after `{betting}`",
                    who.name
                )
            }
            _ => format!("hand {hand}"),
        };
        let more = match self.compared.hands_that_differ {
            0 | 1 => String::new(),
            hands => format!(" (the first of {})", counted(hands, "hand")),
        };
        format!("{place}: {what} recorded {recorded}, now {now}{more}")
    }
}

/// A program by its version and the commit that it was built from.
#[derive(PartialEq, Serialize)]
struct Program {
    version: String,
    commit: Option<String>,
}

impl From<Provenance> for Program {
    fn from(Provenance { version, commit, .. }: Provenance) -> Program {
        Program { version, commit }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cardroom {}", self.version)?;
        self.commit.as_ref().map_or(Ok(()), |commit| write!(f, " ({commit})"))
    }
}

/// The programs that played the match and that replayed it.
#[derive(Serialize)]
struct Programs {
    recorded: Program,
    now: Program,
}

/// How a replay compares with its record.
#[derive(Serialize)]
struct ReplayReport<'a> {
    #[serde(rename = "match")]
    name: &'a str,
    agrees: bool,
    complete: bool,
    program: Programs,
    record: &'a Integrity,
    entrants: Vec<EntrantPart<'a>>,
    hands: u64,
    #[serde(skip)]
    decisions: u64,
    hands_that_differ: u64,
    deals_that_differ: u64,
    first: Option<&'a Difference>,
    /// The first difference in words.
    #[serde(skip)]
    first_in_words: Option<String>,
    differences: Vec<String>,
}

impl Outcome<'_> {
    fn report(&self) -> ReplayReport<'_> {
        let Outcome { info, record, compared, .. } = self;
        let differences = self.differences();
        ReplayReport {
            name: &info.name,
            agrees: differences.is_empty(),
            complete: compared.complete,
            program: Programs {
                recorded: info.provenance.clone().into(),
                now: provenance().into(),
            },
            record,
            entrants: self.entrants().collect(),
            hands: compared.hands,
            decisions: compared.decisions(),
            hands_that_differ: compared.hands_that_differ,
            deals_that_differ: compared.deals_that_differ,
            first: compared.first.as_ref(),
            first_in_words: compared.first.as_ref().map(|first| self.difference(first)),
            differences,
        }
    }
}

impl Report for ReplayReport<'_> {
    const SCHEMA: &'static str = "cardroom-replay/1";
}

impl fmt::Display for ReplayReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = ["ENTRANT", "AGENT", "DECISIONS", "DIFFER", "TAKEN OVER", "MODEL", ""];
        let mut table = Table::new(header).right(2..5);
        for entrant in &self.entrants {
            let model = match (entrant.model_recorded, entrant.model_now) {
                (None, None) => "-",
                (one, other) if one == other => "the same",
                _ => "DIFFERENT",
            };
            table.row([
                entrant.name.to_owned(),
                entrant.agent.to_owned(),
                whole(entrant.compared),
                whole(entrant.differ),
                whole(entrant.taken_over),
                model.to_owned(),
                entrant.reason.unwrap_or_default().to_owned(),
            ]);
        }
        let Programs { recorded, now } = &self.program;
        let programs = if recorded == now {
            format!("played and played again by {now}")
        } else {
            format!("played by {recorded}, played again by {now}")
        };
        let verdict = match &self.first_in_words {
            Some(first) => format!("differs: {first}"),
            None => format!(
                "{}: {} and {}",
                if self.agrees { "agrees" } else { "what was played agrees" },
                counted(self.hands, "hand"),
                counted(self.decisions, "decision")
            ),
        };
        writeln!(f, "{}: {programs}\n\n{table}\n\n{}\n{verdict}", self.name, self.record.words())
    }
}

#[cfg(test)]
mod tests {
    use super::HandRange;

    #[test]
    fn hands_are_named_from_the_first_to_the_last() {
        let range = |text: &str| text.parse::<HandRange>().ok().map(|range| range.0);
        assert_eq!(range("3..7"), Some(3..8));
        assert_eq!(range("5"), Some(5..6));
        assert_eq!(range("0..18446744073709551615"), Some(0..u64::MAX));
        for bad in ["", "7..3", "-1..3", "a..b", "3..", "1..2..3"] {
            assert_eq!(range(bad), None, "{bad}");
        }
    }
}
