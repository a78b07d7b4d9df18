//! The variant of 2026, three cards and a discard, against recordings of its engine, both sides, to
//! the byte; and rounds drawn at random.

use std::collections::VecDeque;
use std::time::Duration;

use cards::{Board, Card, CardSet, HoleCards, evaluate};
use proptest::prelude::*;
use protocol::pokerbots::{
    Act, Asked, Clause, Dialect, Discard, Engine, Move, NotPlayed, Observer, Question, Variant,
};

/// The lines of one bot: the engine's without the clock's number, and the answer.
fn lines(name: &str) -> VecDeque<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pokerbots/");
    let text = std::fs::read_to_string(format!("{folder}{name}.lines")).expect("a recording");
    let pairs = text.split("< ").skip(1).map(|pair| {
        let (asked, answer) = pair.split_once('\n').expect("a whole line");
        let answer = answer.strip_prefix("> ").unwrap_or(answer);
        (asked.to_owned(), answer.strip_suffix('\n').unwrap_or(answer).to_owned())
    });
    pairs.collect()
}

/// A round as its log tells it: who has the small blind, the deal, and what it paid.
#[derive(Default)]
struct Recorded {
    first: usize,
    deal: Vec<Card>,
    board: Vec<Card>,
    discarded: Vec<Card>,
    awarded: Vec<i64>,
}

fn rounds(name: &str) -> (Vec<Recorded>, usize) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/pokerbots/");
    let log = std::fs::read_to_string(format!("{folder}{name}.gamelog")).expect("a log");
    let (mut rounds, mut refused) = (Vec::<Recorded>::new(), 0);
    for line in log.lines() {
        if let Some(rest) = line.strip_prefix("Round #") {
            let first = usize::from(rest.split(", ").nth(1).expect("a player").starts_with('B'));
            rounds.push(Recorded { first, ..Recorded::default() });
        }
        let Some(round) = rounds.last_mut() else { continue };
        let words = ["attempted illegal", "attempted to discard", "response misformatted"];
        refused += usize::from(words.iter().any(|word| line.contains(word)));
        let cards = || -> Vec<Card> {
            let list = line.split(['[', ']']).nth(1).expect("cards in brackets");
            list.split(' ').map(|card| card.parse().expect("a card")).collect()
        };
        if line.contains(" dealt [") {
            round.deal.extend(cards());
        } else if ["Flop [", "Discard ", "Turn [", "River ["].iter().any(|w| line.starts_with(w)) {
            round.board = cards();
        } else if let Some((_, card)) = line.split_once(" discards ") {
            round.discarded.push(card.parse().expect("a card"));
        } else if let Some((_, chips)) = line.split_once(" awarded ") {
            round.awarded.push(chips.parse().expect("chips"));
        }
    }
    (rounds, refused)
}

/// The deal of a round; cards that were never dealt are others.
fn deal_of(round: &Recorded) -> Vec<Card> {
    let mut cards = round.deal.clone();
    let dealt = round.board.iter().filter(|card| !round.discarded.contains(card));
    cards.extend(dealt);
    let rest: Vec<Card> = Card::all().filter(|card| !cards.contains(card)).collect();
    cards.extend(rest);
    cards.truncate(Engine::<Discard>::cards());
    cards
}

