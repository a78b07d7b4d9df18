//! Strategies that are given instead of learnt: a decision whose strategy is set, and locks that
//! keep it so while everything else is solved.
//!
//! A locked hand plays the same strategy at its decision in every iteration and on average, so that
//! both players learn how to play around it. Values and best responses are those of the game with
//! the locks: a best response of the player who is locked keeps to the strategy, too.
//!
//! Cards that a subgame treats as one ([`Subgame`](super::Subgame)) have one strategy; one that
//! tells equivalent hands apart is refused where cards still come.

use cards::{Combo, SuitPermutation};
use game::PublicState;

use super::betting::Decision;
use super::rows;
use super::solver::Solver;
use super::spot::Spot;
use super::storage::{BoardStorage, Precision, Tile};
use crate::error::{Error, Kind};
use crate::holdem::suits::symmetries;

/// Equivalent hands may differ by rounding in strategies that were solved.
const ALIKE: f64 = 1e-3;

/// The probabilities of a hand may add up to one more or less by this much.
const ROUNDED: f64 = 1e-3;

/// The strategy of a decision that was set, and the hands that keep it.
#[derive(Debug)]
pub(crate) struct Lock {
    decision: Decision,
    /// For each hand the probability of each action.
    shares: Vec<Vec<f64>>,
    /// The same in the order of the numbers that the decision keeps.
    cells: Box<[f32]>,
    /// The hands whose strategy solving leaves as it is.
    held: Box<[bool]>,
    /// The hands whose strategy is still the one that was set.
    exact: Box<[bool]>,
}

impl Lock {
    /// Whether it is that of this decision.
    pub(crate) fn is_at(&self, decision: &Decision) -> bool {
        self.decision.number == decision.number
    }

    /// Whether a hand keeps its strategy.
    pub(crate) fn holds(&self, hand: usize) -> bool {
        self.held[hand]
    }

    /// The strategy of a hand, if it is the one that was set.
    pub(crate) fn exact(&self, hand: usize) -> Option<&[f64]> {
        self.exact[hand].then(|| self.shares[hand].as_slice())
    }

    /// Its decision.
    pub(crate) fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Sets the numbers of locked hands of a tile again.
    pub(crate) fn restore(&self, tile: Tile, numbers: &mut [f32]) {
        let count = self.decision.count;
        let of_hands = rows::WIDTH * count;
        let cells = &self.cells[tile.start * count..][..tile.len * count];
        let held = self.held[tile.start..][..tile.len].chunks(rows::WIDTH);
        let pairs = numbers.chunks_mut(of_hands).zip(cells.chunks(of_hands)).zip(held);
        for ((numbers, cells), held) in pairs {
            if held.contains(&true) {
                for (at, (number, cell)) in numbers.iter_mut().zip(cells).enumerate() {
                    if held[at % rows::WIDTH] {
                        *number = *cell;
                    }
                }
            }
        }
    }

    /// Replaces the best values of a tile's locked hands by those of their strategies.
    pub(crate) fn answer(&self, tile: Tile, values: &[f64], value: &mut [f64]) {
        let count = self.decision.count;
        for (at, value) in value.iter_mut().enumerate().take(tile.len) {
            if self.held[tile.start + at] {
                let share = rows::average_share(&self.cells, tile.start + at, count);
                *value =
                    (0..count).map(|action| share(action) * values[action * tile.row + at]).sum();
            }
        }
    }
}

/// The place of a decision on a board.
struct Place<'a> {
    decision: Decision,
    /// The combo of each hand, in its actual suits, and in those in which the board is solved.
    hands: Vec<[Combo; 2]>,
    path: Vec<usize>,
    /// The permutations that leave everything unchanged up to here; none on the river, after which
    /// nothing is merged.
    symmetries: Vec<SuitPermutation>,
    spot: Spot<'a>,
}

impl Solver {
    /// Sets the average strategy of the hands at a decision. `strategy` returns the probability of
    /// each of the [actions](Spot::actions) for a hand; it is asked for those that can be there. It
    /// is also the strategy of hands that are [locked](Self::lock) there; that of others is kept
    /// until the next iteration, with which solving begins from the start.
    ///
    /// # Errors
    /// When the state is not one of the subgame, nobody acts there, a hand's probabilities are not
    /// a distribution or differ between equivalent hands, or numbers are stored in 16 bits.
    pub fn set_strategy(
        &mut self,
        state: &PublicState,
        strategy: &dyn Fn(Combo) -> Vec<f64>,
    ) -> Result<(), Error> {
        let place = self.place(state)?;
        let shares = place.shares(strategy)?;
        let (decision, path) = (place.decision, place.path);
        let storage = self.storage_at(&path);
        let row = storage.row(&decision);
        let held = storage
            .lock(&decision)
            .map_or_else(|| vec![false; row].into_boxed_slice(), |lock| lock.held.clone());
        storage.set_lock(&decision, shares, held);
        self.begin_anew();
        Ok(())
    }

