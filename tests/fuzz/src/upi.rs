//! What must hold of UPI for any bytes at all.

use protocol::upi::{AnswerWriter, Command, CommandReader};

/// The engine's side: commands do not depend on how the bytes were cut, each prints as a line that
/// is the same command, and each error is one line. The first byte is the size of the pieces.
pub fn commands(data: &[u8]) {
    let Some((&size, bytes)) = data.split_first() else { return };
    let run = |size: usize| {
        let mut reader = CommandReader::default();
        let mut seen = Vec::new();
        for piece in bytes.chunks(size) {
            reader.receive(piece);
            seen.extend(std::iter::from_fn(|| reader.poll()));
        }
        reader.end();
        seen.extend(std::iter::from_fn(|| reader.poll()));
        assert!(reader.poll().is_none());
        seen
    };
    let seen = run(1 + usize::from(size));
    assert_eq!(seen, run(bytes.len().max(1)));
    for received in seen {
        match received {
            Ok(command) => {
                let line = command.to_string();
                assert!(!line.contains('\n'), "{line}");
                assert_eq!(Command::parse(&line), Ok(command), "{line}");
            }
            Err(error) => {
                let answer = AnswerWriter::default().refuse(&error);
                assert!(answer.starts_with("ERROR: ") && answer.lines().count() == 1, "{answer}");
            }
        }
    }
}
