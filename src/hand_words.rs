//! Hands as sentences: actions, the events since the client's last action, the result, and what a
//! showdown was decided by: `oct's pair of kings has the better kicker, ace against queen`.

use cards::Category::{
    Flush, FourOfAKind, FullHouse, HighCard, Pair, Straight, StraightFlush, ThreeOfAKind, TwoPair,
};
use cards::{Card, HandRank, evaluate};
use game::{Action, Chips, GameDef, PublicState, Seat, Street};
use protocol::slumbot::Incr;
use protocol::slumbot::action::board_order;
use show::number::decimal;

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

/// All actions of a hand in order, with amounts in chips.
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

/// An action as a verb and the rest of the phrase, with amounts in chips.
pub fn action_words(action: Action, state: &PublicState) -> (&'static str, String) {
    action_words_in(action, state, &|chips| decimal(f64::from(chips), 0))
}

/// An action as a verb and the rest of the phrase, with amounts as `amount` writes them.
pub fn action_words_in(
    action: Action,
    state: &PublicState,
    amount: &dyn Fn(Chips) -> String,
) -> (&'static str, String) {
    let game::Turn::Act(seat) = state.turn() else { return ("act", String::new()) };
    let all_in = |whole: bool| if whole { ", all-in" } else { "" };
    let street = |seat| state.committed_street(seat);
    // Where the blinds are the same for all they are antes, and no bet.
    let blinds = &state.def().blinds;
    let antes = state.street() == Street::Preflop && blinds.iter().all(|&blind| blind == blinds[0]);
    let ante = if antes { blinds[0] } else { 0 };
    let bet = state.def().seats().any(|seat| street(seat) > ante);
    match (action, Incr::from_action(action, state)) {
        (Action::Call, Incr::Call) => {
            let owed = state.legal().to_call;
            ("call", format!(" {}{}", amount(owed), all_in(owed == state.stack(seat))))
        }
        (Action::RaiseTo(total), Incr::BetTo(to)) => {
            let whole = total == state.committed()[seat] + state.stack(seat);
            let (verb, sign) = if bet { ("raise", " to ") } else { ("bet", " ") };
            (verb, format!("{sign}{}{}", amount(to.saturating_sub(ante)), all_in(whole)))
        }
        (Action::Fold, _) => ("fold", String::new()),
        _ => ("check", String::new()),
    }
}

/// A text of betting in ACPC notation in words, street by street, with amounts in big blinds:
/// `raise to 2.5, call; check, bet 1.65`. A raise without a number is one of any size.
pub fn line_in_words(line: &str, def: &GameDef) -> String {
    let level = def.blinds.iter().copied().max().unwrap_or_default();
    // Before the flop a larger blind is a bet, which its owner may check.
    let (mut bet, mut level, mut before) =
        (def.blinds.iter().any(|&blind| blind < level), level, 0);
    let mut streets = Vec::new();
    for street in line.split('/') {
        let mut calls = 0;
        let mut words = Vec::new();
        let mut rest = street;
        while let Some(letter) = rest.chars().next() {
            rest = &rest[letter.len_utf8()..];
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let amount = rest[..digits].parse::<Chips>().ok();
            rest = &rest[digits..];
            let size = |sign: &str| {
                amount.map_or_else(String::new, |total| {
                    let chips = f64::from(total.saturating_sub(before));
                    format!("{sign}{}", in_blinds(chips, def.big_blind()))
                })
            };
            words.push(match letter {
                'f' => "fold".to_owned(),
                'c' if bet && calls + 1 < def.players => "call".to_owned(),
                'c' => "check".to_owned(),
                'r' if bet => format!("raise{}", size(" to ")),
                'r' => format!("bet{}", size(" ")),
                other => other.to_string(),
            });
            match letter {
                'c' => calls += 1,
                'r' => (bet, calls, level) = (true, 0, amount.unwrap_or(level)),
                _ => {}
            }
        }
        (bet, before) = (false, level);
        streets.push(words.join(", "));
    }
    while streets.last().is_some_and(String::is_empty) {
        streets.pop();
    }
    streets.join("; ")
}

