//! A solved spot as text: actions with their totals, the chart of hands, every hand.

use std::fmt::Write;
use std::io::IsTerminal;

use cards::Rank;

use super::view::{Choice, Class, Kind, View};

/// Letters of a cell: each stands for a fifth of what the hands do.
const LETTERS: usize = 5;

/// Whether to write in colours: on a terminal, unless NO_COLOR is set.
pub(super) fn colours() -> bool {
    std::io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// A spot: its actions and the chart, and every hand if wanted.
pub(super) fn render(view: &View, each_hand: bool, colours: bool) -> String {
    let mut text = heading(view);
    text.push_str(&actions(view, colours));
    text.push('\n');
    text.push_str(&chart(view, colours));
    if each_hand {
        text.push('\n');
        text.push_str(&hands(view));
    }
    text
}

/// Where it is, and who acts.
fn heading(view: &View) -> String {
    let place = if view.path.is_empty() {
        "At the beginning".into()
    } else {
        format!("After {}", view.path)
    };
    let owed = if view.to_call > 0 { format!(", {} to call", view.to_call) } else { String::new() };
    format!(
        "{place} on {}: player {} acts, pot {}{owed}\n",
        view.board,
        view.player.index() + 1,
        view.pot,
    ) + &format!(
        "from here on player 1 gets {:.2} and player 2 {:.2} chips of the pot\n\n",
        view.gets[0], view.gets[1]
    )
}

fn actions(view: &View, colours: bool) -> String {
    let named = |choice: &Choice| {
        let share = choice.of_pot.map(|share| format!(" ({:.0} % of the pot)", 100.0 * share));
        choice.name.clone() + &share.unwrap_or_default()
    };
    let names: Vec<String> = view.actions.iter().map(named).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(24);
    let mut text =
        format!("   {:<8} {:<width$} {:>9} {:>10}\n", "--at", "action", "share", "combos");
    for (choice, name) in view.actions.iter().zip(names) {
        writeln!(
            text,
            "{}  {:<8} {name:<width$} {:>7.2} % {:>10.2}",
            painted(&choice.letter.to_string(), choice, colours),
            choice.word,
            100.0 * choice.frequency,
            choice.combos
        )
        .expect("a string takes all");
    }
    text
}

/// The chart, 80 columns wide.
fn chart(view: &View, colours: bool) -> String {
    let mut text = String::from(" ");
    for rank in Rank::all().rev() {
        write!(text, " {:^LETTERS$}", rank.to_char()).expect("a string takes all");
    }
    text.truncate(text.trim_end().len());
    for (row, rank) in view.classes().chunks(13).zip(Rank::all().rev()) {
        let mut line = rank.to_string();
        for class in row {
            if class.combos == 0.0 {
                write!(line, " {:^LETTERS$}", '·').expect("a string takes all");
                continue;
            }
            line.push(' ');
            line.push_str(&cell(view, class, colours));
        }
        text.push('\n');
        text.push_str(line.trim_end());
    }
    text.push_str("\n  suited above the diagonal, offsuit below; each letter is a fifth of what the hand does\n");
    text
}

/// A hand of the chart in letters.
fn cell(view: &View, class: &Class, colours: bool) -> String {
    let mut text = String::new();
    for (choice, letters) in view.actions.iter().zip(apportioned(&class.mix)) {
        let letters = choice.letter.to_string().repeat(letters);
        if !letters.is_empty() {
            text.push_str(&painted(&letters, choice, colours));
        }
    }
    text
}

/// So many letters for each action as come closest to how often it is taken, by largest remainders.
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

/// Every hand with how often it takes each action, and what it gets.
fn hands(view: &View) -> String {
    let mut text = String::from("hand  weight");
    let widths: Vec<usize> =
        view.actions.iter().map(|choice| choice.name.chars().count().max(6)).collect();
    for (choice, width) in view.actions.iter().zip(&widths) {
        write!(text, "  {:>width$}", choice.name).expect("a string takes all");
    }
    text.push_str("       gets\n");
    for hand in &view.hands {
        write!(text, "{}  {:>6.4}", hand.combo, hand.weight).expect("a string takes all");
        for (share, width) in hand.strategy.iter().zip(&widths) {
            write!(text, "  {:>width$.2}", 100.0 * share).expect("a string takes all");
        }
        match hand.gets {
            Some(gets) => writeln!(text, "  {gets:>9.2}"),
            None => writeln!(text, "  {:>9}", "-"),
        }
        .expect("a string takes all");
    }
    text
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
