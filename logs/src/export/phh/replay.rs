//! Replaying the actions of a PHH hand, and what mucked hands say about its result.

use cards::{Board, HoleCards};
use game::{Action, BySeat, Chips, GameSpec, Payoff, PublicState, Seat, SeatSet, Turn};

use super::fields::{Fault, Fields, unsupported};
use super::player;
use crate::replay::result_is_known;

/// The chips that the seat put in above all others.
pub(super) fn uncalled(public: &PublicState, seat: Seat) -> Chips {
    let others = public.committed().iter().filter(|&(other, _)| other != seat);
    let most = others.map(|(_, &chips)| chips).max().unwrap_or_default();
    public.committed()[seat].saturating_sub(most)
}

/// The results where hands were mucked: they win nothing from a pot with a hand that was not.
/// Without given results they follow from the hands that were shown.
pub(super) fn after_mucks(
    public: &PublicState,
    hole: &BySeat<HoleCards>,
    mucked: SeatSet,
    given: Option<BySeat<Payoff>>,
) -> Result<Option<BySeat<Payoff>>, Fault> {
    let shown = public.remaining().without(mucked);
    let mucked = public.remaining().without(shown);
    if !public.is_showdown() || mucked.is_empty() || shown.is_empty() {
        return Ok(given);
    }
    let mut seen = *hole;
    mucked.iter().for_each(|seat| seen[seat] = HoleCards::default());
    let payoffs = match given {
        Some(given) => given,
        None if shown.iter().any(|seat| hole[seat].is_empty()) => return Ok(None),
        // A mucked hand counts as the board's, which none shown is below.
        None => public.payoffs(&seen),
    };
    let most = shown.iter().map(|seat| public.committed()[seat]).max().unwrap_or_default();
    let beyond: u64 = public
        .committed()
        .as_slice()
        .iter()
        .map(|&chips| u64::from(chips.saturating_sub(most)))
        .sum();
    for seat in mucked.iter() {
        let back = match given {
            Some(_) => beyond,
            None => uncalled(public, seat).into(),
        };
        let put_in = Payoff::from_chips(public.committed()[seat].into());
        if payoffs[seat] + put_in > Payoff::from_chips(back as i64) {
            let reason = format!("{} mucked and would be paid", player(seat));
            return Err(unsupported("won by mucked hands", reason));
        }
    }
    let known = result_is_known(public, hole).then(|| public.payoffs(hole));
    match known.filter(|known| given.is_none() && *known != payoffs) {
        Some(_) => Err(unsupported("won by mucked hands", "the best hand was mucked")),
        None => Ok(Some(payoffs)),
    }
}

/// A hand as far as it has been replayed.
pub(super) struct Replay<'r, 'v, 'a> {
    pub(super) fields: &'r Fields<'v, 'a>,
    pub(super) public: PublicState,
    pub(super) hole: BySeat<HoleCards>,
    pub(super) mucked: SeatSet,
}

impl Replay<'_, '_, '_> {
    /// The seat of a player's name in actions.
    fn seat(&self, name: &str) -> Result<Seat, Fault> {
        let number = name.strip_prefix('p').and_then(|number| number.parse::<usize>().ok());
        let seat = number.and_then(|number| Seat::new(number.checked_sub(1)?));
        seat.filter(|seat| seat.index() < self.hole.len())
            .ok_or_else(|| format!("there is no player `{name}`").into())
    }

    /// Notes a player's cards. All unknown ones are no news.
    fn cards(&mut self, seat: Seat, text: &str) -> Result<(), Fault> {
        if text.bytes().all(|b| b == b'?') {
            return Ok(());
        }
        if text.contains('?') {
            let reason = "a hand of which one card is known is not supported";
            return Err(unsupported("with partly known cards", reason));
        }
        let cards: HoleCards = text.parse().map_err(|error| format!("{error}"))?;
        let before = self.hole[seat];
        if cards.len() != 2 {
            return Err("a hand has two cards".to_owned().into());
        }
        if !before.is_empty() && before.set() != cards.set() {
            return Err(format!("{} has {before} already", player(seat)).into());
        }
        if before.is_empty() {
            self.hole[seat] = cards;
        }
        Ok(())
    }

    /// Checks for a player who has nothing to call and nobody to bet against, as a blind against
    /// shorter all-in stacks: other programs do not ask him.
    pub(super) fn check_if_nothing_else(&mut self) {
        let legal = self.public.legal();
        let asked = matches!(self.public.turn(), Turn::Act(_));
        if asked && !legal.fold && legal.to_call == 0 && legal.raise.is_none() {
            self.public.apply_unchecked(Action::Call);
        }
    }

    /// Applies one action of the file.
    pub(super) fn step(&mut self, text: &str) -> Result<(), Fault> {
        let text = text.split('#').next().unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        let (seat, action) = match words[..] {
            [] => return Ok(()),
            ["d", "dh", player, dealt] => return self.cards(self.seat(player)?, dealt),
            // What was dealt is shown.
            [player, "sm", "-"] => return self.seat(player).map(drop),
            [player, "sm", ref shown @ ..] if shown.len() < 2 => {
                let (seat, shown) = (self.seat(player)?, shown.first().unwrap_or(&""));
                if shown.bytes().all(|b| b == b'?') {
                    self.mucked.insert(seat);
                }
                return self.cards(seat, shown);
            }
            ["d", "db", dealt] => {
                if dealt.contains('?') {
                    let reason = "unknown board cards are not supported";
                    return Err(unsupported("with unknown board cards", reason));
                }
                let dealt: Board = dealt.parse().map_err(|error| format!("{error}"))?;
                self.check_if_nothing_else();
                return self.public.deal(&dealt).map_err(|error| error.to_string().into());
            }
            [player, "f"] => (self.seat(player)?, Action::Fold),
            [player, "cc"] => (self.seat(player)?, Action::Call),
            [player, "cbr", total] => {
                let seat = self.seat(player)?;
                let chips = self.fields.chips(total).ok_or_else(|| {
                    let most = GameSpec::MAX_STACK / self.fields.unit();
                    format!("`{total}` is not an amount from 0 to {most}")
                })?;
                let before = self.public.committed()[seat] - self.public.committed_street(seat);
                (seat, Action::RaiseTo(chips.saturating_add(before)))
            }
            _ => return Err("this is not an action of hold'em".to_owned().into()),
        };
        if self.public.turn() != Turn::Act(seat) {
            return Err(format!("it is not {}'s turn", player(seat)).into());
        }
        self.public.apply(action).map_err(|error| match self.fields.unit() {
            1 => error.to_string().into(),
            unit => format!("{error} (in chips, {unit} to 1)").into(),
        })
    }
}
