//! All-in or fold before the flop at any stack: the equilibrium, and rules measured against it, as
//! a document, as text and as charts side by side.

use std::collections::BTreeMap;
use std::path::Path;
use std::{fmt, fs, io};

use cards::{StartingHand, grid};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use show::Table;
use show::nearest::nearest;
use show::number::{percent, signed};
use show::svg::{Colour, Head, Heading, Picture};

use super::{
    Blind, Equilibrium, Payoffs, Range, Ranges, best_sage, equilibrium, mixed_hands, sage,
    sage_ranges, share,
};
use crate::Error;
use crate::linear::{LinearModel, PUBLISHED, Weights};

/// The equilibria at all requested stacks.
#[derive(Debug, Serialize)]
pub struct ShoveFold {
    /// One by one, as they were asked for.
    pub stacks: Vec<StackReport>,
}

impl ShoveFold {
    /// Solves each stack and measures the rules there.
    ///
    /// # Errors
    /// When a stack or the ante is not possible, or a rule has none of the stacks.
    pub fn new(stacks: &[f64], ante: f64, rules: &[Rule]) -> Result<ShoveFold, Error> {
        let solve = |&stack: &f64| -> Result<StackReport, Error> {
            let payoffs = Payoffs::new(stack, ante)?;
            let found = equilibrium(&payoffs);
            let mut report = StackReport::new(&payoffs, &found)?;
            for rule in rules {
                match rule.at_stack(&payoffs) {
                    Some(played) => {
                        report.rules.push(RuleReport::new(rule, &payoffs, &found, played));
                    }
                    None => report.rules_without_this_stack.push(rule.name.clone()),
                }
            }
            Ok(report)
        };
        let stacks = stacks.iter().map(solve).collect::<Result<Vec<_>, _>>()?;
        for Rule { name, .. } in rules {
            let is_without = |stack: &StackReport| stack.rules_without_this_stack.contains(name);
            if stacks.iter().all(is_without) {
                let others = RULE_NAMES.iter().filter(|other| *other != name).copied();
                let others = others.collect::<Vec<_>>().join(", ");
                return Err(Error::new(format!(
                    "--rules {name}: its table has none of these stacks, it ends at 8 big blinds; \
                     take a smaller --stack, or one of {others}"
                )));
            }
        }
        Ok(ShoveFold { stacks })
    }

    /// The picture of the first stack: the equilibrium's all-ins and calls side by side. With a
    /// rule they are one below the other, with the rule's range and the difference beside each.
    pub fn picture(&self) -> String {
        self.stacks.first().map_or_else(String::new, StackReport::picture)
    }
}

/// The equilibrium at a stack, and the rules evaluated there.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StackReport {
    /// The stack of each player in big blinds, including blinds and antes.
    pub stack: f64,
    /// The ante of each player, in big blinds.
    pub ante: f64,
    /// The small blind's value, in big blinds.
    pub value: f64,
    /// What best responses win beyond the value, in big blinds.
    pub exploitability: f64,
    /// The iterations until the solution.
    pub iterations: u32,
    /// What each blind plays.
    #[serde(flatten)]
    pub ranges: RangesReport,
    /// The hands that mix in some equilibrium; all others do the same in all of them.
    pub mixed: Vec<MixedReport>,
    /// The rules that have something for this stack.
    pub rules: Vec<RuleReport>,
    /// The names of the others.
    pub rules_without_this_stack: Vec<String>,
}

/// How often a hand that mixes is played over all equilibria.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MixedReport {
    /// `small` or `big`.
    pub blind: &'static str,
    /// The starting hand, as in `Q6s`.
    pub hand: String,
    /// The least share of an all-in or a call, from 0 to 1.
    pub least: f64,
    /// The greatest.
    pub most: f64,
}

impl fmt::Display for MixedReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let MixedReport { hand, least, most, .. } = self;
        if most - least < 1e-4 {
            write!(f, "{hand} {}", percent(*most, 1))
        } else {
            write!(f, "{hand} {:.1} to {}", 100.0 * least, percent(*most, 1))
        }
    }
}

/// A rule evaluated at a stack.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RuleReport {
    /// The name of the rule.
    pub rule: String,
    /// The loss of the small blind's range to a best response, in mbb a hand.
    pub small_blind_loses_mbb: f64,
    /// The loss of the big blind's range, likewise.
    pub big_blind_loses_mbb: f64,
    /// The small blind's value when both play by the rule, in big blinds.
    pub value: f64,
    /// For rules by sums: the least sum for an all-in and for a call.
    pub thresholds: Option<[u32; 2]>,
    /// What each blind plays by the rule.
    #[serde(flatten)]
    pub ranges: RangesReport,
}

