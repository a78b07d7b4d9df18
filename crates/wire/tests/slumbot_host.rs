//! The host of the Slumbot API without the web: sessions, sums, records, restarts, what time
//! brings.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use agents::{Agent, AgentSpec, Context, Cost, Decision, Recipe};
use game::{Action, InfoSet, Payoff};
use logs::formats::csv;
use logs::{HandRecord, LedgerReader, Provenance};
use matches::external::registry;
use protocol::slumbot::action::write;
use protocol::slumbot::host::{Endpoint, Request};
use protocol::slumbot::message::{HandEnd, HandObject};
use tempfile::TempDir;
use wire::slumbot_host::{HostError, HostPlan, InjectedFault, SlumbotHost};

const NO: InjectedFault = InjectedFault { repeat: false, rotate: false };
const HOUR: Duration = Duration::from_secs(3600);

fn plan(folder: &Path, agents: &[&str]) -> HostPlan {
    let registry = registry();
    let offered = agents.iter().map(|name| {
        ((*name).to_owned(), registry.resolve(name).expect("an agent without options"))
    });
    HostPlan {
        folder: folder.join("slumbot"),
        matches: folder.join("matches"),
        agents: offered.collect(),
        agent: agents[0].to_owned(),
        users: BTreeMap::new(),
        baseline: true,
        process: 0,
        most_sessions: 1000,
        most_sessions_of_user: 0,
        session_life: 24 * HOUR,
        forfeit_after: HOUR,
        decision_time: Duration::from_secs(10),
        workers: 2,
        provenance: Provenance::default(),
    }
}

fn open(folder: &TempDir, agents: &[&str]) -> SlumbotHost {
    SlumbotHost::open(plan(folder.path(), agents)).expect("a host")
}

/// A host of its own, and its folder.
fn opened(agents: &[&str]) -> (TempDir, SlumbotHost) {
    let folder = TempDir::new().expect("a folder");
    let host = open(&folder, agents);
    (folder, host)
}

/// A new session with its first hand.
async fn begin(host: &SlumbotHost) -> (String, HandObject) {
    let first = host.new_hand(None, None, NO).await.expect("a hand");
    (first.token.clone().expect("a token"), first)
}

async fn next(host: &SlumbotHost, token: &str) -> HandObject {
    host.new_hand(Some(token), None, NO).await.expect("a hand")
}

async fn act(host: &SlumbotHost, token: &str, incr: &str) -> HandObject {
    host.act(token, incr, NO).await.expect("a legal action")
}

fn ledger(folder: &TempDir, id: &str) -> Vec<HandRecord> {
    let reader = LedgerReader::open(&folder.path().join("matches").join(id)).expect("a ledger");
    reader.hands().map(|hand| hand.expect("a hand")).collect()
}

/// A client that plays by a rule of thumb: mostly checks and calls, now and then bets or folds.
fn incr(answer: &HandObject, salt: usize) -> String {
    let last = answer.action.rfind(|letter: char| !letter.is_ascii_digit());
    let owes = last.is_none_or(|at| answer.action[at..].starts_with('b'));
    match (answer.action.len() + salt) % 7 {
        0 if owes => "f".to_owned(),
        1 if !answer.action.contains('b') => "b400".to_owned(),
        2 if !answer.action.contains("b20000") && answer.board.is_empty() => "b20000".to_owned(),
        _ if owes => "c".to_owned(),
        _ => "k".to_owned(),
    }
}

/// Plays a hand to its end from this answer.
async fn finish(host: &SlumbotHost, token: &str, first: HandObject, salt: usize) -> HandObject {
    let mut answer = first;
    while answer.end.is_none() {
        let asked = incr(&answer, salt);
        answer = match host.act(token, &asked, NO).await {
            Ok(answer) => answer,
            // An all-in can only be called.
            Err(HostError::Refused { .. }) => act(host, token, "c").await,
            Err(error) => panic!("{asked} after {answer:?}: {error}"),
        };
    }
    answer
}

