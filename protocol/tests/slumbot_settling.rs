//! Slumbot's client: what is known of hands whose answers were lost, by the server's sums.

use game::Action;
use protocol::slumbot::client::{Lost, News};
use protocol::slumbot::{Client, ClientError};

use crate::slumbot_client::{BUTTON, after, game};

/// A session after its first hand, in which the bot's raise was folded to.
fn begun() -> Client {
    let mut client = after(Action::Fold);
    let over = r#"{"action":"b200f","client_pos":0,"hole_cards":["Ac","9d"],"board":[],"bot_hole_cards":["3s","2d"],"winnings":-100,"won_pot":-300,"session_num_hands":1,"baseline_winnings":10,"session_total":-100,"session_baseline_total":10}"#;
    client.receive(over.as_bytes(), || 0).unwrap();
    client
}

/// A new hand on the button or in the big blind, where the bot limps.
fn dealt(client: &mut Client, seat: u8, hole: &str, number: u64) {
    let action = if seat == 0 { "c" } else { "" };
    let body = format!(
        r#"{{"old_action":"","action":"{action}","client_pos":{seat},"hole_cards":[{hole}],"board":[]}}"#
    );
    let mut numbers = number..;
    client.receive(body.as_bytes(), || numbers.next().unwrap()).unwrap();
}

