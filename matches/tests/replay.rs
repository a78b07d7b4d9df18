//! A recorded match played again: what agrees, and what is found where it does not.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agents::{AgentChoice, Cost};
use game::{GameDef, games};
use logs::{LedgerReader, Provenance};
use matches::external::registry;
use matches::plan::MatchPlan;
use matches::play;
use matches::replay::{Compared, Settings, replay};
use matches::runner::Level;
use matches::runner::Stop;

use crate::panicking::{METHODS, panicking};

fn play_match(def: GameDef, agents: &[&str], hands: u64, folder: &Path) {
    let registry = registry();
    let resolve = |name: &&str| registry.resolve(name).expect("an agent");
    play_choices(def, agents.iter().map(resolve).collect(), hands, folder);
}

fn play_choices(def: GameDef, entrants: Vec<AgentChoice>, hands: u64, folder: &Path) {
    let plan = MatchPlan {
        def: Arc::new(def),
        game_name: "test".into(),
        entrants,
        given_names: Vec::new(),
        hands,
        seed: 42,
        duplicate: true,
        shard: None,
        deadline: None,
        rule: None,
    };
    let settings = play::Settings {
        level: Level::Decisions,
        folder: folder.to_path_buf(),
        jobs: 2,
        provenance: Provenance::default(),
    };
    play::play(&plan, &settings, &Stop::new(), &mut |_| {}).expect("a match");
}

fn again(folder: &Path, agents: &[Option<&str>], hands: std::ops::Range<u64>) -> Compared {
    let registry = registry();
    let choice = |name: &Option<&str>| name.map(|name| registry.resolve(name).expect("an agent"));
    let settings =
        Settings { agents: agents.iter().map(choice).collect(), hands, deadline: None, jobs: 2 };
    let ledger = LedgerReader::open(folder).expect("a ledger");
    replay(ledger, &settings, &Stop::new(), &mut |_| {}).expect("a comparison")
}

fn edit(folder: &Path, sql: &str) {
    let path = folder.join(logs::ledger::FILE_NAME);
    rusqlite::Connection::open(path).expect("a database").execute_batch(sql).expect("an edit");
}

