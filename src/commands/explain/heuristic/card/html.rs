//! The card as an HTML file: one page of A4 on paper, one column on a phone.

use std::fmt::Write;

use show::svg::{Colour, FONTS, escaped, palette};

use super::Card;

const STYLE: &str = "\
*{box-sizing:border-box}
body{margin:0 auto;padding:6mm;max-width:210mm;background:var(--ground);color:var(--ink);\
font-size:var(--size);line-height:1.3}
h1{font-size:1.7em;line-height:1.15;margin:0 0 2mm}
h2{font-size:1.15em;line-height:1.2;margin:.9em 0 .2em;padding-top:.4em;\
border-top:.5mm solid var(--ink)}
p{margin:0 0 1.5mm}
ol{margin:0;padding:0;list-style:none;counter-reset:rule}
li{display:grid;grid-template-columns:8mm minmax(0,1fr) minmax(0,max-content);column-gap:2mm;\
align-items:baseline;padding:.22em 0;border-bottom:.2mm solid \
var(--line);counter-increment:rule;break-inside:avoid}
li::before{content:counter(rule);color:var(--soft)}
b{text-align:right}
section{break-inside:avoid}
.terms,.foot{font-size:.8em;color:var(--soft)}
.terms{margin-top:1.2em}
@media screen and (max-width:34em){body{padding:4mm;font-size:13pt}h1{font-size:1.45em}\
li{grid-template-columns:6mm minmax(0,1fr)}b{grid-column:2;text-align:left}\
b::before{content:\"→ \"}}
@page{size:A4;margin:12mm}
@media print{body{padding:0;max-width:none}}
";

/// The font size in points at which a card of this many lines fits on one page.
fn size(card: &Card) -> f64 {
    let rules: usize = card.streets.iter().map(|(_, rules)| 2 + rules.len()).sum();
    let long = |rule: &&super::Rule| rule.when.len() + rule.what.len() > LONG;
    let longer = card.streets.iter().flat_map(|(_, rules)| rules).filter(long).count();
    let lines = 7 + rules + longer + card.terms.len() + card.foot.len();
    (LINES / lines as f64).clamp(7.0, 13.0)
}

/// A rule with more characters than this takes two lines.
const LONG: usize = 75;
/// The number of lines of 1 point that a page holds.
const LINES: f64 = 520.0;

/// The HTML file.
pub(super) fn page(card: &Card) -> String {
    let head = escaped(&card.head);
    let colours = palette(&[
        ("ground", Colour::Ground),
        ("ink", Colour::Ink),
        ("soft", Colour::Soft),
        ("line", Colour::Line),
    ]);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<title>{head}</title>\n\
         <style>\n{colours}:root{{--size:{:.1}pt}}\nbody{{font-family:{FONTS}}}\n\
         {STYLE}</style>\n</head>\n<body>\n\
         <h1>{head}</h1>\n<p>{}</p>\n",
        size(card),
        escaped(&card.reading),
    );
    for (street, rules) in &card.streets {
        add(&mut html, format_args!("<section>\n<h2>{}</h2>\n<ol>\n", escaped(street)));
        for rule in rules {
            let [when, what] = [&rule.when, &rule.what].map(|text| escaped(text));
            add(&mut html, format_args!("<li><span>{when}</span><b>{what}</b></li>\n"));
        }
        html += "</ol>\n</section>\n";
    }
    for (class, lines) in [("terms", &card.terms), ("foot", &card.foot)] {
        add(&mut html, format_args!("<div class=\"{class}\">\n"));
        for line in lines {
            add(&mut html, format_args!("<p>{}</p>\n", escaped(line)));
        }
        html += "</div>\n";
    }
    html += "</body>\n</html>\n";
    html
}

fn add(html: &mut String, part: std::fmt::Arguments<'_>) {
    html.write_fmt(part).expect("a string takes all");
}
