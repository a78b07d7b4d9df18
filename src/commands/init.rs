//! `cardroom init`: makes a starting folder with a configuration.

use std::path::{Path, PathBuf};

use crate::exit::Failure;
use crate::output::Output;
use crate::report;
use crate::shell;

/// Create a folder to start with: a configuration with every key explained, an example bot, and
/// instructions.
#[derive(clap::Args)]
pub struct Args {
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
cardroom evaluate ./bot.py                                    # how good it is: a table, in some \
minutes\n\
cardroom match ./bot.py equity --hands 1000 --out first       # the bot against one agent\n\
cardroom stats first                                          # what it won, with intervals\n\
cardroom explain results first                                # and where\n\
cardroom agents verify ./bot.py --game holdem.nolimit.2p.reverse_blinds   # legal, in time?\n\
cardroom serve                                                # the page: http://127.0.0.1:5252\n";

/// Runs the command: writes the files.
pub fn run(args: &Args) -> Result<Output, Failure> {
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
