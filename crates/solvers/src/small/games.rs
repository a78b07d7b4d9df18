//! Games implemented for the solvers.
//!
//! - [`Dealt`]: any two-player game of the rules engine that is small enough (Kuhn, Leduc).
//! - [`TenCards`]: a ten-card endgame with one bet of many sizes (Ganzfried & Yusuf, "Computing
//!   human-understandable strategies: deducing fundamental rules of poker strategy", Games 2017,
//!   section 1).
//! - [`ShoveFold`]: heads-up hold'em in which the small blind moves all-in or folds, and the big
//!   blind calls or folds.

use std::sync::Arc;

use cards::{Card, Equity, HoleCards, StartingHand, Ties};
use game::{BySeat, GameDef, InfoSet, Policy, PublicState, Seat, State, Turn, notation};

use crate::{Error, Game, Node, Player, Profile, Sequences, Tree};

/// A two-player game of the rules engine as an extensive game with all deals and bet sizes: chance
/// deals the hole cards of seat 0, of seat 1, and the board street by street; every legal raise
/// total is an action. The first player is seat 0; winnings are in chips.
///
/// Deals that differ in card order only are one outcome. Meant for small games: the number of nodes
/// grows with the number of deals times that of betting sequences.
#[derive(Debug, Clone)]
pub struct Dealt {
    def: Arc<GameDef>,
}

/// A state of the game: seats without cards are dealt to first.
#[derive(Debug, Clone)]
pub struct Point(State);

impl Dealt {
    /// The extensive game of this definition.
    pub fn new(def: Arc<GameDef>) -> Result<Dealt, Error> {
        if def.players != 2 {
            return Err(Error::new(format!(
                "the game has {} players: only games of two can be solved",
                def.players
            )));
        }
        Ok(Dealt { def })
    }

    /// Number of deals of the hole cards, the factor with which the size of the tree begins.
    pub fn hole_deals(&self) -> u64 {
        let hole = u64::from(self.def.hole_cards);
        let choose = |from: u64| (0..hole).fold(1, |ways, k| ways * (from - k) / (k + 1));
        let deck = self.def.deck().len() as u64;
        choose(deck) * choose(deck - hole)
    }

    /// The behaviour strategies of a policy in both seats of this game, laid out as `tree`.
    ///
    /// # Errors
    /// When the policy does not give a distribution over legal actions.
    pub fn profile(
        &self,
        tree: &Tree,
        game: &Sequences,
        policy: &dyn Policy,
    ) -> Result<Profile, Error> {
        let mut profile = Profile::uniform(game);
        for (player, seat) in Player::BOTH.into_iter().zip(Seat::all(2)) {
            let infosets = tree.infosets(player).iter().zip(game.choices(player));
            for (infoset, choice) in infosets {
                let refuse = || {
                    Error::new(format!(
                        "at '{}' the strategy is not a distribution over legal actions",
                        infoset.name
                    ))
                };
                let seen = self.infoset_of(&infoset.name, seat).ok_or_else(refuse)?;
                let strategy = policy.strategy(&seen);
                // The actions are in the order of the rules.
                let legal = seen.legal();
                let shares = legal.all().map(|action| strategy.probability(action));
                let shares: Vec<f64> = shares.collect();
                let sum: f64 = shares.iter().sum();
                if shares.len() != choice.count as usize || (sum - 1.0).abs() > 1e-6 {
                    return Err(refuse());
                }
                profile.0[player.index()][choice.sequences()].copy_from_slice(&shares);
            }
        }
        Ok(profile)
    }

    /// The information set with this name, as a seat sees it.
    fn infoset_of(&self, name: &str, seat: Seat) -> Option<InfoSet> {
        let mut parts = name.split(' ');
        let hole = parts.next()?.parse().ok()?;
        let board = parts.next()?.parse().ok()?;
        let public = notation::replay(&self.def, parts.next()?, &board).ok()?;
        Some(InfoSet { public, seat, hole })
    }

    /// All sets of `count` cards that nobody holds.
    fn draws(&self, state: &State, count: usize) -> Vec<Vec<Card>> {
        let seen: Vec<Card> = state
            .hole
            .iter()
            .flat_map(|(_, cards)| cards.to_vec())
            .chain(state.public.board().to_vec())
            .collect();
        let unseen: Vec<Card> =
            self.def.deck().into_iter().filter(|card| !seen.contains(card)).collect();
        combinations(&unseen, count)
    }

    fn chance(
        &self,
        state: &State,
        count: usize,
        put_cards: impl Fn(&mut State, &[Card]),
    ) -> Node<Point> {
        let draws = self.draws(state, count);
        let probability = 1.0 / draws.len() as f64;
        let outcome = |cards: &Vec<Card>| {
            let mut next = state.clone();
            put_cards(&mut next, cards);
            (probability, Point(next))
        };
        Node::Chance(draws.iter().map(outcome).collect())
    }
}

