//! The blueprints inside the program; `docs/strength.md` says how they were trained.

use std::sync::{Arc, OnceLock};

use game::GameDef;
use models::blueprint::Blueprint;
use solvers::blueprint::BlueprintValues;

use super::model::{self, Model};
use super::values;

/// The files, with the games they are for.
static FILES: [(&str, &[u8]); 2] = [
    (
        "holdem.nolimit.2p.reverse_blinds (200 big blinds)",
        include_bytes!("../../models/nolimit.blueprint"),
    ),
    ("holdem.limit.2p.reverse_blinds", include_bytes!("../../models/limit.blueprint")),
];

/// Those that are asked for by name, beside the best of a game.
static NAMED: [(&str, &[u8]); 2] = [
    ("categories", include_bytes!("../../models/categories.blueprint")),
    ("overbet", include_bytes!("../../models/overbet.blueprint")),
];

/// A blueprint's head is read when it is first asked for, the rest when it first plays.
struct Shipped {
    blueprint: Arc<Blueprint>,
    model: OnceLock<Arc<Model>>,
    values: OnceLock<Arc<BlueprintValues>>,
}

fn open(&(_, bytes): &(&str, &'static [u8])) -> Shipped {
    let blueprint = Blueprint::from_static(bytes).expect("a test reads every shipped blueprint");
    Shipped { blueprint: Arc::new(blueprint), model: OnceLock::new(), values: OnceLock::new() }
}

fn all() -> &'static [Shipped] {
    static ALL: OnceLock<Vec<Shipped>> = OnceLock::new();
    ALL.get_or_init(|| FILES.iter().map(open).collect())
}

/// The blueprint inside the program that has this name.
pub(super) fn named(name: &str) -> Option<Arc<Blueprint>> {
    static ALL: OnceLock<Vec<Shipped>> = OnceLock::new();
    let index = NAMED.iter().position(|(known, _)| *known == name)?;
    let all = ALL.get_or_init(|| NAMED.iter().map(open).collect());
    Some(Arc::clone(&all[index].blueprint))
}

/// The model for this game, if one ships.
pub(super) fn model(def: &GameDef) -> Option<Arc<Model>> {
    let shipped = all().iter().find(|shipped| shipped.blueprint.check_game(def).is_ok())?;
    let new = || {
        let model = Model::new(Arc::clone(&shipped.blueprint));
        Arc::new(model.expect("a test plays from every shipped blueprint"))
    };
    Some(Arc::clone(shipped.model.get_or_init(new)))
}

/// The values of the blueprint for this game, if one ships.
pub(super) fn values(def: &GameDef) -> Option<Arc<BlueprintValues>> {
    let shipped = all().iter().find(|shipped| shipped.blueprint.check_game(def).is_ok())?;
    let new = || {
        let values = values::values(&shipped.blueprint);
        Arc::new(values.expect("a test asks every shipped blueprint for values"))
    };
    Some(Arc::clone(shipped.values.get_or_init(new)))
}

/// The file of the blueprint inside the program for this game, if there is one.
pub fn shipped_blueprint(def: &GameDef) -> Option<&'static [u8]> {
    let index = all().iter().position(|shipped| shipped.blueprint.check_game(def).is_ok())?;
    Some(FILES[index].1)
}

/// The games that one ships for, in words.
pub(super) fn games() -> String {
    FILES.map(|(game, _)| game).join(" and ")
}

/// A description of the shipped blueprints.
pub(super) fn about() -> String {
    all().iter().map(|shipped| model::about(&shipped.blueprint)).collect::<Vec<_>>().join("\n\n")
}
