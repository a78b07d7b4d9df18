//! Networks learn: gradients are those of the loss, Adam is PyTorch's, and runs are the same
//! however they are run.

use learners::measure::measure;
use learners::mlp::{
    Adam, Decay, Loss, Mlp, MlpOptions, Moments, Samples, Schedule, first_parameters, gradient,
};
use learners::{Progress, Table, Training};
use models::network::{Activation, Network, Output, Scaling, Shape};
use testing::numbers;

use crate::slow_network::slowly;
use crate::tables::relabelled;

/// The mean loss of a network in f64, written without what is tested.
fn slow_loss(network: &Network, parameters: &[f64], samples: &[Sample], loss: Wanted) -> f64 {
    let mut total = (0.0, 0.0);
    for sample in samples {
        let units = slowly(network, parameters, &sample.row);
        let target = || sample.target.iter().map(|&target| f64::from(target));
        let here = match loss {
            Wanted::CrossEntropy => {
                let all: f64 = units.iter().map(|unit| unit.exp()).sum();
                units.iter().zip(target()).map(|(unit, target)| target * (all.ln() - unit)).sum()
            }
            Wanted::Huber { delta, zero_sum, held } => {
                let row = || sample.row.iter().map(|&value| f64::from(value));
                let worth: f64 = row().zip(&units).map(|(value, unit)| value * unit).sum();
                let mean = if zero_sum { worth / row().sum::<f64>() } else { 0.0 };
                let one = |difference: f64| match difference.abs() {
                    d if d <= delta => d * d / 2.0,
                    d => delta * (d - delta / 2.0),
                };
                let counted: Vec<f64> = units
                    .iter()
                    .zip(target())
                    .zip(&sample.row)
                    .filter(|&(_, &share)| !held || share > 0.0)
                    .map(|((unit, target), _)| one(unit - mean - target))
                    .collect();
                counted.iter().sum::<f64>() / counted.len() as f64
            }
        };
        total.0 += f64::from(sample.weight) * here;
        total.1 += f64::from(sample.weight);
    }
    total.0 / total.1
}

#[derive(Debug, Clone, Copy)]
enum Wanted {
    CrossEntropy,
    /// `held`: only answers whose number of the row is above zero count.
    Huber {
        delta: f64,
        zero_sum: bool,
        held: bool,
    },
}

struct Sample {
    row: Vec<f32>,
    target: Vec<f32>,
    weight: f32,
}

fn samples(of: &[Sample]) -> Samples {
    let rows = of.iter().flat_map(|sample| sample.row.clone()).collect();
    let targets = of.iter().flat_map(|sample| sample.target.clone()).collect();
    let weights = of.iter().map(|sample| sample.weight).collect();
    Samples::new(of[0].row.len(), of[0].target.len(), rows, targets, weights).expect("samples")
}

#[test]
fn gradients_are_those_of_the_loss() {
    let huber = |zero_sum| Wanted::Huber { delta: 0.5, zero_sum, held: false };
    let held = Wanted::Huber { delta: 1.0, zero_sum: true, held: true };
    // 1 row, rows of one slice, and more slices than one.
    for count in [1, 20, 100] {
        for (output, activation, wanted) in [
            (Output::Softmax, Activation::Relu, Wanted::CrossEntropy),
            (Output::Softmax, Activation::Prelu, Wanted::CrossEntropy),
            (Output::Identity, Activation::Relu, huber(false)),
            (Output::Identity, Activation::Prelu, huber(false)),
            (Output::ZeroSum, Activation::Prelu, huber(true)),
            (Output::ZeroSum, Activation::Prelu, held),
        ] {
            check_gradient(count, [7, 5], 1, output, activation, wanted);
        }
    }
}

/// Layers that are wider than a panel of a product, rows that fill no tile, and slices of more rows
/// than a tile.
#[test]
fn gradients_of_wide_layers_are_those_of_the_loss() {
    for (count, activation) in [(100, Activation::Relu), (300, Activation::Prelu)] {
        check_gradient(count, [37, 70], 29, Output::Softmax, activation, Wanted::CrossEntropy);
        check_gradient(count, [131, 3], 29, Output::Softmax, activation, Wanted::CrossEntropy);
    }
}

