//! Tests of trained models of every kind.

use abstraction::features::Schema;
use game::Street;
use models::forest::{Forest, Node, Tree};
use models::network::{Activation, Network, Output, Scaling, Shape};
use models::student::{TrainedModel, columns};

/// A whole tree of this depth.
fn whole(depth: usize) -> String {
    match depth {
        0 => "fold".to_owned(),
        depth => {
            let below = whole(depth - 1);
            format!("(winrate>=0.5 ? {below} : {below})")
        }
    }
}

#[test]
fn parameters_of_trees_and_networks_are_the_published_ones() {
    let classes = ["fold", "call"].map(str::to_owned);
    let columns = columns(Schema::default(), Street::Flop);
    let tree = models::tree::Tree::parse(&whole(15), &columns, &classes).expect("a tree");
    assert_eq!(TrainedModel::from(tree).parameters(), 131_069);
    let shape = Shape {
        inputs: columns.len(),
        hidden: vec![512; 7],
        outputs: 4,
        activation: Activation::Relu,
    };
    let scaling = Scaling::new(vec![0.0; shape.inputs], vec![1.0; shape.inputs]);
    let parameters = vec![0.0; shape.count().total()];
    let network = Network::new(shape, parameters, scaling.expect("a scaling"), Output::Softmax);
    assert_eq!(TrainedModel::from(network.expect("a network")).parameters(), 1_591_296);
}

#[test]
fn parameters_of_a_forest_are_those_of_its_trees() {
    let mut forest = Forest::new(1, vec![0.0, 0.0]).expect("a forest");
    let leaf = Node::Leaf { value: 0.5, cover: 1.0 };
    let split = Node::Split {
        column: 0,
        below: 1.0,
        left: 1,
        right: 2,
        missing_left: true,
        gain: 1.0,
        cover: 2.0,
        value: 0.0,
    };
    for nodes in [vec![split, leaf, leaf], vec![leaf]] {
        forest.push(&Tree { nodes }).expect("a tree");
    }
    // Three nodes and two branches, and one node.
    assert_eq!(TrainedModel::from(forest).parameters(), 6);
}
