//! Packing and unpacking of results.

use std::fs;

use queue::{pack, unpack};

#[test]
fn a_result_comes_back_as_it_was_and_its_archive_is_always_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("made/inner")).expect("folders");
    fs::write(at("made/ledger"), "rows").expect("a file");
    fs::write(at("made/inner/ledger"), vec![7; 300_000]).expect("a file");
    fs::write(at("made/log"), "not kept").expect("a file");
    for name in ["one", "two"] {
        pack(&at("made"), |file| file == "ledger", &at(name)).expect("packed");
        std::thread::sleep(std::time::Duration::from_millis(1100));
        let again = fs::read(at("made/ledger")).expect("read");
        fs::write(at("made/ledger"), again).expect("written again, later");
    }
    assert_eq!(fs::read(at("one")).expect("read"), fs::read(at("two")).expect("read"));
    unpack(&at("one"), &at("back")).expect("unpacked");
    assert_eq!(fs::read_to_string(at("back/ledger")).expect("read"), "rows");
    assert_eq!(fs::read(at("back/inner/ledger")).expect("read"), vec![7; 300_000]);
    assert!(!at("back/log").exists());
    pack(&at("made/log"), |_| true, &at("file")).expect("packed");
    unpack(&at("file"), &at("single")).expect("unpacked");
    assert_eq!(fs::read_to_string(at("single")).expect("read"), "not kept");
}

#[test]
fn what_is_no_archive_is_refused_with_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("made"), vec![1; 100_000]).expect("a file");
    pack(&at("made"), |_| true, &at("whole")).expect("packed");
    let whole = fs::read(at("whole")).expect("read");
    let mut bytes: Vec<Vec<u8>> = vec![Vec::new(), b"no archive".to_vec(), vec![0x1f, 0x8b]];
    bytes.extend((0..whole.len()).step_by(7).map(|end| whole[..end].to_vec()));
    for (number, bytes) in bytes.iter().enumerate() {
        fs::write(at("bad"), bytes).expect("a file");
        let error = unpack(&at("bad"), &at(&format!("to{number}"))).expect_err("not an archive");
        assert!(error.to_string().contains("bad"), "{error}");
        assert!(!at(&format!("to{number}")).exists());
    }
}
