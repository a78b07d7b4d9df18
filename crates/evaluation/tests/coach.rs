//! Decisions to practise: what answers of a street's rules win against a slow count over all hands
//! and boards, and hands against an agent.

use std::collections::HashMap;
use std::sync::Arc;

use agents::{HeuristicPlayer, Registry, named_heuristics};
use cards::{Card, Combo, HoleCards};
use evaluation::coach::{AgainstAgent, Coach, by_rules};
use game::{Action, BySeat, GameDef, InfoSet, Policy, PublicState, Seat, Street, Turn, games};

fn policy(agent: &str, def: &Arc<GameDef>) -> Arc<dyn Policy> {
    let agent = Registry::standard().resolve(agent).expect("an agent");
    agent.policy(def).expect("an agent of the game").expect("an agent with a strategy")
}

fn list(name: &str) -> HeuristicPlayer {
    let (_, book) = named_heuristics().find(|(known, _)| *known == name).expect("a list");
    HeuristicPlayer::new(book)
}

fn hole(combo: Combo) -> HoleCards {
    HoleCards::new(&combo.cards()).expect("two cards")
}

/// What the seat does, by its betting on the street: for the slow count.
type Plan<'a> = &'a dyn Fn(&InfoSet) -> Vec<(Action, f64)>;

/// One player's street, hand by hand of the other and board by board.
struct Slow<'a> {
    opponent: &'a dyn Policy,
    own: (Seat, HoleCards),
    plan: Plan<'a>,
}

impl Slow<'_> {
    /// What the own hand wins on average after a state, in big blinds.
    fn value(&self, before: &PublicState, after: &PublicState) -> f64 {
        let (_, cards) = self.own;
        let known = cards.set() | before.board().set();
        let (mut sum, mut weights) = (0.0, 0.0);
        for combo in Combo::all().filter(|combo| !combo.set().intersects(known)) {
            let other = hole(combo);
            let weight = self.reach(before, other);
            if weight > 0.0 {
                weights += weight;
                sum += weight * self.against(after, other);
            }
        }
        let big_blind = f64::from(before.def().big_blind());
        sum / weights / big_blind
    }

    /// The probability that the other plays as it did with these cards.
    fn reach(&self, public: &PublicState, other: HoleCards) -> f64 {
        let (board, mut at) = (public.board(), PublicState::new(public.def()));
        let mut probability = 1.0;
        for played in public.history() {
            at.deal_from(&board).expect("the board");
            if played.seat != self.own.0 {
                let infoset = InfoSet { public: at.clone(), seat: played.seat, hole: other };
                probability *= self.opponent.strategy(&infoset).probability(played.action);
            }
            at.apply(played.action).expect("it was played");
        }
        probability
    }

    fn against(&self, state: &PublicState, other: HoleCards) -> f64 {
        let (own, cards) = self.own;
        let holes = BySeat::from_fn(2, |seat| if seat == own { cards } else { other });
        match state.turn() {
            Turn::Over => state.payoffs(&holes)[own].chips(),
            Turn::Deal(_) => {
                let known = cards.set() | other.set() | state.board().set();
                let free: Vec<Card> = Card::all().filter(|card| !known.contains(*card)).collect();
                let dealt = free.iter().map(|&card| {
                    let mut next = state.clone();
                    next.deal(&[card]).expect("a card");
                    self.checked_down(next, &holes)
                });
                dealt.sum::<f64>() / free.len() as f64
            }
            Turn::Act(seat) => {
                let held = holes[seat];
                let infoset = InfoSet { public: state.clone(), seat, hole: held };
                let actions = if seat == own {
                    (self.plan)(&infoset)
                } else {
                    self.opponent.strategy(&infoset).actions
                };
                let each = actions.iter().filter(|(_, share)| *share > 0.0);
                let values = each.map(|&(action, share)| {
                    let mut next = state.clone();
                    next.apply(action).expect("a legal action");
                    share * self.against(&next, other)
                });
                values.sum()
            }
        }
    }

    fn checked_down(&self, mut state: PublicState, holes: &BySeat<HoleCards>) -> f64 {
        while !matches!(state.turn(), Turn::Over) {
            assert!(matches!(state.turn(), Turn::Act(_)), "the last card was dealt");
            state.apply(Action::Call).expect("a check");
        }
        state.payoffs(holes)[self.own.0].chips()
    }
}

fn near(one: f64, other: f64) {
    assert!((one - other).abs() < 1e-6, "{one} is not {other}");
}

