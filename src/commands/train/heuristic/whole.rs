//! A joint search of the lists for all streets of a game.

use std::sync::Arc;
use std::time::Instant;

use evaluation::practice::Practice;
use evaluation::{Settings, SettingsError};
use game::{Betting, GameDef};
use learners::heuristic::{Rates, RulebookOptions, RulebookSearch, statements};
use logs::Rate;
use logs::folder::write_whole;
use matches::games::load_game;
use matches::stop::Stop;
use models::heuristic::Rulebook;
use protocol::acpc::gamedef::Reading;
use serde_json::json;
use show::number::whole;

use super::Args;
use super::checkpoint::Checkpoint;
use super::opponent::{CATEGORIES, at};
use crate::exit::Failure;
use crate::output::Output;
use crate::progress::Progress;

/// The default start of a search: always fold.
const NOTHING: &str = "[preflop]\nfold\n[flop]\nfold\n[turn]\nfold\n[river]\nfold\n";

/// Hands for measuring the result, on deals of another seed.
const CHECK: u64 = 200_000;

/// Runs the command: searches the lists and prints the best.
pub(super) fn run(args: &Args, game: &str) -> Result<Output, Failure> {
    let def = load_game(game, Reading::Strict).map_err(Failure::input)?;
    if !solvers::response::in_tree::is_holdem(&def) {
        return Err(Failure::input(anyhow::anyhow!(
            "--game {game}: lists are for heads-up hold'em, limit or no-limit"
        )));
    }
    let usual = match def.betting {
        Betting::Limit => CATEGORIES,
        Betting::NoLimit => "cfr",
    };
    let opponent = args.opponent.as_deref().unwrap_or(usual);
    let start = match &args.start {
        None => Rulebook::parse(NOTHING).expect("four streets"),
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| at(path, &error))?;
            let book = Rulebook::parse(&text).and_then(|book| {
                book.require(&game::Street::ALL)?;
                book.check(def.betting)?;
                Ok(book)
            });
            book.map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", path.display())))?
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
        win_rates: args.win_rates || def.betting == Betting::NoLimit,
        rounds: args.rounds.0,
        deals: args.deals.0,
        seed: args.seed,
    };
    let agent = args.named.resolve_with_policy(opponent)?;
    agent.prepare(&def, args.deals.0);
    let policy = agent.policy(&def).map_err(Failure::input)?;
    let policy = policy.expect("only agents with a policy are let through");
    let search = RulebookSearch::new(options, &format!("{game} against {opponent}"), start);
    let table = Table { def: &def, opponent: &*policy, args };
    let begun = Instant::now();
    let search = table.search(search, options)?;
    let seconds = begun.elapsed().as_secs_f64();
    // Measure on other deals than those of the search.
    let stop = Stop::new();
    let fresh = table.practice(search.best(), CHECK, args.seed.wrapping_add(1 << 32))?;
    let found = fresh.rates(std::slice::from_ref(search.best()), CHECK / 2, &stop);
    let found = found.map_err(Failure::input)?.expect("nobody stops it");
    if let Some(out) = &args.out {
        write_whole(out, |to| write!(to, "{}", search.best())).map_err(|error| at(out, &error))?;
    }
    let count = statements(search.best());
    if args.json {
        let document = json!({
            "schema": "cardroom-train-heuristic-game/1",
            "game": game,
            "opponent": opponent,
            "statements": count,
            "rules": search.best().to_string(),
            "rate": found[0],
            "books": search.rulebooks(),
            "rounds": search.round(),
            "seconds": seconds,
            "course": search.learning_curve(),
        });
        Output::json(&document)
    } else {
        Ok(Output::from(format!(
            "{count} statements for {game} against {opponent}: {} rules in {} rounds, {seconds:.0} \
             s\n\n{}\n\
             On {} other hands: {}\n",
            whole(search.rulebooks()),
            search.round(),
            search.best(),
            whole(CHECK),
            wins(&found[0])
        )))
    }
}

fn wins(rate: &Rate) -> String {
    format!(
        "{:+.0} mbb/hand with a 95 % interval of {:+.0} to {:+.0}",
        rate.mbb, rate.interval.low, rate.interval.high
    )
}

/// The game and opponent that rulebooks are measured in.
struct Table<'a> {
    def: &'a Arc<GameDef>,
    opponent: &'a dyn game::Policy,
    args: &'a Args,
}

impl Table<'_> {
    fn practice(&self, book: &Rulebook, hands: u64, seed: u64) -> Result<Practice<'_>, Failure> {
        let settings = Settings { hands, seed, jobs: self.args.threads.count() };
        let practice = Practice::new(self.def, self.opponent, book.dry(), settings);
        practice.map_err(|error| match error {
            SettingsError::Hands(_) => Failure::usage(format!("--deals: {error}")),
            error @ SettingsError::Players(_) => Failure::input(error),
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
        let rates: &mut Rates<'_, models::heuristic::HeuristicError> = &mut rates;
        let mut progress = Progress::patient(options.rounds, "rounds", self.args.quiet);
        loop {
            let going = search.step(rates).map_err(Failure::input)?;
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
