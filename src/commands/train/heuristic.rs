//! `cardroom train rules`: searches rules that win most from an opponent, for one street of
//! limit hold'em or for all streets of a game.

use std::fmt;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use abstraction::facts::Texture;
use evaluation::Settings;
use evaluation::counting::count;
use evaluation::practice::Practice;
use game::{Betting, GameDef, Street, games};
use logs::Rate;
use matches::games::{load_game, without_discards};
use matches::runner::Stop;
use protocol::acpc::gamedef::Reading;
use readable::heuristic::fitness::{FactClasses, Sampler};
use readable::heuristic::search::{
    Finished, Found, MeanWinnings, Measure, Measurement, Method, Opponent, Options, Rates,
    RuleEvaluator, RulebookImprovement, RulebookOptions, RulebookSearch, Search, StreetReport,
    cross_results, sampled, statements,
};
use readable::heuristic::{Heuristic, RuleScope, Rulebook};
use runs::write_whole;
use serde::Serialize;
use show::number::whole;
use solvers::counting::{ClassCounts, Counting};

use crate::arguments::{Given, Threads};
use crate::config::units::Count;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::{self, Output, Report};
use crate::progress::Progress;
use crate::report;
use crate::resolve_names::Named;

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
        "rules", "response", "meet", "finish", "fitness", "matches", "table", "flops",
        "evaluations"])]
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
    equities: bool,
    /// The search; without it only the rules of --rule are measured
    #[arg(long, value_enum)]
    search: Option<Kind>,
    /// Maximum complexity, 3 to 20 [default: 9; for the exhaustive search 5, at most 7]
    #[arg(long, value_name = "N", requires = "search",
        value_parser = clap::value_parser!(u8).range(3..=20))]
    complexity: Option<u8>,
    /// Number of rules to measure, as in 20k; greedy and exhaustive search and chains end by
    /// themselves
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
    /// Also improve each measured rule by axis-aligned search, one value or action at a time
    #[arg(long)]
    finish: bool,
    /// How rules are measured: exactly, or by matches as published
    #[arg(long, value_enum, default_value = "exact")]
    fitness: Fitness,
    /// Matches per rule, for sampled fitness
    #[arg(long, value_name = "N", default_value = "400k")]
    matches: Count,
    /// The opponent: for one street an agent that plays limit hold'em by buckets, `call` or
    /// `random`; in a whole game any agent that can be asked for its strategy [default:
    /// cfr:blueprint=categories; `cfr` in no-limit games]
    #[arg(long, value_name = "AGENT")]
    against: Option<String>,
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
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
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
    /// A chain of rules, each of which adds a clause or a statement to the one before
    Chain,
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
            Kind::Chain => Method::Chain,
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
        (Some(game), _) => whole_game(args, game),
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
    let whole = ["statements", "rounds", "deals", "start", "equities"];
    args.given.refuse(&whole, "it is for --game")?;
    if matches!(args.search, Some(Kind::Greedy | Kind::Chain | Kind::Exhaustive)) {
        let why = "greedy and exhaustive search and chains end by themselves";
        args.given.refuse(&["evaluations"], why)?;
    }
    if args.rule.is_empty() && args.rules.is_empty() {
        args.given.refuse(&["finish"], "it improves the rules of --rule and --rules")?;
    }
    if args.fitness == Fitness::Sampled {
        args.given.refuse(&["finish"], "it is for exact fitness: leave --fitness out")?;
    }
    if args.search.is_none() {
        args.given.refuse(&["out"], "without --search no rule is found that could be written")?;
    }
    if args.fitness == Fitness::Exact && !args.meet {
        let why = "matches are played only with --fitness sampled or --meet";
        args.given.refuse(&["matches"], why)?;
    }
    let rules = args.rules(street)?;
    let opponent = args.find_opponent()?;
    let classes = FactClasses { texture: args.dry };
    let counts = args.counts(&opponent.counting(street, &classes))?;
    let evaluator = opponent.evaluator(street, &counts)?;
    let sampler = opponent.sampler(street, &classes);
    let worth = args.measure(&evaluator, &sampler, &rules);
    let measured = rules.iter().zip(worth).map(|(rule, worth)| {
        let response = || opponent.response(&evaluator, &counts, rule);
        Ok(Measurement {
            rule: rule.clone(),
            winnings: worth,
            best_response: args.response.then(response).transpose()?,
            finished: args.finish.then(|| args.finished(&evaluator, rule, most)),
        })
    });
    let measured = measured.collect::<Result<Vec<_>, readable::Error>>()?;
    let meetings = if args.meet {
        cross_results(&sampler, &rules, args.matches.0, args.seed)
    } else {
        Vec::new()
    };
    let search = |kind| {
        let (method, evaluations) = (Method::from(kind), args.evaluations.0);
        let options =
            Options { method, most, evaluations, seed: args.seed, cards_only: args.cards_only };
        args.search(options, &evaluator, &sampler)
    };
    let found = args.search.map(search).transpose()?;
    if let (Some(out), Some(found)) = (&args.out, &found)
        && let Some(best) = found.records.up_to(usize::MAX)
    {
        let book = Rulebook::new(args.dry).with_street(street, best.rule.clone());
        report::write(out, &book.to_string())?;
    }
    let (name, dry, out) = (args.opponent(), args.dry.to_string(), args.out.as_deref());
    let report =
        StreetReport::new(&evaluator, name, dry, &measured, &meetings, found.as_ref(), out);
    Output::report(&report, args.json)
}

