//! Local best response: a lower bound of a strategy's exploitability.
//!
//! Viliam Lisý, Michael Bowling, "Equilibrium Approximation Quality of Current No-Limit Poker
//! Bots", AAAI-17 Workshop on Computer Poker (arXiv 1612.07547). The response plays heads-up
//! hold'em against an agent whose strategy it can ask for any hole cards:
//!
//! - It keeps the exact posterior over the agent's 1,326 possible hands ([`Posterior`]): whenever
//!   the agent acts, the weight of each hand is multiplied by the probability of that action with
//!   it.
//! - It acts greedily, as if both sides checked and called from then on. With `w` its equity
//!   against the posterior over all boards to come, folding has the value 0, calling `w · pot − (1
//!   − w) · price`. For a bet the agent is asked for the probability `f` of a fold with each hand;
//!   the bet has the value `f · pot` plus `1 − f` times the value of a call of it against the
//!   remaining hands.
//!
//! Its winnings are those of a real strategy, so its rate is at most a best response's. A small or
//! negative rate proves nothing: the response looks ahead only one action.
//!
//! Only the agent's and chance's draws are sampled: equities are exact over all boards.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use cards::{Board, CardSet, Combo, HoleCards, Ties, all_in, range_margins, unblocked};
use game::{
    Action, Betting, BySeat, Chips, GameDef, Payoff, Policy, PublicState, Seat, Strategy, Street,
    Turn, notation,
};
use rand::{Rng, RngExt};

use super::{ByCombo, is_holdem};
use crate::Error;

/// The cards of one hand: both players' and the complete board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deal {
    /// Each seat's two cards.
    pub hole: BySeat<HoleCards>,
    /// The complete board of five cards.
    pub board: Board,
}

/// The response's winnings in one hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Won {
    /// The winnings with the cards as dealt, as published.
    pub dealt: Payoff,
    /// The mean over the agent's possible hands, by the posterior at the end of the betting, and
    /// over possible boards, rounded to a 2,520th of a chip. It has the same expectation as
    /// `dealt`, and less variance.
    pub expected: Payoff,
}

/// The error for cards that are not two hole cards each and five on the board, all different.
fn not_a_deal(deal: &Deal) -> Error {
    Error::new(format!("the deal {:?} {} is not one of hold'em", deal.hole, deal.board))
}

/// The winnings of the response over a hand, in chips, from a spot with the agent's posterior on.
pub type ValueOfSpot<'a> = dyn FnMut(&PublicState, &Posterior) -> f64 + 'a;

/// The response to one agent.
pub struct LocalBestResponse<'agent> {
    def: Arc<GameDef>,
    agent: &'agent dyn Policy,
    moves: Moves,
    from: Street,
}

