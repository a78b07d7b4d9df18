//! `cardroom play slumbot`: the benchmark match over the Slumbot API.

use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ValueEnum, value_parser};
use game::escape::visible;
use logs::stats::report::EstimatesSection;
use matches::program::SLUMBOT_PASSWORD;
use protocol::slumbot::PREFIXES;
use protocol::slumbot::client::Login;
use serde::Serialize;
use show::Table;
use show::number::{self, counted, whole};
use wire::slumbot::{
    End, LIVE, Outage, Pace, PerSeat, Played, Progress, Server, SlumbotRunSettings, Summary,
};

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

/// Play against Slumbot, or any server with its API.
///
/// Every hand is recorded as it ends, so the same command resumes a stopped or killed run. Exit
/// codes: 0 when all hands are played; 2 on a bad command line; 3 when the agent, the folder or the
/// server is bad; 4 when the server is unreachable for too long (resume with the same command); 5
/// when the server's answers contradict the cards, the betting, the sums or earlier answers, or are
/// repeatedly not in Slumbot's format; 130 when interrupted.
///
/// The account, if hands should count for one, is read from the file of --login (user name on the
/// first line, password on the second) or from CARDROOM_SLUMBOT_USERNAME and
/// CARDROOM_SLUMBOT_PASSWORD.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The agent: a kind, KIND:ARGUMENT or a name from the configuration (see `cardroom agents
    /// list`)
    #[arg(long, value_name = "NAME")]
    agent: String,
    /// Hands to play
    #[arg(long, value_name = "N", default_value_t = 150_000,
        value_parser = value_parser!(u64).range(1..1 << 53))]
    hands: u64,
    /// The server's URL
    #[arg(long, value_name = "URL", default_value = LIVE)]
    host: String,
    /// Prefix of the API's paths
    #[arg(long, value_name = "PREFIX", value_enum, default_value_t = Prefix::Auto)]
    prefix: Prefix,
    /// Parallel sessions, one hand in each
    #[arg(long, value_name = "N", default_value_t = 4,
        value_parser = value_parser!(u16).range(1..=256))]
    sessions: u16,
    /// Requests per second over all sessions; 0 for no limit [default: 8; no limit on this machine]
    #[arg(long, value_name = "R", value_parser = rate)]
    rate: Option<f64>,
    /// Time limit for one answer
    #[arg(long, value_name = "TIME", default_value = "30s")]
    timeout: Time,
    /// How long to retry before the server's first answer
    #[arg(long, value_name = "TIME", default_value = "20s")]
    connect_timeout: Time,
    /// How long an outage may last before the run stops, to be resumed later
    #[arg(long, value_name = "TIME", default_value = "6h")]
    give_up: Time,
    /// The first pause after a failure; it doubles each time up to a minute [default: 500ms; 10ms
    /// on this machine]
    #[arg(long, value_name = "TIME")]
    pause: Option<Time>,
    /// Time limit per decision, after which the hand is checked or folded [default: no limit]
    #[arg(long, value_name = "TIME")]
    deadline: Option<Time>,
    /// Seed for the agent [default: random for each new run]
    #[arg(long, value_name = "SEED", value_parser = value_parser!(u64).range(..1 << 63))]
    seed: Option<u64>,
    /// File with the account's user name and password, one per line
    #[arg(long, value_name = "FILE")]
    login: Option<PathBuf>,
    /// PEM file of additional certificates to trust: an authority's, or the server's own
    #[arg(long, value_name = "FILE")]
    certificates: Option<PathBuf>,
    /// The agent to play against, if the server is another cardroom
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
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

/// The prefixes of the API's paths.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Prefix {
    /// Detect it
    Auto,
    /// The older prefix
    #[value(name = "/api")]
    Api,
    /// The current prefix
    #[value(name = "/slumbot/api")]
    SlumbotApi,
}

fn rate(text: &str) -> Result<f64, String> {
    let rate = text.strip_suffix("/s").unwrap_or(text).parse::<f64>().ok();
    let rate =
        rate.filter(|rate| rate.is_finite() && (*rate == 0.0 || (0.001..=1e6).contains(rate)));
    rate.ok_or_else(|| "write requests a second, as in 8 or 0.5; 0 for any number".into())
}

