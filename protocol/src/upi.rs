//! UPI, the text interface of the solver PioSOLVER: the engine's side as a machine over bytes.
//!
//! A client writes commands, one a line, and may write many without waiting; the engine answers
//! them in order. Empty lines and lines that begin with `#` are skipped. An answer is one or more
//! lines, or one that begins with `ERROR`; commands that ask for nothing are answered by their name
//! and `ok!`. Once the client has set an end string, a line with it ends every answer. What the
//! solver says of its own accord begins with `SOLVER:` and never stands within an answer.
//!
//! - [`CommandReader`]: the client's bytes in, [`Command`]s out.
//! - [`AnswerWriter`]: [`Reply`]s and [`Update`]s in, the engine's lines out.
//! - [`NodeId`]: a place in the tree. Bets are written as all chips that a player has put in since
//!   the start of the tree.
//!
//! Lists of 1,326 numbers have the hands in the order `2d2c 2h2c 2h2d 2s2c …`, which is that of
//! [`Combo::index`].
//!
//! Specification: the documents of versions 1.6 to 3.0 at piosolver.com, and what public clients
//! send and expect. Commands that those do not describe are unknown here, too.

use std::fmt::{self, Write};
use std::str::FromStr;

use cards::{Board, Card, Combo};
use game::Chips;
use game::escape::excerpt;

use crate::acpc::Lines;

/// Maximum length of a command with its line end, in bytes: the strategy of a node with a hundred
/// actions fits.
pub const MAX_COMMAND: usize = 1 << 22;

/// The three lines with which an engine begins.
pub fn greeting(program: &str, copyright: &str, owner: &str) -> String {
    format!("{program}\n{copyright}\nregistered to {owner}\n")
}

/// All hands in the order of every list of 1,326 numbers.
pub fn hand_order() -> String {
    Combo::all().map(|combo| combo.to_string()).collect::<Vec<_>>().join(" ")
}

/// A player: `OOP`, who acts first on every street, or `IP`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// Out of position.
    Oop,
    /// In position.
    Ip,
}

impl Position {
    /// 0 for the player who acts first, otherwise 1.
    pub fn index(self) -> usize {
        usize::from(self == Position::Ip)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Position::Oop { "OOP" } else { "IP" })
    }
}

/// A step from one node to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// `f`
    Fold,
    /// `c`: a check or a call.
    Call,
    /// `b100`: a bet or raise after which the player has put in this much since the start.
    Bet(Chips),
    /// `8h`: a card that is dealt.
    Card(Card),
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Fold => f.write_str("f"),
            Step::Call => f.write_str("c"),
            Step::Bet(chips) => write!(f, "b{chips}"),
            Step::Card(card) => write!(f, "{card}"),
        }
    }
}

/// A place in the tree: `r`, the root, or `r:0` and the steps from the first decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NodeId {
    /// `r`
    Root,
    /// `r:0:b100:c:8h`
    After(Vec<Step>),
}

impl NodeId {
    /// The node after one more step.
    #[must_use]
    pub fn then(&self, step: Option<Step>) -> NodeId {
        match self {
            NodeId::Root => NodeId::After(Vec::new()),
            NodeId::After(steps) => NodeId::After(steps.iter().copied().chain(step).collect()),
        }
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("r")?;
        if let NodeId::After(steps) = self {
            f.write_str(":0")?;
            steps.iter().try_for_each(|step| write!(f, ":{step}"))?;
        }
        Ok(())
    }
}

impl FromStr for NodeId {
    type Err = CommandError;

    fn from_str(text: &str) -> Result<NodeId, CommandError> {
        let wrong = || {
            CommandError(format!(
                "`{}` is not a node: write `r`, or `r:0` and then `f`, `c`, `b` with chips, and \
                 cards, as in r:0:b100:c:8h:c",
                excerpt(text)
            ))
        };
        let mut words = text.split(':');
        if words.next() != Some("r") {
            return Err(wrong());
        }
        match words.next() {
            None => return Ok(NodeId::Root),
            Some("0") => {}
            Some(_) => return Err(wrong()),
        }
        let step = |word: &str| match word {
            "f" => Some(Step::Fold),
            "c" => Some(Step::Call),
            word => match word.strip_prefix('b') {
                Some(chips) => digits(chips).map(Step::Bet),
                None => word.parse().ok().map(Step::Card),
            },
        };
        words.map(step).collect::<Option<_>>().map(NodeId::After).ok_or_else(wrong)
    }
}

/// When solving ends, besides the accuracy.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// Not before `stop`.
    None,
    /// After so many seconds.
    Seconds(f64),
    /// After so many iterations.
    Steps(u32),
}

