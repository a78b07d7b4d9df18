//! Verdicts on claims by intervals: reproduced, in part, contradicted, undecided, not tried.

use studies::{SlumbotRun, StudySection};

use crate::made::{
    Figures, Rate, claim, markdown, options, published, report, write_all, write_slumbot,
};

const ORDER: &str = "Network, boosted trees";
const TREES: &str = "The optimal tree wins 36";
const LOSSES: &str = "The log-losses on test rows";
const LOST: &str = "The losses to a strong opponent";
const CURVE: &str = "A student is stronger";
const OPENING: &str = "The optimal tree does not fold";
const BLUFFS: &str = "The tree shows in words";
const PARAMETERS: &str = "The optimal tree has at most";
const SLUMBOT: &str = "The network, the boosted trees and the optimal tree win against Slumbot";

/// The marks of these claims with these figures.
fn marks<const N: usize>(figures: &Figures, claims: [&str; N]) -> [String; N] {
    let folder = tempfile::tempdir().expect("a folder");
    let options = options(folder.path());
    write_all(&options, figures);
    let report = report(&options);
    claims.map(|begins| claim(&report, begins).0)
}

fn all_pairs(figures: &mut Figures, change: impl Fn(Rate) -> Rate) {
    figures.played.values_mut().for_each(|won| *won = change(*won));
}

#[test]
fn published_figures_reproduce_every_claim() {
    let claims = [ORDER, TREES, LOSSES, LOST, CURVE, OPENING, BLUFFS, PARAMETERS];
    assert!(marks(&published(), claims).iter().all(|mark| mark == "reproduced"));
    assert_eq!(marks(&published(), [SLUMBOT]), ["not tried"]);
}

#[test]
fn an_interval_that_holds_both_is_undecided_and_not_a_failure() {
    // As few hands give: intervals wider than anything that was published, around anything.
    for centre in [-200.0, 0.0, 200.0] {
        let mut few = published();
        all_pairs(&mut few, |_| (centre, 1500.0));
        few.depths = [(centre, 1500.0); 5];
        few.above = (centre / 1000.0, 1.0);
        few.lost = [(centre, 1500.0); 4];
        few.curve = [(centre, 1500.0); 6];
        let found = marks(&few, [ORDER, TREES, LOSSES, LOST, CURVE]);
        assert!(found.iter().all(|mark| mark == "undecided"), "{centre}: {found:?}");
    }
}

#[test]
fn what_intervals_tell_apart_the_other_way_does_not_reproduce() {
    let mut turned = published();
    all_pairs(&mut turned, |(mbb, half)| (-mbb, half.min(0.5 * mbb)));
    turned.depths = [(-36.0, 5.0); 5];
    turned.above = (-0.01, 0.002);
    turned.lost.reverse();
    turned.curve.reverse();
    let found = marks(&turned, [ORDER, TREES, LOSSES, LOST, CURVE]);
    assert!(found.iter().all(|mark| mark == "contradicted"), "{found:?}");
}

#[test]
fn nothing_won_is_a_failure_only_where_the_published_win_is_excluded() {
    // Published is +36 ± 8, so that its interval begins at 20.3.
    for (won, mark, verdict) in [
        ((0.0, 15.0), "contradicted", "less than published"),
        ((0.0, 25.0), "undecided", "undecided"),
        ((16.0, 15.0), "in part", "the published winner"),
        ((-16.0, 15.0), "contradicted", "the other winner"),
    ] {
        let mut figures = published();
        figures.depths = [(0.0, 5.0), (0.0, 5.0), (0.0, 5.0), (0.0, 5.0), won];
        figures.played.insert(("oct", "cart"), won);
        let folder = tempfile::tempdir().expect("a folder");
        let options = options(folder.path());
        write_all(&options, &figures);
        let report = report(&options);
        assert_eq!(claim(&report, TREES).0, mark, "{won:?}");
        let row = markdown(&report).lines().find(|line| line.starts_with("| oct – cart"));
        let row = row.expect("a row");
        assert!(row.ends_with(&format!("| {verdict} |")), "{won:?}: {row}");
    }
}

