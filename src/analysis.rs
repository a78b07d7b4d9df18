//! What a player's result in a recorded match is made of, and what its decisions cost by an agent's
//! values: the value behind `cardroom explain results --by` and the page of a match's analysis.
//!
//! The luck ledger divides the result of every hand that can be taken apart
//! ([`HandLedger`]); the others are listed with the reason and what
//! they gave, so that all lines add up to the result. A decision is priced by
//! [`evaluation::price`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use agents::AgentChoice;
use evaluation::price::{Advisers, Priced, Unpriced};
use game::{Action, Chips, GameDef, InfoSet, PublicState, Seat, notation};
use logs::estimate::{Estimates, HandLedger, RowKind};
use logs::stats::report::Estimate;
use logs::stats::{Interval, PlaceSums, Rate, Report as Statistics, Results, place_words};
use logs::{DecisionRecord, HandRecord, MatchInfo};
use matches::estimates::{Extent, Values, Wanted};
use matches::runner::Stop;
use matches::source::Source;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::Table;
use show::number::{counted, decimal, signed, signed_grouped, whole};

use crate::exit::Failure;
use crate::hand_report::{line_words_before, words_in_blinds};
use crate::output::Report;
use crate::report::{self, Effort};

/// The most decisions that are listed, the dearest ones.
const MOST_LISTED: usize = 5000;

/// Hands that are worked on between two looks at whether to go on.
const BLOCK: usize = 16;

/// The most parts that a match is divided into for the trend.
const PARTS_OF_TREND: u64 = 20;

/// The fewest hands of such a part: fewer say nothing.
const HANDS_OF_TREND: u64 = 25;

/// Prices below this, in big blinds, are nothing.
pub const LEAST: f64 = 0.005;

/// What is analysed.
pub struct Asked {
    /// The place of the player in the match.
    pub who: usize,
    /// The name of the agent that prices decisions.
    pub agent: String,
    /// What prices them; `None` for games that the agent cannot be asked about.
    pub advisers: Option<Advisers>,
    /// The places and decisions that the text lists.
    pub most: usize,
}

impl Asked {
    /// An analysis of the player in this place of a match by an agent, which may be one that does
    /// not know the game: then no decision has a price.
    ///
    /// # Errors
    /// When the agent cannot be built, or can never be asked.
    pub fn new(
        info: &MatchInfo,
        agent: &AgentChoice,
        name: &str,
        who: usize,
        most: usize,
    ) -> Result<Asked, Failure> {
        let advisers = match Advisers::of_agent(&Arc::new(info.game.clone()), name, agent) {
            Err(error) if error.is_game() => None,
            advisers => advisers.map_err(Failure::input)?,
        };
        Ok(Asked { who, agent: name.to_owned(), advisers, most })
    }
}

/// The results of a player by place, and, if an agent was asked, the analysis.
#[derive(Debug, Serialize)]
pub struct ResultsReport {
    /// `None` with fewer than two deals.
    #[serde(flatten)]
    pub results: Option<Results>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis: Option<Analysis>,
}

/// What a player's result is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// The player.
    pub player: String,
    /// Its place in the match, from 0.
    pub place: usize,
    /// The agent that prices decisions.
    pub by: String,
    /// The agent that prices the decisions which `by` does not solve; null if it solves nothing.
    #[serde(default)]
    pub unsolved_by: Option<String>,
    /// The value function behind prices; null where the game has none.
    pub value_function: Option<String>,
    /// The number of hands.
    pub hands: u64,
    /// The big blind in chips.
    pub big_blind: Chips,
    /// Win rates as `cardroom stats --values equity --estimates all` has them.
    pub rates: Vec<RateLine>,
    /// Why there is no rate without luck.
    pub no_luck: Option<String>,
    pub ledger: ResultLedger,
    pub decisions: DecisionSums,
    /// What decisions cost from part to part of the match, in order; empty where none has a price.
    #[serde(default)]
    pub trend: Vec<TrendPart>,
    /// The dearest decisions, the dearest first.
    pub dearest: Vec<DearDecision>,
    /// The decisions that the text lists.
    #[serde(skip)]
    pub most: usize,
}

