//! The ledger of a run, shared by its sessions.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use game::GameDef;
use logs::ledger::{
    self, HandScore, Known, LedgerReader, LedgerWriter, WebCounts, WebHand, WebSession,
};
use logs::stats::{DecisionTally, Tally};
use logs::{DecisionRecord, HandRecord, MatchInfo};
use matches::plan::{entrant, unique_names};
use parallel::lock;
use runs::RunError;

use super::RunSettings;
use super::pace::FailureLimits;
use crate::Error;
use crate::slumbot_host::files::{FILE, FOLDER, make_folder, take_from_others};

/// The game's name in the ledger.
const GAME: &str = "holdem.nolimit.2p.reverse_blinds";

/// One transaction: the results of an answer, and the new state of its session.
#[derive(Debug)]
pub(crate) struct Entry {
    /// A finished hand, with this side's decisions.
    pub(crate) record: Option<(HandRecord, Vec<DecisionRecord>)>,
    /// New and changed rows of hands.
    pub(crate) hands: Vec<WebHand>,
    /// The server's score of a finished hand, where the API has one.
    pub(crate) score: Option<HandScore>,
    /// The session's new state.
    pub(crate) session: WebSession,
}

/// The state of a saved session that the run needs before it is resumed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ResumeState {
    /// The number of the hand that was in play, which no other hand may get.
    pub(crate) number: u64,
    /// Whether that hand is still in play.
    pub(crate) in_hand: bool,
    /// Unusable answers: since a hand was last finished, and all.
    pub(crate) unusable: [u64; 2],
}

/// The ledger of a run and its counts.
pub(crate) struct Store {
    seed: u64,
    info: MatchInfo,
    in_hand: usize,
    inner: Mutex<Inner>,
}

struct Inner {
    writer: LedgerWriter,
    tally: Tally,
    decisions: DecisionTally,
    counts: WebCounts,
    next_hand: u64,
    next_session: u64,
    /// Sessions of earlier runs that can be resumed.
    earlier: VecDeque<WebSession>,
}

impl Store {
    /// Opens or makes the run's folder; also returns the counts of failures of earlier runs.
    /// `resume_state` reads what a saved session says.
    pub(crate) fn open(
        plan: &RunSettings,
        def: &Arc<GameDef>,
        fresh_seed: u64,
        resume_state: &dyn Fn(&WebSession) -> Result<ResumeState, Error>,
    ) -> Result<(Store, FailureLimits), Error> {
        let path = plan.folder.join(ledger::FILE_NAME);
        let file = |path: &Path| {
            let path = path.to_path_buf();
            move |reason| Error::file(&path, &reason)
        };
        private_folder(&plan.folder)?;
        let resumed = path.exists();
        private_files(&plan.folder)?;
        let info = |seed| match_info(plan, def, seed);
        let mut writer = if resumed {
            let writer = LedgerWriter::open_for_resume(&path)?;
            let mut info = info(plan.seed.unwrap_or(writer.info().seed))?;
            // A different number of hands does not make another run.
            info.hands = writer.info().hands;
            if let Some(difference) = info.difference(writer.info()) {
                return Err(Error::here(RunError::other(&plan.folder, "run", difference)));
            }
            if !writer.reader()?.is_web_run()? {
                return Err(Error::here(format!(
                    "{} holds a match that was not played over a web API; choose another \
                     folder with --out",
                    plan.folder.display()
                )));
            }
            writer
        } else {
            LedgerWriter::create(&path, &info(plan.seed.unwrap_or(fresh_seed))?)?
        };
        // Before a token is written to them.
        private_files(&plan.folder)?;
        writer.prepare_web_run()?;
        let info = writer.info().clone();
        logs::folder::write_manifest(&plan.folder, &info).map_err(file(&plan.folder))?;
        let reader = writer.reader()?;
        let mut tally = Tally::new(&info);
        for record in reader.hands() {
            tally.add(&record?);
        }
        let note = reader.note(DecisionTally::NOTE)?;
        let decisions = note.and_then(|note| DecisionTally::from_note(&note));
        let sessions = reader.web_sessions()?;
        let resume_states: Vec<(bool, ResumeState)> = sessions
            .iter()
            .map(|session| Ok((session.closed.is_none(), resume_state(session)?)))
            .collect::<Result<_, Error>>()?;
        // A hand in play has a number, but no row yet.
        let in_play = resume_states.iter().map(|(_, state)| state.number + 1).max();
        let open = resume_states.iter().filter(|(open, _)| *open).map(|(_, state)| state);
        let in_hand = open.clone().take(plan.sessions).filter(|state| state.in_hand).count();
        let row = open.map(|state| state.unusable[0]).sum();
        let unusable = resume_states.iter().map(|(_, state)| state.unusable[1]).sum();
        let failure_limits = FailureLimits::new(row, unusable, given_up(&reader)?, plan.sessions);
        let inner = Inner {
            tally,
            decisions: decisions.unwrap_or_else(|| DecisionTally::new(2)),
            counts: reader.web_counts()?,
            next_hand: reader.web_next()?.max(in_play.unwrap_or_default()),
            next_session: sessions.last().map_or(0, |session| session.session + 1),
            earlier: sessions.into_iter().filter(|session| session.closed.is_none()).collect(),
            writer,
        };
        Ok((Store { seed: info.seed, info, in_hand, inner: Mutex::new(inner) }, failure_limits))
    }

    /// The number of hands in play in the sessions that are resumed first.
    pub(crate) fn in_hand(&self) -> u64 {
        self.in_hand as u64
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }

