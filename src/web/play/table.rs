//! The table and the buttons under it. The browser gets all it needs to know about the rules from
//! here: the buttons, what each of them sends, the range of a bet.

use askama::Template;
use cards::{Card, evaluate};
use game::{PublicState, Raises, Seat, Turn};
use protocol::slumbot::action::board_order;
use show::number::decimal;
use wire::slumbot_host::{Moment, SeenHand, SessionView};

use super::big_blinds;
use crate::hand_words::{self as words, bet_of_pot, hand_name, steps};
use crate::web::pages::{CardView, text};

#[derive(Template)]
#[template(path = "play_table.html", config = ".askama.toml")]
struct Table {
    /// The version of the table, to tell which of two is newer.
    moment: Moment,
    /// The text above the buttons, also for screen readers.
    said: String,
    bot: Player,
    you: Player,
    board: Vec<Option<CardView>>,
    pot: Option<Amount>,
    controls: Option<Controls>,
    end: Option<End>,
}

/// A player at the table.
struct Player {
    name: String,
    /// `None` for a card face down.
    cards: Vec<Option<CardView>>,
    /// Whether the player has cards.
    dealt: bool,
    stack: Amount,
    /// The chips put in on this street.
    bet: Option<Amount>,
    button: bool,
    turn: bool,
    folded: bool,
    /// The last action on this street, or the hand at the end.
    note: String,
}

/// An amount of chips as text.
pub struct Amount {
    pub chips: String,
    pub bb: String,
}

/// The client's buttons.
struct Controls {
    /// The amount to call; with `None` there is a check instead, and no fold.
    call: Option<Amount>,
    raise: Option<RaiseControl>,
}

struct RaiseControl {
    /// `Bet` or `Raise to`.
    verb: &'static str,
    /// Totals on the street.
    min: u32,
    max: u32,
    start: u32,
    sizes: Vec<Size>,
}

/// A button that sets the amount of a bet.
struct Size {
    label: &'static str,
    /// The total; `None` if it is below the minimum.
    to: Option<u32>,
}

struct End {
    class: &'static str,
    outcome: String,
    how: String,
}

/// The pot fractions on the buttons.
const SIZES: [(&str, f64); 5] =
    [("⅓ pot", 1.0 / 3.0), ("½ pot", 0.5), ("⅔ pot", 2.0 / 3.0), ("pot", 1.0), ("2× pot", 2.0)];

/// The initial amount, as a fraction of the pot.
const START: f64 = 0.5;

/// Renders the table without a session.
pub fn empty(agent: &str) -> String {
    text(&Table::empty(agent))
}

/// Renders the table of a session.
pub fn render(view: &SessionView) -> String {
    let table = view.hand.as_ref().map(|hand| Table::new(&view.agent, hand));
    let table = table.unwrap_or_else(|| Table::empty(&view.agent));
    text(&Table { moment: view.moment, ..table })
}

impl Table {
    fn empty(agent: &str) -> Table {
        let player = |name: &str, button| Player {
            name: name.to_owned(),
            cards: Vec::new(),
            dealt: false,
            stack: Amount::new(20_000),
            bet: None,
            button,
            turn: false,
            folded: false,
            note: String::new(),
        };
        Table {
            moment: Moment::default(),
            said: format!("You and {agent} have 20,000 chips each; the blinds are 50 and 100."),
            bot: player(agent, true),
            you: player("You", false),
            board: (0..5).map(|_| None).collect(),
            pot: None,
            controls: None,
            end: None,
        }
    }

