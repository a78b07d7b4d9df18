//! Chip accounting of a two-player hand, action by action.

use game::{Action, Chips, GameDef};

/// The chips that both seats have put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stand {
    pub(super) committed: [Chips; 2],
    highest: Chips,
}

impl Stand {
    /// The chips after the blinds.
    pub(super) fn new(def: &GameDef) -> Stand {
        let committed = [def.blinds[0], def.blinds[1]];
        Stand::of(committed)
    }

    /// The account for these chips.
    pub(super) fn of(committed: [Chips; 2]) -> Stand {
        Stand { committed, highest: committed[0].max(committed[1]) }
    }

    /// Records an action of a seat.
    pub(super) fn play(&mut self, def: &GameDef, seat: usize, action: Action) {
        match action {
            Action::Fold => {}
            Action::Call => self.committed[seat] = self.highest.min(def.stacks[seat]),
            Action::RaiseTo(total) => {
                self.highest = total;
                self.committed[seat] = total;
            }
        }
    }

    /// The size of a raise to this total, as a share of the pot after a call.
    pub(super) fn share(&self, seat: usize, total: Chips) -> f64 {
        f64::from(total.saturating_sub(self.highest)) / self.called_pot(seat)
    }

    /// The total of a raise by this share, rounded to the nearest chip.
    pub(super) fn total(&self, seat: usize, share: f64) -> Chips {
        // The conversion saturates.
        (f64::from(self.highest) + share * self.called_pot(seat)).round() as Chips
    }

    /// The pot after a call of the seat, at least one chip.
    fn called_pot(&self, seat: usize) -> f64 {
        (f64::from(self.committed[1 - seat]) + f64::from(self.highest)).max(1.0)
    }
}
