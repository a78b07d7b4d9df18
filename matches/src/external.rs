//! `external`: any program that speaks the player's side of the ACPC protocol, as an agent.
//!
//! The program is started as in the competition, `COMMAND HOST PORT`. It connects, sends its
//! version, and is sent what a dealer would send: every state of the hands it plays, the final one
//! included, with the other players' cards hidden. Each decision has a deadline. A program that
//! ends, is late, or breaks the protocol loses the decision it owes. It is killed with everything
//! it started, and started again: at once the first time, then after growing pauses. An answered
//! decision resets the count; after too many restarts without one it stays down, and every further
//! decision fails at once, with the reason and since when. A program that ends before it has
//! connected, with nothing left in its process group, is not waited for; its last error output is
//! part of the message. Waits longer than two seconds are reported ([`crate::waiting`]).
//!
//! Replies are read as the original dealer reads them: comments and replies to earlier states are
//! skipped. An illegal action is returned as it was written, for the driver to correct and count; a
//! reply without an action costs the decision.

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::{Duration, Instant};

use agents::{
    Agent, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Failed, HandOutcome,
    Recipe, Registry, Resolver,
};
use cards::HoleCards;
use game::{Action, BySeat, InfoSet, PublicState, Seat};
use protocol::acpc::reply::{Ignored, Question, Reply};
use protocol::acpc::{matchstate, reply};
use serde::Deserialize;

use crate::link::{EXIT_TIMEOUT, Link, LinkError, Starting, WaitDeadline, shorten};
use crate::program::Program;
use crate::waiting;
use crate::waiting::{FIRST_NOTICE, NOTICE_INTERVAL, Wait};

/// The entry of the agent kind `external` in the registry.
pub const SPEC: AgentSpec = AgentSpec {
    kind: "external",
    summary: "a program that speaks the player's side of the ACPC protocol",
    example: "external:./my_bot",
    argument: Some("command"),
    options: &[
        AgentOption {
            name: "command",
            default: "required",
            help: "the program and its arguments, quoted as for a shell; HOST and PORT are \
                   appended. A program may also be named by its path alone: `./my_bot`",
        },
        AgentOption {
            name: "timeout",
            default: "10s",
            help: "time limit per decision; the match can set a shorter one",
        },
        AgentOption {
            name: "start-timeout",
            default: "60s",
            help: "time limit for the program to connect and send its version",
        },
        AgentOption {
            name: "restarts",
            default: "20",
            help: "maximum restarts in a row without an answer; an answer resets the count",
        },
        AgentOption {
            name: "folder",
            default: "the current folder",
            help: "the folder in which the program runs",
        },
        AgentOption {
            name: "output",
            default: "dropped",
            help: "the file to which the program's output and errors are appended; if the program \
                   fails, the last lines of its errors are shown in any case",
        },
    ],
    cost: Cost::Worker,
    repeatable: false,
    prepare,
};

/// The first pause before a program that has failed repeatedly is restarted; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause before a restart.
const MAX_PAUSE: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Options {
    command: String,
    timeout: Option<String>,
    start_timeout: Option<String>,
    restarts: Option<u32>,
    folder: Option<String>,
    output: Option<String>,
}

/// The settings of an external agent.
#[derive(Debug, Clone)]
struct Setup {
    name: String,
    program: Program,
    timeout: Duration,
    start_timeout: Duration,
    restarts: u32,
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let options: Options = resolver.given_options()?;
    let duration = |name: &str, text: Option<&String>, default: u64| {
        let Some(text) = text else { return Ok(Duration::from_secs(default)) };
        let parsed = text.parse::<jiff::SignedDuration>().ok();
        let parsed = parsed.and_then(|time| Duration::try_from(time).ok());
        parsed.filter(|time| !time.is_zero()).ok_or_else(|| {
            let reason =
                format!("`{name}` is `{text}`, but must be a time such as `10s` or `500ms`");
            resolver.bad_option(reason)
        })
    };
    let mut program = Program::parse(&options.command, resolver.folder()).ok_or_else(|| {
        let command = &options.command;
        let wrong = match shlex::split(command) {
            Some(_) => "names no program",
            None => "has a quotation mark that is not closed, or a backslash at its end",
        };
        resolver.bad_option(format!("`command` is `{command}`, which {wrong}"))
    })?;
    let placed =
        |path: &Option<String>| path.as_deref().map(|path| resolver.file(path)).transpose();
    program.folder = placed(&options.folder)?;
    program.output = placed(&options.output)?;
    let program = program.interpreted();
    let setup = Setup {
        name: resolver.name().to_owned(),
        timeout: duration("timeout", options.timeout.as_ref(), 10)?,
        start_timeout: duration("start-timeout", options.start_timeout.as_ref(), 60)?,
        restarts: options.restarts.unwrap_or(20),
        program,
    };
    let files: Vec<PathBuf> = setup.program.sources();
    let mut recipe = Recipe::new(move |_| External::start(setup.clone()));
    (recipe.cost, recipe.repeatable, recipe.files) = (Cost::Worker, false, files);
    recipe.program = true;
    Ok(recipe)
}

