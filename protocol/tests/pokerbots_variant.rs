//! The variant of 2026, three cards and a discard, against recordings of its engine, both sides, to
//! the byte; and rounds drawn at random.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use cards::{Board, Card, CardSet, HoleCards, evaluate};
use game::{Action, BySeat, GameDef, InfoSet, Payoff, PublicState, Seat, Turn, notation};
use proptest::prelude::*;
use protocol::acpc;
use protocol::acpc::gamedef::{self, Reading};
use protocol::pokerbots::{
    Act, Asked, Clause, DISCARD_GAME, Dialect, Discard, Engine, Event, Finished, Host, Move,
    NotPlayed, Observer, Player, Question, Variant, index_of,
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
    shown: bool,
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
        } else if line.contains(" shows [") {
            round.shown = true;
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

/// The game of 2026 as `game` plays it.
fn game_def() -> Arc<GameDef> {
    let file = acpc::find(DISCARD_GAME).expect("a built-in game");
    let read = gamedef::read(file.text.as_bytes(), file.name, Reading::Strict);
    Arc::new(read.expect("a game").def)
}

/// A bot of a recording with a host that asks it, and a player that takes in the same lines.
struct Side {
    lines: VecDeque<(String, String)>,
    host: Host,
    player: Player,
}

impl Side {
    /// The recorded answer to a line of our host, which is the recorded one.
    fn asked(&mut self, line: &str) -> String {
        let (asked, answer) = self.lines.pop_front().expect("a recorded line");
        assert_eq!(line.replacen("T60.000", "T", 1).trim_end(), asked);
        self.player.receive(line.as_bytes());
        answer
    }

    /// Takes in the recorded lines up to the round's end, which has this result.
    fn take_in_the_rest(&mut self, awarded: &[i64]) {
        let mut over = None;
        while self.lines.front().is_some_and(|(line, _)| !line.starts_with("T P") && line != "Q") {
            let (line, _) = self.lines.pop_front().expect("a line");
            self.player.receive(format!("{}\n", line.replacen('T', "T60.000", 1)).as_bytes());
            over = self.event();
        }
        let Some(Event::HandOver(Finished { public, seat, payoffs, .. })) = over else {
            panic!("{over:?}")
        };
        let index = usize::from(index_of(public.def(), seat));
        assert_eq!(payoffs[seat], Payoff::from_chips(awarded[index]));
    }

    fn event(&mut self) -> Option<Event> {
        let event = self.player.poll_event().expect("a line by the rules");
        self.player.poll_transmit();
        event
    }
}

/// Plays a recording again by the rules of `game`, with a host and a player for each bot.
fn replay_by_rules(name: &str) -> usize {
    const LEFT: Duration = Duration::from_secs(60);
    let (def, (rounds, _)) = (game_def(), rounds(name));
    let mut sides = ["a", "b"].map(|bot| Side {
        lines: lines(&format!("{name}.{bot}")),
        host: Host::new(Dialect::Discard),
        player: Player::new(Arc::clone(&def), Dialect::Discard),
    });
    let seat_of = |index: u8| def.seats().find(|&seat| index_of(&def, seat) == index);
    let mut replaced = 0;
    for (number, round) in (0..).zip(&rounds) {
        let deal = deal_of(round);
        let (hands, dealt) = deal.split_at(6);
        let mut hole = BySeat::new(2);
        for (index, hand) in [0, 1].into_iter().zip(hands.chunks(3)) {
            hole[seat_of(index).expect("a seat")] = HoleCards::new(hand).expect("a hand");
        }
        let side = |seat: Seat| (round.first + usize::from(index_of(&def, seat))) % 2;
        let mut public = PublicState::new(&def);
        loop {
            let discarding = public.discarding();
            let (seat, turn) = match (public.turn(), discarding) {
                (Turn::Over, _) => break,
                (Turn::Deal(_), None) => {
                    let cards = match public.board().len() {
                        0 => &dealt[..2],
                        4 => &dealt[2..3],
                        _ => &dealt[3..],
                    };
                    public.deal(cards).expect("cards that are due");
                    continue;
                }
                (Turn::Deal(_), Some(seat)) => (seat, false),
                (Turn::Act(seat), _) => (seat, true),
            };
            let infoset = InfoSet { public: public.clone(), seat, hole: hole[seat] };
            let side = &mut sides[side(seat)];
            while let Some(line) = side.host.before_question(number, &infoset, LEFT) {
                side.asked(&line);
                assert!(side.event().is_none());
            }
            let line = side.host.question(number, &infoset, LEFT);
            let answer = side.asked(&line);
            let event = side.event();
            let Some(Event::Turn { infoset: seen, .. } | Event::Discard { infoset: seen, .. }) =
                &event
            else {
                panic!("{line}: {event:?}");
            };
            assert_eq!((&seen.public, seen.seat, seen.hole), (&public, seat, hole[seat]), "{line}");
            assert_eq!(matches!(event, Some(Event::Turn { .. })), turn);
            if turn {
                let action = side.host.answer(answer.as_bytes(), &public).unwrap_or_else(|_| {
                    replaced += 1;
                    if public.legal().to_call == 0 { Action::Call } else { Action::Fold }
                });
                side.player.act(action).expect("a legal action");
                public.apply(action).expect("a legal action");
                continue;
            }
            assert!(side.player.discard(3).is_err());
            match side.host.discard(answer.as_bytes(), &hole[seat]) {
                Ok(place) => {
                    side.player.discard(place).expect("a card of the hand");
                    let card = hole[seat][usize::from(place)];
                    public.discard(place, card).expect("a card of the hand");
                }
                Err(_) => {
                    replaced += 1;
                    side.player.discard(0).expect("a card of the hand");
                    public.apply(Action::Fold).expect("a fold in its place");
                }
            }
            side.player.poll_transmit();
        }
        if public.is_showdown() && !round.shown {
            // A bot has folded after the all-in, which our hosts do not ask for.
            for side in &mut sides {
                side.take_in_the_rest(&round.awarded);
            }
            continue;
        }
        let payoffs = public.payoffs(&hole);
        for (index, &awarded) in [0, 1].into_iter().zip(&round.awarded) {
            let seat = seat_of(index).expect("a seat");
            assert_eq!(payoffs[seat], Payoff::from_chips(awarded), "{name}, round {number}");
            let side = &mut sides[side(seat)];
            side.host.end(number, &public, seat, &hole, payoffs[seat]);
            let mut over = None;
            while let Some(line) = side.host.closing(LEFT) {
                side.asked(&line);
                over = side.event();
            }
            let Some(Event::HandOver(finished)) = over else { panic!("{over:?}") };
            assert_eq!((finished.public, finished.payoffs), (public.clone(), payoffs));
            assert_eq!(finished.hole[seat], hole[seat]);
            let shown = finished.hole.iter().filter(|(_, cards)| !cards.is_empty());
            shown.for_each(|(seat, cards)| assert_eq!(*cards, hole[seat]));
        }
        // The hand as text, from which it is read again.
        let (betting, cards) = (notation::betting(&public), notation::cards(&public, &hole));
        let read = notation::parse_cards(&def, &cards).expect("the cards of a hand");
        let again = notation::replay(&def, &betting, &read.board).expect("the betting of a hand");
        assert_eq!((again, read.hole), (public, hole), "{betting} {cards}");
    }
    assert!(sides.iter().all(|side| side.lines.len() == 1), "only `Q` is left");
    replaced
}

#[test]
fn recorded_games_of_2026_are_played_again_by_the_rules_of_games_on_both_sides() {
    assert_eq!(replay_by_rules("discard_plain"), 0);
    assert!(replay_by_rules("discard_mess") > 20);
}

#[test]
fn a_hand_whose_cards_were_not_put_there_by_the_players_is_refused() {
    let def = game_def();
    let hands = "AsKsQs|2c3c4c/";
    for (cards, reason) in [
        ("5h6h2cAs/7h/8h", ""),
        // The big blind, which is the first seat, puts its card there first.
        ("5h6hAs2c/7h/8h", ""),
        ("5h6h5c2c/7h/8h", "not in the hand"),
        ("5hAsAs2c/7h/8h", "twice"),
        ("5h6hAs/7h/8h", "must hold 4"),
    ] {
        let read = notation::parse_cards(&def, &format!("{hands}{cards}"));
        let error = read.map_or_else(|error| error.to_string(), |_| String::new());
        let swapped = cards.contains("2cAs");
        let reason = if swapped { "not in the hand" } else { reason };
        assert!(
            error.contains(reason) && error.is_empty() == reason.is_empty(),
            "{cards}: {error}"
        );
    }
}