    /// Locks hands at a decision: they keep the strategy that they have there on average. Other
    /// hands are not locked afterwards.
    ///
    /// # Errors
    /// As [`Solver::set_strategy`].
    pub fn lock(&mut self, state: &PublicState, held: &dyn Fn(Combo) -> bool) -> Result<(), Error> {
        let place = self.place(state)?;
        let now = place.spot.strategies();
        let of = |combo: Combo| {
            let found = now.iter().find(|(other, _)| *other == combo);
            found.map_or_else(Vec::new, |(_, strategy)| strategy.clone())
        };
        let shares = place.shares(&of)?;
        let mut held: Vec<bool> = place.hands.iter().map(|&[combo, _]| held(combo)).collect();
        place.check(&|hand| f64::from(u8::from(held[hand])), 0.0)?;
        let (decision, path) = (place.decision, place.path);
        let storage = self.storage_at(&path);
        held.resize(storage.row(&decision), false);
        storage.set_lock(&decision, shares, held.into());
        self.begin_anew();
        Ok(())
    }

    /// Unlocks all hands at a decision; the strategy stays until the next iteration.
    ///
    /// # Errors
    /// As [`Solver::set_strategy`].
    pub fn unlock(&mut self, state: &PublicState) -> Result<(), Error> {
        let place = self.place(state)?;
        let (decision, path) = (place.decision, place.path);
        if let Some(lock) = self.storage_at(&path).lock_mut(&decision) {
            lock.held.fill(false);
            self.begin_anew();
        }
        Ok(())
    }

    /// Does `work` while the hands at a decision have this average strategy, as by
    /// [`Solver::set_strategy`], and puts back what was there: solving goes on afterwards as if
    /// nothing had been. `work` must not solve.
    ///
    /// # Errors
    /// As [`Solver::set_strategy`], and when hands are locked there.
    pub fn with_strategy<T>(
        &mut self,
        state: &PublicState,
        strategy: &dyn Fn(Combo) -> Vec<f64>,
        work: impl FnOnce(&mut Solver) -> T,
    ) -> Result<T, Error> {
        let place = self.place(state)?;
        let shares = place.shares(strategy)?;
        let (decision, path) = (place.decision, place.path);
        let storage = self.storage_at(&path);
        if storage.lock(&decision).is_some() {
            return Err(Error::new(
                "hands are locked there, and keep their strategy: unlock them, or ask elsewhere",
            ));
        }
        let before = storage.copied(&decision);
        let held = vec![false; storage.row(&decision)];
        storage.set_lock(&decision, shares, held.into());
        let done = work(self);
        let storage = self.storage_at(&path);
        storage.locks.retain(|lock| !lock.is_at(&decision));
        storage.put_back(&decision, &before);
        Ok(done)
    }

    /// The hands at a decision, those together that differ only in suits that are equivalent there
    /// and so play alike.
    ///
    /// # Errors
    /// As [`Solver::set_strategy`].
    pub fn equivalent_hands(&self, state: &PublicState) -> Result<Vec<Vec<Combo>>, Error> {
        let place = self.place(state)?;
        let mut groups: Vec<Vec<usize>> = place
            .orbits()
            .map(|(hand, mut orbit)| {
                orbit.push(hand);
                orbit.sort_unstable();
                orbit.dedup();
                orbit
            })
            .collect();
        groups.sort_unstable();
        groups.dedup();
        let combos = |group: Vec<usize>| group.into_iter().map(|hand| place.hands[hand][0]);
        Ok(groups.into_iter().map(|group| combos(group).collect()).collect())
    }

    fn place(&self, state: &PublicState) -> Result<Place<'_>, Error> {
        if self.options.precision == Precision::Half {
            return Err(Error::new(
                "strategies are set and locked in 32 bits only: solve with full precision",
            ));
        }
        let spot = Spot::at_state(self, state).map_err(|error| Error::new(error.to_string()))?;
        let decision = *spot.decision().ok_or_else(|| {
            Error::new("nobody acts there: only the strategy of a decision can be set or locked")
        })?;
        let index = spot.clone().index();
        let board = &self.boards.all[index.board];
        let back = index.renaming.inverse();
        let hands = board.hands[decision.player.index()].all();
        let hands = hands.map(|combo| [back.combo(combo), combo]).collect();
        let symmetries = if board.cards.len() == 5 || !self.subgame.symmetric {
            Vec::new()
        } else {
            let first = self.boards.all[0].cards;
            let dealt = board.cards - first;
            let mut all = symmetries(first, self.subgame.ranges.each_ref());
            all.retain(|suits| dealt.iter().all(|card| suits.card(card) == card));
            all
        };
        Ok(Place { decision, hands, path: index.path, symmetries, spot })
    }

    fn storage_at(&mut self, path: &[usize]) -> &mut BoardStorage {
        path.iter().fold(&mut self.storage, |storage, &below| &mut storage.below[below])
    }
}

