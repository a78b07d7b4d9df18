//! Card buckets: groups of hands on each street that a strategy does not distinguish.
//!
//! A [`BucketRecipe`] specifies each street's buckets in a line of text, and [`Buckets::make`]
//! computes them from the table of all river states: exactly, and the same on every machine. A
//! hand's bucket is decided by a few numbers (the limits between percentiles, the centres of
//! clusters), which are the contents of a bucket file and of the [`hash`](Buckets::hash). A look-up
//! from them takes some microseconds; [`Buckets::tabulate`] stores the bucket of every hand on
//! every board (52 MB), so that a look-up takes some nanoseconds, for training.
//!
//! Buckets have *imperfect recall*: they depend on the hand and the set of board cards, not on the
//! street on which each card came, nor on the buckets of earlier streets. Suit-isomorphic hands
//! share a bucket.
//!
//! The file of buckets is a few readable lines of text, then the numbers that decide.
//!
//! ```text
//! cardroom buckets 1
//! recipe = preflop=169 flop=ehs2:200 turn=ehs2:200 river=ehs2:200
//! counts = 169 200 200 200
//! sha256 = 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
//! lengths = 0 796 796 796
//! ```
//!
//! Lines end with a line feed; an empty one closes them. Each street's numbers follow,
//! little-endian, as many bytes as `lengths` says: limits of percentiles (4 bytes each); scales,
//! centres (8 bytes each) and limits of nested ones; keys of features (8 bytes); centres of
//! clusters (32 bytes each). The hash is over version, recipe and these numbers: [`Buckets::hash`].

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read, Write};
use std::sync::OnceLock;

use arrayvec::ArrayVec;
use cards::{
    Board, Card, CardSet, Combo, HandEquity, HoleCards, OnBoard, RiverBoard, RiverTable, Ties,
};
use game::Street;
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use self::percentiles::{Boards, NONE};
use self::recipe::Rule;
use crate::Error;

pub use self::recipe::{BucketRecipe, Kind};
pub use self::report::{EquityRange, Example, ExampleHand, MadeHand, StreetReport};

mod cluster;
mod percentiles;
mod recipe;
mod report;

/// Version of the kinds of buckets and of their file format.
pub const VERSION: u32 = 1;

/// The buckets of the hands of all four streets.
#[derive(Debug, Clone)]
pub struct Buckets {
    recipe: BucketRecipe,
    rules: [Rule; 4],
    hash: String,
    tables: OnceLock<Tables>,
}

/// The error for a hand that has not two different cards.
#[cold]
fn no_hand() -> Error {
    Error::new("the hand has not two different cards: buckets are for hold'em")
}

/// Progress of making buckets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// The street being worked on.
    pub street: Street,
    /// The current stage, in a word or two.
    pub stage: &'static str,
    /// The share of the stage that is done, 0 to 1.
    pub done: f64,
    /// While clustering: the sum of the hands' distances from their centres, which falls.
    pub distance: Option<u64>,
}

/// The cards of a complete two-player deal: all different.
#[derive(Debug, Clone, Copy)]
pub struct DealtCards {
    /// The hands of seats 0 and 1.
    pub holes: [Combo; 2],
    /// The board, in street order.
    pub board: [Card; 5],
}

/// The buckets of a complete deal: `[seat][street]`.
pub type DealtBuckets = [[u32; 4]; 2];

impl Buckets {
    /// Makes the buckets of a recipe, on all threads: a second or two for
    /// percentiles and nested percentiles, seconds for features, a minute or two for some hundred
    /// clusters on each of two streets. `progress` is called from the calling thread.
    ///
    /// # Errors
    /// When a street has fewer hands than buckets were asked for, or features are too fine.
    pub fn make(
        recipe: &BucketRecipe,
        mut progress: impl FnMut(Progress),
    ) -> Result<Buckets, Error> {
        let mut make = |street: Street| Rule::make(street, recipe.kind(street), &mut progress);
        let [preflop, flop, turn, river] = Street::ALL;
        let rules = [make(preflop)?, make(flop)?, make(turn)?, make(river)?];
        Ok(Buckets::from_rules(*recipe, rules))
    }

