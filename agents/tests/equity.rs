//! The equity agent's rule, at situations where its equity is beyond doubt.

use std::sync::Arc;

use agents::Decision;
use game::{Action, games};

use crate::table::{agent, ask, context, infoset};

fn probability(decision: &Decision, action: Action) -> f64 {
    decision.strategy.as_ref().map_or(0.0, |strategy| strategy.probability(action))
}

#[test]
fn it_bets_calls_and_folds_by_its_rule() {
    use Action::{Call, Fold, RaiseTo};
    let def = Arc::new(games::nolimit_holdem());
    // The river board 2c7d9hJsKd; seat 0 acts first after the flop.
    let (board, quiet) = ("2c7d9hJsKd", "cc/cc/cc/");
    let cases: &[(&str, &str, Action)] = &[
        // Trip kings: far ahead of any two cards. Bets 3/4 of a pot of 200 on top of 100.
        ("KhKs", "", RaiseTo(250)),
        // Facing a bet of 100 into 200 it raises: pot after calling 400, 3/4 of it on top of 200.
        ("KhKs", "r200", RaiseTo(500)),
        // A middling hand checks and calls.
        ("9c8c", "", Call),
        ("9c8c", "r200", Call),
        // Four high: nothing beats less. Folds at any price.
        ("3s4s", "r200", Fold),
    ];
    for &(hole, betting, expected) in cases {
        let situation = infoset(&def, &format!("{quiet}{betting}"), hole, board);
        let decision = ask("equity", &situation);
        assert_eq!(decision.action, expected, "{hole} after `{betting}`: {:?}", decision.note);
        assert_eq!(probability(&decision, expected), 1.0);
    }
    // Nothing to call with the worst hand: bluffs one time in ten.
    let decision = ask("equity", &infoset(&def, quiet, "3s4s", board));
    assert!((probability(&decision, RaiseTo(250)) - 0.1).abs() < 1e-12);
    assert!((probability(&decision, Call) - 0.9).abs() < 1e-12);
}

#[test]
fn chips_it_cannot_win_do_not_count_in_the_pot_odds() {
    // Seat 2 has 200 chips left, and two deep stacks have put in 15,000 each: a call of 200 plays
    // for three times 500, whatever lies in the side pot.
    let def = Arc::new(games::nolimit_holdem_with(vec![20_000, 20_000, 500]));
    let situation = infoset(&def, "cr300cc/r15000c", "2s3h", "TcJdQh");
    assert_eq!(situation.public.stack(situation.seat), 200);
    let decision = ask("equity", &situation);
    let note = decision.note.expect("a note");
    assert!(note.ends_with("a call needs 13.3 %"), "{note}");
}

#[test]
fn each_further_raise_needs_a_better_hand() {
    let def = Arc::new(games::nolimit_holdem());
    let raises_to_the_end = |hole: &str| {
        let mut betting = String::from("r200");
        let mut agent = agent("equity:size=0.01", &def);
        for raises in 1..12 {
            let situation = infoset(&def, &betting, hole, "");
            match agent.act(&situation, &mut context(1)).action {
                Action::RaiseTo(total) => betting += &format!("r{total}"),
                _ => return raises,
            }
        }
        12
    };
    let (ten, queens, aces) =
        (raises_to_the_end("TsTh"), raises_to_the_end("QsQh"), raises_to_the_end("AsAh"));
    assert!(ten <= queens && queens <= aces && ten < aces, "{ten} {queens} {aces}");
    assert!(aces < 12, "even aces stop raising against a hand that shows such strength");
}
