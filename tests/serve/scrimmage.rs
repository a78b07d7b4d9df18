//! A scrimmage through a running server: bots of all kinds, rounds that are killed, uploads that
//! are none.

use std::fs;
use std::io::{Cursor, Write};
use std::time::{Duration, Instant};

use serde_json::Value;
use zip::CompressionMethod::{Deflated, Stored};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::api::Description;
use super::server::Server;
use super::slumbot::{Answer, raw};
use crate::program::{Folder, list, shows, string};

/// A zip of these files.
fn zip_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        let options = SimpleFileOptions::default().compression_method(Deflated);
        writer.start_file(*name, options).expect("an entry");
        writer.write_all(content).expect("written");
    }
    writer.finish().expect("a zip").into_inner()
}

const COMMANDS: &str = r#"{"build": [], "run": ["bash", "bot.sh"]}"#;

/// The answer of a bot that calls: a check where nothing is owed.
const CALLS: &str = "last=${line##* }; case $last in R* | H*) a=C ;; *) a=K ;; esac";

/// A bot that answers as the body of a loop says.
fn script(before: &str, body: &str) -> String {
    format!(
        "{before}\nexec 3<>/dev/tcp/localhost/$1\nwhile read -r line <&3; do\n{body}\n\
         printf '%s\\n' \"$a\" >&3\ndone\n"
    )
}

fn bot(text: &str) -> Vec<u8> {
    zip_of(&[("commands.json", COMMANDS.as_bytes()), ("bot.sh", text.as_bytes())])
}

