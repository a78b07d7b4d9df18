//! Features: a situation in heads-up hold'em as 35 numbers preflop, 25 on the flop, 15 on the turn,
//! 5 on the river, or 13 more on each.
//!
//! They are, in this order: the equity against a uniformly random opponent hand; ten deciles of
//! the equity on each later street, over every possible board; the opponent's chips on each of the
//! four streets; and in schemas of the [table](FeatureSet::Table) what else a player sees there:
//! who acts last, the pot, the chips to call and their price, those behind, the own chips and the
//! raises on each street. All equities are exact. A [`Schema`] defines the features, their names,
//! and how ties and deciles are counted; a [`FeatureMaker`] computes them.
//!
//! After Bertsimas and Paskov, "World-class interpretable poker" (2022), where deciles are not
//! defined further: here 10 %, 20 % … 100 % by nearest rank, and ties count half, unless a schema
//! says otherwise.
//!
//! Values are in single precision, so that training and play see the same numbers bit by bit:
//! equities to 7 digits, and chips exactly up to 16,777,216.

use std::fmt::{self, Write};
use std::str::FromStr;
use std::sync::OnceLock;

use arrayvec::ArrayVec;
use cards::{CardSet, Combo, Distribution, HandEquity, RiverTable, StartingHand, Ties};
use game::{Action, Chips, GameDef, InfoSet, PublicState, Seat, Street};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use show::number::hexadecimal;

use crate::Error;

/// Maximum number of features of a street.
pub const MAX_FEATURES: usize = 48;

/// The features of one situation, in the order of [`Schema::features`].
#[derive(Debug, Clone, Copy)]
pub struct Features {
    schema: Schema,
    street: Street,
    values: [f32; MAX_FEATURES],
}

impl Features {
    /// The street of the situation.
    pub fn street(&self) -> Street {
        self.street
    }

    /// The values.
    #[inline]
    pub fn as_slice(&self) -> &[f32] {
        &self.values[..self.schema.count(self.street)]
    }

    /// The value of a feature, or `None` when the street does not have it.
    pub fn get(&self, feature: Feature) -> Option<f32> {
        Some(self.values[self.schema.index(feature, self.street)?])
    }

    /// Each feature with its value.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Feature, f32)> + '_ {
        self.schema.features(self.street).zip(self.as_slice().iter().copied())
    }
}

impl PartialEq for Features {
    fn eq(&self, other: &Features) -> bool {
        (self.schema, self.street) == (other.schema, other.street)
            && self.as_slice() == other.as_slice()
    }
}

/// The betting of a hand so far, as one of two players sees it. A street to come has no chips and
/// no raises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SeenBetting {
    /// Chips that the opponent has put in on each street, the blind included.
    pub opponent: [Chips; STREETS],
    /// Chips that the player has put in on each street, the blind included.
    pub own: [Chips; STREETS],
    /// Bets and raises of both players on each street; blinds do not count.
    pub raises: [u32; STREETS],
    /// Whether the player acts last after the flop.
    pub in_position: bool,
    /// Chips to call.
    pub to_call: Chips,
    /// Chips that each player can still bet: the smaller stack behind.
    pub behind: Chips,
}

impl SeenBetting {
    /// The betting as this seat sees it, which must be one of a heads-up game.
    pub fn new(public: &PublicState, seat: Seat) -> SeenBetting {
        let def = public.def();
        let mut seen = SeenBetting::default();
        let mut bets = [[0; STREETS]; 2];
        let mut highest = def.blinds.iter().copied().max().unwrap_or_default();
        let mut committed = [def.blinds[0], def.blinds[1]];
        for (bets, &blind) in bets.iter_mut().zip(&committed) {
            bets[Street::Preflop.index()] = blind;
        }
        for played in public.history() {
            let total = match played.action {
                Action::Fold => continue,
                Action::Call => highest,
                Action::RaiseTo(total) => {
                    highest = total;
                    seen.raises[played.street.index()] += 1;
                    total
                }
            };
            let who = played.seat.index();
            let total = total.min(def.stacks[who]);
            bets[who][played.street.index()] += total.saturating_sub(committed[who]);
            committed[who] = total;
        }
        let (own, other) = (seat.index(), 1 - seat.index());
        seen.own = bets[own];
        seen.opponent = bets[other];
        seen.in_position = def.first_to_act.get(1).is_some_and(|&first| first == other);
        let owed = highest.min(def.stacks[own]).saturating_sub(committed[own]);
        seen.to_call = owed;
        let left = [own, other].map(|who| def.stacks[who].saturating_sub(committed[who]));
        seen.behind = left[0].min(left[1]);
        seen
    }

