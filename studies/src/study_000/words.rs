//! The published claims and their results. The texts are made from the results, and what an
//! interval leaves open is undecided.

use show::number::{percent, signed_minus, whole};

use super::published;
use super::results::{Results, STREETS};
use super::verdict::{Mark, Outcome, Verdict};
use crate::read::Estimate;

/// A published claim with its mark and result.
pub(super) struct Claim {
    pub(super) claim: &'static str,
    pub(super) mark: Mark,
    pub(super) found: String,
}

/// A rate with the half-width of its interval.
pub(super) fn rate(estimate: Estimate) -> String {
    format!("{} ± {:.0}", signed_minus(estimate.mbb, 0), estimate.half_width())
}

/// All claims for which there are results.
pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let all = [order, trees_in_play, losses, training, lost, curve, parameters, opening, bluffs];
    let mut claims: Vec<Claim> = all.iter().filter_map(|claim| claim(results)).collect();
    claims.extend(slumbot(results));
    claims
}

/// A count with its noun; `None` for zero.
fn counted(count: usize, what: &str) -> Option<String> {
    (count > 0).then(|| format!("{count} {what}"))
}

fn order(results: &Results) -> Option<Claim> {
    let verdicts: Vec<Verdict> =
        results.published_pairs().filter_map(super::results::Pair::verdict).collect();
    if verdicts.is_empty() {
        return None;
    }
    let count = |wanted| verdicts.iter().filter(|&&verdict| verdict == wanted).count();
    let counts = [
        counted(count(Verdict::Same), "with the published winner"),
        counted(count(Verdict::Opposite), "with the other winner"),
        counted(count(Verdict::Less), "with less than published, if anything"),
        counted(count(Verdict::Undecided), "undecided"),
    ];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    let outcomes: Vec<Outcome> = verdicts.iter().map(|verdict| verdict.outcome()).collect();
    Some(Claim {
        claim: "Network, boosted trees, optimal tree, greedy tree: each wins against the next",
        mark: Mark::of(&outcomes),
        found: format!("of {} matches {}", verdicts.len(), counts.join(", ")),
    })
}

fn trees_in_play(results: &Results) -> Option<Claim> {
    let (deepest, others) = results.depths.split_last()?;
    let published = published::pair("oct", "cart")?;
    let mark = match Mark::of(&[Verdict::of(deepest.played.rate, published).outcome()]) {
        Mark::Yes => Mark::Yes,
        _ if others.iter().any(|row| row.played.rate.sign() > 0) => Mark::Partly,
        mark => mark,
    };
    let row =
        |row: &super::results::Depth| format!("{} at depth {}", rate(row.played.rate), row.depth);
    Some(Claim {
        claim: "The optimal tree wins against the greedy one (36 ± 8 mbb/hand at depth 15)",
        mark,
        found: results.depths.iter().map(row).collect::<Vec<_>>().join(", "),
    })
}

