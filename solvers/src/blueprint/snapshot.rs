//! Trainings as bytes, to go on with later.
//!
//! Layout, all numbers little-endian: the line `cardroom training`, the format's version (4 bytes); four texts,
//! each after its length in bytes (4): SHA-256 of the game, the menu, the hash of the deals, the options; then
//! 8 bytes each: blocks done, decisions looked at, words in the tables; the words of the tables, 4 bytes each,
//! as [`super::store`] has them; and SHA-256 of everything before it.

use std::io::{self, Read, Write};
use std::sync::Arc;

use abstraction::betting::{BettingTree, game_hash};
use sha2::{Digest, Sha256};

use super::{Deals, SnapshotError, Trainer, TrainingOptions};

const MAGIC: &[u8] = b"cardroom training\n";

/// The version of the format.
const VERSION: u32 = 1;

/// Words that are read or written together.
const WORDS: usize = 1 << 14;

/// A text longer than this is not one of ours.
const LONGEST: u32 = 1 << 20;

impl<D: Deals> Trainer<D> {
    /// Writes the training down as it stands. The same training gives the same bytes.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, to: impl Write) -> io::Result<()> {
        let mut to = Hashed { inner: to, hash: Sha256::new(), bytes: 0 };
        to.write_all(MAGIC)?;
        to.write_all(&VERSION.to_le_bytes())?;
        for (_, text) in self.names() {
            to.write_all(&(text.len() as u32).to_le_bytes())?;
            to.write_all(text.as_bytes())?;
        }
        let words = self.table.words();
        for number in [self.blocks, self.visits, words.len() as u64] {
            to.write_all(&number.to_le_bytes())?;
        }
        let mut bytes = Vec::with_capacity(4 * WORDS);
        for chunk in words.chunks(WORDS) {
            bytes.clear();
            bytes.extend(chunk.iter().flat_map(|word| word.to_le_bytes()));
            to.write_all(&bytes)?;
        }
        let Hashed { mut inner, hash, .. } = to;
        inner.write_all(&hash.finalize())?;
        inner.flush()
    }

    /// Goes on with a training that was written down. Tree, deals and options must be those it had; only the
    /// allowed memory may be another.
    ///
    /// # Errors
    /// When the bytes are no snapshot, are cut off or damaged, go on after its end, or are of another game, menu, deals or options:
    /// the message has both values.
    pub fn resume(
        tree: Arc<BettingTree>,
        deals: D,
        options: TrainingOptions,
        from: impl Read,
    ) -> Result<Trainer<D>, SnapshotError> {
        let mut from = Hashed { inner: from, hash: Sha256::new(), bytes: 0 };
        let mut magic = [0; MAGIC.len()];
        match from.fill(&mut magic, MAGIC.len() as u64) {
            Ok(()) if magic == MAGIC => {}
            Ok(()) | Err(SnapshotError::Cut { .. }) => return Err(SnapshotError::NotOne),
            Err(error) => return Err(error),
        }
        let found = u32::from_le_bytes(from.array()?);
        if found != VERSION {
            return Err(SnapshotError::Version { found, wanted: VERSION });
        }
        let mut trainer = Trainer::new(tree, deals, options)?;
        for (what, wanted) in trainer.names() {
            let found = from.text()?;
            if found != wanted {
                return Err(SnapshotError::Other { what, found, wanted });
            }
        }
        let mut number = || Ok::<u64, SnapshotError>(u64::from_le_bytes(from.array()?));
        let (blocks, visits, count) = (number()?, number()?, number()?);
        let words = trainer.table.words_mut();
        if count != words.len() as u64 {
            let (found, wanted) = (count.to_string(), words.len().to_string());
            return Err(SnapshotError::Other { what: "number of words", found, wanted });
        }
        let end = from.bytes + 4 * count + 32;
        let mut bytes = vec![0; 4 * WORDS];
        for chunk in words.chunks_mut(WORDS) {
            let bytes = &mut bytes[..4 * chunk.len()];
            from.fill(bytes, end)?;
            for (word, bytes) in chunk.iter_mut().zip(bytes.as_chunks().0) {
                *word.get_mut() = u32::from_le_bytes(*bytes);
            }
        }
        let sum: [u8; 32] = from.hash.clone().finalize().into();
        let mut found = [0; 32];
        from.fill(&mut found, end)?;
        if found != sum {
            return Err(SnapshotError::Damaged);
        }
        match from.fill(&mut [0], end) {
            Ok(()) => return Err(SnapshotError::Beyond { wanted: end }),
            Err(SnapshotError::Cut { .. }) => {}
            Err(error) => return Err(error),
        }
        (trainer.blocks, trainer.visits) = (blocks, visits);
        Ok(trainer)
    }

    /// What a snapshot must have in common with the training that goes on with it.
    fn names(&self) -> [(&'static str, String); 4] {
        let menu = self.tree().menu().to_string();
        [
            ("game", game_hash(self.tree().def())),
            ("menu", menu.trim_end().replace('\n', "; ")),
            ("source of deals", self.deals().hash()),
            ("way of training", self.options().to_string()),
        ]
    }
}

/// A stream whose bytes are hashed and counted on the way.
struct Hashed<S> {
    inner: S,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Hashed<W> {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.inner.write_all(bytes)
    }
}

impl<R: Read> Hashed<R> {
    /// Reads exactly so many bytes of a snapshot that should be `end` bytes long.
    fn fill(&mut self, bytes: &mut [u8], end: u64) -> Result<(), SnapshotError> {
        let mut done = 0;
        while done < bytes.len() {
            match self.inner.read(&mut bytes[done..]) {
                Ok(0) => {
                    return Err(SnapshotError::Cut { at: self.bytes + done as u64, wanted: end });
                }
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.hash.update(&*bytes);
        self.bytes += done as u64;
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], SnapshotError> {
        let mut bytes = [0; N];
        let end = self.bytes + N as u64;
        self.fill(&mut bytes, end)?;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<String, SnapshotError> {
        let length = u32::from_le_bytes(self.array()?);
        if length > LONGEST {
            return Err(SnapshotError::Damaged);
        }
        let mut bytes = vec![0; length as usize];
        let end = self.bytes + u64::from(length);
        self.fill(&mut bytes, end)?;
        String::from_utf8(bytes).map_err(|_| SnapshotError::Damaged)
    }
}
