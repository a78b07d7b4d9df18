//! The contract, over every kind in the registry; and that the checks can fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use agents::contract::{Claim, Terms, check};
use agents::{
    Agent, AgentChoice, AgentError, AgentSpec, Clock, Context, Cost, Decision, Failed, HandOutcome,
    Recipe, Registry,
};
use game::{Action, GameDef, InfoSet, Strategy, games};

use crate::table::data;

fn games() -> Vec<(&'static str, GameDef)> {
    let mut all = vec![
        ("kuhn", games::kuhn()),
        ("leduc", games::leduc()),
        ("limit hold'em", games::limit_holdem()),
        ("no-limit hold'em, short", games::nolimit_holdem_with(vec![1_000, 2_500])),
    ];
    for players in 2..=6 {
        all.push(("no-limit hold'em", games::nolimit_holdem_with(vec![20_000; players])));
    }
    let mut limit = games::nolimit_holdem_with(vec![5_000; 4]).spec().clone();
    limit.betting = game::Betting::Limit;
    limit.raise_sizes = vec![100, 100, 200, 200];
    limit.max_raises = vec![3, 4, 4, 4];
    all.push(("limit hold'em", GameDef::new(limit).expect("a game")));
    all
}

#[test]
fn every_kind_keeps_the_contract() {
    let registry = Registry::standard();
    let start = Instant::now();
    let students = models::student::TrainedModel::KINDS;
    let trained = [&students[..], &["cfr", "resolve"]].concat();
    for spec in registry.kinds() {
        let choice = registry.resolve_in(spec.example, data()).expect(spec.example);
        let mut played = 0;
        for (name, def) in games() {
            let players = def.players;
            let terms = Terms { longest_mean: Duration::from_millis(100), ..Terms::default() };
            let report =
                match check(&choice, &Arc::new(def), terms, &Clock::new(move || start.elapsed())) {
                    // A trained agent plays the games that it was trained for.
                    Err(error) if error.is_game() && trained.contains(&spec.kind) => continue,
                    report => report.expect("every other kind plays every game"),
                };
            played += 1;
            assert_eq!(report.breaches, [], "{} at {name}, {players} players", spec.kind);
            assert!(report.decisions >= 200, "{} at {name}: too few decisions", spec.kind);
        }
        let least = if students.contains(&spec.kind) { 1 } else { 2 };
        assert!(played >= least, "{} plays hardly any game", spec.kind);
    }
}

/// Agents that each break one promise.
#[derive(Clone, Copy)]
enum Broken {
    Panics,
    GivesUp,
    RaisesTooMuch,
    SumsToTwo,
    IsNotANumber,
    PlaysTheImpossible,
    Remembers(u64),
    Dawdles,
}

impl Agent for Broken {
    fn act(&mut self, infoset: &InfoSet, _: &mut Context) -> Decision {
        let with = |weights: &[(Action, f64)]| Decision {
            strategy: Some(Strategy { actions: weights.to_vec() }),
            ..Action::Call.into()
        };
        match self {
            Broken::Panics => panic!("as intended by a test"),
            Broken::GivesUp => Decision::failed(Failed::Gone),
            Broken::RaisesTooMuch => Action::RaiseTo(u32::MAX).into(),
            Broken::SumsToTwo => with(&[(Action::Call, 2.0 / 3.0), (Action::Fold, 2.0 / 3.0)]),
            Broken::IsNotANumber => with(&[(Action::Call, f64::NAN)]),
            Broken::PlaysTheImpossible => match infoset.legal().raise {
                Some(raise) => with(&[(Action::RaiseTo(raise.min), 1.0)]),
                None => Action::Call.into(),
            },
            Broken::Remembers(asked) => {
                *asked += 1;
                let raise = infoset.legal().raise.filter(|_| *asked > 20);
                raise.map_or(Action::Call, |raise| Action::RaiseTo(raise.min)).into()
            }
            Broken::Dawdles => Action::Call.into(),
        }
    }
}

