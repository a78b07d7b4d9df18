//! What the formats of poker sites share: which one a file has; the steps of a hand with amounts as
//! they count them, for the writers; and, for the readers, a hand as they record it, replayed by
//! the rules: players at numbered seats of a table, and amounts that are checked wherever the rules
//! know them.

use std::collections::BTreeSet;
use std::sync::Arc;

use cards::{Board, Card, HoleCards};
use game::{
    Action, Betting, BySeat, Chips, GameDef, GameSpec, Payoff, PublicState, Quirks, Seat, Street,
    Turn,
};

use crate::HandRecord;
use crate::formats::phh::usual_spec;
use crate::formats::{ReadError, gamelog, kaggle, ohh, pokerstars};
use crate::record::finished_in_whole_chips;

/// A format of poker sites, recognised by how a file begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteFormat {
    /// PokerStars' text.
    PokerStars,
    /// Open Hand History.
    OpenHandHistory,
    /// A replay of Kaggle's Game Arena.
    Kaggle,
    /// The log of the engine of MIT Pokerbots.
    Pokerbots,
}

/// A hand, and the names of its players by seat.
pub type SiteHand = (HandRecord, Vec<String>);

/// The hands of a file.
#[derive(Debug, Default)]
pub struct SiteHands {
    /// The hands in order, or an error for each that cannot be read.
    pub hands: Vec<Result<SiteHand, ReadError>>,
    /// The lines of hands whose number an earlier hand has.
    pub repeated: Vec<u64>,
    /// The units of money of which each is 100 chips, such as `$1`.
    pub money: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

impl SiteHands {
    /// Notes the number of a hand that begins on this line.
    pub(super) fn number(&mut self, number: &str, line: u64) {
        if !self.numbers.insert(number.to_owned()) {
            self.repeated.push(line);
        }
    }
}

impl SiteFormat {
    /// The format of a file that begins with this text; `None` for others.
    pub fn detect(start: &str) -> Option<SiteFormat> {
        let start = start.trim_start_matches('\u{feff}').trim_start();
        let first = start.lines().next().unwrap_or_default();
        if pokerstars::is_start(first) {
            return Some(SiteFormat::PokerStars);
        }
        if gamelog::is_start(first) {
            return Some(SiteFormat::Pokerbots);
        }
        if ohh::is_start(start) {
            return Some(SiteFormat::OpenHandHistory);
        }
        kaggle::is_start(start).then_some(SiteFormat::Kaggle)
    }

    /// The format's name.
    pub const fn name(self) -> &'static str {
        match self {
            SiteFormat::PokerStars => "PokerStars text",
            SiteFormat::OpenHandHistory => "Open Hand History",
            SiteFormat::Kaggle => "a Kaggle replay",
            SiteFormat::Pokerbots => "a Pokerbots game log",
        }
    }

    /// Parses a file's text. Hands of the same game share its definition.
    pub fn read(self, text: &str) -> SiteHands {
        match self {
            SiteFormat::PokerStars => pokerstars::read(text),
            SiteFormat::OpenHandHistory => ohh::read(text),
            SiteFormat::Kaggle => kaggle::read(text),
            SiteFormat::Pokerbots => gamelog::read(text),
        }
    }

    /// What hands of this format say that is not kept.
    pub const fn not_kept(self) -> &'static [&'static str] {
        match self {
            SiteFormat::PokerStars => &["table", "time"],
            SiteFormat::OpenHandHistory => &["site", "table", "time"],
            SiteFormat::Kaggle => &["thoughts", "odds", "time"],
            SiteFormat::Pokerbots => &["answers that the engine refused"],
        }
    }
}

/// A step of a hand after the blinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A deal of a street's cards.
    Street {
        /// The street.
        street: Street,
        /// The board with the new cards.
        board: Board,
        /// Number of board cards before.
        before: usize,
    },
    /// An action.
    Act {
        /// The acting seat.
        seat: Seat,
        /// The kind of action.
        did: ActionTaken,
        /// Chips put in.
        added: Chips,
        /// Whether the seat is all-in with it.
        all_in: bool,
    },
}

/// The kind of an action, by its usual name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActionTaken {
    Fold,
    Check,
    Call,
    Bet,
    Raise {
        /// Chips above the amount to call.
        by: Chips,
        /// The total on this street.
        to: Chips,
    },
}

