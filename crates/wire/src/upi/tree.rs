//! A tree of UPI: what commands set for the next one, and one that is built and solved, with
//! its nodes, and as a file.
//!
//! Amounts of the protocol are all chips that a player has put in since the start of the tree. In
//! the solver each player has put in half of the pot before; where the pot is odd, its chips are
//! halves.
//!
//! A file is a [container](runs::container): the commands that build the tree, with their number of
//! bytes before (8), and a snapshot of the solver, itself a container.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use abstraction::betting::BettingTree;
use cards::{Board, Card, CardSet, Combo, Range};
use game::{Action, Chips, PublicState, Turn};
use protocol::upi::{Command, CommandReader, Node, NodeId, NodeKind, Position, Results, Step};
use runs::container::{ContainerError, Kind, Reader, Writer};
use show::number::whole;
use solvers::subgame::{Evaluation, OffTree, Options, Solver, Spot, Subgame, start};
use solvers::{Player, Variant};

/// Maximum number of amounts of a line.
const LONGEST_LINE: usize = 200;

/// Maximum number of bytes of a file's commands.
const LONGEST_SCRIPT: u64 = 1 << 30;

const KIND: Kind = Kind { name: "UPI tree", magic: b"cardroom upi tree\n", version: 1 };

/// The number of bytes of a container's checksum.
const SUM: u64 = 32;

/// Lines of betting, by their amounts.
#[derive(Debug, Clone, Default)]
struct Branch {
    next: BTreeMap<Chips, Branch>,
}

impl Branch {
    fn add(&mut self, line: &[Chips]) {
        line.iter().fold(self, |branch, &amount| branch.next.entry(amount).or_default());
    }

    /// Removes everything that begins with a line; false if nothing does.
    fn remove(&mut self, line: &[Chips]) -> bool {
        let Some((last, before)) = line.split_last() else { return false };
        let parent = before.iter().try_fold(self, |branch, amount| branch.next.get_mut(amount));
        parent.is_some_and(|parent| parent.next.remove(last).is_some())
    }

    /// Visits every line that is no beginning of another.
    fn visit(&self, line: &mut Vec<Chips>, each: &mut dyn FnMut(&[Chips])) {
        if self.next.is_empty() && !line.is_empty() {
            each(line);
        }
        for (&amount, branch) in &self.next {
            line.push(amount);
            branch.visit(line, each);
            line.pop();
        }
    }
}

/// What is set for the next tree.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    board: Option<Board>,
    pot: Option<[Chips; 3]>,
    stack: Option<Chips>,
    ranges: [Range; 2],
    lines: Branch,
    /// Whether suits that are equivalent are solved once.
    merged: bool,
    variant: Variant,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            board: None,
            pot: None,
            stack: None,
            ranges: [Range::empty(), Range::empty()],
            lines: Branch::default(),
            merged: true,
            variant: Variant::SUBGAMES,
        }
    }
}

impl Setup {
    /// Takes a command that sets something; `None` if it is another one.
    pub(super) fn set(&mut self, command: &Command) -> Option<Result<(), String>> {
        Some(match command {
            // What is refused is not set.
            Command::SetBoard(board) => check_board(board).map(|()| self.board = Some(*board)),
            &Command::SetPot(pot) => check_pot(pot).map(|_| self.pot = Some(pot)),
            &Command::SetEffStack(0) => Err("the stack is 0: nobody could bet".to_owned()),
            &Command::SetEffStack(stack) => {
                self.stack = Some(stack);
                Ok(())
            }
            Command::SetRange(position, weights) => {
                let range = &mut self.ranges[position.index()];
                let mut set = Combo::all().zip(weights).map(|(combo, &weight)| {
                    range.set(combo, weight).map_err(|error| error.to_string())
                });
                set.try_for_each(|set| set)
            }
            Command::AddLine(line) if line.len() > LONGEST_LINE => {
                Err(format!("a line has at most {LONGEST_LINE} amounts here"))
            }
            Command::AddLine(line) => {
                self.lines.add(line);
                Ok(())
            }
            Command::RemoveLine(line) => {
                let removed = self.lines.remove(line);
                removed.then_some(()).ok_or_else(|| format!("there is no line {}", joined(line)))
            }
            Command::ClearLines => {
                self.lines = Branch::default();
                Ok(())
            }
            &Command::SetIsomorphism([flops, turns]) => {
                self.merged = flops || turns;
                Ok(())
            }
            Command::SetAlgorithm(name) if name == "auto" => {
                self.variant = Variant::SUBGAMES;
                Ok(())
            }
            Command::SetAlgorithm(name) => match name.parse() {
                Ok(variant) => {
                    self.variant = variant;
                    Ok(())
                }
                Err(error) => Err(format!("{error}; `auto` is the usual one")),
            },
            _ => return None,
        })
    }

