//! PHH as other programs and collections write it: decimals, mucked hands, forced bets of all
//! kinds, players known by their seats. Results are those of pokerkit 0.7.7 (`HandHistory.loads`,
//! the stacks of the last state).

use game::{Betting, GameSpec, Payoff};
use logs::formats::ReadError;
use logs::formats::phh::{PhhHand, Reader};
use proptest::prelude::*;

use crate::export::{any_game, match_of};

fn read(text: &str) -> Result<PhhHand, ReadError> {
    Reader::new(text)?.next().unwrap()
}

/// A hand for players `A`, `B` and so on; each field after the actions is its own line.
fn hand(blinds: &str, min_bet: &str, stacks: &str, actions: &str, more: &str) -> String {
    let players = stacks.split(',').count();
    let antes = vec!["0"; players].join(", ");
    let names = ["'A'", "'B'", "'C'", "'D'"][..players].join(", ");
    let actions: Vec<String> = actions.split(", ").map(|action| format!("'{action}'")).collect();
    format!(
        "variant = 'NT'\nantes = [{antes}]\nblinds_or_straddles = [{blinds}]\nmin_bet = {min_bet}\n\
         starting_stacks = [{stacks}]\nactions = [{}]\nplayers = [{names}]\n{more}\n",
        actions.join(", ")
    )
}

fn dealt(holes: &[&str]) -> String {
    let deals = (1..).zip(holes).map(|(number, hole)| format!("d dh p{number} {hole}"));
    deals.collect::<Vec<_>>().join(", ")
}

const CHECKED_DOWN: &str =
    "d db 4h8s9c, p1 cc, p2 cc, d db Qd, p1 cc, p2 cc, d db 3s, p1 cc, p2 cc";

/// Blinds, smallest bet, stacks, actions, and the results in units of the file.
fn cases() -> Vec<([String; 4], Vec<f64>)> {
    let case = |[blinds, min_bet, stacks]: [&str; 3], holes: &[&str], rest: &str, won: &[f64]| {
        let actions = format!("{}, {rest}", dealt(holes));
        ([blinds.into(), min_bet.into(), stacks.into(), actions], won.to_vec())
    };
    let two = ["5, 10", "10", "200, 200"];
    let shown = |start: &str, end: &str| format!("{start}, {CHECKED_DOWN}, {end}");
    vec![
        // The small blind is all-in with less than it; nobody else has anything to do.
        case(
            ["5, 10", "10", "200, 3"],
            &["AhKh", "7c2d"],
            "d db 4h8s9c, d db Qd, d db 3s, p1 sm AhKh, p2 sm 7c2d",
            &[3.0, -3.0],
        ),
        case(
            ["5, 10, 0", "10", "3, 200, 300"],
            &["AhAd", "7c2d", "KsKd"],
            "p3 cc, p2 cc, d db 4h8s9c, p2 cc, p3 cbr 20, p2 cc, d db Qd, p2 cc, p3 cc, d db 3s, \
             p2 cc, p3 cc, p1 sm AhAd, p2 sm 7c2d, p3 sm KsKd",
            &[6.0, -30.0, 24.0],
        ),
        // A dead small blind, a third blind, a straddle of the button.
        case(
            ["0, 10, 0", "10", "100, 200, 300"],
            &["AhAd", "7c2d", "KsKd"],
            "p3 cbr 30, p1 cbr 90, p2 f, p3 f",
            &[40.0, -10.0, -30.0],
        ),
        case(
            ["5, 10, 20, 0", "20", "400, 400, 400, 400"],
            &["AhAd", "7c2d", "KsKd", "5c5d"],
            "p4 cc, p1 cc, p2 f, p3 cbr 80, p4 f, p1 cc, d db 4h8s9c, p1 cc, p3 cbr 20, p1 f",
            &[-80.0, -10.0, 110.0, -20.0],
        ),
        case(
            ["5, 10, 0, 20", "20", "400, 400, 400, 400"],
            &["AhAd", "7c2d", "KsKd", "5c5d"],
            "p1 cc, p2 f, p3 f, p4 cc, d db 4h8s9c, p1 cc, p4 cbr 20, p1 f",
            &[-20.0, -10.0, 0.0, 30.0],
        ),
        // Hands that are not shown lose, whether they are known or not.
        case(
            ["5, 10, 0", "10", "200, 200, 200"],
            &["????", "AhAd", "????"],
            "p3 cc, p1 cc, p2 cc, d db 4h8s9c, p1 cc, p2 cc, p3 cc, d db Qd, p1 cc, p2 cc, p3 cc, \
             d db 3s, p1 cc, p2 cc, p3 cc, p1 sm ????, p2 sm AhAd, p3 sm",
            &[-10.0, 20.0, -10.0],
        ),
        case(two, &["KhKd", "AhAd"], &shown("p2 cc, p1 cc", "p1 sm, p2 sm -"), &[-10.0, 10.0]),
        case(two, &["KhKd", "????"], &shown("p2 cc, p1 cc", "p1 sm KdKh, p2 sm"), &[10.0, -10.0]),
        // Cents, a comment, and a pot of an odd number of them.
        case(
            ["0.25, 0.50", "0.5", "50, 50.10"],
            &["AhKh", "7c2d"],
            "p2 cbr 1.25 # small, p1 cbr 4.0,  # a break, p2 cc, d db 4h8s9c, p1 cbr 3.05, p2 f",
            &[4.0, -4.0],
        ),
        case(
            ["0.25, 0.50, 0", "0.50", "50, 50.0, 5e1"],
            &["2c3h", "AdKd", "AsKs"],
            "p3 cbr 1.03, p1 f, p2 cc, d db 2d7d9h, p2 cc, p3 cc, d db Tc, p2 cc, p3 cc, d db 3s, \
             p2 cc, p3 cc, p2 sm AdKd, p3 sm AsKs",
            &[-0.25, 0.125, 0.125],
        ),
    ]
}

