//! The HTTP client: requests with JSON over kept-alive connections, without redirects and without
//! retries of its own; and the verification of a server's certificate.
//!
//! Certificates are verified by the system's rules, with those of a file trusted as well. A
//! certificate of the file is trusted in two ways: as that of an authority that has signed the
//! server's, and as the server's own. The second serves self-signed certificates: `openssl req
//! -x509` makes one that claims to be an authority's, which the usual rules do not accept from a
//! server. It is accepted if it is identical to the one given, is within its dates, and is for the
//! name that was asked for. That the server has its key is verified in the handshake, as always.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use game::escape;
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Client, Response, StatusCode, Url};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};
use rustls_platform_verifier::Verifier;

use super::{Server, Service};

/// Most bytes of an answer that are read; a hand takes less than two kilobytes, a list of open
/// hands twenty times as much.
const MAX_BYTES: usize = 256 * 1024;
/// The time limit for making a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The idle time after which a connection is closed; servers drop theirs after about as long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The reason why a request has no answer that can be read, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HttpError {
    /// No connection was made: the request was never sent.
    Unsent(String),
    /// The request may have been carried out. The duration is the server's `Retry-After`.
    Maybe(String, Option<Duration>),
    /// The answer is not from a server of the API; with what can be done.
    Foreign(String, &'static str),
    /// The server says that the request is invalid.
    Rejected(String),
    /// The server refuses such requests; with what can be done.
    Barred(String, &'static str),
}

impl HttpError {
    /// The reason in words.
    pub(crate) fn reason(&self) -> &str {
        match self {
            HttpError::Unsent(reason)
            | HttpError::Maybe(reason, _)
            | HttpError::Foreign(reason, _)
            | HttpError::Rejected(reason)
            | HttpError::Barred(reason, _) => reason,
        }
    }
}

/// A server's address and the client with its connections.
pub(crate) struct Http {
    client: Client,
    service: &'static Service,
    /// The address without a slash at its end.
    url: String,
    /// The prefix of all paths.
    pub(crate) prefix: String,
    /// Headers of every request, the client's key among them.
    headers: HeaderMap,
    timeout: Duration,
    /// Whether further certificates were given.
    given: bool,
}

/// The server's address and the time limit of its answers, for messages.
pub(crate) struct Address {
    pub(crate) url: String,
    pub(crate) timeout: Duration,
}

const CHECK_NAME: &str =
    "give an address with --host that the server accepts as its own, or add this one to its hosts";
const NO_REDIRECT: &str =
    "give the address it points to with --host: a redirected request arrives empty";

/// An answer that was read to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) body: Vec<u8>,
    /// What the request was and its status, for messages.
    reason: String,
    wait: Option<Duration>,
}

