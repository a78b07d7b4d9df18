//! Responses when all deals go on from a few flops.

use std::fmt::Write;
use std::sync::Arc;

use abstraction::betting::{BettingTree, NodeKind};
use abstraction::buckets::Buckets;
use cards::{Card, Combo, evaluate};
use game::{Action, GameDef, Street, games};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use solvers::abstracted::best_response::{ClassCounts, Path, PathProbabilities, Response, Sum};
use solvers::strategy::AbstractStrategy;
use solvers::{Game, Node, Player, Profile, Sequences, Tree};

use super::{CATEGORIES, buckets};
use crate::mixes::Mixes;
use crate::{board, mean_and_error, near};

fn tree(def: GameDef, menu: &str) -> BettingTree {
    BettingTree::new(&Arc::new(def), &menu.parse().expect(menu), 100_000).expect("a small tree")
}

/// Deals on two flops, one of them three times as likely.
fn pair_counts(buckets: &Buckets) -> ClassCounts {
    let mut sum = Sum::default();
    for (text, times) in [("7s7h7d", 3), ("8c8d2c", 1)] {
        let board = board(text);
        let on = ClassCounts::of_paths(buckets, &board).expect("few paths");
        sum.add(&on, times).expect("few paths");
    }
    sum.counts()
}

/// Always this action where it is possible, else a call.
struct Always<'a>(&'a BettingTree, Action);

impl AbstractStrategy for Always<'_> {
    fn probabilities(&self, node: u32, _: u32, shares: &mut [f32]) {
        let index = |action| self.0.actions(node).iter().position(|&known| known == action);
        shares.fill(0.0);
        shares[index(self.1).or(index(Action::Call)).expect("a call")] = 1.0;
    }
}

/// The abstract game written out: chance deals a pair of paths, which win what they do on average.
struct Written<'a> {
    tree: &'a BettingTree,
    pair_counts: &'a ClassCounts,
}

#[derive(Clone, Copy)]
enum At {
    Start,
    Dealt { paths: [Path; 2], shown: f64, node: u32 },
}

impl Written<'_> {
    fn deals(&self) -> Vec<(f64, At)> {
        let (all, paths) = (self.pair_counts.deals() as f64, self.pair_counts.rows());
        let mut deals = Vec::new();
        for (row, &path) in paths.iter().enumerate() {
            for (column, &other) in paths.iter().enumerate() {
                let [matchups, margin] = self.pair_counts.cell(row, column);
                if matchups > 0 {
                    let shown = margin as f64 / matchups as f64;
                    let at = At::Dealt { paths: [path, other], shown, node: BettingTree::ROOT };
                    deals.push((matchups as f64 / all, at));
                }
            }
        }
        deals
    }
}

impl Game for Written<'_> {
    type State = At;

    fn root(&self) -> At {
        At::Start
    }

    fn node(&self, at: &At) -> Node<At> {
        let At::Dealt { paths, shown, node } = *at else { return Node::Chance(self.deals()) };
        let chips = f64::from(self.tree.committed(node).into_iter().min().expect("two"));
        match self.tree.node(node).kind {
            NodeKind::Fold { winner } => Node::End(if winner == 0 { chips } else { -chips }),
            NodeKind::Showdown => Node::End(chips * shown),
            NodeKind::Decision { seat, street, .. } => {
                let seen = &paths[usize::from(seat)][..=usize::from(street)];
                let mut infoset = format!("{node}");
                seen.iter().for_each(|bucket| write!(infoset, " {bucket}").expect("a text"));
                let children = self.tree.node(node).children();
                let go = |node: u32| (node.to_string(), At::Dealt { paths, shown, node });
                let actions = children.map(go).collect();
                Node::Decision { player: Player::BOTH[usize::from(seat)], infoset, actions }
            }
        }
    }
}

/// The same strategy in the game written out.
fn profile(tree: &Tree, game: &Sequences, strategy: &dyn AbstractStrategy) -> Profile {
    let mut profile = Profile::uniform(game);
    for player in Player::BOTH {
        for (infoset, choice) in tree.infosets(player).iter().zip(game.choices(player)) {
            let numbers = infoset.name.split(' ').map(|part| part.parse().expect("a number"));
            let numbers: Vec<u32> = numbers.collect();
            let mut shares = vec![0.0; choice.count as usize];
            strategy.probabilities(numbers[0], *numbers.last().expect("a bucket"), &mut shares);
            let shares: Vec<f64> = shares.into_iter().map(f64::from).collect();
            profile.0[player.index()][choice.sequences()].copy_from_slice(&shares);
        }
    }
    profile
}

