//! The solutions of the study page: ordered, solved one after another on a thread of their own,
//! stopped, taken up again and kept, in memory and [in files](super::kept), all within limits.
//!
//! A solution can be looked at while it is being solved: between two iterations the solver is lent
//! to whoever waits for it.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use jiff::Timestamp;
use parallel::{Pool, lock};
use runs::Checkpoint;
use schemars::JsonSchema;
use serde::Serialize;
use show::number::percent;
use solvers::subgame::{Size, Solver};
use tokio_util::sync::CancellationToken;

use super::kept::{Saved, SolutionFiles};
use super::locks::{self, Lock};
use super::order::{Order, Spot, name};
use super::played::Players;
use super::river::{Analysis, Asked, RiverView, Start, hands_at};
use super::simplicity::SimplicityView;
use super::view::{CardsView, PlaceView};
use crate::river::DecisionView;
use crate::subgame::{Limits, Parameters, Problem, SizeReport, SolveResult};
use crate::web::api::Problem as Refusal;
use crate::web::pages::is_name;
use crate::web::policies::Policies;

/// How often a thread without work looks whether it is to end.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// How long a request goes on with further hands of a river.
const ENDS_TIMEOUT: Duration = Duration::from_secs(20);

/// How long a request waits for a solver.
const LEND_TIMEOUT: Duration = Duration::from_secs(8);

/// How long the server waits at its end until what is being solved is kept.
const KEEP_TIMEOUT: Duration = Duration::from_secs(20);

/// How long the solving thread waits for those who look.
const VISIT_TIMEOUT: Duration = Duration::from_secs(600);

/// Places of a solution that are kept ready.
const READY_PLACES: usize = 32;

/// Pairs of hand and action that a thread solves in a second, before it is known.
const USUAL_SPEED: f64 = 120e6;

/// Solves that are shorter than this, in seconds or in iterations, say little about the speed.
const SHORT: f64 = 0.2;
const FEW: u32 = 10;

/// The most letters of what people call a solution.
const LONGEST_NAME: usize = 80;

/// The limits of what is solved for the page.
#[derive(Debug, Clone)]
pub struct StudyPlan {
    /// Where solutions outlive the server.
    pub folder: PathBuf,
    /// The most bytes of all solutions there together; 0 to keep none.
    pub disk: u64,
    /// The most bytes of all solutions in memory together.
    pub memory: u64,
    /// Threads that solve.
    pub threads: usize,
    /// The most solutions that are kept.
    pub kept: usize,
    /// The most solves that wait.
    pub queue: usize,
    /// The longest time of one solve until it has to be taken up again.
    pub max_time: Duration,
}

/// The solutions; cheap to clone.
#[derive(Clone)]
pub struct Study(Arc<Inner>);

struct Inner {
    plan: StudyPlan,
    players: Players,
    pool: Pool,
    library: Mutex<Library>,
    /// The solutions in files, if any are kept.
    files: Option<SolutionFiles>,
    /// Held while the intervals of a river's hands are worked out.
    ends: Mutex<()>,
    /// The thread that solves.
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Something is to be solved.
    wake: Condvar,
    stop: CancellationToken,
}

struct Library {
    /// The latest first.
    solutions: Vec<Arc<Solution>>,
    queue: VecDeque<Arc<Solution>>,
    /// Pairs of hand and action that are solved in a second.
    speed: f64,
}

/// A solution, or one that is to be.
struct Solution {
    id: String,
    problem: Problem,
    parameters: Parameters,
    locks: Vec<Lock>,
    size: Size,
    made: Timestamp,
    /// What people call it; empty unless somebody has named it.
    name: Mutex<String>,
    status: Mutex<Status>,
    bench: Bench,
    /// What a river leaves open.
    analysis: Mutex<Analysis>,
    /// Answers that were given.
    ready: Mutex<VecDeque<(Question, Arc<String>)>>,
    /// Whether it is to be stopped.
    cancel: AtomicBool,
    /// Whether somebody has had it forgotten.
    forgotten: AtomicBool,
}

/// What is asked of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum View {
    /// A place with the hands of both players.
    Place,
    /// The cards that can be dealt at a place.
    Cards,
    /// What simpler strategies of the decision at a place cost.
    Simplicity,
}

impl View {
    fn json(self, solver: &mut Solver, line: &str) -> Result<String, String> {
        let json = match self {
            View::Place => serde_json::to_string(&PlaceView::new(solver, line)?),
            View::Cards => serde_json::to_string(&CardsView::new(solver, line)?),
            View::Simplicity => serde_json::to_string(&SimplicityView::of_decision(solver, line)?),
        };
        json.map_err(|error| error.to_string())
    }
}

/// The iterations of the solver, what is asked, and the line.
type Question = (u32, View, String);

/// How far a solution is.
#[derive(Debug, Clone)]
struct Status {
    state: State,
    reason: Option<String>,
    limits: Limits,
    iterations: u32,
    expected: u32,
    exploitability: Option<f64>,
    seconds: f64,
    result: Option<SolveResult>,
}

