//! How many threads a command that reckons all the time runs on.

use std::io::Write;
use std::num::NonZeroUsize;
use std::sync::Once;

/// One for each processor, unless fewer are asked for. More would only take memory from each other,
/// which is said once.
pub(crate) fn threads(asked: Option<u16>) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let asked = asked.map_or(processors, usize::from);
    if asked > processors {
        static SAID: Once = Once::new();
        SAID.call_once(|| {
            let threads = if processors == 1 { "thread" } else { "threads" };
            // Nothing can be done when stderr is closed.
            let _ = writeln!(
                std::io::stderr(),
                "running on {processors} {threads}, one for each processor; {asked} would not be faster"
            );
        });
    }
    asked.min(processors)
}
