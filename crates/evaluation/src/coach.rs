//! Decisions to practise that are not from a solved game: a hand against an agent and decisions of
//! recorded matches, priced by the agent's values, and the rules of one street of limit hold'em,
//! priced exactly in the game that they were made for.
//!
//! Questions, prices and grades are those of [`readable::exercise`].

use std::sync::Arc;

use agents::reach::{self, ActionMatching};
use agents::{HeuristicPlayer, StatementEffect};
use cards::{Board, Card, Combo, HoleCards, Ties, all_in};
use game::{
    Action, Betting, BySeat, GameDef, InfoSet, Payoff, Policy, PublicState, Seat, Street, Turn,
};
use learners::mixed;
use logs::HandRecord;
use models::chart::{Chart, distinct};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use readable::exercise::{Answer, Question};

use crate::Error;
use crate::decision::before;
use crate::price::{Advisers, Seats, Unpriced, combo};

/// The most hands of the other player's range that an answer is valued against.
const MOST_HANDS: usize = 256;

/// The deals that are tried for one that comes to a decision on a street.
const DEALS: u64 = 10_000;

/// Prices decisions of heads-up hold'em by the play of one agent.
pub struct Coach {
    def: Arc<GameDef>,
    policy: Arc<dyn Policy>,
    advisers: Advisers,
}

/// A hand against an agent, up to a question or to its end.
#[derive(Debug, Clone)]
pub struct AgainstAgent {
    /// The seat of the one who is asked.
    pub seat: Seat,
    /// The cards of all seats.
    pub hole: BySeat<HoleCards>,
    /// Where the hand is.
    pub state: PublicState,
    /// The question, or what the one who is asked has won.
    pub next: Result<Question, Payoff>,
}

/// A decision of a recorded match as a question.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// What was known.
    pub infoset: InfoSet,
    /// The number of the answer that was given then.
    pub played: usize,
    /// The question.
    pub question: Question,
}

impl Coach {
    /// A coach for this game.
    ///
    /// # Errors
    /// When the agent has no values there.
    pub fn new(def: &Arc<GameDef>, name: &str, policy: Arc<dyn Policy>) -> Result<Coach, Unpriced> {
        if def.differs_from_holdem().is_some() {
            return Err(Unpriced::OtherGame);
        }
        let advisers = Advisers::alike(def, name, &policy);
        match advisers.value_function() {
            Some(_) => Ok(Coach { def: Arc::clone(def), policy, advisers }),
            None => Err(Unpriced::OtherStacks),
        }
    }

    /// A hand against the agent, dealt by the seed, up to the next question or to its end. `line`
    /// has the answers given so far, in the words of [`Answer::word`]; the seed decides the seat of
    /// the one who is asked where it is not given, and what the agent does.
    ///
    /// # Errors
    /// When an answer is none there, or the agent's values do not reach that far.
    pub fn hand(&self, seed: u64, seat: Option<Seat>, line: &str) -> Result<AgainstAgent, Error> {
        let (hole, board, first) = deal(&self.def, &mut Pcg64Mcg::seed_from_u64(seed));
        let seat = seat.unwrap_or(first);
        let mut state = PublicState::new(&self.def);
        let mut words = line.split_whitespace();
        loop {
            match state.turn() {
                Turn::Deal(_) => deal_from(&mut state, &board),
                Turn::Act(actor) if actor == seat => {
                    let Some(word) = words.next() else { break };
                    let action = state.action_of_word(word);
                    let applied = action.map(|action| state.apply(action).is_ok());
                    if applied != Some(true) {
                        return Err(Error::new(format!(
                            "`{}` is no answer there: write the word of one of `answers`",
                            game::escape::excerpt(word)
                        )));
                    }
                }
                Turn::Act(actor) => {
                    let infoset = InfoSet { public: state.clone(), seat: actor, hole: hole[actor] };
                    play(self.policy.as_ref(), &infoset, seed, &mut state);
                }
                Turn::Over => break,
            }
        }
        if let Some(word) = words.next() {
            return Err(Error::new(format!(
                "the hand is over before `{}`",
                game::escape::excerpt(word)
            )));
        }
        let next = match state.turn() {
            Turn::Act(_) => {
                let infoset = InfoSet { public: state.clone(), seat, hole: hole[seat] };
                let entrants = BySeat::from_fn(2, |seat| seat.index() as u8);
                let question = self.question((&entrants, seed), &infoset, None);
                Ok(question.map_err(|error| Error::new(error.to_string()))?)
            }
            Turn::Deal(_) | Turn::Over => Err(state.payoffs(&hole)[seat]),
        };
        Ok(AgainstAgent { seat, hole, state, next })
    }

