//! Cards as text: every card prints and parses back, anything else is an error that says why.

use cards::{Board, Card, CardList, HoleCards, Rank, Suit};
use proptest::prelude::*;

#[test]
fn every_card_prints_and_parses_back() {
    for card in Card::all() {
        let text = card.to_string();
        assert_eq!(text.parse(), Ok(card));
        assert_eq!(text.to_lowercase().parse(), Ok(card));
        assert_eq!(text.to_uppercase().parse(), Ok(card));
        assert_eq!(Card::new(card.rank(), card.suit()), card);
        assert_eq!(Card::from_index(card.index()), Some(card));
    }
    assert_eq!(Card::all().map(|card| card.to_string()).next_back().as_deref(), Some("As"));
}

#[test]
fn numbers_beyond_the_deck_are_refused() {
    assert_eq!(Card::from_index(52), None);
    assert_eq!(Rank::new(13), None);
    assert_eq!(Suit::new(4), None);
}

#[test]
fn a_wrong_card_is_named_in_the_message() {
    for text in ["", "A", "Ahh", "1h", "Ax", "10h", "ſs", "K♠", "Äh", " Ah"] {
        let error = text.parse::<Card>().expect_err(text).to_string();
        assert!(error.contains(&format!("`{text}`")), "{error}");
    }
}

#[test]
fn wrong_lists_are_errors_that_say_where() {
    let table = [
        ("AhK", "at character 2: `K` is not a card"),
        ("Ah Kd", "at character 2: ` K` is not a card"),
        ("AhAh", "Ah appears twice"),
        ("AhKdQcJs", "4 cards where at most 3 fit"),
    ];
    for (text, message) in table {
        let error = text.parse::<HoleCards>().expect_err(text).to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
}

#[test]
fn a_full_list_takes_no_more() {
    let cards: Vec<Card> = Card::all().take(4).collect();
    assert_eq!(HoleCards::new(&cards), None);
    let mut list: HoleCards = "AhKdQc".parse().expect("three cards");
    assert!(!list.push(cards[0]));
    assert_eq!(list.to_string(), "AhKdQc");
}

proptest! {
    #[test]
    fn lists_print_and_parse_back(indices in prop::collection::hash_set(0..Card::COUNT, 0..=7)) {
        let cards: Vec<Card> = indices.into_iter().filter_map(Card::from_index).collect();
        let list = Board::new(&cards).expect("at most seven");
        prop_assert_eq!(list.to_string().parse(), Ok(list));
        prop_assert_eq!(list.as_slice(), &cards[..]);
        prop_assert_eq!(list.set(), cards.into_iter().collect());
    }

    #[test]
    fn any_text_gives_cards_or_an_error(
        text in prop_oneof!["\\PC{0,20}", "[2-9TJQKAcdhstjqka]{0,20}"],
    ) {
        if let Ok(card) = text.parse::<Card>() {
            prop_assert!(card.to_string().eq_ignore_ascii_case(&text));
        }
        if let Ok(list) = text.parse::<CardList<7>>() {
            prop_assert!(list.to_string().eq_ignore_ascii_case(&text));
        }
    }
}
