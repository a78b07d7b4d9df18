//! Games of one street: intervals over all equilibria against families that are known, grids over
//! small games and the river solver; prices of simple strategies against all of them; what the
//! other player must do against strategies in which just that is done.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use solvers::showdown::rounding::{price, rounded};
use solvers::showdown::{
    End, Equilibria, Interval, Mixed, Restriction, River, ShowdownGame, Standing,
};
use solvers::subgame::needs::{Share, class_name, line_classes, needs};
use solvers::subgame::{Options, Solver, Subgame, start};
use solvers::{Choice, Player};

use crate::{combo, near};

const FIRST: Player = Player::First;
const SECOND: Player = Player::Second;

fn choice(parent: u32, first: u32) -> Choice {
    Choice { parent, first, count: 2 }
}

/// One bet: the first player checks or bets so many chips into a pot of two, the second folds or
/// calls. `pair` has the weight of two hands, and 1 where the first wins.
fn one_bet(hands: [usize; 2], bet: f64, pair: impl Fn(usize, usize) -> (f64, f64)) -> ShowdownGame {
    let ends = vec![
        End { sequences: [1, 0], fold: 0.0, showdown: 1.0 },
        End { sequences: [2, 1], fold: 1.0, showdown: 0.0 },
        End { sequences: [2, 2], fold: 0.0, showdown: 1.0 + bet },
    ];
    let decisions = [vec![(choice(0, 1), 0)], vec![(choice(0, 1), 2)]];
    ShowdownGame::new(decisions, ends, hands, pair, 2.0).expect("a game")
}

/// The nuts and two hands of air against two bluff-catchers, with a bet of so many chips.
fn clairvoyance(bet: f64) -> ShowdownGame {
    one_bet([3, 2], bet, |i, _| (1.0, if i == 0 { 1.0 } else { -1.0 }))
}

/// Kuhn poker: jack, queen and king; antes and bets of 1.
fn kuhn() -> ShowdownGame {
    let ends = vec![
        End { sequences: [1, 1], fold: 0.0, showdown: 1.0 },
        End { sequences: [3, 2], fold: -1.0, showdown: 0.0 },
        End { sequences: [4, 2], fold: 0.0, showdown: 2.0 },
        End { sequences: [2, 3], fold: 1.0, showdown: 0.0 },
        End { sequences: [2, 4], fold: 0.0, showdown: 2.0 },
    ];
    let decisions =
        [vec![(choice(0, 1), 0), (choice(1, 3), 2)], vec![(choice(0, 1), 1), (choice(0, 3), 2)]];
    let pair = |i: usize, j: usize| (f64::from(u8::from(i != j)), if i > j { 1.0 } else { -1.0 });
    ShowdownGame::new(decisions, ends, [3, 3], pair, 2.0).expect("Kuhn poker")
}

fn solved(game: &ShowdownGame) -> Equilibria<'_> {
    let uniform = Player::BOTH.map(|player| Mixed::uniform(game, player));
    Equilibria::solve(game, uniform.each_ref()).expect("equilibria")
}

fn interval(
    equilibria: &Equilibria<'_>,
    player: Player,
    decision: usize,
    action: usize,
    hands: &[(usize, f64)],
) -> Interval {
    equilibria.interval(player, decision, action, hands).expect("found").expect("gets there")
}

fn check(found: Interval, least: f64, most: f64, what: &str) {
    near(found.least, least, 1e-5, what);
    near(found.most, most, 1e-5, what);
    assert!(found.gives_away < 1e-7, "{what} gives away {}", found.gives_away);
}

