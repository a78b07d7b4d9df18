//! Analyses of matches: one after another on a thread of their own, within limits, with progress,
//! stopped on request. The result, or that of the hands so far, is kept in the match's folder,
//! written whole or not at all.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use agents::AgentChoice;
use axum::http::StatusCode;
use logs::folder::ANALYSIS;
use matches::runner::Stop;
use matches::source::Source;
use parallel::{Pool, lock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::whole;
use tokio_util::sync::CancellationToken;

use super::AnalysePlan;
use super::imports::Imports;
use crate::analysis::{Analysis, Asked, analyse};
use crate::exit::Failure;
use crate::output::{Output, warn};
use crate::shell;
use crate::web::Site;
use crate::web::api::Problem;
use crate::web::policies::Policies;
use crate::web::records::{being_played, player_named, unreadable};

/// How often a thread without work looks whether it is to end.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// The most jobs that are remembered.
const KEPT: usize = 32;

/// The places that the text of the command would list; the document has all.
const MOST: usize = 8;

/// What is to be analysed.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnalysisOrder {
    /// The player's name; by default the first player.
    player: String,
    /// The agent that prices decisions: one of `agents`; by default `cfr`.
    agent: String,
}

/// The analysis of a match, or how far it is.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Analysis")]
pub struct AnalysisView {
    /// The match's name.
    #[serde(rename = "match")]
    pub of: String,
    /// `none`, `waiting`, `working`, `done`, `stopped` or `failed`.
    pub state: Progress,
    /// Why it was stopped or has failed; null otherwise.
    pub reason: Option<String>,
    /// Hands done.
    pub done: u64,
    /// Hands of the match.
    pub hands: u64,
    /// The players.
    pub players: Vec<String>,
    /// The agents that can price decisions, the usual one first.
    pub agents: Vec<String>,
    /// The last result: the document of `cardroom explain results MATCH --by AGENT --json`; null
    /// while there is none.
    #[schemars(with = "Option<serde_json::Map<String, serde_json::Value>>")]
    pub result: Option<serde_json::Value>,
}

/// How far an analysis is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Nobody has asked for it.
    None,
    /// It waits for others.
    Waiting,
    /// It is under way.
    Working,
    /// It is there.
    Done,
    /// It was stopped.
    Stopped,
    /// It cannot be made.
    Failed,
}

/// Imports and analyses; cheap to clone.
#[derive(Clone)]
pub struct Analyses(Arc<Inner>);

struct Inner {
    plan: AnalysePlan,
    site: Site,
    policies: Arc<Policies>,
    imports: Imports,
    pool: Pool,
    list: Mutex<List>,
    wake: Condvar,
    stop: CancellationToken,
}

#[derive(Default)]
struct List {
    /// The latest first; one for each match.
    all: Vec<Arc<Job>>,
    queue: VecDeque<Arc<Job>>,
}

struct Job {
    of: String,
    who: usize,
    agent: String,
    done: AtomicU64,
    stop: Stop,
    status: Mutex<(Progress, Option<String>)>,
}

impl Job {
    fn state(&self) -> Progress {
        lock(&self.status).0
    }

    fn is_open(&self) -> bool {
        matches!(self.state(), Progress::Waiting | Progress::Working)
    }

    fn end(&self, state: Progress, reason: Option<String>) {
        *lock(&self.status) = (state, reason);
    }
}

fn refused(code: StatusCode, error: impl Into<String>, remedy: impl Into<String>) -> Problem {
    Problem::new(code, error, remedy)
}

impl Analyses {
    /// Starts the threads that import and analyse, which end at `stop`.
    ///
    /// # Errors
    /// When threads cannot be started.
    pub fn open(
        plan: AnalysePlan,
        site: Site,
        policies: Arc<Policies>,
        stop: CancellationToken,
    ) -> std::io::Result<Analyses> {
        let imports = Imports::open(plan, &site.data, stop.clone())?;
        let pool = Pool::new(plan.threads)?;
        let (list, wake) = (Mutex::default(), Condvar::new());
        let inner = Inner { plan, site, policies, imports, pool, list, wake, stop };
        let analyses = Analyses(Arc::new(inner));
        let working = analyses.clone();
        std::thread::Builder::new().name("analyse".into()).spawn(move || working.work())?;
        Ok(analyses)
    }

