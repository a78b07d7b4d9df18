//! The API of the GTO Wizard Benchmark: every state as text and back, a client against a host that
//! loses answers, and answers that are wrong.

use std::collections::BTreeMap;
use std::sync::Arc;

use cards::{Board, Card, HoleCards};
use game::{Action, BySeat, GameDef, Payoff, Seat};
use proptest::prelude::*;
use protocol::gtowizard::answer::{self, Fault};
use protocol::gtowizard::client::{Client, ClientError, News, Next, Unseen};
use protocol::gtowizard::host::{Endpoint, object, read_act, read_new_hand};
use protocol::gtowizard::message::{HandObject, json};
use protocol::gtowizard::{VERSION, history};
use protocol::slumbot::host::{Hand, Next as HostNext};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde_json::{Value, json as value};

fn def() -> Arc<GameDef> {
    Arc::new(game::games::nolimit_holdem())
}

fn seat(index: usize) -> Seat {
    Seat::new(index).unwrap()
}

/// A hand with random cards.
fn deal(random: &mut Pcg64Mcg, client: usize) -> Hand {
    let def = def();
    let mut deck: Vec<Card> = def.deck();
    deck.shuffle(random);
    let hole = BySeat::from_fn(2, |s| HoleCards::new(&deck[2 * s.index()..][..2]).unwrap());
    let mut hand = Hand::new(&def, hole, Board::new(&deck[4..9]).unwrap(), seat(client));
    answer_for_host(&mut hand, random);
    hand
}

/// A random legal action of the seat to act.
fn any_action(hand: &Hand, random: &mut Pcg64Mcg) -> Action {
    let legal = hand.public().legal();
    match (random.random_range(0..20), legal.raise) {
        (0, _) if legal.fold => Action::Fold,
        (1..=5, Some(raise)) => {
            let reach = (raise.max - raise.min).min(400);
            Action::RaiseTo(raise.min + random.random_range(0..=reach))
        }
        (6, Some(raise)) => Action::RaiseTo(raise.max),
        _ => Action::Call,
    }
}

/// Plays the host's actions.
fn answer_for_host(hand: &mut Hand, random: &mut Pcg64Mcg) {
    while hand.next() == HostNext::Server {
        hand.play(any_action(hand, random)).unwrap();
    }
}

/// A view in which some of what may differ does: the order of the blinds, further fields, both
/// hands visible, ends of rounds at the end of the list.
fn varied(view: &HandObject, random: &mut Pcg64Mcg) -> Value {
    let mut view = serde_json::to_value(view).unwrap();
    if random.random() {
        view["game"]["blinds"].as_array_mut().unwrap().reverse();
    }
    if random.random() {
        view["game"]["ante"] = value!(0);
        view["game"]["description"] = value!("heads-up");
        view["game_state"]["elapsed_ms"] = value!(17);
        view["timestamp"] = value!("2026-11-28");
    }
    if random.random() {
        view["game_state"]["players"].as_array_mut().unwrap().reverse();
    }
    let list = view["game_state"]["action_history"].as_array_mut().unwrap();
    while random.random() && list.last().is_some_and(|last| last == history::END) {
        list.pop();
    }
    view
}

fn read(view: &Value) -> Result<answer::Shown, answer::AnswerError> {
    answer::read(&def(), VERSION, view.to_string().as_bytes())
}

