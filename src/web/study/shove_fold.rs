//! All-in or fold before the flop: the equilibrium at a stack, how often each hand that mixes is
//! played over all equilibria, and the best rules of a few questions, with their price.
//!
//! The numbers are those of `cardroom solve shove-fold` and `cardroom solve trees`.

use std::sync::{Arc, Mutex};

use askama::Template;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use cards::StartingHand;
use readable::shove_fold::range_trees::{BestTree, BlindTrees, Limits, Loss, RangeTrees, optima};
use readable::shove_fold::report::{MixedReport, RangesReport, Rule, ShoveFold, StackReport};
use readable::shove_fold::{Blind, Payoffs, Range};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use show::number::{fixed, percent, signed_minus};

use super::{Shared, Study, not_offered, open};
use crate::web::agents::CARD_POLICY;
use crate::web::api::Problem;
use crate::web::description::Description;
use crate::web::pages::{blocking, page, refusal};

/// The path of the API.
const PATH: &str = "/api/v1/study/shove-fold";
/// The rules that are measured beside the trees.
const RULES: [&str; 2] = ["sage-best", "published"];
/// The most questions of the trees, and about one hand.
const QUESTIONS: usize = 5;
const DEPTH: usize = 4;
/// Stacks that are kept solved: each takes the processor a second.
const KEPT: usize = 64;
/// The deepest stack, in big blinds; beyond it nobody plays this game.
const DEEPEST: f64 = 250.0;

/// The query.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct ShoveFoldQuery {
    /// The stack of each player in big blinds, including blinds and antes; 10 if it is not given.
    stack: String,
    /// The ante of each player, in big blinds; none if it is not given.
    ante: String,
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Asked {
    stack: f64,
    ante: f64,
}

impl ShoveFoldQuery {
    /// The numbers; a comma is as good as a point.
    fn read(&self) -> Result<Asked, String> {
        let number = |name: &str, text: &str, usual: f64| match text.trim() {
            "" => Ok(usual),
            text => text.replace(',', ".").parse().map_err(|_| {
                let text = game::escape::excerpt(text);
                format!("the {name} is a number of big blinds, as in 8.5, and not `{text}`")
            }),
        };
        Ok(Asked {
            stack: number("stack", &self.stack, 10.0)?,
            ante: number("ante", &self.ante, 0.0)?,
        })
    }
}

/// The game at a stack, solved.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct ShoveFoldView {
    /// The equilibrium, and two rules measured against it.
    equilibrium: StackReport,
    /// The best rules of a few questions.
    simple: RangeTrees,
}

impl ShoveFoldView {
    fn new(Asked { stack, ante }: Asked) -> Result<ShoveFoldView, String> {
        if stack > DEEPEST {
            return Err(format!(
                "a stack of {stack} big blinds: give at most {DEEPEST}; solve deeper ones with \
                 `cardroom solve shove-fold`"
            ));
        }
        let rules = RULES.map(Rule::load).into_iter().collect::<Result<Vec<_>, _>>();
        let solved = rules.and_then(|rules| ShoveFold::new(&[stack], ante, &rules));
        let solved = solved.map_err(|error| error.to_string())?;
        let equilibrium = solved.stacks.into_iter().next().ok_or("no stack was solved")?;
        let limits = Limits { questions: QUESTIONS, depth: DEPTH, ..Limits::default() };
        let trees = Blind::BOTH.map(|blind| {
            let payoffs = Payoffs::new(stack, ante).map_err(|error| error.to_string())?;
            let best = optima(&Loss::new(payoffs, blind), &limits, |_| true);
            Ok(BlindTrees::new(stack, blind, &best))
        });
        let blinds = trees.into_iter().collect::<Result<Vec<_>, String>>()?;
        let depth = u8::try_from(limits.depth).unwrap_or(u8::MAX);
        Ok(ShoveFoldView { equilibrium, simple: RangeTrees { ante, depth, blinds } })
    }
}

/// The routes of the page and of the API.
pub(super) fn router(study: Shared, api: &mut Description) -> Router {
    let about = "All-in or fold before the flop: the equilibrium at a stack, what all equilibria \
                 leave open, and the best rules of a few questions.";
    let path = api.get_with_query::<ShoveFoldView, ShoveFoldQuery>(PATH, "allInOrFold", about);
    let kept = Kept::default();
    Router::new()
        .route("/study/shove-fold", get(html))
        .route("/study/shove-fold/card", get(card))
        .route(path, get(document))
        .with_state((study, kept))
}

/// What was asked for, solved.
type Solved = (Asked, Arc<ShoveFoldView>);

