//! The log of the engine of MIT Pokerbots, `gamelog.txt`.
//!
//! Its rounds have all cards of both players, whoever folds. Raises and bets are totals of the
//! street; a street's line has the whole board and what each player has put in over the whole hand;
//! `awarded` is what a player won or lost. After an all-in both still check on each street.
//!
//! The log has blinds, but no stacks: it is that of the base game, with blinds of 1 and 2 and 400
//! chips that are reset every round, and other games are refused. That of 2026, in which each
//! player puts a card on the board, is written, not read; it has the chips behind after every
//! street, and at its end sums of what was put in on streets, with the sign of the round's result.
//!
//! **The reader** replays every round by the rules and checks all amounts, the results and the sums
//! of both players. Answers that the engine refused are told in lines of their own, before the
//! action that it took instead; they are understood and left out, and so are clocks that ran out.
//!
//! **The writer** writes what the engine would have written for these hands, without refused
//! answers.

use std::fmt::Write;
use std::sync::Arc;

use cards::Card;
use game::{Action, Betting, Chips, GameDef, Payoff, Played, Seat, Street, Turn};

use crate::formats::sites::{
    ActionTaken, Refusal, SeatedPlayer, Start, Step, TableHand, chips, steps, two_cards,
};
use crate::formats::{CannotExpress, ReadError, SiteHands, parse_payoff, phh};
use crate::{HandRecord, MatchInfo};

const FORMAT: &str = "a Pokerbots game log";
const WRITTEN: &str = "writing to a string cannot fail";

/// The blinds and the stack of the base game.
const BLINDS: [Chips; 2] = [1, 2];
const STACK: Chips = 400;

/// Checks that the format can express the game.
///
/// # Errors
/// When it is not no-limit hold'em for two with blinds of 1 and 2 and 400 chips.
pub fn check(def: &GameDef) -> Result<(), CannotExpress> {
    let [small, big] = BLINDS;
    let three_cards = def.discards && (def.hole_cards, def.suits, def.ranks) == (3, 4, 13);
    if !(three_cards && def.board_cards == [0, 4, 1, 1]) {
        phh::check(def).map_err(|error| CannotExpress { format: FORMAT, ..error })?;
    }
    let base = def.betting == Betting::NoLimit && def.blinds == [big, small];
    if base && def.stacks == [STACK; 2] {
        return Ok(());
    }
    let reason = format!(
        "it has no stacks, so it is for no-limit hold'em for two with blinds of {small} and {big} \
         and {STACK} chips only"
    );
    Err(CannotExpress { format: FORMAT, reason })
}

/// A writer of the hands of one match, which adds up the results.
#[derive(Debug, Clone)]
pub struct Writer {
    names: Vec<String>,
    banks: Vec<Payoff>,
    /// The players in the order of the last line, which begins with who has the big blind then.
    last: [usize; 2],
    /// The sums of 2026, by entrant; none in the base game.
    sums: Vec<StreetSums>,
}

/// What the engine of 2026 adds up for a player: chips put in before the flop, after both discards,
/// and later, as they were when a bot was last asked there. What was not asked for in a round is
/// that of the round before.
#[derive(Debug, Clone, Default)]
struct StreetSums {
    now: [i64; 3],
    sums: [i64; 3],
}

impl StreetSums {
    /// A bot is asked at a stage, with so many chips of this player in the middle.
    fn ask(&mut self, stage: Stage, committed: Chips) {
        let [first, flop, later] = &mut self.now;
        let committed = i64::from(committed);
        match stage {
            Stage::Preflop => *first = committed,
            Stage::Flop => *flop = committed - *first,
            Stage::Other => *later = committed - *flop - *first,
        }
    }

    fn end_round(&mut self, won: Payoff) {
        for (sum, now) in self.sums.iter_mut().zip(self.now) {
            *sum += now * won.parts().signum();
        }
    }
}

/// Where a bot is asked, as far as sums differ.
#[derive(Debug, Clone, Copy)]
enum Stage {
    Preflop,
    /// The flop with both discards.
    Flop,
    /// The discards, the turn and the river.
    Other,
}

