//! The price of simplicity: what strategies that are easy to play lose, against how much there is
//! to remember. On a river it is that of a whole strategy, below; of a single decision, on any
//! street, it is in [`decision`](crate::simple_decision).
//!
//! For one player, the other playing anything: the equilibrium, the best strategy that was found
//! with probabilities in quarters and without any, the best with one size of bets, and the best
//! that was found in which a few yes-or-no questions about the hand say everything. The hands of a
//! leaf play alike; what they do is solved exactly, for perfect recall holds on one street
//! ([`Equilibria::confined`]). The questions are found one after another: those that promise most
//! against the other's answer to the tree so far are tried, and the best is kept.
//!
//! Two prices are exact for each strategy. *Exploited* is what it gives away when the other player
//! answers as well as possible: the value of the game minus what it gets. It is the strategy's
//! exploitability. *Unnoticed* is what it loses while the other goes on with the equilibrium, and
//! never more: in an equilibrium both play best responses, so that the strategy x gets v(x, y*)
//! from the other's y*, and min over y of v(x, y) <= v(x, y*) <= v.

use std::cmp::Ordering;
use std::fmt;

use abstraction::hand_class::HandClass;
use cards::{Card, CardSet, Combo, Rank, Suit};
use game::{PublicState, Street};
use serde::Serialize;
use show::Table;
use show::number::{fixed, percent};
use show::svg::Colour;
use show::svg::chart::{Chart, Line};
use solvers::showdown::rounding::{Price, price, rounded};
use solvers::showdown::{Equilibria, Mixed, Restriction, River};
use solvers::{Player, subgame};

use crate::Error;
use crate::simple_decision::{Words, menu_words};

/// Below this an action is not played, as far as a person remembers.
pub(crate) const PLAYED: f64 = 1e-4;

/// Questions that are tried at each step, of those that promise most.
const TRIED: usize = 4;

/// A question about a hand on a river.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Question {
    /// Whether it is of this class or a better one.
    AtLeast(usize),
    /// Whether it beats so many percent of the other's range at the beginning, ties counted half.
    Beats(u8),
    /// Whether it holds a card of this rank.
    Rank(Rank),
    /// Whether it holds a card of this suit.
    Suit(Suit),
    /// Whether it is nothing, and had a draw before the river.
    MissedDraw,
    /// Whether it wins so many percent of the pot or more, when nobody bets any more, against the
    /// range with which the other gets to the decision.
    Equity(u8),
    /// Whether it has this draw or a better one.
    Draw(usize),
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::AtLeast(class) => write!(f, "{} or better", HandClass::NAMES[*class]),
            Question::Beats(percent) => write!(f, "beats {percent} % of his range"),
            Question::Rank(rank) => write!(f, "holds a {}", rank.to_char()),
            Question::Suit(suit) => write!(f, "holds a card of {}", suit_name(*suit)),
            Question::MissedDraw => f.write_str("a missed draw"),
            Question::Equity(percent) => write!(f, "{percent} % equity or more"),
            Question::Draw(draw) => f.write_str(match draw {
                0 => "a combo draw",
                1 => "a flush draw",
                2 => "an open-ended draw or better",
                _ => "a draw",
            }),
        }
    }
}

fn suit_name(suit: Suit) -> &'static str {
    match suit.to_char() {
        's' => "spades",
        'h' => "hearts",
        'd' => "diamonds",
        _ => "clubs",
    }
}

/// What is asked of a search.
#[derive(Clone, Copy)]
pub struct Plan<'a> {
    /// The most leaves of a tree.
    pub leaves: usize,
    /// The most strategies to look at for each of the rounded ones.
    pub looks: u64,
    /// What actions are called in the names of strategies and in trees.
    pub words: Words<'a>,
}

impl Default for Plan<'_> {
    fn default() -> Self {
        Plan { leaves: 6, looks: 60_000, words: &menu_words }
    }
}

/// What simple strategies cost.
#[derive(Debug, Clone, Serialize)]
pub struct Simplicity {
    /// 1 or 2.
    pub player: usize,
    /// The actions that lead to the decision, if it is the strategy of one alone, that is simpler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// The pot at the beginning, in chips.
    pub pot: f64,
    /// What the player wins in an equilibrium, in chips of the whole hand.
    pub value: f64,
    /// The strategies, those with least to remember first.
    pub strategies: Vec<Simple>,
}

