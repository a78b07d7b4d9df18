//! What a match leaves behind: the transcript in the original's words, the match log, the
//! transaction log, the summary as JSON, and the result line; and the lock file that keeps other
//! dealers from these files.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions, metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use game::Payoff;
use logs::HandRecord;
use logs::formats::acpc;
use logs::stats::Latencies;
use matches::waiting;
use protocol::acpc::Dealer;
use protocol::acpc::dealer::{Cause, Event, Failure, HandOver};
use protocol::acpc::reply::{Correction, Ignored};
use protocol::acpc::transaction::{Transaction, write_time};
use runs::{Lock, LockError};
use serde::Serialize;

use super::{Agents, Clock, Observer, Options, Stopped, put_out, refused};
use crate::Error;

pub(super) struct Recorder<'a> {
    options: &'a Options,
    clock: Clock,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    log: Option<MatchLog>,
    transactions: Option<TransactionLog>,
    agents: Agents,
    summary: Summary,
    /// Text for the error stream, collected to be written in one piece.
    text: Vec<u8>,
    last_sent: Duration,
    failure: Option<Failure>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(
        options: &'a Options,
        clock: Clock,
        out: &'a mut dyn Write,
        err: &'a mut dyn Write,
        log: Option<MatchLog>,
        transactions: Option<TransactionLog>,
        agents: Agents,
    ) -> Recorder<'a> {
        Recorder {
            options,
            clock,
            out,
            err,
            log,
            transactions,
            agents,
            summary: Summary::new(options),
            text: Vec::new(),
            last_sent: Duration::ZERO,
            failure: None,
        }
    }

    fn say(&mut self, line: &str) {
        self.text.extend_from_slice(line.as_bytes());
        self.text.push(b'\n');
    }

    fn transfer(&mut self, direction: &str, entrant: usize, at: Duration, line: &[u8]) {
        let mut head = format!("{direction} {} at ", entrant + 1);
        write_time(self.clock.wall(at), &mut head);
        head.push(' ');
        self.text.extend_from_slice(head.as_bytes());
        self.text.extend_from_slice(line);
    }

    fn stamp(&mut self, what: &str, at: Duration) {
        if !self.options.quiet {
            let mut line = format!("{what} at ");
            write_time(self.clock.wall(at), &mut line);
            self.say(&line);
        }
    }

    /// Ends the match: the result line, the agents, the summary.
    pub(super) fn finish(
        mut self,
        dealer: &Dealer,
        result: Result<(), Stopped>,
    ) -> Result<(), Error> {
        let result = match (result, self.failure.take()) {
            (Ok(()), None) => self.score(dealer),
            (Ok(()), Some(failure)) => {
                let who = failure.entrant.map_or("the match".to_owned(), |e| self.seat(e));
                let reason = format!("{who} {}", failure.cause);
                self.summary.failed(failure.entrant, failure.hand, &reason);
                let line = self.result_line(dealer, &reason);
                Err(Error::gone(line))
            }
            (Err(stopped), _) => Err(self.stopped(dealer, stopped)),
        };
        // Nothing can be done about a closed error stream.
        let _ = self.settle();
        self.agents.finish();
        let written = self.summary.write(dealer);
        result.and(written)
    }

    fn score(&mut self, dealer: &Dealer) -> Result<(), Error> {
        self.stamp("FINISHED", self.last_sent);
        let mut line = String::new();
        acpc::write_score(dealer.totals(), &self.options.names, &mut line);
        self.text.extend_from_slice(line.as_bytes());
        if let Some(log) = &mut self.log {
            log.score(dealer.totals()).map_err(|error| refused(&error))?;
        }
        put_out(self.out, &line)
    }

    fn stopped(&mut self, dealer: &Dealer, stopped: Stopped) -> Error {
        let reason = match &stopped {
            Stopped::NotConnected { entrant, .. } => {
                self.say(&format!("ERROR: timed out waiting for seat {} to connect", entrant + 1));
                format!("{} {stopped}", self.seat(*entrant))
            }
            Stopped::GivenUp { entrant, .. } => {
                self.say(&format!("ERROR: seat {} could not connect", entrant + 1));
                format!("{} did not connect: {stopped}", self.seat(*entrant))
            }
            Stopped::Interrupted => "it was interrupted".to_owned(),
            Stopped::Io(error) => error.to_string(),
        };
        let entrant = match &stopped {
            Stopped::NotConnected { entrant, .. } | Stopped::GivenUp { entrant, .. } => {
                Some(*entrant)
            }
            _ => None,
        };
        self.summary.failed(entrant, dealer.hand(), &reason);
        let line = self.result_line(dealer, &reason);
        match stopped {
            Stopped::Interrupted => Error::interrupted(line),
            Stopped::Io(error) => refused(&error),
            _ => Error::gone(line),
        }
    }

    fn seat(&self, entrant: usize) -> String {
        format!("seat {} ({})", entrant + 1, self.options.names[entrant])
    }

    /// The result line: who failed, why, in which hand, the score so far, how to continue.
    fn result_line(&self, dealer: &Dealer, reason: &str) -> String {
        let mut score = String::new();
        acpc::write_score(dealer.totals(), &self.options.names, &mut score);
        let score = score.trim_end().trim_start_matches("SCORE:");
        let (hand, hands) = (dealer.hand(), self.options.hands);
        let mut line = format!(
            "the match stopped in hand {hand} of 0 to {}: {reason}; score so far {score}",
            hands - 1
        );
        if self.transactions.is_some() {
            line.push_str("; to continue, give the same command with -T -a");
        }
        line
    }

    fn fail(&mut self, failure: Failure) {
        let seat = failure.entrant.map_or(0, |entrant| entrant + 1);
        let limit = self.options.milliseconds[0] as f64 / 1000.0;
        let no_action = |waited: Duration| {
            let waited = waited.as_secs_f64();
            format!(
                "ERROR: could not get action from seat {seat}\n\
                 {waited:.1} seconds spent waiting; timeout {limit:.1}"
            )
        };
        let text = match &failure.cause {
            Cause::NoVersion { .. } => {
                format!("ERROR: could not read version string from seat {seat}")
            }
            Cause::BadVersion { line } => {
                format!("ERROR: invalid version string {}", line.trim_end_matches('\n'))
            }
            Cause::Closed { waited } => no_action(*waited),
            Cause::ResponseTime { limit } => no_action(*limit),
            Cause::HandTime { .. } | Cause::MatchTime { .. } => {
                format!("ERROR: seat {seat} ran out of time")
            }
            Cause::Stalled => format!("ERROR: could not send state to seat {seat}"),
            Cause::Junk => format!("ERROR: could not find an action in what seat {seat} sends"),
            Cause::BadReply { .. } | Cause::TooManyCorrections { .. } => {
                "ERROR: invalid action".to_owned()
            }
        };
        self.say(&text);
        self.failure = Some(failure);
    }

    fn corrected(&mut self, correction: Correction) {
        let line = match correction {
            Correction::BadFormat => "bad action format in response, changed to call".to_owned(),
            Correction::Invalid { too_many_actions } => {
                if too_many_actions {
                    self.say(
                        "WARNING: #actions in round is too close to MAX_NUM_ACTIONS, \
                         forcing call/fold",
                    );
                }
                "invalid action, changed to call".to_owned()
            }
            Correction::Increased { from, to } => format!("raise of {from} increased to {to}"),
            Correction::Decreased { from, to } => format!("raise of {from} decreased to {to}"),
        };
        self.say(&format!("WARNING: {line}"));
    }

    fn action(&mut self, dealer: &Dealer, action: Transaction) -> io::Result<()> {
        self.last_sent = action.sent;
        let Some(file) = &mut self.transactions else { return Ok(()) };
        let stamped = Transaction {
            sent: self.clock.wall(action.sent),
            received: self.clock.wall(action.received),
            ..action
        };
        file.action(dealer, &stamped)
    }
}

