//! Charts of starting hands: the strategy of a range at a spot with the actions'
//! names and totals, as text and as a picture. Solved spots and the strategies of agents are shown
//! in the same way.

use std::fmt::Write;

use cards::{CardSet, Combo, HoleCards, StartingHand, grid};
use game::{Action, Betting, Chips, Policy, PublicState, Seat, Strategy, Turn, notation};
use serde::Serialize;
use show::number::percent;
use show::svg::{Colour, Head, Heading, Picture};
use show::{Table, as_text};

/// The strategy of a range at a spot.
#[derive(Debug, Serialize)]
pub struct Chart {
    /// The board; hands with its cards are missing.
    #[serde(skip)]
    board: CardSet,
    /// The actions of the spot.
    pub actions: Vec<Choice>,
    /// The hands of the player's range.
    pub hands: Vec<Hand>,
    /// The sum of the hands' weights.
    pub combos: f64,
}

/// An action of the spot with its frequency over the range.
#[derive(Debug, Serialize)]
pub struct Choice {
    /// The short name: `x`, `b66`, or `r250` with the total on the street.
    #[serde(rename = "action")]
    pub word: String,
    /// The full name: `bet 66`.
    pub name: String,
    /// A letter that no other action of the spot has.
    #[serde(skip)]
    letter: char,
    #[serde(skip)]
    kind: Kind,
    /// For bets and raises, the raise as a share of the pot after a call.
    #[serde(rename = "share_of_pot")]
    pub of_pot: Option<f64>,
    /// The share of the range that takes it, from 0 to 1.
    pub frequency: f64,
    /// The number of combos that take it.
    pub combos: f64,
}

/// The kind of an action, which determines its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Fold.
    Fold,
    /// Check or call.
    Call,
    /// A bet or raise, with its index from the smallest.
    Raise(usize),
    /// A bet or raise of all chips.
    AllIn,
}

/// A hand of the range.
#[derive(Debug, Serialize)]
pub struct Hand {
    #[serde(rename = "hand", serialize_with = "as_text")]
    /// The hand.
    pub combo: Combo,
    /// Its weight in the range.
    pub weight: f64,
    /// The probability of each action.
    pub strategy: Vec<f64>,
    /// The expected chips from the pot from here on; `None` when the other range has no hand it can
    /// meet.
    pub gets: Option<f64>,
}

/// A cell of the chart: all combos of one starting hand.
#[derive(Debug, Serialize)]
pub struct Class {
    /// The starting hand.
    #[serde(serialize_with = "as_text")]
    pub hand: StartingHand,
    /// The sum of their weights; 0 if none is in the range.
    pub combos: f64,
    /// The number of combos that the board allows.
    #[serde(skip)]
    most: usize,
    /// The mean probability of each action; empty without combos.
    #[serde(rename = "strategy")]
    mix: Vec<f64>,
    /// The mean of the expected chips.
    #[serde(skip)]
    gets: Option<f64>,
}

impl Chart {
    /// The chart of a spot with these actions, where each hand has as many probabilities.
    pub fn new(state: &PublicState, actions: &[Action], hands: Vec<Hand>) -> Chart {
        let combos = hands.iter().map(|hand| hand.weight).sum();
        let actions = choices(state, actions, &hands, combos);
        Chart { board: state.board().set(), actions, hands, combos }
    }

    /// The policy's strategy with the hands of these weights, by the numbers of their combos.
    pub fn of_policy(
        policy: &dyn Policy,
        public: &PublicState,
        seat: Seat,
        weights: &[f64],
    ) -> Chart {
        let mut combos: Vec<Combo> =
            Combo::all().filter(|combo| weights[combo.index()] > 0.0).collect();
        combos.sort_by_key(|combo| (combo.starting_hand(), std::cmp::Reverse(*combo)));
        let hole = |combo: &Combo| HoleCards::new(&combo.cards()).expect("two different cards");
        let holes: Vec<HoleCards> = combos.iter().map(hole).collect();
        let mut strategies = vec![Strategy { actions: Vec::new() }; holes.len()];
        policy.strategies(public, seat, &holes, &mut |hand, strategy| {
            strategies[hand].clone_from(strategy);
        });
        let played = strategies.iter().flat_map(|strategy| &strategy.actions);
        let actions = distinct(played.filter(|(_, share)| *share > 0.0).map(|&(action, _)| action));
        let hands = combos.iter().zip(&strategies).map(|(&combo, strategy)| Hand {
            combo,
            weight: weights[combo.index()],
            strategy: actions.iter().map(|&action| strategy.probability(action)).collect(),
            gets: None,
        });
        let mut chart = Chart::new(public, &actions, hands.collect());
        for (choice, &action) in chart.actions.iter_mut().zip(&actions) {
            choice.word.clear();
            let limit = public.def().betting == game::Betting::Limit;
            notation::write_action(action, limit, &mut choice.word);
        }
        chart
    }

