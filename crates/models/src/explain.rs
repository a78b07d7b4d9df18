//! Explanation of decision trees in the words of poker.
//!
//! An [`Explainer`] interprets a tree whose columns are features ([`abstraction::features`]) and
//! whose classes are moves of a menu; columns and classes of other names keep them. It gives
//!
//! - each test in words ([`Explainer::condition`]) and the conditions of a node
//!   ([`Explainer::path`]),
//! - a part of the tree, down to a given depth ([`Explainer::outline`]),
//! - leaves that raise with weak hands ([`Explainer::bluffs`]),
//! - the smallest changes that change the answer ([`Explainer::flips`]),
//! - the starting hands that lead to a node ([`Explainer::starting_hands`]).
//!
//! Node numbers are those of [`Tree::node`].

use std::collections::BTreeMap;
use std::sync::Arc;

use abstraction::features::{Feature, FeatureMaker, Schema};
use abstraction::menu::{BetSize, Move};
use cards::{HoleCards, StartingHand};
use game::{Chips, InfoSet, PublicState, Seat, Street, games};

use crate::student::{Student, TrainedModel};
use crate::tree::{Node, SplitTest, Summary, Tree};

/// An explainer of one tree. See the module's documentation.
#[derive(Debug)]
pub struct Explainer<'a> {
    tree: &'a Tree,
    // The feature of each column; none for columns that are not features.
    features: Vec<Option<Feature>>,
    spot: Option<Spot>,
}