/// How much of a tree a file is to hold or to give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// Without a word.
    #[default]
    Unsaid,
    /// `full`
    Full,
    /// `no_rivers`
    NoRivers,
    /// `no_turns`
    NoTurns,
    /// `fast`
    Fast,
    /// `auto`
    Auto,
}

impl Extent {
    const ALL: [(Extent, &'static str); 5] = [
        (Extent::Full, "full"),
        (Extent::NoRivers, "no_rivers"),
        (Extent::NoTurns, "no_turns"),
        (Extent::Fast, "fast"),
        (Extent::Auto, "auto"),
    ];
}

/// The measure of an accuracy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// `chips`
    Chips,
    /// `fraction`: of the pot at the start of the tree.
    Fraction,
}

/// A command of a client.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "each is named as it is written")]
pub enum Command {
    IsReady,
    Exit,
    Echo(Vec<String>),
    SetEndString(String),
    ResetEndString,
    ShowVersion,
    Bench,
    LoadScript(String),
    LoadScriptSilent(String),
    ShowHandOrder,
    ShowPreflopOrder,
    ShowNode(NodeId),
    ShowChildren(NodeId),
    ShowStrategy(NodeId),
    /// Without a node, the range that was set.
    ShowRange(Position, Option<NodeId>),
    CalcEv(Position, NodeId),
    CalcEqNode(Position, NodeId),
    CalcGlobalFreq(NodeId),
    CalcLineFreq(NodeId),
    CalcResults,
    ShowTreeInfo,
    ShowMetadata(String),
    ShowAllLines,
    ShowEffectiveStack,
    IsTreePresent,
    SetRange(Position, Vec<f64>),
    SetBoard(Board),
    SetEffStack(Chips),
    /// Chips of OOP, of IP, and from before the tree.
    SetPot([Chips; 3]),
    AddLine(Vec<Chips>),
    RemoveLine(Vec<Chips>),
    ClearLines,
    EstimateTree,
    BuildTree,
    FreeTree,
    LoadAllNodes,
    RebuildForgottenStreets,
    SetAccuracy(f64, Unit),
    SetThreads(u32),
    SetIsomorphism([bool; 2]),
    SetRecalcAccuracy(Vec<f64>),
    SetAlwaysRecalc(Vec<f64>),
    SetAlgorithm(String),
    SetInfoFreq(u32),
    Go(Limit),
    Stop,
    WaitForSolver,
    SolvePartial(NodeId),
    SolveAllSplits,
    LockNode(NodeId),
    UnlockNode(NodeId),
    /// For each hand whether it is locked.
    ComboLockNode(NodeId, Vec<bool>),
    /// For each child of the node the probabilities of all hands, one after another.
    SetStrategy(NodeId, Vec<f64>),
    /// Its arguments are not known.
    SetEqualStrats(Vec<String>),
    /// Its arguments are not known.
    SetMes(Vec<String>),
    /// Its arguments are not known.
    EliminatePath(Vec<String>),
    LoadTree(String, Extent),
    DumpTree(String, Extent),
}

/// The error of a line that is not a command: what it is, and what is expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CommandError(String);

/// The names of all commands, with an example of each.
const COMMANDS: [(&str, &str); 58] = [
    ("is_ready", "is_ready"),
    ("exit", "exit"),
    ("echo", "echo done"),
    ("set_end_string", "set_end_string END"),
    ("reset_end_string", "reset_end_string"),
    ("show_version", "show_version"),
    ("bench", "bench"),
    ("load_script", "load_script \"my script.txt\""),
    ("load_script_silent", "load_script_silent script.txt"),
    ("show_hand_order", "show_hand_order"),
    ("show_preflop_order", "show_preflop_order"),
    ("show_node", "show_node r:0"),
    ("show_children", "show_children r:0"),
    ("show_strategy", "show_strategy r:0"),
    ("show_range", "show_range OOP r:0"),
    ("calc_ev", "calc_ev OOP r:0"),
    ("calc_eq_node", "calc_eq_node OOP r:0"),
    ("calc_global_freq", "calc_global_freq r:0:c"),
    ("calc_line_freq", "calc_line_freq r:0:c"),
    ("calc_results", "calc_results"),
    ("show_tree_info", "show_tree_info"),
    ("show_metadata", "show_metadata tree.cfr"),
    ("show_all_lines", "show_all_lines"),
    ("show_effective_stack", "show_effective_stack"),
    ("is_tree_present", "is_tree_present"),
    ("set_range", "set_range OOP 1 0.5 0 …, 1326 numbers from 0 to 1"),
    ("set_board", "set_board QsJh2h"),
    ("set_eff_stack", "set_eff_stack 910"),
    ("set_pot", "set_pot 0 0 180"),
    ("add_line", "add_line 0 60 180 910"),
    ("remove_line", "remove_line 0 60 180 910"),
    ("clear_lines", "clear_lines"),
    ("estimate_tree", "estimate_tree"),
    ("build_tree", "build_tree"),
    ("free_tree", "free_tree"),
    ("load_all_nodes", "load_all_nodes"),
    ("rebuild_forgotten_streets", "rebuild_forgotten_streets"),
    ("set_accuracy", "set_accuracy 0.9 chips, or set_accuracy 0.005 fraction"),
    ("set_threads", "set_threads 4, or set_threads 0 for all processors"),
    ("set_isomorphism", "set_isomorphism 1 0"),
    ("set_recalc_accuracy", "set_recalc_accuracy 0.0025 0.001 0.0005"),
    ("set_always_recalc", "set_always_recalc 0 60000"),
    ("set_algorithm", "set_algorithm auto"),
    ("set_info_freq", "set_info_freq 10"),
    ("go", "go, go 30 seconds, or go 100 steps"),
    ("stop", "stop"),
    ("wait_for_solver", "wait_for_solver"),
    ("solve_partial", "solve_partial r:0:c:c:8h"),
    ("solve_all_splits", "solve_all_splits"),
    ("lock_node", "lock_node r:0"),
    ("unlock_node", "unlock_node r:0"),
    ("combo_lock_node", "combo_lock_node r:0 1 0 0 …, 1326 times 0 or 1"),
    ("set_strategy", "set_strategy r:0 0.25 1 …, 1326 numbers for each child"),
    ("set_equal_strats", "set_equal_strats"),
    ("set_mes", "set_mes"),
    ("eliminate_path", "eliminate_path"),
    ("load_tree", "load_tree \"my tree.cfr\""),
    ("dump_tree", "dump_tree \"my tree.cfr\""),
];

