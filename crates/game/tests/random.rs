//! Random game definitions, random deals and random play, shared by the property tests.

use std::sync::Arc;

use cards::{Board, Card, HoleCards};
use game::{Action, Betting, BySeat, GameDef, GameSpec, LegalActions, PublicState, Quirks, Turn};
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A valid game: any number of players, streets and board cards, uneven stacks and blinds.
pub(crate) fn a_game() -> impl Strategy<Value = Arc<GameDef>> {
    (2usize..=10, 1usize..=4).prop_flat_map(|(players, streets)| a_game_of(players, streets))
}

/// A valid game with this many players and streets.
pub(crate) fn a_game_of(players: usize, streets: usize) -> impl Strategy<Value = Arc<GameDef>> {
    let cap = prop_oneof![3 => 0u32..5, 2 => Just(GameSpec::NO_CAP)];
    let seats = prop::collection::vec((1u32..60, 0u32..12), players);
    let by_street = prop::collection::vec((1u32..20, 0..players, cap, 0u8..=2), streets);
    (prop::bool::ANY, seats, by_street, 1u8..=3, prop::bool::ANY).prop_map(
        move |(no_limit, seats, by_street, hole_cards, even)| {
            let stack = |&(stack, _): &(u32, u32)| if even { seats[0].0 } else { stack };
            let blinds = seats.iter().map(|seat| seat.1.min(stack(seat))).collect();
            let mut spare_cards = 7 - hole_cards;
            let mut board = |wanted: u8| {
                let count = wanted.min(spare_cards);
                spare_cards -= count;
                count
            };
            let spec = GameSpec {
                betting: if no_limit { Betting::NoLimit } else { Betting::Limit },
                players,
                streets,
                stacks: seats.iter().map(stack).collect(),
                blinds,
                raise_sizes: if no_limit {
                    Vec::new()
                } else {
                    by_street.iter().map(|street| street.0).collect()
                },
                first_to_act: by_street.iter().map(|street| street.1).collect(),
                max_raises: by_street.iter().map(|street| street.2).collect(),
                suits: 4,
                ranks: 13,
                hole_cards,
                board_cards: by_street.iter().map(|street| board(street.3)).collect(),
                discards: false,
                quirks: Quirks::default(),
            };
            Arc::new(GameDef::new(spec).expect("made to be valid"))
        },
    )
}

/// Everybody's hole cards and the whole board.
#[derive(Debug, Clone)]
pub(crate) struct Deal {
    pub(crate) hole: BySeat<HoleCards>,
    pub(crate) board: Board,
}

/// Deals a hand of this game.
pub(crate) fn deal(def: &GameDef, seed: u64) -> Deal {
    let mut deck = def.deck();
    deck.shuffle(&mut Pcg64Mcg::seed_from_u64(seed));
    let mut take = |count: usize| deck.split_off(deck.len() - count);
    let hole = BySeat::from_fn(def.players, |_| {
        HoleCards::new(&take(def.hole_cards.into())).expect("at most three")
    });
    let board: Vec<Card> = take(def.full_board_len());
    Deal { hole, board: Board::new(&board).expect("at most seven") }
}

/// One of the legal actions: fold, call and raises equally likely, sizes uniform or at an end.
pub(crate) fn choose(legal: &LegalActions, rng: &mut Pcg64Mcg) -> Action {
    match (rng.random_range(0..4u32), legal.raise) {
        (0, _) if legal.fold => Action::Fold,
        (1, Some(raise)) => Action::RaiseTo(rng.random_range(raise.min..=raise.max)),
        (2, Some(raise)) => Action::RaiseTo(raise.min),
        _ => Action::Call,
    }
}

/// Plays a whole hand at random; `watch` sees every state, the last one included.
pub(crate) fn play(
    def: &Arc<GameDef>,
    deal: &Deal,
    seed: u64,
    mut watch: impl FnMut(&PublicState),
) -> PublicState {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut state = PublicState::new(def);
    loop {
        watch(&state);
        match state.turn() {
            Turn::Deal(_) => state.deal_from(&deal.board).expect("the board is complete"),
            Turn::Act(_) => {
                let action = choose(&state.legal(), &mut rng);
                state.apply(action).expect("chosen among the legal ones");
            }
            Turn::Over => return state,
        }
    }
}
