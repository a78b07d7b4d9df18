//! Trees: the way of a row, the file and the text.

use models::Classifier;
use models::Error;
use models::tree::{Builder, DEEPEST, Node, SplitTest, Tree};
use proptest::prelude::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn columns() -> Vec<String> {
    names(&["oppbet", "winrate", "pot odds", "1/2P"])
}

fn classes() -> Vec<String> {
    names(&["fold", "call", "raise", "all-in \"now\""])
}

fn parse(text: &str) -> Result<Tree, Error> {
    Tree::parse(text, &columns(), &classes())
}

const TOY: &str = "oppbet>12,700 ? (winrate>0.48 ? raise : fold) : call";

#[test]
fn the_toy_tree_of_the_paper_is_read_walked_and_printed() {
    let tree = parse(TOY).expect("a tree");
    assert_eq!(tree.to_text(), TOY);
    assert_eq!((tree.nodes(), tree.leaves(), tree.depth()), (5, 3, 2));
    for (bet, win, expected, path) in [
        (12_700.0, 0.9, "call", vec![0, 1]),
        (12_701.0, 0.48, "fold", vec![0, 2, 3]),
        (12_701.0, 0.49, "raise", vec![0, 2, 4]),
    ] {
        let row = [bet, win, 0.0, 0.0];
        let mut shares = [0.0; 4];
        tree.predict(&row, &mut shares);
        let class = classes().iter().position(|name| name == expected).expect("a class");
        assert_eq!(shares[class], 1.0, "{row:?}");
        assert_eq!(tree.path(&row), path);
        assert_eq!(tree.leaf(&row), path[path.len() - 1]);
    }
    assert_eq!(tree.test_text(2), "winrate>0.48");
}

#[test]
fn texts_in_other_words_are_the_same_tree() {
    let check = |text: &str, expected: &str| {
        assert_eq!(parse(text).expect(text).to_text(), expected);
    };
    check("oppbet<=12700?call:winrate<=0.48?fold:raise", TOY);
    check("((call))", "call");
    check("winrate<0.5 ? fold : call", "winrate>=0.5 ? call : fold");
    check("{fold 25%, call 75%}#8@12.5", "{fold 25%, call 75%}#8@12.5");
    check(
        "\"pot odds\">1 ? \"all-in \\\"now\\\"\" : fold#3",
        "\"pot odds\">1 ? \"all-in \\\"now\\\"\" : fold#3",
    );
    check(
        "0.5*winrate + -2*\"pot odds\" >= 1,000 ? call : fold",
        "0.5*winrate + -2*\"pot odds\">=1,000 ? call : fold",
    );
    check("1/2P>1 ? call : fold", "1/2P>1 ? call : fold");
}

#[test]
fn a_wrong_text_is_refused_with_its_place() {
    let check = |text: &str, at: usize, words: &str| {
        let error = parse(text).expect_err(text).to_string();
        let what = error.strip_prefix(&format!("the tree's text is wrong at character {at}: "));
        assert!(what.is_some_and(|what| what.contains(words)), "{text}: {error}");
    };
    check("", 0, "name is missing");
    check("check", 0, "none of fold");
    check("winrat>1 ? fold : call", 0, "none of oppbet");
    check("winrate>x ? fold : call", 8, "`x` is not a number");
    check("winrate>1e99 ? fold : call", 8, "not a number");
    check("winrate>1 ? fold", 16, "`:` is missing");
    check("(fold", 5, "`)` is missing");
    check("fold call", 5, "over before this");
    check("{fold 25%, call 70%}", 0, "sum to 100%");
    check("{fold -25%, call 125%}", 1, "between 0%");
    check("\"all-in", 1, "quotation mark");
    check("fold#x", 5, "not a number of rows");
    check(&"(".repeat(100_000), 257, "inside each other");
}

