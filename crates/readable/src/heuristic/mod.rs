//! Fast-and-frugal trees: chains of `if … then …; else …` for one street, simple enough for a
//! novice.
//!
//! The language is that of F. de Mesentier Silva, J. Togelius, F. Lantz and A. Nealen, *Generating
//! Novice Heuristics for Post-Flop Poker*, IEEE Conference on Computational Intelligence and Games
//! 2018, sections IV and VII, for limit hold'em; extensions for no-limit games are sized bets, win
//! rates and declared shares of times.
//!
//! - [`Heuristic`]: the statements of one street; its `Display` and [`Heuristic::parse`] are the
//!   text, specified in `text.rs`. `{}` is one line, `{:#}` has a line for each statement.
//! - [`Clause`], [`Act`]: the tests and actions of statements.
//! - [`Decider`]: a list compiled for fast evaluation of a [`Situation`].
//! - [`Heuristic::unreached`]: statements that can never apply.
//! - [`Heuristic::sentence`]: statements in plain words.
//! - [`Rulebook`]: the lists of a game's streets, as a file.
//! - [`fitness`]: the exact winnings of a list on one street against a blueprint.
//! - [`search`]: the search for lists and rulebooks that win most.

mod decide;
pub mod fitness;
mod rulebook;
pub mod search;
mod text;

use cards::{Category, Rank};
use game::{Betting, Street};

use crate::{Error, Reason};

pub use decide::{Decider, Pot, Situation};
pub use rulebook::{Rulebook, Unreached, Warning};
pub use text::{Term, facts_in_words};

/// The direction of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bound {
    /// `>=`.
    AtLeast,
    /// `<=`.
    AtMost,
}

impl Bound {
    /// Both directions.
    pub const ALL: [Bound; 2] = [Bound::AtLeast, Bound::AtMost];
}

/// A test of a situation (paper, section IV.A; win rates and shares of times are additions).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Clause {
    /// The category of the made hand.
    Hand(Bound, Category),
    /// The rank that names the made hand ([`abstraction::facts::MadeHand::high`]).
    High(Bound, Rank),
    /// The pot in big blinds, 1 to [`Clause::LARGEST_POT`].
    Pot(Bound, u16),
    /// The number of outs ([`abstraction::facts::outs`]), 0 to [`Clause::MAX_OUTS`].
    Outs(Bound, u8),
    /// Whether the opponent's last action was a raise.
    Aggressive(bool),
    /// Whether the board is dry.
    Dry(bool),
    /// The win rate against a uniformly random opponent hand over all boards to come, ties half: in
    /// tenths of a percent, 0 to 1,000. On the river it is the share of opponent hands that the
    /// hand beats.
    Equity(Bound, u16),
    /// A random draw with a fixed chance, see [`Times`].
    Times(Times),
}

/// A chance of `n` in `m` times, 1 <= n < m <= 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Times {
    n: u8,
    m: u8,
}

impl Times {
    /// The largest `m`.
    pub const MAX: u8 = 100;

    /// A chance of `n` in `m`; `None` unless 1 <= n < m <= 100.
    pub fn new(n: u8, m: u8) -> Option<Times> {
        (n >= 1 && n < m && m <= Times::MAX).then_some(Times { n, m })
    }

    /// `[n, m]`.
    pub fn parts(self) -> [u8; 2] {
        [self.n, self.m]
    }

    /// The probability, above 0 and below 1.
    pub fn chance(self) -> f64 {
        f64::from(self.n) / f64::from(self.m)
    }
}

/// The street and kind of game in which a list is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RuleScope {
    /// The street.
    pub street: Street,
    /// Limit or no-limit.
    pub betting: Betting,
}

impl Clause {
    /// The largest pot of a clause in a limit game, in big blinds: the largest showdown pot of the
    /// competition's game.
    pub(crate) const LARGEST_LIMIT_POT: u16 = 48;
    /// The largest pot of a clause, in big blinds.
    pub(crate) const LARGEST_POT: u16 = 1_000;
    /// The largest number of outs of a clause.
    pub(crate) const MAX_OUTS: u8 = 21;

    /// All clauses of the paper's language in a scope, one for each value, without win rates and
    /// shares of times. In no-limit games pots go up to `pots` big blinds, in limit games to
    /// [`Clause::LARGEST_LIMIT_POT`].
    ///
    /// Clauses that always hold (`outs >= 0`) are included; all pass [`Clause::check`] there.
    pub fn all(scope: RuleScope, pots: u16) -> Vec<Clause> {
        let pots = match scope.betting {
            Betting::Limit => Clause::LARGEST_LIMIT_POT,
            Betting::NoLimit => pots.clamp(1, Clause::LARGEST_POT),
        };
        let mut all = Vec::new();
        for bound in Bound::ALL {
            all.extend(Category::ALL.map(|category| Clause::Hand(bound, category)));
            all.extend(Rank::all().map(|rank| Clause::High(bound, rank)));
            all.extend((1..=pots).map(|blinds| Clause::Pot(bound, blinds)));
            all.extend((0..=Clause::MAX_OUTS).map(|outs| Clause::Outs(bound, outs)));
        }
        all.extend([true, false].map(Clause::Aggressive));
        all.extend([true, false].map(Clause::Dry));
        all.retain(|clause| clause.check(scope.street, Some(scope.betting)).is_ok());
        all
    }

