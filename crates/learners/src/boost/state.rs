//! The serialised state of a run of boosting.
//!
//! Little-endian: magic, a hash of the data and the options, rounds done, the best round and its
//! loss; then the trees as XGBoost's UBJ. Margins are summed again, in the same order, so they are
//! identical.

use models::forest::Forest;

use super::coded::Coded;
use super::{Best, Boost, BoostError, Options};
use crate::{Bins, Table};

const MAGIC: &[u8; 16] = b"cardroom boost 1";

pub(super) fn save(run: &Boost<'_>) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    out.extend(fingerprint(run).to_le_bytes());
    out.extend(run.round.to_le_bytes());
    out.extend(run.best.rounds.to_le_bytes());
    out.extend(run.best.loss.to_le_bytes());
    out.extend(run.forest.to_ubj());
    out
}

impl<'a> Boost<'a> {
    /// Resumes a run saved by [`crate::Training::save`], on the same data and options; `rounds` and
    /// `patience` may differ.
    pub fn resume(
        options: Options,
        table: &'a Table,
        bins: &Bins,
        validation: Option<&'a Table>,
        saved: &[u8],
    ) -> Result<Boost<'a>, BoostError> {
        let mut run = Boost::new(options, table, bins, validation)?;
        let (head, trees) =
            saved.split_first_chunk::<40>().ok_or(BoostError::Saved("it is cut off"))?;
        let (magic, head) = head.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(BoostError::Saved("it does not begin like one"));
        }
        let word = |at: usize| {
            let bytes = head[at..at + 8].try_into().expect("eight bytes");
            u64::from_le_bytes(bytes)
        };
        if word(0) != fingerprint(&run) {
            return Err(BoostError::Saved("it is of other data or options"));
        }
        let (round, rounds) = (word(8) as u32, (word(8) >> 32) as u32);
        let forest = Forest::read(trees)?;
        let same = forest.base() == run.forest.base() && forest.names() == run.forest.names();
        if !same || forest.trees() != round as usize * forest.groups() || rounds > round {
            return Err(BoostError::Saved("its trees do not fit its head"));
        }
        run.take_up(forest, round)?;
        run.best = Best { rounds, loss: f64::from_bits(word(16)) };
        Ok(run)
    }

    fn take_up(&mut self, forest: Forest, round: u32) -> Result<(), BoostError> {
        for index in 0..forest.trees() {
            let coded = Coded::new(&forest.tree(index), &self.cuts);
            let coded = coded.ok_or(BoostError::Saved("its trees test other numbers"))?;
            let class = index % forest.groups();
            for rows in std::iter::once(&mut self.learnt).chain(&mut self.held_out) {
                coded.add(&rows.matrix, &mut rows.margins.of_class[class]);
            }
        }
        for rows in std::iter::once(&mut self.learnt).chain(&mut self.held_out) {
            rows.margins.update(rows.table);
        }
        self.forest = forest;
        self.round = round;
        Ok(())
    }
}

/// A hash of all data and options that rounds depend on.
fn fingerprint(run: &Boost<'_>) -> u64 {
    let options = Options { rounds: 0, patience: None, ..run.options.clone() };
    let mut hash = 0xCBF2_9CE4_8422_2325u64;
    let mut mix = |word: u64| {
        hash = (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        hash ^= hash >> 29;
    };
    format!("{options:?}").bytes().for_each(|byte| mix(byte.into()));
    for cut in run.cuts.iter().flatten() {
        mix(cut.to_bits().into());
    }
    for rows in std::iter::once(&run.learnt).chain(&run.held_out) {
        let (words, rest) = rows.matrix.bytes().as_chunks::<8>();
        words.iter().for_each(|word| mix(u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| mix((*byte).into()));
        let floats = rows.table.labels().iter().chain(rows.table.weights());
        floats.for_each(|number| mix(number.to_bits().into()));
    }
    hash
}
