//! UPI: the subgame solver as the engine of scripts that were written for PioSOLVER, over its
//! standard input and output or any other pair of streams.
//!
//! One thread reads commands. The session itself solves, one iteration after another, and answers
//! between two of them what has come in: `go` returns at once, and no line of the solver stands
//! within an answer. The end of the input ends a session, also in the middle of a solve.

mod tree;

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::time::{Duration, Instant};

use cards::Combo;
use matches::runner::Stop;
use parallel::{Pool, processors};
use protocol::upi::{
    AnswerWriter, Command, CommandError, CommandReader, Limit, Reply, Unit, Update, greeting,
    hand_order,
};

use tree::{Setup, Tree};

/// Commands that are read before the first of them is answered.
const AHEAD: usize = 1024;

/// How often a session without work looks whether it is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Information on the way comes at a check, and not sooner than this after the last.
const INFO_INTERVAL: Duration = Duration::from_secs(1);

/// Scripts that load each other.
const DEEPEST: usize = 8;

/// What a session is given.
#[derive(Debug, Clone)]
pub struct Options {
    /// The program's version.
    pub version: &'static str,
    /// Number of threads; 0 for all processors.
    pub threads: usize,
    /// Maximum number of bytes for solving.
    pub memory: u64,
}

/// How a session has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By `exit`, the end of the input, or the end of a reader of its output.
    Done,
    /// It was asked to stop.
    Stopped,
}

type Received = Result<Command, CommandError>;

/// Answers commands until `exit`, the end of the input, or the stop.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write,
    options: Options,
    stop: &Stop,
) -> std::io::Result<Ended> {
    let (sender, receiver) = sync_channel(AHEAD);
    let ended = Arc::new(AtomicBool::new(false));
    let at_end = Arc::clone(&ended);
    // It may wait for bytes when the session is over, and ends with the process then.
    std::thread::Builder::new().name("commands".into()).spawn(move || {
        read(input, &sender);
        at_end.store(true, Ordering::Relaxed);
    })?;
    let mut session = Session {
        pool: Pool::new(options.threads)?,
        options,
        output,
        answers: AnswerWriter::default(),
        setup: Setup::default(),
        tree: None,
        accuracy: None,
        info_frequency: None,
        run: None,
        stop: stop.clone(),
        input_ended: ended,
        scripts: 0,
        silent: None,
        over: false,
    };
    Ok(session.serve(&receiver))
}

