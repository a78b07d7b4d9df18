//! A server of the Slumbot API that contradicts itself, or says what a terminal should not be
//! shown.

use game::Action;
use protocol::slumbot::client::{Lost, News};
use protocol::slumbot::{Client, ClientError};

use crate::slumbot_client::{
    BUTTON, FIRST, FLOP, OVER, TOKEN, after, game, is_earlier, receive_after_call,
};

/// This answer to a call of the bot's raise on the flop contradicts what was said before, and the
/// message has both texts.
fn assert_contradiction(body: &str, reasons: &[&str]) {
    let error = receive_after_call(body).expect_err(body);
    let ClientError::Contradiction { before, now, .. } = &error else { panic!("{body}: {error}") };
    assert!(before.contains("Ac9d") && before.contains("`b200`"), "{before}");
    assert!(now.contains(&body[..40]), "{now}");
    let said = error.to_string();
    for reason in reasons {
        assert!(said.contains(reason), "no `{reason}` in {said}");
    }
}

#[test]
fn what_contradicts_what_was_said_before_ends_the_session_and_is_told_with_both_texts() {
    let flop = |old: &str, new: &str| {
        assert!(FLOP.contains(old), "{old}");
        FLOP.replace(old, new)
    };
    let cases: [(String, &[&str]); 13] = [
        (flop(r#"["Ac","9d"]"#, r#"["As","9d"]"#), &["`hole_cards` is As9d, but was Ac9d"]),
        (flop("\"client_pos\":0", "\"client_pos\":1").replace("c/", "c/k"), &["client_pos"]),
        (flop("\"Kh\"", "\"9d\""), &["the card 9d appears twice"]),
        (flop("\"2s\"]", "\"2s\",\"3s\"]"), &["4 cards on the table", "calls for 3"]),
        (flop("\"2s\"]", "\"2s\",\"3s\",\"4s\",\"5s\"]"), &["`board` holds 6 cards"]),
        (flop(r#"["Kh","7c","2s"]"#, "[]"), &["b200c/"]),
        // Moves that nobody made: ours rewritten, one more of ours, one the bot could not make.
        (flop("b200c/", "b200f"), &["has no winnings"]),
        (flop("b200c/", "b200b400c/"), &["does not continue from `b200` with `c`"]),
        (flop("b200c/", "b300c/").replace("\"b200\"", "\"\""), &["does not continue from `b200`"]),
        (flop("b200c/", "b200c/b50"), &["is too small"]),
        (flop("b200c/", "b200c/b100b300b20000"), &["b20000"]),
        (flop("\"b200\",", "\"b300\","), &["`old_action` is `b300`"]),
        (
            flop(
                "]}",
                r#"],"bot_hole_cards":["3s","2d"],"winnings":5,"session_num_hands":1,"session_total":5}"#,
            ),
            &["the hand is not over"],
        ),
    ];
    for (body, reasons) in cases {
        if reasons == ["has no winnings"] {
            let error = receive_after_call(&body.replace(r#"["Kh","7c","2s"]"#, "[]"));
            let Err(ClientError::Answer(error)) = error else { panic!("{error:?}") };
            assert!(error.to_string().ends_with(reasons[0]), "{error}");
            continue;
        }
        assert_contradiction(&body, reasons);
    }
    let over = r#"{"old_action":"b200","action":"b200f","client_pos":0,"hole_cards":["Ac","9d"],"board":[],"bot_hole_cards":["3s","2d"],"winnings":-100,"session_num_hands":1,"session_total":-100}"#;
    assert_contradiction(over, &["`b200f` does not continue from `b200` with `c`"]);
    assert_contradiction(&over.replace("\"3s\"", "\"9d\""), &["the card 9d appears twice"]);
    let much = over.replace(":-100,", ":1000000000000000000000000000000,");
    assert_contradiction(&much, &["`winnings` is 1e+30", "more than all chips"]);
    assert_contradiction(&much.replace("1000000000000000000000000000000", "1e30"), &["1e+30"]);
}

#[test]
fn a_board_is_not_rewritten_on_a_later_street() {
    let mut client = after(Action::Call);
    client.receive(FLOP.as_bytes(), || 0).unwrap();
    client.act(Action::Call).unwrap();
    let turn = r#"{"old_action":"b200c/","action":"b200c/kk/","client_pos":0,"hole_cards":["Ac","9d"],"board":["Kh","7c","2s","4d"]}"#;
    let mut good = client.clone();
    assert_eq!(good.receive(turn.as_bytes(), || 0), Ok(vec![]));
    let error = client.receive(turn.replace("Kh", "Kd").as_bytes(), || 0).unwrap_err().to_string();
    assert!(error.contains("`board` is Kd7c2s4d, but was Kh7c2s"), "{error}");
    // Cards in another order are the same cards.
    let mut client = good;
    client.act(Action::Call).unwrap();
    let river = r#"{"action":"b200c/kk/kk/","client_pos":0,"hole_cards":["9d","Ac"],"board":["Kh","7c","2s","4d","5d"]}"#;
    assert_eq!(client.receive(river.as_bytes(), || 0), Ok(vec![]));
}

/// A session whose first hand has ended with a fold.
fn after_a_hand() -> Client {
    let mut client = after(Action::Fold);
    client.receive(OVER.as_bytes(), || 0).unwrap();
    client
}

#[test]
fn an_end_told_again_is_an_old_answer_and_told_otherwise_a_contradiction() {
    let client = after_a_hand();
    let again = client.clone().receive(OVER.as_bytes(), || 1).unwrap_err();
    assert!(is_earlier(&again), "{again}");
    // The same after the session was written down and read again.
    let restored = Client::restore(game(), Some("t".into()), None, &client.save()).unwrap();
    let again = restored.clone().receive(OVER.as_bytes(), || 1).unwrap_err();
    assert!(is_earlier(&again), "{again}");
    for (old, new) in [("-100,\"won", "-50,\"won"), ("\"3s\"", "\"3c\""), (":-100}", ":-90}")] {
        assert!(OVER.contains(old), "{old}");
        let error = restored.clone().receive(OVER.replace(old, new).as_bytes(), || 1).unwrap_err();
        let ClientError::Contradiction { reason, before, .. } = &error else { panic!("{error}") };
        assert!(reason.to_string().contains("is reported twice"), "{error}");
        assert!(before.contains("winnings -100") && before.contains("`b200f`"), "{before}");
    }
    let other = OVER.replace("b200f", "f").replace(r#""b200""#, "\"\"").replace("Ac", "Ah");
    let other = other.replace("-100", "50").replace("-300", "150");
    let error = restored.clone().receive(other.as_bytes(), || 1).unwrap_err().to_string();
    assert!(error.contains("ends as number 1 of the session, of which 1 had ended"), "{error}");
}

#[test]
fn another_hand_in_the_middle_of_one_is_believed_only_where_a_request_for_one_was_lost() {
    for lost in [false, true] {
        let mut client = after_a_hand();
        if lost {
            client.lost(Lost::Maybe);
        }
        client.receive(BUTTON.as_bytes(), || 1).unwrap();
        client.act(Action::Call).unwrap();
        let other = r#"{"old_action":"b200","action":"b200c/","client_pos":0,"hole_cards":["Jc","Jd"],"board":["Kh","7c","2s"]}"#;
        let mut numbers = 2..;
        let answered = client.receive(other.as_bytes(), || numbers.next().unwrap());
        match answered {
            Ok(news) => {
                assert!(lost);
                assert!(matches!(&news[..], [News::Unsettled(_), News::Began(2)]), "{news:?}");
                assert_eq!(client.accounts().maybe, 0, "the request that was lost is found");
            }
            Err(ClientError::Contradiction { reason, .. }) => {
                assert!(!lost && reason.to_string().contains(", but was "), "{reason}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_move_that_was_not_decided_on_is_believed_only_where_the_same_action_was_lost() {
    for lost in [false, true] {
        let mut client = after(Action::Call);
        if lost {
            client.lost(Lost::Maybe);
            let unchanged = br#"{"error_msg":"Illegal bet","old_action":"b200"}"#;
            assert_eq!(client.receive(unchanged, || 0), Ok(vec![]));
            assert_eq!(client.request().unwrap().body, r#"{"token":"t","incr":"c"}"#);
        }
        client.receive(FLOP.as_bytes(), || 0).unwrap();
        client.act(Action::RaiseTo(600)).unwrap();
        let raised = FLOP.replace("b200c/", "b200c/b400b1200").replace("\"b200\"", "\"b200c/\"");
        client.receive(raised.as_bytes(), || 0).unwrap();
        client.act(Action::RaiseTo(2600)).unwrap();
        // The first call arrives only now, and the raise after it.
        let late = r#"{"action":"b200c/b400b1200c/b2400b4800","client_pos":0,"hole_cards":["Ac","9d"],"board":["Kh","7c","2s","4d"]}"#;
        match client.receive(late.as_bytes(), || 0) {
            Ok(news) => assert!(lost && news.is_empty(), "{news:?}"),
            Err(ClientError::Contradiction { reason, .. }) => {
                assert!(!lost && reason.to_string().contains("does not continue"), "{reason}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn what_a_server_says_is_shown_without_the_token_and_without_what_steers_a_terminal() {
    let mut client = Client::new(game(), None);
    client.receive(FIRST.replace("\"t\"", &format!("\"{TOKEN}\"")).as_bytes(), || 0).unwrap();
    client.act(Action::Call).unwrap();
    let hostile =
        format!(r#"{{"error_msg":"\u001b[2J\u0007\u202e{TOKEN} busy","old_action":"b200"}}"#);
    let news = client.receive(hostile.as_bytes(), || 0).unwrap();
    let expected = r"\u{1b}[2J\u{7}\u{202e}… busy";
    assert_eq!(news, [News::Refused(expected.to_owned())]);
    let long = FLOP.replace(
        "]}",
        &format!(r#"],"winnings":"{}\u{{202e}}","token":"secret"}}"#, "x".repeat(9000)),
    );
    let error = client.clone().receive(long.as_bytes(), || 0).unwrap_err().to_string();
    assert!(error.chars().count() < 300 && !error.contains('\u{202e}'), "{error}");
    for body in [
        FLOP.replace("\"Kh\"", "\"Ac\"").replace("]}", &format!(r#"],"token":"{TOKEN}"}}"#)),
        FLOP.replace("\"Kh\"", "\"Ac\"").replace("]}", r#"],"token":"not-seen-before"}"#),
    ] {
        let error = client.clone().receive(body.as_bytes(), || 0).unwrap_err().to_string();
        assert!(!error.contains(TOKEN) && !error.contains("not-seen-before"), "{error}");
        assert!(error.contains(r#""token":"…""#), "{error}");
    }
}
