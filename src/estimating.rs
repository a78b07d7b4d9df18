//! The corrections behind a report's estimates: by whose values, and of how many deals.
//!
//! By default they take about a second. Every value function that the match allows is tried on a
//! few deals, drawn at random and then set aside, for its time and for the variance that it leaves;
//! the best one for the time corrects as many of the other deals as there is time for. Neither the
//! choice nor the number depends on the deals that are then estimated from.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::{Cost, Registry, StrategyQuery};
use game::{Policy, ValueFunction};
use logs::estimate::{Estimates, Observed, Part, Sampling};
use logs::stats::report::{SampleSection, Tried};

use crate::exit::Failure;
use crate::source::Source;

/// The time for corrections by default, in seconds; loading and trying values takes up to as much.
const SECONDS: f64 = 1.0;

/// Number of deals to try value functions on, and the largest share of all deals.
const TRIAL_DEALS: f64 = 24.0;
const TRIAL_SHARE: f64 = 0.05;

/// The time to try one value function.
const TRIAL_TIME: Duration = Duration::from_millis(100);

/// Number of deals for which the usual variances count beside those of the trial.
const USUAL_DEALS: f64 = 16.0;

/// The fewest corrected deals whose variance is worth measuring.
const FEWEST_DEALS: f64 = 30.0;

/// The assumed time for a deal before anything is known, in seconds.
const USUAL_TIME: f64 = 0.01;

/// The most hands for which estimates use the values of a blueprint unless asked to: some minutes.
const VALUED_HANDS: u64 = 200_000;

/// The value function behind estimates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Values {
    /// The best for the time; without a limit that of both agents if they can be asked, else the
    /// shipped blueprint's, if there is one for the game and hands are not too many.
    Auto,
    /// The shipped blueprint's.
    Blueprint,
    /// The one for all games, based on equity in the pot.
    Equity,
    /// The shipped blueprint's, with the strategies of the agents that played where they provide
    /// them.
    Agents(StrategyQuery),
    /// That of a blueprint file.
    File(PathBuf),
}

/// How many deals are corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// None: no estimates.
    None,
    /// As many as there is time for.
    Second,
    /// About this many, drawn at random.
    Deals(u64),
    /// All.
    All,
}

/// The estimates that are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) extent: Extent,
    pub(crate) values: Values,
    /// The number of luckiest hands to keep.
    pub(crate) luckiest: usize,
}

/// Estimates that are ready for the hands of a match.
pub(crate) struct Prepared {
    pub(crate) estimates: Estimates,
    /// The values that were chosen.
    pub(crate) values: Values,
    /// Number of all deals, and what was tried, unless all deals are corrected.
    sample: Option<(u64, Vec<Tried>)>,
}

impl Values {
    /// Parses a value function: a name, or the file of a blueprint.
    pub(crate) fn named(text: &str) -> Values {
        match text {
            "auto" => Values::Auto,
            "blueprint" => Values::Blueprint,
            "equity" => Values::Equity,
            "agents" => Values::Agents(StrategyQuery::Buckets),
            "cards" => Values::Agents(StrategyQuery::Cards),
            file => Values::File(file.into()),
        }
    }

    /// The name for [`named`](Self::named).
    pub(crate) fn name(&self) -> String {
        match self {
            Values::Auto => "auto".to_owned(),
            Values::Blueprint => "blueprint".to_owned(),
            Values::Equity => "equity".to_owned(),
            Values::Agents(StrategyQuery::Buckets) => "agents".to_owned(),
            Values::Agents(StrategyQuery::Cards) => "cards".to_owned(),
            Values::File(path) => path.display().to_string(),
        }
    }

    /// The share of the variance that they usually leave (docs/statistics.md).
    fn usual(&self) -> f64 {
        match self {
            Values::Agents(StrategyQuery::Cards) => 0.03,
            Values::Agents(StrategyQuery::Buckets) => 0.06,
            Values::Blueprint | Values::File(_) => 0.45,
            Values::Auto | Values::Equity => 0.55,
        }
    }
}

impl std::str::FromStr for Extent {
    type Err = String;

    fn from_str(text: &str) -> Result<Extent, String> {
        match text {
            "auto" => Ok(Extent::Second),
            "all" => Ok(Extent::All),
            "off" => Ok(Extent::None),
            number => match number.parse() {
                Ok(deals) if deals > 0 => Ok(Extent::Deals(deals)),
                _ => Err("it is auto, all, off or a number of deals".to_owned()),
            },
        }
    }
}

impl std::fmt::Display for Extent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Extent::None => write!(f, "off"),
            Extent::Second => write!(f, "auto"),
            Extent::Deals(deals) => write!(f, "{deals}"),
            Extent::All => write!(f, "all"),
        }
    }
}

impl Wanted {
    /// No estimates.
    pub(crate) const NONE: Wanted =
        Wanted { extent: Extent::None, values: Values::Equity, luckiest: 0 };
}

