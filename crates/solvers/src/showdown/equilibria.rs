//! All equilibria of a game of one street.
//!
//! Equilibria of a two-player zero-sum game are not unique, but any plan of one player that is part
//! of one goes with any of the other's. They are the optima of two linear programs, one for each
//! player, and an interior-point method ends in the middle of them: an action that it does not play
//! there is played in no equilibrium, and an action that loses anything against the other's plan in
//! the middle is played in none either.
//!
//! [`Equilibria::solve`] begins with any strategies, such as averages of a [`Solver`], allows each
//! hand the actions that are about as good as the best against them, solves the program of these
//! (`program`), finds by best responses in the whole game which actions were wrongly left out, and
//! adds these until nothing is better. What it returns was checked in the whole game: [`gap`] is
//! how far its two strategies are from an equilibrium.
//!
//! [`interval`] then gives the least and the most of a frequency over all equilibria. Each end is a
//! strategy that was found, and what it gives away to a best response comes with it.
//!
//! [`Solver`]: crate::subgame::Solver
//! [`gap`]: Equilibria::gap
//! [`interval`]: Equilibria::interval

use super::program::{Face, Plans, Side, Space, Terms};
use super::{Mixed, ShowdownGame};
use crate::{Choice, Error, Player};

/// Below this share of the pot an action loses nothing, and below this probability it is not
/// played; what is below in both counts as [undecided](Equilibria::undecided).
const NOTHING: f64 = 1e-6;

/// A gap of this share of the pot ends solving.
const GAP: f64 = 1e-9;

/// Most times that actions are added.
const ROUNDS: usize = 25;

/// Most probabilities of both players together that a program may leave open: the time grows with
/// the third power.
const OPEN: usize = 4000;

/// What a player's strategies are confined to.
#[derive(Debug, Clone, Default)]
pub struct Restriction {
    /// The group of each hand, numbered from 0: hands of a group play alike. Empty if each hand is
    /// a group of its own.
    pub groups: Vec<u32>,
    /// Sequences that are not played.
    pub closed: Vec<usize>,
}

/// The equilibria of a game, or of one in which strategies are confined.
#[derive(Debug, Clone)]
pub struct Equilibria<'a> {
    game: &'a ShowdownGame,
    found: KeptEquilibria,
}

/// What was found of a game's equilibria, to be kept without the game.
#[derive(Debug, Clone)]
pub struct KeptEquilibria {
    restrictions: [Restriction; 2],
    sides: [Side; 2],
    /// For each side by sequence and unit: whether it is played in an equilibrium.
    support: [Vec<bool>; 2],
    /// What the last action of a sequence loses against the other's strategy, in chips when the
    /// unit is held.
    slack: [Vec<f64>; 2],
    strategies: [Mixed; 2],
    /// The same as the probabilities of sequences by unit.
    plans: [Vec<f64>; 2],
    values: [f64; 2],
    undecided: usize,
    rounds: usize,
}

impl KeptEquilibria {
    /// The equilibria of the game that they were found of.
    pub fn of(self, game: &ShowdownGame) -> Equilibria<'_> {
        Equilibria { game, found: self }
    }
}

/// What the equilibria have in common about a hand at a decision.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// The hand does not get there in any equilibrium by its own actions.
    NotPlayed,
    /// The other player does not lead there in any equilibrium with a hand that this one can meet.
    NotMet,
    /// The same action in all equilibria.
    Always(usize),
    /// These actions are each played in some equilibrium.
    Mixes(Vec<usize>),
}

/// The frequencies of an action over all equilibria.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lowest.
    pub least: f64,
    /// The highest.
    pub most: f64,
    /// What the worse of the two strategies at the ends gives away to a best response, in chips:
    /// rounding, if it is an equilibrium's.
    pub gives_away: f64,
}

impl Interval {
    /// Whether all equilibria have the same frequency, up to a hundredth of a percent.
    pub fn is_forced(&self) -> bool {
        self.most - self.least < 1e-4
    }
}

