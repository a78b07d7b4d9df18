//! A value function: the expected values of two known hands when both sides play a blueprint from
//! here on.
//!
//! With two hands and a complete board each side is in one bucket on each street, and the
//! blueprint's expected winnings from a node of its betting tree on are computed by traversing the
//! subtree with both sides' probabilities. A state's value is the mean of that over completions of
//! its board: on the turn all 44 rivers, on the flop each of the 45 turn cards with a river, before
//! the flop 54 boards. They are sampled with a seed made of the cards seen and a number from the
//! caller, and are the same for all states of a street, so that most of their error cancels between
//! one state and the next. The part that is linear in the pot share is corrected to the exact
//! share.
//!
//! - Actions with a reach probability of less than [`MIN_REACH`] below the start are dropped, and
//!   the remaining ones renormalised.
//! - [Strategies of agents](BlueprintValues::between) can replace the blueprint's, mapped to its
//!   tree: queried for buckets, or for the actual hands on the actual boards, on any street.
//! - Off-tree bets are mapped to the [nearest](abstraction::translate::reached), and the pot shares
//!   at the tree's node are applied to the hand's pot.
//! - Where training never came, both sides check or call.
//!
//! A value function need not be accurate, only fixed: all of this is part of its name.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use abstraction::betting::{BettingTree, NodeKind, game_hash};
use abstraction::buckets::{Buckets, DealtCards};
use abstraction::translate::{pseudo_harmonic, reached, translate};
use cards::{Card, CardSet, Combo, HoleCards, Ties, all_in, evaluate};
use game::{
    Action, DealValues, GameDef, InfoSet, Policy, PublicState, Seat, Strategy, Street, Turn,
    ValueFunction,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use super::deals::{Deal, draw, mixed};
use super::tree::{Layout, MAX_ACTIONS, buckets_of};
use crate::Error;

/// Version of the method described above.
const VERSION: u32 = 1;

/// Minimum reach probability of actions that are followed.
const MIN_REACH: f32 = 0.004;

/// The number of hands that pay for tables of buckets.
const MANY_HANDS: u64 = 2_000;

/// The sum of the shares of a decision's actions.
const WHOLE: u32 = 255;

/// The values of a blueprint, or of strategies mapped to its betting tree and buckets. Takes the
/// memory of the blueprint, and for many hands that of [bucket tables](Buckets::deal), too, some 65
/// MB together.
pub struct BlueprintValues {
    name: String,
    tables: Arc<Tables>,
    /// The strategy of each entrant.
    sides: [Arc<Side>; 2],
}

/// An abstract game: its tree and buckets.
struct Tables {
    tree: BettingTree,
    layout: Layout,
    buckets: Arc<Buckets>,
    /// The hands that represent each bucket, found when a strategy is first asked for them.
    held: OnceLock<Arc<Representatives>>,
}

/// The cards for which strategies are queried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StrategyQuery {
    /// Three representative hands of each bucket, each queried once.
    Buckets,
    /// Both hands of the deal on each sampled board; a strategy that depends on buckets only is
    /// queried for those.
    Cards,
}

/// The strategy of an entrant.
enum Side {
    /// That of a blueprint, or one queried for buckets.
    Buckets(Rows, Option<AgentStrategy>),
    /// One queried for the actual cards.
    Cards(AgentStrategy),
}

/// The shares in 255ths of all slots of the layout; all 0 where unknown or not queried yet.
type Rows = Box<[AtomicU8]>;

