//! The commands of the study: which there are, with which options.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use runs::Shard;
use studies::{Action, Options, STUDIES, SlumbotRun, Step, StudySection};

use crate::made::options;

/// The commands as they would be typed.
fn commands(options: &Options) -> Vec<String> {
    let steps = STUDIES[0].steps(options).expect("steps");
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
        // Table 1; of hard labels six matches and four against the same students; of finer betting
        // two of each student, and of one model for all streets one; of the readable teacher five.
        let readable = if shipped { 0 } else { 5 };
        assert_eq!(count(&commands, "--hands 400000"), 10 + 10 + 4 * 3 + readable);
        assert_eq!(count(&commands, " --one-model"), 4);
        // Seven further trainings: six pairs, and trees of four depths.
        assert_eq!(count(&commands, "--hands 200000"), 7 * (6 + 4));
        for seed in 2..=8 {
            assert_eq!(count(&commands, &format!("--seed {seed} --out s/rows/")), 1);
        }
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
    // Of eight trainings, and with the betting told more finely.
    assert_eq!(count(&whole, "train dataset --from large.blueprint"), 8 + 1);
    assert!(count(&whole, "cfr:blueprint=large.blueprint") > 8, "{whole:#?}");
    options.only = Some(StudySection::Depths);
    let part = commands(&options);
    // Rows, then two trees and a match for each depth, eight times.
    assert_eq!(part.len(), 8 * (1 + 5 * 3), "{part:#?}");
    for depth in [4, 6, 8, 10, 15] {
        assert_eq!(count(&part, &format!("--depth {depth}")), 8 * 2, "{part:#?}");
    }
    let last = part.last().expect("a match");
    assert!(last.contains("oct:model=s/depths/oct-15 cart:model=s/depths/cart-15"), "{last}");
}

#[test]
fn a_further_network_is_taught_and_plays_everybody() {
    let mut options = options(Path::new("s"));
    options.shipped = true;
    let before = commands(&options);
    // Seven further trainings, one with hard labels, one of finer betting and one for all streets.
    assert_eq!(count(&before, "train student mlp"), 7 + 1 + 1 + 1);
    options.network = Some("7x512".parse().expect("a network"));
    let after = commands(&options);
    assert_eq!(
        count(&after, "train student mlp --hidden 512,512,512,512,512,512,512 --epochs 20"),
        1
    );
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

/// The paths in the study's folder, `s`, that a step names, in order.
fn paths(step: &Step) -> Vec<PathBuf> {
    let (words, files) = match &step.action {
        Action::Command { arguments, prints, makes } => {
            (arguments.join(" "), [prints, makes].into_iter().flatten().cloned().collect())
        }
        Action::Copy { from, to } => (String::new(), vec![from.clone(), to.clone()]),
    };
    let words = words
        .split([' ', '=', ',', '"'])
        .map(PathBuf::from)
        .filter(|path| path.starts_with("s") && path.components().count() > 1);
    words.chain(files).collect()
}

/// For each path that a step names, the step that named it, or a folder of it, first.
fn makers(steps: &[Step]) -> Vec<(&Step, BTreeSet<&String>)> {
    let mut first: Vec<(PathBuf, &String)> = Vec::new();
    let mut all = Vec::new();
    for step in steps {
        let mut of = BTreeSet::new();
        for path in paths(step) {
            let known = first.iter().filter(|(made, _)| path.starts_with(made));
            of.extend(known.map(|(_, title)| *title));
            if !first.iter().any(|(made, _)| *made == path) {
                first.push((path, &step.title));
            }
        }
        of.remove(&step.title);
        all.push((step, of));
    }
    all
}

#[test]
fn all_parts_together_are_the_study_and_each_has_what_its_steps_need() {
    let options = Options::new(PathBuf::from("s"));
    for study in STUDIES {
        let steps = study.steps(&options).expect("steps");
        let whole = makers(&steps);
        let needed: usize = whole.iter().map(|(_, makers)| makers.len()).sum();
        assert!(needed > 0, "study {}: no step needs another", study.number);
        let of = studies::independent(&steps, &options.folder) as u32;
        let mut met = BTreeSet::new();
        for index in 1..=of {
            let part = studies::shard_steps(steps.clone(), &options.folder, Shard { index, of });
            assert!(!part.is_empty(), "study {}: part {index} of {of}", study.number);
            let mut done = BTreeSet::new();
            for step in &part {
                let (_, makers) = whole.iter().find(|(other, _)| *other == step).expect("a step");
                let missing: Vec<_> =
                    makers.iter().filter(|title| !done.contains(**title)).collect();
                assert!(missing.is_empty(), "{} without {missing:?}", step.title);
                done.insert(step.title.clone());
            }
            met.extend(done);
        }
        let all: BTreeSet<String> = steps.iter().map(|step| step.title.clone()).collect();
        assert_eq!(met, all, "study {}", study.number);
    }
}

#[test]
fn texts_of_a_folder_take_the_place_of_the_built_in_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let study = STUDIES[1];
    let options = Options::new(PathBuf::from("s"));
    for without in [folder.path().to_owned(), folder.path().join("nowhere")] {
        let refused = study.with_texts(&without).expect_err("no texts").to_string();
        assert!(refused.contains(&without.display().to_string()), "{refused}");
    }
    let write =
        |text: &str| std::fs::write(folder.path().join("steps.toml"), text).expect("written");
    write("[[step]]\ntitle = \"one\"\ncommand = \"agents list\"\n");
    let steps = study.with_texts(folder.path()).expect("texts").steps(&options).expect("steps");
    assert_eq!(steps.len(), 1, "{steps:?}");
    for wrong in
        ["[[step]]\ntitel = 1\n", "# {% for %}\n", "[[step]]\ntitle = \"a\"\ncommand = \"b 'c\"\n"]
    {
        write(wrong);
        let refused = study.with_texts(folder.path()).expect("texts").steps(&options);
        assert!(refused.is_err(), "{wrong}");
    }
}
