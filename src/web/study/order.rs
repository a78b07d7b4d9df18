//! What is asked to be solved: the spot as JSON, read into the problem of [`crate::subgame`]; and
//! what solving it takes, with the sizes that would save most.

use std::fmt::Display;

use abstraction::menu::{self, BetMenu};
use cards::{Board, Range};
use game::{Chips, PublicState, Street};
use indicatif::HumanBytes;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use show::number::hexadecimal;
use solvers::Variant;
use solvers::subgame::{Options, Size, start};

use super::locks::{self, Lock};
use crate::subgame::{Bits, Goal, Limits, Parameters, Problem, SizeReport};
use crate::web::api::{Problem as Refusal, read_json};

/// The remedy for an order that cannot be read.
const DESCRIBED: &str = "docs/study.md has an example; `/api/v1/openapi.json` describes the keys";

/// The most characters of a range or a menu.
const LONGEST: usize = 64 << 10;

/// The most iterations of a solve.
const MOST_ITERATIONS: u32 = 100_000;

/// A tree that takes less is not made smaller by leaving out sizes.
const WORTH_SAVING: u64 = 16 << 20;

/// The most sizes that are left out by way of trial.
const TRIALS: usize = 24;

/// A spot to solve: from this board on, the first player acts first on every street.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Order {
    /// The cards on the table: three, four or five, as in `Td9d6hQc2s`.
    pub(super) board: String,
    /// Chips in the pot, half from each player.
    pub(super) pot: Chips,
    /// Chips left to each player; one number is for both.
    pub(super) stacks: Vec<Chips>,
    /// The ranges of the first and the second player, as in `QQ+,AKs,A5s-A2s,KQo:0.5,AhKh`;
    /// `random` is every hand.
    pub(super) ranges: [String; 2],
    /// The bets: a shipped menu (fc, fcpa, ladder, limit, overbet, reraise, six, small, standard,
    /// three), or lines of a menu separated by `;` or line ends, as in `every 1: 50% allin; every
    /// 2+: allin`. A second one is for the second player. `standard` unless given.
    #[serde(default = "usual_menus")]
    pub(super) menus: Vec<String>,
    /// The smallest bet, in chips; 1 unless given.
    #[serde(default = "one")]
    pub(super) smallest_bet: Chips,
    /// The exploitability to stop at: chips, or a share of the pot; `0.5%` unless given.
    #[serde(default = "usual_goal")]
    pub(super) until: String,
    /// Most iterations; 1,000 unless given.
    #[serde(default = "usual_iterations")]
    pub(super) iterations: u32,
    /// The precision of stored numbers: `half` takes half the memory and a little longer.
    #[serde(default)]
    pub(super) precision: Bits,
    /// Decisions whose strategy is given; none unless given.
    #[serde(default)]
    pub(super) locks: Vec<Lock>,
}

fn usual_menus() -> Vec<String> {
    vec!["standard".to_owned()]
}

fn one() -> Chips {
    1
}

fn usual_goal() -> String {
    "0.5%".to_owned()
}

fn usual_iterations() -> u32 {
    1000
}

/// A spot that can be solved.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) problem: Problem,
    pub(super) goal: Goal,
    pub(super) iterations: u32,
    pub(super) locks: Vec<Lock>,
}

impl Order {
    /// Reads a request's body.
    pub(super) fn read(body: &[u8]) -> Result<Order, Refusal> {
        read(body)
    }

    /// What asks for the same again.
    pub(super) fn of_parameters(parameters: &Parameters, limits: &Limits, locks: &[Lock]) -> Order {
        let Parameters { board, pot, stacks, smallest_bet, ranges, .. } = parameters.clone();
        let menus = [Some(&parameters.menu), parameters.second_menu.as_ref()];
        Order {
            board,
            pot: Chips::try_from(pot).unwrap_or(Chips::MAX),
            stacks: stacks.to_vec(),
            ranges,
            menus: menus.into_iter().flatten().cloned().collect(),
            smallest_bet,
            until: limits.goal.to_string(),
            iterations: limits.most,
            precision: parameters.precision,
            locks: locks.to_vec(),
        }
    }

