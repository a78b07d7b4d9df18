//! What the other player held at a decision, and how the action played does against what he could
//! have held by his own play, or, where that cannot be asked, against what he held.

use std::sync::Arc;

use agents::reach::{self, ActionMatching};
use agents::{StrategyQuery, values_between};
use cards::{Combo, HoleCards, Ties, all_in};
use game::{Action, DealValues, Policy, Seat, ValueFunction};
use logs::HandRecord;
use serde_json::{Value, json};
use show::number::{decimal, percent, signed};

use super::super::chart::distinct;
use super::{Decided, text};
use crate::exit::Failure;

/// The most hands of a range that are valued.
const MOST_HANDS: usize = 64;

/// The half-width of a 95 % interval in standard errors.
const TWO_SIDED: f64 = 1.96;

/// What is known of the others at a decision.
pub(super) struct Judged {
    /// The others' names with their cards; only known ones.
    held: Vec<(String, HoleCards)>,
    against: Option<Against>,
}

/// The decision against the range or the hand of the only other player.
struct Against {
    /// The other player's agent.
    name: String,
    /// The number of combos of his range; `None` against the hand that he held.
    combos: Option<f64>,
    /// Whether only a part of the range was valued.
    sampled: bool,
    /// The decider's mean share of the pot if all cards were dealt now.
    equity: f64,
    /// The share that a call needs, if there is a bet to call.
    needed: Option<f64>,
    /// The mean result of the actions in chips, and the name of the value function; the best first.
    values: Vec<(Action, f64)>,
    function: String,
    /// By how much the action played is worse than the best one, with half the 95 % interval.
    behind: [f64; 2],
}

impl Judged {
    /// Judges the decision; `agents` are the match's by entrant.
    pub(super) fn of(
        decided: &Decided<'_>,
        hand: &HandRecord,
        names: &dyn Fn(u8) -> String,
        agents: &[String],
    ) -> Result<Judged, Failure> {
        let seat = decided.infoset.seat;
        let others: Vec<Seat> =
            hand.hole.iter().map(|(other, _)| other).filter(|&o| o != seat).collect();
        let known = others.iter().filter(|&&other| !hand.hole[other].is_empty());
        let held = known.map(|&other| (names(hand.entrants[other]), hand.hole[other])).collect();
        let against = match &*others {
            &[other] => against(decided, hand, other, agents)?,
            _ => None,
        };
        Ok(Judged { held, against })
    }

    /// The sentence on it.
    pub(super) fn text(&self, decided: &Decided<'_>) -> String {
        if self.held.is_empty() && self.against.is_none() {
            return String::new();
        }
        let held: Vec<String> =
            self.held.iter().map(|(name, cards)| format!("{name} held {cards}")).collect();
        let held =
            if held.is_empty() { "the other cards are not known".into() } else { held.join(", ") };
        let Some(against) = &self.against else { return format!("{held}\n") };
        let Against { name, combos, equity, needed, values, behind, .. } = against;
        let whom = match combos {
            Some(combos) => {
                let part = if against.sampled {
                    format!(", {MOST_HANDS} of them drawn")
                } else {
                    String::new()
                };
                format!("the {combos:.0} combos that {name} would have here by its own play{part}")
            }
            None => format!("that hand alone ({name} cannot be asked for its range)"),
        };
        let needs =
            needed.map(|share| format!(", a call needs {}", percent(share, 1))).unwrap_or_default();
        let mut sentence =
            format!("{held}; against {whom}, equity is {}{needs}", percent(*equity, 1));
        let played = decided.action;
        if let Some(&(best, _)) = values.first() {
            let listed: Vec<String> = values
                .iter()
                .map(|&(action, chips)| format!("{} {}", decided.words(action), signed(chips, 0)))
                .collect();
            let [less, reach] = behind;
            let verdict = if best == played {
                "what was played was the best of them".to_owned()
            } else if less <= reach {
                format!(
                    "what was played was as good as any, as far as this tells ({} ± {} chips)",
                    signed(-less, 0),
                    decimal(*reach, 0)
                )
            } else {
                let sampled = against.sampled.then(|| format!(" ± {}", decimal(*reach, 0)));
                format!(
                    "{} would have been better by {}{} chips",
                    decided.words(best),
                    decimal(*less, 0),
                    sampled.unwrap_or_default()
                )
            };
            sentence += &format!(
                "; actions win on average, in chips, {}: {verdict} (by the value function {})",
                listed.join(", "),
                against.function
            );
        } else if let (Some(share), Action::Fold | Action::Call) = (needed, played) {
            let right = (equity >= share) == (played == Action::Call);
            sentence += match right {
                true => ": what was played was right by that",
                false => ": what was played was wrong by that",
            };
        }
        sentence + "\n"
    }

