//! Betting trees: against the rules replayed one by one, against known counts, and what is refused.

use std::sync::Arc;

use abstraction::betting::{BettingTree, NodeKind, game_hash};
use abstraction::menu::BetMenu;
use cards::Card;
use game::{Action, GameDef, GameSpec, PublicState, Quirks, Street, Turn, games};

use crate::tree;

const MANY: u64 = 1 << 20;

fn nolimit(big_blinds: u32) -> Arc<GameDef> {
    Arc::new(games::nolimit_holdem_with(vec![100 * big_blinds; 2]))
}

/// Plays a state on by the menu, recursively, comparing every node with the tree's.
struct Replay<'a> {
    tree: &'a BettingTree,
    board: Vec<cards::Card>,
    decisions: [u32; 4],
    slots: [u64; 4],
    ends: u64,
}

impl Replay<'_> {
    fn check(&mut self, mut state: PublicState, node: u32) {
        state.deal_from(&self.board).expect("a whole board");
        let committed: Vec<u32> = state.committed().as_slice().to_vec();
        assert_eq!(self.tree.committed(node).to_vec(), committed);
        assert_eq!(self.tree.street(node), state.street());
        let actions = self.tree.actions(node).to_vec();
        match self.tree.node(node).kind {
            NodeKind::Decision { seat, street, index, first_slot } => {
                let street = street as usize;
                assert_eq!(state.turn(), Turn::Act(game::Seat::new(seat.into()).expect("a seat")));
                assert_eq!(street, state.street().index());
                assert_eq!(
                    (index, u64::from(first_slot)),
                    (self.decisions[street], self.slots[street])
                );
                assert_eq!(actions, self.tree.menu().actions(&state).to_vec());
                self.decisions[street] += 1;
                self.slots[street] += actions.len() as u64;
            }
            NodeKind::Showdown => assert!(state.is_showdown() && actions.is_empty()),
            NodeKind::Fold { winner } => {
                assert_eq!(state.turn(), Turn::Over);
                let remaining: Vec<usize> =
                    state.remaining().iter().map(game::Seat::index).collect();
                assert_eq!(remaining, [usize::from(winner)]);
            }
        }
        if actions.is_empty() {
            self.ends += 1;
        }
        let betting = self.tree.betting(node);
        assert_eq!(betting, game::notation::betting(&state));
        for (child, action) in self.tree.node(node).children().zip(actions) {
            assert_eq!(self.tree.child(node, action), Some(child));
            assert_eq!(self.tree.parent(child), Some(node));
            let next = state.clone().play(action).expect("a legal action");
            self.check(next, child);
        }
    }
}

#[test]
fn every_node_is_what_replaying_its_betting_gives() {
    let short = Arc::new(games::nolimit_holdem_with(vec![700, 2_500]));
    let shorter = Arc::new(games::nolimit_holdem_with(vec![2_500, 60]));
    for (def, menu) in [
        (&nolimit(20), "fcpa"),
        (&nolimit(200), "fcpa"),
        (&nolimit(1), "fcpa"),
        (&nolimit(2), "every 1+: min allin"),
        (&short, "fcpa"),
        (&short, "every 1+: min 50% 3%"),
        (&shorter, "fcpa"),
        (&nolimit(200), "fc"),
        (&nolimit(200), "small"),
        (&Arc::new(games::limit_holdem()), "limit"),
        (&Arc::new(games::leduc()), "limit"),
        (&Arc::new(games::kuhn()), "limit"),
    ] {
        let tree = tree(def, menu);
        let deck = def.deck();
        let board = deck[..def.full_board_len()].to_vec();
        let mut replay = Replay { tree: &tree, board, decisions: [0; 4], slots: [0; 4], ends: 0 };
        replay.check(PublicState::new(def), BettingTree::ROOT);
        let size = *tree.size();
        assert_eq!(Street::ALL.map(|street| tree.decisions(street)), replay.decisions, "{menu}");
        assert_eq!(Street::ALL.map(|street| tree.slots(street)), replay.slots, "{menu}");
        assert_eq!(size.folds + size.showdowns, replay.ends, "{menu}");
        assert_eq!(tree.nodes().len() as u64, size.nodes(), "{menu}");
        for street in Street::ALL {
            let mut slots = 0;
            for node in tree.decision_nodes(street) {
                let NodeKind::Decision { first_slot, .. } = tree.node(node).kind else { panic!() };
                assert_eq!((tree.street(node), u64::from(first_slot)), (street, slots));
                slots += tree.actions(node).len() as u64;
            }
            assert_eq!(slots, tree.slots(street));
        }
        assert_eq!(tree.child(BettingTree::ROOT, Action::RaiseTo(1)), None);
    }
}

