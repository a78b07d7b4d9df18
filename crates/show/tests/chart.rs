//! Line charts: what is drawn, and the labels of their axes.

use std::collections::BTreeSet;

use show::svg::chart::{Chart, Line, thinned};
use show::svg::intervals::{Intervals, Row};
use show::svg::{Colour, Letters};

#[test]
fn charts_hold_whatever_there_is_to_draw() {
    let chart = |points: &[(f64, f64)], band: &[(f64, [f64; 2])]| {
        let line = |class, band: &[(f64, [f64; 2])]| Line {
            class,
            points: points.to_vec(),
            band: band.to_vec(),
            ..Line::default()
        };
        let lines = vec![line("loss", band), line("test", &[])];
        Chart { size: [360, 200], lines, ..Chart::new("learning", "Loss", "iterations") }
    };
    for (points, band) in [
        (&[][..], &[][..]),
        (&[(0.0, 0.0)], &[]),
        (&[(0.0, -3.0), (1e9, -3.5e6)], &[(0.0, [-4.0, -2.0])]),
        (&[(0.0, 1e-4), (10.0, 2e-4)], &[]),
    ] {
        for svg in [chart(points, band).element(), chart(points, band).file()] {
            assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            assert_eq!(svg.contains("class=\"test\""), points.len() > 1, "{svg}");
            assert_eq!(svg.contains("class=\"band loss\""), !band.is_empty(), "{svg}");
            let ticks =
                svg.matches("class=\"grid\"").count() + svg.matches("class=\"zero\"").count();
            assert!((2..=8).contains(&ticks), "{ticks} ticks in {svg}");
        }
    }
}

#[test]
fn a_line_of_a_chart_goes_from_corner_to_corner() {
    let line = Line { class: "won", points: vec![(0.0, 0.0), (10.0, 5.0)], ..Line::default() };
    let band = vec![(0.0, [0.0, 1.0]), (10.0, [2.0, 4.0])];
    let lines = vec![Line { band, ..line }];
    let svg = Chart { lines, ..Chart::new("curve", "Won", "hands") }.element();
    // Labels of one digit leave 34 pixels on the left; 28 are free on the right, 32 above the
    // area and 50 below it.
    for drawn in [
        "<polyline class=\"won\" points=\"34.0,290.0 692.0,32.0\" ",
        "<polygon class=\"band won\" points=\"34.0,238.4 692.0,83.6 692.0,186.8 34.0,290.0\" ",
        "<line class=\"zero\" x1=\"34.0\" y1=\"290.0\" x2=\"692.0\" y2=\"290.0\" ",
        "<text x=\"26.0\" y=\"32.0\" class=\"text\" dy=\"0.35em\" text-anchor=\"end\">5</text>",
        "<text x=\"363.0\" y=\"340.0\" class=\"text\" dy=\"-0.3em\" \
         text-anchor=\"middle\">hands</text>",
    ] {
        assert!(svg.contains(drawn), "{drawn} in {svg}");
    }
}

#[test]
fn lines_of_one_colour_have_different_dashes() {
    let line = |(name, colour)| Line {
        class: name,
        name,
        colour,
        points: vec![(0.0, 0.0), (1.0, 1.0)],
        ..Line::default()
    };
    let named =
        [("a", Colour::Felt), ("b", Colour::Blue), ("c", Colour::Felt), ("d", Colour::Blue)];
    let lines = named.map(line).into();
    let svg = Chart { lines, ..Chart::new("dashes", "Dashes", "x") }.file();
    let drawn = |class: &str| {
        let of_class = |line: &&str| line.starts_with(&format!("<polyline class=\"{class}\""));
        let line = svg.lines().find(of_class).expect("it is drawn");
        line.split_once("stroke-dasharray=").map_or("", |(_, dashes)| dashes.trim_end_matches("/>"))
    };
    assert_eq!(["a", "b", "c", "d"].map(drawn), ["", "\"8 5\"", "\"2 4\"", "\"2 4\""]);
    let said = [("a", None), ("b", Some(false)), ("c", Some(true))];
    let lines = said.map(|(name, dashed)| Line { dashed, ..line((name, Colour::Blue)) }).into();
    let svg = Chart { lines, ..Chart::new("dashes", "Dashes", "x") }.file();
    let dashed = |class: &str| {
        let start = format!("<polyline class=\"{class}\"");
        let line = svg.lines().find(|line| line.starts_with(&start)).expect("it is drawn");
        line.contains("stroke-dasharray")
    };
    assert_eq!(["a", "b", "c"].map(dashed), [false, false, true]);
}

