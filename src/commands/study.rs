//! `cardroom study`: reproduces a published system with this program's own commands.

use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::ValueEnum;
use runs::Shard;
use runs::write_whole;
use serde::Serialize;
use show::number::counted;
use studies::record::{Done, Record};
use studies::{
    Action, Network, Options, STUDENTS, STUDIES, SlumbotRun, Step, Study, independent, shard_steps,
};
use wire::slumbot::LIVE;

use super::train::Device;
use super::{Command, perform};
use crate::exit::Failure;
use crate::interrupt;
use crate::match_options::provenance;
use crate::output::{self, Output};
use crate::report;
use crate::resolve_names::Named;
use crate::shell;

/// Reproduce a published study from scratch and report which results hold.
///
/// A study is a list of cardroom commands; --dry-run prints them. Their results stay in the study's
/// folder, with its tables (CSV), pictures (SVG), the page of docs/studies (page.md), a page for a
/// browser (report.html) and all that these are made from (results.json). The same command resumes
/// a study that was interrupted or killed, and writes the report of a finished one again.
///
/// Studies:
///   000  Bertsimas and Paskov, World-class interpretable poker: four students of one teacher
///        (docs/studies/000.md, with run times)
///   001  Ganzfried and Yusuf, Computing human-understandable strategies: endgames in words
///        (docs/studies/001.md)
///   002  All-in or fold by a linear value function: seven weights learned by self-play
///        (docs/studies/002.md)
///   003  De Mesentier Silva and others, Generating novice heuristics: rules for limit hold'em
///        (docs/studies/003.md)
///   004  Hopner and Loza Mencía, Deep counterfactual value networks: the values of hands, from
///        four encodings of ranges (docs/studies/004.md)
///
/// Examples:
///   cardroom study 000
///   cardroom study 000 --scale 0.01 --out /tmp/study
///   cardroom study 000 --shipped
///   cardroom study 000 --teacher large.blueprint --only depths
///   cardroom study 000 --shipped --slumbot oct=data/matches/oct-vs-slumbot-h150000
///
/// Exit codes: 2 when there is no such study or its folder has a comma in its name, 3 when the
/// folder holds another study or a given file cannot be read, 130 when interrupted.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// The study's number
    #[arg(value_name = "NUMBER")]
    number: String,
    /// Share of the full size, above 0 and at most 1: rows, iterations and hands; the rounds of
    /// learners scale with its square root
    #[arg(long, value_name = "SHARE", default_value_t = 1.0)]
    scale: f64,
    /// Use the built-in models instead of training
    #[arg(long)]
    shipped: bool,
    /// Use this blueprint as the teacher instead of training one: a file of `cardroom train cfr`
    /// for the study's game
    #[arg(long, value_name = "FILE", conflicts_with = "shipped")]
    teacher: Option<PathBuf>,
    /// Run only this part of the study
    #[arg(long, value_enum, value_name = "PART")]
    only: Option<Only>,
    /// Also train a network with this many hidden layers of this many units: 7x512 is the published
    /// size (docs/students.md has the run time)
    #[arg(long, value_name = "LAYERSxUNITS", conflicts_with = "only")]
    network: Option<Network>,
    /// The folder of a run of `cardroom play slumbot` with the student of this kind (mlp, xgboost,
    /// oct or cart); once per kind
    #[arg(long, value_name = "KIND=FOLDER", conflicts_with = "only")]
    slumbot: Vec<String>,
    /// The device for the training of networks
    #[arg(long, value_enum, value_name = "DEVICE")]
    device: Option<Device>,
    /// The study's folder [default: studies/NUMBER in the configured data folder, with SCALE,
    /// `shipped` or the teacher's name appended if given]
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Only part i of N: every N-th of the steps that no other step needs, with the steps they
    /// need; join the parts with `cardroom merge`
    #[arg(long, value_name = "i/N")]
    shard: Option<Shard>,
    /// Texts to take in place of the built-in ones, as in the folders of `studies/` in the source:
    /// any of steps.toml, published.toml, claims.toml, results.j2, report.md.j2 and the tables
    #[arg(long, value_name = "FOLDER")]
    texts: Option<PathBuf>,
    /// Only print the commands
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    named: Named,
    #[arg(from_global)]
    json: bool,
    #[arg(from_global)]
    quiet: bool,
}

