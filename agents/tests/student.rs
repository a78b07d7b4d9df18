//! Students: those that ship, and that they play what their models say.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use abstraction::features::{FeatureMaker, FeatureSet};
use agents::{Clock, Context, Registry};
use game::{Action, GameDef, InfoSet, Policy, Strategy, Street, games};
use models::Classifier;
use models::blueprint::Blueprint;
use models::file::sha256;
use models::forest::Forest;
use models::student::{Student, TrainedModel};
use rand::SeedableRng;

use crate::table::{after, check_together, hands, hole, policy, seen};

const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models");

/// Information sets of all streets, some with a fold to consider and some without.
fn infosets(def: &Arc<GameDef>) -> Vec<InfoSet> {
    use Action::{Call, RaiseTo};
    let bettings: [&[Action]; 7] = [
        &[],
        &[Call],
        &[RaiseTo(250), RaiseTo(20_000)],
        &[RaiseTo(250), Call],
        &[RaiseTo(250), Call, RaiseTo(617)],
        &[Call, Call, Call, Call, Call, RaiseTo(300)],
        &[Call, Call, Call, Call, Call, Call, RaiseTo(19_000)],
    ];
    let mut infosets = Vec::new();
    for betting in bettings {
        let public = after(def, "Kh3sJc7d2c", betting);
        infosets.extend(
            ["AsAh", "Kd3d", "Tc9c", "7s2h", "5s4s"].map(|cards| seen(&public, hole(cards))),
        );
    }
    infosets
}

#[test]
fn shipped_students_are_whole_small_and_of_one_teacher() {
    let (mut bytes, mut data) = (0, Vec::new());
    for kind in TrainedModel::KINDS {
        let folder = Path::new(MODELS).join(kind);
        let student = Student::open(&folder).expect("a student");
        assert_eq!(student.manifest().kind, kind);
        data.push(student.manifest().data_sha256.clone());
        for file in fs::read_dir(&folder).expect("a folder") {
            bytes += file.expect("a file").metadata().expect("a file").len();
        }
    }
    assert!(data.iter().all(|hash| *hash == data[0]), "they learned from the same rows: {data:?}");
    assert!(bytes < 12_000_000, "{bytes} bytes");
    let teacher = Blueprint::open(&Path::new(MODELS).join("nolimit.blueprint"));
    let teacher = teacher.expect("the teacher");
    let student = Student::open(&Path::new(MODELS).join("oct")).expect("a student");
    assert_eq!(student.manifest().teacher_sha256, models::file::sha256(teacher.plain()));
}

#[test]
fn a_student_plays_what_its_model_says_of_the_situation() {
    let def = Arc::new(games::nolimit_holdem());
    for kind in TrainedModel::KINDS {
        let student = Student::open(&Path::new(MODELS).join(kind)).expect("a student");
        let policy = policy(&format!("{kind}:play=sample"), &def);
        let learned = Registry::standard().resolve(kind).expect("it exists").student();
        let says = agents::model_policy(&learned.expect("a student"));
        // Equities counted out, without the tables that the agent has.
        let mut maker = FeatureMaker::counting(student.schema());
        for infoset in infosets(&def) {
            let street = infoset.public.street();
            let features = maker.infoset(&infoset).expect("features");
            let moves = student.moves(street);
            let mut shares = vec![0.0; moves.as_slice().len()];
            student.street(street).classifier().predict(features.as_slice(), &mut shares);
            let found = policy.strategy(&infoset);
            assert_eq!(says.strategy(&infoset), found, "{kind}: what it says, however it plays");
            let legal = infoset.legal();
            for &(action, share) in &found.actions {
                assert!(legal.allows(action), "{kind}: {action:?}");
                let numbers =
                    (0..shares.len()).filter(|&n| moves.action(&infoset.public, n) == action);
                let expected: f64 = numbers.map(|number| f64::from(shares[number])).sum();
                assert!((share - expected).abs() < 1e-5, "{kind}: {share} of {expected}");
            }
        }
    }
}

