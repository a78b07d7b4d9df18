//! The storage of a blueprint's bytes: mapped, static, static and packed, or owned.

use std::fmt;
use std::path::Path;

use super::BlueprintError;
use super::pack::Packed;
use crate::mapped::{Mapped, map};

pub(super) enum Bytes {
    Mapped(Mapped),
    Static(&'static [u8]),
    Packed(Packed),
    Owned(Vec<u8>),
}

impl Bytes {
    pub(super) fn map(path: &Path) -> Result<Bytes, BlueprintError> {
        let error = |source| BlueprintError::Read { path: path.to_owned(), source };
        map(path).map(Bytes::Mapped).map_err(error)
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        match self {
            Bytes::Mapped(mapped) => mapped,
            Bytes::Static(bytes) => bytes,
            Bytes::Packed(packed) => packed.plain(),
            Bytes::Owned(bytes) => bytes,
        }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Bytes::Mapped(_) => "mapped",
            Bytes::Static(_) => "inside the program",
            Bytes::Packed(_) => "packed inside the program",
            Bytes::Owned(_) => "in memory",
        })
    }
}
