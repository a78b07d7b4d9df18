//! Equities and their distributions, against counts made elsewhere and against slower ways of
//! counting.

use cards::{
    Card, CardSet, Combo, Equity, HandEquity, RiverBoard, RiverTable, StartingHand, Ties, equity,
};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use crate::{combo, draw, draw_combo, set, showdowns};

/// A random board of this many cards and a hand that shares none.
fn random_state(rng: &mut Pcg64Mcg, size: u32) -> (Combo, CardSet) {
    let board = draw(rng, size, CardSet::EMPTY);
    (draw_combo(rng, board), board)
}

/// Wins and ties on a river, one opponent's hand after the other.
fn naive_river(hole: Combo, board: CardSet) -> Equity {
    let sums = showdowns::naive(hole, board, &[1.0; Combo::COUNT]);
    let [wins, ties, total] = [sums.wins, sums.ties, sums.total].map(|count| count as u64);
    Equity { wins, ties, total }
}

#[test]
fn flops_counted_elsewhere_have_their_counts_and_deciles() {
    let (mut hole, mut flop, mut lines) = (combo("2c2d"), CardSet::EMPTY, 0);
    for line in include_str!("data/flop_outlooks.txt").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["hand", hand, cards, "wins", wins, "ties", ties] => {
                (hole, flop) = (combo(hand), set(cards));
                let [wins, ties] = [wins, ties].map(|count| count.parse().expect("a count"));
                let expected = Equity { wins, ties, total: 1_070_190 };
                assert_eq!(equity(hole, flop), Ok(expected), "{hand} {cards}");
            }
            [street @ ("turn" | "river"), ties, kind, ..] => {
                let ties = if ties == "half" { Ties::Half } else { Ties::WinOnly };
                let hand_equity = RiverTable::shared(ties).hand_equity(hole, flop).expect("a flop");
                let later = &hand_equity.later()[usize::from(street == "river")];
                let found = match kind {
                    "nearest" => later.deciles(),
                    _ => later.deciles_linear(),
                };
                for (found, expected) in found.iter().zip(&words[3..]) {
                    let expected: f64 = expected.parse().expect("a number");
                    assert!((found - expected).abs() < 1e-6, "{hole}: {found} where {line}");
                }
                lines += 1;
            }
            _ => assert!(line.is_empty() || line.starts_with('#'), "{line}"),
        }
    }
    assert_eq!(lines, 24);
}

#[test]
fn starting_hands_have_the_known_counts() {
    // Wins and ties of all six combos together, counted elsewhere.
    for (text, wins, ties) in [
        ("AA", 10_689_050_508, 68_413_872),
        ("KK", 10_334_823_348, 70_061_760),
        ("QQ", 10_022_031_864, 73_794_456),
    ] {
        let hand: StartingHand = text.parse().expect("a pair");
        let rates = hand.combos().map(|hole| equity(hole, CardSet::EMPTY).expect("no board"));
        let expected = Equity { wins, ties, total: 12_585_434_400 };
        assert_eq!(rates.sum::<Equity>(), expected, "{text}");
    }
    for (text, value) in [("AsKs", 0.670446), ("7d2c", 0.345836), ("3h2s", 0.323032)] {
        let rate = equity(combo(text), CardSet::EMPTY).expect("no board");
        assert!((rate.value(Ties::Half) - value).abs() < 5e-7, "{text}: {rate:?}");
    }
    // Every hand against every other: each deal has a winner and a loser, or a tie.
    let all: Equity = Combo::all().map(|hole| equity(hole, CardSet::EMPTY).expect("none")).sum();
    assert_eq!(all.wins, all.losses());
}

