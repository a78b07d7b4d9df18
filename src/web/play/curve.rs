//! The course of a session as a picture: what was won, and the same without luck.

use std::fmt::Write;

const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 10.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 26.0;
/// Points drawn at most.
const POINTS: usize = 300;

/// A picture of what had been won after each hand, and of the same without luck, in big blinds; nothing
/// for fewer than two hands. Colours are the style sheet's.
pub fn draw(results: &[[f64; 2]]) -> String {
    let (Some(&last), 2..) = (results.last(), results.len()) else { return String::new() };
    let every = results.len().div_ceil(POINTS);
    let drawn = |hands: &usize| hands.is_multiple_of(every) || *hands == results.len();
    let after = |hands: usize| (hands, results[hands - 1]);
    let points: Vec<(usize, [f64; 2])> = std::iter::once((0, [0.0; 2]))
        .chain((1..=results.len()).filter(drawn).map(after))
        .collect();
    let values = || points.iter().flat_map(|(_, values)| *values);
    let (low, high) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
    let step = tick_step(high - low);
    let (low, high) = ((low / step).floor() * step, ((high / step).ceil() * step).max(low + step));
    let x = |hands: usize| LEFT + hands as f64 / results.len() as f64 * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| TOP + (high - value) / (high - low) * (HEIGHT - TOP - BOTTOM);
    let line = |which: usize| {
        let mut path = String::new();
        for (i, (hands, at)) in points.iter().enumerate() {
            let letter = if i == 0 { 'M' } else { 'L' };
            write!(path, "{letter}{:.1} {:.1}", x(*hands), y(at[which]))
                .expect("a string takes all");
        }
        path
    };
    let mut svg = format!(
        "<svg class=\"course\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"After {} \
         hands {:+.1} big blinds; {:+.1} without luck\">",
        results.len(),
        last[0],
        last[1]
    );
    let mut tick = low;
    while tick <= high + 0.5 * step {
        let class = if tick.abs() < 0.5 * step { "zero" } else { "grid" };
        write!(
            svg,
            "<path class=\"{class}\" d=\"M{LEFT} {:.1}H{}\"/><text x=\"{}\" y=\"{:.1}\" \
             text-anchor=\"end\">{}</text>",
            y(tick),
            WIDTH - RIGHT,
            LEFT - 6.0,
            y(tick) + 4.0,
            label(tick)
        )
        .expect("a string takes all");
        tick += step;
    }
    write!(
        svg,
        "<text x=\"{LEFT}\" y=\"{0}\">0</text><text x=\"{1}\" y=\"{0}\" text-anchor=\"end\">{2} \
         hands</text><path class=\"luck\" d=\"{3}\"/><path class=\"won\" d=\"{4}\"/></svg>",
        HEIGHT - 6.0,
        WIDTH - RIGHT,
        results.len(),
        line(1),
        line(0)
    )
    .expect("a string takes all");
    svg
}

/// A round step that cuts the span into two to five parts.
fn tick_step(span: f64) -> f64 {
    let rough = (span / 4.0).max(0.25);
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| rough <= step * power).unwrap_or(10.0);
    step * power
}

fn label(value: f64) -> String {
    let text = format!("{}", (value.abs() * 100.0).round() / 100.0);
    if value < -1e-9 { format!("−{text}") } else { text }
}