    /// Checks that the clause is meaningful on a street, and in games of a kind if one is given.
    ///
    /// # Errors
    /// A message with the remedy: outs before the flop or on the river, a board before the flop, a
    /// pot beyond the game's, a value out of its range.
    pub fn check(self, street: Street, betting: Option<Betting>) -> Result<(), String> {
        self.check_value()?;
        match (self, street, betting) {
            (Clause::Outs(..), Street::River, _) => Err(
                "there are no outs on the river, where no more cards come: leave the clause out"
                    .to_owned(),
            ),
            (Clause::Outs(..), Street::Preflop, _) => {
                Err("outs are counted on the flop and the turn: leave the clause out".to_owned())
            }
            (Clause::Dry(_), Street::Preflop, _) => {
                Err("before the flop there is no board: leave the clause out".to_owned())
            }
            (Clause::Pot(_, blinds), _, Some(Betting::Limit))
                if blinds > Clause::LARGEST_LIMIT_POT =>
            {
                Err(format!(
                    "{blinds} big blinds are not a pot of a limit game: it is from 1 to {}",
                    Clause::LARGEST_LIMIT_POT
                ))
            }
            _ => Ok(()),
        }
    }

    /// Checks that the value is in its range, at any place.
    fn check_value(self) -> Result<(), String> {
        match self {
            Clause::Pot(_, blinds) if !(1..=Clause::LARGEST_POT).contains(&blinds) => Err(format!(
                "{blinds} is not a pot: it is in whole big blinds, 1 to {} (to {} in limit games)",
                Clause::LARGEST_POT,
                Clause::LARGEST_LIMIT_POT
            )),
            Clause::Outs(_, outs) if outs > Clause::MAX_OUTS => {
                Err(format!("{outs} are too many outs: they are from 0 to {}", Clause::MAX_OUTS))
            }
            Clause::Equity(_, tenths) if tenths > 1_000 => Err(format!(
                "{} % is not a win rate: it is from 0 to 100 %",
                f64::from(tenths) / 10.0
            )),
            _ => Ok(()),
        }
    }
}

/// The action of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Act {
    /// Fold; check where there is nothing to call.
    Fold,
    /// Call; check where there is nothing to call.
    Call,
    /// Bet or raise by the game's amount; call where no raise is legal. Limit games only.
    Raise,
    /// Bet or raise by this share of the pot after the call, in hundredths, 1 to
    /// [`Act::LARGEST_BET`], clamped to the legal range. Call where no raise is legal. No-limit
    /// games only.
    Bet(u16),
    /// Bet or raise all-in. No-limit games only.
    AllIn,
}

impl Act {
    /// The three acts of limit games.
    pub const LIMIT: [Act; 3] = [Act::Fold, Act::Call, Act::Raise];
    /// The largest bet, in hundredths of the pot.
    pub(crate) const LARGEST_BET: u16 = 10_000;

    /// Checks that it is an act of games of this kind.
    ///
    /// # Errors
    /// A message with the remedy.
    pub fn check(self, betting: Betting) -> Result<(), String> {
        match (self, betting) {
            (Act::Raise, Betting::NoLimit) => {
                Err("`raise` is for limit games, and in this one a raise needs a size: write `bet \
                 half`, `bet pot`, `bet 0.75 pot` or `all-in`"
                    .to_owned())
            }
            (Act::Bet(_) | Act::AllIn, Betting::Limit) => Err(format!(
                "`{self}` is for no-limit games, and in this one all raises have one size: write \
                 `raise`"
            )),
            _ => Ok(()),
        }
    }

    fn check_value(self) -> Result<(), String> {
        match self {
            Act::Bet(hundredths) if !(1..=Act::LARGEST_BET).contains(&hundredths) => Err(format!(
                "{} pots are not a bet: it is from 0.01 to {} pots, or `all-in`",
                f64::from(hundredths) / 100.0,
                Act::LARGEST_BET / 100
            )),
            _ => Ok(()),
        }
    }
}

/// Maximum number of statements of a list.
const MAX_STATEMENTS: usize = 64;

/// Maximum number of clauses of a statement.
const MAX_CLAUSES: usize = 16;