impl<'a> Equilibria<'a> {
    /// The equilibria of a game, found from these strategies on.
    ///
    /// # Errors
    /// When a linear program has no optimum that can be found, or what was found is not an
    /// equilibrium to a millionth of the pot.
    pub fn solve(game: &'a ShowdownGame, start: [&Mixed; 2]) -> Result<Equilibria<'a>, Error> {
        Equilibria::confined(game, start, Default::default())
    }

    /// The same with strategies that are confined.
    ///
    /// # Errors
    /// As [`Equilibria::solve`]; when a restriction does not fit the game, or leaves a decision
    /// without an action.
    pub fn confined(
        game: &'a ShowdownGame,
        start: [&Mixed; 2],
        restrictions: [Restriction; 2],
    ) -> Result<Equilibria<'a>, Error> {
        let mut sides = Vec::new();
        for player in Player::BOTH {
            sides.push(side(game, player, &restrictions[player.index()])?);
        }
        let found = KeptEquilibria {
            restrictions,
            sides: sides.try_into().map_err(|_| Error::new("a game has two players"))?,
            support: Default::default(),
            slack: Default::default(),
            strategies: start.map(Mixed::clone),
            plans: Default::default(),
            values: [0.0; 2],
            undecided: 0,
            rounds: 0,
        };
        let mut equilibria = Equilibria { game, found };
        equilibria.evaluate();
        // Actions that are played, or lose less than what the strategies are wrong by.
        let near = (0.5 * equilibria.gap()).clamp(1e-4 * game.pot(), 0.02 * game.pot());
        for player in Player::BOTH {
            equilibria.allow(player, near, 0.02);
        }
        loop {
            equilibria.found.rounds += 1;
            let face = Face::new(game, &equilibria.found.sides[0], &equilibria.found.sides[1]);
            let open: usize = face.size().iter().sum();
            if open > OPEN {
                return Err(Error::new(format!(
                    "{open} actions of hands may be played in an equilibrium, and with more than \
                     {OPEN} finding all equilibria takes too long: give narrower ranges or fewer \
                     sizes, or begin from a closer solve"
                )));
            }
            let plans = face.equilibrium()?;
            equilibria.take(&plans);
            equilibria.evaluate();
            let near = (0.1 * equilibria.gap()).max(NOTHING * game.pot());
            let mut added = 0;
            for player in Player::BOTH {
                added += equilibria.allow(player, near, 1.1);
            }
            let over = equilibria.found.rounds == ROUNDS || equilibria.gap() < GAP * game.pot();
            if added == 0 || over && added < 8 || equilibria.found.rounds == 2 * ROUNDS {
                equilibria.settle(&plans);
                break;
            }
        }
        if equilibria.gap() > NOTHING * game.pot() {
            return Err(Error::new(format!(
                "the linear programs of this game end {:.2e} pots from an equilibrium after {} \
                 rounds: offer fewer sizes",
                equilibria.gap() / game.pot(),
                equilibria.found.rounds
            )));
        }
        Ok(equilibria)
    }

    /// What was found, without the game.
    pub fn keep(self) -> KeptEquilibria {
        self.found
    }

    /// The strategies in the middle of all equilibria.
    pub fn strategies(&self) -> [&Mixed; 2] {
        self.found.strategies.each_ref()
    }

    /// What the first player wins, in chips.
    pub fn value(&self) -> f64 {
        f64::midpoint(self.found.values[0], -self.found.values[1])
    }

