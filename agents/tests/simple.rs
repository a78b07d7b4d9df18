//! The agents without thought: call, fold, raise, random.

use std::sync::Arc;

use game::{Action, games};

use crate::table::{agent, ask, context, infoset, play};

#[test]
fn each_plays_as_its_name_says() {
    use Action::{Call, Fold, RaiseTo};
    let def = Arc::new(games::nolimit_holdem());
    // No-limit, blinds 100 (seat 0) and 50, stacks 20,000.
    let cases: &[(&str, &str, &str, Action)] = &[
        ("call", "", "", Call),
        ("call", "r20000", "", Call),
        ("fold", "", "", Fold),
        ("fold", "c", "", Call),
        ("fold", "r300", "", Fold),
        ("raise", "", "", RaiseTo(200)),
        ("raise", "r20000", "", Call),
        ("raise:min", "r300", "", RaiseTo(500)),
        // 50 to call into 150 makes a pot of 200.
        ("raise:pot", "", "", RaiseTo(300)),
        ("raise:pot", "cc/", "2c3c4c", RaiseTo(300)),
        ("raise:pot", "cc/r200", "2c3c4c", RaiseTo(600)),
        ("raise:pot", "r15000", "", RaiseTo(20_000)),
        ("raise:all-in", "", "", RaiseTo(20_000)),
        ("raise:allin", "", "", RaiseTo(20_000)),
        ("raise:half-pot", "", "", RaiseTo(200)),
        ("raise:150%", "cc/r200", "2c3c4c", RaiseTo(800)),
        // Three times the bet of 100, beside 100 before the flop; three times no bet: the smallest.
        ("raise:3x", "cc/r200", "2c3c4c", RaiseTo(400)),
        ("raise:3x", "cc/", "2c3c4c", RaiseTo(200)),
    ];
    for &(name, betting, board, expected) in cases {
        let action = ask(name, &infoset(&def, betting, "AsKs", board)).action;
        assert_eq!(action, expected, "{name} after `{betting}`");
    }
}

#[test]
fn always_folding_against_always_raising_loses_exactly_the_blinds() {
    let def = Arc::new(games::nolimit_holdem());
    let hands = 100;
    let totals = play(&def, &["fold", "raise"], hands);
    let mbb = totals[0] / hands as f64 / f64::from(def.big_blind()) * 1000.0;
    assert_eq!(mbb, -750.0);
    assert_eq!(totals[0], -totals[1]);
}

#[test]
fn random_takes_each_kind_of_action_and_every_size_evenly() {
    let def = Arc::new(games::nolimit_holdem_with(vec![300, 300]));
    let mut random = agent("random", &def);
    let situation = infoset(&def, "", "AsKs", "");
    let draws = 30_000;
    let (mut folds, mut calls, mut raises) = (0, 0, [0u32; 301]);
    for seed in 0..draws {
        match random.act(&situation, &mut context(seed * 0x9E37_79B9_7F4A_7C15_F39C)).action {
            Action::Fold => folds += 1,
            Action::Call => calls += 1,
            Action::RaiseTo(total) => raises[total as usize] += 1,
        }
    }
    // Each expected 10,000 with a standard deviation of 82; five of them allowed.
    let raised: u32 = raises.iter().sum();
    for (kind, count) in [("fold", folds), ("call", calls), ("raise", raised)] {
        assert!((9_590..=10_410).contains(&count), "{kind}: {count} of {draws}");
    }
    // Each size from 200 to 300 is expected 99 times, with a standard deviation of 10.
    for (total, &count) in raises.iter().enumerate() {
        let range = if total < 200 { 0..=0 } else { 45..=155 };
        assert!(range.contains(&count), "raise to {total}: {count}");
    }
}
