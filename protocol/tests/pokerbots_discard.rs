//! The game of 2026, three cards and a discard, against recordings of its engine, both sides, to
//! the byte; and rounds drawn at random.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use cards::{Board, Card, CardSet, HoleCards, evaluate, evaluate_any};
use game::{Action, BySeat, GameDef, InfoSet, Payoff, PublicState, Seat, Turn, notation};
use proptest::prelude::*;
use protocol::acpc;
use protocol::acpc::gamedef::{self, Reading};
use protocol::pokerbots::{Clause, DISCARD_GAME, Dialect, Event, Finished, Host, Player, index_of};

/// The cards of a deal: both hands', and those dealt to the board.
const DEALT: usize = 10;

/// The time that hosts say is left.
const LEFT: Duration = Duration::from_secs(60);

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
    cards.truncate(DEALT);
    cards
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
        assert_eq!(evaluate_any(hand.set() | board.set()), evaluate(best), "{hand} {board}");
    }
}

/// The game of 2026 as `game` plays it.
fn game_def() -> Arc<GameDef> {
    let file = acpc::find(DISCARD_GAME).expect("a built-in game");
    let read = gamedef::read(file.text.as_bytes(), file.name, Reading::Strict);
    Arc::new(read.expect("a game").def)
}

/// The bots of a round, by index: they answer lines of hosts, and hear what was made of it.
trait Bots {
    /// The answer to a line that asks for what this information set decides, or for a check.
    fn ask(&mut self, index: u8, line: &str, decides: Option<&InfoSet>) -> String;
    /// What is played for the last answer.
    fn played(&mut self, index: u8, played: Played);
}

/// What is played at a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Played {
    Action(Action),
    /// The card at this place is put on the board.
    Discard(u8),
    /// A fold in the place of a card.
    NoDiscard,
}

/// How many answers a host did not take, in all and with a raise that was none by its size alone.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Refusals {
    all: usize,
    raises: usize,
}

/// Plays a round by the rules of `game`, up to where its result is told.
fn play(
    number: u64,
    hole: &BySeat<HoleCards>,
    dealt: &[Card],
    hosts: &mut [Host; 2],
    bots: &mut impl Bots,
    refusals: &mut Refusals,
) -> PublicState {
    let def = game_def();
    let mut public = PublicState::new(&def);
    loop {
        let seat = match (public.turn(), public.discarding()) {
            (Turn::Over, _) => return public,
            (Turn::Deal(_), None) => {
                let cards = match public.board().len() {
                    0 => &dealt[..2],
                    4 => &dealt[2..3],
                    _ => &dealt[3..],
                };
                public.deal(cards).expect("cards that are due");
                continue;
            }
            (Turn::Deal(_), Some(seat)) | (Turn::Act(seat), _) => seat,
        };
        let infoset = InfoSet { public: public.clone(), seat, hole: hole[seat] };
        let index = index_of(&def, seat);
        let host = &mut hosts[usize::from(index)];
        while let Some(line) = host.before_question(number, &infoset, LEFT) {
            let answer = bots.ask(index, &line, None);
            refusals.all += usize::from(host.acknowledge(answer.as_bytes()).is_err());
        }
        let line = host.question(number, &infoset, LEFT);
        let answer = bots.ask(index, &line, Some(&infoset));
        if public.discarding().is_some() {
            match host.discard(answer.as_bytes(), &hole[seat]) {
                Ok(place) => {
                    bots.played(index, Played::Discard(place));
                    let card = hole[seat][usize::from(place)];
                    public.discard(place, card).expect("a card of the hand");
                }
                Err(_) => {
                    refusals.all += 1;
                    bots.played(index, Played::NoDiscard);
                    public.apply(Action::Fold).expect("a fold in its place");
                }
            }
            continue;
        }
        let action = host.answer(answer.as_bytes(), &public).unwrap_or_else(|_| {
            refusals.all += 1;
            let to = answer.strip_prefix('R').map(|to| to.trim().replace('_', ""));
            let whole = to.is_some_and(|to| to.parse::<i64>().is_ok());
            refusals.raises += usize::from(whole && public.legal().raise.is_some());
            if public.legal().to_call == 0 { Action::Call } else { Action::Fold }
        });
        bots.played(index, Played::Action(action));
        public.apply(action).expect("a legal action");
    }
}

