//! Sets of seats and values by seat.

use game::{BySeat, MAX_PLAYERS, Seat, SeatSet};
use proptest::prelude::*;

proptest! {
    #[test]
    fn the_next_seat_is_found_going_round_the_table(
        members in prop::collection::btree_set(0usize..MAX_PLAYERS, 0..10),
        start in 0usize..25,
        players in 1usize..=MAX_PLAYERS,
    ) {
        let members: Vec<usize> = members.into_iter().filter(|&seat| seat < players).collect();
        let mut set = SeatSet::EMPTY;
        members.iter().for_each(|&seat| set.insert(Seat::new(seat).expect("below ten")));
        let walked = (0..players).map(|i| (start + i) % players).find(|seat| members
            .contains(seat));
        prop_assert_eq!(set.next_from(start, players).map(Seat::index), walked);
        prop_assert_eq!(set.iter().map(Seat::index).collect::<Vec<_>>(), members.clone());
        prop_assert_eq!(set.len() as usize, members.len());
        let rest = SeatSet::first(players).without(set);
        prop_assert_eq!(rest.len() as usize, players - members.len());
        prop_assert!(rest.iter().all(|seat| !set.contains(seat)));
    }
}

#[test]
fn values_by_seat_know_how_many_seats_there_are() {
    let values = BySeat::from_slice(&[3, 1, 4]).expect("three seats");
    assert_eq!(values.as_slice(), [3, 1, 4]);
    assert_eq!(values.iter().map(|(seat, _)| seat.index()).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(BySeat::from_slice(&[0u8; 11]), None);
    assert_eq!(Seat::new(10), None);
    assert_eq!(BySeat::from_fn(4, Seat::index).as_slice(), [0, 1, 2, 3]);
}
