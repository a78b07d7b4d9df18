//! Playing at a server of the GTO Wizard Benchmark: many hands side by side, as a
//! [`web_run`](crate::web_run).
//!
//! `protocol::gtowizard::Client` decides what is sent for a hand and what the answers mean. A key
//! may have so many hands open, whoever opened them, so a run first finishes those it finds; what a
//! slot does is in `slot`.
//!
//! The score of the benchmark is the mean of `aivat_score`, which is kept beside each hand.
//! Versions of the opponent are different opponents: a run is against one, which is part of its
//! identity.

mod slot;

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use game::Payoff;
use logs::ledger::LedgerReader;
use logs::stats::{Batches, Change, Sums};
use logs::{Entrant, MatchInfo, Rate};
use matches::bot::Bot;
use matches::runner::Stop;
use parallel::lock;
use protocol::gtowizard::answer::{self, AnswerError};
use protocol::gtowizard::message::ResultsObject;
use protocol::gtowizard::{Endpoint, KEY_HEADER, Shown};
use reqwest::header::{HeaderMap, HeaderValue};
use serde::Serialize;

use crate::Error;
use crate::web_run::http::{Http, HttpError};
use crate::web_run::pace::Pacer;
use crate::web_run::store::Store;
use crate::web_run::{End, Progress, RunSettings, Service, Summary, block_on, reach, sessions};
use slot::{Slot, resume_state};

/// The address of the public server.
pub const LIVE: &str = "https://researcher.gtowizard.com";

/// The opponent in the records.
pub const OPPONENT: &str = "GTO-Wizard";

/// The opponent of this version in the records, or this agent of a server of this project.
pub fn opponent(version: u32, agent: Option<&str>) -> Entrant {
    let agent = agent.map_or(String::new(), |agent| format!(",{agent}"));
    Entrant { agent: format!("gtowizard:{version}{agent}"), ..Entrant::named(OPPONENT) }
}

/// The settings of a run.
#[derive(Clone)]
pub struct GtoWizardRunSettings {
    /// The settings that all runs have; `sessions` is the number of hands in play at once.
    pub run: RunSettings,
    /// The key that the hands are counted for, if there is one.
    pub key: Option<String>,
    /// The opponent's version.
    pub version: u32,
    /// The agent to play against, which only servers of this project let clients choose.
    pub against: Option<String>,
}

impl fmt::Debug for GtoWizardRunSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GtoWizardRunSettings").field("run", &self.run).finish_non_exhaustive()
    }
}

const GTO_WIZARD: Service = Service {
    name: "GTO Wizard Benchmark",
    live: LIVE,
    about_paths: "",
    account_option: "--key-file",
    check_account: "give a key that it knows with --key-file, or in CARDROOM_GTOWIZARD_KEY",
    check_host: "check --host",
    forbidden_bars: true,
};

/// The result of a run, complete or not.
#[derive(Debug)]
pub struct Played {
    /// The description of the run, as recorded.
    pub info: MatchInfo,
    /// The summary, over this run and those it resumed.
    pub summary: GtoWizardSummary,
    /// The end of this run.
    pub end: Result<End, Error>,
}

/// The summary of a run. Amounts are in chips, rates in mbb/hand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GtoWizardSummary {
    /// What runs at all servers have.
    #[serde(flatten)]
    pub run: Summary,
    /// The opponent's version.
    pub version: u32,
    /// The score: the rate of `aivat_score` over the hands that have one.
    pub aivat: Option<Rate>,
    /// Hands in the score.
    pub scored: u64,
    /// The largest change of the score over the run.
    pub change: Option<Change>,
    /// What the server itself counts for the key, after this run; `None` where it was not asked
    /// or did not say.
    pub server_results: Option<ResultsObject>,
    /// Why there are none.
    pub no_server_results: Option<String>,
}

impl GtoWizardSummary {
    fn new(run: Summary, version: u32, reader: &LedgerReader) -> Result<GtoWizardSummary, Error> {
        let (mut all, mut course) = (Sums::default(), Batches::default());
        for score in reader.hand_scores()? {
            let Some(aivat) = score.aivat else { continue };
            let won = Payoff::from_parts((aivat * Payoff::PER_CHIP as f64).round() as i64);
            all.add(won, 1);
            course.add(won, 1);
        }
        Ok(GtoWizardSummary {
            run,
            version,
            aivat: Rate::from_sums(&all, BIG_BLIND).ok(),
            scored: all.hands,
            change: Change::find(&all, &course, BIG_BLIND),
            server_results: None,
            no_server_results: None,
        })
    }

