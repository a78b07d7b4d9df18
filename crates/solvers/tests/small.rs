//! Small games that several tests solve.

use std::sync::Arc;

use solvers::games::Dealt;
use solvers::{Game, Node, Player, Tree};

/// Kuhn poker: 12 information sets.
pub(crate) fn kuhn() -> Tree {
    let game = Dealt::new(Arc::new(game::games::kuhn())).expect("two players");
    Tree::new(&game, 1_000).expect("small")
}

/// Leduc poker: 936 information sets.
pub(crate) fn leduc() -> Tree {
    let game = Dealt::new(Arc::new(game::games::leduc())).expect("two players");
    Tree::new(&game, 20_000).expect("small")
}

/// Both players choose a row and a column without seeing the other's choice.
pub(crate) struct Matrix(pub(crate) Vec<Vec<f64>>);

impl Game for Matrix {
    type State = Vec<usize>;

    fn root(&self) -> Vec<usize> {
        Vec::new()
    }

    fn node(&self, chosen: &Vec<usize>) -> Node<Vec<usize>> {
        let (player, count) = match chosen.as_slice() {
            [] => (Player::First, self.0.len()),
            [_] => (Player::Second, self.0[0].len()),
            [row, column] => return Node::End(self.0[*row][*column]),
            _ => unreachable!("two choices"),
        };
        let choose = |choice: usize| {
            let mut next = chosen.clone();
            next.push(choice);
            (choice.to_string(), next)
        };
        Node::Decision { player, infoset: String::new(), actions: (0..count).map(choose).collect() }
    }
}
