//! Short rules for endgames, found and measured by exact exploitability; and the scores of
//! predicted strategies, with their baselines.
//!
//! A list of bets ("bet 1.0 when beating at least 85 %", with bluffs b/(1+b) as often) or a rule
//! for the caller is played in every game of a set. Its price is the mean exploitability: what a
//! best response wins beyond the game's value. Lists are built by adding the line that lowers the
//! price most, and improved by moving one number at a time while that helps.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use serde::Serialize;
use show::Table;
use show::card::{Card, CardSection};
use solvers::Player;

use super::Endgame;
use super::database::{self, Database, bets, endgame};
use crate::rules::{Bet, Betting, Calling, Hands, RuleList, Size};
use crate::{Error, listed};

/// The smallest share to beat in a line that is searched, in percent.
const MIN_PERCENT: u32 = 40;

/// A set of games, prepared for measuring rules.
#[derive(Debug, Clone)]
pub struct Games {
    games: Vec<Game>,
    /// The bet sizes above 0, in pots.
    sizes: Vec<f64>,
}

/// What the cards do that a rule does not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// They check.
    Check,
    /// They play the game's central equilibrium.
    Equilibrium,
}

/// What a published rule asks about a card and the game.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    /// The share of the other player's cards that it beats.
    pub beats: f64,
    /// The share of all cards but the best in the other player's distribution.
    pub weak: f64,
}

#[derive(Debug, Clone)]
struct Game {
    game: Endgame,
    value: f64,
    /// For each player, the share of the other's cards that each card beats.
    beats: [Vec<f64>; 2],
}

impl Games {
    /// Prepares the games with these indices. O(games): each is solved again for its value.
    pub fn new(database: &Database, indices: std::ops::Range<usize>) -> Result<Games, Error> {
        let bets = bets(database);
        let game = |index: usize| {
            let solved = database.game(index);
            let game = endgame(solved.first, solved.second, &bets)?;
            let value = game.solve().value;
            let beats = Player::BOTH.map(|player| beats(game.shares(player.other())));
            Ok(Game { game, value, beats })
        };
        let games = parallel::map(indices, game).into_iter().collect::<Result<_, _>>()?;
        Ok(Games { games, sizes: bets.sizes()[1..].to_vec() })
    }

    /// The number of games.
    #[allow(clippy::len_without_is_empty, reason = "a set may be empty, and nobody asks")]
    pub fn len(&self) -> usize {
        self.games.len()
    }

    /// The exploitability of a list of bets, in pots.
    pub fn price_betting(&self, betting: &Betting) -> Mean {
        self.price(|game, chances| {
            let hands = Hands::new(&game.beats[0], game.game.shares(Player::First));
            betting.probabilities(hands, &self.sizes, chances);
            game.game.exploitability(Player::First, chances, game.value)
        })
    }

    /// The exploitability of a caller's rule, in pots.
    pub fn price_calling(&self, calling: Calling) -> Mean {
        let columns = 1 + self.sizes.len();
        self.price(|game, chances| {
            let hands = Hands::new(&game.beats[1], game.game.shares(Player::Second));
            chances.clear();
            // After a check there is a showdown.
            chances.resize(columns * hands.len(), 1.0);
            let mut column = Vec::new();
            for (number, &size) in self.sizes.iter().enumerate() {
                calling.probabilities(hands, size, &mut column);
                for (card, &call) in column.iter().enumerate() {
                    chances[card * columns + 1 + number] = call;
                }
            }
            game.game.exploitability(Player::Second, chances, game.value)
        })
    }

