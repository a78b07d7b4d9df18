//! Child processes, each in a process group of its own, with output to a file or dropped. Dropping
//! the value kills the group.
//!
//! Nothing is dropped in a process that ends by a signal or by `exit`: code that ends this process
//! calls [`end_all`] first. For an end that runs no code, such as `kill -9`, a shell ([`WATCHER`])
//! waits on a pipe, which closes when this process is gone, and kills the groups. A system without
//! `/bin/sh` has no watcher.
//!
//! The last lines of a program's error output, which usually say why it ended, are kept.

use std::collections::{BTreeSet, VecDeque};
use std::fs;
use std::fs::{File, OpenOptions};
use std::io;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::thread::sleep;
use std::time::{Duration, Instant};

use game::escape::visible;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process, kill_process_group, test_kill_process_group};

use crate::confine::Confinement;

/// The environment variable with the password for a Slumbot server. Child processes do not get it.
pub const SLUMBOT_PASSWORD: &str = "CARDROOM_SLUMBOT_PASSWORD";

/// The variable with the key of `cardroom play gtowizard`, which programs do not get either.
pub const GTOWIZARD_KEY: &str = "CARDROOM_GTOWIZARD_KEY";

/// The variable that names a file in which a command of this program keeps its progress. It is for
/// that command only.
pub const PROGRESS_FILE: &str = "CARDROOM_PROGRESS_FILE";

/// Kills the process groups in the last line that it has read when its input ends. Signals that ask
/// this process to end may reach it, too, and must not end it first.
const WATCHER: &str = "trap '' HUP INT QUIT TERM; while read -r line; do groups=$line; done; \
                       kill -s KILL -- $groups";

/// Waits until its input ends.
const LEADER: &str = "read -r line";

/// The process groups of running programs.
struct Groups {
    running: BTreeSet<u32>,
    /// Whether this process is about to end: then no program may be started.
    over: bool,
    /// The input of the watcher, which is sent the running groups whenever they change.
    watcher: Option<ChildStdin>,
}

static GROUPS: Mutex<Groups> =
    Mutex::new(Groups { running: BTreeSet::new(), over: false, watcher: None });

impl Groups {
    fn add(&mut self, group: u32) {
        self.running.insert(group);
        self.tell();
    }

    fn remove(&mut self, group: u32) {
        self.running.remove(&group);
        self.tell();
    }

    /// Tells the watcher, which is started if it does not run, what to kill.
    fn tell(&mut self) {
        let groups: Vec<String> = self.running.iter().map(|group| format!("-{group}")).collect();
        let line = groups.join(" ") + "\n";
        let told =
            |mut watcher: ChildStdin| watcher.write_all(line.as_bytes()).is_ok().then_some(watcher);
        self.watcher = self.watcher.take().and_then(told);
        if self.watcher.is_none() && !self.running.is_empty() {
            self.watcher = shell(WATCHER).and_then(|mut child| child.stdin.take()).and_then(told);
        }
    }
}

/// A shell in a process group of its own that runs this script; `None` if the system has none.
fn shell(script: &str) -> Option<Child> {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", script])
        .current_dir("/")
        .env_remove(SLUMBOT_PASSWORD)
        .env_remove(GTOWIZARD_KEY)
        .process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
}

/// The first process of a group, so that the watcher knows the group before a program is in it.
struct Leader(Child);

impl Drop for Leader {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

fn groups() -> MutexGuard<'static, Groups> {
    parallel::lock(&GROUPS)
}

/// Kills all running programs and everything they started. No more can be started: this process is
/// about to end.
pub fn end_all() {
    let mut groups = groups();
    groups.over = true;
    for &group in &groups.running {
        kill(group);
    }
}

