//! Resolving names on the command line: agents, including those of the configuration, games and bet
//! menus.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use abstraction::menu::{self, BetMenu};
use agents::{AgentChoice, Registry};
use game::GameDef;
use matches::games::{load_game, without_discards};
use protocol::acpc;
use protocol::acpc::gamedef::Reading;

use crate::config::{Flag, Loaded};
use crate::exit::Failure;

/// The configuration, which defines agents.
#[derive(clap::Args)]
pub(crate) struct Named {
    #[arg(from_global)]
    config: Option<PathBuf>,
}

impl Named {
    /// Loads the configuration.
    pub(crate) fn load(&self) -> Result<Loaded, Failure> {
        self.load_with(&[])
    }

    /// Loads the configuration, with the values of flags.
    pub(crate) fn load_with(&self, flags: &[Flag]) -> Result<Loaded, Failure> {
        Loaded::load(self.config.as_deref(), crate::config::variables(), flags)
            .map_err(Failure::input)
    }

    /// The registry of all agents, including those of the configuration.
    pub(crate) fn registry(&self) -> Result<Registry, Failure> {
        let mut registry = matches::external::registry();
        for (name, config) in self.load()?.config.agents {
            registry.define(&name, config).map_err(Failure::input)?;
        }
        Ok(registry)
    }

    /// The agent of this name.
    pub(crate) fn resolve(&self, name: &str) -> Result<AgentChoice, Failure> {
        self.registry()?.resolve(name).map_err(Failure::input)
    }

    /// The files that these agents need, and the configuration file, if there is one.
    pub(crate) fn files(&self, names: &[String]) -> Result<Vec<std::path::PathBuf>, Failure> {
        let agents = names.iter().map(|name| self.resolve(name)).collect::<Result<Vec<_>, _>>()?;
        let of_agents = agents.iter().flat_map(AgentChoice::files).cloned();
        Ok(of_agents.chain(self.load()?.file).collect())
    }

    /// The agent of this name, which must provide its strategy.
    pub(crate) fn resolve_with_policy(&self, name: &str) -> Result<AgentChoice, Failure> {
        let registry = self.registry()?;
        let agent = registry.resolve(name).map_err(Failure::input)?;
        if agent.has_policy() {
            return Ok(agent);
        }
        Err(Failure::input(anyhow::anyhow!(
            "`{name}` cannot be asked what it would do with other cards; agents that can: {}",
            names(&registry, AgentChoice::has_policy).join(", ")
        )))
    }
}

/// The names of the agents for which `can` holds.
pub(crate) fn names(registry: &Registry, can: impl Fn(&AgentChoice) -> bool) -> Vec<String> {
    let kinds = registry.kinds().iter().map(|spec| spec.example);
    let names = kinds.chain(registry.defined().map(|(name, _)| name));
    let can = |name: &&str| registry.resolve(name).is_ok_and(|agent| can(&agent));
    names.filter(can).map(str::to_owned).collect()
}

/// What precedes the path of a game definition that is parsed like the original dealer.
const LENIENT: &str = "lenient:";

/// A game with its name.
#[derive(clap::Args)]
pub(crate) struct Game {
    /// The game: a built-in name, or the path of an ACPC game definition; `lenient:PATH` parses it
    /// like the original dealer, which ignores what it does not understand
    #[arg(long, value_name = "GAME", default_value = crate::match_options::DEFAULT_GAME)]
    game: String,
}

impl Game {
    /// The name, or the path of the file.
    pub(crate) fn name(&self) -> &str {
        self.game.strip_prefix(LENIENT).unwrap_or(&self.game)
    }

    /// Loads the game, which must be one without discards.
    pub(crate) fn load(&self) -> Result<Arc<GameDef>, Failure> {
        let def = self.load_any()?;
        without_discards(self.name(), &def).map_err(Failure::input)?;
        Ok(def)
    }

    /// Loads the game for a command that plays any.
    pub(crate) fn load_any(&self) -> Result<Arc<GameDef>, Failure> {
        let lenient = self.game.starts_with(LENIENT);
        let reading = if lenient { Reading::Original } else { Reading::Strict };
        load_game(self.name(), reading).map_err(Failure::input)
    }
}

/// The most bytes of a menu file.
const MAX_MENU: u64 = 1 << 16;

/// A built-in menu, one from a file, or one given as lines separated by `;`.
pub(crate) fn bet_menu(name: &str) -> Result<BetMenu, Failure> {
    if let Some(menu) = menu::find(name) {
        return Ok(menu);
    }
    let path = Path::new(name);
    if name.contains(':') && !path.exists() {
        let text = name.replace(';', "\n");
        return text
            .parse()
            .map_err(|error: abstraction::Error| Failure::usage(format!("--menu: {error}")));
    }
    let bad = |error: &dyn std::fmt::Display| Failure::input(anyhow::anyhow!("{name}: {error}"));
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(MAX_MENU).read_to_string(&mut text));
    read.map_err(|error| {
        let shipped: Vec<&str> = menu::shipped().iter().map(|menu| menu.name).collect();
        bad(&format!("{error}; shipped menus are {}", shipped.join(", ")))
    })?;
    if text.len() as u64 == MAX_MENU {
        return Err(bad(&"too long for a menu"));
    }
    text.parse().map_err(|error: abstraction::Error| bad(&error))
}

/// The built-in game of this name.
pub(crate) fn built_in(name: &str) -> Result<acpc::BuiltInGame, Failure> {
    acpc::find(name).copied().ok_or_else(|| {
        let nearest = acpc::nearest(name).map(|near| format!("; did you mean `{near}`?"));
        Failure::input(anyhow::anyhow!(
            "there is no built-in game `{name}`{}",
            nearest.unwrap_or_default()
        ))
    })
}

/// The path of the running program.
pub(crate) fn this_program() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|error| {
            Failure::input(anyhow::anyhow!("cannot tell where this program is: {error}"))
        })
        .map(|path| Path::new(&path).to_owned())
}