#[test]
fn information_sets_and_values_are_decisions_and_actions_times_buckets() {
    let size = *tree(&Arc::new(games::leduc()), "limit").size();
    // Six decisions on the first street, with two actions or three: c r, f c r, f c r, f c, f c r,
    // f c.
    assert_eq!(size.decisions, [6, 30, 0, 0]);
    assert_eq!(size.slots[0], 2 + 2 + 3 + 3 + 2 + 2);
    assert_eq!(size.infosets([3, 10, 7, 7]), [18, 300, 0, 0]);
    assert_eq!(size.values([3, 10, 7, 7]), [42, 700, 0, 0]);
    assert_eq!(size.values([u32::MAX; 4])[0], 14 * u128::from(u32::MAX));
}

#[test]
fn a_tree_that_is_too_large_is_refused_with_its_count() {
    let count = |def: &Arc<GameDef>, menu: &str, limit| {
        let tree = BettingTree::new(def, &menu.parse::<BetMenu>().expect("a menu"), limit);
        tree.map(|tree| *tree.size())
    };
    let def = nolimit(200);
    let all = "every 1+: min 50% pot 200% allin";
    let error = count(&def, all, 100_000).expect_err("millions of nodes");
    assert!(error.to_string().contains("more than 100000 nodes (decisions: preflop"), "{error}");
    // Exactly as many as there are is enough.
    let nodes = count(&def, "every 1+: pot allin", MANY).expect("small").nodes();
    assert!(count(&def, "every 1+: pot allin", nodes).is_ok());
    assert!(count(&def, "every 1+: pot allin", nodes - 1).is_err());
    // Raises by the least on stacks without an end.
    let spec =
        GameSpec { max_raises: vec![GameSpec::NO_CAP; 4], ..games::limit_holdem().spec().clone() };
    let endless = Arc::new(GameDef::new(spec).expect("a game"));
    let error = count(&endless, "every 1+: min", u64::MAX).expect_err("no end");
    assert!(error.to_string().contains("can go on for more than 400 actions"), "{error}");
    let three = Arc::new(games::nolimit_holdem_with(vec![20_000; 3]));
    let offered = |state: &PublicState| state.legal().corners().collect();
    let error = BettingTree::from_state(&PublicState::new(&three), &offered, MANY);
    let error = error.expect_err("three players").to_string();
    assert!(error.ends_with("two players, but the game is for 3"), "{error}");
}

/// The state after this betting, and the flop if it is due.
fn after(def: &Arc<GameDef>, betting: &str, flop: &[Card]) -> PublicState {
    let mut state = PublicState::new(def);
    for step in betting.split_whitespace() {
        state.deal_from(flop).expect("no card is due, or the flop");
        let action = match step {
            "f" => Action::Fold,
            "c" => Action::Call,
            raise => Action::RaiseTo(raise.parse().expect("chips")),
        };
        state.apply(action).expect("a legal action");
    }
    state.deal_from(flop).expect("no card is due, or the flop");
    state
}

/// Compares the part of a whole tree below a node with a tree from its state, node for node.
fn same(whole: &BettingTree, at: u32, part: &BettingTree<()>, node: u32, street: Option<Street>) {
    assert_eq!(part.street(node), whole.street(at));
    assert_eq!(part.committed(node), whole.committed(at));
    assert_eq!(part.betting(node), whole.betting(at));
    let later = street.is_some_and(|street| whole.street(at) > street);
    let ended = |kind| match kind {
        NodeKind::Decision { seat, street, .. } => (Some((seat, street)), None),
        NodeKind::Fold { winner } => (None, Some(winner)),
        NodeKind::Showdown => (None, None),
    };
    assert_eq!(ended(part.node(node).kind), ended(whole.node(at).kind));
    if later {
        assert!(part.actions(node).is_empty());
        return;
    }
    assert_eq!(part.actions(node), whole.actions(at));
    for (child, below) in part.node(node).children().zip(whole.node(at).children()) {
        same(whole, below, part, child, street);
    }
}

