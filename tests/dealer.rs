//! `cardroom dealer` as a process: what bad players, dead players and a dead dealer lead to.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use game::Seat;
use protocol::acpc::deal::Deals;
use protocol::acpc::find;
use protocol::acpc::gamedef::{self, Reading};

use crate::program::{Folder, Run, open_port, run, send, wait_until};

const NOLIMIT: &str = "holdem.nolimit.2p.reverse_blinds";

/// A dealer that runs, and the folder it runs in.
struct Dealer {
    child: Child,
    out: BufReader<ChildStdout>,
    ports: Vec<u16>,
    folder: Folder,
}

fn start_in(folder: Folder, game: &str, hands: &str, options: &str) -> Dealer {
    let err = fs::File::create(folder.join("err")).expect("a file for errors");
    let mut command = folder.command(("dealer m", [game, hands], "0 p1 p2", options));
    let mut child = command.stdout(Stdio::piped()).stderr(err).spawn().expect("the dealer starts");
    let mut out = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    out.read_line(&mut line).expect("the ports");
    let ports = line.split_whitespace().map(|port| port.parse().expect("a port")).collect();
    Dealer { child, out, ports, folder }
}

fn start(hands: &str, options: &str) -> Dealer {
    start_in(Folder::new(), NOLIMIT, hands, options)
}

impl Dealer {
    /// Waits for it to end by itself.
    fn end(&mut self) -> Run {
        let mut status = None;
        wait_until("the dealer ends", || {
            status = self.child.try_wait().expect("a child");
            status.is_some()
        });
        let mut out = String::new();
        self.out.read_to_string(&mut out).expect("text");
        Run::new(status.and_then(|status| status.code()), out, self.read("err"))
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    fn players(&self) -> Vec<Player> {
        self.ports.iter().map(|&port| Player::connect(port)).collect()
    }
}

impl Drop for Dealer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A player that says what the test says.
struct Player {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Player {
    fn silent(port: u16) -> Player {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("the port is open");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a socket");
        let lines = BufReader::new(stream.try_clone().expect("a socket"));
        Player { stream, lines }
    }

    fn connect(port: u16) -> Player {
        let mut player = Player::silent(port);
        player.send(b"VERSION:2.0.0\r\n");
        player
    }

    /// Sends bytes, if the dealer is still there.
    fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// The next line, or `None` at the end.
    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.lines.read_line(&mut line) {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(line.trim_end().to_owned()),
        }
    }

