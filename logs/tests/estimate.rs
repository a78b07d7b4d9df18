//! Estimates with less variance: unbiased, exact where they can be computed by hand, and narrower.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;

use cards::{Board, Card, CardSet, HoleCards, evaluate};
use game::{
    Action, BySeat, DealValues, GameDef, InfoSet, Payoff, Policy, PublicState, Seat, State,
    Strategy, Turn, ValueFunction, games, notation,
};
use logs::estimate::{Estimates, FEWEST_TO_FIT, NoEstimates, Observed, Row, RowKind, Sampling};
use logs::stats::{Rate, Sums};
use logs::{DecisionRecord, HandRecord, Tally};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::hands;

/// Plays its strength, always with some chance of anything else.
#[derive(Clone, Copy)]
struct Soft {
    /// The probability of a raise with the best hands.
    aggression: f64,
}

impl Policy for Soft {
    fn strategy(&self, infoset: &InfoSet) -> Strategy {
        let legal = infoset.legal();
        let board = infoset.public.board();
        let ranks: f64 =
            infoset.hole.iter().map(|card| f64::from(card.rank().index()) / 24.0).sum();
        let strength = match board.is_empty() {
            true => ranks,
            false => {
                let category = evaluate(infoset.hole.set() | board.set()).category() as i32;
                (0.25 * f64::from(category) + 0.4 * ranks).min(1.0)
            }
        };
        let raise = self.aggression * strength * strength + 0.05;
        let fold = if legal.fold { 0.6 * (1.0 - strength) * (1.0 - strength) } else { 0.0 };
        let mut weights = vec![(Action::Call, 1.0 - raise - fold)];
        if legal.fold {
            weights.push((Action::Fold, fold));
        }
        if let Some(raises) = legal.raise {
            let pot = infoset.public.pot() as u32 + legal.to_call;
            let to = |part: u32| {
                let total = infoset.public.highest() + pot * part / 2;
                Action::RaiseTo(total.clamp(raises.min, raises.max))
            };
            weights.push((to(1), 0.5 * raise));
            match weights.iter_mut().find(|(action, _)| *action == to(2)) {
                Some((_, weight)) => *weight += 0.5 * raise,
                None => weights.push((to(2), 0.5 * raise)),
            }
        }
        Strategy::from_weights(weights).expect("positive weights")
    }
}

const PLAYERS: [Soft; 2] = [Soft { aggression: 0.5 }, Soft { aggression: 0.25 }];

/// A stack of 20 big blinds: real play, with tails that 200 repetitions can see.
fn short() -> Arc<GameDef> {
    Arc::new(games::nolimit_holdem_with(vec![2_000; 2]))
}

struct Deal {
    hole: BySeat<HoleCards>,
    board: Vec<Card>,
}

fn deal(def: &GameDef, seed: u64) -> Deal {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let mut deck = def.deck();
    let mut draw = || deck.swap_remove(rng.random_range(0..deck.len()));
    let hole = BySeat::from_fn(2, |_| HoleCards::new(&[draw(), draw()]).unwrap());
    let board = (0..5).map(|_| draw()).collect();
    Deal { hole, board }
}

/// Plays a hand, entrant `(hand + seat) mod 2` in each seat.
fn play(
    def: &Arc<GameDef>,
    players: [&dyn Policy; 2],
    hand: u64,
    deal: &Deal,
    seed: u64,
) -> (HandRecord, Vec<DecisionRecord>) {
    let mut rng = Pcg64Mcg::seed_from_u64(!seed);
    let mut state = State { public: PublicState::new(def), hole: deal.hole };
    let entrants = BySeat::from_fn(2, |seat| ((hand as usize + seat.index()) % 2) as u8);
    let mut decisions = Vec::new();
    loop {
        state.public.deal_from(&deal.board).unwrap();
        let Turn::Act(seat) = state.public.turn() else { break };
        let strategy = players[usize::from(entrants[seat])].strategy(&state.infoset(seat));
        let action = strategy.sample(rng.random());
        let index = state.public.history().len() as u32;
        let (entrant, strategy) = (entrants[seat], Some(strategy));
        let decision = hands::decision(hand);
        decisions.push(DecisionRecord { index, entrant, seat, action, strategy, ..decision });
        state.public.apply(action).unwrap();
    }
    let payoffs = state.payoffs();
    let State { public, hole } = state;
    (HandRecord { hand, deal: hand, public, hole, payoffs, entrants }, decisions)
}

