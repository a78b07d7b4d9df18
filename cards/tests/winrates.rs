//! Win-rates and their distributions, against known counts and against counting one hand at a time.

use cards::{Card, CardSet, Combo, Outlook, RiverTable, Ties, WinRate, evaluate, win_rate};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

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

/// A random board of so many cards and a hand that shares none.
fn random_state(rng: &mut Pcg64Mcg, size: u32) -> (Combo, CardSet) {
    let mut draw = |wanted: u32, dead: CardSet| {
        let mut drawn = CardSet::EMPTY;
        while drawn.len() < wanted {
            let card = Card::from_index(rng.random_range(0..Card::COUNT)).expect("below 52");
            if !dead.contains(card) {
                drawn.insert(card);
            }
        }
        drawn
    };
    let board = draw(size, CardSet::EMPTY);
    let hole: Vec<Card> = draw(2, board).iter().collect();
    (Combo::new(hole[0], hole[1]).expect("two cards"), board)
}

/// Wins and ties on a river, one opponent's hand after the other.
fn naive_river(hole: Combo, board: CardSet) -> WinRate {
    let mine = evaluate(board | hole.set());
    let mut rate = WinRate::default();
    for theirs in Combo::all().filter(|other| !other.set().intersects(board | hole.set())) {
        let theirs = evaluate(board | theirs.set());
        rate.total += 1;
        rate.wins += u64::from(mine > theirs);
        rate.ties += u64::from(mine == theirs);
    }
    rate
}

/// How many random states are compared: few in debug builds, many as shipped.
fn states(debug: usize, release: usize) -> usize {
    if cfg!(debug_assertions) { debug } else { release }
}

#[test]
fn one_look_up_agrees_with_counting_the_opponents_hands() {
    let (half, win_only) = (RiverTable::shared(Ties::Half), RiverTable::shared(Ties::WinOnly));
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for _ in 0..states(20_000, 1_000_000) {
        let (hole, board) = random_state(&mut rng, 5);
        let naive = naive_river(hole, board);
        let [with_ties, wins] =
            [half, win_only].map(|table| u64::from(table.value(hole, board).expect("a river")));
        assert_eq!((wins / 2, with_ties - wins), (naive.wins, naive.ties), "{hole} on {board:?}");
        assert_eq!(win_rate(hole, board), Ok(naive), "{hole} on {board:?}");
    }
}

#[test]
fn outlooks_agree_with_going_through_every_board() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for (size, count) in
        [(3, states(40, 3000)), (4, states(400, 30_000)), (5, states(2000, 100_000))]
    {
        for ties in [Ties::Half, Ties::WinOnly] {
            let table = RiverTable::shared(ties);
            for _ in 0..count {
                let (hole, board) = random_state(&mut rng, size);
                assert_eq!(
                    table.outlook(hole, board),
                    Outlook::new(hole, board, ties),
                    "{hole} on {board:?}"
                );
            }
        }
    }
}

#[test]
fn all_hands_of_a_board_agree_with_one_hand_at_a_time() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    for (size, count) in [(3, states(20, 500)), (4, states(100, 5000)), (5, states(100, 5000))] {
        for _ in 0..count {
            let (_, board) = random_state(&mut rng, size);
            let table = RiverTable::shared(Ties::Half);
            let mut seen = vec![0; Combo::COUNT];
            table
                .each_hand(board, |hole, outlook| {
                    seen[hole.index()] += 1;
                    assert_eq!(
                        Some(outlook),
                        table.outlook(hole, board).ok().as_ref(),
                        "{hole} on {board:?}"
                    );
                })
                .expect("a board");
            for hole in Combo::all() {
                assert_eq!(
                    seen[hole.index()],
                    u32::from(!hole.set().intersects(board)),
                    "{hole} on {board:?}"
                );
            }
        }
    }
}
