//! Records of a finished hand and of a decision; the reconstruction of hands from their texts, by
//! the rules; and which results are possible where cards are hidden.
//!
//! A result is possible where some hidden cards give it. What a player takes out says whom he beat:
//! going through the pots from the one with the fewest players to the main pot, the winners are
//! those to whom more is still owed, so that a result has one reading at most (several where
//! indivisible chips were handed out). Hidden cards that agree with this reading are then looked
//! for among those that nobody is known to hold.

use std::sync::Arc;
use std::time::Duration;

use cards::{Card, CardSet, HandRank, HoleCards, evaluate};
use game::{
    Action, BySeat, DealError, GameDef, Payoff, PublicState, Seat, SeatSet, Strategy, Turn,
    check_dealt, notation,
};

/// One finished hand with all cards.
#[derive(Debug, Clone, PartialEq)]
pub struct HandRecord {
    /// The hand's number in its match, from 0.
    pub hand: u64,
    /// The deal's number; hands of one duplicate group share it.
    pub deal: u64,
    /// The final public state: betting, board as far as dealt.
    pub public: PublicState,
    /// All hole cards by seat.
    pub hole: BySeat<HoleCards>,
    /// The payoff of each seat; they sum to zero.
    pub payoffs: BySeat<Payoff>,
    /// The entrant in each seat, as an index into the match's entrants.
    pub entrants: BySeat<u8>,
}

/// One decision of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionRecord {
    /// The hand's number in its match.
    pub hand: u64,
    /// The decision's index in its hand: the number of earlier actions of any seat.
    pub index: u32,
    /// The deciding entrant, as an index into the match's entrants.
    pub entrant: u8,
    /// The deciding seat.
    pub seat: Seat,
    /// The action played.
    pub action: Action,
    /// The agent's choice, when it was illegal and had to be corrected.
    pub corrected_from: Option<Action>,
    /// The reason for a fallback, when the agent's answer was not used.
    pub fallback: Option<Fallback>,
    /// The distribution that the action was drawn from, if the agent gave one.
    pub strategy: Option<Strategy>,
    /// The value of actions in chips over the whole hand, as the agent estimated them; empty if it
    /// gave none.
    pub values: Vec<(Action, f64)>,
    /// The agent's own explanation.
    pub note: Option<String>,
    /// Whether the situation is outside of what the agent's model is for: its fallback decided, or
    /// it used the nearest that it has.
    pub beyond_model: bool,
    /// The agent's thinking time.
    pub elapsed: Duration,
}

/// The reason why a check or fold was played in place of the agent's answer.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// The agent panicked.
    Panic,
    /// The agent did not answer in time.
    Timeout,
    /// The agent's process or connection was lost.
    Gone,
    /// The agent's answer was not an action.
    BadAnswer,
}

impl Fallback {
    /// The reason in words.
    pub const fn words(self) -> &'static str {
        match self {
            Fallback::Panic => "it panicked",
            Fallback::Timeout => "it did not answer in time",
            Fallback::Gone => "its program or connection is gone",
            Fallback::BadAnswer => "its answer is not an action",
        }
    }
}

/// The entrant at a seat in the usual line-up: everyone moves by one seat after each hand.
fn rotated(hand: u64, seat: Seat, players: usize) -> u8 {
    ((hand % players as u64) as usize + seat.index()).rem_euclid(players) as u8
}

/// Whether the line-up is the usual one.
pub(crate) fn is_rotated(record: &HandRecord) -> bool {
    let players = record.entrants.len();
    record.entrants.iter().all(|(seat, &entrant)| entrant == rotated(record.hand, seat, players))
}

/// The usual line-up of a hand.
pub(crate) fn line_up(hand: u64, players: usize) -> BySeat<u8> {
    BySeat::from_fn(players, |seat| rotated(hand, seat, players))
}

