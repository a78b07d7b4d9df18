//! Agents that the dealer starts itself: starting them, their output files, ending them.

use std::fs::File;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::{DealerError, Options};
use matches::program::{Program, Running};

/// The time limit for agents to end after the match, after which they are killed.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// The running agents, by seat. Dropping it kills them and everything they started.
#[derive(Debug, Default)]
pub(super) struct Agents {
    agents: Vec<Option<(Running, PathBuf)>>,
}

impl Agents {
    /// Starts the agents, with host and port appended to their commands. An empty command leaves
    /// its seat to an outside player.
    pub(super) fn start(options: &Options, ports: &[u16]) -> Result<Agents, DealerError> {
        let mut agents = Agents::default();
        let host = match options.bind {
            IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
            address => address,
        };
        if let Some(command) = options.run.get(ports.len()) {
            let reason = format!("this game has {} seats only", ports.len());
            return Err(DealerError::Command { command: command.clone(), reason });
        }
        for (index, (command, port)) in options.run.iter().zip(ports).enumerate() {
            if command.trim().is_empty() {
                agents.agents.push(None);
                continue;
            }
            let program = Program::parse(command, Path::new("")).ok_or_else(|| {
                let reason = "a quotation mark is not closed".to_owned();
                DealerError::Command { command: command.clone(), reason }
            })?;
            let create = |kind: &str| {
                let path = PathBuf::from(format!("{}.player{index}.{kind}", options.name));
                match File::create(&path) {
                    Ok(file) => Ok((Stdio::from(file), path)),
                    Err(source) => Err(DealerError::File { path, source }),
                }
            };
            let (output, _) = create("std")?;
            let (errors, path) = create("err")?;
            let further = [host.to_string(), port.to_string()];
            let running = program.start_into(&further, output, errors).map_err(|source| {
                DealerError::Start { seat: index + 1, command: command.clone(), source }
            })?;
            agents.agents.push(Some((running, path)));
        }
        Ok(agents)
    }

    /// The reason why the seat's agent can no longer connect, if its program has ended.
    pub(super) fn ended(&mut self, entrant: usize) -> Option<String> {
        let (running, errors) = self.agents.get_mut(entrant)?.as_mut()?;
        let status = running.ended()?;
        Some(format!("its agent ended ({status}) before it connected; see {}", errors.display()))
    }

    /// Waits a short time for the agents to end, then kills those that still run.
    pub(super) fn finish(&mut self) {
        let deadline = Instant::now() + EXIT_TIMEOUT;
        for (running, _) in self.agents.iter_mut().flatten() {
            running.wait(deadline.saturating_duration_since(Instant::now()));
        }
        self.agents.clear();
    }
}
