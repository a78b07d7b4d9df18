//! The results as a CSV table, as a JSON document and as a picture.

use serde_json::{Value, json};
use show::svg::Colour;
use show::svg::chart::{Chart, Line};

use super::claims::claims;
use super::results::{Errors, Learned, Results};
use super::steps::NETWORKS;
use crate::{Options, claim};

/// The errors of all networks as CSV.
pub(super) fn errors(results: &Results) -> String {
    let mut text = String::from("sees,set,of,huber,mean_square,weighted_huber\n");
    let mut line = |sees: &str, set: &str, of: &str, errors: &Errors| {
        let Errors { huber, squares, weighted_huber } = errors;
        text += &format!("{sees},{set},{of},{huber:.7},{squares:.7},{weighted_huber:.7}\n");
    };
    for (network, learned) in NETWORKS.iter().zip(&results.networks) {
        for (at, set) in ["train", "test"].iter().enumerate() {
            if let Some(buckets) = &learned.buckets {
                line(network.encoding, set, "buckets", &buckets[at]);
            }
            line(network.encoding, set, "hands", &learned.hands[at]);
        }
        if learned.buckets.is_some() {
            line(network.encoding, "all", "encoding", &learned.encoding);
        }
    }
    line("check-down", "test", "hands", &results.check_down);
    line("zero", "test", "hands", &results.zero);
    text
}

/// The classes and colours of lines: the first [networks](NETWORKS).
const LINES: [(&str, Colour); 4] = [
    ("ehs2", Colour::Grey),
    ("nested", Colour::Gold),
    ("potential", Colour::Blue),
    ("direct", Colour::Red),
];

/// The validation losses by epoch, as a picture, of the networks that see ranges.
pub(super) fn curves(results: &Results) -> String {
    let networks = LINES.into_iter().zip(&NETWORKS).zip(&results.networks);
    let lines = networks.map(|(((class, colour), network), learned)| {
        let epochs = learned.losses.iter().enumerate();
        let points = epochs.map(|(at, &loss)| (at as f64 + 1.0, loss)).collect();
        Line { class, colour, name: network.name, points, ..Line::default() }
    });
    let title = "Huber loss on validation situations, of each network's own buckets or hands";
    Chart {
        description: "By epochs of training, for the four networks that see both ranges.".into(),
        logarithmic: true,
        lines: lines.collect(),
        ..Chart::new("losses", title, "epochs")
    }
    .file()
}

/// The results as a JSON document.
pub(super) fn document(options: &Options, results: &Results) -> Value {
    let errors = |errors: &Errors| {
        json!({
            "huber": errors.huber,
            "mean_square": errors.squares,
            "weighted_huber": errors.weighted_huber,
        })
    };
    let two = |[train, test]: &[Errors; 2]| json!({ "train": errors(train), "test": errors(test) });
    let networks = NETWORKS.iter().zip(&results.networks).map(|(network, learned)| {
        let Learned { inputs, outputs, parameters, hands, buckets, encoding, .. } = learned;
        json!({
            "sees": network.encoding,
            "inputs": inputs,
            "outputs": outputs,
            "parameters": parameters,
            "hands": two(hands),
            "buckets": buckets.as_ref().map(two),
            "encoding_error": errors(encoding),
            "published": network.published.as_ref().map(|published| json!({
                "parameters": published.parameters,
                "encoding_error": published.encoding_error,
                "losses": published.losses,
            })),
        })
    });
    let apart = results
        .apart
        .map(|apart| json!({ "mean": apart.mean, "median": apart.median, "most": apart.most }));
    json!({
        "schema": "cardroom-study-004/1",
        "scale": options.scale,
        "claims": claim::document(options, claims(results)),
        "situations": results.situations,
        "networks": networks.collect::<Vec<_>>(),
        "check_down": errors(&results.check_down),
        "zero": errors(&results.zero),
        "solved_twice": {
            "situations": results.twice, "huber": apart[0], "weighted_huber": apart[1],
        },
    })
}
