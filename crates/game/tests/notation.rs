//! Hands as text: what is printed is read back, whatever else is an error and never a panic.

use std::sync::Arc;

use cards::Board;
use game::{BySeat, GameDef, PublicState, Street, Turn, games, notation};
use proptest::prelude::*;

use crate::random;

/// Prints a state and its cards, reads them back, and demands the same state and text.
fn round_trip(def: &Arc<GameDef>, state: &PublicState, hole: &BySeat<cards::HoleCards>) {
    let betting = notation::betting(state);
    let cards = notation::cards(state, hole);
    let read = notation::parse_cards(def, &cards).expect(&cards);
    assert_eq!((read.hole, read.board), (*hole, state.board()), "{cards}");
    let again = notation::replay(def, &betting, &read.board).expect(&betting);
    assert_eq!(&again, state, "{betting} {cards}");
    assert_eq!(again.turn(), state.turn());
    assert_eq!(notation::betting(&again), betting);
    assert_eq!(notation::cards(&again, &read.hole), cards);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn every_state_of_any_hand_prints_and_reads_back(
        def in random::a_game(),
        seed in any::<u64>(),
    ) {
        let deal = random::deal(&def, seed);
        // What one seat sees: the others' hole cards are missing.
        let mut own = BySeat::new(def.players);
        let viewer = def.seats().nth(seed as usize % def.players).expect("a seat");
        own[viewer] = deal.hole[viewer];
        random::play(&def, &deal, seed, |state| {
            // Until its board cards lie, a first street that has some cannot be written down: they
            // follow the last hole cards without a separator.
            if state.turn() != Turn::Deal(Street::Preflop) {
                round_trip(&def, state, &deal.hole);
                round_trip(&def, state, &own);
            }
        });
    }

    #[test]
    fn any_text_is_a_hand_or_an_error(
        def in random::a_game(),
        betting in "\\PC{0,30}",
        cards in "\\PC{0,40}",
    ) {
        _ = notation::replay(&def, &betting, &Board::EMPTY);
        _ = notation::parse_cards(&def, &cards);
    }

    #[test]
    fn text_of_the_right_letters_is_a_hand_or_an_error(
        def in random::a_game(),
        seed in any::<u64>(),
        betting in "(c|f|r|/|r[0-9]{1,12}){0,30}",
        cards in "([2-9TJQKA][cdhs]|/|\\|){0,40}",
    ) {
        let board = random::deal(&def, seed).board;
        for dealt in 0..=board.len() {
            let board = Board::new(&board[..dealt]).expect("part of a board");
            if let Ok(state) = notation::replay(&def, &betting, &board) {
                prop_assert_eq!(notation::betting(&state), betting.clone());
                prop_assert_eq!(state.board(), board);
            }
        }
        _ = notation::parse_cards(&def, &cards);
    }

    #[test]
    fn a_hand_with_one_character_changed_is_another_hand_or_an_error(
        def in random::a_game(),
        seed in any::<u64>(),
        at in any::<prop::sample::Index>(),
        letter in "[cfr/0-9|AhKd]",
    ) {
        let deal = random::deal(&def, seed);
        let state = random::play(&def, &deal, seed, |_| ());
        let mut betting = notation::betting(&state);
        if !betting.is_empty() {
            let at = at.index(betting.len());
            betting.replace_range(at..=at, &letter);
        }
        if let Ok(read) = notation::replay(&def, &betting, &state.board()) {
            prop_assert_eq!(notation::betting(&read), betting);
        }
    }
}

#[test]
fn wrong_betting_is_an_error_that_says_where_and_why() {
    let table = [
        ("x", "betting `x`, character 0: `x` is not an action"),
        ("cé", "betting `cé`, character 1: `é` is not an action"),
        ("r", "character 0: a raise needs a total of at most 2147483647 chips"),
        ("r99999999999", "character 0: a raise needs a total"),
        ("r0300", "character 0: a raise needs a total"),
        ("r150", "character 0: a raise to 150 is outside 200 to 20000"),
        ("r20001", "is outside 200 to 20000"),
        ("c/", "character 1: no street ends here"),
        ("ccc", "character 2: the flop must be dealt first"),
        ("cc/f", "there is nothing to call"),
        ("r20000r20000", "no raise is allowed here"),
        ("fc", "character 1: the hand is over"),
        ("f/", "character 1: no street ends here"),
        ("cc/cc", ""),
    ];
    let def = Arc::new(games::nolimit_holdem());
    let flop: Board = "2c7d9s".parse().expect("a flop");
    for (betting, message) in table {
        let board = if betting.starts_with("cc/") { flop } else { Board::EMPTY };
        match notation::replay(&def, betting, &board) {
            Ok(_) => assert_eq!(message, "", "{betting}"),
            Err(error) => {
                let error = error.to_string();
                assert!(!message.is_empty() && error.contains(message), "{betting}: {error}");
            }
        }
    }
}

#[test]
fn a_board_that_does_not_fit_the_betting_is_refused() {
    let def = Arc::new(games::nolimit_holdem());
    let board = |text: &str| text.parse::<Board>().expect("a board");
    for (betting, cards, message) in [
        ("cc/", "", "0 cards dealt for the flop, which takes 3"),
        ("cc/", "2c7d", "2 cards dealt for the flop, which takes 3"),
        ("cc/", "2c7d9sTd", "no board cards are due"),
        ("cc", "2c7d9s", "no board cards are due"),
        ("", "2c", "no board cards are due"),
    ] {
        let error = notation::replay(&def, betting, &board(cards)).expect_err(betting).to_string();
        assert!(error.contains(message), "{betting} {cards}: {error}");
    }
    let leduc = Arc::new(games::leduc());
    let error = notation::replay(&leduc, "cc/", &board("2h")).expect_err("no deuce").to_string();
    assert!(error.contains("2h is not in this game's deck"), "{error}");
}

#[test]
fn wrong_cards_are_errors_that_say_why() {
    let def = games::nolimit_holdem();
    for (cards, message) in [
        ("AhKd", "1 hands for 2 players"),
        ("AhKd|QcQd|JcJd", "3 hands for 2 players"),
        ("Ah|", "section `Ah` must hold 2 cards"),
        ("AhKdQc|", "section `AhKdQc` must hold 2 cards"),
        ("AhKd|/2c7d", "section `2c7d` must hold 3 cards"),
        ("AhKd|/2c7d9s/Td/Th/Ts", "more streets than the game has"),
        ("AhKd|AhQd", "a card appears twice"),
        ("AhKd|/AhQd9s", "a card appears twice"),
        ("AhXd|", "`Xd` is not a card"),
        ("AhKD|", "suits in small letters"),
    ] {
        let error = notation::parse_cards(&def, cards).expect_err(cards).to_string();
        assert!(error.contains(message), "{cards}: {error}");
    }
    let error = notation::parse_cards(&games::kuhn(), "2s|").expect_err("no deuce").to_string();
    assert!(error.contains("not in this game's deck"), "{error}");
}
