//! `cardroom solve endgame learn` and `solve endgame tree` as a process: tables, documents, a
//! picture, one line for each mistake.

use learners::database::{DatabasePlan, make};
use readable::endgame::Bets;
use readable::endgame::database::Deck;
use serde_json::Value;

use crate::program::{Folder, list};

/// A folder with a database of the published endgame, `games`.
fn folder(games: u64) -> Folder {
    let folder = Folder::new();
    let (bets, made_by) = (Bets::published(), "test".to_owned());
    let content = Deck::new(10, &bets);
    let plan = DatabasePlan { content, seed: 1, games: 0..games, of: None, made_by };
    make(&plan, &folder.join("games"), |_| true).expect("made");
    folder
}

fn mean(value: &Value, of: &str) -> f64 {
    value[of]["mean"].as_f64().unwrap_or_else(|| panic!("{value} has no {of}"))
}

#[test]
fn what_is_learned_is_as_good_as_published() {
    let folder = folder(1500);
    let learn = "solve endgame learn games --depths 3,5 --quiet";
    let found = folder.json(learn);
    assert_eq!(found["schema"], "cardroom-endgame-learn/1");
    assert_eq!((&found["train"], &found["test"]), (&1200.into(), &300.into()));
    let learned = list(&found["representations"]);
    assert_eq!(learned.len(), 10);
    let (mut whole, mut one) = (0.0, 0.0);
    for (number, representation) in (1..).zip(learned) {
        let tree = &representation["trees"][1];
        assert_eq!((&tree["depth"], &tree["nodes"]), (&5.into(), &63.into()));
        let shallow = mean(&representation["trees"][0], "distance");
        assert!(mean(tree, "distance") < shallow, "representation {number}");
        let lost = mean(tree, "exploitability");
        let most = if number <= 6 { 0.19 } else { 0.30 };
        assert!((0.08..=most).contains(&lost), "representation {number}: {lost}");
        if number <= 6 { whole += lost / 6.0 } else { one += lost / 4.0 }
    }
    assert!(one > whole, "{one} and {whole}");
    // Trees that reduce the distance have a smaller one; by it one size a card loses less.
    let by_distance = folder.json((learn, "--error absolute"));
    let by_distance = list(&by_distance["representations"]).iter();
    for (absolute, squared) in by_distance.zip(learned) {
        let [absolute, squared] = [absolute, squared].map(|one| &one["trees"][1]);
        let number = &squared["depth"];
        assert!(mean(absolute, "distance") < mean(squared, "distance"), "{number}");
        let lost = mean(absolute, "exploitability");
        assert!((0.05..=0.22).contains(&lost), "{absolute}");
    }
    // By another program: always checking .0721; the mean of the 20 nearest .067 on more games.
    assert!((mean(&found["baselines"][0], "exploitability") - 0.0721).abs() < 0.01);
    assert!((mean(&found["neighbours"][2], "exploitability") - 0.067).abs() < 0.015);
}

#[test]
fn games_that_are_remembered_are_also_predicted_card_by_card() {
    let folder = folder(300);
    let learn = "solve endgame learn games --depths 3 --representations 1 --remember 10,100";
    let found = folder.json((learn, "--neighbours 1,20", "--quiet"));
    let kind = |one: &Value| {
        let by = one["by"].as_str().expect("a kind").to_owned();
        (one["games"].as_u64().expect("games"), by, one["k"].as_u64().expect("a number"))
    };
    let kinds: Vec<_> = list(&found["neighbours"]).iter().map(kind).collect();
    let kinds: Vec<_> = kinds.iter().map(|(games, by, k)| (*games, by.as_str(), *k)).collect();
    let all = |games: u64, ks: &'static [u64]| {
        let by = ["game", "number", "share"].into_iter();
        by.flat_map(move |by| ks.iter().map(move |&k| (games, by, k)))
    };
    // More neighbours than games are left out.
    let expected = all(240, &[1, 20]).chain(all(10, &[1])).chain(all(100, &[1, 20]));
    assert_eq!(kinds, expected.collect::<Vec<_>>());
    let near = |games: u64| {
        let all = list(&found["neighbours"]).iter();
        let mut own = all.filter(|one| kind(one) == (games, "game".to_owned(), 1));
        mean(own.next().expect("scored"), "distance")
    };
    assert!(near(240) < near(100) && near(100) < near(10));
}

#[test]
fn the_tree_of_one_size_has_the_published_leaves() {
    let folder = folder(1500);
    let words = folder.ok("solve endgame tree games --svg tree.svg");
    assert!(words.contains("the card beats ≥ 0."), "{words}");
    let picture = folder.read("tree.svg");
    assert_eq!(picture.matches("<g>").count(), 31);
    let found = folder.json("solve endgame tree games");
    assert_eq!(found["schema"], "cardroom-endgame-tree/1");
    assert_eq!(found["nodes"].as_array().map(Vec::len), Some(31));
    // Every training card is in one leaf.
    let nodes = list(&found["nodes"]).iter();
    let leaves = nodes.filter(|node| node["column"].is_null());
    assert_eq!(leaves.map(|leaf| leaf["rows"].as_u64().expect("rows")).sum::<u64>(), 12_000);
    let published = list(&found["published"]);
    for leaf in published.iter().take(2) {
        assert_eq!(leaf["holds"], true, "{leaf}");
    }
    // By the player's own distribution there is a leaf near the third, too.
    let found = folder.json("solve endgame tree games --share own");
    let sizes = list(&found["published"]).iter();
    for (leaf, size) in sizes.map(|leaf| &leaf["size"]).zip([0.13, 2.95, 2.42]) {
        assert!((leaf.as_f64().expect("a size") - size).abs() < 0.3, "{found}");
    }
}

#[test]
fn each_mistake_is_told_in_one_line() {
    let folder = folder(20);
    folder.write("foreign", "cardroom");
    let check = |arguments: &str, code: i32, expected: &str| {
        let said = folder.run(("solve endgame", arguments)).code(code).says(&[expected]).stderr;
        assert!(code != 3 || said.lines().count() == 1, "{said}");
    };
    check("learn games --games 21", 3, "games: it has 20 games, and --games asks for 21");
    check("learn games --games 5", 3, "at least 10 are needed");
    check("learn games --neighbours 1,17", 3, "--neighbours has 17: there are 16 games");
    check("learn games --neighbours 0", 3, "--neighbours has 0: there are 16 games");
    check("learn games --remember 10,16", 3, "--remember has 16: there are 16 games");
    check("learn games --remember 0", 3, "--remember has 0: there are 16 games");
    check("learn games --depths 3..70", 2, "--depths has 70: trees have at most 64");
    check("learn games --representations 0..3", 2, "there are 1 to 10");
    check("learn games --depths 3-5", 2, "write it as in 3..20 or 3,5,8");
    check("learn foreign", 3, "foreign: it does not begin like one");
    check("learn none", 3, "none: ");
    check("tree games --representation 3", 2, "one size are 7 to 10");
    check("tree games --depth 9", 2, "at most 8 can be shown");
    check("tree games --svg no/tree.svg", 2, "no/tree.svg: there is no folder no");
    assert!(!folder.join("no").exists());
}
