//! Tidy files: module headers, sizes, line ends, nothing left unfinished, nothing ignored by
//! mistake.

use std::process::Command;

use show::svg::Colour;

use crate::sources::{all_files, root, rust_files};

/// Columns of a line of Rust, comments and texts included.
const WIDEST: usize = 100;
/// Bytes above which a file does not belong in the repository, models aside.
const LARGEST: u64 = 1 << 20;

#[test]
fn rust_files_open_by_saying_what_they_are() {
    for file in rust_files() {
        assert!(
            file.text().starts_with("//! "),
            "{}: no `//!` header on its first line",
            file.name
        );
    }
}

#[test]
fn rust_lines_are_within_100_columns() {
    for file in rust_files() {
        for (number, line) in file.text().lines().enumerate() {
            // Messages of a protocol are one line, as raw literals here.
            let fits = line.chars().count() <= WIDEST || line.contains(concat!("r", '#'));
            assert!(fits, "{}:{}: more than {WIDEST} columns", file.name, number + 1);
        }
    }
}

#[test]
fn nothing_is_left_unfinished() {
    // Put together so that this file does not contain the words.
    let words = [concat!("to", "do!("), concat!("unimplement", "ed!("), concat!("db", "g!(")];
    for file in rust_files() {
        for (number, line) in file.text().lines().enumerate() {
            for word in words {
                assert!(!line.contains(word), "{}:{}: {line}", file.name, number + 1);
            }
        }
    }
}

#[test]
fn texts_have_plain_line_ends_and_no_trailing_blanks() {
    let endings = [".rs", ".toml", ".md", ".py", ".sh", ".game", ".html", ".css", ".js", ".txt"];
    let named = [".ci/run", ".gitignore", "LICENSE-MIT", "LICENSE-APACHE"];
    for file in all_files() {
        if !file.ends_in(&endings) && !named.contains(&file.name.as_str()) {
            continue;
        }
        let text = file.text();
        assert!(text.is_empty() || text.ends_with('\n'), "{}: no line end at its end", file.name);
        for (number, line) in text.split('\n').enumerate() {
            let blank = line.ends_with([' ', '\t', '\r']);
            assert!(!blank, "{}:{}: blanks or CR at the end of the line", file.name, number + 1);
        }
    }
}

#[test]
fn no_file_is_large() {
    for file in all_files().iter().filter(|file| !file.name.starts_with("agents/models/")) {
        let bytes = std::fs::metadata(&file.path).expect("a listed file").len();
        assert!(bytes <= LARGEST, "{} has {bytes} bytes: run output belongs in data/", file.name);
    }
}

/// Whether git would leave this path out; `None` outside a git checkout.
fn ignored_by_git(path: &str) -> Option<bool> {
    let git = |arguments: &[&str]| {
        let status =
            Command::new("git").arg("-C").arg(root()).args(arguments).output().ok()?.status;
        status.code()
    };
    (git(&["rev-parse", "--git-dir"])? == 0)
        .then(|| git(&["check-ignore", "--quiet", "--no-index", path]) == Some(0))
}

#[test]
fn gitignore_hides_run_output_and_no_crate() {
    for path in
        ["data/matches/x/ledger.sqlite", "target/release/cardroom", "crates/game/target/x.json"]
    {
        assert_ne!(ignored_by_git(path), Some(false), "{path} should be ignored");
    }
    for path in
        ["logs/src/lib.rs", "logs/new.rs", "protocol/games/new.game", "agents/models/x/data/m.bin"]
    {
        assert_ne!(ignored_by_git(path), Some(true), "{path} must not be ignored");
    }
}

#[test]
fn nothing_that_git_would_ignore_is_in_the_repository() {
    let listed = ["-C", env!("CARGO_MANIFEST_DIR"), "ls-files", "-ci", "--exclude-standard"];
    // Outside a git checkout, or without git, it lists nothing.
    let output = Command::new("git").args(listed).output();
    let listed = output.map(|output| output.stdout).unwrap_or_default();
    assert_eq!(String::from_utf8_lossy(&listed), "");
}

