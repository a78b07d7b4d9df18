//! Known convergence on rivers: exploitability after so many iterations, the mean of random boards.

use cards::{Board, Card};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use solvers::Variant;
use solvers::subgame::{Options, Precision, Solver, Subgame, start};

use super::{bet_menu, range};

/// Exploitability in percent of the pot with all hands and 10 pots behind; bets and raises of half
/// the pot, the pot and all-in, one raise. The mean of so many boards.
fn exploitability(variant: Variant, boards: usize, checkpoints: &[u32]) -> Vec<f64> {
    let menu = bet_menu("river 1-2: 50% pot allin");
    let all = range("random");
    let mut random = rand_pcg::Pcg64::seed_from_u64(1);
    let mut deck: Vec<Card> = Card::all().collect();
    let mut means = vec![0.0; checkpoints.len()];
    for _ in 0..boards {
        deck.shuffle(&mut random);
        let board = Board::new(&deck[..5]).expect("five cards");
        let state = start(&board, 200, [2000; 2], 10).expect("a hand");
        let subgame = Subgame::new(&state, [&all; 2], &|state| menu.actions(state).to_vec())
            .expect("a subgame");
        assert_eq!(subgame.size(Precision::Full).nodes, 57);
        let options = Options { variant, horizon: 200, ..Options::default() };
        let mut solver = Solver::new(subgame, options).expect("small");
        for (mean, &iterations) in means.iter_mut().zip(checkpoints) {
            solver.run(iterations - solver.iterations());
            *mean += 100.0 * solver.evaluate().share_of_pot() / boards as f64;
        }
    }
    means
}

#[test]
fn rivers_converge_as_fast_as_known() {
    // Another implementation's means of eight random boards. Two such means differ by up to a quarter from 25
    // iterations on, and by more before.
    let mut at_100 = Vec::new();
    for (name, checkpoints, known) in [
        ("dcfr+", &[25, 50, 100, 200][..], &[4.3457, 1.6737, 0.5446, 0.1930][..]),
        ("hs-dcfr(15)", &[25, 50, 100, 200], &[7.5101, 1.9089, 0.5153, 0.1962]),
        ("dcfr(1.5,0,3)", &[25, 50, 100, 200], &[4.8752, 1.8969, 0.5973, 0.2266]),
        ("dcfr", &[25, 50, 100, 200], &[4.9286, 2.0068, 0.6476, 0.2427]),
        ("cfr+", &[25, 50, 100], &[7.6300, 2.9639, 1.3583]),
    ] {
        let variant = name.parse().expect("an algorithm");
        let found = exploitability(variant, 8, checkpoints);
        for ((found, known), iterations) in found.iter().zip(known).zip(checkpoints) {
            let ratio = found / known;
            assert!(
                (0.75..1.25).contains(&ratio),
                "{name}, {iterations} iterations: {found} % of the pot, known {known} %"
            );
        }
        at_100.push(found[2]);
    }
    assert!(at_100.is_sorted(), "{at_100:?}");
}
