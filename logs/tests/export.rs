//! Other formats: what is written can be read back, and is what other programs write.

use std::sync::Arc;

use game::{Betting, BySeat, GameDef, GameSpec, Payoff, games};
use logs::formats::{Format, acpc, csv, jsonl, phh, write_match};
use logs::{HandRecord, MatchInfo};
use proptest::prelude::*;

use crate::hands;

/// A random game of two, three or six players, limit or no-limit, with equal or unequal stacks.
pub(crate) fn any_game() -> impl Strategy<Value = Arc<GameDef>> {
    let stacks = prop_oneof![
        proptest::sample::select(vec![2, 3, 6])
            .prop_flat_map(|n| (300_u32..20_000).prop_map(move |s| vec![s; n])),
        proptest::sample::select(vec![2, 3, 6])
            .prop_flat_map(|n| proptest::collection::vec(150_u32..5000, n)),
    ];
    (stacks, any::<bool>()).prop_map(|(stacks, limit)| {
        let no_limit = games::nolimit_holdem_with(stacks);
        let spec = GameSpec {
            betting: Betting::Limit,
            raise_sizes: vec![100, 100, 200, 200],
            max_raises: vec![3, 4, 4, 4],
            ..no_limit.spec().clone()
        };
        Arc::new(if limit { GameDef::new(spec).unwrap() } else { no_limit })
    })
}

pub(crate) fn match_of(def: &Arc<GameDef>, seed: u64) -> (MatchInfo, Vec<HandRecord>) {
    let group = def.players as u64;
    (hands::info(def, 4 * group, true), hands::random_hands(def, 4 * group, group, seed))
}

fn write_acpc(info: &MatchInfo, records: &[HandRecord]) -> String {
    let mut text = String::new();
    acpc::write_header(info, &mut text);
    records.iter().for_each(|record| acpc::write_hand(record, &info.names(), &mut text));
    text
}

fn read_acpc(def: &Arc<GameDef>, text: &str) -> Vec<HandRecord> {
    acpc::Reader::new(def, text.as_bytes()).collect::<Result<_, _>>().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn acpc_logs_come_back(def in any_game(), seed: u64) {
        let (info, records) = match_of(&def, seed);
        prop_assert_eq!(read_acpc(&def, &write_acpc(&info, &records)), records);
    }

    #[test]
    fn csv_files_come_back(def in any_game(), seed: u64) {
        let (mut info, records) = match_of(&def, seed);
        info.entrants[0].name = "a,\"b\"".to_owned();
        info.entrants[1].name = "=HYPERLINK(\"x\")".to_owned();
        let mut text = String::new();
        csv::write_header(&mut text);
        records.iter().for_each(|record| csv::write_hand(record, &info.names(), &mut text));
        let mut reader = csv::Reader::new(&def, text.as_bytes());
        let read: Vec<_> = reader.by_ref().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(read, records);
        prop_assert_eq!(reader.names(), info.names());
    }

    #[test]
    fn no_text_in_a_csv_file_is_a_formula_and_all_come_back(text in "['=+@\t\r\n＝a\",-]{0,6}") {
        let mut line = String::from("1,");
        csv::write_text(&text, &mut line);
        let fields = csv::fields(&line).expect("a row");
        prop_assert_eq!(fields.len(), 2);
        let cell = fields[1].chars().next();
        prop_assert!(!cell.is_some_and(|c| "=+-@\t\r\n＝".contains(c)), "{:?}", line);
        prop_assert_eq!(csv::text(&fields[1]), text);
    }

    #[test]
    fn json_lines_come_back(def in any_game(), seed: u64) {
        let (_, records) = match_of(&def, seed);
        for record in &records {
            let mut text = String::new();
            jsonl::write_hand(record, &mut text);
            prop_assert_eq!(&jsonl::read_hand(&def, &text, 1).unwrap(), record);
        }
    }

    #[test]
    fn phh_files_come_back(def in any_game(), seed: u64) {
        let (info, records) = match_of(&def, seed);
        let mut text = String::new();
        for (number, record) in (1..).zip(&records) {
            phh::write_hand(record, &info, number, &mut text).unwrap();
        }
        let read = phh::Reader::new(&text).unwrap().collect::<Result<Vec<_>, _>>().unwrap();
        prop_assert_eq!(read.len(), records.len());
        for (hand, record) in read.iter().zip(&records) {
            prop_assert_eq!(&hand.record, record);
            let entrant = usize::from(record.entrants.as_slice()[0]);
            prop_assert_eq!(&hand.players[0], &info.entrants[entrant].name);
        }
    }

    #[test]
    fn bytes_that_are_no_format_are_an_error_and_no_panic(text in "[ -~\n]{0,200}") {
        let def = Arc::new(games::kuhn());
        let with = |start: &str| format!("{start}{text}\n");
        _ = acpc::Reader::new(&def, with("STATE:").as_bytes()).collect::<Vec<_>>();
        _ = csv::Reader::new(&def, with("").as_bytes()).next();
        _ = jsonl::read_hand(&def, &text, 1);
        _ = jsonl::read_decision(&text, 1);
        for text in [&text, &with("[1]\nvariant = 'NT'\nactions = ['d ")] {
            _ = phh::Reader::new(text).map(Iterator::collect::<Vec<_>>);
        }
    }
}

