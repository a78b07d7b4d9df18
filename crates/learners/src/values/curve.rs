//! The loss of value networks by the number of situations that they were trained on: a power law
//! for each kind of network, fitted by least squares on logarithms, and where two of them cross.
//!
//! A power law goes straight on beyond the data, which nothing guarantees: networks stop improving
//! where the error of the labels, the size of the network or its encoding holds them. So a crossing
//! beyond the data is an extrapolation. It is computed again without each of the points, one at a
//! time, to show how much depends on one training.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use show::Table;
use show::number::whole;

use crate::Error;

/// How far beyond the data a fitted line is drawn: to this multiple of the most situations.
const FARTHEST: f64 = 100.0;
/// The number of points of each part of a fitted line.
const POINTS: usize = 24;

/// What `cardroom train values --json` says of a network, as far as curves need it.
#[derive(Debug, Clone, Deserialize)]
pub struct Measurement {
    encoding: String,
    #[serde(default)]
    roots: bool,
    situations: Trained,
    hands: OnTest,
}

#[derive(Debug, Clone, Deserialize)]
struct Trained {
    train: u64,
}

#[derive(Debug, Clone, Deserialize)]
struct OnTest {
    test: Loss,
}

#[derive(Debug, Clone, Deserialize)]
struct Loss {
    huber: f64,
}

/// A power law: factor · situations^−exponent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PowerLaw {
    /// The loss at one situation.
    factor: f64,
    /// The exponent: 0.5 halves the loss with four times the situations.
    exponent: f64,
    /// The standard deviation of the points around it, as a share of the loss; `None` for two
    /// points, through which it goes.
    scatter: Option<f64>,
}

impl PowerLaw {
    /// The law through numbers of situations with their losses, by least squares on logarithms;
    /// `None` without two different numbers, or if something is not above zero.
    pub fn fit(points: &[(f64, f64)]) -> Option<PowerLaw> {
        if points.iter().any(|&(at, loss)| !(at > 0.0 && loss > 0.0)) {
            return None;
        }
        let logs: Vec<(f64, f64)> = points.iter().map(|(at, loss)| (at.ln(), loss.ln())).collect();
        let count = logs.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / count;
        let [at, loss] = [mean(&|log| log.0), mean(&|log| log.1)];
        let square = mean(&|log| (log.0 - at).powi(2));
        if logs.len() < 2 || square <= 0.0 {
            return None;
        }
        let slope = mean(&|log| (log.0 - at) * (log.1 - loss)) / square;
        let squares: f64 =
            logs.iter().map(|log| (log.1 - loss - slope * (log.0 - at)).powi(2)).sum();
        let scatter = (logs.len() > 2).then(|| (squares / (count - 2.0)).sqrt());
        Some(PowerLaw { factor: (loss - slope * at).exp(), exponent: -slope, scatter })
    }

    /// The loss with so many situations.
    pub fn loss(&self, situations: f64) -> f64 {
        self.factor * situations.powf(-self.exponent)
    }

    /// The number of situations from which on the loss is less than another law's; `None` if it is
    /// not the one that falls faster.
    pub fn overtakes(&self, other: &PowerLaw) -> Option<f64> {
        let faster = self.exponent - other.exponent;
        let log = (self.factor.ln() - other.factor.ln()) / faster;
        (faster > 0.0).then(|| log.exp()).filter(|situations| situations.is_finite())
    }
}

/// The losses of one kind of network, with its law.
#[derive(Debug, Serialize)]
pub struct Curve {
    encoding: String,
    roots: bool,
    /// Numbers of situations with the losses on test hands.
    points: Vec<(f64, f64)>,
    law: PowerLaw,
    /// The law from the first point to the last.
    within: Vec<(f64, f64)>,
    /// The law beyond the last point.
    beyond: Vec<(f64, f64)>,
}

