//! Finished hands to record: random ones, and ones by fixed rules.

use std::sync::Arc;
use std::time::Duration;

use cards::{Card, HoleCards};
use game::{Action, BySeat, GameDef, LegalActions, PublicState, Seat, State, Turn};
use logs::{DecisionRecord, Entrant, HandRecord, MatchInfo, Provenance};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Deals from this seed and plays until the hand is over.
pub(crate) fn play(
    def: &Arc<GameDef>,
    hand: u64,
    deal: u64,
    seed: u64,
    mut choose: impl FnMut(Seat, LegalActions, &mut Pcg64Mcg) -> Action,
) -> HandRecord {
    let mut rng = Pcg64Mcg::seed_from_u64(seed.wrapping_mul(0x9E37_79B9).wrapping_add(deal));
    let mut deck = def.deck();
    let mut draw = || -> Card { deck.swap_remove(rng.random_range(0..deck.len())) };
    let hole = BySeat::from_fn(def.players, |_| {
        let cards: Vec<Card> = (0..def.hole_cards).map(|_| draw()).collect();
        HoleCards::new(&cards).unwrap()
    });
    let board: Vec<Card> = (0..def.full_board_len()).map(|_| draw()).collect();
    let mut actions = Pcg64Mcg::seed_from_u64(seed ^ hand << 20);
    let mut public = PublicState::new(def);
    loop {
        public.deal_from(&board).unwrap();
        match public.turn() {
            Turn::Act(seat) => {
                let action = choose(seat, public.legal(), &mut actions);
                public.apply(action).unwrap();
            }
            Turn::Over => break,
            Turn::Deal(_) => unreachable!(),
        }
    }
    let state = State { public, hole };
    let players = def.players;
    let entrants =
        BySeat::from_fn(players, |seat| ((hand as usize + seat.index()) % players) as u8);
    HandRecord { hand, deal, payoffs: state.payoffs(), public: state.public, hole, entrants }
}

/// Random legal actions: folds are rare, so that many hands reach the end.
pub(crate) fn random_action(_: Seat, legal: LegalActions, rng: &mut Pcg64Mcg) -> Action {
    match rng.random_range(0..10) {
        0 if legal.fold => Action::Fold,
        1..5 => match legal.raise {
            Some(raise) if rng.random_range(0..4) == 0 => Action::RaiseTo(raise.max),
            Some(raise) => {
                let most = raise.max.min(raise.min.saturating_mul(2)).max(raise.min);
                Action::RaiseTo(rng.random_range(raise.min..=most))
            }
            None => Action::Call,
        },
        _ => Action::Call,
    }
}

/// A random match of this many hands, with `group` hands to a deal.
pub(crate) fn random_hands(
    def: &Arc<GameDef>,
    hands: u64,
    group: u64,
    seed: u64,
) -> Vec<HandRecord> {
    (0..hands).map(|hand| play(def, hand, hand / group, seed, random_action)).collect()
}

/// A call as the first decision of a hand, about which nothing more is known.
pub(crate) fn decision(hand: u64) -> DecisionRecord {
    DecisionRecord {
        hand,
        index: 0,
        entrant: 0,
        seat: Seat::new(0).unwrap(),
        action: Action::Call,
        corrected_from: None,
        fallback: None,
        strategy: None,
        values: Vec::new(),
        note: None,
        beyond_model: false,
        elapsed: Duration::ZERO,
    }
}

/// A match of this game.
pub(crate) fn info(def: &Arc<GameDef>, hands: u64, duplicate: bool) -> MatchInfo {
    MatchInfo {
        name: "test".to_owned(),
        game_name: "test.game".to_owned(),
        hands,
        seed: 42,
        duplicate,
        shard: None,
        provenance: Provenance {
            version: "1.2.3".to_owned(),
            commit: Some("0123456".to_owned()),
            created: "2026-01-02T03:04:05Z".to_owned(),
            arguments: vec!["match".to_owned(), "a".to_owned()],
        },
        entrants: (0..def.players).map(|k| Entrant::named(format!("p{k}"))).collect(),
        game: GameDef::clone(def),
    }
}

/// The games that tests go through: two, three and six players, limit and no-limit, small decks.
pub(crate) fn games() -> Vec<Arc<GameDef>> {
    use game::games;
    vec![
        games::kuhn(),
        games::leduc(),
        games::limit_holdem(),
        games::nolimit_holdem(),
        games::nolimit_holdem_with(vec![20_000; 3]),
        games::nolimit_holdem_with(vec![20_000; 6]),
    ]
    .into_iter()
    .map(Arc::new)
    .collect()
}