    fn from_rules(recipe: BucketRecipe, rules: [Rule; 4]) -> Buckets {
        let mut text = Sha256::new();
        text.update(format!("cardroom buckets {VERSION}\n{recipe}\n"));
        rules.iter().for_each(|rule| text.update(rule.to_bytes()));
        let hash = hexadecimal(&text.finalize());
        Buckets { recipe, rules, hash, tables: OnceLock::new() }
    }

    /// The recipe of these buckets.
    pub fn recipe(&self) -> &BucketRecipe {
        &self.recipe
    }

    /// SHA-256 over the version, the recipe and all that decides a hand's bucket, in hexadecimal
    /// digits.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The number of buckets of a street.
    pub fn count(&self, street: Street) -> u32 {
        self.rules[street.index()].count()
    }

    /// Builds the tables of the buckets of every hand on every board: some ten seconds of a
    /// processor for percentiles, 52 MB; as long as 260,000 deals without them. Does nothing the
    /// second time.
    pub fn tabulate(&self, mut progress: impl FnMut(Progress)) {
        if self.tables.get().is_none() {
            // If two calls build them, they are the same.
            let _ = self.tables.set(Tables::new(&self.rules, &mut progress));
        }
    }

    /// Builds now the tables that the first look-up on each street would build.
    pub fn warm_up(&self) {
        let mut cards = CardSet::FULL.iter();
        let (Some(one), Some(other)) = (cards.next(), cards.next()) else { return };
        let Some(hole) = Combo::new(one, other) else { return };
        let board: CardSet = cards.by_ref().take(3).collect();
        let boards = [Some(board), cards.next().map(|turn| board | CardSet::single(turn))];
        for board in boards.into_iter().flatten() {
            // The hand shares no card with the board, so it has a bucket.
            let _ = self.of_combo(hole, board);
        }
    }

    /// The bucket of a hand on a board of 0, 3, 4 or 5 cards, below the street's count.
    ///
    /// Without [tables](Buckets::tabulate) the first call after the flop builds the river table
    /// (0.2 s); each then takes up to 10 µs.
    ///
    /// # Errors
    /// When these are not the cards of a hold'em hand.
    pub fn bucket(&self, hole: HoleCards, board: &Board) -> Result<u32, Error> {
        let &[a, b] = hole.as_slice() else { return Err(no_hand()) };
        self.of_combo(Combo::new(a, b).ok_or_else(no_hand)?, board.set())
    }

    /// The same as [`Buckets::bucket`], for a combo and a set of board cards.
    ///
    /// # Errors
    /// When the board's number of cards is not 0, 3, 4 or 5, or it shares a card with the hand.
    pub fn of_combo(&self, hole: Combo, board: CardSet) -> Result<u32, Error> {
        let street = street_of(board)?;
        if let Some(card) = (hole.set() & board).iter().next() {
            return Err(cards::Error::hand_and_board(card).into());
        }
        if let Some(bucket) = self.tables.get().and_then(|tables| tables.get(hole, board)) {
            return Ok(bucket);
        }
        Ok(self.rules[street.index()].bucket(hole, board, &mut HandEquity::default())?)
    }

