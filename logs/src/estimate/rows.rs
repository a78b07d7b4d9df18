//! Computation of the estimates from the sums.
//!
//! An estimate is the mean over units of a linear combination of their terms, whose mean and
//! variance follow from the terms' first and second [moments](Moments). Its coefficients for each
//! tenth of the units are fitted on the other nine tenths (cross-fitting), so they do not depend on
//! the hands they are applied to: the mean stays unbiased and the variance of the residuals is
//! honest. A correction that would add variance between these agents gets next to no weight.

use serde::{Deserialize, Serialize};

use crate::estimate::terms::{
    BASELINE, COUNT, OTHER, OWN, RESULT, Terms, chosen, deal, fixed, street,
};
use crate::estimate::{Cell, Estimates, FOLDS, Facts};
use crate::stats::{Rate, Sums};

/// Number of parts of the training folds on which the degrees of freedom are selected.
const INNER_FOLDS: usize = 3;

/// A kind of estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowKind {
    /// The raw results.
    Raw,
    /// With expected results where an all-in was run out.
    AllIn,
    /// Corrected for the deal of hole cards and board.
    Luck,
    /// Also corrected for the entrant's own choices: one-sided AIVAT.
    OwnChoices,
    /// Corrected for the deal and the other entrant's choices.
    OtherChoices,
    /// Corrected for the deal and the choices of both: AIVAT.
    BothChoices,
    /// Corrected for everything known.
    Combined,
}

/// One estimate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The kind.
    pub kind: RowKind,
    /// The win rate with its interval.
    pub rate: Rate,
    /// The standard deviation of single hands, in mbb, that corresponds to the interval.
    pub deviation: f64,
    /// The deviation as a share of the raw one; `None` when the raw one is zero.
    pub of_raw: Option<f64>,
    /// The rate over the hands from each seat; `None` with fewer than two.
    pub seats: [Option<Rate>; 2],
}

/// All estimates of one entrant's rate, the raw one first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// The entrant, as an index into the match's entrants.
    pub of: usize,
    /// The estimates.
    pub rows: Vec<Row>,
    /// The name of the value function behind the corrections.
    pub value_function: String,
    /// Whether the combined estimate has the baseline as a control variate.
    pub baseline: bool,
    /// Number of units (deals in duplicate matches, else hands) with corrections.
    pub corrected: u64,
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

/// The fewest corrected units (deals in duplicate matches, else hands) to fit weights to. Weights
/// of fewer would follow their noise: until then each correction has the weight of its value
/// function.
pub const FEWEST_TO_FIT: u64 = 200;

/// The bounds of the weight of a corrected unit, where one without corrections has 1.
const WEIGHTS_OF_UNITS: [f64; 2] = [0.1, 1000.0];

/// The units of an estimate by stratum (hands of one seat, hands of both, or groups) and fold.
struct Units {
    strata: Vec<[Cell; FOLDS]>,
    /// Number of hands of a unit.
    hands: f64,
    /// Hands known only together, and the big blind in chips.
    together: Sums,
    big_blind: f64,
}

impl Units {
    fn all(estimates: &Estimates, whole: bool) -> Units {
        let strata = match estimates.group {
            1 => estimates.seats.iter().map(|sample| sample.cells(whole)).collect(),
            _ => vec![estimates.groups.cells(whole)],
        };
        let (together, big_blind) = (estimates.together, estimates.big_blind);
        Units { strata, hands: estimates.group as f64, together, big_blind }
    }

    fn seats(estimates: &Estimates, whole: bool) -> Units {
        let strata = estimates.seats.iter().map(|sample| sample.cells(whole)).collect();
        // They are in no rate by seat.
        let (together, big_blind) = (Sums::default(), estimates.big_blind);
        Units { strata, hands: 1.0, together, big_blind }
    }

    /// The rate of all hands from that of those known one by one: hands known together are groups
    /// of several hands, as in the ratio estimator of [`Sums`].
    fn with_together(&self, known: Rate) -> Rate {
        let together = &self.together;
        if together.hands == 0 {
            return known;
        }
        let unit = self.big_blind / 1000.0;
        let (mean, error) = (known.mbb * unit, known.standard_error * unit);
        let (hands, of_groups) = (known.hands as f64, together.hands as f64);
        let groups = hands + together.groups as f64;
        let all = hands + of_groups;
        let mean_of_all = (hands * mean + together.chips()) / all;
        let squares = error * error * hands * (hands - 1.0)
            + hands * (mean - mean_of_all).powi(2)
            + together.squares(mean_of_all);
        let error = (squares / (groups - 1.0) * groups).sqrt() / all;
        Rate::from_error(
            mean_of_all / unit,
            error / unit,
            known.hands + together.hands,
            known.groups + together.groups,
        )
    }

