//! `cardroom solve upi` as a process: scripts as strangers write them, the same numbers as
//! `solve subgame`, locks, files, and everything that can go wrong on a line.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use crate::program::{Folder, Run, end, list, number};
use cards::{Board, Combo, Range};

/// A running engine, whose answers end with `END`.
struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(at: &Folder) -> Engine {
        let mut command = at.command("solve upi");
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut engine = Engine { child, input, output };
        for begin in ["cardroom ", "(c) ", "registered to "] {
            let line = engine.line();
            assert!(line.starts_with(begin), "{line}");
        }
        assert_eq!(engine.ask("set_end_string END"), ["set_end_string ok!"]);
        engine
    }

    fn send(&mut self, line: &str) {
        self.input.write_all(format!("{line}\n").as_bytes()).expect("it reads");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).expect("it writes") > 0, "it has ended");
        line.trim_end_matches('\n').to_owned()
    }

    /// The next answer, without what the solver says of its own accord.
    fn answer(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            match self.line().as_str() {
                "END" => return lines,
                "SOLVER:" => while self.line() != "END" {},
                line if line.starts_with("SOLVER: ") => {}
                line => lines.push(line.to_owned()),
            }
        }
    }

    fn ask(&mut self, line: &str) -> Vec<String> {
        self.send(line);
        self.answer()
    }

    /// Sends commands that ask for nothing.
    fn done(&mut self, lines: &[&str]) {
        for line in lines {
            let name = line.split(' ').next().unwrap_or_default();
            assert_eq!(self.ask(line), [format!("{name} ok!")], "{line}");
        }
    }

    fn error(&mut self, line: &str) -> String {
        let answer = self.ask(line);
        assert_eq!(answer.len(), 1, "{line}: {answer:?}");
        assert!(answer[0].starts_with("ERROR: "), "{line}: {answer:?}");
        answer[0].clone()
    }

    fn rows(&mut self, line: &str) -> Vec<Vec<f64>> {
        let answer = self.ask(line);
        let row = |row: &String| row.split(' ').map(|n| n.parse().expect("a number")).collect();
        answer.iter().map(row).collect()
    }

    fn number(&mut self, line: &str) -> f64 {
        self.rows(line)[0][0]
    }

    /// Solves until the accuracy.
    fn solve(&mut self) {
        self.done(&["go", "wait_for_solver"]);
    }

    /// The results by their names.
    fn results(&mut self) -> Vec<f64> {
        let answer = self.ask("calc_results");
        let names = ["running time", "EV OOP", "EV IP", "OOP's MES", "IP's MES", "Exploitable for"];
        assert_eq!(answer.len(), names.len());
        let value = |(line, name): (&String, &str)| {
            let value = line.strip_prefix(name).and_then(|rest| rest.strip_prefix(": "));
            value.expect(name).parse().expect("a number")
        };
        answer.iter().zip(names).map(value).collect()
    }

    fn end(mut self) -> Run {
        drop(self.input);
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).expect("text");
        let run = end(self.child);
        Run::new(run.status, rest, run.stderr)
    }
}

/// The weights of a range in the order of the protocol.
fn weights(range: &str) -> String {
    let range: Range = range.parse().expect(range);
    numbers(|combo| range.weight(combo))
}

/// 1,326 numbers.
fn numbers(of: impl Fn(Combo) -> f64) -> String {
    Combo::all().map(|combo| of(combo).to_string()).collect::<Vec<_>>().join(" ")
}

/// The commands that build a tree.
fn tree(board: &str, pot: u32, stack: u32, ranges: [&str; 2], lines: &[&str]) -> Vec<String> {
    let mut commands = vec![
        format!("set_board {board}"),
        format!("set_pot 0 0 {pot}"),
        format!("set_eff_stack {stack}"),
        format!("set_range OOP {}", weights(ranges[0])),
        format!("set_range IP {}", weights(ranges[1])),
        "clear_lines".to_owned(),
    ];
    commands.extend(lines.iter().map(|line| format!("add_line {line}")));
    commands.push("build_tree".to_owned());
    commands
}

fn build(engine: &mut Engine, commands: &[String]) {
    let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
    engine.done(&commands);
}

const FIRST: &str = "QQ,T9s,AdKd,76s:0.5,55";
const SECOND: &str = "AQs,JTs,TT,98s:0.25,44";

