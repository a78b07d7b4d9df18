//! Decisions to practise: what a person is asked, what can be answered, and what each answer costs.
//!
//! All of them are from solved games, so that a price can be shown to be right:
//!
//! - [`hand`]: a hand against the solution of a spot of hold'em, one decision after another.
//! - [`shove_or_fold`]: all-in or fold before the flop, by the equilibrium of that game.
//! - [`last_bet`]: the last bet of a game of ten cards, by its linear program.
//!
//! A seed determines the cards, the other player's actions and the board, so that the same question
//! can be asked again.

use cards::{Card, Combo, HoleCards};
use game::{Action, BySeat, Payoff, PublicState, Turn};
use learners::mixed;
use models::chart::Chart;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use solvers::subgame::{ByAction, Solver, Spot, walk};
use solvers::{Player, drawn};

use crate::Error;
use crate::endgame::database::random_shares;
use crate::endgame::{Bets, Endgame};
use crate::shove_fold::{Blind, Payoffs, equilibrium};

/// A decision with what can be answered. All amounts are in the same unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The answers, as in the game: fold, call, bets by size.
    pub answers: Vec<Answer>,
    /// The pot before the answer.
    pub pot: f64,
}

/// An answer, and what it is worth with the hand that is asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The short name: `x`, `b66`.
    pub word: String,
    /// The full name: `bet 66`.
    pub name: String,
    /// The share of the time that the solution answers so with this hand, from 0 to 1.
    pub share: f64,
    /// What it wins when both players go on as the solution does.
    pub value: f64,
    /// What it wins when the one who is asked goes on as well as can be against the other player's
    /// part of the solution: at least `value`, but for rounding.
    pub best: f64,
    /// Half the 95 % interval of what it costs, where hands were drawn; 0 where all were counted.
    pub half_width: f64,
}

/// What an answer costs: what the best answer wins, less what this one wins.
///
/// A solution is not exactly an equilibrium, so what the best play wins against the other player's
/// part of it is known as an interval: at least what the solution wins, at most what a best
/// response does. Where hands of the other player were drawn, the 95 % interval is added on both
/// sides.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// The least that it costs: when one goes on with a best response after it, but would have gone
    /// on as the solution does after the best answer.
    pub least: f64,
    /// What it costs when both go on as the solution does.
    pub usual: f64,
    /// The most that it costs: the other way round.
    pub most: f64,
}

/// A grade, by the price in shares of the pot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// No other answer wins more, as far as this solution tells: at most half a percent of the pot,
    /// and it is not proven to cost anything.
    Best,
    /// At most one percent.
    Correct,
    /// At most three percent.
    Inaccuracy,
    /// At most ten percent.
    Mistake,
    /// More.
    Blunder,
}

impl Grade {
    /// All, the best first.
    pub const ALL: [Grade; 5] =
        [Grade::Best, Grade::Correct, Grade::Inaccuracy, Grade::Mistake, Grade::Blunder];

    /// The grade in a word.
    pub fn name(self) -> &'static str {
        match self {
            Grade::Best => "best",
            Grade::Correct => "correct",
            Grade::Inaccuracy => "inaccuracy",
            Grade::Mistake => "mistake",
            Grade::Blunder => "blunder",
        }
    }

    /// The highest price of a grade, in shares of the pot.
    pub fn most(self) -> f64 {
        match self {
            Grade::Best => 0.005,
            Grade::Correct => 0.01,
            Grade::Inaccuracy => 0.03,
            Grade::Mistake => 0.1,
            Grade::Blunder => f64::INFINITY,
        }
    }
}

impl Question {
    /// What an answer costs. Panics without an answer of this number.
    pub fn price(&self, answer: usize) -> Price {
        let most = |of: fn(&Answer) -> f64| self.answers.iter().map(of).fold(f64::MIN, f64::max);
        let (value, best) = (most(|answer| answer.value), most(|answer| answer.best));
        let Answer { value: own, best: own_best, half_width, .. } = self.answers[answer];
        let usual = value - own;
        // Where the best response was computed with less accuracy than the value.
        let least = ((value - own_best).min(usual) - half_width).max(0.0);
        Price { least, usual, most: (best - own).max(usual) + half_width }
    }

    /// The grade of an answer: by what it costs, or where hands were drawn by the least that it
    /// costs. Panics without an answer of this number.
    pub fn grade(&self, answer: usize) -> Grade {
        let Price { least, usual, .. } = self.price(answer);
        let drawn = self.answers[answer].half_width > 0.0;
        let share = if drawn { least } else { usual } / self.pot;
        let proven = !drawn && least > 1e-6 * self.pot;
        let fits = |grade: &Grade| share <= grade.most() && !(proven && *grade == Grade::Best);
        Grade::ALL.into_iter().find(fits).unwrap_or(Grade::Blunder)
    }
}

