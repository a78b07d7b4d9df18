//! Parsing hands, boards, ranges and quantiles from the command line, with one clear line for each
//! mistake.

use cards::{Card, CardList, CardSet, Combo, Range};

use super::{Hand, Table};
use crate::exit::Failure;

/// Parses a hand of two cards.
pub(crate) fn hand(text: &str) -> Result<Hand, Failure> {
    let what = format!("the hand `{}`", cut(text));
    let cards = cards(text, &what)?;
    let &[a, b] = cards.as_slice() else {
        return Err(Failure::usage(format!(
            "{what} has {}: a hand in hold'em has two, as in `AcKd`",
            count(cards.len())
        )));
    };
    let combo = Combo::new(a, b).expect("a card that appears twice was refused");
    Ok(Hand { text: cards.to_string(), combo })
}

/// Parses a board; `None` is an empty one.
pub(crate) fn board(text: Option<&str>) -> Result<Table, Failure> {
    let text = text.unwrap_or_default();
    let what = format!("the board `{}`", cut(text));
    let cards = cards(text, &what)?;
    if !matches!(cards.len(), 0 | 3 | 4 | 5) {
        return Err(Failure::usage(format!(
            "{what} has {}: give three for a flop, four for a turn, five for a river, or no \
             --board",
            count(cards.len())
        )));
    }
    Ok(Table { text: cards.to_string(), cards: cards.set() })
}

/// Rejects a card that occurs twice.
pub(crate) fn disjoint(hands: &[Hand], board: &Table) -> Result<(), Failure> {
    let mut places: Vec<(String, CardSet)> = hands
        .iter()
        .map(|hand| (format!("in the hand `{}`", hand.text), hand.combo.set()))
        .collect();
    places.push((format!("on the board `{}`", board.text), board.cards));
    for (at, (place, cards)) in places.iter().enumerate() {
        for (other, others) in &places[at + 1..] {
            if let Some(card) = (*cards & *others).iter().next() {
                return Err(Failure::input(anyhow::anyhow!(
                    "{card} is {place} and {other}: give each card once"
                )));
            }
        }
    }
    Ok(())
}

/// Whether a text is meant as a range, not as two cards: it has a sign of ranges, or does not begin
/// with a card.
pub(crate) fn is_range(text: &str) -> bool {
    let start: String = text.chars().take(2).collect();
    text.contains(|c: char| !c.is_alphanumeric() && !c.is_whitespace())
        || start.len() == 2 && start.parse::<Card>().is_err()
}

/// Parses a range; `what` names it in errors.
pub(crate) fn range(text: &str, what: &str) -> Result<Range, Failure> {
    text.parse().map_err(|error| Failure::usage(format!("the range {what}: {error}")))
}

/// Parses comma-separated percentages from 0 to 100.
pub(crate) fn quantiles(text: &str) -> Result<Vec<f64>, Failure> {
    let one = |word: &str| -> Option<f64> {
        let percent = word.trim().parse().ok()?;
        (0.0..=100.0).contains(&percent).then_some(percent)
    };
    text.split(',')
        .map(|word| {
            one(word).ok_or_else(|| {
                Failure::usage(format!(
                    "--quantiles: `{}` is not a percentage: give numbers from 0 to 100 with commas \
                     between, as in `5,25,50,75,95`",
                    cut(word)
                ))
            })
        })
        .collect()
}

/// Parses cards with or without blanks between them.
fn cards(text: &str, what: &str) -> Result<CardList<52>, Failure> {
    let compact: String = text.split_whitespace().collect();
    compact.parse().map_err(|error: cards::Error| match error.repeated_card() {
        Some(card) => {
            Failure::input(anyhow::anyhow!("{what}: {card} appears twice: give each card once"))
        }
        None => Failure::usage(format!("{what}: {error}")),
    })
}

fn count(cards: usize) -> String {
    let words = ["no cards", "one card", "two cards", "three cards", "four cards"];
    words.get(cards).map_or_else(|| format!("{cards} cards"), |&words| words.to_owned())
}

/// The text as typed, truncated to the length that cards can have.
fn cut(text: &str) -> String {
    text.chars().take(2 * Card::COUNT as usize).collect()
}
