//! How far one agent, a student, does what another one, its teacher, does, and what the difference
//! costs it, street by street.
//!
//! The teacher plays deals against itself, and at each of its decisions the student is asked what
//! it would do there ([`Likeness`]). What the difference costs is measured by duplicate matches
//! against the teacher: in each of them one player decides as the student on one street, or on all,
//! and as the teacher elsewhere.
//!
//! All hands of a deal draw from the same random numbers, by the decision's number in the hand, and
//! the student takes the teacher's action as often as its own probabilities allow (a maximal
//! coupling). Each hand by itself is played as ever, so that the result of a match is unbiased; and
//! where the student does what the teacher does, the two hands of a deal are the same hand from
//! both seats and cancel exactly, so that nothing but the differences makes the result spread.
//! All-ins count with their expectation over the cards to come.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;

use game::{Action, GameDef, InfoSet, Payoff, Policy, Strategy, Street};
use logs::stats::Sums;
use matches::stop::Stop;

use crate::hands::{Hands, Settings, SettingsError, ask};

/// Probabilities below this count as this in logarithms, so that what the student never does is
/// dear but not endless.
pub const LEAST_SHARE: f64 = 1e-7;

/// Deals that a thread plays at a time. Sums of blocks are added in their order, whatever the
/// number of threads.
const BLOCK: u64 = 32;

/// Streets.
const STREETS: usize = Street::ALL.len();

/// An agent that is compared with another one.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// What it does.
    pub plays: &'a dyn Policy,
    /// The probabilities that its model gives, where it plays others, such as the likeliest action
    /// alone.
    pub says: Option<&'a dyn Policy>,
}

impl Compared<'_> {
    /// What it does, and what its model says where that is something else.
    fn ask(&self, infoset: &InfoSet) -> (Strategy, Option<Strategy>) {
        (ask(self.plays, infoset), self.says.map(|says| ask(says, infoset)))
    }
}

/// How alike two agents decide: sums over decisions, each counted once.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Likeness {
    /// Decisions.
    pub decisions: u64,
    /// Those at which the same action is the likeliest.
    same: u64,
    distance: f64,
    log_loss: f64,
    divergence: f64,
    teacher: [f64; 3],
    student: [f64; 3],
}

impl Likeness {
    /// Adds a decision: distances are of what is said, shares of actions of what is done.
    fn add(&mut self, done: [&Strategy; 2], said: [&Strategy; 2]) {
        let [teacher, student] = said;
        self.decisions += 1;
        self.same += u64::from(likeliest(teacher) == likeliest(student));
        let mut common = 0.0;
        for &(action, p) in &teacher.actions {
            let q = student.probability(action);
            common += p.min(q);
            if p > 0.0 {
                let seen = q.max(LEAST_SHARE).ln();
                self.log_loss -= p * seen;
                self.divergence += p * (p.ln() - seen);
            }
        }
        self.distance += (1.0 - common).max(0.0);
        for (sums, done) in [&mut self.teacher, &mut self.student].into_iter().zip(done) {
            done.actions.iter().for_each(|&(action, p)| sums[kind(action)] += p);
        }
    }

    fn merge(&mut self, other: &Likeness) {
        self.decisions += other.decisions;
        self.same += other.same;
        self.distance += other.distance;
        self.log_loss += other.log_loss;
        self.divergence += other.divergence;
        for place in 0..3 {
            self.teacher[place] += other.teacher[place];
            self.student[place] += other.student[place];
        }
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        (self.decisions > 0).then(|| sum / self.decisions as f64)
    }

    /// The share of decisions at which the same action is the likeliest, as all of these `None`
    /// without decisions.
    pub fn same(&self) -> Option<f64> {
        self.mean(self.same as f64)
    }

    /// The mean total variation distance: half the sum of what the probabilities differ by, from 0
    /// to 1.
    pub fn distance(&self) -> Option<f64> {
        self.mean(self.distance)
    }

    /// The mean of −Σ p ln q, p being the teacher's probabilities and q the student's, in nats.
    pub fn log_loss(&self) -> Option<f64> {
        self.mean(self.log_loss)
    }

    /// The mean Kullback-Leibler divergence Σ p ln (p / q), in nats: the log-loss less what the
    /// teacher itself would have.
    pub fn divergence(&self) -> Option<f64> {
        self.mean(self.divergence)
    }

    /// How often the teacher folds, calls (or checks) and raises (or bets), on average.
    pub fn teacher(&self) -> Option<[f64; 3]> {
        Some([
            self.mean(self.teacher[0])?,
            self.mean(self.teacher[1])?,
            self.mean(self.teacher[2])?,
        ])
    }

    /// The same of the student, at the same decisions.
    pub fn student(&self) -> Option<[f64; 3]> {
        Some([
            self.mean(self.student[0])?,
            self.mean(self.student[1])?,
            self.mean(self.student[2])?,
        ])
    }
}

fn kind(action: Action) -> usize {
    match action {
        Action::Fold => 0,
        Action::Call => 1,
        Action::RaiseTo(_) => 2,
    }
}

/// The first of the likeliest actions.
fn likeliest(strategy: &Strategy) -> Option<Action> {
    let mut best: Option<(Action, f64)> = None;
    for &(action, p) in &strategy.actions {
        if best.is_none_or(|(_, most)| p > most) {
            best = Some((action, p));
        }
    }
    best.map(|(action, _)| action)
}

/// What came of a comparison, or of a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fidelity {
    /// Deals played.
    pub deals: u64,
    /// How alike the two decide on each street.
    pub streets: [Likeness; STREETS],
    /// What the student loses against the teacher when it decides on one street only. A group is a
    /// deal, two hands.
    pub lost: [Sums; STREETS],
    /// The same when it decides on all.
    pub lost_in_all: Sums,
}

