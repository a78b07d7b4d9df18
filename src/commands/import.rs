//! `cardroom import`: imports hand histories from elsewhere as a match folder.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use logs::MatchInfo;
use matches::import::{self, Import};
use matches::plan::files_sha256;

use crate::exit::Failure;
use crate::match_options::provenance;
use crate::output::{Output, warn};
use crate::progress::Progress;
use crate::report;
use crate::resolve_names::Named;

/// Import hands from other records into one match folder, for `stats` and `export`.
///
/// Reads PHH (.phh, .phhs; no-limit and limit hold'em without antes; amounts with decimals become
/// whole chips), CSV with the columns that `export` writes (with --game) or with those that a map
/// names (--columns), ACPC logs, PokerStars text, Open Hand History, logs of the engine of MIT
/// Pokerbots, replays of Kaggle's Game Arena, and other ledgers. All hands must be of the same game
/// and players, in any seats. Other information in the files is dropped and reported.
#[derive(clap::Args)]
pub struct Args {
    /// The files, in the order of their hands
    #[arg(value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
    /// The folder to write the match to
    #[arg(long, value_name = "DIR", required = true)]
    out: PathBuf,
    /// The game of CSV files, and of ACPC logs if their first line does not identify it
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// TOML file that maps the columns of CSV files, for one row per hand (docs/ledger.md)
    #[arg(long, value_name = "FILE", requires = "game")]
    columns: Option<PathBuf>,
    /// The agent behind a player, for `explain` and `stats --values agents`; may be given several
    /// times
    #[arg(long, value_name = "PLAYER=AGENT")]
    agent: Vec<PlayerAgent>,
    #[command(flatten)]
    named: Named,
    /// The match's name [default: the folder's]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Skip hands of other games or players than the first hand's, and those with antes, rake or
    /// other things that records cannot hold
    #[arg(long)]
    leave_out: bool,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// The agent that a player was, parsed from `PLAYER=AGENT`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PlayerAgent {
    player: String,
    agent: String,
}

impl FromStr for PlayerAgent {
    type Err = String;

    fn from_str(text: &str) -> Result<PlayerAgent, String> {
        let parts =
            text.split_once('=').filter(|(player, agent)| !player.is_empty() && !agent.is_empty());
        let (player, agent) =
            parts.ok_or_else(|| format!("`{text}` is not PLAYER=AGENT, as in DeepStack=cfr"))?;
        Ok(PlayerAgent { player: player.to_owned(), agent: agent.to_owned() })
    }
}

/// Runs the command: reads the files, writes the match and prints its report.
pub fn run(args: &Args) -> Result<Output, Failure> {
    import::check_free(&args.out)?;
    let folder = args.out.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = args.name.clone().or(folder).unwrap_or_else(|| "imported".to_owned());
    let reading = Import {
        game: args.game.clone(),
        columns: args.columns.clone(),
        leave_out: args.leave_out,
        most_hands: u64::MAX,
        known_games: false,
        warn: Arc::new(warn),
    };
    let mut progress = Progress::patient(args.files.len() as u64, "files", args.quiet);
    let mut read = |done| {
        progress.show(done, "");
        ControlFlow::Continue(())
    };
    let imported = reading.read(&args.files, &name, provenance(), &mut read);
    progress.finish();
    let mut imported = imported?;
    name_agents(args, imported.info())?;
    imported.write(&args.out)?;
    if !args.quiet {
        for line in imported.notes() {
            // Nothing can be done when stderr is closed.
            let _ = writeln!(std::io::stderr(), "{}", game::escape::visible(&line));
        }
    }
    report::show_folder(&args.out, args.json)
}

/// Sets the agents of the players that `--agent` names.
fn name_agents(args: &Args, info: &mut MatchInfo) -> Result<(), Failure> {
    if args.agent.is_empty() {
        return Ok(());
    }
    let registry = args.named.registry()?;
    for PlayerAgent { player, agent } in &args.agent {
        let names = info.names().join(", ");
        let entrant = info.entrants.iter_mut().find(|entrant| &entrant.name == player);
        let entrant = entrant.ok_or_else(|| {
            Failure::usage(format!("--agent {player}={agent}: the players are {names}"))
        })?;
        let choice = registry
            .resolve(agent)
            .map_err(|error| Failure::usage(format!("--agent {player}={agent}: {error}")))?;
        entrant.agent.clone_from(agent);
        entrant.model_sha256 = files_sha256(choice.files())?;
    }
    Ok(())
}
