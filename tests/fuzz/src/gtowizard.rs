//! What must hold of the API of the GTO Wizard Benchmark for any bytes at all.

use std::sync::Arc;

use game::Action;
use protocol::gtowizard::client::{Client, ClientError, Next};
use protocol::gtowizard::{VERSION, answer, host};

/// Answers, one a line, to a client that calls: they are taken or refused; what the client says to
/// do next can be done, and what it writes down of itself is read again as the same. A line that
/// begins with `[` is a list of open hands where one is asked for.
pub fn answer(data: &[u8]) {
    let def = Arc::new(game::games::nolimit_holdem());
    let mut client = Client::new(Arc::clone(&def), VERSION);
    let mut numbers = 0..;
    for line in data.split(|&byte| byte == b'\n') {
        if let Next::FindLost = client.next() {
            let list = answer::read_list(&def, VERSION, line).unwrap_or_default();
            match list.into_iter().find_map(|(_, shown)| shown.ok()) {
                Some(shown) => drop(client.adopt(shown, 0)),
                None => client.nothing_lost(),
            }
            continue;
        }
        if let Next::Decide(infoset) = client.next() {
            assert!(infoset.to_act());
            client.act(Action::Call).expect("a call is always legal");
        }
        assert!(client.request().is_some());
        let answered = client.receive(line, || numbers.next().unwrap_or_default());
        if answered.is_err_and(|error| !matches!(error, ClientError::Answer(_))) {
            return;
        }
        let again = Client::restore(Arc::clone(&def), VERSION, &client.save());
        let mut lost = client.clone();
        lost.lost();
        assert_eq!(again.map(|again| again.save()).ok(), Some(lost.save()));
    }
}

/// Requests: bodies are read or refused with a sentence.
pub fn request(data: &[u8]) {
    for refused in [host::read_new_hand(data).err(), host::read_act(data).err()] {
        assert!(refused.is_none_or(|said| !said.is_empty()));
    }
}
