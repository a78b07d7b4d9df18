//! Computation of the estimates from the sums.
//!
//! An estimate is the mean over units of a linear combination of their terms. Its coefficients for
//! each tenth of the units are fitted on the other nine tenths (cross-fitting), so they do not
//! depend on the hands they are applied to: the mean stays unbiased and the variance of the
//! residuals is honest. A correction that would add variance between these agents gets next to no
//! weight.

use serde::Serialize;

use super::moments::Moments;
use super::sample::{FOLDS, Sample};
use super::terms::{BASELINE, COUNT, OTHER, OWN, RESULT, Terms, chosen, deal, fixed, street};
use super::{Estimates, Facts};
use crate::stats::{Rate, Sums};

/// Number of parts of the training folds on which the degrees of freedom are selected.
const INNER_FOLDS: usize = 3;

/// A kind of estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// The raw results.
    Raw,
    /// With expected results where an all-in was run out.
    AllIn,
    /// The baseline as control variate, with a fitted coefficient.
    Baseline,
    /// Corrected for the deal of hole cards and board.
    Luck,
    /// Also corrected for the entrant's own choices: one-sided AIVAT.
    OwnChoices,
    /// Corrected for the deal and the other entrant's choices.
    OtherChoices,
    /// Corrected for the deal and the choices of both: AIVAT.
    BothChoices,
    /// Also averaged over the entrant's possible hole cards.
    Imagined,
    /// Corrected for everything known.
    Combined,
}

/// One estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The kind.
    pub kind: RowKind,
    /// The win rate with its interval.
    pub rate: Rate,
    /// The standard deviation of single hands, in mbb, that corresponds to the interval.
    pub deviation: f64,
    /// The deviation as a share of the raw one; `None` when the raw one is zero.
    pub of_raw: Option<f64>,
    /// The fitted coefficient, where the row has one.
    pub coefficient: Option<f64>,
    /// The rate over the hands from each seat; `None` with fewer than two.
    pub seats: [Option<Rate>; 2],
}

/// All estimates of one entrant's rate, the raw one first.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The entrant, as an index into the match's entrants.
    pub of: usize,
    /// The estimates.
    pub rows: Vec<Row>,
    /// The name of the value function behind the corrections.
    pub value_function: String,
    /// Notes for the reader, in words.
    pub notes: Vec<String>,
}

/// The reason why there are no estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoEstimates {
    /// Fewer than two independent units.
    #[error("one deal only: an interval needs two")]
    OneUnit,
    /// Hole cards of this many hands are unknown: correcting only shown hands would be biased.
    #[error("{0} hands have cards that are not known, and leaving them out would bias everything")]
    UnknownCards(u64),
}

/// The units of an estimate by stratum: hands of one seat, hands of both, or groups.
struct Units<'a> {
    strata: Vec<&'a Sample>,
    hands: f64,
    /// Hands known only together, and the big blind in chips.
    together: Sums,
    big_blind: f64,
}

impl Units<'_> {
    fn all(estimates: &Estimates) -> Units<'_> {
        let strata = match estimates.group {
            1 => estimates.seats.iter().collect(),
            _ => vec![&estimates.groups],
        };
        let (together, big_blind) = (estimates.together, estimates.big_blind);
        Units { strata, hands: estimates.group as f64, together, big_blind }
    }
}

/// The definition of an estimate.
struct Recipe {
    kind: RowKind,
    averaged: bool,
    /// Whether there is a given value function.
    valued: bool,
    /// The terms to correct for, with fitted coefficients.
    terms: Vec<usize>,
}

pub(super) fn rows(estimates: &Estimates) -> Result<Rows, NoEstimates> {
    let facts = estimates.facts;
    if facts.unknown_cards > 0 {
        return Err(NoEstimates::UnknownCards(facts.unknown_cards));
    }
    let all = Units::all(estimates);
    let mut rows: Vec<Row> = Vec::new();
    for recipe in recipes(facts, estimates.values.is_some()) {
        let Some((rate, coefficient)) = recipe.rate(&all) else { continue };
        let deviation = rate.standard_error * (rate.hands as f64).sqrt();
        let raw = rows.first().map_or(deviation, |raw| raw.deviation);
        let seats = [0, 1].map(|seat| {
            let (strata, together) = (vec![&estimates.seats[seat]], Sums::default());
            let units = Units { strata, hands: 1.0, together, ..all };
            // The baseline's mean is zero only over both seats together.
            recipe.without(BASELINE).rate(&units).map(|(rate, _)| rate)
        });
        rows.push(Row {
            kind: recipe.kind,
            rate,
            deviation,
            of_raw: (raw > 0.0).then(|| deviation / raw),
            coefficient: coefficient.filter(|_| recipe.kind == RowKind::Baseline),
            seats: if recipe.kind == RowKind::Baseline { [None; 2] } else { seats },
        });
    }
    if rows.is_empty() {
        return Err(NoEstimates::OneUnit);
    }
    let value_function = estimates.value_function().to_owned();
    Ok(Rows { of: usize::from(estimates.of), rows, value_function, notes: notes(facts) })
}