    /// A betting of which the opponent's chips are all that is known.
    pub fn of_opponent(opponent: [Chips; STREETS]) -> SeenBetting {
        SeenBetting { opponent, ..SeenBetting::default() }
    }

    /// Chips of both players.
    pub fn pot(&self) -> Chips {
        self.own.iter().chain(&self.opponent).sum()
    }

    /// The equity that a call needs: the chips to call as a part of the pot with them.
    pub fn price(&self) -> f64 {
        let price = f64::from(self.to_call);
        if self.to_call == 0 { 0.0 } else { price / (f64::from(self.pot()) + price) }
    }
}

/// A feature of a situation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// The current equity.
    Equity,
    /// A decile of the equity on a later street.
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
    /// Whether the player acts last after the flop.
    InPosition,
    /// Chips in the pot.
    Pot,
    /// Chips to call.
    ToCall,
    /// The equity that a call needs.
    Price,
    /// Chips that can still be bet.
    Behind,
    /// Chips the player has put in on a street.
    OwnBet {
        /// The street of the bets.
        street: Street,
    },
    /// Bets and raises on a street.
    Raises {
        /// The street of the raises.
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
    /// A number of bets and raises.
    Raises,
    /// 1 for yes and 0 for no.
    YesOrNo,
}

impl Unit {
    /// Whether its values are whole numbers.
    pub fn is_whole(self) -> bool {
        self != Unit::ShareOfPot
    }
}

/// Number of deciles of each later street.
const DECILES: usize = 10;
const STREETS: usize = Street::ALL.len();

impl Feature {
    /// The feature with this identifier, as [`Feature`] prints it.
    pub fn from_id(id: &str) -> Option<Feature> {
        let all = Schema { set: FeatureSet::Table, ..Schema::default() };
        all.features(Street::Preflop).find(|feature| feature.to_string() == id)
    }

    /// The street whose betting it is about; `None` for all others.
    pub fn betting_street(self) -> Option<Street> {
        match self {
            Feature::OpponentBet { street }
            | Feature::OwnBet { street }
            | Feature::Raises { street } => Some(street),
            _ => None,
        }
    }

    /// A readable name.
    pub fn name(self) -> String {
        match self {
            Feature::Equity => "equity now".to_owned(),
            Feature::Percentile { street, percent } => {
                format!("equity on the {street}, {percent}th percentile")
            }
            Feature::OpponentBet { street: Street::Preflop } => {
                "opponent's chips before the flop".to_owned()
            }
            Feature::OpponentBet { street } => format!("opponent's chips on the {street}"),
            Feature::InPosition => "acts last after the flop".to_owned(),
            Feature::Pot => "the pot".to_owned(),
            Feature::ToCall => "chips to call".to_owned(),
            Feature::Price => "equity that a call needs".to_owned(),
            Feature::Behind => "chips behind".to_owned(),
            Feature::OwnBet { street: Street::Preflop } => "own chips before the flop".to_owned(),
            Feature::OwnBet { street } => format!("own chips on the {street}"),
            Feature::Raises { street: Street::Preflop } => "raises before the flop".to_owned(),
            Feature::Raises { street } => format!("bets and raises on the {street}"),
        }
    }

    /// The unit of the feature.
    pub fn unit(self) -> Unit {
        match self {
            Feature::Equity | Feature::Percentile { .. } | Feature::Price => Unit::ShareOfPot,
            Feature::OpponentBet { .. }
            | Feature::OwnBet { .. }
            | Feature::Pot
            | Feature::ToCall
            | Feature::Behind => Unit::Chips,
            Feature::Raises { .. } => Unit::Raises,
            Feature::InPosition => Unit::YesOrNo,
        }
    }

