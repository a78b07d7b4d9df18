//! The state that must survive the process, as a file of slots of fixed size: one for each session,
//! for each hand that a client left open, and for each additional token of a session.
//!
//! A slot is written with one call before its answer is sent, so it survives the end of the
//! process, however it comes; a power failure may lose the last ones. Every slot has a checksum of
//! its content: one that was written in part is reported and dropped, never misread.
//!
//! | bytes | what |
//! | 0 | kind: 0 free, 1 session, 2 a hand left open, 3 an additional token |
//! | 1 | the hand in it: 0 none, 1 open, 2 finished |
//! | 2 … 3 | actions of that hand |
//! | 8 … 23 | token; an additional token is followed by the session's in bytes 96 … 111 |
//! | 24 … 27 | the session's number |
//! | 28 … 31 | agents, as numbers: that of the session, that of the hand |
//! | 32 … 39 | hands dealt, hands finished |
//! | 40 … 55 | sums of winnings and of baseline winnings |
//! | 56 … 63 | last use, milliseconds since 1970 |
//! | 64 … 71 | number of the last finished hand in the ledger of its agent |
//! | 72 … 75 | number of the hand's deal in its session |
//! | 76 … 79 | agent of the last finished hand (65535 for none), and which of its ledgers |
//! | 80 … 91 | the seed and the number of a deal that the client has asked for |
//! | 92 | the client's seat in that deal: 1 big blind, 2 button; 0 for no such deal |
//! | 96 … 511 | the actions: 0 fold, 1 call, else the total of a raise |

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Mutex;

use crate::lock;
use game::Action;
use smallvec::SmallVec;

/// The size of a slot in bytes.
const SIZE: usize = 512;
/// The offset of the actions.
const ACTIONS: usize = 96;
/// The most actions a slot holds. A hand has at most 200 raises, each by a big blind or more, and
/// two other actions on each street.
const MAX_ACTIONS: usize = (SIZE - ACTIONS) / 2;
/// The agent number that means that no hand was finished yet.
const NONE: u16 = u16::MAX;

/// The packed actions of a hand; few are stored inline.
pub(super) type Actions = SmallVec<[u16; 8]>;

/// Packs an action into two bytes. Raise totals are above 100 and at most 20,000 in this game.
pub(super) fn pack(action: Action) -> u16 {
    match action {
        Action::Fold => 0,
        Action::Call => 1,
        Action::RaiseTo(total) => u16::try_from(total).unwrap_or(u16::MAX),
    }
}

/// Unpacks an action.
pub(super) fn unpack(packed: u16) -> Action {
    match packed {
        0 => Action::Fold,
        1 => Action::Call,
        total => Action::RaiseTo(total.into()),
    }
}

/// The use of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A session.
    Session,
    /// A hand that a client left open.
    LeftOpen,
    /// An additional token of a session.
    Alias,
}

/// The stage of the hand in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Stage {
    /// No hand.
    #[default]
    None,
    /// In play.
    Open,
    /// Finished, and in the ledger or about to be.
    Finished,
}

/// The ledger and number of a finished hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InLedger {
    /// The agent's number.
    pub(super) agent: u16,
    /// The number of the ledger among the agent's, from 1.
    pub(super) ledger: u16,
    /// The hand's number in it.
    pub(super) hand: u64,
}

/// A deal that the client has asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AskedDeal {
    /// The seed of the cards.
    pub(crate) seed: u64,
    /// Which of the seed's deals.
    pub(crate) deal: u32,
    /// Whether the client has the button.
    pub(crate) button: bool,
}

