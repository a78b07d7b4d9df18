//! `cardroom play gtowizard`: the GTO Wizard Benchmark.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::value_parser;
use game::escape::visible;
use matches::program::GTOWIZARD_KEY;
use protocol::gtowizard::{MAX_OPEN, USUAL_OPEN, VERSION};
use show::number::counted;
use wire::gtowizard::{Comparison, GtoWizardRunSettings, GtoWizardSummary, LIVE, opponent};
use wire::web_run::RunSettings;

use super::web_run::{
    Ended, RunArgs, Special, how_to_stop, is_here, left_to_play, range_of_time, rate, secret_file,
    show,
};
use crate::config::units::Time;
use crate::exit::Failure;

/// Play against GTO Wizard's benchmark, or any server with its API.
///
/// Every hand is recorded as it ends, so the same command resumes a stopped or killed run; hands
/// that are open with the key are finished first. The score is the mean of the server's AIVAT
/// scores. Exit codes: 0 when all hands are played; 2 on a bad command line; 3 when the agent, the
/// folder, the key or the server is bad; 4 when the server is unreachable for too long (resume with
/// the same command); 5 when the server's answers contradict the cards, the betting or earlier
/// answers, are about another game or another version of the opponent, or are repeatedly not in its
/// format; 130 when interrupted.
///
/// The key is read from the file of --key-file, or from CARDROOM_GTOWIZARD_KEY.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    run: RunArgs,
    /// Hands to play
    #[arg(long, value_name = "N", default_value_t = 20_000,
        value_parser = value_parser!(u64).range(1..1 << 53))]
    hands: u64,
    /// The server's URL
    #[arg(long, value_name = "URL", default_value = LIVE)]
    host: String,
    /// File with the key, readable by you only
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
    /// Hands in play at once; a key may have 20 open
    #[arg(long, value_name = "N", default_value_t = USUAL_OPEN as u16,
        value_parser = value_parser!(u16).range(1..=MAX_OPEN as i64))]
    slots: u16,
    /// The opponent's version; versions are different opponents, and a run is against one
    #[arg(long, value_name = "N", default_value_t = VERSION)]
    opponent_version: u32,
    /// Requests per second over all slots; 0 for no limit
    #[arg(long, value_name = "R", default_value = "0", value_parser = rate)]
    rate: f64,
    /// Time limit for one answer
    #[arg(long, value_name = "TIME", default_value = "180s")]
    timeout: Time,
    /// The first pause after a failure; it doubles each time up to 16 times as long, and each is
    /// drawn from nothing to that [default: 2s; 10ms on this machine]
    #[arg(long, value_name = "TIME")]
    pause: Option<Time>,
    /// The agent to play against, if the server is another cardroom
    #[arg(long, value_name = "NAME")]
    against: Option<String>,
}

/// Runs the command: plays the match.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let plan = plan(args)?;
    let settings = plan.run.clone();
    let announce = |done| announcement(&settings, done);
    super::web_run::run(&args.run, &settings, announce, |seed, stop, seen| {
        let played = wire::gtowizard::play_blocking(plan, seed, stop, seen)?;
        let summary = played.summary;
        Ok(Ended {
            text: text(&summary, &played.info.name),
            schema: "cardroom-play-gtowizard/1",
            played: summary.run.played,
            done: summary.run.played,
            document: summary,
            end: played.end,
        })
    })
}

fn plan(args: &Args) -> Result<GtoWizardRunSettings, Failure> {
    let here = is_here(&args.host);
    let first_pause = if here { Duration::from_millis(10) } else { Duration::from_secs(2) };
    let first_pause = args.pause.map_or(first_pause, |time| time.0);
    let against = args.against.clone();
    let run = args.run.settings(Special {
        host: &args.host,
        hands: args.hands,
        sessions: args.slots,
        timeout: args.timeout.0,
        rate: args.rate,
        pauses: [first_pause, first_pause.saturating_mul(16)],
        opponent: (opponent(args.opponent_version, against.as_deref()), "gtowizard"),
    })?;
    let key = key(args.key_file.as_deref())?;
    if key.is_none() && !here {
        return Err(Failure::usage(format!(
            "{} needs a key: give its file with --key-file, or set {GTOWIZARD_KEY}; \
             docs/gtowizard.md says how to get one",
            args.host
        )));
    }
    Ok(GtoWizardRunSettings { run, key, version: args.opponent_version, against })
}

/// The key, from the file or the environment; it is never printed.
fn key(file: Option<&Path>) -> Result<Option<String>, Failure> {
    let Some(path) = file else {
        let key = std::env::var(GTOWIZARD_KEY).ok();
        return Ok(key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()));
    };
    let text = secret_file(path)?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    match (lines.next(), lines.next()) {
        (Some(key), None) => Ok(Some(key.to_owned())),
        _ => {
            let shown = path.display().to_string();
            let shown = visible(&shown);
            Err(Failure::input(anyhow::anyhow!("{shown}: it must hold the key, on one line")))
        }
    }
}

/// What a run at a server elsewhere does, before it begins.
fn announcement(plan: &RunSettings, done: u64) -> Vec<String> {
    let (left, hands) = left_to_play(plan, done);
    let slots = counted(plan.sessions as u64, "slot");
    let time = range_of_time(expected_time(left, plan.sessions));
    vec![
        format!(
            "{hands} in {slots}: about {time} at the pace that others have seen there, longer with \
             an agent that thinks long"
        ),
        "a hand takes 3 or 4 requests, each with the key and one action; nothing else is sent"
            .to_owned(),
        how_to_stop(plan),
    ]
}

