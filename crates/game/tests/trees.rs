//! Whole betting trees, counted: against published numbers and against the slow reading.

use std::sync::Arc;

use game::{Action, Betting, GameDef, GameSpec, PublicState, Turn, games};

use crate::naive;

/// Node counts of a betting tree, without cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct TreeCounts {
    /// Decision nodes on each street.
    decisions: [u64; 4],
    /// Terminal nodes at which all but one have folded.
    folds: u64,
    /// Terminal nodes with a showdown, run-outs included.
    showdowns: u64,
}

/// Counts the betting tree of a game, with a branch for every raise size.
///
/// Takes time in proportion to the tree: meant for limit games and small stacks.
fn count(def: &Arc<GameDef>) -> TreeCounts {
    // The betting does not depend on the board, so any cards will do.
    let deck = def.deck();
    let board = &deck[..def.full_board_len()];
    let mut counts = TreeCounts::default();
    walk(PublicState::new(def), board, &mut counts);
    counts
}

fn walk(mut state: PublicState, board: &[cards::Card], counts: &mut TreeCounts) {
    state.deal_from(board).expect("the board is as long as the game's");
    match state.turn() {
        Turn::Over if state.is_showdown() => counts.showdowns += 1,
        Turn::Over => counts.folds += 1,
        Turn::Deal(_) => unreachable!("everything due has been dealt"),
        Turn::Act(_) => {
            counts.decisions[state.street().index()] += 1;
            for action in state.legal().all() {
                let mut next = state.clone();
                next.apply_unchecked(action);
                walk(next, board, counts);
            }
        }
    }
}

#[test]
fn heads_up_limit_holdem_has_the_known_tree() {
    let counts = count(&Arc::new(games::limit_holdem()));
    let known = TreeCounts { decisions: [8, 70, 630, 5_670], folds: 5_103, showdowns: 5_103 };
    assert_eq!(counts, known);
    assert_eq!(counts.decisions.iter().sum::<u64>(), 6_378);
}

#[test]
fn kuhn_and_leduc_have_the_trees_one_can_draw_by_hand() {
    // Kuhn: nothing, c, r, cr act; rf, crf fold; cc, rc, crc show.
    let kuhn = TreeCounts { decisions: [4, 0, 0, 0], folds: 2, showdowns: 3 };
    assert_eq!(count(&Arc::new(games::kuhn())), kuhn);
    // Leduc, on one street: nothing, c, r, cr, rr, crr act; rf, crf, rrf, crrf fold; cc, rc, crc,
    // rrc, crrc end the street. Each of the five endings is followed by a second street.
    let leduc = TreeCounts { decisions: [6, 5 * 6, 0, 0], folds: 4 + 5 * 4, showdowns: 5 * 5 };
    assert_eq!(count(&Arc::new(games::leduc())), leduc);
}

/// Counts the tree of the slow reading, replaying every history from its start.
fn naive_count(spec: &GameSpec) -> TreeCounts {
    fn walk(spec: &GameSpec, actions: &mut Vec<Action>, counts: &mut TreeCounts) {
        let table = naive::replay(spec, actions);
        if table.to_act().is_none() {
            if table.all_but_one_folded() {
                counts.folds += 1;
            } else {
                counts.showdowns += 1;
            }
            return;
        }
        counts.decisions[table.street] += 1;
        let options = table.options(spec);
        let raises = options.raise.into_iter().flat_map(|(min, max)| min..=max);
        let fold = options.fold.then_some(Action::Fold);
        for action in fold.into_iter().chain([Action::Call]).chain(raises.map(Action::RaiseTo)) {
            actions.push(action);
            walk(spec, actions, counts);
            actions.pop();
        }
    }
    let mut counts = TreeCounts::default();
    walk(spec, &mut Vec::new(), &mut counts);
    counts
}

/// A no-limit game of full-deck cards with blinds of 1 and 2 (heads-up reversed).
fn no_limit(stacks: &[u32], streets: usize) -> GameSpec {
    let whole = games::nolimit_holdem_with(vec![20_000; stacks.len()]);
    let blinds = whole.blinds.iter().map(|&blind| blind / 50).collect();
    GameSpec {
        streets,
        stacks: stacks.to_vec(),
        blinds,
        first_to_act: whole.first_to_act[..streets].to_vec(),
        max_raises: whole.max_raises[..streets].to_vec(),
        board_cards: whole.board_cards[..streets].to_vec(),
        ..whole.spec().clone()
    }
}

#[test]
fn small_trees_have_the_counts_of_the_slow_reading() {
    let limit = |spec: GameSpec, raise_sizes: &[u32], cap: u32| GameSpec {
        betting: Betting::Limit,
        raise_sizes: raise_sizes.to_vec(),
        max_raises: vec![cap; spec.streets],
        ..spec
    };
    let mut ante_game = no_limit(&[5, 6, 4], 2);
    ante_game.blinds = vec![1, 1, 1];
    ante_game.first_to_act = vec![1, 2];
    let mut no_blinds = no_limit(&[4, 5], 3);
    no_blinds.blinds = vec![0, 0];
    let games = [
        no_limit(&[2, 2], 4),
        no_limit(&[6, 6], 4),
        no_limit(&[9, 7], 4),
        no_limit(&[7, 9], 4),
        no_limit(&[12, 12], 3),
        no_limit(&[14, 3], 2),
        no_limit(&[4, 4, 4], 3),
        no_limit(&[3, 5, 7], 2),
        no_limit(&[7, 5, 3], 3),
        no_limit(&[1, 6, 5], 3),
        no_limit(&[6, 2, 6], 3),
        no_limit(&[4, 3, 5, 2], 2),
        limit(no_limit(&[100, 100, 100], 2), &[2, 4], 2),
        limit(no_limit(&[7, 9, 5], 3), &[2, 2, 4], 3),
        limit(no_limit(&[30, 4], 4), &[2, 2, 4, 4], 4),
        ante_game,
        no_blinds,
    ];
    for spec in games {
        let def = Arc::new(GameDef::new(spec).expect("valid"));
        let counts = count(&def);
        assert!(counts.decisions[0] > 0 || counts.showdowns == 1);
        assert_eq!(counts, naive_count(&def), "{:?}", def.spec());
    }
}
