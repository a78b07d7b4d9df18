//! `cardroom solve endgame play`: a person plays against the equilibrium of an endgame.

use std::io::{BufRead, StdinLock, Write};

use clap::ValueEnum;
use matches::plan::fresh_seed;
use readable::endgame::{Talk, play};
use solvers::Player;

use super::Weights;
use crate::exit::Failure;
use crate::output::print;

/// Play an endgame against its equilibrium and see what each answer costs.
///
/// You bet or check as the first player, call or fold as the second. Answers are read line by line
/// from standard input, which may be a file. The cost of an answer is exact: its expected value
/// against the equilibrium compared with that of the best answer, in pots. The other player's card
/// is hidden until the end of a game. `quit` or the end of the input ends the session and prints
/// the totals.
///
/// Examples:
///   cardroom solve endgame play
///   cardroom solve endgame play --first 1:0.5,10:0.5 --second 5 --seat second --seed 1
///   printf 'check\nbet 0.6\n' | cardroom solve endgame play --seat first --games 2 --seed 7
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    weights: Weights,
    /// Your seat
    #[arg(long, value_enum, default_value_t)]
    seat: SeatArg,
    /// Stop after N games [default: at the end of the input]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Seed for the cards and the other player's actions [default: random]
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

/// Which player the person is.
#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum SeatArg {
    /// The player who bets
    First,
    /// The player who calls or folds
    Second,
    /// Both in turn, starting with the first
    #[default]
    Both,
}

impl SeatArg {
    fn seats(self) -> &'static [Player] {
        match self {
            SeatArg::First => &[Player::First],
            SeatArg::Second => &[Player::Second],
            SeatArg::Both => &Player::BOTH,
        }
    }
}

/// Runs the command: plays until the games or the input end.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let game = args.weights.game()?;
    let seed = args.seed.unwrap_or_else(|| fresh_seed() >> 32);
    play(&game, args.seat.seats(), args.games, seed, &mut std::io::stdin().lock())
}

impl Talk<Failure> for StdinLock<'_> {
    fn say(&mut self, text: &str) -> Result<(), Failure> {
        print(text)?;
        // If a prompt cannot be written, nothing is lost.
        let _ = std::io::stdout().flush();
        Ok(())
    }

    fn line(&mut self) -> Result<Option<String>, Failure> {
        let mut line = String::new();
        let read = self.read_line(&mut line).map_err(|error| {
            Failure::input(anyhow::anyhow!("the standard input: {error}; write lines of text"))
        })?;
        Ok((read > 0).then_some(line))
    }
}