    pub(super) fn document(&self) -> Value {
        let held = self
            .held
            .iter()
            .map(|(name, cards)| json!({ "name": name, "cards": cards.to_string() }));
        let against = self.against.as_ref().map(|against| {
            let values = against.values.iter().map(|&(action, chips)| json!([text(action), chips]));
            let valued = !against.values.is_empty();
            json!({
                "of": if against.combos.is_some() { "range" } else { "hand" },
                "combos": against.combos,
                "sampled": against.sampled,
                "equity": against.equity,
                "equity_to_call": against.needed,
                "values": values.collect::<Vec<_>>(),
                "value_function": valued.then_some(&against.function),
                "behind_best": valued.then_some(against.behind[0]),
                "half_width": valued.then_some(against.behind[1]),
            })
        });
        json!({ "held": held.collect::<Vec<_>>(), "against": against })
    }
}

/// The decision against the range of the player in this seat; `None` in games other than hold'em,
/// and where nothing is known of his cards.
fn against(
    decided: &Decided<'_>,
    hand: &HandRecord,
    other: Seat,
    agents: &[String],
) -> Result<Option<Against>, Failure> {
    let public = &decided.infoset.public;
    let def = public.def();
    if (def.suits, def.ranks, def.hole_cards) != (4, 13, 2) || def.board_cards != [0, 3, 1, 1] {
        return Ok(None);
    }
    let registry = decided.args.named.registry()?;
    // Programs, and agents that are not known here, cannot be asked.
    let policy = |name: &String| registry.resolve(name).ok()?.policy(def).ok().flatten();
    let policies: Vec<Option<Arc<dyn Policy>>> = agents.iter().map(policy).collect();
    let of_entrant = usize::from(hand.entrants[other]);
    let name = agents[of_entrant].clone();
    let own = combo(decided.infoset.hole);
    let range = policies[of_entrant].as_ref().and_then(|policy| {
        let how = (ActionMatching::Sizes, 0.0);
        let weights = reach::at(public.history().len(), policy.as_ref(), public, other, how);
        let free =
            |combo: &Combo| weights[combo.index()] > 0.0 && !combo.set().intersects(own.set());
        let range: Vec<(Combo, f64)> =
            Combo::all().filter(free).map(|combo| (combo, weights[combo.index()])).collect();
        (!range.is_empty()).then_some(range)
    });
    let (range, combos) = match range {
        Some(range) => {
            let combos = range.iter().map(|(_, weight)| weight).sum();
            (range, Some(combos))
        }
        None if hand.hole[other].is_empty() => return Ok(None),
        None => (vec![(combo(hand.hole[other]), 1.0)], None),
    };
    let (range, sampled) = drawn(range);
    let board = public.board().set();
    let share =
        |other: Combo| all_in(own, other, board).map_or(0.5, |outcome| outcome.value(Ties::Half));
    let equity = range.iter().map(|&(combo, weight)| weight * share(combo)).sum();
    let owed = public.legal().to_call;
    let needed = (owed > 0).then(|| f64::from(owed) / (public.pot() as f64 + f64::from(owed)));
    let mut found = Against {
        name,
        combos,
        sampled,
        equity,
        needed,
        values: Vec::new(),
        function: String::new(),
        behind: [0.0; 2],
    };
    if let [one, two] = agents
        && let [first, second] = &*policies
        && let Some(values) =
            values_between(def, [first.clone(), second.clone()], [one, two], StrategyQuery::Buckets)
    {
        found.value(decided, hand, &range, &values);
    }
    Ok(Some(found))
}

