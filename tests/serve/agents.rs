//! The page of an agent: its charts and trees are those of the commands, and what cannot be asked
//! is refused in words.

use serde_json::Value;

use super::server::Server;
use crate::program::{Folder, list, number, shows, string};

const QUIET: &str = "tables = []\n[slumbot]\nenabled = false\n";

/// A text as it stands in HTML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&#38;").replace('<', "&#60;").replace('>', "&#62;");
    text.replace('"', "&#34;").replace('\'', "&#39;")
}

/// The share of the time in which two charts of `explain chart --json` do not do the same with each
/// hand, and over all hands.
fn apart(charts: [&Value; 2]) -> (Vec<f64>, f64) {
    let shares = |chart: &Value, hand: usize, word: &str| -> f64 {
        let actions = list(&chart["actions"]);
        let at = actions.iter().position(|action| action["action"] == word);
        at.map_or(0.0, |at| number(&chart["hands"][hand]["strategy"][at]))
    };
    let words = |chart: &Value| -> Vec<String> {
        list(&chart["actions"]).iter().map(|it| string(&it["action"]).to_owned()).collect()
    };
    let mut all = words(charts[0]);
    all.extend(words(charts[1]).into_iter().filter(|word| !words(charts[0]).contains(word)));
    let hand = |at: usize| {
        let each = all
            .iter()
            .map(|word| (shares(charts[0], at, word) - shares(charts[1], at, word)).abs());
        each.sum::<f64>() / 2.0
    };
    let each: Vec<f64> = (0..169).map(hand).collect();
    let combos = |at: usize| number(&charts[0]["hands"][at]["combos"]);
    let mean = (0..169).map(|at| combos(at) * each[at]).sum::<f64>() / 1326.0;
    (each, mean)
}

#[test]
fn an_agents_page_shows_the_charts_and_trees_of_the_commands() {
    let server = Server::start(QUIET);
    let folder = Folder::new();
    let (head, page) = server.get("/agents/oct?at=r250&with=cfr");
    shows(&head, &["http/1.1 200", "default-src 'self'"]);
    assert!(!page.contains("style=") && !page.contains("<style"), "the content policy forbids it");
    // The command's chart begins with two lines about the decision.
    let chart = folder.ok("explain chart oct --at r250");
    let (_, table) = chart.split_once("\n\n").expect("a chart below its head");
    for line in table.lines().filter(|line| !line.is_empty()) {
        shows(&page, &[&escaped(line)]);
    }
    let charts = ["oct", "cfr"].map(|name| folder.json(("explain chart --at r250", name)));
    let (each, all) = apart([&charts[0], &charts[1]]);
    shows(&page, &[&format!("In {:.1} % of all hands", 100.0 * all)]);
    let most = each.iter().copied().fold(0.0, f64::max);
    shows(&page, &[&format!("<td class=\"num\">{:.0} %</td>", 100.0 * most)]);
    for (hand, share) in list(&charts[0]["hands"]).iter().zip(&each) {
        let text = format!("title=\"{}: {:.0} %\"", string(&hand["hand"]), 100.0 * share);
        shows(&page, &[&text]);
    }
    let (_, page) = server.get("/agents/oct?street=river&node=1");
    let tree = folder.ok("explain tree oct --street river --node 1 --depth 3");
    for line in tree.lines().filter(|line| !line.is_empty()) {
        shows(&page, &[&escaped(line)]);
    }
    let (head, picture) = server.get("/agents/oct/tree.svg?street=river&node=1");
    shows(&head, &["http/1.1 200", "image/svg+xml"]);
    folder.ok("explain tree oct --street river --node 1 --depth 3 --svg tree.svg");
    assert_eq!(picture, folder.read("tree.svg"));
    let (head, card) = server.get("/agents/oct/card");
    shows(&head, &["http/1.1 200", "default-src 'none'", "style-src 'unsafe-inline'"]);
    folder.ok("explain playbook oct --out card.html");
    assert_eq!(card, folder.read("card.html"));
}

#[test]
fn a_situation_goes_through_the_tree_as_its_numbers_say() {
    let server = Server::start(QUIET);
    let query = "hand=Ad3s&board=KcQd8h&betting=r250c%2Fc";
    let (_, page) = server.get(&format!("/agents/oct?{query}"));
    let features = Folder::new().json("show features Ad3s --board KcQd8h --bets 250");
    assert_eq!(features["values"][0]["id"], "winrate");
    let percent = 100.0 * number(&features["values"][0]["value"]);
    // Links lead to the situation after each action, and back.
    let links: Vec<&str> = page
        .split("aria-label=\"The betting\"")
        .nth(1)
        .and_then(|rest| rest.split("</nav>").next())
        .map(|links| links.split("href=\"").skip(1).filter_map(|it| it.split('"').next()).collect())
        .unwrap_or_default();
    assert!(links.len() > 3, "{links:?}");
    for link in links {
        let address = link.replace("&amp;", "&").replace("#situation", "");
        let (head, other) = server.get(&format!("/agents/oct{address}"));
        shows(&head, &["http/1.1 200"]);
        let due = other.contains("write them as the board");
        assert!(due || other.contains("aria-label=\"The betting\""), "{address}");
    }
    shows(&page, &["Its way through the tree on the flop", "node 0", "What would change"]);
    // The equity of the hand stands where a test of it is on the way.
    if page.contains("against a random hand") {
        shows(&page, &[&format!("{percent:.1} % against a random hand")]);
    }
    for (query, part) in [
        ("hand=Ad", "two different cards"),
        ("hand=AdAd", "hand"),
        ("hand=Ad3s&board=Ad8h3d&betting=cc", "both in the hand and on the board"),
        ("hand=Ad3s&betting=r250c", "write them as the board"),
        ("hand=Ad3s&betting=r20000c", "leave out the last action"),
        ("hand=Ad3s&betting=f", "leave out the last action"),
    ] {
        let (head, page) = server.get(&format!("/agents/oct?{query}"));
        shows(&head, &["http/1.1 200"]);
        let error = page.split("role=\"alert\">").nth(1).unwrap_or_default();
        shows(error, &[part]);
    }
}

#[test]
fn what_an_agent_does_not_have_is_not_shown() {
    let server = Server::start(QUIET);
    let first = server.get("/").1;
    shows(&first, &["href=\"/agents/oct\"", "href=\"/agents/resolve\""]);
    for (path, code) in [
        ("/agents/none", "404"),
        ("/agents/equity/card", "404"),
        ("/agents/oct?at=r250c", "400"),
        ("/agents/oct?at=x", "400"),
        ("/agents/oct?street=fifth", "400"),
        ("/agents/oct?street=flop&node=1000000", "400"),
        ("/agents/oct?other=1", "400"),
        ("/agents/oct?with=none", "404"),
    ] {
        shows(&server.get(path).0, &[&format!("http/1.1 {code}")]);
    }
    let (_, page) = server.get("/agents/external");
    shows(&page, &["cannot be asked what it would do"]);
    assert!(!page.contains("Its trees"));
    // What computes its decisions is not had to do it by whoever opens a page.
    let (_, page) = server.get("/agents/resolve?hand=Ad3s&board=KcQd8h2c2d&betting=cc/cc/cc");
    shows(&page, &["It thinks about each decision", "Before the flop"]);
    assert!(!page.contains("<button type=\"submit\">Ask"), "a form to ask it");
    let (_, page) = server.get("/agents/cfr");
    shows(&page, &["Before the flop", "In a situation"]);
    assert!(!page.contains("Its trees"));
}