impl Report for StreetReport<'_> {
    const SCHEMA: &'static str = "cardroom-train-heuristic/1";
}

impl Args {
    /// The name of the opponent.
    fn opponent(&self) -> &str {
        self.against.as_deref().unwrap_or(CATEGORIES)
    }

    /// Finds the opponent; an error if it does not play by buckets.
    fn find_opponent(&self) -> Result<Opponent, Failure> {
        let name = self.opponent();
        let simple = matches!(name, "call" | "random");
        let agent = self.named.resolve_with_policy(if simple { CATEGORIES } else { name })?;
        let strategy = agent.tree_strategy(&Arc::new(games::limit_holdem()))?;
        strategy.and_then(|strategy| Opponent::new(name, strategy)).ok_or_else(|| {
            Failure::input(anyhow::anyhow!(
                "`{name}` does not play by buckets: give --against `{CATEGORIES}`, `call`, \
                 `random`, or a file of `cardroom train cfr --menu limit` as cfr:blueprint=FILE"
            ))
        })
    }

    /// The counts of all deals, read from a file, or made and saved there.
    fn counts(&self, counting: &Counting<'_>) -> Result<ClassCounts, Failure> {
        if self.flops.is_some() {
            return self.count(counting);
        }
        let usual = || default_counts_path(counting.street, self.dry);
        let table = self.table.clone().unwrap_or_else(usual);
        match File::open(&table) {
            Ok(file) => counting.read(BufReader::new(file)).map_err(|error| {
                let remedy = "or give --table another file, and the deals are counted again";
                Failure::file(&table, format!("{error}; {remedy}"))
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                if let Some(folder) = table.parent() {
                    std::fs::create_dir_all(folder)
                        .map_err(|error| Failure::file(folder, error))?;
                }
                let counts = self.count(counting)?;
                write_whole(&table, |to| counting.write(&counts, to))
                    .map_err(|error| Failure::file(&table, error))?;
                Ok(counts)
            }
            Err(error) => Err(Failure::file(&table, error)),
        }
    }

    /// Counts the deals, with a progress display.
    fn count(&self, counting: &Counting<'_>) -> Result<ClassCounts, Failure> {
        let stop =
            interrupt::listen("stopping after the current flops; press Ctrl-C again to abort")?;
        let flops = self.flops.map(usize::from);
        let all = flops.unwrap_or_else(|| Counting::flops().len()) as u64;
        let mut progress = Progress::new(all, "flops", self.quiet);
        let counts = count(counting, flops, self.threads.count(), &stop, &mut |position| {
            progress.show(position.known as u64, "counting all deals, once");
        });
        progress.finish();
        counts.map_err(Failure::claim)?.ok_or_else(|| {
            interrupt::repeatable("stopped before all deals were counted; nothing is kept")
        })
    }

    /// The rules to measure.
    fn rules(&self, street: Street) -> Result<Vec<Heuristic>, Failure> {
        let scope = RuleScope { street, betting: game::Betting::Limit };
        let read = |text: &String| {
            let rule = Heuristic::parse(text).and_then(|rule| rule.check(scope).map(|()| rule));
            rule.map_err(|error| Failure::input(anyhow::anyhow!("--rule `{text}`: {error}")))
        };
        let listed = |path: &PathBuf| {
            let wrong = |error| Failure::file(path, error);
            let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, error))?;
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
        evaluator: &RuleEvaluator,
        sampler: &Sampler<'_>,
        rules: &[Heuristic],
    ) -> Vec<MeanWinnings> {
        match self.fitness {
            Fitness::Exact => {
                let exact = |rule| MeanWinnings { mean: evaluator.value(rule), error: 0.0 };
                rules.iter().map(exact).collect()
            }
            Fitness::Sampled => sampled(sampler, rules, self.matches.0, self.seed),
        }
    }

    /// What axis-aligned search makes of a rule.
    fn finished(&self, evaluator: &RuleEvaluator, rule: &Heuristic, most: usize) -> Finished {
        let options = Options {
            method: Method::Axis,
            most,
            evaluations: self.evaluations.0,
            seed: self.seed,
            cards_only: self.cards_only,
        };
        let mut search = Search::new(options, evaluator, Measure::Exact);
        let (rule, value) = search.improve(rule);
        Finished { rule, value, evaluations: search.records().evaluations() }
    }

