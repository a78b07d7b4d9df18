//! The login for pages and APIs, if configured: requests must carry the user's name and password
//! (Basic, RFC 7617) or the token (Bearer, RFC 6750).
//!
//! Credentials are compared as a whole with the expected ones, in a time that depends only on the
//! length of those given. Passwords and tokens are in files that only their owner can read, and are
//! shown nowhere.

use std::fmt;
use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::middleware::Next;
use protocol::slumbot::host;

/// Most bytes of a password or token.
const MAX_FILE: u64 = 1024;

/// The credentials that are accepted.
pub struct Login {
    /// The credentials after `Basic`, in base64.
    basic: Option<String>,
    /// The token after `Bearer`.
    bearer: Option<String>,
    password: Option<String>,
    /// Whether sessions of the Slumbot API need the login, too.
    slumbot: bool,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("slumbot", &self.slumbot).finish_non_exhaustive()
    }
}

/// An error in a file with a password or token.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file cannot be read.
    #[error("{}: {reason}", .path.display())]
    Io {
        /// The file's path.
        path: PathBuf,
        /// The system's error.
        reason: std::io::Error,
    },
    /// Others than the owner can read or change the file.
    #[error(
        "{}: users other than its owner can read or change it (mode {mode:o}): `chmod 600` it, \
         and change its contents if others may know them",
        .path.display()
    )]
    Open {
        /// The file's path.
        path: PathBuf,
        /// The file's mode.
        mode: u32,
    },
    /// The content is not a password or token.
    #[error("{}: it must hold {expected}, on one line", .path.display())]
    Content {
        /// The file's path.
        path: PathBuf,
        /// The expected content.
        expected: &'static str,
    },
}

impl Login {
    /// A login by this user and password and by this token, as far as they are given.
    pub fn new(basic: Option<(&str, String)>, bearer: Option<String>, slumbot: bool) -> Login {
        let encoded = basic.as_ref().map(|(user, password)| base64(&format!("{user}:{password}")));
        let password = basic.map(|(_, password)| password);
        Login { basic: encoded, bearer, password, slumbot }
    }

    /// Whether sessions of the Slumbot API need the login, too.
    pub fn slumbot(&self) -> bool {
        self.slumbot
    }

    /// Whether a request with these headers is authorised.
    pub fn admits(&self, headers: &HeaderMap) -> bool {
        let mut said = headers.get_all(header::AUTHORIZATION).iter();
        let (Some(said), None) = (said.next(), said.next()) else { return false };
        let said = said.as_bytes();
        let (scheme, rest) = said.split_at(said.iter().position(|&b| b == b' ').unwrap_or(0));
        let expected = match scheme {
            basic if basic.eq_ignore_ascii_case(b"Basic") => &self.basic,
            bearer if bearer.eq_ignore_ascii_case(b"Bearer") => &self.bearer,
            _ => return false,
        };
        expected.as_ref().is_some_and(|expected| same(rest.trim_ascii(), expected.as_bytes()))
    }

    /// Whether this is the password or the token, for clients that send it in the body.
    pub fn knows(&self, password: &str) -> bool {
        let known = [&self.password, &self.bearer].into_iter().flatten();
        // Both are compared, so that the time does not distinguish them.
        known.fold(false, |known, own| known | same(password.as_bytes(), own.as_bytes()))
    }

    /// Adds the headers that ask for a login.
    pub fn challenge(&self, headers: &mut HeaderMap) {
        let basic = "Basic realm=\"cardroom\", charset=\"UTF-8\"";
        let bearer = "Bearer realm=\"cardroom\"";
        for (there, how) in [(self.basic.is_some(), basic), (self.bearer.is_some(), bearer)] {
            if there {
                headers.append(header::WWW_AUTHENTICATE, HeaderValue::from_static(how));
            }
        }
    }
}

/// Middleware that lets requests pass that are authorised, or for `/healthz`.
pub async fn ask(State(login): State<Arc<Login>>, request: Request, next: Next) -> Response<Body> {
    if request.uri().path() == "/healthz" || login.admits(request.headers()) {
        return next.run(request).await;
    }
    if request.headers().contains_key(header::AUTHORIZATION) {
        let caller = request.extensions().get::<super::listener::Wire>().map(|wire| wire.caller);
        tracing::warn!(?caller, "a login was refused");
    }
    let mut response = Response::new(Body::from("log in: this server requires it\n"));
    *response.status_mut() = StatusCode::UNAUTHORIZED;
    login.challenge(response.headers_mut());
    response
}

