//! What all pages share: the style sheet and the scripts, messages, cards, parts of a page as
//! server-sent events, and reading files on blocking threads.

use std::convert::Infallible;
use std::time::Duration;

use askama::Template;
use axum::extract::{Path, Request};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use cards::Card;
use futures_util::stream::{self, Stream};
use hyper::body::Body as _;
use tokio_util::sync::CancellationToken;

use crate::hand_words::{card_name, card_signs, rank_text};

#[derive(Template)]
#[template(path = "message.html", config = ".askama.toml")]
struct Message<'a> {
    title: &'a str,
    text: &'a str,
}

/// The style sheet, the script and the icon, which are built in.
pub async fn asset(Path(name): Path<String>) -> Response {
    let (kind, content) = match name.as_str() {
        "style.css" => ("text/css; charset=utf-8", include_str!("assets/style.css")),
        "live.js" => ("text/javascript; charset=utf-8", include_str!("assets/live.js")),
        "page.js" => ("text/javascript; charset=utf-8", include_str!("assets/page.js")),
        "play.css" => ("text/css; charset=utf-8", include_str!("assets/play.css")),
        "play.js" => ("text/javascript; charset=utf-8", include_str!("assets/play.js")),
        "run.css" => ("text/css; charset=utf-8", include_str!("assets/run.css")),
        "run.js" => ("text/javascript; charset=utf-8", include_str!("assets/run.js")),
        "study.css" => ("text/css; charset=utf-8", include_str!("assets/study.css")),
        "study.js" => ("text/javascript; charset=utf-8", include_str!("assets/study.js")),
        "study-cards.js" => {
            ("text/javascript; charset=utf-8", include_str!("assets/study-cards.js"))
        }
        "study-compare.js" => {
            ("text/javascript; charset=utf-8", include_str!("assets/study-compare.js"))
        }
        "study-equity.js" => {
            ("text/javascript; charset=utf-8", include_str!("assets/study-equity.js"))
        }
        "study-grid.js" => ("text/javascript; charset=utf-8", include_str!("assets/study-grid.js")),
        "study-lock.js" => ("text/javascript; charset=utf-8", include_str!("assets/study-lock.js")),
        "study-river.js" => {
            ("text/javascript; charset=utf-8", include_str!("assets/study-river.js"))
        }
        "study-simple.js" => {
            ("text/javascript; charset=utf-8", include_str!("assets/study-simple.js"))
        }
        "study-table.js" => {
            ("text/javascript; charset=utf-8", include_str!("assets/study-table.js"))
        }
        "study-walk.js" => ("text/javascript; charset=utf-8", include_str!("assets/study-walk.js")),
        "analyse.css" => ("text/css; charset=utf-8", include_str!("assets/analyse.css")),
        "analyse.js" => ("text/javascript; charset=utf-8", include_str!("assets/analyse.js")),
        "agents.css" => ("text/css; charset=utf-8", include_str!("assets/agents.css")),
        "train.css" => ("text/css; charset=utf-8", include_str!("assets/train.css")),
        "train.js" => ("text/javascript; charset=utf-8", include_str!("assets/train.js")),
        "hands.css" => ("text/css; charset=utf-8", include_str!("assets/hands.css")),
        "hands.js" => ("text/javascript; charset=utf-8", include_str!("assets/hands.js")),
        "icon.svg" => ("image/svg+xml", include_str!("assets/icon.svg")),
        _ => return StatusCode::NOT_FOUND.into_response(),
    };
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, "max-age=300")], content)
        .into_response()
}

/// The response for unknown addresses.
pub async fn not_found() -> Response {
    message(StatusCode::NOT_FOUND, "Nothing here", "There is no page at this address.")
}

/// A page with one message.
pub fn message(code: StatusCode, title: &str, text: &str) -> Response {
    (code, page(&Message { title, text })).into_response()
}

/// The page that says why something is not shown.
pub fn refusal(code: StatusCode, why: &str) -> Response {
    let title = match code {
        StatusCode::NOT_FOUND => "Not here",
        code if code.is_server_error() => "This cannot be shown now",
        _ => "This cannot be asked for",
    };
    message(code, title, &format!("{}.", show::number::capital(why.trim_end_matches('.'))))
}

/// A page as a response.
pub fn page(template: &impl Template) -> Response {
    Html(text(template)).into_response()
}

/// Renders a template.
pub fn text(template: &impl Template) -> String {
    template.render().expect("templates write to a string, which does not fail")
}

/// An event with HTML as a JSON string, so that it is one line.
pub fn event(part: &str, html: &str) -> Event {
    Event::default().event(part).data(serde_json::Value::from(html).to_string())
}