impl Args {
    /// The first option given that only applies to studies with students.
    fn of_students(&self) -> Option<&'static str> {
        let given = [
            (self.shipped, "--shipped"),
            (self.teacher.is_some(), "--teacher"),
            (self.only.is_some(), "--only"),
            (self.network.is_some(), "--network"),
            (!self.slumbot.is_empty(), "--slumbot"),
        ];
        given.into_iter().find(|&(given, _)| given).map(|(_, option)| option)
    }
}

/// The commands of a study that is not run.
#[derive(Serialize)]
struct DryRun {
    study: &'static str,
    commands: Vec<String>,
}

impl output::Report for DryRun {
    const SCHEMA: &'static str = "cardroom-study-commands/1";
}

impl fmt::Display for DryRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.commands.iter().try_for_each(|command| writeln!(f, "{command}"))
    }
}

/// A part of a study.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// Optimal and greedy trees of several depths, trained and matched against each other
    Depths,
}

/// Runs the command: performs the steps of the study and makes the report.
pub fn run(args: &Args) -> Result<Output, Failure> {
    let mut study = find(&args.number)?;
    if let Some(folder) = &args.texts {
        study = study.with_texts(folder).map_err(Failure::input)?;
    }
    if !(args.scale > 0.0 && args.scale <= 1.0) {
        return Err(Failure::usage(format!(
            "--scale {}: write a share above 0 and at most 1, as in 0.1",
            args.scale
        )));
    }
    if let Some(option) = args.of_students().filter(|_| !study.students) {
        return Err(Failure::usage(format!(
            "{option}: study {} has neither teacher nor students; leave it out",
            study.number
        )));
    }
    if args.device.is_some() && !study.networks {
        return Err(Failure::usage(format!(
            "--device: study {} trains no networks; leave it out",
            study.number
        )));
    }
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => args.named.load()?.config.server.data.join("studies").join(name(args)),
    };
    for (path, remedy) in
        [(Some(&folder), "give --out a folder"), (args.teacher.as_ref(), "give --teacher a file")]
    {
        if let Some(path) = path.filter(|path| path.to_string_lossy().contains(',')) {
            return Err(Failure::usage(format!(
                "{}: agents are named by the files of their models, between commas; {remedy} \
                 without one",
                path.display()
            )));
        }
    }
    let options = Options {
        folder,
        scale: args.scale,
        shipped: args.shipped,
        teacher: args.teacher.clone(),
        only: args.only.map(|Only::Depths| studies::StudySection::Depths),
        network: args.network,
        slumbot: runs(&args.slumbot)?,
        device: args.device.filter(|&device| device != Device::Cpu).map(Device::name),
        shard: args.shard,
    };
    let mut steps = study.steps(&options).map_err(Failure::input)?;
    if let Some(shard) = args.shard {
        let most = independent(&steps, &options.folder);
        steps = shard_steps(steps, &options.folder, shard);
        if steps.is_empty() {
            return Err(Failure::usage(format!(
                "--shard {shard}: {most} steps are independent of each other, so there are at most \
                 {most} parts"
            )));
        }
    }
    let steps = steps.into_iter().map(Work::from_step).collect::<Result<Vec<_>, _>>()?;
    if args.dry_run {
        let commands = steps.into_iter().map(|step| step.typed).collect();
        return Output::report(&DryRun { study: study.number, commands }, args.json);
    }
    args.device.map_or(Ok(()), Device::check)?;
    let stop = interrupt::listen(interrupt::FINISHING)?;
    let mut record = Record::open(study.number, &options, &program())?;
    let count = steps.len();
    for (number, step) in steps.into_iter().enumerate() {
        if record.has(&step.title, &step.typed) {
            continue;
        }
        // The last command listened for Ctrl-C itself; listen again, in case it took a stop.
        interrupt::listen_again(&stop, interrupt::FINISHING)?;
        if stop.asked() {
            return Err(interrupt::stopped(&format!("stopped after {number} of {count} steps")));
        }
        if !args.quiet {
            say(&format!("[{:>2}/{}] {}", number + 1, count, step.title));
        }
        let begun = Instant::now();
        step.work.perform()?;
        let seconds = begun.elapsed().as_secs_f64();
        let done = Done { title: step.title, command: step.typed, seconds };
        record.add(done)?;
    }
    if let Some(shard) = args.shard {
        let part = shard.to_string();
        return Output::report(&PartDone { part, steps: count, folder: options.folder }, args.json);
    }
    let made = study.report(&options, &record)?;
    for (name, content) in &made.files {
        report::write(&options.folder.join(name), content)?;
    }
    if args.json {
        return Output::json(&made.document);
    }
    let page = options.folder.join("report.html");
    Ok(Output::from(format!("{}\nThe page: {}\n", made.text, page.display())))
}

