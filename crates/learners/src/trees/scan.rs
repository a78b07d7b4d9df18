//! Sorting rows by code.

/// A counting sort by code, with buffers kept between calls.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    counts: Vec<u32>,
    order: Vec<u32>,
    keys: Vec<u64>,
}

impl Sorter {
    /// The numbers from 0 to `rows` in the order of their codes, which are below `intervals`; equal
    /// codes keep their order.
    pub(crate) fn sort(
        &mut self,
        rows: usize,
        intervals: usize,
        code: impl Fn(usize) -> u16,
    ) -> &[u32] {
        self.order.resize(rows, 0);
        if intervals > 4 * rows {
            self.keys.clear();
            self.keys.extend((0..rows).map(|at| u64::from(code(at)) << 32 | at as u64));
            self.keys.sort_unstable();
            self.order.iter_mut().zip(&self.keys).for_each(|(at, &key)| *at = key as u32);
            return &self.order;
        }
        self.counts.clear();
        self.counts.resize(intervals + 1, 0);
        for at in 0..rows {
            self.counts[usize::from(code(at)) + 1] += 1;
        }
        for code in 1..intervals {
            self.counts[code] += self.counts[code - 1];
        }
        for at in 0..rows {
            let slot = &mut self.counts[usize::from(code(at))];
            self.order[*slot as usize] = at as u32;
            *slot += 1;
        }
        &self.order
    }
}
