//! The `sd_notify` protocol of systemd: one datagram with the service's state to the socket named
//! by `NOTIFY_SOCKET`. Without systemd nothing is sent.

use std::io;
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

/// Sends one message (`READY=1`, `STOPPING=1`, `STATUS=…`, `WATCHDOG=1`). Errors are only logged:
/// the service must not stop for them.
pub fn notify(message: &str) {
    let Some(socket) = std::env::var_os("NOTIFY_SOCKET") else { return };
    let Some(socket) = socket.to_str() else { return };
    if let Err(error) = send(socket, message) {
        tracing::warn!(%error, message, "cannot notify systemd");
    }
}

/// The interval for sending `WATCHDOG=1`: half of systemd's time limit. `None` without a watchdog.
pub fn watchdog_interval() -> Option<Duration> {
    let number = |name: &str| std::env::var(name).ok()?.parse::<u64>().ok();
    let ours = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
    let micros = number("WATCHDOG_USEC").filter(|&micros| micros > 0 && ours)?;
    Some(Duration::from_micros(micros / 2))
}

fn send(socket: &str, message: &str) -> io::Result<()> {
    let sender = UnixDatagram::unbound()?;
    #[cfg(target_os = "linux")]
    if let Some(name) = socket.strip_prefix('@') {
        use std::os::linux::net::SocketAddrExt;
        let address = std::os::unix::net::SocketAddr::from_abstract_name(name)?;
        sender.send_to_addr(message.as_bytes(), &address)?;
        return Ok(());
    }
    sender.send_to(message.as_bytes(), socket)?;
    Ok(())
}
