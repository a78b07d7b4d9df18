//! The host of the GTO Wizard Benchmark's API without the web: the cap, restarts, deals that are
//! asked for, and scores without luck.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use logs::Provenance;
use matches::external::registry;
use protocol::gtowizard::message::{HandObject, NewHandRequest};
use protocol::gtowizard::{GAME_NAME, MAX_OPEN};
use tempfile::TempDir;
use wire::gtowizard_host::{GtoWizardError, GtoWizardHost, client_name};
use wire::slumbot_host::{HostPlan, SlumbotHost};

const HOUR: Duration = Duration::from_secs(3600);

async fn open(folder: &Path, agent: &str) -> GtoWizardHost {
    let choice = registry().resolve(agent).expect("an agent without options");
    let plan = HostPlan {
        folder: folder.join("slumbot"),
        matches: folder.join("matches"),
        agents: vec![(agent.to_owned(), choice)],
        agent: agent.to_owned(),
        users: BTreeMap::new(),
        baseline: false,
        process: 0,
        most_sessions: 1000,
        most_sessions_of_user: 0,
        session_life: 24 * HOUR,
        forfeit_after: HOUR,
        decision_time: Duration::from_secs(10),
        workers: 2,
        provenance: Provenance::default(),
    };
    let host = SlumbotHost::open(plan).expect("a host");
    let def = Arc::new(game::games::nolimit_holdem());
    GtoWizardHost::open(&folder.join("gtowizard"), &def, host).await.expect("a host")
}

fn asked(seed: Option<u32>, deal: u32, button: Option<bool>) -> NewHandRequest {
    let game_name = GAME_NAME.to_owned();
    NewHandRequest { game_name, seed, deal: Some(deal), button, agent: None }
}

async fn deal(host: &GtoWizardHost, client: &str) -> HandObject {
    host.new_hand(client, &asked(None, 0, None)).await.expect("a hand")
}

/// A client that mostly checks and calls, now and then bets or folds.
fn incr(view: &HandObject, salt: u64) -> String {
    let state = &view.game_state;
    let can = |action: &str| state.legal_actions.iter().any(|legal| legal == action);
    match (view.hand_id + salt + state.action_history.len() as u64) % 7 {
        0 if can("f") => "f".to_owned(),
        1 if can("b") => {
            let range = state.raise_range.expect("a bet is legal");
            format!("b{}", (range.min + 200.0).min(range.max))
        }
        _ if can("k") => "k".to_owned(),
        _ => "c".to_owned(),
    }
}

async fn finish(host: &GtoWizardHost, client: &str, first: HandObject, salt: u64) -> HandObject {
    let mut view = first;
    while !view.game_state.is_hand_over {
        let asked = incr(&view, salt);
        view = host.act(client, view.hand_id, &asked).await.expect("a legal action");
    }
    view
}

/// The mean and its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_mean_of_scores_is_that_of_winnings_with_less_variance_where_hands_are_checked_down() {
    // Where nearly all hands come to a showdown in small pots, cards are nearly all that decides.
    scores_are_unbiased("call", 1200, 0.9).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn scores_without_the_draws_of_an_agent_are_unbiased() {
    // It reports its strategy, so that both kinds of luck are removed.
    scores_are_unbiased("cfr", 150, 1.02).await;
}

/// Lets eight clients play so many hands each against an agent: the mean of the scores is that of
/// the winnings, and its standard error at most `most` times as large.
async fn scores_are_unbiased(agent: &str, hands: u64, most: f64) {
    let folder = TempDir::new().expect("a folder");
    let host = open(folder.path(), agent).await;
    let mut tasks = Vec::new();
    for task in 0..8 {
        let host = host.clone();
        tasks.push(tokio::spawn(async move {
            let (client, mut played) = (format!("client-{task}"), Vec::new());
            for hand in 0..hands {
                let first = deal(&host, &client).await;
                let over = finish(&host, &client, first, hand).await.game_state;
                let score = over.aivat_score.expect("a finished hand has a score");
                played.push((over.winnings.expect("it is over"), score));
            }
            (client, played)
        }));
    }
    let (mut winnings, mut scores) = (Vec::new(), Vec::new());
    for task in tasks {
        let (client, played) = task.await.expect("a client");
        let results = host.results(&client);
        let of_hands: f64 = played.iter().map(|(won, _)| won).sum::<f64>() / hands as f64;
        assert_eq!(results.total_hands, hands);
        // Chips a hand are big blinds a hundred hands.
        assert!((results.bb_per_100 - of_hands).abs() < 1e-6, "{results:?}");
        let without = results.chance_correction_bb_per_100 + results.action_correction_bb_per_100;
        let score = results.aivat_score_bb_per_100;
        assert!((results.bb_per_100 - without - score).abs() < 1e-6, "{results:?}");
        winnings.extend(played.iter().map(|(won, _)| *won));
        scores.extend(played.iter().map(|(_, score)| *score));
    }
    // What was removed is luck: its mean is nothing, within 4 standard errors.
    let removed: Vec<f64> = winnings.iter().zip(&scores).map(|(won, score)| won - score).collect();
    let (off, error) = mean(&removed);
    assert!(off.abs() < 4.0 * error, "{off} ± {error}");
    let ((raw, raw_error), (score, score_error)) = (mean(&winnings), mean(&scores));
    assert!(score_error < most * raw_error, "{raw} ± {raw_error}, {score} ± {score_error}");
    assert_eq!(host.leaderboard(100, 100).len(), 8);
    assert!(host.leaderboard(100, hands + 1).is_empty() && host.leaderboard(3, 0).len() == 3);
}

