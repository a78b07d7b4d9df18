//! The winnings curve of a match as a [chart](show::svg::chart).

use show::svg::Colour;
use show::svg::chart::{Chart, Line, thinned};

use super::{Rate, Tally, t_quantile};
use crate::MatchInfo;

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