/// Plays a recording again on both sides; returns lines of the engine and refused answers.
fn replay(name: &str) -> (usize, usize) {
    let (rounds, logged) = rounds(name);
    let mut bots = [lines(&format!("{name}.a")), lines(&format!("{name}.b"))];
    let mut observers = [Observer::<Discard>::default(), Observer::default()];
    let (mut told, mut refused, mut unlogged) = (0, 0, 0);
    for round in &rounds {
        let mut engine = Engine::<Discard>::new(&deal_of(round)).expect("a deal");
        // The bot of an index.
        let bot = |index: u8| (round.first + usize::from(index)) % 2;
        let mut ask = |engine: &mut Engine<Discard>, index: u8| {
            let line = engine.line(index, Duration::from_secs(60));
            let (asked, answer) = bots[bot(index)].pop_front().expect("a recorded line");
            let without_number = line.replacen("T60.000", "T", 1);
            assert_eq!(without_number.trim_end(), asked, "{name}: line {told}");
            told += 1;
            (observers[bot(index)].line(&line).expect("a line by the rules"), answer)
        };
        while let Some((index, expected)) = engine.betting().turn() {
            let (question, answer) = ask(&mut engine, index);
            assert_eq!(question, Question::Act(expected));
            let legal = engine.answer(answer.as_bytes()).is_ok();
            refused += usize::from(!legal);
            // That engine says nothing of a raise that is too small or too large.
            let may_raise = matches!(expected, Asked::Bets { raise: Some(_), .. });
            let amount = answer.strip_prefix('R').map(|to| to.trim().replace('_', ""));
            let whole = amount.is_some_and(|to| to.parse::<i64>().is_ok());
            unlogged += usize::from(!legal && may_raise && whole);
        }
        for index in [0, 1] {
            let (question, answer) = ask(&mut engine, index);
            assert_eq!((question, answer.as_str()), (Question::Acknowledge, "K"));
        }
        let result = engine.result().expect("it is over");
        assert_eq!(result.to_vec(), round.awarded, "{name}");
        for index in [0, 1] {
            let seen = observers[bot(index)].round().expect("a round");
            assert_eq!(seen.betting, *engine.betting());
            assert_eq!((seen.hand, seen.board), (*engine.hand(index), *engine.board()));
        }
    }
    for (bot, observer) in bots.iter_mut().zip(&mut observers) {
        assert_eq!(bot.pop_front().map(|(line, _)| line).as_deref(), Some("Q"));
        assert!(bot.is_empty());
        assert_eq!(observer.line("Q\n"), Ok(Question::GameOver));
    }
    assert_eq!(refused - unlogged, logged, "{name}: as many answers are refused as the log has");
    (told, refused)
}

#[test]
fn a_recorded_game_of_2026_is_played_again_to_the_byte_on_both_sides() {
    let (told, refused) = replay("discard_plain");
    assert_eq!((told, refused), (1347, 0));
}

#[test]
fn answers_that_the_engine_of_2026_refuses_are_replaced_as_it_does() {
    let (told, refused) = replay("discard_mess");
    assert!(told > 1000 && refused > 40, "{told} {refused}");
}

#[test]
fn the_best_five_of_eight_cards_count() {
    let set = |text: &str| -> Vec<Card> {
        text.split(' ').map(|card| card.parse().expect("a card")).collect()
    };
    for (hand, board, best) in [
        // A straight flush among two flushes of eight cards.
        ("5h 6h", "7h 8h 9h 2s 3s 4s", "5h 6h 7h 8h 9h"),
        // Four and four of two suits are no flush.
        ("Ah Kh", "Qh 2h 2s 3s 4s 9s", "2h 2s Ah Kh Qh"),
        ("2c 2d", "3c 3d 4c 4d Ks Kh", "Ks Kh 4c 4d 3c"),
    ] {
        let hand = HoleCards::new(&set(hand)).expect("a hand");
        let board = Board::new(&set(board)).expect("a board");
        let best = set(best).into_iter().fold(CardSet::default(), CardSet::with);
        assert_eq!(Discard::strength(&hand, &board), evaluate(best), "{hand} {board}");
    }
}