    /// The corrected units of the folds that are wanted.
    fn corrected(&self, wanted: impl Fn(usize) -> bool) -> Moments {
        let mut all = Moments::default();
        for cells in &self.strata {
            let some = cells.iter().enumerate().filter(|&(fold, _)| wanted(fold));
            some.for_each(|(_, cell)| all.merge(&cell.corrected));
        }
        all
    }
}

impl Cell {
    fn units(&self) -> f64 {
        self.corrected.units + self.plain.units
    }
}

/// The definition of an estimate.
struct Recipe {
    kind: RowKind,
    /// Whether there is a given value function.
    valued: bool,
    /// Whether weights may be fitted.
    fitting: bool,
    /// The terms to correct for.
    terms: Vec<usize>,
}

/// The weights of one fold, fitted on all others.
#[derive(Clone, Copy)]
struct Weights {
    terms: Terms,
    /// The weight of a corrected unit, where one without corrections has 1.
    of_corrected: f64,
}

/// Units whose mean enters an estimate.
struct Piece<'a> {
    moments: &'a Moments,
    weights: Terms,
    /// What the mean counts for, in units.
    worth: f64,
    /// Pieces of one kind have one variance.
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Corrected,
    Plain,
    /// The baseline of the other seat.
    OtherSeat,
}

pub(super) fn rows(estimates: &Estimates) -> Result<Rows, NoEstimates> {
    let facts = estimates.facts;
    if facts.unknown_cards > 0 {
        return Err(NoEstimates::UnknownCards(facts.unknown_cards));
    }
    let mut rows: Vec<Row> = Vec::new();
    for recipe in recipes(estimates) {
        let whole = recipe.is_whole();
        let all = Units::all(estimates, whole);
        let weights = recipe.weights(&all);
        let Some(rate) = recipe.rate(&all, &weights) else { continue };
        let deviation = rate.standard_error * (rate.hands as f64).sqrt();
        let raw = rows.first().map_or(deviation, |raw| raw.deviation);
        let by_seat = Units::seats(estimates, whole);
        let seats = [0, 1].map(|seat| recipe.seat_rate(&by_seat, seat, &weights));
        rows.push(Row {
            kind: recipe.kind,
            rate,
            deviation,
            of_raw: (raw > 0.0).then(|| deviation / raw),
            seats,
        });
    }
    if rows.is_empty() {
        return Err(NoEstimates::OneUnit);
    }
    let value_function = estimates.value_function().to_owned();
    let corrected = Units::all(estimates, false).corrected(|_| true).units as u64;
    let mut notes = notes(facts);
    if estimates.fitting && rows.len() > 1 && corrected < FEWEST_TO_FIT {
        notes.push(format!(
            "the corrections have the weights of their value function: fewer than \
             {FEWEST_TO_FIT} {} are corrected, too few to fit others",
            if estimates.group > 1 { "deals" } else { "hands" }
        ));
    }
    let (of, baseline) = (usize::from(estimates.of), has_baseline(facts));
    Ok(Rows { of, rows, value_function, baseline, corrected, notes })
}

/// Whether every hand but those known by their result has a baseline.
fn has_baseline(facts: Facts) -> bool {
    facts.baselines > 0 && facts.baselines + facts.settled == facts.hands
}

