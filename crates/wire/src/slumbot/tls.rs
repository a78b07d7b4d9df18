//! Verification of a server's certificate: the system's rules, with the certificates of a file
//! trusted as well.
//!
//! A certificate of the file is trusted in two ways: as that of an authority that has signed the
//! server's, and as the server's own. The second serves self-signed certificates: `openssl req
//! -x509` makes one that claims to be an authority's, which the usual rules do not accept from a
//! server. It is accepted if it is identical to the one given, is within its dates, and is for the
//! name that was asked for. That the server has its key is verified in the handshake, as always.

use std::io;
use std::path::Path;
use std::sync::Arc;

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

use super::RunError;

/// The TLS settings; `needed` says whether the server is reached by HTTPS.
pub(super) fn config(needed: bool, certificates: Option<&Path>) -> Result<ClientConfig, RunError> {
    let wrong = |error: &dyn std::fmt::Display| RunError::Certificates(error.to_string());
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
pub(super) fn remedy(
    error: &(dyn std::error::Error + 'static),
    given: bool,
) -> Option<&'static str> {
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
