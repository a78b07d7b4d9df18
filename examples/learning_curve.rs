//! The learning curve of a blueprint: what it wins from those that it had been earlier in its
//! training.
//!
//! ```sh
//! learning_curve target/release/cardroom 100000 curve.svg cfr 1=early.blueprint 10=later.blueprint
//! ```
//!
//! plays 100,000 duplicate hands of `cfr` against each blueprint, named after the millions of
//! iterations that it had been trained for, in order. Prints a table and draws it.

#![expect(clippy::print_stdout, reason = "it is a program")]

use std::error::Error;
use std::process::{Command, Stdio};

use show::svg::chart::{Chart, Line};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [cardroom, hands, picture, agent, earlier @ ..] = arguments.as_slice() else {
        return Err("give CARDROOM HANDS PICTURE AGENT MILLIONS=BLUEPRINT …".into());
    };
    println!("million iterations   {agent} wins, mbb/hand   95 % interval");
    let mut points = Vec::new();
    let mut band = Vec::new();
    for text in earlier {
        let (millions, blueprint) = text.split_once('=').ok_or("give MILLIONS=BLUEPRINT")?;
        let [won, low, high] = played(cardroom, hands, agent, blueprint)?;
        let at: f64 = millions.parse()?;
        println!("{at:>18}   {won:>+12.1}   {low:+.1} to {high:+.1}");
        points.push((at, won));
        band.push((at, [low, high]));
    }
    let title = format!("What {agent} wins from earlier blueprints of its training, mbb/hand");
    let chart = Chart {
        description: format!("{hands} duplicate hands against each, with the 95 % band."),
        // A training is seen best along the logarithm of its length.
        logarithmic: true,
        lines: vec![Line { class: "won", points, band, ..Line::default() }],
        ..Chart::new("learning", title, "million iterations of the earlier one")
    };
    Ok(std::fs::write(picture, chart.file())?)
}

/// The win rate in mbb/hand, with the ends of its interval.
fn played(
    cardroom: &str,
    hands: &str,
    agent: &str,
    blueprint: &str,
) -> Result<[f64; 3], Box<dyn Error>> {
    let other = format!("cfr:blueprint={blueprint}");
    let output = Command::new(cardroom)
        .args(["match", agent, &other, "--hands", hands, "--record", "nothing", "--json"])
        .stderr(Stdio::inherit())
        .output()?;
    let report: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let rate = &report["entrants"][0]["rate"];
    let number = |value: &serde_json::Value| value.as_f64().ok_or("the report has no rate");
    Ok([
        number(&rate["mbb"])?,
        number(&rate["interval"]["low"])?,
        number(&rate["interval"]["high"])?,
    ])
}
