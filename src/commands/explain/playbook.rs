//! `cardroom explain playbook`: an agent's trees on one page, cut to a shallow tree for each
//! street, as an HTML file that prints on A4 and follows the system's dark mode on a screen.

use std::fmt::Write;
use std::path::PathBuf;

use models::explain::{Explainer, OutlineNode};
use models::student::{Manifest, Student};
use show::number::{percent, short_percent, whole};
use show::svg::{Colour, Letters, escaped};

use super::tree::class_colours;
use super::{TreeSource, capital, explainer, html_page, on_street};
use crate::exit::Failure;
use crate::output;
use crate::report;

/// Write the upper rules of an agent's four trees on one page, for print or screen.
///
/// Read the rules of a street from the top and follow the lines that apply, until one gives the
/// action, its frequency, its share of play and its node. Deeper branches are summarised, with the
/// command that shows them. The page is A4, black on white; on a screen it follows the system's
/// dark mode. The file is self-contained: no scripts, no fonts, nothing from the network.
///
/// Examples:
///   cardroom explain playbook oct --out oct.html
///   cardroom explain playbook my-students/cart --depth 2 --out cart.html
///
/// Exit codes: 2 when the file is not an .html file, 3 when the agent has no trees.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    source: TreeSource,
    /// Depth shown, 0 to 6; above 3 the text gets small or takes more pages [default: all of trees
    /// with at most 80 leaves in total, else 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=6))]
    depth: Option<u8>,
    /// The file to write, .html
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command: writes the page.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    output::check(Some(&args.out))?;
    super::check_html("--out", "playbook", &args.out)?;
    let student = args.source.student()?;
    report::write(&args.out, &html(&page(args, &student)?))
}

/// Trees with at most this many leaves in all are shown whole.
const WHOLE: usize = 80;
/// The depth to which larger trees are shown.
const DEPTH: usize = 3;

/// The contents of the page.
struct Page {
    head: String,
    /// The agent and its training, in paragraphs.
    about: Vec<String>,
    /// Instructions for the reader.
    reading: String,
    streets: Vec<Section>,
}

