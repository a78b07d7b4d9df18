//! The dealer's machine: conversations, time limits, absences, interrupted matches.

use std::time::Duration;

use game::Payoff;
use protocol::acpc::Dealer;
use protocol::acpc::dealer::{Config, Event, Limits, Replies};
use protocol::acpc::transaction::{Transaction, TransactionError};

use crate::table::{LIMIT, NOLIMIT, Table, game};

const SECOND: Duration = Duration::from_secs(1);

fn config(hands: u32) -> Config {
    Config::new(game(NOLIMIT), hands, 0)
}

fn limits() -> Limits {
    Limits {
        version: Some(5 * SECOND),
        response: 2 * SECOND,
        hand: 3 * SECOND,
        whole_match: 4 * SECOND,
        absence: SECOND,
    }
}

fn chips(table: &Table) -> Vec<f64> {
    table.dealer.totals().iter().map(|total| total.chips()).collect()
}

#[test]
fn everybody_sees_every_state_and_positions_move_by_one() {
    let mut table = Table::new(Config::new(game("kuhn.limit.3p"), 3, 0));
    for (entrant, action) in [
        (0, "c"),
        (1, "c"),
        (2, "c"),
        (1, "r"),
        (2, "f"),
        (0, "c"),
        (2, "c"),
        (0, "r"),
        (1, "f"),
        (2, "f"),
    ] {
        assert_eq!(table.dealer.waiting_for(), Some(entrant));
        table.act(entrant, action);
    }
    assert_eq!(
        table.lines[0],
        [
            "MATCHSTATE:0:0::Js||",
            "MATCHSTATE:0:0:c:Js||",
            "MATCHSTATE:0:0:cc:Js||",
            "MATCHSTATE:0:0:ccc:Js|As|Qs",
            "MATCHSTATE:2:1::||Ks",
            "MATCHSTATE:2:1:r:||Ks",
            "MATCHSTATE:2:1:rf:||Ks",
            "MATCHSTATE:2:1:rfc:Js||Ks",
            "MATCHSTATE:1:2::|Qs|",
            "MATCHSTATE:1:2:c:|Qs|",
            "MATCHSTATE:1:2:cr:|Qs|",
            "MATCHSTATE:1:2:crf:|Qs|",
            "MATCHSTATE:1:2:crff:|Qs|",
        ]
    );
    assert!(table.dealer.is_over());
    assert!(matches!(table.events.last(), Some(Event::Finished)));
    assert_eq!(table.dealer.totals().iter().copied().sum::<Payoff>(), Payoff::ZERO);
    assert_eq!(table.dealer.hand(), 3);
}

#[test]
fn who_has_not_said_its_version_is_known_until_all_have() {
    let mut dealer = Dealer::new(config(1));
    assert_eq!(dealer.silent().collect::<Vec<_>>(), [0, 1]);
    dealer.receive(1, b"VERSION:2.0.0\n", Duration::ZERO);
    assert_eq!((dealer.silent().collect::<Vec<_>>(), dealer.has_begun()), (vec![0], false));
    dealer.receive(0, b"VERSION:2.0.0\r\n", Duration::ZERO);
    assert_eq!((dealer.silent().count(), dealer.has_begun()), (0, true));
}

#[test]
fn fixed_seats_do_not_move() {
    let table = played(Config { fixed_seats: true, ..config(3) }, "1f 1f 1f");
    assert_eq!(chips(&table), [150.0, -150.0]);
}

#[test]
fn versions_are_read_as_the_original_reads_them() {
    let cases: &[(&[u8], Option<&str>)] = &[
        (b"VERSION:2.0.0\r\n", None),
        (b"VERSION:2.0.0\n", None),
        (b"VERSION: 2. 0. 7 and more\r\n", None),
        (b"VERSION:1.0.0\r\n", Some("other")),
        (b"VERSION:2.1.0\r\n", Some("other")),
        (b"VERSION:3.0.0\r\n", Some("other")),
        (
            b"VERSION:2.0\r\n",
            Some("sent `VERSION:2.0` instead of a version line such as VERSION:2.0.0"),
        ),
        (
            b"version:2.0.0\r\n",
            Some("sent `version:2.0.0` instead of a version line such as VERSION:2.0.0"),
        ),
        (b"\r\n", Some("sent `` instead of a version line such as VERSION:2.0.0")),
        (b"# hello\r\n", Some("sent `# hello` instead of a version line such as VERSION:2.0.0")),
    ];
    for (line, expected) in cases {
        let mut table = Table::silent(config(1));
        table.send(1, b"VERSION:2.0.0\r\n");
        assert_eq!(table.lines[1], Vec::<String>::new());
        table.send(0, line);
        let other = table.events.iter().any(|e| matches!(e, Event::OtherVersion { entrant: 0 }));
        match expected {
            None => assert!(!other && table.lines[1].len() == 1, "{line:?}"),
            Some("other") => assert!(other && table.lines[1].len() == 1, "{line:?}"),
            Some(reason) => {
                assert_eq!(table.failure(), Some((Some(0), (*reason).to_owned())));
                assert!(table.lines.concat().is_empty());
            }
        }
    }
}

