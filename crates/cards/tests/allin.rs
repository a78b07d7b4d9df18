//! All-in equity: known counts, agreement with going through all boards, and the table before the
//! flop.
//!
//! The debug build checks samples of what the release build checks in full.

use std::fmt::Write as _;

use cards::{
    Card, CardSet, Combo, Equity, PreflopTable, Rank, StartingHand, Ties, all_in,
    all_in_without_table, evaluate,
};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use sha2::{Digest, Sha256};

use crate::{combo, draw, draw_combo, set};

/// Two hands and a board of this many cards.
fn random_deal(board: u32, rng: &mut Pcg64Mcg) -> (Combo, Combo, CardSet) {
    let board = draw(rng, board, CardSet::EMPTY);
    let hero = draw_combo(rng, board);
    (hero, draw_combo(rng, board | hero.set()), board)
}

/// One board after the other, one hand after the other.
fn naive(hero: Combo, villain: Combo, board: CardSet) -> Equity {
    fn extend(deck: &[Card], hands: [CardSet; 2], missing: usize, sum: &mut Equity) {
        if missing == 0 {
            let [ours, theirs] = hands.map(evaluate);
            sum.wins += u64::from(ours > theirs);
            sum.ties += u64::from(ours == theirs);
            sum.total += 1;
            return;
        }
        for (i, &card) in deck.iter().enumerate() {
            extend(&deck[i + 1..], hands.map(|hand| hand.with(card)), missing - 1, sum);
        }
    }
    let (hero, villain) = (hero.set(), villain.set());
    let deck: Vec<Card> = (CardSet::FULL - hero - villain - board).iter().collect();
    let mut sum = Equity::default();
    extend(&deck, [hero | board, villain | board], 5 - board.len() as usize, &mut sum);
    sum
}

#[test]
fn known_pairs_have_the_known_counts() {
    let table = [
        ("6h2c", "6c2s", 18_602, 1_663_292, 30_410),
        ("AhAs", "KhKs", 1_410_336, 9_308, 292_660),
        ("AhAs", "KcKd", 1_388_072, 6_538, 317_694),
        ("AhKh", "2c2d", 852_207, 10_775, 849_322),
        ("JsTs", "2h2c", 912_248, 24_087, 775_969),
        ("AcKd", "QhQs", 730_541, 5_854, 975_909),
    ];
    for (hero, villain, wins, ties, losses) in table {
        let (hero, villain) = (combo(hero), combo(villain));
        let known = Equity { wins, ties, total: wins + ties + losses };
        for count in [all_in, all_in_without_table] {
            assert_eq!(count(hero, villain, CardSet::EMPTY), Ok(known), "{hero} {villain}");
            assert_eq!(count(villain, hero, CardSet::EMPTY), Ok(known.reversed()));
        }
        assert_eq!(PreflopTable::embedded().get(hero, villain), Some(known));
    }
}

#[test]
fn counts_are_those_of_going_through_all_boards() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let rounds = [(0, testing::size(2, 40)), (3, 2_000), (4, 5_000), (5, 5_000)];
    for (size, deals) in rounds {
        for _ in 0..deals {
            let (hero, villain, board) = random_deal(size, &mut rng);
            let known = naive(hero, villain, board);
            let counts = all_in_without_table(hero, villain, board);
            assert_eq!(counts, Ok(known), "{hero} {villain} {board:?}");
            assert_eq!(all_in(hero, villain, board), Ok(known), "{hero} {villain} {board:?}");
        }
    }
}

/// Boards on which suits matter most: three, four or five of one suit among hands that share it.
#[test]
fn flushes_are_counted_right() {
    let table = [
        ("AhKh", "QhJh", "Th2h3h"),
        ("AhKh", "QhJh", "9h8h2c"),
        ("AhKh", "QhJc", "9h8h2c"),
        ("AhKc", "QhJc", "9h8h7h"),
        ("AhKc", "QdJs", "9h8h7h"),
        ("5h4h", "AhKd", "6h7h8h"),
        ("5h4h", "9hKd", "6h7h8h"),
        ("AhAc", "KhKc", "2h2c2d"),
        ("7h2h", "7c2c", "KhKc3h"),
        ("7h2h", "7c2c", "Ah3h3c"),
        ("AhKh", "QsJs", "2h3s4d"),
    ];
    for (hero, villain, board) in table {
        let (hero, villain, board) = (combo(hero), combo(villain), set(board));
        assert_eq!(
            all_in(hero, villain, board),
            Ok(naive(hero, villain, board)),
            "{hero} {board:?}"
        );
    }
}

