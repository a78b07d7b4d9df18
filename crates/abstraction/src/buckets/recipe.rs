//! Bucket recipes, how buckets are made as one line of text; and rules, the numbers that decide a
//! hand's bucket on one street.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use cards::{
    CanonicalIndex, CardSet, Category, Combo, HandEquity, RiverTable, StartingHand, Ties, evaluate,
};
use game::Street;

use super::Progress;
use super::cluster::{self, BINS, Centres};
use super::percentiles::{self, Boards, Classes};
use crate::Error;

/// The kind of one street's buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `169`: the starting hands, without loss. Preflop only.
    StartingHands,
    /// `category`: a pair or none before the flop, then the category of the best five cards (pair,
    /// flush, …): nine.
    Category,
    /// `ehs2:N`: N equally likely groups of hands in the order of E(HS²), the mean square of the
    /// equity on the river; on the river itself that is the order of equities. After the flop.
    Ehs2(u32),
    /// `ehs2-width:N`: N groups for equal steps of E(HS²) from 0 to 1, however many hands fall into
    /// each. After the flop.
    Ehs2Width(u32),
    /// `nested:C:N`: C classes of boards by draws and high cards, and in each N equally likely
    /// groups of hands in the order of E(HS²). After the flop.
    Nested {
        /// Number of board classes.
        classes: u32,
        /// Number of groups in each class.
        each: u32,
    },
    /// `features:S:Q`: hands that agree in the equity and in Q quantiles of the equity on the
    /// next street, all rounded to Sths. The number of buckets follows. After the flop.
    Features {
        /// Number of steps from 0 to 1.
        steps: u32,
        /// Number of quantiles, evenly spaced; on the river there are none.
        quantiles: u32,
    },
    /// `emd:N`, or `emd:N:SEED`: N clusters of hands with similar distributions of the equity on
    /// the next street, by k-means with the earth mover's distance. Flop and turn.
    Emd {
        /// Number of clusters.
        count: u32,
        /// Seed of the initial centres; 1 unless given.
        seed: u64,
    },
}

/// A bucket recipe: the kinds of all four streets.
///
/// Text: `preflop=169 flop=ehs2:200 turn=ehs2:200 river=ehs2:200`, each street once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BucketRecipe([Kind; 4]);

/// Maximum number of buckets of a street.
const MAX_COUNT: u32 = 65_535;

const KINDS: &str = "`169` (preflop), `category`, after the flop `ehs2:N`, \
                                `ehs2-width:N`, `nested:C:N` and `features:S:Q`, and on flop and \
                                turn `emd:N`";

impl BucketRecipe {
    /// A recipe from the kinds of preflop, flop, turn and river.
    ///
    /// # Errors
    /// When a street cannot have its kind.
    pub fn new(kinds: [Kind; 4]) -> Result<BucketRecipe, Error> {
        for (street, kind) in Street::ALL.into_iter().zip(kinds) {
            kind.check(street)?;
        }
        Ok(BucketRecipe(kinds))
    }

    /// The kind of a street.
    pub fn kind(&self, street: Street) -> Kind {
        self.0[street.index()]
    }
}

impl Kind {
    fn check(self, street: Street) -> Result<(), Error> {
        let refuse = |reason: &str| {
            Err(Error::new(format!("the {street} cannot have buckets of kind `{self}`: {reason}")))
        };
        let count = match self {
            Kind::StartingHands if street != Street::Preflop => {
                return refuse("they are the hands before the flop");
            }
            Kind::StartingHands | Kind::Category => return Ok(()),
            _ if street == Street::Preflop => return refuse("take `169` or `category`"),
            Kind::Emd { .. } if street == Street::River => {
                return refuse("no street comes after it; take `ehs2:N`");
            }
            Kind::Features { steps: 2..=100, quantiles: 0..=8 } => return Ok(()),
            Kind::Features { steps, quantiles } => {
                return Err(Error::new(format!(
                    "features of {steps} steps and {quantiles} quantiles: ask for 2 to 100 steps \
                     and at most 8 quantiles"
                )));
            }
            Kind::Ehs2(count) | Kind::Ehs2Width(count) | Kind::Emd { count, .. } => {
                u64::from(count)
            }
            Kind::Nested { classes, each } => u64::from(classes) * u64::from(each),
        };
        match count {
            1..=MAX_BUCKETS => Ok(()),
            _ => Err(Error::new(format!("{count} buckets: ask for 1 to {MAX_COUNT}"))),
        }
    }
}

