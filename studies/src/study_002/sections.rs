//! The sections of the report.

use models::linear::{FEATURES, PUBLISHED};
use show::number::{percent, signed_minus};

use super::claims::claims;
use super::results::{Learned, Results, Stack};
use super::steps::{FORMS, QUIRKS};
use super::tables;
use crate::sections::{Picture, Section, row};
use crate::{Options, claim};

/// The names of the pictures.
pub(super) const CURVE: &str = "curve.svg";
pub(super) const QUESTIONS: &str = "questions.svg";

/// All sections.
pub(super) fn sections(options: &Options, results: &Results) -> Vec<Section> {
    let mut sections = vec![
        claim::section(options, claims(results)),
        weights(results),
        stacks(results),
        curve(results),
        ablations(results),
        searched(results),
        sage(results),
        questions(results),
        words(results),
        limits(results),
    ];
    sections.extend(results.stacks.iter().map(at_stack));
    sections
}

fn weights(results: &Results) -> Section {
    let learned = &results.ten().learned;
    let mut table = vec![row(["weight", "printed", "learned again", "sd of a seed", "apart"])];
    for (at, spread) in learned.theta.iter().enumerate() {
        table.push(vec![
            FEATURES[at].to_owned(),
            signed_minus(PUBLISHED[at], 4),
            format!("{} ± {:.4}", signed_minus(spread.mean, 4), spread.half_width()),
            format!("{:.4}", spread.deviation),
            signed_minus(spread.mean - PUBLISHED[at], 4),
        ]);
    }
    Section {
        title: "The weights at ten big blinds".to_owned(),
        prose: vec![format!(
            "Means of {} seeds with 95 % intervals. The printed weights are one run.",
            learned.both.count
        )],
        table,
        ..Section::default()
    }
}