#[test]
fn parts_that_hold_make_a_claim_hold_in_part() {
    let mut some = published();
    some.played.insert(("mlp", "xgboost"), (0.0, 20.0));
    some.depths[4] = (25.0, 15.0);
    some.lost = [(10.0, 4.0), (20.0, 4.0), (20.0, 4.0), (40.0, 4.0)];
    some.curve[3] = (-600.0, 20.0);
    some.suited_folds = 0.1;
    let claims = [ORDER, TREES, LOST, CURVE, OPENING];
    let found = marks(&some, claims);
    assert!(found.iter().all(|mark| mark == "in part"), "{found:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let options = options(folder.path());
    write_all(&options, &some);
    let (_, words) = claim(&report(&options), ORDER);
    assert_eq!(words, "of 6 matches 5 with the published winner, 1 undecided");
}

#[test]
fn a_step_of_the_curve_within_its_interval_leaves_open_whether_it_rises() {
    assert_eq!(marks(&published(), [CURVE]), ["reproduced"]);
    let mut figures = published();
    figures.curve[3] = (-310.0, 20.0);
    assert_eq!(marks(&figures, [CURVE]), ["in part"]);
}

#[test]
fn a_tree_nearly_as_large_as_the_network_is_no_tenth_of_it() {
    let mut figures = published();
    figures.parameters = [90_000, 1, 9_001, 1];
    assert_eq!(marks(&figures, [PARAMETERS]), ["contradicted"]);
}

#[test]
fn runs_against_slumbot_count_and_those_against_others_do_not() {
    let runs = |server: Option<&str>, kinds: &[&str]| {
        let folder = tempfile::tempdir().expect("a folder");
        let mut options = options(folder.path());
        write_all(&options, &published());
        for &kind in kinds {
            let won = if kind == "cart" { -21.0 } else { 40.0 };
            write_slumbot(folder.path(), kind, kind, (won, 10.0));
            options.slumbot.push(SlumbotRun {
                kind: kind.to_owned(),
                folder: "run".into(),
                server: server.map(str::to_owned),
            });
        }
        let report = report(&options);
        (claim(&report, SLUMBOT), markdown(&report).to_owned())
    };
    let all = ["mlp", "xgboost", "oct", "cart"];
    let ((mark, found), text) = runs(None, &all);
    assert_eq!(mark, "reproduced", "{found}");
    assert!(
        text.contains("| cart – slumbot | −21 ± 9 | 150,000 | −21 ± 100 | −21 ± 10 |"),
        "{text}"
    );
    assert!(!text.contains("cardroom play slumbot --agent oct:"), "all have played: {text}");
    let ((mark, found), text) = runs(None, &["oct"]);
    assert_eq!(
        (mark.as_str(), found.as_str()),
        ("in part", "oct +40 ± 10 mbb/hand (the published winner)")
    );
    assert!(text.contains("cardroom play slumbot --agent cart:model="), "{text}");
    assert!(!text.contains("cardroom play slumbot --agent oct:"), "{text}");
    let ((mark, _), text) = runs(Some("http://127.0.0.1:5252"), &all);
    assert_eq!(mark, "not tried");
    assert!(text.contains("which is not Slumbot"), "{text}");
}

#[test]
fn the_part_of_the_depths_reports_the_depths_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = options(folder.path());
    write_all(&options, &published());
    std::fs::remove_dir_all(folder.path().join("table1")).expect("removed");
    options.only = Some(StudySection::Depths);
    let report = report(&options);
    assert_eq!(claim(&report, TREES).0, "reproduced");
    assert_eq!(report.document["claims"].as_array().map(Vec::len), Some(1));
    let text = markdown(&report);
    assert!(text.contains("| 15 | 32,768 | 3,200,000 | +36 ± 5 |"), "{text}");
    assert!(!text.contains("Table 1") && !text.contains("Differences from"), "{text}");
}
