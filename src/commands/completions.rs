//! `cardroom completions` and `cardroom man`: shell completions and man pages.

use std::path::PathBuf;

use clap_complete::Shell;

use crate::commands::Cli;
use crate::exit::Failure;
use crate::help;
use crate::output::Output;

/// Print shell completions.
///
/// Typical use: `cardroom completions bash > ~/.local/share/bash-completion/completions/cardroom`;
/// for zsh into a folder of $fpath as `_cardroom`; for fish into
/// `~/.config/fish/completions/cardroom.fish`.
#[derive(clap::Args)]
pub struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs `cardroom completions`: returns the completion script of a shell.
pub fn run(args: &Args) -> Output {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut help::grouped::<Cli>(), "cardroom", &mut text);
    Output::from(String::from_utf8_lossy(&text).into_owned())
}

/// Write manual pages: cardroom.1, and one for each command.
///
/// Typical use: `cardroom man --out ~/.local/share/man/man1`, then `man cardroom-match`.
#[derive(clap::Args)]
pub struct ManArgs {
    /// The folder for the pages
    #[arg(long, value_name = "FOLDER", default_value = "man1")]
    out: PathBuf,
}

/// Runs `cardroom man`: writes the man pages into the folder.
pub fn man(args: &ManArgs) -> Result<Output, Failure> {
    let written = std::fs::create_dir_all(&args.out)
        .and_then(|()| clap_mangen::generate_to(help::grouped::<Cli>(), &args.out));
    written.map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", args.out.display())))?;
    let pages = std::fs::read_dir(&args.out).map_or(0, Iterator::count);
    Ok(Output::from(format!("{pages} pages in {}\n", args.out.display())))
}