    /// The buckets of all hands on a board of 0, 3, 4 or 5 cards, indexed by combo number; 0 for
    /// hands that share a card with it. A millisecond on the flop, less later; several times that
    /// for hands without a `HandEquity`.
    ///
    /// # Errors
    /// When the board's number of cards is not 0, 3, 4 or 5.
    pub fn on_board(&self, board: CardSet) -> Result<Box<[u16]>, Error> {
        let rule = &self.rules[street_of(board)?.index()];
        let mut buckets = vec![0; Combo::COUNT].into_boxed_slice();
        if !board.is_empty() && rule.by_hand_equity() {
            let class = rule.class(board);
            RiverTable::shared(Ties::Half).each_hand(board, |combo, hand_equity| {
                buckets[combo.index()] = rule.bucket_of(class, hand_equity) as u16;
            })?;
            return Ok(buckets);
        }
        let strengths = matches!(rule, Rule::Category).then(|| OnBoard::new(board));
        for combo in Combo::all().filter(|combo| !combo.set().intersects(board)) {
            buckets[combo.index()] = match &strengths {
                Some(strengths) => {
                    let [high, low] = combo.cards();
                    strengths.rank(high, low).category() as u16
                }
                None => self.of_combo(combo, board)? as u16,
            };
        }
        Ok(buckets)
    }

    /// The buckets of both hands of each deal on all streets. The cards of a deal must all be
    /// different, otherwise its buckets are arbitrary.
    ///
    /// With [tables](Buckets::tabulate) some 200 ns a deal when there are many, most of it memory
    /// latency, which several deals overlap. Without them some 40 µs.
    pub fn deal(&self, deals: &[DealtCards], mut each: impl FnMut(usize, DealtBuckets)) {
        const BATCH_SIZE: usize = 16;
        let Some(tables) = self.tables.get() else {
            let mut last = None;
            for (number, cards) in deals.iter().enumerate() {
                let buckets = self.deal_without_tables(cards, last);
                each(number, buckets);
                last = Some((cards, buckets));
            }
            return;
        };
        for (chunk, deals) in deals.chunks(BATCH_SIZE).enumerate() {
            let mut found: ArrayVec<Found, BATCH_SIZE> = ArrayVec::new();
            found.extend(deals.iter().map(|cards| tables.find(cards.holes, &cards.board)));
            for (at, found) in found.iter().enumerate() {
                each(BATCH_SIZE * chunk + at, tables.read(&self.rules, found));
            }
        }
    }

    /// The buckets of a deal. Deals in a row often share hands and flops, so the last one's are
    /// reused.
    fn deal_without_tables(
        &self,
        cards: &DealtCards,
        last: Option<(&DealtCards, DealtBuckets)>,
    ) -> DealtBuckets {
        std::array::from_fn(|seat| {
            let hole = cards.holes[seat];
            std::array::from_fn(|street| {
                let board = &cards.board[..[0, 3, 4, 5][street]];
                match last {
                    Some((last, buckets))
                        if last.holes[seat] == hole && last.board.starts_with(board) =>
                    {
                        buckets[seat][street]
                    }
                    _ => self.of_combo(hole, board.iter().copied().collect()).unwrap_or_default(),
                }
            })
        })
    }
}

/// The street of a board, by its number of cards.
fn street_of(board: CardSet) -> Result<Street, cards::Error> {
    match board.len() {
        0 => Ok(Street::Preflop),
        3 => Ok(Street::Flop),
        4 => Ok(Street::Turn),
        5 => Ok(Street::River),
        found => Err(cards::Error::board_size(found, "none, three, four or five")),
    }
}

/// The tables of all streets after the flop; the preflop needs none.
#[derive(Debug, Clone)]
struct Tables {
    /// The buckets of all hands on all flops and turns, indexed by
    /// [`percentiles::BoardPosition`].
    flop: Box<[u16]>,
    turn: Box<[u16]>,
    river: River,
}

/// The river's part: there are too many river hands for a table by hand.
#[derive(Debug, Clone)]
enum River {
    /// Buckets by board class and equity in 1,980ths, which the table of river states has.
    ByWinRate {
        /// The class of each board by its number; empty where there is one class.
        classes: Box<[u16]>,
        buckets: Box<[u16]>,
    },
    /// Evaluates the rule at every look-up.
    ByRule,
}

/// Number of possible equities of a river hand.
const RATES: usize = RiverTable::DENOMINATOR as usize + 1;