/// A win rate in mbb/hand with its 95 % interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RateLine {
    /// What it is, in words.
    pub what: String,
    pub mbb: f64,
    pub low: f64,
    pub high: f64,
}

impl RateLine {
    /// What it is, for the line of this number: the first two are rates of hands as they were.
    pub fn words(&self, number: usize) -> String {
        if number < 2 { self.what.clone() } else { format!("without luck: {}", self.what) }
    }
}

/// What the decisions of a part of the match cost, all with a price together, in mbb/hand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrendPart {
    /// The number of its first hand.
    pub from: u64,
    /// The number of its last hand.
    pub to: u64,
    /// The number of hands.
    pub hands: u64,
    pub mbb: f64,
    /// The 95 % interval by hands, from 0 on: no price is below 0.
    pub low: f64,
    pub high: f64,
}

/// The parts of a result in chips: they add up to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultLedger {
    /// What the player won, by the record.
    pub won: f64,
    /// The hands that were taken apart.
    pub hands: u64,
    pub lines: Vec<LedgerLine>,
    /// The hands that cannot be taken apart.
    pub rest: Vec<RestLine>,
}

/// A part of the result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LedgerLine {
    /// `dealt_cards`, `flop`, `turn`, `river`, `own_mixing`, `mixing_of_others`,
    /// `decisions_preflop` and so on.
    pub key: String,
    pub name: String,
    /// What it is, in a sentence.
    pub about: String,
    pub chips: f64,
}

/// Hands that cannot be taken apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RestLine {
    /// What they are.
    pub what: String,
    pub hands: u64,
    /// What the player won in them.
    pub chips: f64,
}

/// How many decisions there are, and what those with a price cost together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecisionSums {
    pub made: u64,
    pub priced: u64,
    /// Those of them that the agent has solved.
    #[serde(default)]
    pub solved: u64,
    /// Those whose price is above the half-width of its interval.
    pub clear: u64,
    /// What all priced ones cost together, in big blinds.
    pub cost: f64,
    /// What the clear ones cost.
    pub clear_cost: f64,
    pub not_priced: Vec<NotPriced>,
}

/// Decisions without a price.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NotPriced {
    /// What they are: `in a game that is not heads-up hold'em`.
    pub what: String,
    pub decisions: u64,
}

/// A decision with its price. Amounts are in big blinds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DearDecision {
    /// The hand's number in the match.
    pub hand: u64,
    /// The number in the hand, from 0, over all players.
    pub decision: u32,
    /// The street.
    pub street: String,
    /// The player's position.
    pub position: String,
    /// The place by which results are divided: `river, button: calls a bet`.
    pub place: String,
    /// Whether there was a bet to call.
    pub facing_bet: bool,
    /// Whether the hand came to a showdown.
    pub showdown: bool,
    /// The player's cards.
    pub cards: String,
    /// The board.
    pub board: String,
    /// The betting in ACPC notation.
    pub betting: String,
    /// The betting in words.
    pub line: String,
    /// The pot before it.
    pub pot: f64,
    /// What a call takes.
    pub to_call: f64,
    /// What was done, in words.
    pub played: String,
    /// What the actions are worth by the agent, the best first.
    pub actions: Vec<DearAction>,
    /// What it cost: the best value less that of what was done.
    pub price: f64,
    /// Half the 95 % interval of the price; of a solved decision how far it is from settled, as
    /// `agents::SolvedDecision` says.
    pub half_width: f64,
    /// Whether the agent has solved it.
    #[serde(default)]
    pub solved: bool,
}

/// An action with what the agent says of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DearAction {
    /// The action in words.
    pub action: String,
    /// How often the agent takes it with these cards.
    pub probability: f64,
    /// What it wins on average over the whole hand, in big blinds.
    pub value: f64,
    /// Whether it was taken.
    pub played: bool,
}

/// What a hand adds.
struct Share {
    /// Its number.
    hand: u64,
    won: f64,
    parts: Result<HandLedger, &'static str>,
    made: u64,
    priced: Vec<DearDecision>,
    not_priced: Vec<Unpriced>,
}

