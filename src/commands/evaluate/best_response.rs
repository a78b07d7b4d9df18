//! `cardroom evaluate best-response AGENT`: the exact exploitability of an agent in small
//! games; in hold'em, best responses within a betting tree, on sampled flops or on all, and with
//! `--sees buckets` the exact value of a best response that sees the same buckets as the agent.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Instant;

use abstraction::betting::BettingTree;
use abstraction::menu::BetMenu;
use clap::ValueEnum;
use evaluation::best_response::{
    BestResponseSettings, Estimate, InTreeReport, Progress as Position, run as measure,
};
use evaluation::counting::{
    InBucketsReport, Progress as InBucketsProgress, best_response as measure_in_buckets,
    not_by_buckets,
};
use evaluation::folder::model_sha256;
use game::{Betting, GameDef};
use serde::Serialize;
use show::Table;
use show::number::whole;
use solvers::games::Dealt;
use solvers::holdem::best_response::{FLOPS, is_holdem};
use solvers::strategy::{PolicyInTree, TreeStrategy};
use solvers::{Player, Sequences, Tree};

use super::{Common, Planned, interrupted};
use crate::arguments::Given;
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::{Output, Report};
use crate::progress::Progress;
use crate::resolve_names::bet_menu;

/// Nodes of the largest game tree that is built; it takes some 1.2 GB meanwhile.
const MAX_GAME_NODES: usize = 2_000_000;
/// A game with more deals of hole cards than this has too many nodes; hold'em has 1,624,350.
const MAX_DEALS: u64 = 200_000;

/// Compute a best response: the most that can be won from the agent.
///
/// It is exact in small games. In two-player hold'em it is limited to the bets of a betting tree
/// and either estimated on sampled flops, exact on all flops, or, for an opponent who sees the
/// agent's buckets instead of cards, exact over all deals. The best responses in a small game
/// (seconds) and on buckets (a minute) are not kept.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    given: Given,
    #[command(flatten)]
    pub(super) common: Common,
    /// What the best response in hold'em sees: its two cards, or only its bucket on each street,
    /// like `cfr`; the latter is exact, over all deals, for few buckets
    #[arg(long, value_enum, default_value = "cards")]
    sees: Information,
    /// Flops for the best response in hold'em: a number sampled from all 22,100, or `all` [default:
    /// 20]
    #[arg(long, value_name = "N|all")]
    flops: Option<Flops>,
    /// Bets of the best response in hold'em: a shipped menu (fc, fcpa, ladder, limit, overbet,
    /// reraise, six, small, standard, three) or a file [default: the agent's own betting tree, else
    /// fcpa, limit in limit games]
    #[arg(long, value_name = "NAME|FILE")]
    menu: Option<String>,
}

/// The information that a best response has about its hand.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Information {
    /// Its two cards, on the flops of --flops
    Cards,
    /// The agent's buckets, on this and earlier streets
    Buckets,
}

/// A number of flops; `all` is parsed as the number of all flops.
#[derive(Debug, Clone, Copy)]
struct Flops(usize);

impl FromStr for Flops {
    type Err = String;

    fn from_str(text: &str) -> Result<Flops, String> {
        match text {
            "all" => Ok(Flops(FLOPS)),
            _ => text.parse().map(Flops).map_err(|_| "give a number of flops, or `all`".to_owned()),
        }
    }
}

/// What will be measured.
pub(super) fn planned(args: &Args) -> Result<Planned, Failure> {
    let def = args.common.game.load()?;
    if args.sees == Information::Cards && is_holdem(&def) {
        let plan = in_tree_plan(args, &def)?;
        return args.common.planned(&plan.name(), 0);
    }
    // The others are not kept, and refuse what is no use to them.
    args.common.asked(&args.common.agent)?;
    Ok(Planned { kept: None, hands: 0, threads: args.sees == Information::Buckets })
}