    /// The game.
    pub fn game(&self) -> &'a ShowdownGame {
        self.game
    }

    /// What a player wins, in chips.
    pub fn value_for(&self, player: Player) -> f64 {
        [1.0, -1.0][player.index()] * self.value()
    }

    /// How far the strategies are from an equilibrium, in chips: what best responses to them win
    /// together.
    pub fn gap(&self) -> f64 {
        self.found.values[0] + self.found.values[1]
    }

    /// The number of pairs of hand and action of which it could not be told whether they are played
    /// in an equilibrium. They count as played.
    pub fn undecided(&self) -> usize {
        self.found.undecided
    }

    /// How often actions were added.
    pub fn rounds(&self) -> usize {
        self.found.rounds
    }

    /// What a hand loses by an action where it gets there, in chips, against the other's strategy
    /// in the middle. Where it is above 0 the action is played in no equilibrium.
    pub fn loss(&self, player: Player, sequence: usize, hand: usize) -> f64 {
        let side = &self.found.sides[player.index()];
        self.found.slack[player.index()][sequence * side.units + side.unit_of[hand] as usize]
    }

    /// What the equilibria have in common about a hand at one of its player's decisions.
    pub fn standing(&self, player: Player, decision: usize, hand: usize) -> Standing {
        let (p, o) = (player.index(), player.other().index());
        let choice = self.game.choices(player)[decision];
        let (side, other) = (&self.found.sides[p], &self.found.sides[o]);
        let unit = side.unit_of[hand] as usize;
        let support = &self.found.support[p];
        if !support[choice.parent as usize * side.units + unit] {
            return Standing::NotPlayed;
        }
        let met = self.game.met(player, decision);
        let comes = |held: usize| {
            let pair = if p == 0 { (hand, held) } else { (held, hand) };
            self.found.support[o][met * other.units + other.unit_of[held] as usize]
                && self.game.pair(pair.0, pair.1) > 0.0
        };
        if !(0..self.game.hands(player.other())).any(comes) {
            return Standing::NotMet;
        }
        let played =
            |&action: &usize| support[(choice.first as usize + action) * side.units + unit];
        let actions: Vec<usize> = (0..choice.count as usize).filter(played).collect();
        match actions[..] {
            [action] => Standing::Always(action),
            _ => Standing::Mixes(actions),
        }
    }

    /// What [`Equilibria::interval`] needs of a player, for many questions.
    pub fn face(&self, player: Player) -> Plane<'_> {
        let (p, o) = (player.index(), player.other().index());
        let own = Side { allowed: self.found.support[p].clone(), ..self.found.sides[p].clone() };
        // What is not played in an equilibrium is added when it answers a plan.
        let other = Side { allowed: self.found.support[o].clone(), ..self.found.sides[o].clone() };
        Plane { equilibria: self, player, own, other, space: None }
    }

    /// The least and the most over all equilibria of how often some hands take an action at a
    /// decision, when they get there. Each hand has a weight. `None` if none of them gets there in
    /// an equilibrium.
    ///
    /// # Errors
    /// When a linear program has no optimum that can be found.
    pub fn interval(
        &self,
        player: Player,
        decision: usize,
        action: usize,
        hands: &[(usize, f64)],
    ) -> Result<Option<Interval>, Error> {
        self.face(player).interval(decision, action, hands)
    }

    /// Takes strategies from plans by unit.
    fn take(&mut self, plans: &Plans) {
        self.found.plans = [plans.own.clone(), plans.other.clone()];
        for (player, plan) in Player::BOTH.into_iter().zip([&plans.own, &plans.other]) {
            self.found.strategies[player.index()] = self.strategy(player, plan);
        }
    }

    fn strategy(&self, player: Player, plan: &[f64]) -> Mixed {
        strategy(self.game, player, &self.found.sides[player.index()], plan)
    }

    /// Computes what is lost by each action, and both best responses.
    fn evaluate(&mut self) {
        for player in Player::BOTH {
            let (p, o) = (player.index(), player.other().index());
            let side = &self.found.sides[p];
            let reach = self.game.reach(player.other(), &self.found.strategies[o]);
            let gains = merged(self.game.gains(player, &reach), self.game.hands(player), side);
            let open = open(self.game, player, &self.found.restrictions[p]);
            let sweep = self.game.sweep(player, gains, side.units, Some(&open));
            self.found.values[p] = sweep.values.iter().sum();
            let chances = chances(self.game, side);
            let mut slack = sweep.slack;
            for row in slack.chunks_mut(side.units) {
                for (slack, &chance) in row.iter_mut().zip(&chances) {
                    *slack = if chance > 0.0 { *slack / chance } else { 0.0 };
                }
            }
            self.found.slack[p] = slack;
        }
    }

    /// Allows actions that lose at most so much, or are played at least so often, and returns how
    /// many of them make a difference.
    fn allow(&mut self, player: Player, near: f64, often: f64) -> usize {
        let p = player.index();
        let (game, slack, strategy) = (self.game, &self.found.slack[p], &self.found.strategies[p]);
        let side = &mut self.found.sides[p];
        let chances = chances(game, side);
        let mut first = vec![usize::MAX; side.units];
        for (hand, &unit) in side.unit_of.iter().enumerate().rev() {
            first[unit as usize] = hand;
        }
        // Whether allowed actions lead to a sequence.
        let mut led = vec![false; side.allowed.len()];
        led[..side.units].fill(true);
        let mut added = 0;
        for choice in game.choices(player) {
            for unit in 0..side.units {
                let leads = led[choice.parent as usize * side.units + unit];
                let mut any = false;
                for sequence in choice.sequences() {
                    let at = sequence * side.units + unit;
                    // A hand that meets none plays anything.
                    let fits = if chances[unit] > 0.0 {
                        slack[at] <= near
                            || strategy.share(sequence, first[unit]) >= often
                                && slack[at].is_finite()
                    } else {
                        !any && slack[at].is_finite()
                    };
                    any |= fits;
                    if fits && !side.allowed[at] {
                        side.allowed[at] = true;
                        added += usize::from(leads);
                    }
                    led[at] = leads && side.allowed[at];
                }
            }
        }
        added
    }

    /// Tells what is played in an equilibrium.
    fn settle(&mut self, plans: &Plans) {
        self.found.undecided = 0;
        for (player, plan) in Player::BOTH.into_iter().zip([&plans.own, &plans.other]) {
            let p = player.index();
            let side = &self.found.sides[p];
            let mut support = vec![false; side.allowed.len()];
            support[..side.units].fill(true);
            for choice in self.game.choices(player) {
                for unit in 0..side.units {
                    if !support[choice.parent as usize * side.units + unit] {
                        continue;
                    }
                    let before = plan[choice.parent as usize * side.units + unit];
                    let mut any = false;
                    for sequence in choice.sequences() {
                        let at = sequence * side.units + unit;
                        let loses = self.found.slack[p][at] / self.game.pot();
                        // A product of the two is the same for all, and tiny.
                        let played = side.allowed[at] && plan[at] > loses;
                        let unclear = side.allowed[at]
                            && plan[at] < NOTHING.max(0.1 * before)
                            && plan[at] < 1e-4
                            && loses < NOTHING;
                        self.found.undecided += usize::from(unclear);
                        support[at] = played || unclear;
                        any |= support[at];
                    }
                    if !any {
                        let best = choice.sequences().min_by(|&a, &b| {
                            let slack = |s: usize| self.found.slack[p][s * side.units + unit];
                            slack(a).total_cmp(&slack(b))
                        });
                        if let Some(sequence) = best {
                            support[sequence * side.units + unit] = true;
                        }
                    }
                }
            }
            self.found.support[p] = support;
        }
    }
}

