//! Game definitions: what is fixed before a hand begins; and the usual games.

use std::ops::Deref;

use cards::Card;
use serde::{Deserialize, Serialize};

use crate::{BySeat, Chips, MAX_PLAYERS, Position, Seat, Street};

/// The bet-sizing rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Betting {
    /// Every raise adds the street's raise size.
    Limit,
    /// Any raise between the minimum and the stack.
    NoLimit,
}

/// Behaviour of the original ACPC server that is not a rule of poker. Off unless asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Quirks {
    /// No raise once this street's actions plus the players would exceed this number (64 in the
    /// original).
    pub max_actions: Option<u32>,
    /// In limit games a player with a stack below the current bet may "raise", which lowers the
    /// bet.
    pub short_limit_raise: bool,
}

impl Quirks {
    /// All departures of the original server.
    pub const ORIGINAL: Quirks = Quirks { max_actions: Some(64), short_limit_raise: true };
}

/// An unchecked game definition: plain data, which [`GameDef::new`] checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameSpec {
    /// Limit or no-limit.
    pub betting: Betting,
    /// Number of players, 2 to 10.
    pub players: usize,
    /// Number of streets, 1 to 4.
    pub streets: usize,
    /// Chips of each seat at the start of every hand.
    pub stacks: Vec<Chips>,
    /// Chips each seat posts before the cards.
    pub blinds: Vec<Chips>,
    /// Raise size of each street (limit only; empty in no-limit games).
    pub raise_sizes: Vec<Chips>,
    /// The seat that acts first on each street, from 0.
    pub first_to_act: Vec<usize>,
    /// Maximum number of raises on each street; blinds do not count.
    pub max_raises: Vec<u32>,
    /// Suits in the deck, 1 to 4, taken from spades down.
    pub suits: u8,
    /// Ranks in the deck, 1 to 13, taken from the ace down.
    pub ranks: u8,
    /// Cards dealt to each player, 1 to 3.
    pub hole_cards: u8,
    /// Cards dealt on the table at the start of each street. In games with
    /// [`discards`](Self::discards) the last two of the flop are those that the players put there.
    pub board_cards: Vec<u8>,
    /// Whether each of two players puts a card of the hand on the board with the flop: the one who
    /// acts first on it first. In these games [`apply`](crate::PublicState::apply) takes a fold
    /// where nothing is owed, and in the place of a discard, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub discards: bool,
    /// Rule departures of the original server that apply.
    #[serde(default)]
    pub quirks: Quirks,
}

impl GameSpec {
    /// The `max_raises` entry of a street without a cap.
    pub const NO_CAP: u32 = u32::MAX;
    /// The largest stack; also the stack of games that name none.
    pub const MAX_STACK: Chips = i32::MAX as Chips;
}

/// Error for a [`GameSpec`] that is not a valid game. It displays what is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GameDefError(String);

/// A checked game definition. Reads like its [`GameSpec`] by dereference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "GameSpec", into = "GameSpec")]
pub struct GameDef {
    spec: GameSpec,
    pub(crate) stack: BySeat<Chips>,
    pub(crate) blind: BySeat<Chips>,
    pub(crate) raise_size: [Chips; 4],
    pub(crate) first: [u8; 4],
    pub(crate) cap: [u32; 4],
    pub(crate) board: [u8; 4],
    pub(crate) big_blind: Chips,
}

impl GameDef {
    /// Checks a definition.
    pub fn new(spec: GameSpec) -> Result<GameDef, GameDefError> {
        check(&spec)?;
        let limit = spec.betting == Betting::Limit;
        let by_street =
            |values: &[u32]| std::array::from_fn(|i| values.get(i).copied().unwrap_or_default());
        let big_blind = spec.blinds.iter().copied().max().unwrap_or_default();
        Ok(GameDef {
            stack: BySeat::from_slice(&spec.stacks).expect("checked: at most ten players"),
            blind: BySeat::from_slice(&spec.blinds).expect("checked: at most ten players"),
            raise_size: if limit { by_street(&spec.raise_sizes) } else { [0; 4] },
            first: std::array::from_fn(|i| spec.first_to_act.get(i).map_or(0, |&s| s as u8)),
            cap: by_street(&spec.max_raises),
            board: std::array::from_fn(|i| spec.board_cards.get(i).copied().unwrap_or_default()),
            big_blind,
            spec,
        })
    }

