//! A nats-server of its own for each test, on a free port of this machine.

use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use queue::Server;

/// A server that ends with the value; its store stays for another one.
pub(crate) struct Nats {
    child: Child,
    pub(crate) port: u16,
}

impl Nats {
    #[allow(clippy::print_stdout)]
    /// A server that keeps its store in this folder; `None` where there is no such program.
    pub(crate) fn start(folder: &Path, port: Option<u16>, config: &str) -> Option<Nats> {
        let free = || Some(TcpListener::bind("127.0.0.1:0").ok()?.local_addr().ok()?.port());
        let port = port.or_else(free).expect("a free port");
        let file = folder.join("nats.conf");
        fs::write(&file, config).expect("a file");
        let child = Command::new("nats-server")
            .args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-c"])
            .arg(&file)
            .arg("-sd")
            .arg(folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(testing::process_group())
            .spawn();
        let Ok(child) = child else {
            println!("skipped: there is no nats-server on this machine");
            return None;
        };
        let begun = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(30), "nats-server does not listen");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Nats { child, port })
    }

    pub(crate) fn server(&self) -> Server {
        Server { url: format!("nats://127.0.0.1:{}", self.port), ..Server::default() }
    }
}

/// Asks the server past the queue.
pub(crate) fn raw<T>(nats: &Nats, ask: impl AsyncFnOnce(async_nats::jetstream::Context) -> T) -> T {
    let runtime = tokio::runtime::Runtime::new().expect("threads");
    runtime.block_on(async {
        let client = async_nats::connect(&nats.server().url).await.expect("a connection");
        ask(async_nats::jetstream::new(client)).await
    })
}

impl Drop for Nats {
    fn drop(&mut self) {
        // It writes out what it has acknowledged; one that is killed may lose the last of it.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let _ = self.child.wait();
    }
}
