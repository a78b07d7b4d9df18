//! Fast evaluation of decision lists on a fixed set of deals against an opponent, for searches that
//! compare thousands of them.
//!
//! A hand is a tree of the lists' own decisions: between two of them the cards are fixed, and the
//! opponent samples from the same random numbers whenever it comes to the same decision. The tree
//! grows where lists first go and is kept, so that a list that goes where others went costs a walk
//! over some nodes, a microsecond a hand, without asking the opponent. Random choices of the lists
//! are not sampled: all branches count with their probabilities. All-ins count with their
//! expectation over the cards to come.
//!
//! A list that is the best of many on some deals looks better there than it is: measure it on
//! others.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use abstraction::facts::Texture;
use agents::{act_made_legal, situation};
use game::{Action, GameDef, InfoSet, Policy, PublicState, Seat, Street, Turn};
use logs::Rate;
use matches::runner::Stop;
use matches::table::Deal;
use readable::heuristic::{Act, Decider, Rulebook, Situation};

use crate::folder::measure_each;
use crate::hands::{Hands, Reached, ask};
use crate::{Error, Settings};

/// Deals that a thread plays at a time.
const BLOCK: u64 = 128;

/// The end of a list of edges.
const NONE: u32 = u32::MAX;

/// A set of deals against an opponent, with the decision trees grown so far.
pub struct Practice<'a> {
    def: &'a Arc<GameDef>,
    opponent: &'a dyn Policy,
    dry: Texture,
    settings: Settings,
    blocks: Vec<Mutex<Block>>,
}

/// The target of a choice.
#[derive(Debug, Clone, Copy)]
enum Link {
    /// The end of the hand, with the chips won.
    End(f64),
    /// The next decision of the lists.
    Node(u32),
}

/// A decision of the lists in a hand's tree.
struct Node {
    situation: Situation,
    street: u8,
    /// The index of its first edge.
    edges: u32,
    /// The index of its hand in the block.
    hand: u32,
    /// The actions before it.
    history: Box<[Action]>,
}

/// An edge of the tree: an act at a node and its target.
#[derive(Clone, Copy)]
struct Edge {
    act: Act,
    to: Link,
    /// The index of the node's next edge.
    next: u32,
}

/// A deal seen from one of its seats.
struct Hand {
    deal: u64,
    cards: Deal,
    seat: Seat,
    root: Link,
}

#[derive(Default)]
struct Block {
    hands: Vec<Hand>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl<'a> Practice<'a> {
    /// A set of deals, without trees. `dry` defines which boards are dry, for the lists'
    /// situations.
    ///
    /// # Errors
    /// When the game is not for two, or the hands are odd or none.
    pub fn new(
        def: &'a Arc<GameDef>,
        opponent: &'a dyn Policy,
        dry: Texture,
        settings: Settings,
    ) -> Result<Practice<'a>, Error> {
        let blocks = settings.deals(def)?.div_ceil(BLOCK);
        let blocks = (0..blocks).map(|_| Mutex::default()).collect();
        Ok(Practice { def, opponent, dry, settings, blocks })
    }

    /// The win rates of these books in mbb/hand on the first deals, at least `deals` of them; a
    /// group is a deal, two hands. `None` when it was stopped.
    ///
    /// # Errors
    /// When a book lacks a street, or cannot be played in the game.
    pub fn rates(
        &self,
        books: &[Rulebook],
        deals: u64,
        stop: &Stop,
    ) -> Result<Option<Vec<Rate>>, readable::Error> {
        let ready = |book: &Rulebook| {
            book.require(&Street::ALL)?;
            book.check(self.def.betting)?;
            Ok(book.streets().map(|(_, list)| Decider::new(list)).collect())
        };
        let ready = books.iter().map(ready).collect::<Result<Vec<Vec<Decider>>, _>>()?;
        let last = (deals.div_ceil(BLOCK) as usize).clamp(1, self.blocks.len());
        let indices: Vec<usize> = (0..last).collect();
        let mut found: Vec<Option<Vec<[f64; 2]>>> = vec![None; last];
        let work = |&index: &usize| Ok::<_, Infallible>((index, self.block(index, &ready)));
        let Ok(()) = measure_each(&indices, self.settings.jobs, stop, work, |done| {
            if let Some((index, sums)) = done {
                found[index] = Some(sums);
            }
            Ok(())
        });
        let Some(found) = found.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
        let played = (last as u64 * BLOCK).min(self.settings.hands / 2);
        let rate = |book: usize| {
            let [sum, squares] = found.iter().fold([0.0; 2], |[sum, squares], block| {
                [sum + block[book][0], squares + block[book][1]]
            });
            let (n, big_blind) = (played as f64, f64::from(self.def.big_blind()));
            let mean = sum / n;
            let spread = (squares / n - mean * mean).max(0.0) / (n - 1.0).max(1.0);
            let mbb = 1_000.0 / big_blind;
            Rate::from_error(mbb * mean, mbb * spread.sqrt(), 2 * played, played)
        };
        Ok(Some((0..books.len()).map(rate).collect()))
    }