#[test]
fn a_tree_from_a_state_is_that_part_of_the_whole_tree() {
    let def = nolimit(20);
    let flop: Vec<Card> = ["Ks", "9d", "4c"].map(|card| card.parse().expect("a card")).to_vec();
    let menu: BetMenu = "every 1+: pot allin".parse().expect("a menu");
    let whole = tree(&def, "every 1+: pot allin");
    for betting in ["", "c", "c c", "300 c", "300 c c", "300 c c 900", "2000"] {
        let root = after(&def, betting, &flop);
        let mut at = BettingTree::ROOT;
        for played in root.history() {
            at = whole.child(at, played.action).expect("on the menu");
        }
        let offered = |state: &PublicState| menu.actions(state).to_vec();
        let part = BettingTree::from_state(&root, &offered, MANY).expect(betting);
        same(&whole, at, &part, BettingTree::ROOT, None);
        assert_eq!(part.state_at(BettingTree::ROOT), root);
        let street = BettingTree::of_street(&root, &offered, MANY).expect(betting);
        same(&whole, at, &street, BettingTree::ROOT, Some(root.street()));
        for node in 0..part.nodes().len() as u32 {
            let state = part.state_at(node);
            assert!(state.board().starts_with(&root.board()));
            assert_eq!(game::notation::betting(&state), part.betting(node));
        }
    }
}

#[test]
fn offers_that_break_the_rules_are_refused_with_the_place() {
    let def = nolimit(20);
    let root = after(&def, "c", &[]);
    let refused = |offered: &dyn Fn(&PublicState) -> Vec<Action>| {
        BettingTree::from_state(&root, offered, MANY).expect_err("refused").to_string()
    };
    let nothing = |state: &PublicState| {
        if state.street() == Street::Turn { Vec::new() } else { vec![Action::Call] }
    };
    assert!(refused(&nothing).contains("no action after `cc/cc/`"), "{}", refused(&nothing));
    // It is not asked for what comes after the street.
    assert!(BettingTree::of_street(&root, &nothing, MANY).is_ok());
    let text = refused(&|_| vec![Action::Fold, Action::Call]);
    assert!(text.contains("offers Fold after `c`, which the rules do not allow"), "{text}");
    for raises in [[400, 300], [300, 300]] {
        let text = refused(&|_| raises.map(Action::RaiseTo).to_vec());
        assert!(text.contains("after `c` are not in order"), "{text}");
    }
    let deep = Arc::new(games::nolimit_holdem_with(vec![200_000; 2]));
    let all = |state: &PublicState| state.legal().all().collect();
    let error = BettingTree::from_state(&PublicState::new(&deep), &all, MANY).expect_err("refused");
    assert!(error.to_string().contains("at most 65535 are possible"), "{error}");
}

#[test]
fn hashes_name_the_game_and_the_menu_and_nothing_else() {
    let def = games::nolimit_holdem();
    let quirky = def.with_quirks(Quirks::ORIGINAL);
    assert_eq!(game_hash(&def), game_hash(&quirky));
    let others =
        [games::limit_holdem(), games::leduc(), games::nolimit_holdem_with(vec![10_000; 2])];
    assert!(others.iter().all(|other| game_hash(other) != game_hash(&def)));
    // Written into files: it may never change.
    assert_eq!(game_hash(&def), "aec1c341533b4b3b4e4430259a3e9d6c5f988a49037ae8d0df3c611dd484dbf1");
    let (def, quirky) = (Arc::new(def), Arc::new(quirky));
    let short = |hash: &str| hash[..16].to_owned();
    let hash = tree(&def, "fcpa").hash();
    assert_eq!(hash, tree(&quirky, "every 1+: allin pot").hash());
    assert_ne!(hash, tree(&def, "fc").hash());
    assert_eq!(short(&hash), "2b24a6b46dec8610");
}

/// Half the pot, the pot and all-in for this many raises of a street, all-in after that.
fn capped(sizes: &str, raises: u32) -> String {
    format!("every 1-{raises}: {sizes} allin\nevery {}+: allin\nallin-from: 90%", raises + 1)
}

#[test]
fn trees_of_known_menus_have_the_sizes_that_another_program_found() {
    for (big_blinds, menu, decisions) in [
        (20, capped("pot", 3), [12, 36, 76, 132]),
        (100, capped("pot", 3), [16, 88, 320, 872]),
        (100, capped("50% pot", 2), [28, 364, 2_956, 13_916]),
        (100, capped("50% pot", 3), [60, 980, 6_060, 23_268]),
        (200, capped("50% pot", 3), [60, 1_388, 11_580, 55_532]),
    ] {
        let tree = tree(&nolimit(big_blinds), &menu);
        assert_eq!(tree.size().decisions, decisions, "{big_blinds} big blinds, {menu}");
    }
}