    /// How the server's own results compare with those of this run.
    pub fn comparison(&self) -> Option<Comparison> {
        let results = self.server_results.as_ref()?;
        let hands = self.run.played + self.run.settled;
        Some(match results.total_hands.checked_sub(hands) {
            Some(0) if self.scored == hands => {
                let apart = |ours: &Option<Rate>, theirs: f64| {
                    ours.as_ref().is_some_and(|ours| (ours.bb_per_100() - theirs).abs() > ROUNDING)
                };
                if apart(&self.run.rate, results.bb_per_100)
                    || apart(&self.aivat, results.aivat_score_bb_per_100)
                {
                    Comparison::Apart
                } else {
                    Comparison::Equal
                }
            }
            Some(others) => Comparison::More(others),
            None => Comparison::Fewer,
        })
    }
}

/// The difference in bb/100 that rounding may make between two sums of the same hands.
const ROUNDING: f64 = 0.02;

/// The results that a server has for a key beside those of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The same number of hands, and the same rates.
    Equal,
    /// The same number of hands with another rate.
    Apart,
    /// So many hands more: of other runs with the key, or hands whose end was lost.
    More(u64),
    /// Fewer hands than the run has.
    Fewer,
}

/// The big blind in chips.
const BIG_BLIND: u32 = 100;

/// The state that all slots share.
struct Shared {
    run: Arc<crate::web_run::Shared>,
    version: u32,
    against: Option<String>,
    /// The server's numbers of all hands that were taken up.
    taken: Mutex<HashSet<u64>>,
    /// Hands that were found open and that nobody has taken up.
    found: Mutex<VecDeque<Shown>>,
    /// Held for reading while a new hand is asked for, and for writing while lost ones are looked
    /// for, since a hand that is just being dealt is not lost.
    dealing: tokio::sync::RwLock<()>,
    /// Requests for a new hand that were lost, so that a hand may be open that nobody plays.
    lost_deals: AtomicU64,
}

impl Deref for Shared {
    type Target = crate::web_run::Shared;

    fn deref(&self) -> &Self::Target {
        &self.run
    }
}

impl Shared {
    /// Whether the hand with this number of the server's is taken up now for the first time.
    fn take_up(&self, id: u64) -> bool {
        lock(&self.taken).insert(id)
    }
}