/// A strategy with its price.
#[derive(Debug, Clone, Serialize)]
pub struct Simple {
    /// Its name: `equilibrium`, `quarters`, `pure`, `only b40`, `tree of 3`.
    pub name: String,
    /// What kind it is.
    pub kind: Kind,
    /// Things to remember: each action of a hand (or leaf) at a decision that it gets to, and each
    /// question.
    pub remember: usize,
    /// What it gives away to a best response, in chips: its exploitability.
    pub exploited: f64,
    /// What it loses while the other plays the equilibrium, in chips.
    pub unnoticed: f64,
    /// What it gives away to a best response when all later decisions are adapted to it, in chips,
    /// as far as that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adapted: Option<f64>,
    /// Whether no strategy of this kind costs less.
    pub proven: bool,
    /// A tree in words: a line for each leaf.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<String>,
}

/// A kind of simple strategies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Not simple at all.
    Equilibrium,
    /// Probabilities in parts of one.
    Rounded,
    /// One size of bets.
    OneSize,
    /// A few questions.
    Tree,
}

/// What is done, for those who wait: strategies so far, and of how many.
pub type Progress<'a> = &'a mut dyn FnMut(usize, usize) -> bool;

impl Simplicity {
    /// Finds simple strategies of a player. `go_on` is told how far it is, and may stop the search;
    /// what was found until then is returned.
    ///
    /// # Errors
    /// When a linear program has no optimum that can be found.
    pub fn find(
        river: &River,
        equilibria: &Equilibria<'_>,
        player: Player,
        plan: &Plan<'_>,
        go_on: Progress<'_>,
    ) -> Result<Simplicity, Error> {
        let game = &river.game;
        let sizes = one_size(river, player, plan.words);
        let all = plan.leaves + sizes.len() + 2;
        let mut done = 0;
        let mut strategies = Vec::new();
        let middle = equilibria.strategies()[player.index()];
        let simple =
            |name: String, kind: Kind, strategy: &Mixed, price: Price, proven: bool| Simple {
                name,
                kind,
                remember: to_remember(river, player, strategy, None),
                exploited: price.exploited,
                unnoticed: price.unnoticed,
                adapted: None,
                proven,
                lines: Vec::new(),
            };
        let nothing = price(equilibria, player, middle);
        strategies.push(simple("equilibrium".into(), Kind::Equilibrium, middle, nothing, true));
        let mut going = true;
        let mut step = |done: &mut usize| {
            *done += 1;
            go_on(*done, all)
        };
        for (name, closed) in sizes {
            if !going {
                break;
            }
            let mut restrictions = [Restriction::default(), Restriction::default()];
            restrictions[player.index()].closed = closed;
            let found = Equilibria::confined(game, equilibria.strategies(), restrictions)
                .map_err(Error::new)?;
            let strategy = found.strategies()[player.index()];
            let price = price(equilibria, player, strategy);
            strategies.push(simple(name, Kind::OneSize, strategy, price, true));
            going = step(&mut done);
        }
        for (name, parts) in [("quarters", 4), ("pure", 1)] {
            if !going {
                break;
            }
            let found = rounded(equilibria, player, parts, plan.looks, &mut |_| true);
            strategies.push(simple(
                name.into(),
                Kind::Rounded,
                &found.strategy,
                found.price,
                false,
            ));
            going = step(&mut done);
        }
        if going {
            grow(river, equilibria, player, plan, &mut |tree| {
                strategies.push(tree);
                step(&mut done)
            })?;
        }
        strategies.sort_by(by_ease);
        Ok(Simplicity {
            player: player.index() + 1,
            line: None,
            pot: game.pot(),
            value: equilibria.value_for(player),
            strategies,
        })
    }

    /// Whether no other strategy here is both as easy and as cheap.
    pub(crate) fn is_on_the_curve(&self, at: usize) -> bool {
        let this = &self.strategies[at];
        let beats = |other: &Simple| {
            other.remember <= this.remember
                && other.exploited <= this.exploited
                && (other.remember, other.exploited) != (this.remember, this.exploited)
        };
        !self.strategies.iter().any(beats)
    }

