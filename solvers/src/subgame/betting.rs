//! The betting of a subgame as flat arrays, without cards.
//!
//! A *line* is the betting of one street after one way of getting there; it is the same for all
//! cards that may come, so it stands here once. Its nodes stand breadth first: the children of a
//! node side by side, after it. Each decision has a *row* of numbers for each action, and where the
//! other player learns, each of its actions has a *slot* for the hands with which it is reached.

use cards::CardSet;
use game::{Action, PublicState, Seat, Turn, notation};

use super::SubgameError;
use super::terminal::LANES;
use crate::Player;

/// All lines of a subgame. Line 0 is the street it begins on.
#[derive(Debug)]
pub(super) struct Betting {
    pub(super) lines: Vec<Line>,
}

/// The betting of one street.
#[derive(Debug, Default)]
pub(super) struct Line {
    /// Streets since the first.
    pub(super) street: usize,
    pub(super) nodes: Vec<Node>,
    /// Actions of all decisions.
    pub(super) actions: Vec<Action>,
    /// The nodes after which a card is dealt, each with the line that follows.
    pub(super) deals: Vec<Leaf>,
    /// Rows of each player's decisions: one an action.
    pub(super) rows: [usize; 2],
    pub(super) decisions: usize,
    /// Slots while each player learns.
    pub(super) slots: [usize; 2],
    /// The ends of the hand, as each player sees them.
    pub(super) ends: [Ends; 2],
}

/// A node after which the betting goes on with another card.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    pub(super) node: usize,
    pub(super) line: usize,
}

/// A node of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// The slot of the hands that the other player can have here while each player learns.
    pub(super) slots: [usize; 2],
}

/// What happens at a node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    /// A player chooses.
    Decision(Decision),
    /// This player has given up, and loses so many chips.
    Fold(Player, f64),
    /// Cards are shown, after all boards that may come; so many chips are won or lost.
    Showdown(f64),
    /// A card is dealt: which of the line's leaves this is.
    Deal(usize),
}

/// A choice among actions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decision {
    pub(super) player: Player,
    /// The first child, and the first of the line's actions.
    pub(super) child: usize,
    pub(super) action: usize,
    pub(super) count: usize,
    /// The first of the player's rows.
    pub(super) row: usize,
    /// Which of the line's decisions this is.
    pub(super) number: usize,
}

/// The ends of the hand on one line, for one learner, by the opponent's hands that reach them.
#[derive(Debug, Default)]
pub(super) struct Ends(
    /// Those with a showdown only, those with both, those with a fold only.
    Vec<End>,
);

/// Ends that the same hands of the opponent reach: a node, and the chips that the learner wins
/// there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct End {
    pub(super) slot: usize,
    pub(super) fold: Option<(usize, f64)>,
    pub(super) showdown: Option<(usize, f64)>,
}

/// The player in a seat of a two-player game.
pub(super) fn player_of(seat: Seat) -> Player {
    Player::BOTH[usize::from(seat.index() != 0)]
}

impl Betting {
    /// Lays the betting out from a state in which somebody acts, with at most `most` nodes.
    pub(super) fn new(
        root: &PublicState,
        menu: &dyn Fn(&PublicState) -> Vec<Action>,
        most: usize,
    ) -> Result<Betting, SubgameError> {
        let mut betting = Betting { lines: Vec::new() };
        let mut left = most;
        let mut waiting: Vec<(_, Option<(usize, usize)>)> = vec![(root.clone(), None)];
        while let Some((state, from)) = waiting.pop() {
            let number = betting.lines.len();
            let (mut line, next) = Line::new(state, menu, &mut left)
                .map_err(|problem| problem.unwrap_or(SubgameError::Nodes { most }))?;
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

/// What went wrong with a line; nothing when it was too many nodes.
type Problem = Option<SubgameError>;

impl Line {
    /// The line that begins here, and the states after its deals, with a card that stands for all.
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

    /// Adds a decision's children to the states to come.
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
        // The hands of whoever acts here are split among the children while the other one learns.
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

/// Whether the menu offers what the rules allow, in order.
fn check(state: &PublicState, actions: &[Action]) -> Result<(), Problem> {
    let betting = || notation::betting(state);
    if actions.is_empty() {
        return Err(Some(SubgameError::NoAction { betting: betting() }));
    }
    let legal = state.legal();
    if let Some(&action) = actions.iter().find(|&&action| !legal.allows(action)) {
        return Err(Some(SubgameError::Illegal { betting: betting(), action }));
    }
    let order = |action: Action| match action {
        Action::Fold => (0, 0),
        Action::Call => (1, 0),
        Action::RaiseTo(total) => (2, total),
    };
    if !actions.is_sorted_by(|&a, &b| order(a) < order(b)) {
        return Err(Some(SubgameError::Order { betting: betting() }));
    }
    Ok(())
}

/// The state after any card: the betting does not depend on which.
fn with_a_card(state: &PublicState) -> PublicState {
    let seen: CardSet = state.board().set();
    let card = state.def().deck().into_iter().find(|&card| !seen.contains(card));
    let mut next = state.clone();
    next.deal(&[card.expect("a deck has cards left after the turn")])
        .expect("one unseen card is due on turn and river");
    next
}

/// The end of the hand: whoever has put in less is matched up to that.
fn end(state: &PublicState) -> Kind {
    let chips = state.committed().as_slice().iter().min().copied().unwrap_or_default();
    match state.folded().iter().next() {
        Some(seat) => Kind::Fold(player_of(seat), chips.into()),
        None => Kind::Showdown(chips.into()),
    }
}

impl Ends {
    pub(super) fn new(nodes: &[Node], learner: Player) -> Ends {
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

    /// Groups of at most as many ends as are computed at once, as few of them with a showdown, and
    /// with a fold, as can be.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[End]> {
        self.0.chunks(LANES)
    }
}
