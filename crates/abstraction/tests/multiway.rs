//! Betting of more than two players: the tree against the rules replayed one by one, and places of
//! hands in it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::menu::BetMenu;
use abstraction::multiway::places;
use game::{Action, Betting, GameDef, GameSpec, PublicState, Seat, Turn, games};
use proptest::prelude::*;

/// No-limit hold'em for so many players with so many chips each.
fn holdem(players: usize, stack: u32) -> Arc<GameDef> {
    let usual = games::nolimit_holdem();
    let mut blinds = vec![0; players];
    blinds[..2].copy_from_slice(&[50, 100]);
    let first_to_act = [2 % players, 0, 0, 0].to_vec();
    let stacks = vec![stack; players];
    let spec = GameSpec { players, stacks, blinds, first_to_act, ..usual.spec().clone() };
    Arc::new(GameDef::new(spec).expect("a game"))
}

/// Kuhn poker for three, with a deck of four cards.
fn kuhn() -> Arc<GameDef> {
    let two = games::kuhn();
    let stacks = vec![two.stacks[0]; 3];
    let blinds = vec![two.blinds[0]; 3];
    let spec = GameSpec { players: 3, stacks, blinds, ranks: 4, ..two.spec().clone() };
    Arc::new(GameDef::new(spec).expect("a game"))
}

const MENU: &str = "preflop 1: 3x\npreflop 2: 3x\npreflop 3+: allin\nflop turn river 1: pot \
                    allin\nflop turn river 2+: allin";

fn tree(def: &Arc<GameDef>, menu: &str) -> BettingTree {
    let menu: BetMenu = menu.parse().expect("a menu");
    BettingTree::new(def, &menu, 5_000_000).expect("a tree")
}

/// What the module says is remembered, as text, with the number of the street's first decision.
fn remembered(state: &PublicState, seat: Seat, begin: usize) -> String {
    let def = state.def();
    let first = def.first_to_act[state.street().index()];
    let order: Vec<usize> = (0..def.players)
        .map(|k| (first + k) % def.players)
        .filter(|&k| state.remaining().iter().any(|seat| seat.index() == k))
        .collect();
    let place = |seat: Seat| order.iter().position(|&k| k == seat.index());
    let others = state.remaining().iter().filter(|&other| other != seat);
    let deepest = others.map(|other| state.stack(other)).max().unwrap_or_default();
    let behind = u64::from(deepest.min(state.stack(seat)));
    let ratio = (256 * behind / state.pot()).max(1) as f64;
    // Three classes for each factor of four.
    let depth = (1.5 * ratio.log2() + 1e-9).floor();
    let raise = |action: Action| matches!(action, Action::RaiseTo(_));
    let played = state.street_history();
    if played.is_empty() {
        let before = state.history().iter().rev().find(|played| {
            raise(played.action) && played.street.index() + 1 == state.street().index()
        });
        let leader = before.filter(|_| order.len() < 4).and_then(|played| place(played.seat));
        return format!("{} {} {leader:?} {depth}", state.street(), order.len());
    }
    // Who has acted since the last raise.
    let mut done = HashSet::new();
    for played in played {
        if raise(played.action) {
            done.clear();
        }
        done.insert(played.seat.index());
    }
    let waiting = state.able().iter().filter(|seat| !done.contains(&seat.index())).count();
    let who =
        if state.street().index() == 0 { format!("{order:?} {seat:?}") } else { String::new() };
    let (raises, highest) = (state.raises(), state.highest());
    let (left, place) = (order.len(), place(seat));
    format!("{begin} {who} {left} {waiting} {place:?} {raises} {highest} {depth}")
}

/// Decisions of each street, all ends, and places that are like earlier ones.
#[derive(Default)]
struct Count {
    known: HashSet<String>,
    decisions: [u64; 4],
    ends: u64,
    joins: u64,
}

impl Count {
    fn walk(&mut self, mut state: PublicState, menu: &BetMenu, begin: usize) {
        state.deal_from(&state.def().deck()[..5.min(state.def().full_board_len())]).expect("cards");
        let Turn::Act(seat) = state.turn() else {
            self.ends += 1;
            return;
        };
        let begin = if state.street_history().is_empty() { self.known.len() } else { begin };
        if !self.known.insert(remembered(&state, seat, begin)) {
            self.joins += 1;
            return;
        }
        self.decisions[state.street().index()] += 1;
        for action in menu.actions(&state) {
            self.walk(state.clone().play(action).expect("a legal action"), menu, begin);
        }
    }
}

#[test]
fn the_tree_has_the_places_that_a_walk_by_the_rules_finds() {
    for (players, stack, menu) in
        [(3, 2_000, MENU), (3, 20_000, MENU), (4, 3_000, MENU), (6, 1_500, "every 1+: allin")]
    {
        let def = holdem(players, stack);
        let tree = tree(&def, menu);
        let mut count = Count::default();
        count.walk(PublicState::new(&def), tree.menu(), 0);
        let size = tree.size();
        assert_eq!(size.decisions, count.decisions, "{players} players");
        assert_eq!((size.folds + size.showdowns, size.joins), (count.ends, count.joins));
        assert_eq!(tree.nodes().len() as u64, size.nodes());
    }
}

#[test]
fn kuhn_poker_for_three_has_its_twelve_decisions_and_nothing_is_joined() {
    let tree = tree(&kuhn(), "every 1+: min");
    // Four cards in each are the 48 information sets of the literature (Szafron, Gibson,
    // Sturtevant 2013).
    assert_eq!(tree.size().decisions, [12, 0, 0, 0]);
    assert_eq!(tree.size().joins, 0);
}

