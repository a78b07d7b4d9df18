//! Reader of Open Hand History (<https://hh-specs.handhistory.org>), of any program that writes it.
//!
//! Hold'em, no-limit and limit, without antes, straddles and dead blinds. Amounts of a currency are
//! in hundredths of its unit, so that 100 chips are $1; those without one (`XXX`), and those of
//! tournaments, are chips. A field that is not of the format is an error, and so is everything in
//! it that a record cannot hold and that would change the hand. Every amount is checked by the
//! rules. In limit games the bets are once and twice the big blind, as the format names no others.

use std::sync::Arc;

use cards::HoleCards;
use game::{Betting, Chips, GameDef, GameSpec, Payoff, Turn};
use serde::de::IgnoredAny;
use serde_json::Number;

use super::table_hand::{Player, RAKE, Refusal, Start, TableHand, chips, code};
use super::{SiteHand, SiteHands};
use crate::export::ReadError;
use crate::export::ohh::{Action, FORMAT, Hand, Line};
use crate::export::steps::ActionTaken;

/// Whether a file that begins with these bytes is of this format.
pub(super) fn is_start(text: &str) -> bool {
    let rest = text.trim_start_matches('\u{feff}').trim_start().strip_prefix('{');
    rest.is_some_and(|rest| rest.trim_start().starts_with("\"ohh\""))
}

/// Parses a file's text: the hands with the names by seat, or an error for each that cannot be
/// read.
///
/// Hands of the same game share its definition.
pub(super) fn read(text: &str) -> SiteHands {
    let text = text.trim_start_matches('\u{feff}');
    let (mut found, mut shared) = (SiteHands::default(), None);
    let (mut at, mut first, mut counted) = (0, 1, 0);
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        first += text[counted..at].matches('\n').count() as u64;
        counted = at;
        let mut lines = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Line<'_>>();
        let Some(read) = lines.next() else { return found };
        let number = found.hands.len() as u64;
        let hand = match read {
            Ok(Line { ohh }) => {
                at += lines.byte_offset();
                let money = Money::of(&ohh);
                if money.as_ref().is_ok_and(|money| money.scale > 1) {
                    found.money.insert(format!("1 {}", ohh.currency));
                }
                found.number(&ohh.game_number, first);
                let hand = money.and_then(|money| hand(&ohh, number, money, &mut shared));
                hand.map_err(|refusal| refusal.error(FORMAT, first))
            }
            Err(error) => {
                let rest = &text[at..];
                let mut skipped = serde_json::Deserializer::from_str(rest).into_iter();
                let whole = matches!(skipped.next(), Some(Ok(IgnoredAny)));
                let next = rest.find("\n{").map(|at| at + 1);
                let cut = error.is_eof() && next.is_none();
                at += if whole { skipped.byte_offset() } else { next.unwrap_or(rest.len()) };
                let line = first + error.line() as u64 - 1;
                Err(ReadError { cut, ..ReadError::new(FORMAT, line, error.to_string()) })
            }
        };
        found.hands.push(hand);
    }
}

/// Replays a hand; `index` is its number in the file.
fn hand(
    hand: &Hand<'_>,
    index: u64,
    money: Money,
    shared: &mut Option<Arc<GameDef>>,
) -> Result<SiteHand, Refusal> {
    let sizes = [&hand.small_blind_amount, &hand.big_blind_amount];
    let [small, big] = [money.chips(sizes[0])?, money.chips(sizes[1])?];
    let (betting, sizes) = match &*hand.bet_limit.bet_type {
        "NL" => (Betting::NoLimit, [small, big]),
        "FL" => (Betting::Limit, [big, big.saturating_mul(2)]),
        other => {
            let reason = format!("bet_type `{other}` is not supported: NL and FL are");
            return Err(Refusal::unsupported("of other games", reason));
        }
    };
    let (mut ids, mut players) = (Vec::new(), Vec::new());
    for player in hand.players.iter().filter(|player| player.is_sitting_out != Some(true)) {
        if ids.contains(&player.id) {
            return Err(format!("two players have the id {}", player.id).into());
        }
        ids.push(player.id);
        players.push(Player {
            seat: player.seat,
            name: player.name.clone().into_owned(),
            stack: money.chips(&player.starting_stack)?,
        });
    }
    let player = |id: u64| {
        let place = ids.iter().position(|&known| known == id);
        place.ok_or_else(|| format!("no player who is dealt in has the id {id}"))
    };
    let at = |action: &Action<'_>, refusal: Refusal| {
        refusal.at(&format!("action {}, `{}`", action.action_number, action.action))
    };
    let button = hand.dealer_seat;
    let mut start = Start { betting, sizes, button, players, posts: [None; 2] };
    let posts = |action: &&Action<'_>| matches!(&*action.action, "Post SB" | "Post BB");
    for action in hand.rounds.iter().take(1).flat_map(|round| &round.actions).filter(posts) {
        let big = action.action == "Post BB";
        let posted = (|| start.post(big, player(action.player_id)?, money.added(action)?))();
        posted.map_err(|refusal| at(action, refusal))?;
    }
    let mut table = start.begin(shared)?;
    for (number, round) in hand.rounds.iter().enumerate() {
        let name = &*round.street;
        match table.public().turn() {
            _ if number == 0 && name == "Preflop" && round.cards.0.is_empty() => {}
            _ if number > 0 && name == "Showdown" && round.cards.0.is_empty() => {}
            Turn::Deal(street) if street.name().eq_ignore_ascii_case(name) => {
                table.deal(&round.cards.0).map_err(|reason| format!("{name}: {reason}"))?;
            }
            _ => return Err(format!("a round `{name}` cannot be here").into()),
        }
        for action in round.actions.iter().filter(|action| number > 0 || !posts(action)) {
            // Who comes and goes does not play.
            if !matches!(&*action.action, "Sits Down" | "Stands Up") {
                let done = player(action.player_id).map_err(Refusal::from);
                let done = done.and_then(|who| act(&mut table, who, action, money));
                done.map_err(|refusal| at(action, refusal))?;
            }
        }
    }
    for pot in &hand.pots {
        let mut paid = Payoff::ZERO;
        for win in &pot.player_wins {
            let won = money.won(&win.win_amount)?;
            paid += won;
            table.win(player(win.player_id)?, won);
            for (what, amount) in [
                ("cashout_amount", &win.cashout_amount),
                ("cashout_fee", &win.cashout_fee),
                ("bonus_amount", &win.bonus_amount),
                ("contributed_rake", &win.contributed_rake),
            ] {
                money.nothing(what, amount.as_ref())?;
            }
        }
        money.nothing("rake", pot.rake.as_ref())?;
        money.nothing("jackpot", pot.jackpot.as_ref())?;
        let amount = money.won(&pot.amount)?;
        if amount != paid {
            return Err(format!("of a pot of {amount} chips {paid} are won").into());
        }
    }
    // Numbers that do not end in digits are of no use here.
    let digits = hand.game_number.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let number = hand.game_number[digits..].parse().ok().filter(|&number: &u64| number < 1 << 32);
    table.finish(number.unwrap_or(index))
}