/// What becomes of a solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// Waits for others.
    Waiting,
    /// Is being solved.
    Solving,
    /// Was stopped, and can be taken up again.
    Stopped,
    /// Is solved as far as was asked.
    Solved,
    /// Could not be solved.
    Failed,
}

/// A solution as the page and programs get it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct SolutionView {
    /// Its name in addresses: the same spot has the same one.
    pub(super) id: String,
    /// What people call it; empty unless somebody has named it.
    pub(super) name: String,
    /// When it was first asked for.
    pub(super) made: Timestamp,
    /// `waiting`, `solving`, `stopped`, `solved` or `failed`.
    pub(super) state: State,
    /// Why it was stopped or has failed; null otherwise.
    pub(super) reason: Option<String>,
    /// The number of solves before it; null unless it waits.
    pub(super) before: Option<usize>,
    /// Iterations done.
    pub(super) iterations: u32,
    /// Iterations that the goal is expected to take.
    pub(super) expected: u32,
    /// Most iterations.
    pub(super) most: u32,
    /// The exploitability to reach, in chips.
    pub(super) until: f64,
    /// What a player who knows the other's strategy wins beyond the value of the game, in chips,
    /// averaged over both players; null before the first check.
    pub(super) exploitability: Option<f64>,
    /// The same as a share of the pot: 0.005 is half a percent.
    pub(super) share_of_pot: Option<f64>,
    /// Time of solving.
    pub(super) seconds: f64,
    /// What is solved.
    pub(super) parameters: Parameters,
    /// The decisions whose strategy is given.
    pub(super) locks: Vec<Lock>,
    /// The name that the same spot has without locks; null where there are none.
    pub(super) without_locks: Option<String>,
    pub(super) size: SizeReport,
    /// The result; null while there is none.
    pub(super) result: Option<SolveResult>,
}

/// A spot with a solution.
#[derive(Debug, Clone)]
pub struct SolvedSpot {
    pub id: String,
    /// What people call it; may be empty.
    pub name: String,
    pub board: String,
    pub pot: u64,
    /// For how much it is exploitable, as a share of the pot.
    pub share_of_pot: Option<String>,
}

/// Holds a solver for those who take turns.
#[derive(Default)]
struct Bench {
    place: Mutex<Place>,
    changed: Condvar,
    /// Those who wait for the solver or have it, but for the one who solves.
    visitors: AtomicUsize,
}

#[derive(Default)]
enum Place {
    #[default]
    Empty,
    Here(Box<Solver>),
    Lent,
}

/// A solver that is lent; it goes back when this is dropped, unless its user panics.
struct Lent<'a> {
    bench: &'a Bench,
    solver: Option<Box<Solver>>,
}

impl Bench {
    /// The solver, as soon as it is there; `None` when it is not within the time, or there is none.
    fn borrow(&self, limit: Duration) -> Option<Lent<'_>> {
        let until = Instant::now() + limit;
        let mut place = lock(&self.place);
        loop {
            match std::mem::take(&mut *place) {
                Place::Here(solver) => {
                    *place = Place::Lent;
                    return Some(Lent { bench: self, solver: Some(solver) });
                }
                Place::Empty => return None,
                Place::Lent => *place = Place::Lent,
            }
            let left = until.checked_duration_since(Instant::now())?;
            place = match self.changed.wait_timeout(place, left) {
                Ok((place, _)) => place,
                Err(error) => error.into_inner().0,
            };
        }
    }

    fn put(&self, place: Place) {
        *lock(&self.place) = place;
        self.changed.notify_all();
    }

    /// Whether there is no solver.
    fn is_empty(&self) -> bool {
        matches!(*lock(&self.place), Place::Empty)
    }

    /// Drops the solver, unless it is lent.
    fn clear(&self) -> bool {
        let mut place = lock(&self.place);
        if matches!(*place, Place::Lent) {
            return false;
        }
        *place = Place::Empty;
        true
    }

    /// Waits until there is a solver, or the time is over.
    fn wait_for_solver(&self, limit: Duration) {
        let until = Instant::now() + limit;
        let mut place = lock(&self.place);
        while matches!(*place, Place::Empty) {
            let Some(left) = until.checked_duration_since(Instant::now()) else { return };
            place = match self.changed.wait_timeout(place, left) {
                Ok((place, _)) => place,
                Err(error) => error.into_inner().0,
            };
        }
    }

    /// Waits until those who wait for the solver have had it.
    fn wait_for_visitors(&self) {
        let mut place = lock(&self.place);
        while self.visitors.load(Ordering::SeqCst) > 0 {
            place = match self.changed.wait_timeout(place, POLL_INTERVAL) {
                Ok((place, _)) => place,
                Err(error) => error.into_inner().0,
            };
        }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let place = match self.solver.take() {
            Some(solver) if !std::thread::panicking() => Place::Here(solver),
            _ => Place::Empty,
        };
        self.bench.put(place);
    }
}

