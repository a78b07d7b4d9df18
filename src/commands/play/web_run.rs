//! What the commands have in common that play at a server with a web API: options, the progress bar
//! with what is said about outages, the result, and how a run ends.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::value_parser;
use game::escape::visible;
use logs::Entrant;
use logs::stats::report::EstimatesSection;
use matches::plan::fresh_seed;
use matches::runner::Stop;
use serde::Serialize;
use show::Table;
use show::number::{self, counted, whole};
use wire::web_run::{End, Outage, Pace, PerSeat, Progress, RunSettings, Server, Summary};

use crate::config::units::Time;
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::{Output, print};
use crate::progress;
use crate::report;
use crate::resolve_names::Named;
use crate::shell;
use crate::web::login::open_secret;

/// The options of every such run.
#[derive(clap::Args)]
pub(super) struct RunArgs {
    /// The agent: a kind, KIND:ARGUMENT or a name from the configuration (see `cardroom agents
    /// list`)
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// How long to retry before the server's first answer
    #[arg(long, value_name = "TIME", default_value = "20s")]
    connect_timeout: Time,
    /// How long an outage may last before the run stops, to be resumed later
    #[arg(long, value_name = "TIME", default_value = "6h")]
    give_up: Time,
    /// Time limit per decision, after which the hand is checked or folded [default: no limit]
    #[arg(long, value_name = "TIME")]
    deadline: Option<Time>,
    /// Seed for the agent [default: random for each new run]
    #[arg(long, value_name = "SEED", value_parser = value_parser!(u64).range(..1 << 63))]
    seed: Option<u64>,
    /// PEM file of additional certificates to trust: an authority's, or the server's own
    #[arg(long, value_name = "FILE")]
    certificates: Option<PathBuf>,
    /// The folder for the run [default: in the data folder, by agent and number of hands]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    named: Named,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

/// What is special about a run.
pub(super) struct Special<'a> {
    /// The server's URL.
    pub(super) host: &'a str,
    /// Hands to play.
    pub(super) hands: u64,
    /// Hands in play at once.
    pub(super) sessions: u16,
    /// The time limit for one answer.
    pub(super) timeout: Duration,
    /// Requests a second; 0 for no limit.
    pub(super) rate: f64,
    /// The first and the longest pause after a failure.
    pub(super) pauses: [Duration; 2],
    /// The other player, as recorded, and its name in that of the run.
    pub(super) opponent: (Entrant, &'a str),
}

impl RunArgs {
    /// The settings of a run.
    pub(super) fn settings(&self, special: Special<'_>) -> Result<RunSettings, Failure> {
        let loaded = self.named.load()?;
        let agent = self.named.resolve(&self.agent)?;
        let Special { host, hands, sessions, timeout, rate, pauses, opponent } = special;
        let (opponent, other) = opponent;
        let name = matches::plan::unique_names(std::slice::from_ref(&agent)).remove(0);
        let seed = self.seed.map_or_else(String::new, |seed| format!("-s{seed}"));
        let name = format!("{name}-vs-{other}{seed}-h{hands}");
        let plain = |c: char| if c.is_alphanumeric() || "-_.#".contains(c) { c } else { '_' };
        let name: String = name.chars().map(plain).collect();
        let data = &loaded.config.server.data;
        let folder = self.out.clone().unwrap_or_else(|| data.join("matches").join(&name));
        Ok(RunSettings {
            agent,
            hands,
            server: Server {
                url: host.to_owned(),
                timeout,
                certificates: self.certificates.clone(),
            },
            sessions: sessions.into(),
            pace: Pace {
                rate: (rate > 0.0).then_some(rate),
                first_pause: pauses[0],
                longest_pause: pauses[1],
                connect_timeout: self.connect_timeout.0,
                give_up: self.give_up.0,
            },
            seed: self.seed,
            deadline: self.deadline.map(|time| time.0),
            opponent,
            folder,
            name,
            provenance: provenance(),
        })
    }
}

/// A run that was played, as far as it went.
pub(super) struct Ended<D> {
    /// The result as text.
    pub(super) text: String,
    /// The result as JSON, and the name of its schema.
    pub(super) document: D,
    pub(super) schema: &'static str,
    /// Hands seen to their end, and those whose result is known.
    pub(super) played: u64,
    pub(super) done: u64,
    pub(super) end: Result<End, wire::Error>,
}

/// The JSON document of `--json`.
#[derive(Serialize)]
struct Document<'a, D> {
    schema: &'static str,
    #[serde(flatten)]
    summary: &'a D,
    /// The estimates of a complete run, as in `report.json`; `None` before.
    estimates: Option<&'a EstimatesSection>,
}