#[test]
fn results_are_those_of_pokerkit_in_chips_of_a_hundredth_where_there_are_cents() {
    for ([blinds, min_bet, stacks, actions], won) in cases() {
        let chips = if blinds.contains('.') { 100.0 } else { 1.0 };
        let starts = stacks.split(", ").map(|stack| stack.parse::<f64>().unwrap());
        let ends: Vec<String> = starts.zip(&won).map(|(a, b)| format!("{:.4}", a + b)).collect();
        for more in [String::new(), format!("finishing_stacks = [{}]", ends.join(", "))] {
            let text = hand(&blinds, &min_bet, &stacks, &actions, &more);
            let read = read(&text).unwrap_or_else(|error| panic!("{text}{error}"));
            let found: Vec<f64> =
                read.record.payoffs.as_slice().iter().map(|p| p.chips() / chips).collect();
            assert_eq!(found, won, "{text}");
            assert_eq!(read.players, ["A", "B", "C", "D"][..won.len()]);
        }
        let wrong = ends.iter().rev().cloned().collect::<Vec<_>>().join(", ");
        let text =
            hand(&blinds, &min_bet, &stacks, &actions, &format!("finishing_stacks = [{wrong}]"));
        assert!(read(&text).is_err() || won.iter().rev().eq(&won), "{text}");
    }
}

#[test]
fn what_was_collected_is_a_result_with_or_without_what_came_back() {
    let actions = format!("{}, p2 cbr 30, p1 f", dealt(&["AhKh", "????"]));
    let read = |more: &str| read(&hand("5, 10", "10", "200, 200", &actions, more));
    for winnings in ["[0, 20]", "[0.0, 40]"] {
        let won = read(&format!("winnings = {winnings}")).unwrap().record.payoffs;
        assert_eq!(won.as_slice(), [Payoff::from_chips(-10), Payoff::from_chips(10)]);
    }
    for (more, expected) in [
        ("winnings = [0, 19.5]", "hand 1: by `winnings` the players lost 0.5 chips together: rake"),
        (
            "finishing_stacks = [190, 209]",
            "by `finishing_stacks` the players lost 1 chips together",
        ),
        ("finishing_stacks = [190, 215]", "the players won 5 chips together"),
        ("winnings = [20, 0]", "but the rules give"),
        ("winnings = [20]", "`winnings` has 1 items for 2 players"),
        (
            "winnings = [0, 20]\nfinishing_stacks = [210, 190]",
            "by `finishing_stacks` the results are [10, -10], by `winnings` [-10, 10]",
        ),
    ] {
        let error = read(more).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.unsupported, expected.contains("lost").then_some("with rake"), "{error}");
    }
}