/// Counts a visitor as long as it lives.
struct Visit<'a>(&'a Bench);

impl<'a> Visit<'a> {
    fn new(bench: &'a Bench) -> Visit<'a> {
        bench.visitors.fetch_add(1, Ordering::SeqCst);
        Visit(bench)
    }
}

impl Drop for Visit<'_> {
    fn drop(&mut self) {
        self.0.visitors.fetch_sub(1, Ordering::SeqCst);
        self.0.changed.notify_all();
    }
}

impl Solution {
    fn new(id: String, spot: Spot, size: Size, made: Timestamp, status: Status) -> Solution {
        Solution {
            name: Mutex::default(),
            id,
            parameters: spot.problem.parameters(),
            problem: spot.problem,
            locks: spot.locks,
            size,
            made,
            status: Mutex::new(status),
            bench: Bench::default(),
            analysis: Mutex::default(),
            ready: Mutex::default(),
            cancel: AtomicBool::new(false),
            forgotten: AtomicBool::new(false),
        }
    }

    /// The bytes that its solver takes; 0 without one.
    fn bytes(&self) -> u64 {
        if self.bench.is_empty() { 0 } else { self.size.bytes }
    }

    /// The refusal of a request for which there is no solver.
    fn not_there(&self) -> Refusal {
        let (code, conflict) = (StatusCode::SERVICE_UNAVAILABLE, StatusCode::CONFLICT);
        match lock(&self.status).state {
            State::Waiting => {
                Refusal::new(conflict, "it waits for other solves", "ask again when it has begun")
            }
            State::Failed => {
                Refusal::new(conflict, "it could not be solved", "its `reason` says why")
            }
            State::Stopped if self.bench.is_empty() => {
                Refusal::new(conflict, "it was stopped before it began", "resume it")
            }
            _ => Refusal::new(code, "it is being worked on", "ask again in some seconds"),
        }
    }
}

impl Study {
    /// Starts the thread that reads what was kept and then solves, and ends at `stop`. The agents
    /// can be asked for ranges.
    ///
    /// # Errors
    /// When threads cannot be started.
    pub fn open(
        plan: StudyPlan,
        agents: Arc<Policies>,
        stop: CancellationToken,
    ) -> std::io::Result<Study> {
        let pool = Pool::new(plan.threads)?;
        let speed = USUAL_SPEED * plan.threads as f64;
        let library = Library { solutions: Vec::new(), queue: VecDeque::new(), speed };
        let (library, wake) = (Mutex::new(library), Condvar::new());
        let players = Players::new(agents);
        let files = SolutionFiles::new(plan.folder.clone(), plan.disk);
        let thread = Mutex::default();
        let ends = Mutex::default();
        let inner = Inner { plan, players, pool, library, files, ends, thread, wake, stop };
        let study = Study(Arc::new(inner));
        let solving = study.clone();
        let thread = std::thread::Builder::new().name("study".into()).spawn(move || {
            solving.read_kept();
            solving.solve_all();
        })?;
        *lock(&study.0.thread) = Some(thread);
        Ok(study)
    }

    /// Waits after `stop` until what was being solved is kept, for some seconds at most.
    pub fn wait(&self) {
        let thread = lock(&self.0.thread).take();
        let until = Instant::now() + KEEP_TIMEOUT;
        while thread.as_ref().is_some_and(|thread| !thread.is_finished()) && Instant::now() < until
        {
            std::thread::sleep(POLL_INTERVAL / 10);
        }
    }

    /// Makes the solutions of an earlier server known. Their numbers are read when they are asked
    /// for.
    fn read_kept(&self) {
        let Inner { plan, files, .. } = &*self.0;
        let Some(files) = files else { return };
        for (id, saved) in files.all() {
            if self.0.stop.is_cancelled() {
                return;
            }
            let spot = saved.order.spot(plan.memory);
            let spot = spot.and_then(|spot| Ok((self.on_threads(|| spot.size())?, spot)));
            let (size, spot) = match spot {
                Ok(found) if name(&found.1.problem.parameters(), &found.1.locks) == id => found,
                Ok(_) => {
                    tracing::warn!(id, "a kept solution is of another spot than its name says");
                    continue;
                }
                Err(refusal) => {
                    tracing::warn!(id, error = refusal.words(), "a kept solution is left out");
                    continue;
                }
            };
            let state = if saved.reason.is_none() { State::Solved } else { State::Stopped };
            let status = Status {
                state,
                reason: saved.reason,
                limits: spot.limits(),
                iterations: saved.iterations,
                expected: saved.iterations,
                exploitability: saved.exploitability,
                seconds: saved.seconds,
                result: saved.result,
            };
            let solution = Arc::new(Solution::new(id, spot, size, saved.made, status));
            *lock(&solution.name) = saved.name;
            let mut library = lock(&self.0.library);
            if library.find(&solution.id).is_err() {
                library.solutions.insert(0, Arc::clone(&solution));
                library.shrink(plan.kept, u64::MAX, &solution, Some(files));
            }
        }
    }

