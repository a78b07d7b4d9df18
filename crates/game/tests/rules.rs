//! The betting rules: agreement with the slow reading on random games, and known situations.

use std::sync::Arc;

use game::{
    Action, Betting, GameDef, GameSpec, PublicState, Quirks, Raises, Seat, Street, Turn, games,
};
use proptest::prelude::*;

use crate::{naive, random};

fn agree(def: &GameDef, state: &PublicState) -> Result<(), TestCaseError> {
    let actions: Vec<Action> = state.history().iter().map(|played| played.action).collect();
    let slow = naive::replay(def, &actions);
    let to_act = match state.turn() {
        Turn::Act(seat) => Some(seat.index()),
        Turn::Over => None,
        Turn::Deal(_) => return Ok(()), // the slow reading deals nothing
    };
    prop_assert_eq!(to_act, slow.to_act());
    prop_assert_eq!(state.committed().as_slice(), &slow.spent[..]);
    prop_assert_eq!(state.pot(), slow.spent.iter().map(|&chips| u64::from(chips)).sum::<u64>());
    for seat in def.seats() {
        prop_assert_eq!(state.folded().contains(seat), slow.folded[seat.index()]);
    }
    let Turn::Act(seat) = state.turn() else {
        prop_assert_eq!(state.is_showdown(), !slow.all_but_one_folded());
        return Ok(());
    };
    prop_assert_eq!(state.street().index(), slow.street);
    let (legal, options) = (state.legal(), slow.options(def));
    prop_assert_eq!(legal.fold, options.fold);
    prop_assert_eq!(legal.raise, options.raise.map(|(min, max)| Raises { min, max }));
    let mut called = actions;
    called.push(Action::Call);
    let paid = naive::replay(def, &called).spent[seat.index()] - slow.spent[seat.index()];
    prop_assert_eq!(legal.to_call, paid);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn random_hands_of_random_games_go_as_in_the_slow_reading(
        def in random::a_game(),
        seed in any::<u64>(),
    ) {
        let deal = random::deal(&def, seed);
        let mut result = Ok(());
        random::play(&def, &deal, seed, |state| {
            if result.is_ok() {
                result = agree(&def, state);
            }
        });
        result?;
    }

    #[test]
    fn what_is_legal_is_taken_what_is_not_is_refused_and_corrections_are_legal(
        def in random::a_game(),
        seed in any::<u64>(),
        total in 0u32..200,
    ) {
        let deal = random::deal(&def, seed);
        random::play(&def, &deal, seed, |state| {
            let legal = state.legal();
            if !matches!(state.turn(), Turn::Act(_)) {
                assert!(state.clone().apply(Action::Call).is_err());
                return;
            }
            assert!(state.clone().apply(Action::Call).is_ok());
            assert_eq!(state.clone().apply(Action::Fold).is_ok(), legal.fold);
            let outside = match legal.raise {
                Some(Raises { min, max }) => vec![min - 1, max + 1],
                None => vec![state.highest() + 1, state.highest() * 2, 1000],
            };
            for total in outside {
                assert!(!legal.allows(Action::RaiseTo(total)));
                assert!(state.clone().apply(Action::RaiseTo(total)).is_err());
            }
            for action in [Action::Fold, Action::Call, Action::RaiseTo(total)] {
                let nearest = legal.nearest(action);
                assert!(legal.allows(nearest));
                assert!(!legal.allows(action) || nearest == action);
            }
            assert!(legal.all().all(|action| legal.allows(action)));
            assert!(legal.corners().all(|action| legal.allows(action)));
        });
    }
}

/// Plays these actions, dealing any cards in between; every one of them must be legal.
fn played(def: &Arc<GameDef>, actions: &[Action]) -> PublicState {
    let deck = def.deck();
    let mut state = PublicState::new(def);
    state.deal_from(&deck).expect("enough cards");
    for &action in actions {
        state.apply(action).expect("a legal action");
        state.deal_from(&deck).expect("enough cards");
    }
    state
}

const C: Action = Action::Call;
const F: Action = Action::Fold;

fn r(total: u32) -> Action {
    Action::RaiseTo(total)
}

fn act(seat: usize) -> Turn {
    Turn::Act(Seat::new(seat).expect("a seat"))
}

#[test]
fn heads_up_the_button_acts_first_before_the_flop_and_last_after() {
    let def = Arc::new(games::nolimit_holdem());
    assert_eq!(def.button().index(), 1);
    assert_eq!(played(&def, &[]).turn(), act(1));
    assert_eq!(played(&def, &[C]).turn(), act(0), "the big blind keeps its option");
    let flop = played(&def, &[C, C]);
    assert_eq!((flop.street(), flop.turn()), (Street::Flop, act(0)));
}

#[test]
fn three_handed_the_button_acts_first_before_the_flop() {
    let def = Arc::new(games::nolimit_holdem_with(vec![20_000; 3]));
    assert_eq!(def.button().index(), 2);
    assert_eq!(played(&def, &[]).turn(), act(2));
    assert_eq!(played(&def, &[C, C, C]).turn(), act(0));
    assert_eq!(played(&def, &[C, F, C]).turn(), act(1), "a folded seat is skipped");
}

