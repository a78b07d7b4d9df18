//! Competition entries: a folder with `startme.sh HOST PORT` that needs nothing from outside it.
//!
//! ```text
//! DIR/startme.sh   what the organizers start, from any folder
//! DIR/README       what this is
//! DIR/cardroom     this program
//! DIR/play.game    the game
//! DIR/files/       what the agent needs, under the names it is configured with; `startme.sh` runs
//!                  there, and reads `cardroom.toml` there if the agent is a configured one
//! ```
//!
//! The folder appears complete or not at all.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use agents::{AgentChoice, AgentConfig};
use game::escape::excerpt;
use game::{Betting, GameDef};
use protocol::acpc::dealer::Replies;
use protocol::acpc::gamedef;

use crate::Error;
use crate::dealer::{self, Options};

/// The words with which `cardroom play` marks decisions made without the agent's answer.
pub const UNANSWERED: &str = "without the agent's answer (fallbacks)";

/// The kind of the agents that are programs of their own.
const EXTERNAL: &str = matches::external::SPEC.kind;

/// The content of an entry.
#[derive(Debug)]
pub struct Entry<'a> {
    /// The `cardroom` program to include.
    pub program: &'a Path,
    /// The agent that plays.
    pub agent: &'a AgentChoice,
    /// The definitions of all configured agents.
    pub defined: &'a BTreeMap<String, AgentConfig>,
    /// The game's definition.
    pub def: &'a Arc<GameDef>,
}

fn not_empty(folder: &Path) -> Error {
    let folder = folder.display();
    Error::here(format!("{folder} is not empty; name a folder that is empty or does not exist"))
}

fn outside(file: &Path) -> Error {
    Error::here(format!(
        "the agent needs {}, which is not below the folder it is named from; put it there and name \
         it by a relative path without `..`",
        file.display()
    ))
}

fn file_error(path: &Path) -> impl Fn(io::Error) -> Error {
    let path = path.to_owned();
    move |reason| Error::file(&path, &reason)
}

/// Makes an entry in `folder`, which must be empty or not exist.
///
/// # Errors
/// When a file cannot be made, the folder has something in it, or the agent needs a file that
/// cannot be placed in the entry; nothing is left behind.
pub fn write(entry: &Entry<'_>, folder: &Path) -> Result<(), Error> {
    match fs::read_dir(folder) {
        Ok(mut items) => {
            if items.next().is_some() {
                return Err(not_empty(folder));
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(file_error(folder)(error)),
    }
    let folder = std::path::absolute(folder).map_err(file_error(folder))?;
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.ok_or_else(|| not_empty(&folder))?;
    let parent = folder.parent().unwrap_or(Path::new("/"));
    fs::create_dir_all(parent).map_err(file_error(parent))?;
    let unfinished = parent.join(format!(".{name}.unfinished-{}", std::process::id()));
    let made = fill(entry, &unfinished)
        // An empty folder is replaced.
        .and_then(|()| fs::rename(&unfinished, &folder).map_err(file_error(&folder)));
    if made.is_err() {
        // Of two errors, the first is reported.
        let _ = fs::remove_dir_all(&unfinished);
    }
    made
}

fn fill(entry: &Entry<'_>, folder: &Path) -> Result<(), Error> {
    let files = folder.join("files");
    fs::create_dir_all(&files).map_err(file_error(&files))?;
    let definitions = definitions(entry);
    for file in entry.agent.files() {
        let inside = inside(entry, file).ok_or_else(|| outside(file))?;
        let target = files.join(inside);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).map_err(file_error(parent))?;
        }
        fs::copy(file, &target).map_err(file_error(file))?;
    }
    if !definitions.is_empty() {
        put(&files.join("cardroom.toml"), &toml_text(&definitions), 0o644)?;
    }
    let program = folder.join("cardroom");
    fs::copy(entry.program, &program).map_err(file_error(entry.program))?;
    mode(&program, 0o755)?;
    put(&folder.join("play.game"), &gamedef::print(entry.def.spec()), 0o644)?;
    put(&folder.join("README"), &readme(entry), 0o644)?;
    put(&folder.join("startme.sh"), &script(entry, !definitions.is_empty()), 0o755)
}

fn put(path: &Path, text: &str, permissions: u32) -> Result<(), Error> {
    fs::write(path, text).map_err(file_error(path))?;
    mode(path, permissions)
}

fn mode(path: &Path, permissions: u32) -> Result<(), Error> {
    fs::set_permissions(path, fs::Permissions::from_mode(permissions)).map_err(file_error(path))
}

/// The definitions of the configured agents that the entry's agent uses.
fn definitions(entry: &Entry<'_>) -> BTreeMap<String, AgentConfig> {
    let names = entry.agent.names();
    let used = entry.defined.iter().filter(|(name, _)| names.contains(name));
    used.map(|(name, config)| (name.clone(), config.clone())).collect()
}

fn toml_text(definitions: &BTreeMap<String, AgentConfig>) -> String {
    let agents: toml::Table = definitions
        .iter()
        .map(|(name, config)| {
            let mut table = config.options.clone();
            table.insert("kind".into(), toml::Value::String(config.kind.clone()));
            (name.clone(), toml::Value::Table(table))
        })
        .collect();
    let mut document = toml::Table::new();
    document.insert("agents".into(), toml::Value::Table(agents));
    document.to_string()
}

/// The path below `files/` for a file: its path relative to the folder that it was named from.
fn inside(entry: &Entry<'_>, file: &Path) -> Option<PathBuf> {
    let folders = definitions(entry).into_values().map(|config| config.folder);
    let from = folders.filter(|folder| !folder.as_os_str().is_empty());
    let relative =
        from.into_iter().find_map(|folder| file.strip_prefix(folder).ok().map(Path::to_owned));
    let relative = relative.unwrap_or_else(|| file.to_owned());
    let plain = relative.components().filter(|part| !matches!(part, Component::CurDir));
    let plain: PathBuf = plain.collect();
    let stays = plain.components().all(|part| matches!(part, Component::Normal(_)));
    stays.then_some(plain)
}