/// The shipped constants come out again when all boards are gone through; all 169 when optimised.
#[test]
fn starting_hands_are_recounted_over_every_board() {
    let tables = [Ties::Half, Ties::WinOnly].map(RiverTable::shared);
    let check = |hand: StartingHand, half: &HandEquity, wins: &HandEquity| {
        let hole = hand.combos().next().expect("a combo");
        let shipped = equity(hole, CardSet::EMPTY).expect("no board");
        let ([half_sum, win_sum], of) = ([half.ratio().0, wins.ratio().0], half.ratio().1);
        assert_eq!(
            (win_sum / 2, half_sum - win_sum, of / 2),
            (shipped.wins, shipped.ties, shipped.total),
            "{hand}"
        );
        for (later, boards) in half.later().iter().zip([19_600, 230_300, 2_118_760]) {
            assert_eq!(later.boards(), boards, "{hand}");
            // The equity of today is the mean of tomorrow's.
            assert!((later.mean() - half.equity()).abs() < 1e-12, "{hand}");
        }
    };
    if !testing::exhaustive() {
        let hole = combo("Th9h");
        let [half, wins] =
            tables.map(|table| table.hand_equity(hole, CardSet::EMPTY).expect("no board"));
        check(hole.starting_hand(), &half, &wins);
    } else {
        let mut wins = Vec::new();
        tables[1].each_starting_hand(|_, hand_equity| wins.push(hand_equity.clone()));
        tables[0].each_starting_hand(|hand, half| check(hand, half, &wins[hand.index()]));
    }
}

#[test]
fn distributions_before_the_flop_are_those_of_the_boards() {
    let table = RiverTable::shared(Ties::Half);
    let hole = combo("JcTd");
    let hand_equity = table.hand_equity(hole, CardSet::EMPTY).expect("no board");
    let [flop, turn, river] = hand_equity.later() else { panic!("three later streets") };
    // Some boards of each street lie where the distribution says: enough to tell wrong weights.
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    for (size, later) in [(3, flop), (4, turn), (5, river)] {
        let count = testing::size(3000, 30_000);
        let rates: Vec<f64> = (0..count)
            .map(|_| {
                let board = draw(&mut rng, size, hole.set());
                table.hand_equity(hole, board).expect("a board").equity()
            })
            .collect();
        for p in [0.1, 0.5, 0.9] {
            let below = rates.iter().filter(|&&rate| rate <= later.quantile(p)).count();
            let share = below as f64 / count as f64;
            assert!(share > p - 0.04 && share < p + 0.06, "{size} cards: {share} at {p}");
        }
    }
}

#[test]
fn one_look_up_agrees_with_counting_the_opponents_hands() {
    let tables = [Ties::Half, Ties::WinOnly].map(RiverTable::shared);
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for _ in 0..testing::size(20_000, 2_000_000) {
        let (hole, board) = random_state(&mut rng, 5);
        let naive = naive_river(hole, board);
        let [half, wins] =
            tables.map(|table| u64::from(table.value(hole, board).expect("a river")));
        assert_eq!((wins / 2, half - wins), (naive.wins, naive.ties), "{hole} on {board:?}");
        assert_eq!(equity(hole, board), Ok(naive), "{hole} on {board:?}");
    }
}

#[test]
fn all_hands_of_a_river_agree_with_counting_and_with_their_states() {
    let table = RiverTable::shared(Ties::Half);
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    let mut values = [0; Combo::COUNT];
    for _ in 0..testing::size(20, 300) {
        let board = draw(&mut rng, 5, CardSet::EMPTY);
        table.all(board, &mut values).expect("a river");
        let river = RiverBoard::new(board).expect("a river");
        for hole in Combo::all() {
            let value = u64::from(values[hole.index()]);
            if hole.set().intersects(board) {
                assert_eq!(value, 0);
                continue;
            }
            let naive = naive_river(hole, board);
            assert_eq!(value, 2 * naive.wins + naive.ties, "{hole} on {board:?}");
            assert!(river.state(hole) < RiverBoard::STATES);
        }
    }
}

