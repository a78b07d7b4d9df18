//! Making a dataset.

use std::cmp::Ordering;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use abstraction::betting::{BettingTree, NodeKind, game_hash};
use abstraction::buckets::DealtCards;
use abstraction::features::{FeatureMaker, Schema, SeenBetting};
use cards::{CardSet, Combo};
use game::{PublicState, Street, Turn};
use models::student::columns;
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use solvers::blueprint::draw;

use super::{CARD, Card, FORMAT, FileCard, Split, StreetCard, Teacher};
use crate::Error;
use crate::data::{partial_path, sha256_of_rest};

/// Deals in a unit of work of one thread.
const DEALS: u64 = 256;

/// Most units of work between two calls of `progress`.
const BATCH_SIZE: u64 = 64;

/// Rows of a file written at a time.
const BLOCK: usize = 1 << 14;

/// The number of rows, of some 260,000 deals, that pay for tables of buckets.
const MANY_ROWS: u64 = 1_250_000;

/// The settings of a dataset.
#[derive(Debug, Clone)]
pub struct MakeOptions {
    /// The number of rows to sample over all streets, equal ones counted separately.
    pub rows: u64,
    /// The share of actions drawn uniformly instead of from the strategy, 0 to 1.
    pub explore: f64,
    /// The seed of all rows.
    pub seed: u64,
    /// The version of the features.
    pub schema: Schema,
    /// The SHA-256 of the teacher's file.
    pub teacher_sha256: String,
    /// The name and version of the program.
    pub made_by: String,
}

/// The result of making a dataset.
#[derive(Debug, Clone, PartialEq)]
pub enum MakeOutcome {
    /// The dataset is complete, with this card.
    Whole(Box<Card>),
    /// It was stopped; nothing was kept.
    Stopped,
}

/// Plays until there are as many rows as asked for and writes them to a folder that must not exist.
/// The result depends only on the teacher and the options, not on the number of threads. `progress`
/// is called with the number of rows and returns whether to continue.
///
/// # Errors
/// When the folder or a file cannot be written.
pub fn make(
    teacher: &Teacher,
    options: &MakeOptions,
    folder: &Path,
    mut progress: impl FnMut(u64) -> bool,
) -> Result<MakeOutcome, Error> {
    if options.rows >= MANY_ROWS {
        teacher.deals.card_buckets().tabulate(|_| {});
    }
    let partial = partial_path(folder);
    let _ = fs::remove_dir_all(&partial);
    fs::create_dir_all(&partial).map_err(|error| Error::file(&partial, error))?;
    let made = DatasetWriter::new(teacher, options.schema, &partial).and_then(|mut making| {
        match making.sample(options, &mut progress)? {
            Some(deals) => making.write(options, deals, &partial).map(Some),
            None => Ok(None),
        }
    });
    match made {
        Ok(Some(card)) => {
            fs::rename(&partial, folder).map_err(|error| Error::file(folder, error))?;
            Ok(MakeOutcome::Whole(Box::new(card)))
        }
        other => {
            let _ = fs::remove_dir_all(&partial);
            other.map(|_| MakeOutcome::Stopped)
        }
    }
}

struct DatasetWriter<'a> {
    teacher: &'a Teacher,
    schema: Schema,
    runs: [[Runs; 3]; 4],
}

