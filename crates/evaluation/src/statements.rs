//! The number of decisions of each statement of a fast-and-frugal tree, and its value.
//!
//! The lists play duplicate matches against the opponent; streets without a list are played as the
//! opponent plays them. The value of a statement is the difference in winnings on the same hands
//! when it is removed and those below it decide. Only the hands in which it decided are played
//! again, with the same cards and random numbers, since nothing changes in the others. All-ins
//! count with their expectation over the cards to come.

use std::convert::Infallible;
use std::sync::Arc;

use agents::{HeuristicPlayer, StatementEffect};
use game::{Action, GameDef, InfoSet, Payoff, Policy, Seat, Street};
use logs::stats::Sums;
use matches::runner::Stop;
use matches::table::Deal;
use readable::heuristic::Rulebook;

use crate::folder::measure_each;
use crate::hands::{Hands, ask};
use crate::{Error, Settings};

/// Deals that a thread plays at a time.
const BLOCK: u64 = 64;

/// The counts for one statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Statement {
    /// The number of its decisions.
    pub decisions: u64,
    /// The winnings in the hands in which it decided. A group is a deal.
    pub there: Sums,
    /// The loss when it is removed; zero for the default action, which cannot be removed. A
    /// group is a deal.
    pub value: Sums,
}

/// The result of a measurement, or of a part of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Measured {
    /// Deals played.
    pub deals: u64,
    /// The statements by street, then the default action; empty without a list.
    pub streets: [Vec<Statement>; 4],
    /// The winnings of the lists. A group is a deal, two hands.
    pub won: Sums,
}

impl Measured {
    fn new(book: &Rulebook) -> Measured {
        let empty = |street| {
            let lines = book.street(street).map_or(0, |list| list.statements().len() + 1);
            vec![Statement::default(); lines]
        };
        Measured { streets: Street::ALL.map(empty), ..Measured::default() }
    }

    fn merge(&mut self, other: &Measured) {
        self.deals += other.deals;
        self.won.merge(&other.won);
        for (own, other) in self.streets.iter_mut().zip(&other.streets) {
            for (own, other) in own.iter_mut().zip(other) {
                own.decisions += other.decisions;
                own.there.merge(&other.there);
                own.value.merge(&other.value);
            }
        }
    }
}

/// Plays lists against an opponent. When it is stopped, the result covers what was played by then.
///
/// `report` is called as deals come in. Only the statements of the street `value_of`, by default of
/// all streets, are removed in turn, which takes most of the time: a tenth of a millisecond a deal.
///
/// # Errors
/// When the game is not for two, or the hands are odd or none.
pub fn measure(
    def: &Arc<GameDef>,
    book: &Rulebook,
    opponent: &dyn Policy,
    value_of: Option<Street>,
    settings: Settings,
    stop: &Stop,
    report: &mut dyn FnMut(&Measured),
) -> Result<Measured, Error> {
    let deals = settings.deals(def)?;
    let struck = book.streets().flat_map(|(street, list)| {
        let wanted = value_of.is_none_or(|only| only == street);
        (0..list.statements().len()).filter(move |_| wanted).map(move |at| (street, at))
    });
    let without = |(street, at): (Street, usize)| {
        let list = book.street(street).expect("it is one of its lists").without(at);
        (street, at, HeuristicPlayer::new(&book.clone().with(street, list)))
    };
    let players = Players {
        opponent,
        whole: HeuristicPlayer::new(book),
        without: struck.map(without).collect(),
    };
    let blocks: Vec<u64> = (0..deals).step_by(BLOCK as usize).collect();
    let work = |&first: &u64| {
        let mut hands = Hands::new(def, settings.seed);
        let mut sums = Measured::new(book);
        for deal in first..(first + BLOCK).min(deals) {
            players.deal(&mut hands, deal, &mut sums);
        }
        Ok::<_, Infallible>(sums)
    };
    let mut total = Measured::new(book);
    let played = measure_each(&blocks, settings.jobs, stop, work, |block| {
        if let Some(block) = &block {
            total.merge(block);
        }
        report(&total);
        Ok(())
    });
    match played {
        Ok(()) => Ok(total),
        Err(never) => match never {},
    }
}

