//! The Pokerbots protocol against recordings of the original engine, both sides, to the byte.
//!
//! `data/pokerbots/` has two games of the public engine with bots that draw their actions: `plain`
//! with legal answers only, and `mess2`, where one answer in eight of bot B is illegal or
//! misformed. The cards and the results are those of the engine's own logs.

use std::collections::VecDeque;
use std::time::Duration;

use cards::{Board, Card, HoleCards};
use game::{Action, BySeat, PublicState, Seat, State, Turn};
use proptest::prelude::*;
use protocol::pokerbots::{Clause, Dialect, Event, Host, Move, Player, index_of};

use crate::fuzzing::pokerbots::game;

/// A recorded game.
struct Recording {
    /// The lines of A and of B in order; those of the engine without the clock's number.
    lines: [VecDeque<(String, String)>; 2],
    rounds: Vec<Recorded>,
    /// What the log says about refused answers, in order.
    refused: Vec<String>,
}

/// A round as its log tells it. The first of each pair is the small blind's.
#[derive(Default)]
struct Recorded {
    /// The player who has the small blind: 0 for A.
    first: usize,
    hole: Vec<HoleCards>,
    board: Vec<Card>,
    awarded: Vec<i64>,
}

fn cards(text: &str) -> Vec<Card> {
    let list = text.split(['[', ']']).nth(1).expect("cards in brackets");
    list.split(' ').map(|card| card.parse().expect("a card")).collect()
}

fn recording(name: &str) -> Recording {
    let read = |file: &str| {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pokerbots/");
        std::fs::read_to_string(format!("{folder}{name}.{file}")).expect("a recording")
    };
    let lines = ["a.lines", "b.lines"].map(|file| {
        let text = read(file);
        // No engine's line contains the marker.
        let pairs = text.split("< ").skip(1).map(|pair| {
            let (asked, answer) = pair.split_once('\n').expect("a whole line");
            let answer = answer.strip_prefix("> ").unwrap_or(answer);
            (asked.to_owned(), answer.to_owned())
        });
        pairs.collect()
    });
    let mut rounds: Vec<Recorded> = Vec::new();
    let mut refused = Vec::new();
    for line in read("gamelog").lines() {
        if let Some(rest) = line.strip_prefix("Round #") {
            let first = usize::from(rest.split(", ").nth(1).expect("a player").starts_with('B'));
            rounds.push(Recorded { first, ..Recorded::default() });
        }
        let Some(round) = rounds.last_mut() else { continue };
        if line.contains(" dealt [") {
            round.hole.push(HoleCards::new(&cards(line)).expect("two cards"));
        } else if ["Flop [", "Turn [", "River ["].iter().any(|word| line.starts_with(word)) {
            round.board = cards(line);
        } else if let Some((_, chips)) = line.split_once(" awarded ") {
            round.awarded.push(chips.parse().expect("chips"));
        } else if line.contains(" attempted illegal ") || line.contains(" response misformatted") {
            refused.push(line.to_owned());
        }
    }
    Recording { lines, rounds, refused }
}