/// With a bet of b pots the air bluffs b / (1 + b) of the nuts, whichever hand of it, and the
/// bluff-catchers call 1 / (1 + b), whichever.
#[test]
fn indifferent_hands_share_what_is_forced() {
    for bet in [1.0, 2.0, 4.0] {
        let game = clairvoyance(bet);
        let equilibria = solved(&game);
        let pots = bet / 2.0;
        let (bluffs, calls) = (pots / (1.0 + pots), 1.0 / (1.0 + pots));
        assert_eq!(equilibria.standing(FIRST, 0, 0), Standing::Always(1), "the nuts bet");
        for air in [1, 2] {
            assert_eq!(equilibria.standing(FIRST, 0, air), Standing::Mixes(vec![0, 1]));
            check(
                interval(&equilibria, FIRST, 0, 1, &[(air, 1.0)]),
                0.0,
                bluffs.min(1.0),
                "a bluff",
            );
        }
        let both = interval(&equilibria, FIRST, 0, 1, &[(1, 1.0), (2, 1.0)]);
        check(both, bluffs / 2.0, bluffs / 2.0, "all bluffs");
        assert!(both.is_forced());
        let most = (2.0 * calls).min(1.0);
        let least = (2.0 * calls - 1.0).max(0.0);
        check(interval(&equilibria, SECOND, 0, 1, &[(0, 1.0)]), least, most, "a call");
        check(
            interval(&equilibria, SECOND, 0, 1, &[(0, 1.0), (1, 1.0)]),
            calls,
            calls,
            "all calls",
        );
    }
}

/// Kuhn, "A simplified two-person poker", 1950: the first player bluffs with the jack in up to a
/// third of the hands, bets the king three times as often, and calls with the queen a third more
/// often; the second player has one strategy.
#[test]
fn kuhn_poker_has_its_one_parameter() {
    let game = kuhn();
    let equilibria = solved(&game);
    near(equilibria.value(), -1.0 / 18.0, 1e-8, "the value");
    let [jack, queen, king] = [0, 1, 2];
    let first = |decision, hand| interval(&equilibria, FIRST, decision, 1, &[(hand, 1.0)]);
    check(first(0, jack), 0.0, 1.0 / 3.0, "the jack bets");
    check(first(0, king), 0.0, 1.0, "the king bets");
    check(first(1, queen), 1.0 / 3.0, 2.0 / 3.0, "the queen calls");
    assert_eq!(equilibria.standing(FIRST, 0, queen), Standing::Always(0));
    assert_eq!(equilibria.standing(FIRST, 1, jack), Standing::Always(0));
    assert_eq!(equilibria.standing(FIRST, 1, king), Standing::Always(1));
    let second = |decision, hand| interval(&equilibria, SECOND, decision, 1, &[(hand, 1.0)]);
    check(second(0, jack), 1.0 / 3.0, 1.0 / 3.0, "the jack bets");
    check(second(1, queen), 1.0 / 3.0, 1.0 / 3.0, "the queen calls");
    for (decision, hand, action) in [(0, queen, 0), (0, king, 1), (1, jack, 0), (1, king, 1)] {
        assert_eq!(equilibria.standing(SECOND, decision, hand), Standing::Always(action));
    }
    assert_eq!(equilibria.undecided(), 0);
}

