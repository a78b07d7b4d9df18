//! `cardroom explain` as a process: charts against the agents' own policies, trees in every form,
//! bluffs, recorded decisions, one line for each mistake.

mod around;
mod fidelity;
mod heuristic;
mod playbook;
mod results;
mod winnings;

use std::collections::HashSet;
use std::fs;
use std::sync::Arc;

use abstraction::betting::game_hash;
use abstraction::features::{Feature, FeatureMaker, Schema, SeenBetting};
use abstraction::menu::BetMenu;
use agents::Registry;
use cards::{CardSet, Combo, HoleCards, StartingHand};
use game::{InfoSet, PublicState, Street, Turn, games};
use logs::LedgerReader;
use models::file::sha256;
use models::student::{FORMAT, Manifest, StreetManifest, columns};
use models::tree::Tree;
use serde_json::Value;

use crate::program::{Folder, Words, list, shows, string};

const MENU: &str = "preflop 1+: 2.5x allin\nflop turn river 1+: pot allin\n";

/// Trees small enough to be known by heart, one for each street.
const TREES: [&str; 4] = [
    "winrate>=0.5 ? (river_winrate_p60>=0.76 ? allin#100 : {2.5x 80%, call 20%}#300) : \
     (opponent_bet_preflop>=101 ? fold#500 : call#100)",
    "winrate>=0.6 ? pot#10 : (turn_winrate_p100>=0.5 ? call#20 : fold#30)",
    "winrate>=0.6 ? pot#10 : (opponent_bet_turn>=1 ? fold#50 : call#20)",
    "winrate>=0.7 ? {call 50%, pot 50%}#10 : (winrate>=0.2 ? call#50 : (opponent_bet_river>=1 ? \
     fold#30 : {allin 60%, call 40%}#10))",
];

/// Writes a student with these trees into a folder of the given name.
fn student(folder: &Folder, name: &str) -> String {
    let (def, menu) = (games::nolimit_holdem(), MENU.parse::<BetMenu>().expect("a menu"));
    let at = folder.join(name);
    fs::create_dir(&at).expect("a folder");
    let streets = Street::ALL.map(|street| {
        let classes = menu.moves(street).names();
        let tree =
            Tree::parse(TREES[street.index()], &columns(Schema::default(), street), &classes)
                .expect("a tree");
        let (bytes, file) = (tree.to_bytes(), format!("{street}.tree"));
        folder.write(format!("{name}/{file}"), &bytes);
        StreetManifest {
            street: street.to_string(),
            file,
            sha256: sha256(&bytes),
            rows: 1000,
            size: format!("{} leaves", tree.leaves()),
            log_loss: [0.5; 3],
            accuracy: 0.8,
        }
    });
    let manifest = Manifest {
        format: FORMAT,
        kind: "cart".to_owned(),
        made_by: "a test".to_owned(),
        options: String::new(),
        data_sha256: String::new(),
        teacher_sha256: String::new(),
        menu: menu.to_string(),
        game_sha256: game_hash(&def),
        features: Schema::default().stamp(),
        streets: streets.to_vec(),
        game: def.spec().clone(),
    };
    folder.write(format!("{name}/manifest.toml"), toml::to_string(&manifest).expect("text"));
    format!("cart:model={}", at.display())
}

fn explain(folder: &Folder, words: impl Words) -> String {
    folder.ok(("explain", words))
}

fn document(folder: &Folder, words: impl Words) -> Value {
    folder.json(("explain", words))
}

fn check_failure(folder: &Folder, words: impl Words, code: i32, expected: &str) {
    folder.fails(code, ("explain", words), expected);
}

/// The frequency of each action of an agent, by its policy asked hand by hand, over all 1,326
/// hands.
fn mean(agent: &str, betting: &str) -> Vec<(String, f64)> {
    let def = Arc::new(games::nolimit_holdem());
    let choice = Registry::standard().resolve(agent).expect("it exists");
    let policy = choice.policy(&def).expect("it plays").expect("it has a policy");
    let public: PublicState =
        game::notation::replay(&def, betting, &cards::Board::EMPTY).expect("a betting");
    let Turn::Act(seat) = public.turn() else { panic!("somebody acts") };
    let mut sums: Vec<(String, f64)> = Vec::new();
    for combo in Combo::all() {
        let hole = HoleCards::new(&combo.cards()).expect("two cards");
        let strategy = policy.strategy(&InfoSet { public: public.clone(), seat, hole });
        for (action, probability) in strategy.actions {
            let mut name = String::new();
            game::notation::write_action(action, false, &mut name);
            match sums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += probability,
                None => sums.push((name, probability)),
            }
        }
    }
    sums
}

