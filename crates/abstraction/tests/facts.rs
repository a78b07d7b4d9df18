//! Facts of hands and boards, against counts made another way and against arithmetic.

use abstraction::facts::{Facts, Texture, is_aggressive, made, outs};
use cards::{Board, Card, CardSet, Category, Combo, Suit, evaluate};
use game::{Action, PublicState, Seat, games};
use std::sync::Arc;

use crate::set;

/// Every set of this many cards out of these.
fn each_set(cards: &[Card], size: usize, chosen: CardSet, visit: &mut impl FnMut(CardSet)) {
    if size == 0 {
        return visit(chosen);
    }
    for (at, &card) in cards.iter().enumerate() {
        each_set(&cards[at + 1..], size - 1, chosen.with(card), visit);
    }
}

/// The number of cards of each rank, from the deuce.
fn counts(cards: CardSet) -> [u32; 13] {
    std::array::from_fn(|rank| {
        Suit::all().map(|suit| u32::from(cards.ranks_of(suit) >> rank & 1)).sum()
    })
}

/// The top of the highest straight among ranks, the ace counting 14 and 1: by looking at windows.
fn straight(has: impl Fn(usize) -> bool) -> Option<usize> {
    let at = |value: usize| has(if value == 1 { 12 } else { value - 2 });
    (5..=14).rev().find(|&top| (top - 4..=top).all(at))
}

/// Category and highest card by counting ranks and suits, without the evaluator.
fn slowly(cards: CardSet) -> (Category, u8) {
    let counts = counts(cards);
    let highest =
        |count: u32, but: usize| (0..13).rev().find(|&rank| rank != but && counts[rank] >= count);
    let flush = Suit::all().map(|suit| cards.ranks_of(suit)).find(|ranks| ranks.count_ones() >= 5);
    let of_suit = flush.and_then(|ranks| straight(|rank| ranks >> rank & 1 == 1));
    let value = |rank: usize| rank as u8 + 2;
    if let Some(top) = of_suit {
        return (Category::StraightFlush, top as u8);
    }
    if let Some(rank) = highest(4, 99) {
        return (Category::FourOfAKind, value(rank));
    }
    let three = highest(3, 99);
    if let Some(rank) = three
        && highest(2, rank).is_some()
    {
        return (Category::FullHouse, value(rank));
    }
    if let Some(ranks) = flush {
        return (Category::Flush, 17 - ranks.leading_zeros() as u8);
    }
    if let Some(top) = straight(|rank| counts[rank] > 0) {
        return (Category::Straight, top as u8);
    }
    if let Some(rank) = three {
        return (Category::ThreeOfAKind, value(rank));
    }
    match highest(2, 99) {
        Some(rank) if highest(2, rank).is_some() => (Category::TwoPair, value(rank)),
        Some(rank) => (Category::Pair, value(rank)),
        None => (Category::HighCard, value(highest(1, 99).expect("a card"))),
    }
}

/// Outs by the paper's words: for each unseen card whether it makes three of a pair, fills two
/// pairs up, or completes a straight or a flush, where that is better than what there is.
fn slow_outs(hole: CardSet, board: CardSet) -> u8 {
    let seen = hole | board;
    let (now, _) = slowly(seen);
    let before = counts(seen);
    let flush_of = |cards: CardSet, suit: Suit| cards.ranks_of(suit).count_ones() >= 5;
    let completes = |card: Card| {
        let with = seen.with(card);
        let rank = usize::from(card.rank().index());
        let trips = now == Category::Pair && before[rank] == 2;
        let fills = now == Category::TwoPair && before[rank] == 2;
        let (from, to) = (counts(seen), counts(with));
        let straight = straight(|rank| from[rank] > 0) < straight(|rank| to[rank] > 0)
            && straight(|rank| from[rank] > 0).is_none();
        let flush = flush_of(with, card.suit()) && !flush_of(seen, card.suit());
        trips
            || fills
            || straight && now < Category::Straight
            || flush && now < Category::Flush
            || slowly(with).0 == Category::StraightFlush && now < Category::StraightFlush
    };
    Card::all().filter(|&card| !seen.contains(card) && completes(card)).count() as u8
}

/// Sets of cards, drawn by steps through a sequence of their numbers.
fn some_deals(cards: usize, count: usize) -> impl Iterator<Item = Vec<Card>> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    std::iter::repeat_with(move || {
        let mut dealt = Vec::new();
        while dealt.len() < cards {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let card = Card::from_index(((state >> 33) % 52) as u8).expect("a card");
            if !dealt.contains(&card) {
                dealt.push(card);
            }
        }
        dealt
    })
    .take(count)
}

