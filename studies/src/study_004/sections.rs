//! The sections of the report.

use show::number::{percent, whole};

use super::claims::claims;
use super::results::{Errors, Results};
use super::steps::{ITERATIONS, NETWORKS};
use super::tables;
use crate::sections::{Picture, Section, row};
use crate::{Options, claim};

/// The name of the picture.
pub(super) const CURVES: &str = "losses.svg";

/// All sections.
pub(super) fn sections(options: &Options, results: &Results) -> Vec<Section> {
    vec![
        claim::section(options, claims(results)),
        situations(results),
        encoding(results),
        networks(results),
        sizes(results),
        labels(results),
        limits(),
    ]
}

fn situations(results: &Results) -> Section {
    let [train, valid, test] = results.parts.map(whole);
    Section {
        title: "The situations".to_owned(),
        prose: vec![format!(
            "{} random turns with random ranges, with fold, call, pot and all-in on this street \
             and the next, solved with 100 iterations to {} of the pot on average and {} at most. \
             {train} situations are for training, {valid} for choosing the epoch, {test} for \
             testing; the paper has 300,000, of which 240,000 are for training. Values are chips \
             won in the whole hand, times the probability of the hands met, as shares of the pot.",
            whole(results.situations),
            percent(results.exploitability[0], 2),
            percent(results.exploitability[1], 2),
        )],
        ..Section::default()
    }
}

fn encoding(results: &Results) -> Section {
    let mut table = vec![row([
        "encoding",
        "Huber loss",
        "mean square",
        "by the range: Huber loss",
        "published: Huber loss",
        "mean square",
    ])];
    for (network, learned) in NETWORKS.iter().zip(&results.networks) {
        let Some(published) = &network.published else { continue };
        let Errors { huber, squares, weighted_huber } = learned.encoding;
        let paper = published.encoding_error.map_or([0.0; 2], |both| both);
        table.push(vec![
            network.name.to_owned(),
            number(huber),
            number(squares),
            number(weighted_huber),
            format!("{:.4}", paper[0]),
            format!("{:.4}", paper[1]),
        ]);
    }
    Section {
        title: "Table 1: what encodings lose".to_owned(),
        prose: vec![
            "The hands of a bucket share the mean of their values in each situation. The paper \
             does not give the pots and stacks of its situations, the unit of its values, or the \
             accuracy of its solutions: orders can be compared, sizes cannot."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

fn networks(results: &Results) -> Section {
    let mut table = vec![row([
        "what the network sees",
        "buckets, training",
        "hands, training",
        "buckets, test",
        "hands, test",
        "by the range: hands, test",
        "published, in this order",
    ])];
    for (network, learned) in NETWORKS.iter().zip(&results.networks) {
        let buckets = |at: usize| {
            learned.buckets.as_ref().map_or_else(|| "–".to_owned(), |both| number(both[at].huber))
        };
        let paper = network.published.as_ref().map_or_else(
            || "–".to_owned(),
            |published| published.losses.map(|loss| format!("{loss:.4}")).join(", "),
        );
        table.push(vec![
            network.name.to_owned(),
            buckets(0),
            number(learned.hands[0].huber),
            buckets(1),
            number(learned.hands[1].huber),
            number(learned.hands[1].weighted_huber),
            paper,
        ]);
    }
    for (name, errors) in [("checking down", &results.check_down), ("zero", &results.zero)] {
        let none = || "–".to_owned();
        let (huber, weighted) = (number(errors.huber), number(errors.weighted_huber));
        table.push(vec![name.to_owned(), none(), none(), none(), huber, weighted, none()]);
    }
    Section {
        title: "Table 2: what networks learn".to_owned(),
        prose: vec![
            "Huber losses. Seven layers of 500 parametric rectified units, both ranges' values \
             made to sum to zero, Adam, 350 epochs, the best by validation. The last network has \
             two layers of 64, sees one hand at a time (its results against the other range on \
             every river, its place in both ranges, their shapes) and predicts its value beyond \
             checking down. Only buckets with a hand are counted."
                .to_owned(),
        ],
        table,
        pictures: vec![Picture {
            file: CURVES.to_owned(),
            shows: "Validation loss by epochs".to_owned(),
            svg: tables::curves(results),
        }],
        ..Section::default()
    }
}

fn sizes(results: &Results) -> Section {
    let mut table = vec![row([
        "what the network sees",
        "inputs",
        "outputs",
        "weights and biases",
        "published",
    ])];
    for (network, learned) in NETWORKS.iter().zip(&results.networks) {
        let paper = network.published.as_ref();
        table.push(vec![
            network.name.to_owned(),
            whole(learned.inputs),
            whole(learned.outputs),
            whole(learned.parameters),
            paper.map_or_else(|| "–".to_owned(), |published| whole(published.parameters)),
        ]);
    }
    Section {
        title: "Sizes".to_owned(),
        prose: vec![
            "The published numbers follow from the sizes in the paper; each layer has one more \
             number, its slope."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

fn labels(results: &Results) -> Section {
    let mut table = vec![row(["Huber loss", "mean", "median", "most"])];
    for (name, apart) in ["over all hands", "by the range"].iter().zip(&results.apart) {
        let cells = [apart.mean, apart.median, apart.most].map(number);
        table.push(std::iter::once((*name).to_owned()).chain(cells).collect());
    }
    Section {
        title: "Accuracy of the labels".to_owned(),
        prose: vec![format!(
            "{} of the situations were solved with {} and with {} iterations; the table has the \
             differences of their values. The value of a hand that its player hardly holds differs \
             between equilibria; no network trained on solutions can be nearer to other solutions \
             than these are to each other.",
            whole(results.twice),
            ITERATIONS[0],
            ITERATIONS[1]
        )],
        table,
        ..Section::default()
    }
}

fn limits() -> Section {
    Section {
        title: "What differs".to_owned(),
        list: [
            "The paper does not give the batch size, learning rate, pots, ranges or iterations: \
             here 32, 0.001 with cosine decay, 8 to 200 big blinds of 200 each, DeepStack's \
             ranges, 100.",
            "Networks overfit few situations: the epoch is chosen by validation situations, which \
             the paper does not do.",
            "The losses count hands that are possible on the board, and buckets with a hand; the \
             paper does not say what it counts.",
            "E[HS²] has 1,326 buckets where the others have 1,000, as published.",
        ]
        .map(str::to_owned)
        .to_vec(),
        ..Section::default()
    }
}

fn number(value: f64) -> String {
    format!("{value:.5}")
}
