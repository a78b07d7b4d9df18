//! The player's side of the protocol as a sans-I/O state machine.

use std::sync::Arc;

use game::{Action, Betting, GameDef, IllegalReason, InfoSet, PublicState, notation};

use super::VERSION_LINE;
use super::lines::{Lines, shorten};
use super::matchstate::{MatchState, MatchStateError};

/// Maximum length of a line from a dealer, in bytes with its end. The original sends at most 4,096.
pub const MAX_DEALER_LINE: usize = 65_536;

/// An event of the match, parsed from the dealer's bytes.
#[derive(Debug, Clone)]
pub enum Event {
    /// It is this player's turn: answer with [`Player::act`].
    Turn {
        /// The hand's number.
        hand: u32,
        /// The player's information set.
        infoset: InfoSet,
    },
    /// The hand goes on, and it is another player's turn.
    Update(MatchState),
    /// The hand is over.
    HandOver(MatchState),
    /// The dealer has closed the connection between two hands: the match is over.
    MatchOver,
}

/// Error in the dealer's bytes. Every error is final for the state machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlayerError {
    /// A line is not a match state.
    #[error("the dealer sent `{line}`: {reason}")]
    Line {
        /// The line, shortened.
        line: String,
        /// The problem with the line.
        reason: MatchStateError,
    },
    /// A line exceeds the maximum length.
    #[error(
        "the dealer sent more than {MAX_DEALER_LINE} bytes without an end of line, beginning with \
         `{start}`"
    )]
    TooLong {
        /// The beginning of the line.
        start: String,
    },
    /// The connection closed in the middle of a line.
    #[error("the dealer closed the connection in the middle of a line, after `{line}`")]
    Truncated {
        /// The incomplete line, shortened.
        line: String,
    },
    /// The connection closed in the middle of a hand.
    #[error("the dealer closed the connection in the middle of hand {hand}")]
    ClosedMidHand {
        /// The hand's number.
        hand: u32,
    },
    /// The connection closed before anything was sent.
    #[error("the dealer closed the connection before the first hand")]
    NeverStarted,
}

/// Error of the caller in [`Player::act`]; the state machine is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ActError {
    /// The last event was not this player's turn, or it has been answered.
    #[error("it is not this player's turn")]
    NotOurTurn,
    /// The action is not legal.
    #[error("{0}")]
    Illegal(IllegalReason),
}

/// The player's state machine: bytes in, events out; actions in, bytes out.
///
/// ```text
/// loop {
///     player.receive(bytes read);            // or player.end() at the end of the stream
///     while let Some(event) = player.poll_event()? {
///         if let Event::Turn { infoset, .. } = event { player.act(decide(infoset))?; }
///     }
///     write all of player.poll_transmit();
/// }
/// ```
///
/// The first transmission is the version line. Lines beginning with `#` or `;` are skipped; CR LF
/// and LF both end a line. Poll for events after every call of `receive`, so that an endless line
/// is refused before it fills the memory.
///
/// Use the game with [`Quirks::ORIGINAL`](game::Quirks::ORIGINAL) when the dealer is the original
/// or compatible with it: the legal actions in the information sets are then those that it accepts.
#[derive(Debug)]
pub struct Player {
    def: Arc<GameDef>,
    lines: Lines,
    out: Vec<u8>,
    /// The line and public state awaiting an answer.
    turn: Option<(Vec<u8>, PublicState)>,
    progress: Progress,
    failed: Option<PlayerError>,
}

#[derive(Debug, Clone, Copy)]
enum Progress {
    NotStarted,
    InHand(u32),
    BetweenHands,
    MatchOver,
}

impl Player {
    /// A player of this game that has not sent its version yet.
    pub fn new(def: Arc<GameDef>) -> Player {
        Player {
            def,
            lines: Lines::new(MAX_DEALER_LINE),
            out: VERSION_LINE.to_vec(),
            turn: None,
            progress: Progress::NotStarted,
            failed: None,
        }
    }

    /// Feeds bytes received from the dealer.
    pub fn receive(&mut self, bytes: &[u8]) {
        if self.failed.is_none() {
            self.lines.push(bytes);
        }
    }

    /// Marks the end of the dealer's stream.
    pub fn end(&mut self) {
        self.lines.end();
    }

    /// The next event, `None` until more bytes come. After an error every later call returns it
    /// again.
    pub fn poll_event(&mut self) -> Result<Option<Event>, PlayerError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let event = self.next_event();
        if let Err(error) = &event {
            self.failed = Some(error.clone());
        }
        event
    }

    fn next_event(&mut self) -> Result<Option<Event>, PlayerError> {
        while let Some(line) = self.lines.next_line() {
            let Some(body) = line.strip_suffix(b"\n") else {
                return Err(if line.len() == MAX_DEALER_LINE {
                    PlayerError::TooLong { start: shorten(line) }
                } else {
                    PlayerError::Truncated { line: shorten(line) }
                });
            };
            let body = body.strip_suffix(b"\r").unwrap_or(body);
            if matches!(body.first(), Some(b'#' | b';')) {
                continue;
            }
            let text = str::from_utf8(body).map_err(|_| MatchStateError::NotText);
            let state = text
                .and_then(|text| MatchState::parse(&self.def, text))
                .map_err(|reason| PlayerError::Line { line: shorten(body), reason })?;
            self.turn = None;
            self.progress = Progress::InHand(state.hand);
            if state.public.turn() == game::Turn::Over {
                self.progress = Progress::BetweenHands;
                return Ok(Some(Event::HandOver(state)));
            }
            if !state.to_act() {
                return Ok(Some(Event::Update(state)));
            }
            self.turn = Some((body.to_vec(), state.public.clone()));
            return Ok(Some(Event::Turn { hand: state.hand, infoset: state.infoset() }));
        }
        if !self.lines.has_ended() {
            return Ok(None);
        }
        match self.progress {
            Progress::NotStarted => Err(PlayerError::NeverStarted),
            Progress::InHand(hand) => Err(PlayerError::ClosedMidHand { hand }),
            Progress::BetweenHands => {
                self.progress = Progress::MatchOver;
                Ok(Some(Event::MatchOver))
            }
            Progress::MatchOver => Ok(None),
        }
    }

    /// Answers the turn reported last.
    pub fn act(&mut self, action: Action) -> Result<(), ActError> {
        let Some((_, state)) = &self.turn else { return Err(ActError::NotOurTurn) };
        let mut after = state.clone();
        after.apply(action).map_err(ActError::Illegal)?;
        let (line, state) = self.turn.take().expect("checked above");
        self.out.extend_from_slice(&line);
        let mut text = String::from(":");
        notation::write_action(action, state.def().betting == Betting::Limit, &mut text);
        text.push_str("\r\n");
        self.out.extend_from_slice(text.as_bytes());
        Ok(())
    }

    /// Bytes to send to the dealer now; empty when there are none.
    pub fn poll_transmit(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
    }
}
