//! `cardroom evaluate AGENT --by best-response`: the exact exploitability of an agent in small
//! games. Hold'em has a [module of its own](super::in_tree).

use serde_json::json;
use show::Table;
use show::number::whole;
use solvers::games::Dealt;
use solvers::{Player, Sequences, Tree};

use super::Args;
use crate::exit::Failure;
use crate::output::Output;

/// Nodes of the largest game tree that is built; it takes some 1.2 GB meanwhile.
const NODES: usize = 2_000_000;
/// A game with more deals of hole cards than this has too many nodes; hold'em has 1,624,350.
const DEALS: u64 = 200_000;

/// Runs the command: computes the best responses and prints their values.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    let def = args.game.load()?;
    if solvers::response::in_tree::is_holdem(&def) {
        return super::in_tree::run(args, &def);
    }
    args.must_be_whole()?;
    args.given.refuse(
        &["sees", "flops", "menu", "seed", "threads", "out"],
        "the best response in a small game is exact, one computation, and not kept; this option is \
         for hold'em",
    )?;
    let agent = args.named.resolve_with_policy(&args.agent)?;
    let policy = agent.policy(&def).map_err(Failure::input)?;
    let policy = policy.expect("asked for an agent that has one");
    let unit = 1000.0 / f64::from(def.big_blind());
    let dealt = Dealt::new(def).map_err(Failure::input)?;
    if dealt.hole_deals() > DEALS {
        return Err(Failure::input(anyhow::anyhow!(
            "`{}` has {} deals of hole cards, too many to examine each: use --by lbr, or a game of \
             at most {DEALS}",
            args.game.name(),
            dealt.hole_deals()
        )));
    }
    let tree = Tree::new(&dealt, NODES).map_err(Failure::input)?;
    let game = Sequences::new(&tree);
    let profile = dealt.profile(&tree, &game, &*policy).map_err(Failure::input)?;
    // What the responder wins in each seat, in mbb a hand.
    let won = Player::BOTH.map(|player| unit * profile.best_response_value(&game, player));
    let mean = (won[0] + won[1]) / 2.0;
    if args.json {
        let document = json!({
            "schema": "cardroom-evaluate-best-response/1",
            "agent": agent.name(),
            "game": args.game.name(),
            "nodes": tree.nodes().len(),
            "mbb": mean,
            "mbb_by_seat": won,
        });
        return Output::json(&document);
    }
    let mut table = Table::new(["what it wins", "mbb/hand"]).right(1..).at_the_margin();
    for (name, mbb) in
        [("both seats", mean), ("  response in seat 0", won[0]), ("  response in seat 1", won[1])]
    {
        table.row([name.to_owned(), format!("{mbb:+.6}")]);
    }
    Ok(Output::from(format!(
        "{}, best response, {}: {} nodes, exact\n\n{table}\n",
        agent.name(),
        args.game.name(),
        whole(tree.nodes().len() as u64),
    )))
}