impl Command {
    /// Parses a line without its end.
    ///
    /// # Errors
    /// When it is not a command, or has other arguments than the command takes.
    pub fn parse(line: &str) -> Result<Command, CommandError> {
        let words = split(line)?;
        let Some((name, words)) = words.split_first() else {
            return Err(CommandError("there is no command on the line".to_owned()));
        };
        let Some((_, example)) = COMMANDS.iter().find(|(known, _)| known == name) else {
            let nearest = show::nearest::nearest(name, COMMANDS.iter().map(|(name, _)| *name));
            let nearest = nearest.map_or_else(String::new, |name| format!(" (like {name})"));
            return Err(CommandError(format!("there is no command `{}`{nearest}", excerpt(name))));
        };
        let command = Arguments { name, words, at: 0 }.command();
        command.map_err(|CommandError(reason)| {
            CommandError(format!("{name}: {reason}; write it as in `{example}`"))
        })
    }

    /// The name, with which it begins and is acknowledged.
    pub fn name(&self) -> &'static str {
        match self {
            Command::IsReady => "is_ready",
            Command::Exit => "exit",
            Command::Echo(_) => "echo",
            Command::SetEndString(_) => "set_end_string",
            Command::ResetEndString => "reset_end_string",
            Command::ShowVersion => "show_version",
            Command::Bench => "bench",
            Command::LoadScript(_) => "load_script",
            Command::LoadScriptSilent(_) => "load_script_silent",
            Command::ShowHandOrder => "show_hand_order",
            Command::ShowPreflopOrder => "show_preflop_order",
            Command::ShowNode(_) => "show_node",
            Command::ShowChildren(_) => "show_children",
            Command::ShowStrategy(_) => "show_strategy",
            Command::ShowRange(..) => "show_range",
            Command::CalcEv(..) => "calc_ev",
            Command::CalcEqNode(..) => "calc_eq_node",
            Command::CalcGlobalFreq(_) => "calc_global_freq",
            Command::CalcLineFreq(_) => "calc_line_freq",
            Command::CalcResults => "calc_results",
            Command::ShowTreeInfo => "show_tree_info",
            Command::ShowMetadata(_) => "show_metadata",
            Command::ShowAllLines => "show_all_lines",
            Command::ShowEffectiveStack => "show_effective_stack",
            Command::IsTreePresent => "is_tree_present",
            Command::SetRange(..) => "set_range",
            Command::SetBoard(_) => "set_board",
            Command::SetEffStack(_) => "set_eff_stack",
            Command::SetPot(_) => "set_pot",
            Command::AddLine(_) => "add_line",
            Command::RemoveLine(_) => "remove_line",
            Command::ClearLines => "clear_lines",
            Command::EstimateTree => "estimate_tree",
            Command::BuildTree => "build_tree",
            Command::FreeTree => "free_tree",
            Command::LoadAllNodes => "load_all_nodes",
            Command::RebuildForgottenStreets => "rebuild_forgotten_streets",
            Command::SetAccuracy(..) => "set_accuracy",
            Command::SetThreads(_) => "set_threads",
            Command::SetIsomorphism(_) => "set_isomorphism",
            Command::SetRecalcAccuracy(_) => "set_recalc_accuracy",
            Command::SetAlwaysRecalc(_) => "set_always_recalc",
            Command::SetAlgorithm(_) => "set_algorithm",
            Command::SetInfoFreq(_) => "set_info_freq",
            Command::Go(_) => "go",
            Command::Stop => "stop",
            Command::WaitForSolver => "wait_for_solver",
            Command::SolvePartial(_) => "solve_partial",
            Command::SolveAllSplits => "solve_all_splits",
            Command::LockNode(_) => "lock_node",
            Command::UnlockNode(_) => "unlock_node",
            Command::ComboLockNode(..) => "combo_lock_node",
            Command::SetStrategy(..) => "set_strategy",
            Command::SetEqualStrats(_) => "set_equal_strats",
            Command::SetMes(_) => "set_mes",
            Command::EliminatePath(_) => "eliminate_path",
            Command::LoadTree(..) => "load_tree",
            Command::DumpTree(..) => "dump_tree",
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Command::SetEndString(word)
            | Command::SetAlgorithm(word)
            | Command::LoadScript(word)
            | Command::LoadScriptSilent(word)
            | Command::ShowMetadata(word) => words(f, std::slice::from_ref(word)),
            Command::ShowNode(node)
            | Command::ShowChildren(node)
            | Command::ShowStrategy(node)
            | Command::CalcGlobalFreq(node)
            | Command::CalcLineFreq(node)
            | Command::SolvePartial(node)
            | Command::LockNode(node)
            | Command::UnlockNode(node) => write!(f, " {node}"),
            Command::ShowRange(position, None) => write!(f, " {position}"),
            Command::ShowRange(position, Some(node))
            | Command::CalcEv(position, node)
            | Command::CalcEqNode(position, node) => write!(f, " {position} {node}"),
            Command::SetRange(position, weights) => {
                write!(f, " {position}")?;
                each(f, weights)
            }
            Command::SetBoard(board) => write!(f, " {board}"),
            Command::SetEffStack(chips) => write!(f, " {chips}"),
            Command::SetPot(chips) => each(f, chips),
            Command::AddLine(line) | Command::RemoveLine(line) => each(f, line),
            Command::SetAccuracy(accuracy, Unit::Chips) => write!(f, " {accuracy} chips"),
            Command::SetAccuracy(accuracy, Unit::Fraction) => write!(f, " {accuracy} fraction"),
            Command::SetThreads(number) | Command::SetInfoFreq(number) => write!(f, " {number}"),
            Command::SetIsomorphism(merged) => each(f, &merged.map(u8::from)),
            Command::SetRecalcAccuracy(numbers) | Command::SetAlwaysRecalc(numbers) => {
                each(f, numbers)
            }
            Command::Go(Limit::Seconds(seconds)) => write!(f, " {seconds} seconds"),
            Command::Go(Limit::Steps(steps)) => write!(f, " {steps} steps"),
            Command::ComboLockNode(node, held) => {
                write!(f, " {node}")?;
                held.iter().try_for_each(|&held| write!(f, " {}", u8::from(held)))
            }
            Command::SetStrategy(node, strategy) => {
                write!(f, " {node}")?;
                each(f, strategy)
            }
            Command::Echo(given)
            | Command::SetEqualStrats(given)
            | Command::SetMes(given)
            | Command::EliminatePath(given) => words(f, given),
            Command::LoadTree(path, extent) | Command::DumpTree(path, extent) => {
                words(f, std::slice::from_ref(path))?;
                let word = Extent::ALL.iter().find(|(known, _)| known == extent);
                word.map_or(Ok(()), |(_, word)| write!(f, " {word}"))
            }
            _ => Ok(()),
        }
    }
}

