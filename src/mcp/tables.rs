//! Tables at which a model plays hands against an agent, and what it sees there: the state with the
//! legal actions, and the results of hands in words.
//!
//! The cards come from the seed of the caller and a secret of the data folder: the same seed deals
//! the same cards here, and nobody can compute them. A seed is at one open table at a time, so that
//! no table shows what another still hides.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use agents::AgentChoice;
use cards::evaluate;
use game::{Action, GameDef, InfoSet, LegalActions, PublicState, notation};
use logs::LedgerReader;
use matches::guest::{GuestHand, GuestPlan, GuestTable, GuestTurn, GuestView, Refused};
use matches::plan::fresh_seed;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::slumbot_host::Secret;

use super::tools::Refusal;
use crate::hand_words::{bet_of_pot, ending, hand_name, outcome, since_last, street_lines};
use crate::match_options::provenance;

/// The guest's name in records.
const GUEST: &str = "guest";

/// How many of its decisions an agent is waited for, as long as each may take.
const DECISIONS_WAITED_FOR: u32 = 3;

/// The longest time to wait for an agent: a connection on which nothing moves is closed after a
/// minute.
const MAX_WAIT: Duration = Duration::from_secs(45);

/// The fractions of the pot that are offered as sizes.
const SIZES: [(&str, f64); 4] = [
    ("a third of the pot", 1.0 / 3.0),
    ("half the pot", 0.5),
    ("the pot", 1.0),
    ("twice the pot", 2.0),
];

/// The open tables.
pub(super) struct Tables {
    data: PathBuf,
    most: usize,
    idle: Duration,
    deadline: Duration,
    open: Mutex<HashMap<String, Arc<Open>>>,
    /// Made with the first table. It is held while one begins.
    secret: tokio::sync::Mutex<Option<Secret>>,
}

/// An open table.
struct Open {
    table: GuestTable,
    game: String,
    agent: String,
    seed: u32,
    used: Mutex<Instant>,
}

impl Open {
    /// Whether the last hand has been played.
    fn is_over(&self) -> bool {
        self.table.view(Duration::ZERO).is_ok_and(|view| view.hand.is_none())
    }
}

/// The plan of a new table.
pub(super) struct NewTable {
    pub(super) agent: AgentChoice,
    pub(super) game: &'static str,
    pub(super) def: Arc<GameDef>,
    pub(super) seed: Option<u32>,
    pub(super) hands: u64,
}

/// What the guest does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Verb {
    Fold,
    Check,
    Call,
    Bet,
    Raise,
}

/// A table as its guest sees it.
#[derive(Debug, Serialize)]
pub(super) struct TableState {
    schema: &'static str,
    /// The table's name, for `state`, `act` and `result`.
    table: String,
    /// The match's name, for `stats` and `explain`.
    #[serde(rename = "match")]
    of: String,
    game: String,
    agent: String,
    /// The seed of the cards, as asked for.
    seed: u32,
    big_blind: game::Chips,
    hands: u64,
    finished: u64,
    /// Chips won in all finished hands; negative for losses.
    won: f64,
    /// Whether the last hand has been played.
    over: bool,
    last_hand: Option<HandResult>,
    /// The hand in play.
    hand: Option<HandState>,
}

/// The hand in play, in which it is the guest's turn.
#[derive(Debug, Serialize)]
struct HandState {
    /// What `act` must be given.
    turn: String,
    number: u64,
    seat: usize,
    /// Whether the guest has the dealer button.
    button: bool,
    street: &'static str,
    cards: String,
    board: String,
    /// The best hand of the guest's cards and the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    holding: Option<String>,
    pot: u64,
    to_call: game::Chips,
    stack: game::Chips,
    agent_stack: game::Chips,
    /// Chips put in over the whole hand.
    put_in: game::Chips,
    agent_put_in: game::Chips,
    legal: Vec<Legal>,
    /// The betting in ACPC notation.
    betting: String,
    /// The hand so far, a line for each street; amounts in words are totals of the street.
    so_far: Vec<String>,
    /// What happened since the guest's last action.
    since: String,
}

