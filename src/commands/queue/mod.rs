//! Runs on many machines by a queue on a NATS server: `enqueue`, `worker` and `runs`.

pub mod enqueue;
pub mod runs;
pub mod worker;

use std::path::PathBuf;

use ::queue::{Queue, Server};

use crate::exit::Failure;
use crate::web::login::open_secret;

/// Where the queue's server is.
#[derive(clap::Args)]
pub(crate) struct ServerArgs {
    /// The NATS server, as in nats://HOST:4222 or tls://HOST:4222; for a cluster several, separated
    /// by commas
    #[arg(long = "nats", value_name = "URL", env = "NATS_URL")]
    url: String,
    /// A file with a user's credentials, as written by `nsc`
    #[arg(long = "nats-creds", value_name = "FILE", env = "NATS_CREDS")]
    credentials: Option<PathBuf>,
    /// A file with the certificates of the server's certificate authority; requires TLS
    #[arg(long = "nats-ca", value_name = "FILE", env = "NATS_CA")]
    authority: Option<PathBuf>,
}

impl ServerArgs {
    fn connect(self) -> Result<Queue, Failure> {
        let ServerArgs { url, credentials, authority } = self;
        let opened = credentials.as_deref().map(open_secret).transpose();
        opened.map_err(Failure::input)?;
        Ok(Queue::connect(&Server { url, credentials, authority })?)
    }
}

/// The version of this program; only workers of the same version run its parts.
fn version() -> String {
    match option_env!("CARDROOM_COMMIT") {
        Some(commit) => format!("{}+{commit}", env!("CARGO_PKG_VERSION")),
        None => env!("CARGO_PKG_VERSION").to_owned(),
    }
}
