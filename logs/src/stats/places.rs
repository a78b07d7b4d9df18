//! Where an entrant of a match loses most, compared with the others in the same place.
//!
//! Each hand counts once for each entrant, at its last decision in the hand. The places therefore
//! divide the hands: what the hands won adds up to the win rate, and the differences of the places
//! add up to the total difference from the others. All-ins count with their expected value.
//! Differences are computed over whole deals, so that both seats of a duplicate deal are compared
//! with each other. Which differences are significant is tested jointly, by Holm's method.

use std::collections::BTreeMap;
use std::fmt;

use game::{Action, BySeat, Chips, Played, Position, PublicState, Seat, Street};
use serde::Serialize;
use show::Table;
use show::number::{self, whole};

use super::{AllIn, Expected, Rate, t_quantile};
use crate::{HandRecord, MatchInfo};

/// The most boards enumerated for all-ins of three and more players; those of two cost nothing.
const BOARDS: u64 = 100_000_000;
/// The least number of hands in a place, over all players: with fewer, one stack more or less
/// decides.
const ENOUGH: u64 = 30;
/// Significance level: the probability that chance alone separates any place.
const SIGNIFICANCE: f64 = 0.05;

/// The place where a hand counts: an entrant's last decision in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    street: Street,
    position: Position,
    /// Number of bets and raises on the street before the decision, blinds not counted: 0, 1, or 2
    /// for more.
    raises: u8,
    /// The action; `None` if the others ended the hand before the entrant could decide.
    action: Option<ActionKind>,
}

/// The kind of action taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
enum ActionKind {
    Fold,
    Check,
    Call,
    Raise,
    AllIn,
}

/// A group of hands that are added up: a single place, or all places with something in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    All,
    Street(Street),
    Position(Position),
    Action(Option<ActionKind>),
    Spot(Spot),
}

impl Key {
    fn words(self) -> String {
        match self {
            Key::All => "all".to_owned(),
            Key::Street(street) => street.name().to_owned(),
            Key::Position(position) => position.to_string(),
            Key::Action(action) => match action {
                None => "nothing to decide",
                Some(ActionKind::Fold) => "folds",
                Some(ActionKind::Check) => "checks",
                Some(ActionKind::Call) => "calls",
                Some(ActionKind::Raise) => "bets or raises",
                Some(ActionKind::AllIn) => "goes all-in",
            }
            .to_owned(),
            Key::Spot(place) => place.words(),
        }
    }
}

impl Spot {
    /// The place of an action of the seat to act.
    fn new(public: &PublicState, seat: Seat, action: Action) -> Spot {
        let action = match action {
            Action::Fold => ActionKind::Fold,
            Action::Call if !public.legal().fold => ActionKind::Check,
            Action::Call => ActionKind::Call,
            Action::RaiseTo(total) if total == public.committed()[seat] + public.stack(seat) => {
                ActionKind::AllIn
            }
            Action::RaiseTo(_) => ActionKind::Raise,
        };
        Spot {
            street: public.street(),
            position: public.def().position(seat),
            raises: public.raises().min(2) as u8,
            action: Some(action),
        }
    }

    /// The place in words, as in `river, button: calls a bet`.
    fn words(self) -> String {
        let before_flop = self.street == Street::Preflop;
        let faced = match (before_flop, self.raises) {
            (true, 0) => "the blind",
            (true, 1) | (false, 2..) => "a raise",
            (true, _) => "a reraise",
            (false, _) => "a bet",
        };
        let action = match (self.action, self.raises) {
            (None, _) => "nothing to decide".to_owned(),
            (Some(ActionKind::Fold), _) => format!("folds to {faced}"),
            (Some(ActionKind::Check), _) => "checks".to_owned(),
            (Some(ActionKind::Call), _) => format!("calls {faced}"),
            (Some(ActionKind::Raise), 0) if before_flop => "raises first".to_owned(),
            (Some(ActionKind::Raise), 0) => "bets".to_owned(),
            (Some(ActionKind::Raise), _) => format!("raises {faced}"),
            (Some(ActionKind::AllIn), 0) => "goes all-in".to_owned(),
            (Some(ActionKind::AllIn), _) => format!("goes all-in over {faced}"),
        };
        format!("{}, {}: {action}", self.street.name(), self.position)
    }

