//! What `cardroom equity` and `cardroom features` show: reading cards, and results as text, JSON
//! and SVG.

pub(crate) mod against;
pub(crate) mod chart;
pub(crate) mod hands;
pub(crate) mod input;
pub(crate) mod outlook;
pub(crate) mod svg;

use cards::{CardSet, Combo, Ties};

/// How a tie counts, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum TiesArg {
    /// As half a win: the share of the pot it brings
    #[default]
    Half,
    /// As nothing
    WinOnly,
}

impl TiesArg {
    pub(crate) fn ties(self) -> Ties {
        match self {
            TiesArg::Half => Ties::Half,
            TiesArg::WinOnly => Ties::WinOnly,
        }
    }

    /// The value as it is given.
    pub(crate) fn name(self) -> &'static str {
        match self {
            TiesArg::Half => "half",
            TiesArg::WinOnly => "win-only",
        }
    }

    /// The value as part of a sentence.
    pub(crate) fn words(self) -> &'static str {
        match self {
            TiesArg::Half => "ties count half",
            TiesArg::WinOnly => "ties count nothing",
        }
    }
}

/// How a quantile is read, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Method {
    /// The nearest rank: a win-rate that some board has
    #[default]
    Nearest,
    /// Linear interpolation between boards
    Linear,
}

impl Method {
    /// The value as it is given.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Nearest => "nearest",
            Method::Linear => "linear",
        }
    }
}

/// The name of the street with so many cards on the board.
pub(crate) fn street(board: CardSet) -> &'static str {
    match board.len() {
        0 => "preflop",
        3 => "flop",
        4 => "turn",
        _ => "river",
    }
}

/// The board as part of a sentence.
pub(crate) fn on_board(board: &str) -> String {
    if board.is_empty() { "before the flop".to_owned() } else { format!("on {board}") }
}

/// A hand as it was dealt on the command line, with what it is to the evaluator.
#[derive(Debug, Clone)]
pub(crate) struct Hand {
    pub(crate) text: String,
    pub(crate) combo: Combo,
}

/// A board as it was given, with its cards.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) text: String,
    pub(crate) cards: CardSet,
}
