//! `cardroom solve endgame play`: a person plays against the equilibrium of an endgame.

use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, Write};

use clap::ValueEnum;
use readable::endgame::{Dealer, Endgame, Solution};
use show::number::{counted, percent, signed};
use solvers::Player;

use super::Weights;
use super::solve::{choices, mix, short};
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

/// Totals over the games, in pots.
#[derive(Default)]
struct Sums {
    games: u64,
    /// The person's winnings, net of the antes.
    won: f64,
    answers: u64,
    /// Number of answers that cost something.
    wrong: u64,
    cost: f64,
}

struct Table<'a, Input> {
    game: &'a Endgame,
    solution: Solution,
    dealer: Dealer,
    input: Input,
    sums: Sums,
}

/// Costs below this, in pots, are rounding errors.
const ROUNDING: f64 = 1e-9;

/// Runs the command: plays until the games or the input end.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let game = args.weights.game()?;
    let seed = args.seed.unwrap_or_else(|| RandomState::new().hash_one(0) >> 32);
    let solution = game.solve();
    print(&format!(
        "{} cards, the worst is 1. Each player puts half a pot in; the first checks or bets {}, \
         and the second calls or folds. With both at their best the first player gets {:.4} of the \
         pot. Seed {seed}.\n",
        game.cards(),
        choices(game.bets().sizes()),
        solution.value
    ))?;
    let mut table = Table {
        game: &game,
        solution,
        dealer: Dealer::new(seed),
        input: std::io::stdin().lock(),
        sums: Sums::default(),
    };
    while args.games.is_none_or(|most| table.sums.games < most) {
        let seat = match args.seat {
            SeatArg::First => Player::First,
            SeatArg::Second => Player::Second,
            SeatArg::Both => Player::BOTH[(table.sums.games % 2) as usize],
        };
        if !table.play(seat)? {
            break;
        }
    }
    print(&table.sums.text())
}

