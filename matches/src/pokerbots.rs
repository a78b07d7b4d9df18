//! `pokerbots`: a bot of MIT Pokerbots, or of a competition with the same engine, as an agent.
//!
//! A bot is a folder with a file `commands.json`, which has two command lines as lists of words:
//! `build`, which may be empty, and `run`. Both run in the folder. The bot is given a port as its
//! last argument, connects to it on this machine, and is asked as its own engine asks
//! ([`protocol::pokerbots`]).
//!
//! As there, a *game* is a number of rounds with one clock for all answers. A bot whose clock has
//! run out, that has ended, or that sends a line without an end is out of the game: it is not asked
//! again, its hands are checked or folded, and at the next game it is started anew with a full
//! clock. An answer that is not a legal action costs the decision only. Nothing of this reaches the
//! other player.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agents::{
    Agent, AgentError, AgentOption, AgentSpec, Context, Cost, Decision, Failed, HandOutcome,
    Recipe, Resolver,
};
use game::{Action, GameDef, InfoSet, Quirks};
use protocol::acpc::gamedef::Reading;
use protocol::pokerbots::{DISCARD_GAME, Dialect, GAME, Host, ROUNDS, Refused};
use serde::Deserialize;

use crate::confine::{Bounds, Confinement};
use crate::games::load_game;
use crate::link::{EXIT_TIMEOUT, Link, LinkError, Starting, WaitDeadline};
use crate::program::Program;
use crate::waiting::{self, FIRST_NOTICE, NOTICE_INTERVAL, Wait};

/// The entry of the agent kind `pokerbots` in the registry.
pub const SPEC: AgentSpec = AgentSpec {
    kind: "pokerbots",
    summary: "a bot of MIT Pokerbots: a folder with commands.json",
    example: "pokerbots:./my_bot",
    argument: Some("folder"),
    options: &[
        AgentOption {
            name: "folder",
            default: "required",
            help: "the bot's folder, in which commands.json has `build` and `run`",
        },
        AgentOption {
            name: "clock",
            default: "the engine's: 30s, or 60s in the game of 2026",
            help: "time for all answers of a game, after which the bot is not asked again before \
                   the next; `none` for no clock",
        },
        AgentOption {
            name: "rounds",
            default: "1000",
            help: "rounds of a game, after which the bot is started anew",
        },
        AgentOption {
            name: "timeout",
            default: "the clock's, or 10s without a clock",
            help: "time limit per answer; the match can set a shorter one",
        },
        AgentOption {
            name: "start-timeout",
            default: "10s",
            help: "time limit for the bot to connect",
        },
        AgentOption {
            name: "build-timeout",
            default: "60s",
            help: "time limit for the build command",
        },
        AgentOption {
            name: "output",
            default: "dropped",
            help: "the file to which the bot's output and errors are appended, up to 512 KiB; if \
                   the bot fails, the last lines of its errors are shown in any case",
        },
        AgentOption {
            name: "confined",
            default: "false",
            help: "whether it is kept from the files of others, from networks and from more than \
                   the limits below, as far as the system can; `cardroom doctor` says how far",
        },
        AgentOption {
            name: "memory",
            default: "4 GiB",
            help: "if confined: most bytes of memory of each of its processes",
        },
        AgentOption {
            name: "processes",
            default: "64",
            help: "if confined: most processes and threads that it may add",
        },
        AgentOption {
            name: "cpu",
            default: "300",
            help: "if confined: most seconds of processor time of each of its processes",
        },
        AgentOption {
            name: "readable",
            default: "none",
            help: "if confined: further folders that it may read, such as that of a Python that is \
                   not in /usr",
        },
        AgentOption {
            name: "built",
            default: "false",
            help: "whether its build command has been run before and is not run again",
        },
        AgentOption {
            name: "forfeits",
            default: "false",
            help: "whether one that does not start loses the game, instead of ending the match",
        },
    ],
    cost: Cost::Worker,
    repeatable: false,
    prepare,
};

/// The name of the file with a bot's commands.
const COMMANDS: &str = "commands.json";

/// The size of a bot's output that is kept, as in the original engine.
const OUTPUT_LIMIT: u64 = 512 * 1024;

