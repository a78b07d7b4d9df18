//! Filtering requests: only those for one of our hosts and with unambiguous length are processed.
//!
//! A foreign page whose name suddenly resolves to this machine ("DNS rebinding") could otherwise
//! have a browser here read and play for it. Its requests carry that name as their host, so only
//! our own names pass: those of the loopback interface, the address that the server is bound to or
//! was reached at, and the configured ones; the port may be a proxy's and is ignored. All hosts of
//! a request are checked: an absolute target, and the header. Browsers always send `Host`; a
//! request without it passes only under HTTP/1.0, which browsers do not use.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode, Version, header};
use axum::middleware::Next;
use axum::response::IntoResponse;
use protocol::slumbot::PREFIXES;
use protocol::slumbot::host::refusal;
use protocol::slumbot::message::json;

use super::api::{self, Problem};
use super::listener::Wire;
use crate::config::ConfigError;

/// The hosts that this server answers for, and its trusted proxies.
#[derive(Debug, Clone)]
pub struct Hosts {
    bound: IpAddr,
    addresses: Vec<IpAddr>,
    /// Without a trailing dot.
    names: Vec<String>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    proxies: Vec<IpAddr>,
}

impl Hosts {
    /// The hosts of a server bound to this address, without further names.
    pub fn new(bound: IpAddr) -> Hosts {
        let bound = bound.to_canonical();
        Hosts { bound, addresses: Vec::new(), names: Vec::new(), proxies: Vec::new() }
    }

    /// Adds a host name or address.
    ///
    /// # Errors
    /// When the text is not a host without a port.
    pub fn add(&mut self, text: &str) -> Result<(), ConfigError> {
        if let Some(address) = address(text).or_else(|| text.parse().ok()) {
            self.addresses.push(address.to_canonical());
        } else if split(text) == Some(text) {
            self.names.push(bare(text).to_owned());
        } else {
            return Err(ConfigError::new(format!(
                "`{text}` is not a host: write a name or an address without a port, as in \
                 \"cards.example.org\" or \"192.168.1.5\""
            )));
        }
        Ok(())
    }

    /// Trusts the `X-Forwarded-For` of this proxy.
    pub fn trust(&mut self, proxy: IpAddr) {
        self.proxies.push(proxy.to_canonical());
    }

    /// The address of the client: the peer or, if that is a trusted proxy, the last address in
    /// `X-Forwarded-For` that is not a trusted proxy itself.
    pub fn caller(&self, headers: &HeaderMap, peer: IpAddr) -> IpAddr {
        let mut caller = peer.to_canonical();
        let said = headers.get_all("x-forwarded-for").iter().rev();
        let named = said.filter_map(|line| line.to_str().ok()).flat_map(|line| line.rsplit(','));
        for name in named {
            let Ok(named) = name.trim().parse::<IpAddr>() else { return caller };
            if !self.proxies.contains(&caller) {
                return caller;
            }
            caller = named.to_canonical();
        }
        caller
    }

    /// Whether requests for this host, without its port, are answered; `reached` is the address
    /// that the client connected to.
    fn have(&self, host: &str, reached: IpAddr) -> bool {
        match address(host) {
            Some(address) => {
                let ip = address.to_canonical();
                ip.is_loopback()
                    || [self.bound, reached.to_canonical()].contains(&ip)
                    || self.addresses.contains(&ip)
            }
            None => {
                let host = bare(host);
                host.eq_ignore_ascii_case("localhost")
                    || self.names.iter().any(|name| host.eq_ignore_ascii_case(name))
            }
        }
    }

