//! Which bets solutions have: few of one's own, more of the other player's, and what was played.

use abstraction::menu::BetMenu;
use game::{Action, Played, PublicState, Seat, Street, Turn};

/// The bets of both on the river.
const RIVER: &str = "river 1: 50% pot allin\nriver 2: pot allin\nriver 3+: allin\n";
/// One's own from the turn on, and on the river after it, which is solved again when it comes.
const TURN: &str = "turn river 1: pot allin\nturn river 2+: allin\n";
/// The other player's from the turn on.
const OTHERS: &str = "turn 1: 50% pot allin\nturn 2: pot allin\nturn 3+: allin\n\
                      river 1: pot allin\nriver 2+: allin\n";

/// The bets of solutions.
pub(super) struct Menus {
    /// Where the river is solved: one's own and the other player's.
    river: [BetMenu; 2],
    /// Where the turn is, those that are tried first before those of smaller trees.
    turn: Vec<[BetMenu; 2]>,
}

impl Menus {
    /// Those that ship.
    pub(super) fn shipped() -> Menus {
        let read = |text: &str| -> BetMenu { text.parse().expect("a test reads it") };
        let (river, own, others) = (read(RIVER), read(TURN), read(OTHERS));
        Menus {
            river: [river.clone(), river],
            turn: vec![[own.clone(), others], [own.clone(), own]],
        }
    }

    /// One menu for both players on both streets.
    pub(super) fn of(menu: BetMenu) -> Menus {
        Menus { river: [menu.clone(), menu.clone()], turn: vec![[menu.clone(), menu]] }
    }

    /// How many sizes of trees there are for a solution that begins on a street.
    pub(super) fn levels(&self, street: Street) -> usize {
        if street == Street::River { 1 } else { self.turn.len() }
    }

    fn at(&self, level: usize, street: Street) -> &[BetMenu; 2] {
        if street == Street::River { &self.river } else { &self.turn[level] }
    }

    /// Whether the largest tree that begins on a street has an action of who acts anyway.
    pub(super) fn has(
        &self,
        root: Street,
        seat: Seat,
        public: &PublicState,
        action: Action,
    ) -> bool {
        let Turn::Act(acts) = public.turn() else { return false };
        self.at(0, root)[usize::from(acts != seat)].actions(public).contains(&action)
    }

    /// The actions at a place of a tree that begins at `root`, where `played` was played.
    pub(super) fn actions(
        &self,
        level: usize,
        root: &PublicState,
        seat: Seat,
        played: &[Played],
        public: &PublicState,
    ) -> Vec<Action> {
        let Turn::Act(acts) = public.turn() else { return Vec::new() };
        let menu = &self.at(level, root.street())[usize::from(acts != seat)];
        let mut actions = menu.actions(public).to_vec();
        let so_far = &public.history()[root.history().len()..];
        let next = played.strip_prefix(so_far).and_then(|rest| rest.first());
        if let Some(next) = next.filter(|next| !actions.contains(&next.action)) {
            actions.push(next.action);
            actions.sort_by_key(|action| match action {
                Action::Fold => (0, 0),
                Action::Call => (1, 0),
                Action::RaiseTo(total) => (2, *total),
            });
        }
        actions
    }
}
