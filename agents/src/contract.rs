//! The contract of every agent, as checks that can be run on any of them.
//!
//! An agent plays a block of hands against itself on even hands and against random players on odd
//! ones. Every decision is checked. A repeatable agent plays the block again with new instances,
//! and once more with the same instances after [`Agent::restart`]. Time comes from the caller's
//! clock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use game::{
    Action, BySeat, GameDef, InfoSet, LegalActions, Policy, PublicState, Raises, Seat, State,
    Strategy, Turn, notation,
};
use rand::RngExt;

use crate::simple::Random;
use crate::{
    Agent, AgentChoice, AgentError, AgentRng, Clock, Context, Cost, Decision, Failed, HandOutcome,
};

/// A promise of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Claim {
    /// It always decides: no panic, no time-out, no lost process.
    Answers,
    /// The actions are legal without correction.
    Legal,
    /// A reported strategy has distinct legal actions, finite probabilities from 0 to 1 that sum to
    /// 1 within 1e-6, and a positive probability for the action played. The agent's policy, if it
    /// has one, agrees with its decisions.
    Strategy,
    /// New agents with the same seeds make the same decisions.
    SameSeeds,
    /// After a restart it makes the same decisions as a new agent.
    Restart,
    /// A decision takes no longer than its cost class allows: [`Terms::longest_mean`] on average
    /// for inline agents, [`Terms::deadline`] each for workers.
    Cost,
}

impl Claim {
    /// All claims.
    pub const ALL: [Claim; 6] = [
        Claim::Answers,
        Claim::Legal,
        Claim::Strategy,
        Claim::SameSeeds,
        Claim::Restart,
        Claim::Cost,
    ];

    /// Describes the claim in words.
    pub const fn words(self) -> &'static str {
        match self {
            Claim::Answers => "answers every time",
            Claim::Legal => "plays legal actions",
            Claim::Strategy => "reports proper strategies",
            Claim::SameSeeds => "decides the same with the same seeds",
            Claim::Restart => "decides the same after a restart",
            Claim::Cost => "keeps to its cost class",
        }
    }
}

/// The parameters of a check.
#[derive(Debug, Clone, Copy)]
pub struct Terms {
    /// Number of hands in a block.
    pub hands: u32,
    /// Seed of the cards, the decisions and the random players.
    pub seed: u64,
    /// Time limit of each decision of a worker, which it is told and must keep.
    pub deadline: Duration,
    /// Maximum mean time of an inline agent's decisions. The default is generous, since the machine
    /// may be busy.
    pub longest_mean: Duration,
}

impl Default for Terms {
    /// 200 hands, ten seconds per decision for a worker, a mean of 20 milliseconds for inline
    /// agents.
    fn default() -> Terms {
        Terms {
            hands: 200,
            seed: 1,
            deadline: Duration::from_secs(10),
            longest_mean: Duration::from_millis(20),
        }
    }
}

/// The result of a check.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Number of decisions checked, over all blocks.
    pub decisions: u64,
    /// The first breach of each broken claim, with where and how it happened.
    pub breaches: Vec<(Claim, String)>,
    /// Claims that the agent does not make: an agent that is not repeatable promises neither
    /// [`Claim::SameSeeds`] nor [`Claim::Restart`].
    pub not_claimed: Vec<Claim>,
}

impl Report {
    fn breach(&mut self, claim: Claim, how: impl FnOnce() -> String) {
        if self.breaches.iter().all(|&(known, _)| known != claim) {
            self.breaches.push((claim, how()));
        }
    }
}

/// Checks an agent in a game.
///
/// # Errors
/// If the agent cannot be built for the game.
pub fn check(
    choice: &AgentChoice,
    def: &Arc<GameDef>,
    terms: Terms,
    clock: &Clock,
) -> Result<Report, AgentError> {
    check_watched(choice, def, terms, clock, &mut || {})
}

/// The number of hands that a check of this agent plays, unless it stops answering.
pub fn hands(choice: &AgentChoice, terms: Terms) -> u64 {
    u64::from(terms.hands) * if choice.repeatable() { 3 } else { 1 }
}