    pub(super) fn range(&self, position: Position) -> &Range {
        &self.ranges[position.index()]
    }

    pub(super) fn stack(&self) -> Result<Chips, String> {
        self.stack.ok_or_else(|| "no stack is set: use set_eff_stack".to_owned())
    }

    /// The commands that set the same.
    fn script(&self) -> Vec<Command> {
        let mut script = vec![
            Command::SetIsomorphism([self.merged; 2]),
            Command::SetAlgorithm(self.variant.to_string()),
        ];
        script.extend(self.board.map(Command::SetBoard));
        script.extend(self.pot.map(Command::SetPot));
        script.extend(self.stack.map(Command::SetEffStack));
        for position in [Position::Oop, Position::Ip] {
            let weights = self.range(position).weights().to_vec();
            script.push(Command::SetRange(position, weights));
        }
        self.lines.visit(&mut Vec::new(), &mut |line| script.push(Command::AddLine(line.to_vec())));
        script
    }

    /// The description of a tree, as keys and values.
    pub(super) fn info(&self) -> Vec<(&'static str, String)> {
        let board = self.board.map(|board| {
            let cards: Vec<String> = board.iter().map(ToString::to_string).collect();
            cards.join(" ")
        });
        let [first, second] = &self.ranges;
        let entries = [
            ("Type", Some("NoLimit".to_owned())),
            ("Range0", Some(first.to_string())),
            ("Range1", Some(second.to_string())),
            ("Board", board),
            ("Pot", self.pot.map(|[.., start]| start.to_string())),
            ("EffectiveStacks", self.stack.map(|stack| stack.to_string())),
        ];
        entries.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }

    /// The state at the start of the tree, and how many of the solver's chips one chip is.
    fn root(&self) -> Result<(PublicState, Chips), String> {
        let board = self.board.ok_or("no board is set: use set_board")?;
        let pot = self.pot.ok_or("no pot is set: use set_pot")?;
        let stack = self.stack()?;
        let pot = check_pot(pot)?;
        let scale = if pot.is_multiple_of(2) { 1 } else { 2 };
        let too_much = || "the pot or the stack is too large: use larger units".to_owned();
        let times = |chips: Chips| chips.checked_mul(scale).ok_or_else(too_much);
        check_board(&board)?;
        let stacks = [times(stack)?; 2];
        let root = start(&board, times(pot)?, stacks, 1).map_err(|error| error.to_string())?;
        Ok((root, scale))
    }

    /// The subgame, its betting and its scale.
    fn subgame(&self) -> Result<(Subgame, BettingTree<()>, Chips), String> {
        let (root, scale) = self.root()?;
        if self.lines.next.is_empty() {
            return Err("there are no lines of betting: use add_line".to_owned());
        }
        let offers = Offers { lines: &self.lines, root: &root, scale };
        offers.check(root.clone(), &self.lines, 0, &mut Vec::new())?;
        let offered = |state: &PublicState| offers.at_state(state);
        let text = |error: &dyn ToString| error.to_string();
        let ranges = self.ranges.each_ref();
        let subgame = Subgame::with_symmetries(&root, ranges, &offered, self.merged);
        let subgame = subgame.map_err(|error| text(&error))?;
        let betting = BettingTree::from_state(&root, &offered, Subgame::NODES as u64);
        Ok((subgame, betting.map_err(|error| text(&error))?, scale))
    }

    fn options(&self, memory: u64) -> Options {
        Options { variant: self.variant, memory, ..Options::default() }
    }

    /// The size of the tree, in words.
    pub(super) fn estimate(&self, memory: u64) -> Result<String, String> {
        let (subgame, ..) = self.subgame()?;
        let size = subgame.size(&self.options(memory));
        Ok(format!(
            "{} nodes of betting, {} x {} hands, {} pairs of hand and action over all boards, {} \
             bytes",
            whole(size.nodes as u64),
            size.hands[0],
            size.hands[1],
            whole(size.cells),
            whole(size.bytes)
        ))
    }

