//! `cardroom demo`: a guided tour: a match, its statistics, a hand explained, and the web page.

use std::path::PathBuf;

use super::Command;
use crate::exit::Failure;
use crate::output;

/// Show what cardroom does in two minutes: a match, its statistics, one hand explained, and the web
/// page.
#[derive(clap::Args)]
pub struct Args {
    /// The folder for the match
    #[arg(long, value_name = "FOLDER", default_value = "demo")]
    out: PathBuf,
    /// Hands to play
    #[arg(long, value_name = "N", default_value_t = 2000)]
    hands: u32,
    /// Address of the web page
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:5252")]
    bind: String,
    /// Stop after the hand, without the page
    #[arg(long)]
    no_page: bool,
}

/// Runs the command: runs the commands of the tour and prints what they are.
pub fn run(args: &Args) -> Result<(), Failure> {
    let path = args.out.join("matches").join("oct-vs-cfr");
    let (folder, hands) = (path.display().to_string(), args.hands.to_string());
    let data = args.out.display().to_string();
    let steps: [(&str, Vec<&str>); 4] = [
        (
            "An optimal decision tree plays the blueprint that it learned from:",
            vec!["match", "oct", "cfr", "--hands", &hands, "--seed", "1", "--out", &folder],
        ),
        ("What the match shows, with less luck:", vec!["stats", &folder]),
        ("Why the tree did what it did in hand 3:", vec!["explain", "decision", &folder, "3"]),
        (
            "The web page, with this match and a table to play at by hand (Ctrl-C ends it):",
            vec!["serve", "--bind", &args.bind, "--data", &data],
        ),
    ];
    for (says, words) in &steps[..if args.no_page { 3 } else { 4 }] {
        let line = crate::shell::line(words.iter().copied());
        output::print(&format!("{says}\n$ cardroom {line}\n\n"))?;
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        super::perform(Command::parse(&words)?)?.print()?;
        output::print("\n")?;
    }
    Ok(())
}