    /// The answer that refuses a request; `None` if the request is accepted.
    pub fn refuse(&self, request: &Request, wire: &Wire) -> Option<Response<Body>> {
        if wire.ambiguous() {
            let why = "the request gives its length in two ways: it may have Content-Length or \
                       Transfer-Encoding: chunked, once";
            return Some(refused(request, StatusCode::BAD_REQUEST, why));
        }
        let mut said = request.headers().get_all(header::HOST).iter();
        let (first, second) = (said.next(), said.next());
        let unclear = "the request does not say clearly which host it is for";
        if second.is_some() || (first.is_none() && request.version() >= Version::HTTP_11) {
            return Some(refused(request, StatusCode::BAD_REQUEST, unclear));
        }
        let target = request.uri().authority().map(|authority| authority.as_str().as_bytes());
        for host in [first.map(HeaderValue::as_bytes), target].into_iter().flatten() {
            let Some(host) = str::from_utf8(host).ok().and_then(split) else {
                return Some(refused(request, StatusCode::BAD_REQUEST, unclear));
            };
            if !self.have(host, wire.reached) {
                let host: String = host.chars().take(100).collect();
                let why = format!(
                    "this server does not answer for the host `{host}`; where it should, its \
                     configuration must name it in server.hosts"
                );
                return Some(refused(request, StatusCode::MISDIRECTED_REQUEST, &why));
            }
        }
        None
    }
}

/// Middleware that refuses requests of pages from elsewhere: browsers name the page's origin, other
/// programs none.
pub async fn from_here(
    State(hosts): State<Arc<Hosts>>,
    request: Request,
    next: Next,
) -> Response<Body> {
    let reached = request.extensions().get::<Wire>().map(|wire| wire.reached);
    let ours = |origin: &HeaderValue| -> Option<bool> {
        let origin = origin.to_str().ok()?;
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"))?;
        Some(hosts.have(split(host)?, reached.unwrap_or(hosts.bound)))
    };
    if request.headers().get_all(header::ORIGIN).iter().all(|origin| ours(origin) == Some(true)) {
        return next.run(request).await;
    }
    let why = "the request is from a page of another host; where it should be answered, the \
               configuration must name that host in server.hosts";
    refused(&request, StatusCode::FORBIDDEN, why)
}

/// The host in `host`, `host:port` or `[address]:port`; `None` if the text is none of these.
fn split(text: &str) -> Option<&str> {
    let (host, port) = match text.find(']') {
        Some(end) if text.starts_with('[') => text.split_at(end + 1),
        _ => text.split_at(text.find(':').unwrap_or(text.len())),
    };
    let port = if port.is_empty() { "" } else { port.strip_prefix(':')? };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    let good = address(host).is_some() || (!bare(host).is_empty() && host.chars().all(plain));
    (good && port.len() <= 5 && port.bytes().all(|digit| digit.is_ascii_digit())).then_some(host)
}

/// The address in a host, if it is one.
fn address(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[') {
        Some(rest) => rest.strip_suffix(']')?.parse::<Ipv6Addr>().ok().map(IpAddr::V6),
        // Other hosts that end in a digit cannot be addresses.
        None if host.ends_with(|c: char| c.is_ascii_digit()) => host.parse().ok(),
        None => None,
    }
}

