//! The sections of the report.

use show::number::{percent, whole};

use super::files::{Files, STUDENTS};
use super::limits::{drawing, limits};
use super::published;
use super::results::{Pair, Results, STREETS, Slumbot};
use super::steps::PICTURES;
use super::words::{claims, rate};
use super::{ANCHOR, tables};
use crate::picture::signed;
use crate::record::Record;
use crate::sections::{Picture, Section, row};
use crate::{Options, ReadError};

/// The names of the pictures drawn here.
pub(super) const TABLE_1: &str = "000-table1.svg";
pub(super) const CURVE: &str = "000-curve.svg";

/// All sections for which there are results.
pub(super) fn sections(
    options: &Options,
    record: &Record,
    results: &Results,
) -> Result<Vec<Section>, ReadError> {
    let mut sections = vec![reproduced(results)];
    if !results.pairs.is_empty() {
        sections.push(table_1(results));
        sections.push(slumbot(results));
        sections.push(losses(results));
        sections.extend(training(results));
        sections.push(parameters(results));
        sections.push(fidelity(results));
    }
    sections.push(depths(results));
    sections.extend(curve(results));
    if let Some(opening) = opening(options, results)? {
        sections.push(opening);
        sections.push(trees(options, results)?);
        sections.push(Section {
            title: "What stands between this and the published study".to_owned(),
            list: limits(options, record, results),
            ..Section::default()
        });
    }
    Ok(sections)
}

fn reproduced(results: &Results) -> Section {
    let mut table = vec![row(["claim", "", "found"])];
    table.extend(
        claims(results)
            .into_iter()
            .map(|claim| vec![claim.claim.to_owned(), claim.mark.word().to_owned(), claim.found]),
    );
    Section {
        title: "What reproduces".to_owned(),
        prose: vec![
            "A claim is undecided where the 95 % interval holds both what would bear it out and what would not."
                .to_owned(),
        ],
        table,
        wide: true,
        ..Section::default()
    }
}

/// A published result in mbb/hand.
fn published(figure: Option<published::Published>) -> String {
    figure.map_or_else(String::new, |figure| {
        format!("{} ± {:.0}", signed(figure.won), figure.deviation)
    })
}

/// The verdict on a match: how it compares with the published one, or whether the players are
/// separated.
pub(super) fn verdict(pair: &Pair) -> &'static str {
    match (pair.verdict(), pair.played.rate.sign()) {
        (Some(verdict), _) => verdict.words(),
        (None, 0) => "not separated",
        (None, _) => "separated",
    }
}

fn table_1(results: &Results) -> Section {
    let heads = ["", "published", "likeliest played", "one by one", "drawn", "one by one", ""];
    let mut table = vec![row(heads)];
    table.extend(results.pairs.iter().map(|pair| {
        vec![
            format!("{} – {}", pair.one, pair.other),
            published(pair.published),
            rate(pair.played.rate),
            format!("± {:.0}", pair.played.single()),
            rate(pair.drawn.rate),
            format!("± {:.0}", pair.drawn.single()),
            verdict(pair).to_owned(),
        ]
    }));
    let hands = |pick: fn(&Pair) -> u64| results.pairs.first().map_or(0, pick);
    let mut prose = vec![format!(
        "What the first wins from the second in mbb/hand (thousandths of a big blind per hand; 10 are one dollar a game with a big blind \
         of 100 dollars), with 95 % intervals. The students play their likeliest action, {} hands a match; beside it stands what comes of \
         drawing actions by their probabilities, {} hands a match. The teacher plays as the agent cfr always does: it draws. Each deal is \
         played once in each seat and counts as one result; one by one is the interval that the same hands would have without that. Published \
         figures are of {} hands and stand with their deviations.",
        whole(hands(|pair| pair.played.hands)),
        whole(hands(|pair| pair.drawn.hands)),
        whole(published::HANDS),
    )];
    prose.extend(drawing(results, &results.players[..results.players.len() - 1]));
    Section {
        title: "Table 1: who wins from whom".to_owned(),
        prose,
        table,
        pictures: vec![Picture {
            file: TABLE_1.to_owned(),
            shows: "Table 1 as intervals".to_owned(),
            svg: tables::picture(results),
        }],
        ..Section::default()
    }
}

