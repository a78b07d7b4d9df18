//! Tests that actions and cards that are not legal are refused, and nothing changes.

use std::sync::Arc;

use cards::Card;
use game::{Action, DealError, IllegalReason, PublicState, Street, Turn, games};

fn cards(text: &str) -> Vec<Card> {
    text.parse::<cards::Board>().expect("cards").to_vec()
}

#[test]
fn a_refused_action_hands_the_untouched_state_back() {
    let def = Arc::new(games::nolimit_holdem());
    let start = PublicState::new(&def);
    for (action, message) in [
        (Action::RaiseTo(199), "a raise to 199 is outside 200 to 20000"),
        (Action::RaiseTo(0), "a raise to 0 is outside 200 to 20000"),
        (Action::RaiseTo(20_001), "a raise to 20001 is outside 200 to 20000"),
    ] {
        let refused = start.clone().play(action).expect_err("not legal");
        assert_eq!(refused.state, start);
        assert_eq!(refused.state.turn(), start.turn());
        assert_eq!(refused.state.committed(), start.committed());
        assert_eq!(refused.action, action);
        assert!(refused.to_string().ends_with(message), "{refused}");
    }
    let checked = start.play(Action::Call).expect("legal");
    let refused = checked.clone().play(Action::Fold).expect_err("nothing to call");
    assert_eq!(refused.reason, IllegalReason::NothingToFold);
    assert_eq!(refused.state, checked);
}

#[test]
fn nobody_acts_before_the_cards_or_after_the_end() {
    let def = Arc::new(games::nolimit_holdem());
    let mut state = PublicState::new(&def);
    state.apply(Action::Call).expect("legal");
    state.apply(Action::Call).expect("legal");
    assert_eq!(state.turn(), Turn::Deal(Street::Flop));
    assert_eq!(state.apply(Action::Call), Err(IllegalReason::NotDealt(Street::Flop)));
    let mut state = PublicState::new(&def);
    state.apply(Action::Fold).expect("legal");
    for action in [Action::Fold, Action::Call, Action::RaiseTo(500)] {
        assert_eq!(state.apply(action), Err(IllegalReason::HandOver));
    }
    assert_eq!(state.deal(&cards("2c7d9s")), Err(DealError::NotDue));
}

#[test]
fn a_wrong_deal_is_refused_and_changes_nothing() {
    let def = Arc::new(games::nolimit_holdem());
    let mut state = PublicState::new(&def);
    assert_eq!(state.deal(&cards("2c7d9s")), Err(DealError::NotDue));
    state.apply(Action::Call).expect("legal");
    state.apply(Action::Call).expect("legal");
    let wrong = DealError::WrongCount { street: Street::Flop, found: 2, needed: 3 };
    assert_eq!(state.deal(&cards("2c7d")), Err(wrong));
    let twice = [cards("2c7d"), cards("2c")].concat();
    assert_eq!(state.deal(&twice), Err(DealError::Repeated(twice[0])));
    assert!(state.board().is_empty());
    state.deal(&cards("2c7d9s")).expect("a flop");
    state.apply(Action::Call).expect("legal");
    state.apply(Action::Call).expect("legal");
    let twice = cards("7d");
    assert_eq!(state.deal(&twice), Err(DealError::Repeated(twice[0])));
    assert_eq!(
        state.deal_from(&cards("2c7d9s")),
        Err(DealError::WrongCount { street: Street::Turn, found: 0, needed: 1 })
    );
}