const MAX_BUCKETS: u64 = MAX_COUNT as u64;

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::StartingHands => f.write_str("169"),
            Kind::Category => f.write_str("category"),
            Kind::Ehs2(count) => write!(f, "ehs2:{count}"),
            Kind::Ehs2Width(count) => write!(f, "ehs2-width:{count}"),
            Kind::Nested { classes, each } => write!(f, "nested:{classes}:{each}"),
            Kind::Features { steps, quantiles } => write!(f, "features:{steps}:{quantiles}"),
            Kind::Emd { count, seed: 1 } => write!(f, "emd:{count}"),
            Kind::Emd { count, seed } => write!(f, "emd:{count}:{seed}"),
        }
    }
}

impl fmt::Display for BucketRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [preflop, flop, turn, river] = &self.0;
        write!(f, "preflop={preflop} flop={flop} turn={turn} river={river}")
    }
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Kind, Error> {
        fn number<T: FromStr>(text: &str) -> Option<T> {
            text.parse().ok().filter(|_| !text.starts_with('+'))
        }
        let parts: Vec<&str> = text.split(':').collect();
        let kind = match *parts.as_slice() {
            ["169"] => Some(Kind::StartingHands),
            ["category"] => Some(Kind::Category),
            ["ehs2", count] => number(count).map(Kind::Ehs2),
            ["ehs2-width", count] => number(count).map(Kind::Ehs2Width),
            ["nested", classes, each] => number(classes)
                .zip(number(each))
                .map(|(classes, each)| Kind::Nested { classes, each }),
            ["features", steps, quantiles] => number(steps)
                .zip(number(quantiles))
                .map(|(steps, quantiles)| Kind::Features { steps, quantiles }),
            ["emd", count] => number(count).map(|count| Kind::Emd { count, seed: 1 }),
            ["emd", count, seed] => {
                number(count).zip(number(seed)).map(|(count, seed)| Kind::Emd { count, seed })
            }
            _ => None,
        };
        kind.ok_or_else(|| {
            let text = short(text);
            Error::new(format!("`{text}` is not a kind of buckets: there are {KINDS}"))
        })
    }
}

impl FromStr for BucketRecipe {
    type Err = Error;

    fn from_str(text: &str) -> Result<BucketRecipe, Error> {
        let times = |street: Street, times: &str| {
            Error::new(format!(
                "the {street} is given {times}: write each of preflop, flop, turn and river once"
            ))
        };
        let mut kinds = [None; 4];
        for piece in text.split_whitespace() {
            let refuse = || {
                Error::new(format!(
                    "`{}` is not a street's buckets: write each street once, as in `preflop=169 \
                     flop=ehs2:200 turn=ehs2:200 river=ehs2:200`",
                    short(piece)
                ))
            };
            let (name, kind) = piece.split_once('=').ok_or_else(refuse)?;
            let street = Street::ALL.into_iter().find(|street| street.name() == name);
            let street = street.ok_or_else(refuse)?;
            if kinds[street.index()].replace(kind.parse()?).is_some() {
                return Err(times(street, "twice"));
            }
        }
        let mut all = [Kind::Category; 4];
        for street in Street::ALL {
            let kind = kinds[street.index()];
            all[street.index()] = kind.ok_or_else(|| times(street, "nowhere"))?;
        }
        BucketRecipe::new(all)
    }
}