#[test]
fn five_cards_fall_into_the_known_numbers_of_each_category() {
    let deck: Vec<Card> = Card::all().collect();
    let mut found = [0u32; 9];
    let mut highs = [[0u32; 13]; 9];
    each_set(&deck, 5, CardSet::EMPTY, &mut |cards| {
        let made = made(cards);
        found[made.category as usize] += 1;
        highs[made.category as usize][usize::from(made.high.index())] += 1;
    });
    let known = [1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 40];
    assert_eq!(found, known);
    // Pairs, threes, full houses and fours are as many for each rank.
    for category in [1, 3, 6, 7] {
        assert_eq!(highs[category], [known[category] / 13; 13], "category {category}");
    }
    // Straights have a five to an ace on top, all alike; the best of two pairs is no deuce.
    assert_eq!(highs[4], std::array::from_fn(|rank| if rank < 3 { 0 } else { 1_020 }));
    assert_eq!(highs[2], std::array::from_fn(|rank| rank as u32 * 36 * 44));
    assert_eq!(highs[8][12], 4, "royal flushes are straight flushes with an ace");
    // Nothing, seven high: four ranks of the five below a seven with it, no 76543, 1,020 colours.
    assert_eq!(highs[0][5], (5 - 1) * 1_020);
}

#[test]
fn made_hands_of_any_number_of_cards_are_those_found_by_counting() {
    for cards in [2, 3, 5, 6, 7] {
        for deal in some_deals(cards, 4_000) {
            let cards: CardSet = deal.into_iter().collect();
            let made = made(cards);
            assert_eq!((made.category, made.high.index() + 2), slowly(cards), "{cards:?}");
            assert_eq!(made.category, evaluate(cards).category());
        }
    }
    let made = made(set("Ah2h3c4d5s"));
    assert_eq!((made.category, made.high.to_char()), (Category::Straight, '5'));
}

#[test]
fn outs_are_those_of_the_papers_words_card_by_card() {
    let mut most = [0; 6];
    for board in [3, 4] {
        for deal in some_deals(2 + board, 40_000) {
            let (hole, table): (CardSet, CardSet) =
                (deal[..2].iter().copied().collect(), deal[2..].iter().copied().collect());
            let found = outs(hole, table);
            assert_eq!(found, slow_outs(hole, table), "{hole:?} on {table:?}");
            most[board] = most[board].max(found);
        }
    }
    assert!(most[3] >= 9 && most[4] >= 9, "{most:?}");
}

#[test]
fn players_outs_come_out() {
    for (hole, board, expected) in [
        ("7h7d", "AhKc2s", 2),
        ("AhKd", "AcKs2h", 4),
        ("AhKh", "Qh7h2c", 9),
        ("8h9d", "7c6sKd", 8),
        ("8h9d", "7c5sKd", 4),
        // Flush and straight draws: nine and eight, two of which are the same cards.
        ("8h9h", "7h6hKd", 15),
        // Three of a kind to a full house is none of the paper's.
        ("7h7d", "7cKs2h", 0),
        // Two high cards are none.
        ("AhKd", "9c5s2h", 0),
        // Neither is a straight below a flush.
        ("AhKh", "Qh7h2h", 0),
        // The board's flush counts.
        ("AcKc", "Qh9h5h2h", 9),
        // Three pairs: two cards of each fill up.
        ("AcKc", "AhKh5h5d", 6),
        ("7h7d", "AhKc2s9d3c", 0),
        ("7h7d", "", 0),
    ] {
        assert_eq!(outs(set(hole), set(board)), expected, "{hole} on {board}");
    }
}

#[test]
fn no_hand_has_more_than_21_outs() {
    // Four of a suit and six ranks that three others complete to straights would be the most.
    let deck: Vec<Card> = Card::all().collect();
    let hearts: Vec<Card> = deck.iter().copied().filter(|card| card.suit().index() == 2).collect();
    let mut most = 0;
    each_set(&hearts, 4, CardSet::EMPTY, &mut |four| {
        for other in deck.iter().filter(|card| !four.contains(**card)) {
            for last in deck.iter().filter(|card| !four.contains(**card) && *card > other) {
                most = most.max(outs(CardSet::EMPTY.with(*other).with(*last), four));
            }
        }
    });
    assert!((15..=21).contains(&most), "{most}");
}

