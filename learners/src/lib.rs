//! Datasets and learners that make agents.
