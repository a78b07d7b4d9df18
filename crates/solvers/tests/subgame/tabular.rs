//! The same games written down deal by deal and solved by the tabular solver.

use std::cell::RefCell;
use std::collections::HashMap;

use cards::{CardSet, Combo, HoleCards, Range};
use game::{BySeat, PublicState, Seat, State, Turn, notation};
use solvers::subgame::{Options, Precision, Solver, Spot, Subgame};
use solvers::{Cfr, Game, Node, Player, Profile, Sequences, Tree, Variant};

use super::{Menu, bets, range, short_hand, small_menu, uneven};
use crate::near;

/// A subgame as an extensive game: chance deals both hands and then the board.
struct Written<'a> {
    root: PublicState,
    ranges: [&'a Range; 2],
    menu: Menu<'a>,
    /// The meaning of each information set's name.
    infosets: RefCell<HashMap<String, (Combo, PublicState)>>,
}

type Point = Option<([Combo; 2], PublicState)>;

impl Game for Written<'_> {
    type State = Point;

    fn root(&self) -> Point {
        None
    }

    fn node(&self, point: &Point) -> Node<Point> {
        let Some((hands, public)) = point else { return self.deals() };
        match public.turn() {
            Turn::Over => Node::End(self.payoff(*hands, public)),
            Turn::Deal(_) => {
                let seen: CardSet = public.board().set() | hands[0].set() | hands[1].set();
                let deck = public.def().deck().into_iter().filter(|&card| !seen.contains(card));
                let deck: Vec<_> = deck.collect();
                let probability = 1.0 / deck.len() as f64;
                let outcomes = deck.into_iter().map(|card| {
                    let mut next = public.clone();
                    next.deal(&[card]).expect("a card is due");
                    (probability, Some((*hands, next)))
                });
                Node::Chance(outcomes.collect())
            }
            Turn::Act(seat) => {
                let hand = hands[seat.index()];
                let infoset = format!("{hand} {} {}", public.board(), notation::betting(public));
                self.infosets.borrow_mut().insert(infoset.clone(), (hand, public.clone()));
                let actions = (self.menu)(public).into_iter().map(|action| {
                    let mut next = public.clone();
                    next.apply(action).expect("legal");
                    (format!("{action:?}"), Some((*hands, next)))
                });
                let player = Player::BOTH[seat.index()];
                Node::Decision { player, infoset, actions: actions.collect() }
            }
        }
    }
}

impl Written<'_> {
    fn deals(&self) -> Node<Point> {
        let board: CardSet = self.root.board().set();
        let mut outcomes = Vec::new();
        for (first, weight) in self.ranges[0].combos() {
            for (second, other) in self.ranges[1].combos() {
                let shared = first.set().intersects(second.set());
                if !shared && !(first.set() | second.set()).intersects(board) {
                    outcomes.push((weight * other, Some(([first, second], self.root.clone()))));
                }
            }
        }
        let sum: f64 = outcomes.iter().map(|(weight, _)| weight).sum();
        outcomes.iter_mut().for_each(|(weight, _)| *weight /= sum);
        Node::Chance(outcomes)
    }

    fn payoff(&self, hands: [Combo; 2], public: &PublicState) -> f64 {
        let hole = BySeat::from_fn(2, |seat: Seat| {
            HoleCards::new(&hands[seat.index()].cards()).expect("two cards")
        });
        let payoffs = State { public: public.clone(), hole }.payoffs();
        payoffs.as_slice()[0].chips()
    }
}

/// Solves both ways. The strategies found for ranges, put into the tabular game, are worth there
/// what they were said to be.
fn check(state: &PublicState, texts: [&str; 2], menu: Menu<'_>, options: Options, iterations: u32) {
    let ranges = texts.map(|text| uneven(&range(text)));
    let ranges = ranges.each_ref();
    let written = Written { root: state.clone(), ranges, menu, infosets: RefCell::default() };
    let tree = Tree::new(&written, 2_000_000).expect("a small game");
    let game = Sequences::new(&tree);
    let mut cfr = Cfr::new(&game, options.variant, iterations);
    cfr.run(iterations);
    let exact = cfr.average();

    let subgame = Subgame::new(state, ranges, menu).expect("a subgame");
    let mut solver = Solver::new(subgame, options).expect("small");
    solver.run(iterations);
    let found = solver.evaluate();
    let pot = found.pot();

    let profile = looked_up(&solver, &tree, &game, &written);
    let what = format!("{} {options:?}", state.board());
    near(profile.value(&game), found.values[0], 1e-9 * pot, &what);
    for player in Player::BOTH {
        let best = profile.best_response_value(&game, player);
        near(best, found.best[player.index()], 1e-9 * pot, &what);
    }
    let both = exact.exploitability(&game) + found.exploitability();
    near(exact.value(&game), found.values[0], 2.0 * both + 1e-9, &what);
    assert!(both < 0.02 * pot, "{what}: exploitable by {both} together");
}

/// The solver's average strategy as a profile of the tabular game.
fn looked_up(solver: &Solver, tree: &Tree, game: &Sequences, written: &Written<'_>) -> Profile {
    let infosets = written.infosets.borrow();
    let mut profile = Profile::uniform(game);
    for player in Player::BOTH {
        for (infoset, choice) in tree.infosets(player).iter().zip(game.choices(player)) {
            let (hand, public) = &infosets[&infoset.name];
            let spot = Spot::at_state(solver, public).expect("in the subgame");
            assert_eq!(spot.player(), Some(player));
            let strategy = spot.strategy(*hand).expect("in the range");
            profile.0[player.index()][choice.sequences()].copy_from_slice(&strategy);
        }
    }
    profile
}

