//! Kinds of flops, and drawing them.

use cards::Combo;
use solvers::holdem::best_response::{FLOPS, KINDS, flop_kinds, shuffled_flops};

#[test]
fn kinds_stand_for_all_flops() {
    let kinds = flop_kinds();
    assert_eq!(kinds.len(), KINDS);
    assert_eq!(kinds.iter().map(|kind| kind.flops as usize).sum::<usize>(), FLOPS);
    assert!(kinds.iter().all(|kind| [4, 12, 24].contains(&kind.flops)));
}

#[test]
fn every_flop_leaves_equally_many_pairs_of_hands_which_make_up_all_deals() {
    let mut sum = 0;
    for kind in flop_kinds().iter().step_by(250) {
        let free = || Combo::all().filter(|combo| !combo.set().intersects(kind.cards));
        let pairs: usize =
            free().map(|a| free().filter(|b| !a.set().intersects(b.set())).count()).sum();
        assert_eq!(pairs, 1176 * 1081);
        sum = pairs * FLOPS;
    }
    // Each pair of hands leaves 48 · 47 · 46 / 6 flops.
    assert_eq!(sum, 1326 * 1225 * 17_296);
}

#[test]
fn flops_are_drawn_with_their_weights_and_the_same_by_the_same_seed() {
    let drawn = shuffled_flops(5);
    assert_eq!(drawn.len(), FLOPS);
    for (number, kind) in flop_kinds().iter().enumerate() {
        let count = drawn.iter().filter(|&&drawn| usize::from(drawn) == number).count();
        assert_eq!(count, kind.flops as usize);
    }
    assert_eq!(drawn, shuffled_flops(5));
    assert_ne!(drawn, shuffled_flops(6));
    // Of the first half of 500 orders a kind of 24 flops is a half of its flops.
    let first = |seed| shuffled_flops(seed)[..FLOPS / 2].iter().filter(|&&kind| kind < 40).count();
    let mean = (0..40).map(first).sum::<usize>() as f64 / 40.0;
    let expected: u32 = flop_kinds()[..40].iter().map(|kind| kind.flops).sum();
    let expected = f64::from(expected) / 2.0;
    assert!((mean - expected).abs() < 0.1 * expected, "{mean} of {expected}");
}
