//! A person plays an endgame against its equilibrium, and learns what each answer costs.

use show::number::{counted, percent, signed};

use super::report::{choices, mix, short};
use super::{Dealer, Endgame, Solution};
use solvers::Player;

/// Totals over the games, in pots.
#[derive(Default)]
struct Sums {
    games: u64,
    /// The person's winnings, net of the antes.
    won: f64,
    answers: u64,
    /// Number of answers that cost something.
    wrong: u64,
    cost: f64,
}

/// A session at the table of an endgame.
struct Session<'a, E> {
    game: &'a Endgame,
    solution: Solution,
    dealer: Dealer,
    talk: &'a mut dyn Talk<E>,
    sums: Sums,
}

/// Costs below this, in pots, are rounding errors.
const ROUNDING: f64 = 1e-9;

/// A conversation with the person who plays.
pub trait Talk<E> {
    /// Shows a text, which need not end a line.
    ///
    /// # Errors
    /// When nobody listens any more.
    fn say(&mut self, text: &str) -> Result<(), E>;

    /// The next line; `None` at the end of the input.
    ///
    /// # Errors
    /// When the input cannot be read.
    fn line(&mut self) -> Result<Option<String>, E>;
}

/// Plays an endgame with a person until as many games or the input end: `seats` are the person's,
/// in turn; the cards and the equilibrium's actions come from the seed.
///
/// # Errors
/// Those of the conversation.
pub fn play<E>(
    game: &Endgame,
    seats: &[Player],
    games: Option<u64>,
    seed: u64,
    talk: &mut dyn Talk<E>,
) -> Result<(), E> {
    let solution = game.solve();
    talk.say(&format!(
        "{} cards, the worst is 1. Each player puts half a pot in; the first checks or bets {}, \
         and the second calls or folds. With both at their best the first player gets {:.4} of the \
         pot. Seed {seed}.\n",
        game.cards(),
        choices(game.bets().sizes()),
        solution.value
    ))?;
    let (dealer, sums) = (Dealer::new(seed), Sums::default());
    let mut session = Session { game, solution, dealer, talk, sums };
    for &seat in seats.iter().cycle() {
        if games.is_some_and(|most| session.sums.games >= most) || !session.play(seat)? {
            break;
        }
    }
    let totals = session.sums.text();
    session.talk.say(&totals)
}

