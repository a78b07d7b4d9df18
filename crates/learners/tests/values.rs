//! Counterfactual value networks: rows and answers, features by hand, and what is learned.

use std::sync::Arc;

use abstraction::buckets::Buckets;
use abstraction::menu::BetMenu;
use cards::{Card, CardSet, Combo, SuitPermutation};
use game::Street;
use learners::database::DatabasePlan;
use learners::mlp::{Loss, Mlp, MlpOptions};
use learners::situations::{Database, Situations, Solved};
use learners::values::{
    ByHand, CheckDown, Encoded, EndOfFlop, ValueModel, Zero, between_solutions, by_hand,
    encoding_error, end_of_flop, errors, samples,
};
use learners::{Progress, Training};
use models::network::{Activation, Network, Output, Precision, Scaling, Shape};
use models::values::turns::TurnNetwork;
use models::values::{Encoding, flop};

fn database(street: &str, count: u64, iterations: u32) -> Database {
    let content = Situations {
        street: street.to_owned(),
        stack: 200.0,
        pots: [40.0, 200.0],
        menu: "every 1+: allin".to_owned(),
        iterations,
    };
    let plan =
        DatabasePlan { content, seed: 7, games: 0..count, of: None, made_by: "test".to_owned() };
    let folder = tempfile::tempdir().expect("a folder");
    crate::database(&plan, &folder.path().join("situations"))
}

fn buckets(street: Street, kind: &str) -> Encoding {
    let kinds = Street::ALL.map(|of| match of {
        of if of == street => format!("{of}={kind}"),
        of => format!("{of}=category"),
    });
    let recipe = kinds.join(" ").parse().expect("a recipe");
    Encoding::Buckets(Arc::new(Buckets::make(&recipe, |_| ()).expect("buckets")), street)
}

/// All steps of a small training.
fn learned(mut training: Mlp) -> (Network, Vec<Progress>) {
    let steps = std::iter::from_fn(|| training.step()).collect();
    (training.model(), steps)
}

/// Σ probability · value over both ranges.
fn worth(situation: &Solved<'_>, values: &[Vec<f32>; 2]) -> f64 {
    let both = situation.ranges.iter().zip(values);
    let of = |(range, values): (&&[f32], &Vec<f32>)| -> f64 {
        range.iter().zip(values).map(|(&share, &value)| f64::from(share) * f64::from(value)).sum()
    };
    both.map(of).sum()
}

#[test]
fn checking_down_on_the_flop_is_the_mean_over_all_turns() {
    let database = database("flop", 1, 1);
    let situation = database.game(0);
    let on_flop = flop::Flop::new(situation.flop).expect("a flop");
    let ranges = situation.ranges.map(|range| -> Vec<f32> {
        on_flop.hands().iter().map(|hand| range[hand.index()]).collect()
    });
    let found = [&ranges[1], &ranges[0]].map(|others| on_flop.checked_down(others));
    let mut wanted = [0, 1].map(|_| vec![0.0; Combo::COUNT]);
    for turn in Card::all().filter(|&card| !situation.flop.contains(card)) {
        let values = CheckDown.values(&Solved { board: situation.flop.with(turn), ..situation });
        for (wanted, values) in wanted.iter_mut().zip(values) {
            wanted.iter_mut().zip(values).for_each(|(sum, value)| *sum += value / 45.0);
        }
    }
    for (found, wanted) in found.iter().zip(wanted) {
        for (hand, found) in on_flop.hands().iter().zip(found) {
            assert!((found - wanted[hand.index()]).abs() < 1e-5, "{hand}");
        }
    }
}

#[test]
fn a_network_learns_the_end_of_the_flop_from_turns() {
    let database = database("flop", 9, 30);
    let train = end_of_flop::samples(&database, 0..9, 200, 1).expect("samples");
    let options = MlpOptions { hidden: vec![16], epochs: 30, batch: 64, ..MlpOptions::default() };
    let loss = Loss::Huber { delta: 1.0 };
    let training =
        Mlp::with_output(train, None, Output::Identity, loss, options).expect("a training");
    let (network, _) = learned(training);
    let model = EndOfFlop { network: &network, stack: 200.0 };
    let of = |model: &dyn ValueModel| errors(model, &database, 0..9).huber;
    assert!(of(&model) < 0.8 * of(&CheckDown), "{} {}", of(&model), of(&CheckDown));
}