#[test]
fn responses_are_those_of_the_game_written_out() {
    let buckets = buckets(CATEGORIES);
    let pair_counts = pair_counts(&buckets);
    let probabilities = PathProbabilities::new(&pair_counts);
    for (def, menu) in [
        (games::limit_holdem(), "turn 1: min\nriver 1: min"),
        (games::limit_holdem(), "preflop 1: min\nflop 1: min"),
        // All-in, cards are shown that nobody has bet on.
        (games::nolimit_holdem(), "preflop 1: 4x\nflop 1: allin\nriver 1: pot"),
    ] {
        let tree = tree(def, menu);
        let written = Written { tree: &tree, pair_counts: &pair_counts };
        let laid_out = Tree::new(&written, 2_000_000).expect("few nodes");
        let game = Sequences::new(&laid_out);
        let profile = profile(&laid_out, &game, &Mixes);
        let value = profile.value(&game);
        near(probabilities.value(&tree, &Mixes, Player::First), value, 1e-3, menu);
        near(probabilities.value(&tree, &Mixes, Player::Second), -value, 1e-3, menu);
        for player in Player::BOTH {
            let won = probabilities.best_response(&tree, &Mixes, player).won;
            near(won, profile.best_response_value(&game, player), 1e-3, menu);
            assert!(won > if player == Player::First { value } else { -value }, "{menu}");
        }
    }
}

#[test]
fn always_folding_loses_the_blinds() {
    let probabilities = PathProbabilities::new(&pair_counts(&buckets(CATEGORIES)));
    let tree = tree(games::limit_holdem(), "every 1+: min");
    let folds = Always(&tree, Action::Fold);
    let [first, second] =
        Player::BOTH.map(|seat| probabilities.best_response(&tree, &folds, seat).won);
    // The small blind in seat 0, by a raise the big one in seat 1.
    near(first, 5.0, 1e-9, "seat 0");
    near(second, 10.0, 1e-9, "seat 1");
}

/// Sums of the margins of paths, of those that are dealt with each starting bucket.
fn margins(pair_counts: &ClassCounts) -> Vec<(Path, f64)> {
    let all = pair_counts.deals() as f64;
    let count = pair_counts.rows().len();
    let margin = |path: usize| -> f64 {
        (0..count).map(|other| pair_counts.cell(path, other)[1] as f64).sum::<f64>() / all
    };
    pair_counts.rows().iter().enumerate().map(|(at, &path)| (path, margin(at))).collect()
}

#[test]
fn from_a_caller_each_path_wins_the_most_it_can_bet() {
    let buckets = buckets(CATEGORIES);
    let pair_counts = pair_counts(&buckets);
    let (probabilities, margins) = (PathProbabilities::new(&pair_counts), margins(&pair_counts));
    // On the river a bet of 20 on top of 10, and no way to fold in the big blind.
    let river = tree(games::limit_holdem(), "river 1: min");
    let won = probabilities.best_response(&river, &Always(&river, Action::Call), Player::First).won;
    let expected: f64 = margins.iter().map(|(_, margin)| (10.0 * margin).max(30.0 * margin)).sum();
    near(won, expected, 1e-9, "the river");
    // All-in for 200 big blinds before any card of the board is seen, from the small blind.
    let push = tree(games::nolimit_holdem(), "preflop 1: allin");
    let won = probabilities.best_response(&push, &Always(&push, Action::Call), Player::Second).won;
    let mut expected = 0.0;
    for pair in [0, 1] {
        let of_pair = margins.iter().filter(|(path, _)| path[0] == pair);
        let margin: f64 = of_pair.map(|(_, margin)| margin).sum();
        let number = probabilities.number(&[pair]).expect("pairs and others are dealt");
        let dealt: f64 = (0..2)
            .map(|other| probabilities.pair_probability(Street::Preflop, number, other))
            .sum();
        expected += (-50.0 * dealt).max(100.0 * margin).max(20_000.0 * margin);
    }
    near(won, expected, 1e-6, "all-in");
}