/// Tells both bots the result of a round, which they acknowledge.
fn close(
    number: u64,
    public: &PublicState,
    hole: &BySeat<HoleCards>,
    hosts: &mut [Host; 2],
    bots: &mut impl Bots,
    refusals: &mut Refusals,
) -> BySeat<Payoff> {
    let payoffs = public.payoffs(hole);
    for seat in public.def().seats() {
        let index = index_of(public.def(), seat);
        let host = &mut hosts[usize::from(index)];
        host.end(number, public, seat, hole, payoffs[seat]);
        let mut last = None;
        while let Some(line) = host.closing(LEFT) {
            let answer = bots.ask(index, &line, None);
            refusals.all += usize::from(host.acknowledge(answer.as_bytes()).is_err());
            last = Some(answer);
        }
        assert_eq!(last.as_deref(), Some("K"), "round {number}");
    }
    payoffs
}

/// Players that take in the lines of hosts, and what each has come to.
struct Players {
    players: [Player; 2],
    over: [Option<Finished>; 2],
}

impl Players {
    fn new() -> Players {
        let player = || Player::new(game_def(), Dialect::Discard);
        Players { players: [player(), player()], over: [None, None] }
    }

    /// Takes in a line: one that decides something is seen as it is.
    fn take(&mut self, bot: usize, line: &str, decides: Option<&InfoSet>) {
        let player = &mut self.players[bot];
        player.receive(line.as_bytes());
        let event = player.poll_event().expect("a line by the rules");
        player.poll_transmit();
        match (event, decides) {
            (None, None) => {}
            (Some(Event::HandOver(finished)), None) => self.over[bot] = Some(finished),
            (Some(Event::Turn { infoset: seen, .. }), Some(infoset)) => {
                assert!(infoset.public.discarding().is_none(), "{line}");
                assert_eq!((&seen.public, seen.seat), (&infoset.public, infoset.seat), "{line}");
                assert_eq!(seen.hole, infoset.hole, "{line}");
            }
            (Some(Event::Discard { infoset: seen, .. }), Some(infoset)) => {
                assert_eq!(infoset.public.discarding(), Some(infoset.seat), "{line}");
                assert_eq!((&seen.public, seen.seat), (&infoset.public, infoset.seat), "{line}");
                assert_eq!(seen.hole, infoset.hole, "{line}");
                assert!(player.discard(3).is_err());
            }
            (event, _) => panic!("{line}: {event:?}"),
        }
    }

    fn play(&mut self, bot: usize, played: Played) {
        let player = &mut self.players[bot];
        match played {
            Played::Action(action) => player.act(action).expect("a legal action"),
            Played::Discard(place) => player.discard(place).expect("a card of the hand"),
            Played::NoDiscard => player.discard(0).expect("a card of the hand"),
        }
        player.poll_transmit();
    }

    /// The end of a round as a bot has seen it.
    fn check_end(
        &mut self,
        bot: usize,
        seat: Seat,
        public: &PublicState,
        hole: &BySeat<HoleCards>,
        payoffs: &BySeat<Payoff>,
    ) {
        let finished = self.over[bot].take().expect("the round is over");
        assert_eq!((&finished.public, &finished.payoffs), (public, payoffs));
        assert_eq!(finished.hole[seat], hole[seat]);
        let shown = finished.hole.iter().filter(|(_, cards)| !cards.is_empty());
        shown.for_each(|(seat, cards)| assert_eq!(*cards, hole[seat]));
    }
}

/// The hands of a deal by seat, and the cards that are dealt to the board.
fn hands(deal: &[Card]) -> (BySeat<HoleCards>, &[Card]) {
    let def = game_def();
    let (hands, dealt) = deal.split_at(6);
    let mut hole = BySeat::new(2);
    for seat in def.seats() {
        let place = 3 * usize::from(index_of(&def, seat));
        hole[seat] = HoleCards::new(&hands[place..place + 3]).expect("a hand");
    }
    (hole, dealt)
}

/// The bots of a recording: their lines and answers, and players that take in the same lines.
struct Recording {
    /// The bot with the small blind in this round.
    first: usize,
    lines: [VecDeque<(String, String)>; 2],
    players: Players,
    told: usize,
}

impl Recording {
    fn bot(&self, index: u8) -> usize {
        (self.first + usize::from(index)) % 2
    }