/// An agent that is made so.
fn broken(prepare: fn(&agents::Resolver<'_>) -> Result<Recipe, AgentError>) -> AgentChoice {
    let mut registry = Registry::default();
    registry.add(AgentSpec {
        kind: "broken",
        summary: "breaks a promise",
        example: "broken",
        argument: None,
        options: &[],
        cost: Cost::Inline,
        repeatable: true,
        prepare,
    });
    registry.resolve("broken").expect("the kind exists")
}

#[test]
fn each_broken_promise_is_found() {
    let cases = [
        (Claim::Answers, broken(|_| Ok(Recipe::new(|_| Ok(Broken::Panics))))),
        (Claim::Answers, broken(|_| Ok(Recipe::new(|_| Ok(Broken::GivesUp))))),
        (Claim::Legal, broken(|_| Ok(Recipe::new(|_| Ok(Broken::RaisesTooMuch))))),
        (Claim::Strategy, broken(|_| Ok(Recipe::new(|_| Ok(Broken::SumsToTwo))))),
        (Claim::Strategy, broken(|_| Ok(Recipe::new(|_| Ok(Broken::IsNotANumber))))),
        (Claim::Strategy, broken(|_| Ok(Recipe::new(|_| Ok(Broken::PlaysTheImpossible))))),
        (Claim::Restart, broken(|_| Ok(Recipe::new(|_| Ok(Broken::Remembers(0)))))),
        (Claim::Cost, broken(|_| Ok(Recipe::new(|_| Ok(Broken::Dawdles))))),
    ];
    for (claim, choice) in cases {
        let def = Arc::new(games::nolimit_holdem());
        let terms = Terms { hands: 30, ..Terms::default() };
        // A clock on which every decision takes a second, for the last case only.
        let seconds = AtomicU64::new(0);
        let step = u64::from(claim == Claim::Cost);
        let clock =
            Clock::new(move || Duration::from_secs(seconds.fetch_add(step, Ordering::Relaxed)));
        let report = check(&choice, &def, terms, &clock).expect("it can be built");
        let found: Vec<Claim> = report.breaches.iter().map(|&(claim, _)| claim).collect();
        assert_eq!(found, [claim], "{:?}", report.breaches);
    }
}

/// Panics in one of the methods other than `act`.
struct PanicsIn(&'static str);

impl PanicsIn {
    fn called(&self, method: &str) {
        assert_ne!(self.0, method, "as intended by a test");
    }
}

impl Agent for PanicsIn {
    fn act(&mut self, _: &InfoSet, _: &mut Context) -> Decision {
        Action::Call.into()
    }

    fn meet(&mut self, _: &[String]) {
        self.called("meet");
    }

    fn hand_over(&mut self, _: &HandOutcome<'_>) {
        self.called("hand_over");
    }

    fn restart(&mut self) {
        self.called("restart");
    }
}

impl Drop for PanicsIn {
    fn drop(&mut self) {
        self.called("drop");
    }
}

#[test]
fn a_panic_in_any_method_is_a_breach_and_not_the_end_of_the_check() {
    let def = Arc::new(games::nolimit_holdem());
    let terms = Terms { hands: 30, ..Terms::default() };
    let cases = [
        (broken(|_| Ok(Recipe::new(|_| Ok(PanicsIn("meet"))))), "told who plays"),
        (broken(|_| Ok(Recipe::new(|_| Ok(PanicsIn("hand_over"))))), "told how a hand ended"),
        (broken(|_| Ok(Recipe::new(|_| Ok(PanicsIn("restart"))))), "restarted"),
        (broken(|_| Ok(Recipe::new(|_| Ok(PanicsIn("drop"))))), "dismissed"),
    ];
    for (choice, when) in cases {
        let report = check(&choice, &def, terms, &Clock::stopped()).expect("it can be built");
        let expected = [(Claim::Answers, format!("panicked when {when}"))];
        assert_eq!(report.breaches, expected, "{when}");
        assert!(report.decisions > 60, "{when}: {} decisions", report.decisions);
    }
    let choice = broken(|_| {
        Ok(Recipe::new(|_| -> Result<PanicsIn, AgentError> { panic!("as intended by a test") }))
    });
    let error = check(&choice, &def, terms, &Clock::stopped()).expect_err("it cannot be built");
    assert!(error.to_string().contains("cannot be started: it panicked"), "{error}");
}

#[test]
fn an_agent_that_draws_from_elsewhere_is_found() {
    use std::sync::atomic::AtomicU32;
    static CALLS: AtomicU32 = AtomicU32::new(0);
    struct Moody;
    impl Agent for Moody {
        fn act(&mut self, infoset: &InfoSet, _: &mut Context) -> Decision {
            let odd = CALLS.fetch_add(1, Ordering::Relaxed) % 3 == 1;
            if odd && infoset.legal().fold { Action::Fold } else { Action::Call }.into()
        }
    }
    let choice = broken(|_| Ok(Recipe::new(|_| Ok(Moody))));
    let def = Arc::new(games::nolimit_holdem());
    let report = check(&choice, &def, Terms::default(), &Clock::stopped()).expect("can be built");
    assert!(report.breaches.iter().any(|&(claim, _)| claim == Claim::SameSeeds));
}
