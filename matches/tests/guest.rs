//! A guest at a table: its hands are those that an agent with the same play has, and it sees no
//! more than one.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use game::{Action, games};
use logs::{HandRecord, LedgerReader, Provenance};
use matches::external::registry;
use matches::guest::{GuestPlan, GuestTable, GuestTurn, Refused};
use matches::plan::MatchPlan;
use matches::play::{Settings, play};
use matches::runner::{Level, Stop};

const TIMEOUT: Duration = Duration::from_secs(60);

fn table(folder: &Path, agent: &str, hands: u64) -> GuestTable {
    let plan = GuestPlan {
        name: "m".into(),
        def: Arc::new(games::nolimit_holdem()),
        game_name: "test".into(),
        guest: "guest".into(),
        agent: registry().resolve(agent).expect("an agent"),
        hands,
        seed: 42,
        deadline: Duration::from_secs(10),
        folder: folder.to_path_buf(),
        provenance: Provenance::default(),
    };
    GuestTable::begin(plan).expect("a table")
}

fn records(folder: &Path) -> Vec<HandRecord> {
    let ledger = LedgerReader::open(folder).expect("a ledger");
    ledger.hands().collect::<Result<_, _>>().expect("hands")
}

#[test]
fn a_guest_that_calls_has_the_hands_of_an_agent_that_calls() {
    // More than a block, after which agents forget.
    let hands = 300;
    let [by_guest, by_agent] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let table = table(by_guest.path(), "equity", hands);
    let mut view = table.view(TIMEOUT).expect("a turn");
    while let Some(turn) = view.turn() {
        let (_, infoset) = view.hand.as_ref().expect("a hand");
        assert!(infoset.to_act());
        view = table.act(turn, Action::Call, TIMEOUT).expect("it is legal");
    }
    assert_eq!(view.finished, hands);
    let registry = registry();
    let plan = MatchPlan {
        def: Arc::new(games::nolimit_holdem()),
        game_name: "test".into(),
        entrants: ["call", "equity"].map(|name| registry.resolve(name).expect("an agent")).into(),
        given_names: Vec::new(),
        hands,
        seed: 42,
        duplicate: false,
        shard: None,
        deadline: None,
        rule: None,
    };
    let settings = Settings {
        level: Level::Decisions,
        folder: by_agent.path().to_path_buf(),
        jobs: 1,
        provenance: Provenance::default(),
    };
    let played = play(&plan, &settings, &Stop::new(), &mut |_| {}).expect("a match");
    assert_eq!(view.won, played.outcome.tally.totals()[0]);
    let [guest, agent] = [records(by_guest.path()), records(by_agent.path())];
    assert_eq!(guest.len(), agent.len());
    for (guest, agent) in guest.iter().zip(&agent) {
        assert_eq!(guest.hole, agent.hole);
        assert_eq!(guest.public.history(), agent.public.history());
        assert_eq!(guest.payoffs, agent.payoffs);
    }
}

#[test]
fn what_is_refused_changes_nothing_and_a_hand_that_is_left_is_not_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = table(folder.path(), "call", 5);
    let mut view = table.view(TIMEOUT).expect("a turn");
    while view.finished < 2 {
        let turn = view.turn().expect("a turn");
        let other = GuestTurn { actions: turn.actions + 1, ..turn };
        let stale = table.act(other, Action::Call, TIMEOUT);
        assert!(matches!(stale, Err(Refused::Stale(now)) if now.turn() == Some(turn)));
        let illegal = table.act(turn, Action::RaiseTo(20_001), TIMEOUT);
        assert!(matches!(illegal, Err(Refused::Illegal(legal)) if legal.raise.is_some()));
        let now = table.view(TIMEOUT).expect("a turn");
        assert_eq!(now.turn(), Some(turn));
        view = table.act(turn, Action::Call, TIMEOUT).expect("it is legal");
    }
    let shown = &view.last.as_ref().expect("a hand").shown;
    assert!(shown.iter().all(|(_, hole)| !hole.is_empty()), "both were shown at the showdown");
    drop(table);
    assert_eq!(records(folder.path()).len(), 2);

    let folder = tempfile::tempdir().expect("a folder");
    let table = self::table(folder.path(), "raise", 1);
    let turn = table.view(TIMEOUT).expect("a turn").turn().expect("a turn");
    let view = table.act(turn, Action::Fold, TIMEOUT).expect("it is legal");
    let last = view.last.expect("a hand");
    assert_eq!(last.shown.iter().filter(|(_, hole)| !hole.is_empty()).count(), 1);
    assert!(!last.shown[last.seat].is_empty() && view.hand.is_none());
    let over = table.act(turn, Action::Call, TIMEOUT);
    assert!(matches!(over, Err(Refused::Ended(_))));
}