impl Http {
    /// Builds the client; no connection is made yet. `headers` go with every request.
    pub(crate) fn new(
        server: &Server,
        service: &'static Service,
        prefix: Option<String>,
        headers: HeaderMap,
    ) -> Result<Http, crate::Error> {
        // An account in the address is not shown.
        let shown = match server.url.rsplit_once('@') {
            Some((_, host)) => format!("…@{host}"),
            None => server.url.clone(),
        };
        let address = |reason: String| {
            let live = service.live;
            crate::Error::here(format!(
                "`{shown}` is not the address of a server: {reason}; write it as in {live}"
            ))
        };
        let url: Url = server
            .url
            .parse()
            .map_err(|error: <Url as std::str::FromStr>::Err| address(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(address("it must begin with http:// or https://".into()));
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(address(format!(
                "it must end after the name and the port{}",
                service.about_paths
            )));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(address(format!("accounts are given with {}", service.account_option)));
        }
        let tls = tls_config(url.scheme() == "https", server.certificates.as_deref())?;
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .user_agent(concat!("cardroom/", env!("CARGO_PKG_VERSION")))
            .timeout(server.timeout)
            .connect_timeout(CONNECT_TIMEOUT.min(server.timeout))
            .pool_idle_timeout(IDLE_TIMEOUT)
            .tcp_nodelay(true)
            .tcp_keepalive(Duration::from_secs(60))
            .build()
            .map_err(|error| crate::Error::here(format!("no HTTP client: {}", causes(&error))))?;
        let prefix = prefix.unwrap_or_default();
        let (timeout, given) = (server.timeout, server.certificates.is_some());
        let url = server.url.trim_end_matches('/').to_owned();
        Ok(Http { client, service, url, prefix, headers, timeout, given })
    }

    /// The address and the time limit, for messages.
    pub(crate) fn address(&self) -> Address {
        Address { url: self.url(), timeout: self.timeout }
    }

    /// The server's address with the prefix, for messages.
    pub(crate) fn url(&self) -> String {
        format!("{}{}", self.url, self.prefix)
    }

    /// Sends a request, a POST if there is a body, and returns the answer, unchecked, whatever its
    /// status.
    ///
    /// # Errors
    /// When there is none that can be read, or it points elsewhere.
    pub(crate) async fn send(&self, path: &str, body: Option<String>) -> Result<Reply, HttpError> {
        let url = format!("{}{}{path}", self.url, self.prefix);
        let method = if body.is_some() { "POST" } else { "GET" };
        let request = match body {
            Some(body) => {
                self.client.post(&url).header(CONTENT_TYPE, "application/json").body(body)
            }
            None => self.client.get(&url),
        };
        let request = request.headers(self.headers.clone());
        let response = request.send().await.map_err(|error| self.classify(&error))?;
        let status = response.status();
        let path = path.split('?').next().unwrap_or_default();
        let path = format!("{}{path}", self.prefix);
        if status.is_redirection() {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to = to.map(|to| format!(" to {}", escape::excerpt(to))).unwrap_or_default();
            let reason = format!("{method} {path} is redirected{to} (status {status})");
            return Err(HttpError::Foreign(reason, NO_REDIRECT));
        }
        let wait = response.headers().get(RETRY_AFTER).and_then(|wait| wait.to_str().ok());
        let wait = wait.and_then(|wait| wait.parse().ok()).map(Duration::from_secs);
        let reason = format!("{method} {path} is answered with status {status}");
        let body = match read(response, self.service).await {
            Err(error) if status == StatusCode::OK => return Err(error),
            read => read.unwrap_or_default(),
        };
        Ok(Reply { status, body, reason, wait })
    }
}

impl Reply {
    /// The body of a reply with status 200 or 201; for others, what they mean.
    pub(crate) fn ok(self, service: &Service) -> Result<Vec<u8>, HttpError> {
        let Reply { status, body, reason, wait } = self;
        match status {
            StatusCode::OK | StatusCode::CREATED => Ok(body),
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY | StatusCode::CONFLICT => {
                Err(HttpError::Rejected(format!(
                    "{reason}: {}",
                    escape::excerpt_of(body.trim_ascii(), 100)
                )))
            }
            StatusCode::UNAUTHORIZED => Err(HttpError::Barred(reason, service.check_account)),
            StatusCode::FORBIDDEN if service.forbidden_bars => {
                Err(HttpError::Barred(reason, service.check_account))
            }
            StatusCode::MISDIRECTED_REQUEST => Err(HttpError::Barred(reason, CHECK_NAME)),
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::GONE => {
                Err(HttpError::Foreign(reason, service.check_host))
            }
            _ => Err(HttpError::Maybe(reason, wait)),
        }
    }
}

impl Http {
    fn classify(&self, error: &reqwest::Error) -> HttpError {
        let reason = causes(error);
        if !error.is_connect() {
            return HttpError::Maybe(reason, None);
        }
        if let Some(remedy) = tls_remedy(error, self.given) {
            return HttpError::Foreign(reason, remedy);
        }
        // The library distinguishes these errors by their text only.
        let lower = reason.to_lowercase();
        let words = ["corrupt message", "invalid message", "alert"];
        if words.iter().any(|word| lower.contains(word)) {
            HttpError::Foreign(reason, "it may not speak HTTPS: try http:// in --host")
        } else {
            HttpError::Unsent(reason)
        }
    }
}

async fn read(mut response: Response, service: &Service) -> Result<Vec<u8>, HttpError> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(None) => return Ok(body),
            Ok(Some(chunk)) if body.len() + chunk.len() <= MAX_BYTES => {
                body.extend_from_slice(&chunk);
            }
            Ok(Some(_)) => {
                let reason = format!("the answer is longer than {MAX_BYTES} bytes");
                return Err(HttpError::Foreign(reason, service.check_host));
            }
            Err(error) => return Err(HttpError::Maybe(causes(&error), None)),
        }
    }
}

/// An error with its causes, without the address, which the caller adds.
fn causes(error: &reqwest::Error) -> String {
    let mut text = String::new();
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        let said = error.to_string();
        let said = said.split(" for url (").next().unwrap_or_default();
        // Some errors repeat their cause.
        if !text.contains(said) {
            text += if text.is_empty() { "" } else { ": " };
            text += said;
        }
        cause = error.source();
    }
    escape::excerpt_of(text.as_bytes(), 400)
}

