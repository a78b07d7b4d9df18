//! The host's side of the Slumbot API: paths, bodies, and what hands are worth.

use std::sync::Arc;

use cards::{Board, HoleCards};
use game::{BySeat, Seat, games};
use protocol::slumbot::host::{Endpoint, Hand, Next, Request, Totals};
use protocol::slumbot::message::json;
use protocol::slumbot::{ActionError, action};

/// A hand in which this has been played; `client` is the client's seat.
fn hand(text: &str, client: usize) -> Hand {
    let def = Arc::new(games::nolimit_holdem());
    let cards = |text: &str| -> HoleCards { text.parse().expect("cards") };
    let hole = BySeat::from_slice(&[cards("2c7d"), cards("AhAc")]).expect("two hands");
    let board: Board = "Ts9h3d4c5s".parse().expect("a board");
    let seat = Seat::new(client).expect("a seat");
    let mut hand = Hand::new(&def, hole, board, seat);
    let read: Result<_, ActionError> = action::read(&def, text);
    for action in read.expect("the betting of a hand") {
        hand.play(action).expect("legal");
    }
    assert_eq!(hand.action(), text);
    hand
}

#[test]
fn a_body_counts_only_when_it_says_that_it_is_json() {
    let kinds = [
        (Some("application/json"), true),
        (Some("application/json; charset=utf-8"), true),
        (Some(" Application/JSON ;x"), true),
        (Some("text/json"), false),
        (Some("application/json5"), false),
        (Some(""), false),
        (None, false),
    ];
    for (kind, good) in kinds {
        let read = Request::read(Endpoint::NewHand, kind, b"{}");
        assert_eq!(read.is_ok(), good, "{kind:?}");
        if let Err(error) = read {
            assert_eq!(error.error_msg(), "Badly formed request");
        }
    }
}

#[test]
fn hands_are_worth_what_the_live_server_says() {
    // The client's seat, the betting, winnings, won_pot. Seat 1 has the aces.
    let cases = [
        (0, "f", 50, 150),
        (1, "f", -50, -150),
        (0, "b200f", -100, -300),
        (1, "b200f", 100, 300),
        (1, "b300c/kb600f", 300, 1200),
        (1, "b20000f", 100, 20_100),
        (0, "b400c/kk/kk/kk", -400, -800),
        (1, "b400c/kk/kk/kk", 400, 800),
        (0, "b20000c///", -20_000, -40_000),
        (0, "b200c/kb200c/b19600c/", -20_000, -40_000),
        (1, "cb300c/kb19700f", 300, 20_300),
        (0, "ck/kk/kb200c/kk", -300, -600),
    ];
    for (client, text, winnings, pot) in cases {
        let hand = hand(text, client);
        assert_eq!(hand.next(), Next::Over, "{text}");
        let mut totals = Totals { hands: 4, total: 1000, baseline_total: -7 };
        totals.add(hand.winnings(), 20);
        let end = hand.end(20, totals);
        assert_eq!((end.winnings, end.won_pot), (winnings, pot), "{text} for seat {client}");
        assert_eq!((end.session_num_hands, end.session_total), (5, 1000 + winnings));
        assert_eq!((end.baseline_winnings, end.session_baseline_total), (20, 13));
    }
}

#[test]
fn answers_are_the_bytes_that_clients_know() {
    let open = hand("b200c/", 0);
    assert_eq!(open.next(), Next::Client);
    let text = json(&open.object("b200".to_owned(), None, Some("T".to_owned())));
    let expected = r#"{"old_action":"b200","action":"b200c/","client_pos":0,"hole_cards":["7d","2c"],"board":["Ts","9h","3d"],"token":"T"}"#;
    assert_eq!(text, expected);
    let over = hand("b200c/kb200c/b19600c/", 0);
    let end = over.end(-150, Totals { hands: 1, total: -20_000, baseline_total: -150 });
    let text = json(&over.object("b200c/kb200c/".to_owned(), Some(end), None));
    let expected = r#"{"old_action":"b200c/kb200c/","action":"b200c/kb200c/b19600c/","client_pos":0,"hole_cards":["7d","2c"],"board":["Ts","9h","3d","4c","5s"],"bot_hole_cards":["Ah","Ac"],"winnings":-20000,"won_pot":-40000,"session_num_hands":1,"baseline_winnings":-150,"session_total":-20000,"session_baseline_total":-150}"#;
    assert_eq!(text, expected);
}

#[test]
fn an_action_is_read_but_not_played_until_it_is() {
    let mut open = hand("b200c/k", 1);
    assert_eq!(open.next(), Next::Client);
    for (incr, error) in [
        ("kk", "unexpected action"),
        ("c", "Illegal call"),
        ("f", "Illegal fold"),
        ("b99", "Illegal bet"),
        ("b19801", "Bet size too big"),
    ] {
        assert_eq!(open.read(incr).expect_err(incr).error_msg(), error);
    }
    let action = open.read("b19800").expect("all-in");
    assert_eq!(open.action(), "b200c/k");
    open.play(action).expect("legal");
    assert_eq!((open.next(), open.action().as_str()), (Next::Server, "b200c/kb19800"));
    assert_eq!(open.infoset().hole, *"2c7d".parse::<HoleCards>().as_ref().expect("cards"));
}
