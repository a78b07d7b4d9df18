//! Speed of the rules: whole hands of random legal actions, cards dealt and payoffs computed.

use std::hint::black_box;
use std::sync::Arc;

use cards::{Board, Card, HoleCards};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use game::{Action, BySeat, GameDef, PublicState, Turn, games};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Hands in one measured step.
const HANDS: u64 = 1_000;

/// Folds 6 of 100 times, else calls or raises (uniform size) equally often: the mix of the original
/// server's example player, which makes hands of about six actions heads-up no-limit and nine
/// limit. What is not legal becomes a call.
fn random_action(state: &PublicState, rng: &mut Pcg64Mcg) -> Action {
    let legal = state.legal();
    match (rng.random_range(0..100u32), legal.raise) {
        (0..6, _) if legal.fold => Action::Fold,
        (6..53, Some(raise)) => Action::RaiseTo(rng.random_range(raise.min..=raise.max)),
        _ => Action::Call,
    }
}

/// Two hole cards for each player, then the board; a partial shuffle of the deck in place.
fn deal(players: usize, deck: &mut [Card; 52], rng: &mut impl Rng) -> (BySeat<HoleCards>, Board) {
    let needed = 2 * players + 5;
    for i in 0..needed {
        let j = rng.random_range(i..52);
        deck.swap(i, j);
    }
    let hole = BySeat::from_fn(players, |seat| {
        HoleCards::new(&deck[2 * seat.index()..][..2]).expect("two cards")
    });
    (hole, Board::new(&deck[2 * players..needed]).expect("five cards"))
}

fn play_hands(def: &Arc<GameDef>, deck: &mut [Card; 52], rng: &mut Pcg64Mcg) -> i64 {
    let seat = def.seats().next().expect("a seat");
    let mut won = 0;
    for _ in 0..HANDS {
        let (hole, board) = deal(def.players, deck, rng);
        let mut state = PublicState::new(def);
        loop {
            match state.turn() {
                Turn::Act(_) => {
                    let action = random_action(&state, rng);
                    state.apply_unchecked(action);
                }
                Turn::Deal(_) => state.deal_from(&board).expect("a whole board"),
                Turn::Over => break,
            }
        }
        won += state.payoffs(&hole)[seat].parts();
    }
    won
}

fn random_hands(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("random hands");
    group.throughput(Throughput::Elements(HANDS));
    for (name, def) in [
        ("heads-up no-limit", games::nolimit_holdem()),
        ("heads-up limit", games::limit_holdem()),
        ("six players no-limit", games::nolimit_holdem_with(vec![20_000; 6])),
    ] {
        let def = Arc::new(def);
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let mut deck: [Card; 52] =
            std::array::from_fn(|i| Card::from_index(i as u8).expect("below 52"));
        group.bench_function(name, |bencher| {
            bencher.iter(|| black_box(play_hands(&def, &mut deck, &mut rng)));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_secs(1))
        .measurement_time(std::time::Duration::from_secs(3));
    targets = random_hands
}
criterion_main!(benches);
