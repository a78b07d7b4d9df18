//! Features against figures made elsewhere, and against each other.

use std::sync::Arc;

use abstraction::features::{
    Feature, FeatureMaker, FeatureSet, Features, Quantiles, Schema, SeenBetting,
};
use cards::{Board, Card, Combo, Ties};
use game::{Action, InfoSet, PublicState, Seat, Street, Turn, games, notation};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::{combo, hand, random_cards, set};

fn close(found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((f64::from(*found) - expected).abs() < 1e-6, "{found} is not {expected}");
    }
}

/// The example of the paper, its deciles counted by another program in all four ways.
#[test]
fn the_papers_flop_has_its_features_in_every_schema() {
    let river = [
        [
            0.445455, 0.461616, 0.473737, 0.522222, 0.561616, 0.607071, 0.623232, 0.796970,
            0.952020, 1.0,
        ],
        [
            0.442424, 0.458586, 0.470707, 0.519192, 0.558586, 0.604040, 0.620202, 0.794949,
            0.950505, 1.0,
        ],
    ];
    let turn = [
        [
            0.550044, 0.551032, 0.554128, 0.557290, 0.560749, 0.565613, 0.621520, 0.657170,
            0.901142, 0.963011,
        ],
        [
            0.547145, 0.548134, 0.551230, 0.553645, 0.555380, 0.557795, 0.618621, 0.646047,
            0.894532, 0.959091,
        ],
    ];
    let linear = [
        [
            0.550044, 0.551454, 0.554115, 0.557659, 0.560749, 0.565327, 0.621691, 0.657170,
            0.760075, 0.963011,
        ],
        [
            0.547145, 0.548555, 0.551217, 0.553909, 0.555380, 0.557664, 0.618792, 0.646047,
            0.750698, 0.959091,
        ],
    ];
    for schema in Schema::ALL {
        let row = FeatureMaker::counting(schema);
        let row = row.clone().cards(
            combo("Ac3h"),
            set("Kh3sJc"),
            &SeenBetting::of_opponent([100, 250, 0, 0]),
        );
        let row = row.expect("a flop");
        let values = row.as_slice();
        let further = if schema.set == FeatureSet::Table { 13 } else { 0 };
        assert_eq!((row.street(), values.len()), (Street::Flop, 25 + further));
        let win_only = usize::from(schema.ties == Ties::WinOnly);
        close(&values[..1], &[[0.613804, 0.608655][win_only]]);
        let turn = if schema.quantiles == Quantiles::Linear { linear } else { turn };
        close(&values[1..11], &turn[win_only]);
        close(&values[11..21], &river[win_only]);
        assert_eq!(values[21..25], [100.0, 250.0, 0.0, 0.0]);
        let p80 = Feature::Percentile { street: Street::River, percent: 80 };
        assert_eq!(row.get(p80), Some(values[18]));
        assert_eq!(row.iter().nth(18), Some((p80, values[18])));
    }
}

/// Situations of all streets in any order, so that nothing is left of the one before.
#[test]
fn rows_from_tables_are_those_that_counting_gives() {
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    let schema = Schema::default();
    let (mut fast, mut slow) = (FeatureMaker::new(schema), FeatureMaker::counting(schema));
    for at in 0..testing::size(60, 600) {
        let (hole, table) = hand(&random_cards(&mut rng, [2, 5, 6, 7][at % 4]));
        let seen = SeenBetting::of_opponent([100, at as u32, 0, 7]);
        let row = fast.cards(hole, table, &seen).expect("a deal");
        assert_eq!(Ok(row), slow.cards(hole, table, &seen), "{hole} on {table:?}");
        assert_eq!(row.as_slice().len(), [35, 25, 15, 5][at % 4]);
    }
}

