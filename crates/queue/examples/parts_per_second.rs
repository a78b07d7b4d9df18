//! Parts per second of empty work: `parts_per_second URL PARTS WORKERS [BYTES]`, each worker with a
//! connection of its own, each part with a result of this many bytes, or none.

use std::error::Error;
use std::io::Write;
use std::time::Instant;

use queue::{LeasedPart, Outcome, Product, Queue, Run, Server, Worker};

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [url, parts, workers, rest @ ..] = words.as_slice() else {
        return Err("parts_per_second URL PARTS WORKERS [BYTES]".into());
    };
    let (parts, workers): (u32, u32) = (parts.parse()?, workers.parse()?);
    let bytes: usize = rest.first().map_or(Ok(0), |bytes| bytes.parse())?;
    let server = Server { url: url.clone(), ..Server::default() };
    let queue = Queue::connect(&server)?;
    let (command, version) = (vec!["nothing".to_owned()], "empty work".to_owned());
    let run = Run { command, parts, version, files: Vec::new() };
    let begun = Instant::now();
    let id = queue.enqueue(&run, None, |path| path.into())?.id;
    let mut out = std::io::stdout();
    writeln!(out, "enqueue {:.0} parts/s", f64::from(parts) / begun.elapsed().as_secs_f64())?;
    let begun = Instant::now();
    let cache = tempfile::tempdir()?;
    let work = |part: &LeasedPart| match bytes {
        0 => Outcome::Done(Product::default()),
        bytes => match std::fs::write(&part.out, vec![0; bytes]) {
            Ok(()) => Outcome::Done(Product { file: Some(part.out.clone()), ..Product::default() }),
            Err(error) => Outcome::Failed(error.to_string()),
        },
    };
    std::thread::scope(|scope| {
        let one = |number: u32| {
            let (server, cache) = (&server, cache.path().join(number.to_string()));
            move || -> Result<(), queue::Error> {
                let queue = Queue::connect(server)?;
                let mut worker = Worker::new(&queue, "empty work", "bench", &cache)?;
                while worker.next(true, &|| false, &mut { work })?.is_some() {}
                Ok(())
            }
        };
        let all: Vec<_> = (0..workers).map(|number| scope.spawn(one(number))).collect();
        for one in all {
            one.join().map_err(|_| "a worker panicked")??;
        }
        Ok::<(), Box<dyn Error>>(())
    })?;
    // A worker waits for a second, and no more, before it says that nothing is left.
    let seconds = begun.elapsed().as_secs_f64() - 1.0;
    writeln!(out, "work {:.0} parts/s by {workers} workers", f64::from(parts) / seconds)?;
    queue.cancel(&id)?;
    Ok(())
}
