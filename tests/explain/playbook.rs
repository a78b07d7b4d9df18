//! Playbooks: every rule is there, once, on one page that needs nothing else.

use super::{check_failure, explain, student};
use crate::program::{Folder, Words, shows};

fn made(folder: &Folder, name: &str, arguments: impl Words) -> String {
    let said = explain(folder, ("playbook made --out", [name], arguments));
    assert_eq!(said, "");
    folder.read(name)
}

#[test]
fn a_playbook_has_the_rules_of_all_streets() {
    let at = &Folder::new();
    student(at, "made");
    let html = made(at, "book.html", "");
    for words in [
        "made: a playbook",
        "Greedily grown decision trees (CART)",
        "80.0 % on the flop",
        "Before the flop",
        "On the flop",
        "On the turn",
        "On the river",
        "4 leaves",
        "equity 70 % or more",
        "the opponent has raised",
        "→ all-in 60 %, check 40 %",
        "raise to 2.5x 80 %, check or call 20 %",
    ] {
        assert!(html.replace("&nbsp;", " ").contains(words), "{words}: {html}");
    }
    // The trees have 4, 3, 3 and 4 leaves, and all of them are shown.
    assert_eq!(html.matches("→ ").count(), 14);
    for outside in ["<script", "src=", "href=", "url(", "@import", "http", "NaN", "inf%"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"), "{html}");
    assert_eq!((html.matches("<section>").count(), html.matches("</section>").count()), (4, 4));
    assert_eq!(
        (html.matches("<tr class=\"rule\"").count(), html.matches("</tr>").count()),
        (14, 24)
    );
    assert!(html.contains("@page{size:A4"), "{html}");
    // The shares of play of a street's rules: 10 %, 50 %, 30 % and 10 % before the flop.
    shows(
        &html,
        &["<td class=\"play\">50 %</td><td class=\"node\">3</td>", "prefers-color-scheme:dark"],
    );
}

#[test]
fn a_playbook_of_depth_0_has_a_line_for_each_street() {
    let at = &Folder::new();
    student(at, "made");
    let top = made(at, "top.html", "--depth 0");
    assert_eq!(top.matches("always").count(), 4, "{top}");
    assert!(top.contains(">0+</td>"), "{top}");
}

#[test]
fn a_playbook_of_another_kind_of_file_is_refused() {
    let at = &Folder::new();
    student(at, "made");
    for name in ["book.pdf", "book.svg", "book", ".html"] {
        check_failure(at, ("playbook made --out", [name]), 2, "a playbook is an .html file");
        assert!(!at.join(name).exists());
    }
    check_failure(at, "playbook mlp --out book.html", 3, "`mlp` is not a tree");
    check_failure(at, "playbook made --out no/book.html", 2, "no/book.html: there is no folder no");
}