/// Runs the command: plays the match.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let plan = plan(args)?;
    let folder = plan.folder.clone();
    let hands = plan.hands;
    let mut announced = (!is_here(&args.host)).then(|| plan.clone());
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let mut bar = progress::Progress::new(hands, "hands", args.quiet);
    let seed = RandomState::new().hash_one(0);
    let mut reported = ReportedState::default();
    let played = wire::slumbot::play_blocking(plan, seed, &stop, &mut |progress| {
        if let Some(plan) = announced.take() {
            announcement(&plan, progress.hands).iter().for_each(|line| bar.say(line));
        }
        reported.news(progress).iter().for_each(|line| bar.say(line));
        bar.show(progress.hands.min(hands), &note(progress, hands));
    });
    bar.finish();
    let Played { info, summary, end, .. } = played.map_err(failure)?;
    let complete = matches!(end, Ok(End::Complete));
    if complete {
        interrupt::set_message("skipping the estimates; press Ctrl-C again to abort");
    }
    if !args.json && (end.is_ok() || summary.played > 0) {
        print(&format!("{}\n", show(&summary, &info.name)))?;
    }
    let stats = shell::line(["cardroom", "stats", &folder.to_string_lossy()]);
    let mut report = None;
    if complete {
        matches::folder::rewrite(&folder).map_err(Failure::input)?;
        if hands >= MANY_HANDS {
            bar.say(&format!(
                "estimating the win rate with less variance, from the cards and decisions of {}; \
                 Ctrl-C skips this, and `{stats}` does it later",
                counted(hands, "hand")
            ));
        }
        report = report::estimate_folder(&folder, args.quiet, &stop)?;
    }
    if args.json && (end.is_ok() || summary.played > 0) {
        let estimates = report.as_ref().and_then(|report| report.estimates.as_ref());
        let document = Document { schema: "cardroom-play-slumbot/1", summary: &summary, estimates };
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
        Ok(End::Stopped) => {
            let done = summary.played + summary.settled;
            Err(Failure::interrupted(format!(
                "stopped after {done} of {hands} hands; {}; for the estimates so far: {stats}",
                resume()
            )))
        }
        Err(error) if error.is_gone() => {
            Err(Failure::gone(anyhow::anyhow!("{error}; {}", resume())))
        }
        Err(error) if error.is_useless() => Err(Failure::claim(format!(
            "{error}; the run ends here, since further requests would be useless; once the \
                 server answers as Slumbot \
                 does, {}",
            resume()
        ))),
        Err(error) => Err(failure(error)),
    }
}

/// From so many hands on, the estimates take more than two seconds.
const MANY_HANDS: u64 = 1000;

/// The JSON document of `--json`.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    #[serde(flatten)]
    summary: &'a Summary,
    /// The estimates of a complete run, as in `report.json`; `None` before.
    estimates: Option<&'a EstimatesSection>,
}

fn failure(error: wire::Error) -> Failure {
    if error.is_gone() {
        Failure::gone(error)
    } else if error.is_server_fault() {
        Failure::claim(error)
    } else {
        Failure::input(error)
    }
}

fn plan(args: &Args) -> Result<SlumbotRunSettings, Failure> {
    let loaded = args.named.load()?;
    let agent = args.named.resolve(&args.agent)?;
    let name = matches::plan::unique_names(std::slice::from_ref(&agent)).remove(0);
    let seed = args.seed.map(|seed| format!("-s{seed}")).unwrap_or_default();
    let name = format!("{name}-vs-slumbot{seed}-h{}", args.hands);
    let plain = |c: char| if c.is_alphanumeric() || "-_.#".contains(c) { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let folder = args.out.clone().unwrap_or_else(|| data(&loaded).join("matches").join(&name));
    let here = is_here(&args.host);
    let first_pause = if here { Duration::from_millis(10) } else { Duration::from_millis(500) };
    let first_pause = args.pause.map_or(first_pause, |time| time.0);
    let rate = args.rate.unwrap_or(if here { 0.0 } else { 8.0 });
    Ok(SlumbotRunSettings {
        agent,
        hands: args.hands,
        server: Server {
            url: args.host.clone(),
            prefix: match args.prefix {
                Prefix::Auto => None,
                Prefix::SlumbotApi => Some(PREFIXES[0].to_owned()),
                Prefix::Api => Some(PREFIXES[1].to_owned()),
            },
            timeout: args.timeout.0,
            certificates: args.certificates.clone(),
        },
        sessions: args.sessions.into(),
        pace: Pace {
            rate: (rate > 0.0).then_some(rate),
            first_pause,
            longest_pause: first_pause.saturating_mul(120).min(Duration::from_secs(60)),
            connect_timeout: args.connect_timeout.0,
            give_up: args.give_up.0,
        },
        seed: args.seed,
        deadline: args.deadline.map(|time| time.0),
        login: login(args.login.as_deref())?,
        opponent: args.against.clone(),
        folder,
        name,
        provenance: provenance(),
    })
}

/// The data folder of the configuration.
fn data(loaded: &crate::config::Loaded) -> &Path {
    &loaded.config.server.data
}

/// Whether the server is on this machine, where requests need no rate limit.
fn is_here(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, host)| host);
    ["127.", "localhost", "[::1]"].iter().any(|here| host.starts_with(here))
}

