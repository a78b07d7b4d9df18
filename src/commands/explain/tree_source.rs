//! The sources of decision trees: an agent, or the folder of a student.

use std::path::Path;
use std::sync::Arc;

use agents::{AgentChoice, AgentError};
use game::Street;
use models::explain::Explainer;
use models::student::{MANIFEST, Student, TrainedModel};

use crate::exit::Failure;
use crate::resolve_names::{Named, names};

/// The agent that is explained.
#[derive(clap::Args)]
pub(super) struct TreeSource {
    /// The agent: `oct`, `cart`, `oct:model=FOLDER` or a name from the configuration; or a folder
    /// made by `cardroom train oct` or `train cart`
    #[arg(value_name = "AGENT|FOLDER")]
    name: String,
    #[command(flatten)]
    named: Named,
}

impl TreeSource {
    /// The name given on the command line.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The options that say where agents are defined.
    pub(super) fn named(&self) -> &Named {
        &self.named
    }

    /// The student of the source; an error if it has no trees.
    pub(super) fn student(&self) -> Result<Arc<Student>, Failure> {
        student(&self.named, &self.name)
    }
}

/// The student of an agent or of a folder; an error if it has no trees.
pub(super) fn student(named: &Named, name: &str) -> Result<Arc<Student>, Failure> {
    let registry = named.registry()?;
    trees(named, name)?.map_err(|what| {
        let can = names(&registry, |agent| TrainedModel::TREES.contains(&agent.spec().kind));
        Failure::input(anyhow::anyhow!(
            "`{name}` {what}; agents with trees: {}, {}:model=FOLDER, or the FOLDER itself",
            can.join(", "),
            TrainedModel::TREES.join(":model=FOLDER, "),
        ))
    })
}

/// The student of an agent or of a folder, or why it has no trees.
///
/// # Errors
/// When there is no such agent, or its files cannot be read.
pub(super) fn trees(named: &Named, name: &str) -> Result<Result<Arc<Student>, String>, Failure> {
    let no_tree = || Ok(Err("is not a tree".to_owned()));
    let student = match named.registry()?.resolve(name) {
        Ok(agent)
            if TrainedModel::KINDS.contains(&agent.spec().kind)
                && !TrainedModel::TREES.contains(&agent.spec().kind) =>
        {
            return no_tree();
        }
        Ok(agent) => match agent.student() {
            Some(student) => student,
            None => return Ok(Err("has no decision trees".to_owned())),
        },
        Err(AgentError::Unknown { .. }) if Path::new(name).join(MANIFEST).is_file() => {
            Arc::new(Student::open(Path::new(name)).map_err(Failure::input)?)
        }
        Err(AgentError::Unknown { .. }) if Path::new(name).is_dir() => {
            return Ok(Err(format!("holds no {MANIFEST}")));
        }
        Err(error) => return Err(Failure::input(error)),
    };
    match student.street(Street::Preflop) {
        TrainedModel::Tree(_) => Ok(Ok(student)),
        TrainedModel::Forest(_) | TrainedModel::Network(_) => no_tree(),
    }
}

/// An agent that has a policy, given by its name or by the folder of a student.
pub(super) fn player(named: &Named, name: &str) -> Result<AgentChoice, Failure> {
    let folder = Path::new(name);
    let unknown = matches!(named.registry()?.resolve(name), Err(AgentError::Unknown { .. }));
    if unknown && folder.join(MANIFEST).is_file() {
        let kind = Student::open(folder).map_err(Failure::input)?.manifest().kind.clone();
        return named.resolve_with_policy(&format!("{kind}:model={name}"));
    }
    named.resolve_with_policy(name)
}

/// The explainer of a street's tree; an error if its model is no tree.
pub(super) fn explainer(student: &Student, street: Street) -> Result<Explainer<'_>, Failure> {
    Explainer::of(student, street).ok_or_else(|| {
        Failure::input(anyhow::anyhow!("the student's model of the {street} is not a tree"))
    })
}

/// The street as an adverbial phrase, as in `on the turn`.
pub(super) fn on(street: Street) -> String {
    match street {
        Street::Preflop => "before the flop".to_owned(),
        street => format!("on the {street}"),
    }
}
