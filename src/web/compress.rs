//! Compressed answers: a place in a solution with all hands is over a hundred kilobytes of numbers
//! as text, and a tenth of that compressed.

use std::io::Write;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Body as _;

/// What is smaller stays as it is.
const LEAST: u64 = 2 << 10;
/// What is larger would take too long at once.
const MOST: u64 = 4 << 20;

/// Whether a client takes gzip.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut codings = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
    codings.any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip"));
        // A weight of zero is a no.
        let refused = parts.any(|part| {
            let weight = part.strip_prefix("q=").or_else(|| part.strip_prefix("Q="));
            weight.is_some_and(|weight| weight.parse() == Ok(0.0))
        });
        named && !refused
    })
}

/// Whether an answer is text that is there as a whole, and neither too small nor too large.
fn is_text(headers: &HeaderMap, body: &Body) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.unwrap_or_default().split(';').next().unwrap_or_default();
    let kinds = ["text/html", "text/css", "text/javascript", "text/plain", "application/json"];
    let plain = !headers.contains_key(header::CONTENT_ENCODING);
    let size = body.size_hint().exact();
    plain
        && (kinds.contains(&kind) || kind == "image/svg+xml")
        && size.is_some_and(|size| (LEAST..=MOST).contains(&size))
}

/// Middleware that compresses answers for those who take it.
pub async fn compress(request: Request, next: Next) -> Response {
    let takes = takes_gzip(request.headers());
    let response = next.run(request).await;
    if !is_text(response.headers(), response.body()) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    if !takes {
        return Response::from_parts(parts, body);
    }
    let Ok(bytes) = to_bytes(body, MOST as usize).await else {
        return Response::from_parts(parts, Body::empty());
    };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let compressed = match encoder.write_all(&bytes) {
        Ok(()) => encoder.finish(),
        Err(error) => Err(error),
    };
    let Ok(compressed) = compressed else { return Response::from_parts(parts, Body::from(bytes)) };
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Response::from_parts(parts, Body::from(compressed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_takes_gzip_gets_it() {
        let takes = |text: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static(text));
            takes_gzip(&headers)
        };
        for text in ["gzip", "br, GZIP", "deflate, gzip;q=0.5", "gzip;q=1.0, *;q=0"] {
            assert!(takes(text), "{text}");
        }
        for text in ["", "br", "gzip;q=0", "gzip; q=0.0, br", "x-gzipped"] {
            assert!(!takes(text), "{text}");
        }
        assert!(!takes_gzip(&HeaderMap::new()));
    }
}
