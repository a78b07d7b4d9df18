//! Programs that are run: started in a process group of their own, their output kept in a file or
//! dropped, and gone with everything they started when the value is dropped.

use std::fs::OpenOptions;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// A command line, split into words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program: a path when it holds a `/`, else a name to be looked up.
    pub program: PathBuf,
    /// What it is given, before anything the caller adds.
    pub arguments: Vec<String>,
    /// Where it runs; the current folder if not given.
    pub folder: Option<PathBuf>,
    /// The file to which its output and errors are appended; dropped if not given.
    pub output: Option<PathBuf>,
}

impl Program {
    /// Splits a command line as a shell does: blanks separate, quotes and backslashes protect. A
    /// relative path of the program starts from `folder`.
    ///
    /// `None` when there is no word or a quote is not closed.
    pub fn parse(command: &str, folder: &Path) -> Option<Program> {
        let mut words = shlex::split(command)?.into_iter();
        let name = words.next().filter(|name| !name.is_empty())?;
        let is_path = name.contains('/');
        let program = if is_path { folder.join(&name) } else { PathBuf::from(&name) };
        Some(Program { program, arguments: words.collect(), folder: None, output: None })
    }

    /// Starts it with these further arguments and no input.
    ///
    /// # Errors
    /// When the program cannot be started or the output file not be opened.
    pub fn start(&self, further: &[String]) -> io::Result<Running> {
        match &self.output {
            Some(path) => {
                let file = OpenOptions::new().create(true).append(true).open(path)?;
                self.start_into(further, file.try_clone()?.into(), file.into())
            }
            None => self.start_into(further, Stdio::null(), Stdio::null()),
        }
    }

    /// As [`start`](Self::start), with output and errors going where the caller says.
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
            // The program's path is meant from here, not from its own folder.
            Some(_) if self.is_path() => Command::new(std::path::absolute(&self.program)?),
            _ => Command::new(&self.program),
        };
        command.args(&self.arguments).args(further).stdin(Stdio::null()).process_group(0);
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command.stdout(output).stderr(errors);
        Ok(Running { child: command.spawn()? })
    }

    fn is_path(&self) -> bool {
        self.program.components().count() > 1
    }
}

/// A program that has been started.
#[derive(Debug)]
pub struct Running {
    child: Child,
}

impl Running {
    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
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

    /// Kills it and everything in its process group.
    pub fn kill(&mut self) {
        // The group's number is the program's; it is not given to others before the group is empty
        // and the program has been waited for.
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}