/// Plays a hand on the button, where this side raises to so much, or in the big blind, where that
/// is 100, to its showdown. The last answer is lost, but the betting is told.
fn showdown(client: &mut Client, seat: u8, hole: &str, number: u64, chips: u32) {
    dealt(client, seat, hole, number);
    let (first, start, check) = match seat {
        0 => (Action::Call, "ck/".to_owned(), "kk/"),
        _ => (Action::RaiseTo(chips), format!("b{chips}c/k"), "k/k"),
    };
    client.act(first).unwrap();
    for street in 0..3 {
        let action = start.clone() + &check.repeat(street);
        let board = &r#""Kh","7c","2s","4s","5s""#[..14 + 5 * street];
        let body = format!(
            r#"{{"action":"{action}","client_pos":{seat},"hole_cards":[{hole}],"board":[{board}]}}"#
        );
        client.receive(body.as_bytes(), || 0).unwrap();
        client.act(Action::Call).unwrap();
    }
    client.lost(Lost::Maybe);
    let start = start.trim_end_matches('k');
    let refusal = format!(r#"{{"error_msg":"unexpected action","old_action":"{start}kk/kk/kk"}}"#);
    let news = client.receive(refusal.as_bytes(), || 0).unwrap();
    assert!(matches!(&news[..], [News::Unsettled(hand)] if hand.ended), "{news:?}");
}

/// The end of a hand on the button that is folded at once, with these sums.
fn folded(client: &mut Client, hands: u64, total: i64) -> Vec<News> {
    dealt(client, 1, r#""Qc","2d""#, 90);
    client.act(Action::Fold).unwrap();
    let body = format!(
        r#"{{"action":"f","client_pos":1,"hole_cards":["Qc","2d"],"board":[],"bot_hole_cards":["3s","2h"],"winnings":-50,"session_num_hands":{hands},"session_total":{total}}}"#
    );
    client.receive(body.as_bytes(), || 99).unwrap()
}

/// What was settled: number, winnings, and how many together.
fn settled(news: &[News]) -> Vec<(Option<u64>, i64, usize)> {
    let settled = news.iter().filter_map(|news| match news {
        News::Settled(hand) => {
            let number = hand.hand.as_ref().map(|hand| hand.number);
            Some((number, hand.winnings, hand.together))
        }
        News::Drift(drift) => panic!("{drift}"),
        _ => None,
    });
    settled.collect()
}

/// On the button a raise to 300 is lost, and so is the answer that would have shown the next hand.
fn raise_and_unseen(hands: u64, chips: i64) -> Vec<(Option<u64>, i64, usize)> {
    let mut client = begun();
    dealt(&mut client, 1, r#""Jc","Jd""#, 1);
    client.act(Action::RaiseTo(300)).unwrap();
    client.lost(Lost::Maybe);
    client.receive(br#"{"error_msg":"Illegal bet"}"#, || 0).unwrap();
    client.lost(Lost::Maybe);
    // Hand 90 is the one in the big blind that was never shown.
    settled(&folded(&mut client, 2 + hands, -150 + chips))
}

#[test]
fn each_hand_gets_the_only_result_that_it_can_have() {
    // The bot folds: to the raise, and in the hand nobody saw, which can bring no more than 50.
    assert_eq!(raise_and_unseen(1, 100), [(Some(1), 100, 1)]);
    assert_eq!(raise_and_unseen(1, 50), [(Some(90), 50, 1)]);
    assert_eq!(raise_and_unseen(2, 150), [(Some(1), 100, 1), (Some(90), 50, 1)]);
    assert_eq!(raise_and_unseen(0, 0), []);
    // The raise was called, and the hand forfeited.
    assert_eq!(raise_and_unseen(2, -250), [(Some(1), -300, 1), (Some(90), 50, 1)]);
    assert_eq!(raise_and_unseen(0, -300), [(Some(1), -300, 1)]);
    // Either 100 and a forfeited big blind, or a forfeited small blind and 50: two hands have
    // nothing together.
    assert_eq!(raise_and_unseen(2, 0), [(None, 0, 2), (None, 0, 2)]);
}

/// Two hands whose showdowns nobody saw: for `first` and for 100 chips.
fn two_showdowns(first: u32, chips: i64) -> Vec<(Option<u64>, i64, usize)> {
    let mut client = begun();
    showdown(&mut client, 1, r#""Jc","Jd""#, 1, first);
    showdown(&mut client, 0, r#""Tc","Td""#, 2, 100);
    let saved = client.save();
    let mut client = Client::restore(game(), Some("t".into()), None, &saved).unwrap();
    settled(&folded(&mut client, 4, -150 + chips))
}

#[test]
fn two_hands_are_settled_one_by_one_if_only_one_pair_of_results_is_possible() {
    assert_eq!(two_showdowns(300, 400), [(Some(1), 300, 1), (Some(2), 100, 1)]);
    assert_eq!(two_showdowns(300, -300), [(Some(1), -300, 1), (Some(2), 0, 1)]);
    assert_eq!(two_showdowns(300, 0), [(Some(1), 0, 1), (Some(2), 0, 1)]);
    assert_eq!(two_showdowns(200, -200), [(Some(1), -200, 1), (Some(2), 0, 1)]);
}

#[test]
fn two_hands_with_several_pairs_of_results_are_settled_together() {
    // 200 − 100 or 0 + 100.
    assert_eq!(two_showdowns(200, 100), [(Some(1), 100, 2), (Some(2), 0, 2)]);
    assert_eq!(two_showdowns(200, -100), [(Some(1), -100, 2), (Some(2), 0, 2)]);
}

/// An end of the first hand with these figures in place of others.
fn ended(old: &str, new: &str) -> Result<Vec<News>, ClientError> {
    let mut client = begun();
    dealt(&mut client, 1, r#""Qc","2d""#, 1);
    client.act(Action::Fold).unwrap();
    let over = r#"{"action":"f","client_pos":1,"hole_cards":["Qc","2d"],"board":[],"bot_hole_cards":["3s","2h"],"winnings":-50,"won_pot":-150,"session_num_hands":2,"baseline_winnings":20,"session_total":-150,"session_baseline_total":30}"#;
    assert!(over.contains(old), "{old}");
    client.receive(over.replace(old, new).as_bytes(), || 1)
}

#[test]
fn figures_that_do_not_follow_from_the_hand_and_the_sums_before_are_contradictions() {
    assert!(ended("\"won_pot\":-150,", "").is_ok());
    assert!(ended(":20,", ":null,").is_ok(), "what is not told is not compared");
    for (old, new, reason) in [
        (":-150,\"session_num", ":-300,\"session_num", "`won_pot` is -300, but must be -150"),
        (":-150,\"session_num", ":150,\"session_num", "`won_pot` is 150, but must be -150"),
        (":30}", ":1000000000}", "`session_baseline_total` is 1000000000, which is more than"),
        (":30}", ":31}", "`session_baseline_total` is 31, but must be 30"),
        (":20,", ":1000000000,", "`baseline_winnings` is 1000000000, which is more than all"),
        (":20,", ":19951,", "`baseline_winnings` is 19951, which is more than all"),
    ] {
        let error = ended(old, new).expect_err(new);
        let ClientError::Contradiction { before, now, .. } = &error else { panic!("{error}") };
        assert!(before.contains("Qc2d") && now.contains("\"won_pot\""), "{error}");
        assert!(error.to_string().contains(reason), "no `{reason}` in {error}");
    }
}

#[test]
fn a_new_hand_with_moves_of_ours_or_in_the_wrong_seat_is_a_contradiction() {
    let moved =
        r#"{"old_action":"","action":"cb300","client_pos":1,"hole_cards":["Qc","2d"],"board":[]}"#;
    let wrong = BUTTON.replace("\"client_pos\":1", "\"client_pos\":0");
    let cases = [
        (moved.to_owned(), "in which this side has acted already"),
        (wrong, "after `` it is not this side's turn"),
        (BUTTON.replace("\"action\":\"\"", "\"action\":\"c\""), "after `c` it is not"),
    ];
    for (body, reason) in cases {
        let error = begun().receive(body.as_bytes(), || 1).expect_err(&body);
        let ClientError::Contradiction { before, now, .. } = &error else { panic!("{error}") };
        assert!(before.contains("client_pos 1 is due") && now.contains("\"Qc\""), "{error}");
        assert!(error.to_string().contains(reason), "no `{reason}` in {error}");
    }
    // A session begins in the big blind.
    let first = BUTTON.replace("[]}", "[],\"token\":\"t\"}");
    let error = Client::new(game(), None).receive(first.as_bytes(), || 0).unwrap_err().to_string();
    assert!(error.contains("client_pos 1, but the seats alternate, and 0 is due"), "{error}");
}

#[test]
fn a_server_that_deals_one_seat_only_is_not_one_that_deals_hands_nobody_sees() {
    let mut client = begun();
    let mut numbers = 1..;
    let dealt = (2..12).find_map(|hands| {
        let card = b"23456789TJQK"[hands as usize] as char;
        let body = format!(
            r#"{{"action":"f","client_pos":0,"hole_cards":["{card}c","{card}h"],"board":[],"bot_hole_cards":["As","Ah"],"winnings":50,"session_num_hands":{hands},"session_total":{}}}"#,
            50 * hands as i64 - 200
        );
        let answered = client.receive(body.as_bytes(), || numbers.next().unwrap());
        answered.err().map(|error| (hands, error))
    });
    let (hands, error) = dealt.expect("it is noticed");
    let ClientError::Contradiction { reason, .. } = error else { panic!("{error}") };
    assert_eq!(hands, 9);
    assert!(reason.to_string().starts_with("a new hand has client_pos 0"), "{reason}");
}

#[test]
fn hands_left_open_are_not_saved_with_the_session_and_are_settled_when_forfeited() {
    let mut client = begun();
    let mut lost = Vec::new();
    for number in 0..50 {
        // In the big blind the bot raises or folds; nobody sees which.
        client.lost(Lost::Maybe);
        let body = r#"{"action":"f","client_pos":0,"hole_cards":["4c","4h"],"board":[],"bot_hole_cards":["As","Ah"],"winnings":50,"session_num_hands":HANDS,"session_total":TOTAL}"#;
        let body = body.replace("4c", ["4c", "5c"][number % 2]);
        let (hands, total) = (number as i64 + 2, 50 * number as i64 - 50);
        let body = body.replace("HANDS", &hands.to_string()).replace("TOTAL", &total.to_string());
        let mut numbers = 2 * number as u64 + 1..;
        for news in client.receive(body.as_bytes(), || numbers.next().unwrap()).unwrap() {
            match news {
                News::Unsettled(hand) => lost.push(hand),
                News::Began(_) | News::Finished(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!((lost.len(), client.accounts().open.len()), (50, 50));
    let saved = client.save();
    assert!(saved.len() < 1000, "{saved}");
    let mut client = Client::restore(game(), Some("t".into()), None, &saved).unwrap();
    client.left_open(lost.clone());
    // Two of them are forfeited: the oldest ones.
    let news = folded(&mut client, 54, 2400 - 50 - 100);
    let expected = [(Some(lost[1].number), -50, 1), (Some(lost[0].number), -50, 1)];
    assert_eq!(settled(&news), expected);
}
