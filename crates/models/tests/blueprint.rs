//! Blueprints: what is written is read, and whatever else the bytes are is refused without a panic.

use std::sync::{Arc, LazyLock};

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::menu;
use game::{GameDef, Street, games};
use models::blueprint::{Blueprint, Contents, WHOLE, pack, quantise, quantise_to, write};
use proptest::prelude::*;

const COUNTS: [u32; 4] = [3, 5, 1, 1];

fn leduc() -> BettingTree {
    let menu = menu::find("limit").expect("a shipped menu");
    BettingTree::new(&Arc::new(games::leduc()), &menu, 1000).expect("a small tree")
}

/// The weights of an information set: some tenth of them zero, the others different everywhere.
fn weights(node: u32, bucket: u32, row: &mut [f32]) {
    if (node + bucket).is_multiple_of(10) {
        return;
    }
    for (index, weight) in row.iter_mut().enumerate() {
        *weight = ((node * 7 + bucket * 13 + index as u32 * 29) % 17) as f32;
    }
}

fn contents<'a>(tree: &'a BettingTree, training: &'a toml::Table) -> Contents<'a> {
    Contents {
        tree,
        recipe: "ranks",
        buckets_sha256: "abc",
        counts: COUNTS,
        buckets: b"the buckets' own file",
        made_by: "a test",
        training,
    }
}

fn written(tree: &BettingTree) -> Vec<u8> {
    let mut training = toml::Table::new();
    training.insert("iterations".to_owned(), toml::Value::Integer(17));
    let mut bytes = Vec::new();
    write(&mut bytes, &contents(tree, &training), weights).expect("memory takes all bytes");
    bytes
}

static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| written(&leduc()));

/// From a file, from bytes of its own, and from bytes of the program.
fn read_three_ways(bytes: &[u8]) -> [Blueprint; 3] {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), bytes).expect("a file");
    [
        Blueprint::open(file.path()).expect("a blueprint"),
        Blueprint::from_bytes(bytes.to_vec()).expect("a blueprint"),
        Blueprint::from_static(bytes.to_vec().leak()).expect("a blueprint"),
    ]
}

#[test]
fn what_is_written_is_read_from_a_file_and_from_memory() {
    for blueprint in read_three_ways(&BYTES) {
        let tree = blueprint.tree().expect("the tree it was made of");
        assert_eq!(blueprint.len(), BYTES.len() as u64);
        assert_eq!(blueprint.buckets(), b"the buckets' own file");
        assert_eq!(blueprint.head().training["iterations"].as_integer(), Some(17));
        assert_eq!(blueprint.head().buckets.counts, COUNTS);
        let (mut infosets, mut reached) = (0, [0; 4]);
        for node in 0..tree.nodes().len() as u32 {
            let NodeKind::Decision { street, .. } = tree.node(node).kind else {
                assert_eq!(blueprint.probabilities(&tree, node, 0), None);
                continue;
            };
            let count = COUNTS[usize::from(street)];
            for bucket in 0..count {
                let actions = tree.actions(node).len();
                let (mut row, mut expected) = (vec![0.0; actions], vec![0; actions]);
                weights(node, bucket, &mut row);
                quantise(&row, &mut expected);
                assert_eq!(blueprint.probabilities(&tree, node, bucket), Some(expected.as_slice()));
                infosets += 1;
                reached[usize::from(street)] += u64::from(expected.iter().any(|&share| share > 0));
            }
            assert_eq!(blueprint.probabilities(&tree, node, count), None);
        }
        assert_eq!(blueprint.probabilities(&tree, u32::MAX, 0), None);
        assert_eq!(blueprint.reached(), reached);
        let verified = blueprint.verify().expect("nothing is wrong");
        assert_eq!((verified.infosets, verified.reached), (infosets, reached.iter().sum()));
        assert!(verified.reached < infosets);
    }
}

/// The bytes with these words of the head replaced by others.
fn replaced(from: &str, to: &str) -> Vec<u8> {
    with_head(|text| {
        assert!(text.contains(from), "{text}");
        text.replace(from, to)
    })
}

/// The bytes with the head's text changed and its checksum made anew.
fn with_head(change: impl Fn(String) -> String) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let length = u32::from_le_bytes(BYTES[12..16].try_into().expect("four")) as usize;
    let text = String::from_utf8(BYTES[16..16 + length].to_vec()).expect("a text");
    let text = change(text);
    let mut bytes = BYTES[..12].to_vec();
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    let sum = Sha256::digest(&bytes);
    bytes.extend(sum);
    bytes.extend(&BYTES[16 + length + 32..]);
    bytes
}

