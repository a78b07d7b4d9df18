//! Showing the report of a match.

use std::collections::{BTreeSet, HashMap};
use std::iter::Peekable;
use std::ops::ControlFlow;
use std::path::Path;

use agents::Registry;
use game::Payoff;
use logs::estimate::{Observed, Part};
use logs::ledger::Integrity;
use logs::stats::{AllIn, Checks, Expected, HandLists, Remarkable, Report, SingleHand};
use logs::{DecisionRecord, HandRecord, LedgerReader, Tally, folder};
use matches::estimates::{Estimated, Extent, Keeper, Match, Prepared, Values, Wanted};
use matches::play::Played;
use matches::runner::Stop;
use matches::source::{HandsAndDecisions, Settled, Source};

use crate::exit::Failure;
use crate::output::{Output, warn};
use crate::progress::Progress;
use crate::shell;

/// The most hands of a match whose ledger is read again after playing, for the expectation of its
/// all-ins; larger ones are left to `cardroom stats`.
const READ_AGAIN: u64 = 100_000;

/// The statistics computed from recorded hands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Effort {
    /// The most boards to evaluate for the expectation of all-ins.
    pub(crate) boards: u64,
    /// The estimates with reduced variance, if the game allows.
    pub(crate) estimates: Wanted,
    /// The number of hands to list: the worst, and those with the biggest pots.
    pub(crate) listed: [usize; 2],
}

impl Effort {
    /// The most boards that are evaluated without being asked for: some seconds.
    pub(crate) const AUTO_BOARDS: u64 = 500_000_000;

    /// Everything but estimates, which take longer and are left to `cardroom stats`. The all-in
    /// adjusted rate is the same as there.
    pub(crate) const WITHOUT_ESTIMATES: Effort =
        Effort { boards: Effort::AUTO_BOARDS, estimates: Wanted::NONE, listed: [0; 2] };
}