/// An action with its amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Act {
    pub(crate) did: ActionTaken,
    /// Chips put in.
    pub(crate) added: Chips,
    /// Whether the seat is all-in with it.
    pub(crate) all_in: bool,
}

/// Plays a legal action of the seat whose turn it is.
pub(crate) fn act(state: &mut PublicState, seat: Seat, action: Action) -> Act {
    let (before, mine) = (state.committed()[seat], state.committed_street(seat));
    let seats = state.def().seats();
    let highest = seats.map(|seat| state.committed_street(seat)).max().unwrap_or_default();
    state.apply_unchecked(action);
    let added = state.committed()[seat] - before;
    let did = match action {
        Action::Fold => ActionTaken::Fold,
        Action::Call if added == 0 => ActionTaken::Check,
        Action::Call => ActionTaken::Call,
        Action::RaiseTo(_) if highest == 0 => ActionTaken::Bet,
        Action::RaiseTo(_) => {
            let to = mine + added;
            ActionTaken::Raise { by: to.saturating_sub(highest), to }
        }
    };
    Act { did, added, all_in: did != ActionTaken::Fold && state.stack(seat) == 0 }
}

/// The steps of a hand in order.
pub(super) fn steps(record: &HandRecord) -> Vec<Step> {
    let mut steps = Vec::with_capacity(16);
    let mut state = PublicState::new(record.public.def());
    let whole = record.public.board();
    let mut history = record.public.history().iter();
    loop {
        match state.turn() {
            Turn::Act(seat) => {
                let Some(played) = history.next() else { return steps };
                let Act { did, added, all_in } = act(&mut state, seat, played.action);
                steps.push(Step::Act { seat, did, added, all_in });
            }
            Turn::Deal(street) => {
                let before = state.board().len();
                if state.discarding().is_some() && before == whole.len() {
                    // A fold in the place of a discard.
                    let Some(played) = history.next() else { return steps };
                    let Act { did, added, all_in } = act(&mut state, played.seat, played.action);
                    steps.push(Step::Act { seat: played.seat, did, added, all_in });
                    continue;
                }
                let end = record.public.def().board_len(street).min(whole.len());
                if state.deal(&whole[before..end]).is_err() {
                    return steps;
                }
                steps.push(Step::Street { street, board: state.board(), before });
            }
            Turn::Over => return steps,
        }
    }
}

/// The seat that put in more than all others, and by how much: the uncalled chips.
pub(crate) fn uncalled(public: &PublicState) -> Option<(Seat, Chips)> {
    let mut committed: Vec<(Chips, Seat)> =
        public.committed().iter().map(|(seat, &chips)| (chips, seat)).collect();
    committed.sort_unstable_by_key(|&(chips, _)| std::cmp::Reverse(chips));
    let [(most, seat), (next, _), ..] = committed[..] else { return None };
    (most > next).then(|| (seat, most - next))
}

/// The reason why a hand cannot be read; `unsupported` as in [`ReadError`].
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) reason: String,
    pub(super) unsupported: Option<&'static str>,
}

impl From<String> for Refusal {
    fn from(reason: String) -> Refusal {
        Refusal { reason, unsupported: None }
    }
}

impl From<&str> for Refusal {
    fn from(reason: &str) -> Refusal {
        Refusal::from(reason.to_owned())
    }
}

impl Refusal {
    /// Of a sound hand that records cannot hold.
    pub(super) fn unsupported(kind: &'static str, reason: impl Into<String>) -> Refusal {
        Refusal { unsupported: Some(kind), ..Refusal::from(reason.into()) }
    }

    /// The same with its place before it.
    pub(super) fn at_place(self, place: &str) -> Refusal {
        Refusal { reason: format!("{place}: {}", self.reason), ..self }
    }

    pub(super) fn error(self, format: &'static str, line: u64) -> ReadError {
        let Refusal { reason, unsupported } = self;
        ReadError { unsupported, ..ReadError::new(format, line, reason) }
    }
}

pub(super) const RAKE: &str = "with a rake";
const POSTS: &str = "with blinds that are not the usual ones";

/// A player who is dealt in.
#[derive(Debug, Clone)]
pub(super) struct SeatedPlayer {
    /// The seat's number at the table.
    pub(super) seat: u64,
    pub(super) name: String,
    pub(super) stack: Chips,
}

