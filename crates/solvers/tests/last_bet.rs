//! The last bet of a river: a closed form, every two hands compared, and that solving ends where it
//! should.

use cards::{Board, Combo, Range, evaluate};
use solvers::subgame::LastBet;

fn board() -> cards::CardSet {
    "2c7d9hJsKd".parse::<Board>().expect("a board").set()
}

fn range(text: &str) -> Range {
    text.parse().expect("a range")
}

#[test]
fn the_best_and_the_worst_hand_against_one_between_bet_all_and_bluff_as_often_as_it_pays() {
    // The highest straight or nothing, against a pair of eights; no hand holds a card of another.
    let (first, second) = (range("QhTh,4s3s"), range("8c8d"));
    let mut last = LastBet::new(board(), [&first, &second], &[1.0, 3.0]).unwrap().expect("deals");
    let play = last.solve(4_000);
    // Half of the deals win 1, and b/(1+b) = 3/4 of the others are given up to.
    let (low, high) = (last.value_of_bets(&play.bets), last.value_against_calls(&play.calls));
    assert!((low - 0.875).abs() < 1e-3 && (high - 0.875).abs() < 1e-3, "{low} {high}");
    let at = |text: &str| {
        let hole: cards::HoleCards = text.parse().expect("two cards");
        Combo::new(hole[0], hole[1]).expect("two cards").index()
    };
    assert!((play.bets[2][at("QhTh")] - 1.0).abs() < 1e-2, "the best hand bets 3");
    assert!((play.bets[2][at("4s3s")] - 0.75).abs() < 1e-2, "{}", play.bets[2][at("4s3s")]);
    assert!((play.calls[1][at("8c8d")] - 0.25).abs() < 2e-2, "calls 1/(1+b)");
}

#[test]
fn values_are_those_of_comparing_every_two_hands() {
    let (first, second) = (range("22+,AQ,T8:0.5"), range("66-JJ,KQ:0.25,54s"));
    let sizes = [0.5, 2.0];
    let mut last = LastBet::new(board(), [&first, &second], &sizes).unwrap().expect("deals");
    // Any chances that differ from hand to hand.
    let chance = |combo: usize, column: usize| ((combo * 7 + column * 13) % 11) as f64;
    let bets: Vec<Vec<f64>> = (0..3)
        .map(|column| {
            let sum = |combo| (0..3).map(|column| chance(combo, column)).sum::<f64>();
            (0..Combo::COUNT).map(|combo| chance(combo, column) / sum(combo)).collect()
        })
        .collect();
    let calls: Vec<Vec<f64>> = (0..2)
        .map(|size| (0..Combo::COUNT).map(|combo| chance(combo, size) / 10.0).collect())
        .collect();
    let free = |range: &Range| -> Vec<(Combo, f64)> {
        range.combos().filter(|(combo, _)| !combo.set().intersects(board())).collect()
    };
    let (ours, theirs) = (free(&first), free(&second));
    // What the first player wins of a deal: with a check (`None`) or a bet, called or not.
    let wins = |own: Combo, other: Combo, bet: Option<f64>, called: f64| {
        let mine = evaluate(own.set() | board());
        let order = mine.cmp(&evaluate(other.set() | board())) as i32;
        let share = f64::from(order + 1) / 2.0;
        match bet {
            None => share,
            Some(bet) => called * (share + bet * f64::from(order)) + (1.0 - called),
        }
    };
    let meets = |own: Combo, other: Combo| !own.set().intersects(other.set());
    let mut deals = 0.0;
    let (mut worth, mut against) = (0.0, 0.0);
    for &(other, weight) in &theirs {
        let of = |bet: Option<f64>, column: usize, called: f64| -> f64 {
            let met = ours.iter().filter(|&&(own, _)| meets(own, other));
            met.map(|&(own, w)| w * bets[column][own.index()] * wins(own, other, bet, called)).sum()
        };
        worth += weight * of(None, 0, 0.0);
        for (size, &bet) in sizes.iter().enumerate() {
            let answers = [0.0, 1.0].map(|called| of(Some(bet), size + 1, called));
            worth += weight * answers[0].min(answers[1]);
        }
        let met = ours.iter().filter(|&&(own, _)| meets(own, other));
        deals += weight * met.map(|(_, w)| w).sum::<f64>();
    }
    for &(own, weight) in &ours {
        let of = |bet: Option<f64>, size: usize| -> f64 {
            let met = theirs.iter().filter(|&&(other, _)| meets(own, other));
            met.map(|&(other, w)| w * wins(own, other, bet, calls[size][other.index()])).sum()
        };
        let values = [of(None, 0), of(Some(sizes[0]), 0), of(Some(sizes[1]), 1)];
        against += weight * values.into_iter().fold(f64::MIN, f64::max);
    }
    assert!((last.value_of_bets(&bets) - worth / deals).abs() < 1e-9);
    assert!((last.value_against_calls(&calls) - against / deals).abs() < 1e-9);
}

#[test]
fn always_checking_is_worth_half_the_pot_and_solving_more() {
    let any = Range::uniform();
    let mut last = LastBet::new(board(), [&any, &any], &[0.5, 1.0, 3.0]).unwrap().expect("deals");
    let mut checks = vec![vec![0.0; Combo::COUNT]; 4];
    checks[0].fill(1.0);
    assert!((last.value_of_bets(&checks) - 0.5).abs() < 1e-12);
    let play = last.solve(300);
    let (low, high) = (last.value_of_bets(&play.bets), last.value_against_calls(&play.calls));
    assert!(low > 0.53 && low <= high && high - low < 1e-3, "{low} {high}");
}

#[test]
fn ranges_that_cannot_meet_are_no_deal() {
    let one = range("AhKh");
    assert!(LastBet::new(board(), [&one, &one], &[1.0]).unwrap().is_none());
    let cards = "2c7d9h".parse::<Board>().expect("a flop").set();
    assert!(LastBet::new(cards, [&one, &one], &[1.0]).is_err());
}
