//! A match whose first entrant decides from outside: a program, or a person, that looks at the
//! state and acts when it likes.
//!
//! The hands are played by a [`Table`] on a thread of their own, where the guest has the seat of an
//! agent that waits for its actions, and recorded in a match folder as they end. What the guest
//! sees is what any agent sees: its information set, and after a hand the cards that were shown. It
//! plays only legal actions: others are refused, and nothing is played in their place. A hand that
//! it leaves unfinished is not recorded.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use agents::{Agent, AgentChoice, Context, Decision, Failed};
use cards::HoleCards;
use game::{Action, BySeat, GameDef, InfoSet, LegalActions, Payoff, PublicState, Seat};
use logs::ledger::HandRows;
use logs::stats::DecisionTally;
use logs::{DecisionRecord, Entrant, HandRecord, MatchInfo, Provenance};

use crate::Error;
use crate::bot::Bot;
use crate::folder::Folder;
use crate::plan::{BLOCK_DEALS, entrant};
use crate::runner::{Archive, Level, Lines, Played, Sink};
use crate::table::{Observer, Table, shown_to};

/// Key of the ledger note that the cards came from no seed that is recorded.
pub const NOTE: &str = "guest";

/// The guest's number among the entrants.
const GUEST: u8 = 0;

/// A match of a guest against an agent.
pub struct GuestPlan {
    /// The match's name.
    pub name: String,
    /// The game's definition, for two players.
    pub def: Arc<GameDef>,
    /// The game's name.
    pub game_name: String,
    /// The guest's name in records.
    pub guest: String,
    /// The agent that it plays against.
    pub agent: AgentChoice,
    /// The number of hands.
    pub hands: u64,
    /// The seed of all cards and of the agent's decisions. It is not recorded, because who knows it
    /// knows the cards of the hands to come.
    pub seed: u64,
    /// The time limit for a decision of the agent.
    pub deadline: Duration,
    /// The match's folder.
    pub folder: PathBuf,
    /// The program and its version, for the manifest.
    pub provenance: Provenance,
}

/// A match of a guest against an agent, in play. Dropping it ends the match.
pub struct GuestTable {
    shared: Arc<Shared>,
    def: Arc<GameDef>,
    name: String,
    hands: u64,
}

/// What a guest must know to act at the right time: the hand, and how many actions precede.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuestTurn {
    /// The hand's number, from 0.
    pub hand: u64,
    /// The number of actions in the hand so far, by both players.
    pub actions: u32,
}

/// What a guest sees.
#[derive(Debug, Clone)]
pub struct GuestView {
    /// The hand in play with what the guest knows of it, when it is the guest's turn; `None` after
    /// the last hand.
    pub hand: Option<(u64, InfoSet)>,
    /// The number of finished hands.
    pub finished: u64,
    /// What the guest has won in them.
    pub won: Payoff,
    /// The last finished hand.
    pub last: Option<GuestHand>,
}

/// A finished hand as the guest may see it.
#[derive(Debug, Clone)]
pub struct GuestHand {
    /// The hand's number, from 0.
    pub number: u64,
    /// The betting and the board.
    pub public: PublicState,
    /// The guest's seat.
    pub seat: Seat,
    /// The guest's cards, and the other's where they were shown.
    pub shown: BySeat<HoleCards>,
    /// What the guest won.
    pub won: Payoff,
}

/// Why an action was not played. Nothing has changed then.
#[derive(Debug)]
pub enum Refused {
    /// It was meant for another moment; this is the present one.
    Stale(Box<GuestView>),
    /// It is not legal; these are.
    Illegal(LegalActions),
    /// The match is not in play any more, or cannot go on, for this reason.
    Ended(String),
}

impl GuestView {
    /// The turn, when it is the guest's.
    pub fn turn(&self) -> Option<GuestTurn> {
        let (hand, infoset) = self.hand.as_ref()?;
        let actions = infoset.public.history().len() as u32;
        Some(GuestTurn { hand: *hand, actions })
    }
}

