//! The commands of the study: which there are, with which options.

use std::collections::HashSet;
use std::path::Path;

use studies::{Action, Options, Part, STUDIES, SlumbotRun};

use crate::made::options;

/// The commands as they would be typed.
fn commands(options: &Options) -> Vec<String> {
    let steps = (STUDIES[0].steps)(options);
    let titles: HashSet<&String> = steps.iter().map(|step| &step.title).collect();
    assert_eq!(titles.len(), steps.len(), "no two steps have one title");
    let typed = |action: &Action| match action {
        Action::Command { arguments, .. } => Some(arguments.join(" ")),
        Action::Copy { .. } => None,
    };
    steps.iter().filter_map(|step| typed(&step.action)).collect()
}

fn count(commands: &[String], words: &str) -> usize {
    commands.iter().filter(|command| command.contains(words)).count()
}

#[test]
fn students_play_their_likeliest_action_and_draw_it_beside() {
    for (shipped, oct, cart) in
        [(true, "oct", "cart"), (false, "oct:model=s/students/oct", "cart:model=s/students/cart")]
    {
        let options = Options { shipped, ..options(Path::new("s")) };
        let commands = commands(&options);
        assert_eq!(count(&commands, "--hands 400000"), 10);
        let played = format!("match {oct} {cart} --game");
        assert_eq!(count(&commands, &played), 2, "Table 1, and the depth of 15: {commands:#?}");
        let separator = if shipped { ':' } else { ',' };
        let drawn = format!("match {oct}{separator}play=sample {cart}{separator}play=sample");
        assert_eq!(count(&commands, &drawn), 1, "{commands:#?}");
        assert_eq!(count(&commands, "cfr:play"), 0, "the teacher plays as ever");
    }
}

#[test]
fn a_given_teacher_teaches_trees_of_all_depths() {
    let mut options = options(Path::new("s"));
    options.teacher = Some("large.blueprint".into());
    let whole = commands(&options);
    assert_eq!(count(&whole, "train cfr"), 0);
    assert_eq!(count(&whole, "train dataset --from large.blueprint"), 1);
    assert!(count(&whole, "cfr:blueprint=large.blueprint") > 8, "{whole:#?}");
    options.only = Some(Part::Depths);
    let part = commands(&options);
    assert_eq!(part.len(), 1 + 5 * 3, "rows, then two trees and a match for each depth: {part:#?}");
    for depth in [4, 6, 8, 10, 15] {
        assert_eq!(count(&part, &format!("--depth {depth}")), 2, "{part:#?}");
    }
    let last = part.last().expect("a match");
    assert!(last.contains("oct:model=s/depths/oct-15 cart:model=s/depths/cart-15"), "{last}");
}

#[test]
fn a_further_network_is_taught_and_plays_everybody() {
    let mut options = options(Path::new("s"));
    options.shipped = true;
    let before = commands(&options);
    assert_eq!(count(&before, "train mlp"), 0);
    options.network = Some("7x512".parse().expect("a network"));
    let after = commands(&options);
    assert_eq!(count(&after, "train mlp --hidden 512,512,512,512,512,512,512 --epochs 20"), 1);
    // Five matches played and five drawn, and what it loses to the teacher.
    let more = count(&after, "mlp:model=s/students/mlp-7x512");
    assert_eq!((more, after.len()), (5 + 5 + 2, before.len() + 1 + 10 + 1), "{after:#?}");
    for wrong in ["7", "7x", "0x512", "7x0", "x", "7x512x1"] {
        assert!(wrong.parse::<studies::Network>().is_err(), "{wrong}");
    }
}

#[test]
fn a_run_against_slumbot_is_read_and_not_made() {
    let mut options = options(Path::new("s"));
    let run = SlumbotRun { kind: "oct".to_owned(), folder: "runs/oct".into(), server: None };
    options.slumbot.push(run);
    let commands = commands(&options);
    assert_eq!(count(&commands, "stats runs/oct --json"), 1);
    assert_eq!(count(&commands, "play slumbot"), 0);
}