    /// Takes in what is recorded of a round after an all-in where a bot has folded, which the
    /// engine takes and our hosts do not ask for; returns the refused answers.
    fn take_in_the_rest(&mut self, awarded: &[i64]) -> usize {
        let mut refused = 0;
        for bot in [0, 1] {
            while let Some((line, answer)) = self.lines[bot].pop_front() {
                self.told += 1;
                refused += usize::from(!["K", "F"].contains(&answer.as_str()));
                let line = format!("{}\n", line.replacen('T', "T60.000", 1));
                self.players.take(bot, &line, None);
                if self.players.over[bot].is_some() {
                    break;
                }
            }
            let finished = self.players.over[bot].take().expect("the round is over");
            let index = usize::from(index_of(finished.public.def(), finished.seat));
            assert_eq!(finished.payoffs[finished.seat], Payoff::from_chips(awarded[index]));
        }
        refused
    }
}

impl Bots for Recording {
    fn ask(&mut self, index: u8, line: &str, decides: Option<&InfoSet>) -> String {
        let bot = self.bot(index);
        let (asked, answer) = self.lines[bot].pop_front().expect("a recorded line");
        assert_eq!(line.replacen("T60.000", "T", 1).trim_end(), asked, "line {}", self.told);
        self.told += 1;
        self.players.take(bot, line, decides);
        answer
    }

    fn played(&mut self, index: u8, played: Played) {
        self.players.play(self.bot(index), played);
    }
}

/// Plays a recording again on both sides; returns lines of the engine and refused answers.
fn replay(name: &str) -> (usize, usize) {
    let (def, (rounds, logged)) = (game_def(), rounds(name));
    let lines = ["a", "b"].map(|bot| lines(&format!("{name}.{bot}")));
    let mut bots = Recording { first: 0, lines, players: Players::new(), told: 0 };
    // The host of each bot.
    let mut hosts = [Host::new(Dialect::Discard), Host::new(Dialect::Discard)];
    let mut refusals = Refusals::default();
    for (number, round) in (0..).zip(&rounds) {
        let deal = deal_of(round);
        let (hole, dealt) = hands(&deal);
        bots.first = round.first;
        hosts.rotate_left(round.first);
        let public = play(number, &hole, dealt, &mut hosts, &mut bots, &mut refusals);
        if public.is_showdown() && !round.shown {
            refusals.all += bots.take_in_the_rest(&round.awarded);
            hosts.rotate_left(round.first);
            continue;
        }
        let payoffs = close(number, &public, &hole, &mut hosts, &mut bots, &mut refusals);
        hosts.rotate_left(round.first);
        for seat in def.seats() {
            let index = index_of(&def, seat);
            let awarded = round.awarded[usize::from(index)];
            assert_eq!(payoffs[seat], Payoff::from_chips(awarded), "{name}, round {number}");
            let bot = bots.bot(index);
            bots.players.check_end(bot, seat, &public, &hole, &payoffs);
        }
        // The hand as text, from which it is read again.
        let (betting, cards) = (notation::betting(&public), notation::cards(&public, &hole));
        let read = notation::parse_cards(&def, &cards).expect("the cards of a hand");
        let again = notation::replay(&def, &betting, &read.board).expect("the betting of a hand");
        assert_eq!((again, read.hole), (public, hole), "{betting} {cards}");
    }
    for bot in [0, 1] {
        assert_eq!(bots.lines[bot].pop_front().map(|(line, _)| line).as_deref(), Some("Q"));
        assert!(bots.lines[bot].is_empty());
        bots.players.players[bot].receive(b"Q\n");
        assert!(matches!(bots.players.players[bot].poll_event(), Ok(Some(Event::GameOver))));
    }
    // That engine says nothing of a raise that is too small or too large.
    let said = refusals.all - refusals.raises;
    assert_eq!(said, logged, "{name}: as many answers are refused as the log has");
    (bots.told, refusals.all)
}

#[test]
fn a_recorded_game_of_2026_is_played_again_to_the_byte_on_both_sides() {
    assert_eq!(replay("discard_plain"), (1347, 0));
}

#[test]
fn answers_that_the_engine_of_2026_refuses_are_replaced_as_it_does() {
    let (told, refused) = replay("discard_mess");
    assert!(told > 1000 && refused > 40, "{told} {refused}");
}