/// The TLS settings; `needed` says whether the server is reached by HTTPS.
fn tls_config(needed: bool, certificates: Option<&Path>) -> Result<ClientConfig, crate::Error> {
    let wrong =
        |error: &dyn std::fmt::Display| crate::Error::here(format!("certificates: {error}"));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(&error))?;
    // Without encryption, a machine without certificates will do.
    if !needed {
        let none = RootCertStore::empty();
        return Ok(config.with_root_certificates(none).with_no_client_auth());
    }
    let mut given = Vec::new();
    if let Some(path) = certificates {
        let at = |error: &dyn std::fmt::Display| wrong(&format!("{}: {error}", path.display()));
        for certificate in CertificateDer::pem_file_iter(path).map_err(|error| at(&error))? {
            given.push(certificate.map_err(|error| at(&error))?);
        }
        if given.is_empty() {
            return Err(at(&"it holds no certificate"));
        }
    }
    let verifier = Checks::new(given, provider).map_err(|error| wrong(&error))?;
    // The library's name for a verifier of one's own.
    let config = config.dangerous().with_custom_certificate_verifier(Arc::new(verifier));
    Ok(config.with_no_client_auth())
}

/// The verifier: the system's, and one for the certificates given.
#[derive(Debug)]
struct Checks {
    system: Verifier,
    given: Vec<CertificateDer<'static>>,
    /// Trusts the certificates given, and no others; `None` when there are none.
    own: Option<Arc<WebPkiServerVerifier>>,
}

impl Checks {
    fn new(
        given: Vec<CertificateDer<'static>>,
        provider: Arc<CryptoProvider>,
    ) -> Result<Checks, Error> {
        let mut roots = RootCertStore::empty();
        given.iter().try_for_each(|certificate| roots.add(certificate.clone()))?;
        let own = match given.is_empty() {
            true => None,
            false => {
                let provider = Arc::clone(&provider);
                let own = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider);
                Some(own.build().map_err(|error| Error::General(error.to_string()))?)
            }
        };
        let system = Verifier::new_with_extra_roots(given.clone(), provider)?;
        Ok(Checks { system, given, own })
    }
}

impl ServerCertVerifier for Checks {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(own) = self.own.as_ref().filter(|_| self.given.contains(certificate)) else {
            return self.system.verify_server_cert(certificate, others, name, ocsp, now);
        };
        match own.verify_server_cert(certificate, &[], name, ocsp, now) {
            // The dates were verified before, the name is next. An unknown issuer, or a certificate
            // of an authority, is accepted: it was given.
            Err(Error::InvalidCertificate(error))
                if error == CertificateError::UnknownIssuer || is_authority(&error) =>
            {
                verify_server_name(&ParsedCertificate::try_from(certificate)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            checked => checked,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.system.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.system.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.system.supported_verify_schemes()
    }
}

/// Whether the error is that a server's certificate claims to be an authority's; the library gives
/// only a text for it.
fn is_authority(error: &CertificateError) -> bool {
    matches!(error, CertificateError::Other(other) if other.to_string()
        .contains("CaUsedAsEndEntity"))
}

const GIVE: &str = "no authority that this machine trusts has signed its certificate: if the \
                    server is yours, give the certificate itself, or that of its authority, in PEM \
                    with --certificates FILE";
const NOT_GIVEN: &str = "its certificate is not one of those in --certificates, nor signed by one: \
                         `openssl s_client -connect HOST:PORT -showcerts` shows the one that the \
                         server uses";
const NAME: &str = "give a name that the certificate is for with --host, or make a certificate for \
                    this one (openssl req -x509 with -addext subjectAltName=DNS:NAME, or \
                    IP:ADDRESS)";
const DATES: &str =
    "check the time of this machine; if it is right, the server needs a new certificate";
const OTHERWISE: &str = "check --host, and the certificate of the server";

/// The remedy for a connection that failed because of the server's certificate; `None` for
/// other errors.
fn tls_remedy(error: &(dyn std::error::Error + 'static), given: bool) -> Option<&'static str> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(Error::InvalidCertificate(error)) = error.downcast_ref::<Error>() {
            use CertificateError as E;
            return Some(match error {
                E::UnknownIssuer if given => NOT_GIVEN,
                E::UnknownIssuer => GIVE,
                error if is_authority(error) && given => NOT_GIVEN,
                error if is_authority(error) => GIVE,
                E::NotValidForName | E::NotValidForNameContext { .. } => NAME,
                E::Expired
                | E::ExpiredContext { .. }
                | E::NotValidYet
                | E::NotValidYetContext { .. } => DATES,
                _ => OTHERWISE,
            });
        }
        // An I/O error wraps another error; the cause is that of the wrapped one.
        cause = match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}