#[test]
fn logs_of_the_original_dealer_come_back_byte_by_byte() {
    let kuhn3 = GameSpec {
        players: 3,
        stacks: vec![2; 3],
        blinds: vec![1; 3],
        ranks: 4,
        ..games::kuhn().spec().clone()
    };
    let check = |def: GameDef, text: &str| {
        let def = Arc::new(def);
        let mut reader = acpc::Reader::new(&def, text.as_bytes());
        let records: Vec<_> = reader.by_ref().collect::<Result<_, _>>().unwrap();
        let mut again = String::new();
        for record in &records {
            acpc::write_hand(record, reader.names(), &mut again);
        }
        let hands = text.lines().filter(|line| line.starts_with("STATE:"));
        assert!(again.lines().eq(hands));
        let header = acpc::read_header(text.lines().next().unwrap()).unwrap();
        assert_eq!((header.hands, header.seed), (1000, 42));
        let Some(score) = text.lines().find(|line| line.starts_with("SCORE:")) else { return };
        let mut totals = vec![Payoff::ZERO; def.players];
        for record in &records {
            for (seat, &entrant) in record.entrants.iter() {
                totals[usize::from(entrant)] += record.payoffs[seat];
            }
        }
        let mut last = String::new();
        acpc::write_score(&totals, reader.names(), &mut last);
        assert_eq!(last.trim_end(), score);
    };
    check(games::leduc(), include_str!("data/leduc.2p.log"));
    check(games::nolimit_holdem(), include_str!("data/holdem.nolimit.2p.log"));
    check(GameDef::new(kuhn3).unwrap(), include_str!("data/kuhn.3p.log"));
}

/// Logs as they were published: with blanks before the header, lines of other systems, a mark that
/// says how the bytes are to be read.
#[test]
fn logs_that_editors_and_archives_have_touched_come_back() {
    let def = Arc::new(games::nolimit_holdem());
    let hands = "STATE:0:f:5d5c|9hQd:50|-50:a|b\nSTATE:1:f:6sKs|5dJd:50|-50:b|a\nSCORE:0|0:a|b\n";
    let header = "# name/game/hands/seed 2017.a.b.0 holdem.nolimit.2p.reverse_blinds.game 2 7\n";
    let plain = format!("{header}#--t_response 600000\n{hands}");
    let expected = (read_acpc(&def, &plain), acpc::read_info(&def, plain.as_bytes()).unwrap());
    assert_eq!((expected.1.name.as_str(), expected.1.hands), ("2017.a.b.0", 2));
    for changed in [
        format!("    {plain}"),
        format!("\u{feff}{plain}"),
        format!("\u{feff}    {plain}"),
        format!("\n \n{plain}"),
        plain.replace('\n', "\r\n"),
        format!("\u{feff}\r\n    {}", plain.replace('\n', "\r\n")),
        plain.replace("STATE:", "  STATE:"),
        format!("# from an archive\n{plain}"),
    ] {
        let info = acpc::read_info(&def, changed.as_bytes()).unwrap();
        assert_eq!((read_acpc(&def, &changed), info), expected, "{changed:?}");
        let acpc::Start::Log(Some(header)) = acpc::read_start(changed.as_bytes()) else {
            panic!("not known as a log: {changed:?}");
        };
        assert_eq!((header.hands, header.seed), (2, 7));
    }
    assert_eq!(acpc::read_start(hands.as_bytes()), acpc::Start::Log(None));
}

