//! Runs, leases, results and refusals.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use queue::{
    Dead, Done, LeasedPart, MAX_DELIVERIES, Outcome, Product, Queue, Run, RunFile, Server, Status,
    Worker,
};

use crate::server::{Nats, raw};

const VERSION: &str = "1.0";

fn run(parts: u32) -> Run {
    let command = vec!["count".to_owned()];
    Run { command, parts, version: VERSION.to_owned(), files: Vec::new() }
}

fn put(queue: &Queue, run: &Run, lease: Option<u64>) -> queue::Enqueued {
    queue.enqueue(run, lease.map(Duration::from_millis), |path| path.into()).expect("enqueued")
}

/// A result that holds the part's number.
fn number(part: &LeasedPart) -> Outcome {
    fs::write(&part.out, part.part.to_string()).expect("a result");
    Outcome::Done(Product { file: Some(part.out.clone()), ..Product::default() })
}

/// Does all that is left.
fn drain(worker: &mut Worker<'_>, work: &mut dyn FnMut(&LeasedPart) -> Outcome) -> u32 {
    let mut done = 0;
    while worker.next(true, &|| false, work).expect("the server is there").is_some() {
        done += 1;
    }
    done
}

/// The results of a run, by part.
fn results(queue: &Queue, id: &str, folder: &Path) -> Vec<String> {
    let status = queue.status(id).expect("a run");
    let fetch = |done: &queue::Done| {
        let to = folder.join(format!("result{}", done.part));
        queue.fetch(done.object.as_ref().expect("a result"), &to).expect("fetched");
        fs::read_to_string(to).expect("a result")
    };
    status.done.iter().map(fetch).collect()
}

#[test]
fn a_run_put_in_twice_is_one_run_and_every_part_has_one_result() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(nats) = Nats::start(folder.path(), None, "") else { return };
    let queue = Queue::connect(&nats.server()).expect("a queue");
    let all = run(1200);
    let first = put(&queue, &all, None);
    assert_eq!((first.parts, first.done, first.again), (1200, 0, 0));
    let second = put(&queue, &all, None);
    assert_eq!((second.parts, second.id.as_str()), (0, first.id.as_str()));
    let mut worker = Worker::new(&queue, VERSION, "one", folder.path()).expect("a worker");
    assert_eq!(drain(&mut worker, &mut number), 1200);
    let expected: Vec<String> = (1..=1200).map(|part| part.to_string()).collect();
    assert_eq!(results(&queue, &first.id, folder.path()), expected);
    // Of a run that is done nothing is put in again.
    let third = put(&queue, &all, None);
    assert_eq!((third.parts, third.done), (0, 1200));
    let removed = queue.cancel(&first.id[..5]).expect("removed");
    assert_eq!((removed.done.len(), queue.runs().expect("runs").len()), (1200, 0));
    let gone = queue.status(&first.id).map(|_| ()).expect_err("no run").to_string();
    assert!(gone.contains("there is no run"), "{gone}");
    // One that was removed is a new one when it is put in again.
    assert_eq!(put(&queue, &all, None).parts, 1200);
}

#[test]
fn a_part_whose_worker_is_silent_goes_to_another_and_the_first_result_counts() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(nats) = Nats::start(folder.path(), None, "") else { return };
    let queue = Queue::connect(&nats.server()).expect("a queue");
    let id = put(&queue, &run(1), Some(1000)).id;
    let mut slow = Worker::new(&queue, VERSION, "slow", &folder.path().join("a")).expect("one");
    let other = Queue::connect(&nats.server()).expect("a queue");
    let mut quick = Worker::new(&other, VERSION, "quick", &folder.path().join("b")).expect("one");
    // A worker that renews its lease keeps its part for longer than the lease.
    let begun = Instant::now();
    let both = slow.next(false, &|| false, &mut |part| {
        let stop = || begun.elapsed() > Duration::from_secs(3);
        let other = quick.next(false, &stop, &mut |_| panic!("the part is leased"));
        assert!(other.expect("the server is there").is_none());
        number(part)
    });
    assert!(both.expect("the server is there").is_some());
    assert_eq!(results(&queue, &id, folder.path()), ["1"]);
}

