//! The router: which rule plays, and what bad rule files are told.

use std::sync::Arc;

use agents::Registry;
use game::games;

use crate::table::{agent, context, infoset};

const RULES: &str = "router:rules.toml";

#[test]
fn the_first_rule_that_fits_plays() {
    let two = Arc::new(games::nolimit_holdem());
    let three = Arc::new(games::nolimit_holdem_with(vec![20_000; 3]));
    let cases = [
        // Heads-up, the button opens a pot of 1.5 big blinds.
        (&two, "", "", &[][..], "rule 1 plays raise:min"),
        // Not the button.
        (&two, "c", "", &[], "no rule fits, equity plays"),
        // The pot is 6 big blinds: not below 4.
        (&two, "r200r400", "", &[], "no rule fits, equity plays"),
        (&two, "cr200", "", &[], "rule 1 plays raise:min"),
        (&three, "", "", &[], "rule 1 plays raise:min"),
        (&three, "c", "", &[], "rule 2 plays random"),
        (&three, "fc", "", &[], "no rule fits"),
        (&two, "cc/cc/r1500", "2c3c4c5c", &[], "no rule fits"),
        (&two, "r1500c/cc/", "2c3c4c5c", &[], "rule 3 plays fold"),
        (&two, "c", "", &["somebody"], "rule 4 plays shadow:call,random"),
        (&two, "c", "", &["somebody else"], "no rule fits"),
    ];
    for (def, betting, board, opponents, expected) in cases {
        let mut router = agent(RULES, def);
        let names: Vec<String> = opponents.iter().map(|&name: &&str| name.to_owned()).collect();
        router.meet(&names);
        let decision = router.act(&infoset(def, betting, "AsKs", board), &mut context(1));
        let note = decision.note.expect("a router says who played");
        assert!(note.starts_with(expected), "`{betting}` against {opponents:?}: {note}");
    }
}

#[test]
fn bad_rules_are_refused_with_their_place() {
    let cases = testing::rows(
        r"
        => line 1, column 1: missing field `default`
        default = 'call'\nrules = 3 => line 2, column 1: unknown field `rules`
        default = call => line 1, column 11:
        default = 'coll' => there is no agent `coll` (did you mean `call`?)
        default = 'call'\n[[rule]]\nstreets = ['turn'] => line 2, column 1: missing field `agent`
        default = 'call'\n[[rule]]\nagent = 'fold'\nstreets = ['trun']
            => rule 1: there is no street `trun` (did you mean `turn`?); known: preflop, flop,
        default = 'call'\n[[rule]]\nagent = 'fold'\npositions = ['buton']
            => rule 1: there is no position `buton` (did you mean `button`?)
        default = 'call'\n[[rule]]\nagent = 'fold'\npot_from = 5\npot_below = 2
            => rule 1: no pot is from 5 and below 2
        default = 'call'\n[[rule]]\nagent = 'fold'\nplayers_from = 3\nplayers_to = 2
            => rule 1: no number of players is 3 to 2
        default = 'router:rules.toml' => in a circle
        ",
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("rules.toml");
    for [text, expected] in &cases {
        std::fs::write(&path, text).expect("a file");
        let tried = Registry::standard().resolve_in("router:rules.toml", folder.path());
        let error = tried.expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
        assert!(!error.contains('\n'), "{text}: {error}");
    }
}

#[test]
fn a_shadow_plays_the_first_and_notes_the_second() {
    let def = Arc::new(games::nolimit_holdem());
    let situation = infoset(&def, "r300", "AsKs", "");
    let mut differing = agent("shadow:call,raise", &def);
    let decision = differing.act(&situation, &mut context(1));
    assert_eq!(decision.action, game::Action::Call);
    assert_eq!(decision.note.as_deref(), Some("raise would raise to 500"));
    let mut agreeing = agent("shadow:call,call", &def);
    assert_eq!(agreeing.act(&situation, &mut context(1)).note, None);
}