/// Where a hand against a solution begins, and who is asked.
#[derive(Debug, Clone, Copy)]
pub struct Deal<'a> {
    /// Determines cards and what the other player does.
    pub seed: u64,
    /// The player who is asked; the seed decides where it is `None`.
    pub player: Option<Player>,
    /// The actions and cards from the beginning of the solution to that of the hand, as in `x b66 c
    /// Kd`; empty for the beginning.
    pub from: &'a str,
}

/// A hand against a solution up to a question, or to its end.
#[derive(Debug, Clone)]
pub struct Hand {
    /// The player who is asked.
    pub player: Player,
    /// Both players' cards.
    pub cards: [Combo; 2],
    /// What was done and dealt since the hand began.
    pub steps: Vec<Step>,
    /// Where it is.
    pub state: PublicState,
    /// The question, or what the player has won, in chips of the pot at the beginning of the
    /// solution and since then.
    pub next: Result<Question, f64>,
}

/// An action or a card.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The player who acted; `None` for a card.
    pub player: Option<Player>,
    /// The short name: `b66`, `Kd`.
    pub word: String,
    /// The full name: `bet 66`; that of a card is its short one.
    pub name: String,
}

/// Plays a hand against a solution up to the next question, or to the end. `line` has what was done
/// and dealt since it began: the words of the [steps](Hand::steps) that there were before, and the
/// answer.
///
/// # Errors
/// When a line leads nowhere, or both players cannot come to the beginning with any hands.
pub fn hand(solver: &mut Solver, deal: Deal<'_>, line: &str) -> Result<Hand, Error> {
    let begun = walk(solver, deal.from).map_err(Error::new)?;
    let spot = begun.last().map_or_else(|| solver.spot(), |(_, spot)| spot.clone());
    let mut rng = Pcg64Mcg::seed_from_u64(deal.seed);
    let cards = draw_hands(&spot, &mut rng).ok_or_else(|| {
        Error::new(format!("no hands of both players come to `{}`: begin elsewhere", deal.from))
    })?;
    let second = rng.random::<bool>();
    let by_seed = if second { Player::Second } else { Player::First };
    let player = deal.player.unwrap_or(by_seed);
    let whole = format!("{} {line}", deal.from);
    let places = walk(solver, &whole).map_err(Error::new)?;
    let mut steps = Vec::new();
    for ((_, before), (word, _)) in places.iter().zip(&places[1..]).skip(begun.len() - 1) {
        steps.push(Step::new(before, word));
    }
    let mut spot = places.last().map_or_else(|| solver.spot(), |(_, spot)| spot.clone());
    let held = cards[0].set() | cards[1].set();
    if held.intersects(spot.state().board().set()) {
        return Err(Error::new(format!(
            "`{line}` deals a card that a player holds: continue the line that came with the cards"
        )));
    }
    loop {
        let mut rng = Pcg64Mcg::seed_from_u64(mixed(deal.seed, 1 + steps.len() as u64));
        let (word, next) = match spot.state().turn() {
            Turn::Over => break,
            Turn::Act(_) if spot.player() == Some(player) => break,
            Turn::Act(_) => {
                let strategy = spot.player().and_then(|acts| spot.strategy(cards[acts.index()]));
                let strategy = strategy.unwrap_or_default();
                let number = drawn(rng.random(), strategy.iter().copied());
                let likely =
                    || (0..strategy.len()).max_by(|&a, &b| strategy[a].total_cmp(&strategy[b]));
                let action = number.or_else(likely).and_then(|number| spot.actions().get(number));
                let action = *action.ok_or_else(|| {
                    Error::new(format!("{} has no strategy there", cards[player.other().index()]))
                })?;
                (spot.state().action_word(action), spot.clone().act(action))
            }
            Turn::Deal(_) => {
                let seen = spot.state().board().set() | held;
                let free: Vec<Card> = Card::all().filter(|card| !seen.contains(*card)).collect();
                let card = free[rng.random_range(0..free.len())];
                (card.to_string(), spot.clone().deal(card))
            }
        };
        steps.push(Step::new(&spot, &word));
        spot = next.map_err(Error::new)?;
    }
    let state = spot.state().clone();
    let actions = spot.actions().to_vec();
    let strategy = spot.strategy(cards[player.index()]);
    drop((spot, places, begun));
    let next = match state.turn() {
        Turn::Act(_) => Ok(question(solver, &state, &actions, cards[player.index()], strategy)?),
        Turn::Deal(_) | Turn::Over => Err(won(solver, &state, cards, player)),
    };
    Ok(Hand { player, cards, steps, state, next })
}

