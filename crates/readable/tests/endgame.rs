//! Endgames of one bet against closed forms, the tree and other solvers.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use readable::endgame::{Bets, Dealer, Endgame, Pivots, Solution, parse_strategy, print_strategy};
use solvers::games::TenCards;
use solvers::{Player, Profile, Sequences, Tree, linear};

fn published(first: &[f64], second: &[f64]) -> Endgame {
    Endgame::new(first, second, Bets::published()).expect("a game")
}

fn uniform() -> Endgame {
    published(&[1.0; 10], &[1.0; 10])
}

/// All weight on these cards, counted from 1.
fn only(cards: &[usize]) -> [f64; 10] {
    let mut weights = [0.0; 10];
    cards.iter().for_each(|card| weights[card - 1] = 1.0);
    weights
}

/// A point of the simplex, uniformly: normalised exponentials.
fn point(rng: &mut Pcg64Mcg, cards: usize) -> Vec<f64> {
    (0..cards).map(|_| -rng.random::<f64>().max(1e-300).ln()).collect()
}

fn size(solution: &Solution, bets: &Bets, card: usize) -> f64 {
    let row = &solution.strategy[(card - 1) * bets.len()..][..bets.len()];
    row.iter().zip(bets.sizes()).map(|(share, size)| share * size).sum()
}

#[test]
fn uniform_cards_have_the_published_value_and_value_bets() {
    let game = uniform();
    let solution = game.solve();
    let exact = 0.5 + 29_611.0 / 450_450.0;
    assert!((solution.value - exact).abs() < 1e-12, "{}", solution.value);
    for of in game.exploitabilities(&solution) {
        assert!(of.abs() < 1e-12, "{of}");
    }
    for card in 3..=6 {
        assert_eq!(size(&solution, game.bets(), card), 0.0, "card {card} checks");
    }
    for (card, bet) in [(7, 0.1), (8, 0.3), (9, 0.6), (10, 1.8)] {
        assert!((size(&solution, game.bets(), card) - bet).abs() < 1e-9, "card {card}");
    }
    assert_eq!(solution.sizes.len(), 4);
    for of in &solution.sizes {
        let bet = game.bets().sizes()[of.bet];
        let sum = |cards: &[(usize, f64)]| cards.iter().map(|(_, mass)| mass).sum::<f64>();
        let ratio = sum(&of.bluffs) / sum(&of.value);
        assert!((ratio - bet / (1.0 + bet)).abs() < 1e-9, "{bet}: {ratio}");
    }
}

#[test]
fn the_strategy_printed_in_the_paper_is_nearly_optimal() {
    let game = uniform();
    let printed = "1: bet 0.1 9.1 %, bet 0.6 26.6 %, bet 1.8 64.3 %\n\
                   2: check 66.0 %, bet 0.3 23.1 %, bet 0.6 10.9 %\n\
                   3-6: check; 7: bet 0.1; 8: bet 0.3; 9: bet 0.6; 10: bet 1.8";
    let strategy = parse_strategy(printed, 10, game.bets()).expect("a strategy");
    let row = |card: usize| &strategy[(card - 1) * 31..][..31];
    for (card, size, share) in
        [(1, 1, 0.091), (1, 6, 0.266), (1, 18, 0.643), (2, 0, 0.66), (5, 0, 1.0), (8, 3, 1.0)]
    {
        assert!((row(card)[size] - share).abs() < 1e-12, "card {card}");
    }
    let lost = game.exploitability(Player::First, &strategy, 0.5 + 29_611.0 / 450_450.0);
    assert!((lost - 3.537_462_5e-5).abs() < 1e-9, "{lost}");
}

#[test]
fn polarised_and_middling_hands_have_closed_forms() {
    let polar = published(&only(&[1, 10]), &only(&[5]));
    let solution = polar.solve();
    assert!((solution.value - 0.875).abs() < 1e-12);
    let row = |card: usize| &solution.strategy[(card - 1) * 31..][..31];
    assert!((row(1)[0] - 0.25).abs() < 1e-12 && (row(1)[30] - 0.75).abs() < 1e-12);
    assert!((row(10)[30] - 1.0).abs() < 1e-12);
    let middle = published(&only(&[5]), &only(&[1, 10]));
    let solution = middle.solve();
    assert!((solution.value - 0.5).abs() < 1e-12);
    assert_eq!(solution.strategy[4 * 31], 1.0, "it checks");
    for (game, solution) in [(&polar, polar.solve()), (&middle, middle.solve())] {
        for of in game.exploitabilities(&solution) {
            assert!(of.abs() < 1e-12, "{of}");
        }
    }
}