#[test]
fn checking_down_is_the_game_in_which_nobody_bets() {
    let silent: BetMenu = "every 1+: none".parse().expect("a menu");
    for street in ["turn", "river"] {
        let database = database(street, 2, 1);
        for index in 0..2 {
            let drawn = database.card().content.situation(7, index).expect("drawn");
            let solved = drawn.solve(&silent, 1).expect("solved");
            let situation = database.game(index as usize);
            let values = CheckDown.values(&situation);
            for (player, values) in values.iter().enumerate() {
                for hand in Combo::all().filter(|hand| !hand.set().intersects(situation.board)) {
                    let (found, wanted) =
                        (values[hand.index()], solved.values[player][hand.index()]);
                    assert!((found - wanted).abs() < 2e-6, "{hand} of {player}: {found} {wanted}");
                }
            }
            assert!(worth(&situation, &values).abs() < 1e-6);
        }
    }
}

#[test]
fn networks_have_the_published_sizes() {
    let check = |encoding: &Encoding, columns: usize, answers: usize| {
        assert_eq!((encoding.columns(), 2 * encoding.buckets()), (columns, answers));
    };
    check(&Encoding::Direct, 2705, 2652);
    check(&buckets(Street::River, "category"), 19, 18);
    // To make these takes long, and what counts is how many they are.
    if testing::exhaustive() {
        check(&buckets(Street::Turn, "ehs2-width:1326"), 2653, 2652);
        check(&buckets(Street::Turn, "nested:10:100"), 2001, 2000);
    }
    for (columns, answers, parameters) in
        [(2705, 2652, 4_184_652), (2653, 2652, 4_158_652), (2001, 2000, 3_506_000)]
    {
        let (hidden, activation) = (vec![500; 7], Activation::Prelu);
        let options = MlpOptions { hidden, activation, ..MlpOptions::default() };
        let count = options.shape(columns, answers).count();
        assert_eq!(count.total() - count.slopes, parameters);
    }
}

