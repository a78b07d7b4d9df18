//! `cardroom evaluate AGENT --by best-response --sees buckets`: the exact value of a best response
//! that sees the same buckets as the agent.

use std::time::Instant;

use evaluation::counting::{
    Figures, InBucketsError, Progress as Position, best_response as measure,
};
use game::{GameDef, Seat};
use serde_json::json;
use show::number::whole;
use solvers::response::in_buckets::DEALS;
use solvers::response::in_tree::{InBuckets, TreeStrategy, is_holdem};

use super::Args;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{Output, Shown};
use crate::progress::Progress;

/// Runs the command: computes the best response and prints its value.
pub(super) fn run(args: &Args) -> Result<Output, Failure> {
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
    let def = args.game.load()?;
    if !is_holdem(&def) {
        return Err(Failure::input(anyhow::anyhow!(
            "buckets are for hold'em of two players, and `{}` is another game: leave --sees out",
            args.game.name()
        )));
    }
    let agent = args.named.resolve_with_policy(&args.agent)?;
    let strategy = agent.tree_strategy(&def).map_err(Failure::input)?;
    let strategy = strategy.ok_or_else(|| Failure::input(InBucketsError::Cards))?;
    let stop = interrupt::listen("stopping after the current flops; press Ctrl-C again to abort")?;
    let mut progress: Option<Progress> = None;
    let begun = Instant::now();
    let mut show = |position: &Position| {
        let total = position.needed as u64;
        let progress = progress.get_or_insert_with(|| Progress::new(total, "flops", args.quiet));
        progress.show(position.known as u64, "");
    };
    let found = measure(&*strategy, args.threads(), &stop, &mut show);
    if let Some(progress) = progress {
        progress.finish();
    }
    let found = found.map_err(|error| match error {
        InBucketsError::Deals { .. } => Failure::claim(error),
        error => Failure::input(error),
    })?;
    let Some(found) = found else {
        return Err(Failure::interrupted(format!(
            "stopped before all deals were counted; nothing is kept; start again with: {}",
            interrupt::command_line()
        )));
    };
    let response = Response {
        agent: agent.name(),
        game: args.game.name(),
        def: &def,
        strategy: &*strategy,
        found,
        seconds: begun.elapsed().as_secs_f64(),
    };
    Output::of(&response, args.json)
}

/// The result to print.
struct Response<'a> {
    agent: &'a str,
    game: &'a str,
    def: &'a GameDef,
    strategy: &'a dyn TreeStrategy,
    found: Figures,
    seconds: f64,
}

impl Response<'_> {
    /// The number of decision nodes of the tree, and of the agent's information sets.
    fn sizes(&self) -> [u64; 2] {
        let size = self.strategy.tree().size();
        let infosets = self.strategy.in_buckets().map_or(0, |InBuckets { buckets, .. }| {
            let counts = game::Street::ALL.map(|street| buckets.count(street));
            size.infosets(counts).iter().sum::<u128>()
        });
        [size.decisions.iter().sum(), u64::try_from(infosets).unwrap_or(u64::MAX)]
    }

    /// Chips a hand as thousandths of a big blind.
    fn mbb(&self, chips: f64) -> f64 {
        1000.0 * chips / f64::from(self.def.big_blind())
    }
}

impl Shown for Response<'_> {
    fn text(&self) -> String {
        let Figures { best, own, paths, guessed } = self.found;
        let count = whole;
        let [decisions, infosets] = self.sizes().map(count);
        let [preflop, flop, turn, river] = paths;
        let mut text = format!(
            "{}, best response that sees buckets, {}\n\
             {decisions} decisions, {infosets} information sets; {preflop}, {flop}, {turn} and \
             {river} paths of buckets up to each street\n\
             all {} deals, exact, {:.0} s\n\n",
            self.agent,
            self.game,
            count(DEALS),
            self.seconds,
        );
        let mut rows = vec![("both seats".to_owned(), [best, own].map(mean))];
        for at in 0..2 {
            let seat = Seat::new(at).expect("a seat of two players");
            let name = format!("  in seat {at}, {}", self.def.position(seat));
            rows.push((name, [best[at], own[at]]));
        }
        let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        text +=
            &format!("{:widest$}  {:>23}  {:>23}\n", "", "the best response", "the agent itself");
        text += &format!("{:widest$}", "what it wins");
        text += &format!("  {:>10}  {:>11}", "mbb/hand", "chips/hand").repeat(2);
        for (name, won) in rows {
            text += &format!("\n{name:widest$}");
            for chips in won {
                text += &format!("  {:>+10.2}  {chips:>+11.5}", self.mbb(chips));
            }
        }
        text += "\n\nAn opponent who sees the agent's buckets, remembers them and knows its \
                 strategy can win this much\n\
                 with the bets of this tree, and no more.\n";
        if guessed > 0 {
            text += &format!(
                "In {} information sets the agent is taken to call: training never reached them, \
                 and in play\n\
                 the odds of its cards decide.\n",
                count(guessed)
            );
        }
        text
    }

    fn document(&self) -> impl serde::Serialize {
        let Figures { best, own, paths, guessed } = self.found;
        let [decisions, infosets] = self.sizes();
        let figure = |chips: [f64; 2]| {
            let amount = |chips: f64| json!({ "chips": chips, "mbb": self.mbb(chips) });
            json!({ "both": amount(mean(chips)), "seats": chips.map(amount) })
        };
        let tree = self.strategy.tree();
        json!({
            "schema": "cardroom-evaluate-best-response-in-buckets/1",
            "agent": self.agent,
            "game": self.game,
            "menu": tree.menu().to_string(),
            "tree_sha256": tree.hash(),
            "buckets_sha256": self.strategy.in_buckets().map(|agent| agent.buckets.hash()
                .to_owned()),
            "decisions": decisions,
            "infosets": infosets,
            "guessed": guessed,
            "paths": paths,
            "deals": DEALS,
            "best": figure(best),
            "own": figure(own),
            "seconds": self.seconds,
        })
    }
}

fn mean([first, second]: [f64; 2]) -> f64 {
    (first + second) / 2.0
}
