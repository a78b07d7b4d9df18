//! Networks: how many parameters they have, what they answer, and that files come back or are
//! refused.

use std::collections::BTreeMap;

use models::Classifier;
use models::network::gemm::{Matrix, multiply};
use models::network::{Activation, Network, Output, Precision, Scaling, Shape};
use proptest::prelude::*;
use testing::numbers;

use crate::slow_network::slowly;

fn shape(inputs: usize, hidden: &[usize], outputs: usize, activation: Activation) -> Shape {
    Shape { inputs, hidden: hidden.to_vec(), outputs, activation }
}

fn network(shape: &Shape, output: Output) -> Network {
    // Small enough that sums stay about as large from layer to layer.
    let parameters = numbers(shape.count().total(), 1).iter().map(|number| number / 4.0).collect();
    let mean = numbers(shape.inputs, 2);
    let scale = numbers(shape.inputs, 3).iter().map(|number| number.abs() + 0.5).collect();
    let scaling = Scaling::new(mean, scale).expect("a scaling");
    Network::new(shape.clone(), parameters, scaling, output).expect("a network")
}

fn small() -> Network {
    let notes = BTreeMap::from([("columns".to_owned(), "win bet pot".to_owned())]);
    network(&shape(3, &[5, 4], 2, Activation::Prelu), Output::Softmax).with_notes(notes)
}

/// A network that takes the square roots of two columns.
fn rooted() -> Network {
    let shape = shape(3, &[5, 4], 2, Activation::Prelu);
    let parameters = numbers(shape.count().total(), 5);
    let scaling = Scaling::new(numbers(3, 2), vec![0.5, 2.0, 3.0]).expect("a scaling");
    let scaling = scaling.with_roots(2).expect("of three columns");
    Network::new(shape, parameters, scaling, Output::ZeroSum).expect("a network")
}

/// The answers of a network, sum by sum in f64.
fn answers(network: &Network, row: &[f32]) -> Vec<f64> {
    let parameters: Vec<f64> = network.parameters().iter().map(|&number| number.into()).collect();
    let mut units = slowly(network, &parameters, row);
    if network.output().name() == "softmax" {
        let total: f64 = units.iter().map(|unit| unit.exp()).sum();
        units.iter_mut().for_each(|unit| *unit = unit.exp() / total);
    }
    units
}

/// 1,591,296 is the number published for seven hidden layers of 512. It is that of 35 inputs and
/// one output without biases, and that of 25 inputs and four outputs with the hidden units' biases.
#[test]
fn parameters_are_counted_as_published() {
    let count = shape(35, &[512; 7], 1, Activation::Relu).count();
    assert_eq!(count.weights, 1_591_296);
    let count = shape(25, &[512; 7], 4, Activation::Relu).count();
    assert_eq!(count.weights + count.hidden_biases, 1_591_296);
    assert_eq!(shape(35, &[512; 7], 4, Activation::Relu).count().total(), 1_596_420);
    // Value networks of seven layers of 500 with PReLU, of which only the sizes are published.
    for (inputs, outputs) in [(2653, 2652), (2001, 2000), (2705, 2652)] {
        let count = shape(inputs, &[500; 7], outputs, Activation::Prelu).count();
        let units = (inputs + 1) * 500 + 6 * 501 * 500 + 501 * outputs;
        assert_eq!((count.total() - count.slopes, count.slopes), (units, 7));
    }
}

#[test]
fn one_row_and_many_are_what_the_sums_say() {
    for (shape, output) in [
        (shape(35, &[64, 48, 70], 9, Activation::Relu), Output::Softmax),
        (shape(7, &[33], 4, Activation::Prelu), Output::Identity),
        (shape(5, &[], 3, Activation::Relu), Output::Softmax),
        (shape(1, &[1, 1], 1, Activation::Prelu), Output::Identity),
    ] {
        let network = network(&shape, output);
        let count = 300;
        let rows = numbers(count * shape.inputs, 9);
        let mut all = vec![0.0; count * shape.outputs];
        network.answer_all(&rows, &mut all);
        let mut answers = vec![0.0; shape.outputs];
        for (row, together) in rows.chunks(shape.inputs).zip(all.chunks(shape.outputs)) {
            network.answer(row, &mut answers);
            for ((wanted, one), many) in
                self::answers(&network, row).iter().zip(&answers).zip(together)
            {
                let most = 1e-5 * wanted.abs().max(1.0);
                assert!((f64::from(*one) - wanted).abs() < most, "{one} {wanted}");
                assert!((f64::from(*many) - wanted).abs() < most, "{many} {wanted}");
            }
        }
    }
}

