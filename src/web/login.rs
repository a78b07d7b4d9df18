//! The login for pages and APIs, if configured: requests must carry the user's name and password
//! (Basic, RFC 7617) or the token (Bearer, RFC 6750). And limits by address: how many requests, or
//! wrong logins, come from one in a time.
//!
//! Credentials are compared as a whole with the expected ones, in a time that depends only on the
//! length of those given. Passwords and tokens are in files that only their owner can read, and are
//! shown nowhere. An address from which too many wrong ones came is refused for a while, right ones
//! included: otherwise the answer would tell which guess is right.
//!
//! The networks that IPv6 hands out to one customer have 2^64 addresses, so these share one
//! allowance. An address is forgotten only when it has its whole allowance again.

use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::hint::black_box;
use std::io::Read;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::NonZeroU32;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use axum::middleware::Next;
use axum::response::IntoResponse;
use data_encoding::BASE64;
use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::{Quota, RateLimiter};
use protocol::slumbot::host;
use tracing::field::display;

use super::listener::caller;
use super::scrimmage::Course;
use crate::config::ConfigError;

/// Most bytes of a password or token.
const MAX_FILE: u64 = 1024;

/// Wrong logins from one address: so many at once, and as many a minute.
const WRONG_LOGINS: NonZeroU32 = NonZeroU32::new(10).expect("not zero");

/// The time between two lines in the log about refused logins.
const LOG_INTERVAL: Duration = Duration::from_secs(60);

/// The credentials that are accepted.
pub struct Login {
    /// The credentials after `Basic`, in base64.
    basic: Option<String>,
    /// The token after `Bearer`.
    bearer: Option<String>,
    password: Option<String>,
    /// Whether sessions of the Slumbot API need the login, too.
    slumbot: bool,
    wrong: Allowance,
    refused: Mutex<Refused>,
}

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It has no credentials, or wrong ones.
    Login,
    /// Too many wrong ones came from its address; after this time another try is allowed.
    Wait(Duration),
}

/// The refused logins since the last line about them in the log.
#[derive(Debug, Default)]
struct Refused {
    count: u64,
    logged: Option<Instant>,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("slumbot", &self.slumbot).finish_non_exhaustive()
    }
}

impl Login {
    /// A login by this user and password and by this token, as far as they are given.
    pub fn new(basic: Option<(&str, String)>, bearer: Option<String>, slumbot: bool) -> Login {
        let encoded = basic
            .as_ref()
            .map(|(user, password)| BASE64.encode(format!("{user}:{password}").as_bytes()));
        let password = basic.map(|(_, password)| password);
        let wrong = Allowance::new(Quota::per_minute(WRONG_LOGINS));
        Login { basic: encoded, bearer, password, slumbot, wrong, refused: Mutex::default() }
    }

    /// Whether sessions of the Slumbot API need the login, too.
    pub fn slumbot(&self) -> bool {
        self.slumbot
    }

    /// Admits a request with these headers.
    ///
    /// # Errors
    /// Why it is refused.
    fn admit(&self, headers: &HeaderMap, from: Option<IpAddr>) -> Result<(), Refusal> {
        if !headers.contains_key(header::AUTHORIZATION) {
            return Err(Refusal::Login);
        }
        self.decide(self.admits(headers), from)
    }