fn script(entry: &Entry<'_>, configured: bool) -> String {
    let agent = quote(entry.agent.name());
    let config = if configured { " --config cardroom.toml" } else { "" };
    format!(
        "#!/bin/sh\n\
         # Plays a match at the dealer at HOST PORT, until the dealer closes the connection.\n\
         if [ $# -lt 2 ]; then\n    echo \"usage: $0 HOST PORT\" >&2\n    exit 2\nfi\n\
         here=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd) || exit 3\n\
         cd -- \"$here/files\" || exit 3\n\
         exec \"$here/cardroom\" play acpc{config} --agent {agent} --game \"$here/play.game\" \
         \\\n    --connect-timeout 10min -- \"$1\" \"$2\"\n"
    )
}

/// Quotes a word for the shell.
fn quote(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| "''".to_owned(), std::borrow::Cow::into_owned)
}

fn readme(entry: &Entry<'_>) -> String {
    let def = entry.def;
    format!(
        "An entry for a competition of computer poker players over the ACPC protocol, version \
         2.0.0.\n\n\
         Agent:    {} ({})\n\
         Game:     {} players, {}; the definition is in play.game\n\
         Program:  cardroom {}\n\n\
         Start it with\n\n    startme.sh HOST PORT\n\n\
         from any folder. It tries for up to ten minutes to reach the dealer, plays until the \
         dealer\n\
         closes the connection, and ends within a second of it with exit code 0. {}\n",
        entry.agent.name(),
        entry.agent.spec().summary,
        def.players,
        match def.betting {
            Betting::Limit => "limit",
            Betting::NoLimit => "no-limit",
        },
        env!("CARGO_PKG_VERSION"),
        needs(entry),
    )
}

/// The requirements of the entry, for its README.
fn needs(entry: &Entry<'_>) -> &'static str {
    let configured = definitions(entry);
    let external = entry.agent.spec().kind == EXTERNAL
        || configured.values().any(|config| config.kind == EXTERNAL);
    if external {
        "The agent is a\n\
         program of its own, which cardroom starts: what that needs besides its file, such as an\n\
         interpreter, libraries or other files, must be on the machine. Apart from that program,\n\
         nothing outside this folder is read, nothing is written, and no network is needed but \
         the\n\
         connections to the dealer and, on the machine itself, to the program."
    } else {
        "It reads nothing outside\n\
         this folder, writes nothing, and needs no network but the connection to the dealer."
    }
}

/// Plays test matches with the entry against random players, with every reply checked against the
/// rules. It is started by its absolute path from another folder, then by a relative one.
///
/// # Errors
/// With the dealer's result or the entry's output.
pub fn check(folder: &Path, def: &Arc<GameDef>, hands: u32) -> Result<(), Error> {
    let folder = folder.canonicalize().map_err(file_error(folder))?;
    let scratch = std::env::temp_dir().join(format!("cardroom-entry-{}", std::process::id()));
    fs::create_dir_all(&scratch).map_err(file_error(&scratch))?;
    let absolute = quote(&folder.join("startme.sh").to_string_lossy());
    let parent = folder.parent().unwrap_or(Path::new("/")).to_string_lossy().into_owned();
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let relative =
        format!("cd {} && exec ./{}/startme.sh \"$0\" \"$1\"", quote(&parent), quote(&name));
    let relative = format!("sh -c {}", quote(&relative));
    let result = [absolute, relative]
        .into_iter()
        .try_for_each(|command| test_match(&folder, &scratch, command, def, hands));
    // Left-over files in the temporary folder are no error.
    let _ = fs::remove_dir_all(&scratch);
    result
}

fn test_match(
    folder: &Path,
    scratch: &Path,
    command: String,
    def: &Arc<GameDef>,
    hands: u32,
) -> Result<(), Error> {
    let program = quote(&folder.join("cardroom").to_string_lossy());
    let game = quote(&folder.join("play.game").to_string_lossy());
    let random = format!("{program} play acpc --agent random --game {game}");
    let mut run = vec![command];
    run.resize(def.players, random);
    let name = scratch.join("match").to_string_lossy().into_owned();
    let options = Options {
        run,
        replies: Replies::Strict,
        log: false,
        ..Options::new(&name, "play.game", Arc::clone(def), hands, 1)
    };
    let mut said = Vec::new();
    let played = dealer::run(&options, &mut Vec::new(), &mut said);
    let fails = |reason: String| Error::entry(folder, reason);
    match played {
        Ok(()) => {}
        Err(error) if error.is_gone() || error.is_interruption() => {
            let own = fs::read_to_string(format!("{name}.player0.err")).unwrap_or_default();
            let own = own.lines().last().map(|line| format!("; it said: {}", excerpt(line)));
            return Err(fails(format!("{error}{}", own.unwrap_or_default())));
        }
        Err(error) => return Err(fails(error.to_string())),
    }
    // The dealer cannot tell whether the agent itself chose the actions.
    let own = fs::read_to_string(format!("{name}.player0.std")).unwrap_or_default();
    if let Some(line) = own.lines().find(|line| line.contains(UNANSWERED)) {
        return Err(fails(format!("in a test match it made {}", excerpt(line))));
    }
    let said = String::from_utf8_lossy(&said);
    let complaint =
        said.lines().find(|line| line.starts_with("WARNING") || line.starts_with("ERROR"));
    complaint.map_or(Ok(()), |line| Err(fails(format!("the dealer says `{}`", excerpt(line)))))
}
