//! Whatever is typed for an agent or written into its files is an agent or an error, never a panic.

use agents::{AgentConfig, Registry};
use proptest::prelude::*;

/// Names as people type them: known words, near misses, options, separators, anything.
fn name() -> impl Strategy<Value = String> {
    let words = "call fold random raise equity router shadow : , = pot all-in samples size bluff 1 \
                 0.5 -3 nan inf ' \" [ { rules.toml";
    let piece = prop_oneof![
        prop::sample::select(words.split(' ').chain([" "]).collect::<Vec<_>>())
            .prop_map(str::to_owned),
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_name_resolves_or_says_why(name in name()) {
        match Registry::standard().resolve(&name) {
            Ok(choice) => {
                prop_assert_eq!(choice.name(), name.trim());
                choice.build(&std::sync::Arc::new(game::games::kuhn())).expect("it plays Kuhn");
            }
            Err(error) => {
                prop_assert!(!error.to_string().is_empty());
                let text = error.to_string();
                if error.is_unknown() && let Some((_, hint)) = text.split_once("did you mean `") {
                    let (nearest, rest) = hint.split_once('`').expect("a name in backquotes");
                    let known = rest.split_once("known agents: ").expect("a list").1;
                    prop_assert!(known.split(", ").any(|known| known == nearest), "{}", text);
                }
            }
        }
    }

    #[test]
    fn any_one_letter_slip_of_a_kind_is_recognized(
        index in 0..7usize,
        at in any::<prop::sample::Index>(),
        letter in proptest::char::range('a', 'z'),
        kind_of_slip in 0..3,
    ) {
        let registry = Registry::standard();
        let kind = registry.kinds()[index].kind;
        let mut letters: Vec<char> = kind.chars().collect();
        let at = at.index(letters.len());
        match kind_of_slip {
            0 => letters.insert(at, letter),
            1 => letters[at] = letter,
            _ => drop(letters.remove(at)),
        }
        let slip: String = letters.into_iter().collect();
        // A slip may hit another name exactly.
        if let Err(error) = registry.resolve(&slip)
            && error.is_unknown()
        {
            prop_assert!(error.to_string().contains("did you mean"), "{} is not recognized", slip);
        }
    }

    #[test]
    fn any_rule_file_is_rules_or_an_error_that_names_the_file(text in rules()) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("rules.toml"), &text).expect("a file");
        if let Err(error) = Registry::standard().resolve_in("router:rules.toml", folder.path()) {
            let error = error.to_string();
            let circle = error.contains("circle");
            prop_assert!(circle || error.contains("rules.toml") || error.contains("agent"),
                "{error}");
        }
    }

    #[test]
    fn any_option_value_is_taken_or_refused(
        kind in prop::sample::select(vec!["call", "raise", "equity", "router", "shadow"]),
        option in prop::sample::select(vec!["size", "bluff", "samples", "exact", "rules", "agents",
            "x"]),
        number in any::<f64>(),
        text in any::<String>(),
        choice in 0..3,
    ) {
        let mut config = AgentConfig::new(kind);
        let value = match choice {
            0 => toml::Value::Float(number),
            1 => toml::Value::Integer(number as i64),
            _ => toml::Value::String(text),
        };
        config.options.insert(option.to_owned(), value);
        let mut registry = Registry::standard();
        registry.define("tried", config).expect("a name and a kind");
        if let Err(error) = registry.resolve("tried") {
            prop_assert!(error.to_string().contains("agent"), "{error}");
        }
    }
}

fn rules() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("default = 'call'".to_owned()),
        Just("[[rule]]".to_owned()),
        Just("agent = 'fold'".to_owned()),
        Just("agent = 'router:rules.toml'".to_owned()),
        "streets = \\['[a-z]{0,7}'\\]",
        "positions = \\['[a-z0-9-]{0,9}'\\]",
        "(pot|players)_(from|below|to) = -?[0-9]{1,12}(\\.[0-9])?",
        any::<String>(),
    ];
    prop::collection::vec(line, 0..8).prop_map(|lines| lines.join("\n"))
}
