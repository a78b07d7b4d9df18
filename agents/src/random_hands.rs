//! Equities against opponents with uniformly random hands.
//!
//! Ties count as the share of the pot they win. Heads-up hold'em is exact on every street. In other
//! games the equity against one opponent is exact where that is cheap; otherwise it is estimated
//! by drawing the unseen cards. The draws are seeded by the cards themselves, so the same situation
//! always has the same equity, exact or not.

use std::sync::OnceLock;

use cards::{
    Board, Card, CardSet, Combo, HandEquity, HandRank, HoleCards, RiverTable, StartingHand, Ties,
    choose, evaluate, evaluate_any,
};
use game::{Action, GameDef, PublicState, Strategy, Street};
use rand::RngExt;

use crate::AgentRng;

/// Bounds on the work for an equity outside heads-up hold'em.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Maximum number of pairs of an opponent's hand and a completion of the board to enumerate
    /// against one opponent, at about 20 ns each.
    pub exact: u64,
    /// Number of draws otherwise. The standard error is at most `0.5 / sqrt(samples)`.
    pub samples: u32,
}

impl Default for Effort {
    /// Exact in small games; elsewhere 2,000 draws (0.1 ms, standard error at most 1.1 percentage
    /// points).
    fn default() -> Effort {
        Effort { exact: 2_000, samples: 2_000 }
    }
}

/// Returns the share of the pot, from 0 to 1, that `hole` wins on average against `opponents` hands
/// drawn uniformly from the unseen cards, once the whole board is dealt.
///
/// In hold'em (two cards of the full deck, a board of five) it is exact against one opponent.
/// Before the flop, the equity against two to nine opponents comes from a table made with a
/// million draws per entry.
pub fn equity(
    def: &GameDef,
    hole: HoleCards,
    board: Board,
    opponents: usize,
    effort: Effort,
) -> f64 {
    if opponents == 0 {
        return 1.0;
    }
    if let Some(rate) = holdem(def, hole, board, opponents) {
        return rate;
    }
    if def.discards && board.len() < def.board_len(Street::Flop) {
        let hidden = Undealt::new(def, hole, board);
        return hidden.draw(effort.samples, |sample| sample as usize % hole.len().max(1));
    }
    let hidden = Hidden::new(def, hole, board, opponents);
    if opponents == 1 && hidden.pairs() <= effort.exact {
        hidden.enumerate()
    } else {
        hidden.draw(effort.samples)
    }
}

/// Returns the equity after each discard: of a hand in a game with discards from which the card at
/// each place is put on the board, as far as the board is known. The other player's cards are drawn
/// uniformly, and so is the one that is put away, if it is not on the board. The same cards are
/// drawn for all places.
pub fn discard_equities(def: &GameDef, hole: HoleCards, board: Board, samples: u32) -> Vec<f64> {
    let hidden = Undealt::new(def, hole, board);
    (0..hole.len()).map(|place| hidden.draw(samples, |_| place)).collect()
}

/// A hand in a game with discards whose own discard is to come.
struct Undealt {
    hidden: Hidden,
    hole: HoleCards,
    /// The other's discard, if it is on the board.
    theirs: Option<CardSet>,
}

impl Undealt {
    fn new(def: &GameDef, hole: HoleCards, board: Board) -> Undealt {
        let mut hidden = Hidden::new(def, hole, board, 1);
        let put = |&(place, _): &(usize, &Card)| def.discarder(place).is_some();
        let theirs = board.iter().enumerate().find(put).map(|(_, &card)| CardSet::single(card));
        hidden.each = usize::from(def.hole_cards) - usize::from(theirs.is_some());
        // Those that are still to be put there are not dealt.
        hidden.missing = hidden.missing.saturating_sub(2 - usize::from(theirs.is_some()));
        Undealt { hidden, hole, theirs }
    }

    /// The mean equity over draws, in each of which the card at this place is put away.
    fn draw(&self, samples: u32, place: impl Fn(u32) -> usize) -> f64 {
        let Undealt { hidden, hole, theirs } = self;
        let mut sample = 0;
        hidden.draw_by(samples, |drawn| {
            let (rest, hand) = drawn.split_at(hidden.missing);
            let board = rest.iter().fold(hidden.board, |all, &card| all | card);
            let mine =
                hole.get(place(sample)).map_or(CardSet::EMPTY, |&card| CardSet::single(card));
            sample += 1;
            let put = theirs.or(hand.first().copied()).unwrap_or_default();
            let hand = hand.iter().fold(put, |all, &card| all | card);
            let order =
                evaluate_any(hidden.hole | board | put).cmp(&evaluate_any(hand | board | mine));
            f64::from(order as i8 + 1) / 2.0
        })
    }
}