/// Plays an action, or notes the cards of one.
fn act(
    table: &mut TableHand,
    player: usize,
    action: &Action<'_>,
    money: Money,
) -> Result<(), Refusal> {
    let added = || money.added(action);
    let (did, added) = match &*action.action {
        "Fold" => (ActionTaken::Fold, None),
        "Check" => (ActionTaken::Check, None),
        "Call" => (ActionTaken::Call, Some(added()?)),
        "Bet" => (ActionTaken::Bet, Some(added()?)),
        "Raise" => (table.raise_by(player, added()?), None),
        "Dealt Cards" | "Shows Cards" | "Mucks Cards" => {
            money.nothing("amount", action.amount.as_ref())?;
            return match action.cards.0[..] {
                [] => Ok(()),
                // One alone is not kept.
                [_] if action.action == "Shows Cards" => Ok(()),
                [a, b] if a != b => {
                    let cards = HoleCards::new(&[a, b]);
                    Ok(table.show(player, cards.expect("two are few enough"))?)
                }
                _ => Err("these are not two cards".into()),
            };
        }
        other => {
            let kind = match other {
                "Post Ante" | "Straddle" | "Post Dead" | "Post Extra Blind" => {
                    "with antes, straddles or dead blinds"
                }
                _ => return Err("this action is not known here".into()),
            };
            return Err(Refusal::unsupported(kind, "this is not supported"));
        }
    };
    if matches!(did, ActionTaken::Fold | ActionTaken::Check) {
        money.nothing("amount", action.amount.as_ref())?;
    }
    Ok(table.act(player, did, added, action.is_allin == Some(true))?)
}

/// The unit of a hand's amounts.
#[derive(Debug, Clone, Copy)]
struct Money {
    /// The chips that one unit is.
    scale: u32,
}

impl Money {
    /// The unit of a hand; an error where the hand is of a kind that is not supported.
    fn of(hand: &Hand<'_>) -> Result<Money, Refusal> {
        let currency = &*hand.currency;
        if !code(currency) {
            let reason = format!("the currency `{currency}` is not a code of three letters");
            return Err(reason.into());
        }
        let money = Money { scale: if hand.tournament || currency == "XXX" { 1 } else { 100 } };
        if hand.game_type != "Holdem" {
            let reason = format!("game_type `{}` is not supported: Holdem is", hand.game_type);
            return Err(Refusal::unsupported("of other games", reason));
        }
        money.nothing("bet_cap", hand.bet_limit.bet_cap.as_ref())?;
        money.nothing("ante_amount", hand.ante_amount.as_ref())?;
        let mut flags = hand.flags.iter().flatten();
        match flags.find(|flag| !["Observed", "Anonymous", "Fast"].contains(&flag.as_ref())) {
            Some(flag) => {
                let reason = format!("the flag `{flag}` is not supported");
                Err(Refusal::unsupported("dealt in unusual ways", reason))
            }
            None => Ok(money),
        }
    }

    fn chips(self, amount: &Number) -> Result<Chips, String> {
        chips(&amount.to_string(), self.scale)
    }

    /// The chips that an action puts in.
    fn added(self, action: &Action<'_>) -> Result<Chips, String> {
        self.chips(action.amount.as_ref().ok_or("the amount is missing")?)
    }

    /// What a pot pays, which may be parts of a chip.
    fn won(self, amount: &Number) -> Result<Payoff, String> {
        let chips = amount.as_f64().unwrap_or(f64::NAN) * f64::from(self.scale);
        if !(0.0..=10.0 * f64::from(GameSpec::MAX_STACK)).contains(&chips) {
            return Err(format!("`{amount}` is not an amount that a pot can pay"));
        }
        Ok(Payoff::from_parts((chips * Payoff::PER_CHIP as f64).round() as i64))
    }

    /// Checks an amount that must be 0.
    fn nothing(self, what: &str, amount: Option<&Number>) -> Result<(), Refusal> {
        let kind = match what {
            "ante_amount" => "with antes, straddles or dead blinds",
            "bet_cap" => "of other games",
            _ => RAKE,
        };
        match amount.and_then(Number::as_f64) {
            Some(found) if found != 0.0 => {
                Err(Refusal::unsupported(kind, format!("{what} {found} is not supported")))
            }
            _ => Ok(()),
        }
    }
}
