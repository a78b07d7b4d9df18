//! The features: their order, names and units.

use std::fmt;

use game::Street;

/// A feature of a situation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// The current win-rate.
    WinRate,
    /// A decile of the win-rate on a later street.
    Percentile {
        /// The street: flop, turn or river.
        street: Street,
        /// The percentage: 10, 20 … 100.
        percent: u8,
    },
    /// Chips the opponent has put in on a street.
    OpponentBet {
        /// The street of the bets.
        street: Street,
    },
}

/// The unit of a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    /// A fraction of the pot, from 0 to 1.
    ShareOfPot,
    /// Chips, whole numbers.
    Chips,
}

/// Number of deciles of each later street.
const DECILES: usize = 10;
const STREETS: usize = Street::ALL.len();

impl Feature {
    /// The number of features on a street: 35, 25, 15, 5.
    pub const fn count(street: Street) -> usize {
        1 + DECILES * later(street) + STREETS
    }

    /// The features of a street in order.
    pub fn of(street: Street) -> impl ExactSizeIterator<Item = Feature> {
        (0..Feature::count(street)).map(move |index| Feature::at(street, index))
    }

    /// The feature at this index, which must be below the count.
    fn at(street: Street, index: usize) -> Feature {
        let deciles = DECILES * later(street);
        match index.checked_sub(1) {
            None => Feature::WinRate,
            Some(at) if at < deciles => Feature::Percentile {
                street: Street::ALL[street.index() + 1 + at / DECILES],
                percent: (10 * (at % DECILES + 1)) as u8,
            },
            Some(at) => Feature::OpponentBet { street: Street::ALL[at - deciles] },
        }
    }

    /// The index of the feature among those of a street, or `None` when the street does not have
    /// it.
    pub fn index(self, street: Street) -> Option<usize> {
        Feature::of(street).position(|feature| feature == self)
    }

    /// The feature with this identifier, as [`Feature`] prints it.
    pub fn from_id(id: &str) -> Option<Feature> {
        Feature::of(Street::Preflop).find(|feature| feature.to_string() == id)
    }

    /// A readable name.
    pub fn name(self) -> String {
        match self {
            Feature::WinRate => "win-rate now".to_owned(),
            Feature::Percentile { street, percent } => {
                format!("win-rate on the {street}, {percent}th percentile")
            }
            Feature::OpponentBet { street: Street::Preflop } => {
                "opponent's chips before the flop".to_owned()
            }
            Feature::OpponentBet { street } => format!("opponent's chips on the {street}"),
        }
    }

    /// The unit of the feature.
    pub fn unit(self) -> Unit {
        match self {
            Feature::WinRate | Feature::Percentile { .. } => Unit::ShareOfPot,
            Feature::OpponentBet { .. } => Unit::Chips,
        }
    }

    /// An explanation in a sentence.
    pub fn explanation(self) -> String {
        match self {
            Feature::WinRate => {
                "What the hand wins on average against every hand that the opponent \
                                 may hold, over all boards that may come."
                    .to_owned()
            }
            Feature::Percentile { street, percent: 100 } => {
                format!("The win-rate on the best {street} that may come.")
            }
            Feature::Percentile { street, percent } => {
                format!(
                    "On {percent} % of the {street}s that may come, the win-rate is this or lower."
                )
            }
            Feature::OpponentBet { street: Street::Preflop } => {
                "What the opponent has put in before the flop, blind included.".to_owned()
            }
            Feature::OpponentBet { street } => format!(
                "What the opponent has put in on the {street}; 0 while the hand is not there yet."
            ),
        }
    }
}

impl fmt::Display for Feature {
    /// The identifier: `winrate`, `river_winrate_p80`, `opponent_bet_flop`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Feature::WinRate => f.write_str("winrate"),
            Feature::Percentile { street, percent } => write!(f, "{street}_winrate_p{percent}"),
            Feature::OpponentBet { street } => write!(f, "opponent_bet_{street}"),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::ShareOfPot => "share of the pot",
            Unit::Chips => "chips",
        })
    }
}

/// The number of streets after this one.
const fn later(street: Street) -> usize {
    STREETS - 1 - street.index()
}
