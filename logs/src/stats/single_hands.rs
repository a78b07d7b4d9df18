//! The hands that decided a match: the worst, the biggest and the luckiest of an entrant.

use game::Payoff;
use serde::Serialize;
use show::Table;
use show::number::{signed_grouped, whole};

use crate::HandRecord;

/// The numbers of an entrant's worst hands and of those with the biggest pots, no more of each than
/// wanted. Of equal ones the first count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remarkable {
    of: u8,
    wanted: [usize; 2],
    /// The result in parts of a chip, and the hand; the lowest first.
    worst: Vec<(i64, u64)>,
    /// The negative of the pot in chips, and the hand.
    biggest: Vec<(i64, u64)>,
}

impl Remarkable {
    /// None yet, of this entrant.
    pub fn of(entrant: u8, worst: usize, biggest: usize) -> Remarkable {
        let wanted = [worst, biggest];
        Remarkable { of: entrant, wanted, worst: Vec::new(), biggest: Vec::new() }
    }

    /// Counts a hand.
    pub fn add(&mut self, record: &HandRecord) {
        let seat = record.entrants.iter().find(|&(_, &entrant)| entrant == self.of);
        let Some((seat, _)) = seat else { return };
        let pot = i64::try_from(record.public.pot()).unwrap_or(i64::MAX);
        let [worst, biggest] = self.wanted;
        keep(&mut self.worst, worst, (record.payoffs[seat].parts(), record.hand));
        keep(&mut self.biggest, biggest, (-pot, record.hand));
    }

    /// The worst hands, the largest loss first.
    pub fn worst(&self) -> impl Iterator<Item = u64> + '_ {
        self.worst.iter().map(|&(_, hand)| hand)
    }

    /// The hands with the biggest pots, the biggest first.
    pub fn biggest(&self) -> impl Iterator<Item = u64> + '_ {
        self.biggest.iter().map(|&(_, hand)| hand)
    }
}

/// Keeps the lowest of these, in order.
fn keep(kept: &mut Vec<(i64, u64)>, wanted: usize, new: (i64, u64)) {
    if kept.len() < wanted || kept.last().is_some_and(|last| new < *last) {
        kept.insert(kept.partition_point(|old| *old < new), new);
        kept.truncate(wanted);
    }
}

/// Lists of an entrant's hands, each in order.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct HandLists {
    /// The entrant's name.
    pub name: String,
    /// The largest losses.
    pub worst: Vec<SingleHand>,
    /// The biggest pots.
    pub biggest: Vec<SingleHand>,
    /// The largest gains by the luck of the cards, among the hands with corrections.
    pub luckiest: Vec<SingleHand>,
}

/// One hand in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SingleHand {
    /// The hand's number.
    pub hand: u64,
    /// The entrant's seat, by its role.
    pub seat: String,
    /// The entrant's cards; empty when unknown.
    pub cards: String,
    /// The cards of the others, in the order of the seats.
    pub others: Vec<String>,
    /// The board as far as dealt.
    pub board: String,
    /// The pot at the end, in chips.
    pub pot: u64,
    /// The entrant's result in chips.
    pub won: f64,
    /// The result without the luck of the cards, in chips, by the value function with weight 1;
    /// `null` where it is not known.
    pub luck_adjusted: Option<f64>,
    /// The command that explains the hand's decisions; `null` for a log.
    pub explain: Option<String>,
}

impl SingleHand {
    /// A hand of this entrant; `luck` is what it gained by the cards, in big blinds.
    pub fn new(record: &HandRecord, entrant: u8, luck: Option<f64>) -> Option<SingleHand> {
        let (seat, _) = record.entrants.iter().find(|&(_, &other)| other == entrant)?;
        let def = record.public.def();
        let won = record.payoffs[seat].parts() as f64 / Payoff::PER_CHIP as f64;
        let others = record.hole.iter().filter(|&(other, _)| other != seat);
        Some(SingleHand {
            hand: record.hand,
            seat: def.position(seat).to_string(),
            cards: record.hole[seat].to_string(),
            others: others.map(|(_, cards)| cards.to_string()).collect(),
            board: record.public.board().to_string(),
            pot: record.public.pot(),
            won,
            luck_adjusted: luck.map(|luck| won - luck * f64::from(def.big_blind())),
            explain: None,
        })
    }
}

impl HandLists {
    /// The lists that have hands, as tables.
    pub fn lists(&self) -> Vec<String> {
        let lists = [
            (&self.worst, "worst hands"),
            (&self.biggest, "biggest pots"),
            (&self.luckiest, "luckiest hands"),
        ];
        let listed = lists.into_iter().filter(|(hands, _)| !hands.is_empty());
        listed.map(|(hands, what)| table(&format!("{what} of {}", self.name), hands)).collect()
    }
}

fn table(title: &str, hands: &[SingleHand]) -> String {
    let header = [title, "seat", "cards", "others", "board", "pot", "won", "luck-adjusted", ""];
    let mut table = Table::new(header).right(5..8).at_the_margin();
    let unknown = |cards: &str| if cards.is_empty() { "-".to_owned() } else { cards.to_owned() };
    for hand in hands {
        let others: Vec<String> = hand.others.iter().map(|cards| unknown(cards)).collect();
        table.row([
            format!("hand {}", hand.hand),
            hand.seat.clone(),
            unknown(&hand.cards),
            others.join(" "),
            unknown(&hand.board),
            whole(hand.pot),
            signed_grouped(hand.won, 0),
            hand.luck_adjusted.map_or_else(|| "-".to_owned(), |won| signed_grouped(won, 0)),
            hand.explain.clone().unwrap_or_default(),
        ]);
    }
    table.to_string()
}