    /// The groups that a hand in this place belongs to.
    fn keys(self) -> [Key; 5] {
        let Spot { street, position, action, .. } = self;
        [
            Key::All,
            Key::Street(street),
            Key::Position(position),
            Key::Action(action),
            Key::Spot(self),
        ]
    }
}

/// The place of an action of the seat to act, in words: `river, button: calls a bet`.
pub fn place_words(public: &PublicState, seat: Seat, action: Action) -> String {
    Spot::new(public, seat, action).words()
}

/// The last decision of each seat in a hand.
fn last_decisions(hand: &HandRecord) -> Vec<(u8, Seat, Spot)> {
    let mut places: BySeat<Option<Spot>> = BySeat::new(hand.entrants.len());
    hand.public.each_decision(|public, Played { seat, action, .. }| {
        places[seat] = Some(Spot::new(public, seat, action));
    });
    let nothing = |seat| Spot {
        street: Street::Preflop,
        position: hand.public.def().position(seat),
        raises: 0,
        action: None,
    };
    let last = |(seat, &entrant): (Seat, &u8)| {
        (entrant, seat, places[seat].unwrap_or_else(|| nothing(seat)))
    };
    hand.entrants.iter().map(last).collect()
}

/// Sums over a group of hands, in chips: what the entrant won, and how much more that is than the
/// others' average.
#[derive(Debug, Clone, Copy, Default)]
struct Line {
    /// Number of hands: the entrant's, and those of all others.
    hands: [u64; 2],
    /// Sums over whole deals.
    sum: [f64; 2],
    squares: [f64; 2],
    /// Sums over the current deal.
    open: [f64; 2],
    open_hands: [u64; 2],
}

impl Line {
    /// Adds the current deal, which is complete.
    fn close(&mut self) {
        for side in 0..2 {
            let open = std::mem::take(&mut self.open[side]);
            self.sum[side] += open;
            self.squares[side] += open * open;
            self.hands[side] += std::mem::take(&mut self.open_hands[side]);
        }
    }
}

/// Sums of all groups, accumulated deal by deal.
#[derive(Debug)]
pub struct PlaceSums {
    names: Vec<String>,
    who: u8,
    /// The number of other entrants.
    others: f64,
    /// Hands in a whole deal.
    group: usize,
    big_blind: Chips,
    all_in: AllIn,
    lines: BTreeMap<Key, Line>,
    deal: Option<u64>,
    open: usize,
    /// Number of whole deals.
    groups: u64,
}

impl PlaceSums {
    /// Empty sums for this entrant of a match.
    pub fn new(info: &MatchInfo, who: usize) -> PlaceSums {
        PlaceSums {
            names: info.entrants.iter().map(|entrant| entrant.name.clone()).collect(),
            who: who as u8,
            others: info.entrants.len().saturating_sub(1).max(1) as f64,
            group: info.group().max(1),
            big_blind: info.game.big_blind().max(1),
            all_in: AllIn::new(BOARDS),
            lines: BTreeMap::new(),
            deal: None,
            open: 0,
            groups: 0,
        }
    }

    /// Adds the next hand of the match.
    pub fn add(&mut self, hand: &HandRecord) {
        let payoffs = match self.all_in.expected(hand) {
            Expected::Known(payoffs) => payoffs,
            Expected::AsPlayed | Expected::NotComputed => hand.payoffs,
        };
        if self.deal.replace(hand.deal) != Some(hand.deal) {
            self.drop_open();
        }
        self.open += 1;
        for (entrant, seat, place) in last_decisions(hand) {
            let won = payoffs[seat].chips();
            let own = entrant == self.who;
            for key in place.keys() {
                let line = self.lines.entry(key).or_default();
                line.open_hands[usize::from(!own)] += 1;
                if own {
                    line.open = [line.open[0] + won, line.open[1] + won];
                } else {
                    line.open[1] -= won / self.others;
                }
            }
        }
        if self.open == self.group {
            self.lines.values_mut().for_each(Line::close);
            self.groups += 1;
            (self.open, self.deal) = (0, None);
        }
    }

    /// Discards a deal of which hands are missing.
    fn drop_open(&mut self) {
        if self.open > 0 {
            self.open = 0;
            for line in self.lines.values_mut() {
                (line.open, line.open_hands) = Default::default();
            }
        }
    }

