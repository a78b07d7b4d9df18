//! One file per command; `main` dispatches to them.
