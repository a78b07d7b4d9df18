//! The player's machine.

use std::time::Duration;

use game::{Action, IllegalReason};
use proptest::prelude::*;
use protocol::acpc::dealer::{Config, Event as DealerEvent};
use protocol::acpc::{ActError, Event, MAX_DEALER_LINE, Player};

use crate::table::{NOLIMIT, Table, game};

fn player() -> Player {
    let mut player = Player::new(game(NOLIMIT));
    assert_eq!(player.poll_transmit(), b"VERSION:2.0.0\r\n");
    player
}

#[test]
fn a_turn_is_answered_with_the_line_and_the_action() {
    let mut player = player();
    player.receive(b"# welcome\r\n; hello\nMATCHSTATE:1:0::|9hQd\r");
    assert!(player.poll_event().unwrap().is_none());
    assert_eq!(player.act(Action::Call), Err(ActError::NotOurTurn));
    player.receive(b"\n");
    let Ok(Some(Event::Turn { hand: 0, infoset })) = player.poll_event() else { panic!() };
    assert_eq!((infoset.seat.index(), infoset.hole.to_string()), (1, "9hQd".to_owned()));
    assert_eq!(
        player.act(Action::RaiseTo(150)),
        Err(ActError::Illegal(IllegalReason::RaiseSize { total: 150, min: 200, max: 20_000 }))
    );
    player.act(Action::RaiseTo(300)).unwrap();
    assert_eq!(player.act(Action::Call), Err(ActError::NotOurTurn));
    assert_eq!(player.poll_transmit(), b"MATCHSTATE:1:0::|9hQd:r300\r\n");
    assert_eq!(player.poll_transmit(), b"");
}

#[test]
fn updates_ends_of_hands_and_the_end_of_the_match_are_told_apart() {
    let mut player = player();
    player.receive(b"MATCHSTATE:0:0::5d5c|\nMATCHSTATE:0:0:f:5d5c|\n");
    assert!(matches!(player.poll_event(), Ok(Some(Event::Update(_)))));
    let Ok(Some(Event::HandOver(state))) = player.poll_event() else { panic!() };
    let payoffs = state.payoffs().unwrap();
    assert_eq!(payoffs.as_slice().iter().map(|p| p.chips()).collect::<Vec<_>>(), [50.0, -50.0]);
    assert!(player.poll_event().unwrap().is_none());
    player.end();
    assert!(matches!(player.poll_event(), Ok(Some(Event::MatchOver))));
    assert!(player.poll_event().unwrap().is_none());
}

#[test]
fn wrong_bytes_are_an_error_with_the_offending_text() {
    let cases: &[(&[u8], &str)] = &[
        (b"hello\r\n", "the dealer sent `hello`: it does not begin with `MATCHSTATE:`"),
        (b"\r\n", "the dealer sent ``: it does not begin with `MATCHSTATE:`"),
        (
            b"MATCHSTATE:5:0::|9hQd\r\n",
            "the dealer sent `MATCHSTATE:5:0::|9hQd`: position `5` is not from 0 to 1",
        ),
        (b"\xff\x00\n", "the dealer sent `\\xff\\0`: it holds bytes that are not text"),
        (
            b"MATCHSTATE:1:0::|9h",
            "the dealer closed the connection in the middle of a line, after `MATCHSTATE:1:0::|9h`",
        ),
        (b"MATCHSTATE:1:3::|9hQd\n", "the dealer closed the connection in the middle of hand 3"),
        (b"", "the dealer closed the connection before the first hand"),
    ];
    for (bytes, expected) in cases {
        let mut player = player();
        player.receive(bytes);
        player.end();
        let error = loop {
            match player.poll_event() {
                Ok(event) => assert!(event.is_some()),
                Err(error) => break error,
            }
        };
        assert_eq!(error.to_string(), *expected);
        player.receive(b"MATCHSTATE:1:0::|9hQd\n");
        assert_eq!(player.poll_event().unwrap_err(), error, "an error is not forgotten");
    }
}

#[test]
fn an_endless_line_is_an_error_not_a_full_memory() {
    let mut player = player();
    let mut fed = 0;
    let error = loop {
        player.receive(&[b'x'; 10_000]);
        fed += 10_000;
        match player.poll_event() {
            Ok(event) => assert!(event.is_none() && fed < 10_000_000),
            Err(error) => break error,
        }
    };
    assert!(error.to_string().contains("bytes without an end of line"), "{error}");
    assert!(fed < MAX_DEALER_LINE + 20_000);
}

proptest! {
    #[test]
    fn a_player_and_a_dealer_understand_each_other_however_bytes_are_cut(
        name in 0..13usize,
        seed: u32,
        choices in proptest::collection::vec(any::<u32>(), 1..40),
        size in 1..200usize,
    ) {
        let def = game(protocol::acpc::games()[name].name);
        let mut players: Vec<Player> = (0..def.players).map(|_| Player::new(def.clone())).collect();
        let mut table = Table::silent(Config::new(def, 20, seed));
        let mut choices = choices.iter().cycle();
        let mut shown = 0.0;
        while !table.dealer.is_over() {
            for (entrant, player) in players.iter_mut().enumerate() {
                for piece in player.poll_transmit().chunks(size) {
                    table.dealer.receive(entrant, piece, Duration::ZERO);
                }
                let bytes = table.dealer.output(entrant).to_vec();
                table.dealer.consume_output(entrant, bytes.len());
                for piece in bytes.chunks(size) {
                    player.receive(piece);
                    while let Some(event) = player.poll_event().unwrap() {
                        match event {
                            Event::Turn { infoset, .. } => {
                                let all: Vec<Action> = infoset.legal().corners().collect();
                                let choice = *choices.next().unwrap() as usize;
                                player.act(all[choice % all.len()]).unwrap();
                            }
                            Event::HandOver(state) if entrant == 0 => {
                                shown += state.payoffs().unwrap()[state.seat].chips();
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
        while let Some(event) = table.dealer.poll_event() {
            let corrected = matches!(event,
                DealerEvent::Corrected { .. } | DealerEvent::Ignored { .. });
            prop_assert!(!corrected, "{event:?}");
        }
        let bytes = table.dealer.output(0).to_vec();
        players[0].receive(&bytes);
        while let Some(event) = players[0].poll_event().unwrap() {
            if let Event::HandOver(state) = event {
                shown += state.payoffs().unwrap()[state.seat].chips();
            }
        }
        prop_assert!((shown - table.dealer.totals()[0].chips()).abs() < 1e-3);
    }
}
