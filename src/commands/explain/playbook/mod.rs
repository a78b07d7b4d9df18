//! `cardroom explain playbook`: an agent's trees on one page, cut to a shallow tree for each
//! street.

mod html;
mod svg;

use std::path::PathBuf;

use models::explain::{Explainer, OutlineNode};
use models::student::{Manifest, Student};
use show::number::{percent, short_percent, whole};

use super::drawing::colours;
use super::tree_source::{TreeSource, explainer, on};
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
///   cardroom explain playbook my-students/cart --depth 2 --out cart.svg
///
/// Exit codes: 2 when the file is neither .html nor .svg, 3 when the agent has no trees.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    source: TreeSource,
    /// Depth shown, 0 to 6; above 3 the text gets small or takes more pages [default: all of trees
    /// with at most 80 leaves in total, else 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=6))]
    depth: Option<u8>,
    /// The file to write, .html or .svg
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command: writes the page.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    output::check(Some(&args.out))?;
    let ending = args.out.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    let draw = match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => html::page,
        Some("svg") => svg::page,
        _ => {
            return Err(Failure::usage(format!(
                "--out {}: a playbook is an .html or an .svg file, and this name ends in neither",
                args.out.display()
            )));
        }
    };
    let student = args.source.student()?;
    report::write(&args.out, &draw(&page(args, &student)?))
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
    let name = args.source.name();
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
        .map(|(at, street)| format!("{} {}", percent(street.accuracy, 1), on(at)))
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
            match whole_trees {
                true => "the rules here are all that they have",
                false =>
                    "the rules here are the upper part of the trees, with the mean of what is \
                     below",
            }
        ),
    ]
}

fn section(explainer: &Explainer<'_>, street: game::Street, depth: usize) -> Section {
    let tree = explainer.tree();
    let all = tree.summary(0);
    let mut head = on(street);
    head[..1].make_ascii_uppercase();
    let about = format!("{} leaves, depth {}", whole(tree.leaves() as u64), tree.depth());
    let owed = explainer.owed(0);
    let classes = colours(explainer).into_iter().zip(tree.class_names()).zip(&all.shares);
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
        parts: colours(explainer).into_iter().zip(node.summary.shares.clone()).collect(),
        play: match weight > 0.0 {
            true => short_percent(node.summary.weight / weight),
            false => String::new(),
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