/// A statement: clauses that must all hold, and the act then.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Statement {
    /// One to [`MAX_CLAUSES`] clauses; at most one is a share of times.
    pub clauses: Vec<Clause>,
    /// The act where all clauses hold.
    pub act: Act,
}

/// A decision list for one street: ordered statements and a default act.
///
/// As text: `if hand >= pair then raise; else call`, see [`Heuristic::parse`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Heuristic {
    statements: Vec<Statement>,
    default: Act,
}

impl Heuristic {
    /// A list of these statements. Without any, it always plays the default.
    ///
    /// # Errors
    /// When there are too many, and when one has no clause, too many, two shares of times, or a
    /// value out of its range.
    pub fn new(statements: Vec<Statement>, default: Act) -> Result<Heuristic, Error> {
        if statements.len() > MAX_STATEMENTS {
            return Err(too_many(statements.len()));
        }
        let heuristic = Heuristic { statements, default };
        heuristic.each(|item| match item {
            ListItem::Statement(statement) => statement.check_values(),
            ListItem::Default(act) => act.check_value(),
        })?;
        Ok(heuristic)
    }

    /// The list without the statement at this index, from 0.
    #[must_use]
    pub fn without(&self, at: usize) -> Heuristic {
        let mut list = self.clone();
        if at < list.statements.len() {
            list.statements.remove(at);
        }
        list
    }

    /// The statements in order.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }

    /// The act where no statement applies.
    pub fn default(&self) -> Act {
        self.default
    }

    /// The complexity measure of the paper (section VII): the number of clauses and acts, the
    /// default included.
    pub fn complexity(&self) -> usize {
        let statements = self.statements.iter();
        statements.map(|statement| statement.clauses.len() + 1).sum::<usize>() + 1
    }

    /// Whether any clause tests the win rate, which takes longer to compute than all other facts.
    pub fn asks_equity(&self) -> bool {
        self.clauses().any(|clause| matches!(clause, Clause::Equity(..)))
    }

    /// Whether any statement has a random draw.
    pub fn is_mixed(&self) -> bool {
        self.clauses().any(|clause| matches!(clause, Clause::Times(_)))
    }

    /// The acts of the statements, the default last.
    pub fn acts(&self) -> impl Iterator<Item = Act> {
        self.statements.iter().map(|statement| statement.act).chain([self.default])
    }

    fn clauses(&self) -> impl Iterator<Item = Clause> {
        self.statements.iter().flat_map(|statement| statement.clauses.iter().copied())
    }

    /// Checks that the list can be played in a scope.
    ///
    /// # Errors
    /// The first statement that cannot: outs on the river, `raise` in a no-limit game, a pot that a
    /// limit game cannot have ([`Clause::check`], [`Act::check`]).
    pub fn check(&self, scope: RuleScope) -> Result<(), Error> {
        self.each(|item| {
            let (clauses, act) = match item {
                ListItem::Statement(statement) => (statement.clauses.as_slice(), statement.act),
                ListItem::Default(act) => (&[][..], act),
            };
            clauses
                .iter()
                .try_for_each(|clause| clause.check(scope.street, Some(scope.betting)))?;
            act.check(scope.betting)
        })
    }

    /// Checks each item; the error names the first that fails.
    fn each(&self, check: impl Fn(ListItem<'_>) -> Result<(), String>) -> Result<(), Error> {
        let items = self.statements.iter().map(ListItem::Statement);
        for (at, item) in items.chain([ListItem::Default(self.default)]).enumerate() {
            check(item).map_err(|what| {
                let text = self.item_text(at);
                Error(Reason::Statement { number: at + 1, text, what })
            })?;
        }
        Ok(())
    }
}

fn too_many(found: usize) -> Error {
    Error::new(format!("{found} statements are more than {MAX_STATEMENTS}: leave some out"))
}

/// An item of a list: a statement, or the default.
enum ListItem<'a> {
    Statement(&'a Statement),
    Default(Act),
}

impl Statement {
    fn check_values(&self) -> Result<(), String> {
        if self.clauses.is_empty() {
            return Err("a statement has a clause: write one, or only the action as the last line"
                .to_owned());
        }
        if self.clauses.len() > MAX_CLAUSES {
            let found = self.clauses.len();
            return Err(format!("{found} clauses are more than {MAX_CLAUSES}: leave some out"));
        }
        let draws = self.clauses.iter().filter(|clause| matches!(clause, Clause::Times(_)));
        if draws.count() > 1 {
            return Err(
                "one share of times is enough: `one in three times` and `one in two times` \
                        are `one in six times`"
                    .to_owned(),
            );
        }
        self.clauses.iter().try_for_each(|clause| clause.check_value())?;
        self.act.check_value()
    }
}
