//! Numbers in words and tables, as they are printed.

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
}

#[test]
fn zero_has_no_sign_however_it_came_about() {
    for zero in [0.0, -0.0, 0.04, -0.04] {
        assert_eq!(number::signed(zero, 1), "0.0");
    }
    assert_eq!(number::signed(-0.05, 2), "-0.05");
    assert_eq!(number::signed(12.34, 1), "+12.3");
    assert_eq!(number::signed(-0.4, 0), "0");
}

#[test]
fn shares_and_times_have_their_units() {
    assert_eq!(number::percent(0.3, 1), "30.0 %");
    assert_eq!(number::percent(1.0, 0), "100 %");
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
}