fn put(server: &Server, path: &str, line: &str, body: &[u8]) -> Answer {
    let head = format!(
        "PUT {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{line}\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    raw(server, &[head.as_bytes(), body].concat()).expect("an answer")
}

fn hand_in(server: &Server, team: &str, zip: &[u8]) -> Answer {
    put(server, &format!("/api/v1/scrimmage/teams/{team}"), "", zip)
}

fn view(server: &Server) -> Value {
    server.json("/api/v1/scrimmage")
}

/// Waits until something is so in what the server says of the scrimmage.
fn wait_for(server: &Server, what: &str, so: impl Fn(&Value) -> bool) -> Value {
    let begun = Instant::now();
    loop {
        let view = view(server);
        if so(&view) {
            return view;
        }
        let late = begun.elapsed() > Duration::from_secs(240);
        assert!(!late, "waited in vain for {what}: {view:#}\n{}", server.log());
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn tried(view: &Value) -> bool {
    let teams = list(&view["teams"]).iter();
    teams.flat_map(|team| list(&team["handed_in"])).all(|one| one["state"] != "waiting")
}

fn team<'a>(view: &'a Value, name: &str) -> &'a Value {
    let found = list(&view["teams"]).iter().find(|team| team["name"] == name);
    found.unwrap_or_else(|| panic!("no team {name} in {view:#}"))
}

fn config(more: &str) -> String {
    format!("tables = []\n[slumbot]\nenabled = false\n[scrimmage]\nenabled = true\n{more}\n")
}

#[test]
fn twelve_bots_play_a_round_though_one_hangs_floods_dies_or_spies_and_the_server_is_killed() {
    let folder = Folder::with_config(&config("hands = 20\nclock = \"1s\""));
    folder.write("secret", "the-secret-of-the-server");
    let mut command = folder.command("serve --bind 127.0.0.1:0");
    command.env("COURSE_PASSWORD", "hunter2");
    let server = Server::run(folder, command);
    let later = "n=$((n + 1)); if [ $n -gt 14 ]; then";
    let mut bots = vec![
        ("hangs", script("", &format!("{CALLS}; {later} exec sleep 1000; fi"))),
        ("floods", script("", &format!("{CALLS}; {later} yes | tr -d '\\n' >&3; fi"))),
        ("dies", script("", &format!("{CALLS}; {later} echo 'out of luck' >&2; exit 7; fi"))),
        ("folds", script("", &format!("{CALLS}; [ $a = C ] && a=F"))),
    ];
    let spies = format!(
        "for f in ../../../calls1/versions/0001/bot.sh ../../../calls1/team.json \
         ../../../../rounds/0001.json ../../../../../../secret /proc/$PPID/environ; do\n\
         if cat $f >/dev/null 2>&1; then echo stolen $f >&2; else echo denied $f >&2; fi\ndone\n\
         (exec 4<>/dev/tcp/127.0.0.1/{}) 2>/dev/null && w=stolen || w=denied; echo $w web >&2\n\
         (exec 4<>/dev/udp/127.0.0.1/53) 2>/dev/null && w=stolen || w=denied; echo $w udp >&2\n\
         touch mine 2>/dev/null && echo stolen disk >&2 || echo denied disk >&2\n\
         echo \"environment: $(env | tr '\\n' ' ')\" >&2",
        server.web.port()
    );
    bots.push(("spies", script(&spies, CALLS)));
    let names: Vec<String> = (1..=7).map(|number| format!("calls{number}")).collect();
    bots.extend(names.iter().map(|name| (name.as_str(), script("", CALLS))));
    assert_eq!(bots.len(), 12);
    for (name, text) in &bots {
        let answer = hand_in(&server, name, &bot(text));
        assert_eq!(answer.code, 200, "{}", answer.body);
        assert_eq!(answer.json()["state"], "waiting");
    }
    let shown = wait_for(&server, "trials", tried);
    for name in bots.iter().map(|(name, _)| name) {
        assert_eq!(team(&shown, name)["plays"], 1, "{shown:#}");
    }
    let asked = put(&server, "/api/v1/scrimmage/round", "", b"");
    assert_eq!(asked.code, 200, "{}", asked.body);
    let over = |view: &Value| list(&view["rounds"][0]["matches"]).len();
    let before = wait_for(&server, "some matches", |view| {
        !list(&view["rounds"]).is_empty() && over(view) >= 15
    });
    assert_eq!(put(&server, "/api/v1/scrimmage/round", "", b"").code, 409);
    // As if the power had failed, in the middle of a match.
    let server = Server::start_in(server.kill());
    let after =
        wait_for(&server, "the end of the round", |view| view["rounds"][0]["ended"].is_string());
    let round = &after["rounds"][0];
    assert_eq!((round["number"].as_u64(), over(&after)), (Some(1), 66), "{round:#}");
    let played = list(&round["matches"]);
    let known = list(&before["rounds"][0]["matches"]);
    assert_eq!(played[..known.len()], known[..], "what was over is as it was");
    // Only three bots are at fault, each in all of its matches, and in nobody else's.
    for met in played {
        assert!(met["error"].is_null() && met["hands"] == 20, "{met:#}");
        let faults = list(&met["faults"]).iter();
        let at_fault: Vec<&str> = faults.filter_map(|fault| fault["team"].as_str()).collect();
        let teams = list(&met["teams"]).iter().filter_map(Value::as_str);
        let bad = ["hangs", "floods", "dies"];
        let expected: Vec<&str> = teams.filter(|team| bad.contains(team)).collect();
        assert_eq!(at_fault, expected, "{met:#}");
    }
    let faults = round.to_string();
    shows(&faults, &["its clock of 1s has run out", "out of luck", "more than 65536 bytes"]);
    assert_eq!(list(&round["standings"]).len(), 12);
    // A pair that plays in the same way is not separated: it shares a letter.
    let groups = |name: &str| {
        let standings = list(&round["standings"]).iter();
        let one = standings.clone().find(|one| one["team"] == name).expect("it has played");
        string(&one["groups"])
    };
    assert!(groups("calls1").chars().any(|letter| groups("calls2").contains(letter)));
    // The spy was kept from what this system can keep it from, and that is said.
    let said = server.get("/scrimmage/spies/output").1;
    let kept = |what: &str| {
        let all = list(&after["confinement"]).iter();
        all.clone().find(|kept| kept["what"] == what).expect("it is listed")["lack"].is_null()
    };
    if kept("files of others") {
        shows(&said, &["denied ../../../calls1/versions/0001/bot.sh", "denied disk"]);
        shows(&said, &["denied ../../../../../../secret", "denied ../../../../rounds/0001.json"]);
        assert!(!said.contains("stolen .") && !said.contains("stolen /"), "{said}");
    }
    for (what, word) in [("TCP but to the game", "web"), ("other sockets", "udp")] {
        if kept(what) {
            assert!(!said.contains(&format!("stolen {word}")), "{said}");
        }
    }
    assert!(said.contains("environment: ") && !said.contains("hunter2"), "{said}");
    // The page has it all, and leads to the matches.
    let (head, page) = server.get("/scrimmage");
    assert!(head.starts_with("http/1.1 200"), "{head}");
    shows(&page, &["Round 1", "calls7", "out of luck", "What bots are kept from"]);
    let (_, link) = page.split_once("<a href=\"/matches/").expect("a link to a match");
    let link = link.split('"').next().expect("its end");
    let (head, _) = server.get(&format!("/matches/{link}"));
    assert!(head.starts_with("http/1.1 200"), "{link}: {head}");
    // All of it is as the API describes it.
    let answer = raw(
        &server,
        b"GET /api/v1/scrimmage HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
    );
    let answer = answer.expect("an answer");
    Description::fetch(&server).check("GET", "/api/v1/scrimmage", &answer);
}

#[test]
fn what_is_no_bot_is_refused_and_the_version_before_plays_on() {
    let limits = "max_files = 5\nmax_unpacked = \"64KiB\"\nmax_upload = \"20KiB\"\nclock = \"1s\"";
    let server = Server::start(&config(limits));
    let good = bot(&script("", CALLS));
    assert_eq!(hand_in(&server, "team", &good).code, 200);
    wait_for(&server, "its trial", |view| team(view, "team")["plays"] == 1);
    let mut link = ZipWriter::new(Cursor::new(Vec::new()));
    link.add_symlink("commands.json", "/etc/passwd", SimpleFileOptions::default()).expect("a link");
    let link = link.finish().expect("a zip").into_inner();
    let zeros = vec![0; 100_000];
    let many: Vec<String> = (0..6).map(|number| format!("f{number}")).collect();
    let many: Vec<(&str, &[u8])> = many.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    let mut stored = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(Stored);
    stored.start_file("commands.json", options).expect("an entry");
    stored.write_all(COMMANDS.as_bytes()).expect("written");
    let mut spoilt = stored.finish().expect("a zip").into_inner();
    let at = spoilt.windows(5).position(|word| word == b"build").expect("it is stored");
    spoilt[at] = b'B';
    // Two entries of one name, which no usual program writes.
    let mut twice = zip_of(&[("player-1", b"x"), ("player-2", b"y")]);
    while let Some(at) = twice.windows(8).position(|name| name == b"player-2") {
        twice[at + 7] = b'1';
    }
    let cases: [(&str, Vec<u8>, u16, &str); 11] = [
        ("twice", twice, 422, "two of its files have one name"),
        ("not a zip", b"hello".to_vec(), 422, "not a whole zip"),
        ("nothing", Vec::new(), 422, "not a whole zip"),
        ("cut", good[..good.len() / 2].to_vec(), 422, "not a whole zip"),
        ("spoilt", spoilt, 422, "cannot be read"),
        ("outside", zip_of(&[("../up", b"x")]), 422, "leads out of the bot's folder"),
        ("absolute", zip_of(&[("/etc/cron.d/x", b"x")]), 422, "leads out of the bot's folder"),
        ("link", link, 422, "is a link"),
        ("bomb", zip_of(&[("commands.json", &zeros)]), 422, "65536 are allowed"),
        ("many", zip_of(&many), 422, "5 are allowed"),
        ("empty", zip_of(&[("readme", b"x")]), 422, "no commands.json"),
    ];
    let description = Description::fetch(&server);
    for (what, zip, code, said) in &cases {
        let answer = hand_in(&server, "team", zip);
        assert_eq!(answer.code, *code, "{what}: {}", answer.body);
        shows(&answer.body, &[said]);
        description.check("PUT", "/api/v1/scrimmage/teams/team", &answer);
        // Nothing is left of it.
        let incoming = fs::read_dir(server.folder.join("data/scrimmage/incoming"));
        assert_eq!(incoming.expect("a folder").count(), 0, "{what}");
    }
    let large = hand_in(&server, "team", &vec![0; 30_000]);
    assert_eq!(large.code, 413, "{}", large.body);
    shows(&large.body, &["scrimmage.max_upload"]);
    for name in ["..", "a%2fb", "%2e%2e%2fx", "call.", "x%00"] {
        let answer = hand_in(&server, name, &good);
        assert!(answer.code == 422 || answer.code == 404, "{name}: {}", answer.body);
    }
    // Those that can be read and fail their trial.
    let failing = [
        (bot("echo no port for me >&2; exit 3"), "no port for me"),
        (bot(&script("", "a=R1")), "it answered `R1`, which is not legal here"),
        (bot(&script("", "sleep 100")), "has run out"),
        (
            zip_of(&[("my/commands.json", br#"{"build": ["false"], "run": ["true"]}"#)]),
            "its build command false failed",
        ),
        (zip_of(&[("commands.json", b"{}")]), "it must have `build` and `run`"),
    ];
    for (number, (zip, said)) in failing.iter().enumerate() {
        let version = number as u64 + 2;
        assert_eq!(hand_in(&server, "team", zip).json()["version"], version);
        let shown = wait_for(&server, "its trial", tried);
        let team = team(&shown, "team");
        let last = list(&team["handed_in"]).last().expect("it was handed in");
        assert_eq!((&last["state"], &team["plays"]), (&"failed".into(), &1.into()), "{team:#}");
        shows(string(&last["reason"]), &[said]);
    }
    let kept = fs::read_dir(server.folder.join("data/scrimmage/teams/team/versions"));
    let kept: Vec<_> = kept.expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    let kept: std::collections::BTreeSet<_> = kept.into_iter().collect();
    let wanted = ["0001", "0006"].map(std::ffi::OsString::from);
    assert!(kept.iter().eq(&wanted), "of those that have failed only the last is kept: {kept:?}");
    // One team is no round, and that is said.
    assert_eq!(put(&server, "/api/v1/scrimmage/round", "", b"").code, 200);
    wait_for(&server, "a notice", |view| view["notice"].is_string());
    shows(&server.get("/scrimmage").1, &["it needs two teams"]);
}

#[test]
fn teams_hand_in_at_the_same_time_each_with_its_own_token() {
    let folder = Folder::with_config(&config("tokens_file = \"tokens\"\nclock = \"1s\""));
    folder.write_with_mode("tokens", "# course\nann ann-secret-1\nbob bob-secret-2\n", 0o600);
    let server = Server::start_in(folder);
    let good = bot(&script("", CALLS));
    let try_with = |team: &str, line: &str| {
        let path = format!("/api/v1/scrimmage/teams/{team}");
        put(&server, &path, line, &good).code
    };
    let own =
        |team: &str, token: &str| try_with(team, &format!("Authorization: Bearer {token}\r\n"));
    assert_eq!(try_with("ann", ""), 401);
    // A team's token in the wrong place is told where it belongs.
    assert_eq!(own("ann", "bob-secret-2"), 403);
    let line = "Authorization: Bearer bob-secret-2\r\n";
    let lost = put(&server, "/api/v1/scrimmage/teams/ann", line, &good);
    shows(&lost.body, &["the token of the team bob", "/api/v1/scrimmage/teams/bob"]);
    assert_eq!(own("ann", "nobodys-secret"), 401);
    assert_eq!(own("eve", "bob-secret-2"), 403);
    std::thread::scope(|scope| {
        for (team, token) in [("ann", "ann-secret-1"), ("bob", "bob-secret-2")] {
            for _ in 0..2 {
                scope.spawn(move || assert_eq!(own(team, token), 200));
            }
        }
    });
    let shown = wait_for(&server, "trials", |view| {
        tried(view) && list(&view["teams"]).iter().all(|team| team["plays"] == 2)
    });
    for name in ["ann", "bob"] {
        let versions = list(&team(&shown, name)["handed_in"]).iter();
        let versions: Vec<_> = versions.map(|one| one["version"].as_u64()).collect();
        assert_eq!(versions, [Some(1), Some(2)]);
    }
    // What a bot has said is its team's.
    let look = |line: &str| {
        let head = "GET /scrimmage/ann/output HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
        raw(&server, format!("{head}{line}\r\n").as_bytes()).expect("an answer").code
    };
    assert_eq!(look(""), 401);
    assert_eq!(look("Authorization: Bearer bob-secret-2\r\n"), 403);
    assert_eq!(look("Authorization: Bearer ann-secret-1\r\n"), 200);
    assert_eq!(look("Authorization: Basic YW5uOmFubi1zZWNyZXQtMQ==\r\n"), 200);
    // A round is for whoever runs the server.
    let round = |line| put(&server, "/api/v1/scrimmage/round", line, b"").code;
    assert_eq!(round("X-Forwarded-For: 192.0.2.1\r\n"), 403);
    assert_eq!(round(""), 200);
    let log = server.log();
    assert!(!log.contains("secret-1") && !log.contains("secret-2"), "{log}");
}

#[test]
fn folders_of_teams_are_taken_in_when_they_have_changed() {
    let folder = Folder::with_config(&config("teams = \"bots\"\nhands = 2\nclock = \"1s\""));
    for name in ["ann", "bob"] {
        fs::create_dir_all(folder.join(format!("bots/{name}"))).expect("a folder");
        folder.write(format!("bots/{name}/commands.json"), COMMANDS);
        folder.write(format!("bots/{name}/bot.sh"), script("", CALLS));
    }
    let server = Server::start_in(folder);
    let plays = |view: &Value| {
        let plays = list(&view["teams"]).iter().map(|team| team["plays"].as_u64());
        plays.collect::<Vec<_>>()
    };
    wait_for(&server, "trials", |view| plays(view) == [Some(1), Some(1)]);
    let text = script("", &format!("{CALLS} # changed"));
    server.folder.write("bots/bob/bot.sh", text);
    assert_eq!(put(&server, "/api/v1/scrimmage/round", "", b"").code, 200);
    let shown = wait_for(&server, "a round", |view| view["rounds"][0]["ended"].is_string());
    assert_eq!(plays(&shown), [Some(1), Some(2)]);
    let entries = list(&shown["rounds"][0]["entries"]).iter();
    let entries: Vec<_> = entries.map(|entry| entry["version"].as_u64()).collect();
    assert_eq!(entries, [Some(1), Some(2)]);
    assert_eq!(list(&shown["rounds"][0]["matches"]).len(), 1);
    let none = Server::start("tables = []\n");
    assert_eq!(none.get("/scrimmage").0.split(' ').nth(1), Some("404"));
    assert_eq!(none.json("/api/v1/scrimmage"), Value::Null);
}

#[test]
fn a_confined_program_has_its_limits_and_cannot_leave_its_group() {
    let folder = Folder::new();
    let bounds = r#"{"memory":3221225472,"processes":7,"cpu":9,"file":1048576,"readable":[]}"#;
    let own = folder.join(".").canonicalize().expect("a folder");
    let limits = format!(
        r#"{{"folder":{:?},"writes":false,"port":null,"bounds":{bounds}}}"#,
        own.to_str().expect("text")
    );
    let script = "ulimit -v; ulimit -t; ulimit -f; ulimit -c; ulimit -u; setsid true || echo kept";
    let run = folder.run(("confine", [&*limits, "--", "/bin/bash", "-c", script])).code(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines[..4], ["3145728", "9", "1024", "0"], "{}", run.stderr);
    let doctor = folder.run("doctor").stdout;
    if !doctor.contains("more processes than allowed: NO") {
        let most: u64 = lines[4].parse().expect("a limit");
        assert!((8..50_000).contains(&most), "{most}");
    }
    if !doctor.contains("other sockets: NO") {
        assert_eq!(lines[5], "kept");
    }
    let none = folder.run(("confine", [&*limits, "--", "/root/none"])).code(3);
    shows(&none.stderr, &["/root/none"]);
    folder.run(("confine", ["{}", "--", "true"])).code(2);
}

/// The answer of a bot of 2026 that calls and puts its first card away.
const CALLS_2026: &str = "last=${line##* }; commas=${last//[^,]}; case \"$last:${#commas}\" in \
                          B*:1 | B*:2) a=D0 ;; R* | H* | G:*) a=C ;; *) a=K ;; esac";

#[test]
fn bots_of_2026_play_a_round_and_one_that_was_late_is_tried_again() {
    let more =
        "hands = 20\ngame = \"pokerbots.discard.2p\"\nclock = \"60s\"\nbuild_timeout = \"3s\"";
    let folder = Folder::with_config(&config(more));
    let server = Server::start_in(folder);
    let good = bot(&script("", CALLS_2026));
    assert_eq!(hand_in(&server, "ann", &good).code, 200);
    // Its first build takes longer than it may, as on a busy machine.
    let build = "[ -f once ] || { touch once; sleep 100; }";
    let commands = format!(r#"{{"build": ["sh", "-c", "{build}"], "run": ["bash", "bot.sh"]}}"#);
    let text = script("", CALLS_2026);
    let late = zip_of(&[("commands.json", commands.as_bytes()), ("bot.sh", text.as_bytes())]);
    assert_eq!(hand_in(&server, "bob", &late).code, 200);
    // A bot of the base game does not know that it is to put a card away.
    assert_eq!(hand_in(&server, "eve", &bot(&script("", CALLS))).code, 200);
    let shown = wait_for(&server, "trials", tried);
    let reason = |shown: &Value, name: &str| {
        let last = list(&team(shown, name)["handed_in"]).last().expect("a bot").clone();
        last["reason"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(reason(&shown, "ann"), "");
    shows(&reason(&shown, "bob"), &["did not end within 3s", "`scrimmage.build_timeout`"]);
    shows(&reason(&shown, "bob"), &["it can be tried again"]);
    shows(&reason(&shown, "eve"), &["it answered `K`, which is not legal here"]);
    let again = put(&server, "/api/v1/scrimmage/teams/bob/trial", "", b"");
    assert_eq!((again.code, again.json()["state"].clone()), (200, "waiting".into()));
    let shown = wait_for(&server, "the other trial", tried);
    assert_eq!(team(&shown, "bob")["plays"], 1, "{shown:#}");
    assert_eq!(put(&server, "/api/v1/scrimmage/teams/bob/trial", "", b"").code, 409);
    assert_eq!(put(&server, "/api/v1/scrimmage/round", "", b"").code, 200);
    let over = |view: &Value| view["rounds"][0]["ended"].is_string();
    let shown = wait_for(&server, "a round", over);
    let met = &list(&shown["rounds"][0]["matches"])[0];
    assert_eq!((&met["hands"], list(&met["faults"]).len()), (&20.into(), 0), "{met:#}");
    // The match has a page, as any other.
    let (head, _) = server.get(&format!("/matches/{}", string(&met["id"]).replace('/', "%2F")));
    assert!(head.starts_with("http/1.1 200"), "{head}");
}