/// The winnings of the second player against itself in the first one's seat.
fn self_play(def: &Arc<GameDef>, hand: u64, deal: &Deal, seed: u64) -> Payoff {
    let owner: &dyn Policy = &PLAYERS[1];
    let (record, _) = play(def, [owner; 2], hand, deal, seed ^ 0xABCD);
    let seat = def.seats().find(|&seat| record.entrants[seat] == 0).unwrap();
    record.payoffs[seat]
}

/// A change of a hand on its way to the estimator.
type Tamper = fn(&mut HandRecord, &mut Vec<DecisionRecord>, &mut Payoff);

/// One match of this many hands: all its estimates by kind.
fn match_of(hands: u64, repetition: u64, tamper: Tamper) -> BTreeMap<String, Row> {
    let estimates = Estimates::of_game(&short(), 1, 0).unwrap();
    estimates_of_match(estimates, hands, repetition, tamper)
}

fn estimates_of_match(
    mut estimates: Estimates,
    hands: u64,
    repetition: u64,
    tamper: Tamper,
) -> BTreeMap<String, Row> {
    let def = short();
    for hand in 0..hands {
        let seed = repetition << 32 | hand;
        let deal = deal(&def, seed);
        let (mut record, mut decisions) = play(&def, [&PLAYERS[0], &PLAYERS[1]], hand, &deal, seed);
        let mut baseline = self_play(&def, hand, &deal, seed);
        tamper(&mut record, &mut decisions, &mut baseline);
        estimates.add(&record, &decisions, Some(baseline));
    }
    by_kind(&estimates)
}

fn by_kind(estimates: &Estimates) -> BTreeMap<String, Row> {
    let rows = estimates.rows().unwrap().rows;
    rows.into_iter().map(|row| (format!("{:?}", row.kind), row)).collect()
}

/// Over the repetitions: by kind, how many standard errors its mean is off the raw mean, and how
/// many of its intervals miss the raw mean of all.
fn repeated(repetitions: u64, hands: u64, tamper: Tamper) -> BTreeMap<String, (f64, u64)> {
    checked(&(0..repetitions).map(|k| match_of(hands, k, tamper)).collect::<Vec<_>>())
}

fn checked(matches: &[BTreeMap<String, Row>]) -> BTreeMap<String, (f64, u64)> {
    let repetitions = matches.len();
    let count = repetitions as f64;
    let truth = matches.iter().map(|rows| rows["Raw"].rate.mbb).sum::<f64>() / count;
    let kinds = matches[0].keys();
    let checked = kinds.map(|kind| {
        let rate = |rows: &BTreeMap<String, Row>| rows[kind].rate;
        let apart = |rows| rate(rows).mbb - rows["Raw"].rate.mbb;
        let mean = matches.iter().map(apart).sum::<f64>() / count;
        let variance =
            matches.iter().map(|rows| (apart(rows) - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let misses = |rows: &&BTreeMap<String, Row>| {
            let interval = rate(rows).interval;
            truth < interval.low || truth > interval.high
        };
        let misses = matches.iter().filter(misses).count() as u64;
        (kind.clone(), (mean / (variance / count).sqrt().max(1e-9), misses))
    });
    checked.collect()
}

/// Repetitions and hands of each: more in exhaustive runs.
fn size() -> (u64, u64) {
    testing::size((200, 24), (200, 80))
}

#[test]
fn every_estimate_agrees_with_the_raw_mean_at_the_right_rate() {
    let (repetitions, hands) = size();
    let checked = repeated(repetitions, hands, |_, _, _| {});
    assert_eq!(checked.len(), 5, "{:?}", checked.keys());
    for (kind, (off, misses)) in checked {
        assert!(off.abs() < 3.5, "{kind}: {off:.1} standard errors off the raw mean");
        // Of 200 intervals 10 should miss; fewer than 2 or more than 21 happens once in 1,000
        // tests.
        assert!((2..=21).contains(&misses), "{kind}: {misses} of {repetitions} intervals miss");
    }
}

/// A value function that knows nothing but the cards, and mistakes the betting for luck.
struct Wild;

impl ValueFunction for Wild {
    fn name(&self) -> &str {
        "wild"
    }

    fn check_game(&self, _: &GameDef) -> Result<(), String> {
        Ok(())
    }

    fn of_deal<'a>(
        &'a self,
        holes: [HoleCards; 2],
        _: [u8; 2],
        _: u64,
    ) -> Box<dyn DealValues + 'a> {
        Box::new(WildDeal(holes.map(|hole| cards::Combo::new(hole[0], hole[1]).unwrap())))
    }
}

