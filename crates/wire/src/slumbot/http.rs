//! The HTTP client: POST requests with JSON over kept-alive connections, without redirects and
//! without retries of its own; and the verification of a server's certificate.
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
use protocol::slumbot::{Endpoint, PREFIXES, answer};
use reqwest::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
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

use super::{LIVE, Server};

/// Most bytes of an answer that are read; a hand takes less than a kilobyte.
const MAX_BYTES: usize = 64 * 1024;
/// The time limit for making a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The idle time after which a connection is closed; servers drop theirs after about as long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// The reason why a request has no answer that can be read, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HttpError {
    /// No connection was made: the request was never sent.
    Unsent(String),
    /// The request may have been carried out. The duration is the server's `Retry-After`.
    Maybe(String, Option<Duration>),
    /// The answer is not from a Slumbot server; with what can be done.
    NotSlumbot(String, &'static str),
    /// The server says that the request is invalid.
    Rejected(String),
    /// The server refuses such requests; with what can be done.
    Barred(String, &'static str),
}

impl HttpError {
    /// The reason in words.
    pub(super) fn reason(&self) -> &str {
        match self {
            HttpError::Unsent(reason)
            | HttpError::Maybe(reason, _)
            | HttpError::NotSlumbot(reason, _)
            | HttpError::Rejected(reason)
            | HttpError::Barred(reason, _) => reason,
        }
    }
}

/// A server's address and the client with its connections.
pub(super) struct Http {
    client: Client,
    /// The address without a slash at its end.
    url: String,
    prefix: String,
    timeout: Duration,
    /// Whether further certificates were given.
    given: bool,
}

/// The server's address and the time limit of its answers, for messages.
pub(super) struct Address {
    pub(super) url: String,
    pub(super) timeout: Duration,
}

const CHECK_HOST: &str = "check --host and --prefix";
const CHECK_LOGIN: &str = "give an account that it knows with --login";
const CHECK_NAME: &str =
    "give an address with --host that the server accepts as its own, or add this one to its hosts";
const NO_REDIRECT: &str =
    "give the address it points to with --host: a redirected request arrives empty";

impl Http {
    /// Builds the client; no connection is made yet.
    pub(super) fn new(server: &Server) -> Result<Http, crate::Error> {
        // An account in the address is not shown.
        let shown = match server.url.rsplit_once('@') {
            Some((_, host)) => format!("…@{host}"),
            None => server.url.clone(),
        };
        let address = |reason: String| {
            crate::Error::here(format!(
                "`{shown}` is not the address of a server: {reason}; write it as in {LIVE}"
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
            return Err(address("it must end after the name and the port (see --prefix)".into()));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(address("accounts are given with --login".into()));
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
        let prefix = server.prefix.clone().unwrap_or_default();
        let (timeout, given) = (server.timeout, server.certificates.is_some());
        let url = server.url.trim_end_matches('/').to_owned();
        Ok(Http { client, url, prefix, timeout, given })
    }

    /// The address and the time limit, for messages.
    pub(super) fn address(&self) -> Address {
        Address { url: self.url(), timeout: self.timeout }
    }

    /// The server's address with the prefix, for messages.
    pub(super) fn url(&self) -> String {
        format!("{}{}", self.url, self.prefix)
    }

    /// Finds the prefix of the API's paths with a request that changes nothing: an action without a
    /// session.
    pub(super) async fn find(&mut self, given: bool) -> Result<(), HttpError> {
        let own = self.prefix.clone();
        let prefixes = if given { vec![own.as_str()] } else { PREFIXES.to_vec() };
        let mut first = None;
        for prefix in prefixes {
            self.prefix = prefix.to_owned();
            match self.post(Endpoint::Act, r#"{"token":"","incr":"b0"}"#.to_owned()).await {
                Ok(body) => match answer::read(&body) {
                    Ok(_) => return Ok(()),
                    Err(error) if error.is_cut() => {
                        return Err(HttpError::Maybe(error.to_string(), None));
                    }
                    Err(error) => {
                        let error = HttpError::NotSlumbot(error.to_string(), CHECK_HOST);
                        first.get_or_insert(error);
                    }
                },
                // The path is known; only this request is invalid.
                Err(HttpError::Rejected(_)) => return Ok(()),
                Err(error @ HttpError::NotSlumbot(..)) => _ = first.get_or_insert(error),
                Err(error) => return Err(error),
            }
        }
        self.prefix = own;
        Err(first.unwrap_or_else(|| HttpError::NotSlumbot("nothing".into(), CHECK_HOST)))
    }

    /// Sends a request and returns the answer's body, unchecked.
    pub(super) async fn post(
        &self,
        endpoint: Endpoint,
        body: String,
    ) -> Result<Vec<u8>, HttpError> {
        let url = format!("{}{}/{}", self.url, self.prefix, endpoint.name());
        let request = self.client.post(&url).header(CONTENT_TYPE, "application/json").body(body);
        let response = request.send().await.map_err(|error| self.classify(&error))?;
        let status = response.status();
        if status == StatusCode::OK {
            return read(response).await;
        }
        let path = format!("{}/{}", self.prefix, endpoint.name());
        if status.is_redirection() {
            let to = response.headers().get(LOCATION).and_then(|to| to.to_str().ok());
            let to = to.map(|to| format!(" to {}", escape::excerpt(to))).unwrap_or_default();
            let reason = format!("POST {path} is redirected{to} (status {status})");
            return Err(HttpError::NotSlumbot(reason, NO_REDIRECT));
        }
        let reason = format!("POST {path} is answered with status {status}");
        match status {
            StatusCode::BAD_REQUEST => {
                let body = read(response).await.unwrap_or_default();
                Err(HttpError::Rejected(format!(
                    "{reason}: {}",
                    escape::excerpt_of(body.trim_ascii(), 100)
                )))
            }
            StatusCode::UNAUTHORIZED => Err(HttpError::Barred(reason, CHECK_LOGIN)),
            StatusCode::MISDIRECTED_REQUEST => Err(HttpError::Barred(reason, CHECK_NAME)),
            StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::GONE => {
                Err(HttpError::NotSlumbot(reason, CHECK_HOST))
            }
            _ => {
                let wait = response.headers().get(RETRY_AFTER).and_then(|wait| wait.to_str().ok());
                let wait = wait.and_then(|wait| wait.parse().ok()).map(Duration::from_secs);
                Err(HttpError::Maybe(reason, wait))
            }
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
            return HttpError::NotSlumbot(reason, remedy);
        }
        // The library distinguishes these errors by their text only.
        let lower = reason.to_lowercase();
        let words = ["corrupt message", "invalid message", "alert"];
        if words.iter().any(|word| lower.contains(word)) {
            HttpError::NotSlumbot(reason, "it may not speak HTTPS: try http:// in --host")
        } else {
            HttpError::Unsent(reason)
        }
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, HttpError> {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(None) => return Ok(body),
            Ok(Some(chunk)) if body.len() + chunk.len() <= MAX_BYTES => {
                body.extend_from_slice(&chunk);
            }
            Ok(Some(_)) => {
                let reason = format!("the answer is longer than {MAX_BYTES} bytes");
                return Err(HttpError::NotSlumbot(reason, CHECK_HOST));
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
