//! The blueprint trainer on games whose solutions are known, its snapshots, and what must be
//! refused.

use std::sync::Arc;

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::menu::BetMenu;
use cards::{Card, Rank, Suit};
use game::{GameDef, Street};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use solvers::blueprint::learned::{ResponseOptions, exploitability_at_least, respond};
use solvers::blueprint::{
    Averaging, BLOCK, Deal, Deals, Frozen, Precision, Skipping, Trainer, TrainingOptions,
    head_to_head,
};
use solvers::strategy::AbstractStrategy;
use solvers::{Player, Profile, Sequences, Tree};

use crate::{check_damaged, small};

/// Kuhn and Leduc poker without abstraction: a bucket says which ranks a player sees.
#[derive(Clone)]
struct Ranks {
    deck: Vec<Card>,
    name: &'static str,
}

impl Ranks {
    fn new(def: &GameDef, name: &'static str) -> Ranks {
        Ranks { deck: def.deck(), name }
    }
}

impl Deals for Ranks {
    fn buckets(&self, street: Street) -> u32 {
        if street == Street::Preflop { 3 } else { 9 }
    }

    fn hash(&self) -> String {
        self.name.to_owned()
    }

    fn deal(&self, rng: &mut Pcg64Mcg) -> Deal {
        let mut deck = self.deck.clone();
        let [a, b, board] =
            std::array::from_fn(|_| rank(deck.swap_remove(rng.random_range(0..deck.len()))));
        let own = [a, b];
        // One private card in Kuhn poker's deck of three: the board is what nobody holds, and means
        // nothing.
        let strength = |rank: u32| if self.deck.len() > 3 && rank == board { 10 } else { rank };
        Deal {
            buckets: own.map(|rank| [rank, 3 * rank + board, 0, 0]),
            shown: strength(a).cmp(&strength(b)) as i8,
        }
    }
}

/// 0 to 2, from the lowest of the three ranks.
fn rank(card: Card) -> u32 {
    u32::from(card.rank().index() + 3 - Rank::COUNT)
}

fn tree(def: GameDef) -> Arc<BettingTree> {
    let menu: BetMenu = "every 1+: min".parse().expect("a menu");
    Arc::new(BettingTree::new(&Arc::new(def), &menu, 10_000).expect("a small tree"))
}

fn leduc(options: TrainingOptions) -> Trainer<Ranks> {
    let def = game::games::leduc();
    Trainer::new(tree(def.clone()), Ranks::new(&def, "leduc"), options).expect("small tables")
}

fn quick() -> TrainingOptions {
    TrainingOptions { period: 10 * BLOCK, skipping: None, ..TrainingOptions::default() }
}

/// A strategy as one of the whole game, whose information sets are named `HOLE BOARD BETTING`.
fn profile(strategy: &dyn AbstractStrategy, tree: &BettingTree, whole: &Tree) -> Profile {
    let game = Sequences::new(whole);
    let mut profile = Profile::uniform(&game);
    for player in Player::BOTH {
        let infosets = whole.infosets(player);
        for (infoset, choice) in infosets.iter().zip(game.choices(player)) {
            let mut parts = infoset.name.split(' ');
            let mut ranks = || {
                let cards: cards::Board = parts.next().expect("cards").parse().expect("cards");
                cards.first().map(|&card| rank(card))
            };
            let (own, board) = (ranks().expect("a hole card"), ranks());
            let betting = parts.next().expect("the betting");
            let bucket = board.map_or(own, |board| 3 * own + board);
            let node = (0..tree.nodes().len() as u32).find(|&node| {
                matches!(tree.node(node).kind, NodeKind::Decision { .. })
                    && tree.betting(node) == betting
            });
            let mut shares = vec![0.0; choice.count as usize];
            strategy.probabilities(node.expect(betting), bucket, &mut shares);
            for (sequence, share) in choice.sequences().zip(shares) {
                profile.0[player.index()][sequence] = share.into();
            }
        }
    }
    profile
}

fn exploitability(trainer: &Trainer<Ranks>, whole: &Tree) -> f64 {
    profile(trainer, trainer.tree(), whole).exploitability(&Sequences::new(whole))
}