#[test]
fn a_match_agrees_with_its_record_whatever_the_game() {
    for (def, agents) in [
        (games::nolimit_holdem(), vec!["random", "equity"]),
        (games::limit_holdem(), vec!["random", "random"]),
        (games::nolimit_holdem_with(vec![2000; 3]), vec!["random", "call", "random"]),
        (games::kuhn(), vec!["random", "random"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        play_match(def, &agents, 600, folder.path());
        let asked: Vec<_> = agents.iter().map(|&name| Some(name)).collect();
        let compared = again(folder.path(), &asked, 0..u64::MAX);
        assert!(compared.agrees() && compared.complete, "{compared:?}");
        assert_eq!((compared.hands, compared.deals_that_differ), (600, 0));
        assert!(compared.decisions() > 600, "{compared:?}");
        let some = again(folder.path(), &asked, 300..310);
        assert!(some.agrees() && some.hands == 10, "{some:?}");
    }
}

#[test]
fn a_panic_in_any_method_is_one_decision_that_differs() {
    let folder = tempfile::tempdir().expect("a folder");
    let call = registry().resolve("call").expect("an agent");
    let entrants = vec![panicking("none", Cost::Inline), call];
    play_choices(games::nolimit_holdem(), entrants, 40, folder.path());
    for cost in [Cost::Inline, Cost::Worker] {
        for method in METHODS {
            let settings = Settings {
                agents: vec![Some(panicking(method, cost)), None],
                hands: 0..u64::MAX,
                deadline: None,
                jobs: 1,
            };
            let ledger = LedgerReader::open(folder.path()).expect("a ledger");
            let compared = replay(ledger, &settings, &Stop::new(), &mut |_| {});
            let compared = compared.unwrap_or_else(|error| panic!("{method}: {error}"));
            assert!(compared.complete && compared.hands == 40, "{method}: {compared:?}");
            let lost = u64::from(method != "drop");
            assert_eq!(compared.entrants[0].differ, lost, "{method}, {cost:?}: {compared:?}");
        }
    }
}

#[test]
fn another_agent_is_found_where_it_first_decides_otherwise() {
    let folder = tempfile::tempdir().expect("a folder");
    play_match(games::nolimit_holdem(), &["random", "call"], 600, folder.path());
    let compared = again(folder.path(), &[Some("random"), Some("fold")], 0..u64::MAX);
    assert!(!compared.agrees());
    assert_eq!(compared.entrants[0].differ, 0, "{compared:?}");
    // It folds wherever it may, and checks as the other does where it may not.
    assert!(compared.entrants[1].differ > 100, "{compared:?}");
    let first = compared.first.expect("a difference");
    assert_eq!((first.what, first.recorded.as_str(), first.now.as_str()), ("action", "c", "f"));
    let ledger = LedgerReader::open(folder.path()).expect("a ledger");
    let record = ledger.hand(first.hand).expect("readable").expect("there");
    let index = first.decision.expect("a decision") as usize;
    assert_eq!(record.public.history()[index].action, game::Action::Call);
    let taken = again(folder.path(), &[Some("random"), None], 0..u64::MAX);
    assert!(taken.agrees() && taken.entrants[1].compared == 0, "{taken:?}");
    assert_eq!(taken.entrants[1].taken_over, compared.entrants[1].compared);
}

#[test]
fn hands_with_other_cards_or_seats_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let agents = ["call", "call"];
    play_match(games::kuhn(), &agents, 40, folder.path());
    let asked = agents.map(Some);
    assert!(again(folder.path(), &asked, 0..u64::MAX).agrees());
    // Who calls all along wins by the cards: turned round it is a hand that could have been.
    edit(
        folder.path(),
        "UPDATE hands SET cards = substr(cards, 4) || '|' || substr(cards, 1, 2), \
         payoff_0 = -payoff_0, payoff_1 = -payoff_1 WHERE hand IN (7, 9)",
    );
    let compared = again(folder.path(), &asked, 0..u64::MAX);
    let first = compared.first.clone().expect("a difference");
    assert_eq!((first.hand, first.what, first.decision), (7, "deal", None));
    assert_eq!((compared.deals_that_differ, compared.hands_that_differ), (2, 2), "{compared:?}");
    assert!(first.recorded.starts_with("deal 3, ") && first.recorded != first.now, "{first:?}");
    edit(folder.path(), "UPDATE hands SET entrant_0 = 1, entrant_1 = 0 WHERE hand = 2");
    let first = again(folder.path(), &asked, 0..u64::MAX).first.expect("a difference");
    assert_eq!((first.hand, first.what), (2, "line-up"));
}

#[test]
fn a_strategy_that_was_recorded_is_compared_too() {
    let folder = tempfile::tempdir().expect("a folder");
    play_match(games::nolimit_holdem(), &["oct:play=sample", "call"], 40, folder.path());
    let asked = [Some("oct:play=sample"), Some("call")];
    assert!(again(folder.path(), &asked, 0..u64::MAX).agrees());
    edit(
        folder.path(),
        "UPDATE decisions SET lines = replace(lines, '\"strategy\":[[\"f\",', \
         '\"strategy\":[[\"f\",1')",
    );
    let first = again(folder.path(), &asked, 0..u64::MAX).first;
    assert!(first.is_some_and(|first| first.what == "strategy"));
}

#[test]
fn a_replay_that_is_asked_to_stop_says_that_it_is_not_complete() {
    let folder = tempfile::tempdir().expect("a folder");
    play_match(games::kuhn(), &["random", "random"], 6000, folder.path());
    let registry = registry();
    let agents = vec![Some(registry.resolve("random").expect("an agent")); 2];
    let settings = Settings { agents, hands: 0..u64::MAX, deadline: None, jobs: 1 };
    let stop = Stop::new();
    stop.ask();
    let told = AtomicBool::new(false);
    let ledger = LedgerReader::open(folder.path()).expect("a ledger");
    let compared = replay(ledger, &settings, &stop, &mut |_| told.store(true, Ordering::Relaxed));
    let compared = compared.expect("a comparison");
    assert!(!compared.complete && compared.hands == 0, "{compared:?}");
}
