//! The first difference between two descriptions, in words.

use serde::Serialize;
use show::difference;

#[derive(Clone, Serialize)]
struct Run {
    seed: u64,
    provenance: Provenance,
    players: Vec<Player>,
    blinds: Vec<u32>,
    part: Option<Part>,
    quick: bool,
    menu: String,
}

#[derive(Clone, Serialize)]
struct Provenance {
    version: String,
    time: String,
}

#[derive(Clone, Serialize)]
struct Player {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
}

#[derive(Clone, Serialize)]
struct Part {
    index: u32,
}

fn run() -> Run {
    let player = |name: &str| Player { name: name.to_owned(), model: None };
    Run {
        seed: 1,
        provenance: Provenance { version: "1.0".into(), time: "noon".into() },
        players: vec![player("ann"), player("bob")],
        blinds: vec![50, 100],
        part: None,
        quick: false,
        menu: "a\nb\n".into(),
    }
}

#[test]
fn every_field_that_differs_is_named_with_both_values() {
    let check = |change: fn(&mut Run), expected: &str| {
        let mut other = run();
        change(&mut other);
        let named = [("players.name", "players"), ("seed", "seed")];
        let found = difference(&run(), &other, &["provenance.time"], &named);
        assert_eq!(found.map_or_else(String::new, |found| found.to_string()), expected);
    };
    check(|_| {}, "");
    check(|run| run.provenance.time = "night".into(), "");
    check(|run| run.seed = 2, "the seed is 1 in one and 2 in the other");
    check(
        |run| run.provenance.version = "2.0".into(),
        "the provenance's version is 1.0 in one and 2.0 in the other",
    );
    check(|run| run.blinds[0] = 25, "the blinds are 50 100 in one and 25 100 in the other");
    check(|run| run.blinds.clear(), "the blinds are 50 100 in one and none in the other");
    check(|run| run.quick = true, "quick is no in one and yes in the other");
    check(|run| run.menu.push('c'), "the menu is a; b in one and a; b; c in the other");
    check(
        |run| run.part = Some(Part { index: 3 }),
        "the part's index is none in one and 3 in the other",
    );
    check(
        |run| run.players[1].model = Some("m".into()),
        "the players's model is none, none in one and none, m in the other",
    );
    check(|run| drop(run.players.pop()), "the players are ann, bob in one and ann in the other");
    // Those with names of their own come first, in their order; the rest as the type has them.
    let all = |run: &mut Run| {
        (run.seed, run.quick) = (2, true);
        run.players[0].name = "cy".into();
    };
    check(all, "the players are ann, bob in one and cy, bob in the other");
}
