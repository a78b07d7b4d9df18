//! Playing hands in this process: the fast path of local matches.

use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::HandOutcome;
use cards::HoleCards;
use game::{Action, BySeat, GameDef, InfoSet, PublicState, Seat, Turn};
use logs::{DecisionRecord, HandRecord};

use crate::bot::Bot;
use crate::deals::{Deal, Dealer};
use crate::decide::{Decided, Request};

/// A hand of a match before it is played: its number, its deal, and the seats.
#[derive(Debug, Clone, Copy)]
pub struct Hand {
    /// The hand's number in the match, from 0.
    pub number: u64,
    /// The deal's number in the match.
    pub deal: u64,
    /// The entrant in each seat.
    pub entrants: BySeat<u8>,
}

/// A table of agents, one for each entrant of a match.
pub struct Table {
    def: Arc<GameDef>,
    dealer: Dealer,
    seed: u64,
    duplicate: bool,
    deadline: Option<Duration>,
    agents: Vec<Bot>,
    clock: Instant,
}

/// Receives the decisions while a table plays.
pub trait Observer {
    /// Called after each decision.
    fn decision(&mut self, record: DecisionRecord);
}

impl Table {
    /// A table for these agents, as many as the game has players.
    ///
    /// `seed` determines cards and decisions. In a `duplicate` match each deal is played once with
    /// every rotation of the agents. `deadline` limits each decision: agents are told of it, and it
    /// is enforced for those on a thread of their own.
    pub fn new(
        def: &Arc<GameDef>,
        agents: Vec<Bot>,
        seed: u64,
        duplicate: bool,
        deadline: Option<Duration>,
    ) -> Table {
        debug_assert_eq!(agents.len(), def.players, "one agent for each player");
        let dealer = Dealer::new(def, seed);
        Table {
            def: Arc::clone(def),
            dealer,
            seed,
            duplicate,
            deadline,
            agents,
            clock: Instant::now(),
        }
    }

    /// The hand with this number: seat `k` is taken by entrant `(number + k) mod n`, and in a
    /// duplicate match `n` consecutive hands share a deal.
    pub fn hand(&self, number: u64) -> Hand {
        let players = self.def.players;
        let deal = if self.duplicate { number / players as u64 } else { number };
        let first = (number % players as u64) as usize;
        let entrants =
            BySeat::from_fn(players, |seat: Seat| ((first + seat.index()) % players) as u8);
        Hand { number, deal, entrants }
    }

    /// The time of the last decision.
    pub fn clock(&self) -> Instant {
        self.clock
    }

    /// Makes every agent forget earlier hands; called at the start of each block.
    pub fn restart(&mut self) {
        self.agents.iter_mut().for_each(Bot::restart);
    }

    /// Plays one hand.
    pub fn play(&mut self, number: u64, observer: &mut impl Observer) -> HandRecord {
        let hand = self.hand(number);
        let Deal { hole, board } = self.dealer.deal(hand.deal);
        let first = Seat::new(0).expect("every table has a first seat");
        let mut infoset =
            InfoSet { public: PublicState::new(&self.def), seat: first, hole: hole[first] };
        self.clock = Instant::now();
        loop {
            match infoset.public.turn() {
                Turn::Over => break,
                Turn::Deal(_) => {
                    infoset.public.deal_from(&board).expect("a deal holds the whole board");
                }
                Turn::Act(seat) => {
                    infoset.seat = seat;
                    infoset.hole = hole[seat];
                    let entrant = hand.entrants[seat];
                    let agent = &mut self.agents[entrant as usize];
                    let request =
                        Request { seed: self.seed, hand: number, time_left: self.deadline };
                    let decided = agent.decide(&infoset, request);
                    // One clock reading a decision: the few nanoseconds of the rules count as the
                    // agent's.
                    let after = Instant::now();
                    let action = decided.action;
                    observer.decision(decided.record(
                        &infoset,
                        number,
                        entrant,
                        after - self.clock,
                    ));
                    self.clock = after;
                    // `decide` returns legal actions.
                    infoset.public.apply_unchecked(action);
                }
            }
        }
        let payoffs = infoset.public.payoffs(&hole);
        let record = HandRecord {
            hand: number,
            deal: hand.deal,
            public: infoset.public,
            hole,
            payoffs,
            entrants: hand.entrants,
        };
        self.tell(&record);
        record
    }

    /// The cards of a deal.
    pub(crate) fn deal(&mut self, deal: u64) -> Deal {
        self.dealer.deal(deal)
    }

    /// Goes through a recorded hand as it was played. Decisions that are `wanted` (by entrant and
    /// number) are made again by the agent; `see` is called with the information set, the entrant,
    /// the action played, and the new decision, if it was made.
    pub(crate) fn ask_again(
        &mut self,
        record: &HandRecord,
        wanted: &dyn Fn(u8, u32) -> bool,
        mut see: impl FnMut(&InfoSet, u8, Action, Option<Decided>),
    ) {
        let board = record.public.board();
        let first = Seat::new(0).expect("every table has a first seat");
        let public = PublicState::new(&self.def);
        let mut infoset = InfoSet { public, seat: first, hole: record.hole[first] };
        for played in record.public.history() {
            // A record was checked against the rules when it was read.
            if matches!(infoset.public.turn(), Turn::Deal(_)) {
                infoset.public.deal_from(&board).expect("the record has the cards");
            }
            (infoset.seat, infoset.hole) = (played.seat, record.hole[played.seat]);
            let entrant = record.entrants[played.seat];
            let request = Request { seed: self.seed, hand: record.hand, time_left: self.deadline };
            let decided = wanted(entrant, infoset.public.history().len() as u32)
                .then(|| self.agents[usize::from(entrant)].decide(&infoset, request));
            see(&infoset, entrant, played.action, decided);
            infoset.public.apply_unchecked(played.action);
        }
    }

    /// Tells every agent how a hand ended, as if it had been played here.
    pub fn tell(&mut self, record: &HandRecord) {
        for (seat, &entrant) in record.entrants.iter() {
            let shown = shown_to(seat, &record.public, &record.hole);
            let outcome = HandOutcome {
                hand: record.hand,
                public: &record.public,
                seat,
                shown: &shown,
                payoffs: &record.payoffs,
            };
            self.agents[entrant as usize].hand_over(&outcome);
        }
    }
}

/// The hole cards a seat may know when a hand is over: its own, and at a showdown those of all who
/// did not fold.
pub fn shown_to(viewer: Seat, public: &PublicState, hole: &BySeat<HoleCards>) -> BySeat<HoleCards> {
    let showdown = public.is_showdown();
    BySeat::from_fn(hole.len(), |seat| {
        let shown = seat == viewer || (showdown && !public.folded().contains(seat));
        if shown { hole[seat] } else { HoleCards::EMPTY }
    })
}