impl BlueprintValues {
    /// The values of the strategy whose action probabilities, in 255ths, `shares` gives for a node
    /// and a bucket; all 0 or `None` where unknown.
    ///
    /// # Errors
    /// When the game is not heads-up hold'em.
    pub fn new<'a>(
        tree: BettingTree,
        buckets: Buckets,
        shares: impl Fn(&BettingTree, u32, u32) -> Option<&'a [u8]>,
    ) -> Result<BlueprintValues, Error> {
        let buckets = Arc::new(buckets);
        if let Some(wrong) = tree.def().differs_from_holdem() {
            return Err(Error::new(format!(
                "values are those of heads-up hold'em, and the game has {wrong}"
            )));
        }
        let layout = Layout::in_chips(&tree, buckets_of(&tree, |street| buckets.count(street)));
        let layout = layout.expect("a blueprint's tree has few enough actions and buckets");
        let tables = Tables { tree, layout, buckets, held: OnceLock::new() };
        let rows = rows(&tables);
        let mut hash = Sha256::new();
        let (tree, buckets) = (&tables.tree, &tables.buckets);
        hash.update(format!("cardroom values {VERSION}\n{}\n{}\n", tree.hash(), buckets.hash()));
        for (number, node) in (0..).zip(tree.nodes()) {
            let NodeKind::Decision { street, .. } = node.kind else { continue };
            for bucket in 0..buckets.count(Street::ALL[usize::from(street)]) {
                let Some(shares) = shares(tree, number, bucket) else { continue };
                hash.update(shares);
                let layout = &tables.layout;
                let at = layout.first_slot(layout.nodes[number as usize], bucket);
                for (to, &share) in rows[at..].iter().zip(shares) {
                    to.store(share, Relaxed);
                }
            }
        }
        let name = format!("blueprint {}", &hexadecimal(&hash.finalize())[..12]);
        let side = Arc::new(Side::Buckets(rows, None));
        Ok(BlueprintValues { name, tables: Arc::new(tables), sides: [Arc::clone(&side), side] })
    }

    /// The values when the entrants play these strategies, and the blueprint where none is given.
    /// Strategies are queried on demand; off-tree bets are split between their two neighbours.
    /// `what` names both in the function's name.
    pub fn between(
        &self,
        policies: [Option<Arc<dyn Policy>>; 2],
        query: StrategyQuery,
        what: &str,
    ) -> BlueprintValues {
        let tables = Arc::clone(&self.tables);
        let side = |policy| {
            let asked = AgentStrategy::new(&tables, policy);
            Arc::new(match query {
                StrategyQuery::Cards if !asked.depends_on_buckets_only(&tables) => {
                    Side::Cards(asked)
                }
                StrategyQuery::Cards | StrategyQuery::Buckets => {
                    Side::Buckets(rows(&tables), Some(asked))
                }
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

/// Rows of strategies that are not known yet.
fn rows(tables: &Tables) -> Rows {
    std::iter::repeat_with(AtomicU8::default).take(tables.layout.slots as usize).collect()
}

/// A traversal of the tree with the hands of a deal.
struct Walker<'a> {
    tables: &'a Tables,
    /// The strategy of each seat.
    sides: [&'a Side; 2],
    holes: [Combo; 2],
    /// Entries by seat: a cache of the answers of a strategy queried for the actual cards, by node
    /// and board.
    answers: [HashMap<(u32, CardSet), [u8; MAX_ACTIONS]>; 2],
}

impl Walker<'_> {
    /// Seat 0's expected winnings in chips from a node on, which is reached with probability
    /// `reach`.
    fn walk(&mut self, at: u32, deal: &Deal, board: &[Card; 5], reach: f32) -> f32 {
        let layout = &self.tables.layout;
        let node = layout.nodes[at as usize];
        if node.is_end() {
            return node.won(f32::from(deal.shown));
        }
        let (seat, street) = (node.seat(), node.street());
        let mut buffer = [0; MAX_ACTIONS];
        let shares = &mut buffer[..node.actions()];
        match self.sides[seat] {
            Side::Buckets(rows, asked) => {
                let bucket = deal.buckets[seat][street];
                let row = &rows[layout.first_slot(node, bucket)..][..shares.len()];
                let mut whole = 0;
                for (share, known) in shares.iter_mut().zip(row) {
                    *share = known.load(Relaxed);
                    whole += u32::from(*share);
                }
                // They may be incomplete while another thread stores them.
                if whole != WHOLE
                    && let Some(asked) = asked
                {
                    asked.probabilities(self.tables, at, bucket, shares);
                    row.iter()
                        .zip(&*shares)
                        .for_each(|(known, &share)| known.store(share, Relaxed));
                }
            }
            Side::Cards(asked) => {
                let (tables, hole) = (self.tables, self.holes[seat]);
                let sampled = tables.tree.def().board_len(Street::ALL[street]);
                let dealt: CardSet = board[..sampled].iter().copied().collect();
                let answer = self.answers[seat].entry((at, dealt)).or_insert_with(|| {
                    let mut answer = [0; MAX_ACTIONS];
                    asked.shares_of(tables, at, hole, board, &mut answer[..shares.len()]);
                    answer
                });
                shares.copy_from_slice(&answer[..shares.len()]);
            }
        }
        let first = node.first_child();
        let most = shares.iter().copied().max().unwrap_or_default();
        if most == 0 {
            let actions = self.tables.tree.actions(at);
            let call = actions.iter().position(|&action| action == Action::Call);
            return self.walk(first + call.unwrap_or_default() as u32, deal, board, reach);
        }
        let (mut total, mut sum) = (0.0, 0.0);
        for (child, &share) in (first..).zip(&*shares) {
            let weight = f32::from(share);
            let reach = reach * weight / WHOLE as f32;
            if share == most || reach >= MIN_REACH {
                total += weight;
                sum += weight * self.walk(child, deal, board, reach);
            }
        }
        sum / total
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

    fn prepare(&self, hands: u64) {
        if hands >= MANY_HANDS {
            self.tables.buckets.tabulate(|_| {});
        }
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
        Box::new(Values { walker, seed, sampled: [const { None }; 4] })
    }
}

/// The values of one hand, with the board samples so far.
struct Values<'a> {
    walker: Walker<'a>,
    seed: u64,
    sampled: [Option<SampledBoards>; 4],
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
        let sampled = sampled(&mut self.sampled, &self.walker, self.seed, public.board().set());
        let acting = matches!(public.turn(), Turn::Act(_));
        let over = public.turn() == Turn::Over;
        if over || !acting && seats.iter().any(|&seat| public.stack(seat) == 0) {
            return (2.0 * sampled.share - 1.0) * matched;
        }
        let node = reached(tree, public);
        let in_tree = tree.committed(node).map(f64::from);
        let walk = |(deal, board)| f64::from(self.walker.walk(node, deal, board, 1.0));
        let sum: f64 = sampled.deals.iter().zip(&sampled.boards).map(walk).sum();
        let won =
            sum / sampled.deals.len() as f64 + sampled.correction * in_tree[0].min(in_tree[1]);
        // The share of the tree's pot that this amounts to, applied to the hand's pot.
        let share = (won + in_tree[0]) / (in_tree[0] + in_tree[1]);
        share * (committed[0] + committed[1]) - committed[0]
    }
}

/// The board sample for this board, made on first use.
fn sampled<'a>(
    samples: &'a mut [Option<SampledBoards>; 4],
    walker: &Walker<'_>,
    seed: u64,
    board: CardSet,
) -> &'a SampledBoards {
    let street = match board.len() {
        0 => 0,
        len => (len as usize - 2).min(3),
    };
    let sampled = &mut samples[street];
    if sampled.as_ref().is_none_or(|sampled| sampled.board != board) {
        *sampled = Some(SampledBoards::new(&walker.tables.buckets, walker.holes, board, seed));
    }
    sampled.as_ref().expect("just made")
}

