//! All hands on one river board, sorted by strength, and their showdown results against a uniform
//! opponent or a range.

use crate::river::classes::{Classes, Counts};
use crate::river::{COLUMNS, FLUSH_HANDS};
use crate::{Card, CardSet, Combo, HandRank, RiverBoard, Ties, WinRate, WinRateError};

/// Number of hands that can be held on a board of five cards.
const HANDS: usize = 1081;

/// All hands on one river board, sorted by strength.
///
/// Made once for a board, it weighs every hand against any range in time proportional to the number
/// of hands. It is a workspace: [`Showdown::deal`] takes another board without allocating.
pub struct Showdown {
    board: CardSet,
    classes: Classes,
    /// The column (hand class) of each combo; `counts` has each column's result against a uniform
    /// opponent.
    columns: &'static [u16; Combo::COUNT],
    counts: [Counts; FLUSH_HANDS],
    /// The hands, the weakest first.
    hands: [Hand; HANDS],
    /// End position of each group of equally strong hands.
    ends: Vec<u16>,
}

#[derive(Clone, Copy, Default)]
struct Hand {
    combo: u16,
    cards: [u8; 2],
}

/// Result of a hand against an opponent's range, in sums of the range's weights.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ShowdownSums {
    /// Weight of the hands that it beats.
    pub wins: f64,
    /// Weight of the hands that it ties with.
    pub ties: f64,
    /// Weight of all hands that the opponent can have. Exactly zero, with `wins` and `ties`, when
    /// no hand with a weight is left after card removal.
    pub total: f64,
}

impl ShowdownSums {
    /// Weight of the hands that beat it.
    pub fn losses(self) -> f64 {
        self.total - self.wins - self.ties
    }

    /// The win-rate from 0 to 1, or `None` when the range is empty after card removal.
    pub fn win_rate(self, ties: Ties) -> Option<f64> {
        let won = match ties {
            Ties::Half => self.wins + 0.5 * self.ties,
            Ties::WinOnly => self.wins,
        };
        (self.total > 0.0).then(|| won / self.total)
    }
}

impl Showdown {
    /// The sorted hands of a board.
    ///
    /// # Errors
    /// When the board has not five cards.
    pub fn new(board: CardSet) -> Result<Showdown, WinRateError> {
        let mut showdown = Showdown {
            board,
            classes: Classes::new(),
            columns: &COLUMNS[0],
            counts: [Counts::default(); FLUSH_HANDS],
            hands: [Hand::default(); HANDS],
            ends: Vec::with_capacity(HANDS),
        };
        showdown.deal(board)?;
        Ok(showdown)
    }

    /// Takes another board, without allocating.
    ///
    /// # Errors
    /// When the board has not five cards; the old board stays.
    pub fn deal(&mut self, board: CardSet) -> Result<(), WinRateError> {
        self.columns = RiverBoard::new(board)?.columns();
        self.board = board;
        self.classes.deal(board);
        let counts = &mut self.counts;
        self.classes.for_each_class(|column, of_column| counts[column] = of_column);
        self.sort_hands();
        Ok(())
    }

    /// Sorts the hands by class with a counting sort.
    fn sort_hands(&mut self) {
        let mut next = [0; FLUSH_HANDS];
        let mut end = 0;
        self.ends.clear();
        for group in self.classes.groups() {
            for class in group {
                next[class.column()] = end;
                end += self.classes.hands(class.column());
            }
            self.ends.push(end);
        }
        for combo in Combo::all() {
            if !combo.set().intersects(self.board) {
                let slot = &mut next[self.columns[combo.index()] as usize];
                self.hands[*slot as usize] =
                    Hand { combo: combo.index() as u16, cards: combo.cards().map(Card::index) };
                *slot += 1;
            }
        }
    }

    /// The board.
    pub fn board(&self) -> CardSet {
        self.board
    }

    /// The strength of a hand, or `None` when it shares a card with the board.
    pub fn strength(&self, hole: Combo) -> Option<HandRank> {
        let column = self.columns[hole.index()] as usize;
        (!hole.set().intersects(self.board)).then(|| self.classes.strength(column))
    }

    /// The hands from the weakest to the strongest in groups of equal strength.
    pub fn groups(&self) -> impl Iterator<Item = impl Iterator<Item = Combo> + '_> + '_ {
        self.hand_groups().map(|group| {
            group.iter().map(|hand| {
                Combo::from_index(hand.combo as usize).expect("hands are made from combos")
            })
        })
    }

