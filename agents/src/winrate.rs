//! How often a hand wins against opponents who hold any cards with equal chances.
//!
//! Ties count as the share of the pot they bring. Heads-up hold'em is exact on every street.
//! Elsewhere the win-rate against one opponent is exact where that is cheap; otherwise it is
//! estimated by drawing the unseen cards. The draws are seeded by the cards themselves, so the same
//! situation always has the same win-rate, exact or not.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Once, OnceLock};
use std::thread;

use cards::{Board, CardSet, Combo, HoleCards, Outlook, RiverTable, StartingHand, Ties, evaluate};
use game::GameDef;
use rand::RngExt;

use crate::AgentRng;

/// How much work a win-rate may cost outside heads-up hold'em.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Against one opponent, enumerate when there are at most this many pairs of an opponent's hand
    /// and a rest of the board: some 20 ns for each.
    pub exact: u64,
    /// Otherwise draw this many times. The standard error is at most `0.5 / sqrt(samples)`.
    pub samples: u32,
}

impl Default for Effort {
    /// Exact in small games; 2,000 draws (a tenth of a millisecond, standard error at most 1.1
    /// percentage points) elsewhere.
    fn default() -> Effort {
        Effort { exact: 2_000, samples: 2_000 }
    }
}

/// The share of the pot that `hole` wins on average against `opponents` hands drawn uniformly from
/// the unseen cards, from 0 to 1, when all of the board is dealt.
///
/// In hold'em (two cards of the full deck, a board of five) one opponent is met exactly. For two to
/// nine before the flop the answer comes from a table made by a million draws an entry.
pub fn win_rate(
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
    let hidden = Hidden::new(def, hole, board, opponents);
    if opponents == 1 && hidden.pairs() <= effort.exact {
        hidden.enumerate()
    } else {
        hidden.draw(effort.samples)
    }
}

/// As [`win_rate`] of one hand after the other, on one board: in heads-up hold'em after the flop a
/// few hundred hands or more are worked out together, in about a millisecond.
pub fn win_rates(
    def: &GameDef,
    holes: &[HoleCards],
    board: Board,
    opponents: usize,
    effort: Effort,
) -> Vec<f64> {
    together(def, holes, board, opponents).unwrap_or_else(|| {
        holes.iter().map(|&hole| win_rate(def, hole, board, opponents, effort)).collect()
    })
}

/// Hands of one board from which on it is quicker to take all of them together.
const TOGETHER: usize = 64;

/// The same numbers as [`holdem`] has for each hand; `None` where that is not quicker.
fn together(
    def: &GameDef,
    holes: &[HoleCards],
    board: Board,
    opponents: usize,
) -> Option<Vec<f64>> {
    if !is_holdem(def) || opponents != 1 || board.is_empty() || holes.len() < TOGETHER {
        return None;
    }
    let mut all = vec![None; Combo::COUNT];
    let table = RiverTable::shared(Ties::Half);
    let visit = |combo: Combo, outlook: &Outlook| all[combo.index()] = Some(outlook.win_rate());
    table.each_hand(board.set(), visit).ok()?;
    let rate = |hole: &HoleCards| match hole.as_slice() {
        &[a, b] => all[Combo::new(a, b)?.index()],
        _ => None,
    };
    holes.iter().map(rate).collect()
}

/// Whether the game deals two cards of the full deck, and boards of five.
fn is_holdem(def: &GameDef) -> bool {
    (def.suits, def.ranks, def.hole_cards) == (4, 13, 2) && def.full_board_len() == 5
}

/// What is known of hold'em with the full deck without drawing.
fn holdem(def: &GameDef, hole: HoleCards, board: Board, opponents: usize) -> Option<f64> {
    if !is_holdem(def) {
        return None;
    }
    let &[a, b] = hole.as_slice() else { return None };
    let hole = Combo::new(a, b)?;
    match (opponents, board.len()) {
        (1, _) => exact(hole, board.set()),
        (_, 0) => preflop(hole.starting_hand(), opponents),
        _ => None,
    }
}

/// The exact win-rate against one hand: the same number whether or not the table stands.
fn exact(hole: Combo, board: CardSet) -> Option<f64> {
    let table = if board.is_empty() { None } else { river_table(board) };
    match table {
        Some(table) => table.outlook(hole, board).ok().map(|outlook| outlook.win_rate()),
        None => cards::win_rate(hole, board).ok().map(|rate| rate.value(Ties::Half)),
    }
}

/// Flops that are counted one by one, a millisecond each, before the table is worth its 0.2 s.
const FLOPS_BEFORE_TABLE: u32 = 64;