#[test]
fn a_whole_board_has_the_rows_of_its_hands() {
    for table in ["Kh3sJc", "2c2d7h7s", "TcJcQcKc2d"].map(set) {
        let mut maker = FeatureMaker::new(Schema::default());
        let mut rows: Vec<(Combo, Features)> = Vec::new();
        let seen = SeenBetting::of_opponent([100, 300, 0, 0]);
        maker.each_hand(table, &seen, |hole, row| rows.push((hole, *row))).expect("a board");
        let left = 52 - table.len() as usize;
        assert_eq!(rows.len(), left * (left - 1) / 2);
        for (hole, row) in rows.into_iter().step_by(29) {
            assert_eq!(maker.cards(hole, table, &seen), Ok(row), "{hole}");
        }
    }
    let maker = FeatureMaker::new(Schema::default());
    let error =
        maker.each_hand(set("Kh3s"), &SeenBetting::default(), |_, _| {}).expect_err("two cards");
    assert!(error.to_string().contains("the number of cards on the board is 2"), "{error}");
}

#[test]
fn the_opponents_chips_are_counted_by_street() {
    let def = Arc::new(games::nolimit_holdem());
    let cases: &[(&str, &str, usize, [u32; 4])] = &[
        // Seat 1, the small blind, acts first before the flop.
        ("", "", 1, [100, 0, 0, 0]),
        ("r300", "", 0, [300, 0, 0, 0]),
        ("r300r900", "", 1, [900, 0, 0, 0]),
        ("cc/", "Kh3sJc", 0, [100, 0, 0, 0]),
        ("cc/cr250", "Kh3sJc", 0, [100, 150, 0, 0]),
        ("r300c/r600c/cr1200r3000", "Kh3sJc2d", 0, [300, 300, 600, 0]),
        ("r300c/r600c/cr1200r3000", "Kh3sJc2d", 1, [300, 300, 2400, 0]),
        ("r300c/cc/cr20000", "Kh3sJc2d", 0, [300, 0, 19700, 0]),
        ("r300c/cc/cc/r900r2000", "Kh3sJc2d9s", 0, [300, 0, 0, 1700]),
    ];
    for &(betting, table, seat, expected) in cases {
        let table: Board = table.parse().expect("a board");
        let public = notation::replay(&def, betting, &table).expect("betting");
        let seat = Seat::new(seat).expect("a seat");
        assert_eq!(SeenBetting::new(&public, seat).opponent, expected, "{betting}");
        let infoset = InfoSet { public, seat, hole: "Ac3h".parse().expect("cards") };
        let mut maker = FeatureMaker::counting(Schema::default());
        let row = maker.infoset(&infoset).expect("hold'em");
        let bets = expected.map(|chips| chips as f32);
        assert_eq!(row.as_slice()[row.as_slice().len() - 4..], bets);
        assert_eq!(row.street(), infoset.public.street());
    }
}

/// The features of the table are what the rules say of the state.
fn check_table(public: &PublicState, seat: Seat) {
    let table = Schema { set: FeatureSet::Table, ..Schema::default() };
    let infoset = InfoSet { public: public.clone(), seat, hole: "Ac3h".parse().expect("cards") };
    let row = FeatureMaker::new(table).infoset(&infoset).expect("hold'em");
    let paper = FeatureMaker::new(Schema::default()).infoset(&infoset).expect("hold'em");
    let (first, rest) = row.as_slice().split_at(paper.as_slice().len());
    assert_eq!(first, paper.as_slice());
    assert_eq!(rest.len(), 13);
    let other = Seat::new(1 - seat.index()).expect("heads-up");
    let legal = public.legal();
    let price = f64::from(legal.to_call) / (public.pot() as f64 + f64::from(legal.to_call));
    assert_eq!(rest[0], f32::from(u8::from(seat.index() == 1)), "the small blind is the button");
    assert_eq!(rest[1], public.pot() as f32, "{public:?}");
    assert_eq!(rest[2], legal.to_call as f32, "{public:?}");
    assert!((f64::from(rest[3]) - price).abs() < 1e-6, "{public:?}");
    assert_eq!(rest[4], public.stack(seat).min(public.stack(other)) as f32, "{public:?}");
    assert_eq!(rest[5..9].iter().sum::<f32>(), public.committed()[seat] as f32, "{public:?}");
    for street in Street::ALL {
        let raises = public.history().iter().filter(|played| {
            played.street == street && matches!(played.action, Action::RaiseTo(_))
        });
        assert_eq!(row.get(Feature::Raises { street }), Some(raises.count() as f32), "{public:?}");
    }
}

