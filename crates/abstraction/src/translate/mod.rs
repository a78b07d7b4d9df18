//! Action translation: mapping off-tree bets to bets of the abstract game.
//!
//! A bet `x` between two sizes `A < B` of the menu, all as shares of the pot, is read as `A` with
//! the *pseudo-harmonic* probability
//!
//! `f(x) = (B − x)(1 + A) / ((B − A)(1 + x))`
//!
//! (Ganzfried & Sandholm, "Action Translation in Extensive-Form Games with Large Action Spaces",
//! IJCAI 2013, section 6). This denies an opponent the gain of betting just off the menu: `f(A)` is
//! 1, `f(B)` is 0, `f` decreases monotonically in between, does not depend on the unit of chips,
//! and is ½ at `(A + B + 2AB) / (2 + A + B)`. A bet below the smallest size lies between that and a
//! check or call, a bet of size zero: a bet of a tenth of the pot must not meet as many folds as
//! one of a third. A bet above the largest size is read as that.
//!
//! [`follow()`] maps a whole hand to a position in a [`BettingTree`], [`readings`] gives all its
//! interpretations, [`reached`] the position for an observer; [`Followed::answer`] turns an action
//! of the tree into a legal one of the hand.
//!
//! [`BettingTree`]: crate::betting::BettingTree

mod follow;

pub use follow::{Followed, Reading, TreePosition, follow, reached, readings};

/// The probability that a bet is read as the smaller of two sizes; all are shares of the pot.
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

/// The index of the size that a bet is read as, for a point drawn uniformly from `[0, 1)`. `sizes`
/// are shares of the pot in ascending order, at least one. At the point ½ the likelier of the two
/// neighbours is taken, which is the deterministic form.
pub fn translate(sizes: &[f64], bet: f64, point: f64) -> usize {
    let (smaller, probability) = neighbours(sizes, bet);
    smaller + usize::from(point >= probability)
}

/// The index of the smaller of the two sizes that a bet may be read as, and its probability; 1
/// where there is no other. At probability 0 the bet equals the next size.
fn neighbours(sizes: &[f64], bet: f64) -> (usize, f64) {
    let above = sizes.partition_point(|&size| size <= bet);
    match (above, sizes.get(above)) {
        (0, _) => (0, 1.0),
        (_, Some(&larger)) => (above - 1, pseudo_harmonic(sizes[above - 1], larger, bet)),
        (_, None) => (above - 1, 1.0),
    }
}
