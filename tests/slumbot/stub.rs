//! A server of the Slumbot API that is honest until it is told otherwise, and counts what it is
//! asked.
//!
//! The bot of the stub calls everything. With the agent `call` a hand takes five or six requests
//! and ends with a showdown.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use cards::{Board, HoleCards};
use game::{Action, BySeat, GameDef, Seat};
use protocol::slumbot::host::{self, Endpoint, Hand, Request, Totals};
use protocol::slumbot::message::{ErrorObject, json};

use crate::program::open_port;

/// The answer that an honest server would give now.
pub(super) struct HonestAnswer {
    pub(super) endpoint: Endpoint,
    /// The hand is over with this answer.
    pub(super) over: bool,
    /// It is an error object.
    pub(super) refused: bool,
    /// Hands finished in the session, with this answer.
    pub(super) finished: u64,
    /// Hands finished in all sessions, with this answer.
    pub(super) all: u64,
    pub(super) body: String,
    /// The last answer of the session in which a hand was over.
    pub(super) ended: String,
}

/// The answer given instead.
pub(super) enum StubReply {
    Body(String),
    /// Everything: status line, head and body.
    Raw(String),
    HangUp,
}

type Spoil = dyn Fn(&HonestAnswer) -> StubReply + Send + Sync;

pub(super) struct Stub {
    pub(super) url: String,
    state: Arc<State>,
}

struct State {
    spoil: Box<Spoil>,
    requests: AtomicU64,
    finished: AtomicU64,
    dealt: AtomicU64,
    sessions: Mutex<HashMap<String, Session>>,
}

struct Session {
    hand: Option<Hand>,
    old_action: String,
    dealt: usize,
    totals: Totals,
    ended: String,
    finished: u64,
}

impl Stub {
    pub(super) fn start(
        spoil: impl Fn(&HonestAnswer) -> StubReply + Send + Sync + 'static,
    ) -> Stub {
        let (door, port) = open_port();
        let url = format!("http://127.0.0.1:{port}");
        let state = Arc::new(State {
            spoil: Box::new(spoil),
            requests: AtomicU64::new(0),
            finished: AtomicU64::new(0),
            dealt: AtomicU64::new(0),
            sessions: Mutex::default(),
        });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            while let Ok((stream, _)) = door.accept() {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || state.serve(stream));
            }
        });
        Stub { url, state }
    }

    /// Requests since the last time this was asked.
    pub(super) fn requests(&self) -> u64 {
        self.state.requests.swap(0, Relaxed)
    }

    /// Hands dealt so far.
    pub(super) fn dealt(&self) -> u64 {
        self.state.dealt.load(Relaxed)
    }
}

impl State {
    fn serve(&self, mut stream: TcpStream) {
        let mut reader = BufReader::new(stream.try_clone().expect("a socket"));
        while let Some((endpoint, body)) = request(&mut reader) {
            self.requests.fetch_add(1, Relaxed);
            let said = self.answer(endpoint, &body);
            let whole = match said {
                StubReply::HangUp => return,
                StubReply::Raw(text) => text,
                StubReply::Body(body) => format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \
                     {}\r\n\r\n{body}",
                    body.len()
                ),
            };
            if stream.write_all(whole.as_bytes()).is_err() {
                return;
            }
        }
    }

    fn answer(&self, endpoint: Endpoint, body: &[u8]) -> StubReply {
        let request = Request::read(endpoint, Some("application/json"), body).expect("a request");
        let mut sessions = self.sessions.lock().expect("nobody panics");
        let token = match &request {
            Request::NewHand(request) => request.token.clone(),
            Request::Act(request) => request.token.clone(),
            Request::Login(_) => None,
        };
        let fresh = matches!(request, Request::NewHand(_)) && token.is_none();
        let token =
            token.unwrap_or_else(|| format!("00000000-0000-4000-8000-{:012}", sessions.len()));
        if fresh {
            sessions.insert(token.clone(), Session::new());
        }
        let Some(session) = sessions.get_mut(&token) else {
            return StubReply::Body(r#"{"error_msg":"Bad token"}"#.to_owned());
        };
        let number = self.dealt.load(Relaxed);
        let (body, refused) = match request {
            Request::NewHand(_) => {
                self.dealt.fetch_add(1, Relaxed);
                session.deal(number);
                session.show(fresh.then_some(token))
            }
            Request::Act(request) => session.act(&request.incr.unwrap_or_default()),
            Request::Login(_) => unreachable!("nobody logs in"),
        };
        let over = !refused && body.contains("\"winnings\"");
        let all = self.finished.fetch_add(u64::from(over), Relaxed) + u64::from(over);
        if over {
            session.ended.clone_from(&body);
        }
        let (finished, ended) = (session.finished, session.ended.clone());
        (self.spoil)(&HonestAnswer { endpoint, over, refused, finished, all, body, ended })
    }
}