/// The sums over all hands of a source.
pub(crate) struct Added {
    pub(crate) tally: Tally,
    estimated: Option<Estimated>,
    lists: Option<HandLists>,
    checks: Checks,
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
            .with_checks(&self.checks, source.score()?.as_deref())
            .with_hands(self.lists.clone());
        Ok(match &self.estimated {
            Some(Estimated { rows, sample, .. }) => {
                report.with_estimates(rows, sample.clone(), &self.tally)
            }
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
    finish(&report, folder, json)
}

/// Shows the report of a match folder and writes it there.
pub(crate) fn show_folder(path: &Path, json: bool) -> Result<Output, Failure> {
    let source = Source::open(path, None, warn)?;
    let added = add_up(&source, &Effort::WITHOUT_ESTIMATES, None, None, json)?;
    finish(&added.report(&source, None)?, Some(path), json)
}

/// The report of a match folder with all estimates, written there; `None` when it was stopped.
pub(crate) fn estimate_folder(
    path: &Path,
    quiet: bool,
    stop: &Stop,
) -> Result<Option<Report>, Failure> {
    let source = Source::open(path, None, warn)?;
    let estimates = Wanted { extent: Extent::All, values: Values::Auto, ..Wanted::NONE };
    let effort = Effort { boards: u64::MAX, estimates, listed: [0; 2] };
    let added = add_up_until(&source, &effort, (None, None), quiet, stop)?;
    let Some(added) = added else { return Ok(None) };
    let report = added.report(&source, None)?;
    keep(&report, path)?;
    Ok(Some(report))
}

/// Adds up all hands of a source. The registry provides the agents that played, if their strategies
/// with other cards are needed; the keeper has the estimates of an earlier report.
pub(crate) fn add_up(
    source: &Source,
    effort: &Effort,
    registry: Option<&Registry>,
    keeper: Option<&Keeper>,
    quiet: bool,
) -> Result<Added, Failure> {
    let added = add_up_until(source, effort, (registry, keeper), quiet, &Stop::new())?;
    Ok(added.expect("nobody asks it to stop"))
}

/// [`add_up`], or `None` when it was stopped.
pub(crate) fn add_up_until(
    source: &Source,
    effort: &Effort,
    (registry, keeper): (Option<&Registry>, Option<&Keeper>),
    quiet: bool,
    stop: &Stop,
) -> Result<Option<Added>, Failure> {
    let settled = source.settled()?;
    let total = source.count()? + settled.len() as u64;
    let mut progress = Progress::patient(total, "hands", quiet);
    let wanted = &effort.estimates;
    let game = match wanted.extent {
        Extent::None => None,
        _ => Match::new(source, wanted, registry),
    };
    let kept = keeper.filter(|_| game.is_some()).and_then(|keeper| keeper.find(wanted));
    let prepare = |game: &Match<'_>| game.prepare(&mut || progress.show(0, ""));
    let mut prepared = game.as_ref().filter(|_| kept.is_none()).map(prepare).transpose()?;
    let mut tally = Tally::new(source.info());
    let mut checks = Checks::default();
    let [worst, biggest] = effort.listed;
    let mut remarkable = Remarkable::new(0, worst, biggest);
    let chosen = prepared.as_ref().map(|prepared| prepared.estimates.chosen());
    let corrected =
        move |deal: u64| chosen.is_some_and(|chosen| chosen.part(deal) == Part::Corrected);
    let hands = Hands {
        all_in: (effort.boards > 0).then(|| AllIn::new(effort.boards)),
        records: source.hands_and_decisions(corrected)?.peekable(),
        settled: settled.into_iter().peekable(),
        baselines: source.baselines()?,
        tally: &mut tally,
        checks: &mut checks,
        remarkable: &mut remarkable,
    };
    let mut seen = |done: u64| {
        progress.show(done.min(total), "");
        if stop.asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut end = ControlFlow::Continue(());
    match &mut prepared {
        Some(prepared) => end = prepared.estimates.add_all(hands, &mut seen)?,
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
    if end.is_break() {
        progress.finish();
        return Ok(None);
    }
    let mut estimated = kept;
    if let Some(prepared) = &prepared {
        let found = Estimated::all_hands(prepared);
        estimated = Some(match keeper {
            Some(keeper) => keeper.keep(wanted, found),
            None => found,
        });
    }
    let lists = match (game, &estimated) {
        _ if effort.listed == [0; 2] && wanted.luckiest == 0 => None,
        (Some(game), Some(Estimated { values, .. })) if prepared.is_none() => {
            let prepared = Prepared::every_deal(&game, Values::named(values))?;
            Some(lists(source, &remarkable, Some(&prepared))?)
        }
        _ => Some(lists(source, &remarkable, prepared.as_ref())?),
    };
    progress.finish();
    Ok(Some(Added { tally, estimated, lists, checks }))
}

/// The hands of these numbers, with what they gained by luck where there are estimates.
fn lists(
    source: &Source,
    remarkable: &Remarkable,
    prepared: Option<&Prepared>,
) -> Result<HandLists, Failure> {
    let luckiest: Vec<u64> =
        prepared.iter().flat_map(|prepared| prepared.estimates.luckiest()).collect();
    let wanted: BTreeSet<u64> =
        remarkable.worst().chain(remarkable.biggest()).chain(luckiest.iter().copied()).collect();
    let mut listed = HashMap::new();
    for record in source.records(&wanted)? {
        let luck = prepared.and_then(|prepared| prepared.estimates.luck(&record));
        if let Some(mut hand) = SingleHand::new(&record, 0, luck) {
            hand.explain = source.path().map(|path| {
                let (path, hand) = (path.display().to_string(), record.hand.to_string());
                shell::line(["cardroom", "explain", "decision", &path, &hand])
            });
            listed.insert(record.hand, hand);
        }
    }
    let list = |hands: &mut dyn Iterator<Item = u64>| {
        hands.filter_map(|hand| listed.get(&hand).cloned()).collect()
    };
    Ok(HandLists {
        name: source.info().entrants[0].name.clone(),
        worst: list(&mut remarkable.worst()),
        biggest: list(&mut remarkable.biggest()),
        luckiest: list(&mut luckiest.into_iter()),
    })
}

/// An iterator over all hands of a source in order, each added to the tally as it is read.
struct Hands<'a> {
    records: Peekable<HandsAndDecisions<'a>>,
    settled: Peekable<std::vec::IntoIter<Settled>>,
    baselines: HashMap<u64, Payoff>,
    tally: &'a mut Tally,
    checks: &'a mut Checks,
    remarkable: &'a mut Remarkable,
    all_in: Option<AllIn>,
}

impl Iterator for Hands<'_> {
    type Item = Result<Observed, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.records.peek().and_then(|record| record.as_ref().ok());
        let next = next.map_or(u64::MAX, |(record, _)| record.hand);
        if let Some(hand) = self.settled.next_if(|settled| settled.hand < next) {
            self.tally.add_together(hand.entrants(), hand.payoffs(), hand.together);
            let Settled { seat, won, baseline, together, .. } = hand;
            return Some(Ok(match together {
                0 | 1 => Observed::Settled { seat, won, baseline },
                hands => Observed::Together { won, hands },
            }));
        }
        let both = self.records.next()?;
        Some(both.map_err(Failure::input).map(|(record, decisions)| self.add(record, decisions)))
    }
}

impl Hands<'_> {
    fn add(&mut self, record: HandRecord, decisions: Vec<DecisionRecord>) -> Observed {
        self.checks.add(&record);
        self.remarkable.add(&record);
        let expected = self.all_in.as_mut().map(|all_in| all_in.expected(&record));
        self.tally.add_adjusted(&record, expected.and_then(Expected::payoffs));
        let baseline = self.baselines.get(&record.hand).copied();
        baseline.into_iter().for_each(|won| self.checks.add_baseline(won));
        Observed::Hand { record, decisions, baseline }
    }
}