    /// The 169 cells of the chart, row by row.
    pub fn classes(&self) -> Vec<Class> {
        let class = |kind: StartingHand| {
            let hands: Vec<&Hand> =
                self.hands.iter().filter(|hand| hand.combo.starting_hand() == kind).collect();
            let combos: f64 = hands.iter().map(|hand| hand.weight).sum();
            let share = |action: usize| {
                hands.iter().map(|hand| hand.weight * hand.strategy[action]).sum::<f64>() / combos
            };
            let mix = if combos > 0.0 {
                (0..self.actions.len()).map(share).collect()
            } else {
                Vec::new()
            };
            let paid = hands.iter().filter_map(|hand| Some((hand.weight, hand.gets?)));
            let (weight, sum) = paid.fold((0.0, 0.0), |(weights, sum), (weight, gets)| {
                (weights + weight, sum + weight * gets)
            });
            let free = kind.combos().filter(|combo| !combo.set().intersects(self.board));
            Class {
                hand: kind,
                combos,
                most: free.count(),
                mix,
                gets: (weight > 0.0).then(|| sum / weight),
            }
        };
        StartingHand::all().map(class).collect()
    }
}

/// How two strategies at the same decision differ, hand by hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The 169 starting hands, row by row, each with the share of the time in which both do not do
    /// the same: half the sum of the differences of all probabilities. 0 for hands that one of both
    /// does not have there.
    pub hands: Vec<(StartingHand, f64)>,
    /// The mean over all hands, by the first one's weights.
    pub all: f64,
}

impl Difference {
    /// The difference of two charts.
    pub fn new(first: &Chart, second: &Chart) -> Difference {
        let share = |chart: &Chart, class: &Class, word: &str| {
            let shares = chart.actions.iter().zip(&class.mix);
            shares.filter(|(choice, _)| choice.word == word).map(|(_, share)| share).sum::<f64>()
        };
        let mut words: Vec<&str> = Vec::new();
        for choice in first.actions.iter().chain(&second.actions) {
            if !words.contains(&choice.word.as_str()) {
                words.push(&choice.word);
            }
        }
        let (mut hands, mut sum, mut weights) = (Vec::new(), 0.0, 0.0);
        for (own, other) in first.classes().iter().zip(second.classes()) {
            let differ =
                |word: &&str| (share(first, own, word) - share(second, &other, word)).abs();
            let both = own.combos > 0.0 && other.combos > 0.0;
            let apart = if both { words.iter().map(differ).sum::<f64>() / 2.0 } else { 0.0 };
            hands.push((own.hand, apart));
            sum += own.combos * apart;
            weights += own.combos;
        }
        Difference { hands, all: if weights > 0.0 { sum / weights } else { 0.0 } }
    }
}

/// The distinct ones of these actions: fold, call, and raises by size.
pub fn distinct(actions: impl Iterator<Item = Action>) -> Vec<Action> {
    let mut distinct = Vec::new();
    for action in actions {
        if !distinct.contains(&action) {
            distinct.push(action);
        }
    }
    distinct.sort_by_key(|action| match action {
        Action::Fold => (0, 0),
        Action::Call => (1, 0),
        Action::RaiseTo(total) => (2, *total),
    });
    distinct
}