#[test]
fn lines_that_no_rule_of_the_year_allows_are_errors() {
    for (line, reason) in [
        ("T60.000 C", "`C` came instead of an index"),
        ("T60.000 P0 HAs,Kd G", "HAs,Kd"),
        ("P0 HAs,Kd,2c G", "instead of the clock"),
        ("T60.000 P0 HAs,Kd,2c G D1", "`D1`"),
        ("T60.000 P0 HAs,Kd,2c G C", "asks"),
        ("T60.000 P0 HAs,Kd,2c G A5", "`A5`"),
        ("T60.000 P0 HAs,Kd,2c G Y10", "`Y10`"),
    ] {
        let mut player = Player::new(game_def(), Dialect::Discard);
        player.receive(format!("{line}\n").as_bytes());
        let error = player.poll_event().expect_err(line).to_string();
        assert!(error.contains(reason), "{line}: {error}");
    }
    let mut player = Player::new(game_def(), Dialect::Discard);
    player.receive(b"T60.000 P1 HAs,Kd,2c G C\n");
    let Ok(Some(Event::Turn { infoset, .. })) = player.poll_event() else { panic!("a decision") };
    let legal = infoset.public.legal();
    assert_eq!(
        (legal.to_call, legal.raise.map(|raise| (raise.min, raise.max))),
        (0, Some((4, 400)))
    );
    player.act(Action::Call).expect("a check");
    assert_eq!(player.poll_transmit(), b"K\n");
    player.receive(b"T60.000 K B2d,Kc\n");
    assert!(matches!(player.poll_event(), Ok(Some(Event::Discard { .. }))));
}

/// Bots with answers drawn at random, that are legal.
struct Drawn<I> {
    answers: I,
    players: Players,
}

impl<I: Iterator<Item = (u8, u32)>> Bots for Drawn<I> {
    fn ask(&mut self, index: u8, line: &str, decides: Option<&InfoSet>) -> String {
        self.players.take(usize::from(index), line, decides);
        // Every clause of the line is read and written as it was.
        for word in line.split_whitespace() {
            let mut again = String::new();
            let clause = Clause::parse(word, Dialect::Discard).expect("a clause");
            clause.write(Dialect::Discard, &mut again);
            assert_eq!(again, word);
        }
        let Some(infoset) = decides else { return "K".to_owned() };
        let (choice, size) = self.answers.next().unwrap_or((1, 0));
        let public = &infoset.public;
        if public.discarding().is_some() {
            return format!("D{}", choice % 3);
        }
        let (legal, before) = (public.legal(), public.before_street());
        match legal.raise {
            Some(raise) if choice > 8 => {
                let to = (raise.min + size * size * size * 20).min(raise.max);
                format!("R{}", to - before)
            }
            _ if choice == 0 => "F".to_owned(),
            _ if legal.to_call > 0 => "C".to_owned(),
            _ => "K".to_owned(),
        }
    }

    fn played(&mut self, index: u8, played: Played) {
        self.players.play(usize::from(index), played);
    }
}

proptest! {
    #[test]
    fn both_sides_agree_on_every_round_and_no_chip_is_lost(
        order in Just(Card::all().collect::<Vec<_>>()).prop_shuffle(),
        answers in prop::collection::vec((0..12u8, 0..4u32), 60),
    ) {
        let (hole, dealt) = hands(&order[..DEALT]);
        let mut hosts = [Host::new(Dialect::Discard), Host::new(Dialect::Discard)];
        let mut bots = Drawn { answers: answers.into_iter(), players: Players::new() };
        let mut refusals = Refusals::default();
        let public = play(0, &hole, dealt, &mut hosts, &mut bots, &mut refusals);
        let payoffs = close(0, &public, &hole, &mut hosts, &mut bots, &mut refusals);
        prop_assert_eq!(refusals, Refusals::default());
        let won: Vec<Payoff> = payoffs.iter().map(|(_, &won)| won).collect();
        prop_assert_eq!(won[0] + won[1], Payoff::ZERO);
        prop_assert!(won[0] <= Payoff::from_chips(400) && won[1] <= Payoff::from_chips(400));
        for seat in public.def().seats() {
            let index = usize::from(index_of(public.def(), seat));
            bots.players.check_end(index, seat, &public, &hole, &payoffs);
        }
    }

    #[test]
    fn lines_drawn_at_random_never_break_a_bot(
        words in prop::collection::vec("[TPHGBCKFRDAOQ]?[0-9AKQs,.cdh-]{0,8}", 1..8)
    ) {
        let mut player = Player::new(game_def(), Dialect::Discard);
        player.receive(b"T60.000 P1 HAs,Kd,2c G C\n");
        let _ = player.poll_event();
        let _ = player.act(Action::Call);
        player.receive(format!("{}\n", words.join(" ")).as_bytes());
        let _ = player.poll_event();
    }
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
