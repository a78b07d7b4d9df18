//! Matches played in this process: the same result however the work is spread or interrupted.

use std::path::Path;
use std::sync::Arc;

use game::{GameDef, games};
use logs::{LedgerReader, MatchInfo};
use matches::external::registry;
use matches::folder::{Folder, NullRecorder};
use matches::plan::MatchPlan;
use matches::play::{Settings, play};
use matches::runner::Stop;
use matches::runner::{Level, Outcome, run};
use runs::Shard;

fn plan(def: GameDef, agents: &[&str], hands: u64) -> MatchPlan {
    let registry = registry();
    MatchPlan {
        def: Arc::new(def),
        game_name: "test".into(),
        entrants: agents.iter().map(|name| registry.resolve(name).expect("an agent")).collect(),
        given_names: Vec::new(),
        hands,
        seed: 42,
        duplicate: true,
        shard: None,
        deadline: None,
        rule: None,
    }
}

fn info(plan: &MatchPlan) -> MatchInfo {
    plan.info("m", logs::Provenance::default()).expect("agents without files")
}

fn counted(plan: &MatchPlan, jobs: usize) -> Outcome {
    let stop = Stop::new();
    run(plan, Level::Nothing, jobs, &NullRecorder, &mut NullRecorder, &stop, &mut |_| {})
        .expect("a run")
}

/// Plays into a folder, asking to stop once `stop_after` hands are there.
fn recorded(plan: &MatchPlan, folder: &Path, jobs: usize, stop_after: u64) -> Outcome {
    let mut folder = Folder::open(folder, &info(plan), Level::Decisions).expect("a folder");
    let stop = Stop::new();
    let (known, writing) = folder.parts();
    let outcome = run(plan, Level::Decisions, jobs, known, writing, &stop, &mut |progress| {
        if progress.hands >= stop_after {
            stop.ask();
        }
    })
    .expect("a run");
    if outcome.complete {
        folder.finish(&outcome.tally.totals()).expect("a log");
    }
    outcome
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).expect("a file of the match folder")
}

#[test]
fn any_number_of_threads_gives_the_same_tally() {
    let plan = plan(games::nolimit_holdem(), &["random", "call"], 10_000);
    let one = counted(&plan, 1);
    assert!(one.complete && one.hands == 10_000);
    for jobs in [2, 3, 8] {
        assert_eq!(counted(&plan, jobs).tally, one.tally, "{jobs} threads");
    }
}

#[test]
fn any_number_of_threads_writes_the_same_log() {
    let plan = plan(games::nolimit_holdem(), &["random", "raise"], 3_000);
    let logs: Vec<String> = [1, 3]
        .map(|jobs| {
            let folder = tempfile::tempdir().expect("a folder");
            recorded(&plan, folder.path(), jobs, u64::MAX);
            read(folder.path(), "acpc.log")
        })
        .into();
    assert_eq!(logs[0].lines().filter(|line| line.starts_with("STATE:")).count(), 3_000);
    assert!(logs[0].lines().last().is_some_and(|line| line.starts_with("SCORE:")));
    assert_eq!(logs[0], logs[1]);
}

#[test]
fn a_stopped_match_goes_on_without_losing_or_doubling_a_hand() {
    let plan = plan(games::leduc(), &["random", "equity"], 60_000);
    let whole = tempfile::tempdir().expect("a folder");
    let outcome = recorded(&plan, whole.path(), 1, u64::MAX);
    let parts = tempfile::tempdir().expect("a folder");
    let first = recorded(&plan, parts.path(), 2, 1);
    assert!(!first.complete && first.hands > 0, "stopped in the middle, at {}", first.hands);
    let second = recorded(&plan, parts.path(), 2, u64::MAX);
    assert!(second.complete);
    assert_eq!(second.tally, outcome.tally);
    assert_eq!(read(parts.path(), "acpc.log"), read(whole.path(), "acpc.log"));
    let decisions = |folder: &Path| {
        let text = read(folder, "decisions.jsonl");
        let mut keys: Vec<(u64, u32)> = text
            .lines()
            .map(|line| logs::formats::jsonl::read_decision(line, 0).expect("a decision"))
            .map(|decision| (decision.hand, decision.index))
            .collect();
        keys.sort_unstable();
        keys
    };
    assert_eq!(decisions(parts.path()), decisions(whole.path()));
    let counts = |outcome: &Outcome| -> Vec<u64> {
        outcome.decisions.entrants.iter().map(|entrant| entrant.decisions).collect()
    };
    assert_eq!(counts(&second), counts(&outcome));
}

