//! Card buckets: their sizes, what they must not tell apart, and the numbers that decide them.

use abstraction::buckets::{BucketRecipe, Buckets, DealtCards, EquityRange, ExampleHand, Kind};
use cards::{Board, CanonicalIndex, Card, CardSet, Combo, HandEquity, HoleCards, Suit, Ties};
use game::Street;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use std::sync::LazyLock;

use crate::{hand, random_cards};

const RECIPE: &str = "preflop=169 flop=ehs2:50 turn=ehs2:40 river=ehs2:30";

/// What costs next to nothing, before the river.
const CATEGORIES: &str = "preflop=category flop=category turn=category";

static EHS2: LazyLock<Buckets> = LazyLock::new(|| made(RECIPE));
static EHS2_TABLES: LazyLock<Buckets> = LazyLock::new(|| {
    let buckets = EHS2.clone();
    buckets.tabulate(|_| ());
    buckets
});

fn recipe(text: &str) -> BucketRecipe {
    text.parse().expect(text)
}

fn made(text: &str) -> Buckets {
    Buckets::make(&recipe(text), |_| ()).expect(text)
}

fn renamed(cards: &[Card], suits: &[u8; 4]) -> Vec<Card> {
    let suit = |card: &Card| Suit::new(suits[card.suit().index() as usize]).expect("four suits");
    cards.iter().map(|card| Card::new(card.rank(), suit(card))).collect()
}

fn bucket(buckets: &Buckets, cards: &[Card]) -> u32 {
    let hole = HoleCards::new(&cards[..2]).expect("two cards");
    let board = Board::new(&cards[2..]).expect("a board");
    buckets.bucket(hole, &board).expect("a hold'em hand")
}

#[test]
fn recipes_read_what_they_print() {
    for text in [
        RECIPE,
        "preflop=category flop=category turn=category river=category",
        "preflop=169 flop=ehs2:1 turn=ehs2:65535 river=category",
        "preflop=169 flop=nested:10:100 turn=features:20:3 river=features:100:0",
        "preflop=169 flop=emd:200 turn=emd:100:7 river=nested:1:1",
        "preflop=169 flop=ehs2-width:200 turn=ehs2-width:1326 river=ehs2-width:20",
    ] {
        assert_eq!(recipe(text).to_string(), text);
    }
    let mixed = "river=ehs2:3  preflop=169\nturn=ehs2:2 flop=ehs2:4";
    assert_eq!(recipe(mixed).to_string(), "preflop=169 flop=ehs2:4 turn=ehs2:2 river=ehs2:3");
    let seed = "preflop=169 flop=emd:4:1 turn=category river=category";
    assert_eq!(recipe(seed).to_string(), "preflop=169 flop=emd:4 turn=category river=category");
}

