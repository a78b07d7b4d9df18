//! The published claims, and what was found of each.

use super::results::{Results, STREETS, Verdict};
use super::tables::rate;

/// Whether a claim reproduces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Yes,
    Partly,
    No,
    /// It was not tried.
    Open,
}

impl Mark {
    pub(super) fn word(self) -> &'static str {
        match self {
            Mark::Yes => "reproduced",
            Mark::Partly => "in part",
            Mark::No => "not reproduced",
            Mark::Open => "not tried",
        }
    }
}

/// A claim.
pub(super) struct Claim {
    pub(super) claim: &'static str,
    pub(super) mark: Mark,
    pub(super) found: String,
}

/// A whole number with commas.
pub(super) fn whole(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// All claims that the study looks at.
pub(super) fn claims(results: &Results) -> Vec<Claim> {
    let mut claims = vec![order(results), trees_in_play(results), losses(results)];
    claims.extend(training(results));
    claims.push(lost(results));
    claims.extend(curve(results));
    claims.push(opening(results));
    claims.push(bluffs(results));
    claims.push(Claim {
        claim: "The network, the boosted trees and the optimal tree win from Slumbot",
        mark: Mark::Open,
        found: "Slumbot's server is not asked by a study; `cardroom play slumbot --agent oct` does that. Here the teacher \
                stands for a strong opponent, from whom no student can be expected to win"
            .to_owned(),
    });
    claims
}

fn order(results: &Results) -> Claim {
    let published = results.pairs.iter().filter(|pair| pair.published.is_some());
    let (mut same, mut opposite, mut all) = (0, 0, 0);
    for pair in published {
        all += 1;
        same += usize::from(pair.verdict() == Verdict::Same);
        opposite += usize::from(pair.verdict() == Verdict::Opposite);
    }
    let mark = match (same, opposite) {
        (same, 0) if same == all => Mark::Yes,
        (0, _) => Mark::No,
        _ => Mark::Partly,
    };
    let found = format!(
        "of {all} matches {same} have the published winner outside the 95 % interval, {opposite} the other one, and {} tell \
         nobody apart",
        all - same - opposite
    );
    Claim {
        claim: "Network, boosted trees, optimal tree, greedy tree: each wins from the next",
        mark,
        found,
    }
}

fn trees_in_play(results: &Results) -> Claim {
    let pair = results.pairs.iter().find(|pair| (pair.one, pair.other) == ("oct", "cart"));
    let shallow = &results.shallow;
    let wins = shallow.iter().any(|row| row.rate.sign() > 0);
    let mark = match pair.map(super::results::Pair::verdict) {
        Some(Verdict::Same) => Mark::Yes,
        _ if wins => Mark::Partly,
        _ => Mark::No,
    };
    let row = |row: &super::results::Shallow| format!("{} at depth {}", rate(row.rate), row.depth);
    let mut found: Vec<String> = shallow.iter().map(row).collect();
    let full =
        pair.map(|pair| format!("{} at full depth, all corrections made", rate(pair.combined)));
    found.extend(full);
    Claim {
        claim: "The optimal tree wins from the greedy one (36 ± 8 mbb/hand)",
        mark,
        found: found.join(", "),
    }
}

fn losses(results: &Results) -> Claim {
    let order = ["mlp", "xgboost", "oct", "cart"];
    let lines: Vec<_> = order.iter().filter_map(|name| results.student(name)).collect();
    let sorted = |street: usize| {
        lines.windows(2).all(|pair| pair[0].log_loss[street] <= pair[1].log_loss[street])
    };
    let streets = (0..4).filter(|&street| sorted(street)).count();
    let best = |street: usize| {
        let least = lines.iter().min_by(|a, b| a.log_loss[street].total_cmp(&b.log_loss[street]));
        format!("{} ({})", least.map_or("", |line| line.name.as_str()), STREETS[street])
    };
    let mark = match streets {
        4 => Mark::Yes,
        0 => Mark::No,
        _ => Mark::Partly,
    };
    let found = format!(
        "the order holds on {streets} of 4 streets; least loss: {}",
        (0..4).map(best).collect::<Vec<_>>().join(", ")
    );
    Claim { claim: "The same order in what they say of rows that they have not seen", mark, found }
}

fn training(results: &Results) -> Option<Claim> {
    let of = |name: &str| results.training.iter().find(|student| student.name == name);
    let (oct, cart) = (of("oct")?, of("cart")?);
    let better: Vec<&str> = (0..4)
        .filter(|&street| oct.log_loss[street] <= cart.log_loss[street])
        .map(|street| STREETS[street])
        .collect();
    let mark = match better.len() {
        4 => Mark::Yes,
        0 => Mark::No,
        _ => Mark::Partly,
    };
    let found = match better.as_slice() {
        [] => "on no street: both are pruned on validation rows, the greedy one less".to_owned(),
        [_, _, _, _] => "on all four streets".to_owned(),
        some => format!("on some: {}; both are pruned on validation rows", some.join(", ")),
    };
    Some(Claim {
        claim: "The optimal tree tells its own rows better than the greedy one",
        mark,
        found,
    })
}

fn lost(results: &Results) -> Claim {
    let lines = &results.fidelity;
    let sorted = lines.windows(2).all(|pair| pair[0].lost_in_all.mbb <= pair[1].lost_in_all.mbb);
    let apart = match (lines.first(), lines.last()) {
        (Some(first), Some(last)) => first.lost_in_all.high < last.lost_in_all.low,
        _ => false,
    };
    let mark = match (sorted, apart) {
        (true, true) => Mark::Yes,
        (false, false) => Mark::No,
        _ => Mark::Partly,
    };
    let line =
        |line: &super::results::Fidelity| format!("{} {}", line.name, rate(line.lost_in_all));
    let found = format!(
        "lost to the teacher, mbb/hand: {}",
        lines.iter().map(line).collect::<Vec<_>>().join(", ")
    );
    Claim {
        claim: "The same order in what they lose to a strong opponent, their teacher",
        mark,
        found,
    }
}

fn curve(results: &Results) -> Option<Claim> {
    let (first, last) = (results.curve.first()?, results.curve.last()?);
    let steps = || results.curve.windows(2).map(|pair| (pair[0].student, pair[1].student));
    let falls = steps().filter(|(before, after)| after.mbb < before.mbb).count();
    let told = steps().filter(|(before, after)| after.high < before.low).count();
    let mark = match (told, last.student.low > first.student.high) {
        (0, true) => Mark::Yes,
        (_, true) => Mark::Partly,
        _ => Mark::No,
    };
    let fell = match (falls, told) {
        (0, _) => "never falling".to_owned(),
        (1, 0) => "falling once, within the intervals".to_owned(),
        (falls, 0) => format!("falling {falls} times, within the intervals"),
        (falls, told) => format!("falling {falls} times, {told} of them beyond the intervals"),
    };
    let found = format!(
        "from {} to {} mbb/hand against {}, {fell}",
        rate(first.student),
        rate(last.student),
        results.anchor(),
    );
    Some(Claim {
        claim: "A student is the stronger, the longer its teacher was trained (Figure 5)",
        mark,
        found,
    })
}

fn opening(results: &Results) -> Claim {
    let opening = &results.opening;
    let mark = match (opening.suited_folds > 0.0, opening.folds < 0.5) {
        (false, true) => Mark::Yes,
        (true, true) => Mark::Partly,
        (_, false) => Mark::No,
    };
    let found = format!(
        "it folds {} of all hands at once, {} of suited ones; of 169 hands {} are folded more often than not, {} of them \
         suited",
        percent(opening.folds),
        percent(opening.suited_folds),
        opening.folded,
        opening.suited_folded
    );
    Claim {
        claim: "The optimal tree opens with nearly every hand, and never folds a suited one at once (Figure 6)",
        mark,
        found,
    }
}

fn bluffs(results: &Results) -> Claim {
    let leaves: usize = results.bluffs.iter().map(|street| street.bluffs).sum();
    let mark = if leaves > 0 { Mark::Yes } else { Mark::No };
    let street = |street: &super::results::Bluffs| {
        format!("{} of {:.0} leaves ({})", street.bluffs, street.leaves, street.street)
    };
    let found = format!(
        "leaves that raise a fifth of the time or more with a win-rate under 45 %: {}",
        results.bluffs.iter().map(street).collect::<Vec<_>>().join(", ")
    );
    Claim { claim: "The tree says in words where it bluffs (Figures 4, 7 and 8)", mark, found }
}

/// What stands between this study and the published one, whatever the figures are.
pub(super) const LIMITS: [&str; 5] = [
    "The published deviations cannot come from plain results. A hand of no-limit with 200 big blinds deviates by 12 to 15 big \
     blinds, so that the mean of 150,000 of them deviates by 30 to 40 mbb/hand, and by 26 with all corrections that both players' cards \
     allow; 8 mbb/hand (0.8 dollars a game) would need ten times as many hands even then.",
    "The features have no position, no pot and no bets of one's own. Situations that the teacher tells apart are one row for \
     its students, who learn the mean. What a student loses that way is the same for all four, and more than what tells the \
     four apart.",
    "The teacher is smaller than the published one by orders of magnitude: minutes of one core instead of four weeks. It is \
     rough, so that its rows have less to say.",
    "Cards are grouped in the solver by the mean square of the win-rate, not by the features; which actions and which labels \
     the authors used is not said. Ours: menus/standard.menu, and the teacher's probabilities as labels.",
    "The optimal trees are those of our own local search. The authors' is a program that is not free.",
];
