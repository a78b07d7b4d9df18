//! All pairs of hands on a flop against each pair's own count.

use cards::{Card, Equity, FlopPairs, all_in};

use crate::set;

fn margin(result: Equity) -> f64 {
    let Equity { wins, ties, total } = result;
    (2.0 * wins as f64 + ties as f64) / total as f64 - 1.0
}

#[test]
fn pairs_of_a_flop_have_the_results_of_all_in() {
    for flop in ["AhKh7h", "2c2d9s"] {
        let flop = set(flop);
        let pairs = FlopPairs::new(flop).expect("a flop");
        let (hands, count) = (pairs.hands(), pairs.hands().len());
        assert_eq!(count, 1176);
        for (one, &hand) in hands.iter().enumerate().step_by(223) {
            for (other, &against) in hands.iter().enumerate().step_by(89) {
                let at = one * count + other;
                let (found, square) = (pairs.margins()[at], pairs.squares()[at]);
                if hand.set().intersects(against.set()) {
                    assert_eq!((found, square), (0.0, 0.0));
                    continue;
                }
                let result = all_in(hand, against, flop).expect("different cards");
                assert!((f64::from(found) - margin(result)).abs() < 1e-5, "{hand} {against}");
                let known = flop | hand.set() | against.set();
                let turns = Card::all().filter(|&card| !known.contains(card));
                let of_turn = |turn| {
                    margin(all_in(hand, against, flop.with(turn)).expect("different")).powi(2)
                };
                let mean = turns.map(of_turn).sum::<f64>() / 45.0;
                assert!((f64::from(square) - mean).abs() < 1e-5, "{hand} {against}");
            }
        }
    }
}

#[test]
fn only_flops_have_pairs() {
    for board in ["", "AhKh", "AhKh7h2c"] {
        assert!(FlopPairs::new(set(board)).is_err());
    }
}