/// Writes each of these after a blank.
fn each(f: &mut fmt::Formatter<'_>, all: &[impl fmt::Display]) -> fmt::Result {
    all.iter().try_for_each(|one| write!(f, " {one}"))
}

/// Writes words after blanks, in quotation marks where they hold blanks.
fn words(f: &mut fmt::Formatter<'_>, all: &[String]) -> fmt::Result {
    all.iter().try_for_each(|word| {
        let plain = !word.is_empty() && !word.contains(char::is_whitespace);
        if plain { write!(f, " {word}") } else { write!(f, " \"{word}\"") }
    })
}

/// The words of a line: what stands between blanks, or between quotation marks.
fn split(line: &str) -> Result<Vec<String>, CommandError> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or_else(|| {
                CommandError(format!("`{}` has no second quotation mark", excerpt(rest)))
            })?,
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    Ok(words)
}

/// What stands before the point, if nothing but zeros stand behind it.
fn before_point(word: &str) -> &str {
    match word.split_once('.') {
        Some((whole, zeros)) if zeros.bytes().all(|digit| digit == b'0') => whole,
        _ => word,
    }
}

fn is_whole(word: &str) -> bool {
    let whole = before_point(word);
    !whole.is_empty() && whole.bytes().all(|digit| digit.is_ascii_digit())
}

