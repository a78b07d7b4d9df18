//! Training of networks, in rows a second, and decisions.
//!
//! `cargo bench -p learners --bench mlp`; on one core `RAYON_NUM_THREADS=1 taskset -c 1 cargo bench
//! …`. `tests/peers/mlp.py` has PyTorch do the same.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use learners::Training;
use learners::mlp::{Loss, Mlp, MlpOptions, Samples, first_parameters};
use models::network::{Activation, Network, Output, Scaling, Shape};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const COLUMNS: usize = 35;

/// Name, hidden layers, classes, units.
const SHAPES: [(&str, &[usize], usize, Activation); 4] = [
    ("7 x 512", &[512; 7], 4, Activation::Relu),
    ("7 x 512 parametric", &[512; 7], 4, Activation::Prelu),
    ("3 x 256", &[256; 3], 9, Activation::Relu),
    ("3 x 128", &[128; 3], 9, Activation::Relu),
];

fn rows(count: usize) -> Vec<f32> {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    (0..count * COLUMNS).map(|_| rng.random_range(-1.5..1.5)).collect()
}

fn training(c: &mut Criterion) {
    let mut group = c.benchmark_group("train");
    group.sample_size(10).measurement_time(Duration::from_secs(20));
    let count = 8 * 1024;
    for (name, hidden, classes, activation) in SHAPES {
        let targets = vec![1.0 / classes as f32; count * classes];
        let samples = Samples::new(COLUMNS, classes, rows(count), targets, vec![1.0; count]);
        let options = MlpOptions {
            hidden: hidden.to_vec(),
            activation,
            epochs: 1_000_000,
            batches_a_step: Some(8),
            ..MlpOptions::default()
        };
        let samples = samples.expect("samples");
        let mut training =
            Mlp::with_output(samples, None, Output::Softmax, Loss::CrossEntropy, options)
                .expect("training");
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(format!("{name}, batches of 1024"), |b| b.iter(|| training.step()));
    }
}

fn deciding(c: &mut Criterion) {
    let count = 1024;
    let rows = rows(count);
    for (name, hidden, classes, activation) in SHAPES {
        let hidden = hidden.to_vec();
        let shape = Shape { inputs: COLUMNS, hidden, outputs: classes, activation };
        let parameters = first_parameters(&shape, 1);
        let network = Network::new(shape, parameters, Scaling::none(COLUMNS), Output::Softmax)
            .expect("a network");
        let mut answers = vec![0.0; count * classes];
        let mut next = rows.chunks_exact(COLUMNS).cycle();
        c.bench_function(&format!("one decision, {name}"), |b| {
            b.iter(|| {
                let row = next.next().expect("rows go round");
                network.answer(black_box(row), &mut answers[..classes]);
            });
        });
        let mut group = c.benchmark_group("1024 decisions at once");
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(name, |b| {
            b.iter(|| network.answer_all(black_box(&rows), &mut answers));
        });
    }
}

criterion_group!(benches, training, deciding);
criterion_main!(benches);
