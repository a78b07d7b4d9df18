//! Showing the report of a match.

use std::iter::Peekable;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agents::{Registry, StrategyQuery};
use game::ValueFunction;
use logs::estimate::{Estimates, Observed};
use logs::stats::{AllIn, Checks, Expected, Report, text};
use logs::{HandRecord, Tally, folder};
use matches::play::Played;
use matches::stop::Stop;

use crate::exit::Failure;
use crate::output::{Output, Shown};
use crate::progress::Progress;
use crate::shell;
use crate::source::{Settled, Source, SourceError};

/// The most hands of a match whose ledger is read again after playing, for the expectation of its
/// all-ins; larger ones are left to `cardroom stats`.
const READ_AGAIN: u64 = 100_000;

/// The most boards to evaluate for that: a second or two.
const BOARDS: u64 = 100_000_000;

/// The most hands for which estimates use the values of a blueprint by default: some minutes.
const VALUED_HANDS: u64 = 200_000;

/// The value function behind estimates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Values {
    /// The shipped blueprint's, if there is one for the game and hands are not too many.
    Auto,
    /// The shipped blueprint's.
    Blueprint,
    /// The one for all games, based on equity in the pot.
    Equity,
    /// The shipped blueprint's, with the strategies of the agents that played where they provide
    /// them.
    Agents(StrategyQuery),
    /// That of a blueprint file.
    File(PathBuf),
}

/// The statistics computed from recorded hands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effort {
    /// The most boards to evaluate for the expectation of all-ins.
    pub(crate) boards: u64,
    /// Whether to make estimates with reduced variance, if the game allows.
    pub(crate) estimates: bool,
    /// The number of imagined hole cards for each hand; 0 for none.
    pub(crate) imagine: usize,
    /// The value function for estimates.
    pub(crate) values: Values,
}

/// The sums over all hands of a source.
pub(crate) struct Added {
    pub(crate) tally: Tally,
    pub(crate) estimates: Option<Estimates>,
    pub(crate) checks: Checks,
}

impl Added {
    /// Makes the report of these sums.
    pub(crate) fn report(
        &self,
        source: &Source,
        half_width: Option<f64>,
    ) -> Result<Report, Failure> {
        let decisions = source.decisions()?;
        let rule = source.stop_rule()?;
        let report = Report::new(source.info(), &self.tally, decisions.as_ref(), half_width)
            .with_stop_rule(rule.as_ref(), &self.tally)
            .with_checks(&self.checks, source.score()?.as_deref());
        Ok(match &self.estimates {
            Some(estimates) => report.with_estimates(estimates, &self.tally),
            None => report,
        })
    }
}

/// Shows a match's report, written to `report.json` if the match has a folder.
pub(crate) fn show(played: &Played, folder: Option<&Path>, json: bool) -> Result<Output, Failure> {
    let outcome = &played.outcome;
    if let Some(path) = folder.filter(|_| outcome.hands <= READ_AGAIN) {
        return show_folder(path, json);
    }
    let report = Report::new(&played.info, &outcome.tally, Some(&outcome.decisions), None)
        .with_stop_rule(played.rule.as_ref(), &outcome.tally);
    finish(report, folder, json)
}

/// Shows the report of a match folder and writes it there.
pub(crate) fn show_folder(path: &Path, json: bool) -> Result<Output, Failure> {
    let source = Source::open(path, None)?;
    // Estimates take longer and are left to `cardroom stats`.
    let effort = Effort { boards: BOARDS, estimates: false, imagine: 0, values: Values::Equity };
    let added = add_up(&source, &effort, None, true)?;
    finish(added.report(&source, None)?, Some(path), json)
}

/// The report of a match folder with all estimates, written there; `None` when it was stopped.
pub(crate) fn estimate_folder(
    path: &Path,
    quiet: bool,
    stop: &Stop,
) -> Result<Option<Report>, Failure> {
    let source = Source::open(path, None)?;
    let effort = Effort { boards: u64::MAX, estimates: true, imagine: 0, values: Values::Auto };
    let Some(added) = add_up_until(&source, &effort, None, quiet, stop)? else { return Ok(None) };
    let report = added.report(&source, None)?;
    keep(&report, path)?;
    Ok(Some(report))
}

