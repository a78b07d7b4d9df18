//! Results of hands with hidden cards: those are read that some hidden cards give, and no others,
//! by an enumeration of all hidden cards and one of all ways to rank the hidden hands.

use std::collections::BTreeSet;
use std::sync::Arc;

use cards::{Card, CardSet, HoleCards, evaluate};
use game::{BySeat, GameDef, GameSpec, Payoff, Seat, games};
use logs::HandRecord;
use logs::formats::acpc;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::hands;

/// Payoffs by seat, in 2,520ths of a chip.
type Result = Vec<i64>;

/// Reads the hand with these results.
fn read(record: &HandRecord, result: &Result) -> std::result::Result<(), String> {
    let mut record = record.clone();
    let payoffs: Vec<Payoff> = result.iter().copied().map(Payoff::from_parts).collect();
    record.payoffs = BySeat::from_slice(&payoffs).unwrap();
    let names: Vec<String> = (0..result.len()).map(|k| format!("p{k}")).collect();
    let mut text = String::new();
    acpc::write_hand(&record, &names, &mut text);
    let read = acpc::Reader::new(record.public.def(), text.as_bytes()).next().unwrap();
    match read {
        Ok(back) if back.payoffs == record.payoffs => Ok(()),
        Ok(back) => Err(format!("read as {:?}", back.payoffs)),
        Err(error) => Err(error.to_string()),
    }
}

/// The result when the hands of those who did not fold have these ranks, the pot divided layer by
/// layer.
fn by_ranks(record: &HandRecord, ranks: &[Option<usize>]) -> Result {
    let mut left: Vec<i64> =
        record.public.committed().as_slice().iter().map(|&chips| i64::from(chips)).collect();
    let mut result: Result = left.iter().map(|chips| -chips * Payoff::PER_CHIP).collect();
    while left.iter().any(|&chips| chips > 0) {
        let least = left.iter().copied().filter(|&chips| chips > 0).min().unwrap();
        let payers: Vec<usize> = (0..left.len()).filter(|&seat| left[seat] > 0).collect();
        let best = payers.iter().filter_map(|&seat| ranks[seat]).max();
        let winners: Vec<usize> = match best {
            Some(_) => payers.iter().copied().filter(|&seat| ranks[seat] == best).collect(),
            None => payers.clone(),
        };
        for &seat in &payers {
            left[seat] -= least;
        }
        let layer = least * Payoff::PER_CHIP * payers.len() as i64;
        winners.iter().for_each(|&seat| result[seat] += layer / winners.len() as i64);
    }
    result
}

/// All results by all ways to rank the hidden hands among the known ones.
fn by_order(record: &HandRecord, hidden: &[Seat]) -> BTreeSet<Result> {
    let board = record.public.board().set();
    let known = record.public.remaining().iter().filter(|seat| !hidden.contains(seat));
    let known: Vec<(Seat, _)> =
        known.map(|seat| (seat, evaluate(record.hole[seat].set() | board))).collect();
    let mut order: Vec<_> = known.iter().map(|&(_, rank)| rank).collect();
    order.sort_unstable();
    order.dedup();
    // Between known ranks there is room for all hidden ones.
    let step = hidden.len() + 1;
    let mut ranks = vec![None; record.hole.len()];
    for (seat, rank) in known {
        let place = order.iter().position(|&other| other == rank).unwrap();
        ranks[seat.index()] = Some((place + 1) * step);
    }
    let ways = (order.len() + 1) * step;
    let mut results = BTreeSet::new();
    for mut way in 0..ways.pow(hidden.len() as u32) {
        for seat in hidden {
            ranks[seat.index()] = Some(way % ways);
            way /= ways;
        }
        results.insert(by_ranks(record, &ranks));
    }
    results
}

