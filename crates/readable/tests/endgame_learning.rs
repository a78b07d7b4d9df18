//! Databases of random endgames, the distances between games, and what is learned from them:
//! against closed forms, and against slow versions that are easy to see right.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use learners::database::{DatabasePlan, MakeOutcome, make, merge};
use learners::{Bins, Table, cart};
use models::Classifier;
use models::tree::Node;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use readable::endgame::Bets;
use readable::endgame::database::{
    Database, Deck, Representation, Share, Solved, endgame, random_shares,
};
use readable::endgame::neighbours::{Neighbours, Prediction};
use readable::endgame::rules::{baselines, distance_of_games, distance_of_strategies, scores};
use readable::endgame::trees::{Deviation, Predictor};

/// A whole database in this file.
fn made(plan: &DatabasePlan<Deck>, path: &Path) -> Database {
    assert!(matches!(make(plan, path, |_| true), Ok(MakeOutcome::Whole(_))));
    Database::open(path).expect("opened")
}

fn plan(games: std::ops::Range<u64>) -> DatabasePlan<Deck> {
    let content = Deck::new(10, &Bets::published());
    DatabasePlan { content, seed: 7, games, of: None, made_by: "test".to_owned() }
}

/// A database of cheap games: four cards, three sizes.
fn small(games: std::ops::Range<u64>) -> DatabasePlan<Deck> {
    let bets = Bets::steps(0.5, 1.0).expect("sizes");
    DatabasePlan { content: Deck::new(4, &bets), ..plan(games) }
}

/// A thousand games, which many tests look at.
static GAMES: LazyLock<Database> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    made(&plan(0..1000), &folder.path().join("games"))
});

/// The games of the paper's Figure 1, a player's cards from the worst.
const UNIFORM: [f32; 10] = [0.1; 10];
const ENDS: [f32; 10] = [0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.5];
const MIDDLE: [f32; 10] = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];

#[test]
fn distances_of_games_are_those_of_the_published_ones() {
    let (a, b, c) = ([&UNIFORM[..]; 2], [&ENDS[..], &MIDDLE[..]], [&MIDDLE[..], &ENDS[..]]);
    let close = |a, b, expected: f64| {
        assert!((distance_of_games(a, b) - expected).abs() < 1e-6, "{}", distance_of_games(a, b));
        assert!((distance_of_games(b, a) - expected).abs() < 1e-6);
    };
    close(a, b, 0.25);
    close(a, c, 0.25);
    close(b, c, 0.5);
    close(a, a, 0.0);
    let (mut worst, mut best) = ([0.0f32; 10], [0.0f32; 10]);
    (worst[0], best[9]) = (1.0, 1.0);
    close([&worst, &worst], [&best, &best], 1.0);
}

#[test]
fn distances_of_strategies_count_sizes_and_cards() {
    let sizes = Bets::published().len();
    let always = |size: usize| {
        let mut strategy = vec![0.0f32; 10 * sizes];
        strategy.chunks_exact_mut(sizes).for_each(|row| row[size] = 1.0);
        strategy
    };
    let of = |a: &[f32], b: &[f32]| distance_of_strategies(a, b, sizes);
    assert_eq!(of(&always(4), &always(4)), 0.0);
    assert!((of(&always(0), &always(30)) - 1.0).abs() < 1e-12);
    assert!((of(&always(3), &always(9)) - 6.0 / 30.0).abs() < 1e-12);
    // One card of ten, three sizes away.
    let mut other = always(0);
    (other[2 * sizes], other[2 * sizes + 3]) = (0.0, 1.0);
    assert!((of(&always(0), &other) - 0.1 * 3.0 / 30.0).abs() < 1e-12);
}

#[test]
fn random_shares_are_uniform_on_the_simplex() {
    let (cards, games) = (10, 20_000);
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let drawn: Vec<Vec<f64>> = (0..games).map(|_| random_shares(cards, &mut rng)).collect();
    for card in 0..cards {
        let mut shares: Vec<f64> = drawn.iter().map(|shares| shares[card]).collect();
        let mean = shares.iter().sum::<f64>() / games as f64;
        assert!((mean - 0.1).abs() < 0.003, "{mean}");
        shares.sort_by(f64::total_cmp);
        // Kolmogorov and Smirnov's statistic; 1.95 / √n is passed once in a thousand times.
        let away = shares.iter().enumerate().map(|(at, share)| {
            let below = 1.0 - (1.0 - share).powi(cards as i32 - 1);
            (below - at as f64 / games as f64).abs()
        });
        let away = away.fold(0.0, f64::max);
        assert!(away < 1.95 / f64::from(games).sqrt(), "card {card}: {away}");
    }
}

