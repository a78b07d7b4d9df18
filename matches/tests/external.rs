//! Programs as agents: what each kind of misbehaviour costs.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::contract::{Claim, Terms, check};
use agents::{Agent, AgentConfig, AgentError, Clock, Registry};
use game::{Action, GameDef};
use logs::{DecisionRecord, Fallback};
use matches::bot::Bot;
use matches::external::registry;
use matches::games::load_game;
use matches::table::{Observer, Table};
use protocol::acpc::gamedef::Reading;

const GAME: &str = "holdem.nolimit.2p.reverse_blinds";

/// The example program; cargo builds it with the tests.
pub(crate) fn program() -> PathBuf {
    let tests = std::env::current_exe().expect("a running program has a path");
    let target = tests.parent().and_then(Path::parent).expect("target/PROFILE/deps");
    let program = target.join("examples/ill_mannered");
    assert!(program.is_file(), "{} is missing: run `cargo test -p matches`", program.display());
    program
}

/// A registry with the agent `bot`: the example with this manner and these further options.
fn with_bot(manner: &str, game: &str, options: &str) -> Registry {
    let command = format!("{} {manner} {game}", program().display());
    let mut text = format!("kind = 'external'\ncommand = \"{command}\"\n");
    writeln!(text, "{options}").expect("writing to a string cannot fail");
    let config: AgentConfig = toml::from_str(&text).expect("a table");
    let mut registry = registry();
    registry.define("bot", config).expect("a definition");
    registry
}

fn game() -> Arc<GameDef> {
    load_game(GAME, Reading::Strict).expect("a built-in game")
}

fn build(manner: &str, options: &str) -> Result<Box<dyn Agent>, AgentError> {
    with_bot(manner, GAME, options).resolve("bot")?.build(&game())
}

#[derive(Default)]
struct Decisions(Vec<DecisionRecord>);

impl Observer for Decisions {
    fn decision(&mut self, record: DecisionRecord) {
        if record.entrant == 0 {
            self.0.push(record);
        }
    }
}

/// The decisions of the bot in a few hands against `call`.
fn play(
    manner: &str,
    options: &str,
    hands: u64,
    deadline: Option<Duration>,
) -> Vec<DecisionRecord> {
    let bot = build(manner, options).expect("the bot starts");
    let call = registry().resolve("call").and_then(|call| call.build(&game())).expect("call plays");
    let mut table =
        Table::new(&game(), vec![Bot::inline(bot), Bot::inline(call)], 1, false, deadline);
    let mut decisions = Decisions::default();
    for hand in 0..hands {
        table.play(hand, &mut decisions);
    }
    decisions.0
}

#[test]
fn a_program_that_plays_well_keeps_the_contract() {
    for name in [GAME, "holdem.limit.3p", "kuhn.limit.3p", "leduc.limit.2p"] {
        let def = load_game(name, Reading::Strict).expect("a built-in game");
        let choice = with_bot("chatty", name, "").resolve("bot").expect("a definition");
        let start = Instant::now();
        let terms = Terms { hands: 50, ..Terms::default() };
        let report =
            check(&choice, &def, terms, &Clock::new(move || start.elapsed())).expect("it starts");
        assert_eq!(report.breaches, [], "{name}");
        assert!(report.decisions > 50, "{name}");
    }
}

