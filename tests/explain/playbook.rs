//! Playbooks: every rule is there, once, on one page that needs nothing else.

use std::fs;
use std::path::Path;

use super::{check_failure, explain, student};

fn made(folder: &Path, name: &str, arguments: &[&str]) -> String {
    let said = explain(folder, &[&["playbook", "made", "--out", name], arguments].concat());
    assert_eq!(said, "");
    fs::read_to_string(folder.join(name)).expect("a file")
}

#[test]
fn a_playbook_has_the_rules_of_all_streets() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    student(at, "made");
    for name in ["book.html", "book.svg"] {
        let book = made(at, name, &[]);
        for words in [
            "made: a playbook",
            "Greedily grown decision trees (CART)",
            "80.0 % on the flop",
            "Before the flop",
            "On the flop",
            "On the turn",
            "On the river",
            "4 leaves",
            "win-rate 70 % or more",
            "the opponent has raised",
            "→ all-in 60 %, check 40 %",
            "raise to 2.5x 80 %, check or call 20 %",
        ] {
            assert!(book.replace("&nbsp;", " ").contains(words), "{name}: {words}: {book}");
        }
        // The trees have 4, 3, 3 and 4 leaves, and all of them are shown.
        assert_eq!(book.matches("→ ").count(), 14, "{name}");
        for outside in ["<script", "src=", "href=", "url(", "@import", "NaN", "inf%"] {
            assert!(!book.contains(outside), "{name}: {outside}");
        }
        assert_eq!(book.replace("http://www.w3.org/2000/svg", "").matches("http").count(), 0);
    }
    let html = fs::read_to_string(at.join("book.html")).expect("a file");
    assert!(html.starts_with("<!doctype html>") && html.ends_with("</html>\n"), "{html}");
    assert_eq!((html.matches("<section>").count(), html.matches("</section>").count()), (4, 4));
    assert_eq!(
        (html.matches("<tr class=\"rule\"").count(), html.matches("</tr>").count()),
        (14, 24)
    );
    assert!(html.contains("@page{size:A4"), "{html}");
    // The shares of play of a street's rules: 10 %, 50 %, 30 % and 10 % before the flop.
    for share in
        ["<td class=\"play\">50 %</td><td class=\"node\">3</td>", "prefers-color-scheme:dark"]
    {
        assert!(html.contains(share), "{share}: {html}");
    }
}

#[test]
fn a_picture_keeps_the_shape_of_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    student(at, "made");
    for (whose, depth) in [("made", "0"), ("made", "3"), ("oct", "3"), ("oct", "5")] {
        let arguments = ["playbook", whose, "--depth", depth, "--out", "book.svg"];
        explain(at, &arguments);
        let book = fs::read_to_string(at.join("book.svg")).expect("a file");
        assert!(book.starts_with("<svg") && book.ends_with("</svg>\n"), "{book}");
        let numbers = book.split("viewBox=\"0 0 ").nth(1).and_then(|rest| rest.split('"').next());
        let size: Vec<f64> = numbers
            .expect("a size")
            .split(' ')
            .map(|number| number.parse().expect("a number"))
            .collect();
        assert!((size[0] / size[1] - 210.0 / 297.0).abs() < 1e-3, "{size:?}");
        // Up to the usual depth everything fits without getting smaller.
        assert_eq!(size[1] == 1123.0, depth != "5", "{whose} {depth}: {size:?}");
        let lowest = book.split(" y=\"").skip(1).map(|rest| {
            rest.split('"').next().expect("a number").parse::<f64>().expect("a number")
        });
        assert!(lowest.fold(0.0, f64::max) < size[1], "{whose} {depth}");
    }
    let top = made(at, "top.svg", &["--depth", "0"]);
    assert_eq!(top.matches("always").count(), 4, "{top}");
    assert!(top.contains(">0+</text>"), "{top}");
}

#[test]
fn a_playbook_of_another_kind_of_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    student(at, "made");
    for name in ["book.pdf", "book", ".html"] {
        check_failure(at, &["playbook", "made", "--out", name], 2, "an .html or an .svg file");
        assert!(!at.join(name).exists());
    }
    check_failure(at, &["playbook", "mlp", "--out", "book.svg"], 3, "`mlp` is not a tree");
    check_failure(
        at,
        &["playbook", "made", "--out", "no/book.svg"],
        2,
        "no/book.svg: there is no folder no",
    );
}
