//! Evaluation of a list in a few nanoseconds: a statement's clauses bound eight numbers, which fit
//! one vector register.

use abstraction::facts::Facts;

use super::{Act, Bound, Clause, Heuristic, Statement};

/// Number of values that describe a situation.
pub(super) const NUMBERS: usize = 8;
pub(super) const HAND: usize = 0;
pub(super) const HIGH: usize = 1;
pub(super) const OUTS: usize = 2;
pub(super) const POT: usize = 3;
pub(super) const WIN_RATE: usize = 4;
pub(super) const DRY: usize = 5;
pub(super) const AGGRESSIVE: usize = 6;

/// The largest value; larger ones are clamped to it.
pub(super) const LARGEST: u16 = 0x7FFF;

/// A pot as clauses see it, in half steps: a whole number of big blinds, or between two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pot(u16);

impl Pot {
    /// The pot of this many chips, in a game with this big blind (at least one chip).
    pub fn new(chips: u64, big_blind: u32) -> Pot {
        let big_blind = u64::from(big_blind.max(1));
        let between = u64::from(!chips.is_multiple_of(big_blind));
        Pot((2 * (chips / big_blind) + between).min(u64::from(LARGEST)) as u16)
    }

    /// The pot of this many big blinds.
    pub fn blinds(blinds: u16) -> Pot {
        Pot(blinds.saturating_mul(2).min(LARGEST))
    }
}

/// The values on which a list decides, at most [`LARGEST`] each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Situation([u16; NUMBERS]);

impl Situation {
    /// A situation: the facts of hand and board, the pot, and whether the opponent's last action
    /// was a raise ([`abstraction::facts::is_aggressive`]). The win rate is 0 until set.
    #[inline]
    pub fn new(facts: Facts, pot: Pot, aggressive: bool) -> Situation {
        let mut numbers = [0; NUMBERS];
        numbers[HAND] = facts.category as u16;
        numbers[HIGH] = u16::from(facts.high.index());
        numbers[OUTS] = u16::from(facts.outs);
        numbers[POT] = pot.0;
        numbers[DRY] = u16::from(facts.dry);
        numbers[AGGRESSIVE] = u16::from(aggressive);
        Situation(numbers)
    }

    /// The same situation with this win rate, 0 to 1; differences below 1e-9 are ignored.
    #[inline]
    #[must_use]
    pub fn with_equity(mut self, rate: f64) -> Situation {
        let tenths = rate.clamp(0.0, 1.0) * 1_000.0;
        let whole = tenths.round();
        let between = (tenths - whole).abs() >= 1e-6;
        self.0[WIN_RATE] = if between { 2 * tenths.floor() as u16 + 1 } else { 2 * whole as u16 };
        self
    }

    /// Whether all the clauses hold; shares of times are ignored.
    pub fn holds(&self, clauses: &[Clause]) -> bool {
        let mut bounds = Bounds::ALL;
        clauses.iter().for_each(|&clause| bounds.add(clause));
        bounds.holds(*self)
    }
}

/// Inclusive lower and upper bounds of each value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) low: [u16; NUMBERS],
    pub(super) high: [u16; NUMBERS],
}

impl Bounds {
    /// Bounds that always hold.
    pub(super) const ALL: Bounds = Bounds { low: [0; NUMBERS], high: [LARGEST; NUMBERS] };

    /// The bounds of a statement's clauses, without draws.
    pub(super) fn from_statement(statement: &Statement) -> Bounds {
        statement.clauses.iter().fold(Bounds::ALL, |mut bounds, &clause| {
            bounds.add(clause);
            bounds
        })
    }

    pub(super) fn add(&mut self, clause: Clause) {
        let (number, bound, value) = match clause {
            Clause::Hand(bound, category) => (HAND, bound, category as u16),
            Clause::High(bound, rank) => (HIGH, bound, u16::from(rank.index())),
            Clause::Pot(bound, blinds) => (POT, bound, Pot::blinds(blinds).0),
            Clause::Outs(bound, outs) => (OUTS, bound, u16::from(outs)),
            Clause::Equity(bound, tenths) => (WIN_RATE, bound, tenths.saturating_mul(2)),
            Clause::Dry(dry) => return self.flag(DRY, dry),
            Clause::Aggressive(aggressive) => return self.flag(AGGRESSIVE, aggressive),
            Clause::Times(_) => return,
        };
        match bound {
            Bound::AtLeast => self.low[number] = self.low[number].max(value),
            Bound::AtMost => self.high[number] = self.high[number].min(value),
        }
    }

    /// Whether all values are within their bounds.
    #[inline]
    fn holds(&self, Situation(numbers): Situation) -> bool {
        // Without a branch for each, so that all are compared at once.
        (0..NUMBERS).fold(true, |holds, at| {
            holds & (self.low[at] <= numbers[at]) & (numbers[at] <= self.high[at])
        })
    }

    fn flag(&mut self, number: usize, value: bool) {
        self.low[number] = self.low[number].max(u16::from(value));
        self.high[number] = self.high[number].min(u16::from(value));
    }
}

/// A list compiled for fast evaluation.
#[derive(Debug, Clone)]
pub struct Decider {
    /// For each statement its bounds, its chance and its act.
    statements: Vec<(Bounds, f64, Act)>,
    default: Act,
}

impl Decider {
    /// Compiles a list.
    pub fn new(heuristic: &Heuristic) -> Decider {
        let ready = |statement: &Statement| {
            let times = statement.clauses.iter().find_map(|clause| match clause {
                Clause::Times(times) => Some(times.chance()),
                _ => None,
            });
            (Bounds::from_statement(statement), times.unwrap_or(1.0), statement.act)
        };
        let statements = heuristic.statements().iter().map(ready).collect();
        Decider { statements, default: heuristic.default() }
    }

    /// The act of a list without draws: that of the first statement whose clauses hold. Statements
    /// with a share of times are skipped.
    #[inline]
    pub fn decide(&self, situation: Situation) -> Act {
        let applies =
            |(bounds, chance, _): &&(Bounds, f64, Act)| bounds.holds(situation) && *chance >= 1.0;
        self.statements.iter().find(applies).map_or(self.default, |&(_, _, act)| act)
    }

    /// Calls `visit` with every part of the list that may decide: its index (the default's is the
    /// number of statements), its probability above 0, and its act. The probabilities sum to one.
    pub fn outcomes(&self, situation: Situation, mut visit: impl FnMut(usize, f64, Act)) {
        let mut left = 1.0;
        for (at, &(bounds, chance, act)) in self.statements.iter().enumerate() {
            if bounds.holds(situation) {
                visit(at, left * chance, act);
                left *= 1.0 - chance;
                if chance >= 1.0 {
                    return;
                }
            }
        }
        visit(self.statements.len(), left, self.default);
    }
}