impl<'a> Explainer<'a> {
    /// An explainer of this tree alone, without its street and blinds.
    pub fn new(tree: &'a Tree) -> Explainer<'a> {
        let features = tree.column_names().iter().map(|name| Feature::from_id(name)).collect();
        Explainer { tree, features, spot: None }
    }

    /// An explainer of the tree of a student's street. The street's features and the game tell what
    /// chips are a bet, and where nothing is owed. None where the street's model is not a tree.
    pub fn for_street(student: &'a Student, street: Street) -> Option<Explainer<'a>> {
        let TrainedModel::Tree(tree) = student.street(street) else { return None };
        let big_blind = student.manifest().game.blinds.iter().copied().max().unwrap_or_default();
        let features = student.schema().features(street).map(Some).collect();
        Some(Explainer { tree, features, spot: Some(Spot { street, big_blind }) })
    }

    /// The tree.
    pub fn tree(&self) -> &'a Tree {
        self.tree
    }

    /// The numbers of the nodes from the root to a node, both included.
    ///
    /// Panics where there is no such node.
    pub fn way(&self, number: usize) -> Vec<usize> {
        assert!(number < self.tree.nodes(), "there is no node {number}");
        let mut way = vec![0];
        while let Some(&at) = way.last().filter(|&&at| at != number) {
            let Node::Branch { left, right, .. } = self.tree.node(at) else { break };
            way.push(if number >= right { right } else { left });
        }
        way
    }

    /// The condition, in words, under which a branch's test leads to its right side, or its left
    /// one. Empty for a leaf.
    pub fn condition(&self, branch: usize, right: bool) -> String {
        let Node::Branch { test, below, .. } = self.tree.node(branch) else {
            return String::new();
        };
        let (from, below) = if right { (Some(below), None) } else { (None, Some(below)) };
        match test {
            SplitTest::Column(column) => self.range(column, from, below),
            SplitTest::Plane(plane) => range(&self.sum(&plane.factors), from, below),
        }
    }

    /// What a test of a decile, or of the best board, says as a player would count it:
    /// `one river in ten: two pair or better`. Empty for other tests, and where the hands are not
    /// even a pair.
    pub fn reading(&self, branch: usize, right: bool) -> String {
        let Node::Branch { test: SplitTest::Column(column), below, .. } = self.tree.node(branch)
        else {
            return String::new();
        };
        match self.features[column] {
            Some(Feature::Percentile { street, percent }) => {
                counted_boards(street, percent, below, right)
            }
            _ => String::new(),
        }
    }

    /// The starting hands whose own features lead to a node before the flop, whatever is bet; none
    /// on later streets and where the features are not the program's.
    pub fn starting_hands(&self, schema: Schema, number: usize) -> Vec<StartingHand> {
        if self.spot.is_none_or(|spot| spot.street != Street::Preflop) {
            return Vec::new();
        }
        let bounds = Bounds::along(self.tree, &self.way(number));
        let of_cards = |feature: &Option<Feature>| {
            matches!(feature, Some(Feature::Equity | Feature::Percentile { .. }))
        };
        let columns: Vec<usize> =
            (0..self.features.len()).filter(|&at| of_cards(&self.features[at])).collect();
        let public = PublicState::new(&Arc::new(games::nolimit_holdem()));
        let mut maker = FeatureMaker::new(schema);
        let mut leads = |hand: &StartingHand| {
            let Some(combo) = hand.combos().next() else { return false };
            let hole = HoleCards::new(&combo.cards()).expect("two different cards");
            let seat = Seat::new(0).expect("two seats");
            let row = maker.infoset(&InfoSet { public: public.clone(), seat, hole });
            row.is_ok_and(|row| {
                columns.iter().all(|&column| {
                    let (from, below) = bounds.columns[column];
                    let number = row.as_slice()[column];
                    from <= number && number < below
                })
            })
        };
        StartingHand::all().filter(|hand| leads(hand)).collect()
    }

    /// The conditions of all rows of a node: a clause for each column tested on its path, and one
    /// for each weighted sum. Empty for the root.
    pub fn path(&self, number: usize) -> Vec<String> {
        self.clauses(number).into_iter().map(|(_, words)| words).collect()
    }

    /// The same as [`Explainer::path`], with the column of each clause; none for weighted sums.
    pub fn clauses(&self, number: usize) -> Vec<(Option<usize>, String)> {
        let bounds = Bounds::along(self.tree, &self.way(number));
        let ranges = bounds.order.iter().map(|&column| {
            let (from, below) = bounds.columns[column];
            let finite = |bound: f32| Some(bound).filter(|bound| bound.is_finite());
            (Some(column), self.range(column, finite(from), finite(below)))
        });
        let sums = bounds.sums.iter().map(|&(branch, right)| (None, self.condition(branch, right)));
        ranges.chain(sums).collect()
    }

    /// Whether a player whose row reaches a node has something to call.
    pub fn owed(&self, number: usize) -> Owed {
        let Some(spot) = self.spot else { return Owed::Either };
        let bounds = Bounds::along(self.tree, &self.way(number));
        let column = |wanted| self.features.iter().position(|&feature| feature == Some(wanted));
        if let Some(to_call) = column(Feature::ToCall) {
            match bounds.columns[to_call] {
                (from, _) if from > 0.0 => return Owed::Something,
                (_, below) if below <= 1.0 => return Owed::Nothing,
                _ => {}
            }
        }
        let Some(column) = column(Feature::OpponentBet { street: spot.street }) else {
            return Owed::Either;
        };
        let (from, below) = bounds.columns[column];
        // Before the flop the blinds are a bet for one of the two players.
        let blind = spot.big_blind as f32;
        match spot.street {
            Street::Preflop if from > blind => Owed::Something,
            Street::Preflop => Owed::Either,
            _ if from > 0.0 => Owed::Something,
            // An amount below the smallest bet is no bet.
            _ if below <= blind => Owed::Nothing,
            _ => Owed::Either,
        }
    }

    /// The statistics of the rows under a node. Where nothing is owed a fold is a check, and counts
    /// as a call.
    pub fn summary(&self, number: usize) -> Summary {
        let mut summary = self.tree.summary(number);
        let class = |wanted: Move| {
            self.tree.class_names().iter().position(|name| name.parse() == Ok(wanted))
        };
        if let (Owed::Nothing, Some(fold), Some(call)) =
            (self.owed(number), class(Move::Fold), class(Move::Call))
        {
            summary.shares[call] += std::mem::take(&mut summary.shares[fold]);
        }
        summary
    }

    /// The class probabilities of a node in words, the likeliest first, without classes below half
    /// a percent: `all-in 60 %, fold 40 %`.
    pub fn mix(&self, number: usize) -> String {
        let shares = self.summary(number).shares;
        let mut listed: Vec<(usize, f64)> =
            shares.iter().copied().enumerate().filter(|&(_, share)| share >= 0.005).collect();
        listed.sort_by(|a, b| b.1.total_cmp(&a.1));
        let owed = self.owed(number);
        let names = self.tree.class_names();
        let listed = listed.iter().map(|&(class, share)| {
            format!("{} {:.0} %", self.move_words(&names[class], owed), 100.0 * share)
        });
        listed.collect::<Vec<_>>().join(", ")
    }

    /// A class in players' words on the tree's street: before the flop every bet is a raise.
    pub fn move_words(&self, class: &str, owed: Owed) -> String {
        let words = move_words(class, owed);
        match self.spot {
            Some(Spot { street: Street::Preflop, .. }) if words.starts_with("bet ") => {
                words.replacen("bet", "raise", 1)
            }
            _ => words,
        }
    }

    /// The total probability of bets and raises.
    pub fn raising(&self, shares: &[f64]) -> f64 {
        let classes = shares.iter().enumerate();
        classes.filter(|&(class, _)| self.is_raise(class)).map(|(_, share)| share).sum()
    }

    /// Whether a class is a bet or raise.
    fn is_raise(&self, class: usize) -> bool {
        !matches!(self.tree.class_names()[class].parse(), Ok(Move::Fold | Move::Call))
    }

    fn range(&self, column: usize, from: Option<f32>, below: Option<f32>) -> String {
        match self.features[column] {
            Some(feature) => feature_words(feature, from, below, self.spot),
            None => range(&self.tree.column_names()[column], from, below),
        }
    }

    fn sum(&self, factors: &[(usize, f32)]) -> String {
        let term = |&(column, factor): &(usize, f32)| {
            let name = &self.tree.column_names()[column];
            let name = self.features[column].map_or_else(|| name.clone(), Feature::name);
            format!("{factor} × {name}")
        };
        factors.iter().map(term).collect::<Vec<_>>().join(" + ")
    }
}

/// The setting of a tree's decisions, which gives its chips a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spot {
    /// The street of the decisions.
    pub street: Street,
    /// The game's big blind.
    pub big_blind: Chips,
}

