//! The protocols at their boundary.

mod gamedef;
