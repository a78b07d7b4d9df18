//! Checking a configuration: resolves agents, reads games, counts seats.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agents::{AgentChoice, AgentConfig, Registry};
use game::{GameDef, Quirks};
use matches::bot::Bot;
use matches::confine::Bounds;
use matches::games::{load_game, without_discards};
use matches::program::Program;
use protocol::acpc::dealer::{Limits, Replies};
use protocol::acpc::gamedef::Reading;
use wire::connect::ConnectionPlan;
use wire::host::{SeatPlan, TablePlan};
use wire::play_acpc::{AcpcSettings, Protocol};
use wire::slumbot_host::{self, HostPlan};

use super::units::Time;
use super::{
    Analyse, ConfigError, Decide, Loaded, Mcp, OutsideDealer, Run, Scrimmage, Seat, Seed, Server,
    Slumbot, SolveFor, Study, Table, USUAL_FILE,
};
use crate::mcp::ToolsPlan;
use crate::web::Guard;
use crate::web::analyse::AnalysePlan;
use crate::web::decide::DecidePlan;
use crate::web::hosts::Hosts;
use crate::web::login::{self, Login};
use crate::web::run::{LOGIN, RunPlan};
use crate::web::scrimmage::CoursePlan;
use crate::web::study::StudyPlan;

/// The validated configuration, ready to be started.
#[derive(Debug)]
pub struct Setup {
    /// The registry with all kinds of agents and those that the configuration defines.
    pub registry: Registry,
    /// All of these agents that need no options, by name.
    pub agents: BTreeMap<String, AgentChoice>,
    /// The tables to host.
    pub tables: Vec<TablePlan>,
    /// The dealers to play at.
    pub dealers: Vec<ConnectionPlan>,
    /// The host of the Slumbot API, if enabled.
    pub slumbot: Option<HostPlan>,
    /// The agents that answer decision requests, if enabled.
    pub decide: Option<DecidePlan>,
    /// The tools for language models.
    pub tools: ToolsPlan,
    /// The scrimmage, if enabled.
    pub scrimmage: Option<CoursePlan>,
    /// Solving for the study page, if it is offered.
    pub study: Option<StudyPlan>,
    /// Runs that the page starts, or why it starts none and what to do about it.
    pub run: Result<RunPlan, (String, String)>,
    /// Importing and analysing hands, if it is offered.
    pub analyse: Option<AnalysePlan>,
    /// The hosts and the login by which requests are admitted.
    pub guard: Guard,
}

/// The reason why 0 is refused.
const ZERO: &str = "0 cannot be used: write at least 1";

/// Checks a configuration.
///
/// # Errors
/// When a value cannot be used: the first one is named.
pub fn check(loaded: &Loaded) -> Result<Setup, ConfigError> {
    let registry = registry(loaded)?;
    let mut checker = Checker { loaded, registry: &registry, ports: Vec::new() };
    for (key, zero) in [
        ("server.max_connections", loaded.config.server.max_connections == 0),
        ("server.max_body", loaded.config.server.max_body.0 == 0),
    ] {
        checker.refuse_if(zero, key, || ZERO.to_owned())?;
    }
    let server = &loaded.config.server;
    crate::telemetry::read_filter(&server.log)
        .map_err(|error| loaded.unusable("server.log", error))?;
    checker.some_time("server.header_timeout", server.header_timeout)?;
    checker.some_time("server.request_timeout", server.request_timeout)?;
    let bind = server.bind;
    checker.take_port("server.bind", bind)?;
    let guard = checker.guard(server)?;
    let mut tables = Vec::new();
    for (i, table) in loaded.config.tables.iter().enumerate() {
        tables.push(checker.table(&format!("tables[{i}]"), table)?);
        let same = |other: &Table| other.name == table.name;
        let twice = loaded.config.tables[..i].iter().any(same);
        let key = format!("tables[{i}].name");
        checker.refuse_if(twice, &key, || same_name(&table.name))?;
    }
    let mut dealers = Vec::new();
    for (i, dealer) in loaded.config.dealers.iter().enumerate() {
        dealers.push(checker.dealer(&format!("dealers[{i}]"), dealer)?);
        let same = |other: &OutsideDealer| other.name == dealer.name;
        let twice = loaded.config.dealers[..i].iter().any(same);
        let key = format!("dealers[{i}].name");
        checker.refuse_if(twice, &key, || same_name(&dealer.name))?;
    }
    let slumbot = checker.slumbot(&loaded.config.slumbot)?;
    let decide = checker.decide(&loaded.config.decide)?;
    let tools = checker.tools(&loaded.config.mcp)?;
    let scrimmage = checker.scrimmage(&loaded.config.scrimmage)?;
    let study = checker.study(&loaded.config.study)?;
    let run = checker.run(&loaded.config.run, guard.login.is_some())?;
    let analyse = checker.analyse(&loaded.config.analyse)?;
    let agents = checker.all_agents().collect();
    Ok(Setup {
        registry: registry.clone(),
        agents,
        tables,
        dealers,
        slumbot,
        decide,
        tools,
        scrimmage,
        study,
        run,
        analyse,
        guard,
    })
}