/// Whether the player has something to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owed {
    /// Nobody has bet: a call is a check, and so is a fold.
    Nothing,
    /// There is a bet or raise to call.
    Something,
    /// Both are possible.
    Either,
}

/// The clause for a feature's bounds: at least `from`, less than `below`. At least one is given.
fn feature_words(
    feature: Feature,
    from: Option<f32>,
    below: Option<f32>,
    spot: Option<Spot>,
) -> String {
    // Below a number a whole one is at most the greatest whole number below it.
    let least = from.map(f32::ceil).filter(|&least| least > 0.0);
    let most = below.map(|below| (below.ceil() - 1.0).max(0.0));
    match feature {
        Feature::Equity => equity(from, below),
        Feature::Percentile { street, percent } => percentile(street, percent, from, below),
        Feature::Price => match (from, below) {
            (Some(from), Some(below)) => {
                let (from, below) = two(from, below);
                format!("a call needs an equity from {from} to below {below}")
            }
            (Some(from), None) => format!("a call needs an equity of {} or more", percent(from)),
            (None, Some(below)) => format!("a call needs an equity below {}", percent(below)),
            (None, None) => "a call needs any equity".to_owned(),
        },
        Feature::InPosition => match (least, most) {
            (Some(_), _) => "the player acts last after the flop".to_owned(),
            (_, Some(0.0)) => "the player acts first after the flop".to_owned(),
            _ => "the player acts first or last after the flop".to_owned(),
        },
        Feature::Pot => format!("the pot has {}", amount(least, most)),
        Feature::ToCall => match (least, most) {
            (_, Some(0.0)) => "there is nothing to call".to_owned(),
            (Some(1.0), None) => "there is a bet to call".to_owned(),
            _ => format!("a call costs {}", amount(least, most)),
        },
        Feature::Behind => format!("{} can still be bet", amount(least, most)),
        Feature::OwnBet { street } => match (least, most) {
            (_, Some(0.0)) => format!("the player has put in nothing {}", on_street(street)),
            _ => format!("the player has put in {} {}", amount(least, most), on_street(street)),
        },
        Feature::Raises { street } => raises(street, least, most),
        Feature::OpponentBet { street } => match spot.filter(|spot| street <= spot.street) {
            Some(spot) => bets(street, least, most, spot),
            None => chips(street, least, most),
        },
    }
}

/// The clause for the bounds of any number.
fn range(name: &str, from: Option<f32>, below: Option<f32>) -> String {
    match (from, below) {
        (Some(from), Some(below)) => format!("{name} is from {from} to below {below}"),
        (Some(from), None) => format!("{name} is {from} or more"),
        (None, Some(below)) => format!("{name} is below {below}"),
        (None, None) => format!("{name} is any number"),
    }
}

/// The clause for the number of bets and raises on a street.
fn raises(street: Street, least: Option<f32>, most: Option<f32>) -> String {
    let (one, many) = match street {
        Street::Preflop => ("raise", "raises"),
        _ => ("bet or raise", "bets and raises"),
    };
    let number = match (least, most) {
        (_, Some(0.0)) => format!("no {one}"),
        (Some(least), Some(most)) if least == most && least == 1.0 => format!("one {one}"),
        (Some(least), Some(most)) if least == most => format!("{least} {many}"),
        (Some(least), Some(most)) => format!("{least} to {most} {many}"),
        (Some(1.0), None) => format!("a {one}"),
        (Some(least), None) => format!("{least} {many} or more"),
        (None, Some(1.0)) => format!("at most one {one}"),
        (None, Some(most)) => format!("at most {most} {many}"),
        (None, None) => format!("any number of {many}"),
    };
    format!("there was {number} {}", on_street(street))
}

