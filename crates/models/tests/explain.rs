//! Trees in poker words: each kind of feature, paths, outlines, bluffs, and what would change an
//! answer.

use std::collections::HashSet;

use abstraction::features::Schema;
use abstraction::menu::BetMenu;
use game::Street;
use models::explain::{Explainer, LeafKind, Owed, Weak, move_words, percent};
use models::file::sha256;
use models::student::{FORMAT, Manifest, StreetManifest, Student, columns};
use models::tree::Tree;

fn classes() -> Vec<String> {
    ["fold", "call", "2.5x", "75%", "allin"].map(str::to_owned).to_vec()
}

/// A tree over the features of a street.
fn tree(street: Street, text: &str) -> Tree {
    Tree::parse(text, &columns(Schema::default(), street), &classes())
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn tests_are_said_as_a_player_says_them() {
    for [test, yes, no] in testing::rows(
        "
        winrate>=0.45 => equity 45 % or more => equity below 45 %
        winrate>=0.4567 => equity 45.7 % or more => equity below 45.7 %
        river_winrate_p60>=0.76
            => wins 76 % or more on its best 40 % of rivers
            => wins less than 76 % on its worst 60 % of rivers
        flop_winrate_p10>=0.3
            => wins 30 % or more on its best 90 % of flops
            => wins less than 30 % on its worst 10 % of flops
        turn_winrate_p100>=0.9
            => wins 90 % or more on its best turn => wins less than 90 % on every turn
        opponent_bet_preflop>=225.5
            => the opponent has put in 226 chips or more before the flop
            => the opponent has put in 225 chips or less before the flop
        opponent_bet_preflop>=12,700
            => the opponent has put in 12700 chips or more before the flop
            => the opponent has put in 12699 chips or less before the flop
        opponent_bet_flop>=0.5
            => the opponent has put chips in on the flop
            => the opponent has put in nothing on the flop
        0.5*winrate + -2*opponent_bet_flop>=3
            => 0.5 × equity now + -2 × opponent's chips on the flop is 3 or more
            => 0.5 × equity now + -2 × opponent's chips on the flop is below 3
        ",
    ) {
        let tree = tree(Street::Preflop, &format!("{test} ? call : fold"));
        let explainer = Explainer::new(&tree);
        assert_eq!(explainer.condition(0, true), yes);
        assert_eq!(explainer.condition(0, false), no);
        // The right side is the last node.
        assert_eq!((explainer.path(2), explainer.path(1)), (vec![yes], vec![no]));
        assert_eq!(explainer.condition(1, true), "");
    }
    let tree =
        Tree::parse("oppbet>=3 ? call : fold", &["oppbet".to_owned()], &classes()).expect("a tree");
    assert_eq!(Explainer::new(&tree).condition(0, true), "oppbet is 3 or more");
}

#[test]
fn moves_are_said_as_a_player_says_them() {
    for (class, nothing, something, either) in [
        ("fold", "fold", "fold", "fold"),
        ("call", "check", "call", "check or call"),
        ("2.5x", "raise to 2.5x", "raise to 2.5x", "raise to 2.5x"),
        ("min", "smallest bet", "smallest raise", "smallest raise"),
        ("33%", "bet 33 % of the pot", "raise 33 % of the pot", "bet 33 % of the pot"),
        ("pot", "bet the pot", "raise the pot", "bet the pot"),
        ("allin", "all-in", "all-in", "all-in"),
        ("raise", "raise", "raise", "raise"),
    ] {
        let said = [Owed::Nothing, Owed::Something, Owed::Either];
        assert_eq!(said.map(|owed| move_words(class, owed)), [nothing, something, either]);
    }
    for (share, words) in
        [(0.45, "45 %"), (0.7649, "76.5 %"), (1.0, "100 %"), (0.0, "0 %"), (0.1, "10 %")]
    {
        assert_eq!(percent(share), words);
    }
}

#[test]
fn a_path_says_each_number_once_with_both_bounds() {
    // The third row's bounds are so near to each other that one decimal does not tell them apart.
    for [text, node, path] in testing::rows(
        "
        winrate>=0.3 ? (winrate>=0.5 ? call : (winrate>=0.4 ? allin : fold)) : fold
            => 5 => equity from 40 % to below 50 %
        river_winrate_p60>=0.3 ? (river_winrate_p60>=0.5 ? call : fold) : fold
            => 3 => wins 30 % or more on its best 40 % of rivers, less than 50 % on the others
        winrate>=0.45001 ? (winrate>=0.45002 ? call : fold) : fold
            => 3 => equity from 45.001 % to below 45.002 %
        river_winrate_p100>=0.3 ? (river_winrate_p100>=0.5 ? call : fold) : fold
            => 3 => wins from 30 % to below 50 % on its best river
        opponent_bet_flop>=200
            ? (winrate>=0.5 ? (opponent_bet_flop>=400 ? call : allin) : fold) : fold
            => 5 => the opponent has put in 200 to 399 chips on the flop; equity 50 % or more
        opponent_bet_flop>=200 ? (opponent_bet_flop>=200.5 ? call : fold) : fold
            => 3 => the opponent has put in 200 chips on the flop
        winrate>=0.3 ? call : fold => 0 =>
        ",
    ) {
        let tree = tree(Street::Preflop, &text);
        let found = Explainer::new(&tree).path(node.parse().expect("a node"));
        assert_eq!(found.join("; "), path, "{text}");
    }
}

const SMALL: &str =
    "winrate>=0.4 ? call#100 : (opponent_bet_river>=100 ? fold#50 : {fold 40%, allin 60%}#10)";

#[test]
fn an_outline_has_the_nodes_down_to_its_depth_and_counts_the_rest() {
    let tree = tree(Street::River, SMALL);
    let explainer = Explainer::new(&tree);
    for (first, depth, expected) in [
        (0, 0, vec![(0, 0, None, 3)]),
        (0, 1, vec![(0, 0, None, 0), (1, 1, Some(0), 2), (4, 1, Some(0), 0)]),
        (
            0,
            64,
            vec![
                (0, 0, None, 0),
                (1, 1, Some(0), 0),
                (2, 2, Some(1), 0),
                (3, 2, Some(1), 0),
                (4, 1, Some(0), 0),
            ],
        ),
        (1, 1, vec![(1, 0, None, 0), (2, 1, Some(0), 0), (3, 1, Some(0), 0)]),
    ] {
        let shown = explainer.outline(first, depth);
        let found: Vec<_> =
            shown.iter().map(|node| (node.node, node.depth, node.parent, node.hidden)).collect();
        assert_eq!(found, expected, "from {first}, {depth} deep");
        for node in &shown {
            assert_eq!(node.summary, tree.summary(node.node));
        }
    }
    let shown = explainer.outline(0, 64);
    assert_eq!(shown[2].condition, "the opponent has put in 99 chips or less on the river");
    assert_eq!(explainer.mix(2), "all-in 60 %, fold 40 %");
    assert_eq!(explainer.way(3), [0, 1, 3]);
}

#[test]
fn bluffs_are_leaves_that_raise_below_a_equity() {
    let deciles = "river_winrate_p80>=0.4 ? call#1 : (river_winrate_p100>=0.6 ? call#1 : allin#1)";
    let two = r##"winrate>=0.2 ? (winrate>=0.4 ? allin#9 : "75%"#5) : {fold 50%, 2.5x 50%}#20"##;
    let none = "opponent_bet_river>=100 ? allin#5 : fold#5";
    for (street, text, equity, raise, expected) in [
        (Street::River, SMALL, 0.45, 0.2, vec![2]),
        (Street::River, SMALL, 0.4, 0.6, vec![2]),
        (Street::River, SMALL, 0.39, 0.2, vec![]),
        (Street::River, SMALL, 0.45, 0.61, vec![]),
        // Eight tenths of the rivers below 40 %, the others below 60 %: the mean is below 44 %.
        (Street::Preflop, deciles, 0.44, 0.2, vec![2]),
        (Street::Preflop, deciles, 0.43, 0.2, vec![]),
        // The one that raises more hands comes first; strong hands do not bluff.
        (Street::River, two, 0.45, 0.2, vec![1, 3]),
        (Street::River, two, 0.45, 0.8, vec![3]),
        // A path that says nothing of the cards bounds no equity.
        (Street::River, none, 1.0, 0.0, vec![]),
    ] {
        let tree = tree(street, text);
        let found = Explainer::new(&tree).bluffs(Weak { equity, raise });
        let nodes: Vec<usize> = found.iter().map(|bluff| bluff.node).collect();
        assert_eq!(nodes, expected, "{text} under {equity}, raising {raise}");
        for bluff in found {
            assert!(bluff.raise >= raise - 1e-6 && bluff.equity_below <= equity + 1e-6);
        }
    }
}

/// The deciles of these sorted equities, by nearest rank and by linear interpolation.
fn deciles(rates: &[f64]) -> [[f64; 10]; 2] {
    let last = rates.len() - 1;
    let nearest = |decile: usize| rates[(rates.len() * decile).div_ceil(10) - 1];
    let linear = |decile: usize| {
        let (at, tenths) = (last * decile / 10, last * decile % 10);
        rates[at] + (rates[(at + 1).min(last)] - rates[at]) * tenths as f64 / 10.0
    };
    [std::array::from_fn(|at| nearest(at + 1)), std::array::from_fn(|at| linear(at + 1))]
}

/// Every distribution over so many boards is a mean of those in which the worst boards lose and all
/// others win, and its deciles, of either kind, are the means of theirs: what bounds these
/// equities bounds all.
#[test]
fn deciles_of_both_kinds_bound_the_equity() {
    // Any deciles may be tested on a path: here each alone, all up to one or from it on, and pairs.
    let sets = (0..10).flat_map(|a| (0..10).map(move |b| 1 << a | 1 << b));
    let runs = (1..=10).flat_map(|count| [(1 << count) - 1, 0x3FF & !((1 << (count - 1)) - 1)]);
    let sets: HashSet<u32> = sets.chain(runs).collect();
    // Rivers on a turn, turns and rivers on a flop.
    for boards in [46, 47, 1081] {
        let near = |lost: &usize| boards < 100 || (lost * 10 + 30) % boards < 60;
        for lost in (0..=boards).filter(near) {
            let rates: Vec<f64> = (0..boards).map(|at| f64::from(u8::from(at >= lost))).collect();
            let mean = rates.iter().sum::<f64>() / boards as f64;
            for (deciles, &set) in
                deciles(&rates).iter().flat_map(|of| sets.iter().map(move |set| (of, set)))
            {
                let tested = deciles.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
                let (mut below, mut from) = ("allin".to_owned(), "allin".to_owned());
                for (at, rate) in tested {
                    let test = format!("river_winrate_p{}>={rate:?}", 10 * (at + 1));
                    below = format!("{test} ? call : ({below})");
                    from = format!("{test} ? ({from}) : call");
                }
                let tree = tree(Street::Turn, &below);
                let below = Explainer::new(&tree).bluffs(Weak { equity: 1.0, raise: 0.5 });
                let below = below.first().map_or(1.0, |bluff| bluff.equity_below);
                assert!(mean <= below + 1e-6, "{lost} of {boards}, {set:b}: {mean} > {below}");
                if mean < 0.549 {
                    let tree = self::tree(Street::Turn, &from);
                    let strong = Explainer::new(&tree).leaf_that(LeafKind::Value);
                    assert_eq!(strong, None, "{lost} of {boards}, {set:b}: {mean}");
                }
            }
        }
    }
}

/// The changes of a leaf's likeliest class: the column, where to, and the class.
fn flips(street: Street, text: &str, row: &[f32]) -> Vec<(String, f32, String)> {
    let tree = tree(street, text);
    let likeliest = |leaf: usize| {
        let shares = tree.summary(leaf).shares;
        (0..shares.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).expect("classes")
    };
    let flips = Explainer::new(&tree).flips(street, row, likeliest);
    let names = classes();
    flips
        .iter()
        .map(|flip| (flip.feature.to_string(), flip.to, names[flip.answer].clone()))
        .collect()
}

#[test]
fn the_nearest_change_of_one_number_that_changes_the_answer_is_found() {
    let named = |flips: &[(&str, f32, &str)]| -> Vec<(String, f32, String)> {
        flips.iter().map(|&(name, to, class)| (name.to_owned(), to, class.to_owned())).collect()
    };
    let text = "winrate>=0.6 ? allin : (opponent_bet_river>=300 ? fold : (winrate>=0.3 ? call : \
                {call 60%, fold 40%}))";
    let row = [0.5, 100.0, 0.0, 0.0, 200.0];
    // A test that changes only how often the same thing is done is passed over.
    let expected = named(&[("winrate", 0.6, "allin"), ("opponent_bet_river", 300.0, "fold")]);
    assert_eq!(flips(Street::River, text, &row), expected);
    // Downwards: the largest number below, and whole chips.
    let row = [0.6, 100.0, 0.0, 0.0, 300.0];
    assert_eq!(
        flips(Street::River, text, &row),
        named(&[("winrate", 0.6_f32.next_down(), "fold")])
    );
    let row = [0.5, 100.0, 0.0, 0.0, 300.0];
    let expected = named(&[("winrate", 0.6, "allin"), ("opponent_bet_river", 299.0, "call")]);
    assert_eq!(flips(Street::River, text, &row), expected);
    // Chips of streets that have not come cannot change.
    let text = "opponent_bet_river>=300 ? fold : (opponent_bet_flop>=100 ? allin : call)";
    let mut row = [0.0; 25];
    row[21] = 100.0;
    let expected = named(&[("opponent_bet_flop", 100.0, "allin")]);
    assert_eq!(flips(Street::Flop, text, &row), expected);
}

#[test]
fn deciles_stay_in_order_when_one_moves() {
    let text = "river_winrate_p60>=0.5 ? (river_winrate_p90>=0.5 ? allin : call) : fold";
    let mut row = [0.4; 15];
    row[11..].fill(0.0);
    // Raised to a half, the 60th percentile takes the 90th along: no call comes between.
    let expected = [("river_winrate_p60".to_owned(), 0.5, "allin".to_owned())];
    assert_eq!(flips(Street::Turn, text, &row), expected);
    let mut row = [0.6; 15];
    row[11..].fill(0.0);
    // Lowered below it, the 90th takes the 60th along.
    let just_below = 0.5_f32.next_down();
    let expected = [
        ("river_winrate_p60".to_owned(), just_below, "fold".to_owned()),
        ("river_winrate_p90".to_owned(), just_below, "fold".to_owned()),
    ];
    assert_eq!(flips(Street::Turn, text, &row), expected);
}

/// A student whose trees are these, in no-limit hold'em with a big blind of 100.
fn student(trees: [&str; 4]) -> Student {
    let def = game::games::nolimit_holdem();
    let menu = "preflop 1+: 2.5x allin\nflop turn river 1+: 75% allin\n";
    let moves = |street| menu.parse::<BetMenu>().expect("a menu").moves(street).names();
    let files = Street::ALL.map(|street| {
        let tree =
            Tree::parse(trees[street.index()], &columns(Schema::default(), street), &moves(street));
        tree.unwrap_or_else(|error| panic!("{street}: {error}")).to_bytes()
    });
    let street = |street: Street| StreetManifest {
        street: street.to_string(),
        file: format!("{street}.tree"),
        sha256: sha256(&files[street.index()]),
        rows: 1000,
        size: String::new(),
        log_loss: [0.5; 3],
        accuracy: 0.8,
    };
    let manifest = Manifest {
        format: FORMAT,
        kind: "oct".to_owned(),
        made_by: String::new(),
        options: String::new(),
        data_sha256: String::new(),
        teacher_sha256: String::new(),
        menu: menu.to_owned(),
        game_sha256: String::new(),
        features: Schema::default().stamp(),
        streets: Street::ALL.map(street).to_vec(),
        game: def.spec().clone(),
    };
    let text = toml::to_string(&manifest).expect("text");
    let file = |name: &str| {
        let street = Street::ALL.into_iter().find(|street| name.starts_with(street.name()));
        Ok(&files[street.expect("a street").index()])
    };
    Student::from_parts(&text, file).expect("a student")
}

#[test]
fn what_is_no_bet_is_not_said_in_chips() {
    let student = student([
        "opponent_bet_preflop>=175 ? (opponent_bet_preflop>=400 ? fold : call) : call",
        "opponent_bet_flop>=49.5 ? (opponent_bet_flop>=250 ? fold : call) : call",
        "opponent_bet_flop>=50 ? (opponent_bet_preflop>=150 ? fold : call) : {fold 40%, call 60%}",
        "opponent_bet_river>=0.5 ? {call 50%, \"75%\" 50%} : (winrate>=0.5 ? \"75%\" : \
         {fold 30%, call 70%})",
    ]);
    // A node, what holds there, and what is done.
    for [street, node, path, mix] in testing::rows(
        "
        preflop => 1 => the opponent has not raised => check or call 100 %
        preflop => 3 => the opponent has raised to 200 to 399 chips => call 100 %
        preflop => 4 => the opponent has raised to 400 chips or more => fold 100 %
        flop => 1 => the opponent has not bet on the flop => check 100 %
        flop => 2 => the opponent has bet on the flop => call 50 %, fold 50 %
        flop => 3 => the opponent has bet 100 to 249 chips on the flop => call 100 %
        flop => 4 => the opponent has bet 250 chips or more on the flop => fold 100 %
        turn => 1 => nobody bet on the flop => check or call 60 %, fold 40 %
        turn => 2 => there was a bet on the flop => check or call 50 %, fold 50 %
        turn => 3 => there was a bet on the flop; nobody raised before the flop
            => check or call 100 %
        turn => 4 => there was a bet on the flop; there was a raise before the flop => fold 100 %
        river => 2 => the opponent has not bet on the river; equity below 50 % => check 100 %
        river => 4 => the opponent has bet on the river => raise 75 % of the pot 50 %, call 50 %
        river => 0 => => check or call 40 %, bet 75 % of the pot 50 %, fold 10 %
        ",
    ) {
        // On the river a fold where nothing is owed is a check.
        let street = Street::ALL.into_iter().find(|known| known.name() == street).expect("one");
        let node = node.parse().expect("a node");
        let explainer = Explainer::for_street(&student, street).expect("a tree");
        let said = explainer.path(node).join("; ");
        assert_eq!(said, path, "{street} {node}");
        let said: HashSet<String> = explainer.mix(node).split(", ").map(str::to_owned).collect();
        let expected: HashSet<String> = mix.split(", ").map(str::to_owned).collect();
        assert_eq!(said, expected, "{street} {node}");
    }
}
