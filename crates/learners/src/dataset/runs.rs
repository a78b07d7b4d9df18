//! Merging equal rows in constant memory: external sorting with runs on disk.

use std::cmp::Ordering;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The number of floats sorted in memory at a time.
const PIECE: usize = 1 << 20;

/// Rows read from a run at a time while merging.
const AHEAD: usize = 512;

/// A collection of rows of `width` numbers, of which the first `keys` identify a row; the others
/// are summed over equal rows.
#[derive(Debug)]
pub(super) struct Runs {
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
    pub(super) fn new(keys: usize, width: usize, file: File) -> Runs {
        Runs { keys, width, piece: Vec::new(), file, runs: Vec::new(), rows: 0 }
    }

    /// The number of rows added, equal ones counted separately.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds rows.
    pub(super) fn add(&mut self, rows: &[f32]) -> io::Result<()> {
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
    pub(super) fn merge(
        &mut self,
        mut visit: impl FnMut(&[f32]) -> io::Result<()>,
    ) -> io::Result<()> {
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