/// The time limit for an answer without a clock.
const TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Options {
    folder: String,
    clock: Option<String>,
    rounds: Option<u32>,
    timeout: Option<String>,
    start_timeout: Option<String>,
    build_timeout: Option<String>,
    output: Option<String>,
    #[serde(default)]
    confined: bool,
    memory: Option<u64>,
    processes: Option<u64>,
    cpu: Option<u64>,
    #[serde(default)]
    readable: Vec<String>,
    #[serde(default)]
    built: bool,
    #[serde(default)]
    forfeits: bool,
}

/// The content of `commands.json`. Other keys are the bot's own business.
#[derive(Debug, Clone, Deserialize)]
struct Commands {
    build: Vec<String>,
    run: Vec<String>,
}

/// The settings of a bot.
#[derive(Debug, Clone)]
struct Setup {
    name: String,
    /// The commands, or what is wrong with them.
    programs: Result<Programs, String>,
    clock: ClockSetting,
    rounds: u32,
    /// The time limit for an answer, if one is given.
    timeout: Option<Duration>,
    start_timeout: Duration,
    build_timeout: Duration,
    /// Whether it has been built before.
    built: bool,
    /// Whether one that does not start is out of its game, and the match goes on.
    forfeits: bool,
}

/// The time for all answers of a game, as configured.
#[derive(Debug, Clone, Copy)]
enum ClockSetting {
    /// That of the engine whose game is played.
    Engine,
    None,
    Time(Duration),
}

#[derive(Debug, Clone)]
struct Programs {
    folder: PathBuf,
    build: Option<Program>,
    run: Program,
}

fn prepare(resolver: &Resolver<'_>) -> Result<Recipe, AgentError> {
    let options: Options = resolver.given_options()?;
    let duration = |name: &str, text: &Option<String>, default: Duration| {
        let Some(text) = text else { return Ok(default) };
        let parsed = text.parse::<jiff::SignedDuration>().ok();
        let parsed = parsed.and_then(|time| Duration::try_from(time).ok());
        parsed.filter(|time| !time.is_zero()).ok_or_else(|| {
            let reason =
                format!("`{name}` is `{text}`, but must be a time such as `10s` or `500ms`");
            resolver.bad_option(reason)
        })
    };
    let clock = match options.clock.as_deref() {
        None => ClockSetting::Engine,
        Some("none") => ClockSetting::None,
        Some(_) => ClockSetting::Time(duration("clock", &options.clock, Duration::ZERO)?),
    };
    let timeout = match &options.timeout {
        None => None,
        given => Some(duration("timeout", given, Duration::ZERO)?),
    };
    let rounds = options.rounds.unwrap_or(ROUNDS);
    if rounds == 0 {
        return Err(resolver.bad_option("`rounds` is 0, but must be at least 1"));
    }
    let folder = resolver.file(&options.folder)?;
    let output = options.output.as_deref().map(|path| resolver.file(path)).transpose()?;
    let bounds = bounds(resolver, &options)?;
    let programs = Programs::read(&folder, output.as_deref(), bounds.as_ref());
    let mut files = Vec::new();
    if let Ok(programs) = &programs {
        files.push(folder.join(COMMANDS));
        files.extend(programs.run.sources());
    }
    let setup = Arc::new(Setup {
        name: resolver.name().to_owned(),
        programs,
        clock,
        rounds,
        timeout,
        start_timeout: duration("start-timeout", &options.start_timeout, TIMEOUT)?,
        build_timeout: duration("build-timeout", &options.build_timeout, Duration::from_secs(60))?,
        built: options.built,
        forfeits: options.forfeits,
    });
    let mut recipe = Recipe::new(move |def| PokerBot::start(&setup, def));
    (recipe.cost, recipe.repeatable, recipe.files) = (Cost::Worker, false, files);
    recipe.program = true;
    Ok(recipe.discards())
}

/// The limits of a confined bot; `None` for one that is not.
fn bounds(resolver: &Resolver<'_>, options: &Options) -> Result<Option<Bounds>, AgentError> {
    let usual = Bounds::default();
    let limits =
        [("memory", options.memory), ("processes", options.processes), ("cpu", options.cpu)];
    if let Some((name, _)) = limits.iter().find(|(_, given)| *given == Some(0)) {
        return Err(resolver.bad_option(format!("`{name}` is 0, but must be at least 1")));
    }
    let limited = limits.iter().find(|(_, given)| given.is_some()).map(|(name, _)| *name);
    let without = limited.or((!options.readable.is_empty()).then_some("readable"));
    if let Some(name) = without.filter(|_| !options.confined) {
        let reason = format!("`{name}` limits nothing without `confined = true`");
        return Err(resolver.bad_option(reason));
    }
    let readable = options.readable.iter().map(|path| resolver.file(path));
    let readable = readable.collect::<Result<_, _>>()?;
    Ok(options.confined.then(|| Bounds {
        memory: options.memory.unwrap_or(usual.memory),
        processes: options.processes.unwrap_or(usual.processes),
        cpu: options.cpu.unwrap_or(usual.cpu),
        file: usual.file,
        readable,
    }))
}

