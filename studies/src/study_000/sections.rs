//! The sections of the report.

use show::number::{percent, signed_minus, whole};

use super::files::{Files, STUDENTS};
use super::limits::{drawing, limits};
use super::published;
use super::results::{Pair, Results, STREETS, Slumbot};
use super::steps::PICTURES;
use super::words::{claims, rate};
use super::{ANCHOR, tables};
use crate::claims::TRIAL;
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
    let mut sections = vec![reproduced(options, results)];
    if !results.pairs.is_empty() {
        sections.push(table_1(options, results));
        sections.push(slumbot(options, results));
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
            title: "Differences from the published study".to_owned(),
            list: limits(options, record, results),
            ..Section::default()
        });
    }
    Ok(sections)
}

fn reproduced(options: &Options, results: &Results) -> Section {
    let mut table = vec![row(["claim", "", "found"])];
    table.extend(claims(results).into_iter().map(|claim| {
        vec![claim.claim.to_owned(), claim.mark.word(options).to_owned(), claim.found]
    }));
    Section {
        title: "What reproduces".to_owned(),
        prose: vec![
            "A claim is undecided if the 95 % interval has both values that support it and values \
             that contradict it."
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
        format!("{} ± {:.0}", signed_minus(figure.won, 0), figure.deviation)
    })
}

/// The verdict on a match: how it compares with the published one, or whether the players are
/// separated.
pub(super) fn verdict(options: &Options, pair: &Pair) -> &'static str {
    match (pair.verdict(), pair.played.rate.sign()) {
        _ if options.is_trial() => TRIAL,
        (Some(verdict), _) => verdict.words(),
        (None, 0) => "not separated",
        (None, _) => "separated",
    }
}

fn table_1(options: &Options, results: &Results) -> Section {
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
            verdict(options, pair).to_owned(),
        ]
    }));
    let hands = |pick: fn(&Pair) -> u64| results.pairs.first().map_or(0, pick);
    let mut prose = vec![format!(
        "Winnings of the first against the second in mbb/hand (thousandths of a big blind per \
         hand; 10 are one dollar per game with a big blind of 100 dollars), with 95 % intervals. \
         In `likeliest played` the students play their likeliest action, {} hands per match; in \
         `drawn` they draw actions by their probabilities, {} hands per match. The teacher always \
         draws, like the agent cfr. Each deal is played once in each seat and counts as one \
         result; `one by one` is the interval of the same hands without that. Published figures \
         are for {} hands, with their deviations.",
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

fn slumbot(options: &Options, results: &Results) -> Section {
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
                        let verdict = if options.is_trial() { TRIAL } else { verdict.words() };
                        format!("{verdict} ({})", run.agent)
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
            "A study does not connect to servers. These commands do; the study then reads their \
             folders (`--slumbot {}=FOLDER`): {}",
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
        let position = |name: &str| shown.iter().position(|known| *known == name);
        matches!((position(&above.first), position(&above.second)), (Some(a),
            Some(b)) if a + 1 == b)
    };
    table.extend(results.above.iter().filter(next).map(|above| {
        let cells = above
            .streets
            .map(|more| format!("{} ± {:.4}", signed_minus(more.mbb, 4), more.half_width()));
        [format!("{} above {}", above.second, above.first)].into_iter().chain(cells).collect()
    }));
    Section {
        title: "Log-losses on test rows".to_owned(),
        prose: vec![
            "Log-loss in nats; in brackets, the share of rows with the teacher's likeliest move. \
             The last rows are the differences from the student before, row by row, with 95 % \
             intervals."
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
        title: "Log-losses on training rows".to_owned(),
        prose: vec!["Log-loss in nats, and the size of each model.".to_owned()],
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
            _ => "not given".to_owned(),
        };
        let cells = parameters.into_iter().map(whole).chain([published]);
        table.push([line.name.clone()].into_iter().chain(cells).collect());
    }
    Section {
        title: "Parameters".to_owned(),
        prose: vec![format!(
            "One per node and one per connection, as published: a full tree of depth 15 has 65,535 \
             nodes and 65,534 branches, {} in total; {} are those of 7 layers of 512 units between \
             the 25 numbers of the flop and 4 moves.",
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
        title: "Losses to the teacher".to_owned(),
        prose: vec![format!(
            "In mbb/hand over {} hands, when the student decides on one street and the teacher on \
             the others, and when it decides on all. Both hands of a deal use the same random \
             numbers, which reduces the variance. The first column is the share of the teacher's \
             decisions at which both have the same likeliest move.",
            whole(hands)
        )],
        table,
        ..Section::default()
    }
}

fn depths(results: &Results) -> Section {
    let mut table = vec![row(["depth", "leaves per street, at most", "hands", "oct – cart"])];
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
            "Winnings of the optimal tree against the greedy one of the same maximum depth, both \
             pruned on validation rows and playing their likeliest action: mbb/hand, duplicate \
             deals, with 95 % intervals. The published figure is +36 ± 8 at depth 15."
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
        title: "Figure 5: strength by training of the teacher".to_owned(),
        prose: vec![format!(
            "Boosted trees trained on the teacher after this many iterations, and the teacher \
             itself, against the agent {ANCHOR} of the program, which replaces Slumbot here, {} \
             hands each; mbb/hand, with 95 % intervals.",
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
            "{}: {} of {} leaves raise at least a fifth of the time with a win-rate under 45 %; in \
             {} of them this is the likeliest action and therefore played, in {:.1} % of play.",
            street.street,
            whole(street.raising as u64),
            whole(street.leaves),
            whole(street.bluffs as u64),
            100.0 * street.share
        );
        if street.bluffs > 0 {
            text += &format!(
                " The leaf that bluffs most raises {:.0} % when {}.",
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
            "Each box is a node with its condition, its rows and its actions. Boxes with a dashed \
             edge have more nodes below."
                .to_owned(),
        ],
        list: list.collect(),
        pictures: pictures.collect::<Result<_, _>>()?,
        ..Section::default()
    })
}