    /// An explanation in a sentence.
    pub fn explanation(self) -> String {
        match self {
            Feature::Equity => {
                "What the hand wins on average against every hand that the opponent \
                                 may hold, over all boards that may come."
                    .to_owned()
            }
            Feature::Percentile { street, percent: 100 } => {
                format!("The equity on the best {street} that may come.")
            }
            Feature::Percentile { street, percent } => {
                format!(
                    "On {percent} % of the {street}s that may come, the equity is this or lower."
                )
            }
            Feature::OpponentBet { street: Street::Preflop } => {
                "What the opponent has put in before the flop, blind included.".to_owned()
            }
            Feature::OpponentBet { street } => format!(
                "What the opponent has put in on the {street}; 0 while the hand is not there yet."
            ),
            Feature::InPosition => {
                "1 for the player who acts last after the flop, the button; 0 for the other."
                    .to_owned()
            }
            Feature::Pot => "What both players have put in, before the call.".to_owned(),
            Feature::ToCall => "What a call costs; 0 where it is a check.".to_owned(),
            Feature::Price => {
                "What a call costs, as a part of the pot after it: with that equity it breaks even."
                    .to_owned()
            }
            Feature::Behind => {
                "What can still be bet: the smaller of both stacks behind.".to_owned()
            }
            Feature::OwnBet { street: Street::Preflop } => {
                "What the player has put in before the flop, blind included.".to_owned()
            }
            Feature::OwnBet { street } => format!(
                "What the player has put in on the {street}; 0 while the hand is not there yet."
            ),
            Feature::Raises { street: Street::Preflop } => {
                "Raises of both players before the flop; blinds are none.".to_owned()
            }
            Feature::Raises { street } => format!(
                "Bets and raises of both players on the {street}; 0 while the hand is not there \
                 yet."
            ),
        }
    }
}

impl fmt::Display for Feature {
    /// The identifier: `winrate`, `river_winrate_p80`, `opponent_bet_flop`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Feature::Equity => f.write_str("winrate"),
            Feature::Percentile { street, percent } => write!(f, "{street}_winrate_p{percent}"),
            Feature::OpponentBet { street } => write!(f, "opponent_bet_{street}"),
            Feature::InPosition => f.write_str("in_position"),
            Feature::Pot => f.write_str("pot"),
            Feature::ToCall => f.write_str("to_call"),
            Feature::Price => f.write_str("price"),
            Feature::Behind => f.write_str("behind"),
            Feature::OwnBet { street } => write!(f, "own_bet_{street}"),
            Feature::Raises { street } => write!(f, "raises_{street}"),
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unit::ShareOfPot => "share of the pot",
            Unit::Chips => "chips",
            Unit::Raises => "raises",
            Unit::YesOrNo => "1 or 0",
        })
    }
}

/// The number of streets after this one.
const fn later(street: Street) -> usize {
    STREETS - 1 - street.index()
}

/// The definition of a decile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Quantiles {
    /// Nearest rank: the lowest equity that this share of the boards do not exceed.
    #[default]
    Nearest,
    /// Linear interpolation between the two nearest boards.
    Linear,
}

/// What the features are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FeatureSet {
    /// The equities and the opponent's chips, as in the paper.
    #[default]
    Paper,
    /// Also what else a player sees at the table: position, pot, price, chips behind, own chips and
    /// raises.
    Table,
}

/// A feature schema: what the features are about, how ties are counted and deciles defined. The
/// default has the paper's features, counts ties half and uses the nearest rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Schema {
    /// What the features are about.
    pub set: FeatureSet,
    /// The value of a tie.
    pub ties: Ties,
    /// The definition of deciles.
    pub quantiles: Quantiles,
}

/// Features of the table that belong to no street.
const AT_THE_TABLE: [Feature; 5] =
    [Feature::InPosition, Feature::Pot, Feature::ToCall, Feature::Price, Feature::Behind];