struct WildDeal([cards::Combo; 2]);

impl DealValues for WildDeal {
    fn value(&mut self, public: &PublicState) -> f64 {
        let [a, b] = self.0;
        let share = cards::all_in(a, b, public.board().set()).unwrap().value(cards::Ties::Half);
        let bets = public.committed().as_slice().iter().sum::<u32>() % 700;
        (2.0 * share - 1.0) * 40.0 * f64::from(bets) - 350.0 * public.history().len() as f64
    }
}

#[test]
fn a_value_function_that_is_no_good_biases_nothing_and_adds_no_spread() {
    let (repetitions, hands) = size();
    let wild = |hands, repetition| {
        let estimates = Estimates::of_game(&short(), 1, 0).unwrap().valued_by(Arc::new(Wild));
        estimates_of_match(estimates, hands, repetition, |_, _, _| {})
    };
    let matches: Vec<_> = (0..repetitions).map(|k| wild(hands, k)).collect();
    for (kind, (off, misses)) in checked(&matches) {
        assert!(off.abs() < 3.5, "{kind}: {off:.1} standard errors off the raw mean");
        assert!((2..=21).contains(&misses), "{kind}: {misses} of {repetitions} intervals miss");
    }
    for (kind, row) in wild(10 * hands, 1 << 20) {
        let of_raw = row.of_raw.unwrap();
        assert!(of_raw < 1.02, "{kind} has {of_raw} of the raw deviation");
    }
}

#[test]
fn a_wrong_strategy_biases_and_is_noticed() {
    let (_, hands) = size();
    let claims_to_raise: Tamper = |_, decisions, _| {
        for decision in decisions {
            let strategy = decision.strategy.as_mut().unwrap();
            let others = strategy.actions.len() as f64 - 1.0;
            for (action, p) in &mut strategy.actions {
                let raise = matches!(action, Action::RaiseTo(_));
                *p = if raise { 0.9 / others } else { 0.1 };
            }
            let total: f64 = strategy.actions.iter().map(|(_, p)| p).sum();
            strategy.actions.iter_mut().for_each(|(_, p)| *p /= total);
        }
    };
    let (off, _) = repeated(60, hands, claims_to_raise)["OwnChoices"];
    assert!(off.abs() > 3.5, "only {off:.1} standard errors off");
}

#[test]
fn corrections_take_spread_out_and_those_of_the_wrong_seat_add_it() {
    let hands = testing::size(1_500, 6_000);
    let right = match_of(hands, 1 << 20, |_, _, _| {});
    let share = |rows: &BTreeMap<String, Row>, kind: &str| rows[kind].of_raw.unwrap();
    assert!(share(&right, "Luck") < 0.85, "{}", share(&right, "Luck"));
    assert!(share(&right, "BothChoices") < share(&right, "OwnChoices"));
    assert!(share(&right, "Combined") < 0.75, "{}", share(&right, "Combined"));
    // The results stand, so only hands without a showdown can have their cards exchanged.
    let exchanged = match_of(hands, 1 << 20, |record, _, _| {
        if !record.public.is_showdown() {
            let [a, b] = [record.hole.as_slice()[0], record.hole.as_slice()[1]];
            record.hole = BySeat::from_slice(&[b, a]).unwrap();
        }
    });
    assert!(share(&exchanged, "Luck") > share(&right, "Luck") + 0.05);
}