impl GuestHand {
    /// A recorded hand as the guest may see it.
    pub fn from_record(record: &HandRecord) -> Option<GuestHand> {
        let (seat, _) = record.entrants.iter().find(|&(_, &entrant)| entrant == GUEST)?;
        Some(GuestHand {
            number: record.hand,
            public: record.public.clone(),
            seat,
            shown: shown_to(seat, &record.public, &record.hole),
            won: record.payoffs[seat],
        })
    }
}

impl GuestTable {
    /// Makes the match's folder and begins to play.
    ///
    /// # Errors
    /// When the game is not for two, the agent cannot play it, or the folder cannot be made.
    pub fn begin(plan: GuestPlan) -> Result<GuestTable, Error> {
        let GuestPlan { name, def, agent, hands, .. } = &plan;
        if def.players != 2 {
            return Err(Error::usage(format!(
                "a guest plays games for two, and this one has {} players",
                def.players
            )));
        }
        agent.prepare(def, *hands);
        let mut bot = Bot::new(agent, def)?;
        bot.meet(std::slice::from_ref(&plan.guest));
        let other = entrant(agent, agent.name().replace([' ', ':', '|'], "_"));
        let other = other.map_err(|error| {
            Error::new(format!("a file that the agent needs cannot be read: {error}"))
        })?;
        let info = MatchInfo {
            name: name.clone(),
            game_name: plan.game_name.clone(),
            hands: *hands,
            seed: 0,
            duplicate: false,
            shard: None,
            provenance: plan.provenance.clone(),
            entrants: vec![Entrant::named(&plan.guest), other],
            game: GameDef::clone(def),
        };
        let folder = Folder::open(&plan.folder, &info, Level::Decisions)?;
        folder.set_note(NOTE, &plan.guest)?;
        let shared = Arc::new(Shared::default());
        let guest = Bot::inline(Box::new(Guest(Arc::clone(&shared))));
        let bots = vec![guest, bot];
        let table = Table::new(def, bots, plan.seed, false, Some(plan.deadline));
        let run = Run { shared: Arc::clone(&shared), table, folder, hands: *hands };
        std::thread::Builder::new()
            .name("guest".into())
            .spawn(move || run.play())
            .map_err(|error| Error::new(format!("there is no thread for the table: {error}")))?;
        Ok(GuestTable { shared, def: Arc::clone(def), name: plan.name, hands: plan.hands })
    }

    /// The match's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The game's definition.
    pub fn def(&self) -> &Arc<GameDef> {
        &self.def
    }

    /// The number of hands of the match.
    pub fn hands(&self) -> u64 {
        self.hands
    }

    /// What the guest sees as soon as it is its turn, or the match is over.
    ///
    /// # Errors
    /// The reason why the match cannot go on, or that the agent did not act in time.
    pub fn view(&self, wait: Duration) -> Result<GuestView, String> {
        self.shared.settled(self.shared.lock(), wait).map(|state| state.view())
    }

    /// Plays the guest's action at this turn; returns what it sees at its next turn. The action
    /// stands when the agent does not answer in time: the match goes on.
    ///
    /// # Errors
    /// When nothing was played, or what came of it is not known yet.
    pub fn act(
        &self,
        turn: GuestTurn,
        action: Action,
        wait: Duration,
    ) -> Result<GuestView, Refused> {
        let state = self.shared.lock();
        let mut state = self.shared.settled(state, wait).map_err(Refused::Ended)?;
        let view = state.view();
        let Some((_, infoset)) = &view.hand else {
            return Err(Refused::Ended("the last hand has been played".to_owned()));
        };
        if view.turn() != Some(turn) {
            return Err(Refused::Stale(Box::new(view)));
        }
        let legal = infoset.legal();
        if !legal.allows(action) {
            return Err(Refused::Illegal(legal));
        }
        state.chosen = Some(action);
        state.asked = None;
        self.shared.changed.notify_all();
        let state = self.shared.settled(state, wait).map_err(Refused::Ended)?;
        Ok(state.view())
    }
}