    /// The exploitability of a rule for some of the first player's cards: `says` returns the bet in
    /// pots, moved to the nearest size, 0 for a check; with `None` a card does what the rest does.
    /// O(games): for the equilibrium each is solved again.
    pub fn price_rule(&self, rest: Rest, says: impl Fn(Held) -> Option<f64> + Sync) -> Mean {
        self.price(|game, chances| {
            let columns = 1 + self.sizes.len();
            if rest == Rest::Equilibrium {
                *chances = game.game.solve().strategy;
            } else {
                chances.clear();
                chances.resize(columns * game.game.cards(), 0.0);
                chances.chunks_exact_mut(columns).for_each(|row| row[0] = 1.0);
            }
            let best = game.game.shares(Player::Second).last().copied().unwrap_or_default();
            for (row, &beats) in chances.chunks_exact_mut(columns).zip(&game.beats[0]) {
                if let Some(size) = says(Held { beats, weak: 1.0 - best }) {
                    row.fill(0.0);
                    row[game.game.bets().nearest(size)] = 1.0;
                }
            }
            game.game.exploitability(Player::First, chances, game.value)
        })
    }

    /// The mean over all games; it does not depend on the number of threads.
    fn price(&self, of: impl Fn(&Game, &mut Vec<f64>) -> f64 + Sync) -> Mean {
        let prices = parallel::map_with(&self.games, Vec::new, |chances, game| of(game, chances));
        let count = prices.len() as f64;
        let mean = prices.iter().sum::<f64>() / count;
        let spread = prices.iter().map(|price| (price - mean).powi(2)).sum::<f64>();
        let half_width = 1.96 * (spread / (count - 1.0).max(1.0) / count).sqrt();
        Mean { mean, half_width }
    }
}

/// The share of the other player's cards that each card beats, which increases with the card.
fn beats(others: &[f64]) -> Vec<f64> {
    let mut below = 0.0;
    let mut most = 0.0f64;
    let mut all = Vec::with_capacity(others.len());
    for share in others {
        let unheld = 1.0 - share;
        // If the other player always holds this card, the deal does not occur.
        most = if unheld > 0.0 { most.max((below / unheld).min(1.0)) } else { most };
        all.push(most);
        below += share;
    }
    all
}

/// A line of a list: the share to beat in percent, and the index of the bet size.
type Line = (u32, usize);

/// The best lists of 1 to `most` lines, with their prices on the games they were found on. `watch`
/// is called with the number of lists measured and returns whether to continue.
pub fn find_betting(
    games: &Games,
    most: usize,
    mut watch: impl FnMut(u64) -> bool,
) -> Option<Vec<(Betting, Mean)>> {
    let mut found = Vec::new();
    let mut lines: Vec<Line> = Vec::new();
    let mut priced = 0;
    let all = || {
        (MIN_PERCENT..100).flat_map(|share| (0..games.sizes.len()).map(move |size| (share, size)))
    };
    for _ in 0..most {
        // Adds the line that helps most, then improves every line in turn until none can be
        // improved.
        let mut best = f64::INFINITY;
        let mut at = lines.len();
        lines.push((MIN_PERCENT, 0));
        let mut since = 0;
        while since < lines.len() {
            let current = lines[at];
            let mut better = None;
            for line in all() {
                lines[at] = line;
                priced += 1;
                let Some(betting) = betting(&lines, &games.sizes) else { continue };
                let price = games.price_betting(&betting).mean;
                if price < best - 1e-9 {
                    (best, better) = (price, Some(line));
                }
                if priced % 64 == 0 && !watch(priced) {
                    return None;
                }
            }
            lines[at] = better.unwrap_or(current);
            since = if better.is_some() { 1 } else { since + 1 };
            at = (at + 1) % lines.len();
        }
        let betting = betting(&lines, &games.sizes).expect("the best of those that could be made");
        let price = games.price_betting(&betting);
        found.push((betting, price));
    }
    Some(found)
}

/// The list with these lines; `None` where two have the same share.
fn betting(lines: &[Line], sizes: &[f64]) -> Option<Betting> {
    let mut sorted = lines.to_vec();
    sorted.sort_by(|a, b| b.cmp(a));
    if sorted.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return None;
    }
    let bets = sorted
        .into_iter()
        .map(|(share, size)| Bet { size: Size::Pots(sizes[size]), percent: share.into() });
    Betting::new(bets.collect(), Some(1.0)).ok()
}

