//! What hands are worth if both sides play a blueprint from here on, both hands known: a value
//! function.
//!
//! With two hands and a whole board each side is in one bucket on each street, and what the
//! blueprint wins from a node of its betting tree on is found by walking the tree below with both
//! sides' probabilities. A state's value is the mean of that over boards that its board can become:
//! on the turn all 44 rivers, on the flop each of the 45 turn cards with a river, before the flop
//! 54 boards. They are drawn with a seed made of the cards seen and a number that
//! the caller gives, and are the same for all states of a street, so that most of what they err by
//! cancels between one state and the next. What is linear in the share of the pot is corrected to
//! the exact share.
//!
//! - Actions by which play comes below a node with a probability of less than [`LEAST`] are left
//!   out, and those kept take their place.
//! - [Strategies of agents](BlueprintValues::between) take the place of the blueprint's, seen in
//!   its tree: asked for buckets, or for the very hands on the very boards, whatever the street.
//! - Bets off the tree are read as those [nearest](abstraction::translate::reached), and the shares
//!   of the pot that the tree's node is worth are taken of the hand's pot.
//! - Where training has never been, both check or call.
//!
//! A value function need not be right, only fixed: all of this is part of its name.

mod asked;
mod boards;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use abstraction::betting::{BettingTree, NodeKind, game_hash};
use abstraction::buckets::Buckets;
use abstraction::translate::reached;
use cards::{Card, CardSet, Combo, HoleCards};
use game::{Action, DealValues, GameDef, Policy, PublicState, Seat, Street, Turn, ValueFunction};
use sha2::{Digest, Sha256};

use super::deals::Deal;
use super::layout::MOST_ACTIONS;
use super::{HoldemDeals, NotHoldem};

use asked::Asked;
use boards::Seen;

/// The version of all that stands above.
const VERSION: u32 = 1;

/// The probability below which play is not followed.
const LEAST: f32 = 0.004;

/// What the shares of a decision's actions sum to.
const WHOLE: u32 = 255;

/// The values of a blueprint, or of strategies seen in its betting tree and buckets. Takes the
/// memory of the blueprint and of [bucket tables](Buckets::tabulate), some 65 MB.
pub struct BlueprintValues {
    name: String,
    tables: Arc<Tables>,
    /// The strategies of the entrants.
    sides: [Arc<Side>; 2],
}

/// An abstract game.
struct Tables {
    tree: BettingTree,
    nodes: Vec<Node>,
    /// Of each street.
    slots: [usize; 4],
    buckets: Arc<Buckets>,
}

/// A decision or an end.
#[derive(Clone, Copy)]
enum Node {
    /// A decision: its first child, its first slot on its street, and the place of the call.
    Decision { first: u32, slot: u32, actions: u8, call: u8, seat: u8, street: u8 },
    /// An end: the chips that seat 0 wins whatever the cards, and that the better hand wins.
    End { fixed: f32, shown: f32 },
}

/// For what cards strategies are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AskedFor {
    /// For three hands of each bucket, which stand for it: each only once.
    Buckets,
    /// For both hands of the deal on each board that is looked at; a strategy that goes by the
    /// buckets is asked for those.
    Cards,
}

/// A strategy.
enum Side {
    /// Of a blueprint, or of one that is asked for buckets.
    Buckets(Rows, Option<Asked>),
    /// One that is asked for the very cards.
    Cards(Asked),
}

/// By street: the shares of 255 of all its slots, bucket by bucket; all 0 where nothing is known,
/// or has not been asked yet.
type Rows = [Box<[AtomicU8]>; 4];

