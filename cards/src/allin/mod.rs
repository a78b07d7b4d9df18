//! All-in equity: two known hands, and all boards that may still come. Exact counts, no sampling.

use crate::{Card, CardSet, Combo, WinRate, evaluate};

/// Why there is no equity of these cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AllInError {
    /// The board has a number of cards that no street has.
    #[error("{0} cards on the board: give none, three, four or five")]
    Board(u32),
    /// A card stands in two of the two hands and the board.
    #[error("{0} is given twice: give each card once")]
    Shared(Card),
}

/// Wins and ties of the hero against the villain over all boards that may still come, each once.
///
/// `total` is 1,712,304 before the flop, 990 on the flop, 44 on the turn and 1 on the river.
/// [`WinRate::reversed`] is the villain's side.
///
/// # Errors
/// When the board has not 0, 3, 4 or 5 cards, or a card is given twice.
pub fn all_in(hero: Combo, villain: Combo, board: CardSet) -> Result<WinRate, AllInError> {
    all_in_without_table(hero, villain, board)
}

/// The same as [`all_in`], computed from the rules of the game alone.
///
/// # Errors
/// As [`all_in`].
pub fn all_in_without_table(
    hero: Combo,
    villain: Combo,
    board: CardSet,
) -> Result<WinRate, AllInError> {
    check(hero, villain, board)?;
    let (hero, villain) = (hero.set(), villain.set());
    let deck: Vec<Card> = (CardSet::FULL - hero - villain - board).iter().collect();
    let mut count = WinRate::default();
    each_board(&deck, board, 5 - board.len(), &mut |board| {
        let (ours, theirs) = (evaluate(hero | board), evaluate(villain | board));
        count.wins += u64::from(ours > theirs);
        count.ties += u64::from(ours == theirs);
        count.total += 1;
    });
    Ok(count)
}

/// Refuses what cannot be dealt.
fn check(hero: Combo, villain: Combo, board: CardSet) -> Result<(), AllInError> {
    if !matches!(board.len(), 0 | 3 | 4 | 5) {
        return Err(AllInError::Board(board.len()));
    }
    let (a, b) = (hero.set(), villain.set());
    match ((a & b) | (a & board) | (b & board)).iter().next() {
        Some(card) => Err(AllInError::Shared(card)),
        None => Ok(()),
    }
}

fn each_board(deck: &[Card], board: CardSet, missing: u32, see: &mut impl FnMut(CardSet)) {
    if missing == 0 {
        return see(board);
    }
    for (i, &card) in deck.iter().enumerate() {
        each_board(&deck[i + 1..], board.with(card), missing - 1, see);
    }
}
