//! Known convergence on rivers: exploitability after so many iterations, the mean of random boards.

use abstraction::menu::BetMenu;
use cards::{Board, Card, Range};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rayon::prelude::*;
use solvers::Variant;
use solvers::subgame::{Options, Solver, Subgame, start};

use super::{bet_menu, range};

/// How many boards the means are taken of: from one board to the next some of these figures differ by half.
const BOARDS: usize = 64;
const CHECKPOINTS: [u32; 5] = [10, 25, 50, 100, 200];

/// Rivers with all hands.
struct Rivers {
    /// Pots behind.
    behind: u32,
    menu: BetMenu,
    nodes: usize,
    boards: Vec<Board>,
    all: Range,
}

impl Rivers {
    fn new(behind: u32, menu: &str, nodes: usize, boards: usize) -> Rivers {
        let mut random = rand_pcg::Pcg64::seed_from_u64(1);
        let mut deck: Vec<Card> = Card::all().collect();
        let mut draw = || {
            deck.shuffle(&mut random);
            Board::new(&deck[..5]).expect("five cards")
        };
        let boards = (0..boards).map(|_| draw()).collect();
        Rivers { behind, menu: bet_menu(menu), nodes, boards, all: range("random") }
    }

    /// Exploitability in percent of the pot after 10, 25, 50, 100 and 200 iterations.
    fn solve(&self, board: &Board, variant: Variant) -> [f64; 5] {
        const POT: u32 = 1_000;
        let state = start(board, POT, [self.behind * POT; 2], 10).expect("a hand");
        let menu = |state: &_| self.menu.actions(state).to_vec();
        let subgame = Subgame::new(&state, [&self.all; 2], &menu).expect("a subgame");
        let options = Options { variant, horizon: 200, ..Options::default() };
        assert_eq!(subgame.size(&options).nodes, self.nodes);
        let mut solver = Solver::new(subgame, options).expect("small");
        CHECKPOINTS.map(|iterations| {
            solver.run(iterations - solver.iterations());
            100.0 * solver.exploitability() / f64::from(POT)
        })
    }

    /// The means of all boards are within a fifth of these.
    fn check(&self, name: &str, known: [f64; 5]) {
        let variant: Variant = name.parse().expect("an algorithm");
        let each: Vec<[f64; 5]> =
            self.boards.par_iter().map(|board| self.solve(board, variant)).collect();
        for (at, known) in known.into_iter().enumerate() {
            let found = each.iter().map(|shares| shares[at]).sum::<f64>() / each.len() as f64;
            assert!(
                (known / 1.2..known * 1.2).contains(&found),
                "{name}, {} iterations: {found} % of the pot, known {known} %",
                CHECKPOINTS[at]
            );
        }
    }
}

// The known figures are another program's means of eight boards. Regrets are discounted before the new ones are added
// by all algorithms there that keep negative ones.

#[test]
fn deep_rivers_converge_as_fast_as_known() {
    let menu = "river 1: 50% pot allin\nriver 2: pot allin\nriver 3: allin";
    let rivers = Rivers::new(10, menu, 57, BOARDS);
    rivers.check("cfr+", [22.8799, 7.6300, 2.9639, 1.3583, 0.6049]);
    rivers.check("lcfr,discount-then-add", [22.3841, 5.0412, 1.7061, 0.6788, 0.2731]);
    rivers.check("dcfr,discount-then-add", [16.8519, 4.9286, 2.0068, 0.6476, 0.2427]);
    rivers.check("dcfr(1.5,0,3),discount-then-add", [15.0599, 4.8752, 1.8969, 0.5973, 0.2266]);
    rivers.check("dcfr+", [13.3989, 4.3457, 1.6737, 0.5446, 0.1930]);
    rivers.check("hs-dcfr(30),discount-then-add", [22.6350, 10.9346, 2.6413, 0.5630, 0.2088]);
    rivers.check("hs-dcfr(15),discount-then-add", [19.4691, 7.5101, 1.9089, 0.5153, 0.1962]);
    rivers.check("pdcfr+", [12.5223, 5.9163, 2.3084, 1.1438, 0.4992]);
}

#[test]
fn shallow_rivers_converge_as_fast_as_known() {
    let menu = "river 1: 33% 75% 150% allin\nriver 2: pot allin\nriver 3: allin";
    let rivers = Rivers::new(1, menu, 33, BOARDS);
    rivers.check("cfr+", [4.9626, 1.2519, 0.4742, 0.1860, 0.0678]);
    rivers.check("lcfr,discount-then-add", [5.1976, 1.3249, 0.4867, 0.1779, 0.0616]);
    rivers.check("dcfr,discount-then-add", [4.4179, 0.7532, 0.2594, 0.0837, 0.0304]);
    rivers.check("dcfr(1.5,0,3),discount-then-add", [4.4849, 0.6332, 0.2232, 0.0751, 0.0303]);
    rivers.check("dcfr+", [3.7239, 0.5598, 0.2421, 0.0721, 0.0315]);
    rivers.check("hs-dcfr(30),discount-then-add", [5.8785, 2.5511, 0.3770, 0.0747, 0.0413]);
    rivers.check("hs-dcfr(15),discount-then-add", [5.0291, 1.4890, 0.2604, 0.0730, 0.0377]);
    rivers.check("pdcfr+", [4.3707, 0.9841, 0.4657, 0.1759, 0.0783]);
}
