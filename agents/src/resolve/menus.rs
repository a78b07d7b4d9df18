//! The bet menus of solutions: few bets of the agent, more of the other player, and the bets
//! played.

use abstraction::menu::BetMenu;
use game::{Action, Played, PublicState, Seat, Street, Turn};

/// The bets of both players in a solution of the flop.
const FLOP: &str = "flop 1: 50% pot allin\nflop 2: pot allin\nflop 3+: allin\n";
/// The bets of both players in a solution of the river.
const RIVER: &str = "river 1: 50% pot allin\nriver 2: pot allin\nriver 3+: allin\n";
/// The agent's bets from the turn on, and on the river after it, which is solved again when it is
/// dealt.
const TURN: &str = "turn river 1: pot allin\nturn river 2+: allin\n";
/// The other player's bets from the turn on.
const OTHERS: &str = "turn 1: 50% pot allin\nturn 2: pot allin\nturn 3+: allin\n\
                      river 1: pot allin\nriver 2+: allin\n";

/// The bet menus of solutions.
pub(super) struct Menus {
    /// In solutions of the flop: the agent's menu and the other player's.
    flop: [BetMenu; 2],
    /// Likewise in solutions of the river.
    river: [BetMenu; 2],
    /// In solutions of the turn, in the order in which they are tried, largest tree first.
    turn: Vec<[BetMenu; 2]>,
}

impl Menus {
    /// The menus inside the program.
    pub(super) fn shipped() -> Menus {
        let read = |text: &str| -> BetMenu { text.parse().expect("a test reads it") };
        let [flop, river, own, others] = [FLOP, RIVER, TURN, OTHERS].map(read);
        Menus {
            flop: [flop.clone(), flop],
            river: [river.clone(), river],
            turn: vec![[own.clone(), others], [own.clone(), own]],
        }
    }

    /// Uses one menu for both players on all streets.
    pub(super) fn of(menu: BetMenu) -> Menus {
        let both = [menu.clone(), menu];
        Menus { flop: both.clone(), river: both.clone(), turn: vec![both] }
    }

    /// Number of tree sizes to choose from for a solution that starts on a street.
    pub(super) fn levels(&self, street: Street) -> usize {
        if street == Street::Turn { self.turn.len() } else { 1 }
    }

    fn at(&self, level: usize, street: Street) -> &[BetMenu; 2] {
        match street {
            Street::Preflop | Street::Flop => &self.flop,
            Street::Turn => &self.turn[level],
            Street::River => &self.river,
        }
    }

    /// Returns whether the menu of the largest tree that starts on a street offers this action to
    /// the acting player.
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

    /// Returns the actions at a node of a tree that starts at `root`. They include the next action
    /// of `played` at nodes that the betting played has passed through.
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
