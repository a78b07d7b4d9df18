//! All boards that go on from one, those that differ by the names of suits looked at once.

use std::collections::HashMap;

use abstraction::buckets::Buckets;
use cards::{Board, Card, CardSet, Combo, Range};
use game::Street;

use super::count::Counter;
use super::pair_counts::PairCounts;
use super::{ExactError, MOST_PATHS};
use crate::subgame::symmetry::{Renaming, alike};

impl PairCounts {
    /// Counts all deals that go on from a board of three, four or five cards in the order of the
    /// deal, on the thread that calls. A turn and a river the other way round are another deal.
    /// Some 50 ms for a flop and nine buckets a street.
    ///
    /// # Errors
    /// When the board is none, or there are too many paths.
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

/// Refuses buckets of which there are too many to begin with.
///
/// # Errors
/// [`ExactError::Buckets`].
pub fn check(buckets: &Buckets) -> Result<(), ExactError> {
    for street in Street::ALL {
        let found = buckets.count(street) as usize;
        if found > MOST_PATHS {
            return Err(ExactError::Buckets { street, found });
        }
    }
    Ok(())
}

/// The boards after one flop.
struct Walk<'a> {
    buckets: &'a Buckets,
    before_flop: Box<[u16]>,
    on_flop: Box<[u16]>,
    counter: Counter,
    pair_counts: PairCounts,
}

impl Walk<'_> {
    /// One turn with its rivers. `board` is where the walk began.
    fn turn(
        &mut self,
        board: &Board,
        flop: CardSet,
        turn: &Next,
        river: Option<&Card>,
    ) -> Result<(), ExactError> {
        let dealt = flop.with(turn.card);
        let (hands, prefixes) = self.hands(dealt);
        // The numbers of paths by what came before the river and the bucket there.
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

    /// The hands on a turn, each with the place of its buckets so far in the list of all that there
    /// are.
    fn hands(&self, dealt: CardSet) -> (Vec<(Combo, usize)>, Vec<[u16; 3]>) {
        let on_turn = on(self.buckets, dealt);
        let mut prefixes = Vec::new();
        let mut places = HashMap::new();
        let free = Combo::all().filter(|hand| !hand.set().intersects(dealt));
        let hands = free.map(|hand| {
            let at = hand.index();
            let prefix = [self.before_flop[at], self.on_flop[at], on_turn[at]];
            let place = *places.entry(prefix).or_insert_with(|| {
                prefixes.push(prefix);
                prefixes.len() - 1
            });
            (hand, place)
        });
        (hands.collect(), prefixes)
    }
}

/// The bucket of every hand on a board of the game.
fn on(buckets: &Buckets, board: CardSet) -> Box<[u16]> {
    buckets.on_board(board).expect("boards have as many cards as a street")
}

/// A card that may come.
pub(crate) struct Next {
    pub(crate) card: Card,
    /// How many cards make the same.
    pub(crate) times: u64,
    /// The renamings that change nothing once it has come.
    pub(crate) symmetries: Vec<Renaming>,
}

/// The cards that may come, or the one that has come.
pub(crate) fn next(board: CardSet, symmetries: &[Renaming], given: Option<&Card>) -> Vec<Next> {
    if let Some(&card) = given {
        let keep = symmetries.iter().copied().filter(|renaming| renaming.card(card) == card);
        return vec![Next { card, times: 1, symmetries: keep.collect() }];
    }
    let all = alike(CardSet::FULL, board, symmetries).into_iter().map(|alike| Next {
        card: alike.cards[0].0,
        times: alike.cards.len() as u64,
        symmetries: alike.symmetries,
    });
    all.collect()
}