#[test]
fn paths_of_every_street_add_up_to_all_deals() {
    let probabilities = PathProbabilities::new(&pair_counts(&buckets(CATEGORIES)));
    for street in Street::ALL {
        let count = probabilities.count(street);
        let pairs = (0..count).flat_map(|path| (0..count).map(move |other| (path, other)));
        near(
            pairs.map(|(a, b)| probabilities.pair_probability(street, a, b)).sum(),
            1.0,
            1e-12,
            street.name(),
        );
    }
    for (number, path) in probabilities.paths().iter().enumerate() {
        assert_eq!(probabilities.number(path), Some(number));
        assert!(probabilities.number(&path[..2]).is_some());
    }
    // Nobody goes from a pair to nothing.
    assert_eq!(probabilities.number(&[0, 3, 0]), None);
    assert_eq!(probabilities.number(&[]), None);
}

/// One hand on this flop: what the responder in this seat wins, following its choices.
fn play(
    probabilities: &PathProbabilities,
    tree: &BettingTree,
    buckets: &Buckets,
    (response, seat): (&Response, Player),
    rng: &mut Pcg64Mcg,
) -> f64 {
    let mut board = board("7s7h7d");
    let mut draw = |taken: cards::CardSet| loop {
        let card = Card::from_index(rng.random_range(0..52)).expect("a card");
        if !taken.contains(card) {
            return card;
        }
    };
    let mut taken = board.set();
    let mut cards = [Card::from_index(0).expect("a card"); 6];
    for card in &mut cards {
        *card = draw(taken);
        taken.insert(*card);
    }
    let hands = [[0, 1], [2, 3]].map(|at| Combo::new(cards[at[0]], cards[at[1]]).expect("two"));
    board.push(cards[4]);
    board.push(cards[5]);
    let [responder, agent] = [seat.index(), 1 - seat.index()].map(|at| hands[at]);
    let seen = |hand, street: usize| {
        let cards = board[..[0, 3, 4, 5][street]].iter().copied().collect();
        buckets.of_combo(hand, cards).expect("a hand beside the board")
    };
    let mut node = BettingTree::ROOT;
    loop {
        let chips = f64::from(tree.committed(node).into_iter().min().expect("two"));
        match tree.node(node).kind {
            NodeKind::Fold { winner } if usize::from(winner) == seat.index() => return chips,
            NodeKind::Fold { .. } => return -chips,
            NodeKind::Showdown => {
                let [own, other] =
                    [responder, agent].map(|hand| evaluate(hand.set() | board.set()));
                return chips * f64::from(own.cmp(&other) as i8);
            }
            NodeKind::Decision { seat: acting, street, .. } => {
                let street = usize::from(street);
                let children = tree.node(node).children();
                let index = if usize::from(acting) == seat.index() {
                    let path: Vec<u16> =
                        (0..=street).map(|street| seen(responder, street) as u16).collect();
                    let number = probabilities.number(&path).expect("a path that is dealt");
                    usize::from(response.choices[node as usize][number])
                } else {
                    let mut shares = vec![0.0; children.len()];
                    Mixes.probabilities(node, seen(agent, street), &mut shares);
                    let mut point: f32 = rng.random();
                    let passed = |share: &f32| {
                        point -= share;
                        point < 0.0
                    };
                    shares.iter().position(passed).unwrap_or(children.len() - 1)
                };
                node = children.start + index as u32;
            }
        }
    }
}

#[test]
fn played_out_the_response_wins_what_it_says() {
    let buckets = buckets(CATEGORIES);
    let on_flop = ClassCounts::of_paths(&buckets, &board("7s7h7d")).expect("few paths");
    let probabilities = PathProbabilities::new(&on_flop);
    let tree = tree(games::limit_holdem(), "every 1: min");
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    for seat in Player::BOTH {
        let response = probabilities.best_response(&tree, &Mixes, seat);
        let hands = testing::size(20_000, 1_000_000);
        let won: Vec<f64> = (0..hands)
            .map(|_| play(&probabilities, &tree, &buckets, (&response, seat), &mut rng))
            .collect();
        let (mean, error) = mean_and_error(&won);
        near(mean, response.won, 4.0 * error, "in play");
    }
}