/// States with one number must be the same under renaming suits, and of one equity.
#[test]
fn river_states_ignore_the_names_of_suits_and_nothing_else() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    let turned = |cards: CardSet| -> CardSet {
        let turn = |card: Card| Card::from_index(card.index() / 4 * 4 + (card.index() + 1) % 4);
        cards.iter().filter_map(turn).collect()
    };
    for _ in 0..testing::size(20_000, 1_000_000) {
        let (hole, board) = random_state(&mut rng, 5);
        let state = RiverBoard::new(board).expect("a river").state(hole);
        let cards: Vec<Card> = turned(hole.set()).iter().collect();
        let other = Combo::new(cards[0], cards[1]).expect("two cards");
        let other = RiverBoard::new(turned(board)).expect("a river").state(other);
        assert_eq!(state, other, "{hole} on {board:?}");
    }
    // Without three of a suit, suits do not matter; with three, those of the other cards do not.
    for (a, b, same) in [
        (["AcKd", "Qh9s4s2c7d"], ["AsKs", "Qd9s4s2c7h"], true),
        (["AsKd", "Qs9s4s2c7d"], ["AsKh", "Qs9s4s2d7d"], true),
        (["AsKd", "Qs9s4s2c7d"], ["AdKs", "Qs9s4s2c7d"], false),
        (["AsKd", "Qs9s4s2c7d"], ["AsKd", "Qc9s4s2s7d"], false),
        (["AcKd", "Qh9s4s2c7d"], ["AcKd", "Qh9s4s2c8d"], false),
    ] {
        let state = |[hole, cards]: [&str; 2]| {
            RiverBoard::new(set(cards)).expect("a river").state(combo(hole))
        };
        assert_eq!(state(a) == state(b), same, "{a:?} {b:?}");
    }
}

#[test]
fn hand_equities_agree_with_going_through_every_board() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for (size, count) in [
        (3, testing::size(30, 2000)),
        (4, testing::size(300, 30_000)),
        (5, testing::size(2000, 90_000)),
    ] {
        for ties in [Ties::Half, Ties::WinOnly] {
            let table = RiverTable::shared(ties);
            for _ in 0..count {
                let (hole, board) = random_state(&mut rng, size);
                let hand_equity = table.hand_equity(hole, board);
                assert_eq!(hand_equity, HandEquity::new(hole, board, ties), "{hole} on {board:?}");
                let rate = equity(hole, board).expect("a board").value(ties);
                assert_eq!(hand_equity.expect("a board").equity(), rate, "{hole} on {board:?}");
            }
        }
    }
}

#[test]
fn all_hands_of_a_board_agree_with_one_hand_at_a_time() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let table = RiverTable::shared(Ties::Half);
    // Monotone, paired, three of a kind, and boards whose suits change places.
    let fixed =
        ["Kh8h3h", "7c7d7h", "QsQdJc", "5c5dKs", "Ac9c2cTc", "8c8d8h8s", "6c6d9h9s", "JcJdJh2s"];
    let mut boards: Vec<CardSet> = fixed.map(set).to_vec();
    for (size, count) in
        [(3, testing::size(20, 500)), (4, testing::size(100, 5000)), (5, testing::size(100, 5000))]
    {
        boards.extend((0..count).map(|_| draw(&mut rng, size, CardSet::EMPTY)));
    }
    for board in boards {
        let mut seen = vec![0; Combo::COUNT];
        let visit = |hole: Combo, hand_equity: &HandEquity| {
            seen[hole.index()] += 1;
            let one = table.hand_equity(hole, board).expect("a board");
            assert_eq!(*hand_equity, one, "{hole} on {board:?}");
        };
        table.each_hand(board, visit).expect("a board");
        for hole in Combo::all() {
            let times = u32::from(!hole.set().intersects(board));
            assert_eq!(seen[hole.index()], times, "{hole} on {board:?}");
        }
    }
}

