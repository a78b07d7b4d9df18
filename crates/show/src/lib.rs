//! Presentation of results: numbers in words, aligned tables, cards to play by, Markdown, pictures
//! and spelling suggestions.

pub mod card;
pub mod markdown;
pub mod number;
pub mod svg;
mod table;

pub use table::Table;

/// Writes a value as its text.
///
/// # Errors
/// Those of the serializer.
pub fn as_text<S: serde::Serializer>(
    value: &impl std::fmt::Display,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Spelling suggestions.
pub mod nearest {
    /// The known word with the fewest edits from `word` (letters inserted, deleted, replaced or
    /// swapped with their neighbour), whatever the case; `None` when even that one differs in more
    /// than a third of its letters, at least two.
    pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        let word: String = word.to_lowercase().chars().take(64).collect();
        let scored = known.into_iter().map(|k| (strsim::osa_distance(&word, &k.to_lowercase()), k));
        let (distance, best) = scored.min_by_key(|&(distance, _)| distance)?;
        let longest = best.chars().count().max(word.chars().count());
        (distance <= (longest / 3).max(2)).then_some(best)
    }
}
