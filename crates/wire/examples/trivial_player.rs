//! A player that costs next to nothing, for measuring a dealer: `trivial_player [GAME] HOST PORT`
//! plays a built-in game with pseudo-random actions in the proportions of the original's example
//! player.

use std::io::{self, Read, Write};
use std::net::TcpStream;

use game::{Action, Quirks};
use protocol::acpc::gamedef::{self, Reading};
use protocol::acpc::{Event, Player, find};

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (game, host, port) = match &arguments[..] {
        [game, host, port] => (game.as_str(), host, port),
        [host, port] => ("holdem.nolimit.2p.reverse_blinds", host, port),
        _ => return Err(io::Error::other("usage: trivial_player [GAME] HOST PORT")),
    };
    let text = find(game).map(|game| game.text).ok_or(io::Error::other("unknown game"))?;
    let file = gamedef::read(text.as_bytes(), game, Reading::Strict).map_err(io::Error::other)?;
    let mut stream = TcpStream::connect(format!("{host}:{port}"))?;
    stream.set_nodelay(true)?;
    let mut player = Player::new(file.def.with_quirks(Quirks::ORIGINAL).into());
    let mut random = 0x9e37_79b9_7f4a_7c15_u64 ^ port.parse::<u64>().map_err(io::Error::other)?;
    let mut buffer = [0; 4096];
    loop {
        let bytes = player.poll_transmit();
        if !bytes.is_empty() {
            stream.write_all(&bytes)?;
        }
        let count = stream.read(&mut buffer)?;
        if count == 0 {
            return Ok(());
        }
        player.receive(&buffer[..count]);
        while let Some(event) = player.poll_event().map_err(io::Error::other)? {
            if let Event::Turn { infoset, .. } = event {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let legal = infoset.legal();
                // As the original's example player: fold 6 %, call half, raise the rest.
                let action = match (random % 100, legal.raise) {
                    (0..6, _) if legal.fold => Action::Fold,
                    (6..56, Some(raise)) => {
                        let range = u64::from(raise.max - raise.min) + 1;
                        Action::RaiseTo(raise.min + ((random >> 32) % range) as u32)
                    }
                    _ => Action::Call,
                };
                player.act(action).map_err(io::Error::other)?;
            }
        }
    }
}
