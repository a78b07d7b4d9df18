//! Match states: printing and strict parsing.

use game::Turn;
use proptest::prelude::*;
use protocol::acpc::{self, MatchState};

use crate::table::{LIMIT, NOLIMIT, game, parse_all, play, replay};

#[test]
fn lines_are_those_of_the_original() {
    // The game, the betting, and each seat's cards.
    let cases: &[(&str, &str, &[&str])] = &[
        (NOLIMIT, "", &["5d5c|", "|9hQd"]),
        (NOLIMIT, "cc/", &["5d5c|/8dAs8s", "|9hQd/8dAs8s"]),
        (NOLIMIT, "r20000c///", &["5d5c|9hQd/8dAs8s/4h/6d"; 2]),
        (NOLIMIT, "cc/r20000c//", &["5d5c|9hQd/8dAs8s/4h/6d"; 2]),
        (NOLIMIT, "r250c/r350f", &["5d5c|/8dAs8s", "|9hQd/8dAs8s"]),
        (LIMIT, "rrrc/", &["5d5c|/8dAs8s", "|9hQd/8dAs8s"]),
        ("kuhn.limit.3p", "rfc", &["Js||Qs", "Js|As|Qs", "Js||Qs"]),
    ];
    for &(name, betting, expected) in cases {
        let def = game(name);
        let state = replay(&def, 0, betting);
        for (seat, &cards) in def.seats().zip(expected) {
            let line = format!("MATCHSTATE:{}:9:{betting}:{cards}", seat.index());
            assert_eq!(MatchState::for_seat(9, seat, &state).to_string(), line);
            assert_eq!(MatchState::parse(&def, &line).unwrap().to_string(), line);
        }
    }
}

#[test]
fn lines_that_are_not_match_states_are_refused_with_the_reason() {
    let def = game(NOLIMIT);
    let fields = "fields, not MATCHSTATE:<position>:<hand>:<betting>:<cards>";
    for [line, reason] in testing::rows(
        r"
        => it does not begin with `MATCHSTATE:`
        matchstate:0:0::5d5c| => it does not begin with `MATCHSTATE:`
        MATCHSTATE:0:0:5d5c| => it has 4 FIELDS
        MATCHSTATE:0:0::5d5c|:c => it has 6 FIELDS
        MATCHSTATE:2:0::5d5c| => position `2` is not from 0 to 1
        MATCHSTATE:00:0::5d5c| => position `00` is not from 0 to 1
        MATCHSTATE:-1:0::5d5c| => position `-1` is not from 0 to 1
        MATCHSTATE:0:4294967296::5d5c|
            => hand `4294967296` is not a number from 0 to 4294967295
        MATCHSTATE:0:+1::5d5c| => hand `+1` is not a number from 0 to 4294967295
        MATCHSTATE:0:0::|9hQd => the cards of position 0 are missing
        MATCHSTATE:0:0::5d5c|9hQd
            => the cards of position 1 are shown, which the viewer cannot know
        MATCHSTATE:0:0:r300f:5d5c|9hQd
            => the cards of position 1 are shown, which the viewer cannot know
        MATCHSTATE:0:0::5d5c|/8dAs8s => betting ``, character 0: no board cards are due now
        MATCHSTATE:0:0:cc/:5d5c|
            => betting `cc/`, character 2: 0 cards dealt for the flop, which takes 3
        MATCHSTATE:0:0:cx:5d5c| => betting `cx`, character 1: `x` is not an action
        MATCHSTATE:0:0:r150:5d5c|
            => betting `r150`, character 0: a raise to 150 is outside 200 to 20000
        MATCHSTATE:1:0::|9HqD
            => cards `|9HqD` are not written as in `Ah`, rank in upper case and suit in lower case
        MATCHSTATE:0:0::5d5x|
            => cards `5d5x|`: at character 2: `5x` is not a card: write a rank of 23456789TJQKA and
            a suit of cdhs, as in `Ah`
        ",
    ) {
        let error = MatchState::parse(&def, &line).unwrap_err();
        assert_eq!(error.to_string(), reason.replace("FIELDS", fields), "{line}");
    }
    let error = MatchState::parse(&def, " MATCHSTATE:0:0::5d5c|").unwrap_err();
    assert_eq!(error.to_string(), "it does not begin with `MATCHSTATE:`");
}

proptest! {
    #[test]
    fn any_legal_hand_prints_and_parses_back(
        name in 0..13usize,
        seed: u32,
        hand: u32,
        choices in proptest::collection::vec(any::<u32>(), 1..60),
    ) {
        let def = game(acpc::games()[name].name);
        for state in play(&def, seed, &choices) {
            for seat in def.seats() {
                let seen = MatchState::for_seat(hand, seat, &state);
                let parsed = MatchState::parse(&def, &seen.to_string()).unwrap();
                prop_assert_eq!(&parsed.public, &state.public);
                prop_assert_eq!((parsed.hand, parsed.seat), (hand, seat));
                prop_assert_eq!(parsed.hole[seat], state.hole[seat]);
                prop_assert_eq!(&parsed.hole, &seen.hole);
                if state.public.turn() == Turn::Over {
                    prop_assert_eq!(parsed.payoffs(), Some(state.payoffs()));
                }
            }
            let shown = parse_all(&def, hand, &state);
            if !state.public.is_showdown() {
                prop_assert!(shown.as_slice().iter().all(|&n| n == 1));
            }
        }
    }

    #[test]
    fn no_edit_of_a_line_makes_the_parser_panic_or_read_something_else(
        edits in proptest::collection::vec((0..60usize, any::<char>()), 1..4),
        insert: bool,
    ) {
        let def = game(NOLIMIT);
        let mut line: Vec<char> = "MATCHSTATE:0:7:r250c/r350c/cc/:5d5c|/8dAs8s/4h/6d".chars()
            .collect();
        for (at, letter) in edits {
            let at = at % line.len();
            if insert { line.insert(at, letter) } else { line[at] = letter }
        }
        let line: String = line.into_iter().collect();
        if let Ok(state) = MatchState::parse(&def, &line) {
            prop_assert_eq!(state.to_string(), line);
        }
    }
}
