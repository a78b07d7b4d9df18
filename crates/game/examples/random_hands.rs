//! Plays random hands of many games and prints each as one line of JSON, for comparison with other
//! implementations of the rules (`tests/conformance/check_openspiel.py`).
//!
//! Usage: `random_hands HANDS [SEED]`. A line holds the game, the cards, every decision (who acts,
//! what is legal, what is done; raises as totals over the whole hand) and the payoffs in 2,520ths
//! of a chip. The rules are played with the quirks of the original ACPC server, whose code other
//! programs have taken over.

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use cards::{Board, Card, HoleCards};
use game::{
    Action, Betting, BySeat, Chips, GameDef, GameSpec, Payoff, PublicState, Quirks, Raises, Turn,
    games,
};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::Serialize;

/// Hands played of each game before the next one is made up.
const HANDS_PER_GAME: u64 = 40;

#[derive(Serialize)]
struct Hand<'a> {
    game: &'a GameSpec,
    hole: Vec<Vec<String>>,
    board: Vec<String>,
    decisions: Vec<Decision>,
    payoffs: Vec<i64>,
}

#[derive(Serialize)]
struct Decision {
    seat: usize,
    fold: bool,
    to_call: Chips,
    /// Smallest and largest total of a raise.
    raise: Option<(Chips, Chips)>,
    /// `f`, `c`, or the total of a raise.
    action: String,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (Some(Ok(hands)), Ok(seed), None) =
        (arguments.next(), arguments.next().unwrap_or(Ok(1)), arguments.next())
    else {
        return fail("usage: random_hands HANDS [SEED]");
    };
    match print_hands(hands, seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot write: {error}")),
    }
}

fn fail(message: &str) -> ExitCode {
    // Nothing can be done when even stderr is closed.
    let _ = writeln!(std::io::stderr(), "error: {message}");
    ExitCode::FAILURE
}

fn print_hands(hands: u64, seed: u64) -> std::io::Result<()> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut def = make_game(0, &mut rng);
    for hand in 0..hands {
        if hand > 0 && hand % HANDS_PER_GAME == 0 {
            def = make_game(hand / HANDS_PER_GAME, &mut rng);
        }
        serde_json::to_writer(&mut out, &play(&def, &mut rng))?;
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// The `number`th game: 2, 3 and 6 players, limit and no-limit in turn; every third one has even
/// stacks as in competitions (scaled down), the others uneven ones, small enough for all-ins.
fn make_game(number: u64, rng: &mut Pcg64Mcg) -> Arc<GameDef> {
    let players = [2, 3, 6][(number % 3) as usize];
    let limit = number / 3 % 2 == 1;
    if number % 20 == 3 {
        return Arc::new(games::leduc().with_quirks(Quirks::ORIGINAL));
    }
    let usual = games::nolimit_holdem_with(vec![20_000; players]);
    let big = rng.random_range(1..=5) * 2;
    let blinds: Vec<Chips> = usual.blinds.iter().map(|&blind| blind * big / 100).collect();
    let stacks = match rng.random_range(0..3u32) {
        0 => vec![if limit { 1_000_000 } else { 50 * big }; players],
        1 => (0..players).map(|_| rng.random_range(big + 1..=8 * big)).collect(),
        _ => (0..players).map(|_| rng.random_range(big + 1..=50 * big)).collect(),
    };
    let spec = GameSpec {
        betting: if limit { Betting::Limit } else { Betting::NoLimit },
        raise_sizes: if limit { vec![big, big, 2 * big, 2 * big] } else { Vec::new() },
        max_raises: if limit { vec![3, 4, 4, 4] } else { vec![255; 4] },
        stacks,
        blinds,
        quirks: Quirks::ORIGINAL,
        ..usual.spec().clone()
    };
    Arc::new(GameDef::new(spec).expect("blinds are below stacks"))
}

fn play<'a>(def: &'a Arc<GameDef>, rng: &mut Pcg64Mcg) -> Hand<'a> {
    let mut deck = def.deck();
    deck.shuffle(rng);
    let mut take = |count: usize| deck.split_off(deck.len() - count);
    let hole = BySeat::from_fn(def.players, |_| {
        HoleCards::new(&take(def.hole_cards.into())).expect("at most three")
    });
    let board = Board::new(&take(def.full_board_len())).expect("at most seven");

    let mut state = PublicState::new(def);
    let mut decisions = Vec::new();
    // Some hands are wild, some quiet, so that every street and depth of raising is reached.
    let raising = rng.random_range(0.05..0.6);
    loop {
        state.deal_from(&board).expect("the board is complete");
        let Turn::Act(seat) = state.turn() else { break };
        let legal = state.legal();
        let action = match (legal.raise, rng.random_bool(raising)) {
            (Some(raise), true) => Action::RaiseTo(raise_total(raise, rng)),
            _ if legal.fold && rng.random_bool(0.2) => Action::Fold,
            _ => Action::Call,
        };
        decisions.push(Decision {
            seat: seat.index(),
            fold: legal.fold,
            to_call: legal.to_call,
            raise: legal.raise.map(|raise| (raise.min, raise.max)),
            action: match action {
                Action::Fold => "f".to_owned(),
                Action::Call => "c".to_owned(),
                Action::RaiseTo(total) => total.to_string(),
            },
        });
        state.apply(action).expect("a legal action");
    }
    let text = |cards: &[Card]| cards.iter().map(ToString::to_string).collect();
    Hand {
        game: def.spec(),
        hole: hole.as_slice().iter().map(|cards| text(cards)).collect(),
        board: text(&board),
        decisions,
        payoffs: state.payoffs(&hole).as_slice().iter().map(|p: &Payoff| p.parts()).collect(),
    }
}

/// A raise: the smallest, a small one, any, or all-in.
fn raise_total(raise: Raises, rng: &mut Pcg64Mcg) -> Chips {
    let span = raise.max - raise.min;
    match rng.random_range(0..10u32) {
        0..=3 => raise.min,
        4..=6 => raise.min + rng.random_range(0..=span.min(raise.min)),
        7..=8 => raise.min + rng.random_range(0..=span),
        _ => raise.max,
    }
}