fn equity(from: Option<f32>, below: Option<f32>) -> String {
    match (from, below) {
        (Some(from), Some(below)) => {
            let (from, below) = two(from, below);
            format!("equity from {from} to below {below}")
        }
        (Some(from), None) => format!("equity {} or more", percent(from)),
        (None, Some(below)) => format!("equity below {}", percent(below)),
        (None, None) => "any equity".to_owned(),
    }
}

/// The clause for a percentile's bounds. The p-th percentile is at least a number if that much is
/// won on the best 100 − p percent of the boards, and less than it if less is won on the worst p
/// percent.
fn percentile(street: Street, at: u8, from: Option<f32>, below: Option<f32>) -> String {
    let best = match at {
        100 => format!("on its best {street}"),
        _ => format!("on its best {} % of {street}s", 100 - at),
    };
    match (from, below) {
        (Some(from), Some(below)) => {
            let (from, below) = two(from, below);
            match at {
                100 => format!("wins from {from} to below {below} {best}"),
                _ => format!("wins {from} or more {best}, less than {below} on the others"),
            }
        }
        (Some(from), None) => format!("wins {} or more {best}", percent(from)),
        (None, Some(below)) => match at {
            100 => format!("wins less than {} on every {street}", percent(below)),
            _ => format!("wins less than {} on its worst {at} % of {street}s", percent(below)),
        },
        (None, None) => format!("wins anything {best}"),
    }
}

/// What most hands with this equity against a random one are, when so many board cards are dealt:
/// the lowest equity of each kind. `docs/explain.md` says how it was counted, and a test counts it.
fn made_hand(street: Street, equity: f32) -> Option<&'static str> {
    let kinds: &[(f32, &str)] = match street {
        Street::Preflop => &[],
        Street::Flop => &[(0.54, "a pair"), (0.89, "two pair"), (0.92, "three of a kind")],
        Street::Turn => &[(0.45, "a pair"), (0.86, "two pair"), (0.91, "three of a kind")],
        Street::River => &[(0.33, "a pair"), (0.56, "two pair"), (0.92, "three of a kind")],
    };
    kinds.iter().rev().find(|(least, _)| equity >= *least).map(|&(_, kind)| kind)
}

/// A test of a percentile in boards of ten, and in made hands: whether it is at least `equity`, or
/// less.
fn counted_boards(street: Street, at: u8, equity: f32, reached: bool) -> String {
    const NUMBERS: [&str; 9] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let Some(kind) = made_hand(street, equity) else { return String::new() };
    let tenths = usize::from((100 - at.min(100)) / 10);
    let number = NUMBERS[tenths.clamp(1, NUMBERS.len()) - 1];
    let boards = match (tenths, reached) {
        (0, true) => format!("some {street}"),
        (0, false) => format!("no {street}"),
        (1, true) => format!("one {street} in ten"),
        (1, false) => format!("not one {street} in ten"),
        (_, true) => format!("{number} {street}s in ten"),
        (_, false) => format!("fewer than {number} {street}s in ten"),
    };
    format!("{boards}: {kind} or better")
}

/// The clause for the opponent's chips, without knowledge of the game.
fn chips(street: Street, least: Option<f32>, most: Option<f32>) -> String {
    let street_text = on_street(street);
    match (least, most) {
        (_, Some(0.0)) => format!("the opponent has put in nothing {street_text}"),
        (Some(1.0), None) => format!("the opponent has put chips in {street_text}"),
        (least, most) => format!("the opponent has put in {} {street_text}", amount(least, most)),
    }
}

/// The clause for the opponent's chips on this street or an earlier one. On an earlier one both
/// players have put in the same, and less than the smallest bet or raise is none (except an all-in
/// of less than a big blind).
fn bets(street: Street, least: Option<f32>, most: Option<f32>, spot: Spot) -> String {
    let street_text = on_street(street);
    let blind = spot.big_blind as f32;
    let preflop = street == Street::Preflop;
    // The chips without a bet or raise, and with the smallest one.
    let (idle, smallest) = if preflop { (blind, 2.0 * blind) } else { (0.0, blind) };
    let least = least.filter(|&least| least > idle).map(|least| least.max(smallest));
    let now = street == spot.street;
    match (least, most) {
        (None, Some(most)) if most < smallest => match (now, preflop) {
            (true, true) => "the opponent has not raised".to_owned(),
            (true, false) => format!("the opponent has not bet {street_text}"),
            (false, true) => format!("nobody raised {street_text}"),
            (false, false) => format!("nobody bet {street_text}"),
        },
        (Some(least), None) if least <= smallest => match (now, preflop) {
            (true, true) => "the opponent has raised".to_owned(),
            (true, false) => format!("the opponent has bet {street_text}"),
            (false, true) => format!("there was a raise {street_text}"),
            (false, false) => format!("there was a bet {street_text}"),
        },
        (Some(least), Some(most)) if least > most => chips(street, Some(least), Some(most)),
        (Some(_), _) if now && preflop => {
            format!("the opponent has raised to {}", amount(least, most))
        }
        (Some(_), _) if now => {
            format!("the opponent has bet {} {street_text}", amount(least, most))
        }
        _ if now => format!("the opponent has put in {} {street_text}", amount(least, most)),
        _ => format!("each put in {} {street_text}", amount(least, most)),
    }
}

