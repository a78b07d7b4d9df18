//! The price of simplicity of one decision, on any street: what the solution gives away when it is
//! played more simply there, and as before everywhere else.
//!
//! The strategies are always the same action, one size of bets, probabilities in quarters, none at
//! all, and a few yes-or-no questions about the hand. Two prices are exact for each of them, by a
//! whole walk over the spot. *Exploited* is what a best response of the other player takes beyond
//! what it takes from the solution itself; *unnoticed* is what the player loses while the other
//! goes on as solved. A player who plays differently afterwards, too, gives away less: *adapted* is
//! the same as exploited, after the spot is solved again around the strategy.
//!
//! What mixes is rounded hand by hand from the strongest to the weakest, and what a hand rounds off
//! is carried to the next: ranges keep their frequencies and their shape, of which it depends what
//! a best response takes. A tree grows by the question that costs least, of those that best part
//! hands which play differently. Its leaves play in quarters, new ones first the mean of their
//! hands or what was played before, and then a quarter at a time is moved as long as that makes the
//! tree cheaper. Trees that cost no less than a smaller one are not handed out.

use abstraction::hand_class::Draw;
use cards::{CardSet, Combo};
use game::{Action, PublicState};
use solvers::Player;
use solvers::subgame::{Evaluation, RequestedSpot, Solver, Spot};

use crate::Error;
use crate::simplicity::{
    Kind, Node, PLAYED, Progress, Question, Simple, Simplicity, about_cards, about_shares, by_ease,
    mix_words, split,
};

/// The parts of one in which a strategy is rounded that still mixes.
const QUARTERS: u32 = 4;

/// Questions that are tried at each step, of those that best part hands which play differently.
const ASKED: usize = 8;

/// The most moves of a quarter that are tried for each tree.
const MOVES: usize = 16;

/// A decision whose strategy is made simpler.
struct Decision<'a> {
    solver: &'a mut Solver,
    state: PublicState,
    /// What each action is called.
    words: Vec<String>,
    /// Whether each action is a bet or raise.
    raises: Vec<bool>,
    /// The hands that get there, those that are equivalent together, the strongest first.
    hands: Vec<Hand>,
    solved: Evaluation,
    player: Player,
}

/// Hands that are equivalent.
struct Hand {
    combos: Vec<Combo>,
    /// How often the hands meet a hand of the other's there: the weight of all pairs.
    weight: f64,
    /// The share of the pot that they win when nobody bets any more.
    equity: f64,
    /// How they play in the solution.
    strategy: Vec<f64>,
}

/// The strategy of each of the hands.
type Play = Vec<Vec<f64>>;

/// A strategy, and its price in chips.
struct Priced {
    strategy: Play,
    exploited: f64,
    unnoticed: f64,
}

/// What the actions of a state are called.
pub type Words<'a> = &'a dyn Fn(&PublicState, &[Action]) -> Vec<String>;

/// The words of the command line: `x`, `b66`.
pub fn menu_words(state: &PublicState, actions: &[Action]) -> Vec<String> {
    actions.iter().map(|&action| state.action_word(action)).collect()
}

/// Solves the spot anew with the strategy of this decision locked, and evaluates the solution.
pub type Adapt<'a> = &'a mut dyn FnMut(
    &PublicState,
    &dyn Fn(Combo) -> Vec<f64>,
) -> Result<Evaluation, solvers::Error>;

impl Simplicity {
    /// Finds simple strategies of the decision at this spot, whose actions are called by `words`,
    /// with trees of up to so many leaves.
    ///
    /// With `adapt`, those that none is simpler and cheaper than get their price after adapting.
    /// `go_on` is told how far it is, and may stop the search; what was found until then is
    /// returned. The solver is afterwards as it was.
    ///
    /// # Errors
    /// When the spot is not one of the solver's, nobody acts there or no hand gets there, hands are
    /// locked there, or it was solved in 16 bits.
    pub fn of_decision(
        solver: &mut Solver,
        at: &RequestedSpot,
        words: Words<'_>,
        leaves: usize,
        mut adapt: Option<Adapt<'_>>,
        go_on: Progress<'_>,
    ) -> Result<Simplicity, Error> {
        let mut decision = Decision::new(solver, &at.state, words)?;
        let pot = decision.solved.pot();
        let player = decision.player.index() + 1;
        let value = decision.solved.values[player - 1];
        let sizes = decision.sizes();
        let all = decision.words.len() + sizes.len() + 2 + leaves;
        let (mut done, mut going) = (0, true);
        let mut step = |count: usize| {
            done += count;
            going = go_on(done, all);
            going
        };
        let mut all_found = vec![decision.as_solved()];
        decision.ways(&sizes, leaves, &mut |simple| {
            all_found.push(simple);
            step(1)
        })?;
        all_found.sort_by(|(a, _), (b, _)| by_ease(a, b));
        let (simple, plays): (Vec<Simple>, Vec<Play>) = all_found.into_iter().unzip();
        let line = Some(at.path.clone());
        let mut found = Simplicity { player, line, pot, value, strategies: simple };
        for (number, play) in plays.iter().enumerate() {
            let solved = found.strategies[number].kind == Kind::Equilibrium;
            let Some(adapt) = adapt.as_mut().filter(|_| !solved) else { continue };
            if found.is_on_the_curve(number) && step(0) {
                let of_combo = decision.by_combo(play);
                let evaluation = adapt(&at.state, &of_combo).map_err(Error::new)?;
                let other = decision.player.other().index();
                found.strategies[number].adapted =
                    Some(evaluation.best[other] - decision.solved.best[other]);
            }
        }
        Ok(found)
    }
}