/// The contents of a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) kind: Kind,
    pub(super) token: u128,
    /// The session's token, for an additional token.
    pub(super) stands_for: u128,
    pub(super) number: u32,
    pub(super) agent: u16,
    pub(super) dealt: u32,
    pub(super) finished: u32,
    pub(super) total: i64,
    pub(super) baseline_total: i64,
    pub(super) used: u64,
    /// The ledger and number of the last finished hand.
    pub(super) last: Option<InLedger>,
    pub(super) stage: Stage,
    pub(super) hand_agent: u16,
    pub(super) deal: u32,
    /// The deal whose cards it has, if the client has asked for one.
    pub(super) asked: Option<AskedDeal>,
    pub(super) actions: Actions,
}

impl Slot {
    /// An empty slot of this kind.
    pub(super) fn new(kind: Kind, token: u128) -> Slot {
        Slot {
            kind,
            token,
            stands_for: 0,
            number: 0,
            agent: 0,
            dealt: 0,
            finished: 0,
            total: 0,
            baseline_total: 0,
            used: 0,
            last: None,
            stage: Stage::None,
            hand_agent: 0,
            deal: 0,
            asked: None,
            actions: Actions::new(),
        }
    }

    /// Writes the slot's bytes to `out`; returns their number.
    fn encode(&self, out: &mut [u8; SIZE]) -> usize {
        out[..ACTIONS].fill(0);
        out[0] = match self.kind {
            Kind::Session => 1,
            Kind::LeftOpen => 2,
            Kind::Alias => 3,
        };
        out[1] = self.stage as u8;
        out[8..24].copy_from_slice(&self.token.to_le_bytes());
        out[24..28].copy_from_slice(&self.number.to_le_bytes());
        out[28..30].copy_from_slice(&self.agent.to_le_bytes());
        out[30..32].copy_from_slice(&self.hand_agent.to_le_bytes());
        out[32..36].copy_from_slice(&self.dealt.to_le_bytes());
        out[36..40].copy_from_slice(&self.finished.to_le_bytes());
        out[40..48].copy_from_slice(&self.total.to_le_bytes());
        out[48..56].copy_from_slice(&self.baseline_total.to_le_bytes());
        out[56..64].copy_from_slice(&self.used.to_le_bytes());
        let InLedger { agent, ledger, hand } =
            self.last.unwrap_or(InLedger { agent: NONE, ledger: 0, hand: 0 });
        out[64..72].copy_from_slice(&hand.to_le_bytes());
        out[72..76].copy_from_slice(&self.deal.to_le_bytes());
        out[76..78].copy_from_slice(&agent.to_le_bytes());
        out[78..80].copy_from_slice(&ledger.to_le_bytes());
        if let Some(AskedDeal { seed, deal, button }) = self.asked {
            out[80..88].copy_from_slice(&seed.to_le_bytes());
            out[88..92].copy_from_slice(&deal.to_le_bytes());
            out[92] = 1 + u8::from(button);
        }
        let mut end = ACTIONS;
        if self.kind == Kind::Alias {
            out[end..end + 16].copy_from_slice(&self.stands_for.to_le_bytes());
            end += 16;
        }
        for action in self.actions.iter().take(MAX_ACTIONS) {
            out[end..end + 2].copy_from_slice(&action.to_le_bytes());
            end += 2;
        }
        out[2..4].copy_from_slice(&(((end - ACTIONS) / 2) as u16).to_le_bytes());
        let sum = checksum(&out[..end]);
        out[4..8].copy_from_slice(&sum.to_le_bytes());
        end
    }

