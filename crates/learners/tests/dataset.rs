//! A dataset holds what the teacher does, each situation once, the same on any number of threads.

use std::path::Path;
use std::sync::LazyLock;

use abstraction::buckets::Buckets;
use abstraction::features::{FeatureMaker, Schema, SeenBetting};
use cards::{CardSet, Combo};
use game::Street;
use learners::dataset::{Card, Dataset, Labels, MakeOptions, MakeOutcome, Split, make};
use learners::{Table, Teacher};
use models::blueprint::Blueprint;

const BLUEPRINT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../agents/models/nolimit.blueprint");
const MEMORY: u64 = 1 << 30;

static TEACHER: LazyLock<Teacher> = LazyLock::new(|| {
    let blueprint = Blueprint::open(Path::new(BLUEPRINT)).expect("the shipped blueprint");
    Teacher::new(blueprint).expect("a teacher")
});

fn options(rows: u64, explore: f64) -> MakeOptions {
    let (teacher_sha256, made_by) = (String::new(), "test".to_owned());
    MakeOptions { rows, explore, seed: 7, schema: Schema::default(), teacher_sha256, made_by }
}

fn made(options: &MakeOptions, folder: &Path) -> Card {
    match make(&TEACHER, options, folder, |_| true).expect("a dataset") {
        MakeOutcome::Whole(card) => *card,
        MakeOutcome::Stopped => panic!("nobody stopped it"),
    }
}

fn tables(dataset: &Dataset, street: Street) -> [Table; 3] {
    Split::ALL.map(|split| dataset.table(street, split, Labels::Soft, MEMORY).expect("rows"))
}

#[test]
fn each_situation_is_there_once_with_what_the_teacher_does_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("set");
    let card = made(&options(60_000, 0.0), &out);
    let dataset = Dataset::open(&out).expect("a dataset");
    assert_eq!(dataset.card(), &card);
    assert_eq!(card.sampled, 60_000, "as many as asked for");

    let (mut sampled, mut folds) = (0.0, 0.0);
    for street in Street::ALL {
        for table in tables(&dataset, street) {
            let mut row = vec![0.0; table.columns().len()];
            let mut before: Option<Vec<f32>> = None;
            for number in 0..table.rows() {
                table.row(number, &mut row);
                assert!(before.is_none_or(|before| before < row), "{street}: rows rise and differ");
                before = Some(row.clone());
                let weight = f64::from(table.weights()[number]);
                sampled += weight;
                // Only the first to act can be owed a fold by a blind of 100.
                if street == Street::Preflop && row[31] == 100.0 {
                    folds += weight * f64::from(table.label(number)[0]);
                }
            }
        }
    }
    assert_eq!(sampled as u64, card.sampled, "every sampled row is counted");

    // What the blueprint folds of all hands at the start, without learners.
    let blueprint = Blueprint::open(Path::new(BLUEPRINT)).expect("the shipped blueprint");
    let buckets = Buckets::read(blueprint.buckets()).expect("buckets");
    let tree = blueprint.tree().expect("a tree");
    let fold = |hole| {
        let bucket = buckets.of_combo(hole, CardSet::EMPTY).expect("a bucket");
        f64::from(blueprint.probabilities(&tree, 0, bucket).expect("the start")[0]) / 255.0
    };
    let expected = Combo::all().map(fold).sum::<f64>() / Combo::COUNT as f64;
    let (found, deals) = (folds / card.deals as f64, card.deals as f64);
    let error = (expected * (1.0 - expected) / deals).sqrt();
    assert!((found - expected).abs() < 4.0 * error, "{found} of {expected} ± {error}");
}