impl Game for Dealt {
    type State = Point;

    fn root(&self) -> Point {
        Point(State { public: PublicState::new(&self.def), hole: BySeat::new(2) })
    }

    fn node(&self, Point(state): &Point) -> Node<Point> {
        if let Some(seat) = Seat::all(2).find(|&seat| state.hole[seat].is_empty()) {
            return self.chance(state, self.def.hole_cards.into(), |next, cards| {
                next.hole[seat] = HoleCards::new(cards).expect("as many as the game deals");
            });
        }
        match state.public.turn() {
            Turn::Over => Node::End(state.payoffs()[Seat::all(2).next().expect("two")].chips()),
            Turn::Deal(street) => {
                let count = self.def.board_len(street) - state.public.board().len();
                self.chance(state, count, |next, cards| {
                    next.public.deal(cards).expect("unseen cards, as many as are due");
                })
            }
            Turn::Act(seat) => self.decision(state, seat),
        }
    }
}

impl Dealt {
    fn decision(&self, state: &State, seat: Seat) -> Node<Point> {
        let player = Player::BOTH[usize::from(seat.index() != 0)];
        let limit = self.def.betting == game::Betting::Limit;
        let legal = state.public.legal();
        let actions = legal.all().map(|action| {
            let mut name = String::new();
            notation::write_action(action, limit, &mut name);
            let mut next = state.clone();
            next.public.apply_unchecked(action);
            (name, Point(next))
        });
        let infoset = format!(
            "{} {} {}",
            state.hole[seat],
            state.public.board(),
            notation::betting(&state.public)
        );
        Node::Decision { player, infoset, actions: actions.collect() }
    }
}

/// All subsets of this size, each in the order of the slice.
fn combinations(cards: &[Card], count: usize) -> Vec<Vec<Card>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for (i, &card) in cards.iter().enumerate() {
        for mut rest in combinations(&cards[i + 1..], count - 1) {
            rest.insert(0, card);
            all.push(rest);
        }
    }
    all
}

/// The ten-card game: both players have put in an ante of 0.5 and hold one of ten different cards,
/// the first player bets 0, 0.1, … 3.0, the second calls or folds. Winnings are net of the ante, so
/// that they sum to zero; the value in shares of the pot of 1 is 0.5 more.
#[derive(Debug, Clone)]
pub struct TenCards {
    /// Probability of each deal: the first player's card, then the second's, from 0 (worst) to 9.
    deals: [[f64; 10]; 10],
}

impl TenCards {
    /// Number of bet sizes.
    pub const BETS: usize = 31;

    /// A game with these card weights, which are independent except that both cannot hold the same
    /// card: deal (i, j) has a probability proportional to `first[i] * second[j]`, zero where i =
    /// j.
    pub fn new(first: [f64; 10], second: [f64; 10]) -> Result<TenCards, Error> {
        let refuse = || {
            Error::new(
                "the weights of the cards leave no deal possible: each player needs a card with a \
                 weight above 0 that the other need not hold, and none below 0",
            )
        };
        let usable = |weight: &f64| weight.is_finite() && *weight >= 0.0;
        if !first.iter().chain(&second).all(usable) {
            return Err(refuse());
        }
        let mut deals = [[0.0; 10]; 10];
        let mut sum = 0.0;
        for (i, row) in deals.iter_mut().enumerate() {
            for (j, deal) in row.iter_mut().enumerate().filter(|(j, _)| *j != i) {
                *deal = first[i] * second[j];
                sum += *deal;
            }
        }
        if sum <= 0.0 {
            return Err(refuse());
        }
        deals.iter_mut().flatten().for_each(|deal| *deal /= sum);
        Ok(TenCards { deals })
    }

    /// The game with all 90 deals equally likely.
    pub fn uniform() -> TenCards {
        TenCards::new([1.0; 10], [1.0; 10]).expect("all weights are positive")
    }

    /// The bet size with this index, 0 to 30.
    pub fn bet(number: usize) -> f64 {
        number as f64 / 10.0
    }
}

/// A state of the game.
#[derive(Debug, Clone, Copy)]
pub enum TenCardsPoint {
    /// Before the deal.
    Start,
    /// Both cards have been dealt.
    Dealt(usize, usize),
    /// The first player has bet.
    Bet(usize, usize, usize),
    /// The second player has called (`true`) or folded.
    Answered(usize, usize, usize, bool),
}

impl Game for TenCards {
    type State = TenCardsPoint;

    fn root(&self) -> TenCardsPoint {
        TenCardsPoint::Start
    }