/// The work on the hands of a match.
struct Analyst<'a> {
    who: u8,
    def: &'a GameDef,
    estimates: Option<Estimates>,
    advisers: Result<&'a Advisers, Unpriced>,
}

/// Analyses a player's hands; `seen` is told the number of hands done. When it is stopped, the
/// analysis is that of the hands so far, without rates.
///
/// # Errors
/// When the match cannot be read.
pub fn analyse(
    source: &Source,
    asked: &Asked,
    seen: &mut dyn FnMut(u64),
    stop: &Stop,
) -> Result<ResultsReport, Failure> {
    let info = source.info();
    let who = asked.who as u8;
    let analyst = Analyst {
        who,
        def: &info.game,
        estimates: Estimates::of_game(&info.game, 1, asked.who).map(Estimates::unfitted),
        advisers: asked.advisers.as_ref().ok_or(Unpriced::NoStrategy),
    };
    let hands = source.count()?;
    if let Ok(advisers) = &analyst.advisers {
        advisers.expect_hands(hands);
    }
    let mut sums = Sums::new(asked, &analyst, info.game.big_blind().max(1));
    sums.trend.each = hands.div_ceil(PARTS_OF_TREND).max(HANDS_OF_TREND);
    let mut places = PlaceSums::new(info, asked.who);
    let mut records = source.hands_and_decisions(|_| true)?;
    while !stop.asked() {
        let block = records.by_ref().take(BLOCK).collect::<Result<Vec<_>, _>>()?;
        if block.is_empty() {
            break;
        }
        let shares = parallel::map(&block, |(record, made)| analyst.share(record, made));
        for (share, (record, _)) in shares.into_iter().zip(&block) {
            places.add(record);
            sums.add(share);
        }
        seen(sums.analysis.hands);
    }
    if !stop.asked() {
        for settled in source.settled()? {
            let (hands, won) = (u64::from(settled.together.max(1)), settled.won.chips());
            sums.settled(hands, if who == 0 { won } else { -won });
        }
    }
    let statistics = if stop.asked() { None } else { statistics(source, stop)? };
    let mut analysis = sums.finish();
    analysis.player.clone_from(&info.names()[asked.who]);
    (analysis.rates, analysis.no_luck) = match statistics {
        Some(statistics) => rates(&statistics, asked.who),
        None => (Vec::new(), Some("the analysis was stopped before its end".to_owned())),
    };
    Ok(ResultsReport { results: places.results(asked.most), analysis: Some(analysis) })
}

/// The figures of `cardroom stats --values equity --estimates all`.
fn statistics(source: &Source, stop: &Stop) -> Result<Option<Statistics>, Failure> {
    let estimates = Wanted { extent: Extent::All, values: Values::Equity, luckiest: 0 };
    let effort = Effort { boards: Effort::AUTO_BOARDS, estimates, listed: [0; 2] };
    let added = report::add_up_until(source, &effort, (None, None), true, stop)?;
    added.map(|added| added.report(source, None)).transpose()
}

/// The rates of a player, and why there is none without luck.
fn rates(report: &Statistics, who: usize) -> (Vec<RateLine>, Option<String>) {
    let line = |what: &str, rate: &Estimate, sign: f64| {
        let (mbb, interval) = (rate.mbb?, rate.interval.as_ref()?);
        let [low, high] = if sign > 0.0 {
            [interval.low, interval.high]
        } else {
            [-interval.high, -interval.low]
        };
        Some(RateLine { what: what.to_owned(), mbb: sign * mbb, low, high })
    };
    let mut lines = Vec::new();
    if let Some(entrant) = report.entrants.get(who) {
        lines.extend(line("as played", &entrant.rate, 1.0));
        let expected = "all-ins by their expectation";
        lines.extend(line(expected, &entrant.all_in_adjusted, 1.0));
    }
    // Estimates are those of the first of two entrants. What is corrected for one side only has
    // other names for the other side.
    let sign = if who == 0 { 1.0 } else { -1.0 };
    let rows = report.estimates.iter().flat_map(|estimates| &estimates.rows);
    for row in rows {
        let one_sided = matches!(row.kind, RowKind::OwnChoices | RowKind::OtherChoices);
        if matches!(row.kind, RowKind::Raw | RowKind::AllIn) || who > 0 && one_sided {
            continue;
        }
        lines.extend(line(&row.what, &row.rate, sign));
    }
    let without = report.estimates.is_none().then(|| {
        let reason = report.warnings.iter().find(|warning| warning.contains("estimate"));
        let reason = reason.map(|reason| reason.trim_start_matches("no luck-adjusted estimates: "));
        let usual = "the luck of the cards is known in heads-up hold'em with all cards known only";
        reason.unwrap_or(usual).to_owned()
    });
    (lines, without)
}

