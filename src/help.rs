//! The program's help: the commands in groups by purpose, each with an example.

use clap::{Command, CommandFactory};

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
        commands: &["serve", "init", "demo", "doctor", "config", "systemd", "completions", "man"],
    },
    Group {
        title: "Play",
        example: "cardroom match cfr equity --hands 3000",
        commands: &[
            "match",
            "tournament",
            "play",
            "dealer",
            "package",
            "agents",
            "games",
            "merge",
            "replay",
        ],
    },
    Group {
        title: "Measure",
        example: "cardroom evaluate cfr --by exploiters",
        commands: &["stats", "evaluate", "bench", "export", "import"],
    },
    Group {
        title: "Solve and train",
        example: "cardroom solve shove-fold --stack 10",
        commands: &["solve", "endgame", "train", "buckets", "equity", "features", "study"],
    },
    #[cfg(feature = "queue")]
    Group {
        title: "Many machines",
        example: "cardroom worker --nats nats://localhost:4222",
        commands: &["enqueue", "worker", "runs"],
    },
    Group { title: "Explain", example: "cardroom explain chart oct", commands: &["explain"] },
];

/// The program's arguments, with help in groups.
pub(crate) fn grouped<C: CommandFactory>() -> Command {
    let command = C::command();
    let template = format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}\n\n\
         `cardroom COMMAND --help` describes a command and its options.\n",
        groups(&command)
    );
    command.help_template(template)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group_and_examples_can_be_read() {
        let command = crate::commands::Cli::command();
        let mut grouped: Vec<&str> =
            GROUPS.iter().flat_map(|group| group.commands).copied().collect();
        grouped.sort_unstable();
        let mut all: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        all.sort_unstable();
        assert_eq!(grouped, all);
        for group in GROUPS {
            let words = group.example.split(' ');
            assert!(command.clone().try_get_matches_from(words).is_ok(), "{}", group.example);
        }
    }
}