/// What a run at a server elsewhere does, before it begins.
fn announcement(plan: &SlumbotRunSettings, done: u64) -> Vec<String> {
    let left = plan.hands.saturating_sub(done);
    let hands = match done {
        0 => counted(left, "hand"),
        _ => format!("{} of {}, the rest of a run,", whole(left), counted(plan.hands, "hand")),
    };
    let sessions = match plan.sessions {
        1 => "one session".to_owned(),
        sessions => format!("{sessions} parallel sessions"),
    };
    let rate = plan.pace.rate;
    let most = rate.map_or_else(String::new, |rate| format!(", at most {rate} requests a second"));
    let [low, high] = expected_time(left, plan.sessions, rate);
    let time = match high {
        7200.0.. => format!("{:.0} to {:.0} hours", low / 3600.0, high / 3600.0),
        _ => format!("{:.0} to {:.0} minutes", low / 60.0, (high / 60.0).max(1.0)),
    };
    let login = match plan.login {
        Some(_) => "; each session begins with the user name and the password of the account",
        None => "",
    };
    vec![
        format!(
            "{hands} at {} in {sessions}{most}: about {time} at the pace of slumbot.com, longer \
             with an agent that thinks long",
            plan.server.url
        ),
        format!(
            "a hand takes 3 or 4 requests, each with a session's token and one action{login}; \
             nothing else is sent"
        ),
        format!(
            "Ctrl-C stops after the hands in play, and the same command goes on; every hand is \
             kept in {} when it ends",
            plan.folder.display()
        ),
    ]
}

/// The least and the most time in seconds that so many hands take at slumbot.com: a hand takes 0.95
/// to 1.3 s in one session, and 3.3 to 4 requests.
fn expected_time(hands: u64, sessions: usize, rate: Option<f64>) -> [f64; 2] {
    [(0.95, 3.3), (1.3, 4.0)].map(|(seconds, requests)| {
        let by_rate = rate.map_or(0.0, |rate| requests / rate);
        hands as f64 * by_rate.max(seconds / sessions.max(1) as f64)
    })
}

/// The account, from the file or the environment; it is never printed.
fn login(file: Option<&Path>) -> Result<Option<Login>, Failure> {
    const NAME: &str = "CARDROOM_SLUMBOT_USERNAME";
    let Some(path) = file else {
        return match (std::env::var(NAME), std::env::var(SLUMBOT_PASSWORD)) {
            (Ok(username), Ok(password)) => Ok(Some(Login { username, password })),
            (Err(_), Err(_)) => Ok(None),
            (Ok(_), Err(_)) => {
                Err(Failure::usage(format!("{NAME} is set, but not {SLUMBOT_PASSWORD}")))
            }
            (Err(_), Ok(_)) => {
                Err(Failure::usage(format!("{SLUMBOT_PASSWORD} is set, but not {NAME}")))
            }
        };
    };
    let shown = path.display().to_string();
    let shown = visible(&shown);
    let mut text = String::new();
    let read = open_secret(path).map_err(Failure::input)?.read_to_string(&mut text);
    read.map_err(|error| Failure::input(anyhow::anyhow!("{shown}: {error}")))?;
    let mut lines = text.lines().map(|line| line.trim_end_matches('\r'));
    match (lines.next(), lines.next()) {
        (Some(username), Some(password)) if !username.is_empty() && !password.is_empty() => {
            Ok(Some(Login { username: username.to_owned(), password: password.to_owned() }))
        }
        _ => Err(Failure::input(anyhow::anyhow!(
            "{shown}: the user name must be on the first line, the password on the second"
        ))),
    }
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

fn show(summary: &Summary, name: &str) -> String {
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

#[cfg(test)]
mod tests {
    use clap::{Args as _, FromArgMatches};

    use super::{Args, announcement, expected_time, plan};
    use crate::arguments::Everywhere;

    #[test]
    fn a_run_at_the_public_server_says_what_it_does_before_it_begins() {
        let line = ["", "--agent", "call", "--out", "a run"];
        let command = Args::augment_args(Everywhere::augment_args(clap::Command::new("slumbot")));
        let args = Args::from_arg_matches(&command.get_matches_from(line)).expect("arguments");
        let mut plan = plan(&args).expect("a plan");
        let said = announcement(&plan, 0).join("\n");
        for expected in [
            "150,000 hands at https://slumbot.com in 4 parallel sessions, at most 8 requests a",
            "about 17 to 21 hours",
            "a session's token and one action; nothing else is sent",
            "Ctrl-C stops after the hands in play, and the same command goes on",
            "kept in a run when it ends",
        ] {
            assert!(said.contains(expected), "no `{expected}` in {said}");
        }
        (plan.sessions, plan.pace.rate) = (1, None);
        let said = announcement(&plan, 149_000).join("\n");
        let rest = "1,000 of 150,000 hands, the rest of a run, at https://slumbot.com in one";
        let expected = format!("{rest} session: about 16 to 22 minutes");
        assert!(said.starts_with(&expected), "{said}");
    }

    #[test]
    fn the_time_is_that_of_the_sessions_or_of_the_rate_whichever_is_longer() {
        assert_eq!(expected_time(1000, 1, None), [950.0, 1300.0]);
        assert_eq!(expected_time(1000, 4, Some(1.0)), [3300.0, 4000.0]);
        // One session needs fewer than 8 requests a second.
        assert_eq!(expected_time(1000, 1, Some(8.0)), [950.0, 1300.0]);
    }
}