    /// The limits.
    pub(super) fn plan(&self) -> &AnalysePlan {
        &self.0.plan
    }

    /// The imports.
    pub(super) fn imports(&self) -> &Imports {
        &self.0.imports
    }

    /// The agents that can price decisions, the usual one first.
    pub(super) fn agents(&self) -> Vec<String> {
        self.0.policies.that_price()
    }

    /// Has a match analysed.
    pub(super) fn order(&self, id: &str, order: &AnalysisOrder) -> Result<AnalysisView, Problem> {
        let Inner { site, plan, policies, .. } = &*self.0;
        let (folder, reader) = site.records.open(id)?;
        let who = player_named(&reader.info().names(), &order.player)
            .map_err(|problem| problem.at("/player"))?;
        let named = policies.pricing_named(&order.agent);
        let (agent, _) = named.map_err(|problem| problem.at("/agent"))?;
        if site.is_being_played(id, &folder) {
            return Err(being_played());
        }
        let hands = reader.count().map_err(|error| unreadable(&error))?;
        if hands > plan.max_hands {
            let folder = shell::path(&folder);
            return Err(refused(
                StatusCode::CONFLICT,
                format!("the match has {} hands", whole(hands)),
                format!(
                    "at most {} are analysed here: set `analyse.max_hands` in the configuration, \
                     or run `cardroom explain results {folder} --by {agent}`",
                    whole(plan.max_hands)
                ),
            ));
        }
        let mut list = lock(&self.0.list);
        if let Some(open) = list.all.iter().find(|job| job.of == id && job.is_open()) {
            if open.who == who && open.agent == agent {
                drop(list);
                return self.find(id);
            }
            let error = "another analysis of this match is under way";
            return Err(refused(StatusCode::CONFLICT, error, "stop it, or wait for its end"));
        }
        if list.all.iter().filter(|job| job.is_open()).count() >= plan.queue {
            let error = "other analyses wait already";
            return Err(refused(StatusCode::SERVICE_UNAVAILABLE, error, "ask again later"));
        }
        let job = Arc::new(Job {
            of: id.to_owned(),
            who,
            agent,
            done: AtomicU64::new(0),
            stop: Stop::new(),
            status: Mutex::new((Progress::Waiting, None)),
        });
        list.all.retain(|job| job.of != id);
        list.all.insert(0, Arc::clone(&job));
        list.all.truncate(KEPT);
        list.queue.push_back(job);
        drop(list);
        self.0.wake.notify_all();
        self.find(id)
    }

    /// The analysis of a match, or how far it is.
    pub(super) fn find(&self, id: &str) -> Result<AnalysisView, Problem> {
        let job = lock(&self.0.list).all.iter().find(|job| job.of == id).cloned();
        // Before the result is read: a job is done after its result is written, so `done` never
        // comes with the result of an earlier one.
        let now = job.map(|job| (lock(&job.status).clone(), job.done.load(Ordering::Relaxed)));
        let mut view = kept(&self.0.site, id)?;
        view.agents = self.agents();
        if let Some(((state, reason), done)) = now {
            (view.state, view.reason, view.done) = (state, reason, done);
        }
        Ok(view)
    }

    /// Stops an analysis that waits or is under way.
    pub(super) fn cancel(&self, id: &str) -> Result<AnalysisView, Problem> {
        let mut list = lock(&self.0.list);
        let job = list.all.iter().find(|job| job.of == id && job.is_open()).cloned();
        let job = job.ok_or_else(|| {
            let error = "no analysis of this match is under way";
            refused(StatusCode::CONFLICT, error, "there is nothing to stop")
        })?;
        list.queue.retain(|waiting| !Arc::ptr_eq(waiting, &job));
        job.stop.ask();
        if job.state() == Progress::Waiting {
            job.end(Progress::Stopped, Some("it was stopped".to_owned()));
        }
        drop(list);
        self.find(id)
    }