/// Two equal hands, so that there is an interval; their estimates in big blinds.
fn estimates_of(record: &HandRecord, decisions: &[DecisionRecord]) -> BTreeMap<String, f64> {
    let mut estimates = Estimates::of_game(record.public.def(), 1, 0).unwrap();
    estimates.add(record, decisions, None);
    estimates.add(record, decisions, None);
    by_kind(&estimates).into_iter().map(|(kind, row)| (kind, row.rate.mbb / 1000.0)).collect()
}

/// A finished hand in 50/100 blinds and stacks of 200 big blinds; entrant 0 has the big blind.
fn hand(betting: &str, board: &str, holes: [&str; 2]) -> HandRecord {
    let def = Arc::new(games::nolimit_holdem());
    let board: Board = board.parse().unwrap();
    let public = notation::replay(&def, betting, &board).unwrap();
    assert_eq!(public.turn(), Turn::Over);
    let hole = BySeat::from_slice(&holes.map(|hole| hole.parse::<HoleCards>().unwrap())).unwrap();
    let payoffs = public.payoffs(&hole);
    let entrants = BySeat::from_slice(&[0, 1]).unwrap();
    HandRecord { hand: 0, deal: 0, public, hole, payoffs, entrants }
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found} and not {expected}");
}

#[test]
fn an_all_in_before_the_flop_counts_by_its_exact_share_whatever_comes() {
    let combo = |text: &str| {
        let hole: HoleCards = text.parse().unwrap();
        cards::Combo::new(hole[0], hole[1]).unwrap()
    };
    let all = cards::all_in(combo("AsAh"), combo("KdKc"), CardSet::EMPTY).unwrap();
    let share = (all.wins as f64 + 0.5 * all.ties as f64) / all.total as f64;
    assert!((share - 0.81255).abs() < 1e-5, "{share}");
    // The deal of these hands by the documented formula: a pot of 2, 199 behind, strengths 0.8527
    // and
    // 0.8240.
    let lead = share - 0.5;
    let growth = 398.0_f64.sqrt();
    let good = (0.8527_f64 * 0.8240).powi(2);
    let dealt = 2.0 * lead
        + 0.05 * 8.0 * lead
        + 5.5 * 2.0 * lead * growth * good
        + 25.0 * 2.0 * lead * growth * good.powi(4)
        - 0.3 * (0.8527 - 0.8240) * growth;
    for board in ["2c7d9hJs3d", "KhKs2d2h2s"] {
        let found = estimates_of(&hand("r20000c///", board, ["AsAh", "KdKc"]), &[]);
        near(found["Luck"], (2.0 * share - 1.0) * 200.0 - dealt);
    }
    // Given up before the flop, only the deal is left.
    let found = estimates_of(&hand("f", "", ["AsAh", "KdKc"]), &[]);
    near(found["Luck"], 0.5 - dealt);
}

#[test]
fn the_corrections_of_all_rivers_sum_to_zero() {
    let holes = ["AsAh", "KdKc"];
    let correction = |betting: &str, board: &str| {
        let found = estimates_of(&hand(betting, board, holes), &[]);
        found["Raw"] - found["Luck"]
    };
    // The same hand given up on the turn: everything but the river.
    let turn = "2c7d9hJs";
    let before = correction("r200c/cc/r400f", turn);
    let dead: CardSet = format!("{turn}AsAhKdKc").parse::<cards::CardList<8>>().unwrap().set();
    let rivers: Vec<Card> = (CardSet::FULL - dead).iter().collect();
    assert_eq!(rivers.len(), 44);
    let sum: f64 = rivers
        .iter()
        .map(|river| correction("r200c/cc/cc/cc", &format!("{turn}{river}")) - before)
        .sum();
    near(sum, 0.0);
    let some = correction("r200c/cc/cc/cc", &format!("{turn}Kh")) - before;
    assert!(some.abs() > 1.0, "the river that wins changes much: {some}");
}

