//! Training of a blueprint, the average strategy of an abstract game, with checkpoints: `FILE` can
//! be played while it goes on, `FILE.training` holds the state to resume from, and
//! `FILE.course.csv` and `FILE.course.svg` the learning curve.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use abstraction::betting::BettingTree;
use abstraction::buckets::Buckets;
use game::Street;
use models::blueprint::{Contents, write};
use runs::{Lock, LockError, beside, write_whole};
use show::Table;
use show::number::{self, clock, percent, plural};
use show::svg::chart::{Chart, Line};
use solvers::blueprint::learned::{ResponseOptions, exploitability_at_least};
use solvers::blueprint::{
    Deals, Estimate, Frozen, HoldemDeals, Precision, Statistics, Trainer, TrainingOptions,
    against_others, head_to_head,
};
use solvers::strategy::AbstractStrategy;

use crate::Error;
use crate::training::{Watch, columns};

/// What is trained, and how long.
#[derive(Debug)]
pub struct BlueprintPlan {
    /// The options of the trainer.
    pub options: TrainingOptions,
    /// The time of training in all, earlier runs included.
    pub time: Duration,
    /// The most iterations.
    pub iterations: Option<u64>,
    /// The number of threads.
    pub threads: usize,
    /// The time between checkpoints.
    pub checkpoint: Duration,
    /// The name and version of the program.
    pub made_by: String,
}

/// Time between updates of the progress display.
const DISPLAY_INTERVAL: Duration = Duration::from_millis(500);

/// The shortest time between checkpoints, in seconds.
const SHORTEST: f64 = 0.1;

/// Number of hands played against the last checkpoint's strategy.
const DUEL: u64 = 400_000;

/// A running training.
pub struct BlueprintTraining<'a> {
    plan: &'a BlueprintPlan,
    trainer: Trainer<HoldemDeals>,
    out: &'a Path,
    training: PathBuf,
    curve: PathBuf,
    picture: PathBuf,
    /// Seconds of training, earlier runs included.
    seconds: f64,
    last: Option<Row>,
    /// The average strategy at the last checkpoint.
    before: Option<Frozen>,
    watch: &'a dyn Watch,
    /// Held so that no other process trains into the same files.
    _lock: Lock,
}

