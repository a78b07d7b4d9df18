//! The results of the study's commands.

use models::linear::PUBLISHED_FEATURES;

use super::steps::{FORMS, QUIRKS, STACKS, Setup};
use crate::read::{Document, text};
use crate::{Options, ReadError};

/// The losses of a rule to best responses in mbb a hand, the small blind's first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loss(pub(super) [f64; 2]);

impl Loss {
    pub(super) fn mean(self) -> f64 {
        0.5 * (self.0[0] + self.0[1])
    }
}

/// A mean over seeds, with the standard deviation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spread {
    pub(super) mean: f64,
    pub(super) deviation: f64,
    pub(super) count: usize,
}

impl Spread {
    fn of(values: &[f64]) -> Spread {
        let count = values.len();
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Spread { mean, deviation: (squares / (count as f64 - 1.0).max(1.0)).sqrt(), count }
    }

    /// Half the width of the mean's 95 % interval.
    pub(super) fn half_width(self) -> f64 {
        1.96 * self.deviation / (self.count as f64).sqrt()
    }
}

/// The results of a learner's runs at one stack.
#[derive(Debug, Clone)]
pub(super) struct Learned {
    pub(super) small: Spread,
    pub(super) big: Spread,
    /// The mean loss of both blinds.
    pub(super) both: Spread,
    pub(super) jam: Spread,
    pub(super) call: Spread,
    /// The weights of the seven features.
    pub(super) theta: [Spread; PUBLISHED_FEATURES],
}

/// The results at one stack.
#[derive(Debug, Clone)]
pub(super) struct Stack {
    pub(super) stack: u32,
    pub(super) value: f64,
    pub(super) printed: Loss,
    /// The rule SAGE: its sums for all-in and call, and its losses, if its table has the stack.
    pub(super) sage: Option<([f64; 2], Loss)>,
    pub(super) sage_best: ([f64; 2], Loss),
    pub(super) learned: Learned,
    /// The losses of searched rules, in the order of [`FORMS`].
    pub(super) searched: [Loss; FORMS.len()],
    /// The best trees of 0, 1, … questions for the small and the big blind.
    pub(super) trees: [Vec<Tree>; 2],
    /// The chart of the learned rule beside the equilibrium, as SVG.
    pub(super) charts: String,
}

/// A tree of questions.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    /// The loss in mbb a hand.
    pub(super) loss: f64,
    /// Whether it is proven that no tree with as many questions loses less.
    pub(super) proven: bool,
    pub(super) words: String,
}

impl Stack {
    /// The losses of the best trees with this number of questions for each blind.
    pub(super) fn trees(&self, questions: usize) -> Loss {
        Loss([0, 1].map(|blind| self.trees[blind][questions].loss))
    }

    /// The number of questions each blind needs for a loss of at most `most`, if it is possible.
    pub(super) fn questions(&self, most: f64) -> [Option<usize>; 2] {
        [0, 1].map(|blind| self.trees[blind].iter().position(|tree| tree.loss <= most))
    }
}

/// All results.
#[derive(Debug)]
pub(super) struct Results {
    pub(super) stacks: Vec<Stack>,
    /// The largest exploitability of the solved equilibria, in big blinds.
    pub(super) exploitability: f64,
    /// The printed weights at ten big blinds: the shares of all-ins and of calls, and what the
    /// small blind wins if both play by them.
    pub(super) printed: [f64; 3],
    /// The losses of always and of never playing, at ten big blinds.
    pub(super) always: Loss,
    pub(super) never: Loss,
    /// The algorithm at ten big blinds, without each of [`QUIRKS`], and with other [`FORMS`].
    pub(super) without: Vec<Learned>,
    pub(super) forms: Vec<Learned>,
    /// The number of hands that the learned rule plays differently from the equilibrium by half or
    /// more, at ten big blinds: all-ins and calls.
    pub(super) otherwise: [usize; 2],
    /// The printed weights as sentences.
    pub(super) words: Vec<String>,
}

/// The index of the printed rule in the first step, and the name of another.
const PRINTED: usize = 0;
const SAGE: &str = "sage";

