//! Values at the end of the flop by networks that have learned from turns.

use std::sync::Arc;

use abstraction::buckets::Buckets;
use cards::{Card, CardSet, Combo};
use game::Street;
use models::network::{Activation, Network, Output, Scaling, Shape};
use models::values::flop::{Flop, Stakes};
use models::values::turns::TurnNetwork;
use models::values::{Encoding, by_hand};

const END: Stakes = Stakes { pot: 600.0, behind: 19_700.0 };

fn flop() -> CardSet {
    ["Ks", "9d", "4c"].iter().map(|card| card.parse::<Card>().expect("a card")).collect()
}

/// Two ranges that are uneven, and without some hands.
fn ranges(hands: &[Combo]) -> [Vec<f32>; 2] {
    [3, 7].map(|step: usize| {
        let weight = |hand: &Combo| ((hand.index() * step) % 11).saturating_sub(2) as f32;
        let weights: Vec<f32> = hands.iter().map(weight).collect();
        let total: f32 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    })
}

/// What the hand or bucket `one` wins from `other`; the opposite the other way round.
fn won(one: usize, other: usize) -> f32 {
    ((one * one % 101) as f32 - (other * other % 101) as f32) / 100.0
}

/// A network of one layer: the value of each of `count` hands or buckets is the sum over the other
/// player's of their probability and what is won from them.
fn linear(count: usize, columns: usize, won: impl Fn(usize, usize) -> f32) -> Network {
    let outputs = 2 * count;
    let mut parameters = vec![0.0; columns * outputs + outputs];
    for one in 0..count {
        for other in 0..count {
            parameters[(count + other) * outputs + one] = won(one, other);
            parameters[other * outputs + count + one] = won(one, other);
        }
    }
    let shape = Shape { inputs: columns, hidden: vec![], outputs, activation: Activation::Prelu };
    let network = Network::new(shape, parameters, Scaling::none(columns), Output::ZeroSum);
    network.expect("a network")
}

fn near(found: &[Vec<f32>; 2], wanted: &[Vec<f32>; 2]) {
    for player in 0..2 {
        let most = wanted[player].iter().fold(0.0_f32, |most, value| most.max(value.abs()));
        for (found, wanted) in found[player].iter().zip(&wanted[player]) {
            assert!((found - wanted).abs() < 1e-4 * most, "{found}, not {wanted}");
        }
    }
}

#[test]
fn hands_that_win_the_same_on_every_turn_win_that_on_the_flop() {
    let hands: Vec<Combo> = Combo::all().collect();
    let pays = |one: usize, other: usize| {
        if hands[one].set().intersects(hands[other].set()) { 0.0 } else { won(one, other) }
    };
    let network = linear(Combo::COUNT, Encoding::Direct.columns(), pays);
    let network = TurnNetwork::new(network, Some(Encoding::Direct), 200.0).expect("it fits");
    let flop = Flop::new(flop()).expect("a flop");
    let ranges = ranges(flop.hands());
    let turns = network.on_flop(self::flop());
    let found = network.beyond(&flop, &turns, &[END], [&ranges[0], &ranges[1]]);
    let wanted = [0, 1].map(|player: usize| -> Vec<f32> {
        let others = &ranges[1 - player];
        let all = flop.hands().iter().map(|hand| {
            let each = flop.hands().iter().zip(others);
            each.map(|(other, share)| share * pays(hand.index(), other.index())).sum::<f32>()
        });
        let checked_down = flop.checked_down(others);
        all.zip(checked_down).map(|(all, without)| all - without).collect()
    });
    near(&found, &wanted);
}

#[test]
fn the_hands_of_a_bucket_share_its_value_on_each_turn() {
    let recipe = "preflop=169 flop=category turn=category river=category";
    let buckets = Buckets::make(&recipe.parse().expect("a recipe"), |_| ()).expect("buckets");
    let encoding = Encoding::Buckets(Arc::new(buckets), Street::Turn);
    let network = linear(encoding.buckets(), encoding.columns(), won);
    let network = TurnNetwork::new(network, Some(encoding), 200.0).expect("it fits");
    let flop = Flop::new(flop()).expect("a flop");
    let ranges = ranges(flop.hands());
    let turns = network.on_flop(self::flop());
    let found = network.beyond(&flop, &turns, &[END], [&ranges[0], &ranges[1]]);
    let mut wanted = [&ranges[1], &ranges[0]].map(|others| -> Vec<f32> {
        flop.checked_down(others).iter().map(|without| -without).collect()
    });
    for turn in Card::all().filter(|&card| !self::flop().contains(card)) {
        let board = self::flop().with(turn);
        let held: Vec<(usize, usize)> = flop
            .hands()
            .iter()
            .enumerate()
            .filter(|(_, hand)| !hand.set().intersects(board))
            .map(|(at, hand)| (at, cards::evaluate(hand.set() | board).category() as usize))
            .collect();
        for player in 0..2 {
            for &(at, bucket) in &held {
                let others =
                    held.iter().map(|&(other, of)| ranges[1 - player][other] * won(bucket, of));
                wanted[player][at] += others.sum::<f32>() / 45.0;
            }
        }
    }
    near(&found, &wanted);
}

#[test]
fn a_network_of_other_sizes_than_its_encoding_is_refused() {
    let network = linear(3, 7, won);
    for encoding in [Some(Encoding::Direct), None] {
        let error = TurnNetwork::new(network.clone(), encoding, 200.0).err().expect("no network");
        assert!(error.to_string().contains("7 inputs, 6 outputs"), "{error}");
    }
    let shape = Shape {
        inputs: by_hand::COLUMNS,
        hidden: vec![],
        outputs: 1,
        activation: Activation::Prelu,
    };
    let parameters = vec![0.0; by_hand::COLUMNS + 1];
    let none = Scaling::none(by_hand::COLUMNS);
    let network = Network::new(shape, parameters, none, Output::Identity).expect("a network");
    let network = TurnNetwork::new(network, None, 200.0).expect("it fits");
    let flop = Flop::new(flop()).expect("a flop");
    let ranges = ranges(flop.hands());
    let turns = network.on_flop(self::flop());
    let found = network.beyond(&flop, &turns, &[END], [&ranges[0], &ranges[1]]);
    assert!(found.iter().flatten().all(|value| value.abs() < 1e-6), "it says nothing beyond");
}
