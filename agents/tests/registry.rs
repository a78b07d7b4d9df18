//! Agents by name: what resolves, and what the errors say.

use std::sync::Arc;
use std::thread;

use agents::{AgentConfig, Cost, Registry};
use game::games;

use crate::table::data;

fn config(text: &str) -> AgentConfig {
    toml::from_str(text).expect("a table")
}

#[test]
fn names_that_cannot_be_resolved_say_why_and_what_to_do() {
    let mut registry = Registry::standard();
    registry.define("careful", config("kind = 'equity'\nbet = 3.0")).expect("a definition");
    registry.define("loop-a", config("kind = 'shadow'\nagents = 'loop-b,call'")).expect("defined");
    registry.define("loop-b", config("kind = 'shadow'\nagents = 'call,loop-a'")).expect("defined");
    let cases: &[(&str, &str)] = &[
        (
            "eqity",
            // Other kinds may stand between.
            "there is no agent `eqity` (did you mean `equity`?); known agents: call, fold, random,",
        ),
        ("eqity", ", careful, loop-a, loop-b"),
        ("carefull", "(did you mean `careful`?)"),
        ("zzzzzzzzz", "there is no agent `zzzzzzzzz`; known agents: call,"),
        ("", "there is no agent ``"),
        ("./no-such-bot", "there is no agent `./no-such-bot` and no such file; known agents: call"),
        ("raise:huge", "`size` is huge, but must be `min`, `10x` (times the bet), `75%` (of the"),
        ("call:x", "`x` is not of the form OPTION=VALUE"),
        ("call:x=1", "agent `call:x=1` has no option `x`; its options: none"),
        ("equity:sample=5", "has no option `sample` (did you mean `samples`?)"),
        ("equity:samples=0", "`samples` is 0, but must be from 1 to 1000000"),
        ("equity:samples=many", "invalid type: string \"many\", expected u32"),
        ("equity:bluff=1.5", "`bluff` is 1.5, but must be from 0 to 1"),
        ("equity:size=-1.0", "`size` is -1, but must be above 0"),
        ("shadow:call", "`call` must name two agents"),
        ("shadow", "missing field `agents`"),
        ("shadow:call,fod", "there is no agent `fod` (did you mean `fold`?)"),
        ("loop-a", "in a circle: loop-a -> loop-b -> loop-a"),
        ("router:nowhere.toml", "nowhere.toml: No such file or directory"),
    ];
    for &(name, expected) in cases {
        let error = registry.resolve(name).expect_err(name).to_string();
        assert!(error.contains(expected), "{name}: {error}");
        assert!(!error.contains('\n'), "{name}: more than one line: {error}");
    }
}

#[test]
fn definitions_that_cannot_be_used_are_refused() {
    let mut registry = Registry::standard();
    for name in ["call", "", "a b", "a:b", "a,b"] {
        let refused = registry.define(name, config("kind = 'fold'")).expect_err(name).to_string();
        assert!(refused.contains(&format!("cannot be called `{name}`")), "{refused}");
    }
    let unknown = registry.define("mine", config("kind = 'fould'")).expect_err("no such kind");
    assert!(unknown.to_string().contains("did you mean `fold`?"), "{unknown}");
}

#[test]
fn wrappers_take_on_what_they_wrap() {
    let mut registry = Registry::standard();
    registry.define("inner", config("kind = 'router'\nrules = 'rules.toml'")).expect("defined");
    let mut inner = config("kind = 'router'\nrules = 'rules.toml'");
    inner.folder = data().to_owned();
    registry.define("placed", inner).expect("defined");
    let choice = registry.resolve("shadow:placed,call").expect("resolves");
    assert_eq!(choice.files(), [data().join("rules.toml")]);
    assert_eq!(choice.names(), ["placed"]);
    assert_eq!(choice.cost(), Cost::Inline);
    assert!(choice.repeatable());
    assert_eq!(choice.name(), "shadow:placed,call");
    assert!(registry.resolve("inner").is_err(), "paths start from the definition's folder");
}

#[test]
fn a_choice_builds_from_many_threads() {
    let choice = Registry::standard().resolve("equity").expect("resolves");
    let def = Arc::new(games::kuhn());
    let build = || (choice.clone(), Arc::clone(&def));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (choice, def) = build();
            thread::spawn(move || choice.build(&def).is_ok())
        })
        .collect();
    assert!(threads.into_iter().all(|thread| thread.join().expect("no panic")));
}

#[test]
fn documented_options_are_the_ones_accepted() {
    let registry = Registry::standard();
    for spec in registry.kinds() {
        for option in spec.options.iter().filter(|option| option.default != "required") {
            let mut config = AgentConfig::new(spec.kind);
            let value = format!("v = {}", option.default).parse::<toml::Table>();
            let value = value.ok().and_then(|mut table| table.remove("v"));
            let value = value.unwrap_or_else(|| toml::Value::String(option.default.to_owned()));
            config.options.insert(option.name.to_owned(), value);
            let mut registry = registry.clone();
            registry.define("tried", config).expect("a definition");
            let tried = registry.resolve("tried");
            assert!(tried.is_ok(), "{} {}: {:?}", spec.kind, option.name, tried.err());
        }
    }
}
