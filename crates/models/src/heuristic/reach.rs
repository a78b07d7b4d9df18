//! Reachability of statements: which can never apply, whatever the cards and the betting.
//!
//! A statement's clauses bound eight values, so it holds in a box. It is never reached when its box
//! is empty, or covered by those of earlier statements that always decide where they hold. The
//! values are treated as independent, within what the street and the game allow: what is reported
//! as unreachable is, and more may be.

use game::{Betting, Street};

use super::decide::{AGGRESSIVE, Bounds, DRY, HAND, HIGH, LARGEST, NUMBERS, OUTS, POT, WIN_RATE};
use super::{Clause, Heuristic, RuleScope};

/// The reason why a statement can never apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unreached {
    /// The clauses contradict each other.
    Contradiction,
    /// A clause cannot hold in the scope, such as a pot of 31 big blinds on the turn of a limit
    /// game.
    Impossible,
    /// Earlier statements decide wherever it would hold.
    Covered,
}

impl std::fmt::Display for Unreached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unreached::Contradiction => "its clauses cannot hold together",
            Unreached::Impossible => "there is no such situation on this street of the game",
            Unreached::Covered => "the statements above it decide wherever it applies",
        })
    }
}

/// Maximum number of boxes examined for one statement; beyond, it counts as reachable.
const EFFORT: usize = 100_000;

impl Heuristic {
    /// The items of the list that can never apply in a scope, by index (the default's is the number
    /// of statements), in order. `chips` is the total of a no-limit game in big blinds, rounded up;
    /// without it no pot is too large.
    pub fn unreached(&self, scope: RuleScope, chips: Option<u16>) -> Vec<(usize, Unreached)> {
        let all = everything(scope, chips);
        let mut found = Vec::new();
        let mut above: Vec<Bounds> = Vec::new();
        for (at, statement) in self.statements().iter().enumerate() {
            let own = Bounds::of(statement);
            let here = own.within(&all);
            let why = if own.is_empty() {
                Some(Unreached::Contradiction)
            } else if here.is_empty() {
                Some(Unreached::Impossible)
            } else {
                covered(here, &above, &mut { EFFORT }).then_some(Unreached::Covered)
            };
            found.extend(why.map(|why| (at, why)));
            if !statement.clauses.iter().any(|clause| matches!(clause, Clause::Times(_))) {
                above.push(own);
            }
        }
        if covered(all, &above, &mut { EFFORT }) {
            found.push((self.statements().len(), Unreached::Covered));
        }
        found
    }
}

/// The possible values of a situation in a scope, heads-up.
///
/// Pots of limit games are those of the competition's game: blinds of a half and one, bets of one
/// and two big blinds, three raises before the flop and four after it.
///
/// In no-limit games the acting player has chips left, so the pot is less than all chips.
fn everything(scope: RuleScope, chips: Option<u16>) -> Bounds {
    let mut all = Bounds { low: [0; NUMBERS], high: [0; NUMBERS] };
    all.high[HAND] = if scope.street == Street::Preflop { 1 } else { 8 };
    all.high[HIGH] = 12;
    if matches!(scope.street, Street::Flop | Street::Turn) {
        all.high[OUTS] = Clause::MAX_OUTS.into();
    }
    all.high[WIN_RATE] = 2_000;
    all.high[AGGRESSIVE] = 1;
    all.high[DRY] = 1;
    if scope.street == Street::Preflop {
        all.low[DRY] = 1;
    }
    let most =
        chips.map_or(LARGEST, |chips| chips.saturating_mul(2).saturating_sub(1).min(LARGEST));
    // In half big blinds. A limit street's largest pot at a decision is that after its last raise.
    (all.low[POT], all.high[POT]) = match (scope.betting, scope.street) {
        (Betting::Limit, Street::Preflop) => (3, 2 * 7),
        (Betting::Limit, Street::Flop) => (2 * 2, 2 * 15),
        (Betting::Limit, Street::Turn) => (2 * 2, 2 * 30),
        (Betting::Limit, Street::River) => (2 * 2, 2 * 46),
        (Betting::NoLimit, Street::Preflop) => (3, most),
        (Betting::NoLimit, _) => (2 * 2, most),
    };
    all
}

impl Bounds {
    fn is_empty(&self) -> bool {
        (0..NUMBERS).any(|number| self.low[number] > self.high[number])
    }

    fn within(&self, other: &Bounds) -> Bounds {
        Bounds {
            low: std::array::from_fn(|number| self.low[number].max(other.low[number])),
            high: std::array::from_fn(|number| self.high[number].min(other.high[number])),
        }
    }
}

/// Whether a nonempty box lies in the union of others: the part outside the first box that it meets
/// is cut into boxes, each of which must lie in the rest.
fn covered(target: Bounds, boxes: &[Bounds], effort: &mut usize) -> bool {
    if *effort == 0 {
        return false;
    }
    *effort -= 1;
    let meets = |other: &Bounds| !target.within(other).is_empty();
    let Some(first) = boxes.iter().position(meets) else { return false };
    let (cutter, rest) = (&boxes[first], &boxes[first + 1..]);
    let mut target = target;
    for number in 0..NUMBERS {
        if target.low[number] < cutter.low[number] {
            let mut below = target;
            below.high[number] = cutter.low[number] - 1;
            if !covered(below, rest, effort) {
                return false;
            }
            target.low[number] = cutter.low[number];
        }
        if target.high[number] > cutter.high[number] {
            let mut beyond = target;
            beyond.low[number] = cutter.high[number] + 1;
            if !covered(beyond, rest, effort) {
                return false;
            }
            target.high[number] = cutter.high[number];
        }
    }
    true
}
