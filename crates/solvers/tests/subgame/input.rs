//! Bad input is refused with the thing, the place and the remedy.

use std::sync::Arc;

use cards::{Board, Range};
use game::{Action, PublicState};
use solvers::Variant;
use solvers::subgame::{Options, Precision, Solver, Subgame, start};

use super::{Menu, hand, range, small_menu};
use crate::{board, combo};

fn refused(state: &PublicState, ranges: [&Range; 2], menu: Menu<'_>) -> String {
    let subgame = Subgame::new(state, ranges, menu);
    let solver = subgame.and_then(|subgame| Solver::new(subgame, Options::default()));
    solver.map(|_| ()).expect_err("refused").to_string()
}

#[test]
fn what_is_no_subgame_is_refused() {
    let all = range("random");
    let menu: Menu<'_> = &small_menu();
    let check = |state: &PublicState, ranges, menu: Menu<'_>, expected: &str| {
        let text = refused(state, ranges, menu);
        assert!(text.contains(expected), "{text}");
    };

    let leduc = PublicState::new(&Arc::new(game::games::leduc()));
    check(&leduc, [&all; 2], menu, "1 hole cards");
    let preflop = PublicState::new(&Arc::new(game::games::nolimit_holdem()));
    check(&preflop, [&all; 2], menu, "the board has 0 cards");
    let mut checked = hand("Td9d6h");
    checked.apply(Action::Call).expect("a check");
    checked.apply(Action::Call).expect("a check");
    check(&checked, [&all; 2], menu, "nobody is to act");
    let three = PublicState::new(&Arc::new(game::games::nolimit_holdem_with(vec![1000; 3])));
    check(&three, [&all; 2], menu, "3 players");

    let state = hand("Td9d6hQc2s");
    let mut blocked = Range::empty();
    blocked.set(combo("TdAs"), 1.0).expect("a weight");
    check(&state, [&all, &blocked], menu, "the second player has no hand left");
    let same = range("AhKh,AhQh");
    check(&state, [&same, &same], menu, "no two can be dealt together");
    // One hand against itself, with weights whose sums are not exact.
    let itself = range("AhKh:0.1");
    check(&state, [&itself, &itself], menu, "no two can be dealt together");

    check(&state, [&all; 2], &|_| vec![], "offers no action");
    let illegal = |_: &PublicState| vec![Action::Call, Action::RaiseTo(100_000)];
    check(&state, [&all; 2], &illegal, "RaiseTo(100000)");
    let turned = |_: &PublicState| vec![Action::RaiseTo(1000), Action::Call];
    check(&state, [&all; 2], &turned, "not in order");
    let every = |state: &PublicState| state.legal().all().collect();
    check(&hand("Td9d6h"), [&all; 2], &every, "more than 250000 nodes");
}

#[test]
fn too_little_memory_and_unfit_algorithms_are_refused() {
    let all = range("random");
    let menu = &small_menu();
    let subgame = || Subgame::new(&hand("Td9d6h"), [&all; 2], menu).expect("a subgame");
    let [full, half] = [Precision::Full, Precision::Half]
        .map(|precision| subgame().size(&Options { precision, ..Options::default() }));
    assert_eq!((full.hands, full.cells), ([1176; 2], half.cells));
    assert!(half.bytes < full.bytes * 3 / 5, "{half:?} {full:?}");
    let options = Options { memory: full.bytes - 1, ..Options::default() };
    let error = Solver::new(subgame(), options).map(|_| ()).expect_err("refused");
    assert_eq!(error.memory(), Some((full.bytes, full.cells)));
    assert!(error.to_string().contains(&format!("{} are allowed", full.bytes - 1)), "{error}");

    for (variant, precision) in
        [(Variant::PCFR_PLUS, Precision::Half), (Variant::DCFR.simultaneous(), Precision::Full)]
    {
        let river = Subgame::new(&hand("Td9d6hQc2s"), [&all; 2], menu).expect("a subgame");
        let options = Options { variant, precision, ..Options::default() };
        let error = Solver::new(river, options).map(|_| ()).expect_err("refused");
        assert!(error.is_algorithm() && error.to_string().contains(&variant.to_string()));
    }
}

#[test]
fn hands_that_cannot_come_about_are_refused() {
    let river = board("Td9d6hQc2s");
    let refused = |board: &Board, pot, stacks, smallest, expected: &str| {
        let error = start(board, pot, stacks, smallest).map(|_| ()).expect_err("refused");
        assert!(error.to_string().contains(expected), "{error}");
    };
    refused(&board("Td9d"), 200, [900; 2], 10, "the board has 2 cards");
    for (pot, smallest) in [(201, 10), (30, 10), (0, 10), (200, 0)] {
        refused(&river, pot, [900; 2], smallest, &format!("a pot of {pot} is not possible"));
    }
    refused(&river, 200, [900, 0], 10, "a stack behind is 0");
    refused(&river, 200, [u32::MAX; 2], 10, "a stack is 4294967295");
    for (text, pot, stacks) in [("Td9d6h", 20, [1, 5]), ("Td9d6hQc", 40, [900, 30])] {
        let state = start(&board(text), pot, stacks, 10).expect(text);
        assert_eq!((state.pot(), state.board()), (u64::from(pot), board(text)));
        assert_eq!(state.committed().as_slice(), [pot / 2; 2]);
    }
}
