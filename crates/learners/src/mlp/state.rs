//! Reading and writing checkpoints of a run.

use super::MlpError;

/// The magic bytes of a checkpoint: the format and its version.
const MAGIC: &[u8; 8] = b"CARDMLP1";

/// A buffer of bytes to write, little-endian.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new() -> Writer {
        Writer(MAGIC.to_vec())
    }

    pub(super) fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    pub(super) fn numbers(&mut self, numbers: &[f32]) {
        self.number(numbers.len() as u64);
        self.0.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }

    pub(super) fn done(self) -> Vec<u8> {
        self.0
    }
}

/// A reader of the bytes that [`Writer`] has written.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<Reader<'a>, MlpError> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.take(MAGIC.len())? != MAGIC {
            let reason = "these bytes are not a checkpoint of this program's networks";
            return Err(MlpError::Checkpoint { at: 0, reason });
        }
        Ok(reader)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], MlpError> {
        let cut = MlpError::Checkpoint { at: self.bytes.len(), reason: "it ends too early" };
        let end = self.at.checked_add(count).filter(|&end| end <= self.bytes.len()).ok_or(cut)?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    pub(super) fn number(&mut self) -> Result<u64, MlpError> {
        let bytes = self.take(8)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn length(&mut self) -> Result<usize, MlpError> {
        let at = self.at;
        let reason = "a length is beyond the end";
        let length = self.number()?;
        match usize::try_from(length) {
            Ok(length) if length <= self.bytes.len() => Ok(length),
            _ => Err(MlpError::Checkpoint { at, reason }),
        }
    }

    pub(super) fn text(&mut self) -> Result<&'a str, MlpError> {
        let length = self.length()?;
        let at = self.at;
        std::str::from_utf8(self.take(length)?)
            .map_err(|_| MlpError::Checkpoint { at, reason: "its text is not UTF-8" })
    }

    /// Reads an array of floats, which must have `wanted` of them.
    pub(super) fn numbers(&mut self, wanted: usize) -> Result<Vec<f32>, MlpError> {
        let at = self.at;
        if self.length()? != wanted {
            return Err(MlpError::Checkpoint {
                at,
                reason: "it has a different number of parameters",
            });
        }
        let bytes = self.take(wanted.saturating_mul(4))?;
        Ok(bytes.as_chunks().0.iter().copied().map(f32::from_le_bytes).collect())
    }

    pub(super) fn end(self) -> Result<(), MlpError> {
        if self.at == self.bytes.len() {
            return Ok(());
        }
        Err(MlpError::Checkpoint { at: self.at, reason: "it continues after its end" })
    }
}