#[test]
fn deals_are_as_likely_as_the_product_of_their_shares() {
    let plan = plan(0..1);
    let [first, second] = plan.content.distributions(plan.seed, 0);
    let game = endgame(&first, &second, &Bets::published()).expect("a game");
    let product = |i: usize, j: usize| f64::from(first[i]) * f64::from(second[j]);
    let factor = product(0, 1) / game.deal(0, 1);
    let mut sum = 0.0;
    for i in 0..10 {
        for j in 0..10 {
            let expected = if i == j { 0.0 } else { product(i, j) / factor };
            assert!((game.deal(i, j) - expected).abs() < 1e-12, "{i} {j}");
            sum += game.deal(i, j);
        }
    }
    assert!((sum - 1.0).abs() < 1e-12);
}

#[test]
fn a_database_is_the_same_at_any_number_of_threads_and_after_any_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let (whole, partial) = (folder.path().join("whole"), folder.path().join("again.partial"));
    let plan = small(0..600);
    let on = |threads: usize, path: &Path| {
        let pool = parallel::Pool::new(threads).expect("a pool");
        pool.run(|| made(&plan, path));
        fs::read(path).expect("read")
    };
    let bytes = on(1, &whole);
    assert!(bytes == on(2, &folder.path().join("two")), "two threads make another file");
    // What a run leaves that is stopped at its second look: the card is not yet its last.
    let again = folder.path().join("again");
    let mut polls = 0;
    let stopped = make(&plan, &again, |_| {
        polls += 1;
        polls < 2
    });
    assert_eq!(stopped.expect("stopped"), MakeOutcome::Stopped(512));
    let left = fs::read(&partial).expect("left");
    for cut in (0..left.len()).step_by(1777).chain([left.len() - 1, left.len()]) {
        fs::write(&partial, &left[..cut]).expect("cut");
        made(&plan, &again);
        assert!(fs::read(&again).expect("read") == bytes, "cut at byte {cut}");
        fs::remove_file(&again).expect("removed");
    }
}

#[test]
fn shards_that_are_merged_are_the_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    made(&small(0..300), &at("whole"));
    made(&small(0..120), &at("a"));
    made(&small(120..300), &at("b"));
    merge::<Deck>(&[at("b"), at("a")], &at("merged")).expect("merged");
    assert!(fs::read(at("whole")).expect("read") == fs::read(at("merged")).expect("read"));
    // A shard is missing, or is of another seed.
    made(&small(200..300), &at("c"));
    made(&DatabasePlan { seed: 8, ..small(120..300) }, &at("d"));
    for (other, word) in [("c", "first game"), ("d", "seed")] {
        let error =
            merge::<Deck>(&[at("a"), at(other)], &at("no")).expect_err("refused").to_string();
        assert!(error.contains(word) && error.contains(&format!("/{other}")), "{error}");
    }
}

#[test]
fn damaged_and_foreign_files_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("games");
    made(&small(0..20), &path);
    let bytes = fs::read(&path).expect("read");
    let refused = |bytes: &[u8], word: &str| {
        fs::write(&path, bytes).expect("written");
        let error = Database::open(&path).expect_err("refused").to_string();
        assert!(error.contains(word) && error.contains("/games: "), "{error}");
    };
    refused(&bytes[..bytes.len() - 1], "bytes of 20 games");
    refused(&bytes[..40], "card");
    refused(b"cardroom", "does not begin like one");
    refused(b"", "does not begin like one");
    let mut other = bytes.clone();
    let last = other.len() - 1;
    other[last] ^= 1;
    refused(&other, "hash");
    let error = make(&small(0..20), &path, |_| true).expect_err("there").to_string();
    assert!(error.contains("already exists"), "{error}");
    let error = Database::open(&folder.path().join("none")).expect_err("none").to_string();
    assert!(error.contains("/none"), "{error}");
}