impl Tables {
    fn new(rules: &[Rule; 4], progress: &mut dyn FnMut(Progress)) -> Tables {
        let mut report =
            |street, done| progress(Progress { street, stage: "tables", done, distance: None });
        report(Street::Flop, 0.0);
        let flop = written_out(&rules[1], Street::Flop);
        report(Street::Turn, 0.0);
        let turn = written_out(&rules[2], Street::Turn);
        report(Street::River, 0.0);
        let river = River::from_rule(&rules[3]);
        report(Street::River, 1.0);
        // Build the river table now, which the look-ups use.
        RiverTable::shared(Ties::Half);
        Tables { flop, turn, river }
    }

    /// The bucket of a hand on a board of three or four cards, and of five where equities decide
    /// it. The hand must share no card with the board.
    #[inline]
    fn get(&self, hole: Combo, board: CardSet) -> Option<u32> {
        match board.len() {
            3 => Some(self.flop[Boards::flops().position(board).index(hole)].into()),
            4 => Some(self.turn[Boards::turns().position(board).index(hole)].into()),
            5 => {
                let state = RiverBoard::new(board).ok()?.state(hole);
                self.river.buckets([state; 2], board).map(|[bucket, _]| bucket)
            }
            _ => None,
        }
    }

    /// The table positions of a deal's buckets.
    #[inline]
    fn find(&self, holes: [Combo; 2], board: &[Card; 5]) -> Found {
        let [a, b, c, d, e] = board.map(CardSet::single);
        let flop = a | b | c;
        let turn = flop | d;
        let river = turn | e;
        let (on_flop, on_turn) = (Boards::flops().position(flop), Boards::turns().position(turn));
        Found {
            holes,
            flop: holes.map(|hole| on_flop.index(hole)),
            turn: holes.map(|hole| on_turn.index(hole)),
            river,
            states: RiverBoard::new(river)
                .map_or([0; 2], |board| holes.map(|hole| board.state(hole))),
        }
    }

    /// Reads the buckets at these positions.
    #[inline]
    fn read(&self, rules: &[Rule; 4], found: &Found) -> DealtBuckets {
        let on_river = self.river.read(found).unwrap_or_else(|| {
            found.holes.map(|hole| {
                let bucket = rules[3].bucket(hole, found.river, &mut HandEquity::default());
                bucket.unwrap_or_default()
            })
        });
        [0, 1].map(|player| {
            [
                rules[0].before_flop(found.holes[player]),
                self.flop[found.flop[player]].into(),
                self.turn[found.turn[player]].into(),
                on_river[player],
            ]
        })
    }
}

/// The table positions of both hands' buckets in a deal. They are computed for many deals before
/// any is read, so that cache misses overlap.
#[derive(Clone, Copy)]
struct Found {
    holes: [Combo; 2],
    flop: [usize; 2],
    turn: [usize; 2],
    river: CardSet,
    states: [usize; 2],
}

impl River {
    fn from_rule(rule: &Rule) -> River {
        if !rule.by_hand_equity() {
            return River::ByRule;
        }
        let (classes, count): (Box<[u16]>, u32) = match rule {
            Rule::Nested { classes, .. } => {
                let of_board = percentiles::of_five(|board| classes.class(board) as u16);
                (of_board, classes.centres.len() as u32)
            }
            _ => (Box::default(), 1),
        };
        let rates = |class| {
            (0..RATES).map(move |rate| {
                let hand_equity = HandEquity::on_river(rate as u16);
                rule.bucket_of(class, &hand_equity) as u16
            })
        };
        River::ByWinRate { classes, buckets: (0..count).flat_map(rates).collect() }
    }

    /// The buckets of a deal's hands on the river.
    #[inline]
    fn read(&self, found: &Found) -> Option<[u32; 2]> {
        self.buckets(found.states, found.river)
    }

