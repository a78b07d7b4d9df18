//! `cardroom package`: makes a folder that plays without anything else.

use std::collections::BTreeMap;
use std::path::PathBuf;

use matches::bot::Bot;
use wire::package_acpc::{Entry, check, write};

use crate::exit::Failure;
use crate::interrupt::Aborting;
use crate::output::print;
use crate::resolve_names::{Game, Named, this_program};

/// Make a self-contained folder that plays an agent.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    Acpc(AcpcArgs),
}

/// Write an entry for an ACPC competition: startme.sh HOST PORT, README, this program, the game,
/// the agent's files.
///
/// The entry is tested at once: matches against random players, started from another folder by
/// absolute and by relative path, with every reply checked against the rules. Exit codes: 0 when
/// the entry works, 3 when it cannot be made, 5 when it exists but fails.
#[derive(clap::Args)]
struct AcpcArgs {
    /// The folder to make; it must be empty or missing
    dir: PathBuf,
    /// The agent: a kind, KIND:ARGUMENT or a name from the configuration (see `cardroom agents
    /// list`)
    #[arg(long, value_name = "NAME")]
    agent: String,
    #[command(flatten)]
    game: Game,
    #[command(flatten)]
    named: Named,
    /// Hands per test match; 0 for no tests
    #[arg(long, value_name = "N", default_value_t = 100)]
    check: u32,
}

/// Runs the command: makes the package and tests it.
pub fn run(args: Args) -> Result<(), Failure> {
    let What::Acpc(args) = args.what;
    let registry = args.named.registry()?;
    let agent = registry.resolve(&args.agent).map_err(Failure::input)?;
    let def = args.game.load()?;
    // Fail now, not on the organizers' machine, if the agent cannot play the game.
    let aborting = Aborting::begin()?;
    drop(Bot::new(&agent, &def).map_err(Failure::input)?);
    drop(aborting);
    let defined: BTreeMap<_, _> =
        registry.defined().map(|(name, config)| (name.to_owned(), config.clone())).collect();
    let program = this_program()?;
    let entry = Entry { program: &program, agent: &agent, defined: &defined, def: &def };
    write(&entry, &args.dir).map_err(Failure::input)?;
    if args.check > 0 {
        check(&args.dir, &def, args.check).map_err(|error| match error {
            error if error.is_failed_entry() => Failure::claim(error),
            error => Failure::input(error),
        })?;
    }
    let tried = match args.check {
        0 => "not tried".to_owned(),
        hands => format!("tried twice over {hands} hands"),
    };
    print(&format!(
        "{}: an entry that plays {}, {tried}; start it with startme.sh HOST PORT\n",
        args.dir.display(),
        agent.name()
    ))
}
