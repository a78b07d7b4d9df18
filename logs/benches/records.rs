//! Hands per second through the ledger, the ACPC log and the tally, each by itself.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use logs::formats::acpc;
use logs::{LedgerReader, LedgerWriter, Tally, ledger};

#[path = "../tests/hands.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
mod hands;

const HANDS: u64 = 50_000;

fn records(c: &mut Criterion) {
    let def = Arc::new(game::games::nolimit_holdem());
    let info = hands::info(&def, HANDS, true);
    let records = hands::random_hands(&def, HANDS, 2, 7);
    let names = info.names();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut group = c.benchmark_group("records");
    group.throughput(Throughput::Elements(HANDS));
    group.sample_size(10);
    let mut made = 0;
    group.bench_function("append and commit to a ledger", |b| {
        b.iter_batched_ref(
            || {
                made += 1;
                let path = folder.path().join(format!("{made}.sqlite"));
                LedgerWriter::create(&path, &info).expect("a new ledger")
            },
            |writer| {
                for block in records.chunks(5000) {
                    block.iter().for_each(|record| writer.append(record));
                    writer.commit().expect("room on the disk");
                }
            },
            BatchSize::PerIteration,
        );
    });
    group.bench_function("print lines of the ACPC log", |b| {
        let mut text = String::new();
        b.iter(|| {
            text.clear();
            records.iter().for_each(|record| acpc::write_hand(record, &names, &mut text));
            black_box(text.len())
        });
    });
    group.bench_function("add to a tally", |b| {
        b.iter(|| {
            let mut tally = Tally::new(&info);
            records.iter().for_each(|record| tally.add(record));
            black_box(tally.hands())
        });
    });
    let path = folder.path().join(ledger::FILE_NAME);
    let mut writer = LedgerWriter::create(&path, &info).expect("a new ledger");
    records.iter().for_each(|record| writer.append(record));
    writer.commit().expect("room on the disk");
    drop(writer);
    group.bench_function("read and replay a ledger", |b| {
        let reader = LedgerReader::open(&path).expect("the ledger");
        b.iter(|| black_box(reader.hands().filter(Result::is_ok).count()));
    });
    group.finish();
}

criterion_group!(benches, records);
criterion_main!(benches);