#[test]
fn files_that_are_no_log_are_told_by_their_first_line() {
    for (text, first) in [
        ("", ""),
        ("\n\n", ""),
        ("# notes\n\nThe hands of Tuesday\n", "# notes"),
        ("#!/bin/sh\necho STATE:\n", "#!/bin/sh"),
        ("PokerStars Hand #1:\r\n", "PokerStars Hand #1:"),
        ("\u{feff}[1]\nvariant = 'NT'\n", "[1]"),
    ] {
        assert_eq!(acpc::read_start(text.as_bytes()), acpc::Start::Other(first.into()), "{text:?}");
    }
    assert!(matches!(acpc::read_start(b"\xff\xfe#\0 \0"), acpc::Start::Other(_)));
}

#[test]
fn phh_is_written_as_its_specification_says() {
    let def = Arc::new(games::nolimit_holdem());
    let line = "STATE:3:r300c/r900c/cr20000c/:Ad3s|8d5d/2cAs8s/Tc/Qh:20000|-20000:p1|p0\n";
    let record = read_acpc(&def, line).remove(0);
    let mut text = String::new();
    phh::write_hand(&record, &hands::info(&def, 10, false), 1, &mut text).unwrap();
    let expected = r#"[1]
variant = "NT"
ante_trimming_status = true
antes = [0, 0]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [20000, 20000]
actions = ["d dh p1 Ad3s", "d dh p2 8d5d", "p2 cbr 300", "p1 cc", "d db 2cAs8s", "p1 cbr 600",
    "p2 cc", "d db Tc", "p1 cc", "p2 cbr 19100", "p1 cc", "p1 sm Ad3s", "p2 sm 8d5d", "d db Qh"]
event = "test"
hand = 3
players = ["p1", "p0"]
finishing_stacks = [40000, 0]
_deal = 3
_entrants = [1, 0]
"#;
    // The actions are one line.
    let expected = expected.replace(",\n    ", ", ");
    assert_eq!(text.trim_end(), expected.trim_end());
}