    fn search(
        &self,
        options: Options,
        evaluator: &RuleEvaluator,
        sampler: &Sampler<'_>,
    ) -> Result<Found, Failure> {
        let measure = match self.fitness {
            Fitness::Exact => Measure::Exact,
            Fitness::Sampled => {
                Measure::Sampled { sampler: *sampler, matches: self.matches.0, seed: self.seed }
            }
        };
        let mut search = Search::new(options, evaluator, measure);
        let mut checkpoint = Checkpoint::begin(self.out.as_deref())?;
        checkpoint.resume(|text| search.resume(text))?;
        let pool = self.threads.pool()?;
        let unit = match options.method {
            Method::Exhaustive => "parts",
            Method::Greedy | Method::Chain => "steps",
            Method::Axis | Method::Genetic | Method::Anneal => "rules",
        };
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
        Ok(search.found(begun.elapsed().as_secs_f64()))
    }
}

/// The default opponent.
const CATEGORIES: &str = "cfr:blueprint=categories";

/// The default file for counts.
fn default_counts_path(street: Street, texture: Texture) -> PathBuf {
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '-' };
    let texture: String = texture.to_string().chars().map(plain).collect();
    PathBuf::from(format!("data/fitness/{street}-{texture}.counts"))
}

/// The default start of a search: always fold.
const NOTHING: &str = "[preflop]\nfold\n[flop]\nfold\n[turn]\nfold\n[river]\nfold\n";

/// Hands for measuring the result, on deals of another seed.
const CHECK: u64 = 200_000;

/// Searches the lists of all streets of a game and prints the best.
fn whole_game(args: &Args, game: &str) -> Result<Output, Failure> {
    let def = load_game(game, Reading::Strict)?;
    without_discards(game, &def)?;
    if !solvers::holdem::is_holdem(&def) {
        return Err(Failure::input(anyhow::anyhow!(
            "--game {game}: lists are for heads-up hold'em, limit or no-limit"
        )));
    }
    let usual = match def.betting {
        Betting::Limit => CATEGORIES,
        Betting::NoLimit => "cfr",
    };
    let opponent = args.against.as_deref().unwrap_or(usual);
    let start = match &args.start {
        None => Rulebook::parse(NOTHING).expect("four streets"),
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, error))?;
            let book = Rulebook::parse(&text).and_then(|book| {
                book.require(&game::Street::ALL)?;
                book.check(def.betting)?;
                Ok(book)
            });
            book.map_err(|error| Failure::file(path, error))?
        }
    };
    if statements(&start) > usize::from(args.statements) {
        return Err(Failure::usage(format!(
            "--start has {} statements, more than --statements {}",
            statements(&start),
            args.statements
        )));
    }
    let options = RulebookOptions {
        betting: def.betting,
        statements: usize::from(args.statements),
        equities: args.equities || def.betting == Betting::NoLimit,
        rounds: args.rounds.0,
        deals: args.deals.0,
        seed: args.seed,
    };
    let agent = args.named.resolve_with_policy(opponent)?;
    agent.prepare(&def, args.deals.0);
    let policy = agent.policy(&def)?;
    let policy = policy.expect("only agents with a policy are let through");
    let search = RulebookSearch::new(options, &format!("{game} against {opponent}"), start);
    let whole_game = WholeGame { def: &def, opponent: &*policy, args };
    let begun = Instant::now();
    let search = whole_game.search(search, options)?;
    let seconds = begun.elapsed().as_secs_f64();
    // Measure on other deals than those of the search.
    let stop = Stop::new();
    let fresh = whole_game.practice(search.best(), CHECK, args.seed.wrapping_add(1 << 32))?;
    let found = fresh.rates(std::slice::from_ref(search.best()), CHECK / 2, &stop);
    let found = found?.expect("nobody stops it");
    if let Some(out) = &args.out {
        report::write(out, &search.best().to_string())?;
    }
    let report = GameReport {
        game,
        opponent,
        statements: statements(search.best()),
        rules: search.best().to_string(),
        rate: &found[0],
        books: search.rulebooks(),
        rounds: search.round(),
        seconds,
        course: search.learning_curve(),
    };
    Output::report(&report, args.json)
}

/// The lists of all streets of a game that a search found.
#[derive(Serialize)]
struct GameReport<'a> {
    game: &'a str,
    opponent: &'a str,
    statements: usize,
    rules: String,
    /// The winnings on other deals than those of the search.
    rate: &'a Rate,
    books: u64,
    rounds: u64,
    seconds: f64,
    course: &'a [RulebookImprovement],
}

