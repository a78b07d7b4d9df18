//! A chart of hands as an SVG: made without fonts or other files, readable on light and dark ground.

use std::fmt::Write;

use super::{Chart, Class, Kind};

const CELL: f64 = 52.0;
const TALL: f64 = 40.0;
const EDGE: f64 = 12.0;
const HEAD: f64 = 50.0;
/// A line of the legend below.
const LINE: f64 = 20.0;

/// What is above the chart.
pub(crate) struct Title {
    /// In one line.
    pub(crate) head: String,
    /// Of what it is, in one line.
    pub(crate) about: String,
}

/// The chart: each hand's cell is split by how often it takes each action, and filled as far as its combos
/// get there.
pub(crate) fn chart(chart: &Chart, title: &Title) -> String {
    let legend = HEAD + 13.0 * TALL + 10.0;
    let (width, height) =
        (13.0 * CELL + 2.0 * EDGE, legend + LINE * chart.actions.len() as f64 + EDGE);
    let mut svg = open(width, height, title);
    for (at, class) in chart.classes().iter().enumerate() {
        let (x, y) = (EDGE + CELL * (at % 13) as f64, HEAD + TALL * (at / 13) as f64);
        cell(&mut svg, chart, class, x + 1.0, y + 1.0);
    }
    for (at, choice) in chart.actions.iter().enumerate() {
        let y = legend + LINE * at as f64;
        let pot = choice
            .of_pot
            .map_or_else(String::new, |share| format!(" ({:.0} % of the pot)", 100.0 * share));
        writeln!(
            svg,
            "<rect x=\"{EDGE}\" y=\"{:.1}\" width=\"14\" height=\"14\" rx=\"2\" fill=\"{}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{}{pot}: {:.2} % of the range, {:.2} combos</text>",
            y,
            colour(choice.kind),
            EDGE + 22.0,
            y + 11.5,
            choice.name,
            100.0 * choice.frequency,
            choice.combos
        )
        .expect("a string takes all");
    }
    svg.push_str("</svg>\n");
    svg
}

fn cell(svg: &mut String, chart: &Chart, class: &Class, x: f64, y: f64) {
    let (wide, tall) = (CELL - 2.0, TALL - 2.0);
    let mut add = |part: std::fmt::Arguments<'_>| svg.write_fmt(part).expect("a string takes all");
    add(format_args!("<g><title>{}</title>", said(chart, class)));
    add(format_args!(
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide}\" height=\"{tall}\" class=\"cell\"/>"
    ));
    let filled =
        if class.most > 0 { tall * (class.combos / class.most as f64).min(1.0) } else { 0.0 };
    let mut left = x;
    for (choice, share) in chart.actions.iter().zip(&class.mix) {
        let part = wide * share;
        if part >= 0.05 {
            add(format_args!(
                "<rect x=\"{left:.2}\" y=\"{:.2}\" width=\"{part:.2}\" height=\"{filled:.2}\" fill=\"{}\"/>",
                y + tall - filled,
                colour(choice.kind)
            ));
        }
        left += part;
    }
    let faint = if class.combos > 0.0 { "" } else { " opacity=\"0.45\"" };
    add(format_args!(
        "<text x=\"{:.1}\" y=\"{:.1}\" class=\"hand\"{faint}>{}</text></g>\n",
        x + 4.0,
        y + 14.0,
        class.hand
    ));
}

/// A cell in words.
fn said(chart: &Chart, class: &Class) -> String {
    if class.combos == 0.0 {
        return format!("{}: not in the range", class.hand);
    }
    let shares = chart.actions.iter().zip(&class.mix);
    let shares: Vec<String> =
        shares.map(|(choice, share)| format!("{} {:.1} %", choice.name, 100.0 * share)).collect();
    let gets = class.gets.map_or_else(String::new, |gets| format!("; gets {gets:.2} chips"));
    format!(
        "{}: {}; {:.2} of {} combos{gets}",
        class.hand,
        shares.join(", "),
        class.combos,
        class.most
    )
}

/// The colour of an action, also where it stands for a node of a tree.
pub(crate) fn colour(kind: Kind) -> &'static str {
    /// From the smallest bet to the largest.
    const RAISES: [&str; 5] = ["#f2b134", "#ee8a3a", "#e4633c", "#cf4540", "#b03050"];
    match kind {
        Kind::Fold => "#5b8fd1",
        Kind::Call => "#4fa870",
        Kind::Raise(number) => RAISES[number.min(RAISES.len() - 1)],
        Kind::AllIn => "#8e2a6b",
    }
}

/// A text as it stands in a picture.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The head of the picture.
fn open(width: f64, height: f64, title: &Title) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
         aria-labelledby=\"chart-title chart-text\" font-family=\"sans-serif\" font-size=\"12\" \
         fill=\"currentColor\">\n<title id=\"chart-title\">{head}</title>\n\
         <desc id=\"chart-text\">{about}. Pairs on the diagonal, suited hands above it, offsuit hands below; \
         a cell is as full as its combos get there.</desc>\n\
         <style>svg{{color-scheme:light dark;color:#222;background:#fff}}.cell{{fill:#eceff2}}\
         .hand{{font-weight:bold;paint-order:stroke;stroke:#fff;stroke-width:2.5px;stroke-opacity:0.5}}\
         @media (prefers-color-scheme:dark){{svg{{color:#eee;background:#16181c}}.cell{{fill:#2a2e35}}\
         .hand{{stroke:#16181c}}}}</style>\n\
         <text x=\"12\" y=\"20\" font-size=\"14\" font-weight=\"bold\">{head}</text>\n\
         <text x=\"12\" y=\"38\" opacity=\"0.8\">{about}</text>\n",
        head = escaped(&title.head),
        about = escaped(&title.about),
    )
}