impl<'agent> LocalBestResponse<'agent> {
    /// The response to this agent with these moves, from the street `from` on; before it, the
    /// response checks and calls.
    ///
    /// # Errors
    /// When the game is not heads-up hold'em, or does not have the moves.
    pub fn new(
        def: &Arc<GameDef>,
        agent: &'agent dyn Policy,
        moves: Moves,
        from: Street,
    ) -> Result<LocalBestResponse<'agent>, Error> {
        if !is_holdem(def) {
            return Err(Error::new(
                "local best response is for hold'em of two players: two hole cards of a full deck, \
                 boards of three, four and five cards",
            ));
        }
        moves.check(def)?;
        Ok(LocalBestResponse { def: Arc::clone(def), agent, moves, from })
    }

    /// Plays one hand with the response in this seat. The agent's actions are drawn with `rng`, one
    /// draw each.
    ///
    /// # Errors
    /// When the deal or the agent's strategy is not valid.
    pub fn play(&self, deal: &Deal, seat: Seat, rng: &mut impl Rng) -> Result<Won, Error> {
        self.hand(deal, seat, rng, None)
    }

    /// Plays one hand like [`play`](LocalBestResponse::play), but only up to the street `from`. If
    /// it comes to a decision there, `value` gives the response's mean winnings in chips over the
    /// hand, and all hands that either may hold: the response any that the board leaves, as it
    /// called with all of them; the agent those of the posterior, which does not know the
    /// response's cards. The winnings have the same expectation as [`Won::expected`], and less
    /// variance.
    ///
    /// # Errors
    /// When the deal or the agent's strategy is not valid.
    pub fn play_to(
        &self,
        deal: &Deal,
        seat: Seat,
        rng: &mut impl Rng,
        value: &mut ValueOfSpot<'_>,
    ) -> Result<Payoff, Error> {
        self.hand(deal, seat, rng, Some(value)).map(|won| won.expected)
    }

    /// Plays a hand, up to the spot that is valued if `value` is given; then [`Won::dealt`] says
    /// the same as [`Won::expected`].
    fn hand(
        &self,
        deal: &Deal,
        seat: Seat,
        rng: &mut impl Rng,
        mut value: Option<&mut ValueOfSpot<'_>>,
    ) -> Result<Won, Error> {
        let agent_seat = other(seat);
        let [hole, held] = [seat, agent_seat].map(|seat| combo(deal.hole[seat]));
        let (Some(hole), Some(held), 5) = (hole, held, deal.board.len()) else {
            return Err(not_a_deal(deal));
        };
        let mut hand = Hand {
            response: self,
            public: PublicState::new(&self.def),
            seat,
            posterior: Posterior::new(if value.is_some() { CardSet::EMPTY } else { hole.set() }),
            roll_out: RollOut::new(hole),
        };
        let mut expected = None;
        loop {
            if let Some(value) = &mut value
                && hand.public.street() >= self.from
                && matches!(hand.public.turn(), Turn::Act(_))
            {
                let expected = payoff(value(&hand.public, &hand.posterior));
                return Ok(Won { dealt: expected, expected });
            }
            match hand.public.turn() {
                Turn::Deal(street) => {
                    // From here on there are no decisions: only the run-out is left.
                    if hand.public.able().len() <= 1 && expected.is_none() {
                        expected = Some(hand.shown_down());
                    }
                    let dealt = hand.public.board().len()..self.def.board_len(street);
                    let cards = &deal.board[dealt];
                    let done = hand.public.deal(cards);
                    done.map_err(|_| not_a_deal(deal))?;
                    hand.posterior.remove(hand.public.board().set());
                }
                Turn::Act(acting) => {
                    let action =
                        if acting == seat { hand.respond() } else { hand.ask(held, rng.random())? };
                    let done = hand.public.apply(action);
                    debug_assert!(done.is_ok(), "both sides' actions were checked");
                }
                Turn::Over => break,
            }
        }
        let dealt = hand.public.payoffs(&deal.hole)[seat];
        let expected = match expected {
            None if hand.public.is_showdown() => hand.shown_down(),
            None => dealt,
            Some(expected) => expected,
        };
        Ok(Won { dealt, expected })
    }

    /// The response's best move for this seat, with these cards and this posterior, and its value
    /// in chips, where the present pot belongs to nobody, so that folding has the value 0. Among
    /// equal moves the first in the order fold, call, raises in increasing size.
    pub fn choose(
        &self,
        public: &PublicState,
        seat: Seat,
        hole: Combo,
        posterior: &Posterior,
    ) -> (Action, f64) {
        self.choose_with(public, seat, posterior, &mut RollOut::new(hole))
    }

    fn choose_with(
        &self,
        public: &PublicState,
        seat: Seat,
        posterior: &Posterior,
        roll_out: &mut RollOut,
    ) -> (Action, f64) {
        let equities = roll_out.equities_on(public.board().set());
        let stakes = Stakes::new(public, seat);
        let call = stakes.called(public.highest(), posterior.equity(equities));
        let mut best = if public.legal().fold && call <= 0.0 {
            (Action::Fold, 0.0)
        } else {
            (Action::Call, call)
        };
        for total in self.moves.raises(public) {
            let action = Action::RaiseTo(total);
            let mut after = public.clone();
            after.apply_unchecked(action);
            let answer = posterior.answer(self.agent, &after, other(seat), equities);
            let called = stakes.called(total, answer.equity);
            let value = answer.folds * stakes.pot() + (1.0 - answer.folds) * called;
            if value > best.1 {
                best = (action, value);
            }
        }
        best
    }
}

/// The state of one hand.
struct Hand<'a> {
    response: &'a LocalBestResponse<'a>,
    public: PublicState,
    /// The response's seat.
    seat: Seat,
    posterior: Posterior,
    roll_out: RollOut,
}