/// Plays a recorded game again: the engine's side is fed with the recorded answers, the bots' side
/// with the lines of the engine's.
fn replay(name: &str, answers_are_legal: bool) -> (usize, usize) {
    const LEFT: Duration = Duration::from_millis(29_875);
    let def = game();
    let Recording { mut lines, rounds, refused } = recording(name);
    let mut hosts = [(); 2].map(|()| Host::new(Dialect::Base));
    let mut players = [(); 2].map(|()| Player::new(def.clone(), Dialect::Base));
    let mut refusals = Vec::new();
    let mut compared = 0;
    // The recorded answer to a line, which must be the recorded one to the byte.
    let mut exchange = |player: usize, line: &str, number: usize| {
        let (asked, answer) = lines[player].pop_front().expect("a recorded line");
        let expected = asked.replacen('T', "T29.875", 1) + "\n";
        assert_eq!(line, expected, "{name}, round {number}, player {player}");
        compared += 1;
        answer
    };
    for (number, round) in (1..).zip(&rounds) {
        let seat_of = |index: usize| {
            def.seats().find(|&seat| usize::from(index_of(&def, seat)) == index).expect("a seat")
        };
        let player_of = |seat: Seat| (usize::from(index_of(&def, seat)) + round.first) % 2;
        let index = |seat: Seat| usize::from(index_of(&def, seat));
        let hole = BySeat::from_fn(2, |seat| round.hole[index(seat)]);
        let mut state = State { public: PublicState::new(&def), hole };
        loop {
            if let Turn::Deal(_) = state.public.turn() {
                state.public.deal_from(&round.board).expect("the board of the log");
            }
            let Turn::Act(seat) = state.public.turn() else { break };
            let player = player_of(seat);
            let infoset = state.infoset(seat);
            let line = hosts[player].question(number, &infoset, LEFT);
            players[player].receive(line.as_bytes());
            let event = players[player].poll_event().expect("a valid line");
            let Some(Event::Turn { hand, infoset: seen, left }) = event else {
                panic!("{name}, round {number}: {event:?}")
            };
            assert_eq!((u64::from(hand) + 1, left), (number, LEFT));
            assert_eq!((&seen.public, seen.seat, seen.hole), (&state.public, seat, hole[seat]));
            let answer = exchange(player, &line, number as usize);
            let action = hosts[player].answer(answer.as_bytes(), &state.public);
            let action = action.unwrap_or_else(|error| {
                refusals.push(format!("{} {}", ["A", "B"][player], error.log_words()));
                if state.public.legal().fold { Action::Fold } else { Action::Call }
            });
            players[player].act(action).expect("a legal action");
            let sent = players[player].poll_transmit();
            if answers_are_legal {
                assert_eq!(String::from_utf8_lossy(&sent), answer, "{name}, round {number}");
            }
            state.public.apply(action).expect("a legal action");
        }
        let payoffs = state.payoffs();
        // The big blind is asked first on the streets after an all-in, the small blind at the end.
        for place in [1, 0] {
            let seat = seat_of(place);
            let player = player_of(seat);
            assert_eq!(payoffs[seat].chips(), round.awarded[place] as f64, "round {number}");
            let showdown = state.public.is_showdown();
            let shown = |one| if showdown || one == seat { hole[one] } else { HoleCards::EMPTY };
            let shown = BySeat::from_fn(2, shown);
            hosts[player].end(number, &state.public, seat, &shown, payoffs[seat]);
            let mut events = Vec::new();
            while let Some(line) = hosts[player].closing(LEFT) {
                let answer = exchange(player, &line, number as usize);
                if let Err(error) = hosts[player].acknowledge(answer.as_bytes()) {
                    refusals.push(format!("{} {}", ["A", "B"][player], error.log_words()));
                }
                players[player].receive(line.as_bytes());
                events.extend(players[player].poll_event().expect("a valid line"));
                assert_eq!(players[player].poll_transmit(), b"K\n");
            }
            let [Event::HandOver(seen)] = &events[..] else { panic!("{events:?}") };
            assert_eq!(seen.public, state.public, "{name}, round {number}");
            assert_eq!((seen.payoffs, seen.hole), (payoffs, shown));
        }
    }
    for (player, lines) in players.iter_mut().zip(&lines) {
        let rest: Vec<_> = lines.iter().map(|(asked, _)| asked.as_str()).collect();
        assert_eq!(rest, ["Q"]);
        player.receive(Host::quit().as_bytes());
        assert!(matches!(player.poll_event(), Ok(Some(Event::GameOver))));
    }
    assert_eq!(refusals, refused, "{name}");
    (compared, refusals.len())
}

#[test]
fn a_recorded_game_replays_to_the_byte_on_both_sides() {
    assert_eq!(replay("plain", true), (968, 0));
}

#[test]
fn illegal_and_misformed_answers_are_refused_as_the_original_refuses_them() {
    assert_eq!(replay("mess2", false), (640, 26));
}

/// The error of a player that is sent these lines, in one piece or byte by byte.
fn error(lines: &str) -> String {
    let mut player = Player::new(game(), Dialect::Base);
    for byte in lines.as_bytes() {
        player.receive(&[*byte]);
        loop {
            match player.poll_event() {
                Ok(None) => break,
                Ok(Some(Event::Turn { .. })) => player.act(Action::Call).expect("a call"),
                Ok(Some(_)) => {}
                Err(error) => return error.to_string(),
            }
        }
    }
    player.end();
    player.poll_event().expect_err("an error").to_string()
}

#[test]
fn what_breaks_the_rules_is_refused_with_its_reason() {
    let open = "T30.000 P0 HAs,Kd\n";
    for [lines, reason] in testing::rows::<2>(
        "
        P0 => the engine sent `P0`: `P0` came instead of the clock, `T`
        T30.000 => the engine sent `T30.000`: it asks for nothing
        T30 P0 HAs,Kd => `T30` is not a clause of this engine
        T30.000 HAs,Kd => `HAs,Kd` came instead of an index, which begins a round
        T30.000 P0 HAs => a hand has 2 cards
        T30.000 P0 HAs,As => `HAs,As` is not a clause of this engine
        T30.000 P0 C => `C` came instead of the hand, `H`
        T30.000 P1 HAs,Kd => it asks for an action when the other is to act
        T30.000 P0 HAs,Kd A5 => `A5` is not a clause of this engine: other years have it
        OPEN T29.000 C => it asks for an action when the other is to act
        OPEN T29.000 C C => `C`: nothing is owed, so there is nothing to call
        OPEN T29.000 C R3 => `R3`: a raise to 3 is outside 4 to 400
        OPEN T29.000 C K => the flop is missing
        OPEN T29.000 C K Bas,2c,3c => `Bas,2c,3c` is not a clause of this engine
        OPEN T29.000 C K BAs,2c,3c => `BAs,2c,3c` has As, which is in the hand
        OPEN T29.000 C K B2c,3c => `B2c,3c`: 2 cards dealt for the flop, which takes 3
        OPEN T29.000 C F => `F`: there is nothing to call, so a fold is not allowed
        OPEN T29.000 F D2 => the result is 2, but by the rules it is -1
        OPEN T29.000 F O2c,3c D-1 => `O2c,3c` came instead of what is due before it
        OPEN T29.000 F D-1 K => `K` came instead of the end of the line
        OPEN Q => `Q` came instead of the clock, `T`
        OPEN => closed the connection in the middle of round 1
        OPEN T29.000 F D-1 => closed the connection after round 1 without a `Q`
        ",
    ) {
        let lines = match lines.strip_prefix("OPEN") {
            Some("") => open.to_owned(),
            Some(rest) => format!("{open}{}\n", rest.trim_start()),
            None => lines + "\n",
        };
        let found = error(&lines);
        assert!(found.contains(&reason), "{lines}: {found}");
    }
}

