//! Hands of other records gathered into one match: what was exported comes back, and what does not
//! belong together is told.

use std::sync::Arc;

use game::{Payoff, games};
use logs::export::{csv, phh};
use logs::import::{GatherError, ImportedHand, gather};
use logs::{HandRecord, MatchInfo, Provenance};
use proptest::prelude::*;

use crate::export::{any_game, match_of};
use crate::hands;

fn through_phh(info: &MatchInfo, records: &[HandRecord]) -> Vec<ImportedHand> {
    let mut text = String::new();
    for (number, record) in (1..).zip(records) {
        phh::write_hand(record, info, number, &mut text).unwrap();
    }
    let hands = phh::read(&text).unwrap().into_iter();
    hands
        .map(|hand| {
            let place = format!("hand {}", hand.record.hand);
            ImportedHand { record: hand.record, players: hand.players, place }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_exported_match_comes_back(def in any_game(), seed: u64) {
        let (info, records) = match_of(&def, seed);
        let hands = through_phh(&info, &records);
        let back = gather(hands, &info.name, &info.game_name, Provenance::default(), false).unwrap();
        prop_assert_eq!(&back.hands, &records);
        prop_assert_eq!(back.info.names(), info.names());
        prop_assert_eq!((&back.info.game, back.info.hands), (&info.game, info.hands));
        prop_assert!(back.info.duplicate && !back.renumbered);
        prop_assert!(back.info.check().is_ok());
    }
}

#[test]
fn files_with_the_same_numbers_are_one_match_numbered_anew() {
    let def = Arc::new(games::nolimit_holdem());
    let info = hands::info(&def, 4, false);
    let records = hands::random_hands(&def, 4, 1, 7);
    let mut twice = through_phh(&info, &records);
    twice.extend(through_phh(&info, &records));
    let both = gather(twice, "both", "", Provenance::default(), false).unwrap();
    assert!(both.renumbered && both.hands.len() == 8 && both.info.hands == 8);
    assert_eq!(both.hands[5].public, records[1].public);
    assert_eq!(both.hands[5].entrants, records[1].entrants, "who sat there is who sat there");
    assert!(!both.info.duplicate);
}

#[test]
fn what_does_not_belong_to_the_match_is_refused_or_left_out() {
    let def = Arc::new(games::nolimit_holdem());
    let info = hands::info(&def, 4, false);
    let mut hands = through_phh(&info, &hands::random_hands(&def, 4, 1, 7));
    let short = Arc::new(games::nolimit_holdem_with(vec![5000, 5000]));
    let other = hands::random_hands(&short, 3, 1, 8).remove(2);
    let named = |place: &str, record: &HandRecord, players: [&str; 2]| ImportedHand {
        record: record.clone(),
        players: players.map(str::to_owned).to_vec(),
        place: place.to_owned(),
    };
    let stranger = named("s.phh, hand 9", &hands[0].record, ["p0", "who"]);
    let same = named("t.phh, hand 9", &hands[0].record, ["p0", "p0"]);
    let deep = named("d.phh, hand 2", &other, ["p0", "p1"]);
    let all = |hands: &[ImportedHand], leave_out| {
        gather(hands.to_vec(), "m", "", Provenance::default(), leave_out)
    };
    hands.push(deep);
    let error = all(&hands, false).unwrap_err();
    assert!(error.to_string().starts_with("d.phh, hand 2: it is of another game"), "{error}");
    hands[4] = stranger;
    let error = all(&hands, false).unwrap_err();
    assert!(error.to_string().starts_with("s.phh, hand 9: `who` is not among"), "{error}");
    hands.push(named("d.phh, hand 2", &other, ["p0", "p1"]));
    hands.push(same);
    let rest = all(&hands, true).unwrap();
    assert_eq!((rest.hands.len(), rest.other_games, rest.other_players), (4, 1, 2));
    assert_eq!(all(&[], true), Err(GatherError::Nothing));
}

#[test]
fn hands_of_other_programs_are_read() {
    // The odd chip of a split pot handed out, cards that were never shown, fields of others.
    let text = |finishing: &str| {
        format!(
            "variant = 'NT'\nantes = [0, 0, 0]\nblinds_or_straddles = [25, 50, 0]\nmin_bet = 50\n\
             starting_stacks = [10000, 10000, 10000]\n\
             actions = ['d dh p1 ????', 'd dh p2 AdKd', 'd dh p3 AsKs', 'p3 cc', 'p1 f', 'p2 cc', \
             'd db 2c7d9h', 'p2 cc', 'p3 cc', 'd db Tc', 'p2 cc', 'p3 cc', 'd db 3s', 'p2 cc', 'p3 cc', \
             'p2 sm AdKd', 'p3 sm AsKs']\nevent = 'a cup'\nauthor = 'somebody'\nhand = 3\n\
             players = ['Ann Lee', 'B:b', 'Cy']\nfinishing_stacks = {finishing}\n"
        )
    };
    let hand = phh::read(&text("[9975, 10013, 10012]")).unwrap().remove(0);
    assert_eq!(hand.other, ["author", "event"]);
    let half = Payoff::from_parts(25 * Payoff::PER_CHIP / 2);
    assert_eq!(hand.record.payoffs.as_slice(), [Payoff::from_chips(-25), half, half]);
    let foreign =
        ImportedHand { record: hand.record, players: hand.players, place: "x.phh, hand 3".into() };
    let one = gather(vec![foreign], "m", "", Provenance::default(), false).unwrap();
    let mut names = one.info.names();
    names.sort();
    assert_eq!(names, ["Ann_Lee", "B_b", "Cy"]);
    assert!(one.info.check().is_ok());
    let refused = phh::read(&text("[9975, 10020, 10005]")).unwrap_err().to_string();
    assert!(refused.contains("payoffs are"), "{refused}");
}

#[test]
fn csv_columns_are_found_by_name() {
    let def = Arc::new(games::nolimit_holdem());
    let records = hands::random_hands(&def, 20, 1, 7);
    let names = ["ann".to_owned(), "=bob".to_owned()];
    let mut text = String::new();
    csv::write_header(&mut text);
    records.iter().for_each(|record| csv::write_hand(record, &names, &mut text));
    // The same by other columns, in another order, with one more.
    let kept = ["chips", "name", "betting", "hole", "board", "seat", "hand"];
    let rows: Vec<Vec<String>> = text.lines().map(|line| csv::fields(line).unwrap()).collect();
    let place = |name: &str| rows[0].iter().position(|column| column == name).unwrap();
    let row = |row: &Vec<String>, last: &str| {
        let mut fields: Vec<&str> = kept.iter().map(|name| row[place(name)].as_str()).collect();
        fields.push(last);
        fields.join(",") + "\n"
    };
    let mut other = row(&rows[0], "AllHandsChips");
    rows[1..].iter().for_each(|fields| other += &row(fields, "12.5"));
    let mut reader = csv::Reader::new(&def, other.as_bytes());
    let read: Vec<HandRecord> = reader.by_ref().collect::<Result<_, _>>().unwrap();
    assert_eq!(read, records);
    assert_eq!((reader.names(), reader.passed_over()), (&names[..], &["AllHandsChips".into()][..]));
    let refused = |text: &str| {
        let mut reader = csv::Reader::new(&def, text.as_bytes());
        reader.next().unwrap().unwrap_err().to_string()
    };
    let error = refused(&other.replacen("betting", "line", 1));
    assert!(error.contains("line 1: there is no column betting; the columns are hand,"), "{error}");
    let error = refused(&other.replacen("chips,name", "name,name", 1));
    assert!(
        error.contains("two columns are named name") || error.contains("no column chips"),
        "{error}"
    );
}