fn same_name(name: &str) -> String {
    format!("there is another one called `{name}`")
}

fn registry(loaded: &Loaded) -> Result<Registry, ConfigError> {
    let mut registry = matches::external::registry();
    for (name, agent) in &loaded.config.agents {
        let key = format!("agents.{name}");
        registry.define(name, agent.clone()).map_err(|error| loaded.unusable(&key, error))?;
    }
    for name in loaded.config.agents.keys() {
        registry.resolve(name).map_err(|error| {
            let key = match error.unknown_option() {
                Some((agent, option)) => format!("agents.{agent}.{option}"),
                None => format!("agents.{name}"),
            };
            loaded.unusable(&key, error)
        })?;
    }
    for (name, agent) in &loaded.config.agents {
        if let Some(program) = missing_program(agent) {
            let key = format!("agents.{name}.command");
            return Err(loaded.unusable(
                &key,
                format!(
                    "the program `{}` cannot be found: write its path, or a name that is in PATH",
                    program.display()
                ),
            ));
        }
    }
    Ok(registry)
}

/// The program of an `external` agent, if it does not exist. Agents without a seat are never
/// started, so it would not be noticed otherwise.
fn missing_program(agent: &AgentConfig) -> Option<PathBuf> {
    if agent.kind != "external" {
        return None;
    }
    let command = agent.options.get("command")?.as_str()?;
    let program = Program::parse(command, &agent.folder)?.program;
    let found = if program.components().count() > 1 {
        program.is_file()
    } else {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).any(|folder| folder.join(&program).is_file())
    };
    (!found).then_some(program)
}

struct Checker<'a> {
    loaded: &'a Loaded,
    registry: &'a Registry,
    /// The addresses in use so far, with their keys.
    ports: Vec<(String, SocketAddr)>,
}

/// So many threads as there are processors, at most; for 0 all processors but one.
fn all_but_one(wanted: usize) -> usize {
    let processors = parallel::processors();
    match wanted {
        0 => processors.saturating_sub(1).max(1),
        threads => threads.min(processors),
    }
}

