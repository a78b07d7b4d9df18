//! Students beside teachers whose differences are known by heart.

use super::{check_failure, document, explain, student};
use crate::program::{Folder, list, number, shows};

#[test]
fn who_does_what_the_teacher_does_loses_exactly_nothing() {
    let at = &Folder::new();
    let made = student(at, "made");
    // The folder's name stands for the agent.
    let found = document(at, ("fidelity made --teacher", [&made], "--hands 200"));
    assert_eq!(found["schema"], "cardroom-explain-fidelity/1");
    let rows = list(&found["streets"]);
    assert_eq!(rows.len(), 4);
    let mut decisions = 0;
    for row in rows.iter().chain([&found["all"]]) {
        assert_eq!((&row["same_likeliest"], &row["lost"]["mbb"]), (&1.0.into(), &0.0.into()));
        assert!(
            number(&row["distance"]) < 1e-9 && number(&row["divergence"]).abs() < 1e-9,
            "{row}"
        );
        assert_eq!(row["teacher"], row["student"]);
        decisions += row["decisions"].as_u64().expect("a number");
    }
    assert_eq!(decisions, 2 * found["all"]["decisions"].as_u64().expect("a number"));
    // Its strategies are mixed, so that it has a log-loss of its own.
    assert!(number(&rows[0]["log_loss"]) > 0.1, "{found}");
}

#[test]
fn what_is_lost_is_lost_on_the_street_of_the_difference() {
    let at = &Folder::new();
    // `fold` folds as the button before the flop, and checks everywhere else, as `call` does.
    let arguments = "fidelity fold --teacher call --hands 2000 --seed 3";
    let found = document(at, arguments);
    let rows = list(&found["streets"]);
    let street = |at: usize, key: &str| number(&rows[at][key]);
    assert_eq!((street(0, "same_likeliest"), street(0, "distance")), (0.5, 0.5));
    assert_eq!((street(1, "same_likeliest"), street(1, "distance")), (1.0, 0.0));
    assert_eq!(number(&rows[0]["student"]["fold"]), 0.5);
    assert_eq!(number(&rows[0]["teacher"]["call"]), 1.0);
    // Half of its hands lose the small blind, half a big blind; what `call` wins with itself is
    // nothing on average.
    let lost = &rows[0]["lost"];
    let [mbb, low, high] =
        [&lost["mbb"], &lost["interval"]["low"], &lost["interval"]["high"]].map(number);
    assert!((mbb - 250.0).abs() < high - low && high - low < 100.0, "{lost}");
    assert_eq!(&found["all"]["lost"], lost);
    for row in &rows[1..] {
        assert_eq!(row["lost"]["mbb"], 0.0);
    }
    let text = explain(at, arguments);
    shows(&text, &["fold compared with its teacher call", "2,000 hands", "0.0 → 50.0 %", "50.0 %"]);
    assert!(text.lines().all(|line| line.chars().count() <= 130), "{text}");
}

#[test]
fn threads_do_not_matter_to_a_comparison() {
    let at = &Folder::new();
    let made = student(at, "made");
    let compared = |jobs: &str, seed: &str| {
        let pair = ("fidelity", [&made], "--teacher random --hands 60 --json");
        explain(at, (pair, ["--threads", jobs, "--seed", seed]))
    };
    let one = compared("1", "1");
    assert_eq!(one, compared("3", "1"));
    assert_ne!(one, compared("1", "2"));
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let at = &Folder::new();
    for (arguments, code, expected) in [
        ("fidelity call --teacher call --hands 7", 2, "give an even number"),
        ("fidelity external:true", 3, "agents that can: call, fold"),
        ("fidelity call --teacher nobody", 3, "there is no agent `nobody`"),
        (
            "fidelity call --teacher call --game holdem.limit.3p",
            3,
            "3 players; duplicate matches here are of games of two",
        ),
    ] {
        check_failure(at, arguments, code, expected);
    }
}
