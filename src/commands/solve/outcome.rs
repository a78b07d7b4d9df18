//! The result of solving a subgame, as text and as JSON documents.

use cards::Range;
use game::Chips;
use indicatif::HumanBytes;
use serde_json::{Value, json};
use show::number::{percent, whole};
use solvers::subgame::{Evaluation, Size};

use super::subgame::Problem;
use super::view::View;
use crate::chart::picture;
use crate::chart::text::{self, colours};
use crate::exit::Failure;
use crate::output::{self, Output};
use crate::report;

/// The state that a solve ended in.
pub(super) struct Solved {
    pub(super) iterations: u32,
    pub(super) seconds: f64,
    pub(super) evaluation: Evaluation,
    /// Whether the requested exploitability was reached.
    pub(super) reached: bool,
    pub(super) interrupted: bool,
}

impl Solved {
    fn json(&self, goal: f64) -> Value {
        let Evaluation { values, best, committed, .. } = &self.evaluation;
        let pot = self.evaluation.pot();
        let player = |player: usize| {
            let gets = values[player] + committed[player];
            json!({
                "gets": gets,
                "share_of_pot": gets / pot,
                "wins": values[player],
                "with_a_best_response": best[player],
            })
        };
        json!({
            "iterations": self.iterations,
            "seconds": self.seconds,
            "exploitability": self.evaluation.exploitability(),
            "share_of_pot": self.evaluation.share_of_pot(),
            "until": goal,
            "reached": self.reached,
            "interrupted": self.interrupted,
            "players": [player(0), player(1)],
        })
    }
}

impl Problem<'_> {
    /// Prints the result, then writes the files: the result may have taken long, and a path may be
    /// wrong.
    pub(super) fn show(&self, size: &Size, solved: &Solved, views: &[View]) -> Result<(), Failure> {
        let spots: Vec<Value> = views.iter().map(View::json).collect();
        if self.args.json {
            let more = [("result", solved.json(self.goal())), ("spots", json!(spots))];
            Output::json(&self.document(size, &more))?.print()?;
        } else {
            let mut out = self.summary(size, solved);
            for view in views {
                out.push('\n');
                out.push_str(&spot_text(view, self.options.hands, colours()));
            }
            output::print(&out)?;
        }
        if let Some(path) = &self.args.strategy {
            let mut document = self.facts("cardroom-subgame-strategy/1");
            document.extend([("spots".to_owned(), json!(spots))]);
            super::write_json(path, &document.into())?;
        }
        if let (Some(path), [view]) = (&self.options.svg, views) {
            report::write(path, &picture::chart(&view.chart, &self.title(solved, view)))?;
        }
        Ok(())
    }

    /// The problem, the exploitability reached, and what both players win.
    fn summary(&self, size: &Size, solved: &Solved) -> String {
        let Evaluation { values, best, .. } = solved.evaluation;
        let pot = solved.evaluation.pot();
        let mut text = format!(
            "{}: pot {}, {} behind, {} x {} hands, {}\n\
             {} iterations in {:.2} s: exploitability {:.4} chips, {} of the pot{}\n\n",
            self.root.board(),
            self.root.pot(),
            self.behind(),
            size.hands[0],
            size.hands[1],
            self.variant,
            whole(solved.iterations.into()),
            solved.seconds,
            solved.evaluation.exploitability(),
            percent(solved.evaluation.share_of_pot(), 3),
            if solved.reached { "" } else { ", more than was asked for" }
        );
        text.push_str(
            "            gets of the pot     share of it     wins  with a best response\n",
        );
        for player in 0..2 {
            let gets = values[player] + solved.evaluation.committed[player];
            text.push_str(&format!(
                "player {}  {gets:>17.3}  {:>12.2} % {:>+8.3}  {:>+20.3}\n",
                player + 1,
                100.0 * gets / pot,
                values[player],
                best[player]
            ));
        }
        text
    }

    fn behind(&self) -> String {
        let stacks = self.stacks();
        match stacks[0] == stacks[1] {
            true => stacks[0].to_string(),
            false => format!("{} and {}", stacks[0], stacks[1]),
        }
    }

    fn stacks(&self) -> [Chips; 2] {
        let (stacks, committed) = (&self.root.def().stacks, self.root.committed().as_slice());
        [0, 1].map(|seat: usize| stacks[seat] - committed[seat])
    }

    fn title(&self, solved: &Solved, view: &View) -> picture::Title {
        let after =
            if view.path.is_empty() { String::new() } else { format!(" after {}", view.path) };
        picture::Title {
            head: format!("Player {} on {}{after}", view.player.index() + 1, view.board),
            about: format!(
                "Pot {}, {} behind at the beginning; exploitability {} of the pot",
                view.pot,
                self.behind(),
                percent(solved.evaluation.share_of_pot(), 3)
            ),
        }
    }

    /// The parameters of the problem, as JSON.
    fn facts(&self, schema: &str) -> serde_json::Map<String, Value> {
        let facts = json!({
            "schema": schema,
            "board": self.root.board().to_string(),
            "pot": self.root.pot(),
            "stacks": self.stacks(),
            "smallest_bet": self.options.smallest_bet,
            "ranges": self.ranges.each_ref().map(Range::to_string),
            "menu": self.menu.to_string(),
            "algorithm": self.variant.to_string(),
            "precision": self.options.precision.name(),
        });
        match facts {
            Value::Object(facts) => facts,
            _ => serde_json::Map::new(),
        }
    }

    /// The parameters of the problem and its size, as JSON, with more fields.
    pub(super) fn document(&self, size: &Size, more: &[(&str, Value)]) -> Value {
        let mut document = self.facts("cardroom-solve-subgame/1");
        let size = json!({
            "nodes": size.nodes,
            "hands": size.hands,
            "cells": size.cells,
            "bytes": size.bytes,
        });
        document.extend([("size".to_owned(), size)]);
        document.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        document.into()
    }
}

/// The size of a subgame in one line.
pub(super) fn sizes(size: &Size) -> String {
    format!(
        "{} nodes of betting, {} x {} hands, {} pairs of hand and action over all boards: {}",
        whole(size.nodes as u64),
        size.hands[0],
        size.hands[1],
        whole(size.cells),
        HumanBytes(size.bytes)
    )
}

/// The text of a spot: its actions and the chart, and each hand if requested.
fn spot_text(view: &View, each_hand: bool, colours: bool) -> String {
    let mut out = spot_heading(view);
    out.push_str(&text::actions(&view.chart, colours));
    out.push('\n');
    out.push_str(&text::chart(&view.chart, colours));
    if each_hand {
        out.push('\n');
        out.push_str(&text::hands(&view.chart));
    }
    out
}

/// The position of the spot, and the player to act.
fn spot_heading(view: &View) -> String {
    let position = if view.path.is_empty() {
        "At the beginning".into()
    } else {
        format!("After {}", view.path)
    };
    let owed = if view.to_call > 0 { format!(", {} to call", view.to_call) } else { String::new() };
    format!(
        "{position} on {}: player {} acts, pot {}{owed}\n",
        view.board,
        view.player.index() + 1,
        view.pot,
    ) + &format!(
        "from here on player 1 gets {:.2} and player 2 {:.2} chips of the pot\n\n",
        view.gets[0], view.gets[1]
    )
}
