//! What must hold of the Pokerbots protocol for any bytes at all.

use std::sync::Arc;
use std::time::Duration;

use cards::{Board, Card, HoleCards};
use game::{Action, BySeat, GameDef, PublicState, State, Turn};
use protocol::acpc::find;
use protocol::acpc::gamedef::{self, Reading};
use protocol::pokerbots::{Dialect, Event, GAME, Host, Player};

/// The game of the base engine.
pub fn game() -> Arc<GameDef> {
    let game = find(GAME).expect("a built-in game");
    let file = gamedef::read(game.text.as_bytes(), game.name, Reading::Strict);
    Arc::new(file.expect("a built-in game").def)
}

/// The engine's side: any answer is an action that is legal or is refused, a round of such answers
/// comes to its end, and a player reads every line of it and sees the same round. The first byte
/// chooses the cards; every line after it is one answer, and a check or fold follows the last.
pub fn engine(data: &[u8]) {
    let Some((&cards, answers)) = data.split_first() else { return };
    let def = game();
    let mut answers = answers.split(|&byte| byte == b'\n');
    let deck: Vec<Card> = Card::all().collect();
    let at = |place: usize| deck[(place * 7 + usize::from(cards)) % deck.len()];
    let hand = |from| HoleCards::new(&[at(from), at(from + 1)]).expect("two cards");
    let hole = BySeat::from_slice(&[hand(0), hand(2)]).expect("two seats");
    let board: Vec<Card> = (4..9).map(at).collect();
    let board = Board::new(&board).expect("five cards");
    let mut state = State { public: PublicState::new(&def), hole };
    let mut hosts = [Host::new(Dialect::Base), Host::new(Dialect::Base)];
    let mut players = [(); 2].map(|()| Player::new(Arc::clone(&def), Dialect::Base));
    loop {
        state.public.deal_from(&board).expect("a whole board");
        let Turn::Act(seat) = state.public.turn() else { break };
        let infoset = state.infoset(seat);
        let (host, player) = (&mut hosts[seat.index()], &mut players[seat.index()]);
        player.receive(host.question(0, &infoset, Duration::from_secs(1)).as_bytes());
        let event = player.poll_event().expect("a valid line");
        let Some(Event::Turn { infoset: seen, .. }) = event else { panic!("{event:?}") };
        assert_eq!((&seen.public, seen.seat, seen.hole), (&state.public, seat, hole[seat]));
        let legal = state.public.legal();
        let fallback = if legal.fold { Action::Fold } else { Action::Call };
        let answer = answers.next().unwrap_or(b"K");
        let action = host.answer(answer, &state.public).unwrap_or_else(|refused| {
            assert!(!refused.to_string().contains('\n'));
            fallback
        });
        assert!(legal.allows(action), "{action:?}");
        player.act(action).expect("a legal action");
        let again = host.answer(&player.poll_transmit(), &state.public);
        assert_eq!(again, Ok(action));
        state.public.apply(action).expect("a legal action");
    }
    let payoffs = state.payoffs();
    for seat in def.seats() {
        let (host, player) = (&mut hosts[seat.index()], &mut players[seat.index()]);
        let showdown = state.public.is_showdown();
        let shown = |other| if showdown || other == seat { hole[other] } else { HoleCards::EMPTY };
        host.end(0, &state.public, seat, &BySeat::from_fn(2, shown), payoffs[seat]);
        let mut finished = None;
        while let Some(line) = host.closing(Duration::from_secs(1)) {
            assert!(finished.is_none(), "a line after the end: {line}");
            player.receive(line.as_bytes());
            finished = player.poll_event().unwrap_or_else(|error| panic!("{line}: {error}"));
            assert_eq!(host.acknowledge(&player.poll_transmit()), Ok(()));
        }
        let Some(Event::HandOver(finished)) = finished else { panic!("{finished:?}") };
        assert_eq!(finished.public.history(), state.public.history());
        assert_eq!(finished.payoffs, payoffs);
    }
}

/// The bot's side: the events do not depend on how the bytes were cut. The first byte is the size
/// of the pieces; every decision is answered with a call.
pub fn player(data: &[u8]) {
    let Some((&size, bytes)) = data.split_first() else { return };
    let run = |size: usize| {
        let mut player = Player::new(game(), Dialect::Base);
        let mut seen = Vec::new();
        let mut sent = Vec::new();
        for piece in bytes.chunks(size).map(Some).chain([None]) {
            match piece {
                Some(piece) => player.receive(piece),
                None => player.end(),
            }
            loop {
                match player.poll_event() {
                    Ok(None) => break,
                    Ok(Some(event)) => {
                        if matches!(event, Event::Turn { .. }) {
                            player.act(Action::Call).expect("a call is always legal");
                        }
                        seen.push(format!("{event:?}"));
                    }
                    Err(error) => {
                        seen.push(error.to_string());
                        return (seen, sent);
                    }
                }
                sent.extend(player.poll_transmit());
            }
            sent.extend(player.poll_transmit());
        }
        (seen, sent)
    };
    assert_eq!(run(bytes.len().max(1)).0, run(1 + usize::from(size)).0);
}
