//! All-in equity of several hands, against that of two and against what can be reasoned out.

use cards::{CardSet, Combo, all_in, all_in_multiway, evaluate};

use crate::{combo, set};

fn combos(text: &str) -> Vec<Combo> {
    text.split(' ').map(combo).collect()
}

#[test]
fn two_hands_get_what_they_get_against_each_other() {
    for (hands, table) in [
        ("AcAd KhKd", set("2c7h9d")),
        ("6h2c 6c2s", set("3d3h3s8c")),
        ("AcKd QhQs", set("2c3d4h5s9c")),
    ] {
        let hands = combos(hands);
        let expected = all_in(hands[0], hands[1], table).expect("a deal");
        let shares = all_in_multiway(&hands, table).expect("a deal");
        for (share, rate) in shares.iter().zip([expected, expected.reversed()]) {
            assert_eq!((share.wins, share.ties, share.total), (rate.wins, rate.ties, rate.total));
            assert_eq!(share.parts, 2520 * rate.wins + 1260 * rate.ties);
        }
    }
}

#[test]
fn three_hands_get_what_counting_one_board_after_the_other_gives() {
    let (hands, turn) = (combos("AcAd KhQh 7s6s"), set("Ks8s5h2h"));
    let (mut parts, mut boards) = ([0; 3], 0);
    let dead = hands.iter().fold(turn, |dead, hand| dead | hand.set());
    for river in (CardSet::FULL - dead).iter() {
        let ranks = [0, 1, 2].map(|at: usize| evaluate(hands[at].set() | turn.with(river)));
        let best = ranks.iter().max().expect("three");
        let winners = ranks.iter().filter(|rank| *rank == best).count() as u64;
        for (part, rank) in parts.iter_mut().zip(&ranks) {
            *part += if rank == best { 2520 / winners } else { 0 };
        }
        boards += 1;
    }
    let shares = all_in_multiway(&hands, turn).expect("a deal");
    assert_eq!(
        [0, 1, 2].map(|at: usize| (shares[at].parts, shares[at].total)),
        parts.map(|part| (part, boards))
    );
}

#[test]
fn pots_are_shared_out_whole() {
    let flop = all_in_multiway(&combos("AcAd KhKd 7s6s"), set("Ks8s2h")).expect("a deal");
    assert_eq!(flop[0].total, 43 * 42 / 2);
    assert_eq!(flop.iter().map(|share| share.parts).sum::<u64>(), 2520 * flop[0].total);

    // Everybody plays the board: ten players share every pot.
    let all = combos("2c2d 2h2s 3c3d 3h3s 4c4d 4h4s 5c5d 5h5s 6c6d 6h6s");
    for share in all_in_multiway(&all, set("TsJsQsKsAs")).expect("a deal") {
        assert_eq!((share.wins, share.ties, share.parts, share.total), (0, 1, 252, 1));
        assert_eq!(share.equity(), 0.1);
    }
    // Aces full of kings twice, and kings and aces with a nine.
    let shares = all_in_multiway(&combos("AcKd AdQh 9c9h"), set("AhAsKhKs2c")).expect("a deal");
    assert_eq!(shares.iter().map(|share| share.parts).collect::<Vec<_>>(), [1260, 1260, 0]);
}

#[test]
fn what_cannot_be_dealt_is_refused() {
    for (hands, table, message) in [
        ("AsAd", "", "1 hands: give two to ten"),
        ("AsAd KcKd", "2c", "1 cards on the board: give none, three, four or five"),
        ("AsAd KcKd", "2c3c4c5c6c7c", "6 cards on the board: give none, three, four or five"),
        ("AsAd KcKd AsQh", "", "As is given twice: give each card once"),
        ("KcKd AsQh", "As2c3c", "As is given twice: give each card once"),
    ] {
        let error = all_in_multiway(&combos(hands), set(table)).expect_err(message);
        assert_eq!(error.to_string(), message);
    }
}
