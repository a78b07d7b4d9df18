//! `cardroom explain results`: where an entrant of a recorded match loses most, compared with the
//! others in the same place.
//!
//! Each hand counts once for each entrant, at its last decision in the hand. The places therefore
//! divide the hands: what the hands won adds up to the win rate, and the differences of the places
//! add up to the total difference from the others. All-ins count with their expected value.
//! Differences are computed over whole deals, so that both seats of a duplicate deal are compared
//! with each other. Which differences are significant is judged jointly, by Holm's method.

use std::collections::BTreeMap;
use std::path::PathBuf;

use game::{Action, BySeat, Payoff, Position, PublicState, Seat, Street};
use logs::stats::{AllIn, Expected, t_quantile};
use logs::{HandRecord, MatchInfo, Rate};
use serde_json::{Value, json};
use show::Table;
use show::number::{self, whole};

use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::progress::Progress;
use crate::source::Source;

/// Rank the places of a match where an entrant loses most, compared with the others there.
///
/// Each hand counts at the entrant's last decision: by street, position, what it faced and what it
/// did. The winnings of all places add up to the win rate, in mbb per hand of the match. They are
/// compared with the others' winnings in the same place, for the same number of hands from each
/// seat. The difference has a 95 % interval, and the largest loss comes first. Significance is
/// corrected for the number of places (Holm, 5 %). All-ins count with their expected value.
///
/// MATCH is a match folder, a ledger, or the log of any ACPC dealer.
///
/// Examples:
///   cardroom explain results data/matches/oct-vs-cfr
///   cardroom explain results data/matches/oct-vs-cfr --who cfr --most 30
///
/// Exit codes: 2 when no entrant has the name --who, 3 when the match cannot be read or has fewer
/// than two deals.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The match's folder, its ledger, or an ACPC log
    #[arg(value_name = "MATCH")]
    path: PathBuf,
    /// The entrant [default: the first]
    #[arg(long, value_name = "ENTRANT")]
    who: Option<String>,
    /// Places shown where the entrant is behind, and where it is ahead
    #[arg(long, value_name = "N", default_value_t = 8)]
    most: usize,
    /// The game of an ACPC log, if its first line does not identify it
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Print one JSON document with all places instead of text
    #[arg(long)]
    json: bool,
    /// No progress display
    #[arg(long, short)]
    quiet: bool,
}

/// The most boards enumerated for all-ins of three and more players; those of two cost nothing.
const BOARDS: u64 = 100_000_000;
/// The least number of hands in a place, over all players: with fewer, one stack more or less
/// decides.
const ENOUGH: u64 = 30;
/// Significance level: the probability that chance alone separates any place.
const CHANCE: f64 = 0.05;

/// Runs the command: adds the hands up and returns the table.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let source = Source::open(&args.path, args.game.as_deref())?;
    source.warn_of_faults(args.quiet)?;
    let info = source.info();
    let names: Vec<&str> = info.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    let who = match &args.who {
        None => 0,
        Some(name) => names.iter().position(|known| known == name).ok_or_else(|| {
            Failure::usage(format!("--who {name}: the entrants are {}", names.join(", ")))
        })?,
    };
    let mut count = Count::new(info, who);
    let mut progress = Progress::patient(source.count()?, "hands", args.quiet);
    let mut all_in = AllIn::new(BOARDS);
    for (done, hand) in (1..).zip(source.hands()?) {
        let hand = hand.map_err(Failure::input)?;
        let payoffs = match all_in.expected(&hand) {
            Expected::Known(payoffs) => payoffs,
            Expected::AsPlayed | Expected::NotComputed => hand.payoffs,
        };
        count.add(&hand, &payoffs);
        if done % 256 == 0 {
            progress.show(done, "");
        }
    }
    progress.finish();
    let found = Found::of(count).ok_or_else(|| {
        Failure::input(anyhow::anyhow!(
            "{}: fewer than two whole deals, too few for an interval",
            args.path.display()
        ))
    })?;
    let leaks = Leaks { args, names: &names, who, found: &found };
    Output::of(&leaks, args.json)
}

