//! Action translation: what a bet that the abstract game does not have is taken for.
//!
//! A bet `x` between two sizes `A < B` of the menu, all as shares of the pot, is read as `A` with
//! the *pseudo-harmonic* probability
//!
//! `f(x) = (B − x)(1 + A) / ((B − A)(1 + x))`
//!
//! (Ganzfried & Sandholm, "Action Translation in Extensive-Form Games with Large Action Spaces",
//! IJCAI 2013, section 6). Then nobody gains by bets just off the menu: `f(A)` is 1, `f(B)` is 0,
//! `f` falls evenly in between, does not depend on the unit of chips, and is ½ at `(A + B + 2AB) /
//! (2 + A + B)`. In a hand a bet below the smallest size lies between that and a check or call, a
//! bet of nothing: who bets a tenth of the pot must not find somebody who folds as often as against
//! a third of it. A bet above the largest size is read as that.
//!
//! [`follow`] reads a whole hand that way and says where it stands in a [`BettingTree`],
//! [`readings`] all ways in which it may be read, [`reached`] where it stands for an onlooker;
//! [`Followed::answer`] turns an action of the tree into one that the rules allow in the hand.
//!
//! [`BettingTree`]: crate::betting::BettingTree

mod chips;
mod follow;

pub use follow::{Followed, Place, Reading, follow, reached, readings};

/// The probability that a bet is read as the smaller of two sizes, all as shares of the pot.
///
/// The smaller must be less than the larger; outside them it is 1 or 0.
pub fn pseudo_harmonic(smaller: f64, larger: f64, bet: f64) -> f64 {
    if bet <= smaller {
        return 1.0;
    }
    if bet >= larger {
        return 0.0;
    }
    (larger - bet) * (1.0 + smaller) / ((larger - smaller) * (1.0 + bet))
}

/// Which of some sizes a bet is read as, for a point drawn uniformly from `[0, 1)`: its place in
/// `sizes`, which are shares of the pot in ascending order, at least one. At the point ½ the
/// likelier of the two neighbours is taken, which is the deterministic form.
pub fn translate(sizes: &[f64], bet: f64, point: f64) -> usize {
    let (smaller, probability) = neighbours(sizes, bet);
    smaller + usize::from(point >= probability)
}

/// The place of the smaller of the two sizes that a bet may be read as, and with what probability
/// it is; 1 where there is no other. At probability 0 the next place is the bet's own.
fn neighbours(sizes: &[f64], bet: f64) -> (usize, f64) {
    let above = sizes.partition_point(|&size| size <= bet);
    match (above, sizes.get(above)) {
        (0, _) => (0, 1.0),
        (_, Some(&larger)) => (above - 1, pseudo_harmonic(sizes[above - 1], larger, bet)),
        (_, None) => (above - 1, 1.0),
    }
}