/// Reads commands until the end of the input or of the session.
fn read(mut input: impl Read, to: &SyncSender<Received>) {
    let mut reader = CommandReader::default();
    let mut bytes = vec![0; 1 << 16];
    loop {
        match input.read(&mut bytes) {
            Ok(0) => reader.end(),
            Ok(count) => reader.receive(&bytes[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        }
        let ends = reader.has_ended();
        while let Some(command) = reader.poll() {
            if to.send(command).is_err() {
                return;
            }
        }
        if ends {
            return;
        }
    }
}

/// A solve that is under way.
struct Run {
    limit: Limit,
    begun: Instant,
    /// Iterations done in this run.
    done: u32,
    informed: Instant,
    /// Whether it was told that it has started.
    told: bool,
}

struct Session<W> {
    output: W,
    answers: AnswerWriter,
    options: Options,
    pool: Pool,
    setup: Setup,
    tree: Option<Tree>,
    accuracy: Option<(f64, Unit)>,
    /// Number of iterations after which information is given.
    info_frequency: Option<u32>,
    run: Option<Run>,
    stop: Stop,
    input_ended: Arc<AtomicBool>,
    /// Scripts that are being read, one by another.
    scripts: usize,
    /// Within a script whose commands are not answered: their first error.
    silent: Option<Option<String>>,
    /// Whether the session is over: after `exit`, or when nobody reads the output.
    over: bool,
}

impl<W: Write> Session<W> {
    fn serve(&mut self, commands: &Receiver<Received>) -> Ended {
        let program = format!("cardroom {}", self.options.version);
        let rights = "(c) the authors of cardroom, under MIT or Apache-2.0";
        self.write(&greeting(&program, rights, "anyone"));
        while !self.over {
            if self.stop.asked() {
                self.end("terminated");
                return Ended::Stopped;
            }
            let received = if self.run.is_some() {
                commands.try_recv().map_err(|error| error == TryRecvError::Disconnected)
            } else {
                let received = commands.recv_timeout(POLL_INTERVAL);
                received.map_err(|error| error == RecvTimeoutError::Disconnected)
            };
            match received {
                Ok(command) => self.take(command),
                Err(true) => {
                    self.end("end of input");
                    return Ended::Done;
                }
                Err(false) => self.iterate(),
            }
        }
        Ended::Done
    }

    /// Writes lines at once; the session is over when nobody reads them.
    fn write(&mut self, lines: &str) {
        let written = self.output.write_all(lines.as_bytes()).and_then(|()| self.output.flush());
        self.over |= written.is_err();
    }

    /// Answers a command.
    fn take(&mut self, received: Received) {
        let command = match received {
            Ok(Command::Exit) => {
                self.over = true;
                return;
            }
            Ok(command) => command,
            Err(error) => {
                match &mut self.silent {
                    Some(first) => _ = first.get_or_insert(error.to_string()),
                    None => {
                        let refused = self.answers.refuse(&error);
                        self.write(&refused);
                    }
                }
                return;
            }
        };
        if let Command::LoadScript(path) = &command {
            return self.load_script(&command, path);
        }
        let reply = self.perform(&command);
        match (&mut self.silent, &reply) {
            (Some(first), Err(error)) => {
                first.get_or_insert_with(|| format!("{}: {error}", command.name()));
            }
            (Some(_), Ok(_)) => self.answers.obey(&command),
            (None, _) => {
                let reply = reply.map_err(|error| format!("{}: {error}", command.name()));
                let answer = self.answers.answer(&command, &reply);
                self.write(&answer);
            }
        }
    }

    /// Acknowledges a script, then answers each of its commands.
    fn load_script(&mut self, command: &Command, path: &str) {
        let script = self.script(path);
        let reply = script.as_ref().map(|_| Reply::Done).map_err(Clone::clone);
        match (&mut self.silent, reply) {
            (Some(first), Err(error)) => _ = first.get_or_insert(error),
            (Some(_), Ok(_)) => {}
            (None, reply) => {
                let answer = self.answers.answer(command, &reply);
                self.write(&answer);
            }
        }
        self.run_script(script.unwrap_or_default());
    }

    fn script(&self, path: &str) -> Result<Vec<Received>, String> {
        if self.scripts >= DEEPEST {
            return Err(format!("{path}: scripts load each other more than {DEEPEST} deep"));
        }
        let bytes = std::fs::read(path).map_err(|error| format!("{path}: {error}"))?;
        let mut reader = CommandReader::default();
        reader.receive(&bytes);
        reader.end();
        Ok(std::iter::from_fn(|| reader.poll()).collect())
    }

    fn run_script(&mut self, commands: Vec<Received>) {
        self.scripts += 1;
        for command in commands {
            let failed = self.silent.as_ref().is_some_and(Option::is_some);
            if self.over || self.stop.asked() || failed {
                break;
            }
            self.take(command);
        }
        self.scripts -= 1;
    }

    /// Does what a command asks for.
    fn perform(&mut self, command: &Command) -> Result<Reply, String> {
        if let Some(set) = self.setup.set(command) {
            return set.map(|()| Reply::Done);
        }
        let changes = matches!(
            command,
            Command::BuildTree
                | Command::FreeTree
                | Command::LoadTree(..)
                | Command::SetStrategy(..)
                | Command::LockNode(_)
                | Command::UnlockNode(_)
                | Command::ComboLockNode(..)
                | Command::Go(_)
        );
        if changes && self.run.is_some() {
            return Err("the solver is running: stop it, or use wait_for_solver".to_owned());
        }
        let line = |text: String| Ok(Reply::Lines(vec![text]));
        match command {
            Command::IsReady
            | Command::SetEndString(_)
            | Command::ResetEndString
            // Nothing of a tree is ever forgotten.
            | Command::LoadAllNodes
            | Command::RebuildForgottenStreets
            | Command::SetRecalcAccuracy(_)
            | Command::SetAlwaysRecalc(_) => Ok(Reply::Done),
            Command::Echo(words) => line(words.join(" ")),
            Command::ShowVersion => line(self.options.version.to_owned()),
            Command::LoadScriptSilent(path) => self.load_silently(path),
            Command::ShowHandOrder => line(hand_order()),
            Command::ShowMetadata(path) => Tree::read_info(Path::new(path)).map(Reply::Info),
            Command::ShowEffectiveStack => line(self.setup.stack()?.to_string()),
            Command::ShowRange(position, None) => {
                Ok(Reply::Rows(vec![self.setup.range(*position).weights().to_vec()]))
            }
            Command::IsTreePresent => line(self.tree.is_some().to_string()),
            Command::EstimateTree => line(self.setup.estimate(self.options.memory)?),
            Command::BuildTree => {
                // Both would not fit where one does.
                self.tree = None;
                self.tree = Some(self.setup.build(self.options.memory)?);
                Ok(Reply::Done)
            }
            Command::FreeTree => {
                self.tree = None;
                Ok(Reply::Done)
            }
            Command::LoadTree(path, _) => {
                self.tree = None;
                let tree = Tree::read(Path::new(path), self.options.memory)?;
                self.setup = tree.setup.clone();
                self.tree = Some(tree);
                Ok(Reply::Done)
            }
            &Command::SetAccuracy(accuracy, unit) => {
                self.accuracy = (accuracy > 0.0).then_some((accuracy, unit));
                Ok(Reply::Done)
            }
            &Command::SetInfoFreq(frequency) => {
                self.info_frequency = (frequency > 0).then_some(frequency);
                Ok(Reply::Done)
            }
            &Command::SetThreads(threads) => {
                // More than one for each processor would only take turns; 0 is one for each.
                let threads = (threads as usize).min(processors());
                self.pool = Pool::new(threads).map_err(|error| error.to_string())?;
                Ok(Reply::Done)
            }
            &Command::Go(limit) => {
                self.tree_or_error()?;
                let now = Instant::now();
                self.run = Some(Run { limit, begun: now, done: 0, informed: now, told: false });
                Ok(Reply::Done)
            }
            Command::Stop => {
                self.end("requested");
                Ok(Reply::Done)
            }
            Command::WaitForSolver => {
                self.wait();
                Ok(Reply::Done)
            }
            Command::Bench
            | Command::ShowPreflopOrder
            | Command::SolvePartial(_)
            | Command::SolveAllSplits
            | Command::SetEqualStrats(_)
            | Command::SetMes(_)
            | Command::EliminatePath(_) => Err(limit(command).to_owned()),
            command => self.of_tree(command),
        }
    }

    /// Does what a command asks of the tree.
    fn of_tree(&mut self, command: &Command) -> Result<Reply, String> {
        let tree = self.tree.as_mut().ok_or(NO_TREE)?;
        let pool = &self.pool;
        match command {
            Command::ShowNode(id) => tree.node(id).map(Reply::Node),
            Command::ShowChildren(id) => tree.children(id).map(Reply::Children),
            Command::ShowStrategy(id) => tree.strategy(id).map(Reply::Rows),
            Command::ShowRange(position, Some(id)) => {
                Ok(Reply::Rows(vec![tree.range(*position, id)?]))
            }
            Command::CalcEv(position, id) => {
                let rows = pool.run(|| tree.values(*position, id))?;
                Ok(Reply::Rows(rows.to_vec()))
            }
            Command::CalcEqNode(position, id) => {
                Ok(Reply::Rows(tree.equities(*position, id)?.to_vec()))
            }
            Command::CalcGlobalFreq(id) => Ok(Reply::Rows(vec![vec![tree.frequency(id)?]])),
            Command::CalcLineFreq(id) => Ok(Reply::Rows(vec![vec![tree.line_frequency(id)?]])),
            Command::CalcResults => Ok(Reply::Results(pool.run(|| tree.results()))),
            Command::ShowTreeInfo => Ok(Reply::Info(tree.setup.info())),
            Command::ShowAllLines => Ok(Reply::Lines(tree.lines())),
            Command::SetStrategy(id, numbers) => {
                tree.set_strategy(id, numbers).map(|()| Reply::Done)
            }
            Command::LockNode(id) => tree.lock(id, &|_| true).map(|()| Reply::Done),
            Command::UnlockNode(id) => tree.unlock(id).map(|()| Reply::Done),
            Command::ComboLockNode(id, held) => {
                tree.lock(id, &|combo: Combo| held[combo.index()]).map(|()| Reply::Done)
            }
            Command::DumpTree(path, _) => tree.write(Path::new(path)).map(|()| Reply::Done),
            _ => Err("this is not done here".to_owned()),
        }
    }

    fn tree_or_error(&mut self) -> Result<&mut Tree, String> {
        self.tree.as_mut().ok_or_else(|| NO_TREE.to_owned())
    }

    /// Does the commands of a script without answering them.
    fn load_silently(&mut self, path: &str) -> Result<Reply, String> {
        let script = self.script(path)?;
        let outer = self.silent.replace(None);
        self.run_script(script);
        let failed = std::mem::replace(&mut self.silent, outer).flatten();
        match failed {
            None => Ok(Reply::Done),
            Some(error) => {
                Err(format!("{path}: {error}; the commands after it in the file were left out"))
            }
        }
    }

    /// Solves until the run ends. Without anything that could end it, the end of the input does.
    fn wait(&mut self) {
        while let Some(run) = &self.run {
            let endless = run.limit == Limit::None && self.accuracy.is_none();
            if self.over || self.stop.asked() {
                return;
            }
            if endless && self.input_ended.load(Ordering::Relaxed) {
                self.end("end of input");
                return;
            }
            self.iterate();
        }
    }

    /// Takes the run one iteration further, or ends it.
    fn iterate(&mut self) {
        let (Some(run), Some(tree)) = (&mut self.run, &mut self.tree) else { return };
        let pool = &self.pool;
        let goal = self.accuracy.map(|(accuracy, unit)| match unit {
            Unit::Chips => tree.chips(accuracy),
            // The pot in the solver's chips.
            Unit::Fraction => accuracy * tree.solver.subgame().root().pot() as f64,
        });
        let first = run.done == 0;
        let untold = !std::mem::replace(&mut run.told, true);
        let over = match run.limit {
            Limit::None => None,
            Limit::Seconds(seconds) => {
                (run.begun.elapsed().as_secs_f64() >= seconds).then_some("time limit")
            }
            Limit::Steps(steps) => (run.done >= steps).then_some("step limit"),
        };
        let done = tree.solver.iterations();
        let ends = over.is_some() && goal.is_some();
        let due = done >= tree.solver.next_check() || ends || first;
        let solved = done > 0 && !tree.edited;
        let checked = due && solved;
        if checked {
            let begun = Instant::now();
            pool.run(|| tree.solver.check(goal.unwrap_or(0.0)));
            tree.seconds += begun.elapsed().as_secs_f64();
        }
        let near = goal.is_some_and(|goal| tree.solver.best_check().is_some_and(|b| b <= goal));
        let informs = match self.info_frequency {
            Some(frequency) => run.done > 0 && run.done.is_multiple_of(frequency),
            None => checked && run.informed.elapsed() >= INFO_INTERVAL,
        };
        if untold {
            self.write(&self.answers.update(&Update::Started));
        }
        if near {
            if let Some(tree) = &mut self.tree {
                self.pool.run(|| tree.solver.return_to_best());
            }
            return self.end("required accuracy reached");
        }
        if let Some(reason) = over {
            return self.end(reason);
        }
        if informs {
            self.inform();
        }
        let (Some(run), Some(tree)) = (&mut self.run, &mut self.tree) else { return };
        let begun = Instant::now();
        self.pool.run(|| tree.solver.step());
        tree.edited = false;
        tree.seconds += begun.elapsed().as_secs_f64();
        run.done += 1;
    }

    /// Tells how far the run has come.
    fn inform(&mut self) {
        let (Some(run), Some(tree)) = (&mut self.run, &mut self.tree) else { return };
        let results = self.pool.run(|| tree.results());
        run.informed = Instant::now();
        self.write(&self.answers.update(&Update::Running(results)));
    }

    /// Ends the run, if there is one, and tells what it has come to.
    fn end(&mut self, reason: &'static str) {
        let Some(run) = &self.run else { return };
        if !run.told {
            self.write(&self.answers.update(&Update::Started));
        }
        if !self.stop.asked() {
            self.inform();
        }
        self.run = None;
        self.write(&self.answers.update(&Update::Stopped(reason)));
    }
}

const NO_TREE: &str = "there is no tree: use build_tree or load_tree";

/// Why a command is not done.
fn limit(command: &Command) -> &'static str {
    match command {
        Command::Bench => {
            "its figure is that of a tree of another program: time a `go` on a tree of yours"
        }
        Command::ShowPreflopOrder => {
            "the order is not documented, and nothing before the flop is solved here"
        }
        Command::SolvePartial(_) | Command::SolveAllSplits => {
            "only whole trees are solved here: use go; nothing of a tree is forgotten"
        }
        _ => "what it does is not documented, and it is not guessed here",
    }
}
