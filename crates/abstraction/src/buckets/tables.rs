//! Tables of buckets: a look-up of some nanoseconds for each hand.

use std::collections::HashMap;

use cards::{Card, CardSet, Combo, Outlook, RiverBoard, RiverTable, Ties};
use game::Street;

use super::boards::{self, Boards};
use super::percentiles::{self, NONE};
use super::rule::Rule;
use super::{DealtBuckets, Progress};

/// The tables of all streets after the flop; the preflop needs none.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    /// The buckets of all hands on all flops and turns, indexed by
    /// [`super::boards::BoardPosition`].
    flop: Box<[u16]>,
    turn: Box<[u16]>,
    river: River,
}

/// The river's part: there are too many river hands for a table by hand.
#[derive(Debug, Clone)]
enum River {
    /// Buckets by board class and win-rate in 1,980ths, which the table of river states has.
    ByWinRate {
        /// The class of each board by its number; empty where there is one class.
        classes: Box<[u16]>,
        buckets: Box<[u16]>,
    },
    /// Evaluates the rule at every look-up.
    ByRule,
}

/// Number of possible win-rates of a river hand.
const RATES: usize = RiverTable::DENOMINATOR as usize + 1;

impl Tables {
    pub(super) fn new(rules: &[Rule; 4], progress: &mut dyn FnMut(Progress)) -> Tables {
        let mut tell =
            |street, done| progress(Progress { street, stage: "tables", done, distance: None });
        tell(Street::Flop, 0.0);
        let flop = written_out(&rules[1], Street::Flop);
        tell(Street::Turn, 0.0);
        let turn = written_out(&rules[2], Street::Turn);
        tell(Street::River, 0.0);
        let river = River::of(&rules[3]);
        tell(Street::River, 1.0);
        // Build the river table now, which the look-ups use.
        RiverTable::shared(Ties::Half);
        Tables { flop, turn, river }
    }

    /// The bucket of a hand on a board of three or four cards, and of five where win-rates decide
    /// it. The hand must share no card with the board.
    #[inline]
    pub(super) fn get(&self, hole: Combo, board: CardSet) -> Option<u32> {
        match board.len() {
            3 => Some(self.flop[Boards::flops().position(board).of(hole)].into()),
            4 => Some(self.turn[Boards::turns().position(board).of(hole)].into()),
            5 => {
                let state = RiverBoard::new(board).ok()?.state(hole);
                self.river.at([state; 2], board).map(|[bucket, _]| bucket)
            }
            _ => None,
        }
    }

    /// The table positions of a deal's buckets.
    #[inline]
    pub(super) fn find(&self, holes: [Combo; 2], board: &[Card; 5]) -> Found {
        let [a, b, c, d, e] = board.map(CardSet::of);
        let flop = a | b | c;
        let turn = flop | d;
        let river = turn | e;
        let (on_flop, on_turn) = (Boards::flops().position(flop), Boards::turns().position(turn));
        Found {
            holes,
            flop: holes.map(|hole| on_flop.of(hole)),
            turn: holes.map(|hole| on_turn.of(hole)),
            river,
            states: RiverBoard::new(river)
                .map_or([0; 2], |board| holes.map(|hole| board.state(hole))),
        }
    }

    /// Reads the buckets at these positions.
    #[inline]
    pub(super) fn read(&self, rules: &[Rule; 4], found: &Found) -> DealtBuckets {
        let on_river = self.river.read(found).unwrap_or_else(|| {
            found.holes.map(|hole| {
                let bucket = rules[3].bucket(hole, found.river, &mut Outlook::default());
                bucket.unwrap_or_default()
            })
        });
        [0, 1].map(|player| {
            [
                rules[0].before_flop(found.holes[player]),
                self.flop[found.flop[player]].into(),
                self.turn[found.turn[player]].into(),
                on_river[player],
            ]
        })
    }
}

