//! What must hold of the ACPC protocol for any bytes at all.

use std::sync::Arc;
use std::time::Duration;

use game::{GameDef, Quirks, Turn};
use protocol::acpc::dealer::{Config, Dealer, Event, Replies};
use protocol::acpc::gamedef::{self, Reading};
use protocol::acpc::matchstate::MatchState;
use protocol::acpc::reply::{self, Question, Reply};
use protocol::acpc::{Player, games};

/// One of the built-in games, as a compatible dealer plays it.
fn game(choice: u8) -> Arc<GameDef> {
    let game = games()[choice as usize % games().len()];
    let file = gamedef::read(game.text.as_bytes(), game.name, Reading::Strict);
    Arc::new(file.expect("a built-in game").def.with_quirks(Quirks::ORIGINAL))
}

/// Game files: whatever is read can be printed and read back, strictly, as the same game.
pub fn game_file(data: &[u8]) {
    for reading in [Reading::Strict, Reading::Original] {
        let Ok(file) = gamedef::read(data, "file", reading) else { continue };
        let printed = gamedef::print(&file.def);
        let again = gamedef::read(printed.as_bytes(), "printed", Reading::Strict);
        assert_eq!(again.map(|again| again.def), Ok(file.def), "{printed}");
    }
}

/// Match states: whatever is read is printed as the very same line. The first byte chooses the
/// game.
pub fn match_state(data: &[u8]) {
    let Some((choice, line)) = data.split_first() else { return };
    let Ok(line) = str::from_utf8(line) else { return };
    if let Ok(state) = MatchState::parse(&game(*choice), line) {
        assert_eq!(state.to_string(), line);
        assert!(!state.infoset().hole.is_empty());
        assert_eq!(state.payoffs().is_some(), state.public.turn() == Turn::Over);
    }
}

/// Replies: what is read is legal; what the strict reading accepts the original's accepts as it is.
/// The first byte chooses the game, the second how many actions came before; a byte 1 stands for
/// the line that was sent.
pub fn reply(data: &[u8]) {
    let [choice, before, line @ ..] = data else { return };
    let mut dealer = Dealer::new(Config::new(game(*choice), 1, 0));
    for entrant in 0..dealer.config().def.players {
        dealer.receive(entrant, b"VERSION:2.0.0\n", Duration::ZERO);
    }
    for _ in 0..*before {
        if let Some(entrant) = dealer.waiting_for() {
            let answer = [&sent(&dealer, entrant)[..], b":c\n"].concat();
            dealer.receive(entrant, &answer, Duration::ZERO);
        }
    }
    let Turn::Act(seat) = dealer.state().public.turn() else { return };
    let asked = sent(&dealer, dealer.entrant_at(seat));
    let line = expand(line, &asked);
    let public = &dealer.state().public;
    let hole = dealer.state().hole[seat];
    let question = Question { hand: dealer.hand(), seat, public, hole, line: &asked };
    let lenient = reply::read(&line, &question);
    if let Reply::Act { action, .. } = lenient {
        assert!(public.legal().allows(action));
    }
    if let Ok(strict) = reply::read_strict(&line, &question) {
        assert_eq!(strict, lenient);
    }
}

/// The line an entrant would be sent in this state.
fn sent(dealer: &Dealer, entrant: usize) -> Vec<u8> {
    MatchState::for_seat(dealer.hand(), dealer.seat_of(entrant), dealer.state())
        .to_string()
        .into_bytes()
}

fn expand(line: &[u8], asked: &[u8]) -> Vec<u8> {
    let piece = |&byte: &u8| if byte == 1 { asked.to_vec() } else { vec![byte] };
    line.iter().flat_map(piece).collect()
}

/// The player's machine: the events do not depend on how the bytes were cut. The first byte chooses
/// the game, the second the size of the pieces.
pub fn player(data: &[u8]) {
    let [choice, size, bytes @ ..] = data else { return };
    let events = |size: usize| {
        let mut player = Player::new(game(*choice));
        let mut events = Vec::new();
        let drain = |player: &mut Player, events: &mut Vec<String>| {
            loop {
                match player.poll_event() {
                    Ok(None) => return true,
                    Ok(Some(event)) => events.push(format!("{event:?}")),
                    Err(error) => {
                        events.push(error.to_string());
                        return false;
                    }
                }
            }
        };
        for piece in bytes.chunks(size) {
            player.receive(piece);
            if !drain(&mut player, &mut events) {
                return events;
            }
        }
        player.end();
        drain(&mut player, &mut events);
        events
    };
    assert_eq!(events(bytes.len().max(1)), events(1 + *size as usize));
}

/// The dealer's machine: it deals to the end or says why not, its results sum to zero, its lines
/// are what a player's parser expects, and events do not depend on how the bytes were cut.
///
/// The first byte chooses the game, the second the policy. The rest is cut into lines; the first
/// byte of each says whose it is (or that time passes, or a connection closes), a byte 1 within a
/// line stands for the state that was sent last.
pub fn dealer(data: &[u8]) {
    let [choice, policy, script @ ..] = data else { return };
    let whole = deal(*choice, *policy, script, usize::MAX);
    let pieces = deal(*choice, *policy, script, 1 + *policy as usize % 7);
    assert_eq!(whole, pieces);
}

fn deal(choice: u8, policy: u8, script: &[u8], size: usize) -> Vec<String> {
    let mut config = Config::new(game(choice), 3, choice.into());
    config.replies = match policy % 3 {
        0 => Replies::Compatible,
        1 => Replies::Strict,
        _ => Replies::Limit(u32::from(policy) / 3),
    };
    config.transcript = true;
    let players = config.def.players;
    let def = Arc::clone(&config.def);
    let mut dealer = Dealer::new(config);
    let mut now = Duration::ZERO;
    let mut events = Vec::new();
    dealer.handle_timeout(now);
    for line in script.split_inclusive(|&b| b == b'\n') {
        let (&head, body) = line.split_first().expect("pieces of a split are not empty");
        let entrant = head as usize % players;
        match head {
            0xf0..=0xf7 => {
                now += Duration::from_secs(1 << (head - 0xf0));
                dealer.handle_timeout(now);
            }
            0xf8..=0xfb => dealer.closed(entrant, now),
            0xfc..=0xff => dealer.lost(entrant, now),
            _ => {
                let asked = sent(&dealer, entrant);
                for piece in expand(body, &asked).chunks(size) {
                    dealer.receive(entrant, piece, now);
                }
            }
        }
        while let Some(event) = dealer.poll_event() {
            check(&event, &def);
            events.push(format!("{event:?}"));
        }
        assert_eq!(dealer.totals().iter().map(|total| total.parts()).sum::<i64>(), 0);
        if dealer.is_over() {
            assert_eq!(dealer.poll_timeout(), None);
            break;
        }
    }
    events
}

fn check(event: &Event, def: &Arc<GameDef>) {
    if let Event::Sent { line, .. } = event {
        let line = str::from_utf8(line).expect("lines are text");
        let line = line.strip_suffix("\r\n").expect("lines end in CR LF");
        let state = MatchState::parse(def, line);
        assert_eq!(state.map(|state| state.to_string()).as_deref(), Ok(line));
    }
}
