//! A GPU trains the networks that the processor trains: the same batches, losses, files and
//! checkpoints, up to rounding.
//!
//! Needs an adapter of Vulkan, Metal or DirectX 12 and fails without one; a software one does
//! (Debian's `mesa-vulkan-drivers`).

#![allow(clippy::print_stdout, reason = "the adapter is part of the result")]

use std::sync::OnceLock;

use learners::mlp::{
    Batch, Decay, Engine as _, Gpu, GpuEngine, Loss, Mlp, MlpOptions, Moments, Numbers, Processor,
    Samples, Schedule, Stride, TrainingConstants, first_parameters,
};
use learners::student::{LearningOptions, begin_on};
use learners::{Progress, Table, Training};
use models::Classifier;
use models::network::{Activation, Network, Output, Precision, Scaling};
use testing::numbers;

/// The adapter, which all tests share.
fn adapter() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| {
        let gpu = Gpu::wgpu().unwrap_or_else(|error| panic!("nothing to test: {error}"));
        println!("on {}, software: {}", gpu.name(), gpu.is_software());
        gpu
    })
}

/// Rows whose three classes are told by the signs of the first two numbers, with soft labels and
/// uneven weights.
fn table(rows: usize, seed: u32) -> Table {
    let columns = ["a", "b", "c"].map(str::to_owned).to_vec();
    let mut values = numbers(3 * rows, seed);
    values[rows..2 * rows].iter_mut().for_each(|value| *value *= 1000.0);
    let labels = (0..rows).flat_map(|row| match (values[row] > 0.0, values[rows + row] > 0.0) {
        (true, true) => [0.75, 0.125, 0.125],
        (false, false) => [0.0, 1.0, 0.0],
        _ => [0.125, 0.25, 0.625],
    });
    let labels = labels.collect();
    let classes = ["fold", "call", "raise"].map(str::to_owned).to_vec();
    let weights = (0..rows).map(|row| 1.0 + (row % 3) as f32).collect();
    Table::new(columns, classes, values, labels, weights).expect("a table")
}

fn small() -> MlpOptions {
    MlpOptions {
        hidden: vec![24, 17],
        batch: 64,
        epochs: 4,
        rate: 0.01,
        schedule: Schedule { warm_up: 5, decay: Decay::Cosine { to: 0.0 } },
        patience: None,
        batches_a_step: Some(5),
        ..MlpOptions::default()
    }
}

/// A run on the GPU.
fn there(train: &Table, held_out: Option<&Table>, options: MlpOptions) -> Mlp<GpuEngine> {
    let what: (Output, Loss) = (Output::Softmax, Loss::CrossEntropy);
    let engine = |plan: &TrainingConstants, numbers| GpuEngine::new(adapter(), plan, numbers);
    let (train, held_out) = (Samples::from(train), held_out.map(Samples::from));
    Mlp::with_engine(engine, train, held_out, what, options).expect("training")
}

fn run(training: &mut Mlp<GpuEngine>) -> Vec<Progress> {
    std::iter::from_fn(|| training.advance().expect("it goes on")).collect()
}

/// The largest difference.
fn apart(some: &[f32], others: &[f32]) -> f32 {
    assert_eq!(some.len(), others.len());
    some.iter().zip(others).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max)
}

/// Rows that begin with the probabilities of four hands, some of them zero, and hold two more
/// numbers, with a value for each hand.
fn ranges() -> Samples {
    let rows = 300;
    let values = numbers(6 * rows, 3).into_iter().enumerate();
    let values = values.map(|(at, value)| if at % 6 < 4 { value.max(0.0) } else { value });
    let weights = (0..rows).map(|row| 1.0 + (row % 3) as f32).collect();
    Samples::new(6, 4, values.collect(), numbers(4 * rows, 4), weights).expect("samples")
}

