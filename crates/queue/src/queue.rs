//! The queue on its NATS server: the connection, the streams and stores there, and the interface
//! for commands: enqueue, inspect and remove runs, and fetch their results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{AckPolicy, Consumer, pull};
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::object_store::{self, InfoErrorKind, ObjectMetadata, ObjectStore};
use async_nats::jetstream::stream::{Config, DirectGetErrorKind, RetentionPolicy, Stream};
use async_nats::{ConnectErrorKind, ConnectOptions};
use futures_util::{StreamExt, TryStreamExt};
use serde::de::DeserializeOwned;
use tokio::io::AsyncWriteExt;

use crate::{Dead, Done, Error, LEASE, Run, Status, WorkerState};

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
    async fn connect(&self) -> Result<Stores, Error> {
        let mut options =
            ConnectOptions::new().name("cardroom").connection_timeout(CONNECT_TIMEOUT);
        if let Some(file) = &self.credentials {
            options = options.credentials_file(file).await.map_err(Error::io(file))?;
        }
        if let Some(file) = &self.authority {
            // The client's error does not name the file that it could not read.
            std::fs::metadata(file).map_err(Error::io(file))?;
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
                let refused = matches!(
                    error.kind(),
                    ConnectErrorKind::Authentication
                        | ConnectErrorKind::AuthorizationViolation
                        | ConnectErrorKind::Tls
                );
                if !refused && !tls {
                    return Err(unreachable(&url, &why));
                }
                return Err(Error::lasting(format!(
                    "the NATS server at {url} refuses the connection: {why}; give a user's \
                     credentials with --nats-creds FILE, and the certificate of its authority with \
                     --nats-ca FILE"
                )));
            }
            Err(_) => {
                let why = format!("nothing came for {} seconds", CONNECT_TIMEOUT.as_secs());
                return Err(unreachable(&url, &why));
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
    async fn open(context: Context) -> Result<Stores, Error> {
        let failed = |error: &dyn Display| {
            let why = format!("{error} (JetStream must be on: `nats-server -js -sd FOLDER`)");
            Error::request("to set up the queue", why)
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
            return Err(Error::request("to set up the queue", "no object store"));
        };
        Ok(Stores { context, parts, records, files, results, workers })
    }
}

/// Retries a request for as long as a server may take to come back.
pub(crate) async fn retry<T, E: Display>(
    what: &str,
    ask: impl AsyncFn() -> Result<T, E>,
) -> Result<T, Error> {
    let begun = Instant::now();
    loop {
        match ask().await {
            Ok(answer) => return Ok(answer),
            Err(error) => {
                let error = Error::request(what, error);
                if error.is_full() || begun.elapsed() > RETRY_LIMIT {
                    return Err(error);
                }
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    }
}

/// Number of messages sent before waiting for their acknowledgements.
const MAX_UNACKNOWLEDGED: usize = 500;

/// A connection to the queue. Its methods block until the server answers.
pub struct Queue {
    pub(crate) runtime: tokio::runtime::Runtime,
    pub(crate) stores: Stores,
}

/// The result of enqueueing a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enqueued {
    /// The run's name.
    pub id: String,
    /// Number of parts enqueued now.
    pub parts: u32,
    /// Number of dead letters among them that are tried again.
    pub again: u32,
    /// Number of parts that were done already.
    pub done: u32,
}

/// A record with its sequence number in its stream.
pub(crate) struct Record<T> {
    value: T,
    subject: String,
    sequence: u64,
    /// Time at which the server stored it, by the server's clock.
    pub(crate) time: SystemTime,
}

impl<T> Record<T> {
    /// Seconds since then; 0 where this machine's clock is behind.
    fn age(&self) -> f64 {
        self.time.elapsed().map_or(0.0, |age| age.as_secs_f64())
    }
}

impl Queue {
    /// Connects to a server, and creates the streams and stores that are missing.
    ///
    /// # Errors
    /// When the server cannot be reached, refuses, or has no JetStream.
    pub fn connect(server: &Server) -> Result<Queue, Error> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(Error::io("threads"))?;
        let stores = runtime.block_on(server.connect())?;
        Ok(Queue { runtime, stores })
    }

    /// Enqueues a run with its files; `file` maps a path in the run to a local file. Enqueueing is
    /// idempotent: only missing parts of an existing run are enqueued, and its dead letters are
    /// tried again. `lease` becomes the lease of all parts of this version.
    ///
    /// # Errors
    /// When the server fails or is full, or a file cannot be read.
    pub fn enqueue(
        &self,
        run: &Run,
        lease: Option<Duration>,
        file: impl Fn(&str) -> PathBuf,
    ) -> Result<Enqueued, Error> {
        self.runtime.block_on(async {
            let id = run.id();
            for wanted in &run.files {
                if !exists(&self.stores.files, &wanted.sha256).await? {
                    put(&self.stores.files, &wanted.sha256, &file(&wanted.path)).await?;
                }
            }
            self.stores.consumer(&run.version, lease).await?;
            let text = serde_json::to_vec(run).map_err(|e| Error::request("to enqueue", e))?;
            let subject = format!("cardroom.run.{id}");
            self.stores.create(&subject, text).await?;
            let first = last::<Run>(&self.stores.records, &subject).await?;
            let first = first.map_or(0, |record| record.sequence);
            let done = self.stores.records::<Done>(&format!("cardroom.done.{id}.*")).await?;
            let done: BTreeSet<u32> = done.into_iter().map(|record| record.value.part).collect();
            let dead = self.stores.records::<Dead>(&format!("cardroom.dead.{id}.*")).await?;
            let dead: BTreeMap<u32, u64> =
                dead.into_iter().map(|record| (record.value.part, record.sequence)).collect();
            let left: Vec<(u32, String)> = (1..=run.parts)
                .filter(|part| !done.contains(part))
                .map(|part| match dead.get(&part) {
                    Some(letter) => (part, format!("{id}.{part}.{first}.{letter}")),
                    None => (part, format!("{id}.{part}.{first}")),
                })
                .collect();
            let mut parts = 0;
            let subject = format!("cardroom.part.{}.{id}", token(&run.version));
            for chunk in left.chunks(MAX_UNACKNOWLEDGED) {
                // Messages that arrived before a failure are recognised by their ids when sent
                // again.
                let new = retry("to enqueue parts", async || {
                    let mut receipts = Vec::new();
                    for (part, name) in chunk {
                        let payload = part.to_string().into();
                        let message = PublishMessage::build().payload(payload).message_id(name);
                        let sent = self.stores.context.send_publish(subject.clone(), message);
                        receipts.push(sent.await?);
                    }
                    let mut new = 0;
                    for receipt in receipts {
                        new += u32::from(!receipt.await?.duplicate);
                    }
                    Ok::<u32, async_nats::jetstream::context::PublishError>(new)
                });
                parts += new.await?;
            }
            for letter in dead.values() {
                self.stores.delete(*letter).await?;
            }
            let (again, done) = (dead.len() as u32, done.len() as u32);
            Ok(Enqueued { id, parts, again, done })
        })
    }

    /// The status of all runs, the oldest first.
    ///
    /// # Errors
    /// When the server fails.
    pub fn runs(&self) -> Result<Vec<Status>, Error> {
        self.runtime.block_on(async {
            let mut all = Vec::new();
            for record in self.stores.records::<Run>("cardroom.run.*").await? {
                all.push(self.stores.status(record).await?);
            }
            Ok(all)
        })
    }

    /// The status of a run. Its name may be abbreviated to a unique prefix.
    ///
    /// # Errors
    /// When there is no such run, or the server fails.
    pub fn status(&self, name: &str) -> Result<Status, Error> {
        self.runtime.block_on(async {
            let mut found = self.stores.records::<Run>("cardroom.run.*").await?;
            found.retain(|record| !name.is_empty() && id_of(record).starts_with(name));
            match (found.pop(), found.is_empty()) {
                (Some(record), true) => self.stores.status(record).await,
                _ => Err(Error::lasting(format!(
                    "there is no run `{name}` on this server; `cardroom runs list` shows the \
                     existing ones"
                ))),
            }
        })
    }

    /// The workers that are alive.
    ///
    /// # Errors
    /// When the server fails.
    pub fn workers(&self) -> Result<Vec<WorkerState>, Error> {
        self.runtime.block_on(self.stores.workers())
    }

    /// Removes a run with its parts, records and results, finished or not; workers stop their work
    /// on it.
    ///
    /// # Errors
    /// When there is no such run, or the server fails.
    pub fn cancel(&self, name: &str) -> Result<Status, Error> {
        let status = self.status(name)?;
        let id = &status.id;
        self.runtime.block_on(async {
            let failed = |why: &dyn std::fmt::Display| Error::request("to remove the run", why);
            let Stores { parts, records, files, results, .. } = &self.stores;
            let waiting = format!("cardroom.part.{}.{id}", token(&status.run.version));
            parts.purge().filter(waiting).await.map_err(|error| failed(&error))?;
            for subject in [
                format!("cardroom.run.{id}"),
                format!("cardroom.done.{id}.*"),
                format!("cardroom.dead.{id}.*"),
            ] {
                records.purge().filter(subject).await.map_err(|error| failed(&error))?;
            }
            for object in status.done.iter().filter_map(|done| done.object.as_ref()) {
                let _ = results.delete(object).await;
            }
            let others = self.stores.records::<Run>("cardroom.run.*").await?;
            if others.is_empty() {
                // Leftover chunks of results that did not fit are removed, too.
                let pieces = self.stores.context.get_stream("OBJ_cardroom_results").await;
                let pieces = pieces.map_err(|error| failed(&error))?;
                pieces.purge().await.map_err(|error| failed(&error))?;
            }
            let named = |hash: &str| {
                let mut files = others.iter().flat_map(|record| &record.value.files);
                files.any(|file| file.sha256 == hash)
            };
            for file in status.run.files.iter().filter(|file| !named(&file.sha256)) {
                let _ = files.delete(&file.sha256).await;
            }
            Ok::<(), Error>(())
        })?;
        Ok(status)
    }

    /// Enqueues again the parts of a run whose stored results the server has lost, as may happen
    /// when it is killed; gives their number.
    ///
    /// # Errors
    /// When the server fails.
    pub fn put_back_lost(&self, status: &Status) -> Result<u32, Error> {
        let Status { id, run, .. } = status;
        self.runtime.block_on(async {
            let mut lost = 0;
            for record in self.stores.records::<Done>(&format!("cardroom.done.{id}.*")).await? {
                let Some(object) = &record.value.object else { continue };
                if exists(&self.stores.results, object).await? {
                    continue;
                }
                self.stores.delete(record.sequence).await?;
                let part = record.value.part;
                let name = format!("{id}.{part}.lost.{}", record.sequence);
                self.stores.put_back(id, run, part, name).await?;
                lost += 1;
            }
            Ok(lost)
        })
    }

    /// Downloads the result of a part into a file.
    ///
    /// # Errors
    /// When it is missing or damaged, or cannot be written.
    pub fn fetch(&self, object: &str, to: &Path) -> Result<(), Error> {
        self.runtime.block_on(get(&self.stores.results, object, to))
    }
}

/// A version encoded as one token of a subject.
pub(crate) fn token(version: &str) -> String {
    version.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// The name of the consumer that hands out the parts of a version.
fn consumer_name(version: &str) -> String {
    format!("workers-{}", token(version))
}

/// The subject pattern of all parts of a version.
fn subjects(version: &str) -> String {
    format!("cardroom.part.{}.*", token(version))
}

fn id_of(record: &Record<Run>) -> String {
    record.subject.rsplit('.').next().unwrap_or_default().to_owned()
}

impl Stores {
    /// The consumer that hands out the parts of a version, created if missing.
    pub(crate) async fn consumer(
        &self,
        version: &str,
        lease: Option<Duration>,
    ) -> Result<Consumer<pull::Config>, Error> {
        let name = consumer_name(version);
        let config = pull::Config {
            durable_name: Some(name.clone()),
            filter_subject: subjects(version),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease.unwrap_or(LEASE),
            max_deliver: -1,
            max_ack_pending: 100_000,
            max_waiting: 100_000,
            ..pull::Config::default()
        };
        retry("to set up the workers' consumer", async || match lease {
            Some(_) => self.parts.create_consumer(config.clone()).await.map_err(|e| e.to_string()),
            None => self
                .parts
                .get_or_create_consumer(&name, config.clone())
                .await
                .map_err(|error| error.to_string()),
        })
        .await
    }

    /// A new consumer in place of the one that hands out the parts of a version.
    pub(crate) async fn new_consumer(
        &self,
        version: &str,
        lease: Duration,
    ) -> Result<Consumer<pull::Config>, Error> {
        // There may be none.
        let _ = self.parts.delete_consumer(&consumer_name(version)).await;
        self.consumer(version, Some(lease)).await
    }

    /// Stores a record unless its subject has one; gives whether it was stored.
    pub(crate) async fn create(&self, subject: &str, text: Vec<u8>) -> Result<bool, Error> {
        retry("to record", async || {
            let message = PublishMessage::build().payload(text.clone().into());
            let message = message.expected_last_subject_sequence(0);
            let receipt = self.context.send_publish(subject.to_owned(), message).await?;
            match receipt.await {
                Ok(_) => Ok(true),
                Err(error) if error.kind() == PublishErrorKind::WrongLastSequence => Ok(false),
                Err(error) => Err(error),
            }
        })
        .await
    }

    /// The run with this name.
    pub(crate) async fn run(&self, id: &str) -> Result<Option<Run>, Error> {
        Ok(last(&self.records, &format!("cardroom.run.{id}")).await?.map(|record| record.value))
    }

    /// The workers that are alive.
    pub(crate) async fn workers(&self) -> Result<Vec<WorkerState>, Error> {
        let records = records::<WorkerState>(&self.workers, "cardroom.worker.*").await?;
        let state = |record: Record<WorkerState>| {
            let age = record.age();
            WorkerState { age, ..record.value }
        };
        let mut workers: Vec<WorkerState> = records.into_iter().map(state).collect();
        workers.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(workers)
    }

    /// The record of a finished part.
    pub(crate) async fn done(&self, id: &str, part: u32) -> Result<Option<Done>, Error> {
        Ok(last(&self.records, &format!("cardroom.done.{id}.{part}"))
            .await?
            .map(|record| record.value))
    }

    async fn delete(&self, sequence: u64) -> Result<(), Error> {
        let deleted = self.records.delete_message(sequence).await;
        deleted.map(drop).map_err(|error| Error::request("to remove a record", error))
    }

    /// All records with these subjects, the oldest first.
    async fn records<T: DeserializeOwned>(&self, subjects: &str) -> Result<Vec<Record<T>>, Error> {
        records(&self.records, subjects).await
    }

    async fn status(&self, record: Record<Run>) -> Result<Status, Error> {
        let id = id_of(&record);
        let done = self.records::<Done>(&format!("cardroom.done.{id}.*")).await?;
        let dead = self.records::<Dead>(&format!("cardroom.dead.{id}.*")).await?;
        let aged = |record: Record<Done>| {
            let age = record.age();
            Done { age, ..record.value }
        };
        let mut done: Vec<Done> = done.into_iter().map(aged).collect();
        let mut dead: Vec<Dead> = dead.into_iter().map(|record| record.value).collect();
        done.sort_by_key(|done| done.part);
        dead.sort_by_key(|dead| dead.part);
        let age = record.age();
        Ok(Status { id, run: record.value, age, done, dead })
    }

    /// The runs with parts that have neither a result nor a dead letter, and those parts. This is
    /// known from the records, whatever the stream of parts holds: a server that was killed may
    /// have kept messages of parts that are done, and lost those of others.
    pub(crate) async fn left(&self) -> Result<Vec<(String, Run, BTreeSet<u32>)>, Error> {
        let mut ended: BTreeSet<(String, u32)> = BTreeSet::new();
        for subjects in ["cardroom.done.*.*", "cardroom.dead.*.*"] {
            for subject in names(&self.records, subjects).await? {
                let mut words = subject.rsplit('.');
                let part = words.next().and_then(|part| part.parse().ok());
                ended.extend(words.next().map(str::to_owned).zip(part));
            }
        }
        let mut left = Vec::new();
        for record in self.records::<Run>("cardroom.run.*").await? {
            let (id, run) = (id_of(&record), record.value);
            let open = |part: &u32| !ended.contains(&(id.clone(), *part));
            let parts: BTreeSet<u32> = (1..=run.parts).filter(open).collect();
            if !parts.is_empty() {
                left.push((id, run, parts));
            }
        }
        Ok(left)
    }

    /// Enqueues a part again; of messages with one name only the first counts.
    pub(crate) async fn put_back(
        &self,
        id: &str,
        run: &Run,
        part: u32,
        name: String,
    ) -> Result<(), Error> {
        let subject = format!("cardroom.part.{}.{id}", token(&run.version));
        retry("to enqueue a part again", async || {
            let message = PublishMessage::build().payload(part.to_string().into());
            let message = message.message_id(&name);
            self.context.send_publish(subject.clone(), message).await?.await
        })
        .await
        .map(drop)
    }
}

/// Whether the store has an object with this name.
pub(crate) async fn exists(store: &ObjectStore, name: &str) -> Result<bool, Error> {
    retry("to look for an object", async || match store.info(name).await {
        Ok(info) => Ok(!info.deleted),
        Err(error) if error.kind() == InfoErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    })
    .await
}

/// Uploads a file into a store.
pub(crate) async fn put(store: &ObjectStore, name: &str, from: &Path) -> Result<(), Error> {
    // Report an unreadable file as a local error, not the server's.
    std::fs::File::open(from).map_err(Error::io(from))?;
    retry(&format!("to store {}", from.display()), async || {
        let mut file = tokio::fs::File::open(from).await.map_err(|error| error.to_string())?;
        let metadata = ObjectMetadata { name: name.to_owned(), ..ObjectMetadata::default() };
        store.put(metadata, &mut file).await.map_err(|error| error.to_string())
    })
    .await
    .map(drop)
}

/// Downloads an object into a file, atomically.
pub(crate) async fn get(store: &ObjectStore, name: &str, to: &Path) -> Result<(), Error> {
    let partial = to.with_extension("partial");
    retry(&format!("to fetch {name}"), async || {
        let fetch = async {
            let mut object = store.get(name).await?;
            let mut file = tokio::fs::File::create(&partial).await?;
            // The stream is verified against the object's SHA-256.
            tokio::io::copy(&mut object, &mut file).await?;
            file.flush().await?;
            Ok::<(), async_nats::Error>(())
        };
        fetch.await.map_err(|error| error.to_string())
    })
    .await?;
    std::fs::rename(&partial, to).map_err(Error::io(to))
}

/// The last message of each of these subjects, the oldest first.
///
/// They are fetched one by one, by the stream's list of subjects: a consumer's pending count may be
/// wrong for a moment after a purge, and such a request is never answered.
async fn records<T: DeserializeOwned>(
    stream: &Stream,
    subjects: &str,
) -> Result<Vec<Record<T>>, Error> {
    let mut asked = futures_util::stream::iter(names(stream, subjects).await?)
        .map(|subject| async move { last::<T>(stream, &subject).await })
        .buffer_unordered(MAX_UNACKNOWLEDGED);
    let mut found = Vec::new();
    while let Some(record) = asked.next().await {
        // A record that was removed meanwhile is skipped.
        found.extend(record?);
    }
    found.sort_by_key(|record| record.sequence);
    Ok(found)
}

/// The subjects matching these for which the stream has messages.
async fn names(stream: &Stream, subjects: &str) -> Result<Vec<String>, Error> {
    retry("to list records", async || {
        let listed = stream.info_with_subjects(subjects).await?;
        listed.map_ok(|(subject, _)| subject).try_collect().await
    })
    .await
}

/// The last message with this subject.
pub(crate) async fn last<T: DeserializeOwned>(
    stream: &Stream,
    subject: &str,
) -> Result<Option<Record<T>>, Error> {
    let what = "to read a record";
    let message = retry(what, async || match stream.direct_get_last_for_subject(subject).await {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    })
    .await?;
    let Some(message) = message else { return Ok(None) };
    let value = serde_json::from_slice(&message.payload);
    let value = value.map_err(|error| Error::request(what, error))?;
    let (subject, sequence) = (message.subject.to_string(), message.sequence);
    Ok(Some(Record { value, subject, sequence, time: message.time.into() }))
}

fn unreachable(url: &str, why: &str) -> Error {
    Error::passing(format!(
        "the NATS server at {url} does not answer: {why}; start it (`nats-server -js`) or say \
         where it is with --nats"
    ))
}
