//! The agreement of a student's decisions with its teacher's, and the cost of the difference, by
//! street.
//!
//! The teacher plays deals against itself, and at each of its decisions the student is asked for
//! its own ([`Likeness`]). The cost of the difference is measured by duplicate matches against the
//! teacher: in each, one player decides as the student on one street, or on all, and as the teacher
//! elsewhere.
//!
//! All hands of a deal use the same random numbers, by the decision's number in the hand, and the
//! student takes the teacher's action as often as its own probabilities allow (a maximal coupling).
//! Each hand by itself is distributed as usual, so the result of a match is unbiased. Where the
//! student acts as the teacher does, the two hands of a deal are the same hand from both seats and
//! cancel exactly, so only differences add variance. All-ins count with their expectation over the
//! cards to come.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;

use game::{Action, Chips, GameDef, InfoSet, Payoff, Policy, Strategy, Street};
use logs::Rate;
use logs::stats::Sums;
use matches::runner::Stop;
use serde::Serialize;
use show::Table as TextTable;
use show::number::{self, whole};

use crate::hands::{Hands, ask};
use crate::{Error, Settings};

/// The lower bound of probabilities in logarithms, so that an action the student never takes has a
/// large but finite loss.
pub const MIN_SHARE: f64 = 1e-7;

/// Deals that a thread plays at a time. Blocks are summed in order, for any number of threads.
const BLOCK: u64 = 32;

/// The number of results that may wait to be added up.
const WAITING: usize = 64;

/// The number of streets.
const STREETS: usize = Street::ALL.len();

/// An agent in the comparison.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// The strategy it plays.
    pub plays: &'a dyn Policy,
    /// The strategy of its model, if it plays another one, such as the likeliest action alone.
    pub says: Option<&'a dyn Policy>,
}

impl Compared<'_> {
    /// The strategy it plays, and that of its model if that is another.
    fn ask(&self, infoset: &InfoSet) -> (Strategy, Option<Strategy>) {
        (ask(self.plays, infoset), self.says.map(|says| ask(says, infoset)))
    }
}

/// The agreement of two agents: sums over decisions, with equal weights.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Likeness {
    /// The number of decisions.
    pub decisions: u64,
    /// Decisions at which both have the same likeliest action.
    same: u64,
    distance: f64,
    log_loss: f64,
    divergence: f64,
    teacher: [f64; 3],
    student: [f64; 3],
}