/// What is known before the first card.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) betting: Betting,
    /// The blinds or, in limit games, the bets.
    pub(super) sizes: [Chips; 2],
    /// The number of the button's seat at the table.
    pub(super) button: u64,
    pub(super) players: Vec<SeatedPlayer>,
    /// The small and the big blind: who posts it, as an index into the players, and how much.
    pub(super) posts: [Option<(usize, Chips)>; 2],
}

impl Start {
    /// Adds a blind that is posted.
    pub(super) fn post(&mut self, big: bool, player: usize, chips: Chips) -> Result<(), Refusal> {
        match self.posts[usize::from(big)].replace((player, chips)) {
            None => Ok(()),
            Some(_) => Err(Refusal::unsupported(POSTS, "the blind is posted twice")),
        }
    }

    /// The hand before its first action. Hands of the same game share its definition.
    pub(super) fn begin(mut self, shared: &mut Option<Arc<GameDef>>) -> Result<TableHand, Refusal> {
        let count = self.players.len();
        if count < 2 {
            return Err(format!("{count} players are dealt in").into());
        }
        // Entrants are numbered by their seats at the table; `order` has the index of each.
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by_key(|&player| self.players[player].seat);
        let distinct = |mut of: Vec<String>| {
            of.sort_unstable();
            of.windows(2).find(|two| two[0] == two[1]).map(|two| two[0].clone())
        };
        let seats = self.players.iter().map(|player| player.seat.to_string()).collect();
        if let Some(seat) = distinct(seats) {
            return Err(format!("two players are at seat {seat}").into());
        }
        let button = order.iter().position(|&player| self.players[player].seat == self.button);
        let button = button.ok_or_else(|| {
            let seat = self.button;
            let reason = format!("the button is at seat {seat}, where nobody plays");
            Refusal::unsupported("with the button at an empty seat", reason)
        })?;
        // The first seat of the rules is the one after the button, which is the last.
        let entrants: Vec<u8> = (1..=count).map(|k| ((button + k) % count) as u8).collect();
        let seated = |seat: usize| order[usize::from(entrants[seat])];
        let [small, big] = if count == 2 { [1, 0] } else { [0, 1] };
        let mut blinds = vec![0; count];
        for (seat, posted, what) in
            [(small, self.posts[0], "small blind"), (big, self.posts[1], "big blind")]
        {
            let refuse = |reason| Refusal::unsupported(POSTS, reason);
            let (player, chips) =
                posted.ok_or_else(|| refuse(format!("nobody posts the {what}")))?;
            if player != seated(seat) {
                let name = &self.players[player].name;
                return Err(refuse(format!("{name} posts the {what}, whose seat it is not")));
            }
            blinds[seat] = chips;
        }
        let raise_sizes = match self.betting {
            Betting::Limit => [[self.sizes[0]; 2], [self.sizes[1]; 2]].concat(),
            Betting::NoLimit => {
                if self.sizes != [blinds[small], blinds[big]] {
                    let [[a, b], [c, d]] = [self.sizes, [blinds[small], blinds[big]]];
                    let reason = format!("blinds of {c} and {d} chips in a game with {a} and {b}");
                    return Err(Refusal::unsupported(POSTS, reason));
                }
                Vec::new()
            }
        };
        let max_raises = match self.betting {
            Betting::Limit => vec![3, 4, 4, 4],
            Betting::NoLimit => vec![GameSpec::NO_CAP; 4],
        };
        let spec = usual_spec(&GameSpec {
            betting: self.betting,
            players: count,
            streets: 4,
            stacks: (0..count).map(|seat| self.players[seated(seat)].stack).collect(),
            blinds: blinds.clone(),
            raise_sizes,
            first_to_act: Vec::new(),
            max_raises,
            suits: 4,
            ranks: 13,
            hole_cards: 2,
            board_cards: vec![0, 3, 1, 1],
            discards: false,
            quirks: Quirks::default(),
        });
        if spec.blinds != blinds {
            return Err("the small blind is larger than the big blind".into());
        }
        let def = GameDef::new(spec).map_err(|error| error.to_string())?;
        let def = match shared {
            Some(known) if **known == def => Arc::clone(known),
            _ => Arc::clone(shared.insert(Arc::new(def))),
        };
        let mut seats = vec![Seat::new(0).expect("there is a first seat"); count];
        for (number, seat) in def.seats().enumerate() {
            seats[seated(number)] = seat;
        }
        let mut names = vec![String::new(); count];
        for (player, seat) in self.players.iter_mut().zip(&seats) {
            names[seat.index()] = std::mem::take(&mut player.name);
        }
        Ok(TableHand {
            public: PublicState::new(&def),
            hole: BySeat::new(count),
            won: BySeat::new(count),
            entrants: BySeat::from_slice(&entrants).expect("no more than the game has"),
            seats,
            names,
        })
    }
}