proptest! {
    #[test]
    fn every_state_of_a_hand_is_written_and_read_back_as_the_same(seed: u64, client in 0..2usize) {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut hand = deal(&mut random, client);
        loop {
            let list = history::write(hand.public());
            let again = history::replay(&def(), &list, &hand.public().board()).unwrap();
            prop_assert_eq!(&again, hand.public());
            let view = varied(&object(7, &hand, "me", Some(-14.66)), &mut random);
            let shown = read(&view).unwrap();
            prop_assert_eq!(&shown.public, hand.public());
            prop_assert_eq!((shown.id, shown.seat), (7, hand.client()));
            prop_assert_eq!(shown.hole, hand.hole()[hand.client()]);
            if hand.next() == HostNext::Over {
                let end = shown.end.unwrap();
                prop_assert_eq!(end.winnings, hand.winnings());
                prop_assert_eq!(end.other, hand.hole()[hand.server()]);
                prop_assert_eq!(end.aivat_score, Some(-14.66));
                break;
            }
            prop_assert_eq!(shown.end, None);
            let action = any_action(&hand, &mut random);
            hand.play(action).unwrap();
            answer_for_host(&mut hand, &mut random);
        }
    }

    #[test]
    fn no_changed_view_makes_the_reader_panic(seed: u64, changes in 1..6usize) {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let mut hand = deal(&mut random, 1);
        for _ in 0..random.random_range(0..6) {
            if hand.next() == HostNext::Client {
                hand.play(any_action(&hand, &mut random)).unwrap();
                answer_for_host(&mut hand, &mut random);
            }
        }
        let mut text = json(&object(7, &hand, "me", None)).into_bytes();
        for _ in 0..changes {
            let at = random.random_range(0..text.len());
            text[at] = *b"0123456789[]{}\",_bckf-.e".get(random.random_range(0..24)).unwrap();
        }
        let _ = answer::read(&def(), VERSION, &text);
        let _ = answer::read_list(&def(), VERSION, &[b"[", &text[..], b"]"].concat());
    }

    /// A host that loses requests and answers, and carries some out twice: every hand that the
    /// client saw to its end is as the host has it, and those it did not see are the others.
    #[test]
    fn among_lost_answers_every_hand_seen_is_the_hosts(seed: u64, lost in 0..4u32) {
        let mut host = Host::new(seed, lost);
        let mut client = Client::new(def(), VERSION);
        let mut random = Pcg64Mcg::seed_from_u64(seed ^ 1);
        let (mut seen, mut unseen) = (BTreeMap::new(), BTreeMap::<u64, Unseen>::new());
        let mut numbers = 0;
        for _ in 0..600 {
            if random.random_range(0..20) == 0 {
                // As after a crash: what was asked is in doubt.
                let saved = client.save();
                client = Client::restore(def(), VERSION, &saved).unwrap();
            }
            let mut number = || { numbers += 1; numbers };
            let news = match client.next() {
                Next::Decide(infoset) => {
                    let hand = &host.hands[&client.id().unwrap()];
                    prop_assert!(infoset.to_act() || hand.next() == HostNext::Over);
                    prop_assert_eq!(infoset.hole, hand.hole()[hand.client()]);
                    let legal = infoset.legal();
                    let action = match (random.random_range(0..8), legal.raise) {
                        (0, _) if legal.fold => Action::Fold,
                        (1 | 2, Some(raise)) => Action::RaiseTo(raise.min),
                        _ => Action::Call,
                    };
                    client.act(action).unwrap();
                    continue;
                }
                Next::FindLost => {
                    let Some(list) = host.list(&mut random) else { continue };
                    let list = answer::read_list(&def(), VERSION, list.as_bytes()).unwrap();
                    // Anything else in the list was dealt and not seen.
                    match list.into_iter().find(|(id, _)| !seen.contains_key(id)) {
                        Some((_, shown)) => client.adopt(shown.unwrap(), number()),
                        None => { client.nothing_lost(); continue }
                    }
                }
                Next::NewHand | Next::Send => {
                    let request = client.request().unwrap();
                    match host.answer(&request, &mut random) {
                        Answer::Lost => { client.lost(); continue }
                        Answer::Conflict => client.conflict(),
                        Answer::Refused(said) => client.refused(&said).unwrap(),
                        Answer::Body(body) => match client.receive(body.as_bytes(), number) {
                            Ok(news) => news,
                            Err(ClientError::Answer(error)) => {
                                prop_assert_eq!(error.fault(), Fault::Again);
                                continue;
                            }
                            Err(error) => panic!("{error}"),
                        },
                    }
                }
            };
            for news in news {
                match news {
                    News::Finished(hand) => {
                        prop_assert!(seen.insert(hand.id, hand).is_none());
                    }
                    News::Unseen(hand) => {
                        prop_assert!(unseen.insert(hand.id, *hand).is_none());
                    }
                    News::Began(_) | News::Refused(_) => {}
                    News::Full => panic!("one hand only is open"),
                }
            }
        }
        prop_assert!(!seen.is_empty());
        for (id, hand) in &seen {
            let hosts = &host.hands[id];
            prop_assert_eq!(&hand.public, hosts.public());
            prop_assert_eq!(hand.payoffs[hand.seat], Payoff::from_chips(hosts.winnings()));
            prop_assert!(hand.disturbed == host.twice.contains(id) || lost > 0);
        }
        if lost == 0 {
            prop_assert!(unseen.is_empty() && host.hands.len() <= seen.len() + 1);
        }
        for id in unseen.keys() {
            prop_assert!(!seen.contains_key(id));
            prop_assert_eq!(host.hands[id].next(), HostNext::Over);
        }
    }
}