#[test]
fn over_all_deals_the_corrections_of_hole_cards_sum_to_zero() {
    // Every kind against every kind, and the same with the hands exchanged, given up before the
    // flop: what is corrected is the deal. Exchanged deals are as likely, so pairs that cancel make
    // a zero mean.
    let public = notation::replay(&Arc::new(games::nolimit_holdem()), "f", &Board::EMPTY).unwrap();
    let entrants = BySeat::from_slice(&[0, 1]).unwrap();
    let hole = |combo: cards::Combo| HoleCards::new(&combo.cards()).unwrap();
    let mut all = Estimates::of_game(public.def(), 1, 0).unwrap();
    let mut most = 0.0_f64;
    for one in cards::StartingHand::all() {
        let first = one.combos().next().unwrap();
        for other in cards::StartingHand::all() {
            let second = other.combos().find(|combo| !combo.set().intersects(first.set()));
            let holes = [hole(first), hole(second.unwrap())];
            let [dealt, exchanged] = [[0, 1], [1, 0]].map(|order| {
                let hole = BySeat::from_slice(&order.map(|k| holes[k])).unwrap();
                let (public, payoffs) = (public.clone(), public.payoffs(&hole));
                HandRecord { hand: 0, deal: 0, public, hole, payoffs, entrants }
            });
            all.add(&dealt, &[], None);
            all.add(&exchanged, &[], None);
            if (one.index() + other.index()).is_multiple_of(50) {
                let correction = |record| {
                    let found = estimates_of(record, &[]);
                    found["Raw"] - found["Luck"]
                };
                near(correction(&dealt), -correction(&exchanged));
                most = most.max(correction(&dealt).abs());
            }
        }
    }
    assert!(most > 1.0, "the corrections are not nothing: {most}");
    let [played, corrected] = all.won();
    near(played, corrected);
}

#[test]
fn a_choice_counts_by_what_it_was_worth_on_average() {
    // On the river the button bets 200 into 400. The big blind has a pair of aces against king
    // high, folds or calls with even chances, and so is worth (-2 + 4) / 2 = 1 whichever it does.
    let strategy = Strategy { actions: vec![(Action::Fold, 0.5), (Action::Call, 0.5)] };
    let found = [("f", Action::Fold), ("c", Action::Call)].map(|(end, action)| {
        let betting = format!("r200c/cc/cc/cr400{end}");
        let record = hand(&betting, "2c7d9hJs3d", ["AsAh", "KdQc"]);
        let seat = Seat::new(0).unwrap();
        let strategy = Some(strategy.clone());
        let decision = DecisionRecord { index: 8, seat, action, strategy, ..hands::decision(0) };
        estimates_of(&record, &[decision])
    });
    near(found[0]["Raw"], -2.0);
    near(found[1]["Raw"], 4.0);
    near(found[0]["OwnChoices"], found[1]["OwnChoices"]);
    near(found[0]["OwnChoices"] - found[0]["Luck"], 3.0);
    near(found[1]["OwnChoices"] - found[1]["Luck"], -3.0);
}

#[test]
fn unknown_cards_leave_no_estimate_and_other_games_none_at_all() {
    let mut record = hand("f", "", ["AsAh", "KdKc"]);
    record.hole = BySeat::from_slice(&[record.hole.as_slice()[0], HoleCards::EMPTY]).unwrap();
    let mut estimates = Estimates::of_game(record.public.def(), 1, 0).unwrap();
    estimates.add(&record, &[], None);
    assert_eq!(estimates.rows(), Err(NoEstimates::UnknownCards(1)));
    for def in [games::leduc(), games::nolimit_holdem_with(vec![20_000; 3])] {
        assert!(Estimates::of_game(&def, 1, 0).is_none());
    }
}

/// Enough hands for several blocks, every seventh of them known by its result only.
fn observed(hands: u64) -> Vec<Observed> {
    let def = short();
    let observe = |number: u64| {
        let deal = deal(&def, number);
        let (record, decisions) = play(&def, [&PLAYERS[0], &PLAYERS[1]], number, &deal, number);
        let baseline = Some(self_play(&def, number, &deal, number));
        if !number.is_multiple_of(7) {
            return Observed::Hand { record, decisions, baseline };
        }
        let seat = def.seats().find(|&seat| record.entrants[seat] == 0).unwrap();
        Observed::Settled { seat, won: record.payoffs[seat], baseline: None }
    };
    (0..hands).map(observe).collect()
}

