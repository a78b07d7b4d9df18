//! The sets of moves of the response.

use std::fmt;
use std::str::FromStr;

use game::{Betting, Chips, GameDef, PublicState};

/// A published set of moves. Folding (when there is something to call) and calling are always
/// included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moves {
    /// `fc`: fold and call.
    FoldCall,
    /// `fcr`: also raise, in limit games.
    FoldCallRaise,
    /// `fcpa`: also bet the pot and all-in, in no-limit games.
    FoldCallPotAllIn,
    /// `56`: also 56 bets in no-limit games, all-in and the shares 0.05 · 1.15^k of the pot, k = 0
    /// … 54.
    Bets56,
}

/// Error for text that does not name a set of moves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' names no moves: fc, fcr (limit), fcpa or 56 (no-limit)")]
pub struct ParseMovesError(String);

/// Error for moves that the game does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the moves {moves} are not for this game: use fc or {instead}")]
pub struct MovesError {
    moves: Moves,
    instead: &'static str,
}

impl Moves {
    /// All sets of moves.
    pub const ALL: [Moves; 4] =
        [Moves::FoldCall, Moves::FoldCallRaise, Moves::FoldCallPotAllIn, Moves::Bets56];

    pub(super) fn check(self, def: &GameDef) -> Result<(), MovesError> {
        match (self, def.betting) {
            (Moves::FoldCallRaise, Betting::NoLimit) => {
                Err(MovesError { moves: self, instead: "fcpa or 56" })
            }
            (Moves::FoldCallPotAllIn | Moves::Bets56, Betting::Limit) => {
                Err(MovesError { moves: self, instead: "fcr" })
            }
            _ => Ok(()),
        }
    }

    /// The raise totals of the response, in increasing order without duplicates. A share of the pot
    /// is taken after calling and rounded to whole chips; illegal totals are left out.
    pub fn raises(self, public: &PublicState) -> Vec<Chips> {
        let legal = public.legal();
        let Some(allowed) = legal.raise else { return Vec::new() };
        let pot = public.pot() as f64 + f64::from(legal.to_call);
        // The conversion saturates; illegal totals are left out below.
        let share = |share: f64| (f64::from(public.highest()) + share * pot).round() as Chips;
        let mut totals = match self {
            Moves::FoldCall => Vec::new(),
            Moves::FoldCallRaise => vec![allowed.max],
            Moves::FoldCallPotAllIn => vec![share(1.0), allowed.max],
            Moves::Bets56 => {
                let shares = (0..55).map(|k| share(0.05 * 1.15f64.powi(k)));
                shares.chain([allowed.max]).collect()
            }
        };
        totals.retain(|&total| allowed.min <= total && total <= allowed.max);
        totals.sort_unstable();
        totals.dedup();
        totals
    }
}

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Moves::FoldCall => "fc",
            Moves::FoldCallRaise => "fcr",
            Moves::FoldCallPotAllIn => "fcpa",
            Moves::Bets56 => "56",
        })
    }
}

impl FromStr for Moves {
    type Err = ParseMovesError;

    fn from_str(text: &str) -> Result<Moves, ParseMovesError> {
        let named = Moves::ALL.into_iter().find(|moves| moves.to_string() == text);
        named.ok_or_else(|| ParseMovesError(text.to_owned()))
    }
}
