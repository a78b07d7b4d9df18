//! The command-line options of rules by which a match ends early.

use clap::ValueEnum;
use logs::stats::{Sprt, StopRule};

use crate::exit::Failure;
use crate::match_options::PlayArgs;

/// Options that name a rule.
#[derive(Debug, clap::Args)]
pub(crate) struct RuleArgs {
    /// Stop when every rate is known to ±X mbb/hand, by the 95 % interval that is valid at any time
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    #[arg(conflicts_with_all = ["sprt", "preset"])]
    until: Option<f64>,
    /// Stop when the first agent's rate is found to be at least HIGH mbb/hand rather than at most
    /// LOW, or the reverse; each is wrong in at most 5 of 100 matches
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true, conflicts_with = "preset")]
    sprt: Option<String>,
    /// A preset stopping rule with its maximum number of hands
    #[arg(long, value_enum)]
    preset: Option<Preset>,
}

/// Usual rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Preset {
    /// A first look: --until 500 --hands 20000
    Quick,
    /// Whether to keep a change: --sprt 0,50 --hands 1000000
    Ship,
    /// A figure to publish: --until 20 --hands 10000000
    Publish,
}

impl Preset {
    fn rule(self) -> Result<StopRule, Failure> {
        match self {
            Preset::Quick => StopRule::until(500.0),
            Preset::Ship => Sprt::new(0.0, 50.0).map(StopRule::Sprt),
            Preset::Publish => StopRule::until(20.0),
        }
        .map_err(Failure::usage)
    }

    fn hands(self) -> u64 {
        match self {
            Preset::Quick => 20_000,
            Preset::Ship => MAX_HANDS,
            Preset::Publish => 10_000_000,
        }
    }
}

/// The most hands of a match with a stopping rule, unless --hands says otherwise.
const MAX_HANDS: u64 = 1_000_000;

impl RuleArgs {
    /// The rule given by the options; also sets the number of hands that belongs to it, if none is
    /// given.
    pub(crate) fn of(&self, play: &mut PlayArgs) -> Result<Option<StopRule>, Failure> {
        let until = self.until.map(StopRule::until);
        let sprt = self.sprt.as_deref().map(|text| text.parse().map(StopRule::Sprt));
        let rule = match self.preset {
            Some(preset) => Some(preset.rule()?),
            None => until.or(sprt).transpose().map_err(Failure::usage)?,
        };
        if rule.is_some() && play.hands.is_none() {
            let hands = self.preset.map_or(MAX_HANDS, Preset::hands);
            // A whole number of groups in games for any number of players.
            let group = if play.no_duplicate { 1 } else { play.game.load()?.players as u64 };
            play.hands = Some(hands - hands % group);
        }
        Ok(rule)
    }
}