#[test]
fn the_totals_of_a_chart_are_the_means_of_the_policy() {
    let at = &Folder::new();
    let made = student(at, "made");
    for (agent, betting) in
        [(made.as_str(), ""), (&made, "r250"), (&made, "c"), ("cfr", "r250"), ("call", "cr400")]
    {
        let chart = document(at, ("chart", [agent], "--at", [betting]));
        assert_eq!(
            (&chart["schema"], &chart["combos"]),
            (&"cardroom-explain-chart/1".into(), &1326.0.into())
        );
        let expected = mean(agent, betting);
        let actions = list(&chart["actions"]);
        assert_eq!(actions.len(), expected.len(), "{agent} {betting}");
        for (name, sum) in expected {
            let action = actions.iter().find(|action| action["action"] == name.as_str());
            let action = action.unwrap_or_else(|| panic!("{agent} {betting}: no {name}"));
            let near =
                |value: &Value, sum: f64| (value.as_f64().expect("a number") - sum).abs() < 1e-6;
            assert!(near(&action["combos"], sum), "{agent} {betting} {name}: {sum} {action}");
            assert!(near(&action["frequency"], sum / 1326.0), "{action}");
        }
        // The cells add up to the same.
        let hands = list(&chart["hands"]);
        assert_eq!(hands.len(), 169);
        for (number, action) in actions.iter().enumerate() {
            let cell = |hand: &Value| {
                hand["combos"].as_f64().expect("a number")
                    * hand["strategy"][number].as_f64().expect("one")
            };
            let sum: f64 = hands.iter().map(cell).sum();
            assert!((sum - action["combos"].as_f64().expect("a number")).abs() < 1e-6);
        }
    }
}

#[test]
fn a_chart_is_drawn_with_a_cell_for_each_hand() {
    let at = &Folder::new();
    let made = student(at, "made");
    let shown = explain(at, ("chart", [&made], "--svg chart.svg"));
    assert!(shown.lines().all(|line| line.chars().count() <= 130), "{shown}");
    shows(
        &shown,
        &[
            "at the first decision",
            "pot 150, 50 to call",
            "raise to 250",
            "all-in 20000",
            "suited above",
        ],
    );
    let svg = at.read("chart.svg");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
    assert_eq!(svg.matches("class=\"cell\"").count(), 169);
    let named: HashSet<String> =
        StartingHand::all().map(|hand| format!(">{hand}</text>")).collect();
    assert!(named.iter().all(|hand| svg.contains(hand)), "a hand is missing");
    // Of 32o this tree gives nothing but calls at the first decision: the small blind faces one big
    // blind.
    assert!(svg.contains("<title>32o: call 100.0 %"), "{svg}");
}

