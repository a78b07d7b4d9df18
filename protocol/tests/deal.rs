//! The original's deals, bit for bit.

use game::notation;
use protocol::acpc::deal::{Deals, Mt19937};

use crate::table::{NOLIMIT, game, replay};

#[test]
fn the_generator_is_the_published_one() {
    let first = |seed: u32, count: usize| {
        let mut random = Mt19937::new(seed);
        (0..count).map(|_| random.next_u32()).collect::<Vec<_>>()
    };
    assert_eq!(first(0, 3), [2_357_136_044, 2_546_248_239, 3_071_714_933]);
    assert_eq!(first(1, 2), [1_791_095_845, 4_282_876_139]);
    // The ten thousandth number of the default seed, as the C++ standard gives it.
    assert_eq!(first(5489, 10_000)[9_999], 4_123_659_995);
}

#[test]
fn deals_are_those_of_the_original() {
    let cases: &[(u32, &[&str])] = &[
        (0, &["5d5c|9hQd/8dAs8s/4h/6d", "6sKs|5dJd/2sTh2h/Qh/8h"]),
        (1, &["8s2h|Kd5c/7hAdTd/4s/Kc"]),
        (42, &["7d3d|2hAc/5sKs7s/9s/6h"]),
        (u32::MAX, &["Jh7d|2hQc/QhQsJs/2s/Kh"]),
    ];
    let def = game(NOLIMIT);
    for &(seed, expected) in cases {
        let mut deals = Deals::new(&def, seed);
        for &hand in expected {
            let deal = deals.deal();
            let public = notation::replay(&def, "cc/cc/cc/cc", &deal.board).unwrap();
            assert_eq!(notation::cards(&public, &deal.hole), hand, "seed {seed}");
        }
    }
    let kuhn = game("kuhn.limit.3p");
    let state = replay(&kuhn, 0, "");
    assert_eq!(notation::cards(&state.public, &state.hole), "Js|As|Qs");
}
