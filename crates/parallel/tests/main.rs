//! Results in order, at any number of threads, and panics that arrive.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

fn at_every_width(test: impl Fn(usize) + Sync) {
    for threads in [1, 2, 7] {
        let pool = parallel::Pool::new(threads).expect("threads");
        pool.run(|| test(threads));
    }
}

#[test]
fn results_come_in_the_order_of_their_items() {
    at_every_width(|threads| {
        assert_eq!(parallel::threads(), threads);
        for count in [0, 1, 2, 3, 1000] {
            let expected: Vec<usize> = (0..count).map(|n| n * n).collect();
            assert_eq!(parallel::map(0..count, |n| n * n), expected);
        }
    });
}

#[test]
fn pieces_of_several_slices_are_changed_in_place() {
    at_every_width(|_| {
        let from: Vec<u32> = (0..100).collect();
        let mut into = vec![0; 100];
        parallel::for_each(into.chunks_mut(7).zip(from.chunks(7)), |(into, from)| {
            into.copy_from_slice(from);
        });
        assert_eq!(into, from);
    });
}

#[test]
fn no_more_is_made_to_work_with_than_there_are_threads() {
    at_every_width(|threads| {
        let made = AtomicUsize::new(0);
        let init = || {
            made.fetch_add(1, Ordering::Relaxed);
            Vec::new()
        };
        let sums = parallel::map_with(0..500, init, |scratch, n: u64| {
            scratch.clear();
            scratch.extend(0..=n);
            scratch.iter().sum::<u64>()
        });
        assert!(sums.iter().zip(0..).all(|(&sum, n)| sum == n * (n + 1) / 2));
        assert!((1..=threads).contains(&made.into_inner()));
    });
}

#[test]
fn sums_of_threads_add_up_to_that_of_all_items() {
    at_every_width(|threads| {
        let sums = parallel::fold(1..=1000_u64, || 0, |sum, n| *sum += n);
        assert!((1..=threads).contains(&sums.len()));
        assert_eq!(sums.iter().sum::<u64>(), 500_500);
        assert_eq!(parallel::fold(0..0, || 0, |sum, n: i32| *sum += n), Vec::<i32>::new());
    });
}

#[test]
fn work_inside_work_ends() {
    at_every_width(|_| {
        let sums = parallel::map(0..20, |n| {
            let (inner, one) = parallel::join(|| parallel::map(0..n, |m| m), || 1);
            inner.iter().sum::<u64>() + one
        });
        assert!(sums.iter().zip(0..).all(|(&sum, n)| sum == n * (u64::max(n, 1) - 1) / 2 + 1));
    });
}

#[test]
fn what_cannot_be_sent_stays_on_its_thread() {
    at_every_width(|_| {
        let local = std::rc::Rc::new(5);
        let here = std::thread::current().id();
        let (there, same) = parallel::join_here(
            || parallel::map(0..10, |n| n + 1),
            || *local == 5 && std::thread::current().id() == here,
        );
        assert!(same);
        assert_eq!(there, (1..=10).collect::<Vec<_>>());
    });
}

#[test]
fn a_panic_in_any_work_arrives_with_its_message() {
    at_every_width(|_| {
        let fails = |n: usize| if n == 3 { panic!("the third") } else { n };
        let tries: [&dyn Fn(); 4] = [
            &|| assert!(parallel::map(0..10, fails).is_empty()),
            &|| parallel::for_each(0..10, |n| assert!(fails(n) < 10)),
            &|| assert_eq!(parallel::join(|| fails(3), || fails(1)), (3, 1)),
            &|| assert_eq!(parallel::join_here(|| fails(3), || fails(1)), (3, 1)),
        ];
        for run in tries {
            let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it panics");
            assert_eq!(panic.downcast_ref::<&str>(), Some(&"the third"));
        }
    });
}
