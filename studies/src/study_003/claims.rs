//! The published claims, each with the result and the tolerance.

use super::results::{Results, Rule, Street};
use crate::claim::Claim;

/// The largest difference from a published fitness that counts as the same, in chips per match.
const NEAR: f64 = 0.05;

/// All claims.
pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let [flop, turn, river] = [0, 1, 2].map(|street: usize| &results.streets[street]);
    let mut claims =
        vec![complexities(results), best_of_three(flop), best_of_cards(flop), longer(flop)];
    claims.extend([harder(results), printed(results), genetic(results), growing(results)]);
    for street in &results.streets {
        for (published, rule) in &street.published {
            let Some(fitness) = published.fitness else { continue };
            claims.push(Claim {
                claim: format!("On the {}, {} wins {fitness:+.2}", street.name, published.name)
                    .into(),
                holds: (rule.fitness - fitness).abs() < NEAR,
                found: format!("{:+.4}", rule.fitness),
            });
        }
    }
    claims.extend([
        same_as_figure_2(river),
        pots(turn),
        outs(),
        whole(results),
        transitive(results),
    ]);
    claims.push(sequences());
    claims
}

fn complexities(results: &Results) -> Claim {
    let all = results.streets.iter().flat_map(|street| &street.published);
    let figures = all.filter(|(published, _)| published.fitness.is_some());
    let (mut holds, mut found) = (true, Vec::new());
    for (published, rule) in figures {
        holds &= published.complexity == rule.complexity;
        found.push(format!("{} {}", published.name, rule.complexity));
    }
    Claim {
        claim: "Complexity counts clauses and actions: figures 2, 5 and 8 have 3, figure 3 has 7, \
                6 has 9, 9 has 8"
            .into(),
        holds,
        found: found.join(", "),
    }
}

fn of_three(street: &Street) -> Option<&Rule> {
    street.proven.iter().find(|rule| rule.complexity == 3)
}

fn best_of_three(flop: &Street) -> Claim {
    let figure = flop.measured("figure 2");
    let best = of_three(flop);
    Claim {
        claim:
            "On the flop the best rule of one statement is figure 2's: raise with a pair or better"
                .into(),
        holds: best.is_some_and(|best| best.fitness <= figure.fitness + 1e-9),
        found: match best {
            Some(best) => format!(
                "of all rules of complexity 3 `{}` wins most, {:+.4}; figure 2 {:+.4}",
                best.rule, best.fitness, figure.fitness
            ),
            None => "not searched".to_owned(),
        },
    }
}

fn best_of_cards(flop: &Street) -> Claim {
    let figure = flop.measured("figure 2");
    Claim {
        claim: "On the flop it is the best of the rules about cards alone".into(),
        holds: flop.cards.as_ref().is_some_and(|best| best.fitness <= figure.fitness + 1e-9),
        found: match &flop.cards {
            Some(best) => format!("`{}` wins most, {:+.4}", best.rule, best.fitness),
            None => "not searched".to_owned(),
        },
    }
}

fn longer(flop: &Street) -> Claim {
    let [two, three] = ["figure 2", "figure 3"].map(|name| flop.measured(name).fitness);
    Claim {
        claim: "On the flop figure 3 wins more than figure 2".into(),
        holds: three > two,
        found: format!("{three:+.4} and {two:+.4}"),
    }
}

fn harder(results: &Results) -> Claim {
    let [flop, turn, river] = [0, 1, 2].map(|street: usize| results.streets[street].top());
    Claim {
        claim: "The best rule found wins most on the flop, less on the turn, least on the river"
            .into(),
        holds: flop > turn && turn > river,
        found: format!("{flop:+.4}, {turn:+.4}, {river:+.4}"),
    }
}

fn printed(results: &Results) -> Claim {
    let ahead = results.streets.iter().map(|street| {
        let figures = street.published.iter().filter(|(published, _)| published.fitness.is_some());
        let figure = figures.map(|(_, rule)| rule.fitness).fold(f64::NEG_INFINITY, f64::max);
        street.top() - figure
    });
    let ahead: Vec<f64> = ahead.collect();
    Claim {
        claim: "The printed rules are the best rules up to complexity 9".into(),
        holds: ahead.iter().all(|&ahead| ahead < NEAR),
        found: format!(
            "the best found here win {:.2}, {:.2} and {:.2} more on flop, turn and river",
            ahead[0], ahead[1], ahead[2]
        ),
    }
}

