//! Places in the middle of a street solved anew, with and without an offer to one player.

use cards::{Combo, HoleCards, Range};
use game::{Action, BySeat, PublicState, Seat, State, Turn, notation};
use solvers::subgame::{EntryChoice, Gadget, HandValue, Options, Solver, Spot, Subgame};
use solvers::{Game, Node, Player, Sequences, Tree, linear};

use super::{bets, range, short_hand, small_menu, solver, uneven};
use crate::near;

/// A river solved from its beginning, and the state in which the second player answers a bet.
fn river() -> (Solver, PublicState) {
    let root = short_hand("TsTcQhAcJd", 100, 300);
    let menu = &small_menu();
    let mut solver = solver(&root, [&uneven(&range("random")), &range("random")], menu);
    solver.run(3000);
    let mut bet = root.clone();
    bet.apply(solver.spot().actions()[1]).expect("a bet");
    (solver, bet)
}

fn anew(state: &PublicState, ranges: [&Range; 2]) -> Subgame {
    Subgame::new(state, ranges, &small_menu()).expect("a subgame")
}

/// Chips of each combo, by its number.
fn by_number(hands: &[HandValue], value: impl Fn(&HandValue) -> f64) -> Vec<f64> {
    let mut all = vec![0.0; Combo::COUNT];
    hands.iter().for_each(|hand| all[hand.combo.index()] = value(hand));
    all
}

fn wins(hands: &[HandValue], range: &Range) -> f64 {
    let weighed = |value: &dyn Fn(&HandValue) -> f64| -> f64 {
        hands.iter().map(|hand| range.weight(hand.combo) * value(hand)).sum()
    };
    weighed(&|hand| hand.unblocked_weight * hand.value) / weighed(&|hand| hand.unblocked_weight)
}

/// A gadget for the first player, each of whose hands is dealt alike and has the choice.
fn each_hand(offers: Vec<f64>, forced: f64) -> Gadget {
    Gadget {
        player: Player::First,
        offers,
        dealt: vec![1.0; Combo::COUNT],
        forced,
        choice: EntryChoice::EachHand,
    }
}

#[test]
fn a_player_who_faces_a_bet_wins_alone_what_it_wins_in_the_whole_street() {
    let (mut whole, bet) = river();
    let spot = Spot::at_state(&whole, &bet).expect("in the tree");
    let [first, second] = Player::BOTH.map(|player| spot.range(player).clone());
    assert_eq!(spot.player(), Some(Player::Second));
    let there = whole.values_at(&bet).expect("in the tree");
    let mut alone = Solver::new(anew(&bet, [&first, &second]), Options::default()).expect("fits");
    alone.run(2000);
    let found = alone.evaluate();
    near(found.values[1], wins(&there[1], &second), 0.1, "value");
    near(found.values[0] + found.values[1], 0.0, 1e-9, "zero sum");
    assert!(found.share_of_pot() < 1e-3, "{}", found.share_of_pot());
}

#[test]
fn a_gadget_that_leaves_no_choice_changes_nothing() {
    let (whole, bet) = river();
    let spot = Spot::at_state(&whole, &bet).expect("in the tree");
    let ranges = Player::BOTH.map(|player| spot.range(player).clone());
    let gadget = each_hand(vec![50.0; Combo::COUNT], 1.0);
    let subgame = || anew(&bet, ranges.each_ref());
    let mut plain = Solver::new(subgame(), Options::default()).expect("fits");
    let mut forced = Solver::with_gadget(subgame(), Options::default(), &gadget).expect("fits");
    plain.run(50);
    forced.run(50);
    assert_eq!(plain.spot().strategies(), forced.spot().strategies());
    assert_eq!(plain.evaluate(), forced.evaluate());
}

#[test]
fn whoever_is_offered_more_than_it_can_win_leaves_and_else_comes() {
    let (_, bet) = river();
    let random = range("random");
    for (offer, comes) in [(1000.0, false), (-1000.0, true)] {
        let gadget = each_hand(vec![offer; Combo::COUNT], 0.0);
        let subgame = anew(&bet, [&random, &random]);
        let mut solver = Solver::with_gadget(subgame, Options::default(), &gadget).expect("fits");
        solver.run(200);
        let found = solver.evaluate();
        let here = solver.spot();
        let hands = found.hands[0].iter().map(|hand| here.range(Player::First).weight(hand.combo));
        let (least, most) = hands.fold((1.0f64, 0.0f64), |(l, m), w| (l.min(w), m.max(w)));
        assert!(if comes { least > 0.99 } else { most < 0.01 }, "{offer}: {least} to {most}");
        near(found.values[0] + found.values[1], 0.0, 1e-3, "zero sum");
        if !comes {
            near(found.values[0], offer, 10.0, "the offer");
        }
        assert!(found.exploitability() >= -1e-9, "{}", found.exploitability());
    }
}

