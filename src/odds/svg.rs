//! Pictures as SVG, without fonts or other files, readable on light and dark backgrounds.

use std::fmt::Write;

use show::number::{percent, whole};
use show::svg::{Colour, Head, Heading, Letters, Picture};

use super::chart::Chart;
use super::on_board;
use super::outlook::{Later, Prospect};
use crate::chart::grid;

const WIDTH: f64 = 720.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 24.0;
/// The height of a histogram with its title and axis.
const PANEL: f64 = 246.0;
const PANEL_TOP: f64 = 50.0;
const PLOT: f64 = 150.0;
const HEAD: f64 = 34.0;
const EDGE: f64 = 12.0;

/// The distributions of later streets as histograms, one below the other.
pub(crate) fn histograms(prospect: &Prospect) -> String {
    let panels = prospect.later().count();
    let title = format!(
        "{} {} against any hand: win-rate {}",
        prospect.hand.text,
        on_board(&prospect.board.text),
        percent(prospect.win_rate(), 2)
    );
    let mut text = String::from("Histograms of the win-rate over the boards that may come.");
    for Later { street, distribution } in prospect.later() {
        let [low, middle, high] =
            [10.0, 50.0, 90.0].map(|at| percent(prospect.quantile(distribution, at), 1));
        write!(text, " On the {street}: 10th percentile {low}, median {middle}, 90th {high}.")
            .expect("a string takes all");
    }
    let quantiles = format!("▲ {}", percentages(&prospect.show.quantiles));
    let quantiles_width = Letters::regular(12.0).wide(&quantiles);
    let width = (WIDTH - RIGHT - quantiles_width - 2.0 * EDGE).max(0.4 * WIDTH);
    let heading = Heading::new(&title, "", width);
    let head = HEAD + heading.extra_height();
    let mut picture = open([WIDTH, head + PANEL * panels as f64], &title, &text);
    heading.draw(&mut picture, [EDGE, 20.0]);
    picture.text([WIDTH - RIGHT, 20.0], "text-anchor=\"end\"", &quantiles);
    for (at, later) in prospect.later().enumerate() {
        panel(&mut picture, prospect, &later, head + PANEL * at as f64);
    }
    picture.finish()
}

/// The quantiles in words, at most five of them.
fn percentages(quantiles: &[f64]) -> String {
    let shown: Vec<String> = quantiles.iter().take(5).map(ToString::to_string).collect();
    let more = if quantiles.len() > shown.len() { " …" } else { "" };
    format!("quantiles at {}{more} %", shown.join(", "))
}

fn panel(picture: &mut Picture, prospect: &Prospect, later: &Later<'_>, top: f64) {
    let counts = later.distribution.histogram(prospect.show.bins);
    let boards = f64::from(later.distribution.boards());
    let most = f64::from(counts.iter().copied().max().unwrap_or(1)) / boards;
    let step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5].into_iter().find(|step| most <= 5.0 * step);
    let step = step.unwrap_or(0.5);
    let ceiling = (most / step).ceil() * step;
    let base = top + PANEL_TOP + PLOT;
    let x = |share: f64| LEFT + share * (WIDTH - LEFT - RIGHT);
    let y = |share: f64| base - share / ceiling * PLOT;
    let total = whole(u64::from(later.distribution.boards()));
    let words = format!("On the {}: {total} boards", later.street);
    picture.text([LEFT, top + 24.0], "font-weight=\"bold\"", &words);
    for line in 0..=(ceiling / step).round() as u32 {
        let share = f64::from(line) * step;
        let (at, opacity) = (y(share), if line == 0 { 0.7 } else { 0.2 });
        picture.add(format_args!(
            "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"currentColor\" opacity=\"{opacity}\"/>",
            WIDTH - RIGHT
        ));
        picture.text([LEFT - 8.0, at + 4.0], "text-anchor=\"end\"", &percent(share, 0));
    }
    let width = 1.0 / counts.len() as f64;
    for (bin, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to) = (x(bin as f64 * width), x((bin + 1) as f64 * width));
        let height = f64::from(count) / boards / ceiling * PLOT;
        picture.add(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" class=\"bar\"/>",
            from + 0.5,
            base - height.max(0.5),
            to - from - 1.0,
            height.max(0.5)
        ));
    }
    for tenth in 0..=10 {
        let share = f64::from(tenth) / 10.0;
        let label = percent(share, 0);
        picture.text([x(share), base + 30.0], "text-anchor=\"middle\"", &label);
    }
    // Triangles under the axis mark the requested quantiles.
    for &percentage in &prospect.show.quantiles {
        let at = x(prospect.quantile(later.distribution, percentage));
        picture.add(format_args!(
            "<path d=\"M{at:.1} {:.1}l-4 9h8z\" opacity=\"0.7\"><title>{percentage} %: \
             {}</title></path>",
            base + 3.0,
            percent(prospect.quantile(later.distribution, percentage), 2)
        ));
    }
    let mean = x(prospect.win_rate());
    picture.add(format_args!(
        "<path d=\"M{mean:.1} {:.1}V{base:.1}\" class=\"mean\"/>",
        top + PANEL_TOP - 14.0
    ));
    let (left, anchor) = match mean > 0.5 * WIDTH {
        true => (mean - 5.0, "text-anchor=\"end\""),
        false => (mean + 5.0, "text-anchor=\"start\""),
    };
    let words = format!("mean {}", percent(prospect.win_rate(), 2));
    picture.text([left, top + PANEL_TOP - 6.0], anchor, &words);
}

/// The chart of starting hands; a greener cell has a higher win rate.
pub(crate) fn chart(chart: &Chart) -> String {
    const CELL: f64 = 52.0;
    const TALL: f64 = 40.0;
    let title = format!("Win-rates before the flop against any hand; {}", chart.ties.words());
    let text = "Pairs on the diagonal, suited hands above it, offsuit hands below; in percent.";
    let [width, height] = grid::size([CELL, TALL]);
    let heading = Heading::new(&title, "", width);
    let head = HEAD + heading.extra_height();
    let mut picture = open([width + 2.0 * EDGE, height + head + EDGE], &title, text);
    heading.draw(&mut picture, [EDGE, 20.0]);
    let corners = grid::corners([EDGE, head], [CELL, TALL]);
    for (&(hand, rate), [x, y]) in chart.hands.iter().zip(corners) {
        let value = chart.value(rate);
        let shade = ((value - 0.3) / 0.56).clamp(0.03, 1.0);
        picture.add(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{}\" height=\"{}\" class=\"bar\" \
             opacity=\"{:.2}\"/>",
            x + 1.0,
            y + 1.0,
            CELL - 2.0,
            TALL - 2.0,
            0.75 * shade
        ));
        let middle = x + 0.5 * CELL;
        let bold = "text-anchor=\"middle\" font-weight=\"bold\"";
        picture.text([middle, y + 17.0], bold, &hand.to_string());
        let value = format!("{:.2}", 100.0 * value);
        picture.text([middle, y + 32.0], "text-anchor=\"middle\"", &value);
    }
    picture.finish()
}

/// Begins a picture.
fn open(size: [f64; 2], title: &str, description: &str) -> Picture {
    Picture::new(&Head {
        name: "odds",
        size,
        shown: None,
        title,
        description,
        letters: 12.0,
        colours: &[(" .bar", "fill", Colour::Felt), (" .mean", "stroke", Colour::Mark)],
        style: ".mean{stroke-width:1.5;stroke-dasharray:4 3}",
    })
}
