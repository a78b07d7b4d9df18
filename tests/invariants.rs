//! The invariants of ARCHITECTURE.md that can be read off the source text.

use crate::sources::{File, folder_of_crate, rust_files, without_comments};

/// Whether the file belongs to the code (not the tests) of one of these crates.
fn in_source_of(file: &File, crates: &[&str]) -> bool {
    crates.iter().any(|name| file.name.starts_with(&(folder_of_crate(name) + "src/")))
}

/// Fails when one of these words stands in the code of one of these crates.
fn forbid(crates: &[&str], words: &[&str], why: &str) {
    for file in rust_files().iter().filter(|file| in_source_of(file, crates)) {
        let code = without_comments(&file.text());
        for (number, line) in code.lines().enumerate() {
            let word = words.iter().find(|word| line.contains(**word));
            assert!(word.is_none(), "{}:{}: `{}`: {why}", file.name, number + 1, line.trim());
        }
    }
}

const PURE: [&str; 9] = [
    "cards",
    "game",
    "protocol",
    "abstraction",
    "models",
    "solvers",
    "learners",
    "readable",
    "agents",
];

#[test]
fn pure_crates_read_no_clock() {
    let why = "time is handed to this crate, it reads no clock (invariant 3)";
    forbid(&PURE, &["Instant::now", "SystemTime", "sleep("], why);
}

#[test]
fn pure_crates_and_logs_touch_no_network_and_no_runtime() {
    let why = "this crate does no network input or output (invariant 3)";
    forbid(&PURE, &["std::net", "TcpStream", "UdpSocket", "tokio"], why);
    forbid(&["logs", "evaluation"], &["std::net", "TcpStream", "UdpSocket", "tokio"], why);
    forbid(&["matches"], &["tokio", "UdpSocket"], "the wire is `wire`'s (ARCHITECTURE.md)");
}

#[test]
fn pure_crates_draw_no_randomness_of_their_own() {
    let why = "random sources are handed to this crate (invariant 9)";
    forbid(&PURE, &["rand::rng()", "thread_rng", "from_os_rng", "getrandom", "RandomState"], why);
}

/// The other callers of `Agent::act`: agents that ask other agents, and the suite that judges them.
const CALLERS: [&str; 6] = [
    "matches/src/bot.rs",
    "agents/src/router.rs",
    "agents/src/shadow.rs",
    "agents/src/fallback.rs",
    "agents/src/fitted.rs",
    "agents/src/contract.rs",
];

#[test]
fn only_bots_and_wrappers_call_an_agent() {
    let mut callers = 0;
    for file in rust_files() {
        let in_source = file.name.starts_with("src/") || file.name.contains("/src/");
        if !in_source || file.name.contains("/tests/") {
            continue;
        }
        let code = without_comments(&file.text());
        // `Agent::act` takes two arguments; the protocol's players and dealers take other numbers.
        let calls = code.match_indices(".act(").filter(|(at, _)| arguments(&code[at + 5..]) == 2);
        if calls.count() > 0 {
            callers += 1;
            let name = file.name;
            assert!(
                CALLERS.contains(&name.as_str()),
                "{name} calls an agent: only matches::bot does (invariant 2)"
            );
        }
    }
    assert_eq!(callers, CALLERS.len(), "a caller is named that does not call");
}

/// The number of arguments of a call, given the text after its opening parenthesis.
fn arguments(rest: &str) -> usize {
    let (mut depth, mut commas, mut last) = (0, 0, ',');
    for letter in rest.chars() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => break,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => commas += 1,
            _ => {}
        }
        if !letter.is_whitespace() {
            last = letter;
        }
    }
    if last == ',' { commas } else { commas + 1 }
}

#[test]
fn arguments_are_counted() {
    for (rest, count) in [(")", 0), ("a)", 1), ("a, b)", 2), ("f(a, b), [1, 2],\n) ,", 2)] {
        assert_eq!(arguments(rest), count, "{rest}");
    }
}

/// The modules that may hold unsafe code, each audited by hand.
const UNSAFE: [&str; 7] = [
    "crates/cards/src/evaluate/batch.rs",
    "crates/cards/src/evaluate/tables.rs",
    "crates/learners/src/mlp/adam.rs",
    "crates/learners/src/mlp/product.rs",
    "crates/models/src/file.rs",
    "crates/models/src/network/gemm.rs",
    "crates/solvers/src/holdem/subgame/vector.rs",
];

#[test]
fn unsafe_code_stands_only_in_named_modules() {
    let word = ["un", "safe"].concat();
    // What a content policy calls styles within a page.
    let policy = format!("'{word}-inline'");
    for file in rust_files().iter().filter(|file| !UNSAFE.contains(&file.name.as_str())) {
        for (number, line) in without_comments(&file.text()).lines().enumerate() {
            let line = line.replace(&policy, "");
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            assert!(
                !words.any(|found| found == word),
                "{}:{}: {word} code in a module not named in tests/invariants.rs",
                file.name,
                number + 1
            );
        }
    }
}