/// The state of the program.
#[derive(Debug)]
enum Process {
    /// Started, not yet connected or without a version.
    Starting(Box<Starting>),
    /// Connected and ready.
    Ready(Link),
    /// Stopped; not to be started before this moment.
    Down { until: Instant },
    /// Given up after too many restarts without an answer: since when and why.
    GivenUp(String),
}

/// The reason why a decision has no answer.
enum NoAnswer {
    /// The program can go on.
    Running(LinkError),
    /// The program must be stopped.
    Stop(LinkError),
}

#[derive(Debug)]
struct External {
    setup: Setup,
    process: Process,
    /// The number of stops since the last answer.
    stopped: u32,
    /// The time after which a decision is reported as slow: [`FIRST_NOTICE`] until the first
    /// report, then [`NOTICE_INTERVAL`].
    silent: Duration,
    /// The hand whose states have been sent, and their number: one for each length of the history.
    sent: Option<(u64, usize)>,
    /// Whether a failure has been told in full, and a correction.
    told: bool,
    told_correction: bool,
}

impl External {
    /// Starts the program and waits until it is ready.
    fn start(setup: Setup) -> Result<External, AgentError> {
        let until = Instant::now() + setup.start_timeout;
        let started = begin(&setup.program).and_then(|mut starting| {
            wait(&mut starting, until, &setup.name, setup.start_timeout)?;
            Ok(starting.ready())
        });
        let failed = |error: LinkError| {
            let waited = match error {
                LinkError::Late(_) => format!(" within {:?}", setup.start_timeout),
                _ => String::new(),
            };
            let (name, full) = (&setup.name, error.full_text());
            // The error itself has the reason and the last three lines.
            if full.lines().count() > 4 {
                waiting::say_failed(name, &format!("`{name}` cannot be started: {full}"));
            }
            AgentError::start(name, format!("{}{waited}", error.text()))
        };
        let link = started.map_err(failed)?.expect("it has connected");
        let process = Process::Ready(link);
        Ok(External {
            setup,
            process,
            stopped: 0,
            silent: FIRST_NOTICE,
            sent: None,
            told: false,
            told_correction: false,
        })
    }

    /// Makes sure that the program is ready, starting it if necessary.
    fn ready(&mut self, until: Instant) -> Result<(), NoAnswer> {
        loop {
            match &mut self.process {
                Process::Ready(_) => return Ok(()),
                Process::GivenUp(reason) => {
                    return Err(NoAnswer::Running(LinkError::Gone(reason.clone())));
                }
                Process::Down { until: down } if *down >= until => {
                    let reason = "it will be started again later".to_owned();
                    return Err(NoAnswer::Running(LinkError::Gone(reason)));
                }
                Process::Down { until: down } => {
                    sleep(down.saturating_duration_since(Instant::now()));
                    let starting = begin(&self.setup.program).map_err(NoAnswer::Stop)?;
                    self.process = Process::Starting(Box::new(starting));
                    self.sent = None;
                }
                Process::Starting(starting) => {
                    let latest = starting.started() + self.setup.start_timeout;
                    let Setup { name, start_timeout, .. } = &self.setup;
                    match wait(starting, until.min(latest), name, *start_timeout) {
                        Ok(()) => {}
                        Err(error @ LinkError::Late(_)) if until < latest => {
                            return Err(NoAnswer::Running(error));
                        }
                        Err(error) => return Err(NoAnswer::Stop(error)),
                    }
                    let down = Process::Down { until: Instant::now() };
                    if let Process::Starting(starting) = std::mem::replace(&mut self.process, down)
                        && let Some(link) = starting.ready()
                    {
                        self.process = Process::Ready(link);
                    }
                }
            }
        }
    }

