//! From a street on: hand by hand on the river, and as subgames say before.

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::menu::BetMenu;
use cards::{Board, Combo, HoleCards, Range, evaluate};
use game::{InfoSet, PublicState, Seat, Strategy};
use solvers::Player;
use solvers::holdem::best_response::Responder;
use solvers::strategy::TreeStrategy;
use solvers::subgame::{Options, Solver, Subgame};

use super::{asked, limit, menu, mixes, nolimit};
use crate::{board, near};

/// The first node of a street after this betting.
fn node(tree: &BettingTree, betting: &str) -> u32 {
    let nodes = 0..tree.nodes().len() as u32;
    let mut found = nodes.filter(|&node| {
        matches!(tree.node(node).kind, NodeKind::Decision { .. }) && tree.betting(node) == betting
    });
    found.next().expect(betting)
}

/// Weights in which no two suits are alike.
fn weights() -> [f64; Combo::COUNT] {
    std::array::from_fn(|combo| {
        (combo * 7919 % 13) as f64 / 16.0 + if combo % 5 == 0 { 0.0 } else { 0.125 }
    })
}

/// The state at a node, its street's cards dealt.
fn state(tree: &BettingTree, node: u32, board: &Board) -> PublicState {
    let mut path = Vec::new();
    let mut below = node;
    while let Some(parent) = tree.parent(below) {
        let index = below - tree.node(parent).children().start;
        path.push(tree.actions(parent)[index as usize]);
        below = parent;
    }
    let mut public = PublicState::new(tree.def());
    for action in path.into_iter().rev() {
        public.deal_from(board).ok();
        public.apply(action).expect("legal");
    }
    public.deal_from(board).ok();
    public
}

/// The winnings of one hand with its best actions against others with these weights, at a node of
/// the river.
struct Naive<'a> {
    tree: &'a BettingTree,
    board: Board,
    seat: usize,
    agent: &'a dyn Fn(&InfoSet) -> Strategy,
}

impl Naive<'_> {
    fn best(&self, node: u32, hand: Combo, others: &[(Combo, f64)]) -> f64 {
        let chips = f64::from(self.tree.committed(node).into_iter().min().expect("two"));
        let met: f64 = others.iter().map(|(_, weight)| weight).sum();
        let children = self.tree.node(node).children();
        match self.tree.node(node).kind {
            NodeKind::Fold { winner } if usize::from(winner) == self.seat => chips * met,
            NodeKind::Fold { .. } => -chips * met,
            NodeKind::Showdown => {
                let rank = |combo: Combo| evaluate(combo.set() | self.board.set());
                let sign = |other| f64::from(rank(hand).cmp(&rank(other)) as i8);
                others.iter().map(|&(other, weight)| chips * weight * sign(other)).sum()
            }
            NodeKind::Decision { seat, .. } if usize::from(seat) == self.seat => {
                children.map(|child| self.best(child, hand, others)).fold(f64::MIN, f64::max)
            }
            NodeKind::Decision { seat, .. } => {
                let public = state(self.tree, node, &self.board);
                let seat = Seat::new(seat.into()).expect("two seats");
                let actions = self.tree.actions(node);
                let mut sum = 0.0;
                for (child, &action) in children.zip(actions) {
                    let share = |other: Combo| {
                        let hole = HoleCards::new(&other.cards()).expect("two");
                        (self.agent)(&InfoSet { public: public.clone(), seat, hole })
                            .probability(action)
                    };
                    let others: Vec<_> = others
                        .iter()
                        .map(|&(other, weight)| (other, weight * share(other)))
                        .collect();
                    sum += self.best(child, hand, &others);
                }
                sum
            }
        }
    }
}

#[test]
fn rivers_agree_with_a_response_worked_out_hand_by_hand() {
    let sizes = menu("preflop 1: 2.5x\nriver 1: 50% allin\nriver 2: allin");
    for (def, sizes, betting) in [
        (nolimit(), sizes, "r250c/cc/cc/"),
        (limit(), BetMenu::clone(&menu("river 1+: min")), "cc/cc/cc/"),
    ] {
        let agent = mixes(&sizes);
        let strategy = asked(&def, &sizes, mixes(&sizes));
        let responder = Responder::new(&strategy).expect("hold'em");
        let node = node(strategy.tree(), betting);
        for text in ["Td9d6hQc2s", "7s7h7d2c2h", "AsKsQsJsTs"] {
            let board = board(text);
            for player in Player::BOTH {
                let weights = weights();
                let won =
                    responder.values_from(node, &board, player, &weights).expect("a strategy");
                assert_eq!(won.len(), 1081);
                let seat = player.index();
                let naive = Naive { tree: strategy.tree(), board, seat, agent: &agent };
                for &(hand, won) in won.iter().step_by(216) {
                    let seen = hand.set() | board.set();
                    let others: Vec<(Combo, f64)> = Combo::all()
                        .filter(|other| !other.set().intersects(seen))
                        .map(|other| (other, weights[other.index()]))
                        .collect();
                    let best = naive.best(node, hand, &others);
                    near(
                        won,
                        best,
                        1e-5 * best.abs().max(1000.0),
                        &format!("{hand} on {board} {player:?}"),
                    );
                }
            }
        }
    }
}

/// The response to uniform play is that which the evaluator of subgames finds.
fn agrees(sizes: &str, betting: &str, board_text: &str) {
    let sizes = menu(sizes);
    let uniform = {
        let sizes = sizes.clone();
        move |infoset: &InfoSet| {
            let actions = sizes.actions(&infoset.public);
            Strategy::from_weights(actions.into_iter().map(|action| (action, 1.0))).expect("some")
        }
    };
    let strategy = asked(&nolimit(), &sizes, uniform);
    let responder = Responder::new(&strategy).expect("hold'em");
    let (node, board) = (node(strategy.tree(), betting), board(board_text));
    let root = state(strategy.tree(), node, &board);
    let weights = weights();
    let mut range = Range::empty();
    Combo::all().for_each(|combo| range.set(combo, weights[combo.index()]).expect("at most 1"));
    let subgame = Subgame::new(&root, [&range; 2], &|state| sizes.actions(state).to_vec());
    let mut solver = Solver::new(subgame.expect("a subgame"), Options::default()).expect("small");
    let evaluation = solver.evaluate();
    for player in Player::BOTH {
        let won = responder.values_from(node, &board, player, &weights).expect("a strategy");
        for (combo, won) in won {
            let Some(hand) =
                evaluation.hands[player.index()].iter().find(|hand| hand.combo == combo)
            else {
                continue;
            };
            near(
                won,
                hand.unblocked_weight * hand.best,
                1e-6 * hand.unblocked_weight * evaluation.pot(),
                &format!("{combo} {board}"),
            );
        }
    }
}

#[test]
fn turns_agree_with_the_evaluator_of_subgames() {
    agrees("turn 1: allin\nriver 1: pot\nriver 2: allin", "cc/cc/", "Td9d6hQc");
}

#[test]
fn flops_agree_with_the_evaluator_of_subgames() {
    agrees("flop 1: allin", "cc/", "TdTh6h");
}