impl<'a> Decision<'a> {
    fn new(
        solver: &'a mut Solver,
        state: &PublicState,
        words: Words<'_>,
    ) -> Result<Decision<'a>, Error> {
        let wrong = |error: &dyn std::fmt::Display| Error::new(error.to_string());
        let groups = solver.equivalent_hands(state).map_err(Error::new)?;
        let spot = Spot::at_state(solver, state).map_err(|error| wrong(&error))?;
        let Some(player) = spot.player() else {
            return Err(Error::new("nobody acts there"));
        };
        let actions = spot.actions().to_vec();
        let range = spot.range(player).clone();
        let equities = spot.equities(player).map_err(|error| wrong(&error))?;
        let strategies = spot.strategies();
        let hand = |combos: Vec<Combo>| {
            let first = combos[0];
            let met = equities.iter().find(|equity| equity.combo == first)?;
            let (_, strategy) = strategies.iter().find(|(combo, _)| *combo == first)?;
            let weight = combos.len() as f64 * range.weight(first) * met.unblocked_weight;
            let (equity, strategy) = (met.equity, strategy.clone());
            (weight > 0.0).then_some(Hand { combos, weight, equity, strategy })
        };
        let mut hands: Vec<Hand> = groups.into_iter().filter_map(hand).collect();
        if hands.is_empty() {
            return Err(Error::new("no hand of the solution gets there"));
        }
        hands.sort_by(|a, b| b.equity.total_cmp(&a.equity));
        let solved = solver.evaluate();
        Ok(Decision {
            solver,
            words: words(state, &actions),
            raises: actions.iter().map(|action| matches!(action, Action::RaiseTo(_))).collect(),
            state: state.clone(),
            hands,
            solved,
            player,
        })
    }

    /// Hands out strategies that are simpler, one after another, until no more is wanted.
    fn ways(
        &mut self,
        sizes: &[usize],
        leaves: usize,
        found: &mut dyn FnMut((Simple, Play)) -> bool,
    ) -> Result<(), Error> {
        let mut cheapest = f64::INFINITY;
        for action in 0..self.words.len() {
            let always = self.always(action)?;
            cheapest = cheapest.min(always.0.exploited);
            if !found(always) {
                return Ok(());
            }
        }
        for &size in sizes {
            if !found(self.one_size(size)?) {
                return Ok(());
            }
        }
        for (name, parts) in [("quarters", QUARTERS), ("pure", 1)] {
            if !found(self.rounded(name, parts)?) {
                return Ok(());
            }
        }
        self.grow(leaves, cheapest, found)
    }

    /// The strategy of each combo. A hand that does not get there may do anything.
    fn by_combo(&self, strategy: &Play) -> impl Fn(Combo) -> Vec<f64> + use<> {
        let mut idle = vec![0.0; self.words.len()];
        idle[0] = 1.0;
        let mut of_combo = vec![idle; Combo::COUNT];
        for (hand, strategy) in self.hands.iter().zip(strategy) {
            for combo in &hand.combos {
                of_combo[combo.index()].clone_from(strategy);
            }
        }
        move |combo: Combo| of_combo[combo.index()].clone()
    }

    /// Works with this strategy in place of the solution's.
    fn with<T>(
        &mut self,
        strategy: &Play,
        work: impl FnOnce(&mut Solver) -> T,
    ) -> Result<T, Error> {
        let play = self.by_combo(strategy);
        self.solver.with_strategy(&self.state, &play, work).map_err(Error::new)
    }

    /// What a best response takes beyond what it takes from the solution.
    fn exploited(&mut self, strategy: &Play) -> Result<f64, Error> {
        let other = self.player.other();
        let best = self.with(strategy, |solver| solver.worth(other, true))?;
        Ok(best - self.solved.best[other.index()])
    }

    fn price(&mut self, strategy: Play) -> Result<Priced, Error> {
        let (player, other) = (self.player, self.player.other());
        let priced =
            self.with(&strategy, |solver| (solver.worth(other, true), solver.worth(player, false)));
        let (best, value) = priced?;
        Ok(Priced {
            strategy,
            exploited: best - self.solved.best[other.index()],
            unnoticed: self.solved.values[player.index()] - value,
        })
    }

    fn simple(&self, name: String, kind: Kind, priced: Priced, proven: bool) -> (Simple, Play) {
        let simple = Simple {
            name,
            kind,
            remember: self.to_remember(&priced.strategy),
            exploited: priced.exploited,
            unnoticed: priced.unnoticed,
            adapted: None,
            proven,
            lines: Vec::new(),
        };
        (simple, priced.strategy)
    }

    /// Each action of each hand.
    fn to_remember(&self, strategy: &Play) -> usize {
        let played = |strategy: &[f64]| strategy.iter().filter(|share| **share > PLAYED).count();
        let hands = self.hands.iter().zip(strategy);
        hands.map(|(hand, strategy)| hand.combos.len() * played(strategy)).sum()
    }

    fn as_solved(&self) -> (Simple, Play) {
        let strategy = self.hands.iter().map(|hand| hand.strategy.clone()).collect();
        let priced = Priced { strategy, exploited: 0.0, unnoticed: 0.0 };
        self.simple("as solved".to_owned(), Kind::Equilibrium, priced, false)
    }

    fn always(&mut self, action: usize) -> Result<(Simple, Play), Error> {
        let mut play = vec![0.0; self.words.len()];
        play[action] = 1.0;
        let priced = self.price(vec![play; self.hands.len()])?;
        let name = format!("always {}", self.words[action]);
        let (simple, play) = self.simple(name, Kind::Tree, priced, true);
        Ok((Simple { remember: 1, ..simple }, play))
    }

    /// The bets and raises, if there are several.
    fn sizes(&self) -> Vec<usize> {
        let all: Vec<usize> = (0..self.raises.len()).filter(|&at| self.raises[at]).collect();
        if all.len() > 1 { all } else { Vec::new() }
    }

    /// All that is bet or raised, by this size.
    fn one_size(&mut self, size: usize) -> Result<(Simple, Play), Error> {
        let raises = &self.raises;
        let moved = |hand: &Hand| {
            let mut strategy = hand.strategy.clone();
            for (at, share) in hand.strategy.iter().enumerate() {
                if raises[at] && at != size {
                    strategy[size] += share;
                    strategy[at] = 0.0;
                }
            }
            strategy
        };
        let strategy = self.hands.iter().map(moved).collect();
        let priced = self.price(strategy)?;
        Ok(self.simple(format!("only {}", self.words[size]), Kind::OneSize, priced, false))
    }

    fn rounded(&mut self, name: &str, parts: u32) -> Result<(Simple, Play), Error> {
        let mut best: Option<Priced> = None;
        for carry in [true, false] {
            let strategy = rounded(&self.hands, parts, carry);
            let priced = self.price(strategy)?;
            if best.as_ref().is_none_or(|best| priced.exploited < best.exploited) {
                best = Some(priced);
            }
        }
        let priced = best.expect("two ways");
        Ok(self.simple(name.to_owned(), Kind::Rounded, priced, false))
    }

    /// The questions that separate some hands, with the answer of each; none that tells equivalent
    /// hands apart.
    fn questions(&self) -> Vec<(Question, Vec<bool>)> {
        let board: CardSet = self.state.board().set();
        let every: Vec<Combo> =
            self.hands.iter().flat_map(|hand| hand.combos.iter().copied()).collect();
        let mut all = Vec::new();
        for (question, answers) in about_cards(&every, board) {
            let mut rest = answers.as_slice();
            let of_hand = |hand: &Hand| {
                let (own, after) = rest.split_at(hand.combos.len());
                rest = after;
                own.iter().all(|yes| *yes == own[0]).then_some(own[0])
            };
            let yes: Option<Vec<bool>> = self.hands.iter().map(of_hand).collect();
            all.extend(yes.map(|yes| (question, yes)));
        }
        let equities: Vec<f64> = self.hands.iter().map(|hand| hand.equity).collect();
        all.extend(about_shares(&equities, Question::Equity));
        let draw = |hand: &Hand| Draw::new(hand.combos[0], board).number();
        let draws: Vec<usize> = self.hands.iter().map(draw).collect();
        for draw in 0..Draw::None.number() {
            all.push((Question::Draw(draw), draws.iter().map(|&it| it <= draw).collect()));
        }
        all.retain(|(_, yes)| yes.contains(&true) && yes.contains(&false));
        all
    }

    /// Grows a tree question by question, and hands out each one that is cheaper than those before
    /// and than this.
    fn grow(
        &mut self,
        leaves: usize,
        mut cheapest: f64,
        found: &mut dyn FnMut((Simple, Play)) -> bool,
    ) -> Result<(), Error> {
        let questions = self.questions();
        let mut tree = Node::Leaf(0);
        let mut groups = vec![0u32; self.hands.len()];
        let first = vec![mean(&self.hands, &groups, 0)];
        let mut now = self.moved(&groups, first, [0])?;
        for count in 1..=leaves {
            let Mixes { mixes, .. } = &now;
            let priced = self.price(play(&groups, mixes))?;
            // Two questions may help where one alone does not.
            let kept =
                tree.without_idle(&|one, other| mixes[one as usize] == mixes[other as usize]);
            let leaf = |number: u32| mix_words(mixes[number as usize].clone(), self.words.clone());
            let (mut lines, mut ends) = (Vec::new(), Vec::new());
            kept.lines("", &leaf, &mut lines);
            kept.leaves(&mut ends);
            let of_leaf =
                |leaf: &u32| mixes[*leaf as usize].iter().filter(|share| **share > PLAYED).count();
            let played: usize = ends.iter().map(of_leaf).sum();
            let name = match ends.len() {
                1 => "one mix for all".into(),
                leaves => format!("tree of {leaves}"),
            };
            let (simple, strategy) = self.simple(name, Kind::Tree, priced, false);
            let simple = Simple { remember: ends.len() - 1 + played, lines, ..simple };
            // A tree that costs no more than the solution needs no more questions.
            let enough = count == leaves || simple.exploited <= 0.0;
            if simple.exploited < cheapest {
                cheapest = simple.exploited;
                if !found((simple, strategy)) {
                    return Ok(());
                }
            }
            if enough {
                return Ok(());
            }
            let Some(next) = self.question(&questions, &groups, &now)? else { return Ok(()) };
            let (other, leaf, number) = (count as u32, next.leaf, next.question);
            groups = split(&groups, leaf, &questions[number].1, other);
            tree.split(leaf, questions[number].0, other);
            now = next.tree;
        }
        Ok(())
    }

    /// The question whose tree costs least, of those that best part hands which play differently.
    fn question(
        &mut self,
        questions: &[(Question, Vec<bool>)],
        groups: &[u32],
        now: &Mixes,
    ) -> Result<Option<Next>, Error> {
        let count = now.mixes.len();
        let other = count as u32;
        let mut parting = Vec::new();
        for leaf in 0..other {
            let before = spread(&self.hands, groups, leaf);
            for (question, (_, yes)) in questions.iter().enumerate() {
                let after = split(groups, leaf, yes, other);
                if !after.contains(&leaf) || !after.contains(&other) {
                    continue;
                }
                let both = spread(&self.hands, &after, leaf) + spread(&self.hands, &after, other);
                parting.push((before - both, leaf, question));
            }
        }
        parting.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut best: Option<Next> = None;
        for &(_, leaf, question) in parting.iter().take(ASKED) {
            let after = split(groups, leaf, &questions[question].1, other);
            // The new leaves go on as before, or begin with their means.
            let mut before = now.mixes.clone();
            before.push(before[leaf as usize].clone());
            let mut means = before.clone();
            means[leaf as usize] = mean(&self.hands, &after, leaf);
            means[count] = mean(&self.hands, &after, other);
            for begin in [before, means] {
                let tree = self.moved(&after, begin, [leaf as usize, count])?;
                if best.as_ref().is_none_or(|best| tree.exploited < best.tree.exploited) {
                    best = Some(Next { leaf, question, tree });
                }
            }
        }
        Ok(best)
    }

    /// Moves quarters from one action of these leaves to another as long as that makes the tree
    /// cheaper.
    fn moved<const N: usize>(
        &mut self,
        groups: &[u32],
        mut mixes: Vec<Vec<f64>>,
        leaves: [usize; N],
    ) -> Result<Mixes, Error> {
        let quarter = 1.0 / f64::from(QUARTERS);
        let actions = self.words.len();
        let mut exploited = self.exploited(&play(groups, &mixes))?;
        let moves: Vec<[usize; 3]> = leaves
            .into_iter()
            .flat_map(|leaf| (0..actions * actions).map(move |n| [leaf, n / actions, n % actions]))
            .filter(|[_, from, to]| from != to)
            .collect();
        // The moves since the last one that was good, and those that were tried.
        let (mut since, mut tried) = (0, 0);
        for &[leaf, from, to] in moves.iter().cycle() {
            if since == moves.len() || tried == MOVES {
                break;
            }
            since += 1;
            if mixes[leaf][from] < quarter - PLAYED {
                continue;
            }
            tried += 1;
            let mut other = mixes.clone();
            other[leaf][from] -= quarter;
            other[leaf][to] += quarter;
            let found = self.exploited(&play(groups, &other))?;
            if found < exploited {
                (exploited, mixes, since) = (found, other, 0);
            }
        }
        Ok(Mixes { mixes, exploited })
    }
}