/// A bet of half the pot, then all-in.
const HALF_POT: [&str; 3] = ["0 0", "0 100 900", "100 900"];
const RIVER: &str = "Td9d6hQc2s";

fn river() -> Vec<String> {
    tree(RIVER, 200, 900, [FIRST, SECOND], &HALF_POT)
}

/// The nuts or nothing against a hand between; the bet is the pot.
fn polarised() -> Vec<String> {
    tree("2c7dJhQsKs", 200, 200, ["AhTd,4h3d", "AcKh"], &["0 0", "200"])
}

fn combo(text: &str) -> Combo {
    let board: Board = text.parse().expect(text);
    Combo::new(board[0], board[1]).expect("two cards")
}

fn near(found: f64, wanted: f64, by: f64, what: &str) {
    assert!((found - wanted).abs() <= by, "{what}: {found}, not {wanted}");
}

#[test]
fn a_pipelined_script_is_answered_in_order_with_the_lines_of_the_protocol() {
    let at = &Folder::new();
    let script = format!(
        "set_end_string END\n\n# a comment\nis_ready\r\nshow_version\n{}\nshow_node r\nshow_node \
         r:0:c\nshow_children r:0\nshow_effective_stack\ngo 3 steps\nwait_for_solver\nis_ready\n\
         reset_end_string\nis_ready\nexit\nis_ready\n",
        river().join("\n")
    );
    at.write("script.txt", script);
    let input = std::fs::File::open(at.join("script.txt")).expect("a file");
    let run = crate::program::run(at.command("solve upi").stdin(input)).code(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(lines[0], format!("cardroom {version}"));
    let answers = lines[3..].join("\n");
    let oks = |name: &str| format!("{name} ok!\nEND");
    let set = ["set_board", "set_pot", "set_eff_stack", "set_range", "set_range", "clear_lines"];
    let add = ["add_line", "add_line", "add_line", "build_tree"];
    let mut wanted = vec![oks("set_end_string"), oks("is_ready"), format!("{version}\nEND")];
    wanted.extend(set.into_iter().chain(add).map(oks));
    wanted.push(
        "r\nROOT\nTd 9d 6h Qc 2s\n0 0 200\n1 children\nflags: ISOMORPHISM_ON\nEND".to_owned(),
    );
    wanted.push("r:0:c\nIP_DEC\nTd 9d 6h Qc 2s\n0 0 200\n2 children\nflags:\nEND".to_owned());
    wanted.push(
        "child 0:\nr:0:b100\nIP_DEC\nTd 9d 6h Qc 2s\n100 0 200\n3 children\nflags:\n\n\
         child 1:\nr:0:c\nIP_DEC\nTd 9d 6h Qc 2s\n0 0 200\n2 children\nflags:\nEND"
            .to_owned(),
    );
    wanted.push("900\nEND".to_owned());
    wanted.push(oks("go"));
    wanted.push("SOLVER: started\nSOLVER:\nrunning time: ".to_owned());
    let wanted = wanted.join("\n");
    assert_eq!(answers.get(..wanted.len()), Some(wanted.as_str()));
    let rest = &answers[wanted.len()..];
    let last = "END\nSOLVER: stopped (step limit)\nwait_for_solver ok!\nEND\nis_ready ok!\nEND\n\
                reset_end_string ok!\nis_ready ok!";
    assert!(rest.ends_with(last), "{rest}");
}

#[test]
fn hands_are_in_the_order_of_the_protocol() {
    let at = &Folder::new();
    let mut engine = Engine::start(at);
    let cards: Vec<String> = "23456789TJQKA"
        .chars()
        .flat_map(|r| "cdhs".chars().map(move |s| format!("{r}{s}")))
        .collect();
    let mut order = Vec::new();
    for (number, high) in cards.iter().enumerate() {
        order.extend(cards[..number].iter().map(|low| format!("{high}{low}")));
    }
    assert_eq!(order.len(), 1326);
    assert_eq!(order[..5], ["2d2c", "2h2c", "2h2d", "2s2c", "2s2d"]);
    assert_eq!(engine.ask("show_hand_order"), [order.join(" ")]);
    // The fifth number is that of 2s2d.
    engine.done(&[&format!("set_range OOP 0 0 0 0 0.25{}", " 0".repeat(1321))]);
    let range = engine.ask("show_range OOP");
    assert!(range[0].starts_with("0 0 0 0 0.25 0"), "{range:?}");
    engine.end().code(0);
}

/// Compares a tree with the same one of `solve subgame`: everything that both tell.
fn same(engine: &mut Engine, at: &Folder, words: &str, places: &[(&str, &str)], scale: f64) {
    let asked: Vec<String> = places.iter().map(|(at, _)| format!("--at '{at}'")).collect();
    let document = at.json(("solve subgame", words, "--no-keep", asked.join(" ")));
    let (result, spots) = (&document["result"], list(&document["spots"]));
    let found = engine.results();
    let pot = number(&document["pot"]) / scale;
    for player in 0..2 {
        let wanted = &result["players"][player];
        near(found[1 + player], number(&wanted["gets"]) / scale, 6e-4, "what a player gets");
        let best = number(&wanted["with_a_best_response"]) / scale + pot / 2.0;
        near(found[3 + player], best, 6e-4, "a best response");
    }
    near(found[1] + found[2], pot, 2e-3, "both get the pot");
    near(found[5], number(&result["exploitability"]) / scale, 6e-4, "exploitability");
    for (spot, (_, id)) in spots.iter().zip(places) {
        let position = ["OOP", "IP"][(number(&spot["player"]) - 1.0) as usize];
        let strategy = engine.rows(&format!("show_strategy {id}"));
        let [range] = &engine.rows(&format!("show_range {position} {id}"))[..] else {
            panic!("a range")
        };
        let values = engine.rows(&format!("calc_ev {position} {id}"));
        let mut sum = 0.0;
        for hand in list(&spot["hands"]) {
            let index = combo(hand["hand"].as_str().expect("a hand")).index();
            near(range[index], number(&hand["weight"]), 1e-6, "weight");
            sum += range[index];
            for (row, share) in strategy.iter().rev().zip(list(&hand["strategy"])) {
                near(row[index], number(share), 1e-6, "strategy");
            }
            let gets = &hand["gets"];
            if !gets.is_null() {
                // There what was put in since the start is no more counted; here it is.
                let put = &engine.ask(&format!("show_node {id}"))[3];
                let put: Vec<f64> = put.split(' ').map(|n| n.parse().expect("chips")).collect();
                let put = put[(number(&spot["player"]) - 1.0) as usize];
                near(values[0][index] + put, number(gets) / scale, 1e-4, "value");
                assert!(values[1][index] > 0.0);
            }
        }
        assert!(sum > 0.0, "{id}");
        near(range.iter().sum(), sum, 1e-5, "the whole range");
    }
}

#[test]
fn a_river_is_solved_as_solve_subgame_does() {
    let at = &Folder::new();
    let mut engine = Engine::start(at);
    build(&mut engine, &river());
    engine.done(&["set_accuracy 0.003 fraction"]);
    engine.solve();
    let words = format!(
        "--board {RIVER} --pot 200 --stack 900 --ranges {FIRST} {SECOND} --menu 'river 1: 50%; \
         river 2+: allin' --until 0.3%"
    );
    let places = [
        ("", "r:0"),
        ("b100", "r:0:b100"),
        ("x b100", "r:0:c:b100"),
        ("x b100 a", "r:0:c:b100:b900"),
    ];
    same(&mut engine, at, &words, &places, 1.0);
    engine.end().code(0);
}

#[test]
fn a_turn_with_an_odd_pot_is_solved_as_one_with_twice_the_chips() {
    let at = &Folder::new();
    let mut engine = Engine::start(at);
    let lines = ["0 0 0 0", "0 0 0 300", "0 0 300", "0 300", "300"];
    build(&mut engine, &tree("Td9d6hQc", 101, 300, [FIRST, SECOND], &lines));
    engine.done(&["set_accuracy 0.5 chips"]);
    engine.solve();
    let words = format!(
        "--board Td9d6hQc --pot 202 --stack 600 --ranges {FIRST} {SECOND} --menu 'every 1+: allin' \
         --until 1"
    );
    let places = [("", "r:0"), ("x x 2c", "r:0:c:c:2c"), ("x x Ah x a", "r:0:c:c:Ah:c:b300")];
    same(&mut engine, at, &words, &places, 2.0);
    assert_eq!(engine.ask("show_node r:0:c:b300")[3], "0 300 101");
    engine.end().code(0);
}

#[test]
fn values_and_frequencies_add_up_over_children_and_cards() {
    let at = &Folder::new();
    let mut engine = Engine::start(at);
    let lines = ["0 0 0 0", "0 0 0 300", "0 0 300", "0 300", "300"];
    build(&mut engine, &tree("Td9d6hQc", 100, 300, [FIRST, SECOND], &lines));
    engine.done(&["go 30 steps", "wait_for_solver"]);
    let mut mean = |position: &str, id: &str| {
        let rows = engine.rows(&format!("calc_ev {position} {id}"));
        let [values, weights] = &rows[..] else { panic!("two lines") };
        let pairs = values.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        let (sum, all) = pairs
            .fold((0.0, 0.0), |(sum, all), (value, weight)| (sum + value * weight, all + weight));
        (sum / all, all)
    };
    for id in
        ["r", "r:0:c", "r:0:c:c", "r:0:c:c:2c", "r:0:c:c:2c:c:b300", "r:0:b300:c", "r:0:b300:f"]
    {
        let ((oop, weight), (ip, other)) = (mean("OOP", id), mean("IP", id));
        near(oop + ip, 100.0, 1e-3, id);
        near(weight / other, 1.0, 1e-6, id);
    }
    // Who folds has lost what it put in; the other gets the pot.
    near(mean("OOP", "r:0:c:b300:f").0, 0.0, 1e-6, "a fold");
    near(mean("IP", "r:0:c:b300:f").0, 100.0, 1e-6, "a fold");
    // A hand's value is the mean of those of its actions.
    let children = ["r:0:b300", "r:0:c"].map(|id| engine.rows(&format!("calc_ev OOP {id}")));
    let strategy = engine.rows("show_strategy r:0");
    let values = engine.rows("calc_ev OOP r:0");
    for text in ["QsQh", "AdKd", "7s6s"] {
        let hand = combo(text).index();
        let sum: f64 = (0..2).map(|child| strategy[child][hand] * children[child][0][hand]).sum();
        near(sum, values[0][hand], 1e-4, text);
    }
    // Blocked, and not in the range.
    for text in ["QcQd", "2d2c"] {
        assert_eq!(
            (values[0][combo(text).index()], values[1][combo(text).index()]),
            (f64::INFINITY, 0.0)
        );
    }
    for kind in ["calc_global_freq", "calc_line_freq"] {
        near(engine.number(&format!("{kind} r:0")), 1.0, 1e-9, kind);
        let sum: f64 =
            ["r:0:c", "r:0:b300"].map(|id| engine.number(&format!("{kind} {id}"))).iter().sum();
        near(sum, 1.0, 1e-6, kind);
    }
    let cards = engine.ask("show_children r:0:c:c");
    let cards: Vec<&String> = cards.iter().filter(|line| line.starts_with("r:")).collect();
    assert_eq!(cards.len(), 48);
    let split = engine.number("calc_global_freq r:0:c:c");
    let sum: f64 = cards.iter().map(|id| engine.number(&format!("calc_global_freq {id}"))).sum();
    near(sum, split, 1e-6, "all cards");
    near(engine.number("calc_line_freq r:0:c:c:2c"), split, 1e-6, "any card");
    let each: f64 =
        cards.iter().map(|id| engine.number(&format!("calc_global_freq {id}:c:b300"))).sum();
    near(engine.number("calc_line_freq r:0:c:c:5h:c:b300"), each, 1e-6, "a line on any card");
    engine.end().code(0);
}

#[test]
fn equities_are_those_of_the_evaluator() {
    let at = &Folder::new();
    let mut engine = Engine::start(at);
    build(&mut engine, &tree("Td9d6h", 100, 300, [FIRST, SECOND], &["300"]));
    let rows = engine.rows("calc_eq_node OOP r:0");
    let [equities, weights, total] = &rows[..] else { panic!("three lines") };
    let board = "Td9d6h".parse::<Board>().expect("a board").set();
    let (own, other): (Range, Range) = (FIRST.parse().expect("a"), SECOND.parse().expect("b"));
    let (own, other) = (own.without(board), other.without(board));
    for (combo, weight) in own.combos() {
        let sums = other.showdown_sums(combo, board).expect("a flop");
        let equity = (sums.wins + sums.ties / 2.0) / sums.total;
        near(equities[combo.index()], equity, 1e-6, "equity");
        assert!(weights[combo.index()] > 0.0 && weight > 0.0);
    }
    let sums = own.sums_against(&other, board).expect("a flop");
    near(total[0], (sums.wins + sums.ties / 2.0) / sums.total, 1e-6, "of the range");
    assert!(equities[combo("2d2c").index()].is_nan());
    engine.end().code(0);
}

#[test]
fn a_locked_node_keeps_its_strategy_and_the_other_player_exploits_it() {
    let at = &Folder::new();
    let mut engine = Engine::start(at);
    build(&mut engine, &polarised());
    engine.done(&["set_accuracy 0.0001 fraction"]);
    engine.solve();
    // Bluffs are half of the nothings; that is worth 150.
    near(engine.results()[1], 150.0, 0.1, "free");
    let (bet, check) = (numbers(|_| 0.7), numbers(|_| 0.3));
    let strategy = format!("set_strategy r:0 {bet} {check}");
    engine.done(&[&strategy, "lock_node r:0"]);
    // Before it is learnt: a best response calls, and wins the bluffs and half of the checks.
    let best = 0.7 * (0.5 * 400.0 - 0.5 * 200.0) + 0.3 * (0.5 * 200.0);
    near(engine.results()[4], best, 1e-3, "a best response");
    engine.solve();
    let found = engine.results();
    near(found[2], best, 0.05, "learnt");
    near(found[3], found[1], 1e-3, "who is locked has no other answer");
    let rows = engine.ask("show_strategy r:0");
    for (row, digits) in rows.iter().zip(["0.7", "0.3"]) {
        for hand in ["AhTd", "4h3d"] {
            assert_eq!(row.split(' ').nth(combo(hand).index()), Some(digits), "{hand}");
        }
    }
    // Only the nothing is locked: it never bets, and nobody pays the nuts.
    let strategy = format!("set_strategy r:0 {} {}", numbers(|_| 0.0), numbers(|_| 1.0));
    let nothing = combo("4h3d");
    let held = numbers(|combo| f64::from(u8::from(combo == nothing)));
    engine.done(&[&strategy, &format!("combo_lock_node r:0 {held}")]);
    engine.solve();
    near(engine.results()[1], 100.0, 0.1, "no bluffs");
    engine.done(&["unlock_node r:0"]);
    engine.solve();
    near(engine.results()[1], 150.0, 0.1, "free again");
    let error = engine.error("lock_node r:0:b200:c");
    assert!(error.contains("nobody acts"), "{error}");
    let error = engine.error(&format!("set_strategy r:0 {bet}"));
    assert!(error.contains("2 children"), "{error}");
    let error = engine.error(&format!("set_strategy r:0 {bet} {bet}"));
    assert!(error.contains("add up"), "{error}");
    engine.end().code(0);
}

#[test]
fn a_tree_comes_back_from_its_file_with_its_locks_and_goes_on_as_before() {
    let at = &Folder::new();
    let mut engine = Engine::start(at);
    build(&mut engine, &river());
    let strategy = format!(
        "set_strategy r:0:b100 {} {} {}",
        numbers(|_| 0.125),
        numbers(|_| 0.5),
        numbers(|_| 0.375)
    );
    engine.done(&[&strategy, "lock_node r:0:b100", "go 20 steps", "wait_for_solver"]);
    engine.done(&["dump_tree \"my tree.upi\"", "go 20 steps", "wait_for_solver"]);
    let asked = [
        "calc_ev OOP r:0",
        "show_strategy r:0:c",
        "show_strategy r:0:b100",
        "show_tree_info",
        "show_all_lines",
        "show_node r",
    ];
    let wanted = asked.map(|line| engine.ask(line));
    engine.end().code(0);
    let mut engine = Engine::start(at);
    assert_eq!(engine.ask("is_tree_present"), ["false"]);
    engine.done(&["load_tree \"my tree.upi\"", "go 20 steps", "wait_for_solver"]);
    assert_eq!(asked.map(|line| engine.ask(line)), wanted);
    let info = engine.ask("show_metadata \"my tree.upi\"");
    let (last, keys) = info.split_last().expect("lines");
    assert_eq!(last, "show_metadata ok!");
    assert_eq!(keys, wanted[3]);
    assert!(keys.contains(&"#Board#Td 9d 6h Qc 2s".to_owned()), "{keys:?}");
    assert!(keys.contains(&"#EffectiveStacks#900".to_owned()), "{keys:?}");
    // What was set for the tree is set again.
    assert_eq!(engine.ask("show_effective_stack"), ["900"]);
    engine.done(&["remove_line 100 900", "build_tree"]);
    assert_eq!(engine.ask("show_node r:0:b100")[4], "2 children");
    // Damaged, and no tree at all.
    let mut bytes = std::fs::read(at.join("my tree.upi")).expect("a file");
    let middle = bytes.len() - 100;
    bytes[middle] ^= 1;
    at.write("damaged.upi", &bytes);
    at.write("cut.upi", &bytes[..middle]);
    at.write("other.upi", "no tree");
    for (name, why) in
        [("damaged", "damaged"), ("cut", ""), ("other", "not a UPI tree"), ("none", "none.upi")]
    {
        let error = engine.error(&format!("load_tree {name}.upi"));
        assert!(error.contains(why), "{error}");
    }
    engine.end().code(0);
}

/// The amounts of a line's name, as public clients read them.
fn amounts(line: &str) -> Vec<String> {
    let mut amounts: Vec<String> = Vec::new();
    for word in line.split(':').skip(2) {
        match word.strip_prefix('b') {
            Some(chips) => amounts.push(chips.to_owned()),
            None if word == "c" => amounts.push(amounts.last().cloned().unwrap_or("0".to_owned())),
            None => {}
        }
    }
    amounts
}

#[test]
fn the_lines_of_a_tree_build_the_same_tree() {
    let at = &Folder::new();
    let mut engine = Engine::start(at);
    let lines = ["0 50 150 450", "0 0 0 100", "50 50 50 50 200", "50 150 150 150 450", "0 0 75"];
    build(&mut engine, &tree("Td9d6h", 100, 450, [FIRST, SECOND], &lines));
    let found = engine.ask("show_all_lines");
    assert_eq!(found[..3], ["r", "r:0", "r:0:b50"]);
    for line in ["r:0:c:b50:b150:b450:c", "r:0:b50:c:c:c:b200:f", "r:0:c:c:b75", "r:0:c:c:c:b100:c"]
    {
        assert!(found.iter().any(|known| known == line), "{line}");
    }
    // Where lines go on, they alone say how.
    assert_eq!(engine.ask("show_node r:0:c:c:2c")[4], "2 children");
    assert!(engine.error("show_node r:0:b50:c:2c:b100").contains("r:0:b50:c:2c has c"));
    engine.done(&["clear_lines"]);
    for line in &found {
        let amounts = amounts(line);
        if !amounts.is_empty() {
            engine.done(&[&format!("add_line {}", amounts.join(" "))]);
        }
    }
    engine.done(&["build_tree"]);
    assert_eq!(engine.ask("show_all_lines"), found);
    engine.done(&["remove_line 0", "build_tree"]);
    assert_eq!(engine.ask("show_node r:0")[4], "1 children");
    engine.end().code(0);
}

#[test]
fn a_solve_is_stopped_in_the_middle_and_answers_meanwhile() {
    let at = &Folder::new();
    let mut engine = Engine::start(at);
    let lines = ["0 0 0 0", "0 0 0 100 300", "0 0 100 300", "0 100 300", "100 300"];
    build(&mut engine, &tree("Td9d6hQc", 100, 300, ["random", "random"], &lines));
    engine.done(&["set_info_freq 1", "go"]);
    assert_eq!(engine.line(), "SOLVER: started");
    assert_eq!(engine.line(), "SOLVER:");
    engine.answer();
    assert_eq!(engine.ask("is_ready"), ["is_ready ok!"]);
    assert!(engine.error("build_tree").contains("running"));
    assert!(engine.error("go").contains("running"));
    assert_eq!(engine.rows("show_strategy r:0").len(), 2);
    engine.send("stop");
    let mut before = String::new();
    loop {
        match engine.line() {
            line if line == "stop ok!" => break,
            line => before = line,
        }
    }
    assert_eq!((before.as_str(), engine.line().as_str()), ("SOLVER: stopped (requested)", "END"));
    let [_, oop, ip, ..] = engine.results()[..] else { panic!("six numbers") };
    near(oop + ip, 100.0, 2e-3, "the pot");
    engine.done(&["stop", "go 0.05 seconds", "wait_for_solver", "free_tree"]);
    assert!(engine.error("calc_results").contains("build_tree"));
    engine.end().code(0);
}

#[test]
fn a_solve_that_ends_at_once_says_that_it_has_started() {
    let at = &Folder::new();
    for more in ["stop\n", ""] {
        // All of it is there before the first iteration.
        at.write("script.txt", format!("{}\ngo\n{more}", river().join("\n")));
        let input = std::fs::File::open(at.join("script.txt")).expect("a file");
        let run = crate::program::run(at.command("solve upi").stdin(input)).code(0);
        let said: Vec<&str> =
            run.stdout.lines().filter(|line| line.starts_with("SOLVER: ")).collect();
        let reason = if more.is_empty() { "end of input" } else { "requested" };
        assert_eq!(said, ["SOLVER: started", &format!("SOLVER: stopped ({reason})")]);
    }
}

#[test]
fn the_end_of_the_input_and_a_signal_end_a_solve() {
    let at = &Folder::new();
    for signal in [false, true] {
        let mut engine = Engine::start(at);
        build(&mut engine, &tree("Td9d6hQc", 100, 300, ["random", "random"], &["300"]));
        engine.done(&["go"]);
        assert_eq!(engine.line(), "SOLVER: started");
        if signal {
            crate::program::send("TERM", engine.child.id());
            engine.child.wait().expect("it ends");
            let run = engine.end().failed(130, "stopped by a signal");
            assert!(run.stdout.ends_with("SOLVER: stopped (terminated)\n"), "{}", run.stdout);
        } else {
            let run = engine.end().code(0);
            assert!(run.stdout.ends_with("SOLVER: stopped (end of input)\n"), "{}", run.stdout);
        }
    }
    // A script that waits for ever, from a file.
    let mut engine = Engine::start(at);
    build(&mut engine, &tree("Td9d6hQc", 100, 300, ["random", "random"], &["300"]));
    engine.send("go\nwait_for_solver\nis_ready");
    let run = engine.end().code(0);
    assert!(
        run.stdout.ends_with("wait_for_solver ok!\nEND\nis_ready ok!\nEND\n"),
        "{}",
        run.stdout
    );
    // A signal without anything to do.
    let engine = Engine::start(at);
    crate::program::send("TERM", engine.child.id());
    let mut child = engine.child;
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn scripts_are_loaded_aloud_and_silently() {
    let at = &Folder::new();
    at.write("ready.txt", "is_ready\n# nothing\nshow_effective_stack\n");
    at.write("set.txt", "set_eff_stack 700\nload_script ready.txt\n");
    at.write("bad.txt", "set_eff_stack 500\nshow_node r:0\nset_eff_stack 600\n");
    at.write("loop.txt", "load_script_silent loop.txt\n");
    let mut engine = Engine::start(at);
    engine.done(&["load_script_silent set.txt"]);
    engine.done(&["load_script ready.txt"]);
    assert_eq!(engine.answer(), ["is_ready ok!"]);
    assert_eq!(engine.answer(), ["700"]);
    let error = engine.error("load_script_silent bad.txt");
    assert!(error.contains("bad.txt: show_node: there is no tree"), "{error}");
    assert_eq!(engine.ask("show_effective_stack"), ["500"]);
    assert!(engine.error("load_script_silent loop.txt").contains("load each other"));
    assert!(engine.error("load_script none.txt").contains("none.txt"));
    engine.end().code(0);
}

#[test]
fn lines_that_are_wrong_are_errors_that_say_why_and_the_session_goes_on() {
    let at = &Folder::new();
    let mut engine = Engine::start(at);
    for (line, why) in [
        ("shw_node r", "like show_node"),
        ("show_node", "an argument is missing"),
        ("show_node r:0:x5", "not a node"),
        ("show_node r:0", "there is no tree"),
        ("build_tree", "set_board"),
        ("set_board QsJx", "Jx"),
        ("set_pot 0 0 180.5", "whole"),
        ("set_eff_stack -5", "whole"),
        ("set_range OOP 1 1", "2 numbers, not 1326"),
        ("set_range BB 1", "neither OOP nor IP"),
        ("set_accuracy much", "not a number"),
        ("go 5 minutes", "none of seconds, steps"),
        ("is_ready now", "too much"),
        ("dump_tree \"open", "quotation mark"),
        ("bench", "another program"),
        ("solve_partial r:0", "whole trees"),
        ("set_mes OOP", "not documented"),
        ("set_algorithm pio_cfr", "auto"),
        ("remove_line 10", "no line 10"),
        // What can be seen to be wrong is said at once, and not set.
        ("set_pot 20 20 160", "set both first numbers to 0"),
        ("set_pot 1 2 3", "set both first numbers to 0"),
        ("set_pot 0 0 0", "the pot is 0"),
        ("set_board QsJh", "2 cards"),
        ("set_eff_stack 0", "stack"),
    ] {
        let error = engine.error(line);
        assert!(error.contains(why), "{line}: {error}");
    }
    engine.done(&["set_algorithm auto", "set_recalc_accuracy 0.0025 0.001 0.0005"]);
    engine.done(&["set_always_recalc 0 60000", "set_threads 4000000000", "set_isomorphism 1 0"]);
    build(&mut engine, &river());
    for (change, why) in [
        ("add_line 0 100 150", "line 0 100 150: a bet or raise there is to 200 to 900"),
        ("add_line 100 100 100", "the betting is over before 100"),
        ("add_line 0 100 50", "less than 100"),
        ("add_line 1000", "to 1 to 900"),
        ("clear_lines", "add_line"),
    ] {
        engine.done(&[change]);
        let error = engine.error("build_tree");
        assert!(error.contains(why), "{change}: {error}");
        build(&mut engine, &river());
    }
    let error = engine.error("show_node r:0:b101");
    assert!(error.contains("r:0 has b100, c"), "{error}");
    let error = engine.error("show_strategy r:0:b100:f");
    assert!(error.contains("nobody acts"), "{error}");
    let error = engine.error("show_node r:0:c:c:2d");
    assert!(error.contains("no children"), "{error}");
    // Ten megabytes on one line, and bytes that are no text.
    engine
        .input
        .write_all(&[b"add_line ".as_slice(), &b"1 ".repeat(5 << 20), b"\n"].concat())
        .expect("it reads");
    let answer = engine.answer();
    assert!(
        answer.len() == 1 && answer[0].starts_with("ERROR: ") && answer[0].contains("bytes"),
        "{answer:?}"
    );
    engine.input.write_all(b"is_ready \xff\xfe\n").expect("it reads");
    assert!(engine.answer()[0].contains("UTF-8"));
    engine.done(&["is_ready"]);
    engine.end().code(0);
    at.fails(2, "solve upi --json", "prints no document");
}

#[test]
fn suits_that_are_one_are_told_apart_only_where_they_are_not_merged() {
    let at = &Folder::new();
    let mut engine = Engine::start(at);
    let flop = tree("Td9d6h", 100, 100, ["AA,KQs", "QQ,98s"], &["0 0", "100"]);
    build(&mut engine, &flop);
    let clubs = combo("KcQc");
    let (bet, check) = (
        numbers(|c| f64::from(u8::from(c == clubs))),
        numbers(|c| f64::from(u8::from(c != clubs))),
    );
    let strategy = format!("set_strategy r:0 {bet} {check}");
    let error = engine.error(&strategy);
    assert!(error.contains("set_isomorphism 0 0"), "{error}");
    engine.done(&["set_isomorphism 0 0", "build_tree", &strategy, "lock_node r:0"]);
    assert_eq!(engine.ask("show_node r")[5], "flags:");
    engine.end().code(0);
}

#[test]
fn memory_is_limited() {
    let at = &Folder::new();
    at.write(
        "script.txt",
        format!(
            "{}\nestimate_tree\n",
            tree("Td9d6h", 100, 300, ["random"; 2], &["300"]).join("\n")
        ),
    );
    let input = std::fs::File::open(at.join("script.txt")).expect("a file");
    let run = crate::program::run(at.command("solve upi --memory 1MB").stdin(input)).code(0);
    let lines: Vec<&str> = run.stdout.lines().rev().collect();
    assert!(lines[1].starts_with("ERROR: build_tree: solving takes "), "{}", lines[1]);
    assert!(lines[0].ends_with(" bytes") && lines[0].contains("nodes of betting"), "{}", lines[0]);
}