fn end(answer: &HandObject) -> &HandEnd {
    answer.end.as_ref().expect("the hand is over")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_side_by_side_agree_with_the_ledger_hand_for_hand() {
    let (folder, host) = opened(&["random"]);
    let mut tasks = Vec::new();
    for salt in 0..6 {
        let host = host.clone();
        tasks.push(tokio::spawn(async move {
            let (token, first) = begin(&host).await;
            let (mut played, mut total, mut baseline) = (Vec::new(), 0, 0);
            let mut next = first;
            for hand in 0..60 {
                assert_eq!(usize::from(next.client_pos), hand % 2, "seats alternate");
                let over = finish(&host, &token, next, salt).await;
                total += end(&over).winnings;
                baseline += end(&over).baseline_winnings;
                assert_eq!(end(&over).session_total, total);
                assert_eq!(end(&over).session_baseline_total, baseline);
                assert_eq!(end(&over).session_num_hands, hand as u64 + 1);
                played.push(over);
                next = host.new_hand(Some(&token), None, NO).await.expect("a hand");
                assert_eq!(next.token, None, "the token is in the first answer only");
            }
            (token, played)
        }));
    }
    let mut by_token = BTreeMap::new();
    for task in tasks {
        let (token, played) = task.await.expect("a session");
        by_token.insert(token, played);
    }
    host.close();
    // tokens.csv says which session is whose.
    let tokens = std::fs::read_to_string(folder.path().join("slumbot/tokens.csv")).expect("a file");
    let mut seen = 0;
    for record in ledger(&folder, "slumbot-random") {
        let (session, deal) = (record.deal >> 32, record.deal & 0xFFFF_FFFF);
        let line = tokens.lines().find(|line| line.starts_with(&format!("{session},")));
        let token = line.and_then(|line| line.split(',').nth(1)).expect("a session");
        // The last deal may have ended with the bot's fold.
        let Some(over) = by_token[token].get(deal as usize) else { continue };
        assert_eq!(write(&record.public), over.action);
        let client = record.entrants.iter().find(|(_, entrant)| **entrant == 0).expect("sits").0;
        assert_eq!(client.index(), usize::from(over.client_pos));
        assert_eq!(record.payoffs[client], Payoff::from_chips(end(over).winnings));
        assert_eq!(record.hole[client].set(), over.hole_cards.set());
        assert_eq!(record.public.board().set(), over.board.set());
        seen += 1;
    }
    assert_eq!(seen, 6 * 60);
}

#[tokio::test]
async fn the_baseline_is_what_the_agent_gets_against_itself() {
    let (_folder, host) = opened(&["fold"]);
    // In the big blind: the bot folds its small blind, and against itself it does the same.
    let first = host.new_hand(None, None, NO).await.expect("a hand");
    assert_eq!(first.action, "f");
    assert_eq!((end(&first).winnings, end(&first).won_pot), (50, 150));
    assert_eq!(end(&first).baseline_winnings, 0);
    // On the button: against itself it folds the small blind, -50; here the client wins the big
    // blind.
    let token = first.token.expect("a token");
    next(&host, &token).await;
    let won = act(&host, &token, "b20000").await;
    assert_eq!(won.action, "b20000f");
    assert_eq!((end(&won).winnings, end(&won).won_pot), (100, 20_100));
    assert_eq!(end(&won).baseline_winnings, 150);
    assert_eq!(end(&won).session_baseline_total, 150);
    // Without it, nothing is said to be different.
    let plan = HostPlan { baseline: false, ..plan(TempDir::new().expect("one").path(), &["fold"]) };
    let host = SlumbotHost::open(plan).expect("a host");
    let first = host.new_hand(None, None, NO).await.expect("a hand");
    assert_eq!(end(&first).baseline_winnings, 0);
}

#[tokio::test]
async fn a_restarted_host_goes_on_where_it_was() {
    let (folder, host) = opened(&["call", "random"]);
    let token = host.login("somebody", Some("call")).expect("a session");
    let first = next(&host, &token).await;
    let over = finish(&host, &token, first, 3).await;
    next(&host, &token).await;
    let before = act(&host, &token, "b300").await;
    assert_eq!(before.action, "b300c/k");
    host.close();
    drop(host);
    let host = open(&folder, &["random", "call"]);
    let refused = host.act(&token, "c", NO).await;
    match refused {
        Err(HostError::Refused { action, .. }) => assert_eq!(action, before.action),
        other => panic!("{other:?}"),
    }
    let after = act(&host, &token, "k").await;
    assert_eq!((after.old_action.as_str(), after.action.as_str()), ("b300c/k", "b300c/kk/k"));
    assert_eq!((after.hole_cards, after.client_pos), (before.hole_cards, before.client_pos));
    assert_eq!(after.board[..3], before.board[..3]);
    let second = finish(&host, &token, after, 6).await;
    assert_eq!(end(&second).session_num_hands, 2);
    assert_eq!(end(&second).session_total, end(&over).winnings + end(&second).winnings);
    let third = next(&host, &token).await;
    assert_eq!(third.client_pos, 0);
    host.close();
    assert_eq!(ledger(&folder, "slumbot-call").len(), 2);
}

#[tokio::test]
async fn a_hand_lost_between_its_session_and_its_ledger_is_put_there_again() {
    let (folder, host) = opened(&["call"]);
    let (token, first) = begin(&host).await;
    finish(&host, &token, first, 3).await;
    host.close();
    drop(host);
    let recorded = ledger(&folder, "slumbot-call");
    // As if the server had been killed before the hand was committed.
    std::fs::remove_dir_all(folder.path().join("matches/slumbot-call")).expect("removed");
    let host = open(&folder, &["call"]);
    host.close();
    assert_eq!(ledger(&folder, "slumbot-call"), recorded);
    drop(host);
    // And once only.
    open(&folder, &["call"]).close();
    assert_eq!(ledger(&folder, "slumbot-call"), recorded);
}

#[tokio::test]
async fn idle_hands_are_forfeited_and_the_sums_say_so() {
    let folder = TempDir::new().expect("a folder");
    let at_once =
        |agent| HostPlan { forfeit_after: Duration::ZERO, ..plan(folder.path(), &[agent]) };
    let host = SlumbotHost::open(at_once("raise")).expect("a host");
    let mut first = host.new_hand(None, None, NO).await.expect("a hand");
    let token = first.token.take().expect("a token");
    // The bot has bet: a forfeit is a fold. The hand left open is one, and so is the one after it.
    assert!(first.action.starts_with('b'), "{first:?}");
    let second = next(&host, &token).await;
    assert_eq!(second.action, "");
    host.end_idle().await;
    assert_eq!(host.status().forfeited, 2);
    match host.act(&token, "c", NO).await {
        Err(HostError::NoHand { action }) => assert_eq!(action, "f"),
        other => panic!("{other:?}"),
    }
    let first = next(&host, &token).await;
    let over = act(&host, &token, "f").await;
    let lost = -100 - 50 - 100;
    assert_eq!((end(&over).session_num_hands, end(&over).session_total), (3, lost), "{first:?}");
    host.close();
    drop(host);
    let hands = ledger(&folder, "slumbot-raise");
    assert_eq!(hands.len(), 3);
    assert!(hands.iter().all(|hand| write(&hand.public).ends_with('f')));

    // With nothing to call a fold is not legal: the hand counts, but is in no ledger.
    let host = SlumbotHost::open(at_once("call")).expect("a host");
    let first = host.new_hand(None, None, NO).await.expect("a hand");
    assert_eq!(first.action, "c");
    let token = first.token.expect("a token");
    host.end_idle().await;
    // The next one is the client's on the button: `c`, and the bot checks.
    next(&host, &token).await;
    let over = act(&host, &token, "f").await;
    assert_eq!((end(&over).session_num_hands, end(&over).session_total), (2, -150));
    host.close();
    assert_eq!(ledger(&folder, "slumbot-call").len(), 1);
    let forfeits =
        std::fs::read_to_string(folder.path().join("slumbot/forfeits.jsonl")).expect("a file");
    let lines: Vec<serde_json::Value> =
        forfeits.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[2]["lost"], 100);
    assert_eq!(lines[2]["hand"], serde_json::Value::Null);
}

