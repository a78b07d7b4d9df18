//! Game files: both readings, the printer, the built-in games.

use game::{Betting, GameDef, GameSpec, Quirks};
use proptest::prelude::*;
use protocol::acpc;
use protocol::acpc::gamedef::{self, Reading};

const NOLIMIT: &str = "GAMEDEF\nnolimit\nnumPlayers = 2\nnumRounds = 4\nstack = 20000 20000\n\
    blind = 100 50\nfirstPlayer = 2 1 1 1\nnumSuits = 4\nnumRanks = 13\nnumHoleCards = 2\n\
    numBoardCards = 0 3 1 1\nEND GAMEDEF\n";
const KUHN: &str = "limit\nnumPlayers = 2\nnumRounds = 1\nblind = 1 1\nraiseSize = 1\n\
    maxRaises = 1\nnumSuits = 1\nnumRanks = 3\nnumHoleCards = 1\nnumBoardCards = 0\n";

fn strict(text: &str) -> Result<GameDef, String> {
    let file = gamedef::read(text.as_bytes(), "g.game", Reading::Strict);
    file.map(|file| file.def).map_err(|error| error.to_string())
}

fn original(text: &str) -> Result<(GameDef, Vec<String>), String> {
    let file = gamedef::read(text.as_bytes(), "g.game", Reading::Original);
    file.map(|file| (file.def, file.warnings.iter().map(ToString::to_string).collect()))
        .map_err(|error| error.to_string())
}

#[test]
fn every_built_in_game_reads_the_same_both_ways_or_is_refused_by_the_original() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/games");
    let files = std::fs::read_dir(folder).unwrap().filter(|entry| {
        entry.as_ref().unwrap().path().extension().is_some_and(|extension| extension == "game")
    });
    assert_eq!(acpc::games().len(), files.count(), "the games built in are those of {folder}");
    for game in acpc::games() {
        let read = strict(game.text).unwrap();
        if read.discards {
            // The original does not know such games, and must not play another one in their place.
            assert!(original(game.text).is_err(), "{}", game.name);
            assert_eq!(strict(&gamedef::print(read.spec())), Ok(read));
            continue;
        }
        let (def, warnings) = original(game.text).unwrap();
        assert_eq!(strict(game.text), Ok(def), "{}", game.name);
        assert_eq!(warnings, Vec::<String>::new(), "{}", game.name);
    }
    let built_in = |name| strict(acpc::find(name).unwrap().text).unwrap();
    assert_eq!(built_in("kuhn.limit.2p.game"), game::games::kuhn());
    assert_eq!(built_in("leduc.limit.2p"), game::games::leduc());
    assert_eq!(built_in("holdem.limit.2p.reverse_blinds"), game::games::limit_holdem());
    assert_eq!(built_in("holdem.nolimit.2p.reverse_blinds"), game::games::nolimit_holdem());
    assert_eq!(acpc::nearest("holdem.nolimt.3p"), Some("holdem.nolimit.3p"));
    assert_eq!(acpc::nearest("chess"), None);
}

#[test]
fn the_strict_reading_names_the_line_the_reason_and_the_remedy() {
    for [from, to, expected] in testing::rows(
        r"
        blind = 100 50 => blnd = 100 50
            => :6: `blnd` is not a key of game files; did you mean `blind`?
        blind = 100 50 => => : the key `blind` is missing: add a line `blind = …`
        nolimit\n => => : the kind of betting is missing: add a line `limit` or `nolimit`
        blind = 100 50 => blind = 100 50\nBLIND = 1 1
            => :7: `BLIND` appears again (first in line 6): remove one of the two lines
        20000\nblind => 20000\n  blind
            => :6: blanks before the key: the original server skips such lines; begin at the first
            column
        nolimit => nolimit # as ever
            => :2: `# as ever` is not expected here: remove it, or put comments on lines of their
            own beginning with `#`
        100 50 => 100 50 x => :6: `blind` takes whole numbers from 0 to 2147483647, not `x`
        100 50 => -100 50 => :6: `blind` takes whole numbers from 0 to 2147483647, not `-100`
        numPlayers = 2 => numPlayers = 258
            => :3: `numPlayers` takes whole numbers from 0 to 255, not `258`
        numPlayers = 2 => numPlayers = 2 3
            => :3: `numPlayers` has 2 numbers, but needs 1: one for each game
        100 50 => 100 => :6: `blind` has 1 numbers, but needs 2: one for each player
        2 1 1 1 => 0 1 1 1 => :7: `firstPlayer` takes whole numbers from 0 to 2, not `0`
        2 1 1 1 => 3 1 1 1 => : the first player of a round is 3, but must be from 1 to 2
        nolimit => nolimit\nraiseSize = 1 1 1 1
            => :3: `raiseSize` means nothing in a no-limit game: remove the line, or write `limit`
        nolimit => limit => : the key `raiseSize` is missing: add a line `raiseSize = …`
        END GAMEDEF\n => END GAMEDEF\nblind = 1 2\n
            => :13: text after END GAMEDEF, which is never read: remove it
        GAMEDEF\nnolimit => GAMEDEF\nGAMEDEF\nnolimit
            => :2: `GAMEDEF` appears again (first in line 1): remove one of the two lines
        stack = 20000 => stack = 99 => : the blind of player 1 is 100, more than the stack of 99
        0 3 1 1 => 0 3 2 1 => : hole cards and board together is 8, but must be from 1 to 7
        numRanks = 13 => numRanks = 2 => : a hand needs 9 cards, but the deck holds 8
        ",
    ) {
        let text = NOLIMIT.replacen(&from, &to, 1);
        assert_ne!(text, NOLIMIT, "{from}");
        assert_eq!(strict(&text).map(|_| ()), Err(format!("g.game{expected}")));
    }
    let marked = strict(&NOLIMIT.replacen("nolimit", "\u{feff}nolimit", 1));
    let expected = "g.game:2: `\\u{feff}nolimit` is not a key of game files";
    assert_eq!(marked.map(|_| ()), Err(expected.to_owned()));
}