/// Chips or a count: digits, with nothing but zeros behind a point.
fn digits(word: &str) -> Option<u32> {
    is_whole(word).then(|| before_point(word).parse().ok())?
}

/// The arguments of a command, read one after another.
struct Arguments<'a> {
    name: &'a str,
    words: &'a [String],
    at: usize,
}

impl<'a> Arguments<'a> {
    fn command(mut self) -> Result<Command, CommandError> {
        let command = self.read()?;
        match self.words.get(self.at) {
            None => Ok(command),
            Some(word) => Err(CommandError(format!("`{}` is too much", excerpt(word)))),
        }
    }

    fn read(&mut self) -> Result<Command, CommandError> {
        Ok(match self.name {
            "is_ready" => Command::IsReady,
            "exit" => Command::Exit,
            "echo" => Command::Echo(self.rest().to_vec()),
            "set_end_string" => Command::SetEndString(self.word()?.to_owned()),
            "reset_end_string" => Command::ResetEndString,
            "show_version" => Command::ShowVersion,
            "bench" => Command::Bench,
            "load_script" => Command::LoadScript(self.word()?.to_owned()),
            "load_script_silent" => Command::LoadScriptSilent(self.word()?.to_owned()),
            "show_hand_order" => Command::ShowHandOrder,
            "show_preflop_order" => Command::ShowPreflopOrder,
            "show_node" => Command::ShowNode(self.node()?),
            "show_children" => Command::ShowChildren(self.node()?),
            "show_strategy" => Command::ShowStrategy(self.node()?),
            "show_range" => {
                let position = self.position()?;
                let node = if self.at < self.words.len() { Some(self.node()?) } else { None };
                Command::ShowRange(position, node)
            }
            "calc_ev" => Command::CalcEv(self.position()?, self.node()?),
            "calc_eq_node" => Command::CalcEqNode(self.position()?, self.node()?),
            "calc_global_freq" => Command::CalcGlobalFreq(self.node()?),
            "calc_line_freq" => Command::CalcLineFreq(self.node()?),
            "calc_results" => Command::CalcResults,
            "show_tree_info" => Command::ShowTreeInfo,
            "show_metadata" => Command::ShowMetadata(self.word()?.to_owned()),
            "show_all_lines" => Command::ShowAllLines,
            "show_effective_stack" => Command::ShowEffectiveStack,
            "is_tree_present" => Command::IsTreePresent,
            "set_range" => {
                let (position, weights) = (self.position()?, self.probabilities()?);
                if weights.len() != Combo::COUNT {
                    let count = weights.len();
                    return Err(CommandError(format!("these are {count} numbers, not 1326")));
                }
                Command::SetRange(position, weights)
            }
            "set_board" => {
                let text = format!("{}{}", self.word()?, self.rest().concat());
                let board = text.parse();
                Command::SetBoard(board.map_err(|error| CommandError(format!("{error}")))?)
            }
            "set_eff_stack" => Command::SetEffStack(self.chips()?),
            "set_pot" => Command::SetPot([self.chips()?, self.chips()?, self.chips()?]),
            "add_line" => Command::AddLine(self.line()?),
            "remove_line" => Command::RemoveLine(self.line()?),
            "clear_lines" => Command::ClearLines,
            "estimate_tree" => Command::EstimateTree,
            "build_tree" => Command::BuildTree,
            "free_tree" => Command::FreeTree,
            "load_all_nodes" => Command::LoadAllNodes,
            "rebuild_forgotten_streets" => Command::RebuildForgottenStreets,
            "set_accuracy" => {
                let accuracy = self.number()?;
                Command::SetAccuracy(
                    accuracy,
                    self.one_of(&[("chips", Unit::Chips), ("fraction", Unit::Fraction)])?
                        .unwrap_or(Unit::Chips),
                )
            }
            "set_threads" => Command::SetThreads(self.count()?),
            "set_isomorphism" => Command::SetIsomorphism([self.flag()?, self.flag()?]),
            "set_recalc_accuracy" => Command::SetRecalcAccuracy(self.numbers()?),
            "set_always_recalc" => Command::SetAlwaysRecalc(self.numbers()?),
            "set_algorithm" => Command::SetAlgorithm(self.word()?.to_owned()),
            "set_info_freq" => Command::SetInfoFreq(self.count()?),
            "go" => Command::Go(self.limit()?),
            "stop" => Command::Stop,
            "wait_for_solver" => Command::WaitForSolver,
            "solve_partial" => Command::SolvePartial(self.node()?),
            "solve_all_splits" => Command::SolveAllSplits,
            "lock_node" => Command::LockNode(self.node()?),
            "unlock_node" => Command::UnlockNode(self.node()?),
            "combo_lock_node" => {
                let node = self.node()?;
                let mut held = Vec::new();
                while self.at < self.words.len() {
                    held.push(self.flag()?);
                }
                if held.len() != Combo::COUNT {
                    let count = held.len();
                    return Err(CommandError(format!("these are {count} flags, not 1326")));
                }
                Command::ComboLockNode(node, held)
            }
            "set_strategy" => {
                let (node, numbers) = (self.node()?, self.probabilities()?);
                if numbers.is_empty() || !numbers.len().is_multiple_of(Combo::COUNT) {
                    let count = numbers.len();
                    return Err(CommandError(format!(
                        "these are {count} numbers, not 1326 for each child"
                    )));
                }
                Command::SetStrategy(node, numbers)
            }
            "set_equal_strats" => Command::SetEqualStrats(self.rest().to_vec()),
            "set_mes" => Command::SetMes(self.rest().to_vec()),
            "eliminate_path" => Command::EliminatePath(self.rest().to_vec()),
            "load_tree" => Command::LoadTree(
                self.word()?.to_owned(),
                self.extent(&[Extent::Full, Extent::Fast, Extent::Auto])?,
            ),
            "dump_tree" => Command::DumpTree(
                self.word()?.to_owned(),
                self.extent(&[Extent::Full, Extent::NoRivers, Extent::NoTurns])?,
            ),
            name => return Err(CommandError(format!("there is no command `{}`", excerpt(name)))),
        })
    }

