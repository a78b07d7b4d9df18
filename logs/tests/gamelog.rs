//! Logs of the engine of MIT Pokerbots: two that it wrote are read whole and written again to the
//! byte; what is written comes back; what contradicts the rules is told.

use std::sync::Arc;

use cards::{Card, HoleCards};
use game::{Action, BySeat, GameDef, GameSpec, Payoff, PublicState, Turn, games};
use logs::HandRecord;
use logs::formats::gamelog::{Writer, check};
use logs::formats::{SiteFormat, SiteHand};
use proptest::prelude::*;

use crate::hands;

/// The game of the base engine.
pub(crate) fn game() -> Arc<GameDef> {
    let usual = games::nolimit_holdem_with(vec![400, 400]);
    let spec = GameSpec { blinds: vec![2, 1], ..usual.spec().clone() };
    Arc::new(GameDef::new(spec).unwrap())
}

fn recorded(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../protocol/tests/data/pokerbots/");
    std::fs::read_to_string(format!("{folder}{name}.gamelog")).unwrap()
}

fn read(text: &str) -> Result<Vec<SiteHand>, String> {
    let hands = SiteFormat::Pokerbots.read(text).hands;
    hands.into_iter().map(|hand| hand.map_err(|error| error.to_string())).collect()
}

/// The log of these hands, whose players are A and B.
fn written(hands: impl IntoIterator<Item = HandRecord>, names: [&str; 2]) -> String {
    written_in(&game(), hands, names)
}

fn written_in(
    def: &Arc<GameDef>,
    hands: impl IntoIterator<Item = HandRecord>,
    names: [&str; 2],
) -> String {
    let mut info = hands::info(def, 4, false);
    for (entrant, name) in info.entrants.iter_mut().zip(names) {
        name.clone_into(&mut entrant.name);
    }
    let mut writer = Writer::new(&info).unwrap();
    let mut text = String::new();
    writer.write_header(&mut text);
    hands.into_iter().for_each(|hand| writer.write_hand(&hand, &mut text));
    writer.write_end(&mut text);
    text
}

#[test]
fn recorded_logs_are_read_whole_and_written_again_to_the_byte() {
    for (name, rounds, won) in [("plain", 120, -792), ("mess2", 80, -708)] {
        let text = recorded(name);
        assert_eq!(SiteFormat::detect(&text), Some(SiteFormat::Pokerbots));
        let hands = read(&text).unwrap();
        assert_eq!(hands.len(), rounds);
        let of_a = hands.iter().map(|(hand, names)| {
            let seat = hand.public.def().seats().find(|seat| names[seat.index()] == "A");
            hand.payoffs[seat.unwrap()]
        });
        assert_eq!(of_a.sum::<Payoff>(), Payoff::from_chips(won), "{name}");
        assert_eq!(**hands[0].0.public.def(), *game());
        let refused = |line: &&str| {
            line.contains(" attempted illegal ") || line.contains(" response misformatted: ")
        };
        let plain: Vec<&str> = text.lines().filter(|line| !refused(line)).collect();
        let again = written(hands.into_iter().map(|(hand, _)| hand), ["A", "B"]);
        assert_eq!(again, plain.join("\n"), "{name}");
    }
}

/// The game of 2026.
fn discard_game() -> Arc<GameDef> {
    let (hole_cards, board_cards, discards) = (3, vec![0, 4, 1, 1], true);
    let spec = GameSpec { hole_cards, board_cards, discards, ..game().spec().clone() };
    Arc::new(GameDef::new(spec).unwrap())
}

/// The round of a log of 2026, whose small blind is the player of this number.
fn round_of_2026(number: u64, text: &str) -> HandRecord {
    let def = discard_game();
    let mut public = PublicState::new(&def);
    let first = usize::from(!text.starts_with(&format!("{}, A (", number + 1)));
    let entrants = BySeat::from_fn(2, |seat| {
        let index = usize::from(seat != def.button());
        ((first + index) % 2) as u8
    });
    let mut hole = BySeat::new(2);
    let mut put = false;
    for line in text.lines().skip(1) {
        let words: Vec<&str> = line.split(' ').collect();
        let cards = || -> Vec<Card> {
            let list = line.split(['[', ']']).nth(1).unwrap();
            list.split(' ').map(|card| card.parse().unwrap()).collect()
        };
        let player = u8::from(words[0] == "B");
        let seat = def.seats().find(|&seat| entrants[seat] == player).unwrap();
        if ["Flop", "Turn", "River"].contains(&words[0]) {
            let known = public.board().len();
            public.deal(&cards()[known..]).unwrap();
            continue;
        }
        // A card that was put on the board is acknowledged.
        if std::mem::take(&mut put) && words[1] == "checks" {
            continue;
        }
        match words[1] {
            "dealt" => hole[seat] = HoleCards::new(&cards()).unwrap(),
            "discards" => {
                let card: Card = words[2].parse().unwrap();
                let place = hole[seat].iter().position(|&held| held == card).unwrap();
                public.discard(place as u8, card).unwrap();
                put = true;
            }
            "bets" | "raises" => {
                let to: u32 = words.last().unwrap().parse().unwrap();
                public.apply(Action::RaiseTo(public.before_street() + to)).unwrap();
            }
            "calls" => public.apply(Action::Call).unwrap(),
            "checks" if public.turn() == Turn::Act(seat) => public.apply(Action::Call).unwrap(),
            "folds" if public.apply(Action::Fold).is_err() => public.concede(seat).unwrap(),
            _ => {}
        }
    }
    let payoffs = public.payoffs(&hole);
    HandRecord { hand: number, deal: number, public, hole, payoffs, entrants }
}