    /// The results, whose text lists at most so many places; `None` with fewer than two whole
    /// deals.
    pub fn results(mut self, most: usize) -> Option<Results> {
        self.drop_open();
        if self.groups < 2 {
            return None;
        }
        let rows = |kind: fn(Key) -> bool| {
            let lines = self.lines.iter().filter(|(key, _)| kind(**key));
            let mut rows: Vec<Row> = lines.map(|(&key, line)| Row::new(&self, key, line)).collect();
            rows.retain(|row| (row.hands, row.hands_of_others) != (0, 0));
            // Each way of dividing the hands is tested on its own.
            mark_significant(rows.iter_mut().collect());
            rows.sort_by(|a, b| a.difference.mbb.total_cmp(&b.difference.mbb));
            rows
        };
        let who = usize::from(self.who);
        let others = match self.names.len() {
            2 => self.names[1 - who].clone(),
            _ => "the others".to_owned(),
        };
        Some(Results {
            entrant: self.names[who].clone(),
            others,
            hands: self.groups * self.group as u64,
            deals: self.groups,
            all: rows(|key| key == Key::All).pop(),
            places: rows(|key| matches!(key, Key::Spot(_))),
            streets: rows(|key| matches!(key, Key::Street(_))),
            positions: rows(|key| matches!(key, Key::Position(_))),
            actions: rows(|key| matches!(key, Key::Action(_))),
            group: self.group,
            most,
        })
    }

    /// The rate per hand of the match: of the winnings (`side` 0) or of the difference (1).
    fn rate(&self, line: &Line, side: usize) -> Rate {
        let (groups, size) = (self.groups as f64, self.group as f64);
        let mean = line.sum[side] / groups;
        let squares = (line.squares[side] - groups * mean * mean).max(0.0);
        let error = (squares / (groups - 1.0) / groups).sqrt();
        let unit = 1000.0 / f64::from(self.big_blind) / size;
        Rate::from_error(mean * unit, error * unit, self.groups * self.group as u64, self.groups)
    }
}

/// A row of the result: a group of hands.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    /// The place, if it is a single one.
    place: Option<PlaceReport>,
    hands: u64,
    hands_of_others: u64,
    won: Rate,
    /// The entrant's winnings minus those of the others.
    difference: Rate,
    verdict: Verdict,
    #[serde(skip)]
    key: Key,
}

#[derive(Debug, Serialize)]
struct PlaceReport {
    street: &'static str,
    position: String,
    raises_before: u8,
    action: Option<ActionKind>,
}

/// Whether a difference is statistically significant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
enum Verdict {
    #[serde(rename = "separated")]
    Separated,
    #[serde(rename = "not separated")]
    NotSeparated,
    /// Too few hands to decide.
    #[serde(rename = "too few hands")]
    TooFew,
}

impl Verdict {
    fn words(self) -> &'static str {
        match self {
            Verdict::Separated => "separated",
            Verdict::NotSeparated => "not separated",
            Verdict::TooFew => "too few hands",
        }
    }
}

impl Row {
    fn new(sums: &PlaceSums, key: Key, line: &Line) -> Row {
        let place = match key {
            Key::Spot(Spot { street, position, raises, action }) => Some(PlaceReport {
                street: street.name(),
                position: position.to_string(),
                raises_before: raises,
                action,
            }),
            _ => None,
        };
        let enough = line.hands.iter().sum::<u64>() >= ENOUGH;
        Row {
            name: key.words(),
            place,
            hands: line.hands[0],
            hands_of_others: line.hands[1],
            won: sums.rate(line, 0),
            difference: sums.rate(line, 1),
            verdict: if enough { Verdict::NotSeparated } else { Verdict::TooFew },
            key,
        }
    }
}

/// Marks which differences are significant, by Holm's method: the clearest must pass the test
/// corrected for all of them, the next the test corrected for the rest, until one fails.
fn mark_significant(mut rows: Vec<&mut Row>) {
    rows.retain(|row| row.verdict == Verdict::NotSeparated && row.difference.mbb != 0.0);
    let clear = |row: &Row| row.difference.mbb.abs() / row.difference.standard_error;
    rows.sort_by(|a, b| clear(b).total_cmp(&clear(a)));
    let all = rows.len();
    for (number, row) in rows.into_iter().enumerate() {
        let level = SIGNIFICANCE / (all - number) as f64;
        if clear(row) <= t_quantile(1.0 - 0.5 * level, row.difference.groups - 1) {
            return;
        }
        row.verdict = Verdict::Separated;
    }
}

