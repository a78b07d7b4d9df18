//! The page as an SVG picture in the proportions of A4. It needs no fonts or other files; with more
//! rules everything gets smaller, so that it stays one page.

use show::svg::{Colour, Head, Letters, Picture, escaped};

use super::{Line, Page, Section};

/// A4 in points of 1/96 inch.
const WIDE: f64 = 794.0;
const TALL: f64 = 1123.0;
const EDGE: f64 = 32.0;
/// Line heights: of rules and of text.
const RULE: f64 = 13.5;
const LINE: f64 = 11.6;
/// Widths of the columns of a rule: its bar of colours, its actions, its share of play and its
/// node; and the gap between conditions and colours.
const BAR: f64 = 62.0;
const MIX: f64 = 252.0;
const PLAY: f64 = 38.0;
const NODE: f64 = 34.0;
const GAP: f64 = 8.0;
/// Indentation for each level of conditions.
const INDENT: f64 = 12.0;
const TEXT: Letters = Letters::regular(9.2);
const BOLD: Letters = Letters::bold(9.2);
const TITLE: Letters = Letters::bold(19.0);

/// The SVG file.
pub(super) fn page(page: &Page) -> String {
    let lines = |width: f64| -> Vec<String> {
        let available = width - 2.0 * EDGE;
        page.about
            .iter()
            .chain([&page.reading])
            .flat_map(|text| TEXT.wrapped(text, available))
            .collect()
    };
    let head = |width: f64| TITLE.wrapped(&page.head, width - 2.0 * EDGE);
    let height = |width: f64| {
        let streets: f64 = page.streets.iter().map(|street| tall(street, width)).sum();
        2.0 * EDGE + 22.0 * head(width).len() as f64 + LINE * lines(width).len() as f64 + streets
    };
    // A page that is too tall for A4 is laid out on a larger sheet of the same proportions, on
    // which fewer lines wrap.
    let tall = height(WIDE).max(TALL);
    let width = WIDE * tall / TALL;
    let mut svg = open([width, tall], page);
    let mut y = EDGE;
    for line in head(width) {
        svg.text([EDGE, y + 14.0], "font-size=\"19\" font-weight=\"bold\"", &line);
        y += 22.0;
    }
    for line in lines(width) {
        y += LINE;
        svg.text([EDGE, y], "", &line);
    }
    for street in &page.streets {
        y = section(&mut svg, street, width, y);
    }
    svg.finish()
}

/// The height of a section.
fn tall(street: &Section, width: f64) -> f64 {
    let lines: usize = street.lines.iter().map(|line| conditions(line, width).len()).sum();
    let keys = key(street, width).len().max(1);
    12.0 + 17.0 + LINE * keys as f64 + 5.0 + RULE * lines as f64
}

/// The lines of the legend: position, colour and words of each entry.
fn key(street: &Section, width: f64) -> Vec<Vec<(f64, &'static str, &str)>> {
    let mut lines = vec![Vec::new()];
    let mut left = EDGE;
    for (colour, words) in &street.key {
        let wide = 11.0 + TEXT.wide(words);
        if left > EDGE && left + wide > width - EDGE {
            lines.push(Vec::new());
            left = EDGE;
        }
        if let Some(line) = lines.last_mut() {
            line.push((left, *colour, words.as_str()));
        }
        left += wide + 10.0;
    }
    lines
}

/// The left edge of a line's conditions.
fn start(line: &Line) -> f64 {
    EDGE + INDENT * line.depth as f64
}

/// The condition of a line with its first word, wrapped to the width left beside a rule.
fn conditions(line: &Line, width: f64) -> Vec<String> {
    let (letters, right) = match line.rule {
        Some(_) => (TEXT, width - EDGE - NODE - PLAY - MIX - GAP - BAR - GAP),
        None => (BOLD, width - EDGE),
    };
    letters.wrapped(&format!("{} {}", line.link, line.condition), right - start(line))
}