/// The claim about genetic programming's share of the best rules, among the published searches.
fn genetic(results: &Results) -> Claim {
    let (mut best, mut all) = (0, 0);
    for street in &results.streets {
        let top = |search: usize| {
            let runs = street.runs.iter().filter(|run| run.search == search);
            runs.filter_map(|run| run.top())
                .map(|rule| rule.fitness)
                .fold(f64::NEG_INFINITY, f64::max)
        };
        all += 1;
        best += usize::from(top(2) >= top(0) && top(2) >= top(1));
    }
    Claim {
        claim: "Genetic programming finds the best rules, compared with greedy search and \
                axis-aligned search"
            .into(),
        holds: best == all,
        found: format!("on {best} of {all} streets"),
    }
}

fn growing(results: &Results) -> Claim {
    let grows = results.streets.iter().filter(|street| {
        let best = street.best();
        best.last().map(|(rule, ..)| rule.fitness) > best.first().map(|(rule, ..)| rule.fitness)
    });
    let count = grows.count();
    Claim {
        claim: "More clauses win more".into(),
        holds: count == results.streets.len(),
        found: format!("on {count} of {} streets", results.streets.len()),
    }
}

fn same_as_figure_2(river: &Street) -> Claim {
    let [eight, two] =
        ["figure 8", "figure 2 on the river"].map(|name| river.measured(name).fitness);
    Claim {
        claim: "Figure 8 is the same rule as figure 2".into(),
        holds: (eight - two).abs() < 1e-9,
        found: format!(
            "figure 8 calls with a pair, figure 2 raises: {eight:+.4} and {two:+.4}; the published \
             figure, −2.27, is nearer to figure 2's"
        ),
    }
}

fn pots(turn: &Street) -> Claim {
    let six = turn.measured("figure 6");
    Claim {
        claim: "On the turn the pot can be 31 big blinds when a player decides (figure 6)".into(),
        holds: false,
        found: format!(
            "30 is the maximum, so that statement never decides: the effective rule has complexity \
             7 ({:+.4})",
            six.fitness
        ),
    }
}

fn outs() -> Claim {
    let one = 1.0 - (36.0 / 47.0) * (35.0 / 46.0);
    Claim {
        claim: "With 11 outs on the flop about 25 % of the cards help".into(),
        holds: true,
        found: format!(
            "24.4 % of 45 cards, as the paper counts, 23.4 % of the 47 unseen ones; with two cards \
             to come {:.1} %",
            100.0 * one
        ),
    }
}

fn whole(results: &Results) -> Claim {
    Claim {
        claim: "Played together in whole games, the best rules win 3.43 per match against the \
                opponent"
            .into(),
        holds: results.whole[0].low > 0.0,
        found: format!(
            "{:+.2} ± {:.2} chips per match, with a raise of pairs before the flop, for which the \
             paper has no rule",
            results.whole[0].mbb / 100.0,
            results.whole[0].half_width() / 100.0
        ),
    }
}

/// The claim about transitivity: whether some rules beat each other in a cycle, significantly.
fn transitive(results: &Results) -> Claim {
    let mut circles = Vec::new();
    for street in &results.streets {
        let head_to_head = &street.head_to_head;
        let beats = |one: usize, other: usize| {
            let (mean, error) = head_to_head[one].wins[other];
            mean > 1.96 * error && mean > 0.0
        };
        let many = 0..head_to_head.len();
        let found = many.clone().find_map(|a| {
            many.clone().find_map(|b| {
                many.clone().find(|&c| beats(a, b) && beats(b, c) && beats(c, a)).map(|c| [a, b, c])
            })
        });
        circles.extend(found.map(|[a, b, c]| {
            let [a, b, c] = [a, b, c].map(|at| &head_to_head[at].name);
            format!("on the {} {a} beats {b}, {b} beats {c}, and {c} beats {a}", street.name)
        }));
    }
    Claim {
        claim: "Some rules beat each other in a cycle".into(),
        holds: !circles.is_empty(),
        found: match circles.is_empty() {
            true => "no three rules do significantly".to_owned(),
            false => circles.join("; "),
        },
    }
}

fn sequences() -> Claim {
    Claim {
        claim: "The opponent knows 57,344 sequences of actions".into(),
        holds: false,
        found: "57,346 information sets: 2 × 8 before the flop and 9 × 6,370 after it; 7 nodes \
                before the flop give 57,344"
            .to_owned(),
    }
}