/// Replays a finished hand from its texts in ACPC notation; the error, in words, when it is not
/// legal. For payoffs see [`finished`].
pub(crate) fn replay(
    def: &Arc<GameDef>,
    hand: u64,
    deal: u64,
    betting: &str,
    cards: &str,
    payoffs: Option<BySeat<Payoff>>,
    entrants: BySeat<u8>,
) -> Result<HandRecord, String> {
    let cards = notation::parse_cards(def, cards).map_err(|error| error.to_string())?;
    let mut public =
        notation::replay(def, betting, &cards.board).map_err(|error| error.to_string())?;
    public.note_discards(&cards.hole);
    if public.turn() != Turn::Over {
        return Err(format!("betting `{betting}` does not end the hand"));
    }
    let record =
        HandRecord { hand, deal, public, hole: cards.hole, payoffs: BySeat::new(0), entrants };
    finished(record, payoffs)
}

/// Completes a record with its payoffs; those in it are ignored.
///
/// Where all relevant cards are known, the payoffs follow from the rules, and given ones must
/// agree. Otherwise (opponents who never showed) the given ones are used, if there are cards that
/// give them.
pub(crate) fn finished(
    record: HandRecord,
    given: Option<BySeat<Payoff>>,
) -> Result<HandRecord, String> {
    finish(record, given, false)
}

/// [`finished`] for results that may have the indivisible chips of a split pot with any of its
/// winners, as other programs hand them out: the record has the exact fractions.
pub(crate) fn finished_in_whole_chips(
    record: HandRecord,
    given: Option<BySeat<Payoff>>,
) -> Result<HandRecord, String> {
    finish(record, given, true)
}

fn finish(
    mut record: HandRecord,
    given: Option<BySeat<Payoff>>,
    odd_chips: bool,
) -> Result<HandRecord, String> {
    let HandRecord { public, hole, .. } = &record;
    check_cards(public, hole)?;
    check_entrants(&record.entrants)?;
    let computed = result_is_known(public, hole).then(|| public.payoffs(hole));
    record.payoffs = match (computed, given) {
        (Some(computed), None) => computed,
        (None, None) => return Err("the result is unknown: cards are missing".to_owned()),
        (Some(computed), Some(given)) if computed == given => computed,
        (computed, Some(given)) => {
            let pot = Payoff::from_chips(public.pot() as i64);
            // Larger ones might not even be added up.
            let within = given.as_slice().iter().all(|&payoff| -pot <= payoff && payoff <= pot);
            if within && given.as_slice().iter().copied().sum::<Payoff>() != Payoff::ZERO {
                return Err(format!("payoffs {given:?} do not add up to zero"));
            }
            let by_cards = |odd_chips| explained(public, hole, &given, odd_chips);
            let exact = (within && computed.is_none()).then(|| by_cards(false));
            let odd = || (within && odd_chips).then(|| by_cards(true)).flatten();
            exact.flatten().or_else(odd).ok_or_else(|| match computed {
                Some(rules) => format!("payoffs are {given:?}, but the rules give {rules:?}"),
                None => format!(
                    "payoffs {given:?} are impossible: the seats put in {:?}, and no hidden \
                     cards divide the pot like that",
                    public.committed()
                ),
            })?
        }
    };
    Ok(record)
}

/// Whether the cards that decide a finished hand are known.
pub(crate) fn result_is_known(public: &PublicState, hole: &BySeat<HoleCards>) -> bool {
    let remaining = public.remaining();
    remaining.len() == 1 || remaining.iter().all(|seat| !hole[seat].is_empty())
}

/// Checks that every seat has all its cards or none known, and that no card is repeated or not in
/// the deck.
fn check_cards(public: &PublicState, hole: &BySeat<HoleCards>) -> Result<(), String> {
    let def = public.def();
    for (seat, cards) in hole.iter() {
        if !cards.is_empty() && cards.len() != usize::from(def.hole_cards) {
            return Err(format!("seat {seat} holds {} cards, not {}", cards.len(), def.hole_cards));
        }
    }
    check_dealt(def, hole, &public.board()).map_err(|error| match error {
        DealError::Repeated(card) => format!("{card} appears twice"),
        error => error.to_string(),
    })
}