/// The actions with names and frequencies.
fn choices(state: &PublicState, actions: &[Action], hands: &[Hand], combos: f64) -> Vec<Choice> {
    let bet_before = state.highest() > state.before_street();
    // A limit game has one size, which is all-in only by chance.
    let no_limit = state.def().betting == Betting::NoLimit;
    let most = state.legal().raise.filter(|_| no_limit).map(|raise| raise.max);
    let sizes = |action: &&Action| matches!(action, Action::RaiseTo(total) if Some(*total) != most);
    let several = actions.iter().filter(sizes).count() > 1;
    let mut raises = 0;
    let mut choice = |number: usize, action: Action| {
        let word = state.action_word(action);
        let chips = |total: Chips| total - state.before_street();
        let (kind, letter, name) = match action {
            Action::Fold => (Kind::Fold, 'F', "fold".to_owned()),
            Action::Call if word == "x" => (Kind::Call, 'X', "check".to_owned()),
            Action::Call => (Kind::Call, 'C', "call".to_owned()),
            Action::RaiseTo(total) if Some(total) == most => {
                (Kind::AllIn, 'A', format!("all-in {}", chips(total)))
            }
            Action::RaiseTo(total) => {
                raises += 1;
                let letter = match (several, bet_before) {
                    // A menu has at most 32 sizes.
                    (true, _) => char::from_digit(raises as u32, 36).unwrap_or('?'),
                    (false, true) => 'R',
                    (false, false) => 'B',
                };
                let verb = if bet_before { "raise to" } else { "bet" };
                (Kind::Raise(raises - 1), letter, format!("{verb} {}", chips(total)))
            }
        };
        let taken: f64 = hands.iter().map(|hand| hand.weight * hand.strategy[number]).sum();
        let frequency = if combos > 0.0 { taken / combos } else { 0.0 };
        Choice { word, name, letter, kind, of_pot: of_pot(state, action), frequency, combos: taken }
    };
    actions.iter().enumerate().map(|(number, &action)| choice(number, action)).collect()
}

/// The raise of a bet or raise as a share of the pot after a call.
fn of_pot(state: &PublicState, action: Action) -> Option<f64> {
    let (Action::RaiseTo(total), Turn::Act(seat)) = (action, state.turn()) else {
        return None;
    };
    let owed = state.highest() - state.committed()[seat];
    Some(f64::from(total - state.highest()) / (state.pot() as f64 + f64::from(owed)))
}

/// An action of the player to act in words, in chips of the street, with a bet's share of the pot:
/// `check`, `call 50`, `raise to 250 (75 % of the pot)`.
pub fn action_words(state: &PublicState, action: Action) -> String {
    let legal = state.legal();
    match action {
        Action::Fold => "fold".to_owned(),
        Action::Call if !legal.fold => "check".to_owned(),
        Action::Call => format!("call {}", legal.to_call),
        Action::RaiseTo(total) => {
            let before = state.before_street();
            let verb = if state.highest() > before { "raise to" } else { "bet" };
            let share = of_pot(state, action)
                .map_or_else(String::new, |share| format!(" ({} of the pot)", percent(share, 0)));
            let no_limit = state.def().betting == Betting::NoLimit;
            let all_in = no_limit && legal.raise.is_some_and(|raise| raise.max == total);
            let all_in = if all_in { "all-in, " } else { "" };
            format!("{all_in}{verb} {}{share}", total - before)
        }
    }
}

/// The number of letters in a cell; each stands for a fifth of the hands' actions.
const LETTERS: usize = 5;

/// The chart as text and as a picture.
impl Chart {
    /// The actions with their frequencies over all hands.
    pub fn actions_text(&self, colours: bool) -> String {
        let named = |choice: &Choice| {
            let share = choice.of_pot.map(|share| format!(" ({} of the pot)", percent(share, 0)));
            choice.name.clone() + &share.unwrap_or_default()
        };
        let names: Vec<String> = self.actions.iter().map(named).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(24);
        let mut text =
            format!("   {:<8} {:<width$} {:>9} {:>10}\n", "--at", "action", "share", "combos");
        for (choice, name) in self.actions.iter().zip(names) {
            writeln!(
                text,
                "{}  {:<8} {name:<width$} {:>9} {:>10.2}",
                painted(&choice.letter.to_string(), choice, colours),
                choice.word,
                percent(choice.frequency, 2),
                choice.combos
            )
            .expect("a string takes all");
        }
        text
    }

