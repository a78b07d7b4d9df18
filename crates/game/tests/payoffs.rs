//! Payoffs: zero-sum, equal to a count chip by chip, exact in three-way splits.

use std::sync::Arc;

use game::{Action, Payoff, State, games};
use proptest::prelude::*;

use crate::recorded::replayed;
use crate::{naive, random};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn payoffs_are_those_of_the_count_chip_by_chip(
        def in random::a_game(),
        seed in any::<u64>(),
    ) {
        let deal = random::deal(&def, seed);
        let public = random::play(&def, &deal, seed, |_| ());
        let actions: Vec<Action> = public.history().iter().map(|played| played.action).collect();
        let slow = naive::replay(&def, &actions);
        let state = State { public, hole: deal.hole };
        let payoffs = state.payoffs();
        let parts: Vec<i64> = payoffs.as_slice().iter().map(|payoff| payoff.parts()).collect();
        let expected = slow.payoffs(state.hole.as_slice(), state.public.board().set());
        prop_assert_eq!(&parts, &expected);
        prop_assert_eq!(payoffs.as_slice().iter().copied().sum::<Payoff>(), Payoff::ZERO);
        for (seat, &payoff) in payoffs.iter() {
            let spent = i64::from(state.public.committed()[seat]);
            prop_assert!(payoff >= Payoff::from_chips(-spent));
            prop_assert!(payoff <= Payoff::from_chips(spent * (def.players as i64 - 1)));
        }
    }

    #[test]
    fn payoffs_print_as_the_nearest_millionth(parts in -10_000_000_000i64..10_000_000_000) {
        let payoff = Payoff::from_parts(parts);
        let text = payoff.to_string();
        let fixed = format!("{:.6}", payoff.chips());
        let short = fixed.trim_end_matches('0').trim_end_matches('.');
        prop_assert_eq!(text, if short == "-0" { "0" } else { short });
    }
}

#[test]
fn known_pots_are_shared_out_exactly() {
    let (nobody, runout) = ("2c3d|2d3c|4c5d|4d5c/AsKsQs/Js/Ts", "/2h3s7h/8s/9c");
    let [three, best] = [format!("AcAd|KcKd|QcQd{runout}"), format!("AcAd|KcKd{runout}")];
    let table: [(&[u32], &str, &str, &str); 7] = [
        // The big blind's 100 chips are split three ways, all playing the board.
        (&[20_000; 4], "r300ccf/ccc/ccc/ccc", nobody, "33.333333|-100|33.333333|33.333333"),
        // Three all-ins of different height: a main pot, a side pot, and chips nobody matched.
        (&[1_000, 5_000, 3_000], "r2000cr5000c///", &three, "2000|1000|-3000"),
        // The short stack ties for the main pot; the side pot is decided alone.
        (
            &[1_000, 5_000, 3_000],
            "r2000cr5000c///",
            "AcKd|QcQd|AdKc/AhTsTh/8s/2c",
            "500|-3000|2500",
        ),
        // A bet that nobody calls comes back.
        (&[20_000; 2], "r20000f", "5d5c|9hQd", "-100|100"),
        // An all-in call for less: the rest of the bet comes back.
        (&[20_000, 700], "cr5000c///", &best, "700|-700"),
        // The folded seat's chips go to the winner of the pots they stand in.
        (&[20_000; 3], "r500r1500cf/cc/cc/cc", &three, "2000|-1500|-500"),
        (&[100, 20_000, 20_000], "ccc/cc/cc/cc", "AcAd|AhAs|QcQd/2h3s7h/8s/9c", "50|50|-100"),
    ];
    for (stacks, betting, cards, payoffs) in table {
        let def = Arc::new(games::nolimit_holdem_with(stacks.to_vec()));
        let found = replayed(&def, betting, cards).1;
        assert_eq!(found.as_deref(), Some(payoffs), "{stacks:?} {betting} {cards}");
    }
}
