//! The published claims, each with the result and the tolerance.

use super::results::{Leaf, Neighbours, Results, Score, Spread};
use crate::claim::Claim;

/// All claims for which there are results.
pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = vec![uniform(results), polarised(results), exact(results), values(results)];
    claims.extend(low_exploitability(results));
    claims.extend(single_sizes(results));
    claims.extend(distance_falls(results));
    claims.extend(separate_cards(results).into_iter().flatten());
    claims.extend(neighbours(results));
    claims.extend(leaves(results));
    claims.extend(rules_help(results));
    claims.extend(rules_alone(results));
    claims
}

fn uniform(results: &Results) -> Claim {
    let figure = &results.figure_1[0];
    let exact = 0.5 + 29_611.0 / 450_450.0;
    Claim {
        claim: "Uniform cards (Figure 1a): the first player gets ½ + 29,611/450,450 of the pot"
            .into(),
        holds: (figure.value - exact).abs() < 1e-9,
        found: format!("{:.10}", figure.value),
    }
}

fn polarised(results: &Results) -> Claim {
    let [one, other] = [&results.figure_1[1], &results.figure_1[2]];
    Claim {
        claim: "The best and the worst card win 0.875 against a middle one (Figure 1b), a middle \
                one 0.5 against these (Figure 1c)"
            .into(),
        holds: (one.value - 0.875).abs() < 1e-9 && (other.value - 0.5).abs() < 1e-9,
        found: format!("{:.10} and {:.10}", one.value, other.value),
    }
}

fn exact(results: &Results) -> Claim {
    let summary = &results.summary;
    Claim {
        claim: "Random games are solved to equilibria".into(),
        holds: summary.worst <= 1e-9,
        found: format!(
            "exploitability at most {:.0e} of the pot in {} games",
            summary.worst,
            show::number::whole(summary.games)
        ),
    }
}

/// The values of 100,000 random games by an independent program: mean and standard deviation, in
/// pots.
const VALUES: [f64; 2] = [0.5716, 0.1655];

fn values(results: &Results) -> Claim {
    let Spread { mean: value, deviation } = results.summary.value;
    let near = |found: f64, known: f64| (found - known).abs() <= value.half_width.max(0.002);
    Claim {
        claim: format!(
            "Values of random games agree with an independent program: mean {} and deviation {} \
             (within 0.002)",
            VALUES[0], VALUES[1]
        )
        .into(),
        holds: near(value.mean, VALUES[0]) && near(deviation, VALUES[1]),
        found: format!("{:.4} ± {:.4} and {deviation:.4}", value.mean, value.half_width),
    }
}