/// A note of an agent with the betting that it names in words, as in `after raise to 2.5, call`.
pub fn note_in_words(note: &str, def: &GameDef) -> String {
    let betting = |word: &str| {
        let letters =
            word.chars().all(|c| matches!(c, 'f' | 'c' | 'r' | '/') || c.is_ascii_digit());
        letters
            && word.starts_with(['c', 'r'])
            && word.contains(|c: char| c.is_ascii_digit() || c == '/')
            || word == "c"
            || word == "cc"
    };
    let mut last = "";
    let words = note.split(' ').map(|word| {
        let core = word.trim_end_matches([',', ';', '.', ':']);
        let named = last == "after" && betting(core);
        last = word;
        if named { line_in_words(core, def) + &word[core.len()..] } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Chips in big blinds, with as many decimals as it takes, at most two: `2.5`, `0.75`, `100`.
pub fn in_blinds(chips: f64, big_blind: Chips) -> String {
    let text = decimal(chips / f64::from(big_blind.max(1)), 2);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The betting from the view of one seat, a line for each street on which somebody acted or, at a
/// showdown, cards were dealt: `Flop Q♠ 7♥ 2♣: you bet 200, equity calls 200.`
pub fn street_lines(public: &PublicState, client: Seat, agent: &str) -> Vec<String> {
    let steps = steps(public);
    let mut lines = Vec::new();
    for street in Street::ALL {
        let said = steps.iter().filter(|step| step.street == street).map(|step| {
            if step.seat == client {
                format!("you {}", step.you)
            } else {
                format!("{agent} {}", step.they)
            }
        });
        let said: Vec<String> = said.collect();
        let dealt = public.board().len() >= public.def().board_len(street);
        if dealt && (!said.is_empty() || public.is_showdown()) {
            lines.push(street_line(public, street, &said));
        }
    }
    lines
}

fn street_line(public: &PublicState, street: Street, said: &[String]) -> String {
    let cards = card_signs(&street_cards(public, street));
    let name = street_name(street);
    let head = if cards.is_empty() { name.to_owned() } else { format!("{name} {cards}") };
    if said.is_empty() { format!("{head}.") } else { format!("{head}: {}.", said.join(", ")) }
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
    format!("{} {}.", street_name(street), card_signs(&street_cards(public, street)))
}

/// The board cards of a street, as far as they are dealt.
pub fn street_cards(public: &PublicState, street: Street) -> Vec<Card> {
    let def = public.def();
    let board = board_order(public.board());
    let before = street.index().checked_sub(1).and_then(|index| Street::ALL.get(index));
    let from = before.map_or(0, |&street| def.board_len(street));
    board.get(from..def.board_len(street)).unwrap_or_default().to_vec()
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
        return if public.folded().contains(client) {
            "You fold.".to_owned()
        } else {
            format!("{agent} folds.")
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

/// The total over the whole hand of a bet of this fraction of the pot, after the call that is due.
pub fn bet_of_pot(public: &PublicState, fraction: f64) -> game::Chips {
    let pot = public.pot() + u64::from(public.legal().to_call);
    public.highest() + (fraction * pot as f64).round() as game::Chips
}

/// Cards with suit signs: `Q♠ 7♥ 2♣`.
pub fn card_signs(cards: &[Card]) -> String {
    let sign = |card: &Card| format!("{}{}", rank_text(*card), suit_sign(card.suit().to_char()));
    cards.iter().map(sign).collect::<Vec<_>>().join(" ")
}

/// The sign of a suit.
pub fn suit_sign(suit: char) -> char {
    match suit {
        's' => '♠',
        'h' => '♥',
        'd' => '♦',
        'c' => '♣',
        other => other,
    }
}

/// A card's rank as written on the page.
pub fn rank_text(card: Card) -> String {
    match card.rank().to_char() {
        'T' => "10".to_owned(),
        other => other.to_string(),
    }
}

/// A card's name: `queen of spades`.
pub fn card_name(card: Card) -> String {
    const SUITS: [&str; 4] = ["clubs", "diamonds", "hearts", "spades"];
    let rank = one(card.rank().index().into());
    format!("{rank} of {}", SUITS[usize::from(card.suit().index())])
}

/// The ranks from the deuce up, with their plurals.
const RANKS: [(&str, &str); 13] = [
    ("two", "twos"),
    ("three", "threes"),
    ("four", "fours"),
    ("five", "fives"),
    ("six", "sixes"),
    ("seven", "sevens"),
    ("eight", "eights"),
    ("nine", "nines"),
    ("ten", "tens"),
    ("jack", "jacks"),
    ("queen", "queens"),
    ("king", "kings"),
    ("ace", "aces"),
];

/// A hand's ranks from the highest down, by the layout of [`HandRank`]: those that make its
/// category, and those that break ties.
fn ranks(rank: HandRank) -> [Vec<usize>; 2] {
    [rank.value() >> 13, rank.value()]
        .map(|mask| (0..RANKS.len()).rev().filter(|&rank| mask >> rank & 1 == 1).collect())
}

fn one(rank: usize) -> &'static str {
    RANKS[rank].0
}

fn many(rank: usize) -> &'static str {
    RANKS[rank].1
}

/// A hand with what it is made of, without kickers: `two pair, kings and fours`.
pub fn hand_name(rank: HandRank) -> String {
    let [made, rest] = ranks(rank);
    match (rank.category(), &*made, &*rest) {
        (HighCard, _, [top, ..]) => format!("{} high", one(*top)),
        (Pair, [pair], _) => format!("a pair of {}", many(*pair)),
        (TwoPair, [high, low], _) => format!("two pair, {} and {}", many(*high), many(*low)),
        (ThreeOfAKind, [three], _) => format!("three {}", many(*three)),
        (Straight, [top], _) => format!("a straight to the {}", one(*top)),
        (Flush, [top, ..], _) => format!("a flush to the {}", one(*top)),
        (FullHouse, [three], [two]) => {
            format!("a full house, {} full of {}", many(*three), many(*two))
        }
        (FourOfAKind, [four], _) => format!("four {}", many(*four)),
        (StraightFlush, [12], _) => "a royal flush".to_owned(),
        (StraightFlush, [top], _) => format!("a straight flush to the {}", one(*top)),
        // No hand has other ranks.
        (category, ..) => format!("{category:?}"),
    }
}

/// The better of two different hands and why it is, where both have the same category; `whose` is
/// its owner with an apostrophe: `your`, `oct's`. `None` where the names of the hands say it.
fn better_by(better: HandRank, worse: HandRank, whose: &str) -> Option<String> {
    if better.category() != worse.category() {
        return None;
    }
    let [made, rest] = ranks(better);
    let [other_made, other_rest] = ranks(worse);
    let differ = |one: &[usize], other: &[usize]| {
        one.iter().zip(other).find(|(one, other)| one != other).map(|(&one, &other)| (one, other))
    };
    let name = hand_name(better);
    let own = name.strip_prefix("a ").unwrap_or(&name);
    let against = |(a, b): (usize, usize)| format!("{} against {}", one(a), one(b));
    Some(match (better.category(), differ(&made, &other_made), differ(&rest, &other_rest)) {
        // Below the top card, the names of two flushes, or of two high cards, are the same.
        (Flush, Some(cards), _) if made[0] == other_made[0] => {
            format!("{whose} {own} has the better next card, {}", against(cards))
        }
        (HighCard, _, Some(cards)) if rest[0] == other_rest[0] => {
            format!("{whose} {own} has the better kicker, {}", against(cards))
        }
        (Pair, None, Some(cards)) => {
            format!("{whose} {own} has the better kicker, {}", against(cards))
        }
        (TwoPair, None, Some(cards)) => {
            format!("{whose} {own}, has the better kicker, {}", against(cards))
        }
        (ThreeOfAKind | FourOfAKind, None, Some(cards)) => {
            format!("{whose} {own} have the better kicker, {}", against(cards))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use cards::{Card, CardSet, HandRank, evaluate};

    use super::*;

    fn rank(cards: &str) -> HandRank {
        let cards: CardSet = cards.split(' ').map(|card| card.parse::<Card>().unwrap()).collect();
        evaluate(cards)
    }

    /// Seven cards of each category, their name, and the same category with the next lower hand.
    #[test]
    fn every_hand_says_what_it_is_made_of_and_what_decides() {
        for (better, worse, name, by) in [
            (
                "Ah Kd 9c 7s 5h 3d 2c",
                "Ah Qd 9c 7s 5h 3d 2c",
                "ace high",
                "oct's ace high has the better kicker, king against queen",
            ),
            ("Ah Kd 9c 7s 5h 3d 2c", "Kd Qd 9c 7s 5h 3d 2c", "ace high", ""),
            (
                "Kh Kd Ac 7s 5h 3d 2c",
                "Kh Kd Qc 7s 5h 3d 2c",
                "a pair of kings",
                "oct's pair of kings has the better kicker, ace against queen",
            ),
            (
                "Kh Kd Ac 9s 5h 3d 2c",
                "Kh Kd Ac 8s 5h 3d 2c",
                "a pair of kings",
                "oct's pair of kings has the better kicker, nine against eight",
            ),
            ("Kh Kd Ac 7s 5h 3d 2c", "Qh Qd Ac 7s 5h 3d 2c", "a pair of kings", ""),
            (
                "Kh Kd 4c 4s Ah 3d 3c",
                "Kh Kd 4c 4s Jh 3d 3c",
                "two pair, kings and fours",
                "oct's two pair, kings and fours, has the better kicker, ace against jack",
            ),
            ("Kh Kd 4c 4s Ah 9d 8c", "Kh Kd 3c 3s Ah 9d 8c", "two pair, kings and fours", ""),
            (
                "6h 6d 6c As Qh 3d 2c",
                "6h 6d 6c As Jh 3d 2c",
                "three sixes",
                "oct's three sixes have the better kicker, queen against jack",
            ),
            ("5h 4d 3c 2s Ah Kd Jc", "Kh Kd Kc 2s 3h 9d 8c", "a straight to the five", ""),
            ("9h 8d 7c 6s 5h Ad Ac", "8h 7d 6c 5s 4h Ad Ac", "a straight to the nine", ""),
            (
                "Ah Th 9h 4h 2h Kd Kc",
                "Ah Th 8h 4h 2h Kd Kc",
                "a flush to the ace",
                "oct's flush to the ace has the better next card, nine against eight",
            ),
            ("Ah Th 9h 4h 2h Kd Kc", "Kh Th 9h 4h 2h Kd Kc", "a flush to the ace", ""),
            (
                "Kh Kd Kc 4s 4h 4d 2c",
                "Kh Kd Kc 3s 3h Ad 2c",
                "a full house, kings full of fours",
                "",
            ),
            (
                "4h 4d 4c 4s Ah Kd Kc",
                "4h 4d 4c 4s Qh Jd Jc",
                "four fours",
                "oct's four fours have the better kicker, ace against queen",
            ),
            ("9h 8h 7h 6h 5h Ad Ac", "8h 7h 6h 5h 4h Ad Ac", "a straight flush to the nine", ""),
            ("5h 4h 3h 2h Ah Ad Kc", "9h 9d 9c 9s Ah Ad Kc", "a straight flush to the five", ""),
            ("Ah Kh Qh Jh Th Ad Ac", "Kh Qh Jh Th 9h Ad Ac", "a royal flush", ""),
        ] {
            let (better, worse) = (rank(better), rank(worse));
            assert!(better > worse, "{name}");
            assert_eq!(hand_name(better), name);
            assert_eq!(better_by(better, worse, "oct's").unwrap_or_default(), by);
            assert!(!by.is_empty() || hand_name(better) != hand_name(worse), "{name}");
        }
    }

    #[test]
    fn betting_is_in_words_of_poker() {
        let def = game::games::nolimit_holdem();
        for (line, words) in [
            ("rc/crf", "raise, call; check, bet, fold"),
            ("cc/cc/cc/crrc", "call, check; check, check; check, check; check, bet, raise, call"),
            ("r300rc///", "raise to 3, raise, call"),
            ("f", "fold"),
            ("r250c/cr415c/c", "raise to 2.5, call; check, bet 1.65, call; check"),
        ] {
            assert_eq!(line_in_words(line, &def), words);
        }
        let note = "flop bucket 292 of 300 after r250c/cr415; 2 bets read as others";
        let words = "flop bucket 292 of 300 after raise to 2.5, call; check, bet 1.65; 2 bets read \
                     as others";
        assert_eq!(note_in_words(note, &def), words);
        let other = "solved here on the river after 400 iterations, ccr";
        assert_eq!(note_in_words(other, &def), other);
    }

    #[test]
    fn different_hands_of_one_name_always_say_what_decides() {
        // Every pair of hands on boards of each kind.
        for board in ["Kh 9d 4c 2s Ah", "Kh 9h 4h 2s Ah", "Kh Kd 4c 4s 9h", "9h 9d 9c 9s 2h"] {
            let board: Vec<Card> = board.split(' ').map(|card| card.parse().unwrap()).collect();
            let rest: Vec<Card> = Card::all().filter(|card| !board.contains(card)).collect();
            let holes =
                rest.iter().enumerate().flat_map(|(k, a)| rest[..k].iter().map(move |b| (a, b)));
            let mut ranks: Vec<HandRank> = holes
                .map(|(a, b)| evaluate(board.iter().chain([a, b]).copied().collect()))
                .collect();
            ranks.sort_unstable();
            ranks.dedup();
            for (k, &better) in ranks.iter().enumerate() {
                for &worse in &ranks[..k] {
                    let told = better_by(better, worse, "your").is_some();
                    assert_eq!(told, hand_name(better) == hand_name(worse), "{better:?} {worse:?}");
                }
            }
        }
    }
}
