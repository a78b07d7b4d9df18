//! From sums to estimates.
//!
//! An estimate is the mean over units of a linear combination of their terms. Coefficients are
//! either fixed (the value function's) or fitted; fitted ones are found, for each tenth of the
//! units, from the other nine tenths (cross-fitting), so they do not depend on the hands they are
//! applied to: the mean stays unbiased and the spread of the residuals is honest.

use serde::Serialize;

use super::moments::Moments;
use super::sample::{FOLDS, Sample};
use super::terms::{BASELINE, COUNT, DEAL, OTHER, OWN, RESULT, Terms, fixed};
use super::{Estimates, Facts};
use crate::stats::Rate;

/// What a fitted coefficient is held to its fixed value by, in units. A match of a few hundred
/// hands thus keeps to the value function, all of it scaled by one factor; one of many thousands
/// finds coefficients of its own.
const PRIOR: f64 = 500.0;

/// A way to estimate the win rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// The results as they are.
    Raw,
    /// Expected results where an all-in was run out.
    AllIn,
    /// The baseline as control variate, with a fitted coefficient.
    Baseline,
    /// Corrected for the deal of hole cards and board.
    Luck,
    /// Also for the entrant's own choices: one-sided AIVAT.
    OwnChoices,
    /// For the deal and the other entrant's choices.
    OtherChoices,
    /// For the deal and the choices of both: AIVAT.
    BothChoices,
    /// Also averaged over the hole cards that the entrant could have held.
    Imagined,
    /// Everything known, with fitted coefficients.
    Combined,
}

/// One estimate.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Which.
    pub kind: RowKind,
    /// The win rate.
    pub rate: Rate,
    /// The standard deviation of single hands, in mbb, that would give this interval.
    pub deviation: f64,
    /// That as a share of the raw one; `None` when the raw one is zero.
    pub of_raw: Option<f64>,
    /// The fitted coefficient, of rows that have one.
    pub coefficient: Option<f64>,
    /// The rate over the hands from each seat of the game; `None` with fewer than two.
    pub seats: [Option<Rate>; 2],
}

/// All estimates of one entrant's rate, the plain one first.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// Whose rate, as an index into the match's entrants.
    pub of: usize,
    /// The estimates.
    pub rows: Vec<Row>,
    /// What the reader should know, in words.
    pub notes: Vec<String>,
}

/// Why there are no estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoEstimates {
    /// Fewer than two independent units.
    #[error("one deal only: an interval needs two")]
    OneUnit,
    /// Corrections only for hands that were shown would be biased.
    #[error("{0} hands have cards that are not known, and leaving them out would bias everything")]
    UnknownCards(u64),
}

/// The units of an estimate: hands of one seat, hands of both, or groups.
struct Units<'a> {
    strata: Vec<&'a Sample>,
    hands: f64,
}

/// What an estimate is made of.
struct Recipe {
    kind: RowKind,
    imagined: bool,
    /// Terms that are corrected for with fixed coefficients.
    fixed: Vec<usize>,
    /// Terms whose coefficients are fitted.
    fitted: Vec<usize>,
}