#[test]
fn a_network_of_roots_takes_roots_and_its_zero_sum_is_that_of_the_probabilities() {
    let network = rooted();
    let rows = [[0.25_f32, 0.0, 0.7], [0.9, 0.01, -0.7], [1.0, 0.5, 0.0]];
    for row in rows {
        let mut found = [0.0; 2];
        network.answer(&row, &mut found);
        let mut many = [0.0; 2];
        network.answer_all(&row, &mut many);
        let wanted = answers(&network, &row);
        let (sum, total) = (
            f64::from(row[0]) * wanted[0] + f64::from(row[1]) * wanted[1],
            f64::from(row[0] + row[1]),
        );
        for at in 0..2 {
            let wanted = wanted[at] - sum / total;
            let away = [found[at], many[at]].map(|found| (f64::from(found) - wanted).abs());
            assert!(away.iter().all(|away| *away < 1e-5), "{row:?}: {away:?}");
        }
    }
    let error = Scaling::none(2).with_roots(3).expect_err("two columns").to_string();
    assert!(error.contains("3 of 2 columns"), "{error}");
    let text = String::from_utf8_lossy(&network.to_bytes(Precision::Single)).into_owned();
    assert!(text.contains("\"cardroom.roots\":\"2\""), "{text}");
}

#[test]
fn shares_sum_to_one_whatever_the_row() {
    let network = small();
    let mut shares = [0.0; 2];
    for row in [[0.0; 3], [1e30, -1e30, 0.0], [f32::MAX, f32::MIN, f32::MAX]] {
        network.predict(&row, &mut shares);
        assert!(shares.iter().all(|&share| share >= 0.0), "{row:?}: {shares:?}");
        assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{row:?}: {shares:?}");
    }
}

#[test]
fn parts_that_do_not_fit_make_no_network() {
    let check = |shape: Shape, parameters: Vec<f32>, columns: usize, wanted: &str| {
        let made = Network::new(shape, parameters, Scaling::none(columns), Output::Softmax);
        let error = made.expect_err("no network").to_string();
        assert!(error.contains(wanted), "{error}");
    };
    let two = shape(2, &[], 2, Activation::Relu);
    check(two.clone(), vec![0.0; 5], 2, "5 parameters for a network of 6");
    check(two.clone(), vec![0.0; 6], 3, "3 columns are standardised, and rows have 2");
    check(two, vec![0.0, 0.0, 0.0, f32::NAN, 0.0, 0.0], 2, "parameter 3 is NaN");
    check(shape(2, &[0], 2, Activation::Relu), vec![0.0; 2], 2, "at least one");
    let error = Scaling::new(vec![0.0, 1.0], vec![1.0, 0.0]).expect_err("no scaling").to_string();
    assert!(error.contains("column 1 cannot be standardised"), "{error}");
}

#[test]
fn what_is_written_is_read() {
    let plain = network(&shape(4, &[6, 3], 5, Activation::Relu), Output::Identity);
    for network in [small(), plain, rooted()] {
        let bytes = network.to_bytes(Precision::Single);
        let read = Network::read(&bytes).expect("a network");
        assert_eq!(read.shape(), network.shape());
        assert_eq!(read.parameters(), network.parameters());
        assert_eq!(read.scaling(), network.scaling());
        assert_eq!(read.output().name(), network.output().name());
        assert_eq!(read.notes(), network.notes());
        assert_eq!(read.to_bytes(Precision::Single), bytes);
    }
}

#[test]
fn half_the_bytes_keep_eleven_bits() {
    let network = network(&shape(20, &[64, 64], 4, Activation::Relu), Output::Softmax);
    let (single, half) = (network.to_bytes(Precision::Single), network.to_bytes(Precision::Half));
    assert!(half.len() * 100 < single.len() * 60, "{} of {}", half.len(), single.len());
    let read = Network::read(&half).expect("a network");
    for (&number, &rounded) in network.parameters().iter().zip(read.parameters()) {
        assert!((number - rounded).abs() <= number.abs() / 2048.0 + 1e-7, "{number} {rounded}");
    }
    // Once rounded, nothing is lost any more.
    assert_eq!(read.to_bytes(Precision::Half), half);
}