#[test]
fn kuhn_poker_gets_its_value() {
    let whole = small::kuhn();
    let def = game::games::kuhn();
    let mut trainer =
        Trainer::new(tree(def.clone()), Ranks::new(&def, "kuhn"), quick()).expect("small tables");
    trainer.run(400_000, 1, || false);
    let found = profile(&trainer, trainer.tree(), &whole);
    let game = Sequences::new(&whole);
    assert!(found.exploitability(&game) < 0.003, "{}", found.exploitability(&game));
    assert!((found.value(&game) + 1.0 / 18.0).abs() < 0.002, "{}", found.value(&game));
}

#[test]
fn leduc_poker_is_solved_more_closely_the_longer_it_is_trained() {
    let whole = small::leduc();
    let mut trainer = leduc(quick());
    let mut found = Vec::new();
    for iterations in [5_000, 50_000, 500_000] {
        trainer.run(iterations, 1, || false);
        found.push(exploitability(&trainer, &whole));
    }
    assert!(found[0] > 2.0 * found[1] && found[1] > 2.0 * found[2], "{found:?}");
    assert!(found[2] < 0.03, "{found:?}");
}

fn weighted(regrets: f64) -> Averaging {
    Averaging::Weighted { regrets, average: 2.0 }
}

fn discounted(positive: f64) -> Averaging {
    Averaging::Discounted { positive, negative: 0.0, average: 2.0 }
}

fn discounted_half(skipping: Option<Skipping>) -> TrainingOptions {
    let (averaging, precision) = (discounted(1.5), Precision::Half);
    TrainingOptions { averaging, precision, skipping, ..quick() }
}

#[test]
fn every_way_of_training_solves_leduc_poker() {
    let whole = small::leduc();
    let skipping = Some(Skipping { below: 300.0, after: 10_000 });
    for (name, options, threads, bound) in [
        ("plain", TrainingOptions { averaging: Averaging::PLAIN, ..quick() }, 1, 0.12),
        ("squares", TrainingOptions { averaging: weighted(1.0), ..quick() }, 1, 0.06),
        ("discounted", TrainingOptions { averaging: discounted(1.5), ..quick() }, 1, 0.06),
        ("discounted, skipping", discounted_half(skipping), 1, 0.08),
        ("half precision", TrainingOptions { precision: Precision::Half, ..quick() }, 1, 0.08),
        ("skipping", TrainingOptions { skipping, ..quick() }, 1, 0.06),
        ("two threads", quick(), 2, 0.06),
    ] {
        let mut trainer = leduc(options);
        trainer.run(200_000, threads, || false);
        let found = exploitability(&trainer, &whole);
        assert!(found < bound, "{name}: {found}");
    }
}

#[test]
fn skipping_looks_at_fewer_nodes() {
    let nodes = |skipping| {
        let mut trainer = leduc(TrainingOptions { skipping, ..quick() });
        trainer.run(100_000, 1, || false);
        trainer.statistics().nodes
    };
    let (all, fewer) = (nodes(None), nodes(Some(Skipping { below: 300.0, after: 10_000 })));
    assert!(fewer < all * 9 / 10, "{fewer} of {all}");
}

#[test]
fn a_training_goes_on_from_its_snapshot_as_if_nothing_had_happened() {
    for options in [
        quick(),
        TrainingOptions { precision: Precision::Half, ..quick() },
        TrainingOptions { averaging: discounted(1.5), period: 5 * BLOCK, ..quick() },
        TrainingOptions { period: 3_000, ..discounted_half(None) },
    ] {
        let mut whole = leduc(options);
        whole.run(40 * BLOCK, 1, || false);
        let mut first = leduc(options);
        first.run(15 * BLOCK, 1, || false);
        let kept = written(&first);
        drop(first);
        let mut second = resumed(options, &kept).expect("a snapshot");
        assert_eq!(second.iterations(), 15 * BLOCK);
        assert_eq!(written(&second), kept);
        second.run(25 * BLOCK, 1, || false);
        assert_eq!(written(&second), written(&whole));
    }
}

fn written(trainer: &Trainer<Ranks>) -> Vec<u8> {
    let mut bytes = Vec::new();
    trainer.write(&mut bytes).expect("memory does not fail");
    bytes
}

fn resumed(options: TrainingOptions, bytes: &[u8]) -> Result<Trainer<Ranks>, solvers::Error> {
    let def = game::games::leduc();
    let deals = Ranks::new(&def, "leduc");
    Trainer::resume(tree(def), deals, options, bytes)
}

