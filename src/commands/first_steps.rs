//! First steps: `cardroom init` makes a starting folder with a configuration, and `cardroom demo`
//! is a guided tour: a match, its statistics, a hand explained, and the web page.

use std::path::{Path, PathBuf};

use super::Command;
use crate::exit::Failure;
use crate::output::Output;
use crate::{output, report, shell};

/// Create a folder to start with: a configuration with every key explained, an example bot, and
/// instructions.
#[derive(clap::Args)]
pub struct InitArgs {
    /// The folder; existing files are kept and listed
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,
}

/// The files of the folder: names and contents.
const FILES: [(&str, &str); 3] = [
    ("cardroom.toml", include_str!("../../examples/cardroom.toml")),
    ("bot.py", include_str!("../../examples/bots/bot.py")),
    ("README.md", README),
];

const README: &str = "\
cardroom.toml: every setting, explained. bot.py: a bot to change; any program that is given HOST \
PORT can be one.\n\
cardroom evaluate panel ./bot.py                              # how good it is: a table, in some \
minutes\n\
cardroom match ./bot.py equity --hands 1000 --out first       # the bot against one agent\n\
cardroom stats first                                          # what it won, with intervals\n\
cardroom explain results first                                # and where\n\
cardroom agents verify ./bot.py --game holdem.nolimit.2p.reverse_blinds   # legal, in time?\n\
cardroom serve                                                # the page: http://127.0.0.1:5252\n";

/// Runs the command: writes the files.
pub fn init(args: &InitArgs) -> Result<Output, Failure> {
    let at = |path: &Path, error: std::io::Error| {
        Failure::input(anyhow::anyhow!("{}: {error}", path.display()))
    };
    std::fs::create_dir_all(&args.folder).map_err(|error| at(&args.folder, error))?;
    let mut text = String::new();
    for (name, content) in FILES {
        let path = args.folder.join(name);
        if path.exists() {
            text += &format!("{}: already exists, left as it is\n", path.display());
        } else {
            report::write(&path, content)?;
            text += &format!("{}: created\n", path.display());
        }
    }
    if args.folder.as_path() != Path::new(".") {
        text += &format!("\ncd {}\n", shell::path(&args.folder));
    }
    Ok(Output::from(format!("{text}\n{README}")))
}

/// Show what cardroom does in two minutes: a match, its statistics, one hand explained, and the web
/// page.
#[derive(clap::Args)]
pub struct DemoArgs {
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
pub fn demo(args: &DemoArgs) -> Result<(), Failure> {
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