#[test]
fn wrong_recipes_are_refused_by_the_piece_that_is_wrong() {
    let rest = "turn=ehs2:2 river=ehs2:2";
    for (text, part) in [
        ("", "the preflop is given nowhere"),
        ("preflop=169 flop=ehs2:2 turn=ehs2:2", "the river is given nowhere"),
        ("preflop=169 preflop=169", "the preflop is given twice"),
        ("preflop", "`preflop` is not a street's buckets"),
        ("showdown=169", "`showdown=169` is not a street's buckets"),
        ("preflop=170", "`170` is not a kind"),
        (&format!("preflop=169 flop=ehs2 {rest}"), "`ehs2` is not a kind"),
        (&format!("preflop=169 flop=ehs2:x {rest}"), "`ehs2:x` is not a kind"),
        (&format!("preflop=169 flop=ehs2:+4 {rest}"), "`ehs2:+4` is not a kind"),
        (&format!("preflop=169 flop=ehs2:4:4 {rest}"), "`ehs2:4:4` is not a kind"),
        (&format!("preflop=169 flop=169 {rest}"), "the flop cannot have buckets of kind `169`"),
        (&format!("preflop=ehs2:4 flop=169 {rest}"), "the preflop cannot have buckets of kind"),
        (&format!("preflop=169 flop=ehs2:0 {rest}"), "0 buckets: ask for 1 to 65535"),
        (&format!("preflop=169 flop=ehs2:65536 {rest}"), "65536 buckets"),
        (&format!("preflop=169 flop=nested:1000:1000 {rest}"), "1000000 buckets"),
        (&format!("preflop=169 flop=nested:0:9 {rest}"), "0 buckets"),
        (&format!("preflop=169 flop=nested:9 {rest}"), "`nested:9` is not a kind"),
        (&format!("preflop=169 flop=features:1:2 {rest}"), "features of 1 steps and 2 quantiles"),
        (&format!("preflop=169 flop=features:20:9 {rest}"), "features of 20 steps and 9 quantiles"),
        (&format!("preflop=169 flop=emd:4:-1 {rest}"), "`emd:4:-1` is not a kind"),
        ("preflop=169 flop=emd:4 turn=emd:4 river=emd:4", "the river cannot have buckets of kind"),
    ] {
        let error = text.parse::<BucketRecipe>().expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    let piece = "x".repeat(500).parse::<BucketRecipe>().expect_err("no recipe");
    let start = format!("`{}` is not a street's buckets", "x".repeat(40));
    assert!(piece.to_string().starts_with(&start), "{piece}");
}

#[test]
fn percentiles_are_equally_likely() {
    // By brute force over canonical hands, which know nothing of rows and renamings.
    let index = CanonicalIndex::flop();
    let mut weights = vec![0u64; EHS2.count(Street::Flop) as usize];
    for number in 0..index.size() {
        let deal = index.representative(number).zip(index.orbit(number));
        let ([hole, board], orbit) = deal.expect("below the size");
        let hole: Vec<Card> = hole.iter().collect();
        let hole = Combo::new(hole[0], hole[1]).expect("two cards");
        let bucket = EHS2_TABLES.of_combo(hole, board).expect("a flop");
        weights[bucket as usize] += u64::from(orbit);
    }
    assert_balanced(&weights, 0.002);
}

#[test]
fn river_percentiles_are_as_even_as_equal_equities_allow() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let mut weights = vec![0u64; EHS2.count(Street::River) as usize];
    for _ in 0..200_000 {
        let dealt = random_cards(&mut rng, 7);
        weights[bucket(&EHS2_TABLES, &dealt) as usize] += 1;
    }
    assert_balanced(&weights, 0.1);
}

#[track_caller]
fn assert_balanced(weights: &[u64], tolerance: f64) {
    let mean = weights.iter().sum::<u64>() as f64 / weights.len() as f64;
    for (bucket, &weight) in weights.iter().enumerate() {
        let off = weight as f64 / mean - 1.0;
        assert!(off.abs() < tolerance, "bucket {bucket} is {off:+.4} off");
    }
}

/// Clusters on the flop, and the distances that were told while they were made.
static CLUSTERED: LazyLock<(Buckets, Vec<u64>)> = LazyLock::new(|| {
    let mut distances = Vec::new();
    let recipe = recipe("preflop=169 flop=emd:25:3 turn=category river=category");
    let buckets = Buckets::make(&recipe, |progress| distances.extend(progress.distance));
    (buckets.expect("a few clusters"), distances)
});

/// Buckets of other kinds: in exhaustive runs of all.
static OTHERS: LazyLock<Vec<Buckets>> = LazyLock::new(|| {
    let categories = made(&format!("{CATEGORIES} river=category"));
    let mut all = vec![categories, CLUSTERED.0.clone()];
    if testing::exhaustive() {
        let recipes = [
            "preflop=169 flop=nested:4:10 turn=ehs2:5 river=features:20:0",
            "preflop=169 flop=features:10:2 turn=nested:2:4 river=nested:3:20",
            "preflop=169 flop=ehs2:5 turn=features:5:1 river=ehs2:5",
        ];
        all.extend(recipes.map(made));
    }
    all
});

static OTHERS_TABLES: LazyLock<Vec<Buckets>> = LazyLock::new(|| {
    let tabulated = |buckets: &Buckets| {
        let tables = buckets.clone();
        tables.tabulate(|_| ());
        tables
    };
    OTHERS.iter().skip(1).map(tabulated).collect()
});

fn all_kinds() -> impl Iterator<Item = &'static Buckets> {
    [&*EHS2, &*EHS2_TABLES].into_iter().chain(OTHERS.iter()).chain(OTHERS_TABLES.iter())
}

#[test]
fn tables_hold_what_the_rules_say() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let pairs = OTHERS.iter().skip(1).zip(OTHERS_TABLES.iter());
    for (buckets, tables) in pairs.chain([(&*EHS2, &*EHS2_TABLES)]) {
        for size in [2, 5, 6, 7] {
            for _ in 0..300 {
                let dealt = random_cards(&mut rng, size);
                assert_eq!(bucket(buckets, &dealt), bucket(tables, &dealt), "{dealt:?}");
            }
        }
    }
}

