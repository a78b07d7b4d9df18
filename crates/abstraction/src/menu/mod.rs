//! Bet menus: the actions of an abstract game, street by street and raise by raise.
//!
//! A fold (when something is owed) and a call are always on the menu; a menu names the sizes of
//! bets and raises. It is a text of lines `STREETS RAISES: SIZES`, read and printed by [`text`]:
//!
//! ```text
//! # A comment.
//! preflop 1: 2.5x 4x      the first raise before the flop: to two and a half or four times the bet
//! preflop 2-3: pot allin  the next two
//! preflop 4+: allin       every later one
//! flop turn river 1: 50% pot allin
//! flop turn river 2+: allin
//! allin-from: 80%         a raise to this share of the stack or more becomes all-in
//! ```
//!
//! `every` stands for all four streets. Raises are counted on each street from 1, blinds aside; a
//! raise that no line names is not on the menu. Sizes: `min`, the smallest legal raise; `2.5x`, a
//! raise to this multiple of what has been bet on the street; `75%` and `pot`, a raise by this
//! share of the pot after a call; `allin`; `none`. Sizes are made legal: one below the smallest
//! raise becomes that one, one beyond the stack becomes all-in, and in a limit game every size is
//! the one legal raise.

mod moves;
mod shipped;
mod size;
mod text;

use std::fmt;

use game::{Action, Chips, PublicState, Street, Turn};
use smallvec::SmallVec;

pub use moves::{Move, Moves};
pub use shipped::{ShippedMenu, find, shipped};
pub use size::BetSize;
pub use text::{MenuError, MenuProblem};

/// The actions of one decision: rarely more than eight.
pub type MenuActions = SmallVec<[Action; 8]>;

/// The bets and raises of an abstract game. See the [module](self).
///
/// Two menus are equal when they offer the same sizes; then they also print the same.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BetMenu {
    streets: [Raises; Street::ALL.len()],
    /// Threshold in thousandths of the stack from which a raise becomes all-in; 1000 without a
    /// rule.
    all_in_from: u32,
}

/// The raise sizes of one street.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Raises {
    /// The sizes of the first, second … raise.
    numbered: Vec<Vec<BetSize>>,
    /// The sizes of all later raises. Differs from the last of `numbered`, so that a menu has one
    /// form.
    later: Vec<BetSize>,
}

impl BetMenu {
    /// The sizes of a street's raise with this number, counted from 1, in ascending order of kind.
    ///
    /// Raise number 0 has none.
    pub fn sizes(&self, street: Street, raise: u32) -> &[BetSize] {
        let raises = &self.streets[street.index()];
        match (raise as usize).checked_sub(1) {
            Some(index) => raises.numbered.get(index).unwrap_or(&raises.later),
            None => &[],
        }
    }

    /// The abstract actions of the seat to act: a fold when something is owed, a call, and the
    /// menu's raises, made legal, ascending and distinct. Empty when nobody is to act.
    pub fn actions(&self, public: &PublicState) -> MenuActions {
        let mut actions = MenuActions::new();
        let Turn::Act(seat) = public.turn() else { return actions };
        let legal = public.legal();
        if legal.fold {
            actions.push(Action::Fold);
        }
        actions.push(Action::Call);
        let Some(raise) = legal.raise else { return actions };
        let sizes = self.sizes(public.street(), public.raises() + 1);
        let nearly = u64::from(public.def().stacks[seat.index()]) * u64::from(self.all_in_from);
        let all_in = |total| if u64::from(total) * 1000 >= nearly { raise.max } else { total };
        let totals = sizes.iter().filter_map(|size| size.total(public, seat, raise));
        let mut totals: SmallVec<[Chips; 8]> = totals.map(all_in).collect();
        totals.sort_unstable();
        totals.dedup();
        actions.extend(totals.into_iter().map(Action::RaiseTo));
        actions
    }
}

impl fmt::Debug for BetMenu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("BetMenu").field(&self.to_string()).finish()
    }
}
