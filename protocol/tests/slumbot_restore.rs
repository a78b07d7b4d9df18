//! Slumbot's client: a saved session that was edited, or is one of another game, is refused, and
//! never makes the client panic.

use game::Action;
use proptest::prelude::*;
use protocol::slumbot::Client;
use protocol::slumbot::client::{Lost, Next};
use serde_json::Value;

use crate::slumbot_client::{BUTTON, FIRST, FLOP, game};

/// Saved sessions in all phases.
fn saved() -> Vec<String> {
    let mut client = Client::new(game(), None);
    let mut all = vec![client.save()];
    let mut step = |client: &Client| all.push(client.save());
    client.receive(FIRST.as_bytes(), || 0).unwrap();
    step(&client);
    client.act(Action::Call).unwrap();
    step(&client);
    client.lost(Lost::Maybe);
    step(&client);
    client.receive(br#"{"error_msg":"Illegal bet","old_action":"b200c/"}"#, || 0).unwrap();
    step(&client);
    let mut other = client.clone();
    other.act(Action::Call).unwrap();
    other.lost(Lost::Maybe);
    other.receive(br#"{"error_msg":"Illegal bet"}"#, || 0).unwrap();
    step(&other);
    other.receive(BUTTON.as_bytes(), || 1).unwrap();
    step(&other);
    other.act(Action::Fold).unwrap();
    let over = r#"{"action":"f","client_pos":1,"hole_cards":["Qc","2d"],"board":[],"bot_hole_cards":["3s","2h"],"winnings":-50,"session_num_hands":1,"session_total":-50}"#;
    other.receive(over.as_bytes(), || 2).unwrap();
    step(&other);
    other.lost(Lost::Maybe);
    step(&other);
    all
}

/// Does with a restored session what a run does.
fn go_on(client: &Client) {
    let answers = [
        FIRST,
        FLOP,
        BUTTON,
        r#"{"error_msg":"Illegal bet","old_action":"b200c/k"}"#,
        r#"{"error_msg":"Illegal bet"}"#,
        r#"{"error_msg":"Bad token"}"#,
        r#"{"action":"f","client_pos":1,"hole_cards":["Qc","2d"],"board":[],"bot_hole_cards":["3s","2h"],"winnings":-50,"won_pot":-150,"session_num_hands":7,"baseline_winnings":10,"session_total":-150,"session_baseline_total":10}"#,
    ];
    for body in answers {
        let mut client = client.clone();
        for _ in 0..3 {
            if matches!(client.next(), Next::Decide(_) | Next::DecideBlind(_)) {
                client.act(Action::Call).unwrap();
            }
            let _ = client.request();
            let _ = client.receive(body.as_bytes(), || 3);
            client.lost(Lost::Maybe);
            let _ = client.save();
        }
    }
}

/// All values within a document, by their paths.
fn paths(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| paths(value, &format!("{at}/{key}"), out));
        }
        Value::Array(values) => {
            (0..).zip(values).for_each(|(i, value)| paths(value, &format!("{at}/{i}"), out));
        }
        _ => {}
    }
}

#[test]
fn an_edited_value_is_refused_or_harmless() {
    let values: Vec<Value> = serde_json::from_str(
        r#"[null, 0, 1, 2, -1, 255, 4294967295, 18446744073709551615, -9223372036854775808, true,
            "", "Ac9d", "AcAc", "Kh7c2s", "b200", "b200c/", "zz", "f", "b0", "b200c/kk/kk/kk",
            [], {}, ["b9"], [["c"], []]]"#,
    )
    .unwrap();
    let (mut refused, mut taken) = (0, 0);
    for saved in saved() {
        assert!(Client::restore(game(), Some("t".into()), None, &saved).is_ok(), "{saved}");
        let document: Value = serde_json::from_str(&saved).unwrap();
        let mut all = Vec::new();
        paths(&document, "", &mut all);
        for (path, value) in
            all.iter().flat_map(|path| values.iter().map(move |value| (path, value)))
        {
            let mut edited = document.clone();
            *edited.pointer_mut(path).unwrap() = value.clone();
            match Client::restore(game(), Some("t".into()), None, &edited.to_string()) {
                Err(_) => refused += 1,
                Ok(client) => {
                    taken += 1;
                    go_on(&client);
                }
            }
        }
    }
    assert!(refused > 1000 && taken > 100, "{refused} refused, {taken} taken");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_change_of_a_saved_session_makes_the_client_panic(
        which in 0..9usize, at: prop::sample::Index, byte in prop::sample::select(
            b"0123456789\"{}[]:,AcKhb/fkn-".to_vec()), cut: bool,
    ) {
        let mut bytes = saved()[which].clone().into_bytes();
        let at = at.index(bytes.len());
        if cut {
            bytes.remove(at);
        } else {
            bytes[at] = byte;
        }
        let text = String::from_utf8(bytes).unwrap();
        if let Ok(client) = Client::restore(game(), Some("t".into()), None, &text) {
            go_on(&client);
        }
    }
}

#[test]
fn what_is_not_a_session_of_this_game_is_named() {
    let turn = saved().swap_remove(1);
    for (old, new, reason) in [
        ("Ac9d", "AcAc", "`AcAc` and `` are not two cards"),
        ("\"b200\"", "\"b150\"", "too small"),
        ("\"b200\"", "\"b200f\"", "it is not the turn of seat 0"),
        ("\"seat\":0", "\"seat\":5", "it is not the turn of seat 5"),
        ("\"board\":\"\"", "\"board\":\"Kh7c2s\"", "3 cards on the table"),
        ("\"next_seat\":1", "\"next_seat\":2", "no seat 2"),
    ] {
        assert!(turn.contains(old), "{old} in {turn}");
        let error = Client::restore(game(), None, None, &turn.replace(old, new)).unwrap_err();
        assert!(error.to_string().contains(reason), "no `{reason}` in {error}");
    }
    // A larger raise than these stacks allow: a session with deeper ones.
    let deep = turn.replace("\"b200\"", "\"b40000\"");
    assert!(Client::restore(game(), None, None, &deep).is_err());
}