    /// The limits.
    pub(super) fn plan(&self) -> &StudyPlan {
        &self.0.plan
    }

    /// The agents whose play can be asked for.
    pub(super) fn players(&self) -> &Players {
        &self.0.players
    }

    /// The token that ends live parts of pages.
    pub(super) fn stop(&self) -> CancellationToken {
        self.0.stop.clone()
    }

    /// Pairs of hand and action that are solved in a second.
    pub(super) fn speed(&self) -> f64 {
        lock(&self.0.library).speed
    }

    /// The result of work on the threads that solve.
    pub(super) fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.0.pool.run(work)
    }

    /// All solutions, the latest first.
    pub(super) fn all(&self) -> Vec<SolutionView> {
        let library = lock(&self.0.library);
        library.solutions.iter().map(|solution| library.view(solution)).collect()
    }

    /// The spots of which there is a solution, also one that is not as fine as was asked for, the
    /// latest first.
    pub(in crate::web) fn solved(&self) -> Vec<SolvedSpot> {
        let solved = self.all().into_iter().filter(|solution| solution.exploitability.is_some());
        let spot = |solution: SolutionView| SolvedSpot {
            id: solution.id,
            name: solution.name,
            board: solution.parameters.board,
            pot: solution.parameters.pot,
            share_of_pot: solution.share_of_pot.map(|share| percent(share, 2)),
        };
        solved.map(spot).collect()
    }

    /// The ranges and bets of a solution, in sentences.
    pub(in crate::web) fn facts(&self, id: &str) -> Result<Vec<String>, Refusal> {
        let Parameters { ranges: [first, second], menu, second_menu, .. } =
            self.find(id)?.parameters;
        let line = |menu: &str| menu.trim_end().replace('\n', "; ");
        let bets = match second_menu {
            None => format!("Bets: {}.", line(&menu)),
            Some(other) => {
                format!("Bets of player 1: {}; of player 2: {}.", line(&menu), line(&other))
            }
        };
        Ok(vec![
            format!("Range of player 1: {first}."),
            format!("Range of player 2: {second}."),
            bets,
        ])
    }

    /// The solution of this name.
    pub(super) fn find(&self, id: &str) -> Result<SolutionView, Refusal> {
        let library = lock(&self.0.library);
        let solution = library.find(id)?;
        Ok(library.view(&solution))
    }

    /// Has a spot solved: one that is known already is only solved further.
    pub(super) fn order(&self, spot: Spot) -> Result<SolutionView, Refusal> {
        let size = self.on_threads(|| {
            let size = spot.size()?;
            spot.check_memory(&size)?;
            Ok::<_, Refusal>(size)
        })?;
        let parameters = spot.problem.parameters();
        let id = name(&parameters, &spot.locks);
        let limits = spot.limits();
        let mut library = lock(&self.0.library);
        if let Ok(known) = library.find(&id) {
            let mut status = lock(&known.status);
            let finer = limits.goal < status.limits.goal || limits.most > status.limits.most;
            let open = matches!(status.state, State::Waiting | State::Solving);
            if open || status.state == State::Solved && !finer {
                drop(status);
                return Ok(library.view(&known));
            }
            status.limits = limits;
            drop(status);
            *lock(&known.analysis) = Analysis::Unasked;
            self.enqueue(&mut library, &known)?;
            return Ok(library.view(&known));
        }
        let status = Status {
            state: State::Stopped,
            reason: None,
            limits,
            iterations: 0,
            expected: limits.most,
            exploitability: None,
            seconds: 0.0,
            result: None,
        };
        let solution = Arc::new(Solution::new(id, spot, size, Timestamp::now(), status));
        self.enqueue(&mut library, &solution)?;
        library.solutions.insert(0, Arc::clone(&solution));
        library.shrink(self.0.plan.kept, u64::MAX, &solution, self.0.files.as_ref());
        Ok(library.view(&solution))
    }

    fn enqueue(&self, library: &mut Library, solution: &Arc<Solution>) -> Result<(), Refusal> {
        if library.queue.len() >= self.0.plan.queue {
            let code = StatusCode::SERVICE_UNAVAILABLE;
            let error = format!("{} solves wait already", library.queue.len());
            let remedy = "stop one, ask again later, or set `study.queue` in the configuration";
            return Err(Refusal::new(code, error, remedy));
        }
        solution.cancel.store(false, Ordering::SeqCst);
        let mut status = lock(&solution.status);
        (status.state, status.reason) = (State::Waiting, None);
        drop(status);
        library.queue.push_back(Arc::clone(solution));
        self.0.wake.notify_all();
        Ok(())
    }

    /// Stops a solve that waits or is under way.
    pub(super) fn cancel(&self, id: &str) -> Result<SolutionView, Refusal> {
        let mut library = lock(&self.0.library);
        let solution = library.find(id)?;
        library.queue.retain(|waiting| waiting.id != solution.id);
        let mut status = lock(&solution.status);
        match status.state {
            State::Waiting => {
                (status.state, status.reason) = (State::Stopped, Some("was stopped".to_owned()));
            }
            State::Solving => solution.cancel.store(true, Ordering::SeqCst),
            State::Stopped | State::Solved | State::Failed => {
                return Err(Refusal::new(
                    StatusCode::CONFLICT,
                    "it is not being solved",
                    "there is nothing to stop",
                ));
            }
        }
        drop(status);
        Ok(library.view(&solution))
    }

    /// Gives a solution a name for people; an empty one takes it away.
    pub(super) fn rename(&self, id: &str, text: &str) -> Result<SolutionView, Refusal> {
        let text = text.trim();
        if !text.is_empty() && !is_name(text, LONGEST_NAME) {
            let remedy =
                format!("write at most {LONGEST_NAME} letters that can be seen, on one line");
            return Err(Refusal::at_pointer("/name", "it is no name", remedy));
        }
        let solution = lock(&self.0.library).find(id)?;
        text.clone_into(&mut lock(&solution.name));
        self.keep_name(&solution);
        self.find(id)
    }

    /// Takes a solve up again that was stopped.
    pub(super) fn resume(&self, id: &str) -> Result<SolutionView, Refusal> {
        let mut library = lock(&self.0.library);
        let solution = library.find(id)?;
        if lock(&solution.status).state != State::Stopped {
            let remedy = "only a solve that was stopped can be resumed";
            return Err(Refusal::new(StatusCode::CONFLICT, "it was not stopped", remedy));
        }
        self.enqueue(&mut library, &solution)?;
        Ok(library.view(&solution))
    }

    /// Forgets a solution. One that is being solved is stopped.
    pub(super) fn forget(&self, id: &str) -> Result<SolutionView, Refusal> {
        let mut library = lock(&self.0.library);
        let solution = library.find(id)?;
        solution.cancel.store(true, Ordering::SeqCst);
        let view = library.view(&solution);
        library.queue.retain(|waiting| waiting.id != solution.id);
        library.solutions.retain(|other| other.id != solution.id);
        solution.forgotten.store(true, Ordering::SeqCst);
        if let Some(files) = &self.0.files {
            files.remove(id);
        }
        Ok(view)
    }

    /// Has what a river leaves open worked out, after it is solved as far as was asked.
    pub(super) fn analyse(&self, id: &str) -> Result<SolutionView, Refusal> {
        let mut library = lock(&self.0.library);
        let solution = library.find(id)?;
        if solution.problem.root.board().len() != 5 || !solution.locks.is_empty() {
            return Err(Refusal::new(
                StatusCode::CONFLICT,
                "it is not a river without locks",
                "all equilibria are known of these only",
            ));
        }
        let mut analysis = lock(&solution.analysis);
        if !matches!(*analysis, Analysis::Found(_) | Analysis::Asked(..)) {
            *analysis = Analysis::Asked(0, 0);
            drop(analysis);
            let open = matches!(lock(&solution.status).state, State::Waiting | State::Solving);
            if !open && let Err(refusal) = self.enqueue(&mut library, &solution) {
                *lock(&solution.analysis) = Analysis::Unasked;
                return Err(refusal);
            }
        }
        Ok(library.view(&solution))
    }

    /// What a river leaves open, as far as it is worked out.
    pub(super) fn river(&self, id: &str) -> Result<RiverView, Refusal> {
        let solution = lock(&self.0.library).find(id)?;
        let view = RiverView::from(&*lock(&solution.analysis));
        Ok(view)
    }

    /// Hands at a place, with what the other player must do.
    pub(super) fn hands(&self, id: &str, asked: &Asked) -> Result<DecisionView, Refusal> {
        let wrong = |error: String| {
            let remedy = "write actions from the beginning, and hands as a range";
            Refusal::new(StatusCode::BAD_REQUEST, error, remedy)
        };
        let looked = self.lend_of(id, |solution, solver| {
            let analysis = lock(&solution.analysis).clone();
            let view = self.on_threads(|| hands_at(solver, &analysis, asked));
            Ok((view.map_err(wrong)?, analysis))
        });
        let (mut view, analysis) = looked?;
        let found = match analysis {
            Analysis::Found(found) => Some(found),
            _ => None,
        };
        if asked.ends && found.is_none() {
            let error = "what this river leaves open is not worked out";
            let remedy = "have it worked out first: `PUT /api/v1/study/solutions/ID/analyse`";
            return Err(Refusal::new(StatusCode::CONFLICT, error, remedy));
        }
        let Some(found) = found else { return Ok(view) };
        if asked.ends {
            // One at a time: a linear program cannot be interrupted.
            let _turn = match self.0.ends.try_lock() {
                Ok(turn) => turn,
                Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    let error = "another hand is being worked out";
                    let remedy = "ask again in some seconds";
                    return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error, remedy));
                }
            };
            let begun = Instant::now();
            let mut go_on = |_, _| !self.0.stop.is_cancelled() && begun.elapsed() < ENDS_TIMEOUT;
            self.on_threads(|| found.work_out_ends(&view, &mut go_on)).map_err(wrong)?;
        }
        found.add_ends(&mut view);
        Ok(view)
    }

    /// What is asked of a solution at the place that a line leads to, as JSON.
    pub(super) fn look(&self, id: &str, view: View, line: &str) -> Result<Arc<String>, Refusal> {
        self.lend_of(id, |solution, solver| self.view(solution, solver, view, line))
    }

    /// The result of work with the solver of a solution, on the threads that solve.
    pub(in crate::web) fn lend<T: Send>(
        &self,
        id: &str,
        work: impl FnOnce(&mut Solver) -> Result<T, Refusal> + Send,
    ) -> Result<T, Refusal> {
        self.lend_of(id, |_, solver| self.on_threads(|| work(solver)))
    }

    fn lend_of<T>(
        &self,
        id: &str,
        work: impl FnOnce(&Solution, &mut Solver) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let solution = lock(&self.0.library).find(id)?;
        let _visit = Visit::new(&solution.bench);
        if solution.bench.is_empty() {
            self.fetch(&solution)?;
        }
        let Some(mut lent) = solution.bench.borrow(LEND_TIMEOUT) else {
            return Err(solution.not_there());
        };
        let Some(solver) = lent.solver.as_mut() else { return Err(solution.not_there()) };
        work(&solution, solver)
    }

    /// Has a solution that is in files only read into memory, after the solves that wait, and waits
    /// for it.
    fn fetch(&self, solution: &Arc<Solution>) -> Result<(), Refusal> {
        if !self.0.files.as_ref().is_some_and(|files| files.has(&solution.id)) {
            return Ok(());
        }
        let mut library = lock(&self.0.library);
        let state = lock(&solution.status).state;
        if matches!(state, State::Stopped | State::Solved) && solution.bench.is_empty() {
            self.enqueue(&mut library, solution)?;
            // It is only read.
            solution.cancel.store(state == State::Stopped, Ordering::SeqCst);
        }
        drop(library);
        solution.bench.wait_for_solver(LEND_TIMEOUT);
        Ok(())
    }

    fn view(
        &self,
        solution: &Solution,
        solver: &mut Solver,
        view: View,
        line: &str,
    ) -> Result<Arc<String>, Refusal> {
        let key = (solver.iterations(), view, line.to_owned());
        if let Some((_, text)) = lock(&solution.ready).iter().find(|(known, _)| *known == key) {
            return Ok(Arc::clone(text));
        }
        let text = self.on_threads(|| view.json(solver, line));
        let text = text.map_err(|error| {
            let remedy = "write actions and cards from the beginning, as in x b66 c Kd";
            Refusal::new(StatusCode::BAD_REQUEST, error, remedy)
        })?;
        let text = Arc::new(text);
        let mut ready = lock(&solution.ready);
        ready.push_back((key, Arc::clone(&text)));
        while ready.len() > READY_PLACES {
            ready.pop_front();
        }
        Ok(text)
    }

    /// Solves what is asked for until the server stops.
    fn solve_all(&self) {
        while !self.0.stop.is_cancelled() {
            let Some(solution) = self.next() else { continue };
            let solved = catch_unwind(AssertUnwindSafe(|| self.solve(&solution)));
            let failure = match solved {
                Ok(Ok(())) => continue,
                Ok(Err(error)) => error,
                Err(panic) => {
                    let text = panic.downcast_ref::<String>().map(String::as_str);
                    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                    let text = text.unwrap_or("unknown");
                    tracing::error!(panic = text, id = solution.id, "a solve has failed");
                    format!("a fault in this program ({text}): please report what was solved")
                }
            };
            let mut status = lock(&solution.status);
            (status.state, status.reason) = (State::Failed, Some(failure));
        }
    }

    /// The next solution to work on, if there is one soon.
    fn next(&self) -> Option<Arc<Solution>> {
        let mut library = lock(&self.0.library);
        if library.queue.is_empty() {
            library = match self.0.wake.wait_timeout(library, POLL_INTERVAL) {
                Ok((library, _)) => library,
                Err(error) => error.into_inner().0,
            };
        }
        let solution = library.queue.pop_front()?;
        let mut status = lock(&solution.status);
        status.state = State::Solving;
        drop(status);
        if solution.bench.is_empty() {
            // Others make room.
            let Inner { plan, files, .. } = &*self.0;
            let memory = plan.memory.saturating_sub(solution.size.bytes);
            library.shrink(plan.kept, memory, &solution, files.as_ref());
        }
        Some(solution)
    }

    /// Works out what a river leaves open, unless it is stopped.
    fn work_out(&self, solution: &Solution, start: Result<Start, String>) {
        let begun = Instant::now();
        let mut go_on = |done, all| {
            *lock(&solution.analysis) = Analysis::Asked(done, all);
            !solution.cancel.load(Ordering::SeqCst)
                && !self.0.stop.is_cancelled()
                && begun.elapsed() < self.0.plan.max_time
        };
        let found = start.and_then(|start| self.on_threads(|| start.work_out(&mut go_on)));
        *lock(&solution.analysis) = match found {
            Ok(found) => Analysis::Found(Arc::new(found)),
            Err(reason) => Analysis::Failed(reason),
        };
    }

    /// The solver of a solution: as it was kept, or one that has not begun.
    fn solver(&self, solution: &Solution) -> Result<Solver, String> {
        let problem = &solution.problem;
        let fresh = || {
            let solver = problem.subgame().and_then(|subgame| problem.solver(subgame));
            let mut solver = solver.map_err(|error| error.to_string())?;
            locks::apply(&mut solver, &solution.locks).map_err(|(number, error)| {
                format!("lock {} of {} cannot be: {error}", number + 1, solution.locks.len())
            })?;
            Ok::<_, String>(solver)
        };
        let solver = fresh()?;
        let id = &solution.id;
        let Some(files) = self.0.files.as_ref().filter(|files| files.has(id)) else {
            return Ok(solver);
        };
        match files.resume(id, problem, solver) {
            Ok((solver, seconds)) => {
                let mut status = lock(&solution.status);
                (status.iterations, status.seconds) = (solver.iterations(), seconds);
                Ok(solver)
            }
            Err(error) => {
                tracing::warn!(id, error, "a kept solution cannot be read: it is solved again");
                files.remove(id);
                let mut status = lock(&solution.status);
                (status.iterations, status.seconds) = (0, 0.0);
                (status.exploitability, status.result) = (None, None);
                drop(status);
                fresh()
            }
        }
    }

    /// Keeps the state of a solve in its files.
    fn keep(
        &self,
        solution: &Solution,
        solver: &Solver,
        file: &mut Checkpoint,
        reason: Option<String>,
    ) {
        let Some(files) = &self.0.files else { return };
        if solution.forgotten.load(Ordering::SeqCst) {
            return;
        }
        let status = lock(&solution.status).clone();
        let saved = Saved {
            made: solution.made,
            name: lock(&solution.name).clone(),
            order: Order::of_parameters(&solution.parameters, &status.limits, &solution.locks),
            iterations: solver.iterations(),
            seconds: status.seconds,
            exploitability: status.exploitability,
            result: status.result.filter(|result| result.iterations == solver.iterations()),
            reason,
        };
        match files.write(&solution.id, &solution.problem, (solver, &saved), file) {
            Ok(removed) => lock(&self.0.library).forget_unread(&removed),
            Err(error) => tracing::warn!(id = solution.id, %error, "a solution cannot be kept"),
        }
        // Somebody may have named it meanwhile.
        if *lock(&solution.name) != saved.name {
            self.keep_name(solution);
        }
        if solution.forgotten.load(Ordering::SeqCst) {
            files.remove(&solution.id);
        }
    }

    /// Keeps the name of a solution in its file, if there is one.
    fn keep_name(&self, solution: &Solution) {
        let Some(files) = &self.0.files else { return };
        let name = lock(&solution.name).clone();
        if let Err(error) = files.rename(&solution.id, &name) {
            tracing::warn!(id = solution.id, %error, "the name of a solution cannot be kept");
        }
    }

    fn solve(&self, solution: &Solution) -> Result<(), String> {
        if solution.bench.is_empty() {
            let solver = self.on_threads(|| self.solver(solution))?;
            solution.bench.put(Place::Here(Box::new(solver)));
        }
        let mut file = self.0.files.as_ref().map(|files| files.checkpoint(&solution.id));
        let begun = Instant::now();
        let earlier = lock(&solution.status).seconds;
        let before = lock(&solution.status).iterations;
        let limits = Limits { resumed: before, ..lock(&solution.status).limits };
        let bench = &solution.bench;
        let lost = || "what was solved is lost: solve the spot again".to_owned();
        let mut done = 0;
        let reason = loop {
            let Some(mut lent) = bench.borrow(VISIT_TIMEOUT) else {
                return Err(lost());
            };
            let Some(solver) = lent.solver.as_mut() else { return Err(lost()) };
            let checked = self.on_threads(|| limits.check(solver));
            let over = limits.are_reached(solver);
            let mut status = lock(&solution.status);
            if let Some(checked) = checked {
                status.exploitability = Some(checked.exploitability);
                status.expected = checked.expected;
            }
            status.iterations = solver.iterations();
            status.seconds = earlier + begun.elapsed().as_secs_f64();
            drop(status);
            if over {
                break None;
            }
            if solution.cancel.load(Ordering::SeqCst) {
                break Some("was stopped");
            }
            if self.0.stop.is_cancelled() {
                break Some("the server stops");
            }
            if begun.elapsed() >= self.0.plan.max_time {
                break Some("took as long as `study.max_time` allows");
            }
            self.on_threads(|| solver.step());
            done += 1;
            if let Some(file) = &mut file
                && file.due()
            {
                self.keep(solution, solver, file, Some("the server stopped".to_owned()));
            }
            drop(lent);
            bench.wait_for_visitors();
        };
        let elapsed = begun.elapsed().as_secs_f64();
        if elapsed > SHORT && done >= FEW {
            lock(&self.0.library).speed = f64::from(done) * solution.size.cells as f64 / elapsed;
        }
        let Some(mut lent) = bench.borrow(VISIT_TIMEOUT) else { return Err(lost()) };
        let Some(solver) = lent.solver.as_mut() else { return Err(lost()) };
        let seconds = earlier + begun.elapsed().as_secs_f64();
        let result = self.on_threads(|| SolveResult::new(solver, &limits, seconds));
        let iterations = result.iterations;
        let asked = matches!(*lock(&solution.analysis), Analysis::Asked(..));
        let start = (asked && reason.is_none()).then(|| Start::new(solver));
        // Whoever looks next begins at the beginning.
        let _ = self.view(solution, solver, View::Place, "");
        let mut status = lock(&solution.status);
        status.iterations = iterations;
        status.exploitability = Some(result.exploitability);
        status.seconds = seconds;
        status.result = Some(result);
        drop(status);
        if let Some(file) = &mut file
            && (done > 0 || !file.path().exists())
        {
            self.keep(solution, solver, file, reason.map(str::to_owned));
        }
        drop(lent);
        if let Some(start) = start {
            self.work_out(solution, start);
        } else if asked {
            *lock(&solution.analysis) = Analysis::Unasked;
        }
        let mut status = lock(&solution.status);
        status.reason = reason.map(str::to_owned);
        status.state = if reason.is_some() { State::Stopped } else { State::Solved };
        Ok(())
    }
}

