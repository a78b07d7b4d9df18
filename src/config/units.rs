//! Values with units: durations ("120s", "10min"), sizes ("64MiB") and counts ("20k"); and
//! addresses.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::ConfigError;

/// A duration, written with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(pub Duration);

/// A size in bytes, written with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(pub u64);

impl FromStr for Time {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Time, ConfigError> {
        let parsed = text.trim().parse::<jiff::SignedDuration>().ok();
        let time = parsed.and_then(|time| Duration::try_from(time).ok());
        time.map(Time).ok_or_else(|| {
            ConfigError::new(format!(
                "`{text}` is not a duration: write a number and a unit (ms, s, min, h), as in \
                 \"120s\" or \"1h 30min\""
            ))
        })
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::SignedDuration::try_from(self.0) {
            Ok(time) => write!(f, "{time:#}"),
            Err(_) => write!(f, "{}s", self.0.as_secs()),
        }
    }
}

/// A count, which may be written in thousands (`k`), millions (`M`) or billions (`G`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(pub u64);

impl FromStr for Count {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Count, ConfigError> {
        let text = text.trim();
        let units = [('k', 1_000), ('M', 1_000_000), ('G', 1_000_000_000)];
        let unit =
            units.into_iter().find_map(|(unit, ones)| Some((text.strip_suffix(unit)?, ones)));
        let (number, ones) = unit.unwrap_or((text, 1));
        let (whole, part) = number.split_once('.').unwrap_or((number, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        let places = u32::try_from(part.len()).ok().filter(|&places| places <= 9);
        let read = (|| {
            let all: u64 = format!("{whole}{part}").replace('_', "").parse().ok()?;
            let divisor = 10u64.pow(places?);
            let counted = all.checked_mul(ones)?;
            (digits(whole) && digits(part) && !whole.is_empty() && counted % divisor == 0)
                .then_some(counted / divisor)
        })();
        read.map(Count).ok_or_else(|| {
            ConfigError::new(format!(
                "`{text}` is not a count: write a whole number, or thousands, millions as in \
                 \"500k\" or \"2.5M\""
            ))
        })
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

const SIZES: [(&str, u64); 7] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("KB", 1_000),
    ("B", 1),
];

impl FromStr for Size {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Size, ConfigError> {
        let lower = text.trim().to_ascii_lowercase();
        let found = SIZES.iter().find_map(|(unit, bytes)| {
            Some((lower.strip_suffix(&unit.to_ascii_lowercase())?, *bytes))
        });
        let size = found
            .and_then(|(number, bytes)| number.trim_end().parse::<u64>().ok()?.checked_mul(bytes));
        size.map(Size).ok_or_else(|| {
            ConfigError::new(format!(
                "`{text}` is not a size: write a number and a unit (B, KiB, MiB, GiB), as in \
                 \"64MiB\""
            ))
        })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binary = SIZES[..3].iter().chain(&SIZES[6..]);
        let whole = |(_, bytes): &&(&str, u64)| self.0.is_multiple_of(*bytes) && self.0 >= *bytes;
        let (unit, bytes) = binary.clone().find(whole).unwrap_or(&SIZES[6]);
        write!(f, "{}{unit}", self.0 / bytes)
    }
}

/// Deserialises an address with a port.
pub fn address_and_port<'de, D: Deserializer<'de>>(from: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(|_| {
        de::Error::custom(format!(
            "`{text}` is not ADDRESS:PORT: write numbers, as in \"127.0.0.1:5252\" or \
             \"[::1]:5252\""
        ))
    })
}

/// Deserialises an address without a port.
pub fn address<'de, D: Deserializer<'de>>(from: D) -> Result<IpAddr, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(|_| {
        de::Error::custom(format!(
            "`{text}` is not an address: write numbers, as in \"127.0.0.1\" or \"::1\", without a \
             port"
        ))
    })
}

macro_rules! as_text {
    ($($type:ty)*) => {$(
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                /// Numbers without a unit are accepted as text too, for a better message.
                #[derive(Deserialize)]
                #[serde(untagged)]
                enum Raw {
                    Text(String),
                    Whole(i64),
                    Decimal(f64),
                }
                let raw = Raw::deserialize(deserializer)
                    .map_err(|_| de::Error::custom("a text with a number and a unit is needed"))?;
                let text = match raw {
                    Raw::Text(text) => text,
                    Raw::Whole(number) => number.to_string(),
                    Raw::Decimal(number) => number.to_string(),
                };
                text.parse().map_err(de::Error::custom)
            }
        }
    )*};
}
as_text!(Time Size);