    /// The seed of the agent's random choices.
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// The description of the run, as recorded.
    pub(crate) fn info(&self) -> &MatchInfo {
        &self.info
    }

    /// A number for a new hand.
    pub(crate) fn number(&self) -> u64 {
        let mut inner = self.inner();
        inner.next_hand += 1;
        inner.next_hand - 1
    }

    /// A session to resume, or the number of a new one.
    pub(crate) fn session(&self) -> Result<WebSession, u64> {
        let mut inner = self.inner();
        inner.earlier.pop_front().ok_or_else(|| {
            inner.next_session += 1;
            inner.next_session - 1
        })
    }

    /// A session to resume, if there is one left.
    pub(crate) fn earlier(&self) -> Option<WebSession> {
        self.inner().earlier.pop_front()
    }

    /// What `read` finds in the sessions that can be resumed.
    pub(crate) fn open_sessions<T>(
        &self,
        read: impl Fn(&WebSession) -> Result<Option<T>, Error>,
    ) -> Result<Vec<T>, Error> {
        self.inner().earlier.iter().filter_map(|session| read(session).transpose()).collect()
    }

    /// Commits the entry in one transaction, which survives the end of the process.
    pub(crate) fn commit(&self, entry: &Entry) -> Result<(), Error> {
        let mut inner = self.inner();
        let inner = &mut *inner;
        let mut note = None;
        if let Some((record, decisions)) = &entry.record {
            inner.writer.append_with_decisions(record, decisions);
            decisions.iter().for_each(|decision| inner.decisions.add(decision));
            note = Some(inner.decisions.to_note());
        }
        let note = note.as_deref().map(|note| (DecisionTally::NOTE, note));
        let score = entry.score.as_slice();
        inner.writer.commit_web_run(note, &entry.hands, score, &entry.session)?;
        if let Some((record, _)) = &entry.record {
            inner.tally.add(record);
        }
        Ok(())
    }

    /// Changes the counts of hands.
    pub(crate) fn count(&self, count: impl FnOnce(&mut WebCounts)) {
        count(&mut self.inner().counts);
    }

    /// The counts of hands.
    pub(crate) fn counts(&self) -> WebCounts {
        self.inner().counts
    }

    /// The agent's win rate over the finished hands, if there is one.
    pub(crate) fn rate(&self) -> Option<logs::Rate> {
        self.inner().tally.rate(0).ok()
    }

    /// Counts and times of the agent's decisions.
    pub(crate) fn decisions(&self) -> DecisionTally {
        self.inner().decisions.clone()
    }

    /// A reader of the committed rows.
    pub(crate) fn reader(&self) -> Result<LedgerReader, Error> {
        Ok(self.inner().writer.reader()?)
    }

    /// Closes the ledger, folding its files into one.
    pub(crate) fn close(self) {
        self.inner.into_inner().unwrap_or_else(PoisonError::into_inner).writer.close();
    }
}

/// Hands given up since one was finished.
fn given_up(reader: &LedgerReader) -> Result<u64, Error> {
    let hands = reader.web_hands()?;
    let since = hands.iter().rev().take_while(|hand| hand.known != Known::Played);
    Ok(since.filter(|hand| hand.seen() && hand.known == Known::Unknown).count() as u64)
}

fn match_info(plan: &RunSettings, def: &GameDef, seed: u64) -> Result<MatchInfo, Error> {
    let name = unique_names(std::slice::from_ref(&plan.agent)).remove(0);
    let agent = entrant(&plan.agent, name)
        .map_err(|reason| Error::file(Path::new(plan.agent.name()), &reason))?;
    Ok(MatchInfo {
        name: plan.name.clone(),
        game_name: GAME.to_owned(),
        hands: plan.hands,
        seed,
        duplicate: false,
        shard: None,
        provenance: plan.provenance.clone(),
        entrants: vec![agent, plan.opponent.clone()],
        game: def.clone(),
    })
}

/// Makes the run's folder, which holds session tokens, with access for its owner only; restricts
/// an existing one if it holds a run. Other folders, such as the current directory, are left as
/// they are.
fn private_folder(path: &Path) -> Result<(), Error> {
    let fail = |reason| Error::file(path, &reason);
    if !path.exists() {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(fail)?;
        }
        return make_folder(path).map_err(fail);
    }
    if path.join(ledger::FILE_NAME).exists() { restrict(path, FOLDER) } else { Ok(()) }
}

/// Restricts the ledger's files to their owner.
fn private_files(folder: &Path) -> Result<(), Error> {
    // SQLite gives its further files the permissions of the first.
    let suffixes = ["", "-wal", "-shm", "-journal"];
    let path = |suffix| folder.join(format!("{}{suffix}", ledger::FILE_NAME));
    let there = suffixes.into_iter().map(path).filter(|path| path.exists());
    there.collect::<Vec<PathBuf>>().iter().try_for_each(|path| restrict(path, FILE))
}

fn restrict(path: &Path, mode: u32) -> Result<(), Error> {
    let unsupported = || io::Error::other("the file system does not store permissions");
    let restricted = take_from_others(path, mode)
        .and_then(|restricted| restricted.then_some(()).ok_or_else(unsupported));
    restricted.map_err(|reason| {
        Error::here(format!(
            "{} holds session tokens, and users other than its owner have access: {reason}; remove \
             their rights (chmod {mode:o}), or choose another folder with --out",
            path.display()
        ))
    })
}