impl Writer {
    /// A writer for this match.
    ///
    /// # Errors
    /// Those of [`check`].
    pub fn new(info: &MatchInfo) -> Result<Writer, CannotExpress> {
        check(&info.game)?;
        let names = info.names();
        let sums = if info.game.discards { names.len() } else { 0 };
        let sums = vec![StreetSums::default(); sums];
        Ok(Writer { banks: vec![Payoff::ZERO; names.len()], names, last: [0, 1], sums })
    }

    /// Appends what stands before the first hand.
    pub fn write_header(&self, out: &mut String) {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        writeln!(out, "6.9630 MIT Pokerbots - {}", names.join(" vs ")).expect(WRITTEN);
    }

    /// Appends a hand, after a blank line.
    pub fn write_hand(&mut self, record: &HandRecord, out: &mut String) {
        let Writer { names, banks, last, sums } = self;
        let def = record.public.def();
        let mut seats: Vec<Seat> = def.seats().collect();
        seats.sort_by_key(|&seat| seat != def.button());
        let entrant = |seat: Seat| usize::from(record.entrants[seat]);
        let name = |seat: Seat| names.get(entrant(seat)).map_or("?", String::as_str);
        let mut line = |line: std::fmt::Arguments<'_>| {
            out.write_fmt(line).expect(WRITTEN);
            out.push('\n');
        };
        let amounts = |amount: &dyn Fn(Seat) -> String| {
            let one = |&seat: &Seat| format!(", {} ({})", name(seat), amount(seat));
            seats.iter().map(one).collect::<String>()
        };
        let bank = |seat: Seat| banks.get(entrant(seat)).copied().unwrap_or_default();
        let number = record.hand.saturating_add(1);
        line(format_args!(""));
        line(format_args!("Round #{number}{}", amounts(&|seat| bank(seat).to_string())));
        for &seat in &seats {
            line(format_args!("{} posts the blind of {}", name(seat), def.blinds[seat.index()]));
        }
        for &seat in &seats {
            line(format_args!("{} dealt [{}]", name(seat), spaced(&record.hole[seat])));
        }
        // The engine of 2026 takes a fold where it asks for checks after an all-in.
        let all_in = record.public.committed().as_slice().iter().all(|&chips| chips == STACK);
        let whole = |street: Street| record.public.board().len() == def.board_len(street);
        let conceded =
            |played: &&Played| all_in && played.action == Action::Fold && whole(played.street);
        let conceded = record.public.history().last().filter(conceded);
        let mut betting = record.public.history().iter().rev().skip(conceded.into_iter().count());
        let played = betting.next().map(|played| played.street);
        let mut committed: Vec<Chips> = def.blinds.clone();
        let mut ask = |stage: Stage, committed: &[Chips]| {
            for &seat in &seats {
                if let Some(sums) = sums.get_mut(entrant(seat)) {
                    sums.ask(stage, committed[seat.index()]);
                }
            }
        };
        let mut stage = Stage::Preflop;
        for step in steps(record) {
            match step {
                Step::Street { street, board, .. } => {
                    let amounts = amounts(&|seat| committed[seat.index()].to_string());
                    let behind = seats.iter().map(|seat| STACK - committed[seat.index()]);
                    let behind: Vec<String> = behind.map(|chips| chips.to_string()).collect();
                    let dealt = |title: &str, board: &[Card]| {
                        let mut text = format!("{title} [{}]{amounts}", spaced(board));
                        if def.discards {
                            write!(text, "\nCurrent stacks: {}", behind.join(", ")).expect(WRITTEN);
                        }
                        text
                    };
                    let puts = if def.discards && street == Street::Flop { 2 } else { 0 };
                    let first = (def.board_len(street) - puts).min(board.len());
                    line(format_args!("{}", dealt(title(street), &board[..first])));
                    for place in first..board.len() {
                        let Some(put) = def.discarder(place) else { continue };
                        ask(Stage::Other, &committed);
                        line(format_args!("{} discards {}", name(put), board[place]));
                        for &other in seats.iter().filter(|&&seat| seat != put) {
                            line(format_args!("{} checks", name(other)));
                        }
                        let title = format!("Discard {}", place - first + 1);
                        line(format_args!("{}", dealt(&title, &board[..=place])));
                    }
                    stage = match street {
                        Street::Flop if board.len() == def.board_len(street) => Stage::Flop,
                        _ => Stage::Other,
                    };
                    if played.is_some_and(|played| played < street) {
                        // The engine asks for checks where nobody can bet any more.
                        ask(stage, &committed);
                        for &seat in seats.iter().rev() {
                            if conceded.is_some_and(|it| (it.seat, it.street) == (seat, street)) {
                                line(format_args!("{} folds", name(seat)));
                                break;
                            }
                            line(format_args!("{} checks", name(seat)));
                        }
                    }
                }
                Step::Act { seat, did, added, .. } => {
                    ask(stage, &committed);
                    committed[seat.index()] += added;
                    let who = name(seat);
                    match did {
                        ActionTaken::Fold => line(format_args!("{who} folds")),
                        ActionTaken::Check => line(format_args!("{who} checks")),
                        ActionTaken::Call => line(format_args!("{who} calls")),
                        ActionTaken::Bet => line(format_args!("{who} bets {added}")),
                        ActionTaken::Raise { to, .. } => {
                            line(format_args!("{who} raises to {to}"));
                        }
                    }
                }
            }
        }
        if record.public.is_showdown() {
            for &seat in &seats {
                let put = |card: &&Card| def.discards && record.public.board().contains(card);
                let hole = record.hole[seat].iter().filter(|card| !put(card));
                let kept: Vec<Card> = hole.copied().collect();
                line(format_args!("{} shows [{}]", name(seat), spaced(&kept)));
            }
        }
        for &seat in &seats {
            line(format_args!("{} awarded {}", name(seat), record.payoffs[seat]));
        }
        for &seat in &seats {
            let entrant = usize::from(record.entrants[seat]);
            if let Some(bank) = banks.get_mut(entrant) {
                *bank += record.payoffs[seat];
            }
            if let Some(sums) = sums.get_mut(entrant) {
                sums.end_round(record.payoffs[seat]);
            }
        }
        if let [first, second] = seats[..] {
            *last = [second, first].map(|seat| usize::from(record.entrants[seat]));
        }
    }

    /// Appends the sums after the last hand. The engine ends its file without a line end.
    pub fn write_end(&self, out: &mut String) {
        out.push_str("\nFinal");
        for &entrant in &self.last {
            let name = self.names.get(entrant).map_or("?", String::as_str);
            let bank = self.banks.get(entrant).copied().unwrap_or_default();
            write!(out, ", {name} ({bank})").expect(WRITTEN);
        }
        for &entrant in &self.last {
            let Some(StreetSums { sums, .. }) = self.sums.get(entrant) else { continue };
            let name = self.names.get(entrant).map_or("?", String::as_str);
            for (street, sum) in ["preflop", "flop", "turn"].into_iter().zip(sums) {
                write!(out, "\n{name} {street} bets EV: {sum}").expect(WRITTEN);
            }
        }
    }
}

