//! The results as a CSV table, as a JSON document and as a picture.

use logs::chart::{Chart, Line, Style};
use serde_json::{Value, json};

use super::claims::claims;
use super::results::{Errors, Learned, Results};
use super::steps::NETWORKS;
use crate::picture::coloured_as;
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

/// The lines' colours, readable on light and dark backgrounds.
const COLOURS: [(&str, &str); 4] =
    [("ehs2", "#8a939d"), ("nested", "#b5893a"), ("potential", "#4f7fd1"), ("direct", "#d0603c")];

/// The validation losses by epoch, as a picture, of the networks that see ranges.
pub(super) fn curves(results: &Results) -> String {
    let lines = COLOURS.iter().zip(&results.networks).map(|((class, _), learned)| {
        let epochs = learned.losses.iter().enumerate();
        Line { class, points: epochs.map(|(at, &loss)| (at as f64 + 1.0, loss)).collect() }
    });
    let chart = Chart {
        name: "losses",
        size: [720, 340],
        title: "Huber loss on validation situations, of each network's own buckets or hands",
        titled: true,
        description: "By epochs of training, for the four networks that see both ranges.",
        along: "epochs",
        lines: lines.collect(),
        band: Vec::new(),
    };
    let names: Vec<&str> = NETWORKS[..4].iter().map(|network| network.name).collect();
    coloured_as(&chart, Style { logarithmic: true, names: &names }, &COLOURS)
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
        "claims": claim::document(claims(results)),
        "situations": results.situations,
        "networks": networks.collect::<Vec<_>>(),
        "check_down": errors(&results.check_down),
        "zero": errors(&results.zero),
        "solved_twice": { "situations": results.twice, "huber": apart[0], "weighted_huber": apart[1] },
    })
}