    /// A decision of a recorded hand, by its number in the hand.
    ///
    /// # Errors
    /// Why it has no prices.
    pub fn recorded(&self, hand: &HandRecord, number: u32) -> Result<Recorded, Unpriced> {
        let (infoset, action) = before(hand, number).ok_or(Unpriced::NoStrategy)?;
        let question = self.question((&hand.entrants, hand.deal), &infoset, Some(action))?;
        let word = infoset.public.action_word(action);
        let played = question.answers.iter().position(|answer| answer.word == word);
        let played = played.ok_or(Unpriced::NoStrategy)?;
        Ok(Recorded { infoset, played, question })
    }

    /// What can be answered: a fold, a call, the sizes that the agent plays there with any hand,
    /// and the action that was played. Amounts are in big blinds over the whole hand.
    fn question(
        &self,
        seats: Seats<'_>,
        infoset: &InfoSet,
        played: Option<Action>,
    ) -> Result<Question, Unpriced> {
        let InfoSet { public, seat, .. } = infoset;
        let menu = menu(self.policy.as_ref(), public, *seat);
        let played = played.unwrap_or(Action::Call);
        let priced = self.advisers.price_each(seats, infoset, (played, &menu), MOST_HANDS)?;
        let mut actions = priced.actions;
        actions.sort_by_key(|of| in_order(of.action));
        let big_blind = f64::from(self.def.big_blind().max(1));
        let each = named(public, actions.iter().map(|of| of.action)).zip(&actions);
        let answers = each.map(|((word, name), of)| Answer {
            word,
            name,
            share: of.probability,
            value: of.value / big_blind,
            best: of.value / big_blind,
            half_width: of.half_width / big_blind,
        });
        Ok(Question { answers: answers.collect(), pot: public.pot() as f64 / big_blind })
    }
}

/// Cards for both seats and the board, and the seat of the one who is asked.
fn deal(def: &GameDef, rng: &mut Pcg64Mcg) -> (BySeat<HoleCards>, Board, Seat) {
    let mut deck: Vec<Card> = Card::all().collect();
    let (dealt, _) = deck.partial_shuffle(rng, 9);
    let hole = BySeat::from_fn(2, |seat| {
        HoleCards::new(&dealt[2 * seat.index()..][..2]).expect("two different cards")
    });
    let board = Board::new(&dealt[4..]).expect("five cards");
    let second = usize::from(rng.random::<bool>());
    let seat = def.seats().nth(second).expect("two seats");
    (hole, board, seat)
}

fn deal_from(state: &mut PublicState, board: &Board) {
    state.deal_from(board).expect("a board of five different cards");
}

/// Has a policy act; the seed and the number of actions before decide.
fn play(policy: &dyn Policy, infoset: &InfoSet, seed: u64, state: &mut PublicState) {
    let number = 1 + state.history().len() as u64;
    let mut rng = Pcg64Mcg::seed_from_u64(mixed(seed, number));
    let action = policy.strategy(infoset).sample(rng.random());
    state.apply_unchecked(state.legal().nearest(action));
}

/// The actions that a policy plays there with any hand.
fn menu(policy: &dyn Policy, public: &PublicState, seat: Seat) -> Vec<Action> {
    let board = public.board().set();
    let free = Combo::all().filter(|combo| !combo.set().intersects(board));
    let holes: Vec<HoleCards> = free.map(hole_cards).collect();
    let mut played = Vec::new();
    policy.strategies(public, seat, &holes, &mut |_, strategy| {
        let likely = strategy.actions.iter().filter(|(_, share)| *share > 0.0);
        played = distinct(played.drain(..).chain(likely.map(|&(action, _)| action)));
    });
    played
}

fn hole_cards(combo: Combo) -> HoleCards {
    HoleCards::new(&combo.cards()).expect("two different cards")
}

/// Folds first, then calls, then raises by size.
fn in_order(action: Action) -> (u8, game::Chips) {
    match action {
        Action::Fold => (0, 0),
        Action::Call => (1, 0),
        Action::RaiseTo(total) => (2, total),
    }
}

/// The short and the full names of actions.
fn named(
    public: &PublicState,
    actions: impl Iterator<Item = Action>,
) -> impl Iterator<Item = (String, String)> {
    let actions: Vec<Action> = actions.collect();
    let chart = Chart::new(public, &actions, Vec::new());
    chart.actions.into_iter().map(|choice| (choice.word, choice.name))
}