/// Every strategy of a grid that gives nothing away has frequencies inside the intervals, and the
/// ends of the intervals give nothing away.
#[test]
fn no_equilibrium_of_a_grid_is_outside_the_intervals() {
    let mut seen = 0;
    for seed in 0..60 {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut number = |most: i32| f64::from(rng.random_range(0..most));
        let weights: Vec<f64> = (0..9).map(|_| number(3)).collect();
        let margins: Vec<f64> = (0..9).map(|_| number(3) - 1.0).collect();
        if weights.iter().sum::<f64>() == 0.0 {
            continue;
        }
        let game = one_bet([3, 3], 2.0, |i, j| (weights[3 * i + j], margins[3 * i + j]));
        let equilibria = solved(&game);
        let intervals = [0, 1, 2].map(|hand| {
            equilibria.interval(FIRST, 0, 1, &[(hand, 1.0)]).expect("found").expect("at the root")
        });
        for found in &intervals {
            assert!(found.gives_away < 1e-6, "{found:?}");
        }
        for at in 0..13 * 13 * 13 {
            let bets = [at % 13, at / 13 % 13, at / 169].map(|part| f64::from(part) / 12.0);
            let mut strategy = Mixed::uniform(&game, FIRST);
            for (hand, &bet) in bets.iter().enumerate() {
                strategy.set(1, hand, 1.0 - bet);
                strategy.set(2, hand, bet);
            }
            let gives_away = equilibria.value() + game.best_response_value(SECOND, &strategy);
            assert!(gives_away > -1e-7, "{gives_away}");
            if gives_away > 1e-9 {
                continue;
            }
            seen += 1;
            for hand in (0..3).filter(|&hand| game.chances(FIRST)[hand] > 0.0) {
                let Interval { least, most, .. } = intervals[hand];
                let inside = bets[hand] > least - 1e-5 && bets[hand] < most + 1e-5;
                assert!(inside, "seed {seed}: {bets:?} is outside {:?}", intervals[hand]);
            }
        }
    }
    assert!(seen > 1000, "only {seen} equilibria on the grid");
}

/// A river with some hands.
fn river(iterations: u32) -> (Solver, River) {
    let root = start(&"Ks8h3d7cTs".parse().expect("a board"), 120, [300; 2], 1).expect("a spot");
    let menu: abstraction::menu::BetMenu =
        "river 1: 50% allin\nriver 2+: allin".parse().expect("a menu");
    let ranges = ["AA,KQs,T9s:0.5,87s,A5s,QJs,J9o:0.5", "KJo,QQ,T8s,98s,76s,A4s,QJo:0.25"];
    let ranges = ranges.map(|range| range.parse().expect("a range"));
    let subgame =
        Subgame::new(&root, ranges.each_ref(), &|state| menu.actions(state).to_vec()).expect("one");
    let mut solver = Solver::new(subgame, Options::default()).expect("a solver");
    for _ in 0..iterations {
        solver.step();
    }
    let river = River::new(solver.subgame()).expect("a river");
    (solver, river)
}

#[test]
fn sums_over_pairs_agree_with_the_river_solver() {
    let (mut solver, river) = river(7);
    let evaluation = solver.evaluate();
    let averages = river.averages(&solver).expect("averages");
    near(river.game.value(averages.each_ref()), evaluation.values[0], 1e-4, "the value");
    for player in Player::BOTH {
        let best = river.game.best_response_value(player, &averages[player.other().index()]);
        near(best, evaluation.best[player.index()], 1e-4, "a best response");
    }
}

#[test]
fn a_solved_river_lies_inside_the_intervals() {
    let (mut solver, river) = river(20_000);
    let averages = river.averages(&solver).expect("averages");
    let equilibria = Equilibria::solve(&river.game, averages.each_ref()).expect("equilibria");
    let evaluation = solver.evaluate();
    assert!(equilibria.value() < evaluation.best[0] + 1e-6, "{}", equilibria.value());
    assert!(equilibria.value() > -evaluation.best[1] - 1e-6, "{}", equilibria.value());
    let (mut mixed, mut wide) = (0, 0);
    for player in Player::BOTH {
        let mut plane = equilibria.face(player);
        let reach = river.game.reach(player, &averages[player.index()]);
        let choices = river.game.choices(player);
        for (decision, choice) in choices.iter().enumerate() {
            for hand in 0..river.game.hands(player) {
                let there = reach[choice.parent as usize * river.game.hands(player) + hand];
                match equilibria.standing(player, decision, hand) {
                    Standing::Mixes(actions) => {
                        mixed += 1;
                        for action in actions {
                            let found = plane.interval(decision, action, &[(hand, 1.0)]);
                            let found = found.expect("found").expect("gets there");
                            // Two millionths of the pot.
                            assert!(found.gives_away < 2.4e-4, "{found:?}");
                            wide += u32::from(!found.is_forced());
                            let share = averages[player.index()]
                                .share(choice.first as usize + action, hand);
                            if there > 0.05 {
                                let inside =
                                    share > found.least - 0.05 && share < found.most + 0.05;
                                assert!(inside, "{player:?} {decision} {hand}: {share} {found:?}");
                            }
                        }
                    }
                    Standing::Always(action) => {
                        let share =
                            averages[player.index()].share(choice.first as usize + action, hand);
                        let place = &river.places[player.index()][decision].path;
                        assert!(there < 0.05 || share > 0.9, "{player:?} {place} {hand}: {share}");
                    }
                    Standing::NotPlayed | Standing::NotMet => {}
                }
            }
        }
    }
    assert!(mixed > 5 && wide > 0, "{mixed} mixed, {wide} of them free");
}

