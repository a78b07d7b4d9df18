//! Replies, read as the original server reads them: one case for each row of its behaviour.

use game::{Action, Turn};
use protocol::acpc::MatchState;
use protocol::acpc::reply::{self, Question, Reply};

use crate::table::{LIMIT, NOLIMIT, game, replay};

/// What is made of a line, where the betting so far is given. `{S}` stands for the line sent.
fn asked<T>(name: &str, betting: &str, line: &str, of: impl Fn(&[u8], &Question<'_>) -> T) -> T {
    let def = game(name);
    let state = replay(&def, 0, betting);
    let Turn::Act(seat) = state.public.turn() else { panic!("nobody acts after {betting}") };
    let sent = MatchState::for_seat(0, seat, &state).to_string();
    let hole = state.hole[seat];
    let question = Question { hand: 0, seat, public: &state.public, hole, line: sent.as_bytes() };
    of(line.replace("{S}", &sent).as_bytes(), &question)
}

/// The reading of a line in words, and whether the strict one takes it.
fn read(name: &str, betting: &str, line: &str) -> (String, bool) {
    let words = |line: &[u8], question: &Question<'_>| match reply::read(line, question) {
        Reply::Comment => "comment".to_owned(),
        Reply::Ignored(reason) => format!("ignored: {reason:?}"),
        Reply::Act { action, correction } => {
            let action = match action {
                Action::Fold => "f".to_owned(),
                Action::Call => "c".to_owned(),
                Action::RaiseTo(total) => format!("r{total}"),
            };
            correction.map_or(action.clone(), |why| format!("{action}: {why:?}"))
        }
    };
    let strict = |line: &[u8], question: &Question<'_>| reply::read_strict(line, question).is_ok();
    (asked(name, betting, line, words), asked(name, betting, line, strict))
}

/// Each row has lines and what all of them are read as.
fn check_each(name: &str, betting: &str, cases: &[(&[&str], &str)]) {
    for (lines, expected) in cases {
        lines.iter().for_each(|line| check(name, betting, &[(line, expected)]));
    }
}

fn check(name: &str, betting: &str, cases: &[(&str, &str)]) {
    for (line, expected) in cases {
        assert_eq!(read(name, betting, line).0, *expected, "{name} {betting} {line:?}");
    }
}

#[test]
fn actions_are_read_by_their_first_letter() {
    let invalid = "c: Invalid { too_many_actions: false }";
    let calls = "{S}:c\r\r\n {S}:C\r\n {S}:k\r\n {S}:K\r\n {S}:cfoo\r\n {S}:c100\r\n {S}:c";
    let calls: Vec<&str> = calls.split(' ').collect();
    check_each(
        NOLIMIT,
        "",
        &[
            (&["{S}:f\r\n", "{S}:F\n", "{S}:f100\r\n"], "f"),
            (&calls, "c"),
            (&["{S}:r300\r\n", "{S}:R300\r\n", "{S}:b300\r\n", "{S}:B300\r\n"], "r300"),
            (&["{S}:r300.7\r\n", "{S}:r 300\r\n", "{S}:r+300\r\n"], "r300"),
            (&["{S}:r4294967596\r\n"], "r300"),
            (&["{S}:r20000\r\n"], "r20000"),
            (&["{S}:r150\r\n"], "r200: Increased { from: 150, to: 200 }"),
            (&["{S}:r0\r\n", "{S}:r0x200\r\n"], "r200: Increased { from: 0, to: 200 }"),
            (&["{S}:r-5\r\n"], "r200: Increased { from: -5, to: 200 }"),
            (&["{S}:r2147483648\r\n"], "r200: Increased { from: -2147483648, to: 200 }"),
            (&["{S}:r20001\r\n"], "r20000: Decreased { from: 20001, to: 20000 }"),
            (&["{S}:r99999999999\r\n"], "r20000: Decreased { from: 1215752191, to: 20000 }"),
            (&["{S}:r\r\n", "{S}:rr\r\n", "{S}:r+\r\n"], "c: BadFormat"),
            (&["{S}:x\r\n", "{S}:300\r\n", "{S}: c\r\n", "{S}:\r\n"], invalid),
            (&["{S}:", "{S}:\0c\r\n"], invalid),
            (&["{S}\r\n", "{S}", "{S} :c\r\n", "{S}/8dAs8s:c\r\n"], "c: BadFormat"),
            (&["{S}|:c\r\n", "{S}7c:c\r\n"], "c: BadFormat"),
        ],
    );
    let raises = ["{S}:r\r\n", "{S}:r100\r\n", "{S}:b\r\n", "{S}:r-5\r\n"];
    check_each(LIMIT, "", &[(&raises, "r20")]);
}

