//! A server as a child process, a bot that plays at it, and a web client: each a few lines, so that
//! what is sent is what the test says.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;

use game::GameDef;
use protocol::acpc::gamedef::{self, Reading};
use protocol::acpc::{Event, Player};
use serde_json::Value;

use crate::program::{Folder, connect, list, read_some, send, wait_until};

/// A running server, killed when dropped.
pub(crate) struct Server {
    child: Child,
    out: BufReader<ChildStdout>,
    pub(crate) folder: Folder,
    pub(crate) web: SocketAddr,
    /// The open seats in the order they were announced.
    pub(crate) ports: Vec<SocketAddr>,
}

impl Server {
    /// A server with this configuration, on a port of the system's choice.
    pub(crate) fn start(config: &str) -> Server {
        Server::start_in(Folder::with_config(config))
    }

    pub(crate) fn start_in(folder: Folder) -> Server {
        Server::start_with(folder, "")
    }

    /// A server in this folder with further arguments.
    pub(crate) fn start_with(folder: Folder, arguments: &str) -> Server {
        let command = folder.command(("serve --bind 127.0.0.1:0", arguments));
        Server::run(folder, command)
    }

    /// The server that this command starts.
    pub(crate) fn run(folder: Folder, mut command: Command) -> Server {
        let log = fs::File::options().create(true).append(true).open(folder.join("log"));
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
        let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
        let web = web.unwrap_or_else(|| panic!("no address in {line:?}; log: {log}"));
        let mut server = Server { child, out, folder, web, ports: Vec::new() };
        server.ports = server.open_ports();
        server
    }

    /// The next line that the server prints.
    pub(crate) fn next_line(&mut self) -> String {
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
        let seats = tables.flat_map(|table| list(&table["seats"]).clone());
        seats.filter_map(|seat| seat["address"].as_str()?.parse().ok()).collect()
    }

    /// The answer to a GET: the status line with the headers, and the body.
    pub(crate) fn get(&self, path: &str) -> (String, String) {
        let mut stream = connect(self.web);
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a header");
        (head.to_lowercase(), body.to_owned())
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let (head, body) = self.get(path);
        assert!(head.starts_with("http/1.1 200"), "{path}: {head}");
        serde_json::from_str(&body).expect("JSON")
    }

    /// Waits until the first table's status satisfies the condition.
    pub(crate) fn wait_for(&self, what: &str, condition: impl Fn(&Value) -> bool) -> Value {
        let mut table = Value::Null;
        wait_until(what, || {
            table = self.json("/api/v1/tables")[0].clone();
            condition(&table)
        });
        table
    }

    /// Waits until this many matches have ended at the first table.
    pub(crate) fn wait_for_matches(&self, matches: u64) -> Value {
        self.wait_for("that many matches", |table| {
            table["matches"] == matches && table["playing"].is_null()
        })
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.web)
    }

    /// The folders of matches, oldest first.
    pub(crate) fn match_folders(&self) -> Vec<PathBuf> {
        match_folders(&self.folder)
    }

    /// The process's number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        send(name, self.child.id());
    }

    /// Waits for the process to end.
    pub(crate) fn end(&mut self) -> ExitStatus {
        let mut status = None;
        wait_until("the server has stopped", || {
            status = self.child.try_wait().expect("a child");
            status.is_some()
        });
        status.expect("it has ended")
    }

    /// Kills the process, keeping its folder.
    pub(crate) fn kill(mut self) -> Folder {
        self.signal("KILL");
        self.end();
        std::mem::replace(&mut self.folder, Folder::new())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn match_folders(folder: &Folder) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("data/matches")).expect("the folder of matches");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The game of that name.
pub(crate) fn game(name: &str) -> Arc<GameDef> {
    let text = protocol::acpc::find(name).expect("a game").text;
    Arc::new(gamedef::read(text.as_bytes(), name, Reading::Strict).expect("a game").def)
}

/// A bot that calls, over a blocking socket.
pub(crate) struct Bot {
    pub(crate) stream: TcpStream,
    player: Player,
}

/// The end of a bot's match.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Played {
    /// Hands that ended.
    pub(crate) hands: u32,
    /// Whether the connection was closed between two hands.
    pub(crate) clean: bool,
}

impl Bot {
    pub(crate) fn sit(address: SocketAddr, def: &Arc<GameDef>) -> Bot {
        let stream = connect(address);
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
    pub(crate) fn play(&mut self, most: u32) -> Played {
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
