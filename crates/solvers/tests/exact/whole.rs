//! All deals there are, in optimised builds; a few flops in others.

use cards::Board;
use game::Street;
use solvers::abstracted::best_response::{ClassCounts, DEALS, PathProbabilities, Sum};
use solvers::holdem::best_response::flop_kinds;

use super::{CATEGORIES, buckets};

/// Of all hands of five, six and seven cards those of each category, from high card to straight
/// flush.
const FREQUENCIES: [[u64; 9]; 3] = [
    [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40],
    [6_612_900, 9_730_740, 2_532_816, 732_160, 361_620, 205_792, 165_984, 14_664, 1_844],
    [
        23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848,
        41_584,
    ],
];

#[test]
fn all_deals_are_counted_and_categories_are_as_frequent_as_is_known() {
    let buckets = buckets(CATEGORIES);
    let kinds = flop_kinds();
    let some = testing::size(200, 1);
    let kinds: Vec<_> = kinds.iter().step_by(some).collect();
    let counted: Vec<(i64, ClassCounts)> = parallel::map(kinds, |kind| {
        let board = Board::new(&kind.cards.iter().collect::<Vec<_>>()).expect("three cards");
        let pair_counts = ClassCounts::of_paths(&buckets, &board).expect("few paths");
        assert_eq!(pair_counts.deals() as u64, DEALS / 22_100);
        (kind.flops.into(), pair_counts)
    });
    let (mut all, mut back) = (Sum::default(), Sum::default());
    for (times, pair_counts) in &counted {
        all.add(pair_counts, *times).expect("few paths");
    }
    for (times, pair_counts) in counted.iter().rev() {
        back.add(pair_counts, *times).expect("few paths");
    }
    let (all, back) = (all.counts(), back.counts());
    let (probabilities, again) = (PathProbabilities::new(&all), PathProbabilities::new(&back));
    assert_eq!(probabilities.paths(), again.paths());
    let river = |probabilities: &PathProbabilities| {
        let count = probabilities.paths().len();
        (0..count * count)
            .map(|at| {
                probabilities.pair_probability(Street::River, at / count, at % count).to_bits()
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(river(&probabilities), river(&again), "whatever the order of flops");
    if some > 1 {
        return;
    }
    assert_eq!(all.deals() as u64, DEALS);
    assert!(probabilities.paths().len() < 400, "{}", probabilities.paths().len());
    // Deals in which one of the seats has this bucket on this street.
    let deals = |street: usize, bucket: u16| -> u64 {
        let paths = all.rows();
        let own = paths.iter().enumerate().filter(|(_, path)| path[street] == bucket);
        let with = |row: usize| -> u64 {
            (0..paths.len()).map(|other| all.cell(row, other)[0] as u64).sum()
        };
        own.map(|(row, _)| with(row)).sum()
    };
    assert_eq!(deals(0, 1), DEALS / 1_326 * 78);
    for (street, frequencies) in (1..).zip(FREQUENCIES) {
        let hands: u64 = frequencies.iter().sum();
        assert_eq!(hands, [2_598_960, 20_358_520, 133_784_560][street - 1]);
        for (category, frequency) in (0..).zip(frequencies) {
            let found = u128::from(deals(street, category)) * u128::from(hands);
            let expected = u128::from(DEALS) * u128::from(frequency);
            assert_eq!(found, expected, "category {category} on street {street}");
        }
    }
}