/// The place where a hand counts: an entrant's last decision in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Spot {
    street: Street,
    position: Position,
    /// Number of bets and raises on the street before the decision, blinds not counted: 0, 1, or 2
    /// for more.
    raises: u8,
    /// The action; `None` if the others ended the hand before the entrant could decide.
    did: Option<Did>,
}

/// The kind of action taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Did {
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
    Did(Option<Did>),
    Spot(Spot),
}

impl Key {
    fn words(self) -> String {
        match self {
            Key::All => "all".to_owned(),
            Key::Street(street) => street.name().to_owned(),
            Key::Position(position) => position.to_string(),
            Key::Did(did) => match did {
                None => "nothing to decide",
                Some(Did::Fold) => "folds",
                Some(Did::Check) => "checks",
                Some(Did::Call) => "calls",
                Some(Did::Raise) => "bets or raises",
                Some(Did::AllIn) => "goes all-in",
            }
            .to_owned(),
            Key::Spot(place) => place.words(),
        }
    }
}

impl Spot {
    /// The place of an action of the seat to act.
    fn of(public: &PublicState, seat: Seat, action: Action) -> Spot {
        let did = match action {
            Action::Fold => Did::Fold,
            Action::Call if !public.legal().fold => Did::Check,
            Action::Call => Did::Call,
            Action::RaiseTo(total) if total == public.committed()[seat] + public.stack(seat) => {
                Did::AllIn
            }
            Action::RaiseTo(_) => Did::Raise,
        };
        Spot {
            street: public.street(),
            position: public.def().position(seat),
            raises: public.raises().min(2) as u8,
            did: Some(did),
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
        let did = match (self.did, self.raises) {
            (None, _) => "nothing to decide".to_owned(),
            (Some(Did::Fold), _) => format!("folds to {faced}"),
            (Some(Did::Check), _) => "checks".to_owned(),
            (Some(Did::Call), _) => format!("calls {faced}"),
            (Some(Did::Raise), 0) if before_flop => "raises first".to_owned(),
            (Some(Did::Raise), 0) => "bets".to_owned(),
            (Some(Did::Raise), _) => format!("raises {faced}"),
            (Some(Did::AllIn), 0) => "goes all-in".to_owned(),
            (Some(Did::AllIn), _) => format!("goes all-in over {faced}"),
        };
        format!("{}, {}: {did}", self.street.name(), self.position)
    }

    /// The groups that a hand in this place belongs to.
    fn keys(self) -> [Key; 5] {
        let Spot { street, position, did, .. } = self;
        [Key::All, Key::Street(street), Key::Position(position), Key::Did(did), Key::Spot(self)]
    }
}

/// The last decision of each seat in a hand.
fn last_decisions(hand: &HandRecord) -> Vec<(u8, Seat, Spot)> {
    let mut places: BySeat<Option<Spot>> = BySeat::new(hand.entrants.len());
    hand.each_decision(|public, seat| {
        let played = public.history().len();
        places[seat] = Some(Spot::of(public, seat, hand.public.history()[played].action));
    });
    let nothing = |seat| Spot {
        street: Street::Preflop,
        position: hand.public.def().position(seat),
        raises: 0,
        did: None,
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
struct Count {
    who: u8,
    /// The number of other entrants.
    others: f64,
    /// Hands in a whole deal.
    group: usize,
    big_blind: game::Chips,
    lines: BTreeMap<Key, Line>,
    deal: Option<u64>,
    open: usize,
    /// Number of whole deals.
    groups: u64,
}

impl Count {
    fn new(info: &MatchInfo, who: usize) -> Count {
        Count {
            who: who as u8,
            others: info.entrants.len().saturating_sub(1).max(1) as f64,
            group: info.group().max(1),
            big_blind: info.game.big_blind().max(1),
            lines: BTreeMap::new(),
            deal: None,
            open: 0,
            groups: 0,
        }
    }

    fn add(&mut self, hand: &HandRecord, payoffs: &BySeat<Payoff>) {
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
                match own {
                    true => line.open = [line.open[0] + won, line.open[1] + won],
                    false => line.open[1] -= won / self.others,
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

/// A row of the result.
struct Row {
    key: Key,
    hands: [u64; 2],
    won: Rate,
    /// The entrant's winnings minus those of the others.
    difference: Rate,
    verdict: Verdict,
}

/// Whether a difference is statistically significant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Separated,
    Not,
    /// Too few hands to judge.
    TooFew,
}

impl Verdict {
    fn words(self) -> &'static str {
        match self {
            Verdict::Separated => "separated",
            Verdict::Not => "not separated",
            Verdict::TooFew => "too few hands",
        }
    }
}

/// All rows, sorted by the difference, the largest loss first.
struct Found {
    rows: Vec<Row>,
    groups: u64,
    group: usize,
}

impl Found {
    /// The rows of the sums; `None` with fewer than two whole deals.
    fn of(mut count: Count) -> Option<Found> {
        count.drop_open();
        if count.groups < 2 {
            return None;
        }
        let row = |(&key, line): (&Key, &Line)| Row {
            key,
            hands: line.hands,
            won: count.rate(line, 0),
            difference: count.rate(line, 1),
            verdict: match line.hands.iter().sum::<u64>() >= ENOUGH {
                true => Verdict::Not,
                false => Verdict::TooFew,
            },
        };
        let mut rows: Vec<Row> = count.lines.iter().map(row).collect();
        rows.retain(|row| row.hands != [0, 0]);
        // Each way of dividing the hands is judged on its own.
        for kind in [is_all, is_street, is_position, is_did, is_place] {
            judge(rows.iter_mut().filter(|row| kind(row.key)).collect());
        }
        rows.sort_by(|a, b| a.difference.mbb.total_cmp(&b.difference.mbb));
        Some(Found { rows, groups: count.groups, group: count.group })
    }

    fn rows(&self, kind: fn(Key) -> bool) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| kind(row.key))
    }
}

fn is_all(key: Key) -> bool {
    key == Key::All
}

fn is_street(key: Key) -> bool {
    matches!(key, Key::Street(_))
}

fn is_position(key: Key) -> bool {
    matches!(key, Key::Position(_))
}

fn is_did(key: Key) -> bool {
    matches!(key, Key::Did(_))
}

fn is_place(key: Key) -> bool {
    matches!(key, Key::Spot(_))
}

/// Judges which differences are significant, by Holm's method: the clearest must pass the test
/// corrected for all of them, the next the test corrected for the rest, until one fails.
fn judge(mut rows: Vec<&mut Row>) {
    rows.retain(|row| row.verdict == Verdict::Not && row.difference.mbb != 0.0);
    let clear = |row: &Row| row.difference.mbb.abs() / row.difference.standard_error;
    rows.sort_by(|a, b| clear(b).total_cmp(&clear(a)));
    let all = rows.len();
    for (number, row) in rows.into_iter().enumerate() {
        let chance = CHANCE / (all - number) as f64;
        if clear(row) <= t_quantile(1.0 - 0.5 * chance, row.difference.groups - 1) {
            return;
        }
        row.verdict = Verdict::Separated;
    }
}

/// The results of an entrant.
struct Leaks<'a> {
    args: &'a Args,
    names: &'a [&'a str],
    who: usize,
    found: &'a Found,
}