impl<'a> DatasetWriter<'a> {
    fn new(
        teacher: &'a Teacher,
        schema: Schema,
        folder: &Path,
    ) -> Result<DatasetWriter<'a>, Error> {
        let open = |street: Street, split: Split| -> Result<Runs, Error> {
            let path = folder.join(format!("{street}.{}.runs", split.name()));
            let file =
                File::options().read(true).write(true).create(true).truncate(true).open(&path);
            // The file is unlinked: it vanishes with the process.
            let file = file.and_then(|file| fs::remove_file(&path).map(|()| file));
            let keys = schema.count(street);
            let width = keys + teacher.moves(street).as_slice().len() + 1;
            Ok(Runs::new(keys, width, file.map_err(|error| Error::file(&path, error))?))
        };
        let of_street = |street| -> Result<[Runs; 3], Error> {
            let [train, valid, test] = Split::ALL.map(|split| open(street, split));
            Ok([train?, valid?, test?])
        };
        let [preflop, flop, turn, river] = Street::ALL.map(of_street);
        Ok(DatasetWriter { teacher, schema, runs: [preflop?, flop?, turn?, river?] })
    }

    /// Samples the rows; returns the number of deals, or `None` when it was stopped.
    fn sample(
        &mut self,
        options: &MakeOptions,
        progress: &mut dyn FnMut(u64) -> bool,
    ) -> Result<Option<u64>, Error> {
        let maker = FeatureMaker::new(self.schema);
        maker.prepare();
        let (mut deals, mut rows) = (0, 0);
        while rows < options.rows {
            if !progress(rows) {
                return Ok(None);
            }
            // No more units than the missing rows need.
            let pieces = ((options.rows - rows) / (2 * DEALS)).clamp(1, BATCH_SIZE);
            let begin = deals;
            let play = |maker: &mut FeatureMaker, piece: u64, most: u64| {
                let from = begin + piece * DEALS;
                let deals = from..from + DEALS;
                play(self.teacher, maker, options.seed, options.explore, deals, most)
            };
            let played: Vec<Rows> = parallel::map_with(
                0..pieces,
                || maker.clone(),
                |m, piece| play(m, piece, u64::MAX),
            );
            for (number, mut piece) in (0..).zip(played) {
                let missing = options.rows - rows;
                if piece.count > missing {
                    piece = play(&mut maker.clone(), number, missing);
                }
                deals += DEALS;
                rows += piece.count;
                self.keep(&piece)?;
                if rows == options.rows {
                    break;
                }
            }
        }
        progress(rows);
        Ok(Some(deals))
    }

    fn keep(&mut self, rows: &Rows) -> Result<(), Error> {
        for (runs, rows) in self.runs.iter_mut().flatten().zip(rows.of.iter().flatten()) {
            runs.add(rows)
                .map_err(|error| Error::file(Path::new("the dataset's temporary file"), error))?;
        }
        Ok(())
    }

    /// Merges equal rows, street by street, and writes the files and the card.
    fn write(mut self, options: &MakeOptions, deals: u64, folder: &Path) -> Result<Card, Error> {
        let sampled = self.runs.iter().flatten().map(Runs::rows).sum();
        let blueprint = self.teacher.blueprint();
        let streets = Street::ALL.into_iter().map(|street| self.street(street, folder));
        let streets = streets.collect::<Result<Vec<_>, _>>()?;
        let card = Card {
            format: FORMAT,
            made_by: options.made_by.clone(),
            teacher_sha256: options.teacher_sha256.clone(),
            deals,
            sampled,
            explore: options.explore,
            seed: options.seed,
            menu: blueprint.head().menu.clone(),
            game_sha256: game_hash(self.teacher.tree().def()),
            features: options.schema.stamp(),
            streets,
            game: blueprint.head().game.clone(),
        };
        let path = folder.join(CARD);
        let text = toml::to_string(&card).map_err(io::Error::other);
        text.and_then(|text| fs::write(&path, text)).map_err(|error| Error::file(&path, error))?;
        Ok(card)
    }

    fn street(&mut self, street: Street, folder: &Path) -> Result<StreetCard, Error> {
        let classes = self.teacher.moves(street).names();
        let mut balance = vec![0.0; classes.len()];
        let mut file = |split: Split| {
            let name = format!("{street}.{}.columns", split.name());
            let path = folder.join(&name);
            let runs = &mut self.runs[street.index()][split.index()];
            write_columns(runs, classes.len(), &mut balance, &path)
                .map(|(rows, sha256)| FileCard { file: name, rows, sampled: runs.rows(), sha256 })
                .map_err(|error| Error::file(&path, error))
        };
        let (train, valid, test) = (file(Split::Train)?, file(Split::Valid)?, file(Split::Test)?);
        let whole: f64 = balance.iter().sum::<f64>().max(1.0);
        balance.iter_mut().for_each(|share| *share /= whole);
        Ok(StreetCard {
            street: street.to_string(),
            columns: columns(self.schema, street),
            classes,
            balance,
            train,
            valid,
            test,
        })
    }
}