#[test]
fn a_part_that_fails_five_times_is_a_dead_letter_with_its_error_and_can_be_tried_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(nats) = Nats::start(folder.path(), None, "") else { return };
    let queue = Queue::connect(&nats.server()).expect("a queue");
    let all = run(2);
    let id = put(&queue, &all, Some(500)).id;
    let mut worker = Worker::new(&queue, VERSION, "one", folder.path()).expect("a worker");
    let tried = Cell::new(0);
    drain(&mut worker, &mut |part| {
        if part.part == 1 {
            return number(part);
        }
        tried.set(tried.get() + 1);
        Outcome::Failed(format!("no luck at attempt {}", tried.get()))
    });
    assert_eq!(tried.get(), MAX_DELIVERIES);
    let status = queue.status(&id).expect("a run");
    assert_eq!((status.done.len(), status.dead.len(), status.left()), (1, 1, 0));
    assert_eq!((status.dead[0].part, status.dead[0].error.as_str()), (2, "no luck at attempt 5"));
    let again = put(&queue, &all, None);
    assert_eq!((again.parts, again.again, again.done), (1, 1, 1));
    assert_eq!(drain(&mut worker, &mut number), 1);
    assert_eq!(results(&queue, &id, folder.path()), ["1", "2"]);
}

#[test]
fn a_part_that_is_given_back_or_cancelled_goes_on_or_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(nats) = Nats::start(folder.path(), None, "") else { return };
    let queue = Queue::connect(&nats.server()).expect("a queue");
    let id = put(&queue, &run(1), Some(1000)).id;
    let mut worker = Worker::new(&queue, VERSION, "one", folder.path()).expect("a worker");
    let given = worker.next(false, &|| false, &mut |_| Outcome::Stopped);
    assert!(matches!(given, Ok(Some((_, 1, Outcome::Stopped)))));
    let other = Queue::connect(&nats.server()).expect("a queue");
    let ended = worker.next(false, &|| false, &mut |part| {
        let begun = Instant::now();
        while other.workers().expect("workers")[0].part != Some((id.clone(), 1)) {
            assert!(begun.elapsed() < Duration::from_secs(30), "nobody says who works on it");
            std::thread::sleep(Duration::from_millis(20));
        }
        other.cancel(&id).expect("cancelled");
        while !part.cancelled.load(Ordering::SeqCst) {
            assert!(begun.elapsed() < Duration::from_secs(30), "nobody said that it is cancelled");
            std::thread::sleep(Duration::from_millis(20));
        }
        number(part)
    });
    assert!(matches!(ended, Ok(Some((_, 1, Outcome::Failed(why)))) if why.contains("cancelled")));
    assert_eq!(queue.runs().expect("runs").len(), 0);
    assert_eq!(drain(&mut worker, &mut number), 0);
    drop(worker);
    assert!(queue.workers().expect("workers").is_empty(), "a worker that has left is not there");
}

#[test]
fn files_come_by_their_hash_and_what_is_missing_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let Some(nats) = Nats::start(folder.path(), None, "") else { return };
    let queue = Queue::connect(&nats.server()).expect("a queue");
    fs::write(at("model"), "abc").expect("a file");
    // SHA-256 of `abc`, FIPS 180-2, appendix B.1.
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".to_owned();
    let file = RunFile { path: "models/m.bin".into(), sha256: sha256.clone(), executable: true };
    let with = Run { files: vec![file], ..run(1) };
    let find = |_: &str| at("model");
    queue.enqueue(&with, None, find).expect("enqueued");
    let mut worker = Worker::new(&queue, VERSION, "one", folder.path()).expect("a worker");
    let done = drain(&mut worker, &mut |part| {
        let text = fs::read_to_string(part.folder.join("models/m.bin")).expect("the file");
        assert_eq!(text, "abc");
        number(part)
    });
    assert_eq!(done, 1);
    // Another file under the hash of the first, and names that lead elsewhere.
    let bad = [("m", "0".repeat(64)), ("../m", sha256.clone()), ("/m", sha256)];
    for (path, sha256) in bad {
        fs::write(at("model"), "another").expect("a file");
        let file = RunFile { path: path.into(), sha256, executable: false };
        let with = Run { files: vec![file], ..run(1) };
        let id = queue.enqueue(&with, None, find).expect("enqueued").id;
        let error = worker.next(true, &|| false, &mut number).err().expect("a refusal");
        let said = error.to_string();
        assert!(said.contains(&id) && said.contains(path) && said.contains("SHA-256"), "{said}");
        assert!(!error.is_passing());
        queue.cancel(&id).expect("removed");
    }
}

