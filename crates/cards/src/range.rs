//! A range: which two cards a player may hold, each with a weight.

use std::fmt;
use std::str::FromStr;

use crate::allin::check;
use crate::showdown::complete_boards;
use crate::{
    CardSet, Combo, Equity, Error, HoleCards, Rank, Showdown, ShowdownSums, StartingHand,
    SuitPermutation, all_in, error::Problem,
};

/// A weight from 0 to 1 for each of the 1,326 combos.
///
/// Written as players write ranges: `QQ+,AKs,A5s-A2s,KQo:0.5,AhKh,random`. Every range but the
/// empty one prints and parses back.
///
/// A range is a list of items between commas or blanks:
///
/// - `TT`, `AKs`, `AKo`, `AK`: a pair, a suited hand, an offsuit hand, both;
/// - `TT+`: this pair and all higher ones; `A2s+`, `KTo+`, `AT+`: this lower card and all others
///   below the higher card;
/// - `99-66`, `A5s-A2s`, `KQo-K9o`: from one hand to the other, in either order; `JTs-54s`: the
///   same gap between the ranks all the way;
/// - `AhKh`: two cards;
/// - `random`: every hand.
///
/// Each may be followed by `:` and a weight from 0 to 1. Where a hand is named twice, the later
/// weight holds, so that `random,72o:0` is every hand but those.
#[derive(Clone, PartialEq)]
pub struct Range {
    weights: Box<[f64; Combo::COUNT]>,
}

impl Range {
    /// The range without hands.
    pub fn empty() -> Range {
        Range { weights: Box::new([0.0; Combo::COUNT]) }
    }

    /// All hands with the weight 1.
    pub fn uniform() -> Range {
        Range { weights: Box::new([1.0; Combo::COUNT]) }
    }

    /// The weight of a hand.
    pub fn weight(&self, combo: Combo) -> f64 {
        self.weights[combo.index()]
    }

    /// All weights, indexed by combo number.
    pub fn weights(&self) -> &[f64; Combo::COUNT] {
        &self.weights
    }

    /// Sets the weight of a hand.
    ///
    /// # Errors
    /// When the weight is not from 0 to 1; nothing changes.
    pub fn set(&mut self, combo: Combo, weight: f64) -> Result<(), Error> {
        if !(0.0..=1.0).contains(&weight) {
            return Err(Problem::Weight(weight.to_string()).into());
        }
        // No negative zero, which would print as one.
        self.weights[combo.index()] = weight.abs();
        Ok(())
    }

    /// The range without the hands that hold one of these cards.
    #[must_use]
    pub fn without(mut self, cards: CardSet) -> Range {
        for combo in Combo::all().filter(|combo| combo.set().intersects(cards)) {
            self.weights[combo.index()] = 0.0;
        }
        self
    }

