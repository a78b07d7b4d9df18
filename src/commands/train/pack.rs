//! `cardroom train pack`: compresses a blueprint.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use models::blueprint::{Blueprint, BlueprintError, PackError, WHOLE, pack};
use serde::Serialize;
use serde_json::json;
use show::number::{self, percent};

use crate::exit::Failure;
use crate::output::{self, Output, Shown};

/// Write a packed blueprint: the same strategy, or one with coarser probabilities, in a fraction of
/// the space.
///
/// Packed blueprints are used like others and are unpacked into memory when opened. With --steps
/// 255 nothing is lost; with 15 probabilities are multiples of 1/15, and actions with less than
/// 1/30 are dropped.
///
/// Examples:
///   cardroom train pack nolimit.blueprint --steps 15 --out small.blueprint
///   cardroom match cfr:blueprint=small.blueprint cfr:blueprint=nolimit.blueprint --hands 100000
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The blueprint
    #[arg(value_name = "BLUEPRINT")]
    path: PathBuf,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Number of steps of a probability
    #[arg(long, value_name = "N", default_value = "255",
          value_parser = PossibleValuesParser::new(["3", "5", "15", "17", "51", "85", "255"])
              .map(|text| text.parse::<u32>().expect("a number")))]
    steps: u32,
    /// Overwrite the file
    #[arg(long)]
    force: bool,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

struct Packed {
    out: PathBuf,
    before: u64,
    after: u64,
    steps: u32,
}

/// Runs the command: packs the blueprint and returns the sizes.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(Some(&args.out))?;
    if args.out.exists() && !args.force {
        return Err(Failure::input(anyhow::anyhow!(
            "{} already exists: choose another file, or overwrite it with --force",
            args.out.display()
        )));
    }
    let at = |path: &Path, error: &dyn std::fmt::Display| {
        Failure::input(anyhow::anyhow!("{}: {error}", path.display()))
    };
    let blueprint = Blueprint::open(&args.path).map_err(|error| match error {
        error @ BlueprintError::Read { .. } => Failure::input(error),
        error => at(&args.path, &error),
    })?;
    blueprint.verify().map_err(|error| at(&args.path, &error))?;
    // Written beside the output until it is complete.
    let mut part = args.out.clone().into_os_string();
    part.push(".part");
    let part = PathBuf::from(part);
    let write = || -> Result<(), PackError> {
        let mut file = BufWriter::new(File::create(&part)?);
        pack(&blueprint, args.steps, &mut file)?;
        file.flush()?;
        file.get_ref().sync_all()?;
        Ok(fs::rename(&part, &args.out)?)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&part);
        at(&args.out, &error)
    })?;
    let length = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
    let (before, after) = (length(&args.path), length(&args.out));
    Output::of(&Packed { out: args.out.clone(), before, after, steps: args.steps }, args.json)
}

impl Shown for Packed {
    fn text(&self) -> String {
        let Packed { before, after, .. } = *self;
        let share = percent(after as f64 / before.max(1) as f64, 0);
        let lost = if self.steps == WHOLE {
            "nothing is lost".to_owned()
        } else {
            format!("probabilities in steps of 1/{}", self.steps)
        };
        let out = self.out.display();
        format!(
            "{out}: {} of {} ({share}), {lost}\n",
            number::bytes(after.into()),
            number::bytes(before.into())
        )
    }

    fn document(&self) -> impl Serialize {
        json!({
            "schema": "cardroom-pack/1",
            "file": self.out,
            "bytes": self.after,
            "bytes_before": self.before,
            "steps": self.steps,
        })
    }
}
