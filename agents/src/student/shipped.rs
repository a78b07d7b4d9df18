//! The students inside the program; see `docs/students.md` for their training.

use std::sync::{Arc, OnceLock};

use models::student::{Student, StudentError, read_manifest};

use super::note;

/// The game that the students are for, as text.
pub(super) const GAME: &str = "holdem.nolimit.2p.reverse_blinds (200 big blinds)";

/// The files of a student: its manifest, then one file per street.
type Files = [&'static [u8]; 5];

macro_rules! files {
    ($folder:literal, $ending:literal) => {
        [
            include_bytes!(concat!("../../models/", $folder, "/manifest.toml")),
            include_bytes!(concat!("../../models/", $folder, "/preflop.", $ending)),
            include_bytes!(concat!("../../models/", $folder, "/flop.", $ending)),
            include_bytes!(concat!("../../models/", $folder, "/turn.", $ending)),
            include_bytes!(concat!("../../models/", $folder, "/river.", $ending)),
        ]
    };
}

/// A student inside the program: the default of its kind, or a small one that can be read in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shipped {
    pub(super) kind: &'static str,
    pub(super) small: bool,
}

/// The files of each student.
static FILES: [(Shipped, Files); 5] = [
    (Shipped { kind: "cart", small: false }, files!("cart", "tree")),
    (Shipped { kind: "oct", small: false }, files!("oct", "tree")),
    (Shipped { kind: "oct", small: true }, files!("oct-small", "tree")),
    (Shipped { kind: "xgboost", small: false }, files!("xgboost", "forest")),
    (Shipped { kind: "mlp", small: false }, files!("mlp", "safetensors")),
];

/// Returns the default student of a kind, or its small one, if there is one.
pub(super) fn find(kind: &str, small: bool) -> Option<Shipped> {
    let mut all = FILES.iter().map(|&(shipped, _)| shipped);
    all.find(|shipped| shipped.kind == kind && shipped.small == small)
}

fn index(shipped: Shipped) -> usize {
    let index = FILES.iter().position(|&(known, _)| known == shipped);
    index.expect("only those of the list are found")
}

fn manifest(shipped: Shipped) -> &'static str {
    let (_, [manifest, ..]) = &FILES[index(shipped)];
    std::str::from_utf8(manifest).expect("a test reads every shipped student")
}

/// Returns a student, which is read on first access.
pub(super) fn student(shipped: Shipped) -> Arc<Student> {
    static ALL: [OnceLock<Arc<Student>>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    let (_, [_, files @ ..]) = &FILES[index(shipped)];
    let read = || {
        let student = Student::from_parts(manifest(shipped), |name| {
            let street = ["preflop", "flop", "turn", "river"]
                .iter()
                .position(|street| name.starts_with(&format!("{street}.")));
            street
                .map(|street| files[street])
                .ok_or_else(|| StudentError::Damaged { file: name.to_owned() })
        });
        Arc::new(student.expect("a test plays from every shipped student"))
    };
    Arc::clone(ALL[index(shipped)].get_or_init(read))
}

/// A description of a student.
pub(super) fn about(shipped: Shipped) -> String {
    note::about(&read_manifest(manifest(shipped)).expect("a test reads every shipped student"))
}
