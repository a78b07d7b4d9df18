//! Hands selected by queries are those that their replayed records say.

use std::collections::HashMap;

use game::{Street, notation};
use logs::ledger::{self, BettingLine, Decided, HandFilter, HandOrder};
use logs::{Fallback, HandRecord, LedgerReader, LedgerWriter};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::hands;

const HANDS: u64 = 600;

/// A ledger of random hands of a game, in which the hands of a deal follow each other.
fn ledger_of(def: &std::sync::Arc<game::GameDef>, folder: &TempDir) -> Vec<HandRecord> {
    let records = hands::random_hands(def, HANDS, def.players as u64, 7);
    let path = folder.path().join(ledger::FILE_NAME);
    let mut writer = LedgerWriter::create(&path, &hands::info(def, HANDS, true)).unwrap();
    for record in &records {
        let decision = logs::DecisionRecord {
            values: vec![(game::Action::Fold, 1.0)],
            corrected_from: (record.hand % 6 == 0).then_some(game::Action::RaiseTo(7)),
            fallback: (record.hand % 9 == 0).then_some(Fallback::Timeout),
            // What a note says is no key.
            note: Some("\"fallback\":, {\"corrected_from\":\"f\"".to_owned()),
            ..hands::decision(record.hand)
        };
        let made = if record.hand % 3 == 0 { vec![decision] } else { Vec::new() };
        writer.append_with_decisions(record, &made);
    }
    writer.commit().unwrap();
    records
}

