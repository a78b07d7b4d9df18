//! `cardroom doctor`: checks of what works on this machine.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use show::Table;

use crate::config::check;
use crate::exit::Failure;
use crate::output::{Output, Report};
use crate::resolve_names::Named;

/// Check this machine and say how to fix what does not work.
///
/// Checks the configuration, the folder for records and its free disk space, the address of the
/// page, sockets, the clock, the processor, Python for bots, and what confined bots are kept from;
/// with --server only whether a server answers. Exit codes: 0 when everything necessary works, 5
/// when something does not.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    named: Named,
    /// Only ask a running server whether it is alive, for health checks of containers
    #[arg(long, value_name = "ADDRESS:PORT")]
    server: Option<String>,
    #[arg(from_global)]
    json: bool,
}

/// The result of a check.
#[derive(Serialize)]
struct Check {
    name: &'static str,
    state: State,
    found: String,
    /// The advice if it does not work.
    remedy: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    Works,
    /// Missing, but needed only by some commands.
    Missing,
    Fails,
}

impl State {
    fn word(self) -> &'static str {
        match self {
            State::Works => "works",
            State::Missing => "missing",
            State::Fails => "fails",
        }
    }
}

fn works(name: &'static str, found: impl Into<String>) -> Check {
    Check { name, state: State::Works, found: found.into(), remedy: None }
}

fn lacks(
    name: &'static str,
    state: State,
    found: impl Into<String>,
    remedy: &'static str,
) -> Check {
    Check { name, state, found: found.into(), remedy: Some(remedy) }
}

/// Free disk space in bytes below which the check warns: a benchmark of 150,000 hands takes a tenth
/// of it.
const MIN_FREE_SPACE: u64 = 2 << 30;

/// Runs the command: performs the checks and returns their results.
pub fn run(args: &Args) -> Result<Output, Failure> {
    if let Some(address) = &args.server {
        return report(vec![server(address)], args.json);
    }
    let mut checks = Vec::new();
    let checked = args.named.load().and_then(|loaded| {
        let usable = check::check(&loaded).map(drop).map_err(Failure::input);
        usable.map(|()| loaded)
    });
    match checked {
        Ok(loaded) => {
            let file = loaded.file.as_ref().map(|file| format!(" in {}", file.display()));
            checks.push(works("configuration", format!("no mistakes{}", file.unwrap_or_default())));
            checks.extend(folder(&loaded.config.server.data));
            checks.push(address(&loaded.config.server.bind.to_string()));
        }
        Err(error) => checks.push(lacks(
            "configuration",
            State::Fails,
            error.to_string(),
            "`cardroom config check` says where; cardroom.toml of `cardroom init` explains each \
             key",
        )),
    }
    checks.extend([sockets(), clock(), processor(), threads(), python(), confinement()]);
    report(checks, args.json)
}

fn report(checks: Vec<Check>, json: bool) -> Result<Output, Failure> {
    let fails = checks.iter().filter(|check| check.state == State::Fails).count();
    let count = checks.len();
    let end = match fails {
        0 => Ok(()),
        fails => Err(Failure::claim(format!("{fails} of {count} checks fail"))),
    };
    Ok(Output::report(&Checks { version: env!("CARGO_PKG_VERSION"), checks }, json)?.then(end))
}