#[test]
fn the_number_of_threads_changes_no_bit_of_an_estimate() {
    let hands = observed(600);
    let def = short();
    let new = || Estimates::of_game(&def, 1, 0).unwrap();
    let mut one_by_one = new();
    for hand in &hands {
        match hand {
            Observed::Hand { record, decisions, baseline } => {
                one_by_one.add(record, decisions, *baseline);
            }
            &Observed::Settled { seat, won, baseline } => {
                one_by_one.add_settled(seat, won, baseline);
            }
            &Observed::Together { won, hands } => one_by_one.add_together(won, hands),
        }
    }
    let expected = one_by_one.rows().unwrap();
    assert!(expected.baseline);
    for threads in [1, 2, 5] {
        let pool = parallel::Pool::new(threads).unwrap();
        let mut estimates = new();
        let mut told = Vec::new();
        let all = hands.iter().cloned().map(Ok::<_, Infallible>);
        let end = pool.run(|| {
            estimates.add_all(all, &mut |done| {
                told.push(done);
                ControlFlow::Continue(())
            })
        });
        assert_eq!(end, Ok(ControlFlow::Continue(())));
        assert_eq!(estimates.rows().unwrap(), expected, "{threads} threads");
        assert_eq!(told.last(), Some(&600));
        assert!(told.len() > 2 && told.is_sorted(), "{told:?}");
    }
}

#[test]
fn estimating_ends_when_told_to_and_at_an_error() {
    let hands = observed(300);
    let mut estimates = Estimates::of_game(&short(), 1, 0).unwrap();
    let all = || hands.iter().cloned().map(Ok::<_, &str>);
    let end = estimates.add_all(all(), &mut |_| ControlFlow::Break(()));
    assert_eq!(end, Ok(ControlFlow::Break(())));
    let broken = all().take(280).chain([Err("torn")]);
    assert_eq!(estimates.add_all(broken, &mut |_| ControlFlow::Continue(())), Err("torn"));
}

#[test]
fn a_settled_hand_counts_as_it_fell_in_every_estimate() {
    let mut estimates = Estimates::of_game(&short(), 1, 0).unwrap();
    let won = [300, -100, 250, -250].map(Payoff::from_chips);
    for (k, won) in won.into_iter().enumerate() {
        estimates.add_settled(Seat::new(k % 2).unwrap(), won, None);
    }
    let rows = estimates.rows().unwrap();
    for row in &rows.rows {
        near(row.rate.mbb, 500.0);
        assert_eq!(row.rate.hands, 4);
    }
    assert!(rows.notes[0].starts_with("4 of 4 hands, known by their results only"), "{rows:?}");
}