    /// The problem of this order, with at most so much memory.
    pub(super) fn spot(&self, memory: u64) -> Result<Spot, Refusal> {
        let at = |place: &str, error: &dyn Display, remedy: &dyn Display| {
            Refusal::at_pointer(place, error.to_string(), remedy.to_string())
        };
        let board: Board = self.board.parse().map_err(|error: cards::Error| {
            at("/board", &error, &"write three, four or five cards, as in Ks8h3d")
        })?;
        let [first, second] = match self.stacks[..] {
            [both] => [both; 2],
            [first, second] => [first, second],
            _ => {
                let error = "there are neither one nor two stacks";
                return Err(at("/stacks", &error, &"give one number, or one for each player"));
            }
        };
        let menu = |number: usize| -> Result<BetMenu, Refusal> {
            let text = self.menus.get(number).map_or("standard", String::as_str);
            read_menu(text).map_err(|error| {
                let remedy = "docs/solve.md describes menus, as in `every 1: 50% allin; every 2+: \
                              allin`";
                at(&format!("/menus/{number}"), &error, &remedy)
            })
        };
        let menus = match self.menus.len() {
            0 | 1 => {
                let menu = menu(0)?;
                [menu.clone(), menu]
            }
            2 => [menu(0)?, menu(1)?],
            _ => {
                let error = "there are more than two menus";
                return Err(at("/menus", &error, &"give one, or one for each player"));
            }
        };
        let range = |number: usize| {
            let whose = format!("the range of the {} player", ["first", "second"][number]);
            read_range(&self.ranges[number], &format!("/ranges/{number}"), &whose)
        };
        let ranges = [range(0)?, range(1)?];
        let goal: Goal = self.until.parse().map_err(|error: String| {
            at("/until", &format!("`{}` is no exploitability", cut(&self.until)), &error)
        })?;
        if !(1..=MOST_ITERATIONS).contains(&self.iterations) {
            let remedy = format!("give 1 to {MOST_ITERATIONS}");
            return Err(at("/iterations", &"so many iterations are not possible", &remedy));
        }
        let root: PublicState = start(&board, self.pot, [first, second], self.smallest_bet)
            .map_err(|error| at("", &error, &"change the pot, the stacks or the smallest bet"))?;
        let options = Options {
            variant: Variant::SUBGAMES,
            horizon: self.iterations,
            precision: self.precision.precision(),
            memory,
        };
        let problem = Problem { root, ranges, menus, smallest_bet: self.smallest_bet, options };
        if self.locks.len() > locks::MOST {
            let error = "there are too many locks";
            return Err(at("/locks", &error, &format!("give at most {}", locks::MOST)));
        }
        if !self.locks.is_empty() && self.precision == Bits::Half {
            let error = "decisions are locked in 32 bits only";
            return Err(at("/precision", &error, &"leave it out, or the locks"));
        }
        Ok(Spot { problem, goal, iterations: self.iterations, locks: self.locks.clone() })
    }
}

/// Reads a JSON object; an error has the place of what is wrong.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    read_json(body, DESCRIBED)
}

/// Reads a range at a place of the body.
pub(super) fn read_range(text: &str, place: &str, whose: &str) -> Result<Range, Refusal> {
    if text.len() > LONGEST {
        let error = format!("{whose} is too long");
        return Err(Refusal::at_pointer(place, error, "write fewer hands"));
    }
    text.parse().map_err(|error: cards::Error| {
        let remedy = "docs/solve.md describes ranges, as in QQ+,AKs,KQo:0.5";
        Refusal::at_pointer(place, format!("{whose}: {error}"), remedy)
    })
}

/// A shipped menu, or one in lines, without the bets before the flop. No file is read.
fn read_menu(text: &str) -> Result<BetMenu, String> {
    find_menu(text).map(|menu| menu.from_street(Street::Flop))
}

fn find_menu(text: &str) -> Result<BetMenu, String> {
    if let Some(menu) = menu::find(text.trim()) {
        return Ok(menu);
    }
    if !text.contains(':') {
        let shipped: Vec<&str> = menu::shipped().iter().map(|menu| menu.name).collect();
        let text = cut(text);
        return Err(format!("there is no menu `{text}`; there are {}", shipped.join(", ")));
    }
    if text.len() > LONGEST {
        return Err("the menu is too long".to_owned());
    }
    text.replace(';', "\n").parse().map_err(|error: abstraction::Error| error.to_string())
}

/// The beginning of a text, for messages.
fn cut(text: &str) -> String {
    game::escape::excerpt(text)
}

