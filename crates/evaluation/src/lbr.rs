//! Local best response against an agent, on any number of threads, recorded in a folder.
//!
//! Each deal is played twice: with the response in seat 0 and in seat 1. Or only up to the street
//! from which on the response uses its moves, and from there valued over all hands. The results of
//! a deal depend on its number and the seed only, and are written to the folder as soon as both
//! hands are over; a run that was killed plays the missing deals and ends with the same figures.
//!
//! In a [`folder`](crate::folder), `deals.csv` has a line for each finished deal: its number, the
//! response's winnings in seat 0 and in seat 1 with the cards as dealt, or nothing where all hands
//! were valued, then the same with cards averaged out, in 1/2520 chips.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use agents::AgentChoice;
use cards::Combo;
use game::{Betting, GameDef, Payoff, Policy, PublicState, Seat, Street};
use logs::stats::{NoRate, Sums};
use logs::{Provenance, Rate};
use matches::bot::decision_rng;
use matches::runner::Stop;
use matches::table::Dealer;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use runs::{RunError, Shard};
use serde::{Deserialize, Serialize};
use show::Table;
use show::number::whole;
use solvers::lbr::{Deal, LocalBestResponse, Moves, Posterior};

use crate::error::{Error, Kind};
use crate::folder::{
    DEALS, Manifest, PROGRESS_INTERVAL, folder_name, has, measure_each, shard_suffix,
};
use crate::lbr::published::{ALWAYS_FOLD, OTHERS, ROWS, SETTINGS};
use crate::spot_value::Player as Plays;
use crate::{Sampled, spot_value};

/// The settings of a measurement.
#[derive(Debug, Clone)]
pub struct LbrSettings {
    /// The game: heads-up hold'em.
    pub def: Arc<GameDef>,
    /// The game's name: a built-in one, or the path of its file.
    pub game_name: String,
    /// The agent to respond to.
    pub agent: AgentChoice,
    /// SHA-256 of its files, see [`model_sha256`](crate::folder::model_sha256).
    pub model_sha256: Option<String>,
    /// The actions available to the response.
    pub moves: Moves,
    /// The street from which on it uses them; before it, it checks and calls.
    pub from: Street,
    /// Whether the hands that reach the street `from` are valued there over all hands of both
    /// players, and what is sampled then; `None` plays them on with the cards as dealt.
    pub all_hands: Option<Sampled>,
    /// Hands to play, two for each deal.
    pub hands: u64,
    /// The seed of all cards and of the agent's samples.
    pub seed: u64,
    /// The part to measure; `None` for the whole.
    pub shard: Option<Shard>,
}

/// The response's winnings in one hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Won {
    /// With the cards as dealt; `None` where all hands are valued.
    pub dealt: Option<Payoff>,
    /// With cards averaged out, see [`Figures::expected`].
    pub expected: Payoff,
}

/// The response's winnings so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Figures {
    /// With the cards as dealt, as usually published: over both seats. Empty where all hands are
    /// valued.
    pub dealt: Sums,
    /// With the cards as dealt, by seat of the response.
    pub dealt_seats: [Sums; 2],
    /// With the agent's hand and the boards after the last decision averaged out (see
    /// [`solvers::lbr::Won::expected`]), or all hands at each spot: over both seats.
    pub expected: Sums,
    /// The same, by seat of the response.
    pub expected_seats: [Sums; 2],
}

impl Figures {
    fn add(&mut self, both: [Won; 2]) {
        self.expected.add(both[0].expected + both[1].expected, 2);
        for (seat, won) in both.into_iter().enumerate() {
            self.expected_seats[seat].add(won.expected, 1);
        }
        if let [Some(one), Some(other)] = both.map(|won| won.dealt) {
            self.dealt.add(one + other, 2);
            self.dealt_seats[0].add(one, 1);
            self.dealt_seats[1].add(other, 1);
        }
    }
}