/// Returns [`equity`] for several hands on one board. In heads-up hold'em after the flop a few
/// hundred hands or more are computed together, in about a millisecond.
pub fn equities(
    def: &GameDef,
    holes: &[HoleCards],
    board: Board,
    opponents: usize,
    effort: Effort,
) -> Vec<f64> {
    together(def, holes, board, opponents).unwrap_or_else(|| {
        holes.iter().map(|&hole| equity(def, hole, board, opponents, effort)).collect()
    })
}

/// Number of hands on one board from which computing all hands together is faster.
const MIN_BATCH: usize = 64;

/// The same numbers as [`holdem`] for each hand; `None` where that is not faster.
fn together(
    def: &GameDef,
    holes: &[HoleCards],
    board: Board,
    opponents: usize,
) -> Option<Vec<f64>> {
    if !has_holdem_cards(def) || opponents != 1 || board.is_empty() || holes.len() < MIN_BATCH {
        return None;
    }
    let mut all = vec![None; Combo::COUNT];
    let table = RiverTable::shared(Ties::Half);
    let visit =
        |combo: Combo, hand_equity: &HandEquity| all[combo.index()] = Some(hand_equity.equity());
    table.each_hand(board.set(), visit).ok()?;
    let rate = |&hole: &HoleCards| all[combo(hole)?.index()];
    holes.iter().map(rate).collect()
}

/// The combo of two hole cards; `None` for another number of cards.
pub(crate) fn combo(hole: HoleCards) -> Option<Combo> {
    let &[a, b] = hole.as_slice() else { return None };
    Combo::new(a, b)
}

/// Whether the game deals two hole cards from the full deck, and a board of five.
fn has_holdem_cards(def: &GameDef) -> bool {
    (def.suits, def.ranks, def.hole_cards) == (4, 13, 2) && def.full_board_len() == 5
}

/// The equity in hold'em with the full deck if it needs no draws.
fn holdem(def: &GameDef, hole: HoleCards, board: Board, opponents: usize) -> Option<f64> {
    if !has_holdem_cards(def) {
        return None;
    }
    let hole = combo(hole)?;
    match (opponents, board.len()) {
        (1, _) => exact(hole, board.set()),
        (_, 0) => preflop(hole.starting_hand(), opponents),
        _ => None,
    }
}

/// The exact equity against one hand; the same number with and without the river table.
fn exact(hole: Combo, board: CardSet) -> Option<f64> {
    let table = RiverTable::shared_if_built(Ties::Half).filter(|_| !board.is_empty());
    match table {
        Some(table) => table.hand_equity(hole, board).ok().map(|hand_equity| hand_equity.equity()),
        None => cards::equity(hole, board).ok().map(|rate| rate.value(Ties::Half)),
    }
}

/// Number of hands from which the table of all rivers is worth its 0.2 s: without it a flop takes
/// 1 ms.
const HANDS_FOR_TABLE: u64 = 200;

/// Builds the table that look-ups need to be fast, where it is worth that for so many hands of this
/// game. Equities are the same with and without it.
pub fn prepare(def: &GameDef, hands: u64) {
    if has_holdem_cards(def) && hands >= HANDS_FOR_TABLE {
        RiverTable::shared(Ties::Half);
    }
}

/// The same as [`equity`], but always by drawing: this is how the table was made.
pub fn drawn_equity(
    def: &GameDef,
    hole: HoleCards,
    board: Board,
    opponents: usize,
    samples: u32,
) -> f64 {
    Hidden::new(def, hole, board, opponents).draw(samples)
}

/// The cards that a player sees, and those it does not.
struct Hidden {
    hole: CardSet,
    board: CardSet,
    unseen: Vec<CardSet>,
    /// Number of board cards still to come.
    missing: usize,
    opponents: usize,
    /// Number of hole cards of each opponent that are not on the board.
    each: usize,
    /// The evaluator for the number of cards that count.
    evaluate: fn(CardSet) -> HandRank,
}

