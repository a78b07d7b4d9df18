//! Writing a student's folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use game::Street;
use models::student::{
    FORMAT, MANIFEST, Manifest, StreetManifest, StudentError, TrainedModel, hash,
};

use crate::Table;
use crate::dataset::Dataset;
use crate::measure::{ClassifierScores, measure};

/// The result of training for a street.
#[derive(Debug)]
pub struct TrainedStreet {
    /// The trained model.
    pub learned: TrainedModel,
    /// The number of distinct training rows.
    pub rows: u64,
    /// The losses on the training, validation and test rows.
    pub measured: [ClassifierScores; 3],
}

/// The losses of a model on the three tables of a street.
pub fn losses(learned: &TrainedModel, tables: [&Table; 3]) -> [ClassifierScores; 3] {
    tables.map(|table| measure(learned.classifier(), table))
}

/// The metadata of a student, and how its numbers are stored.
#[derive(Debug, Clone, Copy)]
pub struct StudentMetadata<'a> {
    /// The student's kind.
    pub kind: &'a str,
    /// The options of the learner, as one line of text.
    pub options: &'a str,
    /// Whether numbers are rounded: a network's to 16 bits, the values of a forest's leaves to
    /// 65,536 steps.
    pub small: bool,
    /// The name and version of the program.
    pub made_by: &'a str,
}

/// Writes a student's folder, which must not exist, completely or not at all.
///
/// # Errors
/// When a file cannot be written.
pub fn write(
    folder: &Path,
    dataset: &Dataset,
    metadata: StudentMetadata<'_>,
    trained: &[TrainedStreet; 4],
) -> Result<Manifest, StudentError> {
    let mut partial = folder.as_os_str().to_os_string();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let at = |path: &Path, source: io::Error| StudentError::File { path: path.to_owned(), source };
    let _ = fs::remove_dir_all(&partial);
    fs::create_dir_all(&partial).map_err(|source| at(&partial, source))?;
    let mut streets = Vec::new();
    for (street, trained) in Street::ALL.into_iter().zip(trained) {
        let (ending, bytes) = trained.learned.encode(metadata.small);
        let file = format!("{street}.{ending}");
        let path = partial.join(&file);
        fs::write(&path, &bytes).map_err(|source| at(&path, source))?;
        streets.push(StreetManifest {
            street: street.to_string(),
            file,
            sha256: hash(&bytes),
            rows: trained.rows,
            size: trained.learned.size(),
            log_loss: trained.measured.map(|measured| measured.log_loss),
            accuracy: trained.measured[2].accuracy,
        });
    }
    let card = dataset.card();
    let manifest = Manifest {
        format: FORMAT,
        kind: metadata.kind.to_owned(),
        made_by: metadata.made_by.to_owned(),
        options: metadata.options.to_owned(),
        data_sha256: dataset.hash(),
        teacher_sha256: card.teacher_sha256.clone(),
        menu: card.menu.clone(),
        game_sha256: card.game_sha256.clone(),
        features: card.features.clone(),
        streets,
        game: card.game.clone(),
    };
    let path = partial.join(MANIFEST);
    let text = toml::to_string(&manifest).map_err(io::Error::other);
    text.and_then(|text| fs::write(&path, text)).map_err(|source| at(&path, source))?;
    fs::rename(&partial, folder).map_err(|source| at(folder, source))?;
    Ok(manifest)
}