    /// The curve as a chart: percent of the pot against things to remember.
    pub fn chart(&self) -> Chart<'static> {
        let share = |chips: f64| 100.0 * chips.max(0.0) / self.pot;
        let of = |of: &dyn Fn(&Simple) -> f64, on: bool| {
            let all = self.strategies.iter().enumerate();
            let kept = all.filter(|(at, _)| !on || self.is_on_the_curve(*at));
            kept.map(|(_, simple)| (simple.remember as f64, share(of(simple)))).collect::<Vec<_>>()
        };
        let title = format!("What player {} gives away, in percent of the pot", self.player);
        let best = self.strategies.iter().enumerate();
        let best = best.filter(|(at, _)| self.is_on_the_curve(*at)).map(|(_, simple)| {
            format!("{} things: {} %", simple.remember, fixed(share(simple.exploited), 2))
        });
        let description = best.collect::<Vec<_>>().join("; ");
        Chart {
            description,
            size: [360, 290],
            logarithmic: true,
            lines: vec![
                Line {
                    class: "exploited",
                    colour: Colour::Felt,
                    name: "to a best response",
                    points: of(&|simple| simple.exploited, true),
                    ..Line::default()
                },
                Line {
                    class: "all",
                    colour: Colour::Soft,
                    name: "each strategy",
                    points: of(&|simple| simple.exploited, false),
                    dots: true,
                    ..Line::default()
                },
            ],
            ..Chart::new(
                ["first-prices", "second-prices"][self.player.min(2) - 1],
                title,
                "things to remember",
            )
        }
    }
}

impl fmt::Display for Simplicity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (player, value) = (self.player, fixed(self.value, 3));
        match self.line.as_deref() {
            None => write!(f, "Player {player} wins {value} chips in an equilibrium. What")?,
            Some(line) => {
                let at =
                    if line.is_empty() { "the first decision".into() } else { format!("`{line}`") };
                write!(f, "Player {player} wins {value} chips as solved. At {at}, what")?;
            }
        }
        writeln!(f, " simpler strategies give away:\n")?;
        let adapts = self.strategies.iter().any(|simple| simple.adapted.is_some());
        let mut header = vec!["remember", "strategy", "to a best response", "of the pot"];
        header.extend(adapts.then_some("after adapting"));
        header.extend(["to the equilibrium", ""]);
        let last = header.len() - 1;
        let mut table = Table::new(header).right(0..1).right(2..last);
        for simple in &self.strategies {
            let mut row = vec![
                simple.remember.to_string(),
                simple.name.clone(),
                fixed(simple.exploited, 3),
                percent(simple.exploited / self.pot, 3),
            ];
            let adapted = simple.adapted.map_or_else(String::new, |chips| fixed(chips, 3));
            row.extend(adapts.then_some(adapted));
            row.push(fixed(simple.unnoticed, 3));
            row.push(if simple.proven { "the best" } else { "the best found" }.to_owned());
            table.row(row);
        }
        writeln!(f, "{table}")?;
        let largest = self.strategies.iter().filter(|simple| simple.lines.len() > 1);
        if let Some(tree) = largest.min_by(|a, b| a.exploited.total_cmp(&b.exploited)) {
            writeln!(f, "\n{}:", tree.name)?;
            tree.lines.iter().try_for_each(|line| writeln!(f, "  {line}"))?;
        }
        Ok(())
    }
}

/// Those with least to remember first, and among them the cheapest.
pub(crate) fn by_ease(a: &Simple, b: &Simple) -> Ordering {
    a.remember.cmp(&b.remember).then(a.exploited.total_cmp(&b.exploited))
}

/// The number of things to remember of a strategy, by hand or by group.
fn to_remember(river: &River, player: Player, strategy: &Mixed, groups: Option<&[u32]>) -> usize {
    let game = &river.game;
    let reach = game.reach(player, strategy);
    let hands = game.hands(player);
    let mut seen = std::collections::BTreeSet::new();
    for choice in game.choices(player) {
        for hand in 0..hands {
            if game.chances(player)[hand] <= 0.0
                || reach[choice.parent as usize * hands + hand] < PLAYED
            {
                continue;
            }
            for sequence in choice.sequences() {
                if strategy.share(sequence, hand) > PLAYED {
                    seen.insert((sequence, groups.map_or(hand as u32, |groups| groups[hand])));
                }
            }
        }
    }
    seen.len()
}

