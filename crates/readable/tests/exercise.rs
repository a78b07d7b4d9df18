//! Decisions to practise: their prices against other ways to compute them, and hands that go on as
//! the solution does.

use abstraction::menu::BetMenu;
use cards::{Board, Combo, PreflopTable, Range, StartingHand};
use game::PublicState;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use readable::exercise::{
    Answer, Deal, Grade, Hand, Price, Question, hand, last_bet, shove_or_fold,
};
use readable::shove_fold::{Blind, Payoffs, equilibrium};
use solvers::Player;
use solvers::subgame::{Options, Solver, Spot, Subgame, start, walk};

fn solver(board: &str, ranges: [&str; 2], menu: &str, iterations: u32) -> Solver {
    let board: Board = board.parse().expect(board);
    let root = start(&board, 100, [300; 2], 2).expect("a hand");
    let [first, second] = ranges.map(|range| range.parse::<Range>().expect(range));
    let menu: BetMenu = menu.parse().expect(menu);
    let menu = move |state: &PublicState| menu.actions(state).to_vec();
    let subgame = Subgame::new(&root, [&first, &second], &menu).expect("a subgame");
    let mut solver = Solver::new(subgame, Options::default()).expect("small enough");
    solver.run(iterations);
    solver
}

fn river() -> Solver {
    let ranges = ["AA,K9s+,QTs,98s,65s:0.5", "KK-99,AQs,KQo,J9s:0.25"];
    solver("Ks9d4c7h2s", ranges, "every 1: 50% allin\nevery 2+: allin", 200)
}

fn turn() -> Solver {
    solver("Ks9d4c7h", ["AA,KTs,QJs,86s", "QQ,99,KQs,T8s"], "every 1: 75%\nevery 2+: allin", 60)
}

fn answer(word: &str, share: f64, value: f64, best: f64) -> Answer {
    Answer { word: word.to_owned(), name: word.to_owned(), share, value, best, half_width: 0.0 }
}

#[test]
fn a_price_is_between_what_both_best_responses_leave() {
    let answers =
        vec![answer("f", 0.0, 0.0, 0.0), answer("c", 1.0, 10.0, 12.0), answer("a", 0.0, 9.0, 10.5)];
    let question = Question { answers, pot: 100.0 };
    assert_eq!(question.price(0), Price { least: 10.0, usual: 10.0, most: 12.0 });
    assert_eq!(question.price(1), Price { least: 0.0, usual: 0.0, most: 2.0 });
    assert_eq!(question.price(2), Price { least: 0.0, usual: 1.0, most: 3.0 });
    assert_eq!(
        [0, 1, 2].map(|at| question.grade(at)),
        [Grade::Mistake, Grade::Best, Grade::Correct]
    );
    // Half a percent that is proven to be lost is no longer as good as any.
    let answers = vec![answer("f", 0.0, 0.0, 0.0), answer("c", 1.0, 0.4, 0.4)];
    assert_eq!(Question { answers, pot: 100.0 }.grade(0), Grade::Correct);
    let answers = vec![answer("f", 0.0, 0.0, 0.0), answer("c", 1.0, 10.1, 10.1)];
    assert_eq!(Question { answers, pot: 100.0 }.grade(0), Grade::Blunder);
}

#[test]
fn gains_of_all_in_or_fold_are_those_of_the_table_of_all_boards() {
    let matrix = PreflopTable::embedded().matrix();
    for stack in [3.0, 10.0] {
        let payoffs = Payoffs::new(stack, 0.0).expect("a stack");
        let solved = equilibrium(&payoffs);
        for hand in StartingHand::all().step_by(7) {
            // Over the other player's hands: how often each is met, and the winnings all-in.
            let met = StartingHand::all().map(|other| {
                let pair = matrix.get(hand, other);
                let share = 2.0 * (pair.wins as f64 + pair.ties as f64 / 2.0) / pair.total as f64;
                (other.index(), pair.total as f64, stack * (share - 1.0))
            });
            let (mut all, mut jam, mut called) = (0.0, 0.0, [0.0; 2]);
            for (other, deals, all_in) in met {
                all += deals;
                let call = solved.ranges.call[other];
                jam += deals * (call * all_in + (1.0 - call));
                called[0] += deals * solved.ranges.jam[other];
                called[1] += deals * solved.ranges.jam[other] * all_in;
            }
            let small = payoffs.gain(&solved.ranges, Blind::Small, hand);
            assert!((small - (jam / all + 0.5)).abs() < 1e-9, "{hand} all-in with {stack}");
            let big = payoffs.gain(&solved.ranges, Blind::Big, hand);
            assert!((big - (called[1] / called[0] + 1.0)).abs() < 1e-9, "{hand} calls {stack}");
        }
    }
}

#[test]
fn what_equilibria_do_costs_nothing() {
    for seed in 0..40 {
        let shove = shove_or_fold(seed, None).expect("a stack of its own");
        let last = last_bet(seed);
        for question in [&shove.question, &last.question] {
            let sum: f64 = question.answers.iter().map(|answer| answer.share).sum();
            assert!((sum - 1.0).abs() < 1e-9, "shares of seed {seed}");
            for (number, answer) in question.answers.iter().enumerate() {
                let price = question.price(number);
                assert!(price.least <= price.usual && price.usual <= price.most);
                let wrong = answer.share > 1e-6 && price.usual > 1e-6;
                assert!(!wrong, "seed {seed}: {} costs {}", answer.word, price.usual);
            }
        }
        assert_eq!(shove_or_fold(seed, None), Ok(shove));
        assert_eq!(last_bet(seed), last);
    }
    assert!(shove_or_fold(1, Some(0.5)).is_err());
    assert!(shove_or_fold(1, Some(f64::NAN)).is_err());
}

