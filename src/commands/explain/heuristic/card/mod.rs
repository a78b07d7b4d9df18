//! The card: the rules of all streets on one page, for print or for a phone.

mod html;
mod svg;

use std::path::Path;

use game::Betting;
use show::number::{signed_minus, whole};

use super::shown::{Lists, capital};
use crate::commands::explain::tree_source::on;
use crate::exit::Failure;

/// The contents of a card.
struct Card {
    head: String,
    /// Whom it is for and how to read it.
    reading: String,
    /// The streets: a head, and the rules in order.
    streets: Vec<(String, Vec<Rule>)>,
    /// The definitions of terms.
    terms: Vec<String>,
    /// The winnings and the source of the rules.
    foot: Vec<String>,
}

/// A rule: its condition and its action.
struct Rule {
    when: String,
    what: String,
}

/// Checks that the extension of the file is one of a known format.
pub(super) fn check(path: &Path) -> Result<(), Failure> {
    draw(path).map(drop)
}

/// The contents of the file, in the format of its extension.
pub(super) fn page(path: &Path, shown: &Lists<'_>) -> Result<String, Failure> {
    Ok(draw(path)?(&card(shown)))
}

fn draw(path: &Path) -> Result<fn(&Card) -> String, Failure> {
    let ending = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => Ok(html::page),
        Some("svg") => Ok(svg::page),
        _ => Err(Failure::usage(format!(
            "--card {}: a card is an .html or an .svg file, and this name ends in neither",
            path.display()
        ))),
    }
}

fn card(shown: &Lists<'_>) -> Card {
    let streets = shown.streets().map(|(street, list)| {
        let rule = |at: usize| {
            let [when, what] = list.when_and_what(at, street);
            Rule { when: capital(&when), what: capital(&what) }
        };
        (capital(&on(street)), (0..=list.statements().len()).map(rule).collect())
    });
    let mut reading = "For two players. In each round go down the list: the first line that is \
                       true says what you do. Where there is nothing to pay, do not fold but \
                       check; where you may no longer raise, call."
        .to_owned();
    let game = match shown.def.betting {
        Betting::Limit => "limit",
        Betting::NoLimit => {
            reading += " Against a bet, to bet the pot means to raise by what is in the middle \
                        after your call.";
            "no-limit"
        }
    };
    let mut foot = Vec::new();
    if let (Some(rate), Some(measured)) = (shown.won(), shown.measured) {
        foot.push(format!(
            "Against {} it wins {} ± {:.0} thousandths of a big blind a hand ({} hands).",
            shown.against,
            signed_minus(rate.mbb, 0),
            rate.half_width(),
            whole(2 * measured.deals)
        ));
    }
    let file = Path::new(&shown.name).file_name().map(|name| name.to_string_lossy());
    let file = file.unwrap_or_default();
    foot.push(format!("Rules: {file}. Made by cardroom {}.", env!("CARGO_PKG_VERSION")));
    Card {
        head: format!("How to play {game} hold’em"),
        reading,
        streets: streets.collect(),
        terms: shown.terms(),
        foot,
    }
}