/// The progress of a run.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Hands played or read so far.
    pub hands: u64,
    /// Hands of these that earlier runs had recorded.
    pub earlier: u64,
    /// The response's win rate with the agent's hand averaged out; `None` before the second deal.
    pub rate: Option<Rate>,
}

/// The result of a run.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// The winnings in all hands played or read.
    pub figures: Figures,
    /// The number of hands played or read.
    pub hands: u64,
    /// Hands of these that earlier runs had recorded.
    pub earlier: u64,
    /// Whether all hands are there; otherwise the run was stopped.
    pub complete: bool,
}

impl LbrSettings {
    /// A name for the measurement, without the number of hands: more of them continue it.
    pub fn name(&self) -> String {
        let all_hands = self.all_hands.map(|Sampled { cards, below }| {
            let below = if below > 0.0 { format!("-b{below}") } else { String::new() };
            format!("{below}-c{cards}")
        });
        let all_hands = all_hands.unwrap_or_default();
        let rest = format!("{}-from-{}{all_hands}-s{}", self.moves, self.from, self.seed);
        let rest = rest + &shard_suffix(self.shard);
        folder_name("lbr", &self.agent, self.model_sha256.as_deref(), &self.game_name, &rest)
    }

    /// The number of hands to measure: of a part, its own.
    pub fn wanted(&self) -> u64 {
        2 * self.deals().count() as u64
    }

    fn deals(&self) -> impl Iterator<Item = u64> {
        (0..self.hands / 2).filter(|&deal| has(self.shard, deal))
    }

    fn manifest(&self, provenance: Provenance) -> Manifest<Identity> {
        let identity = Identity {
            moves: self.moves.to_string(),
            from: self.from.to_string(),
            cards: self.all_hands.map(|sampled| sampled.cards),
            sample_below: self.all_hands.map(|sampled| sampled.below),
            seed: self.seed,
        };
        let agent = (&self.agent, self.model_sha256.as_deref());
        Manifest::new(agent, (&self.game_name, &self.def), identity, provenance)
    }
}

/// The settings that identify a measurement.
#[derive(Serialize, Deserialize)]
struct Identity {
    moves: String,
    from: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cards: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sample_below: Option<f64>,
    seed: u64,
}

/// Measures, continuing from what the folder holds. `report` is called about ten times a second.
///
/// # Errors
/// When the agent or the folder cannot be used; deals that were finished before an error are kept.
pub fn run(
    plan: &LbrSettings,
    folder: &Path,
    provenance: Provenance,
    threads: usize,
    stop: &Stop,
    report: &mut dyn FnMut(&Progress),
) -> Result<Outcome, Error> {
    if plan.hands < 4 || !plan.hands.is_multiple_of(2) {
        let text = format!(
            "each deal is played from both seats: give an even number of hands of at least 4, not \
             {}",
            plan.hands
        );
        return Err(Error::with_kind(Kind::Usage, text));
    }
    if plan.all_hands.is_some() && plan.from == Street::Preflop {
        let text = "all hands cannot be valued from before the flop: there are too many boards";
        return Err(Error::with_kind(Kind::Usage, text));
    }
    plan.agent.prepare(&plan.def, plan.hands);
    let policy = plan.agent.policy(&plan.def)?;
    let policy = policy.ok_or_else(|| {
        Error::new(format!(
            "`{}` cannot be asked what it would do with other cards, which local best response has \
             to know",
            plan.agent.name()
        ))
    })?;
    let player = Player::new(plan, &*policy)?;
    if plan.wanted() == 0 {
        return Err(RunError::EmptyPart(plan.hands / 2).into());
    }
    let manifest = plan.manifest(provenance);
    let (journal, known) = manifest.open(folder, &DEALS, plan.shard, &plan.agent, read_line)?;
    let mut measurement = Measurement::new(plan);
    let mut missing = Vec::new();
    for deal in plan.deals() {
        match known.get(&deal) {
            Some(&both) => measurement.figures.add(both),
            None => missing.push(deal),
        }
    }
    measurement.earlier = measurement.hands();
    let mut shown = Instant::now();
    let play = |&deal: &u64| player.play(deal).map(|both| (deal, both));
    measure_each(&missing, threads, stop, play, |played| {
        if let Some((deal, both)) = played {
            journal.add(&line(deal, both))?;
            measurement.figures.add(both);
        }
        if shown.elapsed() >= PROGRESS_INTERVAL {
            shown = Instant::now();
            report(&measurement.progress());
        }
        Ok(())
    })?;
    report(&measurement.progress());
    Ok(measurement.outcome())
}