/// The scores of these representations at depth 5.
fn at_five(results: &Results, numbers: std::ops::RangeInclusive<u64>) -> Option<Vec<Score>> {
    numbers.map(|number| results.at(number, 5).map(|tree| tree.score)).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn low_exploitability(results: &Results) -> Option<Claim> {
    let scores = at_five(results, 1..=6)?;
    let values: Vec<f64> = scores.iter().map(|score| score.exploitability.mean).collect();
    let (least, most) =
        values.iter().fold((f64::MAX, 0.0f64), |(low, high), &v| (low.min(v), high.max(v)));
    Some(Claim {
        claim: "Trees of depth 5 lose .09 to .21 of the pot to a best response (Figure 6b); here \
                representations 1 to 6, which predict probabilities"
            .into(),
        holds: least >= 0.08 && most <= 0.21,
        found: format!("{least:.3} to {most:.3}"),
    })
}

fn single_sizes(results: &Results) -> Option<Claim> {
    let of = |numbers| -> Option<f64> {
        let scores = at_five(results, numbers)?;
        Some(mean(&scores.iter().map(|score| score.exploitability.mean).collect::<Vec<_>>()))
    };
    let (shares, sizes) = (of(1..=6)?, of(7..=10)?);
    Some(Claim {
        claim: "Trees that predict one size lose more than those that predict probabilities".into(),
        holds: sizes > shares,
        found: format!("{sizes:.3} against {shares:.3} at depth 5, on average"),
    })
}

fn distance_falls(results: &Results) -> Option<Claim> {
    let first = results.learned.representations.first()?.trees.first()?.depth;
    let last = results.learned.representations.first()?.trees.last()?.depth;
    let ends = (1..=10).map(|number| {
        let of = |depth| results.at(number, depth).map(|tree| tree.score.distance.mean);
        Some((of(first)?, of(last)?))
    });
    let ends: Vec<(f64, f64)> = ends.collect::<Option<_>>()?;
    let fall = ends.iter().filter(|(first, last)| last < first).count();
    Some(Claim {
        claim: "The error of all representations falls with depth (Figure 4), here the earth \
                mover's distance"
            .into(),
        holds: fall == ends.len(),
        found: format!(
            "{fall} of {} have a smaller distance at depth {last} than at \
                        {first}",
            ends.len()
        ),
    })
}

/// The claims about the nearest representation: separate answers for each card, and its inputs.
fn separate_cards(results: &Results) -> Option<[Claim; 2]> {
    let last = results.learned.representations.first()?.trees.last()?.depth;
    let of = |number| results.at(number, last).map(|tree| tree.score.distance.mean);
    let all: Vec<(u64, f64)> =
        (1..=10).map(|number| Some((number, of(number)?))).collect::<Option<_>>()?;
    let best = all.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let found = format!("representation {} is nearest, {:.4} at depth {last}", best.0, best.1);
    Some([
        Claim {
            claim: "Predictions card by card are nearer to equilibria than whole strategies".into(),
            holds: (3..=6).contains(&best.0),
            found: found.clone(),
        },
        Claim {
            claim:
                "The nearest one has both distributions and the card's own share as inputs (the \
                    sixth in the paper's list, which the paper calls the fourth)"
                    .into(),
            holds: best.0 == 6,
            found,
        },
    ])
}

fn neighbours(results: &Results) -> Option<Claim> {
    let of = |found: &Neighbours| found.score.distance.mean;
    let all = results.learned.neighbours.iter();
    let Neighbours { k, score: best } = all.min_by(|a, b| of(a).total_cmp(&of(b)))?;
    let worst = at_five(results, 1..=6)?;
    let tree = worst.iter().map(|score| score.distance.mean).fold(f64::MAX, f64::min);
    Some(Claim {
        claim: "The nearest neighbours predict well".into(),
        holds: best.distance.mean < tree,
        found: format!(
            "k = {k}: distance {:.4}; best tree of depth 5: {tree:.4}",
            best.distance.mean
        ),
    })
}

/// The claims about the printed leaves of a tree of depth 4, in the trees of both readings of its
/// 21st input.
fn leaves(results: &Results) -> Vec<Claim> {
    let [beaten, own] = &results.trees;
    let pairs = beaten.leaves.iter().zip(&own.leaves);
    let claim = |(beaten, own): (&Leaf, &Leaf)| Claim {
        claim: format!("A depth-4 tree has the leaf {:.4}: {}", own.published, own.asked).into(),
        holds: own.holds || beaten.holds,
        found: format!(
            "{:.4}{} if the last input is the player's own distribution, {:.4}{} if it is the \
             share that the card beats",
            own.size,
            if own.holds { "" } else { " (no match)" },
            beaten.size,
            if beaten.holds { "" } else { " (no match)" }
        ),
    };
    pairs.map(claim).collect()
}

/// The claim about the published rules, each measured with everything it leaves open played
/// perfectly.
fn rules_alone(results: &Results) -> Option<Claim> {
    let price = |name: &str| {
        let rule = results.rule(&format!("published {name} rule, all else the equilibrium"))?;
        Some(rule.price.mean)
    };
    let (middle, best) = (price("80-20")?, price("all-in")?);
    let check = results.rule("always check")?.price.mean;
    Some(Claim {
        claim: "The 80-20 rule, to check with hands that beat 20 to 80 % of the other's, costs \
                less than always checking if all else is the equilibrium"
            .into(),
        holds: middle < check,
        found: format!(
            "{middle:.4} of the pot against {check:.4}; the all-in rule, without its condition, \
             costs {best:.4}"
        ),
    })
}

fn rules_help(results: &Results) -> Option<Claim> {
    let (plain, check) = (results.rule("published all-in rule")?, results.rule("always check")?);
    Some(Claim {
        claim: "The all-in rule of the paper helps".into(),
        holds: plain.price.mean < check.price.mean,
        found: format!(
            "alone and without its condition on the other player's strong hands it costs {:.4} of \
             the pot, always checking {:.4}; with bluffs, which it does not mention, {:.4}",
            plain.price.mean,
            check.price.mean,
            results.rule("the same with bluffs")?.price.mean
        ),
    })
}
