//! Bots sit down, play, sit again; and what bad bots lead to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use logs::LedgerReader;

use super::server::{Bot, Played, Server, game};
use crate::program::{Folder, TIMEOUT, connect, read_some, string, wait_until};

const KUHN: &str = "kuhn.limit.2p";

/// A table with two open seats.
fn open_table(hands: u32, more: &str) -> String {
    format!(
        "[[tables]]\nname = \"kuhn\"\ngame = \"{KUHN}\"\nhands = {hands}\n\
         seats = [{{ port = 0 }}, {{ port = 0 }}]\n{more}\n"
    )
}

#[test]
fn without_any_file_a_bot_can_sit_down_at_once() {
    let server = Server::start("");
    assert_eq!(server.ports.len(), 1, "one open seat by default");
    let def = game("holdem.nolimit.2p.reverse_blinds");
    let mut bot = Bot::sit(server.ports[0], &def);
    assert_eq!(bot.play(5), Played { hands: 5, clean: true });
    drop(bot);
    let table = server.wait_for_matches(1);
    let words = string(&table["last"]["words"]);
    assert!(words.starts_with("seat-2 closed its connection (hand "), "{words}");
}

#[test]
fn the_steps_that_the_server_prints_can_be_taken() {
    let table = "[[tables]]\nname = \"t\"\ngame = \"kuhn.limit.2p\"\nhands = 20\n\
                 bind = \"0.0.0.0\"\nseats = [{ agent = \"call\" }, { port = 0 }]\n";
    for slumbot in [true, false] {
        let folder = Folder::with_config(&format!("{table}[slumbot]\nenabled = {slumbot}\n"));
        let serve = folder.command("serve --bind 0.0.0.0:0");
        let mut server = Server::run(folder, serve);
        let mut lines: Vec<String> = Vec::new();
        while !lines.last().is_some_and(|line| line.starts_with("sit a bot down: ")) {
            lines.push(server.next_line());
        }
        // An address that stands for all is none to go to.
        let page = format!("play by hand at http://127.0.0.1:{}/play", server.web.port());
        assert_eq!(lines.contains(&page), slumbot, "{lines:?}");
        let (head, _) = server.get("/play");
        assert_eq!(head.starts_with("http/1.1 200"), slumbot, "{head}");
        let line = lines.last().expect("a line").strip_prefix("sit a bot down: cardroom ");
        server.folder.ok(line.expect("a command"));
        server.wait_for_matches(1);
    }
}