/// Writes merged rows column by column; returns the number of rows and the file's hash. Adds the
/// weight of each class to `balance`.
fn write_columns(
    runs: &mut Runs,
    classes: usize,
    balance: &mut [f64],
    path: &Path,
) -> io::Result<(u64, String)> {
    // The offset of a column depends on the number of rows, so the rows are merged twice.
    let (mut rows, mut width) = (0u64, 0);
    runs.merge(|row| {
        rows += 1;
        width = row.len();
        Ok(())
    })?;
    let file = File::options().read(true).write(true).create_new(true).open(path)?;
    file.set_len(rows * 4 * width as u64)?;
    let mut columns: Vec<Vec<u8>> = vec![Vec::new(); width];
    let mut written = 0u64;
    let mut put = |columns: &mut Vec<Vec<u8>>, block: u64| -> io::Result<()> {
        for (number, column) in columns.iter_mut().enumerate() {
            file.write_all_at(column, 4 * (number as u64 * rows + written))?;
            column.clear();
        }
        written += block;
        Ok(())
    };
    let mut block = 0;
    runs.merge(|row| {
        let (weight, features) = (row[width - 1], width - 1 - classes);
        for (number, (&value, column)) in row.iter().zip(&mut columns).enumerate() {
            let label = (features..width - 1).contains(&number);
            if label {
                balance[number - features] += f64::from(value);
            }
            column.extend((if label { value / weight } else { value }).to_le_bytes());
        }
        block += 1;
        if block == BLOCK {
            block = 0;
            put(&mut columns, BLOCK as u64)?;
        }
        Ok(())
    })?;
    put(&mut columns, block as u64)?;
    file.sync_all()?;
    Ok((rows, sha256_of_rest(&file)?))
}

/// The number of floats sorted in memory at a time.
const PIECE: usize = 1 << 20;

/// Rows read from a run at a time while merging.
const AHEAD: usize = 512;

/// A collection of rows of `width` numbers, of which the first `keys` identify a row; the others
/// are summed over equal rows.
#[derive(Debug)]
struct Runs {
    keys: usize,
    width: usize,
    piece: Vec<f32>,
    file: File,
    /// The range of rows of each sorted run in the file.
    runs: Vec<std::ops::Range<u64>>,
    rows: u64,
}

impl Runs {
    /// An empty collection. `file` is overwritten.
    fn new(keys: usize, width: usize, file: File) -> Runs {
        Runs { keys, width, piece: Vec::new(), file, runs: Vec::new(), rows: 0 }
    }

    /// The number of rows added, equal ones counted separately.
    fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds rows.
    fn add(&mut self, rows: &[f32]) -> io::Result<()> {
        self.rows += (rows.len() / self.width) as u64;
        for rows in rows.chunks(self.width * AHEAD) {
            self.piece.extend_from_slice(rows);
            if self.piece.len() >= PIECE {
                self.keep()?;
            }
        }
        Ok(())
    }

    /// Sorts the rows in memory, merges equal ones, and appends the run to the file.
    fn keep(&mut self) -> io::Result<()> {
        let rows = self.piece.len() / self.width;
        if rows == 0 {
            return Ok(());
        }
        let row = |number: u32| &self.piece[number as usize * self.width..][..self.width];
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.sort_by(|&a, &b| compare(&row(a)[..self.keys], &row(b)[..self.keys]));
        let mut bytes = Vec::with_capacity(4 * self.piece.len());
        let mut sum = Sum::new(self.keys);
        for number in order {
            if let Some(whole) = sum.add(row(number)) {
                put(&mut bytes, &whole);
            }
        }
        sum.end().iter().for_each(|whole| put(&mut bytes, whole));
        let from = self.runs.last().map_or(0, |run| run.end);
        let to = from + (bytes.len() / 4 / self.width) as u64;
        self.file.write_all_at(&bytes, from * 4 * self.width as u64)?;
        self.runs.push(from..to);
        self.piece.clear();
        Ok(())
    }

