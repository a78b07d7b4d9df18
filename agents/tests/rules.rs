//! The agent `rules`: what its list does on the river, counted a second way, and that it is the
//! other agent elsewhere.

use std::sync::Arc;

use agents::Registry;
use cards::{Board, Combo, HandRank, HoleCards, evaluate};
use game::{Action, GameDef, PublicState, Strategy, Turn, games};

use crate::table::{agent, ask, choice, context, infoset, policy};

const BOARD: &str = "2c7d9hJsKd";
const QUIET: &str = "cc/cc/cc/";

/// Each hand that can be held on a board with its share of the others beaten, by comparing every
/// two.
fn beaten(board: &str) -> Vec<(Combo, f64)> {
    let board: Board = board.parse().expect("a board");
    let free = |combo: &Combo| !combo.set().intersects(board.set());
    let rank = |combo: Combo| (combo, evaluate(combo.set() | board.set()));
    let ranked: Vec<(Combo, HandRank)> = Combo::all().filter(free).map(rank).collect();
    let share = |&(combo, rank): &(Combo, HandRank)| {
        let others = ranked.iter().filter(|(other, _)| !other.set().intersects(combo.set()));
        let halves = others.map(|(_, other)| rank.cmp(other) as i32 + 1).sum::<i32>();
        (combo, f64::from(halves) / 1980.0)
    };
    ranked.iter().map(share).collect()
}

/// The strategy of an agent with each hand where somebody is to act, beside the share that the hand
/// beats.
fn plays(name: &str, def: &Arc<GameDef>, betting: &str, board: &str) -> Vec<(f64, Strategy)> {
    let public: PublicState = infoset(def, betting, "AsAh", board).public;
    let Turn::Act(seat) = public.turn() else { panic!("somebody acts") };
    let policy = policy(name, def);
    let hands = beaten(board);
    let holes: Vec<HoleCards> =
        hands.iter().map(|(combo, _)| HoleCards::new(&combo.cards()).expect("two")).collect();
    let mut plays = Vec::new();
    policy.strategies(&public, seat, &holes, &mut |number, strategy| {
        plays.push((hands[number].1, strategy.clone()));
    });
    assert_eq!(plays.len(), 1081);
    plays
}

/// The number of hands that bet so much with a hand from `from` on, and how many with one below
/// `bluffs`.
fn masses(plays: &[(f64, Strategy)], total: u32, bluffs: f64) -> (f64, f64) {
    let (mut value, mut bluffed) = (0.0, 0.0);
    for (beats, strategy) in plays {
        let p = strategy.probability(Action::RaiseTo(total));
        *(if *beats < bluffs { &mut bluffed } else { &mut value }) += p;
    }
    (value, bluffed)
}

#[test]
fn it_bets_by_the_line_of_the_hand_checks_between_and_says_so() {
    use Action::{Call, Fold, RaiseTo};
    let def = Arc::new(games::nolimit_holdem());
    // The pot is 200 and 100 are put in: 1.7, 0.8 and 0.3 pots are totals of 440, 260 and 160, but
    // 200 is the least.
    let bet = "when beating at least";
    let cases: &[(&str, &str, Action, &str)] = &[
        // The best straight: ties with the 9 others of its kind.
        (
            "QhTh",
            "",
            RaiseTo(440),
            &format!("beats 99.5 % of hands, value bet: bet 1.7 {bet} 98 %"),
        ),
        // Three kings lose to 32 of 990 hands: the straights of QT and T8.
        (
            "KhKs",
            "",
            RaiseTo(260),
            &format!("beats 96.8 % of hands, value bet: bet 0.8 {bet} 90 %"),
        ),
        ("KhKs", "c", RaiseTo(260), "beats 96.8 % of hands, value bet: bet 0.8"),
        ("9c8c", "", Call, "checks: else check"),
        ("3s4s", "", RaiseTo(440), "bluffs: bluff the worst hands b/(1+b) as often"),
        ("KhKs", "r200", Call, "calls against a bet of 0.50 pots: call with the best 0.8/(1+b)"),
        ("3s4s", "r200", Fold, "folds against a bet of 0.50 pots: call with the best 0.8/(1+b)"),
    ];
    for &(hole, betting, expected, note) in cases {
        let situation = infoset(&def, &format!("{QUIET}{betting}"), hole, BOARD);
        let decision = ask("rules", &situation);
        assert_eq!(decision.action, expected, "{hole} after `{betting}`: {:?}", decision.note);
        let said = decision.note.expect("a note");
        assert!(said.contains(note), "{hole} after `{betting}`: {said}");
    }
}

