//! Ranges as text, and what a hand meets in them.

use cards::{
    AllInError, Board, CardSet, Combo, HoleCards, Range, Showdown, StartingHand, all_in, win_rate,
};
use proptest::prelude::*;

fn range(text: &str) -> Range {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn combo(text: &str) -> Combo {
    let hole: HoleCards = text.parse().expect("test cards");
    Combo::new(hole[0], hole[1]).expect("two cards")
}

fn board(text: &str) -> CardSet {
    text.parse::<Board>().expect("test cards").set()
}

#[test]
fn items_name_the_hands_that_players_mean() {
    let table = [
        ("TT", "TT", 6),
        ("QQ+", "AA KK QQ", 18),
        ("99-66", "99 88 77 66", 24),
        ("66-99", "99 88 77 66", 24),
        ("AKs", "AKs", 4),
        ("KAo", "AKo", 12),
        ("AK", "AKs AKo", 16),
        ("JTs+", "JTs", 4),
        ("K9s+", "K9s KTs KJs KQs", 16),
        ("AT+", "ATs AJs AQs AKs ATo AJo AQo AKo", 64),
        ("A5s-A2s", "A2s A3s A4s A5s", 16),
        ("Q2o-Q4o", "Q2o Q3o Q4o", 36),
        ("JTs-87s", "JTs T9s 98s 87s", 16),
        ("T7o-86o", "", 0),
        ("QQ+,AKs", "AA KK QQ AKs", 22),
        ("  qq+ , aks\tAKS,, ", "AA KK QQ AKs", 22),
    ];
    for (text, kinds, combos) in table {
        let Ok(range) = text.parse::<Range>() else {
            assert_eq!(combos, 0, "{text}");
            continue;
        };
        let kinds: Vec<StartingHand> =
            kinds.split_whitespace().map(|kind| kind.parse().expect("a kind")).collect();
        assert_eq!(range.combos().count(), combos, "{text}");
        for (combo, weight) in range.combos() {
            assert!(kinds.contains(&combo.starting_hand()) && weight == 1.0, "{text}: {combo}");
        }
    }
    assert_eq!(range("random"), Range::uniform());
    assert_eq!(range("KhAh,2c2d").combos().count(), 2);
}

#[test]
fn the_later_weight_holds() {
    let mixed = range("random:0.5,KK:0.25,KcKd:1,72o:0");
    assert_eq!(mixed.weight(combo("AcAd")), 0.5);
    assert_eq!(mixed.weight(combo("KhKd")), 0.25);
    assert_eq!(mixed.weight(combo("KdKc")), 1.0);
    assert_eq!(mixed.weight(combo("7c2d")), 0.0);
    assert_eq!(mixed.total(), 0.5 * (1326.0 - 12.0 - 6.0) + 5.0 * 0.25 + 1.0);
    let left = mixed.without(board("KcKd"));
    assert_eq!(left.weight(combo("KdKc")), 0.0);
    assert_eq!(left.weight(combo("KhKs")), 0.25);
}

#[test]
fn ranges_print_shortest_first() {
    for (text, printed) in [
        ("AKs,QQ,KK,AA", "QQ+,AKs"),
        ("22-55,A2s-A5s,AKo", "55-22,A5s-A2s,AKo"),
        ("random:0.5", "random:0.5"),
        (
            "random,AA:0",
            "KK-22,A2s+,K2s+,Q2s+,J2s+,T2s+,92s+,82s+,72s+,62s+,52s+,42s+,32s,A2o+,\
                         K2o+,Q2o+,J2o+,T2o+,92o+,82o+,72o+,62o+,52o+,42o+,32o",
        ),
        ("AhKh,AKo:0.25", "AKo:0.25,AhKh"),
        ("AK:0,", ""),
    ] {
        assert_eq!(range(text).to_string(), printed, "{text}");
    }
}

#[test]
fn wrong_ranges_are_errors_that_say_where() {
    let table = [
        ("", "at character 0: `` names no hands"),
        (" , ", "at character 0: ` , ` names no hands"),
        ("QQ+,AKx", "at character 4: `AKx` is not a hand of a range"),
        ("QQ+, AKs+x", "at character 5: `AKs+x` is not a hand"),
        ("TTs", "at character 0: `TTs` is not a hand"),
        ("AhAh", "at character 0: `AhAh` is the same card twice"),
        ("AhKhQh", "at character 0: `AhKhQh` is not a hand"),
        ("99-A6s", "at character 0: `99-A6s` joins hands that form no sequence"),
        ("A9s-K7s", "at character 0: `A9s-K7s` joins hands"),
        ("A9s-A7o", "at character 0: `A9s-A7o` joins hands"),
        ("AA:2", "at character 0: `AA:2` ends in no weight"),
        ("AA:-0.5", "at character 0: `AA:-0.5` ends in no weight"),
        ("AA:nan", "at character 0: `AA:nan` ends in no weight"),
        ("AA:", "at character 0: `AA:` ends in no weight"),
        ("KK,♠♥", "at character 3: `♠♥` is not a hand"),
    ];
    for (text, message) in table {
        let error = text.parse::<Range>().expect_err(text).to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
    assert!(Range::empty().set(combo("AcAd"), f64::NAN).is_err());
    assert!(Range::empty().set(combo("AcAd"), 1.5).is_err());
}

#[test]
fn a_hand_meets_every_hand_of_a_range_on_every_board() {
    let weighted = range("TT+,AKs:0.5,KhQh,72o:0.125,Ts9s");
    for (hole, table) in
        [("AcKd", "Ks3hJc"), ("2h2d", "2c7h7d"), ("9s8s", "TsJsQs2d"), ("AcAd", "KhKdKs2c2d")]
    {
        let (hole, table) = (combo(hole), board(table));
        let sums = weighted.showdown_sums(hole, table).expect("a deal");
        let (mut wins, mut ties, mut total) = (0.0, 0.0, 0.0);
        for (theirs, weight) in weighted.combos() {
            let Ok(rate) = all_in(hole, theirs, table) else { continue };
            wins += weight * rate.wins as f64;
            ties += weight * rate.ties as f64;
            total += weight * rate.total as f64;
        }
        assert_eq!((sums.wins, sums.ties, sums.total), (wins, ties, total), "{hole} {table:?}");
    }
}

#[test]
fn a_uniform_range_gives_the_win_rate() {
    for (hole, table) in [("AcKd", "Ks3hJcTh"), ("7h7d", "2c7s9d9h4s")] {
        let (hole, table) = (combo(hole), board(table));
        let sums = Range::uniform().showdown_sums(hole, table).expect("a deal");
        let rate = win_rate(hole, table).expect("a deal");
        let exact = [rate.wins, rate.ties, rate.total].map(|count| count as f64);
        assert_eq!([sums.wins, sums.ties, sums.total], exact);
    }
}

#[test]
fn on_the_river_ranges_meet_as_in_a_showdown() {
    let weighted = range("22+:0.75,A2s+,KTo+:0.5,JTs-54s");
    let table = board("Ah8d8c5s2h");
    let mut all = [Default::default(); Combo::COUNT];
    Showdown::new(table).expect("a river").sums_against(weighted.weights(), &mut all);
    for hole in Combo::all().filter(|hole| !hole.set().intersects(table)).step_by(7) {
        assert_eq!(
            weighted.showdown_sums(hole, table).expect("a deal"),
            all[hole.index()],
            "{hole}"
        );
    }
}

#[test]
fn hands_that_cannot_meet_a_range_are_refused() {
    let aces = range("AA");
    let sums = aces.showdown_sums(combo("AcAd"), board("Ah2c3d")).expect("a deal");
    assert_eq!(sums.win_rate(cards::Ties::Half), None, "nothing is left of the range");
    assert_eq!(aces.showdown_sums(combo("KcKd"), board("2c3d")), Err(AllInError::Board(2)));
    let king = "Kc".parse().expect("a card");
    assert_eq!(aces.showdown_sums(combo("KcKd"), board("Kc2c3d")), Err(AllInError::Shared(king)));
}

/// A range of whole kinds of hands and single combos with any weights.
fn any_range() -> impl Strategy<Value = Range> {
    let weight =
        || prop_oneof![Just(1.0), Just(0.0), Just(0.5), 0.0..=1.0, Just(f64::MIN_POSITIVE)];
    let kinds = prop::collection::vec((0..StartingHand::COUNT, weight()), 0..60);
    let combos = prop::collection::vec((0..Combo::COUNT, weight()), 0..40);
    let start = prop_oneof![Just(Range::empty()), Just(Range::uniform())];
    (start, kinds, combos).prop_map(|(mut range, kinds, combos)| {
        for (kind, weight) in kinds {
            let kind = StartingHand::from_index(kind).expect("a kind");
            kind.combos().for_each(|combo| range.set(combo, weight).expect("a weight"));
        }
        for (combo, weight) in combos {
            range.set(Combo::from_index(combo).expect("a combo"), weight).expect("a weight");
        }
        range
    })
}

proptest! {
    #[test]
    fn ranges_print_and_parse_back(range in any_range()) {
        let text = range.to_string();
        prop_assert_eq!(text.is_empty(), range.is_empty());
        if !range.is_empty() {
            prop_assert_eq!(text.parse(), Ok(range));
        }
    }

    #[test]
    fn any_text_gives_a_range_or_an_error(text in "\\PC{0,20}") {
        if let Ok(range) = text.parse::<Range>() {
            prop_assert!(range.is_empty() || range.to_string().parse() == Ok(range));
        }
    }

    #[test]
    fn text_made_of_range_letters_gives_a_range_or_an_error(
        text in "[2-9TJQKAcdhso:.,01+-]{0,14}") {
        if let Ok(range) = text.parse::<Range>() {
            prop_assert!(range.is_empty() || range.to_string().parse() == Ok(range));
        }
    }
}