    /// The hands with a weight above 0, in order.
    pub fn combos(&self) -> impl Iterator<Item = (Combo, f64)> + '_ {
        Combo::all().map(|combo| (combo, self.weight(combo))).filter(|&(_, weight)| weight > 0.0)
    }

    /// Whether every weight is 0.
    pub fn is_empty(&self) -> bool {
        self.weights.iter().all(|&weight| weight == 0.0)
    }

    /// The sum of all weights: the number of combos when all of them are 1.
    pub fn total(&self) -> f64 {
        self.weights.iter().sum()
    }

    /// Wins, ties and total of a hand against the range over all boards that may still come, as
    /// sums of weight times boards, exact where weights are. Hands of the range that share a card
    /// with the hand or the board are left out; a total of 0 says that none was left.
    ///
    /// # Errors
    /// When the board has not 0, 3, 4 or 5 cards, or shares one with the hand.
    pub fn showdown_sums(&self, hole: Combo, board: CardSet) -> Result<ShowdownSums, Error> {
        check(&[hole], board)?;
        // Range hands that suit permutations fixing the board and the hand make equal meet the same
        // boards: their weights are added first.
        let mut keep = SuitPermutation::fixing(board);
        keep.retain(|suits| suits.combo(hole) == hole);
        let mut weights = [0.0; Combo::COUNT];
        let free = self.combos().filter(|(combo, _)| !combo.set().intersects(hole.set() | board));
        for (combo, weight) in free {
            let equal = keep.iter().map(|suits| suits.combo(combo)).min().unwrap_or(combo);
            weights[equal.index()] += weight;
        }
        let mut sums = ShowdownSums::default();
        for combo in Combo::all().filter(|combo| weights[combo.index()] > 0.0) {
            let Equity { wins, ties, total } = all_in(hole, combo, board)?;
            let weight = weights[combo.index()];
            sums.wins += weight * wins as f64;
            sums.ties += weight * ties as f64;
            sums.total += weight * total as f64;
        }
        Ok(sums)
    }

    /// The same for all hands of this range against those of another, as sums of both weights times
    /// boards. Hands that share a card with each other or the board are left out.
    ///
    /// Before the flop each pair of hands is looked up in the table of all of them; later every
    /// complete board is one [`Showdown`].
    ///
    /// # Errors
    /// When the board has not 0, 3, 4 or 5 cards.
    pub fn sums_against(&self, other: &Range, board: CardSet) -> Result<ShowdownSums, Error> {
        let mut sums = ShowdownSums::default();
        let mut add = |weight: f64, of_hand: ShowdownSums| {
            sums.wins += weight * of_hand.wins;
            sums.ties += weight * of_hand.ties;
            sums.total += weight * of_hand.total;
        };
        if board.is_empty() {
            for (combo, weight) in self.combos() {
                add(weight, other.showdown_sums(combo, board)?);
            }
            return Ok(sums);
        }
        if !matches!(board.len(), 3..=5) {
            return Err(Problem::AllInBoard(board.len()).into());
        }
        let mut of_board = Box::new([ShowdownSums::default(); Combo::COUNT]);
        for board in complete_boards(board) {
            let showdown = Showdown::new(board)?;
            showdown.sums_against(other.weights(), &mut of_board);
            for (combo, weight) in self.combos() {
                add(weight, of_board[combo.index()]);
            }
        }
        Ok(sums)
    }
}

impl fmt::Debug for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The problem with an item of a range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RangeProblem {
    /// There is no item at all.
    #[error("names no hands: write a range such as `QQ+,AKs`, or `random` for every hand")]
    Empty,
    /// The item has none of the forms that [`Range`] lists.
    #[error(
        "is not a hand of a range: write `TT+`, `99-66`, `AKs`, `A2s+`, `KTo-K7o`, `AhKh` or \
         `random`"
    )]
    Form,
    /// A hand names the same card twice.
    #[error("is the same card twice: write two different cards, as in `AhKh`")]
    SameCard,
    /// Hands of different forms on both sides of a dash.
    #[error(
        "joins hands that form no sequence: both must be pairs, or share the higher card, or \
         have the same gap, and both be suited or offsuit"
    )]
    Ends,
    /// The weight is not a number from 0 to 1.
    #[error("ends in no weight: after `:` write a number from 0 to 1, as in `QQ:0.5`")]
    Weight,
    /// The weight is written as other programs do: what it is here.
    #[error("is written `{0}` here: the weight, from 0 to 1, follows a `:`")]
    Notation(String),
}

impl FromStr for Range {
    type Err = Error;

    fn from_str(text: &str) -> Result<Range, Error> {
        let mut range = Range::empty();
        let separates = |letter: char| letter == ',' || letter.is_whitespace();
        let (mut at, mut items) = (0, 0);
        for item in text.split(separates) {
            if !item.is_empty() {
                items += 1;
                add(&mut range, item).map_err(|problem| {
                    let other = elsewhere(item).map(RangeProblem::Notation);
                    error(at, item, other.unwrap_or(problem))
                })?;
            }
            at += item.chars().count() + 1;
        }
        if items == 0 {
            return Err(error(0, text, RangeProblem::Empty));
        }
        Ok(range)
    }
}

fn error(at: usize, text: &str, problem: RangeProblem) -> Error {
    Problem::Range { at, text: text.chars().take(32).collect(), problem }.into()
}

