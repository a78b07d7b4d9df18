//! Trained models as values.