/// Looks at every parameter, or one of this many.
fn check_gradient(
    count: usize,
    hidden: [usize; 2],
    one_of: usize,
    output: Output,
    activation: Activation,
    wanted: Wanted,
) {
    let shape = Shape { inputs: 4, hidden: hidden.to_vec(), outputs: 4, activation };
    let mut parameters = first_parameters(&shape, 3);
    for layer in shape.layers() {
        let biases = numbers(layer.outputs, 5);
        parameters[layer.biases()].iter_mut().zip(biases).for_each(|(to, bias)| *to = bias / 2.0);
    }
    let scaling =
        Scaling::new(vec![0.1, -0.2, 0.0, 0.3], vec![0.5, 1.0, 2.0, 0.8]).expect("it fits");
    let network = Network::new(shape, parameters.clone(), scaling, output).expect("a network");
    let of: Vec<Sample> = (0..count as u32)
        .map(|row| {
            let mut target = numbers(4, row + 1000);
            if matches!(wanted, Wanted::CrossEntropy) {
                let total: f32 = target.iter().map(|number| number.abs()).sum();
                target.iter_mut().for_each(|number| *number = number.abs() / total);
            }
            let mut row_of_it = numbers(4, row);
            if let Wanted::Huber { zero_sum: true, held, .. } = wanted {
                // Probabilities, of which some are zero.
                row_of_it.iter_mut().for_each(|share| *share = share.abs());
                if held {
                    row_of_it[row as usize % 4] = 0.0;
                }
            }
            Sample { row: row_of_it, target, weight: 0.5 + (row % 5) as f32 }
        })
        .collect();
    let loss: Loss = match wanted {
        Wanted::CrossEntropy => Loss::CrossEntropy,
        Wanted::Huber { held: true, .. } => Loss::RangeHuber,
        Wanted::Huber { delta, .. } => Loss::Huber { delta: delta as f32 },
    };
    let (value, found) = gradient(&network, loss, &samples(&of));
    let parameters: Vec<f64> = parameters.iter().map(|&number| f64::from(number)).collect();
    let slow = slow_loss(&network, &parameters, &of, wanted);
    assert!((value - slow).abs() < 1e-5, "{wanted:?}: {value} {slow}");
    for (index, &found) in found.iter().enumerate().step_by(one_of) {
        let moved = |by: f64| {
            let mut parameters = parameters.clone();
            parameters[index] += by;
            slow_loss(&network, &parameters, &of, wanted)
        };
        let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
        assert!(
            (f64::from(found) - slope).abs() < 1e-5 * slope.abs().max(1.0),
            "{wanted:?}, {activation:?}, {count} rows, parameter {index}: {found} and not {slope}"
        );
    }
}

#[test]
fn adam_takes_the_steps_of_pytorch() {
    // torch.optim.Adam(lr=0.1) of PyTorch 2.15.0, from (1, -2, 0.5).
    let mut parameters = [1.0, -2.0, 0.5];
    let mut moments = Moments::new(3);
    for (slopes, wanted) in [
        ([0.5, -3.0, 1e-4], [0.900_000_04, -1.9, 0.400_01]),
        ([0.25, 1.0, 0.0], [0.806_782_07, -1.859_978_1, 0.333_013_62]),
        ([-1.0, 0.125, 2.0], [0.827_417_8, -1.831_590_8, 0.269_129_7]),
    ] {
        Adam::default().step(0.1, &mut parameters, &slopes, &mut moments);
        for (found, wanted) in parameters.iter().zip(wanted) {
            assert!((found - wanted).abs() < 3e-7, "{parameters:?}");
        }
    }
    assert_eq!(moments.steps, 3);
}

#[test]
fn the_rate_rises_and_falls_as_told() {
    let check = |warm_up, decay, expected: &[(u64, f64)]| {
        for &(batch, share) in expected {
            // Ten batches in each of ten epochs.
            let found = Schedule { warm_up, decay }.share(batch, 10, 10);
            assert!((found - share).abs() < 1e-9, "{decay:?} at {batch}: {found}");
        }
    };
    check(0, Decay::None, &[(0, 1.0), (99, 1.0)]);
    check(4, Decay::None, &[(0, 0.2), (3, 0.8), (4, 1.0), (50, 1.0)]);
    check(0, Decay::Cosine { to: 0.2 }, &[(0, 1.0), (50, 0.6), (100, 0.2)]);
    let steps = Decay::Steps { every: 2, factor: 0.1 };
    check(0, steps, &[(19, 1.0), (20, 0.1), (39, 0.1), (40, 0.01)]);
}

/// Rows whose class is told by whether the first two numbers have the same sign, seven times of
/// eight.
fn table(rows: usize, seed: u32) -> Table {
    let columns = ["a", "b", "c"].map(str::to_owned).to_vec();
    let mut values = numbers(3 * rows, seed);
    // A column of another size and place, and one that never changes.
    values[rows..2 * rows].iter_mut().for_each(|value| *value *= 1000.0);
    values[2 * rows..].fill(7.0);
    let labels = (0..rows).flat_map(|row| {
        let same = (values[row] > 0.0) == (values[rows + row] > 0.0);
        if same { [0.875, 0.125] } else { [0.125, 0.875] }
    });
    let labels = labels.collect();
    let classes = ["no", "yes"].map(str::to_owned).to_vec();
    let weights = (0..rows).map(|row| 1.0 + (row % 3) as f32).collect();
    Table::new(columns, classes, values, labels, weights).expect("a table")
}

