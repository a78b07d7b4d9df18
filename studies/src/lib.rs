//! Published systems, reproduced.
