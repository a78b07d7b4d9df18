//! Lookup of solved strategies, by walking through the subgame with actual cards.

use cards::{Card, Combo, Range, SuitPermutation};
use game::{Action, Played, PublicState, Turn};

use super::betting::{Decision, Line, player_of};
use super::solver::Solver;
use super::storage::BoardStorage;
use crate::Player;

/// A position in a solved subgame, reached by the actions and cards since its root.
#[derive(Debug, Clone)]
pub struct Spot<'a> {
    solver: &'a Solver,
    state: PublicState,
    line: usize,
    node: usize,
    board: usize,
    storage: &'a BoardStorage,
    /// Indices of the storages below that lead to `storage`, street by street.
    path: Vec<usize>,
    /// Permutation from the actual suits to those in which this board was solved.
    renaming: SuitPermutation,
    ranges: [Range; 2],
    /// The ranges at the first node of the current line.
    begun: [Range; 2],
}

/// The equity of a hand against the other player's range at a spot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HandEquity {
    /// The hand.
    pub combo: Combo,
    /// The total weight of the other player's hands that it can meet.
    pub unblocked_weight: f64,
    /// Its share of the pot when no more chips are bet.
    pub equity: f64,
}

/// The position of a spot, without a borrow of the solver.
pub(crate) struct SpotIndex {
    pub(crate) line: usize,
    pub(crate) node: usize,
    pub(crate) board: usize,
    pub(crate) path: Vec<usize>,
    pub(crate) renaming: SuitPermutation,
    pub(crate) begun: [Range; 2],
}

/// The reason a state is not in a subgame.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum OffTree {
    #[error(
        "the hand did not start like the subgame: it must have the same game, actions and board"
    )]
    Elsewhere,
    #[error("{action:?} was not offered, unlike {offered:?}")]
    Action { action: Action, offered: Vec<Action> },
    #[error("{0} cannot be dealt here: it is already on the table, or no card is due")]
    Card(Card),
}

impl<'a> Spot<'a> {
    pub(crate) fn new(solver: &'a Solver) -> Spot<'a> {
        let board = solver.boards.all[0].cards;
        let mut ranges = solver.subgame.ranges.clone().map(|range| range.without(board));
        if let Some(gadget) = &solver.gadget {
            let player = gadget.player.index();
            let weights = gadget.average_weights();
            let most = weights.iter().copied().fold(1.0, f64::max);
            for (combo, weight) in solver.boards.all[0].hands[player].all().zip(weights) {
                ranges[player].set(combo, weight / most).expect("a weight from 0 to 1");
            }
        }
        Spot {
            solver,
            state: solver.subgame.root.clone(),
            line: 0,
            node: 0,
            board: 0,
            storage: &solver.storage,
            path: Vec::new(),
            renaming: SuitPermutation::IDENTITY,
            begun: ranges.clone(),
            ranges,
        }
    }

    /// Returns the spot of a state reached from the subgame's root.
    ///
    /// # Errors
    /// When the state does not pass through the root, contains an action that the menu does not
    /// offer, or a card that cannot be dealt.
    pub fn at_state(solver: &'a Solver, state: &PublicState) -> Result<Spot<'a>, OffTree> {
        let root = &solver.subgame.root;
        let same = state.def() == root.def()
            && state.history().starts_with(root.history())
            && state.board().starts_with(&root.board());
        if !same {
            return Err(OffTree::Elsewhere);
        }
        let mut spot = Spot::new(solver);
        let board = state.board();
        let mut cards = board[root.board().len()..].iter().copied();
        for &Played { action, .. } in &state.history()[root.history().len()..] {
            if matches!(spot.state.turn(), Turn::Deal(_)) {
                spot = spot.deal(cards.next().ok_or(OffTree::Elsewhere)?)?;
            }
            spot = spot.act(action)?;
        }
        for card in cards {
            spot = spot.deal(card)?;
        }
        Ok(spot)
    }

    pub(crate) fn index(self) -> SpotIndex {
        let Spot { line, node, board, path, renaming, begun, .. } = self;
        SpotIndex { line, node, board, path, renaming, begun }
    }

    /// The public state at this spot.
    pub fn state(&self) -> &PublicState {
        &self.state
    }

    /// The range with which a player reaches this spot when both play their average strategies.
    /// Excludes hands that take a gadget's offer.
    pub fn range(&self, player: Player) -> &Range {
        &self.ranges[player.index()]
    }

    /// The player to act; `None` if cards are due or the hand is over.
    pub fn player(&self) -> Option<Player> {
        match self.state.turn() {
            Turn::Act(seat) => Some(player_of(seat)),
            Turn::Deal(_) | Turn::Over => None,
        }
    }

    /// The menu's actions; empty if no player is to act.
    pub fn actions(&self) -> &'a [Action] {
        let betting = &self.solver.subgame.betting;
        self.decision().map_or(&[], |decision| betting.actions(self.line(), decision))
    }

    fn line(&self) -> &'a Line {
        &self.solver.subgame.betting.lines[self.line]
    }

