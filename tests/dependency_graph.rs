//! Which crate may use which: the picture in ARCHITECTURE.md, read from the Cargo.toml files.

use std::collections::{BTreeMap, BTreeSet};

use crate::sources::{folder_of_crate, root, rust_files};

/// The edges of the picture: each crate with those it may use. It may also use what those may use.
const PICTURE: [(&str, &[&str]); 21] = [
    ("show", &[]),
    ("parallel", &[]),
    ("runs", &[]),
    ("cards", &[]),
    ("game", &["cards"]),
    ("protocol", &["game", "show"]),
    ("abstraction", &["game", "parallel", "show"]),
    ("logs", &["game", "parallel", "runs", "show"]),
    ("models", &["abstraction", "runs", "show"]),
    ("solvers", &["abstraction", "runs"]),
    ("learners", &["models", "solvers"]),
    ("readable", &["learners"]),
    ("agents", &["readable"]),
    ("matches", &["protocol", "agents", "logs"]),
    ("evaluation", &["matches"]),
    ("scrimmage", &["matches"]),
    ("wire", &["matches"]),
    ("studies", &["models"]),
    ("testing", &[]),
    ("queue", &[]),
    ("cardroom", &["evaluation", "scrimmage", "wire", "studies", "queue"]),
];

/// Crates that come before the network: none of these libraries may be among their dependencies.
const OFFLINE: [&str; 17] = [
    "show",
    "parallel",
    "runs",
    "cards",
    "game",
    "protocol",
    "abstraction",
    "models",
    "solvers",
    "learners",
    "readable",
    "agents",
    "logs",
    "matches",
    "evaluation",
    "scrimmage",
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

const REMEDY: &str = "a new edge is a decision; change the picture in ARCHITECTURE.md and the \
     table in tests/dependency_graph.rs in the same commit, and say why";

/// The manifest in a folder, whose name is empty or ends in a slash.
fn manifest(folder: &str) -> toml::Table {
    let path = root().join(folder).join("Cargo.toml");
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Each member of the workspace with the names of all its dependencies of every kind.
fn members() -> BTreeMap<String, BTreeSet<String>> {
    let workspace = manifest("");
    let listed = workspace["workspace"]["members"].as_array().expect("a list of members");
    let mut folders = vec![String::new()];
    for folder in listed.iter().map(|folder| folder.as_str().expect("a folder's name")) {
        match folder.strip_suffix("/*") {
            Some(parent) => {
                let crates = std::fs::read_dir(root().join(parent)).expect("a folder of crates");
                folders.extend(crates.map(|entry| {
                    format!("{parent}/{}/", entry.expect("an entry").file_name().display())
                }));
            }
            None => folders.push(format!("{folder}/")),
        }
    }
    let mut members = BTreeMap::new();
    for folder in folders {
        let manifest = manifest(&folder);
        let name = manifest["package"]["name"].as_str().expect("a package name").to_owned();
        assert_eq!(folder, folder_of_crate(&name), "the folder of the crate `{name}`");
        let mut uses = BTreeSet::new();
        add_by_kind(&manifest, &mut uses);
        members.insert(name, uses.into_iter().map(|(_, used)| used).collect());
    }
    members
}

/// Whether this code names the crate: in a path that begins with it, or to use it.
fn names(code: &str, used: &str) -> bool {
    let word = used.replace('-', "_");
    code.match_indices(&word).any(|(at, _)| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':');
        let (before, after) = (&code[..at], &code[at + word.len()..]);
        // A path can begin with `::`, but not behind another name.
        let begins = !before.strip_suffix("::").unwrap_or(before).ends_with(is_part);
        begins && ["::", ";", " as "].iter().any(|next| after.starts_with(next))
    })
}

/// The code of each file, without lines of comments.
fn code() -> Vec<(String, String)> {
    let code = rust_files().into_iter().map(|file| {
        let text = file.text();
        let lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        (file.name.clone(), lines.collect::<Vec<_>>().join("\n"))
    });
    code.collect()
}

/// The compiler sees to it that nothing is named that is not declared; this is the other direction.
#[test]
fn nothing_is_declared_that_no_code_of_its_kind_names() {
    let files = code();
    let mut used_somewhere = BTreeSet::new();
    for name in members().keys() {
        let folder = folder_of_crate(name);
        let mut uses = BTreeSet::new();
        add_by_kind(&manifest(&folder), &mut uses);
        for (kind, used) in uses {
            let folders: &[&str] = match kind {
                "dependencies" => &["src/"],
                "build-dependencies" => &["build.rs", "build/"],
                _ => &["src/", "tests/", "benches/", "examples/"],
            };
            let ours = |file: &str| folders.iter().any(|f| file.starts_with(&(folder.clone() + f)));
            let named = files.iter().any(|(file, code)| ours(file) && names(code, &used));
            assert!(named, "{name}/Cargo.toml has `{used}` in its {kind}; no code there names it");
            used_somewhere.insert(used);
        }
    }
    let workspace = manifest("");
    let shared = workspace["workspace"]["dependencies"].as_table().expect("a table");
    for (key, _) in shared {
        assert!(used_somewhere.contains(key), "Cargo.toml has `{key}` for all; no crate uses it");
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

/// Adds the kinds and names in every table of dependencies, those for one platform included.
fn add_by_kind(manifest: &toml::Table, uses: &mut BTreeSet<(&'static str, String)>) {
    for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
        for (key, value) in manifest.get(kind).and_then(toml::Value::as_table).into_iter().flatten()
        {
            let renamed = value.get("package").and_then(toml::Value::as_str);
            uses.insert((kind, renamed.unwrap_or(key).to_owned()));
        }
    }
    for platform in manifest.get("target").and_then(toml::Value::as_table).into_iter().flatten() {
        add_by_kind(platform.1.as_table().expect("a table"), uses);
    }
}

#[test]
fn crates_use_only_what_the_picture_allows() {
    let members = members();
    assert_eq!(members.len(), PICTURE.len(), "crates and picture differ: {REMEDY}");
    for (name, uses) in &members {
        let allowed = allowed(name);
        // What tests share is nobody's edge.
        let ours = |used: &&String| members.contains_key(*used) && *used != "testing";
        for used in uses.iter().filter(ours) {
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
        let folder = if name == "cardroom" { "src/".to_owned() } else { folder_of_crate(name) };
        assert!(text.contains(&format!("| `{folder}` |")), "no row for `{folder}` in the table");
    }
}
