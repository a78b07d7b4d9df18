//! Ranges as text, and what a hand meets in them.

use cards::{
    Card, CardSet, Combo, Range, Showdown, StartingHand, all_in, all_in_without_table, equity,
    evaluate,
};
use proptest::prelude::*;

use crate::{combo, set};

fn range(text: &str) -> Range {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
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
    let left = mixed.without(set("KcKd"));
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
        ("AA@0.5", "at character 0: `AA@0.5` is written `AA:0.5` here"),
        ("KK,AA@50", "at character 3: `AA@50` is written `AA:0.5` here"),
        ("99@0.25", "at character 0: `99@0.25` is written `99:0.25` here"),
        ("[50]AA[/50]", "at character 0: `[50]AA[/50]` is written `AA:0.5` here"),
        ("[12.5]A5s-A2s,KK[/12.5]", "at character 0: `[12.5]A5s-A2s` is written `A5s-A2s:0.125`"),
        ("[100]QQ+[/100]", "at character 0: `[100]QQ+[/100]` is written `QQ+:1` here"),
        ("AKs(0.75)", "at character 0: `AKs(0.75)` is written `AKs:0.75` here"),
        ("AKs:75%", "at character 0: `AKs:75%` is written `AKs:0.75` here"),
        ("AhKh=0.5", "at character 0: `AhKh=0.5` is written `AhKh:0.5` here"),
        ("[50]AA[/60]", "at character 0: `[50]AA[/60]` is not a hand"),
        ("AA@x", "at character 0: `AA@x` is not a hand"),
        ("AA@500", "at character 0: `AA@500` is not a hand"),
        ("[22]33[/22]", "at character 0: `[22]33[/22]` is written `33:0.22` here"),
        ("75%AA", "at character 0: `75%AA` is written `AA:0.75` here"),
        ("77@75", "at character 0: `77@75` is written `77:0.75` here"),
        ("KK,AA[/25]", "at character 3: `AA[/25]` is written `AA:0.25` here"),
        ("[/50]", "at character 0: `[/50]` is not a hand"),
    ];
    for (text, message) in table {
        let error = text.parse::<Range>().expect_err(text).to_string();
        assert!(error.starts_with(message), "{text}: {error}");
    }
    assert!(Range::empty().set(combo("AcAd"), f64::NAN).is_err());
    assert!(Range::empty().set(combo("AcAd"), 1.5).is_err());
}