enum Answer {
    Body(String),
    Conflict,
    Refused(String),
    Lost,
}

/// A host with hands by number, which loses about `lost` in 20 requests and as many answers.
struct Host {
    hands: BTreeMap<u64, Hand>,
    random: Pcg64Mcg,
    lost: u32,
    twice: Vec<u64>,
}

impl Host {
    fn new(seed: u64, lost: u32) -> Host {
        let random = Pcg64Mcg::seed_from_u64(seed);
        Host { hands: BTreeMap::new(), random, lost, twice: Vec::new() }
    }

    fn loses(&self, random: &mut Pcg64Mcg) -> bool {
        random.random_range(0..20) < self.lost
    }

    fn list(&mut self, random: &mut Pcg64Mcg) -> Option<String> {
        if self.loses(random) {
            return None;
        }
        let open = self.hands.iter().filter(|(_, hand)| hand.next() == HostNext::Client);
        let views: Vec<Value> =
            open.map(|(id, hand)| varied(&object(*id, hand, "me", None), random)).collect();
        Some(Value::Array(views).to_string())
    }

    fn answer(
        &mut self,
        request: &protocol::gtowizard::client::Request,
        random: &mut Pcg64Mcg,
    ) -> Answer {
        if self.loses(random) {
            return Answer::Lost;
        }
        let body = request.body.clone().unwrap_or_default();
        let id = match request.endpoint {
            Endpoint::NewHand => {
                read_new_hand(body.as_bytes()).unwrap();
                let id = 1000 + self.hands.len() as u64;
                let hand = deal(&mut self.random, self.hands.len() % 2);
                self.hands.insert(id, hand);
                id
            }
            Endpoint::Act => {
                let id: u64 = request.path.split('/').nth(2).unwrap().parse().unwrap();
                let incr = read_act(body.as_bytes()).unwrap();
                let hand = self.hands.get_mut(&id).unwrap();
                let times = 1 + usize::from(random.random_range(0..60) < self.lost);
                for time in 0..times {
                    if hand.next() == HostNext::Over {
                        return if time == 0 { Answer::Conflict } else { Answer::Lost };
                    }
                    let action = match hand.read(&incr) {
                        Ok(action) => action,
                        Err(refused) if time == 0 => return Answer::Refused(refused.to_string()),
                        Err(_) => break,
                    };
                    hand.play(action).unwrap();
                    answer_for_host(hand, &mut self.random);
                    if time == 1 {
                        // Carried out twice; the first answer is the one that was lost.
                        self.twice.push(id);
                    }
                }
                id
            }
            Endpoint::InProgress => {
                return self.list(random).map_or(Answer::Lost, Answer::Body);
            }
            other => panic!("{other:?} is not for a client"),
        };
        if self.loses(random) {
            return Answer::Lost;
        }
        let view = varied(&object(id, &self.hands[&id], "me", Some(1.5)), random);
        Answer::Body(view.to_string())
    }
}

/// A hand in which the client, on the button with aces, is to act first.
fn opening() -> Hand {
    let hole =
        BySeat::from_fn(2, |s| if s.index() == 1 { "AsAh" } else { "7c2d" }.parse().unwrap());
    Hand::new(&def(), hole, "9c4d5hKdQs".parse().unwrap(), seat(1))
}