#[test]
fn random_games_agree_with_the_sequence_form_and_its_best_responses() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for number in 0..testing::size(60, 300) {
        let (x, y) = (point(&mut rng, 10), point(&mut rng, 10));
        let game = published(&x, &y);
        let solution = game.solve();
        let array = |weights: Vec<f64>| <[f64; 10]>::try_from(weights).expect("ten");
        let tree = TenCards::new(array(x), array(y)).expect("a game");
        let tree = Tree::new(&tree, 100_000).expect("small");
        let sequences = Sequences::new(&tree);
        let exact = linear::solve(&sequences).expect("solved");
        assert!((exact.value + 0.5 - solution.value).abs() < 1e-9, "game {number}");
        // The same responses from the tree, for the solution and for strategies of no merit.
        let random = random_profile(&mut rng, &game);
        for strategies in [[solution.strategy, solution.calls], random] {
            let profile = profile(&tree, &sequences, &strategies);
            for (player, strategy) in Player::BOTH.into_iter().zip(&strategies) {
                let ours = game.against(player, strategy) - 0.5;
                let theirs = profile.best_response_value(&sequences, player.other());
                let theirs = if player == Player::First { -theirs } else { theirs };
                assert!((ours - theirs).abs() < 1e-9, "game {number}: {ours} {theirs}");
            }
        }
    }
}

fn random_profile(rng: &mut Pcg64Mcg, game: &Endgame) -> [Vec<f64>; 2] {
    let sizes = game.bets().len();
    let mut strategy: Vec<f64> = (0..game.cards() * sizes).map(|_| rng.random()).collect();
    for row in strategy.chunks_exact_mut(sizes) {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|share| *share /= sum);
    }
    [strategy, (0..game.cards() * sizes).map(|_| rng.random()).collect()]
}

/// The same strategies in the order of the tree.
fn profile(tree: &Tree, game: &Sequences, strategies: &[Vec<f64>; 2]) -> Profile {
    let of = |player: Player| {
        let mut shares = game.uniform(player);
        for (infoset, choice) in tree.infosets(player).iter().zip(game.choices(player)) {
            let mut words = infoset.name.split(' ');
            let card: usize = words.next().and_then(|card| card.parse().ok()).expect("a card");
            let row = &strategies[player.index()][(card - 1) * 31..][..31];
            let shares = &mut shares[choice.sequences()];
            match words.next() {
                None => shares.copy_from_slice(row),
                Some(size) => {
                    let call = row[Bets::published().nearest(size.parse().expect("a size"))];
                    shares.copy_from_slice(&[call, 1.0 - call]);
                }
            }
        }
        shares
    };
    Profile(Player::BOTH.map(of))
}

#[test]
fn any_deck_and_sizes_are_solved_exactly() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for number in 0..400 {
        let cards = rng.random_range(2..=24);
        let sizes: Vec<f64> =
            (0..rng.random_range(1..40)).map(|_| rng.random_range(0.01..6.0)).collect();
        let mut weights = || {
            let mut weights = point(&mut rng, cards);
            for weight in &mut weights {
                // Many cards that are never held, and many that weigh alike.
                match rng.random_range(0..4) {
                    0 => *weight = 0.0,
                    1 => *weight = 1.0,
                    _ => {}
                }
            }
            weights
        };
        let (x, y) = (weights(), weights());
        let Ok(game) = Endgame::new(&x, &y, Bets::new(&sizes).expect("sizes")) else { continue };
        let (centre, extreme) = (game.solve(), game.extreme(Pivots::Best));
        assert!((centre.value - extreme.value).abs() < 1e-12);
        for solution in [&centre, &extreme] {
            for of in game.exploitabilities(solution) {
                assert!(of.abs() < 1e-9, "game {number}, {cards} cards: {of}");
            }
        }
        let least = centre.strategy.iter().chain(&centre.calls).copied().fold(0.0, f64::min);
        assert!(least >= -1e-12, "game {number}: {least}");
    }
}

/// The sum of the logarithms of all that cards do, weighted by nothing: what the centre makes
/// largest over the strategies that do the same things.
fn spread(solution: &Solution) -> f64 {
    let masses = solution.sizes.iter().flat_map(|size| size.value.iter().chain(&size.bluffs));
    let checks = solution.strategy.chunks_exact(31).map(|row| row[0]);
    masses.map(|(_, mass)| *mass).chain(checks).filter(|&mass| mass > 0.0).map(f64::ln).sum()
}