/// A match's report as text or as its document, which names its own schema: it is `report.json`,
/// too.
pub(crate) fn output(report: &Report, json: bool) -> Result<Output, Failure> {
    if json { Output::json(report) } else { Ok(Output::from(report.to_string())) }
}

/// Writes a report if it has a folder, and shows it.
fn finish(report: &Report, folder: Option<&Path>, json: bool) -> Result<Output, Failure> {
    let Some(path) = folder else { return output(report, json) };
    keep(report, path)?;
    if json {
        return output(report, json);
    }
    Ok(Output::from(format!("{report}\nkept in {}\n", shell::path(path))))
}

/// Writes `report.json` into a match folder.
pub(crate) fn keep(report: &Report, path: &Path) -> Result<(), Failure> {
    let file = path.join(folder::REPORT);
    runs::write_whole(&file, |out| writeln!(out, "{}", report.to_json()))
        .map_err(|error| Failure::file(&file, error))
}

/// Writes a file, such as a picture, completely or not at all.
pub(crate) fn write(path: &Path, content: &str) -> Result<(), Failure> {
    runs::write_whole(path, |out| out.write_all(content.as_bytes()))
        .map_err(|error| Failure::file(path, error))
}

/// Verifies the hashes of a ledger's rows.
pub(crate) fn integrity(ledger: &LedgerReader, quiet: bool) -> Result<Integrity, Failure> {
    let mut progress = Progress::patient(ledger.count()?, "hands hashed", quiet);
    let integrity = ledger.integrity(&mut |done| progress.show(done, ""));
    progress.finish();
    Ok(integrity?)
}

/// Warns on standard error if hands were changed, removed or added.
pub(crate) fn warn_of_faults(source: &Source, quiet: bool) -> Result<(), Failure> {
    let found = source.ledger().map(|ledger| integrity(ledger, quiet)).transpose()?;
    if let Some(found) = found.filter(|found| !found.faults.is_empty()) {
        warn(&found.words());
    }
    Ok(())
}