    /// Admits a request to the Slumbot API. Those with a session's token need no login, since only
    /// clients that have logged in get one; `login` may carry the password or the token in its
    /// body.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn admit_player(
        &self,
        headers: &HeaderMap,
        request: &host::Request,
        from: Option<IpAddr>,
    ) -> Result<(), Refusal> {
        let password = match request {
            host::Request::Act(_) => return Ok(()),
            host::Request::NewHand(new) if new.token.as_ref().is_some_and(|it| !it.is_empty()) => {
                return Ok(());
            }
            host::Request::NewHand(_) => None,
            host::Request::Login(asked) => asked.password.as_ref(),
        };
        match password {
            None => self.admit(headers, from),
            Some(password) => self.decide(self.admits(headers) || self.knows(password), from),
        }
    }

    /// Counts and limits the wrong ones among requests with credentials.
    fn decide(&self, right: bool, from: Option<IpAddr>) -> Result<(), Refusal> {
        let address = from.unwrap_or(Ipv4Addr::UNSPECIFIED.into());
        let left = if right { self.wrong.look(address) } else { self.wrong.take(address) };
        match (left, right) {
            (Ok(()), true) => Ok(()),
            (left, _) => {
                self.log_refusal(from);
                Err(left.map_or_else(Refusal::Wait, |()| Refusal::Login))
            }
        }
    }

    /// Logs refused logins, once a minute at most.
    fn log_refusal(&self, from: Option<IpAddr>) {
        let mut refused = parallel::lock(&self.refused);
        refused.count += 1;
        if refused.logged.is_none_or(|at| at.elapsed() >= LOG_INTERVAL) {
            let (count, caller) = (refused.count, from.map(display));
            tracing::warn!(
                count,
                caller,
                "logins were refused; the last one came from this caller"
            );
            *refused = Refused { count: 0, logged: Some(Instant::now()) };
        }
    }

    /// The answer to a request that is refused.
    pub fn refuse(&self, refusal: Refusal) -> Response<Body> {
        match refusal {
            Refusal::Login => {
                let text = "log in: this server requires it\n";
                let mut response = (StatusCode::UNAUTHORIZED, text).into_response();
                self.challenge(response.headers_mut());
                response
            }
            Refusal::Wait(time) => {
                let after = [(header::RETRY_AFTER, seconds(time).to_string())];
                let text = format!("{}\n", refusal.words());
                (StatusCode::TOO_MANY_REQUESTS, after, text).into_response()
            }
        }
    }

    /// Admits a request with the credentials of this login or of the other one. Wrong ones count
    /// for this one.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn admit_with(
        &self,
        other: Option<&Login>,
        headers: &HeaderMap,
        from: Option<IpAddr>,
    ) -> Result<(), Refusal> {
        if !headers.contains_key(header::AUTHORIZATION) {
            return Err(Refusal::Login);
        }
        // Both are compared, so that the time does not distinguish them.
        let right = self.admits(headers) | other.is_some_and(|other| other.admits(headers));
        self.decide(right, from)
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
    fn knows(&self, password: &str) -> bool {
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

/// A login with the scrimmage, whose teams' tokens are told where they belong.
#[derive(Clone)]
pub struct Door {
    /// The server's login.
    pub login: Arc<Login>,
    /// The scrimmage, if there is one.
    pub course: Option<Course>,
}

/// Middleware that lets requests pass that are authorised, or for `/healthz`.
pub async fn ask(State(door): State<Door>, request: Request, next: Next) -> Response<Body> {
    let Door { login, course } = door;
    let admitted = match request.uri().path() {
        "/healthz" => Ok(()),
        _ => login.admit(request.headers(), caller(request.extensions())),
    };
    match admitted {
        Ok(()) => next.run(request).await,
        Err(refusal) => {
            let misplaced = course.filter(|_| refusal == Refusal::Login);
            let misplaced = misplaced.and_then(|course| course.misplaced(request.headers()));
            misplaced.unwrap_or_else(|| login.refuse(refusal))
        }
    }
}

impl Refusal {
    /// What the client is told.
    pub fn words(self) -> String {
        match self {
            Refusal::Login => "this server requires a login: call login with the password first, \
                               or send it with the request"
                .to_owned(),
            Refusal::Wait(time) => format!(
                "too many wrong logins came from this address: try again in {} s",
                seconds(time)
            ),
        }
    }
}

/// Whole seconds after which a time is over.
fn seconds(time: Duration) -> u64 {
    time.as_secs() + 1
}

/// Opens a file that holds a password, a token or the like, and that only its owner can read.
/// systemd's credentials, which are for the service alone, may be readable by a group.
///
/// # Errors
/// When the file cannot be read, or others can read or change it.
pub fn open_secret(path: &Path) -> Result<File, ConfigError> {
    let at = |reason: &dyn fmt::Display| ConfigError::new(format!("{}: {reason}", path.display()));
    let file = File::open(path).map_err(|error| at(&error))?;
    let mode = file.metadata().map_err(|error| at(&error))?.permissions().mode() & 0o777;
    let credentials = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
    let handed = credentials.is_some_and(|folder| path.starts_with(folder));
    if mode & if handed { 0o037 } else { 0o077 } != 0 {
        return Err(at(&format_args!(
            "users other than its owner can read or change it (mode {mode:o}): `chmod 600` it, and \
             change its contents if others may know them"
        )));
    }
    Ok(file)
}

/// Reads the password or token in a file that only its owner can read.
///
/// # Errors
/// When the file cannot be read, others can read it, or its content is not valid.
pub fn read_secret(path: &Path, token: bool) -> Result<String, ConfigError> {
    let at = |reason: &dyn fmt::Display| ConfigError::new(format!("{}: {reason}", path.display()));
    let file = open_secret(path)?;
    let mut text = String::new();
    file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(|error| at(&error))?;
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
        return Err(at(&format_args!("it must hold {expected}, on one line")));
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

/// Most addresses kept, about 5 MB. When so many are away from their whole allowance, others are
/// not limited: as many requests a second as that takes are more than the server answers.
const MAX_ADDRESSES: usize = 100_000;

/// An allowance for each address.
pub struct Allowance<C: Clock = DefaultClock> {
    limiter: RateLimiter<Asked, Addresses, C, NoOpMiddleware<C::Instant>>,
}

/// An address, and whether it takes one from its allowance or only asks whether one is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Asked {
    from: IpAddr,
    takes: bool,
}

/// The addresses that do not have their whole allowance.
struct Addresses {
    /// The time in which an allowance grows by one.
    interval: Nanos,
    /// When each has its whole allowance again.
    whole_at: Mutex<HashMap<IpAddr, Nanos>>,
}

impl Allowance {
    /// An allowance of so much for each address.
    pub fn new(quota: Quota) -> Allowance {
        Allowance::by_clock(quota, DefaultClock::default())
    }
}

impl<C: Clock> Allowance<C> {
    fn by_clock(quota: Quota, clock: C) -> Allowance<C> {
        let interval = quota.replenish_interval().into();
        let addresses = Addresses { interval, whole_at: Mutex::default() };
        Allowance { limiter: RateLimiter::new(quota, addresses, clock) }
    }

    /// Takes one from an address's allowance.
    ///
    /// # Errors
    /// When nothing is left: the time until there is.
    pub fn take(&self, from: IpAddr) -> Result<(), Duration> {
        self.ask(from, true)
    }

    /// Asks whether an address has something left.
    ///
    /// # Errors
    /// When nothing is left: the time until there is.
    pub fn look(&self, from: IpAddr) -> Result<(), Duration> {
        self.ask(from, false)
    }

    fn ask(&self, from: IpAddr, takes: bool) -> Result<(), Duration> {
        let asked = self.limiter.check_key(&Asked { from: group(from), takes });
        asked.map_err(|until| until.wait_time_from(self.limiter.clock().now()))
    }
}

impl StateStore for Addresses {
    type Key = Asked;

    fn measure_and_replace<T, F, E>(&self, asked: &Asked, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let mut whole_at = parallel::lock(&self.whole_at);
        let known = whole_at.get(&asked.from).copied();
        let (answer, then) = decide(known)?;
        if asked.takes {
            if known.is_none() && whole_at.len() >= MAX_ADDRESSES {
                // A new address takes its first one now.
                let now = then.saturating_sub(self.interval);
                whole_at.retain(|_, at| *at > now);
            }
            if known.is_some() || whole_at.len() < MAX_ADDRESSES {
                whole_at.insert(asked.from, then);
            }
        }
        Ok(answer)
    }
}

/// The address that stands for all that share an allowance.
fn group(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into()
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use governor::clock::FakeRelativeClock;

    use super::*;

    #[test]
    fn only_the_whole_password_or_token_in_its_own_scheme_passes() {
        let login = Login::new(Some(("me", "pässword:x".into())), Some("abc+/=".into()), true);
        let admits = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, HeaderValue::from_str(value).expect("one"));
            login.admits(&headers)
        };
        let base64 = |text: &str| BASE64.encode(text.as_bytes());
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

    #[test]
    fn an_address_that_guesses_is_not_told_when_it_is_right_and_others_log_in() {
        let login = Login::new(Some(("me", "secret".into())), Some("abc".into()), true);
        let with = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, HeaderValue::from_str(value).expect("one"));
            headers
        };
        let body = |password: &str| {
            let text = serde_json::json!({ "username": "me", "password": password }).to_string();
            let kind = Some("application/json");
            host::Request::read(host::Endpoint::Login, kind, text.as_bytes()).expect("a request")
        };
        let [guesser, other] = [1, 2].map(|n| Some(IpAddr::from([192, 0, 2, n])));
        let none = HeaderMap::new();
        // Requests without credentials are no guesses.
        for _ in 0..50 {
            assert_eq!(login.admit(&none, guesser), Err(Refusal::Login));
        }
        // The schemes and `login` take from one allowance.
        for n in 0..WRONG_LOGINS.get() {
            let refused = match n % 3 {
                0 => login.admit(&with("Basic bWU6d3Jvbmc="), guesser),
                1 => login.admit(&with("Bearer abd"), guesser),
                _ => login.admit_player(&none, &body("wrong"), guesser),
            };
            assert_eq!(refused, Err(Refusal::Login), "{n}");
        }
        let right = format!("Basic {}", BASE64.encode(b"me:secret"));
        for _ in 0..3 {
            let answers = [
                login.admit(&with(&right), guesser),
                login.admit(&with("Bearer abc"), guesser),
                login.admit(&with("Bearer abd"), guesser),
                login.admit_player(&none, &body("secret"), guesser),
                login.admit_player(&none, &body("wrong"), guesser),
            ];
            for answer in answers {
                assert!(matches!(answer, Err(Refusal::Wait(_))), "{answer:?}");
            }
            assert_eq!(login.admit(&with(&right), other), Ok(()));
            assert_eq!(login.admit_player(&none, &body("secret"), other), Ok(()));
        }
        // Whoever has a session plays on.
        let act = br#"{"token": "x", "incr": "c"}"#;
        let act = host::Request::read(host::Endpoint::Act, Some("application/json"), act);
        assert_eq!(login.admit_player(&none, &act.expect("a request"), guesser), Ok(()));
    }

    fn three_a_second() -> (Allowance<FakeRelativeClock>, FakeRelativeClock) {
        let clock = FakeRelativeClock::default();
        let quota = Quota::per_second(NonZeroU32::new(3).expect("not zero"));
        (Allowance::by_clock(quota, clock.clone()), clock)
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn an_address_has_its_allowance_and_no_other_has_less_for_it() {
        let (allowance, clock) = three_a_second();
        for _ in 0..3 {
            assert_eq!(
                (allowance.look(ip("192.0.2.1")), allowance.take(ip("192.0.2.1"))),
                (Ok(()), Ok(()))
            );
        }
        // Looking takes nothing, and neither does what is refused.
        for _ in 0..9 {
            let wait = allowance.take(ip("::ffff:192.0.2.1")).expect_err("nothing is left");
            assert_eq!(allowance.look(ip("192.0.2.1")), Err(wait));
            assert!(wait <= Duration::from_millis(334) && wait > Duration::from_millis(300));
            assert_eq!(allowance.look(ip("192.0.2.2")), Ok(()));
        }
        clock.advance(Duration::from_millis(334));
        assert_eq!(allowance.take(ip("192.0.2.1")), Ok(()));
        assert!(allowance.take(ip("192.0.2.1")).is_err());
    }

    #[test]
    fn a_network_of_ipv6_has_one_allowance() {
        let (allowance, _) = three_a_second();
        for host in 1..=3 {
            assert_eq!(allowance.take(ip(&format!("2001:db8:0:1::{host}"))), Ok(()));
        }
        assert!(allowance.take(ip("2001:db8:0:1:ffff::4")).is_err());
        assert_eq!(allowance.take(ip("2001:db8:0:2::1")), Ok(()));
    }

    #[test]
    fn any_number_of_addresses_gives_none_of_them_a_new_allowance() {
        let (allowance, clock) = three_a_second();
        let guesser = ip("192.0.2.1");
        while allowance.take(guesser).is_ok() {}
        // Each takes one, so it has its whole allowance after a third of a second.
        let other = |n: u32| IpAddr::from((0x0a00_0000 + n).to_be_bytes());
        let most = MAX_ADDRESSES as u32;
        for n in 0..most {
            assert_eq!(allowance.take(other(n)), Ok(()));
        }
        assert!(allowance.take(guesser).is_err() && allowance.take(other(most)).is_ok());
        clock.advance(Duration::from_millis(500));
        // The guesser does not have its whole allowance yet: it stays, the others make room.
        assert_eq!(allowance.take(other(most)), Ok(()));
        assert_eq!(allowance.take(guesser), Ok(()));
        assert!(allowance.take(guesser).is_err());
    }
}
