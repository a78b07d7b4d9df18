//! What decides the bucket of a hand, street by street.

use cards::{
    CardSet, Category, Combo, Outlook, RiverTable, StartingHand, Ties, WinRateError, evaluate,
};
use game::Street;

use super::{BucketsError, Kind, Progress, percentiles};

/// The buckets of one street, as the few numbers that decide them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rule {
    StartingHands,
    /// Pairs and others, before the flop.
    Pairs,
    Category,
    /// The least scores of all buckets but the first, rising.
    Percentiles {
        cuts: Vec<u32>,
    },
}

impl Rule {
    /// Makes the rule of a kind.
    pub(super) fn make(
        table: &RiverTable,
        street: Street,
        kind: Kind,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Rule, BucketsError> {
        match kind {
            Kind::StartingHands => Ok(Rule::StartingHands),
            Kind::Category if street == Street::Preflop => Ok(Rule::Pairs),
            Kind::Category => Ok(Rule::Category),
            Kind::Ehs2(count) => {
                let mut tell = |done| progress(Progress { street, stage: "E[HS²]", done });
                tell(0.0);
                let scores = match street {
                    Street::River => Vec::new(),
                    _ => percentiles::all_scores(table, street),
                };
                tell(0.5);
                let weights = percentiles::weigh(table, street, &scores);
                let cuts = percentiles::cuts(&weights, count).ok_or_else(|| {
                    let possible = weights.iter().filter(|&&weight| weight > 0).count() as u32;
                    BucketsError::TooMany { street, asked: count, possible }
                })?;
                tell(1.0);
                Ok(Rule::Percentiles { cuts })
            }
        }
    }

    pub(super) fn count(&self) -> u32 {
        match self {
            Rule::StartingHands => StartingHand::COUNT as u32,
            Rule::Pairs => 2,
            Rule::Category => Category::StraightFlush as u32 + 1,
            Rule::Percentiles { cuts } => cuts.len() as u32 + 1,
        }
    }

    /// The bucket of a hand that shares no card with the board. `outlook` is a workspace.
    pub(super) fn bucket(
        &self,
        hole: Combo,
        board: CardSet,
        outlook: &mut Outlook,
    ) -> Result<u32, WinRateError> {
        match self {
            Rule::StartingHands => Ok(hole.starting_hand().index() as u32),
            Rule::Pairs => Ok(u32::from(hole.starting_hand().is_pair())),
            Rule::Category => Ok(category(hole, board)),
            Rule::Percentiles { cuts } => {
                RiverTable::shared(Ties::Half).outlook_into(hole, board, outlook)?;
                Ok(place(cuts, percentiles::score(outlook)))
            }
        }
    }

    /// The bucket of a hand before the flop.
    #[inline]
    pub(super) fn before_flop(&self, hole: Combo) -> u32 {
        match self {
            Rule::Pairs => u32::from(hole.starting_hand().is_pair()),
            _ => hole.starting_hand().index() as u32,
        }
    }

    /// What the rule says, to be kept and hashed.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Rule::StartingHands | Rule::Pairs | Rule::Category => Vec::new(),
            Rule::Percentiles { cuts } => cuts.iter().flat_map(|cut| cut.to_le_bytes()).collect(),
        }
    }
}

/// The category of the best hand: 0 high card … 8 straight flush.
pub(super) fn category(hole: Combo, board: CardSet) -> u32 {
    evaluate(hole.set() | board).category() as u32
}

/// The group of a score.
pub(super) fn place(cuts: &[u32], score: u32) -> u32 {
    cuts.partition_point(|&cut| cut <= score) as u32
}