impl Library {
    fn find(&self, id: &str) -> Result<Arc<Solution>, Refusal> {
        let found = self.solutions.iter().find(|solution| solution.id == id);
        found.cloned().ok_or_else(|| {
            let remedy = "`/api/v1/study` lists those that are kept; solve the spot again";
            Refusal::new(StatusCode::NOT_FOUND, "there is no such solution", remedy)
        })
    }

    /// Forgets the oldest solutions that are not worked on until at most so many are left, and
    /// drops the numbers of the oldest until they take at most `memory`; those that are not in
    /// files are forgotten, too.
    fn shrink(&mut self, kept: usize, memory: u64, but: &Solution, files: Option<&SolutionFiles>) {
        let idle = |solution: &Arc<Solution>| {
            let state = lock(&solution.status).state;
            solution.id != but.id && !matches!(state, State::Waiting | State::Solving)
        };
        let unnamed = |solution: &Arc<Solution>| idle(solution) && lock(&solution.name).is_empty();
        // What somebody has named goes last.
        let oldest = |solutions: &[Arc<Solution>]| {
            let found = solutions.iter().rposition(unnamed);
            found.or_else(|| solutions.iter().rposition(idle))
        };
        while self.solutions.len() > kept
            && let Some(oldest) = oldest(&self.solutions)
        {
            let solution = self.solutions.remove(oldest);
            if let Some(files) = files {
                files.remove(&solution.id);
            }
        }
        let mut at = self.solutions.len();
        while at > 0 && self.solutions.iter().map(|solution| solution.bytes()).sum::<u64>() > memory
        {
            at -= 1;
            let solution = &self.solutions[at];
            if !idle(solution) || solution.bench.is_empty() {
                continue;
            }
            if files.is_some_and(|files| files.has(&solution.id)) {
                solution.bench.clear();
            } else {
                self.solutions.remove(at);
            }
        }
    }

    /// Forgets solutions of which nothing is left, neither in files nor in memory.
    fn forget_unread(&mut self, removed: &[String]) {
        self.solutions
            .retain(|solution| !removed.contains(&solution.id) || !solution.bench.is_empty());
    }

    fn view(&self, solution: &Solution) -> SolutionView {
        let status = lock(&solution.status).clone();
        let before = self.queue.iter().position(|waiting| waiting.id == solution.id);
        let pot = solution.problem.root.pot() as f64;
        SolutionView {
            id: solution.id.clone(),
            name: lock(&solution.name).clone(),
            made: solution.made,
            state: status.state,
            reason: status.reason,
            before: before.filter(|_| status.state == State::Waiting),
            iterations: status.iterations,
            expected: status.expected,
            most: status.limits.most,
            until: status.limits.goal,
            exploitability: status.exploitability,
            share_of_pot: status.exploitability.map(|chips| chips / pot),
            seconds: status.seconds,
            parameters: solution.parameters.clone(),
            without_locks: (!solution.locks.is_empty()).then(|| name(&solution.parameters, &[])),
            locks: solution.locks.clone(),
            size: (&solution.size).into(),
            result: status.result,
        }
    }
}
