//! Published results of local best response against agents of others.
//!
//! Lisý and Bowling 2017, table 2, and the supplement of Moravčík et al., "DeepStack", Science 356
//! (2017): two players, no-limit, stacks of 200 big blinds (100 where stated), 100,000 hands each,
//! both seats with the same cards; the same game and the same moves as here.

/// The columns of the table: the name of the moves, and the street from which on they are used.
pub const SETTINGS: [(&str, game::Street); 5] = [
    ("fc", game::Street::Preflop),
    ("fc", game::Street::Turn),
    ("fcpa", game::Street::Turn),
    ("56", game::Street::Preflop),
    ("56", game::Street::Turn),
];

/// The results against one agent for each of [`SETTINGS`], in mbb/hand with the half-width of the
/// 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The agent's name.
    pub agent: &'static str,
    /// Rate and half-width; `None` where not published.
    pub won: [Option<(i32, u32)>; 5],
}

const fn row(agent: &'static str, won: [(i32, u32); 5]) -> Row {
    let [a, b, c, d, e] = won;
    Row { agent, won: [Some(a), Some(b), Some(c), Some(d), Some(e)] }
}

/// The rows of the table.
pub const ROWS: [Row; 6] = [
    row("Hyperborean 2013", [(1048, 68), (1006, 76), (4040, 147), (619, 117), (5062, 152)]),
    row("Hyperborean 2014", [(721, 56), (608, 61), (3852, 141), (574, 125), (4675, 152)]),
    row("Slumbot 2016", [(522, 50), (496, 55), (4020, 115), (763, 84), (3763, 104)]),
    row("Act1 2016", [(407, 47), (390, 55), (2597, 140), (2429, 134), (3302, 122)]),
    row("Full Cards, 100 bb", [(-424, 37), (-819, 52), (-536, 87), (1607, 76), (2403, 87)]),
    Row {
        agent: "DeepStack",
        won: [Some((-428, 87)), None, Some((-383, 219)), None, Some((-775, 255))],
    },
];

/// Results for agents whose papers give one number, in mbb/hand with the spread as given. The moves
/// are not those of one column.
pub const OTHERS: [(&str, i32, Option<u32>); 5] = [
    ("ReBeL", -881, Some(94)),
    ("Supremus", -951, Some(96)),
    ("DeepStack, remade for Supremus", -536, Some(68)),
    ("Student of Games (fc)", -434, Some(9)),
    ("OpenHoldem, learned", -336, None),
];

/// The win rate of local best response, in mbb/hand, against an agent that always folds, for all
/// moves but `fc`, which never bets.
pub const ALWAYS_FOLD: i32 = 750;
