//! `cardroom evaluate`: the strength of an agent, measured in one of several ways.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{ValueEnum, value_parser};
use evaluation::Sampled;
use runs::Shard;
use solvers::holdem::best_response::FLOPS;

use crate::arguments::Given;
use crate::arguments::threads;
use crate::exit::Failure;
use crate::interrupt;
use crate::output::Output;
use crate::resolve_names::{Game, Named};
use crate::shell;

mod best_response;
mod duel;
mod lbr;
mod matches;

/// Measure the strength of an agent.
///
/// --by lbr: local best response, which knows the agent's strategy and looks one action ahead; a
/// lower bound on what can be won from the agent; for two-player hold'em. --by match: a duplicate
/// match against another agent. --by duel: the same at spots of play, with both strategies valued
/// over all hands instead of played out. --by exploiters: duplicate matches against bots with one
/// idea each, such as all-in with the best hands or overbets; for two-player games. --by panel: the
/// same, and matches against fold, call and cfr. --by best-response: the most that can be won from
/// the agent. It is exact in small games. In two-player hold'em it is limited to the bets of a
/// betting tree and either estimated on sampled flops, exact on all flops, or, for an opponent who
/// sees the agent's buckets instead of cards, exact over all deals. docs/evaluate.md explains the
/// figures and their cost.
///
/// A program (its path, or external:COMMAND) cannot be asked for its strategy. It is measured by
/// matches, exploiters or a panel, and by a panel unless --by says otherwise.
///
/// Results are kept in a folder (under data/evaluations unless --out is given). The same command
/// resumes an interrupted run and shows a finished run again; with more --hands it continues,
/// except for exploiters. --shard measures a part of the deals, flops or exploiters; other
/// processes or machines can measure the rest. Ctrl-C finishes the deals or flops in play; a second
/// Ctrl-C aborts. The best responses in a small game (seconds) and on buckets (a minute) are not
/// kept. Exit codes: 0 when finished, 3 on bad input, such as an agent that cannot be asked for its
/// strategy, 5 when an agent never answered in exploiters or a panel, or as --strict says, 130 when
/// interrupted.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    given: Given,
    /// The agent: a kind, KIND:ARGUMENT or a name from the configuration (see `cardroom agents
    /// list`), or the path of a program
    #[arg(value_name = "AGENT")]
    agent: String,
    /// How strength is measured [default: lbr; panel for programs]
    #[arg(long, value_enum)]
    by: Option<Measure>,
    /// Actions of local best response: fc (fold, call), fcr (also raise, limit games), fcpa (also
    /// bet the pot or all-in), 56 (also 56 bets from 1/20 of the pot to all-in) [default: fcpa, fcr
    /// in limit games]
    #[arg(long, value_name = "MOVES")]
    actions: Option<solvers::lbr::Moves>,
    /// The first street on which local best response uses --actions (it checks and calls before),
    /// or the street on which a duel is valued (before the flop that takes hours) [default: turn]
    #[arg(long, value_enum)]
    from: Option<FromStreet>,
    /// The opponent in a match or a duel
    #[arg(long, value_name = "AGENT", required_if_eq_any([("by", "match"), ("by", "duel")]))]
    against: Option<String>,
    /// Where all hands are valued: lines of play with less than this share of a spot's weight are
    /// sampled and weighted accordingly; 0 follows every line. From the turn on, 0.05 takes a tenth
    /// of the time [default: 0]
    #[arg(long, value_name = "SHARE")]
    sample_below: Option<f64>,
    /// Where all hands are valued: cards sampled at each deal; their mean counts. 48 or more
    /// follows all cards. Local best response values all hands of both players at each spot,
    /// instead of those dealt, if this is given [default in a duel: 1]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..))]
    cards: Option<u32>,
    /// What the best response in hold'em sees: its two cards, or only its bucket on each street,
    /// like `cfr`; the latter is exact, over all deals, for few buckets [default: cards]
    #[arg(long, value_enum)]
    sees: Option<Information>,
    /// Flops for the best response in hold'em: a number sampled from all 22,100, or `all` [default:
    /// 20]
    #[arg(long, value_name = "N|all")]
    flops: Option<Flops>,
    /// Bets of the best response in hold'em: a shipped menu (fc, fcpa, ladder, limit, overbet,
    /// reraise, small, standard) or a file [default: the agent's own betting tree, else fcpa, limit
    /// in limit games]
    #[arg(long, value_name = "NAME|FILE")]
    menu: Option<String>,
    /// Hands to play, two per deal; in exploiters and a panel against each opponent [default:
    /// 10000; 2000 in a panel]
    #[arg(long, value_name = "N")]
    hands: Option<u64>,
    /// Exit with 5 if a decision in a match was made for an agent that gave no answer, or its
    /// action was not legal
    #[arg(long)]
    strict: bool,
    /// Threads, at most 1024; the result does not depend on their number [default: one per
    /// processor; more are not used]
    #[arg(long, visible_alias = "jobs", value_name = "N",
        value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Seed for cards and the agent's decisions, at most 2^63 − 1
    #[arg(long, value_name = "SEED", default_value_t = 0,
        value_parser = value_parser!(u64).range(..1 << 63))]
    seed: u64,
    /// Measure only part i of N; join the parts with `cardroom merge`
    #[arg(long, value_name = "i/N")]
    shard: Option<Shard>,
    #[command(flatten)]
    game: Game,
    #[command(flatten)]
    named: Named,
    /// The folder for the results
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print one JSON document instead of tables
    #[arg(long)]
    json: bool,
    /// No progress display
    #[arg(long, short)]
    quiet: bool,
}

