//! The papers in the root: they are there, and what they point to exists.

use crate::sources::{all_files, root};

#[test]
fn the_papers_that_a_newcomer_needs_are_there() {
    let papers = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/benchmarks.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "examples/cardroom.toml",
        ".deny.toml",
        ".ci/run",
    ];
    for paper in papers {
        assert!(root().join(paper).is_file(), "{paper} is missing");
    }
}

/// The texts between `before` and `after`, with the number of their line.
fn between<'a>(text: &'a str, before: &str, after: char) -> Vec<(usize, &'a str)> {
    let lines = text.lines().enumerate();
    let found = lines.flat_map(|(number, line)| {
        let starts = line.match_indices(before).map(|(at, _)| &line[at + before.len()..]);
        starts.filter_map(move |rest| Some((number + 1, rest.split_once(after)?.0)))
    });
    found.collect()
}

#[test]
fn links_in_papers_lead_to_files() {
    for file in all_files().iter().filter(|file| file.ends_in(&[".md"])) {
        let folder = file.path.parent().expect("a file has a folder");
        for (number, link) in between(&file.text(), "](", ')') {
            let path = link.split('#').next().unwrap_or_default();
            let outside = path.contains("://") || path.starts_with("mailto:");
            assert!(
                path.is_empty() || outside || folder.join(path).exists(),
                "{}:{number}: the link to `{link}` leads nowhere",
                file.name
            );
        }
    }
}

#[test]
fn folders_and_files_named_in_architecture_md_exist() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut checked = 0;
    for (number, line) in text.lines().enumerate() {
        // Every second piece between backquotes is code.
        for code in line.split('`').skip(1).step_by(2) {
            let is_path = code.contains('/') && !code.contains([' ', '(', ':', '<', 'N']);
            if is_path && !code.starts_with("data/") {
                checked += 1;
                assert!(
                    root().join(code).exists(),
                    "ARCHITECTURE.md:{}: `{code}` does not exist",
                    number + 1
                );
            }
        }
    }
    assert!(checked > 10, "only {checked} paths found");
}
