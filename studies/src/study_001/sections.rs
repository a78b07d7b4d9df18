//! The sections of the report.

use show::number::{percent, whole};

use super::claims::claims;
use super::results::{Baseline, Comparison, Mean, Neighbours, Results, Rule, Score, Tree};
use super::tables;
use crate::sections::{Picture, Section, row};
use crate::{Options, claim};

/// The names of the pictures drawn here.
pub(super) const DISTANCES: &str = "distances.svg";
pub(super) const EXPLOITABILITIES: &str = "exploitabilities.svg";
pub(super) const FRONT: &str = "front.svg";

/// All sections.
pub(super) fn sections(options: &Options, results: &Results) -> Vec<Section> {
    vec![
        claim::section(options, claims(results)),
        figure_1(results),
        database(results),
        table(results),
        depths(results),
        optimal(results),
        tree(results),
        rules(results),
        errors(),
    ]
}

fn figure_1(results: &Results) -> Section {
    let mut table = vec![row(["game", "value", "exploitability"])];
    table.extend(results.figure_1.iter().map(|figure| {
        let exploitability = format!("{:.0e}", figure.exploitability);
        vec![figure.name.to_owned(), format!("{:.10}", figure.value), exploitability]
    }));
    let pictures = results.figure_1.iter().map(|figure| Picture {
        file: format!("{}.svg", figure.name),
        shows: format!("The game of {}", figure.name),
        svg: figure.svg.clone(),
    });
    Section {
        title: "Figure 1: three games".to_owned(),
        prose: vec![
            "The value to the first player, as a share of the pot, and the exploitability: the \
             larger of what best responses win from either player beyond the value. Of several \
             equilibria the central one is shown: every card bluffs that may."
                .to_owned(),
        ],
        table,
        pictures: pictures.collect(),
        ..Section::default()
    }
}

fn database(results: &Results) -> Section {
    let summary = &results.summary;
    Section {
        title: "Random games".to_owned(),
        list: vec![
            format!("Games: {}.", whole(summary.games)),
            format!(
                "Value to the first player: {:.5} ± {:.5} of the pot, standard deviation {:.5}.",
                summary.value.mean.mean, summary.value.mean.half_width, summary.value.deviation
            ),
            format!("Exploitability of the solutions: at most {:.0e} of the pot.", summary.worst),
            format!(
                "Games with more than one equilibrium: at least {}, so the solution of a program \
                 is a noisy label. The labels here are the analytic centre, which does not depend \
                 on the order of pivots.",
                percent(summary.several as f64 / summary.games as f64, 1)
            ),
        ],
        ..Section::default()
    }
}

fn cell(Mean { mean, half_width }: Mean) -> String {
    format!("{mean:.4} ± {half_width:.4}")
}

fn scored(score: Score) -> [String; 2] {
    [cell(score.distance), cell(score.exploitability)]
}

fn table(results: &Results) -> Section {
    let mut table = vec![row(["", "nodes", "distance", "exploitability"])];
    let mut line = |what: String, nodes: String, score: Score| {
        let [distance, exploitability] = scored(score);
        table.push(vec![what, nodes, distance, exploitability]);
    };
    for representation in &results.learned.representations {
        if let Some(tree) = results.at(representation.number, 5) {
            let name = format!("{}: {}", representation.number, representation.name);
            line(name, whole(tree.nodes), tree.score);
        }
    }
    for Neighbours { k, score } in &results.learned.neighbours {
        line(format!("nearest neighbours, k = {k}"), String::new(), *score);
    }
    for Baseline { name, score } in &results.learned.baselines {
        line(name.clone(), String::new(), *score);
    }
    let check = results.baseline("check").map(|score| score.exploitability.mean);
    let beaten = check.map(|check| {
        let all = &results.learned.representations;
        let trees = all.iter().filter_map(|one| results.at(one.number, 5));
        let better = trees.filter(|tree| tree.score.exploitability.mean < check).count();
        format!(
            "Always checking, which the paper does not list, costs {check:.4}: {better} of {} \
             trees of depth 5 cost less.",
            all.len()
        )
    });
    let mut prose = vec![format!(
        "Trees of depth 5 (Figure 6b), trained on {} games and tested on {} others: the mean earth \
         mover's distance to the central equilibrium (Algorithm 2, 0 to 1) and what a best \
         response wins beyond the game's value (Algorithm 3, in pots), with 95 % intervals over \
         games. The published exploitabilities are .09 to .21.",
        whole(results.learned.train),
        whole(results.learned.test)
    )];
    prose.extend(beaten);
    Section {
        title: "Trees of depth 5, neighbours, baselines".to_owned(),
        prose,
        table,
        ..Section::default()
    }
}

