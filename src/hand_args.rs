//! Hands, boards, ranges and quantiles on the command line, as `cardroom show equity` and `cardroom
//! features` read them, with one clear line for each mistake.

use abstraction::features::Quantiles;
use cards::{Card, CardList, CardSet, Combo, Range, Ties};
use models::equity::{Board, Hand, ties_words};
use serde::Serialize;

use crate::exit::Failure;

/// The value of a tie, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum TiesArg {
    /// Half a win: its share of the pot
    #[default]
    Half,
    /// Nothing
    WinOnly,
}

impl TiesArg {
    pub(crate) fn ties(self) -> Ties {
        match self {
            TiesArg::Half => Ties::Half,
            TiesArg::WinOnly => Ties::WinOnly,
        }
    }

    /// The value in words, for sentences.
    pub(crate) fn words(self) -> &'static str {
        ties_words(self.ties())
    }
}

/// The definition of a quantile, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Method {
    /// The nearest rank: the equity of some board
    #[default]
    Nearest,
    /// Linear interpolation between boards
    Linear,
}

impl Method {
    pub(crate) fn quantiles(self) -> Quantiles {
        match self {
            Method::Nearest => Quantiles::Nearest,
            Method::Linear => Quantiles::Linear,
        }
    }
}

/// Parses a hand of two cards.
pub(crate) fn parse_hand(text: &str) -> Result<Hand, Failure> {
    let what = format!("the hand `{}`", cut(text));
    let cards = parse_cards(text, &what)?;
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
pub(crate) fn parse_board(text: Option<&str>) -> Result<Board, Failure> {
    let text = text.unwrap_or_default();
    let what = format!("the board `{}`", cut(text));
    let cards = parse_cards(text, &what)?;
    if !matches!(cards.len(), 0 | 3 | 4 | 5) {
        return Err(Failure::usage(format!(
            "{what} has {}: give three for a flop, four for a turn, five for a river, or no \
             --board",
            count(cards.len())
        )));
    }
    Ok(Board { text: cards.to_string(), cards: cards.set() })
}

/// Rejects a card that occurs twice.
pub(crate) fn check_disjoint(hands: &[Hand], board: &Board) -> Result<(), Failure> {
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
pub(crate) fn parse_range(text: &str, what: &str) -> Result<Range, Failure> {
    text.parse().map_err(|error| Failure::usage(format!("the range {what}: {error}")))
}

/// Parses comma-separated percentages from 0 to 100.
pub(crate) fn parse_quantiles(text: &str) -> Result<Vec<f64>, Failure> {
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
fn parse_cards(text: &str, what: &str) -> Result<CardList<52>, Failure> {
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