/// A hand in play.
#[derive(Debug)]
pub(super) struct TableHand {
    public: PublicState,
    hole: BySeat<HoleCards>,
    /// What each seat takes from the pots.
    won: BySeat<Payoff>,
    entrants: BySeat<u8>,
    /// The seat of each player.
    seats: Vec<Seat>,
    /// The names by seat.
    names: Vec<String>,
}

impl TableHand {
    /// The state so far.
    pub(super) fn public(&self) -> &PublicState {
        &self.public
    }

    /// Which of these players is to act; the first where none is.
    pub(super) fn to_act(&self, players: &[usize]) -> Option<usize> {
        let turn = |&&player: &&usize| self.public.turn() == Turn::Act(self.seats[player]);
        players.iter().find(turn).or(players.first()).copied()
    }

    /// Plays an action. `did` and `added` are what the text says of it, where it says so, and must
    /// be what the rules make of it.
    pub(super) fn act(
        &mut self,
        player: usize,
        did: ActionTaken,
        added: Option<Chips>,
        all_in: bool,
    ) -> Result<(), String> {
        let seat = self.seats[player];
        if self.public.turn() != Turn::Act(seat) {
            return Err(match self.public.turn() {
                Turn::Over => "the hand is over here".to_owned(),
                Turn::Deal(street) => format!("the cards of the {} are due here", street.name()),
                Turn::Act(turn) => format!("it is the turn of {}", self.names[turn.index()]),
            });
        }
        let committed = self.public.committed()[seat];
        let earlier = committed - self.public.committed_street(seat);
        let action = match did {
            ActionTaken::Fold => Action::Fold,
            ActionTaken::Check | ActionTaken::Call => Action::Call,
            ActionTaken::Bet => Action::RaiseTo(committed.saturating_add(added.unwrap_or(0))),
            ActionTaken::Raise { to, .. } => Action::RaiseTo(earlier.saturating_add(to)),
        };
        if !self.public.legal().allows(action) {
            self.public.clone().apply(action).map_err(|error| error.to_string())?;
        }
        let Act { did: done, added: put_in, all_in: whole } = act(&mut self.public, seat, action);
        if done != did || added.is_some_and(|added| added != put_in) {
            return Err(format!("by the rules this is {} that adds {put_in} chips", words(done)));
        }
        if all_in && !whole {
            let left = self.public.stack(seat);
            return Err(format!("this is not all-in: {left} chips are left"));
        }
        Ok(())
    }

    /// An action that adds so many chips: what [`act`](Self::act) calls a raise.
    pub(super) fn raise_by(&self, player: usize, added: Chips) -> ActionTaken {
        let highest = self.seats.iter().map(|&seat| self.public.committed_street(seat)).max();
        let to = self.public.committed_street(self.seats[player]).saturating_add(added);
        ActionTaken::Raise { by: to.saturating_sub(highest.unwrap_or_default()), to }
    }

    /// A bet or raise to this total of the street, as [`act`](Self::act) calls it.
    pub(super) fn raise_to(&self, player: usize, to: Chips) -> ActionTaken {
        let own = self.public.committed_street(self.seats[player]);
        self.raise_by(player, to.saturating_sub(own))
    }

    /// The chips that a player has put in over the whole hand.
    pub(super) fn committed(&self, player: usize) -> Chips {
        self.public.committed()[self.seats[player]]
    }

    /// Whether board cards have been dealt after an all-in that was called: nobody can act.
    pub(super) fn runs_out(&self) -> bool {
        let played = self.public.history().last().map(|played| played.street);
        !matches!(self.public.turn(), Turn::Act(_)) && played < Some(self.public.street())
    }

    /// Deals board cards.
    pub(super) fn deal(&mut self, cards: &[Card]) -> Result<(), String> {
        self.public.deal(cards).map_err(|error| error.to_string())
    }