fn combo(hole: HoleCards) -> Combo {
    Combo::new(hole[0], hole[1]).expect("hold'em hands have two cards")
}

/// At most [`MOST_HANDS`] hands of a range, with weights that add up to 1: evenly along it, so that
/// each stands for as much of it.
fn drawn(range: Vec<(Combo, f64)>) -> (Vec<(Combo, f64)>, bool) {
    let total: f64 = range.iter().map(|(_, weight)| weight).sum();
    if range.len() <= MOST_HANDS {
        return (range.into_iter().map(|(combo, weight)| (combo, weight / total)).collect(), false);
    }
    let step = total / MOST_HANDS as f64;
    let (mut drawn, mut passed) = (Vec::new(), 0.0);
    for (combo, weight) in range {
        passed += weight;
        while drawn.len() < MOST_HANDS && passed > (drawn.len() as f64 + 0.5) * step {
            drawn.push((combo, 1.0 / MOST_HANDS as f64));
        }
    }
    (drawn, true)
}

impl Against {
    /// Values the actions against each of these hands.
    fn value(
        &mut self,
        decided: &Decided<'_>,
        hand: &HandRecord,
        range: &[(Combo, f64)],
        values: &Arc<dyn ValueFunction>,
    ) {
        let infoset = &decided.infoset;
        let (public, seat) = (&infoset.public, infoset.seat);
        let legal = infoset.legal();
        let recorded = decided.recorded.iter().flat_map(|recorded| {
            let strategy = recorded.strategy.iter().flat_map(|strategy| &strategy.actions);
            let likely = strategy.filter(|&&(_, share)| share > 0.0).map(|&(action, _)| action);
            likely.chain(recorded.values.iter().map(|&(action, _)| action))
        });
        let usual = [legal.fold.then_some(Action::Fold), Some(Action::Call), Some(decided.action)];
        let actions: Vec<Action> = distinct(recorded.chain(usual.into_iter().flatten()))
            .into_iter()
            .filter(|&action| legal.nearest(action) == action)
            .collect();
        let entrants = [hand.entrants.as_slice()[0], hand.entrants.as_slice()[1]];
        let sign = if seat.index() == 0 { 1.0 } else { -1.0 };
        let of_hand = |&(combo, _): &(Combo, f64)| -> Vec<f64> {
            let other = HoleCards::new(&combo.cards()).expect("room for two cards");
            let mut holes = [infoset.hole, other];
            if seat.index() == 1 {
                holes.reverse();
            }
            let mut deal: Box<dyn DealValues + '_> = values.of_deal(holes, entrants, hand.deal);
            let mut value = |action: Action| {
                let mut after = public.clone();
                // Only legal actions are listed.
                after.apply_unchecked(action);
                sign * deal.value(&after)
            };
            actions.iter().map(|&action| value(action)).collect()
        };
        let by_hand = parallel::map(range, of_hand);
        let mean = |of: &dyn Fn(&[f64]) -> f64| -> f64 {
            range.iter().zip(&by_hand).map(|((_, weight), values)| weight * of(values)).sum()
        };
        let means: Vec<f64> =
            (0..actions.len()).map(|action| mean(&|values| values[action])).collect();
        let mut order: Vec<usize> = (0..actions.len()).collect();
        order.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
        let played = actions.iter().position(|&action| action == decided.action);
        if let (Some(&best), Some(played)) = (order.first(), played) {
            let less = means[best] - means[played];
            let squares = mean(&|values| (values[best] - values[played] - less).powi(2));
            let count = range.len() as f64;
            let reach = match self.sampled {
                true => TWO_SIDED * (squares / (count - 1.0)).sqrt(),
                false => 0.0,
            };
            self.behind = [less, reach];
        }
        self.values = order.into_iter().map(|action| (actions[action], means[action])).collect();
        self.function = values.name().to_owned();
    }
}