/// The name of a solution: that of the problem, whoever asks for it and however far it is solved.
pub(super) fn name(parameters: &Parameters, locks: &[Lock]) -> String {
    let locks = if locks.is_empty() { String::new() } else { json(&locks) };
    let mut name = hexadecimal(&Sha256::digest(json(parameters) + &locks));
    name.truncate(12);
    name
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// What solving a spot takes.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Estimate {
    pub(super) size: SizeReport,
    /// The most bytes that this server takes for a solve.
    pub(super) allowed: u64,
    /// Whether it is within that.
    pub(super) fits: bool,
    /// The share of each street in the pairs of hand and action.
    pub(super) streets: Vec<StreetShare>,
    /// The expected time of solving; roughly, and nothing else being solved.
    pub(super) seconds: f64,
    /// Sizes without which it takes least, the best first; none where it is small.
    pub(super) savings: Vec<Saving>,
}

/// A street's share of what is solved.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StreetShare {
    /// `flop`, `turn` or `river`.
    pub(super) street: &'static str,
    /// From 0 to 1.
    pub(super) share: f64,
}

/// What leaving out a size saves.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Saving {
    /// What is left out, in words.
    pub(super) without: String,
    /// The menus without it, as in an order.
    pub(super) menus: Vec<String>,
    /// The bytes that solving takes then.
    pub(super) bytes: u64,
}

impl Spot {
    /// How far it is to be solved.
    pub(super) fn limits(&self) -> Limits {
        let goal = self.goal.chips(self.problem.root.pot());
        Limits { most: self.iterations, goal, resumed: 0 }
    }

    /// The size of the spot, or why it is none.
    pub(super) fn size(&self) -> Result<Size, Refusal> {
        size(&self.problem).map_err(|error| unsolvable(&error))
    }

    /// What solving takes, at this number of pairs of hand and action in a second.
    pub(super) fn estimate(&self, speed: f64) -> Result<Estimate, Refusal> {
        let size = self.size()?;
        let allowed = self.problem.options.memory;
        let first = self.problem.root.board().len() - 3;
        let streets = ["flop", "turn", "river"][first..].iter().zip(size.by_street);
        let share = |(&street, cells): (&&'static str, u64)| StreetShare {
            street,
            share: cells as f64 / size.cells.max(1) as f64,
        };
        let savings =
            if size.bytes < WORTH_SAVING { Vec::new() } else { savings(&self.problem, &size) };
        Ok(Estimate {
            allowed,
            fits: size.bytes <= allowed,
            streets: streets.map(share).collect(),
            seconds: size.cells as f64 * self.expected_iterations() / speed,
            savings,
            size: (&size).into(),
        })
    }

    /// The iterations that the goal usually takes: some 90 for half a percent of the pot, and the
    /// exploitability falls with their square.
    fn expected_iterations(&self) -> f64 {
        let pot = self.problem.root.pot();
        let share = self.goal.chips(pot) / pot.max(1) as f64;
        (90.0 * (0.005 / share).sqrt()).clamp(2.0, self.iterations.into())
    }

    /// The refusal of a spot that takes more memory than allowed.
    pub(super) fn check_memory(&self, size: &Size) -> Result<(), Refusal> {
        let allowed = self.problem.options.memory;
        if size.bytes <= allowed {
            return Ok(());
        }
        let [needed, most] = [size.bytes, allowed].map(HumanBytes);
        let error = format!("solving takes {needed}, and this server allows {most}");
        let saving = savings(&self.problem, size).into_iter().next();
        let remedy = match saving {
            Some(saving) => {
                let bytes = HumanBytes(saving.bytes);
                format!(
                    "leave out sizes, which saves most without {} ({bytes}), narrow the ranges, \
                     take half precision, or set `study.memory` in the configuration",
                    saving.without
                )
            }
            None => "narrow the ranges, take half precision, start on a later street, or set \
                     `study.memory` in the configuration"
                .to_owned(),
        };
        Err(Refusal::at_pointer("", error, remedy))
    }
}

fn size(problem: &Problem) -> Result<Size, solvers::Error> {
    Ok(problem.subgame()?.size(&problem.options))
}

/// The refusal of a spot that is none.
pub(super) fn unsolvable(error: &solvers::Error) -> Refusal {
    Refusal::at_pointer("", error.to_string(), "change the board, the ranges or the bets")
}