#[test]
fn two_bots_sit_play_and_sit_again() {
    let server = Server::start(&open_table(40, "seed = 7"));
    let def = game(KUHN);
    for round in 1..=2 {
        let mut first = Bot::sit(server.ports[0], &def);
        let mut second = Bot::sit(server.ports[1], &def);
        let other = std::thread::spawn(move || second.play(u32::MAX));
        assert_eq!(first.play(u32::MAX), Played { hands: 40, clean: true });
        assert_eq!(other.join().expect("a bot"), Played { hands: 40, clean: true });
        server.wait_for_matches(round);
    }
    let folders = server.match_folders();
    assert_eq!(folders.len(), 2);
    for folder in &folders {
        let result = server.folder.read_json(folder.join("result.json"));
        assert_eq!(result["ending"], "finished");
        assert_eq!(result["hands"], 40);
        let report = server.folder.read_json(folder.join("report.json"));
        assert_eq!(report["schema"], "cardroom-report/1");
        assert_eq!(report["entrants"][0]["decisions"]["corrected"], 0);
        let ledger = LedgerReader::open(&folder.join(logs::ledger::FILE_NAME)).expect("a ledger");
        assert_eq!(ledger.count().expect("readable"), 40);
    }
    // The same seed deals the same cards.
    let log = |i: usize| {
        let text = std::fs::read_to_string(folders[i].join("acpc.log")).expect("a log");
        text.lines().filter(|line| line.starts_with("STATE")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(log(0), log(1));
    assert_eq!(log(0).len(), 40);
}

#[test]
fn a_bot_that_leaves_ends_its_match_and_the_table_opens_again() {
    let server = Server::start(&open_table(100_000, ""));
    let def = game(KUHN);
    let mut stays = Bot::sit(server.ports[0], &def);
    let mut leaves = Bot::sit(server.ports[1], &def);
    let other = std::thread::spawn(move || stays.play(u32::MAX));
    leaves.play(10);
    drop(leaves);
    let stayed = other.join().expect("a bot");
    assert!(stayed.hands >= 9, "{stayed:?}");
    let table = server.wait_for_matches(1);
    let last = &table["last"];
    assert_eq!(last["ending"], "failed");
    assert_eq!(last["entrant"], 1);
    assert!(string(&last["words"]).contains("seat-2 closed its connection"));
    let folder = &server.match_folders()[0];
    assert_eq!(server.folder.read_json(folder.join("result.json"))["words"], last["words"]);
    // And again.
    let mut first = Bot::sit(server.ports[0], &def);
    let mut second = Bot::sit(server.ports[1], &def);
    let other = std::thread::spawn(move || second.play(3));
    assert_eq!(first.play(3).hands, 3, "{}", server.log());
    other.join().expect("a bot");
}

/// Acknowledges at once what a bot sends out of turn, as the dealer does, so that its next lines,
/// which its socket holds back until then, come.
#[test]
#[cfg(target_os = "linux")]
fn bots_that_answer_every_state_do_not_stand_still_for_acknowledgements() {
    let game = "holdem.nolimit.2p.reverse_blinds";
    let seats = "[{ agent = \"call\" }, { port = 0 }]";
    let table = format!("name = \"t\"\ngame = \"{game}\"\nhands = 40\nseats = {seats}\n");
    let server = Server::start(&format!("[[tables]]\n{table}"));
    let mut stream = connect(server.ports[0]);
    let mut lines = BufReader::new(stream.try_clone().expect("a socket"));
    stream.write_all(b"VERSION:2.0.0\r\n").expect("sent");
    let (mut states, mut stalls, mut line) = (0, 0, String::new());
    loop {
        let asked = Instant::now();
        line.clear();
        if lines.read_line(&mut line).expect("a state") == 0 {
            break;
        }
        states += 1;
        stalls += u32::from(asked.elapsed() > Duration::from_millis(30));
        // The table may be gone after the last hand.
        let _ = stream.write_all(format!("{}:c\r\n", line.trim_end()).as_bytes());
    }
    assert_eq!(states, 9 * 40);
    assert!(stalls < states / 4, "{stalls} stalls in {states} states");
}

/// Everything the server says before it closes the connection.
fn read_all(stream: &mut TcpStream) -> String {
    stream.set_read_timeout(Some(TIMEOUT)).expect("a socket");
    let mut said = Vec::new();
    // A reset is a way of closing, too.
    let _ = stream.read_to_end(&mut said);
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn a_bot_without_a_version_keeps_no_seat() {
    let server = Server::start(&open_table(5, "version_timeout = \"300ms\"\nqueue = 1"));
    let mut silent = connect(server.ports[0]);
    assert_eq!(read_all(&mut silent), "# no version line came in time\r\n");
    for nonsense in ["HELLO\r\n", "VERSION:2\n", "\n", "\u{0}\u{1}\u{2}\n"] {
        let mut noisy = connect(server.ports[0]);
        noisy.write_all(nonsense.as_bytes()).expect("sent");
        let said = read_all(&mut noisy);
        assert_eq!(said, "# the first line must be VERSION:2.0.0\r\n", "{nonsense:?}");
    }
    let def = game(KUHN);
    let mut first = Bot::sit(server.ports[0], &def);
    let mut second = Bot::sit(server.ports[1], &def);
    let other = std::thread::spawn(move || second.play(u32::MAX));
    assert_eq!(first.play(u32::MAX), Played { hands: 5, clean: true });
    other.join().expect("a bot");
}

#[test]
fn a_bot_that_leaves_while_it_waits_is_not_waited_for() {
    let server = Server::start(&open_table(5, ""));
    let def = game(KUHN);
    let gone = Bot::sit(server.ports[0], &def);
    server.wait_for("waiting", |table| table["seats"][0]["waiting"] == 1);
    gone.stream.shutdown(Shutdown::Both).expect("a socket");
    server.wait_for("forgotten", |table| table["seats"][0]["waiting"] == 0);
    let mut first = Bot::sit(server.ports[0], &def);
    let mut second = Bot::sit(server.ports[1], &def);
    let other = std::thread::spawn(move || second.play(u32::MAX));
    assert_eq!(first.play(u32::MAX), Played { hands: 5, clean: true });
    other.join().expect("a bot");
}

#[test]
fn five_hundred_connections_to_one_table() {
    let server = Server::start(&open_table(20, "queue = 8\nversion_timeout = \"60s\""));
    let def = game(KUHN);
    let mut streams: Vec<TcpStream> = (0..500)
        .map(|_| {
            let mut stream = connect(server.ports[0]);
            // A connection that was turned away may be closed already.
            let _ = stream.write_all(b"VERSION:2.0.0\r\n");
            stream
        })
        .collect();
    let table = server.wait_for("492 refused and 8 waiting", |table| {
        table["refused"] == 492 && table["seats"][0]["waiting"] == 8
    });
    assert_eq!(table["matches"], 0);
    // Those turned away hear why; those that wait hear nothing.
    let mut told = 0;
    let mut waiting = 0;
    for stream in &mut streams {
        stream.set_read_timeout(Some(Duration::from_millis(1))).expect("a socket");
        let mut bytes = [0; 256];
        match read_some(stream, &mut bytes) {
            Ok(n) if n > 0 => {
                let said = String::from_utf8_lossy(&bytes[..n]).into_owned();
                assert!(said.starts_with("# all places in the queue"), "{said}");
                told += 1;
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => waiting += 1,
            Ok(_) => panic!("a connection was closed without a word"),
            Err(error) => panic!("a connection was broken: {error}"),
        }
    }
    assert_eq!(waiting, 8);
    assert_eq!(told, 492);
    drop(streams);
    server.wait_for("empty", |table| table["seats"][0]["waiting"] == 0);
    let mut first = Bot::sit(server.ports[0], &def);
    let mut second = Bot::sit(server.ports[1], &def);
    let other = std::thread::spawn(move || second.play(u32::MAX));
    assert_eq!(first.play(u32::MAX), Played { hands: 20, clean: true });
    other.join().expect("a bot");
}

#[test]
fn strict_tables_end_matches_at_a_bad_reply_and_say_so() {
    let server = Server::start(&open_table(5, "replies = \"strict\""));
    let def = game(KUHN);
    let mut good = Bot::sit(server.ports[0], &def);
    let mut bad = connect(server.ports[1]);
    bad.write_all(b"VERSION:2.0.0\r\nnonsense\r\n").expect("sent");
    let other = std::thread::spawn(move || good.play(u32::MAX));
    let said = read_all(&mut bad);
    assert!(
        said.lines().last().is_some_and(|l| l.starts_with("# seat-2 sent a bad reply")),
        "{said}"
    );
    other.join().expect("a bot");
    let table = server.wait_for_matches(1);
    assert_eq!(table["last"]["ending"], "failed");
}

#[test]
fn an_outside_dealer_that_says_nothing_is_left_and_tried_again() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = silent.local_addr().expect("an address").port();
    let guest = Server::start_in(Folder::with_config(&format!(
        "tables = []\n[[dealers]]\nname = \"there\"\nhost = \"127.0.0.1\"\nport = {port}\n\
         game = \"{KUHN}\"\nagent = \"call\"\nretry_first = \"10ms\"\nsilence = \"300ms\"\n"
    )));
    // Held open, and nothing is said.
    let _held = [silent.accept().expect("it comes"), silent.accept().expect("it comes again")];
    let status = guest.json("/api/v1/dealers")[0].clone();
    let error = string(&status["error"]);
    assert!(error.contains("300ms") && status["failures"].as_u64() >= Some(1), "{status:#}");
}

#[test]
fn an_agent_that_hangs_at_an_outside_dealer_costs_decisions_and_no_match() {
    let host = Server::start(&open_table(2, ""));
    let folder = Folder::with_config(&format!(
        "tables = []\n[agents.stuck]\nkind = \"external\"\ncommand = \"bash stuck.sh\"\ntimeout = \
         \"1h\"\n\
         [[dealers]]\nname = \"there\"\nhost = \"127.0.0.1\"\nport = {}\n\
         game = \"{KUHN}\"\nagent = \"stuck\"\nretry_first = \"10ms\"\ndecision_timeout = \
         \"200ms\"\n",
        host.ports[0].port()
    ));
    // It reads all that it is sent, and answers nothing.
    let script = "exec 3<>/dev/tcp/$1/$2; printf 'VERSION:2.0.0\\r\\n' >&3; cat <&3 > heard\n";
    folder.write("stuck.sh", script);
    let guest = Server::start_in(folder);
    let mut bot = Bot::sit(host.ports[1], &game(KUHN));
    let played = bot.play(u32::MAX);
    assert_eq!(played, Played { hands: 2, clean: true }, "{}{}", host.log(), guest.log());
    wait_until("the match is over for the guest", || {
        guest.json("/api/v1/dealers")[0]["hands"] == 2
    });
    let heard = guest.folder.read("heard");
    assert!(heard.contains("MATCHSTATE:"), "it was asked: {heard}");
}

#[test]
fn an_agent_of_the_server_keeps_playing_at_an_outside_dealer() {
    let host = Server::start(&open_table(6, ""));
    let folder = Folder::with_config(&format!(
        "tables = []\n[[dealers]]\nname = \"there\"\nhost = \"127.0.0.1\"\nport = {}\n\
         game = \"{KUHN}\"\nagent = \"call\"\nretry_first = \"10ms\"\n",
        host.ports[0].port()
    ));
    let guest = Server::start_in(folder);
    let def = game(KUHN);
    for _ in 0..2 {
        let mut bot = Bot::sit(host.ports[1], &def);
        assert_eq!(bot.play(u32::MAX), Played { hands: 6, clean: true });
    }
    host.wait_for_matches(2);
    let status = || guest.json("/api/v1/dealers")[0].clone();
    wait_until("it has played twice", || status()["matches"] == 2);
    let status = status();
    assert_eq!(status["hands"], 12);
    assert_eq!(status["last"]["hands"], 6);
}
