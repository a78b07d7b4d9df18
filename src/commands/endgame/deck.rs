//! The options for the deck and the bet sizes of an endgame.

use solvers::endgame::{Bets, Endgame, EndgameError};

use crate::exit::Failure;

/// An endgame.
#[derive(clap::Args)]
pub(super) struct Weights {
    /// Weights of the first player's cards, 1 is the worst: `1:0.5,10:0.5` or `3-6`; missing cards
    /// have weight 0 [default: all equal]
    #[arg(long, value_name = "CARDS")]
    first: Option<String>,
    /// Weights of the second player's cards
    #[arg(long, value_name = "CARDS")]
    second: Option<String>,
    #[command(flatten)]
    deck: Deck,
}

impl Weights {
    pub(super) fn game(&self) -> Result<Endgame, Failure> {
        let first = self.deck.weights("--first", self.first.as_deref())?;
        let second = self.deck.weights("--second", self.second.as_deref())?;
        Endgame::new(&first, &second, self.deck.bets()?).map_err(Failure::input)
    }
}

/// The deck and the sizes.
#[derive(clap::Args)]
pub(super) struct Deck {
    /// Number of cards in the deck
    #[arg(long, value_name = "N", default_value_t = 10)]
    cards: usize,
    /// Stack of each player, in pots
    #[arg(long, value_name = "POTS", default_value_t = 3.0, allow_negative_numbers = true)]
    stack: f64,
    /// Bets are multiples of this, in pots, up to the stack
    #[arg(long, value_name = "POTS", default_value_t = 0.1, allow_negative_numbers = true)]
    step: f64,
    /// Bet sizes in pots, instead of steps: `0.5,1,3`
    #[arg(long, value_name = "SIZES", value_delimiter = ',', allow_negative_numbers = true)]
    sizes: Vec<f64>,
}

impl Deck {
    /// The number of cards; an error if no endgame has so many or so few.
    pub(super) fn cards(&self) -> Result<usize, Failure> {
        match self.cards {
            cards @ 2..=Endgame::MAX_CARDS => Ok(cards),
            cards => Err(Failure::input(EndgameError::Cards(cards))),
        }
    }

    /// The bet sizes.
    pub(super) fn bets(&self) -> Result<Bets, Failure> {
        if self.sizes.is_empty() {
            return Bets::steps(self.step, self.stack).map_err(Failure::input);
        }
        if let Some(size) = self.sizes.iter().find(|&&size| size > self.stack) {
            return Err(Failure::input(anyhow::anyhow!(
                "--sizes: {size} pots are more than the stack of {}; give a larger --stack",
                self.stack
            )));
        }
        Bets::new(&self.sizes).map_err(Failure::input)
    }

    /// The weights of a player's cards, read from a text such as `1:0.5,10:0.5`, `3-6` or `2,9:3`.
    /// Cards that are not named have weight 0; without a text all cards weigh the same.
    fn weights(&self, option: &str, text: Option<&str>) -> Result<Vec<f64>, Failure> {
        let cards = self.cards()?;
        let Some(text) = text else { return Ok(vec![1.0; cards]) };
        let mut weights = vec![0.0; cards];
        for part in text.split(',').map(str::trim) {
            let wrong = |why: &str| {
                let hint = "write cards with their weights, as in 1:0.5,10:0.5 or 3-6";
                Failure::input(anyhow::anyhow!("{option}: `{part}`: {why}; {hint}"))
            };
            let (named, weight) = part.split_once(':').unwrap_or((part, "1"));
            let weight: f64 = weight.trim().parse().map_err(|_| wrong("no weight"))?;
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(wrong("a weight is a number of at least 0"));
            }
            let (from, to) = named.split_once('-').unwrap_or((named, named));
            let card = |text: &str| text.trim().parse::<usize>().map_err(|_| wrong("no card"));
            let (from, to) = (card(from)?, card(to)?);
            if from < 1 || to > cards || from > to {
                return Err(wrong(&format!("cards go from 1 to {cards}")));
            }
            weights[from - 1..to].fill(weight);
        }
        Ok(weights)
    }
}