#[test]
fn amounts_are_read_as_the_original_reads_whole_numbers() {
    let def = game();
    let public = PublicState::new(&def);
    let host = Host::new(Dialect::Base);
    let read = |line: &str| host.answer(line.as_bytes(), &public).map_err(|e| e.log_words());
    for line in ["R4", " R4\r", "R 4", "R+4", "R0_4", "R04"] {
        assert_eq!(read(line), Ok(Action::RaiseTo(4)), "{line}");
    }
    for line in ["R3", "R401", "R-4", "R99999999999999999999", "K", "KC"] {
        let kind = if line.starts_with('K') { "CheckAction" } else { "RaiseAction" };
        assert_eq!(read(line), Err(format!("attempted illegal {kind}")), "{line}");
    }
    for line in ["", "R", "R4.0", "R4_", "R__4", "r4", "f", "T", "R4 6", "R\u{664}"] {
        assert_eq!(read(line), Err(format!("response misformatted: {line}")), "{line:?}");
    }
    assert_eq!(read("FOLD"), Ok(Action::Fold));
    assert_eq!(read("CK"), Ok(Action::Call));
    let refused = host.answer(b"R3", &public).expect_err("too small").to_string();
    assert_eq!(refused, "it answered `R3`, which is not legal here; legal: F, C, R4 to R400");
}

#[test]
fn the_same_letters_mean_other_things_in_other_years() {
    let read = |text: &str, dialect| Clause::parse(text, dialect).ok();
    let discarded = Some(Clause::Discarded(1));
    assert_eq!(read("D1", Dialect::Discard), discarded);
    assert!(matches!(read("D1", Dialect::Base), Some(Clause::Result(_))));
    assert!(matches!(read("A-7", Dialect::Discard), Some(Clause::Result(_))));
    assert_eq!(read("A-7", Dialect::Base), None);
    assert_eq!(read("G", Dialect::Discard), Some(Clause::AfterHand));
    assert_eq!(read("HAs,Kd,2c", Dialect::Base), None);
}

proptest! {
    #[test]
    fn a_clause_that_is_read_prints_as_the_same_text(
        text in "[TPHBODQFCKRAG][-]?[0-9]{0,4}([.][0-9]{3})?|\
                 [HBO][2-9TJQKA][cdhs](,[2-9TJQKA][cdhs]){0,6}",
        discard: bool,
    ) {
        let dialect = if discard { Dialect::Discard } else { Dialect::Base };
        if let Ok(clause) = Clause::parse(&text, dialect) {
            let mut again = String::new();
            clause.write(dialect, &mut again);
            prop_assert_eq!(again, text);
        }
    }

    #[test]
    fn any_bytes_are_no_clause_or_one_that_prints_the_same(text: String) {
        if let Ok(clause) = Clause::parse(&text, Dialect::Base) {
            let mut again = String::new();
            clause.write(Dialect::Base, &mut again);
            prop_assert_eq!(again, text);
        }
    }

    #[test]
    fn moves_of_a_hand_are_its_actions_in_letters(
        choices in proptest::collection::vec(0..9u32, 24),
    ) {
        let mut public = PublicState::new(&game());
        let board: Board = "2c8dTh3sJc".parse().unwrap();
        let mut again = public.clone();
        for choice in choices {
            public.deal_from(&board).unwrap();
            let legal: Vec<Action> = public.legal().corners().collect();
            if legal.is_empty() || !matches!(public.turn(), Turn::Act(_)) {
                break;
            }
            public.apply(legal[choice as usize % legal.len()]).unwrap();
        }
        for word in Move::all(&public) {
            again.deal_from(&board).unwrap();
            let word = Move::parse(&word.to_string()).expect("what was printed");
            again.apply(word.action(&again).unwrap()).unwrap();
        }
        again.deal_from(&public.board()).unwrap();
        prop_assert_eq!(again, public);
    }
}
