//! Names, order and stamps: what models rely on.

use std::collections::BTreeSet;

use abstraction::features::{Feature, FeatureSet, Quantiles, Schema, Stamp, Unit};
use cards::Ties;
use game::Street;

#[test]
fn every_street_has_its_features_in_order() {
    let preflop: Vec<String> =
        Schema::default().features(Street::Preflop).map(|f| f.to_string()).collect();
    assert_eq!(preflop.len(), 35);
    assert_eq!(preflop[..3], ["winrate", "flop_winrate_p10", "flop_winrate_p20"]);
    assert_eq!(preflop[10..12], ["flop_winrate_p100", "turn_winrate_p10"]);
    assert_eq!(preflop[30..32], ["river_winrate_p100", "opponent_bet_preflop"]);
    assert_eq!(preflop[34], "opponent_bet_river");
    for (street, count) in Street::ALL.into_iter().zip([35, 25, 15, 5]) {
        let features: Vec<Feature> = Schema::default().features(street).collect();
        assert_eq!((features.len(), Schema::default().count(street)), (count, count));
        for (index, feature) in features.iter().enumerate() {
            assert_eq!(Schema::default().index(*feature, street), Some(index));
            assert_eq!(Feature::from_id(&feature.to_string()), Some(*feature));
        }
        // A later street has the features of the one before it without the ten of its own board.
        let kept: Vec<Feature> = Schema::default()
            .features(Street::Preflop)
            .filter(|feature| {
                !matches!(feature, Feature::Percentile { street: at,
                .. } if *at <= street)
            })
            .collect();
        assert_eq!(features, kept);
    }
    assert_eq!(Schema::default().index(Feature::Equity, Street::River), Some(0));
    let on_flop = Feature::Percentile { street: Street::Flop, percent: 10 };
    assert_eq!(Schema::default().index(on_flop, Street::Flop), None);
    assert_eq!(Feature::from_id("flop_winrate_p15"), None);
}

#[test]
fn every_feature_says_what_it_is() {
    let mut said = BTreeSet::new();
    let table = Schema { set: FeatureSet::Table, ..Schema::default() };
    for feature in table.features(Street::Preflop) {
        assert!(said.insert(feature.name()), "{feature}: the name appears twice");
        assert!(said.insert(feature.explanation()), "{feature}: the sentence appears twice");
        assert!(feature.explanation().ends_with('.'), "{feature}");
        let id = feature.to_string();
        let unit = match id.as_str() {
            "in_position" => Unit::YesOrNo,
            "pot" | "to_call" | "behind" => Unit::Chips,
            _ if id.starts_with("opponent_bet") || id.starts_with("own_bet") => Unit::Chips,
            _ if id.starts_with("raises") => Unit::Raises,
            _ => Unit::ShareOfPot,
        };
        assert_eq!(feature.unit(), unit, "{id}");
        assert_eq!(Feature::from_id(&id), Some(feature));
    }
    let eighty = Feature::Percentile { street: Street::River, percent: 80 };
    assert_eq!(eighty.to_string(), "river_winrate_p80");
    assert_eq!(eighty.name(), "equity on the river, 80th percentile");
}

/// These stand in manifests: where one changes, the version behind the stroke must change too.
#[test]
fn stamps_stay_as_they_are() {
    let expected = [
        ("", "598c5e8b050af4526ad434876f8925b4fc28a7e74537ec986104813a290d1759"),
        ("-win-only", "cd261b24d6287435937cbe786eaacb0107b0a6167b895736f51018160771b7f0"),
        ("-linear", "36f8d0be927697a034c709efaa8b47addac43a17a2b5fe605eee60c3f3b44359"),
        ("-win-only-linear", "fd30fcc8124684d50f14e5efeb65654a7c966eea2d5bd38dc10347123cd7fe00"),
        ("", "0a11a75646d6048b922dbc2c2f3a0ec78a097c36528212ffff3cfbcd746d3241"),
        ("-win-only", "84c729be6987c093ed9c57a95a3bece3fa9d16fa34d994beacea11ca514d1276"),
        ("-linear", "b009c520e32bce6faee891d3f14367d90f9af25bf29e096e1f9e00b9df8275a7"),
        ("-win-only-linear", "ffd96ba35e60511732e9b3363cc5e20f3853999dd8f895c42d588f6e20906c35"),
    ];
    for (number, (schema, (name, sha256))) in Schema::ALL.into_iter().zip(expected).enumerate() {
        let counts = if number < 4 { "35-25-15-5" } else { "48-38-28-18" };
        let id = format!("holdem-{counts}{name}/1");
        let stamp = Stamp { id: id.clone(), sha256: sha256.to_owned() };
        assert_eq!(schema.stamp(), stamp);
        assert_eq!(Schema::with_stamp(&stamp), Ok(schema));
        assert_eq!(id.parse(), Ok(schema));
    }
    let usual = Schema::new(FeatureSet::Paper, Ties::Half, Quantiles::Nearest);
    assert_eq!((Schema::ALL[0], Schema::default()), (usual, usual));
}

#[test]
fn other_features_are_refused_with_both_names() {
    let unknown = Stamp { id: "holdem-35-25-15-5/9".to_owned(), ..Schema::default().stamp() };
    let error = Schema::with_stamp(&unknown).expect_err("unknown").to_string();
    assert!(error.starts_with("the features `holdem-35-25-15-5/9` are unknown"), "{error}");
    assert!(error.contains("`holdem-35-25-15-5/1`"), "{error}");

    let changed = Stamp { sha256: "00".repeat(32), ..Schema::default().stamp() };
    let error = Schema::with_stamp(&changed).expect_err("different");
    assert!(error.to_string().contains("000000000000 where the model was made"), "{error}");
}

#[test]
fn stamps_are_written_and_read_in_manifests() {
    let stamp = Schema::default().stamp();
    let text = serde_json::to_string(&stamp).expect("a stamp");
    assert_eq!(serde_json::from_str::<Stamp>(&text).expect("its own text"), stamp);
    let more = text.replace('{', "{\"version\":1,");
    assert!(serde_json::from_str::<Stamp>(&more).is_err(), "unknown keys are errors");
}
