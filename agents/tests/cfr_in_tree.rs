//! The `cfr` agent asked for all hands at once, inside its own tree: what it plays.

use std::sync::Arc;

use agents::Registry;
use cards::{Board, Combo};
use game::{GameDef, Street, games};
use solvers::strategy::{PolicyInTree, TreeStrategy};

/// Nodes all over a street's part of the tree get the same shares both ways.
fn check(def: GameDef, name: &str) {
    let def = Arc::new(def);
    let choice = Registry::standard().resolve(name).expect("it exists");
    let in_tree = choice.tree_strategy(&def).expect("it plays this").expect("it has a tree");
    let policy = choice.policy(&def).expect("it plays this").expect("it has a policy");
    let asked = PolicyInTree::new(policy, in_tree.tree().clone());
    let board: Board = "Kh3s3h7d2c".parse().expect("a board");
    for street in Street::ALL {
        let board = Board::new(&board[..def.board_len(street)]).expect("five at most");
        let hands: Vec<Combo> =
            Combo::all().filter(|hand| !hand.set().intersects(board.set())).step_by(7).collect();
        let (one, other) = (in_tree.on_board(&board, &hands), asked.on_board(&board, &hands));
        let nodes = in_tree.tree().decision_nodes(street);
        for &node in nodes.iter().step_by(nodes.len() / 40 + 1) {
            let count = in_tree.tree().actions(node).len();
            let mut shares = [(); 2].map(|()| vec![0.0; count * hands.len()]);
            one.probabilities(node, hands.len(), &mut shares[0]).expect("in the tree");
            other.probabilities(node, hands.len(), &mut shares[1]).expect("in the tree");
            for (index, (one, other)) in shares[0].iter().zip(&shares[1]).enumerate() {
                let hand = hands[index % hands.len()];
                let betting = in_tree.tree().betting(node);
                assert!((one - other).abs() < 1e-6, "{name} {hand} {betting}: {one} {other}");
            }
        }
    }
}

#[test]
fn all_hands_at_once_are_played_as_one_by_one() {
    check(games::nolimit_holdem(), "cfr");
    check(games::limit_holdem(), "cfr");
    check(games::nolimit_holdem(), "cfr:play=purify");
    check(games::nolimit_holdem(), "cfr:threshold=0.1");
}

#[test]
fn agents_without_a_tree_have_none() {
    let def = Arc::new(games::nolimit_holdem());
    for name in ["call", "equity", "random"] {
        let choice = Registry::standard().resolve(name).expect("it exists");
        assert!(choice.tree_strategy(&def).expect("it plays this").is_none(), "{name}");
    }
}