fn depths(results: &Results) -> Section {
    let depths: Vec<u64> = results
        .learned
        .representations
        .first()
        .map(|one| one.trees.iter().map(|tree| tree.depth).collect())
        .unwrap_or_default();
    let shown: Vec<u64> =
        depths.iter().copied().filter(|depth| [3, 4, 5, 8, 10, 15, 20].contains(depth)).collect();
    let mut table = vec![
        std::iter::once("distance | exploitability".to_owned())
            .chain(shown.iter().map(|depth| format!("depth {depth}")))
            .collect::<Vec<_>>(),
    ];
    for representation in &results.learned.representations {
        let cells = shown.iter().map(|&depth| {
            results.at(representation.number, depth).map_or_else(String::new, |tree| {
                let Score { distance, exploitability } = tree.score;
                format!("{:.3} | {:.3}", distance.mean, exploitability.mean)
            })
        });
        let name = format!("{}: {}", representation.number, representation.name);
        table.push(std::iter::once(name).chain(cells).collect());
    }
    let mut prose = vec![
        "The pictures show the best of each kind at the largest depth. Distances fall with depth; \
         exploitabilities need not, because predictions card by card do not fit each other."
            .to_owned(),
    ];
    if let (Some(&first), Some(&last)) = (depths.first(), depths.last()) {
        let of = |depth| {
            let trees: Vec<_> = (3..=6).filter_map(|number| results.at(number, depth)).collect();
            let count = trees.len().max(1) as f64;
            let lost: f64 = trees.iter().map(|tree| tree.score.exploitability.mean).sum();
            let nodes = trees.iter().map(|tree| tree.nodes).max().unwrap_or_default();
            (lost / count, whole(nodes))
        };
        let ((shallow, few), (deep, many)) = (of(first), of(last));
        prose.push(format!(
            "Representations 3 to 6 lose {shallow:.3} on average at depth {first} and {deep:.3} at \
             depth {last}, where the largest of their trees have {few} and {many} nodes."
        ));
    }
    let curve = |file: &str, name: &'static str, title: &str, of: fn(&Score) -> f64| Picture {
        file: file.to_owned(),
        shows: title.to_owned(),
        svg: tables::by_depth(results, name, title, of),
    };
    Section {
        title: "Figures 4 and 6a: by depth".to_owned(),
        prose,
        table,
        pictures: vec![
            curve(DISTANCES, "distances", "Distance to the equilibrium by depth", |score| {
                score.distance.mean
            }),
            curve(
                EXPLOITABILITIES,
                "exploitabilities",
                "Exploitability by depth, of the pot",
                |score| score.exploitability.mean,
            ),
        ],
        ..Section::default()
    }
}

fn optimal(results: &Results) -> Section {
    let mut table = vec![row(["", "depth", "greedy", "optimal", "greedy", "optimal"])];
    for representation in &results.learned.representations {
        for Comparison { greedy, optimal } in &representation.optimal {
            let [a, b] = [greedy, optimal].map(|tree| tree.score);
            table.push(vec![
                format!("{}: {}", representation.number, representation.name),
                greedy.depth.to_string(),
                cell(a.distance),
                cell(b.distance),
                cell(a.exploitability),
                cell(b.exploitability),
            ]);
        }
    }
    Section {
        title: "Optimal and greedy trees".to_owned(),
        prose: vec![format!(
            "The optimal trees of the paper are greedy ones. The table compares optimal trees by \
             local search with greedy ones, both trained on the same {} games: distance, then \
             exploitability.",
            whole(results.learned.optimal_games)
        )],
        table,
        ..Section::default()
    }
}