/// Runs the command: computes the best responses and prints their values.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
    if args.sees == Information::Buckets {
        args.common.must_be_whole()?;
        return run_in_buckets(args);
    }
    let def = args.common.game.load()?;
    if is_holdem(&def) {
        return run_in_tree(args, &def);
    }
    args.common.must_be_whole()?;
    args.given.refuse(
        &["sees", "flops", "menu", "seed", "threads", "out"],
        "the best response in a small game is exact, one computation, and not kept; this option is \
         for hold'em",
    )?;
    let agent = args.common.asked(&args.common.agent)?;
    let policy = agent.policy(&def)?;
    let policy = policy.expect("asked for an agent that has one");
    let unit = 1000.0 / f64::from(def.big_blind());
    let dealt = Dealt::new(def)?;
    if dealt.hole_deals() > MAX_DEALS {
        return Err(Failure::input(anyhow::anyhow!(
            "`{}` has {} deals of hole cards, too many to examine each: use `cardroom evaluate \
             lbr`, or a game of at most {MAX_DEALS}",
            args.common.game.name(),
            dealt.hole_deals()
        )));
    }
    let tree = Tree::new(&dealt, MAX_GAME_NODES)?;
    let game = Sequences::new(&tree);
    let profile = dealt.profile(&tree, &game, &*policy)?;
    // What the responder wins in each seat, in mbb a hand.
    let won = Player::BOTH.map(|player| unit * profile.best_response_value(&game, player));
    let report = SmallGameReport {
        agent: agent.name(),
        game: args.common.game.name(),
        nodes: tree.nodes().len(),
        mbb: (won[0] + won[1]) / 2.0,
        mbb_by_seat: won,
    };
    Output::report(&report, args.common.json)
}

/// The best response in a small game.
#[derive(Serialize)]
struct SmallGameReport<'a> {
    agent: &'a str,
    game: &'a str,
    nodes: usize,
    mbb: f64,
    mbb_by_seat: [f64; 2],
}

impl Report for SmallGameReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-best-response/1";
}

impl fmt::Display for SmallGameReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.mbb_by_seat;
        let mut table = Table::new(["what it wins", "mbb/hand"]).right(1..).at_the_margin();
        for (name, mbb) in [
            ("both seats", self.mbb),
            ("  response in seat 0", first),
            ("  response in seat 1", second),
        ] {
            table.row([name.to_owned(), format!("{mbb:+.6}")]);
        }
        let (agent, game, nodes) = (self.agent, self.game, whole(self.nodes as u64));
        writeln!(f, "{agent}, best response, {game}: {nodes} nodes, exact\n\n{table}")
    }
}

/// Nodes of the largest betting tree.
const MAX_BETTING_NODES: u64 = 4_000_000;

/// Runs the command: measures the agent and prints the result.
fn run_in_tree(args: &Args, def: &Arc<GameDef>) -> Result<Output, Failure> {
    let plan = in_tree_plan(args, def)?;
    let folder = args.common.folder(&plan.name())?;
    let stop = interrupt::listen(
        "finishing the current flops, which may take minutes; press Ctrl-C again to abort",
    )?;
    let mut progress: Option<Progress> = None;
    let begun = Instant::now();
    let mut show = |position: &Position| {
        let total = position.needed as u64;
        let progress =
            progress.get_or_insert_with(|| Progress::new(total, "flops", args.common.quiet));
        progress.show(position.known as u64, &note(position));
    };
    let outcome =
        measure(&plan, &folder, provenance(), args.common.threads.count(), &stop, &mut show);
    if let Some(progress) = progress {
        progress.finish();
    }
    let outcome = outcome.map_err(in_tree_failure)?;
    let seconds = begun.elapsed().as_secs_f64();
    let report = InTreeReport::new(&plan, &outcome, seconds, args.common.kept_in(&folder));
    let shown = Output::report(&report, args.common.json)?;
    if outcome.complete {
        return Ok(shown);
    }
    Ok(shown.then(Err(interrupted(outcome.flops, plan.flops, "flops"))))
}