    /// The chart, 80 columns wide.
    pub fn text(&self, colours: bool) -> String {
        let classes = self.classes();
        let text = |number: usize| {
            let class = &classes[number];
            match class.combos {
                0.0 => format!(" {:^LETTERS$}", '·'),
                _ => format!(" {}", letters(self, class, colours)),
            }
        };
        let mut text = grid::text(|rank| format!(" {:^LETTERS$}", rank.to_char()), text);
        text.push_str(
            "\n  suited above the diagonal, offsuit below; each letter is a fifth of what \
                       the hand does\n",
        );
        text
    }

    /// Every hand with the probabilities of its actions and its expected chips.
    pub fn hands_text(&self) -> String {
        let names = self.actions.iter().map(|choice| choice.name.as_str());
        let header = ["hand", "weight"].into_iter().chain(names).chain(["gets"]);
        let mut table = Table::new(header).right(1..).at_the_margin();
        for hand in &self.hands {
            let shares = hand.strategy.iter().map(|share| format!("{:.2}", 100.0 * share));
            let gets = hand.gets.map_or_else(|| "-".to_owned(), |gets| format!("{gets:.2}"));
            let first = [hand.combo.to_string(), format!("{:.4}", hand.weight)];
            table.row(first.into_iter().chain(shares).chain([gets]));
        }
        format!("{table}\n")
    }

    /// What each of the 169 starting hands does in words, the likeliest action first.
    pub fn cells_in_words(&self) -> Vec<String> {
        let words = |class: &Class| {
            let mut shares: Vec<(&Choice, f64)> =
                self.actions.iter().zip(class.mix.iter().copied()).collect();
            shares.retain(|(_, share)| *share >= 0.005);
            shares.sort_by(|a, b| b.1.total_cmp(&a.1));
            let each = shares
                .iter()
                .map(|(choice, share)| format!("{} {}", choice.name, percent(*share, 0)));
            each.collect::<Vec<_>>().join(", ")
        };
        self.classes().iter().map(words).collect()
    }

    /// The chart as SVG: each cell is divided by the probabilities of the actions, and filled up to
    /// the share of its combos that are in the range.
    pub fn picture(&self, title: &Title) -> String {
        let [wide, tall] = grid::size([CELL, TALL]);
        let heading = Heading::new(&title.head, &title.about, wide);
        let head = HEAD + heading.extra_height();
        let legend = head + tall + 10.0;
        let (width, height) = (wide + 2.0 * EDGE, legend + LINE * self.actions.len() as f64 + EDGE);
        let mut picture = open([width, height], title);
        heading.draw(&mut picture, [EDGE, 20.0]);
        for (class, [x, y]) in self.classes().iter().zip(grid::corners([EDGE, head], [CELL, TALL]))
        {
            draw_cell(&mut picture, self, class, x + 1.0, y + 1.0);
        }
        for (at, choice) in self.actions.iter().enumerate() {
            let y = legend + LINE * at as f64;
            let pot = choice
                .of_pot
                .map_or_else(String::new, |share| format!(" ({} of the pot)", percent(share, 0)));
            picture.add(format_args!(
                "<rect x=\"{EDGE}\" y=\"{y:.1}\" width=\"14\" height=\"14\" rx=\"2\" fill=\"{}\"/>",
                colour(choice.kind)
            ));
            let (frequency, combos) = (percent(choice.frequency, 2), choice.combos);
            let words =
                format!("{}{pot}: {frequency} of the range, {combos:.2} combos", choice.name);
            picture.text([EDGE + 22.0, y + 11.5], "", &words);
        }
        picture.finish()
    }
}

/// The letters of a cell.
fn letters(chart: &Chart, class: &Class, colours: bool) -> String {
    let mut text = String::new();
    for (choice, count) in chart.actions.iter().zip(apportioned(&class.mix)) {
        let letters = choice.letter.to_string().repeat(count);
        if !letters.is_empty() {
            text.push_str(&painted(&letters, choice, colours));
        }
    }
    text
}

