//! The boards of a subgame, and the hands that each player can hold on each.
//!
//! Hands are numbered per board and player. Only hands with a weight in the range and no card on
//! the board are numbered; on the river they are sorted by strength, weakest first. All arrays with
//! one entry per hand use this order.

use cards::{Card, CardSet, Combo, HandRank, OnBoard, Range, SuitPermutation};
use game::GameDef;

use super::rows::WIDTH;
use crate::holdem::suits::{CardClass, card_classes, symmetries};

/// All boards of a subgame. Board 0 is the one it starts on.
#[derive(Debug)]
pub(crate) struct Boards {
    pub(crate) all: Vec<Board>,
}

/// A board and the hands possible on it.
#[derive(Debug)]
pub(crate) struct Board {
    pub(crate) cards: CardSet,
    pub(crate) hands: [Hands; 2],
    /// On the river: for each group of equally strong hands, weakest group first, the index of each
    /// player's first hand after the group.
    pub(crate) groups: Vec<[u16; 2]>,
    /// Before the river: the cards that can be dealt next.
    pub(crate) next: Vec<Next>,
    /// Before the river: the probability of each next card that neither player holds.
    pub(crate) chance: f64,
}

/// The hands that a player can hold on a board.
#[derive(Debug, Default)]
pub(crate) struct Hands {
    /// Combo indices.
    pub(crate) combos: Vec<u16>,
    /// Card indices of each hand.
    pub(crate) cards: Vec<[u8; 2]>,
    /// For each hand, the index of the same combo among the other player's hands; the number of
    /// those hands if it is not among them.
    pub(crate) twins: Vec<u16>,
}

/// A class of next cards that lead to the same game up to suit renaming.
#[derive(Debug)]
pub(crate) struct Next {
    /// Index of the board with the first of these cards.
    pub(crate) board: usize,
    pub(crate) cards: Vec<Deal>,
}

/// One card of a [`Next`].
#[derive(Debug)]
pub(crate) struct Deal {
    pub(crate) card: Card,
    /// Permutation from the suits of the first card's board to those of this one's.
    pub(crate) renaming: SuitPermutation,
    /// For each player and hand on the new board, the index that the renamed hand had on the
    /// previous board.
    pub(crate) before: [Vec<u16>; 2],
}

/// The input of [`Boards::new`].
pub(crate) struct Table<'a> {
    pub(crate) def: &'a GameDef,
    pub(crate) board: CardSet,
    pub(crate) ranges: [&'a Range; 2],
    /// Whether to merge boards that differ only in suit names.
    pub(crate) symmetric: bool,
}

/// Counts of the boards and hands of a subgame.
#[derive(Debug, Default, Clone)]
pub(crate) struct Census {
    /// Number of boards on each street, counted from the first.
    pub(crate) boards: [u64; 3],
    /// Hands of each player, summed over the boards of each street.
    pub(crate) hands: [[u64; 2]; 3],
    /// The same for row lengths, which include padding.
    pub(crate) numbers: [[u64; 2]; 3],
    /// Length of the longest row on each street.
    pub(crate) longest: [usize; 3],
    /// Bytes of the boards themselves.
    pub(crate) bytes: u64,
}

impl Table<'_> {
    fn deck(&self) -> CardSet {
        self.def.deck().into_iter().collect()
    }

    fn symmetries(&self) -> Vec<SuitPermutation> {
        if self.symmetric && self.def.suits == 4 {
            symmetries(self.board, self.ranges)
        } else {
            vec![SuitPermutation::IDENTITY]
        }
    }

    /// Computes the census of what [`Boards::new`] would build, without building it.
    pub(crate) fn census(&self) -> Census {
        let deck = self.deck();
        let weighed = self.ranges.map(|range| {
            let combos = range.combos().map(|(combo, _)| combo.set());
            combos.filter(|&set| (set - deck).is_empty()).collect::<Vec<_>>()
        });
        let mut census = Census::default();
        let mut waiting = vec![(self.board, self.symmetries(), 1)];
        while let Some((board, symmetries, cards)) = waiting.pop() {
            let street = (board.len() - self.board.len()) as usize;
            for (player, combos) in weighed.iter().enumerate() {
                let hands = combos.iter().filter(|set| !set.intersects(board)).count();
                census.hands[street][player] += hands as u64;
                let row = hands.next_multiple_of(WIDTH);
                census.numbers[street][player] += row as u64;
                census.longest[street] = census.longest[street].max(row);
                census.bytes += (hands * (6 + 2 * cards)) as u64;
            }
            census.boards[street] += 1;
            census.bytes += size_of::<Board>() as u64;
            if board.len() < 5 {
                let next = card_classes(deck, board, &symmetries).into_iter().map(|card_classes| {
                    (
                        board.with(card_classes.cards[0].0),
                        card_classes.symmetries,
                        card_classes.cards.len(),
                    )
                });
                waiting.extend(next);
            }
        }
        census
    }
}

impl Boards {
    /// Builds the starting board and all boards that can follow it.
    pub(crate) fn new(table: &Table<'_>) -> Boards {
        let deck = table.deck();
        let mut boards = Boards { all: vec![Board::new(table.board, table.ranges, deck)] };
        boards.extend(0, &table.symmetries(), table, deck);
        boards
    }