    /// The definition as plain data.
    pub fn spec(&self) -> &GameSpec {
        &self.spec
    }

    /// The same game with these quirks.
    pub fn with_quirks(&self, quirks: Quirks) -> GameDef {
        let mut def = self.clone();
        def.spec.quirks = quirks;
        def
    }

    /// The unit in which win rates are measured: the largest blind, or one chip in a game without.
    pub fn big_blind(&self) -> Chips {
        self.big_blind.max(1)
    }

    /// The last street of the game.
    pub fn last_street(&self) -> Street {
        Street::ALL[self.spec.streets - 1]
    }

    /// The seats in order.
    pub fn seats(&self) -> impl DoubleEndedIterator<Item = Seat> + ExactSizeIterator {
        Seat::all(self.spec.players)
    }

    /// The seat that acts last on the last street.
    pub fn button(&self) -> Seat {
        let first = self.first[self.spec.streets - 1] as usize;
        Seat::new((first + self.spec.players - 1) % self.spec.players).expect("a seat of the game")
    }

    /// The role of a seat.
    pub fn position(&self, seat: Seat) -> Position {
        let players = self.spec.players;
        let before_button = (self.button().index() + players - seat.index()) % players;
        let blind = self.blind[seat];
        if before_button == 0 {
            Position::Button
        } else if blind == self.big_blind && blind > 0 {
            Position::BigBlind
        } else if blind > 0 {
            Position::SmallBlind
        } else {
            Position::BeforeButton(before_button as u8)
        }
    }

    /// How the cards or players differ from those of heads-up hold'em with a full deck, in words;
    /// `None` for such a game.
    pub fn differs_from_holdem(&self) -> Option<&'static str> {
        self.differs_from_holdem_of(2)
    }

    /// The same of hold'em for this number of players.
    pub fn differs_from_holdem_of(&self, players: usize) -> Option<&'static str> {
        if self.players != players {
            Some("another number of players")
        } else if (self.suits, self.ranks) != (4, 13) {
            Some("another deck")
        } else if self.hole_cards != 2 {
            Some("another number of hole cards")
        } else if self.discards {
            Some("cards that are put away")
        } else if self.board_cards != [0, 3, 1, 1] {
            Some("another board")
        } else {
            None
        }
    }

    /// The deck in the protocol's order: suits from the lowest used up, in each the ranks up.
    pub fn deck(&self) -> Vec<Card> {
        let suits = cards::Suit::all().skip((4 - self.spec.suits) as usize);
        suits
            .flat_map(|suit| {
                let ranks = cards::Rank::all().skip((13 - self.spec.ranks) as usize);
                ranks.map(move |rank| Card::new(rank, suit))
            })
            .collect()
    }

    /// Whether the card is in this game's deck.
    pub fn has_card(&self, card: Card) -> bool {
        card.suit().index() >= 4 - self.spec.suits && card.rank().index() >= 13 - self.spec.ranks
    }

    /// Number of board cards once this street has been dealt.
    pub fn board_len(&self, street: Street) -> usize {
        self.board[..=street.index()].iter().map(|&n| n as usize).sum()
    }

    /// The seat that puts the board's card at this place there, in games with discards; `None` for
    /// a card that is dealt.
    pub fn discarder(&self, place: usize) -> Option<Seat> {
        let flop = if self.spec.discards { self.board_len(Street::Flop) } else { 0 };
        let first = usize::from(self.first[Street::Flop.index()]);
        match flop.checked_sub(place) {
            Some(2) => Seat::new(first),
            Some(1) => Seat::new(1 - first.min(1)),
            _ => None,
        }
    }

    /// Number of board cards of the whole game.
    pub fn full_board_len(&self) -> usize {
        self.board_len(self.last_street())
    }
}