impl<'a> BlueprintTraining<'a> {
    /// Starts a new training, or resumes the last one.
    ///
    /// # Errors
    /// When the options do not fit the game, the files beside `out` are not of this training, or
    /// another process trains into them.
    pub fn begin(
        plan: &'a BlueprintPlan,
        tree: Arc<BettingTree>,
        deals: HoldemDeals,
        out: &'a Path,
        watch: &'a dyn Watch,
    ) -> Result<BlueprintTraining<'a>, Error> {
        let [training, curve, picture] =
            [".training", ".course.csv", ".course.svg"].map(|ending| beside(out, ending));
        let lock = Lock::temporary(beside(&training, ".lock")).map_err(|error| match error {
            LockError::Taken(_) => Error::file(
                &training,
                "another process trains there; wait for it, or choose another --out",
            ),
            LockError::Io(error) => Error::file(&training, error),
        })?;
        let options = plan.options;
        let (trainer, seconds) = if training.exists() {
            let file = File::open(&training).map_err(|error| Error::file(&training, error))?;
            let trainer = Trainer::resume(tree, deals, options, BufReader::new(file));
            let remedy = "without the file the training starts again";
            let trainer =
                trainer.map_err(|error| Error::file(&training, format!("{error}; {remedy}")))?;
            let seconds = seconds_at(&curve, trainer.iterations())
                .map_err(|error| Error::file(&curve, error))?;
            watch.say(&format!("resuming after {} of training", clock(seconds)));
            (trainer, seconds)
        } else {
            let trainer = Trainer::new(tree, deals, options)?;
            File::create(&curve).map_err(|error| Error::file(&curve, error))?;
            (trainer, 0.0)
        };
        Ok(BlueprintTraining {
            plan,
            trainer,
            out,
            training,
            curve,
            picture,
            seconds,
            last: None,
            before: None,
            watch,
            _lock: lock,
        })
    }

    /// Whether the training is finished.
    pub fn is_done(&self) -> bool {
        let enough = |most: u64| self.trainer.iterations() >= most;
        self.seconds >= self.plan.time.as_secs_f64() || self.plan.iterations.is_some_and(enough)
    }

    /// Trains to the end, with a checkpoint and a line of the table from time to time, and writes
    /// the blueprint.
    ///
    /// # Errors
    /// When the last checkpoint or the blueprint cannot be written.
    pub fn train(&mut self) -> Result<(), Error> {
        if self.is_done() {
            self.watch.say("finished; to continue, give a longer --time, or more --iterations");
            return self.write();
        }
        let whole = self.plan.time.as_secs_f64();
        let mut pause = self.plan.checkpoint.as_secs_f64().min(whole / 10.0).max(SHORTEST);
        let threads = self.plan.threads;
        self.watch.say(&format!(
            "{} information sets, tables of {}, {threads} {}",
            self.trainer.statistics().infosets,
            number::bytes(self.trainer.bytes().into()),
            plural(threads as u64, "thread")
        ));
        self.watch.say(&format!("{}\n{}", heading(), units()));
        while !self.is_done() && !self.watch.is_stopped() {
            self.stretch((self.seconds + pause).min(whole));
            let begun = self.watch.now();
            let saved = self.checkpoint()?;
            pause = pause.max(10.0 * (self.watch.now() - begun).as_secs_f64());
            if self.is_done() {
                // The blueprint is the smaller file, and may fit on the disk when the training does
                // not.
                self.write()?;
                return saved;
            }
            if let Err(error) = saved.and_then(|()| self.write()) {
                let before =
                    if self.is_saved() { "the previous one remains" } else { "nothing is saved" };
                let again = "trying again at the next checkpoint";
                self.watch.say(&format!("warning: {error}; {before}, {again}"));
            }
        }
        Ok(())
    }

    /// Trains until `until` seconds of training in all, or until stopped.
    fn stretch(&mut self, until: f64) {
        while self.seconds < until && !self.watch.is_stopped() && !self.is_done() {
            let begun = self.watch.now();
            let left = Duration::from_secs_f64(until - self.seconds).min(DISPLAY_INTERVAL);
            let most =
                self.plan.iterations.map_or(u64::MAX / 2, |most| most - self.trainer.iterations());
            let watch = self.watch;
            let over = || watch.is_stopped() || watch.now() - begun >= left;
            self.trainer.train(most, self.plan.threads, &over);
            self.seconds += (watch.now() - begun).as_secs_f64();
            let note = format!("{:.1} million iterations", self.trainer.iterations() as f64 / 1e6);
            watch.show(self.seconds as u64, self.expected_seconds(), &note);
        }
        self.watch.clear();
    }

    /// The time of the whole training: what was asked for, or less where its iterations will end
    /// sooner at the rate so far.
    fn expected_seconds(&self) -> u64 {
        let rate = self.trainer.iterations() as f64 / self.seconds.max(1e-3);
        let enough = self.plan.iterations.map_or(f64::INFINITY, |most| (most as f64 / rate).ceil());
        self.plan.time.as_secs().min(enough as u64)
    }

    /// Writes a checkpoint, then measures the strategy and prints a line. The inner error is that
    /// of writing, which does not stop the training.
    fn checkpoint(&mut self) -> Result<Result<(), Error>, Error> {
        let saved = write_whole(&self.training, |out| self.trainer.write(out));
        if saved.is_ok() && self.watch.is_stopped() {
            self.watch
                .say("saved; measuring it and writing the blueprint, which another Ctrl-C skips");
        }
        let done = self.trainer.iterations() - self.last.map_or(0, |row| row.statistics.iterations);
        let threads = self.plan.threads;
        let (tree, deals) = (self.trainer.tree(), self.trainer.deals());
        let options = ResponseOptions {
            iterations: (done / 8).clamp(1 << 14, 1 << 21),
            hands: DUEL,
            threads,
            seed: self.trainer.iterations(),
        };
        let now = Frozen::from_trainer(&self.trainer);
        let several = deals.players() > 2;
        let exploitability = match several {
            // The responder knows games of two alone.
            true => None,
            false => Some(exploitability_at_least(tree, deals, &now, options)?),
        };
        let duel = |before: &Frozen| {
            let both: [&dyn AbstractStrategy; 2] = [&now, before];
            match several {
                true => against_others(tree, deals, both, DUEL, threads, options.seed),
                false => head_to_head(tree, deals, both, DUEL, threads, options.seed),
            }
        };
        let against_last = self.before.as_ref().map(duel).transpose();
        let against_last = against_last?;
        let statistics = self.trainer.statistics();
        let row = Row { seconds: self.seconds, statistics, against_last, exploitability };
        self.watch.say(&row.line(self.last.as_ref()));
        self.last = Some(row);
        self.before = Some(now);
        let saved =
            saved.and_then(|()| row.add_to(&self.curve)).and_then(|()| {
                match curve_picture(&self.curve) {
                    Some(svg) => write_whole(&self.picture, |out| out.write_all(svg.as_bytes())),
                    None => Ok(()),
                }
            });
        Ok(saved.map_err(|error| Error::file(&self.training, error)))
    }

    /// Whether there is a checkpoint.
    pub fn is_saved(&self) -> bool {
        self.training.exists()
    }

    /// Seconds of training, earlier runs included.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Writes the blueprint.
    fn write(&self) -> Result<(), Error> {
        let buckets = self.trainer.deals().card_buckets();
        let mut file = Vec::new();
        buckets.write(&mut file).map_err(|error| Error::file(self.out, error))?;
        let training = self.facts();
        let contents = Contents {
            tree: self.trainer.tree(),
            recipe: &buckets.recipe().to_string(),
            buckets_sha256: buckets.hash(),
            counts: Street::ALL.map(|street| self.trainer.deals().buckets(street)),
            buckets: &file,
            made_by: &self.plan.made_by,
            training: &training,
        };
        let sums = |node, bucket, row: &mut [f32]| self.trainer.sums(node, bucket, row);
        write_whole(self.out, |out| write(out, &contents, sums).map(drop))
            .map_err(|error| Error::file(self.out, error))
    }

    /// The facts about the training that the blueprint's file holds.
    fn facts(&self) -> toml::Table {
        let mut facts = toml::Table::new();
        let mut set = |name: &str, value: toml::Value| _ = facts.insert(name.to_owned(), value);
        set("algorithm", "external-sampling Monte Carlo CFR".into());
        set("options", self.trainer.options().to_string().into());
        set("seconds", (self.seconds as i64).into());
        set("threads", (self.plan.threads as i64).into());
        set("iterations", (self.trainer.iterations() as i64).into());
        if let Some(row) = &self.last {
            set("nodes", (row.statistics.nodes as i64).into());
            if let Some(exploitability) = row.exploitability {
                let found = match exploitability.mean > 0.0 {
                    true => format!("{} mbb/hand", in_words(exploitability)),
                    false => "no opponent was found that wins".to_owned(),
                };
                set("exploitable_in_the_abstract_game_by_at_least", found.into());
            }
        }
        facts
    }
}