/// The ranges of both blinds, and how many of all hands they are.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct RangesReport {
    /// The share of all hands that are all-in.
    pub jam_share: f64,
    /// The share of all hands that call.
    pub call_share: f64,
    /// The frequency of an all-in by starting hand.
    #[serde(serialize_with = "by_hand")]
    #[schemars(with = "BTreeMap<String, f64>")]
    pub jam: Range,
    /// The frequency of a call by starting hand.
    #[serde(serialize_with = "by_hand")]
    #[schemars(with = "BTreeMap<String, f64>")]
    pub call: Range,
}

/// A range by the names of its hands.
fn by_hand<S: Serializer>(range: &Range, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(StartingHand::all().map(|hand| hand.to_string()).zip(range))
}

impl RangesReport {
    fn new(ranges: &Ranges) -> RangesReport {
        let Ranges { jam, call } = *ranges;
        RangesReport { jam_share: share(&jam), call_share: share(&call), jam, call }
    }
}

impl StackReport {
    fn new(payoffs: &Payoffs, found: &Equilibrium) -> Result<StackReport, Error> {
        let mixed = mixed_hands(payoffs, &found.ranges)?.into_iter().map(|mixed| MixedReport {
            blind: if mixed.blind == Blind::Small { "small" } else { "big" },
            hand: mixed.hand.to_string(),
            least: mixed.interval.least,
            most: mixed.interval.most,
        });
        Ok(StackReport {
            mixed: mixed.collect(),
            stack: payoffs.stack,
            ante: payoffs.ante,
            value: found.value,
            exploitability: found.exploitability,
            iterations: found.iterations,
            ranges: RangesReport::new(&found.ranges),
            rules: Vec::new(),
            rules_without_this_stack: Vec::new(),
        })
    }
}

impl RuleReport {
    fn new(
        rule: &Rule,
        payoffs: &Payoffs,
        found: &Equilibrium,
        (ranges, thresholds): (Ranges, Option<[u32; 2]>),
    ) -> RuleReport {
        let losses = found.losses(payoffs, &ranges).map(|loss| 1000.0 * loss);
        RuleReport {
            rule: rule.name.clone(),
            small_blind_loses_mbb: losses[0],
            big_blind_loses_mbb: losses[1],
            value: payoffs.value(&ranges),
            thresholds,
            ranges: RangesReport::new(&ranges),
        }
    }
}

impl fmt::Display for ShoveFold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.stacks.as_slice() {
            [one] => f.write_str(&one.text()),
            several => f.write_str(&several_in_lines(several)),
        }
    }
}

impl StackReport {
    /// Whether rules were asked for.
    fn has_rules(&self) -> bool {
        !(self.rules.is_empty() && self.rules_without_this_stack.is_empty())
    }

    /// The hands that mix, over all equilibria.
    fn mixed_text(&self) -> String {
        let of = |blind: &str| {
            let hands = self.mixed.iter().filter(|mixed| mixed.blind == blind);
            let hands: Vec<String> = hands.map(MixedReport::to_string).collect();
            if hands.is_empty() { "none".to_owned() } else { hands.join(", ") }
        };
        format!(
            "\nmixed in an equilibrium, over all of them: all-in {}; call {}\n",
            of("small"),
            of("big")
        )
    }

    /// The text for one stack, with its charts.
    fn text(&self) -> String {
        let ante = match self.ante {
            0.0 => String::new(),
            ante => format!(", antes of {ante}"),
        };
        let mut text = format!(
            "{} big blinds{ante}: the small blind wins {} big blinds a hand, exploitability \
             {:.1e}\n",
            self.stack,
            signed(self.value, 8),
            self.exploitability
        );
        if self.has_rules() {
            text += &format!("\n{}\n", rules_table(std::slice::from_ref(self)));
        }
        for (what, range) in [("all-in", &self.ranges.jam), ("call", &self.ranges.call)] {
            let hands = percent(share(range), 2);
            text += &format!("\n{what}: {hands} of hands\n{}", range_chart(range));
        }
        text += "  percent of the time; suited above the diagonal, offsuit below\n";
        text + &self.mixed_text()
    }
}