#[tokio::test]
async fn idle_sessions_are_forgotten_and_others_find_room() {
    let folder = TempDir::new().expect("a folder");
    let few = HostPlan { most_sessions: 3, ..plan(folder.path(), &["call"]) };
    let host = SlumbotHost::open(few).expect("a host");
    let mut tokens = Vec::new();
    for _ in 0..3 {
        let first = host.new_hand(None, None, NO).await.expect("a hand");
        tokens.push(first.token.expect("a token"));
    }
    let full = host.new_hand(None, None, NO).await;
    assert!(matches!(full, Err(HostError::Full)), "{full:?}");
    assert!(matches!(host.login("x", None), Err(HostError::Full)));
    host.act(&tokens[0], "k", NO).await.expect("sessions there are go on");
    host.close();
    drop(host);
    let forgetful = HostPlan { session_life: Duration::ZERO, ..plan(folder.path(), &["call"]) };
    let host = SlumbotHost::open(forgetful).expect("a host");
    assert_eq!(host.status().sessions, 3);
    host.end_idle().await;
    assert_eq!((host.status().sessions, host.status().expired), (0, 3));
    for token in &tokens {
        let gone = host.act(token, "k", NO).await;
        assert!(matches!(gone, Err(HostError::BadToken)), "{gone:?}");
    }
    let first = host.new_hand(None, None, NO).await.expect("a hand");
    assert!(!tokens.contains(&first.token.expect("a token")));
}

