//! Text from outside, made safe to show.
//!
//! What a server, a peer or a file says may hold characters that steer a terminal, that turn the
//! direction of writing, or that cannot be seen. Whatever of it reaches a terminal, a log line or
//! an error message goes through here: such characters are written out (`\n`, `\u{202e}`), and so
//! are bytes that are no UTF-8 (`\xff`). What has gone through here once is not changed by going
//! through again, so that it does no harm to do it both where a text comes in and where it is
//! shown. A backslash stays as it is: what is shown is for people, not to be read back.

use std::borrow::Cow;

/// The most characters of an [`excerpt`].
pub const MOST: usize = 200;

/// The most marks, such as accents, on one letter; with more of them text runs over its neighbours.
const MOST_MARKS: usize = 2;

/// The text with every character written out that steers, turns or hides something. Line ends are
/// such characters: the result is one line.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(cut(text.as_bytes(), usize::MAX))
}

/// The beginning of a text as it may be shown: at most [`MOST`] characters, the last of them `…`
/// when there is more.
pub fn excerpt(text: &str) -> String {
    excerpt_of(text.as_bytes(), MOST)
}

/// As [`excerpt`], of bytes that should be text, with at most so many characters.
pub fn excerpt_of(bytes: &[u8], most: usize) -> String {
    // More than has room: of many megabytes only the beginning is looked at.
    cut(&bytes[..bytes.len().min(most.saturating_mul(8))], most)
}

/// Writes out what has to be, and ends with `…` instead of going beyond so many characters.
fn cut(bytes: &[u8], most: usize) -> String {
    let mut shown = String::with_capacity(bytes.len().min(most) + 8);
    let (mut count, mut marks) = (0, MOST_MARKS);
    // Where it is cut if more comes than has room.
    let mut end = 0;
    let mut piece = String::new();
    for chunk in bytes.utf8_chunks() {
        let letters = chunk.valid().chars().map(Ok);
        for next in letters.chain(chunk.invalid().iter().map(Err)) {
            piece.clear();
            match next {
                Ok(letter) if is_seen(letter) => {
                    marks = if letter == ' ' { MOST_MARKS } else { 0 };
                    piece.push(letter);
                }
                Ok(letter) if marks < MOST_MARKS && is_mark(letter) => {
                    marks += 1;
                    piece.push(letter);
                }
                Ok(letter) => {
                    marks = MOST_MARKS;
                    // Line ends, tabs and the like have short names.
                    match letter {
                        '\0'..='\x7f' => piece.extend(letter.escape_debug()),
                        _ => piece.extend(letter.escape_unicode()),
                    }
                }
                Err(byte) => {
                    marks = MOST_MARKS;
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

/// Whether a character has a shape of its own that can be seen, or is the blank.
pub fn is_seen(letter: char) -> bool {
    match letter {
        ' '..='~' => true,
        // Letters without a shape: fillers of Korean and Braille.
        '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' => false,
        // Everything else that the standard library does not escape: no control or format
        // characters, no other white space, no marks, nothing private or unassigned.
        _ => letter.escape_debug().len() == 1,
    }
}

/// Whether a character is a mark on the one before it, and can be seen.
fn is_mark(letter: char) -> bool {
    let selects = matches!(letter, '\u{34f}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}');
    // The standard library escapes marks where they stand first.
    let after = |letter: char| ['a', letter].iter().collect::<String>().escape_debug().count() == 2;
    !selects && letter.escape_debug().len() > 1 && after(letter)
}
