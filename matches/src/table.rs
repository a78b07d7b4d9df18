//! Playing hands in this process (the fast path of local matches), and the cards of a match: a
//! function of its seed and the number of the deal.
//!
//! Each deal has its own section of one ChaCha8 stream, so that any deal can be computed without
//! those before it: threads and shards need no coordination. (Matches over the ACPC dealer use that
//! server's own generator, which the protocol crate reproduces.)

use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::HandOutcome;
use cards::{Board, Card, HoleCards};
use game::{Action, BySeat, GameDef, InfoSet, PublicState, Seat, Street, Turn};
use logs::{DecisionRecord, HandRecord};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::bot::{Bot, Decided, Request};

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
                Turn::Deal(street) if self.def.discards && street == Street::Flop => {
                    match infoset.public.discarding() {
                        Some(seat) => {
                            (infoset.seat, infoset.hole) = (seat, hole[seat]);
                            self.put_away(&mut infoset, hand, observer);
                        }
                        None => {
                            let dealt = self.def.board_len(street) - 2;
                            let cards = &board[..dealt];
                            infoset.public.deal(cards).expect("a deal holds the whole board");
                        }
                    }
                }
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

    /// The seat of this information set puts a card on the board; without an answer it folds, as
    /// in the engine whose game it is.
    fn put_away(&mut self, infoset: &mut InfoSet, hand: Hand, observer: &mut impl Observer) {
        let entrant = hand.entrants[infoset.seat];
        let request = Request { seed: self.seed, hand: hand.number, time_left: self.deadline };
        let answer = self.agents[usize::from(entrant)].discard(infoset, request);
        let after = Instant::now();
        match answer {
            Ok(place) => {
                let card = infoset.hole[usize::from(place)];
                infoset.public.discard(place, card).expect("a card of the hand can be put there");
            }
            Err(decided) => {
                let elapsed = after - self.clock;
                observer.decision(decided.record(infoset, hand.number, entrant, elapsed));
                infoset.public.apply_unchecked(Action::Fold);
            }
        }
        self.clock = after;
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
            let wanted = infoset.public.discarding().is_none()
                && wanted(entrant, infoset.public.history().len() as u32);
            let decided =
                wanted.then(|| self.agents[usize::from(entrant)].decide(&infoset, request));
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

/// All cards of one deal: everybody's hole cards and the whole board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deal {
    /// The hole cards, by seat.
    pub hole: BySeat<HoleCards>,
    /// The board of all streets together; in games with discards other cards come in the place of
    /// the flop's last two.
    pub board: Board,
}

/// The generator of the deals of one game and seed.
#[derive(Debug, Clone)]
pub struct Dealer {
    rng: ChaCha8Rng,
    /// Words of the stream for each deal.
    words: u64,
    /// The number of the deal at which the stream stands.
    next: u64,
    deck: [Card; Card::COUNT as usize],
    deck_len: usize,
    players: usize,
    hole_cards: usize,
    board_cards: usize,
}

impl Dealer {
    /// The generator for this game and seed.
    pub fn new(def: &GameDef, seed: u64) -> Dealer {
        let cards = def.deck();
        let mut deck = [cards[0]; Card::COUNT as usize];
        deck[..cards.len()].copy_from_slice(&cards);
        let board_cards = def.full_board_len();
        let draws = def.players * def.hole_cards as usize + board_cards;
        Dealer {
            rng: ChaCha8Rng::seed_from_u64(seed),
            words: draws.next_power_of_two() as u64,
            next: 0,
            deck,
            deck_len: cards.len(),
            players: def.players,
            hole_cards: def.hole_cards as usize,
            board_cards,
        }
    }

    /// The cards of deal number `deal`, the same whenever it is asked for. Deals in order are
    /// cheapest.
    pub fn deal(&mut self, deal: u64) -> Deal {
        if deal != self.next {
            self.rng.set_word_pos(u128::from(deal) * u128::from(self.words));
        }
        self.next = deal.wrapping_add(1);
        let mut deck = self.deck;
        let mut left = self.deck_len;
        let mut unused = self.words;
        let mut draw = || {
            unused -= 1;
            // One word per draw: the bias is below one part in 2^26.
            let i = ((u64::from(self.rng.next_u32()) * left as u64) >> 32) as usize;
            left -= 1;
            deck.swap(i, left);
            deck[left]
        };
        let hole = BySeat::from_fn(self.players, |_| {
            let mut cards = HoleCards::EMPTY;
            (0..self.hole_cards).for_each(|_| _ = cards.push(draw()));
            cards
        });
        let mut board = Board::EMPTY;
        (0..self.board_cards).for_each(|_| _ = board.push(draw()));
        (0..unused).for_each(|_| _ = self.rng.next_u32());
        Deal { hole, board }
    }
}