#[test]
fn a_hand_meets_every_hand_of_a_range_on_every_set() {
    let weighted = range("TT+,AKs:0.5,KhQh,72o:0.125,Ts9s");
    for (hole, table) in
        [("AcKd", "Ks3hJc"), ("2h2d", "2c7h7d"), ("9s8s", "TsJsQs2d"), ("AcAd", "KhKdKs2c2d")]
    {
        let (hole, table) = (combo(hole), set(table));
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
fn a_uniform_range_gives_the_equity() {
    for (hole, table) in [("AcKd", "Ks3hJcTh"), ("7h7d", "2c7s9d9h4s")] {
        let (hole, table) = (combo(hole), set(table));
        let sums = Range::uniform().showdown_sums(hole, table).expect("a deal");
        let rate = equity(hole, table).expect("a deal");
        let exact = [rate.wins, rate.ties, rate.total].map(|count| count as f64);
        assert_eq!([sums.wins, sums.ties, sums.total], exact);
    }
}

#[test]
fn on_the_river_ranges_meet_as_in_a_showdown() {
    let weighted = range("22+:0.75,A2s+,KTo+:0.5,JTs-54s");
    let table = set("Ah8d8c5s2h");
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

/// Every pair of hands on every complete board, by the evaluator alone.
fn enumerated(first: &Range, second: &Range, table: CardSet) -> [f64; 3] {
    let mut boards = vec![table];
    while boards[0].len() < 5 {
        let longer = boards.iter().flat_map(|&board| {
            let last = (board - table).iter().map(Card::index).max();
            let free = Card::all().filter(move |card| !board.contains(*card));
            free.filter(move |card| last.is_none_or(|last| card.index() > last))
                .map(move |card| board.with(card))
        });
        boards = longer.collect();
    }
    let mut sums = [0.0; 3];
    for (ours, weight) in first.combos() {
        for (theirs, other) in second.combos().filter(|(of, _)| !of.set().intersects(ours.set())) {
            for &board in &boards {
                if !board.intersects(ours.set() | theirs.set()) {
                    let ranks = [ours, theirs].map(|hand| evaluate(hand.set() | board));
                    sums[0] += if ranks[0] > ranks[1] { weight * other } else { 0.0 };
                    sums[1] += if ranks[0] == ranks[1] { weight * other } else { 0.0 };
                    sums[2] += weight * other;
                }
            }
        }
    }
    sums
}

#[test]
fn ranges_meet_on_every_board_as_in_a_slow_enumeration() {
    for (first, second, table) in [
        ("AcAd,KhQh:0.5,7s6s", "KK,AhKs:0.25,7h6h", "Ks3hJc"),
        ("99+,AKs:0.5", "JJ-88,A5s-A2s:0.75,AKo", "8s8d2c7h"),
        ("random:0.5", "22+,KTo+", "Ah8d8c5s2h"),
    ] {
        let (first, second, table) = (range(first), range(second), set(table));
        let sums = first.sums_against(&second, table).expect("a board");
        let [wins, ties, total] = enumerated(&first, &second, table);
        assert_eq!((sums.wins, sums.ties, sums.total), (wins, ties, total));
        // From the other side the same.
        let back = second.sums_against(&first, table).expect("a board");
        assert_eq!((back.losses(), back.ties, back.total), (wins, ties, total));
    }
    // Before the flop, pair by pair.
    let (first, second) = (range("AcAd,KhKd:0.5,7s6s"), range("AhAs,QQ:0.25,KhKs,7s2s"));
    let sums = first.sums_against(&second, CardSet::EMPTY).expect("no board");
    let mut counted = [0.0; 3];
    for (ours, weight) in first.combos() {
        for (theirs, other) in second.combos() {
            let Ok(rate) = all_in_without_table(ours, theirs, CardSet::EMPTY) else { continue };
            let counts = [rate.wins, rate.ties, rate.total].map(|count| count as f64);
            (0..3).for_each(|at| counted[at] += weight * other * counts[at]);
        }
    }
    assert_eq!([sums.wins, sums.ties, sums.total], counted);
    let all = Range::uniform().sums_against(&Range::uniform(), CardSet::EMPTY).expect("no board");
    assert_eq!(all.total, 1326.0 * 1225.0 * 1_712_304.0);
    assert_eq!(all.wins, all.losses(), "both sides are alike");
    let error = first.sums_against(&second, set("2c3d")).expect_err("two cards");
    assert_eq!(error.to_string(), "2 cards on the board: give none, three, four or five");
}

#[test]
fn hands_that_cannot_meet_a_range_are_refused() {
    let aces = range("AA");
    let sums = aces.showdown_sums(combo("AcAd"), set("Ah2c3d")).expect("a deal");
    assert_eq!(sums.equity(cards::Ties::Half), None, "nothing is left of the range");
    let refused = |cards: &str| {
        let error = aces.showdown_sums(combo("KcKd"), set(cards)).expect_err(cards);
        error.to_string()
    };
    assert_eq!(refused("2c3d"), "2 cards on the board: give none, three, four or five");
    assert_eq!(refused("Kc2c3d"), "Kc is given twice: give each card once");
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
    fn any_text_gives_a_range_or_an_error(
        text in prop_oneof!["\\PC{0,20}", "[2-9TJQKAcdhso:.,01+-]{0,14}"],
    ) {
        if let Ok(range) = text.parse::<Range>() {
            prop_assert!(range.is_empty() || range.to_string().parse() == Ok(range));
        }
    }
}
