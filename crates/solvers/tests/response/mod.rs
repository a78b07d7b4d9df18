//! Best responses in a betting tree: against responses worked out hand by hand, against subgames,
//! and against what must be so.

mod flops;
mod holdem;
mod streets;

use std::sync::Arc;

use abstraction::betting::BettingTree;
use abstraction::menu::BetMenu;
use game::{Action, GameDef, InfoSet, Strategy, games};

use crate::By;
use solvers::strategy::PolicyInTree;

/// Any strategy that takes the menu's actions, by the ranks of its cards and those on the board,
/// and the betting.
fn mixes(menu: &BetMenu) -> impl Fn(&InfoSet) -> Strategy + Send + Sync + use<> {
    let menu = menu.clone();
    move |infoset| {
        let public = &infoset.public;
        let ranks =
            |cards: &[cards::Card]| cards.iter().map(|c| u64::from(c.rank().index())).sum::<u64>();
        let mut seed = 7 * ranks(&infoset.hole) + 31 * ranks(&public.board());
        seed += 101 * public.history().len() as u64 + 5 * u64::from(public.highest());
        let weigh = |(index, &action): (usize, &Action)| {
            (action, ((seed + 13 * index as u64) * 7919 % 17) as f64 + 0.25)
        };
        let actions = menu.actions(public);
        Strategy::from_weights(actions.iter().enumerate().map(weigh)).expect("weights above 0")
    }
}

fn limit() -> Arc<GameDef> {
    Arc::new(games::limit_holdem())
}

fn nolimit() -> Arc<GameDef> {
    Arc::new(games::nolimit_holdem())
}

fn menu(text: &str) -> BetMenu {
    text.parse().expect(text)
}

/// A strategy in the tree of a menu.
fn asked<F>(def: &Arc<GameDef>, menu: &BetMenu, strategy: F) -> PolicyInTree
where
    F: Fn(&InfoSet) -> Strategy + Send + Sync + 'static,
{
    let tree = BettingTree::new(def, menu, 100_000).expect("a small tree");
    PolicyInTree::new(Arc::new(By(strategy)), tree)
}
