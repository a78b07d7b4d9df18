//! A `serde` deserializer of Universal Binary JSON, as far as XGBoost uses it.
//!
//! Specification: ubjson.org, draft 12. Numbers are big-endian; a container may state its length
//! (`#`) and the type of all its elements (`$`). High-precision numbers are refused.

use std::fmt;

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// Error for invalid bytes, with its place.
#[derive(Debug)]
pub(super) struct UbjError(String);

impl fmt::Display for UbjError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UbjError {}

impl serde::de::Error for UbjError {
    fn custom<T: fmt::Display>(message: T) -> UbjError {
        UbjError(message.to_string())
    }
}

/// Maximum nesting depth of containers.
const DEEPEST: usize = 64;

/// Deserializes a value that takes all the bytes.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, UbjError> {
    let mut reader = Reader { bytes, at: 0, depth: 0 };
    let marker = reader.marker();
    let value = marker.and_then(|marker| T::deserialize(Value { reader: &mut reader, marker }));
    let value = value.map_err(|error| UbjError(format!("{error}, byte {}", reader.at)))?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(UbjError(format!("more bytes after the end, byte {}", reader.at))),
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], UbjError> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.get(..count));
        let taken = taken.ok_or_else(|| UbjError::custom("the bytes end too early"))?;
        self.at += count;
        Ok(taken)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], UbjError> {
        let taken = self.take(N)?;
        Ok(taken.try_into().expect("as many bytes as were taken"))
    }

    /// The type marker of the next value. `N` (no-op) is skipped.
    fn marker(&mut self) -> Result<u8, UbjError> {
        loop {
            let [marker] = self.fixed()?;
            if marker != b'N' {
                return Ok(marker);
            }
        }
    }

    fn integer(&mut self, marker: u8) -> Result<i64, UbjError> {
        Ok(match marker {
            b'i' => i8::from_be_bytes(self.fixed()?).into(),
            b'U' => u8::from_be_bytes(self.fixed()?).into(),
            b'I' => i16::from_be_bytes(self.fixed()?).into(),
            b'l' => i32::from_be_bytes(self.fixed()?).into(),
            b'L' => i64::from_be_bytes(self.fixed()?),
            _ => return Err(UbjError(format!("a length of kind {:?}", char::from(marker)))),
        })
    }

    fn length(&mut self) -> Result<usize, UbjError> {
        let marker = self.marker()?;
        let length = self.integer(marker)?;
        usize::try_from(length).map_err(|_| UbjError(format!("a length of {length}")))
    }

    fn text(&mut self) -> Result<&'a str, UbjError> {
        let length = self.length()?;
        std::str::from_utf8(self.take(length)?).map_err(UbjError::custom)
    }

    /// The header of a container: element type and length, if given.
    fn head(&mut self) -> Result<(Option<u8>, Option<usize>), UbjError> {
        let mut kind = None;
        if self.peek() == Some(b'$') {
            self.at += 1;
            kind = Some(self.fixed::<1>()?[0]);
        }
        let mut length = None;
        if self.peek() == Some(b'#') {
            self.at += 1;
            length = Some(self.length()?);
        }
        match (kind, length) {
            (Some(_), None) => Err(UbjError::custom("elements of one kind without their number")),
            // Such elements take no bytes, so a short file could state any number of them.
            (Some(b'Z' | b'T' | b'F' | b'N'), _) => {
                Err(UbjError::custom("elements of a kind without bytes"))
            }
            head => Ok(head),
        }
    }
}

/// A value whose marker has been read.
struct Value<'r, 'a> {
    reader: &'r mut Reader<'a>,
    marker: u8,
}

impl<'de> Deserializer<'de> for Value<'_, 'de> {
    type Error = UbjError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UbjError> {
        let Value { reader, marker } = self;
        match marker {
            b'd' => visitor.visit_f32(f32::from_be_bytes(reader.fixed()?)),
            b'D' => visitor.visit_f64(f64::from_be_bytes(reader.fixed()?)),
            b'S' => visitor.visit_borrowed_str(reader.text()?),
            b'C' => visitor.visit_char(reader.fixed::<1>()?[0].into()),
            b'T' => visitor.visit_bool(true),
            b'F' => visitor.visit_bool(false),
            b'Z' => visitor.visit_unit(),
            b'[' | b'{' => {
                reader.depth += 1;
                if reader.depth > DEEPEST {
                    return Err(UbjError::custom("containers are nested too deep"));
                }
                let (kind, left) = reader.head()?;
                let end = if marker == b'[' { b']' } else { b'}' };
                let mut elements = Elements { reader, kind, left, end };
                let value = match marker {
                    b'[' => visitor.visit_seq(&mut elements)?,
                    _ => visitor.visit_map(&mut elements)?,
                };
                elements.finish()?;
                reader.depth -= 1;
                Ok(value)
            }
            _ => {
                visitor.visit_i64(reader.integer(marker).map_err(|_| {
                    UbjError(format!("no value is of kind {:?}", char::from(marker)))
                })?)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UbjError> {
        match self.marker {
            b'Z' => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The remaining elements of a container.
struct Elements<'r, 'a> {
    reader: &'r mut Reader<'a>,
    kind: Option<u8>,
    left: Option<usize>,
    end: u8,
}

impl Elements<'_, '_> {
    /// Whether there is another element. The end marker is not consumed.
    fn more(&mut self) -> bool {
        match &mut self.left {
            Some(left) => {
                let more = *left > 0;
                *left = left.saturating_sub(1);
                more
            }
            None => {
                while self.reader.peek() == Some(b'N') {
                    self.reader.at += 1;
                }
                self.reader.peek() != Some(self.end)
            }
        }
    }

    fn marker(&mut self) -> Result<u8, UbjError> {
        self.kind.map_or_else(|| self.reader.marker(), Ok)
    }

    fn finish(&mut self) -> Result<(), UbjError> {
        let left = self.more();
        if left {
            return Err(UbjError::custom("more elements than expected"));
        }
        self.reader.at += usize::from(self.left.is_none());
        Ok(())
    }
}

impl<'de> SeqAccess<'de> for Elements<'_, 'de> {
    type Error = UbjError;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, UbjError> {
        if !self.more() {
            return Ok(None);
        }
        let marker = self.marker()?;
        seed.deserialize(Value { reader: self.reader, marker }).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        // Every element takes at least a byte.
        self.left.map(|left| left.min(self.reader.bytes.len() - self.reader.at))
    }
}

impl<'de> MapAccess<'de> for Elements<'_, 'de> {
    type Error = UbjError;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, UbjError> {
        if !self.more() {
            return Ok(None);
        }
        let key = self.reader.text()?;
        seed.deserialize(serde::de::value::BorrowedStrDeserializer::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, UbjError> {
        let marker = self.marker()?;
        seed.deserialize(Value { reader: self.reader, marker })
    }
}