#[test]
fn trees_are_shown_as_text_for_graphviz_and_drawn() {
    let at = &Folder::new();
    let made = student(at, "made");
    for name in [made.as_str(), "made"] {
        let text = explain(at, ("tree", [name], "--street preflop"));
        assert_eq!(
            text.split_once("\n\n").expect("a heading").1,
            "node 0: fold 50 %, raise to 2.5x 24 %, check or call 16 %, all-in 10 % (1,000 rows, \
             100 % of play)\n\
             ├─ equity below 50 %\n\
             │  node 1: fold 83 %, check or call 17 % (600 rows, 60 % of play)\n\
             │  ├─ the opponent has not raised\n\
             │  │  node 2: check or call 100 % (100 rows, 10 % of play)\n\
             │  └─ the opponent has raised\n\
             │     node 3: fold 100 % (500 rows, 50 % of play)\n\
             └─ equity 50 % or more\n   \
                node 4: raise to 2.5x 60 %, all-in 25 %, check or call 15 % (400 rows, 40 % of \
                play)\n   ├─ wins less than 76 % on its worst 60 % of rivers (fewer than four \
             rivers in ten: two pair or better)\n   \
                │  node 5: raise to 2.5x 80 %, check or call 20 % (300 rows, 30 % of play)\n   \
                └─ wins 76 % or more on its best 40 % of rivers (four rivers in ten: two pair or \
             better)\n      \
                   node 6: all-in 100 % (100 rows, 10 % of play)\n"
        );
    }
    let pruned = explain(at, "tree made --street preflop --depth 1");
    assert!(
        pruned.contains("60 % of play, 2 leaves below)") && !pruned.contains("rivers"),
        "{pruned}"
    );
    let part = explain(at, "tree made --street preflop --node 4");
    assert!(part.contains("there: equity 50 % or more") && !part.contains("node 1"), "{part}");
    // The hands with half of the pot or more, as a chart: aces, and not the worst hand.
    let hands = part.split_once("hands that come here, whatever is bet: ").expect("a chart").1;
    assert!(
        hands.contains("\nAA  AKs AQs") && hands.contains("·") && !hands.contains("32o"),
        "{part}"
    );

    explain(at, "tree made --street preflop --dot tree.dot");
    check_dot(&at.read("tree.dot"), 7);
    for (depth, boxes) in [("64", 7), ("1", 3), ("0", 1)] {
        explain(at, ("tree made --street preflop --svg tree.svg --depth", depth));
        let svg = at.read("tree.svg");
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
        assert_eq!(svg.matches("class=\"box").count(), boxes);
        assert_eq!((svg.matches("<g>").count(), svg.matches("</g>").count()), (boxes, boxes));
        assert_eq!(svg.matches("class=\"edge\"").count(), boxes - 1);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

/// Every node is declared once before it is linked, strings are closed, braces match.
fn check_dot(dot: &str, nodes: usize) {
    let lines: Vec<&str> = dot.lines().collect();
    assert_eq!((lines[0], lines[lines.len() - 1]), ("digraph tree {", "}"), "{dot}");
    let mut declared = HashSet::new();
    let mut edges = 0;
    for line in &lines[1..lines.len() - 1] {
        assert!(line.ends_with("];"), "{line}");
        let bare = line.replace("\\\"", "");
        assert!(bare.matches('"').count().is_multiple_of(2), "{line}");
        let words: Vec<&str> = line.split_whitespace().collect();
        if words[1] == "->" {
            assert!(declared.contains(words[0]) && declared.contains(words[2]), "{line}");
            edges += 1;
        } else if words[0].starts_with('n') && words[0] != "node" {
            assert!(declared.insert(words[0]), "{line}");
        }
    }
    assert_eq!((declared.len(), edges), (nodes, nodes - 1), "{dot}");
}

#[test]
fn bluffs_are_found_with_their_paths() {
    let at = &Folder::new();
    student(at, "made");
    let found = document(at, "bluffs made");
    let streets = list(&found["streets"]);
    let count = |street: &Value| list(&street["bluffs"]).len();
    assert_eq!(streets.iter().map(count).collect::<Vec<_>>(), [0, 0, 0, 1]);
    let bluff = &streets[3]["bluffs"][0];
    assert_eq!(bluff["nodes"], serde_json::json!([0, 1, 2, 3]));
    assert_eq!((&bluff["rows"], &bluff["share_of_play"]), (&10.into(), &0.1.into()));
    let text = explain(at, "bluffs made --street river");
    shows(
        &text,
        &[
            "1 of 4 leaves raise 20 % of the time or more with an equity below 45 %",
            "node 3: all-in 60 %, check 40 % (10 rows, 10 % of play)",
            "  equity below 20 %\n  the opponent has not bet on the river\n",
        ],
    );
    for (option, value) in [("--equity", "19%"), ("--raise", "0.61")] {
        let text = explain(at, ("bluffs made --street river", [option, value]));
        assert!(text.contains("0 of 4 leaves"), "{text}");
    }
}

#[test]
fn the_mean_of_the_deciles_bounds_the_equity() {
    // What makes deciles tell a weak hand: bluffs are found by it.
    let mut maker = FeatureMaker::counting(Schema::default());
    for hand in StartingHand::all() {
        let combo = hand.combos().next().expect("combos");
        let features =
            maker.cards(combo, CardSet::EMPTY, &SeenBetting::default()).expect("features");
        let equity = features.get(Feature::Equity).expect("one");
        for street in [Street::Flop, Street::Turn, Street::River] {
            let decile = |at: u8| features.get(Feature::Percentile { street, percent: 10 * at });
            let mean = (1..=10).map(|at| decile(at).expect("a decile")).sum::<f32>() / 10.0;
            assert!(equity <= mean + 1e-5, "{hand} {street}: {equity} {mean}");
        }
    }
}

#[test]
fn a_recorded_decision_is_followed_through_the_tree() {
    let at = &Folder::new();
    let made = student(at, "made");
    at.ok(("match", [&made], "random --hands 20 --seed 5 --out m --quiet"));
    let ledger = LedgerReader::open(&at.join("m")).expect("a ledger");
    let (mut followed, mut flipped) = (0, 0);
    for hand in 0..20 {
        for decision in ledger.decisions(hand).expect("decisions") {
            let (hand, number) = (hand.to_string(), decision.index.to_string());
            if decision.entrant == 1 {
                continue;
            }
            let found = document(at, ("decision m", [&hand, &number]));
            let nodes: Vec<String> =
                list(&found["nodes"]).iter().map(ToString::to_string).collect();
            let note = decision.note.expect("a tree says why");
            let (said, path) = note.split_once('\n').expect("a sentence, and the path");
            assert_eq!(path.split(':').next(), Some(&*format!("nodes {}", nodes.join("-"))));
            // The same words as those of the tree, with the numbers.
            let words = list(&found["path"]).iter();
            let words: Vec<&str> = words.map(|words| words.as_str().expect("words")).collect();
            for (said, words) in said.split("; ").zip(&words) {
                assert!(said.starts_with("and ") || said.starts_with(words), "{note}: {words:?}");
            }
            assert_eq!(found["other_model"], false, "{found}");
            let likeliest = |strategy: &Value| string(&strategy[0][0]).to_owned();
            for flip in list(&found["flips"]) {
                assert_ne!(likeliest(&flip["strategy"]), likeliest(&found["strategy"]), "{found}");
                assert_ne!(flip["from"], flip["to"]);
                flipped += 1;
            }
            followed += 1;
        }
        if followed > 5 && flipped > 5 {
            break;
        }
    }
    assert!(followed > 5 && flipped > 5, "{followed} decisions, {flipped} flips");
    let shown = explain(at, "decision m 0");
    assert!(shown.starts_with("hand 0: ") && shown.contains("equity "), "{shown}");
    let listed = document(at, "decision m 0");
    assert_eq!(listed["schema"], "cardroom-explain-decisions/1");
    let decisions = list(&listed["decisions"]);
    assert_eq!(decisions.len(), shown.lines().count() - 1, "{listed}");
    for (line, decision) in shown.lines().skip(1).zip(decisions) {
        let words = ["number", "street", "player", "cards", "action"].map(|key| &decision[key]);
        let words = words.map(|word| word.as_str().map_or(word.to_string(), str::to_owned));
        assert!(words.iter().all(|word| line.contains(word)), "{line}: {decision}");
    }
    let first =
        ledger.decisions(0).expect("decisions").into_iter().find(|decision| decision.entrant == 0);
    let number = first.expect("it decided").index.to_string();
    let text = explain(at, ("decision m 0", [&number]));
    shows(&text, &["hand 0, decision", "node by node", "(it is ", "What would change"]);
    check_failure(at, "decision m 99", 2, "has no hand 99 among its 20");
    check_failure(at, "decision m 0 77", 2, "and no 77");
    check_failure(at, "decision nowhere 0", 3, "nowhere");
    // The trees are gone.
    fs::rename(at.join("made"), at.join("other")).expect("renamed");
    check_failure(at, ("decision m 0", [&number]), 3, "made");
}

/// An agent without trees: the record, and what it does with all hands that it would have had.
#[test]
fn a_decision_of_an_agent_that_solves_is_shown_with_its_values_and_its_range() {
    let at = &Folder::new();
    let agent = "resolve:blueprint=call,iterations=8,floor=9";
    at.run(("match", [agent], "call --hands 2 --seed 5 --out m --quiet")).code(0);
    let ledger = LedgerReader::open(&at.join("m")).expect("a ledger");
    let hand = ledger.hand(1).expect("a ledger").expect("a hand");
    let own = hand.entrants.iter().find(|(_, entrant)| **entrant == 0).expect("it sits").0;
    let decisions = ledger.decisions(1).expect("decisions");
    let mut solved = decisions.iter().filter(|decision| !decision.values.is_empty());
    let decision = solved.next().expect("the river is solved");
    let strategy = decision.strategy.as_ref().expect("one");
    assert_eq!(strategy.actions.len(), decision.values.len(), "{decision:?}");

    let number = decision.index.to_string();
    let ask = ["decision", "m", "1", number.as_str()];
    let found = document(at, ask);
    let pairs = |key: &str| -> Vec<f64> {
        let pairs = list(&found[key]).iter();
        pairs.map(|pair| pair[1].as_f64().expect("a number")).collect()
    };
    let recorded: Vec<f64> = decision.values.iter().map(|&(_, value)| value).collect();
    assert_eq!(pairs("values"), recorded, "{found}");
    assert!((pairs("strategy").iter().sum::<f64>() - 1.0).abs() < 1e-6, "{found}");
    // Its own hand does there what was recorded: the solution is found again. Always calling, it
    // may have all hands that the board leaves.
    let hands = list(&found["hands"]);
    assert_eq!(hands.len(), 47 * 46 / 2);
    let cards = hand.hole[own].as_slice();
    let combo = Combo::new(cards[0], cards[1]).expect("two cards").to_string();
    let same = hands.iter().find(|hand| hand["hand"] == combo.as_str()).expect("its own hand");
    for (share, (action, _)) in list(&same["strategy"]).iter().zip(&strategy.actions) {
        let difference = share.as_f64().expect("a share") - strategy.probability(*action);
        assert!(difference.abs() < 1e-9, "{same} {strategy:?}");
    }

    let drawn = (ask, "--svg chart.svg");
    let text = explain(at, drawn);
    shows(&text, &["wins, chips", "Its note: solved ", "1081.0 combos", "> "]);
    assert!(at.read("chart.svg").starts_with("<svg"));
    // Before the river the agent `call` decides: no values.
    let text = explain(at, "decision m 1 0");
    assert!(text.contains("played: ") && !text.contains("wins, chips"), "{text}");
}

#[test]
fn what_cannot_be_explained_is_refused_in_one_line() {
    let at = &Folder::new();
    student(at, "made");
    fs::create_dir(at.join("empty")).expect("a folder");
    for (arguments, code, expected) in [
        ("chart external:true", 3, "agents that can: call, fold"),
        ("chart call --at r250c", 2, "leave out the last action"),
        ("chart call --at x", 2, "`x` is not an action"),
        ("chart call --at r150", 2, "outside 200 to 20000"),
        ("chart call --game leduc.limit.2p", 3, "two cards out of 52"),
        ("chart cart --game holdem.limit.2p.reverse_blinds", 3, "train one for this game"),
        ("tree cfr --street flop", 3, "has no decision trees; agents with trees: cart, oct"),
        ("tree mlp --street flop", 3, "`mlp` is not a tree; agents with trees: cart, oct"),
        ("tree nobody --street flop", 3, "there is no agent `nobody`"),
        ("tree empty --street flop", 3, "holds no manifest.toml"),
        ("tree made --street preflop --node 7", 2, "nodes 0 to 6"),
        ("bluffs xgboost", 3, "`xgboost` is not a tree"),
    ] {
        check_failure(at, arguments, code, expected);
    }
    for arguments in
        ["tree made", "bluffs made --equity 145%", "tree made --street flop --depth 65"]
    {
        at.run(("explain", arguments)).code(2);
    }
    at.write("made/flop.tree", "no tree");
    check_failure(at, "tree made --street flop", 3, "flop.tree");
}
