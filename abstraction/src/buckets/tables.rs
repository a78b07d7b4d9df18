//! Buckets written out: a look-up for each hand, some nanoseconds long.

use cards::{Card, CardSet, Combo, Outlook, RiverBoard, RiverTable, Ties};
use game::Street;
use rayon::prelude::*;

use super::boards::Boards;
use super::percentiles::{self, NONE};
use super::rule::{Rule, place};
use super::{DealtBuckets, Progress};

/// The buckets of all hands after the flop; those before it need no table.
#[derive(Debug, Clone)]
pub(super) struct Tables {
    /// Of all hands on all flops and turns, by [`super::boards::Place`].
    flop: Box<[u16]>,
    turn: Box<[u16]>,
    river: River,
}

/// River hands are too many for a table of their own.
#[derive(Debug, Clone)]
enum River {
    /// By the win-rate in 1,980ths, which the table of river states has.
    ByWinRate(Box<[u16]>),
    /// By asking the rule.
    ByRule,
}

impl Tables {
    pub(super) fn new(rules: &[Rule; 4], progress: &mut dyn FnMut(Progress)) -> Tables {
        let mut tell = |street, done| progress(Progress { street, stage: "tables", done });
        tell(Street::Flop, 0.0);
        let flop = written_out(&rules[1], Street::Flop);
        tell(Street::Turn, 0.0);
        let turn = written_out(&rules[2], Street::Turn);
        tell(Street::Turn, 1.0);
        let river = match &rules[3] {
            Rule::Percentiles { cuts } => {
                let values = 0..=u32::from(RiverTable::DENOMINATOR);
                River::ByWinRate(values.map(|value| place(cuts, value) as u16).collect())
            }
            _ => River::ByRule,
        };
        // What the look-ups below will ask for.
        RiverTable::shared(Ties::Half);
        Tables { flop, turn, river }
    }

    /// The bucket of a hand on a board of three or four cards, and on one of five where win-rates
    /// decide it. The hand shares no card with the board.
    #[inline]
    pub(super) fn get(&self, hole: Combo, board: CardSet) -> Option<u32> {
        match board.len() {
            3 => Some(self.flop[Boards::flops().place(board).of(hole)].into()),
            4 => Some(self.turn[Boards::turns().place(board).of(hole)].into()),
            5 => match &self.river {
                River::ByWinRate(buckets) => {
                    let value = RiverTable::shared(Ties::Half).value(hole, board).ok()?;
                    Some(buckets[usize::from(value)].into())
                }
                River::ByRule => None,
            },
            _ => None,
        }
    }

    /// See [`super::Buckets::deal`].
    #[inline]
    pub(super) fn deal(
        &self,
        rules: &[Rule; 4],
        holes: [Combo; 2],
        board: &[Card; 5],
    ) -> DealtBuckets {
        let [a, b, c, d, e] = board.map(CardSet::of);
        let flop = a | b | c;
        let turn = flop | d;
        let river = turn | e;
        let (on_flop, on_turn) = (Boards::flops().place(flop), Boards::turns().place(turn));
        let of_river = self.on_river(&rules[3], holes, river);
        let mut dealt = [[0; 4]; 2];
        for (player, (buckets, hole)) in dealt.iter_mut().zip(holes).enumerate() {
            *buckets = [
                rules[0].before_flop(hole),
                self.flop[on_flop.of(hole)].into(),
                self.turn[on_turn.of(hole)].into(),
                of_river[player],
            ];
        }
        dealt
    }

    #[inline]
    fn on_river(&self, rule: &Rule, holes: [Combo; 2], board: CardSet) -> [u32; 2] {
        match (&self.river, RiverBoard::new(board)) {
            (River::ByWinRate(buckets), Ok(river)) => {
                let table = RiverTable::shared(Ties::Half);
                holes.map(|hole| buckets[usize::from(table.value_on(river, hole))].into())
            }
            _ => holes
                .map(|hole| rule.bucket(hole, board, &mut Outlook::default()).unwrap_or_default()),
        }
    }
}

/// The buckets of every hand on every board of a flop or turn.
fn written_out(rule: &Rule, street: Street) -> Box<[u16]> {
    let table = RiverTable::shared(Ties::Half);
    let boards = if street == Street::Flop { Boards::flops() } else { Boards::turns() };
    if let Rule::Percentiles { cuts } = rule {
        let scores = percentiles::all_scores(table, street);
        // Neighbouring hands have very different scores: a table of scores saves searching the limits.
        let most = scores.iter().copied().filter(|&score| score != NONE).max().unwrap_or(0);
        let groups: Vec<u16> = (0..=most).map(|score| place(cuts, score) as u16).collect();
        let group = |&score: &u32| groups.get(score as usize).copied().unwrap_or(0);
        return scores.par_iter().map(group).collect();
    }
    let mut buckets = vec![0; boards.rows().len() * Combo::COUNT].into_boxed_slice();
    buckets.par_chunks_mut(Combo::COUNT).zip(boards.rows()).for_each(|(row, (board, _))| {
        let mut outlook = Outlook::default();
        for hole in Combo::all().filter(|hole| !hole.set().intersects(*board)) {
            let bucket = rule.bucket(hole, *board, &mut outlook);
            row[hole.index()] = bucket.expect("a hand beside its board") as u16;
        }
    });
    buckets
}