/// The text for several stacks, one line each.
fn several_in_lines(stacks: &[StackReport]) -> String {
    let mut table = Table::new(["stack", "small blind wins", "all-in", "call"]).right(0..);
    for StackReport { stack, value, ranges, .. } in stacks {
        table.row([
            stack.to_string(),
            signed(*value, 8),
            percent(ranges.jam_share, 2),
            percent(ranges.call_share, 2),
        ]);
    }
    let mut text = format!("{table}\n");
    if stacks.iter().any(StackReport::has_rules) {
        text += &format!("\n{}\n", rules_table(stacks));
    }
    text
}

/// The table of what the rules lose.
fn rules_table(stacks: &[StackReport]) -> String {
    let head = ["stack", "rule", "small blind loses", "big blind", "mean, mbb", "all-in", "call"];
    let mut table = Table::new(head).right(2..);
    for StackReport { stack, rules, rules_without_this_stack, .. } in stacks {
        for rule in rules {
            let [small, big] = [rule.small_blind_loses_mbb, rule.big_blind_loses_mbb];
            table.row([
                stack.to_string(),
                rule.rule.clone(),
                format!("{small:.1}"),
                format!("{big:.1}"),
                format!("{:.1}", 0.5 * (small + big)),
                percent(rule.ranges.jam_share, 1),
                percent(rule.ranges.call_share, 1),
            ]);
        }
        for name in rules_without_this_stack {
            let mut row = vec![stack.to_string(), name.clone()];
            row.resize(head.len(), "–".to_owned());
            table.row(row);
        }
    }
    table.to_string()
}

/// A range as a chart of the 169 hands in percent.
fn range_chart(range: &Range) -> String {
    let cell = |number: usize| match range[number] {
        0.0 => format!("{:>5}", '·'),
        1.0 => format!("{:>5}", "100"),
        share => format!("{:>5.1}", 100.0 * share),
    };
    grid::text(|rank| format!("{:>5}", rank.to_char()), cell) + "\n"
}

const CELL: f64 = 30.0;
const TALL: f64 = 22.0;
const EDGE: f64 = 12.0;
/// Distance between charts.
const GAP: f64 = 22.0;
const HEAD_HEIGHT: f64 = 50.0;
/// Height of the line above a chart.
const LINE_HEIGHT: f64 = 24.0;

impl StackReport {
    /// The picture: the equilibrium's all-ins and calls side by side. With a rule they are one
    /// below the other, with the rule's range and the difference beside each.
    fn picture(&self) -> String {
        let rule = self.rules.first();
        let played = [
            ("all-in", &self.ranges.jam, rule.map(|rule| &rule.ranges.jam)),
            ("call", &self.ranges.call, rule.map(|rule| &rule.ranges.call)),
        ];
        let (columns, rows) = if rule.is_some() { (3.0, 2.0) } else { (2.0, 1.0) };
        let [wide, tall] = grid::size([CELL, TALL]);
        let tall = tall + LINE_HEIGHT;
        let width = columns * wide + (columns - 1.0) * GAP;
        let title = format!("All-in or fold with {} big blinds", self.stack);
        let about = match rule {
            Some(rule) => format!(
                "The rule loses {:.1} mbb as small blind and {:.1} as big blind. Difference: \
                 played by the rule only (filled), by the equilibrium only (dashed).",
                rule.small_blind_loses_mbb, rule.big_blind_loses_mbb
            ),
            None => format!("The small blind wins {:.5} big blinds a hand.", self.value),
        };
        let heading = Heading::new(&title, &about, width);
        let head = HEAD_HEIGHT + heading.extra_height();
        let size = [2.0 * EDGE + width, head + rows * tall + (rows - 1.0) * GAP + EDGE];
        let shown = size.map(|size| format!("{size:.0}"));
        let mut picture = Picture::new(&Head {
            name: "shove-fold",
            size,
            shown: Some([&shown[0], &shown[1]]),
            title: &title,
            description: &format!("{about} Pairs on the diagonal, suited hands above it."),
            letters: 11.0,
            colours: &[
                (" .cell", "fill", Colour::Shade),
                (" .played", "fill", Colour::Felt),
                (" .more", "fill", Colour::Mark),
                (" .less", "stroke", Colour::Mark),
                (" .hand", "stroke", Colour::Ground),
            ],
            style: ".hand{paint-order:stroke;stroke-width:3px;stroke-opacity:0.85}\
                .less{fill:none;stroke-width:1.6;stroke-dasharray:3 2}",
        });
        heading.draw(&mut picture, [EDGE, 20.0]);
        for (row, (what, nash, ruled)) in played.into_iter().enumerate() {
            let row = row as f64;
            let at =
                |column: f64, row: f64| [EDGE + column * (wide + GAP), head + row * (tall + GAP)];
            let equilibrium = named(what, "equilibrium", nash);
            let Some(ruled) = ruled else {
                range_cells(&mut picture, at(row, 0.0), &equilibrium, nash, None);
                continue;
            };
            range_cells(&mut picture, at(0.0, row), &named(what, "rule", ruled), ruled, None);
            range_cells(&mut picture, at(1.0, row), &equilibrium, nash, None);
            let difference = format!("{what}: difference");
            range_cells(&mut picture, at(2.0, row), &difference, ruled, Some(nash));
        }
        picture.finish()
    }
}