#[test]
fn games_that_phh_cannot_express_are_refused() {
    let check = |def: GameDef, expected: &str| {
        let error = phh::check(&def).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(games::kuhn(), "it is not hold'em");
    let with = |change: &dyn Fn(&mut GameSpec), def: GameDef| {
        let mut spec = def.spec().clone();
        change(&mut spec);
        GameDef::new(spec).unwrap()
    };
    check(with(&|spec| spec.first_to_act[0] = 0, games::nolimit_holdem()), "order of play");
    check(with(&|spec| spec.max_raises[1] = 2, games::nolimit_holdem()), "caps the raises");
    check(
        with(&|spec| spec.raise_sizes[1] = 20, games::limit_holdem()),
        "one small and one big bet",
    );
}

#[test]
fn damaged_text_is_refused_with_line_and_reason() {
    let def = Arc::new(games::kuhn());
    let check = |text: &str, expected: &str| {
        let mut errors = acpc::Reader::new(&def, text.as_bytes()).filter_map(Result::err);
        let message = errors.next().unwrap().to_string();
        assert!(message.contains(expected), "{message}");
    };
    check("# x\nSTATE:0:cc:Ks:1|-1:a|b\n", "line 2: hand 0: cards `Ks`: 1 hands for 2 players");
    check("STATE:0:cc:Ks|Qs:1:a|b\n", "`1` is not 2 amounts");
    check("STATE:0:cc:Ks|Qs:1|-1\n", "6 fields");
    check("STATE:x:cc:Ks|Qs:1|-1:a|b\n", "`x` is not the number of a hand");
    check("STATE:0:cc:Ks|Qs:-1|1:a|b\n", "the rules give [1, -1]");
    check("STATE:0:c:Ks|Qs:1|-1:a|b\n", "`c` does not end the hand");
    check(
        "STATE:0:cc:Ks|Qs:1|-1:a|b\nSTATE:1:cc:Ks|Qs:1|-1:a|z\n",
        "line 2: `z` did not play before",
    );
    check("noise\n", "`noise` is neither");
    check("#--duplicate 9\n", "not a number of hands to a deal");
}

#[test]
fn players_of_a_log_who_cannot_be_told_apart_are_refused_and_never_merged() {
    let def = Arc::new(games::kuhn());
    let read = |names: [&str; 2]| {
        let hand = |number: usize| format!("STATE:{number}:cc:Ks|Qs:1|-1:{}\n", names[number]);
        let text = hand(0) + &hand(1);
        let read = acpc::Reader::new(&def, text.as_bytes()).collect::<Result<Vec<_>, _>>();
        read.map(|hands| hands[1].entrants).map_err(|error| error.to_string())
    };
    assert_eq!(read(["a b|a_b", "a_b|a b"]), Ok(BySeat::from_slice(&[1, 0]).unwrap()));
    for (names, expected) in [
        (["me|me", "me|me"], "line 1: `me` is not a name of one player"),
        (["|me", "|me"], "line 1: `` is not a name of one player"),
        (["me|you", "me|me"], "line 2: hand 1: the player in seat 1 has another seat too"),
        (["me|you", "me|who"], "line 2: `who` did not play before"),
    ] {
        let error = read(names).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    let text = "STATE:0:cc:Ks|Qs:1|-1:a b|a_b\n";
    let info = acpc::read_info(&def, text.as_bytes()).unwrap();
    assert_eq!(info.names(), ["a_b", "a_b#2"]);
}

#[test]
fn players_of_one_name_have_two_in_every_format() {
    let mut info = hands::info(&Arc::new(games::nolimit_holdem()), 4, false);
    info.entrants[1].name = info.entrants[0].name.clone();
    for format in Format::ALL.into_iter().filter(|&format| format != Format::Jsonl) {
        let def = match format {
            Format::Gamelog => crate::gamelog::game(),
            _ => Arc::new(games::nolimit_holdem()),
        };
        info.game = (*def).clone();
        let records = hands::random_hands(&def, 4, 1, 7);
        let text = whole(format, &info, &records, 10).remove(0);
        assert!(text.contains("p0#2"), "{format}: {text}");
    }
    info.entrants[1].name = "p0#2".to_owned();
    assert_eq!(info.names(), ["p0", "p0#2"]);
    let names = ["a", "a", "a#2", "a"].map(str::to_owned);
    assert_eq!(logs::distinct_names(names), ["a", "a#3", "a#2", "a#4"]);
}

#[test]
fn decisions_come_back() {
    use game::Action;
    let record = logs::DecisionRecord {
        index: 3,
        entrant: 1,
        action: Action::RaiseTo(300),
        elapsed: std::time::Duration::from_nanos(1234),
        ..hands::decision(12)
    };
    let check = |record: &logs::DecisionRecord, expected: &str| {
        let mut line = String::new();
        jsonl::write_decision(record, &mut line);
        assert_eq!(line.trim_end(), expected);
        assert_eq!(&jsonl::read_decision(&line, 1).unwrap(), record);
    };
    check(
        &record,
        r#"{"hand":12,"index":3,"entrant":1,"seat":0,"action":"r300","elapsed_ns":1234}"#,
    );
    let strategy = game::Strategy::from_weights([(Action::Fold, 1.0), (Action::RaiseTo(300), 3.0)]);
    check(
        &logs::DecisionRecord {
            corrected_from: Some(Action::RaiseTo(5)),
            fallback: Some(logs::Fallback::Timeout),
            strategy,
            values: vec![(Action::Fold, -100.0), (Action::RaiseTo(300), 12.5)],
            note: Some("so \"it\" is".to_owned()),
            beyond_model: true,
            ..record
        },
        concat!(
            r#"{"hand":12,"index":3,"entrant":1,"seat":0,"action":"r300","corrected_from":"r5","#,
            r#""fallback":"timeout","strategy":[["f",0.25],["r300",0.75]],"values":[["f",-100.0],["r300",12.5]],"#,
            r#""note":"so \"it\" is","beyond_model":true,"#,
            r#""elapsed_ns":1234}"#
        ),
    );
}

/// A match in a format: the text of each file.
fn whole(format: Format, info: &MatchInfo, records: &[HandRecord], per_file: u64) -> Vec<String> {
    #[derive(Clone, Default)]
    struct Files(std::rc::Rc<std::cell::RefCell<Vec<Vec<u8>>>>);
    impl std::io::Write for Files {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.borrow_mut().last_mut().unwrap().extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let files = Files::default();
    let mut open = |number: u64| -> std::io::Result<Box<dyn std::io::Write>> {
        files.0.borrow_mut().push(Vec::new());
        assert_eq!(files.0.borrow().len() as u64, number);
        Ok(Box::new(files.clone()))
    };
    let hands = records.iter().cloned().map(Ok::<_, logs::LedgerError>);
    let summary = write_match(format, info, hands, per_file, &mut open).unwrap();
    let texts: Vec<String> =
        files.0.borrow().iter().map(|bytes| String::from_utf8(bytes.clone()).unwrap()).collect();
    assert_eq!((summary.hands, summary.files), (records.len() as u64, texts.len() as u64));
    texts
}

#[test]
fn whole_matches_are_written_with_their_first_and_last_lines() {
    let def = Arc::new(games::limit_holdem());
    let (info, records) = (hands::info(&def, 25, false), hands::random_hands(&def, 25, 1, 3));
    let log = whole(Format::Acpc, &info, &records, 10).remove(0);
    assert!(log.starts_with("# name/game/hands/seed test test.game 25 42\nSTATE:0:"), "{log}");
    assert!(log.lines().last().unwrap().starts_with("SCORE:") && log.ends_with(":p0|p1\n"));
    assert_eq!(read_acpc(&def, &log), records);
    let part = whole(Format::Acpc, &info, &records[..20], 10).remove(0);
    assert!(!part.contains("SCORE"), "the score stands only when all hands have been played");
    let csv = whole(Format::Csv, &info, &records, 10).remove(0);
    assert_eq!(csv.lines().count(), 1 + 2 * 25);
    assert_eq!(whole(Format::Jsonl, &info, &records, 10)[0].lines().count(), 25);
    let phhs = whole(Format::Phhs, &info, &records, 10);
    assert_eq!(phhs.len(), 3);
    let read: Vec<HandRecord> = phhs
        .iter()
        .flat_map(|text| phh::Reader::new(text).unwrap().map(|hand| hand.unwrap().record))
        .collect();
    assert_eq!(read, records);
}

#[test]
fn a_log_tells_its_match() {
    let def = Arc::new(games::leduc());
    let info = acpc::read_info(&def, include_str!("data/leduc.2p.log").as_bytes()).unwrap();
    assert_eq!((&*info.name, info.hands, info.seed), ("leduc.limit.2p.s42", 1000, 42));
    assert_eq!((info.names(), info.group()), (vec!["p1".to_owned(), "p2".to_owned()], 1));
    let def = Arc::new(games::nolimit_holdem());
    let (info, records) = (hands::info(&def, 4, true), hands::random_hands(&def, 4, 2, 3));
    let again = acpc::read_info(&def, write_acpc(&info, &records).as_bytes()).unwrap();
    assert_eq!((again.group(), again.names()), (2, info.names()));
    let empty = acpc::read_info(&def, "# nothing\n".as_bytes()).unwrap_err();
    assert!(empty.to_string().contains("there is no hand in it"), "{empty}");
}

#[test]
fn a_manifest_comes_back() {
    for def in hands::games() {
        let mut info = hands::info(&def, 4, true);
        info.shard = Some(runs::Shard { index: 1, of: 2 });
        info.entrants[0].model_sha256 = Some("ab".repeat(32));
        let folder = tempfile::tempdir().unwrap();
        logs::folder::write_manifest(folder.path(), &info).unwrap();
        let path = folder.path().join(logs::folder::MANIFEST);
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(logs::folder::read_manifest(&text).unwrap(), info);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file stays");
    }
}

/// A time after each hand, as the logs of the competition's servers have it.
#[test]
fn a_comment_after_a_hand_is_no_name() {
    let def = Arc::new(games::nolimit_holdem());
    let plain = "STATE:3:r220c/cr500c/cr1100f:Jd8d|AsTc/9h5d2c/9s:-500|500:Machine|guest.one\n\
                 STATE:0:f:7h3c|9d4s:50|-50:Machine|guest.one\nSCORE:-450|450:Machine|guest.one\n";
    let timed = plain.replace("one\n", "one # 1500000000.25\n");
    let info = |text: &str| acpc::read_info(&def, text.as_bytes()).unwrap();
    assert_eq!(read_acpc(&def, &timed), read_acpc(&def, plain));
    assert_eq!(info(&timed).names(), info(plain).names());
    let names = info(plain).names();
    let score = |text: &str| acpc::read_score(text.as_bytes(), &names);
    assert!(score(plain).is_some() && score(&timed) == score(plain));
    // A name may have the sign in it.
    let numbered = plain.replace("Machine", "bot#2");
    assert!(info(&numbered).names().contains(&"bot#2".to_owned()));
}

#[test]
fn a_last_line_that_is_cut_short_costs_one_hand() {
    let def = Arc::new(games::nolimit_holdem());
    let (info, records) = (hands::info(&def, 3, false), hands::random_hands(&def, 3, 1, 7));
    let text = write_acpc(&info, &records);
    let last = text.rfind("STATE").unwrap();
    for end in last + 1..text.len() - 1 {
        let read: Vec<_> = acpc::Reader::new(&def, &text.as_bytes()[..end]).collect();
        assert_eq!(read[..2].iter().flatten().cloned().collect::<Vec<_>>(), records[..2]);
        let error = read[2].as_ref().unwrap_err();
        assert!(error.cut && read.len() == 3, "{}: {error}", &text[last..end]);
    }
    // Without its end alone the line is whole, and what is wrong in a whole line is an error.
    assert_eq!(read_acpc(&def, text.trim_end()), records);
    let wrong =
        text.trim_end().replacen(&format!(":{}|", records[2].payoffs.as_slice()[0]), ":7|", 1);
    let error = acpc::Reader::new(&def, wrong.as_bytes()).find_map(Result::err).unwrap();
    assert!(!error.cut, "{error}");
    // So it is in CSV files.
    let mut text = String::new();
    csv::write_header(&mut text);
    records.iter().for_each(|record| csv::write_hand(record, &info.names(), &mut text));
    let rows: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    for end in [rows[4] + 3, rows[5] + 1, rows[5] + 3] {
        let read: Vec<_> = csv::Reader::new(&def, &text.as_bytes()[..end]).collect();
        assert_eq!(read[..2].iter().flatten().cloned().collect::<Vec<_>>(), records[..2]);
        assert!(read[2].as_ref().is_err_and(|error| error.cut), "{}", &text[..end]);
    }
}

#[test]
fn a_number_that_occurs_again_is_noticed_but_not_in_the_next_match() {
    let def = Arc::new(games::nolimit_holdem());
    let (info, records) = (hands::info(&def, 40, false), hands::random_hands(&def, 40, 1, 7));
    let text = write_acpc(&info, &records);
    let lines: Vec<&str> = text.lines().collect();
    let repeated = |text: &str| {
        let mut reader = acpc::Reader::new(&def, text.as_bytes());
        reader.by_ref().for_each(|hand| drop(hand.unwrap()));
        reader.repeated()
    };
    assert_eq!(repeated(&text), None);
    assert_eq!(repeated(&(text.clone() + &text)), None, "another header begins another match");
    assert_eq!(repeated(&format!("{text}{}\n", lines[7])), Some((1, 42)));
    // In any order.
    let mut mixed: Vec<&str> = lines[1..].to_vec();
    mixed.reverse();
    mixed.rotate_left(13);
    assert_eq!(repeated(&mixed.join("\n")), None);
    mixed.extend_from_slice(&lines[3..6]);
    assert_eq!(repeated(&mixed.join("\n")), Some((3, 41)));
}

/// Names that would steer a terminal, turn the writing round or break a line.
#[test]
fn names_of_others_are_taken_in_as_text_that_can_be_seen() {
    let def = Arc::new(games::nolimit_holdem());
    let text = "STATE:0:f:7h3c|9d4s:50|-50:a\u{1b}[2Jb|c\u{202e}d\n";
    let info = acpc::read_info(&def, text.as_bytes()).unwrap();
    assert_eq!(info.names(), ["a\\u{1b}[2Jb", "c\\u{202e}d"]);
    assert!(info.check().is_ok());
    for bad in ["a\u{1b}", "a\u{202e}", "a\u{200b}b", "a\nb", ""] {
        let mut info = hands::info(&def, 1, false);
        info.entrants[0].name = bad.to_owned();
        assert!(info.check().is_err(), "{bad:?}");
    }
}