#[test]
fn every_algorithm_takes_the_same_steps_as_the_tabular_solver() {
    // Few iterations, before rounding to 32 bits shows, and on a river: on turns of a short deck
    // there are ties between actions, which fall either way.
    let menu = &bets("every 1: 75% allin\nevery 2: allin");
    let river = super::hand("TsJhQdKc2c");
    let ranges = ["AsAh,9s9h,AdTd:0.5,5c4c", "KsKh,QsJs,AcAd,7h6h"];
    let ranges = ranges.map(|text| uneven(&range(text)));
    let ranges = ranges.each_ref();
    let written = Written { root: river.clone(), ranges, menu, infosets: RefCell::default() };
    let tree = Tree::new(&written, 2_000_000).expect("a small game");
    let game = Sequences::new(&tree);
    let names = "cfr cfr+ lcfr dcfr dcfr+ pcfr+ pdcfr+ hs-dcfr(15) dcfr-restarting";
    for name in names.split(' ') {
        for how in ["", ",second-first", ",discount-then-add", ",second-first,discount-then-add"] {
            let variant: Variant = format!("{name}{how}").parse().expect("an algorithm");
            let subgame = Subgame::new(&river, ranges, menu).expect("a subgame");
            let options = Options { variant, horizon: 20, ..Options::default() };
            let mut solver = Solver::new(subgame, options).expect("small");
            let mut cfr = Cfr::new(&game, variant, 20);
            for iterations in [1, 2, 5] {
                cfr.run(iterations - cfr.iterations());
                solver.run(iterations - solver.iterations());
                let (exact, found) = (cfr.average(), solver.evaluate());
                let what = format!("{variant} after {iterations}");
                // Rounding in 32 bits decides what a hand does that is indifferent.
                near(exact.value(&game), found.values[0], 2e-3, &what);
                for player in Player::BOTH {
                    let best = exact.best_response_value(&game, player);
                    near(best, found.best[player.index()], 2e-3, &what);
                }
            }
        }
    }
}

#[test]
fn rivers_agree_with_the_tabular_solver() {
    for (board, ranges) in [
        ("TsJhQdKc2c", ["AsAh,9s9h,AdTd:0.5,5c4c", "KsKh,QsJs,AcAd,7h6h"]),
        ("2s2h7d7c9s", ["AA,A7s,54s,9h8h:0.25", "KK,A2s,K9s,6s5s"]),
    ] {
        let options = Options::default();
        check(&super::hand(board), ranges, &small_menu(), options, 400);
    }
}

#[test]
fn turns_and_flops_of_a_short_deck_agree_with_the_tabular_solver() {
    let one = bets("every 1: 75%");
    let half = Options { precision: Precision::Half, ..Options::default() };
    let dcfr = Options { variant: Variant::DCFR.discount_then_add(), ..Options::default() };
    let turn = short_hand("TsJsQhAc", 100, 300);
    check(&turn, ["AA,KK,JTs", "QQ,KTs,AJs"], &small_menu(), Options::default(), 300);
    check(&turn, ["AA,KK,JTs", "QQ,KTs,AJs"], &small_menu(), half, 300);
    check(&turn, ["KK,AsKs", "AA,KhTh"], &small_menu(), dcfr, 300);
    let flop = short_hand("TsJsQh", 100, 100);
    for options in [Options::default(), dcfr] {
        check(&flop, ["AhKh,KcKd,AcAd", "AsTh,KhTc,AhAd"], &one, options, 200);
    }
}

#[test]
fn cards_that_symmetric_ranges_cannot_tell_apart_agree_with_the_tabular_solver() {
    // On a board of one suit the other three are alike.
    let state = short_hand("TsJsAs", 100, 60);
    let menu = &bets("every 1: allin");
    let (first, second) = (range("QQ"), range("AKs,KhKd:0.5,KhKc:0.5,KcKd:0.5"));
    let ranges = [&first, &second];
    let written = Written { root: state.clone(), ranges, menu, infosets: RefCell::default() };
    let tree = Tree::new(&written, 2_000_000).expect("a small game");
    let game = Sequences::new(&tree);
    let size = |symmetric| {
        Subgame::with_symmetries(&state, ranges, menu, symmetric)
            .expect("a subgame")
            .size(&Options::default())
    };
    assert!(2 * size(true).cells < size(false).cells, "{:?} {:?}", size(true), size(false));
    let subgame = Subgame::new(&state, ranges, menu).expect("a subgame");
    let mut solver = Solver::new(subgame, Options::default()).expect("small");
    solver.run(100);
    let found = solver.evaluate();
    let profile = looked_up(&solver, &tree, &game, &written);
    // Strategies of cards that are alike are the same, so only rounding differs.
    near(profile.value(&game), found.values[0], 1e-4 * found.pot(), "value");
    let exploitability = profile.exploitability(&game);
    near(exploitability, found.exploitability(), 1e-4 * found.pot(), "exploitability");
    assert!(exploitability < 0.01 * found.pot());
}
