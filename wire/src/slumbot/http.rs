//! The way to the server: POST requests with JSON over connections that are kept alive, without
//! redirects, without repeating anything by itself.

use std::time::Duration;

use game::escape;
use protocol::slumbot::{Endpoint, PREFIXES, answer};
use reqwest::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};

use super::{RunError, Server, tls};

/// The longest answer that is read: a hand takes less than a kilobyte.
const MOST_BYTES: usize = 64 * 1024;
/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an idle connection is kept: other servers forget theirs about as soon.
const IDLE: Duration = Duration::from_secs(60);

/// Why there is no answer that can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// No connection: the request was never sent.
    Unsent(String),
    /// The request may have been carried out. The server may have said how long to wait.
    Maybe(String, Option<Duration>),
    /// Something else than a Slumbot server has answered; what, and what can be done.
    NotSlumbot(String, &'static str),
    /// The server says that the request is wrong.
    Rejected(String),
    /// The server does not answer such requests; why, and what can be done.
    Barred(String, &'static str),
}

impl Trouble {
    /// In words.
    pub(super) fn reason(&self) -> &str {
        match self {
            Trouble::Unsent(reason)
            | Trouble::Maybe(reason, _)
            | Trouble::NotSlumbot(reason, _)
            | Trouble::Rejected(reason)
            | Trouble::Barred(reason, _) => reason,
        }
    }
}

/// A server and the connections to it.
pub(super) struct Http {
    client: Client,
    /// Without a slash at its end.
    url: String,
    prefix: String,
    timeout: Duration,
    /// Certificates were given.
    given: bool,
}

/// Where a server is, and how long its answers may take, for messages.
pub(super) struct Address {
    pub(super) url: String,
    pub(super) timeout: Duration,
}

const CHECK_HOST: &str = "check --host and --prefix";
const CHECK_LOGIN: &str = "give an account that it knows with --login";
const CHECK_NAME: &str =
    "give an address with --host that the server takes for its own, or add this one to its hosts";
const NO_REDIRECT: &str =
    "give the address it points to with --host: a redirected request arrives empty";

impl Http {
    /// Prepares connections; none is made yet.
    pub(super) fn new(server: &Server) -> Result<Http, RunError> {
        // An account in the address is not to be shown.
        let shown = match server.url.rsplit_once('@') {
            Some((_, host)) => format!("…@{host}"),
            None => server.url.clone(),
        };
        let address = |reason: String| RunError::Address { url: shown.clone(), reason };
        let url: Url = server
            .url
            .parse()
            .map_err(|error: <Url as std::str::FromStr>::Err| address(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(address("it must begin with http:// or https://".into()));
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(address("it must end after the name and the port (see --prefix)".into()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(address("accounts are given with --login".into()));
        }
        let tls = tls::config(url.scheme() == "https", server.certificates.as_deref())?;
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .user_agent(concat!("cardroom/", env!("CARGO_PKG_VERSION")))
            .timeout(server.timeout)
            .connect_timeout(CONNECT.min(server.timeout))
            .pool_idle_timeout(IDLE)
            .tcp_nodelay(true)
            .tcp_keepalive(Duration::from_secs(60))
            .build()
            .map_err(|error| RunError::System(format!("no HTTP client: {}", causes(&error))))?;
        let prefix = server.prefix.clone().unwrap_or_default();
        let (timeout, given) = (server.timeout, server.certificates.is_some());
        let url = server.url.trim_end_matches('/').to_owned();
        Ok(Http { client, url, prefix, timeout, given })
    }

    /// Where it is.
    pub(super) fn address(&self) -> Address {
        Address { url: self.url(), timeout: self.timeout }
    }

    /// The server's address with the prefix, for messages.
    pub(super) fn url(&self) -> String {
        format!("{}{}", self.url, self.prefix)
    }

    /// Finds out under which prefix the API is, by a request that changes nothing: an action in no
    /// session.
    pub(super) async fn find(&mut self, given: bool) -> Result<(), Trouble> {
        let own = self.prefix.clone();
        let prefixes = if given { vec![own.as_str()] } else { PREFIXES.to_vec() };
        let mut first = None;
        for prefix in prefixes {
            self.prefix = prefix.to_owned();
            match self.post(Endpoint::Act, r#"{"token":"","incr":"b0"}"#.to_owned()).await {
                Ok(body) => match answer::read(&body) {
                    Ok(_) => return Ok(()),
                    Err(error) if error.is_cut() => {
                        return Err(Trouble::Maybe(error.to_string(), None));
                    }
                    Err(error) => {
                        let trouble = Trouble::NotSlumbot(error.to_string(), CHECK_HOST);
                        first.get_or_insert(trouble);
                    }
                },
                // It knows the path, and finds this very request wrong.
                Err(Trouble::Rejected(_)) => return Ok(()),
                Err(trouble @ Trouble::NotSlumbot(..)) => _ = first.get_or_insert(trouble),
                Err(trouble) => return Err(trouble),
            }
        }
        self.prefix = own;
        Err(first.unwrap_or_else(|| Trouble::NotSlumbot("nothing".into(), CHECK_HOST)))
    }

    /// Sends a request and reads the answer's body. That may be anything.
    pub(super) async fn post(&self, endpoint: Endpoint, body: String) -> Result<Vec<u8>, Trouble> {
        let url = format!("{}{}/{}", self.url, self.prefix, endpoint.name());
        let request = self.client.post(&url).header(CONTENT_TYPE, "application/json").body(body);
        let response = request.send().await.map_err(|error| self.trouble(&error))?;
        let status = response.status();
        if status == StatusCode::OK {
            return read(response).await;
        }
        let path = format!("{}/{}", self.prefix, endpoint.name());
        if status.is_redirection() {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to = to.map(|to| format!(" to {}", escape::excerpt(to))).unwrap_or_default();
            let reason = format!("POST {path} is redirected{to} (status {status})");
            return Err(Trouble::NotSlumbot(reason, NO_REDIRECT));
        }
        let reason = format!("POST {path} is answered with status {status}");
        match status {
            StatusCode::BAD_REQUEST => {
                let body = read(response).await.unwrap_or_default();
                Err(Trouble::Rejected(format!(
                    "{reason}: {}",
                    escape::excerpt_of(body.trim_ascii(), 100)
                )))
            }
            StatusCode::UNAUTHORIZED => Err(Trouble::Barred(reason, CHECK_LOGIN)),
            StatusCode::MISDIRECTED_REQUEST => Err(Trouble::Barred(reason, CHECK_NAME)),
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::GONE => {
                Err(Trouble::NotSlumbot(reason, CHECK_HOST))
            }
            _ => {
                let wait = response.headers().get(RETRY_AFTER).and_then(|wait| wait.to_str().ok());
                let wait = wait.and_then(|wait| wait.parse().ok()).map(Duration::from_secs);
                Err(Trouble::Maybe(reason, wait))
            }
        }
    }
}

impl Http {
    fn trouble(&self, error: &reqwest::Error) -> Trouble {
        let reason = causes(error);
        if !error.is_connect() {
            return Trouble::Maybe(reason, None);
        }
        if let Some(remedy) = tls::remedy(error, self.given) {
            return Trouble::NotSlumbot(reason, remedy);
        }
        // The library tells the kinds of these errors apart by their text only.
        let lower = reason.to_lowercase();
        let words = ["corrupt message", "invalid message", "alert"];
        if words.iter().any(|word| lower.contains(word)) {
            Trouble::NotSlumbot(reason, "it may not speak HTTPS: try http:// in --host")
        } else {
            Trouble::Unsent(reason)
        }
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, Trouble> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(None) => return Ok(body),
            Ok(Some(chunk)) if body.len() + chunk.len() <= MOST_BYTES => {
                body.extend_from_slice(&chunk);
            }
            Ok(Some(_)) => {
                let reason = format!("the answer is longer than {MOST_BYTES} bytes");
                return Err(Trouble::NotSlumbot(reason, CHECK_HOST));
            }
            Err(error) => return Err(Trouble::Maybe(causes(&error), None)),
        }
    }
}

/// An error with its causes, without the address, which the caller names.
fn causes(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        let said = error.to_string();
        let said = said.split(" for url (").next().unwrap_or_default();
        // Some errors tell their cause themselves.
        if !text.contains(said) {
            text += if text.is_empty() { "" } else { ": " };
            text += said;
        }
        cause = error.source();
    }
    escape::excerpt_of(text.as_bytes(), 400)
}
