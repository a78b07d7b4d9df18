//! What a hand is on a board, as players say it: its class, from straight flush to nothing, and its
//! draw. What the board makes by itself does not count: with two aces on the board a king is king
//! high.

use cards::{CardSet, Category, Combo, Rank, Suit, evaluate};

/// The class of a hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HandClass {
    /// Five cards of one suit in a row.
    StraightFlush,
    /// Four cards of a rank, one or two of them in the hand.
    FourOfAKind,
    /// Three cards of a rank and a pair.
    FullHouse,
    /// Five cards of one suit.
    Flush,
    /// Five cards in a row.
    Straight,
    /// Three of a kind with two of them in the hand.
    Set,
    /// Three of a kind with one of them in the hand.
    Trips,
    /// A pair with each card of the hand.
    TwoPair,
    /// A pair in the hand above the board.
    Overpair,
    /// A pair with the highest card of the board.
    TopPair,
    /// A pair in the hand below the highest card of the board.
    PocketPair,
    /// A pair with the second highest card of the board.
    SecondPair,
    /// A pair with a lower card of the board.
    LowPair,
    /// No pair, and an ace in the hand.
    AceHigh,
    /// None of these.
    NoPair,
}

impl HandClass {
    /// The names, the strongest first, by [`HandClass::number`].
    pub const NAMES: [&'static str; 15] = [
        "straight flush",
        "four of a kind",
        "full house",
        "flush",
        "straight",
        "set",
        "trips",
        "two pair",
        "overpair",
        "top pair",
        "pocket pair",
        "second pair",
        "low pair",
        "ace high",
        "no pair",
    ];

    /// The class of a hand on a board of three to five cards.
    pub fn new(combo: Combo, board: CardSet) -> HandClass {
        let [high, low] = ranks(combo);
        let (all, alone) = (evaluate(combo.set() | board), evaluate(board));
        let pocket = high == low;
        // The same hand as everybody's does not make it one of these.
        let own = alone.category() != all.category() || all.value() != alone.value();
        match all.category() {
            Category::StraightFlush if own => return HandClass::StraightFlush,
            Category::FourOfAKind if on_board(board, high) > 1 || on_board(board, low) > 1 => {
                return HandClass::FourOfAKind;
            }
            Category::FullHouse if own => return HandClass::FullHouse,
            Category::Flush if own => return HandClass::Flush,
            Category::Straight if own => return HandClass::Straight,
            _ => {}
        }
        let counts = [high, low].map(|rank| on_board(board, rank));
        match counts {
            counts if pocket && counts[0] > 0 => return HandClass::Set,
            [1, 1] => return HandClass::TwoPair,
            counts if !pocket && counts.iter().any(|&count| count > 1) => return HandClass::Trips,
            _ => {}
        }
        let above = |rank: Rank| distinct(board).filter(|&other| other > rank).count();
        if pocket {
            return if above(high) == 0 { HandClass::Overpair } else { HandClass::PocketPair };
        }
        let paired = [high, low].into_iter().find(|&rank| on_board(board, rank) == 1);
        match paired.map(above) {
            Some(0) => HandClass::TopPair,
            Some(1) => HandClass::SecondPair,
            Some(_) => HandClass::LowPair,
            None if high == Rank::ACE => HandClass::AceHigh,
            None => HandClass::NoPair,
        }
    }

    /// The place in [`HandClass::NAMES`].
    pub fn number(self) -> usize {
        self as usize
    }
}

/// What a hand can become with the next card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draw {
    /// To a flush and to a straight.
    Combined,
    /// To a flush.
    Flush,
    /// To a straight by cards of two or more ranks.
    OpenEnded,
    /// To a straight by cards of one rank.
    Gutshot,
    /// To neither.
    None,
}

