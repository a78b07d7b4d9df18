//! Card buckets: groups of hands on each street that a strategy does not distinguish.
//!
//! A [`BucketRecipe`] specifies each street's buckets in a line of text, and [`Buckets::make`]
//! computes them from the table of all river states: exactly, and the same on every machine. A
//! hand's bucket is decided by a few numbers (the limits between percentiles, the centres of
//! clusters), which are the contents of a bucket file and of the [`hash`](Buckets::hash). A look-up
//! from them takes some microseconds; [`Buckets::tabulate`] stores the bucket of every hand on
//! every board (52 MB), so that a look-up takes some nanoseconds, for training.
//!
//! Buckets have *imperfect recall*: they depend on the hand and the set of board cards, not on the
//! street on which each card came, nor on the buckets of earlier streets. Suit-isomorphic hands
//! share a bucket.

mod boards;
mod cluster;
mod file;
mod histogram;
mod nested;
mod percentiles;
mod recipe;
mod report;
mod rule;
mod tables;

use std::sync::OnceLock;

use arrayvec::ArrayVec;
use cards::{
    Board, Card, CardSet, Combo, HoleCards, OnBoard, Outlook, RiverTable, Ties, WinRateError,
};
use game::Street;
use sha2::{Digest, Sha256};

pub use file::FileError;
pub use recipe::{BucketRecipe, Kind, ParseRecipeError};
pub use report::{Example, StreetReport};

use rule::Rule;
use tables::{Found, Tables};

/// Version of the kinds of buckets and of their file format.
pub const VERSION: u32 = 1;

/// The buckets of the hands of all four streets.
#[derive(Debug, Clone)]
pub struct Buckets {
    recipe: BucketRecipe,
    rules: [Rule; 4],
    hash: String,
    tables: OnceLock<Tables>,
}

/// Error of making buckets or of looking one up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BucketsError {
    /// More buckets than distinguishable hands.
    #[error(
        "{asked} buckets on the {street}, where only {possible} kinds of hands can be \
         distinguished: ask for fewer"
    )]
    TooMany {
        /// The street with too many buckets.
        street: Street,
        /// Number of buckets asked for.
        asked: u32,
        /// Maximum number of buckets.
        possible: u32,
    },
    /// Features whose rounding gives too many buckets.
    #[error(
        "the features fall into {found} different ones on the {street}, but at most {most} buckets \
         are possible: take fewer steps or fewer quantiles", most = recipe::MAX_COUNT
    )]
    TooFine {
        /// The street with the features.
        street: Street,
        /// Number of distinct features.
        found: usize,
    },
    /// The hole cards are not two different cards.
    #[error("the hand has not two different cards: buckets are for hold'em")]
    Hole,
    /// The board's cards are not valid.
    #[error(transparent)]
    Cards(#[from] WinRateError),
}

/// Progress of making buckets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The street being worked on.
    pub street: Street,
    /// The current stage, in a word or two.
    pub stage: &'static str,
    /// The share of the stage that is done, 0 to 1.
    pub done: f64,
    /// While clustering: the sum of the hands' distances from their centres, which falls.
    pub distance: Option<u64>,
}

/// The cards of a complete two-player deal: all different.
#[derive(Debug, Clone, Copy)]
pub struct DealtCards {
    /// The hands of seats 0 and 1.
    pub holes: [Combo; 2],
    /// The board, in street order.
    pub board: [Card; 5],
}

/// The buckets of a complete deal: `[seat][street]`.
pub type DealtBuckets = [[u32; 4]; 2];

impl Buckets {
    /// Makes the buckets of a recipe, on all threads: a second or two for
    /// percentiles and nested percentiles, seconds for features, a minute or two for some hundred
    /// clusters on each of two streets. `progress` is called from the calling thread.
    ///
    /// # Errors
    /// When a street has fewer hands than buckets were asked for, or features are too fine.
    pub fn make(
        recipe: &BucketRecipe,
        mut progress: impl FnMut(Progress),
    ) -> Result<Buckets, BucketsError> {
        let mut make = |street: Street| Rule::make(street, recipe.kind(street), &mut progress);
        let [preflop, flop, turn, river] = Street::ALL;
        let rules = [make(preflop)?, make(flop)?, make(turn)?, make(river)?];
        Ok(Buckets::of(*recipe, rules))
    }

    fn of(recipe: BucketRecipe, rules: [Rule; 4]) -> Buckets {
        let mut text = Sha256::new();
        text.update(format!("cardroom buckets {VERSION}\n{recipe}\n"));
        rules.iter().for_each(|rule| text.update(rule.to_bytes()));
        let hash = text.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Buckets { recipe, rules, hash, tables: OnceLock::new() }
    }

    /// The recipe of these buckets.
    pub fn recipe(&self) -> &BucketRecipe {
        &self.recipe
    }

    /// SHA-256 over the version, the recipe and all that decides a hand's bucket, in hexadecimal
    /// digits.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The number of buckets of a street.
    pub fn count(&self, street: Street) -> u32 {
        self.rules[street.index()].count()
    }

    /// Builds the tables of the buckets of every hand on every board: some ten seconds of a
    /// processor for percentiles, 52 MB; as long as 260,000 deals without them. Does nothing the
    /// second time.
    pub fn tabulate(&self, mut progress: impl FnMut(Progress)) {
        if self.tables.get().is_none() {
            // If two calls build them, they are the same.
            let _ = self.tables.set(Tables::new(&self.rules, &mut progress));
        }
    }

