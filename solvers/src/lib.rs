//! The CFR family, best response and subgame solving.
