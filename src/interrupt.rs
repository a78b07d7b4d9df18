//! Ctrl-C in two stages: the first finishes the hands in play, the second aborts.

use std::io::Write;

use matches::stop::Stop;

use crate::exit::Code;

/// The command line as typed, to be pasted into a shell: it is also what resumes a run.
pub(crate) fn command_line() -> String {
    let quote = |argument: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
        if !argument.is_empty() && argument.chars().all(plain) {
            argument
        } else {
            format!("'{}'", argument.replace('\'', r"'\''"))
        }
    };
    std::env::args().map(quote).collect::<Vec<_>>().join(" ")
}

/// Begins to listen for Ctrl-C. The first asks `stop`; the second ends the process at once, printing
/// how to resume. Nothing that was recorded is lost either way.
pub(crate) fn listen(stop: &Stop) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let stop = stop.clone();
    std::thread::Builder::new().name("ctrl-c".into()).spawn(move || {
        runtime.block_on(async {
            // Without a handler Ctrl-C simply ends the process, which is the best that is left.
            let Ok(()) = tokio::signal::ctrl_c().await else { return };
            stop.ask();
            say("finishing the hands in play; press Ctrl-C again to abort");
            let Ok(()) = tokio::signal::ctrl_c().await else { return };
            say(&format!("aborted; resume with: {}", command_line()));
            std::process::exit(Code::Interrupted as i32);
        });
    })?;
    Ok(())
}

fn say(message: &str) {
    // Nothing can be done when stderr is closed.
    let _ = writeln!(std::io::stderr(), "\n{message}");
}