/// The response against the agent, for one thread.
struct Player<'a> {
    response: LocalBestResponse<'a>,
    agent: &'a dyn Policy,
    all_hands: Option<Sampled>,
    dealer: Dealer,
    seed: u64,
}

impl<'a> Player<'a> {
    fn new(plan: &LbrSettings, policy: &'a dyn Policy) -> Result<Player<'a>, Error> {
        let response = LocalBestResponse::new(&plan.def, policy, plan.moves, plan.from)?;
        let dealer = Dealer::new(&plan.def, plan.seed);
        Ok(Player { response, agent: policy, all_hands: plan.all_hands, dealer, seed: plan.seed })
    }

    /// Plays both hands of a deal.
    fn play(&self, number: u64) -> Result<[Won; 2], Error> {
        let dealt = self.dealer.clone().deal(number);
        let deal = Deal { hole: dealt.hole, board: dealt.board };
        let mut both = [Won { dealt: None, expected: Payoff::ZERO }; 2];
        for (seat, won) in Seat::all(2).zip(&mut both) {
            let mut rng = decision_rng(self.seed, 2 * number + seat.index() as u64, 0);
            let played = AssertUnwindSafe(|| self.hand(&deal, seat, &mut rng));
            let played = catch_unwind(played)
                .map_err(|_| Error::new(format!("the agent panicked in deal {number}")));
            *won = played??;
        }
        Ok(both)
    }

    /// Plays one hand of a deal, or values all hands at the spot that it comes to.
    fn hand(&self, deal: &Deal, seat: Seat, rng: &mut impl Rng) -> Result<Won, solvers::Error> {
        let Some(sampled) = self.all_hands else {
            let won = self.response.play(deal, seat, rng)?;
            return Ok(Won { dealt: Some(won.dealt), expected: won.expected });
        };
        let mut samples = Pcg64Mcg::seed_from_u64(rng.random());
        let mut value = |spot: &PublicState, posterior: &Posterior| {
            let board = spot.board().set();
            let own = Combo::all().map(|combo| f64::from(!combo.set().intersects(board)));
            let mut ranges = [own.collect(), posterior.weights().to_vec()];
            let mut players = [Plays::Response(&self.response), Plays::Policy(self.agent)];
            let sign = if seat.index() == 0 { 1.0 } else { -1.0 };
            if seat.index() == 1 {
                ranges.swap(0, 1);
                players.swap(0, 1);
            }
            let mut deck = spot.def().deck();
            deck.shuffle(&mut samples);
            sign * spot_value::value(spot, &ranges, players, sampled, &deck, samples.clone())
        };
        let expected = self.response.play_to(deal, seat, rng, &mut value)?;
        Ok(Won { dealt: None, expected })
    }
}

/// The state of a run.
struct Measurement {
    big_blind: game::Chips,
    figures: Figures,
    /// Hands to measure.
    wanted: u64,
    earlier: u64,
}

impl Measurement {
    fn new(plan: &LbrSettings) -> Measurement {
        Measurement {
            big_blind: plan.def.big_blind(),
            figures: Figures::default(),
            wanted: plan.wanted(),
            earlier: 0,
        }
    }

    fn hands(&self) -> u64 {
        self.figures.expected.hands
    }