/// The results of an entrant. The rows of each way of dividing the hands are sorted by the
/// difference, the largest loss first.
#[derive(Debug, Serialize)]
pub struct Results {
    entrant: String,
    others: String,
    hands: u64,
    deals: u64,
    all: Option<Row>,
    places: Vec<Row>,
    streets: Vec<Row>,
    positions: Vec<Row>,
    actions: Vec<Row>,
    /// Hands in a whole deal.
    #[serde(skip)]
    group: usize,
    /// The most places that the text lists.
    #[serde(skip)]
    most: usize,
}

impl Results {
    fn table<'r>(&self, rows: impl Iterator<Item = &'r Row>, ranked: bool) -> String {
        let (theirs, they) = (format!("of {}", self.others), format!("by {}", self.others));
        let header = ["", "", "hands", &theirs, "won", &they, "difference", "95 %", ""];
        let mut table = Table::new(header).right(2..8);
        for (number, row) in (1..).zip(rows) {
            let Row { won, difference, .. } = row;
            table.row([
                if ranked { number.to_string() } else { String::new() },
                row.name.clone(),
                whole(row.hands),
                whole(row.hands_of_others),
                signed(won.mbb),
                signed(won.mbb - difference.mbb),
                signed(difference.mbb),
                format!("± {:.1}", difference.half_width()),
                row.verdict.words().to_owned(),
            ]);
        }
        format!("{table}\n")
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Results { entrant, others, .. } = self;
        let (deals, group, most) = (self.deals, self.group, self.most);
        let again = match group {
            1 => String::new(),
            _ => format!(" ({} deals, each played {group} times)", whole(deals)),
        };
        let won = self.all.as_ref().map_or_else(String::new, |row| {
            format!(": {} ± {:.1} mbb/hand", signed(row.won.mbb), row.won.half_width())
        });
        write!(
            f,
            "{entrant} in {} hands{again}{won}, all-ins by their expectation\n\n\
             Each hand counts where {entrant} decided last in it, and where {others} did: mbb per \
             hand of the match, which add up\n\
             over the places. The difference is what {entrant} won there more than {others}, with \
             its 95 % interval.\n",
            whole(self.hands),
        )?;
        let places = &self.places;
        let behind = |row: &&Row| row.difference.mbb < 0.0;
        let clear = |row: &&Row| row.verdict == Verdict::Separated;
        let clear: Vec<&Row> = places.iter().filter(clear).filter(behind).collect();
        match clear.len() {
            0 => write!(
                f,
                "\nNo place where {entrant} loses more than {others} is significant; the list \
                 says where to look with more hands.\n"
            )?,
            count => {
                let differ = match count {
                    1 => "1 place differs".to_owned(),
                    _ => format!("{count} places differ"),
                };
                let together = signed(clear.iter().map(|row| row.difference.mbb).sum());
                write!(f, "\n{differ} significantly: {together} mbb/hand together.\n")?;
            }
        }
        // Significant differences come first.
        let mut behind: Vec<&Row> = places.iter().filter(behind).collect();
        behind.sort_by_key(|row| row.verdict != Verdict::Separated);
        let table = self.table(behind.iter().copied().take(most), true);
        write!(f, "\nWhere {entrant} loses most compared with {others}\n{table}")?;
        let left = behind.len().saturating_sub(most);
        if left > 0 {
            let significant = match clear.len().saturating_sub(most) {
                0 => "none".to_owned(),
                some => some.to_string(),
            };
            writeln!(f, "… and {left} more, {significant} significant: --most shows them")?;
        }
        let ahead = places.iter().rev().filter(|row| row.difference.mbb > 0.0);
        let table = self.table(ahead.take(most), true);
        write!(f, "\nWhere it wins most compared with {others}\n{table}")?;
        for (head, rows) in [
            ("By street of the last decision", &self.streets),
            ("By position", &self.positions),
            ("By the last action", &self.actions),
        ] {
            let mut rows: Vec<&Row> = rows.iter().collect();
            rows.sort_by_key(|row| row.key);
            write!(f, "\n{head}\n{}", self.table(rows.into_iter(), false))?;
        }
        Ok(())
    }
}

fn signed(number: f64) -> String {
    number::signed(number, 1)
}