#[test]
fn other_bytes_are_refused_by_name() {
    let changed = |at: usize| {
        let mut bytes = BYTES.clone();
        bytes[at] ^= 1;
        bytes
    };
    for (bytes, words) in [
        (Vec::new(), "do not begin like one"),
        (b"GAMEDEF\nlimit\n".to_vec(), "do not begin like one"),
        (BYTES[..5].to_vec(), "cut off: 5 bytes of 16"),
        (BYTES[..40].to_vec(), "cut off: 40 bytes of"),
        (BYTES[..BYTES.len() - 1].to_vec(), "cut off"),
        ([BYTES.as_slice(), b"\n"].concat(), "should end after"),
        (changed(8), "has format 0, and this program reads 1"),
        (changed(30), "checksum of its head"),
        (changed(14), "cut off"),
        (replaced("made_by", "made_bY"), "head cannot be read"),
        (replaced("preflop 1+: min", "preflop 1+: max"), "bet menu cannot be read: line 1"),
    ] {
        let error = Blueprint::from_bytes(bytes).expect_err("not a blueprint").to_string();
        assert!(error.contains(words), "{error} does not say `{words}`");
        assert!(!error.contains('\n'), "{error}");
    }
}

#[test]
fn what_only_verifying_or_building_finds() {
    for (bytes, words) in [
        (replaced("preflop 1+: min", "preflop 1: min"), "table of the preflop has"),
        (replaced("counts = [3, 5", "counts = [3, 6"), "table of the flop has"),
        (replaced("raise_sizes = [2, 4]", "raise_sizes = [2, 5]"), "trained on the betting tree"),
        (replaced("ranks = 3", "ranks = 0"), "game is not valid: the number of ranks is 0"),
        (replaced("players = 2", "players = 3"), "game is not valid"),
    ] {
        let blueprint = Blueprint::from_bytes(bytes).expect("a head without fault");
        let error = blueprint.tree().expect_err("a fault").to_string();
        assert!(error.contains(words), "{error} does not say `{words}`");
    }
    let tables = BYTES.len() - 64 - 1;
    for at in [tables, BYTES.len() - 1, BYTES.len() - 40] {
        let mut bytes = BYTES.clone();
        bytes[at] ^= 1;
        let blueprint = Blueprint::from_bytes(bytes).expect("opening does not read the tables");
        let error = blueprint.verify().expect_err("a byte is wrong");
        assert!(error.to_string().contains("the checksum of its bytes"), "{error}");
    }
}

