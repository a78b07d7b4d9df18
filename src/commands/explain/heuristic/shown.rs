//! The lists and their measurements, as text and as JSON.

use evaluation::statements::{Measured, Statement};
use game::{GameDef, Street};
use logs::Rate;
use logs::stats::Sums;
use models::heuristic::{Heuristic, Rulebook, Term};
use serde_json::json;
use show::Table;
use show::number::{percent, signed, whole};

use crate::commands::explain::tree_source::on;
use crate::output::Shown;

/// Lists with their measurements.
pub(super) struct Lists<'a> {
    /// The name given on the command line.
    pub(super) name: String,
    pub(super) book: &'a Rulebook,
    /// The only street to show, if one was chosen.
    pub(super) street: Option<Street>,
    pub(super) def: &'a GameDef,
    pub(super) game: &'a str,
    pub(super) against: &'a str,
    pub(super) seed: u64,
    pub(super) measured: Option<&'a Measured>,
}

impl Lists<'_> {
    /// The lists that are shown.
    pub(super) fn streets(&self) -> impl Iterator<Item = (Street, &Heuristic)> {
        self.book.streets().filter(|(street, _)| self.street.is_none_or(|only| only == *street))
    }

    fn rate(&self, sums: &Sums) -> Option<Rate> {
        Rate::of(sums, self.def.big_blind()).ok()
    }

    /// The winnings of the lists over all hands.
    pub(super) fn won(&self) -> Option<Rate> {
        self.rate(&self.measured?.won)
    }

    /// The definitions of the terms that the lists use, dry boards among them.
    pub(super) fn terms(&self) -> Vec<String> {
        let mut terms: Vec<Term> = self.streets().flat_map(|(_, list)| list.terms()).collect();
        terms.sort();
        terms.dedup();
        let meaning = |term: Term| match term {
            Term::Dry => self.book.dry().sentence(),
            other => other.meaning().to_owned(),
        };
        terms.into_iter().map(meaning).collect()
    }

    /// The statements that can never decide.
    fn warnings(&self) -> Vec<String> {
        let chips: u64 = self.def.stacks.iter().map(|&stack| u64::from(stack)).sum();
        let chips = chips.div_ceil(u64::from(self.def.big_blind().max(1)));
        let chips = u16::try_from(chips).ok();
        let warnings = self.book.warnings(self.def.betting, chips).into_iter();
        let shown =
            warnings.filter(|warning| self.street.is_none_or(|only| only == warning.street));
        shown.map(|warning| warning.to_string()).collect()
    }

    fn table(&self, street: Street, list: &Heuristic) -> Table {
        let mut head = vec!["".to_owned()];
        let statements = self.measured.map(|measured| &measured.streets[street.index()]);
        if statements.is_some() {
            head.extend(["decides", "of hands", "wins, mbb", "is worth, mbb"].map(str::to_owned));
        }
        let mut table = Table::new(head).right(1..).at_the_margin();
        let all = statements.map_or(0, |all| all.iter().map(|one| one.decisions).sum());
        for at in 0..=list.statements().len() {
            let mut row = vec![list.sentence(at, street)];
            if let Some(statement) = statements.and_then(|statements| statements.get(at)) {
                row.extend(self.figures(statement, all));
            }
            table.row(row);
        }
        table
    }

    /// The cells of a statement: how often it decides and what it wins. `all` is the number of
    /// decisions on the street.
    fn figures(&self, statement: &Statement, all: u64) -> [String; 4] {
        let hands = self.measured.map_or(0, |measured| 2 * measured.deals);
        let share = |part: u64, whole: u64| match whole {
            0 => "-".to_owned(),
            _ => percent(part as f64 / whole as f64, 1),
        };
        let rate = |sums: &Sums| match self.rate(sums) {
            Some(rate) => format!("{} ± {:.0}", signed(rate.mbb, 0), rate.half_width()),
            None => "-".to_owned(),
        };
        [
            share(statement.decisions, all),
            share(statement.there.hands, hands),
            rate(&statement.there),
            rate(&statement.value),
        ]
    }
}

impl Shown for Lists<'_> {
    fn text(&self) -> String {
        let mut text = match self.measured {
            None => format!("{}, for {}\n", self.name, self.game),
            Some(measured) => format!(
                "{}, against {} in {}: {} hands, seed {}\n",
                self.name,
                self.against,
                self.game,
                whole(2 * measured.deals),
                self.seed
            ),
        };
        for (street, list) in self.streets() {
            let complexity = list.complexity();
            text += &format!("\n{}: complexity {complexity}\n\n", capital(&on(street)));
            text += &format!("{}\n", self.table(street, list));
        }
        let terms = self.terms();
        if !terms.is_empty() {
            text += "\n";
            terms.iter().for_each(|term| text += &format!("{term}\n"));
        }
        for warning in self.warnings() {
            text += &format!("\nWarning: {warning}\n");
        }
        if let Some(rate) = self.won() {
            text += &format!(
                "\nAll together: {} mbb/hand with a 95 % interval of {} to {}\n",
                signed(rate.mbb, 1),
                signed(rate.interval.low, 1),
                signed(rate.interval.high, 1)
            );
        }
        text
    }

    fn document(&self) -> impl serde::Serialize {
        let street = |(street, list): (Street, &Heuristic)| {
            let measured = self.measured.map(|measured| &measured.streets[street.index()]);
            let statement = |at: usize| {
                let measured = measured.and_then(|statements| statements.get(at));
                json!({
                    "line": self.book.line(street, at),
                    "text": list.item_text(at),
                    "says": list.sentence(at, street),
                    "decisions": measured.map(|statement| statement.decisions),
                    "hands": measured.map(|statement| statement.there.hands),
                    "wins": measured.and_then(|statement| self.rate(&statement.there)),
                    "worth": measured.and_then(|statement| self.rate(&statement.value)),
                })
            };
            json!({
                "street": street.name(),
                "complexity": list.complexity(),
                "statements": (0..=list.statements().len()).map(statement).collect::<Vec<_>>(),
            })
        };
        json!({
            "schema": "cardroom-explain-heuristic/1",
            "file": self.name,
            "game": self.game,
            "dry": self.book.dry().to_string(),
            "against": self.measured.map(|_| self.against),
            "seed": self.measured.map(|_| self.seed),
            "hands": self.measured.map_or(0, |measured| 2 * measured.deals),
            "streets": self.streets().map(street).collect::<Vec<_>>(),
            "warnings": self.warnings(),
            "won": self.won(),
        })
    }
}

/// The text with a capital first letter.
pub(super) fn capital(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}
