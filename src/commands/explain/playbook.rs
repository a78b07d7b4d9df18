//! `cardroom explain playbook`: an agent's trees on one page, cut to a shallow tree for each
//! street, as an HTML file that prints on A4 and follows the system's dark mode on a screen.

use std::path::PathBuf;

use game::Street;
use models::tree_report::Playbook;

use super::{TreeSource, explainer};
use crate::exit::Failure;
use crate::output;
use crate::report;

/// Write the upper rules of an agent's four trees on one page, for print or screen.
///
/// Read the rules of a street from the top and follow the lines that apply, until one gives the
/// action, its frequency, its share of play and its node. Deeper branches are summarised, with the
/// command that shows them. The page is A4, black on white; on a screen it follows the system's
/// dark mode. The file is self-contained: no scripts, no fonts, nothing from the network.
///
/// Examples:
///   cardroom explain playbook oct --out oct.html
///   cardroom explain playbook my-students/cart --depth 2 --out cart.html
///
/// Exit codes: 2 when the file is not an .html file, 3 when the agent has no trees.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(flatten)]
    source: TreeSource,
    /// Depth shown, 0 to 6; above 3 the text gets small or takes more pages [default: all of trees
    /// with at most 80 leaves in total, else 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=6))]
    depth: Option<u8>,
    /// The file to write, .html
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the command: writes the page.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    output::check(Some(&args.out))?;
    super::check_html("--out", "playbook", &args.out)?;
    let student = args.source.student()?;
    let trees = Street::ALL.map(|street| explainer(&student, street));
    let trees = trees.into_iter().collect::<Result<Vec<_>, Failure>>()?;
    let depth = args.depth.map(usize::from);
    report::write(&args.out, &Playbook::new(&args.source.name, &student, &trees, depth).html())
}