/// The plans of a player that are part of an equilibrium.
pub struct Plane<'a> {
    equilibria: &'a Equilibria<'a>,
    player: Player,
    own: Side,
    /// The other's sequences that the plans are held against.
    other: Side,
    /// Made when it is needed.
    space: Option<(Face, Space)>,
}

impl Plane<'_> {
    /// The number of probabilities that are not fixed by themselves, and of independent directions
    /// in which they can change together; and of the other player's actions that limit them.
    pub fn size(&mut self) -> [usize; 3] {
        let (face, space) = self.space();
        let [own, other] = face.size();
        [own, space.directions(), other]
    }

    /// The plans around the middle.
    fn space(&mut self) -> &(Face, Space) {
        let Plane { equilibria, player, own, other, space } = self;
        space.get_or_insert_with(|| {
            let o = player.other().index();
            let face = Face::new(equilibria.game, own, other);
            let tight = |(sequence, unit): (usize, usize)| {
                equilibria.found.support[o][sequence * other.units + unit]
            };
            let space = face.around(&equilibria.found.plans[player.index()], own.units, &tight);
            (face, space)
        })
    }

    /// As [`Equilibria::interval`].
    ///
    /// # Errors
    /// As [`Equilibria::interval`].
    pub fn interval(
        &mut self,
        decision: usize,
        action: usize,
        hands: &[(usize, f64)],
    ) -> Result<Option<Interval>, Error> {
        let Plane { equilibria, player, own, .. } = self;
        let game = equilibria.game;
        let choice = game.choices(*player)[decision];
        let sequence = choice.first as usize + action;
        let parent = choice.parent as usize;
        let unit = |hand: usize| own.unit_of[hand] as usize;
        let gets = |sequence: usize| {
            let there = hands.iter().filter(|(hand, weight)| {
                *weight > 0.0 && own.allowed[sequence * own.units + unit(*hand)]
            });
            there.map(|&(hand, weight)| (sequence, unit(hand), weight)).collect::<Vec<_>>()
        };
        let mut whole = gets(parent);
        if whole.is_empty() {
            return Ok(None);
        }
        let mut of = gets(sequence);
        let sum: f64 = whole.iter().map(|(.., weight)| weight).sum();
        for (.., weight) in whole.iter_mut().chain(&mut of) {
            *weight /= sum;
        }
        // One action only, for all that get there.
        let others = |&(_, unit, _): &(usize, usize, f64)| {
            let mut all = choice.sequences().filter(|&other| other != sequence);
            all.any(|other| own.allowed[other * own.units + unit])
        };
        if of.is_empty() || !whole.iter().any(others) {
            let share = if of.is_empty() { 0.0 } else { 1.0 };
            let gives_away = equilibria.gap();
            return Ok(Some(Interval { least: share, most: share, gives_away }));
        }
        let (least, given) = self.extreme(&of, &whole, -1.0)?;
        let (most, more) = self.extreme(&of, &whole, 1.0)?;
        let [least, most] = [least, most].map(|share| share.clamp(0.0, 1.0));
        let gives_away = given.max(more);
        Ok(Some(Interval { least: least.min(most), most: most.max(least), gives_away }))
    }

    /// An extreme frequency, and what its strategy gives away.
    fn extreme(&mut self, of: &Terms, whole: &Terms, sign: f64) -> Result<(f64, f64), Error> {
        let (game, player) = (self.equilibria.game, self.player);
        let o = player.other().index();
        let value = self.equilibria.value_for(player);
        for _ in 0..ROUNDS {
            let (own_units, units) = (self.own.units, self.other.units);
            let (face, space) = self.space();
            let plan = face.extreme(space, [of, whole], own_units, sign)?;
            let fixed = plan.is_none();
            let plan = plan.unwrap_or_else(|| self.equilibria.found.plans[player.index()].clone());
            let at = |terms: &Terms| -> f64 {
                let number = |&(sequence, unit, weight): &(usize, usize, f64)| {
                    weight * plan[sequence * self.own.units + unit]
                };
                terms.iter().map(number).sum()
            };
            let share = at(of) / at(whole).max(1e-12);
            if fixed {
                return Ok((share, self.equilibria.gap()));
            }
            // The whole game's best response says whether an action was left out that answers it.
            let strategy = strategy(game, self.player, &self.own, &plan);
            let reach = game.reach(self.player, &strategy);
            let other = self.player.other();
            let gains = merged(game.gains(other, &reach), game.hands(other), &self.other);
            let open = open(game, other, &self.equilibria.found.restrictions[o]);
            let sweep = game.sweep(other, gains, units, Some(&open));
            let gives_away = value + sweep.values.iter().sum::<f64>();
            let chances = chances(game, &self.other);
            let mut added = 0;
            for at in units..sweep.slack.len() {
                let (sequence, unit) = (at / units, at % units);
                let chance = chances[unit];
                if chance > 0.0
                    && !self.other.allowed[at]
                    && sweep.slack[at] <= 1e-9 * game.pot() * chance
                    && self.better(&sweep.slack, sequence, unit, chance)
                {
                    self.other.allowed[at] = true;
                    added += 1;
                }
            }
            if added == 0 || gives_away < 10.0 * GAP * game.pot() {
                return Ok((share, gives_away));
            }
            self.space = None;
        }
        Err(Error::new("the ends of an interval are not found: too many actions answer them"))
    }

    /// Whether an action that is not allowed is better than all that are.
    fn better(&self, slack: &[f64], sequence: usize, unit: usize, chance: f64) -> bool {
        let game = self.equilibria.game;
        let of = |choice: &&Choice| choice.sequences().contains(&sequence);
        let Some(choice) = game.choices(self.player.other()).iter().find(of) else { return false };
        let units = self.other.units;
        choice
            .sequences()
            .map(|other| other * units + unit)
            .filter(|&other| self.other.allowed[other])
            .all(|other| slack[other] > 1e-9 * game.pot() * chance)
    }
}

