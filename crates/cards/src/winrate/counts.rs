//! Wins and ties, and what a tie is worth.

/// The value of a tie in a win-rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ties {
    /// Half a win: the share of the pot it brings between two players.
    #[default]
    Half,
    /// Nothing: only wins count.
    WinOnly,
}

/// Wins and ties among equally likely endings of a hand: exact counts, never estimates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct WinRate {
    /// Endings in which the hand wins the whole pot.
    pub wins: u64,
    /// Endings in which the pot is shared.
    pub ties: u64,
    /// All endings.
    pub total: u64,
}

impl WinRate {
    /// Endings in which the hand loses.
    pub const fn losses(self) -> u64 {
        self.total - self.wins - self.ties
    }

    /// The win-rate from 0 to 1; 0 where there are no endings at all.
    pub fn value(self, ties: Ties) -> f64 {
        if self.total == 0 {
            return 0.0;
        }
        let won = match ties {
            Ties::Half => self.wins as f64 + 0.5 * self.ties as f64,
            Ties::WinOnly => self.wins as f64,
        };
        won / self.total as f64
    }

    /// The same hand seen by the other player: wins and losses change places.
    pub const fn reversed(self) -> WinRate {
        WinRate { wins: self.losses(), ..self }
    }
}

impl std::ops::Add for WinRate {
    type Output = WinRate;
    fn add(self, other: WinRate) -> WinRate {
        WinRate {
            wins: self.wins + other.wins,
            ties: self.ties + other.ties,
            total: self.total + other.total,
        }
    }
}

impl std::iter::Sum for WinRate {
    fn sum<I: Iterator<Item = WinRate>>(counts: I) -> WinRate {
        counts.fold(WinRate::default(), |sum, next| sum + next)
    }
}
