//! The data that only a run over the Slumbot API has in its ledger.

use std::time::Duration;

use game::{Action, BySeat, GameDef, Payoff, PublicState, State};
use logs::ledger::{HandScore, Known, WebCounts, WebHand, WebSession};
use logs::stats::{Batches, Change, Sums};
use logs::{Entrant, HandRecord, LedgerReader, LedgerWriter, MatchInfo, Provenance};

fn info() -> MatchInfo {
    MatchInfo {
        name: "run".into(),
        game_name: "holdem.nolimit.2p.reverse_blinds".into(),
        hands: 3,
        seed: 1,
        duplicate: false,
        shard: None,
        provenance: Provenance::default(),
        entrants: vec![Entrant::named("ours"), Entrant::named("slumbot")],
        game: game::games::nolimit_holdem(),
    }
}

/// The button folds at once.
fn record(def: &GameDef, hand: u64, entrants: [u8; 2]) -> HandRecord {
    let mut public = PublicState::new(&def.clone().into());
    public.apply(Action::Fold).expect("it is legal");
    let hole = ["AcAd", "7h2s"].map(|cards| cards.parse().expect("cards"));
    let hole = BySeat::from_slice(&hole).expect("two seats");
    let payoffs = State { public: public.clone(), hole }.payoffs();
    let entrants = BySeat::from_slice(&entrants).expect("two seats");
    HandRecord { hand, deal: hand, public, hole, payoffs, entrants }
}

fn hand(hand: u64, known: Known) -> WebHand {
    WebHand {
        hand,
        session: 4,
        number: Some(hand + 1),
        known,
        seat: 1,
        winnings: Some(-50),
        baseline: Some(-7),
        action: "f".into(),
        hole: "7h2s".into(),
        board: String::new(),
        incr: None,
        together: 1,
        forfeited: false,
        disturbed: hand == 1,
        blind: 2,
        began_ms: 1_700_000_000_000,
        ended_ms: Some(1_700_000_000_500),
        requests: 3,
        waited: Duration::from_micros(1234),
        thought: Duration::from_micros(56),
    }
}

#[test]
fn hands_and_sessions_are_kept_together_and_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger.sqlite");
    let info = info();
    let mut writer = LedgerWriter::create(&path, &info).expect("a ledger");
    assert!(!LedgerReader::open(&path).expect("a ledger").is_web_run().expect("it reads"));
    writer.prepare_web_run().expect("tables");
    writer.prepare_web_run().expect("they are there already");

    let state = |text: &str| WebSession {
        session: 4,
        token: Some("t".into()),
        closed: None,
        state: text.into(),
    };
    writer.append(&record(&info.game, 0, [1, 0]));
    let played = hand(0, Known::Played);
    let unseen = WebHand {
        known: Known::Unknown,
        number: None,
        winnings: None,
        baseline: None,
        hole: String::new(),
        ended_ms: None,
        blind: 0,
        ..hand(2, Known::Unknown)
    };
    let lost = WebHand { winnings: None, number: None, baseline: None, ..hand(1, Known::Unknown) };
    let rows = [played.clone(), lost, unseen.clone()];
    writer.commit_web_run(Some(("key", "value")), &rows, &[], &state("one")).expect("written");
    let reader = writer.reader().expect("a reader");
    assert!(reader.is_web_run().expect("it reads"));
    assert_eq!(reader.web_next().expect("it reads"), 3);
    let counts = reader.web_counts().expect("it reads");
    let expected = WebCounts {
        played: 1,
        unknown_seen: 1,
        unseen: 1,
        chips: -50,
        disturbed: 1,
        blind: 4,
        ..WebCounts::default()
    };
    assert_eq!(counts, expected);
    assert_eq!(counts.unknown(), 2);
    assert_eq!(reader.web_settled().expect("it reads"), []);

    // The second hand is settled, the third turns out to have been counted.
    let settled = WebHand { number: None, ..hand(1, Known::Settled) };
    let counted = WebHand { known: Known::Settled, winnings: Some(50), ..unseen };
    let closed = WebSession { closed: Some("Bad token".into()), ..state("two") };
    writer
        .commit_web_run(None, &[settled.clone(), counted.clone()], &[], &closed)
        .expect("written");
    assert_eq!(reader.web_hands().expect("it reads"), [played, settled.clone(), counted.clone()]);
    assert_eq!(reader.web_hand(1).expect("it reads"), Some(settled.clone()));
    assert_eq!(reader.web_hand(9).expect("it reads"), None);
    assert!(!counted.seen());
    assert_eq!(reader.web_sessions().expect("it reads"), [closed]);
    let counts = reader.web_counts().expect("it reads");
    assert_eq!(
        (counts.settled, counts.unknown_seen, counts.unseen_settled, counts.chips),
        (1, 0, 1, -50)
    );
    // What nobody saw is in no rate, whatever the server counts.
    assert_eq!(counts.unknown(), 1);
    assert_eq!(reader.web_settled().expect("it reads"), std::slice::from_ref(&settled));
    assert_eq!(reader.count().expect("it reads"), 1);
    assert_eq!(reader.note("key").expect("it reads").as_deref(), Some("value"));

    // Two settled together are one entry with their sum, unless one of them was never seen.
    let pair = |number: u64, winnings: i64, hole: &str| WebHand {
        number: None,
        winnings: Some(winnings),
        together: 2,
        hole: hole.into(),
        ..hand(number, Known::Settled)
    };
    let rows = [pair(3, 250, "7h2s"), pair(5, 0, "AcAd"), pair(6, 90, "7h2s"), pair(7, 0, "")];
    writer.commit_web_run(None, &rows, &[], &state("pairs")).expect("written");
    let expected = [settled.clone(), rows[0].clone()];
    assert_eq!(reader.web_settled().expect("it reads"), expected);
    writer.commit_web_run(None, &[hand(8, Known::Unknown)], &[], &state("open")).expect("written");
    let unknown = reader.web_unknown(4).expect("it reads");
    assert_eq!(unknown.iter().map(|hand| hand.hand).collect::<Vec<_>>(), [8]);
    assert_eq!(reader.web_unknown(3).expect("it reads"), []);
    let gone = rows.map(|hand| WebHand { known: Known::Unknown, winnings: None, ..hand });
    writer.commit_web_run(None, &gone, &[], &state("no pairs")).expect("written");
    writer
        .commit_web_run(
            None,
            &[WebHand { winnings: None, ..hand(8, Known::Unknown) }],
            &[],
            &state("still open"),
        )
        .expect("written");

    // Settled when the run had its hands already: known, but in no rate.
    let beyond = WebHand { known: Known::Beyond, ..settled };
    writer
        .commit_web_run(None, std::slice::from_ref(&beyond), &[], &state("three"))
        .expect("written");
    let counts = reader.web_counts().expect("it reads");
    assert_eq!((counts.settled, counts.beyond, counts.unknown_seen, counts.chips), (0, 1, 4, -50));
    assert_eq!(reader.web_settled().expect("it reads"), []);
    assert_eq!(reader.web_hand(1).expect("it reads"), Some(beyond));
}