/// The header of the file.
const HEAD: &str = "seconds,iterations,nodes,reached,change,against_last_mbb,\
                    against_last_error_mbb,exploitability_mbb,exploitability_error_mbb";

/// The figures of a checkpoint.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// Seconds of training so far, breaks not included.
    seconds: f64,
    statistics: Statistics,
    /// The winnings of the average strategy against the last checkpoint's, in big blinds a hand.
    against_last: Option<Estimate>,
    /// A lower bound on the exploitability in the abstract game of two players, in big blinds a
    /// hand.
    exploitability: Option<Estimate>,
}

/// The head of the table on the terminal.
fn heading() -> String {
    format!(
        "{:>9}  {:>13}  {:>10}  {:>9}  {:>8}  {:>18}  {:>19}",
        "trained",
        "iterations",
        "nodes/s",
        "reached",
        "change",
        "against the last",
        "exploitable by"
    )
}

/// The units of the table, below its head.
fn units() -> String {
    format!(
        "{:>9}  {:>13}  {:>10}  {:>9}  {:>8}  {:>18}  {:>19}",
        "", "", "", "infosets", "of play", "mbb/hand", "mbb/hand, at least"
    )
}

impl Row {
    /// A line of the table; `before` is the previous row of this run, if any.
    fn line(&self, before: Option<&Row>) -> String {
        let Row { seconds, statistics, against_last, exploitability } = self;
        let (from, nodes) = before.map_or((0.0, 0), |row| (row.seconds, row.statistics.nodes));
        let speed = (statistics.nodes - nodes) as f64 / (seconds - from).max(1e-3);
        let reached = statistics.touched / statistics.infosets.max(1) as f64;
        let change = statistics.change.map_or_else(String::new, |change| percent(change, 1));
        format!(
            "{:>9}  {:>13}  {:>10}  {:>9}  {change:>8}  {:>18}  {:>19}",
            clock(*seconds),
            statistics.iterations,
            format!("{:.1} M", speed / 1e6),
            percent(reached, 1),
            against_last.map_or_else(String::new, in_words),
            exploitability.map_or_else(String::new, found),
        )
    }

