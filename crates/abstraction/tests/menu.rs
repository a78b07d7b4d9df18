//! Bet menus: what they say, what they refuse, and the actions they give.

use std::sync::Arc;

use abstraction::menu::{self, BetMenu, BetSize};
use game::{Action, PublicState, Street, Turn, games};
use proptest::prelude::*;

use Action::{Call, Fold, RaiseTo};

use crate::state;

fn menu(text: &str) -> BetMenu {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn actions_are_those_of_the_menu_made_legal() {
    let def = Arc::new(games::nolimit_holdem());
    let short = Arc::new(games::nolimit_holdem_with(vec![500, 20_000]));
    let even = Arc::new(games::nolimit_holdem_with(vec![2_700, 2_700]));
    let wide = "preflop 1: 2.5x 4x\npreflop 2: 3x pot\npreflop 3+: allin\nflop 1: 33% 75% \
                allin\nflop 2+: min 2x";
    let third = "r300r900r2700";
    let merged = [
        "every 1+: 25% 33% pot\nmerge: 11%",
        "every 1+: 33% 40% pot\nmerge: 9%",
        "every 1+: 33% 40% pot\nmerge: 8%",
    ];
    for (def, text, betting, expected) in [
        // Blinds of 100 and 50: the multiple is of the 100, the pot after a call is 200.
        (&def, wide, "", vec![Fold, Call, RaiseTo(250), RaiseTo(400)]),
        (&def, wide, "c", vec![Call, RaiseTo(250), RaiseTo(400)]),
        (&def, wide, "r250", vec![Fold, Call, RaiseTo(750)]),
        (&def, wide, "r250r750", vec![Fold, Call, RaiseTo(20_000)]),
        // 33 % of 500 are 165, 75 % are 375.
        (&def, wide, "r250c/", vec![Call, RaiseTo(415), RaiseTo(625), RaiseTo(20_000)]),
        // On top of the 250 from before: the bet is 165, the smallest raise is by 165 more.
        (&def, wide, "r250c/r415", vec![Fold, Call, RaiseTo(580)]),
        (&def, wide, "r250c/cc/", vec![Call]),
        (&def, "every 1+: pot allin", "", vec![Fold, Call, RaiseTo(300), RaiseTo(20_000)]),
        (&def, "every 1+: pot allin", "r300", vec![Fold, Call, RaiseTo(900), RaiseTo(20_000)]),
        // Half a pot of 200 is the smallest bet as well.
        (&def, "every 1+: min 50% 1% allin", "cc/", vec![Call, RaiseTo(200), RaiseTo(20_000)]),
        // Beyond the stack becomes all-in, once.
        (&def, "every 1+: pot allin", "r300r20000", vec![Fold, Call]),
        (&def, "every 1+: pot 1000% allin", "r9000", vec![Fold, Call, RaiseTo(20_000)]),
        (&short, "every 1+: pot allin", "r300", vec![Fold, Call, RaiseTo(500)]),
        (&def, "every 1+: none", "", vec![Fold, Call]),
        // 8,100 are 40.5 % of the stack.
        (&def, "every 1+: pot\nallin-from: 40.5%", third, vec![Fold, Call, RaiseTo(20_000)]),
        (&def, "every 1+: pot\nallin-from: 40.6%", third, vec![Fold, Call, RaiseTo(8_100)]),
        // 200 in the pot and 2,600 behind: three pots end all-in; in two, 2.098 pots.
        (&even, "flop turn river 1: e 2e", "cc/", vec![Call, RaiseTo(300), RaiseTo(520)]),
        (&even, "flop turn river 1: e", "cc/r300c/", vec![Call, RaiseTo(900)]),
        (&even, "flop turn river 1: e", "cc/r300c/r900c/", vec![Call, RaiseTo(2_700)]),
        // A raise: the pot of 600 after a call is to become 5,400 by three bets, each of 0.54 pots.
        (&even, "flop 1: e\nflop 2: e", "cc/r300", vec![Fold, Call, RaiseTo(624)]),
        // With the shorter stack behind.
        (&short, "flop 1: 1e", "cc/", vec![Call, RaiseTo(500)]),
        // To 150 and to 700 chips on the street, of which the smallest raise is to 250.
        (&def, "flop 1+: 150c 700c", "r200c/", vec![Call, RaiseTo(350), RaiseTo(900)]),
        (&def, "flop 1+: 150c 700c", "r200c/r350", vec![Fold, Call, RaiseTo(500), RaiseTo(900)]),
        // Pots of 600, 664 and 1,200 after a call: 664 is less than 11 % above 600.
        (&def, merged[0], "r200c/", vec![Call, RaiseTo(332), RaiseTo(600)]),
        // 1,660 and 1,800 are 8.4 % apart.
        (&def, merged[1], "r500c/", vec![Call, RaiseTo(900), RaiseTo(1_500)]),
        (&def, merged[2], "r500c/", vec![Call, RaiseTo(830), RaiseTo(900), RaiseTo(1_500)]),
    ] {
        let found = menu(text).actions(&state(def, betting)).to_vec();
        assert_eq!(found, expected, "{text:?} after {betting:?}");
    }
}

#[test]
fn a_size_more_is_offered_where_it_belongs_and_nowhere_else() {
    let small = menu("flop 1: 50% allin\nflop 2+: allin\nallin-from: 60%\nmerge: 10%");
    let with = |raise, chips| small.clone().with_size(Street::Flop, raise, BetSize::Chips(chips));
    for (found, printed) in [
        (with(1, 450), "flop 1: 50% 450c allin\nflop 2+: allin\n"),
        (with(3, 9000), "flop 1: 50% allin\nflop 2: allin\nflop 3: 9000c allin\nflop 4+: allin\n"),
        (
            small.clone().with_size(Street::Turn, 2, BetSize::Chips(7)),
            "flop 1: 50% allin\nflop 2+: allin\nturn 1: allin\nturn 2: 7c\n",
        ),
        (
            with(0, 450).with_size(Street::Flop, 2, BetSize::AllIn),
            "flop 1: 50% allin\nflop 2+: allin\n",
        ),
    ] {
        assert_eq!(found.to_string(), printed);
        assert_eq!(menu(printed), found);
    }
}

#[test]
fn in_limit_games_every_size_is_the_one_raise() {
    let def = Arc::new(games::limit_holdem());
    for text in ["every 1+: min", "every 1+: min pot allin", "every 1+: 50%"] {
        for (betting, raise) in
            [("", Some(20)), ("r", Some(30)), ("rrr", None), ("cc/cc/", Some(30))]
        {
            let found = menu(text).actions(&state(&def, betting));
            let raises: Vec<_> = found.iter().filter(|a| matches!(a, RaiseTo(_))).collect();
            assert_eq!(raises, raise.map(RaiseTo).iter().collect::<Vec<_>>(), "{text} {betting}");
        }
    }
}

#[test]
fn a_menu_prints_line_by_line_and_equal_menus_print_alike() {
    let cases = [
        ("every 1+: none", "every 1+: none\n"),
        ("flop 1+: none # quiet", "every 1+: none\n"),
        ("river 2: allin\nriver 1: allin pot 50.0%", "river 1: 50% pot allin\nriver 2: allin\n"),
        ("turn 1-3: pot\nturn 4+: pot", "turn 1+: pot\n"),
        (
            "preflop 1: 2.50x min\npreflop 2+: 100% 33.3%",
            "preflop 1: min 2.5x\npreflop 2+: 33.3% pot\n",
        ),
        ("flop flop 1: pot", "flop 1: pot\n"),
        ("allin-from:  085.5%\nflop 1: pot", "flop 1: pot\nallin-from: 85.5%\n"),
        ("flop 1: pot\nallin-from: 100%", "flop 1: pot\n"),
        ("merge:  07.5%\nflop 1: allin 2e e", "flop 1: e 2e allin\nmerge: 7.5%\n"),
        ("flop 1: allin 0450c 30c pot", "flop 1: pot 30c 450c allin\n"),
    ];
    for (text, printed) in cases {
        assert_eq!(menu(text).to_string(), printed);
        assert_eq!(menu(printed), menu(text));
    }
    assert_eq!(menu("every 1+: pot").sizes(Street::Turn, 9), [BetSize::OfPot(1000)]);
    assert_eq!(menu("every 1: pot").sizes(Street::Turn, 2), []);
    assert_eq!(menu("every 1: pot").sizes(Street::Turn, 0), []);
}

#[test]
fn a_bad_menu_is_refused_with_its_line_and_a_remedy() {
    for (text, line, words) in [
        ("", 1, "the menu is empty"),
        ("# nothing\n\n", 1, "every 1+: none"),
        ("flop 1 pot", 1, "STREETS RAISES: SIZES"),
        ("flop: pot", 1, "STREETS RAISES: SIZES"),
        ("flop 1:", 1, "STREETS RAISES: SIZES"),
        ("\nflob 1: pot", 2, "`flob` is not a street"),
        ("flop 0: pot", 1, "`0` names no raises"),
        ("flop 3-2: pot", 1, "`3-2` names no raises"),
        ("flop +1: pot", 1, "`+1` names no raises"),
        ("flop 65: pot", 1, "from 1 to 64"),
        ("flop 1: half", 1, "`half` is not a size"),
        ("flop 1: 0%", 1, "`0%` is not a size"),
        ("flop 1: 0.55%", 1, "one decimal"),
        ("flop 1: 99999999999%", 1, "is not a size"),
        ("preflop 1: 1x", 1, "above 1x"),
        ("preflop 1: .5x", 1, "is not a size"),
        ("flop 1: pot pot", 1, "take it out"),
        ("flop 1: none pot", 1, "take it out"),
        ("every 1: 2x", 1, "no bet to multiply"),
        ("flop 1+: pot\nturn 1: pot\nflop 2: pot", 3, "sizes on line 1 already"),
        ("flop 1: pot\nallin-from: 0.9%", 2, "`0.9%` is not a share"),
        ("allin-from: 101%", 1, "from 1% to 100%"),
        ("allin-from: pot", 1, "`pot` is not a share"),
        ("allin-from: 80%\nallin-from: 90%", 2, "of which there is one"),
        ("merge: 0%\nflop 1: pot", 1, "`0%` is not a share"),
        ("flop 1: 5e", 1, "`5e` is not a size"),
        ("flop 1: 0c", 1, "`0c` is not a size"),
        ("flop 1: 4.5c", 1, "`4.5c` is not a size"),
        ("flop 1: c", 1, "chips such as `450c`"),
        ("flop 2: pot", 1, "raise 1 has no sizes"),
        ("flop 1: pot\nflop 3+: pot", 2, "raise 2 has no sizes"),
    ] {
        let error = text.parse::<BetMenu>().expect_err(text).to_string();
        assert!(error.starts_with(&format!("line {line}: ")), "{text:?}: {error}");
        assert!(error.contains(words), "{text:?}: {error}");
    }
}

#[test]
fn shipped_menus_can_be_read_and_are_found_by_name() {
    for shipped in menu::shipped() {
        let found = menu::find(shipped.name).expect("by its name");
        assert_eq!(found, menu(shipped.text), "{}", shipped.name);
    }
    assert_eq!(menu::find("nothing"), None);
}

fn size() -> impl Strategy<Value = BetSize> {
    prop_oneof![
        Just(BetSize::Minimum),
        Just(BetSize::AllIn),
        (1..=u32::MAX).prop_map(BetSize::Chips),
        (0..=4u8).prop_map(BetSize::Geometric),
        (1..=BetSize::MAX).prop_map(BetSize::OfPot),
        (1..20u32).prop_map(|tenths| BetSize::OfPot(tenths * 100)),
    ]
}

/// A menu's text: for each street some numbered raises, and perhaps all later ones.
fn text() -> impl Strategy<Value = String> {
    let sizes = || prop::collection::btree_set(size(), 1..5);
    let street = (prop::collection::vec(sizes(), 0..4), prop::option::of(sizes()));
    (prop::collection::vec(street, 4), 10..=1000u32).prop_map(|(streets, all_in)| {
        let mut text = format!("# made\nallin-from: {}.{}%\n", all_in / 10, all_in % 10);
        for (street, (numbered, later)) in Street::ALL.into_iter().zip(streets) {
            let words = |sizes: &std::collections::BTreeSet<BetSize>| {
                sizes.iter().map(ToString::to_string).collect::<Vec<_>>().join("  ")
            };
            let next = numbered.len() + 1;
            for (sizes, raise) in numbered.iter().zip(1..) {
                text.push_str(&format!("{street} {raise}: {}\n", words(sizes)));
            }
            match later {
                Some(sizes) => text.push_str(&format!("{street} {next}+: {}\n", words(&sizes))),
                None => text.push_str(&format!("{street} {next}: none\n")),
            }
        }
        text
    })
}

#[test]
fn the_moves_of_a_street_are_all_its_sizes_by_kind() {
    let menu = menu(
        "preflop 1: 2.5x 4x\npreflop 2: 3x pot allin\npreflop 3+: allin\nflop turn river 1+: pot \
         33% allin",
    );
    assert_eq!(
        menu.moves(Street::Preflop).names(),
        ["fold", "call", "2.5x", "3x", "4x", "pot", "allin"]
    );
    assert_eq!(menu.moves(Street::River).names(), ["fold", "call", "33%", "pot", "allin"]);
    for &one in menu.moves(Street::Preflop).as_slice() {
        assert_eq!(one.to_string().parse(), Ok(one));
    }
}

#[test]
fn moves_come_to_the_same_chips_whatever_the_situation_allows() {
    let menu = menu("preflop 1+: 2.5x pot allin\nflop turn river 1+: pot allin");
    let moves = menu.moves(Street::Preflop);
    let mut state = PublicState::new(&Arc::new(games::nolimit_holdem_with(vec![2_000, 2_000])));
    // Blinds of 50 and 100; the first to act owes 50.
    let all =
        |state: &PublicState| (0..5).map(|number| moves.action(state, number)).collect::<Vec<_>>();
    assert_eq!(all(&state), [Fold, Call, RaiseTo(250), RaiseTo(300), RaiseTo(2_000)]);
    assert_eq!(moves.class(&state, RaiseTo(260)), 2);
    assert_eq!(moves.class(&state, RaiseTo(2_000)), 4);
    state.apply(Call).expect("a limp");
    assert_eq!(all(&state)[0], Call, "nothing is owed, so that a fold checks");
    state.apply(RaiseTo(1_500)).expect("a raise");
    // A pot-sized raise is more than there is.
    assert_eq!(all(&state)[2..], [RaiseTo(2_000); 3]);
    assert_eq!(moves.class(&state, RaiseTo(2_000)), 4);
    state.apply(RaiseTo(2_000)).expect("all-in");
    assert_eq!(all(&state), [Fold, Call, Call, Call, Call]);
}

proptest! {
    #[test]
    fn menus_come_back_from_their_own_print(text in text()) {
        let read = menu(&text);
        let printed = read.to_string();
        prop_assert_eq!(menu(&printed), read.clone());
        prop_assert_eq!(menu(&printed).to_string(), printed.clone());
        // Without the bets before a street it has the lines of the others.
        for street in Street::ALL {
            let earlier = &Street::ALL[..street.index()];
            let before = |line: &&str| earlier.iter().any(|street| line.starts_with(street.name()));
            let kept: Vec<&str> = printed.lines().filter(|line| !before(line)).collect();
            let kept = kept.join("\n");
            // A menu whose lines are all gone bets nothing.
            let nothing = format!("every 1+: none\n{kept}");
            let expected = kept.parse().unwrap_or_else(|_| menu(&nothing));
            prop_assert_eq!(read.clone().from_street(street), expected);
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "([a-z0-9 :+%.x#-]|\\PC|\n){0,60}") {
        let _ = text.parse::<BetMenu>();
    }

    #[test]
    fn every_action_of_a_menu_is_legal_ascending_and_distinct(
        text in text(),
        stacks in (2u32..400, 2u32..400).prop_map(|(a, b)| vec![a * 50, b * 50]),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let menu = menu(&text);
        let def = Arc::new(games::nolimit_holdem_with(stacks));
        let deck = def.deck();
        let mut state = PublicState::new(&def);
        for choice in choices {
            state.deal_from(&deck[..5]).expect("five cards");
            let Turn::Act(_) = state.turn() else { break };
            let actions = menu.actions(&state);
            let legal = state.legal();
            prop_assert_eq!(actions.contains(&Fold), legal.fold);
            prop_assert!(actions.contains(&Call));
            prop_assert!(actions.iter().all(|&action| legal.allows(action)), "{:?} \
                {:?}", actions, legal);
            let rank = |action: &Action| match *action { Fold => 0, Call => 1,
                RaiseTo(total) => u64::from(total) + 2 };
            prop_assert!(actions.windows(2).all(|pair| rank(&pair[0]) < rank(&pair[1])), "{:?}",
                actions);
            let moves = menu.moves(state.street());
            for &action in &actions {
                prop_assert_eq!(moves.action(&state, moves.class(&state, action)), action);
            }
            state.apply(*choice.get(&actions)).expect("a legal action");
        }
    }
}
