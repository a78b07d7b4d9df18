//! Computation of features, for one situation or for all hands on a board.

use cards::{CardSet, Combo, Outlook, RiverTable, WinRateError};
use game::{Chips, GameDef, InfoSet, Street};

use super::{Feature, Features, MAX_FEATURES, Schema, opponent_bets, preflop};

/// Error for a situation without features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FeaturesError {
    /// The game is not heads-up hold'em, for the given reason.
    #[error("these features are for heads-up hold'em with a full deck, and this game has {0}")]
    Game(&'static str),
    /// The hole cards are not two different cards.
    #[error("the hand has not two different cards: hold'em deals two")]
    Hole,
    /// The cards are not valid.
    #[error(transparent)]
    Cards(#[from] WinRateError),
}

/// Computes the features of a schema. Each thread needs its own; clones share the tables.
///
/// After the first flop, turn and river it allocates nothing: 20 ns before the flop, and about 10
/// µs, 1 µs and 0.1 µs on the later streets.
#[derive(Debug, Clone)]
pub struct FeatureMaker {
    schema: Schema,
    /// Whether win-rates are computed for each row, without tables.
    counting: bool,
    /// A workspace for each street.
    outlooks: [Outlook; 4],
}

impl FeatureMaker {
    /// A maker for many rows. The first row after the flop builds the river table that the process
    /// shares (0.2 s); the first preflop row of a schema other than the default builds the rows of
    /// all starting hands (2 s). [`FeatureMaker::prepare`] does both in advance.
    pub fn new(schema: Schema) -> FeatureMaker {
        FeatureMaker { schema, counting: false, outlooks: Default::default() }
    }

    /// A maker for a few rows, without tables: 1 ms for each row on the flop.
    pub fn counting(schema: Schema) -> FeatureMaker {
        FeatureMaker { counting: true, ..FeatureMaker::new(schema) }
    }

    /// The schema.
    pub fn schema(&self) -> Schema {
        self.schema
    }

    /// Builds the tables that the first rows would build.
    pub fn prepare(&self) {
        if !self.counting {
            RiverTable::shared(self.schema.ties);
            preflop::rows(self.schema);
        }
    }

    /// The features of an information set.
    ///
    /// # Errors
    /// When the game is not heads-up hold'em.
    pub fn infoset(&mut self, infoset: &InfoSet) -> Result<Features, FeaturesError> {
        check(infoset.public.def())?;
        let &[a, b] = infoset.hole.as_slice() else { return Err(FeaturesError::Hole) };
        let hole = Combo::new(a, b).ok_or(FeaturesError::Hole)?;
        let bets = opponent_bets(&infoset.public, infoset.seat);
        self.cards(hole, infoset.public.board().set(), bets)
    }

    /// The features of a hand, a board of 0, 3, 4 or 5 cards, and the opponent's chips by street.
    ///
    /// # Errors
    /// When the board's number of cards is not 0, 3, 4 or 5, or it shares a card with the hand.
    pub fn cards(
        &mut self,
        hole: Combo,
        board: CardSet,
        bets: [Chips; 4],
    ) -> Result<Features, FeaturesError> {
        let street = match board.len() {
            0 => return Ok(self.starting_hand(hole, bets)),
            3 => Street::Flop,
            4 => Street::Turn,
            _ => Street::River,
        };
        let outlook = &mut self.outlooks[street.index()];
        if self.counting {
            *outlook = Outlook::new(hole, board, self.schema.ties)?;
        } else {
            RiverTable::shared(self.schema.ties).outlook_into(hole, board, outlook)?;
        }
        Ok(row(self.schema, street, outlook, bets))
    }

    /// Calls `visit` with the features of every hand that can be held on a board of 3, 4 or 5
    /// cards: several times faster than hand by hand. The order of the hands is not specified.
    ///
    /// # Errors
    /// When the board's number of cards is not 3, 4 or 5.
    pub fn each_hand(
        &self,
        board: CardSet,
        bets: [Chips; 4],
        mut visit: impl FnMut(Combo, &Features),
    ) -> Result<(), FeaturesError> {
        let street = match board.len() {
            3 => Street::Flop,
            4 => Street::Turn,
            _ => Street::River,
        };
        let table = RiverTable::shared(self.schema.ties);
        table.each_hand(board, |hole, outlook| {
            visit(hole, &row(self.schema, street, outlook, bets));
        })?;
        Ok(())
    }

    fn starting_hand(&self, hole: Combo, bets: [Chips; 4]) -> Features {
        let mut features = Features { street: Street::Preflop, values: [0.0; MAX_FEATURES] };
        let (of_cards, of_bets) = features.values.split_at_mut(preflop::VALUES);
        if self.counting {
            of_cards.copy_from_slice(&preflop::row(self.schema, hole));
        } else {
            let rows = preflop::rows(self.schema);
            of_cards.copy_from_slice(&rows[hole.starting_hand().index()]);
        }
        of_bets.copy_from_slice(&bets.map(|chips| chips as f32));
        features
    }
}

/// The features of a hand after the flop.
#[inline]
fn row(schema: Schema, street: Street, outlook: &Outlook, bets: [Chips; 4]) -> Features {
    let mut values = [0.0; MAX_FEATURES];
    values[0] = outlook.win_rate() as f32;
    let mut end = 1;
    for distribution in outlook.later() {
        for (value, decile) in values[end..end + 10].iter_mut().zip(schema.deciles(distribution)) {
            *value = decile as f32;
        }
        end += 10;
    }
    values[end..end + 4].copy_from_slice(&bets.map(|chips| chips as f32));
    debug_assert_eq!(end + 4, Feature::count(street));
    Features { street, values }
}

/// Checks that the game is heads-up hold'em.
fn check(def: &GameDef) -> Result<(), FeaturesError> {
    let wrong = if def.players != 2 {
        "another number of players"
    } else if (def.suits, def.ranks) != (4, 13) {
        "another deck"
    } else if def.hole_cards != 2 {
        "another number of hole cards"
    } else if def.board_cards != [0, 3, 1, 1] {
        "another board"
    } else {
        return Ok(());
    };
    Err(FeaturesError::Game(wrong))
}
