//! `cardroom evaluate AGENT --by best-response` in hold'em: best responses within a betting tree,
//! on sampled flops or on all.

use std::sync::Arc;
use std::time::Instant;

use abstraction::betting::BettingTree;
use abstraction::menu::BetMenu;
use evaluation::best_response::{
    BestResponseSettings, Estimate, Figure, Figures, MeasureError, Outcome, Progress as Position,
    run as measure,
};
use evaluation::folder::model_sha256;
use game::{Betting, GameDef, Seat};
use serde_json::{Value, json};
use show::Table;
use show::number::whole;
use solvers::response::in_tree::{FLOPS, KINDS, PolicyInTree, TreeStrategy};

use super::Args;
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::Output;
use crate::progress::Progress;
use crate::resolve_names::bet_menu;

/// Nodes of the largest betting tree.
const NODES: u64 = 4_000_000;

/// Runs the command: measures the agent and prints the result.
pub(super) fn run(args: &Args, def: &Arc<GameDef>) -> Result<Output, Failure> {
    let plan = plan(args, def)?;
    let data = args.named.load()?.config.server.data;
    let folder = args.out.clone().unwrap_or_else(|| data.join("evaluations").join(plan.name()));
    let stop = interrupt::listen(
        "finishing the current flops, which may take minutes; press Ctrl-C again to abort",
    )?;
    let mut progress: Option<Progress> = None;
    let begun = Instant::now();
    let mut show = |position: &Position| {
        let total = position.needed as u64;
        let progress = progress.get_or_insert_with(|| Progress::new(total, "flops", args.quiet));
        progress.show(position.known as u64, &note(position));
    };
    let outcome = measure(&plan, &folder, provenance(), args.threads(), &stop, &mut show);
    if let Some(progress) = progress {
        progress.finish();
    }
    let outcome = outcome.map_err(failure)?;
    let seconds = begun.elapsed().as_secs_f64();
    let shown = match args.json {
        true => Output::json(&document(&plan, &outcome, seconds))?,
        false => Output::from(text(&plan, &outcome, seconds) + &args.kept_in(&folder)),
    };
    if outcome.complete {
        return Ok(shown);
    }
    let end = Err(Failure::interrupted(format!(
        "stopped after {} of {} flops; resume with: {}",
        outcome.flops,
        plan.flops,
        interrupt::command_line()
    )));
    Ok(shown.then(end))
}

fn plan(args: &Args, def: &Arc<GameDef>) -> Result<BestResponseSettings, Failure> {
    if args.flops.is_some_and(|flops| flops.0 == FLOPS) {
        args.given.refuse(&["seed"], "no flops are drawn where all are counted")?;
    }
    let agent = args.named.resolve_with_policy(&args.agent)?;
    let own = match args.menu {
        Some(_) => None,
        None => agent.tree_strategy(def).map_err(Failure::input)?,
    };
    let strategy: Arc<dyn TreeStrategy> = match own {
        Some(own) => own,
        None => {
            let menu = menu(args.menu.as_deref(), def)?;
            let tree = BettingTree::new(def, &menu, NODES).map_err(Failure::input)?;
            let policy = agent.policy(def).map_err(Failure::input)?;
            let policy = policy.expect("asked for an agent that has one");
            Arc::new(PolicyInTree::new(policy, tree))
        }
    };
    Ok(BestResponseSettings {
        def: Arc::clone(def),
        game_name: args.game.name().to_owned(),
        model_sha256: model_sha256(&agent).map_err(Failure::input)?,
        agent,
        strategy,
        flops: args.flops.map_or(20, |flops| flops.0),
        seed: args.seed,
        shard: args.shard,
    })
}

/// The menu of this name or in this file; the default depends on the game.
fn menu(name: Option<&str>, def: &GameDef) -> Result<BetMenu, Failure> {
    let usual = match def.betting {
        Betting::Limit => "limit",
        Betting::NoLimit => "fcpa",
    };
    bet_menu(name.unwrap_or(usual))
}

fn failure(error: MeasureError) -> Failure {
    match error {
        MeasureError::Flops(_) => Failure::usage(error),
        error => Failure::input(error),
    }
}

