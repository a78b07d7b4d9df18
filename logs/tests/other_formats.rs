//! PokerStars' text and Open Hand History, read by small readers of their own: what everybody puts
//! in and takes out is what the hand's rules give.

use std::collections::HashMap;

use game::Payoff;
use logs::HandRecord;
use logs::formats::{ohh, pokerstars};
use proptest::prelude::*;
use serde_json::Value;

use crate::export::{any_game, match_of};

/// Results in chips by entrant, in whole chips where the rules give parts.
fn same(record: &HandRecord, net: &[f64], parts: bool) -> Result<(), String> {
    for (seat, &entrant) in record.entrants.iter() {
        let (exact, found) = (record.payoffs[seat], net[usize::from(entrant)]);
        let whole = exact.parts() % Payoff::PER_CHIP == 0;
        let all_whole = record.payoffs.as_slice().iter().all(|p| p.parts() % Payoff::PER_CHIP == 0);
        let allowed = if all_whole || parts { 1e-6 } else { 1.0 };
        if (exact.chips() - found).abs() > allowed {
            return Err(format!("entrant {entrant} has {found}, not {exact} ({whole})"));
        }
    }
    let sum: f64 = net.iter().sum();
    if sum.abs() > 1e-6 { Err(format!("they add up to {sum}")) } else { Ok(()) }
}

/// The chips of an amount such as `$12.05` at the start of a text.
fn chips(text: &str) -> f64 {
    let digits = text.trim_start_matches('$');
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    (digits[..end].parse::<f64>().expect("an amount") * 100.0).round()
}

/// The winnings of all players, by the lines of one hand.
fn by_lines(text: &str, names: &[String]) -> Result<Vec<f64>, String> {
    let mut net = vec![0.0; names.len()];
    let mut street: HashMap<usize, f64> = HashMap::new();
    let number = |name: &str| names.iter().position(|one| one == name);
    let (mut pot, mut collected) = (None, 0.0);
    for line in text.lines() {
        if line.starts_with("*** ") && !line.starts_with("*** HOLE") {
            street.clear();
        } else if let Some(total) = line.strip_prefix("Total pot ") {
            pot = Some(chips(total));
        } else if let Some(rest) = line.strip_prefix("Uncalled bet (") {
            let name = rest.split(" returned to ").nth(1).expect("a name");
            net[number(name).expect("a player")] += chips(rest);
        } else if let Some((name, rest)) = line.split_once(" collected $")
            && let Some(who) = number(name)
        {
            net[who] += chips(rest);
            collected += chips(rest);
        } else if let Some((name, did)) = line.split_once(": ")
            && let Some(who) = number(name)
        {
            let highest = street.values().copied().fold(0.0, f64::max);
            let mine = street.entry(who).or_default();
            let words: Vec<&str> = did.split(' ').collect();
            let added = match words[..] {
                ["posts", _, "blind", amount] => chips(amount),
                ["calls" | "bets", amount, ..] => chips(amount),
                ["raises", by, "to", to, ..] => {
                    if (chips(to) - chips(by) - highest).abs() > 1e-6 {
                        return Err(format!("{line}: above {highest}"));
                    }
                    chips(to) - *mine
                }
                _ => 0.0,
            };
            *mine += added;
            net[who] -= added;
        }
    }
    match pot == Some(collected) {
        true => Ok(net),
        false => Err(format!("a pot of {pot:?}, of which {collected} was collected")),
    }
}

