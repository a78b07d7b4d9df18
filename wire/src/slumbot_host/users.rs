//! How many sessions a user has, counted from the server's start.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use super::lock;

/// A user: who logs in under a name, or comes from an address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum User {
    /// A name.
    Name(Box<str>),
    /// An address.
    Address(IpAddr),
}

impl User {
    /// Who logs in under this name, or else comes from this address, where either is known.
    pub(super) fn of(name: &str, from: Option<IpAddr>) -> Option<User> {
        match name {
            "" => from.map(User::Address),
            name => Some(User::Name(name.into())),
        }
    }
}

/// The sessions of every user that has any.
pub(super) type Users = Arc<Mutex<HashMap<User, usize>>>;

/// A session of a user, which counts while it is held.
#[derive(Debug)]
pub(super) struct Counted {
    users: Users,
    user: User,
}

impl Counted {
    /// One more session of this user; `None` where it has `most` already (0: any number).
    pub(super) fn new(users: &Users, user: User, most: usize) -> Option<Counted> {
        let mut counts = lock(users);
        let count = counts.entry(user.clone()).or_default();
        if most > 0 && *count >= most {
            return None;
        }
        *count += 1;
        Some(Counted { users: Arc::clone(users), user })
    }
}

impl Drop for Counted {
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
