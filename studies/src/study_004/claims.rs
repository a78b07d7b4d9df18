//! The published claims, each with the result.

use super::results::{Learned, Results};
use super::steps::{NETWORKS, Network, Published};
use crate::claim::Claim;

/// All claims.
pub(super) fn claims(results: &Results) -> Vec<Claim> {
    vec![
        parameters(results),
        order(results),
        ratios(results),
        first(results),
        second(results),
        decoding(results),
        order_of_networks(results),
        one_hand(results),
    ]
}

/// The published networks with their results.
fn published(
    results: &Results,
) -> impl Iterator<Item = (&'static Network, &'static Published, &Learned)> {
    let both = NETWORKS.iter().zip(&results.networks);
    both.filter_map(|(network, learned)| Some((network, network.published.as_ref()?, learned)))
}

fn parameters(results: &Results) -> Claim {
    let found = published(results).map(|(_, _, learned)| show::number::whole(learned.parameters));
    Claim {
        claim: "Seven layers of 500: the networks have 4,158,652, 3,506,000, 3,506,000 and \
                4,184,652 weights and biases"
            .into(),
        holds: published(results).all(|(_, paper, learned)| paper.parameters == learned.parameters),
        found: found.collect::<Vec<_>>().join(", "),
    }
}

/// The encoding errors of `E[HS²]`, public nested and potential-aware buckets.
fn encoding_errors(results: &Results) -> [f64; 3] {
    [0, 1, 2].map(|at: usize| results.networks[at].encoding.huber)
}

fn order(results: &Results) -> Claim {
    let [ehs2, nested, potential] = encoding_errors(results);
    Claim {
        claim: "The encoding error of E[HS²] is the smallest, that of potential-aware buckets \
                next, that of public nested ones the largest"
            .into(),
        holds: ehs2 < potential && potential < nested,
        found: format!("{ehs2:.5}, {potential:.5}, {nested:.5}"),
    }
}

fn ratios(results: &Results) -> Claim {
    let [ehs2, nested, potential] = encoding_errors(results);
    let [potential, nested] = [potential / ehs2, nested / ehs2];
    Claim {
        claim:
            "Potential-aware buckets lose 1.08 times as much as E[HS²] (here: 1 to 2.5), public \
                nested ones 1.69 times (1.5 or more)"
                .into(),
        holds: (1.0..=2.5).contains(&potential) && nested >= 1.5,
        found: format!("{potential:.2} and {nested:.2}"),
    }
}

/// The network with the smallest error, and all errors as text.
fn best(results: &Results, of: impl Fn(&Learned) -> Option<f64>) -> (&'static str, String) {
    let mut all: Vec<(f64, &str)> = published(results)
        .filter_map(|(network, _, learned)| Some((of(learned)?, network.name)))
        .collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let found = all.iter().map(|(error, name)| format!("{name} {error:.5}"));
    (all[0].1, found.collect::<Vec<_>>().join(", "))
}

fn first(results: &Results) -> Claim {
    let (best, found) = best(results, |learned| Some(learned.hands[1].huber));
    Claim {
        claim: "On test hands the network without abstraction is the best".into(),
        holds: best == NETWORKS[3].name,
        found,
    }
}

fn second(results: &Results) -> Claim {
    let (best, found) =
        best(results, |learned| Some(learned.buckets.unwrap_or(learned.hands)[1].huber));
    Claim {
        claim: "In its own abstraction the potential-aware network is the best on test \
                situations"
            .into(),
        holds: best == NETWORKS[2].name,
        found,
    }
}

fn decoding(results: &Results) -> Claim {
    let mut found = Vec::new();
    let mut holds = true;
    for (network, _, learned) in published(results) {
        let Some(buckets) = &learned.buckets else { continue };
        let [of_buckets, of_hands] = [buckets[1].huber, learned.hands[1].huber];
        holds &= of_hands >= of_buckets && of_hands >= learned.encoding.huber;
        found.push(format!("{} {of_buckets:.5} and {of_hands:.5}", network.name));
    }
    Claim {
        claim: "With buckets, the errors of hands are at least those of buckets and of the \
                encoding"
            .into(),
        holds,
        found: found.join(", "),
    }
}

fn order_of_networks(results: &Results) -> Claim {
    let [ehs2, nested, potential] = [0, 1, 2].map(|at: usize| results.networks[at].hands[1].huber);
    Claim {
        claim: "Of the networks with buckets the potential-aware one is the best on test hands, \
                then E[HS²], then public nested"
            .into(),
        holds: potential < ehs2 && ehs2 < nested,
        found: format!("{potential:.5}, {ehs2:.5}, {nested:.5}"),
    }
}

fn one_hand(results: &Results) -> Claim {
    let [own, other] = [4, 3].map(|at: usize| results.networks[at].hands[1].huber);
    Claim {
        claim: "Not in the paper: a network that sees one hand at a time is better on test hands \
                than all four"
            .into(),
        holds: published(results).all(|(_, _, learned)| own < learned.hands[1].huber),
        found: format!(
            "{own:.5}; without abstraction {other:.5}, checking down {:.5}",
            results.check_down.huber
        ),
    }
}