/// The section of a street.
struct Section {
    head: String,
    about: String,
    /// The legend: a colour, and words with the share of all play on the street.
    key: Vec<(&'static str, String)>,
    lines: Vec<Line>,
}

/// A line of a section.
struct Line {
    /// The number of conditions above it that hold as well.
    depth: usize,
    /// `when` or `and`; empty if there is no condition.
    link: &'static str,
    condition: String,
    /// The rule; `None` if the lines below have the rules.
    rule: Option<Rule>,
}

/// The actions that a rule takes.
struct Rule {
    /// All actions in words, the likeliest first.
    whole: String,
    /// The colour and share of each kind of action.
    parts: Vec<(&'static str, f64)>,
    /// The share of the play on the street, in words.
    play: String,
    /// The node's number, with a mark if the tree goes on below it.
    node: String,
}

fn page(args: &Args, student: &Student) -> Result<Page, Failure> {
    let name = &args.source.name;
    let trees = game::Street::ALL.map(|street| explainer(student, street));
    let trees = trees.into_iter().collect::<Result<Vec<_>, Failure>>()?;
    let leaves: usize = trees.iter().map(|tree| tree.tree().leaves()).sum();
    let deepest = trees.iter().map(|tree| tree.tree().depth()).max().unwrap_or_default();
    let depth = match args.depth {
        Some(depth) => depth.into(),
        None if leaves <= WHOLE => deepest,
        None => DEPTH,
    };
    let streets = game::Street::ALL.into_iter().zip(&trees);
    let streets = streets.map(|(street, tree)| section(tree, street, depth)).collect();
    let mut reading = format!(
        "How to read it: start at the top of a street and follow the lines that hold, inwards, \
         until one says \
         what is done (→), how often, in how much of the street’s play, and at which node of the \
         tree. The win-rate is the hand’s, against any hand that the opponent may hold, all boards \
         to come counted; it wins most on its best ones. Chips are those put in on the street that \
         is named; the blinds are {}.",
        blinds(student.manifest()),
    );
    let whole_trees = depth >= deepest;
    if !whole_trees {
        reading += &format!(
            " + after a node: it has more rules, shown by `cardroom explain tree {name} --street \
             STREET --node NODE`."
        );
    }
    Ok(Page {
        head: format!("{name}: a playbook"),
        about: about(student.manifest(), whole_trees),
        reading,
        streets,
    })
}

fn blinds(manifest: &Manifest) -> String {
    let mut blinds = manifest.game.blinds.clone();
    blinds.sort_unstable();
    blinds.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")
}

fn about(manifest: &Manifest, whole_trees: bool) -> Vec<String> {
    let kind = match manifest.kind.as_str() {
        "oct" => "Optimal classification trees",
        "cart" => "Greedily grown decision trees (CART)",
        _ => "Decision trees",
    };
    let streets = &manifest.streets;
    let rows: u64 = streets.iter().map(|street| street.rows).sum();
    let right: Vec<String> = game::Street::ALL
        .into_iter()
        .zip(streets)
        .map(|(at, street)| format!("{} {}", percent(street.accuracy, 1), on_street(at)))
        .collect();
    vec![
        format!(
            "{kind}, one for each street, learned from {} different situations of a teacher’s \
             play; made by {}.",
            whole(rows),
            manifest.made_by
        ),
        format!(
            "The likeliest move of the whole trees is their teacher’s in {} (of decisions kept for \
             testing); {}.",
            right.join(", "),
            if whole_trees {
                "the rules here are all that they have"
            } else {
                "the rules here are the upper part of the trees, with the mean of what is below"
            }
        ),
    ]
}

fn section(explainer: &Explainer<'_>, street: game::Street, depth: usize) -> Section {
    let tree = explainer.tree();
    let all = tree.summary(0);
    let head = capital(&on_street(street));
    let about = format!("{} leaves, depth {}", whole(tree.leaves() as u64), tree.depth());
    let owed = explainer.owed(0);
    let classes = class_colours(explainer).into_iter().zip(tree.class_names()).zip(&all.shares);
    let key = classes
        .filter(|(_, share)| **share >= 0.005)
        .map(|((colour, class), share)| {
            (colour, format!("{} {}", explainer.move_words(class, owed), percent(*share, 0)))
        })
        .collect();
    let shown = explainer.outline(0, depth);
    let line = |place: usize| line(explainer, &shown, place, all.weight);
    // The root has no condition, so it gets a line only if it is the only node.
    let lines = (0..shown.len()).filter(|&place| place > 0 || shown.len() == 1).map(line).collect();
    Section { head, about, key, lines }
}

fn line(explainer: &Explainer<'_>, shown: &[OutlineNode], place: usize, weight: f64) -> Line {
    let node = &shown[place];
    let is_rule = shown.get(place + 1).is_none_or(|next| next.parent != Some(place));
    let rule = || Rule {
        whole: explainer.mix(node.node),
        parts: class_colours(explainer).into_iter().zip(node.summary.shares.clone()).collect(),
        play: if weight > 0.0 {
            short_percent(node.summary.weight / weight)
        } else {
            String::new()
        },
        node: format!("{}{}", node.node, if node.hidden > 0 { "+" } else { "" }),
    };
    let (link, condition) = match node.depth {
        0 => ("", "always".to_owned()),
        1 => ("when", node.condition.clone()),
        _ => ("and", node.condition.clone()),
    };
    Line { depth: node.depth.saturating_sub(1), link, condition, rule: is_rule.then(rule) }
}

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
fn html(page: &Page) -> String {
    let mut html = format!("<header>\n<h1>{}</h1>\n", escaped(&page.head));
    for paragraph in page.about.iter().chain([&page.reading]) {
        add(&mut html, format_args!("<p>{}</p>\n", escaped(paragraph)));
    }
    html += "</header>\n";
    page.streets.iter().for_each(|street| write_section(&mut html, street));
    html_page(&page.head, Colour::PageLine, STYLE, &html)
}

fn write_section(html: &mut String, street: &Section) {
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
    street.lines.iter().for_each(|said| write_line(html, said));
    *html += "</table>\n</section>\n";
}

fn write_line(html: &mut String, line: &Line) {
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