    fn progress(&self) -> Progress {
        let rate = Rate::from_sums(&self.figures.expected, self.big_blind).ok();
        Progress { hands: self.hands(), earlier: self.earlier, rate }
    }

    fn outcome(&self) -> Outcome {
        let (hands, earlier) = (self.hands(), self.earlier);
        Outcome { figures: self.figures, hands, earlier, complete: hands == self.wanted }
    }
}

/// The line of a deal.
fn line(deal: u64, both: [Won; 2]) -> String {
    let dealt = |won: Won| won.dealt.map_or_else(String::new, |won| won.parts().to_string());
    let [a, b] = both.map(dealt);
    let [c, d] = both.map(|won| won.expected.parts());
    format!("{deal},{a},{b},{c},{d}\n")
}

fn read_line(line: &str) -> Option<(u64, [Won; 2])> {
    let (deal, rest) = line.split_once(',')?;
    let cells: Vec<&str> = rest.split(',').collect();
    let [a, b, c, d] = cells.try_into().ok()?;
    let won = |dealt: &str, expected: &str| {
        let payoff = |text: &str| text.parse().ok().map(Payoff::from_parts);
        let dealt = if dealt.is_empty() { None } else { Some(payoff(dealt)?) };
        Some(Won { dealt, expected: payoff(expected)? })
    };
    Some((deal.parse().ok()?, [won(a, c)?, won(b, d)?]))
}

/// Each way of counting, with its name and its sums: over all hands, then by the response's seat.
fn rows(plan: &LbrSettings, outcome: &Outcome) -> Vec<(String, Sums)> {
    let figures = &outcome.figures;
    let seat = |at: usize| {
        let seat = game::Seat::new(at).expect("a seat of two players");
        format!("response in seat {at}, {}", plan.def.position(seat))
    };
    let dealt = ("as dealt", figures.dealt, figures.dealt_seats);
    let expected = |name| (name, figures.expected, figures.expected_seats);
    let counted = match plan.all_hands {
        None => vec![dealt, expected("averaged over the agent's hands")],
        Some(_) => vec![expected("valued over all hands")],
    };
    let rows = counted.into_iter().flat_map(|(name, all, [zero, one])| {
        [(name.to_owned(), all), (format!("  {}", seat(0)), zero), (format!("  {}", seat(1)), one)]
    });
    rows.collect()
}

fn rate(plan: &LbrSettings, sums: &Sums) -> Result<Rate, NoRate> {
    Rate::from_sums(sums, plan.def.big_blind())
}

/// Rounds as the papers number them: the turn is the third.
fn street_words(from: Street) -> String {
    match from {
        Street::Preflop => from.to_string(),
        _ => format!("the {from}"),
    }
}

fn rounds(from: Street) -> String {
    match from {
        Street::River => "round 4".to_owned(),
        _ => format!("rounds {}-4", from.index() + 1),
    }
}

/// The result of local best response.
#[derive(Serialize)]
pub struct LbrReport<'a> {
    agent: &'a str,
    game: &'a str,
    actions: String,
    from: &'static str,
    seed: u64,
    hands: u64,
    hands_planned: u64,
    complete: bool,
    cards: Option<u32>,
    sample_below: Option<f64>,
    dealt: RateOrReason,
    dealt_by_seat: [RateOrReason; 2],
    expected: RateOrReason,
    expected_by_seat: [RateOrReason; 2],
    published: Vec<PublishedRow>,
    #[serde(skip)]
    plan: &'a LbrSettings,
    #[serde(skip)]
    outcome: &'a Outcome,
    /// Where the results are kept, for the text.
    #[serde(skip)]
    kept: &'a str,
}

/// A rate, or why there is none.
#[derive(Serialize)]
#[serde(untagged)]
enum RateOrReason {
    Rate(Rate),
    None { reason: NoRate },
}

/// The published results against an agent.
#[derive(Serialize)]
struct PublishedRow {
    agent: &'static str,
    won: Vec<PublishedRate>,
}

