//! What the tests of several crates share.

/// Whether the environment asks for exhaustive sizes: `CARDROOM_EXHAUSTIVE=1`.
///
/// Tests that could go through all cards, all hands or all rules look at a sample without it.
pub fn exhaustive() -> bool {
    std::env::var_os("CARDROOM_EXHAUSTIVE").is_some_and(|value| value == "1")
}

/// The size of a test: `all` where the environment asks for exhaustive sizes, otherwise `usual`.
pub fn size<T>(usual: T, all: T) -> T {
    if exhaustive() { all } else { usual }
}
