//! Counting all deals on several threads: for the best response of a player who sees the agent's
//! buckets instead of cards, and for the exact fitness of rules.

use std::fmt;

use abstraction::buckets::Buckets;
use cards::{Board, CardSet};
use game::{GameDef, Seat, Street};
use matches::runner::Stop;
use serde::Serialize;
use show::number::whole;
use solvers::Player;
use solvers::abstracted::best_response::{PathProbabilities, check_buckets};
use solvers::counting::{ClassCounts, Counting, DEALS, Sum};
use solvers::strategy::TreeStrategy;

use crate::Error;
use crate::best_response::FigureReport;
use crate::folder::measure_each;

/// The error for an agent that does not play by buckets.
pub fn not_by_buckets() -> Error {
    Error::new(
        "the agent does not play by buckets: only `cfr` has them, in the betting tree that it was \
         trained in",
    )
}

/// The progress of a run.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Kinds of flops counted so far.
    pub known: usize,
    /// All kinds of flops.
    pub needed: usize,
}

/// The result of the measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figures {
    /// The value of a best response against the agent, by seat, in chips a hand.
    pub best: [f64; 2],
    /// The value of the agent against itself, by seat, in chips a hand.
    pub own: [f64; 2],
    /// The number of sequences of buckets up to each street.
    pub paths: [usize; 4],
    /// Information sets in which the agent is taken to call, because it looks at the cards there.
    pub guessed: u64,
}

/// Measures the best response of a player who sees the agent's buckets, over all deals, on
/// `threads` threads; the result does not depend on their number. `None` when it was stopped.
/// `report` is called about ten times a second.
///
/// # Errors
/// When the agent does not play by buckets, or there are too many.
pub fn best_response(
    strategy: &dyn TreeStrategy,
    threads: usize,
    stop: &Stop,
    report: &mut dyn FnMut(&Progress),
) -> Result<Option<Figures>, Error> {
    let agent = strategy.in_buckets().ok_or_else(not_by_buckets)?;
    check_buckets(agent.buckets)?;
    let count = |flop: CardSet| ClassCounts::of_paths(agent.buckets, &board(flop));
    let check = |sum: &Sum, flop: CardSet| sum.check_paths(&board(flop));
    let Some(sum) = each_flop(&Counting::flops(), threads, stop, report, count, check)? else {
        return Ok(None);
    };
    let (probabilities, tree) = (PathProbabilities::new(&sum.finish()?), strategy.tree());
    let own = probabilities.value(tree, agent.strategy, Player::First);
    Ok(Some(Figures {
        best: Player::BOTH.map(|seat| probabilities.best_response(tree, agent.strategy, seat).won),
        own: [own, -own],
        paths: Street::ALL.map(|street| probabilities.count(street)),
        guessed: agent.guessed,
    }))
}

/// Counts all deals for the fitness of rules, or those of `flops` flops spread over all, on
/// `threads` threads; the result does not depend on their number. `None` when it was stopped.
/// `report` is called about ten times a second.
///
/// # Errors
/// When the street has no board, or there are too many classes or buckets.
pub fn count(
    counting: &Counting<'_>,
    flops: Option<usize>,
    threads: usize,
    stop: &Stop,
    report: &mut dyn FnMut(&Progress),
) -> Result<Option<ClassCounts>, solvers::Error> {
    let mut kinds = Counting::flops();
    if let Some(few) = flops {
        let every = kinds.len() / few.clamp(1, kinds.len());
        kinds = kinds.into_iter().step_by(every).take(few.max(1)).collect();
    }
    let count = |flop: CardSet| counting.on_flop(flop);
    let Some(sum) = each_flop(&kinds, threads, stop, report, count, |_, _| Ok(()))? else {
        return Ok(None);
    };
    if flops.is_some() { Ok(Some(sum.counts())) } else { sum.finish().map(Some) }
}

/// The sum of the counts of these flops, each multiplied by the number of flops that it stands for;
/// `None` when it was stopped. `check` is called after a flop was added.
fn each_flop(
    kinds: &[(CardSet, i64)],
    threads: usize,
    stop: &Stop,
    report: &mut dyn FnMut(&Progress),
    count: impl Fn(CardSet) -> Result<ClassCounts, solvers::Error> + Sync,
    check: impl Fn(&Sum, CardSet) -> Result<(), solvers::Error>,
) -> Result<Option<Sum>, solvers::Error> {
    let mut progress = Progress { known: 0, needed: kinds.len() };
    report(&progress);
    let mut sum = Sum::default();
    let one = |&(flop, times): &(CardSet, i64)| count(flop).map(|counts| (flop, times, counts));
    measure_each(kinds, threads, stop, one, |counted| {
        if let Some((flop, times, counts)) = counted {
            sum.add(&counts, times)?;
            check(&sum, flop)?;
            progress.known += 1;
        }
        report(&progress);
        Ok(())
    })?;
    Ok((progress.known == progress.needed).then_some(sum))
}

