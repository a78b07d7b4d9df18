//! Canonical indices: known sizes, index and representative are inverse, suits do not matter, and
//! nothing but suits is forgotten.
//!
//! The debug build checks samples of what the release build checks in full.

use cards::{CanonicalIndex, Card, CardSet};
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::{draw, each_set, set};

const RENAMINGS: [[usize; 4]; 24] = {
    let mut all = [[0; 4]; 24];
    let (mut at, mut code) = (0, 0);
    while code < 256 {
        let suits = [code & 3, code >> 2 & 3, code >> 4 & 3, code >> 6];
        if 1 << suits[0] | 1 << suits[1] | 1 << suits[2] | 1 << suits[3] == 15 {
            all[at] = suits;
            at += 1;
        }
        code += 1;
    }
    all
};

fn renamed<const R: usize>(deal: [CardSet; R], suits: [usize; 4]) -> [CardSet; R] {
    deal.map(|set| {
        let rename = |card: Card| {
            let suit = suits[usize::from(card.suit().index())];
            Card::new(card.rank(), cards::Suit::new(suit as u8).expect("a suit"))
        };
        set.iter().map(rename).collect()
    })
}

/// The least of the 24 renamings, compared as words: equal for deals that differ in suits only.
fn canonical<const R: usize>(deal: [CardSet; R]) -> [u64; R] {
    let rename = |suits: &[usize; 4]| {
        deal.map(|set| {
            let lane = |from: usize| (set.bits() >> (16 * from) & 0xFFFF) << (16 * suits[from]);
            lane(0) | lane(1) | lane(2) | lane(3)
        })
    };
    RENAMINGS.iter().map(rename).min().expect("24 renamings")
}

fn random_deal<const R: usize>(sizes: [usize; R], rng: &mut Pcg64Mcg) -> [CardSet; R] {
    let mut seen = CardSet::EMPTY;
    sizes.map(|size| {
        let round = draw(rng, size as u32, seen);
        seen |= round;
        round
    })
}

fn identity<const R: usize>(index: &CanonicalIndex<R>, number: u64) {
    let deal = index.representative(number).expect("below the size");
    assert_eq!(index.index(deal), Ok(number), "{deal:?}");
}

#[test]
fn there_are_as_many_deals_up_to_suits_as_known() {
    assert_eq!(CanonicalIndex::preflop().size(), 169);
    assert_eq!(CanonicalIndex::flop().size(), 1_286_792);
    assert_eq!(CanonicalIndex::turn().size(), 13_960_050);
    assert_eq!(CanonicalIndex::river().size(), 123_156_254);
    assert_eq!(CanonicalIndex::turn_recalled().size(), 55_190_538);
    assert_eq!(CanonicalIndex::river_recalled().size(), 2_428_287_420);
    let boards = [(3, 1755), (4, 16_432), (5, 134_459), (7, 6_009_159)];
    for (cards, size) in boards {
        assert_eq!(CanonicalIndex::new([cards]).expect("one round").size(), size, "{cards} cards");
    }
    assert_eq!(CanonicalIndex::new([3, 1]).expect("two rounds").size(), 63_193);
    assert_eq!(CanonicalIndex::new([3, 1, 1]).expect("three rounds").size(), 2_554_656);
}

#[test]
fn every_preflop_and_flop_index_is_that_of_its_representative() {
    (0..169).for_each(|number| identity(CanonicalIndex::preflop(), number));
    let step = testing::size(7, 1);
    let flops = (0..CanonicalIndex::flop().size()).step_by(step);
    flops.for_each(|number| identity(CanonicalIndex::flop(), number));
    let boards = CanonicalIndex::new([5]).expect("one round");
    (0..boards.size()).for_each(|number| identity(&boards, number));
}

fn sample_identity<const R: usize>(index: &CanonicalIndex<R>) {
    let mut rng = Pcg64Mcg::seed_from_u64(index.size());
    for _ in 0..testing::size(100_000, 10_000_000) {
        identity(index, rng.random_range(0..index.size()));
    }
    identity(index, index.size() - 1);
    assert_eq!(index.representative(index.size()), None);
    assert_eq!(index.orbit(index.size()), None);
}

#[test]
fn turn_and_river_indices_are_those_of_their_representatives() {
    sample_identity(CanonicalIndex::turn());
    sample_identity(CanonicalIndex::turn_recalled());
    sample_identity(CanonicalIndex::river());
    sample_identity(CanonicalIndex::river_recalled());
}

/// A deal and its representative differ in suits only.
fn sample_representatives<const R: usize>(index: &CanonicalIndex<R>) {
    let mut rng = Pcg64Mcg::seed_from_u64(index.size());
    for _ in 0..testing::size(10_000, 1_000_000) {
        let deal = random_deal(index.sizes(), &mut rng);
        let number = index.index(deal).expect("a deal");
        let representative = index.representative(number).expect("below the size");
        assert_eq!(canonical(representative), canonical(deal), "{deal:?}");
    }
}

#[test]
fn a_representative_is_the_deal_with_other_suits() {
    sample_representatives(CanonicalIndex::turn());
    sample_representatives(CanonicalIndex::river());
    sample_representatives(CanonicalIndex::turn_recalled());
    sample_representatives(CanonicalIndex::river_recalled());
    sample_representatives(&CanonicalIndex::new([7]).expect("one round"));
    sample_representatives(&CanonicalIndex::new([2, 2, 2, 1]).expect("four rounds"));
    sample_representatives(&CanonicalIndex::new([4, 3]).expect("two rounds"));
}