    /// Calls `visit` with every distinct row, in ascending order of its keys, followed by the sums
    /// over its duplicates.
    fn merge(&mut self, mut visit: impl FnMut(&[f32]) -> io::Result<()>) -> io::Result<()> {
        self.keep()?;
        let mut heads = Vec::new();
        for run in &self.runs {
            heads.extend(Head::new(&self.file, run.clone(), self.width)?);
        }
        // A heap of runs with the least head first; written by hand, since comparing needs the
        // number of keys.
        let keys = self.keys;
        let less =
            |a: &Head, b: &Head| compare(&a.row()[..keys], &b.row()[..keys]) == Ordering::Less;
        for root in (0..heads.len() / 2).rev() {
            sink(&mut heads, root, &less);
        }
        let mut sum = Sum::new(keys);
        while let Some(head) = heads.first_mut() {
            if let Some(whole) = sum.add(head.row()) {
                visit(&whole)?;
            }
            if !head.next(&self.file)? {
                heads.swap_remove(0);
            }
            sink(&mut heads, 0, &less);
        }
        sum.end().map_or(Ok(()), |whole| visit(&whole))
    }
}

/// The current row of a run during the merge.
struct Head {
    rows: Vec<f32>,
    at: usize,
    left: std::ops::Range<u64>,
    width: usize,
}

impl Head {
    fn new(file: &File, run: std::ops::Range<u64>, width: usize) -> io::Result<Option<Head>> {
        let mut head = Head { rows: Vec::new(), at: 0, left: run, width };
        Ok(head.next(file)?.then_some(head))
    }

    fn row(&self) -> &[f32] {
        &self.rows[self.at..self.at + self.width]
    }

    /// Advances to the next row; `false` at the end of the run.
    fn next(&mut self, file: &File) -> io::Result<bool> {
        self.at += self.width;
        if self.at < self.rows.len() {
            return Ok(true);
        }
        let rows = (self.left.end - self.left.start).min(AHEAD as u64);
        let mut bytes = vec![0; 4 * self.width * rows as usize];
        file.read_exact_at(&mut bytes, self.left.start * 4 * self.width as u64)?;
        self.left.start += rows;
        self.at = 0;
        self.rows.clear();
        let number = |four: &[u8]| f32::from_le_bytes(four.try_into().expect("four bytes"));
        self.rows.extend(bytes.chunks_exact(4).map(number));
        Ok(rows > 0)
    }
}

/// The sum over equal rows.
struct Sum {
    keys: usize,
    row: Vec<f32>,
    sums: Vec<f64>,
}

impl Sum {
    fn new(keys: usize) -> Sum {
        Sum { keys, row: Vec::new(), sums: Vec::new() }
    }

    /// Adds a row. If it differs from those before, returns their sum.
    fn add(&mut self, row: &[f32]) -> Option<Vec<f32>> {
        let (keys, values) = row.split_at(self.keys);
        if self.row == keys {
            self.sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += f64::from(value));
            return None;
        }
        let whole = self.end();
        self.row = keys.to_vec();
        self.sums = values.iter().map(|&value| f64::from(value)).collect();
        whole
    }

    fn end(&mut self) -> Option<Vec<f32>> {
        let mut whole = std::mem::take(&mut self.row);
        whole.extend(self.sums.drain(..).map(|sum| sum as f32));
        (!whole.is_empty()).then_some(whole)
    }
}

fn put(bytes: &mut Vec<u8>, row: &[f32]) {
    bytes.extend(row.iter().flat_map(|number| number.to_le_bytes()));
}

fn compare(a: &[f32], b: &[f32]) -> Ordering {
    let different = a.iter().zip(b).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
    different.unwrap_or(Ordering::Equal)
}

/// Moves the item at an index of a heap down to its place.
fn sink<T>(heap: &mut [T], mut index: usize, less: &impl Fn(&T, &T) -> bool) {
    loop {
        let mut least = index;
        for child in [2 * index + 1, 2 * index + 2] {
            if child < heap.len() && less(&heap[child], &heap[least]) {
                least = child;
            }
        }
        if least == index {
            return;
        }
        heap.swap(index, least);
        index = least;
    }
}

// Hands of a teacher's self-play, as rows.

/// The rows of every street and split. The numbers of a row: features, probabilities of the moves,
/// weight.
#[derive(Debug, Default)]
struct Rows {
    of: [[Vec<f32>; Split::ALL.len()]; Street::ALL.len()],
    /// The number of rows written.
    count: u64,
}

/// The number of board cards on each street.
const BOARD: [usize; 4] = [0, 3, 4, 5];