/// The colours of the variables in the pages' style sheets.
const VARIABLES: [(&str, Colour); 45] = [
    ("ground", Colour::PageGround),
    ("card", Colour::Ground),
    ("ink", Colour::Ink),
    ("soft", Colour::Soft),
    ("line", Colour::PageLine),
    ("felt", Colour::PageFelt),
    ("felt-soft", Colour::PageLabel),
    ("gain", Colour::Gain),
    ("loss", Colour::Loss),
    ("warn", Colour::Warning),
    ("spade", Colour::Ink),
    ("heart", Colour::Heart),
    ("diamond", Colour::Diamond),
    ("club", Colour::Club),
    ("cloth", Colour::Table),
    ("cloth-edge", Colour::TableEdge),
    ("on-cloth", Colour::TableInk),
    ("on-cloth-soft", Colour::TableSoft),
    ("paper", Colour::Card),
    ("paper-line", Colour::CardLine),
    ("pc-s", Colour::CardSpade),
    ("pc-h", Colour::CardHeart),
    ("pc-d", Colour::CardDiamond),
    ("pc-c", Colour::CardClub),
    ("back", Colour::Back),
    ("back-line", Colour::BackLine),
    ("chip", Colour::Chip),
    ("chip-edge", Colour::ChipEdge),
    ("chip-middle", Colour::ChipMiddle),
    ("act", Colour::Button),
    ("on-act", Colour::ButtonInk),
    ("won", Colour::PageFelt),
    ("luck", Colour::Luck),
    ("act-fold", Colour::Fold),
    ("act-call", Colour::Call),
    ("act-raise-0", Colour::Raise(0)),
    ("act-raise-1", Colour::Raise(1)),
    ("act-raise-2", Colour::Raise(2)),
    ("act-raise-3", Colour::Raise(3)),
    ("act-raise-4", Colour::Raise(4)),
    ("act-all-in", Colour::AllIn),
    ("some", Colour::Felt),
    ("high", Colour::Felt),
    ("low", Colour::Shade),
    ("empty", Colour::Field),
];

/// Whether the text has a colour code: a number sign, six hexadecimal digits and no further letter.
fn has_colour_code(text: &str) -> bool {
    text.split('#').skip(1).any(|rest| {
        let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        word.len() == 6 && word.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

#[test]
fn style_sheets_have_the_colours_of_pictures() {
    let mut found = 0;
    for sheet in ["style.css", "play.css", "study.css"] {
        let path = root().join("src/web/assets").join(sheet);
        let style = std::fs::read_to_string(path).expect("a file");
        let (light, dark) = style.split_once("prefers-color-scheme: dark").expect("two schemes");
        let codes = |scheme: &str| -> Vec<(String, String)> {
            let lines = scheme.lines().filter(|line| has_colour_code(line));
            let code = |line: &str| {
                let variable =
                    line.trim().strip_prefix("--").and_then(|line| line.split_once(": "));
                let (name, code) = variable.unwrap_or_else(|| panic!("{sheet}: {line}"));
                (name.to_owned(), code.trim_end_matches(';').to_owned())
            };
            lines.map(code).collect()
        };
        let dark = codes(dark);
        let light = codes(light);
        for (name, _) in &dark {
            assert!(light.iter().any(|(known, _)| known == name), "{sheet}: only dark: --{name}");
        }
        for (name, code) in light {
            let variable = VARIABLES.iter().find(|(known, _)| *known == name);
            let (_, colour) = variable.unwrap_or_else(|| panic!("{sheet}: unknown --{name}"));
            let dark = dark.iter().find(|(known, _)| *known == name);
            let dark = dark.map_or(&code, |(_, dark)| dark);
            assert_eq!([code.as_str(), dark], colour.codes(), "{sheet}: --{name}, {colour:?}");
            found += 1;
        }
    }
    assert_eq!(found, VARIABLES.len());
}

#[test]
fn colours_are_named_in_one_file() {
    for file in rust_files().iter().filter(|file| file.name != "crates/show/src/svg/mod.rs") {
        for (number, line) in file.text().lines().enumerate() {
            assert!(!has_colour_code(line), "{}:{}: {line}", file.name, number + 1);
        }
    }
}