impl Fidelity {
    /// How alike the two decide on all streets together.
    pub fn in_all(&self) -> Likeness {
        let mut all = Likeness::default();
        self.streets.iter().for_each(|street| all.merge(street));
        all
    }

    fn merge(&mut self, other: &Fidelity) {
        self.deals += other.deals;
        for street in 0..STREETS {
            self.streets[street].merge(&other.streets[street]);
            self.lost[street].merge(&other.lost[street]);
        }
        self.lost_in_all.merge(&other.lost_in_all);
    }
}

/// Compares a student with its teacher. Ends early, with all deals before some number, when it is
/// asked to.
///
/// `seen` is called after every few deals with what is known so far. The result does not depend on
/// the threads.
///
/// # Errors
/// When the game is not for two, or the hands are odd.
pub fn compare(
    def: &Arc<GameDef>,
    teacher: Compared<'_>,
    student: Compared<'_>,
    settings: Settings,
    stop: &Stop,
    seen: &mut dyn FnMut(&Fidelity),
) -> Result<Fidelity, SettingsError> {
    if def.players != 2 {
        return Err(SettingsError::Players(def.players));
    }
    if settings.hands == 0 || !settings.hands.is_multiple_of(2) {
        return Err(SettingsError::Hands(settings.hands));
    }
    let deals = settings.hands / 2;
    let next = AtomicU64::new(0);
    let (sender, receiver) = mpsc::channel();
    let pair = Pair { def, teacher, student, seed: settings.seed };
    let mut total = Fidelity::default();
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.max(1) {
            let (sender, next, pair) = (sender.clone(), &next, &pair);
            scope.spawn(move || {
                let mut table = Table::new(pair);
                while !stop.asked() {
                    let first = next.fetch_add(BLOCK, Ordering::Relaxed);
                    if first >= deals {
                        break;
                    }
                    let mut block = Fidelity::default();
                    for deal in first..(first + BLOCK).min(deals) {
                        table.deal(deal, &mut block);
                    }
                    // Nobody hears it when the other end has panicked, and then nothing matters.
                    let _ = sender.send((first, block));
                }
            });
        }
        drop(sender);
        // Every block that was begun is finished, so that none is missing in the end.
        let (mut waiting, mut due) = (BTreeMap::new(), 0);
        for (first, block) in &receiver {
            waiting.insert(first, block);
            while let Some(block) = waiting.remove(&due) {
                total.merge(&block);
                due += BLOCK;
            }
            seen(&total);
        }
    });
    Ok(total)
}

/// A student and its teacher.
struct Pair<'a> {
    def: &'a Arc<GameDef>,
    teacher: Compared<'a>,
    student: Compared<'a>,
    seed: u64,
}

/// Where a thread plays.
struct Table<'a> {
    pair: &'a Pair<'a>,
    hands: Hands<'a>,
}

impl<'a> Table<'a> {
    fn new(pair: &'a Pair<'a>) -> Table<'a> {
        Table { pair, hands: Hands::new(pair.def, pair.seed) }
    }

    /// Plays a deal: the teacher against itself, then every match in which the student would have
    /// done something else.
    fn deal(&mut self, deal: u64, sums: &mut Fidelity) {
        let Pair { teacher, student, .. } = *self.pair;
        let cards = self.hands.deal(deal);
        sums.deals += 1;
        let mut differs = [[false; 2]; STREETS];
        let itself = self.hands.play(&cards, deal, |infoset, points| {
            let street = infoset.public.street().index();
            let ((taught, teaches), (learned, says)) = (teacher.ask(infoset), student.ask(infoset));
            let said = [teaches.as_ref().unwrap_or(&taught), says.as_ref().unwrap_or(&learned)];
            sums.streets[street].add([&taught, &learned], said);
            let action = taught.sample(points[0]);
            let instead = coupled(&taught, &learned, action, points[1]);
            differs[street][infoset.seat.index()] |= instead != action;
            action
        });
        let mut loss = |on: &dyn Fn(usize) -> bool| -> Payoff {
            let mut lost = Payoff::ZERO;
            for (seat, &payoff) in itself.iter() {
                let differs = |street: usize| on(street) && differs[street][seat.index()];
                if !(0..STREETS).any(differs) {
                    lost += -payoff;
                    continue;
                }
                let payoffs = self.hands.play(&cards, deal, |infoset, points| {
                    let taught = ask(teacher.plays, infoset);
                    let action = taught.sample(points[0]);
                    if infoset.seat != seat || !on(infoset.public.street().index()) {
                        return action;
                    }
                    coupled(&taught, &ask(student.plays, infoset), action, points[1])
                });
                lost += -payoffs[seat];
            }
            lost
        };
        for street in 0..STREETS {
            sums.lost[street].add(loss(&|at| at == street), 2);
        }
        sums.lost_in_all.add(loss(&|_| true), 2);
    }
}

/// What the student does where the teacher has drawn an action: the same where it can be, else, by
/// the point, one of those that it takes more often than the teacher. Over all draws of the teacher
/// and points these are the student's own probabilities.
fn coupled(taught: &Strategy, learned: &Strategy, action: Action, point: f64) -> Action {
    let kept = learned.probability(action) / taught.probability(action).max(f64::MIN_POSITIVE);
    if point < kept {
        return action;
    }
    let more =
        |&(action, share): &(Action, f64)| (action, (share - taught.probability(action)).max(0.0));
    let rest = Strategy::from_weights(learned.actions.iter().map(more));
    rest.map_or(action, |rest| rest.sample((point - kept) / (1.0 - kept)))
}
