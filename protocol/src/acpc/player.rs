//! The player's side of the protocol as a sans-I/O state machine, and the splitting of a byte
//! stream into lines.

use std::sync::Arc;

use game::{Action, Betting, GameDef, InfoSet, PublicState, notation};

use super::VERSION_LINE;
use super::matchstate::{MatchState, MatchStateError};
use crate::ActError;

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
#[error("the dealer {0}")]
pub struct PlayerError(String);

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
                let start = shorten(line);
                return Err(PlayerError(if line.len() == MAX_DEALER_LINE {
                    format!(
                        "sent more than {MAX_DEALER_LINE} bytes without an end of line, beginning \
                         with `{start}`"
                    )
                } else {
                    format!("closed the connection in the middle of a line, after `{start}`")
                }));
            };
            let body = body.strip_suffix(b"\r").unwrap_or(body);
            if matches!(body.first(), Some(b'#' | b';')) {
                continue;
            }
            let text = str::from_utf8(body).map_err(|_| MatchStateError::NotText);
            let state = text
                .and_then(|text| MatchState::parse(&self.def, text))
                .map_err(|reason| PlayerError(format!("sent `{}`: {reason}", shorten(body))))?;
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
            Progress::NotStarted => {
                Err(PlayerError("closed the connection before the first hand".to_owned()))
            }
            Progress::InHand(hand) => {
                Err(PlayerError(format!("closed the connection in the middle of hand {hand}")))
            }
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
        after.apply(action)?;
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

/// A line buffer: collects bytes, however they arrive in pieces, and returns them line by line.
///
/// A line ends with its LF; or after `cap` bytes, when no LF came before; or, once the stream has
/// ended, with the stream. Every byte is returned once and in order.
#[derive(Debug)]
pub(crate) struct Lines {
    bytes: Vec<u8>,
    /// Start of the bytes not yet returned.
    start: usize,
    /// There is no LF between `start` and this position.
    searched: usize,
    cap: usize,
    ended: bool,
}

impl Lines {
    pub(crate) fn new(cap: usize) -> Lines {
        Lines { bytes: Vec::new(), start: 0, searched: 0, cap, ended: false }
    }

    /// Appends bytes; ignored after the end of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if self.ended {
            return;
        }
        if self.start == self.bytes.len() {
            self.bytes.clear();
        } else if self.start > 0 {
            self.bytes.drain(..self.start);
        }
        self.searched -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Marks the end of the stream: the remaining bytes are a line.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Whether the stream has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Number of bytes not yet returned.
    pub(crate) fn buffered(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// The next line with its end, or `None` when no complete line is buffered.
    pub(crate) fn next_line(&mut self) -> Option<&[u8]> {
        let limit = self.bytes.len().min(self.start + self.cap);
        let found = self.bytes[self.searched..limit].iter().position(|&b| b == b'\n');
        let end = match found {
            Some(offset) => self.searched + offset + 1,
            None if limit - self.start == self.cap => limit,
            None if self.ended && limit > self.start => limit,
            None => {
                self.searched = limit;
                return None;
            }
        };
        let line = self.start..end;
        self.start = end;
        self.searched = end;
        Some(&self.bytes[line])
    }
}

/// The beginning of bytes as text for a message: one line, at most 120 characters.
pub(crate) fn shorten(bytes: &[u8]) -> String {
    game::escape::excerpt_of(bytes.trim_ascii_end(), 120)
}