    /// Reads a slot; `None` when it is free or damaged.
    fn decode(bytes: &[u8]) -> Option<Slot> {
        let kind = match bytes.first()? {
            1 => Kind::Session,
            2 => Kind::LeftOpen,
            3 => Kind::Alias,
            _ => return None,
        };
        let stage = match bytes.get(1)? {
            0 => Stage::None,
            1 => Stage::Open,
            2 => Stage::Finished,
            _ => return None,
        };
        let end = ACTIONS + 2 * usize::from(u16::from_le_bytes(field(bytes, 2)?));
        let content = bytes.get(..end)?;
        if u32::from_le_bytes(field(bytes, 4)?) != checksum(content) {
            return None;
        }
        let mut slot = Slot::new(kind, u128::from_le_bytes(field(bytes, 8)?));
        slot.stage = stage;
        slot.number = u32::from_le_bytes(field(bytes, 24)?);
        slot.agent = u16::from_le_bytes(field(bytes, 28)?);
        slot.hand_agent = u16::from_le_bytes(field(bytes, 30)?);
        slot.dealt = u32::from_le_bytes(field(bytes, 32)?);
        slot.finished = u32::from_le_bytes(field(bytes, 36)?);
        slot.total = i64::from_le_bytes(field(bytes, 40)?);
        slot.baseline_total = i64::from_le_bytes(field(bytes, 48)?);
        slot.used = u64::from_le_bytes(field(bytes, 56)?);
        let agent = u16::from_le_bytes(field(bytes, 76)?);
        let ledger = u16::from_le_bytes(field(bytes, 78)?);
        let hand = u64::from_le_bytes(field(bytes, 64)?);
        slot.last = (agent != NONE).then_some(InLedger { agent, ledger, hand });
        slot.deal = u32::from_le_bytes(field(bytes, 72)?);
        let seed = u64::from_le_bytes(field(bytes, 80)?);
        let deal = u32::from_le_bytes(field(bytes, 88)?);
        let seat = *bytes.get(92)?;
        slot.asked = (seat > 0).then_some(AskedDeal { seed, deal, button: seat == 2 });
        if kind == Kind::Alias {
            slot.stands_for = u128::from_le_bytes(field(content, ACTIONS)?);
        } else {
            let pairs = content[ACTIONS..].chunks_exact(2);
            slot.actions = pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        }
        Some(slot)
    }
}

fn field<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at + N)?.try_into().ok()
}