#[test]
fn a_sum_of_columns_can_be_tested() {
    let tree = parse("2*winrate + -1*1/2P>=0.5 ? call : fold").expect("a tree");
    assert!(matches!(
        tree.node(0),
        Node::Branch { test: SplitTest::Plane(_), left: 1, right: 2, .. }
    ));
    assert_eq!(tree.path(&[0.0, 0.5, 0.0, 0.5]), [0, 2]);
    assert_eq!(tree.path(&[0.0, 0.5, 0.0, 0.6]), [0, 1]);
}

#[test]
fn a_node_sums_up_what_is_under_it() {
    let tree = parse("oppbet>1 ? (winrate>1 ? {fold 50%, call 50%}#2@3 : call#4@9) : raise#5@8");
    let tree = tree.expect("a tree");
    let Node::Branch { right, .. } = tree.node(0) else { panic!("a branch") };
    let summary = tree.summary(right);
    assert_eq!((summary.weight, summary.rows), (12.0, 6));
    assert_eq!(summary.shares, [0.125, 0.875, 0.0, 0.0]);
    assert_eq!((tree.end(0), tree.end(1), tree.end(right)), (5, 2, 5));
    assert_eq!(parse("oppbet>1 ? fold : call").expect("a tree").summary(0).shares[..2], [0.5; 2]);
}

#[test]
fn the_likeliest_class_stays_so_when_shares_are_rounded() {
    for classes in [[49_999.6, 50_000.4, 0.0], [33_333.0, 33_333.0, 33_333.5], [1.0, 1.0, 1.0]] {
        let mut builder =
            Builder::new(&names(&["a"]), &names(&["x", "y", "z"])).expect("a builder");
        builder.leaf(&classes, 1.0, 1).expect("a leaf");
        let tree = builder.finish().expect("a tree");
        let Node::Leaf { shares, .. } = tree.node(0) else { panic!("a leaf") };
        let first = |values: &[f64]| {
            (0..3).rev().max_by(|&a, &b| values[a].total_cmp(&values[b])).expect("three")
        };
        let shares: Vec<f64> = shares.iter().map(|&share| f64::from(share)).collect();
        assert_eq!(first(&shares), first(&classes), "{shares:?}");
    }
}

#[test]
fn nodes_that_make_no_tree_are_refused() {
    let builder = || Builder::new(&columns(), &classes()).expect("a builder");
    let check = |result: Result<(), Error>, expected: &str| {
        let error = result.expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(builder().branch(4, 0.0), "node 0: there is no column 4 of 4");
    check(builder().branch(0, f32::NAN), "NaN is not a number");
    check(builder().leaf(&[0.0; 4], 1.0, 1), "not weights of classes");
    check(builder().leaf(&[1.0, -1.0, 1.0, 0.0], 1.0, 1), "not weights of classes");
    check(builder().leaf(&[1.0; 3], 1.0, 1), "3 shares");
    check(builder().leaf(&[1.0; 4], f32::INFINITY, 1), "cannot weigh inf");
    check(builder().plane(&[(1, 1.0), (0, 1.0)], 0.0), "rising columns");
    check(builder().plane(&[(1, 0.0)], 0.0), "not zero");
    check(builder().finish().map(|_| ()), "node 0: it is missing");
    let mut whole = builder();
    whole.leaf(&[1.0; 4], 1.0, 1).expect("a leaf");
    check(whole.leaf(&[1.0; 4], 1.0, 1), "node 1: the tree is whole");
    let mut deep = builder();
    (0..DEEPEST).for_each(|_| deep.branch(0, 0.0).expect("a branch"));
    check(deep.branch(0, 0.0), "deeper than 64");
    for (columns, classes) in
        [(vec![], classes()), (columns(), names(&["a"])), (columns(), names(&["a", "a"]))]
    {
        check(Builder::new(&columns, &classes).map(|_| ()), "needs different names of at least");
    }
}

#[test]
fn wrong_bytes_are_refused_with_their_place() {
    let bytes = parse(TOY).expect("a tree").to_bytes();
    let check = |bytes: &[u8], expected: &str| {
        let error = Tree::from_bytes(bytes).expect_err(expected).to_string();
        assert!(error.contains(expected), "{error}");
    };
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        bytes
    };
    // The first node follows the names.
    let root = 20 + columns().iter().chain(&classes()).map(|name| 1 + name.len()).sum::<usize>();
    check(b"", "do not begin like one");
    check(b"cardroom, a blueprint", "do not begin like one");
    check(&with(8, 2), "format 2, and this program reads 1");
    check(&with(14, 9), "names are too many");
    check(&with(root, 9), &format!("byte {root}: 9 is not a kind of node"));
    check(&with(root + 1, 7), "node 0: there is no column 7 of 4");
    check(&with(root + 2, bytes[root + 2] ^ 1), "checksum");
    check(&bytes[..bytes.len() - 1], "cut off");
    check(&[&bytes[..], &[0]].concat(), "bytes after the end");
    // A chain of branches that never ends.
    let mut endless = bytes[..root].to_vec();
    (0..100).for_each(|_| endless.extend([1, 0, 0, 0, 0, 0]));
    check(&endless, "node 64: a branch deeper than 64");
}

