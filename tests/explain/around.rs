//! Parts of trees that are looked for: where a tree bluffs, and where it bets for value.

use super::{check_failure, explain, student};
use crate::program::{Folder, shows};

#[test]
fn a_tree_is_shown_around_the_leaf_that_bluffs_and_the_one_that_bets_for_value() {
    let at = &Folder::new();
    student(at, "made");
    let around = |street: &str, what: &str, depth: &str| {
        explain(at, ("tree made --street", [street], "--around", [what], "--depth", [depth]))
    };
    // The leaf is node 3, below 2, below 1, below the root.
    for (depth, first) in [("0", 3), ("1", 2), ("2", 1), ("3", 0), ("9", 0)] {
        let text = around("river", "bluff", depth);
        let shown = text.split_once("\n\n").expect("a heading").1;
        assert!(shown.starts_with(&format!("node {first}: ")), "{depth}: {text}");
        assert!(shown.contains("node 3: all-in 60 %"), "{depth}: {text}");
        shows(&text, &["around node 3, which bets and raises most with weak hands"]);
    }
    let text = around("flop", "value", "0");
    assert!(text.contains("there: equity 60 % or more\n\nnode 4: bet the pot 100 %"), "{text}");
    // As often called as bet: nothing that is played.
    let text = around("river", "value", "1");
    shows(&text, &["no leaf mostly bets or raises with strong hands", "\n\nnode 0: "]);
    at.run("explain tree made --street river --around bluff --node 1").code(2);
    check_failure(at, "tree made --street river --node 9", 2, "nodes 0 to 6");
}