/// All deterministic strategies of a small game cost at least what the search finds, and one of
/// them costs that.
#[test]
fn the_best_deterministic_strategy_of_a_small_game_is_found() {
    for bet in [1.0, 2.0, 4.0] {
        let game = clairvoyance(bet);
        let equilibria = solved(&game);
        for (player, hands) in [(FIRST, 3), (SECOND, 2)] {
            let found = rounded(&equilibria, player, 1, 10_000, &mut |_| true);
            let mut least = f64::INFINITY;
            for bits in 0..1 << hands {
                let mut strategy = Mixed::uniform(&game, player);
                for hand in 0..hands {
                    let share = f64::from(bits >> hand & 1);
                    strategy.set(1, hand, 1.0 - share);
                    strategy.set(2, hand, share);
                }
                let cost = price(&equilibria, player, &strategy);
                assert!(cost.unnoticed <= cost.exploited + 1e-9, "{cost:?}");
                least = least.min(cost.exploited);
            }
            near(found.price.exploited, least, 1e-7, "the best deterministic strategy");
            // Quarters contain it.
            let quarters = rounded(&equilibria, player, 4, 10_000, &mut |_| true);
            assert!(quarters.price.exploited <= least + 1e-9);
        }
    }
}

/// Hands that have to play alike get what a grid over their one frequency gets.
#[test]
fn groups_play_as_well_as_their_best_frequency() {
    let game = clairvoyance(2.0);
    let equilibria = solved(&game);
    let restriction = Restriction { groups: vec![0, 0, 0], closed: Vec::new() };
    let start = equilibria.strategies();
    let alike = Equilibria::confined(&game, start, [restriction, Restriction::default()]);
    let alike = alike.expect("equilibria");
    let mut most = f64::NEG_INFINITY;
    for part in 0..=1200 {
        let share = f64::from(part) / 1200.0;
        let mut strategy = Mixed::uniform(&game, FIRST);
        for hand in 0..3 {
            strategy.set(1, hand, 1.0 - share);
            strategy.set(2, hand, share);
        }
        most = most.max(-game.best_response_value(SECOND, &strategy));
    }
    near(alike.value(), most, 1e-6, "the value of playing alike");
    assert!(alike.value() < equilibria.value() - 0.01);
    let closed = Restriction { groups: Vec::new(), closed: vec![2] };
    let checks = Equilibria::confined(&game, start, [closed, Restriction::default()]);
    // Only checks: the nuts win one chip, the air loses one.
    near(checks.expect("equilibria").value(), -1.0 / 3.0, 1e-8, "never betting");
}