/// The units of a player, without allowed sequences.
fn side(game: &ShowdownGame, player: Player, restriction: &Restriction) -> Result<Side, Error> {
    let hands = game.hands(player);
    let groups = &restriction.groups;
    let unit_of: Vec<u32> =
        if groups.is_empty() { (0..hands as u32).collect() } else { groups.clone() };
    let units = unit_of.iter().max().map_or(0, |&most| most as usize + 1);
    let empty = (0..units as u32).any(|unit| !groups.is_empty() && !groups.contains(&unit));
    if unit_of.len() != hands || empty {
        return Err(Error::new(format!(
            "groups of {} hands are given for a player of {hands}, or one has no hand: number the \
             groups from 0 and give one for each hand",
            unit_of.len()
        )));
    }
    let open = open(game, player, restriction);
    if game.choices(player).iter().any(|choice| choice.sequences().all(|sequence| !open[sequence]))
    {
        return Err(Error::new("a decision is left without an action: leave one open"));
    }
    let mut allowed = vec![false; game.sequences(player) * units];
    allowed[..units].fill(true);
    Ok(Side { player, unit_of, units, allowed })
}

fn open(game: &ShowdownGame, player: Player, restriction: &Restriction) -> Vec<bool> {
    (0..game.sequences(player)).map(|sequence| !restriction.closed.contains(&sequence)).collect()
}

