//! A blueprint with everything needed to look up a decision.

use std::cell::OnceCell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use abstraction::betting::BettingTree;
use abstraction::buckets::Buckets;
use abstraction::translate::{Followed, Reading, TreePosition, follow, readings};
use cards::{Board, CardSet, HoleCards};
use game::{Action, PublicState, Seat, Strategy, Street};
use models::blueprint::Blueprint;
use smallvec::{SmallVec, smallvec};

use super::{Style, Translation};
use crate::random_hands::{by_odds, combo};

/// All readings of a hand's betting, with their probabilities.
type Readings = SmallVec<[Reading; 1]>;

/// Weights of actions of the hand.
pub(super) type Weights = SmallVec<[(Action, f64); 8]>;

/// Maximum number of readings of a hand. Four off-tree bets reach it.
pub(super) const MAX_READINGS: usize = 16;

/// The number of hands from which the buckets of whole boards are computed.
const BOARDS_FROM: usize = 64;

/// The public state and one player's hole cards, with their buckets on the streets so far, computed
/// on first use.
#[derive(Debug)]
pub(super) struct Hand<'a> {
    public: &'a PublicState,
    hole: HoleCards,
    buckets: [OnceCell<Option<u32>>; Street::ALL.len()],
}

impl<'a> Hand<'a> {
    pub(super) fn new(public: &'a PublicState, hole: HoleCards) -> Hand<'a> {
        Hand { public, hole, buckets: Default::default() }
    }
}

/// A blueprint, its betting tree and its buckets.
#[derive(Debug)]
pub(super) struct Model {
    blueprint: Arc<Blueprint>,
    tree: BettingTree,
    buckets: Buckets,
    boards: RecentBoards,
}

impl Model {
    /// Builds the betting tree and reads the buckets.
    ///
    /// # Errors
    /// If either cannot be read, or the buckets are not those that the blueprint was trained with.
    pub(super) fn new(blueprint: Arc<Blueprint>) -> Result<Model, String> {
        let tree = blueprint.tree().map_err(|error| error.to_string())?;
        let buckets = Buckets::read(blueprint.buckets()).map_err(|error| error.to_string())?;
        let (stated, found) = (&blueprint.head().buckets.sha256, buckets.hash());
        if stated != found {
            return Err(format!(
                "it was trained with buckets {stated}, but holds {found}: train it again"
            ));
        }
        Ok(Model { blueprint, tree, buckets, boards: RecentBoards::default() })
    }

    /// Returns all readings of the hand's betting in the tree, for the seat to act.
    pub(super) fn find(&self, public: &PublicState, seat: Seat, style: &Style) -> Readings {
        match style.translation {
            Translation::Likelier => {
                let followed = follow(&self.tree, public, seat, &mut |_| 0.5);
                smallvec![Reading { followed, probability: 1.0 }]
            }
            Translation::Random => readings(&self.tree, public, seat, MAX_READINGS),
        }
    }

    /// Returns the strategy for these hole cards.
    pub(super) fn strategy(&self, hand: &Hand<'_>, readings: &Readings, style: &Style) -> Strategy {
        let likely = self.likelihoods(hand, readings);
        let mut weights = Weights::new();
        for (reading, likely) in readings.iter().zip(likely) {
            self.add(hand, &reading.followed, likely, &mut weights);
        }
        style.keep(&mut weights);
        let strategy =
            Strategy::from_weights(weights.into_iter().filter(|&(_, weight)| weight > 0.0));
        strategy.unwrap_or_else(|| by_odds(hand.public, hand.hole))
    }

