//! Searches for the lists of all streets, with values that are known.

use std::convert::Infallible;

use game::{Betting, Street};
use readable::heuristic::search::{RulebookOptions, RulebookSearch, statements};
use readable::heuristic::{Act, Clause, Rulebook};

const NOTHING: &str = "[preflop]\nfold\n[flop]\nfold\n[turn]\nfold\n[river]\nfold\n";

fn options(betting: Betting, statements: usize, rounds: u64) -> RulebookOptions {
    RulebookOptions { betting, statements, equities: true, rounds, deals: 64, seed: 5 }
}

fn begun(options: RulebookOptions) -> RulebookSearch {
    RulebookSearch::new(options, "nobody", Rulebook::parse(NOTHING).expect("lists"))
}

/// A hundred for each street that calls where nothing holds, and for each of its first statements
/// as much as it asks of the win rate.
fn value(book: &Rulebook) -> f64 {
    let of = |street| {
        let list = book.street(street).expect("a list");
        let rate = list.statements().first().and_then(|first| match first.clauses[0] {
            Clause::Equity(_, tenths) => Some(f64::from(tenths) / 10.0),
            _ => None,
        });
        rate.unwrap_or(0.0) + if list.default() == Act::Call { 100.0 } else { 0.0 }
    };
    Street::ALL.into_iter().map(of).sum()
}

fn rates(books: &[Rulebook], _: u64) -> Result<Option<Vec<f64>>, Infallible> {
    Ok(Some(books.iter().map(value).collect()))
}

#[test]
fn the_best_lists_are_found_and_have_no_statement_too_many() {
    for betting in [Betting::Limit, Betting::NoLimit] {
        let mut search = begun(options(betting, 3, 150));
        while search.step(&mut rates).expect("no error") {
            let best = search.best();
            assert!(statements(best) <= 3, "{best}");
            assert_eq!(best.check(betting), Ok(()));
        }
        // Three statements that ask for 95 %, and no clause that is worth nothing.
        assert_eq!(value(search.best()), 400.0 + 3.0 * 95.0, "{}", search.best());
        let clauses: usize =
            search.best().streets().map(|(_, list)| list.complexity() - 1).sum::<usize>();
        assert_eq!(clauses, 2 * 3, "{}", search.best());
        let learning_curve: Vec<f64> =
            search.learning_curve().iter().map(|step| step.value).collect();
        assert_eq!(learning_curve.last(), Some(&value(search.best())));
    }
}

#[test]
fn a_search_that_is_taken_up_again_ends_as_one_that_was_not_put_away() {
    let all = options(Betting::NoLimit, 5, 40);
    let mut whole = begun(all);
    while whole.step(&mut rates).expect("no error") {}
    let mut first = begun(all);
    for _ in 0..7 {
        first.step(&mut rates).expect("no error");
    }
    let text = first.save().expect("plain numbers");
    let mut second = begun(all);
    second.resume(&text).expect("the same search");
    while second.step(&mut rates).expect("no error") {}
    assert_eq!((second.best(), second.learning_curve()), (whole.best(), whole.learning_curve()));
    let mut other = begun(options(Betting::NoLimit, 6, 40));
    assert!(other.resume(&text).is_err() && other.resume("no text").is_err());
}

#[test]
fn what_is_stopped_stays_where_it_was() {
    let mut search = begun(options(Betting::Limit, 4, 10));
    let mut stopped = |_: &[Rulebook], _: u64| Ok::<_, Infallible>(None);
    assert_eq!(search.step(&mut stopped), Ok(false));
    assert_eq!(
        (search.round(), search.best().to_string()),
        (0, begun(options(Betting::Limit, 4, 10)).best().to_string())
    );
}