#[test]
fn a_hand_is_written_as_in_the_published_schema() {
    let mut hand = opening();
    hand.play(Action::RaiseTo(225)).unwrap();
    hand.play(Action::Call).unwrap();
    hand.play(Action::Call).unwrap();
    assert_eq!(
        json(&object(12, &hand, "me", None)),
        r#"{"hand_id":12,"game":{"game_id":1,"game_name":"HUNL 200BB","game_format":"HU","starting_stack":20000.0,"blinds":[100.0,50.0],"stack_reset_per_hand":true},"game_state":{"street":"flop","common_pot":450.0,"total_pot":450.0,"board_cards":"9c4d5h","is_hand_over":false,"players":[{"name":"GTO Wizard","stack":19775.0,"position":"BB","hole_cards":null},{"name":"me","stack":19775.0,"position":"SB","hole_cards":"AsAh"}],"legal_actions":["k","b"],"raise_range":{"min":100.0,"max":19775.0},"action_history":["b225","c","_","k"],"has_gto_wizard_folded":false,"winnings":null,"aivat_score":null}}"#
    );
}

#[test]
fn folding_the_big_blind_to_an_open_loses_a_big_blind() {
    let hole =
        BySeat::from_fn(2, |s| if s.index() == 1 { "AsAh" } else { "7c2d" }.parse().unwrap());
    let mut hand = Hand::new(&def(), hole, "9c4d5hKdQs".parse().unwrap(), seat(0));
    hand.play(Action::RaiseTo(225)).unwrap();
    hand.play(Action::Fold).unwrap();
    let view = serde_json::to_value(object(5, &hand, "me", Some(-14.66))).unwrap();
    let end = read(&view).unwrap().end.unwrap();
    assert_eq!((end.winnings, end.aivat_score), (-100, Some(-14.66)));
    // The other hand need not be shown where nothing was shown down.
    let mut hidden = view;
    hidden["game_state"]["players"][1]["hole_cards"] = Value::Null;
    assert_eq!(read(&hidden).unwrap().end.unwrap().other.len(), 0);
}

