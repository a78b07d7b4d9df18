//! The number of decisions of each statement of a fast-and-frugal tree, and its value; the lists in
//! plain words with both, and a card to play them by.
//!
//! The lists play duplicate matches against the opponent; streets without a list are played as the
//! opponent plays them. The value of a statement is the difference in winnings on the same hands
//! when it is removed and those below it decide. Only the hands in which it decided are played
//! again, with the same cards and random numbers, since nothing changes in the others. All-ins
//! count with their expectation over the cards to come.

use std::convert::Infallible;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use agents::{HeuristicPlayer, StatementEffect};
use game::{Action, Betting, GameDef, InfoSet, Payoff, Policy, Seat, Street};
use logs::Rate;
use logs::stats::Sums;
use matches::runner::Stop;
use matches::table::Deal;
use models::explain::on_street;
use readable::heuristic::{Heuristic, Rulebook, Term};
use serde::Serialize;
use show::Table;
use show::card::{Card, CardSection};
use show::number::{capital, percent, signed, signed_minus, whole};

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
        (street, at, HeuristicPlayer::new(&book.clone().with_street(street, list)))
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

/// The lists in words with their measurements.
#[derive(Debug, Serialize)]
pub struct HeuristicReport<'a> {
    file: String,
    game: &'a str,
    /// What a dry board is.
    dry: String,
    against: Option<&'a str>,
    seed: Option<u64>,
    hands: u64,
    streets: Vec<StreetList>,
    /// The statements that can never decide.
    warnings: Vec<String>,
    /// The winnings of the lists over all hands.
    won: Option<Rate>,
    /// The definitions of the terms that the lists use, dry boards among them.
    #[serde(skip)]
    terms: Vec<String>,
    #[serde(skip)]
    betting: Betting,
}

/// The list of a street.
#[derive(Debug, Serialize)]
struct StreetList {
    street: &'static str,
    complexity: usize,
    statements: Vec<StatementReport>,
    /// The street in words.
    #[serde(skip)]
    head: String,
}

/// A statement with its measurement.
#[derive(Debug, Serialize)]
struct StatementReport {
    line: Option<usize>,
    text: String,
    says: String,
    decisions: Option<u64>,
    hands: Option<u64>,
    /// What the hands win in which it decides.
    wins: Option<Rate>,
    /// What all hands win more than without it.
    worth: Option<Rate>,
    /// Its condition and its action, for the card.
    #[serde(skip)]
    when_and_what: [String; 2],
}

