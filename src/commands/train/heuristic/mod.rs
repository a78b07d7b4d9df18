//! `cardroom train heuristic`: searches rules for one street of limit hold'em that win most from a
//! blueprint.

mod checkpoint;
mod opponent;
mod shown;
mod whole;

use std::path::PathBuf;
use std::time::Instant;

use abstraction::facts::Texture;
use game::Street;
use learners::heuristic::{
    MeanWinnings, Measure, Method, Options, Records, RuleEvaluator, Search, cross_results, sampled,
};
use logs::folder::write_whole;
use models::heuristic::{Heuristic, RuleScope, Rulebook};
use solvers::fitness::{FactClasses, Sampler};

use self::checkpoint::Checkpoint;
use self::opponent::{CATEGORIES, CountOptions, Opponent, at, default_counts_path};
use crate::config::units::Count;
use crate::exit::Failure;
use crate::given::Given;
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::resolve_names::Named;
use crate::threads::Threads;

/// Find if-then rules that win most from an opponent, for one street of limit hold'em, or for all
/// streets of a limit or no-limit game (--game).
///
/// One street, as in de Mesentier Silva and others (2018): the opponent plays itself up to the
/// street, one side follows the rule there, such as `if hand >= pair then raise; else call`, half
/// the matches from each seat, and the rest of the board is dealt without betting. Winnings are
/// exact: all deals are counted once, in some minutes, and kept in a file. The best rule of each
/// complexity (clauses and actions) is printed, and the best of all is written to a file for the
/// agent `fft`. Ctrl-C saves a search; the same command resumes it.
///
/// With --game the lists of all streets are searched together, by their winnings in whole games on
/// common deals; --statements limits their statements.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    given: Given,
    /// The street: flop, turn or river
    #[arg(long, value_name = "STREET", value_parser = street, required_unless_present = "game")]
    street: Option<Street>,
    /// Search the lists of all streets of this game together: a built-in name, or the path of an
    /// ACPC game definition
    #[arg(long, value_name = "FILE", conflicts_with_all = ["street", "search", "complexity", "rule",
        "rules", "response", "meet", "fitness", "matches", "table", "flops", "evaluations"])]
    game: Option<String>,
    /// With --game: maximum statements over all streets, without the default actions
    #[arg(long, value_name = "N", default_value_t = 8,
        value_parser = clap::value_parser!(u8).range(1..=64))]
    statements: u8,
    /// With --game: rounds of 32 neighbours of the best lists
    #[arg(long, value_name = "N", default_value = "400")]
    rounds: Count,
    /// With --game: deals for measuring lists, from both seats; some 2 kB each
    #[arg(long, value_name = "N", default_value = "50k")]
    deals: Count,
    /// With --game: start with the lists of this file instead of none
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// With a limit --game: allow clauses about win rates, which no-limit lists always may have
    #[arg(long)]
    win_rates: bool,
    /// The search; without it only the rules of --rule are measured
    #[arg(long, value_enum)]
    search: Option<Kind>,
    /// Maximum complexity, 3 to 20 [default: 9; for the exhaustive search 5, at most 7]
    #[arg(long, value_name = "N", requires = "search",
        value_parser = clap::value_parser!(u8).range(3..=20))]
    complexity: Option<u8>,
    /// Number of rules to measure, as in 20k; greedy and exhaustive search end by themselves
    #[arg(long, value_name = "N", default_value = "21k", requires = "search")]
    evaluations: Count,
    /// Only rules about cards: the hand, its high card, outs and the board
    #[arg(long, requires = "search")]
    cards_only: bool,
    /// The seed
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// The file of rules to write
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// A rule to measure; may be given several times
    #[arg(long, value_name = "RULE")]
    rule: Vec<String>,
    /// Also measure this file's list for the street; may be given several times
    #[arg(long, value_name = "FILE")]
    rules: Vec<PathBuf>,
    /// Also compute what a best response wins from each measured rule, if it sees what the opponent
    /// sees: exact, some seconds per rule on the river
    #[arg(long)]
    response: bool,
    /// Also play the measured rules against each other, --matches per pair
    #[arg(long)]
    meet: bool,
    /// How rules are measured: exactly, or by matches as published
    #[arg(long, value_enum, default_value = "exact")]
    fitness: Fitness,
    /// Matches per rule, for sampled fitness
    #[arg(long, value_name = "N", default_value = "400k")]
    matches: Count,
    /// The opponent: for one street an agent that plays limit hold'em by buckets, `call` or
    /// `random`; in a whole game any agent that can be asked for its strategy [default:
    /// cfr:blueprint=categories; `cfr` in no-limit games]
    #[arg(long, value_name = "AGENT", alias = "against")]
    opponent: Option<String>,
    /// Definition of a dry board: standard, any-ranks, any-suits, rainbow, pairs-too, unpaired, or
    /// conditions as in `unpaired suited <= 2 connected <= 2`
    #[arg(long, value_name = "TEXTURE", default_value = "standard")]
    dry: Texture,
    /// The file of counted deals, made if missing [default: data/fitness/STREET-DRY.counts]
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Count only N of the 1,755 kinds of flops, 0.1 s each, without keeping them: for a try
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1755))]
    flops: Option<u16>,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    named: Named,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
    /// No progress display
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Adds the best statement of one clause, one after the other
    Greedy,
    /// Axis-aligned search with locking, from random rules
    Axis,
    /// Genetic programming
    Genetic,
    /// Simulated annealing with restarts
    Anneal,
    /// All rules; the best are proven
    Exhaustive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Fitness {
    Exact,
    Sampled,
}