/// Random play of any length: by street or in all, the same chips.
#[test]
fn chips_by_street_add_up_to_what_was_put_in() {
    let mut rng = Pcg64Mcg::seed_from_u64(11);
    let uneven = games::nolimit_holdem_with(vec![3_000, 20_000]);
    for def in [games::nolimit_holdem(), games::limit_holdem(), uneven].map(Arc::new) {
        for _ in 0..300 {
            let mut public = PublicState::new(&def);
            loop {
                for seat in Seat::all(2) {
                    let bets = SeenBetting::new(&public, seat).opponent;
                    let other = Seat::new(1 - seat.index()).expect("heads-up");
                    assert_eq!(bets.iter().sum::<u32>(), public.committed()[other], "{public:?}");
                    let now = public.street().index();
                    assert_eq!(bets[now], public.committed_street(other), "{public:?}");
                    assert!(bets[now + 1..].iter().all(|&chips| chips == 0), "{public:?}");
                    let mine = SeenBetting::new(&public, other);
                    assert_eq!(SeenBetting::new(&public, seat).own, mine.opponent, "{public:?}");
                }
                match public.turn() {
                    Turn::Over => break,
                    Turn::Deal(_) => {
                        let cards: Vec<Card> =
                            "Kh3sJc2d9s".parse::<Board>().expect("cards").to_vec();
                        public.deal_from(&cards).expect("a board");
                    }
                    Turn::Act(seat) => {
                        check_table(&public, seat);
                        let legal = public.legal();
                        let action = match (rng.random_range(0..4), legal.raise) {
                            (0, _) if legal.fold => Action::Fold,
                            (1 | 2, Some(raise)) => Action::RaiseTo(
                                rng.random_range(raise.min..=raise.max.min(raise.min * 2)),
                            ),
                            _ => Action::Call,
                        };
                        public.apply(action).expect("a legal action");
                    }
                }
            }
        }
    }
}

#[test]
fn other_games_and_cards_are_refused() {
    let mut maker = FeatureMaker::counting(Schema::default());
    let mut refuse = |def: game::GameDef, hole: &str| {
        let public = PublicState::new(&Arc::new(def));
        let seat = Seat::new(0).expect("a seat");
        let infoset = InfoSet { public, seat, hole: hole.parse().expect("cards") };
        maker.infoset(&infoset).expect_err("refused").to_string()
    };
    let table = [
        (games::nolimit_holdem_with(vec![20_000; 3]), "AcKd", "another number of players"),
        (games::kuhn(), "Ks", "another deck"),
        (games::nolimit_holdem(), "Ac", "the hand has not two different cards"),
    ];
    for (def, hole, message) in table {
        let error = refuse(def, hole);
        assert!(error.contains(message), "{error}");
    }
    for (hole, table, message) in [
        ("AcKd", "Ac2c3c", "Ac is both in the hand and on the board"),
        ("AcKd", "2c3c", "the number of cards on the board is 2"),
        ("AcKd", "2c3c4c5c6c7c", "the number of cards on the board is 6"),
    ] {
        for mut maker in
            [FeatureMaker::counting(Schema::default()), FeatureMaker::new(Schema::default())]
        {
            let error =
                maker.cards(combo(hole), set(table), &SeenBetting::default()).expect_err("refused");
            assert!(error.to_string().contains(message), "{error}");
        }
    }
}