/// The stacks that were solved, the latest first.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Solved>>>);

type Here = State<(Shared, Kept)>;

/// The game that a query asks for, solved on the server's threads.
async fn solved(
    (study, kept): (Study, Kept),
    query: Result<Query<ShoveFoldQuery>, QueryRejection>,
) -> Result<Result<Arc<ShoveFoldView>, String>, Response> {
    let asked = match query {
        Ok(Query(query)) => query.read(),
        Err(error) => Err(error.body_text()),
    };
    let asked = match asked {
        Ok(asked) => asked,
        Err(error) => return Ok(Err(error)),
    };
    blocking(move || {
        let lock = || parallel::lock(&kept.0);
        if let Some((_, known)) = lock().iter().find(|(known, _)| *known == asked) {
            return Ok(Arc::clone(known));
        }
        let found = Arc::new(study.on_threads(|| ShoveFoldView::new(asked))?);
        let mut kept = lock();
        kept.truncate(KEPT - 1);
        kept.insert(0, (asked, Arc::clone(&found)));
        Ok(found)
    })
    .await
}

async fn document(
    State((study, kept)): Here,
    query: Result<Query<ShoveFoldQuery>, QueryRejection>,
) -> Result<Json<ShoveFoldView>, Response> {
    let study = open(study).map_err(IntoResponse::into_response)?;
    let found = solved((study, kept), query).await?;
    found.map(|found| Json((*found).clone())).map_err(|error| {
        let remedy = "write `stack` and `ante` in big blinds, as in `?stack=8.5&ante=0.1`";
        Problem::new(StatusCode::BAD_REQUEST, error, remedy).into_response()
    })
}

async fn html(
    State((study, kept)): Here,
    query: Result<Query<ShoveFoldQuery>, QueryRejection>,
) -> Result<Response, Response> {
    let Some(study) = study else { return Ok(not_offered()) };
    Ok(match solved((study, kept), query).await? {
        Ok(found) => page(&ShoveFoldPage { found }),
        Err(error) => refusal(StatusCode::BAD_REQUEST, &error),
    })
}

/// The trees with the most questions on a page of their own, to print.
async fn card(
    State((study, kept)): Here,
    query: Result<Query<ShoveFoldQuery>, QueryRejection>,
) -> Result<Response, Response> {
    let Some(study) = study else { return Ok(not_offered()) };
    Ok(match solved((study, kept), query).await? {
        Ok(found) => {
            let headers = [
                (header::CONTENT_TYPE, "text/html; charset=utf-8"),
                (header::CONTENT_SECURITY_POLICY, CARD_POLICY),
            ];
            let card = found.simple.card().map(|card| card.html()).unwrap_or_default();
            (headers, card).into_response()
        }
        Err(error) => refusal(StatusCode::BAD_REQUEST, &error),
    })
}

#[derive(Template)]
#[template(path = "shove_fold.html", config = ".askama.toml")]
struct ShoveFoldPage {
    found: Arc<ShoveFoldView>,
}

/// A starting hand on the chart of a blind.
struct Cell {
    hand: String,
    /// How often it is played, in tenths.
    tenths: usize,
    /// Whether it mixes in an equilibrium.
    mixes: bool,
    words: String,
}

/// What one blind does.
struct BlindPart<'a> {
    /// `small` or `big`.
    blind: &'static str,
    /// The action of the hands that are played: `all-in` or `call`.
    action: &'static str,
    share: String,
    cells: Vec<Cell>,
    mixed: Vec<&'a MixedReport>,
    trees: &'a [BestTree],
    range: &'a Range,
}

impl ShoveFoldPage {
    fn parts<'a>(&'a self) -> Vec<BlindPart<'a>> {
        let StackReport { ranges, mixed, .. } = &self.found.equilibrium;
        let RangesReport { jam_share, call_share, jam, call } = ranges;
        let parts = [("small", jam_share, jam), ("big", call_share, call)];
        let parts = parts.into_iter().zip(&self.found.simple.blinds);
        let part =
            |((blind, share, range), simple): ((&'static str, &f64, &'a Range), &'a BlindTrees)| {
                let mixed: Vec<_> = mixed.iter().filter(|mixed| mixed.blind == blind).collect();
                BlindPart {
                    blind,
                    action: simple.action,
                    share: percent(*share, 2),
                    cells: cells(range, &mixed),
                    mixed,
                    trees: &simple.trees,
                    range,
                }
            };
        parts.map(part).collect()
    }

    fn value(&self) -> String {
        signed_minus(self.found.equilibrium.value, 5)
    }

    /// The rules that are measured beside the trees: name, what each blind loses, and their mean.
    fn rules(&self) -> Vec<[String; 4]> {
        let rules = self.found.equilibrium.rules.iter().map(|rule| {
            let lost = [rule.small_blind_loses_mbb, rule.big_blind_loses_mbb];
            let [small, big] = lost.map(|lost| fixed(lost, 1));
            [rule.rule.clone(), small, big, fixed(0.5 * (lost[0] + lost[1]), 1)]
        });
        rules.collect()
    }

    /// The commands that compute the same.
    fn commands(&self) -> [String; 2] {
        let StackReport { stack, ante, .. } = &self.found.equilibrium;
        let ante = if *ante > 0.0 { format!(" --ante {ante}") } else { String::new() };
        let rules = RULES.map(|rule| format!(" --rules {rule}")).concat();
        [
            format!("cardroom solve shove-fold --stack {stack}{ante}{rules}"),
            format!("cardroom solve trees --stack {stack}{ante} --depth {DEPTH}"),
        ]
    }
}