    fn word(&mut self) -> Result<&'a str, CommandError> {
        let word = self.words.get(self.at);
        self.at += 1;
        word.map(String::as_str).ok_or_else(|| CommandError("an argument is missing".to_owned()))
    }

    fn rest(&mut self) -> &'a [String] {
        let rest = self.words.get(self.at..).unwrap_or_default();
        self.at = self.words.len();
        rest
    }

    fn position(&mut self) -> Result<Position, CommandError> {
        match self.word()? {
            "OOP" => Ok(Position::Oop),
            "IP" => Ok(Position::Ip),
            word => Err(CommandError(format!("`{}` is neither OOP nor IP", excerpt(word)))),
        }
    }

    fn node(&mut self) -> Result<NodeId, CommandError> {
        self.word()?.parse()
    }

    fn chips(&mut self) -> Result<Chips, CommandError> {
        let word = self.word()?;
        digits(word).ok_or_else(|| {
            let shown = excerpt(word);
            CommandError(if is_whole(word) {
                format!("{shown} chips are too many: divide all amounts")
            } else {
                format!(
                    "`{shown}` is not a whole number of chips: only whole amounts are solved \
                     here, so multiply all of them"
                )
            })
        })
    }

    fn line(&mut self) -> Result<Vec<Chips>, CommandError> {
        let mut line = vec![self.chips()?];
        while self.at < self.words.len() {
            line.push(self.chips()?);
        }
        Ok(line)
    }

    fn count(&mut self) -> Result<u32, CommandError> {
        let word = self.word()?;
        digits(word).ok_or_else(|| {
            CommandError(format!("`{}` is not a whole number up to {}", excerpt(word), u32::MAX))
        })
    }

    fn number(&mut self) -> Result<f64, CommandError> {
        let word = self.word()?;
        let number = word.parse().ok().filter(|&number: &f64| number.is_finite() && number >= 0.0);
        let number = number.map(f64::abs);
        number.ok_or_else(|| CommandError(format!("`{}` is not a number from 0", excerpt(word))))
    }

    fn numbers(&mut self) -> Result<Vec<f64>, CommandError> {
        let mut numbers = Vec::with_capacity(self.words.len() - self.at.min(self.words.len()));
        while self.at < self.words.len() {
            numbers.push(self.number()?);
        }
        Ok(numbers)
    }

    fn probabilities(&mut self) -> Result<Vec<f64>, CommandError> {
        let numbers = self.numbers()?;
        match numbers.iter().find(|&&number| number > 1.0) {
            Some(number) => Err(CommandError(format!("{number} is more than 1"))),
            None => Ok(numbers),
        }
    }

    fn flag(&mut self) -> Result<bool, CommandError> {
        match self.word()? {
            "0" | "false" => Ok(false),
            "1" | "true" => Ok(true),
            word => Err(CommandError(format!("`{}` is neither 0 nor 1", excerpt(word)))),
        }
    }

    /// One of these words, if there is another one.
    fn one_of<T: Copy>(&mut self, known: &[(&str, T)]) -> Result<Option<T>, CommandError> {
        if self.at >= self.words.len() {
            return Ok(None);
        }
        let word = self.word()?;
        let found = known.iter().find(|(known, _)| *known == word);
        found.map(|&(_, found)| Some(found)).ok_or_else(|| {
            let known = known.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
            CommandError(format!("`{}` is none of {known}", excerpt(word)))
        })
    }

    fn extent(&mut self, here: &[Extent]) -> Result<Extent, CommandError> {
        let known = Extent::ALL.iter().filter(|(extent, _)| here.contains(extent));
        let known: Vec<(&str, Extent)> = known.map(|&(extent, word)| (word, extent)).collect();
        Ok(self.one_of(&known)?.unwrap_or_default())
    }

    fn limit(&mut self) -> Result<Limit, CommandError> {
        if self.at >= self.words.len() {
            return Ok(Limit::None);
        }
        let word = self.words.get(self.at).map_or("", String::as_str);
        let number = self.number()?;
        match self.one_of(&[("seconds", true), ("steps", false)])? {
            Some(true) => Ok(Limit::Seconds(number)),
            Some(false) | None => {
                let whole = number.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&number);
                // Exact: a whole number in the range of the type.
                whole.then_some(Limit::Steps(number as u32)).ok_or_else(|| {
                    let word = excerpt(word);
                    CommandError(format!("`{word}` is not a whole number from 1 to {}", u32::MAX))
                })
            }
        }
    }
}

