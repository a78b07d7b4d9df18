//! Combos and starting hands: numbers, cards and texts agree.

use cards::{Card, Combo, StartingHand};

#[test]
fn a_combo_is_its_two_cards_in_any_order() {
    let mut next = 0;
    for high in Card::all() {
        for low in Card::all().take_while(|low| *low < high) {
            let combo = Combo::new(low, high).expect("two cards");
            assert_eq!(combo.index(), next);
            assert_eq!(Combo::new(high, low), Some(combo));
            assert_eq!(combo.cards(), [high, low]);
            assert_eq!(combo.set(), [low, high].into_iter().collect());
            assert_eq!(Combo::from_index(next), Some(combo));
            next += 1;
        }
        assert_eq!(Combo::new(high, high), None);
    }
    assert_eq!(next, Combo::COUNT);
    assert_eq!(Combo::from_index(next), None);
}

#[test]
fn starting_hands_hold_their_combos_and_read_back() {
    let mut combos = 0;
    for kind in StartingHand::all() {
        let size = match (kind.is_pair(), kind.is_suited()) {
            (true, _) => 6,
            (_, true) => 4,
            _ => 12,
        };
        assert_eq!(kind.combos().count(), size, "{kind}");
        assert_eq!(kind.to_string().parse(), Ok(kind));
        assert_eq!(StartingHand::from_index(kind.index()), Some(kind));
        combos += size;
    }
    assert_eq!(combos, Combo::COUNT);
    for (index, text) in [(0, "AA"), (1, "AKs"), (13, "AKo"), (168, "22"), (12, "A2s")] {
        assert_eq!(StartingHand::from_index(index).expect("a kind").to_string(), text);
    }
}

#[test]
fn texts_that_are_no_starting_hand_are_refused() {
    for text in ["", "A", "AK", "AAs", "AAo", "AKx", "AKso", "1Ks", "AhKh"] {
        assert!(text.parse::<StartingHand>().is_err(), "{text}");
    }
}
