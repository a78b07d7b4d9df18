//! Bots of MIT Pokerbots as agents: a folder as it is plays, and what each kind of misbehaviour
//! costs. The bots are shell scripts that speak the protocol.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::{Agent, AgentConfig, AgentError};
use game::{Action, GameDef};
use logs::{DecisionRecord, Fallback};
use matches::bot::Bot;
use matches::external::registry;
use matches::games::load_game;
use matches::table::{Observer, Table};
use protocol::acpc::gamedef::Reading;
use protocol::pokerbots::GAME;
use tempfile::TempDir;

/// A bot that checks and calls; its first argument is what it does else.
const BOT: &str = r#"
manner=$1; port=$2; lines=0
[ "$manner" = absent ] && exec sleep 1000
[ "$manner" = broken ] && { echo "no module named torch" >&2; exit 3; }
[ "$manner" = chatty ] && head -c 900000 /dev/zero | tr '\0' x
exec 3<>/dev/tcp/localhost/$port
while read -r line <&3; do
  echo "$line" >> "heard.$$"
  [ "$line" = Q ] && exit 0
  lines=$((lines + 1))
  last=${line##* }
  case $last in R* | H*) answer=C ;; *) answer=K ;; esac
  case $manner.$last in
    shove.H*) answer=R400 ;;
    garbage.*) answer=$'\x01X9' ;;
    illegal.B*) answer=R1 ;;
    acknowledges-wrong.D*) answer=C ;;
  esac
  if [ "$lines" -ge 7 ]; then
    case $manner in
      dies) echo "my last words" >&2; exit 4 ;;
      hangs) exec sleep 1000 ;;
      floods) exec yes 3<&- | tr -d '\n' >&3 ;;
      pours) exec yes X >&3 ;;
    esac
  fi
  printf '%s\n' "$answer" >&3
done
"#;

/// Writes a bot's folder.
fn folder(manner: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("bot.sh"), BOT).expect("a script");
    let commands = format!(
        r#"{{"build": ["sh", "-c", "echo built >> built"], "run": ["bash", "bot.sh", "{manner}"]}}"#
    );
    fs::write(folder.path().join("commands.json"), commands).expect("the commands");
    folder
}

fn game() -> Arc<GameDef> {
    load_game(GAME, Reading::Strict).expect("a built-in game")
}

fn build_for(
    folder: &Path,
    options: &str,
    def: &Arc<GameDef>,
) -> Result<Box<dyn Agent>, AgentError> {
    let text = format!("kind = 'pokerbots'\nfolder = '{}'\n{options}\n", folder.display());
    let config: AgentConfig = toml::from_str(&text).expect("a table");
    let mut registry = registry();
    registry.define("bot", config).expect("a definition");
    registry.resolve("bot")?.build(def)
}

fn build(folder: &Path, options: &str) -> Result<Box<dyn Agent>, AgentError> {
    build_for(folder, options, &game())
}

#[derive(Default)]
struct Decisions([Vec<DecisionRecord>; 2]);

impl Observer for Decisions {
    fn decision(&mut self, record: DecisionRecord) {
        self.0[usize::from(record.entrant)].push(record);
    }
}

/// The decisions of two agents in a duplicate match.
fn play(agents: [Box<dyn Agent>; 2], hands: u64) -> [Vec<DecisionRecord>; 2] {
    let agents = agents.map(Bot::inline).into();
    let mut table = Table::new(&game(), agents, 1, true, None);
    let mut decisions = Decisions::default();
    for hand in 0..hands {
        let record = table.play(hand, &mut decisions);
        assert_eq!(record.payoffs, record.public.payoffs(&record.hole));
    }
    decisions.0
}

/// The lines that the bot's processes have heard, one text a process.
fn heard(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let heard = files.filter(|path| path.file_stem().is_some_and(|stem| stem == "heard"));
    heard.map(|path| fs::read_to_string(path).expect("lines")).collect()
}

