//! The sums of a match, by entrant, over groups of hands that share a deal, and their winnings
//! curve.

use game::{BySeat, Chips, GameDef, Payoff, Street};
use show::svg::Colour;
use show::svg::chart::{Chart, Line, thinned};

use crate::stats::{Batches, NoRate, Rate, Sums, t_quantile};
use crate::{HandRecord, MatchInfo};

/// Sums over the hands of a match, in constant memory.
/// Hands are added in order. In a duplicate match a group is counted with its last hand, and hands
/// of incomplete groups are counted only in [`left_out`](Self::left_out). Tallies of consecutive
/// parts of a match can be merged.
#[derive(Debug, Clone, PartialEq)]
pub struct Tally {
    players: usize,
    big_blind: Chips,
    group: usize,
    entrants: Vec<EntrantTally>,
    /// Sums of entrant `i` minus entrant `j`, for `i < j` in order.
    differences: Vec<Sums>,
    open: Vec<Facts>,
    open_deal: u64,
    left_out: u64,
    run_outs: RunOuts,
}

/// Hands in which all betting ended before the last street.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunOuts {
    /// Number of such hands in complete groups.
    pub hands: u64,
    /// Number of hands with an expected result; the others count as played.
    pub adjusted: u64,
}

/// The sums of one entrant.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntrantTally {
    /// All hands, by group: for the win rate.
    pub all: Sums,
    /// All hands, each its own group: for the deviation of single hands.
    pub single: Sums,
    /// All hands, with expected instead of actual results for all-in run-outs.
    pub adjusted: Sums,
    /// Hands by seat; without those settled together, whose results by seat are not known.
    pub seats: Vec<Sums>,
    /// Hands by the last street whose cards were dealt.
    pub streets: [Sums; 4],
    /// Hands without and with a showdown.
    pub showdown: [Sums; 2],
    /// Hands of which only the result is known: in all of the above except streets and showdown.
    pub settled: Sums,
    /// The course of the match in batches.
    pub batches: Batches,
}

/// Error of merging two tallies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TallyError {
    /// They have different games or group sizes.
    #[error("tallies of different games cannot be merged")]
    OtherGame,
}

/// The data of a hand that the sums need.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Facts {
    entrants: BySeat<u8>,
    payoffs: BySeat<Payoff>,
    adjusted: Option<BySeat<Payoff>>,
    /// The last street, and whether there was a showdown; `None` when only the result is known.
    ending: Option<(Street, bool)>,
    /// Number of hands with this result together.
    hands: u32,
    run_out: bool,
}

/// A selection's part of one group.
#[derive(Clone, Copy, Default)]
struct GroupShare {
    won: Payoff,
    hands: u32,
}

impl GroupShare {
    #[inline]
    fn add(&mut self, won: Payoff, hands: u32) {
        self.won += won;
        self.hands += hands;
    }
}

/// Whether a finished hand was an all-in run-out: all betting ended before the last street, with a
/// showdown.
pub fn is_run_out(record: &HandRecord) -> bool {
    let last = record.public.history().last().map_or(Street::Preflop, |played| played.street);
    record.public.is_showdown() && last < record.public.street()
}

impl Tally {
    /// An empty tally of a match.
    pub fn new(info: &MatchInfo) -> Tally {
        Tally::of_game(&info.game, info.group())
    }

    /// An empty tally of a game in which `group` consecutive hands share a deal.
    pub fn of_game(def: &GameDef, group: usize) -> Tally {
        let players = def.players;
        let entrant = EntrantTally { seats: vec![Sums::default(); players], ..Default::default() };
        Tally {
            players,
            big_blind: def.big_blind(),
            group: group.max(1),
            entrants: vec![entrant; players],
            differences: vec![Sums::default(); players * (players - 1) / 2],
            open: Vec::with_capacity(group),
            open_deal: 0,
            left_out: 0,
            run_outs: RunOuts::default(),
        }
    }

    /// Adds the next hand.
    #[inline]
    pub fn add(&mut self, record: &HandRecord) {
        self.add_adjusted(record, None);
    }

    /// Adds the next hand with its expected results at the end of the betting, for hands in which
    /// that was before the last street (see [`AllIn`](crate::stats::AllIn)).
    pub fn add_adjusted(&mut self, record: &HandRecord, expected: Option<BySeat<Payoff>>) {
        if record.entrants.len() != self.players {
            // A hand of another game cannot be part of any group.
            self.left_out += 1;
            return;
        }
        if !self.open.is_empty() && self.open_deal != record.deal {
            self.left_out += self.open.len() as u64;
            self.open.clear();
        }
        self.open_deal = record.deal;
        self.open.push(Facts {
            entrants: record.entrants,
            payoffs: record.payoffs,
            adjusted: expected,
            ending: Some((record.public.street(), record.public.is_showdown())),
            hands: 1,
            run_out: is_run_out(record),
        });
        if self.open.len() == self.group {
            self.close_group();
        }
    }