impl Analyst<'_> {
    fn share(&self, record: &HandRecord, recorded: &[DecisionRecord]) -> Share {
        let seat = record.entrants.iter().find(|&(_, &entrant)| entrant == self.who);
        let seat = seat.map(|(seat, _)| seat);
        let won = seat.map_or(0.0, |seat| record.payoffs[seat].chips());
        let parts = match &self.estimates {
            None => Err("of a game that is not heads-up hold'em"),
            Some(estimates) => {
                let parts = estimates.ledger(record, recorded);
                parts.ok_or("with cards that are not known")
            }
        };
        let hand = record.hand;
        let mut share =
            Share { hand, won, parts, made: 0, priced: Vec::new(), not_priced: Vec::new() };
        record.public.each_decision(|public, played| {
            let actor = played.seat;
            if Some(actor) != seat {
                return;
            }
            share.made += 1;
            let infoset = InfoSet { public: public.clone(), seat: actor, hole: record.hole[actor] };
            let priced = match &self.advisers {
                Ok(advisers) => {
                    let seats = (&record.entrants, record.deal);
                    advisers.price(seats, &infoset, played.action)
                }
                Err(_) if self.def.differs_from_holdem().is_some() => Err(Unpriced::OtherGame),
                Err(unpriced) => Err(*unpriced),
            };
            match priced {
                Ok(priced) => share.priced.push(dear(record, &infoset, played.action, &priced)),
                Err(unpriced) => share.not_priced.push(unpriced),
            }
        });
        share
    }
}

/// A priced decision in words.
fn dear(record: &HandRecord, infoset: &InfoSet, played: Action, priced: &Priced) -> DearDecision {
    let InfoSet { public, seat, hole } = infoset;
    let big_blind = f64::from(public.def().big_blind().max(1));
    let words = |action: Action| {
        let (verb, rest) = words_in_blinds(public, action);
        format!("{verb}{rest}")
    };
    let action = |of: &evaluation::price::PricedAction| DearAction {
        action: words(of.action),
        probability: of.probability,
        value: of.value / big_blind,
        played: of.action == played,
    };
    let number = public.history().len();
    DearDecision {
        hand: record.hand,
        decision: number as u32,
        street: public.street().name().to_owned(),
        position: position(public, *seat),
        place: place_words(public, *seat, played),
        facing_bet: public.legal().to_call > 0,
        showdown: record.public.is_showdown(),
        cards: hole.to_string(),
        board: public.board().to_string(),
        betting: notation::betting(public),
        line: line_words_before(record, number),
        pot: public.pot() as f64 / big_blind,
        to_call: f64::from(public.legal().to_call) / big_blind,
        played: words(played),
        actions: priced.actions.iter().map(action).collect(),
        price: priced.price / big_blind,
        half_width: priced.half_width / big_blind,
        solved: priced.solved,
    }
}

fn position(public: &PublicState, seat: Seat) -> String {
    public.def().position(seat).to_string()
}

/// The lines of the ledger: key, name, and what it is.
pub const PARTS: [(&str, &str, &str); 10] = [
    (
        "dealt_cards",
        "Dealt cards",
        "what the hole cards of both players were worth before anybody acted",
    ),
    ("flop", "Flop", "how the three cards of the flop changed the worth of both hands"),
    ("turn", "Turn", "how the card of the turn changed it"),
    ("river", "River", "how the last card changed it; after an all-in the cards run out here"),
    (
        "own_mixing",
        "Your own mixing",
        "which of several actions was drawn, where your probabilities are recorded",
    ),
    (
        "mixing_of_others",
        "The other's mixing",
        "the same for the other player, where its probabilities are recorded",
    ),
    (
        "decisions_preflop",
        "Decisions before the flop",
        "what both players' betting changed, with all cards and draws as they were",
    ),
    ("decisions_flop", "Decisions on the flop", "the same on the flop"),
    ("decisions_turn", "Decisions on the turn", "the same on the turn"),
    ("decisions_river", "Decisions on the river", "the same on the river, to the end of the hand"),
];