fn spaced(cards: &[Card]) -> String {
    cards.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// A street's name at the beginning of its line.
const fn title(street: Street) -> &'static str {
    match street {
        Street::Preflop => "Preflop",
        Street::Flop => "Flop",
        Street::Turn => "Turn",
        Street::River => "River",
    }
}

/// Whether a file that begins with this line is of this format.
pub(super) fn is_start(line: &str) -> bool {
    line.split_once(" Pokerbots - ").is_some_and(|(_, names)| names.contains(" vs "))
        || line.strip_prefix("Round #").is_some_and(|rest| {
            rest.split_once(", ").is_some_and(|(number, names)| {
                number.bytes().all(|digit| digit.is_ascii_digit()) && two_banks(names).is_some()
            })
        })
}

/// Parses a file's text: the hands with the names by seat, or an error for each that cannot be
/// read.
pub(super) fn read(text: &str) -> SiteHands {
    let mut file = File::default();
    let mut begun = false;
    for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
        let line = line.trim_end();
        let rest = line.strip_prefix("Round #").map(|rest| (true, rest));
        match rest.or_else(|| line.strip_prefix("Final, ").map(|rest| (false, rest))) {
            Some((true, rest)) => {
                file.close(false);
                file.open(number, rest);
                begun = true;
            }
            Some((false, rest)) => {
                file.close(false);
                file.end(number, rest);
            }
            // Another game in the same file.
            None if is_start(line) => {
                file.close(false);
                file.banks.clear();
            }
            None if line.is_empty() => {}
            None if begun => file.line(number, line),
            None => file.refuse(number, line, NOT_UNDERSTOOD.into()),
        }
    }
    file.close(true);
    file.found
}

