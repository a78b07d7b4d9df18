//! `cardroom show equity` and `cardroom show features` as processes: figures, documents, pictures,
//! one line for each mistake.

use std::fs;

use serde_json::Value;

use crate::program::{Folder, Words, list, near, number, shows};
use crate::sources::root;

/// The text printed by a command that succeeds.
fn text(words: impl Words) -> String {
    let run = Folder::new().run(("show", words)).code(0);
    assert_eq!(run.stderr, "");
    run.stdout
}

fn json(words: impl Words) -> Value {
    serde_json::from_str(&text((words, "--json"))).expect("a document")
}

fn close(found: &Value, expected: f64) {
    near(found, expected, 1e-6);
}

#[test]
fn two_hands_get_exact_counts() {
    // Aces and kings of the same suits, counted by another program.
    let result = json("equity AcAd KcKd");
    assert_eq!(result["schema"], "cardroom-equity/2");
    assert_eq!((&result["kind"], &result["street"]), (&"hands".into(), &"preflop".into()));
    assert_eq!(result["total"], 1_712_304);
    close(&result["hands"][0]["equity"], 0.826366);
    close(&result["hands"][1]["equity"], 1.0 - 0.826366);
    assert_eq!(result["hands"][0]["wins"], result["hands"][1]["losses"]);

    let result = json("equity 6h2c 6c2s");
    let counts = ["wins", "ties", "losses"].map(|key| result["hands"][0][key].as_u64());
    assert_eq!(counts, [18_602, 1_663_292, 30_410].map(Some));

    let shown = text("equity AcAd KhKd --board Ks3hJc");
    assert!(shown.starts_with("AcAd v KhKd on Ks3hJc: 990 boards\n"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");

    // With wins only, the two do not share what is tied.
    let result = json("equity 6h2c 6c2s --ties win-only");
    close(&result["hands"][0]["equity"], 18_602.0 / 1_712_304.0);
}

#[test]
fn several_hands_share_the_pots() {
    let result = json("equity AcAd KhKd 7s6s --board Ks8s2h");
    let hands = list(&result["hands"]);
    let sum: f64 = hands.iter().map(|hand| number(&hand["equity"])).sum();
    assert!((sum - 1.0).abs() < 1e-12 && hands.len() == 3, "{result}");
    assert_eq!(result["total"], 903);
}

/// The flop whose counts and deciles are known from elsewhere.
#[test]
fn one_hand_gets_counts_quantiles_and_bars() {
    let flop = "equity Ac3h --board Kh3sJc";
    let result = json(flop);
    let counts = ["wins", "ties", "total"].map(|key| result[key].as_u64());
    assert_eq!(counts, [651_377, 11_020, 1_070_190].map(Some));
    close(&result["equity"], 0.613804);
    let (turn, river) = (&result["later"][0], &result["later"][1]);
    assert_eq!((&turn["boards"], &river["boards"]), (&47.into(), &1081.into()));
    close(&turn["quantiles"][0]["equity"], 0.550044);
    close(&river["quantiles"][7]["equity"], 0.796970);
    let counted = list(&river["histogram"]).iter().filter_map(Value::as_u64);
    assert_eq!(counted.sum::<u64>(), 1081);

    let linear = "--method linear --quantiles 5,90 --bins 7";
    let result = json((flop, linear));
    assert_eq!(result["quantile_method"], "linear");
    assert_eq!(result["later"][0]["quantiles"][0]["percent"], 5.0);
    close(&result["later"][0]["quantiles"][1]["equity"], 0.760075);
    assert_eq!(result["later"][0]["histogram"].as_array().map(Vec::len), Some(7));

    let shown = text(flop);
    shows(&shown, &["wins              651,377", "equity on the river, 1,081 boards"]);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(!text("equity Ac3h --board Kh3sJc2d9s").contains("quantile"));
}

#[test]
fn a_starting_hand_is_counted_over_every_board() {
    let result = json("equity KcKd");
    // Twice the wins and the ties add up to 2 * 10,334,823,348 + 70,061,760 in six hands.
    let counts = ["wins", "ties", "total"].map(|key| result[key].as_u64().map(|count| 6 * count));
    assert_eq!(counts, [10_334_823_348, 70_061_760, 12_585_434_400].map(Some));
    let boards: Vec<_> = [0, 1, 2].map(|at| result["later"][at]["boards"].as_u64()).to_vec();
    assert_eq!(boards, [19_600, 230_300, 2_118_760].map(Some));
}

#[test]
fn one_hand_meets_a_range() {
    let result = json("equity AcKd --board Ks3hJc --against 'QQ+, AKs, T9s:0.5'");
    assert_eq!(result["kind"], "range");
    assert_eq!(result["range"], "QQ+,AKs,T9s:0.5");
    // Three pairs of aces, one of kings, six of queens, one ace with a king, four times half a
    // hand.
    assert_eq!(result["combos"], 15);
    assert_eq!((&result["weight"], &result["total"]), (&13.0.into(), &(13.0 * 990.0).into()));
    let uniform = json("equity Ac3h --board Kh3sJc --against random");
    let counts = ["wins", "ties", "total"].map(|key| uniform[key].as_f64());
    assert_eq!(counts, [651_377.0, 11_020.0, 1_070_190.0].map(Some));
    let shown = text("equity AcKd --against AdKc,QhQs:0.25");
    shows(&shown, &["\n  AdKc,QsQh:0.25\n", "\n2 hands left that weigh 1.25\n"]);
}

#[test]
fn a_range_meets_a_range() {
    // Kings against queens and aces with a king, counted pair by pair.
    let result = json("equity KK:0.5 QQ,AKs --board Ks8d2c7h");
    assert_eq!((&result["kind"], &result["combos"]), (&"ranges".into(), &[3, 9].into()));
    assert_eq!(result["weights"], serde_json::json!([1.5, 9.0]));
    let mut sums = [0.0; 3];
    for ours in ["KcKd", "KcKh", "KdKh"] {
        for theirs in "QcQd QcQh QcQs QdQh QdQs QhQs AcKc AdKd AhKh".split(' ') {
            let cards = |hand: &str| [hand[..2].to_owned(), hand[2..].to_owned()];
            if cards(ours).iter().any(|card| cards(theirs).contains(card)) {
                continue;
            }
            let pair = json(("equity", [ours, theirs], "--board Ks8d2c7h"));
            for (sum, name) in sums.iter_mut().zip(["wins", "ties", "losses"]) {
                *sum += 0.5 * number(&pair["hands"][0][name]);
            }
        }
    }
    let counts = ["wins", "ties", "losses"].map(|key| result[key].as_f64());
    assert_eq!(counts, sums.map(Some));
    // The same by --against, and from the other side.
    let same = json("equity KK:0.5 --against QQ,AKs --board Ks8d2c7h");
    assert_eq!(same, result);
    let back = json("equity QQ,AKs KK:0.5 --board Ks8d2c7h");
    assert_eq!((&back["losses"], &back["total"]), (&result["wins"], &result["total"]));
    // Before the flop, and against every hand.
    let against = number(&json("equity AcAd --against KK")["equity"]);
    close(&json("equity AcAd KK")["equity"], against);
    close(&json("equity AA")["equity"], 0.852037);
    let shown = text("equity QQ+,AKs 22:0.25");
    assert!(shown.contains("\n  22:0.25\n  (6 hands that weigh 1.5)\n"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}

#[test]
fn the_chart_has_every_starting_hand() {
    let result = json("equity --preflop");
    let hands = list(&result["hands"]);
    assert_eq!(hands.len(), 169);
    assert_eq!(hands[0]["hand"], "AA");
    close(&hands[0]["equity"], 0.852037);
    let shown = text("equity --preflop");
    assert_eq!(shown.lines().filter(|line| line.chars().count() == 79).count(), 14, "{shown}");
}

#[test]
fn pictures_are_whole_and_name_what_they_show() {
    let folder = Folder::new();
    let path = folder.join("picture.svg");
    let file = path.to_str().expect("a plain path");
    for (arguments, title, parts) in [
        ("equity Ac3h --board Kh3sJc", "Ac3h on Kh3sJc against any hand: equity 61.38 %", 2),
        ("equity --preflop", "Equities before the flop against any hand", 169),
    ] {
        text((arguments, "--svg", [file]));
        let svg = fs::read_to_string(&path).expect("a picture");
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains(&format!("<title id=\"odds-title\">{title}")), "{svg}");
        assert!(svg.matches("<rect").count() >= parts, "{svg}");
        assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

#[test]
fn a_situation_has_its_features() {
    let flop = "features Ac3h --board Kh3sJc";
    let result = json((flop, "--bets 100,300"));
    assert_eq!(result["schema"], "cardroom-features/1");
    assert_eq!(result["features"]["id"], "holdem-35-25-15-5/1");
    let values = list(&result["values"]);
    assert_eq!(values.len(), 25);
    close(&values[0]["value"], 0.613804);
    assert_eq!(values[18]["id"], "river_winrate_p80");
    close(&values[18]["value"], 0.796970);
    assert_eq!(values[22]["name"], "opponent's chips on the flop");
    assert_eq!((&values[21]["value"], &values[22]["value"]), (&100.into(), &300.into()));

    // The same situation as the protocol has it: the opponent bet the flop.
    let state = "MATCHSTATE:0:7:r300c/cr600:Ac3h|/Kh3sJc";
    let result = json(("features --state", [state]));
    assert_eq!(result["values"][0], values[0]);
    assert_eq!(result["values"][21]["value"], 300);
    assert_eq!(result["values"][22]["value"], 300);

    for (arguments, features) in [("AcKd", 35), ("AcKd --board 2c3c4c5c", 15)] {
        let shown = text(("features", arguments));
        assert_eq!(shown.lines().count(), features + 2, "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    }
    let linear = json((flop, "--method linear --ties win-only"));
    assert_eq!(linear["features"]["id"], "holdem-35-25-15-5-win-only-linear/1");
    close(&linear["values"][9]["value"], 0.750698);
}

#[test]
fn the_documentation_of_the_features_is_what_the_command_prints() {
    let document = fs::read_to_string(root().join("docs/features.md")).expect("docs/features.md");
    // The page has the features of the table behind those that all rows have.
    for arguments in ["features --schema", "features --schema --table"] {
        let printed = text(arguments);
        let missing: Vec<&str> = printed.lines().filter(|line| !document.contains(line)).collect();
        assert!(
            missing.is_empty(),
            "put what `cardroom show {arguments}` prints into docs/features.md: {missing:#?}"
        );
    }
    let result = json("features --schema");
    assert_eq!(result["all"].as_array().map(Vec::len), Some(35));
    assert_eq!(result["streets"][3]["features"][4], "opponent_bet_river");
}

#[test]
fn mistakes_are_one_line_each() {
    let folder = Folder::new();
    let table = [
        ("equity AcAx", 2, "the hand `AcAx`: at character 2: `Ax` is not a card"),
        ("equity AcKdQh", 2, "the hand `AcKdQh` has three cards: a hand in hold'em has two"),
        ("equity Ac", 2, "the hand `Ac` has one card: a hand in hold'em has two"),
        ("equity AcAc", 3, "the hand `AcAc`: Ac appears twice: give each card once"),
        ("equity AcKd KdQh", 3, "Kd is in the hand `AcKd` and in the hand `KdQh`"),
        ("equity AcKd --board Kd2c3c", 3, "Kd is in the hand `AcKd` and on the board `Kd2c3c`"),
        ("equity AcKd --board 2c2c3c", 3, "the board `2c2c3c`: 2c appears twice"),
        ("equity AcKd --board Ks", 2, "the board `Ks` has one card: give three for a flop"),
        ("equity AcKd --board KsQs", 2, "the board `KsQs` has two cards"),
        ("equity AcKd --board KsQs2c3c4c5c", 2, "the board `KsQs2c3c4c5c` has 6 cards"),
        ("equity AcKd --board KsQs2", 2, "the board `KsQs2`: at character 4: `2` is not a card"),
        (
            "equity AcKd --against ''",
            2,
            "the range of --against: at character 0: `` names no hands",
        ),
        ("equity AcKd --against QQ+,AKx", 2, "at character 4: `AKx` is not a hand of a range"),
        (
            "equity AcAd --board AhAs2c --against AA,AKs",
            3,
            "the range `AA,AKs` of --against is empty",
        ),
        ("equity AcAd KcKd --against QQ", 2, "--against is for one hand, and 2 are given"),
        ("equity QQ+ KK AA", 2, "3 ranges are given: give one or two"),
        ("equity QQ+ KK --against AA", 2, "--against is for one range, and 2 are"),
        ("equity QQ+ KKx", 2, "the range `KKx`: at character 0: `KKx` is not a hand"),
        ("equity AA@0.5 KK", 2, "`AA@0.5` is written `AA:0.5` here"),
        ("equity QQ --bins 4", 2, "--bins is about distributions against every hand"),
        ("equity AA KK --board AcAdAhKs", 3, "no hand of the range `AA` can meet"),
        ("equity AA KK --board AcAd", 2, "the board `AcAd` has two cards"),
        ("equity AcAd KcKd --bins 4", 2, "--bins is about one hand's distributions"),
        ("equity AcAd --against QQ --svg x", 2, "--svg is about distributions against every hand"),
        ("equity AcAd --quantiles 5,x", 2, "--quantiles: `x` is not a percentage"),
        ("equity AcAd --quantiles 5,101", 2, "--quantiles: `101` is not a percentage"),
        ("equity AcAd --bins 0", 2, "--bins is 0, but must be from 1 to 1000"),
        (
            "equity --preflop --svg no/such/folder.svg",
            2,
            "no/such/folder.svg: there is no folder no/such",
        ),
        ("features AcKd --bets 1,x", 2, "--bets: `x` is not a number of chips"),
        ("features AcKd --bets 1,2,3,4,5", 2, "--bets: 5 amounts: give at most four"),
        (
            "features AcKd --bets 100,300",
            3,
            "--bets: 300 chips on the flop, which this board has not reached",
        ),
        ("features AcKd --board Kd2c3c", 3, "Kd is in the hand `AcKd` and on the board"),
        ("features --state MATCHSTATE:0:1", 3, "the match state of --state:"),
        ("features --state 'MATCHSTATE:0:0:c:Ks|' --game kuhn.limit.2p", 3, "another deck"),
    ];
    for (arguments, code, message) in table {
        let run = folder.run(("show", arguments)).says_only(code, &[message]);
        assert!(run.stdout.is_empty(), "{run:?}");
    }
    let many: Vec<_> = "23456789TJQ".chars().map(|rank| format!("{rank}c{rank}d")).collect();
    folder.run(("show equity", many)).code(2).says(&["11 hands: give two to ten"]);
    folder.run("show equity").code(2);
    folder.run("show features").code(2);
}