impl BlueprintValues {
    /// The values of the strategy that gives these shares of 255 of a decision's actions for a
    /// bucket, all 0 or none at all where nothing is known. Writes out the buckets of all hands, a
    /// second or two.
    ///
    /// # Errors
    /// When the game is not heads-up hold'em.
    pub fn new<'a>(
        tree: BettingTree,
        mut buckets: Buckets,
        shares: impl Fn(&BettingTree, u32, u32) -> Option<&'a [u8]>,
    ) -> Result<BlueprintValues, NotHoldem> {
        buckets.tabulate(|_| {});
        let buckets = Arc::new(buckets);
        HoldemDeals::new(tree.def(), Arc::clone(&buckets))?;
        let nodes = (0..tree.nodes().len() as u32).map(|node| flat(&tree, node)).collect();
        let slots = Street::ALL.map(|street| tree.slots(street) as usize);
        let tables = Tables { tree, nodes, slots, buckets };
        let rows = rows(&tables);
        let mut hash = Sha256::new();
        let (tree, buckets) = (&tables.tree, &tables.buckets);
        hash.update(format!("cardroom values {VERSION}\n{}\n{}\n", tree.hash(), buckets.hash()));
        for (number, node) in (0..).zip(tree.nodes()) {
            let NodeKind::Decision { street, first_slot, .. } = node.kind else { continue };
            let street = usize::from(street);
            for bucket in 0..buckets.count(Street::ALL[street]) {
                let Some(shares) = shares(tree, number, bucket) else { continue };
                hash.update(shares);
                let at = bucket as usize * tables.slots[street] + first_slot as usize;
                for (to, &share) in rows[street][at..].iter().zip(shares) {
                    to.store(share, Relaxed);
                }
            }
        }
        let hash: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        let name = format!("blueprint {}", &hash[..12]);
        let side = Arc::new(Side::Buckets(rows, None));
        Ok(BlueprintValues { name, tables: Arc::new(tables), sides: [Arc::clone(&side), side] })
    }

    /// The values if the entrants play these strategies, and the blueprint where none is given.
    /// Strategies are asked when values first need them; bets off the tree count for the two that
    /// they lie between. `what` names both in the function's name.
    pub fn between(
        &self,
        policies: [Option<Arc<dyn Policy>>; 2],
        asked_for: AskedFor,
        what: &str,
    ) -> BlueprintValues {
        let tables = Arc::clone(&self.tables);
        let side = |policy| {
            let asked = Asked::new(&tables, policy);
            Arc::new(match asked_for {
                AskedFor::Cards if !asked.goes_by_buckets(&tables) => Side::Cards(asked),
                AskedFor::Cards | AskedFor::Buckets => Side::Buckets(rows(&tables), Some(asked)),
            })
        };
        let mut sides = policies
            .into_iter()
            .zip(&self.sides)
            .map(|(policy, blueprint)| policy.map_or_else(|| Arc::clone(blueprint), side));
        let sides = [sides.next(), sides.next()].map(|side| side.expect("two entrants"));
        BlueprintValues { name: format!("{what} on {}", self.name), tables, sides }
    }
}

/// Strategies of which nothing is known yet.
fn rows(tables: &Tables) -> Rows {
    Street::ALL.map(|street| {
        let buckets = tables.buckets.count(street) as usize;
        let count = tables.slots[street.index()] * buckets;
        std::iter::repeat_with(AtomicU8::default).take(count).collect()
    })
}

/// Walks the tree with the hands of a deal.
struct Walker<'a> {
    tables: &'a Tables,
    /// The strategy of each seat.
    sides: [&'a Side; 2],
    holes: [Combo; 2],
    /// By seat: what a strategy asked for the very cards does at a node on a board.
    answers: [HashMap<(u32, CardSet), [u8; MOST_ACTIONS]>; 2],
}

impl Walker<'_> {
    /// What seat 0 wins from a node on, in chips, play getting there with probability `reach`.
    fn walk(&mut self, at: u32, deal: &Deal, board: &[Card; 5], reach: f32) -> f32 {
        let (first, slot, actions, call, seat, street) = match self.tables.nodes[at as usize] {
            Node::End { fixed, shown } => return fixed + shown * f32::from(deal.shown),
            Node::Decision { first, slot, actions, call, seat, street } => {
                (first, slot, actions, call, usize::from(seat & 1), usize::from(street & 3))
            }
        };
        let mut room = [0; MOST_ACTIONS];
        let shares = &mut room[..usize::from(actions)];
        match self.sides[seat] {
            Side::Buckets(rows, asked) => {
                let bucket = deal.buckets[seat][street];
                let from = bucket as usize * self.tables.slots[street] + slot as usize;
                let row = &rows[street][from..from + shares.len()];
                let mut whole = 0;
                for (share, known) in shares.iter_mut().zip(row) {
                    *share = known.load(Relaxed);
                    whole += u32::from(*share);
                }
                // While another thread writes them down they may not be whole.
                if whole != WHOLE
                    && let Some(asked) = asked
                {
                    asked.shares(self.tables, at, bucket, shares);
                    row.iter()
                        .zip(&*shares)
                        .for_each(|(known, &share)| known.store(share, Relaxed));
                }
            }
            Side::Cards(asked) => {
                let (tables, hole) = (self.tables, self.holes[seat]);
                let seen = tables.tree.def().board_len(Street::ALL[street]);
                let dealt: CardSet = board[..seen].iter().copied().collect();
                let answer = self.answers[seat].entry((at, dealt)).or_insert_with(|| {
                    let mut answer = [0; MOST_ACTIONS];
                    asked.shares_of(tables, at, hole, board, &mut answer[..shares.len()]);
                    answer
                });
                shares.copy_from_slice(&answer[..shares.len()]);
            }
        }
        let most = shares.iter().copied().max().unwrap_or_default();
        if most == 0 {
            return self.walk(first + u32::from(call), deal, board, reach);
        }
        let (mut total, mut sum) = (0.0, 0.0);
        for (child, &share) in (first..).zip(&*shares) {
            let weight = f32::from(share);
            let reach = reach * weight / WHOLE as f32;
            if share == most || reach >= LEAST {
                total += weight;
                sum += weight * self.walk(child, deal, board, reach);
            }
        }
        sum / total
    }
}

