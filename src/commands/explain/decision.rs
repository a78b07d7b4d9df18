//! `cardroom explain decision`: what led to a decision of a recorded match, and what would change
//! it.

use std::path::PathBuf;

use abstraction::features::FeatureMaker;
use evaluation::decision::{Decided, RecordReport, TreeReport, node_winnings};
use evaluation::price::Advisers;
use logs::LedgerReader;
use models::chart::Chart;
use models::student::Student;

use super::{Trees, explainer, trees};
use crate::exit::Failure;
use crate::hand_report::HandReport;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::report;
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
/// Exit codes: 2 when the match has no such hand or decision, 3 when the match cannot be read.
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
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: reads the decision and explains it.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    let ledger = LedgerReader::open(&args.path)?;
    let hand = ledger.hand(args.hand)?;
    let hand = hand.ok_or_else(|| {
        let hands =
            ledger.count().map_or_else(|_| String::new(), |count| format!(" among its {count}"));
        Failure::usage(format!("{} has no hand {}{hands}", args.path.display(), args.hand))
    })?;
    let decisions = ledger.decisions(args.hand)?;
    let info = ledger.info();
    let Some(number) = args.decision else {
        return Output::report(&HandReport::new(info, &hand, &decisions, None), args.json);
    };
    let played = hand.public.history().get(number as usize).ok_or_else(|| {
        Failure::usage(format!(
            "hand {} has actions 0 to {}, and no {number}; leave DECISION out to see them",
            args.hand,
            hand.public.history().len().saturating_sub(1)
        ))
    })?;
    let who = hand.entrants[played.seat];
    let entrant = &info.entrants[usize::from(who)];
    let unknown = entrant.agent.is_empty();
    if unknown && args.svg.is_some() {
        return Err(Failure::input(anyhow::anyhow!(
            "the match does not say which agent `{0}` was, so it has no chart; import it with \
             --agent {0}=AGENT",
            entrant.name
        )));
    }
    let registry = args.named.registry()?;
    let advisers = Advisers::of_match(info, &registry);
    let decided = Decided::new(info, &hand, &decisions, number, &advisers);
    let decided = decided.expect("the hand has an action of this number");
    if unknown {
        // Nobody can be asked, but what it cost is known.
        let report = RecordReport::new(&decided, None, output::colours());
        return Output::report(&report, args.json);
    }
    match trees(&args.named, &entrant.agent)? {
        Trees::Student(student) => explain_by_tree(args, &decided, &student, &ledger, who),
        Trees::Missing(_) => explain_by_record(args, &decided),
    }
}

/// Explains a decision by the tree of this student. `who` is the entrant that decided, in the match
/// of this ledger.
fn explain_by_tree(
    args: &Args,
    decided: &Decided,
    student: &Student,
    ledger: &LedgerReader,
    who: u8,
) -> Result<Output, Failure> {
    if args.svg.is_some() {
        return Err(Failure::usage(format!(
            "--svg draws the chart of an agent without trees; `cardroom explain tree {} --svg \
             FILE` draws a tree",
            decided.agent()
        )));
    }
    let infoset = decided.infoset();
    student.check_game(infoset.public.def())?;
    let features = FeatureMaker::counting(student.schema()).infoset(infoset)?;
    let street = infoset.public.street();
    let explainer = explainer(student, street)?;
    let leaf = explainer.tree().leaf(features.as_slice());
    let mut progress = Progress::patient(ledger.count()?, "hands", false);
    let mut seen = |done| progress.show(done, "");
    let won = node_winnings(ledger, who, (student, street), &[leaf], &mut seen);
    progress.finish();
    let report = TreeReport::new(decided, (student, &explainer), features, won?[0]);
    Output::report(&report, args.json)
}

/// Explains a decision by its record and by asking the agent about all hands.
fn explain_by_record(args: &Args, decided: &Decided) -> Result<Output, Failure> {
    let chart = chart_there(args, decided)?;
    let drawn = match (&args.svg, &chart) {
        (None, _) => Ok(()),
        (Some(path), Some(chart)) => {
            report::write(path, &chart.picture(&decided.chart_title(chart)))
        }
        (Some(_), None) => Err(Failure::input(anyhow::anyhow!(
            "--svg: `{}` has no chart here: it cannot be asked what it does with other hands",
            decided.agent()
        ))),
    };
    let report = RecordReport::new(decided, chart.as_ref(), output::colours());
    Ok(Output::report(&report, args.json)?.then(drawn))
}

/// The agent's strategy with every hand that it could hold; `None` where it cannot be asked, in
/// games without two hole cards, and where it would have had none.
fn chart_there(args: &Args, decided: &Decided) -> Result<Option<Chart>, Failure> {
    let def = decided.infoset().public.def();
    if (def.suits, def.ranks, def.hole_cards) != (4, 13, 2) || def.board_cards[0] > 0 {
        return Ok(None);
    }
    let policy = args.named.resolve(decided.agent())?.policy(def)?;
    Ok(policy.and_then(|policy| decided.chart(policy.as_ref())))
}

impl Report for TreeReport<'_> {
    const SCHEMA: &'static str = "cardroom-explain-decision/1";
}

impl Report for RecordReport<'_> {
    const SCHEMA: &'static str = "cardroom-explain-decision/1";
}