/// The sizes without which a problem takes least, up to three.
fn savings(problem: &Problem, now: &Size) -> Vec<Saving> {
    let mut savings = Vec::new();
    let same = problem.menus[0] == problem.menus[1];
    let players: &[&[usize]] = if same { &[&[0, 1]] } else { &[&[0], &[1]] };
    for players in players {
        let menu = problem.menus[players[0]].to_string();
        for (name, menu) in without_one(&menu, problem.root.street()).into_iter().take(TRIALS) {
            let Ok(read) = menu.parse::<BetMenu>() else { continue };
            let mut other = problem.clone();
            players.iter().for_each(|&player| other.menus[player] = read.clone());
            let Ok(size) = size(&other) else { continue };
            if size.bytes * 20 > now.bytes * 19 {
                continue;
            }
            let whose = match (same, players[0]) {
                (true, _) => String::new(),
                (false, first) => format!(" of player {}", first + 1),
            };
            let menus = if same { &other.menus[..1] } else { &other.menus[..] };
            let menus = menus.iter().map(|menu| menu.to_string().trim_end().to_owned());
            let without = format!("{name}{whose}");
            savings.push(Saving { without, menus: menus.collect(), bytes: size.bytes });
        }
    }
    savings.sort_by_key(|saving| saving.bytes);
    savings.truncate(3);
    savings
}

/// The texts of a menu with one size left out in one line, and what is left out in words.
fn without_one(menu: &str, from: Street) -> Vec<(String, String)> {
    let lines: Vec<&str> = menu.lines().collect();
    // A menu prints the sizes of each raise of a street in a line of their own.
    let later = &Street::ALL[from.index()..];
    let played = |line: &&str| later.iter().any(|street| line.starts_with(street.name()));
    let mut texts = Vec::new();
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| played(line)) {
        let Some((names, sizes)) = line.split_once(':') else { continue };
        let sizes: Vec<&str> = sizes.split_whitespace().collect();
        for size in sizes.iter().filter(|&&size| size != "none") {
            let rest: Vec<&str> = sizes.iter().copied().filter(|other| other != size).collect();
            let rest = if rest.is_empty() { "none".to_owned() } else { rest.join(" ") };
            let mut changed: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            changed[number] = format!("{names}: {rest}");
            texts.push((format!("`{size}` in `{names}`"), changed.join("\n") + "\n"));
        }
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> Order {
        Order {
            board: "Ks8h3d".to_owned(),
            pot: 120,
            stacks: vec![300],
            ranges: ["random".to_owned(), "22+,A2s+:0.5".to_owned()],
            menus: vec!["flop turn river 1: 33% 75% allin; flop turn river 2+: allin".to_owned()],
            smallest_bet: 1,
            until: "0.5%".to_owned(),
            iterations: 1000,
            precision: Bits::Single,
            locks: Vec::new(),
        }
    }

    #[test]
    fn an_order_as_json_is_read_back_and_its_mistakes_are_named_by_place() {
        let text = serde_json::to_vec(&order()).expect("JSON");
        let read = Order::read(&text).expect("an order");
        assert_eq!(serde_json::to_vec(&read).expect("JSON"), text);
        type Change = fn(&mut Order);
        let changes: [(Change, &str); 7] = [
            (|order| order.board = "Ks8hXx".to_owned(), "/board"),
            (|order| order.stacks = vec![1, 2, 3], "/stacks"),
            (|order| order.ranges[1] = "KX".to_owned(), "/ranges/1"),
            (|order| order.menus = vec!["every 1: 50%".to_owned(), "no".to_owned()], "/menus/1"),
            (|order| order.until = "none".to_owned(), "/until"),
            (|order| order.iterations = 0, "/iterations"),
            (|order| order.pot = 121, ""),
        ];
        for (change, place) in changes {
            let mut order = order();
            change(&mut order);
            let refusal = order.spot(1 << 30).expect_err(place).json();
            assert!(refusal.contains(&format!("\"place\":\"{place}\"")), "{place}: {refusal}");
        }
        let unknown = Order::read(br#"{"bord": "Ks8h3d"}"#).expect_err("no such key").json();
        assert!(unknown.contains("bord"), "{unknown}");
    }

    #[test]
    fn what_is_said_to_save_most_does() {
        let spot = order().spot(1 << 40).expect("a spot");
        let now = spot.size().expect("a size");
        let estimate = spot.estimate(1e8).expect("an estimate");
        assert!(!estimate.savings.is_empty());
        for saving in &estimate.savings {
            let mut order = order();
            order.menus.clone_from(&saving.menus);
            let size = order.spot(1 << 40).expect("a spot").size().expect("a size");
            assert_eq!(size.bytes, saving.bytes, "{}", saving.without);
            assert!(size.bytes < now.bytes);
        }
        let shares: f64 = estimate.streets.iter().map(|street| street.share).sum();
        assert!((shares - 1.0).abs() < 1e-9);
    }
}
