//! Game definitions: what is not a game is refused in words; positions and decks are as written.

use game::{GameDef, GameSpec, Position, games};

/// The heads-up no-limit game with one thing changed.
fn changed(change: impl FnOnce(&mut GameSpec)) -> Result<GameDef, String> {
    let mut spec = games::nolimit_holdem().spec().clone();
    change(&mut spec);
    GameDef::new(spec).map_err(|error| error.to_string())
}

#[test]
fn what_is_not_a_game_is_refused_in_words() {
    type Change = fn(&mut GameSpec);
    let table: [(Change, &str); 14] = [
        (|s| s.players = 1, "the number of players is 1, but must be from 2 to 10"),
        (|s| s.players = 11, "the number of players is 11"),
        (|s| s.streets = 0, "the number of rounds is 0, but must be from 1 to 4"),
        (|s| s.streets = 5, "the number of rounds is 5"),
        (|s| s.suits = 5, "the number of suits is 5, but must be from 1 to 4"),
        (|s| s.ranks = 14, "the number of ranks is 14, but must be from 1 to 13"),
        (|s| s.hole_cards = 4, "the number of hole cards is 4, but must be from 1 to 3"),
        (|s| s.stacks = vec![500], "stacks: 1 given, but 2 needed"),
        (|s| s.blinds = vec![1, 2, 3], "blinds: 3 given, but 2 needed"),
        (|s| s.first_to_act[2] = 2, "the first player of a round is 3, but must be from 1 to 2"),
        (|s| s.stacks[1] = 40, "the blind of player 2 is 50, more than the stack of 40"),
        (|s| s.stacks[0] = 1 << 31, "a stack is 2147483648, but must be from 1 to 2147483647"),
        (|s| s.board_cards[0] = 3, "hole cards and board together is 10, but must be from 1 to 7"),
        (|s| (s.suits, s.ranks) = (1, 8), "a hand needs 9 cards, but the deck holds 8"),
    ];
    for (change, message) in table {
        let error = changed(change).expect_err(message);
        assert!(error.starts_with(message), "{error}");
    }
    let mut limit = games::limit_holdem().spec().clone();
    limit.raise_sizes.pop();
    let error = GameDef::new(limit).expect_err("three raise sizes").to_string();
    assert_eq!(error, "raise sizes: 3 given, but 4 needed");
}

#[test]
fn definitions_survive_json_and_unknown_keys_do_not() {
    for def in [games::kuhn(), games::leduc(), games::limit_holdem(), games::nolimit_holdem()] {
        let text = serde_json::to_string(&def).expect("plain data");
        assert_eq!(serde_json::from_str::<GameDef>(&text).expect("the same game"), def);
        let misspelt = text.replace("max_raises", "max_raise");
        assert!(serde_json::from_str::<GameDef>(&misspelt).is_err());
    }
    let impossible = serde_json::to_string(&games::kuhn()).expect("plain data");
    let impossible = impossible.replace("\"players\":2", "\"players\":12");
    assert!(serde_json::from_str::<GameDef>(&impossible).is_err());
}

#[test]
fn positions_are_the_usual_ones() {
    let names = |def: &GameDef| -> Vec<String> {
        def.seats().map(|seat| def.position(seat).to_string()).collect()
    };
    assert_eq!(names(&games::nolimit_holdem()), ["big blind", "button"]);
    assert_eq!(names(&games::limit_holdem()), ["big blind", "button"]);
    let six = games::nolimit_holdem_with(vec![20_000; 6]);
    let usual = ["small blind", "big blind", "button-3", "button-2", "cut-off", "button"];
    assert_eq!(names(&six), usual);
    let three = games::nolimit_holdem_with(vec![20_000; 3]);
    assert_eq!(names(&three), ["small blind", "big blind", "button"]);
    assert_eq!(three.position(three.button()), Position::Button);
}

#[test]
fn decks_are_the_highest_suits_and_ranks_in_the_protocols_order() {
    let text = |def: &GameDef| def.deck().iter().map(ToString::to_string).collect::<String>();
    assert_eq!(text(&games::kuhn()), "QsKsAs");
    assert_eq!(text(&games::leduc()), "QhKhAhQsKsAs");
    let whole = games::nolimit_holdem();
    assert!(text(&whole).starts_with("2c3c4c") && text(&whole).ends_with("QsKsAs"));
    for def in [games::kuhn(), games::leduc(), whole] {
        assert!(cards::Card::all().all(|card| def.has_card(card) == def.deck().contains(&card)));
    }
}

#[test]
fn board_lengths_add_up_by_street() {
    let def = games::nolimit_holdem();
    let lengths = game::Street::ALL.map(|street| def.board_len(street));
    assert_eq!(lengths, [0, 3, 4, 5]);
    assert_eq!(def.full_board_len(), 5);
    assert_eq!((games::kuhn().full_board_len(), games::leduc().full_board_len()), (0, 1));
}