impl Hand<'_> {
    /// Chooses the response's action.
    fn respond(&mut self) -> Action {
        if self.public.street() < self.response.from {
            return Action::Call;
        }
        let Hand { response, public, seat, posterior, roll_out } = self;
        response.choose_with(public, *seat, posterior, roll_out).0
    }

    /// Draws the agent's action with the cards it holds, at `point`, and updates the posterior.
    fn ask(&mut self, held: Combo, point: f64) -> Result<Action, Error> {
        let legal = self.public.legal();
        let mut drawn = Ok(Action::Call);
        let (agent, seat) = (self.response.agent, other(self.seat));
        self.posterior.observe(agent, &self.public, seat, held, |strategy| {
            let sum: f64 = strategy.actions.iter().map(|&(_, p)| p).sum();
            let action = strategy.sample(point);
            drawn = if (sum - 1.0).abs() < 1e-6 && legal.allows(action) {
                Ok(action)
            } else {
                Err(format!("is not a distribution over legal actions: {:?}", strategy.actions))
            };
            action
        });
        drawn.map_err(|reason: String| {
            let (betting, board) = (notation::betting(&self.public), self.public.board());
            Error::new(format!(
                "the agent's strategy with {held} after '{betting}' on '{board}' {reason}"
            ))
        })
    }

    /// The response's mean winnings at showdown over the remaining boards.
    fn shown_down(&mut self) -> Payoff {
        self.posterior.remove(self.roll_out.hole.set());
        let equities = self.roll_out.equities_on(self.public.board().set());
        let equity = self.posterior.equity(equities);
        let stakes = Stakes::new(&self.public, self.seat);
        let mine = self.public.committed()[self.seat];
        payoff(stakes.called(self.public.highest(), equity) - f64::from(mine))
    }
}

/// The chips at stake in a decision.
struct Stakes {
    /// Chips put in by the response; below, by the agent.
    mine: f64,
    theirs: f64,
    /// The effective stack: the most that both can put in.
    most: Chips,
}

impl Stakes {
    fn new(public: &PublicState, seat: Seat) -> Stakes {
        let committed = public.committed();
        Stakes {
            mine: f64::from(committed[seat]),
            theirs: f64::from(committed[other(seat)]),
            most: public.def().stacks.iter().copied().min().unwrap_or_default(),
        }
    }

    fn pot(&self) -> f64 {
        self.mine + self.theirs
    }

    /// The expected value when both have put in `total`, limited by the effective stack, and check
    /// it down.
    fn called(&self, total: Chips, equity: f64) -> f64 {
        let each = f64::from(total.min(self.most));
        equity * (self.mine + each) - (1.0 - equity) * (each - self.mine)
    }
}

/// Chips, rounded to a 2,520th.
fn payoff(chips: f64) -> Payoff {
    Payoff::from_parts((chips * Payoff::PER_CHIP as f64).round() as i64)
}

/// The opponent's seat.
fn other(seat: Seat) -> Seat {
    Seat::new(1 - seat.index()).expect("a seat of two players")
}

fn combo(hole: HoleCards) -> Option<Combo> {
    match hole.as_slice() {
        &[a, b] => Combo::new(a, b),
        _ => None,
    }
}

/// The equities of the response's hand against each other hand on the present board, cached.
///
/// They do not depend on the posterior, so they are computed once a street, over all boards: 0.1 ms
/// before the flop (looked up), 1.4 ms on the flop, 0.2 ms on the turn.
struct RollOut {
    hole: Combo,
    board: Option<CardSet>,
    equities: Box<[f64; Combo::COUNT]>,
}

impl RollOut {
    fn new(hole: Combo) -> RollOut {
        RollOut { hole, board: None, equities: Box::new([0.0; Combo::COUNT]) }
    }

    /// The equities on a board of 0, 3, 4 or 5 cards, ties counting half; 0 for impossible hands.
    fn equities_on(&mut self, board: CardSet) -> &[f64; Combo::COUNT] {
        if self.board != Some(board) {
            self.board = Some(board);
            for combo in Combo::all() {
                // An error means a shared card, so the hand is impossible.
                let counts = all_in(self.hole, combo, board);
                self.equities[combo.index()] =
                    counts.map_or(0.0, |counts| counts.value(Ties::Half));
            }
        }
        &self.equities
    }
}

/// A smaller share of the agent's hands is what rounding leaves of none.
const EMPTY: f64 = 1e-9;