fn small() -> MlpOptions {
    MlpOptions {
        hidden: vec![16, 16],
        batch: 64,
        epochs: 8,
        rate: 0.01,
        schedule: Schedule { warm_up: 5, decay: Decay::Cosine { to: 0.0 } },
        batches_a_step: Some(5),
        ..MlpOptions::default()
    }
}

fn run(training: &mut Mlp) -> Vec<Progress> {
    std::iter::from_fn(|| training.step()).collect()
}

#[test]
fn a_network_learns_what_no_single_column_tells() {
    let (train, held_out) = (table(3000, 1), table(1000, 2));
    for activation in [Activation::Relu, Activation::Prelu] {
        let options = MlpOptions { activation, patience: None, epochs: 12, ..small() };
        let mut training = Mlp::new(&train, Some(&held_out), options).expect("training");
        let progress = run(&mut training);
        // 47 batches an epoch, five a step.
        assert_eq!(progress.len(), 10 * 12);
        assert!(progress.iter().all(|progress| progress.most == 120));
        let measured: Vec<f64> = progress.iter().filter_map(|progress| progress.held_out).collect();
        assert_eq!(measured.len(), 12);
        let best = measured.iter().copied().fold(f64::INFINITY, f64::min);
        let told = measure(&training.model(), &held_out);
        assert!((told.log_loss - best).abs() < 1e-5, "{} {best}", told.log_loss);
        // The labels themselves have 0.377, and 0.693 is what knowing nothing has.
        assert!(told.log_loss < 0.43 && told.accuracy > 0.95, "{told:?}");
    }
}

#[test]
fn a_run_taken_up_is_the_run_that_was_not_put_away() {
    let (train, held_out) = (table(700, 1), table(100, 2));
    let new = || Mlp::new(&train, Some(&held_out), small()).expect("training");
    let mut whole = new();
    let mut steps = Vec::new();
    // Every step but one is put away and taken up; an epoch has eleven batches.
    let mut pieces = new();
    while let Some(progress) = whole.step() {
        steps.push(progress);
        assert_eq!(pieces.step(), Some(progress));
        pieces = new().resume(&pieces.save()).expect("taken up");
        assert_eq!(pieces.save(), whole.save());
    }
    assert_eq!(steps.len(), 24);
    assert_eq!(pieces.step(), None);
    assert_eq!(pieces.model().parameters(), whole.model().parameters());
}

#[test]
fn threads_do_not_change_a_bit() {
    let train = table(1000, 1);
    let saved = [1, 3].map(|threads| {
        let pool = parallel::Pool::new(threads).expect("threads");
        pool.run(|| {
            let options = MlpOptions { batch: 300, epochs: 3, hidden: vec![150, 20], ..small() };
            let mut training = Mlp::new(&train, None, options).expect("training");
            run(&mut training);
            training.save()
        })
    });
    assert!(saved[0] == saved[1], "the same at one thread and at three");
}

#[test]
fn a_row_of_weight_three_is_three_rows() {
    let shape = Shape { inputs: 2, hidden: vec![6], outputs: 2, activation: Activation::Relu };
    let parameters = first_parameters(&shape, 1);
    let network =
        Network::new(shape, parameters, Scaling::none(2), Output::Softmax).expect("it fits");
    let sample = |seed, weight| Sample { row: numbers(2, seed), target: vec![0.25, 0.75], weight };
    let once = samples(&[sample(1, 3.0), sample(2, 1.0)]);
    let often = samples(&[sample(1, 1.0), sample(1, 1.0), sample(1, 1.0), sample(2, 1.0)]);
    let (once, often) = (
        gradient(&network, Loss::CrossEntropy, &once),
        gradient(&network, Loss::CrossEntropy, &often),
    );
    assert!((once.0 - often.0).abs() < 1e-6);
    for (once, often) in once.1.iter().zip(&often.1) {
        assert!((once - often).abs() < 1e-6, "{once} {often}");
    }
}

#[test]
fn training_stops_when_it_ceases_to_pay_and_the_best_is_kept() {
    // Held-out rows of which nothing can be learned: their labels are turned round.
    let (train, other) = (table(500, 1), table(500, 2));
    let turned: Vec<f32> =
        other.labels().chunks(2).flat_map(|label| [label[1], label[0]]).collect();
    let held_out = relabelled(&other, turned, other.weights().to_vec());
    let options = MlpOptions { epochs: 100, patience: Some(3), ..small() };
    let mut training = Mlp::new(&train, Some(&held_out), options).expect("training");
    let measured: Vec<f64> = run(&mut training).iter().filter_map(|step| step.held_out).collect();
    assert!(measured.len() < 100, "{measured:?}");
    let best = measured.iter().copied().fold(f64::INFINITY, f64::min);
    assert_eq!(measured.iter().position(|&loss| loss == best), Some(measured.len() - 4));
    let kept = measure(&training.model(), &held_out).log_loss;
    assert!((kept - best).abs() < 1e-5, "{kept} {best}");
}

