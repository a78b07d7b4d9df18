//! Students: those that ship, and that they play what their models say.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use abstraction::features::FeatureMaker;
use agents::{AgentError, Context, Registry};
use cards::{Board, HoleCards};
use game::{Action, GameDef, InfoSet, Policy, PublicState, Strategy, Turn, games};
use models::student::{Learned, Student};
use rand::SeedableRng;

const MODELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/models");

fn policy(name: &str, def: &Arc<GameDef>) -> Arc<dyn Policy> {
    let choice = Registry::standard().resolve(name).expect("it exists");
    choice.policy(def).expect("it plays this game").expect("it has a policy")
}

/// Information sets of all streets, some with a fold to consider and some without.
fn infosets(def: &Arc<GameDef>) -> Vec<InfoSet> {
    use Action::{Call, RaiseTo};
    let board: Board = "Kh3sJc7d2c".parse().expect("a board");
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
        let mut public = PublicState::new(def);
        for &action in betting {
            public.apply(action).expect("a legal action");
            public.deal_from(&board).expect("cards enough");
        }
        let Turn::Act(seat) = public.turn() else { panic!("somebody acts") };
        for hole in ["AsAh", "Kd3d", "Tc9c", "7s2h", "5s4s"] {
            let hole: HoleCards = hole.parse().expect("cards");
            infosets.push(InfoSet { public: public.clone(), seat, hole });
        }
    }
    infosets
}

#[test]
fn shipped_students_are_whole_small_and_of_one_teacher() {
    let (mut bytes, mut data) = (0, Vec::new());
    for kind in Learned::KINDS {
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
    let teacher = fs::read(Path::new(MODELS).join("nolimit.blueprint")).expect("the teacher");
    let student = Student::open(&Path::new(MODELS).join("oct")).expect("a student");
    assert_eq!(student.manifest().teacher_sha256, models::student::hash(&teacher));
}

#[test]
fn a_student_plays_what_its_model_says_of_the_situation() {
    let def = Arc::new(games::nolimit_holdem());
    for kind in Learned::KINDS {
        let student = Student::open(&Path::new(MODELS).join(kind)).expect("a student");
        let policy = policy(kind, &def);
        // Win-rates counted out, without the tables that the agent has.
        let mut maker = FeatureMaker::counting(student.schema());
        for infoset in infosets(&def) {
            let street = infoset.public.street();
            let features = maker.infoset(&infoset).expect("features");
            let moves = student.moves(street);
            let mut shares = vec![0.0; moves.as_slice().len()];
            student.street(street).classifier().predict(features.as_slice(), &mut shares);
            let found = policy.strategy(&infoset);
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
fn all_hands_together_get_what_each_gets_alone() {
    let def = Arc::new(games::nolimit_holdem());
    let policy = policy("cart", &def);
    for infoset in infosets(&def).into_iter().step_by(5) {
        let board = infoset.public.board().set();
        let hands: Vec<HoleCards> = cards::Combo::all()
            .filter(|combo| !combo.set().intersects(board))
            .step_by(7)
            .map(|combo| HoleCards::new(&combo.cards()).expect("room for two cards"))
            .collect();
        policy.strategies(&infoset.public, infoset.seat, &hands, &mut |number, strategy| {
            let (public, seat, hole) = (infoset.public.clone(), infoset.seat, hands[number]);
            assert_eq!(*strategy, policy.strategy(&InfoSet { public, seat, hole }));
        });
    }
}

#[test]
fn the_likeliest_alone_and_nothing_below_the_threshold() {
    let def = Arc::new(games::nolimit_holdem());
    let [whole, pure, cut] =
        ["oct", "oct:play=purify", "oct:threshold=0.3"].map(|name| policy(name, &def));
    for infoset in infosets(&def) {
        let all = whole.strategy(&infoset);
        let best = all.actions.iter().map(|&(_, share)| share).fold(0.0, f64::max);
        let one = pure.strategy(&infoset);
        assert_eq!(one.actions.len(), 1);
        assert_eq!(all.probability(one.actions[0].0), best);
        let kept = cut.strategy(&infoset);
        let fine = |&(action, _): &(Action, f64)| all.probability(action) >= best.min(0.3);
        assert!(kept.actions.iter().all(fine), "{all:?} {kept:?}");
        let sum: f64 = kept.actions.iter().map(|&(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_tree_says_why() {
    let def = Arc::new(games::nolimit_holdem());
    let mut agent = Registry::standard().resolve("oct").expect("oct").build(&def).expect("built");
    let infoset = infosets(&def).swap_remove(20);
    let rng = agents::AgentRng::seed_from_u64(1);
    let decision = agent.act(&infoset, &mut Context { rng, hand: 0, time_left: None });
    let note = decision.note.expect("a note");
    assert!(note.starts_with("nodes 0-"), "{note}");
    assert!(note.contains("win-rate") || note.contains("chips"), "{note}");
    let strategy: Strategy = decision.strategy.expect("a strategy");
    assert!(strategy.probability(decision.action) > 0.0);
}

#[test]
fn what_does_not_fit_is_refused_with_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("copy");
    fs::create_dir(&copy).expect("a folder");
    for file in fs::read_dir(Path::new(MODELS).join("cart")).expect("a folder") {
        let file = file.expect("a file");
        fs::copy(file.path(), copy.join(file.file_name())).expect("copied");
    }
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
    edited("turn 1: 50% pot allin", "turn 1: 40% 50% pot allin");
    check("cart", "turn.tree: it takes 15 numbers and tells 5 moves apart");
    edited("file = \"flop.tree\"", "file = \"../flop.tree\"");
    check("cart", "own folder");
    fs::write(&manifest, &text).expect("written");
    let flop = copy.join("flop.tree");
    let mut bytes = fs::read(&flop).expect("a tree");
    bytes[200] ^= 1;
    fs::write(&flop, bytes).expect("written");
    check("cart", "flop.tree: its contents are not those the manifest was written for");
    fs::remove_file(&flop).expect("removed");
    check("cart", "flop.tree");

    let def = Arc::new(games::limit_holdem());
    let error = Registry::standard().resolve("mlp").expect("mlp").build(&def).err();
    let error = error.expect("another game");
    assert!(matches!(error, AgentError::Game { .. }), "{error}");
    assert!(error.to_string().contains("cardroom train mlp"), "{error}");
}