impl LocalBestResponse<'_> {
    /// The choice of [`choose`](LocalBestResponse::choose) with each of these hands, when the
    /// agent's hand is one of the combos of positive weight that share no card with it. No hand may
    /// hold a card of the board.
    ///
    /// Costs one query of the agent for each bet, and a showdown of all hands for each board that
    /// can follow, 1,176 on the flop, instead of one for each hand.
    pub fn choose_each(
        &self,
        public: &PublicState,
        seat: Seat,
        hands: &[Combo],
        against: &[f64; Combo::COUNT],
    ) -> Vec<Action> {
        let stakes = Stakes::new(public, seat);
        let raises = self.moves.raises(public);
        let mut ranges = vec![Box::new(*against)];
        for &total in &raises {
            let mut after = public.clone();
            after.apply_unchecked(Action::RaiseTo(total));
            ranges.push(self.staying(&after, other(seat), against));
        }
        let ranges: Vec<&[f64; Combo::COUNT]> = ranges.iter().map(|range| &**range).collect();
        let margins = range_margins(public.board().set(), &ranges).expect("at most five cards");
        let weights: Vec<ByCombo> = ranges.iter().map(|range| unblocked(range)).collect();
        let may_fold = public.legal().fold;
        let choose = |hand: &Combo| {
            let at = hand.index();
            // The equity against a range, and its share of the agent's hands.
            let against = |range: usize| {
                let (left, all) = (weights[range][at], weights[0][at]);
                if left > EMPTY * all {
                    (0.5 + 0.5 * margins[range][at] / left, left / all)
                } else {
                    (0.0, 0.0)
                }
            };
            let call = stakes.called(public.highest(), against(0).0);
            let mut best =
                if may_fold && call <= 0.0 { (Action::Fold, 0.0) } else { (Action::Call, call) };
            for (number, &total) in raises.iter().enumerate() {
                let (equity, called) = against(1 + number);
                let value = (1.0 - called) * stakes.pot() + called * stakes.called(total, equity);
                if value > best.1 {
                    best = (Action::RaiseTo(total), value);
                }
            }
            best.0
        };
        hands.iter().map(choose).collect()
    }

    /// The weights of the agent's hands times the probability that it does not fold them at
    /// `public`.
    fn staying(&self, public: &PublicState, agent: Seat, weights: &[f64; Combo::COUNT]) -> ByCombo {
        let held: Vec<Combo> = Combo::all().filter(|combo| weights[combo.index()] > 0.0).collect();
        let holes: Vec<HoleCards> = held.iter().map(|&combo| hole_cards(combo)).collect();
        let mut staying = Box::new(*weights);
        self.agent.strategies(public, agent, &holes, &mut |number, strategy| {
            staying[held[number].index()] *= 1.0 - strategy.probability(Action::Fold);
        });
        staying
    }
}

/// The posterior: a weight for each of the 1,326 hands, proportional to the probability that the
/// agent was dealt the hand and then played as it did.
#[derive(Debug, Clone)]
pub struct Posterior {
    weights: Box<[f64; Combo::COUNT]>,
    /// The hands with a positive weight, in order.
    combos: Vec<Combo>,
    /// The same hands as hole cards, for queries of the agent.
    holes: Vec<HoleCards>,
}

/// The agent's reply to a bet.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Answer {
    /// The probability of a fold.
    folds: f64,
    /// The equity against the hands that do not fold, 0 when all do.
    equity: f64,
}

impl Posterior {
    /// The prior before the agent has acted: uniform over hands without these cards.
    pub fn new(seen: CardSet) -> Posterior {
        let mut posterior = Posterior {
            weights: Box::new([1.0; Combo::COUNT]),
            combos: Vec::new(),
            holes: Vec::new(),
        };
        posterior.remove(seen);
        posterior
    }

    /// The unnormalised weights, by combo number.
    pub fn weights(&self) -> &[f64; Combo::COUNT] {
        &self.weights
    }

    /// Removes the hands that hold one of these cards.
    pub fn remove(&mut self, seen: CardSet) {
        for combo in Combo::all().filter(|combo| combo.set().intersects(seen)) {
            self.weights[combo.index()] = 0.0;
        }
        self.list();
    }

    /// Updates the list of remaining hands.
    fn list(&mut self) {
        let left = Combo::all().filter(|combo| self.weights[combo.index()] > 0.0);
        self.combos.clear();
        self.combos.extend(left);
        self.holes.clear();
        self.holes.extend(self.combos.iter().map(|&combo| hole_cards(combo)));
    }

    /// Updates the posterior by an action of the agent: `draw` receives its strategy with the cards
    /// it holds and chooses the action; each hand's weight is multiplied by the probability of that
    /// action.
    ///
    /// The strategy drawn from and those of the posterior come from one query of the agent.
    pub fn observe(
        &mut self,
        agent: &dyn Policy,
        public: &PublicState,
        seat: Seat,
        held: Combo,
        mut draw: impl FnMut(&Strategy) -> Action,
    ) {
        let mut holes = Vec::with_capacity(self.holes.len() + 1);
        holes.push(hole_cards(held));
        holes.extend_from_slice(&self.holes);
        let mut action = Action::Call;
        agent.strategies(public, seat, &holes, &mut |number, strategy| match number {
            0 => action = draw(strategy),
            _ => self.weights[self.combos[number - 1].index()] *= strategy.probability(action),
        });
        self.list();
    }