/// The most that a hand of the first player wins beyond what it was worth before, against the
/// second player's answers to a bet, which are found anew for a range that is wrong: every second
/// hand bets, and no other.
fn given_away(forced: f64) -> f64 {
    let (mut whole, bet) = river();
    let spot = Spot::at_state(&whole, &bet).expect("in the tree");
    let [mut wrong, own] = Player::BOTH.map(|player| spot.range(player).clone());
    let before = whole.values_at(&bet).expect("in the tree");
    for (number, combo) in wrong.clone().combos().map(|(combo, _)| combo).enumerate() {
        wrong.set(combo, if number % 2 == 0 { 1.0 } else { 0.02 }).expect("a weight");
    }
    let offers = by_number(&before[0], |hand| hand.best);
    let gadget = each_hand(offers.clone(), forced);
    let options = Options::default();
    let mut solver =
        Solver::with_gadget(anew(&bet, [&wrong, &own]), options, &gadget).expect("fits");
    solver.run(3000);
    let after = solver.evaluate();
    let worse = after.hands[0].iter().map(|hand| hand.best - offers[hand.combo.index()]);
    worse.fold(f64::MIN, f64::max)
}

#[test]
fn an_offer_of_what_hands_were_worth_keeps_all_of_them_from_winning_more() {
    let pot = 150.0;
    let (safe, half, unsafe_) = (given_away(0.0), given_away(0.5), given_away(1.0));
    assert!(safe < 0.01 * pot, "{safe}");
    assert!(unsafe_ > 0.05 * pot && half <= unsafe_ + 0.01 * pot, "{safe} {half} {unsafe_}");
}

#[test]
fn a_solver_with_a_gadget_is_not_written_without_it() {
    let (_, bet) = river();
    let random = range("random");
    let gadget = each_hand(vec![0.0; Combo::COUNT], 0.0);
    let subgame = anew(&bet, [&random, &random]);
    let solver = Solver::with_gadget(subgame, Options::default(), &gadget).expect("fits");
    let refused = solver.write(&[], 0.0, Vec::new()).expect_err("not written");
    assert_eq!(refused.kind(), std::io::ErrorKind::Unsupported);
    assert_eq!(solver.spot().actions()[0], Action::Fold);
}

#[test]
fn where_every_hand_leaves_a_refined_gadget_plays_against_the_range() {
    let (mut whole, bet) = river();
    let spot = Spot::at_state(&whole, &bet).expect("in the tree");
    let ranges = Player::BOTH.map(|player| spot.range(player).clone());
    let value = wins(&whole.values_at(&bet).expect("in the tree")[0], &ranges[0]);
    // What a best response wins with the range beyond the value of the game.
    let given = |forced: f64| {
        let gadget = each_hand(vec![1000.0; Combo::COUNT], forced);
        let subgame = anew(&bet, ranges.each_ref());
        let mut solver = Solver::with_gadget(subgame, Options::default(), &gadget).expect("fits");
        solver.run(1000);
        let hands = solver.evaluate().hands;
        let best: Vec<HandValue> =
            hands[0].iter().map(|hand| HandValue { value: hand.best, ..*hand }).collect();
        wins(&best, &ranges[0]) - value
    };
    let (refined, safe) = (given(0.05), given(0.0));
    assert!(refined < 0.01 * 150.0, "{refined}");
    assert!(safe > refined + 0.05 * 150.0, "nothing decides there: {safe}");
}

/// A river with few hands, in which the first player acts first and all-in is the only bet, and a
/// gadget for the second, in extensive form.
struct Small<'a> {
    root: &'a PublicState,
    ranges: [&'a [(Combo, f64)]; 2],
    gadget: &'a Gadget,
}

/// A place in it.
#[derive(Clone)]
struct Place {
    /// Whether the second player has no choice; `None` before that is drawn.
    forced: Option<bool>,
    held: [Option<Combo>; 2],
    entered: bool,
    left: bool,
    public: PublicState,
}

impl Small<'_> {
    /// The weight of the first player's hands that a hand of the second meets.
    fn met(&self, held: Combo) -> f64 {
        let meets = self.ranges[0].iter().filter(|(own, _)| !own.set().intersects(held.set()));
        meets.map(|(_, weight)| weight).sum()
    }

    /// The outcomes in proportion to their weights.
    fn drawn(outcomes: Vec<(f64, Place)>) -> Node<Place> {
        let sum: f64 = outcomes.iter().map(|(weight, _)| weight).sum();
        Node::Chance(outcomes.into_iter().map(|(weight, place)| (weight / sum, place)).collect())
    }
}

