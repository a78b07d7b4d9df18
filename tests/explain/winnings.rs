//! The winnings of leaves and nodes in a match, compared with sums over the notes of the recorded
//! decisions.

use std::collections::{BTreeMap, HashSet};

use logs::LedgerReader;
use serde_json::Value;

use super::{check_failure, document, explain, student};
use crate::program::{Folder, Words};

const HANDS: u64 = 40;

fn play(folder: &Folder, agents: [&str; 2], arguments: impl Words) {
    let hands = HANDS.to_string();
    folder.ok(("match", agents, "--hands", [hands], "--seed 5 --quiet", arguments));
}

/// The sums of a leaf.
#[derive(Default)]
struct Sum {
    decisions: u64,
    hands: HashSet<u64>,
    deals: HashSet<u64>,
    chips: f64,
}

/// The leaves of the first entrant on each street, by what its decisions say of themselves, and
/// where each decision of it stands: hand, number, street and leaf.
type Noted = (BTreeMap<(String, u64), Sum>, Vec<(u64, u32, String, u64)>);

fn noted(ledger: &LedgerReader) -> Noted {
    let (mut sums, mut places) = (BTreeMap::<_, Sum>::new(), Vec::new());
    for hand in ledger.hands().map(|hand| hand.expect("a hand")) {
        for decision in ledger.decisions(hand.hand).expect("decisions") {
            if decision.entrant != 0 {
                continue;
            }
            let note = decision.note.expect("a tree says why");
            let path = note.lines().nth(1).expect("the path");
            let nodes = path.strip_prefix("nodes ").expect("nodes").split(':').next();
            let leaf = nodes.expect("nodes").rsplit('-').next().expect("a leaf");
            let leaf: u64 = leaf.parse().expect("a number");
            let street = hand.public.history()[decision.index as usize].street.name().to_owned();
            places.push((hand.hand, decision.index, street.clone(), leaf));
            let sum = sums.entry((street, leaf)).or_default();
            sum.decisions += 1;
            sum.deals.insert(hand.deal);
            if sum.hands.insert(hand.hand) {
                sum.chips += hand.payoffs[decision.seat].chips();
            }
        }
    }
    (sums, places)
}

fn check(found: &Value, sum: &Sum) {
    let hands = sum.hands.len();
    assert_eq!(found["decisions"], sum.decisions, "{found}");
    assert_eq!(found["hands"], hands, "{found}");
    assert_eq!(found["won_chips"], sum.chips, "{found}");
    let rate = &found["rate"];
    assert_eq!(rate.is_null(), sum.deals.len() < 2, "{found}");
    if !rate.is_null() {
        let number = |value: &Value| value.as_f64().expect("a number");
        // A big blind is 100 chips.
        let mbb = 10.0 * sum.chips / hands as f64;
        assert!((number(&rate["mbb"]) - mbb).abs() < 1e-6, "{found}");
        assert_eq!(rate["groups"], sum.deals.len(), "{found}");
        let interval = &rate["interval"];
        assert!(number(&interval["low"]) <= mbb && mbb <= number(&interval["high"]), "{found}");
    }
}

#[test]
fn a_leaf_has_won_what_the_hands_won_that_came_to_it() {
    let at = &Folder::new();
    let made = student(at, "made");
    play(at, [&made, "random"], "--out m");
    // The same hands without decisions and their notes.
    play(at, [&made, "random"], "--out bare --record hands");
    let (sums, places) = noted(&LedgerReader::open(&at.join("m")).expect("a ledger"));
    let mut seen = HashSet::new();
    for (hand, number, street, leaf) in places {
        // One decision of each leaf will do, and usually not each leaf.
        if seen.len() == testing::size(7, usize::MAX) || !seen.insert((street.clone(), leaf)) {
            continue;
        }
        let (hand, number) = (hand.to_string(), number.to_string());
        let found = document(at, ("decision bare", [&hand, &number]));
        check(&found["results"], &sums[&(street, leaf)]);
        if seen.len() == 1 {
            let noted = document(at, ("decision m", [&hand, &number]));
            assert_eq!(found["results"], noted["results"]);
            let text = explain(at, ("decision m", [&hand, &number]));
            assert!(text.contains("in this match: "), "{text}");
        }
    }
    assert!(seen.len() > 6, "{seen:?}");
    let text = explain(at, "tree made --street flop --match bare");
    check_tree(&text, &sums);
    let files = "--match bare --svg tree.svg --dot tree.dot";
    explain(at, ("tree", [&made], "--street flop", files));
    for file in ["tree.svg", "tree.dot"] {
        let picture = at.read(file);
        assert!(picture.matches("mbb/hand in").count() >= 3, "{picture}");
    }
    check_failure(
        at,
        "tree oct --street flop --match m",
        3,
        "no player has the trees of `oct`; the agents are cart:model=",
    );
}

/// The leaves of a tree on the flop say in how many hands they won how much.
fn check_tree(text: &str, sums: &BTreeMap<(String, u64), Sum>) {
    let of_flop = sums.iter().filter(|((street, _), _)| street == "flop");
    for ((_, leaf), sum) in of_flop {
        let line = text.lines().find(|line| line.contains(&format!("node {leaf}:")));
        let line = line.unwrap_or_else(|| panic!("node {leaf}: {text}"));
        let hands = sum.hands.len();
        let hands = if hands == 1 { "1 hand".to_owned() } else { format!("{hands} hands") };
        assert!(line.contains(&format!("in {hands}")), "{hands}: {line}");
        if sum.deals.len() > 1 {
            let mbb = 10.0 * sum.chips / sum.hands.len() as f64;
            assert!(line.contains(&format!("; won {mbb:+.0} ± ")), "{mbb}: {line}");
        }
    }
}
