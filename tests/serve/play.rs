//! The page for a person: what it answers, what its buttons promise, and what it keeps to itself.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use cards::Card;
use serde_json::{Value, json};

use super::server::Server;
use crate::program::{TIMEOUT, connect, read_some, shows, string};

const CONFIG: &str = "tables = []\n[slumbot]\nagent = \"equity\"\n";
const CALL: &str = "tables = []\n[slumbot]\nagent = \"call\"\n";

fn post(server: &Server, endpoint: &str, body: &Value) -> Value {
    let mut stream = connect(server.web);
    let body = body.to_string();
    let head = format!(
        "POST /api/{endpoint} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("text");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a header");
    serde_json::from_str(body).expect("JSON")
}

/// A new session with a hand; the hand and its token.
fn begin(server: &Server) -> (Value, String) {
    let hand = post(server, "new_hand", &json!({}));
    let token = string(&hand["token"]).to_owned();
    (hand, token)
}

fn act(server: &Server, token: &str, incr: &str) -> Value {
    post(server, "act", &json!({ "token": token, "incr": incr }))
}

fn table(server: &Server, token: &str) -> String {
    let (head, body) = server.get(&format!("/play/table?token={token}"));
    assert!(head.starts_with("http/1.1 200"), "{head}");
    body
}

/// The value of an attribute where it stands first.
fn attribute<'a>(html: &'a str, name: &str) -> Option<&'a str> {
    let mark = format!("{name}=\"");
    let rest = &html[html.find(&mark)? + mark.len()..];
    rest.split('"').next()
}

/// The events that a stream begins with, up to and with this one: names and HTML.
fn events(server: &Server, token: &str, last: &str) -> Vec<(String, String)> {
    let mut stream = connect(server.web);
    stream.set_read_timeout(Some(Duration::from_secs(1))).expect("a socket");
    let request = format!("GET /play/live?token={token} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut said = Vec::new();
    let since = Instant::now();
    loop {
        assert!(since.elapsed() < TIMEOUT, "no {last} in {}", String::from_utf8_lossy(&said));
        let mut bytes = [0; 4096];
        if let Ok(n) = read_some(&mut stream, &mut bytes) {
            said.extend_from_slice(&bytes[..n]);
        }
        let text = String::from_utf8_lossy(&said);
        let blocks = text.split("event: ").skip(1).filter(|block| block.contains("\n\n"));
        let events: Vec<(String, String)> = blocks
            .filter_map(|block| {
                let (name, rest) = block.split_once('\n')?;
                let data = rest.strip_prefix("data: ")?.lines().next()?;
                Some((name.trim().to_owned(), serde_json::from_str(data).ok()?))
            })
            .collect();
        if events.iter().any(|(name, _)| name == last) {
            return events;
        }
    }
}

fn texts(cards: &Value) -> impl Iterator<Item = String> {
    let cards = cards.as_array().cloned().unwrap_or_default();
    cards.into_iter().map(|card| card.as_str().expect("a card").to_owned())
}

/// Every card that a text shows: as a name, with a suit's sign, or as two letters in quotes.
fn cards_in(text: &str) -> BTreeSet<String> {
    const RANKS: [&str; 13] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen",
        "king", "ace",
    ];
    const SUITS: [(&str, &str); 4] =
        [("clubs", "♣"), ("diamonds", "♦"), ("hearts", "♥"), ("spades", "♠")];
    let shown = |card: &Card| {
        let (name, sign) = SUITS[usize::from(card.suit().index())];
        let rank = card.rank().to_char().to_string().replace('T', "10");
        text.contains(&format!("{} of {name}", RANKS[usize::from(card.rank().index())]))
            || text.contains(&format!("{rank}{sign}"))
            || text.contains(&format!("\"{card}\""))
    };
    Card::all().filter(shown).map(|card| card.to_string()).collect()
}