#[test]
fn the_strict_reading_accepts_harmless_variations() {
    let expected = strict(NOLIMIT);
    assert!(expected.is_ok());
    let cases = [
        NOLIMIT.replace('\n', "\r\n"),
        NOLIMIT.replace('\n', "  \n\n# comment\n"),
        NOLIMIT.replace(" = ", " "),
        NOLIMIT.replace(" = ", "="),
        NOLIMIT.to_uppercase(),
        NOLIMIT.replace("END GAMEDEF\n", "").replace("GAMEDEF\n", ""),
    ];
    for text in cases {
        assert_eq!(strict(&text), expected, "{text}");
    }
    assert_eq!(strict(KUHN), Ok(game::games::kuhn()));
}

#[test]
fn the_original_reading_refuses_in_the_originals_words() {
    for [from, to, expected] in testing::rows(
        r"
        numPlayers = 2 => numPlayers = 0 => invalid number of players: 0
        numPlayers = 2 => numPlayers = 11 => invalid number of players: 11
        nolimit\nnumPlayers = 2 => nolimit\n numPlayers = 2 => invalid number of players: 0
        numRounds = 4 => numRounds = 5 => invalid number of rounds: 5
        stack = 20000 20000 => stack = 20000 => only read 1 stack sizes, need 2
        blind = 100 50 => blind = 100 => only read 1 blinds, need 2
        blind = 100 50 => blind = 100 20001 => blind for player 2 is greater than stack size
        nolimit => limit => only read 0 raise sizes, need 4
        2 1 1 1 => 2 1 3 1 => invalid first player 3 on round 3
        2 1 1 1 => 0 => invalid first player 0 on round 1
        numSuits = 4 => numSuits = 5 => invalid number of suits: 5
        numRanks = 13 => numRanks = 14 => invalid number of ranks: 14
        numHoleCards = 2 => numHoleCards = 4 => invalid number of hole cards: 4
        0 3 1 1 => 0 3 1 => only read 3 board card numbers, need 4
        numRanks = 13 => numRanks = 2 => too many hole and board cards for specified deck
        blind = 100 50 => blind = -100 50 => a negative blind (-100) cannot be played
        numPlayers = 2\n => numPlayers = 5\n => only read 2 stack sizes, need 5
        ",
    ) {
        let text = NOLIMIT.replacen(&from, &to, 1);
        assert_eq!(original(&text).map(|_| ()), Err(format!("g.game: {expected}")), "{to}");
    }
    // Five players need stacks, four do not.
    let kuhn =
        KUHN.replace("blind = 1 1", "blind = 1 1 1 1 1").replace("numRanks = 3", "numRanks = 9");
    assert!(original(&kuhn.replace("numPlayers = 2", "numPlayers = 4")).is_ok());
    let five = original(&kuhn.replace("numPlayers = 2", "numPlayers = 5"));
    assert_eq!(five, Err("g.game: only read 4 stack sizes, need 5".to_owned()));
}