    /// The agent's reply to a bet that it faces at `public`; `equities` are the equities against
    /// each hand.
    fn answer(
        &self,
        agent: &dyn Policy,
        public: &PublicState,
        seat: Seat,
        equities: &[f64; Combo::COUNT],
    ) -> Answer {
        let (mut folded, mut left, mut won) = (0.0, 0.0, 0.0);
        agent.strategies(public, seat, &self.holes, &mut |number, strategy| {
            let at = self.combos[number].index();
            let fold = strategy.probability(Action::Fold);
            folded += self.weights[at] * fold;
            left += self.weights[at] * (1.0 - fold);
            won += self.weights[at] * (1.0 - fold) * equities[at];
        });
        let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        Answer { folds: share(folded, folded + left), equity: share(won, left) }
    }

    /// The equity against the whole posterior, given those against each hand; 0 when no hand is
    /// left.
    fn equity(&self, equities: &[f64; Combo::COUNT]) -> f64 {
        let (mut all, mut won) = (0.0, 0.0);
        for at in self.combos.iter().map(|combo| combo.index()) {
            all += self.weights[at];
            won += self.weights[at] * equities[at];
        }
        if all > 0.0 { won / all } else { 0.0 }
    }
}

fn hole_cards(combo: Combo) -> HoleCards {
    HoleCards::new(&combo.cards()).expect("room for two cards")
}

/// A published set of moves. Folding (when there is something to call) and calling are always
/// included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moves {
    /// `fc`: fold and call.
    FoldCall,
    /// `fcr`: also raise, in limit games.
    FoldCallRaise,
    /// `fcpa`: also bet the pot and all-in, in no-limit games.
    FoldCallPotAllIn,
    /// `56`: also 56 bets in no-limit games, all-in and the shares 0.05 · 1.15^k of the pot, k = 0
    /// … 54.
    Bets56,
}

impl Moves {
    /// All sets of moves.
    pub const ALL: [Moves; 4] =
        [Moves::FoldCall, Moves::FoldCallRaise, Moves::FoldCallPotAllIn, Moves::Bets56];

    /// The usual moves of games with this betting.
    pub fn usual(betting: Betting) -> Moves {
        match betting {
            Betting::Limit => Moves::FoldCallRaise,
            Betting::NoLimit => Moves::FoldCallPotAllIn,
        }
    }

    fn check(self, def: &GameDef) -> Result<(), Error> {
        let instead = match (self, def.betting) {
            (Moves::FoldCallRaise, Betting::NoLimit) => "fcpa or 56",
            (Moves::FoldCallPotAllIn | Moves::Bets56, Betting::Limit) => "fcr",
            _ => return Ok(()),
        };
        Err(Error::new(format!("the moves {self} are not for this game: use fc or {instead}")))
    }

    /// The raise totals of the response, in increasing order without duplicates. A share of the pot
    /// is taken after calling and rounded to whole chips; illegal totals are left out.
    pub fn raises(self, public: &PublicState) -> Vec<Chips> {
        let legal = public.legal();
        let Some(allowed) = legal.raise else { return Vec::new() };
        let pot = public.pot() as f64 + f64::from(legal.to_call);
        // The conversion saturates; illegal totals are left out below.
        let share = |share: f64| (f64::from(public.highest()) + share * pot).round() as Chips;
        let mut totals = match self {
            Moves::FoldCall => Vec::new(),
            Moves::FoldCallRaise => vec![allowed.max],
            Moves::FoldCallPotAllIn => vec![share(1.0), allowed.max],
            Moves::Bets56 => {
                let shares = (0..55).map(|k| share(0.05 * 1.15f64.powi(k)));
                shares.chain([allowed.max]).collect()
            }
        };
        totals.retain(|&total| allowed.min <= total && total <= allowed.max);
        totals.sort_unstable();
        totals.dedup();
        totals
    }
}

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Moves::FoldCall => "fc",
            Moves::FoldCallRaise => "fcr",
            Moves::FoldCallPotAllIn => "fcpa",
            Moves::Bets56 => "56",
        })
    }
}

impl FromStr for Moves {
    type Err = Error;

    fn from_str(text: &str) -> Result<Moves, Error> {
        let named = Moves::ALL.into_iter().find(|moves| moves.to_string() == text);
        named.ok_or_else(|| {
            Error::new(format!("'{text}' names no moves: fc, fcr (limit), fcpa or 56 (no-limit)"))
        })
    }
}