    /// The buckets of two river states of a board.
    #[inline]
    fn buckets(&self, states: [usize; 2], board: CardSet) -> Option<[u32; 2]> {
        let River::ByWinRate { classes, buckets } = self else { return None };
        let class = match classes.len() {
            0 => 0,
            _ => usize::from(classes[percentiles::number_of(board)]),
        };
        let buckets = &buckets[RATES * class..][..RATES];
        let table = RiverTable::shared(Ties::Half);
        Some(states.map(|state| buckets[usize::from(table.value_of_state(state))].into()))
    }
}

/// The table of a rule for a flop or turn.
fn written_out(rule: &Rule, street: Street) -> Box<[u16]> {
    let table = RiverTable::shared(Ties::Half);
    let boards = if street == Street::Flop { Boards::flops() } else { Boards::turns() };
    if matches!(rule, Rule::Percentiles { .. } | Rule::Nested { .. }) {
        return by_score(rule, &percentiles::all_scores(table, street), boards);
    }
    let mut buckets = vec![0; boards.rows().len() * Combo::COUNT].into_boxed_slice();
    let rows = buckets.chunks_mut(Combo::COUNT).zip(boards.rows());
    parallel::for_each(rows, |(row, (board, _))| {
        if rule.by_hand_equity() {
            let visit = |hole: Combo, hand_equity: &HandEquity| {
                row[hole.index()] = rule.bucket_of(0, hand_equity) as u16;
            };
            table.each_hand(*board, visit).expect("boards of three or four cards");
        } else {
            let mut hand_equity = HandEquity::default();
            for hole in Combo::all().filter(|hole| !hole.set().intersects(*board)) {
                let bucket = rule.bucket(hole, *board, &mut hand_equity);
                row[hole.index()] = bucket.expect("a hand beside its board") as u16;
            }
        }
    });
    buckets
}

/// The table for a rule based on scores.
fn by_score(rule: &Rule, scores: &[u32], boards: &Boards) -> Box<[u16]> {
    let classes: Vec<u32> = parallel::map(boards.rows(), |(board, _)| rule.class(*board));
    // Adjacent hands have very different scores: a table by score saves a search of the limits.
    let most = scores.iter().copied().filter(|&score| score != NONE).max().unwrap_or(0);
    let groups: HashMap<u32, Vec<u16>> = (classes.iter().copied())
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(|class| {
            let groups = (0..=most).map(|score| rule.bucket_with(class, score) as u16).collect();
            (class, groups)
        })
        .collect();
    let rows = scores.chunks(Combo::COUNT).zip(classes);
    let group = |(row, class): (&[u32], u32)| {
        let groups = &groups[&class];
        row.iter()
            .map(|&score| groups.get(score as usize).copied().unwrap_or(0))
            .collect::<Vec<u16>>()
    };
    parallel::map(rows, group).concat().into_boxed_slice()
}

/// Maximum length of a line.
const LONGEST_LINE: u64 = 4096;

/// Maximum number of bytes of a street's numbers.
const MAX_BYTES: u64 = 8 << 20;

