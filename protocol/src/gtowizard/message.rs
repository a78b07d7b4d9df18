//! The JSON bodies of requests and answers, in the order of the original's schema.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use crate::slumbot::message::json;

/// The body of `POST /hands`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GtoWizardNewHand")]
pub struct NewHandRequest {
    /// The game: `HUNL 200BB`.
    pub game_name: String,
    /// The seed of the cards; with it the hand is in no leaderboard. Only hosts of this project
    /// know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u32>,
    /// Which of the seed's deals; 0 when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deal: Option<u32>,
    /// Whether the client has the button in this deal, so that a deal can be played from both
    /// sides; by default deals alternate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub button: Option<bool>,
    /// The agent to play against. Only hosts of this project know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
}

/// The body of `POST /hands/{hand_id}/act`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GtoWizardAct")]
pub struct ActRequest {
    /// `f`, `k`, `c` or `b`.
    pub action: String,
    /// For `b`, the total on the street.
    #[serde(default)]
    pub amount: Option<u64>,
}

/// A hand as its client may see it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "GtoWizardHand")]
pub struct HandObject {
    /// The hand's number.
    pub hand_id: u64,
    /// The game.
    pub game: GameObject,
    /// The hand at this moment.
    pub game_state: StateObject,
}

/// The game that is played.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "GtoWizardGame")]
pub struct GameObject {
    /// The game's number.
    pub game_id: u64,
    /// The game's name.
    pub game_name: String,
    /// The kind of game.
    pub game_format: String,
    /// Each player's chips before a hand.
    pub starting_stack: f64,
    /// The blinds, the big one first.
    pub blinds: [f64; 2],
    /// Whether both players have the starting stack in every hand.
    pub stack_reset_per_hand: bool,
}

/// The state of a hand. All amounts are chips.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "GtoWizardState")]
pub struct StateObject {
    /// The street: `preflop`, `flop`, `turn` or `river`.
    pub street: String,
    /// Chips of the rounds before.
    pub common_pot: f64,
    /// All chips in the pot.
    pub total_pot: f64,
    /// The board's cards without separators.
    pub board_cards: String,
    /// Whether the hand is over.
    pub is_hand_over: bool,
    /// Both players.
    pub players: Vec<PlayerObject>,
    /// What the client may do: a subset of `f`, `c`, `k` and `b`.
    pub legal_actions: Vec<String>,
    /// The totals on the street to which the client may bet; `null` when it may not.
    pub raise_range: Option<RangeObject>,
    /// The betting so far.
    pub action_history: Vec<String>,
    /// Whether the host's side has folded.
    pub has_gto_wizard_folded: bool,
    /// The client's winnings, once the hand is over.
    pub winnings: Option<f64>,
    /// The same without much of the luck, with the same mean.
    pub aivat_score: Option<f64>,
}

/// A player in a hand.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "GtoWizardPlayer")]
pub struct PlayerObject {
    /// The player's name: `GTO Wizard` is the host's side.
    pub name: String,
    /// Chips not in the pot.
    pub stack: f64,
    /// `SB`, which is the button, or `BB`.
    pub position: String,
    /// The player's cards without separators; `null` as long as the client may not see them.
    pub hole_cards: Option<String>,
}

/// The least and the greatest total of a bet.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "GtoWizardRange")]
pub struct RangeObject {
    /// The least.
    pub min: f64,
    /// The greatest: all-in.
    pub max: f64,
}

/// The answer to a refused request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GtoWizardProblem")]
pub struct ErrorObject {
    /// The reason.
    pub detail: String,
}

/// The results of one key, or of one line of the leaderboard.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "GtoWizardResults")]
pub struct ResultsObject {
    /// The name that goes with the key.
    pub bot_name: String,
    /// Finished hands.
    pub total_hands: u64,
    /// Big blinds won per hundred hands.
    pub bb_per_100: f64,
    /// The same by `aivat_score`: the figure to quote.
    pub aivat_score_bb_per_100: f64,
    /// The standard error of the score.
    pub aivat_std_bb_per_100: f64,
    /// What the client won by the luck of the cards, which the score leaves out.
    pub chance_correction_bb_per_100: f64,
    /// What it won by the luck of the host's draws, which the score leaves out.
    pub action_correction_bb_per_100: f64,
    /// Big blinds won per hundred hands, over all hands: those with a seed of the client's, too.
    pub all_hands_chips_bb_per_100: f64,
}