#[test]
fn the_small_tree_is_read_whole_and_plays() {
    let student = Student::open(&Path::new(MODELS).join("oct-small")).expect("a student");
    let deep = Student::open(&Path::new(MODELS).join("oct")).expect("a student");
    let (ours, theirs) = (student.manifest(), deep.manifest());
    assert_eq!((&ours.kind, &ours.data_sha256), (&theirs.kind, &theirs.data_sha256));
    let leaves = Street::ALL.map(|street| match student.street(street) {
        TrainedModel::Tree(tree) => tree.leaves(),
        _ => panic!("no tree on the {street}"),
    });
    let all: usize = leaves.iter().sum();
    assert!((40..=80).contains(&all), "{leaves:?}");
    // It plays what its trees say, which is not what the deep ones say.
    let def = Arc::new(games::nolimit_holdem());
    let [small, folder, whole] = [
        "oct:model=small,play=sample",
        &format!("oct:model={MODELS}/oct-small,play=sample"),
        "oct:play=sample",
    ]
    .map(|name| policy(name, &def));
    let mut differ = 0;
    for infoset in infosets(&def) {
        let strategy = small.strategy(&infoset);
        assert_eq!(strategy, folder.strategy(&infoset));
        differ += usize::from(strategy != whole.strategy(&infoset));
    }
    assert!(differ > 20, "{differ}");
    for kind in ["cart", "xgboost", "mlp"] {
        let error = Registry::standard().resolve(&format!("{kind}:model=small")).expect_err("none");
        assert!(error.to_string().contains("inside the program for `oct` alone"), "{error}");
    }
}

#[test]
fn students_that_know_the_table_tell_their_own_bets_and_position_apart() {
    let [deep, small] = ["oct-table", "oct-table-small"]
        .map(|folder| Student::open(&Path::new(MODELS).join(folder)).expect("a student"));
    assert_eq!(deep.manifest().data_sha256, small.manifest().data_sha256);
    assert_eq!(deep.schema().set, FeatureSet::Table);
    for street in Street::ALL {
        let TrainedModel::Tree(tree) = small.street(street) else { panic!("no tree") };
        assert!(tree.leaves() <= 64, "{street}: {} leaves", tree.leaves());
    }
    let def = Arc::new(games::nolimit_holdem());
    let paper = policy("oct:play=sample", &def);
    for (name, student) in [("table", &deep), ("table-small", &small)] {
        let policy = policy(&format!("oct:model={name},play=sample"), &def);
        let mut maker = FeatureMaker::counting(student.schema());
        let mut differ = 0;
        for infoset in infosets(&def) {
            let features = maker.infoset(&infoset).expect("features");
            let weights = student.weights(&infoset.public, features.as_slice());
            let expected = Strategy::from_weights(weights).expect("a share above 0");
            let found = policy.strategy(&infoset);
            for &(action, share) in &expected.actions {
                assert!((found.probability(action) - share).abs() < 1e-5, "{name}: {action:?}");
            }
            differ += usize::from(found != paper.strategy(&infoset));
        }
        assert!(differ > 20, "{name}: {differ}");
    }
}

#[test]
fn all_hands_together_get_what_each_gets_alone() {
    let def = Arc::new(games::nolimit_holdem());
    let policy = policy("cart", &def);
    for infoset in infosets(&def).into_iter().step_by(5) {
        check_together(&*policy, &infoset.public, &hands(&infoset.public, 7));
    }
}