#[tokio::test]
async fn a_user_has_no_more_sessions_than_allowed() {
    let folder = TempDir::new().expect("a folder");
    let two = HostPlan { most_sessions_of_user: 2, ..plan(folder.path(), &["call"]) };
    let life = Duration::from_millis(200);
    let host = SlumbotHost::open(HostPlan { session_life: life, ..two }).expect("a host");
    let read = |endpoint, body: &str| {
        Request::read(endpoint, Some("application/json"), body.as_bytes()).expect("a request")
    };
    let ann = read(Endpoint::Login, r#"{"username": "ann", "password": "x"}"#);
    let nobody = read(Endpoint::NewHand, "{}");
    let [one, other] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().ok());
    // A name counts wherever it logs in from; without one, the address does.
    for (request, from, fits) in [
        (&nobody, one, true),
        (&nobody, one, true),
        (&nobody, one, false),
        (&ann, one, true),
        (&ann, other, true),
        (&ann, None, false),
        (&nobody, other, true),
        (&nobody, None, true),
    ] {
        let answer = host.answer(request, from, NO).await;
        match answer {
            Ok(_) => assert!(fits, "{request:?} {from:?}"),
            Err(HostError::TooManyOfUser(2)) => assert!(!fits, "{request:?} {from:?}"),
            Err(error) => panic!("{error}"),
        }
    }
    tokio::time::sleep(2 * life).await;
    host.end_idle().await;
    assert_eq!(host.status().sessions, 0);
    host.answer(&nobody, one, NO).await.expect("there is room again");
}

#[tokio::test]
async fn a_folder_has_one_host_at_a_time() {
    let (folder, host) = opened(&["call"]);
    let second = SlumbotHost::open(plan(folder.path(), &["call"])).err().expect("refused");
    assert!(second.to_string().contains("is in use by another process"), "{second}");
    host.close();
    drop(host);
    open(&folder, &["call"]);
}

#[tokio::test]
async fn old_tokens_stay_good_and_hands_can_be_repeated() {
    let (folder, host) = opened(&["call"]);
    let first = host.new_hand(None, None, NO).await.expect("a hand");
    let old = first.token.clone().expect("a token");
    let rotated = host.act(&old, "k", InjectedFault { rotate: true, ..NO }).await.expect("a check");
    let new = rotated.token.clone().expect("a new token");
    assert_ne!(old, new);
    let after = host.act(&old, "k", NO).await.expect("the old token is good");
    let after = host.act(&new, "k", NO).await.unwrap_or_else(|error| panic!("{after:?}: {error}"));
    assert_eq!(after.action, "ck/kk/kk/");
    host.close();
    drop(host);
    let host = open(&folder, &["call"]);
    let over = finish(&host, &new, after, 3).await;
    assert_eq!(end(&over).session_num_hands, 1);
    let again =
        host.new_hand(Some(&old), None, InjectedFault { repeat: true, ..NO }).await.expect("one");
    assert_eq!((again.hole_cards, again.client_pos), (first.hole_cards, 0));
    finish(&host, &new, again, 3).await;
    let next = next(&host, &old).await;
    assert_eq!(next.client_pos, 1);
    assert_ne!(next.hole_cards, first.hole_cards);
}