/// A call gets as much as a fold against a line that has just the share of bluffs it needs, and a
/// bet as much as a check against just the share of folds.
#[test]
fn actions_are_equal_where_their_needs_are_just_met() {
    let root = start(&"Ks8h3d7c2s".parse().expect("a board"), 100, [100; 2], 1).expect("a spot");
    let menu: abstraction::menu::BetMenu = "river 1: pot\nriver 2+: none".parse().expect("a menu");
    // Neither blocks a hand of the other.
    let ranges = ["AA,QJs", "99"].map(|range| range.parse().expect("a range"));
    let subgame =
        Subgame::new(&root, ranges.each_ref(), &|state| menu.actions(state).to_vec()).expect("one");
    let mut solver = Solver::new(subgame, Options::default()).expect("a solver");
    // So that a check is followed by sensible play.
    (0..300).for_each(|_| solver.step());
    let state = solver.spot().state().clone();
    let bet = *solver.spot().actions().last().expect("a bet");
    let mut answer = state.clone();
    answer.apply(bet).expect("a bet");
    // All six aces and some of the bluffs.
    let queens = combo("QhJh");
    let bets = |share: f64| {
        move |hand: cards::Combo| {
            let aces = hand.cards()[0].rank() == hand.cards()[1].rank();
            if aces { vec![0.0, 1.0] } else { vec![1.0 - share, share] }
        }
    };
    solver.set_strategy(&state, &bets(0.25)).expect("a strategy");
    let nines = combo("9h9d");
    let need = |solver: &mut Solver, state: &game::PublicState, hand| {
        let all = needs(solver, state).expect("needs");
        all.into_iter().find(|(other, _)| *other == hand).expect("held").1.remove(0)
    };
    let call = need(&mut solver, &answer, nines);
    assert_eq!(call.of, Share::Wins);
    near(call.needed, 1.0 / 3.0, 1e-12, "a pot-sized bet needs a third");
    near(call.has, 1.0 / 7.0, 1e-6, "one bluff of four to six aces");
    near(call.missing, 2.0, 1e-5, "two more bluffs");
    assert!(!call.is_met());
    solver.set_strategy(&state, &bets(0.75)).expect("a strategy");
    let values = solver.action_values(&answer).expect("values");
    let of_nines = &values.iter().find(|(hand, _)| *hand == nines).expect("held").1;
    near(of_nines[0], of_nines[1], 1e-4, "with two more bluffs a call is a fold");
    let classes = line_classes(&solver, &answer, nines).expect("classes");
    let bluffs: f64 = classes.iter().map(|class| class.beaten).sum();
    near(bluffs, 3.0, 1e-6, "three bluffs");
    near(classes.iter().map(|class| class.elsewhere).sum::<f64>(), 1.0, 1e-6, "one left");
    near(classes.iter().map(|class| class.better).sum::<f64>(), 6.0, 1e-6, "six aces");

    // A bluff: with a third of the pot lost when called.
    let folds = |share: f64| move |_: cards::Combo| vec![share, 1.0 - share];
    solver.set_strategy(&answer, &folds(0.2)).expect("a strategy");
    let bluff = need(&mut solver, &state, queens);
    assert_eq!((bluff.of, bluff.above), (Share::Folds, true));
    near(bluff.needed, 0.5, 1e-5, "a pot-sized bluff needs a half");
    near(bluff.missing, 0.3 * 6.0, 1e-4, "of six hands");
    solver.set_strategy(&answer, &folds(bluff.needed)).expect("a strategy");
    let values = solver.action_values(&state).expect("values");
    let of_queens = &values.iter().find(|(hand, _)| *hand == queens).expect("held").1;
    near(of_queens[0], of_queens[1], 1e-3, "with enough folds a bluff is a check");
}

#[test]
fn hands_that_missed_are_told_from_those_that_had_nothing() {
    let board: cards::Board = "Ks8h3s7cTd".parse().expect("a board");
    let turn: cards::Board = "Ks8h3s7c".parse().expect("a board");
    let class = |hand: &str| class_name(combo(hand), board.set(), turn.set());
    assert_eq!(class("As4s"), "missed draw");
    assert_eq!(class("Ah4h"), "ace high");
    assert_eq!(class("6d5d"), "missed draw");
    assert_eq!(class("Kh4h"), "top pair");
}
