//! `cardroom explain decision`: what led to a decision of a recorded match, and what would change
//! it.

mod by_tree;
mod judged;
mod recorded;

use std::path::PathBuf;

use game::{Action, InfoSet, notation};
use logs::{DecisionRecord, HandRecord, LedgerReader};
use serde::Serialize;
use serde_json::{Value, json};

use super::tree_source::trees;
use crate::chart::action_words;
use crate::exit::Failure;
use crate::output::{self, Output, Shown};
use crate::resolve_names::Named;

/// Explain a decision of a recorded match, and what would have changed it.
///
/// First what the other player held, and what each action wins on average against all hands that he
/// would have there by his own play, if his agent can be asked, else against that hand: valued as
/// by `cardroom stats --values agents`.
///
/// For the trees `oct` and `cart`: the path through the tree, what its leaf won or lost in the
/// match, and the smallest changes of one number that lead to another action.
///
/// For other agents: each action with its probability and, if the agent gave it, its value in
/// chips; the agent's note; and a chart of what it does with every hand in its range there, if it
/// can be asked (`cardroom explain chart` lists those agents). The range follows from the agent's
/// strategy at its earlier decisions.
///
/// MATCH is a match folder of `cardroom match`, HAND the hand's number from 0, and DECISION the
/// number of the action in the hand, from 0, over all players. Without DECISION the decisions of
/// the hand are listed. The trees are those of the agent named in the match; paths in its name
/// start from the current folder.
///
/// Examples:
///   cardroom explain decision data/matches/oct-vs-cfr 17
///   cardroom explain decision data/matches/oct-vs-cfr 17 4
///
/// Exit codes: 2 when the match has no such hand or decision, 3 when the match cannot be read or
/// does not name the agent.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The match's folder or ledger
    #[arg(value_name = "MATCH")]
    path: PathBuf,
    /// The hand, from 0
    #[arg(value_name = "HAND")]
    hand: u64,
    /// The action in the hand, from 0 [default: list them]
    #[arg(value_name = "DECISION")]
    decision: Option<u32>,
    /// Draw the chart of an agent without trees into this SVG file
    #[arg(long, value_name = "FILE", requires = "decision")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    named: Named,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command: reads the decision and explains it.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    let ledger = LedgerReader::open(&args.path).map_err(Failure::input)?;
    let hand = ledger.hand(args.hand).map_err(Failure::input)?;
    let hand = hand.ok_or_else(|| {
        let hands =
            ledger.count().map_or_else(|_| String::new(), |count| format!(" among its {count}"));
        Failure::usage(format!("{} has no hand {}{hands}", args.path.display(), args.hand))
    })?;
    let decisions = ledger.decisions(args.hand).map_err(Failure::input)?;
    let name = |entrant: u8| ledger.info().entrants[usize::from(entrant)].name.as_str();
    let Some(number) = args.decision else {
        let list = Decisions::of(&hand, &decisions, &|entrant| name(entrant).to_owned());
        return Output::of(&list, args.json);
    };
    let (infoset, action) = before(&hand, number).ok_or_else(|| {
        Failure::usage(format!(
            "hand {} has actions 0 to {}, and no {number}; leave DECISION out to see them",
            args.hand,
            hand.public.history().len().saturating_sub(1)
        ))
    })?;
    let who = hand.entrants[infoset.seat];
    let entrant = &ledger.info().entrants[usize::from(who)];
    if entrant.agent.is_empty() {
        return Err(Failure::input(anyhow::anyhow!(
            "the match does not say which agent `{0}` was, so it cannot be asked; import \
             it with --agent {0}=AGENT",
            entrant.name
        )));
    }
    let recorded = decisions.into_iter().find(|decision| decision.index == number);
    let mut decided =
        Decided { args, number, agent: &entrant.agent, infoset, action, recorded, judged: None };
    let agents: Vec<String> =
        ledger.info().entrants.iter().map(|entrant| entrant.agent.clone()).collect();
    let names = |entrant: u8| name(entrant).to_owned();
    decided.judged = Some(judged::Judged::of(&decided, &hand, &names, &agents)?);
    match trees(&args.named, &entrant.agent)? {
        Ok(student) => by_tree::explain(&decided, &student, &ledger, who),
        Err(_) => recorded::explain(&decided),
    }
}

