//! Lists on the same deals again and again, against the same lists played once.

use std::sync::Arc;

use abstraction::facts::Texture;
use evaluation::Settings;
use evaluation::practice::Practice;
use evaluation::statements::measure;
use game::{GameDef, Policy, games};
use logs::Rate;
use matches::runner::Stop;
use readable::heuristic::Rulebook;

const LIMIT: &str = "[preflop]\nif hand >= pair then raise\nelse call\n\
     [flop]\nif hand >= pair and not aggressive then raise\nelse if outs >= 4 then call\nelse \
     fold\n\
     [turn]\nif board dry then raise\nelse call\n[river]\nif hand >= two pair then raise\nelse \
     fold\n";
const NO_LIMIT: &str = "[preflop]\nif win rate >= 55 % and pot <= 8 then bet pot\nelse call\n\
     [flop]\nif hand >= pair then bet half\nelse fold\n[turn]\nif pot >= 20 then all-in\nelse \
     call\n\
     [river]\nif win rate >= 70 % then bet pot\nelse fold\n";

fn policy(def: &Arc<GameDef>, name: &str) -> Arc<dyn Policy> {
    let choice = matches::external::registry().resolve(name).expect("an agent");
    choice.policy(def).expect("it plays").expect("it is pure")
}

fn book(text: &str) -> Rulebook {
    Rulebook::parse(text).expect(text)
}

fn rates(def: &Arc<GameDef>, against: &str, hands: u64, books: &[Rulebook]) -> Vec<Rate> {
    let opponent = policy(def, against);
    let settings = Settings { hands, seed: 3, jobs: 2 };
    let practice = Practice::new(def, &*opponent, Texture::default(), settings).expect("two");
    let all =
        || practice.rates(books, hands / 2, &Stop::new()).expect("whole").expect("not stopped");
    let first = all();
    assert_eq!(first, all(), "what has grown gives the same as what grows");
    first
}

#[test]
fn on_trees_that_are_kept_a_list_wins_what_it_wins_in_hands_played_one_by_one() {
    for (def, text) in [(games::limit_holdem(), LIMIT), (games::nolimit_holdem(), NO_LIMIT)] {
        let def = Arc::new(def);
        // A list that goes elsewhere first: trees are shared.
        let other = text.replace("call", "fold").replace(">= pair", ">= two pair");
        let books = [book(&other), book(text)];
        for against in ["random", "equity"] {
            let found = rates(&def, against, 600, &books);
            for (book, found) in books.iter().zip(&found) {
                let settings = Settings { hands: 600, seed: 3, jobs: 1 };
                let opponent = policy(&def, against);
                let seen = &mut |_: &_| {};
                let once = measure(&def, book, &*opponent, None, settings, &Stop::new(), seen);
                let once =
                    Rate::from_sums(&once.expect("played").won, def.big_blind()).expect("a rate");
                assert!(
                    (once.mbb - found.mbb).abs() < 1e-6,
                    "{against} {book}: {once:?} {found:?}"
                );
                assert!((once.half_width() - found.half_width()).abs() < 0.01 * once.half_width());
            }
        }
    }
}

#[test]
fn a_declared_share_counts_with_its_chance() {
    let def = Arc::new(games::limit_holdem());
    // Against whoever always calls there is one decision before the flop. With the same hands in
    // both seats, raises count only where they depend on the hand.
    let of = |first: &str| {
        book(&format!("[preflop]\n{first}\n[flop]\ncall\n[turn]\ncall\n[river]\ncall\n"))
    };
    let books = [
        of("if hand >= pair then raise\nelse call"),
        of("call"),
        of("if hand >= pair and one in four times then raise\nelse call"),
    ];
    let [raise, call, mixed] = rates(&def, "call", 400, &books)[..] else { panic!("three") };
    assert!(raise.mbb != call.mbb);
    assert!((mixed.mbb - 0.25 * raise.mbb - 0.75 * call.mbb).abs() < 1e-6);
}

#[test]
fn what_cannot_be_played_is_refused() {
    let def = Arc::new(games::limit_holdem());
    let opponent = policy(&def, "call");
    let settings = |hands| Settings { hands, seed: 0, jobs: 1 };
    assert!(Practice::new(&def, &*opponent, Texture::default(), settings(3)).is_err());
    let practice = Practice::new(&def, &*opponent, Texture::default(), settings(4)).expect("two");
    for text in ["[flop]\ncall\n", NO_LIMIT] {
        assert!(practice.rates(&[book(text)], 2, &Stop::new()).is_err(), "{text}");
    }
    let stop = Stop::new();
    stop.ask();
    assert_eq!(practice.rates(&[book(LIMIT)], 2, &stop), Ok(None));
}