#[test]
fn minimum_raises_follow_the_last_raise_and_start_anew_on_each_street() {
    let table: [(&[u32], &[Action], u32); 7] = [
        (&[20_000, 20_000], &[], 200),
        (&[20_000, 20_000], &[r(250)], 400),
        (&[20_000, 20_000], &[r(200), r(300)], 400),
        (&[20_000, 20_000], &[r(250), C], 350),
        (&[20_000, 20_000], &[r(250), C, r(350)], 450),
        // A short all-in neither lowers nor raises the minimum.
        (&[400, 20_000, 20_000], &[r(300), r(400)], 500),
        // A minimum beyond the stack leaves only the all-in.
        (&[20_000, 320], &[], 200),
    ];
    for (stacks, actions, min) in table {
        let def = Arc::new(games::nolimit_holdem_with(stacks.to_vec()));
        let raise = played(&def, actions).legal().raise.expect("a raise is legal");
        assert_eq!(raise.min, min, "{stacks:?} {actions:?}");
    }
    // The button raises, the small blind goes all-in for less than a raise, the big blind calls:
    // the betting is open again.
    let def = Arc::new(games::nolimit_holdem_with(vec![400, 20_000, 20_000]));
    let state = played(&def, &[r(300), r(400), C]);
    assert_eq!(state.turn(), act(2));
    assert_eq!(state.legal().raise, Some(Raises { min: 500, max: 20_000 }));
}

#[test]
fn nobody_raises_a_player_who_is_all_in_and_alone() {
    let def = Arc::new(games::nolimit_holdem_with(vec![20_000, 500]));
    let state = played(&def, &[r(500)]);
    assert_eq!(state.legal().raise, None);
    assert_eq!(state.legal().to_call, 400);
    assert_eq!(played(&def, &[r(500), C]).street(), Street::River, "the board is run out");
}

#[test]
fn blinds_may_put_players_all_in() {
    // The small blind is all-in: the big blind may only check, then the board is run out.
    let def = Arc::new(games::nolimit_holdem_with(vec![20_000, 50]));
    let state = played(&def, &[]);
    assert_eq!(state.turn(), act(0));
    assert!(!state.legal().fold && state.legal().raise.is_none());
    assert!(played(&def, &[C]).is_showdown());
    // Both are: nobody acts at all.
    let def = Arc::new(games::nolimit_holdem_with(vec![100, 50]));
    assert!(played(&def, &[]).is_showdown());
}

#[test]
fn limit_raises_are_capped_in_number_and_by_the_stack() {
    let def = Arc::new(games::limit_holdem());
    let raise = |actions: &[Action]| played(&def, actions).legal().raise.map(|r| (r.min, r.max));
    assert_eq!(raise(&[]), Some((20, 20)));
    assert_eq!(raise(&[r(20), r(30)]), Some((40, 40)));
    assert_eq!(raise(&[r(20), r(30), r(40)]), None, "three raises before the flop");
    assert_eq!(raise(&[C, C, r(20), r(30), r(40)]), Some((50, 50)), "four after it");
    assert_eq!(raise(&[C, C, r(20), r(30), r(40), r(50)]), None);

    let short = GameSpec { stacks: vec![15, 100], ..def.spec().clone() };
    let short = Arc::new(GameDef::new(short).expect("valid"));
    assert_eq!(played(&short, &[]).legal().raise, Some(Raises { min: 20, max: 20 }));
    assert_eq!(played(&short, &[r(20)]).legal().raise, None, "its stack is below the bet");
    assert_eq!(played(&short, &[C]).legal().raise, Some(Raises { min: 15, max: 15 }));
}

#[test]
fn quirks_of_the_original_server_come_only_when_asked_for() {
    let def = Arc::new(games::nolimit_holdem());
    let original = Arc::new(def.with_quirks(Quirks::ORIGINAL));
    let raises: Vec<Action> = (2..65).map(|i| r(100 * i)).collect();
    assert!(played(&def, &raises).legal().raise.is_some());
    assert!(played(&original, &raises[..62]).legal().raise.is_some());
    assert!(played(&original, &raises).legal().raise.is_none(), "the 64th action of a street");

    // Three players, limit; the one with 15 chips faces a bet of 20 and "raises" to 15.
    let short = GameSpec {
        betting: Betting::Limit,
        stacks: vec![15, 100, 100],
        blinds: vec![5, 10, 0],
        raise_sizes: vec![10; 4],
        ..games::nolimit_holdem_with(vec![100; 3]).spec().clone()
    };
    let fair = Arc::new(GameDef::new(short).expect("valid"));
    assert_eq!(played(&fair, &[r(20)]).legal().raise, None);
    let original = Arc::new(fair.with_quirks(Quirks::ORIGINAL));
    let state = played(&original, &[r(20), r(15), C, C]);
    assert_eq!(state.committed().as_slice(), [15, 15, 15], "the first raiser is paid back");
    let state = played(&original, &[r(20), r(15), C]);
    assert!(state.legal().fold, "having put in more than the bet is not having matched it");
}

#[test]
fn views_of_the_state_count_what_they_say() {
    let def = Arc::new(games::nolimit_holdem_with(vec![1_000, 20_000, 5_000]));
    let state = played(&def, &[r(300), C, C, C, r(500)]);
    let seat = |i: usize| Seat::new(i).expect("a seat");
    assert_eq!(state.street(), Street::Flop);
    assert_eq!(state.turn(), act(2));
    assert_eq!(state.pot(), 300 + 500 + 300);
    assert_eq!(state.committed_street(seat(1)), 200);
    assert_eq!(state.committed_street(seat(0)), 0);
    assert_eq!(state.stack(seat(2)), 4_700);
    assert_eq!(state.effective_stack(seat(1)), 4_700);
    assert_eq!(state.effective_stack(seat(0)), 700);
    assert_eq!(state.raises(), 1);
    assert_eq!(state.street_history().len(), 2);
    assert_eq!(state.history().len(), 5);
    assert_eq!((state.able().len(), state.remaining().len()), (3, 3));
}
