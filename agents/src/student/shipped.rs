//! The students inside the program; `docs/students.md` says how they were trained.

use std::sync::{Arc, OnceLock};

use models::student::{Learned, Student, StudentError, read_manifest};

use super::note;

/// The game that they are for, in words.
pub(super) const GAME: &str = "holdem.nolimit.2p.reverse_blinds (200 big blinds)";

/// The files of a student: its manifest, then each street's.
type Files = [&'static [u8]; 5];

macro_rules! files {
    ($kind:literal, $ending:literal) => {
        [
            include_bytes!(concat!("../../models/", $kind, "/manifest.toml")),
            include_bytes!(concat!("../../models/", $kind, "/preflop.", $ending)),
            include_bytes!(concat!("../../models/", $kind, "/flop.", $ending)),
            include_bytes!(concat!("../../models/", $kind, "/turn.", $ending)),
            include_bytes!(concat!("../../models/", $kind, "/river.", $ending)),
        ]
    };
}

/// In the order of [`Learned::KINDS`].
static FILES: [Files; 4] = [
    files!("cart", "tree"),
    files!("oct", "tree"),
    files!("xgboost", "forest"),
    files!("mlp", "safetensors"),
];

fn place(kind: &str) -> usize {
    let place = Learned::KINDS.iter().position(|&known| known == kind);
    place.expect("there is a student of each kind")
}

fn manifest(kind: &str) -> &'static str {
    std::str::from_utf8(FILES[place(kind)][0]).expect("a test reads every shipped student")
}

/// The student of a kind, read when it is first asked for.
pub(super) fn student(kind: &str) -> Arc<Student> {
    static ALL: [OnceLock<Arc<Student>>; 4] = [const { OnceLock::new() }; 4];
    let [_, files @ ..] = &FILES[place(kind)];
    let read = || {
        let student = Student::from_parts(manifest(kind), |name| {
            let street = ["preflop", "flop", "turn", "river"]
                .iter()
                .position(|street| name.starts_with(&format!("{street}.")));
            street
                .map(|street| files[street])
                .ok_or_else(|| StudentError::Damaged { file: name.to_owned() })
        });
        Arc::new(student.expect("a test plays from every shipped student"))
    };
    Arc::clone(ALL[place(kind)].get_or_init(read))
}

/// What it is.
pub(super) fn about(kind: &str) -> String {
    note::about(&read_manifest(manifest(kind)).expect("a test reads every shipped student"))
}