/// Plays a run with `play`, shows its progress, and prints the result. `announce` says what a run
/// at a server elsewhere does, given the hands that are played.
pub(super) fn run<D: Serialize>(
    args: &RunArgs,
    settings: &RunSettings,
    announce: impl FnOnce(u64) -> Vec<String>,
    play: impl FnOnce(u64, &Stop, &mut dyn FnMut(&Progress)) -> Result<Ended<D>, wire::Error>,
) -> Result<(), Failure> {
    let (folder, hands) = (&settings.folder, settings.hands);
    let mut announce = (!is_here(&settings.server.url)).then_some(announce);
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let mut bar = progress::Progress::new(hands, "hands", args.quiet);
    let seed = fresh_seed();
    let mut reported = ReportedState::default();
    let played = play(seed, &stop, &mut |progress| {
        if let Some(announce) = announce.take() {
            announce(progress.hands).iter().for_each(|line| bar.say(line));
        }
        reported.news(progress).iter().for_each(|line| bar.say(line));
        bar.show(progress.hands.min(hands), &note(progress, hands));
    });
    bar.finish();
    let Ended { text, document: summary, schema, played, done, end } = played.map_err(failure)?;
    let complete = matches!(end, Ok(End::Complete));
    if complete {
        interrupt::set_message("skipping the estimates; press Ctrl-C again to abort");
    }
    if !args.json && (end.is_ok() || played > 0) {
        print(&format!("{text}\n"))?;
    }
    let stats = shell::line(["cardroom", "stats", &folder.to_string_lossy()]);
    let mut report = None;
    if complete {
        matches::folder::rewrite(folder).map_err(Failure::input)?;
        if hands >= MANY_HANDS {
            bar.say(&format!(
                "estimating the win rate with less variance, from the cards and decisions of {}; \
                 Ctrl-C skips this, and `{stats}` does it later",
                counted(hands, "hand")
            ));
        }
        report = report::estimate_folder(folder, args.quiet, &stop)?;
    }
    if args.json && (end.is_ok() || played > 0) {
        let estimates = report.as_ref().and_then(|report| report.estimates.as_ref());
        let document = Document { schema, summary: &summary, estimates };
        Output::json(&document)?.print()?;
    } else if let Some(report) = &report {
        let kept = folder.join(logs::folder::REPORT);
        let kept = kept.display();
        print(&format!("\n{report}\nkept in {kept}; to see it again: {stats}\n"))?;
    }
    let resume = || format!("resume with: {}", interrupt::command_line());
    match end {
        Ok(End::Complete) if report.is_none() => Err(Failure::interrupted(format!(
            "all {hands} hands are played and kept; for the estimates: {stats}"
        ))),
        Ok(End::Complete) => Ok(()),
        Ok(End::Stopped) => Err(Failure::interrupted(format!(
            "stopped after {done} of {hands} hands; {}; for the estimates so far: {stats}",
            resume()
        ))),
        Err(error) if error.is_gone() => {
            Err(Failure::gone(anyhow::anyhow!("{error}; {}", resume())))
        }
        Err(error) if error.is_useless() => Err(Failure::claim(format!(
            "{error}; the run ends here, since further requests would be useless; once the \
             server answers as it should, {}",
            resume()
        ))),
        Err(error) => Err(failure(error)),
    }
}

/// From so many hands on, the estimates take more than two seconds.
const MANY_HANDS: u64 = 1000;

fn failure(error: wire::Error) -> Failure {
    if error.is_gone() {
        Failure::gone(error)
    } else if error.is_server_fault() {
        Failure::claim(error)
    } else {
        Failure::input(error)
    }
}

/// Whether the server is on this machine, where requests need no rate limit.
pub(super) fn is_here(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, host)| host);
    ["127.", "localhost", "[::1]"].iter().any(|here| host.starts_with(here))
}

/// How many hands are left, at which server, for what a run says before it begins.
pub(super) fn left_to_play(plan: &RunSettings, done: u64) -> (u64, String) {
    let left = plan.hands.saturating_sub(done);
    let hands = match done {
        0 => counted(left, "hand"),
        _ => format!("{} of {}, the rest of a run,", whole(left), counted(plan.hands, "hand")),
    };
    (left, format!("{hands} at {}", plan.server.url))
}