/// The sums so far.
struct Sums {
    analysis: Analysis,
    rest: BTreeMap<&'static str, (u64, f64)>,
    not_priced: BTreeMap<Unpriced, u64>,
    trend: Trend,
    /// The big blind in chips.
    big_blind: f64,
}

/// The part of the match that is being added up.
#[derive(Default)]
struct Trend {
    /// Hands of a part.
    each: u64,
    /// The numbers of its first and last hand so far.
    span: Option<[u64; 2]>,
    /// What the decisions of each hand cost, in mbb.
    costs: Vec<f64>,
}

impl Trend {
    /// Adds a hand; returns the part that it completes.
    fn add(&mut self, hand: u64, big_blinds: f64) -> Option<TrendPart> {
        self.span.get_or_insert([hand; 2])[1] = hand;
        self.costs.push(1e3 * big_blinds);
        if (self.costs.len() as u64) < self.each { None } else { self.end() }
    }

    /// Ends a part; `None` without an interval.
    fn end(&mut self) -> Option<TrendPart> {
        let ([from, to], costs) = (self.span.take()?, std::mem::take(&mut self.costs));
        let hands = costs.len() as u64;
        let count = hands as f64;
        let mbb = costs.iter().sum::<f64>() / count;
        let squares: f64 = costs.iter().map(|cost| (cost - mbb).powi(2)).sum();
        if hands < 2 {
            return None;
        }
        let error = (squares / (count - 1.0) / count).sqrt();
        let Interval { low, high } = Rate::from_error(mbb, error, hands, hands).interval;
        Some(TrendPart { from, to, hands, mbb, low: low.max(0.0), high })
    }
}

impl Sums {
    fn new(asked: &Asked, analyst: &Analyst<'_>, big_blind: Chips) -> Sums {
        let lines = PARTS.map(|(key, name, about)| LedgerLine {
            key: key.to_owned(),
            name: name.to_owned(),
            about: about.to_owned(),
            chips: 0.0,
        });
        let function = analyst.advisers.ok().and_then(Advisers::value_function);
        let analysis = Analysis {
            player: String::new(),
            place: asked.who,
            by: asked.agent.clone(),
            unsolved_by: analyst.advisers.ok().and_then(Advisers::unsolved_by).map(str::to_owned),
            value_function: function.map(str::to_owned),
            hands: 0,
            big_blind,
            rates: Vec::new(),
            no_luck: None,
            ledger: ResultLedger { won: 0.0, hands: 0, lines: lines.into(), rest: Vec::new() },
            decisions: DecisionSums {
                made: 0,
                priced: 0,
                solved: 0,
                clear: 0,
                cost: 0.0,
                clear_cost: 0.0,
                not_priced: Vec::new(),
            },
            trend: Vec::new(),
            dearest: Vec::new(),
            most: asked.most,
        };
        let (rest, not_priced, trend) = (BTreeMap::new(), BTreeMap::new(), Trend::default());
        Sums { analysis, rest, not_priced, trend, big_blind: f64::from(big_blind) }
    }

    fn add(&mut self, share: Share) {
        let Analysis { ledger, decisions, trend, dearest, hands, .. } = &mut self.analysis;
        *hands += 1;
        let cost = share.priced.iter().map(|priced| priced.price).sum();
        trend.extend(self.trend.add(share.hand, cost));
        ledger.won += share.won;
        match share.parts {
            Ok(HandLedger { cards, own_draws, other_draws, play }) => {
                ledger.hands += 1;
                let parts = cards.into_iter().chain([own_draws, other_draws]).chain(play);
                for (line, part) in ledger.lines.iter_mut().zip(parts) {
                    line.chips += part * self.big_blind;
                }
            }
            Err(what) => {
                let rest = self.rest.entry(what).or_default();
                *rest = (rest.0 + 1, rest.1 + share.won);
            }
        }
        decisions.made += share.made;
        for unpriced in share.not_priced {
            *self.not_priced.entry(unpriced).or_default() += 1;
        }
        for priced in share.priced {
            decisions.priced += 1;
            decisions.solved += u64::from(priced.solved);
            decisions.cost += priced.price;
            if priced.is_clear() {
                decisions.clear += 1;
                decisions.clear_cost += priced.price;
            }
            dearest.push(priced);
        }
        if dearest.len() >= 2 * MOST_LISTED {
            rank(dearest);
        }
    }

