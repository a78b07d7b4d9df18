//! The evaluator: exact category counts over whole decks, and agreement with a slow evaluator.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use cards::{
    Card, CardSet, Category, HandRank, OnBoard, PartialHand, evaluate, evaluate_all, evaluate_hands,
};
use proptest::prelude::{Strategy, prop_assert_eq, proptest};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::{draw, each_set, naive, set};

/// The number of hands of `size` cards in each category, high card first.
fn category_counts(size: usize) -> [u64; 9] {
    let deck: Vec<Card> = Card::all().collect();
    let next = AtomicUsize::new(0);
    // Each thread takes the hands with one lowest card after another.
    let work = || {
        let mut counts = [0; 9];
        loop {
            let low = next.fetch_add(1, Ordering::Relaxed);
            let Some(&card) = deck.get(low) else { return counts };
            each_set(&deck[low + 1..], CardSet::single(card), size - 1, &mut |hand| {
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
fn hands_of_five_to_seven_cards_fall_into_the_known_categories() {
    let known = [
        [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40],
        [6_612_900, 9_730_740, 2_532_816, 732_160, 361_620, 205_792, 165_984, 14_664, 1_844],
        [
            23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184,
            224_848, 41_584,
        ],
    ];
    for ((size, known), all) in (5..).zip(known).zip([2_598_960, 20_358_520, 133_784_560]) {
        assert_eq!(known.iter().sum::<u64>(), all);
        assert_eq!(category_counts(size), known, "{size} cards");
    }
}

#[test]
fn five_card_hands_have_the_known_number_of_distinct_strengths() {
    let deck: Vec<Card> = Card::all().collect();
    let mut ranks = HashSet::new();
    each_set(&deck, CardSet::EMPTY, 5, &mut |hand| _ = ranks.insert(evaluate(hand)));
    let mut distinct = [0; 9];
    ranks.iter().for_each(|rank| distinct[rank.category() as usize] += 1);
    assert_eq!(distinct, [1277, 2860, 858, 858, 10, 1277, 156, 156, 10]);
}

/// Looks at all sets of ranks without a flush, and at all flushes in clubs with the rest in
/// diamonds: every strength that seven cards can have is among them.
#[test]
fn seven_card_hands_have_the_known_number_of_distinct_strengths() {
    let mut ranks = HashSet::new();
    let mut seen = |hand: CardSet| _ = ranks.insert(evaluate(hand));
    // Ranks alone: the suits in turn, so that none has three cards of different ranks.
    rank_counts(0, 7, &mut Vec::new(), &mut |held| seen(without_flush(held)));
    // Five to seven clubs and what is missing in other suits.
    let [clubs, others] = [0, 1].map(|suit| Card::all().skip(suit).step_by(4).collect::<Vec<_>>());
    for size in 5..=7 {
        each_set(&clubs, CardSet::EMPTY, size, &mut |hand| {
            each_set(&others, hand, 7 - size, &mut seen);
        });
    }
    assert_eq!(ranks.len(), 4824);
}

/// Calls `visit` with every way of holding `left` cards of these ranks and above, as ranks in
/// ascending order with at most four equal.
fn rank_counts(rank: u8, left: usize, held: &mut Vec<u8>, visit: &mut impl FnMut(&[u8])) {
    if left == 0 {
        return visit(held);
    }
    if rank == 13 {
        return;
    }
    let before = held.len();
    rank_counts(rank + 1, left, held, visit);
    for more in 1..=left.min(4) {
        held.push(rank);
        rank_counts(rank + 1, left - more, held, visit);
    }
    held.truncate(before);
}

/// Cards of these ranks (ascending) in turning suits: no five share a suit.
fn without_flush(ranks: &[u8]) -> CardSet {
    let cards = ranks.iter().enumerate().map(|(i, rank)| 4 * rank + (i % 4) as u8);
    cards.map(|index| Card::from_index(index).expect("below 52")).collect()
}

/// `count` random hands of `size` cards, the same on every run.
fn random_hands(size: u32, count: usize) -> Vec<CardSet> {
    let mut rng = Pcg64Mcg::seed_from_u64(u64::from(size));
    (0..count).map(|_| draw(&mut rng, size, CardSet::EMPTY)).collect()
}

/// Each thread judges its own pairs: neighbours in a list of random hands.
#[test]
fn random_pairs_of_seven_cards_order_as_in_the_slow_evaluator() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let compare = |thread: usize| {
        let mut rng = Pcg64Mcg::seed_from_u64(thread as u64);
        let mut deck: Vec<Card> = Card::all().collect();
        let mut draw = || {
            (0..7).for_each(|i| deck.swap(i, rng.random_range(i..52)));
            let hand: CardSet = deck[..7].iter().copied().collect();
            (naive::evaluate(hand), evaluate(hand), hand)
        };
        let mut before = draw();
        for _ in 0..testing::size(300_000usize, 10_000_000).div_ceil(threads) {
            let next = draw();
            let (slow, fast) = (before.0.cmp(&next.0), before.1.cmp(&next.1));
            assert_eq!(slow, fast, "{:?} against {:?}", before.2, next.2);
            before = next;
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|i| _ = scope.spawn(move || compare(i))));
}

#[test]
fn random_hands_of_every_size_order_as_in_the_slow_evaluator() {
    for size in 0..=7 {
        let mut all: Vec<_> = random_hands(size, 20_000)
            .into_iter()
            .map(|hand| (naive::evaluate(hand), evaluate(hand), hand))
            .collect();
        all.sort_unstable_by_key(|a| a.0);
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

/// Hands of N cards, given as cards in turning order.
fn check_cards<const N: usize>(hands: &[CardSet], expected: &[HandRank]) {
    let in_turn = |(i, hand): (usize, &CardSet)| {
        let mut cards: Vec<Card> = hand.iter().collect();
        cards.rotate_left(i % N.max(1));
        <[Card; N]>::try_from(cards).expect("hands of N cards")
    };
    let cards: Vec<[Card; N]> = hands.iter().enumerate().map(in_turn).collect();
    let mut ranks = vec![HandRank::default(); hands.len()];
    evaluate_hands(&cards, &mut ranks);
    for ((cards, rank), expected) in cards.iter().zip(ranks).zip(expected) {
        assert_eq!(rank, *expected, "{cards:?} among {} at once", hands.len());
    }
}

/// Every way of asking gives what `evaluate` gives to these hands of equally many cards.
fn check_all_ways(hands: &[CardSet]) {
    let expected: Vec<HandRank> = hands.iter().map(|&hand| evaluate(hand)).collect();
    let mut ranks = vec![HandRank::default(); hands.len()];
    evaluate_all(hands, &mut ranks);
    for ((&hand, &rank), &expected) in hands.iter().zip(&ranks).zip(&expected) {
        assert_eq!(rank, expected, "{hand:?} among {} at once", hands.len());
        assert_eq!(PartialHand::from(hand).rank(), expected, "{hand:?} card by card");
    }
    match hands.first().map_or(0, |hand| hand.len()) {
        0 => check_cards::<0>(hands, &expected),
        1 => check_cards::<1>(hands, &expected),
        2 => check_cards::<2>(hands, &expected),
        3 => check_cards::<3>(hands, &expected),
        4 => check_cards::<4>(hands, &expected),
        5 => check_cards::<5>(hands, &expected),
        6 => check_cards::<6>(hands, &expected),
        _ => check_cards::<7>(hands, &expected),
    }
}

#[test]
fn many_at_once_and_card_by_card_give_the_same_in_any_number() {
    for size in 0..=7 {
        let hands = random_hands(size, 1000);
        for count in [0, 1, 2, 31, 32, 127, 128, 129, 255, 256, 257, 640, 1000] {
            check_all_ways(&hands[hands.len() - count..]);
        }
    }
}

#[test]
fn all_ranks_and_all_flushes_are_the_same_at_once_and_card_by_card() {
    for size in 0..=7 {
        let mut all = Vec::new();
        rank_counts(0, size, &mut Vec::new(), &mut |held| all.push(without_flush(held)));
        check_all_ways(&all);
    }
    let deck: Vec<Card> = Card::all().collect();
    for suit in 0..4 {
        let suited: Vec<Card> = deck.iter().copied().skip(suit).step_by(4).collect();
        let (mut fives, mut sevens) = (Vec::new(), Vec::new());
        each_set(&suited, CardSet::EMPTY, 5, &mut |five| {
            fives.push(five);
            each_set(&deck[1..26], five, 2, &mut |hand| sevens.push(hand));
            each_set(&suited, five, 2, &mut |hand| sevens.push(hand));
        });
        // Some cards came twice.
        sevens.retain(|hand| hand.len() == 7);
        check_all_ways(&fives);
        check_all_ways(&sevens);
    }
}

#[test]
#[should_panic(expected = "one rank for each hand")]
fn many_at_once_need_as_many_places() {
    evaluate_all(&[CardSet::EMPTY; 3], &mut [HandRank::default(); 2]);
}

/// In order, in reverse, and where no rank follows itself.
#[test]
fn a_last_card_in_any_order_gives_what_adding_it_gives() {
    let mut rng = Pcg64Mcg::seed_from_u64(8);
    for size in 0..7 {
        for hand in random_hands(size, 300) {
            let start = PartialHand::from(hand);
            let mut rest: Vec<Card> = Card::all().filter(|&card| !hand.contains(card)).collect();
            let check = |cards: &[Card]| {
                let found: Vec<HandRank> = start.ranks_with(cards).collect();
                let expected: Vec<HandRank> =
                    cards.iter().map(|&card| evaluate(hand.with(card))).collect();
                assert_eq!(found, expected, "{hand:?} and {cards:?}");
            };
            check(&rest);
            rest.reverse();
            check(&rest);
            let by = rng.random_range(0..rest.len());
            rest.rotate_left(by);
            rest.sort_by_key(|card| card.suit());
            check(&rest);
        }
    }
}

fn distinct_cards(count: usize) -> impl Strategy<Value = Vec<Card>> {
    let all: Vec<Card> = Card::all().collect();
    proptest::sample::subsequence(all, count).prop_shuffle()
}

proptest! {
    #[test]
    fn partial_hands_add_up_in_any_order_and_grouping(
        cards in distinct_cards(7), size in 0..=7_usize, split in 0..=7_usize,
    ) {
        let cards = &cards[..size];
        let (a, b) = cards.split_at(split.min(size));
        let parts = [a, b].map(|part| part.iter().copied().collect::<PartialHand>());
        let whole: CardSet = cards.iter().copied().collect();
        let one_by_one = b.iter().fold(parts[0], |hand, &card| hand.with(card));
        prop_assert_eq!(parts[0].and(parts[1]), one_by_one);
        prop_assert_eq!(one_by_one.rank(), evaluate(whole));
        prop_assert_eq!(one_by_one.cards(), whole);
    }

    #[test]
    fn hole_cards_on_a_board_have_the_strength_of_the_whole_hand(
        board in distinct_cards(5), size in 0..=5_usize,
    ) {
        let board: CardSet = board[..size].iter().copied().collect();
        let on_board = OnBoard::new(board);
        let rest = || Card::all().filter(|&card| !board.contains(card));
        for a in rest() {
            for b in rest().filter(|&b| b != a) {
                prop_assert_eq!(on_board.rank(a, b), evaluate(board.with(a).with(b)), "{} \
                    {}", a, b);
            }
        }
    }
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
        let (a, b) = (evaluate(set(weaker)), evaluate(set(stronger)));
        assert!(if tie { a == b } else { a < b }, "{weaker} {a:?} against {stronger} {b:?}");
        assert_eq!(b.category(), category, "{stronger}");
    }
}

#[test]
fn sets_of_too_many_cards_are_looked_up_within_the_tables() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    for cards in 8..=u32::from(Card::COUNT) {
        for _ in 0..1000 {
            let set = draw(&mut rng, cards, CardSet::EMPTY);
            evaluate(set);
            PartialHand::from(set).rank();
        }
    }
}