/// The same as [`check`], calling `watch` after every hand.
///
/// # Errors
/// If the agent cannot be built for the game.
pub fn check_watched(
    choice: &AgentChoice,
    def: &Arc<GameDef>,
    terms: Terms,
    clock: &Clock,
    watch: &mut dyn FnMut(),
) -> Result<Report, AgentError> {
    let mut report = Report::default();
    let new = || def.seats().map(|_| choice.build(def)).collect::<Result<Vec<_>, _>>();
    let (cost, policy) = (choice.cost(), choice.policy(def)?);
    let report_to = &mut report;
    let mut block =
        Block { def, terms, cost, policy, clock, report: report_to, watch, lost: false };
    let opponents = vec![choice.name().to_owned(); def.players - 1];
    let mut agents = new()?;
    block.guard("told who plays", || agents.iter_mut().for_each(|agent| agent.meet(&opponents)));
    let first = block.play(&mut agents);
    agents.into_iter().for_each(|agent| block.guard("dismissed", || drop(agent)));
    if block.lost {
        return Ok(report);
    }
    if choice.repeatable() {
        let mut agents = new()?;
        block.guard("told who plays", || {
            agents.iter_mut().for_each(|agent| agent.meet(&opponents));
        });
        let second = block.play(&mut agents);
        block.guard("restarted", || agents.iter_mut().for_each(|agent| agent.restart()));
        let third = block.play(&mut agents);
        agents.into_iter().for_each(|agent| block.guard("dismissed", || drop(agent)));
        if block.lost {
            return Ok(report);
        }
        compare(Claim::SameSeeds, &first, &second, &mut report);
        compare(Claim::Restart, &second, &third, &mut report);
    } else {
        report.not_claimed = vec![Claim::SameSeeds, Claim::Restart];
    }
    Ok(report)
}

/// A decision, for comparison between blocks.
#[derive(Debug, PartialEq)]
struct RecordedDecision {
    situation: String,
    action: Action,
    strategy: Option<Strategy>,
}

fn compare(
    claim: Claim,
    one: &[RecordedDecision],
    other: &[RecordedDecision],
    report: &mut Report,
) {
    let differing = one.iter().zip(other).find(|(a, b)| a != b);
    if let Some((a, b)) = differing {
        report
            .breach(claim, || format!("{}: {} and then {}", a.situation, describe(a), describe(b)));
    } else if one.len() != other.len() {
        report.breach(claim, || format!("{} decisions and then {}", one.len(), other.len()));
    }
}

fn describe(made: &RecordedDecision) -> String {
    match &made.strategy {
        Some(strategy) => {
            let part = |&(action, probability): &(Action, f64)| {
                format!("{} with {probability}", words(action))
            };
            let parts: Vec<String> = strategy.actions.iter().map(part).collect();
            format!("{} of {}", words(made.action), parts.join(", "))
        }
        None => words(made.action),
    }
}

fn words(action: Action) -> String {
    match action {
        Action::Fold => "a fold".to_owned(),
        Action::Call => "a call".to_owned(),
        Action::RaiseTo(total) => format!("a raise to {total}"),
    }
}

/// Describes the legal actions in words.
fn allowed(legal: LegalActions) -> String {
    let fold = if legal.fold { "fold, " } else { "" };
    match legal.raise {
        Some(Raises { min, max }) if min == max => format!("{fold}call, raise to {min}"),
        Some(Raises { min, max }) => format!("{fold}call, raise to {min} to {max}"),
        None => format!("{fold}call"),
    }
}

fn failure(reason: Failed) -> &'static str {
    match reason {
        Failed::Timeout => "no answer in time",
        Failed::Gone => "its program or connection is gone",
        Failed::BadAnswer => "its answer is not an action",
        Failed::Panicked => "it panicked",
    }
}

/// Describes where in a hand a decision is due: `seat 1 (button) after r300/`.
fn describe_decision(infoset: &InfoSet) -> String {
    let public = &infoset.public;
    let betting = notation::betting(public);
    let after = match betting.as_str() {
        "" => "as the first to act".to_owned(),
        betting => format!("after `{betting}`"),
    };
    format!("seat {} ({}) {after}", infoset.seat, public.def().position(infoset.seat))
}

