//! The `cfr` agent: shipped blueprints, its options, and what it refuses.

use std::sync::Arc;

use abstraction::translate::{TreePosition, follow};
use agents::Registry;
use cards::{Board, HoleCards};
use game::{Action, GameDef, PublicState, Strategy, games};

use crate::table::{self, check_together, hands, hole, policy, seen};

/// The state after these actions, with the board dealt as far as needed.
fn after(def: &Arc<GameDef>, actions: &[Action]) -> PublicState {
    table::after(def, "Kh3sJc7d2c", actions)
}

fn strategy(policy: &dyn game::Policy, public: &PublicState, cards: &str) -> Strategy {
    policy.strategy(&seen(public, hole(cards)))
}

#[test]
fn shipped_blueprints_are_whole_and_small() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    let mut bytes = 0;
    for name in ["nolimit", "overbet", "limit", "categories"] {
        let path = format!("{folder}/{name}.blueprint");
        let blueprint = models::blueprint::Blueprint::open(path.as_ref()).expect("a blueprint");
        let verified = blueprint.verify().expect("nothing wrong");
        assert!(verified.reached * 10 > verified.infosets * 8, "{name}: {verified:?}");
        // What is inside the program is the file, packed.
        bytes += std::fs::metadata(&path).expect("a file").len();
    }
    assert!(bytes < 12_000_000, "{bytes} bytes");
}

/// Two buckets on 8 decisions and nine on 70 + 630 + 5,670 are 57,346 information sets. The 57,344
/// of the paper (de Mesentier Silva and others 2018, section V) are those of 7 decisions before the
/// flop, perhaps the ways on to it taken for the decisions: 14 + 9 x 6,370.
#[test]
fn the_category_player_has_the_published_information_sets_and_two_more() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/models/categories.blueprint");
    let blueprint = models::blueprint::Blueprint::open(path.as_ref()).expect("a blueprint");
    assert_eq!(blueprint.verify().expect("nothing wrong").infosets, 57_346);
    let size = *blueprint.tree().expect("a tree").size();
    assert_eq!(size.decisions, [8, 70, 630, 5_670]);
    assert_eq!(size.infosets([2, 9, 9, 9]).iter().sum::<u128>(), 57_346);
    assert_eq!(2 * 7 + 9 * (70 + 630 + 5_670), 57_344);
    assert_eq!(2 * 8 + 9 * (70 + 630 + 5_670), 57_346);
    let def = Arc::new(games::limit_holdem());
    let [named, file] = ["categories", path].map(|blueprint| {
        let policy = policy(&format!("cfr:blueprint={blueprint}"), &def);
        strategy(&*policy, &after(&def, &[]), "7s7h")
    });
    assert_eq!(named, file);
    let other = Registry::standard().resolve("cfr:blueprint=categories").expect("it is inside");
    let error = other.build(&Arc::new(games::nolimit_holdem())).err().expect("another game");
    assert!(error.to_string().contains("limit"), "{error}");
}

#[test]
fn good_hands_raise_and_bad_hands_fold() {
    for def in [games::nolimit_holdem(), games::limit_holdem()] {
        let def = Arc::new(def);
        let policy = policy("cfr", &def);
        let start = after(&def, &[]);
        let raised = |strategy: &Strategy| -> f64 {
            let raises = strategy.actions.iter().filter(|(a, _)| matches!(a, Action::RaiseTo(_)));
            raises.map(|(_, share)| share).sum()
        };
        assert!(raised(&strategy(&*policy, &start, "AsAh")) > 0.8);
        assert!(strategy(&*policy, &start, "AsAh").probability(Action::Fold) < 0.01);
        assert!(strategy(&*policy, &start, "7s2h").probability(Action::Fold) > 0.2);
    }
}

#[test]
fn bets_off_the_menu_are_answered_in_the_hands_own_chips() {
    let def = Arc::new(games::nolimit_holdem());
    let policy = policy("cfr", &def);
    for to in [200, 237, 333, 777, 1_999, 8_888, 19_999] {
        let public = after(&def, &[Action::RaiseTo(to)]);
        for cards in ["AsAh", "7s2h", "Td9d"] {
            let found = strategy(&*policy, &public, cards);
            let sum: f64 = found.actions.iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{found:?}");
            let legal = public.legal();
            let fine = |action: Action| legal.nearest(action) == action;
            assert!(
                found.actions.iter().all(|&(action, _)| fine(action)),
                "{to} {cards}: {found:?}"
            );
            // The same history is read the same way.
            assert_eq!(found, strategy(&*policy, &public, cards));
        }
    }
}