#[test]
fn silence_before_the_match_ends_it() {
    let mut table = Table::silent(Config { limits: limits(), ..config(1) });
    table.send(0, b"VERSION:2.0.0\r\nMATCHSTATE");
    assert_eq!(table.dealer.poll_timeout(), Some(Duration::from_micros(5_000_001)));
    table.wait(5 * SECOND);
    assert_eq!(table.failure(), None);
    table.wait(Duration::from_micros(1));
    assert_eq!(table.failure(), Some((Some(1), "sent no version line within 5s".to_owned())));
    let mut table = Table::silent(config(1));
    table.close(1);
    assert_eq!(table.failure(), Some((Some(1), "sent no version line".to_owned())));
}

/// Carries out a script: `1c` is what entrant 1 does, `1#` a comment of it, `1?` junk, `1!` the end
/// of its connection, and `w200` a wait of so many milliseconds.
fn played(config: Config, script: &str) -> Table {
    let mut table = Table::new(config);
    for step in script.split(' ').take_while(|step| !step.is_empty()) {
        let (who, what) = step.split_at(1);
        let entrant = || who.parse().unwrap();
        match what {
            _ if table.dealer.is_over() => {}
            time if who == "w" => {
                table.wait(Duration::from_micros((1000.0 * time.parse::<f64>().unwrap()) as u64));
            }
            "#" => table.send(entrant(), b"# thinking\r\n"),
            "?" => table.send(entrant(), b"junk\r\n"),
            "!" => table.close(entrant()),
            action => table.act(entrant(), action),
        }
    }
    table
}

#[test]
fn limits_are_broken_by_more_not_by_as_much() {
    // Big blind in seat 0; the small blind begins before the flop, the big blind after it.
    let ignored = "w199 1? 1# ".repeat(10);
    for (hands, script, expected) in [
        (1, "w2000 1c 0c 0c 1c", None),
        (1, "w2001 1c", Some((1, "did not answer within 2s"))),
        (1, "1c w2001 0c", Some((0, "did not answer within 2s"))),
        (1, "w2000 1c 0c 0c w1001 1c", Some((1, "used more than 3s in one hand"))),
        (1, "w2000 1c 0c 0c w1000 1c", None),
        // The match: the hand's account is cleared, the match's is not.
        (9, "w2000 1c 0c 0r400 1f 0c w2000 1c", None),
        (
            9,
            "w2000 1c 0c 0r400 1f 0c w2000 1c w0.001 1c",
            Some((1, "used more than its 4s for the match")),
        ),
        // Time counts once however many lines are ignored, and comments do not stop the clock.
        (1, &ignored, None),
        (1, &(ignored.clone() + "1c 0c w1000 0c 1c"), None),
        (1, &"w300 1# ".repeat(7), Some((1, "did not answer within 2s"))),
        // An idle player that closes is noticed while the other thinks.
        (2, "0! w1000", None),
        (2, "0! w1000.001", Some((0, "closed its connection"))),
    ] {
        let failure = played(Config { limits: limits(), ..config(hands) }, script).failure();
        let got = failure.as_ref().map(|(entrant, why)| (entrant.unwrap(), why.as_str()));
        assert_eq!(got, expected, "{script}");
    }
}

#[test]
fn a_line_that_comes_too_late_is_too_late_even_before_the_timer_fires() {
    let mut table = Table::new(Config { limits: limits(), ..config(1) });
    table.now += Duration::from_millis(2001);
    table.act(1, "c");
    assert_eq!(table.failure(), Some((Some(1), "did not answer within 2s".to_owned())));
}