fn slumbot(results: &Results) -> Section {
    let mut table = vec![row(["", "published", "hands", "raw", "all corrections", ""])];
    table.extend(results.slumbot.iter().map(|line: &Slumbot| {
        let name = format!("{} – slumbot", line.kind);
        let figure = published(Some(line.published));
        match &line.run {
            None => vec![
                name,
                figure,
                String::new(),
                String::new(),
                String::new(),
                "not played".to_owned(),
            ],
            Some(run) => {
                let verdict = match &run.server {
                    Some(server) => {
                        format!("against {server}, which is not Slumbot ({})", run.agent)
                    }
                    None => {
                        let verdict = super::verdict::Verdict::of(run.combined, line.published);
                        format!("{} ({})", verdict.words(), run.agent)
                    }
                };
                vec![name, figure, whole(run.hands), rate(run.raw), rate(run.combined), verdict]
            }
        }
    }));
    let missing = results.slumbot.iter().filter(|line| line.run.is_none());
    let commands = missing.filter_map(|line| {
        let student = results.players.iter().find(|player| player.name == line.kind)?;
        Some(format!(
            "`cardroom play slumbot --agent {} --hands {} --out {}-slumbot`",
            student.agent,
            published::HANDS,
            line.kind
        ))
    });
    let commands: Vec<String> = commands.collect();
    let mut prose = vec![
        "The same against Slumbot, mbb/hand, with 95 % intervals (docs/slumbot.md).".to_owned(),
    ];
    if !commands.is_empty() {
        prose.push(format!(
            "A study asks no server. These commands do; the study then takes their folders (`--slumbot {}=FOLDER`): {}",
            STUDENTS.join("=FOLDER --slumbot "),
            commands.join(", ")
        ));
    }
    Section { title: "Table 1: Slumbot".to_owned(), prose, table, ..Section::default() }
}

/// The head of a table with a column for each street.
fn streets(before: &[&str], after: &[&str]) -> Vec<String> {
    let names = before.iter().chain(&STREETS).chain(after);
    names.map(|&name| name.to_owned()).collect()
}