/// The measure of strength.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Measure {
    /// Local best response (Lisý and Bowling 2017)
    Lbr,
    /// A duplicate match against the agent named by --against
    Match,
    /// Both strategies valued over all hands and cards, at spots that the agent of --against
    /// reaches by playing itself, on the street of --from
    Duel,
    /// Duplicate matches against simple bots with one idea each: all-in with the best hands,
    /// overbets
    Exploiters,
    /// Duplicate matches against fold, call, these bots and cfr, as the agent sees them
    Panel,
    /// The best response: exact in games like Kuhn and Leduc poker, and inside a betting tree of
    /// hold'em
    BestResponse,
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

/// A street, as clap knows it.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FromStreet {
    /// Rounds 1 to 4
    Preflop,
    /// Rounds 2 to 4
    Flop,
    /// Rounds 3 and 4
    Turn,
    /// Round 4
    River,
}

impl FromStreet {
    fn street(self) -> game::Street {
        game::Street::ALL[self as usize]
    }
}

/// Runs the command: measures and prints.
pub fn run(args: &Args) -> Result<Output, Failure> {
    let by = args.measure()?;
    args.check_use(by)?;
    if args.sees == Some(Information::Buckets) {
        args.must_be_whole()?;
        return best_response::run_in_buckets(args);
    }
    match by {
        Measure::Lbr => lbr::run(args),
        Measure::Match => matches::run_match(args),
        Measure::Duel => duel::run(args),
        Measure::Exploiters => matches::run_exploiters(args, false),
        Measure::Panel => matches::run_exploiters(args, true),
        Measure::BestResponse => best_response::run(args),
    }
}

impl Args {
    /// The measurement: by default that which suits the agent. Refuses those that ask a program for
    /// its strategy.
    fn measure(&self) -> Result<Measure, Failure> {
        use Measure::{BestResponse, Duel, Lbr, Panel};
        let registry = self.named.registry()?;
        let mut agents = vec![self.agent.as_str()];
        if self.by == Some(Duel) {
            agents.extend(self.against.as_deref());
        }
        for name in agents {
            let agent = registry.resolve(name)?;
            if agent.has_policy() || !agent.runs_program() {
                continue;
            }
            match self.by {
                None => return Ok(Panel),
                Some(Lbr | Duel | BestResponse) => {
                    return Err(Failure::input(anyhow::anyhow!(
                        "`{name}` runs a program, which cannot be asked what it would do with \
                         other cards; measure it by matches: --by panel (against fold, call, \
                         exploiters and cfr), --by exploiters, or --by match --against AGENT"
                    )));
                }
                _ => {}
            }
        }
        Ok(self.by.unwrap_or(Lbr))
    }