#[test]
fn games_of_2026_are_written_to_the_byte() {
    for name in ["discard_plain", "discard_mess"] {
        let text = recorded(name);
        let refused = |line: &&str| {
            let words = [" attempted illegal ", " attempted to discard ", " response misformatted"];
            words.iter().any(|words| line.contains(words)) || line.starts_with("street = ")
        };
        let plain: Vec<&str> = text.lines().filter(|line| !refused(line)).collect();
        let plain = plain.join("\n");
        let rounds = plain.split("\n\nFinal").next().unwrap().split("\nRound #").skip(1);
        let hands = (0..).zip(rounds).map(|(number, round)| round_of_2026(number, round));
        let again = written_in(&discard_game(), hands, ["A", "B"]);
        for (number, (written, line)) in (1..).zip(again.lines().zip(plain.lines())) {
            assert_eq!(written, line, "{name}, line {number}");
        }
        assert_eq!(again.len(), plain.len());
    }
}

#[test]
fn a_log_that_is_cut_off_loses_its_last_round() {
    let text = recorded("plain");
    let whole = SiteFormat::Pokerbots.read(&text).hands.len();
    let cut = &text[..text.find("A awarded 50").unwrap_or(text.len() / 2)];
    let hands = SiteFormat::Pokerbots.read(cut).hands;
    let (last, before) = hands.split_last().unwrap();
    assert!(last.as_ref().is_err_and(|error| error.cut), "{last:?}");
    assert!(before.iter().all(Result::is_ok) && hands.len() < whole);
}

#[test]
fn what_contradicts_the_rules_is_told_with_its_line() {
    let text = recorded("plain");
    let rows = testing::rows::<3>(
        "
        A awarded 4 => A awarded 5 => 9 chips of a pot of 8 are paid out
        A awarded 4\\nB awarded -4 => A awarded -4\\nB awarded 4 => but the rules give
        B awarded -4 => B awarded -3 => paid out
        River [Qs 8s Ts Jd Jc], A (2) => River [Qs 8s Ts Jd Jc], A (3) => line 16: `River
        River [Qs 8s Ts Jd Jc] => River [Qs 8s Ts 9d Jc] => the board was Qs8sTsJd before
        Turn [Qs => River [Qs => the cards of the turn are due here
        A shows [2d 2h] => A shows [2d 2c] => the cards were 2d2h before
        Round #2, B (-4), A (4) => Round #2, B (-4), A (5) => the results of A add up to 4
        Final, A (-792) => Final, A (-791) => the results of A add up to -792
        B bets 2 => B bets 401 => a raise to 403 is outside 4 to 400
        A posts the blind of 1 => A posts the blind of 5 => only the base game is read
        A calls => A jumps => this is not understood
        A checks => B checks => it is the turn of A
        ",
    );
    for [from, to, reason] in rows {
        assert!(text.contains(&from), "{from}");
        let error = read(&text.replacen(&from, &to, 1)).unwrap_err();
        assert!(error.contains(&reason), "{to}: {error}");
    }
    let other = games::nolimit_holdem();
    let error = check(&other).unwrap_err().to_string();
    assert!(error.contains("blinds of 1 and 2 and 400 chips only"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_comes_back(seed: u64, odd: bool) {
        let records = hands::random_hands(&game(), 8, 1, seed);
        // Names that look like parts of lines.
        let names = if odd { ["a calls", "a"] } else { ["A", "B (3)"] };
        let text = written(records.iter().cloned(), names);
        for text in [text.replace('\n', "\r\n"), text] {
            let read = read(&text).unwrap();
            prop_assert_eq!(read.len(), records.len());
            for ((back, seated), record) in read.iter().zip(&records) {
                prop_assert_eq!(&back.public, &record.public);
                prop_assert_eq!(&back.hole, &record.hole);
                prop_assert_eq!(&back.payoffs, &record.payoffs);
                prop_assert_eq!(back.hand, record.hand);
                for (seat, name) in record.public.def().seats().zip(seated) {
                    prop_assert_eq!(name, names[usize::from(record.entrants[seat])]);
                }
            }
        }
    }

    #[test]
    fn a_changed_line_is_refused_or_changes_no_result(
        name in proptest::sample::select(vec!["plain", "mess2"]),
        line: proptest::sample::Index,
        change in "(A|B) (calls|checks|folds|raises to 9|bets 7|awarded 1|shows \\[Ah Kd\\])|\
                   Flop \\[2c 3d 4h\\], A \\(2\\), B \\(2\\)|\
                    Round #1, A \\(0\\), B \\(0\\)|.{0,20}",
    ) {
        let text = recorded(name);
        let mut lines: Vec<&str> = text.lines().collect();
        let place = line.index(lines.len());
        lines[place] = &change;
        for hand in SiteFormat::Pokerbots.read(&lines.join("\n")).hands.into_iter().flatten() {
            let (record, _) = hand;
            prop_assert_eq!(record.public.payoffs(&record.hole), record.payoffs);
        }
    }

    #[test]
    fn no_text_makes_it_panic(text: String) {
        let _ = SiteFormat::Pokerbots.read(&text);
    }
}