/// Plays a hand to its end with answers that `choose` takes by number, and calls `see` for each
/// place.
fn play(
    solver: &mut Solver,
    deal: Deal<'_>,
    mut choose: impl FnMut(&Question) -> usize,
    mut see: impl FnMut(&mut Solver, &Hand),
) -> Hand {
    let mut line = String::new();
    loop {
        let here = hand(solver, deal, &line).expect("a hand");
        see(solver, &here);
        let Ok(question) = &here.next else { return here };
        let words: Vec<&str> = here.steps.iter().map(|step| step.word.as_str()).collect();
        line = format!("{} {}", words.join(" "), question.answers[choose(question)].word);
    }
}

#[test]
fn hands_go_on_by_the_cards_they_began_with() {
    for (mut solver, from) in [(river(), ""), (river(), "x"), (turn(), ""), (turn(), "x x Kd")] {
        for seed in 0..30 {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let deal = Deal { seed, player: None, from };
            let mut before: Option<Hand> = None;
            let end = play(
                &mut solver,
                deal,
                |question| rng.random_range(0..question.answers.len()),
                |solver, here| {
                    let [own, other] = here.cards.map(Combo::set);
                    let board = here.state.board().set();
                    assert!(!own.intersects(other) && !(own | other).intersects(board));
                    if let Some(before) = &before {
                        assert_eq!((before.cards, before.player), (here.cards, here.player));
                        assert_eq!(before.steps, here.steps[..before.steps.len()]);
                    }
                    let words: Vec<&str> =
                        here.steps.iter().map(|step| step.word.as_str()).collect();
                    let line = format!("{from} {}", words.join(" "));
                    let places = walk(solver, &line).expect("a place of the tree");
                    let (_, spot) = places.last().expect("the beginning");
                    assert_eq!(spot.state(), &here.state, "{line}");
                    if here.next.is_ok() {
                        assert_eq!(spot.player(), Some(here.player));
                    }
                    before = Some(here.clone());
                },
            );
            let won = end.next.expect_err("the end");
            assert!((-300.0..=400.0).contains(&won), "{won} of a pot of 100 and 300 behind");
        }
    }
}

#[test]
fn prices_are_of_the_values_in_the_solution() {
    for mut solver in [river(), turn()] {
        for seed in 0..20 {
            let deal = Deal { seed, player: Some(Player::Second), from: "" };
            let here = hand(&mut solver, deal, "").expect("a hand");
            let Ok(question) = here.next else { continue };
            let combo = here.cards[Player::Second.index()];
            for (number, answer) in question.answers.iter().enumerate() {
                let price = question.price(number);
                assert!(
                    0.0 <= price.least && price.least <= price.usual && price.usual <= price.most
                );
                assert!(answer.best >= answer.value - 1e-6, "{}", answer.word);
                if answer.word == "f" {
                    assert!(answer.value.abs() < 1e-9, "a fold wins nothing and loses nothing");
                }
            }
            let values = solver.values_at(&here.state).expect("in the tree");
            let of = |value: &&solvers::subgame::HandValue| value.combo == combo;
            let value = values[1].iter().find(of).expect("in the range");
            let sunk = f64::from(here.state.committed().as_slice()[1]);
            let mean: f64 = question.answers.iter().map(|answer| answer.share * answer.value).sum();
            assert!((mean - value.value - sunk).abs() < 1e-6);
            let best = question.answers.iter().map(|answer| answer.best).fold(f64::MIN, f64::max);
            assert!((best - value.best - sunk).abs() < 1e-6);
            // Equal shares are those of the spot.
            let spot = Spot::at_state(&solver, &here.state).expect("in the tree");
            let shares: Vec<f64> = question.answers.iter().map(|answer| answer.share).collect();
            assert_eq!(spot.strategy(combo), Some(shares));
        }
    }
}

#[test]
fn who_answers_as_the_solution_does_wins_its_value() {
    let mut solver = river();
    let evaluation = solver.evaluate();
    for player in Player::BOTH {
        let expected = evaluation.values[player.index()] + evaluation.committed[player.index()];
        let hands = 1500;
        let (mut sum, mut squares) = (0.0, 0.0);
        for seed in 0..hands {
            let mut rng = Pcg64Mcg::seed_from_u64(seed);
            let deal = Deal { seed, player: Some(player), from: "" };
            let sampled = |question: &Question| {
                let shares = question.answers.iter().map(|answer| answer.share);
                solvers::drawn(rng.random::<f64>(), shares).unwrap_or(0)
            };
            let won = play(&mut solver, deal, sampled, |_, _| {}).next.expect_err("the end");
            sum += won;
            squares += won * won;
        }
        let hands = hands as f64;
        let mean = sum / hands;
        let error = ((squares / hands - mean * mean) / hands).sqrt();
        assert!((mean - expected).abs() < 3.5 * error, "{mean} ± {error} instead of {expected}");
    }
}

#[test]
fn what_leads_nowhere_is_refused_in_words() {
    let mut solver = turn();
    let deal = Deal { seed: 1, player: Some(Player::First), from: "" };
    let wrong = hand(&mut solver, deal, "b7").expect_err("not on the menu");
    assert!(wrong.to_string().contains("`b7`"), "{wrong}");
    let wrong = hand(&mut solver, Deal { from: "x x", ..deal }, "7h").expect_err("on the table");
    assert!(wrong.to_string().contains("7h"), "{wrong}");
    // A card that one of both holds cannot come.
    let own = hand(&mut solver, deal, "").expect("a hand").cards[0].to_string();
    let line = format!("x x {}", &own[..2]);
    let wrong = hand(&mut solver, deal, &line).expect_err("a card of the hand");
    assert!(wrong.to_string().contains("holds"), "{wrong}");
}