#[test]
fn the_original_reading_passes_over_what_the_original_passes_over() {
    let expected = strict(NOLIMIT).unwrap();
    for [from, to, warnings] in testing::rows(
        r"
        nolimit => NoLimit 5 please => line 2: the rest of the line is ignored: `5 please`
        numPlayers = 2 => numPlayers=258 => line 3: `numPlayers`: 258 is read as 2
        blind = 100 50 => blind==100,50\nblind = 100 50
            => line 6: the rest of the line is ignored: `,50`\nline 7: `blind` appears again;
            the later line counts
        blind = 100 50 => blind = 100 50 7 8 9 # ante
            => line 6: the rest of the line is ignored: `# ante`
        firstPlayer = 2 1 1 1 => firstPlayer = 2 =>
        nolimit => nolimit\nnumpalyers = 3
            => line 3: ignored, since it begins with no known key: `numpalyers = 3`; did you mean
            `numPlayers`?
        nolimit => nolimit\n stack = 5 5
            => line 3: ignored, since it begins with no known key: ` stack = 5 5`; did you mean
            `stack`?
        END GAMEDEF => end gamedef and so on\nnumPlayers = 9
            => line 13: everything from here on is ignored, since it follows END GAMEDEF
        END GAMEDEF\n => =>
        ",
    ) {
        let (def, got) = original(&NOLIMIT.replacen(&from, &to, 1)).unwrap();
        assert_eq!(def, expected, "{to}");
        assert_eq!(got.join("\n"), warnings, "{to}");
    }
    let quiet = original(&NOLIMIT.replacen("nolimit\n", "nolimit\r\n", 1));
    assert_eq!(quiet, Ok((expected, Vec::new())));
    // The key is a prefix, but numbers must follow.
    let text = NOLIMIT.replacen("numPlayers = 2", "numPlayersXY = 2", 1);
    assert_eq!(original(&text), Err("g.game: invalid number of players: 0".to_owned()));
}

fn spec() -> impl Strategy<Value = GameSpec> {
    (2..=10usize, 1..=4usize, any::<bool>(), any::<bool>()).prop_flat_map(
        |(players, streets, limit, unlimited)| {
            let caps = prop_oneof![0..255u32, Just(GameSpec::NO_CAP)];
            (
                proptest::collection::vec(
                    (1..=100_000u32)
                        .prop_map(move |s| if unlimited { GameSpec::MAX_STACK } else { s }),
                    players,
                ),
                proptest::collection::vec(0..=100u32, players),
                proptest::collection::vec(1..=1000u32, streets),
                proptest::collection::vec(0..players, streets),
                proptest::collection::vec(caps, streets),
                1..=3u8,
                proptest::collection::vec(0..=1u8, streets),
            )
                .prop_map(
                    move |(
                        stacks,
                        blinds,
                        raises,
                        first_to_act,
                        max_raises,
                        hole_cards,
                        board_cards,
                    )| GameSpec {
                        betting: if limit { Betting::Limit } else { Betting::NoLimit },
                        players,
                        streets,
                        blinds: blinds.iter().zip(&stacks).map(|(&b, &s)| b.min(s)).collect(),
                        stacks,
                        raise_sizes: if limit { raises } else { Vec::new() },
                        first_to_act,
                        max_raises,
                        suits: 4,
                        ranks: 13,
                        hole_cards,
                        board_cards,
                        discards: false,
                        quirks: Quirks::default(),
                    },
                )
        },
    )
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(spec in spec()) {
        let def = GameDef::new(spec.clone()).unwrap();
        let text = gamedef::print(&spec);
        prop_assert_eq!(strict(&text), Ok(def.clone()));
        let default_stacks = spec.stacks.iter().all(|&s| s == GameSpec::MAX_STACK);
        if spec.players <= 4 || !default_stacks {
            prop_assert_eq!(original(&text), Ok((def, Vec::new())));
        }
    }

    #[test]
    fn no_bytes_make_the_readers_panic(text in proptest::collection::vec(any::<u8>(), 0..400)) {
        for reading in [Reading::Strict, Reading::Original] {
            if let Ok(file) = gamedef::read(&text, "g", reading) {
                prop_assert_eq!(strict(&gamedef::print(&file.def)), Ok(file.def));
            }
        }
    }

    #[test]
    fn no_edit_of_a_game_file_makes_the_readers_panic(
        edits in proptest::collection::vec((0..NOLIMIT.len(), any::<u8>()), 1..6),
    ) {
        let mut text = NOLIMIT.as_bytes().to_vec();
        for (at, byte) in edits {
            text[at] = byte;
        }
        for reading in [Reading::Strict, Reading::Original] {
            let _ = gamedef::read(&text, "g", reading);
        }
    }
}