#[test]
fn the_central_equilibrium_depends_on_no_order_and_bluffs_as_widely_as_any() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let mut wider = 0;
    for number in 0..300 {
        let game = published(&point(&mut rng, 10), &point(&mut rng, 10));
        let (centre, extreme) = (game.solve(), game.extreme(Pivots::Best));
        let used = |solution: &Solution| solution.strategy.iter().filter(|&&s| s > 0.0).count();
        assert!(used(&centre) >= used(&extreme), "game {number}");
        wider += usize::from(used(&centre) > used(&extreme));
        let again = game.solve_by(Pivots::First);
        for (one, other) in centre.strategy.iter().zip(&again.strategy) {
            assert!((one - other).abs() < 1e-9, "game {number}: {one} {other}");
        }
        if used(&centre) == used(&extreme) {
            assert!(spread(&centre) >= spread(&extreme) - 1e-9, "game {number}");
        }
    }
    assert!(wider > 100, "equilibria are seldom unique: {wider} of 300");
}

#[test]
fn a_thin_face_leaves_no_exploitability() {
    // A size that is bet with two hundred-thousandths of all hands: beside it the sums of the
    // others nearly follow from each other.
    let x = "0.047399838 0.07119308 0.014192167 0.016272724 0.116687074 \
             0.031230738 0.20480584 0.11852337 0.13175201 0.24794318";
    let y = "0.038128138 0.16038936 0.102479964 0.058645997 0.22487786 \
             0.16626854 0.07295735 0.12828907 0.031514984 0.016448725";
    let [x, y] = [x, y].map(|text| -> Vec<f64> {
        text.split(' ').map(|number| number.parse().expect("a number")).collect()
    });
    let game = published(&x, &y);
    let solution = game.solve();
    let least = solution.sizes.iter().flat_map(|size| &size.value).map(|(_, mass)| *mass);
    assert!(least.fold(1.0, f64::min) < 1e-4);
    for of in game.exploitabilities(&solution) {
        assert!(of.abs() < 1e-12, "{of}");
    }
}

#[test]
fn what_is_no_endgame_is_refused_by_name() {
    let bets = Bets::published;
    let game =
        |x: &[f64], y: &[f64]| Endgame::new(x, y, bets()).expect_err("no endgame").to_string();
    let ten = [1.0; 10];
    assert!(
        game(&ten, &ten[..9]).starts_with("10 weights of the first player and 9 of the second")
    );
    assert_eq!(game(&[1.0], &[1.0]), "a deck of 1 cards: it has 2 to 100");
    assert!(game(&only(&[4]), &only(&[4])).contains("no deal possible"));
    assert!(game(&[0.0; 10], &ten).contains("no deal possible"));
    for weight in [-1.0, f64::NAN, f64::INFINITY] {
        let mut weights = ten;
        weights[2] = weight;
        let error = game(&ten, &weights);
        assert!(error.contains("second player's card 3"), "{error}");
    }
    for (step, stack) in
        [(0.0, 3.0), (-0.1, 3.0), (f64::NAN, 3.0), (4.0, 3.0), (0.1, f64::INFINITY)]
    {
        let error = Bets::steps(step, stack).expect_err("no steps").to_string();
        assert!(error.contains("the step is above 0 and at most the stack"), "{step}: {error}");
    }
    let refused = |bets: Result<Bets, readable::Error>| bets.expect_err("no sizes").to_string();
    assert_eq!(refused(Bets::steps(0.001, 3.0)), "3000 sizes are more than 1000");
    assert_eq!(refused(Bets::new(&[1.0, 0.0])), "a bet of 0 pots: a size is a number above 0");
    assert_eq!(Bets::steps(0.4, 1.0).expect("steps").sizes(), [0.0, 0.4, 0.8, 1.0]);
    assert_eq!(Bets::published().sizes()[3], 0.3);
}