/// The ways to play with one size of bets: a name, and the sequences that are left out.
fn one_size(river: &River, player: Player, words_of: Words<'_>) -> Vec<(String, Vec<usize>)> {
    let p = player.index();
    let raises = |at: usize| {
        let place = &river.places[p][at];
        let first = river.game.choices(player)[at].first as usize;
        let all = place.actions.iter().enumerate();
        let raises = all.filter(|(_, action)| matches!(action, game::Action::RaiseTo(_)));
        raises.map(|(number, _)| first + number).collect::<Vec<usize>>()
    };
    let most = |free: bool| {
        let all = (0..river.places[p].len()).filter(|&at| river.places[p][at].is_free() == free);
        all.map(|at| raises(at).len()).max().unwrap_or(0)
    };
    let (bets, answers) = (most(true), most(false));
    if bets < 2 && answers < 2 {
        return Vec::new();
    }
    let mut ways = Vec::new();
    for bet in 0..bets.max(1) {
        for answer in 0..answers.max(1) {
            let mut closed = Vec::new();
            let mut words = [None, None];
            for (at, place) in river.places[p].iter().enumerate() {
                let all = raises(at);
                let kept = if place.is_free() { bet } else { answer }.min(all.len().max(1) - 1);
                closed.extend(all.iter().enumerate().filter(|(n, _)| *n != kept).map(|(_, s)| *s));
                if let Some(&sequence) = all.get(kept) {
                    let first = river.game.choices(player)[at].first as usize;
                    let word = words_of(&place.state, &place.actions).swap_remove(sequence - first);
                    words[usize::from(!place.is_free())].get_or_insert(word);
                }
            }
            let [bet, raise] = words;
            let bet = bet.filter(|_| bets > 0);
            let raise = raise.filter(|_| answers > 1);
            let name = match (bet, raise) {
                (Some(bet), None) => format!("only {bet}"),
                (None, Some(raise)) => format!("only {raise}"),
                (Some(bet), Some(raise)) => format!("only {bet}, raises {raise}"),
                (None, None) => continue,
            };
            ways.push((name, closed));
        }
    }
    ways
}

/// The questions that separate some hands on a river.
fn questions(river: &River, player: Player) -> Vec<(Question, Vec<bool>)> {
    let hands = &river.hands[player.index()];
    let board = river.board.set();
    let turn: CardSet = river.board[..4].iter().copied().collect();
    let mut all = about_cards(hands, board);
    all.extend(about_shares(&beaten(river, player), Question::Beats));
    let missed = |combo: Combo| subgame::needs::class_name(combo, board, turn) == "missed draw";
    all.push((Question::MissedDraw, hands.iter().map(|&combo| missed(combo)).collect()));
    all.retain(|(_, yes)| yes.contains(&true) && yes.contains(&false));
    all
}

/// Questions about the cards of hands on a board of three to five, with the answer of each hand.
pub(crate) fn about_cards(hands: &[Combo], board: CardSet) -> Vec<(Question, Vec<bool>)> {
    let holds = |combo: &Combo, of: &dyn Fn(Card) -> bool| combo.cards().into_iter().any(of);
    let classes: Vec<usize> =
        hands.iter().map(|&combo| HandClass::new(combo, board).number()).collect();
    let mut all: Vec<(Question, Vec<bool>)> = Vec::new();
    for class in 0..HandClass::NAMES.len() {
        all.push((Question::AtLeast(class), classes.iter().map(|&it| it <= class).collect()));
    }
    for rank in Rank::all() {
        let has = |combo| holds(combo, &|card| card.rank() == rank);
        all.push((Question::Rank(rank), hands.iter().map(has).collect()));
    }
    for suit in Suit::all() {
        let has = |combo| holds(combo, &|card| card.suit() == suit);
        all.push((Question::Suit(suit), hands.iter().map(has).collect()));
    }
    all
}

/// Questions whether a share of each hand is at least so many percent.
pub(crate) fn about_shares(
    shares: &[f64],
    question: fn(u8) -> Question,
) -> impl Iterator<Item = (Question, Vec<bool>)> + '_ {
    (5..100).step_by(5).map(move |percent| {
        let least = f64::from(percent) / 100.0;
        (question(percent), shares.iter().map(|&share| share >= least).collect())
    })
}

