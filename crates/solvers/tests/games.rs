//! The games written down for the solvers, and games that must be refused.

use solvers::games::{Dealt, TenCards};
use solvers::{Game, Node, Player, Profile, Sequences, Tree, linear};

/// The pot of 1 is counted to whoever wins it: half more than the winnings net of the ante.
fn value_in_pots(game: &TenCards) -> (Tree, f64, Profile) {
    let tree = Tree::new(game, 20_000).expect("small");
    let equilibrium = linear::solve(&Sequences::new(&tree)).expect("solvable");
    (tree, equilibrium.value + 0.5, equilibrium.profile)
}

fn only(cards: &[usize]) -> [f64; 10] {
    std::array::from_fn(|card| if cards.contains(&(card + 1)) { 1.0 } else { 0.0 })
}

#[test]
fn the_ten_card_endgame_has_its_known_values() {
    let (tree, value, profile) = value_in_pots(&TenCards::uniform());
    assert!((value - 0.565_736_485_736_485_6).abs() < 1e-9, "{value}");
    assert!(profile.exploitability(&Sequences::new(&tree)) < 1e-9);
    // Always 1 or 10 against always 5, and the other way round.
    let game = TenCards::new(only(&[1, 10]), only(&[5])).expect("possible");
    assert!((value_in_pots(&game).1 - 0.875).abs() < 1e-9);
    let game = TenCards::new(only(&[5]), only(&[1, 10])).expect("possible");
    assert!((value_in_pots(&game).1 - 0.5).abs() < 1e-9);
}

#[test]
fn weights_that_make_no_deal_are_refused() {
    assert!(TenCards::new(only(&[5]), only(&[5])).is_err());
    assert!(TenCards::new(only(&[]), only(&[5])).is_err());
    assert!(TenCards::new([-1.0; 10], [1.0; 10]).is_err());
    assert!(TenCards::new([f64::NAN; 10], [1.0; 10]).is_err());
}

#[test]
fn three_players_are_refused() {
    let def = game::games::nolimit_holdem_with(vec![1_000; 3]);
    let refused = Dealt::new(def.into()).map(|_| ()).expect_err("three").to_string();
    assert!(refused.contains("3 players"), "{refused}");
}

#[test]
fn a_game_that_is_too_large_is_refused_with_the_limit() {
    let game = Dealt::new(game::games::leduc().into()).expect("two players");
    let refused = Tree::new(&game, 500).map(|_| ()).expect_err("more nodes");
    assert!(refused.is_too_large() && refused.to_string().contains("500 nodes"), "{refused}");
}

/// A game made wrongly on purpose.
struct Broken(u8);

impl Game for Broken {
    type State = Vec<u8>;

    fn root(&self) -> Vec<u8> {
        Vec::new()
    }

    fn node(&self, state: &Vec<u8>) -> Node<Vec<u8>> {
        let next = |choice: u8| {
            let mut next = state.clone();
            next.push(choice);
            next
        };
        let decision = |infoset: &str, names: &[&str]| Node::Decision {
            player: Player::First,
            infoset: infoset.to_owned(),
            actions: (0..).zip(names).map(|(at, name)| ((*name).to_owned(), next(at))).collect(),
        };
        match (self.0, state.as_slice()) {
            // Chance that does not sum to one.
            (0, []) => Node::Chance(vec![(0.5, next(0)), (0.4, next(1))]),
            // One information set with different actions.
            (1, []) => Node::Chance(vec![(0.5, next(0)), (0.5, next(1))]),
            (1, [0]) => decision("x", &["a", "b"]),
            (1, [1]) => decision("x", &["a", "c"]),
            // A player who forgets.
            (2, []) => decision("x", &["a", "b"]),
            (2, [_]) => decision("y", &["a", "b"]),
            // Nothing to choose from.
            (3, []) => decision("x", &[]),
            _ => Node::End(0.0),
        }
    }
}

#[test]
fn games_written_down_wrongly_are_refused() {
    let expected = ["sum to 0.9", "'x' offers different actions", "'y' is reached", "no children"];
    for (kind, expected) in (0..).zip(expected) {
        let error = Tree::new(&Broken(kind), 100).map(|_| ()).expect_err("broken").to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn moving_all_in_or_folding_is_worth_its_known_values() {
    let kinds = cards::StartingHand::all;
    let matrix = cards::PreflopTable::embedded().matrix();
    let all_in: Vec<_> = kinds()
        .flat_map(|small| kinds().map(move |big| (small, big)))
        .map(|(a, b)| matrix.get(a, b))
        .collect();
    for (stack, known) in [(5.0, 0.056_200_67), (10.0, -0.045_370_75), (20.0, -0.183_189_72)] {
        let game = solvers::games::ShoveFold::new(stack, &all_in).expect("a stack");
        let tree = Tree::new(&game, 200_000).expect("small");
        let sequences = Sequences::new(&tree);
        let mut cfr = solvers::Cfr::new(&sequences, solvers::Variant::DCFR_PLUS, 400);
        cfr.run(400);
        let profile = cfr.average();
        // The value lies between what each player's best response allows the other.
        let [first, second] =
            Player::BOTH.map(|player| profile.best_response_value(&sequences, player));
        assert!(-second - 1e-6 <= known && known <= first + 1e-6, "{stack}: {known}");
        assert!(first + second < 2e-4, "{stack}: {first} {second}");
    }
}
