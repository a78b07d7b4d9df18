//! Parts of Markdown that are also shown on a terminal and on pages: tables, and texts with code,
//! bold words and links.

use serde::Serialize;

use crate::svg::escaped;

/// A table.
#[derive(Debug, Clone, Serialize)]
pub struct Table {
    /// Rows of equal length, the head first.
    pub rows: Vec<Vec<String>>,
    /// Whether each column has numbers, which stand to the right.
    pub right: Vec<bool>,
}

impl Table {
    /// Reads the lines of a table, in which `\|` is a bar.
    pub fn parse(block: &str) -> Table {
        let rows = block.lines().map(cells);
        let is_rule = |row: &Vec<String>| {
            row.iter().all(|cell| cell.contains('-') && cell.trim_matches([':', '-']).is_empty())
        };
        let rows: Vec<Vec<String>> = rows.filter(|row| !is_rule(row)).collect();
        let columns = rows.first().map_or(0, Vec::len);
        let right = |column: usize| {
            let cells = rows.iter().skip(1).filter_map(|row| row.get(column));
            let cells: Vec<&String> =
                cells.filter(|cell| !matches!(cell.as_str(), "" | "–")).collect();
            let numbers = cells.iter().filter(|cell| is_number(cell)).count();
            numbers > 0 && 2 * numbers >= cells.len()
        };
        Table { right: (0..columns).map(right).collect(), rows }
    }

    /// The table as Markdown.
    pub fn markdown(&self) -> String {
        let line = |row: &Vec<String>| {
            let cells: Vec<String> = row.iter().map(|text| cell(text)).collect();
            format!("| {} |", cells.join(" | "))
        };
        let rule = self.right.iter().map(|right| if *right { "---:|" } else { "---|" });
        let mut lines: Vec<String> = self.rows.iter().map(line).collect();
        lines.insert(1.min(lines.len()), format!("|{}", rule.collect::<String>()));
        lines.join("\n")
    }

    /// The table with aligned columns.
    pub fn text(&self) -> String {
        let mut rows = self.rows.iter();
        let mut table = crate::Table::new(rows.next().into_iter().flatten()).at_the_margin();
        rows.for_each(|row| table.row(row));
        for column in (0..self.right.len()).filter(|&column| self.right[column]) {
            table = table.right(column..=column);
        }
        format!("{table}\n")
    }
}

/// Whether a cell has a number, alone or with its interval or unit.
fn is_number(cell: &str) -> bool {
    let count = |of: fn(char) -> bool| cell.chars().filter(|&letter| of(letter)).count();
    let digits = count(|letter| letter.is_ascii_digit());
    let begins = cell.chars().next().is_some_and(|first| !first.is_alphabetic());
    begins && digits > 0 && count(char::is_alphabetic) <= digits
}

/// A text as a cell of a table of Markdown.
pub fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// The cells of a line of a table, in which `\|` is a bar.
fn cells(line: &str) -> Vec<String> {
    let line = line.replace("\\|", "\0");
    let line = line.trim().trim_start_matches('|').trim_end_matches('|');
    line.split('|').map(|cell| cell.trim().replace('\0', "|")).collect()
}

/// A text as HTML, with code between backticks, bold words between asterisks, and links.
pub fn html(text: &str) -> String {
    let (mut html, mut bold) = (String::new(), false);
    for (number, part) in escaped(text).split('`').enumerate() {
        if number % 2 == 1 {
            html += &format!("<code>{part}</code>");
            continue;
        }
        for (number, part) in linked(part).split("**").enumerate() {
            if number > 0 {
                html += if bold { "</b>" } else { "<b>" };
                bold = !bold;
            }
            html += part;
        }
    }
    html
}

/// A text with its links. Those to files of the repository are only words, because they lead
/// nowhere from a study's folder.
fn linked(text: &str) -> String {
    let parts = text.split_once("](").and_then(|(before, after)| {
        let ((before, words), (target, after)) = (before.rsplit_once('[')?, after.split_once(')')?);
        Some((before, words, target, after))
    });
    let Some((before, words, target, after)) = parts else { return text.to_owned() };
    let link = if target.contains("://") {
        format!("<a href=\"{target}\">{words}</a>")
    } else {
        words.to_owned()
    };
    format!("{before}{link}{}", linked(after))
}