    /// Adds a hand of which only the result by seat is known, in a match in which each hand has its
    /// own deal; in any other it is left out.
    pub fn add_settled(&mut self, entrants: BySeat<u8>, payoffs: BySeat<Payoff>) {
        self.add_together(entrants, payoffs, 1);
    }

    /// Adds so many hands of which only the sum of the results is known, as one group; if there are
    /// several, `entrants` need be right for only one of them.
    pub fn add_together(&mut self, entrants: BySeat<u8>, payoffs: BySeat<Payoff>, hands: u32) {
        if self.group > 1 || entrants.len() != self.players || payoffs.len() != self.players {
            self.left_out += u64::from(hands);
            return;
        }
        let (adjusted, ending, run_out) = (None, None, false);
        self.open.push(Facts { entrants, payoffs, adjusted, ending, hands, run_out });
        self.close_group();
    }

    fn close_group(&mut self) {
        let mut totals = [GroupShare::default(); game::MAX_PLAYERS];
        for (number, entrant) in self.entrants.iter_mut().enumerate() {
            totals[number] = entrant.add_group(number, &self.open);
        }
        let mut difference = self.differences.iter_mut();
        for i in 0..self.players {
            for j in i + 1..self.players {
                if let Some(sums) = difference.next() {
                    sums.add(totals[i].won - totals[j].won, totals[i].hands);
                }
            }
        }
        for facts in self.open.iter().filter(|facts| facts.run_out) {
            self.run_outs.hands += 1;
            self.run_outs.adjusted += u64::from(facts.adjusted.is_some());
        }
        self.open.clear();
    }

    /// Adds the tally of later hands. A group still incomplete here is left out.
    pub fn merge(&mut self, later: &Tally) -> Result<(), TallyError> {
        let game = |tally: &Tally| (tally.players, tally.big_blind, tally.group);
        if game(self) != game(later) {
            return Err(TallyError::OtherGame);
        }
        for (mine, theirs) in self.entrants.iter_mut().zip(&later.entrants) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.differences.iter_mut().zip(&later.differences) {
            mine.merge(theirs);
        }
        self.left_out += self.open.len() as u64 + later.left_out;
        self.open.clone_from(&later.open);
        self.open_deal = later.open_deal;
        self.run_outs.hands += later.run_outs.hands;
        self.run_outs.adjusted += later.run_outs.adjusted;
        Ok(())
    }

    /// Number of hands counted: those in complete groups.
    pub fn hands(&self) -> u64 {
        self.entrants.first().map_or(0, |entrant| entrant.all.hands)
    }

    /// Number of complete groups.
    pub fn groups(&self) -> u64 {
        self.entrants.first().map_or(0, |entrant| entrant.all.groups)
    }

    /// Total winnings of each entrant in the hands counted.
    pub fn totals(&self) -> Vec<Payoff> {
        self.entrants.iter().map(|entrant| entrant.all.won()).collect()
    }

    /// Number of hands not counted, because their group is incomplete.
    pub fn left_out(&self) -> u64 {
        self.left_out + self.open.len() as u64
    }

    /// Number of hands that share a deal.
    pub fn group_size(&self) -> usize {
        self.group
    }

    /// The unit of the rates, in chips.
    pub fn big_blind(&self) -> Chips {
        self.big_blind
    }

    /// The sums of each entrant.
    pub fn entrants(&self) -> &[EntrantTally] {
        &self.entrants
    }

    /// Counts of the hands in which all betting ended before the last street.
    pub fn run_outs(&self) -> RunOuts {
        self.run_outs
    }

    /// The win rate of an entrant, or the reason why there is none yet.
    pub fn rate(&self, entrant: usize) -> Result<Rate, NoRate> {
        let sums = self.entrants.get(entrant).ok_or(NoRate::NoHands)?;
        Rate::from_sums(&sums.all, self.big_blind)
    }

    /// The difference between two entrants' rates.
    pub fn difference(&self, one: usize, other: usize) -> Result<Rate, NoRate> {
        let (i, j) = (one.min(other), one.max(other));
        if i == j || j >= self.players {
            return Err(NoRate::NoHands);
        }
        // The pairs before those that begin with i, then those that do.
        let index = i * self.players - i * (i + 1) / 2 + (j - i - 1);
        let rate = Rate::from_sums(&self.differences[index], self.big_blind)?;
        let sign = if one < other { 1.0 } else { -1.0 };
        Ok(Rate::from_error(sign * rate.mbb, rate.standard_error, rate.hands, rate.groups))
    }
}