/// Whether a request to the Slumbot API may be done without authorisation in its header: clients of
/// that API send name and password in `login` instead, and only those who have logged in have a
/// session's token.
pub fn opens(login: &Login, request: &host::Request) -> bool {
    match request {
        host::Request::Login(asked) => asked.password.as_ref().is_some_and(|it| login.knows(it)),
        host::Request::NewHand(new) => new.token.as_ref().is_some_and(|token| !token.is_empty()),
        host::Request::Act(_) => true,
    }
}

/// Opens a file that holds a password, a token or the like, and that only its owner can read.
/// systemd's credentials, which are for the service alone, may be readable by a group.
///
/// # Errors
/// When the file cannot be read, or others can read or change it.
pub fn open_secret(path: &Path) -> Result<File, SecretError> {
    let io = |reason| SecretError::Io { path: path.to_owned(), reason };
    let file = File::open(path).map_err(io)?;
    let mode = file.metadata().map_err(io)?.permissions().mode() & 0o777;
    let credentials = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
    let handed = credentials.is_some_and(|folder| path.starts_with(folder));
    if mode & if handed { 0o037 } else { 0o077 } != 0 {
        return Err(SecretError::Open { path: path.to_owned(), mode });
    }
    Ok(file)
}

/// Reads the password or token in a file that only its owner can read.
///
/// # Errors
/// When the file cannot be read, others can read it, or its content is not valid.
pub fn read_secret(path: &Path, token: bool) -> Result<String, SecretError> {
    let io = |reason| SecretError::Io { path: path.to_owned(), reason };
    let file = open_secret(path)?;
    let mut text = String::new();
    file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(io)?;
    let secret = text.strip_suffix('\n').unwrap_or(&text);
    let secret = secret.strip_suffix('\r').unwrap_or(secret);
    let bearer = |c: char| c.is_ascii_alphanumeric() || "-._~+/=".contains(c);
    let good = |c: char| if token { bearer(c) } else { !c.is_control() };
    if secret.is_empty() || text.len() as u64 > MAX_FILE || !secret.chars().all(good) {
        let expected = if token {
            "a token of letters, digits and -._~+/= (`head -c 24 /dev/urandom | base64` makes one)"
        } else {
            "a password without control characters"
        };
        return Err(SecretError::Content { path: path.to_owned(), expected });
    }
    Ok(secret.to_owned())
}

/// Compares two texts in a time that depends only on the first one's length.
fn same(given: &[u8], own: &[u8]) -> bool {
    if own.is_empty() {
        return false;
    }
    let mut differs = u8::from(given.len() != own.len());
    for (i, byte) in given.iter().enumerate() {
        differs |= black_box(byte ^ own[i % own.len()]);
    }
    black_box(differs) == 0
}

/// Base64 with padding (RFC 4648).
fn base64(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for three in text.as_bytes().chunks(3) {
        let byte = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for i in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * i)) as usize & 63];
            out.push(if i <= three.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let vectors = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, encoded) in vectors.into_iter().enumerate() {
            assert_eq!(base64(&"foobar"[..length]), encoded);
        }
        // The example of RFC 7617.
        assert_eq!(base64("Aladdin:open sesame"), "QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    }

    #[test]
    fn only_the_whole_password_or_token_in_its_own_scheme_passes() {
        let login = Login::new(Some(("me", "pässword:x".into())), Some("abc+/=".into()), true);
        let admits = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, HeaderValue::from_str(value).expect("one"));
            login.admits(&headers)
        };
        let basic = base64("me:pässword:x");
        for good in [format!("Basic {basic}"), format!("bASIC  {basic} "), "Bearer abc+/=".into()] {
            assert!(admits(&good), "{good}");
        }
        for bad in [
            String::new(),
            "Basic".into(),
            "Basic ".into(),
            "Bearer".into(),
            "Bearer ".into(),
            basic.clone(),
            format!("Bearer {basic}"),
            "Basic abc+/=".into(),
            "Bearer abc+/".into(),
            "Bearer abc+/=abc+/=".into(),
            "Bearer ABC+/=".into(),
            format!("Basic {}", base64("me:pässword:y")),
            format!("Basic {}", base64("me:")),
            format!("Basic {}", base64(":pässword:x")),
            format!("Digest {basic}"),
        ] {
            assert!(!admits(&bad), "{bad}");
        }
        assert!(!login.admits(&HeaderMap::new()));
        assert!(login.knows("pässword:x") && login.knows("abc+/="));
        assert!(!login.knows("") && !login.knows("pässword:") && !login.knows("pässword:xx"));
        let neither = Login::new(None, Some("abc".into()), true);
        assert!(!neither.knows("") && format!("{neither:?}").find("abc").is_none());
    }
}