impl Results {
    pub(super) fn read(options: &Options) -> Result<Results, ReadError> {
        let setup = Setup { options };
        let judged = Document::read(&setup.at("judged.json"))?;
        let learned = Document::read(&setup.at("learned.json"))?;
        let searched: Vec<Document> = FORMS
            .iter()
            .map(|(form, _)| Document::read(&setup.searched(form)))
            .collect::<Result<_, _>>()?;
        let trees = Document::read(&setup.at("trees.json"))?;
        let mut stacks = Vec::new();
        let (mut always, mut never) = (Loss([0.0; 2]), Loss([0.0; 2]));
        let mut printed = [0.0; 3];
        let mut exploitability: f64 = 0.0;
        for (number, stack) in STACKS.enumerate() {
            // The first step begins at two big blinds.
            let at = format!("/stacks/{}", stack - 2);
            let rules = judged.list(&format!("{at}/rules"))?.len();
            let mut sage = None;
            let mut sage_best = None;
            for rule in 0..rules {
                let at = format!("{at}/rules/{rule}");
                let lost = loss(&judged, &at)?;
                let sums = || -> Result<[f64; 2], ReadError> {
                    let sum = |blind: usize| judged.number(&format!("{at}/thresholds/{blind}"));
                    Ok([sum(0)?, sum(1)?])
                };
                match judged.text(&format!("{at}/rule"))? {
                    SAGE => sage = Some((sums()?, lost)),
                    "sage-best" => sage_best = Some((sums()?, lost)),
                    "always" if stack == 10 => always = lost,
                    "never" if stack == 10 => never = lost,
                    _ => {}
                }
            }
            let first = format!("{at}/rules/{PRINTED}");
            if stack == 10 {
                let figure = |name: &str| judged.number(&format!("{first}/{name}"));
                printed = [figure("jam_share")?, figure("call_share")?, figure("value")?];
            }
            exploitability = exploitability.max(judged.number(&format!("{at}/exploitability"))?);
            let pointer = format!("/stacks/{number}");
            let mut best = [Loss([0.0; 2]); FORMS.len()];
            for (best, searched) in best.iter_mut().zip(&searched) {
                *best = loss(searched, &format!("{pointer}/mean"))?;
            }
            stacks.push(Stack {
                stack,
                value: judged.number(&format!("{at}/value"))?,
                printed: loss(&judged, &first)?,
                sage,
                sage_best: sage_best.ok_or_else(|| judged.lacks(&at, "rule sage-best"))?,
                learned: runs(&learned, &pointer)?,
                searched: best,
                trees: [tree(&trees, 2 * number)?, tree(&trees, 2 * number + 1)?],
                charts: text(&setup.charts(stack).with_extension("svg"))?,
            });
        }
        let single = |path: std::path::PathBuf| runs(&Document::read(&path)?, "/stacks/0");
        let without = QUIRKS.iter().map(|(quirk, _)| single(setup.without(quirk)));
        let forms = FORMS[1..].iter().map(|(form, _)| single(setup.learned_form(form)));
        let words = Document::read(&setup.at("words.json"))?;
        let words = words.list("/stacks/0/says")?.iter();
        Ok(Results {
            stacks,
            exploitability,
            printed,
            always,
            never,
            without: without.collect::<Result<_, _>>()?,
            forms: forms.collect::<Result<_, _>>()?,
            otherwise: otherwise(&Document::read(&setup.charts(10))?)?,
            words: words.filter_map(|line| line.as_str().map(str::to_owned)).collect(),
        })
    }

    /// The results at ten big blinds.
    pub(super) fn ten(&self) -> &Stack {
        self.stacks.iter().find(|stack| stack.stack == 10).expect("it is one of the stacks")
    }
}

/// Reads the best trees of a blind.
fn tree(document: &Document, blind: usize) -> Result<Vec<Tree>, ReadError> {
    let trees = document.list(&format!("/blinds/{blind}/trees"))?.len();
    let tree = |questions: usize| {
        let at = format!("/blinds/{blind}/trees/{questions}");
        Ok(Tree {
            loss: document.number(&format!("{at}/loses_mbb"))?,
            proven: document.truth(&format!("{at}/proven"))?,
            words: document.text(&format!("{at}/tree"))?.to_owned(),
        })
    };
    (0..trees).map(tree).collect()
}

fn loss(document: &Document, at: &str) -> Result<Loss, ReadError> {
    let part = |blind: &str| document.number(&format!("{at}/{blind}_blind_loses_mbb"));
    Ok(Loss([part("small")?, part("big")?]))
}

/// Reads all runs of a stack.
fn runs(document: &Document, at: &str) -> Result<Learned, ReadError> {
    let count = document.list(&format!("{at}/runs"))?.len();
    let over = |name: &str| -> Result<Vec<f64>, ReadError> {
        (0..count).map(|run| document.number(&format!("{at}/runs/{run}/{name}"))).collect()
    };
    let [small, big] = [over("small_blind_loses_mbb")?, over("big_blind_loses_mbb")?];
    let both: Vec<f64> = small.iter().zip(&big).map(|(a, b)| 0.5 * (a + b)).collect();
    let mut theta = Vec::new();
    for weight in 0..PUBLISHED_FEATURES {
        theta.push(Spread::of(&over(&format!("weights/{weight}"))?));
    }
    Ok(Learned {
        small: Spread::of(&small),
        big: Spread::of(&big),
        both: Spread::of(&both),
        jam: Spread::of(&over("jam_share")?),
        call: Spread::of(&over("call_share")?),
        theta: theta.try_into().expect("one for each feature"),
    })
}

/// Counts the hands that the rule plays differently from the equilibrium, by half or more.
fn otherwise(charts: &Document) -> Result<[usize; 2], ReadError> {
    let mut count = [0; 2];
    for (count, what) in count.iter_mut().zip(["jam", "call"]) {
        let [nash, rule] = [format!("/stacks/0/{what}"), format!("/stacks/0/rules/0/{what}")];
        for hand in charts.names(&nash)? {
            let [nash, rule] = [&nash, &rule].map(|at| charts.number(&format!("{at}/{hand}")));
            *count += usize::from((nash? - rule?).abs() >= 0.5);
        }
    }
    Ok(count)
}