    fn new(agent: &str, hand: &SeenHand) -> Table {
        let public = &hand.public;
        let board = board_order(public.board());
        let place = |i: usize| board.get(i).map(|&card| CardView::new(card));
        let controls = Controls::new(public, hand.client);
        let since = words::since_last(public, hand.client, agent);
        let end = hand.end.map(|end| End {
            class: ["loss", "even", "gain"][(end.winnings.signum() + 1) as usize],
            outcome: outcome(end.winnings),
            how: words::ending(public, hand.client, [&hand.hole, &end.bot_hole], agent),
        });
        let said = match &end {
            Some(end) => format!("{} {}", end.how, end.outcome),
            None => format!("{since} Your turn.").trim_start().to_owned(),
        };
        Table {
            moment: Moment::default(),
            said,
            bot: Player::bot(agent, hand),
            you: Player::you(hand),
            board: (0..5).map(place).collect(),
            pot: Some(Amount::new(public.pot() as i64)),
            controls,
            end,
        }
    }
}

fn outcome(winnings: i64) -> String {
    match winnings {
        0 => "The pot is split.".to_owned(),
        _ => format!("{} ({} bb).", words::outcome(winnings), big_blinds(winnings)),
    }
}

impl Player {
    fn bot(agent: &str, hand: &SeenHand) -> Player {
        let seat = Seat::new(1 - hand.client.index()).expect("two seats");
        let shown = hand.end.map(|end| end.bot_hole);
        let cards = match &shown {
            Some(cards) => cards.iter().map(|&card| Some(CardView::new(card))).collect(),
            None => vec![None, None],
        };
        Player::new(agent, hand, seat, cards, shown.as_deref())
    }

    fn you(hand: &SeenHand) -> Player {
        let cards = hand.hole.iter().map(|&card| Some(CardView::new(card))).collect();
        Player::new("You", hand, hand.client, cards, Some(&hand.hole))
    }

    fn new(
        name: &str,
        hand: &SeenHand,
        seat: Seat,
        cards: Vec<Option<CardView>>,
        known: Option<&[Card]>,
    ) -> Player {
        let public = &hand.public;
        let over = public.turn() == Turn::Over;
        let bet = public.committed_street(seat);
        let last = steps(public).into_iter().rfind(|step| step.seat == seat);
        let last = last.filter(|step| over || step.street == public.street());
        let holds = known.filter(|_| public.is_showdown()).map(|hole| {
            let cards = hole.iter().chain(&*public.board()).copied().collect();
            hand_name(evaluate(cards))
        });
        let did = last.map(|step| if seat == hand.client { step.you } else { step.they });
        Player {
            name: name.to_owned(),
            cards,
            dealt: true,
            stack: Amount::new(public.stack(seat).into()),
            bet: (bet > 0 && !over).then(|| Amount::new(bet.into())),
            button: seat == public.def().button(),
            turn: public.turn() == Turn::Act(seat),
            folded: public.folded().contains(seat),
            note: holds.or(did).unwrap_or_default(),
        }
    }
}

impl Amount {
    /// An amount of this many chips.
    pub fn new(chips: i64) -> Amount {
        Amount { chips: decimal(chips.abs() as f64, 0), bb: big_blinds(chips) }
    }
}

impl Controls {
    fn new(public: &PublicState, client: Seat) -> Option<Controls> {
        let legal = public.legal();
        (public.turn() == Turn::Act(client)).then(|| Controls {
            call: legal.fold.then(|| Amount::new(legal.to_call.into())),
            raise: legal.raise.map(|raises| RaiseControl::new(public, client, raises)),
        })
    }
}

impl RaiseControl {
    fn new(public: &PublicState, client: Seat, raises: Raises) -> RaiseControl {
        let before = public.committed()[client] - public.committed_street(client);
        let (min, max) = (raises.min - before, raises.max - before);
        let called = public.highest() - before;
        let to = |part: f64| bet_of_pot(public, part) - before;
        let size = |(label, part): (&'static str, f64)| {
            let to = to(part);
            Size { label, to: (min..=max).contains(&to).then_some(to) }
        };
        let all_in = Size { label: "all-in", to: Some(max) };
        RaiseControl {
            verb: if called > 0 { "Raise to" } else { "Bet" },
            min,
            max,
            start: to(START).clamp(min, max),
            sizes: SIZES.into_iter().map(size).chain([all_in]).collect(),
        }
    }
}