    /// Builds the tree.
    pub(super) fn build(&self, memory: u64) -> Result<Tree, String> {
        let (subgame, betting, scale) = self.subgame()?;
        let solver = Solver::new(subgame, self.options(memory));
        let solver = solver.map_err(|error| error.to_string())?;
        Ok(Tree {
            setup: self.clone(),
            half: f64::from(solver.subgame().root().committed().as_slice()[0]),
            scale,
            betting,
            solver,
            locks: BTreeMap::new(),
            edited: false,
            seconds: 0.0,
        })
    }
}

/// The chips at the beginning of a tree with this pot.
fn check_pot(pot: [Chips; 3]) -> Result<Chips, String> {
    match pot {
        [0, 0, 0] => Err("the pot is 0: set_pot needs chips to play for".to_owned()),
        [0, 0, chips] => Ok(chips),
        pot => Err(format!(
            "set_pot {}: trees begin where nobody has put in more than the other: set both first \
             numbers to 0, and put all chips into the third",
            joined(&pot)
        )),
    }
}

fn check_board(board: &Board) -> Result<(), String> {
    if (3..=5).contains(&board.len()) {
        return Ok(());
    }
    Err(format!(
        "the board has {} cards: trees begin on a flop, a turn or a river here, with 3, 4 or 5",
        board.len()
    ))
}

/// Numbers with blanks between.
fn joined(numbers: &[Chips]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// The actions that lines offer.
struct Offers<'a> {
    lines: &'a Branch,
    root: &'a PublicState,
    scale: Chips,
}

impl Offers<'_> {
    /// What each player has put in before the tree.
    fn half(&self) -> Chips {
        self.root.highest()
    }

    /// The bet or raise to an amount of the protocol.
    fn raise(&self, amount: Chips) -> Action {
        let total = amount.saturating_mul(self.scale).saturating_add(self.half());
        Action::RaiseTo(total)
    }

    /// The actions at a state: those by which lines go on; where a bet is faced always a fold and a
    /// call, and where no line goes on a check.
    fn at_state(&self, state: &PublicState) -> Vec<Action> {
        let (mut branch, mut highest) = (Some(self.lines), 0);
        for played in &state.history()[self.root.history().len()..] {
            if let Action::RaiseTo(total) = played.action {
                highest = (total - self.half()) / self.scale;
            }
            branch = branch.and_then(|branch| branch.next.get(&highest));
        }
        let amounts = || branch.into_iter().flat_map(|branch| branch.next.keys().copied());
        let mut actions = Vec::new();
        if state.legal().to_call > 0 {
            actions.extend([Action::Fold, Action::Call]);
        } else if amounts().next().is_none() || amounts().any(|amount| amount == highest) {
            actions.push(Action::Call);
        }
        actions.extend(amounts().filter(|&amount| amount > highest).map(|a| self.raise(a)));
        actions
    }

    /// Checks that the lines of a branch, which begins at a state, can be played.
    fn check(
        &self,
        mut state: PublicState,
        branch: &Branch,
        highest: Chips,
        line: &mut Vec<Chips>,
    ) -> Result<(), String> {
        // The betting does not depend on the cards.
        let dealt: CardSet = state.board().set();
        let others = Card::all().filter(|&card| !dealt.contains(card));
        let board: Vec<Card> = state.board().iter().copied().chain(others).take(5).collect();
        let _ = state.deal_from(&board);
        for (&amount, below) in &branch.next {
            line.push(amount);
            let wrong = |reason: String| Err(format!("line {}: {reason}", joined(line)));
            let Turn::Act(_) = state.turn() else {
                return wrong(format!("the betting is over before {amount}"));
            };
            let action = match amount {
                _ if amount < highest => {
                    return wrong(format!("{amount} is less than {highest}, which was put in"));
                }
                _ if amount == highest => Action::Call,
                _ => self.raise(amount),
            };
            let legal = state.legal();
            if !legal.allows(action) {
                let of = |total: Chips| f64::from(total - self.half()) / f64::from(self.scale);
                return wrong(match legal.raise {
                    Some(raise) => {
                        let (least, most) = (of(raise.min), of(raise.max));
                        format!("a bet or raise there is to {least} to {most}")
                    }
                    None => "no raise is possible there".to_owned(),
                });
            }
            let mut next = state.clone();
            next.apply_unchecked(action);
            self.check(next, below, amount, line)?;
            line.pop();
        }
        Ok(())
    }
}

