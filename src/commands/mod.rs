//! One file per command; `main` dispatches to them.

pub mod dealer;
