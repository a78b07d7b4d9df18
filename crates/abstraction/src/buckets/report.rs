//! Quality of buckets, estimated from random hands: equity variance within buckets, and examples.

use std::fmt;

use cards::{Board, Card, Category, Combo, HandEquity, HoleCards, RiverTable, Ties, evaluate};
use game::Street;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use serde::Serialize;
use show::as_text;

use super::{Buckets, no_hand};
use crate::Error;

/// Statistics of a street's buckets from randomly drawn hands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StreetReport {
    /// The street of the drawn hands.
    #[serde(serialize_with = "as_text")]
    pub street: Street,
    /// Number of buckets.
    pub buckets: u32,
    /// Number of hands drawn.
    #[serde(rename = "hands_drawn")]
    pub hands: u32,
    /// Number of buckets without a drawn hand.
    pub unseen: u32,
    /// The share of hands in the fullest bucket.
    pub fullest: f64,
    /// The variance of the equity over all hands.
    pub variance: f64,
    /// The mean variance of the equity within a bucket: the part of `variance` that the
    /// abstraction loses.
    #[serde(rename = "variance_within")]
    pub within: f64,
    /// Example buckets, from the lowest number to the highest.
    pub examples: Vec<Example>,
}

/// An example bucket, in words and cards.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Example {
    /// The bucket's number.
    pub bucket: u32,
    /// The share of all hands.
    pub share: f64,
    /// The equities of its hands.
    pub equity: EquityRange,
    /// The hand categories on their boards, the most frequent first.
    pub made: Vec<MadeHand>,
    /// Some of its hands, with their boards.
    pub hands: Vec<ExampleHand>,
}

/// The equities of a bucket's hands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EquityRange {
    /// Their mean.
    pub mean: f64,
    /// The lowest.
    pub least: f64,
    /// The highest.
    pub most: f64,
}

/// A hand category with its share of a bucket's hands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MadeHand {
    /// The category.
    pub made: &'static str,
    /// The share of the bucket's hands.
    pub share: f64,
}

/// A hand with its board.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExampleHand {
    /// The hole cards.
    #[serde(serialize_with = "as_text")]
    pub hole: HoleCards,
    /// The board.
    #[serde(serialize_with = "as_text")]
    pub board: Board,
}

/// Number of hands drawn on each street.
const HANDS: u32 = 100_000;

/// Number of buckets shown; below it, of hands of each.
const SHOWN: usize = 9;
const EACH: usize = 4;

/// Sums over the drawn hands of one bucket.
#[derive(Default)]
struct DrawnSums {
    hands: u32,
    sum: f64,
    squares: f64,
    least: f64,
    most: f64,
    categories: [u32; 9],
    first: Vec<ExampleHand>,
}

impl DrawnSums {
    fn add(&mut self, equity: f64, category: Category, cards: ExampleHand) {
        if self.hands == 0 {
            (self.least, self.most) = (equity, equity);
        }
        self.hands += 1;
        self.sum += equity;
        self.squares += equity * equity;
        self.least = self.least.min(equity);
        self.most = self.most.max(equity);
        self.categories[category as usize] += 1;
        if self.first.len() < EACH {
            self.first.push(cards);
        }
    }

    /// The sum of squared deviations from the mean.
    fn spread(&self) -> f64 {
        (self.squares - self.sum * self.sum / f64::from(self.hands.max(1))).max(0.0)
    }

    fn example(&self, bucket: u32) -> Example {
        let share = |count: u32| f64::from(count) / f64::from(self.hands);
        let mut made: Vec<MadeHand> = (Category::NAMES.into_iter().zip(self.categories))
            .filter(|(_, count)| *count > 0)
            .map(|(made, count)| MadeHand { made, share: share(count) })
            .collect();
        made.sort_by(|a, b| b.share.total_cmp(&a.share));
        Example {
            bucket,
            share: f64::from(self.hands) / f64::from(HANDS),
            equity: EquityRange {
                mean: self.sum / f64::from(self.hands),
                least: self.least,
                most: self.most,
            },
            made,
            hands: self.first.clone(),
        }
    }
}