impl Session {
    fn new() -> Session {
        Session {
            hand: None,
            old_action: String::new(),
            dealt: 0,
            totals: Totals::default(),
            ended: String::new(),
            finished: 0,
        }
    }

    fn deal(&mut self, number: u64) {
        let def: Arc<GameDef> = Arc::new(game::games::nolimit_holdem());
        let mut deck = def.deck();
        let mut bits = 0x9e37_79b9_7f4a_7c15 ^ (number + 1).wrapping_mul(0xd134_2543_de82_ef95);
        for last in (1..deck.len()).rev() {
            // Marsaglia's xorshift64.
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            deck.swap(last, (bits % (last as u64 + 1)) as usize);
        }
        let hole = BySeat::from_fn(2, |seat| {
            HoleCards::new(&deck[2 * seat.index()..2 * seat.index() + 2]).expect("two cards")
        });
        let client = Seat::new(self.dealt % 2).expect("0 or 1");
        self.dealt += 1;
        let board = Board::new(&deck[4..9]).expect("five cards");
        self.hand = Some(Hand::new(&def, hole, board, client));
        self.old_action.clear();
    }

    fn act(&mut self, incr: &str) -> (String, bool) {
        let hand = self.hand.as_mut().expect("a hand was dealt");
        let before = hand.action();
        match hand.read(incr) {
            Err(refused) => {
                let error_msg = refused.error_msg().into();
                (json(&ErrorObject { error_msg, old_action: Some(before) }), true)
            }
            Ok(action) => {
                hand.play(action).expect("it is legal");
                self.old_action = before;
                self.show(None)
            }
        }
    }

    fn show(&mut self, token: Option<String>) -> (String, bool) {
        let hand = self.hand.as_mut().expect("a hand was dealt");
        while hand.next() == host::Next::Server {
            hand.play(Action::Call).expect("a call is legal");
        }
        let end = (hand.next() == host::Next::Over).then(|| {
            self.totals.add(hand.winnings(), 0);
            self.finished += 1;
            hand.end(0, self.totals)
        });
        (json(&hand.object(self.old_action.clone(), end, token)), false)
    }
}

/// The next request on a connection.
fn request(reader: &mut BufReader<TcpStream>) -> Option<(Endpoint, Vec<u8>)> {
    let (mut line, mut length, mut endpoint) = (String::new(), 0, None);
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(path) = line.strip_prefix("POST ") {
            endpoint = path.split(' ').next().and_then(endpoint_at);
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            let mut body = vec![0; length];
            reader.read_exact(&mut body).ok()?;
            return Some((endpoint?, body));
        }
    }
}

/// The endpoint at a path, under either prefix.
fn endpoint_at(path: &str) -> Option<Endpoint> {
    let name = protocol::slumbot::PREFIXES.iter().find_map(|prefix| path.strip_prefix(prefix))?;
    let name = name.strip_prefix('/')?;
    Endpoint::ALL.into_iter().find(|endpoint| endpoint.name() == name)
}