#[test]
fn the_likeliest_alone_unless_sampling_is_asked_for_and_nothing_below_the_threshold() {
    let def = Arc::new(games::nolimit_holdem());
    let names = ["oct:play=sample", "oct", "oct:play=sample,threshold=0.3", "oct:play=purify"];
    let [whole, pure, cut, named] = names.map(|name| policy(name, &def));
    for infoset in infosets(&def) {
        let all = whole.strategy(&infoset);
        let best = all.actions.iter().map(|&(_, share)| share).fold(0.0, f64::max);
        let one = pure.strategy(&infoset);
        assert_eq!(one.actions.len(), 1);
        assert_eq!(one, named.strategy(&infoset), "the default is named");
        assert_eq!(all.probability(one.actions[0].0), best);
        let kept = cut.strategy(&infoset);
        let fine = |&(action, _): &(Action, f64)| all.probability(action) >= best.min(0.3);
        assert!(kept.actions.iter().all(fine), "{all:?} {kept:?}");
        let sum: f64 = kept.actions.iter().map(|&(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
    // Nothing is drawn, so that a threshold would be silently without effect.
    for name in ["oct:threshold=0.3", "oct:play=purify,threshold=0.3"] {
        let error = Registry::standard().resolve(name).expect_err("refused").to_string();
        assert!(error.contains("`threshold` is for `play=sample`"), "{error}");
    }
}

#[test]
fn a_tree_says_why() {
    let def = Arc::new(games::nolimit_holdem());
    let mut agent = Registry::standard().resolve("oct").expect("oct").build(&def).expect("built");
    let infoset = infosets(&def).swap_remove(20);
    let rng = agents::AgentRng::seed_from_u64(1);
    let decision = agent
        .act(&infoset, &mut Context { rng, hand: 0, time_left: None, clock: Clock::stopped() });
    let note = decision.note.expect("a note");
    // A sentence of a few conditions; the path to the leaf stands apart.
    let (said, path) = note.split_once('\n').expect("two lines");
    assert!(said.split("; ").count() <= 4 && !said.contains("percentile"), "{note}");
    assert!(said.contains("win") && path.starts_with("nodes 0-"), "{note}");
    let more = said.rsplit_once("; and ").and_then(|(_, more)| more.strip_suffix(" more"));
    let more: usize = more.map_or(0, |more| more.parse().expect("a number"));
    let rest = path.split_once(": ").map_or(0, |(_, rest)| rest.split("; ").count());
    assert_eq!(rest, more, "{note}");
    let strategy: Strategy = decision.strategy.expect("a strategy");
    assert!(strategy.probability(decision.action) > 0.0);
}

/// A student's files in a folder of their own.
fn copied(student: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for file in fs::read_dir(student).expect("a folder") {
        let file = file.expect("a file");
        fs::copy(file.path(), folder.path().join(file.file_name())).expect("copied");
    }
    folder
}

#[test]
fn forests_play_all_rounds_or_those_up_to_the_best() {
    let def = Arc::new(games::nolimit_holdem());
    let shipped = Path::new(MODELS).join("xgboost");
    let folder = copied(&shipped);
    // The flop's forest as one whose training was stopped early, after its fifth round was its
    // best.
    let flop = fs::read(shipped.join("flop.forest")).expect("a forest");
    let whole = Forest::read(&flop).expect("a forest");
    let rounds = whole.rounds();
    let put = |best: &str| {
        let bytes = whole.clone().with_attribute("best_iteration", best).to_compact();
        fs::write(folder.path().join("flop.forest"), &bytes).expect("written");
        let manifest = fs::read_to_string(shipped.join("manifest.toml")).expect("a manifest");
        let manifest = manifest.replace(&sha256(&flop), &sha256(&bytes));
        fs::write(folder.path().join("manifest.toml"), manifest).expect("written");
    };
    put("4");
    let named = |rest: &str| {
        Registry::standard()
            .resolve(&format!("xgboost:model={},play=sample{rest}", folder.path().display()))
    };
    let [all, best] = ["", ",rounds=best"].map(|rest| named(rest).expect("it exists"));
    assert!(all.about().contains("all; up to the best, as with rounds=best, are flop 5 of "));
    assert!(best.about().contains(&format!("up to the best: flop 5 of {rounds};")));
    let mut ended = whole.clone();
    ended.truncate(5 * whole.groups());
    let maker = FeatureMaker::new(Student::open(&shipped).expect("a student").schema());
    for infoset in infosets(&def) {
        let mut different = false;
        for (choice, forest) in [(&all, &whole), (&best, &ended)] {
            let student = choice.student().expect("it learned");
            let street = infoset.public.street();
            let TrainedModel::Forest(played) = student.street(street) else { panic!("a forest") };
            let features = maker.clone().infoset(&infoset).expect("features");
            let (mut told, mut expected) =
                (vec![0.0; played.classes()], vec![0.0; played.classes()]);
            played.predict(features.as_slice(), &mut told);
            if street == Street::Flop {
                forest.predict(features.as_slice(), &mut expected);
                assert_eq!(told, expected);
                different |= played.rounds() == 5;
            }
            let policy = choice.policy(&def).expect("it plays").expect("it can be asked");
            let strategy = policy.strategy(&infoset);
            let moves = student.moves(street).actions(&infoset.public, &told);
            let weights = Strategy::from_weights(moves).expect("weights");
            assert_eq!(strategy, weights);
        }
        assert_eq!(different, infoset.public.street() == Street::Flop);
    }
    let refused = |name: &str| Registry::standard().resolve(name).expect_err("refused").to_string();
    assert!(refused("cart:rounds=best").contains("rounds"));
    assert!(refused("xgboost:rounds=most").contains("rounds"));
    let about = Registry::standard().resolve("xgboost:rounds=best").expect("it exists");
    assert!(about.about().contains("all, for no file has a best_iteration"), "{}", about.about());
    put("four");
    assert!(named("").is_ok(), "all rounds are there whatever the file calls best");
    let error = named(",rounds=best").expect_err("no number").to_string();
    assert!(
        error.contains("flop.forest: ") && error.contains("`best_iteration` is `four`"),
        "{error}"
    );
}

#[test]
fn what_does_not_fit_is_refused_with_its_name() {
    let folder = copied(&Path::new(MODELS).join("cart"));
    let copy = folder.path();
    let refused = |kind: &str| {
        let name = format!("{kind}:model={}", copy.display());
        let choice = Registry::standard().resolve(&name);
        let def = Arc::new(games::nolimit_holdem());
        choice.and_then(|choice| choice.build(&def).map(drop)).expect_err("refused").to_string()
    };
    let check = |kind: &str, words: &str| {
        let error = refused(kind);
        assert!(error.contains(words), "{error}");
    };
    check("oct", "it is a student of the kind `cart`, not `oct`");
    let manifest = copy.join("manifest.toml");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    let edited = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        fs::write(&manifest, text.replacen(from, to, 1)).expect("written");
    };
    edited("format = 1", "format = 2");
    check("cart", "format 2, and this program reads 1");
    edited("holdem-35-25-15-5/1", "holdem-35-25-15-5/9");
    check("cart", "unknown to this program");
    edited("kind = \"cart\"", "kind = \"forest\"");
    check("forest", "there is no agent `forest`");
    edited("turn 1: 50% pot 300% allin", "turn 1: 40% 50% pot 300% allin");
    check("cart", "turn.tree: it takes 15 numbers and distinguishes 6 moves");
    edited("file = \"flop.tree\"", "file = \"../flop.tree\"");
    check("cart", "own folder");
    fs::write(&manifest, &text).expect("written");
    let flop = copy.join("flop.tree");
    let mut bytes = fs::read(&flop).expect("a tree");
    bytes[200] ^= 1;
    fs::write(&flop, bytes).expect("written");
    check("cart", "flop.tree: its contents do not match the manifest");
    fs::remove_file(&flop).expect("removed");
    check("cart", "flop.tree");

    let def = Arc::new(games::limit_holdem());
    let error = Registry::standard().resolve("mlp").expect("mlp").build(&def).err();
    let error = error.expect("another game");
    assert!(error.is_game(), "{error}");
    assert!(error.to_string().contains("cardroom train student mlp"), "{error}");
}