    /// Adds the boards that can follow board `at`.
    fn extend(
        &mut self,
        at: usize,
        symmetries: &[SuitPermutation],
        table: &Table<'_>,
        deck: CardSet,
    ) {
        let before = self.all[at].cards;
        if before.len() == 5 {
            return;
        }
        for CardClass { cards, symmetries } in card_classes(deck, before, symmetries) {
            let board = Board::new(before.with(cards[0].0), table.ranges, deck);
            let next = Next {
                board: self.all.len(),
                cards: cards
                    .into_iter()
                    .map(|(card, renaming)| Deal {
                        card,
                        renaming,
                        before: [0, 1].map(|player| {
                            self.all[at].hands[player].numbers(&board.hands[player], renaming)
                        }),
                    })
                    .collect(),
            };
            let number = next.board;
            self.all[at].next.push(next);
            self.all.push(board);
            self.extend(number, &symmetries, table, deck);
        }
    }
}

impl Board {
    fn new(cards: CardSet, ranges: [&Range; 2], deck: CardSet) -> Board {
        let mut hands = ranges.map(|range| Hands::new(range, cards, deck));
        let groups = match cards.len() {
            5 => sort(&mut hands, cards),
            _ => Vec::new(),
        };
        let [first, second] = &mut hands;
        first.pair(second);
        second.pair(first);
        // The two hole cards of each player cannot be dealt.
        let left = (deck.len() - cards.len()).saturating_sub(4);
        Board { cards, hands, groups, next: Vec::new(), chance: 1.0 / f64::from(left.max(1)) }
    }
}

impl Hands {
    fn new(range: &Range, board: CardSet, deck: CardSet) -> Hands {
        let left = deck - board;
        let combos = range.combos().filter(|(combo, _)| (combo.set() - left).is_empty());
        let combos = combos.map(|(combo, _)| combo.index() as u16).collect();
        let mut hands = Hands { combos, ..Hands::default() };
        hands.cards = hands.all().map(|combo| combo.cards().map(Card::index)).collect();
        hands
    }

    /// Number of hands.
    pub(crate) fn len(&self) -> usize {
        self.combos.len()
    }

    /// Length of a row with a number for each hand, including padding: see [`rows`](super::rows).
    pub(crate) fn row(&self) -> usize {
        self.len().next_multiple_of(WIDTH)
    }

    /// The combos of the hands, in order.
    pub(crate) fn all(&self) -> impl ExactSizeIterator<Item = Combo> {
        self.combos.iter().map(|&combo| {
            Combo::from_index(combo.into()).expect("hands are numbered by their combos")
        })
    }

    /// The index of each combo; the number of hands for combos not held.
    fn positions(&self) -> [u16; Combo::COUNT] {
        let mut positions = [self.combos.len() as u16; Combo::COUNT];
        for (position, &combo) in (0..).zip(&self.combos) {
            positions[combo as usize] = position;
        }
        positions
    }

    /// The index of a combo, if it is held.
    pub(crate) fn position(&self, combo: Combo) -> Option<usize> {
        self.combos.iter().position(|&held| usize::from(held) == combo.index())
    }

    fn pair(&mut self, other: &Hands) {
        let positions = other.positions();
        self.twins = self.combos.iter().map(|&combo| positions[combo as usize]).collect();
    }

    /// The index here of each hand of another board, renamed.
    fn numbers(&self, later: &Hands, renaming: SuitPermutation) -> Vec<u16> {
        let positions = self.positions();
        later.all().map(|combo| positions[renaming.combo(combo).index()]).collect()
    }
}

/// A permutation of combo indices that separates combos with a common card, so that successive
/// additions to the sums per card do not depend on each other ([`Sums`](super::terminal::Sums)).
fn scattered(combo: u16) -> usize {
    // 821 is close to the golden section of the number of combos, and coprime to it.
    usize::from(combo) * 821 % Combo::COUNT
}

/// Sorts both players' hands by strength and returns the ends of the groups of equal strength.
fn sort(hands: &mut [Hands; 2], board: CardSet) -> Vec<[u16; 2]> {
    let on_board = OnBoard::new(board);
    let strengths: [Vec<HandRank>; 2] = hands.each_mut().map(|hands| {
        let strength = |combo: &Combo| {
            let [a, b] = combo.cards();
            on_board.rank(a, b)
        };
        let mut sorted: Vec<(HandRank, u16)> =
            hands.all().map(|combo| (strength(&combo), combo.index() as u16)).collect();
        sorted.sort_unstable_by_key(|&(strength, combo)| (strength, scattered(combo)));
        hands.combos = sorted.iter().map(|&(_, combo)| combo).collect();
        hands.cards = hands.all().map(|combo| combo.cards().map(Card::index)).collect();
        sorted.into_iter().map(|(strength, _)| strength).collect()
    });
    let mut groups = Vec::new();
    let mut ends = [0; 2];
    while let Some(weakest) =
        [0, 1].iter().filter_map(|&p: &usize| strengths[p].get(ends[p])).min().copied()
    {
        for player in 0..2 {
            let rest = &strengths[player][ends[player]..];
            ends[player] += rest.iter().take_while(|&&strength| strength == weakest).count();
        }
        groups.push(ends.map(|end| end as u16));
    }
    groups
}