#[tokio::test]
async fn a_client_has_twenty_open_hands_at_most_and_others_have_theirs() {
    let folder = TempDir::new().expect("a folder");
    let host = open(folder.path(), "call").await;
    let mut open_hands = Vec::new();
    while open_hands.len() < MAX_OPEN {
        open_hands.push(deal(&host, "one").await);
    }
    let refused = host.new_hand("one", &asked(None, 0, None)).await.expect_err("it is the cap");
    assert!(matches!(refused, GtoWizardError::Full) && refused.status() == 409);
    assert_eq!(host.in_progress("one").await.expect("a list"), open_hands);
    let other = deal(&host, "other").await;
    assert_eq!(host.in_progress("other").await.expect("a list"), std::slice::from_ref(&other));
    // Nobody plays the hands of others.
    let refused = host.act("one", other.hand_id, "f").await.expect_err("it is another's");
    assert_eq!(refused.status(), 404);
    let over = finish(&host, "one", open_hands.remove(3), 0).await;
    let again = host.act("one", over.hand_id, "c").await.expect_err("it is over");
    assert_eq!(again.status(), 409);
    deal(&host, "one").await;
}

#[tokio::test]
async fn a_restarted_host_knows_open_hands_results_and_refuses_finished_hands() {
    let folder = TempDir::new().expect("a folder");
    let host = open(folder.path(), "call").await;
    let first = deal(&host, "one").await;
    let over = finish(&host, "one", first, 3).await;
    let second = deal(&host, "one").await;
    let (results, in_play) = (host.results("one"), host.in_progress("one").await.expect("a list"));
    assert_eq!(in_play, std::slice::from_ref(&second));
    host.sessions().close();
    drop(host);
    // As if the server had been killed before the score was noted.
    let file = folder.path().join("gtowizard/clients.jsonl");
    let text = std::fs::read_to_string(&file).expect("the file");
    let kept: String = text
        .lines()
        .filter(|line| line.starts_with(r#"{"session""#))
        .map(|l| format!("{l}\n"))
        .collect();
    let host = open(folder.path(), "call").await;
    assert_eq!(host.results("one"), results);
    assert_eq!(host.in_progress("one").await.expect("a list"), in_play);
    assert_eq!(host.act("one", over.hand_id, "c").await.expect_err("over").status(), 409);
    finish(&host, "one", second, 3).await;
    let results = host.results("one");
    assert_eq!(results.total_hands, 2);
    host.sessions().close();
    drop(host);
    // The second hand is its session's last one.
    std::fs::write(&file, kept).expect("written");
    let host = open(folder.path(), "call").await;
    assert_eq!(host.results("one").total_hands, 1);
}

#[tokio::test]
async fn a_deal_that_is_asked_for_has_the_same_cards_from_both_sides_and_is_in_no_leaderboard() {
    let folder = TempDir::new().expect("a folder");
    let host = open(folder.path(), "call").await;
    let mut seen = Vec::new();
    for button in [true, false, true] {
        let first = host.new_hand("one", &asked(Some(5), 3, Some(button))).await.expect("a hand");
        let over = finish(&host, "one", first, 2).await.game_state;
        let cards = |position: &str| {
            let player = over.players.iter().find(|player| player.position == position);
            player.and_then(|player| player.hole_cards.clone()).expect("the hand is over")
        };
        let hero = over.players.iter().find(|player| player.name == "one").expect("it plays");
        assert_eq!(hero.position, if button { "SB" } else { "BB" });
        seen.push([cards("BB"), cards("SB")]);
    }
    assert!(seen.iter().all(|cards| *cards == seen[0]), "{seen:?}");
    let other = host.new_hand("one", &asked(Some(6), 3, Some(true))).await.expect("a hand");
    let hero = other.game_state.players.iter().find(|player| player.name == "one");
    assert_ne!(hero.and_then(|hero| hero.hole_cards.clone()).as_ref(), Some(&seen[0][1]));
    assert_eq!(host.results("one").total_hands, 0);
    assert!(host.leaderboard(10, 0).is_empty());
}

#[test]
fn a_clients_name_tells_nothing_of_its_key() {
    let name = client_name(Some("my agent:a-long-secret"));
    assert!(name.starts_with("myagent-") && !name.contains("secret"), "{name}");
    assert_ne!(name, client_name(Some("my agent:another")));
    assert!(client_name(Some("a-long-secret")).starts_with("bot-"));
    assert_eq!(client_name(None), "anonymous");
}
