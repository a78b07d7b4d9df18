//! Load for the Slumbot API: many sessions, each on a keep-alive connection of its own, that check
//! and call as fast as they are answered, or at a given rate.
//!
//! ```sh
//! taskset -c 0 cardroom serve --config load.toml &          # [slumbot] agent = "call"
//! taskset -c 1 slumbot_load 127.0.0.1:5252 --connections 32 --seconds 10
//! taskset -c 1 slumbot_load 127.0.0.1:5252 --connections 32 --seconds 10 --rate 10000
//!
//! taskset -c 0 slumbot_load 127.0.0.1:5611 --bare 45 &      # what this machine takes by itself:
//! taskset -c 1 slumbot_load 127.0.0.1:5611 --connections 32 --seconds 10 --rate 10000
//! ```
//!
//! Prints acts a second and the times from request to answer; with `--rate` also from the moment at
//! which the request was due to the answer, so that a server that falls behind cannot hide it. The
//! sums that the server reports are checked against the sum of the hands. With `--bare
//! MICROSECONDS` it is a server itself, which works that long on each request and always answers
//! the same: what such a server's slowest answers take is the machine's doing.

#![expect(clippy::print_stdout, reason = "it is a program")]

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// The counts of one session.
#[derive(Default)]
struct Done {
    acts: u64,
    hands: u64,
    /// From request to answer, of acts after which the hand goes on, and of those that end one and
    /// wait for it to be on record; in nanoseconds.
    times: [Vec<u64>; 2],
    /// From when the request was due to the answer.
    from_due: Vec<u64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("name the server: ADDRESS:PORT")?;
    let (mut connections, mut seconds, mut rate) = (32u32, 10.0, 0.0);
    while let Some(flag) = arguments.next() {
        let value = arguments.next().ok_or("a value is missing")?;
        match flag.as_str() {
            "--connections" => connections = value.parse()?,
            "--seconds" => seconds = value.parse()?,
            "--rate" => rate = value.parse()?,
            "--bare" => return bare(&address, Duration::from_micros(value.parse()?)),
            other => return Err(format!("there is no flag {other}").into()),
        }
    }
    let time = Duration::from_secs_f64(seconds);
    let pause = (rate > 0.0).then(|| Duration::from_secs_f64(f64::from(connections) / rate));
    let begun = Instant::now();
    let sessions: Vec<_> = (0..connections)
        .map(|number| {
            let address = address.clone();
            // Spread over the pause, so that they do not all ask at once.
            let offset = pause.unwrap_or_default() * number / connections;
            thread::spawn(move || {
                play(&address, begun + offset, time, pause).map_err(|error| error.to_string())
            })
        })
        .collect();
    let mut all = Done::default();
    for session in sessions {
        let done = session.join().map_err(|_| "a session panicked")??;
        all.acts += done.acts;
        all.hands += done.hands;
        all.times.iter_mut().zip(done.times).for_each(|(all, times)| all.extend(times));
        all.from_due.extend(done.from_due);
    }
    let elapsed = begun.elapsed().as_secs_f64();
    println!(
        "{connections} sessions, {elapsed:.1} s: {:.0} acts/s, {:.0} hands/s",
        all.acts as f64 / elapsed,
        all.hands as f64 / elapsed,
    );
    let [going_on, ending] = all.times;
    print_times("all acts", [&going_on[..], &ending].concat());
    print_times("the hand goes on", going_on);
    print_times("the hand ends", ending);
    if pause.is_some() {
        print_times("from when due", all.from_due);
    }
    Ok(())
}

fn print_times(what: &str, mut times: Vec<u64>) {
    times.sort_unstable();
    let quantile = |share: f64| {
        let index = (times.len() as f64 * share) as usize;
        times.get(index.min(times.len().saturating_sub(1))).map_or(0.0, |&t| t as f64 / 1e6)
    };
    let [half, p99, p999, most] = [0.5, 0.99, 0.999, 1.0].map(quantile);
    println!("  {what:16} p50 {half:.3} ms, p99 {p99:.3} ms, p99.9 {p999:.3} ms, max {most:.3} ms");
}

