//! Cross tables of round-robin tournaments, with simultaneous intervals, as text, CSV and SVG.
//!
//! A 95 % interval is valid for one cell. Of a table's twenty cells one is expected to be wrong,
//! and the best and the worst get most attention. Intervals *for all* are wider, so that in 95 of
//! 100 tournaments all of them are right: each of `m` covers with probability `0.95^(1/m)` (Šidák,
//! *Rectangular confidence regions for the means of multivariate normal distributions*, 1967: exact
//! for independent ones, as the cells are, and conservative for all others).

use std::fmt;
use std::fmt::Write;
use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::{signed as grouped, whole};
use show::svg::{Colour, Head, Letters, Picture};

use crate::formats::csv::write_text;
use crate::stats::rate::CONFIDENCE;
use crate::stats::report::{dash, plain, range, signed, table};
use crate::stats::{Interval, Rate, t_quantile};

/// The rates of all pairs of entrants, filled in match by match.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CrossTable {
    /// The entrants' names.
    pub names: Vec<String>,
    /// `results[a][b]`: the rate of `a` against `b`, where their match gave one.
    pub results: Vec<Vec<Option<Rate>>>,
}

/// An entrant's rank in a [`CrossTable`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Standing {
    /// Index of the entrant.
    pub entrant: usize,
    /// The mean of its rates against all others, with equal weights.
    pub rate: Rate,
    /// Whether its mean differs significantly from that of the next; `None` for the last.
    pub separated_from_next: Option<bool>,
    /// The simultaneous interval of its mean, for all means together.
    pub for_all: Interval,
    /// The groups it is in, a letter for each: entrants that share a letter do not differ
    /// significantly, by simultaneous intervals of all pairs.
    pub letters: String,
}

/// The interval of a rate that is one of `count` simultaneous ones.
fn for_all(rate: &Rate, count: usize) -> Interval {
    let level = CONFIDENCE.powf(1.0 / count.max(1) as f64);
    let quantile = t_quantile(0.5 + 0.5 * level, rate.groups.saturating_sub(1));
    let reach = quantile * rate.standard_error;
    Interval { low: rate.mbb - reach, high: rate.mbb + reach }
}

impl CrossTable {
    /// A table without results.
    pub fn new(names: Vec<String>) -> CrossTable {
        let results = vec![vec![None; names.len()]; names.len()];
        CrossTable { names, results }
    }

    /// Enters the match of `one` against `other` with the rate of `one`. Out-of-range indices, and
    /// `one` against itself, are ignored.
    pub fn set(&mut self, one: usize, other: usize, rate: Rate) {
        let count = self.names.len();
        if one == other || one >= count || other >= count {
            return;
        }
        self.results[one][other] = Some(rate);
        // Not `-rate.mbb`, which makes a negative zero.
        let opposite =
            Rate::from_error(0.0 - rate.mbb, rate.standard_error, rate.hands, rate.groups);
        self.results[other][one] = Some(opposite);
    }

    /// Pools the tables of several parts of a tournament with all their groups; `None` where the
    /// entrants differ, or without parts.
    pub fn pooled(parts: &[CrossTable]) -> Option<CrossTable> {
        let names = &parts.first()?.names;
        if parts.iter().any(|part| part.names != *names) {
            return None;
        }
        let mut whole = CrossTable::new(names.clone());
        for one in 0..names.len() {
            for other in one + 1..names.len() {
                let rate = |part: &CrossTable| *part.results.get(one)?.get(other)?;
                let rates: Vec<Rate> = parts.iter().filter_map(rate).collect();
                if let Some(rate) = Rate::pooled(&rates) {
                    whole.set(one, other, rate);
                }
            }
        }
        Some(whole)
    }

    /// Whether the two differ significantly: the interval of their match excludes zero. `None`
    /// without a result.
    pub fn separated(&self, one: usize, other: usize) -> Option<bool> {
        self.results.get(one)?.get(other)?.as_ref().map(|rate| !rate.holds_zero())
    }

    /// The simultaneous interval of the rate of `one` against `other`, for all cells together.
    pub fn for_all(&self, one: usize, other: usize) -> Option<Interval> {
        let met = self.results.iter().flatten().flatten().count() / 2;
        self.results.get(one)?.get(other)?.as_ref().map(|rate| for_all(rate, met))
    }