#[test]
fn a_run_that_is_asked_to_stop_ends_whatever_its_threads_are_doing() {
    let plan = plan(games::nolimit_holdem(), &["random", "call"], 1 << 40);
    for delay in 0..60 {
        let stop = Stop::new();
        let asks = stop.clone();
        let asker = std::thread::spawn(move || {
            std::thread::sleep(std::time::Duration::from_micros(300 * delay));
            asks.ask();
        });
        let outcome =
            run(&plan, Level::Nothing, 4, &NullRecorder, &mut NullRecorder, &stop, &mut |_| {});
        assert!(!outcome.expect("a run").complete);
        asker.join().expect("it asked");
    }
}

#[test]
fn shards_merged_are_the_whole_match() {
    let whole = plan(games::nolimit_holdem(), &["random", "call"], 2_000);
    let root = tempfile::tempdir().expect("a folder");
    recorded(&whole, &root.path().join("whole"), 1, u64::MAX);
    let folders: Vec<_> = (1..=3)
        .map(|index| {
            let plan = MatchPlan { shard: Some(Shard { index, of: 3 }), ..whole.clone() };
            let folder = root.path().join(format!("part-{index}"));
            assert!(recorded(&plan, &folder, 1, u64::MAX).complete);
            folder
        })
        .collect();
    let merged = root.path().join("merged");
    std::fs::create_dir(&merged).expect("a folder");
    logs::ledger::merge(&folders, &merged.join(logs::ledger::FILE_NAME)).expect("merged");
    let rows = |folder: &Path| {
        let reader = LedgerReader::open(folder).expect("a ledger");
        let hands: Vec<_> = reader.hands().collect::<Result<_, _>>().expect("hands");
        hands.iter().map(|hand| format!("{hand:?}")).collect::<Vec<_>>()
    };
    assert_eq!(rows(&merged), rows(&root.path().join("whole")));
}

#[test]
fn always_folding_loses_three_quarters_of_a_big_blind() {
    let outcome = counted(&plan(games::nolimit_holdem(), &["fold", "raise"], 1_000), 1);
    let rate = outcome.tally.rate(0).expect("a rate");
    assert_eq!((rate.mbb, rate.half_width()), (-750.0, 0.0));
}

#[test]
fn another_match_is_not_played_into_a_folder() {
    let first = plan(games::kuhn(), &["random", "call"], 100);
    let folder = tempfile::tempdir().expect("a folder");
    recorded(&first, folder.path(), 1, u64::MAX);
    let other = MatchPlan { seed: 43, ..first };
    let error = Folder::open(folder.path(), &info(&other), Level::Hands).err().expect("refused");
    let message = error.to_string();
    assert!(message.contains("43") && message.contains("42"), "{message}");
}

#[test]
fn another_part_is_not_played_into_a_folder() {
    let whole = plan(games::kuhn(), &["random", "call"], 2_000);
    let folder = tempfile::tempdir().expect("a folder");
    let part = |index| MatchPlan { shard: Some(Shard { index, of: 2 }), ..whole.clone() };
    recorded(&part(2), folder.path(), 1, u64::MAX);
    for other in [part(1), whole.clone()] {
        let error = Folder::open(folder.path(), &info(&other), Level::Hands).err();
        let message = error.expect("refused").to_string();
        assert!(
            message.contains("in one and 2/2 in the other; choose another folder"),
            "{message}"
        );
    }
}

#[test]
fn a_match_that_could_not_begin_leaves_nothing_in_the_way() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join("m");
    let plan = plan(games::kuhn(), &["external:false", "call"], 100);
    let provenance = logs::Provenance::default();
    let settings = Settings { level: Level::Hands, folder: folder.clone(), jobs: 1, provenance };
    play(&plan, &settings, &Stop::new(), &mut |_| {}).expect_err("the program ends at once");
    assert!(!folder.exists());
}

#[test]
fn two_runs_on_one_folder_are_refused() {
    let plan = plan(games::kuhn(), &["random", "call"], 100);
    let folder = tempfile::tempdir().expect("a folder");
    let _held = Folder::open(folder.path(), &info(&plan), Level::Hands).expect("a folder");
    let second = Folder::open(folder.path(), &info(&plan), Level::Hands);
    assert!(second.is_err());
}

#[test]
fn plans_that_cannot_be_played_say_what_to_change() {
    let check = |plan: MatchPlan, expected: &str| {
        let error = plan.check().expect_err(expected);
        assert!(error.is_usage() && error.to_string().contains(expected), "{error}");
    };
    let good = plan(games::kuhn(), &["random", "call"], 100);
    check(MatchPlan { hands: 0, ..good.clone() }, "at least one hand");
    check(MatchPlan { hands: 101, ..good.clone() }, "use 100 or 102;");
    check(MatchPlan { hands: 1, ..good.clone() }, "use 2;");
    check(MatchPlan { shard: Some(Shard { index: 2, of: 9 }), ..good.clone() }, "at most 1 parts");
    check(plan(games::kuhn(), &["call"], 100), "2 players, but 1 agent is");
}