#[test]
fn boards_are_as_often_dry_as_arithmetic_says() {
    let deck: Vec<Card> = Card::all().collect();
    let count = |texture: Texture| {
        let mut dry = 0u32;
        each_set(&deck, 3, CardSet::EMPTY, &mut |board| dry += u32::from(texture.is_dry(board)));
        dry
    };
    let any = Texture { unpaired: false, suited: 5, connected: 5 };
    assert_eq!(count(any), 22_100);
    // Three ranks of thirteen, any suits; three suits of four; not all of one suit.
    assert_eq!(count(Texture { unpaired: true, ..any }), 286 * 64);
    assert_eq!(count(Texture { suited: 2, ..any }), 22_100 - 4 * 286);
    assert_eq!(count(Texture { suited: 1, ..any }), 4 * 13 * 13 * 13);
    // Three ranks within five in a row: by their lowest, ace low first, ranks chosen twice once.
    let window =
        |low: u32, ranks: [u32; 3]| ranks.iter().all(|&rank| (low..low + 5).contains(&rank));
    let mut close = 0;
    for a in 0..13 {
        for b in a + 1..13 {
            for c in b + 1..13 {
                let high = [a + 2, b + 2, c + 2];
                let low = high.map(|rank| if rank == 14 { 1 } else { rank });
                close += u32::from((1..=10).any(|from| window(from, high) || window(from, low)));
            }
        }
    }
    assert_eq!(count(Texture { unpaired: true, connected: 2, ..any }), (286 - close) * 64);
    assert!(Texture::default().is_dry(set("Kh7h2c")));
    assert!(!Texture::default().is_dry(set("Ah3c4d")), "the ace plays below the deuce");
}

#[test]
fn definitions_of_dry_boards_are_read_as_they_are_printed() {
    let mut all = 0;
    for unpaired in [false, true] {
        for (suited, connected) in (1..=5).flat_map(|a| (1..=5).map(move |b| (a, b))) {
            let texture = Texture { unpaired, suited, connected };
            if (unpaired, suited, connected) == (false, 5, 5) {
                continue;
            }
            assert_eq!(texture.to_string().parse(), Ok(texture), "{texture}");
            all += 1;
        }
    }
    assert_eq!(all, 49);
    for text in
        ["", "dry", "suited <= 6", "suited <=", "paired suited <= 2", "connected <= 2 suited <= 2"]
    {
        let error = text.parse::<Texture>().expect_err(text).to_string();
        assert!(error.contains("`standard`") && error.contains(text), "{error}");
    }
}

#[test]
fn an_opponent_is_aggressive_whose_last_action_was_a_raise() {
    let def = games::limit_holdem();
    let def = Arc::new(def);
    let mut public = PublicState::new(&def);
    let [first, second] = [0, 1].map(|seat| Seat::new(seat).expect("a seat"));
    let game::Turn::Act(button) = public.turn() else { panic!("somebody acts first") };
    let other = if button == first { second } else { first };
    assert!(!is_aggressive(&public, button), "a blind is no raise");
    let raise = |public: &PublicState| Action::RaiseTo(public.legal().raise.expect("a raise").min);
    public.apply(raise(&public)).expect("legal");
    assert!(is_aggressive(&public, other) && !is_aggressive(&public, button));
    public.apply(Action::Call).expect("legal");
    public.deal_from(&"AhKhQh".parse::<Board>().expect("a board")).expect("the flop");
    // On the flop the raise before it is still the last action, until the other one acts again.
    assert!(is_aggressive(&public, other));
    public.apply(Action::Call).expect("legal");
    public.apply(Action::Call).expect("legal");
    assert!(!is_aggressive(&public, other) && !is_aggressive(&public, button));
}

#[test]
fn facts_bring_all_together() {
    let facts = Facts::new(set("8h9h"), set("7h6hKd"), Texture::default());
    assert_eq!(
        (facts.category, facts.high.to_char(), facts.outs, facts.dry),
        (Category::HighCard, 'K', 15, true)
    );
    for hole in [Combo::from_index(0), Combo::from_index(1_325)].into_iter().flatten() {
        let facts = Facts::new(hole.set(), CardSet::EMPTY, Texture::default());
        let pair = hole.starting_hand().is_pair();
        assert_eq!(facts.category, if pair { Category::Pair } else { Category::HighCard });
        assert_eq!(
            facts.high,
            hole.starting_hand().ranks()[0].max(hole.starting_hand().ranks()[1])
        );
        assert_eq!((facts.outs, facts.dry), (0, true));
    }
}