fn losses(results: &Results) -> Section {
    let mut table = vec![streets(&[""], &[])];
    table.extend(results.losses.iter().map(|line| {
        let cell = |street: usize| {
            format!("{:.4} ({})", line.log_loss[street], percent(line.accuracy[street], 1))
        };
        [line.name.clone()].into_iter().chain((0..4).map(cell)).collect()
    }));
    if let Some(least) = results.least {
        let cells = least.map(|loss| format!("{loss:.4}"));
        table.push(["least possible".to_owned()].into_iter().chain(cells).collect());
    }
    let shown = results.order();
    let next = |above: &&super::results::Above| {
        let place = |name: &str| shown.iter().position(|known| *known == name);
        matches!((place(&above.first), place(&above.second)), (Some(a), Some(b)) if a + 1 == b)
    };
    table.extend(results.above.iter().filter(next).map(|above| {
        let cells = above
            .streets
            .map(|more| format!("{:+.4} ± {:.4}", more.mbb, more.half_width()).replace('-', "−"));
        [format!("{} above {}", above.second, above.first)].into_iter().chain(cells).collect()
    }));
    Section {
        title: "What they say of rows that none has seen".to_owned(),
        prose: vec![
            "Log-loss in nats; in brackets, rows whose likeliest move is the teacher's. Below, by how much each is above the one before it, \
             row by row, with 95 % intervals."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

fn training(results: &Results) -> Option<Section> {
    if results.training.is_empty() {
        return None;
    }
    let mut table = vec![streets(&[""], &[])];
    for student in &results.training {
        let losses = student.log_loss.iter().map(|loss| format!("{loss:.4}"));
        table.push([student.name.clone()].into_iter().chain(losses).collect());
        table.push([String::new()].into_iter().chain(student.size.iter().cloned()).collect());
    }
    Some(Section {
        title: "What they say of rows that they learned from".to_owned(),
        prose: vec!["Log-loss in nats, and how large they became.".to_owned()],
        table,
        ..Section::default()
    })
}

fn parameters(results: &Results) -> Section {
    let mut table = vec![streets(&[""], &["published"])];
    for line in &results.losses {
        let Some(parameters) = line.parameters else { continue };
        let kind = results.players.iter().find(|player| player.name == line.name);
        let published = match kind.map(|player| player.kind) {
            Some("mlp") => whole(published::NETWORK),
            Some("oct" | "cart") => format!("up to {}", whole(published::TREE)),
            _ => "not said".to_owned(),
        };
        let cells = parameters.into_iter().map(whole).chain([published]);
        table.push([line.name.clone()].into_iter().chain(cells).collect());
    }
    Section {
        title: "Parameters".to_owned(),
        prose: vec![format!(
            "One for each node and one for each connection, as published: a whole tree of depth 15 has 65,535 nodes and 65,534 branches, \
             {} together; {} are those of 7 layers of 512 units between the 25 numbers of the flop and 4 moves.",
            whole(published::TREE),
            whole(published::NETWORK)
        )],
        table,
        ..Section::default()
    }
}

fn fidelity(results: &Results) -> Section {
    let mut table = vec![streets(&["", "same move"], &["all"])];
    table.extend(results.fidelity.iter().map(|line| {
        let mut cells = vec![line.name.clone(), percent(line.same, 1)];
        cells.extend(line.lost.iter().map(|&lost| rate(lost)));
        cells.push(rate(line.lost_in_all));
        cells
    }));
    let hands = results.fidelity.first().map_or(0, |line| line.hands);
    Section {
        title: "What they lose to their teacher".to_owned(),
        prose: vec![format!(
            "In mbb/hand over {} hands, where the student decides on one street only and the teacher on the others, and where it decides on all; \
             draws are shared by both hands of a deal, so that only differences count. Before that, decisions of the teacher at which both have \
             the same likeliest move.",
            whole(hands)
        )],
        table,
        ..Section::default()
    }
}

fn depths(results: &Results) -> Section {
    let mut table = vec![row(["depth", "leaves of a street, at most", "hands", "oct – cart"])];
    table.extend(results.depths.iter().map(|row| {
        vec![
            row.depth.to_string(),
            whole(1 << row.depth),
            whole(row.played.hands),
            rate(row.played.rate),
        ]
    }));
    Section {
        title: "Trees by depth".to_owned(),
        prose: vec![
            "Both kinds of trees, learned so deep at most and pruned on validation rows, each playing its likeliest action: what the optimal one \
             wins from the greedy one of the same depth, mbb/hand, duplicate, with 95 % intervals. Published is +36 ± 8 at depth 15."
                .to_owned(),
        ],
        table,
        ..Section::default()
    }
}

fn curve(results: &Results) -> Option<Section> {
    let first = results.curve.first()?;
    let mut table = vec![row(["iterations", "xgboost", "teacher"])];
    table.extend(
        results
            .curve
            .iter()
            .map(|point| vec![whole(point.iterations), rate(point.student), rate(point.teacher)]),
    );
    let picture = tables::curve_picture(results).map(|svg| Picture {
        file: CURVE.to_owned(),
        shows: "Figure 5".to_owned(),
        svg,
    });
    Some(Section {
        title: "Figure 5: the longer the teacher learns".to_owned(),
        prose: vec![format!(
            "Boosted trees that were taught by what the teacher was after so many iterations, and the teacher itself, against the agent {ANCHOR} \
             of the program, which stands here for Slumbot, {} hands each; mbb/hand, with 95 % intervals.",
            whole(first.hands)
        )],
        table,
        pictures: picture.into_iter().collect(),
        ..Section::default()
    })
}

/// A picture drawn by a command.
fn drawn(options: &Options, name: &str, shows: &str) -> Result<Picture, ReadError> {
    let file = format!("{name}.svg");
    let path = Files { options }.at(&file);
    let svg = std::fs::read_to_string(&path)
        .map_err(|error| ReadError::File { path: path.display().to_string(), error })?;
    // Every tree's title has the same id, which a page must not repeat.
    let svg = svg.replace("tree-title", &format!("{name}-title"));
    Ok(Picture { file, shows: shows.to_owned(), svg })
}

fn opening(options: &Options, results: &Results) -> Result<Option<Section>, ReadError> {
    if results.opening.is_none() {
        return Ok(None);
    }
    Ok(Some(Section {
        title: "Figure 6: the opening chart of the optimal tree".to_owned(),
        pictures: vec![drawn(options, "opening", "The opening chart of the optimal tree")?],
        ..Section::default()
    }))
}

fn trees(options: &Options, results: &Results) -> Result<Section, ReadError> {
    let list = results.bluffs.iter().map(|street| {
        let mut text = format!(
            "{}: {} of {} leaves raise a fifth of the time or more with a win-rate under 45 %, and {} of them mostly, so that this is what is \
             played; {:.1} % of play comes to the latter.",
            street.street,
            whole(street.raising as u64),
            whole(street.leaves),
            whole(street.bluffs as u64),
            100.0 * street.share
        );
        if street.bluffs > 0 {
            text += &format!(
                " The one that bluffs most raises {:.0} % when {}.",
                100.0 * street.raise,
                street.path.join("; ")
            );
        }
        text
    });
    let pictures = PICTURES.iter().map(|picture| drawn(options, picture.name, picture.shows));
    Ok(Section {
        title: "Figures 4, 7 and 8: the optimal tree, and where it bluffs".to_owned(),
        prose: vec![
            "Each box is a node: what holds there, how many rows, what is done. Boxes with a broken edge have more below.".to_owned(),
        ],
        list: list.collect(),
        pictures: pictures.collect::<Result<_, _>>()?,
        ..Section::default()
    })
}