#[test]
fn bluffs_are_the_worst_hands_and_in_the_ratio_of_each_size_over_the_whole_range() {
    let def = Arc::new(games::nolimit_holdem());
    for board in [BOARD, "2s3s4s9dKh", "AcAdAhKsKh"] {
        let plays = plays("rules:fallback=call", &def, QUIET, board);
        // Totals of the sizes, and what they are of the pot once they are legal.
        let sizes = [(440, 1.7), (260, 0.8), (200, 0.5)];
        for (total, size) in sizes {
            let (value, bluffs) = masses(&plays, total, 0.73 - 1e-9);
            let ratio = size / (1.0 + size);
            assert!((bluffs - ratio * value).abs() < 1e-9, "{board}: {total}: {bluffs} of {value}");
        }
        // One after the other in the order of what they beat, the hands bluff less, and smaller.
        let mut hands: Vec<&(f64, Strategy)> =
            plays.iter().filter(|(beats, _)| *beats < 0.73 - 1e-9).collect();
        hands.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let mean = |strategy: &Strategy| -> f64 {
            sizes
                .iter()
                .map(|&(total, size)| size * strategy.probability(Action::RaiseTo(total)))
                .sum()
        };
        assert!(hands.is_sorted_by(|(_, a), (_, b)| mean(a) >= mean(b) - 1e-12), "{board}");
    }
}

#[test]
fn sizes_are_made_legal_and_bluffed_as_what_they_became() {
    // 1.7 pots of 200 are more than the 200 chips that are left, whoever has the short stack.
    for stacks in [vec![300, 300], vec![20_000, 300], vec![300, 20_000]] {
        let def = Arc::new(games::nolimit_holdem_with(stacks));
        for betting in [QUIET.to_owned(), format!("{QUIET}c")] {
            let plays = plays("rules:fallback=call", &def, &betting, BOARD);
            for (total, size) in [(300, 1.0), (260, 0.8), (200, 0.5)] {
                let (value, bluffs) = masses(&plays, total, 0.73 - 1e-9);
                assert!(value > 0.0);
                assert!((bluffs - size / (1.0 + size) * value).abs() < 1e-9, "{total}");
            }
        }
    }
}

#[test]
fn it_calls_with_its_share_of_all_hands_the_best_of_them() {
    let def = Arc::new(games::nolimit_holdem());
    for (total, bet) in [(200, 0.5), (300, 1.0), (500, 2.0)] {
        let mut plays = plays("rules:fallback=fold", &def, &format!("{QUIET}r{total}"), BOARD);
        plays.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let calls: Vec<f64> = plays.iter().map(|(_, s)| s.probability(Action::Call)).collect();
        let share = calls.iter().sum::<f64>() / 1081.0;
        assert!((share - 0.8 / (1.0 + bet)).abs() < 1e-9, "{total}: {share}");
        assert!(calls.is_sorted_by(|a, b| a <= b));
        // What is neither called nor folded is of one kind: all beat the same.
        let mixed: Vec<f64> =
            plays.iter().filter(|(_, s)| s.actions.len() == 2).map(|&(beats, _)| beats).collect();
        assert!(mixed.iter().all(|beats| (beats - mixed[0]).abs() < 1e-12), "{mixed:?}");
    }
}

#[test]
fn a_bet_beyond_ones_stack_is_called_for_what_is_left_of_it() {
    // 900 more are bet, and the caller has 200: the pot of 200 is bet.
    let def = Arc::new(games::nolimit_holdem_with(vec![1_000, 300]));
    let plays = plays("rules:fallback=fold", &def, &format!("{QUIET}r1000"), BOARD);
    let calls: f64 = plays.iter().map(|(_, s)| s.probability(Action::Call)).sum();
    assert!((calls / 1081.0 - 0.4).abs() < 1e-9, "{calls}");
}