impl Place<'_> {
    /// The strategy of each hand, checked; equivalent hands have exactly the same.
    fn shares(&self, strategy: &dyn Fn(Combo) -> Vec<f64>) -> Result<Vec<Vec<f64>>, Error> {
        let count = self.decision.count;
        let mut shares = Vec::with_capacity(self.hands.len());
        for &[combo, _] in &self.hands {
            let mut hand = strategy(combo);
            let sum: f64 = hand.iter().sum();
            let fits = hand.len() == count && hand.iter().all(|share| (0.0..=1.0).contains(share));
            if !fits || (sum - 1.0).abs() > ROUNDED {
                return Err(Error::new(format!(
                    "the strategy of {combo} is {hand:?}: give {count} probabilities that add up \
                     to 1"
                )));
            }
            if sum != 1.0 {
                hand.iter_mut().for_each(|share| *share /= sum);
            }
            shares.push(hand);
        }
        let alike = |action: usize| self.check(&|hand| shares[hand][action], ALIKE);
        (0..count).try_for_each(alike)?;
        Ok(self.alike(&shares))
    }

    /// The hands that are equivalent to each hand, itself included.
    fn orbits(&self) -> impl Iterator<Item = (usize, Vec<usize>)> + '_ {
        let mut numbers = vec![None; Combo::COUNT];
        for (hand, [_, solved]) in self.hands.iter().enumerate() {
            numbers[solved.index()] = Some(hand);
        }
        self.hands.iter().enumerate().map(move |(hand, [_, solved])| {
            let images = self.symmetries.iter();
            let images = images.filter_map(|suits| numbers[suits.combo(*solved).index()]);
            (hand, images.collect())
        })
    }

    /// Checks that a number is the same for equivalent hands, up to `least`.
    fn check(&self, number: &dyn Fn(usize) -> f64, least: f64) -> Result<(), Error> {
        for (hand, orbit) in self.orbits() {
            let other = orbit.iter().find(|&&other| (number(hand) - number(other)).abs() > least);
            if let Some(&other) = other {
                let [one, other] = [hand, other].map(|hand| self.hands[hand][0]);
                let text = format!(
                    "{one} and {other} differ only in suits that are equivalent here, and are to \
                     play differently: give both the same, or build the subgame without merging \
                     suits"
                );
                return Err(Error::with_kind(Kind::Suits, text));
            }
        }
        Ok(())
    }

    /// The strategies with exactly the same for equivalent hands: their mean.
    fn alike(&self, shares: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let orbits = self.orbits().map(|(hand, orbit)| {
            if orbit.iter().all(|&other| shares[other] == shares[hand]) {
                return shares[hand].clone();
            }
            let mean = |action: usize| {
                orbit.iter().map(|&other| shares[other][action]).sum::<f64>() / orbit.len() as f64
            };
            (0..shares[hand].len()).map(mean).collect()
        });
        orbits.collect()
    }
}

/// The locks of a storage.
impl BoardStorage {
    /// The number of hands of a decision's rows, with those that fill them up.
    fn row(&self, decision: &Decision) -> usize {
        self.rows_of(decision.player)
    }

    /// The strategy that was set at a decision.
    pub(crate) fn lock(&self, decision: &Decision) -> Option<&Lock> {
        self.locks.iter().find(|lock| lock.is_at(decision))
    }

    fn lock_mut(&mut self, decision: &Decision) -> Option<&mut Lock> {
        self.locks.iter_mut().find(|lock| lock.is_at(decision))
    }

    /// Sets the strategy of a decision, and the hands that keep it.
    fn set_lock(&mut self, decision: &Decision, shares: Vec<Vec<f64>>, held: Box<[bool]>) {
        let (row, count) = (held.len(), decision.count);
        let mut cells = vec![0.0; row * count].into_boxed_slice();
        for (hand, shares) in shares.iter().enumerate() {
            for (action, &share) in shares.iter().enumerate() {
                cells[rows::weight(hand, action, count)] = share as f32;
            }
        }
        let exact = (0..row).map(|hand| hand < shares.len()).collect();
        let lock = Lock { decision: *decision, shares, cells, held, exact };
        self.overwrite(decision, &lock.cells);
        self.locks.retain(|lock| !lock.is_at(decision));
        self.locks.push(lock);
    }

    /// Forgets strategies that were set and not locked, and keeps the others.
    pub(crate) fn forget_unlocked(&mut self) {
        self.locks.retain(|lock| lock.held.contains(&true));
        for lock in &mut self.locks {
            lock.exact.copy_from_slice(&lock.held);
        }
        self.below.iter_mut().for_each(BoardStorage::forget_unlocked);
    }
}