#[test]
fn addresses_of_the_table_answer_with_their_code_and_policy() {
    let server = Server::start(CONFIG);
    let (_, token) = begin(&server);
    let unknown = "01234567-89ab-4cde-8f01-23456789abcd";
    let cases = [
        ("/play".to_owned(), "200", "text/html"),
        ("/play?agent=call".to_owned(), "200", "text/html"),
        ("/play?agent=%3Ci%3E".to_owned(), "200", "text/html"),
        ("/play/table".to_owned(), "200", "text/html"),
        (format!("/play/table?token={token}"), "200", "text/html"),
        (format!("/play/table?token={unknown}"), "404", "text/plain"),
        ("/play/table?token=x".to_owned(), "404", "text/plain"),
        ("/play/live".to_owned(), "404", "text/plain"),
        (format!("/play/live?token={unknown}"), "404", "text/plain"),
        ("/play/history".to_owned(), "404", "text/plain"),
        (format!("/play/history?token={token}"), "200", "text/plain"),
        ("/assets/play.css".to_owned(), "200", "text/css"),
        ("/assets/play.js".to_owned(), "200", "text/javascript"),
    ];
    let policy = "content-security-policy: default-src 'self'; base-uri 'none'; \
                  form-action 'self'; frame-ancestors 'none'";
    for (path, code, kind) in cases {
        let (head, body) = server.get(&path);
        assert!(head.starts_with(&format!("http/1.1 {code} ")), "{path}: {head}");
        assert!(head.contains(&format!("content-type: {kind}")), "{path}: {head}");
        assert!(head.lines().any(|line| line == policy), "{path}: {head}");
        let inline = ["<style", " style=", "<script>", " onclick=", "://", "<i>"];
        let found = inline.iter().find(|text| kind == "text/html" && body.contains(**text));
        assert_eq!(found, None, "{path}");
    }
    let (_, page) = server.get("/play?agent=call");
    assert!(page.contains("<option value=\"call\"") && page.contains("src=\"/assets/play.js\""));
    let chosen = page.lines().find(|line| line.contains(" selected")).expect("one is chosen");
    assert!(chosen.contains("value=\"call\""), "{chosen}");
    let (_, index) = server.get("/");
    assert!(index.contains("href=\"/play\""), "nothing leads to the table");
}

#[test]
fn without_the_host_there_is_no_table() {
    let server = Server::start("tables = []\n[slumbot]\nenabled = false\n");
    for path in ["/play", "/play/table", "/play/live?token=x", "/play/history?token=x"] {
        let (head, _) = server.get(path);
        assert!(head.starts_with("http/1.1 404"), "{path}: {head}");
    }
}

#[test]
fn nothing_tells_the_agents_cards_or_cards_to_come_before_the_hand_is_over() {
    let server = Server::start(CALL);
    let (mut hand, token) = begin(&server);
    let mut looked = 0;
    while hand["winnings"].is_null() {
        let known: BTreeSet<String> =
            texts(&hand["hole_cards"]).chain(texts(&hand["board"])).collect();
        assert_eq!(cards_in(&table(&server, &token)), known, "on the table");
        for (name, html) in events(&server, &token, "history") {
            assert!(cards_in(&html).is_subset(&known), "{name} shows {:?}", cards_in(&html));
        }
        for path in ["/play/history", "/api/review"] {
            let (_, body) = server.get(&format!("{path}?token={token}"));
            assert!(cards_in(&body).is_empty(), "{path}: {body}");
        }
        looked += 1;
        hand = act(&server, &token, "k");
    }
    assert_eq!(looked, 4);
    let all: BTreeSet<String> = ["hole_cards", "bot_hole_cards", "board"]
        .iter()
        .flat_map(|name| texts(&hand[name]))
        .collect();
    assert_eq!(cards_in(&table(&server, &token)), all);
    let (_, history) = server.get(&format!("/play/history?token={token}"));
    assert_eq!(cards_in(&history), all, "{history}");
}