#[tokio::test]
async fn clients_choose_among_the_agents_on_offer() {
    let folder = TempDir::new().expect("a folder");
    let mut plan = plan(folder.path(), &["call", "fold"]);
    plan.users.insert("tight".to_owned(), "fold".to_owned());
    let host = SlumbotHost::open(plan.clone()).expect("a host");
    let token = host.login("tight", None).expect("a session");
    let hand = next(&host, &token).await;
    assert_eq!(hand.action, "f");
    let hand = host.new_hand(None, Some("fold"), NO).await.expect("a hand");
    assert_eq!(hand.action, "f");
    let other = host.new_hand(hand.token.as_deref(), Some("call"), NO).await.expect("a hand");
    assert_eq!(other.action, "");
    for name in ["nobody", "external:/bin/sh", "random", "call ", ""] {
        match host.new_hand(None, Some(name), NO).await {
            Err(HostError::UnknownAgent { known, .. }) => assert_eq!(known, ["call", "fold"]),
            other => panic!("{name}: {other:?}"),
        }
    }
    assert_eq!(host.status().sessions, 2, "a refused request begins no session");
    plan.users.insert("lost".to_owned(), "nobody".to_owned());
    let folder = TempDir::new().expect("a folder");
    plan.folder = folder.path().to_owned();
    let lost = SlumbotHost::open(plan).err().expect("refused");
    assert!(lost.to_string().contains("there is no agent `nobody` among those"), "{lost}");
}