    fn hand_groups(&self) -> impl Iterator<Item = &[Hand]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.hands[start as usize..end as usize])
    }

    /// Wins and ties of a hand against a uniform opponent, out of 990; `None` when it shares a card
    /// with the board.
    #[inline]
    pub fn win_rate(&self, hole: Combo) -> Option<WinRate> {
        if hole.set().intersects(self.board) {
            return None;
        }
        let Counts { wins, ties } = self.counts[self.columns[hole.index()] as usize];
        Some(WinRate { wins: u64::from(wins), ties: u64::from(ties), total: 990 })
    }

    /// The result of every hand against a range that gives each combo a weight (0 or more). Combos
    /// on the board are ignored in the range and get an empty result.
    ///
    /// Sums are in double precision: exact for weights that are whole numbers or few binary digits,
    /// else within some 1e-13 of the range's weight.
    pub fn sums_against<W: Copy + Into<f64>>(
        &self,
        range: &[W; Combo::COUNT],
        sums: &mut [ShowdownSums; Combo::COUNT],
    ) {
        sums.fill(ShowdownSums::default());
        let all = self.weigh(range);
        let mut passed = Weights::default();
        for group in self.hand_groups() {
            for hand in group {
                sums[hand.combo as usize].wins = passed.without(hand.cards);
            }
            for hand in group {
                passed.add(hand.cards, range[hand.combo as usize].into());
            }
            for hand in group {
                let own = range[hand.combo as usize].into();
                let total = all.total(hand.cards, own);
                let entry = &mut sums[hand.combo as usize];
                if total == 0.0 {
                    entry.wins = 0.0;
                    continue;
                }
                let not_stronger = passed.without(hand.cards) + own;
                entry.wins = entry.wins.clamp(0.0, total);
                entry.ties = (not_stronger - entry.wins).clamp(0.0, total - entry.wins);
                entry.total = total;
            }
        }
    }

    /// For every hand, the range weight that it beats minus the range weight that beats it: its
    /// showdown value in units of half the pot. 0 for combos on the board.
    pub fn margins<W: Copy + Into<f64>>(
        &self,
        range: &[W; Combo::COUNT],
        margins: &mut [f64; Combo::COUNT],
    ) {
        margins.fill(0.0);
        let mut all = Weights::default();
        for hand in &self.hands {
            all.add(hand.cards, range[hand.combo as usize].into());
        }
        let mut passed = Weights::default();
        for group in self.hand_groups() {
            for hand in group {
                margins[hand.combo as usize] = passed.without(hand.cards);
            }
            for hand in group {
                passed.add(hand.cards, range[hand.combo as usize].into());
            }
            for hand in group {
                let stronger = all.without(hand.cards) - passed.without(hand.cards);
                margins[hand.combo as usize] -= stronger;
            }
        }
    }

    /// The range's total weight and its weight by card, with the counts of hands that have one.
    fn weigh<W: Copy + Into<f64>>(&self, range: &[W; Combo::COUNT]) -> RangeWeights {
        let mut all = RangeWeights::default();
        for hand in &self.hands {
            let weight = range[hand.combo as usize].into();
            let counts = u16::from(weight > 0.0);
            all.sums.add(hand.cards, weight);
            all.hands += counts;
            hand.cards.iter().for_each(|&card| all.holding[card as usize] += counts);
        }
        all
    }
}

/// Sums of hands' weights: of all added so far, and by card held.
struct Weights {
    sum: f64,
    holding: [f64; 52],
}

impl Default for Weights {
    fn default() -> Self {
        Weights { sum: 0.0, holding: [0.0; 52] }
    }
}

impl Weights {
    #[inline]
    fn add(&mut self, cards: [u8; 2], weight: f64) {
        self.sum += weight;
        self.holding[cards[0] as usize] += weight;
        self.holding[cards[1] as usize] += weight;
    }

    /// The weight of hands that share no card with this hand, if the hand itself has not been
    /// added.
    #[inline]
    fn without(&self, cards: [u8; 2]) -> f64 {
        self.sum - self.holding[cards[0] as usize] - self.holding[cards[1] as usize]
    }
}

/// The weight sums of a range, with the number of hands of positive weight: rounding errors in the
/// sums could not tell an empty range from a small one.
struct RangeWeights {
    sums: Weights,
    hands: u16,
    holding: [u16; 52],
}

impl Default for RangeWeights {
    fn default() -> Self {
        RangeWeights { sums: Weights::default(), hands: 0, holding: [0; 52] }
    }
}

impl RangeWeights {
    /// The weight of hands that share no card with a hand, whose own weight `own` is included in
    /// the sums.
    #[inline]
    fn total(&self, cards: [u8; 2], own: f64) -> f64 {
        let [a, b] = cards.map(|card| self.holding[card as usize]);
        // The hand itself was subtracted twice.
        if self.hands + u16::from(own > 0.0) == a + b {
            return 0.0;
        }
        self.sums.without(cards) + own
    }
}
