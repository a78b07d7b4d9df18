//! Random situations of hold'em: their ranges, their values, and the files that hold them.

use std::fs;
use std::ops::Range;
use std::sync::Arc;

use abstraction::buckets::Buckets;
use abstraction::menu::BetMenu;
use cards::{CardSet, Combo, RiverTable, Ties, evaluate};
use game::Street;
use learners::database::{Content, DatabasePlan, MakeOutcome, make, merge};
use learners::situations::Situations;
use learners::values::encoding_error;
use models::values::Encoding;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use solvers::situation::Draw;

use crate::database as made;

/// Rivers that are quickly solved.
fn rivers() -> Situations {
    Situations {
        street: "river".to_owned(),
        stack: 200.0,
        pots: [40.0, 200.0],
        menu: "every 1+: allin".to_owned(),
        iterations: 30,
    }
}

fn plan(games: Range<u64>) -> DatabasePlan<Situations> {
    DatabasePlan { content: rivers(), seed: 3, games, of: None, made_by: "test".to_owned() }
}

#[test]
fn ranges_at_the_end_of_the_flop_do_not_depend_on_the_turn() {
    let draw = Draw { street: Street::Flop, stack: 200.0, pots: [2.0, 300.0] };
    let (mut largest, mut limped) = (Vec::new(), 0);
    for seed in 0..200 {
        let situation = draw.draw(&mut Pcg64Mcg::seed_from_u64(seed));
        assert_eq!(situation.board.len(), 4);
        assert!(situation.pot == 200 || situation.pot >= 400, "{}", situation.pot);
        limped += u32::from(situation.pot == 200);
        let flop: CardSet = situation.board[..3].iter().copied().collect();
        let turn = situation.board[3];
        for range in &situation.ranges {
            let held = |hand: &Combo| range[hand.index()] > 0.0;
            let sum: f64 = range.iter().map(|&share| f64::from(share)).sum();
            assert!((sum - 1.0).abs() < 1e-5, "{sum}");
            assert!(!Combo::all().any(|hand| held(&hand) && hand.set().intersects(flop)));
            assert!(Combo::all().any(|hand| held(&hand) && hand.set().contains(turn)));
            largest.push(range.iter().copied().fold(0.0, f32::max));
        }
    }
    // One pot in seven is below 4 big blinds, and ranges are from nearly even to few hands.
    assert!((15..=50).contains(&limped), "{limped}");
    let some = |within: fn(f32) -> bool| largest.iter().filter(|&&share| within(share)).count();
    assert!(some(|share| share < 0.005) > 20 && some(|share| share > 0.02) > 20);
}

#[test]
fn ranges_are_probabilities_of_the_hands_that_the_board_leaves() {
    let draw = Draw { street: Street::Turn, stack: 200.0, pots: [8.0, 200.0] };
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let table = RiverTable::shared(Ties::Half);
    let draws = 300;
    let mut lower_halves = Vec::new();
    for _ in 0..draws {
        let situation = draw.draw(&mut rng);
        let board: CardSet = situation.board.set();
        assert_eq!(board.len(), 4, "all different");
        assert!((800..=20_000).contains(&situation.pot) && situation.pot.is_multiple_of(2));
        assert_eq!(situation.behind, 20_000 - situation.pot / 2);
        let mut hands = Vec::new();
        let visit = |combo: Combo, hand_equity: &cards::HandEquity| {
            hands.push((hand_equity.equity(), combo));
        };
        table.each_hand(board, visit).expect("a turn");
        hands.sort_by(|a, b| a.0.total_cmp(&b.0));
        for range in &situation.ranges {
            let sum: f64 = range.iter().map(|&share| f64::from(share)).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{sum}");
            for combo in Combo::all().filter(|combo| combo.set().intersects(board)) {
                assert_eq!(range[combo.index()], 0.0);
            }
            let weaker = hands[..hands.len() / 2].iter();
            lower_halves
                .push(weaker.map(|(_, combo)| f64::from(range[combo.index()])).sum::<f64>());
        }
    }
    // The first share is drawn evenly from 0 to 1; hands of equal equities can be on either side.
    for at in [0.25, 0.5, 0.75] {
        let below = lower_halves.iter().filter(|&&share| share < at).count() as f64;
        let away = (below / lower_halves.len() as f64 - at).abs();
        assert!(away < 0.1, "{at}: {away}");
    }
}