impl BlindPart<'_> {
    /// How often a hand that mixes is played in the equilibrium that is shown.
    fn plays(&self, mixed: &MixedReport) -> String {
        let found = StartingHand::all().find(|hand| hand.to_string() == mixed.hand);
        percent(found.map_or(0.0, |hand| self.range[hand.index()]), 1)
    }

    /// Whether a hand can be played more or less often in another equilibrium.
    fn is_open(&self) -> bool {
        self.mixed.iter().any(|mixed| mixed.most - mixed.least >= 1e-4)
    }

    /// How often a hand that mixes is played over all equilibria.
    fn over_all(&self, mixed: &MixedReport) -> String {
        if mixed.most - mixed.least < 1e-4 {
            "the same in all of them".to_owned()
        } else {
            format!("{} to {}", percent(mixed.least, 1), percent(mixed.most, 1))
        }
    }

    fn lost(&self, tree: &BestTree) -> String {
        fixed(tree.loses_mbb, 2)
    }

    fn played(&self, tree: &BestTree) -> String {
        percent(tree.played_share, 1)
    }

    /// Whether a tree is the best of its size, or what any loses at least.
    fn proof(&self, tree: &BestTree) -> String {
        if tree.proven {
            "proven".to_owned()
        } else {
            format!("any at least {}", fixed(tree.any_loses_mbb, 2))
        }
    }
}

fn cells(range: &Range, mixed: &[&MixedReport]) -> Vec<Cell> {
    let cell = |hand: StartingHand| {
        let plays = range[hand.index()];
        let name = hand.to_string();
        let found = mixed.iter().find(|mixed| mixed.hand == name);
        let over_all = found.map_or_else(
            || "in every equilibrium".to_owned(),
            |mixed| {
                let [least, most] = [mixed.least, mixed.most].map(|share| percent(share, 1));
                format!("{least} to {most} over all equilibria")
            },
        );
        Cell {
            tenths: (10.0 * plays).round() as usize,
            mixes: found.is_some(),
            words: format!("{name}: {}, {over_all}", percent(plays, 1)),
            hand: name,
        }
    };
    // In the order of the chart: suited hands above the diagonal.
    StartingHand::all().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_has_both_blinds_and_what_no_stack_is_is_refused() -> Result<(), String> {
        let found = ShoveFoldView::new(Asked { stack: 10.0, ante: 0.0 })?;
        let shown = ShoveFoldPage { found: Arc::new(found) };
        let parts = shown.parts();
        let mixed: Vec<String> =
            parts.iter().flat_map(|part| &part.mixed).map(|mixed| mixed.hand.clone()).collect();
        // As `cardroom solve shove-fold --stack 10` prints them.
        assert_eq!(mixed, ["43s", "Q6s"]);
        assert_eq!(parts[1].share, "37.38 %");
        assert!(parts.iter().all(|part| part.trees.len() == QUESTIONS + 1));
        let read =
            |stack: &str| ShoveFoldQuery { stack: stack.to_owned(), ante: String::new() }.read();
        assert_eq!(read(" 8,5 "), Ok(Asked { stack: 8.5, ante: 0.0 }));
        assert_eq!(read(""), Ok(Asked { stack: 10.0, ante: 0.0 }));
        assert!(read("ten").is_err_and(|error| error.contains("`ten`")));
        for (stack, ante) in [(0.5, 0.0), (f64::NAN, 0.0), (1e6, 0.0), (10.0, -1.0), (10.0, 20.0)] {
            assert!(ShoveFoldView::new(Asked { stack, ante }).is_err(), "{stack} {ante}");
        }
        Ok(())
    }
}
