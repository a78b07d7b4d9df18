//! Rule lists: the text there and back, its errors, and what the rules do with hands counted by
//! hand.

use proptest::prelude::*;
use readable::rules::{Bet, Betting, Calling, Hands, RuleList, Size};

const THREE_SIZES: &str = "\
bet 1.7 when beating at least 98 %
bet 0.7 when beating at least 87 %
bet 0.3 when beating at least 74 %
bluff the worst hands b/(1+b) as often
else check
call with the best 0.8/(1+b)
";

fn betting(text: &str) -> Betting {
    RuleList::parse(text).expect(text).betting().expect("bets").clone()
}

#[test]
fn texts_come_back_as_they_were() {
    for text in [
        THREE_SIZES,
        "else check\n",
        "call when beating at least 41.5 %\n",
        "bet all-in when beating at least 90 %\nelse check\n",
        "bet 0.05 when beating at least 0 %\nbluff the worst hands 0.5 b/(1+b) as often\nelse \
         check\n",
    ] {
        let list = RuleList::parse(text).expect(text);
        assert_eq!(list.to_string(), text);
        assert_eq!(RuleList::parse(&list.to_string()), Ok(list));
    }
}

#[test]
fn blanks_and_remarks_do_not_matter() {
    let text =
        "# for deep stacks\n\n bet  1  when beating at least 85%  # the pot\r\n\telse check\n";
    let list = RuleList::parse(text).expect("a list");
    assert_eq!(list.to_string(), "bet 1 when beating at least 85 %\nelse check\n");
}

