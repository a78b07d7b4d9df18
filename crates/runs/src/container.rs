//! The container of numbers that are kept in a file: of a run that goes on from it, and of small
//! models.
//!
//! Layout, all numbers little-endian: magic bytes, the version of the format (4 bytes), the
//! content, and SHA-256 of everything before it. The content of a run's file begins with the texts
//! that identify the run, each preceded by its length in bytes (4).

use std::io::{self, Read, Write};

use sha2::{Digest, Sha256};

/// Number of values read or written at a time.
const BATCH_SIZE: usize = 1 << 14;

/// Number of bytes of the checksum.
const SUM: usize = 32;

/// Maximum length of a text.
const LONGEST: u32 = 1 << 20;

/// Maximum length of a text quoted in a message.
const QUOTED: usize = 200;

/// Error for bytes that are not the wanted container.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what variants and fields are")]
pub enum ContainerError {
    #[error("this is not a {0} file: it does not begin like one")]
    NotOne(&'static str),
    #[error(
        "the snapshot has format {found}, and this program reads {wanted}: start again, or use \
         the program it was made with"
    )]
    Version { found: u32, wanted: u32 },
    #[error(
        "this {kind} file belongs to something else: its {what} is `{found}`, here it is \
         `{wanted}`; give the same, or start again"
    )]
    Other { kind: &'static str, what: &'static str, found: String, wanted: String },
    #[error(
        "the snapshot is cut off after {at} bytes of {wanted}: take a copy of it, or start again"
    )]
    Cut { at: u64, wanted: u64 },
    #[error(
        "the snapshot continues after its {wanted} bytes: take a copy of it, or cut off the rest"
    )]
    Beyond { wanted: u64 },
    #[error(
        "the snapshot is damaged: its checksum does not match its bytes; take a copy of it, or \
         start again"
    )]
    Damaged,
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The kind of a container.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    /// What it holds, in a word, for messages.
    pub name: &'static str,
    /// The first bytes.
    pub magic: &'static [u8],
    /// The version of the format.
    pub version: u32,
}

