//! UPI at its boundary: commands and their printer, lines that are none, the forms of answers.

use cards::{Board, Card, Combo};
use proptest::prelude::*;
use protocol::upi::{
    AnswerWriter, Command, CommandReader, Extent, Limit, MAX_COMMAND, Node, NodeId, NodeKind,
    Position, Reply, Results, Step, Unit, Update, greeting, hand_order, plain,
};

fn card() -> impl Strategy<Value = Card> {
    (0..52_u8).prop_map(|index| Card::from_index(index).unwrap())
}

fn node() -> impl Strategy<Value = NodeId> {
    let step = prop_oneof![
        Just(Step::Fold),
        Just(Step::Call),
        any::<u32>().prop_map(Step::Bet),
        card().prop_map(Step::Card),
    ];
    prop_oneof![Just(NodeId::Root), prop::collection::vec(step, 0..12).prop_map(NodeId::After),]
}

fn position() -> impl Strategy<Value = Position> {
    prop_oneof![Just(Position::Oop), Just(Position::Ip)]
}

/// A word, with blanks or without.
fn word() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9#:./\\\\_é]{1,8}( [a-z.]{0,5}){0,2}|"
}

fn words() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(word(), 0..4)
}

fn board() -> impl Strategy<Value = Board> {
    prop::sample::subsequence((0..52_u8).collect::<Vec<_>>(), 1..=5).prop_map(|cards| {
        let cards: Vec<Card> = cards.into_iter().filter_map(Card::from_index).collect();
        Board::new(&cards).unwrap()
    })
}

fn probabilities(rows: impl Into<prop::collection::SizeRange>) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64], rows)
}

fn command() -> impl Strategy<Value = Command> {
    let numbers = || prop::collection::vec(0.0..1e6_f64, 0..4);
    let line = || prop::collection::vec(any::<u32>(), 1..20);
    prop_oneof![
        prop::sample::select(vec![
            Command::IsReady,
            Command::Exit,
            Command::ResetEndString,
            Command::ShowVersion,
            Command::Bench,
            Command::ShowHandOrder,
            Command::ShowPreflopOrder,
            Command::CalcResults,
            Command::ShowTreeInfo,
            Command::ShowAllLines,
            Command::ShowEffectiveStack,
            Command::IsTreePresent,
            Command::ClearLines,
            Command::EstimateTree,
            Command::BuildTree,
            Command::FreeTree,
            Command::LoadAllNodes,
            Command::RebuildForgottenStreets,
            Command::Go(Limit::None),
            Command::Stop,
            Command::WaitForSolver,
            Command::SolveAllSplits,
        ]),
        word().prop_map(Command::SetEndString),
        words().prop_map(Command::Echo),
        word().prop_map(Command::LoadScript),
        word().prop_map(Command::LoadScriptSilent),
        word().prop_map(Command::ShowMetadata),
        word().prop_map(Command::SetAlgorithm),
        words().prop_map(Command::SetEqualStrats),
        words().prop_map(Command::SetMes),
        words().prop_map(Command::EliminatePath),
        node().prop_map(Command::ShowNode),
        node().prop_map(Command::ShowChildren),
        node().prop_map(Command::ShowStrategy),
        node().prop_map(Command::CalcGlobalFreq),
        node().prop_map(Command::CalcLineFreq),
        node().prop_map(Command::SolvePartial),
        node().prop_map(Command::LockNode),
        node().prop_map(Command::UnlockNode),
        (position(), prop::option::of(node())).prop_map(|(p, node)| Command::ShowRange(p, node)),
        (position(), node()).prop_map(|(p, node)| Command::CalcEv(p, node)),
        (position(), node()).prop_map(|(p, node)| Command::CalcEqNode(p, node)),
        board().prop_map(Command::SetBoard),
        any::<u32>().prop_map(Command::SetEffStack),
        any::<[u32; 3]>().prop_map(Command::SetPot),
        line().prop_map(Command::AddLine),
        line().prop_map(Command::RemoveLine),
        (0.0..1e9_f64, any::<bool>()).prop_map(|(accuracy, chips)| {
            Command::SetAccuracy(accuracy, if chips { Unit::Chips } else { Unit::Fraction })
        }),
        any::<u32>().prop_map(Command::SetThreads),
        any::<u32>().prop_map(Command::SetInfoFreq),
        any::<[bool; 2]>().prop_map(Command::SetIsomorphism),
        numbers().prop_map(Command::SetRecalcAccuracy),
        numbers().prop_map(Command::SetAlwaysRecalc),
        (0.0..1e9_f64).prop_map(|seconds| Command::Go(Limit::Seconds(seconds))),
        (1..u32::MAX).prop_map(|steps| Command::Go(Limit::Steps(steps))),
        (
            word(),
            prop::sample::select(vec![Extent::Unsaid, Extent::Full, Extent::Fast, Extent::Auto])
        )
            .prop_map(|(path, extent)| Command::LoadTree(path, extent)),
        (word(), prop::sample::select(vec![Extent::Unsaid, Extent::Full, Extent::NoTurns]))
            .prop_map(|(path, extent)| Command::DumpTree(path, extent)),
    ]
}