#[test]
fn players_that_close_end_the_match_at_once_or_when_they_have_to_act() {
    let failure = played(config(2), "1!").failure();
    assert_eq!(failure, Some((Some(1), "closed its connection".to_owned())));
    let idle = played(Config { limits: limits(), ..config(2) }, "0!");
    assert_eq!(idle.dealer.poll_timeout(), Some(Duration::from_micros(1_000_001)));
    // One that need not act again may leave.
    let table = played(Config::new(game("kuhn.limit.3p"), 1, 0), "0c 1r 2f 2! w5000 0c");
    assert!(matches!(table.events.last(), Some(Event::Finished)), "{}", table.last());
}

#[test]
fn what_a_player_sent_before_it_closed_still_counts() {
    let mut table = Table::new(config(1));
    table.send(1, b"MATCHSTATE:1:0::|9hQd:f");
    table.close(1);
    assert!(matches!(table.events.last(), Some(Event::Finished)));
    assert_eq!(chips(&table), [50.0, -50.0]);
}

#[test]
fn replies_out_of_turn_wait_and_are_then_ignored() {
    let mut table = Table::new(config(1));
    table.send(0, b"MATCHSTATE:0:0::5d5c|:c\r\nMATCHSTATE:0:0:c:5d5c|:r300\r\n");
    assert_eq!(table.lines[0].len(), 1);
    table.act(1, "c");
    let ignored = table.events.iter().filter(|e| matches!(e, Event::Ignored { entrant: 0, .. }));
    assert_eq!(ignored.count(), 1);
    assert_eq!(table.lines[0].last().unwrap(), "MATCHSTATE:0:0:cr300:5d5c|");
}

#[test]
fn lines_are_cut_at_4095_bytes() {
    let mut table = Table::new(config(1));
    // The tail of a long comment is a line of its own.
    table.send(1, &[b"#", &[b'x'; 5000][..], b"\r\n"].concat());
    assert!(table.last().contains("BadState"), "{}", table.last());
    // A reply that begins exactly after the cut counts.
    let reply = table.lines[1].last().unwrap().clone() + ":f\r\n";
    table.send(1, &[b"#", &[b'x'; 4094][..], reply.as_bytes()].concat());
    assert!(matches!(table.events.last(), Some(Event::Finished)));
}

#[test]
fn a_flood_out_of_turn_is_left_unread() {
    let mut table = Table::new(config(1));
    assert!(table.dealer.wants_input(0));
    table.send(0, &vec![b'x'; 70_000]);
    assert!(!table.dealer.wants_input(0));
    assert!(table.dealer.wants_input(1));
}

#[test]
fn the_policy_decides_what_bad_replies_lead_to() {
    let cases: &[(Replies, &[&str], Option<&str>)] = &[
        (Replies::Compatible, &["r1", "x", "r"], None),
        (Replies::Limit(1), &["r1"], None),
        (Replies::Limit(0), &["r1"], Some("had more than 0 replies corrected")),
        (Replies::Limit(1), &["r1", "r1"], Some("had more than 1 replies corrected")),
        (Replies::Strict, &["c", "r200"], None),
        (Replies::Strict, &["r1"], Some("sent a bad reply, `MATCHSTATE:1:0::|9hQd:r1`")),
    ];
    for (replies, actions, expected) in cases {
        let mut table = Table::new(Config { replies: *replies, ..config(2) });
        let mut own = actions.iter();
        while !table.dealer.is_over() {
            match table.dealer.waiting_for() {
                Some(1) => match own.next() {
                    Some(action) => table.act(1, action),
                    None => break,
                },
                Some(entrant) => table.act(entrant, "c"),
                None => break,
            }
        }
        let failure = table.failure().map(|(entrant, why)| (entrant.unwrap(), why));
        assert_eq!(failure, expected.map(|why| (1, why.to_owned())), "{replies:?} {actions:?}");
    }
    for (text, expected) in [
        ("compatible", Some(Replies::Compatible)),
        ("strict", Some(Replies::Strict)),
        ("limit=3", Some(Replies::Limit(3))),
        ("limit", None),
        ("limit=x", None),
        ("", None),
    ] {
        assert_eq!(text.parse().ok(), expected);
    }
}

