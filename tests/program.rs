//! The program as a child process, in a folder of its own: how it is started, what it printed, and
//! how it says what is wrong.

use std::fmt::Debug;
use std::io::{self, ErrorKind, Read};
use std::net::{TcpListener, TcpStream};
use std::ops::Deref;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use serde_json::Value;
use tempfile::TempDir;

/// Longer than anything takes on a busy machine; only a hang reaches it.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(120);

/// The words of a command line. A text is split at its blanks as a shell splits it; each text in a
/// list is one word, whatever is in it.
pub(crate) trait Words: Debug {
    fn add_to(&self, words: &mut Vec<String>);
}

impl Words for str {
    fn add_to(&self, words: &mut Vec<String>) {
        words.extend(shlex::split(self).expect("quotes are closed"));
    }
}

impl Words for String {
    fn add_to(&self, words: &mut Vec<String>) {
        self.as_str().add_to(words);
    }
}

impl<T: AsRef<str> + Debug> Words for [T] {
    fn add_to(&self, words: &mut Vec<String>) {
        words.extend(self.iter().map(|word| word.as_ref().to_owned()));
    }
}

impl<T: AsRef<str> + Debug, const N: usize> Words for [T; N] {
    fn add_to(&self, words: &mut Vec<String>) {
        self.as_slice().add_to(words);
    }
}

impl<T: AsRef<str> + Debug> Words for Vec<T> {
    fn add_to(&self, words: &mut Vec<String>) {
        self.as_slice().add_to(words);
    }
}

impl<W: Words + ?Sized> Words for &W {
    fn add_to(&self, words: &mut Vec<String>) {
        (**self).add_to(words);
    }
}

macro_rules! words_of_several {
    ($($name:ident)*) => {
        impl<$($name: Words),*> Words for ($($name,)*) {
            #[expect(non_snake_case)]
            fn add_to(&self, words: &mut Vec<String>) {
                let ($($name,)*) = self;
                $($name.add_to(words);)*
            }
        }
    };
}

words_of_several!(A B);
words_of_several!(A B C);
words_of_several!(A B C D);
words_of_several!(A B C D E);
words_of_several!(A B C D E F);

fn split(words: impl Words) -> Vec<String> {
    let mut split = Vec::new();
    words.add_to(&mut split);
    split
}

/// The program, which does not outlive the tests, without the settings of who tests it.
pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cardroom"));
    command.process_group(testing::process_group()).stdin(Stdio::null());
    for (name, _) in env::vars() {
        if name.starts_with("CARDROOM_") || name.to_lowercase().ends_with("_proxy") {
            command.env_remove(name);
        }
    }
    command
}

/// A folder in which the program runs; it goes with the value.
pub(crate) struct Folder(TempDir);

impl Deref for Folder {
    type Target = Path;

    fn deref(&self) -> &Path {
        self.0.path()
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        self
    }
}

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(TempDir::new().expect("a folder"))
    }

    /// A folder with this `cardroom.toml` in it (none if empty).
    pub(crate) fn with_config(config: &str) -> Folder {
        let folder = Folder::new();
        if !config.is_empty() {
            folder.write("cardroom.toml", config);
        }
        folder
    }

    pub(crate) fn write(&self, name: impl AsRef<Path>, contents: impl AsRef<[u8]>) {
        fs::write(self.join(name), contents).expect("a file");
    }

    /// Writes a file with these permissions, whatever those of an earlier one forbid.
    pub(crate) fn write_with_mode(&self, name: &str, contents: &str, mode: u32) {
        let _ = fs::remove_file(self.join(name));
        self.write(name, contents);
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(self.join(name), mode).expect("a file of ours");
    }

    pub(crate) fn read(&self, name: impl AsRef<Path>) -> String {
        let path = self.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn read_json(&self, name: impl AsRef<Path>) -> Value {
        serde_json::from_str(&self.read(name)).expect("a document")
    }

    pub(crate) fn command(&self, words: impl Words) -> Command {
        let mut command = program();
        command.args(split(words)).current_dir(self);
        command
    }

    /// Starts the program; what it prints is for `end`.
    pub(crate) fn start(&self, words: impl Words) -> Child {
        let mut command = self.command(words);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        child.expect("the program runs")
    }

    /// Starts the program where nobody listens to it.
    pub(crate) fn start_unheard(&self, words: impl Words) -> Child {
        let mut command = self.command(words);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        child.expect("the program runs")
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, words: impl Words) -> Run {
        let words = split(words);
        Run { words: words.join(" "), ..run(&mut self.command(words)) }
    }

    /// Runs it to a good end; what it printed.
    pub(crate) fn ok(&self, words: impl Words) -> String {
        self.run(words).code(0).stdout
    }

    /// Runs it to a good end; the document that it printed with `--json`.
    pub(crate) fn json(&self, words: impl Words) -> Value {
        let mut words = split(words);
        if !words.iter().any(|word| word == "--json") {
            words.push("--json".to_owned());
        }
        self.run(words).code(0).json()
    }

    /// Runs it to an end with this code, the last line on the error stream with this text.
    pub(crate) fn fails(&self, code: i32, words: impl Words, expected: &str) {
        self.run(words).failed(code, expected);
    }
}