/// A tree of random shape: `choices` is read as a walk.
fn random_tree(choices: &[(u8, f32, [u16; 4])]) -> Tree {
    let mut builder = Builder::new(&columns(), &classes()).expect("a builder");
    let mut open = 1;
    for &(kind, number, units) in choices {
        match kind {
            0..4 => builder.branch(usize::from(kind), number).expect("a branch"),
            4 => builder.plane(&[(0, 1.5), (2, -0.25)], number).expect("a plane"),
            _ => {
                let shares = units.map(|unit| f64::from(unit) + 1e-3);
                builder.leaf(&shares, number.abs(), u32::from(units[0])).expect("a leaf");
            }
        }
        open = if kind < 5 { open + 1 } else { open - 1 };
        if open == 0 {
            break;
        }
    }
    (0..open).for_each(|_| builder.leaf(&[0.0, 1.0, 0.0, 0.0], 0.0, 0).expect("a leaf"));
    builder.finish().expect("a tree")
}

fn any_tree() -> impl Strategy<Value = Tree> {
    let number = prop_oneof![
        -1e6f32..1e6,
        Just(0.0),
        Just(12_700.0f32),
        Just(f32::MAX),
        Just(f32::MIN),
        Just(f32::MIN_POSITIVE)
    ];
    prop::collection::vec((0u8..9, number, any::<[u16; 4]>()), 0..60)
        .prop_map(|choices| random_tree(&choices))
}

proptest! {
    #[test]
    fn a_tree_is_the_same_after_file_and_text(tree in any_tree()) {
        prop_assert_eq!(&Tree::from_bytes(&tree.to_bytes()).expect("its own bytes"), &tree);
        let text = tree.to_text();
        prop_assert_eq!(&parse(&text).expect("its own text"), &tree);
        prop_assert_eq!(tree.leaves() * 2, tree.nodes() + 1);
    }

    #[test]
    fn a_row_ends_at_the_last_node_of_its_path(tree in any_tree(), row in any::<[i16; 4]>()) {
        let row = row.map(f32::from);
        let path = tree.path(&row);
        prop_assert_eq!(path[path.len() - 1], tree.leaf(&row));
        prop_assert!(path.len() <= tree.depth() + 1);
        let mut shares = [0.0; 4];
        tree.predict(&row, &mut shares);
        prop_assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn no_bytes_and_no_text_make_it_panic(
        tree in any_tree(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
        noise in prop::collection::vec(any::<u8>(), 0..40), text in "[a-z0-9>=<?:(){}#@%*+,.\" \
            -]{0,60}",
    ) {
        let mut bytes = tree.to_bytes();
        let at = at.index(bytes.len());
        let _ = Tree::from_bytes(&bytes[..at]);
        let whole = bytes[at];
        bytes[at] = byte;
        prop_assert_eq!(Tree::from_bytes(&bytes).is_ok(), byte == whole);
        bytes.splice(at.., noise);
        let _ = Tree::from_bytes(&bytes);
        let _ = parse(&text);
        let _ = parse(&tree.to_text().chars().take(at).collect::<String>());
    }
}
