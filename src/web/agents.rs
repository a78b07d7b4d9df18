//! The page of an agent: what it is, what it won here, how it plays before the flop and how that
//! differs from another agent, what it does in a situation; for trees the tree itself, the way of
//! the situation through it and where it bluffs, and its rules as a card.
//!
//! The charts and trees are those of `cardroom explain`.

use std::sync::Arc;

use abstraction::features::FeatureMaker;
use askama::Template;
use axum::Router;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use cards::{Board, CardList, Combo, HoleCards};
use evaluation::decision::TreePath;
use game::{Action, InfoSet, Policy, PublicState, Street, Turn, notation};
use models::chart::{Chart, Difference, Title, action_words};
use models::explain::{Explainer, Weak, on_street};
use models::student::Student;
use models::tree_report::{Bluffs, Playbook, TreePart};
use serde::Deserialize;
use show::number::{fixed, percent, signed_grouped};

use super::Site;
use super::hands::encoded;
use super::overview::AgentLine;
use super::pages::{blocking, page, refusal};
use super::policies::Policies;
use super::records::MatchLine;

/// The depth to which a part of a tree is shown.
const DEPTH: usize = 3;
/// Hands that are listed where two agents differ most, matches of the agent, and bluffs of a
/// street.
const MOST: usize = 8;
/// What a bluff is: an equity below this, and a bet or raise at least this often.
const WEAK: Weak = Weak { equity: 0.45, raise: 0.2 };
/// The policy of a page that stands alone and has its own styles.
pub const CARD_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'";

/// What of an agent is asked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Asked {
    /// The betting before the flop at which the chart is, as in `r250`.
    at: String,
    /// Another agent, to compare charts with.
    with: String,
    /// The street of the tree.
    street: String,
    /// The first node that is shown of it.
    node: usize,
    /// A situation: two cards, the board and the betting.
    hand: String,
    board: String,
    betting: String,
}

type Shared = (Site, Arc<Policies>);

/// The routes of the pages.
pub fn router(site: Site, policies: Arc<Policies>) -> Router {
    Router::new()
        .route("/agents/{name}", get(html))
        .route("/agents/{name}/chart.svg", get(chart_picture))
        .route("/agents/{name}/tree.svg", get(tree_picture))
        .route("/agents/{name}/card", get(card))
        .with_state((site, policies))
}

/// Why something is not shown, as a page.
struct Refused(StatusCode, String);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        refusal(self.0, &self.1)
    }
}

fn wrong(error: impl Into<String>) -> Refused {
    Refused(StatusCode::BAD_REQUEST, error.into())
}

fn missing(error: impl Into<String>) -> Refused {
    Refused(StatusCode::NOT_FOUND, error.into())
}

fn asked(query: Result<Query<Asked>, QueryRejection>) -> Result<Asked, Response> {
    let read = query.map(|Query(query)| query);
    read.map_err(|error| wrong(error.body_text()).into_response())
}

async fn html(
    State((site, policies)): State<Shared>,
    Path(name): Path<String>,
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<Response, Response> {
    let asked = asked(query)?;
    let made = blocking(move || AgentPage::new(&site, &policies, &name, asked)).await?;
    made.map(|made| page(&made)).map_err(IntoResponse::into_response)
}

async fn chart_picture(
    State((_, policies)): State<Shared>,
    Path(name): Path<String>,
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<Response, Response> {
    let Asked { at, .. } = asked(query)?;
    let made = blocking(move || {
        let (chart, state) = chart(&policies, &name, &at)?;
        let head = chart_head(&name, &at);
        let title = Title { head, about: format!("{} to act", position(&state)) };
        Ok::<_, Refused>(chart.picture(&title))
    });
    Ok(svg(made.await?.map_err(IntoResponse::into_response)?))
}

async fn tree_picture(
    State((_, policies)): State<Shared>,
    Path(name): Path<String>,
    query: Result<Query<Asked>, QueryRejection>,
) -> Result<Response, Response> {
    let asked = asked(query)?;
    let made = blocking(move || {
        let student = student(&policies, &name)?;
        let street = street(&asked.street)?;
        // The method itself is for one lifetime only.
        #[allow(clippy::redundant_closure_for_method_calls)]
        with_part(&name, &student, street, asked.node, |part| part.svg())
    });
    Ok(svg(made.await?.map_err(IntoResponse::into_response)?))
}

/// The upper rules of all streets on a page of its own, to print.
async fn card(
    State((_, policies)): State<Shared>,
    Path(name): Path<String>,
) -> Result<Response, Response> {
    let made = blocking(move || {
        let student = student(&policies, &name)?;
        let trees: Option<Vec<Explainer<'_>>> =
            Street::ALL.into_iter().map(|street| Explainer::for_street(&student, street)).collect();
        let trees = trees.ok_or_else(|| missing("its model is not a tree on every street"))?;
        Ok::<_, Refused>(Playbook::new(&name, &student, &trees, None).html())
    });
    let made = made.await?.map_err(IntoResponse::into_response)?;
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, CARD_POLICY),
    ];
    Ok((headers, made).into_response())
}

