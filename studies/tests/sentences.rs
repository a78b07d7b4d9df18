//! Sentences with figures in them: made from the results, whatever these are.

use crate::made::{markdown, options, published, report, write_all};

#[test]
fn deviations_are_those_of_the_hands_that_were_played() {
    for (deviation, singles) in [(10_000.0, ["10.0", "20.0"]), (25_000.0, ["25.0", "50.0"])] {
        let folder = tempfile::tempdir().expect("a folder");
        let options = options(folder.path());
        let mut figures = published();
        figures.deviation = deviation;
        // Of 400,000 hands, so that the mean of 150,000 deviates by 1.633 times 8 / 1.96.
        figures.played.values_mut().for_each(|won| won.1 = 8.0);
        write_all(&options, &figures);
        let report = report(&options);
        let text = markdown(&report);
        let line =
            text.lines().find(|line| line.contains("The published deviations between students"));
        let line = line.expect("a sentence");
        // Published deviations of 3 to 8 mbb/hand over 150,000 hands: 3 · √150,000 = 1,162.
        assert!(
            line.contains("3 to 8 mbb/hand") && line.contains("1.2 to 3.1 big blinds"),
            "{line}"
        );
        for single in singles {
            assert!(line.contains(&format!("hands deviate by {single} big blinds")), "{line}");
        }
        let alone = deviation / f64::sqrt(150_000.0);
        let expected = format!("deviates by {alone:.0} mbb/hand, with duplicate deals by 7.");
        assert!(line.contains(&expected), "{expected}: {line}");
        assert!(line.contains("within reach of as many hands"), "{line}");
    }
}

#[test]
fn the_network_is_described_by_its_own_size_and_results() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = options(folder.path());
    options.network = Some("7x512".parse().expect("a network"));
    let mut figures = published();
    figures.parameters[0] = 123_456;
    figures.played.insert(("mlp-7x512", "oct"), (25.0, 12.0));
    write_all(&options, &figures);
    let report = report(&options);
    let text = markdown(&report);
    assert!(
        text.contains("has 123,456 parameters on the flop, the published one 1,591,296"),
        "{text}"
    );
    assert!(text.contains("+25 ± 12 from oct"), "{text}");
    assert!(text.contains("| mlp-7x512 – oct | +17 ± 4 | +25 ± 12 |"), "{text}");
    let rows = text.lines().filter(|line| line.contains("| 1,591,296 |"));
    assert_eq!(rows.count(), 2, "both networks stand beside the published one: {text}");
    assert!(text.contains("| up to 131,069 |"), "{text}");
}

#[test]
fn every_table_is_whole_and_the_page_asks_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = options(folder.path());
    write_all(&options, &published());
    let report = report(&options);
    let mut columns = None;
    for line in markdown(&report).lines() {
        let cells = line.starts_with('|').then(|| line.matches('|').count());
        if let (Some(before), Some(here)) = (columns, cells) {
            assert_eq!(before, here, "{line}");
        }
        columns = cells;
    }
    let file = |wanted: &str| {
        let file = report.files.iter().find(|(name, _)| *name == wanted);
        &file.unwrap_or_else(|| panic!("no {wanted}")).1
    };
    let page = file("report.html");
    for part in ["Table 1", "Figure 5", "oct – cart", "figure-7-title", "figure-8-title", "<code>"]
    {
        assert!(page.contains(part), "{part}");
    }
    for outside in ["<script", "src=", "href=\"http", "@import"] {
        assert!(!page.contains(outside), "the page asks for something: {outside}");
    }
    assert_eq!(file("table1.csv").lines().count(), 11);
    assert_eq!(file("depths.csv").lines().count(), 6);
    assert!(
        file("000-table1.svg").starts_with("<svg") && file("000-curve.svg").starts_with("<svg")
    );
}

#[test]
fn no_mark_depends_on_words_that_were_written_before() {
    // The same report of quite other figures shares no sentence that tells an outcome.
    let told = |factor: f64| {
        let folder = tempfile::tempdir().expect("a folder");
        let options = options(folder.path());
        let mut figures = published();
        figures.deviation *= factor;
        figures.played.values_mut().for_each(|won| won.0 *= factor);
        figures.depths.iter_mut().for_each(|won| won.0 *= factor);
        figures.lost.iter_mut().for_each(|won| won.0 *= factor);
        figures.curve.iter_mut().for_each(|won| won.0 = won.0 * factor + 7.0);
        write_all(&options, &figures);
        let report = report(&options);
        markdown(&report).to_owned()
    };
    let (one, other) = (told(1.0), told(3.0));
    let outcomes =
        ["mbb/hand against", "lost to the teacher, mbb", "at depth 4", "hands deviate by"];
    for outcome in outcomes {
        let line = |text: &str| text.lines().find(|line| line.contains(outcome)).map(str::to_owned);
        let (one, other) = (line(&one).expect("a line"), line(&other).expect("a line"));
        assert_ne!(one, other, "{outcome}");
    }
}

#[test]
fn numbers_stand_to_the_right_and_words_to_the_left_on_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = options(folder.path());
    write_all(&options, &published());
    let report = report(&options);
    let text = markdown(&report);
    let rule = |head: &str| {
        let mut lines = text.lines().skip_while(|line| !line.starts_with(head));
        lines.nth(1).unwrap_or_else(|| panic!("no table {head}")).to_owned()
    };
    assert_eq!(rule("| claim |"), "|---|---|---|");
    assert_eq!(rule("| depth |"), "|---:|---:|---:|---:|---:|---:|");
    assert_eq!(rule("|  | published | likeliest"), "|---|---:|---:|---:|---:|---:|---:|---|");
    let page = report.files.iter().find(|(name, _)| name == "report.html").expect("a page");
    assert!(page.1.contains("<td>oct – cart</td><td class=\"n\">+36 ± 8</td>"), "{}", page.1);
}

#[test]
fn values_of_results_do_not_break_the_files_they_stand_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut options = options(folder.path());
    write_all(&options, &published());
    let name = "a \"b\" | c\\d, e";
    crate::made::write_slumbot(folder.path(), name, "oct", (40.0, 10.0));
    options.slumbot.push(studies::SlumbotRun {
        kind: "oct".to_owned(),
        folder: name.into(),
        server: None,
    });
    let report = report(&options);
    assert!(markdown(&report).contains(r#"(a "b" \| c\d, e) |"#), "{}", markdown(&report));
    let steps = studies::STUDIES[0].steps(&options).expect("steps");
    let found = steps.iter().any(|step| {
        matches!(&step.action, studies::Action::Command { arguments, .. } if arguments[0] == "stats"
            && arguments[1] == name)
    });
    assert!(found, "{steps:#?}");
}