/// Checks that nobody sits in two seats.
fn check_entrants(entrants: &BySeat<u8>) -> Result<(), String> {
    let all = entrants.as_slice();
    match (1..all.len()).find(|&seat| all[..seat].contains(&all[seat])) {
        Some(seat) => Err(format!("the player in seat {seat} has another seat too")),
        None => Ok(()),
    }
}

/// Maximum number of hands of hidden cards that are looked at: more than all pairs of hands of two
/// hidden players in hold'em. With three or more, a search that is not over by then (where a board
/// leaves them next to no cards to hold) takes the result to be possible.
const MOST_LOOKS: u32 = 1 << 21;

/// The exact payoffs of a finished hand that give this result; `None` when it is impossible. With
/// `odd_chips` a pot's indivisible chips may be with any of its winners, else every pot is split
/// exactly.
pub(crate) fn explained(
    public: &PublicState,
    hole: &BySeat<HoleCards>,
    given: &BySeat<Payoff>,
    odd_chips: bool,
) -> Option<BySeat<Payoff>> {
    let committed = public.committed();
    let mut owed = BySeat::from_fn(given.len(), |seat| {
        given[seat].parts() + i64::from(committed[seat]) * Payoff::PER_CHIP
    });
    let pots = pots(public, &mut owed);
    let unit = if odd_chips { Payoff::PER_CHIP } else { 1 };
    let won = BySeat::new(given.len());
    let mut reading = Reading { public, hole, unit, ladder: Vec::new(), below: Vec::new(), won };
    if owed.as_slice().iter().any(|&parts| parts < 0) || !reading.divide(&pots, owed) {
        return None;
    }
    let put_in = |seat: Seat| Payoff::from_chips(committed[seat].into());
    let won = |seat: Seat| Payoff::from_parts(reading.won[seat]) - put_in(seat);
    Some(BySeat::from_fn(given.len(), won))
}

/// What each seat takes out of a finished hand's pots, in whole chips, with the chips that come
/// back to it. Each indivisible chip of a pot goes to the one of its winners who is furthest below
/// the exact part so far, the first of them in the order of `seats`.
pub(crate) fn taken_in_whole_chips(record: &HandRecord, seats: &[Seat]) -> BySeat<u64> {
    let committed = record.public.committed();
    let exact = BySeat::from_fn(committed.len(), |seat| {
        record.payoffs[seat].parts() + i64::from(committed[seat]) * Payoff::PER_CHIP
    });
    let mut owed = exact;
    let pots = pots(&record.public, &mut owed);
    let mut taken = BySeat::from_fn(committed.len(), |seat| exact[seat] - owed[seat]);
    for pot in pots {
        // Whoever wins a larger pot beats all who contest the smaller one before it.
        let winners = seats.iter().filter(|&&seat| pot.contested.contains(seat) && owed[seat] > 0);
        let winners: Vec<Seat> = winners.copied().collect();
        let count = winners.len().max(1) as i64;
        let chips = pot.parts / Payoff::PER_CHIP;
        for &seat in &winners {
            owed[seat] -= pot.parts / count;
            taken[seat] += chips / count * Payoff::PER_CHIP;
        }
        for _ in 0..chips % count {
            // `min_by_key` takes the first of equals.
            let ahead = |seat: Seat| taken[seat] - (exact[seat] - owed[seat]);
            let Some(&seat) = winners.iter().min_by_key(|&&seat| ahead(seat)) else { break };
            taken[seat] += Payoff::PER_CHIP;
        }
    }
    BySeat::from_fn(committed.len(), |seat| {
        u64::try_from(taken[seat] / Payoff::PER_CHIP).unwrap_or(0)
    })
}

/// A pot, in 2,520ths of a chip, and who can win it.
#[derive(Debug, Clone, Copy)]
struct Pot {
    parts: i64,
    contested: SeatSet,
}

