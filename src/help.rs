//! The help of the program: the commands in groups by purpose, each with an example; `cardroom
//! completions` and `cardroom man`.

use std::path::PathBuf;

use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;

use crate::commands::Cli;
use crate::exit::Failure;
use crate::output::Output;

/// A group of commands.
struct Group {
    title: &'static str,
    example: &'static str,
    commands: &'static [&'static str],
}

/// All groups, in the order of the help text.
const GROUPS: &[Group] = &[
    Group {
        title: "Serve",
        example: "cardroom serve",
        commands: &["serve", "mcp", "init", "demo", "doctor", "config"],
    },
    Group {
        title: "Play",
        example: "cardroom match cfr equity --hands 3000",
        commands: &["match", "tournament", "play", "dealer", "agents", "merge", "replay"],
    },
    Group {
        title: "Measure",
        example: "cardroom evaluate exploiters cfr",
        commands: &["stats", "evaluate", "export", "import"],
    },
    Group {
        title: "Solve and train",
        example: "cardroom solve shove-fold --stack 10",
        commands: &["solve", "train", "show", "study"],
    },
    Group {
        title: "Many machines",
        example: "cardroom worker --nats nats://localhost:4222",
        commands: &["enqueue", "worker", "runs"],
    },
    Group { title: "Explain", example: "cardroom explain chart oct", commands: &["explain"] },
];

/// The program's arguments, with help in groups.
fn in_groups<C: CommandFactory>() -> Command {
    let command = flowing(C::command());
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{}Options of every command:\n{{options}}\n\n\
         `cardroom COMMAND --help` describes a command and its options.\n",
        groups(&command)
    );
    command.help_template(template)
}

/// The last line of the help of every command.
const ELSEWHERE: &str = "`cardroom --help` describes --config, --json and --quiet.";

/// The program's arguments, with help that tells the options of every command at the root only.
pub(crate) fn grouped<C: CommandFactory>() -> Command {
    fn told_once(command: Command) -> Command {
        if command.get_name() == "help" {
            return command;
        }
        let hidden = |option: Arg| if option.is_global_set() { option.hide(true) } else { option };
        let own = command.get_after_help().map(|text| format!("{text}\n")).unwrap_or_default();
        let after = format!("{own}{ELSEWHERE}");
        command.mut_args(hidden).after_help(after).mut_subcommands(told_once)
    }
    let mut command = in_groups::<C>();
    // The options of every command are copied into the commands now.
    command.build();
    command.mut_subcommands(told_once)
}

/// The command and its subcommands with descriptions whose paragraphs are single lines, which are
/// wrapped to the terminal when they are shown. Verbatim texts are wrapped as in the source.
fn flowing(mut command: Command) -> Command {
    let flowed = |text: &clap::builder::StyledStr| flow(&text.to_string());
    if let Some(about) = command.get_about().map(flowed) {
        command = command.about(about.trim_end_matches('.').to_owned());
    }
    if let Some(about) = command.get_long_about().map(flowed) {
        command = command.long_about(about);
    }
    command.mut_subcommands(flowing)
}

/// Joins the lines of paragraphs. Lines with an indentation stay by themselves.
fn flow(text: &str) -> String {
    let mut flowed = String::new();
    let mut before = "";
    for line in text.lines() {
        let goes_on = [before, line].iter().all(|line| !line.is_empty() && !line.starts_with(' '));
        flowed.push_str(if goes_on { " " } else { "\n" });
        flowed.push_str(line);
        before = line;
    }
    flowed.trim_start_matches('\n').to_owned()
}

fn groups(command: &Command) -> String {
    let names = || GROUPS.iter().flat_map(|group| group.commands);
    let wide = names().map(|name| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for Group { title, example, commands } in GROUPS {
        text += &format!("{title}, as in `{example}`:\n");
        for name in *commands {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            text +=
                &format!("  {name:<wide$}  {}\n", short(about.trim_end_matches('.'), 96 - wide));
        }
        text.push('\n');
    }
    text
}

/// The beginning of a sentence, up to a colon, a comma or the last word that fits into `most`
/// characters.
fn short(about: &str, most: usize) -> String {
    if about.chars().count() <= most {
        return about.to_owned();
    }
    let fits: String = about.chars().take(most).collect();
    let end = fits.rfind([':', ',']).or_else(|| fits.rfind(' ')).unwrap_or(fits.len());
    fits[..end].to_owned()
}

/// Print shell completions.
///
/// Typical use: `cardroom completions bash > ~/.local/share/bash-completion/completions/cardroom`;
/// for zsh into a folder of $fpath as `_cardroom`; for fish into
/// `~/.config/fish/completions/cardroom.fish`.
#[derive(clap::Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Runs `cardroom completions`: returns the completion script of a shell.
pub fn completions(args: &CompletionsArgs) -> Output {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut in_groups::<Cli>(), "cardroom", &mut text);
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
        .and_then(|()| clap_mangen::generate_to(grouped::<Cli>(), &args.out));
    written.map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", args.out.display())))?;
    let pages = std::fs::read_dir(&args.out).map_or(0, Iterator::count);
    Ok(Output::from(format!("{pages} pages in {}\n", args.out.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_wrapped_once() {
        fn check(command: &Command) {
            for about in [command.get_about(), command.get_long_about()].into_iter().flatten() {
                let text = about.to_string();
                let lines: Vec<&str> = text.lines().collect();
                let broken = lines.windows(2).find(|pair| {
                    pair.iter().all(|line| !line.is_empty() && !line.starts_with(' '))
                });
                assert_eq!(broken, None, "{}", command.get_name());
            }
            assert!(!command.get_about().is_some_and(|about| about.to_string().ends_with('.')));
            command.get_subcommands().for_each(check);
        }
        check(&grouped::<crate::commands::Cli>());
        let text = "One\ntwo.\n\nThree:\n  four  4\n  five\n\nSix\nseven";
        assert_eq!(flow(text), "One two.\n\nThree:\n  four  4\n  five\n\nSix seven");
    }

    #[test]
    fn every_command_is_in_one_group_and_examples_can_be_read() {
        let command = crate::commands::Cli::command();
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        grouped.sort_unstable();
        let shown = command.get_subcommands().filter(|command| !command.is_hide_set());
        let mut all: Vec<&str> = shown.map(Command::get_name).collect();
        all.sort_unstable();
        assert_eq!(grouped, all);
        for group in GROUPS {
            let words = group.example.split(' ');
            assert!(command.clone().try_get_matches_from(words).is_ok(), "{}", group.example);
        }
    }
}
