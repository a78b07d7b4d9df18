//! The boards of a subgame, and which hands each player can hold on each.
//!
//! Hands are numbered per board and player: only those with a weight that the board leaves, on the
//! river the weakest first. Everything that is kept or computed for hands is in that order.

use cards::{Card, CardSet, Combo, HandRank, OnBoard, Range};
use game::GameDef;

use super::rows::WIDTH;
use super::symmetry::{Alike, Renaming, alike};

/// The boards that a subgame looks at; number 0 is the one it begins on.
#[derive(Debug)]
pub(super) struct Boards {
    pub(super) all: Vec<Board>,
}

/// One board.
#[derive(Debug)]
pub(super) struct Board {
    pub(super) cards: CardSet,
    pub(super) hands: [Hands; 2],
    /// On the river: where groups of equally strong hands end, for each player, the weakest group
    /// first.
    pub(super) groups: Vec<[u16; 2]>,
    /// Before the river: the cards that may come.
    pub(super) next: Vec<Next>,
    /// Before the river: the probability of each card that neither player holds.
    pub(super) chance: f64,
}

/// The hands that a player can hold on a board.
#[derive(Debug, Default)]
pub(super) struct Hands {
    /// The combos' numbers.
    pub(super) combos: Vec<u16>,
    /// The two cards' numbers.
    pub(super) cards: Vec<[u8; 2]>,
    /// Which hand of the other player is the same combo; as many as that one has hands, if none.
    pub(super) twins: Vec<u16>,
}

/// Cards that lead to the same game but for the names of suits.
#[derive(Debug)]
pub(super) struct Next {
    /// The number of the board with the first of them.
    pub(super) board: usize,
    pub(super) cards: Vec<Deal>,
}

/// One of the cards.
#[derive(Debug)]
pub(super) struct Deal {
    pub(super) card: Card,
    /// From the first card's suits to this one's.
    pub(super) renaming: Renaming,
    /// For each player's hands on the new board the number that the hand, renamed, had before.
    pub(super) before: [Vec<u16>; 2],
}

/// Where to begin, and what is known.
pub(super) struct Table<'a> {
    pub(super) def: &'a GameDef,
    pub(super) board: CardSet,
    pub(super) ranges: [&'a Range; 2],
    /// Whether to make use of symmetries.
    pub(super) symmetric: bool,
}

/// How much a set of boards holds.
#[derive(Debug, Default, Clone)]
pub(super) struct Census {
    /// Boards of each street from the first.
    pub(super) boards: [u64; 3],
    /// Both players' hands, summed over the boards of the street.
    pub(super) hands: [[u64; 2]; 3],
    /// The same for the numbers in a row for each of the hands.
    pub(super) numbers: [[u64; 2]; 3],
    /// The longest row on a board of the street.
    pub(super) longest: [usize; 3],
    /// Bytes of the boards themselves.
    pub(super) bytes: u64,
}

impl Table<'_> {
    fn deck(&self) -> CardSet {
        self.def.deck().into_iter().collect()
    }

    fn symmetries(&self) -> Vec<Renaming> {
        match self.symmetric && self.def.suits == 4 {
            true => Renaming::symmetries(self.board, self.ranges),
            false => vec![Renaming::NONE],
        }
    }

    /// Counts what [`Boards::new`] would make.
    pub(super) fn census(&self) -> Census {
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
                let next = alike(deck, board, &symmetries).into_iter().map(|alike| {
                    (board.with(alike.cards[0].0), alike.symmetries, alike.cards.len())
                });
                waiting.extend(next);
            }
        }
        census
    }
}

impl Boards {
    /// Lays out the board and all that may follow.
    pub(super) fn new(table: &Table<'_>) -> Boards {
        let deck = table.deck();
        let mut boards = Boards { all: vec![Board::new(table.board, table.ranges, deck)] };
        boards.extend(0, &table.symmetries(), table, deck);
        boards
    }

    /// Adds the boards that may follow one.
    fn extend(&mut self, at: usize, symmetries: &[Renaming], table: &Table<'_>, deck: CardSet) {
        let before = self.all[at].cards;
        if before.len() == 5 {
            return;
        }
        for Alike { cards, symmetries } in alike(deck, before, symmetries) {
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
        // Two cards of each player are not there to be dealt.
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

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.combos.len()
    }

    /// How long a row with a number for each is: see [`rows`](super::rows).
    pub(super) fn row(&self) -> usize {
        self.len().next_multiple_of(WIDTH)
    }

    /// The combos in order.
    pub(super) fn all(&self) -> impl ExactSizeIterator<Item = Combo> {
        self.combos.iter().map(|&combo| {
            Combo::from_index(combo.into()).expect("hands are numbered by their combos")
        })
    }

    /// The number of each combo here; as many as there are where it is not held.
    fn places(&self) -> [u16; Combo::COUNT] {
        let mut places = [self.combos.len() as u16; Combo::COUNT];
        for (place, &combo) in (0..).zip(&self.combos) {
            places[combo as usize] = place;
        }
        places
    }

    /// The number of a combo.
    pub(super) fn place(&self, combo: Combo) -> Option<usize> {
        self.combos.iter().position(|&held| usize::from(held) == combo.index())
    }

    fn pair(&mut self, other: &Hands) {
        let places = other.places();
        self.twins = self.combos.iter().map(|&combo| places[combo as usize]).collect();
    }

    /// The numbers here of another board's hands, renamed.
    fn numbers(&self, later: &Hands, renaming: Renaming) -> Vec<u16> {
        let places = self.places();
        later.all().map(|combo| places[renaming.combo(combo).index()]).collect()
    }
}

/// A permutation of the combos' numbers that takes combos with a common card apart, so that
/// successive sums over hands that hold a card do not wait for each other
/// ([`Sums`](super::terminal::Sums)).
fn scattered(combo: u16) -> usize {
    // Near the golden section of their number, and prime to it.
    usize::from(combo) * 821 % Combo::COUNT
}

/// Sorts both players' hands by strength, and says where groups of equal strength end.
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