    /// Notes a player's cards.
    pub(super) fn show(&mut self, player: usize, cards: HoleCards) -> Result<(), String> {
        let hole = &mut self.hole[self.seats[player]];
        if hole.is_empty() {
            *hole = cards;
        }
        if hole.set() == cards.set() {
            return Ok(());
        }
        Err(format!("the cards were {hole} before"))
    }

    /// Adds what a player takes from a pot.
    pub(super) fn win(&mut self, player: usize, won: Payoff) {
        self.won[self.seats[player]] += won;
    }

    /// Checks chips that are given back because nobody called them.
    pub(super) fn give_back(&self, player: usize, chips: Chips) -> Result<(), String> {
        match uncalled(&self.public) {
            Some(back) if back == (self.seats[player], chips) => Ok(()),
            Some((seat, back)) => {
                let name = &self.names[seat.index()];
                Err(format!("by the rules {back} chips are given back to {name}"))
            }
            None => Err("by the rules nothing is given back".to_owned()),
        }
    }

    /// The finished hand, and the names by seat.
    pub(super) fn finish(self, hand: u64) -> Result<(HandRecord, Vec<String>), Refusal> {
        let TableHand { public, hole, won, entrants, names, .. } = self;
        if public.turn() != Turn::Over {
            return Err("the hand does not end".into());
        }
        let back = uncalled(&public);
        let paid: Payoff = won.as_slice().iter().copied().sum();
        let pot = Payoff::from_chips(i64::try_from(public.pot()).unwrap_or(i64::MAX / 4096));
        let called = pot - Payoff::from_chips(back.map_or(0, |(_, chips)| chips.into()));
        // Some programs leave the uncalled chips in the pot that they pay out.
        let returned = match (paid == called, paid == pot) {
            (true, _) => back,
            (false, true) => None,
            _ => {
                let reason = format!("{paid} chips of a pot of {called} are paid out");
                return Err(if paid < called {
                    Refusal::unsupported(RAKE, reason)
                } else {
                    reason.into()
                });
            }
        };
        let given = BySeat::from_fn(names.len(), |seat| {
            let back = returned.filter(|&(who, _)| who == seat).map_or(0, |(_, chips)| chips);
            won[seat] + Payoff::from_chips(i64::from(back) - i64::from(public.committed()[seat]))
        });
        let deal = hand;
        let record = HandRecord { hand, deal, public, hole, payoffs: BySeat::new(0), entrants };
        Ok((finished_in_whole_chips(record, Some(given))?, names))
    }
}

/// An action in words.
fn words(did: ActionTaken) -> &'static str {
    match did {
        ActionTaken::Fold => "a fold",
        ActionTaken::Check => "a check",
        ActionTaken::Call => "a call",
        ActionTaken::Bet => "a bet",
        ActionTaken::Raise { .. } => "a raise",
    }
}

/// Two hole cards from their texts.
pub(super) fn two_cards<'a>(texts: impl Iterator<Item = &'a str>) -> Result<HoleCards, String> {
    let mut cards = HoleCards::EMPTY;
    let mut seen = BTreeSet::new();
    for text in texts {
        let card: Card = text.parse().map_err(|error| format!("{error}"))?;
        if !cards.push(card) || !seen.insert(card) {
            return Err("these are not two cards".to_owned());
        }
    }
    if cards.len() == 2 { Ok(cards) } else { Err("these are not two cards".to_owned()) }
}

/// The chips of a decimal amount, when one unit of money is `scale` chips: 1 or 100.
pub(super) fn chips(text: &str, scale: u32) -> Result<Chips, String> {
    let fail = |why: &str| Err(format!("`{text}` is {why}"));
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(decimals) || text.ends_with('.') {
        return fail("not an amount");
    }
    let places = if scale == 100 { 2 } else { 0 };
    let decimals = decimals.trim_end_matches('0');
    if decimals.len() > places {
        return fail(if scale == 100 { "not a whole number of cents" } else { "not whole chips" });
    }
    let all: Option<Chips> = format!("{whole}{decimals:0<places$}").parse().ok();
    all.filter(|&chips| chips <= GameSpec::MAX_STACK).map_or_else(|| fail("too large"), Ok)
}

/// Whether a text is the code of a currency.
pub(super) fn code(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}