fn recipes(estimates: &Estimates) -> Vec<Recipe> {
    let (facts, valued) = (estimates.facts, estimates.values.is_some());
    let deal: Vec<usize> = deal(valued).collect();
    let with = |terms: &[usize], first| -> Vec<usize> {
        terms.iter().copied().chain(chosen(first, valued)).collect()
    };
    let known = facts.strategies.map(|known| known > 0);
    let fitting = estimates.fitting;
    let recipe = |kind, terms: Vec<usize>| Recipe { kind, valued, fitting, terms };
    let mut recipes = vec![recipe(RowKind::Raw, vec![])];
    if estimates.corrected == 0 {
        return recipes;
    }
    recipes.push(recipe(RowKind::Luck, deal.clone()));
    let own = with(&deal, OWN);
    let both = with(&own, OTHER);
    match known {
        [true, false] => recipes.push(recipe(RowKind::OwnChoices, own)),
        [false, true] => recipes.push(recipe(RowKind::OtherChoices, with(&deal, OTHER))),
        [true, true] => {
            recipes.push(recipe(RowKind::OwnChoices, own));
            recipes.push(recipe(RowKind::BothChoices, both.clone()));
        }
        [false, false] => {}
    }
    let mut all = both;
    all.extend(has_baseline(facts).then_some(BASELINE));
    recipes.push(recipe(RowKind::Combined, all));
    recipes
}

pub(super) fn narrowing(estimates: &Estimates) -> Vec<(&'static str, f64)> {
    let valued = estimates.values.is_some();
    let all = Units::all(estimates, false);
    let mut kinds: Vec<(&'static str, Vec<usize>)> = vec![
        ("hole cards", street(0, valued).collect()),
        ("flop", street(1, valued).collect()),
        ("turn", street(2, valued).collect()),
        ("river", street(3, valued).collect()),
        ("own draws", chosen(OWN, valued).collect()),
        ("the other's draws", chosen(OTHER, valued).collect()),
    ];
    let kind = RowKind::Combined;
    let mut recipe = Recipe { kind, valued, fitting: true, terms: Vec::new() };
    let error =
        |recipe: &Recipe| recipe.rate(&all, &recipe.weights(&all)).map(|rate| rate.standard_error);
    let Some(raw) = error(&recipe).filter(|&raw| raw > 0.0) else { return Vec::new() };
    let left = kinds.iter_mut().map(|(name, terms)| {
        recipe.terms.append(terms);
        (*name, error(&recipe).unwrap_or(raw) / raw)
    });
    left.collect()
}

/// The variance that the corrections leave, with the weights of the value function times one fitted
/// factor, as a share of the raw one; as if `units` more had left `prior` of theirs.
pub(super) fn left(estimates: &Estimates, prior: f64, units: f64) -> f64 {
    let recipes = recipes(estimates);
    let recipe = recipes.last().expect("there is always the raw one");
    let all = Units::all(estimates, false).corrected(|_| true);
    let spread = |freedom| {
        let weights = recipe.fitted(&all, freedom);
        let (sum, squares) = all.combined(&weights);
        (squares - sum * sum / all.units.max(1.0)).max(0.0)
    };
    let (raw, corrected) = (spread(Freedom::Plain), spread(Freedom::Scaled));
    let more = if all.units > 0.0 { raw / all.units * units } else { 1.0 };
    if raw + more > 0.0 { (corrected + prior * more) / (raw + more) } else { prior }
}