impl Step {
    /// The step that is taken at a spot.
    fn new(spot: &Spot<'_>, word: &str) -> Step {
        let named = Chart::new(spot.state(), spot.actions(), Vec::new()).actions;
        let name = named.into_iter().find(|choice| choice.word == word);
        let name = name.map_or_else(|| word.to_owned(), |choice| choice.name);
        Step { player: spot.player(), word: word.to_owned(), name }
    }
}

/// Hands of both players as they come to a spot.
fn draw_hands(spot: &Spot<'_>, rng: &mut Pcg64Mcg) -> Option<[Combo; 2]> {
    let [first, second] = Player::BOTH.map(|player| spot.range(player));
    let meets = cards::unblocked(second.weights());
    let pairs = |(combo, weight): (Combo, f64)| (combo, weight * meets[combo.index()]);
    let own = draw(first.combos().map(pairs), rng)?;
    let free = |(combo, _): &(Combo, f64)| !combo.set().intersects(own.set());
    let other = draw(second.combos().filter(free), rng)?;
    Some([own, other])
}

/// One of these, by its weight; `None` when they have none.
fn draw<T: Copy>(weighted: impl Iterator<Item = (T, f64)>, rng: &mut Pcg64Mcg) -> Option<T> {
    // Sums of weights that cancel can leave less than nothing.
    let all: Vec<(T, f64)> = weighted.filter(|(_, weight)| *weight > 0.0).collect();
    let sum: f64 = all.iter().map(|(_, weight)| weight).sum();
    let number = drawn(rng.random::<f64>() * sum, all.iter().map(|(_, weight)| *weight));
    all.get(number.unwrap_or(all.len().checked_sub(1)?)).map(|(drawn, _)| *drawn)
}

fn question(
    solver: &mut Solver,
    state: &PublicState,
    actions: &[Action],
    combo: Combo,
    strategy: Option<Vec<f64>>,
) -> Result<Question, Error> {
    let Turn::Act(seat) = state.turn() else {
        return Err(Error::new("nobody acts there"));
    };
    let sunk = f64::from(state.committed()[seat]);
    let of = |all: ByAction| {
        let own = all.into_iter().find(|(held, _)| *held == combo).map(|(_, each)| each);
        own.ok_or_else(|| Error::new(format!("{combo} is not in the range")))
    };
    let values = of(solver.action_values(state).map_err(Error::new)?)?;
    let bests = of(solver.best_action_values(state).map_err(Error::new)?)?;
    let strategy = strategy.unwrap_or_else(|| vec![0.0; actions.len()]);
    let named = Chart::new(state, actions, Vec::new()).actions;
    let each = named.into_iter().zip(strategy).zip(values.into_iter().zip(bests));
    let answers = each.map(|((choice, share), (value, best))| Answer {
        word: choice.word,
        name: choice.name,
        share,
        value: value + sunk,
        best: best + sunk,
        half_width: 0.0,
    });
    Ok(Question { answers: answers.collect(), pot: state.pot() as f64 })
}

/// What a player has won at the end, in chips of the pot at the root and since then.
fn won(solver: &Solver, state: &PublicState, cards: [Combo; 2], player: Player) -> f64 {
    let hole = |combo: Combo| HoleCards::new(&combo.cards()).expect("two different cards");
    let hole = BySeat::from_fn(2, |seat| hole(cards[seat.index()]));
    let payoffs: BySeat<Payoff> = state.payoffs(&hole);
    let root = solver.subgame().root().committed().as_slice();
    payoffs.as_slice()[player.index()].chips() + f64::from(root[player.index()])
}

/// All-in or fold, with one starting hand.
#[derive(Debug, Clone, PartialEq)]
pub struct ShoveOrFold {
    /// Both players' chips, in big blinds.
    pub stack: f64,
    /// Who is asked.
    pub blind: Blind,
    /// Its cards.
    pub cards: Combo,
    /// In big blinds. A fold wins minus the blind.
    pub question: Question,
}

/// The stacks of shove or fold, in big blinds.
pub const STACKS: std::ops::RangeInclusive<f64> = 1.0..=40.0;

