//! Games, hands and conversations for the other tests.

use std::sync::Arc;
use std::time::Duration;

use game::{Action, BySeat, GameDef, PublicState, Quirks, State, Turn};
use protocol::acpc::deal::Deals;
use protocol::acpc::dealer::{Config, Dealer, Event};
use protocol::acpc::gamedef::{self, Reading};
use protocol::acpc::{self, MatchState};

/// A built-in game, as a compatible dealer plays it.
pub(crate) fn game(name: &str) -> Arc<GameDef> {
    let text = acpc::find(name).unwrap().text;
    let file = gamedef::read(text.as_bytes(), name, Reading::Strict).unwrap();
    Arc::new(file.def.with_quirks(Quirks::ORIGINAL))
}

pub(crate) const NOLIMIT: &str = "holdem.nolimit.2p.reverse_blinds";
pub(crate) const LIMIT: &str = "holdem.limit.2p.reverse_blinds";

/// Every state of a hand in which the choices are made by these numbers.
pub(crate) fn play(def: &Arc<GameDef>, seed: u32, choices: &[u32]) -> Vec<State> {
    let deal = Deals::new(def, seed).deal();
    let mut state = State { public: PublicState::new(def), hole: deal.hole };
    state.public.deal_from(&deal.board).unwrap();
    let mut states = vec![state.clone()];
    let mut choices = choices.iter().cycle();
    while let Turn::Act(_) = state.public.turn() {
        let legal = state.public.legal();
        let choice = *choices.next().unwrap();
        let action = match (choice % 4, legal.raise) {
            (0, _) if legal.fold && choice.is_multiple_of(3) => Action::Fold,
            (1 | 2, Some(raise)) => {
                let range = u64::from(raise.max - raise.min) + 1;
                Action::RaiseTo(raise.min + (u64::from(choice / 4) % range) as u32)
            }
            _ => Action::Call,
        };
        state.public.apply(action).unwrap();
        state.public.deal_from(&deal.board).unwrap();
        states.push(state.clone());
    }
    states
}

/// A state with everybody's cards where they are dealt by a seed and the betting is given.
pub(crate) fn replay(def: &Arc<GameDef>, seed: u32, betting: &str) -> State {
    let deal = Deals::new(def, seed).deal();
    for count in 0..=deal.board.len() {
        let board = cards::Board::new(&deal.board[..count]).unwrap();
        if let Ok(public) = game::notation::replay(def, betting, &board) {
            return State { public, hole: deal.hole };
        }
    }
    panic!("{betting} is not legal");
}

/// A dealer in memory: lines go in, lines come out.
pub(crate) struct Table {
    pub(crate) dealer: Dealer,
    pub(crate) now: Duration,
    /// The lines sent to each entrant.
    pub(crate) lines: Vec<Vec<String>>,
    pub(crate) events: Vec<Event>,
}

impl Table {
    /// A table at which everybody has sent the right version.
    pub(crate) fn new(config: Config) -> Table {
        let mut table = Table::silent(config);
        for entrant in 0..table.lines.len() {
            table.send(entrant, b"VERSION:2.0.0\r\n");
        }
        table
    }

    /// A table at which nobody has said anything.
    pub(crate) fn silent(config: Config) -> Table {
        let lines = vec![Vec::new(); config.def.players];
        let mut dealer = Dealer::new(config);
        dealer.handle_timeout(Duration::ZERO);
        Table { dealer, now: Duration::ZERO, lines, events: Vec::new() }
    }

    pub(crate) fn send(&mut self, entrant: usize, bytes: &[u8]) {
        self.dealer.receive(entrant, bytes, self.now);
        self.drain();
    }

    /// Answers the last state that was sent.
    pub(crate) fn act(&mut self, entrant: usize, action: &str) {
        let line = self.lines[entrant].last().unwrap().clone();
        self.send(entrant, format!("{line}:{action}\r\n").as_bytes());
    }

    /// Lets time pass.
    pub(crate) fn wait(&mut self, time: Duration) {
        self.now += time;
        self.dealer.handle_timeout(self.now);
        self.drain();
    }

    pub(crate) fn close(&mut self, entrant: usize) {
        self.dealer.closed(entrant, self.now);
        self.drain();
    }

    pub(crate) fn drain(&mut self) {
        while let Some(event) = self.dealer.poll_event() {
            self.events.push(event);
        }
        for (entrant, lines) in self.lines.iter_mut().enumerate() {
            let bytes = self.dealer.output(entrant).to_vec();
            self.dealer.consume_output(entrant, bytes.len());
            let text = String::from_utf8(bytes).unwrap();
            lines.extend(text.split_terminator("\r\n").map(str::to_owned));
        }
    }

    /// The last event reported.
    pub(crate) fn last(&self) -> String {
        self.events.last().map(|event| format!("{event:?}")).unwrap_or_default()
    }

    /// The entrant at fault and the reason why the match failed.
    pub(crate) fn failure(&self) -> Option<(Option<usize>, String)> {
        match self.events.last() {
            Some(Event::Failed(failure)) => Some((failure.entrant, failure.cause.to_string())),
            _ => None,
        }
    }
}

/// The number of others' cards shown in each seat's line.
pub(crate) fn parse_all(def: &Arc<GameDef>, hand: u32, state: &State) -> BySeat<u8> {
    BySeat::from_fn(def.players, |seat| {
        let line = MatchState::for_seat(hand, seat, state).to_string();
        let parsed = MatchState::parse(def, &line).unwrap();
        parsed.hole.iter().filter(|(_, hole)| !hole.is_empty()).count() as u8
    })
}