#[test]
fn deals_have_the_buckets_of_their_hands() {
    all_kinds().for_each(a_deal_has_the_buckets_of_its_hands);
}

#[test]
fn with_tables_deals_have_the_same_categories() {
    let buckets = OTHERS[0].clone();
    buckets.tabulate(|_| ());
    a_deal_has_the_buckets_of_its_hands(&buckets);
}

#[test]
fn renaming_suits_changes_no_bucket() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    let suits = [[1, 0, 2, 3], [3, 2, 1, 0], [1, 2, 3, 0], [2, 3, 1, 0]];
    for buckets in all_kinds() {
        for size in [2, 5, 6, 7] {
            for round in 0..200 {
                let dealt = random_cards(&mut rng, size);
                let other = renamed(&dealt, &suits[round % suits.len()]);
                assert_eq!(bucket(buckets, &dealt), bucket(buckets, &other), "{dealt:?}");
            }
        }
    }
}

fn a_deal_has_the_buckets_of_its_hands(buckets: &Buckets) {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    // Some share their hands with the one before, some their flop or turn, too.
    let mut dealt = random_cards(&mut rng, 9);
    let deals = (0..150).map(|number| {
        let other = random_cards(&mut rng, 9);
        let kept = [0, 4, 7, 8][number % 4];
        let rest: Vec<Card> =
            other.into_iter().filter(|card| !dealt[..kept].contains(card)).collect();
        dealt.truncate(kept);
        dealt.extend(rest.into_iter().take(9 - kept));
        let board: [Card; 5] = dealt[4..].try_into().expect("five");
        let holes = [0, 2].map(|at| Combo::new(dealt[at], dealt[at + 1]).expect("two cards"));
        DealtCards { holes, board }
    });
    let deals: Vec<DealtCards> = deals.collect();
    let mut next = 0;
    buckets.deal(&deals, |number, all| {
        assert_eq!(number, next);
        next += 1;
        let DealtCards { holes, board } = deals[number];
        for (hole, of_player) in holes.iter().zip(all) {
            for (cards, found) in [0, 3, 4, 5].into_iter().zip(of_player) {
                assert_eq!(
                    buckets.of_combo(*hole, board[..cards].iter().copied().collect()),
                    Ok(found)
                );
            }
        }
    });
    assert_eq!(next, deals.len());
}

#[test]
fn no_bucket_is_empty() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    for buckets in OTHERS_TABLES.iter() {
        for (street, size) in [(Street::Flop, 5), (Street::River, 7)] {
            if buckets.recipe().kind(street) == Kind::Category {
                continue;
            }
            let mut seen = vec![false; buckets.count(street) as usize];
            // Features have rare buckets: those of all flops are looked at.
            let hands: Vec<Vec<Card>> = match street {
                Street::Flop => {
                    let index = CanonicalIndex::flop();
                    let numbers = 0..index.size();
                    let deal = |number| index.representative(number).expect("below the size");
                    let listed =
                        |[hole, board]: [CardSet; 2]| hole.iter().chain(board.iter()).collect();
                    numbers.map(deal).map(listed).collect()
                }
                _ => (0..100_000).map(|_| random_cards(&mut rng, size)).collect(),
            };
            for hand in hands {
                seen[bucket(buckets, &hand) as usize] = true;
            }
            let missing = seen.iter().filter(|seen| !**seen).count();
            assert_eq!(missing, 0, "{} on the {street}", buckets.recipe());
        }
    }
}

#[test]
fn clustering_never_makes_distances_greater_and_gathers_hands_of_one_strength() {
    let (buckets, distances) = &*CLUSTERED;
    assert!(distances.len() > 3 && distances.is_sorted_by(|a, b| a >= b), "{distances:?}");
    assert!(distances[distances.len() - 1] < distances[0] * 95 / 100, "{distances:?}");
    if testing::exhaustive() {
        assert_eq!(buckets.hash(), made(&buckets.recipe().to_string()).hash());
    }
    let report = buckets.report(Street::Flop, 1).expect("a report");
    assert!(report.within < report.variance / 10.0, "{report}");
}