/// The estimate so far, for the progress display.
fn note(position: &Position) -> String {
    position.figures.map_or_else(String::new, |figures| {
        let Estimate { mbb, half_width } = figures.from_flop.both;
        format!("{mbb:+.0} ± {half_width:.0} mbb/hand from the flop on")
    })
}

/// The figures: in words, and by their key in documents.
const FIGURES: [(&str, &str); 2] = [
    ("best from the flop on, like the agent preflop", "from_flop"),
    ("best before the flop, too", "from_start"),
];

fn figures(figures: &Figures) -> [Figure; 2] {
    [figures.from_flop, figures.from_start]
}

fn text(plan: &BestResponseSettings, outcome: &Outcome, seconds: f64) -> String {
    let decisions: u64 = plan.strategy.tree().size().decisions.iter().sum();
    let flops = match outcome.flops {
        FLOPS => format!("all {FLOPS} flops ({KINDS} up to suits), exact"),
        flops => {
            format!("{flops} of {FLOPS} flops ({} up to suits), seed {}", outcome.kinds, plan.seed)
        }
    };
    let mut text = format!(
        "{}, best response inside its betting tree of {} decisions, {}\n{flops}; {} of them \
         computed before, {seconds:.0} s\n\n",
        plan.agent.name(),
        whole(decisions),
        plan.game_name,
        outcome.earlier,
    );
    let Some(found) = &outcome.figures else {
        return text + "too few flops for an estimate\n";
    };
    let exact = outcome.flops == FLOPS;
    let mut rows = Vec::new();
    for ((name, _), figure) in FIGURES.iter().zip(figures(found)) {
        rows.push((format!("{name}, both seats"), figure.both));
        for (at, estimate) in figure.seats.into_iter().enumerate() {
            let seat = Seat::new(at).expect("a seat of two players");
            let position = plan.def.position(seat);
            rows.push((format!("  response in seat {at}, {position}"), estimate));
        }
    }
    let shown = if exact { 2 } else { 4 };
    let header = ["what it wins", "mbb/hand", "±", "95 % interval"];
    let mut table = Table::new(header.into_iter().take(shown)).right(1..3).at_the_margin();
    for (name, Estimate { mbb, half_width }) in rows {
        let interval = format!("{:+.1} to {:+.1}", mbb - half_width, mbb + half_width);
        let row = [name, format!("{mbb:+.1}"), format!("{half_width:.1}"), interval];
        table.row(row.into_iter().take(shown));
    }
    text += &format!(
        "{table}\n\nAn opponent who knows the strategy can win this much with the bets of this tree"
    );
    text += match exact {
        true => ", and no more.\n",
        false => "; a best\nresponse on all flops wins at least as much.\n",
    };
    text
}

fn document(plan: &BestResponseSettings, outcome: &Outcome, seconds: f64) -> Value {
    let estimate = |estimate: Estimate| {
        let Estimate { mbb, half_width } = estimate;
        match outcome.flops {
            FLOPS => json!({ "mbb": mbb }),
            _ => json!({ "mbb": mbb, "half_width": half_width,
                "interval": { "low": mbb - half_width, "high": mbb + half_width } }),
        }
    };
    let mut document = json!({
        "schema": "cardroom-evaluate-best-response-in-tree/1",
        "agent": plan.agent.name(),
        "game": plan.game_name,
        "menu": plan.strategy.tree().menu().to_string(),
        "tree_sha256": plan.strategy.tree().hash(),
        "decisions": plan.strategy.tree().size().decisions.iter().sum::<u64>(),
        "flops": outcome.flops,
        "kinds": outcome.kinds,
        "exact": outcome.flops == FLOPS,
        "seed": plan.seed,
        "complete": outcome.complete,
        "seconds": seconds,
    });
    if let Some(found) = &outcome.figures {
        for ((_, name), figure) in FIGURES.iter().zip(figures(found)) {
            document[*name] = json!({
                "both": estimate(figure.both),
                "seats": figure.seats.map(estimate),
            });
        }
    }
    document
}
