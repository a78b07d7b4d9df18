//! A picture of an endgame in the form of Figure 1 of Ganzfried & Yusuf: the first player's cards
//! on the left, the second's on the right, the best on top; and the first player's strategy.

use show::number::percent;
use show::svg::{Colour, Head, Letters, Picture};
use solvers::Player;
use solvers::endgame::{Endgame, Solution};

use super::solve::{mix, short};

const LETTERS: Letters = Letters::regular(12.0);
const EDGE: f64 = 14.0;
const TOP: f64 = 78.0;
const ROW: f64 = 24.0;
/// Length of the longest bar.
const BAR: f64 = 130.0;
/// Width of the column of cards between the bars.
const MIDDLE: f64 = 40.0;

/// The picture as SVG.
pub(super) fn picture(game: &Endgame, solution: &Solution) -> String {
    let sizes = game.bets().sizes();
    let plays: Vec<String> = solution
        .strategy
        .chunks_exact(sizes.len())
        .zip(game.shares(Player::First))
        .map(|(row, &held)| if held > 0.0 { mix(row, sizes) } else { String::new() })
        .collect();
    let wide = plays.iter().map(|plays| LETTERS.wide(plays)).fold(160.0, f64::max);
    let number = LETTERS.wide("100.0 %") + 8.0;
    let left = EDGE + number + BAR;
    let right = left + MIDDLE;
    let words = right + BAR + number + 16.0;
    let height = TOP + ROW * game.cards() as f64 + EDGE;
    let size = [words + wide + EDGE, height];
    let shown = size.map(|size| format!("{size:.0}"));
    let mut svg = Picture::new(&Head {
        name: "endgame",
        size,
        shown: Some([&shown[0], &shown[1]]),
        title: "An endgame of one bet",
        description: "",
        letters: 12.0,
        colours: &[(" .first", "fill", Colour::Felt), (" .second", "fill", Colour::Mark)],
        style: "",
    });
    let head = format!("The first player gets {} of the pot", short(solution.value));
    svg.text([EDGE, 24.0], "font-size=\"14\" font-weight=\"bold\"", &head);
    let heading = |svg: &mut Picture, x: f64, anchor: &str, text: &str| {
        svg.text([x, TOP - 14.0], &format!("text-anchor=\"{anchor}\" opacity=\"0.8\""), text);
    };
    heading(&mut svg, left, "end", "first player");
    heading(&mut svg, left + MIDDLE / 2.0, "middle", "card");
    heading(&mut svg, right, "start", "second player");
    heading(&mut svg, words, "start", "what the first player does");
    let most = Player::BOTH.into_iter().flat_map(|player| game.shares(player)).copied();
    let most = most.fold(f64::MIN_POSITIVE, f64::max);
    for (line, card) in (0..game.cards()).rev().enumerate() {
        let top = TOP + ROW * line as f64;
        let base = top + ROW / 2.0 + 3.0;
        let anchored = |anchor: &str| format!("text-anchor=\"{anchor}\"");
        svg.text([left + MIDDLE / 2.0, base], &anchored("middle"), &(card + 1).to_string());
        for (player, class) in [(Player::First, "first"), (Player::Second, "second")] {
            let share = game.shares(player)[card];
            if share == 0.0 {
                continue;
            }
            let long = BAR * share / most;
            let is_first = player == Player::First;
            let x = if is_first { left - long } else { right };
            svg.add(format_args!(
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"{long:.1}\" height=\"{:.1}\" rx=\"2\" \
                 class=\"{class}\"/>",
                top + 3.0,
                ROW - 8.0
            ));
            let (at, anchor) = if is_first { (x - 6.0, "end") } else { (x + long + 6.0, "start") };
            svg.text([at, base], &anchored(anchor), &percent(share, 1));
        }
        svg.text([words, base], "", &plays[card]);
    }
    svg.finish()
}