impl Buckets {
    /// Draws 100,000 hands and evaluates their buckets: under a second, and faster with tables.
    ///
    /// # Errors
    /// Never for hold'em's streets; only as [`Buckets::bucket`].
    pub fn report(&self, street: Street, seed: u64) -> Result<StreetReport, Error> {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut drawn: Vec<DrawnSums> = Vec::new();
        drawn.resize_with(self.count(street) as usize, DrawnSums::default);
        let mut hand_equity = HandEquity::default();
        let mut all = DrawnSums::default();
        for _ in 0..HANDS {
            let (hole, board) = draw(&mut rng, [0, 3, 4, 5][street.index()]);
            let combo = Combo::new(hole[0], hole[1]).ok_or_else(no_hand)?;
            let equity = if street == Street::Preflop {
                cards::equity(combo, board.set())?.value(Ties::Half)
            } else {
                RiverTable::shared(Ties::Half).hand_equity_into(
                    combo,
                    board.set(),
                    &mut hand_equity,
                )?;
                hand_equity.equity()
            };
            let category = evaluate(combo.set() | board.set()).category();
            let bucket = self.of_combo(combo, board.set())?;
            let cards = ExampleHand { hole, board };
            drawn[bucket as usize].add(equity, category, cards.clone());
            all.add(equity, category, cards);
        }
        let total = f64::from(HANDS);
        let fullest = drawn.iter().map(|drawn| drawn.hands).max().unwrap_or(0);
        let step = drawn.len().saturating_sub(1) as f64 / (SHOWN - 1) as f64;
        let mut shown: Vec<usize> =
            (0..SHOWN).map(|number| (number as f64 * step).round() as usize).collect();
        shown.dedup();
        let example = |&number: &usize| {
            (drawn[number].hands > 0).then(|| drawn[number].example(number as u32))
        };
        Ok(StreetReport {
            street,
            buckets: self.count(street),
            hands: HANDS,
            unseen: drawn.iter().filter(|drawn| drawn.hands == 0).count() as u32,
            fullest: f64::from(fullest) / total,
            variance: all.spread() / total,
            within: drawn.iter().map(DrawnSums::spread).sum::<f64>() / total,
            examples: shown.iter().filter_map(example).collect(),
        })
    }
}

/// Draws a hand and a board of `on_board` cards.
fn draw(rng: &mut Pcg64Mcg, on_board: usize) -> (HoleCards, Board) {
    let mut dealt: Vec<Card> = Vec::with_capacity(2 + on_board);
    while dealt.len() < 2 + on_board {
        let card = Card::from_index(rng.random_range(0..Card::COUNT)).expect("below 52");
        if !dealt.contains(&card) {
            dealt.push(card);
        }
    }
    let hole = HoleCards::new(&dealt[..2]).expect("two cards");
    (hole, Board::new(&dealt[2..]).expect("at most five cards"))
}

impl fmt::Display for StreetReport {
    /// The figures on a line, then a line for each example.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StreetReport { street, buckets, variance, within, fullest, .. } = self;
        let explained = 100.0 * (1.0 - within / variance.max(f64::MIN_POSITIVE));
        writeln!(
            f,
            "{street}: {buckets} buckets, the fullest with {:.2} % of hands; equities differ by \
             {:.4} within a bucket, {:.4} in all (standard deviations; {explained:.2} % of the \
             variance is kept)",
            100.0 * fullest,
            within.sqrt(),
            variance.sqrt(),
        )?;
        self.examples.iter().try_for_each(|example| writeln!(f, "  {example}"))
    }
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let EquityRange { mean, least, most } = self.equity;
        let [mean, least, most] = [mean, least, most].map(|rate| 100.0 * rate);
        write!(f, "{:5}: wins {mean:.1} % ({least:.1}–{most:.1}); ", self.bucket)?;
        for (number, MadeHand { made, share }) in self.made.iter().take(3).enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{made} {:.0} %", 100.0 * share)?;
        }
        f.write_str("; ")?;
        for (number, ExampleHand { hole, board }) in self.hands.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}{hole}")?;
            if !board.is_empty() {
                write!(f, "/{board}")?;
            }
        }
        Ok(())
    }
}
