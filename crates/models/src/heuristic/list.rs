//! Decision lists: the first statement that applies decides. A fast-and-frugal tree.

use super::{Act, Clause, HeuristicError, RuleScope};

/// Maximum number of statements of a list.
pub const MAX_STATEMENTS: usize = 64;

/// Maximum number of clauses of a statement.
pub const MAX_CLAUSES: usize = 16;

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
/// As text: `if hand >= pair then raise; else call`, see `text.rs`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Heuristic {
    statements: Vec<Statement>,
    default: Act,
}

impl Heuristic {
    /// A list of these statements. Without any, it always plays the default.
    ///
    /// # Errors
    /// [`HeuristicError::TooMany`], and [`HeuristicError::Statement`] when one has no clause, too
    /// many, two shares of times, or a value out of its range.
    pub fn new(statements: Vec<Statement>, default: Act) -> Result<Heuristic, HeuristicError> {
        if statements.len() > MAX_STATEMENTS {
            return Err(HeuristicError::TooMany { found: statements.len() });
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
    pub fn asks_win_rate(&self) -> bool {
        self.clauses().any(|clause| matches!(clause, Clause::WinRate(..)))
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
    pub fn check(&self, scope: RuleScope) -> Result<(), HeuristicError> {
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
    fn each(
        &self,
        check: impl Fn(ListItem<'_>) -> Result<(), String>,
    ) -> Result<(), HeuristicError> {
        let items = self.statements.iter().map(ListItem::Statement);
        for (at, item) in items.chain([ListItem::Default(self.default)]).enumerate() {
            check(item).map_err(|what| {
                let text = self.item_text(at);
                HeuristicError::Statement { number: at + 1, text, what }
            })?;
        }
        Ok(())
    }
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
