//! `cardroom explain linear`: the weights of a linear rule in words.

use std::fmt;
use std::path::{Path, PathBuf};

use readable::linear::{LinearModel, PUBLISHED, Theta, Weights};
use serde::Serialize;
use show::number::signed;

use crate::exit::Failure;
use crate::output::{Output, Report};

/// Explain each weight of a linear all-in-or-fold rule, in big blinds.
#[derive(clap::Args)]
pub struct Args {
    /// A file of `cardroom train linear`, or `published`: the published weights
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only the weights at this stack, in big blinds [default: all stacks of the file]
    #[arg(long, value_name = "BLINDS")]
    stack: Option<f64>,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Output, Failure> {
    if args.stack.is_some_and(|stack| !(stack.is_finite() && stack >= 1.0)) {
        return Err(Failure::usage("--stack: write big blinds from 1 on, as in 10"));
    }
    let model = load(&args.file)?;
    let stacks = match args.stack {
        Some(stack) if model.nearest(stack) != stack => {
            return Err(Failure::input(anyhow::anyhow!(
                "--stack {stack}: {} has weights for {} to {} big blinds",
                args.file.display(),
                model.nearest(0.0),
                model.nearest(f64::INFINITY)
            )));
        }
        Some(stack) => vec![(stack, model.at_stack(stack))],
        None => model.stacks().to_vec(),
    };
    let stack = |(stack, weights): &(f64, Weights)| StackSentences {
        stack: *stack,
        says: sentences(*stack, weights),
    };
    let stacks = stacks.iter().map(stack).collect();
    Output::report(&LinearReport { method: model.method, stacks, file: &args.file }, args.json)
}

/// The weights in sentences.
#[derive(Serialize)]
struct LinearReport<'a> {
    method: String,
    stacks: Vec<StackSentences>,
    #[serde(skip)]
    file: &'a Path,
}

#[derive(Serialize)]
struct StackSentences {
    stack: f64,
    says: Vec<String>,
}

impl Report for LinearReport<'_> {
    const SCHEMA: &'static str = "cardroom-linear-words/1";
}

impl fmt::Display for LinearReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ({})", self.file.display(), self.method)?;
        for StackSentences { stack, says } in &self.stacks {
            writeln!(f, "\n{stack} big blinds")?;
            says.iter().try_for_each(|line| writeln!(f, "- {line}"))?;
        }
        Ok(())
    }
}

fn load(path: &Path) -> Result<LinearModel, Failure> {
    if path == Path::new("published") {
        let stacks = vec![(10.0, Weights::shared(PUBLISHED))];
        let [by, method] = ["published", "linear Q, 10M hands, alpha 0.0001"].map(str::to_owned);
        return Ok(LinearModel::new(by, method, stacks)?);
    }
    let text = std::fs::read_to_string(path).map_err(|error| {
        let remedy = "name a file of `cardroom train linear`, or published";
        Failure::file(path, format!("{error}; {remedy}"))
    })?;
    text.parse().map_err(|error: readable::Error| Failure::file(path, error))
}

/// The weights of both blinds in sentences.
fn sentences(stack: f64, weights: &Weights) -> Vec<String> {
    if weights.small == weights.big {
        let mut lines = cards(&weights.small);
        lines.extend(seats(stack, &weights.small, &weights.big));
        return lines;
    }
    let of = |who: &str, theta: &Theta| {
        cards(theta).into_iter().map(|line| format!("{who}: {line}")).collect::<Vec<_>>()
    };
    let mut lines = of("small blind", &weights.small);
    lines.extend(of("big blind", &weights.big));
    lines.extend(seats(stack, &weights.small, &weights.big));
    lines
}

/// Sentences about the weights of the cards.
fn cards(theta: &Theta) -> Vec<String> {
    let [_, high, low, gap, suited, .., pair] = *theta;
    let mut lines = vec![format!(
        "An ace instead of a deuce as the higher card is worth {} (weight {} × 12/13).",
        signed(high * 12.0 / 13.0, 2),
        signed(high, 3)
    )];
    let collinear = if low < 0.0 && gap < 0.0 {
        " The sign does not mean that a better card loses: with the higher card fixed, a better \
         lower card also makes the gap smaller, which the next weight rewards."
    } else {
        ""
    };
    lines.push(format!(
        "An ace instead of a deuce as the lower card is worth {} (weight {} × 12/13) for the same \
         gap.{collinear}",
        signed(low * 12.0 / 13.0, 2),
        signed(low, 3)
    ));
    lines.push(format!(
        "The gap between the ranks counts {} times its fourth root: neighbours {}, a gap of 12 {}; \
         pairs have none.",
        signed(gap, 3),
        signed(gap, 2),
        signed(gap * 12f64.powf(0.25), 2)
    ));
    lines.push(format!("Suited cards are worth {}.", signed(suited, 3)));
    if pair != 0.0 {
        lines.push(format!("A pair is worth {} more.", signed(pair, 3)));
    }
    lines
}

/// Sentences about the weights of the blinds.
fn seats(stack: f64, small: &Theta, big: &Theta) -> Vec<String> {
    let fold = small[0] + small[5];
    let mut lines = vec![
        format!(
            "The estimate after a fold of the small blind is {fold:.3} (intercept and small \
             blind); the true value is {:.1}.",
            stack - 0.5
        ),
        format!(
            "The estimate after a fold of the big blind is {:.3} (the intercept); the true value \
             is {:.1} after an all-in and {:.1} after a fold.",
            big[0],
            stack - 1.0,
            stack + 0.5
        ),
        format!(
            "Being the small blind is worth {} in a fold and {} all-in.",
            signed(small[5], 3),
            signed(small[5] + small[6], 3)
        ),
    ];
    lines.push(match big[7] {
        0.0 => "The big blind calls if the cards alone count more than 0: its calls have no \
                constant."
            .to_owned(),
        call => format!("A call of the big blind has a constant of {}.", signed(call, 3)),
    });
    lines
}