/// The street as an adverbial phrase, as in `on the turn`.
pub fn on_street(street: Street) -> String {
    match street {
        Street::Preflop => "before the flop".to_owned(),
        street => format!("on the {street}"),
    }
}

fn amount(least: Option<f32>, most: Option<f32>) -> String {
    match (least, most) {
        (Some(least), Some(most)) if least == most => format!("{most} chips"),
        (Some(least), Some(most)) => format!("{least} to {most} chips"),
        (Some(least), None) => format!("{least} chips or more"),
        (None, Some(most)) => format!("{most} chips or less"),
        (None, None) => "any chips".to_owned(),
    }
}

/// A share in percent with at most one decimal: `45 %`, `76.5 %`.
pub fn percent(share: f32) -> String {
    decimals(share, 1)
}

fn decimals(share: f32, decimals: usize) -> String {
    let text = format!("{:.decimals$}", 100.0 * f64::from(share));
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

/// Two shares with enough decimals to tell them apart.
fn two(from: f32, below: f32) -> (String, String) {
    let both = |digits| (decimals(from, digits), decimals(below, digits));
    let apart = (1..7).map(both).find(|(from, below)| from != below);
    apart.unwrap_or_else(|| both(7))
}

/// A class of a tree in players' words: `raise to 2.5x`, `bet 75 % of the pot`, `all-in`. Classes
/// that are not moves keep their names.
pub fn move_words(class: &str, owed: Owed) -> String {
    let verb = if owed == Owed::Something { "raise" } else { "bet" };
    match class.parse() {
        Ok(Move::Call) => match owed {
            Owed::Nothing => "check".to_owned(),
            Owed::Something => "call".to_owned(),
            Owed::Either => "check or call".to_owned(),
        },
        Ok(Move::Raise(BetSize::Minimum)) => match owed {
            Owed::Nothing => "smallest bet".to_owned(),
            _ => "smallest raise".to_owned(),
        },
        Ok(Move::Raise(BetSize::AllIn)) => "all-in".to_owned(),
        Ok(Move::Raise(BetSize::Geometric(_))) => format!("{verb} geometrically ({class})"),
        Ok(Move::Raise(BetSize::OfBet(_))) => format!("raise to {class}"),
        Ok(Move::Raise(BetSize::Chips(chips))) => format!("{verb} to {chips} chips"),
        Ok(Move::Raise(BetSize::OfPot(1000))) => format!("{verb} the pot"),
        Ok(Move::Raise(BetSize::OfPot(_))) => {
            format!("{verb} {} % of the pot", class.trim_end_matches('%'))
        }
        Ok(Move::Fold) | Err(()) => class.to_owned(),
    }
}

/// A node of an outline.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlineNode {
    /// The node's number in the tree.
    pub node: usize,
    /// Number of branches between the first node and this one.
    pub depth: usize,
    /// Index of its parent in the outline. None for the first.
    pub parent: Option<usize>,
    /// The condition of the parent's test that leads here, in words. Empty for the first.
    pub condition: String,
    /// The same as a player would count it, where there is such a reading; see
    /// [`Explainer::reading`].
    pub reading: String,
    /// The statistics of its rows and classes; a fold where nothing is owed is a check.
    pub summary: Summary,
    /// Number of leaves below it that are not shown; 0 where all are, and for leaves.
    pub hidden: usize,
}