    /// For each book the sum of its winnings per hand over a block's deals, in chips, and the sum
    /// of squares.
    fn block(&self, index: usize, books: &[Vec<Decider>]) -> Vec<[f64; 2]> {
        let mut block = parallel::lock(&self.blocks[index]);
        let mut hands = Hands::new(self.def, self.settings.seed);
        let mut builder = TreeBuilder { practice: self, hands: &mut hands };
        if block.hands.is_empty() {
            let first = index as u64 * BLOCK;
            for deal in first..(first + BLOCK).min(self.settings.hands / 2) {
                let cards = builder.hands.deal(deal);
                for seat in [0, 1].map(|seat| Seat::new(seat).expect("a game of two")) {
                    let hand = block.hands.len() as u32;
                    block.hands.push(Hand { deal, cards, seat, root: Link::End(0.0) });
                    let begun = PublicState::new(self.def);
                    block.hands[hand as usize].root = builder.advance(&mut block, hand, begun);
                }
            }
        }
        let block = &mut *block;
        let (mut open, mut parts) = (Vec::new(), Vec::new());
        let mut sums = Vec::new();
        for deciders in books {
            let [mut sum, mut squares] = [0.0; 2];
            for deal in 0..block.hands.len() / 2 {
                let mut won = 0.0;
                open.extend([0, 1].map(|seat| (1.0, block.hands[2 * deal + seat].root)));
                while let Some((chance, link)) = open.pop() {
                    let node = match link {
                        Link::End(chips) => {
                            won += chance * chips;
                            continue;
                        }
                        Link::Node(node) => node,
                    };
                    let Node { situation, street, .. } = block.nodes[node as usize];
                    let part = |_, share: f64, act| parts.push((chance * share, act));
                    deciders[usize::from(street)].outcomes(situation, part);
                    for (chance, act) in parts.drain(..).filter(|(chance, _)| *chance > 0.0) {
                        open.push((chance, builder.follow(block, node, act)));
                    }
                }
                // The mean of the two hands.
                let won = 0.5 * won;
                sum += won;
                squares += won * won;
            }
            sums.push([sum, squares]);
        }
        sums
    }
}

/// The builder of the trees of hands.
struct TreeBuilder<'g, 'a> {
    practice: &'g Practice<'a>,
    hands: &'g mut Hands<'a>,
}

impl TreeBuilder<'_, '_> {
    /// The target of an act at a node.
    fn follow(&mut self, block: &mut Block, node: u32, act: Act) -> Link {
        let mut edge = block.nodes[node as usize].edges;
        while edge != NONE {
            let known = block.edges[edge as usize];
            if known.act == act {
                return known.to;
            }
            edge = known.next;
        }
        let to = self.beyond(block, node, act);
        let next =
            std::mem::replace(&mut block.nodes[node as usize].edges, block.edges.len() as u32);
        block.edges.push(Edge { act, to, next });
        to
    }

    /// The target of an act that was not taken there before.
    fn beyond(&mut self, block: &mut Block, node: u32, act: Act) -> Link {
        let Node { hand, edges, ref history, .. } = block.nodes[node as usize];
        let mut public = PublicState::new(self.practice.def);
        let board = &block.hands[hand as usize].cards.board;
        let dealt = |public: &mut PublicState| {
            while matches!(public.turn(), Turn::Deal(_)) {
                public.deal_from(board).expect("a deal has a whole board");
            }
        };
        for &action in history {
            dealt(&mut public);
            public.apply_unchecked(action);
        }
        dealt(&mut public);
        let action = act_made_legal(act, &public);
        // Another act may give the same action.
        let mut edge = edges;
        while edge != NONE {
            let known = block.edges[edge as usize];
            if act_made_legal(known.act, &public) == action {
                return known.to;
            }
            edge = known.next;
        }
        public.apply_unchecked(action);
        self.advance(block, hand, public)
    }

    /// Plays a hand up to the lists' next decision.
    fn advance(&mut self, block: &mut Block, hand: u32, public: PublicState) -> Link {
        let Hand { deal, ref cards, seat, .. } = block.hands[hand as usize];
        let opponent = self.practice.opponent;
        let act = |infoset: &InfoSet, points: [f64; 2]| {
            (infoset.seat != seat).then(|| ask(opponent, infoset).sample(points[0]))
        };
        match self.hands.advance(cards, deal, public, act) {
            Reached::End(payoffs) => Link::End(payoffs[seat].chips()),
            Reached::Decision(infoset) => {
                let node = Node {
                    situation: situation(&infoset, self.practice.dry),
                    street: infoset.public.street().index() as u8,
                    edges: NONE,
                    hand,
                    history: infoset.public.history().iter().map(|played| played.action).collect(),
                };
                block.nodes.push(node);
                Link::Node(block.nodes.len() as u32 - 1)
            }
        }
    }
}