impl Programs {
    /// Reads the commands of a bot.
    fn read(
        folder: &Path,
        output: Option<&Path>,
        bounds: Option<&Bounds>,
    ) -> Result<Programs, String> {
        let path = folder.join(COMMANDS);
        let text = std::fs::read_to_string(&path).map_err(|error| {
            format!("{}: {error}: a bot's folder has a file {COMMANDS}", path.display())
        })?;
        let commands: Commands = serde_json::from_str(&text).map_err(|error| {
            format!(
                "{}: {error}: it must have `build` and `run`, each a list of words",
                path.display()
            )
        })?;
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let program = |words: &[String], writes| {
            let mut program = Program::new(words, folder)?;
            program.confined = bounds.cloned().map(|bounds| Confinement {
                folder: absolute.clone(),
                writes,
                port: None,
                bounds,
            });
            program.folder = Some(folder.to_owned());
            program.output = output.map(Path::to_owned);
            program.output_limit = Some(OUTPUT_LIMIT);
            Some(program.interpreted())
        };
        let run = program(&commands.run, false);
        let run = run.ok_or_else(|| format!("{}: `run` names no program", path.display()))?;
        Ok(Programs { folder: folder.to_owned(), build: program(&commands.build, true), run })
    }

    /// Builds the bot, once in the life of this process however many of it play. A build that has
    /// failed is tried again.
    fn build(&self, timeout: Duration) -> Result<(), String> {
        static BUILT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
        let Some(build) = &self.build else { return Ok(()) };
        let folder = std::fs::canonicalize(&self.folder).unwrap_or_else(|_| self.folder.clone());
        let mut built = parallel::lock(&BUILT);
        if !built.contains(&folder) {
            run_to_end(build, timeout)?;
            built.insert(folder);
        }
        Ok(())
    }
}

/// Runs a build command.
fn run_to_end(build: &Program, timeout: Duration) -> Result<(), String> {
    let command = build.program.display();
    let mut running = build
        .start(&[])
        .map_err(|error| format!("its build command {command} cannot be started: {error}"))?;
    let reason = match running.wait(timeout) {
        Some(status) if status.success() => return Ok(()),
        Some(status) => format!("its build command {command} failed ({status})"),
        None => format!("its build command {command} did not end within {timeout:?}"),
    };
    running.kill();
    let words = running.stderr_tail().join("\n");
    Err(if words.is_empty() { reason } else { format!("{reason}: {words}") })
}

/// A bot at a table.
#[derive(Debug)]
struct PokerBot {
    setup: Arc<Setup>,
    state: BotState,
    dialect: Dialect,
    host: Host,
    /// The time for all answers of a game, if there is a clock.
    clock: Option<Duration>,
    /// The time limit for an answer.
    timeout: Duration,
    /// The time left in this game, if there is a clock.
    left: Duration,
    /// The number of rounds of this game that are over.
    rounds: u32,
    /// The time after which an answer is reported as slow.
    silent: Duration,
    /// Whether a refused answer has been told in full.
    told: bool,
}

#[derive(Debug)]
enum BotState {
    /// Not started in this game.
    Down,
    Playing(Link),
    /// Out of this game: the reason.
    Out(String),
}

/// The reason why a decision has no answer.
type NoAnswer = (Failed, String);

fn failed((reason, note): NoAnswer) -> Decision {
    Decision { note: Some(note), ..Decision::failed(reason) }
}

