//! Numbers as the C library reads them.

use protocol::acpc::scan::{scan_i32, scan_i64, scan_u8, scan_u16, scan_u32, scan_u64};

#[test]
fn numbers_wrap_as_in_the_c_library() {
    assert_eq!(scan_u8(b"257:"), Some((1, 3)));
    assert_eq!(scan_u8(b"-255"), Some((1, 4)));
    assert_eq!(scan_u16(b"65537,"), Some((1, 5)));
    assert_eq!(scan_u32(b"4294967297"), Some((1, 10)));
    assert_eq!(scan_u32(b"-1"), Some((u32::MAX, 2)));
    assert_eq!(scan_u32(b"99999999999999999999"), Some((u32::MAX, 20)));
    assert_eq!(scan_i32(b"99999999999"), Some((1_215_752_191, 11)));
    assert_eq!(scan_i32(b"2147483648"), Some((i32::MIN, 10)));
    assert_eq!(scan_i32(b"99999999999999999999"), Some((-1, 20)));
    assert_eq!(scan_i32(b"-99999999999999999999"), Some((0, 21)));
    assert_eq!(scan_i64(b"-9223372036854775808"), Some((i64::MIN, 20)));
    assert_eq!(scan_u64(b" \t\r\n+7x"), Some((7, 6)));
    assert_eq!(scan_i32(b"0x200"), Some((0, 1)));
    for text in [&b""[..], b"x", b"+", b"- 5", b"+-5", b" ", b"\r\n"] {
        assert_eq!(scan_i32(text), None, "{text:?}");
    }
}