/// Some batches on both engines: parameters, moments and losses stay together.
fn check_batches(train: &Samples, what: (Output, Loss), activation: Activation) {
    let options = MlpOptions { activation, ..small() };
    let shape = options.shape(train.columns(), train.width());
    let parameters = first_parameters(&shape, 7);
    let mut plan = None;
    // A run makes the plan, which is all that is wanted of it.
    let begin = |made: &TrainingConstants, numbers| {
        plan = Some(made.clone());
        Ok(Processor::new(made, numbers))
    };
    Mlp::with_engine(begin, train.clone(), None, what, options).expect("a plan");
    let plan = plan.expect("it was made");
    let numbers = || {
        let moments = Moments::new(parameters.len());
        Numbers { parameters: parameters.clone(), moments }
    };
    let mut here = Processor::new(&plan, numbers());
    let mut there = GpuEngine::new(adapter(), &plan, numbers()).expect("room");
    for batch in 0..12_u32 {
        // The last ones are short, and one is of a single row.
        let rows: Vec<u32> =
            (0..if batch == 11 { 1 } else { 64 - batch }).map(|row| 3 * row).collect();
        let batch = Batch { samples: train, rows: &rows };
        let stride = Stride { scale: 1.0 / (2.0 * rows.len() as f64), rate: 0.003 };
        let Ok(()) = here.learn(&plan, batch, stride);
        there.learn(&plan, batch, stride).expect("learned");
    }
    let Ok(ours) = here.numbers();
    let theirs = there.numbers().expect("numbers");
    let moved = apart(&ours.parameters, &parameters);
    assert!(moved > 0.02, "{activation:?}: the parameters moved by {moved}");
    for (name, ours, theirs, most) in [
        ("parameters", &ours.parameters, &theirs.parameters, 1e-4),
        ("means", &ours.moments.mean, &theirs.moments.mean, 1e-5),
        ("squares", &ours.moments.square, &theirs.moments.square, 1e-5),
    ] {
        let apart = apart(ours, theirs);
        println!("{activation:?}, {:?}: {name} are {apart:e} apart", plan.loss);
        assert!(apart < most, "{activation:?}, {:?}: {name} are {apart} apart", plan.loss);
    }
    assert_eq!(ours.moments.steps, theirs.moments.steps);
    let Ok(ours) = here.learned();
    let theirs = there.learned().expect("losses");
    assert_eq!(ours.weight, theirs.weight);
    assert!((ours.mean() - theirs.mean()).abs() < 1e-5, "{ours:?} {theirs:?}");
    let Ok(ours) = here.measure(&plan, train);
    let theirs = there.measure(&plan, train).expect("losses");
    assert!((ours.mean() - theirs.mean()).abs() < 1e-5, "{ours:?} {theirs:?}");
    assert_eq!(there.learned().expect("losses").weight, 0.0, "measuring is not learning");
}

#[test]
fn batches_are_those_of_the_processor() {
    let (classes, ranges) = (Samples::from(&table(300, 1)), ranges());
    for activation in [Activation::Relu, Activation::Prelu] {
        check_batches(&classes, (Output::Softmax, Loss::CrossEntropy), activation);
        check_batches(&classes, (Output::Softmax, Loss::Huber { delta: 0.25 }), activation);
        check_batches(&classes, (Output::Identity, Loss::Huber { delta: 0.25 }), activation);
        check_batches(&ranges, (Output::ZeroSum, Loss::RangeHuber), activation);
        check_batches(&ranges, (Output::ZeroSum, Loss::Huber { delta: 0.25 }), activation);
        check_batches(&ranges, (Output::Identity, Loss::RangeHuber), activation);
    }
}

#[test]
fn a_run_is_that_of_the_processor() {
    let (train, held_out) = (table(2000, 1), table(500, 2));
    let mut here = Mlp::new(&train, Some(&held_out), small()).expect("training");
    let ours: Vec<Progress> = std::iter::from_fn(|| here.step()).collect();
    let mut training = there(&train, Some(&held_out), small());
    let theirs = run(&mut training);
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!((ours.done, ours.most), (theirs.done, theirs.most));
        assert!((ours.loss - theirs.loss).abs() < 1e-3, "{ours:?} {theirs:?}");
        assert_eq!(ours.held_out.is_some(), theirs.held_out.is_some());
        if let (Some(ours), Some(theirs)) = (ours.held_out, theirs.held_out) {
            println!("held-out {ours} and {theirs}");
            assert!((ours - theirs).abs() < 1e-3, "{ours} {theirs}");
        }
    }
    assert!(theirs[theirs.len() - 1].loss < theirs[0].loss * 0.8, "it learns: {theirs:?}");
}

/// What a run of this network would have for all of it.
fn plan(network: &Network, batch: usize) -> TrainingConstants {
    TrainingConstants {
        shape: network.shape().clone(),
        layers: network.layers().to_vec(),
        scaling: network.scaling().clone(),
        output: Output::Softmax,
        loss: Loss::CrossEntropy,
        adam: small().adam,
        batch,
    }
}

fn numbers_of(network: &Network) -> Numbers {
    let parameters = network.parameters().to_vec();
    let moments = Moments::new(parameters.len());
    Numbers { parameters, moments }
}