    /// The entrants by mean rate, best first. Those without a result against every other are left
    /// out, as their means are not comparable.
    pub fn standings(&self) -> Vec<Standing> {
        let mut standings: Vec<Standing> = (0..self.names.len())
            .filter_map(|entrant| {
                let rate = self.mean(entrant)?;
                let (for_all, letters) = (rate.interval, String::new());
                Some(Standing { entrant, rate, separated_from_next: None, for_all, letters })
            })
            .collect();
        standings.sort_by(|a, b| b.rate.mbb.total_cmp(&a.rate.mbb));
        for rank in 1..standings.len() {
            let (one, other) = (standings[rank - 1].entrant, standings[rank].entrant);
            let difference = self.mean_difference(one, other);
            standings[rank - 1].separated_from_next = difference.map(|rate| !rate.holds_zero());
        }
        let entrants = standings.len();
        for standing in &mut standings {
            standing.for_all = for_all(&standing.rate, entrants);
        }
        let order: Vec<usize> = standings.iter().map(|standing| standing.entrant).collect();
        for (number, run) in self.runs(&order).into_iter().enumerate() {
            let letter = char::from(b'a' + (number % 26) as u8);
            standings[run].iter_mut().for_each(|standing| standing.letters.push(letter));
        }
        standings
    }

    /// The maximal runs of ranks without a significant difference, by simultaneous intervals of the
    /// differences of all pairs.
    fn runs(&self, order: &[usize]) -> Vec<RangeInclusive<usize>> {
        let pairs = order.len() * order.len().saturating_sub(1) / 2;
        let apart = |i: usize, j: usize| {
            let difference = self.mean_difference(order[i], order[j]);
            difference.is_some_and(|rate| !for_all(&rate, pairs).holds_zero())
        };
        let mut runs: Vec<RangeInclusive<usize>> = Vec::new();
        for first in 0..order.len() {
            let joins = |&last: &usize| (first..last).all(|rank| !apart(rank, last));
            let last = (first + 1..order.len()).take_while(joins).last().unwrap_or(first);
            if runs.last().is_none_or(|run| *run.end() < last) {
                runs.push(first..=last);
            }
        }
        runs
    }

    fn opponents(&self, entrant: usize) -> Option<Vec<&Rate>> {
        let row = self.results[entrant].iter().enumerate();
        let rates: Option<Vec<&Rate>> =
            row.filter(|&(other, _)| other != entrant).map(|(_, rate)| rate.as_ref()).collect();
        rates.filter(|rates| !rates.is_empty())
    }

    fn mean(&self, entrant: usize) -> Option<Rate> {
        combine(&self.opponents(entrant)?.into_iter().map(|rate| (1.0, rate)).collect::<Vec<_>>())
    }

    /// The difference of two means. The match between the two is in both, with opposite signs; all
    /// others are independent.
    fn mean_difference(&self, one: usize, other: usize) -> Option<Rate> {
        self.opponents(one).and(self.opponents(other))?;
        let mut parts = vec![(2.0, self.results[one][other].as_ref()?)];
        for third in (0..self.names.len()).filter(|&third| third != one && third != other) {
            parts.push((1.0, self.results[one][third].as_ref()?));
            parts.push((-1.0, self.results[other][third].as_ref()?));
        }
        let sum = combine(&parts)?;
        // `combine` divides by the number of parts; a mean divides by the number of opponents.
        let scale = parts.len() as f64 / (self.names.len() - 1) as f64;
        Some(Rate::from_error(sum.mbb * scale, sum.standard_error * scale, sum.hands, sum.groups))
    }
}

/// The weighted mean of independent rates. Degrees of freedom are those of the shortest match,
/// which is conservative.
fn combine(parts: &[(f64, &Rate)]) -> Option<Rate> {
    let count = parts.len() as f64;
    let mean = parts.iter().map(|(weight, rate)| weight * rate.mbb).sum::<f64>() / count;
    let squares = parts.iter().map(|(weight, rate)| (weight * rate.standard_error).powi(2));
    let error = squares.sum::<f64>().sqrt() / count;
    let hands = parts.iter().map(|(_, rate)| rate.hands).sum();
    let groups = parts.iter().map(|(_, rate)| rate.groups).min()?;
    Some(Rate::from_error(mean, error, hands, groups))
}