    /// Reads until a state with this betting comes, and answers it.
    fn answer(&mut self, hand: u32, betting: &str, action: &str) {
        let wanted = format!(":{hand}:{betting}:");
        loop {
            let line = self.line().unwrap_or_else(|| panic!("no state {wanted}"));
            if line["MATCHSTATE:0".len()..].starts_with(&wanted) {
                self.send(format!("{line}:{action}\r\n").as_bytes());
                return;
            }
        }
    }
}

#[test]
fn a_player_that_closes_in_the_middle_of_a_hand_ends_the_match_with_a_result() {
    let mut dealer = start("1000", "-q");
    let mut players = dealer.players();
    players[1].answer(0, "", "f");
    players[0].answer(1, "", "r300");
    assert!(players[1].line().is_some());
    drop(players.remove(1));
    let end = dealer.end().code(4);
    assert_eq!(
        end.last(),
        "error: the match stopped in hand 1 of 0 to 999: seat 2 (p2) closed its connection; \
         score so far 50|-50:p1|p2"
    );
    assert!(end.stderr.contains("ERROR: could not get action from seat 2\n"));
    assert_eq!(end.stdout, "");
    assert!(dealer.read("m.log").ends_with("STATE:0:f:5d5c|9hQd:50|-50:p1|p2\n"));
}

#[test]
fn an_idle_player_that_closes_is_noticed_though_the_other_only_thinks() {
    let mut dealer = start("1000", "-q");
    let mut players = dealer.players();
    assert!(players[1].line().is_some());
    drop(players.remove(0));
    let begun = Instant::now();
    dealer.end().failed(4, "seat 1 (p1) closed its connection");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn players_that_never_come_never_speak_or_never_answer_do_not_hang_the_dealer() {
    let mut nobody = start("9", "-q --start_timeout 300");
    nobody
        .end()
        .failed(4, "seat 1 (p1) did not connect within 300ms")
        .says(&["ERROR: timed out waiting for seat 1 to connect\n"]);

    let mut mute = start("9", "-q --version_timeout 300");
    let _first = Player::connect(mute.ports[0]);
    let _second = Player::silent(mute.ports[1]);
    mute.end().failed(4, "seat 2 (p2) sent no version line within 300ms");

    let mut slow = start("9", "-q --t_response 300");
    let _players = slow.players();
    slow.end().failed(4, "seat 2 (p2) did not answer within 300ms").says(&[
        "ERROR: could not get action from seat 2\n0.3 seconds spent waiting; timeout 0.3\n",
    ]);
}

#[test]
fn ten_megabytes_without_an_end_of_line_and_binary_noise_are_ignored() {
    let mut dealer = start("1", "-q --summary summary.json");
    let mut players = dealer.players();
    let state = players[1].line().expect("a state");
    for _ in 0..10 {
        players[1].send(&vec![b'x'; 1 << 20]);
    }
    players[1].send(b"\n");
    let noise: Vec<u8> =
        (0..100_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    players[1].send(&noise);
    players[1].send(format!("\n{state}:f\r\n").as_bytes());
    let end = dealer.end();
    assert_eq!((end.status, end.stdout.as_str()), (Some(0), "SCORE:50|-50:p1|p2\n"));
    let summary: serde_json::Value =
        serde_json::from_str(&dealer.read("summary.json")).expect("JSON");
    assert_eq!(summary["result"], "finished");
    assert_eq!(summary["seats"][0]["score"], 50.0);
    let seat = &summary["seats"][1];
    assert_eq!((seat["replies"].as_u64(), seat["corrected"].as_u64()), (Some(1), Some(0)));
    assert!(seat["ignored"].as_u64() > Some(2500), "{seat}");
    assert!(seat["reply_seconds"]["max"].as_f64() > Some(0.0), "{seat}");
}

#[test]
fn noise_instead_of_a_version_ends_the_match_at_once() {
    let mut dealer = start("1", "-q");
    let mut player = Player::silent(dealer.ports[0]);
    player.send(b"\x16\x03\x01\x02\x00\x01\xff\n");
    let end = dealer.end().code(4);
    assert!(end.stderr.starts_with("# name/game/hands/seed m "));
    assert!(end.stderr.contains("ERROR: invalid version string"));
    assert_eq!(player.line(), None);
}

#[test]
fn a_player_that_stops_reading_does_not_block_the_dealer() {
    let mut dealer = start("4294967295", "-q -l -f --write_timeout 300");
    let mut players = dealer.players();
    let mut deaf = players.remove(1);
    let mut lively = players.remove(0);
    let reader = std::thread::spawn(move || while lively.line().is_some() {});
    // The deaf player knows the cards of seed 0 by heart and folds every hand without looking.
    let file = gamedef::read(find(NOLIMIT).expect("a game").text.as_bytes(), "", Reading::Strict);
    let mut deals = Deals::new(&file.expect("a game").def, 0);
    let seat = Seat::new(1).expect("a seat");
    for hand in 0.. {
        let line = format!("MATCHSTATE:1:{hand}::|{}:f\r\n", deals.deal().hole[seat]);
        if deaf.stream.write_all(line.as_bytes()).is_err() {
            break;
        }
        assert!(hand < 10_000_000, "the dealer still writes");
    }
    dealer
        .end()
        .failed(4, "seat 2 (p2) does not read what is sent to it")
        .says(&["ERROR: could not send state to seat 2\n"]);
    reader.join().expect("the other player sees the end");
}

#[test]
fn a_port_in_use_is_named_and_costs_no_earlier_match_its_log() {
    let (_taken, port) = open_port();
    let folder = Folder::new();
    folder.write("m.log", "an earlier match\n");
    let mut dealer = start_in(folder, NOLIMIT, "1", &format!("-p 0,{port}"));
    let end = dealer.end();
    assert_eq!(dealer.read("m.log"), "an earlier match\n");
    assert_eq!(end.status, Some(3));
    assert!(end.stderr.contains("ERROR: could not create listen socket for player 2\n"));
    assert!(end.last().contains(&format!("cannot listen on 127.0.0.1:{port} for seat 2")));
}

#[test]
fn bad_games_are_refused_with_line_and_reason() {
    let folder = Folder::new();
    folder.write("g.game", "limit\nnumPlayrs = 2\n");
    let mut dealer = start_in(folder, "g.game", "1", "");
    let end = dealer.end().code(3).says(&["ERROR: could not read game g.game\n"]);
    assert!(end.last().ends_with("g.game: invalid number of rounds: 0"), "{}", end.last());

    let folder = Folder::new();
    folder.write("g.game", "limit\nnumPlayrs = 2\n");
    let mut dealer = start_in(folder, "g.game", "1", "--strict-game");
    let end = dealer.end().code(3);
    assert_eq!(
        end.last(),
        "error: g.game:2: `numPlayrs` is not a key of game files; did you mean `numPlayers`?"
    );

    let mut dealer = start_in(Folder::new(), "holdem.nolimit.4p", "1", "");
    dealer.end().failed(3, "did you mean `holdem.nolimit.3p`?");
}

#[test]
fn strict_replies_end_the_match_at_the_first_bad_one() {
    let mut dealer = start("9", "-q --replies strict");
    let mut players = dealer.players();
    players[1].answer(0, "", "r150");
    dealer.end().failed(4, "seat 2 (p2) sent a bad reply, `MATCHSTATE:1:0::|9hQd:r150`");
}

#[test]
fn a_match_killed_in_the_middle_of_a_hand_goes_on_from_its_transactions() {
    let mut first = start("3", "-T");
    let mut players = first.players();
    players[1].answer(0, "", "r300");
    players[0].answer(0, "r300", "f");
    players[0].answer(1, "", "c");
    players[1].answer(1, "c", "r600");
    wait_until("the raise is in the transactions", || first.read("m.tlog").contains("r600 1 "));
    first.child.kill().expect("SIGKILL");
    first.child.wait().expect("a child");
    // The kill hit in the middle of writing both files.
    let append = |path: &Path, text: &str| {
        let mut file = fs::OpenOptions::new().append(true).open(path).expect("a file");
        file.write_all(text.as_bytes()).expect("room");
    };
    append(&first.folder.join("m.tlog"), "c 1 17952");
    let log = first.folder.join("m.log");
    let before = fs::read_to_string(&log).expect("a log");
    assert!(before.ends_with("STATE:0:r300f:5d5c|9hQd:-100|100:p1|p2\n"));
    // Nor had the last hand come into the log.
    fs::write(&log, before.replace("STATE:0:r300f:5d5c|9hQd:-100|100:p1|p2\n", "STATE:0:r3"))
        .expect("a log");

    let folder = std::mem::replace(&mut first.folder, Folder::new());
    let mut second = start_in(folder, NOLIMIT, "3", "-T -a");
    let mut players = second.players();
    assert_eq!(players[0].line().as_deref(), Some("MATCHSTATE:1:1:cr600:|5dJd"));
    assert_eq!(players[1].line().as_deref(), Some("MATCHSTATE:0:1:cr600:6sKs|"));
    players[0].send(b"MATCHSTATE:1:1:cr600:|5dJd:f\r\n");
    players[1].answer(2, "", "f");
    let end = second.end();
    assert_eq!((end.status, end.stdout.as_str()), (Some(0), "SCORE:-150|150:p1|p2\n"));
    let states: Vec<String> = second
        .read("m.log")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(str::to_owned)
        .collect();
    assert_eq!(
        states,
        [
            "STATE:0:r300f:5d5c|9hQd:-100|100:p1|p2",
            "STATE:1:cr600f:6sKs|5dJd:100|-100:p2|p1",
            "STATE:2:f:Ah8s|2h4c:50|-50:p1|p2",
            "SCORE:-150|150:p1|p2",
        ]
    );
    assert_eq!(second.read("m.tlog").lines().count(), 6);

    // A complete match only says its score again.
    let folder = std::mem::replace(&mut second.folder, Folder::new());
    let mut third = start_in(folder, NOLIMIT, "3", "-T -a");
    let mut players = third.players();
    assert_eq!(players[0].line(), None);
    assert_eq!(third.end().stdout, "SCORE:-150|150:p1|p2\n");
}

#[test]
fn a_transaction_file_of_another_match_is_refused() {
    let folder = Folder::new();
    folder.write("m.tlog", "c 0 1.0 1.0\nc 7 1.0 1.0\n");
    start_in(folder, NOLIMIT, "3", "-T -a").end().failed(3, "m.tlog:2: handId mismatch");
}

#[test]
fn agents_that_the_dealer_starts_are_gone_when_it_ends() {
    let folder = Folder::new();
    let script = "echo started with $1 $2; echo $$ > pid; sleep 60 & wait";
    folder.write("agent.sh", script);
    let run = "-q --run 'sh agent.sh' --run '' --start_timeout 1500";
    let mut dealer = start_in(folder, NOLIMIT, "3", run);
    dealer.end().code(4);
    let host_and_port = format!("started with 127.0.0.1 {}\n", dealer.ports[0]);
    assert_eq!(dealer.read("m.player0.std"), host_and_port);
    let pid = dealer.read("pid");
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "the agent still runs");

    let mut dealer = start("3", r#"-q --run "sh -c 'echo oops >&2; exit 7'""#);
    let begun = Instant::now();
    dealer.end().failed(4, "seat 1 (p1) did not connect: its agent ended (exit status: 7)");
    assert_eq!(dealer.read("m.player0.err"), "oops\n");
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_terminated_dealer_says_so_and_can_be_resumed() {
    let mut dealer = start("9", "-q -T");
    let mut players = dealer.players();
    players[1].answer(0, "", "f");
    assert!(players[0].line().is_some());
    players[0].answer(1, "", "c");
    assert!(players[1].line().is_some());
    send("TERM", dealer.child.id());
    let end = dealer.end().failed(130, "it was interrupted; score so far 50|-50:p1|p2");
    assert!(end.last().ends_with("to continue, give the same command with -T -a"));
}

#[test]
fn a_player_that_sends_without_end_and_never_answers_ends_the_match() {
    let blanks = vec![b'x'; 1 << 20];
    for (junk, times) in [(&b"\n".repeat(1000)[..], 11), (b"# talk\n", 10_001), (&blanks, 17)] {
        let mut dealer = start("1", "-T --summary summary.json");
        let mut players = dealer.players();
        players[1].line().expect("a state");
        for _ in 0..times {
            players[1].send(junk);
        }
        let end = dealer
            .end()
            .failed(4, "seat 2 (p2) sent more than 10000 lines")
            .says(&["in hand 0 of 0 to 0"]);
        assert!(end.stderr.len() < 64 << 20, "{} bytes of errors", end.stderr.len());
        assert!(dealer.read("summary.json").contains("stopped"));
    }
}

#[test]
fn ignored_lines_count_only_until_the_next_answer() {
    let mut dealer = start("3", "-q -f");
    let mut players = dealer.players();
    for hand in 0..3 {
        players[1].send(&b"# talk\n".repeat(9000));
        players[1].answer(hand, "", "f");
    }
    let end = dealer.end();
    assert_eq!((end.status, end.stdout.as_str()), (Some(0), "SCORE:150|-150:p1|p2\n"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_under_the_output_or_the_log_is_said() {
    let folder = Folder::new();
    let link = |name: &str| {
        std::os::unix::fs::symlink("/dev/full", folder.join(name)).expect("a link");
    };
    link("full");
    link("m.log");
    for (options, full_output, expected) in [
        ("-l", true, "cannot write to the output"),
        ("", false, "m.log: "),
        ("-a", false, "m.log: "),
    ] {
        let mut command = folder.command(("dealer m", [NOLIMIT], "1 0 p1 p2", options));
        if full_output {
            let full = fs::OpenOptions::new().write(true).open(folder.join("full"));
            command.stdout(full.expect("a device"));
        }
        run(&mut command).code(3).says(&[expected, "No space left"]);
    }
}

#[test]
fn numbers_that_are_cut_are_said() {
    let options = "-p 0,65536 --t_hand 5000x --t_response +9000";
    let mut dealer = start("1x", options);
    let mut players = dealer.players();
    players[1].answer(0, "", "f");
    let end = dealer.end().code(0);
    let warnings: Vec<&str> =
        end.stderr.lines().filter(|line| line.starts_with("WARNING")).collect();
    assert_eq!(
        warnings,
        [
            "WARNING: HANDS `1x` is read as 1, as in the original",
            "WARNING: the port `65536` is read as 0, as in the original",
            "WARNING: --t_hand `5000x` is read as 5000, as in the original",
        ]
    );
    let mut quiet = start("1x", "-q");
    quiet.players()[1].answer(0, "", "f");
    assert!(!quiet.end().stderr.contains("WARNING"));
}

#[test]
fn arguments_are_read_as_the_original_reads_them() {
    // 2^32 + 1 hands are one; options stand anywhere; further names are ignored.
    let mut dealer = start("4294967297", "p3 -qf p4 --t_resp 1000");
    let mut players = dealer.players();
    players[1].answer(0, "", "f");
    let end = dealer.end();
    assert_eq!((end.status, end.stdout.as_str()), (Some(0), "SCORE:50|-50:p1|p2\n"));
    assert_eq!(
        dealer.read("m.log"),
        format!(
            "# name/game/hands/seed m {NOLIMIT} 1 0\n#--t_response 1000\n#--t_hand 600000\n\
             #--t_per_hand 7000\nSTATE:0:f:5d5c|9hQd:50|-50:p1|p2\nSCORE:50|-50:p1|p2\n"
        )
    );
    for (hands, options) in [("0", ""), ("x", ""), ("-1", ""), ("1", "-p x"), ("1", "--nonsense")] {
        let end = start(hands, options).end();
        assert!(matches!(end.status, Some(2 | 3)), "{hands} {options:?}: {end:?}");
    }
}

/// Plays until the dealer closes, answering every state, in turn or not, each with a write of its
/// own, over a socket that gathers small writes (`TCP_NODELAY` is off). Counts the states, and
/// those for which it stood still about as long as systems hold back an acknowledgement (40 ms).
fn answer_everything(mut player: Player) -> std::thread::JoinHandle<(u32, u32)> {
    std::thread::spawn(move || {
        let (mut states, mut stalls) = (0, 0);
        loop {
            let asked = Instant::now();
            let Some(line) = player.line() else { return (states, stalls) };
            states += 1;
            stalls += u32::from(asked.elapsed() > Duration::from_millis(30));
            player.send(format!("{line}:c\r\n").as_bytes());
        }
    })
}

#[test]
#[cfg(target_os = "linux")]
fn players_that_answer_every_state_do_not_stand_still_for_acknowledgements() {
    let mut dealer = start("40", "-q");
    let players: Vec<_> = dealer.players().into_iter().map(answer_everything).collect();
    for player in players {
        let (states, stalls) = player.join().expect("a player");
        // The first state of a hand and one after each of eight calls.
        assert_eq!(states, 9 * 40);
        assert!(stalls < states / 4, "{stalls} stalls in {states} states");
    }
    assert_eq!(dealer.end().status, Some(0));
}

/// Runs another dealer of the same name to its end.
fn again(dealer: &Dealer, options: &str) -> Run {
    dealer.folder.run(("dealer m", [NOLIMIT], "1 0 p1 p2", options))
}

#[test]
fn two_dealers_of_one_name_do_not_share_their_files() {
    let mut dealer = start("1", "");
    for options in ["", "-a", "-l -T", "-l --run true"] {
        let (folder, id) = (dealer.folder.display(), dealer.child.id());
        let expected = format!("another process (number {id}) deals a match named m in {folder}");
        let refused = again(&dealer, options).code(3).says(&[&expected]);
        assert_eq!(refused.stdout, "", "no ports for anybody to connect to");
    }
    // One that keeps no files is in nobody's way.
    again(&dealer, "-l --start_timeout 1").code(4);
    dealer.players()[1].answer(0, "", "f");
    assert_eq!(dealer.end().stdout, "SCORE:50|-50:p1|p2\n");
    assert!(dealer.read("m.log").ends_with("SCORE:50|-50:p1|p2\n"));
    assert!(!dealer.folder.join("m.lock").exists(), "the lock is left behind");
}

#[test]
fn an_earlier_log_is_overwritten_as_by_the_original_but_not_silently() {
    let folder = Folder::new();
    folder.write("m.log", "an earlier match\n");
    let mut dealer = start_in(folder, NOLIMIT, "1", "-q");
    dealer.players()[1].answer(0, "", "f");
    let end = dealer.end().code(0);
    let said = "# overwriting what an earlier match left: m.log (-a appends to logs)\n";
    assert!(end.stderr.contains(said), "{}", end.stderr);
    assert!(dealer.read("m.log").starts_with("# name/game/hands/seed m "));
    let folder = std::mem::replace(&mut dealer.folder, Folder::new());
    let mut dealer = start_in(folder, NOLIMIT, "1", "-q -a");
    dealer.players()[1].answer(0, "", "f");
    let end = dealer.end();
    assert!(!end.stderr.contains("overwriting"), "{}", end.stderr);
    assert_eq!(dealer.read("m.log").matches("STATE:0:").count(), 2);
}

#[test]
fn a_dealer_says_whom_it_waits_for() {
    let mut absent = start("1", "-q --start_timeout 3000");
    let mut mute = start("1", "-q --version_timeout 3000");
    let _first = Player::connect(absent.ports[0]);
    let _players = (Player::silent(mute.ports[0]), Player::connect(mute.ports[1]));
    let end = absent.end();
    let port = absent.ports[1];
    let said =
        format!("# waiting for seat 2 (p2) on port {port} to connect, at most 3s (2 s so far)\n");
    assert!(end.stderr.contains(&said), "{}", end.stderr);
    let end = mute.end();
    let said = "# waiting for seat 1 (p1) to say the version, at most 3s (2 s so far)\n";
    assert!(end.stderr.contains(said), "{}", end.stderr);
}