#[derive(Serialize)]
struct PublishedRate {
    actions: &'static str,
    from: &'static str,
    mbb: i32,
    half_width: u32,
}

impl<'a> LbrReport<'a> {
    /// The report of a measurement; `kept` says where the results are kept.
    pub fn new(plan: &'a LbrSettings, outcome: &'a Outcome, kept: &'a str) -> LbrReport<'a> {
        let of = |sums: &Sums| match rate(plan, sums) {
            Ok(rate) => RateOrReason::Rate(rate),
            Err(reason) => RateOrReason::None { reason },
        };
        let figures = &outcome.figures;
        let published = ROWS.map(|row| {
            let won = SETTINGS.iter().zip(row.won).filter_map(|(&(actions, from), won)| {
                let (mbb, half_width) = won?;
                Some(PublishedRate { actions, from: from.name(), mbb, half_width })
            });
            PublishedRow { agent: row.agent, won: won.collect() }
        });
        LbrReport {
            agent: plan.agent.name(),
            game: &plan.game_name,
            actions: plan.moves.to_string(),
            from: plan.from.name(),
            seed: plan.seed,
            hands: outcome.hands,
            hands_planned: plan.wanted(),
            complete: outcome.complete,
            cards: plan.all_hands.map(|sampled| sampled.cards),
            sample_below: plan.all_hands.map(|sampled| sampled.below),
            dealt: of(&figures.dealt),
            dealt_by_seat: figures.dealt_seats.each_ref().map(of),
            expected: of(&figures.expected),
            expected_by_seat: figures.expected_seats.each_ref().map(of),
            published: published.into(),
            plan,
            outcome,
            kept,
        }
    }
}

impl fmt::Display for LbrReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LbrReport { plan, outcome, .. } = *self;
        write!(
            f,
            "{}, local best response {} from {} ({}), {}, seed {}\n{} of {} hands\n\n",
            plan.agent.name(),
            plan.moves,
            street_words(plan.from),
            rounds(plan.from),
            plan.game_name,
            plan.seed,
            whole(outcome.hands),
            whole(plan.wanted()),
        )?;
        let header = ["what it wins", "mbb/hand", "±", "95 % interval"];
        let mut table = Table::new(header).right(1..3).at_the_margin();
        for (name, sums) in rows(plan, outcome) {
            let [mbb, half, interval] = match rate(plan, &sums) {
                Ok(rate) => [
                    format!("{:+.1}", rate.mbb),
                    format!("{:.1}", rate.half_width()),
                    format!("{:+.1} to {:+.1}", rate.interval.low, rate.interval.high),
                ],
                Err(reason) => ["-".to_owned(), String::new(), reason.to_string()],
            };
            table.row([name, mbb, half, interval]);
        }
        writeln!(f, "{table}")?;
        f.write_str(match plan.all_hands {
        None => {
            "\nBoth count the same hands; averaged, what the agent held and the boards after the \
             last decision are\nnot left to chance. "
        }
        Some(_) => "\nAt each spot, both players have all hands they may hold there. ",
    })?;
        f.write_str(
            "A high rate shows that much could be won from the agent; a low one proves nothing.\n",
        )?;
        if plan.def.betting == Betting::NoLimit {
            f.write_str(&published(plan, outcome))?;
        }
        f.write_str(self.kept)
    }
}

