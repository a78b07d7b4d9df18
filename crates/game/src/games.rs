//! The usual games by name, as defined in the competition's files.

use crate::{Betting, Chips, GameDef, GameSpec, Quirks};

/// Heads-up Kuhn poker: three cards, one street, one bet of one chip.
pub fn kuhn() -> GameDef {
    build(GameSpec {
        raise_sizes: vec![1],
        max_raises: vec![1],
        suits: 1,
        ranks: 3,
        hole_cards: 1,
        ..limit(vec![1, 1], &[0], &[0])
    })
}

/// Heads-up Leduc poker: six cards, two streets, bets of two and four chips, two raises a street.
pub fn leduc() -> GameDef {
    build(GameSpec {
        raise_sizes: vec![2, 4],
        max_raises: vec![2, 2],
        suits: 2,
        ranks: 3,
        hole_cards: 1,
        ..limit(vec![1, 1], &[0, 0], &[0, 1])
    })
}

/// Heads-up limit hold'em of the competition: blinds 10 (seat 0) and 5, raises 10 and 20.
pub fn limit_holdem() -> GameDef {
    build(GameSpec {
        raise_sizes: vec![10, 10, 20, 20],
        max_raises: vec![3, 4, 4, 4],
        ..limit(vec![10, 5], &[1, 0, 0, 0], &[0, 3, 1, 1])
    })
}

/// Heads-up no-limit hold'em of the competition: blinds 100 (seat 0) and 50, stacks 20,000.
pub fn nolimit_holdem() -> GameDef {
    nolimit_holdem_with(vec![20_000; 2])
}

/// No-limit hold'em with blinds 50 and 100 and these stacks, two to ten players.
///
/// # Panics
/// When the stacks do not make a game (see [`GameDef::new`]).
pub fn nolimit_holdem_with(stacks: Vec<Chips>) -> GameDef {
    let players = stacks.len();
    let mut blinds = vec![0; players];
    let heads_up = players == 2;
    blinds[usize::from(heads_up)] = 50;
    blinds[usize::from(!heads_up)] = 100;
    build(GameSpec {
        betting: Betting::NoLimit,
        stacks,
        ..limit(blinds, &[if heads_up { 1 } else { 2 % players }, 0, 0, 0], &[0, 3, 1, 1])
    })
}

fn limit(blinds: Vec<Chips>, first: &[usize], board: &[u8]) -> GameSpec {
    GameSpec {
        betting: Betting::Limit,
        players: blinds.len(),
        streets: first.len(),
        stacks: vec![GameSpec::MAX_STACK; blinds.len()],
        blinds,
        raise_sizes: Vec::new(),
        first_to_act: first.to_vec(),
        max_raises: vec![GameSpec::NO_CAP; first.len()],
        suits: 4,
        ranks: 13,
        hole_cards: 2,
        board_cards: board.to_vec(),
        quirks: Quirks::default(),
    }
}

fn build(spec: GameSpec) -> GameDef {
    GameDef::new(spec).expect("a valid game")
}
