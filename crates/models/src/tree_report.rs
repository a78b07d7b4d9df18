//! Decision trees as people read them: a part of a tree as text, for Graphviz, or as a picture
//! ([`TreePart`]); its leaves that bet and raise with weak hands ([`Bluffs`]); and the trees of all
//! streets on one page ([`Playbook`]).

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use abstraction::menu::{BetSize, Move};
use cards::StartingHand;
use game::Street;
use serde::Serialize;
use show::number::{capital, counted, percent, short_percent, whole};
use show::svg::tree::{BoxKind, TreeBox, TreePicture};
use show::svg::{Colour, Letters, escaped, page};

use crate::chart::{Kind, colour};
use crate::explain::{Explainer, LeafKind, OutlineNode, Weak, on_street, percent as share_words};
use crate::student::{Manifest, Student};
use crate::tree::Summary;

/// A part of a street's tree, to be shown.
#[derive(Debug)]
pub struct TreePart<'a> {
    explainer: &'a Explainer<'a>,
    shown: Vec<OutlineNode>,
    /// The name of the tree, in one line.
    head: String,
    /// The size of the tree, in words.
    about: String,
    /// The conditions that hold at the first node shown; empty for the root.
    holds: String,
    /// The weight of all rows of the tree.
    weight: f64,
    /// The starting hands that lead to the first node shown, if it is one before the flop and not
    /// the root.
    hands: Vec<StartingHand>,
    /// The winnings of each node, in words, if they are known.
    won: Vec<String>,
}

