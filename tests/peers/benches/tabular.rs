//! Leduc poker by counterfactual regret minimisation, beside the crate `cfr`: whole-tree iterations
//! and external sampling, both on one thread over the same tree.

use std::convert::Infallible;
use std::hint::black_box;
use std::sync::Arc;

use cfr::{Game, GameTree, Moves, NodeType, Outcomes, PlayerNum, SolveMethod, SolveParams};
use criterion::{Criterion, criterion_group, criterion_main};
use solvers::games::Dealt;
use solvers::{Cfr, Player, Sampling, SamplingOptions, Sequences, Tree, TreeNode, Variant};

/// A node of our tree as the peer's game.
#[derive(Clone, Copy)]
struct At<'tree> {
    tree: &'tree Tree,
    node: u32,
}

/// The children of a node.
struct Children<'tree> {
    tree: &'tree Tree,
    first: u32,
    count: u32,
}

impl<'tree> Children<'tree> {
    fn at(&self, index: usize) -> At<'tree> {
        At { tree: self.tree, node: self.first + index as u32 }
    }
}

impl<'tree> Outcomes<At<'tree>> for Children<'tree> {
    fn len(&self) -> usize {
        self.count as usize
    }

    fn get(&self, index: usize) -> (f64, At<'tree>) {
        let next = self.at(index);
        (self.tree.chance(next.node), next)
    }
}

impl<'tree> Moves<At<'tree>> for Children<'tree> {
    fn len(&self) -> usize {
        self.count as usize
    }

    fn apply(&self, index: usize) -> At<'tree> {
        self.at(index)
    }

    fn action(&self, index: usize) -> usize {
        index
    }
}

impl<'tree> Game for At<'tree> {
    type Action = usize;
    type Infoset = u32;
    type ChanceInfoset = Infallible;
    type Chance = Children<'tree>;
    type Player = Children<'tree>;

    fn into_node(self) -> NodeType<Self> {
        let tree = self.tree;
        match tree.nodes()[self.node as usize] {
            TreeNode::End(winnings) => NodeType::Terminal(winnings),
            TreeNode::Chance { first, count } => {
                NodeType::Chance(None, Children { tree, first, count })
            }
            TreeNode::Decision { player, infoset, first, count } => {
                let player = match player {
                    Player::First => PlayerNum::One,
                    Player::Second => PlayerNum::Two,
                };
                NodeType::Player(player, infoset, Children { tree, first, count })
            }
        }
    }
}

/// Iterations of a run: enough that setting up does not count.
const WHOLE: u32 = 200;
const SAMPLED: u64 = 20_000;

fn leduc(criterion: &mut Criterion) {
    let game = Dealt::new(Arc::new(game::games::leduc())).expect("two players");
    let tree = Tree::new(&game, 20_000).expect("small");
    let sequences = Sequences::new(&tree);
    let peer = GameTree::from_game(At { tree: &tree, node: 0 }).expect("a game");
    let solve = |method, iterations| {
        let solved = peer.solve(method, iterations, 0.0, 1, SolveParams::default());
        black_box(solved.expect("solvable"));
    };

    let mut group = criterion.benchmark_group("leduc");
    group.sample_size(10);
    group.bench_function(format!("dcfr, {WHOLE} iterations/cardroom"), |bencher| {
        bencher.iter(|| {
            let mut cfr = Cfr::new(&sequences, Variant::DCFR, WHOLE);
            cfr.run(WHOLE);
            black_box(cfr.average())
        });
    });
    group.bench_function(format!("dcfr, {WHOLE} iterations/cfr"), |bencher| {
        bencher.iter(|| solve(SolveMethod::Full, WHOLE.into()));
    });
    group.bench_function(format!("external sampling, {SAMPLED} iterations/cardroom"), |bencher| {
        bencher.iter(|| {
            let mut sampling = Sampling::new(&tree, &sequences, SamplingOptions::default(), 1);
            sampling.run(SAMPLED);
            black_box(sampling.average())
        });
    });
    group.bench_function(format!("external sampling, {SAMPLED} iterations/cfr"), |bencher| {
        bencher.iter(|| solve(SolveMethod::External, SAMPLED));
    });
    group.finish();
}

criterion_group!(benches, leduc);
criterion_main!(benches);