/// The rule of one street's buckets.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Rule {
    StartingHands,
    /// Pair or no pair, before the flop.
    Pairs,
    Category,
    /// The lowest scores of all buckets but the first, in increasing order.
    Percentiles {
        cuts: Vec<u32>,
    },
    /// The board classes, and for each the lowest scores of all its buckets but the first.
    Nested {
        classes: Classes,
        cuts: Vec<Vec<u32>>,
    },
    /// The feature key of each bucket, in increasing order.
    Keyed {
        steps: u32,
        quantiles: u32,
        keys: Vec<u64>,
    },
    /// The cluster centres.
    Histograms {
        centres: Centres,
    },
}

impl Rule {
    /// Makes the rule of a kind.
    pub(super) fn make(
        street: Street,
        kind: Kind,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<Rule, Error> {
        let table = || RiverTable::shared(Ties::Half);
        let mut report =
            |stage, done, distance| progress(Progress { street, stage, done, distance });
        let too_many = |asked: u32, possible: u32| {
            Error::new(format!(
                "{asked} buckets on the {street}, where only {possible} kinds of hands can be \
                 distinguished: ask for fewer"
            ))
        };
        match kind {
            Kind::StartingHands => Ok(Rule::StartingHands),
            Kind::Category if street == Street::Preflop => Ok(Rule::Pairs),
            Kind::Category => Ok(Rule::Category),
            Kind::Ehs2(count) => {
                report("E[HS²]", 0.0, None);
                let weights = percentiles::weights_by_score(table(), street, 1, |_| 0).remove(0);
                report("E[HS²]", 1.0, None);
                let cuts = percentiles::cuts(&weights, count);
                let cuts = cuts.map_err(|possible| too_many(count, possible))?;
                Ok(Rule::Percentiles { cuts })
            }
            Kind::Ehs2Width(count) => {
                let cuts = percentiles::steps(street, count);
                let cuts = cuts.map_err(|possible| too_many(count, possible))?;
                Ok(Rule::Percentiles { cuts })
            }
            Kind::Nested { classes: count, each } => {
                let cards = [0, 3, 4, 5][street.index()];
                report("classes of boards", 0.0, None);
                let classes = Classes::make(cards, count, 1);
                let classes = classes.ok_or_else(|| too_many(count, count.saturating_sub(1)))?;
                report("E[HS²]", 0.0, None);
                let weights =
                    percentiles::weights_by_score(table(), street, count as usize, |board| {
                        classes.class(board)
                    });
                report("E[HS²]", 1.0, None);
                let cuts = weights.iter().map(|weights| {
                    percentiles::cuts(weights, each)
                        .map_err(|possible| too_many(count * each, count * possible))
                });
                let cuts = cuts.collect::<Result<_, _>>()?;
                Ok(Rule::Nested { classes, cuts })
            }
            Kind::Features { steps, quantiles } => {
                report("features", 0.0, None);
                let keys = all_feature_keys(table(), street, steps, quantiles);
                report("features", 1.0, None);
                let found = keys.len();
                if found > MAX_COUNT as usize {
                    return Err(Error::new(format!(
                        "the features fall into {found} different ones on the {street}, but at \
                         most {MAX_COUNT} buckets are possible: take fewer steps or fewer quantiles"
                    )));
                }
                Ok(Rule::Keyed { steps, quantiles, keys })
            }
            Kind::Emd { count, seed } => {
                let centres = cluster::centres(table(), street, count, seed, &mut report);
                let centres = centres.ok_or_else(|| too_many(count, count - 1))?;
                Ok(Rule::Histograms { centres })
            }
        }
    }

    pub(super) fn count(&self) -> u32 {
        match self {
            Rule::StartingHands => StartingHand::COUNT as u32,
            Rule::Pairs => 2,
            Rule::Category => Category::StraightFlush as u32 + 1,
            Rule::Percentiles { cuts } => cuts.len() as u32 + 1,
            Rule::Nested { cuts, .. } => cuts.iter().map(|cuts| cuts.len() as u32 + 1).sum(),
            Rule::Keyed { keys, .. } => keys.len() as u32,
            Rule::Histograms { centres } => centres.as_slice().len() as u32,
        }
    }

    /// The bucket of a hand that shares no card with the board. `hand_equity` is a workspace.
    pub(super) fn bucket(
        &self,
        hole: Combo,
        board: CardSet,
        hand_equity: &mut HandEquity,
    ) -> Result<u32, cards::Error> {
        match self {
            Rule::StartingHands | Rule::Pairs => Ok(self.before_flop(hole)),
            Rule::Category => Ok(evaluate(hole.set() | board).category() as u32),
            _ => {
                RiverTable::shared(Ties::Half).hand_equity_into(hole, board, hand_equity)?;
                Ok(self.bucket_of(self.class(board), hand_equity))
            }
        }
    }

    /// The class of a board; 0 where boards have none.
    pub(super) fn class(&self, board: CardSet) -> u32 {
        match self {
            Rule::Nested { classes, .. } => classes.class(board),
            _ => 0,
        }
    }

    /// Whether the equity alone decides the bucket of a hand on boards of one class.
    pub(super) fn by_hand_equity(&self) -> bool {
        !matches!(self, Rule::StartingHands | Rule::Pairs | Rule::Category)
    }

    /// The bucket of a hand with this equity on a board of this class.
    pub(super) fn bucket_of(&self, class: u32, hand_equity: &HandEquity) -> u32 {
        match self {
            Rule::Keyed { steps, quantiles, keys } => {
                let key = feature_key(hand_equity, *steps, *quantiles);
                keys.partition_point(|&other| other < key).min(keys.len() - 1) as u32
            }
            Rule::Histograms { centres } => {
                u32::from(centres.nearest(&cluster::histogram_of(hand_equity)).centre)
            }
            _ => self.bucket_with(class, percentiles::score(hand_equity)),
        }
    }

    /// The bucket of a hand with this score, for rules based on scores.
    pub(super) fn bucket_with(&self, class: u32, score: u32) -> u32 {
        let index = |cuts: &[u32]| cuts.partition_point(|&cut| cut <= score) as u32;
        match self {
            Rule::Percentiles { cuts } => index(cuts),
            Rule::Nested { cuts, .. } => {
                // All classes have equally many buckets.
                let own = &cuts[class as usize];
                class * (own.len() as u32 + 1) + index(own)
            }
            _ => 0,
        }
    }

    /// The bucket of a hand before the flop.
    #[inline]
    pub(super) fn before_flop(&self, hole: Combo) -> u32 {
        match self {
            Rule::Pairs => u32::from(hole.starting_hand().is_pair()),
            _ => hole.starting_hand().index() as u32,
        }
    }

    /// The rule's numbers as bytes, for files and the hash. The recipe determines their layout.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let words = |cuts: &[u32]| cuts.iter().flat_map(|cut| cut.to_le_bytes()).collect();
        match self {
            Rule::StartingHands | Rule::Pairs | Rule::Category => Vec::new(),
            Rule::Percentiles { cuts } => words(cuts),
            Rule::Nested { classes, cuts } => {
                let numbers = classes.scale.iter().chain(classes.centres.iter().flatten());
                let mut bytes: Vec<u8> = numbers.flat_map(|number| number.to_le_bytes()).collect();
                cuts.iter().for_each(|cuts| bytes.extend(words(cuts)));
                bytes
            }
            Rule::Keyed { keys, .. } => keys.iter().flat_map(|key| key.to_le_bytes()).collect(),
            Rule::Histograms { centres } => centres.as_slice().concat(),
        }
    }