/// The winnings of all players, by the actions and pots of one hand.
fn by_actions(hand: &Value, players: usize) -> Vec<f64> {
    let mut net = vec![0.0; players];
    let mut put_in = vec![0.0; players];
    let player = |of: &Value| of["player_id"].as_u64().expect("a number") as usize;
    let list = |of: &Value| of.as_array().expect("a list").clone();
    let mut numbers = Vec::new();
    for round in list(&hand["rounds"]) {
        for action in list(&round["actions"]) {
            numbers.push(action["action_number"].as_u64().expect("a number"));
            put_in[player(&action)] += action["amount"].as_f64().unwrap_or_default();
        }
    }
    assert!(numbers.iter().copied().eq(1..=numbers.len() as u64), "{numbers:?}");
    let mut pot = 0.0;
    for one in list(&hand["pots"]) {
        pot += one["amount"].as_f64().expect("an amount");
        for win in list(&one["player_wins"]) {
            net[player(&win)] += win["win_amount"].as_f64().expect("an amount");
        }
    }
    // What nobody called goes back to whoever has put in the most.
    let total: f64 = put_in.iter().sum();
    let most = (0..players).max_by(|&a, &b| put_in[a].total_cmp(&put_in[b])).expect("somebody");
    put_in[most] -= total - pot;
    net.iter().zip(put_in).map(|(won, put_in)| won - put_in).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn pokerstars_amounts_give_the_results(def in any_game(), seed: u64) {
        let (info, records) = match_of(&def, seed);
        let writer = pokerstars::Writer::new(&info).unwrap();
        let mut ids = Vec::new();
        for record in &records {
            let mut text = String::new();
            writer.write_hand(record, &mut text);
            let found = by_lines(&text, &info.names()).and_then(|net| same(record, &net, false));
            prop_assert_eq!(found, Ok(()), "{}", text);
            prop_assert!(text.ends_with("\n\n\n") && !text.trim_end().contains("\n\n"));
            ids.push(text.split(['#', ':']).nth(1).and_then(|id| id.parse::<i64>().ok()));
        }
        prop_assert!(ids.iter().all(Option::is_some));
        prop_assert!(ids.windows(2).all(|two| two[0] < two[1]), "{:?}", ids);
    }

    #[test]
    fn open_hand_history_amounts_give_the_results(def in any_game(), seed: u64) {
        let (info, records) = match_of(&def, seed);
        let mut text = String::new();
        for record in &records {
            ohh::write_hand(record, &info, &info.names(), &mut text);
        }
        let hands: Vec<&str> = text.split_terminator("\n\n").collect();
        prop_assert_eq!(hands.len(), records.len());
        for (hand, record) in hands.iter().zip(&records) {
            let hand: Value = serde_json::from_str(hand).expect("an object");
            let net = by_actions(&hand["ohh"], def.players);
            prop_assert_eq!(same(record, &net, true), Ok(()), "{:#}", hand);
        }
    }
}

#[test]
fn games_that_they_cannot_express_are_refused() {
    let kuhn = crate::hands::info(&std::sync::Arc::new(game::games::kuhn()), 2, false);
    let refused = pokerstars::Writer::new(&kuhn).unwrap_err().to_string();
    assert!(
        refused.starts_with("PokerStars text cannot express this game: it is not"),
        "{refused}"
    );
    let refused = ohh::check(&kuhn.game).unwrap_err().to_string();
    assert!(refused.starts_with("Open Hand History cannot express this game"), "{refused}");
}

#[test]
fn players_who_are_not_to_be_known_have_other_names_everywhere() {
    let def = std::sync::Arc::new(game::games::nolimit_holdem());
    let mut info = crate::hands::info(&def, 4, true);
    info.name = "alice-vs-bob".into();
    info.provenance.arguments = vec!["/home/alice/cardroom".into()];
    info.entrants[0] =
        logs::Entrant { agent: "external:/home/alice/bot".into(), ..logs::Entrant::named("alice") };
    info.entrants[1].name = "bob".into();
    let hidden = info.anonymised();
    assert_eq!(hidden.names(), ["player-1", "player-2"]);
    assert_eq!(hidden.seed, info.seed);
    let text = serde_json::to_string(&hidden).unwrap();
    assert!(!text.contains("alice") && !text.contains("bob"), "{text}");
    info.entrants[1].name = "alice".into();
    assert_eq!(info.anonymised().names(), ["player-1", "player-2"], "two players stay two");
}