#[test]
fn two_bots_play_a_game_of_a_thousand_rounds_and_are_asked_as_their_engine_asks() {
    let (calls, shoves) = (folder("calls"), folder("shove"));
    let agents = [calls.path(), shoves.path()].map(|bot| build(bot, "").expect("it starts"));
    let decisions = play(agents, 1000);
    for (entrant, decisions) in decisions.iter().enumerate() {
        assert!(decisions.iter().all(|d| d.fallback.is_none() && d.corrected_from.is_none()));
        assert!(decisions.len() >= 500, "{entrant}: {} decisions", decisions.len());
    }
    let [first] = &heard(shoves.path())[..] else { panic!("one process") };
    assert!(first.starts_with("T30.000 P0 H") && first.ends_with("\nQ\n"), "{first}");
    let indices = first.lines().filter(|line| line.contains(" P0 ")).count();
    assert_eq!((indices, first.matches(" D").count()), (500, 1000));
    // Every street after an all-in is asked for, and every result is acknowledged.
    assert_eq!(first.matches(" R400 C B").count(), 500);
    assert_eq!(first.lines().count(), 1000 * (1 + 3 + 1) + 1);
    let [second] = &heard(calls.path())[..] else { panic!("one process") };
    let clock = |line: &str| line[1..line.find(' ').expect("a clause")].parse::<f64>();
    let clocks: Vec<f64> = second.lines().filter(|line| *line != "Q").flat_map(clock).collect();
    assert!(clocks.is_sorted_by(|a, b| a >= b) && clocks[clocks.len() - 1] > 0.0);
    for bot in [&calls, &shoves] {
        assert_eq!(fs::read_to_string(bot.path().join("built")).expect("a file"), "built\n");
    }
}

#[test]
fn each_misbehaviour_costs_the_bot_its_game_and_the_other_nothing() {
    let cases = [
        ("dies", Fallback::Gone, "it closed its connection (exit status: 4); its last words: `my"),
        ("hangs", Fallback::Timeout, "it did not answer within 300ms"),
        ("floods", Fallback::BadAnswer, "it sent a line of more than 65536 bytes"),
    ];
    for (manner, reason, note) in cases {
        let (bad, good) = (folder(manner), folder("calls"));
        let options = "timeout = '300ms'\nrounds = 10";
        let begun = Instant::now();
        let agents = [
            build(bad.path(), options).expect("it starts"),
            build(good.path(), "").expect("it starts"),
        ];
        let [bad, good] = play(agents, 30);
        assert!(begun.elapsed() < Duration::from_secs(20), "{manner}");
        assert!(good.iter().all(|decision| decision.fallback.is_none()), "{manner}");
        let failed: Vec<_> = bad.iter().filter(|decision| decision.fallback.is_some()).collect();
        // It goes wrong in each of its three games, perhaps where it only acknowledges.
        let games = [0..10, 10..20, 20..30].map(|hands| {
            let of_game = failed.iter().filter(|decision| hands.contains(&decision.hand));
            of_game.count()
        });
        assert!(games.iter().all(|&failed| failed > 0), "{manner}: {games:?}");
        assert!(failed.len() < bad.len(), "{manner}");
        assert!(bad.iter().any(|decision| decision.hand >= 20 && decision.fallback.is_none()));
        let noted = |decision: &DecisionRecord| {
            let said = decision.note.as_deref().unwrap_or_default();
            match decision.fallback {
                Some(Fallback::Gone) => said.contains(note),
                Some(other) => other == reason && said.starts_with(note),
                None => true,
            }
        };
        for decision in &failed {
            assert!(noted(decision), "{manner}: {:?} {:?}", decision.fallback, decision.note);
            let legal = [Action::Fold, Action::Call];
            assert!(legal.contains(&decision.action), "{manner}: {:?}", decision.action);
        }
    }
}