fn recipes(facts: Facts, valued: bool) -> Vec<Recipe> {
    let deal: Vec<usize> = deal(valued).collect();
    let with = |terms: &[usize], first| -> Vec<usize> {
        terms.iter().copied().chain(chosen(first, valued)).collect()
    };
    let known = facts.strategies.map(|known| known > 0);
    let baseline = facts.baselines > 0 && facts.baselines + facts.settled == facts.hands;
    let averaged = facts.averaged > 0 && facts.contradicted == 0;
    let plain = |kind, terms: Vec<usize>| Recipe { kind, averaged: false, valued, terms };
    let mut recipes = vec![plain(RowKind::Raw, vec![])];
    if baseline {
        recipes.push(plain(RowKind::Baseline, vec![BASELINE]));
    }
    recipes.push(plain(RowKind::Luck, deal.clone()));
    let own = with(&deal, OWN);
    let both = with(&own, OTHER);
    match known {
        [true, false] => recipes.push(plain(RowKind::OwnChoices, own)),
        [false, true] => recipes.push(plain(RowKind::OtherChoices, with(&deal, OTHER))),
        [true, true] => {
            recipes.push(plain(RowKind::OwnChoices, own));
            recipes.push(plain(RowKind::BothChoices, both.clone()));
        }
        [false, false] => {}
    }
    if averaged {
        recipes.push(Recipe { averaged, ..plain(RowKind::Imagined, both.clone()) });
    }
    let mut all = both;
    all.extend(baseline.then_some(BASELINE));
    recipes.push(Recipe { averaged, ..plain(RowKind::Combined, all) });
    recipes
}

pub(super) fn narrowing(estimates: &Estimates) -> Vec<(&'static str, f64)> {
    let valued = estimates.values.is_some();
    let all = Units::all(estimates);
    let mut kinds: Vec<(&'static str, Vec<usize>)> = vec![
        ("hole cards", street(0, valued).collect()),
        ("flop", street(1, valued).collect()),
        ("turn", street(2, valued).collect()),
        ("river", street(3, valued).collect()),
        ("own draws", chosen(OWN, valued).collect()),
        ("the other's draws", chosen(OTHER, valued).collect()),
    ];
    let mut recipe = Recipe { kind: RowKind::Combined, averaged: false, valued, terms: Vec::new() };
    let error = |recipe: &Recipe| recipe.rate(&all).map(|(rate, _)| rate.standard_error);
    let Some(raw) = error(&recipe).filter(|&raw| raw > 0.0) else { return Vec::new() };
    let left = kinds.iter_mut().map(|(name, terms)| {
        recipe.terms.append(terms);
        (*name, error(&recipe).unwrap_or(raw) / raw)
    });
    left.collect()
}

fn notes(facts: Facts) -> Vec<String> {
    let mut notes = Vec::new();
    if facts.contradicted > 0 {
        notes.push(format!(
            "nothing was imagined: at {} hands the agent named in the match does not give the \
             strategy that was recorded",
            facts.contradicted
        ));
    }
    if facts.settled > 0 {
        notes.push(format!(
            "{} of {} hands, known by their results only, enter every estimate with their results",
            facts.settled, facts.hands
        ));
    }
    if facts.together > 0 {
        notes.push(format!(
            "of {} of them only the sum of two or more is known: they are in no rate by seat, and \
             count for the interval as the groups that they are",
            facts.together
        ));
    }
    for (decisions, strategies) in facts.decisions.into_iter().zip(facts.strategies) {
        if strategies > 0 && strategies < decisions {
            notes.push(format!(
                "{} of {decisions} decisions have no recorded strategy and are not corrected for",
                decisions - strategies
            ));
        }
    }
    notes
}

impl Recipe {
    fn without(&self, term: usize) -> Recipe {
        let terms = self.terms.iter().copied().filter(|&t| t != term).collect();
        Recipe { terms, ..*self }
    }