/// The table of all rivers, if it stands. After some flops it is built beside the play, so that
/// neither the start nor a decision waits for it.
fn river_table(board: CardSet) -> Option<&'static RiverTable> {
    static FLOPS: AtomicU32 = AtomicU32::new(0);
    static BUILDER: Once = Once::new();
    let table = RiverTable::shared_if_built(Ties::Half);
    if table.is_none() && board.len() == 3 {
        let before = FLOPS.fetch_add(1, Ordering::Relaxed);
        if before >= FLOPS_BEFORE_TABLE {
            BUILDER.call_once(|| {
                let name = "river table".to_owned();
                // Where no thread can be had, counting goes on.
                drop(thread::Builder::new().name(name).spawn(|| {
                    RiverTable::shared(Ties::Half);
                }));
            });
        }
    }
    table
}

/// As [`win_rate`] but always by drawing: how the table was made.
pub fn drawn_win_rate(
    def: &GameDef,
    hole: HoleCards,
    board: Board,
    opponents: usize,
    samples: u32,
) -> f64 {
    Hidden::new(def, hole, board, opponents).draw(samples)
}

/// What a player sees, and the cards it does not.
struct Hidden {
    hole: CardSet,
    board: CardSet,
    unseen: Vec<CardSet>,
    /// Board cards still to come.
    missing: usize,
    opponents: usize,
    /// Cards of each opponent.
    each: usize,
}

impl Hidden {
    fn new(def: &GameDef, hole: HoleCards, board: Board, opponents: usize) -> Hidden {
        let seen = hole.set() | board.set();
        let unseen = def.deck().into_iter().filter(|&card| !seen.contains(card));
        Hidden {
            hole: hole.set(),
            board: board.set(),
            unseen: unseen.map(CardSet::of).collect(),
            missing: def.full_board_len() - board.len(),
            opponents,
            each: usize::from(def.hole_cards),
        }
    }

    /// Ways to complete the board and give one opponent a hand.
    fn pairs(&self) -> u64 {
        let unseen = self.unseen.len() as u64;
        let missing = self.missing as u64;
        choose(unseen, missing).saturating_mul(choose(unseen - missing, self.each as u64))
    }

    /// The exact win-rate against one opponent.
    fn enumerate(&self) -> f64 {
        let mut halves = 0u64;
        let mut total = 0u64;
        subsets(&self.unseen, self.missing, CardSet::EMPTY, &mut |rest| {
            let board = self.board | rest;
            let mine = evaluate(self.hole | board);
            subsets(&self.unseen, self.each, CardSet::EMPTY, &mut |theirs| {
                if theirs.intersects(rest) {
                    return;
                }
                let order = mine.cmp(&evaluate(theirs | board));
                halves += (order as i8 + 1) as u64;
                total += 2;
            });
        });
        halves as f64 / total.max(1) as f64
    }

    /// The win-rate over `samples` draws of everything unseen.
    fn draw(&self, samples: u32) -> f64 {
        let mut rng = self.rng();
        let mut deck = self.unseen.clone();
        let needed = (self.missing + self.opponents * self.each).min(deck.len());
        let mut won = 0.0;
        for _ in 0..samples.max(1) {
            for i in 0..needed {
                let other = rng.random_range(i as u32..deck.len() as u32);
                deck.swap(i, other as usize);
            }
            won += self.share(&deck[..needed]);
        }
        won / f64::from(samples.max(1))
    }

    /// What this player wins of the pot when these cards complete the board and make the hands.
    fn share(&self, drawn: &[CardSet]) -> f64 {
        let union = |cards: &[CardSet]| cards.iter().fold(CardSet::EMPTY, |all, &c| all | c);
        let (rest, hands) = drawn.split_at(self.missing);
        let board = self.board | union(rest);
        let mine = evaluate(self.hole | board);
        let mut winners = 1.0;
        for hand in hands.chunks(self.each) {
            let theirs = evaluate(union(hand) | board);
            if theirs > mine {
                return 0.0;
            }
            if theirs == mine {
                winners += 1.0;
            }
        }
        1.0 / winners
    }

    /// Seeded by the situation alone.
    fn rng(&self) -> AgentRng {
        let cards = u128::from(self.hole.bits()) << 64 | u128::from(self.board.bits());
        // The multiplier of the generator itself, so that sets that differ little start far apart.
        let spread = cards.wrapping_add(self.opponents as u128);
        AgentRng::new(spread.wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645))
    }
}

/// Calls `visit` with every union of `count` of the cards and `base`.
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

fn choose(from: u64, count: u64) -> u64 {
    (0..count).fold(1u64, |ways, i| ways.saturating_mul(from.saturating_sub(i)) / (i + 1))
}

/// Win-rates before the flop: 169 lines of a hand (`AKs`, `T9o`, `22`) and its win-rate against two
/// to nine opponents. Regenerated by `cargo run --release -p agents --example preflop_table`.
const PREFLOP: &str = include_str!("../models/preflop/winrates.txt");

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