#[test]
fn elsewhere_each_decision_is_the_other_agents() {
    let nolimit = Arc::new(games::nolimit_holdem());
    let three = Arc::new(games::nolimit_holdem_with(vec![20_000; 3]));
    let limit = Arc::new(games::limit_holdem());
    let leduc = Arc::new(games::leduc());
    let cases = [
        (&nolimit, "", "AsAh", ""),
        (&nolimit, "r300", "7s2h", ""),
        (&nolimit, "cc/", "AsAh", "2c7d9h"),
        (&nolimit, "cc/cc/r200", "QhTh", "2c7d9hJs"),
        // Raised after a bet of its own, and reraised.
        (&nolimit, "cc/cc/cc/r200r600", "QhTh", BOARD),
        (&nolimit, "cc/cc/cc/r200r600r1800", "3s4s", BOARD),
        (&three, "ccc/ccc/ccc/", "QhTh", BOARD),
        (&limit, "cc/cc/cc/", "QhTh", BOARD),
        (&leduc, "cc/", "Ks", "Qs"),
    ];
    for (def, betting, hole, board) in cases {
        let situation = infoset(def, betting, hole, board);
        for other in ["equity", "random"] {
            let rules = ask(&format!("rules:fallback={other}"), &situation);
            // The same, marked as another's, which its note names.
            let mut theirs = ask(other, &situation);
            let note = theirs.note.map_or_else(String::new, |note| format!(": {note}"));
            theirs.note = Some(format!("left to {other}{note}"));
            theirs.beyond_model = true;
            assert_eq!(rules, theirs, "`{betting}` {other}");
        }
    }
}

#[test]
fn a_policy_plays_as_the_agent_and_is_there_where_the_other_has_one() {
    let def = Arc::new(games::nolimit_holdem());
    for betting in ["", "cc/cc/cc/", "cc/cc/cc/c", "cc/cc/cc/r300", "cc/cc/cc/r300r900"] {
        let board = if betting.is_empty() { "" } else { BOARD };
        let situation = infoset(&def, betting, "9c8c", board);
        let policy = policy("rules", &def);
        let decision = ask("rules", &situation);
        assert_eq!(Some(policy.strategy(&situation)), decision.strategy, "`{betting}`");
    }
    assert!(!choice("rules:fallback=exploiter").has_policy());
}

#[test]
fn a_file_has_its_own_rules_and_what_they_leave_out_is_the_other_agents() {
    let def = Arc::new(games::nolimit_holdem());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("shove.rules");
    std::fs::write(&path, "bet all-in when beating at least 96 %\nelse check\n").expect("a file");
    let named = Registry::standard()
        .resolve_in("rules:model=shove.rules,fallback=fold", folder.path())
        .expect("a list");
    assert_eq!(named.files(), [path]);
    assert!(named.about().contains("bet all-in when beating at least 96 %"), "{}", named.about());
    let mut agent = named.build(&def).expect("it plays");
    let mut act = |betting: &str, hole: &str| {
        agent.act(&infoset(&def, &format!("{QUIET}{betting}"), hole, BOARD), &mut context(1)).action
    };
    assert_eq!(act("", "KhKs"), Action::RaiseTo(20_000));
    assert_eq!(act("", "3s4s"), Action::Call, "it never bluffs");
    assert_eq!(act("r200", "KhKs"), Action::Fold, "nothing is said of calling");
}

#[test]
fn ranges_of_an_agent_that_plays_all_hands_alike_change_nothing() {
    let def = Arc::new(games::nolimit_holdem());
    for betting in [QUIET.to_owned(), "r300c/cr600c/r1200c/r1500".to_owned()] {
        let any = plays("rules:fallback=call", &def, &betting, BOARD);
        let random = plays("rules:fallback=call,ranges=random", &def, &betting, BOARD);
        for ((beats, a), (_, b)) in any.iter().zip(&random) {
            for &(action, p) in &a.actions {
                assert!((b.probability(action) - p).abs() < 1e-9, "{beats}: {a:?}, {b:?}");
            }
        }
    }
}

