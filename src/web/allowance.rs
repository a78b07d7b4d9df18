//! Limits by address: how many requests, or wrong logins, come from one in a time.
//!
//! The networks that IPv6 hands out to one customer have 2^64 addresses, so these share one
//! allowance. An address is forgotten only when it has its whole allowance again.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::StateStore;
use governor::{Quota, RateLimiter};

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
        let mut whole_at = self.whole_at.lock().unwrap_or_else(PoisonError::into_inner);
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
