//! Errors of the JSON API as JSON: `error`, `remedy` and, if the body is at fault, `place`, a JSON
//! pointer (RFC 6901) to the value.

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::middleware::Next;
use axum::response::IntoResponse;
use serde::Serialize;

use super::decide;

/// The most bytes that are taken over from another layer's response.
const MAX_BODY: usize = 4096;

/// The most characters of a path that are shown.
const SHOWN: usize = 100;

/// An error response with a remedy.
#[derive(Debug, Clone, Serialize)]
pub struct Problem {
    #[serde(skip)]
    code: StatusCode,
    error: String,
    remedy: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
}

impl Problem {
    /// An error with a remedy.
    pub fn new(code: StatusCode, error: impl Into<String>, remedy: impl Into<String>) -> Problem {
        Problem { code, error: error.into(), remedy: remedy.into(), place: None }
    }

    /// An error about the body's value at this JSON pointer; the empty pointer is the whole body.
    pub fn at(place: &str, error: impl Into<String>, remedy: impl Into<String>) -> Problem {
        let problem = Problem::new(StatusCode::BAD_REQUEST, error, remedy);
        Problem { place: Some(place.to_owned()), ..problem }
    }

    /// The response's body.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("plain data with text keys")
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        (self.code, axum::Json(self)).into_response()
    }
}

/// Whether this is below the path of the JSON API, known or not.
pub fn is_api(path: &str) -> bool {
    path == "/api/v1" || path.starts_with("/api/v1/")
}

/// Middleware that turns error responses of the API into JSON, whichever layer they come from.
/// Unknown paths below `/api/` count as paths of the API.
pub async fn in_json(request: Request, next: Next) -> Response<Body> {
    let path = request.uri().path();
    let (known, api) = (is_api(path), path == "/api" || path.starts_with("/api/"));
    let path = game::escape::excerpt_of(path.as_bytes(), SHOWN);
    let method = request.method().clone();
    let response = next.run(request).await;
    let code = response.status();
    let wrong = code.is_client_error() || code.is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE).cloned();
    let is = |kind: &Option<HeaderValue>, text: &[u8]| {
        kind.as_ref().is_some_and(|kind| kind.as_bytes().starts_with(text))
    };
    let ours = known || (api && code == StatusCode::NOT_FOUND);
    if !wrong || !ours || is(&kind, b"application/json") {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let said = match is(&kind, b"text/plain") {
        true => axum::body::to_bytes(body, MAX_BODY).await.unwrap_or_default(),
        false => axum::body::Bytes::new(),
    };
    let said = String::from_utf8_lossy(&said).trim().to_owned();
    let described = "`/api/v1/openapi.json` describes every path";
    let (error, remedy) = match code {
        StatusCode::UNAUTHORIZED => (
            "this server requires a login".to_owned(),
            "send it in the header `Authorization`, as Basic or Bearer".to_owned(),
        ),
        StatusCode::TOO_MANY_REQUESTS => {
            (or(said, "too many requests"), "wait for the time in `Retry-After`".to_owned())
        }
        StatusCode::NOT_FOUND => (format!("there is nothing at `{path}`"), described.to_owned()),
        StatusCode::METHOD_NOT_ALLOWED => {
            // The router adds `Allow` only after this.
            let allowed = if path == decide::PATH { "POST" } else { "GET" };
            (format!("{method} is not allowed for `{path}`"), format!("use {allowed}"))
        }
        StatusCode::PAYLOAD_TOO_LARGE => (
            "the body is too large".to_owned(),
            "send less, or set `server.max_body` in the configuration".to_owned(),
        ),
        StatusCode::SERVICE_UNAVAILABLE => (
            "no answer came in time".to_owned(),
            "ask again later, or set `server.request_timeout` in the configuration".to_owned(),
        ),
        _ if code.is_server_error() => {
            (or(said, "the server failed at this request"), "its log says more".to_owned())
        }
        _ => (or(said, "the request cannot be read"), described.to_owned()),
    };
    let body = Problem::new(code, error, remedy).json();
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(parts, Body::from(body))
}

fn or(said: String, usual: &str) -> String {
    if said.is_empty() { usual.to_owned() } else { said }
}
