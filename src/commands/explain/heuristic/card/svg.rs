//! The card as an SVG picture. It is narrow, so that its text is large enough both on a phone,
//! where it fills the width, and on A4, where it fills the height.

use show::svg::{Colour, Head, Letters, Picture};

use super::{Card, Rule};

/// Width in points of 1/96 inch.
const WIDE: f64 = 460.0;
const EDGE: f64 = 18.0;
/// Font size: 12.5 on a phone that is 360 points wide.
const SIZE: f64 = 16.0;

/// The SVG file.
pub(super) fn page(card: &Card) -> String {
    Layout::new(card, SIZE).draw(card)
}

/// A line of text with its position and its CSS class.
struct Line {
    at: [f64; 2],
    class: &'static str,
    text: String,
}

/// The layout of a card: where its lines of text are.
struct Layout {
    size: f64,
    lines: Vec<Line>,
    /// Horizontal lines: their height and CSS class.
    rules: Vec<(f64, &'static str)>,
    height: f64,
}

impl Layout {
    fn new(card: &Card, size: f64) -> Layout {
        let mut layout = Layout { size, lines: Vec::new(), rules: Vec::new(), height: EDGE };
        let title = Letters::bold(1.6 * size);
        for text in title.wrapped(&card.head, WIDE - 2.0 * EDGE) {
            layout.height += 1.8 * size;
            layout.line(EDGE, "title", text);
        }
        layout.height += 0.3 * size;
        layout.paragraph("", &card.reading, 1.0);
        for (street, rules) in &card.streets {
            layout.height += 1.0 * size;
            layout.rules.push((layout.height, "head"));
            layout.height += 1.5 * size;
            layout.line(EDGE, "street", street.clone());
            layout.height += 0.3 * size;
            for (number, rule) in (1..).zip(rules) {
                layout.rule(number, rule);
            }
        }
        layout.height += 0.7 * size;
        for text in card.terms.iter().chain(&card.foot) {
            layout.paragraph("small", text, 0.82);
            layout.height += 0.25 * size;
        }
        layout.height += EDGE;
        layout
    }

    fn line(&mut self, x: f64, class: &'static str, text: String) {
        self.lines.push(Line { at: [x, self.height], class, text });
    }

    fn paragraph(&mut self, class: &'static str, text: &str, scale: f64) {
        let letters = Letters::regular(scale * self.size);
        for text in letters.wrapped(text, WIDE - 2.0 * EDGE) {
            self.height += 1.3 * scale * self.size;
            self.line(EDGE, class, text);
        }
    }

    /// Adds a rule: its action is at the right, beside the last line of the condition.
    fn rule(&mut self, number: u32, rule: &Rule) {
        let (regular, bold) = (Letters::regular(self.size), Letters::bold(self.size));
        let left = EDGE + 1.6 * self.size;
        let available = WIDE - EDGE - left - bold.wide(&rule.what) - self.size;
        for (at, text) in
            regular.wrapped(&rule.when, available.max(8.0 * self.size)).into_iter().enumerate()
        {
            self.height += 1.3 * self.size;
            if at == 0 {
                self.line(EDGE, "number", number.to_string());
            }
            self.line(left, "", text);
        }
        self.line(WIDE - EDGE, "what", rule.what.clone());
        self.height += 0.35 * self.size;
        self.rules.push((self.height, "under"));
    }

    fn draw(&self, card: &Card) -> String {
        let style = format!(
            ".title{{font-size:{:.1}px;font-weight:bold}}\
             .street{{font-size:{:.1}px;font-weight:bold}}\
             .small{{font-size:{:.1}px}}.what{{font-weight:bold;text-anchor:end}}\
             .head{{stroke-width:1.6}}\
             .under{{stroke-width:0.7}}",
            1.6 * self.size,
            1.15 * self.size,
            0.82 * self.size
        );
        let mut svg = Picture::new(&Head {
            name: "card",
            size: [WIDE, self.height],
            shown: None,
            title: &card.head,
            description: "",
            letters: self.size,
            colours: &[
                (" .number", "fill", Colour::Soft),
                (" .small", "fill", Colour::Soft),
                (" .head", "stroke", Colour::Ink),
                (" .under", "stroke", Colour::Line),
            ],
            style: &style,
        });
        for (y, class) in &self.rules {
            let right = WIDE - EDGE;
            svg.add(format_args!("<path d=\"M{EDGE} {y:.1}H{right:.1}\" class=\"{class}\"/>"));
        }
        for line in &self.lines {
            let class = match line.class {
                "" => String::new(),
                class => format!("class=\"{class}\""),
            };
            svg.text(line.at, &class, &line.text);
        }
        svg.finish()
    }
}