/// A decision on one street of limit hold'em, for those who practise a list of rules.
#[derive(Debug, Clone)]
pub struct ByRules {
    /// What the one who is asked knows.
    pub infoset: InfoSet,
    /// The question; its shares are what the list does. Amounts are in big blinds over the whole
    /// hand, and after the street the board is dealt without betting.
    pub question: Question,
    /// The statement of the list that decides, with the facts that it was tested on; the
    /// likeliest one of a list that draws at random.
    pub statement: String,
}

/// One player's decision on a street: the game of [`readable::heuristic::fitness`].
///
/// Both players come to the street by the opponent's policy, the one who is asked follows the list
/// there, and after the street the rest of the board is dealt without betting (de Mesentier Silva,
/// Togelius, Lantz and Nealen 2018, section VI). One of the decisions is asked about; what each
/// answer wins is counted against every hand of the opponent, by the opponent's policy so far and
/// from there on, over every board to come: when the list goes on after it, and when a best
/// response does.
///
/// # Errors
/// When the list has none for the street, or no deal comes to a decision there.
pub fn by_rules(
    list: &HeuristicPlayer,
    opponent: &dyn Policy,
    def: &Arc<GameDef>,
    street: Street,
    seed: u64,
) -> Result<ByRules, Error> {
    if def.betting != Betting::Limit || def.differs_from_holdem().is_some() {
        return Err(Error::new("rules of one street are for heads-up limit hold'em".to_owned()));
    }
    for number in 0..DEALS {
        let seed = mixed(seed, number);
        let asked = decisions(list, opponent, def, street, seed)?;
        if asked.is_empty() {
            continue;
        }
        let number = (mixed(seed, u64::MAX) % asked.len() as u64) as usize;
        let infoset = asked.into_iter().nth(number).expect("a number below their count");
        return OnStreet::new(list, opponent, &infoset).question();
    }
    Err(Error::new(format!("none of {DEALS} deals comes to a decision on the {street}")))
}

/// What the one who is asked knows at each of the decisions on a street, in one deal.
fn decisions(
    list: &HeuristicPlayer,
    opponent: &dyn Policy,
    def: &Arc<GameDef>,
    street: Street,
    seed: u64,
) -> Result<Vec<InfoSet>, Error> {
    let (hole, board, own) = deal(def, &mut Pcg64Mcg::seed_from_u64(seed));
    let mut state = PublicState::new(def);
    let mut asked = Vec::new();
    loop {
        match state.turn() {
            Turn::Act(seat) if state.street() <= street => {
                let infoset = InfoSet { public: state.clone(), seat, hole: hole[seat] };
                if state.street() < street || seat != own {
                    play(opponent, &infoset, seed, &mut state);
                    continue;
                }
                let effects = effects(list, &infoset)?;
                let likely = likeliest(&effects);
                asked.push(infoset);
                state.apply_unchecked(state.legal().nearest(likely.action));
            }
            Turn::Deal(next) if next <= street => deal_from(&mut state, &board),
            Turn::Act(_) | Turn::Deal(_) | Turn::Over => return Ok(asked),
        }
    }
}

fn effects(list: &HeuristicPlayer, infoset: &InfoSet) -> Result<Vec<StatementEffect>, Error> {
    let street = infoset.public.street();
    let missing = || Error::new(format!("there is no list for the {street}"));
    list.effects(infoset).filter(|effects| !effects.is_empty()).ok_or_else(missing)
}

/// The statement that decides most often. Lists without chances have one.
fn likeliest(effects: &[StatementEffect]) -> StatementEffect {
    let most = |a: &&StatementEffect, b: &&StatementEffect| a.chance.total_cmp(&b.chance);
    *effects.iter().max_by(most).expect("a list has a default")
}

/// What may be done in a limit game.
fn limit_actions(public: &PublicState) -> impl Iterator<Item = Action> {
    let legal = public.legal();
    let raise = legal.raise.map(|raise| Action::RaiseTo(raise.min));
    legal.fold.then_some(Action::Fold).into_iter().chain([Action::Call]).chain(raise)
}

/// How a player goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Follow {
    /// As the list says.
    List,
    /// As a best response does.
    Best,
}

/// A decision on a street, with the hands that the opponent may have.
struct OnStreet<'a> {
    list: &'a HeuristicPlayer,
    opponent: &'a dyn Policy,
    infoset: &'a InfoSet,
    holes: Vec<HoleCards>,
    /// The probability that the opponent comes there with each hand.
    weights: Vec<f64>,
    /// The share of the pot that the own hand gets from each hand, over all boards to come.
    shares: Vec<f64>,
}