/// Draws a section below `y`; returns where it ends.
fn section(svg: &mut Picture, street: &Section, width: f64, y: f64) -> f64 {
    let (right, top) = (width - EDGE, y + 12.0);
    let head = top + 14.0;
    svg.add(format_args!("<path d=\"M{EDGE} {top:.1}H{right:.1}\" class=\"head\"/>"));
    let words = [("class=\"street\"", &*street.head), ("dx=\"8\" class=\"faint\"", &*street.about)];
    svg.spans([EDGE, head], "", &words);
    let node = right - NODE;
    for (x, words) in [(node, "of play"), (right, "node")] {
        svg.text([x, head], "class=\"end\"", words);
    }
    let mut base = head + 3.0;
    for line in key(street, width) {
        base += LINE;
        for (left, colour, words) in line {
            svg.add(format_args!(
                "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"8\" height=\"8\" rx=\"1.5\" \
                 fill=\"{colour}\"/>",
                base - 7.4
            ));
            svg.text([left + 11.0, base], "class=\"faint\"", words);
        }
    }
    let mut y = base + 5.0;
    for said in &street.lines {
        line(svg, said, width, y);
        y += RULE * conditions(said, width).len() as f64;
    }
    y
}

/// Draws a line below `y`.
fn line(svg: &mut Picture, line: &Line, width: f64, y: f64) {
    let class = if line.rule.is_some() { "condition" } else { "condition branch" };
    let (x, right) = (start(line), width - EDGE);
    let mut base = y - 3.6;
    for (number, words) in conditions(line, width).iter().enumerate() {
        base += RULE;
        let (link, words) = match words.split_once(' ') {
            Some((link, words)) if number == 0 && link == line.link => (link, words),
            _ => ("", words.as_str()),
        };
        let spans = [("class=\"link\"", link), ("", " "), ("", words)];
        svg.spans([x, base], &format!("class=\"{class}\""), &spans);
    }
    let Some(rule) = &line.rule else { return };
    // The rule stands beside the last line of the condition.
    let y = base;
    let [play, mix] = [right - NODE, right - NODE - PLAY - MIX];
    let mut left = mix - GAP - BAR;
    svg.add(format_args!("<g><title>{}</title>", escaped(&rule.whole)));
    for (colour, share) in &rule.parts {
        let part = BAR * share;
        if part >= 0.05 {
            svg.add(format_args!(
                "<rect x=\"{left:.2}\" y=\"{:.1}\" width=\"{part:.2}\" height=\"8\" \
                     fill=\"{colour}\" class=\"bar\"/>",
                y - 7.4
            ));
        }
        left += part;
    }
    let words = TEXT.first_of(&format!("→ {}", rule.whole), MIX - GAP);
    svg.text([mix, y], "class=\"mix\"", &words);
    svg.text([play, y], "class=\"end\"", &rule.play);
    svg.text([right, y], "class=\"end\"", &rule.node);
    svg.add(format_args!("</g>\n<path d=\"M{EDGE} {:.1}H{right:.1}\" class=\"under\"/>", y + 3.4));
}

fn open(size: [f64; 2], page: &Page) -> Picture {
    Picture::new(&Head {
        name: "playbook",
        size,
        shown: Some(["210mm", "297mm"]),
        title: &page.head,
        description: "",
        letters: 9.2,
        colours: &[
            (" .faint", "fill", Colour::Soft),
            (" .link", "fill", Colour::Soft),
            (" .end", "fill", Colour::Soft),
            (" .head", "stroke", Colour::Ink),
            (" .under", "stroke", Colour::Line),
        ],
        style: ".street{font-size:12.5px;font-weight:bold}.end{text-anchor:end}\
                .branch{font-weight:bold}\
                .link{font-weight:normal}.head{stroke-width:1.2}.under{stroke-width:0.5}\
                @page{size:A4;margin:0}",
    })
}
