//! Snapshots of solvers, to continue from later.
//!
//! Layout (see [`crate::snapshot`]): the texts are the subgame and the options, then those of the
//! caller; then 8 bytes each: iterations done, the caller's seconds (as the bits of a float), the
//! iteration of the next check, the last check and the best one (each the iterations, or 0 for
//! none, and the exploitability as the bits of a float), number of bytes that follow. Then for each
//! line on each board, a line before those that follow it: regrets, averages, predictions if there
//! are any; in 16 bits regrets, averages, and the two scales of each decision.

use std::io::{self, Read, Write};

use abstraction::betting::game_hash;
use cards::Combo;
use game::{Action, notation};
use sha2::{Digest, Sha256};

use super::checks::Checks;
use super::{Precision, Solver};
use crate::Player;
use crate::snapshot::{Kind, Reader, SnapshotError, Writer};
use crate::variant::Schedule;

const KIND: Kind = Kind { name: "subgame", version: 3 };

impl Solver {
    /// Writes a snapshot with everything needed to continue. `more` are texts of the caller that
    /// describe the subgame and must be the same on [`Solver::resume`]; `seconds` is a number that
    /// is returned then.
    ///
    /// # Errors
    /// When writing fails; [`io::ErrorKind::Unsupported`] with a gadget.
    pub fn write(
        &self,
        more: &[(&'static str, String)],
        seconds: f64,
        to: impl Write,
    ) -> io::Result<()> {
        if self.gadget.is_some() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let mut to = Writer::begin(to, KIND, &self.names(more))?;
        let Checks { next, last, best, .. } = self.checks;
        to.numbers(&[u64::from(self.iterations), seconds.to_bits(), next.into()])?;
        for (at, found) in [last, best].map(Option::unwrap_or_default) {
            to.numbers(&[u64::from(at), found.to_bits()])?;
        }
        to.numbers(&[self.storage.bytes()])?;
        self.storage.write(&mut to)?;
        to.end()
    }

    /// Continues, on any number of threads, from a snapshot that another solver of the same subgame
    /// with the same options wrote. From then on both give bitwise identical results. Returns the
    /// caller's number, too.
    ///
    /// # Errors
    /// When the bytes are not a snapshot, are truncated or damaged, have trailing data, or are of
    /// another subgame, other options or other texts of the caller: the message has both texts.
    pub fn resume(
        mut self,
        more: &[(&'static str, String)],
        from: impl Read,
    ) -> Result<(Solver, f64), SnapshotError> {
        let mut from = Reader::begin(from, KIND)?;
        from.names(&self.names(more))?;
        let count = |number: u64| u32::try_from(number).map_err(|_| SnapshotError::Damaged);
        let iterations = count(from.number()?)?;
        let seconds = f64::from_bits(from.number()?);
        let next = count(from.number()?)?;
        let mut check = || -> Result<_, SnapshotError> {
            let (at, found) = (count(from.number()?)?, f64::from_bits(from.number()?));
            Ok((at > 0).then_some((at, found)))
        };
        self.checks = Checks { next, last: check()?, best: check()?, ..Checks::NONE };
        let bytes = self.storage.bytes();
        from.expect("number of bytes", bytes)?;
        from.left(bytes);
        self.storage.read(&mut from)?;
        from.end()?;
        (0..iterations).for_each(|_| _ = self.next_weight());
        Ok((self, seconds))
    }

    /// A hash of what a snapshot with these texts of the caller must have in common with the solver
    /// that continues it: SHA-256 in hexadecimal.
    pub fn fingerprint(&self, more: &[(&'static str, String)]) -> String {
        let mut hash = Sha256::new();
        for (_, text) in self.names(more) {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        hex(hash)
    }

    /// The texts that describe the subgame and the options.
    fn names(&self, more: &[(&'static str, String)]) -> Vec<(&'static str, String)> {
        let root = &self.subgame.root;
        let (stacks, committed) = (&root.def().stacks, root.committed().as_slice());
        let [first, second] = [0, 1].map(|seat: usize| stacks[seat] - committed[seat]);
        let range = |player| self.subgame.range(player).to_string();
        let options = &self.options;
        let mut way = format!(
            "{} in {} bits",
            options.variant,
            match options.precision {
                Precision::Full => 32,
                Precision::Half => 16,
            }
        );
        if let Schedule::Hyper { .. } = options.variant.schedule {
            way.push_str(&format!(", planned for {} iterations", options.horizon));
        }
        let mut names = vec![
            ("board", root.board().to_string()),
            ("pot and stacks", format!("pot {}, {first} and {second} behind", root.pot())),
            ("first range", range(Player::First)),
            ("second range", range(Player::Second)),
            ("way of solving", way),
        ];
        names.extend(more.iter().cloned());
        // A hash of what the texts do not specify.
        names.push(("fingerprint", self.subgame_hash()));
        names
    }

    /// A hash of the exact rules, betting and ranges.
    fn subgame_hash(&self) -> String {
        let subgame = &self.subgame;
        let mut hash = Sha256::new();
        hash.update(game_hash(subgame.root.def()));
        hash.update(notation::betting(&subgame.root));
        hash.update([u8::from(subgame.symmetric)]);
        for player in Player::BOTH {
            let range = subgame.range(player);
            Combo::all().for_each(|combo| hash.update(range.weight(combo).to_le_bytes()));
        }
        for line in &subgame.betting.lines {
            hash.update((line.actions.len() as u64).to_le_bytes());
            for &action in &line.actions {
                let (kind, total) = match action {
                    Action::Fold => (0, 0),
                    Action::Call => (1, 0),
                    Action::RaiseTo(total) => (2, total),
                };
                hash.update([kind]);
                hash.update(total.to_le_bytes());
            }
            line.deals.iter().for_each(|leaf| hash.update((leaf.line as u64).to_le_bytes()));
        }
        hex(hash)
    }
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
