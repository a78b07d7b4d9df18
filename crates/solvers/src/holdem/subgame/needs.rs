//! What the other player must do for a hand's action to be right.
//!
//! What an action gets is linear in how often the other player holds each hand, so that there is a
//! share at which two actions are equal:
//!
//! - A call that ends the betting needs a share of wins against the hands of the other's line: what
//!   it costs, divided by the pot after it. The line has a share that the hand beats, ties counted
//!   half.
//! - A bet needs a share of folds: where f is what a fold brings, n the mean of what other answers
//!   bring and a the best of fold, check and call, it is (a - n) / (f - n). Answers other than
//!   folds are taken as they are.
//!
//! Shares are those among hands that can be held together with the player's.

use abstraction::hand_class::{Draw, HandClass};
use cards::{CardSet, Combo, evaluate};
use game::{Action, PublicState, Turn};

use super::{OffTree, Solver, Spot};

/// What a share is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// Of the other's hands here that the hand beats.
    Wins,
    /// Of the other's hands here that fold to the action.
    Folds,
}

/// What the other player must do for an action to be as good as another.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    /// The action, among those of the spot.
    pub action: usize,
    /// The action that it is compared with.
    pub against: usize,
    /// What the shares are of.
    pub of: Share,
    /// The share at which both actions get the same; below 0 or above 1 where there is none.
    pub needed: f64,
    /// The share that the other's strategy has.
    pub has: f64,
    /// Whether the action is better above that share; else it is better below.
    pub above: bool,
    /// The combos that are missing: of hands that lose, added to the line, or of hands that fold
    /// and do not. Below 0 there are more than it takes.
    pub missing: f64,
    /// The combos of the other player that the hand can meet here.
    pub meets: f64,
}

impl Need {
    /// Whether the action is right against the other's strategy.
    pub fn is_met(&self) -> bool {
        if self.above { self.has >= self.needed } else { self.has <= self.needed }
    }
}

/// A class of the other's hands against a hand.
#[derive(Debug, Clone, PartialEq)]
pub struct LineClass {
    /// The class; a hand without a pair that had a draw before the river is a missed draw.
    pub name: &'static str,
    /// Combos here that the hand beats.
    pub beaten: f64,
    /// Combos here that tie.
    pub tied: f64,
    /// Combos here that beat the hand.
    pub better: f64,
    /// Combos that the hand beats, and that the other's range has from the beginning but that do
    /// not come here.
    pub elsewhere: f64,
}