#[test]
fn a_row_has_both_ranges_the_pot_and_the_board_and_hands_share_the_mean_of_their_bucket() {
    let database = database("river", 2, 20);
    let situation = database.game(1);
    let direct = samples(&Encoding::Direct, &database, 1..2, 1).expect("rows");
    let row = direct.row(0);
    assert_eq!(&row[..1326], situation.ranges[0]);
    assert_eq!(&row[1326..2652], situation.ranges[1]);
    assert!((row[2652] * 400.0 - situation.pot).abs() < 1e-3);
    let board: CardSet =
        cards::Card::all().filter(|card| row[2653 + usize::from(card.index())] == 1.0).collect();
    assert_eq!(board, situation.board);
    assert_eq!(&direct.target(0)[1326..], situation.values[1]);
    assert_eq!(encoding_error(&Encoding::Direct, &database).squares, 0.0, "nothing is lost");

    let encoding = buckets(Street::River, "category");
    let of_hands = encoding.on_board(situation.board).expect("a river");
    let sums = of_hands.sums(situation.ranges[0]);
    assert!((sums.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    assert_eq!(of_hands.counts().iter().sum::<u32>(), 1081);
    let shared = of_hands.values(&of_hands.means(situation.values[0]));
    for bucket in 0..encoding.buckets() {
        let hands = || {
            Combo::all().filter(|hand| {
                !hand.set().intersects(situation.board)
                    && cards::evaluate(hand.set() | situation.board).category() as usize == bucket
            })
        };
        let count = hands().count();
        let total: f32 = hands().map(|hand| situation.values[0][hand.index()]).sum();
        for hand in hands() {
            assert!((shared[hand.index()] - total / count as f32).abs() < 1e-6);
        }
    }
}

#[test]
fn renamed_suits_make_other_rows_of_the_same_worth() {
    let database = database("turn", 1, 1);
    let rows = samples(&Encoding::Direct, &database, 0..1, SuitPermutation::COUNT).expect("rows");
    assert_eq!(rows.count(), 24);
    let sorted = |numbers: &[f32]| {
        let mut numbers = numbers.to_vec();
        numbers.sort_unstable_by(f32::total_cmp);
        numbers
    };
    for at in 0..24 {
        let (row, target) = (rows.row(at), rows.target(at));
        assert_eq!(sorted(target), sorted(rows.target(0)));
        let worth: f64 = row.iter().zip(target).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
        assert!(worth.abs() < 1e-6, "{at}: ranges and values go together: {worth}");
        assert!((0..at).all(|other| rows.row(other) != row), "{at} is another row");
    }
}

#[test]
fn networks_learn_values_that_sum_to_zero_and_beat_checking_down() {
    let database = database("river", 60, 40);
    let (train, valid, test) = (0..44, 44..48, 48..60);
    let [zero, check_down] =
        [&Zero as &dyn ValueModel, &CheckDown].map(|model| errors(model, &database, test.clone()));
    assert!(check_down.huber < zero.huber && check_down.weighted_huber < zero.weighted_huber);

    let of_hands = |of| by_hand::samples(&database, of, 100, 1).expect("rows");
    let options = MlpOptions {
        hidden: vec![32; 2],
        activation: Activation::Prelu,
        batch: 128,
        epochs: 30,
        patience: None,
        ..MlpOptions::default()
    };
    let huber = Loss::Huber { delta: 1.0 };
    let training = Mlp::with_output(
        of_hands(train.clone()),
        Some(of_hands(valid.clone())),
        Output::Identity,
        huber,
        options.clone(),
    );
    let (network, _) = learned(training.expect("training"));
    let model = ByHand { network: &network, stack: 200.0 };
    let found = errors(&model, &database, test.clone());
    assert!(found.huber < 0.6 * check_down.huber, "{found:?} {check_down:?}");
    let situation = database.game(50);
    assert!(worth(&situation, &model.values(&situation)).abs() < 1e-6);

    let encoding = buckets(Street::River, "ehs2-width:50");
    let of_buckets = |of| samples(&encoding, &database, of, 1).expect("rows");
    let training = Mlp::with_output(
        of_buckets(train.clone()),
        Some(of_buckets(valid)),
        Output::ZeroSum,
        Loss::RangeHuber,
        MlpOptions { batch: 8, epochs: 150, ..options },
    );
    let (network, steps) = learned(training.expect("training"));
    assert!(steps.last().expect("steps").loss < 0.5 * steps[0].loss);
    let model = Encoded { encoding: &encoding, network: &network };
    let situation = database.game(50);
    let of_hands = encoding.on_board(situation.board).expect("a river");
    let mut answers = vec![0.0; 100];
    let mut row = Vec::new();
    encoding.row(&of_hands, &situation.seen(), &mut row);
    network.answer(&row, &mut answers);
    let sum: f64 = row.iter().zip(&answers).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
    assert!(sum.abs() < 1e-6, "over the buckets of both ranges: {sum}");
    let on_train = model.errors_of_buckets(&database, train.clone());
    assert!(on_train.huber < zero.huber && errors(&model, &database, train).huber > 0.0);
}

#[test]
fn a_network_of_roots_learns_and_its_file_says_so() {
    let database = database("river", 20, 20);
    let encoding = buckets(Street::River, "category");
    let count = 2 * encoding.buckets();
    let rows = |roots: usize| {
        let rows = samples(&encoding, &database, 0..20, 1).expect("rows");
        rows.with_roots(roots).expect("so many columns")
    };
    let options = MlpOptions {
        hidden: vec![8],
        activation: Activation::Prelu,
        batch: 4,
        epochs: 30,
        patience: None,
        ..MlpOptions::default()
    };
    let train = |roots: usize| {
        let (output, loss) = (Output::ZeroSum, Loss::RangeHuber);
        let training = Mlp::with_output(rows(roots), None, output, loss, options.clone());
        let (network, steps) = learned(training.expect("training"));
        assert!(steps.last().expect("steps").loss < steps[0].loss);
        network
    };
    let (raw, root) = (train(0), train(count));
    assert_eq!((raw.scaling().roots(), root.scaling().roots()), (0, count));
    assert_ne!(raw.parameters(), root.parameters());
    let read = Network::read(&root.to_bytes(Precision::Single)).expect("a network");
    assert_eq!(read.scaling(), root.scaling());
    // The mean of a column is that of the roots.
    let mean: f64 = (0..20).map(|row| f64::from(rows(0).row(row)[3]).sqrt()).sum::<f64>() / 20.0;
    assert!((f64::from(root.scaling().mean()[3]) - mean).abs() < 1e-5);
    let situation = database.game(0);
    let values = Encoded { encoding: &encoding, network: &root }.values(&situation);
    assert!(worth(&situation, &values).abs() < 1e-5, "zero by the probabilities, not the roots");
}

/// Seven turns stand for 49: they leave less than a quarter of the values' size open.
#[test]
fn a_few_turns_stand_for_all_where_hands_are_seen_one_at_a_time() {
    let database = database("flop", 1, 1);
    let situation = database.game(0);
    let shape = Shape {
        inputs: models::values::by_hand::COLUMNS,
        hidden: vec![],
        outputs: 1,
        activation: Activation::Prelu,
    };
    // What a hand wins beyond checking down is a tenth of its win rate.
    let mut parameters = vec![0.0; shape.inputs + 1];
    parameters[3] = 0.1;
    let none = Scaling::none(shape.inputs);
    let network = Network::new(shape, parameters, none, Output::Identity).expect("a network");
    let model = ByHand { network: &network, stack: 200.0 };
    let on_flop = flop::Flop::new(situation.flop).expect("a flop");
    let ranges = situation.ranges.map(|range| -> Vec<f32> {
        let of_hands: Vec<f32> = on_flop.hands().iter().map(|hand| range[hand.index()]).collect();
        let total: f32 = of_hands.iter().sum();
        of_hands.iter().map(|share| share / total).collect()
    });
    let pot = situation.pot;
    let ends = [flop::Stakes { pot, behind: 200.0 - pot / 2.0 }];
    let few = TurnNetwork::new(network.clone(), None, 200.0).expect("it fits");
    let turns = few.on_flop(situation.flop);
    let found = few.beyond(&on_flop, &turns, &ends, [&ranges[0], &ranges[1]]);
    let mut wanted = [0, 1].map(|_| vec![0.0; Combo::COUNT]);
    for turn in Card::all().filter(|&card| !situation.flop.contains(card)) {
        let board = situation.flop.with(turn);
        let mut masses = [0.0_f32; 2];
        let left = [0, 1].map(|player: usize| {
            let mut left = vec![0.0; Combo::COUNT];
            let hands = on_flop.hands().iter().zip(&ranges[player]);
            for (hand, share) in hands.filter(|(hand, _)| !hand.set().contains(turn)) {
                masses[player] += share;
                left[hand.index()] = *share;
            }
            left.iter_mut().for_each(|share| *share /= masses[player]);
            left
        });
        let situation = Solved { board, ranges: [&left[0], &left[1]], ..situation };
        let (values, without) = (model.values(&situation), CheckDown.values(&situation));
        for player in 0..2 {
            for hand in on_flop.hands().iter().filter(|hand| !hand.set().contains(turn)) {
                let beyond = values[player][hand.index()] - without[player][hand.index()];
                wanted[player][hand.index()] += masses[1 - player] * beyond / 45.0;
            }
        }
    }
    let (mut away, mut size) = (0.0, 0.0);
    for player in 0..2 {
        for (hand, found) in on_flop.hands().iter().zip(&found[player]) {
            away += (found - wanted[player][hand.index()]).powi(2);
            size += wanted[player][hand.index()].powi(2);
        }
    }
    assert!(size > 0.0 && away < 0.05 * size, "{away} of {size}");
}

#[test]
fn solutions_of_the_same_situations_are_compared_and_others_refused() {
    let [few, many] = [20, 200].map(|iterations| database("river", 3, iterations));
    let noise = between_solutions(&few, &many).expect("the same situations");
    assert_eq!(noise.len(), 3);
    assert!(noise.iter().all(|errors| errors.weighted_huber > 0.0 && errors.squares < 1.0));
    assert!(between_solutions(&few, &database("turn", 1, 1)).is_none());
}