impl Explainer<'_> {
    /// The subtree of a node, down to `depth` branches, in the order of the nodes' numbers.
    ///
    /// Panics where there is no such node.
    pub fn outline(&self, first: usize, depth: usize) -> Vec<OutlineNode> {
        let mut shown: Vec<OutlineNode> = Vec::new();
        // A stack of nodes to show: the node, its depth, its parent's index and whether it is the
        // right side.
        let mut open = vec![(first, 0, None, false)];
        while let Some((node, at, parent, right)) = open.pop() {
            let index = shown.len();
            let branch = parent.map(|parent: usize| shown[parent].node);
            let condition = branch.map(|branch| self.condition(branch, right));
            let reading = branch.map(|branch| self.reading(branch, right));
            let mut hidden = 0;
            if let Node::Branch { left, right, .. } = self.tree.node(node) {
                if at == depth {
                    // A tree has one leaf more than it has branches.
                    hidden = (self.tree.end(node) - node).div_ceil(2);
                } else {
                    open.push((right, at + 1, Some(index), true));
                    open.push((left, at + 1, Some(index), false));
                }
            }
            shown.push(OutlineNode {
                node,
                depth: at,
                parent,
                condition: condition.unwrap_or_default(),
                reading: reading.unwrap_or_default(),
                summary: self.summary(node),
                hidden,
            });
        }
        shown
    }
}

/// Number of deciles of a street.
const DECILES: usize = 10;

/// The intervals of each column's values along a path of a tree.
struct Bounds {
    /// Each column's inclusive lower and exclusive upper bound.
    columns: Vec<(f32, f32)>,
    /// The tested columns, in the order of their first test.
    order: Vec<usize>,
    /// The branches on weighted sums, and whether the path goes right there.
    sums: Vec<(usize, bool)>,
}

impl Bounds {
    /// The bounds along these nodes, from the root on.
    fn along(tree: &Tree, way: &[usize]) -> Bounds {
        let any = (f32::NEG_INFINITY, f32::INFINITY);
        let mut bounds = Bounds {
            columns: vec![any; tree.column_names().len()],
            order: Vec::new(),
            sums: Vec::new(),
        };
        for step in way.windows(2) {
            let Node::Branch { test, below, right, .. } = tree.node(step[0]) else { continue };
            let went_right = step[1] == right;
            let SplitTest::Column(column) = test else {
                bounds.sums.push((step[0], went_right));
                continue;
            };
            if !bounds.order.contains(&column) {
                bounds.order.push(column);
            }
            let (from, to) = &mut bounds.columns[column];
            if went_right { *from = from.max(below) } else { *to = to.min(below) }
        }
        bounds
    }

    /// An exclusive upper bound of the equity; infinite without any.
    ///
    /// The equity is the mean of the equities of a later street, and a tenth of the boards is at
    /// or below each decile, so it is also below the mean of the deciles' bounds. With deciles that
    /// are interpolated between two boards up to one board fewer is at or below one, but the lower
    /// of the two is below it by as much: the bound is the same, as a test counts.
    fn equity_below(&self, features: &[Option<Feature>]) -> f64 {
        let below = |wanted: Feature| {
            let column = features.iter().position(|&feature| feature == Some(wanted));
            column.map_or(f64::INFINITY, |column| f64::from(self.columns[column].1))
        };
        let later = Street::ALL[1..].iter().map(|&street| {
            let mut bound = 1.0_f64;
            let deciles = (1..=DECILES).rev().map(|decile| {
                // A decile's upper bound also holds for the deciles before it.
                bound =
                    bound.min(below(Feature::Percentile { street, percent: 10 * decile as u8 }));
                bound
            });
            let mean = deciles.sum::<f64>() / DECILES as f64;
            if mean < 1.0 { mean } else { f64::INFINITY }
        });
        later.fold(below(Feature::Equity), f64::min)
    }

    /// A lower bound of the equity; 0 without any.
    ///
    /// A tenth of the boards of a later street is at or above each decile and below the next, so
    /// the equity, their mean, is at least the mean of the bounds of all deciles but the last,
    /// and of 0 for the boards below the first; with interpolated deciles, too.
    fn equity_from(&self, features: &[Option<Feature>]) -> f64 {
        let from = |wanted: Feature| {
            let column = features.iter().position(|&feature| feature == Some(wanted));
            column.map_or(0.0, |column| f64::from(self.columns[column].0).max(0.0))
        };
        let later = Street::ALL[1..].iter().map(|&street| {
            let mut bound = 0.0_f64;
            let deciles = (1..DECILES).map(|decile| {
                // A decile's lower bound also holds for the deciles after it.
                bound = bound.max(from(Feature::Percentile { street, percent: 10 * decile as u8 }));
                bound
            });
            deciles.sum::<f64>() / DECILES as f64
        });
        later.fold(from(Feature::Equity), f64::max)
    }
}

/// A change of one feature that changes the answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Flip<A> {
    /// The feature's column.
    pub column: usize,
    /// The feature in that column.
    pub feature: Feature,
    /// The present value.
    pub from: f32,
    /// The nearest value with another answer.
    pub to: f32,
    /// The leaf reached with it.
    pub leaf: usize,
    /// The answer at that leaf.
    pub answer: A,
}

