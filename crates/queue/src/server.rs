//! The connection to a NATS server, and the queue's streams and stores there.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use async_nats::jetstream::object_store::ObjectStore;
use async_nats::jetstream::stream::{Config, RetentionPolicy, Stream};
use async_nats::jetstream::{Context, object_store};
use async_nats::{ConnectErrorKind, ConnectOptions};

use crate::QueueError;

/// The time for which a request is retried while the server is unreachable.
const RETRY_LIMIT: Duration = Duration::from_secs(120);
/// Pause between two attempts.
const RETRY_PAUSE: Duration = Duration::from_millis(500);
/// Timeout of the first connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time window in which JetStream recognises duplicate messages.
const DUPLICATE_WINDOW: Duration = Duration::from_secs(24 * 3600);
/// Time without an announcement after which a worker counts as gone.
pub(crate) const ALIVE_TIMEOUT: Duration = Duration::from_secs(30);

/// Address and credentials of the server.
#[derive(Debug, Clone, Default)]
pub struct Server {
    /// The address, as in `nats://host:4222` or `tls://host:4222`; or several of one cluster,
    /// separated by commas.
    pub url: String,
    /// A credentials file of a user (JWT and seed, as written by `nsc`).
    pub credentials: Option<PathBuf>,
    /// A file with the CA certificates that the server's certificate is verified against.
    pub authority: Option<PathBuf>,
}

/// The queue's streams and stores on the server.
pub(crate) struct Stores {
    pub(crate) context: Context,
    pub(crate) parts: Stream,
    pub(crate) records: Stream,
    pub(crate) files: ObjectStore,
    pub(crate) results: ObjectStore,
    pub(crate) workers: Stream,
}

impl Server {
    /// Connects, and creates the streams and stores that are missing.
    pub(crate) async fn connect(&self) -> Result<Stores, QueueError> {
        let mut options =
            ConnectOptions::new().name("cardroom").connection_timeout(CONNECT_TIMEOUT);
        if let Some(file) = &self.credentials {
            options = options.credentials_file(file).await.map_err(QueueError::io(file))?;
        }
        if let Some(file) = &self.authority {
            // The client's error does not name the file that it could not read.
            std::fs::metadata(file).map_err(QueueError::io(file))?;
            options = options.add_root_certificates(file.clone()).require_tls(true);
        }
        let (url, user) = without_user(&self.url);
        if let Some((user, password)) = user {
            options = options.user_and_password(user, password);
        }
        let addresses: Vec<&str> = url.split(',').collect();
        let client = match tokio::time::timeout(CONNECT_TIMEOUT, options.connect(addresses)).await {
            Ok(Ok(client)) => client,
            Ok(Err(error)) => {
                let why = error.to_string();
                let tls = why.to_lowercase().contains("certificate");
                return Err(match error.kind() {
                    ConnectErrorKind::Authentication
                    | ConnectErrorKind::AuthorizationViolation
                    | ConnectErrorKind::Tls => QueueError::Refused { url, why },
                    _ if tls => QueueError::Refused { url, why },
                    _ => QueueError::Unreachable { url, why },
                });
            }
            Err(_) => {
                let why = format!("nothing came for {} seconds", CONNECT_TIMEOUT.as_secs());
                return Err(QueueError::Unreachable { url, why });
            }
        };
        let context = async_nats::jetstream::new(client);
        Stores::open(context).await
    }
}

/// Splits user name and password off the addresses, as no message may show them.
fn without_user(url: &str) -> (String, Option<(String, String)>) {
    let mut found = None;
    let plain = url.split(',').map(|address| {
        let (scheme, rest) = address.split_once("://").unwrap_or(("nats", address));
        let (user, host) = rest.rsplit_once('@').unwrap_or(("", rest));
        if let Some((user, password)) = user.split_once(':') {
            found = Some((user.to_owned(), password.to_owned()));
        }
        format!("{scheme}://{host}")
    });
    (plain.collect::<Vec<_>>().join(","), found)
}

impl Stores {
    async fn open(context: Context) -> Result<Stores, QueueError> {
        let failed = |error: &dyn Display| {
            let why = format!("{error} (JetStream must be on: `nats-server -js -sd FOLDER`)");
            QueueError::request("to set up the queue", why)
        };
        let parts = context
            .get_or_create_stream(Config {
                name: "CARDROOM_PARTS".into(),
                subjects: vec!["cardroom.part.*.*".into()],
                retention: RetentionPolicy::WorkQueue,
                duplicate_window: DUPLICATE_WINDOW,
                ..Config::default()
            })
            .await
            .map_err(|error| failed(&error))?;
        let records = context
            .get_or_create_stream(Config {
                name: "CARDROOM_RECORDS".into(),
                subjects: ["cardroom.run.*", "cardroom.done.*.*", "cardroom.dead.*.*"]
                    .map(str::to_owned)
                    .to_vec(),
                max_messages_per_subject: 1,
                allow_direct: true,
                ..Config::default()
            })
            .await
            .map_err(|error| failed(&error))?;
        let mut stores = Vec::new();
        for bucket in ["cardroom_files", "cardroom_results"] {
            let store = match context.get_object_store(bucket).await {
                Ok(store) => store,
                Err(_) => {
                    let bucket = bucket.to_owned();
                    let config = object_store::Config { bucket, ..object_store::Config::default() };
                    let made = context.create_object_store(config).await;
                    made.map_err(|error| failed(&error))?
                }
            };
            stores.push(store);
        }
        let workers = context
            .get_or_create_stream(Config {
                name: "CARDROOM_WORKERS".into(),
                subjects: vec!["cardroom.worker.*".into()],
                max_messages_per_subject: 1,
                max_age: ALIVE_TIMEOUT,
                allow_direct: true,
                duplicate_window: ALIVE_TIMEOUT,
                ..Config::default()
            })
            .await
            .map_err(|error| failed(&error))?;
        let (Some(results), Some(files)) = (stores.pop(), stores.pop()) else {
            return Err(QueueError::request("to set up the queue", "no object store"));
        };
        Ok(Stores { context, parts, records, files, results, workers })
    }
}

/// Retries a request for as long as a server may take to come back.
pub(crate) async fn retry<T, E: Display>(
    what: &str,
    ask: impl AsyncFn() -> Result<T, E>,
) -> Result<T, QueueError> {
    let begun = Instant::now();
    loop {
        match ask().await {
            Ok(answer) => return Ok(answer),
            Err(error) => {
                let error = QueueError::request(what, error);
                let full = matches!(error, QueueError::Full { .. });
                if full || begun.elapsed() > RETRY_LIMIT {
                    return Err(error);
                }
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    }
}