/// The share of the other's range that each hand beats.
fn beaten(river: &River, player: Player) -> Vec<f64> {
    let game = &river.game;
    let other = player.other();
    (0..game.hands(player))
        .map(|hand| {
            let (mut sum, mut all) = (0.0, 0.0);
            for held in 0..game.hands(other) {
                let pair = if player == Player::First { (hand, held) } else { (held, hand) };
                let chance = game.pair(pair.0, pair.1);
                let margin = game.margin(pair.0, pair.1);
                let margin = if player == Player::First { margin } else { -margin };
                all += chance;
                sum += f64::midpoint(chance, margin);
            }
            if all > 0.0 { sum / all } else { 0.0 }
        })
        .collect()
}

/// A tree of questions.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Leaf(u32),
    Ask(Question, Box<[Node; 2]>),
}

impl Node {
    /// Puts a question at a leaf, whose hands that answer no become another.
    pub(crate) fn split(&mut self, leaf: u32, question: Question, other: u32) {
        match self {
            Node::Leaf(number) if *number == leaf => {
                *self = Node::Ask(question, Box::new([Node::Leaf(leaf), Node::Leaf(other)]));
            }
            Node::Leaf(_) => {}
            Node::Ask(_, below) => {
                below.iter_mut().for_each(|node| node.split(leaf, question, other));
            }
        }
    }

    /// The numbers of the leaves.
    pub(crate) fn leaves(&self, all: &mut Vec<u32>) {
        match self {
            Node::Leaf(number) => all.push(*number),
            Node::Ask(_, below) => below.iter().for_each(|node| node.leaves(all)),
        }
    }

    /// The tree without questions after which all play alike.
    pub(crate) fn without_idle(&self, alike: &dyn Fn(u32, u32) -> bool) -> Node {
        let Node::Ask(question, below) = self else { return self.clone() };
        let below = below.each_ref().map(|node| node.without_idle(alike));
        match &below {
            [Node::Leaf(one), Node::Leaf(other)] if alike(*one, *other) => Node::Leaf(*one),
            _ => Node::Ask(*question, Box::new(below)),
        }
    }

    /// A line for each leaf.
    pub(crate) fn lines(
        &self,
        before: &str,
        leaf: &dyn Fn(u32) -> String,
        lines: &mut Vec<String>,
    ) {
        match self {
            Node::Leaf(number) => {
                let head = if before.is_empty() { "every hand" } else { before };
                lines.push(format!("{head}: {}", leaf(*number)));
            }
            Node::Ask(question, below) => {
                let join = |words: String| {
                    if before.is_empty() { words } else { format!("{before}, {words}") }
                };
                below[0].lines(&join(question.to_string()), leaf, lines);
                below[1].lines(&join(format!("not {question}")), leaf, lines);
            }
        }
    }
}

