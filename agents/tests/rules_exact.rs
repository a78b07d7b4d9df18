//! The losses of the shipped list of rules on rivers of real cards, where one bet is left and both
//! players may hold any hand: exactly, against the best answer, beside the solution and beside
//! always checking.

use cards::{Board, Card, Combo, Range, Showdown, Ties};
use rand::RngExt;
use readable::rules::{Hands, RuleList};

use crate::last_bet::LastBet;

const LIST: &str = include_str!("../models/rules/three-sizes.rules");
const SIZES: [f64; 7] = [0.1, 0.3, 0.5, 0.8, 1.0, 1.7, 3.0];
const BOARDS: usize = 8;

fn boards() -> Vec<Board> {
    let mut rng = agents::AgentRng::new(1);
    let mut deck: Vec<Card> = game::games::nolimit_holdem().deck().into_iter().collect();
    let mut board = || {
        for at in 0..5 {
            let other = rng.random_range(at as u32..deck.len() as u32);
            deck.swap(at, other as usize);
        }
        Board::new(&deck[..5]).expect("five cards")
    };
    (0..BOARDS).map(|_| board()).collect()
}

/// The strategy of the list with every combo: columns of bets, and of calls.
fn columns(list: &RuleList, board: Board) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let showdown = Showdown::new(board.set()).expect("a river");
    let rate = |combo: Combo| Some((showdown.equity(combo)?.value(Ties::Half), combo));
    let mut hands: Vec<(f64, Combo)> = Combo::all().filter_map(rate).collect();
    hands.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let beats: Vec<f64> = hands.iter().map(|&(beats, _)| beats).collect();
    let weights = vec![1.0; hands.len()];
    let sorted = Hands::new(&beats, &weights);
    let mut chances = Vec::new();
    list.betting().expect("bets").probabilities(sorted, &SIZES, &mut chances);
    let mut bets = vec![vec![0.0; Combo::COUNT]; 1 + SIZES.len()];
    for (row, (_, combo)) in chances.chunks(bets.len()).zip(&hands) {
        row.iter().zip(&mut bets).for_each(|(&p, column)| column[combo.index()] = p);
    }
    let calls = SIZES.iter().map(|&size| {
        list.calling().expect("calls").probabilities(sorted, size, &mut chances);
        let mut column = vec![0.0; Combo::COUNT];
        hands.iter().zip(&chances).for_each(|(&(_, combo), &p)| column[combo.index()] = p);
        column
    });
    let calls = calls.collect();
    (bets, calls)
}

/// The mean over the boards and half of its 95 % interval, by Student's t with 7 degrees of
/// freedom.
fn mean(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, 2.365 * (variance / n).sqrt())
}

#[test]
fn on_real_rivers_the_rules_lose_less_than_checking_and_than_never_or_always_calling() {
    let list = RuleList::parse(LIST).expect("a list");
    let any = Range::uniform();
    let mut losses: [Vec<f64>; 5] = Default::default();
    for board in boards() {
        let mut last =
            LastBet::new(board.set(), [&any, &any], &SIZES).expect("a river").expect("deals");
        let play = last.solve(250);
        let (low, high) = (last.value_of_bets(&play.bets), last.value_against_calls(&play.calls));
        let (bets, calls) = columns(&list, board);
        let never = vec![vec![0.0; Combo::COUNT]; SIZES.len()];
        let always = vec![vec![1.0; Combo::COUNT]; SIZES.len()];
        let value = (low + high) / 2.0;
        for (losses, loss) in losses.iter_mut().zip([
            high - low,
            value - 0.5,
            value - last.value_of_bets(&bets),
            last.value_against_calls(&calls) - value,
            last.value_against_calls(&always).min(last.value_against_calls(&never)) - value,
        ]) {
            losses.push(loss);
        }
    }
    let names =
        ["solved to within", "always checking", "betting by the rules", "calling by the rules"];
    for (name, losses) in names.into_iter().chain(["always or never calling"]).zip(&losses) {
        let (mean, half) = mean(losses);
        println!("{name:<24} loses {:.2} ± {:.2} % of the pot", 100.0 * mean, 100.0 * half);
    }
    let [solved, checking, betting, calling, blind] = losses;
    assert!(solved.iter().all(|&gap| gap < 0.004), "{solved:?}");
    for board in 0..BOARDS {
        assert!(betting[board] < checking[board], "{betting:?} {checking:?}");
        assert!(calling[board] < blind[board], "{calling:?} {blind:?}");
    }
}
