//! Agents at work in local matches: what their panics cost.

use std::collections::BTreeMap;
use std::sync::Arc;

use agents::Cost;
use game::games;
use logs::Fallback;
use matches::external::registry;
use matches::folder::NullRecorder;
use matches::plan::MatchPlan;
use matches::runner::Stop;
use matches::runner::{Level, Outcome, run};

use crate::panicking::{METHODS, panicking};

fn play(method: &str, cost: Cost) -> Result<Outcome, matches::Error> {
    let plan = MatchPlan {
        def: Arc::new(games::nolimit_holdem()),
        game_name: "test".into(),
        entrants: vec![panicking(method, cost), registry().resolve("call").expect("an agent")],
        given_names: Vec::new(),
        hands: 40,
        seed: 1,
        duplicate: true,
        shard: None,
        deadline: None,
        rule: None,
    };
    run(&plan, Level::Nothing, 1, &NullRecorder, &mut NullRecorder, &Stop::new(), &mut |_| {})
}

#[test]
fn a_panic_in_any_method_costs_one_decision_of_a_match() {
    for cost in [Cost::Inline, Cost::Worker] {
        for method in METHODS {
            let outcome = play(method, cost).unwrap_or_else(|error| panic!("{method}: {error}"));
            assert!(outcome.complete, "{method}");
            assert_eq!(outcome.hands, 40, "{method}");
            let lost =
                if method == "drop" { BTreeMap::new() } else { [(Fallback::Panic, 1)].into() };
            assert_eq!(outcome.decisions.entrants[0].fallbacks, lost, "{method}, {cost:?}");
        }
        let error = play("build", cost).expect_err("nobody plays").to_string();
        assert!(error.contains("build") && error.contains("it panicked"), "{error}");
    }
}