fn tree(results: &Results) -> Section {
    let heads =
        ["published leaf", "criterion", "own: here", "cards", "", "beaten: here", "cards", ""];
    let mut table = vec![row(heads)];
    let [beaten, own] = &results.trees;
    for (one, other) in beaten.leaves.iter().zip(&own.leaves) {
        let mut line = vec![format!("{:.4}", one.published), one.asked.clone()];
        for leaf in [other, one] {
            let verdict = if leaf.holds { "found" } else { "not found" };
            let size = format!("{:.4} (squared error {:.3})", leaf.size, leaf.error);
            line.extend([size, whole(leaf.rows), verdict.to_owned()]);
        }
        table.push(line);
    }
    let found = |tree: &Tree| tree.leaves.iter().filter(|leaf| leaf.holds).count();
    let pictures = [("tree-own", own), ("tree-beaten", beaten)].map(|(name, tree)| Picture {
        file: format!("{name}.svg"),
        shows: format!("The tree of Figure 5 ({name})"),
        svg: tree.svg.clone(),
    });
    Section {
        title: "Figure 5: the tree that the rules were read from".to_owned(),
        prose: vec![format!(
            "A greedy tree of depth 4 that predicts one size from both distributions and the \
             card's share. In the paper's rules this is the share of the other player's cards that \
             the card beats, in its description of this figure the card's place in the first \
             player's own distribution; the table has both. The tree with the own distribution has \
             {} of the {} printed leaves, the one with the share beaten {}: it splits the best \
             cards by that share more finely and so has other large sizes.",
            found(own),
            own.leaves.len(),
            found(beaten)
        )],
        table,
        pictures: pictures.into(),
        ..Section::default()
    }
}

fn rules(results: &Results) -> Section {
    let mut table = vec![row(["rule", "words", "price, of the pot", "in words"])];
    table.extend(results.rules.rules.iter().map(|rule: &Rule| {
        vec![rule.name.clone(), rule.words.to_string(), cell(rule.price), rule.line()]
    }));
    Section {
        title: "Short rules, by their price".to_owned(),
        prose: vec![format!(
            "Lists of bets, found by exact exploitability on {} games and priced on {} others, \
             with 95 % intervals over games, then the published rules and rules for calls. \
             `cardroom match rules equity` plays such a list on the river of hold'em \
             (docs/rules.md).",
            whole(results.rules.found_on),
            whole(results.rules.priced_on)
        )],
        table,
        pictures: vec![Picture {
            file: FRONT.to_owned(),
            shows: "Price by number of words".to_owned(),
            svg: tables::front(results),
        }],
        ..Section::default()
    }
}

fn errors() -> Section {
    let list = [
        "Equilibria are not unique, so labels of a linear-programming solver are noisy.",
        "\"The fourth representation, pdf values plus the cdf value of the card\" is the sixth of \
         the paper's own list.",
        "\"The far right leaf\" is 2.3597 in one place and 2.9314 in another.",
        "The \"optimal\" trees are greedy ones (CART).",
        "The paper does not say which distribution the 21st input is from: in the rules it is the \
         other player's, in the figure the first player's own.",
        "Always checking is not listed, and is less exploitable than most of the trees.",
        "The copy used here lacks the text of figures 4 and 6: only what the paper's prose says \
         about them is compared.",
    ];
    Section {
        title: "What the paper leaves open or contradicts".to_owned(),
        list: list.map(str::to_owned).to_vec(),
        ..Section::default()
    }
}