#[test]
fn a_logarithmic_axis_has_round_labels_and_nothing_at_zero() {
    let drawn = |points: &[(f64, f64)]| {
        let line = |class, name| Line { class, name, points: points.to_vec(), ..Line::default() };
        let lines = vec![line("one", "teacher"), line("two", "student")];
        let chart = Chart::new("learning", "Wins", "iterations");
        Chart { size: [720, 320], logarithmic: true, lines, ..chart }.file()
    };
    let labels = |svg: &str| -> Vec<String> {
        let below = svg.split("dy=\"0.76em\" text-anchor=\"middle\">").skip(1);
        below.filter_map(|text| text.split_once('<')).map(|(label, _)| label.to_owned()).collect()
    };
    for (points, expected) in [
        (&[(1e5, -1400.0), (4.67e7, -80.0)][..], &["100k", "300k", "1M", "3M", "10M", "30M"][..]),
        (&[(0.0, 1.0), (0.1, 1.0), (10.0, 2.0)], &["0.1", "0.3", "1", "3", "10"]),
        (&[(20.0, 1.0), (60.0, 2.0)], &["20", "50"]),
        (&[(1.0, 1.0), (1e9, 2.0)], &["1", "100", "10k", "1M", "100M"]),
        (&[(5.0, 1.0)], &["2", "5", "10"]),
    ] {
        let svg = drawn(points);
        assert_eq!(labels(&svg), expected, "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert!(svg.contains(">student</text>") && svg.contains("stroke-dasharray"), "{svg}");
    }
}

#[test]
fn colours_are_the_pages_in_an_element_and_follow_the_ground_in_a_file() {
    let line = Line { class: "won", colour: Colour::Red, ..Line::default() };
    let chart = Chart { lines: vec![line], ..Chart::new("curve", "a<b&c", "hands") };
    let (element, file) = (chart.element(), chart.file());
    assert!(element.contains("class=\"chart curve\""), "{element}");
    assert!(element.contains("<title id=\"curve-title\">a&lt;b&amp;c</title>"), "{element}");
    assert!(!element.contains('#') && !element.contains("style"), "{element}");
    for code in Colour::Red.codes() {
        assert!(file.contains(&format!(".curve .won{{color:{code}}}")), "{file}");
    }
}

#[test]
fn long_titles_and_legends_take_more_lines_instead_of_the_edge() {
    let (long, names) = ("agent ".repeat(40), ["a name of some length"; 8]);
    let lines = names.map(|name| Line { class: "won", name, ..Line::default() });
    let svg = Chart { lines: lines.to_vec(), ..Chart::new("curve", long, "hands") }.file();
    let at = |text: &str, what: &str| -> f64 {
        let (_, after) = text.split_once(what).expect("an attribute");
        after.split('"').next().and_then(|number| number.parse().ok()).expect("a number")
    };
    let texts: Vec<&str> =
        svg.lines().filter(|line| line.starts_with("<text") && !line.contains("anchor")).collect();
    for text in &texts {
        let said = text.split(['>', '<']).nth(2).expect("a text");
        let end = at(text, "x=\"") + Letters::regular(12.0).wide(said);
        assert!(end <= 720.0, "{text}");
    }
    let legend = texts.iter().filter(|text| text.contains("a name"));
    let rows: BTreeSet<u64> = legend.map(|text| at(text, "y=\"").to_bits()).collect();
    assert!(rows.len() > 1, "{svg}");
}

#[test]
fn a_long_curve_is_thinned_and_keeps_its_end() {
    let chosen: Vec<usize> = thinned(1000).collect();
    assert!(chosen.len() <= 360 && chosen.last() == Some(&999), "{chosen:?}");
    assert_eq!(thinned(2).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(thinned(0).count(), 0);
}

#[test]
fn published_points_stand_beside_a_line_and_in_the_legend() {
    let line = |class, name, dots| Line {
        class,
        name,
        points: vec![(1.0, 2.0), (3.0, 4.0)],
        dots,
        ..Line::default()
    };
    let lines = vec![line("ours", "here", false), line("theirs", "published", true)];
    let svg = Chart { lines, ..Chart::new("both", "Losses", "depth") }.narrow_file();
    assert_eq!(svg.matches("<circle class=\"theirs\"").count(), 3, "{svg}");
    assert!(!svg.contains("<polyline class=\"theirs\""), "{svg}");
    assert!(
        svg.contains("<svg ") && svg.contains("class=\"chart both\" viewBox=\"0 0 360 290\""),
        "{svg}"
    );
}

#[test]
fn a_cloud_has_one_small_point_for_each_place_and_no_line() {
    let points = vec![(3.0, 1.0), (3.0, 1.0), (4.0, 2.0), (4.0, 2.000_000_1)];
    let lines = vec![
        Line {
            class: "best",
            name: "best",
            points: vec![(3.0, 1.0), (4.0, 2.0)],
            ..Line::default()
        },
        Line { class: "rule", name: "a rule", points, cloud: true, ..Line::default() },
    ];
    let svg = Chart { lines, ..Chart::new("cloud", "title", "clauses") }.file();
    // One in the legend.
    assert_eq!(svg.matches("<circle class=\"rule\"").count(), 3, "{svg}");
    assert_eq!(svg.matches("<polyline class=\"rule\"").count(), 0, "{svg}");
    let [dot, line] =
        ["<circle class=\"rule\"", "<polyline class=\"best\""].map(|shape| svg.rfind(shape));
    assert!(dot < line, "a cloud is behind the lines: {svg}");
}

#[test]
fn intervals_have_a_mark_for_each_estimate_and_letters_as_wide_as_a_phone() {
    let row =
        |marks: &[Option<(f64, f64)>]| Row { name: "a – b".to_owned(), marks: marks.to_vec() };
    let rows = vec![row(&[Some((6.0, 3.0)), Some((-4.0, 15.0))]), row(&[None, Some((-0.2, 0.3))])];
    let kinds = vec!["published".to_owned(), "here".to_owned()];
    let [title, unit] = ["What one wins", "mbb/hand"].map(str::to_owned);
    let svg = Intervals { title, unit, kinds, rows }.draw();
    assert_eq!(svg.matches("<g class=\"kind-0\"").count(), 1, "{svg}");
    assert_eq!(svg.matches("<g class=\"kind-1\"").count(), 2, "{svg}");
    assert!(svg.contains("here: 0 ± 0") && svg.contains("viewBox=\"0 0 360 "), "{svg}");
}