/// The pots, the main pot last. Chips above what anybody who did not fold has put in go back to
/// their owners.
fn pots(public: &PublicState, owed: &mut BySeat<i64>) -> Vec<Pot> {
    let committed = public.committed();
    let mut levels = committed.as_slice().to_vec();
    levels.sort_unstable();
    let mut pots: Vec<Pot> = Vec::new();
    let mut floor = 0;
    for level in levels {
        let parts = i64::from(level - floor) * Payoff::PER_CHIP;
        floor = level;
        let reaching = |seat: &Seat| committed[*seat] >= level;
        let contested = set(public.remaining().iter().filter(reaching));
        let reaching: Vec<Seat> = public.def().seats().filter(reaching).collect();
        if contested.is_empty() {
            reaching.iter().for_each(|&seat| owed[seat] -= parts);
            continue;
        }
        let parts = parts * reaching.len() as i64;
        match pots.last_mut() {
            Some(pot) if pot.contested == contested => pot.parts += parts,
            _ if parts > 0 => pots.push(Pot { parts, contested }),
            _ => {}
        }
    }
    pots.reverse();
    pots
}

fn set(seats: impl Iterator<Item = Seat>) -> SeatSet {
    let mut set = SeatSet::EMPTY;
    seats.for_each(|seat| set.insert(seat));
    set
}

/// What a result says about the hands.
struct Reading<'a> {
    public: &'a PublicState,
    hole: &'a BySeat<HoleCards>,
    /// The smallest amount that can be handed out.
    unit: i64,
    /// Winners, each set with equal hands that beat those of the set before.
    ladder: Vec<SeatSet>,
    /// Losers, with the number of the set that beat them first.
    below: Vec<(Seat, usize)>,
    /// Each seat's exact part of the pots, in 2,520ths of a chip.
    won: BySeat<i64>,
}

impl Reading<'_> {
    /// Divides the pots so that everybody gets what is owed, by hands that can have been held.
    fn divide(&mut self, pots: &[Pot], mut owed: BySeat<i64>) -> bool {
        let Some((pot, rest)) = pots.split_first() else {
            return owed.as_slice().iter().all(|&parts| parts == 0) && self.can_be_held();
        };
        let winners = set(pot.contested.iter().filter(|&seat| owed[seat] > 0));
        let count = i64::from(winners.len());
        if winners.is_empty() {
            return false;
        }
        let (ladder, below, won) = (self.ladder.clone(), self.below.len(), self.won);
        let known = |seat: &Seat| {
            ladder.iter().any(|set| set.contains(*seat))
                || self.below.iter().any(|(loser, _)| loser == seat)
        };
        let again = set(winners.iter().filter(known));
        match self.ladder.last_mut() {
            // The best so far share this pot, perhaps with others, or are all beaten.
            Some(top) if again == *top => *top = winners,
            _ if again.is_empty() => self.ladder.push(winners),
            _ => return false,
        }
        let place = self.ladder.len() - 1;
        let losers = pot.contested.without(winners).iter().filter(|seat| !known(seat));
        let losers: Vec<(Seat, usize)> = losers.map(|seat| (seat, place)).collect();
        self.below.extend(losers);
        let each = pot.parts / (count * self.unit) * self.unit;
        for seat in winners.iter() {
            owed[seat] -= each;
            self.won[seat] += pot.parts / count;
        }
        let odd = (pot.parts - each * count) / self.unit;
        let winners: Vec<Seat> = winners.iter().collect();
        let enough = winners.iter().all(|&seat| owed[seat] >= 0);
        let found = enough && self.hand_out(odd, &winners, rest, owed);
        if !found {
            (self.ladder, self.won) = (ladder, won);
            self.below.truncate(below);
        }
        found
    }

    /// Hands out this many units to winners in their order, and divides the other pots.
    fn hand_out(&mut self, units: i64, winners: &[Seat], pots: &[Pot], owed: BySeat<i64>) -> bool {
        if units == 0 {
            return self.divide(pots, owed);
        }
        (0..winners.len()).any(|first| {
            let mut owed = owed;
            owed[winners[first]] -= self.unit;
            owed[winners[first]] >= 0 && self.hand_out(units - 1, &winners[first..], pots, owed)
        })
    }

    /// Whether there are cards for all hidden hands that win and lose as they did.
    fn can_be_held(&self) -> bool {
        let board = self.public.board().set();
        let rank = |seat: Seat| {
            let hole = self.hole[seat].set();
            (!hole.is_empty()).then(|| evaluate(hole | board))
        };
        let mut ranks = vec![None; self.ladder.len()];
        let mut floors = vec![None; self.ladder.len()];
        let mut hidden = Vec::new();
        for (place, winners) in self.ladder.iter().enumerate().rev() {
            for seat in winners.iter() {
                match (rank(seat), ranks[place]) {
                    (None, _) => hidden.push(Wanted { place, wins: true }),
                    (Some(rank), Some(other)) if rank != other => return false,
                    (rank, _) => ranks[place] = rank,
                }
            }
        }
        for &(seat, place) in &self.below {
            match rank(seat) {
                None => hidden.push(Wanted { place, wins: false }),
                rank => floors[place] = rank.max(floors[place]),
            }
        }
        let mut used = board;
        self.hole.as_slice().iter().for_each(|cards| used |= cards.set());
        let deck = self.public.def().deck();
        let deck = deck.into_iter().rev().filter(|&card| !used.contains(card)).collect();
        let hole_cards = usize::from(self.public.def().hole_cards);
        let mut search = Search { deck, hole_cards, board, floors, ranks, hidden, looks: 0 };
        let places = 0..search.ranks.len();
        places.clone().all(|place| search.ranks[place].is_none_or(|rank| search.fits(place, rank)))
            && search.deal(0, CardSet::default())
    }
}

