//! Amounts that add up, as bars to the left and right of zero, for pages: colours come from the
//! page's style sheet. It is narrow, so that its letters are readable on a phone.

use super::{Head, Letters, Picture};

const LETTERS: Letters = Letters::regular(12.0);
const WIDE: f64 = 420.0;
/// The room for names, and that for amounts.
const NAMES: f64 = 160.0;
const AMOUNTS: f64 = 70.0;
const ROW: f64 = 22.0;

/// A row: its name, its amount, and that in words.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// The name.
    pub name: String,
    /// The amount.
    pub amount: f64,
    /// The amount as written.
    pub words: String,
}

/// Draws bars, a row each, as part of a page.
pub fn bars(title: &str, rows: &[Bar]) -> String {
    let most = rows.iter().map(|row| row.amount.abs()).fold(0.0, f64::max).max(1e-9);
    let (left, right) = (NAMES, WIDE - AMOUNTS);
    let zero = 0.5 * (left + right);
    let height = ROW * rows.len() as f64 + 8.0;
    let head = Head {
        name: "bars",
        size: [WIDE, height],
        shown: None,
        title,
        description: "",
        letters: 12.0,
        colours: &[],
        style: "",
    };
    let mut svg = Picture::element(&head, "chart ");
    svg.add(format_args!(
        "<line class=\"grid\" x1=\"{zero:.1}\" y1=\"2\" x2=\"{zero:.1}\" y2=\"{:.1}\" \
         stroke=\"currentColor\"/>",
        height - 2.0
    ));
    for (number, row) in rows.iter().enumerate() {
        let top = 4.0 + ROW * number as f64;
        svg.text([0.0, top + 15.0], "", &LETTERS.first_of(&row.name, NAMES - 8.0));
        let long = row.amount.abs() / most * (right - left) / 2.0;
        let from = if row.amount < 0.0 { zero - long } else { zero };
        let class = if row.amount < 0.0 { "loss" } else { "gain" };
        svg.add(format_args!(
            "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{long:.1}\" height=\"14\" \
             fill=\"currentColor\"/>",
            top + 3.0
        ));
        svg.text([WIDE, top + 15.0], "text-anchor=\"end\"", &row.words);
    }
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_left_of_zero_and_the_largest_amount_fills_its_side() {
        let row = |name: &str, amount| Bar { name: name.into(), amount, words: String::new() };
        let picture = bars("sum", &[row("a", 10.0), row("b", -5.0)]);
        assert!(
            picture.contains("class=\"gain\" x=\"255.0\" y=\"7.0\" width=\"95.0\""),
            "{picture}"
        );
        assert!(picture.contains("class=\"loss\" x=\"207.5\" y=\"29.0\" width=\"47.5\""));
    }
}
