//! Tests of the abstraction crate: features against figures made elsewhere, their schema, the
//! shipped table.

mod betting;
mod buckets;
mod facts;
mod features;
mod menu;
mod multiway;
mod preflop;
mod schema;
mod translate;

use std::sync::Arc;

use abstraction::betting::BettingTree;
use cards::{Board, Card, CardSet, Combo, HoleCards};
use game::{GameDef, PublicState, notation};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;

/// The tree of a shipped menu, or of one that is written out.
fn tree(def: &Arc<GameDef>, menu: &str) -> BettingTree {
    let menu = abstraction::menu::find(menu).unwrap_or_else(|| menu.parse().expect("a menu"));
    BettingTree::new(def, &menu, 1 << 20).expect("a tree of moderate size")
}

/// The state after this betting, in the notation of the ACPC protocol.
fn state(def: &Arc<GameDef>, betting: &str) -> PublicState {
    let streets = ["", "2c7d9h", "2c7d9hJs", "2c7d9hJsKd"];
    let board = streets[betting.matches('/').count()].parse().expect("a board");
    notation::replay(def, betting, &board).expect("legal betting")
}

fn set(text: &str) -> CardSet {
    text.parse::<Board>().expect("test cards").set()
}

fn combo(text: &str) -> Combo {
    let hole: HoleCards = text.parse().expect("test cards");
    Combo::new(hole[0], hole[1]).expect("two cards")
}

/// Different cards in random order.
fn random_cards(rng: &mut Pcg64Mcg, count: usize) -> Vec<Card> {
    let mut dealt: Vec<Card> = Vec::new();
    while dealt.len() < count {
        let card = Card::from_index(rng.random_range(0..52)).expect("below 52");
        if !dealt.contains(&card) {
            dealt.push(card);
        }
    }
    dealt
}

/// The first two of some cards, and the others.
fn hand(dealt: &[Card]) -> (Combo, CardSet) {
    (Combo::new(dealt[0], dealt[1]).expect("two cards"), dealt[2..].iter().copied().collect())
}