impl PokerBot {
    /// Builds and starts the bot.
    fn start(setup: &Arc<Setup>, def: &GameDef) -> Result<PokerBot, AgentError> {
        let failed = |reason: String| AgentError::start(&setup.name, reason);
        let programs = setup.programs.as_ref().map_err(|reason| failed(reason.clone()))?;
        let plain = def.with_quirks(Quirks::default());
        let plays = |name| load_game(name, Reading::Strict).map(|game| plain == *game);
        let base = plays(GAME).map_err(|error| failed(error.to_string()))?;
        let dialect = Dialect::of_game(def);
        if !base && !plays(DISCARD_GAME).map_err(|error| failed(error.to_string()))? {
            let reason = format!(
                "bots of this protocol are written for blinds of 1 and 2 and 400 chips: play with \
                 --game {GAME}, or with --game {DISCARD_GAME} for bots of 2026"
            );
            return Err(AgentError::game(&setup.name, reason));
        }
        let clock = match setup.clock {
            ClockSetting::Engine => Some(dialect.clock()),
            ClockSetting::None => None,
            ClockSetting::Time(time) => Some(time),
        };
        if !setup.built {
            programs.build(setup.build_timeout).map_err(failed)?;
        }
        let mut bot = PokerBot {
            setup: Arc::clone(setup),
            state: BotState::Down,
            dialect,
            host: Host::new(dialect),
            clock,
            timeout: setup.timeout.or(clock).unwrap_or(TIMEOUT),
            left: clock.unwrap_or(dialect.clock()),
            rounds: 0,
            silent: FIRST_NOTICE,
            told: false,
        };
        if let Err(error) = bot.begin() {
            if setup.forfeits {
                bot.out(0, Failed::Gone, &error);
                return Ok(bot);
            }
            if error.full_text().lines().count() > 4 {
                let full = format!("`{}` cannot be started: {}", setup.name, error.full_text());
                waiting::say_failed(&setup.name, &full);
            }
            return Err(failed(error.text()));
        }
        Ok(bot)
    }

    /// Begins a game: the bot is started and connects.
    fn begin(&mut self) -> Result<(), LinkError> {
        let Setup { name, programs, start_timeout, .. } = &*self.setup;
        let programs = programs.as_ref().map_err(|reason| LinkError::Gone(reason.clone()))?;
        self.host = Host::new(self.dialect);
        (self.left, self.rounds) = (self.clock.unwrap_or(self.dialect.clock()), 0);
        let until = Instant::now() + *start_timeout;
        let mut starting = Starting::begin(&programs.run, &|port| vec![port.to_string()])?;
        starting.connect(until, name, *start_timeout)?;
        let link = starting.ready();
        let link = link.ok_or_else(|| LinkError::Gone("it has not connected".to_owned()))?;
        self.state = BotState::Playing(link);
        Ok(())
    }

    /// Makes sure that the bot plays in this game.
    fn ready(&mut self, hand: u64) -> Result<(), NoAnswer> {
        if matches!(self.state, BotState::Down)
            && let Err(error) = self.begin()
        {
            return Err(self.out(hand, Failed::Gone, &error));
        }
        match &self.state {
            BotState::Out(reason) => Err((Failed::Gone, reason.clone())),
            BotState::Playing(_) | BotState::Down => Ok(()),
        }
    }

    /// Takes the bot out of the game.
    fn out(&mut self, hand: u64, failed: Failed, error: &LinkError) -> NoAnswer {
        let name = &self.setup.name;
        let full = format!("`{name}` is out of its game since hand {hand}: {}", error.full_text());
        waiting::say_failed(name, &full);
        let text = error.text();
        self.state = BotState::Out(format!("it is out of its game since hand {hand}: {text}"));
        (failed, text)
    }

    /// The time left as the bot is told it.
    fn clock(&self) -> Duration {
        if self.clock.is_some() { self.left } else { self.dialect.clock() }
    }

    /// Sends a line and waits for the answer.
    fn exchange(
        &mut self,
        line: &str,
        hand: u64,
        limit: Option<Duration>,
    ) -> Result<Vec<u8>, NoAnswer> {
        let (name, clock, timeout) = (&self.setup.name, self.clock, self.timeout);
        let begun = Instant::now();
        let own = if clock.is_some() { self.left.min(timeout) } else { timeout };
        let allowed = limit.map_or(own, |limit| limit.min(own));
        let BotState::Playing(link) = &mut self.state else {
            return Err((Failed::Gone, "it is not running".to_owned()));
        };
        let what = || format!("`{name}` to answer in hand {hand}, at most {allowed:?}");
        let (until, mut wait) = (begun + allowed, Wait::begin(self.silent));
        let mut deadline = WaitDeadline { until, wait: &mut wait, what: &what, reported: false };
        let answer = link.send(line.as_bytes(), &mut deadline);
        let answer = answer.and_then(|()| link.line(&mut deadline));
        if deadline.reported {
            self.silent = NOTICE_INTERVAL;
        }
        let mut over = false;
        if clock.is_some() {
            self.left = self.left.saturating_sub(begun.elapsed());
            over = self.left.is_zero();
        }
        let (failed, error) = match answer {
            Ok(answer) if !over => return Ok(answer),
            Ok(_) | Err(LinkError::Late(_)) => {
                let reason = match clock {
                    Some(clock) if over => format!("its clock of {clock:?} has run out"),
                    _ => format!("it did not answer within {allowed:?}"),
                };
                (Failed::Timeout, LinkError::Late(reason))
            }
            Err(error @ LinkError::Gone(_)) => (Failed::Gone, error),
            Err(error @ LinkError::InvalidBytes(_)) => (Failed::BadAnswer, error),
        };
        Err(self.out(hand, failed, &error))
    }