/// The board of a flop.
fn board(flop: CardSet) -> Board {
    let cards: Vec<_> = flop.iter().collect();
    Board::new(&cards).expect("three cards")
}

/// The best response that sees buckets.
#[derive(Serialize)]
pub struct InBucketsReport<'a> {
    agent: &'a str,
    game: &'a str,
    menu: String,
    tree_sha256: String,
    buckets_sha256: Option<&'a str>,
    /// The number of decision nodes of the tree.
    decisions: u64,
    infosets: u64,
    guessed: u64,
    paths: [usize; 4],
    deals: u64,
    best: FigureReport<Amount>,
    own: FigureReport<Amount>,
    seconds: f64,
    #[serde(skip)]
    def: &'a GameDef,
}

impl<'a> InBucketsReport<'a> {
    /// The report of what was found against an agent of this name, in so many seconds.
    pub fn new(
        agent: &'a str,
        game: &'a str,
        def: &'a GameDef,
        strategy: &'a dyn TreeStrategy,
        found: &Figures,
        seconds: f64,
    ) -> InBucketsReport<'a> {
        let figure = |chips: [f64; 2]| FigureReport {
            both: Amount::new((chips[0] + chips[1]) / 2.0, def),
            seats: chips.map(|chips| Amount::new(chips, def)),
        };
        let (tree, buckets) = (strategy.tree(), strategy.in_buckets().map(|agent| agent.buckets));
        let size = tree.size();
        let infosets = buckets.map_or(0, |buckets| {
            let counts = Street::ALL.map(|street| buckets.count(street));
            size.infosets(counts).iter().sum::<u128>()
        });
        InBucketsReport {
            agent,
            game,
            menu: tree.menu().to_string(),
            tree_sha256: tree.hash(),
            buckets_sha256: buckets.map(Buckets::hash),
            decisions: size.decisions.iter().sum(),
            infosets: u64::try_from(infosets).unwrap_or(u64::MAX),
            guessed: found.guessed,
            paths: found.paths,
            deals: DEALS,
            best: figure(found.best),
            own: figure(found.own),
            seconds,
            def,
        }
    }
}

/// What is won per hand.
#[derive(Clone, Copy, Serialize)]
struct Amount {
    chips: f64,
    mbb: f64,
}

impl Amount {
    fn new(chips: f64, def: &GameDef) -> Amount {
        Amount { chips, mbb: 1000.0 * chips / f64::from(def.big_blind()) }
    }
}

impl fmt::Display for InBucketsReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InBucketsReport { agent, game, best, own, .. } = self;
        let [preflop, flop, turn, river] = self.paths;
        write!(
            f,
            "{agent}, best response that sees buckets, {game}\n\
             {} decisions, {} information sets; {preflop}, {flop}, {turn} and {river} paths of \
             buckets up to each street\n\
             all {} deals, exact, {:.0} s\n\n",
            whole(self.decisions),
            whole(self.infosets),
            whole(DEALS),
            self.seconds,
        )?;
        let mut rows = vec![("both seats".to_owned(), [best.both, own.both])];
        for (at, won) in best.seats.into_iter().zip(own.seats).enumerate() {
            let seat = Seat::new(at).expect("a seat of two players");
            rows.push((format!("  in seat {at}, {}", self.def.position(seat)), won.into()));
        }
        let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or_default();
        let heads = ["the best response", "the agent itself"];
        writeln!(f, "{:widest$}  {:>23}  {:>23}", "", heads[0], heads[1])?;
        write!(f, "{:widest$}", "what it wins")?;
        f.write_str(&format!("  {:>10}  {:>11}", "mbb/hand", "chips/hand").repeat(2))?;
        for (name, won) in rows {
            write!(f, "\n{name:widest$}")?;
            for Amount { mbb, chips } in won {
                write!(f, "  {mbb:>+10.2}  {chips:>+11.5}")?;
            }
        }
        f.write_str(
            "\n\nAn opponent who sees the agent's buckets, remembers them and knows its \
                 strategy can win this much\n\
                 with the bets of this tree, and no more.\n",
        )?;
        if self.guessed > 0 {
            write!(
                f,
                "In {} information sets the agent is taken to call: training never reached them, \
                 and in play\n\
                 the odds of its cards decide.\n",
                whole(self.guessed)
            )?;
        }
        Ok(())
    }
}
