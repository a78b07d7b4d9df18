//! Hands of other records gathered into one match: what was exported comes back, and what does not
//! belong together is told.

use std::sync::Arc;

use game::{Action, Betting, BySeat, Chips, Payoff, Position, PublicState, Street, games};
use logs::formats::csv::{ColumnMap, ColumnReader};
use logs::formats::{csv, phh};
use logs::{GatherError, Gathered, ImportedHand, gather};
use logs::{HandRecord, MatchInfo, Provenance};
use proptest::prelude::*;

use crate::export::{any_game, match_of};
use crate::hands;

fn through_phh(info: &MatchInfo, records: &[HandRecord]) -> Vec<ImportedHand> {
    let mut text = String::new();
    for (number, record) in (1..).zip(records) {
        phh::write_hand(record, info, number, &mut text).unwrap();
    }
    phh::Reader::new(&text)
        .unwrap()
        .map(|hand| {
            let hand = hand.unwrap();
            let place = format!("hand {}", hand.record.hand);
            ImportedHand { record: hand.record, players: hand.players, place }
        })
        .collect()
}

fn gathered(
    hands: Vec<ImportedHand>,
    name: &str,
    leave_out: bool,
) -> Result<Gathered, GatherError> {
    gather(hands, name, |_| "a game".to_owned(), Provenance::default(), leave_out)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn an_exported_match_comes_back(def in any_game(), seed: u64) {
        let (info, records) = match_of(&def, seed);
        let hands = through_phh(&info, &records);
        let back = gathered(hands, &info.name, false).unwrap();
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
    let both = gathered(twice, "both", false).unwrap();
    assert!(both.renumbered && both.hands.len() == 8 && both.info.hands == 8);
    assert_eq!(both.repeated, 4, "all of them are there twice");
    assert_eq!(both.hands[5].public, records[1].public);
    assert_eq!(both.hands[5].entrants, records[1].entrants, "who sat there is who sat there");
    assert!(!both.info.duplicate);
}

#[test]
fn what_does_not_belong_to_the_match_is_refused_or_left_out() {
    let def = Arc::new(games::nolimit_holdem());
    let info = hands::info(&def, 4, false);
    let hands = through_phh(&info, &hands::random_hands(&def, 4, 1, 7));
    let short = Arc::new(games::nolimit_holdem_with(vec![5000, 5000]));
    let other = hands::random_hands(&short, 3, 1, 8).remove(2);
    let named = |place: &str, record: &HandRecord, players: [&str; 2]| ImportedHand {
        record: record.clone(),
        players: players.map(str::to_owned).to_vec(),
        place: place.to_owned(),
    };
    let stranger = named("s.phh, hand 9", &hands[0].record, ["p0", "who"]);
    let same = named("t.phh, hand 9", &hands[0].record, ["p0", "p0"]);
    let nameless =
        ImportedHand { players: Vec::new(), place: "n.phh, hand 9".into(), ..same.clone() };
    let deep = named("d.phh, hand 2", &other, ["p0", "p1"]);
    let all = |hands: &[ImportedHand], leave_out| gathered(hands.to_vec(), "m", leave_out);
    for (other, expected) in [
        (
            &deep,
            "d.phh, hand 2: its game differs from that of the first hand, hand 0: the game's \
                 stacks are 20000 20000 in one and 5000 5000 in the other",
        ),
        (&stranger, "s.phh, hand 9: `who` is not among the players of the first hand"),
        (&same, "t.phh, hand 9: not all its players have a name of their own"),
        (&nameless, "n.phh, hand 9: not all its players have a name of their own"),
    ] {
        let with = [&hands[..], std::slice::from_ref(other)].concat();
        let error = all(&with, false).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    // The first hand may be one of them.
    let some = [&[nameless, same][..], &hands, &[deep, stranger]].concat();
    let rest = all(&some, true).unwrap();
    let left_out: Vec<_> =
        rest.left_out.iter().map(|(what, count)| (what.as_str(), *count)).collect();
    let expected = [
        ("whose players have no names of their own", 2),
        ("with other players", 1),
        ("with other stacks", 1),
    ];
    assert_eq!((rest.hands.len(), &left_out[..]), (4, &expected[..]));
    assert_eq!(all(&[], true).unwrap_err().to_string(), "there are no hands");
    let none = all(&some[..1], true).unwrap_err().to_string();
    assert_eq!(none, "there are no hands but 1 hand whose players have no names of their own");
}

#[test]
fn hands_of_other_programs_are_read() {
    // The odd chip of a split pot handed out, cards that were never shown, fields of others.
    let text = |finishing: &str| {
        format!(
            "variant = 'NT'\nantes = [0, 0, 0]\nblinds_or_straddles = [25, 50, 0]\nmin_bet = 50\n\
             starting_stacks = [10000, 10000, 10000]\n\
             actions = ['d dh p1 ????', 'd dh p2 AdKd', 'd dh p3 AsKs', 'p3 cc', 'p1 f', 'p2 cc', \
             'd db 2c7d9h', 'p2 cc', 'p3 cc', 'd db Tc', 'p2 cc', 'p3 cc', 'd db 3s', 'p2 cc', 'p3 \
             cc', 'p2 sm AdKd', 'p3 sm AsKs']\nevent = 'a cup'\nauthor = 'somebody'\nhand = 3\n\
             players = ['Ann Lee', 'B:b', 'Cy']\nfinishing_stacks = {finishing}\n"
        )
    };
    let read = |text: &str| phh::Reader::new(text).unwrap().next().unwrap();
    let hand = read(&text("[9975, 10013, 10012]")).unwrap();
    assert_eq!(hand.other, ["author", "event"]);
    let half = Payoff::from_parts(25 * Payoff::PER_CHIP / 2);
    assert_eq!(hand.record.payoffs.as_slice(), [Payoff::from_chips(-25), half, half]);
    let foreign =
        ImportedHand { record: hand.record, players: hand.players, place: "x.phh, hand 3".into() };
    let one = gathered(vec![foreign], "m", false).unwrap();
    let mut names = one.info.names();
    names.sort();
    assert_eq!(names, ["Ann_Lee", "B_b", "Cy"]);
    let renamed = [("Ann Lee", "Ann_Lee"), ("B:b", "B_b")];
    assert!(renamed.iter().all(|(a, b)| one.renamed.contains(&((*a).into(), (*b).into()))));
    assert!(one.info.check().is_ok());
    let refused = read(&text("[9975, 10020, 10005]")).unwrap_err().to_string();
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

/// A row for each hand, as other programs write them: cards and betting street by street, one
/// player's result, the rest left to the rules.
fn rows(records: &[HandRecord], names: &[String], per_street: bool) -> String {
    let mut text = String::from("\u{feff}Game, Bot,Bot Hand,Your Hand, Position,Flop Cards,");
    text += "Turn Card,River Card,Pre-flop,Flop,Turn,River, Chips,Notes\r\n";
    for record in records {
        let public = &record.public;
        let seat = |entrant: u8| {
            public.def().seats().find(|&seat| record.entrants[seat] == entrant).unwrap()
        };
        let (bot, human) = (seat(0), seat(1));
        let cards = |range: std::ops::Range<usize>| -> String {
            let board = public.board();
            let dealt = board.get(range.start..range.end.min(board.len())).unwrap_or_default();
            dealt.iter().map(|card| format!("{card} ")).collect()
        };
        let mut betting = vec![String::new(); 4];
        let mut before = BySeat::<Chips>::new(2);
        let mut street = Street::Preflop;
        let mut state = PublicState::new(public.def());
        state.deal_from(public.board().as_slice()).unwrap();
        for played in public.history() {
            if played.street != street {
                street = played.street;
                before = *state.committed();
            }
            betting[street.index()] += &match played.action {
                Action::Fold => "F".to_owned(),
                Action::Call => "k ".to_owned(),
                Action::RaiseTo(_) if public.def().betting == Betting::Limit => "r".to_owned(),
                Action::RaiseTo(to) if per_street => format!("b{}, ", to - before[played.seat]),
                Action::RaiseTo(to) => format!("r{to}"),
            };
            state.apply(played.action).unwrap();
            state.deal_from(public.board().as_slice()).unwrap();
        }
        let position = if public.def().position(human) == Position::BigBlind { "bb" } else { "SB" };
        text += &format!(
            "{}, {},[{}],{},{position},{},{},{},\"{}\",{},\r\n",
            record.hand,
            names[0],
            record.hole[bot],
            record.hole[human],
            cards(0..3),
            cards(3..4),
            cards(4..5),
            betting.join("\",\""),
            record.payoffs[human],
        );
    }
    text
}

const MAP: &str = r#"
hand = "Game"
betting = ["Pre-flop", "Flop", "Turn", "River"]
board = ["Flop Cards", "Turn Card", "River Card"]
[[player]]
name_column = "Bot"
hole = "Bot Hand"
[[player]]
name = "p1"
hole = "Your Hand"
position = "Position"
chips = "Chips"
"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn hands_come_back_from_columns_of_any_name(limit: bool, per_street: bool, seed: u64) {
        let def = if limit { games::limit_holdem() } else { games::nolimit_holdem() };
        let def = Arc::new(def);
        let info = hands::info(&def, 6, false);
        let records = hands::random_hands(&def, 6, 1, seed);
        let text = rows(&records, &info.names(), per_street);
        let map = if per_street { format!("raises = \"street\"\n{MAP}") } else { MAP.to_owned() };
        let map = ColumnMap::parse(&map, &def).unwrap();
        let mut reader = ColumnReader::new(&def, map, text.as_bytes());
        for record in &records {
            let (back, players) = reader.next().unwrap().unwrap();
            prop_assert_eq!(&back.public, &record.public);
            prop_assert_eq!((back.hand, back.hole, back.payoffs), (record.hand, record.hole,
                record.payoffs));
            for (seat, &entrant) in record.entrants.iter() {
                prop_assert_eq!(&players[seat.index()], &info.names()[usize::from(entrant)]);
            }
        }
        prop_assert!(reader.next().is_none());
        prop_assert!(reader.passed_over().iter().eq(["Notes"]));
    }

    #[test]
    fn no_row_and_no_map_makes_the_reader_panic(row in "[ -~]{0,60}", map in "[ -~\n]{0,80}") {
        let def = Arc::new(games::nolimit_holdem());
        let _ = ColumnMap::parse(&map, &def);
        let fields = ["betting", "a", "b", "board", "p"];
        let text = format!("{}\n{row}\n0,{row},AhKd,,,\n", fields.join(","));
        let map = "betting='betting'\nboard='board'\n[[player]]\nname='x'\nhole='a'\nposition='p'\n\
                   [[player]]\nname='y'\nhole='b'";
        let map = ColumnMap::parse(map, &def).unwrap();
        ColumnReader::new(&def, map, text.as_bytes()).take(5).for_each(drop);
    }
}

#[test]
fn a_row_that_cannot_have_happened_is_told_with_its_column() {
    let def = Arc::new(games::nolimit_holdem());
    let header = "Game,Bot,Bot Hand,Your Hand,Position,Flop Cards,Turn Card,River Card,\
                  Pre-flop,Flop,Turn,River,Chips\n";
    let read = |row: &str| {
        let map = ColumnMap::parse(MAP, &def).unwrap();
        let text = format!("{header}{row}\n");
        ColumnReader::new(&def, map, text.as_bytes()).next().unwrap().unwrap_err().to_string()
    };
    for (row, reason) in [
        ("1,p0,AhKd,,bb,,,,f,,,", "12 fields instead of 13"),
        ("1,p0,AhKd,,bb,,,,r1f,,,,100", "Pre-flop `r1f`"),
        ("1,p0,AhKd,,bb,,,,zf,,,,100", "`z` is not an action"),
        ("1,p0,AhKd,,bb,,,,rf,,,,100", "a whole number of chips"),
        ("1,p0,AhKd,,bb,,,,cc,f,,,100", "the cards of the flop are missing"),
        ("1,p0,AhKd,,bb,2c3c4c,,,cc,c,cf,,100", "the hand is on the flop here"),
        ("1,p0,AhKd,,bb,,,,c,,,,100", "does not end the hand"),
        ("1,p0,AhKd,,hero,,,,f,,,,100", "`hero` is not a position"),
        ("1,p0,AhK,,bb,,,,f,,,,100", "hole cards `AhK`"),
        ("1,p0,AhKd,Ah2c,bb,,,,f,,,,50", "appears twice"),
        ("1,p0,AhKd,,bb,,,,f,,,,70", "the rules give"),
        ("x,p0,AhKd,,bb,,,,f,,,,50", "`x` is not the number of a hand"),
    ] {
        let error = read(row);
        assert!(error.starts_with("CSV, line 2: ") && error.contains(reason), "{row}: {error}");
    }
    let parse = |map: &str| ColumnMap::parse(map, &def).unwrap_err().to_string();
    let unknown = parse(&MAP.replace("position", "place"));
    assert!(unknown.starts_with("line 11: unknown field `place`, expected"), "{unknown}");
    let number = parse(&MAP.replace("\"Bot Hand\"", "3"));
    assert!(number.starts_with("line 7: invalid type: integer `3`, expected a string"), "{number}");
    let columns = parse(&MAP.replace("board = [", "board = 3 # ["));
    assert_eq!(columns, "line 4: there must be a column's name, or a list of them");
    assert!(parse(&MAP.replace("position = \"Position\"", "")).contains("but one need a position"));
    assert!(parse(&MAP.replace("\"River\"]", "]")).contains("one a street"));
    assert!(parse(&MAP.replace("name = \"p1\"", "")).contains("name or name_column"));
}