/// The table positions of both hands' buckets in a deal. They are computed for many deals before
/// any is read, so that cache misses overlap.
#[derive(Clone, Copy)]
pub(super) struct Found {
    holes: [Combo; 2],
    flop: [usize; 2],
    turn: [usize; 2],
    river: CardSet,
    states: [usize; 2],
}

impl River {
    fn of(rule: &Rule) -> River {
        if !rule.by_outlook() {
            return River::ByRule;
        }
        let (classes, count): (Box<[u16]>, u32) = match rule {
            Rule::Nested { classes, .. } => {
                let of_board = boards::of_five(|board| classes.of(board) as u16);
                (of_board, classes.centres.len() as u32)
            }
            _ => (Box::default(), 1),
        };
        let rates = |class| {
            (0..RATES).map(move |rate| {
                let outlook = Outlook::on_river(rate as u16);
                rule.bucket_of(class, &outlook) as u16
            })
        };
        River::ByWinRate { classes, buckets: (0..count).flat_map(rates).collect() }
    }

    /// The buckets of a deal's hands on the river.
    #[inline]
    fn read(&self, found: &Found) -> Option<[u32; 2]> {
        self.at(found.states, found.river)
    }

    /// The buckets of two river states of a board.
    #[inline]
    fn at(&self, states: [usize; 2], board: CardSet) -> Option<[u32; 2]> {
        let River::ByWinRate { classes, buckets } = self else { return None };
        let class = match classes.len() {
            0 => 0,
            _ => usize::from(classes[boards::number_of(board)]),
        };
        let buckets = &buckets[RATES * class..][..RATES];
        let table = RiverTable::shared(Ties::Half);
        Some(states.map(|state| buckets[usize::from(table.value_of_state(state))].into()))
    }
}

/// The table of a rule for a flop or turn.
fn written_out(rule: &Rule, street: Street) -> Box<[u16]> {
    let table = RiverTable::shared(Ties::Half);
    let boards = if street == Street::Flop { Boards::flops() } else { Boards::turns() };
    if matches!(rule, Rule::Percentiles { .. } | Rule::Nested { .. }) {
        return by_score(rule, &percentiles::all_scores(table, street), boards);
    }
    let mut buckets = vec![0; boards.rows().len() * Combo::COUNT].into_boxed_slice();
    let rows = buckets.chunks_mut(Combo::COUNT).zip(boards.rows());
    parallel::for_each(rows, |(row, (board, _))| {
        if rule.by_outlook() {
            let visit = |hole: Combo, outlook: &Outlook| {
                row[hole.index()] = rule.bucket_of(0, outlook) as u16;
            };
            table.each_hand(*board, visit).expect("boards of three or four cards");
        } else {
            let mut outlook = Outlook::default();
            for hole in Combo::all().filter(|hole| !hole.set().intersects(*board)) {
                let bucket = rule.bucket(hole, *board, &mut outlook);
                row[hole.index()] = bucket.expect("a hand beside its board") as u16;
            }
        }
    });
    buckets
}

/// The table for a rule based on scores.
fn by_score(rule: &Rule, scores: &[u32], boards: &Boards) -> Box<[u16]> {
    let classes: Vec<u32> = parallel::map(boards.rows(), |(board, _)| rule.class(*board));
    // Adjacent hands have very different scores: a table by score saves a search of the limits.
    let most = scores.iter().copied().filter(|&score| score != NONE).max().unwrap_or(0);
    let groups: HashMap<u32, Vec<u16>> = (classes.iter().copied())
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .map(|class| {
            let groups = (0..=most).map(|score| rule.bucket_with(class, score) as u16).collect();
            (class, groups)
        })
        .collect();
    let rows = scores.chunks(Combo::COUNT).zip(classes);
    let group = |(row, class): (&[u32], u32)| {
        let groups = &groups[&class];
        row.iter()
            .map(|&score| groups.get(score as usize).copied().unwrap_or(0))
            .collect::<Vec<u16>>()
    };
    parallel::map(rows, group).concat().into_boxed_slice()
}
