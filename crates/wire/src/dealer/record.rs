//! The observer that writes a match's transcript in the original's words, its files and its result.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::time::Duration;

use logs::formats::acpc;
use matches::waiting;
use protocol::acpc::Dealer;
use protocol::acpc::dealer::{Cause, Event, Failure};
use protocol::acpc::reply::{Correction, Ignored};
use protocol::acpc::transaction::{Transaction, write_time};

use super::agents::Agents;
use super::files::{MatchLog, TransactionLog};
use super::summary::Summary;
use super::{Clock, DealerError, Observer, Options, Stopped, put_out};

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
    ) -> Result<(), DealerError> {
        let result = match (result, self.failure.take()) {
            (Ok(()), None) => self.score(dealer),
            (Ok(()), Some(failure)) => {
                let who = failure.entrant.map_or("the match".to_owned(), |e| self.seat(e));
                let reason = format!("{who} {}", failure.cause);
                self.summary.failed(failure.entrant, failure.hand, &reason);
                let line = self.result_line(dealer, &reason);
                Err(DealerError::Match(line))
            }
            (Err(stopped), _) => Err(self.stopped(dealer, stopped)),
        };
        // Nothing can be done about a closed error stream.
        let _ = self.settle();
        self.agents.finish();
        let written = self.summary.write(dealer);
        result.and(written)
    }

    fn score(&mut self, dealer: &Dealer) -> Result<(), DealerError> {
        self.stamp("FINISHED", self.last_sent);
        let mut line = String::new();
        acpc::write_score(dealer.totals(), &self.options.names, &mut line);
        self.text.extend_from_slice(line.as_bytes());
        if let Some(log) = &mut self.log {
            log.score(dealer.totals()).map_err(DealerError::System)?;
        }
        put_out(self.out, &line)
    }

    fn stopped(&mut self, dealer: &Dealer, stopped: Stopped) -> DealerError {
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
            Stopped::Interrupted => DealerError::Interrupted(line),
            Stopped::Io(error) => DealerError::System(error),
            _ => DealerError::Match(line),
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