impl<A> Flip<A> {
    /// The size of the change, in the feature's unit.
    pub fn distance(&self) -> f32 {
        (self.to - self.from).abs()
    }
}

impl Explainer<'_> {
    /// For each feature, the nearest changes up and down that lead a row to a leaf with another
    /// answer, the nearest first (equities before chips).
    ///
    /// `answer` gives the answer of a leaf's node. Chips of later streets stay at zero. Deciles
    /// stay in order: raising one raises those after it where needed, lowering one lowers those
    /// before it.
    pub fn flips<A: PartialEq>(
        &self,
        street: Street,
        row: &[f32],
        answer: impl Fn(usize) -> A,
    ) -> Vec<Flip<A>> {
        let now = answer(self.tree.leaf(row));
        let mut flips = Vec::new();
        for (column, thresholds) in self.thresholds() {
            let Some(feature) = self.features[column] else { continue };
            if feature.betting_street().is_some_and(|later| later > street) {
                continue;
            }
            let from = row[column];
            let try_at = |to: f32| {
                let leaf = self.tree.leaf(&self.moved(row, column, to));
                let answer = answer(leaf);
                let flips = answer != now && to != from;
                flips.then_some(Flip { column, feature, from, to, leaf, answer })
            };
            let whole = feature.unit().is_whole();
            let up = |&at: &f32| if whole { at.ceil() } else { at };
            let down = |&at: &f32| if whole { at.ceil() - 1.0 } else { at.next_down() };
            let first_above = thresholds.partition_point(|&at| at <= from);
            let (lower, higher) = thresholds.split_at(first_above);
            flips.extend(higher.iter().map(up).find_map(try_at));
            flips.extend(lower.iter().rev().map(down).filter(|&to| to >= 0.0).find_map(try_at));
        }
        let order = |flip: &Flip<A>| (flip.feature.unit().is_whole(), flip.distance());
        flips.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
        flips
    }

    /// The thresholds that each column is compared with, in increasing order.
    fn thresholds(&self) -> BTreeMap<usize, Vec<f32>> {
        let mut thresholds: BTreeMap<usize, Vec<f32>> = BTreeMap::new();
        for number in 0..self.tree.nodes() {
            if let Node::Branch { test: SplitTest::Column(column), below, .. } =
                self.tree.node(number)
            {
                thresholds.entry(column).or_default().push(below);
            }
        }
        for numbers in thresholds.values_mut() {
            numbers.sort_by(f32::total_cmp);
            numbers.dedup();
        }
        thresholds
    }

    /// The row with one number changed, and the deciles of the same street moved along to stay in
    /// order.
    fn moved(&self, row: &[f32], column: usize, to: f32) -> Vec<f32> {
        let mut moved = row.to_vec();
        moved[column] = to;
        let Some(Feature::Percentile { street, percent }) = self.features[column] else {
            return moved;
        };
        for (value, feature) in moved.iter_mut().zip(&self.features) {
            match *feature {
                Some(Feature::Percentile { street: same, percent: other }) if same == street => {
                    *value = if other > percent { value.max(to) } else { value.min(to) };
                }
                _ => {}
            }
        }
        moved
    }
}

/// The definition of a bluff.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weak {
    /// Maximum equity, from 0 to 1, of every row of the leaf.
    pub equity: f64,
    /// Minimum probability of a bet or raise, from 0 to 1.
    pub raise: f64,
}

/// A bluffing leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Bluff {
    /// The leaf's node number.
    pub node: usize,
    /// The path's upper bound of the equity.
    pub equity_below: f64,
    /// Probability of a bet or raise.
    pub raise: f64,
    /// The statistics of its rows and classes.
    pub summary: Summary,
}

impl Explainer<'_> {
    /// The bluffing leaves, in descending order of the weight of their rows times raise
    /// probability.
    ///
    /// Only leaves whose path bounds the equity count: by the feature itself, or by deciles of a
    /// later street, whose mean it is.
    pub fn bluffs(&self, weak: Weak) -> Vec<Bluff> {
        let mut found: Vec<Bluff> = (0..self.tree.nodes())
            .filter(|&node| matches!(self.tree.node(node), Node::Leaf { .. }))
            .filter_map(|node| {
                let summary = self.summary(node);
                let raise = self.raising(&summary.shares);
                // Shares are single-precision: 20 % may be 0.19999999.
                if raise + 1e-6 < weak.raise {
                    return None;
                }
                let bounds = Bounds::along(self.tree, &self.way(node));
                let equity_below = bounds.equity_below(&self.features);
                let is_weak = equity_below <= weak.equity + 1e-6;
                is_weak.then_some(Bluff { node, equity_below, raise, summary })
            })
            .collect();
        let often = |bluff: &Bluff| bluff.raise * bluff.summary.weight;
        found.sort_by(|a, b| often(b).total_cmp(&often(a)).then(a.node.cmp(&b.node)));
        found
    }
}