impl Report for GameReport<'_> {
    const SCHEMA: &'static str = "cardroom-train-heuristic-game/1";
}

impl fmt::Display for GameReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GameReport { game, opponent, statements, rules, rate, books, rounds, seconds, .. } =
            self;
        writeln!(
            f,
            "{statements} statements for {game} against {opponent}: {} rules in {rounds} rounds, \
             {seconds:.0} s\n\n{rules}\n\
             On {} other hands: {:+.0} mbb/hand with a 95 % interval of {:+.0} to {:+.0}",
            whole(*books),
            whole(CHECK),
            rate.mbb,
            rate.interval.low,
            rate.interval.high
        )
    }
}

/// The game and opponent that rulebooks are measured in.
struct WholeGame<'a> {
    def: &'a Arc<GameDef>,
    opponent: &'a dyn game::Policy,
    args: &'a Args,
}

impl WholeGame<'_> {
    fn practice(&self, book: &Rulebook, hands: u64, seed: u64) -> Result<Practice<'_>, Failure> {
        let settings = Settings { hands, seed, jobs: self.args.threads.count() };
        let practice = Practice::new(self.def, self.opponent, book.dry(), settings);
        practice.map_err(|error| {
            let usage = error.is_usage();
            if usage { Failure::usage(format!("--deals: {error}")) } else { Failure::input(error) }
        })
    }

    fn search(
        &self,
        mut search: RulebookSearch,
        options: RulebookOptions,
    ) -> Result<RulebookSearch, Failure> {
        let mut checkpoint = Checkpoint::begin(self.args.out.as_deref())?;
        checkpoint.resume(|text| search.resume(text))?;
        let stop = checkpoint.stop().clone();
        let practice = self.practice(search.best(), 2 * options.deals, options.seed)?;
        let mut rates = |rulebooks: &[Rulebook], deals: u64| {
            let found = practice.rates(rulebooks, deals, &stop)?;
            Ok(found.map(|found| found.iter().map(|rate| rate.mbb).collect()))
        };
        let rates: &mut Rates<'_, readable::Error> = &mut rates;
        let mut progress = Progress::patient(options.rounds, "rounds", self.args.quiet);
        loop {
            let going = search.step(rates)?;
            let best = search.learning_curve().last();
            let best =
                best.map_or_else(String::new, |step| format!("best {:+.0} mbb/hand", step.value));
            progress.show(search.round(), &best);
            checkpoint.pass(|| search.save()).inspect_err(|_| progress.finish())?;
            if !going {
                break;
            }
        }
        progress.finish();
        checkpoint.end();
        Ok(search)
    }
}

/// Time between writes of the state.
const PERIOD: Duration = Duration::from_secs(60);

/// The file `FILE.search`, if there is an output `FILE`, and the stop flag.
struct Checkpoint {
    file: Option<runs::Checkpoint>,
    stop: Stop,
}

impl Checkpoint {
    /// Starts the checkpoint of a search for this file. From now on the first Ctrl-C saves the
    /// search.
    fn begin(out: Option<&Path>) -> Result<Checkpoint, Failure> {
        let stop = interrupt::listen("saving the search; press Ctrl-C again to abort")?;
        let file = out.map(|out| runs::Checkpoint::new(runs::beside(out, ".search"), PERIOD));
        Ok(Checkpoint { file, stop })
    }

    fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Passes the saved state to `resume`, if there is one.
    fn resume<E: std::fmt::Display>(
        &self,
        resume: impl FnOnce(&str) -> Result<(), E>,
    ) -> Result<(), Failure> {
        let Some(file) = &self.file else { return Ok(()) };
        let Some(bytes) = file.read().map_err(|error| Failure::file(file.path(), error))? else {
            return Ok(());
        };
        resume(&String::from_utf8_lossy(&bytes)).map_err(|error| Failure::file(file.path(), error))
    }

    /// Writes the state if it is due. An error ends the command after a stop.
    fn pass(
        &mut self,
        state: impl FnOnce() -> Result<String, toml::ser::Error>,
    ) -> Result<(), Failure> {
        let stopped = self.stop.asked();
        if let Some(file) = self.file.as_mut().filter(|file| stopped || file.due()) {
            let state = state().map_err(|error| {
                Failure::file(file.path(), format!("the search cannot be saved: {error}"))
            })?;
            file.write(|to| to.write_all(state.as_bytes()))
                .map_err(|error| Failure::file(file.path(), error))?;
        }
        match &self.file {
            _ if !stopped => Ok(()),
            Some(file) => Err(interrupt::stopped(&format!("saved in {}", file.path().display()))),
            None => Err(Failure::interrupted(
                "stopped; with --out a search is saved and can be resumed",
            )),
        }
    }

    /// Removes the file when the search is done.
    fn end(mut self) {
        if let Some(file) = &mut self.file {
            file.remove();
        }
    }
}
