//! The betting tree of a subgame as flat arrays, without cards.
//!
//! A *line* is the betting of one street after one betting history. It is the same for all cards,
//! so it is stored once. Its nodes are in breadth-first order: the children of a node are adjacent
//! and come after it. Each decision has a *row* of numbers for each action. While the other player
//! learns, each action of a decision has a *slot* for the hands that reach it.

use cards::CardSet;
use game::{Action, PublicState, Seat, Turn, notation};

use super::terminal::LANES;
use crate::{Error, Player};

/// All lines of a subgame. Line 0 is the street it starts on.
#[derive(Debug)]
pub(crate) struct Betting {
    pub(crate) lines: Vec<Line>,
}

/// The betting of one street.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// Streets since the first.
    pub(crate) street: usize,
    pub(crate) nodes: Vec<Node>,
    /// Actions of all decisions.
    pub(crate) actions: Vec<Action>,
    /// The nodes after which a card is dealt, each with the line that follows.
    pub(crate) deals: Vec<Leaf>,
    /// Number of rows of each player's decisions: one per action.
    pub(crate) rows: [usize; 2],
    pub(crate) decisions: usize,
    /// Number of slots while each player learns.
    pub(crate) slots: [usize; 2],
    /// The terminal nodes of the hand, for each player as the learner.
    pub(crate) ends: [Ends; 2],
}

/// A node after which a card is dealt and the betting goes on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaf {
    pub(crate) node: usize,
    pub(crate) line: usize,
}

/// A node of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// The slot of the other player's hands at this node, while each player learns.
    pub(crate) slots: [usize; 2],
}

/// The kind of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// A player chooses an action.
    Decision(Decision),
    /// This player folds and loses this number of chips.
    Fold(Player, f64),
    /// A showdown, after any board cards still to come; this number of chips is won or lost.
    Showdown(f64),
    /// A card is dealt: an index into the line's `deals`.
    Deal(usize),
}

/// A decision of a player.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decision {
    pub(crate) player: Player,
    /// Index of the first child, and of the first of the line's actions.
    pub(crate) child: usize,
    pub(crate) action: usize,
    pub(crate) count: usize,
    /// Index of the first of the player's rows.
    pub(crate) row: usize,
    /// Index among the line's decisions.
    pub(crate) number: usize,
}

/// The terminal nodes of a line for one learner, by the slot of the opponent's hands that reach
/// them.
#[derive(Debug, Default)]
pub(crate) struct Ends(
    /// First those with only a showdown, then those with both, then those with only a fold.
    Vec<End>,
);

/// Terminal nodes reached by the same slot of the opponent's hands: each an index of a node and the
/// chips that the learner wins there.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct End {
    pub(crate) slot: usize,
    pub(crate) fold: Option<(usize, f64)>,
    pub(crate) showdown: Option<(usize, f64)>,
}

/// The player in a seat of a two-player game.
pub(crate) fn player_of(seat: Seat) -> Player {
    Player::BOTH[usize::from(seat.index() != 0)]
}

impl Betting {
    /// Builds the tree from a state in which a player is to act, with at most `most` nodes.
    pub(crate) fn new(
        root: &PublicState,
        menu: &dyn Fn(&PublicState) -> Vec<Action>,
        most: usize,
    ) -> Result<Betting, Error> {
        let mut betting = Betting { lines: Vec::new() };
        let mut left = most;
        let mut waiting: Vec<(_, Option<(usize, usize)>)> = vec![(root.clone(), None)];
        while let Some((state, from)) = waiting.pop() {
            let number = betting.lines.len();
            let (mut line, next) = Line::new(state, menu, &mut left)
                .map_err(|problem| problem.unwrap_or_else(|| too_many_nodes(most)))?;
            if let Some((parent, leaf)) = from {
                let parent = &mut betting.lines[parent];
                parent.deals[leaf].line = number;
                line.street = parent.street + 1;
            }
            betting.lines.push(line);
            let next = next.into_iter().enumerate();
            waiting.extend(next.map(|(leaf, state)| (state, Some((number, leaf)))));
        }
        Ok(betting)
    }
}

/// The problem with a line; `None` if it has too many nodes.
type Problem = Option<Error>;

fn too_many_nodes(most: usize) -> Error {
    Error::new(format!(
        "the betting tree has more than {most} nodes, not counting cards: offer fewer sizes or \
         raises, or raise the limit"
    ))
}

impl Line {
    /// The betting of one street only, from `root`, with at most `most` nodes, and the states after
    /// its deals, with an arbitrary card dealt.
    pub(crate) fn alone(
        root: &PublicState,
        menu: &dyn Fn(&PublicState) -> Vec<Action>,
        most: usize,
    ) -> Result<(Line, Vec<PublicState>), Error> {
        let mut left = most;
        Line::new(root.clone(), menu, &mut left)
            .map_err(|problem| problem.unwrap_or_else(|| too_many_nodes(most)))
    }

