//! The fitness sampled from matches, as published: noisy, and a test of the exact one.

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::buckets::Buckets;
use cards::{Board, Card, CardSet, Combo, HoleCards, evaluate};
use game::Street;
use rand::{Rng, RngExt};
use solvers::blueprint::MAX_ACTIONS;
use solvers::counting::HandClasses;
use solvers::strategy::AbstractStrategy;
use solvers::{Player, drawn};

use super::{Move, Situation, StreetBetting};

/// A match that has reached the street.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The player who follows the rule from here on.
    pub player: Player,
    /// The node of the betting tree where the street begins.
    pub node: u32,
    /// The class of the player's hand on the street.
    pub class: u16,
    /// The class of the opponent's hand.
    pub against: u16,
    /// The opponent's bucket.
    pub bucket: u32,
    /// The showdown result: 1 when the player has the better hand, −1 when the opponent has, else
    /// 0.
    pub shown: i8,
}

/// A sampler of matches up to a street, and of their continuation by rules.
#[derive(Clone, Copy)]
pub struct Sampler<'a> {
    /// The betting tree.
    pub tree: &'a BettingTree,
    /// The blueprint's strategy.
    pub strategy: &'a dyn AbstractStrategy,
    /// The blueprint's buckets.
    pub buckets: &'a Buckets,
    /// The hand classes that a rule sees.
    pub classes: &'a dyn HandClasses,
    /// The street of the rule.
    pub street: Street,
    /// The flop of all deals; a random one if `None`.
    pub flop: Option<CardSet>,
}

impl Sampler<'_> {
    /// Samples deals until a match reaches the street. `player` follows the rule there.
    pub fn deal(&self, player: Player, rng: &mut impl Rng) -> Match {
        loop {
            if let Some(found) = self.once(player, rng) {
                return found;
            }
        }
    }

    fn once(&self, player: Player, rng: &mut impl Rng) -> Option<Match> {
        let mut dealt = self.flop.unwrap_or_default();
        let mut flop = dealt.iter();
        let cards: [Card; 9] = std::array::from_fn(|at| {
            if (4..7).contains(&at)
                && let Some(card) = flop.next()
            {
                return card;
            }
            loop {
                let card = Card::from_index(rng.random_range(0..Card::COUNT)).expect("a card");
                if dealt.insert(card) {
                    return card;
                }
            }
        });
        let hole = [0, 2].map(|at| HoleCards::new(&cards[at..at + 2]).expect("two cards"));
        let board = Board::new(&cards[4..]).expect("five cards");
        let mut node = BettingTree::ROOT;
        loop {
            let NodeKind::Decision { seat, street, .. } = self.tree.node(node).kind else {
                return None;
            };
            let street = Street::ALL[usize::from(street)];
            if street == self.street {
                break;
            }
            let bucket = self.bucket(hole[usize::from(seat)], &board, street);
            node = self.act(node, bucket, rng);
        }
        let [own, other] = [player, player.other()].map(|player| hole[player.index()]);
        let cards = &board[..self.tree.def().board_len(self.street)];
        let class = |hole: HoleCards| {
            let hand = Combo::new(hole[0], hole[1]).expect("two different cards");
            self.classes.hand_class(hand, cards.iter().copied().collect())
        };
        let [strength, against] = [own, other].map(|hole| evaluate(hole.set() | board.set()));
        Some(Match {
            player,
            node,
            class: class(own),
            against: class(other),
            bucket: self.bucket(other, &board, self.street),
            shown: strength.cmp(&against) as i8,
        })
    }

    fn bucket(&self, hole: HoleCards, board: &Board, street: Street) -> u32 {
        let seen = Board::new(&board[..self.tree.def().board_len(street)]).expect("a board");
        self.buckets.bucket(hole, &seen).expect("a hand beside its board")
    }

    /// The node after the blueprint's action.
    fn act(&self, node: u32, bucket: u32, rng: &mut impl Rng) -> u32 {
        let children = self.tree.node(node).children();
        let mut shares = [0.0f32; MAX_ACTIONS];
        let shares = &mut shares[..children.len()];
        self.strategy.probabilities(node, bucket, shares);
        let point = rng.random::<f32>() * shares.iter().sum::<f32>();
        let index = drawn(point, shares.iter().copied());
        let index = index.or_else(|| shares.iter().rposition(|&share| share > 0.0));
        index.map_or(node, |index| children.start + index as u32)
    }

    /// The rule's winnings in a match, in chips.
    pub fn play(
        &self,
        of: &Match,
        mut rule: impl FnMut(u16, Situation) -> Move,
        rng: &mut impl Rng,
    ) -> f64 {
        self.end(of, |node, seat| {
            if seat == of.player {
                let situation = StreetBetting::situation(self.tree, node, seat);
                StreetBetting::after(self.tree, node, rule(of.class, situation))
            } else {
                self.act(node, of.bucket, rng)
            }
        })
    }

    /// The player's winnings in a match in which it follows the first rule and the opponent the
    /// second, in chips.
    pub(crate) fn play_against<R: Fn(u16, Situation) -> Move>(
        &self,
        of: &Match,
        rules: [&R; 2],
    ) -> f64 {
        self.end(of, |node, seat| {
            let situation = StreetBetting::situation(self.tree, node, seat);
            let made = if seat == of.player {
                rules[0](of.class, situation)
            } else {
                rules[1](of.against, situation)
            };
            StreetBetting::after(self.tree, node, made)
        })
    }

    /// The player's winnings at the end of the street, which `next` leads to from node to node.
    fn end(&self, of: &Match, mut next: impl FnMut(u32, Player) -> u32) -> f64 {
        let mut node = of.node;
        loop {
            let chips = self.tree.committed(node).into_iter().min().unwrap_or_default();
            match self.tree.node(node).kind {
                NodeKind::Decision { seat, street, .. }
                    if usize::from(street) == self.street.index() =>
                {
                    node = next(node, Player::BOTH[usize::from(seat)]);
                }
                NodeKind::Fold { winner } if usize::from(winner) == of.player.index() => {
                    return f64::from(chips);
                }
                NodeKind::Fold { .. } => return -f64::from(chips),
                _ => return f64::from(chips) * f64::from(of.shown),
            }
        }
    }
}