#[test]
fn snapshots_of_other_trainings_and_damaged_ones_are_refused() {
    let mut trainer = leduc(quick());
    trainer.run(BLOCK, 1, || false);
    let bytes = written(&trainer);
    let message = |result: Result<Trainer<Ranks>, solvers::Error>| match result {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    };

    check_damaged(&bytes, "training", 18, 1, |bytes| message(resumed(quick(), bytes)));
    assert!(
        message(resumed(quick(), b"something else altogether")).contains("not a training file")
    );
    let text = message(resumed(TrainingOptions { seed: 2, ..quick() }, &bytes));
    assert!(text.contains("seed 1`") && text.contains("seed 2`"), "{text}");
    let def = game::games::leduc();
    let menu: BetMenu = "every 1: min".parse().expect("a menu");
    let smaller = BettingTree::new(&Arc::new(def.clone()), &menu, 10_000).expect("a small tree");
    for (tree, name, words) in [
        (tree(def.clone()), "others", &["`leduc`", "`others`"][..]),
        (tree(game::games::kuhn()), "leduc", &["its game is"]),
        (Arc::new(smaller), "leduc", &["its menu is"]),
    ] {
        let text = message(Trainer::resume(tree, Ranks::new(&def, name), quick(), &*bytes));
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    // More memory may be allowed than before.
    assert!(resumed(TrainingOptions { memory: 16 << 30, ..quick() }, &bytes).is_ok());
}

#[test]
fn a_training_stops_when_it_is_told_to_and_counts_what_it_did() {
    let mut trainer = leduc(quick());
    trainer.run(u64::MAX / 2, 2, {
        let asked = std::sync::atomic::AtomicU32::new(0);
        move || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 5
    });
    assert_eq!(trainer.iterations(), 5 * BLOCK);
    let statistics = trainer.statistics();
    assert_eq!(statistics.iterations, 5 * BLOCK);
    assert_eq!(statistics.infosets, 3 * 6 + 9 * 30);
    assert!(statistics.nodes > 10 * statistics.iterations, "{statistics:?}");
    assert!(statistics.touched > 0.9 * 288.0 && statistics.change.is_none(), "{statistics:?}");
    assert_eq!(trainer.statistics().change, Some(0.0));
    trainer.run(BLOCK, 1, || false);
    assert!(trainer.statistics().change.is_some_and(|change| change > 0.0));
}

#[test]
fn averages_are_distributions_and_there_are_none_elsewhere() {
    let mut trainer = leduc(quick());
    assert_eq!(trainer.average(0, 0), Some(vec![0.5, 0.5]));
    trainer.run(20 * BLOCK, 1, || false);
    for (number, node) in (0..).zip(trainer.tree().nodes()) {
        let NodeKind::Decision { street, .. } = node.kind else {
            assert_eq!(trainer.average(number, 0), None);
            continue;
        };
        let buckets = if street == 0 { 3 } else { 9 };
        for bucket in 0..buckets {
            let shares = trainer.average(number, bucket).expect("a decision");
            assert_eq!(shares.len(), node.children().len());
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
        assert_eq!(trainer.average(number, buckets), None);
    }
    assert_eq!(trainer.average(u32::MAX, 0), None);
}

struct Uniform;

impl AbstractStrategy for Uniform {
    fn probabilities(&self, _: u32, _: u32, shares: &mut [f32]) {
        shares.fill(1.0 / shares.len() as f32);
    }
}

#[test]
fn responders_find_most_of_what_there_is_to_win_and_never_more() {
    let whole = small::leduc();
    let game = Sequences::new(&whole);
    let trainer = leduc(quick());
    let uniform = profile(&Uniform, trainer.tree(), &whole);
    let options = ResponseOptions { iterations: 50_000, hands: 200_000, threads: 2, seed: 5 };
    for (seat, player) in Player::BOTH.into_iter().enumerate() {
        let best = uniform.best_response_value(&game, player);
        let found =
            respond(trainer.tree(), trainer.deals(), &Uniform, seat, options).expect("small");
        assert!(
            found.mean > best - 0.1 && found.mean < best + 4.0 * found.error,
            "{found:?} of {best}"
        );
    }
    // One that learns nothing plays as the strategy does.
    let nothing = ResponseOptions { iterations: 0, ..options };
    for (seat, sign) in [(0, 1.0), (1, -1.0)] {
        let found =
            respond(trainer.tree(), trainer.deals(), &Uniform, seat, nothing).expect("small");
        let off = found.mean - sign * uniform.value(&game);
        assert!(off.abs() < 4.0 * found.error, "{found:?}");
    }
    let both = exploitability_at_least(trainer.tree(), trainer.deals(), &Uniform, options);
    let exact = uniform.exploitability(&game);
    let found = both.expect("small");
    assert!((found.mean - exact).abs() < 0.1, "{found:?} of {exact}");
}

#[test]
fn strategies_meet_with_the_value_that_the_whole_game_gives_them() {
    let whole = small::leduc();
    let game = Sequences::new(&whole);
    let mut trainer = leduc(quick());
    trainer.run(100 * BLOCK, 1, || false);
    let frozen = Frozen::from_trainer(&trainer);
    let meet = |a: &dyn AbstractStrategy, b: &dyn AbstractStrategy, threads| {
        head_to_head(trainer.tree(), trainer.deals(), [a, b], 400_000, threads, 3).expect("small")
    };
    let [mine, others] = [&trainer as &dyn AbstractStrategy, &Uniform]
        .map(|strategy| profile(strategy, trainer.tree(), &whole));
    let value = |first: &Profile, second: &Profile| {
        Profile([first.0[0].clone(), second.0[1].clone()]).value(&game)
    };
    let expected = (value(&mine, &others) - value(&others, &mine)) / 2.0;
    let found = meet(&trainer, &Uniform, 2);
    assert!((found.mean - expected).abs() < 4.0 * found.error, "{found:?}, not {expected}");
    assert_eq!(found, meet(&trainer, &Uniform, 1));
    let same = meet(&trainer, &frozen, 2);
    assert!(same.mean.abs() < 4.0 * same.error && same.error < 0.02, "{same:?}");
}

#[test]
fn what_does_not_fit_is_refused_before_memory_is_taken() {
    let def = game::games::leduc();
    let make = |options| Trainer::new(tree(def.clone()), Ranks::new(&def, "leduc"), options).err();
    let found = make(TrainingOptions { memory: 1000, ..quick() });
    // 288 information sets of 696 actions.
    let text = found.expect("an error").to_string();
    assert!(text.contains("288 information sets") && text.contains("fewer buckets"), "{text}");
    for options in [
        TrainingOptions { period: 0, ..quick() },
        TrainingOptions { averaging: discounted(1.5), period: BLOCK - 1, ..quick() },
        TrainingOptions { averaging: weighted(-1.0), ..quick() },
        TrainingOptions { averaging: discounted(5.0), ..quick() },
        TrainingOptions { skipping: Some(Skipping { below: 0.0, after: 0 }), ..quick() },
        TrainingOptions { skipping: Some(Skipping { below: f64::NAN, after: 0 }), ..quick() },
    ] {
        let text = make(options).expect("an error").to_string();
        assert!(text.contains(", but must be "), "{options:?}: {text}");
    }
}

#[test]
fn averagings_read_what_they_print() {
    for text in "plain linear weighted(1,2) weighted(0.5,1.5) discounted(1.5,-0.5,2)".split(' ') {
        let averaging: Averaging = text.parse().expect(text);
        assert_eq!(averaging.to_string(), text);
    }
    assert_eq!("weighted(1,1)".parse(), Ok(Averaging::LINEAR));
    let wrong = " square weighted(1) weighted(1,2,3) weighted(-1,1) weighted(NaN,1) weighted(5,1) \
                 discounted(1.5,0) discounted(1.5,-5,2)";
    for text in wrong.split(' ') {
        assert!(text.parse::<Averaging>().is_err(), "{text}");
    }
}

/// Suits play no part in these games, but cards have them.
#[test]
fn leduc_deals_are_those_of_the_game() {
    use rand::SeedableRng;
    let def = game::games::leduc();
    let deals = Ranks::new(&def, "leduc");
    assert_eq!(def.deck().len(), 6);
    assert!(def.deck().iter().all(|card| card.suit() >= Suit::new(2).expect("hearts")));
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let ties = (0..60_000).filter(|_| deals.deal(&mut rng).shown == 0).count();
    // Both hold the same rank in one deal of five.
    assert!((11_500..12_500).contains(&ties), "{ties}");
}
