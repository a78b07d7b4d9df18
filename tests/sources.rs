//! The repository's files, for the tests that read them.

use std::path::{Path, PathBuf};

/// The repository's root folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder of this crate, from the root and with a slash at its end; empty for the program's.
pub(crate) fn folder_of_crate(name: &str) -> String {
    let folders = [String::new(), format!("{name}/"), format!("crates/{name}/")];
    let folder = if name == "cardroom" { &folders[..1] } else { &folders[1..] };
    let found = folder.iter().find(|folder| root().join(folder).join("Cargo.toml").is_file());
    found.unwrap_or_else(|| panic!("no folder holds the crate `{name}`")).clone()
}

/// Folders that hold nothing of ours, wherever they stand.
const NOT_OURS: [&str; 6] = ["target", ".git", ".venv", "node_modules", "__pycache__", "corpus"];

/// A file of ours: its path from the root, with `/` between folders, and where it lies.
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

impl File {
    /// The file's text.
    pub(crate) fn text(&self) -> String {
        let bytes = std::fs::read(&self.path).expect("a file that was just listed");
        String::from_utf8(bytes).unwrap_or_else(|_| panic!("{} is not UTF-8", self.name))
    }

    /// Whether the name ends in one of these.
    pub(crate) fn ends_in(&self, endings: &[&str]) -> bool {
        endings.iter().any(|ending| self.name.ends_with(ending))
    }
}

/// Every file of ours, in the order of names.
pub(crate) fn all_files() -> Vec<File> {
    fn walk(folder: &Path, prefix: &str, files: &mut Vec<File>) {
        for entry in std::fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            let last = path.file_name().and_then(|name| name.to_str()).expect("a UTF-8 name");
            let name = format!("{prefix}{last}");
            if path.is_dir() {
                // The folder `data/` in the root takes the output of runs.
                if !NOT_OURS.contains(&last) && name != "data" {
                    walk(&path, &format!("{name}/"), files);
                }
            } else {
                files.push(File { name, path });
            }
        }
    }
    let mut files = Vec::new();
    walk(root(), "", &mut files);
    files.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(files.len() > 50, "the repository was not found at {}", root().display());
    files
}

/// Every Rust file of ours.
pub(crate) fn rust_files() -> Vec<File> {
    all_files().into_iter().filter(|file| file.ends_in(&[".rs"])).collect()
}

/// The text without the lines that are comments.
pub(crate) fn without_comments(text: &str) -> String {
    let code = text.lines().map(|line| if line.trim_start().starts_with("//") { "" } else { line });
    code.collect::<Vec<_>>().join("\n")
}