#[test]
fn parts_are_for_workers_of_their_version() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(nats) = Nats::start(folder.path(), None, "") else { return };
    let queue = Queue::connect(&nats.server()).expect("a queue");
    put(&queue, &Run { version: "0.9+abc".into(), ..run(3) }, None);
    let refused = Worker::new(&queue, VERSION, "one", folder.path()).err().expect("a refusal");
    let said = refused.to_string();
    assert!(said.contains("0.9+abc") && said.contains("this program is 1.0"), "{said}");
    assert!(!refused.is_passing());
    put(&queue, &run(2), None);
    let mut worker = Worker::new(&queue, VERSION, "one", folder.path()).expect("a worker");
    assert_eq!(drain(&mut worker, &mut number), 2);
}

#[test]
fn servers_that_are_away_or_refuse_are_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let users = "authorization { user: a, password: b }\n";
    let Some(nats) = Nats::start(folder.path(), None, users) else { return };
    let refused = Queue::connect(&nats.server()).err().expect("a refusal");
    assert!(refused.to_string().contains("refuses the connection"), "{refused}");
    let named = |password: &str| Server {
        url: format!("nats://a:{password}@127.0.0.1:{}", nats.port),
        ..Server::default()
    };
    assert!(Queue::connect(&named("b")).is_ok());
    let wrong = Queue::connect(&named("guess")).err().expect("a refusal").to_string();
    assert!(wrong.contains("refuses") && !wrong.contains("guess"), "{wrong}");
    let with = |credentials: PathBuf| Server { credentials: Some(credentials), ..nats.server() };
    let missing = Queue::connect(&with(folder.path().join("none"))).err().expect("a refusal");
    assert!(missing.to_string().contains("none"), "{missing}");
    let server = Server { url: "nats://127.0.0.1:1".into(), ..Server::default() };
    let away = Queue::connect(&server).err().expect("nobody there");
    assert!(away.to_string().contains("does not answer") && away.is_passing(), "{away}");
}

#[test]
fn a_full_store_is_said_to_be_full_and_the_part_is_not_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let limit = "jetstream { max_file_store: 2MB }\n";
    let Some(nats) = Nats::start(folder.path(), None, limit) else { return };
    let queue = Queue::connect(&nats.server()).expect("a queue");
    let id = put(&queue, &run(1), Some(1000)).id;
    let mut worker = Worker::new(&queue, VERSION, "one", folder.path()).expect("a worker");
    let large = worker.next(true, &|| false, &mut |part| {
        fs::write(&part.out, vec![5; 4 << 20]).expect("a result");
        Outcome::Done(Product { file: Some(part.out.clone()), ..Product::default() })
    });
    let error = large.err().expect("a refusal");
    assert!(
        error.to_string().contains("has no room for what was to") && error.is_passing(),
        "{error}"
    );
    assert_eq!(queue.status(&id).expect("a run").left(), 1);
    // With more room it goes on.
    let port = nats.port;
    drop(nats);
    let _larger = Nats::start(folder.path(), Some(port), "jetstream { max_file_store: 200MB }\n");
    assert_eq!(drain(&mut worker, &mut number), 1);
    assert_eq!(queue.status(&id).expect("a run").left(), 0);
}

#[test]
fn a_server_that_comes_back_with_its_store_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(nats) = Nats::start(folder.path(), None, "") else { return };
    let queue = Queue::connect(&nats.server()).expect("a queue");
    let id = put(&queue, &run(20), Some(2000)).id;
    let mut worker = Worker::new(&queue, VERSION, "one", folder.path()).expect("a worker");
    let port = nats.port;
    let mut nats = Some(nats);
    let mut parts = 0;
    let work = &mut |part: &LeasedPart| {
        parts += 1;
        if parts == 7 {
            drop(nats.take());
            nats = Nats::start(folder.path(), Some(port), "");
        }
        number(part)
    };
    drain(&mut worker, work);
    let expected: Vec<String> = (1..=20).map(|part| part.to_string()).collect();
    assert_eq!(results(&queue, &id, folder.path()), expected);
}

#[test]
fn a_part_whose_result_the_server_has_lost_is_done_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(nats) = Nats::start(folder.path(), None, "") else { return };
    let queue = Queue::connect(&nats.server()).expect("a queue");
    let id = put(&queue, &run(3), None).id;
    let mut worker = Worker::new(&queue, VERSION, "one", folder.path()).expect("a worker");
    assert_eq!(drain(&mut worker, &mut number), 3);
    let status = queue.status(&id).expect("a run");
    assert_eq!(queue.put_back_lost(&status).expect("nothing is lost"), 0);
    let second = status.done[1].object.clone().expect("a result");
    raw(&nats, async |context| {
        let results = context.get_object_store("cardroom_results").await.expect("a store");
        results.delete(&second).await.expect("deleted");
    });
    assert_eq!(queue.put_back_lost(&status).expect("one is lost"), 1);
    assert_eq!(queue.status(&id).expect("a run").left(), 1);
    assert_eq!(drain(&mut worker, &mut number), 1);
    assert_eq!(results(&queue, &id, folder.path()), ["1", "2", "3"]);
}

