//! Text from outside: nothing that steers, turns or hides gets through, and what is harmless stays
//! as it is.

use game::escape::{MAX_CHARS, excerpt, excerpt_of, visible};
use proptest::prelude::*;

/// What Unicode 16 lists as control, format, line and paragraph separators (categories Cc, Cf, Zl,
/// Zp), as private or surrogate (Co, Cs), or as ignorable by default; the blanks other than the
/// usual one (Zs); the blank pattern of Braille.
const NEVER: &[(u32, u32)] = &[
    (0x0, 0x1f),
    (0x7f, 0xa0),
    (0xad, 0xad),
    (0x34f, 0x34f),
    (0x600, 0x605),
    (0x61c, 0x61c),
    (0x6dd, 0x6dd),
    (0x70f, 0x70f),
    (0x890, 0x891),
    (0x8e2, 0x8e2),
    (0x115f, 0x1160),
    (0x1680, 0x1680),
    (0x17b4, 0x17b5),
    (0x180b, 0x180f),
    (0x2000, 0x200f),
    (0x2028, 0x202f),
    (0x205f, 0x206f),
    (0x2800, 0x2800),
    (0x3000, 0x3000),
    (0x3164, 0x3164),
    (0xe000, 0xf8ff),
    (0xfe00, 0xfe0f),
    (0xfeff, 0xfeff),
    (0xffa0, 0xffa0),
    (0xfff0, 0xfffb),
    (0x110bd, 0x110bd),
    (0x110cd, 0x110cd),
    (0x13430, 0x1343f),
    (0x1bca0, 0x1bca3),
    (0x1d173, 0x1d17a),
    (0xe0000, 0xe0fff),
    (0xf0000, 0x10ffff),
];

fn never(letter: char) -> bool {
    NEVER.iter().any(|&(first, last)| (first..=last).contains(&(letter as u32)))
}

#[test]
fn no_character_that_steers_turns_or_hides_gets_through() {
    for letter in '\0'..=char::MAX {
        let shown = visible(&format!("a{letter}b")).into_owned();
        if never(letter) {
            assert!(
                shown.is_ascii() && shown.len() >= 4,
                "{:x} is shown as {shown}",
                letter as u32
            );
        }
        assert!(!shown.chars().any(never), "{:x}", letter as u32);
    }
}

#[test]
fn what_people_write_stays_as_it_is() {
    for text in [
        "",
        r#"{"error_msg":"Illegal bet", 'x': `y`, \ z~}"#,
        "Übergröße, e\u{301}te\u{301}, Ελλάδα, Привет, שלום, हिन्दी, ไทย, 東京, 한국, 🂡♠♥ — … ½",
    ] {
        assert_eq!(visible(text), text);
    }
}

#[test]
fn what_is_written_out_tells_the_character_or_byte() {
    for (text, expected) in [
        ("\u{1b}[2J\u{7}", r"\u{1b}[2J\u{7}"),
        ("a\u{202e}b\u{200b}c", r"a\u{202e}b\u{200b}c"),
        ("one\r\n\ttwo\0", r"one\r\n\ttwo\0"),
        ("\u{9b}31m", r"\u{9b}31m"),
        ("e\u{301}\u{302}\u{303}\u{304}", "e\u{301}\u{302}\\u{303}\\u{304}"),
        ("\u{301}", r"\u{301}"),
    ] {
        assert_eq!(visible(text), expected);
    }
    assert_eq!(excerpt_of(b"ok\xff\xfe \xe2\x82", 99), r"ok\xff\xfe \xe2\x82");
    assert_eq!(excerpt(" \n word "), " \\n word ");
}

#[test]
fn a_long_text_is_cut_between_characters_written_out_and_says_so() {
    assert_eq!(excerpt_of(b"12345", 5), "12345");
    assert_eq!(excerpt_of(b"123456", 5), "1234…");
    assert_eq!(excerpt_of(b"12\x1b4", 5), "12…");
    let long = "x".repeat(10_000_000);
    assert_eq!(excerpt(&long), "x".repeat(MAX_CHARS - 1) + "…");
    assert_eq!(visible(&long), long);
}

proptest! {
    #[test]
    fn any_text_is_one_short_line_and_showing_it_twice_changes_nothing(
        text in prop_oneof![any::<String>(), "[a \\n\u{1b}\u{301}\u{202e}é]{0,300}"],
        most in 1..300usize,
    ) {
        let shown = visible(&text).into_owned();
        prop_assert!(!shown.chars().any(never));
        prop_assert_eq!(visible(&shown), shown.as_str());
        let cut = excerpt_of(text.as_bytes(), most);
        prop_assert!(cut.chars().count() <= most && !cut.chars().any(never));
        prop_assert_eq!(&excerpt_of(cut.as_bytes(), most), &cut);
        if cut.chars().count() < most && !cut.ends_with('…') {
            prop_assert_eq!(cut, visible(&text));
        }
    }

    #[test]
    fn any_bytes_can_be_shown(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let shown = excerpt_of(&bytes, MAX_CHARS);
        prop_assert!(shown.chars().count() <= MAX_CHARS && !shown.chars().any(never));
    }
}
