//! Enumeration of all boards that continue a given one, once for each suit-isomorphism class.

use std::collections::HashMap;

use abstraction::buckets::Buckets;
use cards::{Board, Card, CardSet, Combo, Range};
use game::Street;

use super::count::Counter;
use super::pair_counts::PairCounts;
use super::{ExactError, MAX_PATHS};
use crate::subgame::symmetry::{Renaming, card_classes};

impl PairCounts {
    /// Counts all deals that continue a board of three, four or five cards, on the calling thread.
    /// Turn and river are ordered: swapping them is another deal. Takes some 50 ms for a flop and
    /// nine buckets a street.
    ///
    /// # Errors
    /// When the board is not valid, or there are too many paths.
    pub fn on(buckets: &Buckets, board: &Board) -> Result<PairCounts, ExactError> {
        check(buckets)?;
        if !(3..=5).contains(&board.len()) || board.set().len() as usize != board.len() {
            return Err(ExactError::Board(*board));
        }
        let flop: CardSet = board[..3].iter().copied().collect();
        let uniform = Range::uniform();
        let symmetries = Renaming::symmetries(flop, [&uniform; 2]);
        let mut walk = Walk {
            buckets,
            before_flop: on(buckets, CardSet::EMPTY),
            on_flop: on(buckets, flop),
            counter: Counter::default(),
            pair_counts: PairCounts::default(),
        };
        for turn in next(flop, &symmetries, board.get(3)) {
            walk.turn(board, flop, &turn, board.get(4))?;
        }
        Ok(walk.pair_counts)
    }
}

/// Checks that no street has too many buckets.
///
/// # Errors
/// [`ExactError::Buckets`].
pub fn check(buckets: &Buckets) -> Result<(), ExactError> {
    for street in Street::ALL {
        let found = buckets.count(street) as usize;
        if found > MAX_PATHS {
            return Err(ExactError::Buckets { street, found });
        }
    }
    Ok(())
}

/// The state of counting the boards after one flop.
struct Walk<'a> {
    buckets: &'a Buckets,
    before_flop: Box<[u16]>,
    on_flop: Box<[u16]>,
    counter: Counter,
    pair_counts: PairCounts,
}

impl Walk<'_> {
    /// Counts one turn with its rivers. `board` is the board where the enumeration began.
    fn turn(
        &mut self,
        board: &Board,
        flop: CardSet,
        turn: &Next,
        river: Option<&Card>,
    ) -> Result<(), ExactError> {
        let dealt = flop.with(turn.card);
        let (hands, prefixes) = self.hands(dealt);
        // The river path numbers by turn prefix and river bucket.
        let count = self.buckets.count(Street::River) as usize;
        let mut known = vec![u32::MAX; prefixes.len() * count];
        for river in next(dealt, &turn.symmetries, river) {
            let dealt = dealt.with(river.card);
            let on_river = on(self.buckets, dealt);
            self.counter.deal(dealt);
            for &(hand, prefix) in &hands {
                if hand.set().contains(river.card) {
                    continue;
                }
                let bucket = on_river[hand.index()];
                let path = &mut known[prefix * count + usize::from(bucket)];
                if *path == u32::MAX {
                    let [before, on_flop, on_turn] = prefixes[prefix];
                    *path = self.pair_counts.number([before, on_flop, on_turn, bucket]);
                }
                self.counter.add(hand, *path);
            }
            self.pair_counts.check(board)?;
            self.pair_counts.add_board(&self.counter.count(), turn.times * river.times);
        }
        Ok(())
    }

    /// The hands on a turn, each with the index of its buckets so far; and the list of these bucket
    /// prefixes.
    fn hands(&self, dealt: CardSet) -> (Vec<(Combo, usize)>, Vec<[u16; 3]>) {
        let on_turn = on(self.buckets, dealt);
        let mut prefixes = Vec::new();
        let mut indices = HashMap::new();
        let free = Combo::all().filter(|hand| !hand.set().intersects(dealt));
        let hands = free.map(|hand| {
            let at = hand.index();
            let prefix = [self.before_flop[at], self.on_flop[at], on_turn[at]];
            let index = *indices.entry(prefix).or_insert_with(|| {
                prefixes.push(prefix);
                prefixes.len() - 1
            });
            (hand, index)
        });
        (hands.collect(), prefixes)
    }
}

/// The bucket of every hand on a board of the game.
fn on(buckets: &Buckets, board: CardSet) -> Box<[u16]> {
    buckets.on_board(board).expect("boards have as many cards as a street")
}

/// A class of next cards.
pub(crate) struct Next {
    pub(crate) card: Card,
    /// Number of cards in the class.
    pub(crate) times: u64,
    /// The suit permutations that leave everything unchanged after the card.
    pub(crate) symmetries: Vec<Renaming>,
}

/// The classes of next cards, or the given one.
pub(crate) fn next(board: CardSet, symmetries: &[Renaming], given: Option<&Card>) -> Vec<Next> {
    if let Some(&card) = given {
        let keep = symmetries.iter().copied().filter(|renaming| renaming.card(card) == card);
        return vec![Next { card, times: 1, symmetries: keep.collect() }];
    }
    let all = card_classes(CardSet::FULL, board, symmetries).into_iter().map(|card_classes| Next {
        card: card_classes.cards[0].0,
        times: card_classes.cards.len() as u64,
        symmetries: card_classes.symmetries,
    });
    all.collect()
}
