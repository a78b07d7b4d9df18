//! `cardroom show features`: the features of a situation, as models see them.

use std::fmt;

use abstraction::features::{
    Feature, FeatureMaker, FeatureSet, Features, Schema, SeenBetting, Stamp, Unit, preflop_table,
};
use cards::CardSet;
use game::{Chips, Street};
use models::equity::on_board;
use protocol::acpc::matchstate::MatchState;
use serde::Serialize;
use show::Table;

use crate::exit::Failure;
use crate::hand_args::{Method, TiesArg, check_disjoint, parse_board, parse_hand};
use crate::output::{Output, Report};
use crate::resolve_names::Game;

/// Show a situation of heads-up hold'em as the numbers that models use, with their names.
///
/// There are 35 before the flop, 25 on the flop, 15 on the turn and 5 on the river: the equity,
/// ten deciles of the equity on each later street, and the opponent's chips. With --table there are
/// 13 more. docs/features.md describes them.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("what").required(true))]
pub struct Args {
    /// A hand of two cards, as in AcKd
    #[arg(value_name = "HAND", group = "what")]
    cards: Option<String>,
    /// Board cards: three, four or five, as in Ks3hJc
    #[arg(long, value_name = "CARDS", requires = "cards")]
    board: Option<String>,
    /// The opponent's chips on each street, including the blind [default: 0]
    #[arg(long, value_name = "CHIPS,…", requires = "cards")]
    bets: Option<String>,
    /// The situation as an ACPC match state, `MATCHSTATE:…`
    #[arg(long, value_name = "STATE", group = "what")]
    state: Option<String>,
    #[command(flatten)]
    game: Game,
    /// Print the names and explanations of the features
    #[arg(long, group = "what")]
    schema: bool,
    /// Recompute and print the built-in table of starting hands
    #[arg(long, group = "what", conflicts_with_all = ["json", "ties", "method"])]
    preflop_table: bool,
    /// Also what else a player sees at the table: position, pot, price of a call, chips behind, own
    /// chips and raises; a situation needs --state
    #[arg(long, conflicts_with_all = ["cards", "preflop_table"])]
    table: bool,
    /// What a tie counts; each choice is a different set of features
    #[arg(long, value_enum, default_value_t)]
    ties: TiesArg,
    /// How deciles are computed; each choice is a different set of features
    #[arg(long, value_enum, default_value_t)]
    method: Method,
    #[arg(from_global)]
    json: bool,
}

/// Runs the command: prints features, the schema or the table.
pub fn run(args: &Args) -> Result<Output, Failure> {
    if args.preflop_table {
        return Ok(Output::from(preflop_table()));
    }
    let set = if args.table { FeatureSet::Table } else { FeatureSet::Paper };
    let schema = Schema::new(set, args.ties.ties(), args.method.quantiles());
    if args.schema {
        let report = SchemaReport::new(schema, args.ties, args.method);
        return Output::report(&report, args.json);
    }
    let (title, features) = situation(args, &mut FeatureMaker::counting(schema))?;
    Output::report(&Situation::new(schema, title, &features), args.json)
}

/// A feature of a situation, or of the schema.
#[derive(Serialize)]
struct ListedFeature {
    id: String,
    name: String,
    unit: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<serde_json::Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<String>,
    /// The value in words.
    #[serde(skip)]
    shown: [String; 2],
}

impl ListedFeature {
    fn new(feature: Feature) -> ListedFeature {
        ListedFeature {
            id: feature.to_string(),
            name: feature.name(),
            unit: feature.unit().to_string(),
            value: None,
            explanation: None,
            shown: [const { String::new() }; 2],
        }
    }
}

/// The features of a situation.
#[derive(Serialize)]
struct Situation {
    features: Stamp,
    /// The situation in words.
    situation: String,
    street: String,
    values: Vec<ListedFeature>,
}

impl Report for Situation {
    const SCHEMA: &'static str = "cardroom-features/1";
}

impl Situation {
    fn new(schema: Schema, situation: String, features: &Features) -> Situation {
        let values = features.iter().map(|(feature, value)| {
            let (number, unit) = match feature.unit() {
                Unit::ShareOfPot => (format!("{value:.6}"), "of pot"),
                Unit::Chips => (value.to_string(), "chips"),
                Unit::Raises => (value.to_string(), "raises"),
                Unit::YesOrNo => (if value > 0.0 { "yes" } else { "no" }.to_owned(), ""),
            };
            let shown = [number, unit.to_owned()];
            ListedFeature { value: exact(value), shown, ..ListedFeature::new(feature) }
        });
        let values = values.collect();
        let street = features.street().to_string();
        Situation { features: schema.stamp(), situation, street, values }
    }
}

impl fmt::Display for Situation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows =
            self.values.iter().map(|ListedFeature { id, name, shown: [value, unit], .. }| {
                [id.clone(), name.clone(), value.clone(), unit.clone()]
            });
        let table = Table::from_rows(rows).right(2..3).at_the_margin();
        writeln!(f, "{}: {} features\n\n{table}", self.situation, self.values.len())
    }
}