#[test]
fn all_hands_at_once_are_answered_as_one_by_one() {
    let def = Arc::new(games::nolimit_holdem());
    let policy = policy("cfr", &def);
    let [raise, call] = [Action::RaiseTo, |_| Action::Call];
    let dead: Board = "Kh3sJc7d2c".parse().expect("a board");
    let all: Vec<HoleCards> = hands(&after(&def, &[Action::Call; 2]), 3)
        .into_iter()
        .filter(|hole| !hole.set().intersects(dead.set()))
        .collect();
    // On the tree and off it, few hands and many.
    for (actions, count) in [
        (vec![raise(250), call(0), call(0)], 4),
        (vec![raise(250), call(0), call(0)], all.len()),
        (vec![raise(333), call(0), raise(500), call(0), raise(1_500)], 4),
        (vec![raise(333), call(0), raise(500), call(0), raise(1_500)], all.len()),
        (vec![call(0), raise(777), call(0), call(0), raise(1_999), call(0), raise(9_999)], 200),
    ] {
        let public = after(&def, &actions);
        check_together(&*policy, &public, &all[..count]);
    }
}

#[test]
fn a_bet_off_the_menu_is_answered_as_by_somebody_who_drew_its_reading_and_kept_it() {
    let def = Arc::new(games::nolimit_holdem());
    let policy = policy("cfr:blueprint=overbet", &def);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/models/overbet.blueprint");
    let blueprint = models::blueprint::Blueprint::open(path.as_ref()).expect("a blueprint");
    let (tree, buckets) = (blueprint.tree().expect("a tree"), blueprint.buckets());
    let buckets = abstraction::buckets::Buckets::read(buckets).expect("buckets");
    // What is done with these cards where `follow` says, drawing at these points.
    let drawn = |public: &PublicState, hole: HoleCards, points: [f64; 2]| -> Strategy {
        let game::Turn::Act(seat) = public.turn() else { panic!("somebody acts") };
        let mut off = public.history().iter().enumerate().filter(|(_, played)| {
            played.seat != seat && matches!(played.action, Action::RaiseTo(_))
        });
        let indices = [off.next().map(|(at, _)| at), off.next().map(|(at, _)| at)];
        let mut point = |at: usize| points[usize::from(indices[0] != Some(at))];
        let followed = follow(&tree, public, seat, &mut point);
        let TreePosition::At(node) = followed.position else { panic!("{followed:?}") };
        let bucket = buckets.bucket(hole, &public.board()).expect("a bucket");
        let shares = blueprint.probabilities(&tree, node, bucket).expect("a decision");
        let answers = tree.actions(node).iter().map(|&a| followed.answer(&tree, public, a));
        Strategy::from_weights(answers.zip(shares.iter().map(|&s| f64::from(s)))).expect("trained")
    };
    let [raise, call] = [Action::RaiseTo, |_| Action::Call];
    let (mut tried, mut moved) = (0, 0.0f64);
    for cards in ["AsAh", "7s6s", "KdJd", "3h3d", "Td9d", "QsJh", "Ac8c"] {
        let hole = hole(cards);
        // Two bets off the menu; in between it called, and checked.
        let first = after(&def, &[raise(333)]);
        let flop = after(&def, &[raise(333), call(0)]);
        let second = after(&def, &[raise(333), call(0), call(0), raise(800)]);
        let (mut sum, mut weights, mut prior) = (Vec::new(), 0.0, 0.0);
        const STEPS: usize = 150;
        let points = |step: usize| (step as f64 + 0.5) / STEPS as f64;
        for (a, b) in (0..STEPS).flat_map(|a| (0..STEPS).map(move |b| (a, b))) {
            let points = [points(a), points(b)];
            let calls = [&first, &flop].map(|state| drawn(state, hole, points));
            let called: f64 = calls.iter().map(|calls| calls.probability(Action::Call)).product();
            let now = drawn(&second, hole, points);
            weights += called;
            prior += now.probability(Action::Fold);
            for (action, share) in now.actions {
                match sum.iter_mut().find(|(known, _)| *known == action) {
                    Some((_, sum)) => *sum += called * share,
                    None => sum.push((action, called * share)),
                }
            }
        }
        if weights < 1.0 {
            continue;
        }
        tried += 1;
        let found = strategy(&*policy, &second, cards);
        for (action, share) in sum {
            let (share, found) = (share / weights, found.probability(action));
            // Points lie on a grid.
            assert!(
                (share - found).abs() < 3.0 / STEPS as f64,
                "{cards} {action:?}: {share} {found}"
            );
        }
        moved += (found.probability(Action::Fold) - prior / (STEPS * STEPS) as f64).abs();
    }
    assert!(tried >= 4, "{tried} hands call");
    assert!(moved > 0.01, "having called says nothing about the reading: {moved}");
}

