//! A card to play by: numbered lines of when and what, in sections, on one page of paper, or as a
//! picture.

use crate::svg::{Colour, Head, Letters, Picture, escaped, page};

/// What is on a card.
#[derive(Debug, Clone)]
pub struct Card {
    /// The heading.
    pub head: String,
    /// How to read the card.
    pub reading: String,
    /// The lines, in sections.
    pub sections: Vec<CardSection>,
    /// Explanations of words.
    pub terms: Vec<String>,
    /// What is last: what the rules are worth, and where they come from.
    pub foot: Vec<String>,
}

/// A section of a card.
#[derive(Debug, Clone)]
pub struct CardSection {
    /// Its heading.
    pub head: String,
    /// Lines in order: when, and what to do then.
    pub lines: Vec<[String; 2]>,
}

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

/// A line with more characters than this takes two lines.
const LONG: usize = 75;
/// The number of lines of 1 point that a page holds.
const LINES: f64 = 520.0;

/// The width of the picture, of the number of a line and of the margins, in pixels.
const WIDTH: f64 = 640.0;
const NUMBER: f64 = 30.0;
const EDGE: f64 = 18.0;

impl Card {
    /// The card as an HTML file, one page of A4 on paper, one column on a phone.
    pub fn html(&self) -> String {
        let Card { head, reading, .. } = self;
        let mut html = format!("<h1>{}</h1>\n<p>{}</p>\n", escaped(head), escaped(reading));
        for section in &self.sections {
            html += &format!("<section>\n<h2>{}</h2>\n<ol>\n", escaped(&section.head));
            for line in &section.lines {
                let [when, what] = line.each_ref().map(|text| escaped(text));
                html += &format!("<li><span>{when}</span><b>{what}</b></li>\n");
            }
            html += "</ol>\n</section>\n";
        }
        for (class, lines) in [("terms", &self.terms), ("foot", &self.foot)] {
            html += &format!("<div class=\"{class}\">\n");
            for line in lines {
                html += &format!("<p>{}</p>\n", escaped(line));
            }
            html += "</div>\n";
        }
        let style = format!(":root{{--size:{:.1}pt}}\n{STYLE}", self.letters());
        page(head, Colour::Line, &style, &html)
    }

    /// The font size in points at which the card fits on one page.
    fn letters(&self) -> f64 {
        let lines = || self.sections.iter().flat_map(|section| &section.lines);
        let long = |line: &&[String; 2]| line.iter().map(String::len).sum::<usize>() > LONG;
        let all = lines().count() + lines().filter(long).count();
        let rest = 2 * self.sections.len() + self.terms.len() + self.foot.len();
        (LINES / (7 + all + rest) as f64).clamp(7.0, 13.0)
    }

    /// The card as an SVG file.
    pub fn svg(&self) -> String {
        let (regular, bold, small) =
            (Letters::regular(13.0), Letters::bold(13.0), Letters::regular(11.0));
        let inner = WIDTH - 2.0 * EDGE;
        // The texts that are drawn.
        let mut texts: Vec<([f64; 2], &str, String)> = Vec::new();
        let mut rules = Vec::new();
        let mut y = EDGE + 14.0;
        texts.push(([EDGE, y], "font-size=\"19\" font-weight=\"bold\"", self.head.clone()));
        for line in regular.wrapped(&self.reading, inner) {
            y += 18.0;
            texts.push(([EDGE, y], "", line));
        }
        for section in &self.sections {
            rules.push((y + 12.0, "edge"));
            y += 34.0;
            let bold_head = "font-size=\"14\" font-weight=\"bold\"";
            texts.push(([EDGE, y], bold_head, section.head.clone()));
            y += 6.0;
            for (number, [when, what]) in (1..).zip(&section.lines) {
                let room = inner - NUMBER - bold.wide(what) - 16.0;
                let base = y + 18.0;
                texts.push(([EDGE, base], "class=\"soft\"", number.to_string()));
                for line in regular.wrapped(when, room.max(0.4 * inner)) {
                    y += 18.0;
                    texts.push(([EDGE + NUMBER, y], "", line));
                }
                let end = "font-weight=\"bold\" text-anchor=\"end\"";
                texts.push(([WIDTH - EDGE, base], end, what.clone()));
                y += 6.0;
                rules.push((y, "line"));
            }
        }
        y += 8.0;
        for text in self.terms.iter().chain(&self.foot) {
            for line in small.wrapped(text, inner) {
                y += 15.0;
                texts.push(([EDGE, y], "class=\"soft\" font-size=\"11\"", line));
            }
        }
        let size = [WIDTH, y + EDGE];
        let shown = size.map(|size| format!("{size:.0}"));
        let mut picture = Picture::new(&Head {
            name: "card",
            size,
            shown: Some([&shown[0], &shown[1]]),
            title: &self.head,
            description: "",
            letters: 13.0,
            colours: &[
                (" .edge", "stroke", Colour::Ink),
                (" .line", "stroke", Colour::Line),
                (" .soft", "fill", Colour::Soft),
            ],
            style: "",
        });
        for (y, class) in rules {
            picture.add(format_args!(
                "<line class=\"{class}\" x1=\"{EDGE}\" x2=\"{:.0}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>",
                WIDTH - EDGE
            ));
        }
        for (at, attributes, text) in texts {
            picture.text(at, attributes, &text);
        }
        picture.finish()
    }
}
