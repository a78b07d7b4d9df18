//! The features of the 169 starting hands, which range over every board.
//!
//! Those of the default schema are shipped; the others are computed on demand.

use std::fmt::Write;
use std::sync::OnceLock;

use cards::{Combo, Distribution, Outlook, RiverTable, StartingHand, Ties};

use super::{Quantiles, Schema};

/// The win-rate and thirty deciles of each starting hand, by its number.
pub(super) type Rows = [[f32; VALUES]; StartingHand::COUNT];

/// Number of features of a starting hand that depend on cards.
pub(super) const VALUES: usize = 31;

/// The shipped rows: a line of win-rate numerators for each starting hand.
const SHIPPED: &str = include_str!("../../data/preflop.txt");

/// The denominators of these numerators: twice the number of boards and opponent hands, now and on
/// flop, turn and river.
const DENOMINATORS: [u64; 4] = [4_195_144_800, 2_140_380, 91_080, 1_980];

/// The rows of a schema. Those of the default are parsed from the shipped table; others take 2 s
/// once.
/// once.
pub(super) fn rows(schema: Schema) -> &'static Rows {
    static ROWS: [OnceLock<Box<Rows>>; 4] = [const { OnceLock::new() }; 4];
    let index = Schema::ALL.iter().position(|&other| other == schema);
    ROWS[index.expect("all schemas are listed")].get_or_init(|| match schema {
        Schema { ties: Ties::Half, quantiles: Quantiles::Nearest } => shipped(),
        _ => made(schema),
    })
}

/// The row of one hand, computed for it alone where it is not shipped: 0.2 s instead of 2 s.
pub(super) fn row(schema: Schema, hole: Combo) -> [f32; VALUES] {
    if schema == Schema::default() {
        return rows(schema)[hole.starting_hand().index()];
    }
    let outlook = RiverTable::shared(schema.ties).outlook(hole, cards::CardSet::EMPTY);
    values(schema, &outlook.expect("any hand can be held before the flop"))
}

fn made(schema: Schema) -> Box<Rows> {
    let mut rows = Box::new([[0.0; VALUES]; StartingHand::COUNT]);
    RiverTable::shared(schema.ties).each_starting_hand(|hand, outlook| {
        rows[hand.index()] = values(schema, outlook);
    });
    rows
}

fn values(schema: Schema, outlook: &Outlook) -> [f32; VALUES] {
    let mut values = [0.0; VALUES];
    values[0] = outlook.win_rate() as f32;
    for (values, distribution) in values[1..].chunks_mut(10).zip(outlook.later()) {
        values.copy_from_slice(&schema.deciles(distribution).map(|decile| decile as f32));
    }
    values
}

/// Recomputes the shipped table: the text of `abstraction/data/preflop.txt`. Takes 2 s.
pub fn table_text() -> String {
    let mut lines = vec![String::new(); StartingHand::COUNT];
    RiverTable::shared(Ties::Half).each_starting_hand(|hand, outlook| {
        let line = &mut lines[hand.index()];
        write!(line, "{hand} {}", outlook.ratio().0).expect("a string takes all");
        for decile in outlook.later().iter().flat_map(Distribution::decile_numerators) {
            write!(line, " {decile}").expect("a string takes all");
        }
        line.push('\n');
    });
    let [now, flop, turn, river] = DENOMINATORS;
    format!(
        "# Win-rates of the 169 starting hands, ties counted half, over every board: the win-rate \
         now in parts\n\
         # of {now}, then the deciles 10 % to 100 % of the win-rate on the flop in parts of \
         {flop}, on\n\
         # the turn of {turn} and on the river of {river}. Made by `cardroom features \
         --preflop-table`.\n{}",
        lines.concat()
    )
}

fn shipped() -> Box<Rows> {
    let mut rows = Box::new([[0.0; VALUES]; StartingHand::COUNT]);
    let lines = SHIPPED.lines().filter(|line| !line.starts_with('#'));
    for ((row, line), hand) in rows.iter_mut().zip(lines).zip(StartingHand::all()) {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        assert_eq!(name, hand.to_string(), "the shipped table lists the hands in order");
        for (at, (value, word)) in row.iter_mut().zip(words).enumerate() {
            let part: u64 = word.parse().expect("the shipped table holds whole numbers");
            *value = (part as f64 / DENOMINATORS[at.div_ceil(10)] as f64) as f32;
        }
    }
    rows
}