/// Adds up all hands of a source. The registry provides the agents that played, if their strategies
/// with other cards are needed.
pub(crate) fn add_up(
    source: &Source,
    effort: &Effort,
    registry: Option<&Registry>,
    quiet: bool,
) -> Result<Added, Failure> {
    let added = add_up_until(source, effort, registry, quiet, &Stop::new())?;
    Ok(added.expect("nobody asks it to stop"))
}

/// [`add_up`], or `None` when it was stopped.
fn add_up_until(
    source: &Source,
    effort: &Effort,
    registry: Option<&Registry>,
    quiet: bool,
    stop: &Stop,
) -> Result<Option<Added>, Failure> {
    let settled = source.settled()?;
    let total = source.count()? + settled.len() as u64;
    let mut progress = Progress::patient(total, "hands", quiet);
    let mut tally = Tally::new(source.info());
    let mut estimates = estimates(source, effort, registry)?;
    let mut checks = Checks::default();
    let hands = Hands {
        all_in: (effort.boards > 0).then(|| AllIn::new(effort.boards)),
        records: source.hands()?.peekable(),
        settled: settled.into_iter().peekable(),
        estimated: estimates.is_some(),
        tally: &mut tally,
        checks: &mut checks,
        source,
    };
    let mut seen = |done: u64| {
        progress.show(done.min(total), "");
        if stop.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut end = ControlFlow::Continue(());
    match &mut estimates {
        Some(estimates) => end = estimates.add_all(hands, &mut seen)?,
        None => {
            for (done, hand) in (1..).zip(hands) {
                hand?;
                if done % 64 == 0 {
                    end = seen(done);
                }
                if end.is_break() {
                    break;
                }
            }
        }
    }
    progress.finish();
    Ok(end.is_continue().then_some(Added { tally, estimates, checks }))
}

/// An iterator over all hands of a source in order, each added to the tally as it is read.
struct Hands<'a> {
    source: &'a Source,
    records: Peekable<Box<dyn Iterator<Item = Result<HandRecord, SourceError>> + 'a>>,
    settled: Peekable<std::vec::IntoIter<Settled>>,
    tally: &'a mut Tally,
    checks: &'a mut Checks,
    all_in: Option<AllIn>,
    /// Whether decisions and baselines are needed too.
    estimated: bool,
}

impl Iterator for Hands<'_> {
    type Item = Result<Observed, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.records.peek().and_then(|record| record.as_ref().ok());
        let next = next.map_or(u64::MAX, |record| record.hand);
        if let Some(hand) = self.settled.next_if(|settled| settled.hand < next) {
            self.tally.add_settled(hand.entrants(), hand.payoffs());
            let Settled { seat, won, baseline, .. } = hand;
            return Some(Ok(Observed::Settled { seat, won, baseline }));
        }
        let record = self.records.next()?;
        Some(record.map_err(Failure::input).and_then(|record| self.add(record)))
    }
}

impl Hands<'_> {
    fn add(&mut self, record: HandRecord) -> Result<Observed, Failure> {
        self.checks.add(&record);
        let expected = self.all_in.as_mut().map(|all_in| all_in.expected(&record));
        self.tally.add_adjusted(&record, expected.and_then(Expected::payoffs));
        let (decisions, baseline) = match self.estimated {
            true => (self.source.decisions_of(&record)?, self.source.baseline(&record)?),
            false => (Vec::new(), None),
        };
        baseline.into_iter().for_each(|won| self.checks.add_baseline(won));
        Ok(Observed::Hand { record, decisions, baseline })
    }
}

