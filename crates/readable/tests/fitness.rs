//! Exact fitness of rules: counts against other counts and slow counting, values against bounds;
//! against played matches in `street_search.rs`.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::mixes::Mixes;
use abstraction::betting::BettingTree;
use abstraction::buckets::Buckets;
use abstraction::facts::Texture;
use cards::{CardSet, Combo, evaluate};
use game::{Street, games};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use readable::heuristic::fitness;
use readable::heuristic::fitness::{FactClasses, Fitness, Move, Sampler, Situation};
use solvers::Player;
use solvers::counting::{ClassCounts, Counting, HandClasses, Sum};

const STREETS: [Street; 3] = [Street::Flop, Street::Turn, Street::River];

fn buckets() -> Buckets {
    let text = "preflop=category flop=category turn=category river=category";
    Buckets::make(&text.parse().expect("a recipe"), |_| ()).expect("buckets")
}

fn set(text: &str) -> CardSet {
    text.parse::<cards::Board>().expect("cards").set()
}

fn count(street: Street, buckets: &Buckets, flop: &str) -> ClassCounts {
    let classes = FactClasses::default();
    Counting { street, buckets, classes: &classes }.on_flop(set(flop)).expect("a flop")
}

/// The category of a class: what the buckets are.
fn bucket(class: u16) -> u16 {
    FactClasses::facts(class).expect("a class that was counted").category as u16
}

#[test]
fn classes_added_up_are_the_paths_of_buckets() {
    let buckets = buckets();
    for flop in ["7s7h7d", "AsKsQs", "Td9d2h"] {
        let board = flop.parse().expect("a board");
        let other = ClassCounts::of_paths(&buckets, &board).expect("few paths");
        for street in STREETS {
            let last = street.index();
            let mut sums: BTreeMap<([u16; 4], [u16; 4]), [i64; 2]> = BTreeMap::new();
            let found = count(street, &buckets, flop);
            for (row, path) in found.rows().iter().enumerate() {
                let mut path = *path;
                path[last] = bucket(path[last]);
                for (column, against) in found.columns().iter().enumerate() {
                    let [matchups, margin] = found.cell(row, column);
                    let sum = sums.entry((path, *against)).or_default();
                    *sum = [sum[0] + matchups, sum[1] + margin];
                }
            }
            sums.retain(|_, sum| *sum != [0, 0]);
            let mut wanted: BTreeMap<([u16; 4], [u16; 4]), [i64; 2]> = BTreeMap::new();
            let cut =
                |path: [u16; 4]| std::array::from_fn(|at| if at <= last { path[at] } else { 0 });
            for (row, &path) in other.rows().iter().enumerate() {
                for (column, &against) in other.columns().iter().enumerate() {
                    let [matchups, margin] = other.cell(row, column);
                    let sum = wanted.entry((cut(path), cut(against))).or_default();
                    *sum = [sum[0] + matchups, sum[1] + margin];
                }
            }
            wanted.retain(|_, sum| *sum != [0, 0]);
            assert_eq!(sums, wanted, "{flop} {street}");
        }
    }
}

/// Classes by the higher of the two cards, which no bucket knows.
struct ByHighest;

impl HandClasses for ByHighest {
    fn name(&self) -> String {
        "the higher of two cards".to_owned()
    }
    fn count(&self, _: Street) -> usize {
        13
    }
    fn hand_class(&self, hand: Combo, _: CardSet) -> u16 {
        hand.cards().map(|card| u16::from(card.rank().index())).into_iter().max().expect("two")
    }
}

#[test]
fn classes_that_buckets_do_not_know_are_counted_pair_by_pair() {
    let buckets = buckets();
    // On four of a kind there are few kinds of turns and rivers, and the river decides little.
    let flop = set("7s7h7d");
    let counting = Counting { street: Street::Flop, buckets: &buckets, classes: &ByHighest };
    let found = counting.on_flop(flop).expect("a flop");
    let hands: Vec<Combo> = Combo::all().filter(|hand| !hand.set().intersects(flop)).collect();
    let mut matchups: BTreeMap<(u16, u16), i64> = BTreeMap::new();
    for &hand in &hands {
        for &other in hands.iter().filter(|other| !other.set().intersects(hand.set())) {
            let key = (ByHighest.hand_class(hand, flop), ByHighest.hand_class(other, flop));
            *matchups.entry(key).or_default() += 45 * 44;
        }
    }
    let mut sums: BTreeMap<u16, [i64; 2]> = BTreeMap::new();
    for (row, path) in found.rows().iter().enumerate() {
        for column in 0..found.columns().len() {
            let cell = found.cell(row, column);
            let sum = sums.entry(path[1]).or_default();
            *sum = [sum[0] + cell[0], sum[1] + cell[1]];
        }
    }
    for (class, [count, _]) in &sums {
        let wanted: i64 = matchups.iter().filter(|(key, _)| key.0 == *class).map(|(_, n)| n).sum();
        assert_eq!(*count, wanted, "class {class}");
    }
    // The margin of one class, over all boards.
    let deck: Vec<_> = cards::Card::all().filter(|card| !flop.contains(*card)).collect();
    let mut margin = 0i64;
    for (at, &turn) in deck.iter().enumerate() {
        for &river in &deck[..at] {
            let board = flop.with(turn).with(river);
            let free = hands.iter().filter(|hand| !hand.set().intersects(board));
            let free: Vec<_> = free.map(|hand| (*hand, evaluate(hand.set() | board))).collect();
            // A three is the highest of threes and deuces alone.
            for (hand, strength) in
                free.iter().filter(|(hand, _)| ByHighest.hand_class(*hand, flop) == 1)
            {
                for (other, against) in &free {
                    if !hand.set().intersects(other.set()) {
                        margin += 2 * (strength.cmp(against) as i64);
                    }
                }
            }
        }
    }
    assert_eq!(sums[&1][1], margin);
}

