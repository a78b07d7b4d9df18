//! Small two-player games of the rules engine as extensive games.

use std::sync::Arc;

use cards::{Card, HoleCards};
use game::{BySeat, GameDef, InfoSet, Policy, PublicState, Seat, State, Turn, notation};

use crate::{Game, Node, Player, Profile, Sequences, Tree};

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

/// Error for a game definition without exactly two players.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the game has {0} players: only games of two can be solved")]
pub struct NotTwoPlayers(pub usize);

/// Error for a policy that is not a strategy of the game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at '{infoset}' the strategy is not a distribution over legal actions")]
pub struct NotAStrategy {
    /// The information set: cards, board, betting.
    pub infoset: String,
}

/// A state of the game: seats without cards are dealt to first.
#[derive(Debug, Clone)]
pub struct Point(State);

impl Dealt {
    /// The extensive game of this definition.
    pub fn new(def: Arc<GameDef>) -> Result<Dealt, NotTwoPlayers> {
        if def.players != 2 {
            return Err(NotTwoPlayers(def.players));
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
    /// [`NotAStrategy`] when the policy does not give a distribution over legal actions.
    pub fn profile(
        &self,
        tree: &Tree,
        game: &Sequences,
        policy: &dyn Policy,
    ) -> Result<Profile, NotAStrategy> {
        let mut profile = Profile::uniform(game);
        for (player, seat) in Player::BOTH.into_iter().zip(Seat::all(2)) {
            let infosets = tree.infosets(player).iter().zip(game.choices(player));
            for (infoset, choice) in infosets {
                let refuse = || NotAStrategy { infoset: infoset.name.clone() };
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