#[test]
fn clusters_are_numbered_by_their_strength() {
    let buckets = &CLUSTERED.0;
    let mut rng = Pcg64Mcg::seed_from_u64(8);
    let mut rates: Vec<(u32, f64)> = Vec::new();
    for _ in 0..2000 {
        let dealt = random_cards(&mut rng, 5);
        let (hole, board) = hand(&dealt);
        let hand_equity = cards::RiverTable::shared(Ties::Half).hand_equity(hole, board);
        rates.push((bucket(buckets, &dealt), hand_equity.expect("a flop").equity()));
    }
    let mean = |number: u32| {
        let own: Vec<f64> =
            rates.iter().filter(|rate| rate.0 == number).map(|rate| rate.1).collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    let (weak, strong) = (mean(0), mean(buckets.count(Street::Flop) - 1));
    assert!(weak < 0.25 && strong > 0.9, "{weak:?} {strong:?}");
}

fn written(buckets: &Buckets) -> Vec<u8> {
    let mut bytes = Vec::new();
    buckets.write(&mut bytes).expect("memory does not fail");
    bytes
}

#[test]
fn files_hold_what_was_made() {
    let mut rng = Pcg64Mcg::seed_from_u64(9);
    for buckets in all_kinds() {
        let bytes = written(buckets);
        let read = Buckets::read(&*bytes).expect("a file");
        assert_eq!((read.recipe(), read.hash()), (buckets.recipe(), buckets.hash()));
        assert_eq!(written(&read), bytes);
        for size in [2, 5, 6, 7] {
            let dealt = random_cards(&mut rng, size);
            assert_eq!(bucket(&read, &dealt), bucket(buckets, &dealt), "{dealt:?}");
        }
    }
}

#[test]
fn files_of_another_version_and_damaged_ones_are_refused() {
    let bytes = written(&EHS2);
    let text = |bytes: &[u8]| Buckets::read(bytes).expect_err("damaged").to_string();
    let replaced = |from: &str, to: &str| {
        let at = bytes.windows(from.len()).position(|piece| piece == from.as_bytes());
        let at = at.expect(from);
        [&bytes[..at], to.as_bytes(), &bytes[at + from.len()..]].concat()
    };
    assert!(text(b"").contains("not a file of buckets"));
    assert!(text(b"something else\n").contains("`something else`"));
    let newer = text(&replaced("buckets 1", "buckets 2"));
    assert!(newer.contains("version 2") && newer.contains("version 1"), "{newer}");
    assert!(text(&replaced("flop=ehs2:50", "flop=ehs2:51")).contains("numbers of the flop"));
    assert!(text(&replaced("recipe = ", "receipt = ")).contains("`recipe = …`"));
    assert!(text(&replaced("flop=ehs2:50", "flop=ehs3:50")).contains("`ehs3:50` is not a kind"));
    assert!(text(&replaced("counts = 169 50", "counts = 169 49")).contains("`counts = …`"));
    let hash = text(&replaced(EHS2.hash(), &"0".repeat(64)));
    assert!(hash.contains(&"0".repeat(64)) && hash.contains(EHS2.hash()), "{hash}");
    assert!(text(&bytes[..bytes.len() - 1]).contains("cut off"));
    assert!(text(&[&*bytes, b"x"].concat()).contains("cut off or incomplete"));
    let mut flipped = bytes.clone();
    *flipped.last_mut().expect("bytes") ^= 0x40;
    assert!(Buckets::read(&*flipped).is_err());
}

#[test]
fn reports_say_how_much_hands_of_a_bucket_differ() {
    for street in Street::ALL {
        let report = EHS2_TABLES.report(street, 1).expect("a report");
        assert!(report.within < report.variance / 20.0, "{report}");
        assert!(report.fullest < 0.05 && report.unseen == 0, "{report}");
        for example in &report.examples {
            let EquityRange { mean, least, most } = example.equity;
            assert!(least <= mean + 1e-9 && mean <= most + 1e-9, "{report}");
            assert!((example.made.iter().map(|made| made.share).sum::<f64>() - 1.0).abs() < 1e-9);
            for ExampleHand { hole, board } in &example.hands {
                assert_eq!(EHS2.bucket(*hole, board), Ok(example.bucket));
            }
        }
        let text = report.to_string();
        assert!(text.contains(&format!("{street}: ")) && text.contains("wins"), "{text}");
    }
}

/// The mean over rivers of the square of a hand's equity.
fn mean_square(dealt: &[Card]) -> f64 {
    let (hole, board) = hand(dealt);
    let hand_equity = HandEquity::new(hole, board, Ties::Half).expect("a hand on a board");
    hand_equity.later().last().map_or(hand_equity.equity().powi(2), |rivers| {
        let most = f64::from(rivers.denominator());
        let squares =
            |(value, count): (u32, u32)| (f64::from(value) / most).powi(2) * f64::from(count);
        rivers.counts().map(squares).sum::<f64>() / f64::from(rivers.boards())
    })
}

#[test]
fn higher_buckets_have_a_higher_mean_square() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    for size in [5, 6, 7] {
        let mut seen: Vec<(u32, f64)> = Vec::new();
        for _ in 0..60 {
            let dealt = random_cards(&mut rng, size);
            let square = mean_square(&dealt);
            seen.push((bucket(&EHS2, &dealt), square));
        }
        seen.sort_by(|a, b| a.1.total_cmp(&b.1));
        // Scores are whole numbers of a millionth, so that nearly equal hands may change places.
        assert!(seen.is_sorted_by_key(|(bucket, _)| *bucket), "{seen:?}");
    }
}