#[test]
fn illegal_actions_become_calls() {
    let invalid = "c: Invalid { too_many_actions: false }";
    check(LIMIT, "rrr", &[("{S}:r\r\n", invalid), ("{S}:f\r\n", "f")]);
    check(LIMIT, "c", &[("{S}:f\r\n", invalid)]);
    check(
        NOLIMIT,
        "cc/",
        &[("{S}:f\r\n", invalid), ("{S}:r199\r\n", "r200: Increased { from: 199, to: 200 }")],
    );
    check(NOLIMIT, "r20000", &[("{S}:r20000\r\n", invalid), ("{S}:r\r\n", "c: BadFormat")]);
    check(NOLIMIT, "r300", &[("{S}:r301\r\n", "r500: Increased { from: 301, to: 500 }")]);
    let raises: String = (2..65).map(|i| format!("r{i}00")).collect();
    check(
        NOLIMIT,
        &raises,
        &[("{S}:r6500\r\n", "c: Invalid { too_many_actions: true }"), ("{S}:c\r\n", "c")],
    );
}

#[test]
fn lines_that_are_no_match_state_are_ignored() {
    let lines = [
        "\r\n",
        "\n",
        "c\r\n",
        "hello\r\n",
        "matchstate:1:0::|9hQd:c\r\n",
        " {S}:c\r\n",
        "STATE:0::|9hQd:c\r\n",
        "MATCHSTATE\r\n",
        "MATCHSTATE:\r\n",
        "MATCHSTATE:x:0::|9hQd:c\r\n",
        "MATCHSTATE:2:0::|9hQd:c\r\n",
        "MATCHSTATE:7:0::|9hQd:c\r\n",
        "MATCHSTATE:1\r\n",
        "MATCHSTATE:1:\r\n",
        "MATCHSTATE:1:0\r\n",
        "MATCHSTATE:1:x::|9hQd:c\r\n",
        "MATCHSTATE:1:0:x:|9hQd:c\r\n",
        "MATCHSTATE:1:0:ff:|9hQd:c\r\n",
        "MATCHSTATE:1:0:cccccc:|9hQd:c\r\n",
        "MATCHSTATE:1:0:r150:|9hQd:c\r\n",
        "MATCHSTATE:1:0:r:|9hQd:c\r\n",
        "MATCHSTATE:1:0:cc/:|9hQd:c\r\n",
        "MATCHSTATE:1:0:cc/:|9hQd/8dAs:c\r\n",
        "MATCHSTATE:1:0::|9h:c\r\n",
        "MATCHSTATE:1:0:fc:|9hQd:c\r\n",
        "MATCHSTATE 1:0::|9hQd:c\r\n",
    ];
    for line in lines {
        assert_eq!(read(NOLIMIT, "", line).0, "ignored: BadState", "{line:?}");
    }
}

#[test]
fn match_states_that_were_not_asked_about_are_ignored() {
    let cases = [
        ("", "MATCHSTATE:1:5::|9hQd:c\r\n"),
        ("", "MATCHSTATE:0:0::|9hQd:c\r\n"),
        ("", "MATCHSTATE:1:0:c:|9hQd:c\r\n"),
        ("", "MATCHSTATE:1:0:f:|9hQd:r300\r\n"),
        ("", "MATCHSTATE:1:0::|Qd9h:c\r\n"),
        ("", "MATCHSTATE:1:0::|9hQc:c\r\n"),
        ("", "MATCHSTATE:1:0::9hQd|:c\r\n"),
        ("", "MATCHSTATE:1:0::|:c\r\n"),
        ("", "MATCHSTATE:1:0::\r\n"),
        ("", "MATCHSTATE:1:0:"),
        ("cc/", "MATCHSTATE:0:0:cc/:5d5c|/8dAs8h:c\r\n"),
        ("cc/", "MATCHSTATE:0:0:cc/:5d5c|/As8d8s:c\r\n"),
        ("r300c/", "MATCHSTATE:0:0:r301c/:5d5c|/8dAs8s:c\r\n"),
        ("cc/", "MATCHSTATE:0:0:c:5d5c|:c\r\n"),
    ];
    for (betting, line) in cases {
        assert_eq!(read(NOLIMIT, betting, line).0, "ignored: Unrequested", "{line:?}");
    }
}

