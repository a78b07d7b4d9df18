//! A decision of an agent without trees: its recorded strategy, values and note, and a chart of
//! what the agent does with all hands that it would have had there.

use agents::reach::{self, ActionMatching};
use cards::Combo;
use game::Action;
use serde_json::json;
use show::Table;
use show::number::{percent, signed};

use super::super::chart::{ask, distinct};
use super::{Decided, text};
use crate::chart::{Chart, picture};
use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::report;

/// The width of the longest bar, in characters.
const BAR: f64 = 24.0;

/// Explains a decision by its record and by asking the agent about all hands.
pub(super) fn explain(decided: &Decided<'_>) -> Result<Output, Failure> {
    let chart = chart(decided)?;
    let drawn = match (&decided.args.svg, &chart) {
        (None, _) => Ok(()),
        (Some(path), Some(chart)) => {
            let [head, about] = [title(decided), about(decided, chart)];
            report::write(path, &picture::chart(chart, &picture::Title { head, about }))
        }
        (Some(_), None) => Err(Failure::input(anyhow::anyhow!(
            "--svg: `{}` has no chart here: it cannot be asked what it does with other hands",
            decided.agent
        ))),
    };
    Ok(Output::of(&Explained { decided, chart }, decided.args.json)?.then(drawn))
}

/// The agent's strategy with every hand that it could hold; `None` where it cannot be asked, in
/// games without two hole cards, and where it would have had none.
fn chart(decided: &Decided<'_>) -> Result<Option<Chart>, Failure> {
    let public = &decided.infoset.public;
    let def = public.def();
    if (def.suits, def.ranks, def.hole_cards) != (4, 13, 2) || def.board_cards[0] > 0 {
        return Ok(None);
    }
    let agent = decided.args.named.resolve(decided.agent)?;
    let Some(policy) = agent.policy(def).map_err(Failure::input)? else { return Ok(None) };
    let seat = decided.infoset.seat;
    let earlier = public.history().len();
    let weights = reach::at(earlier, policy.as_ref(), public, seat, (ActionMatching::Sizes, 0.0));
    let has_any = Combo::all().any(|combo| weights[combo.index()] > 0.0);
    Ok(has_any.then(|| ask(policy.as_ref(), public, seat, &weights)))
}

fn title(decided: &Decided<'_>) -> String {
    format!("{} at hand {}, decision {}", decided.agent, decided.args.hand, decided.number)
}

fn about(decided: &Decided<'_>, chart: &Chart) -> String {
    let public = &decided.infoset.public;
    let board = match public.board() {
        board if board.is_empty() => String::new(),
        board => format!("{board}, "),
    };
    format!("{board}pot {}; {:.1} combos by its own play", public.pot(), chart.combos)
}

/// A decision with what the agent does with other hands.
struct Explained<'a> {
    decided: &'a Decided<'a>,
    chart: Option<Chart>,
}

/// An action with its probability and its value in chips, as far as they were recorded.
struct Choice {
    action: Action,
    probability: Option<f64>,
    value: Option<f64>,
}

impl Explained<'_> {
    /// The recorded actions: those of the strategy, and those with a value.
    fn choices(&self) -> Vec<Choice> {
        let Some(recorded) = &self.decided.recorded else { return Vec::new() };
        let of = |pairs: &[(Action, f64)], action: Action| {
            pairs.iter().find(|(other, _)| *other == action).map(|&(_, number)| number)
        };
        let strategy = recorded.strategy.as_ref().map_or(&[][..], |strategy| &strategy.actions);
        let named = strategy.iter().chain(&recorded.values).map(|&(action, _)| action);
        let choice = |action| Choice {
            action,
            probability: recorded.strategy.as_ref().map(|_| of(strategy, action).unwrap_or(0.0)),
            value: of(&recorded.values, action),
        };
        distinct(named).into_iter().map(choice).collect()
    }

    fn table(&self, choices: &[Choice]) -> String {
        let valued = choices.iter().any(|choice| choice.value.is_some());
        let mut header = vec!["", "action", "probability"];
        header.extend(valued.then_some("wins, chips"));
        let numbers = 2..header.len();
        header.push("");
        let mut table = Table::new(header).right(numbers).at_the_margin();
        for choice in choices {
            let taken = if choice.action == self.decided.action { ">" } else { "" };
            let share = choice.probability.unwrap_or(0.0);
            let mut row = vec![taken.to_owned(), self.decided.words(choice.action)];
            row.push(choice.probability.map_or_else(String::new, |share| percent(share, 1)));
            if valued {
                row.push(choice.value.map_or_else(String::new, |value| signed(value, 1)));
            }
            row.push("█".repeat((share * BAR).round() as usize));
            table.row(row);
        }
        format!("{table}\n")
    }
}

impl Shown for Explained<'_> {
    fn text(&self) -> String {
        let mut text = self.decided.head();
        let choices = self.choices();
        if !choices.is_empty() {
            text += &format!("\n{}", self.table(&choices));
        }
        match &self.decided.recorded {
            Some(recorded) => {
                if let Some(asked) = recorded.corrected_from {
                    text +=
                        &format!("it asked for {}, which is illegal\n", self.decided.words(asked));
                }
                if recorded.fallback.is_some() {
                    text += "the action replaces a missing answer\n";
                }
                if let Some(note) = &recorded.note {
                    text += &format!("\nIts note: {note}\n");
                }
            }
            None => text += "the match did not record decisions (`--record decisions` does)\n",
        }
        let Some(chart) = &self.chart else { return text };
        let colours = crate::chart::text::colours();
        text += &format!(
            "\nWhat it does with every hand that it would have here: {:.1} combos by its own \
             play\n\n{}\n{}",
            chart.combos,
            crate::chart::text::actions(chart, colours),
            crate::chart::text::chart(chart, colours)
        );
        text
    }

    fn document(&self) -> impl serde::Serialize {
        let decided = self.decided;
        let recorded = decided.recorded.as_ref();
        let pairs = |number: fn(&Choice) -> Option<f64>| {
            let pair = |choice: &Choice| Some(json!([text(choice.action), number(choice)?]));
            self.choices().iter().filter_map(pair).collect::<Vec<_>>()
        };
        let hands = self.chart.iter().flat_map(|chart| &chart.hands).map(|hand| {
            let (combo, weight) = (hand.combo.to_string(), hand.weight);
            json!({ "hand": combo, "weight": weight, "strategy": hand.strategy })
        });
        let actions = self.chart.iter().flat_map(|chart| &chart.actions);
        decided.document(json!({
            "strategy": pairs(|choice| choice.probability),
            "values": pairs(|choice| choice.value),
            "note": recorded.and_then(|recorded| recorded.note.as_deref()),
            "actions": actions.map(|choice| choice.word.as_str()).collect::<Vec<_>>(),
            "hands": hands.collect::<Vec<_>>(),
        }))
    }
}
