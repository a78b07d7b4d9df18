//! Win-rates and their distributions, against known counts and against counting one hand at a time.

use cards::{CardSet, Combo, Outlook, RiverTable, Ties, win_rate};

fn cards(text: &str) -> CardSet {
    text.parse::<cards::Board>().expect("test cards").set()
}

fn combo(text: &str) -> Combo {
    let hole: cards::HoleCards = text.parse().expect("test cards");
    Combo::new(hole[0], hole[1]).expect("two cards")
}

#[test]
fn the_published_flop_has_its_counts_and_deciles() {
    let (hole, board) = (combo("Ac3h"), cards("Kh3sJc"));
    let rate = win_rate(hole, board).expect("a flop");
    assert_eq!((rate.wins, rate.ties, rate.total), (651_377, 11_020, 1_070_190));
    let slow = Outlook::new(hole, board, Ties::Half).expect("a flop");
    let fast = RiverTable::shared(Ties::Half).outlook(hole, board).expect("a flop");
    assert_eq!(slow, fast);
    let close = |a: [f64; 10], b: [f64; 10]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    let turn = [
        0.550044, 0.551032, 0.554128, 0.557290, 0.560749, 0.565613, 0.621520, 0.657170, 0.901142,
        0.963011,
    ];
    let river = [
        0.445455, 0.461616, 0.473737, 0.522222, 0.561616, 0.607071, 0.623232, 0.796970, 0.952020,
        1.0,
    ];
    assert!(close(fast.later()[0].deciles(), turn), "{:?}", fast.later()[0].deciles());
    assert!(close(fast.later()[1].deciles(), river), "{:?}", fast.later()[1].deciles());
}
