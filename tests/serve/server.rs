//! A server as a child process, a bot that plays at it, and a web client: each a few lines, so that
//! what is sent is what the test says.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::GameDef;
use protocol::acpc::gamedef::{self, Reading};
use protocol::acpc::{Event, Player};
use serde_json::Value;
use tempfile::TempDir;

use crate::program::{TIMEOUT, read_some, send};

/// A running server, killed when dropped.
pub(super) struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    pub(super) folder: TempDir,
    pub(super) web: SocketAddr,
    /// The open seats in the order they were announced.
    pub(super) ports: Vec<SocketAddr>,
}

/// A folder with this `cardroom.toml` in it (none if empty).
pub(super) fn folder_with(config: &str) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    if !config.is_empty() {
        fs::write(folder.path().join("cardroom.toml"), config).expect("a file");
    }
    folder
}

pub(super) fn command(folder: &Path) -> Command {
    let mut command = crate::program::program();
    command.current_dir(folder).stdin(Stdio::null());
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARDROOM_")) {
        command.env_remove(name);
    }
    command
}

impl Server {
    /// A server with this configuration, on a port of the system's choice.
    pub(super) fn start(config: &str) -> Server {
        Server::start_in(folder_with(config))
    }

    pub(super) fn start_in(folder: TempDir) -> Server {
        Server::start_with(folder, &[])
    }

    /// A server in this folder with further arguments.
    pub(super) fn start_with(folder: TempDir, arguments: &[&str]) -> Server {
        let mut command = command(folder.path());
        command.args(["serve", "--bind", "127.0.0.1:0"]).args(arguments);
        Server::run(folder, command)
    }

    /// The server that this command starts.
    pub(super) fn run(folder: TempDir, mut command: Command) -> Server {
        let log = fs::File::options().create(true).append(true).open(folder.path().join("log"));
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(log.expect("a file for the log"))
            .spawn()
            .expect("the server starts");
        let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
        let mut line = String::new();
        out.read_line(&mut line).expect("text");
        let web = line.trim().strip_prefix("listening on http://").and_then(|a| a.parse().ok());
        let web = web.map(|mut web: SocketAddr| {
            if web.ip().is_unspecified() {
                web.set_ip(std::net::Ipv4Addr::LOCALHOST.into());
            }
            web
        });
        let log = fs::read_to_string(folder.path().join("log")).unwrap_or_default();
        let web = web.unwrap_or_else(|| panic!("no address in {line:?}; log: {log}"));
        let mut server = Server { child, out, folder, web, ports: Vec::new() };
        server.ports = server.open_ports();
        server
    }

    /// The next line that the server prints.
    pub(super) fn next_line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("text");
        line.trim_end().to_owned()
    }

    /// None where the server asks for a login.
    fn open_ports(&self) -> Vec<SocketAddr> {
        let (head, body) = self.get("/api/v1/tables");
        if head.starts_with("http/1.1 401") {
            return Vec::new();
        }
        let tables: Value = serde_json::from_str(&body).expect("JSON");
        let tables = tables.as_array().expect("a list").iter();
        let seats = tables.flat_map(|table| table["seats"].as_array().expect("a list").clone());
        seats.filter_map(|seat| seat["address"].as_str()?.parse().ok()).collect()
    }

    /// The answer to a GET: the status line with the headers, and the body.
    pub(super) fn get(&self, path: &str) -> (String, String) {
        let mut stream = TcpStream::connect(self.web).expect("the web server listens");
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a header");
        (head.to_lowercase(), body.to_owned())
    }

    pub(super) fn json(&self, path: &str) -> Value {
        let (head, body) = self.get(path);
        assert!(head.starts_with("http/1.1 200"), "{path}: {head}");
        serde_json::from_str(&body).expect("JSON")
    }

    /// Waits until the first table's status satisfies the condition.
    pub(super) fn wait_for(&self, what: &str, condition: impl Fn(&Value) -> bool) -> Value {
        let since = Instant::now();
        loop {
            let table = self.json("/api/v1/tables")[0].clone();
            if condition(&table) {
                return table;
            }
            assert!(since.elapsed() < TIMEOUT, "never {what}: {table:#}\n{}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until this many matches have ended at the first table.
    pub(super) fn wait_for_matches(&self, matches: u64) -> Value {
        self.wait_for("that many matches", |table| {
            table["matches"] == matches && table["playing"].is_null()
        })
    }

    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The folders of matches, oldest first.
    pub(super) fn match_folders(&self) -> Vec<PathBuf> {
        match_folders(self.folder.path())
    }

    /// The process's number.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn signal(&self, name: &str) {
        send(name, self.child.id());
    }

    /// Waits for the process to end.
    pub(super) fn end(&mut self) -> ExitStatus {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(since.elapsed() < TIMEOUT, "the server does not stop\n{}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Kills the process, keeping its folder.
    pub(super) fn kill(mut self) -> TempDir {
        self.signal("KILL");
        self.end();
        std::mem::replace(&mut self.folder, TempDir::new().expect("a folder"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(super) fn match_folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("data/matches")).expect("the folder of matches");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

pub(super) fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("the file")).expect("JSON")
}

/// The game of that name.
pub(super) fn game(name: &str) -> Arc<GameDef> {
    let text = protocol::acpc::find(name).expect("a game").text;
    Arc::new(gamedef::read(text.as_bytes(), name, Reading::Strict).expect("a game").def)
}

/// A bot that calls, over a blocking socket.
pub(super) struct Bot {
    pub(super) stream: TcpStream,
    player: Player,
}

/// The end of a bot's match.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Played {
    /// Hands that ended.
    pub(super) hands: u32,
    /// Whether the connection was closed between two hands.
    pub(super) clean: bool,
}

impl Bot {
    pub(super) fn sit(address: SocketAddr, def: &Arc<GameDef>) -> Bot {
        let stream = TcpStream::connect(address).expect("the seat's port is open");
        stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
        stream.set_nodelay(true).expect("a socket");
        let mut bot = Bot { stream, player: Player::new(Arc::clone(def)) };
        bot.transmit();
        bot
    }

    fn transmit(&mut self) {
        // A closed connection shows when reading.
        let _ = self.stream.write_all(&self.player.poll_transmit());
    }

    /// Plays until the connection is closed, or until this many hands have ended.
    pub(super) fn play(&mut self, most: u32) -> Played {
        let mut hands = 0;
        let mut bytes = [0; 4096];
        loop {
            loop {
                match self.player.poll_event() {
                    Ok(Some(Event::Turn { .. })) => {
                        self.player.act(game::Action::Call).expect("a call is legal");
                    }
                    Ok(Some(Event::HandOver(_))) => {
                        hands += 1;
                        if hands == most {
                            self.transmit();
                            return Played { hands, clean: true };
                        }
                    }
                    Ok(Some(Event::Update(_))) => {}
                    Ok(Some(Event::MatchOver)) => return Played { hands, clean: true },
                    Ok(None) => break,
                    Err(_) => return Played { hands, clean: false },
                }
            }
            self.transmit();
            match read_some(&mut self.stream, &mut bytes) {
                Ok(0) => self.player.end(),
                Ok(n) => self.player.receive(&bytes[..n]),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
                    panic!("the server is silent after {hands} hands")
                }
                Err(_) => return Played { hands, clean: false },
            }
        }
    }
}
