//! Checks of the data: nothing is found in sound matches, and what is wrong is found and named.

use std::sync::Arc;

use game::{BySeat, GameDef, Payoff, games};
use logs::formats::acpc;
use logs::stats::{Checks, Finding, FindingKind, Report, Tally};
use logs::{HandRecord, MatchInfo};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::hands;

/// The report of these hands with all checks.
fn report(info: &MatchInfo, records: &[HandRecord], score: Option<&[Payoff]>) -> Report {
    let (mut tally, mut checks) = (Tally::new(info), Checks::default());
    for record in records {
        tally.add(record);
        checks.add(record);
    }
    Report::new(info, &tally, None, None).with_checks(&checks, score)
}

fn kinds(findings: &[Finding]) -> Vec<FindingKind> {
    findings.iter().map(|finding| finding.kind).collect()
}

fn holdem() -> Arc<GameDef> {
    Arc::new(games::nolimit_holdem())
}

#[test]
fn nothing_is_found_in_sound_matches() {
    for def in hands::games() {
        for (group, duplicate) in [(1, false), (def.players as u64, true)] {
            for seed in 0..5 {
                let hands = 400 * def.players as u64;
                let records = hands::random_hands(&def, hands, group, seed);
                let found = report(&hands::info(&def, hands, duplicate), &records, None).findings;
                assert_eq!(found, [], "{} players, groups of {group}", def.players);
            }
        }
    }
}

#[test]
fn a_hundred_times_the_same_hand_is_not_worth_an_interval() {
    let def = holdem();
    let one = hands::random_hands(&def, 1, 1, 3).remove(0);
    let copy = |hand| HandRecord { hand, deal: hand, ..one.clone() };
    let records: Vec<HandRecord> = (0..100).map(copy).collect();
    let report = report(&hands::info(&def, 100, false), &records, None);
    let found = kinds(&report.findings);
    let expected =
        [FindingKind::NoSpread, FindingKind::SeatsUnbalanced, FindingKind::SeatsUnbalanced];
    assert_eq!(found[..3], expected, "{found:?}");
    assert_eq!(found[3..], [FindingKind::RepeatedDeals]);
    assert!(report.findings[0].evidence.contains("all 100 deals ended the same for p0"));
    let repeated = &report.findings[3].evidence;
    assert!(
        repeated.starts_with("99 of 100 deals") && repeated.contains("hand 1 has those of hand 0")
    );
    assert!(report.entrants[0].rate.any_time.is_none(), "no width at any time");
    assert!(report.to_string().contains("\nwarning: all 100 deals"), "not shown");
}

#[test]
fn deals_that_come_again_are_found_among_many() {
    let def = holdem();
    let mut records = hands::random_hands(&def, 2000, 1, 3);
    // The seed of a dealer that begins again after 1,900 hands.
    for k in 0..100 {
        let (hand, deal) = (1900 + k as u64, 1900 + k as u64);
        let entrants = records[1900 + k].entrants;
        records[1900 + k] = HandRecord { hand, deal, entrants, ..records[k].clone() };
    }
    let findings = report(&hands::info(&def, 2000, false), &records, None).findings;
    assert_eq!(kinds(&findings), [FindingKind::RepeatedDeals]);
    assert!(findings[0].evidence.contains("hand 1900 has those of hand 0"), "{findings:?}");
    // Read as duplicate, neighbours do not share their cards.
    let mut records = hands::random_hands(&def, 200, 2, 3);
    let other = hands::play(&def, 41, 999, 3, hands::random_action);
    records[41] = HandRecord { deal: 20, ..other };
    let findings = report(&hands::info(&def, 200, true), &records, None).findings;
    assert_eq!(kinds(&findings), [FindingKind::DealsDiffer]);
    assert!(findings[0].evidence.starts_with("one hand has not the cards"), "{findings:?}");
    assert!(findings[0].evidence.contains("hand 41"), "{findings:?}");
}