impl Observer for Recorder<'_> {
    fn event(&mut self, dealer: &mut Dealer, event: Event) -> io::Result<()> {
        self.summary.note(&event);
        match event {
            Event::OtherVersion { .. } => {
                self.say("ERROR: this server is currently using version 2.0.0");
            }
            Event::Started { at } => {
                self.last_sent = at;
                self.stamp("STARTED", at);
            }
            Event::Sent { entrant, at, line } => self.transfer("TO", entrant, at, &line),
            Event::Received { entrant, at, line } => self.transfer("FROM", entrant, at, &line),
            Event::Ignored { reason: Ignored::BadState, .. } => {
                self.say("WARNING: bad state format in response");
            }
            Event::Ignored { reason: Ignored::Unrequested, .. } => {
                self.say("WARNING: ignoring un-requested response");
            }
            Event::Corrected { correction, .. } => self.corrected(correction),
            Event::Acted { transaction, .. } => self.action(dealer, transaction)?,
            Event::HandOver(hand) => {
                if let Some(log) = &mut self.log {
                    log.hand(&hand)?;
                }
            }
            Event::TimeUsed { used } => {
                for (seat, used) in used.iter().enumerate() {
                    let seconds = used.as_secs();
                    let mut line = String::new();
                    write!(line, "Seconds cumulatively spent in match for seat {seat}: {seconds}")
                        .expect("writing to a string cannot fail");
                    self.say(&line);
                }
            }
            Event::Finished => {}
            Event::Failed(failure) => self.fail(failure),
        }
        Ok(())
    }

    fn settle(&mut self) -> io::Result<()> {
        if !self.text.is_empty() {
            // A closed error stream must not end the match.
            let _ = self.err.write_all(&self.text);
            self.text.clear();
        }
        Ok(())
    }

    fn waiting(&mut self, awaited: &[(usize, Option<u16>)], so_far: Duration) {
        let one = |&(entrant, port): &(usize, Option<u16>)| match port {
            Some(port) => format!("{} on port {port}", self.seat(entrant)),
            None => self.seat(entrant),
        };
        let who: Vec<String> = awaited.iter().map(one).collect();
        let (what, limit) = match awaited.first() {
            Some((_, Some(_))) => ("to connect", self.options.sockets.start),
            _ => ("to say the version", self.options.version_limit),
        };
        let most = limit.map_or(String::new(), |limit| format!(", at most {limit:?}"));
        let line = waiting::line(&format!("{} {what}{most}", who.join(" and ")), so_far);
        self.say(&format!("# {line}"));
    }

    fn given_up(&mut self, entrant: usize) -> Option<String> {
        self.agents.ended(entrant)
    }
}

