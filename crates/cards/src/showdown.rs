//! All hands on one river board, sorted by strength, and their showdown results against a uniform
//! opponent or a range.

use crate::equity::{COLUMNS, Classes, Counts, FLUSH_HANDS, each_completion};
use crate::{Card, CardSet, Combo, Equity, Error, HandRank, RiverBoard, Ties};

/// Number of hands that can be held on a board of five cards.
const HANDS: usize = 1081;

/// The first combo, which stands where no board has been dealt.
const DEUCES: Combo = Combo::from_index(0).expect("0 is a combo");

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

#[derive(Clone, Copy)]
struct Hand {
    combo: u16,
    cards: [Card; 2],
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

    /// The equity from 0 to 1, or `None` when the range is empty after card removal.
    pub fn equity(self, ties: Ties) -> Option<f64> {
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
    pub fn new(board: CardSet) -> Result<Showdown, Error> {
        let mut showdown = Showdown {
            board,
            classes: Classes::new(),
            columns: &COLUMNS[0],
            counts: [Counts::default(); FLUSH_HANDS],
            hands: [Hand { combo: 0, cards: DEUCES.cards() }; HANDS],
            ends: Vec::with_capacity(HANDS),
        };
        showdown.deal(board)?;
        Ok(showdown)
    }

    /// Takes another board, without allocating.
    ///
    /// # Errors
    /// When the board has not five cards; the old board stays.
    pub fn deal(&mut self, board: CardSet) -> Result<(), Error> {
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
                    Hand { combo: combo.index() as u16, cards: combo.cards() };
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
    pub fn equity(&self, hole: Combo) -> Option<Equity> {
        if hole.set().intersects(self.board) {
            return None;
        }
        let Counts { wins, ties } = self.counts[self.columns[hole.index()] as usize];
        Some(Equity { wins: u64::from(wins), ties: u64::from(ties), total: 990 })
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
        let mut passed = CardWeights::default();
        for group in self.hand_groups() {
            for hand in group {
                sums[hand.combo as usize].wins = passed.unblocked(hand.cards);
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
                let not_stronger = passed.unblocked(hand.cards) + own;
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
        let mut all = CardWeights::default();
        for hand in &self.hands {
            all.add(hand.cards, range[hand.combo as usize].into());
        }
        let mut passed = CardWeights::default();
        for group in self.hand_groups() {
            for hand in group {
                margins[hand.combo as usize] = passed.unblocked(hand.cards);
            }
            for hand in group {
                passed.add(hand.cards, range[hand.combo as usize].into());
            }
            for hand in group {
                let stronger = all.unblocked(hand.cards) - passed.unblocked(hand.cards);
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
            hand.cards.iter().for_each(|&card| all.holding[usize::from(card.index())] += counts);
        }
        all
    }
}

/// A number for each combo.
type ByCombo = Box<[f64; Combo::COUNT]>;

/// The weight of hands in all and by card held: what is left of a range for an opponent whose own
/// cards none of its hands can hold.
#[derive(Debug, Clone, PartialEq)]
pub struct CardWeights {
    sum: f64,
    holding: [f64; Card::COUNT as usize],
}

impl Default for CardWeights {
    fn default() -> Self {
        CardWeights { sum: 0.0, holding: [0.0; Card::COUNT as usize] }
    }
}

impl CardWeights {
    /// Adds a hand.
    #[inline]
    pub fn add(&mut self, cards: [Card; 2], weight: f64) {
        self.sum += weight;
        self.holding[usize::from(cards[0].index())] += weight;
        self.holding[usize::from(cards[1].index())] += weight;
    }

    /// The weight of all hands.
    pub fn total(&self) -> f64 {
        self.sum
    }

    /// The weight of the hands that share no card with this hand, if the hand itself has not been
    /// added; where it has, its own weight is missing, for it was subtracted twice.
    ///
    /// A difference of sums: rounding may leave a little more or less than zero where no hand is
    /// left.
    #[inline]
    pub fn unblocked(&self, cards: [Card; 2]) -> f64 {
        self.sum
            - self.holding[usize::from(cards[0].index())]
            - self.holding[usize::from(cards[1].index())]
    }
}

/// For each combo the weight of a range's hands that share no card with it.
pub fn unblocked(range: &[f64; Combo::COUNT]) -> ByCombo {
    let mut all = CardWeights::default();
    Combo::all().zip(range).for_each(|(combo, &weight)| all.add(combo.cards(), weight));
    let mut left = Box::new([0.0; Combo::COUNT]);
    for (combo, &own) in Combo::all().zip(range) {
        left[combo.index()] = all.unblocked(combo.cards()) + own;
    }
    left
}

/// The weight sums of a range, with the number of hands of positive weight: rounding errors in the
/// sums could not tell an empty range from a small one.
struct RangeWeights {
    sums: CardWeights,
    hands: u16,
    holding: [u16; Card::COUNT as usize],
}

impl Default for RangeWeights {
    fn default() -> Self {
        RangeWeights { sums: CardWeights::default(), hands: 0, holding: [0; Card::COUNT as usize] }
    }
}

impl RangeWeights {
    /// The weight of hands that share no card with a hand, whose own weight `own` is included in
    /// the sums.
    #[inline]
    fn total(&self, cards: [Card; 2], own: f64) -> f64 {
        let [a, b] = cards.map(|card| self.holding[usize::from(card.index())]);
        // The hand itself was subtracted twice.
        if self.hands + u16::from(own > 0.0) == a + b {
            return 0.0;
        }
        self.sums.unblocked(cards) + own
    }
}

/// For each of the ranges and each combo: the weight that the combo beats less the weight that
/// beats it, as a mean over the complete boards that both hands leave. 0 for combos on the board.
///
/// Each complete board is one [`Showdown`]: 48 after the turn, 1,176 after the flop, 2,598,960
/// before it.
///
/// # Errors
/// When the board has more than five cards.
pub fn range_margins(
    board: CardSet,
    ranges: &[&[f64; Combo::COUNT]],
) -> Result<Vec<ByCombo>, Error> {
    let boards = complete_boards(board);
    let mut showdown = Showdown::new(boards[0])?;
    let mut sums: Vec<ByCombo> = ranges.iter().map(|_| Box::new([0.0; Combo::COUNT])).collect();
    let mut of_board = Box::new([0.0; Combo::COUNT]);
    for &board in &boards {
        showdown.deal(board)?;
        for (range, sums) in ranges.iter().zip(&mut sums) {
            showdown.margins(range, &mut of_board);
            sums.iter_mut().zip(&*of_board).for_each(|(sum, margin)| *sum += margin);
        }
    }
    // The ways to draw the cards to come from those that the board and two hands leave.
    let free = f64::from(Card::COUNT) - f64::from(board.len()) - 4.0;
    let to_come = (0..5_u32.saturating_sub(board.len())).map(f64::from);
    let ways: f64 = to_come.map(|drawn| (free - drawn) / (drawn + 1.0)).product();
    sums.iter_mut().flat_map(|sums| sums.iter_mut()).for_each(|sum| *sum /= ways);
    Ok(sums)
}

/// All complete boards that begin with these cards.
pub(crate) fn complete_boards(board: CardSet) -> Vec<CardSet> {
    let deck: Vec<Card> = Card::all().filter(|&card| !board.contains(card)).collect();
    let mut boards = Vec::new();
    each_completion(board, &deck, &mut |board| boards.push(board));
    boards
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weight_left_by_a_hand_is_that_of_the_hands_without_its_cards() {
        let range: [f64; Combo::COUNT] = std::array::from_fn(|at| (at * at % 7) as f64);
        let left = unblocked(&range);
        for combo in Combo::all() {
            let others = Combo::all().filter(|other| !other.set().intersects(combo.set()));
            let sum: f64 = others.map(|other| range[other.index()]).sum();
            assert_eq!(left[combo.index()], sum, "{combo}");
        }
    }
}
