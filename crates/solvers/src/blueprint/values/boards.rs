//! The sample of boards of a value function.

use abstraction::buckets::{Buckets, DealtCards};
use cards::{Card, CardSet, Combo, Ties, all_in, evaluate};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::deals::Deal;
use super::super::trainer::mixed;

/// Number of boards sampled before the flop: nine from each shuffled deck.
const BOARDS: usize = 54;

/// Number of rivers sampled with each turn card on the flop.
const RIVERS: usize = 1;

/// The sampled boards of one state's board.
pub(super) struct SampledBoards {
    pub(super) board: CardSet,
    /// Seat 0's exact share of the pot.
    pub(super) share: f64,
    /// Correction of the mean showdown result over the sampled boards to the exact one, per matched
    /// chip.
    pub(super) correction: f64,
    pub(super) deals: Vec<Deal>,
    /// The complete board of each deal.
    pub(super) boards: Vec<[Card; 5]>,
}

impl SampledBoards {
    pub(super) fn new(
        buckets: &Buckets,
        holes: [Combo; 2],
        board: CardSet,
        seed: u64,
    ) -> SampledBoards {
        let both = holes[0].set() | holes[1].set();
        let seed = mixed(mixed(seed, both.bits()), board.bits());
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let rest: Vec<Card> = (CardSet::FULL - both - board).iter().collect();
        let boards = endings(board, rest, &mut rng);
        let dealt: Vec<DealtCards> =
            boards.iter().map(|&board| DealtCards { holes, board }).collect();
        let mut deals = vec![Deal::default(); dealt.len()];
        buckets.deal(&dealt, |number, buckets| {
            let full: CardSet = dealt[number].board.iter().copied().collect();
            let [first, second] = holes.map(|hole| evaluate(hole.set() | full));
            deals[number] = Deal { buckets, shown: first.cmp(&second) as i8 };
        });
        let share =
            all_in(holes[0], holes[1], board).map_or(0.5, |counts| counts.value(Ties::Half));
        let shown: f64 = deals.iter().map(|deal| f64::from(deal.shown)).sum();
        let correction = 2.0 * share - 1.0 - shown / deals.len() as f64;
        SampledBoards { board, share, correction, deals, boards }
    }
}

/// Complete boards that extend a board: all of them, or a uniform sample.
fn endings(board: CardSet, mut rest: Vec<Card>, rng: &mut Pcg64Mcg) -> Vec<[Card; 5]> {
    let seen: Vec<Card> = board.iter().collect();
    let mut shuffle = |cards: &mut [Card]| {
        for at in (1..cards.len()).rev() {
            cards.swap(at, rng.random_range(0..=at as u32) as usize);
        }
    };
    match *seen.as_slice() {
        [a, b, c, d, e] => vec![[a, b, c, d, e]],
        [a, b, c, d] => rest.into_iter().map(|river| [a, b, c, d, river]).collect(),
        [a, b, c] => {
            shuffle(&mut rest);
            let pairs = (0..rest.len()).flat_map(|at| (1..=RIVERS).map(move |by| (at, by)));
            pairs.map(|(at, by)| [a, b, c, rest[at], rest[(at + by) % rest.len()]]).collect()
        }
        _ => {
            let mut boards = Vec::with_capacity(BOARDS);
            while boards.len() < BOARDS {
                shuffle(&mut rest);
                let whole =
                    rest.chunks_exact(5).map(|five| [five[0], five[1], five[2], five[3], five[4]]);
                boards.extend(whole.take(BOARDS - boards.len()));
            }
            boards
        }
    }
}
