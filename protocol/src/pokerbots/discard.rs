//! 2026: three cards, of which each player puts one on the board.
//!
//! After the first betting two cards are dealt to the board. The big blind puts a card of its hand
//! on the board, then the small blind; the other acknowledges each with a check. Then both bet, and
//! on two more streets with a card each. The best five of a hand's two and the board's six cards
//! count. A fold is legal where nothing is owed, too.

use cards::{Board, Card, CardSet, HandRank, HoleCards, evaluate};

use super::variant::{Stage, Variant};
use super::{Clause, Dialect};

/// The game of 2026.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Discard;

impl Variant for Discard {
    const DIALECT: Dialect = Dialect::Discard;
    const HAND: usize = 3;
    const STAGES: &'static [Stage] = &[
        Stage::Bet(0),
        Stage::Own(1, 2),
        Stage::Own(0, 0),
        Stage::Bet(0),
        Stage::Bet(1),
        Stage::Bet(1),
    ];
    const AFTER_HAND: Option<Clause> = Some(Clause::AfterHand);
    const OWN: &'static str = "DiscardAction";

    fn read(answer: &str) -> Option<Result<u8, ()>> {
        let number = answer.strip_prefix('D')?.trim();
        Some(number.parse::<u8>().map_err(|_| ()))
    }

    fn clause(action: u8) -> Clause {
        Clause::Discarded(action)
    }

    fn from_clause(clause: &Clause) -> Option<u8> {
        match clause {
            Clause::Discarded(card) => Some(*card),
            _ => None,
        }
    }

    fn can(action: u8, hand: &HoleCards) -> bool {
        usize::from(action) < hand.len()
    }

    fn carry_out(action: u8, hand: &mut HoleCards, board: &mut Board) {
        let place = usize::from(action);
        let Some(&card) = hand.get(place) else { return };
        let mut rest = HoleCards::EMPTY;
        for (other, &kept) in hand.iter().enumerate() {
            if other != place {
                rest.push(kept);
            }
        }
        (*hand, _) = (rest, board.push(card));
    }

    /// Of eight cards at most: the best of all sevens among them, which is what [`evaluate`] takes.
    fn strength(hand: &HoleCards, board: &Board) -> HandRank {
        let all = hand.set() | board.set();
        if all.len() <= 7 {
            return evaluate(all);
        }
        let without = |left: Card| {
            let others = all.iter().filter(|&card| card != left);
            evaluate(others.fold(CardSet::default(), CardSet::with))
        };
        all.iter().map(without).max().unwrap_or_else(|| evaluate(CardSet::default()))
    }
}