/// The client's bytes in, commands out.
#[derive(Debug)]
pub struct CommandReader {
    lines: Lines,
    /// Whether the rest of a line that is too long is being skipped.
    skips: bool,
}

impl Default for CommandReader {
    fn default() -> CommandReader {
        CommandReader { lines: Lines::new(MAX_COMMAND), skips: false }
    }
}

impl CommandReader {
    /// Feeds bytes received from the client.
    pub fn receive(&mut self, bytes: &[u8]) {
        self.lines.push(bytes);
    }

    /// Marks the end of the client's stream: what is left of it is a line.
    pub fn end(&mut self) {
        self.lines.end();
    }

    /// Whether the end of the stream was marked.
    pub fn has_ended(&self) -> bool {
        self.lines.has_ended()
    }

    /// The next command, or why a line is none; `None` until more bytes come.
    pub fn poll(&mut self) -> Option<Result<Command, CommandError>> {
        while let Some(line) = self.lines.next_line() {
            let ends = line.last() == Some(&b'\n');
            let begins = !self.skips;
            self.skips = !ends && line.len() == MAX_COMMAND;
            if !begins {
                self.skips = !ends;
                continue;
            }
            if self.skips {
                return Some(Err(CommandError(format!(
                    "a line of more than {MAX_COMMAND} bytes is not a command: write less on a line"
                ))));
            }
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            return Some(match str::from_utf8(line) {
                Ok(line) => Command::parse(line),
                Err(_) => Err(CommandError(format!(
                    "`{}` is not text in UTF-8",
                    game::escape::excerpt_of(line, 80)
                ))),
            });
        }
        None
    }
}

/// What happens at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named as it is written")]
pub enum NodeKind {
    Root,
    OopDecision,
    IpDecision,
    /// A card is dealt.
    Split,
    /// The hand is over, or nobody can bet any more.
    End,
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NodeKind::Root => "ROOT",
            NodeKind::OopDecision => "OOP_DEC",
            NodeKind::IpDecision => "IP_DEC",
            NodeKind::Split => "SPLIT_NODE",
            NodeKind::End => "END_NODE",
        })
    }
}

/// A node as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its place.
    pub id: NodeId,
    /// What happens there.
    pub kind: NodeKind,
    /// The cards on the table.
    pub board: Board,
    /// Chips that OOP and IP have put in, and those from before the tree.
    pub pot: [Chips; 3],
    /// The number of children.
    pub children: usize,
    /// Its flags.
    pub flags: Vec<&'static str>,
}

impl fmt::Display for Node {
    /// Six lines, each with its end.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let board: Vec<String> = self.board.iter().map(ToString::to_string).collect();
        let [oop, ip, start] = self.pot;
        writeln!(f, "{}\n{}\n{}", self.id, self.kind, board.join(" "))?;
        writeln!(f, "{oop} {ip} {start}\n{} children", self.children)?;
        f.write_str("flags:")?;
        self.flags.iter().try_for_each(|flag| write!(f, " {flag}"))?;
        f.write_str("\n")
    }
}

