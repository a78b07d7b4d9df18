//! `cardroom explain`: explanations of the strategies and decisions of agents.

mod chart;
mod decision;
mod fidelity;
mod heuristic;
mod linear;
mod playbook;
mod results;
mod tree;

use std::path::Path;
use std::sync::Arc;

use agents::AgentChoice;
use clap::{Subcommand, ValueEnum};
use models::explain::Explainer;
use models::student::{MANIFEST, Student, TrainedModel};

use crate::exit::Failure;
use crate::output::Output;
use crate::resolve_names::{Named, names};

/// Show what an agent does and why: charts, decision trees, rules, bluffs, single decisions, losses
/// in a match, and the agreement of a student with its teacher.
///
/// docs/explain.md shows each with its output.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: ExplainCommand,
}

#[derive(Subcommand)]
enum ExplainCommand {
    Chart(chart::Args),
    Tree(tree::Args),
    Bluffs(tree::BluffsArgs),
    Decision(decision::Args),
    Playbook(playbook::Args),
    Fidelity(fidelity::Args),
    Heuristic(heuristic::Args),
    Linear(linear::Args),
    Results(results::Args),
}

/// Runs the subcommand.
pub fn run(args: &Args) -> Result<Output, Failure> {
    match &args.command {
        ExplainCommand::Chart(args) => chart::run(args),
        ExplainCommand::Tree(args) => tree::run(args),
        ExplainCommand::Bluffs(args) => tree::bluffs(args),
        ExplainCommand::Decision(args) => decision::run(args),
        ExplainCommand::Playbook(args) => playbook::run(args).map(Output::printed),
        ExplainCommand::Fidelity(args) => fidelity::run(args),
        ExplainCommand::Heuristic(args) => heuristic::run(args),
        ExplainCommand::Linear(args) => linear::run(args),
        ExplainCommand::Results(args) => results::run(args),
    }
}

/// A street, as clap knows it.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Street {
    /// No board cards
    Preflop,
    /// Three board cards
    Flop,
    /// Four board cards
    Turn,
    /// Five board cards
    River,
}

impl Street {
    fn street(self) -> game::Street {
        game::Street::ALL[self as usize]
    }
}

/// The agent that is explained.
#[derive(clap::Args)]
struct TreeSource {
    /// The agent: `oct`, `cart`, `oct:model=FOLDER` or a name from the configuration; or a folder
    /// made by `cardroom train student oct` or `train student cart`
    #[arg(value_name = "AGENT|FOLDER")]
    name: String,
    #[command(flatten)]
    named: Named,
}

impl TreeSource {
    /// The student of the source; an error if it has no trees.
    fn student(&self) -> Result<Arc<Student>, Failure> {
        student(&self.named, &self.name)
    }
}

/// A student with trees, or why there is none.
enum Trees {
    Student(Arc<Student>),
    Missing(String),
}

/// The student of an agent or of a folder; an error if it has no trees.
fn student(named: &Named, name: &str) -> Result<Arc<Student>, Failure> {
    match trees(named, name)? {
        Trees::Student(student) => Ok(student),
        Trees::Missing(what) => {
            let registry = named.registry()?;
            let can = names(&registry, |agent| TrainedModel::TREES.contains(&agent.spec().kind));
            Err(Failure::input(anyhow::anyhow!(
                "`{name}` {what}; agents with trees: {}, {}:model=FOLDER, or the FOLDER itself",
                can.join(", "),
                TrainedModel::TREES.join(":model=FOLDER, "),
            )))
        }
    }
}

/// The student of an agent or of a folder, or why it has no trees.
///
/// # Errors
/// When there is no such agent, or its files cannot be read.
fn trees(named: &Named, name: &str) -> Result<Trees, Failure> {
    let no_tree = || Ok(Trees::Missing("is not a tree".to_owned()));
    let student = match named.registry()?.resolve(name) {
        Ok(agent)
            if TrainedModel::KINDS.contains(&agent.spec().kind)
                && !TrainedModel::TREES.contains(&agent.spec().kind) =>
        {
            return no_tree();
        }
        Ok(agent) => match agent.student() {
            Some(student) => student,
            None => return Ok(Trees::Missing("has no decision trees".to_owned())),
        },
        Err(error) if error.is_unknown() && Path::new(name).join(MANIFEST).is_file() => {
            Arc::new(Student::open(Path::new(name))?)
        }
        Err(error) if error.is_unknown() && Path::new(name).is_dir() => {
            return Ok(Trees::Missing(format!("holds no {MANIFEST}")));
        }
        Err(error) => return Err(Failure::input(error)),
    };
    match student.street(game::Street::Preflop) {
        TrainedModel::Tree(_) => Ok(Trees::Student(student)),
        TrainedModel::Forest(_) | TrainedModel::Network(_) => no_tree(),
    }
}

/// An agent that has a policy, given by its name or by the folder of a student.
fn player(named: &Named, name: &str) -> Result<AgentChoice, Failure> {
    let folder = Path::new(name);
    let unknown = named.registry()?.resolve(name).is_err_and(|error| error.is_unknown());
    if unknown && folder.join(MANIFEST).is_file() {
        let kind = Student::open(folder)?.manifest().kind.clone();
        return named.resolve_with_policy(&format!("{kind}:model={name}"));
    }
    named.resolve_with_policy(name)
}

/// The explainer of a street's tree; an error if its model is no tree.
fn explainer(student: &Student, street: game::Street) -> Result<Explainer<'_>, Failure> {
    Explainer::for_street(student, street).ok_or_else(|| {
        Failure::input(anyhow::anyhow!("the student's model of the {street} is not a tree"))
    })
}

/// Refuses a file for a page that is not an HTML file; `option` and `what` name it.
fn check_html(option: &str, what: &str, path: &Path) -> Result<(), Failure> {
    let ending = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => Ok(()),
        _ => Err(Failure::usage(format!(
            "{option} {}: a {what} is an .html file, and this name does not end so",
            path.display()
        ))),
    }
}

/// What is wrong with the settings of a measurement that plays hands.
fn settings_failure(error: evaluation::Error) -> Failure {
    let usage = error.is_usage();
    if usage { Failure::usage(format!("--hands: {error}")) } else { Failure::input(error) }
}

/// The end of a measurement that played so many of the hands.
fn end_after(hands: u64, of: u64) -> Result<(), Failure> {
    if hands < of {
        return Err(Failure::interrupted(format!(
            "stopped after {hands} of {of} hands; the figures cover those, and none are kept"
        )));
    }
    Ok(())
}
