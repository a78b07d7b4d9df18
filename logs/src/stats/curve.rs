//! The winnings curve of a match as an SVG picture, made without fonts or other files.

use std::fmt::Write;

use super::{Rate, Tally, t_quantile};
use crate::MatchInfo;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 28.0;
const BOTTOM: f64 = 44.0;
/// Points drawn at most.
const POINTS: usize = 360;

struct Point {
    hands: f64,
    won: f64,
    /// Half the width of the 95 % band at this point.
    reach: f64,
}

/// What an entrant had won, in big blinds, after each stretch of hands, with the 95 % band of the sum
/// by normal theory (the deviation of the whole match times the root of the groups so far).
///
/// Colours follow the page (`currentColor`); title and description carry the result in words.
pub fn winnings_curve(info: &MatchInfo, tally: &Tally, entrant: usize) -> String {
    let name = info.entrants.get(entrant).map_or("?", |entrant| entrant.name.as_str());
    let rate = tally.rate(entrant).ok();
    let points = points(tally, entrant);
    let most_hands = points.last().map_or(1.0, |point| point.hands).max(1.0);
    let low = points.iter().map(|p| p.won - p.reach).fold(0.0, f64::min);
    let high = points.iter().map(|p| p.won + p.reach).fold(0.0, f64::max);
    let step = tick_step(high - low);
    let (low, high) = ((low / step).floor() * step, ((high / step).ceil() * step).max(low + step));
    let x = |hands: f64| LEFT + hands / most_hands * (WIDTH - LEFT - RIGHT);
    let y = |won: f64| TOP + (high - won) / (high - low) * (HEIGHT - TOP - BOTTOM);

    let title = format!("Winnings of {name} in big blinds");
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-labelledby=\"curve-title curve-text\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"currentColor\">\n<title id=\"curve-title\">{}</title>\n\
         <desc id=\"curve-text\">{}</desc>\n",
        escape(&title),
        escape(&description(name, rate, points.last()))
    );
    let mut add = |text: std::fmt::Arguments<'_>| {
        svg.write_fmt(text).expect("a string takes all");
        svg.push('\n');
    };
    add(format_args!("<text x=\"{LEFT}\" y=\"16\">{}</text>", escape(&title)));
    let mut tick = low;
    while tick <= high + 0.5 * step {
        let (at, right) = (y(tick), WIDTH - RIGHT);
        let opacity = if tick.abs() < 0.5 * step { 0.7 } else { 0.2 };
        add(format_args!(
            "<path d=\"M{LEFT} {at:.1}H{right}\" stroke=\"currentColor\" opacity=\"{opacity}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 8.0,
            at + 4.0,
            label(tick)
        ));
        tick += step;
    }
    for quarter in 0..=4 {
        let hands = most_hands * f64::from(quarter) / 4.0;
        add(format_args!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(hands),
            HEIGHT - 24.0,
            label(hands.round())
        ));
    }
    add(format_args!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">hands</text>",
        0.5 * (LEFT + WIDTH - RIGHT),
        HEIGHT - 6.0
    ));
    if rate.is_some() {
        let upper = points.iter().map(|p| (p.hands, p.won + p.reach));
        let lower = points.iter().rev().map(|p| (p.hands, p.won - p.reach));
        let band = path(upper.chain(lower).map(|(h, w)| (x(h), y(w))));
        add(format_args!("<path d=\"{band}Z\" fill=\"currentColor\" opacity=\"0.15\"/>"));
    }
    let line = path(points.iter().map(|p| (x(p.hands), y(p.won))));
    add(format_args!(
        "<path d=\"{line}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\"/>"
    ));
    svg.push_str("</svg>\n");
    svg
}

/// The course at no more than [`POINTS`] points, from the start.
fn points(tally: &Tally, entrant: usize) -> Vec<Point> {
    let Some(sums) = tally.entrants().get(entrant) else { return Vec::new() };
    let big_blind = f64::from(tally.big_blind());
    let group = tally.group_size() as f64;
    let reach = |groups: u64| {
        let deviation = sums.all.deviation().unwrap_or_default() * group / big_blind;
        t_quantile(0.975, sums.all.groups.saturating_sub(1)) * deviation * (groups as f64).sqrt()
    };
    let every = sums.batches.len().div_ceil(POINTS).max(1);
    let last = sums.batches.len().saturating_sub(1);
    let start = Point { hands: 0.0, won: 0.0, reach: 0.0 };
    let course = sums.batches.course().enumerate();
    let chosen = course.filter(|&(i, _)| i == last || (i + 1).is_multiple_of(every));
    let point = |(_, (hands, groups, chips)): (usize, (u64, u64, f64))| Point {
        hands: hands as f64,
        won: chips / big_blind,
        reach: reach(groups),
    };
    std::iter::once(start).chain(chosen.map(point)).collect()
}

fn description(name: &str, rate: Option<Rate>, last: Option<&Point>) -> String {
    let (hands, won) = last.map_or((0.0, 0.0), |point| (point.hands, point.won));
    let course = format!("After {hands:.0} hands {name} has won {won:.1} big blinds");
    match rate {
        Some(rate) => format!(
            "{course}: {:+.1} mbb/hand, 95 % interval {:+.1} to {:+.1}. The band around the curve \
             shows that interval at each point.",
            rate.mbb, rate.interval.low, rate.interval.high
        ),
        None => format!("{course}; too few deals for an interval."),
    }
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (i, (x, y)) in points.enumerate() {
        let letter = if i == 0 { 'M' } else { 'L' };
        write!(path, "{letter}{x:.1} {y:.1}").expect("a string takes all");
    }
    path
}

/// A round step that cuts the span into three to seven parts.
fn tick_step(span: f64) -> f64 {
    let rough = (span / 5.0).max(1e-6);
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| rough <= step * power).unwrap_or(10.0);
    step * power
}

/// Few digits, a true minus sign, never `-0`.
fn label(value: f64) -> String {
    let value = if value.abs() < 1e-9 { 0.0 } else { value };
    let text = if value.abs() >= 1e6 {
        format!("{:.1}M", value.abs() / 1e6)
    } else if value.abs() >= 1e4 {
        format!("{:.0}k", value.abs() / 1e3)
    } else {
        format!("{}", (value.abs() * 1e4).round() / 1e4)
    };
    if value < 0.0 { format!("\u{2212}{text}") } else { text }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