/// Number of boards sampled before the flop: nine from each shuffled deck.
const BOARDS: usize = 54;

/// Number of rivers sampled with each turn card on the flop.
const RIVERS: usize = 1;

/// The sampled boards of one state's board.
struct SampledBoards {
    board: CardSet,
    /// Seat 0's exact share of the pot.
    share: f64,
    /// Correction of the mean showdown result over the sampled boards to the exact one, per matched
    /// chip.
    correction: f64,
    deals: Vec<Deal>,
    /// The complete board of each deal.
    boards: Vec<[Card; 5]>,
}

impl SampledBoards {
    fn new(buckets: &Buckets, holes: [Combo; 2], board: CardSet, seed: u64) -> SampledBoards {
        let both = holes[0].set() | holes[1].set();
        let seed = mixed(mixed(seed, both.bits()), board.bits());
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let rest: Vec<Card> = (CardSet::FULL - both - board).iter().collect();
        let boards = endings(board, rest, &mut rng);
        let dealt: Vec<DealtCards> =
            boards.iter().map(|&board| DealtCards { holes, board }).collect();
        let mut deals = vec![Deal::default(); dealt.len()];
        buckets.deal(&dealt, |number, buckets| {
            let full: CardSet = dealt[number].board.iter().copied().collect();
            let [first, second] = holes.map(|hole| evaluate(hole.set() | full));
            deals[number] = Deal { buckets, shown: first.cmp(&second) as i8 };
        });
        let share =
            all_in(holes[0], holes[1], board).map_or(0.5, |counts| counts.value(Ties::Half));
        let shown: f64 = deals.iter().map(|deal| f64::from(deal.shown)).sum();
        let correction = 2.0 * share - 1.0 - shown / deals.len() as f64;
        SampledBoards { board, share, correction, deals, boards }
    }
}