/// A process, or a process group, by its number.
fn group(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

fn kill(number: u32) {
    if let Some(group) = group(number) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// A command to run, with its working folder and output file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program: a path if it contains a `/`, otherwise a name to look up.
    pub program: PathBuf,
    /// The arguments, before those that the caller adds.
    pub arguments: Vec<String>,
    /// The working folder; `None` for the current one.
    pub folder: Option<PathBuf>,
    /// The file to which output and error output are appended; if `None` both are dropped, but the
    /// last lines of error output are kept in memory.
    pub output: Option<PathBuf>,
    /// The size beyond which nothing more is written to that file; `None` for no limit.
    pub output_limit: Option<u64>,
    /// Environment variables that it gets beside those of this process.
    pub variables: Vec<(String, String)>,
    /// What it may do on this machine; `None` for all that this process may.
    pub confined: Option<Confinement>,
    /// The script, if the program is its interpreter.
    script: Option<PathBuf>,
}

impl Program {
    /// Splits a command line as a shell does: blanks separate, quotes and backslashes protect. A
    /// relative path of the program is resolved from `folder`.
    ///
    /// `None` when there is no word or a quote is not closed.
    pub fn parse(command: &str, folder: &Path) -> Option<Program> {
        Program::new(&shlex::split(command)?, folder)
    }

    /// A program with its arguments. A relative path of the program is resolved from `folder`.
    ///
    /// `None` when there is no word.
    pub fn new(words: &[String], folder: &Path) -> Option<Program> {
        let (name, arguments) = words.split_first().filter(|(name, _)| !name.is_empty())?;
        let is_path = name.contains('/');
        let program = if is_path { folder.join(name) } else { PathBuf::from(name) };
        let arguments = arguments.to_vec();
        let (folder, output, output_limit) = (None, None, None);
        let (variables, confined, script) = (Vec::new(), None, None);
        Some(Program {
            program,
            arguments,
            folder,
            output,
            output_limit,
            variables,
            confined,
            script,
        })
    }

    /// Starts the program with further arguments and no input.
    ///
    /// # Errors
    /// When the program cannot be started or the output file not be opened.
    pub fn start(&self, further: &[String]) -> io::Result<Running> {
        let Some(path) = &self.output else {
            return self.start_with_output(further, Stdio::null());
        };
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let (path, from) = (path.clone(), file.metadata()?.len());
        if let Some(limit) = self.output_limit {
            let mut running = self.start_into(further, Stdio::piped(), Stdio::piped())?;
            if let Some(stream) = running.child.stdout.take() {
                copy(stream, file.try_clone()?, limit, None)?;
            }
            let (open, more) = mpsc::channel();
            if let Some(stream) = running.child.stderr.take() {
                copy(stream, file, limit, Some(open))?;
            }
            running.stderr_tail = Some(StderrTail::In { path, from, more: Some(more) });
            return Ok(running);
        }
        let mut running = self.start_into(further, file.try_clone()?.into(), file.into())?;
        running.stderr_tail = Some(StderrTail::In { path, from, more: None });
        Ok(running)
    }

    /// [`start`](Self::start) with output going where the caller says, and the last lines of error
    /// output kept in memory.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start_with_output(&self, further: &[String], output: Stdio) -> io::Result<Running> {
        let mut running = self.start_into(further, output, Stdio::piped())?;
        running.stderr_tail = running.child.stderr.take().map(StderrTail::read).transpose()?;
        Ok(running)
    }

    /// [`start`](Self::start) with output and error output going where the caller says.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn start_into(
        &self,
        further: &[String],
        output: Stdio,
        errors: Stdio,
    ) -> io::Result<Running> {
        let program = match &self.folder {
            // The program's path is relative to the current folder, not to its working folder.
            Some(_) if self.is_path() => std::path::absolute(&self.program)?,
            _ => self.program.clone(),
        };
        let mut command = match &self.confined {
            Some(confined) => confined.wrap(&program, &self.arguments)?,
            None => {
                let mut command = Command::new(&program);
                command.args(&self.arguments);
                command
            }
        };
        command.args(further).stdin(Stdio::null());
        for own in [SLUMBOT_PASSWORD, GTOWIZARD_KEY, PROGRESS_FILE] {
            command.env_remove(own);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command.stdout(output).stderr(errors);
        let mut groups = groups();
        if groups.over {
            return Err(io::Error::other("this process is ending"));
        }
        let leader = shell(LEADER).map(Leader);
        let Some(Leader(first)) = &leader else {
            let child = command.process_group(0).spawn()?;
            groups.add(child.id());
            return Ok(Running { group: child.id(), child, stderr_tail: None });
        };
        let group = first.id();
        groups.add(group);
        let child = command.process_group(group.cast_signed()).spawn();
        let child = child.inspect_err(|_| groups.remove(group))?;
        Ok(Running { child, group, stderr_tail: None })
    }

    /// The program, which may connect to this port of the machine if it is confined.
    pub(crate) fn reaching(&self, port: u16) -> Program {
        let mut program = self.clone();
        if let Some(confined) = &mut program.confined {
            confined.port = Some(port);
        }
        program
    }

    /// The program, or, if it is a script that may not be executed, the interpreter that the
    /// script's first line names, with the script as its argument.
    #[must_use]
    pub fn interpreted(self) -> Program {
        let executable = |of: fs::Metadata| of.permissions().mode() & 0o111 != 0;
        let runs = || fs::metadata(&self.program).is_ok_and(executable);
        if !self.is_path() || !self.program.is_file() || runs() {
            return self;
        }
        let mut line = Vec::new();
        let read = File::open(&self.program)
            .and_then(|file| BufReader::new(file.take(256)).read_until(b'\n', &mut line));
        let line = String::from_utf8_lossy(&line);
        let words = line.strip_prefix("#!").filter(|_| read.is_ok()).unwrap_or_default();
        let named = |word: &&str| !matches!(*word, "/usr/bin/env" | "/bin/env" | "-S");
        let mut words = words.split_whitespace().filter(named).map(str::to_owned);
        let Some(interpreter) = words.next() else { return self };
        // The interpreter looks in its working folder.
        let script = match &self.folder {
            Some(_) => std::path::absolute(&self.program).unwrap_or(self.program),
            None => self.program,
        };
        let argument = script.to_string_lossy().into_owned();
        let arguments = words.chain([argument]).chain(self.arguments).collect();
        Program { program: interpreter.into(), arguments, script: Some(script), ..self }
    }

    /// The files that identify what the program does: the program itself or, if it is looked up by
    /// name (an interpreter, say), the first of its arguments that is a file. Of one with an
    /// absolute path, which may be an interpreter, both.
    pub fn sources(&self) -> Vec<PathBuf> {
        if let Some(script) = &self.script {
            return vec![script.clone()];
        }
        let is_path = self.is_path() || self.program.is_file();
        let own = Some(self.program.clone()).filter(|program| is_path && program.is_file());
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        let mut arguments = self.arguments.iter().map(|word| folder.join(word));
        let argument = arguments.find(|path| path.is_file());
        let argument = argument.filter(|_| !is_path || self.program.is_absolute());
        own.into_iter().chain(argument).collect()
    }

    fn is_path(&self) -> bool {
        self.program.components().count() > 1
    }
}