/// Adds one item to a range.
fn add(range: &mut Range, item: &str) -> Result<(), RangeProblem> {
    let (hands, weight) = match item.split_once(':') {
        None => (item, 1.0),
        Some((hands, weight)) => (hands, weight_of(weight).ok_or(RangeProblem::Weight)?),
    };
    let mut set = |combo: Combo| range.set(combo, weight).map_err(|_| RangeProblem::Weight);
    if hands.eq_ignore_ascii_case("random") {
        return Combo::all().try_for_each(set);
    }
    if let Ok(cards) = hands.parse::<HoleCards>()
        && let &[a, b] = cards.as_slice()
    {
        return set(Combo::new(a, b).ok_or(RangeProblem::SameCard)?);
    }
    if let Err(error) = hands.parse::<HoleCards>()
        && error.repeated_card().is_some()
    {
        return Err(RangeProblem::SameCard);
    }
    for hand in kinds(hands)?.iter().flat_map(|kind| kind.hands()) {
        hand.combos().try_for_each(&mut set)?;
    }
    Ok(())
}

/// An item in the notation of other programs as it is written here: `AA@0.5`, `AA(0.5)`, `50%AA`,
/// `[50]AA[/50]`, or one end of a list in brackets. What is in brackets or above 1 is a percentage.
fn elsewhere(item: &str) -> Option<String> {
    const SIGNS: [char; 8] = ['@', '=', '*', '(', ')', '[', ']', '%'];
    if !item.contains(SIGNS) {
        return None;
    }
    let apart = |c: char| SIGNS.contains(&c) || c == ':' || c == '/';
    let parts: Vec<&str> = item.split(apart).filter(|part| !part.is_empty()).collect();
    let is_hand = |part: &str| add(&mut Range::empty(), part).is_ok();
    // A weight may look like a hand: 75 per cent like a seven and a five.
    let before = item.starts_with('[')
        || item.find(SIGNS).is_some_and(|at| item[at..].starts_with('%') && at + 1 < item.len())
        || !is_hand(parts.first()?);
    let hands = *parts.get(usize::from(before))?;
    let mut numbers = parts.iter().enumerate().filter(|&(at, _)| at != usize::from(before));
    let (_, number) = numbers.next()?;
    let weight = weight_of_any(number).filter(|_| is_hand(hands))?;
    if numbers.any(|(_, other)| other != number) {
        return None;
    }
    let share = if weight > 1.0 || item.contains(['%', '[']) { weight / 100.0 } else { weight };
    (share <= 1.0).then(|| format!("{hands}:{share}"))
}

/// Parses a weight: digits and at most one point, so that each weight has one notation.
fn weight_of(text: &str) -> Option<f64> {
    weight_of_any(text).filter(|weight| (0.0..=1.0).contains(weight))
}

fn weight_of_any(text: &str) -> Option<f64> {
    let plain = text.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    text.parse().ok().filter(|_| plain)
}

/// A parsed hand class: two ranks, the higher first, suited, offsuit or both (`None`).
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    high: u8,
    low: u8,
    suited: Option<bool>,
}

impl Kind {
    fn read(text: &str) -> Option<Kind> {
        let mut letters = text.chars();
        let (a, b) = (Rank::from_char(letters.next()?)?, Rank::from_char(letters.next()?)?);
        let suited = match letters.as_str() {
            "" => None,
            "s" | "S" if a != b => Some(true),
            "o" | "O" if a != b => Some(false),
            _ => return None,
        };
        Some(Kind { high: a.max(b).index(), low: a.min(b).index(), suited })
    }

    fn is_pair(self) -> bool {
        self.high == self.low
    }

    fn hands(self) -> impl Iterator<Item = StartingHand> {
        let rank = |index| Rank::new(index).expect("made from ranks");
        let (high, low) = (rank(self.high), rank(self.low));
        let suits = match self.suited {
            _ if self.is_pair() => &[false][..],
            Some(true) => &[true],
            Some(false) => &[false],
            None => &[true, false],
        };
        suits.iter().map(move |&suited| StartingHand::new(high, low, suited))
    }
}

