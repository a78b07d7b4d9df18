//! Hands of a teacher's self-play, as rows.

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::buckets::DealtCards;
use abstraction::features::{FeatureMaker, opponent_bets};
use cards::{CardSet, Combo};
use game::{Chips, PublicState, Street, Turn};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use solvers::blueprint::draw;

use super::Split;
use crate::Teacher;

/// The rows of every street and split. The numbers of a row: features, probabilities of the moves,
/// weight.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) of: [[Vec<f32>; Split::ALL.len()]; Street::ALL.len()],
    /// The number of rows written.
    pub(super) count: u64,
}

/// The number of board cards on each street.
const BOARD: [usize; 4] = [0, 3, 4, 5];

/// Plays the deals `deals` and writes a row at each decision of either seat, `most` in all.
///
/// An action is drawn from the teacher's strategy, or with probability `explore` uniformly. A hand
/// ends where training has never been.
pub(super) fn play(
    teacher: &Teacher,
    maker: &mut FeatureMaker,
    seed: u64,
    explore: f64,
    deals: std::ops::Range<u64>,
    most: u64,
) -> Rows {
    let mut rows = Rows::default();
    let (mut drawn, mut sources) = (Vec::new(), Vec::new());
    for deal in deals.clone() {
        let mut rng = source(seed, deal);
        drawn.push(draw(&mut rng));
        sources.push(rng);
    }
    teacher.deals.of().deal(&drawn, |number, buckets| {
        let deal = deals.start + number as u64;
        let hand =
            Hand { teacher, cards: &drawn[number], buckets, split: Split::of(deal), explore };
        hand.play(maker, &mut sources[number], &mut rows, most);
    });
    rows
}

/// The random number generator of a deal.
fn source(seed: u64, deal: u64) -> Pcg64Mcg {
    let mut seeds = Pcg64Mcg::seed_from_u64(seed);
    let key = seeds.next_u64() ^ deal.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    Pcg64Mcg::seed_from_u64(key)
}

struct Hand<'a> {
    teacher: &'a Teacher,
    cards: &'a DealtCards,
    buckets: [[u32; 4]; 2],
    split: Split,
    explore: f64,
}

impl Hand<'_> {
    fn play(&self, maker: &mut FeatureMaker, rng: &mut Pcg64Mcg, rows: &mut Rows, most: u64) {
        let tree = &self.teacher.tree;
        let mut public = PublicState::new(tree.def());
        let mut node = BettingTree::ROOT;
        // Features of the cards, computed once per street.
        let mut known: [[Option<Vec<f32>>; 4]; 2] = Default::default();
        while let NodeKind::Decision { seat, street, .. } = tree.node(node).kind {
            public.deal_from(&self.cards.board).expect("five cards are a whole board");
            let Turn::Act(acting) = public.turn() else { unreachable!("the tree is of this game") };
            let (seat, street) = (usize::from(seat), usize::from(street));
            let bucket = self.buckets[seat][street];
            let shares = self.teacher.blueprint.shares(tree, node, bucket).unwrap_or_default();
            let whole: u32 = shares.iter().map(|&share| u32::from(share)).sum();
            if whole == 0 || rows.count == most {
                return;
            }
            let features =
                known[seat][street].get_or_insert_with(|| self.features(maker, seat, street));
            let bets = opponent_bets(&public, acting);
            self.add(
                &mut rows.of[street][self.split.index()],
                features,
                bets,
                &public,
                node,
                shares,
            );
            rows.count += 1;
            let choice = if rng.random::<f64>() < self.explore {
                rng.random_range(0..shares.len())
            } else {
                chosen(shares, rng.random_range(0..whole))
            };
            public.apply_unchecked(tree.actions(node)[choice]);
            node = tree.node(node).children().start + choice as u32;
        }
    }

    fn features(&self, maker: &mut FeatureMaker, seat: usize, street: usize) -> Vec<f32> {
        let hole: Combo = self.cards.holes[seat];
        let board: CardSet = self.cards.board[..BOARD[street]].iter().copied().collect();
        let features = maker.cards(hole, board, [0; 4]).expect("dealt cards are all different");
        features.as_slice().to_vec()
    }

    fn add(
        &self,
        out: &mut Vec<f32>,
        features: &[f32],
        bets: [Chips; 4],
        public: &PublicState,
        node: u32,
        shares: &[u8],
    ) {
        out.extend_from_slice(&features[..features.len() - bets.len()]);
        out.extend(bets.map(|chips| chips as f32));
        let moves = self.teacher.moves(public.street());
        let label = out.len();
        out.resize(label + moves.as_slice().len(), 0.0);
        for (&action, &share) in self.teacher.tree.actions(node).iter().zip(shares) {
            if share > 0 {
                out[label + moves.of(public, action)] += f32::from(share) / 255.0;
            }
        }
        out.push(1.0);
    }
}

/// The index of the action whose share contains a point.
fn chosen(shares: &[u8], mut point: u32) -> usize {
    for (number, &share) in shares.iter().enumerate() {
        match point.checked_sub(u32::from(share)) {
            Some(rest) => point = rest,
            None => return number,
        }
    }
    unreachable!("the point is below the sum")
}
