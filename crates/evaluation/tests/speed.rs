//! The measurement of speed.

use std::sync::Arc;
use std::time::Duration;

use agents::Cost;
use evaluation::speed::measure;
use game::games;

use crate::panicking::{METHODS, panicking};

#[test]
fn a_panic_in_any_method_costs_one_decision_of_a_measurement() {
    let def = Arc::new(games::nolimit_holdem());
    for cost in [Cost::Inline, Cost::Worker] {
        for method in METHODS {
            let agent = panicking(method, cost);
            let measured = measure(&agent, &def, Duration::from_millis(20), 1);
            let measured = measured.unwrap_or_else(|error| panic!("{method}: {error}"));
            // It plays in both seats.
            let lost = if method == "drop" { 0 } else { 2 };
            assert!(measured.decisions > 6, "{method}: {measured:?}");
            assert_eq!(measured.fallbacks, lost, "{method}, {cost:?}");
        }
        let error = measure(&panicking("build", cost), &def, Duration::ZERO, 1);
        let error = error.expect_err("it cannot be built").to_string();
        assert!(error.contains("it panicked"), "{error}");
    }
}
