//! Random situations of no-limit hold'em at the beginning of the turn or the river, with their
//! values.
//!
//! A situation is a board, a pot to which both players contributed equally, and a range for each
//! player: the training data of a counterfactual value network. Ranges are drawn as in Moravčík,
//! Schmid, Burch, Lisý, Morrill, Bard, Davis, Waugh, Johanson, Bowling, "DeepStack", Science 2017,
//! supplement ("Generating training data"): the total probability of one is split recursively; a
//! uniform random share goes to the lower half of the hands, sorted by equity, and the rest to
//! the upper half, down to single hands.
//!
//! A situation at the end of the flop is one of the turn whose ranges do not depend on the turn
//! card: hands are sorted on the flop, and those with the turn card have a probability, too. How
//! uneven the splits are is random for each range, because players come to the end of a flop with
//! most of their hands as well as with few.

use abstraction::menu::BetMenu;
use cards::{Board, Card, CardSet, Combo, Range, RiverTable, Ties};
use game::{Chips, Street};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::subgame::{Options, Solver, Subgame, start};
use crate::Error;

/// Chips per big blind in a situation.
pub const BIG_BLIND: Chips = 100;

/// A probability for each of the 1,326 hands, by combo number; 0 where the hand shares a card with
/// the board.
pub type Shares = Box<[f32; Combo::COUNT]>;

/// A situation: a board, a pot and two ranges.
#[derive(Debug, Clone, PartialEq)]
pub struct Situation {
    /// The board, four or five cards in the order in which they are dealt.
    pub board: Board,
    /// The pot in chips; each player put in half of it.
    pub pot: Chips,
    /// Each player's remaining stack, in chips.
    pub behind: Chips,
    /// The ranges of the player who acts first and of the other; each sums to 1. At the end of the
    /// flop, hands with the turn card are counted, too.
    pub ranges: [Shares; 2],
}

/// The distribution from which situations are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw {
    /// The street: the turn or the river, which begins, or the flop, which ends.
    pub street: Street,
    /// Each player's stack at the beginning of the hand, in big blinds.
    pub stack: f64,
    /// The smallest and the largest pot, in big blinds; its logarithm is uniform. A pot below 4 is
    /// one of 2, that of a call before the flop.
    pub pots: [f64; 2],
}

impl Draw {
    /// Checks that there are such situations.
    ///
    /// # Errors
    /// The reason why there are none.
    pub fn check(&self) -> Result<(), Error> {
        let Draw { street, stack, pots } = *self;
        if street == Street::Preflop {
            return Err(Error::new(format!(
                "situations on the {street}: take flop, turn or river"
            )));
        }
        if !(4.0..=1e5).contains(&stack) {
            return Err(Error::new(format!(
                "a stack of {stack} big blinds: take a number from 4 to 100,000"
            )));
        }
        let most = 2.0 * stack;
        if !(pots[0] >= 2.0 && pots[0] <= pots[1] && pots[1] < most) {
            return Err(Error::new(format!(
                "pots from {} to {} big blinds: they must rise from at least 2 to less than both \
                 stacks, {most}",
                pots[0], pots[1]
            )));
        }
        Ok(())
    }

    /// A random situation. Call [`Draw::check`] first.
    pub fn draw(&self, rng: &mut impl Rng) -> Situation {
        let cards = if self.street == Street::River { 5 } else { 4 };
        let mut deck: Vec<Card> = Card::all().collect();
        let (dealt, _) = deck.partial_shuffle(rng, cards);
        let board = Board::new(dealt).expect("at most seven cards");
        let [least, most] = self.pots.map(f64::ln);
        let pot = (least + (most - least) * rng.random::<f64>()).exp();
        let stack = (self.stack * BIG_BLIND as f64) as Chips;
        // Both put in whole chips, and have at least one left.
        let paid = ((pot * BIG_BLIND as f64 / 2.0) as Chips).min(stack - 1);
        // Between a call and the smallest raise before the flop there is no pot.
        let paid = if paid < 2 * BIG_BLIND { BIG_BLIND } else { paid };
        let flop = self.street == Street::Flop;
        let known = if flop { dealt[..3].iter().copied().collect() } else { board.set() };
        let hands = in_order(known, rng);
        let ranges = std::array::from_fn(|_| {
            let uneven = if flop { rng.random::<f64>() } else { 1.0 };
            let mut shares = Box::new([0.0; Combo::COUNT]);
            halve(&hands, 1.0, uneven, rng, &mut shares);
            shares
        });
        Situation { board, pot: 2 * paid, behind: stack - paid, ranges }
    }
}