    /// The line that starts at `root`, and the states after its deals, with an arbitrary card
    /// dealt.
    fn new(
        root: PublicState,
        menu: &dyn Fn(&PublicState) -> Vec<Action>,
        left: &mut usize,
    ) -> Result<(Line, Vec<PublicState>), Problem> {
        let mut line = Line { slots: [1; 2], ..Line::default() };
        *left = left.checked_sub(1).ok_or(None)?;
        let mut states = vec![(root, [0; 2])];
        let mut next = Vec::new();
        let mut at = 0;
        while at < states.len() {
            let (state, slots) = states[at].clone();
            let kind = match state.turn() {
                Turn::Act(seat) => {
                    line.decide(&state, player_of(seat), slots, menu, &mut states, left)?
                }
                Turn::Deal(_) if state.able().len() > 1 => {
                    line.deals.push(Leaf { node: at, line: 0 });
                    next.push(with_a_card(&state));
                    Kind::Deal(line.deals.len() - 1)
                }
                Turn::Deal(_) | Turn::Over => end(&state),
            };
            line.nodes.push(Node { kind, slots });
            at += 1;
        }
        line.ends = Player::BOTH.map(|learner| Ends::new(&line.nodes, learner));
        Ok((line, next))
    }

    /// Adds a decision's children to `states`.
    fn decide(
        &mut self,
        state: &PublicState,
        player: Player,
        slots: [usize; 2],
        menu: &dyn Fn(&PublicState) -> Vec<Action>,
        states: &mut Vec<(PublicState, [usize; 2])>,
        left: &mut usize,
    ) -> Result<Kind, Problem> {
        let actions = menu(state);
        check(state, &actions)?;
        *left = left.checked_sub(actions.len()).ok_or(None)?;
        let decision = Decision {
            player,
            child: states.len(),
            action: self.actions.len(),
            count: actions.len(),
            row: self.rows[player.index()],
            number: self.decisions,
        };
        self.rows[player.index()] += actions.len();
        self.decisions += 1;
        // While the other player learns, the acting player's hands are split among the children.
        let learner = player.other().index();
        for &action in &actions {
            let mut child = state.clone();
            child.apply_unchecked(action);
            let mut child_slots = slots;
            child_slots[learner] = self.slots[learner];
            self.slots[learner] += 1;
            states.push((child, child_slots));
        }
        self.actions.extend(actions);
        Ok(Kind::Decision(decision))
    }
}

/// Checks that the menu's actions are legal and in order.
fn check(state: &PublicState, actions: &[Action]) -> Result<(), Problem> {
    let betting = || notation::betting(state);
    let refuse = |text: String| Err(Some(Error::new(text)));
    if actions.is_empty() {
        return refuse(format!(
            "the menu offers no action after `{}`: it must offer at least one",
            betting()
        ));
    }
    let legal = state.legal();
    if let Some(&action) = actions.iter().find(|&&action| !legal.allows(action)) {
        return refuse(format!(
            "the menu offers {action:?} after `{}`, which the rules do not allow there",
            betting()
        ));
    }
    let order = |action: Action| match action {
        Action::Fold => (0, 0),
        Action::Call => (1, 0),
        Action::RaiseTo(total) => (2, total),
    };
    if !actions.is_sorted_by(|&a, &b| order(a) < order(b)) {
        return refuse(format!(
            "the menu's actions after `{}` are not in order: fold, call, then raises from the \
             smallest, each once",
            betting()
        ));
    }
    Ok(())
}

/// The state after an arbitrary card: the betting does not depend on it.
fn with_a_card(state: &PublicState) -> PublicState {
    let seen: CardSet = state.board().set();
    let card = state.def().deck().into_iter().find(|&card| !seen.contains(card));
    let mut next = state.clone();
    next.deal(&[card.expect("a deck has cards left after the turn")])
        .expect("one unseen card is due on turn and river");
    next
}

/// The terminal node of a state. The stake is the smaller of the two players' contributions.
fn end(state: &PublicState) -> Kind {
    let chips = state.committed().as_slice().iter().min().copied().unwrap_or_default();
    match state.folded().iter().next() {
        Some(seat) => Kind::Fold(player_of(seat), chips.into()),
        None => Kind::Showdown(chips.into()),
    }
}

impl Ends {
    pub(crate) fn new(nodes: &[Node], learner: Player) -> Ends {
        let mut ends: Vec<End> = Vec::new();
        for (at, node) in nodes.iter().enumerate() {
            let slot = node.slots[learner.index()];
            let mut add = |set: &dyn Fn(&mut End)| match ends.iter_mut().find(|e| e.slot == slot) {
                Some(end) => set(end),
                None => {
                    let mut end = End { slot, ..End::default() };
                    set(&mut end);
                    ends.push(end);
                }
            };
            match node.kind {
                Kind::Fold(who, chips) => {
                    let won = if who == learner { -chips } else { chips };
                    add(&|end| end.fold = Some((at, won)));
                }
                Kind::Showdown(chips) => add(&|end| end.showdown = Some((at, chips))),
                Kind::Decision(_) | Kind::Deal(_) => {}
            }
        }
        ends.sort_by_key(|end| (end.showdown.is_none(), end.fold.is_some()));
        Ends(ends)
    }

    /// Groups of at most [`LANES`] terminal nodes, which are computed together. The order of the
    /// nodes keeps the number of groups with a showdown, and with a fold, as small as possible.
    pub(crate) fn groups(&self) -> impl Iterator<Item = &[End]> {
        self.0.chunks(LANES)
    }
}
