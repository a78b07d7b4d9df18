//! `cardroom train situations` as a process: shards, what is lost by buckets, bad input.

use std::fs;

use crate::program::{Folder, number};

/// The command that makes rivers which are quickly solved.
fn rivers(count: u32, iterations: u32, out: &str) -> String {
    let rivers = "train situations -q --street river --pots 40,200";
    format!("{rivers} --count {count} --iterations {iterations} --out {out}")
}

#[test]
fn rivers_are_made_in_shards_judged_by_buckets_and_refused_when_they_cannot_be() {
    let folder = &Folder::new();
    let made = folder.json(rivers(6, 20, "whole"));
    assert_eq!(made["schema"], "cardroom-situations/1");
    assert_eq!(made["situations"], 6);
    assert!(made["exploitability"]["most"].as_f64().is_some_and(|most| most < 0.1), "{made}");
    for (name, shard) in [("one", "1/2"), ("two", "2/2")] {
        folder.run((rivers(6, 20, name), "--shard", [shard])).code(0);
    }
    let merge = "train situations --merge two,one --out merged";
    folder.run(merge).code(0);
    let bytes = |name: &str| fs::read(folder.join(name)).expect("a file");
    assert!(bytes("whole") == bytes("merged"));
    folder.run("merge one two --out joined").code(0);
    assert!(bytes("whole") == bytes("joined"));

    let recipe = "preflop=169 flop=category turn=category river=ehs2-width:100";
    let judged = folder.json(("show buckets", [recipe], "--situations whole"));
    let error = &judged["encoding_error"];
    let [huber, squares] = ["huber", "mean_square"].map(|of| number(&error[of]));
    assert!(huber > 0.0 && huber <= 0.5 * squares + 1e-12, "{error}");

    let bad = |more: &str, code: i32, expected: &str| {
        let arguments = ("train situations --out no", more);
        folder.fails(code, arguments, expected);
    };
    bad("--street preflop", 3, "`preflop` is not a street of situations: take flop, turn or river");
    bad("--pots 8", 2, "--pots: give the smallest and the largest");
    bad("--pots 8,400", 3, "less than both stacks, 400");
    bad("--iterations 0", 3, "0 iterations");
    bad("--menu nowhere", 3, "nowhere");
    bad("--count 1 --shard 1/2", 2, "every part must have at least one");
    bad("--count 0", 2, "--count must have at least one");
    folder.write("foreign", b"cards");
    let foreign = ("show buckets", [recipe], "--situations foreign");
    folder.fails(3, foreign, "this is not a file of `cardroom train situations`");
    assert!(!folder.join("no").exists());
}

#[test]
fn networks_learn_values_from_situations_and_say_how_far_off_they_are() {
    let folder = &Folder::new();
    folder.run(rivers(40, 20, "rivers")).code(0);
    let train = "train values rivers -q";
    let small = "--encoding ehs2:40 --hidden 8,8 --epochs 5";
    let made = folder.json((train, small, "--out a.safetensors"));
    assert_eq!(made["schema"], "cardroom-values/1");
    assert_eq!((made["inputs"].as_u64(), made["outputs"].as_u64()), (Some(81), Some(80)));
    assert_eq!(made["weights"], 81 * 8 + 8 * 8 + 8 * 80);
    assert_eq!(made["situations"]["test"], 8);
    let huber = |place: &str| made.pointer(place).and_then(serde_json::Value::as_f64);
    assert!(huber("/hands/test/huber") > Some(0.0) && huber("/buckets/test/huber") > Some(0.0));
    assert!(huber("/check_down/huber") < huber("/zero/huber"), "{made}");
    assert!(folder.join("a.csv").exists() && folder.join("a.svg").exists());
    assert!(!folder.join("a.safetensors.training").exists());
    // The same command makes the same network.
    folder.json((train, small, "--out b.safetensors"));
    let bytes = |name: &str| fs::read(folder.join(name)).expect("a file");
    assert!(bytes("a.safetensors") == bytes("b.safetensors"));

    assert!(folder.join("a.buckets").exists() && made["roots"] == false);

    // Square roots, and fewer situations: a curve of each kind of network.
    let root = folder.json((train, small, "--inputs root --out root.safetensors"));
    assert_eq!((&root["roots"], &root["inputs"]), (&true.into(), &81.into()));
    folder.write("a.json", made.to_string().as_bytes());
    folder.write("root.json", root.to_string().as_bytes());
    for (name, inputs) in [("few", "raw"), ("few-root", "root")] {
        let out = format!("--situations 10 --inputs {inputs} --out {name}.safetensors");
        let few = folder.json((train, small, out.as_str()));
        folder.write(format!("{name}.json").as_str(), few.to_string().as_bytes());
    }
    let curves = folder.json("train curve a.json few.json root.json few-root.json");
    assert_eq!(curves["curves"][0]["points"][1][0], 28.0);
    assert_eq!(curves["curves"][0]["points"][1][1], made["hands"]["test"]["huber"]);
    assert_eq!(
        (&curves["curves"][1]["roots"], curves["crossings"].as_array().map(Vec::len)),
        (&true.into(), Some(1))
    );
    folder.fails(3, "train curve a.json", "a curve needs two or more");
    folder.fails(3, "train curve rivers", "what `cardroom train values --json` prints");

    let by_hand = "--encoding by-hand --epochs 3 --out c.safetensors";
    let made = folder.json((train, by_hand));
    assert!(made["hands"]["test"]["huber"].as_f64().is_some() && made["buckets"].is_null());

    let bad = |more: &str, code: i32, expected: &str| {
        let arguments = (train, "--out no", more);
        folder.fails(code, arguments, expected);
    };
    bad("--encoding cards", 2, "neither direct, ehs2, nested, potential or by-hand");
    bad("--encoding ehs2:40 --renamings 2", 2, "only direct sees suits");
    bad("--renamings 25", 2, "take 1 to 24");
    bad("--encoding by-hand --inputs root", 2, "by-hand sees no probabilities");
    bad("--memory 1kB", 3, "--memory is");
    bad("--epochs 0", 3, "the number of epochs is 0");
    assert!(!folder.join("no").exists());

    folder.run(rivers(6, 60, "more")).code(0);
    let apart = folder.json("train label-noise rivers more");
    assert_eq!((apart["situations"].as_u64(), &apart["iterations"][1]), (Some(6), &60.into()));
    assert!(apart["huber"]["mean"].as_f64() > Some(0.0));
}