pub(super) fn rows(estimates: &Estimates) -> Result<Rows, NoEstimates> {
    let facts = estimates.facts;
    if facts.unknown_cards > 0 {
        return Err(NoEstimates::UnknownCards(facts.unknown_cards));
    }
    let all = Units {
        strata: match estimates.group {
            1 => estimates.seats.iter().collect(),
            _ => vec![&estimates.groups],
        },
        hands: estimates.group as f64,
    };
    let mut rows: Vec<Row> = Vec::new();
    for recipe in recipes(facts) {
        let Some((rate, coefficient)) = recipe.rate(&all) else { continue };
        let deviation = rate.standard_error * (rate.hands as f64).sqrt();
        let raw = rows.first().map_or(deviation, |raw| raw.deviation);
        let seats = [0, 1].map(|seat| {
            let units = Units { strata: vec![&estimates.seats[seat]], hands: 1.0 };
            // The baseline's mean is zero over both seats only.
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
    Ok(Rows { of: usize::from(estimates.of), rows, notes: notes(facts) })
}

fn recipes(facts: Facts) -> Vec<Recipe> {
    let deal: Vec<usize> = (DEAL..OWN).collect();
    let choices = |first: usize| [first, first + 1];
    let known = facts.strategies.map(|known| known > 0);
    let baseline = facts.baselines > 0 && facts.baselines + facts.settled == facts.hands;
    let imagined = facts.imagined > 0 && facts.contradicted == 0;
    let plain = |kind, fixed: Vec<usize>| Recipe { kind, imagined: false, fixed, fitted: vec![] };
    let mut recipes = vec![plain(RowKind::Raw, vec![])];
    if baseline {
        recipes.push(Recipe { fitted: vec![BASELINE], ..plain(RowKind::Baseline, vec![]) });
    }
    recipes.push(plain(RowKind::Luck, deal.clone()));
    let own = [&deal[..], &choices(OWN)].concat();
    let other = [&deal[..], &choices(OTHER)].concat();
    let both = [&own[..], &choices(OTHER)].concat();
    match known {
        [true, false] => recipes.push(plain(RowKind::OwnChoices, own)),
        [false, true] => recipes.push(plain(RowKind::OtherChoices, other)),
        [true, true] => {
            recipes.push(plain(RowKind::OwnChoices, own));
            recipes.push(plain(RowKind::BothChoices, both.clone()));
        }
        [false, false] => {}
    }
    if imagined {
        recipes.push(Recipe { imagined, ..plain(RowKind::Imagined, both.clone()) });
    }
    let mut fitted = both;
    fitted.extend(baseline.then_some(BASELINE));
    recipes.push(Recipe { imagined, fitted, ..plain(RowKind::Combined, vec![]) });
    recipes
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
            "{} of {} hands, known by their results only, stand in every estimate as they fell",
            facts.settled, facts.hands
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
        let keep = |terms: &[usize]| terms.iter().copied().filter(|&t| t != term).collect();
        Recipe { fixed: keep(&self.fixed), fitted: keep(&self.fitted), ..*self }
    }

    /// The rate in mbb/hand, and the mean of the first fitted coefficient over the folds.
    fn rate(&self, units: &Units<'_>) -> Option<(Rate, Option<f64>)> {
        let strata: Vec<&[Moments; FOLDS]> =
            units.strata.iter().map(|sample| sample.folds(self.imagined)).collect();
        let count: f64 = strata.iter().flat_map(|folds| folds.iter()).map(|m| m.units).sum();
        if count < 2.0 {
            return None;
        }
        let (mut sum, mut squares, mut coefficient) = (0.0, 0.0, 0.0);
        for fold in 0..FOLDS {
            let weights = self.weights(&strata, fold);
            let in_fold: f64 = strata.iter().map(|folds| folds[fold].units).sum();
            coefficient -= weights[*self.fitted.first().unwrap_or(&RESULT)] / FOLDS as f64;
            for folds in &strata {
                let moments = &folds[fold];
                if moments.units == 0.0 {
                    // Over the other seat alone the baseline's mean is not zero.
                    if in_fold > 0.0 && weights[BASELINE] != 0.0 {
                        return None;
                    }
                    continue;
                }
                let mut weights = weights;
                // Each seat counts the same, however many hands it has.
                weights[BASELINE] *= in_fold / (strata.len() as f64 * moments.units);
                let (s, ss) = moments.combined(&weights);
                sum += s;
                squares += ss;
            }
        }
        let variance = ((squares - sum * sum / count) / (count - 1.0)).max(0.0);
        let mbb = 1000.0 / units.hands;
        let hands = (count * units.hands) as u64;
        let error = (variance / count).sqrt();
        let rate = Rate::from_error(sum / count * mbb, error * mbb, hands, count as u64);
        Some((rate, (!self.fitted.is_empty()).then_some(coefficient)))
    }

    /// The weights of the terms in one fold, fitted on all others.
    fn weights(&self, strata: &[&[Moments; FOLDS]], fold: usize) -> Terms {
        let prior = fixed();
        let mut weights = [0.0; COUNT];
        for &term in &self.fixed {
            weights[term] = -prior[term];
        }
        if !self.fitted.is_empty() {
            let mut others = Moments::default();
            for folds in strata {
                let rest = folds.iter().enumerate().filter(|&(other, _)| other != fold);
                rest.for_each(|(_, moments)| others.merge(moments));
            }
            let scale = others.scale(RESULT, &self.fitted, &prior);
            let prior = prior.map(|coefficient| scale * coefficient);
            let fitted = others.fit(RESULT, &self.fitted, &prior, PRIOR);
            for &term in &self.fitted {
                weights[term] = -fitted[term];
            }
        }
        weights[RESULT] = 1.0;
        weights
    }
}