#[test]
fn odd_chips_of_hidden_hands_may_be_with_any_winner_and_nowhere_else() {
    let actions = format!(
        "{}, p3 cc, p1 f, p2 cc, d db 2c7d9h, p2 cc, p3 cc, d db Tc, p2 cc, p3 cc, d db 3s, p2 cc, \
         p3 cc",
        dealt(&["4c4d", "AdKd", "????"])
    );
    let read = |stacks: &str| {
        let more = format!("finishing_stacks = [{stacks}]");
        read(&hand("25, 50, 0", "50", "200, 200, 200", &actions, &more))
            .map(|hand| hand.record.payoffs)
    };
    let half = Payoff::from_parts(25 * Payoff::PER_CHIP / 2);
    for split in ["175, 213, 212", "175, 212, 213", "175, 212.5, 212.5"] {
        assert_eq!(read(split).unwrap().as_slice(), [Payoff::from_chips(-25), half, half]);
    }
    assert_eq!(read("175, 275, 150").unwrap().as_slice()[1], Payoff::from_chips(75));
    for wrong in ["175, 214, 211", "176, 212, 212", "150, 225, 225", "175, 200, 225"] {
        let error = read(wrong).unwrap_err().to_string();
        assert!(error.contains("are impossible: the seats put in [25, 50, 50]"), "{error}");
    }
}

#[test]
fn players_without_names_are_known_by_their_seats_or_not_at_all() {
    let actions = format!("{}, p2 f", dealt(&["AhKh", "????"]));
    let text = hand("5, 10", "10", "200, 200", &actions, "");
    let read = |players: &str| {
        let text = text.replace("players = ['A', 'B']", players);
        read(&text).map(|hand| (hand.players, hand.other))
    };
    for (fields, players) in [
        ("seats = [2, 5]", &["seat-2", "seat-5"][..]),
        ("players = ['', 'B']\nseats = [2, 5]", &["seat-2", "seat-5"]),
        ("players = ['B', 'B']\nseats = [5, 2]", &["seat-5", "seat-2"]),
        ("players = ['B', 'B']\nseats = [5, 5]", &[]),
        ("players = ['B', 'B']", &[]),
        ("", &[]),
        ("_entrants = [1, 0]", &["player-2", "player-1"]),
        ("players = ['B', 'B']\n_entrants = [1, 0]", &["B#2", "B"]),
        ("players = ['A b', 'A_b']\nseats = [2, 5]", &["A b", "A_b"]),
    ] {
        assert_eq!(read(fields).unwrap().0, players, "{fields}");
    }
    assert_eq!(read("players = ['A', 'B']\nseats = [2, 5]").unwrap().1, ["seats"]);
    let error = read("players = ['A']").unwrap_err().to_string();
    assert!(error.contains("`players` has 1 items for 2 players"), "{error}");
    let error = read("seats = ['A', 'B']").unwrap_err().to_string();
    assert_eq!(error, "PHH, line 7: hand 1: `seats` must have whole numbers, not `'A'`");
}

#[test]
fn what_records_cannot_hold_is_told_by_kind() {
    let actions = format!("{}, p2 f", dealt(&["AhKh", "????"]));
    let text = hand("5, 10", "10", "200, 200", &actions, "");
    for (from, to, kind) in [
        ("[0, 0]", "[1, 1]", "with antes"),
        ("'NT'", "'PO'", "of other variants"),
        ("200, 200", "200, inf", "with unknown stacks"),
        ("200, 200", "8, 200", "with a stack below the largest blind"),
        ("5, 10", "5, -10", "with posts out of turn"),
        (
            "min_bet = 10",
            "min_bet = 5",
            "with straddles, or another smallest bet than the big blind",
        ),
        (", 'p2 f'", "", "that do not end"),
        ("????", "??Kd", "with partly known cards"),
        ("min_bet", "bring_in = 3\nmin_bet", "with a bring-in"),
        ("'p2 f'", "'p2 cc', 'p1 cc', 'd db ??????'", "with unknown board cards"),
    ] {
        let error = read(&text.replace(from, to)).unwrap_err();
        assert_eq!(error.unsupported, Some(kind), "{error}");
    }
    // The best hand was mucked; a hidden one that was mucked is paid.
    let shown = format!("p2 cc, p1 cc, {CHECKED_DOWN}");
    for (holes, end, more) in [
        (["KhKd", "AhAd"], "p1 sm KhKd, p2 sm", ""),
        (["KhKd", "????"], "p1 sm KhKd, p2 sm ????", "finishing_stacks = [190, 210]"),
    ] {
        let actions = format!("{}, {shown}, {end}", dealt(&holes));
        let error = read(&hand("5, 10", "10", "200, 200", &actions, more)).unwrap_err();
        assert_eq!(error.unsupported, Some("won by mucked hands"), "{error}");
    }
}