/// A run of the program that is over.
#[derive(Debug)]
pub(crate) struct Run {
    words: String,
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    fn from_output(output: &Output) -> Run {
        let [stdout, stderr] = [&output.stdout, &output.stderr].map(|bytes| text(bytes));
        Run::new(output.status.code(), stdout, stderr)
    }

    pub(crate) fn new(status: Option<i32>, stdout: String, stderr: String) -> Run {
        Run { words: String::new(), status, stdout, stderr }
    }

    /// The last line on the error stream.
    pub(crate) fn last(&self) -> &str {
        self.stderr.lines().last().unwrap_or_default()
    }

    /// Fails unless it ended with this code.
    #[track_caller]
    pub(crate) fn code(self, code: i32) -> Run {
        assert_eq!(self.status, Some(code), "{}: {}{}", self.words, self.stdout, self.stderr);
        self
    }

    /// Fails unless it ended with this code, the last line on the error stream with this text.
    #[track_caller]
    pub(crate) fn failed(self, code: i32, expected: &str) -> Run {
        let run = self.code(code);
        let (words, said) = (&run.words, &run.stderr);
        let last = run.last();
        assert!(
            last.starts_with("error: ") && last.contains(expected),
            "{words}: no `{expected}` in {said}"
        );
        assert!(!said.contains("panicked"), "{words}: {said}");
        run
    }

    /// Fails unless this one line, with these texts, is all that is on the error stream.
    #[track_caller]
    pub(crate) fn says_only(self, code: i32, expected: &[&str]) -> Run {
        let run = self.failed(code, "");
        assert_eq!(run.stderr.lines().count(), 1, "{}: {}", run.words, run.stderr);
        run.says(expected)
    }

    /// Fails unless all these texts are on the error stream.
    #[track_caller]
    pub(crate) fn says(self, expected: &[&str]) -> Run {
        shows(&self.stderr, expected);
        self
    }

    /// The document that it printed.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let document = serde_json::from_str(&self.stdout);
        document.unwrap_or_else(|error| panic!("{}: {error}: {}", self.words, self.stdout))
    }
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Run {
    Run::from_output(&command.output().expect("the program runs"))
}

/// Waits for the end of a program that was started.
pub(crate) fn end(child: Child) -> Run {
    Run::from_output(&child.wait_with_output().expect("it ends"))
}

/// Ends a program with Ctrl-C.
pub(crate) fn interrupt(child: Child) -> Run {
    send("INT", child.id());
    end(child)
}

/// Ends a program with `kill -9`.
pub(crate) fn kill(mut child: Child) {
    child.kill().expect("it can be killed");
    child.wait().expect("it ends");
}

/// Waits until something is so. Panics where it does not become so.
pub(crate) fn wait_until(what: &str, mut so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !so() {
        assert!(begun.elapsed() < TIMEOUT, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until something is so that a running process is to bring about.
pub(crate) fn wait_for(child: &mut Child, what: &str, mut so: impl FnMut() -> bool) {
    wait_until(what, || {
        let so = so();
        assert!(so || child.try_wait().expect("a child").is_none(), "it ended before {what}");
        so
    });
}

/// Reads some bytes. A read with a time limit may be interrupted, which is no failure.
pub(crate) fn read_some(stream: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    loop {
        match stream.read(bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Sends a process a signal, such as `INT`.
pub(crate) fn send(signal: &str, process: u32) {
    let sent = Command::new("kill").args(["-s", signal, &process.to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// Waits until a process has begun to listen to Ctrl-C.
#[cfg(target_os = "linux")]
pub(crate) fn wait_until_it_listens(process: u32) {
    const INTERRUPT: u64 = 1 << (2 - 1);
    wait_until("it listens to Ctrl-C", || {
        let status = fs::read_to_string(format!("/proc/{process}/status"));
        let status = status.expect("a process that runs");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.expect("a line").trim(), 16).expect("digits");
        caught & INTERRUPT != 0
    });
}

/// Whether a process runs; one that has ended may not be collected yet.
#[cfg(target_os = "linux")]
pub(crate) fn runs(process: &str) -> bool {
    fs::read_to_string(format!("/proc/{process}/stat")).is_ok_and(|stat| {
        stat.rsplit(')').next().is_some_and(|rest| !rest.trim_start().starts_with('Z'))
    })
}

/// A port of the system's choice, and its number.
pub(crate) fn open_port() -> (TcpListener, u16) {
    let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = door.local_addr().expect("an address").port();
    (door, port)
}

/// A connection on which nobody waits without end.
pub(crate) fn connect(address: impl std::net::ToSocketAddrs) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the port is open");
    stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    stream
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Fails unless all these texts are in this one.
#[track_caller]
pub(crate) fn shows(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

/// The elements of a list in a document.
#[track_caller]
pub(crate) fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap_or_else(|| panic!("{value} is not a list"))
}

/// A number in a document.
#[track_caller]
pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// The text of a document's value.
#[track_caller]
pub(crate) fn string(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text"))
}

/// Fails unless a number in a document is this one.
#[track_caller]
pub(crate) fn near(value: &Value, expected: f64, within: f64) {
    let found = number(value);
    assert!((found - expected).abs() <= within, "{found} is not {expected}");
}