impl<'a> HeuristicReport<'a> {
    /// The lists of a file for a game, or that of one street, with what was measured against an
    /// agent with a seed, if anything was.
    pub fn new(
        file: String,
        (game, def): (&'a str, &GameDef),
        book: &Rulebook,
        only: Option<Street>,
        played: Option<(&'a str, u64, &Measured)>,
    ) -> HeuristicReport<'a> {
        let measured = played.map(|(.., measured)| measured);
        let rate = |sums: &Sums| Rate::from_sums(sums, def.big_blind()).ok();
        let lists = || book.streets().filter(|(street, _)| only.is_none_or(|only| only == *street));
        let street = |(street, list): (Street, &Heuristic)| {
            let statement = |at: usize| {
                let measured = measured.and_then(|all| all.streets[street.index()].get(at));
                StatementReport {
                    line: book.line(street, at),
                    text: list.item_text(at),
                    says: list.sentence(at, street),
                    decisions: measured.map(|statement| statement.decisions),
                    hands: measured.map(|statement| statement.there.hands),
                    wins: measured.and_then(|statement| rate(&statement.there)),
                    worth: measured.and_then(|statement| rate(&statement.value)),
                    when_and_what: list.when_and_what(at, street).map(|text| capital(&text)),
                }
            };
            StreetList {
                street: street.name(),
                complexity: list.complexity(),
                statements: (0..=list.statements().len()).map(statement).collect(),
                head: capital(&on_street(street)),
            }
        };
        let mut terms: Vec<Term> = lists().flat_map(|(_, list)| list.terms()).collect();
        terms.sort();
        terms.dedup();
        let meaning = |term: Term| match term {
            Term::Dry => book.dry().sentence(),
            other => other.meaning().to_owned(),
        };
        let chips: u64 = def.stacks.iter().map(|&stack| u64::from(stack)).sum();
        let chips = chips.div_ceil(u64::from(def.big_blind().max(1)));
        let warnings = book.warnings(def.betting, u16::try_from(chips).ok()).into_iter();
        let warnings = warnings.filter(|warning| only.is_none_or(|only| only == warning.street));
        HeuristicReport {
            file,
            game,
            dry: book.dry().to_string(),
            against: played.map(|(against, ..)| against),
            seed: played.map(|(_, seed, _)| seed),
            hands: measured.map_or(0, |measured| 2 * measured.deals),
            streets: lists().map(street).collect(),
            warnings: warnings.map(|warning| warning.to_string()).collect(),
            won: measured.and_then(|measured| rate(&measured.won)),
            terms: terms.into_iter().map(meaning).collect(),
            betting: def.betting,
        }
    }

    fn table(&self, list: &StreetList) -> Table {
        let mut head = vec![""];
        if self.against.is_some() {
            head.extend(["decides", "of hands", "wins, mbb", "is worth, mbb"]);
        }
        let mut table = Table::new(head).right(1..).at_the_margin();
        let all = list.statements.iter().filter_map(|statement| statement.decisions).sum();
        for statement in &list.statements {
            let mut row = vec![statement.says.clone()];
            if let (Some(decisions), Some(hands)) = (statement.decisions, statement.hands) {
                let shares = [share(decisions, all), share(hands, self.hands)];
                row.extend(shares);
                row.extend([rate_cell(statement.wins), rate_cell(statement.worth)]);
            }
            table.row(row);
        }
        table
    }
}

fn share(part: u64, whole: u64) -> String {
    match whole {
        0 => "-".to_owned(),
        _ => percent(part as f64 / whole as f64, 1),
    }
}

fn rate_cell(rate: Option<Rate>) -> String {
    match rate {
        Some(rate) => format!("{} ± {:.0}", signed(rate.mbb, 0), rate.half_width()),
        None => "-".to_owned(),
    }
}

impl fmt::Display for HeuristicReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let HeuristicReport { file, game, .. } = self;
        match (self.against, self.seed) {
            (Some(against), Some(seed)) => {
                let hands = whole(self.hands);
                writeln!(f, "{file}, against {against} in {game}: {hands} hands, seed {seed}")?;
            }
            _ => writeln!(f, "{file}, for {game}")?,
        }
        for list in &self.streets {
            write!(f, "\n{}: complexity {}\n\n", list.head, list.complexity)?;
            writeln!(f, "{}", self.table(list))?;
        }
        if !self.terms.is_empty() {
            writeln!(f)?;
            self.terms.iter().try_for_each(|term| writeln!(f, "{term}"))?;
        }
        let mut warnings = self.warnings.iter();
        warnings.try_for_each(|warning| write!(f, "\nWarning: {warning}\n"))?;
        if let Some(rate) = self.won {
            write!(
                f,
                "\nAll together: {} mbb/hand with a 95 % interval of {} to {}\n",
                signed(rate.mbb, 1),
                signed(rate.interval.low, 1),
                signed(rate.interval.high, 1)
            )?;
        }
        Ok(())
    }
}

impl HeuristicReport<'_> {
    /// The rules of all streets as a card.
    pub fn card(&self) -> Card {
        let mut reading =
            "For two players. In each round go down the list: the first line that is \
                           true says what you do. Where there is nothing to pay, do not fold but \
                           check; where you may no longer raise, call."
                .to_owned();
        let game = match self.betting {
            Betting::Limit => "limit",
            Betting::NoLimit => {
                reading += " Against a bet, to bet the pot means to raise by what is in the \
                            middle after your call.";
                "no-limit"
            }
        };
        let mut foot = Vec::new();
        if let (Some(rate), Some(against)) = (self.won, self.against) {
            foot.push(format!(
                "Against {against} it wins {} ± {:.0} thousandths of a big blind a hand ({} \
                 hands).",
                signed_minus(rate.mbb, 0),
                rate.half_width(),
                whole(self.hands)
            ));
        }
        let file = Path::new(&self.file).file_name().map(|name| name.to_string_lossy());
        let file = file.unwrap_or_default();
        foot.push(format!("Rules: {file}. Made by cardroom {}.", env!("CARGO_PKG_VERSION")));
        let section = |list: &StreetList| CardSection {
            head: list.head.clone(),
            lines: list.statements.iter().map(|one| one.when_and_what.clone()).collect(),
        };
        Card {
            head: format!("How to play {game} hold’em"),
            reading,
            sections: self.streets.iter().map(section).collect(),
            terms: self.terms.clone(),
            foot,
        }
    }
}