fn svg(picture: String) -> Response {
    let headers =
        [(header::CONTENT_TYPE, "image/svg+xml"), (header::CONTENT_SECURITY_POLICY, CARD_POLICY)];
    (headers, picture).into_response()
}

/// The public state before the flop after this betting, where somebody is to act.
fn before_the_flop(policies: &Policies, at: &str) -> Result<PublicState, Refused> {
    let state = notation::replay(policies.def(), at, &Board::EMPTY)
        .map_err(|error| wrong(format!("`at`: {error}; write it as in cr400")))?;
    match state.turn() {
        Turn::Act(_) if state.street() == Street::Preflop => Ok(state),
        _ => {
            Err(wrong("`at`: nobody decides before the flop after that: leave out the last action"))
        }
    }
}

/// The agent's chart after this betting, all hands counted once.
fn chart(policies: &Policies, name: &str, at: &str) -> Result<(Chart, PublicState), Refused> {
    let state = before_the_flop(policies, at)?;
    let policy = policies.policy(name).map_err(missing)?;
    let Turn::Act(seat) = state.turn() else { return Err(wrong("nobody decides there")) };
    Ok((Chart::of_policy(policy.as_ref(), &state, seat, &[1.0; Combo::COUNT]), state))
}

fn chart_head(name: &str, at: &str) -> String {
    match at {
        "" => format!("{name} at the first decision"),
        at => format!("{name} after {at}"),
    }
}

fn position(state: &PublicState) -> String {
    match state.turn() {
        Turn::Act(seat) => state.def().position(seat).to_string(),
        Turn::Deal(_) | Turn::Over => String::new(),
    }
}

/// The trees of an agent.
fn student(policies: &Policies, name: &str) -> Result<Arc<Student>, Refused> {
    let agent = policies.agent(name);
    let student = agent.and_then(agents::AgentChoice::student);
    student.ok_or_else(|| missing(format!("`{}` has no trees", game::escape::excerpt(name))))
}

fn street(name: &str) -> Result<Street, Refused> {
    let found = Street::ALL.into_iter().find(|street| street.name() == name);
    found.ok_or_else(|| wrong("`street` is preflop, flop, turn or river"))
}