#[test]
fn categories_are_those_of_the_best_five_cards() {
    let buckets = made(&format!("{CATEGORIES} river=category"));
    assert_eq!(Street::ALL.map(|street| buckets.count(street)), [2, 9, 9, 9]);
    for (text, expected) in [
        ("AcKd", 0),
        ("7c7d", 1),
        ("AcKd2h7s9d", 0),
        ("AcKdAh7s9d", 1),
        ("AcKdAh7sKs", 2),
        ("AcKcQcJcTc2d3d", 8),
    ] {
        let dealt: cards::CardList<7> = text.parse().expect(text);
        assert_eq!(bucket(&buckets, &dealt), expected, "{text}");
    }
}

#[test]
fn equal_steps_of_the_mean_square_are_what_hands_are_put_into() {
    let text = "preflop=169 flop=ehs2-width:150 turn=ehs2-width:1326 river=ehs2-width:25";
    let buckets = made(text);
    let mut rng = Pcg64Mcg::seed_from_u64(8);
    for (size, steps) in [(5, 150.0), (6, 1326.0), (7, 25.0)] {
        for _ in 0..200 {
            let dealt = random_cards(&mut rng, size);
            let square = mean_square(&dealt);
            // A hand on the border of two steps may be in either.
            let step = (square * steps).min(steps - 1.0);
            let found = f64::from(bucket(&buckets, &dealt));
            assert!(
                (found - step.floor()).abs() < 0.5 || (step - step.round()).abs() < 1e-3,
                "{dealt:?}: {found}, {step}"
            );
        }
    }
}

#[test]
fn more_buckets_than_hands_are_refused_with_the_number() {
    let text = format!("{CATEGORIES} river=ehs2:60000");
    let error = Buckets::make(&recipe(&text), |_| ()).expect_err("too many").to_string();
    let possible = error.strip_prefix("60000 buckets on the river, where only ");
    let possible = possible.and_then(|rest| rest.split(' ').next());
    let possible: u32 = possible.expect(&error).parse().expect(&error);
    assert!((1000..1981).contains(&possible), "{possible}");
}

#[test]
fn wrong_cards_are_refused() {
    let card = |text: &str| text.parse::<HoleCards>().expect(text);
    let board = |text: &str| text.parse::<Board>().expect(text);
    for (hole, cards) in [("Ac", ""), ("AcKdQs", ""), ("AcKd", "2c"), ("AcKd", "2c3c4c5c6c7c")] {
        assert!(EHS2.bucket(card(hole), &board(cards)).is_err(), "{hole} on {cards}");
    }
    let shared = EHS2.bucket(card("AcKd"), &board("2c3cAc")).expect_err("Ac twice").to_string();
    assert!(shared.contains("Ac is both in the hand and on the board"), "{shared}");
}

#[test]
fn hashes_tell_recipes_apart() {
    let [one, again, other] =
        [29, 29, 30].map(|count| made(&format!("{CATEGORIES} river=ehs2:{count}")));
    assert_eq!(one.hash(), again.hash());
    assert_ne!(other.hash(), one.hash());
    if testing::exhaustive() {
        assert_eq!(made(RECIPE).hash(), EHS2.hash());
    }
    assert_eq!(EHS2.hash().len(), 64);
    assert_eq!(EHS2_TABLES.hash(), EHS2.hash());
}