/// The live part of a page: what `body` gives, sent whenever it has changed. `None` ends the
/// stream, as `stop` does; the time is the pause before the next look, `tick` the one before the
/// first.
pub fn live<F, B>(part: &'static str, stop: CancellationToken, tick: Duration, body: F) -> Response
where
    F: Fn() -> B + Send + 'static,
    B: Future<Output = Option<(String, Duration)>> + Send + 'static,
{
    let start = (body, stop, String::new(), tick);
    respond(stream::unfold(start, move |(body, stop, shown, mut pause)| async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = stop.cancelled() => return None,
            }
            let new;
            (new, pause) = body().await?;
            if new != shown {
                let event = event(part, &new);
                return Some((Ok(event), (body, stop, new, pause)));
            }
        }
    }))
}

/// A stream of events as a response.
pub fn respond(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> Response {
    Sse::new(events).keep_alive(KeepAlive::new().interval(Duration::from_secs(15))).into_response()
}

/// Whether a text is a name that people see: on one line, without invisible letters and those that
/// turn the direction of writing, at most so long.
pub fn is_name(text: &str, longest: usize) -> bool {
    let unseen = |letter: char| {
        let code = u32::from(letter);
        let alone = [0xad, 0x61c, 0x180e, 0xfeff].contains(&code);
        let among = [0x200b..=0x200f, 0x2028..=0x202e, 0x2060..=0x206f, 0xe0000..=0xe0fff];
        letter.is_control() || alone || among.iter().any(|some| some.contains(&code))
    };
    let seen = text.chars().any(|letter| letter.is_alphanumeric() || letter.is_ascii_punctuation());
    seen && text.chars().count() <= longest && !text.chars().any(unseen)
}

/// Middleware that says in words that a page was not made in time.
pub async fn late(request: Request, next: Next) -> Response {
    let api = request.uri().path().starts_with("/api");
    let response = next.run(request).await;
    let empty = response.body().size_hint().exact() == Some(0);
    if api || response.status() != StatusCode::SERVICE_UNAVAILABLE || !empty {
        return response;
    }
    let why = "The server has much to do, or this takes it longer than `server.request_timeout` in \
               its configuration allows: ask for less, or again in some seconds.";
    message(StatusCode::SERVICE_UNAVAILABLE, "Not made in time", why)
}

/// Runs work that reads files on a blocking thread.
pub async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Response> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "a web request failed");
        (StatusCode::INTERNAL_SERVER_ERROR, "the server failed at this request\n").into_response()
    })
}

/// A card with the class of its suit's colour.
pub struct CardText {
    pub text: String,
    pub suit: char,
}

/// Cards with suit signs, one by one.
pub fn card_texts(cards: &[Card]) -> Vec<CardText> {
    let text = |card: &Card| CardText { text: card_signs(&[*card]), suit: card.suit().to_char() };
    cards.iter().map(text).collect()
}

/// The cards of a text without separators.
pub fn cards_of(cards: &str) -> Vec<CardText> {
    // It was printed from cards.
    cards.parse::<cards::CardList<52>>().map(|cards| card_texts(&cards)).unwrap_or_default()
}

/// A card as drawn.
pub struct CardView {
    pub rank: String,
    /// `c`, `d`, `h` or `s`.
    pub suit: char,
    pub name: String,
}

impl CardView {
    /// A card face up.
    pub fn new(card: Card) -> CardView {
        let (rank, suit) = (rank_text(card), card.suit().to_char());
        CardView { rank, suit, name: card_name(card) }
    }
}

/// A decision of an agent: its strategy as bars, and why.
pub struct Thought {
    /// The heading; empty for none.
    pub place: String,
    pub bars: Vec<Bar>,
    /// Whether the agent gave values.
    pub valued: bool,
    /// The unit of the values.
    pub unit: &'static str,
    /// The explanation, in a sentence.
    pub note: String,
    /// The rest of the explanation, if it is longer.
    pub more: String,
}

/// An action with its probability and its value.
pub struct Bar {
    pub action: String,
    pub percent: String,
    /// The mean winnings over the whole hand; empty when the agent gave no values.
    pub value: String,
    /// The width of the bar in percent.
    pub width: String,
    pub taken: bool,
}

/// The first line of a note, and the rest.
pub fn sentence(note: &str) -> (String, String) {
    let (said, more) = note.split_once('\n').unwrap_or((note, ""));
    (said.to_owned(), more.replace('\n', " "))
}

/// The class of a sum of chips.
pub fn class(chips: f64) -> &'static str {
    if chips > 0.0 {
        "gain"
    } else if chips < 0.0 {
        "loss"
    } else {
        "soft"
    }
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn a_name_can_be_seen() {
        for text in ["Ada", "Ánn", "李", "O'Neil-2", "a b", "5", "🂡 Ace"] {
            assert!(is_name(text, 10), "{text}");
        }
        for text in
            ["", " ", "\u{200b}", "a\u{202e}b", "a\nb", "a\u{2028}b", "elevenchars", "\u{ad}"]
        {
            assert!(!is_name(text, 10), "{text:?}");
        }
    }
}