#[test]
fn sums_of_squares_are_those_of_the_distributions() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    let table = RiverTable::shared(Ties::Half);
    let mut boards = ["Kh8h3h", "7c7d7h", "Ac9c2cTc", "8c8d8h8s", "6c6d9h9s"].map(set).to_vec();
    for (size, count) in
        [(3, testing::size(4, 100)), (4, testing::size(20, 1000)), (5, testing::size(20, 1000))]
    {
        boards.extend((0..count).map(|_| draw(&mut rng, size, CardSet::EMPTY)));
    }
    for board in boards {
        let mut seen = 0;
        let visit = |hole: Combo, sum: u64| {
            seen += 1;
            let hand_equity = table.hand_equity(hole, board).expect("a board");
            let expected: u64 = match hand_equity.later().last() {
                Some(rivers) => rivers
                    .counts()
                    .map(|(value, count)| u64::from(value).pow(2) * u64::from(count))
                    .sum(),
                None => hand_equity.ratio().0.pow(2),
            };
            assert_eq!(sum, expected, "{hole} on {board:?}");
        };
        table.each_sum_of_squares(board, visit).expect("a board");
        let left = 52 - board.len();
        assert_eq!(seen, left * (left - 1) / 2, "{board:?}");
    }
}

#[test]
fn quantiles_and_histograms_are_those_of_the_sorted_list() {
    let hand_equity = HandEquity::new(combo("9c8c"), set("7c2dKh"), Ties::Half).expect("a flop");
    for later in hand_equity.later() {
        let list: Vec<u32> = later
            .counts()
            .flat_map(|(numerator, count)| std::iter::repeat_n(numerator, count as usize))
            .collect();
        let value = |at: usize| f64::from(list[at]) / f64::from(later.denominator());
        assert!(list.is_sorted());
        assert_eq!(list.len(), later.boards() as usize);
        for (i, decile) in later.deciles().into_iter().enumerate() {
            assert_eq!(decile, value((list.len() * (i + 1)).div_ceil(10) - 1));
            assert_eq!(decile, later.quantile((i + 1) as f64 / 10.0));
        }
        assert_eq!(later.quantile(0.1 + 0.2), later.quantile(0.3));
        assert_eq!((later.quantile(0.0), later.quantile(1.0)), (value(0), value(list.len() - 1)));
        assert_eq!((later.quantile(-1.0), later.quantile(9.0)), (value(0), value(list.len() - 1)));
        assert_eq!(
            (later.quantile_linear(0.0), later.quantile_linear(1.0)),
            (value(0), value(list.len() - 1))
        );
        for bins in [1, 2, 10, 33] {
            let mut expected = vec![0; bins];
            for &numerator in &list {
                let exact = u64::from(numerator) * bins as u64 / u64::from(later.denominator());
                expected[(exact as usize).min(bins - 1)] += 1;
            }
            assert_eq!(later.histogram(bins), expected);
        }
        assert!(later.histogram(0).is_empty());
    }
}

#[test]
fn wrong_cards_are_refused_in_one_clear_line() {
    let hole = combo("AcKd");
    for cards in ["", "2c", "2c3c", "2c3c4c5c6c7c"] {
        let (cards, all) = (set(cards), [0, 3, 4, 5]);
        let size = cards.len();
        let refused = Err(cards::Error::board_size(size, "none, three, four or five"));
        if !all.contains(&size) {
            assert_eq!(equity(hole, cards).map(|_| ()), refused);
            assert_eq!(
                RiverTable::shared(Ties::Half).hand_equity(hole, cards).map(|_| ()),
                refused
            );
        }
        assert!(HandEquity::new(hole, cards, Ties::Half).is_err());
        assert!(RiverTable::shared(Ties::Half).each_hand(cards, |_, _| ()).is_err());
        assert!(RiverTable::shared(Ties::Half).each_sum_of_squares(cards, |_, _| ()).is_err());
        assert!(RiverTable::shared(Ties::Half).value(hole, cards).is_err());
        assert!(RiverTable::shared(Ties::Half).all(cards, &mut [0; Combo::COUNT]).is_err());
        assert!(RiverBoard::new(cards).is_err());
    }
    let message = |cards: &str| equity(hole, set(cards)).expect_err(cards).to_string();
    assert_eq!(
        message("2c"),
        "the number of cards on the board is 1: give none, three, four or five"
    );
    assert_eq!(message("2cAc3c"), "Ac is both in the hand and on the board: give each card once");
}