/// A node of the tree as it is walked.
fn flat(tree: &BettingTree, number: u32) -> Node {
    let node = tree.node(number);
    let matched = tree.committed(number).into_iter().min().unwrap_or_default() as f32;
    match node.kind {
        NodeKind::Decision { seat, street, first_slot, .. } => {
            let actions = tree.actions(number);
            let call = actions.iter().position(|&action| action == Action::Call);
            Node::Decision {
                first: node.children().start,
                slot: first_slot,
                actions: actions.len() as u8,
                call: call.unwrap_or_default() as u8,
                seat,
                street,
            }
        }
        NodeKind::Showdown => Node::End { fixed: 0.0, shown: matched },
        NodeKind::Fold { winner } => {
            Node::End { fixed: if winner == 0 { matched } else { -matched }, shown: 0.0 }
        }
    }
}

impl ValueFunction for BlueprintValues {
    fn name(&self) -> &str {
        &self.name
    }

    fn check_game(&self, def: &GameDef) -> Result<(), String> {
        let own = self.tables.tree.def();
        if game_hash(def) == game_hash(own) {
            return Ok(());
        }
        Err(format!(
            "the value function `{}` is for blinds {:?} and stacks {:?}, and this game has blinds \
             {:?} and stacks {:?}, or other rules",
            self.name, own.blinds, own.stacks, def.blinds, def.stacks
        ))
    }

    fn of_deal<'a>(
        &'a self,
        holes: [HoleCards; 2],
        entrants: [u8; 2],
        seed: u64,
    ) -> Box<dyn DealValues + 'a> {
        let combo = |hole: HoleCards| match hole.as_slice() {
            &[a, b] => Combo::new(a, b),
            _ => None,
        };
        let holes = holes.map(|hole| combo(hole).expect("hold'em hands have two cards"));
        let sides = entrants.map(|entrant| &*self.sides[usize::from(entrant & 1)]);
        let answers = [HashMap::new(), HashMap::new()];
        let walker = Walker { tables: &self.tables, sides, holes, answers };
        Box::new(Values { walker, seed, seen: [const { None }; 4] })
    }
}

/// The values of one hand, with the boards looked at so far.
struct Values<'a> {
    walker: Walker<'a>,
    seed: u64,
    seen: [Option<Seen>; 4],
}

impl DealValues for Values<'_> {
    fn value(&mut self, public: &PublicState) -> f64 {
        let seats = [0, 1].map(|seat| Seat::new(seat).expect("two seats"));
        let committed = seats.map(|seat| f64::from(public.committed()[seat]));
        let matched = committed[0].min(committed[1]);
        if public.folded().contains(seats[0]) {
            return -matched;
        }
        if public.folded().contains(seats[1]) {
            return matched;
        }
        let tree = &self.walker.tables.tree;
        let seen = seen(&mut self.seen, &self.walker, self.seed, public.board().set());
        let acting = matches!(public.turn(), Turn::Act(_));
        let over = public.turn() == Turn::Over;
        if over || !acting && seats.iter().any(|&seat| public.stack(seat) == 0) {
            return (2.0 * seen.share - 1.0) * matched;
        }
        let node = reached(tree, public);
        let in_tree = tree.committed(node).map(f64::from);
        let walk = |(deal, board)| f64::from(self.walker.walk(node, deal, board, 1.0));
        let sum: f64 = seen.deals.iter().zip(&seen.boards).map(walk).sum();
        let won = sum / seen.deals.len() as f64 + seen.correction * in_tree[0].min(in_tree[1]);
        // The share of the tree's pot that this is, taken of the hand's.
        let share = (won + in_tree[0]) / (in_tree[0] + in_tree[1]);
        share * (committed[0] + committed[1]) - committed[0]
    }
}

/// What is looked at on this board, made when it is first asked for.
fn seen<'a>(
    kept: &'a mut [Option<Seen>; 4],
    walker: &Walker<'_>,
    seed: u64,
    board: CardSet,
) -> &'a Seen {
    let street = match board.len() {
        0 => 0,
        len => (len as usize - 2).min(3),
    };
    let seen = &mut kept[street];
    if seen.as_ref().is_none_or(|seen| seen.board != board) {
        *seen = Some(Seen::new(&walker.tables.buckets, walker.holes, board, seed));
    }
    seen.as_ref().expect("just made")
}
