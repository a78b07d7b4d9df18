//! Subgames on the trees of well-known solvers: an iteration, and the time to half a percent of the pot, exact
//! checks of it included.
//!
//! Pot 200, 900 behind. `RAYON_NUM_THREADS=1` for one core.

use std::hint::black_box;

use abstraction::menu::BetMenu;
use cards::Board;
use criterion::{Criterion, criterion_group, criterion_main};
use solvers::subgame::{Options, Precision, Solver, Subgame, start};

/// Ranges of 180 and 265 hands on the flop.
const FIRST: &str = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s";
const SECOND: &str = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+";

struct Case {
    name: &'static str,
    board: &'static str,
    ranges: [&'static str; 2],
    menu: &'static str,
}

/// On the turn 108 % of the pot, and the same again on the river, bring all chips in.
const THREE: &str =
    "turn 1: 60% 108.1% allin\nriver 1: 60% allin\nturn river 2+: 2.5x\nallin-from: 77%";

const CASES: [Case; 4] = [
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

fn solver(case: &Case, precision: Precision) -> Solver {
    let board: Board = case.board.parse().expect("cards");
    let state = start(&board, 200, [900; 2], 10).expect("a hand");
    let [first, second] = case.ranges.map(|range| range.parse().expect("a range"));
    let menu: BetMenu = case.menu.parse().expect("a menu");
    let subgame = Subgame::new(&state, [&first, &second], &|state| menu.actions(state).to_vec())
        .expect("a subgame");
    Solver::new(subgame, Options { precision, ..Options::default() }).expect("small")
}

fn subgames(criterion: &mut Criterion) {
    for case in CASES {
        let mut group = criterion.benchmark_group(case.name);
        group.sample_size(10);
        for (precision, name) in [(Precision::Full, "32 bits"), (Precision::Half, "16 bits")] {
            let mut solved = solver(&case, precision);
            let size = solved.subgame().size(&Options { precision, ..Options::default() });
            solved.run_until(0.005, 10, 1000);
            let iterations = solved.iterations();
            let about = format!("{iterations} iterations to 0.5 % of the pot, {size:?}");
            #[expect(clippy::print_stdout, reason = "what the times are of")]
            {
                println!("{}, {name}: {about}", case.name);
            }
            group.bench_function(format!("{name}, iteration"), |bencher| {
                bencher.iter(|| solved.step());
            });
            group.bench_function(format!("{name}, to 0.5 % of the pot"), |bencher| {
                bencher.iter(|| {
                    let mut solver = solver(&case, precision);
                    black_box(solver.run_until(0.005, 10, 1000))
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, subgames);
criterion_main!(benches);