/// Time limit for the answer of a server.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Checks whether a server answers `GET /healthz`.
fn server(address: &str) -> Check {
    let ask = || -> std::io::Result<String> {
        let target = address.to_socket_addrs()?.next();
        let target = target.ok_or_else(|| std::io::Error::other("no such address"))?;
        let mut stream = TcpStream::connect_timeout(&target, TIMEOUT)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        write!(stream, "GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
        let mut status = String::new();
        BufReader::new(stream.take(1024)).read_line(&mut status)?;
        Ok(status.trim_end().to_owned())
    };
    match ask() {
        Ok(status) if status.starts_with("HTTP/1.1 200 ") => works("server", "alive"),
        Ok(status) => lacks(
            "server",
            State::Fails,
            format!("{address} answers `{status}`"),
            "another program uses this address, or [server] hosts lacks it",
        ),
        Err(error) => lacks(
            "server",
            State::Fails,
            format!("{address}: {error}"),
            "start it with `cardroom serve`, or give the address that it printed",
        ),
    }
}

/// Checks whether records can be written and stay on the disk.
fn folder(data: &Path) -> Vec<Check> {
    let there = data.ancestors().find(|path| path.exists() && path.is_dir());
    let there = there.unwrap_or(Path::new("."));
    let made = tempfile::NamedTempFile::new_in(there).and_then(|file| file.as_file().sync_all());
    let name = format!("{}", data.display());
    let written = match made {
        Ok(()) => works("folder for records", name),
        Err(error) => lacks(
            "folder for records",
            State::Fails,
            format!("{name}: {error}"),
            "give [server] data (or --data) a folder that can be written",
        ),
    };
    let Ok(disk) = rustix::fs::statvfs(there) else { return vec![written] };
    let free = disk.f_bavail * disk.f_frsize;
    let found = format!("{} free", indicatif::HumanBytes(free));
    let space = match free {
        free if free >= MIN_FREE_SPACE => works("room on its disk", found),
        _ => lacks("room on its disk", State::Missing, found, "keep records on a larger disk"),
    };
    vec![written, space]
}

/// Checks whether the web page can be served at this address.
fn address(bind: &str) -> Check {
    match TcpListener::bind(bind) {
        Ok(_) => works("address of the page", format!("http://{bind} is free")),
        Err(error) => lacks(
            "address of the page",
            State::Missing,
            format!("{bind}: {error}"),
            "another program, or a running cardroom, uses it: give [server] bind (or --bind) \
             another port",
        ),
    }
}

/// Checks whether programs of this machine can connect to each other.
fn sockets() -> Check {
    let met = TcpListener::bind("127.0.0.1:0").and_then(|listener| {
        let address = listener.local_addr()?;
        TcpStream::connect(address)?;
        listener.accept().map(|_| ())
    });
    match met {
        Ok(()) => works("sockets on 127.0.0.1", "a connection succeeded"),
        Err(error) => lacks(
            "sockets on 127.0.0.1",
            State::Fails,
            error.to_string(),
            "a firewall or a sandbox refuses loopback: allow it for bots, dealers and the page",
        ),
    }
}

/// Seconds from 1970 to the first day of 2026; a clock before it is wrong.
const FIRST_DAY: u64 = 1_767_225_600;

fn clock() -> Check {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    match since.map(|since| since.as_secs()) {
        Ok(seconds) if seconds >= FIRST_DAY => works("clock", "a plausible date"),
        _ => lacks(
            "clock",
            State::Missing,
            "before 2026",
            "set the clock: it dates the records, and a wrong one fails certificates of \
             slumbot.com",
        ),
    }
}

fn processor() -> Check {
    let widest = solvers::subgame::use_registers(solvers::subgame::Registers::Avx512);
    let found = format!("{}, {widest:?}", std::env::consts::ARCH);
    works("processor", found)
}

fn threads() -> Check {
    let count = parallel::processors();
    works("threads", format!("{count} at once"))
}

fn python() -> Check {
    let asked = Command::new("python3").arg("--version").output();
    let version = asked.ok().filter(|output| output.status.success());
    match version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()) {
        Some(version) => works("Python for bots", version),
        None => lacks(
            "Python for bots",
            State::Missing,
            "no python3",
            "only bots and checks written in Python need it",
        ),
    }
}

/// What bots of a scrimmage, and others that are to be confined, are kept from.
fn confinement() -> Check {
    let open = matches::confine::missing();
    if open.is_empty() {
        return works("confined bots", "kept from all that they can be kept from");
    }
    lacks(
        "confined bots",
        State::Missing,
        format!("not kept from {}", open.join("; ")),
        "only bots of others need it: docs/scrimmage.md says what keeps them from what",
    )
}

/// The results of all checks.
#[derive(Serialize)]
struct Checks {
    version: &'static str,
    checks: Vec<Check>,
}

impl Report for Checks {
    const SCHEMA: &'static str = "cardroom-doctor/1";
}

impl fmt::Display for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["", "", "found"]);
        for check in &self.checks {
            table.row([check.name, check.state.word(), &check.found]);
        }
        writeln!(f, "{table}")?;
        for check in &self.checks {
            if let Some(remedy) = check.remedy {
                writeln!(f, "{}: {remedy}", check.name)?;
            }
        }
        Ok(())
    }
}