    /// Adds hands of which only the result is known.
    fn settled(&mut self, hands: u64, won: f64) {
        self.analysis.hands += hands;
        self.analysis.ledger.won += won;
        let rest = self.rest.entry("of which only the result is known").or_default();
        *rest = (rest.0 + hands, rest.1 + won);
    }

    fn finish(mut self) -> Analysis {
        let mut analysis = self.analysis;
        // What is left at the end is a part if it is not too small.
        let enough = self.trend.costs.len() as u64 >= HANDS_OF_TREND;
        analysis.trend.extend(self.trend.end().filter(|_| enough));
        if analysis.decisions.priced == 0 {
            analysis.trend.clear();
        }
        let rest = self.rest.into_iter();
        let rest =
            rest.map(|(what, (hands, chips))| RestLine { what: what.to_owned(), hands, chips });
        analysis.ledger.rest = rest.collect();
        let over = analysis.ledger.won - analysis.ledger.total();
        // Sums of so many numbers are this exact.
        if over.abs() > 1e-6 * (analysis.hands as f64 + analysis.ledger.won.abs()) {
            let what = "what the parts leave over".to_owned();
            analysis.ledger.rest.push(RestLine { what, hands: 0, chips: over });
        }
        let left = self.not_priced.into_iter();
        let left = left.map(|(what, decisions)| NotPriced { what: what.to_string(), decisions });
        analysis.decisions.not_priced = left.collect();
        rank(&mut analysis.dearest);
        analysis
    }
}

/// Sorts decisions by their price, and keeps the dearest ones.
fn rank(dearest: &mut Vec<DearDecision>) {
    dearest.sort_by(|one, other| {
        let place = |dear: &DearDecision| (dear.hand, dear.decision);
        other.price.total_cmp(&one.price).then(place(one).cmp(&place(other)))
    });
    dearest.truncate(MOST_LISTED);
}

impl DearDecision {
    /// Whether the price is more than what its interval leaves open.
    pub fn is_clear(&self) -> bool {
        self.price > self.half_width.max(LEAST)
    }