/// A finished part of a study.
#[derive(Serialize)]
struct PartDone {
    part: String,
    steps: usize,
    folder: PathBuf,
}

impl output::Report for PartDone {
    const SCHEMA: &'static str = "cardroom-study-part/1";
}

impl fmt::Display for PartDone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "part {}: {} done in {}; `cardroom merge` joins the parts, and the same command with \
             the\njoined folder as --out, and without --shard, makes the report",
            self.part,
            counted(self.steps as u64, "step"),
            self.folder.display()
        )
    }
}

fn find(number: &str) -> Result<Study, Failure> {
    STUDIES.into_iter().find(|study| study.number == number).ok_or_else(|| {
        let known: Vec<String> =
            STUDIES.iter().map(|study| format!("{} ({})", study.number, study.title)).collect();
        Failure::usage(format!("there is no study `{number}`; there are: {}", known.join(", ")))
    })
}

/// The Slumbot runs that were named, each with the server of its command.
fn runs(named: &[String]) -> Result<Vec<SlumbotRun>, Failure> {
    let mut runs: Vec<SlumbotRun> = Vec::new();
    for text in named {
        let (kind, folder) = text.split_once('=').unwrap_or((text, ""));
        let is_new = runs.iter().all(|run| run.kind != kind);
        if !STUDENTS.contains(&kind) || folder.is_empty() || !is_new {
            return Err(Failure::usage(format!(
                "--slumbot {text}: write KIND=FOLDER, once for each of {}",
                STUDENTS.join(", ")
            )));
        }
        let folder = PathBuf::from(folder);
        let server = server_of(&folder)?;
        runs.push(SlumbotRun { kind: kind.to_owned(), folder, server });
    }
    Ok(runs)
}

/// The `--host` of a run's command, unless it is Slumbot's own server.
fn server_of(run: &Path) -> Result<Option<String>, Failure> {
    let path = run.join("manifest.toml");
    let text = std::fs::read_to_string(&path).map_err(|error| file_error(&path, &error))?;
    let manifest: toml::Table = text.parse().map_err(|error| {
        Failure::input(anyhow::anyhow!("{}: {error}; name a run's folder", path.display()))
    })?;
    let arguments = manifest.get("provenance").and_then(|made| made.get("arguments")?.as_array());
    let arguments: Vec<&str> =
        arguments.into_iter().flatten().filter_map(toml::Value::as_str).collect();
    let host = arguments.iter().enumerate().find_map(|(place, argument)| match *argument {
        "--host" => arguments.get(place + 1).copied(),
        argument => argument.strip_prefix("--host="),
    });
    Ok(host.filter(|host| host.trim_end_matches('/') != LIVE).map(str::to_owned))
}

/// The name of the study's folder, which depends on scale and teacher as the models do.
fn name(args: &Args) -> String {
    let mut name = args.number.clone();
    if args.shipped {
        name += "-shipped";
    }
    if let Some(stem) = args.teacher.as_ref().and_then(|path| path.file_stem()) {
        name += &format!("-{}", stem.to_string_lossy());
    }
    if args.scale < 1.0 {
        name += &format!("-{}", args.scale);
    }
    name + &args.shard.map_or_else(String::new, Shard::suffix)
}

/// The program's name and version, as in the record and on the page.
fn program() -> String {
    let provenance = provenance();
    let commit = provenance.commit.map_or_else(String::new, |commit| format!(" ({commit})"));
    format!("cardroom {}{commit}", provenance.version)
}