/// The best rule for the caller among factors in twentieths, with its price on these games.
pub fn find_calling(games: &Games) -> (Calling, Mean) {
    let factors = (8..=30).map(|twentieths| Calling::Best(f64::from(twentieths) / 20.0));
    let priced = factors.map(|calling| (calling, games.price_calling(calling)));
    priced.min_by(|a, b| a.1.mean.total_cmp(&b.1.mean)).expect("there are factors")
}

/// Names: the published rule for the best hands, and the suffix for rules completed by the
/// equilibrium.
const ALL_IN: &str = "published all-in rule";
const REST: &str = ", all else the equilibrium";
const CHECK: &str = "always check";
const CALLS: &str = "found: calls";

/// Rules with their prices.
#[derive(Debug, Serialize)]
pub struct RulesReport<'a> {
    file: &'a Path,
    found_on: usize,
    priced_on: usize,
    rules: Vec<PricedRule>,
    /// The best lists of one bet, two and so on, and the best rule for calls.
    #[serde(skip)]
    found: Vec<Betting>,
    #[serde(skip)]
    calling: Calling,
}

/// A rule with its price.
#[derive(Debug, Serialize)]
struct PricedRule {
    name: String,
    #[serde(rename = "rules")]
    text: String,
    words: usize,
    bets: bool,
    /// The mean loss in games that the rule was not found on.
    #[serde(rename = "exploitability")]
    price: f64,
    half_width: f64,
}

impl PricedRule {
    fn new(name: String, text: String, bets: bool, price: Mean) -> PricedRule {
        let words = lines(&text).map(|line| line.split_whitespace().count()).sum();
        let Mean { mean, half_width } = price;
        PricedRule { name, text, words, bets, price: mean, half_width }
    }
}

/// The lines of a rule without `else check`.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| *line != "else check")
}

impl<'a> RulesReport<'a> {
    /// Finds lists of up to `lines` bets and a rule for calls on the first `learn` games of a
    /// database, read from this file, and prices them on the others, with rules that need no
    /// search, the published ones, and these `own` ones with their names. Also returns the longest
    /// list found with the rule for calls. `watch` is as for [`find_betting`].
    ///
    /// # Errors
    /// When a game is not an endgame.
    pub fn find(
        file: &'a Path,
        database: &Database,
        learn: usize,
        lines: usize,
        own: &[(String, RuleList)],
        watch: impl FnMut(u64) -> bool,
    ) -> Result<Option<(RulesReport<'a>, RuleList)>, Error> {
        let learned = Games::new(database, 0..learn)?;
        let rest = Games::new(database, learn..database.games())?;
        let Some(found) = find_betting(&learned, lines, watch) else { return Ok(None) };
        let bets = |bets: &[(f64, Size)], bluffs: Option<f64>| {
            let bets = bets.iter().map(|&(percent, size)| Bet { size, percent });
            let betting = Betting::new(bets.collect(), bluffs).expect("written here");
            RuleList::new(Some(betting), None).expect("it has a part")
        };
        let calls = |calling| RuleList::new(None, Some(calling)).expect("it has a part");
        let mut lists = vec![(CHECK.to_owned(), bets(&[], None))];
        for (number, (betting, _)) in (1..).zip(&found) {
            let list = RuleList::new(Some(betting.clone()), None).expect("it has a part");
            lists.push((format!("found: {}", show::number::counted(number, "size")), list));
        }
        let all_in = [(95.0, Size::AllIn)];
        lists.push((ALL_IN.to_owned(), bets(&all_in, None)));
        lists.push(("the same with bluffs".to_owned(), bets(&all_in, Some(1.0))));
        lists.push(("always call".to_owned(), calls(Calling::Beating(0.0))));
        lists.push(("call as often as the pot pays".to_owned(), calls(Calling::Best(1.0))));
        let (calling, _) = find_calling(&learned);
        lists.push((CALLS.to_owned(), calls(calling)));
        for (name, list) in own {
            // Each part is priced as a rule of its own.
            if let Some(betting) = list.betting() {
                let part = RuleList::new(Some(betting.clone()), None).expect("it has a part");
                lists.push((format!("{name}: bets"), part));
            }
            if let Some(calling) = list.calling() {
                lists.push((format!("{name}: calls"), calls(calling)));
            }
        }
        let mut priced: Vec<PricedRule> = lists
            .into_iter()
            .map(|(what, list)| {
                let price = match (list.betting(), list.calling()) {
                    (Some(betting), _) => rest.price_betting(betting),
                    (None, Some(calling)) => rest.price_calling(calling),
                    (None, None) => unreachable!("a list has a part"),
                };
                PricedRule::new(what, list.to_string(), list.betting().is_some(), price)
            })
            .collect();
        let most = database::bets(database).sizes().last().copied().unwrap_or_default();
        let after = priced.iter().position(|rule| rule.name == ALL_IN).unwrap_or(priced.len());
        priced.splice(after..after, published_rules(&rest, database.card().content.cards, most));
        let longest = found.last().map(|(betting, _)| betting.clone());
        let longest = RuleList::new(longest, Some(calling)).expect("it has a part");
        let priced_on = rest.len();
        let found = found.into_iter().map(|(betting, _)| betting).collect();
        let rules = priced;
        let report = RulesReport { file, found_on: learn, priced_on, rules, found, calling };
        Ok(Some((report, longest)))
    }
}

