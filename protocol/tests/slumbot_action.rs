//! Slumbot's betting texts: strings of the live server, the borders of the grammar, random hands.

use cards::{Board, Card};
use game::{Action, PublicState, Turn};
use proptest::prelude::*;
use protocol::slumbot::{ActionReason, Incr, Refusal, action};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::slumbot_client::game;

fn board(cards: usize) -> Board {
    let all: Board = "AhKd7c2s9h".parse().unwrap();
    Board::new(&all[..cards]).unwrap()
}

fn replay(text: &str, cards: usize) -> PublicState {
    action::replay(&game(), text, &board(cards)).unwrap()
}

/// Checks the chips that each seat has put in, and the seat to act (`None` when the hand is over).
fn check(text: &str, cards: usize, committed: [u32; 2], to_act: Option<usize>) {
    let state = replay(text, cards);
    assert_eq!(state.committed().as_slice(), committed, "{text}");
    let turn = match state.turn() {
        Turn::Act(seat) => Some(seat.index()),
        _ => None,
    };
    assert_eq!(turn, to_act, "{text}");
    assert_eq!(action::write(&state), text);
}

#[test]
fn strings_of_the_live_server_are_read_and_printed_as_they_are() {
    let cases: &[(&str, usize, [u32; 2], Option<usize>)] = &[
        ("", 0, [100, 50], Some(1)),
        ("f", 0, [100, 50], None),
        ("c", 0, [100, 100], Some(0)),
        ("b200", 0, [100, 200], Some(0)),
        ("b200f", 0, [100, 200], None),
        ("b20000f", 0, [100, 20000], None),
        ("b200c/", 3, [200, 200], Some(0)),
        ("ck/", 3, [100, 100], Some(0)),
        ("b300c/k", 3, [300, 300], Some(1)),
        ("b200c/kb400", 3, [200, 600], Some(0)),
        ("b300c/kb600f", 3, [300, 900], None),
        ("b200c/kb200c/b400f", 4, [800, 400], None),
        ("b400c/kk/b200b400c/kk", 5, [800, 800], None),
        ("b20000c///", 5, [20000, 20000], None),
        ("b200c/b19800c//", 5, [20000, 20000], None),
        ("b200c/kb200c/b19600c/", 5, [20000, 20000], None),
        ("b200b1250c/kb750b18650b18750", 3, [19900, 20000], Some(0)),
        ("b200b1103c/b940c/b778b6957b13136b17957", 4, [15179, 20000], Some(0)),
        ("b200b2179b4200", 0, [2179, 4200], Some(0)),
        ("cb300c/kb19700f", 3, [300, 20000], None),
        ("ck/kk/kb200c/kk", 5, [300, 300], None),
        ("b200b600", 0, [600, 200], Some(1)),
    ];
    for &(text, cards, committed, to_act) in cases {
        check(text, cards, committed, to_act);
    }
}

#[test]
fn the_slashes_that_nothing_follows_may_be_left_out_but_not_in_part() {
    let equal = [
        ("b200c/", "b200c", 3),
        ("ck/", "ck", 3),
        ("b20000c///", "b20000c", 5),
        ("b200c/b19800c//", "b200c/b19800c", 5),
        ("b200c/kb200c/b19600c/", "b200c/kb200c/b19600c", 5),
    ];
    for (live, bare, cards) in equal {
        assert_eq!(replay(live, cards), replay(bare, cards));
        assert_eq!(action::write(&replay(bare, cards)), live);
    }
    for (text, at) in [("b20000c/", 8), ("b20000c//", 9), ("b200c/b19800c/", 14)] {
        let error = action::replay(&game(), text, &board(5)).unwrap_err();
        assert_eq!((error.at, error.reason), (at, ActionReason::SomeSlashes), "{text}");
    }
}