impl Likeness {
    /// Adds a decision: distances compare the models' strategies, shares of actions are of those
    /// played.
    fn add(&mut self, done: [&Strategy; 2], said: [&Strategy; 2]) {
        let [teacher, student] = said;
        self.decisions += 1;
        self.same += u64::from(likeliest(teacher) == likeliest(student));
        let mut common = 0.0;
        for &(action, p) in &teacher.actions {
            let q = student.probability(action);
            common += p.min(q);
            if p > 0.0 {
                let seen = q.max(MIN_SHARE).ln();
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
        for class in 0..3 {
            self.teacher[class] += other.teacher[class];
            self.student[class] += other.student[class];
        }
    }

    fn mean(&self, sum: f64) -> Option<f64> {
        (self.decisions > 0).then(|| sum / self.decisions as f64)
    }

    /// The share of decisions with the same likeliest action; like the others, `None` without
    /// decisions.
    pub fn same(&self) -> Option<f64> {
        self.mean(self.same as f64)
    }

    /// The mean total variation distance, from 0 to 1: half the sum of the absolute differences of
    /// the probabilities.
    pub fn distance(&self) -> Option<f64> {
        self.mean(self.distance)
    }

    /// The mean cross-entropy −Σ p ln q in nats, with the teacher's p and the student's q.
    pub fn log_loss(&self) -> Option<f64> {
        self.mean(self.log_loss)
    }

    /// The mean Kullback-Leibler divergence Σ p ln (p / q) in nats: the cross-entropy minus the
    /// teacher's entropy.
    pub fn divergence(&self) -> Option<f64> {
        self.mean(self.divergence)
    }

    /// The teacher's mean probabilities of folding, calling (or checking) and raising (or betting).
    pub fn teacher(&self) -> Option<[f64; 3]> {
        Some([
            self.mean(self.teacher[0])?,
            self.mean(self.teacher[1])?,
            self.mean(self.teacher[2])?,
        ])
    }

    /// The student's mean probabilities of the same, at the same decisions.
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

/// The likeliest action; the first one of several.
fn likeliest(strategy: &Strategy) -> Option<Action> {
    let mut best: Option<(Action, f64)> = None;
    for &(action, p) in &strategy.actions {
        if best.is_none_or(|(_, most)| p > most) {
            best = Some((action, p));
        }
    }
    best.map(|(action, _)| action)
}

/// The result of a comparison, or of a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Fidelity {
    /// Deals played.
    pub deals: u64,
    /// The agreement of the two, by street.
    pub streets: [Likeness; STREETS],
    /// The student's losses against the teacher when it decides on one street only, by street. A
    /// group is a deal, two hands.
    pub lost: [Sums; STREETS],
    /// The student's losses when it decides on all streets.
    pub lost_in_all: Sums,
}

impl Fidelity {
    /// The agreement of the two over all streets.
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

/// Compares a student with its teacher. When it is stopped, the result covers all deals up to some
/// number.
///
/// `seen` is called after every few deals with the result so far. The result does not depend on the
/// number of threads.
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
) -> Result<Fidelity, Error> {
    let deals = settings.deals(def)?;
    let next = AtomicU64::new(0);
    let pair = Pair { def, teacher, student, seed: settings.seed };
    let mut total = Fidelity::default();
    let work = |sender: &SyncSender<_>| {
        let mut table = Table::new(&pair);
        while !stop.asked() {
            let first = next.fetch_add(BLOCK, Ordering::Relaxed);
            if first >= deals {
                break;
            }
            let mut block = Fidelity::default();
            for deal in first..(first + BLOCK).min(deals) {
                table.deal(deal, &mut block);
            }
            // Sending fails only if the receiver panicked; then nothing matters.
            let _ = sender.send((first, block));
        }
    };
    parallel::workers(settings.jobs, WAITING, work, |receiver| {
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

/// The student and the teacher of a comparison, with the game and the seed.
struct Pair<'a> {
    def: &'a Arc<GameDef>,
    teacher: Compared<'a>,
    student: Compared<'a>,
    seed: u64,
}

/// The state of a thread.
struct Table<'a> {
    pair: &'a Pair<'a>,
    hands: Hands<'a>,
}

impl<'a> Table<'a> {
    fn new(pair: &'a Pair<'a>) -> Table<'a> {
        Table { pair, hands: Hands::new(pair.def, pair.seed) }
    }

    /// Plays a deal: the teacher against itself, then every match in which the student would act
    /// differently.
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

/// The student's action where the teacher has sampled `action`: the same one as often as possible,
/// otherwise one, chosen by `point`, that it takes more often than the teacher. Over all samples of
/// the teacher and all points this is the student's own strategy.
fn coupled(taught: &Strategy, learned: &Strategy, action: Action, point: f64) -> Action {
    let ratio = learned.probability(action) / taught.probability(action).max(f64::MIN_POSITIVE);
    if point < ratio {
        return action;
    }
    let more =
        |&(action, share): &(Action, f64)| (action, (share - taught.probability(action)).max(0.0));
    let rest = Strategy::from_weights(learned.actions.iter().map(more));
    rest.map_or(action, |rest| rest.sample((point - ratio) / (1.0 - ratio)))
}

fn rate(sums: &Sums, big_blind: Chips) -> Option<Rate> {
    Rate::from_sums(sums, big_blind).ok()
}

/// The comparison of a student with its teacher.
#[derive(Debug, Serialize)]
pub struct FidelityReport<'a> {
    student: &'a str,
    teacher: &'a str,
    game: &'a str,
    seed: u64,
    hands: u64,
    planned: u64,
    streets: Vec<StreetRow>,
    all: StreetRow,
}

/// The comparison on a street, or on all: the likeness of the decisions, and the student's loss.
#[derive(Debug, Serialize)]
struct StreetRow {
    street: &'static str,
    decisions: u64,
    same_likeliest: Option<f64>,
    distance: Option<f64>,
    divergence: Option<f64>,
    log_loss: Option<f64>,
    teacher: Option<ActionShares>,
    student: Option<ActionShares>,
    lost: Option<Rate>,
}

/// How often each kind of action is taken.
#[derive(Debug, Serialize)]
struct ActionShares {
    fold: f64,
    call: f64,
    raise: f64,
}

impl StreetRow {
    fn new(street: &'static str, likeness: &Likeness, lost: Option<Rate>) -> StreetRow {
        let shares = |[fold, call, raise]: [f64; 3]| ActionShares { fold, call, raise };
        StreetRow {
            street,
            decisions: likeness.decisions,
            same_likeliest: likeness.same(),
            distance: likeness.distance(),
            divergence: likeness.divergence(),
            log_loss: likeness.log_loss(),
            teacher: likeness.teacher().map(shares),
            student: likeness.student().map(shares),
            lost,
        }
    }

    /// The cells on the likeness of the decisions.
    fn likeness_cells(&self) -> Vec<String> {
        let nats = |nats: Option<f64>| nats.map_or_else(none, |nats| format!("{nats:.4}"));
        vec![
            self.street.to_owned(),
            whole(self.decisions),
            percent(self.same_likeliest),
            percent(self.distance),
            nats(self.divergence),
            nats(self.log_loss),
        ]
    }

    /// The cells on what both do, and on what is lost.
    fn loss_cells(&self) -> Vec<String> {
        let both = |share: fn(&ActionShares) -> f64| match (&self.teacher, &self.student) {
            (Some(teacher), Some(student)) => {
                let student = number::percent(share(student), 1);
                format!("{:.1} → {student}", 100.0 * share(teacher))
            }
            _ => none(),
        };
        let lost = self.lost.map_or_else(none, |rate| {
            format!("{:.1} ± {:.1}", positive(rate.mbb), rate.half_width())
        });
        let [fold, call] = [both(|shares| shares.fold), both(|shares| shares.call)];
        vec![self.street.to_owned(), fold, call, both(|shares| shares.raise), lost]
    }
}

impl<'a> FidelityReport<'a> {
    /// The report of a comparison of a student with its teacher, both as they were named, in a
    /// game; `planned` is the number of hands that it was to have.
    pub fn new(
        [student, teacher]: [&'a str; 2],
        (game, def): (&'a str, &GameDef),
        settings: Settings,
        found: &Fidelity,
    ) -> FidelityReport<'a> {
        let big_blind = def.big_blind();
        let streets = Street::ALL.into_iter().take(def.streets).map(|street| {
            let index = street.index();
            let lost = rate(&found.lost[index], big_blind);
            StreetRow::new(street.name(), &found.streets[index], lost)
        });
        FidelityReport {
            student,
            teacher,
            game,
            seed: settings.seed,
            hands: 2 * found.deals,
            planned: settings.hands,
            streets: streets.collect(),
            all: StreetRow::new("all", &found.in_all(), rate(&found.lost_in_all, big_blind)),
        }
    }
}

impl fmt::Display for FidelityReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FidelityReport { student, teacher, game, seed, hands, .. } = self;
        let rows = || self.streets.iter().chain([&self.all]);
        let alike = rows().map(StreetRow::likeness_cells);
        let lost = rows().map(StreetRow::loss_cells);
        writeln!(
            f,
            "{student} compared with its teacher {teacher}: {game}, seed {seed}, {} deals that \
             {teacher} plays against itself\n\n{}\n\n\
             What both do there ({teacher} → {student}), and what is lost against {teacher} in {} \
             hands where\n\
             {student} decides on this street only, with 95 % intervals\n\n{}",
            whole(hands / 2),
            text_table(&["", "decisions", "same", "distance", "KL, nats", "log-loss, nats"], alike),
            whole(*hands),
            text_table(&["", "fold", "call or check", "raise or bet", "loses, mbb/hand"], lost),
        )
    }
}

/// The cell for a missing value.
fn none() -> String {
    "-".to_owned()
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(none, |share| number::percent(share, 1))
}

/// The number without the sign of a negative zero.
fn positive(number: f64) -> f64 {
    if number == 0.0 { 0.0 } else { number }
}

fn text_table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut table = TextTable::new(head.iter().copied()).right(1..);
    rows.for_each(|row| table.row(row));
    table.to_string()
}
