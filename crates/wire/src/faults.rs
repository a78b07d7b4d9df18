//! Fault injection for the Slumbot API and that of the GTO Wizard Benchmark: for tests of clients,
//! and for practice. `docs/server.md` describes the file that configures it.
//!
//! Each request meets at most one fault; which one is a function of the seed and of the request's
//! number in the order in which requests came in.

use std::path::Path;
use std::time::Duration;

use crate::Error;
use matches::bot::mix;
use protocol::{gtowizard, slumbot};
use serde::{Deserialize, Deserializer, de};

/// The faults to inject and their rates, as shares of the requests.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FaultPlan {
    /// The seed that determines which request meets which fault.
    pub seed: u64,
    /// The connection is closed before the request is carried out.
    pub drop: f64,
    /// The request is carried out, and the connection closed without an answer.
    pub drop_after: f64,
    /// The answer is delayed.
    pub delay: f64,
    /// The shortest delay.
    #[serde(deserialize_with = "duration")]
    pub delay_from: Duration,
    /// The longest delay.
    #[serde(deserialize_with = "duration")]
    pub delay_to: Duration,
    /// The request is carried out twice, as if a proxy had sent it again; the second answer is
    /// given.
    pub duplicate: f64,
    /// The connection is closed in the middle of the answer's body.
    pub truncate: f64,
    /// The connection is reset in the middle of the body.
    pub reset: f64,
    /// The request is not carried out; the answer has one of the statuses in `codes`.
    pub status: f64,
    /// The request is carried out; the answer has one of the statuses in `codes`.
    pub status_after: f64,
    /// The statuses of these answers.
    pub codes: Vec<u16>,
    /// The number of requests in a row, from whomever they come, that meet a fault of `status`, all
    /// with the same status: a server that is overloaded for a while.
    pub burst: u64,
    /// The answer carries a new token; the old one stays valid.
    pub rotate: f64,
    /// The request is not carried out; the session's last answer is given again.
    pub repeat_answer: f64,
    /// `new_hand` deals the same hand again.
    pub repeat_hand: f64,
    /// The names of the endpoints with faults; all if empty.
    pub only: Vec<String>,
}

/// Most requests of a burst.
const MAX_BURST: u64 = 1000;

impl Default for FaultPlan {
    fn default() -> FaultPlan {
        FaultPlan {
            seed: 0,
            drop: 0.0,
            drop_after: 0.0,
            delay: 0.0,
            delay_from: Duration::from_millis(50),
            delay_to: Duration::from_secs(1),
            duplicate: 0.0,
            truncate: 0.0,
            reset: 0.0,
            status: 0.0,
            status_after: 0.0,
            codes: vec![500, 502, 503, 429],
            burst: 1,
            rotate: 0.0,
            repeat_answer: 0.0,
            repeat_hand: 0.0,
            only: Vec::new(),
        }
    }
}

impl FaultPlan {
    /// Reads a fault file.
    ///
    /// # Errors
    /// When it cannot be read, is not TOML, has unknown keys, or its rates make no sense.
    pub fn read(path: &Path) -> Result<FaultPlan, Error> {
        let fail = |reason: String| Error::here(format!("{}: {reason}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| fail(error.to_string()))?;
        let plan: FaultPlan = toml::from_str(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| {
                text.bytes().take(span.start).filter(|&byte| byte == b'\n').count() + 1
            });
            let message: Vec<&str> = error.message().lines().collect();
            fail(format!("line {line}: {}", message.join("; ")))
        })?;
        plan.check().map_err(fail)?;
        Ok(plan)
    }

    /// Checks rates, delays, statuses and endpoints; an error says what is wrong.
    fn check(&self) -> Result<(), String> {
        for (name, rate) in self.rates() {
            if !(0.0..=1.0).contains(&rate) {
                return Err(format!("{name} = {rate} is not a share of requests: write 0 to 1"));
            }
        }
        let sum: f64 = self.rates().iter().map(|(_, rate)| rate).sum();
        if sum > 1.0 + 1e-9 {
            return Err(format!("the rates come to {sum}, but a request meets at most one fault"));
        }
        let (from, to) = (self.delay_from, self.delay_to);
        if from > to {
            return Err(format!("delay_from ({from:?}) is longer than delay_to ({to:?})"));
        }
        if self.codes.is_empty() && (self.status > 0.0 || self.status_after > 0.0) {
            return Err("codes is empty: name at least one status, such as 503".to_owned());
        }
        if !(1..=MAX_BURST).contains(&self.burst) {
            return Err(format!("burst = {}: write 1 to {MAX_BURST} requests", self.burst));
        }
        let bad = |code: &&u16| !(400..=599).contains(*code);
        if let Some(code) = self.codes.iter().find(bad) {
            return Err(format!("codes: {code} is not an error status: write 400 to 599"));
        }
        let known = |name: &String| {
            let slumbot = slumbot::Endpoint::ALL.iter().any(|known| known.name() == *name);
            slumbot || gtowizard::Endpoint::ALL.iter().any(|known| known.name() == *name)
        };
        if let Some(name) = self.only.iter().find(|name| !known(name)) {
            return Err(format!(
                "only: there is no `{name}`: write login, new_hand, act, in_progress, results or \
                 leaderboard"
            ));
        }
        Ok(())
    }

