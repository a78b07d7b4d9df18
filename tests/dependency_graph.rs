//! Which crate may use which: the picture in ARCHITECTURE.md, read from the Cargo.toml files.

use std::collections::{BTreeMap, BTreeSet};

use crate::sources::{root, rust_files};

/// The edges of the picture: each crate with those it may use. It may also use what those may use.
const PICTURE: [(&str, &[&str]); 18] = [
    ("show", &[]),
    ("parallel", &[]),
    ("cards", &[]),
    ("game", &["cards"]),
    ("protocol", &["game", "show"]),
    ("abstraction", &["game", "parallel"]),
    ("logs", &["game", "parallel", "show"]),
    ("models", &["abstraction", "show"]),
    ("solvers", &["abstraction"]),
    ("agents", &["models", "solvers"]),
    ("learners", &["models", "solvers"]),
    ("matches", &["protocol", "agents", "logs"]),
    ("evaluation", &["matches"]),
    ("wire", &["matches"]),
    ("studies", &["models", "logs"]),
    ("gpu", &["learners"]),
    ("queue", &[]),
    ("cardroom", &["evaluation", "wire", "learners", "studies", "gpu", "queue"]),
];

/// Crates that come before the network: none of these libraries may be among their dependencies.
const OFFLINE: [&str; 14] = [
    "show",
    "parallel",
    "cards",
    "game",
    "protocol",
    "abstraction",
    "models",
    "solvers",
    "agents",
    "learners",
    "logs",
    "matches",
    "evaluation",
    "studies",
];
const NETWORK: [&str; 8] =
    ["tokio", "tokio-util", "socket2", "axum", "hyper", "reqwest", "tower-http", "mio"];

/// Everything a crate may use, directly or through others.
fn allowed(name: &str) -> BTreeSet<&'static str> {
    let (_, direct) = PICTURE
        .iter()
        .find(|(member, _)| *member == name)
        .unwrap_or_else(|| panic!("the crate `{name}` is not in the picture: {REMEDY}"));
    direct.iter().flat_map(|&used| allowed(used).into_iter().chain([used])).collect()
}

const REMEDY: &str = "a new edge is a decision; change the picture in ARCHITECTURE.md and the table \
     in tests/dependency_graph.rs in the same commit, and say why";

/// Each member of the workspace with the names of all its dependencies of every kind.
fn members() -> BTreeMap<String, BTreeSet<String>> {
    let read = |folder: &str| -> toml::Table {
        let path = root().join(folder).join("Cargo.toml");
        let text = std::fs::read_to_string(&path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let workspace = read("");
    let folders = workspace["workspace"]["members"].as_array().expect("a list of members");
    let folders = folders.iter().map(|folder| folder.as_str().expect("a folder's name"));
    let mut members = BTreeMap::new();
    for folder in folders.chain([""]) {
        let manifest = read(folder);
        let name = manifest["package"]["name"].as_str().expect("a package name").to_owned();
        assert!(folder.is_empty() || folder == name, "folder `{folder}` holds crate `{name}`");
        let mut uses = BTreeSet::new();
        add_dependencies(&manifest, &mut uses);
        members.insert(name, uses);
    }
    members
}

/// Whether this code names the crate: in a path, or to use it.
fn names(code: &str, used: &str) -> bool {
    let word = used.replace('-', "_");
    code.match_indices(&word).any(|(at, _)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let after = &code[at + word.len()..];
        !code[..at].ends_with(is_part)
            && ["::", ";", " as "].iter().any(|next| after.starts_with(next))
    })
}

#[test]
fn nothing_is_declared_that_no_code_names() {
    let files: Vec<(String, String)> = rust_files()
        .into_iter()
        .map(|file| {
            let text = file.text();
            let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let code: Vec<&str> = lines.collect();
            (file.name, code.join("\n"))
        })
        .collect();
    for (name, uses) in members() {
        let folder = if name == "cardroom" { String::new() } else { format!("{name}/") };
        let folders = ["src/", "tests/", "benches/", "examples/", "build.rs"];
        let ours = |file: &str| folders.iter().any(|of| file.starts_with(&format!("{folder}{of}")));
        for used in uses {
            let named = files.iter().any(|(file, code)| ours(file) && names(code, &used));
            assert!(named, "{name}/Cargo.toml declares `{used}`, and no code there names it");
        }
    }
}

#[test]
fn what_the_picture_allows_directly_is_used() {
    let members = members();
    for (name, direct) in PICTURE {
        for used in direct {
            let declared = members[name].contains(*used);
            assert!(declared, "`{name}` does not use `{used}`, and the picture says so: {REMEDY}");
        }
    }
}

/// Adds the names in every table of dependencies, those for one platform included.
fn add_dependencies(manifest: &toml::Table, uses: &mut BTreeSet<String>) {
    for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
        for (key, value) in manifest.get(kind).and_then(toml::Value::as_table).into_iter().flatten()
        {
            let renamed = value.get("package").and_then(toml::Value::as_str);
            uses.insert(renamed.unwrap_or(key).to_owned());
        }
    }
    for platform in manifest.get("target").and_then(toml::Value::as_table).into_iter().flatten() {
        add_dependencies(platform.1.as_table().expect("a table"), uses);
    }
}

#[test]
fn crates_use_only_what_the_picture_allows() {
    let members = members();
    assert_eq!(members.len(), PICTURE.len(), "crates and picture differ: {REMEDY}");
    for (name, uses) in &members {
        let allowed = allowed(name);
        for used in uses.iter().filter(|used| members.contains_key(*used)) {
            assert!(
                allowed.contains(used.as_str()),
                "the crate `{name}` may not use `{used}`: {REMEDY}"
            );
        }
    }
}

#[test]
fn crates_before_the_wire_use_no_network_library() {
    for (name, uses) in members() {
        if OFFLINE.contains(&name.as_str()) {
            let network = uses.iter().find(|used| NETWORK.contains(&used.as_str()));
            assert_eq!(network, None, "the crate `{name}` must do no network input or output");
        }
    }
}

#[test]
fn architecture_md_names_every_crate() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    for (name, _) in PICTURE {
        let folder = if name == "cardroom" { "src" } else { name };
        assert!(text.contains(&format!("| `{folder}/` |")), "no row for `{folder}/` in the table");
    }
}
