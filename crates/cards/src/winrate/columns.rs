//! Sorting many short columns at once, with a sorting network applied to whole rows.

use std::sync::OnceLock;

/// Sorts every column of `rows`, the least entry to the first row.
///
/// There may be at most 64 rows. The caller sets unused entries to a greatest value.
#[inline]
pub(crate) fn sort_columns<T: Copy + PartialOrd, const LANES: usize>(rows: &mut [[T; LANES]]) {
    for &(low, high) in network(rows.len()) {
        let (left, right) = rows.split_at_mut(high as usize);
        let (a, b) = (&mut left[low as usize], &mut right[0]);
        for (a, b) in a.iter_mut().zip(b) {
            let (x, y) = (*a, *b);
            *a = if y < x { y } else { x };
            *b = if y < x { x } else { y };
        }
    }
}

/// The comparisons of Batcher's odd-even merge sort for `size` entries.
fn network(size: usize) -> &'static [(u8, u8)] {
    static NETWORKS: [OnceLock<Vec<(u8, u8)>>; 65] = [const { OnceLock::new() }; 65];
    NETWORKS[size].get_or_init(|| {
        let mut network = Vec::new();
        odd_even_sort(0, size.next_power_of_two(), &mut network);
        // Entries beyond the size would all be greatest and at the end: comparing them changes
        // nothing.
        network.retain(|&(_, high)| (high as usize) < size);
        network
    })
}

fn odd_even_sort(from: usize, size: usize, network: &mut Vec<(u8, u8)>) {
    if size > 1 {
        odd_even_sort(from, size / 2, network);
        odd_even_sort(from + size / 2, size / 2, network);
        odd_even_merge(from, size, 1, network);
    }
}

/// Merges the two sorted halves of every `step`-th entry.
fn odd_even_merge(from: usize, size: usize, step: usize, network: &mut Vec<(u8, u8)>) {
    let double = 2 * step;
    if double < size {
        odd_even_merge(from, size, double, network);
        odd_even_merge(from + step, size, double, network);
        for at in (from + step..from + size - step).step_by(double) {
            network.push((at as u8, (at + step) as u8));
        }
    } else {
        network.push((from as u8, (from + step) as u8));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network that sorts all columns of zeros and ones sorts everything.
    #[test]
    fn networks_sort_all_columns_of_zeros_and_ones() {
        for size in 1..=16 {
            for bits in 0u32..1 << size {
                let mut rows: Vec<[u32; 1]> = (0..size).map(|at| [bits >> at & 1]).collect();
                sort_columns(&mut rows);
                assert!(rows.is_sorted(), "{bits:b}");
            }
        }
    }
}
