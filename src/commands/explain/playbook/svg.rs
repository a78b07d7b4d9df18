//! The page as a picture of the shape of A4: made without fonts or other files. With more rules everything gets
//! smaller, so that it stays one page.

use std::fmt::Write;

use super::super::drawing::wrapped;
use super::{Line, Page, Section};
use crate::chart::picture::escaped;

/// A4 in points of 1/96 inch.
const WIDE: f64 = 794.0;
const TALL: f64 = 1123.0;
const EDGE: f64 = 32.0;
/// From line to line, of rules and of text.
const RULE: f64 = 13.5;
const LINE: f64 = 11.6;
/// Width of a letter of text, on average: a generous guess.
const LETTER: f64 = 4.6;
/// The width of a rule's colours, its mix, its share of play and its node.
const BAR: f64 = 78.0;
const MIX: f64 = 262.0;
const PLAY: f64 = 42.0;
const NODE: f64 = 38.0;

/// The file.
pub(super) fn page(page: &Page) -> String {
    let lines = |width: f64| -> Vec<String> {
        let letters = ((width - 2.0 * EDGE) / LETTER) as usize;
        page.about.iter().chain([&page.reading]).flat_map(|text| wrapped(text, letters)).collect()
    };
    let height = |width: f64| {
        let streets: f64 = page.streets.iter().map(tall).sum();
        2.0 * EDGE + 22.0 + LINE * lines(width).len() as f64 + streets
    };
    // What is too tall for A4 is laid out on a larger sheet of the same shape.
    let tall = height(WIDE).max(TALL);
    let width = WIDE * tall / TALL;
    let mut svg = open(width, tall, page);
    let mut y = EDGE + 22.0;
    for line in lines(width) {
        y += LINE;
        add(&mut svg, format_args!("<text x=\"{EDGE}\" y=\"{y:.1}\">{}</text>\n", escaped(&line)));
    }
    for street in &page.streets {
        y = section(&mut svg, street, width, y);
    }
    svg.push_str("</svg>\n");
    svg
}

/// The height of a street.
fn tall(street: &Section) -> f64 {
    12.0 + 17.0 + LINE + 5.0 + RULE * street.lines.len() as f64
}

/// A street below `y`; returns where it ends.
fn section(svg: &mut String, street: &Section, width: f64, y: f64) -> f64 {
    let (right, top) = (width - EDGE, y + 12.0);
    let head = top + 14.0;
    add(
        svg,
        format_args!(
            "<path d=\"M{EDGE} {top:.1}H{right:.1}\" class=\"head\"/>\n\
             <text x=\"{EDGE}\" y=\"{head:.1}\"><tspan class=\"street\">{}</tspan>\
             <tspan dx=\"8\" class=\"faint\">{}</tspan></text>\n",
            escaped(&street.head),
            escaped(&street.about)
        ),
    );
    let node = right - NODE;
    for (x, words) in [(node, "of play"), (right, "node")] {
        add(svg, format_args!("<text x=\"{x:.1}\" y=\"{head:.1}\" class=\"end\">{words}</text>\n"));
    }
    let (mut left, base) = (EDGE, head + 3.0 + LINE);
    for (colour, words) in &street.key {
        add(
            svg,
            format_args!(
                "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\" rx=\"1.5\" fill=\"{colour}\"/>\
                 <text x=\"{:.1}\" y=\"{base:.1}\" class=\"faint\">{}</text>\n",
                base - 7.4,
                left + 11.0,
                escaped(words)
            ),
        );
        left += 24.0 + 4.9 * words.chars().count() as f64;
    }
    let mut y = base + 5.0;
    for said in &street.lines {
        y += RULE;
        line(svg, said, right, y - 3.6);
    }
    y
}

/// A line whose letters stand on `y`.
fn line(svg: &mut String, line: &Line, right: f64, y: f64) {
    let class = if line.rule.is_some() { "" } else { " class=\"branch\"" };
    let x = EDGE + 12.0 * line.depth as f64;
    add(
        svg,
        format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\"{class}><tspan class=\"link\">{}</tspan> {}</text>\n",
            line.link,
            escaped(&line.condition)
        ),
    );
    let Some(rule) = &line.rule else { return };
    let [play, mix] = [right - NODE, right - NODE - PLAY - MIX];
    let mut left = mix - 8.0 - BAR;
    add(svg, format_args!("<g><title>{}</title>", escaped(&rule.whole)));
    for (colour, share) in &rule.parts {
        let part = BAR * share;
        if part >= 0.05 {
            add(
                svg,
                format_args!(
                    "<rect x=\"{left:.2}\" y=\"{:.1}\" width=\"{part:.2}\" height=\"8\" fill=\"{colour}\"/>",
                    y - 7.4
                ),
            );
        }
        left += part;
    }
    add(
        svg,
        format_args!(
            "<text x=\"{mix:.1}\" y=\"{y:.1}\">→ {}</text></g>\n\
             <text x=\"{play:.1}\" y=\"{y:.1}\" class=\"end\">{}</text>\
             <text x=\"{right:.1}\" y=\"{y:.1}\" class=\"end\">{}</text>\n\
             <path d=\"M{EDGE} {:.1}H{right:.1}\" class=\"under\"/>\n",
            escaped(&rule.mix),
            rule.play,
            rule.node,
            y + 3.4
        ),
    );
}

fn open(width: f64, height: f64, page: &Page) -> String {
    let head = escaped(&page.head);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"210mm\" height=\"297mm\" \
         role=\"img\" aria-labelledby=\"playbook-title\" font-family=\"Arial, Helvetica, 'Liberation Sans', sans-serif\" \
         font-size=\"9.2\" fill=\"currentColor\">\n<title id=\"playbook-title\">{head}</title>\n\
         <style>svg{{color-scheme:light dark;color:#111;background:#fff;--faint:#555;--rule:#c9ced4}}\
         .street{{font-size:12.5px;font-weight:bold}}.faint,.link,.end{{fill:var(--faint)}}.end{{text-anchor:end}}\
         .branch{{font-weight:bold}}.link{{font-weight:normal}}.head{{stroke:currentColor;stroke-width:1.2}}\
         .under{{stroke:var(--rule);stroke-width:0.5}}\
         @media screen and (prefers-color-scheme:dark){{svg{{color:#eee;background:#16181c;--faint:#aab;\
         --rule:#3a4049}}}}@page{{size:A4;margin:0}}</style>\n\
         <text x=\"{EDGE}\" y=\"{:.1}\" font-size=\"19\" font-weight=\"bold\">{head}</text>\n",
        EDGE + 14.0
    )
}

fn add(svg: &mut String, part: std::fmt::Arguments<'_>) {
    svg.write_fmt(part).expect("a string takes all");
}