    /// Whether requests to the endpoint of this name can meet faults.
    pub fn concerns(&self, endpoint: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|name| name == endpoint)
    }

    /// The rates by name, in the order in which they are drawn.
    pub fn rates(&self) -> [(&'static str, f64); 11] {
        [
            ("drop", self.drop),
            ("drop_after", self.drop_after),
            ("delay", self.delay),
            ("duplicate", self.duplicate),
            ("truncate", self.truncate),
            ("reset", self.reset),
            ("status", self.status),
            ("status_after", self.status_after),
            ("rotate", self.rotate),
            ("repeat_answer", self.repeat_answer),
            ("repeat_hand", self.repeat_hand),
        ]
    }

    /// The fault for the request of this number.
    pub fn fault(&self, number: u64) -> Fault {
        // The latest burst counts where two meet.
        let window = (number.saturating_sub(self.burst - 1)..=number).rev();
        let mut drawn = window.map(|number| self.drawn(number));
        let burst = drawn.find(|fault| matches!(fault, Fault::Status(_)));
        burst.unwrap_or_else(|| self.drawn(number))
    }

    /// The fault drawn for the request of this number.
    fn drawn(&self, number: u64) -> Fault {
        let draw = |what: u64| unit(mix(self.seed ^ mix(number) ^ mix(mix(what))));
        let code = || {
            let index = (draw(1) * self.codes.len() as f64) as usize;
            self.codes.get(index).copied().unwrap_or(503)
        };
        let point = draw(0);
        let mut below = 0.0;
        let met = self.rates().into_iter().find(|(_, rate)| {
            below += rate;
            point < below
        });
        match met.map_or("", |(name, _)| name) {
            "drop" => Fault::Drop,
            "drop_after" => Fault::DropAfter,
            "delay" => {
                let (from, to) = (self.delay_from, self.delay_to);
                Fault::Delay(from + (to - from).mul_f64(draw(2)))
            }
            "duplicate" => Fault::Duplicate,
            "truncate" => Fault::Cut { reset: false },
            "reset" => Fault::Cut { reset: true },
            "status" => Fault::Status(code()),
            "status_after" => Fault::StatusAfter(code()),
            "rotate" => Fault::Rotate,
            "repeat_answer" => Fault::RepeatAnswer,
            "repeat_hand" => Fault::RepeatHand,
            _ => Fault::None,
        }
    }
}

/// A number from 0 up to 1 made of 53 of these bits.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// The fault that a request meets, if any; see [`FaultPlan`].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Fault {
    /// The request is answered as usual.
    #[default]
    None,
    /// Not carried out, connection closed.
    Drop,
    /// Carried out, connection closed without an answer.
    DropAfter,
    /// Carried out, answered after this delay.
    Delay(Duration),
    /// Carried out twice.
    Duplicate,
    /// Carried out, the answer's body cut off.
    Cut {
        /// Whether the connection is reset rather than closed.
        reset: bool,
    },
    /// Not carried out, answered with this status.
    Status(u16),
    /// Carried out, answered with this status.
    StatusAfter(u16),
    /// Carried out, answered with a new token.
    Rotate,
    /// Not carried out, answered with the session's last answer.
    RepeatAnswer,
    /// Carried out, with the cards of the previous hand.
    RepeatHand,
}

fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(from)?;
    let time = text.parse::<jiff::SignedDuration>().ok();
    time.and_then(|time| Duration::try_from(time).ok()).ok_or_else(|| {
        de::Error::custom(format!(
            "`{text}` is not a duration: write one such as \"250ms\" or \"2s\""
        ))
    })
}