impl<E> Session<'_, E> {
    /// Plays one game; `false` if the input ended before.
    fn play(&mut self, seat: Player) -> Result<bool, E> {
        let cards = self.dealer.cards(self.game);
        let own = cards[seat.index()];
        let beats = match seat {
            Player::First => self.game.beats(own).map_or_else(String::new, |share| {
                format!(", which beats {} of the other's", percent(share, 0))
            }),
            Player::Second => String::new(),
        };
        let number = self.sums.games + 1;
        let who = if seat == Player::First { "first" } else { "second" };
        self.talk
            .say(&format!("\nGame {number}. You are {who} and hold card {}{beats}.\n", own + 1))?;
        let taken = match seat {
            Player::First => self.first(cards)?,
            Player::Second => self.second(cards)?,
        };
        let Some(taken) = taken else { return Ok(false) };
        let net = if seat == Player::First { taken - 0.5 } else { 0.5 - taken };
        self.talk.say(&format!("You get {} pots.\n", signed(net, 3)))?;
        self.sums.games += 1;
        self.sums.won += net;
        Ok(true)
    }

    /// The person acts first, and bets or checks. Returns the first player's payoff in pots; `None`
    /// at the end of the input.
    fn first(&mut self, [own, other]: [usize; 2]) -> Result<Option<f64>, E> {
        let sizes = self.game.bets().sizes();
        let worth = self.game.size_values(own, &self.solution.calls);
        let worth = worth.expect("the other player was dealt another card");
        let Some(bet) = self.ask("check, or bet how many pots? ", |line| size(line, sizes))? else {
            return Ok(None);
        };
        let best = worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let does = mix(&self.solution.strategy[own * sizes.len()..][..sizes.len()], sizes);
        self.price(best - worth[bet], &does)?;
        if bet == 0 {
            return self.showdown(
                own,
                other,
                0.0,
                &format!("The other player holds {}", other + 1),
            );
        }
        let call = self.solution.calls[other * sizes.len() + bet];
        if self.dealer.draw(&[1.0 - call, call]) == 1 {
            return self.showdown(own, other, sizes[bet], &format!("Called by {}", other + 1));
        }
        self.talk.say(&format!("The other player folds {}. ", other + 1))?;
        Ok(Some(1.0))
    }

    /// The person acts second, and calls or folds. Returns the first player's payoff in pots;
    /// `None` at the end of the input.
    fn second(&mut self, [other, own]: [usize; 2]) -> Result<Option<f64>, E> {
        let sizes = self.game.bets().sizes();
        let row = &self.solution.strategy[other * sizes.len()..][..sizes.len()];
        let bet = self.dealer.draw(row);
        if bet == 0 {
            let says = format!("The other player checks {}", other + 1);
            return self.showdown(other, own, 0.0, &says);
        }
        let size = sizes[bet];
        self.talk.say(&format!("The other player bets {}. ", short(size)))?;
        let answer = |line: &str| match line {
            "call" | "c" => Ok(true),
            "fold" | "f" => Ok(false),
            _ => Err("write call, fold or quit".to_owned()),
        };
        let Some(calls) = self.ask("call or fold? ", answer)? else { return Ok(None) };
        let worth = self.game.call_value(own, bet, &self.solution.strategy);
        let worth = worth.expect("this card has bet it");
        let call = self.solution.calls[own * sizes.len() + bet];
        let does = match call {
            share if share > 1.0 - 5e-7 => "calls".to_owned(),
            share if share < 5e-7 => "folds".to_owned(),
            share => format!("calls {}", percent(share, 1)),
        };
        self.price(worth.max(0.0) - if calls { worth } else { 0.0 }, &does)?;
        if calls {
            return self.showdown(other, own, size, &format!("It has {}", other + 1));
        }
        self.talk.say(&format!("It had {}. ", other + 1))?;
        Ok(Some(1.0))
    }

    /// The first player's payoff at a showdown after a bet of this size, in pots.
    fn showdown(
        &mut self,
        first: usize,
        second: usize,
        size: f64,
        says: &str,
    ) -> Result<Option<f64>, E> {
        self.talk.say(&format!("{says}. "))?;
        Ok(Some(if first > second { 1.0 + size } else { -size }))
    }

    /// Prints what an answer costs and what the equilibrium does.
    fn price(&mut self, cost: f64, does: &str) -> Result<(), E> {
        let right = cost < ROUNDING;
        self.sums.answers += 1;
        self.sums.wrong += u64::from(!right);
        self.sums.cost += if right { 0.0 } else { cost };
        let costs =
            if right { "costs nothing".to_owned() } else { format!("costs {cost:.4} pots") };
        self.talk.say(&format!("That {costs}; the equilibrium: {does}. "))
    }

    /// Asks until a line can be parsed; `None` at the end of the input.
    fn ask<T>(
        &mut self,
        question: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, E> {
        loop {
            self.talk.say(question)?;
            let line = self.talk.line()?.map(|line| line.trim().to_lowercase());
            let Some(line) = line.filter(|line| !matches!(line.as_str(), "quit" | "q")) else {
                self.talk.say("\n")?;
                return Ok(None);
            };
            match read(&line) {
                Ok(answer) => return Ok(Some(answer)),
                Err(says) => self.talk.say(&format!("`{line}`: {says}.\n"))?,
            }
        }
    }
}

/// The index of a size, parsed from `check`, `0.6`, `bet 0.6` or `all-in`.
fn size(line: &str, sizes: &[f64]) -> Result<usize, String> {
    let wanted = match line.strip_prefix("bet ").unwrap_or(line).trim() {
        "check" | "c" => 0.0,
        "all-in" | "allin" => sizes.last().copied().unwrap_or(0.0),
        number => number.parse().map_err(|_| {
            format!("write check, a size such as {}, all-in or quit", short(sizes[sizes.len() / 2]))
        })?,
    };
    let found = sizes.iter().position(|size: &f64| (size - wanted).abs() < 1e-9);
    found.ok_or_else(|| format!("bets are {}", choices(sizes)))
}

impl Sums {
    fn text(&self) -> String {
        let Sums { games, won, answers, wrong, cost } = self;
        format!(
            "\n{}: {} pots. {}, {wrong} of which cost something: {cost:.4} pots in all.\n",
            counted(*games, "game"),
            signed(*won, 3),
            counted(*answers, "answer"),
        )
    }
}
