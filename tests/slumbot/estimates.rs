//! The estimates at the end of `cardroom play slumbot`, left before they are made.

use std::io::{BufRead, BufReader, Read};

use super::{host, played};
use crate::program::{Folder, end, send, shows};

/// Plays, or goes on with what is complete already, and interrupts the run as soon as it has said
/// what came of it. Gives the exit code and all that was said on both streams.
fn interrupted(folder: &Folder, url: &str) -> (Option<i32>, [String; 2]) {
    let options = "--agent random --hands 1500 --out run --host";
    let mut child = folder.start(("play slumbot", options, [url]));
    let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut said = String::new();
    out.read_line(&mut said).expect("text");
    send("INT", child.id());
    out.read_to_string(&mut said).expect("text");
    let run = end(child);
    (run.status, [said, run.stderr])
}

#[test]
fn ctrl_c_leaves_the_estimates_and_loses_nothing() {
    let at_run = Folder::new();
    let (host, run) = (host(""), at_run.join("run"));
    // On a busy machine the signal may come when all is done: then it is tried again.
    let tries = std::iter::repeat_with(|| interrupted(&at_run, &host.url())).take(20);
    let [result, said] = tries
        .inspect(|(code, said)| assert!(matches!(code, Some(0 | 130)), "{code:?} {said:?}"))
        .find_map(|(code, said)| (code == Some(130)).then_some(said))
        .expect("the signal comes in time at least once");
    shows(
        &said,
        &[
            "skipping the estimates",
            "all 1500 hands are played and kept",
            "for the estimates: cardroom stats run",
        ],
    );
    assert!(result.contains("1500 hands") && !result.contains("combined"), "{result}");
    assert_eq!(played(&run), 1500);
}
