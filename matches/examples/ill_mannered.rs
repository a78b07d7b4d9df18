//! A player with a choice of bad manners, to try dealers and the `external` agent on.
//!
//! `ill_mannered MANNER GAME HOST PORT`: connects and always calls, but for its manner:
//!
//! - `none`: plays well.
//! - `crash`, `hang`, `close`: at its third turn it ends, answers no more, closes the connection.
//! - `crash-late`: ends at its tenth turn.
//! - `late`: answers its third turn after a second.
//! - `noise`, `flood`, `no-action`, `huge-raise`: at its third turn it sends bytes that are no
//!   text, endless text without a line end, a reply without an action, a raise beyond its stack.
//! - `crash-always`, `always-huge`: ends at every turn, raises beyond its stack at every turn.
//! - `crash-aloud`: as `crash`, with a word on its error stream; `crash-loudly`: at every turn,
//!   with thirty lines.
//! - `forgetful`: drops what else it has received when it answers.
//! - `eager`: answers every state it is sent, in turn or not, and lets its socket gather small
//!   writes.
//! - `chatty`: sends comments before every reply, and every reply twice.
//! - `absent`, `mute`, `stillborn`, `foreign`: never connects, never says its version, ends before
//!   it connects, says the version of another protocol.
//! - `stale`: answers with the state of the hand before.
//! - `parent`: starts a long-lived program of its own, says its process number, and hangs.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, exit};
use std::thread::sleep;
use std::time::Duration;

use game::Action;
use protocol::acpc::gamedef::Reading;
use protocol::acpc::{Event, Player};

const FOREVER: Duration = Duration::from_secs(3600);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [manner, game, host, port] = arguments.as_slice() else {
        return Err("usage: ill_mannered MANNER GAME HOST PORT".into());
    };
    match manner.as_str() {
        "absent" => sleep(FOREVER),
        "stillborn" => exit(7),
        _ => {}
    }
    let mut stream = TcpStream::connect((host.as_str(), port.parse()?))?;
    if manner == "eager" {
        return answer_everything(stream);
    }
    stream.set_nodelay(true)?;
    match manner.as_str() {
        "mute" => sleep(FOREVER),
        "foreign" => stream.write_all(b"HELO poker\r\n")?,
        _ => {}
    }
    play(manner, game, stream)
}

fn answer_everything(mut stream: TcpStream) -> Result<(), Box<dyn std::error::Error>> {
    stream.write_all(b"VERSION:2.0.0\r\n")?;
    for line in BufReader::new(stream.try_clone()?).lines() {
        stream.write_all(format!("{}:c\r\n", line?).as_bytes())?;
    }
    Ok(())
}

fn play(manner: &str, game: &str, mut stream: TcpStream) -> Result<(), Box<dyn std::error::Error>> {
    let mut player = Player::new(matches::games::load_game(game, Reading::Strict)?);
    let mut turns = 0;
    let mut chunk = [0; 4096];
    loop {
        stream.write_all(&player.poll_transmit())?;
        let count = stream.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        for line in chunk[..count].split_inclusive(|&byte| byte == b'\n') {
            let before = turns;
            player.receive(line);
            while let Some(event) = player.poll_event()? {
                if let Event::Turn { .. } = event {
                    turns += 1;
                    player.act(Action::Call)?;
                    let reply = player.poll_transmit();
                    answer(manner, turns, &reply, &mut stream)?;
                }
            }
            if manner == "forgetful" && turns > before {
                break;
            }
        }
    }
}

fn answer(manner: &str, turn: u32, reply: &[u8], stream: &mut TcpStream) -> io::Result<()> {
    let state = reply.strip_suffix(b":c\r\n").unwrap_or(reply);
    match (manner, turn) {
        ("chatty", _) => {
            stream.write_all(b"# thinking\r\n; still thinking\r\n")?;
            stream.write_all(reply)?;
        }
        ("stale", 3) => stream.write_all(b"MATCHSTATE:0:4000000::5d5c|:c\r\n")?,
        ("crash", 3) | ("crash-late", 10) => exit(1),
        ("crash-always", _) => exit(1),
        ("crash-aloud", 3) => {
            writeln!(io::stderr(), "giving up")?;
            exit(1)
        }
        ("crash-loudly", _) => {
            (1..=30).try_for_each(|number| writeln!(io::stderr(), "line {number}"))?;
            exit(3)
        }
        ("always-huge", _) => return stream.write_all(&[state, b":r99999999\r\n"].concat()),
        ("hang", 3) => sleep(FOREVER),
        ("close", 3) => {
            stream.shutdown(std::net::Shutdown::Both)?;
            sleep(FOREVER);
        }
        ("late", 3) => sleep(Duration::from_secs(1)),
        ("noise", 3) => stream.write_all(b"\x00\xff\xfe\r\n\x80\x81 noise \x07\n")?,
        ("flood", 3) => (0..2_000).try_for_each(|_| stream.write_all(&[b'x'; 1000]))?,
        ("no-action", 3) => return stream.write_all(&[state, b"\r\n"].concat()),
        ("huge-raise", 3) => return stream.write_all(&[state, b":r999999999\r\n"].concat()),
        ("parent", 3) => {
            let child = Command::new("sleep").arg("3600").spawn()?;
            writeln!(io::stdout(), "{}", child.id())?;
            sleep(FOREVER);
        }
        _ => {}
    }
    stream.write_all(reply)
}