#[test]
fn values_of_both_players_sum_to_zero_over_their_ranges() {
    for number in 0..4 {
        let situation = rivers().situation(5, number).expect("drawn");
        let menu: BetMenu = rivers().menu.parse().expect("a menu");
        let solved = situation.solve(&menu, 30).expect("solved");
        let sum: f64 = situation
            .ranges
            .iter()
            .zip(&solved.values)
            .flat_map(|(range, values)| range.iter().zip(values.iter()))
            .map(|(&share, &value)| f64::from(share) * f64::from(value))
            .sum();
        assert!(sum.abs() < 1e-6, "{sum}");
        assert!(solved.exploitability < 0.05, "{}", solved.exploitability);
    }
}

#[test]
fn where_nobody_can_bet_values_are_those_of_the_showdown() {
    let situation = rivers().situation(5, 9).expect("drawn");
    // Bets on the turn alone: the river is checked down.
    let menu: BetMenu = "turn 1: pot".parse().expect("a menu");
    let solved = situation.solve(&menu, 1).expect("solved");
    let board = situation.board.set();
    let hands: Vec<Combo> = Combo::all().filter(|combo| !combo.set().intersects(board)).collect();
    for player in 0..2 {
        for own in hands.iter().step_by(37) {
            let rank = evaluate(own.set() | board);
            let mut expected = 0.0;
            for other in hands.iter().filter(|other| !other.set().intersects(own.set())) {
                let share = f64::from(situation.ranges[1 - player][other.index()]);
                let won = match rank.cmp(&evaluate(other.set() | board)) {
                    std::cmp::Ordering::Greater => 0.5,
                    std::cmp::Ordering::Equal => 0.0,
                    std::cmp::Ordering::Less => -0.5,
                };
                expected += share * won;
            }
            let found = f64::from(solved.values[player][own.index()]);
            assert!((found - expected).abs() < 1e-6, "{own}: {found}, {expected}");
        }
    }
}

#[test]
fn a_file_is_the_same_in_one_go_in_shards_and_after_any_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let whole = made(&plan(0..20), &at("whole"));
    assert_eq!(whole.games(), 20);
    for part in [0..7, 7..20] {
        made(&plan(part.clone()), &at(&format!("part{}", part.start)));
    }
    merge::<Situations>(&[at("part7"), at("part0")], &at("merged")).expect("merged");
    let bytes = |name: &str| fs::read(at(name)).expect("read");
    assert!(bytes("whole") == bytes("merged"));

    // Shards that know of how many games they are a part: all of them are asked for.
    for part in [0..7, 7..11, 11..20] {
        let shard = DatabasePlan { of: Some(20), ..plan(part.clone()) };
        made(&shard, &at(&format!("shard{}", part.start)));
    }
    let join = |names: &[&str], out: &str| {
        let parts: Vec<_> = names.iter().map(|name| at(name)).collect();
        merge::<Situations>(&parts, &at(out))
    };
    for (names, word) in [
        (&["shard0", "shard11"][..], "situations 7 to 10 of 20 are missing"),
        (&["shard0", "shard7"], "situations 11 to 19 of 20 are missing"),
        (&["shard7", "shard11"], "situations 0 to 6 of 20 are missing"),
        (&["shard0", "shard0", "shard7"], "each once"),
        (&["shard0", "part7"], "whole number of games"),
    ] {
        let error = join(names, "no").expect_err("refused").to_string();
        assert!(error.contains(word), "{error}");
    }
    join(&["shard11", "shard0", "shard7"], "joined").expect("joined");
    assert!(bytes("whole") == bytes("joined"));

    let stopped = make(&plan(0..20), &at("cut"), |done| done < 8);
    assert_eq!(stopped.expect("stopped"), MakeOutcome::Stopped(8));
    let partial = at("cut.partial");
    let kept = fs::read(&partial).expect("read");
    fs::write(&partial, &kept[..kept.len() - 1000]).expect("cut");
    made(&plan(0..20), &at("cut"));
    assert!(bytes("whole") == bytes("cut"));

    let situation = whole.game(11);
    let drawn = rivers().situation(3, 11).expect("drawn");
    assert_eq!(situation.board, drawn.board.set());
    assert_eq!(situation.ranges[1], &drawn.ranges[1][..]);
    assert!((f64::from(situation.pot) - drawn.pot as f64 / 100.0).abs() < 1e-4);
}

