//! The limits of the reproduction: differences in method, and what the results say about them.

use show::number::whole;

use super::files::Player;
use super::published;
use super::results::{Match, Pair, Results};
use super::verdict::Outcome;
use super::words::rate;
use super::{BUCKETS, MENU};
use crate::Options;
use crate::read::Estimate;
use crate::record::Record;

/// All limits, one paragraph each.
pub(super) fn limits(options: &Options, record: &Record, results: &Results) -> Vec<String> {
    let mut limits = Vec::new();
    limits.extend(deviations(results));
    limits.extend(network(results));
    limits.push(
        "The features have no position, no pot and no own bets. Situations that differ for the \
         teacher can be one row for its students, who learn the mean. Therefore students play the \
         likeliest action: an action drawn from the mean of several situations may be wrong in all \
         of them."
            .to_owned(),
    );
    limits.push(teacher(options, record));
    limits.push(
        "The paper does not say which actions and labels it uses. Here the labels are the \
         teacher's probabilities, and a student plays the likeliest action that it learned."
            .to_owned(),
    );
    limits.push(
        "The optimal trees come from our own local search. The authors' program is not \
         free."
            .to_owned(),
    );
    limits
}

/// The standard error of a mean over hands, in mbb.
fn of_mean(deviation: f64, hands: u64) -> f64 {
    deviation / (hands as f64).sqrt()
}

/// The mean over the matches with a published result.
fn mean(results: &Results, of: impl Fn(&Pair) -> f64) -> Option<f64> {
    let values: Vec<f64> = results.published_pairs().map(of).collect();
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// The standard deviation of hands, compared with the published ones.
fn deviations(results: &Results) -> Option<String> {
    let hands = published::HANDS;
    let between = published::TABLE_1.iter().filter(|row| row.1 != published::SLUMBOT);
    let deviations: Vec<f64> = between
        .filter_map(|row| published::pair(row.0, row.1))
        .map(|pair| pair.deviation)
        .collect();
    let least = deviations.iter().copied().fold(f64::INFINITY, f64::min);
    let most = deviations.iter().copied().fold(0.0, f64::max);
    let blinds = |deviation: f64| deviation / 1000.0;
    let root = (hands as f64).sqrt();
    let mut text = format!(
        "The published deviations between students, {least:.0} to {most:.0} mbb/hand for the mean \
         of {} hands, are those of hands that deviate by {:.1} to {:.1} big blinds.",
        whole(hands),
        blinds(least * root),
        blinds(most * root),
    );
    let of = |what: &str, pick: fn(&Pair) -> Match| -> Option<(String, f64)> {
        let single = mean(results, |pair| pick(pair).deviation)?;
        let duplicate = mean(results, |pair| pick(pair).duplicate())?;
        let text = format!(
            " If {what}, hands deviate by {:.1} big blinds, in duplicate deals effectively by \
             {:.1}: the mean of {} hands deviates by {:.0} mbb/hand, with duplicate deals by \
             {:.0}.",
            blinds(single),
            blinds(duplicate),
            whole(hands),
            of_mean(single, hands),
            of_mean(duplicate, hands),
        );
        Some((text, of_mean(duplicate, hands)))
    };
    let (played, with_duplicates) = of("the likeliest action is played", |pair| pair.played)?;
    let (drawn, _) = of("actions are drawn", |pair| pair.drawn)?;
    text += &played;
    text += &drawn;
    let times = (with_duplicates / most).powi(2);
    text += &match times > 1.0 {
        true => format!(
            " A deviation of {most:.0} needs {times:.1} times as many hands, with duplicate deals \
             and without drawing."
        ),
        false => format!(
            " So a deviation of {most:.0} is within reach of as many hands, with duplicate deals \
             and without drawing."
        ),
    };
    Some(text)
}

/// The network compared with the published one, and the results of the additional one.
fn network(results: &Results) -> Option<String> {
    const FLOP: usize = 1;
    let flop = |name: &str| {
        let line = results.losses.iter().find(|line| line.name == name)?;
        Some(line.parameters?[FLOP])
    };
    let small = flop("mlp")?;
    let mut text = format!(
        "The network in these tables has {} parameters on the flop, the published one {} (7 layers \
         of 512 units).",
        whole(small),
        whole(published::NETWORK)
    );
    if let Some(large) = &results.network {
        let won: Vec<String> = results
            .pairs
            .iter()
            .filter(|pair| pair.one == *large)
            .map(|pair| format!("{} from {}", rate(pair.played.rate), pair.other))
            .collect();
        text += &format!(
            " {large}, with {} and the same rows, wins in mbb/hand: {}.",
            whole(flop(large)?),
            won.join(", ")
        );
    }
    Some(text)
}

/// The training of the teacher.
fn teacher(options: &Options, record: &Record) -> String {
    let published =
        "The published teacher is from four weeks of discounted CFR on unspecified computers.";
    let made = match (&options.teacher, options.shipped) {
        (Some(path), _) => format!("Here it is {}.", path.display()),
        (None, true) => "Here it is the built-in blueprint (docs/strength.md describes its \
             training)."
            .to_owned(),
        (None, false) => {
            let taken = show::number::minutes(record.seconds("the teacher, "));
            format!(
                "Here it is from external-sampling CFR with linear weights, {taken} on one thread, \
                 with {MENU}.menu and the buckets {BUCKETS}: cards are grouped by the mean square \
                 of the win-rate, not by the features."
            )
        }
    };
    format!("{published} {made}")
}

/// The gain of students from playing the likeliest action, by their winnings from the teacher.
pub(super) fn drawing(results: &Results, students: &[Player]) -> Option<String> {
    let teacher = super::files::TEACHER;
    let costs: Vec<(&str, Estimate)> = students
        .iter()
        .filter_map(|student| {
            let against = |pair: &&Pair| pair.one == student.name && pair.other == teacher;
            let pair = results.pairs.iter().find(against)?;
            Some((student.name.as_str(), pair.drawn.rate.to(pair.played.rate)))
        })
        .collect();
    let told: Vec<String> = costs
        .iter()
        .map(|(name, cost)| {
            let undecided = match Outcome::above_zero(*cost) {
                Outcome::Undecided => ", undecided",
                Outcome::Yes | Outcome::No => "",
            };
            format!("{} ({name}{undecided})", rate(*cost))
        })
        .collect();
    (!told.is_empty()).then(|| {
        format!(
            "Gain of a student against the {teacher} when it plays the likeliest action instead of \
             drawing, in mbb/hand: {}.",
            told.join(", ")
        )
    })
}
