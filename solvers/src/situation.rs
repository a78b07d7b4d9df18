//! Random situations of no-limit hold'em at the beginning of the turn or the river.
//!
//! A situation is a board, a pot that both players paid alike, and a range for each player: what a
//! counterfactual value network is trained on. Ranges are drawn as in Moravčík, Schmid, Burch,
//! Lisý, Morrill, Bard, Davis, Waugh, Johanson, Bowling, "DeepStack", Science 2017, supplement
//! ("Generating training data"): all hands in the order of their win-rates are given a probability
//! of one, a share of it drawn evenly goes to the lower half of them and the rest to the upper
//! half, and so on to single hands.

use abstraction::menu::BetMenu;
use cards::{Board, Card, CardSet, Combo, Range, RiverTable, Ties};
use game::{Chips, Street};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use crate::subgame::{Options, Solver, StartError, Subgame, SubgameError, start};

/// Chips of a big blind in a situation.
pub const BIG_BLIND: Chips = 100;

/// A probability for each of the 1,326 hands, by the combos' numbers; 0 where the board has a card
/// of the hand.
pub type Shares = Box<[f32; Combo::COUNT]>;

/// A board, a pot and two ranges.
#[derive(Debug, Clone, PartialEq)]
pub struct Situation {
    /// Four or five cards.
    pub board: Board,
    /// In chips; each player paid half of it.
    pub pot: Chips,
    /// What each player has left, in chips.
    pub behind: Chips,
    /// The ranges of the player who acts first and of the other; each sums to 1.
    pub ranges: [Shares; 2],
}

/// What situations are drawn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Draw {
    /// The street: turn or river.
    pub street: Street,
    /// What each player has at the beginning of the hand, in big blinds.
    pub stack: f64,
    /// The smallest and the largest pot, in big blinds; its logarithm is drawn evenly.
    pub pots: [f64; 2],
}

/// Why there are no such situations.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SituationError {
    /// A street that is not drawn.
    #[error("situations on the {0}: take turn or river")]
    Street(Street),
    /// A stack that is none.
    #[error("a stack of {0} big blinds: take a number from 4 to 100,000")]
    Stack(f64),
    /// Pots that cannot be.
    #[error(
        "pots from {} to {} big blinds: they must rise from 4 at least to less than both stacks, {most}",
        .pots[0], .pots[1]
    )]
    Pots {
        /// The smallest and the largest.
        pots: [f64; 2],
        /// Both stacks.
        most: f64,
    },
    /// A hand that cannot begin there.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A subgame that cannot be solved.
    #[error(transparent)]
    Subgame(#[from] SubgameError),
}

impl Draw {
    /// Whether there are such situations.
    ///
    /// # Errors
    /// When there are none.
    pub fn check(&self) -> Result<(), SituationError> {
        let Draw { street, stack, pots } = *self;
        if !matches!(street, Street::Turn | Street::River) {
            return Err(SituationError::Street(street));
        }
        if !(4.0..=1e5).contains(&stack) {
            return Err(SituationError::Stack(stack));
        }
        let most = 2.0 * stack;
        if !(pots[0] >= 4.0 && pots[0] <= pots[1] && pots[1] < most) {
            return Err(SituationError::Pots { pots, most });
        }
        Ok(())
    }

    /// A random situation. Call [`Draw::check`] first.
    pub fn draw(&self, rng: &mut impl Rng) -> Situation {
        let cards = if self.street == Street::Turn { 4 } else { 5 };
        let mut deck: Vec<Card> = Card::all().collect();
        let (dealt, _) = deck.partial_shuffle(rng, cards);
        let board = Board::new(dealt).expect("at most seven cards");
        let [least, most] = self.pots.map(f64::ln);
        let pot = (least + (most - least) * rng.random::<f64>()).exp();
        let stack = (self.stack * BIG_BLIND as f64) as Chips;
        // Both paid whole chips, and have one left at least.
        let paid = ((pot * BIG_BLIND as f64 / 2.0) as Chips).min(stack - 1);
        let hands = in_order(board.set(), rng);
        let ranges = std::array::from_fn(|_| {
            let mut shares = Box::new([0.0; Combo::COUNT]);
            halve(&hands, 1.0, rng, &mut shares);
            shares
        });
        Situation { board, pot: 2 * paid, behind: stack - paid, ranges }
    }
}

/// The hands that can be held on a board, from the lowest win-rate against a random hand to the
/// highest; those with the same in random order.
fn in_order(board: CardSet, rng: &mut impl Rng) -> Vec<Combo> {
    let mut hands = Vec::with_capacity(Combo::COUNT);
    let table = RiverTable::shared(Ties::Half);
    let visit = |combo: Combo, outlook: &cards::Outlook| hands.push((outlook.ratio().0, combo));
    table.each_hand(board, visit).expect("a board of four or five cards");
    // The order in which hands are visited is not specified.
    hands.sort_unstable_by_key(|&(_, combo)| combo.index());
    hands.shuffle(rng);
    hands.sort_by_key(|&(rate, _)| rate);
    hands.into_iter().map(|(_, combo)| combo).collect()
}

/// Gives the hands a probability that sums to `share`.
fn halve(hands: &[Combo], share: f64, rng: &mut impl Rng, shares: &mut [f32; Combo::COUNT]) {
    if let [hand] = hands {
        shares[hand.index()] = share as f32;
        return;
    }
    let more = if hands.len() % 2 == 1 { rng.random_range(0..2) } else { 0 };
    let (lower, upper) = hands.split_at(hands.len() / 2 + more);
    let first = share * rng.random::<f64>();
    halve(lower, first, rng, shares);
    halve(upper, share - first, rng, shares);
}

/// What a situation is worth to every hand, by an approximate equilibrium.
#[derive(Debug, Clone, PartialEq)]
pub struct Values {
    /// For both players and each hand, by the combos' numbers: its counterfactual value, that is
    /// the chips that it wins in the whole hand times the probability of the opponent's hands that
    /// it can meet, as a share of the pot. 0 where the board has a card of the hand.
    pub values: [Shares; 2],
    /// How far from an equilibrium the strategies are, as a share of the pot.
    pub exploitability: f64,
}

impl Situation {
    /// Solves it with the bets of a menu by so many iterations of DCFR+, all hands and cards told
    /// apart.
    ///
    /// # Errors
    /// When no hand begins there or the subgame is too large.
    pub fn solve(&self, menu: &BetMenu, iterations: u32) -> Result<Values, SituationError> {
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
                values[hand.combo.index()] = (hand.value * hand.met * of_pot) as f32;
            }
            values
        });
        Ok(Values { values, exploitability: found.share_of_pot() })
    }
}