    /// The rate in mbb/hand, and the mean of the first fitted coefficient over the folds.
    fn rate(&self, units: &Units<'_>) -> Option<(Rate, Option<f64>)> {
        let strata: Vec<&[Moments; FOLDS]> =
            units.strata.iter().map(|sample| sample.folds(self.averaged)).collect();
        let count: f64 = strata.iter().flat_map(|folds| folds.iter()).map(|m| m.units).sum();
        if count < 2.0 {
            return None;
        }
        let (mut sum, mut squares, mut coefficient) = (0.0, 0.0, 0.0);
        for fold in 0..FOLDS {
            let weights = self.weights(&strata, fold);
            let in_fold: f64 = strata.iter().map(|folds| folds[fold].units).sum();
            coefficient -= weights[*self.terms.first().unwrap_or(&RESULT)] / FOLDS as f64;
            for folds in &strata {
                let moments = &folds[fold];
                if moments.units == 0.0 {
                    // Over one seat alone the baseline's mean is not zero.
                    if in_fold > 0.0 && weights[BASELINE] != 0.0 {
                        return None;
                    }
                    continue;
                }
                let mut weights = weights;
                // Each seat has the same weight, however many hands it has.
                weights[BASELINE] *= in_fold / (strata.len() as f64 * moments.units);
                let (s, ss) = moments.combined(&weights);
                sum += s;
                squares += ss;
            }
        }
        // The groups of hands known together are units of several hands each.
        let together = &units.together;
        let all = count + together.hands as f64;
        let groups = count + together.groups as f64;
        let mean = (sum + together.chips() / units.big_blind) / all;
        let squares = (squares - sum * sum / count)
            + count * (sum / count - mean).powi(2)
            + together.squares(mean * units.big_blind) / units.big_blind.powi(2);
        let variance = (squares / (groups - 1.0)).max(0.0);
        let mbb = 1000.0 / units.hands;
        let hands = (all * units.hands) as u64;
        let error = (variance / all * (groups / all)).sqrt();
        let rate = Rate::from_error(mean * mbb, error * mbb, hands, groups as u64);
        Some((rate, (!self.terms.is_empty()).then_some(coefficient)))
    }

    /// The weights of the terms in one fold, fitted on all others, with the degrees of freedom that
    /// do best in cross-validation among those.
    fn weights(&self, strata: &[&[Moments; FOLDS]], fold: usize) -> Terms {
        if self.terms.is_empty() {
            return self.fitted(&Moments::default(), Freedom::Plain);
        }
        let mut spread = [0.0; Freedom::ALL.len()];
        for part in 0..INNER_FOLDS {
            let inside = |other: usize| other != fold && other % INNER_FOLDS == part;
            let others = merged(strata, |other| other != fold && !inside(other));
            for (spread, freedom) in spread.iter_mut().zip(Freedom::ALL) {
                let weights = self.fitted(&others, freedom);
                for folds in strata {
                    let moments = folds.iter().enumerate().filter(|&(other, _)| inside(other));
                    for (_, moments) in moments.filter(|(_, moments)| moments.units > 0.0) {
                        let (sum, squares) = moments.combined(&weights);
                        *spread += squares - sum * sum / moments.units;
                    }
                }
            }
        }
        // The first of those that differ only by rounding.
        let mut best = 0;
        for at in 1..spread.len() {
            if spread[at] < (1.0 - 1e-6) * spread[best] - 1e-9 {
                best = at;
            }
        }
        let best = Freedom::ALL[best];
        self.fitted(&merged(strata, |other| other != fold), best)
    }

    /// The weights fitted on these units, with this freedom.
    fn fitted(&self, units: &Moments, freedom: Freedom) -> Terms {
        let mut weights = [0.0; COUNT];
        weights[RESULT] = 1.0;
        let held = match freedom {
            Freedom::Plain => return weights,
            Freedom::Scaled => None,
            Freedom::Held(held) => Some(held),
        };
        let prior = fixed(self.valued);
        let scale = units.scale(RESULT, &self.terms, &prior);
        let prior = prior.map(|coefficient| scale * coefficient);
        let fitted = held.map_or(prior, |held| units.fit(RESULT, &self.terms, &prior, held));
        for &term in &self.terms {
            weights[term] = -fitted[term];
        }
        weights
    }
}

/// The degrees of freedom of a fit.
#[derive(Debug, Clone, Copy)]
enum Freedom {
    /// Each weight is fitted, regularised towards the scaled value function with the weight of this
    /// many units: a match of a few hundred hands keeps to the value function, one of many
    /// thousands finds weights of its own.
    Held(f64),
    /// The value function's weights times one fitted factor.
    Scaled,
    /// No corrections.
    Plain,
}

impl Freedom {
    const ALL: [Freedom; 3] = [Freedom::Held(500.0), Freedom::Scaled, Freedom::Plain];
}

/// The moments of some folds together.
fn merged(strata: &[&[Moments; FOLDS]], wanted: impl Fn(usize) -> bool) -> Moments {
    let mut all = Moments::default();
    for folds in strata {
        let some = folds.iter().enumerate().filter(|&(fold, _)| wanted(fold));
        some.for_each(|(_, moments)| all.merge(moments));
    }
    all
}