/// All results by all cards that the hidden hands can have.
fn by_cards(record: &HandRecord, hidden: &[Seat]) -> BTreeSet<Result> {
    fn deal(
        record: &HandRecord,
        hidden: &[Seat],
        deck: &[Card],
        hole: &mut BySeat<HoleCards>,
        results: &mut BTreeSet<Result>,
    ) {
        let Some((&seat, rest)) = hidden.split_first() else {
            let payoffs = record.public.payoffs(hole);
            results.insert(payoffs.as_slice().iter().map(|payoff| payoff.parts()).collect());
            return;
        };
        let count = usize::from(record.public.def().hole_cards);
        for one in 0..deck.len() {
            for other in one + 1..if count == 1 { one + 2 } else { deck.len() } {
                let cards = if count == 1 { vec![deck[one]] } else { vec![deck[one], deck[other]] };
                let left = deck.iter().copied().filter(|card| !cards.contains(card));
                let left: Vec<Card> = left.collect();
                hole[seat] = HoleCards::new(&cards).unwrap();
                deal(record, rest, &left, hole, results);
            }
        }
    }
    let mut seen: CardSet = record.public.board().set();
    for (seat, cards) in record.hole.iter() {
        if !hidden.contains(&seat) {
            seen |= cards.set();
        }
    }
    let deck = record.public.def().deck().into_iter().filter(|&card| !seen.contains(card));
    let mut results = BTreeSet::new();
    deal(record, hidden, &deck.collect::<Vec<_>>(), &mut record.hole.clone(), &mut results);
    results
}

/// Changes that a wrong record might have.
fn wrong(results: &BTreeSet<Result>, rng: &mut Pcg64Mcg) -> Vec<Result> {
    let mut changed = Vec::new();
    for result in results.iter().take(50) {
        let (from, to) = (rng.random_range(0..result.len()), rng.random_range(0..result.len()));
        let chips = [1, 50 * Payoff::PER_CHIP, result[from] / 2][rng.random_range(0..3)];
        let mut other = result.clone();
        other[from] -= chips;
        other[to] += chips;
        changed.push(other);
        let mut swapped = result.clone();
        swapped.swap(from, to);
        changed.push(swapped);
    }
    changed
}

/// A game with few cards, so that all can be gone through: hold'em with a short deck.
fn small(stacks: Vec<u32>, ranks: u8) -> GameDef {
    let spec = games::nolimit_holdem_with(stacks).spec().clone();
    GameDef::new(GameSpec { ranks, ..spec }).unwrap()
}

fn check(def: GameDef, most_hidden: usize, seed: u64) -> std::result::Result<(), TestCaseError> {
    let def = Arc::new(def);
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let hands = hands::random_hands(&def, 30, 1, seed);
    for full in hands.iter().filter(|record| record.public.is_showdown()).take(3) {
        let mut hidden: Vec<Seat> = full.public.remaining().iter().collect();
        while hidden.len() > most_hidden || (hidden.len() > 1 && rng.random_range(0..3) == 0) {
            hidden.remove(rng.random_range(0..hidden.len()));
        }
        let mut record = full.clone();
        hidden.iter().for_each(|&seat| record.hole[seat] = HoleCards::default());
        let (ranked, dealt) = (by_order(full, &hidden), by_cards(&record, &hidden));
        prop_assert!(dealt.is_subset(&ranked), "{hidden:?} of {full:?}");
        let others = wrong(&ranked, &mut rng);
        for result in ranked.iter().chain(&others) {
            let read = read(&record, result);
            let what = format!("{result:?} with {hidden:?} hidden of {full:?}: {read:?}");
            prop_assert_eq!(read.is_ok(), dealt.contains(result), "{}", what);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None,
        ..ProptestConfig::default() })]

    #[test]
    fn a_result_is_read_if_and_only_if_hidden_cards_give_it(
        stacks in proptest::collection::vec(150_u32..2000, 2..=4), ranks in 4_u8..=5, seed: u64,
    ) {
        check(small(stacks.clone(), ranks), 3 - usize::from(ranks > 4), seed)?;
        // One hidden hand of a whole deck, and the smallest games.
        check(games::nolimit_holdem_with(stacks), 1, seed)?;
        check(games::kuhn(), 2, seed)?;
        check(games::leduc(), 2, seed)?;
        let kuhn = games::kuhn().spec().clone();
        let three =
            GameSpec { players: 3, stacks: vec![2; 3], blinds: vec![1; 3], ranks: 4, ..kuhn };
        check(GameDef::new(three).unwrap(), 3, seed)?;
    }

    #[test]
    fn hidden_hands_of_a_whole_deck_win_only_in_some_order(
        stacks in proptest::collection::vec(150_u32..5000, 2..=6), seed: u64,
    ) {
        let def = Arc::new(games::nolimit_holdem_with(stacks));
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        for full in hands::random_hands(&def, 6, 1, seed) {
            if !full.public.is_showdown() {
                continue;
            }
            let remaining = full.public.remaining().iter();
            let hidden: Vec<Seat> =
                remaining.filter(|_| rng.random_range(0..2) == 0).take(4).collect();
            let mut record = full.clone();
            hidden.iter().for_each(|&seat| record.hole[seat] = HoleCards::default());
            let truth: Result = full.payoffs.as_slice().iter().map(|p| p.parts()).collect();
            prop_assert_eq!(read(&record, &truth), Ok(()), "{:?} of {:?}", hidden, full);
            let ranked = by_order(&full, &hidden);
            for result in wrong(&ranked, &mut rng) {
                let read = read(&record, &result).is_ok();
                prop_assert!(!read || ranked.contains(&result), "{:?}: {:?}", result, record);
            }
        }
    }
}