/// The number of letters for each action that is closest to its share, by largest remainders.
fn apportioned(mix: &[f64]) -> Vec<usize> {
    let exact: Vec<f64> = mix.iter().map(|share| share * LETTERS as f64).collect();
    let mut letters: Vec<usize> = exact.iter().map(|exact| exact.floor() as usize).collect();
    let mut order: Vec<usize> = (0..mix.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let missing = LETTERS.saturating_sub(letters.iter().sum());
    for &action in order.iter().cycle().take(missing) {
        letters[action] += 1;
    }
    letters
}

/// A text in the colour of an action.
fn painted(text: &str, choice: &Choice, colours: bool) -> String {
    if !colours {
        return text.to_owned();
    }
    let code = match choice.kind {
        Kind::Fold => "34",
        Kind::Call => "32",
        Kind::Raise(0) => "33",
        Kind::Raise(_) => "31",
        Kind::AllIn => "1;35",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}

const CELL: f64 = 52.0;
const TALL: f64 = 40.0;
const EDGE: f64 = 12.0;
const HEAD: f64 = 50.0;
/// The height of a line in the legend.
const LINE: f64 = 20.0;

/// The text above the chart.
#[derive(Debug)]
pub struct Title {
    /// The title.
    pub head: String,
    /// The description.
    pub about: String,
}

fn draw_cell(picture: &mut Picture, chart: &Chart, class: &Class, x: f64, y: f64) {
    let (wide, tall) = (CELL - 2.0, TALL - 2.0);
    picture.add(format_args!(
        "<g><title>{}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide}\" height=\"{tall}\" \
         class=\"cell\"/>",
        cell_in_words(chart, class)
    ));
    let filled =
        if class.most > 0 { tall * (class.combos / class.most as f64).min(1.0) } else { 0.0 };
    let mut left = x;
    for (choice, share) in chart.actions.iter().zip(&class.mix) {
        let part = wide * share;
        if part >= 0.05 {
            picture.add(format_args!(
                "<rect x=\"{left:.2}\" y=\"{:.2}\" width=\"{part:.2}\" height=\"{filled:.2}\" \
                 fill=\"{}\"/>",
                y + tall - filled,
                colour(choice.kind)
            ));
        }
        left += part;
    }
    let faint = if class.combos > 0.0 { "" } else { " opacity=\"0.45\"" };
    let attributes = format!("class=\"hand\"{faint}");
    picture.text([x + 4.0, y + 14.0], &attributes, &class.hand.to_string());
    picture.add(format_args!("</g>"));
}

/// The description of a cell in words.
fn cell_in_words(chart: &Chart, class: &Class) -> String {
    if class.combos == 0.0 {
        return format!("{}: not in the range", class.hand);
    }
    let shares = chart.actions.iter().zip(&class.mix);
    let shares: Vec<String> =
        shares.map(|(choice, share)| format!("{} {}", choice.name, percent(*share, 1))).collect();
    let gets = class.gets.map_or_else(String::new, |gets| format!("; gets {gets:.2} chips"));
    format!(
        "{}: {}; {:.2} of {} combos{gets}",
        class.hand,
        shares.join(", "),
        class.combos,
        class.most
    )
}

/// The colour of an action, also in pictures of trees.
pub fn colour(kind: Kind) -> &'static str {
    match kind {
        Kind::Fold => Colour::Fold,
        Kind::Call => Colour::Call,
        Kind::Raise(number) => Colour::Raise(number),
        Kind::AllIn => Colour::AllIn,
    }
    .code_on_both()
}

/// Begins the picture.
fn open(size: [f64; 2], title: &Title) -> Picture {
    let description = format!(
        "{}. Pairs on the diagonal, suited hands above it, offsuit hands below; a cell is as full \
         as its combos get there.",
        title.about
    );
    let shown = size.map(|size| format!("{size:.0}"));
    Picture::new(&Head {
        name: "chart",
        size,
        shown: Some([&shown[0], &shown[1]]),
        title: &title.head,
        description: &description,
        letters: 12.0,
        colours: &[(" .cell", "fill", Colour::Shade), (" .hand", "stroke", Colour::Ground)],
        style: ".hand{font-weight:bold;paint-order:stroke;stroke-width:3px;stroke-opacity:0.85}",
    })
}