impl Deref for GameDef {
    type Target = GameSpec;
    fn deref(&self) -> &GameSpec {
        &self.spec
    }
}

impl TryFrom<GameSpec> for GameDef {
    type Error = GameDefError;
    fn try_from(spec: GameSpec) -> Result<GameDef, GameDefError> {
        GameDef::new(spec)
    }
}

impl From<GameDef> for GameSpec {
    fn from(def: GameDef) -> GameSpec {
        def.spec
    }
}

fn in_range(what: &'static str, found: u64, least: u64, most: u64) -> Result<(), GameDefError> {
    if (least..=most).contains(&found) {
        Ok(())
    } else {
        Err(GameDefError(format!("{what} is {found}, but must be from {least} to {most}")))
    }
}

fn count(what: &'static str, found: usize, needed: usize) -> Result<(), GameDefError> {
    if found == needed {
        Ok(())
    } else {
        Err(GameDefError(format!("{what}: {found} given, but {needed} needed")))
    }
}

fn check(spec: &GameSpec) -> Result<(), GameDefError> {
    in_range("the number of players", spec.players as u64, 2, MAX_PLAYERS as u64)?;
    in_range("the number of rounds", spec.streets as u64, 1, 4)?;
    in_range("the number of suits", spec.suits.into(), 1, 4)?;
    in_range("the number of ranks", spec.ranks.into(), 1, 13)?;
    in_range("the number of hole cards", spec.hole_cards.into(), 1, 3)?;
    count("stacks", spec.stacks.len(), spec.players)?;
    count("blinds", spec.blinds.len(), spec.players)?;
    count("first players", spec.first_to_act.len(), spec.streets)?;
    count("raise caps", spec.max_raises.len(), spec.streets)?;
    count("numbers of board cards", spec.board_cards.len(), spec.streets)?;
    if spec.betting == Betting::Limit {
        count("raise sizes", spec.raise_sizes.len(), spec.streets)?;
        for &size in &spec.raise_sizes {
            in_range("a raise size", size.into(), 1, GameSpec::MAX_STACK.into())?;
        }
    }
    for &first in &spec.first_to_act {
        in_range("the first player of a round", first as u64 + 1, 1, spec.players as u64)?;
    }
    for (i, (&stack, &blind)) in spec.stacks.iter().zip(&spec.blinds).enumerate() {
        in_range("a stack", stack.into(), 1, GameSpec::MAX_STACK.into())?;
        if blind > stack {
            let player = i + 1;
            return Err(GameDefError(format!(
                "the blind of player {player} is {blind}, more than the stack of {stack}"
            )));
        }
    }
    let board: usize = spec.board_cards.iter().map(|&n| n as usize).sum();
    let hole = spec.hole_cards as usize;
    if spec.discards {
        in_range("the number of players of a game with discards", spec.players as u64, 2, 2)?;
        in_range("the number of rounds of a game with discards", spec.streets as u64, 4, 4)?;
        let [first, flop, later @ ..] = &spec.board_cards[..] else { return Ok(()) };
        in_range("board cards before the flop of a game with discards", (*first).into(), 0, 0)?;
        in_range("board cards of a flop with two discards", (*flop).into(), 3, 7)?;
        for &cards in later {
            in_range("board cards after the flop of a game with discards", cards.into(), 1, 7)?;
        }
        // A player's own discard is counted twice; the best five of eight are looked for.
        in_range("hole cards and board together", (hole + board) as u64, 1, 9)?;
        in_range("board cards of a game with discards", board as u64, 1, 7)?;
    } else {
        in_range("hole cards and board together", (hole + board) as u64, 1, 7)?;
    }
    let deck = spec.suits as usize * spec.ranks as usize;
    let needed = hole * spec.players + board;
    if needed > deck {
        return Err(GameDefError(format!(
            "a hand needs {needed} cards, but the deck holds {deck}"
        )));
    }
    Ok(())
}

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
        discards: false,
        quirks: Quirks::default(),
    }
}

fn build(spec: GameSpec) -> GameDef {
    GameDef::new(spec).expect("a valid game")
}