#[test]
fn an_output_that_is_not_known_is_named() {
    let head = r#"{"__metadata__":{"cardroom.output":"doubled"}}"#;
    let error = Network::read(&file(head, b"")).expect_err("not known").to_string();
    assert!(error.contains("`doubled`; known here: softmax, identity, zero-sum"), "{error}");
}

/// A file with a head of this text and these numbers.
fn file(head: &str, data: &[u8]) -> Vec<u8> {
    [&(head.len() as u64).to_le_bytes(), head.as_bytes(), data].concat()
}

#[test]
fn files_that_are_no_networks_are_refused_with_their_place() {
    let check = |bytes: &[u8], wanted: &str| {
        let error = Network::read(bytes).expect_err("no network").to_string();
        assert!(error.contains(wanted), "{error}");
    };
    check(b"", "byte 0: these bytes are not a safetensors file: it ends before");
    check(&u64::MAX.to_le_bytes(), "a head of 18446744073709551615 bytes with 0 behind");
    check(
        &file("not JSON", b""),
        "byte 8: these bytes are not a safetensors file: its head cannot",
    );
    check(&file("{}", b""), "has no tensor `layers.0.weight`");
    let tensor = |shape: &str, dtype: &str, from: usize, to: usize| {
        let rest = format!(r#""dtype":"{dtype}","shape":{shape},"data_offsets":[{from},{to}]"#);
        format!(r#"{{"layers.0.weight":{{{rest}}}}}"#)
    };
    let check_tensor = |shape: &str, dtype: &str, from: usize, to: usize, wanted: &str| {
        check(&file(&tensor(shape, dtype, from, to), &[0; 8]), wanted);
    };
    check_tensor("[1,2]", "F32", 0, 8, "has no tensor `layers.0.bias`");
    check_tensor("[1,2]", "I64", 0, 8, "tensor `layers.0.weight`, at byte 78: its numbers are I64");
    check_tensor("[2,2]", "F32", 0, 16, "the file ends at byte 87, and it goes on to 95");
    check_tensor("[1,2]", "F32", 4, 12, "it begins at 4 of the numbers");
    check_tensor("[1,2]", "F32", 0, 4, "are not those of shape [1, 2]");
    check_tensor("[8]", "F16", 0, 16, "the file ends");
    check_tensor("[2]", "F32", 0, 8, "its shape [2] has not two sizes");
    check_tensor("[0,2]", "F32", 0, 0, "8 bytes follow the last tensor");
    check_tensor(&format!("[{0},{0}]", usize::MAX), "F32", 0, 8, "are not those of shape");
    let version = r#"{"__metadata__":{"cardroom.network":"2"}}"#;
    check(&file(version, b""), "version 2, and this program reads 1");

    let bytes = small().to_bytes(Precision::Single);
    let damaged = |at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        bytes
    };
    check(&damaged(bytes.len() - 1), "tensor `layers.2.bias`");
    check(&damaged(bytes.len() - 1), "it is damaged: its checksum does not match");
    check(&bytes[..bytes.len() - 1], "tensor `layers.2.bias`");
    check(&[&bytes[..], &[0]].concat(), "1 bytes follow the last tensor");
    let renamed = |from: &str, to: &str| {
        let mut bytes = bytes.clone();
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes());
        bytes[at.expect("it is there")..][..to.len()].copy_from_slice(to.as_bytes());
        bytes
    };
    check(
        &renamed("\"layers.1.slope\":{", "\"layers.1.slopf\":{"),
        "the head of the network's file",
    );
    // Without a checksum of the head, as in files of the time before there was one, the tensors
    // still have theirs.
    let mut older = renamed("\"cardroom.sha256\"", "\"somebody.sha256\"");
    assert!(Network::read(&older).is_ok());
    let at = older.windows(14).position(|window| window == b"layers.1.slope").expect("a tensor");
    older[at + 13] = b'f';
    check(&older, "no tensor `layers.1.slop");
}

