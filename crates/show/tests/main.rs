//! Numbers in words, tables and pictures, as they are printed.

mod chart;

use show::card::{Card, CardSection};
use show::svg::{Colour, Head, Letters, Picture};
use show::{Table, number};

#[test]
fn thousands_are_parted_and_signs_and_decimals_are_left_alone() {
    for (number, expected) in [
        ("0", "0"),
        ("999", "999"),
        ("1000", "1,000"),
        ("-999", "-999"),
        ("-123456", "-123,456"),
        ("1234567.8912", "1,234,567.8912"),
    ] {
        assert_eq!(number::grouped(number), expected);
    }
    assert_eq!(number::whole(u64::MAX), "18,446,744,073,709,551,615");
    assert_eq!(number::counted(1, "hand"), "1 hand");
    assert_eq!(number::counted(1_200, "hand"), "1,200 hands");
    assert_eq!([0, 1, 2].map(|count| number::plural(count, "hand")), ["hands", "hand", "hands"]);
    assert_eq!(number::decimal(-1234.56, 1), "-1,234.6");
    assert_eq!(number::decimal(999.0, 0), "999");
}

#[test]
fn zero_has_no_sign_however_it_came_about() {
    for zero in [0.0, -0.0, 0.04, -0.04] {
        assert_eq!(number::signed(zero, 1), "0.0");
        assert_eq!(number::fixed(zero, 1), "0.0");
        assert_eq!(number::decimal(zero, 1), "0.0");
        assert_eq!(number::percent(zero / 100.0, 1), "0.0 %");
    }
    assert_eq!(number::fixed(-0.06, 1), "-0.1");
    assert_eq!(number::signed(-0.05, 2), "-0.05");
    assert_eq!(number::signed(12.34, 1), "+12.3");
    assert_eq!(number::signed(-0.4, 0), "0");
    assert_eq!(number::signed_minus(-1234.5, 1), "−1234.5");
    assert_eq!(number::signed_minus(-0.0, 1), "0.0");
    let values = [1234.5, -1234.5, -123.4, 123456.0, -0.04];
    let texts = values.map(|value| number::signed_grouped(value, 1));
    assert_eq!(texts, ["+1,234.5", "−1,234.5", "−123.4", "+123,456.0", "0.0"]);
    let endless = [f64::NEG_INFINITY, f64::INFINITY, f64::NAN];
    assert_eq!(endless.map(|value| number::signed(value, 1)), ["-inf", "+inf", "NaN"]);
}

#[test]
fn shares_and_times_have_their_units() {
    assert_eq!(number::percent(0.3, 1), "30.0 %");
    assert_eq!(number::percent(1.0, 0), "100 %");
    let short = [0.304, 0.0304, 0.00304, 1e-5, 0.0].map(number::short_percent);
    assert_eq!(short, ["30 %", "3.0 %", "0.30 %", "under 0.01 %", "0 %"]);
    let rounded = [0.0, 0.004, 0.304, 0.998, 1.0].map(number::rounded_percent);
    assert_eq!(rounded, ["0 %", "0.4 %", "30 %", "99.8 %", "100 %"]);
    assert_eq!([1_500, 20_000_000].map(number::bytes), ["1.5 kB", "20.0 MB"]);
    let spans = [0.0, 6.4, 200.0, 3_960.0, 200_000.0].map(number::time_span);
    assert_eq!(spans, ["1 s", "6 s", "3 min 20 s", "1 h 6 min", "2 d 7 h"]);
    assert_eq!([119.0, 120.0].map(number::minutes), ["119 s", "2 minutes"]);
    assert_eq!(number::clock(3_723.9), "1:02:03");
    let times = [999, 1_500, 20_000_000, 3_000_000_000].map(number::duration);
    assert_eq!(times, ["999 ns", "1.5 µs", "20.0 ms", "3.00 s"]);
}

#[test]
fn cells_stand_under_each_other() {
    let mut table = Table::new(["who", "hands", "won"]).right(1..);
    table.row(["call", "1,000", "+2.5"]);
    table.row(["a longer name", "7", "-12.0"]);
    assert_eq!(
        table.to_string(),
        " who            hands    won\n call           1,000   +2.5\n a longer name      7  -12.0"
    );
    let table = Table::new(["who", "won"]).at_the_margin();
    assert_eq!(table.to_string(), "who  won");
    let table = Table::from_rows([["both", "7"], ["  first", "12"]]).right(1..).at_the_margin();
    assert_eq!(table.to_string(), "both      7\n  first  12");
}