fn losses(results: &Results) -> Option<Claim> {
    let order = results.order();
    let mut outcomes = Vec::new();
    let mut found = Vec::new();
    for pair in order.windows(2) {
        let above = results
            .above
            .iter()
            .find(|above| (above.first.as_str(), above.second.as_str()) == (pair[0], pair[1]))?;
        let here = above.streets.map(Outcome::above_zero);
        outcomes.extend(here);
        let streets = |wanted: Outcome| {
            let streets: Vec<&str> = (0..4)
                .filter(|&street| here[street] == wanted)
                .map(|street| STREETS[street])
                .collect();
            (!streets.is_empty()).then(|| streets.join(", "))
        };
        let parts = [
            streets(Outcome::Yes).map(|streets| format!("higher than {} ({streets})", pair[0])),
            streets(Outcome::No).map(|streets| format!("lower ({streets})")),
            streets(Outcome::Undecided).map(|streets| format!("undecided ({streets})")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        found.push(format!("{} {}", pair[1], parts.join(", ")));
    }
    Some(Claim {
        claim: "The log-losses on test rows have the same order",
        mark: Mark::of(&outcomes),
        found: format!("log-loss: {}", found.join("; ")),
    })
}

fn training(results: &Results) -> Option<Claim> {
    let of = |name: &str| results.training.iter().find(|student| student.name == name);
    let (oct, cart) = (of("oct")?, of("cart")?);
    let outcomes =
        [0, 1, 2, 3].map(|street| Outcome::of(oct.log_loss[street] <= cart.log_loss[street]));
    let found = (0..4).map(|street| {
        format!(
            "{:.4} and {:.4} nats ({})",
            oct.log_loss[street], cart.log_loss[street], STREETS[street]
        )
    });
    Some(Claim {
        claim: "The optimal tree has a lower log-loss on its training rows than the greedy one",
        mark: Mark::of(&outcomes),
        found: format!(
            "oct and cart, both pruned on validation rows: {}",
            found.collect::<Vec<_>>().join(", ")
        ),
    })
}

fn lost(results: &Results) -> Option<Claim> {
    let order = results.order();
    let of = |name: &&str| results.fidelity.iter().find(|line| line.name == *name);
    let lines: Vec<_> = order.iter().map(of).collect::<Option<_>>()?;
    let outcomes: Vec<Outcome> = super::files::pairs(lines.len())
        .map(|pair| {
            let [before, after] = pair.map(|line| lines[line].lost_in_all);
            Outcome::above_zero(before.to(after))
        })
        .collect();
    let line =
        |line: &&super::results::Fidelity| format!("{} {}", line.name, rate(line.lost_in_all));
    Some(Claim {
        claim: "The losses to a strong opponent, their teacher, have the same order",
        mark: Mark::of(&outcomes),
        found: format!(
            "lost to the teacher, mbb/hand: {}",
            lines.iter().map(line).collect::<Vec<_>>().join(", ")
        ),
    })
}

fn curve(results: &Results) -> Option<Claim> {
    let (first, last) = (results.curve.first()?, results.curve.last()?);
    let steps = results.curve.windows(2).map(|pair| pair[0].student.to(pair[1].student));
    let steps: Vec<Estimate> = steps.collect();
    if steps.is_empty() {
        return None;
    }
    let falls = steps.iter().filter(|step| step.mbb < 0.0).count();
    let told = steps.iter().filter(|step| step.sign() < 0).count();
    // A single fall within its interval does not contradict the claim.
    let mut outcomes = vec![Outcome::above_zero(first.student.to(last.student))];
    outcomes.extend((told > 0).then_some(Outcome::No));
    let fell = match (falls, told) {
        (0, _) => "never falling".to_owned(),
        (1, 0) => "falling once, within the intervals".to_owned(),
        (falls, 0) => format!("falling {falls} times, within the intervals"),
        (falls, told) => format!("falling {falls} times, {told} of them beyond the intervals"),
    };
    Some(Claim {
        claim: "A student is stronger if its teacher was trained longer (Figure 5)",
        mark: Mark::of(&outcomes),
        found: format!(
            "from {} to {} mbb/hand against {}, {fell}",
            rate(first.student),
            rate(last.student),
            super::ANCHOR,
        ),
    })
}

fn parameters(results: &Results) -> Option<Claim> {
    let of = |name: &str| {
        let line = results.losses.iter().find(|line| line.name == name);
        line.and_then(|line| line.parameters)
    };
    let network = results.network_name();
    let (tree, network_has) = (of("oct")?, of(network)?);
    let outcomes = [0, 1, 2, 3].map(|street| Outcome::of(10 * tree[street] <= network_has[street]));
    let share = (0..4).map(|street| {
        let times = network_has[street] as f64 / tree[street] as f64;
        format!("{times:.1} ({})", STREETS[street])
    });
    Some(Claim {
        claim: "The optimal tree has at most a tenth of the network's parameters",
        mark: Mark::of(&outcomes),
        found: format!(
            "parameters of {network} per parameter of oct: {}",
            share.collect::<Vec<_>>().join(", ")
        ),
    })
}

fn opening(results: &Results) -> Option<Claim> {
    let opening = results.opening.as_ref()?;
    let parts = [
        Outcome::of(opening.suited_folded == 0 && opening.suited_folds == 0.0),
        Outcome::of(opening.folds < 0.5),
    ];
    Some(Claim {
        claim: "The optimal tree does not fold most hands at its first decision, and never suited \
                ones (Figure 6)",
        mark: Mark::of(&parts),
        found: format!(
            "it folds {} of all hands at its first decision, {} of suited ones; of 169 hands it \
             folds {} more often than not, {} of them suited",
            percent(opening.folds, 1),
            percent(opening.suited_folds, 1),
            opening.folded,
            opening.suited_folded
        ),
    })
}

fn bluffs(results: &Results) -> Option<Claim> {
    if results.bluffs.is_empty() {
        return None;
    }
    let leaves: usize = results.bluffs.iter().map(|street| street.bluffs).sum();
    let street = |street: &super::results::Bluffs| {
        format!("{} of {} ({})", street.bluffs, whole(street.leaves), street.street)
    };
    Some(Claim {
        claim: "The tree shows in words where it bluffs (Figures 4, 7 and 8)",
        mark: Mark::of(&[Outcome::of(leaves > 0)]),
        found: format!(
            "leaves whose likeliest action is a bet or raise with a win-rate under 45 %: {}",
            results.bluffs.iter().map(street).collect::<Vec<_>>().join(", ")
        ),
    })
}

fn slumbot(results: &Results) -> Option<Claim> {
    if results.slumbot.is_empty() {
        return None;
    }
    let verdict = |line: &super::results::Slumbot| {
        // Runs on another server do not count.
        let run = line.run.as_ref().filter(|run| run.server.is_none())?;
        Some((line.kind, rate(run.combined), Verdict::of(run.combined, line.published)))
    };
    let tried: Vec<_> = results.slumbot.iter().filter_map(verdict).collect();
    // A missing run leaves the claim open.
    let mut outcomes: Vec<Outcome> = tried.iter().map(|tried| tried.2.outcome()).collect();
    outcomes.resize(results.slumbot.len(), Outcome::Undecided);
    let found: Vec<String> = tried
        .iter()
        .map(|(kind, rate, verdict)| format!("{kind} {rate} mbb/hand ({})", verdict.words()))
        .collect();
    Some(Claim {
        claim: "The network, the boosted trees and the optimal tree win against Slumbot, the \
                greedy tree loses",
        mark: if tried.is_empty() { Mark::Open } else { Mark::of(&outcomes) },
        found: match found.is_empty() {
            true => "a study does not connect to servers; `cardroom play slumbot` does, and \
                     --slumbot KIND=FOLDER adds its results"
                .to_owned(),
            false => found.join(", "),
        },
    })
}