/// The table as text: rates of the row's entrant, best first. `~` marks those not significantly
/// different from zero, and ranks not significantly different from the next.
impl fmt::Display for CrossTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let standings = self.standings();
        let mut order: Vec<usize> = standings.iter().map(|standing| standing.entrant).collect();
        order.extend((0..self.names.len()).filter(|k| !standings.iter().any(|s| s.entrant == *k)));
        let fixed = ["mbb/hand", "mean", "95 % interval", "for all", "group", "hands"];
        let mut header = fixed.map(str::to_owned).to_vec();
        header.extend(order.iter().map(|&k| self.names[k].clone()));
        let header: Vec<&str> = header.iter().map(String::as_str).collect();
        let rows = order.iter().map(|&k| {
            let standing = standings.iter().find(|standing| standing.entrant == k);
            let mark = |separated: bool| if separated { "" } else { " ~" };
            let mut row = vec![
                self.names[k].clone(),
                standing.map_or_else(dash, |s| {
                    format!("{}{}", signed(s.rate.mbb), mark(s.separated_from_next.unwrap_or(true)))
                }),
                standing.map_or_else(dash, |s| range(s.rate.interval)),
                standing.map_or_else(dash, |s| range(s.for_all)),
                standing.map_or_else(dash, |s| s.letters.clone()),
                standing.map_or_else(dash, |s| whole(s.rate.hands)),
            ];
            row.extend(order.iter().map(|&other| match &self.results[k][other] {
                Some(rate) => {
                    let sign = mark(!rate.holds_zero());
                    format!("{} ±{}{sign}", signed(rate.mbb), plain(rate.half_width()))
                }
                None => String::new(),
            }));
            row
        });
        let text = table(&header, rows);
        write!(
            f,
            "{text}\na cell: the row's agent against the column's, ± half of the 95 % interval\n\
         ~ not separated: the 95 % interval holds zero; a mean, from the next one's\n\
         for all: the interval that is right for all means together; players who share a \
         letter do not differ significantly by those"
        )
    }
}

const COLUMNS: &str = "agent,against,mbb,low,high,for_all_low,for_all_high,hands,group";

impl CrossTable {
    /// The table as CSV: a row for each mean and for each pair.
    ///
    /// | column | value |
    /// |---|---|
    /// | `agent` | the agent rated, by name |
    /// | `against` | the opponent; empty for the mean against all others |
    /// | `mbb`, `low`, `high` | the rate in mbb/hand, with its 95 % interval |
    /// | `for_all_low`, `for_all_high` | the simultaneous interval of all means, or of all pairs |
    /// | `hands` | number of hands |
    /// | `group` | of a mean: its groups' letters; places that share one may be equal |
    ///
    /// Quoting as in RFC 4180; lines end with a line feed. Means come first, in descending order.
    pub fn to_csv(&self) -> String {
        let mut out = format!("{COLUMNS}\n");
        for standing in self.standings() {
            let name = &self.names[standing.entrant];
            csv_row([name, ""], &standing.rate, standing.for_all, &standing.letters, &mut out);
        }
        for (one, results) in self.results.iter().enumerate() {
            for (other, rate) in results.iter().enumerate() {
                if let (Some(rate), Some(for_all)) = (rate, self.for_all(one, other)) {
                    csv_row([&self.names[one], &self.names[other]], rate, for_all, "", &mut out);
                }
            }
        }
        out
    }
}

fn csv_row(names: [&str; 2], rate: &Rate, for_all: Interval, letters: &str, out: &mut String) {
    for name in names {
        write_text(name, out);
        out.push(',');
    }
    let values = [rate.mbb, rate.interval.low, rate.interval.high, for_all.low, for_all.high];
    for value in values {
        write!(out, "{value:.3},").expect("writing to a string cannot fail");
    }
    writeln!(out, "{},{letters}", rate.hands).expect("writing to a string cannot fail");
}

const EDGE: f64 = 12.0;
const HEAD: f64 = 74.0;
const ROW: f64 = 26.0;
const CELL: f64 = 92.0;
/// Width of the axis of the means' intervals.
const AXIS: f64 = 170.0;
const LETTERS: f64 = 11.0;
const SUBTITLE: &str = "mbb/hand with half of the 95 % interval; ~ holds zero";