#[test]
fn scores_of_servers_are_kept_by_hand_and_a_series_that_changes_is_told_from_one_that_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ledger.sqlite");
    let mut writer = LedgerWriter::create(&path, &info()).expect("a ledger");
    assert_eq!(writer.reader().and_then(|reader| reader.hand_scores()).expect("it reads"), []);
    writer.prepare_web_run().expect("tables");
    let session = WebSession { session: 4, token: None, closed: None, state: "one".into() };
    let score = |hand, aivat| HandScore { hand, id: 7000 + hand, aivat };
    let scores = [score(0, Some(-14.66)), score(1, None)];
    writer.commit_web_run(None, &[hand(0, Known::Played)], &scores, &session).expect("written");
    let kept = writer.reader().and_then(|reader| reader.hand_scores()).expect("it reads");
    assert_eq!(kept, scores);

    let change = |later: i64| {
        let (mut all, mut course) = (Sums::default(), Batches::default());
        for hand in 0..1000 {
            let luck = if hand % 2 == 0 { 300 } else { -300 };
            let won = Payoff::from_chips(luck + if hand < 400 { 0 } else { later });
            all.add(won, 1);
            course.add(won, 1);
        }
        Change::find(&all, &course, 100).expect("hands enough")
    };
    assert!(!change(0).is_drift());
    let changed = change(200);
    assert!(changed.is_drift(), "{changed:?}");
    assert_eq!((changed.before.0, changed.after.0), (400, 600));
    assert!((changed.after.1 - changed.before.1 - 2000.0).abs() < 1e-6, "{changed:?}");
}

#[test]
fn what_cannot_be_written_whole_is_not_written_at_all() {
    let folder = tempfile::tempdir().expect("a folder");
    let info = info();
    let mut writer =
        LedgerWriter::create(&folder.path().join("ledger.sqlite"), &info).expect("a ledger");
    writer.prepare_web_run().expect("tables");
    let session = WebSession { session: 4, token: None, closed: None, state: "one".into() };
    writer.commit_web_run(None, &[hand(0, Known::Played)], &[], &session).expect("written");
    // The same hand of the session under another number.
    writer.append(&record(&info.game, 1, [0, 1]));
    let twice = WebHand { hand: 1, ..hand(0, Known::Played) };
    let later = WebSession { state: "two".into(), ..session.clone() };
    writer.commit_web_run(None, &[twice], &[], &later).expect_err("it stands there twice");
    let reader = writer.reader().expect("a reader");
    assert_eq!(reader.count().expect("it reads"), 0);
    assert_eq!(reader.web_sessions().expect("it reads"), [session]);
}