/// Plays one session from `start` for this time, an act at each pause, or as fast as it is
/// answered.
fn play(
    address: &str,
    start: Instant,
    time: Duration,
    pause: Option<Duration>,
) -> Result<Done, Box<dyn Error>> {
    let mut wire = Wire::connect(address)?;
    let first = wire.ask("new_hand", "{}")?;
    let token = text(&first, "token").ok_or("no token")?.to_owned();
    let mut answer = first;
    let mut done = Done::default();
    let mut total = 0;
    let mut due = start;
    while start.elapsed() < time {
        if let Some(won) = number(&answer, "winnings") {
            done.hands += 1;
            total += won;
            if number(&answer, "session_total") != Some(total) {
                return Err(format!("the sum should be {total}: {answer}").into());
            }
            answer = wire.ask("new_hand", &format!(r#"{{"token":"{token}"}}"#))?;
            continue;
        }
        let action = text(&answer, "action").ok_or_else(|| answer.clone())?;
        let last = action.rfind(|letter: char| !letter.is_ascii_digit());
        let owes = last.is_none_or(|at| action[at..].starts_with('b'));
        let incr = if owes { "c" } else { "k" };
        let body = format!(r#"{{"token":"{token}","incr":"{incr}"}}"#);
        if pause.is_some() {
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        let sent = Instant::now();
        answer = wire.ask("act", &body)?;
        let answered = Instant::now();
        let ended = number(&answer, "winnings").is_some();
        done.times[usize::from(ended)].push((answered - sent).as_nanos() as u64);
        if let Some(pause) = pause {
            done.from_due.push((answered - due).as_nanos() as u64);
            due += pause;
        }
        done.acts += 1;
    }
    Ok(done)
}

/// A server that works this long on each request and always answers the same. Runs until it is
/// killed.
fn bare(address: &str, work: Duration) -> Result<(), Box<dyn Error>> {
    const BODY: &str = r#"{"token":"bare","action":"c"}"#;
    let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{BODY}", BODY.len());
    for stream in TcpListener::bind(address)?.incoming() {
        let (mut stream, answer) = (stream?, answer.clone());
        stream.set_nodelay(true)?;
        thread::spawn(move || {
            let mut request = [0; 4096];
            // Requests are small, and the next comes after the answer.
            while stream.read(&mut request).is_ok_and(|read| read > 0) {
                let begun = Instant::now();
                while begun.elapsed() < work {}
                if stream.write_all(answer.as_bytes()).is_err() {
                    break;
                }
            }
        });
    }
    Ok(())
}

/// A keep-alive connection.
struct Wire {
    stream: TcpStream,
    address: String,
    request: String,
    bytes: [u8; 4096],
}

impl Wire {
    fn connect(address: &str) -> Result<Wire, Box<dyn Error>> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Wire { stream, address: address.to_owned(), request: String::new(), bytes: [0; 4096] })
    }

    /// The body of the answer.
    fn ask(&mut self, endpoint: &str, body: &str) -> Result<String, Box<dyn Error>> {
        let (address, length) = (&self.address, body.len());
        self.request.clear();
        std::fmt::Write::write_fmt(
            &mut self.request,
            format_args!(
                "POST /api/{endpoint} HTTP/1.1\r\nHost: {address}\r\n\
                 Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
            ),
        )?;
        self.stream.write_all(self.request.as_bytes())?;
        let mut filled = 0;
        loop {
            let read = self.stream.read(&mut self.bytes[filled..])?;
            if read == 0 {
                return Err("the server has closed the connection".into());
            }
            filled += read;
            let answer = std::str::from_utf8(&self.bytes[..filled])?;
            let Some((head, body)) = answer.split_once("\r\n\r\n") else { continue };
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next());
            let length: usize = length.ok_or("no length")?.parse()?;
            if body.len() < length {
                continue;
            }
            if !head.starts_with("HTTP/1.1 200") {
                return Err(answer.into());
            }
            return Ok(body.to_owned());
        }
    }
}

/// A field that holds text.
fn text<'a>(body: &'a str, name: &str) -> Option<&'a str> {
    let at = body.find(&format!("\"{name}\":\""))? + name.len() + 4;
    body[at..].split('"').next()
}

/// A field that holds a number.
fn number(body: &str, name: &str) -> Option<i64> {
    let at = body.find(&format!("\"{name}\":"))? + name.len() + 3;
    body[at..].split([',', '}']).next()?.parse().ok()
}
