//! Bots of MIT Pokerbots through the commands: matches and tournaments of folders, seats at an
//! engine, and its logs.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use cards::{Card, HoleCards};
use game::{BySeat, InfoSet, PublicState, Seat, Turn};
use matches::games::load_game;
use protocol::acpc::gamedef::Reading;
use protocol::pokerbots::{DISCARD_GAME, Dialect, Host, index_of};

use crate::program::{Folder, end, kill, list, runs, shows, string, wait_for};

const GAME: &str = "--game pokerbots.nolimit.2p";

/// Makes a bot's folder whose `run` is this list of words in JSON.
fn folder(at: &Folder, name: &str, run: &str) {
    fs::create_dir_all(at.join(name)).expect("a folder");
    at.write(format!("{name}/commands.json"), format!("{{\"build\": [], \"run\": {run}}}"));
}

/// Makes the folder of a bot that is this program.
fn ours(at: &Folder, name: &str, agent: &str) {
    let program = env!("CARGO_BIN_EXE_cardroom");
    folder(at, name, &format!(r#"["{program}", "play", "pokerbots", "--agent", "{agent}"]"#));
}

/// Makes the folder of a bot that answers each line as the body of a loop says.
fn script(at: &Folder, name: &str, body: &str) {
    folder(at, name, r#"["bash", "bot.sh"]"#);
    let text = format!("exec 3<>/dev/tcp/localhost/$1\nwhile read -r line <&3; do\n{body}\ndone\n");
    at.write(format!("{name}/bot.sh"), text);
}

#[test]
fn a_bot_that_is_this_program_plays_a_match_without_a_fault_and_goes_on_with_it() {
    let at = &Folder::new();
    ours(at, "bot", "cfr");
    let arguments =
        ("match pokerbots:bot random --name bot --name other --strict --out m --seed 3", GAME);
    let played = at.json((arguments, "--hands 200"));
    assert_eq!(played["hands"], 200);
    // The same command shows it again, and more hands go on with it.
    assert_eq!(at.json((arguments, "--hands 200"))["hands"], 200);
    assert_eq!(at.json((arguments, "--hands 300"))["hands"], 300);
    // A log has all of it, and comes back.
    at.ok("export m --format gamelog --out gamelog.txt");
    assert!(at.read("gamelog.txt").starts_with("6.9630 MIT Pokerbots - "));
    at.ok("import gamelog.txt --out again");
    at.ok("export again --format gamelog --out again.txt");
    let hands = |text: String| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(hands(at.read("again.txt")), hands(at.read("gamelog.txt")));
}

#[test]
fn an_answer_that_was_replaced_is_counted_and_explained_and_fails_a_strict_match() {
    let at = &Folder::new();
    script(at, "bot", "printf 'R3\\n' >&3");
    let arguments = ("match pokerbots:bot call --hands 40 --out m --threads 1", GAME);
    let shown = at.ok(arguments);
    let note = shown.lines().find(|line| line.starts_with("note: of the 100 decisions"));
    let note = note.unwrap_or_else(|| panic!("{shown}"));
    shows(
        note,
        &["pokerbots_bot, 40 were made for it", "it answered `R3`, which is not legal here"],
    );
    shows(note, &["legal: "]);
    at.fails(5, (arguments, "--strict"), "it answered `R3`");
    let other = "match pokerbots:bot call --hands 40";
    at.fails(3, other, "play with --game pokerbots.nolimit.2p");
}

#[test]
fn a_tournament_of_six_bots_ends_though_one_hangs_one_floods_and_one_dies() {
    let at = &Folder::new();
    ours(at, "good", "call");
    let check = "last=${line##* }; case $last in R* | H*) a=C ;; *) a=K ;; esac";
    let say = "printf '%s\\n' \"$a\" >&3";
    script(at, "calls", &format!("{check}\n{say}"));
    script(at, "folds", &format!("{check}; [ $a = C ] && a=F\n{say}"));
    let later = "n=$((n + 1)); if [ $n -gt 20 ]; then";
    script(at, "hangs", &format!("{later} exec sleep 1000; fi\n{check}\n{say}"));
    script(at, "floods", &format!("{later} yes | tr -d '\\n' >&3; fi\n{check}\n{say}"));
    script(at, "dies", &format!("{later} exit 7; fi\n{check}\n{say}"));
    let names = ["good", "calls", "folds", "hangs", "floods", "dies"];
    let agents: Vec<String> = names.iter().map(|name| format!("pokerbots:{name}")).collect();
    let begun = Instant::now();
    let words =
        format!("tournament {} {GAME} --hands 40 --deadline 400ms --out t", agents.join(" "));
    let played = at.json(words.as_str());
    assert!(begun.elapsed() < Duration::from_secs(120));
    assert_eq!(list(&played["matches"]).len(), 15);
    let mut at_fault = BTreeSet::new();
    for entrant in list(&played["matches"]).iter().flat_map(|one| list(&one["entrants"])) {
        if entrant["decisions"]["fault"].is_string() {
            at_fault.insert(string(&entrant["name"]));
        }
    }
    let named = ["dies", "floods", "hangs"].map(|name| format!("pokerbots_{name}"));
    assert!(at_fault.iter().eq(&named), "{at_fault:?}");
    let standings = list(&played["standings"]);
    assert_eq!(standings.len(), 6, "{played}");
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_of_a_bot_outlives_a_match_that_is_killed() {
    let at = &Folder::new();
    script(at, "bot", "[ -f sleeper ] || { sleep 1000 & echo $! > sleeper; }\nprintf 'K\\n' >&3");
    let arguments = ("match pokerbots:bot call --hands 1000000 --record nothing --threads 1", GAME);
    let mut child = at.start_unheard(arguments);
    let file = at.join("bot/sleeper");
    wait_for(&mut child, "hands are played", || {
        fs::read_to_string(&file).is_ok_and(|text| text.ends_with('\n'))
    });
    let process = at.read("bot/sleeper").trim().to_owned();
    assert!(runs(&process));
    kill(child);
    let killed = Instant::now();
    while runs(&process) {
        assert!(killed.elapsed() < Duration::from_secs(2), "process {process} still runs");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sits down at an engine that says these lines, each after an answer to the one before.
fn sit(at: &Folder, lines: &[&str]) -> (crate::program::Run, Vec<String>) {
    let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = door.local_addr().expect("an address").port();
    let child = at.start(("play pokerbots --agent call --json", [&*format!("127.0.0.1:{port}")]));
    let (mut stream, _) = door.accept().expect("a bot");
    let mut answers = BufReader::new(stream.try_clone().expect("a socket")).lines();
    let mut heard = Vec::new();
    for line in lines {
        stream.write_all(format!("{line}\n").as_bytes()).expect("it reads");
        if *line != "Q" {
            heard.extend(answers.next().and_then(Result::ok));
        }
    }
    // Both halves, or it stays open.
    drop((stream, answers));
    (end(child), heard)
}

#[test]
fn a_seat_at_an_engine_is_played_to_the_end_and_what_breaks_the_rules_is_told() {
    let at = &Folder::new();
    let game = [
        "T30.000 P0 HAs,Kd",
        "T29.900 C K B2c,8d,Th K",
        "T29.800 K B2c,8d,Th,3s R398",
        "T29.600 C B2c,8d,Th,3s,Jc K",
        "T29.500 K O7c,7d D-400",
        "Q",
    ];
    let (run, heard) = sit(at, &game);
    assert_eq!(heard, ["C", "K", "C", "K", "K"]);
    let report = run.code(0).json();
    assert_eq!(report["schema"], "cardroom-play-pokerbots/1");
    assert_eq!((report["hands"].as_u64(), report["chips"].as_f64()), (Some(1), Some(-400.0)));
    assert_eq!(string(&report["end"]), "match-over");
    let (run, _) = sit(at, &["T30.000 P0 HAs,Kd", "T29.000 C F D2"]);
    run.failed(4, "the engine sent `T29.000 C F D2`: `F`: there is nothing to call");
    let (run, _) = sit(at, &["T30.000 P0 HAs,Kd"]);
    run.failed(4, "closed the connection in the middle of round 1");
    let usage = at.run("play pokerbots nowhere --agent call").code(2);
    shows(&usage.stderr, &["`nowhere` is neither HOST:PORT"]);
    let alone = "play pokerbots 127.0.0.1:1 --agent call --connect-timeout 100ms";
    at.fails(4, alone, "cannot connect to 127.0.0.1:1 within 100ms");
}

#[test]
fn a_log_of_the_original_engine_is_imported_with_its_results() {
    let at = &Folder::new();
    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol/tests/data/pokerbots");
    for (name, rounds, chips) in [("plain", 120, "-792"), ("mess2", 80, "-708")] {
        let log = logs.join(format!("{name}.gamelog"));
        let log = log.to_str().expect("a path");
        let run = at.run(("import", [log], "--out", [name])).code(0);
        shows(&run.stderr, &[&format!("{rounds} hands of 1 file")]);
        shows(&run.stderr, &["not kept: answers that the engine refused"]);
        shows(&run.stdout, &["pokerbots.nolimit.2p"]);
        at.ok(("export", [name], "--format gamelog --out", [&*format!("{name}.txt")]));
        let again = at.read(format!("{name}.txt"));
        assert!(again.ends_with(&format!("Final, A ({chips}), B ({})", &chips[1..])), "{again}");
    }
}

/// The sample bot of 2026 as a program that has connected.
struct Seated {
    child: Child,
    stream: TcpStream,
    answers: std::io::Lines<BufReader<TcpStream>>,
}

impl Seated {
    fn start() -> Seated {
        let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = door.local_addr().expect("an address").port();
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/bots/pokerbots_2026");
        let mut command = Command::new("python3");
        command.arg("player.py").arg(port.to_string()).current_dir(folder);
        Seated::accept(command.spawn().expect("python3 runs"), &door)
    }

    /// Our own agent.
    fn ours(at: &Folder, agent: &str) -> Seated {
        let door = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = door.local_addr().expect("an address").port().to_string();
        let words =
            ["play", "pokerbots", &port, "--agent", agent, "--game", DISCARD_GAME, "--json"];
        Seated::accept(at.start(words), &door)
    }

    fn accept(child: Child, door: &TcpListener) -> Seated {
        let (stream, _) = door.accept().expect("a bot");
        stream.set_nodelay(true).expect("a socket");
        let answers = BufReader::new(stream.try_clone().expect("a socket")).lines();
        Seated { child, stream, answers }
    }

    fn ask(&mut self, line: &str) -> String {
        self.stream.write_all(line.as_bytes()).expect("it reads");
        self.answers.next().expect("an answer").expect("text")
    }
}

#[test]
fn the_sample_bot_of_2026_plays_rounds_of_its_variant_without_a_refused_answer() {
    let (discards, chips, bots) = play_rounds([Seated::start(), Seated::start()], 60);
    // It never folds, so both put a card away in every round.
    assert_eq!((discards, chips[0] + chips[1]), (120, 0));
    for mut bot in bots {
        bot.stream.write_all(b"Q\n").expect("it reads");
        assert!(bot.child.wait().expect("a child").success());
    }
}

#[test]
fn our_agents_sit_at_an_engine_of_2026_and_those_without_a_rule_for_it_are_refused() {
    let at = &Folder::new();
    let bots = [Seated::ours(at, "equity:samples=50"), Seated::ours(at, "random")];
    let (discards, chips, bots) = play_rounds(bots, 200);
    assert!(discards > 40 && chips[0] + chips[1] == 0, "{discards}");
    // The one that knows what its cards are worth wins.
    assert!(chips[0] > 0, "{chips:?}");
    for (mut bot, won) in bots.into_iter().zip(chips) {
        bot.stream.write_all(b"Q\n").expect("it reads");
        let run = end(bot.child);
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("a report");
        assert_eq!(report["hands"], 200);
        assert_eq!(report["chips"].as_f64(), Some(won as f64));
        assert_eq!(report["decisions"]["corrected"], 0);
    }
    let refused = ("play pokerbots 1 --connect-timeout 0s --agent cfr --game", [DISCARD_GAME]);
    at.fails(3, refused, "`equity`, `random`");
    at.fails(2, "play pokerbots 1 --agent call --game kuhn.limit.2p", DISCARD_GAME);
}

/// The sample bot of 2026 in a folder of its own.
fn sample_of_2026(at: &Folder, name: &str) {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/bots/pokerbots_2026");
    fs::create_dir_all(at.join(name)).expect("a folder");
    for file in ["commands.json", "player.py"] {
        fs::copy(Path::new(sample).join(file), at.join(name).join(file)).expect("a file");
    }
}

#[test]
fn a_killed_match_of_2026_goes_on_and_has_the_hands_of_one_that_was_not() {
    let at = &Folder::new();
    sample_of_2026(at, "a");
    sample_of_2026(at, "b");
    let arguments = |out: &str| {
        format!(
            "match pokerbots:a pokerbots:b --game {DISCARD_GAME} --hands 1500 --strict --out {out}"
        )
    };
    let mut child = at.start_unheard(arguments("killed").as_str());
    let log = at.join("killed/acpc.log");
    wait_for(&mut child, "some hands are recorded", || {
        fs::metadata(&log).is_ok_and(|file| file.len() > 20_000)
    });
    kill(child);
    let known = at.read("killed/acpc.log").lines().count();
    assert!(known < 1500, "{known}");
    for out in ["killed", "whole"] {
        assert_eq!(at.json(arguments(out).as_str())["hands"], 1500);
        at.ok(format!("export {out} --format gamelog --out {out}.txt").as_str());
    }
    let log = at.read("whole.txt");
    assert_eq!(at.read("killed.txt"), log);
    assert_eq!(log.matches(" discards ").count(), 3000, "both put a card away in each hand");
    assert!(log.contains("\nDiscard 2 [") && log.contains(" turn bets EV: "));
    // Every hand is read again by the rules, and luck can be taken out of the result.
    let stats = at.json("stats whole");
    assert_eq!(stats["hands"], 1500);
    at.ok("replay whole --hands 0..9");
    at.fails(3, "export whole --format phhs --out whole.phhs", "hold'em");
}

#[test]
fn bots_of_2026_that_hang_flood_or_die_lose_their_game_and_the_others_go_on() {
    let at = &Folder::new();
    let check = "last=${line##* }; commas=${last//[^,]}; case \"$last:${#commas}\" in B*:1 | B*:2) \
                 a=D0 ;; R* | H* | G:* ) a=C ;; *) a=K ;; esac";
    let say = "printf '%s\\n' \"$a\" >&3";
    script(at, "calls", &format!("{check}\n{say}"));
    let later = "n=$((n + 1)); if [ $n -gt 20 ]; then";
    script(at, "hangs", &format!("{later} exec sleep 1000; fi\n{check}\n{say}"));
    script(at, "floods", &format!("{later} yes | tr -d '\\n' >&3; fi\n{check}\n{say}"));
    script(at, "dies", &format!("{later} exit 7; fi\n{check}\n{say}"));
    script(at, "keeps", &format!("{check}; [ $a = D0 ] && a=K\n{say}"));
    let bots = ["calls", "hangs", "floods", "dies", "keeps"].map(|bot| format!("pokerbots:{bot}"));
    let words = format!(
        "tournament {} equity:samples=20 --game {DISCARD_GAME} --hands 40 --deadline 400ms --out t",
        bots.join(" ")
    );
    let played = at.json(words.as_str());
    assert_eq!(list(&played["matches"]).len(), 15);
    let mut at_fault = BTreeSet::new();
    for entrant in list(&played["matches"]).iter().flat_map(|one| list(&one["entrants"])) {
        if let Some(fault) = entrant["decisions"]["fault"].as_str() {
            let name = string(&entrant["name"]);
            assert!(name != "pokerbots_keeps" || fault.contains("legal: D0 to D2"), "{fault}");
            at_fault.insert(name);
        }
    }
    let named = ["dies", "floods", "hangs", "keeps"].map(|name| format!("pokerbots_{name}"));
    assert!(at_fault.iter().eq(&named), "{at_fault:?}");
    for (words, reason) in [
        ("match cfr call --hands 10", "`equity`, `random`"),
        ("evaluate lbr call --hands 10", "only `match`, `tournament`"),
    ] {
        at.fails(3, format!("{words} --game {DISCARD_GAME}").as_str(), reason);
    }
}

/// Plays rounds as the engine of 2026: the cards put away, what each has won, and the bots.
fn play_rounds(mut bots: [Seated; 2], rounds: usize) -> (usize, [i64; 2], [Seated; 2]) {
    const LEFT: Duration = Duration::from_secs(60);
    let def = load_game(DISCARD_GAME, Reading::Strict).expect("a built-in game");
    let mut hosts = [Host::new(Dialect::Discard), Host::new(Dialect::Discard)];
    let (mut discards, mut chips) = (0, [0; 2]);
    let mut deck: Vec<Card> = Card::all().collect();
    for round in 0..rounds {
        let number = round as u64;
        // Any order that differs from round to round.
        let count = deck.len();
        (0..count).for_each(|place| deck.swap(place, (place * 7 + round * 13 + 5) % count));
        let bot = |seat: Seat| (usize::from(index_of(&def, seat)) + round) % 2;
        let mut hole = BySeat::new(2);
        for (seat, hand) in def.seats().zip(deck.chunks(3)) {
            hole[seat] = HoleCards::new(hand).expect("three cards");
        }
        let dealt = &deck[6..10];
        let mut public = PublicState::new(&def);
        loop {
            let seat = match (public.turn(), public.discarding()) {
                (Turn::Over, _) => break,
                (Turn::Deal(_), None) => {
                    let next = [0, 2, 2, 2, 2, 3][public.board().len()];
                    let cards = if next == 0 { 2 } else { 1 };
                    public.deal(&dealt[next..next + cards]).expect("cards that are due");
                    continue;
                }
                (Turn::Deal(_), Some(seat)) | (Turn::Act(seat), _) => seat,
            };
            let infoset = InfoSet { public: public.clone(), seat, hole: hole[seat] };
            let (host, seated) = (&mut hosts[bot(seat)], &mut bots[bot(seat)]);
            while let Some(line) = host.before_question(number, &infoset, LEFT) {
                assert_eq!(seated.ask(&line), "K");
            }
            let answer = seated.ask(&host.question(number, &infoset, LEFT));
            if public.discarding().is_some() {
                let place = host.discard(answer.as_bytes(), &hole[seat]);
                let place = place.unwrap_or_else(|refused| panic!("round {round}: {refused}"));
                public.discard(place, hole[seat][usize::from(place)]).expect("a card of the hand");
                discards += 1;
            } else {
                let action = host.answer(answer.as_bytes(), &public);
                let action = action.unwrap_or_else(|refused| panic!("round {round}: {refused}"));
                public.apply(action).expect("a legal action");
            }
        }
        let payoffs = public.payoffs(&hole);
        for seat in def.seats() {
            let (host, seated) = (&mut hosts[bot(seat)], &mut bots[bot(seat)]);
            host.end(number, &public, seat, &hole, payoffs[seat]);
            while let Some(line) = host.closing(LEFT) {
                assert_eq!(seated.ask(&line), "K");
            }
            chips[bot(seat)] += payoffs[seat].chips() as i64;
        }
    }
    (discards, chips, bots)
}