/// A range of times in seconds, in words.
pub(super) fn range_of_time([low, high]: [f64; 2]) -> String {
    match high {
        7200.0.. => format!("{:.0} to {:.0} hours", low / 3600.0, high / 3600.0),
        _ => format!("{:.0} to {:.0} minutes", low / 60.0, (high / 60.0).max(1.0)),
    }
}

/// How to stop and go on, in words.
pub(super) fn how_to_stop(plan: &RunSettings) -> String {
    format!(
        "Ctrl-C stops after the hands in play, and the same command goes on; every hand is kept in \
         {} when it ends",
        plan.folder.display()
    )
}

/// Reads the file with an account or a key, which only its owner can read.
pub(super) fn secret_file(path: &Path) -> Result<String, Failure> {
    let shown = path.display().to_string();
    let mut text = String::new();
    let read = open_secret(path).map_err(Failure::input)?.read_to_string(&mut text);
    read.map_err(|error| Failure::input(anyhow::anyhow!("{}: {error}", visible(&shown))))?;
    Ok(text)
}

/// Parses requests a second.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    let rate = text.strip_suffix("/s").unwrap_or(text).parse::<f64>().ok();
    let rate =
        rate.filter(|rate| rate.is_finite() && (*rate == 0.0 || (0.001..=1e6).contains(rate)));
    rate.ok_or_else(|| "write requests a second, as in 8 or 0.5; 0 for any number".into())
}

/// The state of a run that was reported last.
#[derive(Default)]
struct ReportedState {
    /// The outage reported last.
    away: Option<Outage>,
    /// The number of unusable answers reported.
    unusable: u64,
}

impl ReportedState {
    /// The messages to print now: one when an outage begins and one when it ends, one for each
    /// attempt while the server has not answered at all, and one for each unusable answer.
    fn news(&mut self, progress: &Progress) -> Vec<String> {
        let mut said = Vec::new();
        if let Some((unusable, what)) = &progress.unusable
            && *unusable > self.unusable
        {
            self.unusable = *unusable;
            said.push(format!("an answer cannot be used: {what}"));
        }
        let before = std::mem::replace(&mut self.away, progress.outage.clone());
        let paused = |outage: &Option<Outage>| {
            outage.as_ref().is_some_and(|outage| outage.paused && outage.answered)
        };
        let step = |outage: &Outage| (outage.attempt, outage.next.is_some());
        match (&before, &self.away) {
            (_, Some(outage)) if paused(&self.away) && !paused(&before) => said.push(format!(
                "the server does not answer, so all sessions pause and try again: {} ({}: {})",
                outage.reason,
                outage.url,
                waiting(outage)
            )),
            (None, Some(outage)) => said.push(silence(outage)),
            // Before the first answer, each pause is reported.
            (Some(before), Some(outage))
                if !outage.answered && outage.next.is_some() && step(before) != step(outage) =>
            {
                said.push(silence(outage));
            }
            (Some(before), None) => {
                let again = if before.answered { " again" } else { "" };
                let seconds = before.lasted.as_secs_f64();
                said.push(format!(
                    "the server answers{again}, after {seconds:.0} s; the run continues"
                ));
            }
            _ => {}
        }
        said
    }
}

/// The message that the server does not answer, and what is done about it.
fn silence(outage: &Outage) -> String {
    let why = match outage.reason.as_str() {
        "" => String::new(),
        reason => format!(": {reason}"),
    };
    let seconds = outage.lasted.as_secs();
    format!("{} has not answered for {seconds} s{why} ({})", outage.url, waiting(outage))
}

/// When the next attempt is made, and when attempts end.
fn waiting(outage: &Outage) -> String {
    let Outage { attempt, next, timeout, give_up_after, answered, .. } = outage;
    let when = match next {
        Some(next) => format!("in {:.1} s", next.as_secs_f64()),
        None => format!("in progress, for up to {} (--timeout)", Time(*timeout)),
    };
    let flag = if *answered { "--give-up" } else { "--connect-timeout" };
    let give_up_after = Time(*give_up_after);
    format!(
        "attempt {attempt} {when}; the first that fails after {give_up_after} without an answer is \
         the last ({flag})"
    )
}