/// The published rules with their prices: when everything else is played perfectly, and the all-in
/// rule with its condition on the other player's cards, also when everything else checks.
fn published_rules(games: &Games, cards: usize, all_in: f64) -> Vec<PricedRule> {
    let middle = |held: Held| (0.2..=0.8).contains(&held.beats).then_some(0.0);
    let best = |held: Held| (held.beats >= 0.95).then_some(all_in);
    let strong = |held: Held| best(held).filter(|_| held.weak <= 0.9);
    let line = "bet all-in when beating at least 95 %";
    let condition = format!("{line} and if the other's cards 1 to {} are at most 90 %", cards - 1);
    let with_condition = format!("{ALL_IN} with its condition");
    let priced =
        |name: String, line: &str, price: Mean| PricedRule::new(name, line.to_owned(), true, price);
    let equilibrium = Rest::Equilibrium;
    vec![
        priced(
            format!("published 80-20 rule{REST}"),
            "check when beating 20 to 80 %",
            games.price_rule(equilibrium, middle),
        ),
        priced(format!("{ALL_IN}{REST}"), line, games.price_rule(equilibrium, best)),
        priced(
            format!("{with_condition}{REST}"),
            &condition,
            games.price_rule(equilibrium, strong),
        ),
        priced(with_condition, &condition, games.price_rule(Rest::Check, strong)),
    ]
}

/// The largest number of bets of a list on a card.
const CARD_LINES: usize = 3;

