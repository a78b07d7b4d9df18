//! Loading games: what is no game file is refused at once.

use matches::games::load_game;
use protocol::acpc::gamedef::Reading;

#[test]
fn what_never_ends_or_is_too_large_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let large = folder.path().join("large.game");
    std::fs::write(&large, vec![b'#'; (1 << 20) + 1]).expect("a file");
    for (path, reason) in [
        ("/dev/null", "not a regular file"),
        (folder.path().to_str().expect("text"), "not a regular file"),
        (large.to_str().expect("text"), "larger than 1 MiB"),
    ] {
        let error = load_game(path, Reading::Strict).expect_err(path).to_string();
        assert!(error.contains(path) && error.contains(reason), "{error}");
        assert!(!error.contains('\n'), "{error}");
    }
}
