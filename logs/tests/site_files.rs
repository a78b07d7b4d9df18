//! PokerStars' text, Open Hand History and Kaggle's replays as files that are read: what is written
//! comes back, and what other programs write is replayed by the rules or told.

use game::{BySeat, Payoff, games, notation};
use logs::HandRecord;
use logs::formats::SiteFormat::{Kaggle, OpenHandHistory, PokerStars};
use logs::formats::{ReadError, ohh, pokerstars};
use logs::formats::{SiteFormat, SiteHand};
use proptest::prelude::*;
use serde_json::json;

use crate::export::{any_game, match_of};
use crate::hands;

fn read(format: SiteFormat, text: &str) -> Vec<Result<SiteHand, ReadError>> {
    format.read(text).hands
}

fn all(format: SiteFormat, text: &str) -> Vec<SiteHand> {
    read(format, text)
        .into_iter()
        .map(|hand| hand.unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

/// The names by seat.
fn seated(record: &HandRecord, names: &[String]) -> Vec<String> {
    record.entrants.as_slice().iter().map(|&entrant| names[usize::from(entrant)].clone()).collect()
}

fn pokerstars_comes_back(def: &std::sync::Arc<game::GameDef>, seed: u64) {
    let (mut info, records) = match_of(def, seed);
    // Names that look like parts of lines.
    info.entrants[0].name = "folds ($5 in chips)x".to_owned();
    info.entrants[1].name = "folds".to_owned();
    let writer = pokerstars::Writer::new(&info).unwrap();
    let mut text = String::new();
    records.iter().for_each(|record| writer.write_hand(record, &mut text));
    for text in [text.replace('\n', "\r\n"), text.replace("\n\n\n", "\n"), text] {
        let read = all(PokerStars, &text);
        assert_eq!(read.len(), records.len());
        for ((back, names), record) in read.iter().zip(&records) {
            assert_eq!(&back.public, &record.public);
            assert_eq!(&back.payoffs, &record.payoffs);
            assert_eq!(&back.entrants, &record.entrants);
            assert_eq!(back.hand, record.hand);
            assert_eq!(names, &seated(record, &info.names()));
            // The first player's cards are known, and those that were shown.
            let remaining = record.public.remaining();
            let hole = BySeat::from_fn(def.players, |seat| {
                let shown = record.public.is_showdown() && remaining.contains(seat);
                let known = shown || record.entrants[seat] == 0;
                if known { record.hole[seat] } else { cards::HoleCards::EMPTY }
            });
            assert_eq!(&back.hole, &hole);
        }
    }
}

#[test]
fn each_of_two_split_pots_gives_its_odd_chips_to_its_own_winners() {
    let def = games::nolimit_holdem_with(vec![153, 150, 549, 362, 470, 164]);
    pokerstars_comes_back(&std::sync::Arc::new(def), 12_977_782_647_884_308_264);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn open_hand_history_comes_back(def in any_game(), seed: u64) {
        let (info, records) = match_of(&def, seed);
        let mut text = String::from("\u{feff}");
        for record in &records {
            ohh::write_hand(record, &info, &info.names(), &mut text);
        }
        for text in [text.replace('\n', "\r\n"), text.replace("\n\n", "\n"), text] {
            for ((back, names), record) in all(OpenHandHistory, &text).iter().zip(&records) {
                // It does not say which hands share a deal.
                prop_assert_eq!(&HandRecord { deal: record.deal, ..back.clone() }, record);
                prop_assert_eq!(names, &seated(record, &info.names()));
            }
            prop_assert_eq!(read(OpenHandHistory, &text).len(), records.len());
        }
    }

    #[test]
    fn pokerstars_text_comes_back(def in any_game(), seed: u64) {
        pokerstars_comes_back(&def, seed);
    }

    #[test]
    fn no_text_makes_the_readers_of_sites_panic(
        seed: u64, at in 0..4000_usize, junk in "[ -~\n\u{202e}é]{0,30}", cut: bool
    ) {
        let def = std::sync::Arc::new(games::nolimit_holdem());
        let info = hands::info(&def, 2, false);
        let records = hands::random_hands(&def, 2, 1, seed);
        let mut texts = [String::new(), String::new()];
        let writer = pokerstars::Writer::new(&info).unwrap();
        for record in &records {
            writer.write_hand(record, &mut texts[0]);
            ohh::write_hand(record, &info, &info.names(), &mut texts[1]);
        }
        for (text, format) in texts.iter().zip([PokerStars, OpenHandHistory]) {
            let at = at % text.len();
            let rest = if cut { "" } else { &text[at..] };
            let hands = read(format, &format!("{}{junk}{rest}", &text[..at]));
            // What is read is a hand: its results add up.
            for (record, _) in hands.iter().flatten() {
                let sum: Payoff = record.payoffs.as_slice().iter().copied().sum();
                prop_assert_eq!(sum, Payoff::ZERO);
            }
            prop_assert_eq!(read(format, &junk).iter().flatten().count(), 0);
        }
    }

    #[test]
    fn a_file_that_is_cut_off_loses_its_last_hand_only(seed: u64, at in 0..100_usize) {
        let def = std::sync::Arc::new(games::nolimit_holdem());
        let info = hands::info(&def, 3, false);
        let records = hands::random_hands(&def, 3, 1, seed);
        let mut texts = [String::new(), String::new()];
        let mut whole = [0, 0];
        let writer = pokerstars::Writer::new(&info).unwrap();
        for record in &records {
            whole = [texts[0].len(), texts[1].len()];
            writer.write_hand(record, &mut texts[0]);
            ohh::write_hand(record, &info, &info.names(), &mut texts[1]);
        }
        // PokerStars' summary has nothing that the hand needs but the pot.
        let ends = [texts[0].rfind("Total pot").unwrap(), texts[1].trim_end().len()];
        for (number, format) in [PokerStars, OpenHandHistory].into_iter().enumerate() {
            let end = whole[number] + 40 + (ends[number] - whole[number] - 41) * at / 100;
            let hands = read(format, &texts[number][..end]);
            prop_assert_eq!(hands.len(), 3);
            prop_assert!(hands[..2].iter().all(Result::is_ok));
            let error = hands[2].as_ref().unwrap_err();
            prop_assert!(error.cut, "{}", error);
        }
    }
}

/// A hand as the site writes it.
const ZOOM: &str = "\
PokerStars Zoom Hand #100000000001:  Hold'em No Limit ($0.02/$0.05) - 2024/01/02 03:04:05 ET
Table 'Tee' 6-max Seat #1 is the button
Seat 1: One ($5 in chips)
Seat 2: Two: (x) ($5 in chips)
Seat 4: Late ($3.07 in chips) is sitting out
Two: (x): posts big blind $0.05
Someone joins the table at seat #3
One: posts small blind $0.02
*** HOLE CARDS ***
Dealt to One [Ah Kd]
One: raises $0.10 to $0.15
One said, \"Two: folds\"
Two: (x): calls $0.10
*** FLOP *** [2c 7d 9s]
Two: (x): checks
One: bets $4.85 and is all-in
Two: (x): calls $4.85 and is all-in
*** TURN *** [2c 7d 9s] [Td]
*** RIVER *** [2c 7d 9s Td] [Qh]
*** SHOW DOWN ***
Two: (x): shows [9h 9d] (three of a kind, Nines)
One: mucks hand
Two: (x) collected $10 from pot
*** SUMMARY ***
Total pot $10 | Rake $0
Board [2c 7d 9s Td Qh]
Seat 1: One (button) (small blind) mucked [Ah Kd]
Seat 2: Two: (x) (big blind) showed [9h 9d] and won ($10) with three of a kind, Nines
";

#[test]
fn a_hand_of_the_site_itself_is_read_in_cents() {
    let read = all(PokerStars, ZOOM);
    let (record, names) = &read[0];
    assert_eq!(names, &["Two: (x)", "One"], "the big blind is dealt first of two");
    assert_eq!(record.public.def().stacks, [500, 500]);
    assert_eq!(record.public.def().blinds, [5, 2]);
    assert_eq!(game::notation::betting(&record.public), "r15c/cr500c//");
    assert_eq!(record.payoffs.as_slice(), [500, -500].map(Payoff::from_chips));
    assert_eq!((record.hand, read.len()), (0, 1));
    let holes: Vec<String> = record.hole.as_slice().iter().map(ToString::to_string).collect();
    assert_eq!(holes, ["9h9d", "AhKd"]);
}

#[test]
fn who_leaves_before_the_cards_does_not_play() {
    let leaves = "Early: sits out\n";
    for (before, at) in [("Seat 1: One", 1), ("Seat 4: Late", 3)] {
        let early = format!("Seat {at}: Early ($9 in chips)\n");
        let moved = ZOOM.replace("Seat 1: One", "Seat 6: One").replace("Seat #1", "Seat #6");
        let before = before.replace("Seat 1: One", "Seat 6: One");
        let text = moved.replacen(&before, &format!("{early}{before}"), 1).replacen(
            "One: posts",
            &format!("{leaves}One: posts"),
            1,
        );
        let (record, names) = all(PokerStars, &text).remove(0);
        assert_eq!(names, ["Two: (x)", "One"]);
        assert_eq!(record.payoffs.as_slice(), [500, -500].map(Payoff::from_chips));
    }
    let posted = ZOOM.replacen("One: posts", "Two: (x): sits out\nOne: posts", 1);
    let error = read(PokerStars, &posted).remove(0).unwrap_err().to_string();
    assert!(error.contains("this player has posted a blind"), "{error}");
}

/// Cards of a hand that a player has mucked are in the summary alone.
#[test]
fn cards_that_were_mucked_are_known_from_the_summary() {
    let hidden = ZOOM.replace("Dealt to One [Ah Kd]\n", "");
    let record = all(PokerStars, &hidden).remove(0).0;
    assert_eq!(record.hole.as_slice()[1].to_string(), "AhKd");
    let unknown = hidden.replace(" mucked [Ah Kd]", " mucked");
    let record = all(PokerStars, &unknown).remove(0).0;
    assert!(record.hole.as_slice()[1].is_empty());
    assert_eq!(record.payoffs.as_slice(), [500, -500].map(Payoff::from_chips));
}

#[test]
fn tournaments_and_play_money_are_in_chips() {
    for title in [
        "Hold'em No Limit (10/20)",
        "Tournament #77, $1.00+$0.10 USD Hold'em No Limit - Level I (10/20)",
        "{My Club}  Hold'em No Limit (10/20)",
        "Tournament #77, Freeroll  Hold'em No Limit - Match Round I, Level I (10/20)",
    ] {
        let text = ZOOM
            .replace("Hold'em No Limit ($0.02/$0.05)", title)
            .replace("$0.02", "10")
            .replace("$0.05", "20")
            .replace("raises $0.10 to $0.15", "raises 40 to 60")
            .replace("calls $0.10", "calls 40")
            .replace("$4.85", "440")
            .replace("$5 in chips)", "500 in chips, $0.50 bounty)")
            .replace("$3.07", "1")
            .replace("$10", "1000")
            .replace("$0", "0");
        let record = all(PokerStars, &text).remove(0).0;
        assert_eq!(record.public.def().blinds, [20, 10], "{title}");
        assert_eq!(record.payoffs.as_slice(), [500, -500].map(Payoff::from_chips));
    }
}

/// The first side pot is not for everybody, and the uncalled part of a bet is nobody's.
#[test]
fn side_pots_and_uncalled_bets_are_those_of_the_rules() {
    let text = "\
PokerStars Hand #7: Hold'em No Limit ($1/$2 USD) - 2026/01/02 3:04:05 ET
Table 'T' 3-max Seat #1 is the button
Seat 1: A ($50 in chips)
Seat 2: B ($30 in chips)
Seat 3: C ($20 in chips)
B: posts small blind $1
C: posts big blind $2
*** HOLE CARDS ***
A: raises $48 to $50 and is all-in
B: calls $29 and is all-in
C: calls $18 and is all-in
Uncalled bet ($20) returned to A
*** FLOP *** [2c 7d 9s]
*** TURN *** [2c 7d 9s] [Td]
*** RIVER *** [2c 7d 9s Td] [Qh]
*** SHOW DOWN ***
A: shows [Ah Kd] (high card Ace)
B: shows [As Ks] (high card Ace)
A collected $10 from side pot
B collected $10 from side pot
C: shows [9h 9d] (three of a kind, Nines)
C collected $60 from main pot
*** SUMMARY ***
Total pot $80 Main pot $60. Side pot $20. | Rake $0
";
    let (record, names) = all(PokerStars, text).remove(0);
    assert_eq!(names, ["B", "C", "A"]);
    assert_eq!(record.payoffs.as_slice(), [-2000, 4000, -2000].map(Payoff::from_chips));
    let kept = text.replace("returned to A", "returned to B");
    let error = read(PokerStars, &kept).remove(0).unwrap_err().to_string();
    assert!(error.contains("by the rules 2000 chips are given back to A"), "{error}");
}

#[test]
fn what_pokerstars_text_says_that_is_not_understood_is_told_with_its_line() {
    for (old, new, line, reason) in [
        ("Rake $0", "Rake $0.05", 25, "a rake is not supported"),
        ("Rake $0", "Rake $0 | Jackpot $0.01", 25, "a jackpot is not supported"),
        ("calls $0.10", "calls $0.11", 13, "by the rules this is a call that adds 10 chips"),
        ("calls $0.10", "calls €0.10", 13, "`€0.10` is not in $"),
        ("calls $0.10", "calls $0.1001", 13, "is not a whole number of cents"),
        ("calls $0.10", "calls $0.10 and is all-in", 13, "not all-in: 485 chips are left"),
        ("raises $0.10 to", "raises $0.09 to", 11, "by the rules this is a raise that adds 13"),
        ("One: bets", "Two: (x): bets", 16, "it is the turn of One"),
        ("Two: (x): checks", "Two: (x): waits", 15, "this is not understood"),
        ("One: posts small", "One: posts the ante $0.01\nOne: posts small", 8, "only a small and"),
        ("posts small blind $0.02", "posts small blind $0.01", 9, "blinds of 1 and 5 chips"),
        ("One: posts small blind $0.02\n", "", 8, "nobody posts the small blind"),
        ("Seat #1 is", "Seat #4 is", 9, "the button is at seat 4, where nobody plays"),
        ("[2c 7d 9s] [Td]", "[2c 7d 8s] [Td]", 18, "the board was 2c7d9s before"),
        ("[Td]\n", "[9h]\n", 19, "the board was 2c7d9s9h before"),
        ("shows [9h 9d]", "shows [9h 9h]", 21, "these are not two cards"),
        ("One: mucks hand", "One: shows [Ah Ks]", 22, "the cards were AhKd before"),
        ("collected $10", "collected $9", 25, "900 chips of it were collected"),
        ("is sitting out", "is somewhere", 5, "is somewhere` is not understood"),
        ("*** TURN", "*** FIRST TURN", 18, "this is not supported"),
        ("Hold'em No", "Omaha Pot", 1, "the game is not supported"),
        ("Hold'em No", "6+ Hold'em No", 1, "the game is not supported"),
        ("No Limit", "Pot Limit", 1, "the game is not supported"),
        ("$0.05)", "$0.05 - $1 Cap - USD)", 1, "`- $1 Cap - USD` is not supported"),
    ] {
        assert!(ZOOM.contains(old), "{old}");
        let text = ZOOM.replacen(old, new, 1);
        let error = read(PokerStars, &text).remove(0).unwrap_err();
        let told = error.to_string();
        assert!(error.line.abs_diff(line) <= 1 && told.contains(reason), "{new}: {told}");
        assert!(told.starts_with("PokerStars text, line "), "{told}");
    }
}

/// A hand of another program: money, ids that are no seats, a player who sits out, no flags.
const FOREIGN: &str = r#"{
  "ohh": {
    "spec_version": "1.2.2", "internal_version": "1.2.2", "network_name": "N", "site_name": "S",
    "game_type": "Holdem", "table_name": "T", "table_size": 6, "game_number": "8599887794",
    "start_date_utc": "2020-04-07T14:32:50", "currency": "EUR", "ante_amount": 0.00,
    "small_blind_amount": 0.01, "big_blind_amount": 0.02,
    "bet_limit": { "bet_cap": 0.00, "bet_type": "NL" }, "hero_player_id": 3, "dealer_seat": 8,
    "players": [
      { "name": "A", "id": 7, "player_bounty": 0, "starting_stack": 0.80, "seat": 1 },
      { "name": "B", "id": 3, "display": "Bee", "starting_stack": 2.38, "seat": 5 },
      { "name": "C", "id": 4, "starting_stack": 9, "seat": 6, "is_sitting_out": true },
      { "name": "D", "id": 9, "starting_stack": 2, "seat": 8 }
    ],
    "rounds": [
      { "id": 0, "cards": "", "street": "Preflop", "actions": [
        { "action_number": 1, "player_id": 7, "action": "Post SB", "amount": 0.01 },
        { "action_number": 2, "player_id": 3, "action": "Post BB", "amount": 0.02 },
        { "action_number": 3, "player_id": 3, "cards": ["As", "Tc"], "action": "Dealt Cards" },
        { "action_number": 4, "player_id": 9, "action": "Raise", "amount": 0.06 },
        { "action_number": 5, "player_id": 7, "action": "Call", "amount": 0.05 },
        { "action_number": 6, "player_id": 3, "action": "Call", "amount": 0.04 } ] },
      { "id": 1, "cards": ["2c", "Td", "9h"], "street": "Flop", "actions": [
        { "action_number": 1, "player_id": 7, "action": "Check", "amount": 0 },
        { "action_number": 2, "player_id": 3, "action": "Bet", "amount": 0.10 },
        { "action_number": 3, "player_id": 9, "action": "Raise", "amount": 1.94,
          "is_allin": true },
        { "action_number": 4, "player_id": 7, "action": "Fold", "amount": 0 },
        { "action_number": 5, "player_id": 3, "action": "Fold" } ] },
      { "id": 2, "street": "Showdown", "actions": [
        { "action_number": 1, "player_id": 9, "action": "Mucks Cards" } ] }
    ],
    "pots": [ { "rake": 0.00, "number": 0, "amount": 0.38, "player_wins": [
      { "player_id": 9, "win_amount": 0.38, "contributed_rake": 0.00 } ] } ]
  }
}
"#;

#[test]
fn open_hand_history_of_other_programs_is_read_in_hundredths() {
    let twice = FOREIGN.to_owned() + "\n" + FOREIGN;
    let file = OpenHandHistory.read(&twice);
    assert!(file.money.iter().eq(["1 EUR"]) && file.repeated == [37], "{:?}", file.repeated);
    let (record, names) = all(OpenHandHistory, FOREIGN).remove(0);
    assert_eq!(names, ["A", "B", "D"]);
    assert_eq!(record.public.def().stacks, [80, 238, 200]);
    assert_eq!(game::notation::betting(&record.public), "r6cc/cr16r200ff");
    assert_eq!(record.payoffs.as_slice(), [-6, -16, 22].map(Payoff::from_chips));
    assert_eq!(record.hole.as_slice()[1].to_string(), "AsTc");
    // Some leave what nobody called in the pot.
    let whole = FOREIGN.replace("0.38", "2.22");
    assert_eq!(all(OpenHandHistory, &whole).remove(0).0.payoffs, record.payoffs);
}

#[test]
fn what_open_hand_history_says_that_would_change_a_hand_is_an_error() {
    for (old, new, reason) in [
        ("\"rake\": 0.00", "\"rake\": 0.02", "rake 0.02 is not supported"),
        ("\"rake\": 0.00", "\"jackpot\": 0.02", "jackpot 0.02 is not supported"),
        ("\"rake\": 0.00", "\"splash\": 1", "unknown field `splash`"),
        ("_rake\": 0.00", "_rake\": 0.01", "contributed_rake 0.01 is not supported"),
        ("\"win_amount\": 0.38", "\"win_amount\": 0.37", "of a pot of 38 chips 37 are won"),
        ("0.38", "0.40", "40 chips of a pot of 38 are paid out"),
        ("_amount\": 0.00", "_amount\": 0.01", "ante_amount 0.01 is not supported"),
        ("bet_cap\": 0.00", "bet_cap\": 1", "bet_cap 1 is not supported"),
        ("\"NL\"", "\"PL\"", "bet_type `PL` is not supported"),
        ("\"Holdem\"", "\"Omaha\"", "game_type `Omaha` is not supported"),
        ("\"EUR\"", "\"gold\"", "the currency `gold` is not a code"),
        ("\"table_size\": 6", "\"flags\": [\"Run_It_Twice\"]", "the flag `Run_It_Twice` is not"),
        ("\"table_size\": 6", "\"table_size\": 6, \"bomb_pot\": 1", "unknown field `bomb_pot`"),
        ("\"display\": \"Bee\"", "\"missed\": true", "unknown field `missed`"),
        ("\"Post BB\"", "\"Straddle\"", "nobody posts the big blind"),
        ("\"action\": \"Check\"", "\"action\": \"Straddle\"", "this is not supported"),
        ("\"action\": \"Check\"", "\"action\": \"Added Chips\"", "this action is not known here"),
        ("\"Call\", \"amount\": 0.05", "\"Call\", \"amount\": 0.06", "a call that adds 5 chips"),
        (
            "\"Call\", \"amount\": 0.05",
            "\"Call\", \"amount\": 0.055",
            "not a whole number of cents",
        ),
        ("\"Call\", \"amount\": 0.05", "\"Call\", \"amount\": -0.05", "is not an amount"),
        ("\"Call\", \"amount\": 0.05", "\"Call\"", "the amount is missing"),
        ("1.94,", "1.93,", "this is not all-in: 1 chips are left"),
        ("\"Td\"", "\"As\"", "As appears twice"),
        ("\"Td\"", "\"Xx\"", "Xx"),
        ("\"Flop\"", "\"Turn\"", "a round `Turn` cannot be here"),
        ("\"dealer_seat\": 8", "\"dealer_seat\": 6", "the button is at seat 6, where nobody plays"),
        ("\"dealer_seat\": 8", "\"dealer_seat\": 1", "posts the small blind, whose seat it is not"),
        ("\"id\": 9,", "\"id\": 7,", "two players have the id 7"),
        ("\"player_id\": 9, \"win", "\"player_id\": 8, \"win", "has the id 8"),
    ] {
        assert!(FOREIGN.contains(old), "{old}");
        let text = FOREIGN.replacen(old, new, if old == "0.38" { 2 } else { 1 });
        let error = read(OpenHandHistory, &text).remove(0).unwrap_err().to_string();
        assert!(error.contains(reason), "{new}: {error}");
        assert!(error.starts_with("Open Hand History, line "), "{error}");
    }
    // One hand that is not JSON costs itself.
    let broken = FOREIGN.replacen("\"ohh\": {", "\"ohh\": {{", 1) + FOREIGN;
    let hands = read(OpenHandHistory, &broken);
    assert!(hands.len() == 2 && hands[0].is_err() && hands[1].is_ok(), "{hands:?}");
}

/// A replay of a match as kaggle-environments writes it, with the players in the order in which
/// they entered: the states after each hand's deal, and the last one.
fn kaggle_replay(records: &[HandRecord], names: &[String]) -> String {
    let players = names.len();
    let state = |record: &HandRecord, acpc: String, over: bool| {
        let mut stacks = vec![0; players];
        for (seat, &player) in record.entrants.iter() {
            stacks[usize::from(player)] = record.public.def().stacks[seat.index()];
        }
        let to_act = if over { -4 } else { 0 };
        let acpc_state = format!("{acpc}\nSpent: [P0: 0  P1: 0 ]\n");
        json!({ "acpc_state": acpc_state, "starting_stacks": stacks, "current_player": to_act })
            .to_string()
    };
    let last = |record: &HandRecord| {
        let (mut betting, mut board) = (String::new(), String::new());
        notation::write_betting(&record.public, &mut betting);
        let mut seen = 0;
        for street in [3, 4, 5] {
            let cards = record.public.board();
            if cards.len() >= street {
                board.push('/');
                cards[seen..street].iter().for_each(|card| board.push_str(&card.to_string()));
                seen = street;
            }
        }
        let mut hole = vec![String::new(); players];
        for (seat, &player) in record.entrants.iter() {
            hole[usize::from(player)] = record.hole[seat].iter().map(ToString::to_string).collect();
        }
        state(record, format!("STATE:0:{betting}:{}{board}", hole.join("|")), true)
    };
    let mut returns: Vec<Vec<f64>> = Vec::new();
    let mut entries = Vec::new();
    let mut before = String::new();
    for record in records {
        returns.push(vec![0.0; players]);
        let button = record.entrants.as_slice().last().expect("players");
        let entry = |current: &str, before: &str, returns: &[Vec<f64>]| {
            json!({
                "hand_number": record.hand, "dealer": button, "max_num_hands": records.len(),
                "small_blind": 50, "big_blind": 100, "stacks": [], "hand_returns": returns,
                "current_universal_poker_json": current, "prev_universal_poker_json": before,
            })
            .to_string()
        };
        let dealt = state(record, "STATE:0::2c2c|2c2c".to_owned(), false);
        entries.push(entry(&dealt, &before, &returns));
        let own = returns.last_mut().expect("one a hand");
        for (seat, &player) in record.entrants.iter() {
            let parts = record.payoffs[seat].parts() as f64;
            own[usize::from(player)] = parts / Payoff::PER_CHIP as f64;
        }
        before = last(record);
        if record.hand + 1 == records.len() as u64 {
            entries.push(entry(&before, "", &returns));
        }
    }
    let agents: Vec<_> = names.iter().map(|name| json!({ "Name": name })).collect();
    json!({
        "configuration": { "openSpielGameName": "repeated_poker" },
        "info": { "Agents": agents, "stateHistory": entries },
        "steps": [],
    })
    .to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn replays_of_kaggle_come_back(players in 2_usize..=6, stack in 300_u32..20_000, seed: u64) {
        let def = std::sync::Arc::new(games::nolimit_holdem_with(vec![stack; players]));
        let info = hands::info(&def, 8, false);
        let records = hands::random_hands(&def, 8, 1, seed);
        let text = kaggle_replay(&records, &info.names());
        prop_assert_eq!(SiteFormat::detect(&text), Some(Kaggle));
        let read = all(Kaggle, &text);
        prop_assert_eq!(read.len(), records.len());
        for ((back, names), record) in read.iter().zip(&records) {
            prop_assert_eq!(&HandRecord { deal: record.deal, ..back.clone() }, record);
            prop_assert_eq!(names, &seated(record, &info.names()));
        }
    }

    #[test]
    fn no_text_makes_the_reader_of_replays_panic(
        seed: u64, at in 0..20_000_usize, junk in "[ -~\n\u{202e}é]{0,30}", cut: bool
    ) {
        let def = std::sync::Arc::new(games::nolimit_holdem());
        let info = hands::info(&def, 3, false);
        let text = kaggle_replay(&hands::random_hands(&def, 3, 1, seed), &info.names());
        let at = at % text.len();
        let rest = if cut { "" } else { &text[at..] };
        for (record, _) in read(Kaggle, &format!("{}{junk}{rest}", &text[..at])).iter().flatten() {
            let sum: Payoff = record.payoffs.as_slice().iter().copied().sum();
            prop_assert_eq!(sum, Payoff::ZERO);
        }
    }
}

#[test]
fn a_replay_that_was_broken_off_loses_its_last_hand_only() {
    let def = std::sync::Arc::new(games::nolimit_holdem());
    let info = hands::info(&def, 3, false);
    let records = hands::random_hands(&def, 3, 1, 7);
    let text = kaggle_replay(&records, &info.names());
    let mut replay: serde_json::Value = serde_json::from_str(&text).unwrap();
    replay["info"]["stateHistory"].as_array_mut().unwrap().pop();
    let hands = read(Kaggle, &replay.to_string());
    assert_eq!(hands.len(), 3);
    assert!(hands[..2].iter().all(Result::is_ok));
    let error = hands[2].as_ref().unwrap_err();
    assert!(error.cut && error.to_string().contains("hand 2"), "{error}");
    // Another result than that of the cards is told.
    let second = &mut replay["info"]["stateHistory"][1];
    let mut state: serde_json::Value = serde_json::from_str(second.as_str().unwrap()).unwrap();
    state["hand_returns"][0] = json!([1.0, -1.0]);
    *second = state.to_string().into();
    assert!(read(Kaggle, &replay.to_string())[0].is_err());
}
