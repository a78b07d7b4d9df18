//! The keys of the ranks, whose sums tell hands apart.

/// The addend of each rank to a hand's key, deuce first.
///
/// The sums of all hands of up to seven cards with at most four of a rank differ, the upper 13 bits
/// (a hand's row) do not overflow, and the lower 19 stay below 2^15. Found by a random search for
/// numbers that make the table of strengths small; any others with these three properties would do.
pub(crate) const RANK_KEYS: [u32; 13] = {
    let found: [(u32, u32); 13] = [
        (393, 3888),
        (1062, 271),
        (130, 559),
        (213, 1734),
        (1124, 1150),
        (80, 3977),
        (732, 913),
        (146, 1275),
        (70, 3921),
        (1083, 759),
        (1043, 1660),
        (1143, 2681),
        (239, 2364),
    ];
    let mut keys = [0; 13];
    let mut rank = 0;
    while rank < 13 {
        keys[rank] = found[rank].0 << ROW_SHIFT | found[rank].1;
        rank += 1;
    }
    keys
};

/// Number of bits of a key below its row.
pub(crate) const ROW_SHIFT: u32 = 19;

/// Number of rows.
pub(crate) const ROWS: usize = 1 << (32 - ROW_SHIFT);
