//! Spots on the command line: the actions and cards from the root on, as in `x b66 c Kd`.
//!
//! `f` folds, `x` checks, `c` calls (or checks), `bN` and `rN` bet and raise to N chips on the
//! street, `a` moves all-in, and a card is dealt.

use cards::Card;
use game::{Action, PublicState, Turn};
use solvers::subgame::{OffTree, Solver, Spot};

use crate::chart::before_street;
use crate::exit::Failure;

/// A requested spot.
pub(super) struct RequestedSpot {
    /// The path from the root, in the words of the menu; empty for the root.
    pub(super) path: String,
    pub(super) state: PublicState,
}

/// Parses a spot; an error unless a player must act there.
pub(super) fn read(solver: &Solver, text: &str) -> Result<RequestedSpot, Failure> {
    let mut spot = solver.spot();
    let mut path: Vec<String> = Vec::new();
    for word in words(text) {
        let position = match path.is_empty() {
            true => "at the beginning".to_owned(),
            false => format!("after `{}`", path.join(" ")),
        };
        (spot, path) = step(spot, path, word, &position)?;
    }
    let state = spot.state().clone();
    match due(&state) {
        Due::Action => Ok(RequestedSpot { path: path.join(" "), state }),
        Due::Card(card) => Err(input(format!(
            "--at `{text}`: nobody acts there before a card is dealt: add one, as in `{text} \
             {card}`"
        ))),
        Due::Nothing => Err(input(format!(
            "--at `{text}`: nobody acts there any more: leave out the last word"
        ))),
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let separates = |letter: char| letter.is_whitespace() || letter == ',' || letter == '/';
    text.split(separates).filter(|word| !word.is_empty())
}

/// The state after actions of any size on the same street; an error unless a player must act there.
pub(super) fn after(mut state: PublicState, text: &str) -> Result<PublicState, Failure> {
    let mut before = String::new();
    for word in words(text) {
        let position =
            if before.is_empty() { "at the beginning" } else { &format!("after `{before}`") };
        let action = action(&state, word).ok_or_else(|| {
            Failure::usage(format!(
                "--after: `{word}` is not an action {position}: write f, x, c, a, or bN or rN with \
                 a number of chips"
            ))
        })?;
        let (street, raise) = (before_street(&state), state.legal().raise);
        state.apply(action).map_err(|error| {
            let reason = match (action, raise) {
                (Action::RaiseTo(_), Some(raise)) => {
                    let (least, most) = (raise.min - street, raise.max - street);
                    format!("a bet or raise to {least} to {most} is possible")
                }
                _ => error.to_string(),
            };
            input(format!("--after: `{word}` {position}: {reason}"))
        })?;
        before = format!("{before} {word}").trim_start().to_owned();
    }
    match state.turn() {
        Turn::Act(_) => Ok(state),
        Turn::Deal(_) | Turn::Over => Err(input(format!(
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

/// The spot after a word, and the path with the word appended.
fn step<'a>(
    spot: Spot<'a>,
    mut path: Vec<String>,
    word: &str,
    position: &str,
) -> Result<(Spot<'a>, Vec<String>), Failure> {
    if let Ok(card) = word.parse::<Card>() {
        path.push(card.to_string());
        let next = spot.deal(card).map_err(|error| input(format!("--at: {error} ({position})")))?;
        return Ok((next, path));
    }
    match due(spot.state()) {
        Due::Action => {}
        Due::Card(card) => {
            return Err(input(format!(
                "--at: a card is due {position}, not `{word}`: write one, as in `{card}`"
            )));
        }
        Due::Nothing => {
            let message = format!("--at: nobody acts any more {position}: leave out `{word}`");
            return Err(input(message));
        }
    }
    let offered = spot.actions().iter().map(|&action| crate::chart::word(spot.state(), action));
    let offered = offered.collect::<Vec<_>>().join(" ");
    let action = action(spot.state(), word).ok_or_else(|| {
        Failure::usage(format!(
            "--at: `{word}` is neither an action nor a card {position}: write one of {offered}, or \
             a card such as `Kd`"
        ))
    })?;
    path.push(crate::chart::word(spot.state(), action));
    let next = spot.act(action).map_err(|error| match error {
        OffTree::Action { .. } => {
            input(format!("--at: `{word}` is not on the menu {position}, which has {offered}"))
        }
        error => input(error.to_string()),
    })?;
    Ok((next, path))
}

fn input(message: String) -> Failure {
    Failure::input(anyhow::anyhow!(message))
}

/// The action that a word means at this state; `None` if it means none.
fn action(state: &PublicState, word: &str) -> Option<Action> {
    let Turn::Act(seat) = state.turn() else { return None };
    let free = state.committed()[seat] == state.highest();
    match word.to_ascii_lowercase().as_str() {
        "f" => Some(Action::Fold),
        "c" => Some(Action::Call),
        "x" | "k" if free => Some(Action::Call),
        "a" => state.legal().raise.map(|raise| Action::RaiseTo(raise.max)),
        word => {
            let chips = word.strip_prefix(['b', 'r'])?;
            let digits = chips.bytes().all(|byte| byte.is_ascii_digit());
            let chips: u32 = chips.parse().ok().filter(|_| digits)?;
            Some(Action::RaiseTo(before_street(state).checked_add(chips)?))
        }
    }
}