impl Buckets {
    /// Writes the buckets, without their tables.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, mut to: impl Write) -> io::Result<()> {
        let numbers = self.rules.each_ref().map(Rule::to_bytes);
        let spaced = |numbers: [String; 4]| numbers.join(" ");
        let counts = spaced(Street::ALL.map(|street| self.count(street).to_string()));
        let lengths = spaced(numbers.each_ref().map(|bytes| bytes.len().to_string()));
        let (recipe, hash) = (self.recipe(), self.hash());
        write!(
            to,
            "cardroom buckets {VERSION}\nrecipe = {recipe}\ncounts = {counts}\nsha256 = {hash}\n\
             lengths = {lengths}\n\n"
        )?;
        numbers.iter().try_for_each(|bytes| to.write_all(bytes))?;
        to.flush()
    }

    /// Reads what [`Buckets::write`] wrote. The buckets have no tables yet.
    ///
    /// # Errors
    /// When the bytes are something else, of another version, cut off or damaged.
    pub fn read(mut from: impl Read) -> Result<Buckets, Error> {
        let first = line(&mut from)?;
        match first.strip_prefix("cardroom buckets ") {
            None => {
                let first: String = first.chars().take(40).collect();
                return Err(Error::new(format!(
                    "these bytes are not a file of buckets: the first line should be `cardroom \
                     buckets {VERSION}`, and is `{first}`"
                )));
            }
            Some(version) if version == VERSION.to_string() => {}
            Some(version) => {
                let found: String = version.chars().take(20).collect();
                return Err(Error::new(format!(
                    "the buckets are of version {found}, and this program has version {VERSION}: \
                     make them again from their recipe"
                )));
            }
        }
        let recipe: BucketRecipe = named(&mut from, "recipe")?
            .parse()
            .map_err(|error| Error::new(format!("the recipe of the buckets: {error}")))?;
        let counts = four(&named(&mut from, "counts")?, "counts")?;
        let stated = named(&mut from, "sha256")?;
        let lengths = four(&named(&mut from, "lengths")?, "lengths")?;
        let empty = line(&mut from)?;
        if !empty.is_empty() || lengths.iter().any(|&length| length > MAX_BYTES) {
            return Err(bad_line("lengths", &empty));
        }
        let wanted: u64 = lengths.iter().sum();
        let mut bytes = Vec::new();
        from.take(wanted + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != wanted {
            return Err(Error::new(format!(
                "the buckets have {} bytes of numbers where {wanted} are needed: the file is cut \
                 off or incomplete",
                bytes.len()
            )));
        }
        let mut rest = bytes.as_slice();
        let mut rule = |street: Street| {
            let (own, after) = rest.split_at(lengths[street.index()] as usize);
            rest = after;
            Rule::from_bytes(street, recipe.kind(street), own).ok_or_else(|| {
                Error::new(format!(
                    "the numbers of the {street} are not those of buckets of its kind: the file is \
                     damaged"
                ))
            })
        };
        let [preflop, flop, turn, river] = Street::ALL;
        let rules = [rule(preflop)?, rule(flop)?, rule(turn)?, rule(river)?];
        let buckets = Buckets::from_rules(recipe, rules);
        let found = Street::ALL.map(|street| u64::from(buckets.count(street)));
        if found != counts {
            return Err(bad_line("counts", &format!("{counts:?}, not {found:?}")));
        }
        if stated != buckets.hash() {
            return Err(Error::new(format!(
                "the buckets are damaged: the file says their hash is {stated}, and it is {}",
                buckets.hash()
            )));
        }
        Ok(buckets)
    }
}

/// The error for a line of the head.
fn bad_line(name: &str, found: &str) -> Error {
    Error::new(format!("the line `{name} = …` of the buckets is missing or wrong: `{found}`"))
}

/// Reads a line, without its end.
fn line(from: &mut impl Read) -> Result<String, Error> {
    let mut text = Vec::new();
    let mut byte = [0];
    while from.read(&mut byte)? == 1 && byte != *b"\n" && (text.len() as u64) < LONGEST_LINE {
        text.push(byte[0]);
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Reads a line with this name and gives its value.
fn named(from: &mut impl Read, name: &'static str) -> Result<String, Error> {
    let found = line(from)?;
    let value = found.strip_prefix(name).and_then(|rest| rest.strip_prefix(" = "));
    match value {
        Some(value) => Ok(value.to_owned()),
        None => Err(bad_line(name, &found.chars().take(80).collect::<String>())),
    }
}

fn four(text: &str, name: &'static str) -> Result<[u64; 4], Error> {
    let numbers: Option<Vec<u64>> = text.split(' ').map(|number| number.parse().ok()).collect();
    let four = numbers.and_then(|numbers| numbers.try_into().ok());
    four.ok_or_else(|| bad_line(name, text))
}
