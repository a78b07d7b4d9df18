//! Hands on a river board against ranges, beside going through every pair of hands.

use cards::{
    Card, CardSet, Combo, Showdown, ShowdownSums, Ties, all_in, evaluate, range_margins, unblocked,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::{draw, set};

/// The sums of a hand, one opponent's hand after the other.
pub(crate) fn naive(hole: Combo, board: CardSet, range: &[f64; Combo::COUNT]) -> ShowdownSums {
    let mut sums = ShowdownSums::default();
    if hole.set().intersects(board) {
        return sums;
    }
    let mine = evaluate(board | hole.set());
    for theirs in Combo::all().filter(|theirs| !theirs.set().intersects(board | hole.set())) {
        let weight = range[theirs.index()];
        let strength = evaluate(board | theirs.set());
        sums.total += weight;
        sums.wins += if mine > strength { weight } else { 0.0 };
        sums.ties += if mine == strength { weight } else { 0.0 };
    }
    sums
}

fn check(showdown: &Showdown, range: &[f64; Combo::COUNT], tolerance: f64) {
    let mut sums = [ShowdownSums::default(); Combo::COUNT];
    let mut margins = [f64::NAN; Combo::COUNT];
    showdown.sums_against(range, &mut sums);
    showdown.margins(range, &mut margins);
    for hole in Combo::all() {
        let expected = naive(hole, showdown.board(), range);
        let found = sums[hole.index()];
        let close = |a: f64, b: f64| (a - b).abs() <= tolerance;
        assert!(
            close(found.wins, expected.wins)
                && close(found.ties, expected.ties)
                && close(found.losses(), expected.losses())
                && close(margins[hole.index()], expected.wins - expected.losses()),
            "{hole} on {:?}: {found:?}, {} where {expected:?}",
            showdown.board(),
            margins[hole.index()]
        );
        assert_eq!(found.total == 0.0, expected.total == 0.0, "{hole}: {found:?}");
        assert_eq!(found.equity(Ties::Half).is_none(), expected.total == 0.0, "{hole}");
    }
}

#[test]
fn ranges_are_met_as_hand_by_hand() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut showdown = Showdown::new(draw(&mut rng, 5, CardSet::EMPTY)).expect("five cards");
    for round in 0..testing::size(12, 200) {
        showdown.deal(draw(&mut rng, 5, CardSet::EMPTY)).expect("five cards");
        // Whole numbers are exact; fractions, most of them zero, are not.
        let whole = std::array::from_fn(|_| f64::from(rng.random_range(0..4u8)));
        check(&showdown, &whole, 0.0);
        let sparse =
            std::array::from_fn(|_| if rng.random_bool(0.03) { rng.random::<f64>() } else { 0.0 });
        check(&showdown, &sparse, 1e-12);
        if round == 0 {
            check(&showdown, &[0.0; Combo::COUNT], 0.0);
        }
    }
}

#[test]
fn a_range_that_card_removal_empties_weighs_exactly_nothing() {
    let board = set("Ks8d5h3c2s");
    let showdown = Showdown::new(board).expect("five cards");
    let ace = Card::from_index(51).expect("the ace of spades");
    let mut range = [0.0f32; Combo::COUNT];
    for combo in Combo::all().filter(|combo| combo.set().contains(ace)) {
        range[combo.index()] = 0.1 + combo.index() as f32 / 7.0;
    }
    let mut sums = [ShowdownSums::default(); Combo::COUNT];
    showdown.sums_against(&range, &mut sums);
    for combo in Combo::all() {
        let empty = combo.set().contains(ace) || combo.set().intersects(board);
        assert_eq!(sums[combo.index()].equity(Ties::Half).is_none(), empty, "{combo}");
        if empty {
            assert_eq!(sums[combo.index()], ShowdownSums::default(), "{combo}");
        }
    }
}

#[test]
fn hands_stand_in_the_order_of_their_strength() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for _ in 0..testing::size(50, 300) {
        let board = draw(&mut rng, 5, CardSet::EMPTY);
        let showdown = Showdown::new(board).expect("five cards");
        let (mut hands, mut last) = (0, None);
        for group in showdown.groups() {
            let group: Vec<Combo> = group.collect();
            let strength = showdown.strength(group[0]);
            assert!(strength > last, "{board:?}");
            last = strength;
            hands += group.len();
            for hole in group {
                assert_eq!(Some(evaluate(board | hole.set())), strength, "{hole} on {board:?}");
                assert_eq!(showdown.strength(hole), strength, "{hole} on {board:?}");
            }
        }
        assert_eq!(hands, 1081);
        for hole in Combo::all() {
            let expected = naive(hole, board, &[1.0; Combo::COUNT]);
            let counted = showdown.equity(hole).map(|rate| (rate.wins as f64, rate.ties as f64));
            let expected = (expected.total > 0.0).then_some((expected.wins, expected.ties));
            assert_eq!(counted, expected, "{hole} on {board:?}");
        }
    }
}

#[test]
fn boards_without_five_cards_are_refused() {
    let mut showdown = Showdown::new(set("KsQsJsTs2c")).expect("five");
    let before = showdown.board();
    for text in ["", "KsQsJsTs", "KsQsJsTs2c3c"] {
        let board = set(text);
        assert!(Showdown::new(board).is_err(), "{text}");
        assert!(showdown.deal(board).is_err(), "{text}");
    }
    assert_eq!(showdown.board(), before);
}

#[test]
fn margins_over_the_cards_to_come_are_those_of_each_pair() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    for cards in [3, 4, 5] {
        let board = draw(&mut rng, 5, CardSet::EMPTY)
            .iter()
            .take(cards)
            .fold(CardSet::EMPTY, CardSet::with);
        let mut range = [0.0; Combo::COUNT];
        let free = Combo::all().filter(|combo| !combo.set().intersects(board));
        free.step_by(61).for_each(|combo| range[combo.index()] = rng.random());
        let found = range_margins(board, &[&range, &[1.0; Combo::COUNT]]).expect("a board");
        let left = unblocked(&range);
        for hole in Combo::all().step_by(37) {
            let (mut margin, mut weight) = (0.0, 0.0);
            for combo in Combo::all().filter(|combo| !combo.set().intersects(hole.set())) {
                weight += range[combo.index()];
                // An error means that the hand holds a card of the board.
                if range[combo.index()] > 0.0
                    && let Ok(counts) = all_in(hole, combo, board)
                {
                    margin += range[combo.index()] * (2.0 * counts.value(Ties::Half) - 1.0);
                }
            }
            assert!((found[0][hole.index()] - margin).abs() < 1e-9, "{hole} on {cards} cards");
            assert!((left[hole.index()] - weight).abs() < 1e-9, "{hole}");
        }
    }
    let six = draw(&mut rng, 5, CardSet::EMPTY) | draw(&mut rng, 5, CardSet::EMPTY);
    assert!(six.len() > 5 && range_margins(six, &[&[1.0; Combo::COUNT]]).is_err());
}