#[test]
fn differences_that_do_not_matter_are_accepted() {
    check(
        NOLIMIT,
        "",
        &[
            ("MATCHSTATE:1:0::2c2d|9hQd:c\r\n", "c"),
            ("MATCHSTATE:1:0::|9HqD:c\r\n", "c"),
            ("MATCHSTATE:1:0:///:|9hQd:c\r\n", "c"),
            ("MATCHSTATE:1:00::|9hQd:c\r\n", "c"),
            ("MATCHSTATE:257:0::|9hQd:c\r\n", "c"),
            ("MATCHSTATE:-255:0::|9hQd:c\r\n", "c"),
            ("MATCHSTATE: 1: 0::|9hQd:c\r\n", "c"),
            ("MATCHSTATE:1:4294967296::|9hQd:c\r\n", "c"),
            ("MATCHSTATE:1:0::2c2d9hQd:c\r\n", "c"),
            ("MATCHSTATE:1:0::|9hQd:c\r\n", "c"),
        ],
    );
    check(
        NOLIMIT,
        "r300c/",
        &[
            ("MATCHSTATE:0:0:R300k:5d5c2c2d8dAs8s:c\r\n", "c"),
            ("MATCHSTATE:0:0:r 300c:5d5c8dAs8s:c\r\n", "ignored: BadState"),
            ("MATCHSTATE:0:0:b+300/c:5d5c|/8DaS8S:r600\r\n", "r600"),
        ],
    );
}

#[test]
fn comments_are_skipped() {
    for line in ["# c\r\n", "; {S}:c\r\n", "#", ";\n"] {
        assert_eq!(read(NOLIMIT, "", line), ("comment".to_owned(), true), "{line:?}");
    }
}

#[test]
fn the_strict_reading_takes_exact_replies_only() {
    let right = ["{S}:f\r\n", "{S}:c\n", "{S}:r300\r\n", "{S}:r20000\r\n", "{S}:r200\n"];
    let wrong = [
        ["{S}:F\r\n", "{S}:k\r\n", "{S}:c", "{S}:c\r\r\n", "{S}:cc\r\n", "{S}:r\r\n"],
        ["{S}:r0300\r\n", "{S}:r+300\r\n", "{S}:r199\r\n", "{S}:r20001\r\n", "{S}\r\n", "{S}:\r\n"],
        [
            " {S}:c\r\n",
            "MATCHSTATE:1:00::|9hQd:c\r\n",
            "hello\r\n",
            "\r\n",
            "{S}:c \r\n",
            "{S}:b300\r\n",
        ],
    ];
    for line in right {
        assert!(read(NOLIMIT, "", line).1, "{line:?}");
    }
    for line in wrong.concat() {
        assert!(!read(NOLIMIT, "", line).1, "{line:?}");
    }
    assert!(read(LIMIT, "", "{S}:r\r\n").1);
    assert!(!read(LIMIT, "", "{S}:r20\r\n").1);
    assert!(!read(LIMIT, "c", "{S}:f\r\n").1);
}

#[test]
fn what_is_asked_for_is_known_though_it_is_not_legal() {
    let cases = [
        (NOLIMIT, "", "{S}:r99999999", Some(Action::RaiseTo(99_999_999))),
        (NOLIMIT, "", "{S}:r-5", Some(Action::RaiseTo(0))),
        (NOLIMIT, "cc/", "{S}:f", Some(Action::Fold)),
        (NOLIMIT, "", "{S}:r", None),
        (NOLIMIT, "", "{S}:x", None),
        (NOLIMIT, "", "{S}", None),
        (LIMIT, "rrr", "{S}:r", Some(Action::RaiseTo(50))),
    ];
    for (name, betting, line, expected) in cases {
        let found = asked(name, betting, line, reply::asked_for);
        assert_eq!(found, expected, "{name} {line}");
    }
}