#[test]
fn a_fault_is_told_with_its_line_and_hand_in_words() {
    let actions = format!("{}, p2 f", dealt(&["AhKh", "????"]));
    let text = hand("5, 10", "10", "200, 200", &actions, "hand = 'abc-12'");
    let amounts = |most: &str| format!("`starting_stacks` must have amounts from 0 to {most}, not");
    let list = "`starting_stacks` must be a list of amounts from 0 to 2147483647, not `200`";
    let blinds = "`blinds_or_straddles` must have amounts from 0 to 2147483647, not `'5'`";
    let large = format!("{} `99999999999`", amounts("2147483647"));
    let small = format!("{} `0.0000000001`", amounts("21"));
    let bet = "action 3 `p2 cbr 1x`: `1x` is not an amount from 0 to 2147483647";
    // The line of the field; `None` for the hand's first one.
    for (from, to, line, expected) in [
        ("5, 10", "'5', 10", Some(3), blinds),
        ("200, 200", "99999999999, 200", Some(5), &large),
        ("200, 200", "0.0000000001, 200", Some(5), &small),
        ("[200, 200]", "200", Some(5), list),
        ("200, 200", "200, 200, 200", Some(2), "`antes` has 2 items for 3 players"),
        ("min_bet = 10", "min_bet = '10'", Some(4), "`min_bet` must be an amount, not `'10'`"),
        ("starting_stacks", "_stacks", None, "`starting_stacks` is missing"),
        ("'p2 f'", "3", Some(6), "`actions` must have texts, not `3`"),
        ("'p2 f'", "\n\n'p2 cbr 1x'", Some(8), bet),
        ("'p2 f'", "'p1 f'", Some(6), "action 3 `p1 f`: it is not p1's turn"),
        ("'p2 f'", "'p3 f'", Some(6), "action 3 `p3 f`: there is no player `p3`"),
        ("'p2 f'", "'p2 pb'", Some(6), "action 3 `p2 pb`: this is not an action of hold'em"),
        ("'p2 f'", "'p2 f', 'p1 sm AhKd'", Some(6), "action 4 `p1 sm AhKd`: p1 has AhKh already"),
        ("'NT'", "1", Some(1), "`variant` must be text, not `1`"),
    ] {
        for (start, before) in [("", 0), ("# first\n[1]\n", 2)] {
            let error = read(&format!("{start}{}", text.replacen(from, to, 1))).unwrap_err();
            let line = line.map_or(before.max(1), |line| line + before);
            let expected = format!("PHH, line {line}: hand abc-12: {expected}");
            assert_eq!(error.to_string(), expected);
        }
    }
    let low = text.replace("200, 200", "1e2, 200.5").replace("p2 f", "p2 cbr 15");
    let low = read(&low).unwrap_err().to_string();
    let expected = "`p2 cbr 15`: a raise to 1500 is outside 2000 to 20050 (in chips, 100 to 1)";
    assert!(low.ends_with(expected), "{low}");
    let number = read(&text.replace("'abc-12'", "1.5")).unwrap_err().to_string();
    assert_eq!(number, "PHH, line 8: hand 1: `hand` must be a whole number or text, not `1.5`");
    for (text, expected) in [
        ("[one]\nvariant = 'NT'", "line 1: `one` is not the number of a hand"),
        ("a = 1", "line 1: `a` is not the number of a hand"),
        ("\n1 = 2", "line 2: `1` is not a hand but one value"),
        ("[7]\na = 1\n[007]\n", "line 1: `7` is the number of two hands"),
        ("[1]\nmin_bet 10", "line 2: this is not TOML: key with no value, expected `=`"),
        ("[1]\nhand = 1\nhand = 2", "line 3: this is not TOML: duplicate key"),
    ] {
        let error = Reader::new(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn numbers_of_sites_are_kept_and_text_is_counted() {
    let actions = format!("{}, p2 f", dealt(&["AhKh", "????"]));
    for (field, number, lost) in [
        ("hand = 3017237436", 3_017_237_436, false),
        ("hand = '3017237436'", 3_017_237_436, false),
        ("hand = 'abc-12'", 0, true),
        ("", 0, false),
    ] {
        let more = format!(
            "{field}\ntime = 00:00:09\nday = 1\nvenue = 'Absolute Poker'\n_own = 3\ntable = 'X'\n\
             currency_symbol = '$'\ntime_zone_abbreviation = 'ET'"
        );
        let hand = read(&hand("5, 10", "10", "200, 200", &actions, &more)).unwrap();
        assert_eq!((hand.record.hand, hand.record.deal), (number, number));
        assert_eq!(hand.other.contains(&"hand".to_owned()), lost, "{:?}", hand.other);
        assert_eq!(hand.other.len(), 7 + usize::from(lost), "{:?}", hand.other);
    }
}

#[test]
fn chips_are_the_same_in_all_hands_of_files_with_and_without_cents() {
    let actions = format!("{}, p2 f", dealt(&["AhKh", "????"]));
    let plain = hand("1, 2", "2", "200, 200", &actions, "");
    let cents = format!("[1]\n{plain}[7]\n{}", plain.replace("200, 200", "199.50, 200.50"));
    assert_eq!(Reader::new(&plain).unwrap().decimals(), 0);
    let hands: Vec<PhhHand> = Reader::new(&cents).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(hands[0].record.public.def().blinds, [200, 100]);
    assert_eq!(hands[1].record.public.def().stacks, [19_950, 20_050]);
    assert_eq!(hands.iter().map(|hand| hand.place.1).collect::<Vec<_>>(), [1, 10]);
    let scaled = Reader::new(&plain).unwrap().with_decimals(2).next().unwrap().unwrap();
    assert_eq!(scaled.record.public.def(), hands[0].record.public.def());
    // Sums of floats, as other programs write them, and parts of a coin.
    for (stack, decimals, chips) in [
        ("0.30000000000000004e3", 0, 300),
        ("199.70000000000002", 2, 19_970),
        ("2.00001e+2", 3, 200_001),
        ("200.00000", 0, 200),
    ] {
        let text = plain.replace("200, 200", &format!("{stack}, 400"));
        let reader = Reader::new(&text).unwrap();
        assert_eq!(reader.decimals(), decimals, "{stack}");
        let hand = { reader }.next().unwrap().unwrap();
        // Heads-up, the first stack is the big blind's.
        assert_eq!(hand.record.public.def().stacks[0], chips, "{stack}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn exported_hands_come_back_from_floats_and_from_hundredths(def in any_game(), seed: u64) {
        let (info, records) = match_of(&def, seed);
        let mut text = String::new();
        for (number, record) in (1..).zip(&records) {
            logs::formats::phh::write_hand(record, &info, number, &mut text).unwrap();
        }
        let number = |digits: &str, by: f64| format!("{:.2}", digits.parse::<f64>().unwrap() / by);
        let scaled = |by: f64| -> String {
            let amounts = ["blinds_or", "min_bet", "small_bet", "big_bet", "starting_st"];
            let line = |line: &str| {
                let change: Box<dyn Fn(&str) -> bool> = match line {
                    line if amounts.iter().any(|start| line.starts_with(start)) =>
                        Box::new(|word| word.trim_matches(['[', ']', ',']).parse::<f64>().is_ok()),
                    _ => Box::new(|_| false),
                };
                let mut bet = false;
                let words = line.split(' ').map(|word| {
                    let digits = word.trim_matches(['[', ']', ',', '"']);
                    let amount = change(word) || bet;
                    bet = word == "cbr";
                    if amount { word.replace(digits, &number(digits, by)) } else { word.to_owned() }
                });
                let finishing = line.starts_with("finishing");
                if finishing { String::new() } else { words.collect::<Vec<_>>().join(" ") }
            };
            text.lines().map(|l| line(l) + "\n").collect()
        };
        for by in [1.0, 100.0] {
            let text = scaled(by);
            let reader = Reader::new(&text).unwrap();
            // Hundredths that are whole need no other chips.
            let decimals = reader.decimals();
            let hands: Vec<PhhHand> = reader.collect::<Result<_, _>>().unwrap();
            for (hand, record) in hands.iter().zip(&records) {
                let spec: &GameSpec = hand.record.public.def().spec();
                prop_assert!(spec.betting != Betting::Limit || spec.raise_sizes[0] == 100
                    || decimals == 0);
                if by == 1.0 || decimals == 2 {
                    prop_assert_eq!(&hand.record, record);
                }
            }
            prop_assert!(by > 1.0 || decimals == 0);
            prop_assert_eq!(hands.len(), records.len());
        }
    }
}