/// Plays a run, or resumes the one in its folder. `seen` is called with the progress several times
/// a second, for the first time before the first request. `fresh_seed` is the seed of a new run if
/// the plan has none.
///
/// Asked to stop, it finishes the hands in play; during an outage it leaves at once. In any case
/// everything played is in the folder.
///
/// # Errors
/// When the run cannot begin; an error that ends it later is in [`Played::end`].
pub fn play_blocking(
    plan: GtoWizardRunSettings,
    fresh_seed: u64,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Played, Error> {
    block_on(plan.run.sessions, play(plan, fresh_seed, stop, seen))
}

async fn play(
    plan: GtoWizardRunSettings,
    fresh_seed: u64,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Played, Error> {
    let GtoWizardRunSettings { run: plan, key, version, against } = plan;
    let def = Arc::new(game::games::nolimit_holdem());
    // The address, the key and the agent are checked before anything is written.
    let http = Http::new(&plan.server, &GTO_WIZARD, None, headers(key.as_deref())?)?;
    drop(Bot::new(&plan.agent, &def)?);
    let pacer = Pacer::new(plan.pace);
    let address = http.address();
    // A run that cannot begin leaves nothing behind.
    let begun = plan.folder.join(logs::ledger::FILE_NAME).exists();
    let ask = async || {
        let body = http.send(&list_path(), None).await?.ok(&GTO_WIZARD)?;
        let foreign = |error: AnswerError| match error.fault() {
            // A cut body may be complete the next time.
            answer::Fault::Line if body.first() == Some(&b'[') => {
                HttpError::Maybe(error.to_string(), None)
            }
            _ => HttpError::Foreign(error.to_string(), GTO_WIZARD.check_host),
        };
        answer::read_list(&def, version, &body).map_err(foreign)
    };
    let who = (&GTO_WIZARD, &plan);
    let mut found = None;
    if !begun {
        found = reach(who, &pacer, &address, 0, stop, seen, ask).await?;
    }
    let seed = fresh_seed & (u64::MAX >> 1);
    let store = Store::open(&plan, &def, seed, &|session| {
        resume_state(&plan.folder, &def, version, session)
    })?;
    let counts = store.0.counts();
    let earlier = counts.played + counts.settled;
    if begun && earlier < plan.hands {
        found = reach(who, &pacer, &address, earlier, stop, seen, ask).await?;
    }
    let mut taken: HashSet<u64> =
        store.0.reader()?.web_hands()?.iter().filter_map(|hand| hand.number).collect();
    taken.extend(
        store.0.open_sessions(|session| slot::open_id(&plan.folder, &def, version, session))?,
    );
    let open = unclaimed(&address.url, found.unwrap_or_default(), &taken)?;
    let run = crate::web_run::Shared::new(plan, def, (http, pacer), store, stop);
    let run = Arc::new(run);
    let shared = Arc::new(Shared {
        run: Arc::clone(&run),
        version,
        against,
        taken: Mutex::new(taken),
        found: Mutex::new(open),
        dealing: tokio::sync::RwLock::default(),
        lost_deals: AtomicU64::new(0),
    });
    let since = Instant::now();
    let slot = || {
        let shared = Arc::clone(&shared);
        async move {
            let mut slot = Slot::new(shared).await?;
            let end = slot.run().await;
            slot.leave().await;
            end
        }
    };
    // A complete run needs no server.
    let end = if earlier >= run.plan.hands {
        Ok(End::Complete)
    } else {
        sessions(&run, slot, seen).await
    };
    let summary = Summary::new(&run, since.elapsed(), &end)?;
    let mut summary = GtoWizardSummary::new(summary, version, &run.store.reader()?)?;
    if earlier < run.plan.hands && end.is_ok() {
        match server_results(&run, version).await {
            Ok(results) => summary.server_results = Some(results),
            Err(reason) => summary.no_server_results = Some(reason),
        }
    }
    let info = run.store.info().clone();
    drop(shared);
    if let Ok(run) = Arc::try_unwrap(run) {
        run.store.close();
    }
    Ok(Played { info, summary, end })
}

/// The headers of every request: the key, which is marked so that no log shows it.
fn headers(key: Option<&str>) -> Result<HeaderMap, Error> {
    let mut headers = HeaderMap::new();
    if let Some(key) = key {
        let value = HeaderValue::from_str(key);
        let mut value = value.map_err(|_| Error::here("the key has characters that none has"))?;
        value.set_sensitive(true);
        headers.insert(KEY_HEADER, value);
    }
    Ok(headers)
}

/// The path of the list of open hands.
fn list_path() -> String {
    format!("{}?{}", Endpoint::InProgress.path(), game_query())
}

fn game_query() -> String {
    format!("game_name={}", protocol::gtowizard::GAME_NAME.replace(' ', "%20"))
}

/// The server's results of the key, asked for while it is busy, up to a minute; or why there are
/// none.
async fn server_results(
    run: &crate::web_run::Shared,
    version: u32,
) -> Result<ResultsObject, String> {
    const PATIENCE: Duration = Duration::from_secs(60);
    const PAUSES: usize = 40;
    let path =
        format!("{}?{}&gto_wizard_version={version}", Endpoint::Results.path(), game_query());
    let mut waited = Duration::ZERO;
    let within_patience = |pause: &Duration| {
        waited += *pause;
        waited <= PATIENCE
    };
    let mut pauses = run.pacer.pauses().take(PAUSES).take_while(within_patience);
    loop {
        let body = async { run.http.send(&path, None).await?.ok(&GTO_WIZARD) }.await;
        let error = match body {
            Ok(body) => return answer::read_results(&body).map_err(|error| error.to_string()),
            Err(error) => error,
        };
        match (&error, pauses.next()) {
            (HttpError::Maybe(..) | HttpError::Unsent(_), Some(pause)) => {
                tokio::time::sleep(pause).await;
            }
            _ => return Err(error.reason().to_owned()),
        }
    }
}

/// The hands of a list that nobody has taken up.
///
/// # Errors
/// When one of them cannot be played.
fn unclaimed(
    url: &str,
    list: Vec<(u64, Result<Shown, AnswerError>)>,
    taken: &HashSet<u64>,
) -> Result<VecDeque<Shown>, Error> {
    let open = list.into_iter().filter(|(id, _)| !taken.contains(id));
    open.map(|(id, shown)| {
        shown.map_err(|error| Error::contradiction(format!("{url}, open hand {id}: {error}")))
    })
    .collect()
}