/// A question at a leaf, with the tree that has it.
struct Next {
    leaf: u32,
    question: usize,
    tree: Mixes,
}

/// The strategies of a tree's leaves, and what a best response takes.
struct Mixes {
    mixes: Vec<Vec<f64>>,
    exploited: f64,
}

/// Strategies in whole parts of one. With `carry`, what one hand rounds off is carried to the next.
fn rounded(hands: &[Hand], parts: u32, carry: bool) -> Play {
    let mut carried = vec![0.0; hands[0].strategy.len()];
    let round = |hand: &Hand| {
        // What is not played is not played by rounding either.
        let wished: Vec<f64> = hand
            .strategy
            .iter()
            .zip(&carried)
            .map(|(&share, &carried)| match share > PLAYED {
                true => (share + if carry { carried / hand.weight } else { 0.0 }).max(1e-9),
                false => 0.0,
            })
            .collect();
        let rounded = whole_parts(&wished, parts);
        for ((carried, &share), &rounded) in carried.iter_mut().zip(&hand.strategy).zip(&rounded) {
            *carried += hand.weight * (share - rounded);
        }
        rounded
    };
    hands.iter().map(round).collect()
}

/// Shares in whole parts of one, in proportion to weights, the largest remainders rounded up.
fn whole_parts(weights: &[f64], parts: u32) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    let exact: Vec<f64> = weights.iter().map(|weight| weight / sum * f64::from(parts)).collect();
    models::whole_units(&exact, parts)
        .into_iter()
        .map(|units| f64::from(units) / f64::from(parts))
        .collect()
}