/// Takes the lock on a match's name, the file `NAME.lock`; an error names the process that has it.
pub(super) fn claim(name: &str) -> Result<Lock, Error> {
    let path = PathBuf::from(format!("{name}.lock"));
    Lock::temporary(path.clone()).map_err(|error| match error {
        LockError::Taken(process) => {
            let absolute = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
            let folder = absolute.parent().unwrap_or(Path::new("/")).to_path_buf();
            let process = process.map_or(String::new(), |id| format!(" (number {id})"));
            Error::here(format!(
                "another process{process} deals a match named {name} in {}: wait until it ends, \
                 or give this one another name",
                folder.display()
            ))
        }
        LockError::Io(error) => Error::file(&path, &error),
    })
}

/// Files of an earlier match of this name that would be overwritten.
pub(super) fn overwritten(options: &Options) -> Vec<PathBuf> {
    let written = |kind: &str, wanted: bool| wanted.then(|| format!("{}.{kind}", options.name));
    let mut names: Vec<_> = written("log", options.log && !options.append).into_iter().collect();
    names.extend(written("tlog", options.transactions && !options.append));
    for (seat, command) in options.run.iter().take(options.names.len()).enumerate() {
        let runs = !command.trim().is_empty();
        names.extend(written(&format!("player{seat}.std"), runs));
        names.extend(written(&format!("player{seat}.err"), runs));
    }
    let holds_something =
        |path: &PathBuf| metadata(path).is_ok_and(|file| file.is_file() && file.len() > 0);
    let summary = options.summary.clone();
    names.into_iter().map(PathBuf::from).chain(summary).filter(holds_something).collect()
}

/// Opens a file for writing. With `append` its content is returned; an incomplete last line is cut
/// off, in the file as well.
fn open(path: &Path, append: bool) -> Result<(File, Vec<u8>), Error> {
    let attempt = || -> io::Result<(File, Vec<u8>)> {
        let mut options = OpenOptions::new();
        let mut file =
            options.create(true).read(append).write(true).truncate(!append).open(path)?;
        // A device or a pipe has no content, and reading it might never end.
        if !append || !file.metadata()?.is_file() {
            return Ok((file, Vec::new()));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let whole = text.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            text.truncate(whole);
            file.set_len(whole as u64)?;
        }
        file.seek(SeekFrom::End(0))?;
        Ok((file, text))
    };
    attempt().map_err(|error| Error::file(path, &error))
}

/// The match log `NAME.log`: finished hands and the score.
#[derive(Debug)]
pub(super) struct MatchLog {
    path: PathBuf,
    file: File,
    names: Vec<String>,
    /// For a match that is continued: the last hand already in the log, if any.
    last: Option<Option<u32>>,
    text: String,
}

impl MatchLog {
    pub(super) fn open(options: &Options, header: &str) -> Result<MatchLog, Error> {
        let path = PathBuf::from(format!("{}.log", options.name));
        let (file, text) = open(&path, options.append)?;
        let names = options.names.clone();
        Ok(MatchLog { path, file, names, last: last_hand(&text, header), text: String::new() })
    }

    /// Writes the header lines.
    pub(super) fn begin(&mut self, header: &str) -> Result<(), Error> {
        self.file.write_all(header.as_bytes()).map_err(|error| Error::file(&self.path, &error))
    }