#[test]
fn values_of_random_games_are_as_measured_on_many() {
    let games = &*GAMES;
    let values = (0..1000).map(|index| f64::from(games.game(index).value));
    let mean = values.clone().sum::<f64>() / 1000.0;
    let squares = values.map(|value| (value - mean).powi(2)).sum::<f64>() / 999.0;
    // .5716 and .1655 over 100,000 games; the mean of 1,000 is .0052 away.
    assert!((mean - 0.5716).abs() < 0.02, "{mean}");
    assert!((squares.sqrt() - 0.1655).abs() < 0.015, "{}", squares.sqrt());
}

#[test]
fn representations_write_a_game_as_the_paper_says() {
    let (first, second) = ([0.25, 0.25, 0.5], [0.5, 0.25, 0.25]);
    let game = Solved { first: &first, second: &second, value: 0.5, strategy: &[] };
    let row = |number: usize, share: Share| {
        let representation = Representation::published(number).expect("published");
        assert_eq!(representation.columns(3).len(), 6 + usize::from(number > 2));
        representation.row(&game, share)
    };
    let (cdf, pdf) = ([0.25, 0.5, 1.0, 0.5, 0.75, 1.0], [0.25, 0.25, 0.5, 0.5, 0.25, 0.25]);
    assert_eq!(row(1, Share::Own), (cdf.to_vec(), vec![]));
    assert_eq!(row(2, Share::Own), (pdf.to_vec(), vec![]));
    for number in [3, 7] {
        assert_eq!(row(number, Share::Own), (cdf.to_vec(), vec![1.0, 2.0, 3.0]));
        assert_eq!(row(number + 1, Share::Own).0, pdf);
        assert_eq!(row(number + 2, Share::Own), (cdf.to_vec(), vec![0.25, 0.5, 1.0]));
        // The second player holds another card: the middle one beats .5 of .75.
        let (inputs, beaten) = row(number + 3, Share::Beaten);
        assert_eq!((&inputs[..], &beaten[..]), (&pdf[..], &[0.0, 2.0 / 3.0, 1.0][..]));
    }
    assert_eq!(Representation::published(0), None);
    assert_eq!(Representation::published(11), None);
}

#[test]
fn a_tree_cut_off_at_a_depth_is_the_tree_of_that_depth() {
    let games = &*GAMES;
    let both = [Deviation::Squared, Deviation::Absolute];
    let cases = [1, 4, 5, 9].into_iter().flat_map(|number| both.map(|error| (number, error)));
    for (number, error) in cases {
        let representation = Representation::published(number).expect("published");
        let grown = |depth| {
            let greedy = Predictor::greedy;
            greedy(representation, Share::Beaten, error, games, 0..400, depth).expect("grown")
        };
        let deep = grown(9);
        for depth in [0, 2, 4] {
            let tree = grown(depth);
            assert_eq!((tree.nodes(64), deep.nodes(depth)), (tree.tree().nodes(), tree.nodes(64)));
            let of = |tree: &Predictor, depth: usize| {
                tree.at_depths(games, 400..500, &[depth]).expect("scored")[0]
            };
            assert_eq!(of(&tree, depth), of(&deep, depth), "{number} at {depth}");
            // Deeper than it is, a tree is itself.
            assert_eq!(of(&tree, depth).score, of(&tree, 64).score);
            let mut pair = [vec![vec![0.0f32; 310]], vec![vec![0.0f32; 310]]];
            for index in 400..500 {
                tree.predict(games, index, &[depth], &mut pair[0]);
                deep.predict(games, index, &[depth], &mut pair[1]);
                assert_eq!(pair[0], pair[1], "{number} at {depth}, game {index}");
                for row in pair[0][0].chunks_exact(31) {
                    let sum: f32 = row.iter().sum();
                    assert!((sum - 1.0).abs() < 1e-3, "{sum}");
                }
            }
        }
    }
}

