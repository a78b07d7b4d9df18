//! Connecting to a dealer: every address of its name in turn, until the time limit.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::{Duration, Instant};

use matches::stop::Stop;
use matches::waiting::{FIRST_NOTICE, Wait};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use socket2::{SockRef, TcpKeepalive};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{sleep, timeout, timeout_at};

use super::{AcpcSettings, POLL_INTERVAL, PlayError};

/// The first pause between attempts; it grows by half each time, up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const MAX_PAUSE: Duration = Duration::from_secs(2);

/// The time limit for a single address.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);

/// The idle time before the first keep-alive probe and between probes: firewalls drop idle
/// connections.
const KEEP_ALIVE_IDLE: Duration = Duration::from_secs(60);
const PROBE_INTERVAL: Duration = Duration::from_secs(15);

/// Connects to the dealer, with `TCP_NODELAY` and keep-alive; `None` when asked to stop first.
pub(super) async fn connect(
    plan: &AcpcSettings,
    stop: &Stop,
) -> Result<Option<TcpStream>, PlayError> {
    let begun = Instant::now();
    let deadline = begun + plan.connect_timeout;
    // Spreads the attempts of players that start together. No result depends on it.
    let mut rng = Pcg64Mcg::seed_from_u64(u64::from(std::process::id()));
    let mut pause = FIRST_PAUSE;
    let mut wait = Wait::begin(FIRST_NOTICE);
    let most = plan.connect_timeout;
    let mut last = "no answer yet".to_owned();
    loop {
        let mut attempt = pin!(attempt(plan, deadline));
        let reasons = loop {
            match timeout_at(wait.next().into(), &mut attempt).await {
                Ok(Ok(stream)) => return Ok(Some(stream)),
                Ok(Err(reasons)) => break reasons,
                Err(_) => {}
            }
            if stop.asked() {
                return Ok(None);
            }
            wait.say(|| format!("a dealer at {}, at most {most:?}: {last}", plan.target()));
        };
        last.clone_from(&reasons);
        let rest = pause.mul_f64(rng.random_range(0.5..1.5));
        pause = pause.mul_f64(1.5).min(MAX_PAUSE);
        if Instant::now() + rest >= deadline {
            let (target, waited) = (plan.target(), plan.connect_timeout);
            return Err(PlayError::Unreachable { target, waited, reasons });
        }
        let again = Instant::now() + rest;
        while Instant::now() < again {
            if stop.asked() {
                return Ok(None);
            }
            wait.say(|| format!("a dealer at {}, at most {most:?}: {last}", plan.target()));
            sleep(again.saturating_duration_since(Instant::now()).min(POLL_INTERVAL)).await;
        }
    }
}

/// Tries each address once; the error lists what each answered.
async fn attempt(plan: &AcpcSettings, deadline: Instant) -> Result<TcpStream, String> {
    let host = plan.host.trim_start_matches('[').trim_end_matches(']');
    let addresses: Vec<SocketAddr> = match lookup_host((host, plan.port)).await {
        Ok(addresses) => addresses.collect(),
        Err(error) => return Err(format!("the name `{host}` cannot be resolved: {error}")),
    };
    let mut reasons: Vec<String> = Vec::new();
    for address in addresses {
        let left = deadline.saturating_duration_since(Instant::now());
        let most = left.min(ATTEMPT_TIMEOUT).max(POLL_INTERVAL);
        let tried = match timeout(most, TcpStream::connect(address)).await {
            Ok(tried) => tried.and_then(prepare),
            Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "no answer")),
        };
        match tried {
            Ok(stream) => return Ok(stream),
            Err(error) => reasons.push(format!("{}: {error}", address.ip())),
        }
    }
    Err(if reasons.is_empty() { "the name has no address".into() } else { reasons.join("; ") })
}

fn prepare(stream: TcpStream) -> io::Result<TcpStream> {
    stream.set_nodelay(true)?;
    let keep_alive = TcpKeepalive::new().with_time(KEEP_ALIVE_IDLE).with_interval(PROBE_INTERVAL);
    SockRef::from(&stream).set_tcp_keepalive(&keep_alive)?;
    Ok(stream)
}
