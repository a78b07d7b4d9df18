//! A bot for the ACPC dealer protocol: rustc -O bot.rs && ./bot HOST PORT
//!
//! Checks and calls; raises before the flop with a pair. Change `decide`.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

/// The actions of a street, such as ["c", "r300", "f"].
fn actions(street: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for letter in street.chars() {
        match found.last_mut() {
            Some(last) if letter.is_ascii_digit() => last.push(letter),
            _ => found.push(letter.to_string()),
        }
    }
    found
}

/// c checks or calls, f folds, rN raises to N chips in the whole hand.
fn decide(cards: &str, preflop: bool, done: &[String]) -> &'static str {
    let raised = done.iter().any(|action| action.starts_with('r'));
    let pair = cards.as_bytes()[0] == cards.as_bytes()[2];
    if preflop && !raised && pair { "r300" } else { "c" }
}

/// What to do in a state; `None` when it is not our turn.
fn reply(line: &str) -> Option<&'static str> {
    let fields: Vec<&str> = line.split(':').collect();
    let &[_, position, _, betting, cards] = fields.as_slice() else { return None };
    let position: usize = position.parse().ok()?;
    let streets: Vec<&str> = betting.split('/').collect();
    let holes: Vec<&str> = cards.split('/').next()?.split('|').collect();
    let over = betting.contains('f') || holes.iter().all(|hole| !hole.is_empty());
    let done = actions(streets.last()?);
    // Heads-up the button, position 1, acts first before the flop, the big blind after it.
    let first = usize::from(streets.len() == 1);
    let own_turn = !over && (first + done.len()) % 2 == position;
    own_turn.then(|| decide(holes[position], streets.len() == 1, &done))
}

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let [_, host, port] = words.as_slice() else {
        eprintln!("usage: bot HOST PORT");
        std::process::exit(2);
    };
    let mut dealer = TcpStream::connect(format!("{host}:{port}"))?;
    dealer.set_nodelay(true)?;
    dealer.write_all(b"VERSION:2.0.0\r\n")?;
    for line in BufReader::new(dealer.try_clone()?).lines() {
        let line = line?;
        let line = line.trim_end();
        if let Some(action) = line.starts_with("MATCHSTATE").then(|| reply(line)).flatten() {
            dealer.write_all(format!("{line}:{action}\r\n").as_bytes())?;
        }
    }
    Ok(())
}