fn in_tree_plan(args: &Args, def: &Arc<GameDef>) -> Result<BestResponseSettings, Failure> {
    if args.flops.is_some_and(|flops| flops.0 == FLOPS) {
        args.given.refuse(&["seed"], "no flops are drawn where all are counted")?;
    }
    let agent = args.common.asked(&args.common.agent)?;
    let own = match args.menu {
        Some(_) => None,
        None => agent.tree_strategy(def)?,
    };
    let strategy: Arc<dyn TreeStrategy> = match own {
        Some(own) => own,
        None => {
            let menu = menu(args.menu.as_deref(), def)?;
            let tree = BettingTree::new(def, &menu, MAX_BETTING_NODES)?;
            let policy = agent.policy(def)?;
            let policy = policy.expect("asked for an agent that has one");
            Arc::new(PolicyInTree::new(policy, tree))
        }
    };
    Ok(BestResponseSettings {
        def: Arc::clone(def),
        game_name: args.common.game.name().to_owned(),
        model_sha256: model_sha256(&agent)?,
        agent,
        strategy,
        flops: args.flops.map_or(20, |flops| flops.0),
        seed: args.common.seed,
        shard: args.common.shard,
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

fn in_tree_failure(error: evaluation::Error) -> Failure {
    if error.is_usage() { Failure::usage(error) } else { Failure::input(error) }
}

/// The estimate so far, for the progress display.
fn note(position: &Position) -> String {
    position.figures.map_or_else(String::new, |figures| {
        let Estimate { mbb, half_width } = figures.from_flop.both;
        format!("{mbb:+.0} ± {half_width:.0} mbb/hand from the flop on")
    })
}

impl Report for InTreeReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-best-response-in-tree/1";
}

/// Runs the command: computes the best response and prints its value.
fn run_in_buckets(args: &Args) -> Result<Output, Failure> {
    if args.menu.is_some() {
        return Err(Failure::usage(
            "--menu gives a different tree from that of the agent's buckets: leave it out, or \
             see cards",
        ));
    }
    args.given.refuse(
        &["flops", "seed", "out"],
        "a best response that sees buckets is exact, over all deals, and not kept; this option is \
         for one that sees cards",
    )?;
    let def = args.common.game.load()?;
    if !is_holdem(&def) {
        return Err(Failure::input(anyhow::anyhow!(
            "buckets are for hold'em of two players, and `{}` is another game: leave --sees out",
            args.common.game.name()
        )));
    }
    let agent = args.common.asked(&args.common.agent)?;
    let strategy = agent.tree_strategy(&def)?;
    let strategy = strategy.ok_or_else(|| Failure::input(not_by_buckets()))?;
    let stop = interrupt::listen("stopping after the current flops; press Ctrl-C again to abort")?;
    let mut progress: Option<Progress> = None;
    let begun = Instant::now();
    let mut show = |position: &InBucketsProgress| {
        let total = position.needed as u64;
        let progress =
            progress.get_or_insert_with(|| Progress::new(total, "flops", args.common.quiet));
        progress.show(position.known as u64, "");
    };
    let found = measure_in_buckets(&*strategy, args.common.threads.count(), &stop, &mut show);
    if let Some(progress) = progress {
        progress.finish();
    }
    let found = found.map_err(|error| {
        if error.is_miscount() { Failure::claim(error) } else { Failure::input(error) }
    })?;
    let Some(found) = found else {
        return Err(interrupt::repeatable(
            "stopped before all deals were counted; nothing is kept",
        ));
    };
    let report = InBucketsReport::new(
        agent.name(),
        args.common.game.name(),
        &def,
        &*strategy,
        &found,
        begun.elapsed().as_secs_f64(),
    );
    Output::report(&report, args.common.json)
}

impl Report for InBucketsReport<'_> {
    const SCHEMA: &'static str = "cardroom-evaluate-best-response-in-buckets/1";
}