/// The chance of each unit.
fn chances(game: &ShowdownGame, side: &Side) -> Vec<f64> {
    let mut chances = vec![0.0; side.units];
    for (&unit, chance) in side.unit_of.iter().zip(game.chances(side.player)) {
        chances[unit as usize] += chance;
    }
    chances
}

/// Numbers by sequence and hand as sums by unit.
fn merged(numbers: Vec<f64>, hands: usize, side: &Side) -> Vec<f64> {
    if hands == side.units && side.unit_of.iter().enumerate().all(|(at, &unit)| at == unit as usize)
    {
        return numbers;
    }
    let mut sums = vec![0.0; numbers.len() / hands.max(1) * side.units];
    for (row, sums) in numbers.chunks(hands).zip(sums.chunks_mut(side.units)) {
        for (number, &unit) in row.iter().zip(&side.unit_of) {
            sums[unit as usize] += number;
        }
    }
    sums
}

/// The strategy of a plan by unit: where a unit does not get, it takes its first allowed action.
fn strategy(game: &ShowdownGame, player: Player, side: &Side, plan: &[f64]) -> Mixed {
    let mut strategy = Mixed::uniform(game, player);
    let units = side.units;
    for choice in game.choices(player) {
        for (hand, &unit) in side.unit_of.iter().enumerate() {
            let unit = unit as usize;
            let sum: f64 = choice.sequences().map(|sequence| plan[sequence * units + unit]).sum();
            let first = choice.sequences().find(|sequence| side.allowed[sequence * units + unit]);
            for sequence in choice.sequences() {
                let share = if sum > 1e-12 {
                    plan[sequence * units + unit] / sum
                } else {
                    f64::from(u8::from(first == Some(sequence)))
                };
                strategy.set(sequence, hand, share);
            }
        }
    }
    strategy
}