    fn node(&self, point: &TenCardsPoint) -> Node<TenCardsPoint> {
        match *point {
            TenCardsPoint::Start => {
                let deals = (0..10).flat_map(|i| (0..10).map(move |j| (i, j)));
                let outcomes = deals
                    .map(|(i, j)| (self.deals[i][j], TenCardsPoint::Dealt(i, j)))
                    .filter(|(probability, _)| *probability > 0.0);
                Node::Chance(outcomes.collect())
            }
            TenCardsPoint::Dealt(i, j) => Node::Decision {
                player: Player::First,
                infoset: (i + 1).to_string(),
                actions: (0..TenCards::BETS)
                    .map(|bet| {
                        (format!("{:.1}", TenCards::bet(bet)), TenCardsPoint::Bet(i, j, bet))
                    })
                    .collect(),
            },
            TenCardsPoint::Bet(i, j, bet) => Node::Decision {
                player: Player::Second,
                infoset: format!("{} {:.1}", j + 1, TenCards::bet(bet)),
                actions: vec![
                    ("call".to_owned(), TenCardsPoint::Answered(i, j, bet, true)),
                    ("fold".to_owned(), TenCardsPoint::Answered(i, j, bet, false)),
                ],
            },
            TenCardsPoint::Answered(_, _, _, false) => Node::End(0.5),
            TenCardsPoint::Answered(i, j, bet, true) => {
                let stake = 0.5 + TenCards::bet(bet);
                Node::End(if i > j { stake } else { -stake })
            }
        }
    }
}

/// The game at one stack: blinds 0.5 and 1, winnings in big blinds. The first player is the small
/// blind. Only kinds of starting hands matter, so chance deals kinds, with the probabilities of the
/// 1,326 × 1,225 deals of combos.
#[derive(Debug, Clone)]
pub struct ShoveFold {
    stack: f64,
    /// The probability and the small blind's all-in equity of each pair of kinds.
    deals: Vec<(f64, f64)>,
}

impl ShoveFold {
    /// The game with `stack` big blinds each (at least 1), given the all-in results of every kind
    /// of starting hand against every other, row by row, counted over all deals and boards.
    ///
    /// `None` when the stack is too small or not a number, or when there are not 169 × 169 results.
    pub fn new(stack: f64, all_in: &[Equity]) -> Option<ShoveFold> {
        let complete = all_in.len() == StartingHand::COUNT * StartingHand::COUNT;
        if !(stack.is_finite() && stack >= 1.0 && complete) {
            return None;
        }
        let sum: u64 = all_in.iter().map(|pair| pair.total).sum();
        let deals = all_in
            .iter()
            .map(|pair| (pair.total as f64 / sum as f64, pair.value(Ties::Half)))
            .collect();
        Some(ShoveFold { stack, deals })
    }
}

/// A state of the game, with hands by number.
#[derive(Debug, Clone, Copy)]
pub enum ShoveFoldPoint {
    /// Before the deal.
    Start,
    /// Both hands have been dealt.
    Dealt(usize, usize),
    /// The small blind has moved all-in.
    Shoved(usize, usize),
    /// The small blind has folded.
    Folded,
    /// The big blind has folded.
    Taken,
    /// The big blind has called.
    Called(usize, usize),
}

fn name(hand: usize) -> String {
    StartingHand::from_index(hand).expect("169 kinds").to_string()
}

impl Game for ShoveFold {
    type State = ShoveFoldPoint;

    fn root(&self) -> ShoveFoldPoint {
        ShoveFoldPoint::Start
    }

    fn node(&self, point: &ShoveFoldPoint) -> Node<ShoveFoldPoint> {
        let kinds = StartingHand::COUNT;
        match *point {
            ShoveFoldPoint::Start => {
                let deal = |(at, &(probability, _)): (usize, &(f64, f64))| {
                    (probability, ShoveFoldPoint::Dealt(at / kinds, at % kinds))
                };
                let outcomes = self.deals.iter().enumerate().map(deal);
                Node::Chance(outcomes.filter(|(probability, _)| *probability > 0.0).collect())
            }
            ShoveFoldPoint::Dealt(small, big) => Node::Decision {
                player: Player::First,
                infoset: name(small),
                actions: vec![
                    ("fold".to_owned(), ShoveFoldPoint::Folded),
                    ("all-in".to_owned(), ShoveFoldPoint::Shoved(small, big)),
                ],
            },
            ShoveFoldPoint::Shoved(small, big) => Node::Decision {
                player: Player::Second,
                infoset: name(big),
                actions: vec![
                    ("fold".to_owned(), ShoveFoldPoint::Taken),
                    ("call".to_owned(), ShoveFoldPoint::Called(small, big)),
                ],
            },
            ShoveFoldPoint::Folded => Node::End(-0.5),
            ShoveFoldPoint::Taken => Node::End(1.0),
            ShoveFoldPoint::Called(small, big) => {
                let (_, equity) = self.deals[small * kinds + big];
                Node::End(self.stack * (2.0 * equity - 1.0))
            }
        }
    }
}
