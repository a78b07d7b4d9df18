//! The cardroom binary.
fn main() {}
