//! Hands as sentences: actions, the events since the client's last action, and the result.

use cards::{Card, evaluate};
use game::{Action, PublicState, Seat, Street};
use protocol::slumbot::Incr;
use protocol::slumbot::action::board_order;
use show::number::decimal;

use super::showdown::{better_by, hand_name};
use crate::web::show::CardText;

/// An action of a hand in words.
pub struct Step {
    /// The player's seat.
    pub seat: Seat,
    /// The street of the action.
    pub street: Street,
    /// In the third person: `raises to 300`.
    pub they: String,
    /// In the second person: `raise to 300`.
    pub you: String,
}

/// All actions of a hand in order.
pub fn steps(public: &PublicState) -> Vec<Step> {
    let mut state = PublicState::new(public.def());
    let mut steps = Vec::with_capacity(public.history().len());
    for played in public.history() {
        let (verb, rest) = action_words(played.action, &state);
        steps.push(Step {
            seat: played.seat,
            street: played.street,
            they: format!("{verb}s{rest}"),
            you: format!("{verb}{rest}"),
        });
        // The action was played in this state, and these cards were dealt.
        if state.apply(played.action).is_err() {
            break;
        }
        let _ = state.deal_from(&public.board());
    }
    steps
}

/// An action as a verb and the rest of the phrase.
pub fn action_words(action: Action, state: &PublicState) -> (&'static str, String) {
    let chips = |n: u32| decimal(f64::from(n), 0);
    let game::Turn::Act(seat) = state.turn() else { return ("act", String::new()) };
    let all_in = |whole: bool| if whole { ", all-in" } else { "" };
    let street = |seat| state.committed_street(seat);
    let bet = state.def().seats().any(|seat| street(seat) > 0);
    match (action, Incr::of(action, state)) {
        (Action::Call, Incr::Call) => {
            let owed = state.legal().to_call;
            ("call", format!(" {}{}", chips(owed), all_in(owed == state.stack(seat))))
        }
        (Action::RaiseTo(total), Incr::BetTo(to)) => {
            let whole = total == state.committed()[seat] + state.stack(seat);
            let (verb, sign) = if bet { ("raise", " to ") } else { ("bet", " ") };
            (verb, format!("{sign}{}{}", chips(to), all_in(whole)))
        }
        (Action::Fold, _) => ("fold", String::new()),
        _ => ("check", String::new()),
    }
}

/// The events since the client's last action, as sentences; empty if nothing did.
pub fn since_last(public: &PublicState, client: Seat, agent: &str) -> String {
    let steps = steps(public);
    let from = steps.iter().rposition(|step| step.seat == client);
    let mut street = from.map_or(Street::Preflop, |at| steps[at].street);
    let mut sentences = Vec::new();
    for step in &steps[from.map_or(0, |at| at + 1)..] {
        if step.street != street {
            street = step.street;
            sentences.push(dealt(public, street));
        }
        sentences.push(format!("{agent} {}.", step.they));
    }
    if public.street() != street && public.turn() != game::Turn::Over {
        sentences.push(dealt(public, public.street()));
    }
    sentences.join(" ")
}

/// The cards of a street, such as `Flop Q♠ 7♥ 2♣.`
fn dealt(public: &PublicState, street: Street) -> String {
    let def = public.def();
    let board = board_order(public.board());
    let before = street.index().checked_sub(1).and_then(|index| Street::ALL.get(index));
    let from = before.map_or(0, |&street| def.board_len(street));
    let cards = board.get(from..def.board_len(street)).unwrap_or_default();
    format!("{} {}.", street_name(street), card_signs(cards))
}

/// The name of a street at the beginning of a sentence.
pub fn street_name(street: Street) -> &'static str {
    match street {
        Street::Preflop => "Before the flop",
        Street::Flop => "Flop",
        Street::Turn => "Turn",
        Street::River => "River",
    }
}

/// The end of a finished hand from the client's view, without the amount.
pub fn ending(public: &PublicState, client: Seat, cards: [&[Card]; 2], agent: &str) -> String {
    if !public.is_showdown() {
        return match public.folded().contains(client) {
            true => "You fold.".to_owned(),
            false => format!("{agent} folds."),
        };
    }
    let rank = |hole: &[Card]| evaluate(hole.iter().chain(&*public.board()).copied().collect());
    let [ours, theirs] = cards.map(rank);
    let (yours, its) = (hand_name(ours), hand_name(theirs));
    if ours == theirs {
        return format!("You split: both have {yours}.");
    }
    let won = ours > theirs;
    let whose = if won { "your".to_owned() } else { format!("{agent}'s") };
    match better_by(ours.max(theirs), ours.min(theirs), &whose) {
        Some(why) if won => format!("Y{}.", &why[1..]),
        Some(why) => format!("{why}."),
        None => format!("You have {yours}, {agent} has {its}."),
    }
}

/// The client's result: `You win 300`, `You lose 1,200`, `Nobody wins`.
pub fn outcome(winnings: i64) -> String {
    let chips = decimal(winnings.unsigned_abs() as f64, 0);
    match winnings.signum() {
        1 => format!("You win {chips}"),
        -1 => format!("You lose {chips}"),
        _ => "Nobody wins".to_owned(),
    }
}

/// Cards with suit signs: `Q♠ 7♥ 2♣`.
pub fn card_signs(cards: &[Card]) -> String {
    let sign = |card: &Card| format!("{}{}", rank_text(*card), suit_sign(*card));
    cards.iter().map(sign).collect::<Vec<_>>().join(" ")
}

/// Cards with suit signs, one by one.
pub fn card_texts(cards: &[Card]) -> Vec<CardText> {
    let text = |card: &Card| CardText { text: card_signs(&[*card]), suit: card.suit().to_char() };
    cards.iter().map(text).collect()
}

/// A card's rank as written on the page.
pub fn rank_text(card: Card) -> String {
    match card.rank().to_char() {
        'T' => "10".to_owned(),
        other => other.to_string(),
    }
}

fn suit_sign(card: Card) -> char {
    match card.suit().to_char() {
        's' => '♠',
        'h' => '♥',
        'd' => '♦',
        _ => '♣',
    }
}

/// A card's name: `queen of spades`.
pub fn card_name(card: Card) -> String {
    const RANKS: [&str; 13] = [
        "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen",
        "king", "ace",
    ];
    const SUITS: [&str; 4] = ["clubs", "diamonds", "hearts", "spades"];
    let rank = RANKS[usize::from(card.rank().index())];
    format!("{rank} of {}", SUITS[usize::from(card.suit().index())])
}
