//! Sanitizing text from outside for display.
//!
//! Text from a server, a peer or a file may hold characters that control a terminal, reverse the
//! writing direction, or are invisible. Whatever reaches a terminal, a log line or an error message
//! is passed through here: such characters are escaped (`\n`, `\u{202e}`), and so are bytes that
//! are not UTF-8 (`\xff`). Sanitizing is idempotent, so it is harmless both where a text comes in
//! and where it is shown. A backslash stays as it is: the result is for people, not to be parsed.

use std::borrow::Cow;

/// Maximum number of characters in an [`excerpt`].
pub const MAX_CHARS: usize = 200;

/// Maximum number of marks, such as accents, on one letter; more would run over neighbouring text.
const MAX_MARKS: usize = 2;

/// The text with every controlling, direction-changing or invisible character escaped. Line ends
/// are escaped too: the result is one line.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(cut(text.as_bytes(), usize::MAX))
}

/// The sanitized beginning of a text: at most [`MAX_CHARS`] characters, the last of them `…` when
/// text is left out.
pub fn excerpt(text: &str) -> String {
    excerpt_of(text.as_bytes(), MAX_CHARS)
}

/// The same as [`excerpt`], for bytes that should be text, with at most `most` characters.
pub fn excerpt_of(bytes: &[u8], most: usize) -> String {
    // More than fits: of many megabytes only the beginning is processed.
    cut(&bytes[..bytes.len().min(most.saturating_mul(8))], most)
}

/// Escapes what needs it, and cuts at `most` characters with a final `…`.
fn cut(bytes: &[u8], most: usize) -> String {
    let mut shown = String::with_capacity(bytes.len().min(most) + 8);
    let (mut count, mut marks) = (0, MAX_MARKS);
    // Position of the cut if the text turns out to be too long.
    let mut end = 0;
    let mut piece = String::new();
    for chunk in bytes.utf8_chunks() {
        let letters = chunk.valid().chars().map(Ok);
        for next in letters.chain(chunk.invalid().iter().map(Err)) {
            piece.clear();
            match next {
                Ok(letter) if is_seen(letter) => {
                    marks = if letter == ' ' { MAX_MARKS } else { 0 };
                    piece.push(letter);
                }
                Ok(letter) if marks < MAX_MARKS && is_mark(letter) => {
                    marks += 1;
                    piece.push(letter);
                }
                Ok(letter) => {
                    marks = MAX_MARKS;
                    // Line ends, tabs and the like have short escapes.
                    match letter {
                        '\0'..='\x7f' => piece.extend(letter.escape_debug()),
                        _ => piece.extend(letter.escape_unicode()),
                    }
                }
                Err(byte) => {
                    marks = MAX_MARKS;
                    piece.push_str(&format!("\\x{byte:02x}"));
                }
            }
            if count < most {
                end = shown.len();
            }
            count += piece.chars().count();
            if count > most {
                shown.truncate(end);
                shown.push('…');
                return shown;
            }
            shown.push_str(&piece);
        }
    }
    shown
}

/// Whether a character is visible on its own, or is the blank.
pub fn is_seen(letter: char) -> bool {
    match letter {
        ' '..='~' => true,
        // Invisible letters: fillers of Korean and Braille.
        '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' => false,
        // Everything else that the standard library does not escape: no control or format
        // characters, no other white space, no marks, nothing private or unassigned.
        _ => letter.escape_debug().len() == 1,
    }
}

/// Whether a character is a visible mark on the one before it.
fn is_mark(letter: char) -> bool {
    let selects = matches!(letter, '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    // The standard library escapes marks where they stand first.
    let after = |letter: char| ['a', letter].iter().collect::<String>().escape_debug().count() == 2;
    !selects && letter.escape_debug().len() > 1 && after(letter)
}
