//! Playing a match from plan to result, with or without records.

use std::path::{Path, PathBuf};

use logs::stats::StopRule;
use logs::{MatchInfo, Provenance};

use crate::Error;
use crate::folder::{Folder, NullRecorder};
use crate::plan::MatchPlan;
use crate::runner::{Level, Outcome, Progress, Stop, run};

/// Settings of a run that do not affect the match's outcome.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The level of detail of the records.
    pub level: Level,
    /// The match folder; unused when nothing is recorded.
    pub folder: PathBuf,
    /// The number of threads.
    pub jobs: usize,
    /// The program and its version, for the manifest.
    pub provenance: Provenance,
}

/// The result of a match, complete or not.
#[derive(Debug)]
pub struct Played {
    /// The description of the match, as recorded.
    pub info: MatchInfo,
    /// The tallies and the end of the run.
    pub outcome: Outcome,
    /// The rule by which it may end early.
    pub rule: Option<StopRule>,
    /// Hands recorded by earlier runs.
    pub earlier: u64,
}

/// Plays a match, or resumes the one in the folder, which may be a shorter one.
pub fn play(
    plan: &MatchPlan,
    settings: &Settings,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress<'_>),
) -> Result<Played, Error> {
    plan.check()?;
    let name = plan.match_name();
    let info = plan.info(&name, settings.provenance.clone()).map_err(|error| {
        Error::new(format!("a file that an agent needs cannot be read: {error}"))
    })?;
    if settings.level == Level::Nothing {
        let outcome =
            run(plan, settings.level, settings.jobs, &NullRecorder, &mut NullRecorder, stop, seen)?;
        return Ok(Played { info, outcome, rule: plan.rule, earlier: 0 });
    }
    let mut folder = Folder::open(&settings.folder, &info, settings.level)?;
    folder.set_rule(plan.rule.as_ref())?;
    let earlier = folder.recorded_hands();
    let (known, writing) = folder.parts();
    let outcome = match run(plan, settings.level, settings.jobs, known, writing, stop, seen) {
        Ok(outcome) => outcome,
        Err(error) => {
            folder.discard();
            return Err(error);
        }
    };
    if outcome.complete {
        folder.finish(&outcome.tally.totals())?;
    }
    Ok(Played { info, outcome, rule: plan.rule, earlier })
}

/// The default folder of a match.
pub fn default_folder(data: &Path, plan: &MatchPlan) -> PathBuf {
    data.join("matches").join(plan.match_name())
}