    /// Writes a finished hand, unless it is in the log already from before an interruption.
    pub(super) fn hand(&mut self, hand: &HandOver) -> io::Result<()> {
        if hand.replayed && self.last.is_none_or(|last| last >= Some(hand.hand)) {
            return Ok(());
        }
        self.text.clear();
        let HandOver { hand, state, payoffs, entrants, .. } = hand;
        let record = HandRecord {
            hand: (*hand).into(),
            deal: (*hand).into(),
            public: state.public.clone(),
            hole: state.hole,
            payoffs: *payoffs,
            entrants: *entrants,
        };
        acpc::write_hand(&record, &self.names, &mut self.text);
        self.write()
    }

    /// Writes the score line.
    pub(super) fn score(&mut self, totals: &[Payoff]) -> io::Result<()> {
        self.text.clear();
        acpc::write_score(totals, &self.names, &mut self.text);
        self.write()
    }

    fn write(&mut self) -> io::Result<()> {
        let written = self.file.write_all(self.text.as_bytes());
        written.map_err(|error| named(&self.path, &error))
    }
}

/// The last hand in the log of the match with this header; the outer `None` when the log has no
/// such match.
fn last_hand(text: &[u8], header: &str) -> Option<Option<u32>> {
    let first = header.lines().next()?.as_bytes();
    let mut last = None;
    for line in text.split(|&b| b == b'\n') {
        if line == first {
            last.get_or_insert(None);
        } else if let (Some(last), Some(rest)) = (&mut last, line.strip_prefix(b"STATE:")) {
            let number = rest.split(|&b| b == b':').next().unwrap_or_default();
            let number = str::from_utf8(number).ok().and_then(|text| text.parse::<u32>().ok());
            *last = number.max(*last);
        }
    }
    last
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// The transaction log `NAME.tlog`: one line for each action.
#[derive(Debug)]
pub(super) struct TransactionLog {
    path: PathBuf,
    file: File,
    text: String,
}

impl TransactionLog {
    /// Opens the log and replays its actions in `dealer`.
    pub(super) fn open(options: &Options, dealer: &mut Dealer) -> Result<TransactionLog, Error> {
        let path = PathBuf::from(format!("{}.tlog", options.name));
        let (file, text) = open(&path, options.append)?;
        let lines = text.split_inclusive(|&b| b == b'\n');
        for (line, text) in (1..).zip(lines) {
            Transaction::parse(text, &dealer.state().public)
                .and_then(|transaction| dealer.replay(&transaction))
                .map_err(|source| {
                    Error::here(format!(
                        "{}:{line}: {source}; was it written with the same game, seed and options?",
                        path.display()
                    ))
                })?;
        }
        Ok(TransactionLog { path, file, text: String::new() })
    }

    /// Appends one action.
    pub(super) fn action(&mut self, dealer: &Dealer, action: &Transaction) -> io::Result<()> {
        self.text.clear();
        action.write(&dealer.config().def, &mut self.text);
        let written = self.file.write_all(self.text.as_bytes());
        written.map_err(|error| named(&self.path, &error))
    }
}

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
    pub(super) fn write(mut self, dealer: &Dealer) -> Result<(), Error> {
        let Some(path) = self.path.take() else { return Ok(()) };
        self.document.hands_played = dealer.hand();
        let seats = self.document.seats.iter_mut().zip(&self.times).zip(dealer.totals());
        for ((seat, times), total) in seats {
            seat.score = total.chips();
            seat.replies = times.histogram.count();
            seat.reply_seconds = times.entry();
        }
        let mut text =
            serde_json::to_string_pretty(&self.document).map_err(|error| refused(&error.into()))?;
        text.push('\n');
        runs::write_whole(&path, |out| out.write_all(text.as_bytes()))
            .map_err(|error| Error::file(&path, &error))
    }
}

/// The reply times of a player.
#[derive(Debug, Clone, Default)]
struct Times {
    histogram: Latencies,
    total: Duration,
}

impl Times {
    fn add(&mut self, time: Duration) {
        self.histogram.add(time);
        self.total = self.total.saturating_add(time);
    }

    fn entry(&self) -> TimeEntry {
        let Times { histogram, total } = self;
        let total = total.as_secs_f64();
        let quantile = |p| histogram.quantile(p).map(|time| time.as_secs_f64());
        TimeEntry {
            total,
            mean: (histogram.count() > 0).then(|| total / histogram.count() as f64),
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            max: histogram.max().map(|time| time.as_secs_f64()),
        }
    }
}