#[test]
fn fields_that_could_mean_another_game_are_refused_by_name_and_others_left_aside() {
    let view = || serde_json::to_value(object(5, &opening(), "me", None)).unwrap();
    let changed = |path: &str, to: Value| {
        let mut view = view();
        *view.pointer_mut(path).unwrap() = to;
        read(&view).unwrap_err()
    };
    let added = |path: &str, field: &str, to: Value| {
        let mut view = view();
        let object = if path.is_empty() { Some(&mut view) } else { view.pointer_mut(path) };
        object.unwrap()[field] = to;
        read(&view)
    };
    for (path, to, name) in [
        ("/game/blinds", value!([200.0, 100.0]), "game.blinds"),
        ("/game/blinds", value!([100.0, 50.0, 25.0]), "game.blinds"),
        ("/game/starting_stack", value!(10000.0), "game.starting_stack"),
        ("/game/stack_reset_per_hand", value!(false), "game.stack_reset_per_hand"),
        ("/game/game_name", value!("HUNL 100BB"), "game.game_name"),
    ] {
        let error = changed(path, to);
        assert_eq!(error.fault(), Fault::OtherGame, "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
    for (path, field, to) in [
        ("/game", "ante", value!(10)),
        ("/game", "deck", value!("short")),
        ("/game_state", "total_ante", value!(25.0)),
        ("/game_state/players/0", "straddle", value!(200)),
        ("", "rake", value!(0.05)),
        ("", "gto_wizard_version", value!(1)),
    ] {
        let error = added(path, field, to).unwrap_err();
        assert_eq!(error.fault(), Fault::OtherGame, "{error}");
    }
    for (path, field, to) in [
        ("/game", "ante", value!(0)),
        ("/game", "deck", Value::Null),
        ("/game_state", "time_bank", value!(25.0)),
        ("/game_state/players/0", "avatar", value!("x.png")),
        ("", "gto_wizard_version", value!(2)),
    ] {
        added(path, field, to).unwrap();
    }
}

#[test]
fn figures_that_contradict_the_rules_are_errors_that_show_both() {
    let view = serde_json::to_value(object(5, &opening(), "me", None)).unwrap();
    for (path, to, words) in [
        ("/game_state/players/1/stack", value!(19000.0), ["19000", "19950"]),
        ("/game_state/raise_range/min", value!(150.0), ["150 to 20000", "200 to 20000"]),
        ("/game_state/raise_range", Value::Null, ["nothing", "200 to 20000"]),
        ("/game_state/legal_actions", value!(["k", "b"]), ["is k b", "c f b"]),
        ("/game_state/street", value!("flop"), ["`flop`", "`preflop`"]),
        ("/game_state/is_hand_over", value!(true), ["the hand is over", "it goes on"]),
        ("/game_state/action_history", value!(["c"]), ["this side is to act", "the other side is"]),
        ("/game_state/action_history", value!(["b120"]), ["b120", "too small"]),
        ("/game_state/board_cards", value!("9c4d5h"), ["3 cards", "calls for 0"]),
        ("/game_state/players/0/hole_cards", value!("AsKd"), ["As", "twice"]),
    ] {
        let mut view = view.clone();
        *view.pointer_mut(path).unwrap() = to;
        let error = read(&view).unwrap_err();
        assert_eq!(error.fault(), Fault::Contradiction, "{error}");
        for word in words {
            assert!(error.to_string().contains(word), "no `{word}` in {error}");
        }
    }
    let mut over = opening();
    over.play(Action::Fold).unwrap();
    let mut view = serde_json::to_value(object(5, &over, "me", Some(0.0))).unwrap();
    view["game_state"]["winnings"] = value!(-100.0);
    let error = read(&view).unwrap_err().to_string();
    assert!(error.contains("are -100") && error.contains("give -50"), "{error}");
}

#[test]
fn the_hero_is_found_by_name_whichever_cards_are_visible() {
    let mut view = serde_json::to_value(object(5, &opening(), "me", None)).unwrap();
    view["game_state"]["players"][0]["hole_cards"] = value!("7c2d");
    assert_eq!(read(&view).unwrap().hole, "AsAh".parse().unwrap());
    view["game_state"]["players"][0]["name"] = value!("somebody");
    let error = read(&view).unwrap_err();
    assert!(error.to_string().contains("somebody, me"), "{error}");
}

#[test]
fn the_cap_waits_and_an_act_in_conflict_ends_its_hand() {
    let mut client = Client::new(def(), VERSION);
    assert!(matches!(client.conflict()[..], [News::Full]));
    assert!(matches!(client.next(), Next::NewHand));
    let view = json(&object(5, &opening(), "me", None));
    client.receive(view.as_bytes(), || 3).unwrap();
    client.act(Action::RaiseTo(300)).unwrap();
    let request = client.request().unwrap();
    assert_eq!(request.path, "/hands/5/act");
    assert_eq!(request.body.as_deref(), Some(r#"{"action":"b","amount":300}"#));
    let news = client.conflict();
    let [News::Unseen(hand)] = &news[..] else { panic!("{news:?}") };
    assert_eq!((hand.number, hand.id, hand.incr.as_str()), (3, 5, "b300"));
    assert!(matches!(client.next(), Next::NewHand));
}

#[test]
fn a_hand_that_others_have_played_is_taken_up_as_foreign() {
    let mut hand = opening();
    hand.play(Action::RaiseTo(225)).unwrap();
    hand.play(Action::Call).unwrap();
    hand.play(Action::Call).unwrap();
    let view = json(&object(5, &hand, "me", None));
    let list = answer::read_list(&def(), VERSION, format!("[{view}]").as_bytes()).unwrap();
    let [(5, Ok(shown))] = &list[..] else { panic!("{list:?}") };
    let mut client = Client::new(def(), VERSION);
    client.adopt(shown.clone(), 1);
    client.act(Action::Call).unwrap();
    hand.play(Action::Call).unwrap();
    hand.play(Action::Call).unwrap();
    hand.play(Action::RaiseTo(425)).unwrap();
    hand.play(Action::Call).unwrap();
    hand.play(Action::Call).unwrap();
    // The answer holds a bet of ours that was never sent.
    let view = json(&object(5, &hand, "me", None));
    let error = client.clone().receive(view.as_bytes(), || 2).unwrap_err().to_string();
    assert!(error.contains("does not continue from `b225 c _ k`"), "{error}");
    let saved = client.save();
    assert!(saved.contains(r#""foreign":true"#));
    let edited = saved.replace(r#""seat":1"#, r#""seat":0"#);
    assert!(Client::restore(def(), VERSION, &edited).is_err());
}