#[test]
fn texts_that_are_no_hand_are_refused_with_the_place() {
    use ActionReason as R;
    let cases: &[(&str, usize, R)] = &[
        ("x", 0, R::NotAnAction('x')),
        ("cé", 1, R::NotAnAction('é')),
        ("K", 0, R::NotAnAction('K')),
        ("b", 0, R::NoSize),
        ("cb0300", 1, R::NoSize),
        ("cb0", 1, R::NoSize),
        ("/", 0, R::EarlySlash),
        ("c/", 1, R::EarlySlash),
        ("f/", 1, R::EarlySlash),
        ("ck//", 3, R::EarlySlash),
        ("ck/kk/kk/kk/", 11, R::EarlySlash),
        ("b20000c////", 10, R::EarlySlash),
        ("ckk", 2, R::MissingSlash),
        ("fk", 1, R::Illegal(Refusal::HandOver)),
        ("b20000c///k", 10, R::Illegal(Refusal::HandOver)),
        ("k", 0, R::Illegal(Refusal::Check)),
        ("ck/c", 3, R::Illegal(Refusal::Call)),
        ("cc", 1, R::Illegal(Refusal::Call)),
        ("cf", 1, R::Illegal(Refusal::Fold)),
        ("b20000b20000", 6, R::Illegal(Refusal::NoBet)),
        ("b199", 0, R::Illegal(Refusal::TooSmall { to: 199, least: 200 })),
        ("ck/b99", 3, R::Illegal(Refusal::TooSmall { to: 99, least: 100 })),
        ("b200b2179b4157", 9, R::Illegal(Refusal::TooSmall { to: 4157, least: 4158 })),
        ("b20001", 0, R::Illegal(Refusal::TooBig { to: 20001, most: 20000 })),
        ("b200c/b20000", 6, R::Illegal(Refusal::TooBig { to: 20000, most: 19800 })),
    ];
    for (text, at, reason) in cases {
        let error = action::read(&game(), text).unwrap_err();
        assert_eq!((error.at, &error.reason), (*at, reason), "{text}");
        assert_eq!(error.text, *text);
    }
    let huge = format!("b{}", "9".repeat(31));
    let error = action::read(&game(), &huge).unwrap_err();
    assert!(matches!(error.reason, R::Illegal(Refusal::TooBig { most: 20000, .. })));
}

#[test]
fn the_board_must_be_that_of_the_streets_begun() {
    let error = |text, cards| action::replay(&game(), text, &board(cards)).unwrap_err().reason;
    assert!(matches!(error("b200c/", 0), ActionReason::Deal(_)));
    assert!(matches!(error("b20000c///", 4), ActionReason::Deal(_)));
    assert_eq!(error("b200c/", 4), ActionReason::Board { found: 4, needed: 3 });
    assert_eq!(error("f", 3), ActionReason::Board { found: 3, needed: 0 });
    let twice: Vec<Card> = ["Ah", "Ah", "2c"].iter().map(|c| c.parse().unwrap()).collect();
    let error = action::replay(&game(), "ck/", &twice).unwrap_err();
    assert_eq!(error.to_string(), "action `ck/`, character 2: Ah is dealt twice");
}

#[test]
fn one_action_is_read_as_the_live_server_reads_it() {
    let good = [
        ("k", Incr::Check),
        ("c", Incr::Call),
        ("f", Incr::Fold),
        ("b200", Incr::BetTo(200)),
        ("b0", Incr::BetTo(0)),
        ("b00200", Incr::BetTo(200)),
        ("b1000000000000000000000000000000", Incr::BetTo(u32::MAX)),
    ];
    for (text, incr) in good {
        assert_eq!(text.parse::<Incr>(), Ok(incr), "{text}");
    }
    let bad = [
        ("", 0),
        ("b", 1),
        ("kk", 1),
        ("c ", 1),
        (" c", 0),
        ("b19999b20000f", 6),
        ("0c", 0),
        ("K", 0),
        ("b-5", 1),
        ("b2.5", 2),
        ("b٣", 1),
        ("r300", 0),
        ("/", 0),
        ("c/", 1),
    ];
    for (text, at) in bad {
        let error = text.parse::<Incr>().unwrap_err();
        assert_eq!((error.at, error.text.as_str()), (at, text));
    }
}