#[test]
fn rows_are_the_features_that_an_agent_would_make() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("set");
    made(&options(5_000, 0.2), &out);
    let dataset = Dataset::open(&out).expect("a dataset");
    let mut maker = FeatureMaker::counting(Schema::default());
    // Every preflop row is that of one of the 169 starting hands.
    let hands: Vec<Vec<f32>> = Combo::all()
        .map(|hole| {
            let features =
                maker.cards(hole, CardSet::EMPTY, &SeenBetting::default()).expect("features");
            features.as_slice()[..31].to_vec()
        })
        .collect();
    let [table, ..] = tables(&dataset, Street::Preflop);
    let mut row = vec![0.0; 35];
    for number in (0..table.rows()).step_by(50) {
        table.row(number, &mut row);
        assert!(hands.iter().any(|hand| hand == &row[..31]), "row {number}");
        assert!(row[31] >= 50.0 && row[32..] == [0.0; 3], "{:?}", &row[31..]);
    }
    let [river, ..] = tables(&dataset, Street::River);
    let mut row = vec![0.0; 5];
    for number in 0..river.rows() {
        river.row(number, &mut row);
        assert!((0.0..=1.0).contains(&row[0]) && row[1] >= 100.0, "{row:?}");
    }
}

#[test]
fn threads_change_nothing_and_hard_labels_are_the_likeliest() {
    let folder = tempfile::tempdir().expect("a folder");
    let cards = [1, 3].map(|threads| {
        let pool = parallel::Pool::new(threads).expect("a pool");
        let out = folder.path().join(format!("set{threads}"));
        pool.run(|| made(&options(4_000, 0.1), &out))
    });
    assert_eq!(cards[0], cards[1]);
    let dataset = Dataset::open(&folder.path().join("set1")).expect("a dataset");
    let of = |labels| dataset.table(Street::Turn, Split::Train, labels, MEMORY).expect("rows");
    let (soft, hard) = (of(Labels::Soft), of(Labels::Hard));
    for row in 0..soft.rows() {
        let best = soft.label(row).iter().copied().fold(0.0, f32::max);
        let picked = hard.label(row).iter().position(|&share| share == 1.0).expect("one move");
        assert_eq!(soft.label(row)[picked], best);
    }
}

#[test]
fn what_is_damaged_too_large_or_another_format_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("set");
    made(&options(2_000, 0.1), &out);
    let open = || Dataset::open(&out).expect("a dataset");
    let river = |dataset: &Dataset, memory| {
        dataset
            .table(Street::River, Split::Train, Labels::Soft, memory)
            .expect_err("refused")
            .to_string()
    };
    assert!(river(&open(), 100).contains("MB are allowed"));
    let file = out.join("river.train.columns");
    let whole = std::fs::read(&file).expect("a file");
    let mut flipped = whole.clone();
    flipped[100] ^= 1;
    std::fs::write(&file, flipped).expect("written");
    assert!(river(&open(), MEMORY).contains("do not match its card"));
    std::fs::write(&file, &whole[..whole.len() - 4]).expect("written");
    assert!(river(&open(), MEMORY).contains("bytes, but"));
    let card = out.join("dataset.toml");
    let text = std::fs::read_to_string(&card).expect("a card");
    let check = |from: &str, to: &str, words: &str| {
        std::fs::write(&card, text.replacen(from, to, 1)).expect("written");
        let error = Dataset::open(&out).expect_err("refused").to_string();
        assert!(error.contains(words), "{error}");
    };
    check("format = 1", "format = 9", "format 9, and this program reads 1");
    check("holdem-35-25-15-5/1", "holdem-35-25-15-5/7", "unknown to this program");
    check("\"flop_winrate_p10\"", "\"flop_winrate_p11\"", "columns of the preflop");
    check("river 1: 50% pot 300% allin", "river 1: 40% pot 300% allin", "classes of the river");
    check("explore = 0.1", "explored = 0.1", "unknown field");
    std::fs::remove_file(&card).expect("removed");
    let error = Dataset::open(&out).expect_err("no card").to_string();
    assert!(error.contains("dataset.toml: "), "{error}");
}

#[test]
fn a_stopped_dataset_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("set");
    let made = make(&TEACHER, &options(1_000_000, 0.1), &out, |rows| rows == 0).expect("stopped");
    assert_eq!(made, MakeOutcome::Stopped);
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}
