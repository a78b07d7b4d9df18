//! The evaluator: exact category counts over whole decks, and agreement with a slow evaluator.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use cards::{Card, CardSet, Category, HandRank, evaluate};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::naive;

/// Calls `visit` with every way of adding `more` of the deck's cards to `hand`.
fn hands(deck: &[CardSet], hand: CardSet, more: usize, visit: &mut impl FnMut(CardSet)) {
    for (i, &card) in deck.iter().enumerate() {
        if more == 1 {
            visit(hand | card);
        } else {
            hands(&deck[i + 1..], hand | card, more - 1, visit);
        }
    }
}

/// How many hands of `size` cards fall in each category, high card first.
fn category_counts(size: usize) -> [u64; 9] {
    let deck: Vec<CardSet> = Card::all().map(CardSet::of).collect();
    let next = AtomicUsize::new(0);
    // Each thread takes the hands with one lowest card after another.
    let work = || {
        let mut counts = [0; 9];
        loop {
            let low = next.fetch_add(1, Ordering::Relaxed);
            let Some(&card) = deck.get(low) else { return counts };
            hands(&deck[low + 1..], card, size - 1, &mut |hand| {
                counts[evaluate(hand).category() as usize] += 1;
            });
        }
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().fold([0; 9], |sum, worker| {
            let counts = worker.join().expect("no panic");
            std::array::from_fn(|i| sum[i] + counts[i])
        })
    })
}

#[test]
fn five_card_hands_fall_into_the_known_categories() {
    let known = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40];
    assert_eq!(known.iter().sum::<u64>(), 2_598_960);
    assert_eq!(category_counts(5), known);
}

#[test]
fn seven_card_hands_fall_into_the_known_categories() {
    let known = [
        23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848,
        41_584,
    ];
    assert_eq!(known.iter().sum::<u64>(), 133_784_560);
    assert_eq!(category_counts(7), known);
}

#[test]
fn five_card_hands_have_the_known_number_of_distinct_strengths() {
    let deck: Vec<CardSet> = Card::all().map(CardSet::of).collect();
    let mut ranks = HashSet::new();
    hands(&deck, CardSet::EMPTY, 5, &mut |hand| _ = ranks.insert(evaluate(hand)));
    let mut distinct = [0; 9];
    ranks.iter().for_each(|rank| distinct[rank.category() as usize] += 1);
    assert_eq!(distinct, [1277, 2860, 858, 858, 10, 1277, 156, 156, 10]);
}

/// `count` random hands of `size` cards, the same on every run.
fn random_hands(size: u32, count: usize) -> Vec<CardSet> {
    let mut rng = Pcg64Mcg::seed_from_u64(u64::from(size));
    let draw = |rng: &mut Pcg64Mcg| {
        let mut hand = CardSet::EMPTY;
        while hand.len() < size {
            let index = rng.random_range(0..Card::COUNT);
            hand.insert(Card::from_index(index).expect("below 52"));
        }
        hand
    };
    (0..count).map(|_| draw(&mut rng)).collect()
}

#[test]
fn random_hands_of_every_size_order_as_in_the_slow_evaluator() {
    for size in 1..=7 {
        let mut all: Vec<_> = random_hands(size, 20_000)
            .into_iter()
            .map(|hand| (naive::evaluate(hand), evaluate(hand), hand))
            .collect();
        all.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        for (category, rank, hand) in all.iter().map(|(slow, fast, hand)| (slow.0, fast, hand)) {
            assert_eq!(rank.category() as u8, category, "category of {hand:?}");
        }
        // Once sorted by the slow evaluator, comparing neighbours compares everything.
        for pair in all.windows(2) {
            let ((slow_a, fast_a, a), (slow_b, fast_b, b)) = (&pair[0], &pair[1]);
            assert_eq!(slow_a.cmp(slow_b), fast_a.cmp(fast_b), "{a:?} against {b:?}");
        }
    }
}

fn rank_of(text: &str) -> HandRank {
    let cards: cards::Board = text.parse().expect("test cards");
    evaluate(cards.set())
}

#[test]
fn hands_that_evaluators_get_wrong() {
    use Category::{Flush, FourOfAKind, FullHouse, Pair, Straight, StraightFlush, TwoPair};
    let table = [
        // Weaker (or equal), stronger (or equal), whether they tie, the stronger one's category.
        ("Ah2c3d4s5h", "2c3d4s5h6h", false, Straight), // the wheel is the lowest straight
        ("KcAh2c3d4s", "2c2h3d4s6h", false, Pair),     // straights do not go round the corner
        ("Ah2h3h4h5h9c8d", "2h3h4h5h6hKcQd", false, StraightFlush), // steel wheel is the lowest
        ("2h3h4h5h7hAcAd", "2h4h5h6h8h7c3d", false, Flush), // a straight inside does not matter
        ("AcAdKcKdQcQd2s", "AcAdKcKdQcQd3s", true, TwoPair), // the third pair gives the kicker
        ("AcAdAhKcKdKh2s", "AcAdAhKcKd3h2s", true, FullHouse), // two sets make one full house
        ("2c2d2h2sKcKdKh", "2c2d2h2sKcQdJh", true, FourOfAKind), // quads take one kicker
        ("2c2d2h2sKcKdKh", "2c2d2h2sAcQdJh", false, FourOfAKind),
        ("KhQhJhTh8h7h2h", "KhQhJhTh8h3h2h", true, Flush), // only five of the suit count
        ("2c3c4c5c7d", "2c2d3h4h5h", false, Pair),         // four to a flush are nothing
    ];
    for (weaker, stronger, tie, category) in table {
        let (a, b) = (rank_of(weaker), rank_of(stronger));
        assert!(if tie { a == b } else { a < b }, "{weaker} {a:?} against {stronger} {b:?}");
        assert_eq!(b.category(), category, "{stronger}");
    }
}