/// The players of a measurement.
struct Players<'a> {
    opponent: &'a dyn Policy,
    whole: HeuristicPlayer,
    /// The lists without one statement, by its street and number.
    without: Vec<(Street, usize, HeuristicPlayer)>,
}

impl Players<'_> {
    /// Plays a deal with the lists in each seat.
    fn deal(&self, hands: &mut Hands<'_>, deal: u64, sums: &mut Measured) {
        let cards = hands.deal(deal);
        let (mut won, mut there) = (Payoff::ZERO, Measured::by_statement(sums));
        let mut value = vec![Payoff::ZERO; self.without.len()];
        for seat in [0, 1].map(|seat| Seat::new(seat).expect("a game of two")) {
            let mut decided = Measured::by_statement(sums);
            let payoff = self.hand(hands, &cards, deal, seat, &self.whole, |street, statement| {
                sums.streets[street.index()][statement].decisions += 1;
                decided[street.index()][statement].1 = 1;
            });
            won += payoff;
            for (street, statement) in statement_indices(&decided) {
                if decided[street][statement].1 > 0 {
                    there[street][statement].0 += payoff;
                    there[street][statement].1 += 1;
                }
            }
            for ((street, statement, without), value) in self.without.iter().zip(&mut value) {
                if decided[street.index()][*statement].1 > 0 {
                    *value += payoff - self.hand(hands, &cards, deal, seat, without, |_, _| {});
                }
            }
        }
        sums.deals += 1;
        sums.won.add(won, 2);
        for (street, statement) in statement_indices(&there) {
            let (won, hands) = there[street][statement];
            sums.streets[street][statement].there.add(won, hands);
        }
        for ((street, statement, _), value) in self.without.iter().zip(value) {
            sums.streets[street.index()][*statement].value.add(value, 2);
        }
    }

    /// The winnings of the lists in this seat; `decides` is called with the statements that decide.
    fn hand(
        &self,
        hands: &mut Hands<'_>,
        cards: &Deal,
        deal: u64,
        seat: Seat,
        lists: &HeuristicPlayer,
        mut decides: impl FnMut(Street, usize),
    ) -> Payoff {
        let payoffs = hands.play(cards, deal, |infoset, points| {
            let effects = if infoset.seat == seat { lists.effects(infoset) } else { None };
            let Some(effects) = effects else {
                return ask(self.opponent, infoset).sample(points[0]);
            };
            let (statement, action) = drawn(&effects, infoset, points[1]);
            decides(infoset.public.street(), statement);
            action
        });
        payoffs[seat]
    }
}

/// The statement chosen by `point`, and its action.
fn drawn(effects: &[StatementEffect], infoset: &InfoSet, mut point: f64) -> (usize, Action) {
    for effect in effects {
        point -= effect.chance;
        if point < 0.0 {
            return (effect.statement, effect.action);
        }
    }
    let last = effects.last().map(|effect| (effect.statement, effect.action));
    last.unwrap_or_else(|| (0, infoset.legal().nearest(Action::Fold)))
}

/// The winnings in the hands of a deal and their number, by street and statement.
type ByStatement = [Vec<(Payoff, u32)>; 4];

impl Measured {
    fn by_statement(&self) -> ByStatement {
        Street::ALL.map(|street| vec![(Payoff::ZERO, 0); self.streets[street.index()].len()])
    }
}

fn statement_indices(sums: &ByStatement) -> impl Iterator<Item = (usize, usize)> + use<> {
    let lengths = [0, 1, 2, 3].map(|street| sums[street].len());
    (0..4).flat_map(move |street| (0..lengths[street]).map(move |at| (street, at)))
}