/// FNV-1a over all bytes but those of the checksum.
fn checksum(bytes: &[u8]) -> u32 {
    let content = bytes[..4].iter().chain(&bytes[8..]);
    content.fold(0x811C_9DC5, |sum, &byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The file of slots.
#[derive(Debug)]
pub(super) struct Slots {
    file: File,
    free: Mutex<FreeSlots>,
}

/// The indices of free slots.
#[derive(Debug, Default)]
struct FreeSlots {
    /// Places within the file.
    holes: Vec<u32>,
    /// The first index beyond its end.
    end: u32,
}

/// The content of a file when it was opened.
#[derive(Debug, Default)]
pub(super) struct FoundSlots {
    /// The slots in use, each with its index.
    pub(super) slots: Vec<(u32, Slot)>,
    /// The indices of damaged slots, which count as free.
    pub(super) damaged: Vec<u32>,
}

impl Slots {
    /// Opens the file, or makes it, and reads its slots.
    pub(super) fn open(path: &Path) -> io::Result<(Slots, FoundSlots)> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        // It holds tokens.
        let file = options.mode(0o600).open(path)?;
        let end = file.metadata()?.len().div_ceil(SIZE as u64);
        let end = u32::try_from(end).map_err(|_| io::Error::other("the file is too large"))?;
        let (mut found, mut holes) = (FoundSlots::default(), Vec::new());
        for index in 0..end {
            let mut bytes = [0; SIZE];
            let length = read_up_to(&file, &mut bytes, u64::from(index) * SIZE as u64)?;
            match Slot::decode(&bytes[..length]) {
                Some(slot) => found.slots.push((index, slot)),
                None => {
                    holes.push(index);
                    if bytes[0] != 0 {
                        found.damaged.push(index);
                    }
                }
            }
        }
        Ok((Slots { file, free: Mutex::new(FreeSlots { holes, end }) }, found))
    }

    fn free(&self) -> std::sync::MutexGuard<'_, FreeSlots> {
        lock(&self.free)
    }

    /// Takes the index of a new slot.
    pub(super) fn take(&self) -> u32 {
        let mut free = self.free();
        free.holes.pop().unwrap_or_else(|| {
            free.end += 1;
            free.end - 1
        })
    }

    /// Writes a slot with one call, so that it is complete or absent if the process ends.
    pub(super) fn write(&self, index: u32, slot: &Slot) -> io::Result<()> {
        let mut bytes = [0; SIZE];
        let end = slot.encode(&mut bytes);
        self.file.write_all_at(&bytes[..end], u64::from(index) * SIZE as u64)
    }

    /// Reads the slot at an index; `None` when it is free or damaged.
    pub(super) fn read(&self, index: u32) -> io::Result<Option<Slot>> {
        let mut bytes = [0; SIZE];
        let length = read_up_to(&self.file, &mut bytes, u64::from(index) * SIZE as u64)?;
        Ok(Slot::decode(&bytes[..length]))
    }

    /// Frees a slot, even if that cannot be written.
    pub(super) fn clear(&self, index: u32) -> io::Result<()> {
        let written = self.file.write_all_at(&[0], u64::from(index) * SIZE as u64);
        self.free().holes.push(index);
        written
    }

    /// Flushes the file to disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Reads until the buffer is full or the file ends.
fn read_up_to(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < bytes.len() {
        match file.read_at(&mut bytes[length..], at + length as u64) {
            Ok(0) => break,
            Ok(n) => length += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Slot {
        let mut slot = Slot::new(Kind::Session, 0x1234_5678_9ABC_DEF0_1122_3344_5566_7788);
        slot.number = 7;
        (slot.agent, slot.hand_agent) = (3, 2);
        (slot.dealt, slot.finished) = (12, 11);
        (slot.total, slot.baseline_total) = (-20_000, 450);
        slot.used = 1_795_000_000_000;
        slot.last = Some(InLedger { agent: 2, ledger: 1, hand: 99 });
        (slot.stage, slot.deal) = (Stage::Open, 11);
        // No byte is 0, which a missing byte would read as.
        slot.actions = (1..=MAX_ACTIONS as u16).map(|i| 0x0101 * i).collect();
        slot
    }

    #[test]
    fn slots_come_back_as_they_were_and_places_are_used_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sessions");
        let (slots, found) = Slots::open(&path).expect("a file");
        assert!(found.slots.is_empty());
        let mut alias = Slot::new(Kind::Alias, 5);
        alias.stands_for = 6;
        let written = [full(), alias, Slot::new(Kind::LeftOpen, 9)];
        for slot in &written {
            slots.write(slots.take(), slot).expect("written");
        }
        slots.clear(slots.take()).expect("written");
        assert_eq!(slots.read(0).expect("readable").as_ref(), Some(&written[0]));
        let (slots, found) = Slots::open(&path).expect("a file");
        let read: Vec<Slot> = found.slots.into_iter().map(|(_, slot)| slot).collect();
        assert_eq!(read, written);
        assert_eq!((slots.take(), slots.take()), (3, 4));
    }

    #[test]
    fn a_slot_written_in_part_is_dropped_not_misread() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("sessions");
        let (slots, _) = Slots::open(&path).expect("a file");
        let mut bytes = [0; SIZE];
        let end = full().encode(&mut bytes);
        for cut in [1, 8, 30, 60, 95, 96, 200, end - 1] {
            slots.file.write_all_at(&[0; SIZE], 0).expect("written");
            slots.file.write_all_at(&bytes[..cut], 0).expect("written");
            let (_, found) = Slots::open(&path).expect("a file");
            assert_eq!((found.slots.len(), found.damaged.len()), (0, 1), "cut at {cut}");
        }
    }

    #[test]
    fn actions_fit_into_two_bytes() {
        for action in [Action::Fold, Action::Call, Action::RaiseTo(200), Action::RaiseTo(20_000)] {
            assert_eq!(unpack(pack(action)), action);
        }
    }
}