fn named(what: &str, player: &str, range: &Range) -> String {
    format!("{what}, {player}: {} of hands", percent(share(range), 1))
}

/// Draws the chart of one range; with a second range, the difference of the first from it.
fn range_cells(
    picture: &mut Picture,
    [x, y]: [f64; 2],
    name: &str,
    range: &Range,
    than: Option<&Range>,
) {
    picture.text([x, y + 14.0], "font-size=\"12\" font-weight=\"bold\"", name);
    let corners = grid::corners([x, y + LINE_HEIGHT], [CELL, TALL]);
    for (hand, [left, top]) in StartingHand::all().zip(corners) {
        let at = hand.index();
        let (wide, tall) = (CELL - 1.0, TALL - 1.0);
        picture.add(format_args!(
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{wide}\" height=\"{tall}\" \
             class=\"cell\"/>"
        ));
        let (class, amount) = match than {
            None => ("played", range[at]),
            Some(than) if range[at] >= than[at] => ("more", range[at] - than[at]),
            Some(than) => ("less", than[at] - range[at]),
        };
        if amount > 5e-4 {
            let inset = if class == "less" { 1.0 } else { 0.0 };
            picture.add(format_args!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{:.1}\" class=\"{class}\">\
                 <title>{hand}: {}</title></rect>",
                left + inset,
                top + inset,
                (wide - 2.0 * inset) * amount,
                tall - 2.0 * inset,
                percent(amount, 1)
            ));
        }
        let middle = [left + 0.5 * wide, top + 14.5];
        picture.text(middle, "class=\"hand\" text-anchor=\"middle\"", &hand.to_string());
    }
}

/// The names of rules, besides files.
const RULE_NAMES: [&str; 5] = ["published", "sage", "sage-best", "always", "never"];

/// A rule with the name given on the command line.
#[derive(Debug)]
pub struct Rule {
    name: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    /// The same share of play for every hand.
    Always(f64),
    Sage,
    SageBest,
    Published,
    Linear(LinearModel),
}

impl Rule {
    /// The rule of this name, or in this file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn load(name: &str) -> Result<Rule, Error> {
        let kind = match name {
            "always" => Kind::Always(1.0),
            "never" => Kind::Always(0.0),
            "sage" => Kind::Sage,
            "sage-best" => Kind::SageBest,
            "published" => Kind::Published,
            file => Kind::Linear(read_weights(Path::new(file))?),
        };
        Ok(Rule { name: name.to_owned(), kind })
    }

    /// The ranges at a stack, with the thresholds of rules by sums; `None` if the rule has nothing
    /// for this stack.
    fn at_stack(&self, payoffs: &Payoffs) -> Option<(Ranges, Option<[u32; 2]>)> {
        let sums = |thresholds| (sage_ranges(thresholds), Some(thresholds));
        match &self.kind {
            Kind::Always(share) => Some((Ranges { jam: [*share; 169], call: [*share; 169] }, None)),
            Kind::Sage => sage(payoffs.stack).map(sums),
            Kind::SageBest => Some(sums(best_sage(payoffs))),
            Kind::Published => Some((Weights::shared(PUBLISHED).ranges(), None)),
            Kind::Linear(model) => Some((model.at_stack(payoffs.stack).ranges(), None)),
        }
    }
}

/// Reads a file of linear weights.
fn read_weights(path: &Path) -> Result<LinearModel, Error> {
    let at = |error: String| Error::file(path, error);
    let text = fs::read_to_string(path).map_err(|error| {
        let named = path.display().to_string();
        let what = match nearest(&named, RULE_NAMES) {
            _ if error.kind() != io::ErrorKind::NotFound => format!("{error}."),
            Some(known) => format!("there is no such rule or file; did you mean `{known}`?"),
            None => "there is no such rule or file.".to_owned(),
        };
        let names = RULE_NAMES.join(", ");
        at(format!("{what} Name a file of `cardroom train linear`, or one of {names}"))
    })?;
    text.parse().map_err(|error: Error| at(error.to_string()))
}