#[test]
fn only_a_loss_a_split_and_a_win_of_what_was_put_in_are_possible() {
    let def = Arc::new(games::nolimit_holdem());
    let read = |line: &str| {
        let text = format!("# a comment\nSTATE:{line}\n");
        let hand = acpc::Reader::new(&def, text.as_bytes()).next().unwrap();
        hand.map_err(|error| error.to_string())
    };
    let board = "/2d8c9s/Kh/3c";
    for chips in (-20_000..=20_000_i64).step_by(10).chain([-241, -239, -1, 1, 57, 239, 241]) {
        let other = -chips;
        for (cards, seats) in [("|JsTh", "A|B"), ("JsTh|", "B|A"), ("|", "A|B")] {
            let line = format!("5:r240c/cc/cc/cc:{cards}{board}:{chips}|{other}:{seats}");
            let possible = [-240, 0, 240].contains(&chips);
            assert_eq!(read(&line).is_ok(), possible, "{line}: {:?}", read(&line));
        }
    }
    let line = format!("5:r240c/cc/cc/cc:|JsTh{board}:-300|300:A|B");
    assert_eq!(
        read(&line).unwrap_err(),
        "ACPC log, line 2: hand 5: payoffs [-300, 300] are impossible: the seats put in \
         [240, 240], and no hidden cards divide the pot like that"
    );
    for chips in [i64::MAX / 2520, 99_999_999_999_999, 40_000] {
        let line = format!("5:r240c/cc/cc/cc:|JsTh{board}:{chips}|{chips}:A|B");
        assert!(read(&line).is_err(), "{line}");
    }
    // Nobody beats the best hand there is, nobody but its like ties it, and all tie a board that
    // nobody can improve.
    for (cards, board, possible) in [
        ("AhKh|", "/QhJhTh/2c/2d", vec![240]),
        ("AhAs|", "/Ad8c9s/Kh/3c", vec![240]),
        ("AhKd|", "/Ad8c9s/Kh/3c", vec![-240, 0, 240]),
        ("|", "/AhKhQh/Jh/Th", vec![0]),
        ("2c2d|", "/AhKhQh/Jh/Th", vec![0]),
    ] {
        for chips in [-240, 0, 240] {
            let line = format!("5:r240c/cc/cc/cc:{cards}{board}:{chips}|{}:A|B", -chips);
            assert_eq!(read(&line).is_ok(), possible.contains(&chips), "{line}");
        }
    }
}