/// The texts that identify a run: the name and value of each.
type Names = [(&'static str, String)];

/// A number type of containers.
pub trait Number: Copy {
    /// The byte representation.
    type Bytes: AsRef<[u8]> + Default + AsMut<[u8]>;
    /// The number's bytes.
    fn to_bytes(self) -> Self::Bytes;
    /// The number with these bytes.
    fn from_bytes(bytes: Self::Bytes) -> Self;
}

macro_rules! number {
    ($($number:ty)*) => {$(
        impl Number for $number {
            type Bytes = [u8; size_of::<$number>()];
            fn to_bytes(self) -> Self::Bytes {
                self.to_le_bytes()
            }
            fn from_bytes(bytes: Self::Bytes) -> Self {
                Self::from_le_bytes(bytes)
            }
        }
    )*};
}

number! { u8 i16 u16 f32 u32 f64 u64 }

/// A writer of a container.
pub struct Writer<W> {
    to: W,
    hash: Sha256,
}

/// The bytes of a container whose content `write` writes.
pub fn sealed(kind: Kind, write: impl FnOnce(&mut Writer<Vec<u8>>) -> io::Result<()>) -> Vec<u8> {
    let written = Writer::begin(Vec::new(), kind).and_then(|mut writer| {
        write(&mut writer)?;
        writer.end()
    });
    written.expect("memory takes all bytes")
}

impl<W: Write> Writer<W> {
    /// Starts a container.
    ///
    /// # Errors
    /// As all methods: when the bytes cannot be written.
    pub fn begin(to: W, kind: Kind) -> io::Result<Writer<W>> {
        let mut writer = Writer { to, hash: Sha256::new() };
        writer.bytes(kind.magic)?;
        writer.number(kind.version)?;
        Ok(writer)
    }

    /// Writes the texts that identify a run.
    pub fn names(&mut self, names: &Names) -> io::Result<()> {
        names.iter().try_for_each(|(_, text)| {
            self.number(text.len() as u32)?;
            self.bytes(text.as_bytes())
        })
    }

    /// Writes bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.to.write_all(bytes)
    }

    /// Writes a number.
    pub fn number<N: Number>(&mut self, number: N) -> io::Result<()> {
        self.bytes(number.to_bytes().as_ref())
    }

    /// Writes numbers, without their count.
    pub fn numbers<N: Number>(&mut self, numbers: &[N]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(BATCH_SIZE.min(numbers.len()) * size_of::<N>());
        for chunk in numbers.chunks(BATCH_SIZE) {
            bytes.clear();
            chunk.iter().for_each(|number| bytes.extend_from_slice(number.to_bytes().as_ref()));
            self.bytes(&bytes)?;
        }
        Ok(())
    }

    /// Finishes it with the checksum, and returns what was written to.
    pub fn end(mut self) -> io::Result<W> {
        self.to.write_all(&self.hash.finalize())?;
        self.to.flush()?;
        Ok(self.to)
    }
}

/// A reader of a container.
pub struct Reader<R> {
    from: R,
    kind: Kind,
    /// `None` when the checksum has been verified, and is no longer ahead.
    hash: Option<Sha256>,
    /// Number of bytes read; below, the total as far as known.
    bytes: u64,
    end: u64,
}

impl<'a> Reader<&'a [u8]> {
    /// Starts reading a container in memory, whose checksum is verified before anything else of it
    /// is read.
    ///
    /// # Errors
    /// As all methods: [`ContainerError`].
    pub fn checked(bytes: &'a [u8], kind: Kind) -> Result<Reader<&'a [u8]>, ContainerError> {
        let mut reader = Reader::begin(bytes, kind)?;
        let (at, wanted) = (bytes.len() as u64, reader.bytes + SUM as u64);
        let (content, sum) =
            reader.from.split_last_chunk::<SUM>().ok_or(ContainerError::Cut { at, wanted })?;
        if Sha256::digest(&bytes[..bytes.len() - SUM]).as_slice() != sum {
            return Err(ContainerError::Damaged);
        }
        (reader.from, reader.hash, reader.end) = (content, None, at);
        Ok(reader)
    }
}

impl<R: Read> Reader<R> {
    /// Starts reading a container of this kind.
    pub fn begin(from: R, kind: Kind) -> Result<Reader<R>, ContainerError> {
        let mut reader = Reader { from, kind, hash: Some(Sha256::new()), bytes: 0, end: 0 };
        let mut found = vec![0; kind.magic.len()];
        match reader.fill(&mut found) {
            Ok(()) if found == kind.magic => {}
            Ok(()) | Err(ContainerError::Cut { .. }) => {
                return Err(ContainerError::NotOne(kind.name));
            }
            Err(error) => return Err(error),
        }
        match reader.number()? {
            found if found != kind.version => {
                Err(ContainerError::Version { found, wanted: kind.version })
            }
            _ => Ok(reader),
        }
    }

    /// Checks that the names are these.
    pub fn names(&mut self, names: &Names) -> Result<(), ContainerError> {
        for (what, wanted) in names {
            let length = self.number::<u32>()?;
            if length > LONGEST {
                return Err(ContainerError::Damaged);
            }
            let found = String::from_utf8(self.list(length as usize)?);
            let found = found.map_err(|_| ContainerError::Damaged)?;
            if found != *wanted {
                return Err(self.other(what, &found, wanted));
            }
        }
        Ok(())
    }

    /// The error for a file of another run.
    fn other(&self, what: &'static str, found: &str, wanted: &str) -> ContainerError {
        let same = found.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
        let quoted = |text: &str| quoted(text, same);
        let (found, wanted) = (quoted(found), quoted(wanted));
        ContainerError::Other { kind: self.kind.name, what, found, wanted }
    }

    /// Reads a number that must equal `wanted`; `what` is its name.
    pub fn expect(&mut self, what: &'static str, wanted: u64) -> Result<(), ContainerError> {
        match self.number::<u64>()? {
            found if found != wanted => {
                Err(self.other(what, &found.to_string(), &wanted.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// The offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.bytes
    }

    /// Sets the number of remaining bytes before the checksum.
    pub fn left(&mut self, bytes: u64) {
        self.end = self.bytes + bytes + SUM as u64;
    }

    /// Fills the slice with the next bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) -> Result<(), ContainerError> {
        let wanted = self.end.max(self.bytes + bytes.len() as u64);
        let mut done = 0;
        while done < bytes.len() {
            match self.from.read(&mut bytes[done..]) {
                Ok(0) => return Err(ContainerError::Cut { at: self.bytes + done as u64, wanted }),
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        if let Some(hash) = &mut self.hash {
            hash.update(&*bytes);
        }
        self.bytes += done as u64;
        Ok(())
    }

    /// Reads a number.
    pub fn number<N: Number>(&mut self) -> Result<N, ContainerError> {
        let mut bytes = N::Bytes::default();
        self.fill(bytes.as_mut())?;
        Ok(N::from_bytes(bytes))
    }

    /// Reads a number into each of the slots.
    pub fn numbers<P, N: Number>(
        &mut self,
        slots: &mut [P],
        put: impl Fn(&mut P, N),
    ) -> Result<(), ContainerError> {
        let size = size_of::<N>();
        let mut bytes = vec![0; BATCH_SIZE.min(slots.len()) * size];
        for chunk in slots.chunks_mut(BATCH_SIZE) {
            let bytes = &mut bytes[..chunk.len() * size];
            self.fill(bytes)?;
            for (slot, bytes) in chunk.iter_mut().zip(bytes.chunks_exact(size)) {
                let mut number = N::Bytes::default();
                number.as_mut().copy_from_slice(bytes);
                put(slot, N::from_bytes(number));
            }
        }
        Ok(())
    }

    /// Reads this many numbers, and takes memory only as they come.
    pub fn list<N: Number + Default>(&mut self, count: usize) -> Result<Vec<N>, ContainerError> {
        let mut numbers = Vec::new();
        while numbers.len() < count {
            let start = numbers.len();
            numbers.resize(count.min(start + BATCH_SIZE), N::default());
            self.numbers(&mut numbers[start..], |slot, number| *slot = number)?;
        }
        Ok(numbers)
    }

    /// Verifies the checksum and that nothing follows.
    pub fn end(mut self) -> Result<(), ContainerError> {
        if let Some(hash) = self.hash.take() {
            let mut found = [0; SUM];
            self.fill(&mut found)?;
            if found != hash.finalize().as_slice() {
                return Err(ContainerError::Damaged);
            }
        }
        match self.fill(&mut [0]) {
            Ok(()) => Err(ContainerError::Beyond { wanted: self.bytes - 1 }),
            Err(ContainerError::Cut { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// A text for a message; of a long one the part around its difference from another text, with which
/// it shares `same` bytes.
fn quoted(text: &str, same: usize) -> String {
    if text.len() <= QUOTED {
        return text.to_owned();
    }
    // Starts a little before the difference, as context.
    let start = text.floor_char_boundary(same.saturating_sub(QUOTED / 4));
    let end = text.ceil_char_boundary((start + QUOTED).min(text.len()));
    let [before, after] = [start > 0, end < text.len()].map(|cut| if cut { "…" } else { "" });
    format!("{before}{}{after}", &text[start..end])
}