/// Complete boards that extend a board: all of them, or a uniform sample.
fn endings(board: CardSet, mut rest: Vec<Card>, rng: &mut Pcg64Mcg) -> Vec<[Card; 5]> {
    let seen: Vec<Card> = board.iter().collect();
    let mut shuffle = |cards: &mut [Card]| {
        for at in (1..cards.len()).rev() {
            cards.swap(at, rng.random_range(0..=at as u32) as usize);
        }
    };
    match *seen.as_slice() {
        [a, b, c, d, e] => vec![[a, b, c, d, e]],
        [a, b, c, d] => rest.into_iter().map(|river| [a, b, c, d, river]).collect(),
        [a, b, c] => {
            shuffle(&mut rest);
            let pairs = (0..rest.len()).flat_map(|at| (1..=RIVERS).map(move |by| (at, by)));
            pairs.map(|(at, by)| [a, b, c, rest[at], rest[(at + by) % rest.len()]]).collect()
        }
        _ => {
            let mut boards = Vec::with_capacity(BOARDS);
            while boards.len() < BOARDS {
                shuffle(&mut rest);
                let whole =
                    rest.chunks_exact(5).map(|five| [five[0], five[1], five[2], five[3], five[4]]);
                boards.extend(whole.take(BOARDS - boards.len()));
            }
            boards
        }
    }
}

/// Number of hands that represent a bucket.
const HANDS: usize = 3;

/// Number of deals sampled to find them.
const DEALS: usize = 20_000;

/// Number of situations in which a strategy is tested for dependence on buckets only.
const TRIED: u64 = 500;

/// A hand and a complete board.
type RepresentativeHand = (Combo, [Card; 5]);

/// The hands that represent each bucket, by street and bucket.
type Representatives = [Vec<Vec<RepresentativeHand>>; 4];

/// The hands that represent each of these buckets: the first of a fixed sequence of deals.
fn representatives(buckets: &Buckets) -> Representatives {
    let mut held = Street::ALL.map(|street| vec![Vec::new(); buckets.count(street) as usize]);
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let dealt: Vec<DealtCards> = (0..DEALS).map(|_| draw(&mut rng)).collect();
    buckets.deal(&dealt, |number, buckets| {
        let DealtCards { holes, board } = dealt[number];
        for (hole, buckets) in holes.into_iter().zip(buckets) {
            for (held, bucket) in held.iter_mut().zip(buckets) {
                let held = &mut held[bucket as usize];
                if held.len() < HANDS {
                    held.push((hole, board));
                }
            }
        }
    });
    held
}

/// A strategy with the hands that represent each bucket.
struct AgentStrategy {
    policy: Arc<dyn Policy>,
    held: Arc<Representatives>,
}

impl AgentStrategy {
    fn new(tables: &Tables, policy: Arc<dyn Policy>) -> AgentStrategy {
        let held = tables.held.get_or_init(|| Arc::new(representatives(&tables.buckets)));
        AgentStrategy { policy, held: Arc::clone(held) }
    }

    /// The action probabilities of a decision for a bucket, in 255ths.
    fn probabilities(&self, tables: &Tables, node: u32, bucket: u32, shares: &mut [u8]) {
        let mut weights = vec![0.0; shares.len()];
        for &(hole, board) in &self.held[tables.tree.street(node).index()][bucket as usize] {
            self.add_weights(tables, node, hole, &board, &mut weights);
        }
        round(&weights, tables.tree.actions(node), shares);
    }