#[test]
fn wrong_lines_are_named_with_what_is_possible() {
    for [text, expected] in testing::rows(
        r"
        => there are no rules: write `else check`
        # nothing => there are no rules
        raise 3
            => line 1, `raise 3`: it is not a rule; rules are `bet 1 when beating at least 85 %`,
        else fold => line 1, `else fold`: it is not a rule
        bet 1
            => line 1, `bet 1`: a bet is written `bet 1 when beating at least 85 %` or `bet all-
        bet pot when beating at least 85 % => a bet is written
        bet 1 when beating at least 85 => a bet is written
        bet nan when beating at least 85 % => a bet is written
        bet 1e2 when beating at least 85 % => a bet is written
        bet 0 when beating at least 85 % => 0 is not a size: a bet is above 0 and at most 1000 pots
        bet 1001 when beating at least 85 % => 1001 is not a size
        bet 1 when beating at least 101 % => 101 % is not a share: it is from 0 to 100 %
        \nbet 1 when beating at least 85 %\nbet 2 when beating at least 90 %\nelse check
            => line 3, `bet 2 when beating at least 90 %`: 90 % is not below the 85 % of the bet
            before
        bet 1 when beating at least 85 % => line 2: the bets before it need a line `else check`
        bet 1 when beating at least 85 %\ncall with the best 1/(1+b)
            => line 2: the bets before it need a line `else check`
        else check\nbet 1 when beating at least 85 %
            => line 2, `bet 1 when beating at least 85 %`: it must come before `else check`: move
            it up
        bluff the worst hands b/(1+b) as often => there is no bet before it to bluff with
        bet 1 when beating at least 85 %\nbluff the worst hands often\nelse check
            => line 2, `bluff the worst hands often`: bluffing is written `bluff the worst hands
            b/(1+b)
        bet 1 when beating at least 85 %\nbluff the worst hands 0 b/(1+b) as often\nelse check
            => 0 is not a factor: it is above 0 and at most 1000
        else check\nelse check => line 2, `else check`: `else check` is already above
        call\n => line 1, `call`: calling is written `call with the best 1/(1+b)` or `call when
        call with the best 1/(1+b)\nelse check
            => line 2, `else check`: it must come before the line
        ",
    ) {
        let error = RuleList::parse(&text).expect_err(&text).to_string();
        assert!(error.contains(&expected), "{text:?}: {error}");
        assert!(!error.contains('\n'), "{text:?}: more than one line: {error}");
    }
}

#[test]
fn numbers_that_no_text_has_are_refused() {
    let bet = |size, percent| Bet { size, percent };
    for bets in [
        vec![bet(Size::Pots(f64::NAN), 50.0)],
        vec![bet(Size::Pots(-1.0), 50.0)],
        vec![bet(Size::AllIn, f64::NAN)],
        vec![bet(Size::AllIn, 50.0), bet(Size::Pots(1.0), 50.0)],
        vec![bet(Size::AllIn, 0.0); 101],
    ] {
        assert!(Betting::new(bets.clone(), None).is_err(), "{bets:?}");
    }
    assert!(Betting::new(vec![], Some(1.0)).is_err(), "nothing to bluff with");
    assert!(RuleList::new(None, Some(Calling::Best(f64::INFINITY))).is_err());
    let error = RuleList::new(None, None).expect_err("no rules").to_string();
    assert!(error.contains("there are no rules"), "{error}");
}

/// Ten cards dealt without replacement, each as likely: card i beats i of the nine others.
fn ten_cards() -> (Vec<f64>, Vec<f64>) {
    ((0..10).map(|card| f64::from(card) / 9.0).collect(), vec![0.1; 10])
}

#[test]
fn the_pot_with_the_best_two_of_ten_cards_is_a_bluff_of_the_worst() {
    let (beats, weights) = ten_cards();
    let rules = betting(
        "bet 1 when beating at least 85 %\nbluff the worst hands b/(1+b) as often\nelse check",
    );
    let mut chances = vec![7.0; 3];
    rules.probabilities(Hands::new(&beats, &weights), &[0.5, 1.0, 3.0], &mut chances);
    // Value of 0.2, and half of that to bluff: card 1 always. Columns: check, 0.5, 1, 3.
    let rows: Vec<&[f64]> = chances.chunks(4).collect();
    assert_eq!(rows.len(), 10);
    for (card, row) in rows.iter().enumerate() {
        let bets = card == 0 || card >= 8;
        let expected = if bets { [0.0, 0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0, 0.0] };
        let off = row.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "card {}: {row:?}", card + 1);
    }
}

#[test]
fn the_largest_size_is_bluffed_with_the_worst_and_sizes_share_a_hand_where_one_ends() {
    let (beats, weights) = ten_cards();
    let rules = betting(THREE_SIZES);
    let mut chances = Vec::new();
    // 3 stands for all that is larger; 1.7 is nearest to 1.8, and 0.3 as near to 0.2 as to 0.4.
    rules.probabilities(Hands::new(&beats, &weights), &[0.2, 0.4, 0.7, 1.8, 3.0], &mut chances);
    let row = |card: usize| &chances[(card - 1) * 6..][..6];
    // Card 10 beats all, card 9 beats 8 of 9, card 8 beats 7 of 9 and card 7 6 of 9.
    assert_eq!(row(10), [0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(row(9), [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(row(8)[1..3].iter().sum::<f64>(), 1.0);
    assert_eq!(row(7), [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    // Bluffs in hands: 1.8/2.8 of one, 0.7/1.7 of one, and 0.2/1.2 or 0.4/1.4 of one.
    let large = 1.8 / 2.8;
    let middle = 0.7 / 1.7;
    assert!((row(1)[4] - large).abs() < 1e-12);
    assert!((row(1)[3] - (1.0 - large)).abs() < 1e-12, "the rest of card 1: {:?}", row(1));
    assert!((row(2)[3] - (large + middle - 1.0)).abs() < 1e-12);
    assert_eq!(row(1)[0], 0.0);
    let small: f64 = (1..=6).map(|card| row(card)[1] + row(card)[2]).sum();
    let expected = if row(8)[1] == 1.0 { 0.2 / 1.2 } else { 0.4 / 1.4 };
    assert!((small - expected).abs() < 1e-12);
    assert!((3..=7).all(|card| row(card)[0] == 1.0));
}

#[test]
fn all_in_is_the_last_size_and_bluffs_end_with_the_hands() {
    // Half of the hands win always, and there are too few others for twice the bluffs.
    let (beats, weights) = ([0.0, 0.5, 1.0], [0.2, 0.3, 0.5]);
    let rules = betting(
        "bet all-in when beating at least 100 %\nbluff the worst hands 2 b/(1+b) as often\nelse \
         check",
    );
    let mut chances = Vec::new();
    rules.probabilities(Hands::new(&beats, &weights), &[1.0, 9.0], &mut chances);
    assert_eq!(chances, [0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
    rules.probabilities(Hands::new(&beats, &weights), &[], &mut chances);
    assert_eq!(chances, [1.0, 1.0, 1.0], "without sizes every hand checks");
    rules.probabilities(Hands::new(&[], &[]), &[1.0], &mut chances);
    assert_eq!(chances, [0.0; 0]);
}

#[test]
fn callers_call_with_their_share_of_hands_and_equal_hands_alike() {
    let (beats, weights) = ([0.1, 0.4, 0.4, 0.9], [0.4, 0.2, 0.2, 0.2]);
    let hands = Hands::new(&beats, &weights);
    let mut chances = Vec::new();
    // Against the pot: half of all hands, the best fifth and three quarters of the next two.
    Calling::Best(1.0).probabilities(hands, 1.0, &mut chances);
    let expected = [0.0, 0.75, 0.75, 1.0];
    assert!(chances.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{chances:?}");
    Calling::Best(3.0).probabilities(hands, 0.5, &mut chances);
    assert_eq!(chances, [1.0; 4], "no more than all");
    Calling::Beating(40.0).probabilities(hands, 9.0, &mut chances);
    assert_eq!(chances, [0.0, 1.0, 1.0, 1.0]);
}

/// Numbers as a person writes them: a few digits.
fn decimal(least: u32, most: u32) -> impl Strategy<Value = f64> {
    (least..=most, 0..3i32).prop_map(|(digits, places)| f64::from(digits) / 10f64.powi(places))
}

fn lists() -> impl Strategy<Value = RuleList> {
    let size = prop_oneof![Just(Size::AllIn), decimal(1, 1_000).prop_map(Size::Pots)];
    let bets = prop::collection::vec((size, decimal(0, 100)), 0..6);
    let factor = || prop::option::of(decimal(1, 1_000));
    let calling = prop::option::of(prop_oneof![
        decimal(1, 1_000).prop_map(Calling::Best),
        decimal(0, 100).prop_map(Calling::Beating),
    ]);
    (bets, factor(), any::<bool>(), calling).prop_filter_map(
        "a list has a part",
        |(mut bets, bluffs, has_bets, calling)| {
            bets.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            bets.dedup_by_key(|(_, percent)| *percent);
            let bets: Vec<Bet> =
                bets.into_iter().map(|(size, percent)| Bet { size, percent }).collect();
            let bluffs = bluffs.filter(|_| !bets.is_empty());
            let betting = has_bets.then(|| Betting::new(bets, bluffs).expect("in order"));
            RuleList::new(betting, calling).ok()
        },
    )
}

proptest! {
    #[test]
    fn every_list_is_printed_as_it_is_read(list in lists()) {
        let text = list.to_string();
        let read = RuleList::parse(&text);
        prop_assert_eq!(read.as_ref().map(ToString::to_string), Ok(text));
        prop_assert_eq!(read, Ok(list));
    }

    #[test]
    fn any_text_is_a_list_or_an_error(
        lines in prop::collection::vec(
            prop_oneof![
                "(bet|bluff|else|call) [a-z0-9.%/()+ -]{0,40}",
                "bet [0-9.]{1,4} when beating at least [0-9.]{1,4} ?%",
                "bluff the worst hands [0-9.]{0,3} ?b/\\(1\\+b\\) as often",
                Just("else check".to_owned()),
                any::<String>(),
            ],
            0..6,
        ),
    ) {
        if let Ok(list) = RuleList::parse(&lines.join("\n")) {
            prop_assert_eq!(RuleList::parse(&list.to_string()), Ok(list));
        }
    }

    #[test]
    fn chances_sum_to_one_and_bluffs_to_their_mass(
        rules in lists(),
        mut beats in prop::collection::vec(0.0..=1.0f64, 1..30),
        weights in prop::collection::vec(0.0..1.0f64, 30),
        sizes in prop::collection::btree_set(1..300u32, 1..6),
        bet in 0.05..5.0f64,
    ) {
        beats.sort_by(f64::total_cmp);
        let weights = &weights[..beats.len()];
        let grid: Vec<f64> = sizes.iter().map(|&size| f64::from(size) / 100.0).collect();
        let hands = Hands::new(&beats, weights);
        let total: f64 = weights.iter().sum();
        let mut chances = Vec::new();
        if let Some(betting) = rules.betting() {
            betting.probabilities(hands, &grid, &mut chances);
            let rows: Vec<&[f64]> = chances.chunks(1 + grid.len()).collect();
            prop_assert_eq!(rows.len(), beats.len());
            for row in &rows {
                prop_assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{row:?}");
                prop_assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{row:?}");
            }
            // All bluffs together, where there are hands enough.
            let (mut owed, mut idle) = (0.0, 0.0);
            let mut bluffs = 0.0;
            for ((row, &weight), &beats) in rows.iter().zip(weights).zip(&beats) {
                if betting.bet(beats).is_some() {
                    for (p, size) in row[1..].iter().zip(&grid) {
                        owed += betting.bluffs().unwrap_or(0.0) * weight * p * size / (1.0 + size);
                    }
                } else {
                    idle += weight;
                    bluffs += weight * (1.0 - row[0]);
                }
            }
            prop_assert!((bluffs - owed.min(idle)).abs() < 1e-9, "{bluffs} of {owed}, {idle}");
        }
        if let Some(calling) = rules.calling() {
            calling.probabilities(hands, bet, &mut chances);
            prop_assert!(chances.is_sorted());
            if let Calling::Best(factor) = calling {
                let calls: f64 = chances.iter().zip(weights).map(|(p, weight)| p * weight).sum();
                prop_assert!((calls - total * (factor / (1.0 + bet)).min(1.0)).abs() < 1e-9);
            }
        }
    }
}