/// What a hidden hand must be: equal to the others of its place on the ladder, or below it.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    place: usize,
    wins: bool,
}

/// A search for hidden cards.
struct Search {
    /// The cards that nobody is known to hold.
    deck: Vec<Card>,
    hole_cards: usize,
    board: CardSet,
    /// The best known hand of the losers below each place of the ladder.
    floors: Vec<Option<HandRank>>,
    /// The hand of each place, where it is known or chosen.
    ranks: Vec<Option<HandRank>>,
    /// The hidden hands: winners from the best place down, then losers.
    hidden: Vec<Wanted>,
    looks: u32,
}

impl Search {
    /// Whether a place's hand beats what it has to, and is beaten by the places above.
    fn fits(&self, place: usize, rank: HandRank) -> bool {
        let lower = self.ranks[..place].iter().chain(&self.floors[place..=place]);
        let higher = &self.ranks[place + 1..];
        lower.flatten().all(|&other| other < rank) && higher.iter().flatten().all(|&h| h > rank)
    }

    /// Finds cards for the hidden hands from this one on.
    fn deal(&mut self, next: usize, used: CardSet) -> bool {
        next == self.hidden.len() || self.draw(next, used, 0, CardSet::default())
    }

    /// Completes a hidden hand by cards of the deck from `from` on.
    fn draw(&mut self, next: usize, used: CardSet, from: usize, own: CardSet) -> bool {
        if own.len() as usize == self.hole_cards {
            return self.hold(next, used, own);
        }
        (from..self.deck.len()).any(|at| {
            let card = self.deck[at];
            !used.contains(card) && self.draw(next, used, at + 1, own.with(card))
        })
    }

    /// Gives a hidden hand these cards, if they win or lose as wanted.
    fn hold(&mut self, next: usize, used: CardSet, own: CardSet) -> bool {
        self.looks += 1;
        if self.looks > MOST_LOOKS {
            return true;
        }
        let Wanted { place, wins } = self.hidden[next];
        let rank = evaluate(own | self.board);
        let before = self.ranks[place];
        let right = match before {
            Some(other) if wins => rank == other,
            Some(other) => rank < other,
            None => self.fits(place, rank),
        };
        if !right {
            return false;
        }
        if wins {
            self.ranks[place] = Some(rank);
        }
        let found = self.deal(next + 1, used | own);
        self.ranks[place] = before;
        found
    }
}