/// One run through all hands.
struct Block<'a> {
    def: &'a Arc<GameDef>,
    terms: Terms,
    cost: Cost,
    policy: Option<Arc<dyn Policy>>,
    clock: &'a Clock,
    report: &'a mut Report,
    /// Called after every hand.
    watch: &'a mut dyn FnMut(),
    /// Whether the agent has stopped answering.
    lost: bool,
}

impl Block<'_> {
    fn play(&mut self, agents: &mut [Box<dyn Agent>]) -> Vec<RecordedDecision> {
        let mut made = Vec::new();
        let mut spent = Duration::ZERO;
        for hand in 0..self.terms.hands {
            self.play_hand(hand, agents, &mut made, &mut spent);
            (self.watch)();
            if self.lost {
                break;
            }
        }
        let mean = spent / u32::try_from(made.len().max(1)).unwrap_or(u32::MAX);
        if self.cost == Cost::Inline && mean > self.terms.longest_mean {
            self.report.breach(Claim::Cost, || {
                let most = self.terms.longest_mean;
                format!("an inline agent took {mean:?} a decision on average; at most {most:?}")
            });
        }
        self.report.decisions += made.len() as u64;
        made
    }

    fn play_hand(
        &mut self,
        hand: u32,
        agents: &mut [Box<dyn Agent>],
        made: &mut Vec<RecordedDecision>,
        spent: &mut Duration,
    ) {
        let (mut state, board) = self.deal(hand);
        let subject = hand as usize % self.def.players;
        loop {
            let seat = match state.public.turn() {
                Turn::Over => break,
                Turn::Deal(_) => {
                    state.public.deal_from(&board).expect("a deal holds the whole board");
                    continue;
                }
                Turn::Act(seat) => seat,
            };
            let infoset = state.infoset(seat);
            let action = if hand.is_multiple_of(2) || seat.index() == subject {
                let agent = &mut *agents[seat.index()];
                let action = self.decide(hand, &infoset, agent, made, spent);
                if self.lost {
                    return;
                }
                action
            } else {
                Random.act(&infoset, &mut self.context(hand, &infoset)).action
            };
            state.public.apply(action).expect("illegal actions have been replaced");
        }
        self.tell(hand, &state, agents);
    }

    fn deal(&self, hand: u32) -> (State, Vec<cards::Card>) {
        let mut rng = AgentRng::new(u128::from(self.terms.seed) << 32 | u128::from(hand));
        let mut deck = self.def.deck();
        for i in 0..deck.len() {
            let other = rng.random_range(i..deck.len());
            deck.swap(i, other);
        }
        let each = usize::from(self.def.hole_cards);
        let (hands, rest) = deck.split_at(each * self.def.players);
        let hole = BySeat::from_fn(self.def.players, |seat| {
            let start = each * seat.index();
            cards::HoleCards::new(&hands[start..start + each]).expect("at most three hole cards")
        });
        let board = rest[..self.def.full_board_len()].to_vec();
        (State { public: PublicState::new(self.def), hole }, board)
    }

    fn context(&self, hand: u32, infoset: &InfoSet) -> Context {
        let index = infoset.public.history().len() as u128;
        let seed = u128::from(self.terms.seed) << 64 | u128::from(hand) << 32 | index;
        Context {
            rng: AgentRng::new(seed.wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645)),
            hand: hand.into(),
            time_left: Some(self.terms.deadline),
            clock: self.clock.clone(),
        }
    }

    fn decide(
        &mut self,
        hand: u32,
        infoset: &InfoSet,
        agent: &mut dyn Agent,
        made: &mut Vec<RecordedDecision>,
        spent: &mut Duration,
    ) -> Action {
        let mut cx = self.context(hand, infoset);
        let before = self.clock.now();
        let answer = catch_unwind(AssertUnwindSafe(|| agent.act(infoset, &mut cx)));
        let took = self.clock.now().saturating_sub(before);
        *spent += took;

        let situation = format!("hand {hand}, {}", describe_decision(infoset));
        // Time-outs are reported below.
        let timeout = matches!(answer, Ok(Decision { failed: Some(Failed::Timeout), .. }));
        if self.cost == Cost::Worker && took > self.terms.deadline && !timeout {
            let most = self.terms.deadline;
            self.report.breach(Claim::Cost, || format!("{situation}: took {took:?} of {most:?}"));
        }
        let legal = infoset.legal();
        let (action, strategy) = match answer {
            Err(_) => {
                self.report.breach(Claim::Answers, || format!("{situation}: panicked"));
                (Action::Call, None)
            }
            Ok(Decision { failed: Some(reason), note, .. }) => {
                let why = note.map(|note| format!(" ({note})")).unwrap_or_default();
                let what = failure(reason);
                self.lost =
                    self.cost == Cost::Worker && matches!(reason, Failed::Timeout | Failed::Gone);
                self.report.breach(Claim::Answers, || format!("{situation}: {what}{why}"));
                (Action::Call, None)
            }
            Ok(decision) => {
                if !legal.allows(decision.action) {
                    self.report.breach(Claim::Legal, || {
                        let (asked, allowed) = (words(decision.action), allowed(legal));
                        format!("{situation}: {asked} is not legal; allowed: {allowed}")
                    });
                }
                let wrong = improper(infoset, &decision)
                    .or_else(|| contradiction(self.policy.as_deref()?, infoset, &decision));
                let strategy = decision.strategy.filter(|_| wrong.is_none());
                if let Some(wrong) = wrong {
                    self.report.breach(Claim::Strategy, || format!("{situation}: {wrong}"));
                }
                (legal.nearest(decision.action), strategy)
            }
        };
        made.push(RecordedDecision { situation, action, strategy });
        action
    }

    /// Runs a method of agents; a panic breaks [`Claim::Answers`].
    fn guard(&mut self, when: &str, work: impl FnOnce()) {
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            self.report.breach(Claim::Answers, || format!("panicked when {when}"));
        }
    }

    fn tell(&mut self, hand: u32, state: &State, agents: &mut [Box<dyn Agent>]) {
        let payoffs = state.payoffs();
        let folded = state.public.folded();
        let def = self.def;
        for (seat, agent) in def.seats().zip(agents) {
            let seen = |other: Seat| {
                other == seat || (state.public.is_showdown() && !folded.contains(other))
            };
            let shown = BySeat::from_fn(def.players, |other| {
                if seen(other) { state.hole[other] } else { cards::HoleCards::EMPTY }
            });
            let outcome = HandOutcome {
                hand: hand.into(),
                public: &state.public,
                seat,
                shown: &shown,
                payoffs: &payoffs,
            };
            self.guard("told how a hand ended", || agent.hand_over(&outcome));
        }
    }
}