impl RulesReport<'_> {
    /// The best lists of one to three bets and the rule for calls as a card to play by.
    pub fn card(&self) -> Card {
        let mut sections = Vec::new();
        let priced = |name: &str| self.rules.iter().find(|rule| rule.name == name);
        for (number, betting) in (1..).zip(self.found.iter().take(CARD_LINES)) {
            let size = |size: &Size| match size {
                Size::AllIn => "bet all-in".to_owned(),
                Size::Pots(pots) => format!("bet {pots} of the pot"),
            };
            let mut lines: Vec<[String; 2]> = Vec::new();
            for bet in betting.bets() {
                let when = format!("You beat at least {} % of the other's hands", bet.percent);
                lines.push([when, size(&bet.size)]);
            }
            let bluffs = betting.bets().iter().filter_map(|bet| match bet.size {
                Size::Pots(pots) => {
                    let times = 100.0 * betting.bluffs()? * pots / (1.0 + pots);
                    Some(format!("{times:.0} bet {pots}"))
                }
                Size::AllIn => None,
            });
            let bluffs: Vec<String> = bluffs.collect();
            if !bluffs.is_empty() {
                let each = listed(&bluffs, "and");
                let when = format!("Your very worst: for 100 hands that bet so for value, {each}");
                lines.push([when, "bluff".to_owned()]);
            }
            lines.push(["All others".to_owned(), "check".to_owned()]);
            let name = show::number::counted(number, "size");
            let cost = priced(&format!("found: {name}"));
            let cost = cost.map_or_else(String::new, |rule| format!(", costs {:.4}", rule.price));
            sections.push(CardSection { head: format!("Nobody has bet: {name}{cost}"), lines });
        }
        let call = |pots: f64, words: &str| {
            let what = match self.calling {
                Calling::Best(factor) => {
                    format!("call with your best {:.0} %", 100.0 * (factor / (1.0 + pots)).min(1.0))
                }
                Calling::Beating(percent) => format!("call if you beat {percent} %"),
            };
            [format!("The bet is {words}"), what]
        };
        let bets =
            [(0.5, "half the pot"), (1.0, "the pot"), (2.0, "two pots"), (3.0, "three pots")];
        let cost =
            priced(CALLS).map_or_else(String::new, |rule| format!(", costs {:.4}", rule.price));
        sections.push(CardSection {
            head: format!("The other has bet{cost}"),
            lines: bets.map(|(pots, words)| call(pots, words)).into(),
        });
        let check = priced(CHECK)
            .map_or_else(String::new, |rule| format!("Always checking costs {:.4}.", rule.price));
        Card {
            head: "The last bet".to_owned(),
            reading: "For two players with one bet left. Think of all hands that the other may \
                      hold, and of all that you may hold yourself. Go down the list of your \
                      choice: the first line that is true says what you do."
                .to_owned(),
            sections,
            terms: Vec::new(),
            foot: vec![
                format!(
                    "Costs are what a best response wins on average, of the pot, in random \
                     endgames of ten cards. {check}"
                ),
                format!("Made by cardroom {}.", env!("CARGO_PKG_VERSION")),
            ],
        }
    }
}

impl fmt::Display for RulesReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new(["rule", "words", "price, of the pot", "in words"]).right(1..3);
        for rule in &self.rules {
            let said = match lines(&rule.text).collect::<Vec<_>>().join("\n") {
                said if said.is_empty() => "check".to_owned(),
                said => said,
            };
            let price = format!("{:.4} ± {:.4}", rule.price, rule.half_width);
            table.row([rule.name.clone(), rule.words.to_string(), price, said]);
        }
        let RulesReport { found_on, priced_on, .. } = self;
        writeln!(
            f,
            "Found on {found_on} games, priced on {priced_on} others: what a best response wins \
             beyond the\n\
             game's value, on average, with 95 % intervals over games.\n\n{table}"
        )
    }
}

// Scores of predicted strategies of unseen endgames: distance to the equilibrium, and
// exploitability; and the distance of games. Algorithms 1 to 3 of Ganzfried & Yusuf, "Computing
// human-understandable strategies", Games 2017.

/// Games that a thread scores at a time; sums are made by block, so that they do not depend on the
/// number of threads.
const BLOCK: usize = 64;

/// A mean over games, with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// The mean over the games.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval.
    pub half_width: f64,
}

/// The scores of a prediction method over some games.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Score {
    /// The distance to the database's equilibrium, 0 to 1.
    pub distance: Mean,
    /// The exploitability in pots: the game's value minus the strategy's worst case.
    pub exploitability: Mean,
}

/// The count, sum and sum of squares of a number.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    sum: f64,
    squares: f64,
}

impl Sums {
    fn add(&mut self, number: f64) {
        self.sum += number;
        self.squares += number * number;
    }

    fn mean(self, games: usize) -> Mean {
        let n = games.max(1) as f64;
        let mean = self.sum / n;
        let variance = (self.squares / n - mean * mean).max(0.0) * n / (n - 1.0).max(1.0);
        Mean { mean, half_width: 1.96 * (variance / n).sqrt() }
    }
}