    /// Builds now the tables that the first look-up on each street would build.
    pub fn warm_up(&self) {
        let mut cards = CardSet::FULL.iter();
        let (Some(one), Some(other)) = (cards.next(), cards.next()) else { return };
        let Some(hole) = Combo::new(one, other) else { return };
        let board: CardSet = cards.by_ref().take(3).collect();
        let boards = [Some(board), cards.next().map(|turn| board | CardSet::of(turn))];
        for board in boards.into_iter().flatten() {
            // The hand shares no card with the board, so it has a bucket.
            let _ = self.of_combo(hole, board);
        }
    }

    /// The bucket of a hand on a board of 0, 3, 4 or 5 cards, below the street's count.
    ///
    /// Without [tables](Buckets::tabulate) the first call after the flop builds the river table
    /// (0.2 s); each then takes up to 10 µs.
    ///
    /// # Errors
    /// When these are not the cards of a hold'em hand.
    pub fn bucket(&self, hole: HoleCards, board: &Board) -> Result<u32, BucketsError> {
        let &[a, b] = hole.as_slice() else { return Err(BucketsError::Hole) };
        self.of_combo(Combo::new(a, b).ok_or(BucketsError::Hole)?, board.set())
    }

    /// The same as [`Buckets::bucket`], for a combo and a set of board cards.
    ///
    /// # Errors
    /// When the board's number of cards is not 0, 3, 4 or 5, or it shares a card with the hand.
    pub fn of_combo(&self, hole: Combo, board: CardSet) -> Result<u32, BucketsError> {
        let street = street_of(board)?;
        if let Some(card) = (hole.set() & board).iter().next() {
            return Err(WinRateError::Shared(card).into());
        }
        if let Some(bucket) = self.tables.get().and_then(|tables| tables.get(hole, board)) {
            return Ok(bucket);
        }
        Ok(self.rules[street.index()].bucket(hole, board, &mut Outlook::default())?)
    }

    /// The buckets of all hands on a board of 0, 3, 4 or 5 cards, indexed by combo number; 0 for
    /// hands that share a card with it. A millisecond on the flop, less later; several times that
    /// for hands without an outlook.
    ///
    /// # Errors
    /// When the board's number of cards is not 0, 3, 4 or 5.
    pub fn on_board(&self, board: CardSet) -> Result<Box<[u16]>, BucketsError> {
        let rule = &self.rules[street_of(board)?.index()];
        let mut buckets = vec![0; Combo::COUNT].into_boxed_slice();
        if !board.is_empty() && rule.by_outlook() {
            let class = rule.class(board);
            RiverTable::shared(Ties::Half).each_hand(board, |combo, outlook| {
                buckets[combo.index()] = rule.bucket_of(class, outlook) as u16;
            })?;
            return Ok(buckets);
        }
        let strengths = matches!(rule, Rule::Category).then(|| OnBoard::new(board));
        for combo in Combo::all().filter(|combo| !combo.set().intersects(board)) {
            buckets[combo.index()] = match &strengths {
                Some(strengths) => {
                    let [high, low] = combo.cards();
                    strengths.rank(high, low).category() as u16
                }
                None => self.of_combo(combo, board)? as u16,
            };
        }
        Ok(buckets)
    }

    /// The buckets of both hands of each deal on all streets. The cards of a deal must all be
    /// different, otherwise its buckets are arbitrary.
    ///
    /// With [tables](Buckets::tabulate) some 200 ns a deal when there are many, most of it memory
    /// latency, which several deals overlap. Without them some 40 µs.
    pub fn deal(&self, deals: &[DealtCards], mut each: impl FnMut(usize, DealtBuckets)) {
        const BATCH_SIZE: usize = 16;
        let Some(tables) = self.tables.get() else {
            let mut last = None;
            for (number, cards) in deals.iter().enumerate() {
                let buckets = self.deal_without_tables(cards, last);
                each(number, buckets);
                last = Some((cards, buckets));
            }
            return;
        };
        for (chunk, deals) in deals.chunks(BATCH_SIZE).enumerate() {
            let mut found: ArrayVec<Found, BATCH_SIZE> = ArrayVec::new();
            found.extend(deals.iter().map(|cards| tables.find(cards.holes, &cards.board)));
            for (at, found) in found.iter().enumerate() {
                each(BATCH_SIZE * chunk + at, tables.read(&self.rules, found));
            }
        }
    }

    /// The buckets of a deal. Deals in a row often share hands and flops, so the last one's are
    /// reused.
    fn deal_without_tables(
        &self,
        cards: &DealtCards,
        last: Option<(&DealtCards, DealtBuckets)>,
    ) -> DealtBuckets {
        std::array::from_fn(|seat| {
            let hole = cards.holes[seat];
            std::array::from_fn(|street| {
                let board = &cards.board[..[0, 3, 4, 5][street]];
                match last {
                    Some((last, buckets))
                        if last.holes[seat] == hole && last.board.starts_with(board) =>
                    {
                        buckets[seat][street]
                    }
                    _ => self.of_combo(hole, board.iter().copied().collect()).unwrap_or_default(),
                }
            })
        })
    }
}

/// The street of a board, by its number of cards.
fn street_of(board: CardSet) -> Result<Street, WinRateError> {
    match board.len() {
        0 => Ok(Street::Preflop),
        3 => Ok(Street::Flop),
        4 => Ok(Street::Turn),
        5 => Ok(Street::River),
        found => Err(WinRateError::Board { found, wanted: "none, three, four or five" }),
    }
}