#[test]
fn the_buttons_offer_what_is_legal_and_nothing_else() {
    let server = Server::start(CONFIG);
    let (mut hand, token) = begin(&server);
    let (mut hands, mut ranges) = (0, 0);
    while hands < 12 {
        let shown = table(&server, &token);
        if !hand["winnings"].is_null() {
            assert!(shown.contains("data-deal") && !shown.contains("data-incr"), "{shown}");
            hands += 1;
            hand = post(&server, "new_hand", &json!({ "token": token }));
            continue;
        }
        let offered = |incr: &str| shown.contains(&format!("data-incr=\"{incr}\""));
        let refused = |incr: &str| act(&server, &token, incr)["error_msg"].is_string();
        assert_ne!(offered("k"), offered("c"), "{shown}");
        assert_eq!(offered("f"), offered("c"), "{shown}");
        assert!(refused(if offered("c") { "k" } else { "c" }), "{shown}");
        assert!(offered("f") || refused("f"), "{shown}");
        let end = |name| attribute(&shown, name).map(|text| text.parse::<u32>().expect("a number"));
        let range = end("data-min").zip(end("data-max"));
        if let Some((min, max)) = range {
            assert!(refused(&format!("b{}", min - 1)) && refused(&format!("b{}", max + 1)));
            for (at, _) in shown.match_indices("data-to=\"") {
                let to = attribute(&shown[at..], "data-to").expect("it was found");
                assert!((min..=max).contains(&to.parse().expect("a number")), "{shown}");
            }
            ranges += 1;
        } else {
            assert!(refused("b20000") && refused("b200"), "{shown}");
        }
        let incr = match (range, hands % 4) {
            (Some((min, _)), 1) => format!("b{min}"),
            (Some((_, max)), 3) => format!("b{max}"),
            _ if offered("c") => "c".to_owned(),
            _ => "k".to_owned(),
        };
        hand = act(&server, &token, &incr);
        assert!(hand["error_msg"].is_null(), "{incr}: {hand} {shown}");
    }
    assert!(ranges > 12, "{ranges}");
}

#[test]
fn the_result_is_that_of_the_records_and_survives_a_restart() {
    let mut server = Server::start(CALL);
    let (mut hand, token) = begin(&server);
    for number in 1..=6 {
        let mut first = true;
        while hand["winnings"].is_null() {
            let owed = table(&server, &token).contains("data-incr=\"c\"");
            let incr = if first && number % 2 == 0 {
                "b1500"
            } else if owed {
                "c"
            } else {
                "k"
            };
            first = false;
            hand = act(&server, &token, incr);
        }
        assert_eq!(hand["session_num_hands"], number);
        if number < 6 {
            hand = post(&server, "new_hand", &json!({ "token": token }));
        }
    }
    for restarted in [false, true] {
        if restarted {
            server = Server::start_in(server.kill());
        }
        let events = events(&server, &token, "history");
        let part = |name: &str| {
            let found = events.iter().find(|(event, _)| event == name);
            &found.unwrap_or_else(|| panic!("no {name}")).1
        };
        let result = part("result");
        let total = attribute(result, "data-total").expect("a result");
        assert_eq!(total, hand["session_total"].to_string(), "{result}");
        assert_eq!(attribute(result, "data-hands"), Some("6"), "{result}");
        shows(result, &["class=\"chart course\"", "&plusmn;"]);
        assert_eq!(part("history").matches("<details").count(), 6);
        assert_eq!(part("table"), &table(&server, &token));
        let review = part("review");
        assert!(restarted || review.contains("call"), "{review}");
        // A tree and rules say what they would have done at each of the three decisions or more.
        let advice = part("advice");
        shows(
            advice,
            &["<b>oct</b>, a decision tree", "<b>fft</b>, a list of rules", " times</summary>"],
        );
        let decisions = |part: &str| part.matches("class=\"decision\"").count();
        assert!(decisions(advice) >= 6 && decisions(advice) % 2 == 0, "{advice}");
        assert_eq!(decisions(advice), advice.matches("class=\"taken\"").count(), "{advice}");
        let (_, history) = server.get(&format!("/play/history?token={token}"));
        shows(
            &history,
            &[
                "Hand 2: you are on the button with ",
                "Before the flop: you raise to 1,500, call calls 1,400.",
            ],
        );
    }
}

#[test]
fn an_open_hand_is_on_the_table_again_after_a_restart() {
    let server = Server::start(CALL);
    let (_, token) = begin(&server);
    assert!(act(&server, &token, "k")["winnings"].is_null());
    let before = table(&server, &token);
    let server = Server::start_in(server.kill());
    assert_eq!(table(&server, &token), before);
    shows(&before, &["aria-label=\"Board\"", "data-incr=\"k\""]);
}