/// Works with a part of a tree.
fn with_part<T>(
    name: &str,
    student: &Student,
    street: Street,
    node: usize,
    work: impl FnOnce(&TreePart<'_>) -> T,
) -> Result<T, Refused> {
    let explainer = Explainer::for_street(student, street)
        .ok_or_else(|| missing(format!("the model of the {street} is not a tree")))?;
    let nodes = explainer.tree().nodes();
    if node >= nodes {
        return Err(wrong(format!(
            "`node`: the tree of the {street} has nodes 0 to {}",
            nodes - 1
        )));
    }
    Ok(work(&TreePart::new(name, (student, street), &explainer, (node, DEPTH), None)))
}

#[derive(Template)]
#[template(path = "agent.html", config = ".askama.toml")]
struct AgentPage {
    line: AgentLine,
    /// What it wins from `cfr` in thousandths of a big blind, where it is known.
    strength: String,
    /// What it is made from, a line each.
    about: Vec<String>,
    matches: Vec<MatchLine>,
    asked: Asked,
    /// `None` where it cannot be asked for its strategy.
    chart: Option<ChartPart>,
    /// The agents that it can be compared with.
    others: Vec<String>,
    /// Whether it can be asked about situations.
    at_once: bool,
    situation: Option<SituationPart>,
    /// Why the situation cannot be shown; empty otherwise.
    wrong: String,
    tree: Option<TreeView>,
}

/// The chart before the flop.
struct ChartPart {
    head: String,
    position: String,
    /// The chart as text.
    text: String,
    /// The way there: the betting before each action, and the action in words.
    way: Vec<(String, String)>,
    /// What comes next: the betting with it, the action in words, and its share in percent.
    next: Vec<(String, String, String)>,
    difference: Option<DifferencePart>,
}

/// How two agents differ.
struct DifferencePart {
    with: String,
    /// The share of all hands in which they do not do the same.
    all: String,
    /// The rows of the chart: hands with a class for how much they differ, and that in percent.
    rows: Vec<Vec<(String, usize, String)>>,
    /// The hands that differ most: what each of both does.
    most: Vec<(String, String, [String; 2])>,
}

/// What the agent does in a situation.
struct SituationPart {
    /// Actions with their shares in percent, as a number and in words.
    actions: Vec<(String, String, String)>,
    path: Option<PathPart>,
    /// The way there: the betting before each action, and the action in words.
    way: Vec<(String, String)>,
    /// What can come next: the betting with it, and the action in words.
    next: Vec<(String, String)>,
}

/// The way through a tree.
struct PathPart {
    street: &'static str,
    on_street: String,
    steps: Vec<(usize, String)>,
    leaf: usize,
    does: String,
    changes: [Vec<String>; 2],
}

/// A part of a tree.
struct TreeView {
    street: &'static str,
    text: String,
    /// The nodes that go on below what is shown.
    below: Vec<usize>,
    bluffs: String,
}

impl AgentPage {
    fn new(
        site: &Site,
        policies: &Policies,
        name: &str,
        asked: Asked,
    ) -> Result<AgentPage, Refused> {
        let line = site.agents.iter().find(|line| line.name == name).cloned();
        let line = line.ok_or_else(|| missing("there is no agent with this name"))?;
        let choice = policies.agent(name);
        let strength = choice.map(agents::AgentChoice::spec);
        let strength =
            strength.filter(|spec| spec.kind == name).and_then(agents::AgentSpec::strength);
        // That of the agent which the others are compared with.
        let strength = strength.filter(|known| known.plus_minus > 0.0);
        let strength = strength.map(|known| {
            format!("{} ± {}", signed_grouped(known.mbb, 0), fixed(known.plus_minus, 0))
        });
        let chart = match choice {
            Some(_) => Some(ChartPart::new(policies, name, &asked)?),
            None => None,
        };
        let student = student(policies, name).ok();
        let student =
            student.filter(|student| Explainer::for_street(student, Street::River).is_some());
        let (mut situation, mut wrong) = (None, String::new());
        if choice.is_some() && !asked.hand.is_empty() {
            match SituationPart::new(policies, name, &asked, student.as_deref()) {
                Ok(part) => situation = Some(part),
                Err(Refused(_, error)) => wrong = error,
            }
        }
        let tree = match &student {
            Some(student) => Some(TreeView::new(name, student, &asked)?),
            None => None,
        };
        let played = |found: &MatchLine| found.players.iter().any(|player| player.name == name);
        let matches = site.records.latest(500).into_iter().filter(played).take(MOST).collect();
        let others = policies.names().into_iter().filter(|other| *other != name);
        Ok(AgentPage {
            strength: strength.unwrap_or_default(),
            about: choice.map_or("", |choice| choice.about()).lines().map(str::to_owned).collect(),
            matches,
            chart,
            others: others.map(str::to_owned).collect(),
            at_once: policies.decides_at_once(name),
            situation,
            wrong,
            tree,
            asked,
            line,
        })
    }

    /// The result of a match for the agent, in words.
    fn won(&self, line: &MatchLine) -> String {
        let own = line.players.iter().find(|player| player.name == self.line.name);
        let rate = own.and_then(|player| player.rate.as_ref());
        rate.map_or_else(String::new, |rate| {
            format!("{} ± {}", signed_grouped(rate.mbb, 0), fixed((rate.high - rate.low) / 2.0, 0))
        })
    }

    /// The address of the situation after another betting.
    fn situation_at(&self, betting: &str) -> String {
        let Asked { hand, board, .. } = &self.asked;
        // No more cards than there are by then.
        let cards = [0, 3, 4, 5][betting.matches('/').count().min(3)];
        let dealt = board.parse::<Board>().ok().and_then(|board| {
            let dealt = board.get(..cards.min(board.len()))?;
            Some(dealt.iter().map(ToString::to_string).collect::<String>())
        });
        let board = dealt.unwrap_or_else(|| board.clone());
        let [hand, board, betting] = [hand.as_str(), &board, betting].map(encoded);
        format!("?hand={hand}&board={board}&betting={betting}#situation")
    }

    /// The others of a match.
    fn against(&self, line: &MatchLine) -> String {
        let others = line.players.iter().filter(|player| player.name != self.line.name);
        others.map(|player| player.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

impl ChartPart {
    fn new(policies: &Policies, name: &str, asked: &Asked) -> Result<ChartPart, Refused> {
        let (own, state) = chart(policies, name, &asked.at)?;
        let way = way_to(&state);
        let mut next = Vec::new();
        for choice in own.actions.iter().filter(|choice| choice.frequency > 0.0) {
            let after = format!("{}{}", asked.at, choice.word);
            // An action that ends the street leads to no chart.
            if before_the_flop(policies, &after).is_ok() {
                next.push((after, choice.name.clone(), percent(choice.frequency, 1)));
            }
        }
        let difference = match asked.with.as_str() {
            "" => None,
            with => {
                let (other, _) = chart(policies, with, &asked.at)?;
                Some(DifferencePart::new(with, &Difference::new(&own, &other), [&own, &other]))
            }
        };
        let text = format!("{}\n{}", own.actions_text(false), own.text(false));
        let (head, position) = (chart_head(name, &asked.at), position(&state));
        Ok(ChartPart { head, position, text, way, next, difference })
    }
}

impl DifferencePart {
    fn new(with: &str, difference: &Difference, charts: [&Chart; 2]) -> DifferencePart {
        let words = charts.map(Chart::cells_in_words);
        let cell = |(hand, share): &(cards::StartingHand, f64)| {
            let class = (share * 10.0).ceil() as usize;
            (hand.to_string(), class.min(10), percent(*share, 0))
        };
        let cells: Vec<_> = difference.hands.iter().map(cell).collect();
        let mut order: Vec<usize> = (0..difference.hands.len()).collect();
        order.sort_by(|&a, &b| difference.hands[b].1.total_cmp(&difference.hands[a].1));
        let listed = order.into_iter().filter(|&at| difference.hands[at].1 > 0.0).take(MOST);
        let most = listed.map(|at| {
            let (hand, share) = &difference.hands[at];
            (hand.to_string(), percent(*share, 0), [0, 1].map(|of: usize| words[of][at].clone()))
        });
        DifferencePart {
            with: with.to_owned(),
            all: percent(difference.all, 1),
            rows: cells.chunks(13).map(<[_]>::to_vec).collect(),
            most: most.collect(),
        }
    }
}

impl SituationPart {
    fn new(
        policies: &Policies,
        name: &str,
        asked: &Asked,
        student: Option<&Student>,
    ) -> Result<SituationPart, Refused> {
        if !policies.decides_at_once(name) {
            return Err(wrong(
                "it thinks about each decision, which this page does not have it do",
            ));
        }
        let infoset = infoset(policies, asked)?;
        let policy: Arc<dyn Policy> = policies.policy(name).map_err(missing)?;
        let strategy = policy.strategy(&infoset);
        let mut actions = strategy.actions;
        actions.retain(|&(_, share)| share > 0.0);
        actions.sort_by(|a, b| b.1.total_cmp(&a.1));
        let public = &infoset.public;
        // Those that go on: the agent's own, and a check or call.
        let mut going: Vec<Action> = actions.iter().map(|&(action, _)| action).collect();
        going.retain(|&action| action != Action::Fold && action != Action::Call);
        going.sort_by_key(|action| match action {
            Action::RaiseTo(total) => *total,
            Action::Fold | Action::Call => 0,
        });
        going.insert(0, Action::Call);
        let next = going.into_iter().filter_map(|action| {
            let mut after = public.clone();
            after.apply(action).ok()?;
            let goes_on = after.turn() != Turn::Over && after.able().len() > 1;
            goes_on.then(|| (notation::betting(&after), action_words(public, action)))
        });
        let (way, next) = (way_to(public), next.collect());
        let actions = actions.into_iter().map(|(action, share)| {
            let words = action_words(public, action);
            (words, fixed(100.0 * share, 1), percent(share, 1))
        });
        let path = student.map(|student| PathPart::new(&infoset, student)).transpose()?;
        Ok(SituationPart { actions: actions.collect(), path: path.flatten(), way, next })
    }
}

/// The actions that led to a state: the betting before each, and the action in words.
fn way_to(state: &PublicState) -> Vec<(String, String)> {
    let mut way = Vec::new();
    state.each_decision(|before, played| {
        way.push((notation::betting(before), action_words(before, played.action)));
    });
    way
}

/// The situation that is asked about.
fn infoset(policies: &Policies, asked: &Asked) -> Result<InfoSet, Refused> {
    let held = asked.hand.trim().parse::<CardList<2>>();
    let held = held.map_err(|error| wrong(format!("`hand`: {error}")))?;
    let combo = match held.as_slice() {
        &[a, b] => Combo::new(a, b),
        _ => None,
    };
    let combo = combo.ok_or_else(|| wrong("`hand`: write two different cards, as in AhKd"))?;
    let board: Board =
        asked.board.trim().parse().map_err(|error| wrong(format!("`board`: {error}")))?;
    if combo.set().intersects(board.set()) {
        return Err(wrong("a card is both in the hand and on the board"));
    }
    let public = notation::replay(policies.def(), asked.betting.trim(), &board)
        .map_err(|error| wrong(format!("`betting`: {error}; write it as in r250c/cr500")))?;
    let seat = match public.turn() {
        Turn::Act(seat) => seat,
        Turn::Deal(_) if public.able().len() > 1 => {
            return Err(wrong("cards are due after this betting: write them as the board"));
        }
        Turn::Deal(_) | Turn::Over => {
            return Err(wrong("nobody decides after this betting: leave out the last action"));
        }
    };
    let hole = HoleCards::new(&combo.cards()).expect("two different cards");
    Ok(InfoSet { public, seat, hole })
}

impl PathPart {
    fn new(infoset: &InfoSet, student: &Student) -> Result<Option<PathPart>, Refused> {
        let street = infoset.public.street();
        let Some(explainer) = Explainer::for_street(student, street) else { return Ok(None) };
        let mut maker = FeatureMaker::new(student.schema());
        let features = maker.infoset(infoset).map_err(|error| wrong(error.to_string()))?;
        let path = TreePath::new(infoset, (student, &explainer), features);
        Ok(Some(PathPart {
            street: street.name(),
            on_street: on_street(street),
            steps: path.steps(),
            leaf: path.nodes().last().copied().unwrap_or_default(),
            does: path.does(),
            changes: path.changes(),
        }))
    }
}

impl TreeView {
    fn new(name: &str, student: &Student, asked: &Asked) -> Result<TreeView, Refused> {
        let street = match asked.street.as_str() {
            "" => Street::Preflop,
            name => street(name)?,
        };
        let (text, below) =
            with_part(name, student, street, asked.node, |part| (part.text(), part.below()))?;
        let explainer = Explainer::for_street(student, street);
        let trees = explainer.into_iter().map(|explainer| (street, explainer)).collect();
        let bluffs = Bluffs::new(name, trees, WEAK, MOST).to_string();
        // The page has no option to show more of them.
        let bluffs = bluffs.replace("more: --most shows them", "more");
        Ok(TreeView { street: street.name(), text, below, bluffs })
    }
}