#[test]
fn ranges_of_an_agent_weigh_both_players_hands_by_what_it_would_have_done() {
    let def = Arc::new(games::nolimit_holdem());
    // Seat 0 checks the turn and calls there; then it bets half the pot, and seat 1 is asked.
    let betting = "cc/cc/cr200c/r400";
    let policy = policy("equity:mix=1", &def);
    let kind = |strategy: &Strategy, raise: bool| -> f64 {
        let of_kind = |action: &Action| match action {
            Action::RaiseTo(_) => raise,
            Action::Call => !raise,
            Action::Fold => false,
        };
        strategy.actions.iter().filter(|(action, _)| of_kind(action)).map(|&(_, p)| p).sum()
    };
    // Decisions of each seat before the river: the betting before them, the board, and whether it
    // raised.
    let (flop, turn) = ("2c7d9h", "2c7d9hJs");
    let decisions: [&[(&str, &str, bool)]; 2] = [
        &[
            ("c", "", false),
            ("cc/", flop, false),
            ("cc/cc/", turn, false),
            ("cc/cc/cr200", turn, false),
        ],
        &[("", "", false), ("cc/c", flop, false), ("cc/cc/c", turn, true)],
    ];
    let hands = beaten(BOARD);
    let reach = |seat: usize, combo: Combo| -> f64 {
        let hole = HoleCards::new(&combo.cards()).expect("two");
        let did = decisions[seat].iter().map(|&(betting, board, raise)| {
            let mut seen = infoset(&def, betting, "", board);
            seen.hole = hole;
            kind(&policy.strategy(&seen), raise).max(0.01)
        });
        did.product()
    };
    let own: Vec<f64> = hands.iter().map(|&(combo, _)| reach(1, combo)).collect();
    let theirs: Vec<f64> = hands.iter().map(|&(combo, _)| reach(0, combo)).collect();
    let board: Board = BOARD.parse().expect("a board");
    let ranks: Vec<HandRank> =
        hands.iter().map(|(combo, _)| evaluate(combo.set() | board.set())).collect();
    let plays = plays("rules:fallback=fold,ranges=equity:mix=1", &def, betting, BOARD);
    let mut called = Vec::new();
    for (at, &(combo, _)) in hands.iter().enumerate() {
        let (mut won, mut all) = (0.0, 0.0);
        for (other, &(held, _)) in hands.iter().enumerate() {
            if !held.set().intersects(combo.set()) {
                all += theirs[other];
                won += theirs[other] * f64::from(ranks[at].cmp(&ranks[other]) as i32 + 1) / 2.0;
            }
        }
        called.push((won / all, own[at], plays[at].1.probability(Action::Call)));
    }
    // A bet of 200 into 400: it calls with 0.8/1.5 of what it may hold, the best of it.
    let mass: f64 = called.iter().map(|(_, weight, p)| weight * p).sum();
    let share = mass / own.iter().sum::<f64>();
    assert!((share - 0.8 / 1.5).abs() < 1e-9, "{share}");
    called.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    assert!(called.is_sorted_by(|(a, _, p), (b, _, q)| p <= q || (a - b).abs() < 1e-9));
    // And that is another share of all hands, for it raised with some rather than with others.
    let alike = called.iter().map(|(.., p)| p).sum::<f64>() / 1081.0;
    assert!((alike - 0.8 / 1.5).abs() > 0.02, "{alike}");
}

#[test]
fn files_that_are_no_rules_are_refused_with_their_place() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cases = [
        ("", "are.rules: there are no rules"),
        ("bet 1 when beating at least 85 %\n", "are.rules: line 2: the bets before it need a line"),
        ("else check\nbet lots", "are.rules: line 2, `bet lots`: it must come before `else check`"),
    ];
    for (text, expected) in cases {
        std::fs::write(folder.path().join("are.rules"), text).expect("a file");
        let tried = Registry::standard().resolve_in("rules:model=are.rules", folder.path());
        let error = tried.expect_err(text).to_string();
        assert!(error.contains(expected) && !error.contains('\n'), "{text}: {error}");
    }
    let missing = Registry::standard().resolve("rules:model=nowhere.rules").expect_err("no file");
    assert!(missing.to_string().contains("cannot read nowhere.rules"), "{missing}");
    let learns = Registry::standard().resolve("rules:ranges=exploiter").expect_err("no policy");
    let words = "`ranges` is exploiter, which cannot be asked";
    assert!(learns.to_string().contains(words), "{learns}");
    let other = Registry::standard().resolve("rules:fallback=coll").expect_err("no agent");
    assert!(other.to_string().contains("did you mean `call`?"), "{other}");
}

#[test]
fn where_all_hands_are_equal_all_do_the_same() {
    // A royal flush on the board: each hand beats half of the others, and no line takes it.
    let def = Arc::new(games::nolimit_holdem());
    let mut agent = agent("rules", &def);
    let situation = infoset(&def, QUIET, "2c3d", "TsJsQsKsAs");
    assert_eq!(agent.act(&situation, &mut context(1)).action, Action::Call);
    let situation = infoset(&def, &format!("{QUIET}r300"), "2c3d", "TsJsQsKsAs");
    let strategy = agent.act(&situation, &mut context(1)).strategy.expect("a strategy");
    assert!((strategy.probability(Action::Call) - 0.4).abs() < 1e-9, "{strategy:?}");
}
