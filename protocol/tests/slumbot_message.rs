//! Slumbot's JSON bodies, byte for byte.

use protocol::slumbot::message::{
    ActRequest, BadRequest, ErrorObject, HandEnd, HandObject, LoginRequest, NewHandRequest,
    TokenObject, json, read_request, won_pot,
};

#[test]
fn a_new_hand_is_written_as_live_with_the_token_last() {
    let token = "4d1b9e0c-8f39-4d56-9d65-7a3c50f1a2b3";
    let mut hand = HandObject {
        old_action: String::new(),
        action: "b200".into(),
        client_pos: 0,
        hole_cards: "Ac9d".parse().unwrap(),
        board: cards::Board::EMPTY,
        end: None,
        token: Some(token.into()),
    };
    let text = json(&hand);
    assert_eq!(
        text,
        format!(
            r#"{{"old_action":"","action":"b200","client_pos":0,"hole_cards":["Ac","9d"],"board":[],"token":"{token}"}}"#
        )
    );
    // A client in use takes the last 38 bytes, less the two that end the object.
    assert_eq!(&text[text.len() - 38..text.len() - 2], token);
    hand.token = None;
    hand.old_action = "b200".into();
    hand.action = "b200f".into();
    hand.end = Some(HandEnd {
        bot_hole_cards: "KsQh".parse().unwrap(),
        winnings: -100,
        won_pot: won_pot(-100, 300),
        session_num_hands: 7,
        baseline_winnings: 0,
        session_total: -350,
        session_baseline_total: 12,
    });
    assert_eq!(
        json(&hand),
        r#"{"old_action":"b200","action":"b200f","client_pos":0,"hole_cards":["Ac","9d"],"board":[],"bot_hole_cards":["Ks","Qh"],"winnings":-100,"won_pot":-300,"session_num_hands":7,"baseline_winnings":0,"session_total":-350,"session_baseline_total":12}"#
    );
}

#[test]
fn small_bodies_are_written_compactly_and_leave_out_what_is_not_there() {
    let error = ErrorObject { error_msg: "Illegal call".into(), old_action: Some("b200".into()) };
    assert_eq!(json(&error), r#"{"error_msg":"Illegal call","old_action":"b200"}"#);
    assert_eq!(json(&TokenObject { token: "t".into() }), r#"{"token":"t"}"#);
    assert_eq!(json(&NewHandRequest::default()), "{}");
    let with = NewHandRequest { token: Some("t".into()), agent: None };
    assert_eq!(json(&with), r#"{"token":"t"}"#);
}

#[test]
fn requests_are_read_and_wrong_ones_told_apart() {
    let hand = |body: &str| read_request::<NewHandRequest>(body.as_bytes());
    assert_eq!(hand("{}"), Ok(NewHandRequest::default()));
    assert_eq!(hand(r#" {"token":""} "#).unwrap().token.as_deref(), Some(""));
    assert_eq!(hand(r#"{"token":"t","client_pos":1}"#).unwrap().token.as_deref(), Some("t"));
    for malformed in ["", "{", "token=t", "{}x", r#"{"token":"t"#] {
        assert!(matches!(hand(malformed), Err(BadRequest::Malformed(_))), "{malformed}");
    }
    for mistyped in [r#"{"token":null}"#, r#"{"token":5}"#, "[]", "null", "7", r#"["t"]"#] {
        assert!(matches!(hand(mistyped), Err(BadRequest::Type(_))), "{mistyped}");
    }
    let act: ActRequest = read_request(br#"{"token":"t","incr":"b300"}"#).unwrap();
    assert_eq!(act.incr.as_deref(), Some("b300"));
    let login: LoginRequest = read_request(br#"{"username":"me","password":"secret"}"#).unwrap();
    assert_eq!(login.password.as_deref(), Some("secret"));
    assert!(!format!("{login:?}").contains("secret"));
    assert_eq!(
        BadRequest::Type(String::new()).error_msg(),
        "Object type exception: Expected string"
    );
}

#[test]
fn the_pot_has_the_sign_of_the_result() {
    for (winnings, pot, expected) in
        [(-100, 300, -300), (300, 1200, 1200), (0, 800, 0), (100, 20100, 20100)]
    {
        assert_eq!(won_pot(winnings, pot), expected);
    }
}
