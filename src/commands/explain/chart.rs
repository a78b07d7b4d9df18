//! `cardroom explain chart`: an agent's strategy with each of the 169 starting hands.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use cards::{Board, Combo};
use game::{GameDef, PublicState, Seat, Street, Turn, notation};
use models::chart::{Chart, Choice, Class, Title};
use serde::Serialize;

use crate::exit::Failure;
use crate::output::{self, Output, Report};
use crate::report;
use crate::resolve_names::{Game, Named};

/// Show what an agent does with each starting hand, as a 13 × 13 chart.
///
/// The chart is for the agent's first decision, or with --at for the decision after any betting
/// before the flop. Every hand has full weight, even if the agent would not reach the decision with
/// it. Pairs are on the diagonal, suited hands above it, offsuit hands below.
///
/// Examples:
///   cardroom explain chart oct --svg opening.svg
///   cardroom explain chart cfr --at r250
///   cardroom explain chart cfr --at cr400 --game holdem.nolimit.2p.reverse_blinds
///
/// Exit codes: 2 when the betting of --at does not lead to a decision before the flop, 3 when the
/// agent cannot be asked for its strategy or does not play the game.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The agent: a kind, KIND:ARGUMENT or a name from the configuration (see `cardroom agents
    /// list`)
    #[arg(value_name = "AGENT")]
    agent: String,
    /// The betting before the decision, as in ACPC logs: `c` calls, `r250` raises to 250 chips, as
    /// in `cr400`
    #[arg(long, value_name = "BETTING", default_value = "", hide_default_value = true)]
    at: String,
    /// Draw the chart into this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    game: Game,
    #[command(flatten)]
    named: Named,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: queries the policy and shows the chart.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.svg.as_deref())?;
    let def = args.game.load()?;
    if (def.suits, def.ranks, def.hole_cards) != (4, 13, 2) || def.board_cards[0] > 0 {
        return Err(Failure::input(anyhow::anyhow!(
            "{}: the chart is of two cards out of 52; name a game of hold'em with --game",
            args.game.name()
        )));
    }
    let (public, seat) = decision(&def, &args.at)?;
    let agent = args.named.resolve_with_policy(&args.agent)?;
    let policy = agent.policy(&def)?;
    let policy = policy.expect("only agents with a policy are let through");
    let chart = Chart::of_policy(policy.as_ref(), &public, seat, &[1.0; Combo::COUNT]);
    let owed = public.highest() - public.committed()[seat];
    let report = ChartReport {
        agent: &args.agent,
        game: args.game.name(),
        at: &args.at,
        seat: seat.index(),
        position: def.position(seat).to_string(),
        pot: public.pot(),
        to_call: owed.min(public.stack(seat)),
        combos: chart.combos,
        actions: &chart.actions,
        hands: chart.classes(),
        chart: &chart,
    };
    let drawn = match &args.svg {
        Some(path) => {
            let title = Title { head: report.head(), about: report.about() };
            report::write(path, &chart.picture(&title))
        }
        None => Ok(()),
    };
    Ok(Output::report(&report, args.json)?.then(drawn))
}

/// The public state after this betting, and the seat to act.
fn decision(def: &Arc<GameDef>, at: &str) -> Result<(PublicState, Seat), Failure> {
    let public = notation::replay(def, at, &Board::EMPTY)
        .map_err(|error| Failure::usage(format!("--at: {error}; write it as in `cr400`")))?;
    match public.turn() {
        Turn::Act(seat) if public.street() == Street::Preflop => Ok((public, seat)),
        _ => Err(Failure::usage(format!(
            "--at `{at}`: the betting before the flop is over there, and nobody decides: leave out \
             the last action"
        ))),
    }
}

/// A chart with its place in the game.
#[derive(Serialize)]
struct ChartReport<'a> {
    agent: &'a str,
    game: &'a str,
    /// The betting before the decision.
    at: &'a str,
    seat: usize,
    position: String,
    pot: u64,
    to_call: u32,
    combos: f64,
    actions: &'a [Choice],
    hands: Vec<Class>,
    #[serde(skip)]
    chart: &'a Chart,
}

impl Report for ChartReport<'_> {
    const SCHEMA: &'static str = "cardroom-explain-chart/1";
}

impl ChartReport<'_> {
    fn head(&self) -> String {
        match self.at {
            "" => format!("{} at the first decision", self.agent),
            at => format!("{} after {at}", self.agent),
        }
    }

    fn about(&self) -> String {
        let ChartReport { game, position, pot, to_call, .. } = self;
        format!(
            "{game}, {position} to act: pot {pot}, {to_call} to call; 1,326 hands, each \
             counted once"
        )
    }
}

impl fmt::Display for ChartReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colours = output::colours();
        let actions = self.chart.actions_text(colours);
        let hands = self.chart.text(colours);
        write!(f, "{}\n{}\n\n{actions}\n{hands}", self.head(), self.about())
    }
}