impl<'a> TreePart<'a> {
    /// The part of a street's tree from a node down to `depth` branches, or, if one is given, that
    /// around the leaf of this kind. `name` is the agent's.
    ///
    /// Panics where there is no such node.
    pub fn new(
        name: &str,
        (student, street): (&Student, Street),
        explainer: &'a Explainer<'a>,
        (node, depth): (usize, usize),
        around: Option<LeafKind>,
    ) -> TreePart<'a> {
        let (mut first, mut why) = (node, String::new());
        if let Some(kind) = around {
            let what = match kind {
                LeafKind::Bluff => "with weak hands",
                LeafKind::Value => "with strong hands",
            };
            (first, why) = match explainer.leaf_that(kind) {
                Some(leaf) => (
                    explainer.above(leaf, depth),
                    format!("; around node {leaf}, which bets and raises most {what}"),
                ),
                None => (0, format!("; no leaf mostly bets or raises {what}")),
            };
        }
        let tree = explainer.tree();
        let all = tree.summary(0);
        let mut about = format!(
            "{} leaves, depth {}, learned from {} rows",
            whole(tree.leaves() as u64),
            tree.depth(),
            whole(all.rows)
        );
        if let Some(street) = student.manifest().streets.get(street.index()) {
            about +=
                &format!("; likeliest move right in {} of the test", percent(street.accuracy, 1));
        }
        if first > 0 {
            about += &format!("; from node {first}");
        }
        TreePart {
            shown: explainer.outline(first, depth),
            head: format!("{name} {}", on_street(street)),
            about: about + &why,
            holds: explainer.path(first).join("; "),
            weight: all.weight,
            hands: match first {
                0 => Vec::new(),
                first => explainer.starting_hands(student.schema(), first),
            },
            won: Vec::new(),
            explainer,
        }
    }

    /// The numbers of the nodes.
    pub fn nodes(&self) -> Vec<usize> {
        self.shown.iter().map(|node| node.node).collect()
    }

    /// The numbers of the nodes that go on below this part.
    pub fn below(&self) -> Vec<usize> {
        self.shown.iter().filter(|node| node.hidden > 0).map(|node| node.node).collect()
    }

    /// The part with the winnings of its nodes in words, and whose they are.
    #[must_use]
    pub fn with_winnings(mut self, whose: &str, won: Vec<String>) -> TreePart<'a> {
        self.about += whose;
        self.won = won;
        self
    }

    /// The tree as text, two lines for each node: the condition that leads to it, and its actions.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}\n", self.head, self.about);
        if !self.holds.is_empty() {
            text += &format!("there: {}\n", self.holds);
        }
        text.push('\n');
        // For each depth, whether the last node shown there has a sibling still to come.
        let mut open: Vec<bool> = Vec::new();
        for (index, node) in self.shown.iter().enumerate() {
            open.truncate(node.depth);
            let more = self.shown[index + 1..].iter().any(|other| other.parent == node.parent);
            let indent: String = match open.get(1..) {
                Some(above) => above.iter().map(|&more| if more { "│  " } else { "   " }).collect(),
                None => String::new(),
            };
            open.push(more);
            if node.depth > 0 {
                let mark = if more { "├─ " } else { "└─ " };
                text +=
                    &format!("{indent}{mark}{}{}\n", node.condition, in_brackets(&node.reading));
            }
            let under = match (node.depth, more) {
                (0, _) => "",
                (_, true) => "│  ",
                (_, false) => "   ",
            };
            text += &format!(
                "{indent}{under}{}",
                node_line(self.explainer, node.node, node.hidden, &node.summary, self.weight)
            );
            if let Some(won) = self.won.get(index) {
                text += &format!("; {won}");
            }
            text.push('\n');
        }
        text + &self.chart_of_hands()
    }

    /// The starting hands that lead to the first node, as a chart in text; empty if they are not
    /// known.
    fn chart_of_hands(&self) -> String {
        if self.hands.is_empty() {
            return String::new();
        }
        let combos: usize = self.hands.iter().map(|hand| hand.combos().count()).sum();
        let mut text = format!(
            "\nhands that come here, whatever is bet: {} of {} kinds, {} of 1,326 combos\n",
            self.hands.len(),
            StartingHand::COUNT,
            whole(combos as u64)
        );
        for hand in StartingHand::all() {
            let cell = match self.hands.contains(&hand) {
                true => hand.to_string(),
                false => "·".to_owned(),
            };
            let last = hand.index() % 13 == 12;
            text += &if last { format!("{cell}\n") } else { format!("{cell:<4}") };
        }
        text
    }

    /// The tree in Graphviz's language.
    pub fn dot(&self) -> String {
        let mut text = format!(
            "digraph tree {{\n  graph [rankdir=LR, labelloc=t, label={}];\n  \
             node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n  \
             edge [fontname=\"sans-serif\"];\n",
            quoted(&[&self.head, &self.about, &self.holds])
        );
        for (index, node) in self.shown.iter().enumerate() {
            let number = format!("node {}", node.node);
            let done = self.explainer.mix(node.node);
            let rows = rows_in_words(&node.summary, self.weight);
            let below = match node.hidden {
                0 => String::new(),
                leaves => format!("{} leaves below", whole(leaves as u64)),
            };
            let colour = likeliest_colour(self.explainer, &node.summary.shares);
            text += &format!(
                "  n{} [label={}, fillcolor=\"{colour}66\"];\n",
                node.node,
                quoted(&[&number, &done, &rows, &below, self.won.get(index).map_or("", |won| won)])
            );
            if let Some(parent) = node.parent {
                let condition = EDGES.wrapped(&node.condition, 190.0);
                let condition: Vec<&str> = condition.iter().map(String::as_str).collect();
                text += &format!(
                    "  n{} -> n{} [label={}];\n",
                    self.shown[parent].node,
                    node.node,
                    quoted(&condition)
                );
            }
        }
        text.push_str("}\n");
        text
    }

    /// The tree as SVG; the winnings are in the tooltips.
    pub fn svg(&self) -> String {
        let explainer = self.explainer;
        let colours = class_colours(explainer);
        let owed = explainer.owed(0);
        let names = explainer.tree().class_names().iter();
        let mut about = vec![self.about.clone()];
        if !self.holds.is_empty() {
            about.push(format!("There: {}", self.holds));
        }
        let tree_box = |(index, node): (usize, &OutlineNode)| {
            let condition = match node.condition.as_str() {
                "" if node.node == 0 => "every decision",
                "" => "from here on",
                condition => condition,
            };
            let below = match node.hidden {
                0 => String::new(),
                leaves => format!(" · {} leaves below", whole(leaves as u64)),
            };
            let won = self.won.get(index).map_or_else(String::new, |won| format!("; {won}"));
            let (done, rows) =
                (explainer.mix(node.node), rows_in_words(&node.summary, self.weight));
            let bar = colours.iter().zip(&node.summary.shares);
            TreeBox {
                parent: node.parent,
                title: format!(
                    "node {}: {}{}; {done}; {rows}{below}{won}",
                    node.node,
                    node.condition,
                    in_brackets(&node.reading)
                ),
                condition: condition.to_owned(),
                place: format!("node {} · {rows}", node.node),
                done,
                bar: bar.map(|(colour, share)| (format!("fill=\"{colour}\""), *share)).collect(),
                kind: if node.hidden > 0 { BoxKind::More } else { BoxKind::Plain },
            }
        };
        let key = names.map(|class| explainer.move_words(class, owed));
        TreePicture {
            head: self.head.clone(),
            about,
            key: colours.iter().copied().zip(key).collect(),
            nodes: self.shown.iter().enumerate().map(tree_box).collect(),
        }
        .svg()
    }
}

