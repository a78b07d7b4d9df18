//! Which known name a misspelt one is most like.

/// The known name with the fewest edits from `name`, unless it is so far off that proposing it would
/// only confuse: more than a third of the letters and more than one edit away.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let scored = known.into_iter().map(|k| (edits(&wanted, &k.to_lowercase()), k));
    let (distance, best) = scored.min_by_key(|&(distance, _)| distance)?;
    let longest = wanted.chars().count().max(best.chars().count());
    (distance <= (longest / 3).max(1)).then_some(best)
}

/// Letters to insert, delete, replace, or swap with their neighbour to turn one word into the
/// other (optimal string alignment).
fn edits(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for i in 1..=from.len() {
        let mut row = vec![i];
        for j in 1..=to.len() {
            let replaced = last[j - 1] + usize::from(from[i - 1] != to[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[to.len()]
}