/// A legal action.
#[derive(Debug, Serialize)]
struct Legal {
    action: &'static str,
    /// Chips that a call adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    adds: Option<game::Chips>,
    /// The totals over the whole hand to which may be bet or raised.
    #[serde(skip_serializing_if = "Option::is_none")]
    min_amount: Option<game::Chips>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_amount: Option<game::Chips>,
    /// Usual sizes with their totals.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    sizes: Vec<SizeLine>,
}

#[derive(Debug, Serialize)]
struct SizeLine {
    size: &'static str,
    amount: game::Chips,
}

/// A finished hand as its guest may see it.
#[derive(Debug, Serialize)]
pub(super) struct HandResult {
    hand: u64,
    cards: String,
    /// The agent's cards, where they were shown.
    agent_cards: Option<String>,
    board: String,
    /// Chips won; negative for losses.
    won: f64,
    betting: String,
    /// The hand in words, a line for each street, and one for the end.
    in_words: Vec<String>,
}

impl Tables {
    pub(super) fn new(data: PathBuf, most: usize, idle: Duration, deadline: Duration) -> Tables {
        let (open, secret) = (Mutex::default(), tokio::sync::Mutex::default());
        Tables { data, most, idle, deadline, open, secret }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Arc<Open>>> {
        parallel::lock(&self.open)
    }

    /// Begins a table; returns its state when it is the guest's turn.
    pub(super) async fn begin(&self, new: NewTable) -> Result<TableState, Refusal> {
        let mut secret = self.secret.lock().await;
        self.make_room()?;
        let seed = new.seed.unwrap_or_else(|| fresh_seed() as u32);
        // Games with the same deck have the same cards.
        if self.open().values().any(|open| open.seed == seed && !open.is_over()) {
            return Err(Refusal::new(format!(
                "another open table has the cards of seed {seed}: close it, or give another seed"
            )));
        }
        let cannot = |error: &dyn std::fmt::Display| {
            Refusal::new(format!("a table cannot be made in {}: {error}", self.data.display()))
        };
        let folder = self.data.join("mcp");
        runs::create_folder(&folder).map_err(|error| cannot(&error))?;
        if secret.is_none() {
            let opened = Secret::open(&folder.join("secret"), 0);
            *secret = Some(opened.map_err(|error| cannot(&error))?);
        }
        let Some(secret) = &*secret else { return Err(cannot(&"there is no secret")) };
        let name = format!("{:016x}", secret.token() as u64);
        let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let agent = new.agent.name().to_owned();
        let of: String = format!("{GUEST}-vs-{agent}-{}-{:08x}", new.game, fresh_seed() as u32);
        let of: String = of.chars().map(plain).collect();
        let plan = GuestPlan {
            name: of.clone(),
            def: new.def,
            game_name: new.game.to_owned(),
            guest: GUEST.to_owned(),
            agent: new.agent,
            hands: new.hands,
            // The ledger's seeds are below 2^63.
            seed: secret.asked(seed) >> 1,
            deadline: self.deadline,
            folder: self.data.join("matches").join(&of),
            provenance: provenance(),
        };
        let begun = tokio::task::spawn_blocking(move || GuestTable::begin(plan)).await;
        let table = begun.map_err(|error| cannot(&error))?;
        let table = table.map_err(|error| Refusal::new(error.to_string()))?;
        let used = Mutex::new(Instant::now());
        let open = Arc::new(Open { table, game: new.game.to_owned(), agent, seed, used });
        self.open().insert(name.clone(), Arc::clone(&open));
        self.seen(name, open, |open, wait| open.table.view(wait).map_err(Refused::Ended)).await
    }

    /// Closes tables that nobody uses, if there is no room for another one.
    fn make_room(&self) -> Result<(), Refusal> {
        let mut open = self.open();
        if open.len() >= self.most {
            open.retain(|_, open| {
                let used = *parallel::lock(&open.used);
                !open.is_over() && used.elapsed() < self.idle
            });
        }
        if open.len() >= self.most {
            return Err(Refusal::new(format!(
                "{} tables are open, the limit: close one with `close_table`",
                self.most
            )));
        }
        Ok(())
    }

    fn find(&self, name: &str) -> Result<Arc<Open>, Refusal> {
        let found = self.open().get(name).cloned();
        let open = found.ok_or_else(|| {
            let name = game::escape::excerpt(name);
            Refusal::new(format!("no table `{name}` is open: `new_table` begins one"))
        })?;
        *parallel::lock(&open.used) = Instant::now();
        Ok(open)
    }

    /// The state of a table.
    pub(super) async fn state(&self, name: String) -> Result<TableState, Refusal> {
        let open = self.find(&name)?;
        self.seen(name, open, |open, wait| open.table.view(wait).map_err(Refused::Ended)).await
    }

    /// Plays an action; returns the state after it.
    pub(super) async fn act(
        &self,
        name: String,
        turn: String,
        verb: Verb,
        amount: Option<game::Chips>,
    ) -> Result<TableState, Refusal> {
        let open = self.find(&name)?;
        self.seen(name, open, move |open, wait| {
            let view = open.table.view(wait).map_err(Refused::Ended)?;
            let Some((_, infoset)) = &view.hand else {
                return Err(Refused::Ended("the last hand has been played".to_owned()));
            };
            let Some(turn) = read_turn(&turn).filter(|turn| view.turn() == Some(*turn)) else {
                return Err(Refused::Stale(Box::new(view)));
            };
            let legal = infoset.legal();
            let action = read_action(verb, amount, legal).ok_or(Refused::Illegal(legal))?;
            open.table.act(turn, action, wait)
        })
        .await
    }

    /// A finished hand of a table.
    pub(super) async fn result(&self, name: String, hand: u64) -> Result<HandResult, Refusal> {
        let open = self.find(&name)?;
        let folder = self.data.join("matches").join(open.table.name());
        let read = tokio::task::spawn_blocking(move || {
            let record = LedgerReader::open(&folder)?.hand(hand)?;
            Ok::<_, logs::LedgerError>(record.as_ref().and_then(GuestHand::from_record))
        });
        let cannot = |error: &dyn std::fmt::Display| {
            Refusal::new(format!("the table's hands cannot be read: {error}"))
        };
        let found = read.await.map_err(|error| cannot(&error))?.map_err(|error| cannot(&error))?;
        let none = || Refusal::new(format!("hand {hand} is not finished; hands count from 0"));
        found.map(|hand| HandResult::new(&hand, &open.agent)).ok_or_else(none)
    }

    /// Closes a table. A hand in play is not recorded.
    pub(super) async fn close(&self, name: String) -> Result<TableState, Refusal> {
        let open = self.find(&name)?;
        self.open().remove(&name);
        let view = |open: &Open, _| open.table.view(Duration::ZERO).map_err(Refused::Ended);
        let mut state = self.seen(name, open, view).await?;
        (state.hand, state.over) = (None, true);
        Ok(state)
    }

    /// Closes all tables.
    pub(super) fn close_all(&self) {
        self.open().clear();
    }

    /// Looks at a table on a blocking thread, since the agent may be thinking.
    async fn seen(
        &self,
        name: String,
        open: Arc<Open>,
        look: impl FnOnce(&Open, Duration) -> Result<GuestView, Refused> + Send + 'static,
    ) -> Result<TableState, Refusal> {
        let wait = self.deadline.saturating_mul(DECISIONS_WAITED_FOR).min(MAX_WAIT);
        let seen = tokio::task::spawn_blocking(move || {
            let seen = look(&open, wait);
            let state = |view: &GuestView| TableState::new(&name, &open, view);
            match seen {
                Ok(view) => Ok(state(&view)),
                Err(Refused::Stale(view)) => Err(Refusal::with_state(
                    "this is not the turn: nothing was played. The state now follows",
                    &state(&view),
                )),
                Err(Refused::Illegal(_)) => {
                    let why = "this is not one of the legal actions: nothing was played. The \
                               state, with the legal ones, follows; amounts are totals over the \
                               whole hand, for bet and raise only";
                    let view = open.table.view(Duration::ZERO).map_err(Refusal::new)?;
                    Err(Refusal::with_state(why, &state(&view)))
                }
                Err(Refused::Ended(why)) => Err(Refusal::new(why)),
            }
        });
        let failed = |error| Refusal::new(format!("the table cannot be seen: {error}"));
        seen.await.map_err(failed)?
    }
}

/// A turn as [`HandState::turn`] says it.
fn turn_text(turn: GuestTurn) -> String {
    format!("{}.{}", turn.hand, turn.actions)
}

fn read_turn(text: &str) -> Option<GuestTurn> {
    let (hand, actions) = text.split_once('.')?;
    let turn = GuestTurn { hand: hand.parse().ok()?, actions: actions.parse().ok()? };
    (turn_text(turn) == text).then_some(turn)
}

/// The action of these words; `None` where it is not legal.
fn read_action(verb: Verb, amount: Option<game::Chips>, legal: LegalActions) -> Option<Action> {
    let action = match (verb, amount) {
        (Verb::Fold, None) => Action::Fold,
        (Verb::Check, None) => (legal.to_call == 0).then_some(Action::Call)?,
        (Verb::Call, None) => (legal.to_call > 0).then_some(Action::Call)?,
        (Verb::Bet | Verb::Raise, Some(amount)) => Action::RaiseTo(amount),
        // There is one size in limit games.
        (Verb::Bet | Verb::Raise, None) => {
            let raise = legal.raise.filter(|raise| raise.min == raise.max)?;
            Action::RaiseTo(raise.min)
        }
        _ => return None,
    };
    legal.allows(action).then_some(action)
}

impl TableState {
    fn new(name: &str, open: &Open, view: &GuestView) -> TableState {
        let turn = view.turn();
        let hand = view.hand.as_ref().zip(turn);
        TableState {
            schema: "cardroom-mcp-table/1",
            table: name.to_owned(),
            of: open.table.name().to_owned(),
            game: open.game.clone(),
            agent: open.agent.clone(),
            seed: open.seed,
            big_blind: open.table.def().big_blind(),
            hands: open.table.hands(),
            finished: view.finished,
            won: view.won.chips(),
            over: view.hand.is_none(),
            last_hand: view.last.as_ref().map(|last| HandResult::new(last, &open.agent)),
            hand: hand.map(|((_, infoset), turn)| HandState::new(infoset, turn, &open.agent)),
        }
    }
}

impl HandState {
    fn new(infoset: &InfoSet, turn: GuestTurn, agent: &str) -> HandState {
        let InfoSet { public, seat, hole } = infoset;
        let seat = *seat;
        let other = public.def().seats().find(|&other| other != seat).unwrap_or(seat);
        let board = public.board();
        let holding = (is_holdem(public.def()) && !board.is_empty())
            .then(|| hand_name(evaluate(hole.iter().chain(&*board).copied().collect())));
        HandState {
            turn: turn_text(turn),
            number: turn.hand,
            seat: seat.index(),
            button: seat == public.def().button(),
            street: public.street().name(),
            cards: hole.to_string(),
            board: board.to_string(),
            holding,
            pot: public.pot(),
            to_call: public.legal().to_call,
            stack: public.stack(seat),
            agent_stack: public.stack(other),
            put_in: public.committed()[seat],
            agent_put_in: public.committed()[other],
            legal: Legal::all(public),
            betting: notation::betting(public),
            so_far: street_lines(public, seat, agent),
            since: since_last(public, seat, agent),
        }
    }
}

impl Legal {
    /// The legal actions of the player to act.
    fn all(public: &PublicState) -> Vec<Legal> {
        let LegalActions { fold, to_call, raise } = public.legal();
        let plain = |action| Legal {
            action,
            adds: None,
            min_amount: None,
            max_amount: None,
            sizes: Vec::new(),
        };
        let call = if to_call > 0 {
            Legal { adds: Some(to_call), ..plain("call") }
        } else {
            plain("check")
        };
        let raise = raise.map(|raise| {
            let sizes = SIZES.map(|(size, part)| (size, bet_of_pot(public, part)));
            let within = |amount: u32| (raise.min..raise.max).contains(&amount);
            let sizes = sizes.into_iter().filter(|&(_, amount)| within(amount));
            let all_in = (raise.min < raise.max).then_some(("all-in", raise.max));
            let bets = public.highest() > public.before_street();
            Legal {
                min_amount: Some(raise.min),
                max_amount: Some(raise.max),
                sizes: sizes
                    .chain(all_in)
                    .map(|(size, amount)| SizeLine { size, amount })
                    .collect(),
                ..plain(if bets { "raise" } else { "bet" })
            }
        });
        fold.then(|| plain("fold")).into_iter().chain([call]).chain(raise).collect()
    }
}

impl HandResult {
    fn new(hand: &GuestHand, agent: &str) -> HandResult {
        let GuestHand { number, public, seat, shown, won } = hand;
        let seat = *seat;
        let other = public.def().seats().find(|&other| other != seat).unwrap_or(seat);
        let theirs = (!shown[other].is_empty()).then(|| shown[other].to_string());
        let mut in_words = street_lines(public, seat, agent);
        let chips = won.chips();
        // Halves of a chip are rounded in words only.
        let end = format!("{}.", outcome(chips.round() as i64));
        in_words.push(if is_holdem(public.def()) || !public.is_showdown() {
            format!("{} {end}", ending(public, seat, [&shown[seat], &shown[other]], agent))
        } else {
            end
        });
        HandResult {
            hand: *number,
            cards: shown[seat].to_string(),
            agent_cards: theirs,
            board: public.board().to_string(),
            won: chips,
            betting: notation::betting(public),
            in_words,
        }
    }
}

/// Whether hands are two cards and five on the board, from the whole deck.
fn is_holdem(def: &GameDef) -> bool {
    (def.suits, def.ranks, def.hole_cards) == (4, 13, 2) && def.board_cards == [0, 3, 1, 1]
}

#[cfg(test)]
mod tests {
    use game::Raises;

