//! A chart of hands as text: actions with their totals, the 169 starting hands, every hand.

use std::fmt::Write;
use std::io::IsTerminal;

use show::Table;
use show::number::percent;

use super::{Chart, Choice, Class, Kind, grid};

/// The number of letters in a cell; each stands for a fifth of the hands' actions.
const LETTERS: usize = 5;

/// Whether to use colours: on a terminal, unless NO_COLOR is set.
pub(crate) fn colours() -> bool {
    std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The actions with their frequencies over all hands.
pub(crate) fn actions(chart: &Chart, colours: bool) -> String {
    let named = |choice: &Choice| {
        let share = choice.of_pot.map(|share| format!(" ({} of the pot)", percent(share, 0)));
        choice.name.clone() + &share.unwrap_or_default()
    };
    let names: Vec<String> = chart.actions.iter().map(named).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(24);
    let mut text =
        format!("   {:<8} {:<width$} {:>9} {:>10}\n", "--at", "action", "share", "combos");
    for (choice, name) in chart.actions.iter().zip(names) {
        writeln!(
            text,
            "{}  {:<8} {name:<width$} {:>9} {:>10.2}",
            painted(&choice.letter.to_string(), choice, colours),
            choice.word,
            percent(choice.frequency, 2),
            choice.combos
        )
        .expect("a string takes all");
    }
    text
}

/// The chart, 80 columns wide.
pub(crate) fn chart(chart: &Chart, colours: bool) -> String {
    let classes = chart.classes();
    let text = |number: usize| {
        let class = &classes[number];
        match class.combos {
            0.0 => format!(" {:^LETTERS$}", '·'),
            _ => format!(" {}", cell(chart, class, colours)),
        }
    };
    let mut text = grid::text(|rank| format!(" {:^LETTERS$}", rank.to_char()), text);
    text.push_str(
        "\n  suited above the diagonal, offsuit below; each letter is a fifth of what \
                   the hand does\n",
    );
    text
}

/// The letters of a cell.
fn cell(chart: &Chart, class: &Class, colours: bool) -> String {
    let mut text = String::new();
    for (choice, letters) in chart.actions.iter().zip(apportioned(&class.mix)) {
        let letters = choice.letter.to_string().repeat(letters);
        if !letters.is_empty() {
            text.push_str(&painted(&letters, choice, colours));
        }
    }
    text
}

/// The number of letters for each action that is closest to its share, by largest remainders.
fn apportioned(mix: &[f64]) -> Vec<usize> {
    let exact: Vec<f64> = mix.iter().map(|share| share * LETTERS as f64).collect();
    let mut letters: Vec<usize> = exact.iter().map(|exact| exact.floor() as usize).collect();
    let mut order: Vec<usize> = (0..mix.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let missing = LETTERS.saturating_sub(letters.iter().sum());
    for &action in order.iter().cycle().take(missing) {
        letters[action] += 1;
    }
    letters
}

/// Every hand with the probabilities of its actions and its expected chips.
pub(crate) fn hands(chart: &Chart) -> String {
    let names = chart.actions.iter().map(|choice| choice.name.as_str());
    let header = ["hand", "weight"].into_iter().chain(names).chain(["gets"]);
    let mut table = Table::new(header).right(1..).at_the_margin();
    for hand in &chart.hands {
        let shares = hand.strategy.iter().map(|share| format!("{:.2}", 100.0 * share));
        let gets = hand.gets.map_or_else(|| "-".to_owned(), |gets| format!("{gets:.2}"));
        let first = [hand.combo.to_string(), format!("{:.4}", hand.weight)];
        table.row(first.into_iter().chain(shares).chain([gets]));
    }
    format!("{table}\n")
}

/// A text in the colour of an action.
fn painted(text: &str, choice: &Choice, colours: bool) -> String {
    if !colours {
        return text.to_owned();
    }
    let code = match choice.kind {
        Kind::Fold => "34",
        Kind::Call => "32",
        Kind::Raise(0) => "33",
        Kind::Raise(_) => "31",
        Kind::AllIn => "1;35",
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}