#[test]
fn hands_settled_together_keep_the_mean_and_the_variance() {
    // 4,000 single hands of which the first 1,000 are known by pairs only.
    let def = short();
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let won: Vec<i64> = (0..4000).map(|_| rng.random_range(-400..=500)).collect();
    let mut sums = Sums::default();
    let mut tally = Tally::of_game(&def, 1);
    let mut estimates = Estimates::of_game(&def, 1, 0).unwrap();
    let payoffs = |won: i64| {
        let [won, lost] = [won, -won].map(Payoff::from_chips);
        BySeat::from_slice(&[won, lost]).unwrap()
    };
    let seats = BySeat::from_slice(&[0, 1]).unwrap();
    for pair in won[..1000].chunks(2) {
        let sum = pair.iter().sum();
        sums.add(Payoff::from_chips(sum), 2);
        tally.add_together(seats, payoffs(sum), 2);
        estimates.add_together(Payoff::from_chips(sum), 2);
    }
    for &won in &won[1000..] {
        sums.add(Payoff::from_chips(won), 1);
        tally.add_settled(seats, payoffs(won));
        estimates.add_settled(Seat::new(0).unwrap(), Payoff::from_chips(won), None);
    }
    let expected = Rate::from_sums(&sums, def.big_blind()).unwrap();
    let mean = won.iter().sum::<i64>() as f64 / 4000.0 * 1000.0 / f64::from(def.big_blind());
    near(expected.mbb, mean);
    assert_eq!((expected.hands, expected.groups), (4000, 3500));
    assert_eq!(tally.rate(0), Ok(expected));
    assert_eq!((tally.hands(), tally.entrants()[0].seats[0].hands), (4000, 3000));
    let rows = estimates.rows().unwrap();
    let raw = rows.rows[0].rate;
    near(raw.mbb, expected.mbb);
    near(raw.standard_error, expected.standard_error);
    assert_eq!((raw.hands, raw.groups), (4000, 3500));
    assert_eq!(rows.rows[0].seats.map(|seat| seat.map(|rate| rate.hands)), [Some(3000), None]);
    // The deviation is that of the hands, not less as if half of each sum were a result.
    let single = won.iter().map(|&won| (won as f64 - mean * 0.1).powi(2)).sum::<f64>();
    let single = (single / 4000.0 / 4000.0).sqrt() * 1000.0 / f64::from(def.big_blind());
    let ratio = raw.standard_error / single;
    assert!((0.97..1.03).contains(&ratio), "{ratio}");
    assert!(rows.notes[1].contains("of 1000 of them only the sum"), "{:?}", rows.notes);
}

/// A match in which each deal is played once with fresh cards, or twice with the seats exchanged.
fn match_with(mut estimates: Estimates, duplicate: bool, hands: u64, repetition: u64) -> Estimates {
    let def = short();
    for hand in 0..hands {
        let number = if duplicate { hand / 2 } else { hand };
        let deal = deal(&def, repetition << 32 | number);
        let seed = repetition << 32 | hand;
        let (mut record, decisions) = play(&def, [&PLAYERS[0], &PLAYERS[1]], hand, &deal, seed);
        record.deal = number;
        let baseline = (!duplicate).then(|| self_play(&def, hand, &deal, seed));
        estimates.add(&record, &decisions, baseline);
    }
    estimates
}

fn new(duplicate: bool) -> Estimates {
    Estimates::of_game(&short(), if duplicate { 2 } else { 1 }, 0).unwrap()
}

#[test]
fn estimates_by_a_sample_of_deals_are_unbiased_and_their_intervals_right() {
    // With 60 % of the units corrected, weights are fitted in most of the longer matches; there are
    // only half as many deals in duplicate.
    let hands = testing::size(60, 380);
    for (duplicate, hands) in [(false, hands), (true, hands / 2)] {
        let sampled = |repetition| {
            let estimates = new(duplicate).sampling(Sampling::new(0.1, 0.6));
            by_kind(&match_with(estimates, duplicate, hands, repetition))
        };
        let matches: Vec<_> = (0..200).map(sampled).collect();
        for (kind, (off, misses)) in checked(&matches) {
            assert!(off.abs() < 3.5, "{kind}: {off:.1} standard errors off the raw mean");
            assert!((2..=21).contains(&misses), "{kind}: {misses} of 200 intervals miss");
        }
    }
}

#[test]
fn a_sample_narrows_less_than_all_deals_and_never_hides_its_size() {
    let hands = testing::size(1_500, 6_000);
    let error = |sampling| {
        let estimates = match_with(new(false).sampling(sampling), false, hands, 1 << 20);
        let corrected = estimates.rows().unwrap().corrected;
        let rows = by_kind(&estimates);
        (rows["Raw"].rate, rows["Combined"].rate, corrected)
    };
    let (raw, all, everything) = error(Sampling::ALL);
    assert_eq!((everything, all.hands, all.groups), (hands, hands, hands));
    let (same_raw, half, corrected) = error(Sampling::new(0.0, 0.5));
    // What is set aside is in the raw rate, and in no other.
    assert_eq!(raw, same_raw);
    assert!(corrected > hands * 2 / 5 && corrected < hands * 3 / 5, "{corrected}");
    assert_eq!((half.hands, half.groups), (hands, corrected));
    assert!(all.standard_error < half.standard_error);
    assert!(half.standard_error < raw.standard_error);
    let (_, less, corrected) = error(Sampling::new(0.2, 0.5));
    assert!(less.hands < hands * 17 / 20 && less.groups == corrected);
    // Nothing corrected: only what was won.
    let none = match_with(new(false).sampling(Sampling::new(0.0, 0.0)), false, 300, 3);
    let kinds: Vec<RowKind> = none.rows().unwrap().rows.iter().map(|row| row.kind).collect();
    assert_eq!(kinds, [RowKind::Raw]);
}