/// Against `call` the bot has four turns a hand or more, and each of its lives goes wrong at its
/// third: of twelve decisions at least three, and of every three one.
#[test]
fn each_misbehaviour_costs_one_decision_and_the_match_goes_on() {
    let cases = [
        ("crash", Fallback::Gone, "it closed its connection"),
        ("close", Fallback::Gone, "it closed its connection"),
        ("hang", Fallback::Timeout, "it did not answer in time"),
        ("late", Fallback::Timeout, "it did not answer in time"),
        ("noise", Fallback::BadAnswer, "it sent `\\0\\xff\\xfe`, which is not a reply"),
        ("flood", Fallback::BadAnswer, "it sent a line of more than 65536 bytes: `xxxx"),
    ];
    for (manner, fallback, note) in cases {
        // Short only where the bot waits for it.
        let patience = if fallback == Fallback::Timeout { "500ms" } else { "1m" };
        let decisions = play(manner, &format!("timeout = '{patience}'"), 3, None);
        let (good, bad): (Vec<_>, Vec<_>) = decisions.iter().partition(|d| d.fallback.is_none());
        for decision in &bad {
            assert_eq!(decision.fallback, Some(fallback), "{manner}: {:?}", decision.note);
            let said = decision.note.as_deref().unwrap_or_default();
            assert!(said.starts_with(note), "{manner}: {said}");
        }
        assert!(good.iter().all(|decision| decision.action == Action::Call), "{manner}");
        assert_eq!(bad.len(), decisions.len() / 3, "{manner}: {} decisions", decisions.len());
        assert!(bad.len() >= 3, "{manner}: {} decisions", decisions.len());
    }
}

#[test]
fn replies_are_read_as_a_dealer_reads_them() {
    // A reply without an action costs the decision but not the program.
    let decisions = play("no-action", "", 3, None);
    let bad: Vec<_> = decisions.iter().filter(|d| d.fallback.is_some()).collect();
    assert_eq!(bad.len(), 1);
    assert_eq!(bad[0].fallback, Some(Fallback::BadAnswer));
    assert!(bad[0].note.as_deref().is_some_and(|note| note.starts_with("its reply has no action")));
    // A raise beyond the stack becomes all-in.
    let decisions = play("huge-raise", "", 3, None);
    assert_eq!(decisions[2].action, Action::RaiseTo(20_000));
    assert_eq!(decisions[2].corrected_from, Some(Action::RaiseTo(999_999_999)));
    let note = decisions[2].note.as_deref().unwrap_or_default();
    assert!(note.starts_with("its action is not legal: `MATCHSTATE:"), "{note}");
    assert_eq!(decisions.iter().filter(|d| d.corrected_from.is_some()).count(), 1);
    assert!(decisions.iter().all(|decision| decision.fallback.is_none()));
    // A reply to another state is skipped.
    let decisions = play("stale", "", 3, None);
    assert!(decisions.iter().all(|decision| decision.fallback.is_none()));
}

#[test]
fn the_match_may_allow_less_time_than_the_program() {
    let decisions = play("late", "timeout = '1h'", 2, Some(Duration::from_millis(200)));
    assert_eq!(decisions[2].fallback, Some(Fallback::Timeout));
}

#[test]
fn a_program_that_fails_too_often_is_given_up() {
    let decisions = play("crash-always", "restarts = 2", 6, None);
    assert!(decisions.iter().all(|decision| decision.fallback == Some(Fallback::Gone)));
    // Three lives; the decision that ends the last says what happened, and so do all that follow.
    let notes: Vec<_> = decisions.iter().filter_map(|d| d.note.as_deref()).collect();
    let said = "it closed its connection (exit status: 1)";
    assert_eq!(notes[..2], [said, said]);
    let given_up = |note: &str| {
        note.starts_with("`bot` was abandoned at hand ")
            && note.ends_with(&format!("after 2 restarts in a row without an answer: {said}"))
    };
    assert!(notes.len() > 3 && notes[2..].iter().all(|note| given_up(note)), "{notes:?}");
}

#[test]
fn a_program_that_fails_now_and_then_is_not_given_up() {
    let decisions = play("crash-late", "restarts = 1", 300, None);
    let bad: Vec<_> = decisions.iter().filter(|d| d.fallback.is_some()).collect();
    assert!(bad.len() > 20, "{} of {} decisions", bad.len(), decisions.len());
    assert_eq!(bad.len(), decisions.len() / 10, "one for each crash");
    let note = "it closed its connection (exit status: 1)";
    assert!(bad.iter().all(|decision| decision.note.as_deref() == Some(note)));
}