proptest! {
    #[test]
    fn commands_print_as_they_are_parsed(command in command()) {
        prop_assert_eq!(Command::parse(&command.to_string()), Ok(command));
    }

    #[test]
    fn any_line_is_a_command_or_an_error_of_one_line(line in ".{0,60}") {
        match Command::parse(&line) {
            Ok(command) => prop_assert_eq!(Command::parse(&command.to_string()), Ok(command)),
            Err(error) => {
                let answer = AnswerWriter::default().refuse(&error);
                prop_assert_eq!(answer.lines().count(), 1);
            }
        }
    }

    #[test]
    fn numbers_are_near_what_they_print(
        number in prop_oneof![-1e6..1e6_f64, 0.0..1.0_f64, 0.0..1e-6_f64],
    ) {
        let printed: f64 = plain(number).parse().unwrap();
        let least = 1e-8 * number.abs() + 1e-15;
        prop_assert!((printed - number).abs() <= least, "{number}: {printed}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn commands_with_a_number_for_each_hand_print_as_they_are_parsed(
        position in position(),
        node in node(),
        weights in probabilities(Combo::COUNT),
        strategy in probabilities(3 * Combo::COUNT),
        held in prop::collection::vec(any::<bool>(), Combo::COUNT),
    ) {
        let all = [
            Command::SetRange(position, weights),
            Command::SetStrategy(node.clone(), strategy),
            Command::ComboLockNode(node, held),
        ];
        for command in all {
            prop_assert_eq!(Command::parse(&command.to_string()), Ok(command));
        }
    }
}

fn read(bytes: &[u8]) -> Vec<Result<Command, String>> {
    let mut reader = CommandReader::default();
    reader.receive(bytes);
    reader.end();
    std::iter::from_fn(|| reader.poll().map(|read| read.map_err(|error| error.to_string())))
        .collect()
}

#[test]
fn lines_are_cut_anywhere_and_blank_ones_and_comments_are_skipped() {
    let bytes = b"is_ready\r\n\n   \n# stop\n  #stop\nstop\nset_accuracy 12.50\nexit";
    let accuracy = Command::SetAccuracy(12.5, Unit::Chips);
    let wanted = [Command::IsReady, Command::Stop, accuracy, Command::Exit];
    let found: Vec<Command> = read(bytes).into_iter().map(Result::unwrap).collect();
    assert_eq!(found, wanted);
    let mut reader = CommandReader::default();
    let mut found = Vec::new();
    for byte in bytes {
        reader.receive(&[*byte]);
        found.extend(reader.poll().map(Result::unwrap));
    }
    reader.end();
    found.extend(reader.poll().map(Result::unwrap));
    assert_eq!(found, wanted);
}

#[test]
fn a_line_that_is_too_long_is_one_error_and_the_next_is_read() {
    for length in [MAX_COMMAND, MAX_COMMAND + 1, 2 * MAX_COMMAND, 3 * MAX_COMMAND + 7] {
        let bytes = [vec![b'x'; length], b"\nis_ready\n".to_vec()].concat();
        let found = read(&bytes);
        assert_eq!(found.len(), 2, "{length}");
        assert!(found[0].as_ref().unwrap_err().contains("bytes"), "{:?}", found[0]);
        assert_eq!(found[1], Ok(Command::IsReady), "{length}");
    }
    // The longest that fits.
    let bytes = [b"echo ".to_vec(), vec![b'x'; MAX_COMMAND - 6], b"\n".to_vec()].concat();
    assert!(read(&bytes)[0].is_ok());
    // Without an end.
    let found = read(&vec![b'x'; MAX_COMMAND + 5]);
    assert_eq!(found.len(), 1);
}

#[test]
fn wrong_arguments_say_what_is_expected() {
    for (line, why) in [
        ("", "no command"),
        ("is_redy", "like is_ready"),
        ("is_ready 1", "is_ready: `1` is too much"),
        ("calc_ev OOP", "an argument is missing; write it as in `calc_ev OOP r:0`"),
        ("calc_ev r:0 OOP", "neither OOP nor IP"),
        ("show_node 0", "not a node"),
        ("show_node r:", "not a node"),
        ("show_node r:0:", "not a node"),
        ("show_node r:0:b", "not a node"),
        ("show_node r:0:b-5", "not a node"),
        ("show_node r:0:8h9h", "not a node"),
        ("set_pot 0 0", "an argument is missing"),
        ("set_pot 0 0 1.25", "whole number of chips"),
        ("set_pot 0 0 99999999999", "99999999999 chips are too many"),
        ("set_threads 99999999999", "not a whole number up to"),
        ("add_line", "an argument is missing"),
        ("set_range OOP nan", "not a number"),
        ("set_range OOP inf", "not a number"),
        ("set_strategy r:0", "0 numbers"),
        ("combo_lock_node r:0 1 2", "neither 0 nor 1"),
        ("go 1.5 steps", "not a whole number"),
        ("go 0", "not a whole number"),
        ("go 99999999999999999999 steps", "`99999999999999999999` is not a whole number from 1 to"),
        ("load_tree x no_rivers", "none of full, fast, auto"),
        ("dump_tree x fast", "none of full, no_rivers, no_turns"),
        ("set_accuracy 1 percent", "none of chips, fraction"),
        ("set_board 2c2c", "2c"),
        ("set_board", "an argument is missing"),
    ] {
        let error = Command::parse(line).unwrap_err().to_string();
        assert!(error.contains(why), "{line}: {error}");
    }
    assert_eq!(Command::parse("set_eff_stack 910.0"), Ok(Command::SetEffStack(910)));
    assert_eq!(Command::parse("set_board Qs Jh 2h"), Command::parse("set_board QsJh2h"));
    assert_eq!(
        Command::parse(r#"load_tree "C:\docs and settings\a.cfr" full"#),
        Ok(Command::LoadTree(r"C:\docs and settings\a.cfr".to_owned(), Extent::Full))
    );
    assert_eq!(Command::parse("go 100"), Ok(Command::Go(Limit::Steps(100))));
}

#[test]
fn answers_have_the_forms_of_the_protocol() {
    let results = Results {
        seconds: 52.977,
        values: [181.767, 293.233],
        best: [242.008, 343.408],
        exploitable: 55.2085,
    };
    let six = "running time: 52.977\nEV OOP: 181.767\nEV IP: 293.233\nOOP's MES: 242.008\n\
               IP's MES: 343.408\nExploitable for: 55.209\n";
    let node = Node {
        id: "r:0:b100:c:8h".parse().unwrap(),
        kind: NodeKind::OopDecision,
        board: "Ks9s4h8h".parse().unwrap(),
        pot: [100, 100, 180],
        children: 3,
        flags: Vec::new(),
    };
    let shown = "r:0:b100:c:8h\nOOP_DEC\nKs 9s 4h 8h\n100 100 180\n3 children\nflags:\n";
    let rows = vec![vec![f64::INFINITY, 8.835_947_99, 171.224_976, 0.0], vec![f64::NAN, 0.45, 1.0]];
    let mut writer = AnswerWriter::default();
    let mut says = |command: Command, reply: Result<Reply, String>| writer.answer(&command, &reply);
    assert_eq!(says(Command::IsReady, Ok(Reply::Done)), "is_ready ok!\n");
    let set = Command::SetEndString("END".to_owned());
    assert_eq!(says(set, Ok(Reply::Done)), "set_end_string ok!\nEND\n");
    assert_eq!(says(Command::CalcResults, Ok(Reply::Results(results))), format!("{six}END\n"));
    let id = node.id.clone();
    assert_eq!(
        says(Command::ShowNode(id.clone()), Ok(Reply::Node(node.clone()))),
        format!("{shown}END\n")
    );
    let root = Node { kind: NodeKind::Root, flags: vec!["ISOMORPHISM_ON"], ..node.clone() };
    assert_eq!(
        says(Command::ShowChildren(id.clone()), Ok(Reply::Children(vec![node, root]))),
        format!(
            "child 0:\n{shown}\nchild 1:\n{}END\n",
            shown.replace("OOP_DEC", "ROOT").replace("flags:", "flags: ISOMORPHISM_ON")
        )
    );
    assert_eq!(says(Command::ShowChildren(id.clone()), Ok(Reply::Children(Vec::new()))), "END\n");
    assert_eq!(
        says(Command::ShowStrategy(id), Ok(Reply::Rows(rows))),
        "inf 8.83594799 171.224976 0\nnan 0.45 1\nEND\n"
    );
    let info = || Ok(Reply::Info(vec![("Board", "Ks 9s 4h".to_owned())]));
    assert_eq!(says(Command::ShowTreeInfo, info()), "#Board#Ks 9s 4h\nEND\n");
    let of_file = Command::ShowMetadata("x".to_owned());
    assert_eq!(says(of_file, info()), "#Board#Ks 9s 4h\nshow_metadata ok!\nEND\n");
    let error = "it is\nso".to_owned();
    assert_eq!(says(Command::BuildTree, Err(error)), "ERROR: it is so\nEND\n");
    assert_eq!(writer.update(&Update::Started), "SOLVER: started\n");
    assert_eq!(writer.update(&Update::Running(results)), format!("SOLVER:\n{six}END\n"));
    assert_eq!(writer.update(&Update::Stopped("requested")), "SOLVER: stopped (requested)\n");
    let reply = writer.answer(&Command::ResetEndString, &Ok(Reply::Done));
    assert_eq!(reply, "reset_end_string ok!\n");
    assert_eq!(greeting("a 1", "(c) b", "c"), "a 1\n(c) b\nregistered to c\n");
    assert!(hand_order().starts_with("2d2c 2h2c 2h2d 2s2c 2s2d 2s2h 3c2c 3c2d"));
    assert!(hand_order().ends_with("AsAc AsAd AsAh"));
    for (number, text) in [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-12.5, "-12.5"),
        (0.3, "0.3"),
        (f64::NEG_INFINITY, "-inf"),
        (123_456_789.123, "123456789"),
        (1.0 / 3.0, "0.333333333"),
    ] {
        assert_eq!(plain(number), text);
    }
}