#[test]
fn refusals_have_the_live_server_s_texts() {
    let cases = [
        ("", 0, "k", "Illegal check"),
        ("c", 0, "c", "Illegal call"),
        ("c", 0, "f", "Illegal fold"),
        ("b200", 0, "b399", ""),
        ("b200", 0, "b299", "Illegal bet"),
        ("b20000", 0, "b20000", "Illegal bet"),
        ("b200c/", 3, "b20000", "Bet size too big"),
        ("b200c/", 3, "b19800", ""),
        ("f", 0, "c", "unexpected action"),
    ];
    for (text, cards, incr, expected) in cases {
        let incr: Incr = incr.parse().unwrap();
        let answer = incr.action(&replay(text, cards)).err();
        assert_eq!(answer.map_or("", Refusal::error_msg), expected, "{incr} after `{text}`");
    }
}

#[test]
fn cards_are_shown_high_to_low_turn_and_river_last() {
    let hole: cards::HoleCards = "2cAcAs".parse().unwrap();
    assert_eq!(action::high_to_low(hole).to_string(), "AsAc2c");
    let cases =
        [("", ""), ("2c3h3s", "3s3h2c"), ("2c3h3sAd", "3s3h2cAd"), ("2c9dJh3dKc", "Jh9d2c3dKc")];
    for (dealt, shown) in cases {
        assert_eq!(action::board_order(dealt.parse().unwrap()).to_string(), shown);
    }
}

/// Plays a random hand to its end or for `most` actions, dealing what is due; gives the board too.
fn random_hand(seed: u64, most: usize) -> (PublicState, Board) {
    let def = game();
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut deck = def.deck();
    deck.shuffle(&mut rng);
    let full = &deck[..5];
    let mut state = PublicState::new(&def);
    for _ in 0..most {
        state.deal_from(full).unwrap();
        let legal = state.legal();
        if state.turn() == Turn::Over {
            break;
        }
        let action = match (rng.random_range(0..6u32), legal.raise) {
            (0, _) if legal.fold => Action::Fold,
            (1, Some(raise)) => Action::RaiseTo(rng.random_range(raise.min..=raise.max)),
            (2, Some(raise)) => Action::RaiseTo(raise.min),
            (3, Some(raise)) if rng.random_range(0..4u32) == 0 => Action::RaiseTo(raise.max),
            _ => Action::Call,
        };
        let incr = Incr::from_action(action, &state);
        assert_eq!(incr.to_string().parse(), Ok(incr));
        assert_eq!(incr.action(&state), Ok(action));
        state.apply(action).unwrap();
    }
    let undealt = action::write(&state);
    state.deal_from(full).unwrap();
    assert_eq!(action::write(&state), undealt, "slashes do not wait for the cards");
    let board = state.board();
    (state, board)
}

proptest! {
    #[test]
    fn random_hands_survive_writing_and_reading(seed: u64, most in 0usize..40) {
        let (state, board) = random_hand(seed, most);
        let text = action::write(&state);
        let again = action::replay(&game(), &text, &board).unwrap();
        prop_assert_eq!(&again, &state);
        prop_assert_eq!(again.committed(), state.committed());
        prop_assert_eq!(again.turn(), state.turn());
        let bare = text.trim_end_matches('/');
        prop_assert_eq!(action::replay(&game(), bare, &board).unwrap(), state.clone());
        let actions: Vec<Action> = state.history().iter().map(|played| played.action).collect();
        prop_assert_eq!(action::read(&game(), &text), Ok(actions));
    }

    /// One letter changed in a good text: an error with its place, or another good text.
    #[test]
    fn damaged_hands_are_refused_or_are_other_hands(
        seed: u64, at: prop::sample::Index, letter in prop::sample::select(b"kcfb/0159 x".to_vec()),
    ) {
        let (state, _) = random_hand(seed, 12);
        let mut text = action::write(&state).into_bytes();
        if text.is_empty() { return Ok(()); }
        let at = at.index(text.len());
        text[at] = letter;
        crate::fuzzing::slumbot::action(&text);
        if let Err(error) = action::read(&game(), str::from_utf8(&text).unwrap()) {
            prop_assert!(error.at <= text.len());
        }
    }
}
