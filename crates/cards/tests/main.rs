//! Tests of the cards crate: the evaluator against exact counts and a slow evaluator, texts and
//! sets.

mod allin;
mod combos;
mod evaluator;
mod isomorphism;
mod multiway;
mod naive;
mod pairs;
mod ranges;
mod sets;
mod showdowns;
mod texts;
mod winrates;