/// The possible hands on a board, sorted by equity against a random hand; ties in random order.
fn in_order(board: CardSet, rng: &mut impl Rng) -> Vec<Combo> {
    let mut hands = Vec::with_capacity(Combo::COUNT);
    let table = RiverTable::shared(Ties::Half);
    let visit =
        |combo: Combo, hand_equity: &cards::HandEquity| hands.push((hand_equity.ratio().0, combo));
    table.each_hand(board, visit).expect("a board of three to five cards");
    // The visiting order of hands is not specified.
    hands.sort_unstable_by_key(|&(_, combo)| combo.index());
    hands.shuffle(rng);
    hands.sort_by_key(|&(rate, _)| rate);
    hands.into_iter().map(|(_, combo)| combo).collect()
}

/// Distributes a probability of `share` over the hands by recursive random splits: into a half that
/// gets a part from 0 to 1, or closer to one half if `uneven` is less than 1.
fn halve(
    hands: &[Combo],
    share: f64,
    uneven: f64,
    rng: &mut impl Rng,
    shares: &mut [f32; Combo::COUNT],
) {
    if let [hand] = hands {
        shares[hand.index()] = share as f32;
        return;
    }
    let more = if hands.len() % 2 == 1 { rng.random_range(0..2) } else { 0 };
    let (lower, upper) = hands.split_at(hands.len() / 2 + more);
    let first = share * (0.5 + uneven * (rng.random::<f64>() - 0.5));
    halve(lower, first, uneven, rng, shares);
    halve(upper, share - first, uneven, rng, shares);
}

/// The values of a situation's hands, in an approximate equilibrium.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// For both players and each hand, by combo number: its counterfactual value, that is its
    /// winnings in chips over the whole hand times the probability of the opponent's compatible
    /// hands, as a share of the pot. 0 where the hand shares a card with the board, the turn card
    /// included.
    pub values: [Shares; 2],
    /// The exploitability of the strategies, as a share of the pot.
    pub exploitability: f64,
}

impl Situation {
    /// Solves the situation with the bets of a menu by `iterations` iterations of DCFR+, without
    /// card abstraction.
    ///
    /// # Errors
    /// When a hand cannot begin there or the subgame is too large.
    pub fn solve(&self, menu: &BetMenu, iterations: u32) -> Result<Values, Error> {
        let root = start(&self.board, self.pot, [self.behind; 2], BIG_BLIND)?;
        // Weights go to 1; what is asked for are values against probabilities.
        let most = [0, 1].map(|player| self.ranges[player].iter().copied().fold(0.0, f32::max));
        let range = |player: usize| {
            let mut range = Range::empty();
            for combo in Combo::all() {
                let share = self.ranges[player][combo.index()];
                let weight = f64::from(share) / f64::from(most[player]);
                range.set(combo, weight).expect("a share of the largest");
            }
            range
        };
        let [first, second] = [0, 1].map(range);
        let menu = |state: &game::PublicState| menu.actions(state).to_vec();
        let subgame = Subgame::new(&root, [&first, &second], &menu)?;
        let mut solver = Solver::new(subgame, Options::default())?;
        solver.run(iterations);
        let found = solver.evaluate();
        let values = [0, 1].map(|player: usize| {
            let mut values = Box::new([0.0; Combo::COUNT]);
            let of_pot = f64::from(most[1 - player]) / found.pot();
            for hand in &found.hands[player] {
                values[hand.combo.index()] = (hand.value * hand.unblocked_weight * of_pot) as f32;
            }
            values
        });
        Ok(Values { values, exploitability: found.share_of_pot() })
    }
}
