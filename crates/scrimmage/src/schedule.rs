//! When rounds are due: once a night at a time of day, in a time zone. Time is handed in.

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};

/// Rounds at one time of every day.
#[derive(Debug, Clone)]
pub struct Nightly {
    /// The time of day.
    pub at: Time,
    /// The time zone in which it is meant.
    pub zone: TimeZone,
}

impl Nightly {
    /// The first time for a round after this instant. On a day without that time of day, because
    /// clocks are put forward, it is as much later; where it comes twice, it is the first.
    pub fn after(&self, instant: Timestamp) -> Option<Timestamp> {
        let today = Zoned::new(instant, self.zone.clone()).date();
        (0..=2).find_map(|days| {
            let day = today.checked_add(days.days()).ok()?;
            let at = day.to_datetime(self.at).to_zoned(self.zone.clone()).ok()?.timestamp();
            (at > instant).then_some(at)
        })
    }

    /// The time of the round that is due, if one is: the latest one that has passed since `since`,
    /// up to which all have been played. Of several that were missed one is played.
    pub fn due(&self, since: Timestamp, now: Timestamp) -> Option<Timestamp> {
        let first = self.after(since).filter(|&first| first <= now)?;
        // No more than the days of a year, for a clock that has leapt.
        let mut due = first;
        for _ in 0..366 {
            match self.after(due) {
                Some(next) if next <= now => due = next,
                _ => return Some(due),
            }
        }
        Some(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().expect("a time")
    }

    /// At half past two, where clocks change at two or three.
    fn nightly() -> Nightly {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone");
        Nightly { at: Time::constant(2, 30, 0, 0), zone }
    }

    #[test]
    fn the_next_round_is_at_the_next_time_of_day_of_the_zone() {
        for (now, next) in [
            ("2026-01-10T00:00:00Z", "2026-01-10T01:30:00Z"),
            ("2026-01-10T01:29:59Z", "2026-01-10T01:30:00Z"),
            ("2026-01-10T01:30:00Z", "2026-01-11T01:30:00Z"),
            ("2026-07-10T12:00:00Z", "2026-07-11T00:30:00Z"),
            // Clocks are put forward from two to three, and back from three to two.
            ("2026-03-29T00:00:00Z", "2026-03-29T01:30:00Z"),
            ("2026-10-24T23:00:00Z", "2026-10-25T00:30:00Z"),
            ("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"),
        ] {
            assert_eq!(nightly().after(time(now)), Some(time(next)), "{now}");
        }
    }

    #[test]
    fn a_round_is_due_once_and_those_missed_are_made_up_for_by_one() {
        let since = time("2026-01-10T12:00:00Z");
        let due = |now| nightly().due(since, time(now));
        assert_eq!(due("2026-01-10T12:00:00Z"), None);
        assert_eq!(due("2026-01-11T01:29:59Z"), None);
        assert_eq!(due("2026-01-11T01:30:00Z"), Some(time("2026-01-11T01:30:00Z")));
        assert_eq!(due("2026-01-11T09:00:00Z"), Some(time("2026-01-11T01:30:00Z")));
        assert_eq!(due("2026-01-14T09:00:00Z"), Some(time("2026-01-14T01:30:00Z")));
        // What was due has been played.
        let played = due("2026-01-14T09:00:00Z").expect("a round");
        assert_eq!(nightly().due(played, time("2026-01-14T23:00:00Z")), None);
        // A clock that goes back makes none due.
        assert_eq!(due("2025-01-01T00:00:00Z"), None);
        assert!(due("2030-01-01T00:00:00Z").is_some());
    }
}