/// The note beside the progress bar.
fn note(progress: &Progress, hands: u64) -> String {
    let rate = progress.rate.as_ref();
    let mut note = match rate.and_then(|rate| Some((rate, rate.any_time()?))) {
        Some((rate, interval)) => format!(
            "{:+.0} ± {:.0} mbb/hand, ± {:.0} expected at the end",
            rate.mbb,
            interval.half_width(),
            rate.expected_half_width(hands)
        ),
        None => String::new(),
    };
    if progress.unknown > 0 {
        note += &format!("; {} unknown", progress.unknown);
    }
    if let Some(outage) = &progress.outage {
        note += &format!("  no answer for {} s", outage.lasted.as_secs());
        note += &match outage.next {
            Some(next) => format!(", attempt {} in {:.0} s", outage.attempt, next.as_secs_f64()),
            None => format!(", attempt {} in progress", outage.attempt),
        };
    }
    note
}

/// The result of a run as text.
pub(super) fn show(summary: &Summary, name: &str) -> String {
    let Summary { agent, server, played, settled, unknown, chips, seats, .. } = summary;
    let known = played + settled;
    let all = PerSeat { hands: known, chips: *chips, rate: summary.rate };
    let mut table = Table::new([
        "raw result",
        "hands",
        "chips",
        "mbb/hand",
        "± at any time",
        "± at a fixed end",
        "bb/100",
        "deviation per hand",
    ]);
    for (place, part) in
        [("all hands", &all), ("in the big blind", &seats[0]), ("on the button", &seats[1])]
    {
        let mut row =
            vec![place.to_owned(), whole(part.hands), number::signed_grouped(part.chips as f64, 0)];
        match &part.rate {
            Some(rate) => row.extend([
                number::signed(rate.mbb, 1),
                rate.any_time().map_or("-".into(), |ends| format!("±{:.1}", ends.half_width())),
                format!("±{:.1}", rate.half_width()),
                number::signed(rate.bb_per_100(), 2),
                format!("{:.1} bb", rate.standard_error * (rate.groups as f64).sqrt() / 1000.0),
            ]),
            None => row.push("too few hands".to_owned()),
        }
        table.row(row);
    }
    let mut lines = vec![
        format!("{agent} against the server at {server}: {known} hands, {chips:+} chips ({name})"),
        String::new(),
        table.at_the_margin().right(1..).to_string(),
        String::new(),
        "95 % intervals: \"at any time\" holds wherever a run is stopped, \"at a fixed end\" only \
         after a number of hands that was chosen before"
            .to_owned(),
        format!(
            "hands seen to their end: {played}; settled by the session's sums: {settled}; unknown: \
             {unknown}, which move the rate by at most {:.1} mbb/hand",
            summary.unknown_bound
        ),
    ];
    let together = known.saturating_sub(seats[0].hands + seats[1].hands);
    if together > 0 {
        lines.push(format!(
            "  of those settled {together} are known only together, two or more at a time: they \
             are in the rate of all hands, and in none by seat"
        ));
    }
    if *unknown > 0 {
        lines.push(format!(
            "  of those unknown {} were seen (at most {:.1} mbb/hand), and {} dealt but never \
             seen, since the answer was lost regardless of the cards (at most {:.1})",
            summary.unknown_seen, summary.unknown_seen_bound, summary.unseen, summary.unseen_bound
        ));
    }
    if summary.server_chips != *chips {
        lines.push(format!(
            "by the server's sums {:+} chips, with {} in no rate: never seen, or settled too late",
            summary.server_chips,
            counted(summary.unseen_settled + summary.beyond, "hand")
        ));
    }
    if summary.beyond > 0 {
        lines.push(format!(
            "settled only when all hands were played, and in no rate: {}",
            summary.beyond
        ));
    }
    if summary.blind + summary.disturbed > 0 {
        lines.push(format!(
            "decisions made without the agent because an answer was lost: {}; hands with an action \
             played twice: {}",
            summary.blind, summary.disturbed
        ));
    }
    let answers = summary.answer_ms.map_or(String::new(), |ms| {
        format!(", {} for an answer (mean)", number::duration((ms * 1e6).round() as u64))
    });
    lines.push(format!(
        "sessions: {} ({} ended early); requests: {}{answers}; without a usable answer in this \
         run: {}",
        summary.sessions, summary.sessions_closed, summary.requests, summary.failures
    ));
    lines.join("\n")
}