#[test]
fn two_classes_split_a_number_by_least_squares() {
    // By hand: of 0, .3, .3 | 2.4, 3, 2.7 the squared error is .06 + .18.
    let halves = |sizes: &[f32]| {
        let labels = sizes.iter().flat_map(|size| [size / 3.0, 1.0 - size / 3.0]).collect();
        let values: Vec<f32> = (0..sizes.len()).map(|at| at as f32).collect();
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let weights = vec![1.0; sizes.len()];
        let table = Table::new(names(&["x"]), names(&["bet", "kept"]), values, labels, weights);
        let table = table.expect("a table");
        let options = cart::Options { depth: 1, ..cart::Options::default() };
        let tree = cart::fit(&table, &Bins::new(&table, 64), &options).expect("a tree");
        let Node::Branch { below, .. } = tree.node(0) else { panic!("no branch") };
        below.ceil() as usize
    };
    assert_eq!(halves(&[0.0, 0.3, 0.3, 2.4, 3.0, 2.7]), 3);
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    for _ in 0..200 {
        let sizes: Vec<f32> = (0..12).map(|_| rng.random_range(0..=30) as f32 / 10.0).collect();
        let error = |part: &[f32]| {
            let mean = part.iter().sum::<f32>() / part.len() as f32;
            part.iter().map(|size| (size - mean).powi(2)).sum::<f32>()
        };
        let both = |cut: usize| error(&sizes[..cut]) + error(&sizes[cut..]);
        let least = (1..sizes.len()).map(both).fold(f32::INFINITY, f32::min);
        let found = both(halves(&sizes));
        assert!(found < least + 1e-4, "{sizes:?}: {found}, not {least}");
    }
}

#[test]
fn a_node_answers_the_mean_of_its_rows_and_says_their_error() {
    let games = &*GAMES;
    let of = |number: usize| {
        let representation = Representation::published(number).expect("published");
        let table = representation.table(games, 0..50, Share::Own).expect("rows");
        let squared = Deviation::Squared;
        let tree = Predictor::greedy(representation, Share::Own, squared, games, 0..50, 0);
        (table, tree.expect("grown"))
    };
    let (table, tree) = of(9);
    let sizes: Vec<f64> = (0..500).map(|row| 3.0 * f64::from(table.label(row)[0])).collect();
    let mean = sizes.iter().sum::<f64>() / 500.0;
    let error = sizes.iter().map(|size| (size - mean).powi(2)).sum::<f64>() / 500.0;
    assert_eq!((tree.rows(0), tree.answer(0).len()), (500, 1));
    assert!((f64::from(tree.answer(0)[0]) - mean).abs() < 1e-5);
    assert!((tree.error(0) - error).abs() < 1e-5, "{} and {error}", tree.error(0));
    // Drawn sizes are sizes that are bet.
    for (row, size) in sizes.iter().enumerate() {
        let number = (size * 10.0).round() as usize;
        assert!(games.game(row / 10).strategy[row % 10 * 31 + number] > 0.0, "row {row}");
    }
    // All cards of a game: the mean strategy.
    let (_, tree) = of(1);
    for (at, &answer) in tree.answer(0).iter().enumerate() {
        let mean = (0..50).map(|index| games.game(index).strategy[at]).sum::<f32>() / 50.0;
        assert!((answer - mean).abs() < 1e-5, "{at}");
    }
}

#[test]
fn nearest_neighbours_are_those_of_a_search_one_by_one() {
    let games = &*GAMES;
    let neighbours = Neighbours::new(games, 13..203);
    for index in 203..230 {
        let asked = games.game(index);
        let mut slow: Vec<(f64, usize)> = (13..203)
            .map(|other| {
                let game = games.game(other);
                let pair = [game.first, game.second];
                (distance_of_games([asked.first, asked.second], pair), other)
            })
            .collect();
        slow.sort_by(|a, b| a.0.total_cmp(&b.0));
        let found = neighbours.nearest(&asked, 7);
        assert_eq!(found.len(), 7);
        for ((found, near), (distance, other)) in found.into_iter().zip(slow) {
            assert!((near - distance).abs() < 1e-5, "{near} and {distance}");
            assert_eq!(found, other);
        }
    }
    assert_eq!(neighbours.nearest(&games.game(0), 1000).len(), 190);
    // A game is its own neighbour.
    for own in neighbours.scores(100..120, &Prediction::ALL, &[1]).expect("scored") {
        assert!(own.distance.mean == 0.0 && own.exploitability.mean.abs() < 1e-6, "{own:?}");
    }
}