#[test]
fn a_file_of_weights_and_biases_alone_is_a_network() {
    let head = r#"{"layers.0.weight":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},
        "layers.0.bias":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}"#;
    let data: Vec<u8> = [1.0_f32, -1.0, 0.0, 0.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let network = Network::read(&file(head, &data)).expect("a network");
    let mut shares = [0.0; 2];
    network.predict(&[0.5], &mut shares);
    assert!((f64::from(shares[0]) - 1.0 / (1.0 + (-1.0_f64).exp())).abs() < 1e-6, "{shares:?}");
    let nan: Vec<u8> = [1.0, f32::NAN, 0.0, 0.0].iter().flat_map(|n| n.to_le_bytes()).collect();
    let error = Network::read(&file(head, &nan)).expect_err("NaN").to_string();
    let offset = 8 + head.len() + 4;
    assert_eq!(error, format!("tensor `layers.0.weight`, at byte {offset}: number 1 of it is NaN"));
}

/// Another program's key says nothing to this one; an own key that is not known may change the
/// answers, as a key of a tensor may.
#[test]
fn keys_that_may_change_the_answers_are_refused() {
    let read = |metadata: &str, more: &str| {
        let head = format!(
            r#"{{"__metadata__":{{{metadata}}},"layers.0.weight":{{"dtype":"F32","shape":[2,1],
            "data_offsets":[0,8]{more}}},"layers.0.bias":{{"dtype":"F32","shape":[2],
            "data_offsets":[8,16]}}}}"#
        );
        Network::read(&file(&head, &[0; 16])).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(read(r#""format":"pt","cardroom.output":"softmax","note.a":"b""#, ""), Ok(()));
    let error = read(r#""cardroom.activation":"tanh""#, "").expect_err("unknown");
    assert!(error.contains("a key `cardroom.activation` in its metadata"), "{error}");
    let error = read("", r#","scale":0.5"#).expect_err("unknown");
    assert!(error.contains("unknown field `scale`"), "{error}");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let path = std::path::Path::new("no/such/file.safetensors");
    let error = Network::open(path).expect_err("no file");
    assert!(error.is_unreadable(), "{error}");
    assert!(error.to_string().contains("no/such/file.safetensors"), "{error}");
}

proptest! {
    #[test]
    fn no_bytes_make_reading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Network::read(&bytes);
    }

    #[test]
    fn no_change_of_a_file_goes_unseen(at in 0..usize::MAX, mask in 1..=255_u8) {
        for output in [Output::Softmax, Output::Identity] {
            let notes = small().notes().clone();
            let network = network(small().shape(), output).with_notes(notes);
            let mut bytes = network.to_bytes(Precision::Half);
            let whole = Network::read(&bytes).expect("a network");
            let at = at % bytes.len();
            bytes[at] ^= mask;
            // What is read all the same has lost the name of its checksum, and nothing else.
            if let Ok(read) = Network::read(&bytes) {
                prop_assert_eq!(read.parameters(), whole.parameters());
                prop_assert_eq!(read.scaling(), whole.scaling());
                prop_assert_eq!(read.output().name(), whole.output().name());
                prop_assert_eq!(read.notes(), whole.notes());
            }
        }
    }

    #[test]
    fn a_network_cut_off_anywhere_is_refused(at in 0..usize::MAX) {
        let bytes = small().to_bytes(Precision::Single);
        prop_assert!(Network::read(&bytes[..at % bytes.len()]).is_err());
    }

    #[test]
    fn products_are_those_of_rows_and_columns(
        rows in 1..20_usize, inner in 1..20_usize, columns in 1..20_usize, turned in any::<bool>()
    ) {
        let (a, b) = (numbers(rows * inner, 1), numbers(inner * columns, 2));
        let start = numbers(rows * columns, 3);
        let left = if turned {
            Matrix::new(&a, inner, rows).transposed()
        } else {
            Matrix::new(&a, rows, inner)
        };
        let mut product = start.clone();
        multiply(left, Matrix::new(&b, inner, columns), 1.0, &mut product);
        for row in 0..rows {
            for column in 0..columns {
                let number = |at: usize| if turned { a[at * rows + row] } else {
                    a[row * inner + at] };
                let sum: f32 = (0..inner).map(|at| number(at) * b[at * columns + column]).sum();
                let wanted = start[row * columns + column] + sum;
                prop_assert!((product[row * columns + column] - wanted).abs() < 1e-4);
            }
        }
    }
}