/// Plays the deals `deals` and writes a row at each decision of either seat, `most` in all.
///
/// An action is drawn from the teacher's strategy, or with probability `explore` uniformly. A hand
/// ends where training has never been.
fn play(
    teacher: &Teacher,
    maker: &mut FeatureMaker,
    seed: u64,
    explore: f64,
    deals: std::ops::Range<u64>,
    most: u64,
) -> Rows {
    let mut rows = Rows::default();
    let (mut drawn, mut sources) = (Vec::new(), Vec::new());
    for deal in deals.clone() {
        let mut rng = source(seed, deal);
        drawn.push(draw(&mut rng));
        sources.push(rng);
    }
    teacher.deals.card_buckets().deal(&drawn, |number, buckets| {
        let deal = deals.start + number as u64;
        let hand =
            Hand { teacher, cards: &drawn[number], buckets, split: Split::for_deal(deal), explore };
        hand.play(maker, &mut sources[number], &mut rows, most);
    });
    rows
}

/// The random number generator of a deal.
fn source(seed: u64, deal: u64) -> Pcg64Mcg {
    let mut seeds = Pcg64Mcg::seed_from_u64(seed);
    let key = seeds.next_u64() ^ deal.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    Pcg64Mcg::seed_from_u64(key)
}

struct Hand<'a> {
    teacher: &'a Teacher,
    cards: &'a DealtCards,
    buckets: [[u32; 4]; 2],
    split: Split,
    explore: f64,
}

impl Hand<'_> {
    fn play(&self, maker: &mut FeatureMaker, rng: &mut Pcg64Mcg, rows: &mut Rows, most: u64) {
        let tree = &self.teacher.tree;
        let mut public = PublicState::new(tree.def());
        let mut node = BettingTree::ROOT;
        // Features of the cards, computed once per street.
        let mut known: [[Option<Vec<f32>>; 4]; 2] = Default::default();
        while let NodeKind::Decision { seat, street, .. } = tree.node(node).kind {
            public.deal_from(&self.cards.board).expect("five cards are a whole board");
            let Turn::Act(acting) = public.turn() else { unreachable!("the tree is of this game") };
            let (seat, street) = (usize::from(seat), usize::from(street));
            let bucket = self.buckets[seat][street];
            let shares =
                self.teacher.blueprint.probabilities(tree, node, bucket).unwrap_or_default();
            let whole: u32 = shares.iter().map(|&share| u32::from(share)).sum();
            if whole == 0 || rows.count == most {
                return;
            }
            let features =
                known[seat][street].get_or_insert_with(|| self.features(maker, seat, street));
            let seen = SeenBetting::new(&public, acting);
            self.add(
                &mut rows.of[street][self.split.index()],
                features,
                &maker.schema().of_betting(&seen),
                &public,
                node,
                shares,
            );
            rows.count += 1;
            let choice = if rng.random::<f64>() < self.explore {
                rng.random_range(0..shares.len())
            } else {
                chosen(shares, rng.random_range(0..whole))
            };
            public.apply_unchecked(tree.actions(node)[choice]);
            node = tree.node(node).children().start + choice as u32;
        }
    }

    fn features(&self, maker: &mut FeatureMaker, seat: usize, street: usize) -> Vec<f32> {
        let hole: Combo = self.cards.holes[seat];
        let board: CardSet = self.cards.board[..BOARD[street]].iter().copied().collect();
        let features = maker.cards(hole, board, &SeenBetting::default());
        let features = features.expect("dealt cards are all different");
        features.as_slice()[..maker.schema().of_cards(features.street())].to_vec()
    }

    fn add(
        &self,
        out: &mut Vec<f32>,
        features: &[f32],
        betting: &[f32],
        public: &PublicState,
        node: u32,
        shares: &[u8],
    ) {
        out.extend_from_slice(features);
        out.extend_from_slice(betting);
        let moves = self.teacher.moves(public.street());
        let label = out.len();
        out.resize(label + moves.as_slice().len(), 0.0);
        for (&action, &share) in self.teacher.tree.actions(node).iter().zip(shares) {
            if share > 0 {
                out[label + moves.class(public, action)] += f32::from(share) / 255.0;
            }
        }
        out.push(1.0);
    }
}

/// The index of the action whose share contains a point.
fn chosen(shares: &[u8], mut point: u32) -> usize {
    for (number, &share) in shares.iter().enumerate() {
        match point.checked_sub(u32::from(share)) {
            Some(rest) => point = rest,
            None => return number,
        }
    }
    unreachable!("the point is below the sum")
}