    /// The action probabilities of a decision for these hole cards, in 255ths; of `board` only the
    /// cards dealt at the node are used.
    fn shares_of(
        &self,
        tables: &Tables,
        node: u32,
        hole: Combo,
        board: &[Card; 5],
        shares: &mut [u8],
    ) {
        let mut weights = [0.0; MAX_ACTIONS];
        let weights = &mut weights[..shares.len()];
        self.add_weights(tables, node, hole, board, weights);
        round(weights, tables.tree.actions(node), shares);
    }

    /// Adds the strategy with these cards to weights of the decision's actions.
    fn add_weights(
        &self,
        tables: &Tables,
        node: u32,
        hole: Combo,
        board: &[Card; 5],
        weights: &mut [f64],
    ) {
        let public = tables.tree.state_on(node, board);
        let (Some(hole), Turn::Act(seat)) = (HoleCards::new(&hole.cards()), public.turn()) else {
            return;
        };
        let strategy = self.policy.strategy(&InfoSet { public: public.clone(), seat, hole });
        add(&public, seat, tables.tree.actions(node), &strategy, weights);
    }

    /// Whether the strategy was the same for all hands of a bucket in all tested situations.
    fn depends_on_buckets_only(&self, tables: &Tables) -> bool {
        let tree = &tables.tree;
        let nodes = tree.nodes().len() as u64;
        (0..TRIED).all(|number| {
            let drawn = mixed(number, nodes);
            let node = (drawn % nodes) as u32;
            let actions = tree.actions(node);
            let held = &self.held[tree.street(node).index()];
            let (false, held) = (actions.is_empty(), &held[(drawn >> 32) as usize % held.len()])
            else {
                return true;
            };
            let mut first = None;
            held.iter().all(|&(hole, board)| {
                let mut weights = vec![0.0; actions.len()];
                self.add_weights(tables, node, hole, &board, &mut weights);
                *first.get_or_insert_with(|| weights.clone()) == weights
            })
        })
    }
}

/// Adds a strategy over the hand's actions to weights of the tree's actions.
fn add(
    public: &PublicState,
    seat: Seat,
    actions: &[Action],
    strategy: &Strategy,
    weights: &mut [f64],
) {
    let (highest, own) = (f64::from(public.highest()), f64::from(public.committed()[seat]));
    let pot = public.pot() as f64 + highest - own;
    // A call is a raise of size zero.
    let size = |action: &Action| match action {
        Action::RaiseTo(total) => (f64::from(*total) - highest) / pot,
        Action::Fold | Action::Call => 0.0,
    };
    let call = actions.iter().position(|&action| action == Action::Call).unwrap_or_default();
    let sizes: Vec<f64> = actions[call..].iter().map(size).collect();
    let legal = public.legal();
    for &(action, p) in &strategy.actions {
        let action = legal.nearest(action);
        match actions.iter().position(|&known| known == action) {
            Some(index) => weights[index] += p,
            None if matches!(action, Action::RaiseTo(_)) => {
                let bet = size(&action);
                let smaller = translate(&sizes, bet, 0.0);
                let share = sizes
                    .get(smaller + 1)
                    .map_or(1.0, |&larger| pseudo_harmonic(sizes[smaller], larger, bet));
                weights[call + smaller] += p * share;
                if share < 1.0 {
                    weights[call + smaller + 1] += p * (1.0 - share);
                }
            }
            None => weights[call] += p,
        }
    }
}

/// Rounds weights to shares that sum to 255; a call where there are no weights.
fn round(weights: &[f64], actions: &[Action], shares: &mut [u8]) {
    let total: f64 = weights.iter().sum();
    shares.fill(0);
    if total > 0.0 {
        for (share, weight) in shares.iter_mut().zip(weights) {
            *share = (f64::from(WHOLE) * weight / total) as u8;
        }
    }
    let given: u32 = shares.iter().map(|&share| u32::from(share)).sum();
    let call = actions.iter().position(|&action| action == Action::Call).unwrap_or_default();
    let most = (0..shares.len()).rev().max_by_key(|&index| shares[index]).unwrap_or_default();
    let rest = if total > 0.0 { most } else { call };
    shares[rest] += (WHOLE - given) as u8;
}
