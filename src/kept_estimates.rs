//! The estimates of a match, kept in its folder, so that the next report has them at once.
//!
//! The file may be deleted at any time. An entry is used only for the very same records, agents,
//! program and settings.

use std::path::{Path, PathBuf};

use agents::Registry;
use logs::estimate::{NoEstimates, Rows};
use logs::ledger::Integrity;
use logs::{MatchInfo, folder};
use matches::plan::files_sha256;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use crate::estimating::{Extent, Prepared, Values, Wanted};
use crate::match_options::provenance;
use logs::stats::report::SampleSection;

/// The format of the file.
const SCHEMA: &str = "cardroom-estimates/1";

/// The most entries: one for each combination of settings.
const MOST: usize = 16;

/// Estimates, with the deals that they come from.
#[derive(Debug, Clone)]
pub(crate) struct Estimated {
    pub(crate) rows: Result<Rows, NoEstimates>,
    pub(crate) sample: Option<SampleSection>,
    /// The values that were chosen.
    pub(crate) values: String,
}

/// The file of a match's folder.
pub(crate) struct Keeper {
    file: PathBuf,
    /// What all entries depend on.
    identity: String,
}

#[derive(Serialize, Deserialize)]
struct File {
    schema: String,
    about: String,
    entries: Vec<Entry>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    /// The SHA-256 of all that the estimates depend on.
    key: String,
    rows: Rows,
    sample: Option<SampleSection>,
    values: String,
}

impl Estimated {
    /// The estimates of all hands.
    pub(crate) fn of(prepared: &Prepared) -> Estimated {
        let rows = prepared.estimates.rows();
        let sample = rows.as_ref().ok().and_then(|rows| prepared.sample(rows.corrected));
        Estimated { rows, sample, values: prepared.values.name() }
    }
}

impl Keeper {
    /// The file of this folder. `None` where the records have no hashes or these do not fit, and
    /// where a file of an agent cannot be read.
    pub(crate) fn of(
        folder: &Path,
        record: &Integrity,
        info: &MatchInfo,
        registry: Option<&Registry>,
    ) -> Option<Keeper> {
        let contents = record.contents.as_ref().filter(|_| record.faults.is_empty())?;
        let program = provenance();
        let mut identity =
            format!("{SCHEMA}\n{} {:?}\n{contents}\n", program.version, program.commit);
        for entrant in &info.entrants {
            let agent = registry.and_then(|registry| registry.resolve(&entrant.agent).ok());
            let files = agent.map(|agent| files_sha256(agent.files())).transpose().ok()?;
            identity.push_str(&format!("{} {files:?}\n", entrant.agent));
        }
        Some(Keeper { file: folder.join(folder::ESTIMATES), identity })
    }

    /// The estimates with these settings, if they are kept. Those of all deals are preferred.
    pub(crate) fn find(&self, wanted: &Wanted) -> Option<Estimated> {
        // The luckiest hands are not kept.
        if wanted.luckiest > 0 {
            return None;
        }
        let entries = self.entries();
        let all = Wanted { extent: Extent::All, ..wanted.clone() };
        let of = |wanted: &Wanted| {
            let key = self.key(wanted)?;
            entries.iter().find(|entry| entry.key == key).cloned()
        };
        let best = if wanted.extent == Extent::Second { of(&all) } else { None };
        let Entry { rows, sample, values, .. } = best.or_else(|| of(wanted))?;
        Some(Estimated { rows: Ok(rows), sample, values })
    }

    /// Keeps estimates, and returns them as they will be found: the last digits may differ. A
    /// folder that cannot be written is left as it is.
    pub(crate) fn keep(&self, wanted: &Wanted, found: Estimated) -> Estimated {
        let (Ok(rows), Some(key)) = (&found.rows, self.key(wanted)) else { return found };
        let Estimated { sample, values, .. } = &found;
        let new = Entry { key, rows: rows.clone(), sample: sample.clone(), values: values.clone() };
        let mut entries = self.entries();
        entries.retain(|entry| entry.key != new.key);
        entries.insert(0, new);
        entries.truncate(MOST);
        let about = "estimates of cardroom stats, kept to have them at once: may be deleted";
        let file = File { schema: SCHEMA.to_owned(), about: about.to_owned(), entries };
        let Ok(text) = serde_json::to_string(&file) else { return found };
        let written = runs::write_whole(&self.file, |out| writeln!(out, "{text}"));
        match written {
            Ok(()) => self.find(wanted).filter(|_| wanted.luckiest == 0).unwrap_or(found),
            Err(_) => found,
        }
    }

    /// The entries of the file; none where it cannot be read.
    fn entries(&self) -> Vec<Entry> {
        let text = std::fs::read_to_string(&self.file).unwrap_or_default();
        let file = serde_json::from_str::<File>(&text).ok().filter(|file| file.schema == SCHEMA);
        file.map(|file| file.entries).unwrap_or_default()
    }

    /// The key of these settings; `None` where a blueprint cannot be read.
    fn key(&self, wanted: &Wanted) -> Option<String> {
        let Wanted { extent, values, .. } = wanted;
        let file = match values {
            Values::File(path) => files_sha256(std::slice::from_ref(path)).ok()?,
            _ => None,
        };
        let settings = format!("{extent} {} {file:?}", values.name());
        Some(hexadecimal(&Sha256::digest(format!("{}{settings}", self.identity))))
    }
}
