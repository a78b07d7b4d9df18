//! Bad input is refused with the thing, the place and the remedy.

use std::sync::Arc;

use cards::Range;
use game::{Action, PublicState};
use solvers::subgame::{Options, Precision, Solver, StartError, Subgame, SubgameError, start};
use solvers::{Player, Variant};

use super::{Menu, hand, range, small_menu};
use crate::{board, combo};

fn refused(state: &PublicState, ranges: [&Range; 2], menu: Menu<'_>) -> SubgameError {
    match Subgame::new(state, ranges, menu) {
        Err(error) => error,
        Ok(subgame) => Solver::new(subgame, Options::default()).map(|_| ()).expect_err("refused"),
    }
}

#[test]
fn what_is_no_subgame_is_refused() {
    let all = range("random");
    let menu = &small_menu();
    let error = |state: &PublicState, ranges, menu| refused(state, ranges, menu).to_string();

    let leduc = PublicState::new(&Arc::new(game::games::leduc()));
    assert!(error(&leduc, [&all; 2], menu).contains("1 hole cards"));
    let preflop = PublicState::new(&Arc::new(game::games::nolimit_holdem()));
    assert_eq!(refused(&preflop, [&all; 2], menu), SubgameError::Board(0));
    let mut checked = hand("Td9d6h");
    checked.apply(Action::Call).expect("a check");
    checked.apply(Action::Call).expect("a check");
    assert_eq!(refused(&checked, [&all; 2], menu), SubgameError::NobodyActs);
    let three = PublicState::new(&Arc::new(game::games::nolimit_holdem_with(vec![1000; 3])));
    assert_eq!(refused(&three, [&all; 2], menu), SubgameError::Players(3));

    let state = hand("Td9d6hQc2s");
    let mut blocked = Range::empty();
    blocked.set(combo("TdAs"), 1.0).expect("a weight");
    assert!(matches!(
        refused(&state, [&all, &blocked], menu),
        SubgameError::EmptyRange { player: Player::Second, .. }
    ));
    let same = range("AhKh,AhQh");
    assert_eq!(refused(&state, [&same, &same], menu), SubgameError::NoDeal);
    // One hand against itself, with weights whose sums are not exact.
    let itself = range("AhKh:0.1");
    assert_eq!(refused(&state, [&itself, &itself], menu), SubgameError::NoDeal);

    assert!(matches!(refused(&state, [&all; 2], &|_| vec![]), SubgameError::NoAction { .. }));
    let illegal = |_: &PublicState| vec![Action::Call, Action::RaiseTo(100_000)];
    assert!(error(&state, [&all; 2], &illegal).contains("RaiseTo(100000)"));
    let turned = |_: &PublicState| vec![Action::RaiseTo(1000), Action::Call];
    assert!(matches!(refused(&state, [&all; 2], &turned), SubgameError::Order { .. }));
    let every = |state: &PublicState| state.legal().all().collect();
    assert!(matches!(refused(&hand("Td9d6h"), [&all; 2], &every), SubgameError::Nodes { .. }));
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
    let SubgameError::Memory { needed, cells, limit } = error else { panic!("{error}") };
    assert_eq!((needed, cells, limit), (full.bytes, full.cells, full.bytes - 1));

    for (variant, precision) in
        [(Variant::PCFR_PLUS, Precision::Half), (Variant::DCFR.simultaneous(), Precision::Full)]
    {
        let river = Subgame::new(&hand("Td9d6hQc2s"), [&all; 2], menu).expect("a subgame");
        let options = Options { variant, precision, ..Options::default() };
        let error = Solver::new(river, options).map(|_| ()).expect_err("refused");
        assert_eq!(error, SubgameError::Variant(variant));
    }
}

#[test]
fn hands_that_cannot_come_about_are_refused() {
    let river = board("Td9d6hQc2s");
    assert_eq!(start(&board("Td9d"), 200, [900; 2], 10).err(), Some(StartError::Board(2)));
    for (pot, smallest) in [(201, 10), (30, 10), (0, 10), (200, 0)] {
        let error = start(&river, pot, [900; 2], smallest).err();
        assert_eq!(error, Some(StartError::Pot { pot, smallest }));
    }
    assert_eq!(start(&river, 200, [900, 0], 10).err(), Some(StartError::Stack));
    assert!(matches!(start(&river, 200, [u32::MAX; 2], 10), Err(StartError::Game(_))));
    for (text, pot, stacks) in [("Td9d6h", 20, [1, 5]), ("Td9d6hQc", 40, [900, 30])] {
        let state = start(&board(text), pot, stacks, 10).expect(text);
        assert_eq!((state.pot(), state.board()), (u64::from(pot), board(text)));
        assert_eq!(state.committed().as_slice(), [pot / 2; 2]);
    }
}