    /// Parses the rule of a kind from its bytes; `None` when they are invalid for it.
    pub(super) fn from_bytes(street: Street, kind: Kind, bytes: &[u8]) -> Option<Rule> {
        let rising = |cuts: &Vec<u32>| cuts.is_sorted_by(|a, b| a < b);
        match kind {
            Kind::StartingHands | Kind::Category if !bytes.is_empty() => None,
            Kind::StartingHands => Some(Rule::StartingHands),
            Kind::Category if street == Street::Preflop => Some(Rule::Pairs),
            Kind::Category => Some(Rule::Category),
            Kind::Ehs2(count) | Kind::Ehs2Width(count) => {
                let cuts = words(bytes, count as usize - 1)?;
                rising(&cuts).then_some(Rule::Percentiles { cuts })
            }
            Kind::Nested { classes, each } => {
                let (classes, each) = (classes as usize, each as usize);
                let (numbers, rest) = bytes.split_at_checked(8 * (2 + 2 * classes))?;
                let numbers: Vec<f64> =
                    numbers.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
                let centres = numbers[2..].as_chunks::<2>().0.to_vec();
                let all = words(rest, classes * (each - 1))?;
                let cuts: Vec<Vec<u32>> = (0..classes)
                    .map(|class| all[class * (each - 1)..][..each - 1].to_vec())
                    .collect();
                let classes = Classes { scale: [numbers[0], numbers[1]], centres };
                let sound = cuts.iter().all(rising) && numbers.iter().all(|n| n.is_finite());
                sound.then_some(Rule::Nested { classes, cuts })
            }
            Kind::Features { steps, quantiles } => {
                let (keys, rest) = bytes.as_chunks();
                let keys: Vec<u64> = keys.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
                let sound = rest.is_empty()
                    && (1..=MAX_COUNT as usize).contains(&keys.len())
                    && keys.is_sorted_by(|a, b| a < b);
                sound.then_some(Rule::Keyed { steps, quantiles, keys })
            }
            Kind::Emd { count, .. } => {
                let (centres, rest) = bytes.as_chunks::<BINS>();
                let sorted = Centres::new(centres.to_vec());
                let sound = rest.is_empty()
                    && centres.len() == count as usize
                    && sorted.as_slice() == centres;
                sound.then_some(Rule::Histograms { centres: sorted })
            }
        }
    }
}