#[test]
fn few_cards_that_are_always_folded_are_no_repeated_deals() {
    // The worst hands are folded at once, so that those that end there have few cards to choose
    // from.
    let def = holdem();
    let low = |card: &cards::Card| "234".contains(&card.to_string()[..1]);
    let records: Vec<HandRecord> = (0..60_000)
        .map(|hand| {
            let played = |folds| {
                hands::play(&def, hand, hand, 3, |_, legal, _| match folds && legal.fold {
                    true => game::Action::Fold,
                    false => game::Action::Call,
                })
            };
            let called = played(false);
            // The small blind is the second seat.
            let folds = called.hole.as_slice()[1].iter().all(low);
            if folds { played(true) } else { called }
        })
        .collect();
    let findings = report(&hands::info(&def, 60_000, false), &records, None).findings;
    assert!(!kinds(&findings).contains(&FindingKind::RepeatedDeals), "{findings:?}");
}

#[test]
fn seats_out_of_balance_are_counted() {
    let def = holdem();
    let mut records = hands::random_hands(&def, 1000, 1, 3);
    for record in records.iter_mut().filter(|record| record.hand % 4 < 3) {
        record.entrants = BySeat::from_slice(&[0, 1]).unwrap();
    }
    let findings = report(&hands::info(&def, 1000, false), &records, None).findings;
    assert_eq!(kinds(&findings), [FindingKind::SeatsUnbalanced; 2]);
    assert!(findings[0].evidence.contains("750, 250 hands by seat"), "{findings:?}");
}

#[test]
fn a_rate_that_changes_and_a_baseline_that_drifts_are_found_and_sound_ones_are_not() {
    let def = holdem();
    let info = hands::info(&def, 4000, false);
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut chips =
        |mean: f64| Payoff::from_chips((mean + 200.0 * (rng.random::<f64>() - 0.5)).round() as i64);
    let mut course = |after: f64| {
        let (mut tally, mut checks) = (Tally::new(&info), Checks::default());
        for hand in 0..4000 {
            let won = chips(if hand < 3000 { 0.0 } else { after });
            let seats = BySeat::from_slice(if hand % 2 == 0 { &[0, 1] } else { &[1, 0] }).unwrap();
            let first = if hand % 2 == 0 { won } else { -won };
            tally.add_settled(seats, BySeat::from_slice(&[first, -first]).unwrap());
            checks.add_baseline(won);
        }
        let report = Report::new(&info, &tally, None, None);
        report.with_checks(&checks, None).findings
    };
    for _ in 0..50 {
        assert_eq!(course(0.0), []);
    }
    let found = course(60.0);
    let expected = [FindingKind::Drift, FindingKind::BaselineDrift, FindingKind::BaselineOffZero];
    assert_eq!(kinds(&found), expected);
    let words = |finding: &Finding| finding.evidence.contains("mbb/hand in the first ");
    assert!(words(&found[0]) && words(&found[1]), "{found:?}");
}

#[test]
fn the_score_of_a_log_is_compared_with_its_hands() {
    let def = holdem();
    let info = hands::info(&def, 50, false);
    let records = hands::random_hands(&def, 50, 1, 3);
    let (mut log, mut totals) = (String::new(), vec![Payoff::ZERO; 2]);
    for record in &records {
        acpc::write_hand(record, &info.names(), &mut log);
        for (seat, &entrant) in record.entrants.iter() {
            totals[usize::from(entrant)] += record.payoffs[seat];
        }
    }
    acpc::write_score(&totals, &info.names(), &mut log);
    let score = acpc::read_score(log.as_bytes(), &info.names()).unwrap();
    assert_eq!(score, totals);
    assert_eq!(report(&info, &records, Some(&score)).findings, []);
    let findings = report(&info, &records[1..], Some(&score)).findings;
    assert_eq!(kinds(&findings), [FindingKind::ScoreDiffers]);
    assert_eq!(acpc::read_score(log.as_bytes(), &["p0".into(), "other".into()]), None);
    assert_eq!(acpc::read_score(&b"SCORE:1|x:p0|p1\n"[..], &info.names()), None);
    assert_eq!(acpc::read_score(&b"# nothing\n"[..], &info.names()), None);
}
