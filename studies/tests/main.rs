//! Studies: what their reports say of results that are known.

mod made;
mod pages;
mod plan;
mod sentences;
mod verdict;