    /// Refuses options of other measurements.
    fn check_use(&self, used: Measure) -> Result<(), Failure> {
        use Measure::{BestResponse, Duel, Exploiters, Lbr, Match, Panel};
        let options: [(&str, &[Measure]); 10] = [
            ("strict", &[Match, Exploiters, Panel]),
            ("actions", &[Lbr]),
            ("from", &[Lbr, Duel]),
            ("against", &[Match, Duel]),
            ("sample_below", &[Lbr, Duel]),
            ("cards", &[Lbr, Duel]),
            ("sees", &[BestResponse]),
            ("flops", &[BestResponse]),
            ("menu", &[BestResponse]),
            ("hands", &[Lbr, Match, Duel, Exploiters, Panel]),
        ];
        let wrong = |(field, of): &(&str, &[Measure])| self.given.has(field) && !of.contains(&used);
        let Some((field, of)) = options.into_iter().find(wrong) else { return Ok(()) };
        let option = format!("--{}", field.replace('_', "-"));
        let names = of.iter().filter_map(|by| Some(by.to_possible_value()?.get_name().to_owned()));
        let names: Vec<String> = names.map(|name| format!("--by {name}")).collect();
        Err(Failure::usage(format!("{option} is for {} only", names.join(" and "))))
    }

    /// The street of `--from`.
    fn street(&self) -> game::Street {
        self.from.unwrap_or(FromStreet::Turn).street()
    }

    /// The values of `--cards` and `--sample-below`.
    fn sampled(&self) -> Result<Sampled, Failure> {
        let below = self.sample_below.unwrap_or(0.0);
        if !(0.0..1.0).contains(&below) {
            return Err(Failure::usage(format!(
                "--sample-below is {below}, but must be from 0 to less than 1"
            )));
        }
        Ok(Sampled { cards: self.cards.unwrap_or(1), below })
    }

    fn hands(&self) -> u64 {
        self.hands.unwrap_or(10_000)
    }

    fn threads(&self) -> usize {
        threads(self.threads)
    }

    /// The folder for the results of a measurement with this name.
    fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        let Some(folder) = &self.out else {
            let data = self.named.load()?.config.server.data;
            return Ok(data.join("evaluations").join(name));
        };
        Ok(folder.clone())
    }

    /// The files that the agents are made from, and the configuration, where there is one.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>, Failure> {
        let names = [Some(&self.agent), self.against.as_ref()];
        let agents: Vec<String> = names.into_iter().flatten().cloned().collect();
        self.named.files(&agents)
    }

    /// Refuses `--shard` for measurements that cannot be split.
    fn must_be_whole(&self) -> Result<(), Failure> {
        let Some(shard) = self.shard else { return Ok(()) };
        Err(Failure::usage(format!(
            "--shard {shard}: this measurement is one computation and has no parts"
        )))
    }

    /// A note that says where the results are kept, and how parts are joined.
    fn kept_in(&self, folder: &Path) -> String {
        let kept = format!("\nkept in {}\n", shell::path(folder));
        let part = self.shard.map_or_else(String::new, |shard| {
            format!(
                "this is part {shard}: `cardroom merge` joins the parts, and the same command with \
                 the joined folder\nas --out, and without --shard, shows the whole\n"
            )
        });
        kept + &part
    }
}

/// The end of a measurement that was stopped, with the command that resumes it.
fn interrupted(done: impl fmt::Display, all: impl fmt::Display, what: &str) -> Failure {
    interrupt::stopped(&format!("stopped after {done} of {all} {what}"))
}