/// A running program, killed with its process group on drop.
#[derive(Debug)]
pub struct Running {
    child: Child,
    /// Its process group.
    group: u32,
    stderr_tail: Option<StderrTail>,
}

impl Running {
    /// The exit status of the program, if it has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Whether it and everything in its process group have ended.
    pub fn all_ended(&mut self) -> bool {
        let gone = |group| test_kill_process_group(group) == Err(Errno::SRCH);
        self.ended().is_some() && group(self.group).is_none_or(gone)
    }

    /// The last lines of its error output, at most twenty; none if its error output goes elsewhere
    /// ([`Program::start_into`]).
    pub fn stderr_tail(&mut self) -> Vec<String> {
        self.stderr_tail.as_mut().map_or_else(Vec::new, StderrTail::lines)
    }

    /// [`stderr_tail`](Self::stderr_tail) for a running program: waits a few milliseconds at most.
    pub fn stderr_so_far(&mut self) -> Vec<String> {
        self.stderr_tail.as_mut().map_or_else(Vec::new, StderrTail::so_far)
    }

    /// Waits for it to end, at most this long.
    pub fn wait(&mut self, at_most: Duration) -> Option<ExitStatus> {
        let deadline = Instant::now() + at_most;
        loop {
            let ended = self.ended();
            if ended.is_some() || Instant::now() >= deadline {
                return ended;
            }
            sleep(Duration::from_millis(2));
        }
    }

    /// Asks the program itself to stop, as Ctrl-C does; not what it has started.
    pub fn interrupt(&mut self) {
        // Its number is not reused before it has been waited for.
        if self.ended().is_none()
            && let Some(process) = group(self.child.id())
        {
            let _ = kill_process(process, Signal::INT);
        }
    }