/// The betting with every raise as one of any size.
fn letters(record: &HandRecord) -> String {
    notation::betting(&record.public).chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[test]
fn filters_leave_the_hands_that_were_played_so() {
    for def in hands::games() {
        let folder = tempfile::tempdir().unwrap();
        let records = ledger_of(&def, &folder);
        let reader = LedgerReader::open(folder.path()).unwrap();
        let deals: HashMap<u64, Vec<&HandRecord>> =
            records.iter().fold(HashMap::new(), |mut deals, record| {
                deals.entry(record.deal).or_insert_with(Vec::new).push(record);
                deals
            });
        let differs = |record: &HandRecord| {
            let line = notation::betting(&record.public);
            deals[&record.deal].iter().any(|other| notation::betting(&other.public) != line)
        };
        let line = letters(&records[5]);
        let exact = notation::betting(&records[9].public);
        let filter = HandFilter::default;
        type Test<'a> = Box<dyn Fn(&HandRecord) -> bool + 'a>;
        let cases: Vec<(HandFilter, Test<'_>)> = vec![
            (filter(), Box::new(|_| true)),
            (HandFilter { showdown: Some(true), ..filter() }, Box::new(|r| r.public.is_showdown())),
            (
                HandFilter { showdown: Some(false), ..filter() },
                Box::new(|r| !r.public.is_showdown()),
            ),
            (
                HandFilter { street: Some(Street::Flop), ..filter() },
                Box::new(|r| r.public.street() >= Street::Flop),
            ),
            (
                HandFilter { street: Some(Street::River), ..filter() },
                Box::new(|r| r.public.street() >= Street::River),
            ),
            (
                HandFilter { line: BettingLine::of_betting(&exact), ..filter() },
                Box::new(|r| letters(r).starts_with(&letters(&records[9]))),
            ),
            (
                HandFilter { line: Some(line.parse().unwrap()), ..filter() },
                Box::new(|r| letters(r).starts_with(&line)),
            ),
            (
                HandFilter { line: Some(exact.parse().unwrap()), ..filter() },
                Box::new(|r| {
                    let betting = notation::betting(&r.public);
                    let rest = betting.strip_prefix(&exact);
                    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
                }),
            ),
            (HandFilter { differs: true, ..filter() }, Box::new(differs)),
            (HandFilter { valued: true, ..filter() }, Box::new(|r| r.hand % 3 == 0)),
            (
                HandFilter { decided: Some(Decided::Corrected), ..filter() },
                Box::new(|r| r.hand % 6 == 0),
            ),
            (
                HandFilter { decided: Some(Decided::ByFallback), ..filter() },
                Box::new(|r| r.hand % 9 == 0),
            ),
            (HandFilter { whole_deals: true, ..filter() }, Box::new(|_| true)),
            (HandFilter { from: 590, ..filter() }, Box::new(|r| r.hand >= 590)),
        ];
        for (filter, so) in &cases {
            let expected: Vec<u64> = records.iter().filter(|r| so(r)).map(|r| r.hand).collect();
            let found = reader.numbers_where(filter, HandOrder::First, 0, 10_000).unwrap();
            assert_eq!(found, expected, "{filter:?}");
            assert_eq!(reader.count_where(filter).unwrap(), expected.len() as u64);
            let read: Vec<u64> =
                reader.hands_matching(filter).map(|hand| hand.unwrap().0.hand).collect();
            assert_eq!(read, expected, "{filter:?}");
            let latest = reader.numbers_where(filter, HandOrder::Latest, 3, 4).unwrap();
            let backwards: Vec<u64> = expected.iter().rev().skip(3).take(4).copied().collect();
            assert_eq!(latest, backwards);
            for hand in [0, 17, HANDS - 1] {
                let before = expected.iter().rfind(|&&other| other < hand).copied();
                let after = expected.iter().find(|&&other| other > hand).copied();
                assert_eq!(reader.neighbours_where(filter, hand).unwrap(), [before, after]);
            }
        }
    }
}

#[test]
fn orders_are_by_the_results_of_a_player() {
    for def in hands::games() {
        let folder = tempfile::tempdir().unwrap();
        let records = ledger_of(&def, &folder);
        let reader = LedgerReader::open(folder.path()).unwrap();
        for entrant in 0..def.players as u8 {
            let won = |record: &HandRecord| {
                let seat = record.entrants.iter().find(|(_, other)| **other == entrant).unwrap().0;
                record.payoffs[seat].parts()
            };
            let mut sorted: Vec<(i64, u64)> = records.iter().map(|r| (won(r), r.hand)).collect();
            sorted.sort_unstable();
            let lost: Vec<u64> = sorted.iter().map(|&(_, hand)| hand).collect();
            let filter = HandFilter::default();
            let order = HandOrder::MostLost(entrant);
            assert_eq!(reader.numbers_where(&filter, order, 0, 10_000).unwrap(), lost);
            sorted.sort_unstable_by_key(|&(won, hand)| (-won, hand));
            let gained: Vec<u64> = sorted[7..20].iter().map(|&(_, hand)| hand).collect();
            let order = HandOrder::MostWon(entrant);
            assert_eq!(reader.numbers_where(&filter, order, 7, 13).unwrap(), gained);
        }
        let mut lines: HashMap<String, u64> = HashMap::new();
        for record in records.iter().rev().take(200) {
            *lines.entry(letters(record)).or_default() += 1;
        }
        let found = reader.frequent_lines(200, 5).unwrap();
        assert!(!found.is_empty() && found.len() <= 5);
        assert!(found.is_sorted_by_key(|&(_, times)| -(times as i64)));
        assert_eq!(found[0].1, *lines.values().max().unwrap());
        for (line, times) in found {
            assert_eq!(lines[&line.to_string()], times);
        }
        let others = reader.others_of_deal(1).unwrap();
        let expected = (0..def.players as u64).filter(|&hand| hand != 1);
        assert_eq!(others, expected.collect::<Vec<_>>());
    }
}

proptest! {
    #[test]
    fn a_line_is_printed_as_it_was_read_and_nothing_else_is_one(text in "[fcr0-9/' ]{0,12}|.*") {
        if let Ok(line) = text.parse::<BettingLine>() {
            prop_assert_eq!(line.to_string(), text.clone());
            prop_assert!(text.chars().all(|c| "fcr0123456789/".contains(c)));
        }
    }
}
