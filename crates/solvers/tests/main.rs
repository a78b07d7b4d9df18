//! Tests of the solvers: small games against known values, published convergence and independent
//! solutions.

mod blueprint;
mod by_policy;
mod convergence;
mod equilibria;
mod exact;
mod games;
mod lbr;
mod mixes;
mod multiway;
mod response;
mod sampling;
mod showdown;
mod small;
mod subgame;

use game::{Action, InfoSet, Policy, Strategy};

/// A policy made of a function.
struct By<F>(F);

impl<F: Fn(&InfoSet) -> Strategy + Send + Sync> Policy for By<F> {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        (self.0)(infoset)
    }
}

fn folds(infoset: &InfoSet) -> Strategy {
    Strategy::pure(if infoset.legal().fold { Action::Fold } else { Action::Call })
}

fn calls(_: &InfoSet) -> Strategy {
    Strategy::pure(Action::Call)
}

fn board(text: &str) -> cards::Board {
    text.parse().expect(text)
}

fn combo(text: &str) -> cards::Combo {
    let cards = board(text);
    cards::Combo::new(cards[0], cards[1]).expect("two cards")
}

fn near(a: f64, b: f64, within: f64, what: &str) {
    assert!((a - b).abs() <= within, "{what}: {a} and {b} differ by more than {within}");
}

/// The mean of some numbers and its standard error.
fn mean_and_error(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

/// The bytes of a file that is begun by so many bytes of a name and then its version are refused
/// when they are cut off anywhere, go on, are changed, or are of another version.
fn check_damaged(
    bytes: &[u8],
    name: &str,
    start: usize,
    version: u8,
    refused: impl Fn(&[u8]) -> String,
) {
    for cut in [0, 1, start - 1] {
        assert!(refused(&bytes[..cut]).contains(&format!("not a {name} file")));
    }
    for cut in [start, 21, 30, 100, bytes.len() / 2, bytes.len() - 33, bytes.len() - 1] {
        let text = refused(&bytes[..cut]);
        assert!(text.contains(&format!("cut off after {cut} bytes")), "{cut}: {text}");
    }
    let text = refused(&[bytes, b"x"].concat());
    assert!(text.contains(&format!("continues after its {} bytes", bytes.len())), "{text}");
    for at in [bytes.len() - 1, bytes.len() - 40, bytes.len() / 2] {
        let mut bytes = bytes.to_vec();
        bytes[at] ^= 1;
        assert!(refused(&bytes).contains("damaged"), "byte {at}");
    }
    let mut newer = bytes.to_vec();
    newer[start] = version + 1;
    let other = format!("format {}, and this program reads {version}", version + 1);
    assert!(refused(&newer).contains(&other));
}