/// The identity of a schema in a model's manifest, which must match the reading program's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stamp {
    /// The schema's identifier, such as `holdem-35-25-15-5/1`.
    pub id: String,
    /// SHA-256 in hexadecimal digits over the identifier and the features of every street in order.
    pub sha256: String,
}

impl Schema {
    /// All schemas, the default first, those of the paper's features before those of the table's.
    pub const ALL: [Schema; 8] = [
        Schema::new(FeatureSet::Paper, Ties::Half, Quantiles::Nearest),
        Schema::new(FeatureSet::Paper, Ties::WinOnly, Quantiles::Nearest),
        Schema::new(FeatureSet::Paper, Ties::Half, Quantiles::Linear),
        Schema::new(FeatureSet::Paper, Ties::WinOnly, Quantiles::Linear),
        Schema::new(FeatureSet::Table, Ties::Half, Quantiles::Nearest),
        Schema::new(FeatureSet::Table, Ties::WinOnly, Quantiles::Nearest),
        Schema::new(FeatureSet::Table, Ties::Half, Quantiles::Linear),
        Schema::new(FeatureSet::Table, Ties::WinOnly, Quantiles::Linear),
    ];

    /// The schema of these choices.
    pub const fn new(set: FeatureSet, ties: Ties, quantiles: Quantiles) -> Schema {
        Schema { set, ties, quantiles }
    }

    /// The number of features on a street: 35, 25, 15, 5, and 13 more with those of the table.
    pub const fn count(self, street: Street) -> usize {
        self.of_cards(street) + STREETS + self.of_table()
    }

    /// The number of features on a street that depend on the cards, which are the first.
    pub const fn of_cards(self, street: Street) -> usize {
        1 + DECILES * later(street)
    }

    const fn of_table(self) -> usize {
        match self.set {
            FeatureSet::Paper => 0,
            FeatureSet::Table => AT_THE_TABLE.len() + 2 * STREETS,
        }
    }

    /// The features of a street in order.
    pub fn features(self, street: Street) -> impl ExactSizeIterator<Item = Feature> {
        (0..self.count(street)).map(move |index| self.at(street, index))
    }

    /// The feature at this index, which must be below the count.
    fn at(self, street: Street, index: usize) -> Feature {
        let Some(at) = index.checked_sub(1) else { return Feature::Equity };
        let Some(at) = at.checked_sub(DECILES * later(street)) else {
            return Feature::Percentile {
                street: Street::ALL[street.index() + 1 + at / DECILES],
                percent: (10 * (at % DECILES + 1)) as u8,
            };
        };
        let Some(at) = at.checked_sub(STREETS) else {
            return Feature::OpponentBet { street: Street::ALL[at] };
        };
        match at.checked_sub(AT_THE_TABLE.len()) {
            None => AT_THE_TABLE[at],
            Some(at) if at < STREETS => Feature::OwnBet { street: Street::ALL[at] },
            Some(at) => Feature::Raises { street: Street::ALL[at - STREETS] },
        }
    }

    /// The index of a feature among those of a street, or `None` when the street does not have it.
    pub fn index(self, feature: Feature, street: Street) -> Option<usize> {
        self.features(street).position(|known| known == feature)
    }

    /// The features of the betting, which follow those of the cards, in order.
    pub fn of_betting(self, seen: &SeenBetting) -> ArrayVec<f32, { MAX_FEATURES }> {
        let mut values: ArrayVec<f32, { MAX_FEATURES }> =
            seen.opponent.iter().map(|&chips| chips as f32).collect();
        if self.set == FeatureSet::Table {
            values.push(f32::from(u8::from(seen.in_position)));
            values.push(seen.pot() as f32);
            values.push(seen.to_call as f32);
            values.push(seen.price() as f32);
            values.push(seen.behind as f32);
            values.extend(seen.own.map(|chips| chips as f32));
            values.extend(seen.raises.map(|raises| raises as f32));
        }
        values
    }