impl Hidden {
    fn new(def: &GameDef, hole: HoleCards, board: Board, opponents: usize) -> Hidden {
        let seen = hole.set() | board.set();
        let unseen = def.deck().into_iter().filter(|&card| !seen.contains(card));
        Hidden {
            hole: hole.set(),
            board: board.set(),
            unseen: unseen.map(CardSet::single).collect(),
            missing: def.full_board_len() - board.len(),
            opponents,
            each: usize::from(def.hole_cards) - usize::from(def.discards),
            evaluate: if def.discards { evaluate_any } else { evaluate },
        }
    }

    /// Number of ways to complete the board and deal one opponent a hand.
    fn pairs(&self) -> u64 {
        let unseen = self.unseen.len() as u64;
        let missing = self.missing as u64;
        choose(unseen, missing).saturating_mul(choose(unseen - missing, self.each as u64))
    }

    /// The exact equity against one opponent, by enumeration.
    fn enumerate(&self) -> f64 {
        let mut halves = 0u64;
        let mut total = 0u64;
        subsets(&self.unseen, self.missing, CardSet::EMPTY, &mut |rest| {
            let board = self.board | rest;
            let mine = (self.evaluate)(self.hole | board);
            subsets(&self.unseen, self.each, CardSet::EMPTY, &mut |theirs| {
                if theirs.intersects(rest) {
                    return;
                }
                let order = mine.cmp(&(self.evaluate)(theirs | board));
                halves += (order as i8 + 1) as u64;
                total += 2;
            });
        });
        halves as f64 / total.max(1) as f64
    }

    /// The mean equity over `samples` draws of all unseen cards.
    fn draw(&self, samples: u32) -> f64 {
        self.draw_by(samples, |drawn| self.share(drawn))
    }

    /// The mean of a function of the drawn cards: those that complete the board, then hands.
    fn draw_by(&self, samples: u32, mut share: impl FnMut(&[CardSet]) -> f64) -> f64 {
        let mut rng = self.rng();
        let mut deck = self.unseen.clone();
        let needed = (self.missing + self.opponents * self.each).min(deck.len());
        let mut won = 0.0;
        for _ in 0..samples.max(1) {
            for i in 0..needed {
                let other = rng.random_range(i as u32..deck.len() as u32);
                deck.swap(i, other as usize);
            }
            won += share(&deck[..needed]);
        }
        won / f64::from(samples.max(1))
    }

    /// The share of the pot that this player wins when these cards complete the board and the
    /// opponents' hands.
    fn share(&self, drawn: &[CardSet]) -> f64 {
        let union = |cards: &[CardSet]| cards.iter().fold(CardSet::EMPTY, |all, &c| all | c);
        let (rest, hands) = drawn.split_at(self.missing);
        let board = self.board | union(rest);
        let mine = (self.evaluate)(self.hole | board);
        let mut winners = 1.0;
        for hand in hands.chunks(self.each) {
            let theirs = (self.evaluate)(union(hand) | board);
            if theirs > mine {
                return 0.0;
            }
            if theirs == mine {
                winners += 1.0;
            }
        }
        1.0 / winners
    }

    /// A generator seeded by the situation alone.
    fn rng(&self) -> AgentRng {
        let cards = u128::from(self.hole.bits()) << 64 | u128::from(self.board.bits());
        // The multiplier of the generator itself, so that the seeds of similar sets are far apart.
        let spread = cards.wrapping_add(self.opponents as u128);
        AgentRng::new(spread.wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645))
    }
}

/// Calls `visit` with the union of `base` and each subset of `count` cards.
fn subsets(cards: &[CardSet], count: usize, base: CardSet, visit: &mut impl FnMut(CardSet)) {
    if count == 0 {
        visit(base);
        return;
    }
    for (i, &card) in cards.iter().enumerate() {
        if count == 1 {
            visit(base | card);
        } else {
            subsets(&cards[i + 1..], count - 1, base | card, visit);
        }
    }
}

/// Equities before the flop: 169 lines of a hand (`AKs`, `T9o`, `22`) and its equity against two
/// to nine opponents. Regenerated by `cargo run --release -p agents --example preflop_table`.
const PREFLOP: &str = include_str!("../models/preflop/equities.txt");

type PreflopTable = [[f32; 8]; StartingHand::COUNT];

fn preflop(hand: StartingHand, opponents: usize) -> Option<f64> {
    static TABLE: OnceLock<PreflopTable> = OnceLock::new();
    let table = TABLE.get_or_init(read_preflop);
    table[hand.index()].get(opponents.checked_sub(2)?).map(|&rate| f64::from(rate))
}