impl Leaks<'_> {
    fn other(&self) -> String {
        match self.names.len() {
            2 => self.names[1 - self.who].to_owned(),
            _ => "the others".to_owned(),
        }
    }

    fn table<'r>(&self, rows: impl Iterator<Item = &'r Row>, ranked: bool) -> String {
        let other = self.other();
        let (theirs, they) = (format!("of {other}"), format!("by {other}"));
        let header = ["", "", "hands", &theirs, "won", &they, "difference", "95 %", ""];
        let mut table = Table::new(header).right(2..8);
        for (number, row) in (1..).zip(rows) {
            let Row { key, hands, won, difference, verdict } = row;
            table.row([
                if ranked { number.to_string() } else { String::new() },
                key.words(),
                whole(hands[0]),
                whole(hands[1]),
                signed(won.mbb),
                signed(won.mbb - difference.mbb),
                signed(difference.mbb),
                format!("± {:.1}", difference.half_width()),
                verdict.words().to_owned(),
            ]);
        }
        format!("{table}\n")
    }
}

impl Shown for Leaks<'_> {
    fn text(&self) -> String {
        let Found { groups, group, .. } = *self.found;
        let (name, other) = (self.names[self.who], self.other());
        let hands = groups * group as u64;
        let deals = match group {
            1 => String::new(),
            _ => format!(" ({} deals, each played {group} times)", whole(groups)),
        };
        let all: Vec<&Row> = self.found.rows(is_all).collect();
        let won = all.first().map_or_else(String::new, |row| {
            format!(": {} ± {:.1} mbb/hand", signed(row.won.mbb), row.won.half_width())
        });
        let mut text = format!(
            "{name} in {} hands{deals}{won}, all-ins by their expectation\n\n\
             Each hand counts where {name} decided last in it, and where {other} did: mbb per hand \
             of the match, which add up\n\
             over the places. The difference is what {name} won there more than {other}, with its \
             95 % interval.\n",
            whole(hands),
        );
        let places: Vec<&Row> = self.found.rows(is_place).collect();
        let behind = |row: &&&Row| row.difference.mbb < 0.0;
        let clear: Vec<&Row> = places
            .iter()
            .filter(|row| row.verdict == Verdict::Separated)
            .filter(behind)
            .copied()
            .collect();
        let most = self.args.most;
        text += &match clear.len() {
            0 => format!(
                "\nNo place where {name} loses more than {other} is significant; the list says \
                 where to look with more hands.\n"
            ),
            count => format!(
                "\n{} significantly: {} mbb/hand together.\n",
                if count == 1 {
                    "1 place differs".to_owned()
                } else {
                    format!("{count} places differ")
                },
                signed(clear.iter().map(|row| row.difference.mbb).sum()),
            ),
        };
        // Significant differences come first.
        let mut behind: Vec<&Row> = places.iter().filter(behind).copied().collect();
        behind.sort_by_key(|row| row.verdict != Verdict::Separated);
        text += &format!("\nWhere {name} loses most compared with {other}\n");
        text += &self.table(behind.iter().copied().take(most), true);
        let left = behind.len().saturating_sub(most);
        if left > 0 {
            let significant = match clear.len().saturating_sub(most) {
                0 => "none".to_owned(),
                some => some.to_string(),
            };
            text += &format!("… and {left} more, {significant} significant: --most shows them\n");
        }
        let ahead = places.iter().rev().filter(|row| row.difference.mbb > 0.0).copied();
        text += &format!(
            "\nWhere it wins most compared with {other}\n{}",
            self.table(ahead.take(most), true)
        );
        for (head, kind) in [
            ("By street of the last decision", is_street as fn(Key) -> bool),
            ("By position", is_position),
            ("By the last action", is_did),
        ] {
            let mut rows: Vec<&Row> = self.found.rows(kind).collect();
            rows.sort_by_key(|row| row.key);
            text += &format!("\n{head}\n{}", self.table(rows.into_iter(), false));
        }
        text
    }

    fn document(&self) -> impl serde::Serialize {
        let row = |row: &Row| {
            let place = match row.key {
                Key::Spot(Spot { street, position, raises, did }) => json!({
                    "street": street.name(),
                    "position": position.to_string(),
                    "raises_before": raises,
                    "action": did.map(|did| format!("{did:?}").to_lowercase()),
                }),
                _ => Value::Null,
            };
            json!({
                "name": row.key.words(),
                "place": place,
                "hands": row.hands[0],
                "hands_of_others": row.hands[1],
                "won": row.won,
                "difference": row.difference,
                "verdict": row.verdict.words(),
            })
        };
        let rows = |kind: fn(Key) -> bool| self.found.rows(kind).map(row).collect::<Vec<_>>();
        json!({
            "schema": "cardroom-explain-results/1",
            "entrant": self.names[self.who],
            "others": self.other(),
            "hands": self.found.groups * self.found.group as u64,
            "deals": self.found.groups,
            "all": rows(is_all).first(),
            "places": rows(is_place),
            "streets": rows(is_street),
            "positions": rows(is_position),
            "actions": rows(is_did),
        })
    }
}

fn signed(number: f64) -> String {
    number::signed(number, 1)
}