/// The least and the most time in seconds that so many hands take: others have seen 7 to 11 s a
/// hand in each slot.
fn expected_time(hands: u64, slots: usize) -> [f64; 2] {
    [7.0, 11.0].map(|seconds| hands as f64 * seconds / slots.max(1) as f64)
}

/// Published scores of simple agents against version 2 of the opponent, in bb/100 with the
/// half-widths of their 95 % intervals (arXiv 2603.23660, table 2).
const PUBLISHED: [(&str, f64, f64); 3] =
    [("fold", -64.6, 3.3), ("call", -241.1, 26.2), ("raise:allin", -380.6, 4.3)];

/// The result as text.
fn text(summary: &GtoWizardSummary, name: &str) -> String {
    let mut lines = vec![show(&summary.run, name), String::new()];
    let version = summary.version;
    let hands = counted(summary.scored, "hand");
    lines.push(match &summary.aivat {
        Some(rate) => format!(
            "score against version {version} (AIVAT, by the server): {:+.2} ± {:.2} bb/100 over \
             {hands}, with a deviation of {:.1} bb a hand",
            rate.bb_per_100(),
            rate.half_width() / 10.0,
            rate.standard_error * (rate.groups as f64).sqrt() / 1000.0,
        ),
        None => format!("no score against version {version}: {hands} with an AIVAT score"),
    });
    let agent = &summary.run.agent;
    let published = PUBLISHED.iter().find(|(name, ..)| name == agent);
    if let (Some((agent, mean, within)), Some(rate)) = (published, &summary.aivat) {
        let (ours, width) = (rate.bb_per_100(), rate.half_width() / 10.0);
        let apart = (ours - mean).abs();
        let verdict = if apart <= width.hypot(*within) {
            "this run agrees with it"
        } else {
            "this run does NOT agree with it: do not trust runs of other agents before it does"
        };
        lines.push(format!("published for {agent}: {mean:+.1} ± {within:.1} bb/100; {verdict}"));
    }
    lines.push(match &summary.change {
        Some(change) if change.is_drift() => {
            format!("the score CHANGES over the run: {}", change.words())
        }
        Some(change) => format!(
            "no change of the score is detectable over the run (the largest has a probability of \
             {:.2} by chance)",
            change.chance
        ),
        None => "too few hands to tell whether the score changes over the run".to_owned(),
    });
    lines.extend(server_words(summary));
    lines.join("\n")
}

/// What the server itself counts for the key, in words, beside this run.
fn server_words(summary: &GtoWizardSummary) -> Option<String> {
    if let Some(reason) = &summary.no_server_results {
        return Some(format!("the server did not say what it counts for the key: {reason}"));
    }
    let (results, comparison) = (summary.server_results.as_ref()?, summary.comparison()?);
    let verdict = match comparison {
        Comparison::Equal => "the same as here".to_owned(),
        Comparison::Apart => {
            "NOT the same as here, although the number of hands is: compare its list of hands with \
             the ledger before you quote either"
                .to_owned()
        }
        Comparison::More(hands) => format!(
            "{} more than here, of other runs with the key or hands whose end was lost, so the two \
             cannot be compared",
            counted(hands, "hand")
        ),
        Comparison::Fewer => "fewer hands than here, so the two cannot be compared".to_owned(),
    };
    Some(format!(
        "by the server's own count, the key has {}, {:+.2} bb/100 and a score of {:+.2}: {verdict}",
        counted(results.total_hands, "hand"),
        results.bb_per_100,
        results.aivat_score_bb_per_100
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use clap::{Args as _, FromArgMatches};

    use super::{Args, announcement, expected_time, plan};
    use crate::arguments::Everywhere;

    fn args(line: &[&str]) -> Args {
        let command = Args::augment_args(Everywhere::augment_args(clap::Command::new("gtowizard")));
        let line = [&["", "--agent", "call", "--out", "a run"], line].concat();
        Args::from_arg_matches(&command.get_matches_from(line)).expect("arguments")
    }

    #[test]
    fn without_a_key_nothing_is_sent_to_the_public_server() {
        let refused = plan(&args(&[])).map(drop).expect_err("no key");
        assert!(format!("{refused:?}").contains("--key-file"));
    }

    #[test]
    fn a_run_at_a_server_elsewhere_says_what_it_does_before_it_begins() {
        let folder = tempfile::TempDir::new().expect("a folder");
        let key = folder.path().join("key");
        std::fs::write(&key, "sk-a-key").expect("a file");
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).expect("a file");
        let key = key.to_str().expect("a name");
        let options = ["--host", "https://poker.lan", "--key-file", key];
        let plan = plan(&args(&options)).expect("a plan").run;
        let said = announcement(&plan, 0).join("\n");
        for expected in [
            "20,000 hands at https://poker.lan in 5 slots: about 8 to 12 hours",
            "with the key and one action; nothing else is sent",
            "kept in a run when it ends",
        ] {
            assert!(said.contains(expected), "no `{expected}` in {said}");
        }
        assert_eq!(expected_time(20, 20), [7.0, 11.0]);
    }
}
