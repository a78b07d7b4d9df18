//! The seed corpus of the fuzz targets, and random data, through the same functions.

use std::path::Path;

use proptest::prelude::*;

use crate::fuzzing::{acpc, gtowizard, pokerbots, slumbot, upi};

type Target = (&'static str, fn(&[u8]));

const TARGETS: [Target; 14] = [
    ("game_file", acpc::game_file),
    ("match_state", acpc::match_state),
    ("reply", acpc::reply),
    ("player", acpc::player),
    ("dealer", acpc::dealer),
    ("pokerbots_engine", pokerbots::engine),
    ("pokerbots_player", pokerbots::player),
    ("slumbot_action", slumbot::action),
    ("slumbot_incr", slumbot::incr),
    ("slumbot_request", slumbot::request),
    ("slumbot_answer", slumbot::answer),
    ("gtowizard_answer", gtowizard::answer),
    ("gtowizard_request", gtowizard::request),
    ("upi_command", upi::commands),
];

#[test]
fn every_file_of_the_corpus_holds() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz/corpus");
    for (name, target) in TARGETS {
        let folder = root.join(name);
        let files = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder:?}: {e}"));
        let mut count = 0;
        for file in files {
            target(&std::fs::read(file.unwrap().path()).unwrap());
            count += 1;
        }
        assert!(count >= 3, "{folder:?} holds {count} files only");
    }
}

proptest! {
    #[test]
    fn random_data_holds(data in proptest::collection::vec(any::<u8>(), 0..300)) {
        for (_, target) in TARGETS {
            target(&data);
        }
    }

    /// Bytes that look like play reach further than noise.
    #[test]
    fn scripts_that_look_like_play_hold(
        game in 0..14u8,
        policy: u8,
        lines in proptest::collection::vec((any::<u8>(), "\x01?:?[fcrbk]?[0-9]{0,5}",
            any::<bool>()), 1..40),
    ) {
        let mut script = vec![game, policy];
        for entrant in 0..6u8 {
            script.extend([&[entrant][..], b"VERSION:2.0.0\n"].concat());
        }
        for (head, text, exact) in lines {
            script.push(if head < 250 { head % 6 } else { head });
            script.extend(if exact { "\u{1}:c".as_bytes() } else { text.as_bytes() });
            script.push(b'\n');
        }
        acpc::dealer(&script);
    }

    /// Answers that look like play reach the later streets.
    #[test]
    fn answers_that_look_like_play_hold(
        cards: u8,
        answers in proptest::collection::vec("[FCKR]?[CKR]?(4|6|20|90|300|400)?", 1..20),
    ) {
        let script = [&[cards][..], answers.join("\n").as_bytes()].concat();
        pokerbots::engine(&script);
    }
}