/// A step as a shell command line.
fn typed(step: &Step) -> String {
    let path = |path: &Path| shell::quoted(&path.display().to_string());
    match &step.action {
        Action::Command { arguments, prints, .. } => {
            let words = shell::line(arguments.iter().map(String::as_str));
            let into =
                prints.as_ref().map_or_else(String::new, |into| format!(" > {}", path(into)));
            format!("cardroom {words}{into}")
        }
        Action::Copy { from, to } => format!("cp {} {}", path(from), path(to)),
    }
}

/// A step of a study, parsed.
struct Work {
    title: String,
    /// The step as a shell command line.
    typed: String,
    work: Task,
}

/// The action of a step.
enum Task {
    /// A command. Its output is written to the file `prints`; it makes the folder `makes` whole or
    /// not at all.
    Command { command: Box<Command>, prints: Option<PathBuf>, makes: Option<PathBuf> },
    /// Copies a file.
    Copy { from: PathBuf, to: PathBuf },
}

impl Work {
    fn from_step(step: Step) -> Result<Work, Failure> {
        let typed = typed(&step);
        let work = match step.action {
            Action::Command { arguments, prints, makes } => {
                Task::Command { command: Box::new(Command::parse(&arguments)?), prints, makes }
            }
            Action::Copy { from, to } => Task::Copy { from, to },
        };
        Ok(Work { title: step.title, typed, work })
    }
}

impl Task {
    fn perform(self) -> Result<(), Failure> {
        match self {
            Task::Command { command, prints, makes } => {
                if let Some(made) = makes.as_ref().filter(|made| made.exists()) {
                    if prints.is_none() {
                        // An earlier run made it whole but was killed before it recorded the step.
                        return Ok(());
                    }
                    std::fs::remove_dir_all(made).map_err(|error| file_error(made, &error))?;
                }
                let parents =
                    [&makes, &prints].into_iter().flatten().filter_map(|path| path.parent());
                for parent in parents {
                    std::fs::create_dir_all(parent).map_err(|error| file_error(parent, &error))?;
                }
                let text = perform(*command)?.whole()?;
                prints.map_or(Ok(()), |path| report::write(&path, &text))
            }
            Task::Copy { from, to } => {
                let bytes = std::fs::read(&from).map_err(|error| file_error(&from, &error))?;
                write_whole(&to, |out| out.write_all(&bytes))
                    .map_err(|error| file_error(&to, &error))
            }
        }
    }
}

fn file_error(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(anyhow::anyhow!("{}: {error}", path.display()))
}

fn say(message: &str) {
    // Nothing can be done when stderr is closed.
    let _ = writeln!(std::io::stderr(), "{message}");
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use studies::{Action, Options, STUDIES, SlumbotRun, StudySection};

    use super::Work;

    /// Every kind of study that can be asked for.
    fn all() -> Vec<Options> {
        let whole = Options::new(PathBuf::from("s"));
        let run = SlumbotRun { kind: "oct".to_owned(), folder: PathBuf::from("run"), server: None };
        vec![
            Options { scale: 0.001, ..whole.clone() },
            Options { shipped: true, slumbot: vec![run], ..whole.clone() },
            Options { teacher: Some(PathBuf::from("a.blueprint")), ..whole.clone() },
            Options { only: Some(StudySection::Depths), ..whole.clone() },
            Options { network: "7x512".parse().ok(), device: Some("gpu"), ..whole.clone() },
            whole,
        ]
    }

    #[test]
    fn every_step_of_every_study_is_a_command_of_this_program() {
        for options in all() {
            for study in STUDIES {
                for step in study.steps(&options).expect("steps") {
                    let title = step.title.clone();
                    if let Err(failure) = Work::from_step(step) {
                        panic!("study {}, {title}: {failure}", study.number);
                    }
                }
            }
        }
    }

    #[test]
    fn a_step_whose_output_is_read_as_a_document_prints_one() {
        for study in STUDIES {
            for step in study.steps(&Options::new(PathBuf::from("s"))).expect("steps") {
                let Action::Command { arguments, prints: Some(path), .. } = step.action else {
                    continue;
                };
                let document = path.extension().is_some_and(|ending| ending == "json");
                let asked = arguments.iter().any(|argument| argument == "--json");
                assert_eq!(document, asked, "study {}, {}", study.number, step.title);
            }
        }
    }
}
