//! A command that is to be started: read as the program itself reads it, checked as its run does
//! before it begins, and completed by what is the server's: where its results are kept, and how
//! many threads it takes.
//!
//! Nothing that reaches the file system is looked at before it is known to be below the data
//! folder: agents, games and menus are named by whoever can reach the page.

use std::path::{Path, PathBuf};

use agents::{AgentChoice, FilesBelow, Registry};
use axum::http::StatusCode;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory};
use game::escape::excerpt;
use logs::ledger::FILE_NAME;
use matches::tournament::SCHEDULE;
use serde::{Deserialize, Serialize};
use show::number::{counted, whole};

use crate::commands::{Cli, Command, Planned};
use crate::exit::Failure;
use crate::shell;
use crate::web::api::Problem;
use crate::web::hands::encoded;

/// The most characters of a command line, and of one of its words.
pub(super) const MAX_COMMAND: usize = 4000;
const MAX_WORD: usize = 300;

/// Options that are the server's.
const OURS: [(&str, &str); 8] = [
    ("out", "results are kept in the data folder"),
    ("config", "the server's configuration counts"),
    ("threads", "`run.threads` in the configuration says how many there are"),
    ("json", "the result is shown as text, and its values are in the JSON API"),
    ("quiet", "the progress is shown here"),
    ("csv", "it is for a terminal"),
    ("svg", "it is for a terminal"),
    ("shard", "parts are for several machines: `cardroom enqueue`"),
];

/// What the server allows.
#[derive(Debug)]
pub(super) struct Rules {
    /// The data folder.
    pub(super) data: PathBuf,
    /// The configuration file to name, unless it is found anyway.
    pub(super) config: Option<PathBuf>,
    /// Where files that are named must be.
    pub(super) files: FilesBelow,
    /// The agents; those that the configuration does not define may use such files only.
    pub(super) registry: Registry,
    /// The agents that may be named; empty for all that start no program.
    pub(super) agents: Vec<String>,
    /// The most hands of a command.
    pub(super) max_hands: u64,
    /// Threads of a command.
    pub(super) threads: usize,
}

/// A checked command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    /// The words that were asked for.
    pub(super) asked: Vec<String>,
    /// Its words with what is the server's, without the program's name.
    pub(super) words: Vec<String>,
    /// What it does, in a few words.
    pub(super) title: String,
    /// Where its results are kept; `None` where they are not.
    pub(super) kept: Option<Kept>,
    /// The hands of all its matches; 0 where there are none.
    pub(super) hands: u64,
}

/// A place of results in the data folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// `matches`, `tournaments` or `evaluations`.
    pub(super) room: String,
    pub(super) name: String,
}

impl Order {
    /// The command line that starts it at a terminal.
    pub(super) fn command(&self) -> String {
        let words = self.words.iter().map(String::as_str);
        shell::line(std::iter::once("cardroom").chain(words))
    }

    /// The address of the page of its results, once there is one.
    pub(super) fn page(&self, data: &Path) -> Option<String> {
        let Kept { room, name } = self.kept.as_ref()?;
        let begun = match room.as_str() {
            "matches" => FILE_NAME,
            "tournaments" => SCHEDULE,
            _ => return None,
        };
        let folder = data.join(room).join(name);
        folder.join(begun).is_file().then(|| format!("/{room}/{}", encoded(name)))
    }
}

/// A refusal of the command as it stands.
fn refused(error: impl Into<String>, remedy: &str) -> Problem {
    Problem::at_pointer("/command", error, remedy)
}

/// What the command itself says.
fn failed(failure: &Failure) -> Problem {
    refused(failure.to_string(), "change the command; `cardroom help` has its options")
}

impl Rules {
    /// Reads a command line, with or without the program's name, and checks it.
    pub(super) fn read(&self, text: &str) -> Result<Order, Problem> {
        if text.chars().count() > MAX_COMMAND {
            return Err(refused("the command is too long", "name files instead of long lists"));
        }
        let mut words = shlex::split(text).ok_or_else(|| {
            refused("the command has a quote that is not closed", "close it, or leave it out")
        })?;
        if words.first().is_some_and(|word| word == "cardroom") {
            words.remove(0);
        }
        self.order(words)
    }

    /// Checks an order again: the configuration may be another one than when it was given.
    pub(super) fn again(&self, order: &Order) -> Result<Order, Problem> {
        self.order(order.asked.clone())
    }

    fn order(&self, words: Vec<String>) -> Result<Order, Problem> {
        for word in &words {
            if word.chars().count() > MAX_WORD || word.contains(char::is_control) {
                let remedy = format!("words have at most {MAX_WORD} letters, on one line");
                return Err(refused(
                    format!("`{}` is no word of a command", excerpt(word)),
                    &remedy,
                ));
            }
        }
        // The options that are added stand behind the command's name.
        let named = match words.first().map(String::as_str) {
            Some("match" | "tournament") => 1,
            Some("evaluate") => 2,
            _ => {
                let shown = excerpt(words.first().map_or("", String::as_str));
                return Err(refused(
                    format!("`{shown}` is not started from here"),
                    "begin with match, tournament or evaluate",
                ));
            }
        };
        if words.iter().any(|word| word == "--") {
            return Err(refused("`--` ends the options", "leave it out"));
        }
        let matches = parse(&words)?;
        let inner = innermost(&matches);
        for (option, why) in OURS {
            let given = inner.try_contains_id(option).is_ok()
                && inner.value_source(option) == Some(ValueSource::CommandLine);
            if given {
                return Err(refused(format!("--{option} is the server's: {why}"), "leave it out"));
            }
        }
        // The configuration says which agents there are.
        let asked = words.clone();
        let mut words = words;
        if let Some(config) = &self.config {
            words.extend(["--config".to_owned(), config.display().to_string()]);
        }
        let matches = parse(&words)?;
        let mut command = Command::read(&matches).map_err(|failure| failed(&failure))?;
        let planned = self.check(&matches, &mut command)?;
        let kept = planned.kept.as_deref().and_then(Kept::of_folder);
        if planned.threads {
            words.extend(["--threads".to_owned(), self.threads.to_string()]);
        }
        if let Some(Kept { room, name }) = &kept {
            let folder = self.data.join(room).join(name);
            words.extend(["--out".to_owned(), folder.display().to_string()]);
        }
        let title = title(&words[..named], &command.agents());
        let order = Order { asked, words, title, kept, hands: planned.hands };
        // What is started is what was checked.
        Command::read(&parse(&order.words)?).map_err(|failure| failed(&failure))?;
        Ok(order)
    }