/// A node as one line.
fn node_line(
    explainer: &Explainer<'_>,
    node: usize,
    hidden: usize,
    summary: &Summary,
    weight: f64,
) -> String {
    let below = match hidden {
        0 => String::new(),
        leaves => format!(", {} leaves below", whole(leaves as u64)),
    };
    let (done, rows) = (explainer.mix(node), rows_in_words(summary, weight));
    format!("node {node}: {done} ({rows}{below})")
}

/// The number of rows of a node and their share of all play, in words.
pub fn rows_in_words(summary: &Summary, weight: f64) -> String {
    let rows = counted(summary.rows, "row");
    if weight > 0.0 {
        format!("{rows}, {} of play", short_percent(summary.weight / weight))
    } else {
        rows
    }
}

/// An estimate of the font of Graphviz's edge labels, which Graphviz measures itself.
const EDGES: Letters = Letters::regular(11.0);

/// Lines as a quoted Graphviz string; empty lines are left out.
fn quoted(lines: &[&str]) -> String {
    let lines = lines.iter().filter(|line| !line.is_empty());
    let lines: Vec<String> =
        lines.map(|line| line.replace('\\', "\\\\").replace('"', "\\\"")).collect();
    format!("\"{}\"", lines.join("\\n"))
}

/// The kind of action of each class.
fn class_kinds(explainer: &Explainer<'_>) -> Vec<Kind> {
    let mut raises = 0;
    let kind = |class: &String| match class.parse() {
        Ok(Move::Fold) => Kind::Fold,
        Ok(Move::Call) => Kind::Call,
        Ok(Move::Raise(BetSize::AllIn)) => Kind::AllIn,
        Ok(Move::Raise(_)) | Err(()) => {
            raises += 1;
            Kind::Raise(raises - 1)
        }
    };
    explainer.tree().class_names().iter().map(kind).collect()
}

/// The colour of each class.
fn class_colours(explainer: &Explainer<'_>) -> Vec<&'static str> {
    class_kinds(explainer).into_iter().map(colour).collect()
}

/// The colour of the most frequent answer.
fn likeliest_colour(explainer: &Explainer<'_>, shares: &[f64]) -> &'static str {
    let most = class_kinds(explainer).into_iter().zip(shares).max_by(|a, b| a.1.total_cmp(b.1));
    colour(most.map_or(Kind::Call, |(kind, _)| kind))
}

/// The leaves of an agent's trees that bet or raise although every hand in them is weak.
#[derive(Debug, Serialize)]
pub struct Bluffs<'a> {
    agent: &'a str,
    equity: f64,
    raise: f64,
    streets: Vec<StreetBluffs<'a>>,
    /// The most leaves of a street that the text lists.
    #[serde(skip)]
    most: usize,
}

/// The bluffs on a street.
#[derive(Debug, Serialize)]
struct StreetBluffs<'a> {
    street: &'static str,
    leaves: usize,
    bluffs: Vec<BluffLeaf>,
    #[serde(skip)]
    on: Street,
    #[serde(skip)]
    explainer: Explainer<'a>,
}