#[test]
fn what_no_rule_of_the_year_allows_is_an_error_and_changes_nothing() {
    let cards: Vec<Card> = Card::all().take(Engine::<Discard>::cards()).collect();
    assert!(Engine::<Discard>::new(&cards[1..]).is_err());
    let mut twice = cards.clone();
    twice[3] = twice[0];
    assert!(Engine::<Discard>::new(&twice).is_err());
    let mut betting = Engine::<Discard>::new(&cards).expect("a deal").betting().clone();
    let before = betting.clone();
    for act in [Act::Own(0), Act::Bet(Move::Check), Act::Bet(Move::Raise(3))] {
        assert_eq!(betting.play(act), Err(NotPlayed::Illegal));
        assert_eq!(betting, before);
    }
    let mut observer = Observer::<Discard>::default();
    for (line, reason) in [
        ("T60.000 C", "`C` came out of turn"),
        ("T60.000 P0 HAs,Kd G", "`HAs,Kd` came out of turn"),
        ("P0 HAs,Kd,2c G", "`P0` came out of turn"),
        ("T60.000 P0 HAs,Kd,2c G D1", "not legal now"),
        ("T60.000 P0 HAs,Kd,2c G C", "asks another player"),
        ("T60.000 P0 HAs,Kd,2c G A5", "`A5` came out of turn"),
        ("T60.000 P0 HAs,Kd,2c G Y10", "not a clause"),
    ] {
        let mut observer = Observer::<Discard>::default();
        let error = observer.line(line).expect_err(line).to_string();
        assert!(error.contains(reason), "{line}: {error}");
    }
    let asked = observer.line("T60.000 P1 HAs,Kd,2c G C").expect("by the rules");
    assert_eq!(asked, Question::Act(Asked::Bets { owed: 0, raise: Some((4, 400)) }));
    let asked = observer.line("T60.000 K B2d,Kc").expect("by the rules");
    assert_eq!(asked, Question::Act(Asked::Own));
}

proptest! {
    #[test]
    fn both_sides_agree_on_every_round_and_no_chip_is_lost(
        order in Just(Card::all().collect::<Vec<_>>()).prop_shuffle(),
        answers in prop::collection::vec((0..12u8, 0..4u32), 60),
    ) {
        let deal = &order[..Engine::<Discard>::cards()];
        let mut engine = Engine::<Discard>::new(deal).expect("a deal");
        let mut observers = [Observer::<Discard>::default(), Observer::default()];
        let mut answers = answers.into_iter();
        while let Some((index, asked)) = engine.betting().turn() {
            let line = engine.line(index, Duration::from_millis(1));
            let question = observers[usize::from(index)].line(&line);
            prop_assert_eq!(question, Ok(Question::Act(asked)));
            let (choice, size) = answers.next().unwrap_or((1, 0));
            let answer = match asked {
                Asked::Own => format!("D{}", choice % 3),
                Asked::Bets { raise: Some((least, most)), .. } if choice > 8 => {
                    format!("R{}", (least + size * size * size * 20).min(most))
                }
                Asked::Bets { .. } if choice == 0 => "F".to_owned(),
                Asked::Bets { owed, .. } if owed > 0 => "C".to_owned(),
                Asked::Bets { .. } | Asked::Check => "K".to_owned(),
            };
            prop_assert_eq!(engine.answer(answer.as_bytes()), Ok(()), "{}", answer);
        }
        let won = engine.result().expect("it is over");
        prop_assert_eq!(won[0] + won[1], 0);
        prop_assert!(won[0].unsigned_abs() <= 400);
        for index in [0, 1] {
            let line = engine.line(index, Duration::from_millis(1));
            let observer = &mut observers[usize::from(index)];
            prop_assert_eq!(observer.line(&line), Ok(Question::Acknowledge));
            let seen = observer.round().expect("a round");
            prop_assert_eq!(&seen.betting, engine.betting());
            prop_assert_eq!(seen.board, *engine.board());
            // Every clause of the line is read and written as it was.
            for word in line.split_whitespace() {
                let mut again = String::new();
                let clause = Clause::parse(word, Dialect::Discard).expect("a clause");
                clause.write(Dialect::Discard, &mut again);
                prop_assert_eq!(again, word);
            }
        }
    }

    #[test]
    fn lines_drawn_at_random_never_break_a_bot(
        words in prop::collection::vec("[TPHGBCKFRDAOQ]?[0-9AKQs,.cdh-]{0,8}", 1..8)
    ) {
        let mut observer = Observer::<Discard>::default();
        let _ = observer.line("T60.000 P1 HAs,Kd,2c G C");
        let _ = observer.line(&words.join(" "));
    }
}
