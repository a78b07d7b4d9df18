//! Child processes, each in a process group of its own, with output to a file or dropped. Dropping
//! the value kills the group.
//!
//! A process group outlives its creator, and nothing is dropped in a process that ends by a signal
//! or by `exit`: code that ends this process must call [`end_all`] first.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use stderr_tail::StderrTail;

mod stderr_tail;

/// The environment variable with the password for a Slumbot server. Child processes do not get it.
pub const SLUMBOT_PASSWORD: &str = "CARDROOM_SLUMBOT_PASSWORD";

/// The process groups of running programs.
struct Groups {
    running: BTreeSet<u32>,
    /// Whether this process is about to end: then no program may be started.
    over: bool,
}

static GROUPS: Mutex<Groups> = Mutex::new(Groups { running: BTreeSet::new(), over: false });

fn groups() -> MutexGuard<'static, Groups> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
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

/// The process group id of a program, which equals its process id.
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
}

impl Program {
    /// Splits a command line as a shell does: blanks separate, quotes and backslashes protect. A
    /// relative path of the program is resolved from `folder`.
    ///
    /// `None` when there is no word or a quote is not closed.
    pub fn parse(command: &str, folder: &Path) -> Option<Program> {
        let mut words = shlex::split(command)?.into_iter();
        let name = words.next().filter(|name| !name.is_empty())?;
        let is_path = name.contains('/');
        let program = if is_path { folder.join(&name) } else { PathBuf::from(&name) };
        Some(Program { program, arguments: words.collect(), folder: None, output: None })
    }

    /// Starts the program with further arguments and no input.
    ///
    /// # Errors
    /// When the program cannot be started or the output file not be opened.
    pub fn start(&self, further: &[String]) -> io::Result<Running> {
        let Some(path) = &self.output else {
            let mut running = self.start_into(further, Stdio::null(), Stdio::piped())?;
            running.stderr_tail = running.child.stderr.take().map(StderrTail::read).transpose()?;
            return Ok(running);
        };
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let stderr_tail = StderrTail::In { path: path.clone(), from: file.metadata()?.len() };
        let mut running = self.start_into(further, file.try_clone()?.into(), file.into())?;
        running.stderr_tail = Some(stderr_tail);
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
        let mut command = match &self.folder {
            // The program's path is relative to the current folder, not to its working folder.
            Some(_) if self.is_path() => Command::new(std::path::absolute(&self.program)?),
            _ => Command::new(&self.program),
        };
        command.args(&self.arguments).args(further).stdin(Stdio::null()).process_group(0);
        command.env_remove(SLUMBOT_PASSWORD);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command.stdout(output).stderr(errors);
        let mut groups = groups();
        if groups.over {
            return Err(io::Error::other("this process is ending"));
        }
        let child = command.spawn()?;
        groups.running.insert(child.id());
        Ok(Running { child, stderr_tail: None })
    }

    /// The file that best identifies what the program does: the program itself or, if it is looked
    /// up by name (an interpreter, say), the first of its arguments that is a file.
    pub fn source(&self) -> Option<PathBuf> {
        if self.is_path() || self.program.is_file() {
            return Some(self.program.clone()).filter(|program| program.is_file());
        }
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        self.arguments.iter().map(|word| folder.join(word)).find(|path| path.is_file())
    }

    fn is_path(&self) -> bool {
        self.program.components().count() > 1
    }
}

/// A running program, killed with its process group on drop.
#[derive(Debug)]
pub struct Running {
    child: Child,
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
        self.ended().is_some() && group(self.child.id()).is_none_or(gone)
    }

    /// The last lines of its error output, joined to one line; `None` if it wrote none or its error
    /// output goes elsewhere ([`Program::start_into`]).
    pub fn stderr_tail(&mut self) -> Option<String> {
        self.stderr_tail.as_mut()?.text()
    }

    /// [`stderr_tail`](Self::stderr_tail) for a running program: waits a few milliseconds at most.
    pub fn stderr_so_far(&mut self) -> Option<String> {
        self.stderr_tail.as_mut()?.so_far()
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

    /// Kills its process group.
    pub fn kill(&mut self) {
        // The group id is the process id; it is not reused before the group is empty and the
        // program has been waited for.
        let number = self.child.id();
        let mut groups = groups();
        kill(number);
        groups.running.remove(&number);
        drop(groups);
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}