impl Checker<'_> {
    fn refuse_if(
        &self,
        bad: bool,
        key: &str,
        reason: impl FnOnce() -> String,
    ) -> Result<(), ConfigError> {
        if bad { Err(self.loaded.unusable(key, reason())) } else { Ok(()) }
    }

    fn some_time(&self, key: &str, time: Time) -> Result<(), ConfigError> {
        self.refuse_if(time.0.is_zero(), key, || {
            format!("`{time}` leaves no time: write at least \"1ms\"")
        })
    }

    fn name(&self, key: &str, name: &str) -> Result<(), ConfigError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let bad = name.is_empty() || name.starts_with('.') || !name.chars().all(plain);
        self.refuse_if(bad, key, || {
            format!("`{name}` is not one word of letters, digits, `-`, `_` and `.`")
        })
    }

    /// Reserves a port. Two listeners cannot share one unless their addresses do not overlap.
    fn take_port(&mut self, key: &str, address: SocketAddr) -> Result<(), ConfigError> {
        if address.port() == 0 {
            return Ok(());
        }
        let (ip, port) = (address.ip().to_canonical(), address.port());
        let overlap = self.ports.iter().find(|(_, other)| {
            let same = other.ip().to_canonical() == ip;
            other.port() == port && (same || other.ip().is_unspecified() || ip.is_unspecified())
        });
        if let Some((other, _)) = overlap {
            return Err(self
                .loaded
                .unusable(key, format!("port {port} is used twice: `{other}` has it, too")));
        }
        self.ports.push((key.to_owned(), address));
        Ok(())
    }

    fn guard(&self, server: &Server) -> Result<Guard, ConfigError> {
        let mut hosts = Hosts::new(server.bind.ip());
        for (i, host) in server.hosts.iter().enumerate() {
            let key = format!("server.hosts[{i}]");
            hosts.add(host).map_err(|error| self.loaded.unusable(&key, error))?;
        }
        server.proxies.iter().for_each(|&proxy| hosts.trust(proxy));
        let ask = &server.login;
        let bad_user =
            ask.user.is_empty() || ask.user.contains(|c: char| c == ':' || c.is_control());
        self.refuse_if(bad_user, "server.login.user", || {
            format!("`{}` cannot be a user's name: write one without a colon", ask.user)
        })?;
        let secret = |name, path: &Path, token| {
            let read = (!path.as_os_str().is_empty()).then(|| login::read_secret(path, token));
            let key = format!("server.login.{name}");
            read.transpose().map_err(|error| self.loaded.unusable(&key, error))
        };
        let password = secret("password_file", &ask.password_file, false)?;
        let token = secret("token_file", &ask.token_file, true)?;
        let asked = password.is_some() || token.is_some();
        let basic = password.map(|password| (ask.user.as_str(), password));
        let login = asked.then(|| Arc::new(Login::new(basic, token, ask.slumbot)));
        Ok(Guard { hosts, login })
    }

    fn game(&self, key: &str, name: &str) -> Result<Arc<GameDef>, ConfigError> {
        let strict = |name: &str| load_game(name, Reading::Strict);
        let path = self.loaded.folder_of(key).join(name);
        let found = if Path::new(name) == path { Err(None) } else { strict_file(&path) };
        let game = match found {
            Ok(game) => Ok(game),
            Err(Some(error)) => Err(error),
            Err(None) => strict(name),
        };
        game.and_then(|def| without_discards(name, &def).map(|()| def))
            .map_err(|error| self.loaded.unusable(key, error))
    }

    fn resolve(&self, key: &str, name: &str) -> Result<AgentChoice, ConfigError> {
        let choice = self.registry.resolve_in(name, self.loaded.folder_of(key));
        choice.map_err(|error| self.loaded.unusable(key, error))
    }

    fn agent(&self, key: &str, name: &str, def: &Arc<GameDef>) -> Result<AgentChoice, ConfigError> {
        let choice = self.resolve(key, name)?;
        // Building it shows whether it can play this game.
        drop(Bot::new(&choice, def).map_err(|error| self.loaded.unusable(key, error))?);
        Ok(choice)
    }

    fn table(&mut self, key: &str, table: &Table) -> Result<TablePlan, ConfigError> {
        let at = |name: &str| format!("{key}.{name}");
        self.name(&at("name"), &table.name)?;
        let def = self.game(&at("game"), &table.game)?;
        self.refuse_if(table.hands == 0, &at("hands"), || ZERO.to_owned())?;
        self.refuse_if(table.queue == 0, &at("queue"), || ZERO.to_owned())?;
        let (found, needed) = (table.seats.len(), def.players);
        self.refuse_if(found != needed, &at("seats"), || {
            format!("{found} seats for a game of {needed} players")
        })?;
        let mut seats = Vec::new();
        for (i, seat) in table.seats.iter().enumerate() {
            seats.push(self.seat(&format!("{key}.seats[{i}]"), i, seat, table, &def)?);
        }
        let open = seats.iter().any(|seat| matches!(seat, SeatPlan::Open { .. }));
        self.refuse_if(!open, &at("seats"), || {
            "no seat is open for an outside bot; matches among agents are played by \
             `cardroom match`"
                .to_owned()
        })?;
        for (i, seat) in seats.iter().enumerate() {
            let twice = seats[..i].iter().any(|other| other.name() == seat.name());
            self.refuse_if(twice, &format!("{key}.seats[{i}].name"), || {
                format!("two seats are called `{}`: give one of them another `name`", seat.name())
            })?;
        }
        for (name, time) in [
            ("version_timeout", table.version_timeout),
            ("response_timeout", table.response_timeout),
            ("hand_timeout", table.hand_timeout),
            ("per_hand", table.per_hand),
        ] {
            self.some_time(&at(name), time)?;
        }
        let replies = table.replies.parse::<Replies>();
        let replies = replies.map_err(|error| self.loaded.unusable(&at("replies"), error))?;
        let limits = Limits {
            version: Some(table.version_timeout.0),
            response: table.response_timeout.0,
            hand: table.hand_timeout.0,
            whole_match: table.per_hand.0.saturating_mul(table.hands),
            ..Limits::new(table.hands)
        };
        Ok(TablePlan {
            name: table.name.clone(),
            game_name: table.game.clone(),
            def,
            hands: table.hands,
            seed: match table.seed {
                Seed::Fresh => None,
                Seed::Fixed(seed) => Some(seed),
            },
            seats,
            queue: table.queue,
            version_timeout: table.version_timeout.0,
            limits,
            replies,
            matches: self.loaded.config.server.data.join("matches"),
            provenance: crate::match_options::provenance(),
        })
    }

    fn seat(
        &mut self,
        key: &str,
        index: usize,
        seat: &Seat,
        table: &Table,
        def: &Arc<GameDef>,
    ) -> Result<SeatPlan, ConfigError> {
        if let Some(name) = &seat.name {
            self.name(&format!("{key}.name"), name)?;
        }
        match (&seat.agent, seat.port) {
            (Some(agent), None) => {
                let choice = self.agent(&format!("{key}.agent"), agent, def)?;
                let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
                let usual = || agent.chars().map(plain).collect();
                Ok(SeatPlan::Agent { name: seat.name.clone().unwrap_or_else(usual), choice })
            }
            (None, Some(port)) => {
                let address = SocketAddr::new(table.bind, port);
                self.take_port(&format!("{key}.port"), address)?;
                let usual = || format!("seat-{}", index + 1);
                Ok(SeatPlan::Open { name: seat.name.clone().unwrap_or_else(usual), address })
            }
            _ => Err(self.loaded.unusable(
                key,
                "a seat is either an agent's (agent = \"NAME\") or open (port = 0), not both or \
                 neither",
            )),
        }
    }

    fn slumbot(&self, slumbot: &Slumbot) -> Result<Option<HostPlan>, ConfigError> {
        let at = |name: &str| format!("slumbot.{name}");
        for (name, zero) in [
            ("max_sessions", slumbot.max_sessions == 0),
            ("workers", slumbot.workers == 0),
            ("max_body", slumbot.max_body.0 == 0),
        ] {
            self.refuse_if(zero, &at(name), || ZERO.to_owned())?;
        }
        for (name, time) in [
            ("session_life", slumbot.session_life),
            ("forfeit_after", slumbot.forfeit_after),
            ("decision_timeout", slumbot.decision_timeout),
        ] {
            self.some_time(&at(name), time)?;
        }
        if !slumbot.enabled {
            return Ok(None);
        }
        let def = self.game(&at("agent"), slumbot_host::GAME)?;
        let mut agents: BTreeMap<String, AgentChoice> = BTreeMap::new();
        let mut offer = |key: String, name: &String| -> Result<(), ConfigError> {
            if !agents.contains_key(name) {
                agents.insert(name.clone(), self.agent(&key, name, &def)?);
            }
            Ok(())
        };
        offer(at("agent"), &slumbot.agent)?;
        for (i, name) in slumbot.agents.iter().enumerate() {
            offer(format!("slumbot.agents[{i}]"), name)?;
        }
        for (user, name) in &slumbot.users {
            offer(format!("slumbot.users.{user}"), name)?;
        }
        if slumbot.agents.is_empty() {
            agents.extend(self.all_agents());
            let strongest = self.agent(&at("agents"), slumbot_host::STRONGEST, &def)?;
            agents.insert(slumbot_host::STRONGEST.to_owned(), strongest);
        }
        let server = &self.loaded.config.server;
        Ok(Some(HostPlan {
            folder: server.data.join("slumbot"),
            matches: server.data.join("matches"),
            agents: agents.into_iter().collect(),
            agent: slumbot.agent.clone(),
            users: slumbot.users.clone(),
            baseline: slumbot.baseline,
            process: slumbot.process,
            most_sessions: slumbot.max_sessions,
            most_sessions_of_user: slumbot.max_sessions_of_user,
            session_life: slumbot.session_life.0,
            forfeit_after: slumbot.forfeit_after.0,
            decision_time: slumbot.decision_timeout.0,
            workers: slumbot.workers,
            provenance: crate::match_options::provenance(),
        }))
    }

    fn decide(&self, decide: &Decide) -> Result<Option<DecidePlan>, ConfigError> {
        self.refuse_if(decide.workers == 0, "decide.workers", || ZERO.to_owned())?;
        self.some_time("decide.decision_timeout", decide.decision_timeout)?;
        if !decide.enabled {
            return Ok(None);
        }
        let agents = self.offered("decide.agents", &decide.agents)?;
        let time_limit = decide.decision_timeout.0;
        Ok(Some(DecidePlan { agents, time_limit, workers: decide.workers }))
    }

    fn tools(&self, mcp: &Mcp) -> Result<ToolsPlan, ConfigError> {
        let at = |name: &str| format!("mcp.{name}");
        for (name, zero) in [
            ("max_tables", mcp.max_tables == 0),
            ("max_hands", mcp.max_hands == 0),
            ("max_memory", mcp.max_memory.0 == 0),
            ("workers", mcp.workers == 0),
        ] {
            self.refuse_if(zero, &at(name), || ZERO.to_owned())?;
        }
        for (name, time) in [
            ("table_life", mcp.table_life),
            ("max_time", mcp.max_time),
            ("decision_timeout", mcp.decision_timeout),
        ] {
            self.some_time(&at(name), time)?;
        }
        // A connection on which nothing moves for a minute is closed.
        let longest = Duration::from_secs(45);
        self.refuse_if(mcp.enabled && mcp.max_time.0 > longest, &at("max_time"), || {
            format!("`{}` is too long for the server: write at most \"45s\"", mcp.max_time)
        })?;
        let agents = self.offered("mcp.agents", &mcp.agents)?;
        let time_limit = mcp.decision_timeout.0;
        Ok(ToolsPlan {
            agents: DecidePlan { agents, time_limit, workers: mcp.workers },
            data: self.loaded.config.server.data.clone(),
            file: self.loaded.file.clone(),
            tables: mcp.max_tables,
            idle: mcp.table_life.0,
            hands: mcp.max_hands,
            time: mcp.max_time.0,
            memory: mcp.max_memory,
        })
    }

    /// The agents of these names at this key; without any, all that clients may have.
    fn offered(
        &self,
        key: &str,
        names: &[String],
    ) -> Result<BTreeMap<String, AgentChoice>, ConfigError> {
        if names.is_empty() {
            return Ok(self.all_agents().collect());
        }
        // Whether one can play a game is found out when it is asked about one.
        let named = names.iter().enumerate();
        named
            .map(|(i, name)| Ok((name.clone(), self.resolve(&format!("{key}[{i}]"), name)?)))
            .collect()
    }

    /// Whether work that takes long is offered.
    fn offers(&self, whom: SolveFor) -> bool {
        match whom {
            SolveFor::Local => self.alone(),
            SolveFor::All => true,
            SolveFor::Nobody => false,
        }
    }

    fn analyse(&self, analyse: &Analyse) -> Result<Option<AnalysePlan>, ConfigError> {
        for (key, zero) in [
            ("analyse.max_upload", analyse.max_upload.0 == 0),
            ("analyse.max_files", analyse.max_files == 0),
            ("analyse.max_hands", analyse.max_hands == 0),
            ("analyse.queue", analyse.queue == 0),
        ] {
            self.refuse_if(zero, key, || ZERO.to_owned())?;
        }
        self.some_time("analyse.max_time", analyse.max_time)?;
        Ok(self.offers(analyse.offer).then_some(AnalysePlan {
            max_upload: analyse.max_upload.0,
            max_files: analyse.max_files,
            max_hands: analyse.max_hands,
            threads: all_but_one(analyse.threads),
            queue: analyse.queue,
            max_time: analyse.max_time.0,
        }))
    }

    fn study(&self, study: &Study) -> Result<Option<StudyPlan>, ConfigError> {
        for (key, zero) in [
            ("study.memory", study.memory.0 == 0),
            ("study.kept", study.kept == 0),
            ("study.queue", study.queue == 0),
        ] {
            self.refuse_if(zero, key, || ZERO.to_owned())?;
        }
        self.some_time("study.max_time", study.max_time)?;
        Ok(self.offers(study.solve).then_some(StudyPlan {
            folder: self.loaded.config.server.data.join("study"),
            disk: study.disk.0,
            memory: study.memory.0,
            threads: all_but_one(study.threads),
            kept: study.kept,
            queue: study.queue,
            max_time: study.max_time.0,
        }))
    }

    /// Whether only this machine can reach the server.
    fn alone(&self) -> bool {
        let server = &self.loaded.config.server;
        server.bind.ip().is_loopback() && server.proxies.is_empty() && server.hosts.is_empty()
    }

    fn run(
        &self,
        run: &Run,
        login: bool,
    ) -> Result<Result<RunPlan, (String, String)>, ConfigError> {
        for (key, zero) in [
            ("run.at_once", run.at_once == 0),
            ("run.queue", run.queue == 0),
            ("run.kept", run.kept == 0),
            ("run.max_hands", run.max_hands == 0),
        ] {
            self.refuse_if(zero, key, || ZERO.to_owned())?;
        }
        for (i, name) in run.agents.iter().enumerate() {
            self.resolve(&format!("run.agents[{i}]"), name)?;
        }
        let closed = |why: &str, remedy: &str| Ok(Err((why.to_owned(), remedy.to_owned())));
        if !run.enabled {
            return closed("this server starts nothing", "set `run.enabled = true`");
        }
        if !login && !self.alone() {
            return closed("others can reach this server, and there is no login", LOGIN);
        }
        let server = &self.loaded.config.server;
        let found_anyway = |file: &PathBuf| file != Path::new(USUAL_FILE);
        Ok(Ok(RunPlan {
            data: server.data.clone(),
            config: self.loaded.file.clone().filter(found_anyway),
            registry: self.registry.clone(),
            agents: run.agents.clone(),
            at_once: run.at_once,
            queue: run.queue,
            kept: run.kept,
            max_hands: run.max_hands,
            threads: all_but_one(run.threads),
            grace: server.grace.0,
        }))
    }

    fn scrimmage(&self, course: &Scrimmage) -> Result<Option<CoursePlan>, ConfigError> {
        let at = |name: &str| format!("scrimmage.{name}");
        for (name, zero) in [
            ("hands", course.hands == 0),
            ("threads", course.threads == 0),
            ("memory", course.memory.0 == 0),
            ("processes", course.processes == 0),
            ("max_upload", course.max_upload.0 == 0),
            ("max_unpacked", course.max_unpacked.0 == 0),
            ("max_files", course.max_files == 0),
            ("max_teams", course.max_teams == 0),
        ] {
            self.refuse_if(zero, &at(name), || ZERO.to_owned())?;
        }
        let games = [protocol::pokerbots::GAME, protocol::pokerbots::DISCARD_GAME];
        self.refuse_if(!games.contains(&course.game.as_str()), &at("game"), || {
            let [base, other] = games;
            format!("`{}` is no game of these bots: write \"{base}\" or \"{other}\"", course.game)
        })?;
        self.refuse_if(course.hands % 2 == 1, &at("hands"), || {
            format!("{} is odd, and every deal is played from both seats", course.hands)
        })?;
        for (name, time) in [
            ("clock", course.clock),
            ("answer_timeout", course.answer_timeout),
            ("build_timeout", course.build_timeout),
        ] {
            self.some_time(&at(name), time)?;
        }
        let seconds = course.cpu.0.as_secs();
        self.refuse_if(seconds == 0, &at("cpu"), || {
            format!("`{}` is less than a second: write at least \"1s\"", course.cpu)
        })?;
        for (i, path) in course.readable.iter().enumerate() {
            self.refuse_if(!path.is_absolute(), &format!("scrimmage.readable[{i}]"), || {
                format!("`{}` is no absolute path: begin it with `/`", path.display())
            })?;
        }
        let nightly = match course.at.as_str() {
            "" => None,
            text => {
                let at = jiff::civil::Time::strptime("%H:%M", text).map_err(|_| {
                    let reason = format!(
                        "`{text}` is no time of day: write hours and minutes, as in \"02:30\""
                    );
                    self.loaded.unusable(&at("at"), reason)
                })?;
                Some(scrimmage::schedule::Nightly { at, zone: jiff::tz::TimeZone::system() })
            }
        };
        let some = |path: &Path| (!path.as_os_str().is_empty()).then(|| path.to_owned());
        let teams = match some(&course.tokens_file) {
            None => BTreeMap::new(),
            Some(path) => crate::web::scrimmage::read_tokens(&path)
                .map_err(|error| self.loaded.unusable(&at("tokens_file"), error))?,
        };
        if !course.enabled {
            return Ok(None);
        }
        let server = &self.loaded.config.server;
        let plan = scrimmage::Plan {
            home: server.data.join("scrimmage"),
            tournaments: server.data.join("tournaments"),
            teams: some(&course.teams),
            nightly,
            rules: scrimmage::round::Rules {
                game: course.game.clone(),
                hands: course.hands,
                clock: Some(course.clock.0),
                answer: course.answer_timeout.0,
                build: course.build_timeout.0,
                threads: course.threads,
                bounds: Bounds {
                    memory: course.memory.0,
                    processes: course.processes,
                    cpu: seconds,
                    readable: course.readable.clone(),
                    ..Bounds::default()
                },
                provenance: crate::match_options::provenance(),
            },
            limits: scrimmage::IntakeLimits {
                packed: course.max_upload.0,
                unpacked: course.max_unpacked.0,
                entries: course.max_files,
            },
            most_teams: course.max_teams,
        };
        Ok(Some(CoursePlan { plan, teams }))
    }

    /// Every kind of agent without required options, and every defined agent, except those that
    /// start programs on this machine: clients get these only if they are listed. None is started.
    fn all_agents(&self) -> impl Iterator<Item = (String, AgentChoice)> {
        let kinds = self.registry.kinds().iter().map(|spec| spec.kind);
        let defined = self.registry.defined().map(|(name, _)| name);
        kinds.chain(defined).filter_map(|name| {
            let choice = self.registry.resolve(name).ok()?;
            (!choice.runs_program()).then(|| (name.to_owned(), choice))
        })
    }

    fn dealer(&self, key: &str, dealer: &OutsideDealer) -> Result<ConnectionPlan, ConfigError> {
        let at = |name: &str| format!("{key}.{name}");
        self.name(&at("name"), &dealer.name)?;
        let def = self.game(&at("game"), &dealer.game)?;
        let host = dealer.host.as_str();
        let no_host = host.is_empty() || host.contains(char::is_whitespace);
        self.refuse_if(no_host, &at("host"), || {
            format!(
                "`{host}` is not a host: write a host name or an address, as in \
                 \"dealer.example.org\""
            )
        })?;
        self.refuse_if(dealer.port == 0, &at("port"), || {
            "0 is not a port to connect to: write the port of the dealer's seat, from 1 to 65535"
                .to_owned()
        })?;
        self.some_time(&at("connect_timeout"), dealer.connect_timeout)?;
        self.some_time(&at("silence"), dealer.silence)?;
        self.some_time(&at("decision_timeout"), dealer.decision_timeout)?;
        let (first, most) = (dealer.retry_first, dealer.retry_most);
        self.some_time(&at("retry_first"), first)?;
        self.refuse_if(first > most, &at("retry_first"), || {
            format!("`{first}` is longer than `retry_most`, which is `{most}`: write at most that")
        })?;
        let agent = self.agent(&at("agent"), &dealer.agent, &def)?;
        Ok(ConnectionPlan {
            name: dealer.name.clone(),
            game_name: dealer.game.clone(),
            seat: AcpcSettings {
                host: dealer.host.clone(),
                protocol: Protocol::Acpc,
                port: dealer.port,
                def: Arc::new(def.with_quirks(Quirks::ORIGINAL)),
                agent,
                seed: 0,
                connect_timeout: dealer.connect_timeout.0,
                silence: Some(dealer.silence.0),
                deadline: Some(dealer.decision_timeout.0),
                opponents: Vec::new(),
            },
            retry_first: first.0,
            retry_most: most.0,
            folder: self.loaded.config.server.data.join("dealers"),
        })
    }
}

/// The game in a file beside the configuration; `Err(None)` when there is no such file.
fn strict_file(path: &Path) -> Result<Arc<GameDef>, Option<matches::Error>> {
    if !path.is_file() {
        return Err(None);
    }
    load_game(&path.to_string_lossy(), Reading::Strict).map_err(Some)
}