const NOT_UNDERSTOOD: &str = "this is not understood";

/// A file of which some lines have been read.
#[derive(Default)]
struct File {
    found: SiteHands,
    shared: Option<Arc<GameDef>>,
    /// The players by first appearance, whose places are their seats at the table.
    names: Vec<String>,
    /// The sums of the players so far, by name; empty where they are not known.
    banks: Vec<(String, i64)>,
    round: Option<Round>,
}

/// A round of which some lines have been read.
struct Round {
    /// Its number, and the number of its first line.
    number: u64,
    line: u64,
    /// The names: the small blind's first.
    names: [String; 2],
    start: Option<Start>,
    hand: Option<TableHand>,
    /// The number of checks on this street since nobody can bet any more.
    checks: usize,
    awarded: [Option<i64>; 2],
    /// Whether a line could not be read: the round is told and left out.
    refused: bool,
}

impl File {
    fn refuse(&mut self, number: u64, line: &str, refusal: Refusal) {
        let line: String = line.chars().take(100).collect();
        self.found.hands.push(Err(refusal.at_place(&format!("`{line}`")).error(FORMAT, number)));
    }

    /// Begins a round: `17, A (-4), B (4)`.
    fn open(&mut self, line: u64, rest: &str) {
        let title = format!("Round #{rest}");
        let parsed = rest.split_once(", ").and_then(|(number, players)| {
            let number = number.parse::<u64>().ok().filter(|&number| number > 0)?;
            Some((number, two_banks(players)?))
        });
        let Some((number, banks)) = parsed else {
            return self.refuse(line, &title, NOT_UNDERSTOOD.into());
        };
        self.found.number(&number.to_string(), line);
        if let Err(refusal) = self.check_banks(&banks) {
            self.refuse(line, &title, refusal);
        }
        self.banks = banks.map(|(name, bank)| (name.to_owned(), bank)).to_vec();
        let names = banks.map(|(name, _)| name.to_owned());
        let players = names.clone().map(|name| {
            let known = self.names.iter().position(|known| *known == name);
            let place = known.unwrap_or_else(|| {
                self.names.push(name.clone());
                self.names.len() - 1
            });
            SeatedPlayer { seat: place as u64, name, stack: STACK }
        });
        let button = players[0].seat;
        let (players, posts) = (players.to_vec(), [None; 2]);
        let betting = Betting::NoLimit;
        let start = Start { betting, sizes: BLINDS, button, players, posts };
        self.round = Some(Round {
            number,
            line,
            names,
            start: Some(start),
            hand: None,
            checks: 0,
            awarded: [None; 2],
            refused: false,
        });
    }

    /// Takes in a line within a round.
    fn line(&mut self, number: u64, line: &str) {
        let Some(round) = self.round.as_mut().filter(|round| !round.refused) else { return };
        if let Err(refusal) = round.take(line, &mut self.shared) {
            round.refused = true;
            self.refuse(number, line, refusal);
        }
    }