/// The names and explanations of the features.
#[derive(Serialize)]
struct SchemaReport {
    #[serde(skip)]
    schema: Schema,
    features: Stamp,
    ties_count: TiesArg,
    quantile_method: Method,
    streets: Vec<StreetFeatures>,
    all: Vec<ListedFeature>,
}

#[derive(Serialize)]
struct StreetFeatures {
    street: String,
    features: Vec<String>,
}

impl Report for SchemaReport {
    const SCHEMA: &'static str = "cardroom-features-schema/1";
}

impl SchemaReport {
    fn new(schema: Schema, ties_count: TiesArg, quantile_method: Method) -> SchemaReport {
        let streets = Street::ALL.into_iter().map(|street| StreetFeatures {
            street: street.to_string(),
            features: schema.features(street).map(|feature| feature.to_string()).collect(),
        });
        let all = schema.features(Street::Preflop).map(|feature| ListedFeature {
            explanation: Some(feature.explanation()),
            ..ListedFeature::new(feature)
        });
        SchemaReport {
            schema,
            features: schema.stamp(),
            ties_count,
            quantile_method,
            streets: streets.collect(),
            all: all.collect(),
        }
    }
}

impl fmt::Display for SchemaReport {
    /// The schema as Markdown, as in docs/features.md.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let deciles = match self.quantile_method {
            Method::Nearest => "deciles are the nearest rank",
            Method::Linear => "deciles are interpolated linearly",
        };
        let Stamp { id, sha256 } = &self.features;
        write!(
            f,
            "`{id}`: {}, {deciles}.\n\nsha256 `{sha256}`\n\n\
             | preflop | flop | turn | river | feature | name | unit | meaning |\n\
             |---|---|---|---|---|---|---|---|\n",
            self.ties_count.words()
        )?;
        for feature in self.schema.features(Street::Preflop) {
            for street in Street::ALL {
                let place = self.schema.index(feature, street);
                write!(f, "| {} ", place.map_or("–".to_owned(), |index| index.to_string()))?;
            }
            let (name, unit) = (feature.name(), feature.unit());
            writeln!(f, "| `{feature}` | {name} | {unit} | {} |", feature.explanation())?;
        }
        Ok(())
    }
}

/// The situation in words, and its features.
fn situation(args: &Args, maker: &mut FeatureMaker) -> Result<(String, Features), Failure> {
    if let Some(line) = &args.state {
        let def = args.game.load()?;
        let state = MatchState::parse(&def, line).map_err(|error| {
            Failure::input(anyhow::anyhow!("the match state of --state: {error}"))
        })?;
        let infoset = state.infoset();
        let features = maker.infoset(&infoset)?;
        let title = format!(
            "{} in position {}",
            cards_words(&infoset.hole.to_string(), &infoset.public.board().to_string()),
            state.seat
        );
        return Ok((title, features));
    }
    let hand = parse_hand(args.cards.as_deref().unwrap_or_default())?;
    let board = parse_board(args.board.as_deref())?;
    check_disjoint(std::slice::from_ref(&hand), &board)?;
    let bets = bets(args.bets.as_deref().unwrap_or("0"), board.cards)?;
    let features = maker.cards(hand.combo, board.cards, &SeenBetting::of_opponent(bets))?;
    Ok((cards_words(&hand.text, &board.text), features))
}

fn cards_words(hand: &str, board: &str) -> String {
    format!("{hand} {}", on_board(board))
}

/// Parses the bets of each street, from the first on; omitted ones are 0.
fn bets(text: &str, board: CardSet) -> Result<[Chips; 4], Failure> {
    let mut bets = [0; 4];
    let words: Vec<&str> = text.split(',').collect();
    if words.len() > bets.len() {
        return Err(Failure::usage(format!(
            "--bets: {} amounts: give at most four, from preflop to river",
            words.len()
        )));
    }
    let reached = board.len().saturating_sub(2) as usize;
    for ((bet, word), street) in bets.iter_mut().zip(words).zip(Street::ALL) {
        *bet = word.trim().parse().map_err(|_| {
            Failure::usage(format!(
                "--bets: `{word}` is not a number of chips: give whole numbers with commas \
                 between, as in `100,300`"
            ))
        })?;
        if *bet > 0 && street.index() > reached {
            return Err(Failure::input(anyhow::anyhow!(
                "--bets: {bet} chips on the {street}, which this board has not reached: give 0"
            )));
        }
    }
    Ok(bets)
}

/// The shortest decimal that parses as this `f32`, without a fraction if it has none.
fn exact(value: f32) -> Option<serde_json::Number> {
    let number: f64 = value.to_string().parse().ok()?;
    match number.fract() {
        0.0 => Some((number as i64).into()),
        _ => serde_json::Number::from_f64(number),
    }
}
