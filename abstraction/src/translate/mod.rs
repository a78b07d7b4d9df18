//! Action translation: what a bet that the abstract game does not have is taken for.
//!
//! A bet `x` between two sizes `A < B` of the menu, all as shares of the pot, is read as `A` with the
//! *pseudo-harmonic* probability
//!
//! `f(x) = (B − x)(1 + A) / ((B − A)(1 + x))`
//!
//! (Ganzfried & Sandholm, "Action Translation in Extensive-Form Games with Large Action Spaces", IJCAI 2013,
//! section 6). Then nobody gains by bets just off the menu: `f(A)` is 1, `f(B)` is 0, `f` falls evenly in
//! between, does not depend on the unit of chips, and is ½ at `(A + B + 2AB) / (2 + A + B)`. A bet below the
//! smallest size is read as that one, one above the largest as that.
//!
//! [`follow`] reads a whole hand that way and says where it stands in a [`BettingTree`]; [`Followed::answer`]
//! turns an action of the tree into one that the rules allow in the hand.
//!
//! [`BettingTree`]: crate::betting::BettingTree

mod chips;
mod follow;

pub use follow::{Followed, Place, follow};

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

/// Which of some sizes a bet is read as, for a point drawn uniformly from `[0, 1)`: its place in `sizes`,
/// which are shares of the pot in ascending order, at least one. At the point ½ the likelier of the two
/// neighbours is taken, which is the deterministic form.
pub fn translate(sizes: &[f64], bet: f64, point: f64) -> usize {
    let above = sizes.partition_point(|&size| size <= bet);
    if above == 0 {
        return 0;
    }
    match sizes.get(above) {
        Some(&larger) if point >= pseudo_harmonic(sizes[above - 1], larger, bet) => above,
        _ => above - 1,
    }
}