#[test]
fn places_that_are_joined_have_the_same_players_to_come_and_about_the_same_depth() {
    let tree = tree(&holdem(4, 10_000), MENU);
    let mut joined = 0;
    for node in 0..tree.nodes().len() as u32 {
        let target = tree.target(node);
        let (state, like) = (tree.state_at(node), tree.state_at(target));
        assert_eq!(tree.chips(node), state.committed().as_slice());
        assert_eq!(tree.left(node), state.remaining());
        if target == node {
            continue;
        }
        joined += 1;
        assert_eq!(tree.target(target), target);
        assert_eq!(state.street(), like.street());
        assert_eq!(state.remaining().len(), like.remaining().len());
        assert_eq!(state.able().len(), like.able().len());
        let (Turn::Act(one), Turn::Act(other)) = (state.turn(), like.turn()) else {
            panic!("an end is joined")
        };
        let depth = |state: &PublicState, seat| {
            f64::from(state.effective_stack(seat).max(1)) / state.pot() as f64
        };
        let ratio = depth(&state, one) / depth(&like, other);
        assert!((0.6..1.67).contains(&ratio) || depth(&state, one) < 0.1, "{ratio}");
    }
    assert!(joined > 1_000, "{joined}");
}

#[test]
fn stacks_must_be_equal_with_more_than_two_players() {
    let usual = holdem(3, 2_000);
    let spec = GameSpec { stacks: vec![2_000, 2_000, 1_999], ..usual.spec().clone() };
    let def = Arc::new(GameDef::new(spec).expect("a game"));
    let menu: BetMenu = MENU.parse().expect("a menu");
    let error = BettingTree::new(&def, &menu, 1 << 20).expect_err("no tree");
    assert!(error.to_string().contains("equal stacks"), "{error}");
}

/// Plays a hand by the points of the menu's actions, or of all legal ones.
fn play(
    def: &Arc<GameDef>,
    menu: Option<&BetMenu>,
    points: &[f64],
    mut visit: impl FnMut(&PublicState),
) {
    let board = &def.deck()[..5];
    let mut state = PublicState::new(def);
    for &point in points {
        state.deal_from(board).expect("a board");
        let Turn::Act(_) = state.turn() else { return };
        visit(&state);
        let actions: Vec<Action> = match menu {
            Some(menu) => menu.actions(&state).to_vec(),
            None => {
                let raise = state.legal().raise.map(|raise| {
                    let wide = f64::from(raise.max - raise.min);
                    Action::RaiseTo(raise.min + (wide * point.fract().powi(8)) as u32)
                });
                let fold = state.legal().fold.then_some(Action::Fold);
                fold.into_iter().chain([Action::Call]).chain(raise).collect()
            }
        };
        let index = (point * 1000.0).fract() * actions.len() as f64;
        state.apply(actions[index as usize]).expect("a legal action");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_hand_by_the_menu_before_the_flop_is_at_its_own_place(
        points in prop::collection::vec(0.0..1.0f64, 40),
    ) {
        let def = holdem(3, 20_000);
        thread_local!(static TREE: BettingTree = tree(&holdem(3, 20_000), MENU));
        TREE.with(|tree| {
            play(&def, Some(tree.menu()), &points, |state| {
                let places = places(tree, state, 16);
                if state.street().index() > 0 {
                    return;
                }
                let path = state.history().iter().fold(BettingTree::ROOT, |node, played| {
                    tree.child(node, played.action).map(|child| tree.target(child)).expect("one")
                });
                assert_eq!(places.len(), 1, "{places:?}");
                assert_eq!(places[0].node, path);
            });
        });
    }

    #[test]
    fn any_hand_of_three_to_six_is_at_places_with_as_many_players_and_legal_answers(
        players in 3..=6usize,
        stack in 2_000..25_000u32,
        points in prop::collection::vec(0.0..1.0f64, 60),
    ) {
        let def = holdem(players, stack);
        const FEW: &str = "every 1: pot allin\nevery 2+: allin";
        thread_local!(static TREE: BettingTree = tree(&holdem(6, 20_000), FEW));
        TREE.with(|tree| {
            let mut found = HashMap::new();
            play(&def, None, &points, |state| {
                let places = places(tree, state, 16);
                let sum: f64 = places.iter().map(|place| place.probability).sum();
                assert!(places.is_empty() || (sum - 1.0).abs() < 1e-9);
                *found.entry(places.is_empty()).or_insert(0) += 1;
                for place in &places {
                    assert_eq!(tree.left(place.node).len(), state.remaining().len());
                    assert!(matches!(tree.node(place.node).kind, NodeKind::Decision { .. }));
                    for &action in tree.actions(place.node) {
                        assert!(state.legal().allows(place.answer(tree, state, action)));
                    }
                }
            });
            // The first decision of a hand has a place.
            assert!(found.contains_key(&false));
        });
    }
}

#[test]
fn the_first_decision_of_each_street_has_a_place_whatever_was_played_before() {
    let def = holdem(3, 20_000);
    assert_eq!(def.betting, Betting::NoLimit);
    let tree = tree(&def, MENU);
    // Raises that no menu has: ten of them before the flop.
    let mut state = PublicState::new(&def);
    for total in [200, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_100] {
        state.apply(Action::RaiseTo(total)).expect("the smallest");
    }
    state.apply(Action::Call).expect("a call");
    state.apply(Action::Call).expect("a call");
    state.deal_from(&def.deck()[..5]).expect("a board");
    let places = places(&tree, &state, 16);
    assert_eq!(places.len(), 1);
    assert_eq!(tree.street(places[0].node), state.street());
}