    fn csv(&self) -> String {
        let Row { seconds, statistics, against_last, exploitability } = self;
        let optional =
            |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.5}"));
        let bound = |value: Option<f64>| {
            value.map_or_else(String::new, |value| format!("{:.2}", 1000.0 * value))
        };
        format!(
            "{seconds:.1},{},{},{:.0},{},{},{},{},{}",
            statistics.iterations,
            statistics.nodes,
            statistics.touched,
            optional(statistics.change),
            optional(against_last.map(|e| 1000.0 * e.mean)),
            optional(against_last.map(|e| 1000.0 * e.error)),
            bound(exploitability.map(|e| e.mean)),
            bound(exploitability.map(|e| e.error)),
        )
    }

    /// Appends the row to the file; a new file gets the header first.
    fn add_to(&self, path: &Path) -> io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        let mut text = String::new();
        if file.metadata()?.len() == 0 {
            text = format!("{HEAD}\n");
        }
        file.write_all(format!("{text}{}\n", self.csv()).as_bytes())
    }
}

/// The seconds of training in the last row with at most this many iterations; 0 if there is none.
fn seconds_at(path: &Path, iterations: u64) -> io::Result<f64> {
    let rows = columns(path, ["seconds", "iterations"])?;
    let last = rows.iter().rev().find(|[_, done]| *done <= iterations as f64);
    Ok(last.map_or(0.0, |[seconds, _]| *seconds))
}

/// The chart of a file of rows: the lower bound on the exploitability in the abstract game over
/// iterations, with its 95 % band. `None` with fewer than two rows.
fn curve_picture(path: &Path) -> Option<String> {
    let names = ["iterations", "exploitability_mbb", "exploitability_error_mbb"];
    let rows: Vec<[f64; 3]> = columns(path, names)
        .ok()?
        .into_iter()
        .map(|[iterations, mean, error]| [iterations / 1e6, mean, 1.96 * error])
        .collect();
    let (&[iterations, mean, reach], 2..) = (rows.last()?, rows.len()) else { return None };
    let title = "Learning curve: mbb/hand that an opponent in the abstract game wins, at least";
    let chart = Chart {
        description: format!(
            "After {iterations:.1} million iterations an opponent who knows the strategy was found \
             to win {mean:.0} ± {reach:.0} mbb/hand within the abstract game."
        ),
        lines: vec![Line {
            class: "exploitability",
            points: rows.iter().map(|&[at, mean, _]| (at, mean)).collect(),
            band: rows
                .iter()
                .map(|&[at, mean, reach]| (at, [mean - reach, mean + reach]))
                .collect(),
            ..Line::default()
        }],
        ..Chart::new("learning", title, "million iterations")
    };
    Some(chart.file())
}

/// A mean in thousandths of a big blind, with its 95 % interval.
fn in_words(estimate: Estimate) -> String {
    format!("{:+.0} ± {:.0}", 1000.0 * estimate.mean, 1960.0 * estimate.error)
}

/// The winnings of the best opponent found, or `none found`.
fn found(estimate: Estimate) -> String {
    if estimate.mean > 0.0 { in_words(estimate) } else { "none found".to_owned() }
}

/// A table of the abstract game's size by street.
pub fn size_table(tree: &BettingTree, buckets: &Buckets, precision: Precision) -> String {
    let counts = Street::ALL.map(|street| buckets.count(street));
    let (size, bytes) = (tree.size(), u128::from(precision.bytes()));
    let (infosets, values) = (size.infosets(counts), size.values(counts));
    let header =
        ["", "decisions", "buckets", "information sets", "actions", "training", "blueprint"];
    let mut table = Table::new(header).right(1..);
    for street in Street::ALL {
        let at = street.index();
        table.row([
            street.to_string(),
            size.decisions[at].to_string(),
            counts[at].to_string(),
            infosets[at].to_string(),
            values[at].to_string(),
            number::bytes(values[at] * bytes),
            number::bytes(values[at]),
        ]);
    }
    let all = values.iter().sum::<u128>();
    table.row([
        "all".to_owned(),
        size.decisions.iter().sum::<u64>().to_string(),
        String::new(),
        infosets.iter().sum::<u128>().to_string(),
        all.to_string(),
        number::bytes(all * bytes),
        number::bytes(all),
    ]);
    format!("{table}\n")
}