impl CrossTable {
    /// The table as an SVG image: the means with their intervals, best first, and a cell for each
    /// pair, coloured by the winner and the rate. Columns are numbered as the rows are. Entrants
    /// without a mean come last.
    pub fn to_svg(&self, title: &str) -> String {
        let standings = self.standings();
        let mut order: Vec<usize> = standings.iter().map(|standing| standing.entrant).collect();
        order.extend((0..self.names.len()).filter(|k| !standings.iter().any(|s| s.entrant == *k)));
        let letters = Letters::regular(LETTERS);
        let names: Vec<String> = (1..)
            .zip(&order)
            .map(|(place, &entrant)| format!("{place}  {}", self.names[entrant]))
            .collect();
        let name_wide = names.iter().map(|name| letters.wide(name)).fold(60.0, f64::max) + 12.0;
        let groups = standings.iter().map(|standing| letters.wide(&standing.letters));
        let group_wide = groups.fold(30.0, f64::max) + 14.0;
        let axis = EDGE + name_wide;
        let cells = axis + AXIS + 60.0 + group_wide;
        let title_wide = Letters::bold(14.0).wide(title).max(letters.wide(SUBTITLE));
        let size = [
            (cells + CELL * order.len() as f64).max(EDGE + title_wide) + EDGE,
            HEAD + ROW * order.len() as f64 + 2.0 * EDGE + 14.0,
        ];
        let mut picture = Picture::new(&Head {
            name: "crosstable",
            size,
            shown: None,
            title,
            description: "Rates in mbb/hand of the row's entrant against the column's, with half \
                      of the 95 % interval; the means with their 95 % intervals (thick), and those \
                      that are right for all together (thin).",
            letters: LETTERS,
            colours: &[
                (" .empty", "fill", Colour::Field),
                (" .win", "fill", Colour::Felt),
                (" .lose", "fill", Colour::Mark),
                (" .zero", "stroke", Colour::Line),
                (" .reach", "stroke", Colour::Ink),
                (" .all", "stroke", Colour::Soft),
                (" .soft", "fill", Colour::Soft),
            ],
            style: ".reach{stroke-width:4;stroke-linecap:round}.all{stroke-width:1.5}",
        });
        picture.text([EDGE, 22.0], "font-size=\"14\" font-weight=\"bold\"", title);
        let soft = "class=\"soft\"";
        picture.text([EDGE, 42.0], soft, SUBTITLE);
        let middle = "class=\"soft\" text-anchor=\"middle\"";
        picture.text([axis + 0.5 * AXIS, HEAD - 8.0], middle, "mean, 95 %, and for all");
        picture.text([axis + AXIS + 60.0 + 0.5 * group_wide, HEAD - 8.0], middle, "group");
        for place in 0..order.len() {
            let x = cells + CELL * (place as f64 + 0.5);
            picture.text([x, HEAD - 8.0], middle, &(place + 1).to_string());
        }
        // The ends of all intervals, and zero.
        let ends = standings.iter().flat_map(|standing| {
            [standing.for_all.low, standing.for_all.high, standing.rate.interval.low]
        });
        let (low, high) =
            ends.fold((0.0_f64, 0.0_f64), |(low, high), end| (low.min(end), high.max(end)));
        let scale = AXIS / (high - low).max(1e-9);
        let at = |mbb: f64| axis + (mbb - low) * scale;
        let bottom = HEAD + ROW * order.len() as f64;
        picture.add(format_args!(
            "<line x1=\"{0:.1}\" y1=\"{HEAD}\" x2=\"{0:.1}\" y2=\"{bottom:.1}\" class=\"zero\"/>",
            at(0.0)
        ));
        picture.text([at(0.0), bottom + 14.0], middle, "0");
        let rates = self.results.iter().flatten().flatten();
        let most = rates.map(|rate| rate.mbb.abs()).fold(1e-9, f64::max);
        for (row, (&entrant, name)) in order.iter().zip(&names).enumerate() {
            let top = HEAD + ROW * row as f64;
            let base = top + 0.5 * ROW + 4.0;
            picture.text([EDGE, base], "", name);
            if let Some(standing) = standings.iter().find(|standing| standing.entrant == entrant) {
                let (mean, all) = (&standing.rate, standing.for_all);
                let middle_line = top + 0.5 * ROW;
                for (class, ends) in [("all", all), ("reach", mean.interval)] {
                    picture.add(format_args!(
                        "<line x1=\"{:.1}\" y1=\"{middle_line:.1}\" x2=\"{:.1}\" \
                     y2=\"{middle_line:.1}\" class=\"{class}\"/>",
                        at(ends.low),
                        at(ends.high)
                    ));
                }
                let right = "text-anchor=\"end\"";
                picture.text([axis + AXIS + 54.0, base], right, &grouped(mean.mbb, 1));
                let place = [axis + AXIS + 60.0 + 0.5 * group_wide, base];
                picture.text(place, "text-anchor=\"middle\"", &standing.letters);
            }
            for (column, &other) in order.iter().enumerate() {
                let left = cells + CELL * column as f64;
                let rate = self.results[entrant][other].as_ref();
                cell(&mut picture, [left, top], rate, most);
            }
        }
        picture.finish()
    }
}

/// Draws a pair's cell: the colour's strength is the rate relative to the largest.
fn cell(picture: &mut Picture, [left, top]: [f64; 2], rate: Option<&Rate>, most: f64) {
    let (wide, tall) = (CELL - 2.0, ROW - 2.0);
    picture.add(format_args!(
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide}\" height=\"{tall}\" class=\"empty\"/>"
    ));
    let Some(rate) = rate else { return };
    let class = if rate.mbb >= 0.0 { "win" } else { "lose" };
    let strength = 0.45 * rate.mbb.abs() / most;
    picture.add(format_args!(
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide}\" height=\"{tall}\" class=\"{class}\" \
         fill-opacity=\"{strength:.3}\"><title>{} hands</title></rect>",
        whole(rate.hands)
    ));
    let mark = if rate.holds_zero() { " ~" } else { "" };
    let text = format!("{} ±{:.0}{mark}", grouped(rate.mbb, 0), rate.half_width());
    let middle = [left + 0.5 * wide, top + 0.5 * tall + 4.0];
    picture.text(middle, "text-anchor=\"middle\"", &text);
}
