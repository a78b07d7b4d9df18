//! Best responses within an abstract game: counts against slow counting and known numbers,
//! responses against the solver of small games, closed forms and play.

mod counts;
mod respond;
mod whole;

use abstraction::buckets::Buckets;

/// Pairs and categories.
const CATEGORIES: &str = "preflop=category flop=category turn=category river=category";

fn buckets(recipe: &str) -> Buckets {
    Buckets::make(&recipe.parse().expect(recipe), |_| ()).expect(recipe)
}