// Selection of leaves worth explaining: the one that bluffs most, and the one that raises most
// with strong hands.

/// The kind of leaf to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafKind {
    /// Bets and raises with weak hands: its path keeps the equity below 45 %.
    Bluff,
    /// Bets and raises with strong hands: its path keeps the equity at 55 % or more.
    Value,
}

/// Equity bounds: hands below the first are weak, those from the second on are strong.
const WEAK: f64 = 0.45;
const STRONG: f64 = 0.55;

impl Explainer<'_> {
    /// The leaf of this kind with the greatest weight of its rows times raise probability, among
    /// leaves whose likeliest class is a bet or raise. None where there is no such leaf.
    pub fn leaf_that(&self, does: LeafKind) -> Option<usize> {
        let leaves = match does {
            LeafKind::Bluff => {
                let weak = Weak { equity: WEAK, raise: 0.0 };
                self.bluffs(weak).into_iter().map(|bluff| bluff.node).collect()
            }
            LeafKind::Value => self.strong(),
        };
        leaves.into_iter().find(|&leaf| {
            let shares = self.tree.summary(leaf).shares;
            let mut likeliest = 0;
            for (class, &share) in shares.iter().enumerate() {
                if share > shares[likeliest] {
                    likeliest = class;
                }
            }
            self.is_raise(likeliest)
        })
    }

    /// The ancestor of a node by `branches` levels, or the root.
    ///
    /// Panics where there is no such node.
    pub fn above(&self, number: usize, branches: usize) -> usize {
        let way = self.way(number);
        way[way.len().saturating_sub(branches + 1)]
    }

    /// Leaves whose path bounds the equity from below, in descending order of weight times raise
    /// probability.
    fn strong(&self) -> Vec<usize> {
        let is_leaf = |&node: &usize| matches!(self.tree.node(node), Node::Leaf { .. });
        let mut found: Vec<(usize, f64)> = (0..self.tree.nodes())
            .filter(is_leaf)
            .filter(|&node| {
                let bounds = Bounds::along(self.tree, &self.way(node));
                bounds.equity_from(&self.features) + 1e-6 >= STRONG
            })
            .map(|node| {
                let summary = self.tree.summary(node);
                (node, summary.weight * self.raising(&summary.shares))
            })
            .collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        found.into_iter().map(|(node, _)| node).collect()
    }
}

#[cfg(test)]
mod tests {
    use cards::{Card, CardSet, Category, Combo, HandEquity, RiverTable, Ties, evaluate};

    use super::*;

    /// Counts, for each percent of equity, what the hands are on many random boards.
    #[test]
    fn readings_name_what_most_hands_of_an_equity_are() {
        let table = RiverTable::shared(Ties::Half);
        let mut seed: u64 = 7;
        let mut below = |most: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % most
        };
        for (street, cards, boards) in
            [(Street::Flop, 3, 40), (Street::Turn, 4, 200), (Street::River, 5, 1_000)]
        {
            let mut kinds = vec![[0_u64; 4]; 101];
            for _ in 0..boards {
                let mut board = CardSet::EMPTY;
                while board.len() < cards {
                    board |= CardSet::single(Card::from_index(below(52) as u8).expect("a card"));
                }
                let count = |combo: Combo, hand: &HandEquity| {
                    let kind = match evaluate(board | combo.set()).category() {
                        Category::HighCard => 0,
                        Category::Pair => 1,
                        Category::TwoPair => 2,
                        _ => 3,
                    };
                    kinds[(100.0 * hand.equity()) as usize][kind] += 1;
                };
                table.each_hand(board, count).expect("a board");
            }
            for (percent, counts) in kinds.iter().enumerate() {
                let hands: u64 = counts.iter().sum();
                let (most, &count) =
                    counts.iter().enumerate().max_by_key(|(_, count)| **count).expect("four");
                // Where two kinds are about as frequent, either may be named.
                if hands < 500 || 10 * count < 6 * hands {
                    continue;
                }
                let named = [None, Some("a pair"), Some("two pair"), Some("three of a kind")][most];
                let equity = (percent as f32 + 0.5) / 100.0;
                assert_eq!(made_hand(street, equity), named, "{street} {percent} %: {counts:?}");
            }
        }
    }
}