/// For each hand of the player to act, what the other must do for its actions to be right. Empty
/// where nobody acts.
///
/// # Errors
/// When the state is not one of the subgame.
pub fn needs(solver: &mut Solver, state: &PublicState) -> Result<Vec<(Combo, Vec<Need>)>, OffTree> {
    let values = solver.action_values(state)?;
    let spot = Spot::at_state(solver, state)?;
    let (Some(player), Turn::Act(seat)) = (spot.player(), state.turn()) else {
        return Ok(Vec::new());
    };
    let actions = spot.actions().to_vec();
    let unblocked = cards::unblocked(spot.range(player.other()).weights());
    let own = f64::from(state.committed()[seat]);
    let other_seat = state.def().seats().find(|&other| other != seat);
    let others = other_seat.map_or(0.0, |other| f64::from(state.committed()[other]));
    let cost = f64::from((state.highest() - state.committed()[seat]).min(state.stack(seat)));
    // Where a call ends the betting.
    let mut after = state.clone();
    after.apply_unchecked(Action::Call);
    let ends = match after.turn() {
        Turn::Over => true,
        Turn::Deal(_) => after.able().len() < 2,
        Turn::Act(_) => false,
    };
    let mut equity = vec![None; Combo::COUNT];
    if ends && cost > 0.0 {
        for hand in spot.equities(player).unwrap_or_default() {
            equity[hand.combo.index()] = Some(hand.equity);
        }
    }
    // Folds to each bet, by combo of the player.
    let mut folds = Vec::new();
    for (number, &action) in actions.iter().enumerate() {
        if !matches!(action, Action::RaiseTo(_)) {
            continue;
        }
        let next = spot.clone().act(action)?;
        let Some(fold) = next.actions().iter().position(|&answer| answer == Action::Fold) else {
            continue;
        };
        let mut folded = next.range(player.other()).clone();
        for (combo, strategy) in next.strategies() {
            let weight = (folded.weight(combo) * strategy[fold]).clamp(0.0, 1.0);
            folded.set(combo, weight).expect("a weight from 0 to 1");
        }
        folds.push((number, cards::unblocked(folded.weights())));
    }
    let passive = |number: &usize| !matches!(actions[*number], Action::RaiseTo(_));
    let least = 1e-9 * spot.range(player.other()).total();
    let mut all = Vec::with_capacity(values.len());
    for (combo, values) in values {
        let mut needs = Vec::new();
        let meets = unblocked[combo.index()];
        if meets <= least {
            continue;
        }
        let call = actions.iter().position(|&action| action == Action::Call);
        let fold = actions.iter().position(|&action| action == Action::Fold);
        if let (Some(action), Some(against), Some(has)) = (call, fold, equity[combo.index()]) {
            let needed = cost / (2.0 * (own + cost));
            let missing = (needed - has) * meets / (1.0 - needed);
            needs.push(Need {
                action,
                against,
                of: Share::Wins,
                needed,
                has,
                above: true,
                missing,
                meets,
            });
        }
        let best =
            (0..actions.len()).filter(passive).max_by(|&a, &b| values[a].total_cmp(&values[b]));
        if let Some(against) = best {
            for (action, folded) in &folds {
                let has = (folded[combo.index()] / meets).clamp(0.0, 1.0);
                if has > 1.0 - 1e-6 {
                    continue;
                }
                let fold = others;
                let rest = (values[*action] - has * fold) / (1.0 - has);
                let needed = (values[against] - rest) / (fold - rest);
                let above = fold > rest;
                let missing = (needed - has) * meets;
                if !needed.is_finite() {
                    continue;
                }
                needs.push(Need {
                    action: *action,
                    against,
                    of: Share::Folds,
                    needed,
                    has,
                    above,
                    missing,
                    meets,
                });
            }
        }
        all.push((combo, needs));
    }
    Ok(all)
}

/// The other player's hands at a spot by class, against one hand of the player to act: on the
/// river. Classes without combos are missing.
///
/// # Errors
/// When the state is not one of the subgame.
pub fn line_classes(
    solver: &Solver,
    state: &PublicState,
    combo: Combo,
) -> Result<Vec<LineClass>, OffTree> {
    let spot = Spot::at_state(solver, state)?;
    let board = state.board();
    let Some(player) = spot.player().filter(|_| board.len() == 5) else { return Ok(Vec::new()) };
    let (other, begun) = (player.other(), solver.subgame().range(player.other()));
    let (all, turn): (CardSet, CardSet) = (board.set(), board[..4].iter().copied().collect());
    let own = evaluate(combo.set() | all);
    let mut classes: Vec<LineClass> = Vec::new();
    for (held, weight) in begun.combos() {
        if held.set().intersects(all | combo.set()) {
            continue;
        }
        let (name, here) = (class_name(held, all, turn), spot.range(other).weight(held));
        let at = classes.iter().position(|class| class.name == name).unwrap_or_else(|| {
            let (beaten, tied, better, elsewhere) = (0.0, 0.0, 0.0, 0.0);
            classes.push(LineClass { name, beaten, tied, better, elsewhere });
            classes.len() - 1
        });
        let class = &mut classes[at];
        match own.cmp(&evaluate(held.set() | all)) {
            std::cmp::Ordering::Greater => {
                class.beaten += here;
                class.elsewhere += weight - here;
            }
            std::cmp::Ordering::Equal => class.tied += here,
            std::cmp::Ordering::Less => class.better += here,
        }
    }
    let some =
        |class: &LineClass| class.beaten + class.tied + class.better + class.elsewhere > 1e-9;
    classes.retain(some);
    let order = |class: &LineClass| HandClass::NAMES.iter().position(|&name| name == class.name);
    classes.sort_by_key(|class| order(class).unwrap_or(HandClass::NAMES.len()));
    Ok(classes)
}

/// The class of a hand on a river: what it is, or what it has missed.
pub fn class_name(combo: Combo, board: CardSet, turn: CardSet) -> &'static str {
    let class = HandClass::new(combo, board);
    let nothing = matches!(class, HandClass::AceHigh | HandClass::NoPair);
    if nothing && Draw::new(combo, turn) != Draw::None {
        "missed draw"
    } else {
        HandClass::NAMES[class.number()]
    }
}
