//! Equities against known values.

use agents::random_hands::{Effort, drawn_equity, equity};
use cards::{RiverTable, Ties};
use game::{GameDef, games};

use crate::table::{board, hole};

const EXACT: Effort = Effort { exact: u64::MAX, samples: 1 };

#[test]
fn exact_equities_are_right_where_they_can_be_counted_by_hand() {
    let holdem = games::nolimit_holdem();
    let cases: &[(&GameDef, &str, &str, f64)] = &[
        // A royal flush on the board is everybody's.
        (&holdem, "2c3d", "TsJsQsKsAs", 0.5),
        (&holdem, "AsKs", "TsJsQs2c2d", 1.0),
        // Kuhn: a king meets a queen or an ace.
        (&games::kuhn(), "Ks", "", 1.0 / 2.0),
        (&games::kuhn(), "As", "", 1.0),
        (&games::kuhn(), "Qs", "", 0.0),
        // Leduc: a pair wins against all of the four unseen cards.
        (&games::leduc(), "Ks", "Kh", 1.0),
        // King against As Ah Ks Qs with the queen of hearts on board: loses to two aces and the
        // pairing queen, ties with the other king.
        (&games::leduc(), "Kh", "Qh", 0.5 / 4.0),
    ];
    for &(def, own, table, expected) in cases {
        let rate = equity(def, hole(own), board(table), 1, EXACT);
        assert!((rate - expected).abs() < 1e-12, "{own} on {table}: {rate}, not {expected}");
    }
}

/// Figures counted by other programs. The effort does not matter: nothing is drawn.
#[test]
fn heads_up_holdem_is_exact_on_every_street() {
    let holdem = games::nolimit_holdem();
    let least = Effort { exact: 0, samples: 1 };
    let kings = (10_334_823_348.0 + 70_061_760.0 / 2.0) / 12_585_434_400.0;
    let flop = (651_377.0 + 11_020.0 / 2.0) / 1_070_190.0;
    let rate = |own: &str, table: &str| equity(&holdem, hole(own), board(table), 1, least);
    assert_eq!(rate("KsKd", ""), kings);
    assert_eq!(rate("Ac3h", "Kh3sJc"), flop);
    let situations = [("Ac3h", "Kh3sJc"), ("5s5d", "5c9dThJh"), ("2c3d", "AhKhQsJd4c")];
    let counted = situations.map(|(own, table)| rate(own, table));
    // With the table of all rivers the numbers are the same to the last bit.
    RiverTable::shared(Ties::Half);
    assert_eq!(situations.map(|(own, table)| rate(own, table)), counted);
}

/// In a process of its own, where nothing else builds the table.
#[test]
fn only_preparing_for_many_hands_builds_the_table() {
    const ALONE: &str = "CARDROOM_TEST_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let name = "random_hands::only_preparing_for_many_hands_builds_the_table";
        let program = std::env::current_exe().expect("this program");
        let mut command = std::process::Command::new(program);
        let done = command.args(["--exact", name]).env(ALONE, "1").output().expect("it runs");
        return assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stdout));
    }
    let holdem = std::sync::Arc::new(games::nolimit_holdem());
    let is_built = || RiverTable::shared_if_built(Ties::Half).is_some();
    for _ in 0..100 {
        equity(&holdem, hole("Ac3h"), board("Kh3sJc"), 1, EXACT);
    }
    let prepare = |name: &str, hands| crate::table::choice(name).prepare(&holdem, hands);
    prepare("equity", 100);
    prepare("call", u64::MAX);
    agents::random_hands::prepare(&games::leduc(), u64::MAX);
    // A background thread would be done by then.
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert!(!is_built());
    prepare("fft:fallback=equity", 10_000);
    assert!(is_built());
}

/// Heads-up figures from exact enumeration; aces against several from published simulations.
#[test]
fn equities_before_the_flop_agree_with_published_ones() {
    let holdem = games::nolimit_holdem();
    let cases = [
        ("AsAh", 1, 0.8520),
        ("AsKs", 1, 0.6704),
        ("AsKd", 1, 0.6532),
        ("2c2d", 1, 0.5033),
        ("7c2d", 1, 0.3458),
        ("3s2h", 1, 0.3230),
        ("JsTs", 1, 0.5753),
        ("AsAh", 2, 0.7344),
        ("AsAh", 8, 0.3473),
        ("AsAh", 9, 0.3108),
    ];
    for (own, opponents, expected) in cases {
        let rate = equity(&holdem, hole(own), board(""), opponents, Effort::default());
        assert!((rate - expected).abs() < 0.002, "{own} against {opponents}: {rate}");
    }
}

#[test]
fn the_preflop_table_is_complete_and_agrees_with_fresh_draws() {
    let holdem = games::nolimit_holdem();
    for own in ["AcAd", "KsQs", "9h8d", "5c4c", "7h2d", "2c2h"] {
        for opponents in 1..=9 {
            let table = equity(&holdem, hole(own), board(""), opponents, Effort::default());
            let drawn = drawn_equity(&holdem, hole(own), board(""), opponents, 4_000);
            // The standard error of 4,000 draws is at most 0.008.
            assert!((table - drawn).abs() < 0.04, "{own}, {opponents}: {table} and {drawn}");
        }
    }
}

#[test]
fn drawing_agrees_with_enumeration() {
    let holdem = games::nolimit_holdem();
    for (own, table) in [("AsKd", "2c7d9hJs"), ("5s5d", "5c9dThJh"), ("2c3d", "AhKhQsJd4c")] {
        let exact = equity(&holdem, hole(own), board(table), 1, EXACT);
        let drawn = drawn_equity(&holdem, hole(own), board(table), 1, 10_000);
        assert!((exact - drawn).abs() < 0.025, "{own} on {table}: {exact} and {drawn}");
    }
}

#[test]
fn equities_of_all_players_sum_to_one() {
    // Three-player Kuhn with four cards: everybody's average over all deals is a third.
    let mut spec = games::kuhn().spec().clone();
    (spec.players, spec.ranks) = (3, 4);
    (spec.stacks, spec.blinds) = (vec![10; 3], vec![1; 3]);
    let def = GameDef::new(spec).expect("a game");
    let rates = ["Js", "Qs", "Ks", "As"]
        .map(|own| equity(&def, hole(own), board(""), 2, Effort { exact: 0, samples: 20_000 }));
    let mean = rates.iter().sum::<f64>() / 4.0;
    assert!((mean - 1.0 / 3.0).abs() < 0.01, "{rates:?}");
    assert_eq!(rates[3], 1.0);
}
