//! `cardroom play slumbot` over HTTPS: which certificates are trusted, and what is said of those
//! that are not. The certificates in `tests/data/tls` were made by openssl; its README has the
//! commands.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::play;
use crate::program::{Folder, open_port};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls").join(name)
}

/// A server with this certificate; answers as one that does not know the API.
fn encrypted(certificate: &str, key: &str) -> String {
    let chain = CertificateDer::pem_file_iter(data(certificate)).expect("a file");
    let chain: Vec<_> = chain.map(|certificate| certificate.expect("a certificate")).collect();
    let key = PrivateKeyDer::from_pem_file(data(key)).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("usual versions")
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .expect("they belong together");
    let config = Arc::new(config);
    let (door, port) = open_port();
    let url = format!("https://127.0.0.1:{port}");
    std::thread::spawn(move || {
        while let Ok((stream, _)) = door.accept() {
            let connection =
                rustls::ServerConnection::new(Arc::clone(&config)).expect("a connection");
            std::thread::spawn(move || {
                let mut stream = rustls::StreamOwned::new(connection, stream);
                let mut byte = [0];
                // The client ends the request with `}`.
                while matches!(stream.read(&mut byte), Ok(1)) {
                    if byte == *b"}" {
                        let answer = "HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n";
                        let _ = stream.write_all(answer.as_bytes());
                    }
                }
            });
        }
    });
    url
}

/// A server that does not speak TLS, under an address that says it does.
fn talkative() -> String {
    let (door, port) = open_port();
    let url = format!("https://127.0.0.1:{port}");
    std::thread::spawn(move || {
        while let Ok((mut stream, _)) = door.accept() {
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.read(&mut [0; 1024]);
        }
    });
    url
}

/// The connection is made: the server says that it does not know the API.
const MADE: &str = "status 404";

#[test]
fn certificates_are_checked_and_can_be_trusted_by_file() {
    let at = &Folder::new();
    let url = encrypted("server.pem", "server.key");
    let output = play(at, &url, ["--agent", "call"]).code(3);
    let said = &output.stderr;
    assert!(said.contains("ertificate") && said.contains("--certificates"), "{said}");
    let authority = data("ca.pem");
    let authority = authority.to_str().expect("text");
    let output = play(at, &url, ["--agent", "call", "--certificates", authority]);
    output.says_only(3, &[MADE]);
    let output = play(at, &url, ["--agent", "call", "--certificates", "none.pem"]);
    output.says_only(3, &["none.pem"]);
    let output = play(at, &talkative(), ["--agent", "call", "--certificates", authority]);
    output.says_only(3, &["try http://"]);
}

#[test]
fn a_servers_own_certificate_is_trusted_when_it_is_given_and_only_then() {
    const OWN: &str = "self-signed.key";
    // The server's certificate and key, what is given, and what is said.
    let cases: [(&str, &str, Option<&str>, &[&str]); 11] = [
        ("self-signed.pem", OWN, Some("self-signed.pem"), &[MADE]),
        // A certificate that an authority has signed, given without that authority.
        ("server.pem", "server.key", Some("server.pem"), &[MADE]),
        ("self-signed.pem", OWN, None, &["the certificate itself", "--certificates FILE"]),
        ("self-signed.pem", OWN, Some("server.pem"), &["not one of those in --certificates"]),
        (
            "server.pem",
            "server.key",
            Some("self-signed.pem"),
            &["not one of those in --certificates"],
        ),
        // The same name and key, and even so not the one given.
        ("expired.pem", OWN, Some("self-signed.pem"), &["check the time of this machine"]),
        ("self-signed.pem", OWN, Some("expired.pem"), &["not one of those in --certificates"]),
        ("other-name.pem", OWN, Some("other-name.pem"), &["poker.example", "--host", "-addext"]),
        ("no-name.pem", OWN, Some("no-name.pem"), &["not valid for name", "subjectAltName=DNS"]),
        ("expired.pem", OWN, Some("expired.pem"), &["expired", "check the time of this machine"]),
        ("not-yet.pem", OWN, Some("not-yet.pem"), &["not valid yet", "check the time"]),
    ];
    let folder = Folder::new();
    for (certificate, key, given, expected) in cases {
        let url = encrypted(certificate, key);
        let given = given.map(data);
        let mut more = vec!["--agent", "call"];
        if let Some(given) = &given {
            more.extend(["--certificates", given.to_str().expect("text")]);
        }
        let output = play(&folder, &url, more);
        output.says_only(3, &[&[url.as_str()], expected].concat());
    }
}
