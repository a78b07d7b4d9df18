//! Places in a subgame in words: `f` folds, `x` checks, `c` calls (or checks), `bN` and `rN` bet
//! and raise to N chips on the street, `a` moves all-in, and a card is dealt.

use cards::Card;
use game::{Action, PublicState, Turn};

use super::{OffTree, Solver, Spot};
use crate::error::{Error, Kind};

/// A requested spot.
pub struct RequestedSpot {
    /// The path from the root, in the words of the menu; empty for the root.
    pub path: String,
    /// The state at the spot.
    pub state: PublicState,
}

/// The places that a text such as `x b66 c Kd` leads through, the root first, each with the word
/// that leads to it as the menu writes it. The last may be one where a card is due or the hand is
/// over.
///
/// # Errors
/// When a word cannot be read or leads nowhere.
pub fn walk<'a>(solver: &'a Solver, text: &str) -> Result<Vec<(String, Spot<'a>)>, Error> {
    let mut places = vec![(String::new(), solver.spot())];
    for word in words(text) {
        let path = path(&places);
        let position =
            if path.is_empty() { "at the beginning".to_owned() } else { format!("after `{path}`") };
        let spot = places.last().map_or_else(|| solver.spot(), |(_, spot)| spot.clone());
        places.push(step(spot, word, &position)?);
    }
    Ok(places)
}

/// The words that lead to the last of these places.
fn path(places: &[(String, Spot<'_>)]) -> String {
    let words: Vec<&str> = places.iter().skip(1).map(|(word, _)| word.as_str()).collect();
    words.join(" ")
}

/// Parses a spot, such as `x b66 c Kd`.
///
/// # Errors
/// When a word cannot be read or leads nowhere, or nobody acts at its end.
pub fn read_spot(solver: &Solver, text: &str) -> Result<RequestedSpot, Error> {
    let places = walk(solver, text).map_err(|error| error.after("--at: "))?;
    let path = path(&places);
    let last = places.into_iter().next_back();
    let state = last.map_or_else(|| solver.spot(), |(_, spot)| spot).state().clone();
    match due(&state) {
        Due::Action => Ok(RequestedSpot { path, state }),
        Due::Card(card) => Err(Error::new(format!(
            "--at `{text}`: nobody acts there before a card is dealt: add one, as in `{text} \
             {card}`"
        ))),
        Due::Nothing => Err(Error::new(format!(
            "--at `{text}`: nobody acts there any more: leave out the last word"
        ))),
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let separates = |letter: char| letter.is_whitespace() || letter == ',' || letter == '/';
    text.split(separates).filter(|word| !word.is_empty())
}

/// The state after actions of any size on the same street.
///
/// # Errors
/// As for [`read_spot`].
pub fn after(mut state: PublicState, text: &str) -> Result<PublicState, Error> {
    let mut before = String::new();
    for word in words(text) {
        let position =
            if before.is_empty() { "at the beginning" } else { &format!("after `{before}`") };
        let action = state.action_of_word(word).ok_or_else(|| {
            Error::with_kind(Kind::Word, format!(
                "--after: `{word}` is not an action {position}: write f, x, c, a, or bN or rN with \
                 a number of chips"
            ))
        })?;
        let (street, raise) = (state.before_street(), state.legal().raise);
        state.apply(action).map_err(|error| {
            let reason = match (action, raise) {
                (Action::RaiseTo(_), Some(raise)) => {
                    let (least, most) = (raise.min - street, raise.max - street);
                    format!("a bet or raise to {least} to {most} is possible")
                }
                _ => error.to_string(),
            };
            Error::new(format!("--after: `{word}` {position}: {reason}"))
        })?;
        before = format!("{before} {word}").trim_start().to_owned();
    }
    match state.turn() {
        Turn::Act(_) => Ok(state),
        Turn::Deal(_) | Turn::Over => Err(Error::new(format!(
            "--after `{before}`: nobody acts on this street any more: leave out the last word"
        ))),
    }
}

/// The next event at a state.
enum Due {
    Action,
    /// A card is dealt, and then a player acts. Holds a card that could come, as an example.
    Card(Card),
    Nothing,
}

fn due(state: &PublicState) -> Due {
    let seen = state.board().set();
    let free = state.def().deck().into_iter().find(|&card| !seen.contains(card));
    match (state.turn(), free) {
        (Turn::Act(_), _) => Due::Action,
        (Turn::Deal(_), Some(card)) if state.able().len() > 1 => Due::Card(card),
        _ => Due::Nothing,
    }
}

/// The word as the menu writes it, and the spot after it.
fn step<'a>(spot: Spot<'a>, word: &str, position: &str) -> Result<(String, Spot<'a>), Error> {
    if let Ok(card) = word.parse::<Card>() {
        let next = spot.deal(card).map_err(|error| Error::new(format!("{error} ({position})")))?;
        return Ok((card.to_string(), next));
    }
    match due(spot.state()) {
        Due::Action => {}
        Due::Card(card) => {
            return Err(Error::new(format!(
                "a card is due {position}, not `{word}`: write one, as in `{card}`"
            )));
        }
        Due::Nothing => {
            let message = format!("nobody acts any more {position}: leave out `{word}`");
            return Err(Error::new(message));
        }
    }
    let offered = spot.actions().iter().map(|&action| spot.state().action_word(action));
    let offered = offered.collect::<Vec<_>>().join(" ");
    let action = spot.state().action_of_word(word).ok_or_else(|| {
        Error::with_kind(
            Kind::Word,
            format!(
                "`{word}` is neither an action nor a card {position}: write one of {offered}, or a \
             card such as `Kd`"
            ),
        )
    })?;
    let written = spot.state().action_word(action);
    let next = spot.act(action).map_err(|error| match error {
        OffTree::Action { .. } => {
            Error::new(format!("`{word}` is not on the menu {position}, which has {offered}"))
        }
        error => Error::new(error.to_string()),
    })?;
    Ok((written, next))
}
