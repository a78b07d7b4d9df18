//! What must hold of the Slumbot API for any bytes at all.

use std::sync::Arc;

use game::{Action, Turn};
use protocol::slumbot::client::{ClientError, Lost, Next};
use protocol::slumbot::{Client, Incr, action, message};

/// Betting texts: whatever is read is printed as the same text, but for slashes that nothing
/// follows; an error lies within the text.
pub fn action(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let def = Arc::new(game::games::nolimit_holdem());
    match action::read(&def, text) {
        Err(error) => assert!(error.at <= text.chars().count(), "{error}"),
        Ok(actions) => {
            let mut state = game::PublicState::new(&def);
            let deck = def.deck();
            for action in actions {
                state.deal_from(&deck).expect("the deck is long enough");
                state.apply(action).expect("what is read is legal");
            }
            state.deal_from(&deck).expect("the deck is long enough");
            let printed = action::write(&state);
            assert_eq!(printed.trim_end_matches('/'), text.trim_end_matches('/'));
            assert!(!text.ends_with('/') || printed == text);
        }
    }
}

/// One action: what is read is printed as it was, but for leading zeros and numbers beyond any
/// stack, and is legal or refused in every state. The bytes before a newline are the betting before
/// it.
pub fn incr(data: &[u8]) {
    let Ok(text) = str::from_utf8(data) else { return };
    let (before, text) = text.split_once('\n').unwrap_or(("", text));
    let Ok(incr) = text.parse::<Incr>() else { return };
    assert_eq!(incr.to_string().parse(), Ok(incr));
    let def = Arc::new(game::games::nolimit_holdem());
    let Ok(actions) = action::read(&def, before) else { return };
    let mut state = game::PublicState::new(&def);
    let deck = def.deck();
    for action in actions {
        state.deal_from(&deck).expect("the deck is long enough");
        state.apply(action).expect("what is read is legal");
    }
    state.deal_from(&deck).expect("the deck is long enough");
    if let Ok(action) = incr.action(&state) {
        assert!(matches!(state.turn(), Turn::Act(_)));
        assert_eq!(Incr::from_action(action, &state), incr);
        state.apply(action).expect("what is allowed is legal");
    }
}

/// Requests: what is read is written and read again as the same.
pub fn request(data: &[u8]) {
    if let Ok(request) = message::read_request::<message::NewHandRequest>(data) {
        let written = message::json(&request);
        assert_eq!(message::read_request(written.as_bytes()), Ok(request));
    }
    if let Ok(request) = message::read_request::<message::ActRequest>(data) {
        let written = message::json(&request);
        assert_eq!(message::read_request(written.as_bytes()), Ok(request));
    }
}

/// Answers, one a line, to a client that calls: they are taken or refused; what the client says to
/// do next can be done, and what it writes down of itself is read again as the same.
pub fn answer(data: &[u8]) {
    let def = Arc::new(game::games::nolimit_holdem());
    let mut client = Client::new(Arc::clone(&def), None);
    let mut numbers = 0..;
    for line in data.split(|&byte| byte == b'\n') {
        match client.next() {
            Next::Decide(infoset) => assert!(infoset.to_act()),
            Next::DecideBlind(state) => assert!(matches!(state.turn(), Turn::Act(_))),
            Next::NewHand | Next::Send => assert!(client.request().is_some()),
            Next::Gone => return,
        }
        if client.request().is_none() {
            client.act(Action::Call).expect("a call is always legal");
        }
        let answered = client.receive(line, || numbers.next().unwrap_or_default());
        if answered.is_err_and(|error| !matches!(error, ClientError::Answer(_))) {
            return;
        }
        let saved = client.save();
        let token = client.token().map(str::to_owned);
        let again = Client::restore(Arc::clone(&def), token, None, &saved);
        let mut lost = client.clone();
        lost.lost(Lost::Maybe);
        assert_eq!(again.map(|again| again.save()).ok(), Some(lost.save()));
    }
}