    fn work(&self) {
        while !self.0.stop.is_cancelled() {
            let mut list = lock(&self.0.list);
            if list.queue.is_empty() {
                list = match self.0.wake.wait_timeout(list, POLL_INTERVAL) {
                    Ok((list, _)) => list,
                    Err(error) => error.into_inner().0,
                };
            }
            let Some(job) = list.queue.pop_front() else { continue };
            job.end(Progress::Working, None);
            drop(list);
            let made = catch_unwind(AssertUnwindSafe(|| self.make(&job)));
            let made = made.unwrap_or_else(|_| {
                tracing::error!(of = job.of, "an analysis has failed");
                Err("a fault in this program: please report what was analysed".to_owned())
            });
            match made {
                Ok(None) => job.end(Progress::Done, None),
                Ok(Some(why)) => job.end(Progress::Stopped, Some(why.to_owned())),
                Err(reason) => job.end(Progress::Failed, Some(reason)),
            }
        }
    }

    /// Makes an analysis and keeps it; why it was stopped, if it was.
    fn make(&self, job: &Job) -> Result<Option<&'static str>, String> {
        let Inner { site, plan, policies, pool, stop, .. } = &*self.0;
        let folder = site.records.folder_of(&job.of).ok_or("the match is gone")?;
        let choice: &AgentChoice = policies.agent(&job.agent).ok_or("the agent is gone")?;
        let begun = Instant::now();
        let mut why = "it was stopped";
        let document = pool.run(|| {
            let source = Source::open(&folder, None, warn)?;
            let asked = Asked::new(source.info(), choice, &job.agent, job.who, MOST)?;
            let mut seen = |done: u64| {
                job.done.store(done, Ordering::Relaxed);
                if begun.elapsed() >= plan.max_time {
                    why = "it took as long as `analyse.max_time` allows";
                    job.stop.ask();
                } else if stop.is_cancelled() {
                    why = "the server stops";
                    job.stop.ask();
                }
            };
            let made = analyse(&source, &asked, &mut seen, &job.stop)?;
            let hands = made.analysis.as_ref().map_or(0, |analysis| analysis.hands);
            Ok::<_, Failure>((hands, Output::document(&made)?))
        });
        let (hands, document) = document.map_err(|error| error.to_string())?;
        let stopped = job.stop.asked();
        // One that was stopped is kept unless there is one of as many hands.
        let better = kept_analysis(&folder).is_some_and(|kept| kept.hands >= hands);
        if !stopped || hands > 0 && !better {
            let written =
                runs::write_whole(&folder.join(ANALYSIS), |out| out.write_all(document.as_bytes()));
            written.map_err(|error| format!("the analysis cannot be kept: {error}"))?;
        }
        Ok(stopped.then_some(why))
    }
}

/// The analysis that is kept in a match's folder.
pub(super) fn kept(site: &Site, id: &str) -> Result<AnalysisView, Problem> {
    let (folder, reader) = site.records.open(id)?;
    let hands = reader.count().map_err(|error| unreadable(&error))?;
    let result = kept_document(&folder);
    Ok(AnalysisView {
        of: id.to_owned(),
        state: if result.is_some() { Progress::Done } else { Progress::None },
        reason: None,
        done: 0,
        hands,
        players: reader.info().names(),
        agents: Vec::new(),
        result,
    })
}

/// The document that is kept in a folder.
fn kept_document(folder: &Path) -> Option<serde_json::Value> {
    serde_json::from_slice(&std::fs::read(folder.join(ANALYSIS)).ok()?).ok()
}

/// The analysis of the document that is kept in a folder.
pub fn kept_analysis(folder: &Path) -> Option<Analysis> {
    serde_json::from_value(kept_document(folder)?.get_mut("analysis")?.take()).ok()
}