impl Draw {
    /// The names, by [`Draw::number`].
    pub const NAMES: [&'static str; 5] =
        ["combo draw", "flush draw", "open-ended", "gutshot", "no draw"];

    /// The draw of a hand on a board: none on the river, and none to what the hand has already or
    /// the board gives everybody.
    pub fn new(combo: Combo, board: CardSet) -> Draw {
        let all = combo.set() | board;
        let category = evaluate(all).category();
        if board.len() > 4 || category >= Category::Flush {
            return Draw::None;
        }
        let flush = Suit::all().any(|suit| {
            let own = combo.set().ranks_of(suit).count_ones();
            own > 0 && all.ranks_of(suit).count_ones() == 4
        });
        let straights = if category == Category::Straight { 0 } else { straights(all, board) };
        match (flush, straights) {
            (true, 1..) => Draw::Combined,
            (true, 0) => Draw::Flush,
            (false, 2..) => Draw::OpenEnded,
            (false, 1) => Draw::Gutshot,
            (false, 0) => Draw::None,
        }
    }

    /// The place in [`Draw::NAMES`].
    pub fn number(self) -> usize {
        self as usize
    }
}

/// The number of ranks that complete a straight which the board alone would not have.
fn straights(all: CardSet, board: CardSet) -> usize {
    let [all, board] = [all, board].map(ranks_of);
    let completes = |rank: &u32| {
        let with = |ranks: u16| highest_straight(ranks | 1 << rank);
        all & 1 << rank == 0 && with(all) > with(board)
    };
    (0..13).filter(completes).count()
}

/// One more than the number of the highest straight among ranks, from the one that begins with an
/// ace below the deuce; 0 for none.
fn highest_straight(ranks: u16) -> u32 {
    let with_low_ace = u32::from(ranks) << 1 | u32::from(ranks >> Rank::ACE.index() & 1);
    let found = (0..10).rev().find(|low| with_low_ace >> low & 0b11111 == 0b11111);
    found.map_or(0, |low| low + 1)
}

fn ranks_of(cards: CardSet) -> u16 {
    Suit::all().fold(0, |ranks, suit| ranks | cards.ranks_of(suit))
}

/// The ranks of a hand, the higher first.
fn ranks(combo: Combo) -> [Rank; 2] {
    let mut ranks = combo.set().iter().map(cards::Card::rank).collect::<Vec<_>>();
    ranks.sort_unstable();
    match ranks[..] {
        [low, high] => [high, low],
        _ => [Rank::ACE; 2],
    }
}

fn on_board(board: CardSet, rank: Rank) -> usize {
    board.iter().filter(|card| card.rank() == rank).count()
}

/// The ranks of the board.
fn distinct(board: CardSet) -> impl Iterator<Item = Rank> {
    Rank::all().filter(move |&rank| on_board(board, rank) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cards(text: &str) -> CardSet {
        text.parse::<cards::Board>().expect("cards").set()
    }

    fn combo(text: &str) -> Combo {
        let cards: cards::HoleCards = text.parse().expect("two cards");
        Combo::new(cards.as_slice()[0], cards.as_slice()[1]).expect("two different cards")
    }

    #[test]
    fn hands_are_called_as_players_call_them() {
        for (hand, board, class, draw) in [
            ("AhKd", "Ks8h3d", "top pair", "no draw"),
            ("AhAd", "Ks8h3d", "overpair", "no draw"),
            ("QhQd", "Ks8h3d", "pocket pair", "no draw"),
            ("8d7d", "Ks8h3d", "second pair", "no draw"),
            ("3c2c", "Ks8h3d", "low pair", "no draw"),
            ("8d3h", "Ks8h3d", "two pair", "no draw"),
            ("8d8c", "Ks8h3d", "set", "no draw"),
            ("Kd2c", "KsKh3d", "trips", "no draw"),
            ("QhQd", "KsKh3d", "pocket pair", "no draw"),
            ("Ah3c", "KsKh3d", "second pair", "no draw"),
            ("AhQc", "KsKh3d", "ace high", "no draw"),
            ("QcJd", "KsKh3d", "no pair", "no draw"),
            ("KdKc", "KsKh3d", "four of a kind", "no draw"),
            ("Kd3c", "KsKh3d", "full house", "no draw"),
            ("AsQs", "Ks8s3s", "flush", "no draw"),
            ("AsQd", "Ks8s3s", "ace high", "flush draw"),
            ("QdJd", "Kd8dTs", "no pair", "combo draw"),
            ("QdJc", "Kd8dTs", "no pair", "open-ended"),
            ("AcJc", "Kd8dTs", "ace high", "gutshot"),
            ("QdJc", "Kd9dTs", "straight", "no draw"),
            ("QdJc", "Kd9dTs8h2c", "straight", "no draw"),
            ("5c4c", "As3d9h", "no pair", "gutshot"),
            // The board is better than the hand.
            ("2c2d", "AsKsQsJsTs", "pocket pair", "no draw"),
            ("4c3d", "AsAhAdAc2s", "no pair", "no draw"),
            // A card that gives everybody the straight is no draw.
            ("2c2d", "5s6d7h8c", "pocket pair", "no draw"),
        ] {
            let (combo, board) = (combo(hand), cards(board));
            let found = (HandClass::new(combo, board), Draw::new(combo, board));
            let names = (HandClass::NAMES[found.0.number()], Draw::NAMES[found.1.number()]);
            assert_eq!(names, (class, draw), "{hand} on {board:?}");
        }
    }

    #[test]
    fn classes_from_straight_up_are_the_evaluators_unless_the_board_has_them() {
        let board = cards("Ts9s8d2c");
        for combo in Combo::all().filter(|combo| !combo.set().intersects(board)) {
            let category = evaluate(combo.set() | board).category();
            let class = HandClass::new(combo, board);
            assert_eq!(class == HandClass::Straight, category == Category::Straight, "{combo}");
            assert_eq!(class == HandClass::Flush, category == Category::Flush, "{combo}");
            assert_eq!(class == HandClass::TwoPair, category == Category::TwoPair, "{combo}");
            assert_eq!(class == HandClass::Set, category == Category::ThreeOfAKind, "{combo}");
        }
    }
}