    fn answer(
        &mut self,
        infoset: &InfoSet,
        hand: u64,
        allowed: Duration,
    ) -> Result<(Action, Option<String>), NoAnswer> {
        let (until, mut wait) = (Instant::now() + allowed, Wait::begin(self.silent));
        self.ready(until)?;
        let mut hole = BySeat::new(infoset.public.def().players);
        hole[infoset.seat] = infoset.hole;
        let lines = self.unsent(&infoset.public, hand, infoset.seat, &hole);
        let External { setup, process, silent, .. } = self;
        let Process::Ready(link) = process else {
            return Err(NoAnswer::Running(LinkError::Gone("it is not running".into())));
        };
        let act = || format!("`{}` to act in hand {hand}, at most {allowed:?}", setup.name);
        let mut deadline = WaitDeadline { until, wait: &mut wait, what: &act, reported: false };
        link.send(lines.as_bytes(), &mut deadline).map_err(NoAnswer::Stop)?;
        let last = lines.trim_end().rsplit('\n').next().unwrap_or_default();
        let question = Question {
            hand: hand as u32,
            seat: infoset.seat,
            public: &infoset.public,
            hole: infoset.hole,
            line: last.as_bytes(),
        };
        loop {
            let line = link.line(&mut deadline);
            if deadline.reported {
                *silent = NOTICE_INTERVAL;
            }
            let line = line.map_err(NoAnswer::Stop)?;
            match reply::read(&line, &question) {
                Reply::Comment | Reply::Ignored(Ignored::Unrequested) => {}
                Reply::Ignored(Ignored::BadState) => {
                    let reason = format!("it sent `{}`, which is not a reply", shorten(&line));
                    return Err(NoAnswer::Stop(link.invalid_bytes(reason)));
                }
                Reply::Act { action, correction: None } => return Ok((action, None)),
                Reply::Act { .. } => {
                    let Some(action) = reply::asked_for(&line, &question) else {
                        let reason = format!("its reply has no action: `{}`", shorten(&line));
                        return Err(NoAnswer::Running(link.invalid_bytes(reason)));
                    };
                    let note = format!("its action is not legal: `{}`", shorten(&line));
                    return Ok((action, Some(note)));
                }
            }
        }
    }

    /// The lines for the states of the hand that the program has not been sent.
    ///
    /// The program answers every state in which it is to act, and may drop what it has received
    /// when it does. So earlier states of that kind are left out: another agent acted there, or the
    /// program before it was started again. One that is new to the hand gets the states since this
    /// seat's last action.
    fn unsent(
        &mut self,
        public: &PublicState,
        hand: u64,
        seat: Seat,
        hole: &BySeat<HoleCards>,
    ) -> String {
        let history = public.history();
        let from = match self.sent {
            Some((same, sent)) if same == hand && sent <= history.len() => sent,
            _ => history.iter().rposition(|played| played.seat == seat).map_or(0, |own| own + 1),
        };
        self.sent = Some((hand, history.len() + 1));
        let mut state = PublicState::new(public.def());
        let mut lines = String::with_capacity(96 * (history.len() + 1 - from));
        for length in 0..=history.len() {
            if length > 0 {
                state.apply(history[length - 1].action).expect("a hand replays on itself");
            }
            state.deal_from(&public.board()).expect("a hand replays on its own board");
            let acted = history.get(length).is_some_and(|played| played.seat == seat);
            if length >= from && !acted {
                matchstate::write(&mut lines, hand as u32, seat, &state, hole);
                lines.push_str("\r\n");
            }
        }
        lines
    }

