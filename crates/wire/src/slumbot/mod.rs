//! Playing at a Slumbot server: many sessions side by side, as a [`web_run`](crate::web_run).
//!
//! `protocol::slumbot::Client` decides what a session sends and what the answers mean; it never
//! repeats an action blindly. Here are the run and how the API is found; one session is in
//! `session`.

mod session;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Instant;

use logs::Entrant;
use matches::bot::Bot;
use matches::runner::Stop;
use protocol::slumbot::client::Login;
use protocol::slumbot::{Endpoint, PREFIXES, answer};
use reqwest::header::HeaderMap;

use crate::Error;
use crate::web_run::http::{Http, HttpError};
use crate::web_run::pace::Pacer;
use crate::web_run::store::Store;
use crate::web_run::{Played, Progress, RunSettings, Service, Summary, block_on, reach, sessions};
use session::{Session, resume_state};

/// The address of the public server.
pub const LIVE: &str = "https://slumbot.com";

/// The other player in the records: Slumbot, or this agent of a server of this project.
pub fn opponent(agent: Option<&str>) -> Entrant {
    Entrant { agent: agent.unwrap_or_default().to_owned(), ..Entrant::named("slumbot") }
}

/// The settings of a run.
#[derive(Debug, Clone)]
pub struct SlumbotRunSettings {
    /// The settings that all runs have.
    pub run: RunSettings,
    /// The prefix of the API's paths; `None` to find it out.
    pub prefix: Option<String>,
    /// The account that the hands are counted for, if any.
    pub login: Option<Login>,
    /// The agent to play against, which only servers of this project let clients choose.
    pub opponent: Option<String>,
}

const SLUMBOT: Service = Service {
    name: "Slumbot",
    live: LIVE,
    about_paths: " (see --prefix)",
    account_option: "--login",
    check_account: "give an account that it knows with --login",
    check_host: "check --host and --prefix",
    forbidden_bars: false,
};

/// The state that all sessions share.
struct Shared {
    run: Arc<crate::web_run::Shared>,
    login: Option<Login>,
    opponent: Option<String>,
}

impl Deref for Shared {
    type Target = crate::web_run::Shared;

    fn deref(&self) -> &Self::Target {
        &self.run
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
    plan: SlumbotRunSettings,
    fresh_seed: u64,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Played, Error> {
    block_on(plan.run.sessions, play(plan, fresh_seed, stop, seen))
}

async fn play(
    plan: SlumbotRunSettings,
    fresh_seed: u64,
    stop: &Stop,
    seen: &mut dyn FnMut(&Progress),
) -> Result<Played, Error> {
    let SlumbotRunSettings { run: plan, prefix, login, opponent } = plan;
    let def = Arc::new(game::games::nolimit_holdem());
    // The address and the agent are checked before anything is written.
    let mut http = Http::new(&plan.server, &SLUMBOT, prefix.clone(), HeaderMap::new())?;
    drop(Bot::new(&plan.agent, &def)?);
    let pacer = Pacer::new(plan.pace);
    let address = http.address();
    let given = prefix.is_some();
    // A run that cannot begin leaves nothing behind.
    let begun = plan.folder.join(logs::ledger::FILE_NAME).exists();
    if !begun {
        let ask = async || find(&mut http, given).await;
        reach((&SLUMBOT, &plan), &pacer, &address, 0, stop, seen, ask).await?;
    }
    let seed = fresh_seed & (u64::MAX >> 1);
    let store =
        Store::open(&plan, &def, seed, &|session| resume_state(&plan.folder, &def, session))?;
    let counts = store.0.counts();
    let earlier = counts.played + counts.settled;
    if begun && earlier < plan.hands {
        let ask = async || find(&mut http, given).await;
        reach((&SLUMBOT, &plan), &pacer, &address, earlier, stop, seen, ask).await?;
    }
    let run = crate::web_run::Shared::new(plan, def, (http, pacer), store, stop);
    let run = Arc::new(run);
    let shared = Arc::new(Shared { run: Arc::clone(&run), login, opponent });
    let since = Instant::now();
    let session = || {
        let shared = Arc::clone(&shared);
        async move {
            let mut session = Session::new(shared).await?;
            let end = session.run().await;
            session.leave().await;
            end
        }
    };
    let end = sessions(&run, session, seen).await;
    let summary = Summary::new(&run, since.elapsed(), &end)?;
    let info = run.store.info().clone();
    drop(shared);
    if let Ok(run) = Arc::try_unwrap(run) {
        run.store.close();
    }
    Ok(Played { info, summary, earlier, end })
}

/// Finds the prefix of the API's paths with a request that changes nothing: an action without a
/// session.
async fn find(http: &mut Http, given: bool) -> Result<(), HttpError> {
    let own = http.prefix.clone();
    let prefixes = if given { vec![own.as_str()] } else { PREFIXES.to_vec() };
    let mut first = None;
    for prefix in prefixes {
        http.prefix = prefix.to_owned();
        match post(http, Endpoint::Act, r#"{"token":"","incr":"b0"}"#.to_owned()).await {
            Ok(body) => match answer::read(&body) {
                Ok(_) => return Ok(()),
                Err(error) if error.is_cut() => {
                    return Err(HttpError::Maybe(error.to_string(), None));
                }
                Err(error) => {
                    let error = HttpError::Foreign(error.to_string(), SLUMBOT.check_host);
                    first.get_or_insert(error);
                }
            },
            // The path is known; only this request is invalid.
            Err(HttpError::Rejected(_)) => return Ok(()),
            Err(error @ HttpError::Foreign(..)) => _ = first.get_or_insert(error),
            Err(error) => return Err(error),
        }
    }
    http.prefix = own;
    Err(first.unwrap_or_else(|| HttpError::Foreign("nothing".into(), SLUMBOT.check_host)))
}

/// Sends a request and returns the answer's body, unchecked.
async fn post(http: &Http, endpoint: Endpoint, body: String) -> Result<Vec<u8>, HttpError> {
    let path = format!("/{}", endpoint.name());
    http.send(&path, Some(body)).await?.ok(&SLUMBOT)
}