/// A hand of all-in or fold before the flop, dealt by the seed; so is the stack, of 2 to 15 big
/// blinds, where none is given. The big blind is asked about an all-in.
///
/// # Errors
/// When the stack is outside of [`STACKS`].
pub fn shove_or_fold(seed: u64, stack: Option<f64>) -> Result<ShoveOrFold, Error> {
    if let Some(stack) = stack.filter(|stack| !STACKS.contains(stack)) {
        let (least, most) = (STACKS.start(), STACKS.end());
        return Err(Error::new(format!("a stack of {stack} big blinds: give {least} to {most}")));
    }
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let blind = Blind::BOTH[usize::from(rng.random::<bool>())];
    let number = rng.random_range(0..Combo::COUNT);
    let cards = Combo::all().nth(number).expect("a number below their count");
    let dealt = f64::from(rng.random_range(2..=15));
    let stack = stack.unwrap_or(dealt);
    let payoffs = Payoffs::new(stack, 0.0)?;
    let ranges = equilibrium(&payoffs).ranges;
    let hand = cards.starting_hand().index();
    let folds = -blind.posts();
    let gain = payoffs.gain(&ranges, blind, cards.starting_hand());
    let (played, verb, word) = match blind {
        Blind::Small => (ranges.jam[hand], "all-in", "a"),
        Blind::Big => (ranges.call[hand], "call", "c"),
    };
    let answer = |word: &str, name: &str, share: f64, value: f64| Answer {
        word: word.to_owned(),
        name: name.to_owned(),
        share,
        value,
        best: value,
        half_width: 0.0,
    };
    let answers =
        vec![answer("f", "fold", 1.0 - played, folds), answer(word, verb, played, folds + gain)];
    let pot = match blind {
        Blind::Small => 1.5,
        Blind::Big => stack + 1.0,
    };
    Ok(ShoveOrFold { stack, blind, cards, question: Question { answers, pot } })
}

/// The last bet of a game of [`CARDS`] cards, with one card for each player.
#[derive(Debug, Clone, PartialEq)]
pub struct LastBet {
    /// The probabilities of both players' cards, from the worst, before any is known.
    pub shares: [Vec<f64>; 2],
    /// Who is asked: the first player, who bets or checks, or the second, who calls or folds.
    pub player: Player,
    /// Its card, from 1, the worst.
    pub card: usize,
    /// The bet of the first player, in pots, where the second is asked.
    pub bet: Option<f64>,
    /// In pots.
    pub question: Question,
}

/// The number of cards of [`last_bet`].
pub const CARDS: usize = 10;

/// The last bet with random cards, dealt by the seed: the first player checks, or bets half the
/// pot, the pot or twice the pot, and the second calls or folds. After a check, and after a call,
/// the better card wins.
pub fn last_bet(seed: u64) -> LastBet {
    let bets = Bets::new(&[0.5, 1.0, 2.0]).expect("three sizes");
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    loop {
        let shares = [random_shares(CARDS, &mut rng), random_shares(CARDS, &mut rng)];
        let game = Endgame::new(&shares[0], &shares[1], bets.clone()).expect("shares above zero");
        if let Some(asked) = ask(&game, &mut rng) {
            return asked;
        }
    }
}

/// A question about this game; `None` where the second player is to be asked and the first checks.
fn ask(game: &Endgame, rng: &mut Pcg64Mcg) -> Option<LastBet> {
    let solution = game.solve();
    let sizes = game.bets().len();
    let pairs = (0..CARDS).flat_map(|i| (0..CARDS).map(move |j| (i, j)));
    let (own, other) = draw(pairs.map(|(i, j)| ((i, j), game.deal(i, j))), rng)?;
    let row = |strategy: &[f64], card: usize| strategy[card * sizes..][..sizes].to_vec();
    let bet = draw(row(&solution.strategy, own).into_iter().enumerate(), rng)?;
    let shares = Player::BOTH.map(|player| game.shares(player).to_vec());
    let answer = |word: String, name: String, share: f64, value: f64| Answer {
        word,
        name,
        share,
        value,
        best: value,
        half_width: 0.0,
    };
    let size_name = |number: usize| match game.bets().sizes()[number] {
        0.0 => ("x".to_owned(), "check".to_owned()),
        size => (format!("b{size}"), format!("bet {}", in_pots(size))),
    };
    if rng.random::<bool>() {
        let values = game.size_values(own, &solution.calls)?;
        let played = row(&solution.strategy, own);
        let each = values.into_iter().zip(played).enumerate();
        let answers = each.map(|(number, (value, share))| {
            let (word, name) = size_name(number);
            answer(word, name, share, value)
        });
        let question = Question { answers: answers.collect(), pot: 1.0 };
        return Some(LastBet { shares, player: Player::First, card: own + 1, bet: None, question });
    }
    if bet == 0 {
        return None;
    }
    let size = game.bets().sizes()[bet];
    let value = game.call_value(other, bet, &solution.strategy)?;
    let called = solution.calls[other * sizes + bet];
    let answers = vec![
        answer("f".to_owned(), "fold".to_owned(), 1.0 - called, 0.0),
        answer("c".to_owned(), "call".to_owned(), called, value),
    ];
    let question = Question { answers, pot: 1.0 + size };
    let (player, card) = (Player::Second, other + 1);
    Some(LastBet { shares, player, card, bet: Some(size), question })
}

/// A size in words.
pub fn in_pots(size: f64) -> String {
    match size {
        0.5 => "half the pot".to_owned(),
        1.0 => "the pot".to_owned(),
        2.0 => "twice the pot".to_owned(),
        size => format!("{size} pots"),
    }
}
