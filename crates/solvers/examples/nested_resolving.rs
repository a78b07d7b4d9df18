//! The winnings of the other player of a river by a bet that was not in the tree, when it is
//! answered by solving anew from where it was made: without a gadget, with one for half of each
//! hand, and with one for all.
//!
//! The first player checks, by a solution of the whole river with ranges drawn at random. Then the
//! second bets what that solution does not know. A new one begins at that bet, with the ranges that
//! the first gives, as often as there are gadgets. What a best response of the second player wins
//! against it beyond what it could win without the bet is given away: in percent of the pot, the
//! mean over boards and its standard error.
//!
//! `nested_resolving BOARDS POTS-BEHIND ITERATIONS`, for instance `nested_resolving 40 4 200`.
#![expect(clippy::print_stdout, reason = "a program for the terminal")]

use std::error::Error;

use abstraction::menu::BetMenu;
use cards::{Board, Card, Combo, HandRank, OnBoard, Range};
use game::{Action, PublicState};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use solvers::Player;
use solvers::subgame::{EntryChoice, Gadget, Options, Solver, Spot, Subgame, start};

const POT: u32 = 1_000;
const MENU: &str = "river 1: 50% pot allin\nriver 2: pot allin\nriver 3+: allin";
/// Bets that the menu does not have, in percent of the pot.
const BETS: [u32; 4] = [25, 75, 150, 250];
/// The share of each hand that must come.
const FORCED: [(&str, f64); 3] = [("none", 1.0), ("half", 0.5), ("safe", 0.0)];

type Failure = Box<dyn Error + Send + Sync>;

/// A range whose weight is split again and again at random between its weaker and its stronger
/// half, as DeepStack (Moravčík and others, 2017) draws ranges.
fn drawn(board: &Board, random: &mut Pcg64) -> Range {
    let on_board = OnBoard::new(board.set());
    let free = Combo::all().filter(|combo| !combo.set().intersects(board.set()));
    let mut hands: Vec<(HandRank, Combo)> = free
        .map(|combo| {
            let [a, b] = combo.cards();
            (on_board.rank(a, b), combo)
        })
        .collect();
    hands.sort_unstable_by_key(|&(rank, combo)| (rank, combo.index()));
    let mut weights = vec![0.0; hands.len()];
    let mut waiting = vec![(0, hands.len(), 1.0)];
    while let Some((from, to, weight)) = waiting.pop() {
        if to - from == 1 {
            weights[from] = weight;
            continue;
        }
        let (middle, weaker) = (from.midpoint(to), weight * random.random::<f64>());
        waiting.extend([(from, middle, weaker), (middle, to, weight - weaker)]);
    }
    let most = weights.iter().copied().fold(0.0, f64::max);
    let mut range = Range::empty();
    for (weight, (_, combo)) in weights.into_iter().zip(hands) {
        range.set(combo, weight / most).expect("a weight from 0 to 1");
    }
    range
}

/// The winnings given away on a board, in percent of the pot: by bet and gadget.
fn given_away(board: &Board, seed: u64, behind: u32, iterations: u32) -> Result<Vec<f64>, Failure> {
    let mut random = Pcg64::seed_from_u64(seed);
    let ranges = [drawn(board, &mut random), drawn(board, &mut random)];
    let root = start(board, POT, [behind * POT; 2], POT / 20)?;
    let menu: BetMenu = MENU.parse()?;
    let options = Options { horizon: iterations, ..Options::default() };
    let actions = |state: &PublicState| menu.actions(state).to_vec();
    let mut first = Solver::new(Subgame::new(&root, ranges.each_ref(), &actions)?, options)?;
    first.run(iterations);
    let mut checked = root.clone();
    checked.apply(Action::Call)?;
    let there = Player::BOTH.map(|player| {
        Spot::at_state(&first, &checked).expect("a check is in the tree").range(player).clone()
    });
    let worth = first.values_at(&checked)?;
    let mut offers = vec![0.0; Combo::COUNT];
    worth[1].iter().for_each(|hand| offers[hand.combo.index()] = hand.best);
    let mut dealt = vec![0.0; Combo::COUNT];
    ranges[1].combos().for_each(|(combo, weight)| dealt[combo.index()] = weight);
    let mut found = Vec::new();
    for percent in BETS {
        let bet = Action::RaiseTo(POT / 2 + POT * percent / 100);
        let with_bet = |state: &PublicState| {
            let mut actions = actions(state);
            if state.history().len() == checked.history().len() {
                actions.push(bet);
                actions.sort_by_key(|action| match action {
                    Action::RaiseTo(total) => *total,
                    _ => 0,
                });
            }
            actions
        };
        for (_, forced) in FORCED {
            let gadget = Gadget {
                player: Player::Second,
                offers: offers.clone(),
                dealt: dealt.clone(),
                forced,
                choice: EntryChoice::EachHand,
            };
            let subgame = Subgame::new(&checked, there.each_ref(), &with_bet)?;
            let mut anew = Solver::with_gadget(subgame, options, &gadget)?;
            anew.run(iterations);
            let values = anew.evaluate().hands;
            // Hands meet the first player's, who has no choice to come: as much as before.
            let weighed = |value: &dyn Fn(usize) -> f64| -> f64 {
                let hands = worth[1].iter().enumerate();
                hands
                    .map(|(at, hand)| {
                        there[1].weight(hand.combo) * hand.unblocked_weight * value(at)
                    })
                    .sum()
            };
            let more = |at: usize| (values[1][at].best - worth[1][at].best).max(0.0);
            found.push(100.0 * weighed(&more) / weighed(&|_| 1.0) / f64::from(POT));
        }
    }
    Ok(found)
}

fn main() -> Result<(), Failure> {
    let numbers = std::env::args().skip(1).map(|text| text.parse::<u32>());
    let numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
    let &[boards, behind, iterations] = &numbers[..] else {
        return Err("usage: nested_resolving BOARDS POTS-BEHIND ITERATIONS".into());
    };
    let mut random = Pcg64::seed_from_u64(1);
    let mut deck: Vec<Card> = Card::all().collect();
    let boards: Vec<Board> = (0..boards)
        .map(|_| {
            deck.shuffle(&mut random);
            Board::new(&deck[..5]).expect("five cards")
        })
        .collect();
    let found = parallel::map(boards.iter().enumerate(), |(at, board)| {
        given_away(board, at as u64, behind, iterations)
    });
    let found: Vec<Vec<f64>> = found.into_iter().collect::<Result<_, _>>()?;
    let names: String = FORCED.iter().map(|(name, _)| format!("{name:>16}")).collect();
    println!("{:<16}{names}", "bet");
    for (row, percent) in BETS.iter().enumerate() {
        let cell = |column: usize| {
            let values: Vec<f64> =
                found.iter().map(|found| found[row * FORCED.len() + column]).collect();
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
            let error = (squares / (n - 1.0) / n).sqrt();
            format!("{:>16}", format!("{mean:.2} ± {error:.2}"))
        };
        let cells: String = (0..FORCED.len()).map(cell).collect();
        println!("{:<16}{cells}", format!("{percent} % of the pot"));
    }
    Ok(())
}