impl<Input: BufRead> Table<'_, Input> {
    /// Plays one game; `false` if the input ended before.
    fn play(&mut self, seat: Player) -> Result<bool, Failure> {
        let cards = self.dealer.cards(self.game);
        let own = cards[seat.index()];
        let beats = match seat {
            Player::First => self.game.beats(own).map_or_else(String::new, |share| {
                format!(", which beats {} of the other's", percent(share, 0))
            }),
            Player::Second => String::new(),
        };
        let number = self.sums.games + 1;
        let who = if seat == Player::First { "first" } else { "second" };
        print(&format!("\nGame {number}. You are {who} and hold card {}{beats}.\n", own + 1))?;
        let taken = match seat {
            Player::First => self.first(cards)?,
            Player::Second => self.second(cards)?,
        };
        let Some(taken) = taken else { return Ok(false) };
        let net = if seat == Player::First { taken - 0.5 } else { 0.5 - taken };
        print(&format!("You get {} pots.\n", signed(net, 3)))?;
        self.sums.games += 1;
        self.sums.won += net;
        Ok(true)
    }

    /// The person acts first, and bets or checks. Returns the first player's payoff in pots; `None`
    /// at the end of the input.
    fn first(&mut self, [own, other]: [usize; 2]) -> Result<Option<f64>, Failure> {
        let sizes = self.game.bets().sizes();
        let worth = self.game.size_values(own, &self.solution.calls);
        let worth = worth.expect("the other player was dealt another card");
        let Some(bet) = self.ask("check, or bet how many pots? ", |line| size(line, sizes))? else {
            return Ok(None);
        };
        let best = worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let does = mix(&self.solution.strategy[own * sizes.len()..][..sizes.len()], sizes);
        self.price(best - worth[bet], &does)?;
        if bet == 0 {
            return self.showdown(
                own,
                other,
                0.0,
                &format!("The other player holds {}", other + 1),
            );
        }
        let call = self.solution.calls[other * sizes.len() + bet];
        if self.dealer.draw(&[1.0 - call, call]) == 1 {
            return self.showdown(own, other, sizes[bet], &format!("Called by {}", other + 1));
        }
        print(&format!("The other player folds {}. ", other + 1))?;
        Ok(Some(1.0))
    }

    /// The person acts second, and calls or folds. Returns the first player's payoff in pots;
    /// `None` at the end of the input.
    fn second(&mut self, [other, own]: [usize; 2]) -> Result<Option<f64>, Failure> {
        let sizes = self.game.bets().sizes();
        let row = &self.solution.strategy[other * sizes.len()..][..sizes.len()];
        let bet = self.dealer.draw(row);
        if bet == 0 {
            let says = format!("The other player checks {}", other + 1);
            return self.showdown(other, own, 0.0, &says);
        }
        let size = sizes[bet];
        print(&format!("The other player bets {}. ", short(size)))?;
        let answer = |line: &str| match line {
            "call" | "c" => Ok(true),
            "fold" | "f" => Ok(false),
            _ => Err("write call, fold or quit".to_owned()),
        };
        let Some(calls) = self.ask("call or fold? ", answer)? else { return Ok(None) };
        let worth = self.game.call_value(own, bet, &self.solution.strategy);
        let worth = worth.expect("this card has bet it");
        let call = self.solution.calls[own * sizes.len() + bet];
        let does = match call {
            share if share > 1.0 - 5e-7 => "calls".to_owned(),
            share if share < 5e-7 => "folds".to_owned(),
            share => format!("calls {}", percent(share, 1)),
        };
        self.price(worth.max(0.0) - if calls { worth } else { 0.0 }, &does)?;
        if calls {
            return self.showdown(other, own, size, &format!("It has {}", other + 1));
        }
        print(&format!("It had {}. ", other + 1))?;
        Ok(Some(1.0))
    }

    /// The first player's payoff at a showdown after a bet of this size, in pots.
    fn showdown(
        &self,
        first: usize,
        second: usize,
        size: f64,
        says: &str,
    ) -> Result<Option<f64>, Failure> {
        print(&format!("{says}. "))?;
        Ok(Some(if first > second { 1.0 + size } else { -size }))
    }

    /// Prints what an answer costs and what the equilibrium does.
    fn price(&mut self, cost: f64, does: &str) -> Result<(), Failure> {
        let right = cost < ROUNDING;
        self.sums.answers += 1;
        self.sums.wrong += u64::from(!right);
        self.sums.cost += if right { 0.0 } else { cost };
        let costs =
            if right { "costs nothing".to_owned() } else { format!("costs {cost:.4} pots") };
        print(&format!("That {costs}; the equilibrium: {does}. "))
    }

    /// Asks until a line can be parsed; `None` at the end of the input.
    fn ask<T>(
        &mut self,
        question: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        loop {
            print(question)?;
            // If the prompt cannot be written, nothing is lost.
            let _ = std::io::stdout().flush();
            let mut line = String::new();
            let bytes = self.input.read_line(&mut line).map_err(|error| {
                Failure::input(anyhow::anyhow!("the standard input: {error}; write lines of text"))
            })?;
            let line = line.trim().to_lowercase();
            if bytes == 0 || matches!(line.as_str(), "quit" | "q") {
                print("\n")?;
                return Ok(None);
            }
            match read(&line) {
                Ok(answer) => return Ok(Some(answer)),
                Err(says) => print(&format!("`{line}`: {says}.\n"))?,
            }
        }
    }
}

/// The index of a size, parsed from `check`, `0.6`, `bet 0.6` or `all-in`.
fn size(line: &str, sizes: &[f64]) -> Result<usize, String> {
    let wanted = match line.strip_prefix("bet ").unwrap_or(line).trim() {
        "check" | "c" => 0.0,
        "all-in" | "allin" => sizes.last().copied().unwrap_or(0.0),
        number => number.parse().map_err(|_| {
            format!("write check, a size such as {}, all-in or quit", short(sizes[sizes.len() / 2]))
        })?,
    };
    let found = sizes.iter().position(|size: &f64| (size - wanted).abs() < 1e-9);
    found.ok_or_else(|| format!("bets are {}", choices(sizes)))
}

impl Sums {
    fn text(&self) -> String {
        let Sums { games, won, answers, wrong, cost } = self;
        format!(
            "\n{}: {} pots. {}, {wrong} of which cost something: {cost:.4} pots in all.\n",
            counted(*games, "game"),
            signed(*won, 3),
            counted(*answers, "answer"),
        )
    }
}
