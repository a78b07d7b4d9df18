//! The `cfr` agent with three to six players.

use std::sync::Arc;

use agents::{AgentRng, Clock, Context, Registry};
use cards::{Card, HoleCards};
use game::{Action, GameDef, GameSpec, InfoSet, PublicState, Turn, games};
use rand::RngExt;

use crate::table::{check_together, choice, hands, policy};

/// No-limit hold'em for so many players with these blinds and stacks.
fn holdem(players: usize, [small, big]: [u32; 2], stacks: Vec<u32>) -> Arc<GameDef> {
    let usual = games::nolimit_holdem();
    let mut blinds = vec![0; players];
    blinds[..2].copy_from_slice(&[small, big]);
    let first_to_act = vec![2, 0, 0, 0];
    let spec = GameSpec { players, stacks, blinds, first_to_act, ..usual.spec().clone() };
    Arc::new(GameDef::new(spec).expect("a game"))
}

#[test]
fn blueprints_for_more_than_two_are_whole_trained_and_small() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    for name in ["three", "six"] {
        let path = format!("{folder}/{name}.blueprint");
        let blueprint = models::blueprint::Blueprint::open(path.as_ref()).expect("a blueprint");
        let verified = blueprint.verify().expect("nothing wrong");
        assert!(verified.reached * 5 > verified.infosets * 2, "{name}: {verified:?}");
        let bytes = std::fs::metadata(&path).expect("a file").len();
        assert!(bytes <= 2_500_000, "{name}: {bytes} bytes");
    }
    let about = choice("cfr").about().to_owned();
    assert!(about.contains("3 players") && about.contains("6 players"), "{about}");
    assert!(about.contains("three to six"), "{about}");
}

/// Hands in which the agent has all seats but those of somebody who does anything.
#[test]
fn three_to_six_play_by_the_rules_with_any_chips_and_nearly_always_by_the_blueprint() {
    let deck: Vec<Card> = Card::all().collect();
    for def in [
        holdem(3, [50, 100], vec![20_000; 3]),
        holdem(4, [1, 2], vec![400; 4]),
        holdem(5, [50, 100], vec![10_000, 20_000, 4_000, 20_000, 7_000]),
        holdem(6, [50, 100], vec![20_000; 6]),
    ] {
        let mut agent = choice("cfr").build(&def).expect("it plays");
        let policy = policy("cfr", &def);
        let (mut own, mut beyond) = (0, 0);
        for hand in 0..150_u64 {
            let mut rng = AgentRng::new(u128::from(hand) << 20 | 77);
            let mut cards = deck.clone();
            let mut draw = || cards.swap_remove(rng.random_range(0..cards.len()));
            let board: Vec<Card> = (0..5).map(|_| draw()).collect();
            let holes: Vec<HoleCards> = (0..def.players)
                .map(|_| HoleCards::new(&[draw(), draw()]).expect("two cards"))
                .collect();
            let mut public = PublicState::new(&def);
            for decision in 0_u64.. {
                public.deal_from(&board).expect("a board");
                let Turn::Act(seat) = public.turn() else { break };
                let hole = holes[seat.index()];
                let infoset = InfoSet { public: public.clone(), seat, hole };
                let rng = AgentRng::new(u128::from(hand) << 8 | u128::from(decision));
                let (time_left, clock) = (None, Clock::stopped());
                let mut context = Context { rng, hand, time_left, clock };
                let made = agent.act(&infoset, &mut context);
                assert_eq!(Some(&policy.strategy(&infoset)), made.strategy.as_ref());
                assert!(public.legal().allows(made.action));
                // Every third hand somebody has a style of its own.
                let stranger = hand % 3 == 0 && seat.index() as u64 == hand % def.players as u64;
                let strange = match (public.legal().raise, decision % 4) {
                    (Some(raise), 0) => Action::RaiseTo(raise.min),
                    (Some(raise), 1) => Action::RaiseTo((raise.min * 3).min(raise.max)),
                    _ => Action::Call,
                };
                if hand % 3 > 0 {
                    own += 1;
                    beyond += u32::from(made.beyond_model);
                }
                assert_eq!(made.beyond_model, made.note.expect("one").starts_with("by pot odds"));
                let action = if stranger { strange } else { made.action };
                public.apply(action).expect("a legal action");
            }
        }
        assert!(own > 400 && beyond * 20 < own, "{} players: {beyond} of {own}", def.players);
    }
}

#[test]
fn all_hands_together_are_answered_as_each_alone() {
    let def = holdem(3, [50, 100], vec![20_000; 3]);
    let policy = policy("cfr", &def);
    let mut public = PublicState::new(&def);
    check_together(&*policy, &public, &hands(&public, 60));
    for action in [Action::RaiseTo(270), Action::Call, Action::Call] {
        public.apply(action).expect("a legal action");
    }
    let board: cards::Board = "Kh3sJc7d2c".parse().expect("a board");
    public.deal_from(&board).expect("a flop");
    check_together(&*policy, &public, &hands(&public, 60));
}

#[test]
fn the_best_hands_raise_and_the_worst_fold() {
    for players in 3..=6 {
        let def = holdem(players, [50, 100], vec![20_000; players]);
        let policy = policy("cfr", &def);
        let public = PublicState::new(&def);
        let Turn::Act(seat) = public.turn() else { panic!("somebody acts") };
        let play = |hole: &str, raises: bool| {
            let hole = hole.parse().expect("hole cards");
            let strategy = policy.strategy(&InfoSet { public: public.clone(), seat, hole });
            let played = strategy.actions.iter().filter(|(action, _)| match action {
                Action::RaiseTo(_) => raises,
                Action::Fold => !raises,
                Action::Call => false,
            });
            played.map(|(_, probability)| probability).sum::<f64>()
        };
        assert!(play("AsAh", true) > 0.3, "{players}: {}", play("AsAh", true));
        assert!(play("AsAh", false) < 0.01, "{players}: {}", play("AsAh", false));
        assert!(play("7s2h", false) > 0.8, "{players}: {}", play("7s2h", false));
    }
}

#[test]
fn games_that_no_blueprint_is_for_are_refused() {
    let cfr = Registry::standard().resolve("cfr").expect("an agent");
    for def in [
        holdem(3, [50, 100], vec![25_100; 3]),
        holdem(7, [50, 100], vec![20_000; 7]),
        holdem(3, [100, 50], vec![20_000; 3]),
    ] {
        let error = cfr.build(&def).err().expect("another game");
        assert!(error.is_game() && error.to_string().contains("3 to 6 players"), "{error}");
    }
    let def = holdem(3, [50, 100], vec![20_000; 3]);
    let error = cfr.tree_strategy(&def).err().expect("no tree of all hands");
    assert!(error.is_game(), "{error}");
}