/// Whether one kind of network becomes better than another.
#[derive(Debug, Serialize)]
pub struct Crossing {
    /// The kind that is worse at the last point.
    of: String,
    /// The kind that is better there.
    under: String,
    /// The number of situations, beyond the data, from which on the law of the first is below that
    /// of the second; `None` if it never is.
    situations: Option<f64>,
    /// The least and the most of this number without one of the points; `None` if without one of
    /// them it never is.
    without_one: Option<[f64; 2]>,
}

/// The curves of some networks, and where they cross.
#[derive(Debug, Serialize)]
pub struct Curves {
    curves: Vec<Curve>,
    crossings: Vec<Crossing>,
}

impl Curves {
    /// The curves of these networks: those of one encoding and one kind of inputs make a curve.
    ///
    /// # Errors
    /// When a curve has fewer than two numbers of situations.
    pub fn new(networks: &[Measurement]) -> Result<Curves, Error> {
        let mut kinds: BTreeMap<(&str, bool), BTreeMap<u64, f64>> = BTreeMap::new();
        for network in networks {
            let kind = kinds.entry((&network.encoding, network.roots)).or_default();
            kind.insert(network.situations.train, network.hands.test.huber);
        }
        let farthest = |points: &BTreeMap<u64, f64>| points.keys().next_back().copied();
        let most = kinds.values().filter_map(farthest).max().unwrap_or_default() as f64;
        let mut curves = Vec::new();
        for ((encoding, roots), points) in kinds {
            let points: Vec<(f64, f64)> =
                points.into_iter().map(|(at, loss)| (at as f64, loss)).collect();
            let law = PowerLaw::fit(&points).ok_or_else(|| {
                Error::new(format!(
                    "the networks of {} were trained on {} number of situations: a curve needs two \
                     or more, with losses above 0 (`cardroom train values --situations N`)",
                    name(encoding, roots),
                    points.len()
                ))
            })?;
            let [first, last] = [points[0].0, points[points.len() - 1].0];
            curves.push(Curve {
                encoding: encoding.to_owned(),
                roots,
                within: line(&law, first, last),
                beyond: line(&law, last, FARTHEST * most),
                points,
                law,
            });
        }
        let mut crossings = Vec::new();
        for (number, one) in curves.iter().enumerate() {
            for other in &curves[number + 1..] {
                let worse = one.law.loss(most) > other.law.loss(most);
                let (of, under) = if worse { (one, other) } else { (other, one) };
                crossings.push(Crossing::new(of, under));
            }
        }
        Ok(Curves { curves, crossings })
    }
}

impl Curve {
    fn name(&self) -> String {
        name(&self.encoding, self.roots)
    }

    /// The laws of all points but one, one after the other; those that are none are left out.
    fn without_one(&self) -> impl Iterator<Item = PowerLaw> + '_ {
        (0..self.points.len()).filter_map(|left| {
            let mut points = self.points.clone();
            points.remove(left);
            PowerLaw::fit(&points)
        })
    }
}

impl Crossing {
    fn new(of: &Curve, under: &Curve) -> Crossing {
        let situations = of.law.overtakes(&under.law);
        let changed = of.without_one().map(|law| law.overtakes(&under.law));
        let changed = changed.chain(under.without_one().map(|law| of.law.overtakes(&law)));
        let changed: Option<Vec<f64>> = changed.collect();
        let changed = changed.filter(|all| !all.is_empty() && situations.is_some());
        let without_one = changed.map(|all| {
            all.into_iter()
                .fold([f64::INFINITY, 0.0], |[least, most], at| [at.min(least), at.max(most)])
        });
        Crossing { of: of.name(), under: under.name(), situations, without_one }
    }
}

/// The name of a kind of network.
fn name(encoding: &str, roots: bool) -> String {
    format!("{encoding}{}", if roots { " of roots" } else { "" })
}

/// Points of a law between two numbers of situations, at equal ratios.
fn line(law: &PowerLaw, from: f64, to: f64) -> Vec<(f64, f64)> {
    let at = |number: usize| from * (to / from).powf(number as f64 / (POINTS - 1) as f64);
    (0..POINTS).map(at).map(|at| (at, law.loss(at))).collect()
}