#[test]
fn answers_by_rules_win_what_a_count_over_all_hands_and_boards_says() {
    let def = Arc::new(games::limit_holdem());
    let opponent = policy("cfr:blueprint=categories", &def);
    for (street, name, seeds) in [
        (Street::River, "paper", 0..3),
        (Street::River, "novice", 3..6),
        (Street::Turn, "novice", 6..7),
    ] {
        let player = list(name);
        let rules = policy(&format!("fft:model={name}"), &def);
        for seed in seeds {
            let asked = by_rules(&player, opponent.as_ref(), &def, street, seed).expect("asked");
            let again = by_rules(&player, opponent.as_ref(), &def, street, seed).expect("asked");
            assert_eq!(asked.question, again.question);
            let public = &asked.infoset.public;
            assert_eq!(public.street(), street);
            let own = (asked.infoset.seat, asked.infoset.hole);
            let says = rules.strategy(&asked.infoset);
            let by_list = |infoset: &InfoSet| rules.strategy(infoset).actions;
            let slow = Slow { opponent: opponent.as_ref(), own, plan: &by_list };
            for answer in &asked.question.answers {
                let action = public.action_of_word(&answer.word).expect("a word");
                near(answer.share, says.probability(action));
                let mut after = public.clone();
                after.apply(action).expect("a legal answer");
                near(answer.value, slow.value(public, &after));
                if street == Street::River {
                    near(answer.best, best(opponent.as_ref(), own, public, &after));
                }
                assert!(answer.best >= answer.value - 1e-9, "{answer:?}");
            }
        }
    }
}

/// What the best of all plans wins after a state: each tried, where a plan has one action for each
/// of the own decisions that can follow.
fn best(
    opponent: &dyn Policy,
    own: (Seat, HoleCards),
    before: &PublicState,
    after: &PublicState,
) -> f64 {
    let mut places = Vec::new();
    collect(after, own.0, &mut places);
    let mut most = f64::MIN;
    for number in 0..3_usize.pow(places.len() as u32) {
        let mut plan = HashMap::new();
        let mut rest = number;
        for (place, legal) in &places {
            plan.insert(place.clone(), legal[rest % 3 % legal.len()]);
            rest /= 3;
        }
        let by_plan =
            |infoset: &InfoSet| vec![(plan[&game::notation::betting(&infoset.public)], 1.0)];
        let slow = Slow { opponent, own, plan: &by_plan };
        most = most.max(slow.value(before, after));
    }
    most
}

/// The own decisions that can follow, by the betting before, with the legal actions.
fn collect(state: &PublicState, own: Seat, places: &mut Vec<(String, Vec<Action>)>) {
    let Turn::Act(seat) = state.turn() else { return };
    let legal = state.legal();
    let fold = legal.fold.then_some(Action::Fold);
    let raise = legal.raise.map(|raise| Action::RaiseTo(raise.min));
    let actions: Vec<Action> = fold.into_iter().chain([Action::Call]).chain(raise).collect();
    if seat == own {
        places.push((game::notation::betting(state), actions.clone()));
    }
    for action in actions {
        let mut next = state.clone();
        next.apply(action).expect("a legal action");
        collect(&next, own, places);
    }
}

#[test]
fn a_hand_against_an_agent_is_the_same_by_its_seed_and_ends_as_its_cards_say() {
    let def = Arc::new(games::nolimit_holdem());
    let coach = Coach::new(&def, "oct", policy("oct", &def)).expect("values");
    let mut asked = 0;
    for seed in 0..5 {
        let mut line = String::new();
        loop {
            let hand = coach.hand(seed, None, &line).expect("a hand");
            let AgainstAgent { seat, hole, state, next } = hand;
            let question = match next {
                Ok(question) => question,
                Err(won) => {
                    assert_eq!(won, state.payoffs(&hole)[seat]);
                    break;
                }
            };
            asked += 1;
            let again = coach.hand(seed, Some(seat), &line).expect("a hand").next;
            assert_eq!(again.expect("a question"), question);
            let shares: f64 = question.answers.iter().map(|answer| answer.share).sum();
            near(shares, 1.0);
            let words: Vec<&str> =
                question.answers.iter().map(|answer| answer.word.as_str()).collect();
            for (number, answer) in question.answers.iter().enumerate() {
                let price = question.price(number);
                assert!(price.least <= price.usual && price.usual <= price.most, "{answer:?}");
                if answer.word == "f" {
                    let sunk = f64::from(state.committed()[seat]) / 100.0;
                    near(answer.value, -sunk);
                }
            }
            let taken = words[(seed as usize + asked) % words.len()];
            line = format!("{line} {taken}");
        }
        let error = coach.hand(seed, None, &format!("{line} c")).expect_err("the hand is over");
        assert!(error.to_string().contains("over"), "{error}");
    }
    assert!(asked > 5);
    for wrong in ["zz", "b1", "r99999999", "x\u{1b}[2J"] {
        let error = coach.hand(1, None, wrong).expect_err(wrong).to_string();
        assert!(error.contains("no answer there") && !error.contains('\u{1b}'), "{error}");
    }
}

#[test]
fn games_without_values_have_no_coach() {
    let kuhn = Arc::new(games::kuhn());
    let random = policy("random", &kuhn);
    assert!(Coach::new(&kuhn, "random", random).is_err());
}