/// A leaf that bets and raises with weak hands.
#[derive(Debug, Serialize)]
struct BluffLeaf {
    node: usize,
    nodes: Vec<usize>,
    path: Vec<String>,
    equity_below: f64,
    raise: f64,
    rows: u64,
    share_of_play: f64,
    actions: BTreeMap<String, f64>,
    #[serde(skip)]
    summary: Summary,
}

impl<'a> Bluffs<'a> {
    /// The bluffs of an agent on these streets; the text lists at most so many of a street.
    pub fn new(
        agent: &'a str,
        trees: Vec<(Street, Explainer<'a>)>,
        weak: Weak,
        most: usize,
    ) -> Bluffs<'a> {
        let street = |(on, explainer): (Street, Explainer<'a>)| {
            let tree = explainer.tree();
            let weight = tree.summary(0).weight;
            let bluffs = explainer.bluffs(weak).into_iter().map(|bluff| BluffLeaf {
                node: bluff.node,
                nodes: explainer.way(bluff.node),
                path: explainer.path(bluff.node),
                equity_below: bluff.equity_below,
                raise: bluff.raise,
                rows: bluff.summary.rows,
                share_of_play: bluff.summary.weight / weight,
                actions: tree
                    .class_names()
                    .iter()
                    .cloned()
                    .zip(bluff.summary.shares.clone())
                    .collect(),
                summary: bluff.summary,
            });
            let (street, leaves, bluffs) = (on.name(), tree.leaves(), bluffs.collect());
            StreetBluffs { street, leaves, bluffs, on, explainer }
        };
        let Weak { equity, raise } = weak;
        Bluffs { agent, equity, raise, streets: trees.into_iter().map(street).collect(), most }
    }
}

impl fmt::Display for Bluffs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, street) in self.streets.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            street.write(f, self)?;
        }
        Ok(())
    }
}

impl StreetBluffs<'_> {
    fn write(&self, f: &mut fmt::Formatter<'_>, all: &Bluffs<'_>) -> fmt::Result {
        let StreetBluffs { bluffs, explainer, .. } = self;
        let weight = explainer.tree().summary(0).weight;
        write!(
            f,
            "{} {}: {} of {} leaves raise {} of the time or more with an equity below {}",
            all.agent,
            on_street(self.on),
            whole(bluffs.len() as u64),
            whole(self.leaves as u64),
            share_words(all.raise as f32),
            share_words(all.equity as f32),
        )?;
        let there: f64 = bluffs.iter().map(|bluff| bluff.summary.weight).sum();
        let raised: f64 = bluffs.iter().map(|bluff| bluff.summary.weight * bluff.raise).sum();
        if there > 0.0 {
            write!(
                f,
                "\n{} of play reaches them, and raises in {} of that",
                short_percent(there / weight),
                short_percent(raised / there)
            )?;
        }
        writeln!(f)?;
        for BluffLeaf { node, nodes, path, summary, .. } in bluffs.iter().take(all.most) {
            let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
            let line = node_line(explainer, *node, 0, summary, weight);
            write!(f, "\n{line}\n  nodes {}\n", nodes.join("-"))?;
            path.iter().try_for_each(|clause| writeln!(f, "  {clause}"))?;
        }
        if bluffs.len() > all.most {
            let more = whole((bluffs.len() - all.most) as u64);
            write!(f, "\n… and {more} more: --most shows them\n")?;
        }
        Ok(())
    }
}

/// Trees with at most this many leaves in all are shown whole.
const WHOLE: usize = 80;
/// The depth to which larger trees are shown.
const DEPTH: usize = 3;

/// The upper rules of an agent's trees of all streets, on one page.
#[derive(Debug)]
pub struct Playbook {
    head: String,
    /// The agent and its training, in paragraphs.
    about: Vec<String>,
    /// Instructions for the reader.
    reading: String,
    streets: Vec<Section>,
}

