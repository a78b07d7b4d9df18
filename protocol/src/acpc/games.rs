//! The built-in game definitions: the competition's files under `games/`.

/// A game definition file compiled into the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInGame {
    /// The game's name: the file name without `.game`.
    pub name: &'static str,
    /// The file's text.
    pub text: &'static str,
}

macro_rules! built_in {
    ($($name:literal)*) => {
        &[$(BuiltInGame {
            name: $name,
            text: include_str!(concat!("../../games/", $name, ".game")),
        }),*]
    };
}

const GAMES: &[BuiltInGame] = built_in! {
    "holdem.limit.2p"
    "holdem.limit.2p.reverse_blinds"
    "holdem.limit.3p"
    "holdem.nolimit.2p.10bb"
    "holdem.nolimit.2p.reverse_blinds"
    "holdem.nolimit.3p"
    "holdem.nolimit.6p"
    "kuhn.bigdeck.2round.limit.2p"
    "kuhn.bigdeck.limit.2p"
    "kuhn.limit.2p"
    "kuhn.limit.3p"
    "leduc.limit.2p"
    "leduc.nolimit.2p.deepstack"
    "pluribus.nolimit.6p"
};

/// All built-in games.
pub fn games() -> &'static [BuiltInGame] {
    GAMES
}

/// The built-in game with this name; a final `.game` is allowed.
pub fn find(name: &str) -> Option<&'static BuiltInGame> {
    let name = name.strip_suffix(".game").unwrap_or(name);
    GAMES.iter().find(|game| game.name == name)
}

/// The name of the built-in game that `name` may have been meant to be.
pub fn nearest(name: &str) -> Option<&'static str> {
    let name = name.strip_suffix(".game").unwrap_or(name);
    show::nearest::nearest(name, GAMES.iter().map(|game| game.name))
}
