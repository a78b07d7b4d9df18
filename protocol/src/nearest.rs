//! Spelling help for error messages: the known word nearest to a misspelt one.

/// The candidate with the smallest edit distance to `word`, ignoring case, or `None` when even that
/// one differs in more than a third of its letters (at least two).
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().take(64).collect();
    let scored = candidates.into_iter().map(|c| {
        let letters: Vec<char> = c.to_lowercase().chars().collect();
        (distance(&word, &letters), letters.len(), c)
    });
    let (distance, length, best) = scored.min_by_key(|&(distance, ..)| distance)?;
    (distance <= (length.max(word.len()) / 3).max(2)).then_some(best)
}

/// Levenshtein distance: insertions, deletions and substitutions.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