impl From<Kind> for Method {
    fn from(kind: Kind) -> Method {
        match kind {
            Kind::Greedy => Method::Greedy,
            Kind::Axis => Method::Axis,
            Kind::Genetic => Method::Genetic,
            Kind::Anneal => Method::Anneal,
            Kind::Exhaustive => Method::Exhaustive,
        }
    }
}

/// The largest complexity for an exhaustive search.
const EXHAUSTIVE: usize = 7;

fn street(text: &str) -> Result<Street, String> {
    let named = |street: &&Street| street.to_string() == text && **street != Street::Preflop;
    let found = Street::ALL.iter().find(named).copied();
    found.ok_or_else(|| "write flop, turn or river".to_owned())
}

/// Runs the command: searches for rules or measures given ones, and prints the result.
pub fn run(args: &Args) -> Result<Output, Failure> {
    output::check(args.out.as_deref())?;
    match (&args.game, args.street) {
        (Some(game), _) => whole::run(args, game),
        (None, Some(street)) => one_street(args, street),
        (None, None) => Err(Failure::usage("give --street, or --game")),
    }
}

fn one_street(args: &Args, street: Street) -> Result<Output, Failure> {
    let exhaustive = args.search == Some(Kind::Exhaustive);
    let most = args.complexity.map_or(if exhaustive { 5 } else { 9 }, usize::from);
    if exhaustive && most > EXHAUSTIVE {
        return Err(Failure::usage(format!(
            "--search exhaustive goes up to --complexity {EXHAUSTIVE}: beyond that there are too \
             many rules"
        )));
    }
    if exhaustive && args.fitness == Fitness::Sampled {
        return Err(Failure::usage(
            "--search exhaustive is for exact fitness: leave --fitness out",
        ));
    }
    if args.search.is_none() && args.rule.is_empty() && args.rules.is_empty() {
        return Err(Failure::usage("give --search, or a --rule or --rules to measure"));
    }
    if args.matches.0 < 2 || args.evaluations.0 == 0 {
        return Err(Failure::usage("--matches must be at least 2 and --evaluations at least 1"));
    }
    let whole = ["statements", "rounds", "deals", "start", "win_rates"];
    args.given.refuse(&whole, "it is for --game")?;
    if matches!(args.search, Some(Kind::Greedy | Kind::Exhaustive)) {
        args.given.refuse(&["evaluations"], "greedy and exhaustive search end by themselves")?;
    }
    if args.search.is_none() {
        args.given.refuse(&["out"], "without --search no rule is found that could be written")?;
    }
    if args.fitness == Fitness::Exact && !args.meet {
        let why = "matches are played only with --fitness sampled or --meet";
        args.given.refuse(&["matches"], why)?;
    }
    let rules = args.rules(street)?;
    let opponent = Opponent::find(args.opponent(), &args.named)?;
    let classes = FactClasses { texture: args.dry };
    let table = args.table.clone().unwrap_or_else(|| default_counts_path(street, args.dry));
    let how = CountOptions {
        flops: args.flops.map(usize::from),
        threads: args.threads.count(),
        quiet: args.quiet,
    };
    let counts = opponent.counts(street, &classes, &table, how)?;
    let judge = opponent.judge(street, &counts)?;
    let sampler = opponent.sampler(street, &classes);
    let worth = args.measure(&judge, &sampler, &rules);
    let responses = match args.response {
        true => rules.iter().map(|rule| opponent.response(&judge, &counts, rule)).collect(),
        false => Ok(Vec::new()),
    };
    let responses: Vec<f64> = responses?;
    let head_to_head = match args.meet {
        true => cross_results(&sampler, &rules, args.matches.0, args.seed),
        false => Vec::new(),
    };
    let found = match args.search {
        None => None,
        Some(kind) => {
            let (method, evaluations) = (Method::from(kind), args.evaluations.0);
            let options =
                Options { method, most, evaluations, seed: args.seed, cards_only: args.cards_only };
            Some(args.search(options, &judge, &sampler)?)
        }
    };
    if let (Some(out), Some(found)) = (&args.out, &found)
        && let Some(best) = found.records.up_to(usize::MAX)
    {
        let book = Rulebook::new(args.dry).with(street, best.rule.clone());
        write_whole(out, |to| write!(to, "{book}")).map_err(|error| at(out, &error))?;
    }
    let shown = shown::Measured {
        args,
        judge: &judge,
        rules: &rules,
        worth: &worth,
        responses: &responses,
        head_to_head: &head_to_head,
        found: found.as_ref(),
    };
    Output::of(&shown, args.json)
}