#[test]
fn a_program_whose_actions_are_not_legal_breaks_the_contract() {
    for game in [GAME, "kuhn.limit.2p"] {
        let def = load_game(game, Reading::Strict).expect("a built-in game");
        let choice = with_bot("always-huge", game, "").resolve("bot").expect("a definition");
        let terms = Terms { hands: 4, ..Terms::default() };
        let report = check(&choice, &def, terms, &Clock::stopped()).expect("it starts");
        let claims: Vec<_> = report.breaches.iter().map(|&(claim, _)| claim).collect();
        assert_eq!(claims, [Claim::Legal], "{game}");
    }
}

#[test]
fn a_program_that_cannot_be_started_says_why() {
    let cases = [
        ("absent", "it has not connected within 300ms"),
        ("mute", "it has connected but not said its version within 300ms"),
        ("stillborn", "it ended before it connected (exit status: 7)"),
        ("foreign", "it began with `HELO poker`, not with VERSION:2.0.0"),
    ];
    for (manner, expected) in cases {
        let error = build(manner, "start-timeout = '300ms'").err().expect(manner).to_string();
        assert_eq!(error, format!("agent `bot` cannot be started: {expected}"));
    }
    let cases = [
        ("external:./no/such/bot", "cannot start ./no/such/bot: No such file or directory"),
        ("external:no-such-program-anywhere", "cannot start no-such-program-anywhere: No such"),
        ("external:", "`command` is ``, which names no program"),
        ("external:'open", "`command` is `'open`, which has a quotation mark that is not closed"),
    ];
    for (name, expected) in cases {
        let tried = registry().resolve(name).and_then(|choice| choice.build(&game()));
        let error = tried.err().expect(name).to_string();
        assert!(error.contains(expected), "{name}: {error}");
    }
    let error = with_bot("none", GAME, "timeout = 'soon'").resolve("bot").expect_err("no time");
    assert!(error.to_string().contains("`timeout` is `soon`"), "{error}");
}

#[test]
fn nothing_a_program_started_outlives_it() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let output = folder.path().join("output");
    let options = format!("timeout = '500ms'\noutput = '{}'", output.display());
    let decisions = play("parent", &options, 1, None);
    assert!(decisions.iter().any(|decision| decision.fallback == Some(Fallback::Timeout)));
    let written = std::fs::read_to_string(&output).expect("the output was kept");
    let child: u32 = written.lines().next().and_then(|line| line.parse().ok()).expect("a number");
    let status = PathBuf::from(format!("/proc/{child}/stat"));
    let deadline = Instant::now() + Duration::from_secs(10);
    // Killed at once, but perhaps not yet collected by its new parent.
    let gone = || match std::fs::read_to_string(&status) {
        Ok(text) => text.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')),
        Err(_) => true,
    };
    while !gone() {
        assert!(Instant::now() < deadline, "process {child} still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_program_that_another_one_has_left_behind_is_waited_for() {
    // The shell ends at once and with success; what it started in the background connects.
    let command = format!("sh -c '{} none {GAME} $0 $1 &'", program().display());
    let choice = registry().resolve(&format!("external:{command}")).expect("an agent");
    let bot = choice.build(&game()).expect("the program behind the shell connects");
    let call = registry().resolve("call").and_then(|call| call.build(&game())).expect("call plays");
    let mut table = Table::new(&game(), vec![Bot::inline(bot), Bot::inline(call)], 1, false, None);
    let mut decisions = Decisions::default();
    table.play(0, &mut decisions);
    assert!(decisions.0.iter().all(|decision| decision.fallback.is_none()));
}

#[test]
fn the_last_words_of_a_program_that_ends_in_play_are_in_the_record() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let words = "it closed its connection (exit status: 1); its last words: `giving up`";
    // Dropped or kept, what it wrote to its error stream is told.
    for output in [String::new(), format!("output = '{}'", folder.path().join("output").display())]
    {
        let decisions = play("crash-aloud", &output, 3, None);
        let note = decisions[2].note.as_deref();
        assert_eq!((decisions[2].fallback, note), (Some(Fallback::Gone), Some(words)));
    }
}