impl Drop for GuestTable {
    fn drop(&mut self) {
        self.shared.lock().closed = true;
        self.shared.changed.notify_all();
    }
}

/// What the guest and the thread that plays have in common.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The hand and the information set in which the guest is asked.
    asked: Option<(u64, InfoSet)>,
    /// The guest's answer.
    chosen: Option<Action>,
    finished: u64,
    won: Payoff,
    last: Option<GuestHand>,
    /// Whether the last hand has been played.
    over: bool,
    /// Why the match cannot go on.
    failed: Option<String>,
    /// Whether the guest is gone.
    closed: bool,
}

impl State {
    fn view(&self) -> GuestView {
        GuestView {
            hand: self.asked.clone(),
            finished: self.finished,
            won: self.won,
            last: self.last.clone(),
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        parallel::lock(&self.state)
    }

    /// Waits until it is the guest's turn or the match is over.
    fn settled<'a>(
        &self,
        mut state: MutexGuard<'a, State>,
        wait: Duration,
    ) -> Result<MutexGuard<'a, State>, String> {
        let until = Instant::now() + wait;
        loop {
            if let Some(reason) = &state.failed {
                return Err(reason.clone());
            }
            if state.asked.is_some() || state.over {
                return Ok(state);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err("the agent is still thinking: look at the table again later".into());
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The guest as an agent at the table: waits for its answers.
struct Guest(Arc<Shared>);

impl Agent for Guest {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let mut state = self.0.lock();
        state.asked = Some((cx.hand, infoset.clone()));
        self.0.changed.notify_all();
        loop {
            if state.closed {
                return Decision::failed(Failed::Gone);
            }
            if let Some(action) = state.chosen.take() {
                return action.into();
            }
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The thread that plays.
struct Run {
    shared: Arc<Shared>,
    table: Table,
    folder: Folder,
    hands: u64,
}

/// The decisions of a hand.
#[derive(Default)]
struct Decisions(Vec<DecisionRecord>);

impl Observer for Decisions {
    fn decision(&mut self, record: DecisionRecord) {
        self.0.push(record);
    }
}

impl Run {
    fn play(self) {
        let shared = Arc::clone(&self.shared);
        let ended = self.play_hands();
        let mut state = shared.lock();
        match ended {
            Ok(()) => state.over = true,
            Err(error) => state.failed = Some(format!("the table cannot go on: {error}")),
        }
        drop(state);
        shared.changed.notify_all();
    }

    fn play_hands(mut self) -> Result<(), Error> {
        let players = self.table.hand(0).entrants.len() as u64;
        let mut counts = DecisionTally::new(2);
        let mut totals = [Payoff::ZERO; 2];
        for number in 0..self.hands {
            // As in any match.
            if number % (BLOCK_DEALS * players) == 0 {
                self.table.restart();
            }
            let mut made = Decisions::default();
            let record = self.table.play(number, &mut made);
            if self.shared.lock().closed {
                self.folder.discard();
                return Ok(());
            }
            let mut rows = HandRows::default();
            rows.push(&record, &made.0);
            made.0.iter().for_each(|decision| counts.add(decision));
            let mut lines = Lines::default();
            let played = Played { record, decisions: made.0 };
            let (known, writing) = self.folder.parts();
            known.render(&played, &mut lines);
            writing.write(&lines)?;
            writing.keep(&rows, &counts)?;
            writing.flush()?;
            let record = played.record;
            for (seat, &entrant) in record.entrants.iter() {
                totals[usize::from(entrant)] += record.payoffs[seat];
            }
            let mut state = self.shared.lock();
            state.finished = number + 1;
            state.won = totals[usize::from(GUEST)];
            state.last = GuestHand::from_record(&record);
        }
        self.folder.finish(&totals)
    }
}
