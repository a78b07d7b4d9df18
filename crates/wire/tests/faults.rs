//! Fault plans: rates, repeatability, and what is said of files that make no sense.

use std::time::Duration;

use tempfile::TempDir;
use wire::faults::{Fault, FaultPlan};

fn read(text: &str) -> Result<FaultPlan, String> {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("faults.toml");
    std::fs::write(&path, text).expect("a file");
    FaultPlan::read(&path).map_err(|error| {
        let error = error.to_string();
        error.strip_prefix(&format!("{}: ", path.display())).expect("the file's name").to_owned()
    })
}

#[test]
fn each_fault_comes_at_its_rate_and_the_seed_says_when() {
    let text = "seed = 7\ndrop = 0.01\ndrop_after = 0.02\ndelay = 0.03\ndelay_from = \"10ms\"\n\
                delay_to = \"20ms\"\nduplicate = 0.04\ntruncate = 0.05\nreset = 0.06\nstatus = \
                0.07\n\
                status_after = 0.08\ncodes = [500, 429]\nrotate = 0.09\nrepeat_answer = 0.1\n\
                repeat_hand = 0.11\n";
    let plan = read(text).expect("a plan");
    let count = 200_000;
    let faults: Vec<Fault> = (0..count).map(|number| plan.fault(number)).collect();
    let share = |test: &dyn Fn(&Fault) -> bool| {
        faults.iter().filter(|fault| test(fault)).count() as f64 / count as f64
    };
    type Test<'a> = &'a dyn Fn(&Fault) -> bool;
    let cases: [(&str, f64, Test<'_>); 13] = [
        ("drop", 0.01, &|fault| *fault == Fault::Drop),
        ("drop_after", 0.02, &|fault| *fault == Fault::DropAfter),
        ("delay", 0.03, &|fault| matches!(fault, Fault::Delay(_))),
        ("duplicate", 0.04, &|fault| *fault == Fault::Duplicate),
        ("truncate", 0.05, &|fault| *fault == Fault::Cut { reset: false }),
        ("reset", 0.06, &|fault| *fault == Fault::Cut { reset: true }),
        ("status", 0.07, &|fault| matches!(fault, Fault::Status(_))),
        ("status 429", 0.035, &|fault| *fault == Fault::Status(429)),
        ("status_after", 0.08, &|fault| matches!(fault, Fault::StatusAfter(500 | 429))),
        ("rotate", 0.09, &|fault| *fault == Fault::Rotate),
        ("repeat_answer", 0.1, &|fault| *fault == Fault::RepeatAnswer),
        ("repeat_hand", 0.11, &|fault| *fault == Fault::RepeatHand),
        ("none", 0.34, &|fault| *fault == Fault::None),
    ];
    for (name, rate, test) in cases {
        // Five standard deviations.
        let reach = 5.0 * (rate * (1.0 - rate) / count as f64).sqrt();
        assert!((share(test) - rate).abs() < reach, "{name}: {} for {rate}", share(test));
    }
    let (from, to) = (Duration::from_millis(10), Duration::from_millis(20));
    let delays = faults.iter().filter_map(|fault| match fault {
        Fault::Delay(time) => Some(*time),
        _ => None,
    });
    assert!(delays.clone().all(|time| from <= time && time <= to));
    assert!(delays.clone().any(|time| time < Duration::from_millis(11)));
    assert!(delays.clone().any(|time| time > Duration::from_millis(19)));
    let again: Vec<Fault> = (0..count).map(|number| plan.fault(number)).collect();
    assert_eq!(faults, again);
    let other = read(&text.replace("seed = 7", "seed = 8")).expect("a plan");
    assert_ne!(faults, (0..count).map(|number| other.fault(number)).collect::<Vec<_>>());
}

#[test]
fn a_burst_meets_so_many_requests_in_a_row_with_one_status() {
    let text = "seed = 7\nstatus = 0.01\ncodes = [502, 503, 504]\n";
    let [once, bursts] =
        ["", "burst = 10\n"].map(|more| read(&format!("{text}{more}")).expect(more));
    let count = 20_000;
    let starts: Vec<Fault> = (0..count).map(|number| once.fault(number)).collect();
    let mut met = 0;
    for number in 0..count {
        // The slow way: the last fault among this request and the nine before it.
        let first = number.saturating_sub(9);
        let window = starts[first as usize..=number as usize].iter().rev();
        let expected = window.copied().find(|fault| *fault != Fault::None).unwrap_or_default();
        assert_eq!(bursts.fault(number), expected, "request {number}");
        met += u64::from(expected != Fault::None);
    }
    // 1 - 0.99^10 of all requests.
    assert!((0.085..0.107).contains(&(met as f64 / count as f64)), "{met}");
}

#[test]
fn nothing_happens_unless_asked_for() {
    let plan = read("").expect("a plan");
    assert!((0..10_000).all(|number| plan.fault(number) == Fault::None));
}

#[test]
fn files_that_make_no_sense_are_refused_with_the_reason() {
    let cases = [
        ("burst = 0", "burst = 0: write 1 to 1000 requests"),
        ("drop = 1.5", "drop = 1.5 is not a share of requests: write 0 to 1"),
        ("seed = 1\nreset = -0.1", "reset = -0.1 is not a share of requests: write 0 to 1"),
        ("drop = 0.6\nreset = 0.6", "the rates come to 1.2, but a request meets at most one fault"),
        ("delay_from = \"3s\"", "delay_from (3s) is longer than delay_to (1s)"),
        ("status = 0.1\ncodes = []", "codes is empty: name at least one status, such as 503"),
        ("codes = [200]", "codes: 200 is not an error status: write 400 to 599"),
        (
            "only = [\"register\"]",
            "only: there is no `register`: write login, new_hand, act, in_progress, results or \
             leaderboard",
        ),
        ("\ndelay_to = \"soon\"", "line 2: `soon` is not a duration"),
        ("\n\ndrops = 0.1", "line 3: unknown field `drops`"),
        ("drop = \"often\"", "line 1: invalid type"),
        ("drop", "line 1: "),
    ];
    for (text, reason) in cases {
        match read(text) {
            Err(error) => assert!(error.starts_with(reason), "{text}: {error}"),
            Ok(plan) => panic!("{text}: {plan:?}"),
        }
    }
}
