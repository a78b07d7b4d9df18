//! The summary of a match as JSON: result, scores, reply times, corrected and ignored replies.

use std::path::PathBuf;
use std::time::Duration;

use protocol::acpc::Dealer;
use protocol::acpc::dealer::Event;
use serde::Serialize;

use super::{DealerError, Options};

/// The counts behind the summary; [`Document`] is the shape of its JSON.
#[derive(Debug)]
pub(super) struct Summary {
    path: Option<PathBuf>,
    document: Document,
    times: Vec<Times>,
}

#[derive(Debug, Serialize)]
struct Document {
    /// Version of the format.
    format: u32,
    name: String,
    game: String,
    hands: u32,
    seed: u32,
    /// `finished` or `stopped`.
    result: &'static str,
    failure: Option<FailureEntry>,
    /// Hands played to their end.
    hands_played: u32,
    seats: Vec<SeatEntry>,
}

#[derive(Debug, Serialize)]
struct FailureEntry {
    /// The seat from 1; null when no player is at fault.
    seat: Option<usize>,
    hand: u32,
    reason: String,
}

#[derive(Debug, Serialize)]
struct SeatEntry {
    /// The seat, from 1.
    seat: usize,
    name: String,
    /// Chips won in finished hands.
    score: f64,
    /// Actions played in this run.
    replies: u64,
    corrected: u64,
    /// Lines that were no reply, comments aside.
    ignored: u64,
    reply_seconds: TimeEntry,
}

/// Reply times in seconds.
#[derive(Debug, Default, Serialize)]
struct TimeEntry {
    total: f64,
    mean: Option<f64>,
    /// Quantiles are exact to 1/16.
    p50: Option<f64>,
    p90: Option<f64>,
    p99: Option<f64>,
    max: Option<f64>,
}

impl Summary {
    pub(super) fn new(options: &Options) -> Summary {
        let entry = |(index, name): (usize, &String)| SeatEntry {
            seat: index + 1,
            name: name.clone(),
            score: 0.0,
            replies: 0,
            corrected: 0,
            ignored: 0,
            reply_seconds: TimeEntry::default(),
        };
        Summary {
            path: options.summary.clone(),
            times: vec![Times::default(); options.names.len()],
            document: Document {
                format: 1,
                name: options.name.clone(),
                game: options.game.clone(),
                hands: options.hands,
                seed: options.seed,
                result: "finished",
                failure: None,
                hands_played: 0,
                seats: options.names.iter().enumerate().map(entry).collect(),
            },
        }
    }

    pub(super) fn note(&mut self, event: &Event) {
        match event {
            Event::Acted { entrant, transaction } => {
                self.times[*entrant].add(transaction.elapsed());
            }
            Event::Corrected { entrant, .. } => self.document.seats[*entrant].corrected += 1,
            Event::Ignored { entrant, .. } => self.document.seats[*entrant].ignored += 1,
            _ => {}
        }
    }

    pub(super) fn failed(&mut self, entrant: Option<usize>, hand: u32, reason: &str) {
        self.document.result = "stopped";
        let seat = entrant.map(|entrant| entrant + 1);
        self.document.failure = Some(FailureEntry { seat, hand, reason: reason.to_owned() });
    }

    /// Writes the summary, if a file is given for it; a regular file appears complete or not at
    /// all.
    pub(super) fn write(mut self, dealer: &Dealer) -> Result<(), DealerError> {
        let Some(path) = self.path.take() else { return Ok(()) };
        self.document.hands_played = dealer.hand();
        let seats = self.document.seats.iter_mut().zip(&self.times).zip(dealer.totals());
        for ((seat, times), total) in seats {
            seat.score = total.chips();
            seat.replies = times.count;
            seat.reply_seconds = times.entry();
        }
        let mut text = serde_json::to_string_pretty(&self.document)
            .map_err(|error| DealerError::System(error.into()))?;
        text.push('\n');
        logs::folder::write_whole(&path, |out| out.write_all(text.as_bytes()))
            .map_err(|source| DealerError::File { path, source })
    }
}

/// A histogram of durations: sixteen classes for each power of two microseconds.
#[derive(Debug, Clone, Default)]
struct Times {
    count: u64,
    total: Duration,
    max: Duration,
    classes: Vec<u64>,
}

impl Times {
    fn add(&mut self, time: Duration) {
        self.count += 1;
        self.total = self.total.saturating_add(time);
        self.max = self.max.max(time);
        let class = class(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        if self.classes.len() <= class {
            self.classes.resize(class + 1, 0);
        }
        self.classes[class] += 1;
    }

    fn quantile(&self, share: f64) -> Option<f64> {
        let rank = (share * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let class = self.classes.iter().position(|count| {
            seen += count;
            seen >= rank
        })?;
        let bound = Duration::from_micros(upper(class));
        Some(bound.min(self.max).as_secs_f64())
    }

    fn entry(&self) -> TimeEntry {
        let any = self.count > 0;
        TimeEntry {
            total: self.total.as_secs_f64(),
            mean: any.then(|| self.total.as_secs_f64() / self.count as f64),
            p50: self.quantile(0.5),
            p90: self.quantile(0.9),
            p99: self.quantile(0.99),
            max: any.then_some(self.max.as_secs_f64()),
        }
    }
}

/// The class of a duration: the number itself below 16, else determined by its five leading bits.
fn class(micros: u64) -> usize {
    let shift = (60 - micros.max(16).leading_zeros()).saturating_sub(1) as usize;
    16 * shift + (micros >> shift) as usize
}

/// The largest number of microseconds in a class.
fn upper(class: usize) -> u64 {
    if class < 32 {
        return class as u64;
    }
    let shift = class / 16 - 1;
    let leading = (class - 16 * shift) as u64;
    ((leading + 1) << shift) - 1
}
