//! Ranges from an agent's play: the hands with which both players come to a street when both play
//! the agent's strategy, after a betting before the flop that is chosen action by action, or after
//! that of a hand on its board.

use std::sync::Arc;

use agents::reach::{self, ActionMatching};
use cards::{Board, Combo, Range};
use game::{Chips, Policy, PublicState, Seat, Street, Turn, notation};
use models::chart::{Chart, action_words};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::web::api::Problem as Refusal;
use crate::web::policies::Policies;

/// Hands that come there less often than this are left out.
const LEAST: f64 = 0.0005;

/// The smallest probability of an action of a hand, whose players are not the agent.
const LEAST_LIKELY: f64 = 0.001;

/// What is asked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    /// The agent that both players play like.
    agent: String,
    /// The betting before the flop, as in `r250c`: `f` folds, `c` calls, `r250` raises to 250
    /// chips. With a board also that of later streets, as in `r250c/cr500c/`: all before the
    /// street of the board.
    #[serde(default)]
    betting: String,
    /// The board of the turn or river that the betting leads to; none for the flop, whose cards
    /// make no difference.
    #[serde(default)]
    board: String,
}

/// Where a betting leads by an agent's play.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct PlayedView {
    /// The betting.
    betting: String,
    /// What the agent does next with all hands that come there; none once the flop is due.
    actions: Vec<PlayedAction>,
    /// The spot that the street begins with; null before the flop.
    spot: Option<SpotView>,
}

/// An action that the agent takes with some hand.
#[derive(Debug, Serialize, JsonSchema)]
struct PlayedAction {
    /// The betting with this action.
    betting: String,
    /// In words: `raise to 250`.
    name: String,
    /// The share of the hands that take it, from 0 to 1.
    frequency: f64,
}

/// A spot that a street begins with, without its cards.
#[derive(Debug, Serialize, JsonSchema)]
struct SpotView {
    /// Chips in the pot.
    pot: u64,
    /// Chips left to the first and the second player.
    stacks: [Chips; 2],
    /// The ranges of the first and the second player.
    ranges: [String; 2],
}

/// The agents whose play can be asked for.
pub(super) struct Players(Arc<Policies>);

impl Players {
    /// Those of these policies.
    pub(super) fn new(policies: Arc<Policies>) -> Players {
        Players(policies)
    }

    /// Their names.
    pub(super) fn names(&self) -> Vec<&str> {
        self.0.names()
    }

    /// Where a betting leads.
    pub(super) fn play(&self, asked: &Asked) -> Result<PlayedView, Refusal> {
        let policy = self.0.policy(&asked.agent).map_err(|error| {
            let remedy = format!("one of: {}", self.names().join(", "));
            Refusal::at_pointer("/agent", error, remedy)
        })?;
        let wrong = |error: String| {
            Refusal::at_pointer("/betting", error, "write a betting before the flop, as in r250c")
        };
        if !asked.board.trim().is_empty() {
            return self.on_board(asked, policy.as_ref());
        }
        let end = notation::replay(self.0.def(), &asked.betting, &Board::EMPTY);
        let end = end.map_err(|error| wrong(error.to_string()))?;
        if end.street() != Street::Preflop {
            return Err(wrong("it goes on after the flop: name the board, too".to_owned()));
        }
        let mut state = PublicState::new(self.0.def());
        let mut weights = [vec![1.0; Combo::COUNT], vec![1.0; Combo::COUNT]];
        for played in end.history() {
            let Turn::Act(seat) = state.turn() else { break };
            let own = &mut weights[seat.index()];
            let chart = Chart::of_policy(policy.as_ref(), &state, seat, own);
            let word = notation::action(played.action);
            let taken = chart.actions.iter().position(|choice| choice.word == word);
            own.fill(0.0);
            for hand in chart.hands.iter().filter(|_| taken.is_some()) {
                let share = taken.map_or(0.0, |at| hand.strategy[at]);
                own[hand.combo.index()] = (hand.weight * share).clamp(0.0, 1.0);
            }
            if own.iter().all(|&weight| weight < LEAST) {
                let name = action_words(&state, played.action);
                return Err(wrong(format!("`{}` does not {name} there", asked.agent)));
            }
            state.apply(played.action).map_err(|error| wrong(error.to_string()))?;
        }
        let betting = notation::betting(&state);
        let mut view = PlayedView { betting, actions: Vec::new(), spot: None };
        match state.turn() {
            Turn::Act(seat) => {
                let chart = Chart::of_policy(policy.as_ref(), &state, seat, &weights[seat.index()]);
                let taken = chart.actions.iter().filter(|choice| choice.frequency > 0.0);
                view.actions = taken
                    .map(|choice| PlayedAction {
                        betting: format!("{}{}", view.betting, choice.word),
                        name: choice.name.clone(),
                        frequency: choice.frequency,
                    })
                    .collect();
            }
            Turn::Deal(_) if state.able().len() > 1 => {
                view.spot = Some(self.spot(&state, &weights));
                view.betting = asked.betting.clone();
            }
            Turn::Deal(_) | Turn::Over => {
                return Err(wrong("nobody bets any more after that".to_owned()));
            }
        }
        Ok(view)
    }

