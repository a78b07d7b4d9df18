//! The page as one HTML file, which prints on A4 and follows the system's dark mode on a screen.

use std::fmt::Write;

use show::svg::{Colour, FONTS, Letters, escaped, palette};

use super::{Line, Page, Section};

const STYLE: &str = "\
*{box-sizing:border-box}
body{margin:0 auto;padding:5mm;max-width:265mm;background:var(--ground);color:var(--ink);\
font-size:7.2pt;line-height:1.25}
h1{font-size:15pt;line-height:1.1;margin:0 0 1mm}
h2{font-size:9.5pt;line-height:1.2;margin:2.2mm 0 .2mm;\
border-top:.3mm solid var(--ink);padding-top:1mm}
h2 small{font-weight:normal;font-size:7.2pt;color:var(--soft);margin-left:1.5mm}
p{margin:0 0 .8mm}
.key span{white-space:nowrap;margin-right:2.4mm}
.key i,.bar i{display:inline-block;height:2.2mm}
.key i{width:2.2mm;margin-right:.8mm;border-radius:.4mm;vertical-align:-.3mm}
table{border-collapse:collapse;width:100%}
td{padding:.1mm 0;vertical-align:middle}
tr.rule{border-bottom:.1mm solid var(--line)}
td.when{padding-left:calc(var(--depth)*3.2mm);width:43%;padding-right:3mm}
tr.branch td.when{font-weight:bold}
td.when em{font-style:normal;color:var(--soft);font-weight:normal}
td.bar{width:24mm;font-size:0;padding-right:2mm}
td.bar div{width:22mm;height:2.2mm;white-space:nowrap;overflow:hidden}
td.play,td.node{text-align:right;width:1%;padding-left:3mm;color:var(--soft);white-space:nowrap}
td.node{min-width:9mm}
th{font-weight:normal;text-align:right;color:var(--soft);padding:0 0 .5mm 3mm;white-space:nowrap}
th.key{text-align:left;padding:0 0 .5mm;white-space:normal}
i{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.short{display:none}
@media screen{body,h2 small{font-size:9.4pt;line-height:1.36}td.when{width:37%}}
@media screen and (max-width:45em){body{padding:4mm;overflow-wrap:anywhere}\
body,h2 small{font-size:10.5pt}h2{font-size:12.5pt}table,tbody,td,th{display:block}\
tr{display:grid;grid-template-columns:16mm minmax(0,1fr) 11mm 12mm;gap:0 2mm;align-items:start;\
padding-left:calc(var(--depth,0)*3.2mm)}\
td.when,th.key{grid-column:1/-1;width:auto;padding:.6mm 0 0}td.bar{width:auto;padding:1.2mm 0 0}\
td.bar div{width:16mm}th.play{grid-column:3}\
td.play,td.node,th.play,th.node{width:auto;padding:0;min-width:0}\
tr.rule{padding-bottom:.8mm}tr.branch{padding-top:1mm}}
@page{size:A4;margin:9mm 10mm}
@media print{.short{display:inline}.rest{display:none}td.bar{width:19mm}td.bar div{width:17mm}\
body{padding:0;max-width:none}\
section{break-inside:avoid}}
";

/// The HTML file.
pub(super) fn page(page: &Page) -> String {
    let head = escaped(&page.head);
    let colours = palette(&[
        ("ground", Colour::Ground),
        ("ink", Colour::Ink),
        ("soft", Colour::Soft),
        ("line", Colour::PageLine),
    ]);
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\">\n<title>{head}</title>\n\
         <style>\n{colours}\
         body{{font-family:{FONTS}}}\n{STYLE}</style>\n</head>\n<body>\n<header>\n<h1>{head}</h1>\n"
    );
    for paragraph in page.about.iter().chain([&page.reading]) {
        add(&mut html, format_args!("<p>{}</p>\n", escaped(paragraph)));
    }
    html += "</header>\n";
    page.streets.iter().for_each(|street| section(&mut html, street));
    html += "</body>\n</html>\n";
    html
}

fn section(html: &mut String, street: &Section) {
    add(
        html,
        format_args!(
            "<section>\n<h2>{} <small>{}</small></h2>\n<table>\n<tr><th class=\"key\" \
             colspan=\"3\">",
            escaped(&street.head),
            escaped(&street.about)
        ),
    );
    for (colour, words) in &street.key {
        let words = escaped(words);
        add(html, format_args!("<span><i style=\"background:{colour}\"></i>{words}</span>"));
    }
    *html += "</th><th class=\"play\">of play</th><th class=\"node\">node</th></tr>\n";
    street.lines.iter().for_each(|said| line(html, said));
    *html += "</table>\n</section>\n";
}

fn line(html: &mut String, line: &Line) {
    let (class, columns) =
        if line.rule.is_some() { ("rule", "") } else { ("branch", " colspan=\"5\"") };
    add(
        html,
        format_args!(
            "<tr class=\"{class}\" style=\"--depth:{}\"><td class=\"when\"{columns}><em>{}</em> \
             {}</td>",
            line.depth,
            line.link,
            spaced(&line.condition)
        ),
    );
    if let Some(rule) = &line.rule {
        *html += "<td class=\"bar\"><div>";
        for (colour, share) in rule.parts.iter().filter(|(_, share)| *share >= 0.005) {
            let percent = 100.0 * share;
            add(html, format_args!("<i style=\"width:{percent:.2}%;background:{colour}\"></i>"));
        }
        add(
            html,
            format_args!(
                "</div></td><td class=\"mix\">→ {}</td><td class=\"play\">{}</td><td \
                 class=\"node\">{}</td>",
                mix(&rule.whole),
                rule.play,
                rule.node
            ),
        );
    }
    *html += "</tr>\n";
}

/// The actions of a rule as HTML. In print, the rare part of a long list is replaced by dots, so
/// that a rule takes one line.
fn mix(whole: &str) -> String {
    let first = PAPER.first_of(whole, COLUMN_WIDTH);
    match first.strip_suffix(", …") {
        Some(first) => format!(
            "{}<span class=\"rest\">{}</span><span class=\"short\">, …</span>",
            spaced(first),
            spaced(&whole[first.len()..])
        ),
        None => spaced(&first),
    }
}

/// The text as HTML, with no line breaks within percentages or between them and the word before.
fn spaced(text: &str) -> String {
    let escaped = escaped(text);
    let words: Vec<&str> = escaped.split(' ').collect();
    let mut spaced = String::with_capacity(escaped.len());
    for (at, word) in words.iter().enumerate() {
        let percent = |at: usize| words.get(at).is_some_and(|word| word.starts_with('%'));
        if at > 0 {
            spaced.push_str(if percent(at) || percent(at + 1) { "&nbsp;" } else { " " });
        }
        spaced.push_str(word);
    }
    spaced
}

/// Font in print, in points, and the width for the actions.
const PAPER: Letters = Letters::regular(7.2);
const COLUMN_WIDTH: f64 = 205.0;

fn add(html: &mut String, part: std::fmt::Arguments<'_>) {
    html.write_fmt(part).expect("a string takes all");
}