/// Other agents decide some situations of the hand, at the beginning, in the midst of it or at its
/// end, or the whole hand. A program that drops what it has received when it answers, as buffered
/// input of some languages does, must not be sent a question that is not meant for it.
#[test]
fn a_program_that_is_asked_now_and_then_is_asked_in_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = |name: &str, rules: &str| {
        std::fs::write(folder.path().join(name), rules).expect("a file");
        format!("router:{}", folder.path().join(name).display())
    };
    let on = |streets: &str| format!("[[rule]]\nagent = 'bot'\nstreets = [{streets}]\n");
    let asked_late = "default = 'call'\n".to_owned() + &on("'turn'");
    let asked_twice = "default = 'raise:half-pot'\n".to_owned() + &on("'preflop', 'river'");
    let wrappers = [
        "exploiter:size=allin,hands=0.15,otherwise=bot".to_owned(),
        "exploiter:size=min,from=flop,to=flop,otherwise=bot".to_owned(),
        "shadow:bot,raise".to_owned(),
        "shadow:raise,bot".to_owned(),
        "rules:fallback=bot".to_owned(),
        rules("late.toml", &asked_late),
        rules("twice.toml", &asked_twice),
    ];
    let registry = with_bot("forgetful", GAME, "timeout = '2s'");
    let built = |name: &str| {
        registry.resolve(name).and_then(|choice| choice.build(&game())).expect("an agent")
    };
    for wrapper in wrappers {
        let agents = vec![Bot::inline(built(&wrapper)), Bot::inline(built("random"))];
        let mut table = Table::new(&game(), agents, 1, false, None);
        let mut decisions = Decisions::default();
        for hand in 0..400 {
            table.play(hand, &mut decisions);
            let failed = |decision: &&DecisionRecord| {
                let note = decision.note.as_deref().unwrap_or_default();
                decision.fallback.is_some() || note.contains("could not decide")
            };
            assert_eq!(decisions.0.iter().find(failed), None, "{wrapper}");
        }
    }
}

#[test]
fn the_first_failure_is_told_with_twenty_lines_and_later_ones_in_one() {
    let decisions = play("crash-loudly", "restarts = 3", 4, None);
    let notes: Vec<_> = decisions.iter().filter_map(|d| d.note.as_deref()).collect();
    let lines: Vec<&str> = notes[0].lines().collect();
    assert_eq!(lines[0], "it closed its connection (exit status: 3); its last words:");
    let expected: Vec<String> = (11..=30).map(|number| format!("line {number}")).collect();
    assert_eq!(lines[1..], expected);
    assert!(notes[1].ends_with("; its last words: `line 28 / line 29 / line 30`"), "{}", notes[1]);
}

#[test]
fn a_program_is_named_by_its_path_and_a_script_is_given_to_its_interpreter() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, first: &str| {
        let text = format!("{first}\nexec '{}' none {GAME} \"$@\"\n", program().display());
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    for first in ["#!/bin/sh", "#!/usr/bin/env -S sh"] {
        let path = write("it's a bot", first);
        let choice = registry().resolve(&path.display().to_string()).expect("a program");
        assert_eq!(choice.files(), [path]);
        choice.build(&game()).expect("it plays");
    }
    let path = write("text", "# not a script");
    let choice = registry().resolve(&path.display().to_string()).expect("a program");
    let error = choice.build(&game()).err().expect("it cannot be started").to_string();
    assert!(error.contains("make it executable (chmod +x "), "{error}");
}

/// It answers every state it is sent, in turn or not, over a socket that gathers small writes: the
/// second answer leaves it only when the first has been acknowledged, which systems hold back for
/// 40 ms.
#[test]
#[cfg(target_os = "linux")]
fn a_program_that_answers_every_state_does_not_stand_still_for_acknowledgements() {
    let decisions = play("eager", "", 20, None);
    assert!(decisions.iter().all(|decision| decision.fallback.is_none()));
    let slow = |decision: &&DecisionRecord| decision.elapsed > Duration::from_millis(30);
    let stalls = decisions.iter().filter(slow).count();
    assert!(stalls < decisions.len() / 8, "{stalls} stalls in {} decisions", decisions.len());
}