    /// Checks a command that is parsed.
    fn check(&self, matches: &ArgMatches, command: &mut Command) -> Result<Planned, Problem> {
        let inner = innermost(matches);
        if let Ok(Some(game)) = inner.try_get_one::<String>("game") {
            let path = game.strip_prefix("lenient:").unwrap_or(game);
            if protocol::acpc::find(path).is_none() {
                self.file(path)?;
            }
        }
        if let Ok(Some(menu)) = inner.try_get_one::<String>("menu") {
            let lines = menu.contains(':') && !menu.contains('/') && !Path::new(menu).exists();
            if abstraction::menu::find(menu).is_none() && !lines {
                self.file(menu)?;
            }
        }
        for agent in command.agents() {
            self.agent(agent)?;
        }
        let nothing = || refused("it is not started from here", "name a match or a measure");
        let planned = command.planned().ok_or_else(nothing)?.map_err(|failure| failed(&failure))?;
        if planned.hands > self.max_hands {
            return Err(refused(
                format!(
                    "it has {}, and this server allows {}",
                    counted(planned.hands, "hand"),
                    whole(self.max_hands)
                ),
                "give fewer --hands, or set `run.max_hands` in the configuration",
            ));
        }
        Ok(planned)
    }

    fn file(&self, path: &str) -> Result<(), Problem> {
        let checked = self.files.check(Path::new(path));
        checked.map_err(|reason| refused(reason, "put the file there, or use a built-in one"))
    }

    /// The agent of this name, if it may be started from here.
    fn agent(&self, name: &str) -> Result<(), Problem> {
        if !self.agents.is_empty() {
            if self.agents.iter().any(|allowed| allowed == name) {
                return Ok(());
            }
            let remedy = format!(
                "agents that may: {}; `run.agents` in the configuration names them",
                self.agents.join(", ")
            );
            let shown = excerpt(name);
            return Err(refused(format!("`{shown}` may not be started from here"), &remedy));
        }
        let resolved = self.registry.resolve(name);
        let choice: AgentChoice = resolved.map_err(|error| failed(&Failure::input(error)))?;
        if choice.runs_program() {
            let error = format!("`{}` starts a program on this machine", excerpt(name));
            let remedy = "define it in the configuration, and name it there in `run.agents`";
            return Err(refused(error, remedy));
        }
        Ok(())
    }

    /// The agents to choose from.
    pub(super) fn choices(&self) -> Vec<String> {
        if !self.agents.is_empty() {
            return self.agents.clone();
        }
        let kinds = self.registry.kinds_by_strength().into_iter().map(|spec| spec.kind);
        let names = kinds.chain(self.registry.defined().map(|(name, _)| name));
        let alone =
            |name: &&str| self.registry.resolve(name).is_ok_and(|agent| !agent.runs_program());
        names.filter(alone).map(str::to_owned).collect()
    }
}

impl Kept {
    /// The last two parts of a folder's path.
    fn of_folder(folder: &Path) -> Option<Kept> {
        let name = folder.file_name()?.to_str()?.to_owned();
        let room = folder.parent()?.file_name()?.to_str()?.to_owned();
        Some(Kept { room, name })
    }
}

fn parse(words: &[String]) -> Result<ArgMatches, Problem> {
    let line = std::iter::once("cardroom").chain(words.iter().map(String::as_str));
    let parsed = Cli::command().try_get_matches_from(line);
    parsed.map_err(|error| failed(&Failure::usage(error)))
}

/// The options of the command that is named last.
fn innermost(matches: &ArgMatches) -> &ArgMatches {
    let mut inner = matches;
    while let Some((_, next)) = inner.subcommand() {
        inner = next;
    }
    inner
}

/// What a command does, in a few words.
fn title(name: &[String], agents: &[&str]) -> String {
    let joined = |between: &str| agents.join(between);
    match (name[0].as_str(), name.get(1).map(String::as_str)) {
        ("match", _) => format!("Match: {}", joined(", ")),
        ("tournament", _) => format!("Tournament: {}", joined(", ")),
        (_, Some("match")) => format!("Match: {}", joined(", ")),
        (_, Some("duel")) => format!("Duel: {}", joined(", ")),
        (_, Some("lbr")) => format!("Local best response to {}", joined(", ")),
        (_, Some("best-response")) => format!("Best response to {}", joined(", ")),
        (_, Some(measure)) => {
            let (first, rest) = measure.split_at(1);
            format!("{}{rest} against {}", first.to_uppercase(), joined(", "))
        }
        (other, None) => other.to_owned(),
    }
}

/// The refusal of what is not there.
pub(super) fn unknown() -> Problem {
    let remedy = "`/api/v1/run` lists the runs";
    Problem::new(StatusCode::NOT_FOUND, "there is no such run", remedy)
}