/// The section of a street.
#[derive(Debug)]
struct Section {
    head: String,
    about: String,
    /// The legend: a colour, and words with the share of all play on the street.
    key: Vec<(&'static str, String)>,
    lines: Vec<RuleLine>,
}

/// A line of a section.
#[derive(Debug)]
struct RuleLine {
    /// The number of conditions above it that hold as well.
    depth: usize,
    /// `when` or `and`; empty if there is no condition.
    link: &'static str,
    condition: String,
    /// The rule; `None` if the lines below have the rules.
    rule: Option<Rule>,
}

/// The actions that a rule takes.
#[derive(Debug)]
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

impl Playbook {
    /// The playbook of an agent with these trees, by street, down to `depth` branches; by default
    /// small trees are shown whole.
    pub fn new(
        name: &str,
        student: &Student,
        trees: &[Explainer<'_>],
        depth: Option<usize>,
    ) -> Playbook {
        let leaves: usize = trees.iter().map(|tree| tree.tree().leaves()).sum();
        let deepest = trees.iter().map(|tree| tree.tree().depth()).max().unwrap_or_default();
        let depth = match depth {
            Some(depth) => depth,
            None if leaves <= WHOLE => deepest,
            None => DEPTH,
        };
        let streets = Street::ALL.into_iter().zip(trees);
        let streets = streets.map(|(street, tree)| section(tree, street, depth)).collect();
        let mut reading = format!(
            "How to read it: start at the top of a street and follow the lines that hold, inwards, \
             until one says what is done (→), how often, in how much of the street’s play, and at \
             which node of the tree. The equity is the hand’s, against any hand that the \
             opponent may hold, all boards to come counted; it wins most on its best ones. Chips \
             are those put in on the street that is named; the blinds are {}.",
            blinds(student.manifest()),
        );
        let whole_trees = depth >= deepest;
        if !whole_trees {
            reading += &format!(
                " + after a node: it has more rules, shown by `cardroom explain tree {name} \
                 --street STREET --node NODE`."
            );
        }
        Playbook {
            head: format!("{name}: a playbook"),
            about: about(student.manifest(), whole_trees),
            reading,
            streets,
        }
    }

    /// The HTML file.
    pub fn html(&self) -> String {
        let mut html = format!("<header>\n<h1>{}</h1>\n", escaped(&self.head));
        for paragraph in self.about.iter().chain([&self.reading]) {
            add(&mut html, format_args!("<p>{}</p>\n", escaped(paragraph)));
        }
        html += "</header>\n";
        self.streets.iter().for_each(|street| write_section(&mut html, street));
        page(&self.head, Colour::PageLine, STYLE, &html)
    }
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
    let right: Vec<String> = Street::ALL
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

fn section(explainer: &Explainer<'_>, street: Street, depth: usize) -> Section {
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
    let whole_tree = depth >= tree.depth();
    let line = |place: usize| line(explainer, &shown, place, (all.weight, whole_tree));
    // The root has no condition, so it gets a line only if it is the only node.
    let lines = (0..shown.len()).filter(|&place| place > 0 || shown.len() == 1).map(line).collect();
    Section { head, about, key, lines }
}

/// The reading of a condition behind it, if it has one.
fn in_brackets(reading: &str) -> String {
    if reading.is_empty() { String::new() } else { format!(" ({reading})") }
}

fn line(
    explainer: &Explainer<'_>,
    shown: &[OutlineNode],
    place: usize,
    (weight, readings): (f64, bool),
) -> RuleLine {
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
    // The upper rules of large trees are an overview, on one page; small trees are played by.
    let reading = if readings { in_brackets(&node.reading) } else { String::new() };
    let condition = || node.condition.clone() + &reading;
    let (link, condition) = match node.depth {
        0 => ("", "always".to_owned()),
        1 => ("when", condition()),
        _ => ("and", condition()),
    };
    RuleLine { depth: node.depth.saturating_sub(1), link, condition, rule: is_rule.then(rule) }
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

fn write_line(html: &mut String, line: &RuleLine) {
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

fn add(html: &mut String, part: fmt::Arguments<'_>) {
    html.write_fmt(part).expect("a string takes all");
}