    /// The stamp for a manifest.
    pub fn stamp(self) -> Stamp {
        let mut text = format!("{self}\n");
        for street in Street::ALL {
            for (index, feature) in self.features(street).enumerate() {
                text.push_str(&format!("{street} {index} {feature} {}\n", feature.unit()));
            }
        }
        Stamp { id: self.to_string(), sha256: hexadecimal(&Sha256::digest(text.as_bytes())) }
    }

    /// The schema with this stamp.
    ///
    /// # Errors
    /// When this program has no schema of that name, or one with other features.
    pub fn with_stamp(stamp: &Stamp) -> Result<Schema, Error> {
        let schema: Schema = stamp.id.parse()?;
        let ours = schema.stamp();
        if ours == *stamp {
            return Ok(schema);
        }
        let short = |digits: &str| digits.chars().take(12).collect::<String>();
        let (theirs, ours) = (short(&stamp.sha256), short(&ours.sha256));
        let id: String = stamp.id.chars().take(64).collect();
        Err(Error::new(format!(
            "the features `{id}` are not the same: {theirs} where the model was made, {ours} in \
             this program; train the model again"
        )))
    }

    /// The ten deciles of a distribution.
    #[inline]
    fn deciles(self, distribution: &Distribution) -> [f64; 10] {
        match self.quantiles {
            Quantiles::Nearest => distribution.deciles(),
            Quantiles::Linear => distribution.deciles_linear(),
        }
    }
}

impl fmt::Display for Schema {
    /// The identifier. The number after the slash is the version of the definitions.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = Street::ALL.map(|street| self.count(street).to_string()).join("-");
        let ties = match self.ties {
            Ties::Half => "",
            Ties::WinOnly => "-win-only",
        };
        let quantiles = match self.quantiles {
            Quantiles::Nearest => "",
            Quantiles::Linear => "-linear",
        };
        write!(f, "holdem-{counts}{ties}{quantiles}/1")
    }
}

impl FromStr for Schema {
    type Err = Error;

    /// Parses an identifier.
    fn from_str(text: &str) -> Result<Schema, Error> {
        let schema = Schema::ALL.into_iter().find(|schema| schema.to_string() == text);
        schema.ok_or_else(|| {
            Error::new(format!(
                "the features `{}` are unknown to this program, which has {}: use the version the \
                 model was made with, or train it again",
                text.chars().take(64).collect::<String>(),
                Schema::ALL.map(|schema| format!("`{schema}`")).join(", ")
            ))
        })
    }
}

/// Computes the features of a schema. Each thread needs its own; clones share the tables.
///
/// After the first flop, turn and river it allocates nothing: 20 ns before the flop, and about 10
/// µs, 1 µs and 0.1 µs on the later streets.
#[derive(Debug, Clone)]
pub struct FeatureMaker {
    schema: Schema,
    /// Whether equities are computed for each row, without tables.
    counting: bool,
    /// A workspace for each street.
    hand_equities: [HandEquity; 4],
}

impl FeatureMaker {
    /// A maker for many rows. The first row after the flop builds the river table that the process
    /// shares (0.2 s); the first preflop row of a schema other than the default builds the rows of
    /// all starting hands (2 s). [`FeatureMaker::prepare`] does both in advance.
    pub fn new(schema: Schema) -> FeatureMaker {
        FeatureMaker { schema, counting: false, hand_equities: Default::default() }
    }

    /// A maker for a few rows, without tables: 1 ms for each row on the flop.
    pub fn counting(schema: Schema) -> FeatureMaker {
        FeatureMaker { counting: true, ..FeatureMaker::new(schema) }
    }

    /// The schema.
    pub fn schema(&self) -> Schema {
        self.schema
    }

    /// Builds the tables that the first rows would build.
    pub fn prepare(&self) {
        if !self.counting {
            RiverTable::shared(self.schema.ties);
            preflop_rows(self.schema);
        }
    }

    /// The features of an information set.
    ///
    /// # Errors
    /// When the game is not heads-up hold'em.
    pub fn infoset(&mut self, infoset: &InfoSet) -> Result<Features, Error> {
        check(infoset.public.def())?;
        let hole = match infoset.hole.as_slice() {
            &[a, b] => Combo::new(a, b),
            _ => None,
        };
        let hole = hole
            .ok_or_else(|| Error::new("the hand has not two different cards: hold'em deals two"))?;
        let seen = SeenBetting::new(&infoset.public, infoset.seat);
        self.cards(hole, infoset.public.board().set(), &seen)
    }