/// What both players win in chips of the pot, and how far that is from an equilibrium.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Results {
    /// Seconds of solving.
    pub seconds: f64,
    /// What OOP and IP get.
    pub values: [f64; 2],
    /// What they get with a best response: the *maximally exploitative strategy*.
    pub best: [f64; 2],
    /// What a player gains by a best response, as the mean of both.
    pub exploitable: f64,
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([oop, ip], [best_oop, best_ip]) = (self.values, self.best);
        writeln!(f, "running time: {:.3}\nEV OOP: {oop:.3}\nEV IP: {ip:.3}", self.seconds)?;
        writeln!(f, "OOP's MES: {best_oop:.3}\nIP's MES: {best_ip:.3}")?;
        writeln!(f, "Exploitable for: {:.3}", self.exploitable)
    }
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// It is done, and there is nothing to tell.
    Done,
    /// Lines of text.
    Lines(Vec<String>),
    /// A node.
    Node(Node),
    /// Nodes, each with its number.
    Children(Vec<Node>),
    /// Lines of numbers.
    Rows(Vec<Vec<f64>>),
    /// The results of the whole tree.
    Results(Results),
    /// Keys and values that describe a tree.
    Info(Vec<(&'static str, String)>),
}

/// What a solver tells without being asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Update {
    /// Solving has begun.
    Started,
    /// It goes on.
    Running(Results),
    /// It has ended, for this reason.
    Stopped(&'static str),
}

/// Answers and updates in, the engine's lines out.
#[derive(Debug, Default)]
pub struct AnswerWriter {
    end: Option<String>,
}

impl AnswerWriter {
    /// The answer to a command, or the error that it has met.
    pub fn answer(&mut self, command: &Command, reply: &Result<Reply, String>) -> String {
        let mut text = String::new();
        match reply {
            Ok(reply) => {
                self.obey(command);
                write(command, reply, &mut text);
            }
            Err(error) => return self.refuse(error),
        }
        self.finish(text)
    }

    /// What a command changes in the answers that follow.
    pub fn obey(&mut self, command: &Command) {
        match command {
            Command::SetEndString(end) => self.end = Some(end.clone()),
            Command::ResetEndString => self.end = None,
            _ => {}
        }
    }

    /// The answer to a line that is not a command or cannot be done.
    pub fn refuse(&self, error: &impl fmt::Display) -> String {
        let words = error.to_string();
        let words: Vec<&str> = words.split_whitespace().collect();
        self.finish(format!("ERROR: {}\n", words.join(" ")))
    }

    fn finish(&self, mut text: String) -> String {
        if let Some(end) = &self.end {
            text += end;
            text.push('\n');
        }
        text
    }

    /// The lines of an update. Information on the way ends with the end string, or with `END`.
    pub fn update(&self, update: &Update) -> String {
        match update {
            Update::Started => "SOLVER: started\n".to_owned(),
            Update::Running(results) => {
                format!("SOLVER:\n{results}{}\n", self.end.as_deref().unwrap_or("END"))
            }
            Update::Stopped(reason) => format!("SOLVER: stopped ({reason})\n"),
        }
    }
}

/// Appends the lines of a reply.
fn write(command: &Command, reply: &Reply, text: &mut String) {
    match reply {
        Reply::Done => push(text, format_args!("{} ok!\n", command.name())),
        Reply::Lines(lines) => lines.iter().for_each(|line| push(text, format_args!("{line}\n"))),
        Reply::Node(node) => push(text, format_args!("{node}")),
        Reply::Children(children) => {
            for (number, child) in children.iter().enumerate() {
                let blank = if number == 0 { "" } else { "\n" };
                push(text, format_args!("{blank}child {number}:\n{child}"));
            }
        }
        Reply::Rows(rows) => {
            for row in rows {
                let numbers: Vec<String> = row.iter().map(|&number| plain(number)).collect();
                push(text, format_args!("{}\n", numbers.join(" ")));
            }
        }
        Reply::Results(results) => push(text, format_args!("{results}")),
        Reply::Info(entries) => {
            for (key, value) in entries {
                push(text, format_args!("#{key}#{value}\n"));
            }
            // The maker's example client shows it after a file's lines.
            if matches!(command, Command::ShowMetadata(_)) {
                push(text, format_args!("{} ok!\n", command.name()));
            }
        }
    }
}

fn push(text: &mut String, more: fmt::Arguments<'_>) {
    text.write_fmt(more).expect("writing to a string cannot fail");
}

/// A number with up to nine digits, as short as it can be: `0`, `0.45`, `171.224976`, `inf`, `nan`.
pub fn plain(number: f64) -> String {
    if !number.is_finite() {
        let word = if number.is_nan() { "nan" } else { "inf" };
        return if number < 0.0 { format!("-{word}") } else { word.to_owned() };
    }
    let scientific = format!("{number:e}");
    let exponent = scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok());
    let decimals = (8 - exponent.unwrap_or(0_i32)).clamp(0, 20);
    let text = format!("{number:.*}", usize::try_from(decimals).unwrap_or(0));
    let text = match text.split_once('.') {
        Some(_) => text.trim_end_matches('0').trim_end_matches('.'),
        None => &text,
    };
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}