#[test]
fn random_entries_of_the_preflop_table_are_those_counted_afresh() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for _ in 0..1_000 {
        let (hero, villain, board) = random_deal(0, &mut rng);
        let counts = all_in_without_table(hero, villain, board);
        assert_eq!(all_in(hero, villain, board), counts, "{hero} {villain}");
    }
}

/// Every entry, in exhaustive runs only: 47,008 pairs of hands.
#[test]
fn the_preflop_table_is_the_one_counted_afresh() {
    if testing::exhaustive() {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        assert!(PreflopTable::compute(threads) == *PreflopTable::embedded());
    }
}

/// The order of the kinds of hands in the text with the known hash: deuces first, suited hands
/// below the diagonal.
fn kinds() -> impl Iterator<Item = StartingHand> {
    Rank::all().flat_map(|a| Rank::all().map(move |b| StartingHand::new(a, b, b < a)))
}

/// All 28,561 counts against those of another program. Its table is 1.4 MB of text, of which only
/// the hash is kept; some rows follow, to see what is wrong should the hash ever differ.
#[test]
fn all_kinds_of_hands_have_the_known_counts_against_each_other() {
    let matrix = PreflopTable::embedded().matrix();
    let rows = [
        ("22", "22", 6, 214_008, 9_845_808),
        ("22", "32o", 36, 39_156_000, 3_767_652),
        ("AA", "KK", 36, 50_371_344, 285_228),
        ("AKs", "QQ", 24, 18_834_720, 178_116),
        ("AKo", "AKo", 84, 2_242_056, 139_349_424),
        ("T9s", "T9s", 12, 1_470_708, 17_606_232),
        ("72o", "AKo", 144, 79_370_892, 1_209_204),
    ];
    for (hero, villain, pairs, wins, ties) in rows {
        let [hero, villain] = [hero, villain].map(|kind| kind.parse().expect("a kind"));
        let counts = matrix.get(hero, villain);
        assert_eq!((counts.wins, counts.ties), (wins, ties), "{hero} {villain}");
        assert_eq!(matrix.pairs(hero, villain), pairs, "{hero} {villain}");
    }
    let mut text = String::from("hero,villain,n_combo_pairs,wins,ties,losses,equity\n");
    for hero in kinds() {
        for villain in kinds() {
            let counts = matrix.get(hero, villain);
            let Equity { wins, ties, .. } = counts;
            let (pairs, losses) = (matrix.pairs(hero, villain), counts.losses());
            let equity = counts.value(Ties::Half);
            writeln!(text, "{hero},{villain},{pairs},{wins},{ties},{losses},{equity:.10}")
                .expect("memory does not fail");
        }
    }
    let hash =
        Sha256::digest(&text).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    assert_eq!(hash, "93057996a1531154d925c35e0d2cb043586deac21326e01329bd47648c5fe943");
}

#[test]
fn cards_that_cannot_be_dealt_are_named() {
    let table = [
        ("AhKh", "AhQd", "", "Ah is given twice: give each card once"),
        ("AhKh", "QdQc", "2c3cKh", "Kh is given twice: give each card once"),
        ("AhKh", "QdQc", "2c3cQc", "Qc is given twice: give each card once"),
        ("AhKh", "QdQc", "2c", "1 cards on the board: give none, three, four or five"),
        ("AhKh", "QdQc", "2c3c4c5c6c7c", "6 cards on the board: give none, three, four or five"),
    ];
    for (hero, villain, board, message) in table {
        for count in [all_in, all_in_without_table] {
            let result = count(combo(hero), combo(villain), set(board));
            assert_eq!(result.expect_err(message).to_string(), message);
        }
    }
    assert_eq!(PreflopTable::embedded().get(combo("AhKh"), combo("AhQd")), None);
}

proptest! {
    #[test]
    fn the_other_side_and_other_suits_change_nothing(seed in any::<u64>(), street in 0..4usize) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (hero, villain, board) = random_deal([0, 3, 4, 5][street], &mut rng);
        let counts = all_in(hero, villain, board).expect("a deal");
        prop_assert_eq!(all_in(villain, hero, board), Ok(counts.reversed()));
        let turned = |card: Card| {
            let suit = cards::Suit::new((card.suit().index() + 1) % 4).expect("a suit");
            Card::new(card.rank(), suit)
        };
        let hand = |combo: Combo| {
            let [a, b] = combo.cards().map(turned);
            Combo::new(a, b).expect("different cards")
        };
        let board = board.iter().map(turned).collect();
        prop_assert_eq!(all_in(hand(hero), hand(villain), board), Ok(counts));
    }
}
