//! The common format of snapshots, from which runs are resumed.
//!
//! Layout, all numbers little-endian: the line `cardroom KIND`, the format's version (4 bytes);
//! texts that identify the run, each preceded by its length in bytes (4); the run's own data, and
//! SHA-256 of everything before it.

use std::io;
use std::io::{Read, Write};

use sha2::{Digest, Sha256};

use crate::error::{self, Error};

/// Number of values read or written at a time.
const BATCH_SIZE: usize = 1 << 14;

/// Maximum length of a text.
const LONGEST: u32 = 1 << 20;

/// Maximum length of a text quoted in a message.
const QUOTED: usize = 200;

/// The error for bytes that do not match their checksum.
#[cold]
pub(crate) fn damaged() -> Error {
    Error::new(
        "the snapshot is damaged: its checksum does not match its bytes; take a copy of it, or \
         start again",
    )
}

/// The kind of a snapshot, in a word, and its format version.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) version: u32,
}

impl Kind {
    fn line(self) -> String {
        format!("cardroom {}\n", self.name)
    }
}

/// The texts that identify a run: the name and value of each.
type Names = [(&'static str, String)];

/// A number type of snapshots.
pub(crate) trait Number: Copy {
    /// The byte representation.
    type Bytes: AsRef<[u8]> + Default + AsMut<[u8]>;
    fn to_bytes(self) -> Self::Bytes;
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

number! { i16 u16 f32 u32 u64 }

/// A writer of a snapshot.
pub(crate) struct Writer<W> {
    to: W,
    hash: Sha256,
}

impl<W: Write> Writer<W> {
    /// Starts a snapshot of the run with these names.
    pub(crate) fn begin(to: W, kind: Kind, names: &Names) -> io::Result<Writer<W>> {
        let mut writer = Writer { to, hash: Sha256::new() };
        writer.bytes(kind.line().as_bytes())?;
        writer.number(kind.version)?;
        for (_, text) in names {
            writer.number(text.len() as u32)?;
            writer.bytes(text.as_bytes())?;
        }
        Ok(writer)
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hash.update(bytes);
        self.to.write_all(bytes)
    }

    pub(crate) fn number<N: Number>(&mut self, number: N) -> io::Result<()> {
        self.bytes(number.to_bytes().as_ref())
    }

    pub(crate) fn numbers<N: Number>(&mut self, numbers: &[N]) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(BATCH_SIZE.min(numbers.len()) * size_of::<N>());
        for chunk in numbers.chunks(BATCH_SIZE) {
            bytes.clear();
            chunk.iter().for_each(|number| bytes.extend_from_slice(number.to_bytes().as_ref()));
            self.bytes(&bytes)?;
        }
        Ok(())
    }

    /// Finishes it with the checksum.
    pub(crate) fn end(mut self) -> io::Result<()> {
        self.to.write_all(&self.hash.finalize())?;
        self.to.flush()
    }
}

/// A reader of a snapshot.
pub(crate) struct Reader<R> {
    from: R,
    kind: Kind,
    hash: Sha256,
    /// Number of bytes read; below, the total as far as known.
    bytes: u64,
    end: u64,
}

impl<R: Read> Reader<R> {
    /// Starts reading a snapshot of this kind.
    pub(crate) fn begin(from: R, kind: Kind) -> Result<Reader<R>, Error> {
        let mut reader = Reader { from, kind, hash: Sha256::new(), bytes: 0, end: 0 };
        let line = kind.line();
        let mut found = vec![0; line.len()];
        match reader.fill(&mut found) {
            Ok(()) if found == line.as_bytes() => {}
            Err(error) if !error.is_cut() => return Err(error),
            _ => {
                let name = kind.name;
                return Err(Error::new(format!(
                    "this is not a {name} file: it does not begin like one"
                )));
            }
        }
        match reader.number::<u32>()? {
            found if found != kind.version => Err(Error::new(format!(
                "the snapshot has format {found}, and this program reads {}: start again, or use \
                 the program it was made with",
                kind.version
            ))),
            _ => Ok(reader),
        }
    }

    /// Checks that the names are these.
    pub(crate) fn names(&mut self, names: &Names) -> Result<(), Error> {
        for (what, wanted) in names {
            let found = self.text()?;
            if found != *wanted {
                return Err(self.other(what, &found, wanted));
            }
        }
        Ok(())
    }

    /// The error for a snapshot of another run.
    fn other(&self, what: &'static str, found: &str, wanted: &str) -> Error {
        let same = found.bytes().zip(wanted.bytes()).take_while(|(a, b)| a == b).count();
        let quoted = |text: &str| quoted(text, same);
        let (found, wanted) = (quoted(found), quoted(wanted));
        Error::new(format!(
            "this {} file belongs to something else: its {what} is `{found}`, here it is \
             `{wanted}`; give the same, or start again",
            self.kind.name
        ))
    }

    /// Reads a number that must equal `wanted`; `what` is its name.
    pub(crate) fn expect(&mut self, what: &'static str, wanted: u64) -> Result<(), Error> {
        match self.number::<u64>()? {
            found if found != wanted => {
                Err(self.other(what, &found.to_string(), &wanted.to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Sets the number of remaining bytes before the checksum.
    pub(crate) fn left(&mut self, bytes: u64) {
        self.end = self.bytes + bytes + 32;
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        let wanted = self.end.max(self.bytes + bytes.len() as u64);
        let mut done = 0;
        while done < bytes.len() {
            match self.from.read(&mut bytes[done..]) {
                Ok(0) => {
                    let at = self.bytes + done as u64;
                    let text = format!(
                        "the snapshot is cut off after {at} bytes of {wanted}: take a copy of it, \
                         or start again"
                    );
                    return Err(Error::of(error::Kind::Cut, text));
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

    pub(crate) fn number<N: Number>(&mut self) -> Result<N, Error> {
        let mut bytes = N::Bytes::default();
        self.fill(bytes.as_mut())?;
        Ok(N::from_bytes(bytes))
    }

    /// Reads a number into each of the slots.
    pub(crate) fn numbers<P, N: Number>(
        &mut self,
        slots: &mut [P],
        put: impl Fn(&mut P, N),
    ) -> Result<(), Error> {
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

    fn text(&mut self) -> Result<String, Error> {
        let length = self.number::<u32>()?;
        if length > LONGEST {
            return Err(damaged());
        }
        let mut bytes = vec![0; length as usize];
        self.fill(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| damaged())
    }

    /// Verifies the checksum and that nothing follows.
    pub(crate) fn end(mut self) -> Result<(), Error> {
        let sum: [u8; 32] = self.hash.clone().finalize().into();
        let mut found = [0; 32];
        self.fill(&mut found)?;
        if found != sum {
            return Err(damaged());
        }
        match self.fill(&mut [0]) {
            Ok(()) => Err(Error::new(format!(
                "the snapshot continues after its {} bytes: take a copy of it, or cut off the rest",
                self.end
            ))),
            Err(error) if error.is_cut() => Ok(()),
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