/// Empty estimates of the first entrant's rate; `None` if they are not wanted or not possible in
/// the game.
fn estimates(
    source: &Source,
    effort: &Effort,
    registry: Option<&Registry>,
) -> Result<Option<Estimates>, Failure> {
    let info = source.info();
    let Some(estimates) = Estimates::new(info, 0).filter(|_| effort.estimates) else {
        return Ok(None);
    };
    let estimates = match values(source, &effort.values, registry)? {
        Some(values) => {
            values.prepare(source.count()?);
            estimates.valued_by(values)
        }
        None => estimates,
    };
    let Some(registry) = registry.filter(|_| effort.imagine > 1) else {
        return Ok(Some(estimates));
    };
    let name = &info.entrants[0].agent;
    let agent = registry.resolve(name).map_err(Failure::input)?;
    let policy = agent.policy(&Arc::new(info.game.clone())).map_err(Failure::input)?;
    let policy = policy.ok_or_else(|| {
        Failure::input(anyhow::anyhow!(
            "`{name}` cannot be asked what it would do with other cards: leave out --imagine"
        ))
    })?;
    Ok(Some(estimates.imagining(policy, effort.imagine)))
}

/// The value function of a blueprint, if one is wanted.
fn values(
    source: &Source,
    wanted: &Values,
    registry: Option<&Registry>,
) -> Result<Option<Arc<dyn ValueFunction>>, Failure> {
    let info = source.info();
    let def = &info.game;
    let none = || {
        Failure::input(anyhow::anyhow!(
            "no blueprint ships for the game of {}: name the file of one as --values FILE, or \
             leave out --values",
            info.name
        ))
    };
    // Programs and agents that cannot be resolved are replaced by the blueprint.
    let names = [0, 1].map(|entrant: usize| info.entrants[entrant].agent.as_str());
    let policies = || {
        names.map(|name| {
            let agent = registry?.resolve(name).ok()?;
            agent.policy(&Arc::new(def.clone())).ok().flatten()
        })
    };
    match wanted {
        Values::Auto if source.count()? <= VALUED_HANDS => Ok(agents::shipped_values(def)),
        Values::Auto | Values::Equity => Ok(None),
        Values::Blueprint => agents::shipped_values(def).map(Some).ok_or_else(none),
        &Values::Agents(asked_for) => {
            let values = agents::values_between(def, policies(), names, asked_for);
            values.map(Some).ok_or_else(none)
        }
        Values::File(path) => {
            let values = agents::values_of_file(path).map_err(Failure::input)?;
            values.check_game(def).map_err(|error| {
                Failure::input(anyhow::anyhow!("{}: {error}: leave out --values", path.display()))
            })?;
            Ok(Some(values))
        }
    }
}

/// A report with the folder it is written to.
struct Finished<'a> {
    report: Report,
    folder: Option<&'a Path>,
}

impl Shown for Finished<'_> {
    fn text(&self) -> String {
        let kept = self.folder.map(|path| format!("\nkept in {}\n", shell::path(path)));
        text::render(&self.report) + &kept.unwrap_or_default()
    }

    fn document(&self) -> impl serde::Serialize {
        &self.report
    }
}

impl Shown for Report {
    fn text(&self) -> String {
        text::render(self)
    }

    fn document(&self) -> impl serde::Serialize {
        self
    }
}

/// Writes a report if it has a folder, and shows it.
fn finish(report: Report, folder: Option<&Path>, json: bool) -> Result<Output, Failure> {
    if let Some(path) = folder {
        keep(&report, path)?;
    }
    Output::of(&Finished { report, folder }, json)
}

/// Writes `report.json` into a match folder.
pub(crate) fn keep(report: &Report, path: &Path) -> Result<(), Failure> {
    let file = path.join(folder::REPORT);
    folder::write_whole(&file, |out| writeln!(out, "{}", report.to_json()))
        .map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", file.display())))
}

/// Writes a file, such as a picture, completely or not at all.
pub(crate) fn write(path: &Path, content: &str) -> Result<(), Failure> {
    folder::write_whole(path, |out| out.write_all(content.as_bytes()))
        .map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", path.display())))
}