/// A name without a trailing dot.
fn bare(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

/// An answer after which the connection is closed; in JSON on paths of the APIs.
fn refused(request: &Request, code: StatusCode, why: &str) -> Response<Body> {
    let number = code.as_str().to_owned();
    metrics::counter!("cardroom_http_requests_total", "code" => number).increment(1);
    let path = request.uri().path();
    tracing::debug!(path, why, "a request was refused");
    let (kind, body) = if api::is_api(path) {
        ("application/json", Problem::new(code, why, "docs/server.md, *Who is answered*").json())
    } else if PREFIXES.iter().any(|prefix| path.starts_with(prefix)) {
        ("application/json", json(&refusal(why, None)))
    } else {
        ("text/plain; charset=utf-8", format!("{why}\n"))
    };
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONNECTION, "close"),
    ];
    (code, headers, body).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_with_and_without_ports() {
        for (text, host) in [
            ("localhost", Some("localhost")),
            ("localhost:5252", Some("localhost")),
            ("LocalHost.:80", Some("LocalHost.")),
            ("localhost:", Some("localhost")),
            ("127.0.0.1:5252", Some("127.0.0.1")),
            ("[::1]", Some("[::1]")),
            ("[::1]:5252", Some("[::1]")),
            ("", None),
            (".", None),
            (":80", None),
            ("::1", None),
            ("[::1", None),
            ("[::1]x", None),
            ("[::1]x:80", None),
            ("[localhost]", None),
            ("localhost:80:80", None),
            ("localhost:123456", None),
            ("localhost:8o", None),
            ("evil@localhost", None),
            ("localhost evil", None),
            ("localhost,evil", None),
            ("localhost/evil", None),
        ] {
            assert_eq!(split(text), host, "{text:?}");
        }
    }

    #[test]
    fn only_hosts_of_ours_pass() {
        let mut hosts = Hosts::new("10.0.0.7".parse().expect("an address"));
        for text in ["cards.example.org", "192.168.1.5", "fe80::1", "[fe80::2]"] {
            hosts.add(text).expect("a host");
        }
        for text in ["", "cards.example.org:80", "http://x", "*", "*.example.org", "[x]", "a b"] {
            let refused = hosts.add(text).expect_err("no host").to_string();
            assert!(refused.contains(&format!("`{text}` is not a host")), "{refused}");
        }
        let reached: IpAddr = "10.0.0.9".parse().expect("an address");
        for host in [
            "localhost",
            "LOCALHOST.",
            "127.0.0.1",
            "127.9.9.9",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "10.0.0.7",
            "10.0.0.9",
            "Cards.Example.ORG",
            "cards.example.org.",
            "192.168.1.5",
            "[fe80::1]",
            "[FE80::2]",
        ] {
            assert!(hosts.have(host, reached), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "evil.localhost",
            "10.0.0.8",
            "127.1",
            "0.0.0.0",
            "[::]",
            "example.org",
            "x.cards.example.org",
            "2130706433",
            "[fe80::3]",
        ] {
            assert!(!hosts.have(host, reached), "{host}");
        }
        // A client of a server bound to all addresses may name this one.
        assert!(Hosts::new("0.0.0.0".parse().expect("one")).have("0.0.0.0", reached));
    }

    #[test]
    fn only_a_proxy_of_ours_is_believed_when_it_says_for_whom_it_asks() {
        let ip = |text: &str| -> IpAddr { text.parse().expect("an address") };
        let mut hosts = Hosts::new(ip("127.0.0.1"));
        hosts.trust(ip("10.0.0.1"));
        hosts.trust(ip("10.0.0.2"));
        for (peer, said, caller) in [
            ("10.0.0.1", &[][..], "10.0.0.1"),
            ("10.0.0.1", &["192.0.2.7"], "192.0.2.7"),
            ("::ffff:10.0.0.1", &["192.0.2.7"], "192.0.2.7"),
            // What a client claims comes before what the proxy adds.
            ("10.0.0.1", &["127.0.0.1, 192.0.2.7"], "192.0.2.7"),
            ("10.0.0.1", &["127.0.0.1", "192.0.2.7"], "192.0.2.7"),
            ("10.0.0.1", &["192.0.2.7, 10.0.0.2"], "192.0.2.7"),
            ("10.0.0.1", &["192.0.2.7, unknown"], "10.0.0.1"),
            ("10.0.0.1", &["10.0.0.2"], "10.0.0.2"),
            ("192.0.2.9", &["192.0.2.7"], "192.0.2.9"),
            ("192.0.2.9", &["10.0.0.1"], "192.0.2.9"),
        ] {
            let mut headers = HeaderMap::new();
            for line in said {
                headers.append("x-forwarded-for", HeaderValue::from_static(line));
            }
            assert_eq!(hosts.caller(&headers, ip(peer)), ip(caller), "{peer} {said:?}");
        }
    }
}