/// The result of a search.
struct Found {
    records: Records,
    seconds: f64,
    /// Whether all rules were examined.
    proven: bool,
}

impl Args {
    /// The name of the opponent.
    fn opponent(&self) -> &str {
        self.opponent.as_deref().unwrap_or(CATEGORIES)
    }

    /// The rules to measure.
    fn rules(&self, street: Street) -> Result<Vec<Heuristic>, Failure> {
        let scope = RuleScope { street, betting: game::Betting::Limit };
        let read = |text: &String| {
            let rule = Heuristic::parse(text).and_then(|rule| rule.check(scope).map(|()| rule));
            rule.map_err(|error| Failure::input(anyhow::anyhow!("--rule `{text}`: {error}")))
        };
        let listed = |path: &PathBuf| {
            let wrong = |error| Failure::input(anyhow::anyhow!("{}: {error}", path.display()));
            let text = std::fs::read_to_string(path).map_err(|error| at(path, &error))?;
            let book = Rulebook::parse(&text).map_err(wrong)?;
            book.require(&[street]).map_err(wrong)?;
            let rule = book.street(street).expect("it is there").clone();
            rule.check(scope).map(|()| rule).map_err(wrong)
        };
        self.rule.iter().map(read).chain(self.rules.iter().map(listed)).collect()
    }

    /// The fitness of the given rules.
    fn measure(
        &self,
        judge: &RuleEvaluator,
        sampler: &Sampler<'_>,
        rules: &[Heuristic],
    ) -> Vec<MeanWinnings> {
        match self.fitness {
            Fitness::Exact => {
                let exact = |rule| MeanWinnings { mean: judge.value(rule), error: 0.0 };
                rules.iter().map(exact).collect()
            }
            Fitness::Sampled => sampled(sampler, rules, self.matches.0, self.seed),
        }
    }

    fn search(
        &self,
        options: Options,
        judge: &RuleEvaluator,
        sampler: &Sampler<'_>,
    ) -> Result<Found, Failure> {
        let measure = match self.fitness {
            Fitness::Exact => Measure::Exact,
            Fitness::Sampled => {
                Measure::Sampled { sampler: *sampler, matches: self.matches.0, seed: self.seed }
            }
        };
        let mut search = Search::new(options, judge, measure);
        let mut checkpoint = Checkpoint::begin(self.out.as_deref())?;
        checkpoint.resume(|text| search.resume(text))?;
        let pool = self.threads.pool()?;
        let unit = if options.method == Method::Exhaustive { "parts" } else { "rules" };
        let begun = Instant::now();
        let mut progress = Progress::patient(search.progress().most, unit, self.quiet);
        loop {
            let going = pool.run(|| search.step());
            let position = search.progress();
            let best = position.best.map_or_else(String::new, |best| format!("best {best:+.4}"));
            progress.show(position.done.min(position.most), &best);
            if !going {
                break;
            }
            checkpoint.pass(|| search.save()).inspect_err(|_| progress.finish())?;
        }
        progress.finish();
        checkpoint.end();
        let proven = options.method == Method::Exhaustive;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(Found { records: search.records().clone(), seconds, proven })
    }
}