    /// The features of a hand, a board of 0, 3, 4 or 5 cards, and the betting.
    ///
    /// # Errors
    /// When the board's number of cards is not 0, 3, 4 or 5, or it shares a card with the hand.
    pub fn cards(
        &mut self,
        hole: Combo,
        board: CardSet,
        seen: &SeenBetting,
    ) -> Result<Features, Error> {
        let street = match board.len() {
            0 => return Ok(self.starting_hand(hole, seen)),
            3 => Street::Flop,
            4 => Street::Turn,
            _ => Street::River,
        };
        let hand_equity = &mut self.hand_equities[street.index()];
        if self.counting {
            *hand_equity = HandEquity::new(hole, board, self.schema.ties)?;
        } else {
            RiverTable::shared(self.schema.ties).hand_equity_into(hole, board, hand_equity)?;
        }
        Ok(row(self.schema, street, hand_equity, seen))
    }

    /// Calls `visit` with the features of every hand that can be held on a board of 3, 4 or 5
    /// cards: several times faster than hand by hand. The order of the hands is not specified.
    ///
    /// # Errors
    /// When the board's number of cards is not 3, 4 or 5.
    pub fn each_hand(
        &self,
        board: CardSet,
        seen: &SeenBetting,
        mut visit: impl FnMut(Combo, &Features),
    ) -> Result<(), Error> {
        let street = match board.len() {
            3 => Street::Flop,
            4 => Street::Turn,
            _ => Street::River,
        };
        let table = RiverTable::shared(self.schema.ties);
        table.each_hand(board, |hole, hand_equity| {
            visit(hole, &row(self.schema, street, hand_equity, seen));
        })?;
        Ok(())
    }

    fn starting_hand(&self, hole: Combo, seen: &SeenBetting) -> Features {
        let mut values = [0.0; MAX_FEATURES];
        let (of_cards, of_betting) = values.split_at_mut(PREFLOP_VALUES);
        if self.counting {
            of_cards.copy_from_slice(&preflop_row(self.schema, hole));
        } else {
            let rows = preflop_rows(self.schema);
            of_cards.copy_from_slice(&rows[hole.starting_hand().index()]);
        }
        let found = self.schema.of_betting(seen);
        of_betting[..found.len()].copy_from_slice(&found);
        Features { schema: self.schema, street: Street::Preflop, values }
    }
}

/// The features of a hand after the flop.
#[inline]
fn row(schema: Schema, street: Street, hand_equity: &HandEquity, seen: &SeenBetting) -> Features {
    let mut values = [0.0; MAX_FEATURES];
    values[0] = hand_equity.equity() as f32;
    let mut end = 1;
    for distribution in hand_equity.later() {
        for (value, decile) in values[end..end + 10].iter_mut().zip(schema.deciles(distribution)) {
            *value = decile as f32;
        }
        end += 10;
    }
    let of_betting = schema.of_betting(seen);
    values[end..end + of_betting.len()].copy_from_slice(&of_betting);
    debug_assert_eq!(end + of_betting.len(), schema.count(street));
    Features { schema, street, values }
}

/// Checks that the game is heads-up hold'em.
fn check(def: &GameDef) -> Result<(), Error> {
    let Some(wrong) = def.differs_from_holdem() else { return Ok(()) };
    Err(Error::new(format!(
        "these features are for heads-up hold'em with a full deck, and this game has {wrong}"
    )))
}

/// The equity and thirty deciles of each starting hand, by its number.
type PreflopRows = [[f32; PREFLOP_VALUES]; StartingHand::COUNT];

/// Number of features of a starting hand that depend on cards.
const PREFLOP_VALUES: usize = 31;

/// The shipped rows, which are those of the default schema: a line of equity numerators for each
/// starting hand.
const SHIPPED: &str = include_str!("../data/preflop.txt");