impl Prepared {
    /// Estimates by these values, of every deal.
    pub(crate) fn by(match_: &Match<'_>, values: Values) -> Result<Prepared, Failure> {
        let estimates = match_.estimates(match_.values(&values)?)?;
        Ok(Prepared { estimates, values, sample: None })
    }

    /// The sample behind the estimates, `None` if all deals are corrected: what was tried, with
    /// what has been seen since.
    pub(crate) fn sample(&self, corrected: u64) -> Option<SampleSection> {
        let (of, mut tried) = self.sample.clone()?;
        let values = self.values.name();
        if let Some(chosen) = tried.iter_mut().find(|tried| tried.values == values) {
            chosen.of_raw = self.estimates.left(self.values.usual(), USUAL_DEALS).sqrt();
        }
        let set_aside = self.estimates.set_aside();
        let whole = corrected == of && set_aside == 0;
        (!whole).then_some(SampleSection { corrected, set_aside, of, values, tried })
    }
}

/// A match whose hands are to be estimated from.
pub(crate) struct Match<'a> {
    source: &'a Source,
    wanted: &'a Wanted,
    policies: [Option<Arc<dyn Policy>>; 2],
    /// Whether the agents that can be asked answer at once. One that solves for seconds is asked
    /// only on request.
    quick: bool,
}