#[test]
fn nearest_cards_are_those_of_a_search_one_by_one() {
    let games = &*GAMES;
    let neighbours = Neighbours::new(games, 13..153);
    for (prediction, number) in [(Prediction::Number, 3), (Prediction::Share, 5)] {
        let representation = Representation::published(number).expect("published");
        let inputs = |game: &Solved<'_>| {
            let (_, inputs) = representation.row(game, Share::Beaten);
            let scale = if number == 3 { 9.0 } else { 1.0 };
            inputs.into_iter().map(move |input| f64::from(input) / scale)
        };
        for index in 203..213 {
            let asked = games.game(index);
            let found = neighbours.nearest_cards(&asked, prediction, 6);
            for (own, found) in inputs(&asked).zip(found) {
                let distance = |other: usize, card: usize| {
                    let game = games.game(other);
                    let pair = [game.first, game.second];
                    let input = inputs(&game).nth(card).expect("a card");
                    2.0 * distance_of_games([asked.first, asked.second], pair) + (input - own).abs()
                };
                let each = (13..153).flat_map(|other| (0..10).map(move |card| (other, card)));
                let mut slow: Vec<f64> = each.map(|(other, card)| distance(other, card)).collect();
                slow.sort_by(f64::total_cmp);
                assert_eq!(found.len(), 6);
                for ((other, card), least) in found.into_iter().zip(slow) {
                    let distance = distance(other, card);
                    assert!((distance - least).abs() < 1e-5, "{prediction:?}: {distance}, {least}");
                }
            }
        }
    }
}

#[test]
fn trees_of_medians_have_the_least_distance_at_their_root_and_less_than_means_below() {
    let games = &*GAMES;
    for number in [1, 3, 9] {
        let representation = Representation::published(number).expect("published");
        let distance = |error: Deviation, depth: usize| {
            let tree =
                Predictor::greedy(representation, Share::Beaten, error, games, 0..800, depth);
            let scored = tree.expect("grown").at_depths(games, 0..800, &[depth]).expect("scored");
            scored[0].score.distance.mean
        };
        for depth in [0, 3] {
            let [medians, means] =
                [Deviation::Absolute, Deviation::Squared].map(|error| distance(error, depth));
            // One sampled size is not the strategy that the distance is from.
            let most = if number == 9 { means + 0.01 } else { means };
            assert!(medians < most, "{number} at {depth}: {medians} and {means}");
        }
    }
}

#[test]
fn scores_are_the_means_over_the_games() {
    let games = &*GAMES;
    let [(_, check), (_, alike)] = baselines(games, 10..150).expect("scored");
    let each = (10..150).map(|index| {
        let mut one = scores(games, index..index + 1, 1, |_, strategies| {
            strategies[0].chunks_exact_mut(31).for_each(|row| row[0] = 1.0);
        })
        .expect("scored");
        one.pop().expect("a score").exploitability.mean
    });
    let each: Vec<f64> = each.collect();
    let mean = each.iter().sum::<f64>() / 140.0;
    let squares = each.iter().map(|lost| (lost - mean).powi(2)).sum::<f64>() / 139.0;
    assert!((check.exploitability.mean - mean).abs() < 1e-12);
    assert!((check.exploitability.half_width - 1.96 * (squares / 140.0).sqrt()).abs() < 1e-12);
    // Always checking wins what showdowns do: half the pot, or the share beaten.
    assert!(alike.exploitability.mean > check.exploitability.mean);
}

#[test]
fn trees_have_at_most_320_classes() {
    let fit = |classes: usize| {
        let names = (0..classes).map(|class| class.to_string()).collect();
        let labels = [3, 3, classes - 1, classes - 1, classes - 1];
        let values = vec![0.0, 0.0, 1.0, 1.0, 1.0];
        let table = Table::hard(vec!["x".to_owned()], names, values, &labels).expect("a table");
        cart::fit(&table, &Bins::new(&table, 16), &cart::Options::default())
    };
    for classes in [33, 257, 310, 320] {
        let tree = fit(classes).expect("a tree");
        let mut shares = vec![0.0; classes];
        for (x, class) in [(0.0, 3), (1.0, classes - 1)] {
            tree.predict(&[x], &mut shares);
            assert_eq!((tree.leaves(), shares[class]), (2, 1.0), "{classes}");
        }
        assert_eq!(models::tree::Tree::from_bytes(&tree.to_bytes()), Ok(tree));
    }
    let error = fit(321).expect_err("too many").to_string();
    assert!(error.contains("321 classes are more than the 320"), "{error}");
}
