//! A solved spot as text: heading, actions with their totals, chart of hands, single hands.

use super::view::View;
use crate::chart::text;

/// The text of a spot: its actions and the chart, and each hand if requested.
pub(super) fn render(view: &View, each_hand: bool, colours: bool) -> String {
    let mut out = heading(view);
    out.push_str(&text::actions(&view.chart, colours));
    out.push('\n');
    out.push_str(&text::chart(&view.chart, colours));
    if each_hand {
        out.push('\n');
        out.push_str(&text::hands(&view.chart));
    }
    out
}

/// The place of the spot, and the player to act.
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
