//! `cardroom features`: the features of a situation, as models see them.

use abstraction::features::{
    Feature, FeatureMaker, Features, Quantiles, Schema, Unit, preflop_table,
};
use cards::CardSet;
use game::{Chips, Street};
use protocol::acpc::matchstate::MatchState;
use serde_json::{Value, json};
use show::Table;

use crate::exit::Failure;
use crate::odds::{Method, TiesArg, input};
use crate::output::{Output, Shown};
use crate::resolve_names::Game;

/// Show a situation of heads-up hold'em as the numbers that models use, with their names.
///
/// There are 35 before the flop, 25 on the flop, 15 on the turn and 5 on the river: the win-rate,
/// ten deciles of the win-rate on each later street, and the opponent's chips. docs/features.md
/// describes them.
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
    /// What a tie counts; each choice is a different set of features
    #[arg(long, value_enum, default_value_t)]
    ties: TiesArg,
    /// How deciles are computed; each choice is a different set of features
    #[arg(long, value_enum, default_value_t)]
    method: Method,
    /// Print one JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command: prints features, the schema or the table.
pub fn run(args: &Args) -> Result<Output, Failure> {
    if args.preflop_table {
        return Ok(Output::from(preflop_table()));
    }
    let quantiles = match args.method {
        Method::Nearest => Quantiles::Nearest,
        Method::Linear => Quantiles::Linear,
    };
    let schema = Schema { ties: args.ties.ties(), quantiles };
    if args.schema {
        return Output::of(&Names { schema, args }, args.json);
    }
    let (title, features) = situation(args, &mut FeatureMaker::counting(schema))?;
    Output::of(&Values { schema, title, features }, args.json)
}

/// The features of a situation.
struct Values {
    schema: Schema,
    /// The situation in words.
    title: String,
    features: Features,
}

impl Shown for Values {
    fn text(&self) -> String {
        let Values { title, features, .. } = self;
        let rows = features.iter().map(|(feature, value)| {
            let (value, unit) = match feature.unit() {
                Unit::ShareOfPot => (format!("{value:.6}"), "of pot"),
                Unit::Chips => (value.to_string(), "chips"),
            };
            [feature.to_string(), feature.name(), value, unit.to_owned()]
        });
        let table = Table::of(rows).right(2..3).at_the_margin();
        format!("{title}: {} features\n\n{table}\n", features.as_slice().len())
    }

    fn document(&self) -> impl serde::Serialize {
        let values = self.features.iter().map(|(feature, value)| {
            let mut entry = feature_json(feature);
            entry["value"] = exact(value);
            entry
        });
        json!({
            "schema": "cardroom-features/1",
            "features": self.schema.stamp(),
            "situation": self.title,
            "street": self.features.street().to_string(),
            "values": values.collect::<Vec<_>>(),
        })
    }
}

/// The names and explanations of the features.
struct Names<'a> {
    schema: Schema,
    args: &'a Args,
}

impl Shown for Names<'_> {
    fn text(&self) -> String {
        schema_text(self.schema, self.args)
    }

    fn document(&self) -> impl serde::Serialize {
        schema_json(self.schema, self.args)
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
        let features = maker.infoset(&infoset).map_err(Failure::input)?;
        let title = format!(
            "{} in position {}",
            cards_words(&infoset.hole.to_string(), &infoset.public.board().to_string()),
            state.seat
        );
        return Ok((title, features));
    }
    let hand = input::hand(args.cards.as_deref().unwrap_or_default())?;
    let board = input::board(args.board.as_deref())?;
    input::disjoint(std::slice::from_ref(&hand), &board)?;
    let bets = bets(args.bets.as_deref().unwrap_or("0"), board.cards)?;
    let features = maker.cards(hand.combo, board.cards, bets).map_err(Failure::input)?;
    Ok((cards_words(&hand.text, &board.text), features))
}

fn cards_words(hand: &str, board: &str) -> String {
    format!("{hand} {}", crate::odds::on_board(board))
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

/// The shortest decimal that parses as this `f32`.
fn exact(value: f32) -> Value {
    let text = value.to_string();
    text.parse::<f64>().map_or(Value::Null, |number| {
        if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
    })
}

fn feature_json(feature: Feature) -> Value {
    json!({
        "id": feature.to_string(),
        "name": feature.name(),
        "unit": feature.unit().to_string(),
    })
}

fn schema_json(schema: Schema, args: &Args) -> Value {
    let streets = Street::ALL.map(|street| {
        let ids: Vec<String> = Feature::of(street).map(|feature| feature.to_string()).collect();
        json!({ "street": street.to_string(), "features": ids })
    });
    let features = Feature::of(Street::Preflop).map(|feature| {
        let mut entry = feature_json(feature);
        entry["explanation"] = json!(feature.explanation());
        entry
    });
    json!({
        "schema": "cardroom-features-schema/1",
        "features": schema.stamp(),
        "ties_count": args.ties.name(),
        "quantile_method": args.method.name(),
        "streets": streets,
        "all": features.collect::<Vec<_>>(),
    })
}

/// The schema as Markdown, as in docs/features.md.
fn schema_text(schema: Schema, args: &Args) -> String {
    let stamp = schema.stamp();
    let deciles = match args.method {
        Method::Nearest => "deciles are the nearest rank",
        Method::Linear => "deciles are interpolated linearly",
    };
    let mut text = format!(
        "`{}`: {}, {deciles}.\n\nsha256 `{}`\n\n\
         | preflop | flop | turn | river | feature | name | unit | meaning |\n\
         |---|---|---|---|---|---|---|---|\n",
        stamp.id,
        args.ties.words(),
        stamp.sha256
    );
    for feature in Feature::of(Street::Preflop) {
        for street in Street::ALL {
            let place = feature.index(street).map_or("–".to_owned(), |index| index.to_string());
            text.push_str(&format!("| {place} "));
        }
        let (name, unit) = (feature.name(), feature.unit());
        text.push_str(&format!("| `{feature}` | {name} | {unit} | {} |\n", feature.explanation()));
    }
    text
}
