//! Hashes of games and trees, independent of how these were written.

use game::{Betting, GameDef};
use sha2::{Digest, Sha256};

use crate::menu::BetMenu;

/// SHA-256, in hexadecimal digits, of a game definition: it identifies the game that a model was
/// trained for. Rule departures ([`Quirks`](game::Quirks)) are left out, since they do not change
/// the values of the game.
pub fn game_hash(def: &GameDef) -> String {
    hex(&game_text(def))
}

pub(super) fn tree_hash(def: &GameDef, menu: &BetMenu) -> String {
    hex(&format!("{}menu\n{menu}", game_text(def)))
}

fn hex(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The canonical text of the definition. Its first line is the format's version.
fn game_text(def: &GameDef) -> String {
    let list = |numbers: &mut dyn Iterator<Item = u64>| {
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
    };
    let betting = match def.betting {
        Betting::Limit => "limit",
        Betting::NoLimit => "no-limit",
    };
    let wide = |numbers: &[u32]| list(&mut numbers.iter().map(|&number| number.into()));
    let first = list(&mut def.first_to_act.iter().map(|&seat| seat as u64));
    let board = list(&mut def.board_cards.iter().map(|&cards| cards.into()));
    // The spec of a no-limit game may carry raise sizes, which have no effect.
    let raise_sizes =
        if def.betting == Betting::Limit { wide(&def.raise_sizes) } else { String::new() };
    format!(
        "cardroom-game/1\nbetting {betting}\nplayers {}\nstreets {}\nstacks {}\nblinds {}\n\
         raise-sizes {raise_sizes}\nfirst {first}\ncaps {}\nsuits {}\nranks {}\nhole {}\nboard \
         {board}\n",
        def.players,
        def.streets,
        wide(&def.stacks),
        wide(&def.blinds),
        wide(&def.max_raises),
        def.suits,
        def.ranks,
        def.hole_cards,
    )
}
