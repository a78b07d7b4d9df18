//! Any two-player game of the rules engine, with all deals and all bet sizes.

use std::sync::Arc;

use cards::{Card, HoleCards};
use game::{BySeat, GameDef, PublicState, Seat, State, Turn, notation};

use crate::{Game, Node, Player};

/// A two-player game of the rules engine as an extensive game: chance deals the hole cards of seat
/// 0, of seat 1, and the board street by street; every legal size of a raise is an action. The first
/// player is seat 0; winnings are in chips.
///
/// Cards of one deal in different order are one outcome. Meant for small games: the number of nodes
/// grows with the number of deals times that of betting sequences.
#[derive(Debug, Clone)]
pub struct Dealt {
    def: Arc<GameDef>,
}

/// A game definition with more or fewer players than two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the game has {0} players: only games of two can be solved")]
pub struct NotTwoPlayers(pub usize);

/// A point of the game: seats without cards are dealt to first.
#[derive(Debug, Clone)]
pub struct Point(State);

impl Dealt {
    /// The game of this definition.
    pub fn new(def: Arc<GameDef>) -> Result<Dealt, NotTwoPlayers> {
        if def.players != 2 {
            return Err(NotTwoPlayers(def.players));
        }
        Ok(Dealt { def })
    }

    /// Every way of drawing `count` of the cards that nobody holds.
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
        place: impl Fn(&mut State, &[Card]),
    ) -> Node<Point> {
        let draws = self.draws(state, count);
        let probability = 1.0 / draws.len() as f64;
        let outcome = |cards: &Vec<Card>| {
            let mut next = state.clone();
            place(&mut next, cards);
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