#[test]
fn what_each_answer_is_worth_adds_up_to_what_the_best_answers_win() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    for number in 0..100 {
        let game = published(&point(&mut rng, 10), &point(&mut rng, 10));
        let [strategy, calls] = random_profile(&mut rng, &game);
        let calls: Vec<f64> = calls
            .chunks_exact(31)
            .flat_map(|row| std::iter::once(1.0).chain(row[1..].iter().copied()))
            .collect();
        let dealt = |card: usize| (0..10).map(|other| game.deal(card, other)).sum::<f64>();
        let best = (0..10).map(|card| {
            let worth = game.size_values(card, &calls).expect("others are dealt");
            dealt(card) * worth.into_iter().fold(f64::NEG_INFINITY, f64::max)
        });
        let known = game.against(Player::Second, &calls);
        assert!((best.sum::<f64>() - known).abs() < 1e-12, "game {number}");
        // The pot is the first player's but for what calls win.
        let won =
            (0..10).flat_map(|card| (0..31).map(move |bet| (card, bet))).map(|(card, bet)| {
                let met: f64 =
                    (0..10).map(|other| game.deal(other, card) * strategy[other * 31 + bet]).sum();
                met * game.call_value(card, bet, &strategy).expect("it is bet").max(0.0)
            });
        let known = game.against(Player::First, &strategy);
        assert!((1.0 - won.sum::<f64>() - known).abs() < 1e-12, "game {number}");
    }
    let polar = published(&only(&[1, 10]), &only(&[5]));
    assert_eq!(polar.size_values(4, &[1.0; 310]), None);
    assert_eq!(polar.call_value(4, 7, &polar.solve().strategy), None);
}

#[test]
fn cards_and_actions_come_out_as_often_as_they_are_likely() {
    let game = published(&only(&[1, 10]), &[1.0; 10]);
    let mut dealer = Dealer::new(5);
    let mut seen = [0u32; 100];
    for _ in 0..90_000 {
        let [one, other] = dealer.cards(&game);
        seen[one * 10 + other] += 1;
    }
    for (at, &seen) in seen.iter().enumerate() {
        let expected = 90_000.0 * game.deal(at / 10, at % 10);
        // Five standard deviations.
        assert!((f64::from(seen) - expected).abs() <= 5.0 * expected.sqrt(), "{at}: {seen}");
    }
    let mut again = Dealer::new(5);
    let drawn: Vec<usize> = (0..1000).map(|_| again.draw(&[0.0, 0.25, 0.0, 0.75])).collect();
    let threes = drawn.iter().filter(|&&at| at == 3).count();
    assert!(drawn.iter().all(|at| [1, 3].contains(at)) && (680..820).contains(&threes), "{threes}");
}

#[test]
fn what_is_no_strategy_is_refused_by_name() {
    let bets = Bets::published();
    let refused = |text: &str, expected: &str| {
        let error = parse_strategy(text, 10, &bets).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    };
    refused("1-10: check; 3: bet 1", "`3: bet 1`: card 3 has two lines");
    refused("2-10: check", "there is no line for card 1: add one, such as 1: check");
    refused("1-11: check", "cards go from 1 to 10");
    refused("5-3: check", "cards go from 1 to 10");
    refused("1-10: check 60 %, bet 1 30 %", "the shares sum to 90 %");
    refused("1-10: bet 0.15", "a bet of 0.15 is not a size of the game");
    refused("1-10: bet 1 -5 %", "`bet 1 -5 %` has no share");
    refused("1-10: fold", "`fold` is not an action");
    refused("1-10 check", "there is no colon");
    refused("", "there is no line for card 1");
}

proptest! {
    #[test]
    fn a_strategy_that_is_printed_is_read_again(
        shares in prop::collection::vec(prop::collection::vec(0u32..4, 31), 10),
    ) {
        let bets = Bets::published();
        let rows = shares.iter().flat_map(|row| {
            let sum = row.iter().sum::<u32>().max(1);
            let check = if row.iter().all(|&share| share == 0) { 1.0 } else { 0.0 };
            row.iter().enumerate().map(move |(at, &share)| {
                f64::from(share) / f64::from(sum) + if at == 0 { check } else { 0.0 }
            })
        });
        let strategy: Vec<f64> = rows.collect();
        let text = print_strategy(&strategy, &bets);
        let again = parse_strategy(&text, 10, &bets).expect("it was printed");
        for (one, other) in strategy.iter().zip(&again) {
            prop_assert!((one - other).abs() < 1e-7, "{one} and {other}");
        }
    }

    #[test]
    fn no_text_makes_the_parser_of_strategies_panic(
        text in "[0-9:;,%.# \n-]{0,24}(check|bet|é)?.{0,12}", cards in 1usize..12,
    ) {
        let _ = parse_strategy(&text, cards, &Bets::published());
    }
}
