//! Writing files whole.

use std::fs;

use logs::folder::write_whole;

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.json");
    fs::write(&path, "old").unwrap();
    let failed = write_whole(&path, |out| {
        out.write_all(b"half")?;
        Err(std::io::Error::other("no"))
    });
    assert!(failed.is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    write_whole(&path, |out| out.write_all(b"new")).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
#[cfg(target_os = "linux")]
fn what_is_no_regular_file_is_written_into_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let [full, link, target] = ["full", "link", "target"].map(|name| folder.path().join(name));
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    let error = write_whole(&full, |out| out.write_all(b"text")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
    assert!(full.is_symlink());

    std::os::unix::fs::symlink(&target, &link).unwrap();
    write_whole(&link, |out| out.write_all(b"text")).unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap(), "text");
}