#[test]
fn lines_are_no_wider_than_asked_and_lose_nothing() {
    let text = "wins 54.9 % or more on its best 40 % of rivers, → \
                my/very-long/folder/without/blanks/at/all";
    for letters in [Letters::regular(9.2), Letters::bold(19.0)] {
        for width in [60.0, 133.0, 400.0, 2000.0] {
            let lines = letters.wrapped(text, width);
            assert!(lines.iter().all(|line| letters.wide(line) <= width), "{width}: {lines:?}");
            assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""), "{width}");
        }
        assert_eq!(letters.wrapped(text, 1e4), [text]);
    }
    assert!(Letters::bold(10.0).wide("win") > Letters::regular(10.0).wide("win"));
    assert_eq!(Letters::regular(10.0).first_of("a 60 %, b 40 %", 50.0), "a 60 %, …");
    assert_eq!(Letters::regular(10.0).first_of("a 60 %, b 40 %", 100.0), "a 60 %, b 40 %");
}

#[test]
fn texts_of_pictures_stand_for_themselves_and_colours_follow_the_ground() {
    let mut picture = Picture::new(&Head {
        name: "odds",
        size: [100.0, 50.0],
        shown: None,
        title: "A < B & \"C\"",
        description: "",
        letters: 12.0,
        colours: &[(" .bar", "fill", Colour::Felt)],
        style: "",
    });
    picture.text([1.0, 2.0], "class=\"x\"", "<b>");
    let svg = picture.finish();
    assert!(svg.contains("<title id=\"odds-title\">A &lt; B &amp; &quot;C&quot;</title>"), "{svg}");
    assert!(
        svg.contains("<text x=\"1.0\" y=\"2.0\" class=\"x\">&lt;b&gt;</text>\n</svg>\n"),
        "{svg}"
    );
    for code in Colour::Felt.codes() {
        assert!(svg.contains(&format!(".odds .bar{{fill:{code}}}")), "{svg}");
    }
}

#[test]
fn a_card_has_every_line_in_order_as_a_page_and_as_a_picture() {
    let lines = |count: usize| -> Vec<[String; 2]> {
        (0..count).map(|at| [format!("when {at} < {count}"), format!("do {at}")]).collect()
    };
    let sections = [("Nobody has bet", lines(3)), ("A bet", lines(1))];
    let section = |(head, lines): (&str, _)| CardSection { head: head.to_owned(), lines };
    let long =
        "a sentence that is so long that it takes more than one line of the picture ".repeat(3);
    let mut card = Card {
        head: "The last bet".to_owned(),
        reading: long.clone(),
        sections: sections.map(section).into(),
        terms: vec!["a term".to_owned()],
        foot: vec!["the end".to_owned()],
    };
    let expected = [
        "The last bet",
        "Nobody has bet",
        "when 0 &lt; 3",
        "do 0",
        "when 1 &lt; 3",
        "when 2 &lt; 3",
        "A bet",
        "when 0 &lt; 1",
        "a term",
        "the end",
    ];
    for text in [card.html(), card.svg()] {
        let mut from = text.find("</style>").expect("a style");
        for part in expected {
            from += text[from..].find(part).unwrap_or_else(|| panic!("{part} in {text}"));
        }
    }
    // Everything is inside the picture, and a longer card has smaller letters on its page.
    let svg = card.svg();
    let attribute = |text: &str, name: &str| -> f64 {
        let from = text.find(&format!("{name}=\"")).expect("there") + name.len() + 2;
        let end = text[from..].find('"').expect("closed");
        text[from..][..end].parse().expect("a number")
    };
    let height = attribute(&svg, "height");
    let below = svg.split("<text").skip(1).map(|text| attribute(text, " y"));
    assert!(below.fold(0.0, f64::max) < height, "{svg}");
    let size = |card: &Card| {
        let html = card.html();
        let from = html.find("--size:").expect("a size") + 7;
        html[from..].split("pt").next().expect("a unit").parse::<f64>().expect("a number")
    };
    let short = size(&card);
    card.sections.push(section(("Much more", lines(60))));
    assert!(size(&card) < short, "{short}");
}
