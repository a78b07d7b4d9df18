//! Studies: what their reports say of results that are known.

mod made;
mod marks;
mod plan;
mod sentences;