    /// Asks a question, after all that is acknowledged before it.
    fn ask(&mut self, infoset: &InfoSet, cx: &Context) -> Result<Vec<u8>, NoAnswer> {
        self.ready(cx.hand)?;
        loop {
            let clock = self.clock();
            let Some(line) = self.host.before_question(cx.hand, infoset, clock) else { break };
            let answer = self.exchange(&line, cx.hand, cx.time_left)?;
            self.acknowledged(cx.hand, &answer);
        }
        let clock = self.clock();
        let line = self.host.question(cx.hand, infoset, clock);
        self.exchange(&line, cx.hand, cx.time_left)
    }

    fn decide(&mut self, infoset: &InfoSet, cx: &Context) -> Result<Action, NoAnswer> {
        let answer = self.ask(infoset, cx)?;
        self.host.answer(&answer, &infoset.public).map_err(|refused| {
            self.tell(cx.hand, &refused);
            (Failed::BadAnswer, refused.to_string())
        })
    }

    fn put_away(&mut self, infoset: &InfoSet, cx: &Context) -> Result<u8, NoAnswer> {
        let answer = self.ask(infoset, cx)?;
        self.host.discard(&answer, &infoset.hole).map_err(|refused| {
            self.tell(cx.hand, &refused);
            (Failed::BadAnswer, refused.to_string())
        })
    }

    /// Takes an answer that decides nothing.
    fn acknowledged(&mut self, hand: u64, answer: &[u8]) {
        if let Err(refused) = self.host.acknowledge(answer) {
            self.tell(hand, &refused);
        }
    }

    /// Tells of the first refused answer.
    fn tell(&mut self, hand: u64, refused: &Refused) {
        if !std::mem::replace(&mut self.told, true) {
            let name = &self.setup.name;
            let message = format!("`{name}` was corrected in hand {hand}: {refused}");
            waiting::say_failed(&format!("{name} was corrected"), &message);
        }
    }

    /// Ends the game: the bot is told, and may end by itself.
    fn end(&mut self) {
        if let BotState::Playing(mut link) = std::mem::replace(&mut self.state, BotState::Down) {
            let (until, mut wait) = (Instant::now() + EXIT_TIMEOUT, Wait::begin(FIRST_NOTICE));
            let what = String::new;
            let mut deadline =
                WaitDeadline { until, wait: &mut wait, what: &what, reported: false };
            // One that does not read it any more is killed all the same.
            let _ = link.send(Host::quit().as_bytes(), &mut deadline);
            link.close(EXIT_TIMEOUT);
        }
    }
}

impl Agent for PokerBot {
    fn act(&mut self, infoset: &InfoSet, cx: &mut Context) -> Decision {
        match self.decide(infoset, cx) {
            Ok(action) => action.into(),
            Err(no_answer) => failed(no_answer),
        }
    }

    fn discard(&mut self, infoset: &InfoSet, cx: &mut Context) -> Result<u8, Decision> {
        self.put_away(infoset, cx).map_err(failed)
    }

    fn hand_over(&mut self, outcome: &HandOutcome<'_>) {
        let HandOutcome { hand, public, seat, shown, payoffs } = *outcome;
        if self.ready(hand).is_ok() {
            self.host.end(hand, public, seat, shown, payoffs[seat]);
            while let Some(line) = self.host.closing(self.clock()) {
                // A failure shows at the next decision.
                let Ok(answer) = self.exchange(&line, hand, None) else { break };
                self.acknowledged(hand, &answer);
            }
        }
        self.rounds += 1;
        if self.rounds >= self.setup.rounds {
            self.end();
        }
    }
}

impl Drop for PokerBot {
    fn drop(&mut self) {
        self.end();
    }
}