/// The denominators of these numerators: twice the number of boards and opponent hands, now and on
/// flop, turn and river.
const DENOMINATORS: [u64; 4] = [4_195_144_800, 2_140_380, 91_080, 1_980];

/// The schema of the paper's features that has the same features of the cards.
fn of_cards(schema: Schema) -> Schema {
    Schema { set: FeatureSet::Paper, ..schema }
}

/// The rows of a schema. Those of the default are parsed from the shipped table; others take 2 s
/// once.
fn preflop_rows(schema: Schema) -> &'static PreflopRows {
    static ROWS: [OnceLock<Box<PreflopRows>>; 4] = [const { OnceLock::new() }; 4];
    let schema = of_cards(schema);
    let index = Schema::ALL.iter().position(|&other| other == schema);
    let rows = &ROWS[index.expect("all schemas are listed, those of the paper first")];
    rows.get_or_init(|| if schema == Schema::default() { shipped() } else { made(schema) })
}

/// The row of one hand, computed for it alone where it is not shipped: 0.2 s instead of 2 s.
fn preflop_row(schema: Schema, hole: Combo) -> [f32; PREFLOP_VALUES] {
    let schema = of_cards(schema);
    if schema == Schema::default() {
        return preflop_rows(schema)[hole.starting_hand().index()];
    }
    let hand_equity = RiverTable::shared(schema.ties).hand_equity(hole, CardSet::EMPTY);
    values(schema, &hand_equity.expect("any hand can be held before the flop"))
}

fn made(schema: Schema) -> Box<PreflopRows> {
    let mut rows = Box::new([[0.0; PREFLOP_VALUES]; StartingHand::COUNT]);
    RiverTable::shared(schema.ties).each_starting_hand(|hand, hand_equity| {
        rows[hand.index()] = values(schema, hand_equity);
    });
    rows
}

fn values(schema: Schema, hand_equity: &HandEquity) -> [f32; PREFLOP_VALUES] {
    let mut values = [0.0; PREFLOP_VALUES];
    values[0] = hand_equity.equity() as f32;
    for (values, distribution) in values[1..].chunks_mut(10).zip(hand_equity.later()) {
        values.copy_from_slice(&schema.deciles(distribution).map(|decile| decile as f32));
    }
    values
}

/// Recomputes the shipped table: the text of `abstraction/data/preflop.txt`. Takes 2 s.
pub fn preflop_table() -> String {
    let mut lines = vec![String::new(); StartingHand::COUNT];
    RiverTable::shared(Ties::Half).each_starting_hand(|hand, hand_equity| {
        let line = &mut lines[hand.index()];
        write!(line, "{hand} {}", hand_equity.ratio().0).expect("a string takes all");
        for decile in hand_equity.later().iter().flat_map(Distribution::decile_numerators) {
            write!(line, " {decile}").expect("a string takes all");
        }
        line.push('\n');
    });
    let [now, flop, turn, river] = DENOMINATORS;
    format!(
        "# Equities of the 169 starting hands, ties counted half, over every board: the equity \
         now in parts\n\
         # of {now}, then the deciles 10 % to 100 % of the equity on the flop in parts of \
         {flop}, on\n\
         # the turn of {turn} and on the river of {river}. Made by `cardroom show features \
         --preflop-table`.\n{}",
        lines.concat()
    )
}

fn shipped() -> Box<PreflopRows> {
    let mut rows = Box::new([[0.0; PREFLOP_VALUES]; StartingHand::COUNT]);
    let lines = SHIPPED.lines().filter(|line| !line.starts_with('#'));
    for ((row, line), hand) in rows.iter_mut().zip(lines).zip(StartingHand::all()) {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        assert_eq!(name, hand.to_string(), "the shipped table lists the hands in order");
        for (at, (value, word)) in row.iter_mut().zip(words).enumerate() {
            let part: u64 = word.parse().expect("the shipped table holds whole numbers");
            *value = (part as f64 / DENOMINATORS[at.div_ceil(10)] as f64) as f32;
        }
    }
    rows
}