    /// Kills its process group.
    pub fn kill(&mut self) {
        // Its number is not reused before the group is empty and the program has been waited for.
        let mut groups = groups();
        kill(self.group);
        groups.remove(self.group);
        drop(groups);
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The number of bytes that are stored.
const MAX_BYTES: usize = 8192;

/// The number of lines, and of characters in each.
const MAX_LINES: usize = 20;
const MAX_CHARS: usize = 240;

/// The time limit for the end of the stream after the program has ended: something it started may
/// still hold it open.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(200);

/// The time limit for reading recent output of a running program.
const READ_TIMEOUT: Duration = Duration::from_millis(20);

/// The destination of the error output.
#[derive(Debug)]
enum StderrTail {
    /// Read by a thread, which closes the channel when the stream ends.
    Read { tail: Arc<Mutex<VecDeque<u8>>>, more: Receiver<()> },
    /// To a file, from this offset on: copied by a thread, which closes the channel when the stream
    /// ends, or by the program itself.
    In { path: PathBuf, from: u64, more: Option<Receiver<()>> },
}

impl StderrTail {
    /// Keeps the last bytes of the stream.
    fn read(stream: ChildStderr) -> io::Result<StderrTail> {
        let tail = Arc::new(Mutex::new(VecDeque::new()));
        let (open, more) = mpsc::channel::<()>();
        let into = Arc::clone(&tail);
        drain("errors", stream, move |bytes| {
            // Closed with the thread.
            let _: &mpsc::Sender<()> = &open;
            let mut tail = parallel::lock(&into);
            tail.extend(bytes);
            let excess = tail.len().saturating_sub(MAX_BYTES);
            tail.drain(..excess);
        })?;
        Ok(StderrTail::Read { tail, more })
    }

    /// The last lines of a program that has ended, without empty ones.
    fn lines(&mut self) -> Vec<String> {
        self.lines_within(CLOSE_TIMEOUT)
    }

    /// The last lines of a running program.
    fn so_far(&mut self) -> Vec<String> {
        self.lines_within(READ_TIMEOUT)
    }

    fn lines_within(&mut self, rest: Duration) -> Vec<String> {
        let bytes = match self {
            StderrTail::Read { tail, more } => {
                // Returns at once when the stream has ended.
                let _ = more.recv_timeout(rest);
                parallel::lock(tail).iter().copied().collect()
            }
            StderrTail::In { path, from, more } => {
                if let Some(more) = more {
                    let _ = more.recv_timeout(rest);
                }
                written(path, *from).unwrap_or_default()
            }
        };
        let text = String::from_utf8_lossy(&bytes);
        let said = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
        let mut lines: Vec<String> = said.rev().take(MAX_LINES).map(shortened).collect();
        lines.reverse();
        lines
    }
}

/// Appends the stream to the file as long as that is smaller than the limit. `open` is closed when
/// the stream ends.
fn copy(
    stream: impl Read + Send + 'static,
    mut file: File,
    limit: u64,
    open: Option<mpsc::Sender<()>>,
) -> io::Result<()> {
    drain("output", stream, move |bytes| {
        let _: &Option<mpsc::Sender<()>> = &open;
        let size = file.metadata().map_or(limit, |data| data.len());
        let rest = usize::try_from(limit.saturating_sub(size)).unwrap_or(usize::MAX);
        // A full disk must not stop the program.
        let _ = file.write_all(&bytes[..bytes.len().min(rest)]);
    })
}

/// Starts a thread of this name that reads the stream to its end, so that the pipe never fills up,
/// and passes on what comes.
fn drain(
    name: &str,
    mut stream: impl Read + Send + 'static,
    mut take: impl FnMut(&[u8]) + Send + 'static,
) -> io::Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(move || {
        let mut chunk = [0; MAX_BYTES];
        loop {
            match stream.read(&mut chunk) {
                Ok(0) => return,
                Ok(count) => take(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    })?;
    Ok(())
}

/// The last bytes of a file, none before this offset.
fn written(path: &Path, from: u64) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let end = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(end.saturating_sub(MAX_BYTES as u64).max(from)))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// A line without control characters, cut where it is too long.
fn shortened(line: &str) -> String {
    let line = visible(line);
    match line.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.into_owned(),
    }
}