/// The record of a part that a worker has done.
fn done(part: u32) -> Done {
    let worker = "killed".to_owned();
    Done { part, object: None, worker, seconds: 1.0, hands: 0, table: None, age: 0.0 }
}

#[test]
fn draining_ends_when_every_result_is_recorded_whatever_the_stream_holds() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(nats) = Nats::start(folder.path(), None, "") else { return };
    let queue = Queue::connect(&nats.server()).expect("a queue");
    let id = put(&queue, &run(3), Some(3_600_000)).id;
    // A part that a worker was given and recorded, and whose message stays for the hour of its
    // lease, as it stays for ever after a server that was killed.
    let recorded = raw(&nats, async |context| {
        let parts = context.get_stream("CARDROOM_PARTS").await.expect("a stream");
        let consumer = parts
            .get_consumer::<async_nats::jetstream::consumer::pull::Config>("workers-1_0")
            .await
            .expect("a consumer");
        let mut given = consumer.fetch().max_messages(1).messages().await.expect("messages");
        let given = given.next().await.expect("a message").expect("a message");
        let part: u32 = std::str::from_utf8(&given.payload).expect("text").parse().expect("one");
        let record = serde_json::to_vec(&done(part)).expect("JSON");
        let sent = context.publish(format!("cardroom.done.{id}.{part}"), record.into()).await;
        sent.expect("sent").await.expect("stored");
        part
    });
    let mut worker = Worker::new(&queue, VERSION, "one", folder.path()).expect("a worker");
    let begun = Instant::now();
    assert_eq!(drain(&mut worker, &mut number), 2);
    assert!(begun.elapsed() < Duration::from_secs(60), "it waited for part {recorded}");
    let left = raw(&nats, async |context| {
        let parts = context.get_stream("CARDROOM_PARTS").await.expect("a stream");
        parts.get_info().await.expect("its state").state.messages
    });
    assert_eq!((left, queue.status(&id).expect("a run").left()), (1, 0));
}

#[test]
fn draining_does_not_end_before_parts_that_the_server_has_lost_are_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(nats) = Nats::start(folder.path(), None, "") else { return };
    let queue = Queue::connect(&nats.server()).expect("a queue");
    let id = put(&queue, &run(3), Some(4000)).id;
    let mut worker = Worker::new(&queue, VERSION, "one", folder.path()).expect("a worker");
    // Messages, and the consumer that hands them out.
    raw(&nats, async |context| {
        let parts = context.get_stream("CARDROOM_PARTS").await.expect("a stream");
        parts.purge().await.expect("purged");
        parts.delete_consumer("workers-1_0").await.expect("deleted");
    });
    assert_eq!(drain(&mut worker, &mut number), 3);
    // A record whose message was acknowledged, which is sent once more under its first name.
    raw(&nats, async |context| {
        let records = context.get_stream("CARDROOM_RECORDS").await.expect("a stream");
        records.purge().filter(format!("cardroom.done.{id}.2")).await.expect("purged");
    });
    assert_eq!(put(&queue, &run(3), None).parts, 0, "the server knows the message's name");
    let other = Queue::connect(&nats.server()).expect("a queue");
    let mut second = Worker::new(&other, VERSION, "two", folder.path()).expect("a worker");
    // Of two workers that find it, one does it, unless its lease ran out on a busy machine.
    let begun = Instant::now();
    let both = std::thread::scope(|scope| {
        let other = scope.spawn(|| drain(&mut second, &mut number));
        drain(&mut worker, &mut number) + other.join().expect("the other worker")
    });
    assert!(both == 1 || begun.elapsed() > Duration::from_secs(4), "{both} did it");
    assert_eq!(results(&queue, &id, folder.path()), ["1", "2", "3"]);
}

#[test]
fn a_part_that_is_both_done_and_dead_is_not_counted_twice() {
    let dead = |part| Dead { part, worker: "lost".to_owned(), error: "lost".to_owned() };
    let status = Status {
        id: String::new(),
        run: run(3),
        age: 0.0,
        done: vec![done(1)],
        dead: vec![dead(1), dead(2)],
    };
    assert_eq!(status.left(), 1);
}