/// The published table, with this measurement in its column.
fn published(plan: &LbrSettings, outcome: &Outcome) -> String {
    let column = |(moves, from): (&str, Street)| format!("{moves} {}-4", from.index() + 1);
    let header = ["mbb/hand, no-limit, 200 big blinds".to_owned()];
    let header = header.into_iter().chain(SETTINGS.map(column));
    let mut table = Table::new(header).right(1..).at_the_margin();
    let mut line = |name: &str, cells: [String; SETTINGS.len()]| {
        table.row([name.to_owned()].into_iter().chain(cells));
    };
    let ours = rate(plan, &outcome.figures.expected).ok();
    let here = (plan.moves.to_string(), plan.from);
    line(
        plan.agent.name(),
        SETTINGS.map(|(moves, from)| {
            let ours = ours.filter(|_| (moves, from) == (here.0.as_str(), here.1));
            ours.map_or_else(String::new, |rate| {
                format!("{:.0} ± {:.0}", rate.mbb, rate.half_width())
            })
        }),
    );
    for row in ROWS {
        let cell = |won: Option<(i32, u32)>| won.map(|(won, half)| format!("{won} ± {half}"));
        line(row.agent, row.won.map(|won| cell(won).unwrap_or_default()));
    }
    line(
        "always fold",
        SETTINGS.map(
            |(moves, _)| {
                if moves == "fc" { String::new() } else { ALWAYS_FOLD.to_string() }
            },
        ),
    );
    let others = OTHERS.map(|(agent, won, half)| {
        let half = half.map(|half| format!(" ± {half}")).unwrap_or_default();
        [agent.to_owned(), format!("{won}{half}")]
    });
    let others = Table::from_rows(others).right(1..).at_the_margin();
    format!("\n{table}\n\nin one figure, moves as in their papers\n{others}\n")
}

/// Published results of local best response against agents of others.
///
/// Lisý and Bowling 2017, table 2, and the supplement of Moravčík et al., "DeepStack", Science 356
/// (2017): two players, no-limit, stacks of 200 big blinds (100 where stated), 100,000 hands each,
/// both seats with the same cards; the same game and the same moves as here.
pub mod published {
    /// The columns of the table: the name of the moves, and the street from which on they are used.
    pub const SETTINGS: [(&str, game::Street); 5] = [
        ("fc", game::Street::Preflop),
        ("fc", game::Street::Turn),
        ("fcpa", game::Street::Turn),
        ("56", game::Street::Preflop),
        ("56", game::Street::Turn),
    ];

    /// The results against one agent for each of [`SETTINGS`], in mbb/hand with the half-width of
    /// the 95 % confidence interval.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Row {
        /// The agent's name.
        pub agent: &'static str,
        /// Rate and half-width; `None` where not published.
        pub won: [Option<(i32, u32)>; 5],
    }

    const fn row(agent: &'static str, won: [(i32, u32); 5]) -> Row {
        let [a, b, c, d, e] = won;
        Row { agent, won: [Some(a), Some(b), Some(c), Some(d), Some(e)] }
    }

    /// The rows of the table.
    pub const ROWS: [Row; 6] = [
        row("Hyperborean 2013", [(1048, 68), (1006, 76), (4040, 147), (619, 117), (5062, 152)]),
        row("Hyperborean 2014", [(721, 56), (608, 61), (3852, 141), (574, 125), (4675, 152)]),
        row("Slumbot 2016", [(522, 50), (496, 55), (4020, 115), (763, 84), (3763, 104)]),
        row("Act1 2016", [(407, 47), (390, 55), (2597, 140), (2429, 134), (3302, 122)]),
        row("Full Cards, 100 bb", [(-424, 37), (-819, 52), (-536, 87), (1607, 76), (2403, 87)]),
        Row {
            agent: "DeepStack",
            won: [Some((-428, 87)), None, Some((-383, 219)), None, Some((-775, 255))],
        },
    ];

    /// Results for agents whose papers give one number, in mbb/hand with the spread as given. The
    /// moves are not those of one column.
    pub const OTHERS: [(&str, i32, Option<u32>); 5] = [
        ("ReBeL", -881, Some(94)),
        ("Supremus", -951, Some(96)),
        ("DeepStack, remade for Supremus", -536, Some(68)),
        ("Student of Games (fc)", -434, Some(9)),
        ("OpenHoldem, learned", -336, None),
    ];

    /// The win rate of local best response, in mbb/hand, against an agent that always folds, for
    /// all moves but `fc`, which never bets.
    pub const ALWAYS_FOLD: i32 = 750;
}
