//! Subgames on the trees of well-known solvers: pot 200, 900 behind.

use abstraction::menu::BetMenu;
use cards::Board;
use solvers::subgame::{Options, Precision, Solver, Subgame, start};

/// Ranges of 180 and 265 hands on the flop.
const FIRST: &str = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s";
const SECOND: &str = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+";

pub(crate) struct Case {
    pub(crate) name: &'static str,
    board: &'static str,
    ranges: [&'static str; 2],
    menu: &'static str,
}

/// On the turn 108 % of the pot, and the same again on the river, bring all chips in.
const THREE: &str =
    "turn 1: 60% 108.1% allin\nriver 1: 60% allin\nturn river 2+: 2.5x\nallin-from: 77%";

pub(crate) const CASES: [Case; 4] = [
    Case {
        name: "river all hands",
        board: "Td9d6hQc2s",
        ranges: ["random"; 2],
        menu: "river 1: 33% 75% allin\nriver 2+: 2.5x allin",
    },
    Case { name: "river 167 x 246", board: "Td9d6hQc2s", ranges: [FIRST, SECOND], menu: THREE },
    Case { name: "turn 167 x 250", board: "Td9d6hQc", ranges: [FIRST, SECOND], menu: THREE },
    Case {
        name: "turn all hands",
        board: "Td9d6hQc",
        ranges: ["random"; 2],
        menu: "turn river 1: 50% allin\nturn river 2+: 2.5x allin",
    },
];

pub(crate) fn solver(case: &Case, precision: Precision) -> Solver {
    let board: Board = case.board.parse().expect("cards");
    let state = start(&board, 200, [900; 2], 10).expect("a hand");
    let [first, second] = case.ranges.map(|range| range.parse().expect("a range"));
    let menu: BetMenu = case.menu.parse().expect("a menu");
    let subgame = Subgame::new(&state, [&first, &second], &|state| menu.actions(state).to_vec())
        .expect("a subgame");
    Solver::new(subgame, Options { precision, ..Options::default() }).expect("small")
}