impl Game for Small<'_> {
    type State = Place;

    fn root(&self) -> Place {
        let public = self.root.clone();
        Place { forced: None, held: [None; 2], entered: false, left: false, public }
    }

    fn node(&self, place: &Place) -> Node<Place> {
        let Gadget { forced, choice, offers, dealt, .. } = self.gadget;
        let with = |change: &dyn Fn(&mut Place)| {
            let mut next = place.clone();
            change(&mut next);
            next
        };
        let one_hand = *choice == EntryChoice::OneHand && place.forced == Some(false);
        match (place.forced, place.held[1], place.held[0]) {
            (None, ..) => {
                let of = |probability, forced| (probability, with(&|at| at.forced = Some(forced)));
                Small::drawn(vec![of(*forced, true), of(1.0 - forced, false)])
            }
            (Some(_), None, _) if one_hand => {
                let hands = self.ranges[1].iter().map(|&(hand, _)| {
                    (hand.to_string(), with(&|at| (at.held[1], at.entered) = (Some(hand), true)))
                });
                let actions = hands.collect();
                Node::Decision { player: Player::Second, infoset: "which".to_owned(), actions }
            }
            (Some(forced), None, _) => {
                let hands = self.ranges[1].iter().map(|&(hand, weight)| {
                    let weight = if forced { weight } else { dealt[hand.index()] };
                    let next = with(&|at| (at.held[1], at.entered) = (Some(hand), forced));
                    (weight * self.met(hand), next)
                });
                Small::drawn(hands.collect())
            }
            (_, Some(other), None) => {
                let meets =
                    self.ranges[0].iter().filter(|(own, _)| !own.set().intersects(other.set()));
                let hands =
                    meets.map(|&(own, weight)| (weight, with(&|at| at.held[0] = Some(own))));
                Small::drawn(hands.collect())
            }
            (_, Some(other), Some(_)) if place.left => Node::End(-offers[other.index()]),
            (_, Some(other), Some(_)) if !place.entered => Node::Decision {
                player: Player::Second,
                infoset: format!("enter with {other}"),
                actions: vec![
                    ("enter".to_owned(), with(&|at| at.entered = true)),
                    ("leave".to_owned(), with(&|at| at.left = true)),
                ],
            },
            (Some(forced), Some(other), Some(own)) => match place.public.turn() {
                Turn::Act(seat) => {
                    let player = Player::BOTH[seat.index()];
                    let held = place.held[seat.index()].expect("it was dealt");
                    let history = notation::betting(&place.public);
                    let forced = if player == Player::Second { forced } else { false };
                    let actions = bets("every 1: allin")(&place.public).into_iter().map(|action| {
                        let next = with(&|at| at.public.apply(action).expect("legal"));
                        (format!("{action:?}"), next)
                    });
                    let infoset = format!("{held} {history} {forced}");
                    Node::Decision { player, infoset, actions: actions.collect() }
                }
                _ => {
                    let mut hole = BySeat::new(2);
                    for (seat, held) in Seat::all(2).zip([own, other]) {
                        hole[seat] = HoleCards::new(&held.cards()).expect("two cards");
                    }
                    let state = State { public: place.public.clone(), hole };
                    let won = state.payoffs()[Seat::new(0).expect("a seat")].chips();
                    let offer = if one_hand { offers[other.index()] } else { 0.0 };
                    Node::End(won + offer)
                }
            },
        }
    }
}

#[test]
fn gadgets_have_the_values_of_their_games_in_extensive_form() {
    let root = short_hand("TsTcQhAcJd", 100, 150);
    let hands = |text: &str| -> Vec<(Combo, f64)> {
        text.split(' ')
            .enumerate()
            .map(|(number, hand)| (crate::combo(hand), 1.0 / (number + 1) as f64))
            .collect()
    };
    // Some share cards.
    let (first, second) = (hands("AhAd KsQs KdQd JhTh"), hands("JcTd AhKc QcJs KhQs"));
    let range = |hands: &[(Combo, f64)]| {
        let mut range = Range::empty();
        hands.iter().for_each(|&(hand, weight)| range.set(hand, weight).expect("a weight"));
        range
    };
    let mut offers = vec![0.0; Combo::COUNT];
    for ((hand, _), offer) in second.iter().zip([20.0, -35.0, -10.0, -49.0]) {
        offers[hand.index()] = offer;
    }
    let mut dealt = vec![1.0; Combo::COUNT];
    dealt[second[1].0.index()] = 0.3;
    for choice in [EntryChoice::EachHand, EntryChoice::OneHand] {
        for forced in [0.0, 0.05, 0.5, 1.0] {
            let (offers, dealt) = (offers.clone(), dealt.clone());
            let gadget = Gadget { player: Player::Second, offers, dealt, forced, choice };
            let game = Small { root: &root, ranges: [&first, &second], gadget: &gadget };
            let tree = Tree::new(&game, 100_000).expect("small");
            let exact = linear::solve(&Sequences::new(&tree)).expect("an optimum").value;
            let menu = bets("every 1: allin");
            let subgame = Subgame::new(&root, [&range(&first), &range(&second)], &menu);
            let subgame = subgame.expect("a subgame");
            let mut solver =
                Solver::with_gadget(subgame, Options::default(), &gadget).expect("fits");
            solver.run(5000);
            let found = solver.evaluate();
            let what = format!("{choice:?} {forced}");
            near(found.values[0], exact, 0.1, &what);
            near(found.values[0] + found.values[1], 0.0, 1e-3, &what);
            near(found.best[0], exact, 0.2, &what);
            near(found.best[1], -exact, 0.2, &what);
        }
    }
}