impl fmt::Display for Curves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["network", "situations", "exponent", "scatter"]).right(1..4);
        for curve in &self.curves {
            let [first, last] = [0, curve.points.len() - 1].map(|at| curve.points[at].0 as u64);
            let scatter = curve.law.scatter;
            table.row([
                curve.name(),
                format!("{} to {}", whole(first), whole(last)),
                format!("{:.3}", curve.law.exponent),
                scatter.map_or("–".to_owned(), |scatter| format!("{:.1} %", 100.0 * scatter)),
            ]);
        }
        writeln!(f, "loss on test hands = factor · situations^−exponent\n{table}")?;
        for Crossing { of, under, situations, without_one } in &self.crossings {
            let Some(situations) = situations else {
                writeln!(f, "{of} does not become better than {under}: its loss falls no faster")?;
                continue;
            };
            let range = without_one.map_or_else(
                || "not at all without some of the points".to_owned(),
                |[least, most]| format!("{least:.1e} to {most:.1e} without one of the points"),
            );
            writeln!(
                f,
                "{of} is better than {under} from {situations:.1e} on, if the laws hold beyond the \
                 data ({range})"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks(encoding: &str, factor: f64, exponent: f64) -> Vec<Measurement> {
        [720_u64, 1_440, 2_880, 7_200]
            .map(|train| Measurement {
                encoding: encoding.to_owned(),
                roots: false,
                situations: Trained { train },
                hands: OnTest { test: Loss { huber: factor * (train as f64).powf(-exponent) } },
            })
            .into()
    }

    #[test]
    fn a_power_law_is_found_again_and_its_crossing_is_where_both_are_equal() {
        let all = [networks("direct", 9.0, 0.5), networks("potential", 0.9, 0.25)].concat();
        let Curves { curves, crossings } = Curves::new(&all).expect("curves");
        let [direct, potential] = [0, 1].map(|at| curves[at].law);
        assert!((direct.exponent - 0.5).abs() < 1e-9 && (direct.factor - 9.0).abs() < 1e-6);
        assert!(potential.scatter.expect("four points") < 1e-9);
        let [crossing] = crossings.as_slice() else { panic!("{crossings:?}") };
        // 9 n^−1/2 = 0.9 n^−1/4 at n = 10^4.
        let at = crossing.situations.expect("it falls faster");
        assert!((at / 1e4 - 1.0).abs() < 1e-6, "{crossing:?}");
        let [least, most] = crossing.without_one.expect("with any three points");
        assert!((least / at - 1.0).abs() < 1e-6 && (most / at - 1.0).abs() < 1e-6);
        assert!((direct.loss(at) - potential.loss(at)).abs() < 1e-9);
        assert_eq!((crossing.of.as_str(), crossing.under.as_str()), ("direct", "potential"));
        assert!((curves[0].beyond[0].0, curves[0].within[0].0) == (7_200.0, 720.0));
    }

    #[test]
    fn a_curve_that_falls_no_faster_does_not_cross() {
        let all = [networks("direct", 9.0, 0.25), networks("potential", 0.9, 0.25)].concat();
        let found = Curves::new(&all).expect("curves");
        assert_eq!((found.crossings[0].situations, found.crossings[0].without_one), (None, None));
        assert!(found.to_string().contains("direct does not become better than potential"));
    }

    #[test]
    fn one_number_of_situations_is_no_curve() {
        let one = &networks("direct", 9.0, 0.5)[..1];
        let error = Curves::new(one).expect_err("one point").to_string();
        assert!(error.contains("networks of direct") && error.contains("--situations"), "{error}");
        for points in [&[][..], &[(3.0, 1.0), (3.0, 2.0)], &[(0.0, 1.0), (3.0, 2.0)]] {
            assert_eq!(PowerLaw::fit(points), None);
        }
    }
}
