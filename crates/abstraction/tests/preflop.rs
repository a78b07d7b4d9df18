//! The shipped table of starting hands.

use abstraction::features::{FeatureMaker, Schema, SeenBetting};
use cards::{Combo, RiverTable, StartingHand, Ties, equity};

/// Every row made again in exhaustive runs; otherwise one.
#[test]
fn the_shipped_table_is_what_the_command_prints() {
    if !testing::exhaustive() {
        let seven_deuce: Combo = first("72o");
        let table = include_str!("../data/preflop.txt");
        let line = table.lines().find(|line| line.starts_with("72o ")).expect("a row");
        let mut numbers =
            line.split(' ').skip(1).map(|word| word.parse::<u64>().expect("a number"));
        let hand_equity = RiverTable::shared(Ties::Half)
            .hand_equity(seven_deuce, cards::CardSet::EMPTY)
            .expect("a hand");
        assert_eq!(numbers.next(), Some(hand_equity.ratio().0));
        for decile in hand_equity.later().iter().flat_map(cards::Distribution::decile_numerators) {
            assert_eq!(numbers.next(), Some(u64::from(decile)));
        }
    } else {
        let made = abstraction::features::preflop_table();
        assert!(
            made == include_str!("../data/preflop.txt"),
            "run `cardroom show features --preflop-table`"
        );
    }
}

fn first(hand: &str) -> Combo {
    hand.parse::<StartingHand>().expect("a hand").combos().next().expect("its combos")
}

#[test]
fn every_starting_hand_has_a_row_that_agrees_with_its_equity() {
    let mut maker = FeatureMaker::new(Schema::default());
    for combo in Combo::all() {
        let row = maker
            .cards(combo, cards::CardSet::EMPTY, &SeenBetting::of_opponent([100, 0, 0, 0]))
            .expect("a hand");
        let values = row.as_slice();
        let rate = equity(combo, cards::CardSet::EMPTY).expect("a hand").value(Ties::Half);
        assert_eq!(values[0], rate as f32, "{combo}");
        for deciles in values[1..31].chunks(10) {
            assert!(deciles.is_sorted(), "{combo}: {deciles:?}");
            assert!(deciles[0] < values[0] && values[0] < deciles[9], "{combo}: {deciles:?}");
        }
        assert_eq!(values[31..], [100.0, 0.0, 0.0, 0.0]);
    }
}

/// The other ways of counting make their own rows.
#[test]
fn other_schemas_have_rows_of_their_own() {
    for schema in Schema::ALL.into_iter().skip(1) {
        if !testing::exhaustive() && schema != Schema::ALL[2] {
            continue;
        }
        let aces = first("AA");
        let row = FeatureMaker::counting(schema).cards(
            aces,
            cards::CardSet::EMPTY,
            &SeenBetting::default(),
        );
        let row = row.expect("a hand");
        let rate = equity(aces, cards::CardSet::EMPTY).expect("a hand").value(schema.ties);
        assert_eq!(row.as_slice()[0], rate as f32);
        if testing::exhaustive() {
            let all = FeatureMaker::new(schema).cards(
                aces,
                cards::CardSet::EMPTY,
                &SeenBetting::default(),
            );
            assert_eq!(all, Ok(row), "{schema}");
        }
    }
}