/// Grows a tree question by question, and hands out each one.
fn grow(
    river: &River,
    equilibria: &Equilibria<'_>,
    player: Player,
    &Plan { leaves, words, .. }: &Plan<'_>,
    found: &mut dyn FnMut(Simple) -> bool,
) -> Result<(), Error> {
    let game = &river.game;
    let questions = questions(river, player);
    let confined = |groups: &[u32], start: [&Mixed; 2]| {
        let mut restrictions = [Restriction::default(), Restriction::default()];
        restrictions[player.index()].groups = groups.to_vec();
        Equilibria::confined(game, start, restrictions).map_err(Error::new)
    };
    let mut groups = vec![0u32; game.hands(player)];
    let mut tree = Node::Leaf(0);
    let mut now = confined(&groups, equilibria.strategies())?;
    for count in 1..=leaves {
        let strategy = now.strategies()[player.index()];
        let price = price(equilibria, player, strategy);
        let mut lines = Vec::new();
        let leaf = |number: u32| leaf_words(river, player, strategy, &groups, number, words);
        tree.lines("", &leaf, &mut lines);
        let simple = Simple {
            name: if count == 1 { "one for all".to_owned() } else { format!("tree of {count}") },
            kind: Kind::Tree,
            remember: count - 1 + to_remember(river, player, strategy, Some(&groups)),
            exploited: price.exploited,
            unnoticed: price.unnoticed,
            adapted: None,
            proven: count == 1,
            lines,
        };
        if !found(simple) || count == leaves {
            return Ok(());
        }
        // What each question promises against the other's answer to this tree.
        let other = now.strategies()[player.other().index()];
        let gains = game.gains(player, &game.reach(player.other(), other));
        let mut promises = Vec::new();
        for leaf in 0..count as u32 {
            let of_leaf: Vec<usize> =
                (0..groups.len()).filter(|&hand| groups[hand] == leaf).collect();
            let before = game.best_alike(player, &gains, &of_leaf);
            for (number, (_, yes)) in questions.iter().enumerate() {
                let (with, without): (Vec<usize>, Vec<usize>) =
                    of_leaf.iter().partition(|&&hand| yes[hand]);
                if with.is_empty() || without.is_empty() {
                    continue;
                }
                let after = game.best_alike(player, &gains, &with)
                    + game.best_alike(player, &gains, &without);
                promises.push((after - before, leaf, number));
            }
        }
        promises.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut best: Option<(f64, u32, usize, Equilibria<'_>)> = None;
        for &(promise, leaf, number) in promises.iter().take(TRIED) {
            let value = best.as_ref().map_or(now.value_for(player), |(value, ..)| *value);
            if now.value_for(player) + promise <= value {
                break;
            }
            let split = split(&groups, leaf, &questions[number].1, count as u32);
            let tried = confined(&split, now.strategies())?;
            let value = tried.value_for(player);
            if best.as_ref().is_none_or(|(least, ..)| value > *least) {
                best = Some((value, leaf, number, tried));
            }
        }
        let Some((_, leaf, number, better)) = best else { return Ok(()) };
        groups = split(&groups, leaf, &questions[number].1, count as u32);
        tree.split(leaf, questions[number].0, count as u32);
        now = better;
    }
    Ok(())
}

/// The groups after a question: hands of a leaf that answer no are another.
pub(crate) fn split(groups: &[u32], leaf: u32, yes: &[bool], other: u32) -> Vec<u32> {
    let each = groups.iter().zip(yes);
    each.map(|(&group, &yes)| if group == leaf && !yes { other } else { group }).collect()
}

/// What a leaf does: at each decision that it gets to.
fn leaf_words(
    river: &River,
    player: Player,
    strategy: &Mixed,
    groups: &[u32],
    leaf: u32,
    words_of: Words<'_>,
) -> String {
    let game = &river.game;
    let Some(hand) = groups.iter().position(|&group| group == leaf) else { return String::new() };
    let (reach, hands) = (game.reach(player, strategy), game.hands(player));
    let mut words = Vec::new();
    for (choice, place) in game.choices(player).iter().zip(&river.places[player.index()]) {
        if reach[choice.parent as usize * hands + hand] < PLAYED {
            continue;
        }
        let shares = choice.sequences().map(|sequence| strategy.share(sequence, hand));
        let way = way_words(&place.state, words_of);
        let at = if way.is_empty() { String::new() } else { format!("after {way}: ") };
        words.push(format!("{at}{}", mix_words(shares, words_of(&place.state, &place.actions))));
    }
    words.join("; ")
}

/// The actions of the river that led to a state, in words.
fn way_words(state: &PublicState, words_of: Words<'_>) -> String {
    let mut words = Vec::new();
    state.each_decision(|before, played| {
        if played.street == Street::River {
            words.extend(words_of(before, &[played.action]));
        }
    });
    let apart = if words.iter().any(|word| word.contains(' ')) { ", " } else { " " };
    words.join(apart)
}

/// A strategy in words: `b33 75 %, x 25 %`.
pub(crate) fn mix_words(
    shares: impl IntoIterator<Item = f64>,
    words: impl IntoIterator<Item = String>,
) -> String {
    let played = shares.into_iter().zip(words).filter(|(share, _)| *share > PLAYED);
    let each = played.map(|(share, word)| {
        if share > 1.0 - PLAYED { word } else { format!("{word} {}", percent(share, 0)) }
    });
    each.collect::<Vec<_>>().join(", ")
}
