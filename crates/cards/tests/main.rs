//! Tests of the cards crate: the evaluator against exact counts and a slow evaluator, texts and
//! sets.

mod allin;
mod combos;
mod equities;
mod evaluator;
mod isomorphism;
mod multiway;
mod naive;
mod pairs;
mod ranges;
mod sets;
mod showdowns;
mod texts;

use cards::{Board, Card, CardSet, Combo, HoleCards};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;

fn set(text: &str) -> CardSet {
    text.parse::<Board>().expect("test cards").set()
}

fn combo(text: &str) -> Combo {
    let hole: HoleCards = text.parse().expect("test cards");
    Combo::new(hole[0], hole[1]).expect("two cards")
}

/// Random cards, `count` of them, none of `dead`.
fn draw(rng: &mut Pcg64Mcg, count: u32, dead: CardSet) -> CardSet {
    let mut drawn = CardSet::EMPTY;
    while drawn.len() < count {
        let card = Card::from_index(rng.random_range(0..Card::COUNT)).expect("below 52");
        if !dead.contains(card) {
            drawn.insert(card);
        }
    }
    drawn
}

/// A random hand that holds none of these cards.
fn draw_combo(rng: &mut Pcg64Mcg, dead: CardSet) -> Combo {
    let hole: Vec<Card> = draw(rng, 2, dead).iter().collect();
    Combo::new(hole[0], hole[1]).expect("two cards")
}

/// Calls `visit` with every way of adding `more` of the deck's cards to `hand`.
fn each_set(deck: &[Card], hand: CardSet, more: usize, visit: &mut impl FnMut(CardSet)) {
    if more == 0 {
        return visit(hand);
    }
    for (i, &card) in deck.iter().enumerate() {
        each_set(&deck[i + 1..], hand.with(card), more - 1, visit);
    }
}
