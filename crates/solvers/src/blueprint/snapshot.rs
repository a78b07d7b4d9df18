//! Snapshots of trainings, to resume from.
//!
//! Layout, see [`crate::snapshot`]: the texts are SHA-256 of the game, the menu, the hash of the
//! deals, the options; then 8 bytes each: number of finished blocks, of visited decisions, of words
//! in the tables; then the words of the tables, 4 bytes each, as in [`super::store`].

use std::io::{self, Read, Write};
use std::sync::Arc;

use abstraction::betting::{BettingTree, game_hash};

use super::{Deals, ResumeError, Trainer, TrainingOptions};
use crate::snapshot::{Kind, Reader, Writer};

const KIND: Kind = Kind { name: "training", version: 1 };

impl<D: Deals> Trainer<D> {
    /// Writes a snapshot. The same training gives the same bytes.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, to: impl Write) -> io::Result<()> {
        let mut to = Writer::begin(to, KIND, &self.names())?;
        let words = self.table.words();
        to.numbers(&[self.blocks, self.visits, words.len() as u64])?;
        to.numbers(words)?;
        to.end()
    }

    /// Resumes a training from a snapshot. Tree, deals and options must be the same; only the
    /// allowed memory may differ.
    ///
    /// # Errors
    /// When the bytes are not a snapshot, are truncated, damaged or too long, or belong to another
    /// game, menu, deals or options: the message has both values.
    pub fn resume(
        tree: Arc<BettingTree>,
        deals: D,
        options: TrainingOptions,
        from: impl Read,
    ) -> Result<Trainer<D>, ResumeError> {
        let mut from = Reader::begin(from, KIND)?;
        let mut trainer = Trainer::new(tree, deals, options)?;
        from.names(&trainer.names())?;
        let (blocks, visits) = (from.number()?, from.number()?);
        let words = trainer.table.words_mut();
        from.expect("number of words", words.len() as u64)?;
        from.left(4 * words.len() as u64);
        from.numbers(words, |word, number| *word.get_mut() = number)?;
        from.end()?;
        (trainer.blocks, trainer.visits) = (blocks, visits);
        Ok(trainer)
    }

    /// The texts that a snapshot must share with the training that resumes it.
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