    pub(crate) fn decision(&self) -> Option<&'a Decision> {
        self.line().decision(self.node)
    }

    /// The average strategy of a hand of the acting player: the probability of each of the
    /// [actions](Spot::actions). `None` if no player is to act, or if the hand is not in the
    /// player's range at the root or shares a card with the board.
    pub fn strategy(&self, combo: Combo) -> Option<Vec<f64>> {
        let decision = self.decision()?;
        let board = &self.solver.boards.all[self.board];
        let hand = board.hands[decision.player.index()].position(self.renaming.combo(combo))?;
        self.storage.strategies(decision, hand + 1).pop()
    }

    /// The average strategies of all hands of the acting player; empty if no player is to act.
    pub fn strategies(&self) -> Vec<(Combo, Vec<f64>)> {
        let Some(decision) = self.decision() else { return Vec::new() };
        let hands = &self.solver.boards.all[self.board].hands[decision.player.index()];
        let back = self.renaming.inverse();
        let strategies = self.storage.strategies(decision, hands.len());
        hands.all().map(|combo| back.combo(combo)).zip(strategies).collect()
    }

    /// The hands of the acting player whose strategy here is [locked](Solver::lock).
    pub fn locked(&self) -> Vec<Combo> {
        let lock =
            self.decision().and_then(|decision| Some((decision, self.storage.lock(decision)?)));
        let Some((decision, lock)) = lock else { return Vec::new() };
        let hands = &self.solver.boards.all[self.board].hands[decision.player.index()];
        let back = self.renaming.inverse();
        let held = hands.all().enumerate().filter(|(hand, _)| lock.holds(*hand));
        held.map(|(_, combo)| back.combo(combo)).collect()
    }

    /// The equities of the hands with which a player reaches this spot, against those of the other.
    /// Hands that can meet none are missing.
    ///
    /// # Errors
    /// When the board has too few cards: not from a flop on.
    pub fn equities(&self, player: Player) -> Result<Vec<HandEquity>, cards::Error> {
        let (own, other) = (self.range(player), self.range(player.other()));
        let margins = cards::range_margins(self.state.board().set(), &[other.weights()])?;
        let unblocked = cards::unblocked(other.weights());
        // Less than this is rounding: each hand shares a card with all others.
        let least = 1e-12 * other.total();
        let equity = |(combo, _): (Combo, f64)| {
            let unblocked_weight = unblocked[combo.index()];
            let equity = f64::midpoint(1.0, margins[0][combo.index()] / unblocked_weight);
            (unblocked_weight > least).then_some(HandEquity { combo, unblocked_weight, equity })
        };
        Ok(own.combos().filter_map(equity).collect())
    }

    /// The total weight of all pairs of hands with which both players reach this spot.
    pub fn pairs(&self) -> f64 {
        let unblocked = cards::unblocked(self.range(Player::Second).weights());
        let own = self.range(Player::First).combos();
        own.map(|(combo, weight)| weight * unblocked[combo.index()]).sum()
    }

    /// Returns the spot after an action.
    ///
    /// # Errors
    /// When the menu does not offer the action.
    pub fn act(mut self, action: Action) -> Result<Spot<'a>, OffTree> {
        let offered = self.actions();
        let (Some(decision), Some(number)) =
            (self.decision(), offered.iter().position(|&other| other == action))
        else {
            return Err(OffTree::Action { action, offered: offered.to_vec() });
        };
        let strategies = self.strategies();
        let range = &mut self.ranges[decision.player.index()];
        for (combo, strategy) in strategies {
            let weight = (range.weight(combo) * strategy[number]).clamp(0.0, 1.0);
            range.set(combo, weight).expect("a weight from 0 to 1");
        }
        self.state.apply_unchecked(action);
        self.node = decision.child + number;
        Ok(self)
    }

    /// Returns the spot after a card. When the betting is over there is no strategy left to look
    /// up, but cards are still dealt one by one.
    ///
    /// # Errors
    /// When the card cannot be dealt.
    pub fn deal(mut self, card: Card) -> Result<Spot<'a>, OffTree> {
        let line = self.line();
        self.state.deal(&[card]).map_err(|_| OffTree::Card(card))?;
        self.ranges = self.ranges.map(|range| range.without([card].into_iter().collect()));
        let Some(leaf) = line.deal(self.node) else { return Ok(self) };
        let board = &self.solver.boards.all[self.board];
        let solved = self.renaming.card(card);
        let found = board.next.iter().enumerate().find_map(|(at, next)| {
            next.cards.iter().find(|deal| deal.card == solved).map(|deal| (at, next, deal))
        });
        let (at, next, deal) = found.ok_or(OffTree::Card(card))?;
        let below = leaf * board.next.len() + at;
        self.path.push(below);
        self.storage = &self.storage.below[below];
        self.begun = self.ranges.clone();
        self.board = next.board;
        self.renaming = self.renaming.then(deal.renaming.inverse());
        (self.line, self.node) = (line.deals[leaf].line, 0);
        Ok(self)
    }
}
