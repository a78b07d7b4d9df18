//! The results of `cardroom equity` and `cardroom features`: parsing cards, and output as text,
//! JSON and SVG.

pub(crate) mod against;
pub(crate) mod chart;
pub(crate) mod hands;
pub(crate) mod input;
pub(crate) mod outlook;
pub(crate) mod svg;

use cards::{CardSet, Combo, Ties};

/// The value of a tie, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
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

    /// The value as given on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            TiesArg::Half => "half",
            TiesArg::WinOnly => "win-only",
        }
    }

    /// The value in words, for sentences.
    pub(crate) fn words(self) -> &'static str {
        match self {
            TiesArg::Half => "ties count half",
            TiesArg::WinOnly => "ties count nothing",
        }
    }
}

/// The definition of a quantile, on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Method {
    /// The nearest rank: the win-rate of some board
    #[default]
    Nearest,
    /// Linear interpolation between boards
    Linear,
}

impl Method {
    /// The value as given on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Method::Nearest => "nearest",
            Method::Linear => "linear",
        }
    }
}

/// The name of the street with this board.
pub(crate) fn street(board: CardSet) -> &'static str {
    match board.len() {
        0 => "preflop",
        3 => "flop",
        4 => "turn",
        _ => "river",
    }
}

/// The board in words, for sentences.
pub(crate) fn on_board(board: &str) -> String {
    if board.is_empty() { "before the flop".to_owned() } else { format!("on {board}") }
}

/// A hand as given on the command line, with its combo.
#[derive(Debug, Clone)]
pub(crate) struct Hand {
    pub(crate) text: String,
    pub(crate) combo: Combo,
}

/// A board as given on the command line, with its cards.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) text: String,
    pub(crate) cards: CardSet,
}