/// Describes how a decision contradicts the agent's policy, if it does.
fn contradiction(policy: &dyn Policy, infoset: &InfoSet, decision: &Decision) -> Option<String> {
    let given = policy.strategy(infoset);
    if given.probability(decision.action) <= 0.0 {
        return Some(format!("{} has no probability in its policy", words(decision.action)));
    }
    let reported = decision.strategy.as_ref()?;
    let differs = |&&(action, p): &&(Action, f64)| (p - given.probability(action)).abs() > 1e-9;
    let (action, p) = reported.actions.iter().find(differs)?;
    let by = given.probability(*action);
    Some(format!("{} is reported with {p} and has {by} in its policy", words(*action)))
}

/// Describes what is wrong with the strategy of a decision, if anything.
fn improper(infoset: &InfoSet, decision: &Decision) -> Option<String> {
    let strategy = decision.strategy.as_ref()?;
    let legal = infoset.legal();
    let mut sum = 0.0;
    for (i, &(action, probability)) in strategy.actions.iter().enumerate() {
        if !(0.0..=1.0).contains(&probability) {
            return Some(format!("{} has probability {probability}", words(action)));
        }
        if !legal.allows(action) {
            return Some(format!("{} is not legal", words(action)));
        }
        if strategy.actions[..i].iter().any(|&(other, _)| other == action) {
            return Some(format!("{} appears twice", words(action)));
        }
        sum += probability;
    }
    if (sum - 1.0f64).abs() > 1e-6 {
        return Some(format!("the probabilities sum to {sum}"));
    }
    let played = strategy.probability(decision.action);
    (played <= 0.0).then(|| format!("{} was played with probability 0", words(decision.action)))
}