fn limit() -> BettingTree {
    let menu = "every 1+: min".parse().expect("a menu");
    BettingTree::new(&Arc::new(games::limit_holdem()), &menu, 100_000).expect("a small tree")
}

/// Counts of some flops as if they were all: each this many times.
fn some(street: Street, buckets: &Buckets) -> ClassCounts {
    let mut sum = Sum::default();
    for flop in ["Td9d2h", "7s7h2d"] {
        sum.add(&count(street, buckets, flop), 1).expect("few");
    }
    sum.counts()
}

#[test]
fn a_rule_that_always_calls_or_folds_wins_what_arithmetic_says() {
    let (buckets, tree) = (buckets(), limit());
    for street in STREETS {
        let counts = some(street, &buckets);
        let fitness = Fitness::new(&counts, &tree, &Mixes, street).expect("reached");
        let shares: f64 = fitness.groups().iter().map(|group| group.share).sum();
        assert!((shares - 1.0).abs() < 1e-12);
        for made in Move::ALL {
            let moves = fitness.moves(|_, _| made);
            // The first decision of the street is asked for in each match of the first to act.
            let asked: f64 = fitness.asked(&moves).iter().sum();
            assert!(asked >= 0.5, "{street} {asked}");
        }
        // Whoever folds to every bet loses the chips of all lines with a bet, and no more.
        let folds = fitness.value(&fitness.moves(|_, _| Move::Fold));
        assert!(folds.abs() < 160.0);
        // Who always folds is bet out of what it has put in before; and no rule loses more to the
        // blueprint than to a best response.
        let folded = fitness::best_response(&counts, &tree, &Mixes, street, |_, _| Move::Fold)
            .expect("reached");
        let paid: f64 =
            fitness.groups().iter().map(|group| group.share * f64::from(group.chips)).sum();
        assert!((folded - paid).abs() < 1e-9, "{street}: {folded} and {paid}");
        for made in Move::ALL {
            let rule = |class: u16, seen: Situation| match (bucket(class), seen.aggressive) {
                (0, true) => Move::Call,
                (2.., _) => Move::Raise,
                _ => made,
            };
            let most =
                fitness::best_response(&counts, &tree, &Mixes, street, rule).expect("reached");
            let usual = -fitness.value(&fitness.moves(rule));
            assert!(most > usual, "{street} {made:?}: {most} and {usual}");
        }
    }
}

#[test]
fn a_file_of_counts_is_read_as_it_was_written_and_no_other_is() {
    let buckets = buckets();
    let classes = FactClasses::default();
    let counting = Counting { street: Street::Flop, buckets: &buckets, classes: &classes };
    let counts = some(Street::Flop, &buckets);
    let mut bytes = Vec::new();
    counting.write(&counts, &mut bytes).expect("written");
    // It is whole, but not of all deals.
    let refused = counting.read(bytes.as_slice()).expect_err("not all deals");
    assert!(refused.is_miscount(), "{refused}");
    let rainbow = FactClasses { texture: "rainbow".parse::<Texture>().expect("a texture") };
    let other = Counting { classes: &rainbow, ..counting };
    let refused = other.read(bytes.as_slice()).expect_err("other classes").to_string();
    assert!(refused.contains("classes of hands") && refused.contains("rainbow"), "{refused}");
    let turn = Counting { street: Street::Turn, ..counting };
    assert!(turn.read(bytes.as_slice()).expect_err("another street").to_string().contains("turn"));
    for at in [0, 20, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(counting.read(damaged.as_slice()).is_err(), "byte {at}");
        assert!(counting.read(&bytes[..at]).is_err(), "cut at {at}");
    }
}

fn sampler<'a>(tree: &'a BettingTree, buckets: &'a Buckets, street: Street) -> Sampler<'a> {
    const CLASSES: &FactClasses = &FactClasses { texture: Texture::STANDARD };
    Sampler { tree, strategy: &Mixes, buckets, classes: CLASSES, street, flop: None }
}

/// Menus may have up to twelve actions at a decision.
#[test]
fn a_sampler_plays_from_decisions_with_as_many_actions_as_menus_may_have() {
    let menu = "preflop 1: 2x 3x 4x 5x 6x 7x 8x 9x 10x allin\npreflop 2+: allin\n\
                flop turn river 1+: allin";
    let menu = menu.parse().expect("a menu");
    let def = Arc::new(games::nolimit_holdem());
    let tree = BettingTree::new(&def, &menu, 1_000_000).expect("a small tree");
    assert_eq!(tree.node(BettingTree::ROOT).children().len(), 12);
    let (buckets, street) = (buckets(), Street::Flop);
    let sampler = sampler(&tree, &buckets, street);
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for player in Player::BOTH {
        assert_eq!(tree.street(sampler.deal(player, &mut rng).node), street);
    }
}

#[test]
fn a_sampler_deals_each_seat_and_reaches_the_street() {
    let (buckets, tree) = (buckets(), limit());
    for street in STREETS {
        let sampler = sampler(&tree, &buckets, street);
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        for player in Player::BOTH {
            let found = sampler.deal(player, &mut rng);
            assert_eq!(tree.street(found.node), street);
            let won = sampler.play(&found, |_, _: Situation| Move::Fold, &mut rng);
            assert!(won.abs() <= 240.0);
        }
    }
}