    /// Schedules a restart of the program, or gives it up after too many; returns the message when
    /// it is given up.
    fn stop(&mut self, hand: u64, error: &LinkError) -> Option<String> {
        let pause = match self.stopped {
            0 => Duration::ZERO,
            times => (FIRST_PAUSE * 2u32.saturating_pow(times - 1).min(1 << 16)).min(MAX_PAUSE),
        };
        self.stopped += 1;
        if self.stopped <= self.setup.restarts {
            self.process = Process::Down { until: Instant::now() + pause };
            return None;
        }
        let (name, restarts) = (&self.setup.name, self.setup.restarts);
        let times = if restarts == 1 { "restart" } else { "restarts" };
        let reason = format!(
            "`{name}` was abandoned at hand {hand}, after {restarts} {times} in a row without an \
             answer: {}",
            error.text()
        );
        waiting::say_failed(&format!("{name} was abandoned"), &reason);
        self.process = Process::GivenUp(reason.clone());
        Some(reason)
    }
}

impl Agent for External {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        let allowed = cx.time_left.map_or(self.setup.timeout, |left| left.min(self.setup.timeout));
        let (error, stop) = match self.answer(infoset, cx.hand, allowed) {
            Ok((action, note)) => {
                self.stopped = 0;
                if let Some(note) = note.as_ref().filter(|_| !self.told_correction) {
                    self.told_correction = true;
                    let (name, hand) = (&self.setup.name, cx.hand);
                    let message = format!("`{name}` was corrected in hand {hand}: {note}");
                    waiting::say_failed(&format!("{name} was corrected"), &message);
                }
                return Decision { note, ..action.into() };
            }
            Err(NoAnswer::Running(error)) => (error, false),
            Err(NoAnswer::Stop(error)) => (error, true),
        };
        let given_up = if stop { self.stop(cx.hand, &error) } else { None };
        let told = std::mem::replace(&mut self.told, true);
        let text = if told { error.text() } else { error.full_text() };
        if !told {
            let name = &self.setup.name;
            waiting::say_failed(name, &format!("`{name}` failed in hand {}: {text}", cx.hand));
        }
        let note = given_up.unwrap_or(text);
        let reason = match error {
            LinkError::Late(_) => Failed::Timeout,
            LinkError::Gone(_) => Failed::Gone,
            LinkError::InvalidBytes(_) => Failed::BadAnswer,
        };
        Decision { note: Some(note), ..Decision::failed(reason) }
    }

    fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        let lines = self.unsent(outcome.public, outcome.hand, outcome.seat, outcome.shown);
        self.sent = None;
        let External { setup, process, .. } = self;
        let read = || format!("`{}` to read the end of hand {}", setup.name, outcome.hand);
        let (until, mut wait) = (Instant::now() + setup.timeout, Wait::begin(FIRST_NOTICE));
        let mut deadline = WaitDeadline { until, wait: &mut wait, what: &read, reported: false };
        if let Process::Ready(link) = process
            && let Err(error) = link.send(lines.as_bytes(), &mut deadline)
        {
            self.stop(outcome.hand, &error);
        }
    }
}

impl Drop for External {
    fn drop(&mut self) {
        let down = Process::Down { until: Instant::now() };
        if let Process::Ready(link) = std::mem::replace(&mut self.process, down) {
            link.close(EXIT_TIMEOUT);
        }
    }
}

/// Starts the program with the loopback address and a free port as its last two arguments.
fn begin(program: &Program) -> Result<Starting, LinkError> {
    Starting::begin(program, &|port| vec![Ipv4Addr::LOCALHOST.to_string(), port.to_string()])
}

/// Waits until a program has connected and said its version, as [`Starting::connect`] does.
fn wait(
    starting: &mut Starting,
    until: Instant,
    name: &str,
    most: Duration,
) -> Result<(), LinkError> {
    starting.connect(until, name, most)?;
    let say = || format!("`{name}` to say its version, at most {most:?}");
    let line = starting.first_line(until, &say).map_err(|error| match error {
        LinkError::Late(_) => LinkError::Late("it has connected but not said its version".into()),
        other => other,
    })?;
    match line.trim_ascii().strip_prefix(b"VERSION:2.") {
        Some(_) => Ok(()),
        None => Err(LinkError::InvalidBytes(format!(
            "it began with `{}`, not with VERSION:2.0.0",
            shorten(&line)
        ))),
    }
}

/// The registry that every command uses.
pub fn registry() -> Registry {
    let mut registry = Registry::standard();
    registry.add(SPEC);
    registry.add(crate::pokerbots::SPEC);
    registry
}