#[test]
fn numbers_are_learned_with_huber_and_an_output_of_ones_own() {
    // Two distributions, and a worth of each place that the two sides win and lose.
    let of: Vec<Sample> = (0..2000)
        .map(|seed| {
            let mut row: Vec<f32> = numbers(4, seed).iter().map(|number| number.abs()).collect();
            for side in row.chunks_mut(2) {
                let total: f32 = side.iter().sum();
                side.iter_mut().for_each(|weight| *weight /= total);
            }
            let win = row[0] - row[2];
            let target = vec![1.0 - row[2], -row[2], row[0] - win, -win * row[0]];
            Sample { row, target, weight: 1.0 }
        })
        .collect();
    let options = MlpOptions { activation: Activation::Prelu, patience: None, ..small() };
    let huber = Loss::Huber { delta: 1.0 };
    let mut training =
        Mlp::with_output(samples(&of), None, Output::ZeroSum, huber, options).expect("training");
    let losses: Vec<f64> = run(&mut training).iter().map(|step| step.loss).collect();
    let (first, last) = (losses[0], losses[losses.len() - 1]);
    assert!(last < first / 20.0, "{first} {last}");
    let network = training.model();
    let mut answers = [0.0; 4];
    network.answer(&of[0].row, &mut answers);
    let worth: f32 = of[0].row.iter().zip(answers).map(|(share, value)| share * value).sum();
    assert!(worth.abs() < 1e-6, "{answers:?}");
}

#[test]
fn a_loss_that_is_no_number_ends_the_run() {
    let options = MlpOptions { rate: 1e38, ..small() };
    let mut training = Mlp::new(&table(500, 1), None, options).expect("training");
    let steps = run(&mut training);
    assert!(steps.len() < 16, "{} steps", steps.len());
    assert!(training.model().parameters().iter().all(|number| number.is_finite()));
}

#[test]
fn what_cannot_be_trained_is_refused() {
    let train = table(100, 1);
    let check = |options: MlpOptions, wanted: &str| {
        let error = Mlp::new(&train, None, options).expect_err("refused").to_string();
        assert!(error.contains(wanted), "{error}");
    };
    check(MlpOptions { batch: 0, ..small() }, "the batch is 0");
    check(MlpOptions { epochs: 0, ..small() }, "the number of epochs is 0");
    check(MlpOptions { rate: f64::NAN, ..small() }, "the learning rate is NaN");
    check(MlpOptions { hidden: vec![3, 0], ..small() }, "at least one input");
    check(MlpOptions { hidden: vec![1 << 20; 3], ..small() }, "8589934592 are allowed");
    check(MlpOptions { hidden: vec![usize::MAX; 3], ..small() }, "8589934592 are allowed");
    let adam = Adam { keep_mean: 1.0, ..Adam::default() };
    check(MlpOptions { adam, ..small() }, "keep_mean is 1");
    let other = Table::hard(vec!["a".to_owned()], train.classes().to_vec(), vec![1.0], &[0]);
    let error = Mlp::new(&train, Some(&other.expect("a table")), small()).expect_err("refused");
    assert!(error.to_string().contains("have 1 columns and 2 classes, the others 3 and 2"));
    let error = Samples::new(1, 1, vec![1.0, f32::NAN], vec![0.0; 2], vec![1.0; 2]);
    assert!(error.expect_err("refused").to_string().contains("row 1, column column 0: NaN"));
}

#[test]
fn checkpoints_that_are_none_or_of_other_runs_are_refused() {
    let train = table(100, 1);
    let new = |options| Mlp::new(&train, None, options).expect("training");
    let mut training = new(small());
    training.step();
    let saved = training.save();
    for end in (0..saved.len()).step_by(7) {
        let error = new(small()).resume(&saved[..end]).expect_err("cut off");
        assert!(error.to_string().contains("cannot be resumed"), "{end}: {error}");
    }
    let longer = [&saved[..], &[0]].concat();
    let error = new(small()).resume(&longer).expect_err("too long").to_string();
    assert!(error.contains("its checksum does not match"), "{error}");
    let other = MlpOptions { rate: 0.02, ..small() };
    let error = new(other).resume(&saved).expect_err("another run").to_string();
    assert!(error.contains("its way of training is"), "{error}");
    let other = Mlp::new(&table(100, 2), None, small()).expect("training");
    let error = other.resume(&saved).expect_err("another run").to_string();
    assert!(error.contains("means and deviations"), "{error}");
}