    /// Visits [`Model::strategy`] for each of several hands.
    pub(super) fn strategies(
        &self,
        public: &PublicState,
        readings: &Readings,
        hands: &[HoleCards],
        style: &Style,
        mut visit: impl FnMut(usize, &Strategy),
    ) {
        // With many hands it is cheaper to compute the buckets of whole boards.
        let mut boards: [Option<Arc<[u16]>>; Street::ALL.len()] = Default::default();
        if hands.len() >= BOARDS_FROM {
            let now = public.street().index();
            let first = if readings.len() > 1 { 0 } else { now };
            for street in &Street::ALL[first..=now] {
                let seen = public.def().board_len(*street);
                let board = public.board().iter().take(seen).copied().collect();
                boards[street.index()] = self.boards.get(&self.buckets, board);
            }
        }
        // With one reading, all hands of a bucket play alike where training reached it.
        let street = public.street();
        let node = match readings.as_slice() {
            [Reading { followed, .. }] => match followed.position {
                TreePosition::At(node) => Some(node),
                TreePosition::Ahead(_) => None,
            },
            _ => None,
        };
        let trained = |bucket: u16| {
            let shares = self.probabilities(node?, u32::from(bucket))?;
            shares.iter().any(|&share| share > 0).then_some(usize::from(bucket))
        };
        let mut of_buckets: Vec<Option<Strategy>> = vec![None; self.buckets.count(street) as usize];
        for (number, &hole) in hands.iter().enumerate() {
            // A hand that shares a card with the board has no bucket.
            let combo = combo(hole).filter(|_| !hole.set().intersects(public.board().set()));
            let bucket = boards[street.index()].as_ref().zip(combo);
            let bucket = bucket.and_then(|(board, combo)| trained(board[combo.index()]));
            if let Some(strategy) = bucket.and_then(|bucket| of_buckets[bucket].as_ref()) {
                visit(number, strategy);
                continue;
            }
            let hand = Hand::new(public, hole);
            for (bucket, board) in hand.buckets.iter().zip(&boards) {
                if let (Some(board), Some(combo)) = (board, combo) {
                    // The cell is new, so `set` cannot fail.
                    let _ = bucket.set(Some(u32::from(board[combo.index()])));
                }
            }
            let strategy = self.strategy(&hand, readings, style);
            visit(number, &strategy);
            if let Some(bucket) = bucket {
                of_buckets[bucket] = Some(strategy);
            }
        }
    }

    /// Adds the strategy of one reading, in actions of the hand, with weights that sum to 255 times
    /// `likely`.
    fn add(&self, hand: &Hand<'_>, followed: &Followed, likely: f64, weights: &mut Weights) {
        let public = hand.public;
        let mut add = |action, weight| {
            // Two sizes in the tree may map to the same action in the hand.
            match weights.iter_mut().find(|(known, _)| *known == action) {
                Some((_, sum)) => *sum += weight,
                None => weights.push((action, weight)),
            }
        };
        match followed.position {
            TreePosition::At(node) => {
                let bucket = self.bucket(hand, public.street());
                let shares = bucket.and_then(|bucket| self.probabilities(node, bucket));
                if let Some(shares) = shares.filter(|shares| shares.iter().any(|&share| share > 0))
                {
                    for (&action, &share) in self.tree.actions(node).iter().zip(shares) {
                        let action = followed.answer(&self.tree, public, action);
                        add(action, likely * f64::from(share));
                    }
                    return;
                }
            }
            TreePosition::Ahead(node) => {
                let stacks = self.tree.def().stacks.iter().min().copied().unwrap_or_default();
                if self.tree.committed(node).iter().all(|&chips| chips >= stacks) {
                    return add(Action::Call, likely * 255.0);
                }
            }
        }
        for (action, probability) in by_odds(public, hand.hole).actions {
            add(action, likely * 255.0 * probability);
        }
    }

    /// Returns the probability of each reading for a player with these hole cards, given the seat's
    /// own actions. Readings are drawn once per hand and kept, so a reading under which the seat
    /// would hardly have played as it did is unlikely.
    fn likelihoods(&self, hand: &Hand<'_>, readings: &Readings) -> SmallVec<[f64; 1]> {
        if readings.len() == 1 {
            return smallvec![1.0];
        }
        let played = |&(node, index): &(u32, u32)| {
            let bucket = self.bucket(hand, self.tree.street(node));
            let shares = bucket.and_then(|bucket| self.probabilities(node, bucket));
            f64::from(shares.map_or(0, |shares| shares[index as usize])) / 255.0
        };
        let of = |reading: &Reading| {
            reading.probability * reading.followed.own.iter().map(played).product::<f64>()
        };
        let mut likely: SmallVec<[f64; 1]> = readings.iter().map(of).collect();
        let sum: f64 = likely.iter().sum();
        for (likely, reading) in likely.iter_mut().zip(readings) {
            *likely = if sum > 0.0 { *likely / sum } else { reading.probability };
        }
        likely
    }

    /// Returns the bucket of the hand on a street already dealt; `None` if it has none.
    pub(super) fn bucket(&self, hand: &Hand<'_>, street: Street) -> Option<u32> {
        *hand.buckets[street.index()].get_or_init(|| {
            let seen = hand.public.def().board_len(street);
            let board = Board::new(hand.public.board().get(..seen)?)?;
            self.buckets.bucket(hand.hole, &board).ok()
        })
    }

    /// Returns the shares of a decision's actions, which sum to 255; all 0 if training never
    /// reached it.
    pub(super) fn probabilities(&self, node: u32, bucket: u32) -> Option<&[u8]> {
        self.blueprint.probabilities(&self.tree, node, bucket)
    }

    pub(super) fn tree(&self) -> &BettingTree {
        &self.tree
    }

