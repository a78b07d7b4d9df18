//! Rule lists: strategies for betting and calling the last bet, short enough to remember.
//!
//! One player bets one of many sizes or checks, the other calls or folds, and the better hand wins.
//! A list says with which hands to bet for value, and how much; with how many of the worst to
//! bluff; and with how many hands to call. Such games with ten cards, and rules learned from their
//! solutions: S. Ganzfried and F. Yusuf, *Computing Human-Understandable Strategies: Deducing
//! Fundamental Rules of Poker Strategy*, Games 8(4), 2017. Bluffs to value bets are as b to 1 + b
//! for a bet of b pots: a caller who beats only bluffs, and so loses b or wins 1 + b, then breaks
//! even.
//!
//! - [`RuleList::parse`] and its `Display`: the text, specified in `text.rs`.
//! - [`Betting::chances`], [`Calling::chances`]: a list's action probabilities for every hand of a
//!   player, in `play.rs`.

mod error;
mod play;
mod text;

pub use error::RulesError;
pub use play::Hands;

/// Maximum number of bets of a list.
pub const MAX_BETS: usize = 100;

/// Maximum size of a bet in pots, and maximum factor of bluffs and calls.
pub const LARGEST: f64 = 1_000.0;

/// A bet size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// A multiple of the pot before the bet, above 0 and up to [`LARGEST`].
    Pots(f64),
    /// The whole remaining stack.
    AllIn,
}

/// A line of a list: a size, and the hands that bet it for value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bet {
    /// The bet size.
    pub size: Size,
    /// The least share of the other player's hands that a hand must beat, ties counting half, in
    /// percent from 0 to 100. A percentage, so that the text is reproduced to the digit.
    pub percent: f64,
}

impl Bet {
    /// Whether a hand that beats this share of the other player's hands, 0 to 1, makes the bet.
    pub fn takes(&self, beats: f64) -> bool {
        at_least(beats, self.percent)
    }
}

/// The rules where nobody has bet. A hand bets by the first line that takes it, bluffs if the list
/// has bluffs and it is among the worst, and otherwise checks.
#[derive(Debug, Clone, PartialEq)]
pub struct Betting {
    bets: Vec<Bet>,
    bluffs: Option<f64>,
}

impl Betting {
    /// Bets in descending order of their shares, and the bluffing frequency, as a multiple of b/(1
    /// + b) for each hand that bets b pots for value; `None` for never.
    ///
    /// # Errors
    /// [`RulesError::Value`] when a number is out of its range or the order is wrong.
    pub fn new(bets: Vec<Bet>, bluffs: Option<f64>) -> Result<Betting, RulesError> {
        if bets.len() > MAX_BETS {
            let what = format!("{} bets are more than {MAX_BETS}: leave some out", bets.len());
            return Err(RulesError::Value(what));
        }
        for (number, bet) in bets.iter().enumerate() {
            check_bet(&bets[..number], bet).map_err(RulesError::Value)?;
        }
        bluffs.map_or(Ok(()), check_factor).map_err(RulesError::Value)?;
        if bets.is_empty() && bluffs.is_some() {
            let what = "there is no bet to bluff with: add one, or leave the bluffs out";
            return Err(RulesError::Value(what.to_owned()));
        }
        Ok(Betting { bets, bluffs })
    }

    /// The bets, in descending order of their shares.
    pub fn bets(&self) -> &[Bet] {
        &self.bets
    }

    /// The bluffing frequency, as a multiple of b/(1 + b); `None` for never.
    pub fn bluffs(&self) -> Option<f64> {
        self.bluffs
    }

    /// The first line that takes a hand that beats this share of the other player's hands.
    pub fn bet(&self, beats: f64) -> Option<&Bet> {
        self.bets.iter().find(|bet| bet.takes(beats))
    }
}

/// The rule for calling a bet; other hands fold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Calling {
    /// Call with the best of one's hands: this factor divided by 1 + b of them against a bet of b
    /// pots, above 0 and up to [`LARGEST`]. With 1, bets of hands that beat nothing win nothing on
    /// average.
    Best(f64),
    /// Call with hands that beat this share of the other player's, ties counting half, in percent
    /// from 0 to 100, whatever the bet.
    Beating(f64),
}

/// A rule list: the rules where nobody has bet, and where the other player has. Either may be
/// missing, but not both.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleList {
    betting: Option<Betting>,
    calling: Option<Calling>,
}

impl RuleList {
    /// A list of these parts.
    ///
    /// # Errors
    /// [`RulesError::Empty`] without either, [`RulesError::Value`] when a number of the second is
    /// out of its range.
    pub fn new(betting: Option<Betting>, calling: Option<Calling>) -> Result<RuleList, RulesError> {
        let checked = match calling {
            Some(Calling::Best(factor)) => check_factor(factor),
            Some(Calling::Beating(percent)) => check_percent(percent),
            None if betting.is_none() => return Err(RulesError::Empty),
            None => Ok(()),
        };
        checked.map_err(RulesError::Value)?;
        Ok(RuleList { betting, calling })
    }

    /// The rules where nobody has bet.
    pub fn betting(&self) -> Option<&Betting> {
        self.betting.as_ref()
    }

    /// The rule where the other player has bet.
    pub fn calling(&self) -> Option<Calling> {
        self.calling
    }
}

/// Rounding tolerance of sums of weights.
const ROUNDING: f64 = 1e-12;

fn at_least(beats: f64, percent: f64) -> bool {
    beats >= percent / 100.0 - ROUNDING
}

/// Checks that a bet may follow these.
fn check_bet(before: &[Bet], bet: &Bet) -> Result<(), String> {
    if let Size::Pots(pots) = bet.size {
        let fits = pots > 0.0 && pots <= LARGEST;
        let range = format!("a bet is above 0 and at most {LARGEST} pots, or `all-in`");
        fits.then_some(()).ok_or(format!("{pots} is not a size: {range}"))?;
    }
    check_percent(bet.percent)?;
    match before.last() {
        Some(last) if bet.percent >= last.percent => Err(format!(
            "{} % is not below the {} % of the bet before: put bets in descending order",
            bet.percent, last.percent
        )),
        _ => Ok(()),
    }
}

fn check_percent(percent: f64) -> Result<(), String> {
    let fits = (0.0..=100.0).contains(&percent);
    fits.then_some(()).ok_or_else(|| format!("{percent} % is not a share: it is from 0 to 100 %"))
}

fn check_factor(factor: f64) -> Result<(), String> {
    let fits = factor > 0.0 && factor <= LARGEST;
    let range = format!("it is above 0 and at most {LARGEST}");
    fits.then_some(()).ok_or_else(|| format!("{factor} is not a factor: {range}"))
}