/// Parses an item without cards into hand classes.
fn kinds(item: &str) -> Result<Vec<Kind>, RangeProblem> {
    let read = |text: &str| Kind::read(text).ok_or(RangeProblem::Form);
    if let Some(from) = item.strip_suffix('+') {
        let from = read(from)?;
        return Ok(if from.is_pair() {
            (from.low..Rank::COUNT).map(|rank| Kind { high: rank, low: rank, ..from }).collect()
        } else {
            (from.low..from.high).map(|low| Kind { low, ..from }).collect()
        });
    }
    let Some((one, other)) = item.split_once('-') else { return Ok(vec![read(item)?]) };
    let (one, other) = (read(one)?, read(other)?);
    let (top, bottom) = if one.low > other.low { (one, other) } else { (other, one) };
    if top.suited != bottom.suited || top.is_pair() != bottom.is_pair() {
        return Err(RangeProblem::Ends);
    }
    if top.high == bottom.high {
        Ok((bottom.low..=top.low).map(|low| Kind { low, ..top }).collect())
    } else if top.high - top.low == bottom.high.wrapping_sub(bottom.low) {
        let gap = top.high - top.low;
        Ok((bottom.low..=top.low).map(|low| Kind { high: low + gap, low, ..top }).collect())
    } else {
        Err(RangeProblem::Ends)
    }
}

impl fmt::Display for Range {
    /// Pairs, suited and offsuit hands from the aces down, in runs of equal weight; then single
    /// combos.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [weight, rest @ ..] = &self.weights[..]
            && rest.iter().all(|other| other == weight)
            && *weight > 0.0
        {
            return write!(f, "random{}", Weight(*weight));
        }
        let mut items = Items { f, first: true };
        items.runs(self, (0..13).rev().map(|rank| (rank, rank, false)).collect())?;
        for suited in [true, false] {
            for high in (1..13).rev() {
                items.runs(self, (0..high).rev().map(|low| (high, low, suited)).collect())?;
            }
        }
        for hand in StartingHand::all().filter(|&hand| self.common_weight(hand).is_none()) {
            for combo in hand.combos().filter(|&combo| self.weight(combo) > 0.0) {
                items.add(format_args!("{combo}{}", Weight(self.weight(combo))))?;
            }
        }
        Ok(())
    }
}

impl Range {
    /// The weight that all combos of a starting hand share, or `None` where they differ.
    fn common_weight(&self, hand: StartingHand) -> Option<f64> {
        let mut weights = hand.combos().map(|combo| self.weight(combo));
        let first = weights.next()?;
        weights.all(|weight| weight == first).then_some(first)
    }
}

/// A printer that separates items with commas.
struct Items<'a, 'b> {
    f: &'a mut fmt::Formatter<'b>,
    first: bool,
}

impl Items<'_, '_> {
    fn add(&mut self, item: fmt::Arguments<'_>) -> fmt::Result {
        if !std::mem::take(&mut self.first) {
            self.f.write_str(",")?;
        }
        self.f.write_fmt(item)
    }

    /// Prints hands given from the highest down, with neighbours of equal weight joined. A run that
    /// starts at the highest is written with `+`.
    fn runs(&mut self, range: &Range, hands: Vec<(u8, u8, bool)>) -> fmt::Result {
        let hands: Vec<StartingHand> = hands
            .into_iter()
            .map(|(high, low, suited)| {
                let rank = |index| Rank::new(index).expect("one of 13 ranks");
                StartingHand::new(rank(high), rank(low), suited)
            })
            .collect();
        let mut start = 0;
        for run in hands.chunk_by(|&a, &b| range.common_weight(a) == range.common_weight(b)) {
            let at_top = start == 0;
            start += run.len();
            let Some(weight) = range.common_weight(run[0]).filter(|&weight| weight > 0.0) else {
                continue;
            };
            let (first, last, weight) = (run[0], run[run.len() - 1], Weight(weight));
            match run.len() {
                1 => self.add(format_args!("{first}{weight}"))?,
                _ if at_top => self.add(format_args!("{last}+{weight}"))?,
                _ => self.add(format_args!("{first}-{last}{weight}"))?,
            }
        }
        Ok(())
    }
}

/// The weight suffix of an item: empty for 1.
struct Weight(f64);

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 == 1.0 { Ok(()) } else { write!(f, ":{}", self.0) }
    }
}
