//! Tests of the queries and of the words of lines.

use logs::{Entrant, MatchInfo, Provenance};

use super::*;

fn info(duplicate: bool) -> MatchInfo {
    let def = game::games::nolimit_holdem();
    MatchInfo {
        name: "m".to_owned(),
        game_name: "holdem".to_owned(),
        hands: 100,
        seed: 0,
        duplicate,
        shard: None,
        game: def,
        entrants: ["ann", "bob"].map(Entrant::named).into(),
        provenance: Provenance::default(),
    }
}

/// The query of this text.
fn query(text: &str) -> HandQuery {
    let address = format!("/x{text}").parse().expect("an address");
    Query::try_from_uri(&address).map(|Query(query)| query).expect("a query")
}

#[test]
fn a_query_asks_for_the_same_when_it_is_written_again() {
    let info = info(true);
    for text in [
        "",
        "?sort=pot",
        "?sort=lost&player=1",
        "?sort=luck&player=1&showdown=no&street=turn&line=rc%2Fcr&differ=yes&page=3",
        "?sort=price",
        "?showdown=yes&page=20",
        "?line=r250c",
    ] {
        let wanted = Wanted::read(&query(text), &info).expect("a query");
        assert_eq!(wanted.query(), text);
        assert_eq!(Wanted::read(&query(&wanted.query()), &info), Ok(wanted));
    }
    // As a form sends it, with what was not chosen.
    let form = "?sort=latest&player=0&showdown=&street=&line=";
    assert_eq!(Wanted::read(&query(form), &info), Ok(Wanted::default()));
}

#[test]
fn a_wrong_query_says_what_it_takes() {
    for (text, said) in [
        ("?sort=x", "`sort` is one of latest, first, pot"),
        ("?player=2", "`player` is a number from 0 to 1"),
        ("?showdown=maybe", "`showdown` is yes or no"),
        ("?street=5th", "`street` is preflop, flop"),
        ("?line=b2", "`b2` is not a line: write f for a fold"),
        ("?page=0", "`page` is a number from 1"),
        ("?differ=yes", "each deal is played more than once"),
    ] {
        let error = Wanted::read(&query(text), &info(false)).expect_err(text);
        assert!(error.contains(said), "{error}");
    }
}