impl<'a> Match<'a> {
    /// The match of this source, with its agents if the registry has them; `None` for games
    /// without estimates.
    pub(crate) fn of(
        source: &'a Source,
        wanted: &'a Wanted,
        registry: Option<&'a Registry>,
    ) -> Option<Match<'a>> {
        let info = source.info();
        Estimates::new(info, 0)?;
        let def = Arc::new(info.game.clone());
        // Programs and agents that cannot be resolved are replaced by the blueprint.
        let agents = [0, 1].map(|entrant: usize| {
            let agent = registry?.resolve(&info.entrants[entrant].agent).ok()?;
            agent.has_policy().then_some(agent)
        });
        let quick = agents.iter().flatten().all(|agent| agent.cost() == Cost::Inline);
        let asked = quick || matches!(wanted.values, Values::Agents(_));
        let policies = agents.map(|agent| agent.filter(|_| asked)?.policy(&def).ok().flatten());
        Some(Match { source, wanted, policies, quick })
    }

    /// Prepares the estimates that are wanted; `seen` is called now and then.
    pub(crate) fn prepare(&self, seen: &mut dyn FnMut()) -> Result<Prepared, Failure> {
        let deals = self.deals()?;
        let prepared = match self.wanted.extent {
            Extent::Second => return self.choose(deals, seen),
            Extent::Deals(wanted) if wanted < deals => {
                let Prepared { estimates, values, .. } = Prepared::by(self, self.best()?)?;
                let share = wanted as f64 / deals as f64;
                let estimates = estimates.sampling(Sampling::of(0.0, share));
                Prepared { estimates, values, sample: Some((deals, Vec::new())) }
            }
            _ => Prepared::by(self, self.best()?)?,
        };
        prepared.estimates.expect_hands(self.source.count()?);
        Ok(prepared)
    }

    /// The values that are wanted, without regard to time.
    fn best(&self) -> Result<Values, Failure> {
        if self.wanted.values != Values::Auto {
            return Ok(self.wanted.values.clone());
        }
        Ok(match agents::shipped_blueprint(&self.source.info().game) {
            Some(_) if self.source.count()? <= VALUED_HANDS => {
                match self.quick && self.policies.iter().all(Option::is_some) {
                    true => Values::Agents(StrategyQuery::Buckets),
                    false => Values::Blueprint,
                }
            }
            _ => Values::Equity,
        })
    }

    /// The number of deals.
    fn deals(&self) -> Result<u64, Failure> {
        let hands = match self.source {
            Source::Ledger(reader) => {
                reader.count().map_err(Failure::input)? + self.source.settled()?.len() as u64
            }
            Source::Log(_) => self.source.hands()?.count() as u64,
        };
        Ok((hands / self.source.info().group() as u64).max(1))
    }

    /// Chooses values and the number of deals by a trial.
    fn choose(&self, deals: u64, seen: &mut dyn FnMut()) -> Result<Prepared, Failure> {
        let aside = (TRIAL_DEALS / deals as f64).min(TRIAL_SHARE);
        let drawn = Sampling::of(aside, 0.0);
        let trial = self.source.drawn(&|deal| drawn.part(deal) == Part::Aside)?;
        let mut candidates = Vec::new();
        for values in self.candidates()? {
            let function = self.values(&values)?;
            seen();
            let estimates = self.estimates(function.clone())?;
            let found = self.tried(estimates, &trial, &values, deals)?;
            candidates.push((values, function, found));
            seen();
        }
        // A little more time is better than a few deals without corrections, and a few with them
        // tell nothing.
        let share = |tried: &Tried| match SECONDS / tried.seconds.max(1e-9) {
            share if share >= 0.6 => 1.0,
            share if share * (deals as f64) < FEWEST_DEALS => 0.0,
            share => share,
        };
        let gain =
            |tried: &Tried| share(tried) / tried.of_raw.powi(2).max(1e-3) + 1.0 - share(tried);
        let best =
            candidates.iter().max_by(|(.., one), (.., other)| gain(one).total_cmp(&gain(other)));
        let (values, function, tried) = best.expect("there is always the one by equity");
        // Values that would not narrow the interval correct nothing.
        let corrected = if gain(tried) > 1.0 { share(tried) } else { 0.0 };
        let sampling = Sampling::of(aside, corrected);
        let estimates = self.estimates(function.clone())?.sampling(sampling);
        let group = self.source.info().group() as u64;
        estimates.expect_hands((corrected * deals as f64) as u64 * group);
        let tried = candidates.iter().map(|(.., tried)| tried.clone()).collect();
        Ok(Prepared { estimates, values: values.clone(), sample: Some((deals, tried)) })
    }

    /// The value functions to try.
    fn candidates(&self) -> Result<Vec<Values>, Failure> {
        if self.wanted.values != Values::Auto {
            return Ok(vec![self.wanted.values.clone()]);
        }
        let mut all = vec![Values::Equity];
        let shipped = agents::shipped_blueprint(&self.source.info().game).is_some();
        if shipped && self.source.count()? <= VALUED_HANDS {
            // Those of the agents leave less than the blueprint's, in as much time.
            all.extend(match self.quick && self.policies.iter().any(Option::is_some) {
                true => vec![
                    Values::Agents(StrategyQuery::Buckets),
                    Values::Agents(StrategyQuery::Cards),
                ],
                false => vec![Values::Blueprint],
            });
        }
        Ok(all)
    }

    /// The time of a value function for all deals, and the deviation that it leaves, by these
    /// hands.
    fn tried(
        &self,
        mut estimates: Estimates,
        trial: &[Observed],
        values: &Values,
        deals: u64,
    ) -> Result<Tried, Failure> {
        let group = self.source.info().group();
        // The first hands take longer, and each later part a little less: strategies are asked when
        // they are first needed. The later half tells best what the hands after the trial take.
        let chunk = (2 * parallel::threads()).next_multiple_of(group);
        let mut begun = Instant::now();
        let mut taken: Vec<(f64, usize)> = Vec::new();
        for (number, hands) in trial.chunks(chunk).enumerate() {
            let start = Instant::now();
            let all = hands.iter().cloned().map(Ok::<_, Failure>);
            let _ = estimates.add_all(all, &mut |_| ControlFlow::Continue(()))?;
            taken.push((start.elapsed().as_secs_f64(), hands.len()));
            if number == 0 {
                begun = Instant::now();
            } else if begun.elapsed() > TRIAL_TIME {
                break;
            }
        }
        let later = &taken[taken.len() / 2..];
        let (time, count) =
            later.iter().fold((0.0, 0), |(time, count), one| (time + one.0, count + one.1));
        let per_deal = if count > 0 { time / count as f64 } else { USUAL_TIME } * group as f64;
        Ok(Tried {
            values: values.name(),
            seconds: per_deal * deals as f64,
            of_raw: estimates.left(values.usual(), USUAL_DEALS).sqrt(),
        })
    }

    /// Empty estimates of the first entrant's rate by this value function.
    fn estimates(&self, function: Option<Arc<dyn ValueFunction>>) -> Result<Estimates, Failure> {
        let info = self.source.info();
        let estimates = Estimates::new(info, 0).expect("checked when the match was opened");
        let mut estimates = estimates.keeping_luckiest(self.wanted.luckiest);
        if let Some(function) = function {
            estimates = estimates.valued_by(function);
        }
        Ok(estimates)
    }

    /// The value function of a blueprint, if one is wanted.
    fn values(&self, wanted: &Values) -> Result<Option<Arc<dyn ValueFunction>>, Failure> {
        let info = self.source.info();
        let def = &info.game;
        let none = || {
            Failure::input(anyhow::anyhow!(
                "no blueprint ships for the game of {}: name the file of one as --values FILE, or \
                 leave out --values",
                info.name
            ))
        };
        match wanted {
            Values::Auto | Values::Equity => Ok(None),
            Values::Blueprint => agents::shipped_values(def).map(Some).ok_or_else(none),
            &Values::Agents(asked_for) => {
                let names = [0, 1].map(|entrant: usize| info.entrants[entrant].agent.as_str());
                let policies = self.policies.clone();
                let values = agents::values_between(def, policies, names, asked_for);
                values.map(Some).ok_or_else(none)
            }
            Values::File(path) => {
                let values = agents::values_of_file(path).map_err(Failure::input)?;
                values.check_game(def).map_err(|error| {
                    let path = path.display();
                    Failure::input(anyhow::anyhow!("{path}: {error}: leave out --values"))
                })?;
                Ok(Some(values))
            }
        }
    }
}
