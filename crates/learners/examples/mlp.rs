//! Trains networks on made-up rows and writes them with their answers, for comparison with other
//! programs (`tests/conformance/check_network.py`), and as an example of how it is done.
//!
//! Usage: `mlp FOLDER`. For each network NAME the folder gets `NAME.safetensors`; `rows.f32` has
//! the rows, `NAME.one.f32` the answers asked for row by row and `NAME.many.f32` those asked for
//! together, all as little-endian f32.

use std::error::Error;
use std::path::Path;

use learners::mlp::{Loss, Mlp, MlpOptions, Samples};
use learners::{Table, Training};
use models::network::{Activation, Network, Output, Precision};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

const COLUMNS: usize = 35;
const CLASSES: usize = 6;
const ROWS: usize = 20_000;
const ASKED: usize = 2000;

/// Rows in columns of many sizes, whose classes depend on three numbers together.
fn table(rng: &mut Pcg64Mcg) -> Result<Table, Box<dyn Error>> {
    let mut values = Vec::with_capacity(COLUMNS * ROWS);
    for column in 0..COLUMNS {
        let size = 10.0_f32.powi(column as i32 % 5);
        values.extend((0..ROWS).map(|_| size * (rng.random_range(-1.0..1.0) + 0.5)));
    }
    let mut labels = vec![0.02; ROWS * CLASSES];
    for (row, label) in labels.chunks_exact_mut(CLASSES).enumerate() {
        let bit = |column: usize| {
            usize::from(values[column * ROWS + row] > 0.5 * 10.0_f32.powi(column as i32))
        };
        label[(bit(0) ^ bit(1)) * 3 + bit(2) + bit(3)] += 1.0 - 0.02 * CLASSES as f32;
    }
    let names = |what: &str, count| (0..count).map(|at| format!("{what} {at}")).collect();
    let weights = (0..ROWS).map(|_| rng.random_range(0.5..2.0)).collect();
    Ok(Table::new(names("column", COLUMNS), names("class", CLASSES), values, labels, weights)?)
}

fn train(mut training: Mlp) -> Network {
    while training.step().is_some() {}
    training.model()
}

/// Writes a network, and what it answers once it is read again.
fn write(
    folder: &Path,
    name: &str,
    network: &Network,
    precision: Precision,
    rows: &[f32],
) -> Result<(), Box<dyn Error>> {
    let path = folder.join(format!("{name}.safetensors"));
    std::fs::write(&path, network.to_bytes(precision))?;
    let network = Network::open(&path)?;
    let width = network.shape().outputs;
    let (mut one, mut many) = (vec![0.0; ASKED * width], vec![0.0; ASKED * width]);
    for (row, answers) in rows.chunks_exact(COLUMNS).zip(one.chunks_exact_mut(width)) {
        network.answer(row, answers);
    }
    network.answer_all(rows, &mut many);
    write_numbers(&folder.join(format!("{name}.one.f32")), &one)?;
    write_numbers(&folder.join(format!("{name}.many.f32")), &many)
}

fn write_numbers(path: &Path, numbers: &[f32]) -> Result<(), Box<dyn Error>> {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    Ok(std::fs::write(path, bytes)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: mlp FOLDER")?;
    let folder = Path::new(&folder);
    let table = table(&mut Pcg64Mcg::seed_from_u64(1))?;
    let mut rows = vec![0.0; ASKED * COLUMNS];
    for (number, row) in rows.chunks_exact_mut(COLUMNS).enumerate() {
        table.row(number, row);
    }
    write_numbers(&folder.join("rows.f32"), &rows)?;

    let options = |hidden: &[usize], activation| MlpOptions {
        hidden: hidden.to_vec(),
        activation,
        batch: 256,
        epochs: 4,
        ..MlpOptions::default()
    };
    let network = train(Mlp::new(&table, None, options(&[96; 3], Activation::Relu))?);
    write(folder, "relu", &network, Precision::Single, &rows)?;
    write(folder, "half", &network, Precision::Half, &rows)?;
    let network = train(Mlp::new(&table, None, options(&[64, 32], Activation::Prelu))?);
    write(folder, "prelu", &network, Precision::Single, &rows)?;
    let large = MlpOptions { epochs: 1, ..options(&[512; 7], Activation::Relu) };
    let network = train(Mlp::new(&table, None, large)?);
    write(folder, "large", &network, Precision::Single, &rows)?;

    let samples = Samples::from(&table);
    let (output, loss) = (Output::Identity, Loss::Huber { delta: 1.0 });
    let options = options(&[64, 64], Activation::Prelu);
    let network = train(Mlp::with_output(samples, None, output, loss, options)?);
    write(folder, "numbers", &network, Precision::Single, &rows)
}