    pub(super) fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    /// Explains a decision: the bucket, and the betting in the tree under the likeliest reading.
    pub(super) fn note(&self, hand: &Hand<'_>, readings: &Readings) -> String {
        let likely = self.likelihoods(hand, readings);
        let most = (0..readings.len()).max_by(|&a, &b| likely[a].total_cmp(&likely[b]));
        let Some(most) = most else { return String::new() };
        let followed = &readings[most].followed;
        let mut read = match followed.off_tree {
            0 => String::new(),
            1 => "; one bet read as another".to_owned(),
            more => format!("; {more} bets read as others"),
        };
        if readings.len() > 1 {
            read.push_str(&format!(", {:.0} % likely to be read so", 100.0 * likely[most]));
        }
        match followed.position {
            TreePosition::At(node) => {
                let street = hand.public.street();
                let Some(bucket) = self.bucket(hand, street) else {
                    return "these cards are in no bucket".to_owned();
                };
                let of = self.buckets.count(street);
                let betting = match self.tree.betting(node) {
                    betting if betting.is_empty() => "at the start".to_owned(),
                    betting => format!("after {betting}"),
                };
                let reached = self.probabilities(node, bucket);
                let known = reached.is_some_and(|shares| shares.iter().any(|&share| share > 0));
                let untrained = if known { "" } else { "; never reached in training" };
                format!("{street} bucket {} of {of} {betting}{read}{untrained}", bucket + 1)
            }
            TreePosition::Ahead(node) => {
                let betting = self.tree.betting(node);
                format!("the blueprint's betting was over after {betting}{read}")
            }
        }
    }
}

/// Describes a blueprint in a few lines.
pub(super) fn about(blueprint: &Blueprint) -> String {
    let head = blueprint.head();
    let [tables, reached] =
        [&head.tables, &blueprint.reached()].map(|counts| counts.iter().sum::<u64>());
    let menu = head.menu.trim().replace('\n', "; ");
    let mut text = format!(
        "A blueprint for {}\n  bets      {menu}\n  buckets   {}\n  size      {:.1} MB, {tables} \
         probabilities, {reached} information sets reached in training\n  made by   {}",
        blueprint.game(),
        head.buckets.recipe,
        blueprint.len() as f64 / 1e6,
        head.made_by,
    );
    for (name, value) in &head.training {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        match name.strip_suffix("_by_at_least") {
            Some(name) => {
                text.push_str(&format!("\n  {}{}", name.replace('_', " "), at_least(&value)));
            }
            None => text.push_str(&format!("\n  {} {value}", name.replace('_', " "))),
        }
    }
    text
}

/// Phrases the win rate of the best opponent found. If that opponent loses, it gives no lower bound
/// on exploitability.
fn at_least(found: &str) -> String {
    match found.strip_prefix(['-', '−']) {
        Some(lost) => format!(": no opponent was found that wins; the best one loses {lost}"),
        None if found.starts_with(|letter: char| letter.is_ascii_digit()) => {
            format!(" by at least {found}")
        }
        None => format!(": {found}"),
    }
}

/// Maximum number of boards kept, 2.7 kB each.
const RECENT_BOARDS: usize = 64;

/// A cache of the buckets of all hands on the boards used most recently, the latest first.
#[derive(Debug, Default)]
struct RecentBoards(Mutex<VecDeque<(CardSet, Arc<[u16]>)>>);

impl RecentBoards {
    /// Returns the bucket of each combo on a board, by combo index; `None` if the cards are not a
    /// valid board.
    fn get(&self, buckets: &Buckets, board: CardSet) -> Option<Arc<[u16]>> {
        let lock = || parallel::lock(&self.0);
        let known = {
            let mut boards = lock();
            let at = boards.iter().position(|&(known, _)| known == board);
            let found = at.and_then(|at| boards.remove(at));
            found.inspect(|found| boards.push_front(found.clone()))
        };
        if let Some((_, found)) = known {
            return Some(found);
        }
        let made: Arc<[u16]> = buckets.on_board(board).ok()?.into();
        let mut boards = lock();
        boards.truncate(RECENT_BOARDS - 1);
        boards.push_front((board, Arc::clone(&made)));
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::at_least;

    #[test]
    fn an_opponent_that_loses_is_no_bound() {
        for (found, said) in [
            ("120 ± 45 mbb/hand", " by at least 120 ± 45 mbb/hand"),
            (
                "-176 ± 45 mbb/hand",
                ": no opponent was found that wins; the best one loses 176 ± 45 mbb/hand",
            ),
            ("no opponent was found that wins", ": no opponent was found that wins"),
        ] {
            assert_eq!(at_least(found), said);
        }
    }
}