#[test]
fn the_estimates_of_the_seats_are_together_that_of_all() {
    // All hands, a sample of them, a match of few hands, deals in duplicate; with a baseline where
    // the deals are not.
    for (duplicate, share, hands) in
        [(false, 1.0, 3), (false, 1.0, 501), (true, 1.0, 500), (false, 0.4, 501), (true, 0.4, 500)]
    {
        let estimates = new(duplicate).sampling(Sampling::new(0.1 * (1.0 - share), share));
        let estimates = match_with(estimates, duplicate, hands, 7);
        for row in estimates.rows().unwrap().rows {
            let [Some(one), Some(other)] = row.seats else { continue };
            let of_seats = one.hands as f64 * one.mbb + other.hands as f64 * other.mbb;
            assert_eq!(one.hands + other.hands, row.rate.hands);
            let together = of_seats / row.rate.hands as f64;
            assert!((together - row.rate.mbb).abs() < 1e-6, "{row:?}: together {together}");
        }
    }
    // The same with hands known by their results only.
    let mut estimates = new(false);
    for hand in observed(300) {
        match hand {
            Observed::Hand { record, decisions, .. } => estimates.add(&record, &decisions, None),
            Observed::Settled { seat, won, .. } => estimates.add_settled(seat, won, None),
            Observed::Together { won, hands } => estimates.add_together(won, hands),
        }
    }
    for row in estimates.rows().unwrap().rows {
        let [one, other] = row.seats.map(Option::unwrap);
        let sum = one.hands as f64 * one.mbb + other.hands as f64 * other.mbb;
        near(sum / 300.0 / row.rate.mbb, 1.0);
    }
}

#[test]
fn weights_are_not_fitted_to_a_few_hands() {
    for hands in [2, 3, 50, 199] {
        let estimates = match_with(new(false), false, hands, 5);
        let luck = by_kind(&estimates)["Luck"].rate;
        // The sum of the hands, each with its own luck taken out.
        near(luck.mbb * hands as f64 / 1000.0, estimates.won()[1]);
        let notes = estimates.rows().unwrap().notes.join("\n");
        assert!(notes.contains("fewer than 200 hands are corrected"), "{notes}");
    }
    for (fitting, fixed) in [(true, false), (false, true)] {
        let estimates = if fitting { new(false) } else { new(false).unfitted() };
        let estimates = match_with(estimates, false, FEWEST_TO_FIT, 5);
        let luck = by_kind(&estimates)["Luck"].rate;
        let off = luck.mbb * FEWEST_TO_FIT as f64 / 1000.0 - estimates.won()[1];
        assert_eq!(off.abs() < 1e-9, fixed, "{off}");
        assert!(!estimates.rows().unwrap().notes.join("\n").contains("fewer than"));
    }
}

#[test]
fn the_luckiest_hands_are_those_with_the_most_luck() {
    let def = short();
    let mut estimates = new(false).keeping_luckiest(5);
    let mut all = Vec::new();
    for hand in 0..60 {
        let deal = deal(&def, hand);
        let (record, decisions) = play(&def, [&PLAYERS[0], &PLAYERS[1]], hand, &deal, hand);
        let found = estimates_of(&record, &decisions);
        near(found["Raw"] - found["Luck"], estimates.luck(&record).unwrap());
        all.push((found["Raw"] - found["Luck"], hand));
        estimates.add(&record, &decisions, None);
    }
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let expected: Vec<u64> = all.iter().take(5).map(|&(_, hand)| hand).collect();
    assert_eq!(estimates.luckiest().collect::<Vec<_>>(), expected);
}