fn read_preflop() -> PreflopTable {
    let mut table = [[0.0; 8]; StartingHand::COUNT];
    for line in PREFLOP.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_ascii_whitespace();
        let name = words.next().unwrap_or_default();
        let hand: StartingHand = name.parse().expect("lines begin with a starting hand");
        for (rate, word) in table[hand.index()].iter_mut().zip(words) {
            *rate = word.parse().expect("the embedded table holds numbers");
        }
    }
    table
}

/// The strategy where the blueprint has none: checks, calls if the pot odds justify it against
/// random hands of all who are left, and folds otherwise.
pub(crate) fn by_odds(public: &PublicState, hole: HoleCards) -> Strategy {
    let legal = public.legal();
    if !legal.fold {
        return Strategy::pure(Action::Call);
    }
    let opponents = (public.remaining().len() as usize).saturating_sub(1).max(1);
    let rate = equity(public.def(), hole, public.board(), opponents, Effort::default());
    let price = f64::from(legal.to_call);
    let pays = rate >= price / (public.pot() as f64 + price);
    Strategy::pure(if pays { Action::Call } else { Action::Fold })
}

#[cfg(test)]
mod tests {
    use game::GameSpec;

    use super::*;

    /// All ways to take so many of these cards.
    fn subsets(cards: &[Card], count: usize) -> Vec<Vec<Card>> {
        match (count, cards) {
            (0, _) => vec![Vec::new()],
            (_, []) => Vec::new(),
            (_, [first, rest @ ..]) => {
                let with = subsets(rest, count - 1).into_iter();
                let with = with.map(|rest| std::iter::once(*first).chain(rest).collect());
                with.chain(subsets(rest, count)).collect()
            }
        }
    }

    #[test]
    fn each_discard_wins_as_often_as_in_all_deals_counted_out() {
        // Six ranks of two suits, so that all deals can be counted.
        let usual = game::games::nolimit_holdem_with(vec![400; 2]);
        let spec = GameSpec {
            ranks: 6,
            suits: 2,
            hole_cards: 3,
            board_cards: vec![0, 4, 1, 1],
            discards: true,
            ..usual.spec().clone()
        };
        let def = GameDef::new(spec).expect("a game");
        let deck = def.deck();
        let hole = [deck[0], deck[4], deck[11]];
        // Before and after the other's discard.
        for known in [vec![deck[2], deck[7]], vec![deck[2], deck[7], deck[10]]] {
            let board = Board::new(&known).expect("a board");
            let theirs = known.get(2).copied();
            let left: Vec<Card> = deck
                .iter()
                .copied()
                .filter(|card| !hole.contains(card) && !known.contains(card))
                .collect();
            let mut expected = Vec::new();
            for place in 0..3 {
                let (mut won, mut count) = (0.0, 0.0);
                let kept = (0..3).filter(|&other| other != place).map(|other| hole[other]);
                let kept: Vec<Card> = kept.collect();
                for hand in subsets(&left, 3 - usize::from(theirs.is_some())) {
                    let rest: Vec<Card> =
                        left.iter().copied().filter(|card| !hand.contains(card)).collect();
                    let discards = if theirs.is_some() { 1 } else { 3 };
                    for discard in 0..discards {
                        let (mut stays, mut table) = (hand.clone(), known.clone());
                        if theirs.is_none() {
                            table.push(stays.remove(discard));
                        }
                        table.push(hole[place]);
                        for runout in subsets(&rest, 2) {
                            let rank = |own: &[Card]| {
                                let all = own.iter().chain(&table).chain(&runout);
                                evaluate_any(all.copied().collect())
                            };
                            let order = rank(&kept).cmp(&rank(&stays));
                            won += f64::from(order as i8 + 1) / 2.0;
                            count += 1.0;
                        }
                    }
                }
                expected.push(won / count);
            }
            let hole = HoleCards::new(&hole).expect("three cards");
            let found = discard_equities(&def, hole, board, 60_000);
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 0.01, "{found} is not {expected}");
            }
            let spread = expected.iter().fold(0.0_f64, |most, &one| most.max(one))
                - expected.iter().fold(1.0_f64, |least, &one| least.min(one));
            assert!(spread > 0.03, "no discard differs: {expected:?}");
        }
    }
}