/// Parses exactly `count` whole numbers.
fn words(bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    let (words, rest) = bytes.as_chunks();
    let sound = rest.is_empty() && words.len() == count;
    sound.then(|| words.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
}

/// The feature key of a hand: its equity and the quantiles of the equity on the next street,
/// from the lowest, each rounded to `steps` steps, as the digits of a number.
///
/// After Bertsimas and Paskov, "World-class interpretable poker" (2022), who group hands by such
/// features; their rounding is not published.
fn feature_key(hand_equity: &HandEquity, steps: u32, quantiles: u32) -> u64 {
    let base = u64::from(steps) + 1;
    let digit = |share: f64| (share * f64::from(steps)).round() as u64;
    let mut key = digit(hand_equity.equity());
    if let Some(next) = hand_equity.later().first() {
        for number in 1..=quantiles {
            let at = f64::from(number) / f64::from(quantiles + 1);
            key = key * base + digit(next.quantile(at));
        }
    }
    key
}

/// The distinct keys of all hands of a street, in increasing order.
fn all_feature_keys(table: &RiverTable, street: Street, steps: u32, quantiles: u32) -> Vec<u64> {
    let rivers = CanonicalIndex::new([5]).expect("five cards have an index");
    let of_board = |board: CardSet| {
        let mut keys = BTreeSet::new();
        let visit = |_: Combo, hand_equity: &HandEquity| {
            keys.insert(feature_key(hand_equity, steps, quantiles));
        };
        table.each_hand(board, visit).expect("boards of three to five cards");
        keys
    };
    let add = |keys: &mut BTreeSet<u64>, board: CardSet| keys.extend(of_board(board));
    let keys = match street {
        Street::Flop | Street::Turn => {
            let boards = if street == Street::Flop { Boards::flops() } else { Boards::turns() };
            let boards = boards.rows().iter().map(|(board, _)| *board);
            parallel::fold(boards, BTreeSet::new, add)
        }
        _ => parallel::fold(0..rivers.size(), BTreeSet::new, |keys, number| {
            add(keys, rivers.representative(number).expect("below the size")[0]);
        }),
    };
    keys.into_iter().flatten().collect::<BTreeSet<u64>>().into_iter().collect()
}