/// The transactions of a table, through their text form.
fn transactions(table: &Table) -> Vec<String> {
    let line = |event: &Event| match event {
        Event::Acted { transaction, .. } => {
            let mut text = String::new();
            transaction.write(&table.dealer.config().def, &mut text);
            Some(text)
        }
        _ => None,
    };
    table.events.iter().filter_map(line).collect()
}

fn resume(config: Config, lines: &[String]) -> Result<Table, TransactionError> {
    let mut table = Table::silent(config);
    for line in lines {
        let transaction = Transaction::parse(line.as_bytes(), &table.dealer.state().public)?;
        table.dealer.replay(&transaction)?;
    }
    Ok(table)
}

#[test]
fn an_interrupted_match_goes_on_in_the_middle_of_a_hand() {
    let mut whole = played(config(3), "1r300 0c 0r600 1f 0c 1r9999");
    let lines = transactions(&whole);
    assert_eq!(lines[0], "r300 0 0.000000 0.000000\n");
    let mut second = resume(config(3), &lines).unwrap();
    (0..2).for_each(|entrant| second.send(entrant, b"VERSION:2.0.0\n"));
    assert_eq!(second.lines[0], [whole.lines[0].last().unwrap().clone()]);
    assert_eq!(second.dealer.totals(), whole.dealer.totals());
    for table in [&mut whole, &mut second] {
        table.act(0, "f");
        table.act(1, "f");
    }
    assert_eq!(second.dealer.totals(), whole.dealer.totals());
    assert!(second.dealer.is_over() && whole.dealer.is_over());
    // All of it: the match is over once everybody has come back.
    let mut third = resume(config(3), &transactions(&whole)).unwrap();
    (0..2).for_each(|entrant| third.send(entrant, b"VERSION:2.0.0\n"));
    assert!(matches!(third.events.last(), Some(Event::Finished)));
    assert_eq!(third.dealer.totals(), whole.dealer.totals());
    assert!(third.lines.concat().is_empty());
}

#[test]
fn transactions_of_another_match_are_refused() {
    let line = |text: &str| vec![text.to_owned()];
    let cases: &[(&[&str], TransactionError)] = &[
        (&["r300 1 1.000000 1.000000\n"], TransactionError::Hand { expected: 0, found: 1 }),
        (&["r150 0 1.000000 1.000000\n"], TransactionError::Action),
        (&["x 0 1.000000 1.000000\n"], TransactionError::Action),
        (&["r300\n"], TransactionError::Stamp),
        (&["r300 0 1.000000\n"], TransactionError::Stamp),
        (&["r300 0 1 2\n"], TransactionError::Stamp),
        (&["c 0 1.000000 3.000001\n"], TransactionError::Time { entrant: 1 }),
        (&["f 0 1.0 1.0\n", "c 1 1.0 1.0\n"], TransactionError::PastEnd),
    ];
    for (lines, expected) in cases {
        let lines: Vec<String> = lines.iter().flat_map(|text| line(text)).collect();
        let result = resume(Config { limits: limits(), ..config(1) }, &lines);
        assert_eq!(result.map(|_| ()), Err(*expected), "{lines:?}");
    }
}

#[test]
fn a_limit_games_raises_have_no_size_in_transactions() {
    let mut table = Table::new(Config::new(game(LIMIT), 1, 0));
    table.act(1, "r");
    table.wait(Duration::from_micros(1_500_000));
    table.act(0, "r20");
    assert_eq!(transactions(&table), ["r 0 0.000000 0.000000\n", "r 0 0.000000 1.500000\n"]);
}

#[test]
fn hands_that_need_no_action_are_dealt_through() {
    let text = "limit\nnumPlayers = 2\nnumRounds = 1\nstack = 1 1\nblind = 1 1\nraiseSize = 1\n\
        numSuits = 1\nnumRanks = 3\nnumHoleCards = 1\nnumBoardCards = 0\n";
    let reading = protocol::acpc::gamedef::Reading::Strict;
    let def = protocol::acpc::gamedef::read(text.as_bytes(), "all-in", reading).unwrap().def;
    let table = Table::new(Config::new(def.into(), 5, 0));
    assert!(matches!(table.events.last(), Some(Event::Finished)), "{}", table.last());
    assert_eq!(table.lines[0].len(), 5 + 5);
}