#[test]
fn a_blueprint_of_another_game_names_both() {
    let blueprint = Blueprint::from_bytes(BYTES.clone()).expect("a blueprint");
    assert!(blueprint.check_game(&games::leduc()).is_ok());
    let quirks = games::leduc().with_quirks(game::Quirks::ORIGINAL);
    assert!(blueprint.check_game(&quirks).is_ok());
    let error =
        blueprint.check_game(&games::nolimit_holdem()).expect_err("another game").to_string();
    for words in [
        "6 cards (limit, raises 2-4, blinds 1-1)",
        "52 cards (no-limit, stacks 20000-20000, blinds 100-50)",
    ] {
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_missing_file_and_a_folder_are_refused_with_their_names() {
    for (path, words) in
        [("no/such.blueprint", "no/such.blueprint: No such file"), ("/", "not a regular file")]
    {
        let error = Blueprint::open(path.as_ref()).expect_err("no blueprint").to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_writer_that_fails_is_heard() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let (tree, training) = (leduc(), toml::Table::new());
    for room in [0, 100, 900, BYTES.len() - 100] {
        let error =
            write(&mut Full(room), &contents(&tree, &training), weights).expect_err("no room");
        assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    }
}

#[test]
fn tables_of_every_street_stand_in_the_order_of_the_tree() {
    let def: Arc<GameDef> = Arc::new(games::nolimit_holdem());
    let tree =
        BettingTree::new(&def, &menu::find("fcpa").expect("shipped"), 10_000).expect("small");
    let training = toml::Table::new();
    let contents = Contents { tree: &tree, counts: [2, 3, 4, 5], ..contents(&tree, &training) };
    let mut bytes = Vec::new();
    // Every information set plays the action of its own number.
    let choice = |node: u32, bucket: u32| (node + bucket) as usize % tree.actions(node).len();
    write(&mut bytes, &contents, |node, bucket, row| row[choice(node, bucket)] = 2.5)
        .expect("memory");
    let blueprint = Blueprint::from_bytes(bytes).expect("a blueprint");
    let read = blueprint.tree().expect("its tree");
    for street in Street::ALL {
        for node in read.decision_nodes(street) {
            for bucket in 0..[2, 3, 4, 5][street.index()] {
                let shares =
                    blueprint.probabilities(&read, node, bucket).expect("an information set");
                let sure = shares.iter().position(|&share| u32::from(share) == WHOLE);
                assert_eq!(sure, Some(choice(node, bucket)));
            }
        }
    }
    assert_eq!(
        blueprint.verify().expect("whole").reached,
        tree.size().infosets([2, 3, 4, 5]).iter().sum::<u128>() as u64
    );
}

proptest! {
    #[test]
    fn shares_are_whole_and_near_their_weights(weights in prop::collection::vec(0.0f32..1e6,
        1..12)) {
        let mut shares = vec![9; weights.len()];
        quantise(&weights, &mut shares);
        let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
        if sum == 0.0 {
            prop_assert!(shares.iter().all(|&share| share == 0));
        } else {
            prop_assert_eq!(shares.iter().map(|&share| u32::from(share)).sum::<u32>(), WHOLE);
            for (&share, &weight) in shares.iter().zip(&weights) {
                let exact = f64::from(weight) / sum * 255.0;
                prop_assert!((f64::from(share) - exact).abs() < 1.0, "{:?} {:?}", shares, weights);
            }
        }
    }

    #[test]
    fn weights_that_are_no_numbers_give_no_shares(
        weights in prop::collection::vec(prop_oneof![Just(f32::NAN), Just(f32::INFINITY),
            Just(-1.0f32), Just(0.0f32)], 1..6),
    ) {
        let mut shares = vec![9; weights.len()];
        quantise(&weights, &mut shares);
        prop_assert!(shares.iter().all(|&share| share == 0));
    }

    #[test]
    fn mangled_bytes_are_an_error_or_a_blueprint_but_no_panic(
        cut in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), byte: u8,
            keep: bool,
    ) {
        let mut bytes = BYTES.clone();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if !keep {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(blueprint) = Blueprint::from_bytes(bytes) {
            let _ = blueprint.verify();
        }
    }

    #[test]
    fn heads_of_any_numbers_are_an_error_or_a_blueprint_but_no_panic(
        digit in any::<prop::sample::Index>(), to in prop::sample::select(vec!["0", "7", "99",
            "18446744073709551615", "-1", "x"]),
    ) {
        let bytes = with_head(|text| {
            let indices: Vec<usize> = text.char_indices().filter(|(_,
                c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = *digit.get(&indices);
            format!("{}{to}{}", &text[..at], &text[at + 1..])
        });
        if let Ok(blueprint) = Blueprint::from_bytes(bytes) {
            let _ = blueprint.verify();
        }
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), begin: bool) {
        let bytes = if begin { [&BYTES[..20], &bytes].concat() } else { bytes };
        prop_assert!(Blueprint::from_bytes(bytes).is_err());
    }
}

fn packed(steps: u32) -> Vec<u8> {
    let blueprint = Blueprint::from_bytes(BYTES.clone()).expect("a blueprint");
    let mut bytes = Vec::new();
    pack(&blueprint, steps, &mut bytes).expect("memory takes all bytes");
    bytes
}

#[test]
fn a_packed_blueprint_says_the_same_in_less_room() {
    for steps in [255, 15, 3] {
        let bytes = packed(steps);
        assert!(bytes.len() < BYTES.len(), "{} of {} bytes", bytes.len(), BYTES.len());
        for blueprint in read_three_ways(&bytes) {
            let tree = blueprint.tree().expect("the tree it was made of");
            assert_eq!(blueprint.len(), BYTES.len() as u64);
            let plain = Blueprint::from_bytes(BYTES.clone()).expect("a blueprint");
            assert_eq!(blueprint.reached(), plain.reached());
            assert_eq!(blueprint.head(), plain.head());
            assert_eq!(blueprint.buckets(), plain.buckets());
            for street in Street::ALL {
                for node in tree.decision_nodes(street) {
                    for bucket in 0..COUNTS[street.index()] {
                        let whole = plain.probabilities(&tree, node, bucket).expect("a decision");
                        let weights: Vec<f32> = whole.iter().map(|&share| share.into()).collect();
                        let mut expected = vec![0; whole.len()];
                        quantise_to(steps, &weights, &mut expected);
                        assert_eq!(
                            blueprint.probabilities(&tree, node, bucket),
                            Some(&expected[..])
                        );
                        let parts = u32::from(WHOLE as u8 / steps as u8);
                        assert!(expected.iter().all(|&share| u32::from(share) % parts == 0));
                    }
                }
            }
            blueprint.verify().expect("nothing is wrong");
        }
    }
    // What loses nothing is packed as the same file.
    let again = Blueprint::from_bytes(packed(255)).expect("a blueprint");
    let mut bytes = Vec::new();
    pack(&again, 255, &mut bytes).expect("memory takes all bytes");
    assert_eq!(bytes, packed(255));
}

#[test]
fn a_packed_blueprint_that_is_cut_or_changed_is_refused() {
    let bytes = packed(15);
    for end in 0..bytes.len() {
        assert!(Blueprint::from_bytes(bytes[..end].to_vec()).is_err(), "the first {end} bytes");
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        // A few bits of a compressed stream mean nothing.
        if let Ok(blueprint) = Blueprint::from_bytes(changed) {
            assert!(blueprint.verify().is_ok(), "byte {at}");
        }
    }
    let mut newer = bytes;
    newer[8] = 9;
    let error = Blueprint::from_bytes(newer).expect_err("another version").to_string();
    assert!(error.contains("has format 9, and this program reads 1"), "{error}");
}