    /// What the agent does with these cards: `raise to 2.5 bb 60 %, fold 40 %`.
    pub fn would(&self) -> String {
        let mut likely: Vec<&DearAction> =
            self.actions.iter().filter(|action| action.probability >= 0.005).collect();
        likely.sort_by(|one, other| other.probability.total_cmp(&one.probability));
        let words = likely.iter().map(|action| {
            format!("{} {}", action.action, show::number::percent(action.probability, 0))
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

impl TrendPart {
    /// The hands, what decisions cost in them, and the interval, in words.
    pub fn row(&self) -> [String; 3] {
        [
            format!("{} to {}", whole(self.from), whole(self.to)),
            decimal(self.mbb, 1),
            format!("{} to {}", decimal(self.low, 1), decimal(self.high, 1)),
        ]
    }
}

impl ResultLedger {
    /// All lines in chips as they are written, with one decimal: rounded so that what is written
    /// adds up to the result as it is written.
    pub fn written(&self) -> Vec<(String, String, f64)> {
        let parts =
            self.lines.iter().map(|line| (line.name.clone(), line.about.clone(), line.chips));
        let rest = self.rest.iter().map(|rest| {
            let hands = counted(rest.hands, "hand");
            let about = match rest.hands {
                0 => rest.what.clone(),
                _ => format!("{hands} {}: they cannot be taken apart", rest.what),
            };
            ("The rest".to_owned(), about, rest.chips)
        });
        let (mut sum, mut before) = (0.0, 0.0);
        let tenths = |chips: f64| (10.0 * chips).round() / 10.0;
        let mut written = Vec::new();
        for (name, about, chips) in parts.chain(rest) {
            sum += chips;
            let now = tenths(sum);
            written.push((name, about, tenths(now - before)));
            before = now;
        }
        written
    }

    /// All lines added up, in chips: the result.
    pub fn total(&self) -> f64 {
        let lines = self.lines.iter().map(|line| line.chips);
        lines.chain(self.rest.iter().map(|rest| rest.chips)).sum()
    }
}

impl Report for ResultsReport {
    const SCHEMA: &'static str = "cardroom-explain-results/1";
}

impl fmt::Display for ResultsReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(analysis) = &self.analysis {
            write!(f, "{analysis}")?;
        }
        match &self.results {
            Some(results) if self.analysis.is_some() => write!(f, "\n{results}"),
            Some(results) => write!(f, "{results}"),
            None => writeln!(f, "\nfewer than two whole deals: no places to compare"),
        }
    }
}

impl fmt::Display for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Analysis { player, by, ledger, decisions, .. } = self;
        writeln!(f, "{player}: {} chips in {}", chips(ledger.won), counted(self.hands, "hand"))?;
        let mut table = Table::new(["mbb/hand", "rate", "95 %"]).right(1..3);
        for (number, rate) in self.rates.iter().enumerate() {
            let RateLine { mbb, low, high, .. } = rate;
            let interval = format!("{} to {}", signed(*low, 1), signed(*high, 1));
            table.row([rate.words(number), signed(*mbb, 1), interval]);
        }
        writeln!(f, "\n{table}")?;
        if let Some(why) = &self.no_luck {
            writeln!(f, "no rate without luck: {why}")?;
        }
        let mut table = Table::new(["what the result is made of", "chips"]).right(1..2);
        for (name, about, amount) in ledger.written() {
            let name = if name == "The rest" { format!("{name}: {about}") } else { name };
            table.row([name, chips(amount)]);
        }
        table.row(["together: the result".to_owned(), chips(ledger.won)]);
        writeln!(f, "\n{table}")?;
        writeln!(f, "\n{}", decisions.words(by, self.unsolved_by.as_deref()))?;
        for NotPriced { what, decisions } in &decisions.not_priced {
            writeln!(f, "not priced: {} {what}", counted(*decisions, "decision"))?;
        }
        if self.trend.len() > 1 {
            let header = ["hands", "decisions cost, mbb/hand", "95 %"];
            let mut table = Table::new(header).right(1..3);
            for part in &self.trend {
                table.row(part.row());
            }
            writeln!(f, "\n{table}")?;
        }
        let clear = self.dearest.iter().filter(|dear| dear.is_clear());
        let listed: Vec<&DearDecision> = clear.take(self.most).collect();
        if !listed.is_empty() {
            let header = ["hand", "", "cards", "board", "played", "would", "price, bb"];
            let mut table = Table::new(header).right(0..1).right(6..7);
            for dear in listed {
                table.row([
                    dear.hand.to_string(),
                    dear.place.clone(),
                    dear.cards.clone(),
                    dear.board.clone(),
                    dear.played.clone(),
                    dear.would(),
                    format!("{} ± {}", decimal(dear.price, 2), decimal(dear.half_width, 2)),
                ]);
            }
            writeln!(f, "\n{table}")?;
        }
        Ok(())
    }
}

impl DecisionSums {
    /// What the decisions cost, in a sentence.
    pub fn words(&self, by: &str, unsolved_by: Option<&str>) -> String {
        let solved = match unsolved_by {
            None => String::new(),
            Some(other) => {
                format!(", {} of them by a solution and the rest by {other}", whole(self.solved))
            }
        };
        format!(
            "{} of {} have a price by {by}{solved}; {} clearly cost something: {} big blinds \
             together",
            whole(self.priced),
            counted(self.made, "decision"),
            whole(self.clear),
            decimal(self.clear_cost, 1)
        )
    }
}

/// Chips with a sign and one decimal, if it takes one.
pub fn chips(amount: f64) -> String {
    signed_grouped(amount, usize::from((10.0 * amount).round() % 10.0 != 0.0))
}
