//! The opponent of rules, and the counts that their exact fitness is computed from.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use abstraction::betting::BettingTree;
use abstraction::facts::Texture;
use evaluation::counting::count;
use game::{Action, GameDef, Street, games};
use learners::heuristic::RuleEvaluator;
use logs::folder::write_whole;
use models::heuristic::Heuristic;
use solvers::blueprint::AbstractStrategy;
use solvers::fitness::{ClassCounts, Counting, FactClasses, Fitness, Sampler};
use solvers::response::in_tree::{InBuckets, TreeStrategy};
use solvers::response::street_rule;

use crate::exit::Failure;
use crate::interrupt;
use crate::progress::Progress;
use crate::resolve_names::Named;

/// The default opponent.
pub(super) const CATEGORIES: &str = "cfr:blueprint=categories";

/// An agent that plays limit hold'em by buckets, or a simple strategy in its betting tree.
pub(super) struct Opponent {
    pub(super) def: Arc<GameDef>,
    name: String,
    strategy: Arc<dyn TreeStrategy>,
    simple: Option<Simple>,
}

/// A strategy that ignores the cards.
enum Simple {
    /// Always calls. Holds the index of the call among the actions of each node.
    Call(Vec<usize>),
    /// Plays all actions with equal probability.
    Random,
}

impl AbstractStrategy for Simple {
    fn shares(&self, node: u32, _: u32, shares: &mut [f32]) {
        match self {
            Simple::Call(call_actions) => {
                shares.fill(0.0);
                shares[call_actions[node as usize]] = 1.0;
            }
            Simple::Random => shares.fill(1.0 / shares.len() as f32),
        }
    }
}

impl Simple {
    fn named(name: &str, tree: &BettingTree) -> Option<Simple> {
        match name {
            "random" => Some(Simple::Random),
            "call" => {
                let mut call_actions = Vec::new();
                for node in Street::ALL.into_iter().flat_map(|street| tree.decision_nodes(street)) {
                    let actions = tree.actions(node);
                    call_actions.resize(call_actions.len().max(node as usize + 1), 0);
                    let calls = actions.iter().position(|action| *action == Action::Call);
                    call_actions[node as usize] = calls.unwrap_or(0);
                }
                Some(Simple::Call(call_actions))
            }
            _ => None,
        }
    }
}

impl Opponent {
    /// Finds the opponent of this name; an error if it does not play by buckets.
    pub(super) fn find(name: &str, named: &Named) -> Result<Opponent, Failure> {
        let def = Arc::new(games::limit_holdem());
        let simple = matches!(name, "call" | "random");
        let agent = named.resolve_with_policy(if simple { CATEGORIES } else { name })?;
        let strategy = agent.tree_strategy(&def).map_err(Failure::input)?;
        let strategy = strategy.filter(|strategy| strategy.in_buckets().is_some());
        let strategy = strategy.ok_or_else(|| {
            Failure::input(anyhow::anyhow!(
                "`{name}` does not play by buckets: give --opponent `{CATEGORIES}`, `call`, \
                 `random`, or a file of `cardroom train cfr --menu limit` as cfr:blueprint=FILE"
            ))
        })?;
        let simple = Simple::named(name, strategy.tree());
        Ok(Opponent { def, name: name.to_owned(), strategy, simple })
    }