#[test]
fn purified_play_is_one_action_and_thresholds_drop_the_rare() {
    let def = Arc::new(games::nolimit_holdem());
    let public = after(&def, &[Action::RaiseTo(250), Action::Call, Action::Call]);
    let [mixed, pure, cut] =
        ["cfr", "cfr:play=purify", "cfr:threshold=0.2"].map(|n| policy(n, &def));
    let mut differ = 0;
    for cards in ["AsAh", "7s2h", "KdJd", "3h3d", "Td9d", "QsJh", "8c8d"] {
        let [mixed, pure, cut] = [&mixed, &pure, &cut].map(|p| strategy(&**p, &public, cards));
        let likeliest = mixed.actions.iter().map(|&(_, share)| share).fold(0.0, f64::max);
        assert_eq!(pure.actions.len(), 1, "{pure:?}");
        assert_eq!(mixed.probability(pure.actions[0].0), likeliest);
        let kept = mixed.actions.iter().filter(|&&(_, s)| s >= 0.2 || s == likeliest).count();
        assert_eq!(cut.actions.len(), kept, "{mixed:?} {cut:?}");
        differ += usize::from(cut != mixed);
    }
    assert!(differ > 0, "nothing was dropped anywhere");
}

#[test]
fn other_games_and_bad_files_are_refused_by_name() {
    let registry = Registry::standard();
    let choice = registry.resolve("cfr").expect("it exists");
    assert!(choice.about().contains("A blueprint for") && choice.about().contains("iterations"));
    for def in [games::kuhn(), games::nolimit_holdem_with(vec![26_000; 2])] {
        let error = choice.build(&Arc::new(def)).err().expect("another game");
        assert!(error.is_game() && error.to_string().contains("250 big blinds"), "{error}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bad.blueprint");
    std::fs::write(&path, b"CARDBLUE").expect("written");
    for (name, expected) in [
        (format!("cfr:blueprint={}", path.display()), "bad.blueprint"),
        ("cfr:blueprint=/no/such/file".to_owned(), "/no/such/file"),
        ("cfr:threshold=0.9".to_owned(), "must be from 0 to 0.5"),
        ("cfr:play=best".to_owned(), "best"),
    ] {
        let error = registry.resolve(&name).expect_err("a mistake").to_string();
        assert!(error.contains(expected), "{error}");
    }
    // What opening does not look at, a check finds.
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/models/limit.blueprint");
    let blueprint = models::blueprint::Blueprint::open(shipped.as_ref()).expect("a blueprint");
    let mut bytes = blueprint.plain().to_vec();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).expect("written");
    let damaged =
        registry.resolve(&format!("cfr:blueprint={}", path.display())).expect("its head is whole");
    let error = damaged.check_models().expect_err("a changed byte").to_string();
    assert!(error.contains("bad.blueprint"), "{error}");
    let limit = registry.resolve(&format!("cfr:blueprint={shipped}")).expect("whole");
    assert!(limit.check_models().is_ok());
    // A blueprint of another game says both.
    let error = limit.build(&Arc::new(games::nolimit_holdem())).err().expect("another game");
    assert!(error.to_string().contains("no-limit"), "{error}");
}