    /// Ends the round in play; `last` if the file ends with it.
    fn close(&mut self, last: bool) {
        let Some(round) = self.round.take() else { return };
        if round.refused {
            self.banks.clear();
            return;
        }
        let ends = round.awarded.iter().all(Option::is_some);
        for (name, awarded) in round.names.iter().zip(round.awarded) {
            let bank = self.banks.iter_mut().find(|(known, _)| known == name);
            if let (Some((_, bank)), Some(awarded)) = (bank, awarded) {
                *bank = bank.saturating_add(awarded);
            }
        }
        let finished = match round.hand.filter(|_| ends) {
            Some(hand) => hand.finish(round.number - 1),
            None => Err("the round does not end".into()),
        };
        self.found.hands.push(finished.map_err(|refusal| ReadError {
            cut: last && !ends,
            ..refusal.error(FORMAT, round.line)
        }));
    }

    /// Checks the sums at the end of a game.
    fn end(&mut self, number: u64, rest: &str) {
        let checked = match two_banks(rest) {
            Some(banks) => self.check_banks(&banks),
            None => Err(NOT_UNDERSTOOD.into()),
        };
        if let Err(refusal) = checked {
            self.refuse(number, &format!("Final, {rest}"), refusal);
        }
        self.banks.clear();
    }

    fn check_banks(&self, banks: &[(&str, i64); 2]) -> Result<(), Refusal> {
        for &(name, bank) in banks {
            let known = self.banks.iter().find(|(known, _)| known == name);
            if let Some(&(_, sum)) = known.filter(|&&(_, sum)| sum != bank) {
                return Err(format!("the results of {name} add up to {sum} before it").into());
            }
        }
        Ok(())
    }
}

impl Round {
    fn take(&mut self, line: &str, shared: &mut Option<Arc<GameDef>>) -> Result<(), Refusal> {
        for street in [Street::Flop, Street::Turn, Street::River] {
            let rest = line.strip_prefix(title(street)).and_then(|rest| rest.strip_prefix(" ["));
            if let Some((cards, amounts)) = rest.and_then(|rest| rest.split_once(']')) {
                return self.deal(street, cards, amounts);
            }
        }
        // One name may be the beginning of the other.
        let said = |player: usize| {
            let rest = line.strip_prefix(self.names[player].as_str())?.strip_prefix(' ')?;
            Said::parse(rest).map(|said| (player, said))
        };
        let (player, said) = said(0).or_else(|| said(1)).ok_or(NOT_UNDERSTOOD)?;
        self.said(player, said, shared)
    }

    fn said(
        &mut self,
        player: usize,
        said: Said<'_>,
        shared: &mut Option<Arc<GameDef>>,
    ) -> Result<(), Refusal> {
        if let Said::Posts(amount) = said {
            let start = self.start.as_mut().ok_or("the cards are dealt already")?;
            return start.post(player == 1, player, chips(amount, 1)?);
        }
        if let (Said::Dealt(_), Some(start)) = (&said, self.start.take()) {
            if start.posts.map(|post| post.map(|(_, chips)| chips)) != BLINDS.map(Some) {
                let [small, big] = BLINDS;
                let reason = format!(
                    "only the base game is read, with blinds of {small} and {big} and {STACK} chips"
                );
                return Err(Refusal::unsupported("with other blinds", reason));
            }
            self.hand = Some(start.begin(shared)?);
        }
        let Round { hand, checks, awarded, .. } = self;
        let hand = hand.as_mut().ok_or("no cards have been dealt")?;
        let runs_out = hand.runs_out();
        let mut act = |did, added| hand.act(player, did, added, false);
        match said {
            Said::Posts(_) | Said::Refused => {}
            Said::Dealt(cards) | Said::Shows(cards) => {
                hand.show(player, two_cards(cards.split(' '))?)?;
            }
            Said::Folds => act(ActionTaken::Fold, None)?,
            Said::Calls => act(ActionTaken::Call, None)?,
            Said::Bets(amount) => act(ActionTaken::Bet, Some(chips(amount, 1)?))?,
            Said::Raises(amount) => {
                let did = hand.raise_to(player, chips(amount, 1)?);
                hand.act(player, did, None, false)?;
            }
            Said::Checks if runs_out => {
                // The big blind is asked first.
                if [1, 0].get(*checks) != Some(&player) {
                    return Err("this check after an all-in is not due".into());
                }
                *checks += 1;
            }
            Said::Checks => act(ActionTaken::Check, None)?,
            Said::Awarded(chips) => {
                if awarded[player].replace(chips).is_some() {
                    return Err("this player's result is told twice".into());
                }
                let put_in = i64::from(hand.committed(player));
                hand.win(player, Payoff::from_chips(put_in.saturating_add(chips)));
            }
        }
        Ok(())
    }

