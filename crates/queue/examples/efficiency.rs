//! The share of work in the time of many workers: `efficiency [PART_SECONDS [PARTS
//! [MERGE_SECONDS]]]` (60 s, 5,120 parts, 0.05 s to fetch and join one result).
//!
//! A simulation of events: parts come into the queue one after the other, a worker that is free
//! takes the next, and each hand-in takes the server's time. Part times are log-normal. Some
//! workers are lost: their part waits for the end of the lease. At the end one process joins all
//! results. Efficiency is the work's time over that of all workers from the first part to the whole
//! result.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::error::Error;
use std::io::Write;

/// Parts put in per second, as measured (docs/scale.md).
const ENQUEUE: f64 = 50_000.0;
/// Parts handed in per second by all workers, as measured with results of 200 kB.
const HAND_IN: f64 = 500.0;
/// Standard deviation of the logarithm of a part's time.
const SPREAD: f64 = 0.15;
/// One part in this many loses its worker.
const LOST: u64 = 200;
/// Seconds until another gets the part of one that is lost.
const LEASE: f64 = 30.0;

/// SplitMix64 (Steele, Lea and Flood, 2014, figure 15).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Above 0 and at most 1.
    fn share(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// The time of a part whose mean is 1.
    fn time(&mut self) -> f64 {
        let normal =
            (-2.0 * self.share().ln()).sqrt() * (std::f64::consts::TAU * self.share()).cos();
        (SPREAD * normal - SPREAD * SPREAD / 2.0).exp()
    }
}

/// The times of the phases of a run, in seconds.
struct Times {
    work: f64,
    played: f64,
    joined: f64,
    straggling: f64,
}

/// An event of the simulation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// A part is done, and is to be handed in.
    Work,
    /// A result is handed in.
    HandIn,
    /// A worker is lost half way, and another machine takes its place.
    Lost,
}

fn simulate(workers: usize, parts: usize, mean: f64, merge: f64) -> Times {
    let mut random = Random(7);
    // Times in microseconds, so that they can be ordered.
    let micros = |seconds: f64| (seconds * 1e6) as u64;
    let put_in = |part: usize| Reverse(micros(part as f64 / ENQUEUE));
    let mut waiting: BinaryHeap<Reverse<u64>> = (0..parts).map(put_in).collect();
    let mut busy: BinaryHeap<Reverse<(u64, End)>> = BinaryHeap::new();
    let (mut now, mut idle, mut server, mut work) = (0, workers, 0, 0.0);
    let mut ends = Vec::new();
    loop {
        while idle > 0 && waiting.peek().is_some_and(|Reverse(there)| *there <= now) {
            waiting.pop();
            idle -= 1;
            let seconds = mean * random.time();
            if random.next().is_multiple_of(LOST) {
                busy.push(Reverse((now + micros(seconds / 2.0), End::Lost)));
            } else {
                work += seconds;
                busy.push(Reverse((now + micros(seconds), End::Work)));
            }
        }
        let next = waiting.peek().filter(|_| idle > 0).map(|Reverse(there)| *there);
        match busy.peek().copied() {
            Some(Reverse((time, end))) if next.is_none_or(|next| time <= next) => {
                busy.pop();
                now = time;
                match end {
                    End::Work => {
                        server = now.max(server) + micros(1.0 / HAND_IN);
                        busy.push(Reverse((server, End::HandIn)));
                        continue;
                    }
                    End::HandIn => ends.push(now),
                    End::Lost => waiting.push(Reverse(now + micros(LEASE))),
                }
                idle += 1;
            }
            _ => match next {
                Some(next) => now = next,
                None => break,
            },
        }
    }
    let last = ends.last().copied().unwrap_or(0);
    let full = ends.iter().rev().nth(workers.min(ends.len()) - 1).copied().unwrap_or(0);
    let played = last as f64 / 1e6;
    let straggling = (last - full) as f64 / 1e6;
    Times { work, played, joined: played + merge * parts as f64, straggling }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mean: f64 = words.first().map_or(Ok(60.0), |word| word.parse())?;
    let parts: usize = words.get(1).map_or(Ok(5120), |word| word.parse())?;
    let merge: f64 = words.get(2).map_or(Ok(0.05), |word| word.parse())?;
    let mut out = std::io::stdout();
    writeln!(out, "{parts} parts of {mean} s, one in {LOST} lost, lease {LEASE} s")?;
    writeln!(out, "workers    hours  efficiency  with merge  stragglers   merge")?;
    for workers in [1usize, 8, 64, 512] {
        let Times { work, played, joined, straggling } = simulate(workers, parts, mean, merge);
        let of = |clock: f64| work / (clock * workers as f64);
        let bar = "#".repeat((40.0 * of(joined)).round() as usize);
        writeln!(
            out,
            "{workers:>7} {:>8.2}     {:>5.1} %     {:>5.1} %    {straggling:>6.0} s {:>6.0} s  \
             {bar}",
            joined / 3600.0,
            100.0 * of(played),
            100.0 * of(joined),
            joined - played,
        )?;
    }
    Ok(())
}