#[test]
fn an_answer_that_is_no_legal_action_costs_the_decision_only() {
    let cases = [
        ("garbage", "it answered `\\u{1}X9`, which is not an action here; legal: "),
        ("illegal", "it answered `R1`, which is not legal here; legal: K, R2 to R398"),
        // More lines than questions: each answers the next one.
        ("pours", "it answered `X`, which is not an action here; legal: "),
        ("acknowledges-wrong", ""),
    ];
    for (manner, note) in cases {
        let (bad, good) = (folder(manner), folder("calls"));
        let agents = [bad.path(), good.path()].map(|bot| build(bot, "").expect("it starts"));
        let [bad, good] = play(agents, 20);
        assert!(good.iter().all(|decision| decision.fallback.is_none()), "{manner}");
        let failed: Vec<_> = bad.iter().filter(|decision| decision.fallback.is_some()).collect();
        assert_eq!(failed.is_empty(), note.is_empty(), "{manner}");
        for decision in &failed {
            assert_eq!(decision.fallback, Some(Fallback::BadAnswer), "{manner}");
            let said = decision.note.as_deref().unwrap_or_default();
            assert!(said.starts_with(note), "{manner}: {said}");
        }
        match manner {
            "garbage" => assert_eq!(failed.len(), bad.len()),
            // It goes on to the end of the match.
            "pours" => assert!(failed.iter().any(|decision| decision.hand == 19)),
            _ => assert!(failed.len() < bad.len()),
        }
    }
}

#[test]
fn a_clock_that_runs_out_is_the_end_of_the_game() {
    let (slow, good) = (folder("hangs"), folder("calls"));
    let agents = [
        build(slow.path(), "clock = '400ms'").expect("it starts"),
        build(good.path(), "clock = 'none'").expect("it starts"),
    ];
    let [slow, _] = play(agents, 12);
    let notes: Vec<&str> = slow.iter().filter_map(|decision| decision.note.as_deref()).collect();
    assert!(notes.iter().any(|note| note.contains("its clock of 400ms has run out")), "{notes:?}");
    assert_eq!(slow.last().and_then(|last| last.fallback), Some(Fallback::Gone));
    // Without a clock the bot is told that it has all of it.
    assert!(heard(good.path())[0].lines().all(|line| line == "Q" || line.starts_with("T30.000 ")));
}

#[test]
fn what_a_bot_prints_is_kept_up_to_a_limit() {
    let bot = folder("chatty");
    let output = bot.path().join("bot.txt");
    let agents = [
        build(bot.path(), &format!("output = '{}'", output.display())).expect("it starts"),
        registry().resolve("call").and_then(|call| call.build(&game())).expect("call plays"),
    ];
    let [decisions, _] = play(agents, 10);
    assert!(decisions.iter().all(|decision| decision.fallback.is_none()));
    assert_eq!(fs::metadata(output).expect("a file").len(), 512 * 1024);
}

#[test]
fn a_bot_that_cannot_be_started_says_why() {
    let refused =
        |folder: &Path, options: &str| build(folder, options).err().expect("an error").to_string();
    let empty = tempfile::tempdir().expect("a folder");
    let said = refused(empty.path(), "");
    assert!(said.contains("commands.json: No such file") && said.contains("has a file"), "{said}");
    for (commands, reason) in [
        ("{}", "it must have `build` and `run`, each a list of words"),
        (r#"{"build": [], "run": "python3 player.py"}"#, "each a list of words"),
        (r#"{"build": [], "run": []}"#, "`run` names no program"),
        (r#"{"build": [], "run": ["./missing"]}"#, "cannot start "),
        (r#"{"build": ["sh", "-c", "echo oh no >&2; exit 2"], "run": ["x"]}"#, "oh no"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("commands.json"), commands).expect("a file");
        let said = refused(folder.path(), "");
        assert!(said.contains(reason), "{commands}: {said}");
    }
    let broken = folder("broken");
    let said = refused(broken.path(), "");
    assert!(said.contains("(exit status: 3); its last words: `no module named torch`"), "{said}");
    let absent = folder("absent");
    let said = refused(absent.path(), "start-timeout = '300ms'");
    assert!(said.contains("it has not connected"), "{said}");
    let other = load_game("holdem.nolimit.2p.reverse_blinds", Reading::Strict).expect("a game");
    let said = build_for(absent.path(), "", &other).err().expect("an error").to_string();
    assert!(said.contains("play with --game pokerbots.nolimit.2p"), "{said}");
    for (options, reason) in [
        ("rounds = 0", "`rounds` is 0"),
        ("clock = 'soon'", "`clock` is `soon`, but must be a time such as `10s`"),
    ] {
        let said = refused(absent.path(), options);
        assert!(said.contains(reason), "{said}");
    }
}