    fn deal(&mut self, street: Street, cards: &str, amounts: &str) -> Result<(), Refusal> {
        let hand = self.hand.as_mut().ok_or("no cards have been dealt")?;
        if let Turn::Deal(due) = hand.public().turn()
            && due != street
        {
            return Err(format!("the cards of the {due} are due here").into());
        }
        let board = cards.split(' ').map(str::parse::<Card>).collect::<Result<Vec<_>, _>>();
        let board = board.map_err(|error| error.to_string())?;
        let known = hand.public().board();
        let new = board.strip_prefix(&known[..]);
        let new = new.ok_or_else(|| format!("the board was {known} before"))?;
        hand.deal(new)?;
        self.checks = 0;
        let [a, b] = [0, 1].map(|player| (&self.names[player], hand.committed(player)));
        let expected = format!(", {} ({}), {} ({})", a.0, a.1, b.0, b.1);
        if amounts != expected {
            return Err(format!("by the rules this ends with `{}`", &expected[2..]).into());
        }
        Ok(())
    }
}

/// What a line says after a player's name.
#[derive(Debug, Clone, Copy)]
enum Said<'a> {
    Posts(&'a str),
    Dealt(&'a str),
    Folds,
    Checks,
    Calls,
    Bets(&'a str),
    Raises(&'a str),
    Shows(&'a str),
    Awarded(i64),
    /// The engine did not take the player's answer, or did not get one.
    Refused,
}

impl Said<'_> {
    fn parse(text: &str) -> Option<Said<'_>> {
        match text {
            "folds" => return Some(Said::Folds),
            "checks" => return Some(Said::Checks),
            "calls" => return Some(Said::Calls),
            "ran out of time" | "disconnected" => return Some(Said::Refused),
            _ => {}
        }
        if let Some(amount) = text.strip_prefix("posts the blind of ") {
            return Some(Said::Posts(amount));
        }
        if let Some(amount) = text.strip_prefix("raises to ") {
            return Some(Said::Raises(amount));
        }
        if let Some(amount) = text.strip_prefix("bets ") {
            return Some(Said::Bets(amount));
        }
        if let Some(list) = text.strip_prefix("dealt [") {
            return list.strip_suffix(']').map(Said::Dealt);
        }
        if let Some(list) = text.strip_prefix("shows [") {
            return list.strip_suffix(']').map(Said::Shows);
        }
        if let Some(amount) = text.strip_prefix("awarded ") {
            return whole(amount).map(Said::Awarded);
        }
        let refused =
            text.starts_with("attempted illegal ") || text.starts_with("response misformatted:");
        refused.then_some(Said::Refused)
    }
}

/// A whole number of chips, at most what a record can hold.
fn whole(text: &str) -> Option<i64> {
    parse_payoff(text).filter(|payoff| payoff.parts() % Payoff::PER_CHIP == 0)?;
    text.parse().ok()
}

/// Two names with an amount each: `A (-4), B (4)`.
fn two_banks(text: &str) -> Option<[(&str, i64); 2]> {
    let bank = |text: &'_ str| -> Option<(usize, i64)> {
        let (name, amount) = text.strip_suffix(')')?.rsplit_once(" (")?;
        Some((name.len(), whole(amount)?)).filter(|&(length, _)| length > 0)
    };
    text.match_indices("), ").find_map(|(end, _)| {
        let (first, second) = (&text[..=end], &text[end + 3..]);
        let ((a, chips_a), (b, chips_b)) = (bank(first)?, bank(second)?);
        let [a, b] = [&first[..a], &second[..b]];
        (a != b).then_some([(a, chips_a), (b, chips_b)])
    })
}