fn notes(facts: Facts) -> Vec<String> {
    let mut notes = Vec::new();
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
    /// Whether no term depends on corrections, so that all units are of one kind.
    fn is_whole(&self) -> bool {
        self.terms.is_empty()
    }

    /// The rate in mbb/hand.
    fn rate(&self, units: &Units, weights: &[Weights; FOLDS]) -> Option<Rate> {
        let mut pieces = Vec::new();
        for (fold, weights) in weights.iter().enumerate() {
            let Fold { share, baseline, in_fold } = Fold::new(units, fold, weights);
            for cells in &units.strata {
                let cell = &cells[fold];
                let mut terms = weights.terms;
                // Each seat has the same weight, however many hands it has.
                terms[BASELINE] = if baseline {
                    terms[BASELINE] * in_fold / (units.strata.len() as f64 * cell.units())
                } else {
                    0.0
                };
                pieces.extend(cell.pieces(terms, share));
            }
        }
        rate_of(&pieces, units.hands).map(|rate| units.with_together(rate))
    }

    /// The rate of one seat, with the weights of all hands: the mean of the seats' rates, weighted
    /// by their hands, is the rate of all. The baseline's mean is zero only over both seats
    /// together, so each has the correction by that mean.
    fn seat_rate(&self, seats: &Units, seat: usize, weights: &[Weights; FOLDS]) -> Option<Rate> {
        let mut pieces = Vec::new();
        for (fold, weights) in weights.iter().enumerate() {
            let Fold { share, baseline, .. } = Fold::new(seats, fold, weights);
            let (own, other) = (&seats.strata[seat][fold], &seats.strata[1 - seat][fold]);
            let half = if baseline { 0.5 * weights.terms[BASELINE] } else { 0.0 };
            let mut terms = weights.terms;
            terms[BASELINE] = half;
            pieces.extend(own.pieces(terms, share));
            if half != 0.0 && own.units() > 0.0 {
                let mut weights = [0.0; COUNT];
                weights[BASELINE] = half;
                let (moments, worth) = (&other.corrected, share * own.units());
                pieces.push(Piece { moments, weights, worth, kind: Kind::OtherSeat });
            }
        }
        rate_of(&pieces, seats.hands)
    }

    /// The weights of all folds.
    fn weights(&self, units: &Units) -> [Weights; FOLDS] {
        let folds: [Moments; FOLDS] =
            std::array::from_fn(|fold| units.corrected(|other| other == fold));
        let plain = units.strata.iter().flatten().any(|cell| cell.plain.units > 0.0);
        let corrected: f64 = folds.iter().map(|fold| fold.units).sum();
        let fitting = self.fitting && corrected >= FEWEST_TO_FIT as f64;
        std::array::from_fn(|fold| {
            let others = merged(&folds, |other| other != fold);
            let terms = if fitting {
                self.fold_weights(&folds, fold, &others)
            } else {
                self.fitted(&others, Freedom::None)
            };
            let spread = |weights: &Terms| {
                let (sum, squares) = others.combined(weights);
                squares - sum * sum / others.units.max(1.0)
            };
            let (raw, left) = (spread(&self.fitted(&others, Freedom::Plain)), spread(&terms));
            let [least, most] = WEIGHTS_OF_UNITS;
            let of_corrected = if plain && raw > 0.0 {
                (raw / left.max(raw / most)).clamp(least, most)
            } else {
                1.0
            };
            Weights { terms, of_corrected }
        })
    }

    /// The weights of the terms in one fold, fitted on all others, with the degrees of freedom that
    /// do best in cross-validation among those.
    fn fold_weights(&self, folds: &[Moments; FOLDS], fold: usize, all_others: &Moments) -> Terms {
        if self.terms.is_empty() {
            return self.fitted(&Moments::default(), Freedom::Plain);
        }
        let mut spread = [0.0; Freedom::ALL.len()];
        for part in 0..INNER_FOLDS {
            let inside = |other: usize| other != fold && other % INNER_FOLDS == part;
            let others = merged(folds, |other| other != fold && !inside(other));
            for (spread, freedom) in spread.iter_mut().zip(Freedom::ALL) {
                let weights = self.fitted(&others, freedom);
                let moments = folds.iter().enumerate().filter(|&(other, _)| inside(other));
                for (_, moments) in moments.filter(|(_, moments)| moments.units > 0.0) {
                    let (sum, squares) = moments.combined(&weights);
                    *spread += squares - sum * sum / moments.units;
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
        self.fitted(all_others, Freedom::ALL[best])
    }

    /// The weights fitted on these units, with this freedom.
    fn fitted(&self, units: &Moments, freedom: Freedom) -> Terms {
        let mut weights = [0.0; COUNT];
        weights[RESULT] = 1.0;
        let held = match freedom {
            Freedom::Plain => return weights,
            Freedom::None | Freedom::Scaled => None,
            Freedom::Held(held) => Some(held),
        };
        let prior = fixed(self.valued);
        let scale = match freedom {
            Freedom::None => 1.0,
            _ => units.scale(RESULT, &self.terms, &prior),
        };
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
    /// The value function's weights.
    None,
    /// No corrections.
    Plain,
}

impl Freedom {
    /// Those that a fit chooses from.
    const ALL: [Freedom; 3] = [Freedom::Held(500.0), Freedom::Scaled, Freedom::Plain];
}

/// The moments of some folds together.
fn merged(folds: &[Moments; FOLDS], wanted: impl Fn(usize) -> bool) -> Moments {
    let mut all = Moments::default();
    let some = folds.iter().enumerate().filter(|&(fold, _)| wanted(fold));
    some.for_each(|(_, moments)| all.merge(moments));
    all
}

/// What the strata of a fold have in common.
struct Fold {
    /// The part of each stratum's mean that is the mean of its corrected units.
    share: f64,
    /// Whether the baseline can be used: only if every stratum has the same share.
    baseline: bool,
    /// Number of units.
    in_fold: f64,
}

impl Fold {
    fn new(units: &Units, fold: usize, weights: &Weights) -> Fold {
        let cells = || units.strata.iter().map(|cells| &cells[fold]);
        let corrected: f64 = cells().map(|cell| cell.corrected.units).sum();
        let plain: f64 = cells().map(|cell| cell.plain.units).sum();
        let weighted = weights.of_corrected * corrected;
        let alike =
            |cell: &Cell| cell.corrected.units > 0.0 && (plain == 0.0) == (cell.plain.units == 0.0);
        Fold {
            share: if weighted > 0.0 { weighted / (weighted + plain) } else { 0.0 },
            baseline: cells().all(alike),
            in_fold: corrected + plain,
        }
    }
}

impl Cell {
    /// The corrected units, weighted by `terms`, and those that count as played; `share` is that of
    /// the former.
    fn pieces(&self, terms: Terms, share: f64) -> impl Iterator<Item = Piece<'_>> {
        let share = match (self.corrected.units > 0.0, self.plain.units > 0.0) {
            (true, true) => share,
            (corrected, _) => f64::from(u8::from(corrected)),
        };
        let mut raw = [0.0; COUNT];
        raw[RESULT] = 1.0;
        let kinds = [
            (&self.corrected, terms, share, Kind::Corrected),
            (&self.plain, raw, 1.0 - share, Kind::Plain),
        ];
        let all = self.units();
        kinds.into_iter().filter(|(moments, ..)| moments.units > 0.0).map(
            move |(moments, weights, share, kind)| Piece {
                moments,
                weights,
                worth: share * all,
                kind,
            },
        )
    }
}

/// The sum of the pieces' means by what they count for, per hand in mbb, with the variances of
/// their kinds.
fn rate_of(pieces: &[Piece<'_>], hands: f64) -> Option<Rate> {
    let mut sums =
        [(Kind::Corrected, [0.0; 4]), (Kind::Plain, [0.0; 4]), (Kind::OtherSeat, [0.0; 4])];
    let (mut total, mut count) = (0.0, 0.0);
    for Piece { moments, weights, worth, kind } in pieces {
        let (sum, squares) = moments.combined(weights);
        total += worth * (sum / moments.units);
        let more = [moments.units, sum, squares, worth * worth / moments.units];
        let (_, of_kind) = sums.iter_mut().find(|(other, _)| other == kind)?;
        of_kind.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        count += if *kind == Kind::OtherSeat { 0.0 } else { *worth };
    }
    if count < 2.0 {
        return None;
    }
    let variance = |[units, sum, squares, _]: [f64; 4]| {
        (units >= 2.0).then(|| ((squares - sum * sum / units) / (units - 1.0)).max(0.0))
    };
    let known = sums.iter().filter_map(|&(_, sums)| variance(sums)).fold(0.0, f64::max);
    // One unit alone has the largest variance of the others.
    let of_kind = |&(_, sums): &(_, [f64; 4])| variance(sums).unwrap_or(known) * sums[3];
    let spread: f64 = sums.iter().map(of_kind).sum();
    let mbb = 1000.0 / hands;
    let [(_, [corrected, ..]), (_, [plain, ..]), _] = sums;
    // An interval from a sample is as certain as the sample is large.
    let groups = if corrected >= 2.0 { corrected } else { plain };
    let all = ((corrected + plain) * hands).round() as u64;
    Some(Rate::from_error(total / count * mbb, spread.sqrt() / count * mbb, all, groups as u64))
}

/// The number, sums and products of the terms of some units (hands, or groups of hands with one
/// deal).
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moments {
    pub(super) units: f64,
    sums: Terms,
    /// Empty before the first unit: most kinds of unit do not occur.
    products: Vec<Terms>,
}

impl Default for Moments {
    fn default() -> Moments {
        Moments { units: 0.0, sums: [0.0; COUNT], products: Vec::new() }
    }
}

impl Moments {
    pub(super) fn add(&mut self, terms: &Terms) {
        self.units += 1.0;
        self.products.resize(COUNT, [0.0; COUNT]);
        for (i, &term) in terms.iter().enumerate() {
            if term == 0.0 {
                continue;
            }
            self.sums[i] += term;
            for (j, &other) in terms.iter().enumerate() {
                self.products[i][j] += term * other;
            }
        }
    }

    pub(super) fn merge(&mut self, other: &Moments) {
        self.units += other.units;
        self.products.resize(COUNT, [0.0; COUNT]);
        for (i, products) in other.products.iter().enumerate() {
            self.sums[i] += other.sums[i];
            for (product, more) in self.products[i].iter_mut().zip(products) {
                *product += more;
            }
        }
    }

    /// The sum and the sum of squares, over the units, of the terms weighted by `weights`.
    pub(super) fn combined(&self, weights: &Terms) -> (f64, f64) {
        let sum = weights.iter().zip(&self.sums).map(|(w, s)| w * s).sum();
        let mut squares = 0.0;
        for (row, weight) in self.products.iter().zip(weights).filter(|&(_, &w)| w != 0.0) {
            squares += weight * row.iter().zip(weights).map(|(p, w)| p * w).sum::<f64>();
        }
        (sum, squares)
    }

    /// The sum over the units of the product of two terms' deviations from their means.
    fn covariation(&self, i: usize, j: usize) -> f64 {
        let product = self.products.get(i).map_or(0.0, |products| products[j]);
        product - self.sums[i] * self.sums[j] / self.units.max(1.0)
    }

    /// Whether a term has a nonzero variance.
    fn varies(&self, i: usize) -> bool {
        self.covariation(i, i) > 1e-12 * self.units
    }

    /// The factor, from 0 to 1, of the correction `Σ coefficient·term` over the controls that
    /// minimises the variance of `first` minus the correction.
    pub(super) fn scale(&self, first: usize, controls: &[usize], coefficients: &Terms) -> f64 {
        let (mut with_first, mut own) = (0.0, 0.0);
        for &i in controls {
            with_first += coefficients[i] * self.covariation(i, first);
            let row = controls.iter().map(|&j| coefficients[j] * self.covariation(i, j));
            own += coefficients[i] * row.sum::<f64>();
        }
        if own > 0.0 { (with_first / own).clamp(0.0, 1.0) } else { 1.0 }
    }

    /// The coefficients `b` of the controls that minimise the variance of `first - b·controls`,
    /// regularised towards `prior` with the weight of `weight` further units. A control without
    /// variance keeps its prior.
    pub(super) fn fit(
        &self,
        first: usize,
        controls: &[usize],
        prior: &Terms,
        weight: f64,
    ) -> Terms {
        let mut fitted = [0.0; COUNT];
        controls.iter().for_each(|&control| fitted[control] = prior[control]);
        let controls: Vec<usize> = controls.iter().copied().filter(|&c| self.varies(c)).collect();
        let held = 1.0 + weight / self.units.max(1.0);
        let covariance = |i: usize, j: usize| {
            let both = self.covariation(controls[i], controls[j]);
            if i == j { held * both } else { both }
        };
        let rest = |i: usize| {
            let explained: f64 =
                controls.iter().map(|&c| prior[c] * self.covariation(controls[i], c)).sum();
            self.covariation(controls[i], first) - explained
        };
        let target: Vec<f64> = (0..controls.len()).map(rest).collect();
        let steps = solve(controls.len(), covariance, target);
        for (&control, step) in controls.iter().zip(steps) {
            fitted[control] = prior[control] + step;
        }
        fitted
    }
}

/// Solves a symmetric positive definite system by Cholesky decomposition; for directions without
/// variance of their own the solution is zero.
fn solve(n: usize, matrix: impl Fn(usize, usize) -> f64, mut b: Vec<f64>) -> Vec<f64> {
    let mut lower = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let done: f64 = (0..j).map(|k| lower[i][k] * lower[j][k]).sum();
            let rest = matrix(i, j) - done;
            lower[i][j] = if i == j {
                if rest > 1e-10 * matrix(i, i) { rest.sqrt() } else { 0.0 }
            } else if lower[j][j] > 0.0 {
                rest / lower[j][j]
            } else {
                0.0
            };
        }
    }
    let divide = |value: f64, by: f64| if by > 0.0 { value / by } else { 0.0 };
    for i in 0..n {
        let done: f64 = (0..i).map(|k| lower[i][k] * b[k]).sum();
        b[i] = divide(b[i] - done, lower[i][i]);
    }
    for i in (0..n).rev() {
        let done: f64 = (i + 1..n).map(|k| lower[k][i] * b[k]).sum();
        b[i] = divide(b[i] - done, lower[i][i]);
    }
    b
}