impl EntrantTally {
    /// Adds a complete group; returns this entrant's part of it.
    fn add_group(&mut self, number: usize, group: &[Facts]) -> GroupShare {
        let mut all = GroupShare::default();
        let mut adjusted = GroupShare::default();
        let mut seats = [GroupShare::default(); game::MAX_PLAYERS];
        let mut streets = [GroupShare::default(); 4];
        let mut showdown = [GroupShare::default(); 2];
        let mut settled = GroupShare::default();
        for facts in group {
            for (seat, &entrant) in facts.entrants.iter() {
                if usize::from(entrant) != number {
                    continue;
                }
                let won = facts.payoffs[seat];
                all.add(won, facts.hands);
                adjusted.add(facts.adjusted.map_or(won, |expected| expected[seat]), facts.hands);
                if facts.hands == 1 {
                    seats[seat.index()].add(won, 1);
                }
                match facts.ending {
                    Some((street, shown)) => {
                        streets[street.index()].add(won, 1);
                        showdown[usize::from(shown)].add(won, 1);
                    }
                    None => settled.add(won, facts.hands),
                }
                self.single.add(won, facts.hands);
            }
        }
        self.all.add(all.won, all.hands);
        self.adjusted.add(adjusted.won, adjusted.hands);
        self.settled.add(settled.won, settled.hands);
        let players = self.seats.len();
        let selections = self.seats.iter_mut().chain(&mut self.streets).chain(&mut self.showdown);
        let parts = seats[..players].iter().chain(&streets).chain(&showdown);
        for (sums, part) in selections.zip(parts) {
            sums.add(part.won, part.hands);
        }
        self.batches.add(all.won, all.hands);
        all
    }

    fn merge(&mut self, later: &EntrantTally) {
        self.all.merge(&later.all);
        self.single.merge(&later.single);
        self.adjusted.merge(&later.adjusted);
        self.settled.merge(&later.settled);
        let mine = self.seats.iter_mut().chain(&mut self.streets).chain(&mut self.showdown);
        let theirs = later.seats.iter().chain(&later.streets).chain(&later.showdown);
        for (mine, theirs) in mine.zip(theirs) {
            mine.merge(theirs);
        }
        self.batches.merge(&later.batches);
    }
}

struct Point {
    hands: f64,
    won: f64,
    /// Half the width of the 95 % band at this point.
    reach: f64,
}

/// The chart of an entrant's cumulative winnings, in big blinds, with the 95 % band of the sum by
/// normal theory (the deviation of the whole match times the root of the groups so far). Title and
/// description give the result in words.
pub fn winnings_curve(info: &MatchInfo, tally: &Tally, entrant: usize) -> Chart<'static> {
    let name = info.entrants.get(entrant).map_or("?", |entrant| entrant.name.as_str());
    let rate = tally.rate(entrant).ok();
    let points = points(tally, entrant);
    let band = points.iter().map(|p| (p.hands, [p.won - p.reach, p.won + p.reach]));
    let title = format!("Winnings of {name} in big blinds");
    Chart {
        description: description(name, rate, points.last()),
        lines: vec![Line {
            class: "won",
            colour: Colour::Felt,
            points: points.iter().map(|point| (point.hands, point.won)).collect(),
            band: if rate.is_some() { band.collect() } else { Vec::new() },
            ..Line::default()
        }],
        ..Chart::new("curve", title, "hands")
    }
}

/// The points of the curve from the start, thinned out for drawing.
fn points(tally: &Tally, entrant: usize) -> Vec<Point> {
    let Some(sums) = tally.entrants().get(entrant) else { return Vec::new() };
    let big_blind = f64::from(tally.big_blind());
    let group = tally.group_size() as f64;
    let reach = |groups: u64| {
        let deviation = sums.all.deviation().unwrap_or_default() * group / big_blind;
        t_quantile(0.975, sums.all.groups.saturating_sub(1)) * deviation * (groups as f64).sqrt()
    };
    let start = Point { hands: 0.0, won: 0.0, reach: 0.0 };
    let totals: Vec<(u64, u64, f64)> = sums.batches.running_totals().collect();
    let point = |at: usize| {
        let (hands, groups, chips) = totals[at];
        Point { hands: hands as f64, won: chips / big_blind, reach: reach(groups) }
    };
    std::iter::once(start).chain(thinned(totals.len()).map(point)).collect()
}

fn description(name: &str, rate: Option<Rate>, last: Option<&Point>) -> String {
    let (hands, won) = last.map_or((0.0, 0.0), |point| (point.hands, point.won));
    let result = format!("After {hands:.0} hands {name} has won {won:.1} big blinds");
    match rate {
        Some(rate) => format!(
            "{result}: {:+.1} mbb/hand, 95 % interval {:+.1} to {:+.1}. The band around the curve \
             shows that interval at each point.",
            rate.mbb, rate.interval.low, rate.interval.high
        ),
        None => format!("{result}; too few deals for an interval."),
    }
}