#[test]
fn one_bucket_loses_the_variance_of_the_values_and_finer_ones_less() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = made(&plan(0..3), &folder.path().join("a"));
    let buckets = |river: &str| {
        let text = format!("preflop=category flop=category turn=category river={river}");
        let buckets = Buckets::make(&text.parse().expect("a recipe"), |_| ()).expect("buckets");
        Encoding::Buckets(Arc::new(buckets), Street::River)
    };
    let error = encoding_error(&buckets("ehs2:1"), &database);
    let (mut squares, mut own) = (0.0, 0.0);
    for index in 0..3 {
        let of = database.game(index);
        let hands = || Combo::all().filter(|combo| !combo.set().intersects(of.board));
        for (range, values) in of.ranges.iter().zip(of.values) {
            let value = |hand: Combo| f64::from(values[hand.index()]);
            let mean = hands().map(value).sum::<f64>() / 1081.0;
            let away = |hand: Combo| (value(hand) - mean).powi(2);
            squares += hands().map(away).sum::<f64>() / 1081.0 / 6.0;
            own += hands().map(|h| f64::from(range[h.index()]) * away(h)).sum::<f64>() / 6.0;
        }
    }
    assert!((error.squares / squares - 1.0).abs() < 1e-5, "{error:?}, {squares}");
    assert!((error.weighted_squares / own - 1.0).abs() < 1e-5, "{error:?}, {own}");
    assert!(error.huber <= error.squares / 2.0 + 1e-12);
    // Finer buckets lose less.
    let finer = encoding_error(&buckets("ehs2:200"), &database);
    assert!(finer.squares < error.squares && finer.weighted_squares < error.weighted_squares);
}

#[test]
fn other_situations_are_refused_by_what_differs() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    made(&plan(0..2), &at("a"));
    for (content, word) in [
        (Situations { pots: [40.0, 201.0], ..rivers() }, "span of pots"),
        (Situations { iterations: 31, ..rivers() }, "number of iterations"),
        (Situations { menu: "every 1+: pot".to_owned(), ..rivers() }, "menu of bets"),
    ] {
        let other = at("b");
        made(&DatabasePlan { content, ..plan(2..4) }, &other);
        let merged = merge::<Situations>(&[at("a"), other.clone()], &at("no"));
        let error = merged.expect_err("refused").to_string();
        assert!(error.contains(word), "{error}");
        fs::remove_file(other).expect("removed");
    }
    for (content, word) in [
        (Situations { street: "preflop".to_owned(), ..rivers() }, "flop, turn or river"),
        (Situations { pots: [1.0, 20.0], ..rivers() }, "pots from 1 to 20"),
        (Situations { pots: [8.0, 400.0], ..rivers() }, "both stacks, 400"),
        (Situations { stack: f64::NAN, ..rivers() }, "NaN"),
        (Situations { iterations: 0, ..rivers() }, "0 iterations"),
    ] {
        let error = content.check().expect_err("refused").to_string();
        assert!(error.contains(word), "{error}");
    }
}
