//! Hands recorded from the original ACPC server: three matches of 1,000 hands and its answers in
//! scripted cases. Every line must replay, pay the same, and print back as it was.

use std::sync::Arc;

use game::{GameDef, GameSpec, Payoff, Turn, notation};

/// Replays `betting:cards` and returns the printed form of the state reached, with its payoffs when
/// the hand is over.
pub(crate) fn replayed(def: &Arc<GameDef>, betting: &str, cards: &str) -> (String, Option<String>) {
    let read = notation::parse_cards(def, cards).expect(cards);
    let state = notation::replay(def, betting, &read.board).expect(betting);
    let text = format!("{}:{}", notation::betting(&state), notation::cards(&state, &read.hole));
    let payoffs = (state.turn() == Turn::Over).then(|| {
        let payoffs = state.payoffs(&read.hole);
        payoffs.as_slice().iter().map(Payoff::to_string).collect::<Vec<_>>().join("|")
    });
    (text, payoffs)
}

/// Checks a finished hand `betting:cards:values`.
fn check_finished(def: &Arc<GameDef>, line: &str) {
    let [betting, cards, values] = line.split(':').collect::<Vec<_>>()[..] else {
        panic!("`{line}` is not betting:cards:values");
    };
    let (text, payoffs) = replayed(def, betting, cards);
    assert_eq!(text, format!("{betting}:{cards}"));
    assert_eq!(payoffs.as_deref(), Some(values), "{line}");
}

#[test]
fn whole_matches_replay() {
    for file in [
        include_str!("data/holdem.nolimit.2p.reverse_blinds.txt"),
        include_str!("data/kuhn.limit.3p.txt"),
        include_str!("data/leduc.limit.2p.txt"),
    ] {
        let mut lines = file.lines();
        let spec = serde_json::from_str(lines.next().expect("the game")).expect("the game");
        let def = Arc::new(GameDef::new(spec).expect("a valid game"));
        assert_eq!(lines.clone().count(), 1_000);
        lines.for_each(|line| check_finished(&def, line));
    }
}

/// A game, the states that the server sent to its players, and the finished hands that it logged.
#[derive(serde::Deserialize)]
struct Case {
    name: String,
    game: GameSpec,
    seen: Vec<String>,
    over: Vec<String>,
}

#[test]
fn the_states_of_scripted_cases_replay() {
    let cases = include_str!("data/cases.jsonl").lines();
    let mut checked = 0;
    for line in cases {
        let case: Case = serde_json::from_str(line).expect("a case");
        let def = Arc::new(GameDef::new(case.game).expect("a valid game"));
        for seen in &case.seen {
            let (betting, cards) = seen.split_once(':').expect("betting:cards");
            assert_eq!(&replayed(&def, betting, cards).0, seen, "{}", case.name);
            checked += 1;
        }
        case.over.iter().for_each(|line| check_finished(&def, line));
    }
    assert!(checked > 300, "{checked} states checked");
}