/// The strategy of each hand by those of the leaves.
fn play(groups: &[u32], mixes: &[Vec<f64>]) -> Play {
    groups.iter().map(|&group| mixes[group as usize].clone()).collect()
}

/// The mean strategy of a leaf's hands.
fn mean_exactly(hands: &[Hand], groups: &[u32], leaf: u32) -> Vec<f64> {
    let mut mean = vec![0.0; hands[0].strategy.len()];
    let mut total = 0.0;
    for hand in of_leaf(hands, groups, leaf) {
        total += hand.weight;
        for (sum, share) in mean.iter_mut().zip(&hand.strategy) {
            *sum += hand.weight * share;
        }
    }
    mean.iter_mut().for_each(|sum| *sum /= total);
    mean
}

/// The same in quarters.
fn mean(hands: &[Hand], groups: &[u32], leaf: u32) -> Vec<f64> {
    whole_parts(&mean_exactly(hands, groups, leaf), QUARTERS)
}

/// How far the strategies of a leaf's hands are from their mean: squared distances times weights.
fn spread(hands: &[Hand], groups: &[u32], leaf: u32) -> f64 {
    let mean = mean_exactly(hands, groups, leaf);
    let of_hand = |hand: &Hand| {
        let apart = hand.strategy.iter().zip(&mean).map(|(own, mean)| (own - mean).powi(2));
        hand.weight * apart.sum::<f64>()
    };
    of_leaf(hands, groups, leaf).map(of_hand).sum()
}

fn of_leaf<'a>(hands: &'a [Hand], groups: &'a [u32], leaf: u32) -> impl Iterator<Item = &'a Hand> {
    hands.iter().zip(groups).filter(move |(_, group)| **group == leaf).map(|(hand, _)| hand)
}
