//! Equilibria: known values, and agreement of regret minimisation with linear programs.

use proptest::prelude::*;
use show::svg::tree::{BoxKind, TreeBox};
use solvers::games::Dealt;
use solvers::small::solve::picture;
use solvers::{Cfr, Player, Profile, Sequences, Tree, Variant, linear};

use crate::small::{self, Matrix};
use crate::{By, calls};

#[test]
fn kuhn_is_worth_minus_an_eighteenth_to_the_first_player() {
    // The engine's seat 0 acts first in Kuhn poker.
    let tree = small::kuhn();
    let game = Sequences::new(&tree);
    let exact = linear::solve(&game).expect("solvable");
    assert!((exact.value + 1.0 / 18.0).abs() < 1e-9, "{}", exact.value);
    assert!(exact.profile.exploitability(&game) < 1e-8);
    let mut cfr = Cfr::new(&game, Variant::CFR_PLUS, 2000);
    cfr.run(2000);
    let average = cfr.average();
    assert!(average.exploitability(&game) < 1e-4);
    assert!((average.value(&game) + 1.0 / 18.0).abs() < 1e-4);
}

#[test]
fn leduc_is_worth_what_the_linear_program_says() {
    let tree = small::leduc();
    let game = Sequences::new(&tree);
    let exact = linear::solve(&game).expect("solvable");
    assert!((exact.value + 0.0856064).abs() < 1e-6, "{}", exact.value);
    assert!(exact.profile.exploitability(&game) < 1e-7);
}

#[test]
fn trees_have_the_known_sizes() {
    let kuhn = small::kuhn();
    assert_eq!(kuhn.nodes().len(), 58);
    assert_eq!(Player::BOTH.map(|p| kuhn.infosets(p).len()), [6, 6]);
    let leduc = small::leduc();
    assert_eq!(leduc.nodes().len(), 9_457);
    assert_eq!(Player::BOTH.map(|p| leduc.infosets(p).len()).iter().sum::<usize>(), 936);
}

/// The winnings of a best response, by trying every pure strategy.
fn best_by_trying(game: &Sequences, profile: &Profile, player: Player) -> f64 {
    let choices = game.choices(player);
    let mut picks = vec![0; choices.len()];
    let mut best = f64::NEG_INFINITY;
    loop {
        let mut tried = profile.clone();
        tried.0[player.index()].fill(0.0);
        for (choice, pick) in choices.iter().zip(&picks) {
            tried.0[player.index()][choice.first as usize + pick] = 1.0;
        }
        let sign = if player == Player::First { 1.0 } else { -1.0 };
        best = best.max(sign * tried.value(game));
        // The next combination of picks.
        let Some(at) = (0..picks.len()).find(|&at| picks[at] + 1 < choices[at].count as usize)
        else {
            return best;
        };
        picks[..at].fill(0);
        picks[at] += 1;
    }
}

#[test]
fn best_responses_are_the_best_of_all_pure_strategies() {
    let tree = small::kuhn();
    let game = Sequences::new(&tree);
    let mut cfr = Cfr::new(&game, Variant::CFR, 10);
    for _ in 0..10 {
        cfr.step();
        let profile = cfr.average();
        for player in Player::BOTH {
            let (value, response) = profile.best_response(&game, player);
            assert!((value - best_by_trying(&game, &profile, player)).abs() < 1e-12);
            let mut played = profile.clone();
            played.0[player.index()] = response;
            let sign = if player == Player::First { 1.0 } else { -1.0 };
            assert!((sign * played.value(&game) - value).abs() < 1e-12);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn matrix_games_have_one_value(
        rows in prop::collection::vec(prop::collection::vec(-10.0f64..10.0, 4), 1..6)
    ) {
        let tree = Tree::new(&Matrix(rows), 1_000).expect("small");
        let game = Sequences::new(&tree);
        let exact = linear::solve(&game).expect("solvable");
        prop_assert!(exact.profile.exploitability(&game).abs() < 1e-6);
        let mut cfr = Cfr::new(&game, Variant::CFR_PLUS, 3000);
        cfr.run(3000);
        let average = cfr.average();
        prop_assert!(average.exploitability(&game) > -1e-9);
        prop_assert!(average.exploitability(&game) < 0.05);
        prop_assert!((average.value(&game) - exact.value).abs() < 0.1);
    }
}

#[test]
fn a_policy_is_met_by_its_best_response() {
    let dealt = Dealt::new(game::games::kuhn().into()).expect("two players");
    let tree = small::kuhn();
    let game = Sequences::new(&tree);
    assert_eq!(dealt.hole_deals(), 6);
    let profile = dealt.profile(&tree, &game, &By(calls)).expect("a strategy");
    assert!(profile.value(&game).abs() < 1e-12);
    // Against one who calls: bet the king, check the jack; a queen wins as often as it loses.
    for player in Player::BOTH {
        assert!((profile.best_response_value(&game, player) - 1.0 / 3.0).abs() < 1e-12);
    }
    // Raises 100 chips whatever the rules say.
    let illegal = |_: &game::InfoSet| game::Strategy::pure(game::Action::RaiseTo(100));
    let refused = dealt.profile(&tree, &game, &By(illegal)).expect_err("no such raise");
    assert!(refused.to_string().contains("legal"), "{refused}");
}

#[test]
fn the_picture_of_a_tree_has_all_nodes_and_its_ends_are_all_that_happens() {
    let tree = small::kuhn();
    let game = Sequences::new(&tree);
    let drawn = picture("kuhn", &tree, &game, &Profile::uniform(&game));
    assert_eq!(drawn.nodes.len(), tree.nodes().len());
    let ends = drawn.nodes.iter().filter(|node| node.kind == BoxKind::Leaf);
    let reach = |node: &TreeBox| node.done.trim_start_matches("π ").parse::<f64>().expect("π");
    let all: f64 = ends.map(reach).sum();
    assert!((all - 1.0).abs() < 0.02, "rounded to three decimals: {all}");
    for (index, node) in drawn.nodes.iter().enumerate() {
        assert!(node.parent.is_none_or(|parent| parent < index), "{node:?}");
    }
    // Two nodes of each of the twelve information sets: the other player has one of two cards.
    let sets = drawn.nodes.iter().filter(|node| node.place.contains("set")).count();
    assert_eq!(sets, 24);
    assert!(
        drawn
            .nodes
            .iter()
            .all(|node| !node.place.contains("set") || node.place.ends_with("(2 nodes)"))
    );
}
