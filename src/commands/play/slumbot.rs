//! `cardroom play slumbot`: the benchmark match over the Slumbot API.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{ValueEnum, value_parser};
use game::escape::visible;
use matches::program::SLUMBOT_PASSWORD;
use protocol::slumbot::PREFIXES;
use protocol::slumbot::client::Login;
use wire::slumbot::{LIVE, SlumbotRunSettings, opponent};
use wire::web_run::RunSettings;

use super::web_run::{
    Ended, RunArgs, Special, how_to_stop, is_here, left_to_play, range_of_time, rate, secret_file,
    show,
};
use crate::config::units::Time;
use crate::exit::Failure;

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
    #[command(flatten)]
    run: RunArgs,
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
    /// The first pause after a failure; it doubles each time up to a minute [default: 500ms; 10ms
    /// on this machine]
    #[arg(long, value_name = "TIME")]
    pause: Option<Time>,
    /// File with the account's user name and password, one per line
    #[arg(long, value_name = "FILE")]
    login: Option<PathBuf>,
    /// The agent to play against, if the server is another cardroom
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
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

/// Runs the command: plays the match.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let plan = plan(args)?;
    let settings = plan.run.clone();
    let announced = (settings.clone(), plan.login.is_some());
    let announce = |done| announcement(&announced.0, announced.1, done);
    super::web_run::run(&args.run, &settings, announce, |seed, stop, seen| {
        let played = wire::slumbot::play_blocking(plan, seed, stop, seen)?;
        let summary = played.summary;
        Ok(Ended {
            text: show(&summary, &played.info.name),
            schema: "cardroom-play-slumbot/1",
            played: summary.played,
            done: summary.played + summary.settled,
            document: summary,
            end: played.end,
        })
    })
}

fn plan(args: &Args) -> Result<SlumbotRunSettings, Failure> {
    let here = is_here(&args.host);
    let first_pause = if here { Duration::from_millis(10) } else { Duration::from_millis(500) };
    let first_pause = args.pause.map_or(first_pause, |time| time.0);
    let longest_pause = first_pause.saturating_mul(120).min(Duration::from_secs(60));
    let run = args.run.settings(Special {
        host: &args.host,
        hands: args.hands,
        sessions: args.sessions,
        timeout: args.timeout.0,
        rate: args.rate.unwrap_or(if here { 0.0 } else { 8.0 }),
        pauses: [first_pause, longest_pause],
        opponent: (opponent(args.against.as_deref()), "slumbot"),
    })?;
    Ok(SlumbotRunSettings {
        run,
        prefix: match args.prefix {
            Prefix::Auto => None,
            Prefix::SlumbotApi => Some(PREFIXES[0].to_owned()),
            Prefix::Api => Some(PREFIXES[1].to_owned()),
        },
        login: login(args.login.as_deref())?,
        opponent: args.against.clone(),
    })
}

/// What a run at a server elsewhere does, before it begins.
fn announcement(plan: &RunSettings, login: bool, done: u64) -> Vec<String> {
    let (left, hands) = left_to_play(plan, done);
    let sessions = match plan.sessions {
        1 => "one session".to_owned(),
        sessions => format!("{sessions} parallel sessions"),
    };
    let rate = plan.pace.rate;
    let most = rate.map_or_else(String::new, |rate| format!(", at most {rate} requests a second"));
    let time = range_of_time(expected_time(left, plan.sessions, rate));
    let login = if login {
        "; each session begins with the user name and the password of the account"
    } else {
        ""
    };
    vec![
        format!(
            "{hands} in {sessions}{most}: about {time} at the pace of slumbot.com, longer with an \
             agent that thinks long"
        ),
        format!(
            "a hand takes 3 or 4 requests, each with a session's token and one action{login}; \
             nothing else is sent"
        ),
        how_to_stop(plan),
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
    let text = secret_file(path)?;
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
        let mut plan = plan(&args).expect("a plan").run;
        let said = announcement(&plan, false, 0).join("\n");
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
        let said = announcement(&plan, false, 149_000).join("\n");
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