impl<'a> OnStreet<'a> {
    fn new(
        list: &'a HeuristicPlayer,
        opponent: &'a dyn Policy,
        infoset: &'a InfoSet,
    ) -> OnStreet<'a> {
        let InfoSet { public, seat, hole } = infoset;
        let own = combo(*hole);
        let other = public.def().seats().find(|other| other != seat).expect("two seats");
        let how = (ActionMatching::Sizes, 0.0);
        let reach = reach::at_action(public.history().len(), opponent, public, other, how);
        let there = |held: &Combo| reach[held.index()] > 0.0 && !held.set().intersects(own.set());
        let held: Vec<Combo> = Combo::all().filter(there).collect();
        let board = public.board().set();
        let share = |held: &Combo| {
            all_in(own, *held, board).expect("cards are different").value(Ties::Half)
        };
        OnStreet {
            list,
            opponent,
            infoset,
            holes: held.iter().copied().map(hole_cards).collect(),
            weights: held.iter().map(|held| reach[held.index()]).collect(),
            shares: parallel::map(&held, share),
        }
    }

    fn question(&self) -> Result<ByRules, Error> {
        let public = &self.infoset.public;
        let met: f64 = self.weights.iter().sum();
        if met <= 0.0 {
            return Err(Error::new("the opponent never comes there with any hand".to_owned()));
        }
        let actions: Vec<Action> = limit_actions(public).collect();
        let effects = effects(self.list, self.infoset)?;
        let big_blind = f64::from(public.def().big_blind().max(1));
        let mut answers = Vec::new();
        for (&action, (word, name)) in actions.iter().zip(named(public, actions.iter().copied())) {
            let with = |follow| -> Result<f64, Error> {
                let mut after = public.clone();
                after.apply_unchecked(action);
                Ok(self.value(&after, &self.weights, follow)? / met / big_blind)
            };
            let chances = effects.iter().filter(|effect| effect.action == action);
            answers.push(Answer {
                word,
                name,
                // A sum of nothing is minus zero.
                share: chances.map(|effect| effect.chance).sum::<f64>() + 0.0,
                value: with(Follow::List)?,
                best: with(Follow::Best)?,
                half_width: 0.0,
            });
        }
        let decides = likeliest(&effects).statement;
        let statement = self.list.statement_with_facts(self.infoset, decides);
        Ok(ByRules {
            infoset: self.infoset.clone(),
            question: Question { answers, pot: public.pot() as f64 / big_blind },
            statement: statement.unwrap_or_default(),
        })
    }

    /// What the own hand wins from these hands of the opponent, in chips over the whole hand: the
    /// sum with their weights.
    fn value(&self, state: &PublicState, weights: &[f64], follow: Follow) -> Result<f64, Error> {
        let own = self.infoset.seat;
        let after = |action: Action, weights: &[f64]| {
            let mut after = state.clone();
            after.apply_unchecked(state.legal().nearest(action));
            self.value(&after, weights, follow)
        };
        match state.turn() {
            Turn::Over if !state.is_showdown() => {
                let hole = BySeat::from_fn(2, |_| self.infoset.hole);
                let won = state.payoffs(&hole)[own].chips();
                Ok(won * weights.iter().sum::<f64>())
            }
            // The rest of the board is dealt without betting; both have put in the same.
            Turn::Over | Turn::Deal(_) => {
                let each = f64::from(state.committed()[own]);
                let shares = self.shares.iter().zip(weights);
                Ok(each * shares.map(|(share, weight)| (2.0 * share - 1.0) * weight).sum::<f64>())
            }
            Turn::Act(seat) if seat == own => {
                let infoset = InfoSet { public: state.clone(), seat, hole: self.infoset.hole };
                if follow == Follow::List {
                    let mut sum = 0.0;
                    for effect in effects(self.list, &infoset)? {
                        sum += effect.chance * after(effect.action, weights)?;
                    }
                    return Ok(sum);
                }
                let mut most = f64::MIN;
                for action in limit_actions(state) {
                    most = most.max(after(action, weights)?);
                }
                Ok(most)
            }
            Turn::Act(seat) => {
                let mut by_action: Vec<(Action, Vec<f64>)> = Vec::new();
                self.opponent.strategies(state, seat, &self.holes, &mut |hand, strategy| {
                    for &(action, share) in
                        strategy.actions.iter().filter(|(_, share)| *share > 0.0)
                    {
                        let known = by_action.iter().position(|(known, _)| *known == action);
                        let at = known.unwrap_or_else(|| {
                            by_action.push((action, vec![0.0; weights.len()]));
                            by_action.len() - 1
                        });
                        by_action[at].1[hand] = share * weights[hand];
                    }
                });
                let mut sum = 0.0;
                for (action, weights) in by_action {
                    sum += after(action, &weights)?;
                }
                Ok(sum)
            }
        }
    }
}