    /// The spot on a board that the betting of a hand leads to. Sizes that the agent does not bet
    /// are read as any of its bets, and no hand is ruled out by an action that it never takes.
    fn on_board(&self, asked: &Asked, policy: &dyn Policy) -> Result<PlayedView, Refusal> {
        if !self.0.decides_at_once(&asked.agent) {
            let remedy = format!("one of: {}", self.0.at_once().join(", "));
            let error = format!("`{}` computes what it does after the flop", asked.agent);
            return Err(Refusal::at_pointer("/agent", error, remedy));
        }
        let board: Board = asked.board.trim().parse().map_err(|error| {
            Refusal::at_pointer("/board", format!("{error}"), "write three to five cards")
        })?;
        let wrong = |error: String| {
            let remedy = "write all betting before the board's street, as in r250c/cr500c/";
            Refusal::at_pointer("/betting", error, remedy)
        };
        let state = notation::replay(self.0.def(), &asked.betting, &board);
        let state = state.map_err(|error| wrong(error.to_string()))?;
        let street = state.street();
        let begins = state.history().iter().all(|played| played.street < street);
        let decides = matches!(state.turn(), Turn::Act(_));
        if !(begins && decides && state.board().len() == board.len() && street > Street::Preflop) {
            return Err(wrong("the board's street does not begin after this betting".to_owned()));
        }
        let weights = [0, 1].map(|seat| {
            let seat = Seat::new(seat).expect("two seats");
            let how = (ActionMatching::Sizes, LEAST_LIKELY);
            let mut weights = reach::at_street(street, policy, &state, seat, how);
            let most = weights.iter().copied().fold(0.0, f64::max);
            weights.iter_mut().for_each(|weight| *weight /= most.max(f64::MIN_POSITIVE));
            weights
        });
        let spot = Some(self.spot(&state, &weights));
        Ok(PlayedView { betting: asked.betting.clone(), actions: Vec::new(), spot })
    }

    fn spot(&self, state: &PublicState, weights: &[Vec<f64>; 2]) -> SpotView {
        let def = self.0.def();
        let first = usize::from(def.first_to_act[1] == 1);
        let seats = [first, 1 - first];
        let (stacks, committed) = (&def.stacks, state.committed().as_slice());
        let range = |seat: usize| {
            let mut range = Range::empty();
            for combo in Combo::all() {
                let weight = weights[seat][combo.index()];
                // To a thousandth, for a text that can be read.
                if weight >= LEAST && range.set(combo, (1e3 * weight).round() / 1e3).is_err() {
                    tracing::warn!(weight, "no weight");
                }
            }
            range.to_string()
        };
        SpotView {
            pot: state.pot(),
            stacks: seats.map(|seat| stacks[seat] - committed[seat]),
            ranges: seats.map(range),
        }
    }
}
