//! The convergence of the algorithms of the family on rivers: exploitability in percent of the pot
//! by iterations, the mean over random boards with all hands, and the standard deviation from board
//! to board.
//!
//! `river_convergence BOARDS POTS-BEHIND MENU [ALGORITHM …]`, for instance
//! `river_convergence 48 10 "river 1: 50% pot allin; river 2: pot allin; river 3: allin"`. 200
//! iterations are planned, for algorithms that want to know.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;

use abstraction::menu::BetMenu;
use cards::{Board, Card, Range};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use solvers::Variant;
use solvers::subgame::{Options, Solver, Subgame, start};

const POT: u32 = 1_000;
const CHECKPOINTS: [u32; 5] = [10, 25, 50, 100, 200];
const ALGORITHMS: [&str; 9] = [
    "cfr+",
    "lcfr,discount-then-add",
    "dcfr,discount-then-add",
    "dcfr(1.5,0,3),discount-then-add",
    "dcfr+",
    "dcfr+,second-first",
    "hs-dcfr(30),discount-then-add",
    "hs-dcfr(15),discount-then-add",
    "pdcfr+",
];

/// Percent of the pot at each checkpoint.
fn solve(
    board: &Board,
    behind: u32,
    menu: &BetMenu,
    variant: Variant,
) -> Result<[f64; 5], Box<dyn Error + Send + Sync>> {
    let all: Range = "random".parse()?;
    let state = start(board, POT, [behind * POT; 2], POT / 20)?;
    let subgame = Subgame::new(&state, [&all; 2], &|state| menu.actions(state).to_vec())?;
    let options = Options { variant, horizon: CHECKPOINTS[4], ..Options::default() };
    let mut solver = Solver::new(subgame, options)?;
    let mut shares = [0.0; 5];
    for (share, iterations) in shares.iter_mut().zip(CHECKPOINTS) {
        solver.run(iterations - solver.iterations());
        *share = 100.0 * solver.evaluate().share_of_pot();
    }
    Ok(shares)
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [boards, behind, menu, algorithms @ ..] = &args[..] else {
        return Err("usage: river_convergence BOARDS POTS-BEHIND MENU [ALGORITHM …]".into());
    };
    let (boards, behind): (usize, u32) = (boards.parse()?, behind.parse()?);
    let menu: BetMenu = menu.replace(';', "\n").parse()?;
    let mut random = rand_pcg::Pcg64::seed_from_u64(1);
    let mut deck: Vec<Card> = Card::all().collect();
    let boards: Vec<Board> = (0..boards)
        .map(|_| {
            deck.shuffle(&mut random);
            Board::new(&deck[..5]).expect("five cards")
        })
        .collect();
    let names: Vec<&str> = match algorithms {
        [] => ALGORITHMS.to_vec(),
        given => given.iter().map(String::as_str).collect(),
    };
    let after: String = CHECKPOINTS.iter().map(|count| format!("{count:>15}")).collect();
    println!("{:<32}{after}", "iterations");
    for name in names {
        let variant: Variant = name.parse()?;
        let shares = parallel::map(&boards, |board| solve(board, behind, &menu, variant));
        let shares: Vec<[f64; 5]> = shares.into_iter().collect::<Result<_, _>>()?;
        let line: String = (0..CHECKPOINTS.len())
            .map(|at| {
                let mean = shares.iter().map(|all| all[at]).sum::<f64>() / shares.len() as f64;
                let away = shares.iter().map(|all| (all[at] - mean).powi(2)).sum::<f64>();
                let deviation = (away / (shares.len() as f64 - 1.0)).sqrt();
                format!("{mean:>8.4} {:<6}", format!("({deviation:.2})"))
            })
            .collect();
        println!("{name:<32}{line}");
    }
    Ok(())
}