#[tokio::test]
async fn a_review_tells_what_the_agent_thought_of_the_last_finished_hand_only() {
    let (_folder, host) = opened(&["equity"]);
    let (token, first) = begin(&host).await;
    if first.end.is_none() {
        assert_eq!(host.review(&token).await.expect("a session"), None, "the hand is open");
    }
    let over = finish(&host, &token, first, 3).await;
    // A hand that is open changes nothing.
    next(&host, &token).await;
    let review = host.review(&token).await.expect("a session").expect("a finished hand");
    assert_eq!((review.agent.as_str(), review.of.as_str()), ("equity", "slumbot-equity"));
    assert_eq!(
        (review.action.as_str(), review.winnings),
        (over.action.as_str(), end(&over).winnings)
    );
    assert!(!review.decisions.is_empty());
    for decision in &review.decisions {
        assert!(over.action.replace('/', "").starts_with(&decision.before.replace('/', "")));
        let played = format!("{}{}", decision.before, decision.action).replace('/', "");
        assert!(over.action.replace('/', "").starts_with(&played), "{decision:?} in {over:?}");
    }
    assert!(matches!(host.review("nonsense").await, Err(HostError::BadToken)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_that_take_long_play_on_threads_of_their_own() {
    let folder = TempDir::new().expect("a folder");
    let mut registry = registry();
    let command =
        format!("{} none holdem.nolimit.2p.reverse_blinds", super::play_acpc::program().display());
    let text = format!("kind = 'external'\ncommand = \"{command}\"\n");
    registry.define("bot", toml::from_str(&text).expect("a table")).expect("a definition");
    let mut plan = plan(folder.path(), &["call"]);
    plan.agents = vec![("bot".to_owned(), registry.resolve("bot").expect("an agent"))];
    plan.agent = "bot".to_owned();
    let host = SlumbotHost::open(plan).expect("a host");
    let mut tasks = Vec::new();
    for salt in 0..4 {
        let host = host.clone();
        tasks.push(tokio::spawn(async move {
            let mut next = host.new_hand(None, None, NO).await.expect("a hand");
            let token = next.token.clone().expect("a token");
            for _ in 0..4 {
                finish(&host, &token, next, salt).await;
                next = host.new_hand(Some(&token), None, NO).await.expect("a hand");
            }
        }));
    }
    for task in tasks {
        task.await.expect("a session");
    }
    host.close();
    let path = folder.path().join("matches/slumbot-bot");
    let reader = LedgerReader::open(&path).expect("a ledger");
    for hand in 0..16 {
        let decisions = reader.decisions(hand).expect("readable");
        assert!(decisions.iter().all(|decision| decision.fallback.is_none()), "{decisions:?}");
    }
}

#[tokio::test]
async fn where_the_journal_cannot_be_written_clients_wait_for_the_ledger() {
    let (folder, host) = opened(&["call"]);
    let (token, first) = begin(&host).await;
    finish(&host, &token, first, 3).await;
    host.close();
    drop(host);
    let at = folder.path().join("matches/slumbot-call");
    for file in ["ledger.journal-1", "ledger.journal-2"] {
        // A disk without room.
        std::os::unix::fs::symlink("/dev/full", at.join(file)).expect("a link");
    }
    let host = open(&folder, &["call"]);
    for hands in 2..5 {
        let next = host.new_hand(Some(&token), None, NO).await.expect("a hand");
        finish(&host, &token, next, 3).await;
        assert_eq!(ledger(&folder, "slumbot-call").len(), hands);
    }
    host.close();
    assert_eq!(ledger(&folder, "slumbot-call").len(), 4);
}

#[tokio::test]
async fn after_the_end_no_hand_is_promised() {
    let (folder, host) = opened(&["call"]);
    let (token, first) = begin(&host).await;
    finish(&host, &token, first, 3).await;
    let second = next(&host, &token).await;
    assert_eq!(second.action, "");
    host.close();
    for _ in 0..2 {
        let refused = host.act(&token, "f", NO).await;
        assert!(matches!(refused, Err(HostError::NotRecorded(None))), "{refused:?}");
    }
    drop(host);
    // The hand is open as it was.
    let host = open(&folder, &["call"]);
    let over = act(&host, &token, "f").await;
    assert_eq!(end(&over).session_num_hands, 2);
    host.close();
    assert_eq!(ledger(&folder, "slumbot-call").len(), 2);
}

/// Whether agents of the kind `gated` may decide.
static GATE: (Mutex<bool>, Condvar) = (Mutex::new(true), Condvar::new());

fn set_gate(open: bool) {
    *GATE.0.lock().expect("a lock") = open;
    GATE.1.notify_all();
}

/// Calls as soon as it may.
struct Gated;

impl Agent for Gated {
    fn act(&mut self, _: &InfoSet, _: &mut Context) -> Decision {
        let open = GATE.0.lock().expect("a lock");
        drop(GATE.1.wait_while(open, |open| !*open).expect("a lock"));
        Action::Call.into()
    }
}

const GATED: AgentSpec = AgentSpec {
    kind: "gated",
    summary: "calls as soon as it may",
    example: "gated",
    argument: None,
    options: &[],
    cost: Cost::Worker,
    repeatable: true,
    prepare: |_| {
        let mut recipe = Recipe::new(|_| Ok(Gated));
        recipe.cost = Cost::Worker;
        Ok(recipe)
    },
};

/// That the bot's decisions in every hand of the ledger are those that it has played.
fn check_decisions(folder: &TempDir, id: &str) {
    let reader = LedgerReader::open(&folder.path().join("matches").join(id)).expect("a ledger");
    for record in reader.hands().map(|hand| hand.expect("a hand")) {
        let bot = record.entrants.iter().find(|(_, entrant)| **entrant == 1).expect("sits").0;
        let history = record.public.history().iter().enumerate();
        let played: Vec<(u32, Action)> = history
            .filter(|(_, played)| played.seat == bot)
            .map(|(index, played)| (index as u32, played.action))
            .collect();
        let decisions = reader.decisions(record.hand).expect("readable");
        let recorded: Vec<(u32, Action)> =
            decisions.iter().map(|decision| (decision.index, decision.action)).collect();
        assert_eq!(recorded, played, "hand {}: {}", record.hand, write(&record.public));
    }
}

#[tokio::test]
async fn a_request_given_up_in_the_middle_changes_nothing() {
    let folder = TempDir::new().expect("a folder");
    let mut registry = registry();
    registry.add(GATED);
    let mut plan = HostPlan { baseline: false, ..plan(folder.path(), &["call"]) };
    plan.agents = vec![("gated".to_owned(), registry.resolve("gated").expect("an agent"))];
    plan.agent = "gated".to_owned();
    let host = SlumbotHost::open(plan).expect("a host");
    let (token, _) = begin(&host).await;
    act(&host, &token, "b20000").await;
    next(&host, &token).await;
    let open = act(&host, &token, "b300").await;
    assert_eq!(open.action, "b300c/k");
    let dealt = host.status().hands_begun;
    set_gate(false);
    for _ in 0..2 {
        // The next hand is one in which the bot acts first.
        let asked = host.new_hand(Some(&token), None, NO);
        let given_up = tokio::time::timeout(Duration::from_millis(50), asked).await;
        assert!(given_up.is_err(), "{given_up:?}");
    }
    let asked = host.act(&token, "b400", NO);
    let given_up = tokio::time::timeout(Duration::from_millis(50), asked).await;
    assert!(given_up.is_err(), "{given_up:?}");
    set_gate(true);
    assert_eq!(host.status().hands_begun, dealt);
    let over = act(&host, &token, "b19700").await;
    assert_eq!((over.old_action.as_str(), over.action.as_str()), ("b300c/k", "b300c/kb19700c//"));
    assert_eq!(end(&over).session_num_hands, 2);
    let next = host.new_hand(Some(&token), None, NO).await.expect("a hand");
    assert_eq!((next.client_pos, next.action.as_str()), (0, "c"), "no deal was lost");
    host.close();
    assert_eq!(ledger(&folder, "slumbot-gated").len(), 2);
    check_decisions(&folder, "slumbot-gated");
}

#[tokio::test]
async fn a_hand_whose_end_cannot_be_recorded_stays_open_as_it_was() {
    let (folder, host) = opened(&["call", "fold"]);
    let in_the_way = |agent: &str| folder.path().join("matches").join(format!("slumbot-{agent}"));
    fs::create_dir_all(folder.path().join("matches")).expect("a folder");
    for agent in ["call", "fold"] {
        fs::write(in_the_way(agent), "no folder").expect("a file");
    }
    let not_recorded = |refused: Result<HandObject, HostError>| {
        assert!(matches!(refused, Err(HostError::NotRecorded(None))), "{refused:?}");
    };
    let (token, _) = begin(&host).await;
    act(&host, &token, "b300").await;
    for _ in 0..2 {
        not_recorded(host.act(&token, "b19700", NO).await);
    }
    // Another agent would fold at once, only that the hand cannot be recorded either.
    next(&host, &token).await;
    act(&host, &token, "b300").await;
    let sessions = host.status().sessions;
    for _ in 0..2 {
        not_recorded(host.new_hand(Some(&token), Some("fold"), NO).await);
        not_recorded(host.new_hand(None, Some("fold"), NO).await);
    }
    assert_eq!(
        (host.status().sessions, host.status().hands, host.status().hands_begun),
        (sessions, 0, 2)
    );
    for agent in ["call", "fold"] {
        fs::remove_file(in_the_way(agent)).expect("there");
    }
    let over = act(&host, &token, "b19700").await;
    assert_eq!(over.old_action, "b300c/k");
    assert_eq!(end(&over).session_num_hands, 1);
    let folded = host.new_hand(Some(&token), Some("fold"), NO).await.expect("a hand");
    assert_eq!((folded.client_pos, end(&folded).session_num_hands), (0, 2));
    host.close();
    for id in ["slumbot-call", "slumbot-fold"] {
        assert_eq!(ledger(&folder, id).len(), 1);
        check_decisions(&folder, id);
    }
}

#[tokio::test]
async fn a_hand_that_cannot_be_forfeited_now_is_forfeited_later() {
    let folder = TempDir::new().expect("a folder");
    let plan = HostPlan { forfeit_after: Duration::ZERO, ..plan(folder.path(), &["raise"]) };
    let host = SlumbotHost::open(plan).expect("a host");
    let in_the_way = folder.path().join("matches/slumbot-raise");
    fs::create_dir_all(folder.path().join("matches")).expect("a folder");
    fs::write(&in_the_way, "no folder").expect("a file");
    let (token, _) = begin(&host).await;
    next(&host, &token).await;
    for _ in 0..2 {
        host.end_idle().await;
        assert_eq!((host.status().forfeited, host.status().hands), (0, 0));
    }
    fs::remove_file(&in_the_way).expect("there");
    for _ in 0..2 {
        host.end_idle().await;
        assert_eq!((host.status().forfeited, host.status().hands), (2, 2));
    }
    host.close();
    assert_eq!(ledger(&folder, "slumbot-raise").len(), 2);
}

#[tokio::test]
async fn a_hand_that_was_about_to_be_left_open_when_the_server_was_killed_goes_on() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join("slumbot").join(name);
    let host = open(&folder, &["raise"]);
    let (token, _) = begin(&host).await;
    drop(host);
    fs::copy(at("sessions.sqlite"), at("before.sqlite")).expect("copied");
    let host = open(&folder, &["raise"]);
    next(&host, &token).await;
    drop(host);
    // The copy of the hand was written, the session not yet.
    let sessions = rusqlite::Connection::open(at("sessions.sqlite")).expect("a database");
    let count = "SELECT count(*) FROM slots WHERE kind = 2";
    let left: i64 = sessions.query_row(count, (), |row| row.get(0)).expect("readable");
    assert_eq!(left, 1, "the hand left open has a row of its own");
    let before = at("before.sqlite").display().to_string();
    sessions.execute("ATTACH ? AS before", [before]).expect("attached");
    let again = "REPLACE INTO slots SELECT * FROM before.slots";
    assert_eq!(sessions.execute(again, ()).expect("written"), 1);
    drop(sessions);
    let plan = HostPlan { forfeit_after: Duration::ZERO, ..plan(folder.path(), &["raise"]) };
    let host = SlumbotHost::open(plan).expect("a host");
    host.end_idle().await;
    assert_eq!(host.status().forfeited, 1, "the hand is there once");
    host.close();
    assert_eq!(ledger(&folder, "slumbot-raise").len(), 1);
}

#[tokio::test]
async fn names_that_are_formulas_do_nothing_in_a_spreadsheet() {
    let (folder, host) = opened(&["call"]);
    let names =
        ["=1+1", "+1", "-1", "@x", "'=1", "=HYPERLINK(\"x\",\"y\")", "a,b", "plain", "'a", ""];
    for name in names {
        host.login(name, None).expect("a session");
    }
    host.login("\t=1", None).expect("a session");
    host.close();
    let text = fs::read_to_string(folder.path().join("slumbot/tokens.csv")).expect("a file");
    let rows = text.lines().skip(1).map(|line| csv::fields(line).expect("a row"));
    let users: Vec<String> = rows.map(|fields| fields[4].clone()).collect();
    assert!(users.iter().all(|user| !user.starts_with(['=', '+', '-', '@', '\t'])), "{users:?}");
    let back: Vec<&str> = users.iter().map(|user| csv::text(user)).collect();
    assert_eq!(back[..names.len()], names);
    assert_eq!(back[names.len()], "=1", "control characters are left out");
}

#[test]
fn what_holds_tokens_is_its_owners_only() {
    let folder = TempDir::new().expect("a folder");
    let at = |name: &str| folder.path().join("slumbot").join(name);
    let mode = |name: &str| fs::metadata(at(name)).expect("there").permissions().mode() & 0o777;
    let names = || {
        let files = fs::read_dir(at("")).expect("a folder");
        files.map(|file| file.expect("a file").file_name().into_string().expect("text"))
    };
    for _ in 0..2 {
        open(&folder, &["call"]).close();
        assert_eq!(mode(""), 0o700);
        assert!(names().count() >= 6);
        for name in names() {
            assert_eq!(mode(&name), 0o600, "{name}");
            // As an earlier version, or somebody's copy, may have left it.
            fs::set_permissions(at(&name), fs::Permissions::from_mode(0o644)).expect("ours");
        }
        fs::set_permissions(at(""), fs::Permissions::from_mode(0o755)).expect("ours");
    }
}