/// A tree that is built.
pub(super) struct Tree {
    pub(super) setup: Setup,
    /// Chips that each player has put in before the tree, in the solver's, of which `scale` are one
    /// of the protocol's.
    half: f64,
    scale: Chips,
    betting: BettingTree<()>,
    pub(super) solver: Solver,
    /// Nodes of which hands were locked.
    locks: BTreeMap<String, NodeId>,
    /// Whether strategies or locks were set since the last iteration.
    pub(super) edited: bool,
    /// Seconds of solving.
    pub(super) seconds: f64,
}

/// What comes next at a state.
fn kind(state: &PublicState) -> NodeKind {
    match state.turn() {
        Turn::Act(seat) if seat.index() == 0 => NodeKind::OopDecision,
        Turn::Act(_) => NodeKind::IpDecision,
        Turn::Deal(_) if state.able().len() > 1 => NodeKind::Split,
        Turn::Deal(_) | Turn::Over => NodeKind::End,
    }
}

fn player(position: Position) -> Player {
    Player::BOTH[position.index()]
}

impl Tree {
    /// An accuracy in the solver's chips.
    pub(super) fn chips(&self, chips: f64) -> f64 {
        chips * f64::from(self.scale)
    }

    /// An amount of the protocol.
    fn amount(&self, total: Chips) -> Chips {
        (total - self.solver.subgame().root().highest()) / self.scale
    }

    fn step(&self, action: Action) -> Step {
        match action {
            Action::Fold => Step::Fold,
            Action::Call => Step::Call,
            Action::RaiseTo(total) => Step::Bet(self.amount(total)),
        }
    }

    /// The steps from a place to its children: raises from the largest, check or call, fold; or
    /// cards.
    fn steps(&self, spot: &Spot<'_>) -> Vec<Step> {
        match kind(spot.state()) {
            NodeKind::Split => free_cards(spot.state()).map(Step::Card).collect(),
            _ => spot.actions().iter().rev().map(|&action| self.step(action)).collect(),
        }
    }