#[test]
fn what_is_written_answers_as_the_gpu_does() {
    let (train, held_out) = (table(600, 1), table(200, 2));
    let mut training = there(&train, Some(&held_out), small());
    let measured =
        run(&mut training).iter().filter_map(|step| step.held_out).fold(f64::MAX, f64::min);
    let network = training.network();
    let bytes = network.to_bytes(Precision::Single);
    let read = Network::read(&bytes).expect("a network's file");
    assert_eq!(read.parameters(), network.parameters());
    // What the file says of the held-out rows is what the GPU measured.
    let told = learners::measure::measure(&read, &held_out).log_loss;
    assert!((told - measured).abs() < 1e-5, "{told} {measured}");
    // And row by row: the loss of one row that is all one class tells the share of that class.
    let mut row = [0.0; 3];
    held_out.row(7, &mut row);
    let mut shares = [0.0; 3];
    read.predict(&row, &mut shares);
    for class in 0..3 {
        let mut target = vec![0.0; 3];
        target[class] = 1.0;
        let one = Samples::new(3, 3, row.to_vec(), target, vec![1.0]).expect("a row");
        let plan = plan(&network, 1);
        let mut engine = GpuEngine::new(adapter(), &plan, numbers_of(&network)).expect("room");
        let share = (-engine.measure(&plan, &one).expect("a loss").mean()).exp() as f32;
        assert!((share - shares[class]).abs() < 1e-5, "{share} {shares:?}");
    }
}

#[test]
fn a_run_taken_up_is_the_run_that_was_not_put_away() {
    let (train, held_out) = (table(700, 1), table(100, 2));
    let new = || there(&train, Some(&held_out), small());
    let (mut whole, mut pieces) = (new(), new());
    while let Some(progress) = whole.advance().expect("it goes on") {
        assert_eq!(pieces.advance().expect("it goes on"), Some(progress));
        let saved = pieces.checkpoint().expect("a checkpoint");
        assert!(saved == whole.checkpoint().expect("a checkpoint"), "after {progress:?}");
        pieces = new().resume(&saved).expect("taken up");
    }
    assert_eq!(pieces.advance().expect("it goes on"), None);
    assert_eq!(pieces.network().parameters(), whole.network().parameters());
}

#[test]
fn a_checkpoint_of_the_processor_is_another_run() {
    let train = table(200, 1);
    let mut here = Mlp::new(&train, None, small()).expect("training");
    here.step();
    let error = there(&train, None, small()).resume(&here.save()).expect_err("another run");
    assert!(error.to_string().contains("its way of training is"), "{error}");
    assert!(error.to_string().contains("on wgpu"), "{error}");
}

#[test]
fn a_lesson_taught_there_is_the_lesson_taught_here() {
    let (train, held_out) = (table(900, 1), table(200, 2));
    let lesson = LearningOptions::Mlp(MlpOptions { epochs: 1, ..small() });
    let LearningOptions::Mlp(options) = &lesson else { unreachable!("it is one") };
    let engine = |plan: &TrainingConstants, numbers| GpuEngine::new(adapter(), plan, numbers);
    let mut there = begin_on(engine, options, &train, &held_out, None).expect("it begins");
    let mut here = lesson.begin(&train, None, &held_out, None).expect("it begins");
    loop {
        let (ours, theirs) = (here.step().expect("a step"), there.step().expect("a step"));
        assert_eq!(ours.map(|step| step.done), theirs.map(|step| step.done));
        if ours.is_none() {
            break;
        }
    }
    let mut shares = [[0.0; 3]; 2];
    for row in 0..held_out.rows() {
        let mut values = [0.0; 3];
        held_out.row(row, &mut values);
        here.learned().classifier().predict(&values, &mut shares[0]);
        there.learned().classifier().predict(&values, &mut shares[1]);
        assert!(apart(&shares[0], &shares[1]) < 1e-2, "{shares:?}");
    }
}

#[test]
fn what_has_no_room_is_refused_before_it_is_sent() {
    let shape = small().shape(3, 3);
    let parameters = first_parameters(&shape, 1);
    let network = Network::new(shape, parameters, Scaling::none(3), Output::Softmax);
    let network = network.expect("a network");
    for batch in [1 << 40, usize::MAX] {
        let plan = plan(&network, batch);
        let refused = GpuEngine::new(adapter(), &plan, numbers_of(&network)).err();
        let error = refused.expect("too large").to_string();
        assert!(error.contains("a layer of a batch would take"), "{error}");
        assert!(error.contains("in one piece") && error.contains(adapter().name()), "{error}");
    }
}
