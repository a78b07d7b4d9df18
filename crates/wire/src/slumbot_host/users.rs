//! The number of sessions of each user, counted from the server's start.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use super::lock;

/// A user: a login name, or else an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum User {
    /// A login name.
    Name(Box<str>),
    /// The address of a client without a name.
    Address(IpAddr),
}

impl User {
    /// The user with this login name, or else with this address; `None` if both are missing.
    pub(super) fn of(name: &str, from: Option<IpAddr>) -> Option<User> {
        match name {
            "" => from.map(User::Address),
            name => Some(User::Name(name.into())),
        }
    }
}

/// The number of sessions of every user that has any.
pub(super) type Users = Arc<Mutex<HashMap<User, usize>>>;

/// A counted session of a user; dropping it ends the count.
#[derive(Debug)]
pub(super) struct CountedSession {
    users: Users,
    user: User,
}

impl CountedSession {
    /// Counts one more session of a user; `None` if it has `most` already (0 for no limit).
    pub(super) fn new(users: &Users, user: User, most: usize) -> Option<CountedSession> {
        let mut counts = lock(users);
        let count = counts.entry(user.clone()).or_default();
        if most > 0 && *count >= most {
            return None;
        }
        *count += 1;
        Some(CountedSession { users: Arc::clone(users), user })
    }
}

impl Drop for CountedSession {
    fn drop(&mut self) {
        let mut counts = lock(&self.users);
        if let Some(count) = counts.get_mut(&self.user) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.user);
            }
        }
    }
}