/// A decision of a recorded match.
struct Decided<'a> {
    args: &'a Args,
    /// Number of earlier actions in the hand, by any seat.
    number: u32,
    /// The agent that decided.
    agent: &'a str,
    infoset: InfoSet,
    /// The action played.
    action: Action,
    /// The record of the decision; `None` where the match did not record decisions.
    recorded: Option<DecisionRecord>,
    /// The others' cards, and how the action does against them.
    judged: Option<judged::Judged>,
}

impl Decided<'_> {
    /// The situation, the action played, and how it does, in three lines.
    fn head(&self) -> String {
        let public = &self.infoset.public;
        let betting = match notation::betting(public) {
            betting if betting.is_empty() => "as the first to act".to_owned(),
            betting => format!("after {betting}"),
        };
        let board = match public.board() {
            board if board.is_empty() => String::new(),
            board => format!(" on {board}"),
        };
        let judged = self.judged.as_ref().map(|judged| judged.text(self)).unwrap_or_default();
        format!(
            "hand {}, decision {}: {} with {}{board}, {betting}\nplayed: {}\n{judged}",
            self.args.hand,
            self.number,
            self.agent,
            self.infoset.hole,
            self.words(self.action)
        )
    }

    fn words(&self, action: Action) -> String {
        action_words(&self.infoset.public, action)
    }

    /// The document of the situation and the action played, with these further keys.
    fn document(&self, further: Value) -> Value {
        let public = &self.infoset.public;
        let mut document = json!({
            "schema": "cardroom-explain-decision/1",
            "hand": self.args.hand,
            "decision": self.number,
            "agent": self.agent,
            "street": public.street().name(),
            "hole": self.infoset.hole.to_string(),
            "board": public.board().to_string(),
            "betting": notation::betting(public),
            "action": text(self.action),
            "others": self.judged.as_ref().map(judged::Judged::document),
        });
        if let (Value::Object(all), Value::Object(further)) = (&mut document, further) {
            all.extend(further);
        }
        document
    }
}

/// An action in the notation of ledgers.
fn text(action: Action) -> String {
    let mut text = String::new();
    notation::write_action(action, false, &mut text);
    text
}

/// The information set before an action of the hand, and the action; `None` if there is no such
/// action.
fn before(hand: &HandRecord, number: u32) -> Option<(InfoSet, Action)> {
    let action = hand.public.history().get(number as usize)?.action;
    let mut seen = None;
    hand.each_decision(|public, seat| {
        if public.history().len() == number as usize {
            seen = Some(InfoSet { public: public.clone(), seat, hole: hand.hole[seat] });
        }
    });
    seen.map(|infoset| (infoset, action))
}

/// The decisions of a hand.
struct Decisions {
    hand: u64,
    betting: String,
    decisions: Vec<Listed>,
}

/// A decision in the list of a hand.
#[derive(Serialize)]
struct Listed {
    /// The number in the hand, from 0, over all players.
    number: u32,
    street: &'static str,
    player: String,
    cards: String,
    /// The action in words.
    action: String,
    /// The first line of the agent's note: the whole is shown with the decision itself.
    note: Option<String>,
}

impl Decisions {
    fn of(hand: &HandRecord, recorded: &[DecisionRecord], name: &dyn Fn(u8) -> String) -> Self {
        let listed = |(number, played): (u32, &game::Played)| {
            let note = recorded.iter().find(|decision| decision.index == number);
            let note = note.and_then(|decision| decision.note.as_deref()?.lines().next());
            let did =
                before(hand, number).map(|(infoset, action)| action_words(&infoset.public, action));
            Listed {
                number,
                street: played.street.name(),
                player: name(hand.entrants[played.seat]),
                cards: hand.hole[played.seat].to_string(),
                action: did.unwrap_or_default(),
                note: note.filter(|note| !note.is_empty()).map(str::to_owned),
            }
        };
        let betting = notation::betting(&hand.public);
        let decisions = (0..).zip(hand.public.history()).map(listed).collect();
        Decisions { hand: hand.hand, betting, decisions }
    }
}

impl Shown for Decisions {
    fn text(&self) -> String {
        let mut text = format!("hand {}: {}\n", self.hand, self.betting);
        for Listed { number, street, player, cards, action, note } in &self.decisions {
            let note = note.as_ref().map(|note| format!("  {note}")).unwrap_or_default();
            text += &format!("{number:>3}  {street:<7}  {player:<12}  {cards}  {action}{note}\n");
        }
        text
    }

    fn document(&self) -> impl Serialize {
        json!({
            "schema": "cardroom-explain-decisions/1",
            "hand": self.hand,
            "betting": self.betting,
            "decisions": self.decisions,
        })
    }
}