fn stacks(results: &Results) -> Section {
    let head =
        ["stack", "value", "printed weights", "learned", "best of seven", "SAGE", "best sums"];
    let mut table = vec![row(head)];
    for stack in &results.stacks {
        table.push(vec![
            stack.stack.to_string(),
            signed_minus(stack.value, 5),
            format!("{:.1}", stack.printed.mean()),
            format!("{:.1} ± {:.1}", stack.learned.both.mean, stack.learned.both.half_width()),
            format!("{:.1}", stack.searched[0].mean()),
            stack.sage.map_or_else(|| "–".to_owned(), |(_, loss)| format!("{:.1}", loss.mean())),
            format!("{:.1}", stack.sage_best.1.mean()),
        ]);
    }
    Section {
        title: "What rules lose by stack".to_owned(),
        prose: vec![
            "The value is what the small blind wins in the equilibrium, in big blinds per hand. \
             The other columns are what a rule loses to best responses, in thousandths of a big \
             blind per hand, the mean of both blinds. They are exact for each rule; learned rules \
             have 95 % intervals over seeds. The printed weights were learned at ten big blinds \
             and play the same hands at every stack."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

fn curve(results: &Results) -> Section {
    Section {
        title: "The same as a picture".to_owned(),
        pictures: vec![Picture {
            file: CURVE.to_owned(),
            shows: "What rules lose by stack".to_owned(),
            svg: tables::curve(results),
        }],
        ..Section::default()
    }
}

fn ablations(results: &Results) -> Section {
    let mut table =
        vec![row(["the algorithm", "small blind loses", "big blind", "mean", "all-in", "call"])];
    let mut line = |name: String, learned: &Learned| {
        let cells = [learned.small, learned.big, learned.both];
        let cells = cells.map(|spread| format!("{:.1} ± {:.1}", spread.mean, spread.half_width()));
        let shares = [learned.jam, learned.call].map(|spread| percent(spread.mean, 1));
        table.push([name].into_iter().chain(cells).chain(shares).collect());
    };
    line("as published".to_owned(), &results.ten().learned);
    for ((_, words), learned) in QUIRKS.iter().zip(&results.without) {
        line((*words).to_owned(), learned);
    }
    for ((_, words), learned) in FORMS[1..].iter().zip(&results.forms) {
        line(format!("with other weights: {words}"), learned);
    }
    Section {
        title: "What each peculiarity costs".to_owned(),
        prose: vec![
            "Ten big blinds, mbb per hand, means over the seeds with 95 % intervals. Each row \
             changes one thing."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

fn searched(results: &Results) -> Section {
    let mut head = vec!["stack".to_owned(), "learned".to_owned()];
    head.extend(FORMS.map(|(_, words)| words.to_owned()));
    let mut table = vec![head];
    for stack in &results.stacks {
        let mut cells = vec![stack.stack.to_string(), format!("{:.1}", stack.learned.both.mean)];
        cells.extend(
            stack
                .searched
                .iter()
                .map(|loss| format!("{:.1} ({:.1}, {:.1})", loss.mean(), loss.0[0], loss.0[1])),
        );
        table.push(cells);
    }
    Section {
        title: "Beyond: the best weights of the same features".to_owned(),
        prose: vec![
            "A direct search for the weights that lose least: the mean of both blinds in mbb per \
             hand and, in brackets, the small and the big blind. The results are upper bounds of \
             the least loss. The features do not limit the published rule: it fits the values of \
             all hands, but only the sign at the border counts."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

fn sage(results: &Results) -> Section {
    let head = ["stack", "sums of the table", "loses", "best sums", "loses", "learned weights"];
    let mut table = vec![row(head)];
    let parts = |loss: [f64; 2]| format!("{:.1} and {:.1}", loss[0], loss[1]);
    for stack in &results.stacks {
        let (sums, lost) = match stack.sage {
            Some(([jam, call], loss)) => (format!("{jam}, {call}"), parts(loss.0)),
            None => ("–".to_owned(), "–".to_owned()),
        };
        let ([jam, call], best) = stack.sage_best;
        table.push(vec![
            stack.stack.to_string(),
            sums,
            lost,
            format!("{jam}, {call}"),
            parts(best.0),
            parts([stack.learned.small.mean, stack.learned.big.mean]),
        ]);
    }
    let better = results
        .stacks
        .iter()
        .filter(|stack| stack.sage_best.1.mean() < stack.learned.both.mean)
        .count();
    Section {
        title: "Beyond: SAGE, as printed and to twenty big blinds".to_owned(),
        prose: vec![format!(
            "The Sit And Go Endgame system of James Kittock and Lee Jones (2005): the sum is twice \
             the higher rank plus the lower rank, with 15 for an ace, plus 22 for a pair and 2 for \
             suited cards; all-in and call start at the sums given. The original table uses the \
             shorter stack after the blinds are posted, one big blind less than here, and ends at \
             seven (docs/solve.md has the source). Losses are those of the small and the big \
             blind, in mbb per hand. The best sums lose less than the learned weights at {better} \
             of {} stacks.",
            results.stacks.len()
        )],
        table,
        ..Section::default()
    }
}

fn questions(results: &Results) -> Section {
    let most = results.ten().trees[0].len() - 1;
    let mut head = vec!["stack".to_owned()];
    head.extend((1..=most).map(|questions| questions.to_string()));
    head.push("for 5 mbb".to_owned());
    let mut table = vec![head];
    for stack in &results.stacks {
        let mut cells = vec![stack.stack.to_string()];
        cells.extend((1..=most).map(|questions| {
            let [small, big] = stack.trees(questions).0;
            format!("{small:.1}, {big:.1}")
        }));
        let needed = stack.questions(5.0).map(|needed| {
            needed.map_or_else(|| format!("over {most}"), |questions| questions.to_string())
        });
        cells.push(needed.join(", "));
        table.push(cells);
    }
    let trees = results.stacks.iter().flat_map(|stack| stack.trees.iter().flatten());
    let (proven, all) =
        trees.fold((0, 0), |(proven, all), tree| (proven + usize::from(tree.proven), all + 1));
    let beats = |stack: &&Stack| stack.trees(most).mean() < stack.learned.both.mean;
    Section {
        title: "Beyond: how many questions".to_owned(),
        prose: vec![format!(
            "The losses of the small and the big blind, in mbb per hand, with the best trees of \
                 each number of questions about the two cards (a minimum rank, a maximum distance \
                 of the ranks, a pair, suited), at most four for one hand. {proven} of {all} trees \
                 are proven: no tree of the same size loses less. Those of {most} questions lose \
                 less than the learned weights at {} of {} stacks.",
            results.stacks.iter().filter(beats).count(),
            results.stacks.len()
        )],
        table,
        list: ["small blind", "big blind"]
            .iter()
            .zip(&results.ten().trees)
            .flat_map(|(blind, trees)| {
                trees.iter().enumerate().skip(1).map(move |(questions, tree)| {
                    format!(
                        "Ten big blinds, {blind}, {questions}: {} ({:.1} mbb)",
                        tree.words, tree.loss
                    )
                })
            })
            .collect(),
        pictures: vec![Picture {
            file: QUESTIONS.to_owned(),
            shows: "Losses of the best trees by the number of questions".to_owned(),
            svg: tables::questions(results),
        }],
        ..Section::default()
    }
}

/// The section of one stack: the losses of the rules, and their hands.
fn at_stack(stack: &Stack) -> Section {
    let line = |name: &str, [small, big]: [f64; 2]| {
        let mean = 0.5 * (small + big);
        vec![name.to_owned(), format!("{small:.1}"), format!("{big:.1}"), format!("{mean:.1}")]
    };
    let learned = [stack.learned.small.mean, stack.learned.big.mean];
    let mut table = vec![row(["rule", "small blind loses", "big blind", "mean, mbb"])];
    table.push(line("printed weights", stack.printed.0));
    table.push(line("learned weights", learned));
    let forms = FORMS.iter().zip(stack.searched);
    table.extend(forms.map(|((_, words), loss)| line(&format!("best weights: {words}"), loss.0)));
    table.extend(stack.sage.map(|(_, loss)| line("SAGE", loss.0)));
    table.push(line("best sums", stack.sage_best.1.0));
    let most = stack.trees[0].len() - 1;
    table.push(line(&format!("best trees of {most} questions"), stack.trees(most).0));
    Section {
        title: format!("At {} big blinds", stack.stack),
        prose: vec![format!(
            "The small blind wins {} big blinds per hand in the equilibrium. The picture shows the \
             rule with the mean of the learned weights, the equilibrium, and their difference.",
            signed_minus(stack.value, 5)
        )],
        table,
        long: true,
        pictures: vec![Picture {
            file: format!("charts-{}.svg", stack.stack),
            shows: format!(
                "Learned rule, equilibrium and difference at {} big blinds",
                stack.stack
            ),
            svg: stack.charts.clone(),
        }],
        ..Section::default()
    }
}

fn words(results: &Results) -> Section {
    Section {
        title: "What the printed weights say".to_owned(),
        list: results.words.clone(),
        ..Section::default()
    }
}

fn limits(results: &Results) -> Section {
    Section {
        title: "Differences from the published text".to_owned(),
        list: vec![
            "The printed code lacks lines (an `else`, inner loops) and does not run as printed; it \
             was completed according to the text."
                .to_owned(),
            "The published random seed is not given; here several seeds show the spread."
                .to_owned(),
            "The big blind also acts and learns when the small blind has folded, so its targets \
             include what it wins without a call. Both blinds share the weights of the cards, and \
             a call has no own constant."
                .to_owned(),
            "An all-in is won at random, with the equity as the probability: pots are never split, \
             which changes no mean."
                .to_owned(),
            format!(
                "Equilibria are solved here to {:.0e} big blinds; their values agree with an \
                 independent solution to 1e-6 and their charts to 0.001 at 2 to 20 big blinds \
                 (crates/solvers/tests/shove_fold.rs).",
                results.exploitability.max(1e-15)
            ),
        ],
        ..Section::default()
    }
}