    fn take<'a>(&self, spot: Spot<'a>, step: Step) -> Result<Spot<'a>, OffTree> {
        match step {
            Step::Fold => spot.act(Action::Fold),
            Step::Call => spot.act(Action::Call),
            Step::Bet(amount) => {
                let half = self.solver.subgame().root().highest();
                let total = amount.saturating_mul(self.scale).saturating_add(half);
                spot.act(Action::RaiseTo(total))
            }
            Step::Card(card) if kind(spot.state()) != NodeKind::Split => Err(OffTree::Card(card)),
            Step::Card(card) => spot.deal(card),
        }
    }

    /// The place of a node.
    fn spot(&self, node: &NodeId) -> Result<Spot<'_>, String> {
        let mut spot = self.solver.spot();
        let NodeId::After(steps) = node else { return Ok(spot) };
        let mut at = NodeId::After(Vec::new());
        for &step in steps {
            spot = self.take(spot.clone(), step).map_err(|_| {
                let known = self.steps(&spot);
                let children = match kind(spot.state()) {
                    NodeKind::Split => "any card that is not on the table".to_owned(),
                    _ if known.is_empty() => "no children".to_owned(),
                    _ => known.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
                };
                format!("there is no node {node}: {at} has {children}")
            })?;
            at = at.then(Some(step));
        }
        Ok(spot)
    }

    fn decision(&self, node: &NodeId) -> Result<Spot<'_>, String> {
        let spot = self.spot(node)?;
        let decides = *node != NodeId::Root && spot.player().is_some();
        decides
            .then_some(spot)
            .ok_or_else(|| format!("{node} is not a decision: nobody acts there"))
    }

    fn shown(&self, id: NodeId, spot: &Spot<'_>) -> Node {
        let state = spot.state();
        let committed = state.committed().as_slice();
        let [oop, ip] = [0, 1].map(|seat: usize| self.amount(committed[seat]));
        let start = self.setup.pot.map_or(0, |[.., start]| start);
        let root = id == NodeId::Root;
        Node {
            kind: if root { NodeKind::Root } else { kind(state) },
            board: state.board(),
            pot: [oop, ip, start],
            children: if root { 1 } else { self.steps(spot).len() },
            flags: if root && self.setup.merged { vec!["ISOMORPHISM_ON"] } else { Vec::new() },
            id,
        }
    }

    /// A node as it is shown.
    pub(super) fn node(&self, id: &NodeId) -> Result<Node, String> {
        let spot = self.spot(id)?;
        Ok(self.shown(id.clone(), &spot))
    }

    /// The children of a node.
    pub(super) fn children(&self, id: &NodeId) -> Result<Vec<Node>, String> {
        let spot = self.spot(id)?;
        if *id == NodeId::Root {
            return Ok(vec![self.shown(id.then(None), &spot)]);
        }
        let child = |step: Step| {
            let next = self.take(spot.clone(), step).map_err(|error| error.to_string())?;
            Ok(self.shown(id.then(Some(step)), &next))
        };
        self.steps(&spot).into_iter().map(child).collect()
    }

    /// The strategy at a decision: the probabilities of all hands for each child.
    pub(super) fn strategy(&self, id: &NodeId) -> Result<Vec<Vec<f64>>, String> {
        let spot = self.decision(id)?;
        let mut rows = vec![vec![0.0; Combo::COUNT]; spot.actions().len()];
        for (combo, strategy) in spot.strategies() {
            for (row, share) in rows.iter_mut().rev().zip(strategy) {
                row[combo.index()] = share;
            }
        }
        Ok(rows)
    }

    /// The weights with which a player's hands reach a node.
    pub(super) fn range(&self, position: Position, id: &NodeId) -> Result<Vec<f64>, String> {
        Ok(self.spot(id)?.range(player(position)).weights().to_vec())
    }

    /// What each hand of a player gets of the pot from a node on, less what it puts in, and the
    /// weight of the pairs of hands that it is a mean of.
    pub(super) fn values(
        &mut self,
        position: Position,
        id: &NodeId,
    ) -> Result<[Vec<f64>; 2], String> {
        let spot = self.spot(id)?;
        let (state, range) = (spot.state().clone(), spot.range(player(position)).clone());
        let values = self.solver.hand_values(player(position), &state);
        let mut rows = [vec![f64::INFINITY; Combo::COUNT], vec![0.0; Combo::COUNT]];
        for hand in values.map_err(|error| error.to_string())? {
            if hand.unblocked_weight > 0.0 {
                let at = hand.combo.index();
                rows[0][at] = (hand.value + self.half) / f64::from(self.scale);
                rows[1][at] = range.weight(hand.combo) * hand.unblocked_weight;
            }
        }
        Ok(rows)
    }

    /// The equity of each hand of a player with the ranges at a node, the weight of the pairs of
    /// hands that it is a mean of, and the mean over the range.
    pub(super) fn equities(
        &self,
        position: Position,
        id: &NodeId,
    ) -> Result<[Vec<f64>; 3], String> {
        let spot = self.spot(id)?;
        let range = spot.range(player(position));
        let mut rows = [vec![f64::NAN; Combo::COUNT], vec![0.0; Combo::COUNT]];
        let (mut sum, mut all) = (0.0, 0.0);
        for hand in spot.equities(player(position)).map_err(|error| error.to_string())? {
            let at = hand.combo.index();
            let weight = range.weight(hand.combo) * hand.unblocked_weight;
            (rows[0][at], rows[1][at]) = (hand.equity, weight);
            (sum, all) = (sum + hand.equity * weight, all + weight);
        }
        let [equities, weights] = rows;
        Ok([equities, weights, vec![if all > 0.0 { sum / all } else { f64::NAN }]])
    }

    /// The probability that the hand comes to a node.
    pub(super) fn frequency(&self, id: &NodeId) -> Result<f64, String> {
        let spot = self.spot(id)?;
        let (board, first) = (spot.state().board(), self.solver.subgame().root().board());
        let dealt = board.iter().enumerate().skip(first.len());
        let chance: f64 = dealt.map(|(before, _)| chance(before)).product();
        Ok(chance * spot.pairs() / self.solver.spot().pairs())
    }

    /// The probability that the betting comes to a node, whatever cards are dealt.
    pub(super) fn line_frequency(&self, id: &NodeId) -> Result<f64, String> {
        self.spot(id)?;
        let NodeId::After(steps) = id else { return Ok(1.0) };
        let sum = self.over_cards(self.solver.spot(), steps).map_err(|error| error.to_string())?;
        Ok(sum / self.solver.spot().pairs())
    }

    fn over_cards(&self, spot: Spot<'_>, steps: &[Step]) -> Result<f64, OffTree> {
        let Some((&step, later)) = steps.split_first() else { return Ok(spot.pairs()) };
        match step {
            Step::Card(_) => {
                let chance = chance(spot.state().board().len());
                let each = free_cards(spot.state())
                    .map(|card| self.over_cards(self.take(spot.clone(), Step::Card(card))?, later));
                Ok(chance * each.sum::<Result<f64, OffTree>>()?)
            }
            step => self.over_cards(self.take(spot, step)?, later),
        }
    }

    /// All lines of betting, as nodes without cards, a node before its children.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![NodeId::Root.to_string()];
        self.add_lines(BettingTree::ROOT, &NodeId::Root.then(None).to_string(), &mut lines);
        lines
    }

    fn add_lines(&self, node: u32, line: &str, lines: &mut Vec<String>) {
        lines.push(line.to_owned());
        let children = self.betting.node(node).children().zip(self.betting.actions(node));
        for (child, &action) in children.rev() {
            self.add_lines(child, &format!("{line}:{}", self.step(action)), lines);
        }
    }

    /// Sets the strategy of a decision: the probabilities of all hands for each child.
    pub(super) fn set_strategy(&mut self, id: &NodeId, numbers: &[f64]) -> Result<(), String> {
        let spot = self.decision(id)?;
        let (count, given) = (spot.actions().len(), numbers.len() / Combo::COUNT);
        if given != count {
            return Err(format!("{id} has {count} children, and these are numbers for {given}"));
        }
        let state = spot.state().clone();
        let strategy = |combo: Combo| {
            (0..count).rev().map(|child| numbers[child * Combo::COUNT + combo.index()]).collect()
        };
        let set = self.solver.set_strategy(&state, &strategy);
        self.edited |= set.is_ok();
        set.map_err(|error| explained(&error))
    }

    /// Locks hands at a decision, and unlocks the others.
    pub(super) fn lock(&mut self, id: &NodeId, held: &dyn Fn(Combo) -> bool) -> Result<(), String> {
        let state = self.decision(id)?.state().clone();
        self.solver.lock(&state, held).map_err(|error| explained(&error))?;
        self.edited = true;
        self.locks.insert(id.to_string(), id.clone());
        Ok(())
    }

    /// Unlocks all hands at a decision.
    pub(super) fn unlock(&mut self, id: &NodeId) -> Result<(), String> {
        let state = self.decision(id)?.state().clone();
        self.solver.unlock(&state).map_err(|error| explained(&error))?;
        self.edited |= self.locks.remove(&id.to_string()).is_some();
        Ok(())
    }

    /// The results of the whole tree.
    pub(super) fn results(&mut self) -> Results {
        let evaluation: Evaluation = self.solver.evaluate();
        let (half, scale) = (self.half, f64::from(self.scale));
        Results {
            seconds: self.seconds,
            values: evaluation.values.map(|value| (value + half) / scale),
            best: evaluation.best.map(|value| (value + half) / scale),
            exploitable: evaluation.exploitability() / scale,
        }
    }

    /// Writes the tree to a file.
    pub(super) fn write(&self, path: &Path) -> Result<(), String> {
        let script = self.script()?;
        let written = runs::write_whole(path, |out| {
            let mut to = Writer::begin(out, KIND)?;
            to.number(script.len() as u64)?;
            to.bytes(script.as_bytes())?;
            self.solver.write(&[], self.seconds, Sink(&mut to))?;
            to.end().map(drop)
        });
        written.map_err(|error| format!("{}: {error}", path.display()))
    }

    /// The commands that build the tree and lock its nodes.
    fn script(&self) -> Result<String, String> {
        let mut script: String =
            self.setup.script().iter().map(|command| format!("{command}\n")).collect();
        for id in self.locks.values() {
            let held = self.decision(id)?.locked();
            if held.is_empty() {
                continue;
            }
            let numbers = self.strategy(id)?.concat();
            let mut flags = vec![false; Combo::COUNT];
            held.iter().for_each(|combo| flags[combo.index()] = true);
            script += &format!("{}\n", Command::SetStrategy(id.clone(), numbers));
            script += &format!("{}\n", Command::ComboLockNode(id.clone(), flags));
        }
        Ok(script)
    }

    /// Reads a tree from a file.
    pub(super) fn read(path: &Path, memory: u64) -> Result<Tree, String> {
        let at = |error: &dyn ToString| format!("{}: {}", path.display(), error.to_string());
        let (mut file, script) = Tree::open(path)?;
        let (mut setup, mut tree) = (Setup::default(), None::<Tree>);
        for command in commands(&script) {
            let command = command.map_err(|error| at(&error))?;
            if let Some(set) = setup.set(&command) {
                set.map_err(|error| at(&error))?;
                continue;
            }
            let tree = match &mut tree {
                Some(tree) => tree,
                None => tree.insert(setup.build(memory).map_err(|error| at(&error))?),
            };
            let done = match &command {
                Command::SetStrategy(id, numbers) => tree.set_strategy(id, numbers),
                Command::ComboLockNode(id, held) => tree.lock(id, &|combo| held[combo.index()]),
                command => Err(format!("{} has no place in a tree's file", command.name())),
            };
            done.map_err(|error| at(&error))?;
        }
        let tree = match tree {
            Some(tree) => tree,
            None => setup.build(memory).map_err(|error| at(&error))?,
        };
        let all = std::fs::metadata(path).map_err(|error| at(&error))?.len();
        let left = all.saturating_sub(file.offset() + SUM);
        let (solver, seconds) = tree
            .solver
            .resume(&[], Content { from: &mut file, left })
            .map_err(|error| at(&error))?;
        file.end().map_err(|error| at(&error))?;
        Ok(Tree { solver, seconds, edited: false, ..tree })
    }

    /// The description of the tree in a file.
    pub(super) fn read_info(path: &Path) -> Result<Vec<(&'static str, String)>, String> {
        let (_, script) = Tree::open(path)?;
        let mut setup = Setup::default();
        for command in commands(&script) {
            let command = command.map_err(|error| format!("{}: {error}", path.display()))?;
            if let Some(Err(error)) = setup.set(&command) {
                return Err(format!("{}: {error}", path.display()));
            }
        }
        Ok(setup.info())
    }

    /// Opens a file and reads its commands.
    fn open(path: &Path) -> Result<(Reader<BufReader<File>>, String), String> {
        let read = || -> Result<_, ContainerError> {
            let file = BufReader::with_capacity(1 << 20, File::open(path)?);
            let mut file = Reader::begin(file, KIND)?;
            let count = file.number::<u64>()?;
            if count > LONGEST_SCRIPT {
                return Err(ContainerError::Damaged);
            }
            let script = String::from_utf8(file.list(count as usize)?);
            Ok((file, script.map_err(|_| ContainerError::Damaged)?))
        };
        read().map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// The commands of a script.
fn commands(
    script: &str,
) -> impl Iterator<Item = Result<Command, protocol::upi::CommandError>> + use<> {
    let mut reader = CommandReader::default();
    reader.receive(script.as_bytes());
    reader.end();
    std::iter::from_fn(move || reader.poll())
}

/// An error of the solver, with the command that helps.
fn explained(error: &solvers::Error) -> String {
    if error.is_suits() {
        format!("{error}, with set_isomorphism 0 0 before build_tree")
    } else {
        error.to_string()
    }
}

/// The cards that can be dealt at a state.
fn free_cards(state: &PublicState) -> impl Iterator<Item = Card> + use<> {
    let dealt: CardSet = state.board().set();
    Card::all().filter(move |&card| !dealt.contains(card))
}

/// The probability of a card after so many board cards, if neither player holds it.
fn chance(board: usize) -> f64 {
    1.0 / (f64::from(Card::COUNT) - board as f64 - 4.0)
}

/// What a container's writer takes, as a [`Write`].
struct Sink<'a, W>(&'a mut Writer<W>);

impl<W: Write> Write for Sink<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.bytes(bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The next bytes of a container's content, as a [`Read`].
struct Content<'a, R> {
    from: &'a mut Reader<R>,
    left: u64,
}

impl<R: Read> Read for Content<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        match self.from.fill(&mut bytes[..count]) {
            Ok(()) => {
                self.left -= count as u64;
                Ok(count)
            }
            Err(ContainerError::Io(error)) => Err(error),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}