/// Scores `ways` prediction methods over the games with these indices. `predict` is called with a
/// game's index and writes one strategy for each method: a row of bet sizes for each card.
pub fn scores(
    database: &Database,
    games: Range<usize>,
    ways: usize,
    predict: impl Fn(usize, &mut [Vec<f32>]) + Sync,
) -> Result<Vec<Score>, Error> {
    let bets = bets(database);
    let size = database.card().content.cards * bets.len();
    let indices: Vec<usize> = games.collect();
    let blocks = parallel::map(indices.chunks(BLOCK), |block| {
        let mut sums = vec![[Sums::default(); 2]; ways];
        let mut strategies = vec![vec![0.0f32; size]; ways];
        for &index in block {
            let game = database.game(index);
            let played = endgame(game.first, game.second, &bets)?;
            predict(index, &mut strategies);
            let mut last: Option<(&[f32], [f64; 2])> = None;
            for (sums, strategy) in sums.iter_mut().zip(&strategies) {
                let numbers = match last {
                    Some((before, numbers)) if before == strategy => numbers,
                    _ => {
                        let long: Vec<f64> = strategy.iter().map(|&x| f64::from(x)).collect();
                        let value = f64::from(game.value);
                        let lost = played.exploitability(Player::First, &long, value);
                        [distance_of_strategies(strategy, game.strategy, bets.len()), lost]
                    }
                };
                last = Some((strategy, numbers));
                sums.iter_mut().zip(numbers).for_each(|(sum, number)| sum.add(number));
            }
        }
        Ok(sums)
    });
    let blocks = blocks.into_iter().collect::<Result<Vec<_>, Error>>()?;
    let score = |way: usize| {
        let of = |number: usize| {
            let mut all = Sums::default();
            for block in &blocks {
                all.sum += block[way][number].sum;
                all.squares += block[way][number].squares;
            }
            all.mean(indices.len())
        };
        Score { distance: of(0), exploitability: of(1) }
    };
    Ok((0..ways).map(score).collect())
}

/// The scores of two baselines, with their names: always checking, and uniform sizes.
pub fn baselines(
    database: &Database,
    games: Range<usize>,
) -> Result<[(&'static str, Score); 2], Error> {
    let sizes = bets(database).len();
    let scores = scores(database, games, 2, |_, strategies| {
        for row in strategies[0].chunks_exact_mut(sizes) {
            row[0] = 1.0;
        }
        strategies[1].fill(1.0 / sizes as f32);
    })?;
    Ok([("always check", scores[0]), ("every size alike", scores[1])])
}

/// The distance of two games, 0 to 1: the mean over both players of the earth mover's distance
/// between their card distributions, divided by the largest possible (Algorithm 1).
///
/// Each game is given by the distributions of the first and the second player's cards.
pub fn distance_of_games(a: [&[f32]; 2], b: [&[f32]; 2]) -> f64 {
    let of = |player: usize| moved(a[player], b[player]) / (a[player].len() - 1) as f64;
    (of(0) + of(1)) / 2.0
}

/// The distance of two strategies, 0 to 1: the mean over the cards of the earth mover's distance
/// between the probabilities of `sizes` bet sizes, divided by the largest possible (Algorithm 2).
pub fn distance_of_strategies(a: &[f32], b: &[f32], sizes: usize) -> f64 {
    let rows = a.chunks_exact(sizes).zip(b.chunks_exact(sizes));
    let cards = (a.len() / sizes) as f64;
    rows.map(|(a, b)| moved(a, b)).sum::<f64>() / (sizes - 1).max(1) as f64 / cards
}

/// The earth mover's distance of two histograms: mass times the number of columns it moves.
fn moved(a: &[f32], b: &[f32]) -> f64 {
    let mut carried = 0.0;
    let columns = a.iter().zip(b).map(|(a, b)| {
        carried += f64::from(*a) - f64::from(*b);
        carried.abs()
    });
    columns.sum()
}