/// All flop deals by brute force: the same index exactly when they differ in suits only, and as
/// many deals to an index as its orbit says. Every 97th pair of hole cards, or all in exhaustive
/// runs.
#[test]
fn flop_deals_share_an_index_exactly_when_they_differ_in_suits_only() {
    let index = CanonicalIndex::flop();
    let deck: Vec<Card> = Card::all().collect();
    let step = testing::size(97, 1);
    let mut known = vec![[0; 2]; index.size() as usize];
    let mut deals = vec![0; index.size() as usize];
    for hole in cards::Combo::all().step_by(step) {
        let rest: Vec<Card> =
            deck.iter().copied().filter(|&card| !hole.set().contains(card)).collect();
        each_set(&rest, CardSet::EMPTY, 3, &mut |board| {
            let deal = [hole.set(), board];
            let number = index.index(deal).expect("a deal") as usize;
            if deals[number] == 0 {
                known[number] = canonical(deal);
            }
            assert_eq!(known[number], canonical(deal), "{deal:?}");
            deals[number] += 1;
        });
    }
    let mut distinct: Vec<[u64; 2]> = known.into_iter().filter(|&deal| deal != [0; 2]).collect();
    let found = distinct.len();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), found, "different deals share no canonical form");
    if step == 1 {
        assert_eq!(found as u64, index.size());
        for (number, &deals) in deals.iter().enumerate() {
            assert_eq!(index.orbit(number as u64), Some(deals), "{number}");
        }
    }
}

#[test]
fn orbits_add_up_to_all_deals() {
    fn check<const R: usize>(index: &CanonicalIndex<R>, deals: u64) {
        let orbits = (0..index.size()).map(|number| u64::from(index.orbit(number).expect("known")));
        assert_eq!(orbits.sum::<u64>(), deals, "{:?}", index.sizes());
    }
    check(CanonicalIndex::preflop(), 1326);
    check(CanonicalIndex::flop(), 1326 * 19_600);
    check(&CanonicalIndex::new([5]).expect("one round"), 2_598_960);
    check(&CanonicalIndex::new([3, 1]).expect("two rounds"), 22_100 * 49);
    if testing::exhaustive() {
        check(CanonicalIndex::turn(), 1326 * 230_300);
        check(CanonicalIndex::turn_recalled(), 1326 * 19_600 * 47);
        check(CanonicalIndex::river(), 1326 * 2_118_760);
        check(&CanonicalIndex::new([3, 1, 1]).expect("three rounds"), 22_100 * 49 * 48);
    }
}

fn suits_do_not_matter<const R: usize>(index: &CanonicalIndex<R>, seed: u64) {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let deal = random_deal(index.sizes(), &mut rng);
    let number = index.index(deal).expect("a deal");
    for suits in RENAMINGS {
        assert_eq!(index.index(renamed(deal, suits)), Ok(number), "{deal:?} {suits:?}");
    }
    // Nor does the order in which the cards of a round are listed.
    let shuffled = deal.map(|set| {
        let mut cards: Vec<Card> = set.iter().collect();
        cards.shuffle(&mut rng);
        cards.into_iter().collect()
    });
    assert_eq!(index.index(shuffled), Ok(number));
}

proptest! {
    #[test]
    fn renaming_suits_changes_no_index(seed in any::<u64>()) {
        suits_do_not_matter(CanonicalIndex::preflop(), seed);
        suits_do_not_matter(CanonicalIndex::flop(), seed);
        suits_do_not_matter(CanonicalIndex::turn(), seed);
        suits_do_not_matter(CanonicalIndex::river(), seed);
        suits_do_not_matter(CanonicalIndex::turn_recalled(), seed);
        suits_do_not_matter(CanonicalIndex::river_recalled(), seed);
    }
}

#[test]
fn wrong_deals_are_named() {
    let index = CanonicalIndex::flop();
    let table = [
        ("Ah", "2c3d4s", "round 1 has 1 cards where this index takes 2"),
        ("AhKhQh", "2c3d4s", "round 1 has 3 cards where this index takes 2"),
        ("AhKh", "", "round 2 has 0 cards where this index takes 3"),
        ("AhKh", "2c3d4s5s", "round 2 has 4 cards where this index takes 3"),
        ("AhKh", "2c3dKh", "Kh is dealt in two rounds: give each card once"),
    ];
    for (hole, board, message) in table {
        let error = index.index([set(hole), set(board)]).expect_err(message);
        assert_eq!(error.to_string(), message);
    }
    assert!(index.index([CardSet::FULL, CardSet::FULL]).is_err());
}

#[test]
fn rounds_that_cannot_be_numbered_are_refused() {
    assert!(CanonicalIndex::new([]).is_err());
    assert!(CanonicalIndex::new([0]).is_err());
    assert!(CanonicalIndex::new([2, 0]).is_err());
    assert!(CanonicalIndex::new([2, 6]).is_err());
    assert!(CanonicalIndex::new([usize::MAX, 3]).is_err());
    assert!(CanonicalIndex::new([1, 1, 1, 1, 1]).is_err());
    assert!(CanonicalIndex::new([1, 1, 1, 1]).is_ok());
}