    fn in_buckets(&self) -> InBuckets<'_> {
        let found = self.strategy.in_buckets().expect("looked at when it was found");
        match &self.simple {
            Some(simple) => InBuckets { strategy: simple, ..found },
            None => found,
        }
    }

    /// The sampler of its matches up to a street.
    pub(super) fn sampler<'a>(&'a self, street: Street, classes: &'a FactClasses) -> Sampler<'a> {
        let InBuckets { buckets, strategy, .. } = self.in_buckets();
        let tree = self.strategy.tree();
        Sampler { tree, strategy, buckets, classes, street, flop: None }
    }

    /// The counts for its buckets, read from a file, or made and saved there.
    pub(super) fn counts(
        &self,
        street: Street,
        classes: &FactClasses,
        table: &Path,
        how: CountOptions,
    ) -> Result<ClassCounts, Failure> {
        let InBuckets { buckets, .. } = self.in_buckets();
        let counting = Counting { street, buckets, classes };
        if how.flops.is_some() {
            return made(&counting, how);
        }
        match File::open(table) {
            Ok(file) => counting.read(BufReader::new(file)).map_err(|error| {
                Failure::input(anyhow::anyhow!(
                    "{}: {error}; or give --table another file, and the deals are counted again",
                    table.display()
                ))
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if let Some(folder) = table.parent() {
                    std::fs::create_dir_all(folder).map_err(|error| at(folder, &error))?;
                }
                let counts = made(&counting, how)?;
                write_whole(table, |to| counting.write(&counts, to))
                    .map_err(|error| at(table, &error))?;
                Ok(counts)
            }
            Err(error) => Err(at(table, &error)),
        }
    }

    /// The judge of exact fitness against this opponent.
    pub(super) fn judge(
        &self,
        street: Street,
        counts: &ClassCounts,
    ) -> Result<RuleEvaluator, Failure> {
        let InBuckets { strategy, .. } = self.in_buckets();
        let fitness = Fitness::new(counts, self.strategy.tree(), strategy, street);
        let fitness =
            fitness.map_err(|error| Failure::input(anyhow::anyhow!("`{}`: {error}", self.name)))?;
        Ok(RuleEvaluator::new(fitness, self.def.big_blind()))
    }

    /// The winnings of a best response that sees this opponent's buckets against a rule.
    pub(super) fn response(
        &self,
        judge: &RuleEvaluator,
        counts: &ClassCounts,
        rule: &Heuristic,
    ) -> Result<f64, Failure> {
        let InBuckets { strategy, .. } = self.in_buckets();
        let (fitness, moves) = (judge.fitness(), judge.moves(rule));
        let rule = |class: u16, seen| {
            let of =
                |found: Result<usize, usize>| found.expect("all classes and situations are known");
            let situation = of(fitness.situations().binary_search(&seen));
            moves.0
                [situation * fitness.classes().len() + of(fitness.classes().binary_search(&class))]
        };
        let won =
            street_rule::response(counts, self.strategy.tree(), strategy, fitness.street(), rule);
        won.map_err(|error| Failure::input(anyhow::anyhow!("`{}`: {error}", self.name)))
    }
}

/// The default file for counts.
pub(super) fn default_counts_path(street: Street, texture: Texture) -> PathBuf {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let texture: String = texture.to_string().chars().map(plain).collect();
    PathBuf::from(format!("data/fitness/{street}-{texture}.counts"))
}

/// The options for counting deals.
#[derive(Clone, Copy)]
pub(super) struct CountOptions {
    /// Counts only this many flops instead of all; such counts are not saved.
    pub(super) flops: Option<usize>,
    pub(super) threads: usize,
    pub(super) quiet: bool,
}

/// Counts the deals, with a progress display.
fn made(counting: &Counting<'_>, how: CountOptions) -> Result<ClassCounts, Failure> {
    let stop = interrupt::listen("stopping after the current flops; press Ctrl-C again to abort")?;
    let all = Counting::flops().len();
    let mut progress = Progress::new(how.flops.unwrap_or(all) as u64, "flops", how.quiet);
    let counts = count(counting, how.flops, how.threads, &stop, &mut |position| {
        progress.show(position.known as u64, "counting all deals, once");
    });
    progress.finish();
    counts.map_err(Failure::claim)?.ok_or_else(|| {
        Failure::interrupted(format!(
            "stopped before all deals were counted; nothing is kept; start again with: {}",
            interrupt::command_line()
        ))
    })
}

/// The error for a file that cannot be read or written.
pub(super) fn at(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(anyhow::anyhow!("{}: {error}", path.display()))
}