    use super::*;

    #[test]
    fn a_turn_is_read_only_as_it_was_written() {
        for (hand, actions) in [(0, 0), (7, 12), (u64::MAX, u32::MAX)] {
            let turn = GuestTurn { hand, actions };
            assert_eq!(read_turn(&turn_text(turn)), Some(turn));
        }
        for bad in
            ["", ".", "1", "1.", ".1", "1.1.1", "01.1", "+1.1", "1.-1", "1.1 ", "1.4294967296"]
        {
            assert_eq!(read_turn(bad), None, "{bad}");
        }
    }

    #[test]
    fn words_are_the_action_they_name_or_none() {
        let owed =
            LegalActions { fold: true, to_call: 50, raise: Some(Raises { min: 200, max: 900 }) };
        let free =
            LegalActions { fold: false, to_call: 0, raise: Some(Raises { min: 200, max: 200 }) };
        let shut = LegalActions { fold: true, to_call: 50, raise: None };
        for (verb, amount, of) in [
            (Verb::Fold, None, [Some(Action::Fold), None, Some(Action::Fold)]),
            (Verb::Fold, Some(0), [None; 3]),
            (Verb::Check, None, [None, Some(Action::Call), None]),
            (Verb::Call, None, [Some(Action::Call), None, Some(Action::Call)]),
            (Verb::Call, Some(50), [None; 3]),
            (Verb::Raise, None, [None, Some(Action::RaiseTo(200)), None]),
            (Verb::Raise, Some(199), [None; 3]),
            (Verb::Bet, Some(200), [Some(Action::RaiseTo(200)), Some(Action::RaiseTo(200)), None]),
            (Verb::Raise, Some(900), [Some(Action::RaiseTo(900)), None, None]),
            (Verb::Raise, Some(901), [None; 3]),
        ] {
            let read = [owed, free, shut].map(|legal| read_action(verb, amount, legal));
            assert_eq!(read, of, "{verb:?} {amount:?}");
        }
    }
}
